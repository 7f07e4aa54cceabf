"""metric-temporal-logic behind the oracle protocol, for the formulas it can express: those of the future.

    python mtl_monitor.py
    python mtl_monitor.py careful

`careful` goes around what the first run finds: a window is written one frame longer, since its end is left out, and cut
at the end of the trace by an atom that holds up to there; a radius of 0 is not tried, and atoms get names of small
letters. Windows in one another on more than eight frames, and anything large, are never tried: they take it minutes.
"""

import sys
import warnings

from monitor import Monitor, Unsupported, serve

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import mtl

CAREFUL = "careful" in sys.argv
LONGEST = 8
SIGNS = {"and": "&", "or": "|", "implies": "->", "iff": "<->"}


def text(tree):
    """The formula in its language."""
    if isinstance(tree, bool):
        return "TRUE" if tree else "FALSE"
    if isinstance(tree, str):
        return tree
    operator, *rest = tree
    match operator:
        case "not":
            return f"(~{text(rest[0])})"
        case "F" if CAREFUL:
            return f"(F[{rest[0]},{rest[1] + 1}] (alive_ & {text(rest[2])}))"
        case "G" if CAREFUL:
            return f"(G[{rest[0]},{rest[1] + 1}] (alive_ -> {text(rest[2])}))"
        case "F" | "G":
            return f"({operator}[{rest[0]},{rest[1]}] {text(rest[2])})"
        case "U" if CAREFUL:
            if rest[0] == 0:
                raise Unsupported("a radius of 0")
            return f"({text(rest[1])} U[0,{rest[0] + 1}] (alive_ & {text(rest[2])}))"
        case "U":
            return f"({text(rest[1])} U[0,{rest[0]}] {text(rest[2])})"
    return f"({text(rest[0])} {SIGNS[operator]} {text(rest[1])})"


def nested(tree):
    """How many windows stand in one another."""
    if isinstance(tree, str | bool):
        return 0
    parts = [part for part in tree[1:] if not isinstance(part, int) or isinstance(part, bool)]
    return max(map(nested, parts)) + (tree[0] in ("F", "G", "U"))


def renamed(tree, names):
    """The formula with names that it reads: small letters, no underscore before others."""
    if isinstance(tree, str):
        return names[tree]
    return [tree[0], *(renamed(part, names) for part in tree[1:])] if isinstance(tree, list) else tree


def farthest(tree):
    """The greatest bound of a formula."""
    if isinstance(tree, str | bool):
        return 0
    return max(abs(part) if type(part) is int else farthest(part) for part in tree[1:])


class Mtl(Monitor):
    """Whole traces, one unit of time a frame."""

    profiles = ("core",)
    formula = measure = project = runs = match = open = None

    def truth(self, tree, masks, n):
        large = max(n, farthest(tree), str(tree).count("[")) > 8 * LONGEST
        if large or (nested(tree) > 1 and n > LONGEST):
            raise Unsupported("windows on a trace that takes it too long")
        if CAREFUL:
            names = {name: f"p{k}" for k, name in enumerate(sorted(masks))}
            tree, masks = renamed(tree, names), {names[name]: mask for name, mask in masks.items()}
        formula = mtl.parse(text(tree))
        clock = {"alive_": [(i, i < n) for i in range(n + 1)]}
        data = clock | {name: [(i, digit == "1") for i, digit in enumerate(mask)] for name, mask in masks.items()}
        return [bool(formula(data, time=i, dt=1, quantitative=False)) for i in range(n)]


if __name__ == "__main__":
    serve(Mtl(), f"metric-temporal-logic{', careful' if CAREFUL else ''}")
