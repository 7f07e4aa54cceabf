"""A small monitor that speaks the oracle protocol and knows nothing of tracepact: a pattern for your own."""

import json
import re
import sys
from fractions import Fraction
from itertools import combinations
from math import ceil, floor


class Unsupported(Exception):  # noqa: N818  (it is no error)
    """A case this monitor cannot express."""


class Monitor:
    """Everything it can be asked; one method an ask, and small methods for what those need."""

    profiles = ("text", "core", "past", "events", "streaming", "chunks")

    # Formulas on traces

    def window(self, i, lo, hi, n):
        return range(max(i + lo, 0), min(i + hi, n - 1) + 1)

    def truth(self, tree, masks, n):
        if isinstance(tree, bool):
            return [tree] * n
        if isinstance(tree, str):
            return [digit == "1" for digit in masks[tree]]
        operator, *rest = tree
        parts = [self.truth(part, masks, n) for part in rest if not isinstance(part, int) or isinstance(part, bool)]
        return [self.at(i, operator, rest, parts, n) for i in range(n)]

    def at(self, i, operator, rest, parts, n):
        a, b = parts[0], parts[-1]
        match operator:
            case "not":
                return not a[i]
            case "and":
                return a[i] and b[i]
            case "or":
                return a[i] or b[i]
            case "implies":
                return not a[i] or b[i]
            case "iff":
                return a[i] == b[i]
            case "F":
                return self.eventually(i, rest[0], rest[1], a, n)
            case "G":
                return self.always(i, rest[0], rest[1], a, n)
            case "U":
                return self.until(i, rest[0], a, b, n)
            case "S":
                return self.since(i, rest[0], a, b, n)

    def eventually(self, i, lo, hi, a, n):
        return any(a[j] for j in self.window(i, lo, hi, n))

    def always(self, i, lo, hi, a, n):
        return all(a[j] for j in self.window(i, lo, hi, n))

    def until(self, i, r, a, b, n):
        return any(b[j] and all(a[i:j]) for j in self.window(i, 0, r, n))

    def since(self, i, r, a, b, n):
        return any(b[j] and all(a[j + 1 : i + 1]) for j in self.window(i, -r, 0, n))

    def verdicts(self, case):
        return {"verdicts": [bits(self.truth(case["formula"], c["masks"], c["frames"])) for c in case["clips"]]}

    def clause(self, case):
        judged = []
        for clip in case["clips"]:
            obliged = self.truth(case["obligation"], clip["masks"], clip["frames"])
            held = self.truth(case["formula"], clip["masks"], clip["frames"])
            ignored = clip.get("ignored", "0" * clip["frames"])
            judged += [held[i] for i in range(clip["frames"]) if obliged[i] and ignored[i] == "0"]
        value = str(Fraction(sum(judged), len(judged))) if judged else "1"
        return {"satisfied": sum(judged), "obligated": len(judged), "value": value, "vacuous": not judged}

    # Streams

    def lookahead(self, tree):
        if isinstance(tree, str | bool):
            return 0
        operator, *rest = tree
        ahead = [self.lookahead(part) for part in rest if not isinstance(part, int) or isinstance(part, bool)]
        match operator:
            case "F" | "G":
                return max(0, ahead[0] + rest[1])
            case "U":
                return max(ahead[1] + rest[0], ahead[0] + rest[0] - 1) if rest[0] else ahead[1]
        return max(ahead)

    def measure(self, case):
        mirrored = self.lookahead(mirror(case["formula"]))
        return {"lookahead": self.lookahead(case["formula"]), "lookback": mirrored}

    def open(self, case):
        self.clauses = [(c["obligation"], c["formula"]) for c in case["clauses"]]
        self.next = [0] * len(self.clauses)
        self.masks, self.n = {}, 0
        self.counts = [[0, 0] for _ in self.clauses] if "counts" in case["want"] else None
        return {}

    def frame(self, case):
        for name, value in case["values"].items():
            self.masks[name] = self.masks.get(name, "") + "01"[value]
        self.n += 1
        return self.out([self.n - self.delay(k) for k in range(len(self.clauses))])

    def chunk(self, case):
        for name, mask in case["masks"].items():
            self.masks[name] = self.masks.get(name, "") + mask
        self.n += case["frames"]
        return self.out([self.n - self.delay(k) for k in range(len(self.clauses))])

    def delay(self, k):
        return max(map(self.lookahead, self.clauses[k]))

    def close(self, case):
        return self.out([self.n] * len(self.clauses))

    def interrupt(self, case):
        state = json.dumps([self.clauses, self.next, self.masks, self.n, self.counts])
        self.clauses, self.next, self.masks, self.n, self.counts = json.loads(state)
        return {}

    def out(self, ends):
        found = []
        for k, end in enumerate(ends):
            due = range(self.next[k], max(end, self.next[k]))
            found += [[i, k, self.word(i, k)] for i in due]
            self.next[k] = due.stop
        if self.counts is None:
            return {"out": sorted(found)}
        for _, k, word in found:
            self.counts[k] = [self.counts[k][0] + (word == "satisfied"), self.counts[k][1] + (word != "free")]
        return {"out": sorted(found), "counts": self.counts}

    def word(self, i, k):
        obligation, formula = (self.truth(tree, self.masks, self.n)[i] for tree in self.clauses[k])
        return "free" if not obligation else "satisfied" if formula else "violated"

    # Intervals

    def project(self, case):
        step, n = Fraction(case["step"]), ceil(Fraction(case["duration"]) / Fraction(case["step"]))
        frames = [self.frames_of(Fraction(a), Fraction(b), step, n, case["projection"]) for a, b in case["events"]]
        mask = [any(i in some for some in frames) for i in range(n)]
        return {"frames": n, "mask": bits(mask), "runs": runs(mask), "vanished": sum(not some for some in frames)}

    def frames_of(self, onset, offset, step, n, projection):
        match projection:
            case "centre":
                return {i for i in range(n) if onset <= (i + Fraction(1, 2)) * step < offset}
            case "touch":
                return {i for i in range(n) if max(onset, i * step) < min(offset, (i + 1) * step)}
        return {i for i in range(n) if onset <= i * step and (i + 1) * step <= offset}

    def runs(self, case):
        mask = [digit == "1" for digit in case["mask"]]
        joined = []
        for start, end in runs(mask):
            if joined and self.joins(start - joined[-1][1], Fraction(case["step"]), Fraction(case["merge_gap"])):
                joined[-1][1] = end
            else:
                joined.append([start, end])
        return {"runs": runs(mask), "joined": joined, "onsets": self.onsets(mask), "offsets": self.offsets(mask)}

    def joins(self, frames, step, merge_gap):
        return frames * step <= merge_gap

    def onsets(self, mask):
        return bits(mask[i] and (i == 0 or not mask[i - 1]) for i in range(len(mask)))

    def offsets(self, mask):
        return bits(not mask[i] and i > 0 and mask[i - 1] for i in range(len(mask)))

    def match(self, case):
        step, search = Fraction(case["step"]), Fraction(case["matcher"]["search"])
        reward = Fraction(case["matcher"]["overlap_reward"])
        found = []
        for i, (a, b) in enumerate(case["ref"]):
            for j, (c, d) in enumerate(case["pred"]):
                onset, offset, overlap = abs(a - c) * step, abs(b - d) * step, (min(b, d) - max(a, c)) * step
                if overlap > 0 and self.near(onset, offset, search):
                    found.append((i, j, onset + offset - reward * overlap))
        pairs = self.optimal(found) if case["matcher"]["kind"] == "optimal" else self.greedy(found)
        return {"candidates": [[i, j, str(cost)] for i, j, cost in found], "pairs": [list(p) for p in sorted(pairs)]}

    def near(self, onset, offset, search):
        return onset <= search or offset <= search

    def order(self, candidate):
        return candidate[2], candidate[0], candidate[1]

    def greedy(self, found):
        pairs = []
        for i, j, _ in sorted(found, key=self.order):
            if all(i != a and j != b for a, b in pairs):
                pairs.append((i, j))
        return pairs

    def optimal(self, found):
        sets = (some for size in range(len(found) + 1) for some in combinations(found, size))
        free = [s for s in sets if len({i for i, _, _ in s}) == len({j for _, j, _ in s}) == len(s)]
        best = min(free, key=lambda s: (-len(s), sum(c for _, _, c in s), sorted((i, j) for i, j, _ in s)))
        return [(i, j) for i, j, _ in best]

    # Text

    def up(self, seconds, step):
        return ceil(seconds / step)

    def formula(self, case):
        if case["want"] != ["formula"]:
            raise Unsupported("it has no codes for faults")
        return {"formula": Reader(case["text"], Fraction(case["step"]), self.up).whole()}


