"""One frame of one stream, the way a microphone brings them: a verdict a clause, at the cost of the bits it looks at.

A window over many frames moves whole masks; for a single frame it is one look at the places it sees. So the formulas of
a contract are written out for the one place whose verdict is due, as a function that is compiled once: obligations
first, formulas only where there is one. The masks of the step are made when someone asks for them.
"""

from collections.abc import Callable, Sequence
from typing import Any

from tracepact.core import Always, And, Atom, Constant, Eventually, Formula, Iff, Implies, Not, Or, Since, Until
from tracepact.stream.program import EDGES

_MOST = 300
"""How many looks a contract may need for one frame; with more, masks are faster."""

Taken = tuple[int, tuple[int, ...]]
"""The clauses that are violated, as bits, and the inputs with the frame behind them."""

TakeFrame = Callable[[dict[str, Any], list[int], list[int]], Taken | None]
"""Takes a frame by atom into the kept inputs and the totals; None, with nothing done, unless it is truth values."""


class _TooManyLooksError(Exception):
    """A formula that is not worth writing out."""


def compile_frame(
    clauses: Sequence[tuple[Formula, Formula]],
    delays: Sequence[int],
    inputs: Sequence[str],
    given: Sequence[str],
    width: int,
) -> TakeFrame | None:
    """The function of a frame for obligations and formulas, behind a full window of `width` frames; may be too long."""
    looks = _Looks({name: f"a{i}" for i, name in enumerate(inputs)})
    lines = ["def take(frames, kept, totals):", f"    if len(frames) != {len(given)}:", "        return None"]
    for i, name in enumerate(given):
        lines += [
            f"    v{i} = frames.get({name!r})",
            f"    if v{i} is not True and v{i} is not False:",
            "        return None",
        ]
    for i, name in enumerate(inputs):
        value = f"v{list(given).index(name)}"
        lines += [f"    a{i} = kept[{i}] | {value} << {width}", f"    kept[{i}] = a{i} >> 1"]
    lines.append("    violated = 0")
    try:
        for number, ((obligation, formula), delay) in enumerate(zip(clauses, delays, strict=True)):
            lines += [
                f"    if {looks.at(obligation, width - delay)}:",
                f"        totals[{2 * number + 1}] += 1",
                f"        if {looks.at(formula, width - delay)}:",
                f"            totals[{2 * number}] += 1",
                "        else:",
                f"            violated |= {1 << number}",
            ]
    except _TooManyLooksError:
        return None
    lines.append(f"    return violated, ({''.join(f'a{i}, ' for i in range(len(inputs)))})")
    scope: dict[str, Any] = {}
    # Numbers, operators, and the names of atoms as quoted text: nothing of a contract is run.
    exec(compile("\n".join(lines), "<frame>", "exec"), scope)  # noqa: S102
    take: TakeFrame = scope["take"]
    return take


class _Looks:
    """Formulas at one place as expressions; every place a formula looks at is there, since the window is full."""

    def __init__(self, variables: dict[str, str]) -> None:
        self._variables = variables
        self._looks = 0

    def at(self, formula: Formula, place: int) -> str:
        """Whether a formula holds at a place; the expression is true or false, if not True or False."""
        self._looks += 1
        if self._looks > _MOST:
            raise _TooManyLooksError
        match formula:
            case Atom(name):
                return self._atom(name, 1 << place)
            case Constant(value):
                return str(value)
            case Not(body):
                return f"(not {self.at(body, place)})"
            case And(left, right):
                return f"({self.at(left, place)} and {self.at(right, place)})"
            case Or(left, right):
                return f"({self.at(left, place)} or {self.at(right, place)})"
            case Implies(left, right):
                return f"(not {self.at(left, place)} or {self.at(right, place)})"
            case Iff(left, right):
                return f"((not {self.at(left, place)}) == (not {self.at(right, place)}))"
            case Eventually(lo, hi, Atom(name)):
                return self._atom(name, _places(place + lo, place + hi))
            case Eventually(lo, hi, body):
                return self._each("or", body, range(place + lo, place + hi + 1))
            case Always(lo, hi, body):
                return self._each("and", body, range(place + lo, place + hi + 1))
            case Until(radius, left, right):
                return self._chain(left, right, range(place, place + radius + 1))
            case Since(radius, left, right):
                return self._chain(left, right, range(place, place - radius - 1, -1))

    def _atom(self, name: str, places: int) -> str:
        """Whether an atom holds at one of some places."""
        if name not in EDGES:
            return f"({self._variables[name]} & {places:#x})"
        active = self._variables[EDGES[name]]
        now, before = (active, f"({active} << 1)")
        edge = f"{now} & ~{before}" if name.endswith("onset") else f"{before} & ~{now}"
        return f"({edge} & {places:#x})"

    def _each(self, word: str, body: Formula, places: range) -> str:
        if len(places) > _MOST:
            raise _TooManyLooksError
        return f"({f' {word} '.join(self.at(body, place) for place in places)})"

    def _chain(self, left: Formula, right: Formula, places: Sequence[int]) -> str:
        """`right` at the first of the places, or `left` there and the same from the next one on."""
        if len(places) > _DEEPEST:
            raise _TooManyLooksError
        text = self.at(right, places[-1])
        for place in reversed(places[:-1]):
            text = f"({self.at(right, place)} or ({self.at(left, place)} and {text}))"
        return text


_DEEPEST = 32
"""The longest chain of until and since: Python reads a limited depth of parentheses."""


def _places(first: int, last: int) -> int:
    return (1 << last + 1) - (1 << first)
