"""What the bounds of a contract mean for times as they are written, before the grid rounds them (rule 21.13)."""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor

from tracepact.declarations import dataclass
from tracepact.language.contract import Contract, EventClause, FrameClause, Located, Projection
from tracepact.language.formula import Always, Atom, Constant, Eventually, Formula, Since, Until
from tracepact.language.predicate import (
    Absolute,
    Attribute,
    ConstantTerm,
    Owner,
    Relation,
    Scaled,
    Term,
    TermComparison,
    TermDifference,
    TermSum,
    TermType,
)
from tracepact.wording import print_number

# Windows: what lies k frames away on the grid was written more than k - 1 and less than k + 1 frames away.
#
# A projection rounds edges of one kind alike, by less than a frame (rule 5.3), so a distance of two changes by less
# than one frame. `centre` rounds onsets and offsets alike too.


def written_times(clause: FrameClause | EventClause, contract: Contract) -> tuple[str, ...]:
    """A sentence for each window and each bound of a time, in source order, each once."""
    if isinstance(clause, EventClause):
        sentences = [_bounded(clause, part, contract) for part in clause.body.everywhere()]
    else:
        parts = (*clause.duty.everywhere(), *clause.body.everywhere())
        sentences = [_reach(part, contract) for part in parts if part.bounds]
    return tuple(dict.fromkeys(sentence for sentence in sentences if sentence is not None))


def _reach(part: Located, contract: Contract) -> str | None:
    """How far a window reaches in written times; None where it asks for frames of the clip alone."""
    window, bodies = _window(part.formula)
    if window is None or all(isinstance(body, Constant) for body in bodies):
        return None
    (low, high), step = window, contract.step
    name = " to ".join(f"`{bound.parameter or bound.text}`" for bound in part.bounds)
    alike = "" if contract.projection is Projection.CENTRE else ", between edges of one kind"
    if low == -high:
        on_grid, written = f"within {_time(high * step)}", f"up to just under {_time((high + 1) * step)}"
    else:
        on_grid = f"from {_time(low * step)} to {_time(high * step)}"
        written = f"from just over {_time((low - 1) * step)} to just under {_time((high + 1) * step)}"
    return f"{name}: {on_grid} on frames of {_time(step)}: {written} in written times{alike}"


def _window(formula: Formula) -> tuple[tuple[int, int] | None, tuple[Formula, ...]]:
    """The window of a modality in frames, and what it looks for."""
    match formula:
        case Eventually(low, high, body) | Always(low, high, body):
            return (low, high), (body,)
        case Until(radius, left, right):
            return (0, radius), (left, right)
        case Since(radius, left, right):
            return (-radius, 0), (left, right)
    return None, ()


# Predicates: a comparison of times is a bound of a sum of edges, each of which the projection moves.

_Edges = Mapping[tuple[Owner, str], Fraction]
"""How often each edge counts in a term, by the interval it belongs to and whether it is an onset or an offset."""


@dataclass(frozen=True, slots=True)
class _Moved:
    """By how many frames a projection moves an edge: from `least` to `most`, of which one is reached."""

    least: Fraction
    most: Fraction
    reaches_least: bool


_HALF = Fraction(1, 2)
_EARLIER, _LATER = _Moved(Fraction(-1), Fraction(0), False), _Moved(Fraction(0), Fraction(1), True)
_MOVED: Mapping[Projection, Mapping[str, _Moved]] = {
    Projection.CENTRE: dict.fromkeys(("onset", "offset"), _Moved(-_HALF, _HALF, True)),
    Projection.TOUCH: {"onset": _EARLIER, "offset": _LATER},
    Projection.INSIDE: {"onset": _LATER, "offset": _EARLIER},
}
"""⌈t/step − ½⌉ for `centre`; ⌊t/step⌋ and ⌈t/step⌉ for the others, minus t/step (rule 5.3)."""
_AT_MOST = (Relation.LE, Relation.LT)