class Reader:
    """Formulas from text, by precedence; what it cannot read is unsupported, since it has no codes for faults."""

    levels = (("<->", "iff", "↔"), ("->", "implies", "→"), ("|", "or", "∨"), ("&", "and", "∧"))
    names = ("iff", "implies", "or", "and")
    reserved = ("contract", "step", "clause", "each", "on", "iff", "implies", "or", "and", "N", "F", "G", "U", "S")

    def __init__(self, text, step, up):
        text = re.sub(r"#[^\n]*", "", text)
        self.tokens = re.findall(r"<->|->|[0-9][0-9./]*[a-z]*|\.[0-9]+[a-z]*|[A-Za-z_]\w*|\S", text, re.ASCII)
        self.step, self.up = step, up

    def whole(self):
        try:
            tree = self.level(0)
        except (IndexError, ValueError, ZeroDivisionError):
            raise Unsupported("not a formula that it reads") from None
        if self.tokens:
            raise Unsupported(f"what follows `{self.tokens[0]}`")
        return tree

    def take(self, *words):
        if self.tokens and self.tokens[0] in words:
            return self.tokens.pop(0)
        return None

    def expect(self, word):
        if not self.take(word):
            raise ValueError(word)

    def level(self, k):
        if k == len(self.levels):
            return self.reaching()
        left = self.level(k + 1)
        while self.take(*self.levels[k]):
            right = self.level(k if self.names[k] == "implies" else k + 1)
            left = [self.names[k], left, right]
        return left

    def reaching(self):
        left = self.unary()
        operator = self.take("U", "S")
        if not operator:
            return left
        (radius,) = self.bounds(1)
        return [operator, self.up(radius, self.step), left, self.reaching()]

    def unary(self):
        if self.take("!", "not", "¬"):
            return ["not", self.unary()]
        if self.take("N"):
            (radius,) = self.bounds(1)
            return ["F", -self.up(radius, self.step), self.up(radius, self.step), self.unary()]
        operator = self.take("F", "G")
        if operator:
            lo, hi = [Fraction(0), *self.bounds(2)][-2:]
            if lo > hi:
                raise ValueError("an empty window")
            return [operator, floor(lo / self.step), self.up(hi, self.step), self.unary()]
        if self.take("("):
            inner = self.level(0)
            self.expect(")")
            return inner
        word = self.tokens.pop(0)
        if word in ("true", "false"):
            return word == "true"
        if not re.fullmatch(r"[A-Za-z_]\w*", word, re.ASCII) or word in self.reserved:
            raise ValueError(word)
        return word

    def bounds(self, most):
        self.expect("[")
        found = [self.value()]
        while len(found) < most and self.take(","):
            found.append(self.value())
        self.expect("]")
        if len(found) == 1 and found[0] < 0:
            raise ValueError("a negative radius")
        return found

    def value(self):
        sign = -1 if self.take("-") else 1
        found = re.fullmatch(r"([0-9./]+)(ms|s|f|)", self.tokens.pop(0))
        if not found:
            raise ValueError("a value")
        number, unit = found.groups()
        scale = {"ms": Fraction(1, 1000), "f": self.step}.get(unit, 1)
        return sign * Fraction(number if number[0] != "." else f"0{number}") * scale


