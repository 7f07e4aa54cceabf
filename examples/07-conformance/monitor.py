"""A small monitor that speaks the oracle protocol and knows nothing of tracepact: a pattern for your own."""

import json
import re
import sys
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import ceil, floor


class Unsupported(Exception):  # noqa: N818  (it is no error)
    """A case this monitor cannot express."""


class Monitor:
    """Everything it can be asked; one method an ask, and small methods for what those need."""

    profiles = ("text", "core", "past", "events", "streaming", "chunks")
    names = None  # the atoms of the stream that is open

    # Formulas on traces: a list of truth values for every part, each in one pass

    def truth(self, tree, masks, n):
        if isinstance(tree, bool):
            return [tree] * n
        if isinstance(tree, str):
            return [digit == "1" for digit in masks[tree]]
        operator, *rest = tree
        parts = [self.truth(part, masks, n) for part in rest if not isinstance(part, int) or isinstance(part, bool)]
        a, b = parts[0], parts[-1]
        match operator:
            case "not":
                return [not x for x in a]
            case "and":
                return [x and y for x, y in zip(a, b, strict=True)]
            case "or":
                return [x or y for x, y in zip(a, b, strict=True)]
            case "implies":
                return [not x or y for x, y in zip(a, b, strict=True)]
            case "iff":
                return [x == y for x, y in zip(a, b, strict=True)]
            case "F":
                return [hits > 0 for hits, _ in self.windows(rest[0], rest[1], a, n)]
            case "G":
                return [hits == size for hits, size in self.windows(rest[0], rest[1], a, n)]
            case "U":
                return self.until(rest[0], a, b, n)
            case "S":
                return self.until(rest[0], a[::-1], b[::-1], n)[::-1]

    def windows(self, lo, hi, a, n):
        """How many frames of the window of every frame hold, and how many there are; by sums up to each frame."""
        sums = [0, *accumulate(a)]
        found = []
        for i in range(n):
            first, last = max(i + lo, 0), min(i + hi, n - 1)
            found.append((sums[last + 1] - sums[first], last + 1 - first) if first <= last else (0, 0))
        return found

    def until(self, r, a, b, n):
        """From the end: how far the next witness is along frames where the left side holds."""
        found, away = [False] * n, None
        for i in reversed(range(n)):
            away = 0 if b[i] else away + 1 if a[i] and away is not None else None
            found[i] = away is not None and away <= r
        return found

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
        return {"lookahead": self.lookahead(case["formula"]), "lookback": self.lookback(case["formula"])}

    def lookback(self, tree):
        return self.lookahead(mirror(tree))

    def open(self, case):
        self.clauses = [(c["obligation"], c["formula"]) for c in case["clauses"]]
        self.kept = max(self.lookback(tree) for clause in self.clauses for tree in clause)
        self.next = [0] * len(self.clauses)
        self.masks, self.first, self.n = {}, 0, 0
        self.counts = [[0, 0] for _ in self.clauses] if "counts" in case["want"] else None
        return {}

    def frame(self, case):
        return self.take(1, {name: "01"[value] for name, value in case["values"].items()})

    def chunk(self, case):
        return self.take(case["frames"], case["masks"])

    def take(self, frames, masks):
        for name, mask in masks.items():
            self.masks[name] = self.masks.get(name, "") + mask
        self.n += frames
        return self.out([self.n - self.delay(k) for k in range(len(self.clauses))])

    def delay(self, k):
        return max(map(self.lookahead, self.clauses[k]))

    def close(self, case):
        return self.out([self.n] * len(self.clauses))

    def interrupt(self, case):
        state = json.dumps([self.clauses, self.kept, self.next, self.masks, self.first, self.n, self.counts])
        self.clauses, self.kept, self.next, self.masks, self.first, self.n, self.counts = json.loads(state)
        return {}

    def out(self, ends):
        found = []
        for k, end in enumerate(ends):
            due = range(self.next[k], max(end, self.next[k]))
            if due:
                found += [[i, k, word] for i, word in zip(due, self.words(k, due), strict=True)]
                self.next[k] = due.stop
        self.forget()
        if self.counts is None:
            return {"out": sorted(found)}
        for _, k, word in found:
            self.counts[k] = [self.counts[k][0] + (word == "satisfied"), self.counts[k][1] + (word != "free")]
        return {"out": sorted(found), "counts": self.counts}

    def words(self, k, due):
        held = self.n - self.first
        obligation, formula = (self.truth(tree, self.masks, held) for tree in self.clauses[k])
        pairs = ((obligation[i - self.first], formula[i - self.first]) for i in due)
        return ["free" if not obliged else "satisfied" if holds else "violated" for obliged, holds in pairs]

    def forget(self):
        """Drop the frames that no verdict to come looks back to, many at a time."""
        old = min(self.next) - self.kept - self.first
        if old > 64:
            self.masks = {name: mask[old:] for name, mask in self.masks.items()}
            self.first += old

    # Intervals

    def project(self, case):
        step, n = Fraction(case["step"]), ceil(Fraction(case["duration"]) / Fraction(case["step"]))
        mask, vanished = [False] * n, 0
        for onset, offset in case["events"]:
            first, end = self.frames_of(Fraction(onset) / step, Fraction(offset) / step, case["projection"])
            first, end = max(first, 0), min(end, n)
            mask[first:end] = [True] * (end - first)
            vanished += first >= end
        return {"frames": n, "mask": bits(mask), "runs": runs(mask), "vanished": vanished}

    def frames_of(self, onset, offset, projection):
        """The first frame of an event and the one after its last, from its ends in frames."""
        match projection:
            case "centre":
                return ceil(onset - Fraction(1, 2)), ceil(offset - Fraction(1, 2))
            case "touch":
                return (floor(onset), ceil(offset)) if onset < offset else (0, 0)
        return ceil(onset), floor(offset)

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
        if case["matcher"]["kind"] == "optimal" and len(case["ref"]) > 100:
            raise Unsupported("an optimal match of so many runs takes it too long")
        step, search = Fraction(case["step"]), Fraction(case["matcher"]["search"])
        reward = Fraction(case["matcher"]["overlap_reward"])
        found = []
        for i, (a, b) in enumerate(case["ref"]):
            for j, (c, d) in enumerate(case["pred"]):
                if d < a or b < c:
                    continue
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
        pairs, refs, preds = [], set(), set()
        for i, j, _ in sorted(found, key=self.order):
            if i not in refs and j not in preds:
                pairs.append((i, j))
                refs.add(i)
                preds.add(j)
        return pairs

    def optimal(self, found):
        """From the last reference: for each prediction on which the earlier ones may end, the best that is left."""
        best = {}
        for i in sorted({i for i, _, _ in found}, reverse=True):
            own = [(j, cost) for a, j, cost in found if a == i]
            for first in {0} | {j + 1 for a, j, _ in found if a < i}:
                left = [self.rest(best, i + 1, first)]
                for j, cost in own:
                    if j >= first:
                        pairs, total, some = self.rest(best, i + 1, j + 1)
                        left.append((pairs - 1, total + cost, ((i, j), *some)))
                best[i, first] = min(left)
        return list(self.rest(best, 0, 0)[2])

    def rest(self, best, i, first):
        """The best for the references from i on: that of the next one that has candidates."""
        later = [a for a, j in best if a >= i]
        if not later:
            return 0, 0, ()
        i = min(later)
        return best[i, max(j for a, j in best if a == i and j <= first)]

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