def _bounded(clause: EventClause, part: Located, contract: Contract) -> str | None:
    """What a comparison of times with a constant bound means in written times; None for anything else."""
    atom = dict(clause.event_atoms).get(part.formula.name) if isinstance(part.formula, Atom) else None
    if not isinstance(atom, TermComparison) or atom.quantity is not TermType.TIME:
        return None
    if atom.relation in (Relation.EQ, Relation.NE):
        return None
    less, more = (atom.left, atom.right) if atom.relation in _AT_MOST else (atom.right, atom.left)
    is_absolute = isinstance(less, Absolute)
    edges, limit = _difference(less.body if isinstance(less, Absolute) else less, more)
    if not edges or (is_absolute and not _is_constant(more)) or any(n.denominator != 1 for n in edges.values()):
        return None
    step, is_strict = contract.step, atom.relation in (Relation.LT, Relation.GT)
    frames = ceil(limit / step) - 1 if is_strict else floor(limit / step)
    moved = _MOVED[contract.projection]
    beyond = _most_ahead(edges, moved)
    sign, kind, way = 1, "at most", "up to"
    if is_absolute:
        kind, beyond = "within", max(beyond, _most_ahead({edge: -n for edge, n in edges.items()}, moved))
        if frames < 0:
            return None
    elif edges[max(edges, key=_rank)] < 0:
        sign, kind, way = -1, "at least", "down to"
    ahead, is_reached = beyond
    just = "" if is_reached else "just under " if sign > 0 else "just over "
    text = " ".join(contract.source.text[part.span.start : part.span.end].split())
    return (
        f"`{text}`: {kind} {_time(sign * frames * step)} on frames of {_time(step)}: "
        f"{way} {just}{_time(sign * (frames + ahead) * step)} in written times"
    )


def _rank(edge: tuple[Owner, str]) -> tuple[bool, bool]:
    """The edge that a difference is told by: that of the prediction, and of two of one side the offset."""
    return edge[0] is Owner.PRED, edge[1] == "offset"


def _most_ahead(edges: _Edges, moved: Mapping[str, _Moved]) -> tuple[Fraction, bool]:
    """By how many frames the written sum exceeds that on the grid at most, and whether it reaches that."""
    total, is_reached = Fraction(0), True
    for (_, name), number in edges.items():
        by = moved[name]
        total -= number * (by.least if number > 0 else by.most)
        is_reached &= by.reaches_least == (number > 0)
    return total, is_reached


def _difference(left: Term, right: Term) -> tuple[_Edges, Fraction]:
    """`left <= right` as edges that are at most a number; no edges if a side is no sum of edges and constants."""
    one, other = _linear(left), _linear(right)
    if one is None or other is None:
        return {}, Fraction(0)
    edges = dict(one[0])
    for edge, number in other[0].items():
        edges[edge] = edges.get(edge, Fraction(0)) - number
    return {edge: number for edge, number in edges.items() if number}, other[1] - one[1]


def _is_constant(term: Term) -> bool:
    linear = _linear(term)
    return linear is not None and not linear[0]


def _time(seconds: Fraction) -> str:
    return f"{print_number(seconds * 1000)} ms"


def _linear(term: Term) -> tuple[_Edges, Fraction] | None:
    """A term as edges and a constant."""
    match term:
        case ConstantTerm(value):
            return {}, value
        case Attribute(owner, "onset" | "offset" as name):
            return {(owner, name): Fraction(1)}, Fraction(0)
        case Attribute(owner, "duration"):
            return {(owner, "offset"): Fraction(1), (owner, "onset"): Fraction(-1)}, Fraction(0)
        case Scaled(factor, body):
            inner = _linear(body)
            return inner and ({edge: factor * number for edge, number in inner[0].items()}, factor * inner[1])
        case TermSum(a, b) | TermDifference(a, b):
            sign = 1 if isinstance(term, TermSum) else -1
            first, second = _linear(a), _linear(b)
            if first is None or second is None:
                return None
            edges = dict(first[0])
            for edge, number in second[0].items():
                edges[edge] = edges.get(edge, Fraction(0)) + sign * number
            return edges, first[1] + sign * second[1]
    return None
