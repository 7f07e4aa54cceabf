"""reelay behind the oracle protocol, for the formulas it can express: those that look one way.

    python reelay_monitor.py
    python reelay_monitor.py careful

reelay looks back. A formula that looks back is read frame by frame; one that looks ahead is mirrored and read on the
trace from its end, which only a whole trace allows. `careful` goes around what the first run finds: a window or a since
of frame 0 alone is not written as one. Making one of its monitors takes some 45 ms, whatever the formula, and a monitor
cannot begin anew; so it is asked no family of many clips and no stream of many clauses.
"""

import sys

import reelay
from monitor import Monitor, Unsupported, mirror, serve

CAREFUL = "careful" in sys.argv
MOST = 600
MOST_MONITORS = 16


def text(tree):
    """A formula that looks back in its language."""
    if isinstance(tree, bool):
        return f"{{one_: {str(tree).lower()}}}"
    if isinstance(tree, str):
        return f"{{{tree}: true}}"
    operator, *rest = tree
    if any(type(part) is int and abs(part) > MOST for part in rest):
        raise Unsupported("a window that takes it too long")
    match operator:
        case "not":
            return f"(not {text(rest[0])})"
        case "F" | "G":
            lo, hi, body = rest
            if CAREFUL and lo == hi == 0:
                return text(body)
            return f"({'once' if operator == 'F' else 'historically'}[{-hi}:{-lo}] {text(body)})"
        case "S":
            return (
                text(rest[2]) if CAREFUL and rest[0] == 0 else f"({text(rest[1])} since[0:{rest[0]}] {text(rest[2])})"
            )
    a, b = map(text, rest)
    return {
        "and": f"({a} and {b})",
        "or": f"({a} or {b})",
        "implies": f"((not {a}) or {b})",
        "iff": f"(({a} and {b}) or (not ({a} or {b})))",
    }[operator]


def looks(tree, ahead):
    """Whether some part of a formula looks ahead, or back."""
    if isinstance(tree, str | bool):
        return False
    windows = {"U": (0, 1), "S": (-1, 0)}.get(tree[0], tree[1:3] if tree[0] in ("F", "G") else (0, 0))
    return (max(windows) > 0 if ahead else min(windows) < 0) or any(
        looks(part, ahead) for part in tree[1:] if not isinstance(part, int)
    )


def length(tree):
    """How many parts a formula has in its language, where `iff` is written out."""
    if not isinstance(tree, list):
        return 1
    parts = sum(length(part) for part in tree[1:] if isinstance(part, bool) or not isinstance(part, int))
    return 1 + parts * (2 if tree[0] == "iff" else 1)


def reader(tree):
    """Its monitor of a formula that looks back."""
    if length(tree) > MOST:
        raise Unsupported("a case that takes it too long")
    if looks(tree, ahead=True):
        raise Unsupported("it looks back only")
    return reelay.discrete_timed_monitor(pattern=text(tree), semantics="boolean", condense=False)


def few(parts):
    """Only so many clips or clauses, which each take a monitor or two."""
    if len(parts) > MOST_MONITORS:
        raise Unsupported("a case of so many clips or clauses that it takes too long")


def read(monitor, frame):
    return monitor.update({"one_": True, **frame})["value"]


class Reelay(Monitor):
    """Whole traces, and streams of formulas that look back."""

    profiles = ("core", "past", "streaming", "chunks")
    formula = measure = project = runs = match = None

    def verdicts(self, case):
        few(case["clips"])
        return super().verdicts(case)

    def clause(self, case):
        few(case["clips"])
        return super().clause(case)

    def truth(self, tree, masks, n):
        if n > MOST:
            raise Unsupported("a case that takes it too long")
        turned = looks(tree, ahead=True)
        if turned and looks(tree, ahead=False):
            raise Unsupported("it looks one way")
        step = -1 if turned else 1
        monitor = reader(mirror(tree) if turned else tree)
        frames = [{name: mask[i] == "1" for name, mask in masks.items()} for i in range(n)]
        return [read(monitor, frame) for frame in frames[::step]][::step]

    def open(self, case):
        few(case["clauses"])
        super().open(case)
        self.readers = [[reader(tree) for tree in clause] for clause in self.clauses]
        return {}

    def interrupt(self, case):
        raise Unsupported("its state cannot be saved")

    def words(self, k, due):
        frames = ({name: mask[i - self.first] == "1" for name, mask in self.masks.items()} for i in due)
        judged = [[read(monitor, frame) for monitor in self.readers[k]] for frame in frames]
        return ["free" if not obliged else "satisfied" if holds else "violated" for obliged, holds in judged]

    def forget(self):
        """Its monitors remember for themselves."""
        self.masks, self.first = dict.fromkeys(self.masks, ""), self.n


if __name__ == "__main__":
    serve(Reelay(), f"reelay{', careful' if CAREFUL else ''}")
