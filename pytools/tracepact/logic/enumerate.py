"""Small universes by enumeration: a second decision procedure, independent of the first.

All traces of n frames over k atoms are evaluated at once, one bit a trace: for every frame there is one integer of
2^(k·n) bits, and bit e says whether the formula holds there in trace e. The atoms are the columns of a truth table.
This shares no code with the monitor or the solver, whose bits are frames.
"""

from collections.abc import Sequence

from tracepact.core import Always, And, Atom, Constant, Eventually, Formula, Iff, Implies, Not, Or, Since, Until

LARGEST = 1 << 28
"""The most environment-frames of one length that are enumerated: 32 MiB a formula node."""


class UniverseTooLarge(ValueError):  # noqa: N818  (it is what the universe is)
    """More environments than can be enumerated."""


class Universe:
    """Every environment of so many frames over the given base atoms."""

    def __init__(self, names: Sequence[str], frames: int) -> None:
        self.names = tuple(names)
        self.frames = frames
        self.variables = len(self.names) * frames
        if frames << min(self.variables, 60) > LARGEST:
            raise UniverseTooLarge(f"{len(self.names)} atoms at {frames} frames are 2^{self.variables} environments")
        self.size = 1 << self.variables
        self.everything = (1 << self.size) - 1

    def truth(self, formula: Formula, known: dict[Formula, list[int]] | None = None) -> list[int]:
        """For every frame the environments in which the formula holds there; base atoms only.

        `known` keeps the parts that were evaluated, for the formulas that come next.
        """
        return self._truth(formula, {} if known is None else known)

    def environment(self, index: int) -> dict[str, tuple[bool, ...]]:
        """The masks of one environment."""
        n = self.frames
        return {name: tuple(bool(index >> (k * n + i) & 1) for i in range(n)) for k, name in enumerate(self.names)}

    def _column(self, variable: int) -> int:
        """The environments whose number has this bit set: blocks of 2^v zeros and ones."""
        half = 1 << variable
        return self.everything // ((1 << half) + 1) << half

    def _truth(self, formula: Formula, known: dict[Formula, list[int]]) -> list[int]:
        if formula not in known:
            known[formula] = self._made(formula, known)
        return known[formula]

    def _made(self, formula: Formula, known: dict[Formula, list[int]]) -> list[int]:
        n, everything = self.frames, self.everything

        def of(part: Formula) -> list[int]:
            return self._truth(part, known)

        match formula:
            case Atom(name):
                k = self.names.index(name)
                return [self._column(k * n + i) for i in range(n)]
            case Constant(value):
                return [everything if value else 0] * n
            case Not(body):
                return [everything ^ a for a in of(body)]
            case And(left, right):
                return [a & b for a, b in zip(of(left), of(right), strict=True)]
            case Or(left, right):
                return [a | b for a, b in zip(of(left), of(right), strict=True)]
            case Implies(left, right):
                return [everything ^ a | b for a, b in zip(of(left), of(right), strict=True)]
            case Iff(left, right):
                return [everything ^ a ^ b for a, b in zip(of(left), of(right), strict=True)]
            case Eventually(lo, hi, body):
                return self._some(lo, hi, of(body))
            case Always(lo, hi, body):
                return [everything ^ a for a in self._some(lo, hi, [everything ^ a for a in of(body)])]
            case Until(radius, left, right):
                return _reach(radius, of(left), of(right))
            case Since(radius, left, right):
                return _reach(radius, of(left)[::-1], of(right)[::-1])[::-1]

    def _some(self, lo: int, hi: int, body: list[int]) -> list[int]:
        found = []
        for i in range(self.frames):
            mask = 0
            for j in range(max(0, i + lo), min(self.frames - 1, i + hi) + 1):
                mask |= body[j]
            found.append(mask)
        return found


def _reach(radius: int, left: list[int], right: list[int]) -> list[int]:
    """`left U[radius] right` at each frame: what is reached at i, or past i while left holds."""
    found = []
    for i in range(len(left)):
        mask, way = right[i], left[i]
        for j in range(i + 1, min(i + radius, len(left) - 1) + 1):
            mask |= way & right[j]
            way &= left[j]
        found.append(mask)
    return found
