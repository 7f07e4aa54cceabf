"""metric-temporal-logic behind the oracle protocol, for the formulas it can express: those of the future."""

import warnings

from monitor import Monitor, serve

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import mtl

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
        case "F" | "G":
            return f"({operator}[{rest[0]},{rest[1]}] {text(rest[2])})"
        case "U":
            return f"({text(rest[1])} U[0,{rest[0]}] {text(rest[2])})"
    return f"({text(rest[0])} {SIGNS[operator]} {text(rest[1])})"


class Mtl(Monitor):
    """Whole traces, one unit of time a frame."""

    profiles = ("core",)
    formula = measure = project = runs = match = open = None

    def truth(self, tree, masks, n):
        formula = mtl.parse(text(tree))
        clock = {"clock_": [(i, False) for i in range(n)]}
        data = clock | {name: [(i, digit == "1") for i, digit in enumerate(mask)] for name, mask in masks.items()}
        return [bool(formula(data, time=i, dt=1, quantitative=False)) for i in range(n)]


if __name__ == "__main__":
    serve(Mtl(), "metric-temporal-logic")