# Whether a case is of the form that the protocol gives it (P6, P8, P19); what is not is answered with an error.


class Malformed(Exception):  # noqa: N818  (it names what the case is)
    """A case that is none."""


def need(holds, what):
    if not holds:
        raise Malformed(f"{what} is not of the form")


SHAPES = {"not": (0, 1), "F": (2, 1), "G": (2, 1), "U": (1, 2), "S": (1, 2)}
SHAPES |= dict.fromkeys(("and", "or", "implies", "iff"), (0, 2))


def atoms(tree):
    """The atoms of a formula."""
    if isinstance(tree, bool):
        return set()
    if isinstance(tree, str):
        need(re.fullmatch(r"[A-Za-z_]\w*", tree, re.ASCII), "an atom")
        return {tree}
    need(isinstance(tree, list) and tree and isinstance(tree[0], str) and tree[0] in SHAPES, "a formula")
    bounds, operands = SHAPES[tree[0]]
    reach, parts = tree[1 : 1 + bounds], tree[1 + bounds :]
    need(len(reach) == bounds and len(parts) == operands, "a formula")
    need(all(type(bound) is int and abs(bound) <= 1 << 31 for bound in reach), "a bound")
    need(bounds < 2 or reach[0] <= reach[1], "a window")
    need(bounds != 1 or reach[0] >= 0, "a radius")
    return set().union(*map(atoms, parts))


def need_mask(mask, frames=None):
    need(isinstance(mask, str) and not set(mask) - {"0", "1"} and len(mask) <= 1 << 20, "a mask")
    need(frames is None or len(mask) == frames, "a mask")


def need_clip(clip, names, least=0):
    need(isinstance(clip, dict) and type(clip["frames"]) is int and least <= clip["frames"] <= 1 << 20, "a clip")
    need(isinstance(clip["masks"], dict) and names <= set(clip["masks"]), "the masks")
    for mask in clip["masks"].values():
        need_mask(mask, clip["frames"])


def need_time(time, what):
    need(isinstance(time, str) and re.fullmatch(r"[0-9]+(\.[0-9]+)?|[0-9]+/[1-9][0-9]*", time), what)


def need_runs(runs, frames=1 << 20):
    need(isinstance(runs, list) and all(isinstance(run, list) and len(run) == 2 for run in runs), "a list of runs")
    ends = [end for run in runs for end in run]
    need(all(type(end) is int and 0 <= end <= frames for end in ends) and ends == sorted(ends), "a run")
    need(all(start < end for start, end in runs), "a run")


