"""Core formulas: eleven constructors as in the Lean core, their shared graph, and their measures."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum, auto
from fractions import Fraction
from operator import is_
from typing import TypeVar

from tracepact.declarations import dataclass

_Value = TypeVar("_Value")

# Runs: maximal half-open ranges of active frames (rule 5.5).

FrameRun = tuple[int, int]


def runs_of_frames(frames: Sequence[bool]) -> tuple[FrameRun, ...]:
    """The runs of a mask given frame by frame."""
    runs: list[FrameRun] = []
    start: int | None = None
    for index, active in enumerate(frames):
        if active and start is None:
            start = index
        elif not active and start is not None:
            runs.append((start, index))
            start = None
    if start is not None:
        runs.append((start, len(frames)))
    return tuple(runs)


def union_runs(intervals: Iterable[FrameRun]) -> tuple[FrameRun, ...]:
    """The maximal runs of the union of frame intervals; touching ones become one."""
    runs: list[FrameRun] = []
    for start, end in sorted(intervals):
        if end <= start:
            continue
        if runs and start <= runs[-1][1]:
            runs[-1] = (runs[-1][0], max(runs[-1][1], end))
        else:
            runs.append((start, end))
    return tuple(runs)


def join_runs(runs: Sequence[FrameRun], merge_gap: Fraction, step: Fraction) -> tuple[FrameRun, ...]:
    """Join runs whose gap of k frames has k·step <= merge_gap."""
    widest = merge_gap // step
    if widest == 0:
        return tuple(runs)
    joined: list[FrameRun] = []
    for start, end in runs:
        if joined and start - joined[-1][1] <= widest:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(joined)


# Core formulas: eleven constructors, the same eleven names as in the Lean core.


@dataclass(frozen=True, slots=True)
class Atom:
    """A named mask."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class Not:
    """The body does not hold."""

    body: "Formula"


@dataclass(frozen=True, slots=True)
class And:
    """Both hold."""

    left: "Formula"
    right: "Formula"


@dataclass(frozen=True, slots=True)
class Or:
    """At least one holds."""

    left: "Formula"
    right: "Formula"


@dataclass(frozen=True, slots=True)
class Implies:
    """If the left holds, so does the right."""

    left: "Formula"
    right: "Formula"


@dataclass(frozen=True, slots=True)
class Iff:
    """Both hold or neither does."""

    left: "Formula"
    right: "Formula"


@dataclass(frozen=True, slots=True)
class Eventually:
    """The body holds at some frame at an offset from `lo` to `hi`, inside the trace (rule 6.2)."""

    lo: int
    hi: int
    body: "Formula"


@dataclass(frozen=True, slots=True)
class Always:
    """The body holds at every frame at an offset from `lo` to `hi`, inside the trace (rule 6.3)."""

    lo: int
    hi: int
    body: "Formula"


@dataclass(frozen=True, slots=True)
class Until:
    """The right holds within `radius` frames ahead, the left at every frame before that (rule 6.4)."""

    radius: int
    left: "Formula"
    right: "Formula"


@dataclass(frozen=True, slots=True)
class Since:
    """The right held within `radius` frames back, the left at every frame after that (rule 6.5)."""

    radius: int
    left: "Formula"
    right: "Formula"


Formula = Atom | Constant | Not | And | Or | Implies | Iff | Eventually | Always | Until | Since


def children(formula: Formula) -> tuple[Formula, ...]:
    """The direct parts of a formula."""
    match formula:
        case Atom() | Constant():
            return ()
        case Not(body) | Eventually(_, _, body) | Always(_, _, body):
            return (body,)
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b) | Until(_, a, b) | Since(_, a, b):
            return (a, b)


def with_parts(formula: Formula, parts: Sequence[Formula]) -> Formula:
    """The formula with other direct parts; the formula itself, not a copy, where they are the same objects."""
    if all(map(is_, parts, children(formula))):
        return formula
    match formula:
        case Atom() | Constant():
            return formula
        case Not() | Eventually() | Always():
            return replace(formula, body=parts[0])
        case _:
            return replace(formula, left=parts[0], right=parts[1])


def mapped(formula: Formula, of: Callable[[Formula], Formula]) -> Formula:
    """The formula rebuilt from its leaves up, with what `of` makes of each part once its own parts are rebuilt."""

    def value(part: Formula) -> Formula:
        # `map` rather than a comprehension, whose frames would count towards Python's limit of depth
        return of(with_parts(part, tuple(map(value, children(part)))))

    return value(formula)


def folded(
    formula: Formula, leaf: Callable[[Formula], _Value], joins: Mapping[type[Formula], Callable[..., _Value]]
) -> _Value:
    """The value of a formula by those of its parts: joined where `joins` knows the connective, else that of a leaf."""

    def value(part: Formula) -> _Value:
        join = joins.get(type(part))
        return leaf(part) if join is None else join(*map(value, children(part)))

    return value(formula)


def operands(formula: Formula, kind: type[And | Or]) -> list[Formula]:
    """What a formula is the conjunction or the disjunction of; itself if it is none."""
    if isinstance(formula, kind):
        return [*operands(formula.left, kind), *operands(formula.right, kind)]
    return [formula]


def subformulas(formula: Formula) -> Iterator[Formula]:
    """The formula and all its parts, parents first, repeats included."""
    waiting = [formula]  # a stack and no recursion: each level of generators would hand every part on once more
    while waiting:
        part = waiting.pop()
        yield part
        waiting += reversed(children(part))