def mirror(tree):
    """The formula with future and past exchanged."""
    if isinstance(tree, str | bool):
        return tree
    operator, *rest = tree
    swapped = {"U": "S", "S": "U"}.get(operator, operator)
    if operator in ("F", "G"):
        return [operator, -rest[1], -rest[0], mirror(rest[2])]
    return [swapped, *(mirror(part) if not isinstance(part, int) or isinstance(part, bool) else part for part in rest)]


def bits(mask):
    return "".join("1" if active else "0" for active in mask)


def runs(mask):
    n = len(mask)
    starts = [i for i in range(n) if mask[i] and (i == 0 or not mask[i - 1])]
    return [[s, next((e for e in range(s, n) if not mask[e]), n)] for s in starts]


def serve(monitor, name):
    """Answer every line with one line, until there are no more."""
    for line in sys.stdin:
        message = json.loads(line)
        if "hello" in message:
            reply = {"hello": name, "version": 1, "profiles": list(monitor.profiles)}
        else:
            reply = {"id": message["id"]}
            method = getattr(monitor, message["ask"], None)
            try:
                if method is None:
                    raise Unsupported(f"it is not made for `{message['ask']}`")
                reply["answer"] = method(message)
            except Unsupported as why:
                reply["unsupported"] = str(why)
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)  # 200 levels (rule 1.6) take several calls each
    serve(Monitor(), "a small monitor")