def checked(case, names):
    """The atoms that an open stream has after this case; Malformed if it is none. Without a stream `names` is None."""
    ask = case["ask"]
    if "step" in case or ask in ("formula", "project", "runs", "match", "events", "components"):
        need_time(case["step"], "a step")
        need(Fraction(case["step"]) > 0, "a step")
    need(all(isinstance(case[key], str) for key in ("text", "predicate") if key in case), "a text")
    match ask:
        case "verdicts" | "clause" | "measure":
            named = atoms(case["formula"]) | (atoms(case["obligation"]) if ask == "clause" else set())
            clips = [] if ask == "measure" else case["clips"]
            need(isinstance(clips, list) and (clips or ask == "measure"), "the clips")
            for clip in clips:
                need_clip(clip, named)
                need_mask(clip.get("ignored", "0" * clip["frames"]), clip["frames"])
        case "open":
            need(isinstance(case["clauses"], list) and case["clauses"], "the clauses")
            need(all(isinstance(clause, dict) for clause in case["clauses"]), "a clause")
            return set().union(
                *(atoms(clause[side]) for clause in case["clauses"] for side in ("obligation", "formula"))
            )
        case "frame" | "chunk" | "interrupt" | "close":
            need(names is not None, "a stream that is not open")
            if ask == "chunk":
                need_clip(case, names, 1)
            if ask == "frame":
                need(isinstance(case["values"], dict) and names <= set(case["values"]), "the values")
                need(all(type(v) in (bool, int) and v in (0, 1) for v in case["values"].values()), "a value")
            return None if ask == "close" else names
        case "project":
            need_time(case["duration"], "a duration")
            need(Fraction(case["duration"]) <= (1 << 20) * Fraction(case["step"]), "a duration")
            need(case["projection"] in ("centre", "touch", "inside") and isinstance(case["events"], list), "the events")
            for event in case["events"]:
                need(isinstance(event, list) and len(event) in (2, 3), "an event")
                need(all(isinstance(time, str) for time in event), "an event")
                for time in event[:2]:
                    need_time(time.removeprefix("-"), "a time")
        case "runs":
            need_mask(case["mask"])
            need_time(case["merge_gap"], "a gap")
        case "match" | "events":
            frames = case["frames"] if ask == "events" else 1 << 20
            need(type(frames) is int and 0 <= frames <= 1 << 20, "the frames")
            for side in (case["ref"], case["pred"], *case.get("others", []), case.get("ignored", [])):
                need_runs(side, frames)
            if ask == "match" or "matcher" in case:
                matcher = case["matcher"]
                need(isinstance(matcher, dict) and matcher["kind"] in ("greedy", "optimal"), "a matcher")
            need(ask == "match" or case["each"] in ("ref", "pred", "matched"), "what is obligated")
        case "components":
            need_mask(case["ref"])
            need_mask(case["pred"], len(case["ref"]))
        case "lines":
            need(type(case.get("channels", 1)) is int and case.get("channels", 1) > 0, "the channels")
    return names


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
    ends = [i for i in range(1, n + 1) if mask[i - 1] and (i == n or not mask[i])]
    return [list(run) for run in zip(starts, ends, strict=True)]


def reply(monitor, name, message):
    """The reply to one message."""
    if "hello" in message:
        return {"hello": name, "version": 1, "profiles": list(monitor.profiles)}
    if type(message.get("id")) is not int:
        return {"id": None, "error": "a case has an integer as its id"}
    try:
        ask = message["ask"]
        need(isinstance(ask, str), "the ask")
        method = getattr(monitor, ask, None)
        if method is None:
            raise Unsupported(f"it is not made for `{ask}`")
        names = checked(message, monitor.names)
        answer = method(message)
        monitor.names = names
        return {"id": message["id"], "answer": answer}
    except Unsupported as why:
        return {"id": message["id"], "unsupported": str(why)}
    except KeyError as lacking:
        return {"id": message.get("id"), "error": f"the case lacks {lacking}"}
    except Malformed as why:
        return {"id": message["id"], "error": str(why)}


def monitor():
    """For `tracepact conform --python`: a function from messages to replies."""
    sys.setrecursionlimit(10_000)  # 200 levels (rule 1.6) take several calls each
    return partial(reply, Monitor(), "a small monitor")


def serve(monitor, name):
    """Answer every line with one line, until there are no more."""
    sys.setrecursionlimit(10_000)
    for line in sys.stdin:
        message = message_of(line)
        said = reply(monitor, name, message) if message else {"id": None, "error": "a line is a JSON object"}
        print(json.dumps(said), flush=True)


def message_of(line):
    """The object that a line holds, None if it holds none."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None


if __name__ == "__main__":
    serve(Monitor(), "a small monitor")