def window(formula: Formula) -> tuple[int, int] | None:
    """The offsets that a modality looks at by itself, in frames; None for all else."""
    match formula:
        case Eventually(lo, hi, _) | Always(lo, hi, _):
            return lo, hi
        case Until(radius, _, _):
            return 0, radius
        case Since(radius, _, _):
            return -radius, 0
        case _:
            return None


def windows(formula: Formula) -> list[tuple[int, int]]:
    """The windows of all modalities in a formula in frames, outermost first."""
    return [looks for part in subformulas(formula) if (looks := window(part)) is not None]


def atoms(formula: Formula) -> frozenset[str]:
    """The names of the atoms that occur."""
    return frozenset(part.name for part in subformulas(formula) if isinstance(part, Atom))


# Formulas as a shared graph: equal subformulas become one node, in an order that evaluates parts first.


class Operator(Enum):
    """What a node does with its parts."""

    ATOM = auto()
    CONSTANT = auto()
    NOT = auto()
    AND = auto()
    OR = auto()
    IMPLIES = auto()
    IFF = auto()
    EVENTUALLY = auto()
    ALWAYS = auto()
    UNTIL = auto()
    SINCE = auto()


@dataclass(frozen=True, slots=True)
class Node:
    """One shared subformula: an operator, its numbers or name, and the indices of its parts."""

    operator: Operator
    parameters: tuple[int | str, ...]
    parts: tuple[int, ...]


@dataclass(slots=True)
class Dag:
    """Nodes in evaluation order; `add` returns the index of a formula's node."""

    # Nodes stand after their parts, so one pass from the first to the last evaluates all; the dictionary makes equal
    # subformulas one node, within a formula and across all formulas of a contract (hash consing).
    nodes: list[Node] = field(default_factory=list)
    _index: dict[Node, int] = field(default_factory=dict)

    @classmethod
    def of(cls, formulas: Iterable[Formula]) -> tuple["Dag", list[int]]:
        """The graph of several formulas, and the index of each."""
        dag = cls()
        return dag, [dag.add(formula) for formula in formulas]

    def add(self, formula: Formula) -> int:
        """Put a formula and its parts into the graph, reusing what is there."""
        match formula:
            case Atom(name):
                parameters: tuple[int | str, ...] = (name,)
            case Constant(value):
                parameters = (int(value),)
            case Eventually(lo, hi, _) | Always(lo, hi, _):
                parameters = lo, hi
            case Until(radius, _, _) | Since(radius, _, _):
                parameters = (radius,)
            case _:
                parameters = ()
        operator = Operator[type(formula).__name__.upper()]  # each member is called as its constructor is
        return self.put(Node(operator, parameters, tuple(map(self.add, children(formula)))))

    def put(self, node: Node) -> int:
        """Put a node whose parts are in the graph into it, or find it there."""
        index = self._index.setdefault(node, len(self.nodes))
        if index == len(self.nodes):
            self.nodes.append(node)
        return index


# Measures of a formula: how far it looks, how deep and large it is, what it costs to monitor.


def lookahead(formula: Formula) -> int:
    """The frames after i on which the verdict at i may depend (rule 6.7)."""
    match formula:
        case Eventually(_, hi, body) | Always(_, hi, body):
            return max(0, lookahead(body) + hi)
        case Until(radius, a, b):
            return _reach_of_until(radius, lookahead(a), lookahead(b))
        case _:
            return max(map(lookahead, children(formula)), default=0)


def lookback(formula: Formula) -> int:
    """The frames before i on which the verdict at i may depend (rule 6.7)."""
    match formula:
        case Eventually(lo, _, body) | Always(lo, _, body):
            return max(0, lookback(body) - lo)
        case Since(radius, a, b):
            return _reach_of_until(radius, lookback(a), lookback(b))
        case _:
            return max(map(lookback, children(formula)), default=0)


def _reach_of_until(radius: int, left: int, right: int) -> int:
    # the left part is asked at every frame before the one found, so at most at the radius less one
    return max(right + radius, left + radius - 1) if radius else right


def sight(formula: Formula) -> int:
    """How many frames the verdict at a frame may depend on, itself among them: no trace need be longer (rule 6.7)."""
    return lookback(formula) + 1 + lookahead(formula)


def reach(formula: Formula) -> int:
    """The longest way a window moves a frame: the gap that keeps clips apart in a family.

    Until and since need no more than one frame of gap, since the left part must hold without a break.
    """
    return max(1, longest_window(formula))


def longest_window(formula: Formula) -> int:
    """The greatest |a| or |b| of a window (rule 6.7); 0 without one."""
    written = (part for part in subformulas(formula) if isinstance(part, Eventually | Always))
    return max((max(abs(part.lo), abs(part.hi)) for part in written), default=0)


def depth(formula: Formula) -> int:
    """Temporal depth: how many modalities are nested."""
    below = max((depth(part) for part in children(formula)), default=0)
    return below + (window(formula) is not None)


def size(formula: Formula) -> int:
    """The number of nodes."""
    return sum(1 for _ in subformulas(formula))


def cost(formula: Formula) -> int:
    """Passes the bitset engine makes over a mask: one for a connective, two for a window's doubling step."""
    # The engine widens a mask by doubling, so a window of w frames takes log2 w steps of a shift and an or.
    total = 0
    for part in subformulas(formula):
        match part:
            case Atom() | Constant():
                pass
            case Eventually(lo, hi, _):
                total += 2 + 2 * _doublings(hi - lo + 1)
            case Always(lo, hi, _):
                total += 4 + 2 * _doublings(hi - lo + 1)
            case Until(radius, _, _) | Since(radius, _, _):
                total += 1 + 5 * _doublings(radius + 1)
            case _:
                total += 1
    return total


def _doublings(width: int) -> int:
    return (width - 1).bit_length()
