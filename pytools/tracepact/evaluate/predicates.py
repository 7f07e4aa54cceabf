"""Predicates as functions of an obligation: attributes, terms, event atoms (chapter 4)."""

import operator
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import total_ordering
from itertools import pairwise
from math import lcm
from operator import itemgetter
from typing import Any, NamedTuple, cast

from tracepact.declarations import dataclass
from tracepact.language import predicate
from tracepact.language.contract import Located
from tracepact.language.formula import And, Atom, Constant, Formula, FrameRun, Iff, Implies, Not, Or, folded
from tracepact.language.predicate import attributes, subterms

# The attributes of an obligated interval (chapter 4): times in frames, ratios as exact fractions.

_start = itemgetter(0)
_end = itemgetter(1)


@total_ordering
class Unbounded:
    """The shortest gap where there is none: greater than every time, equal only to itself (rule 4.9)."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unbounded)

    def __lt__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return hash(Unbounded)

    def __repr__(self) -> str:
        return "UNBOUNDED"


UNBOUNDED = Unbounded()

Exact = int | Fraction
Value = Exact | Unbounded


class RunBlock(tuple[int, int]):
    """Consecutive runs of one side as one, from the first frame to the last: what attributes need of them.

    It stands for its runs where an interval holds them all. `frames` are those of the runs, `longest` and `shortest`
    the gaps between them.
    """

    runs: int
    frames: int
    longest: int
    shortest: int

    @classmethod
    def of(cls, start: int, end: int, runs: int, frames: int, longest: int, shortest: int) -> "RunBlock":
        """A block of at least two runs."""
        block = cls((start, end))
        block.runs, block.frames, block.longest, block.shortest = runs, frames, longest, shortest
        return block

    @classmethod
    def joining(cls, earlier: FrameRun, later: FrameRun) -> "RunBlock":
        """Two runs or blocks, one after the other, as one block."""
        both = earlier, later
        between = [later[0] - earlier[1]]
        between += (gap for block in both if isinstance(block, RunBlock) for gap in (block.longest, block.shortest))
        runs, frames = (sum(measure(run) for run in both) for measure in (_runs_in, _frames_in))
        return cls.of(earlier[0], later[1], runs, frames, max(between), min(between))

    @property
    def numbers(self) -> tuple[int, int, int, int, int, int]:
        """All that `of` takes."""
        return *self, self.runs, self.frames, self.longest, self.shortest


def _runs_in(run: FrameRun) -> int:
    return run.runs if isinstance(run, RunBlock) else 1


def _frames_in(run: FrameRun) -> int:
    return run.frames if isinstance(run, RunBlock) else run[1] - run[0]


class ClipScene(NamedTuple):
    """The joined runs of one clip and class, and the references of the other classes in that clip."""

    refs: tuple[FrameRun, ...]
    preds: tuple[FrameRun, ...]
    refs_of_other_classes: tuple[tuple[FrameRun, ...], ...] = ()


class Obligation(NamedTuple):
    """An obligated interval and its partner, by side; the one that is missing is None."""

    ref: FrameRun | None
    pred: FrameRun | None
    scene: ClipScene


def value_of(attribute: predicate.Attribute) -> Callable[[Obligation], Value]:
    """The value of an attribute that is not a truth value; its owner is there."""
    match attribute.owner:
        case predicate.Owner.PAIR:
            of_pair = _OF_PAIR[attribute.name]
            return lambda o: of_pair(_there(o.ref), _there(o.pred))
        case predicate.Owner.REF:
            of_ref = _OF_INTERVAL[attribute.name]
            return lambda o: of_ref(_there(o.ref), o.scene.preds)
        case predicate.Owner.PRED:
            of_pred = _OF_INTERVAL[attribute.name]
            return lambda o: of_pred(_there(o.pred), o.scene.refs)


def truth_of(attribute: predicate.Attribute) -> Callable[[Obligation], bool]:
    """A truth-valued attribute; false when its owner is missing (rule 4.12)."""
    return _TRUTHS[attribute.name]


def _there(run: FrameRun | None) -> FrameRun:
    assert run is not None
    return run


def onset(run: FrameRun, _: Sequence[FrameRun] = ()) -> int:
    """The first frame (rule 4.5)."""
    return run[0]


def offset(run: FrameRun, _: Sequence[FrameRun] = ()) -> int:
    """The frame after the last (rule 4.5)."""
    return run[1]


def duration(run: FrameRun, _: Sequence[FrameRun] = ()) -> int:
    """The number of frames (rule 4.5)."""
    return run[1] - run[0]


def overlap(a: FrameRun, b: FrameRun) -> int:
    """The number of frames in both (rule 4.7)."""
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))


def iou(a: FrameRun, b: FrameRun) -> Fraction:
    """The frames in both over the frames in either (rule 4.7)."""
    shared = overlap(a, b)
    return Fraction(shared, duration(a) + duration(b) - shared)


def overlapping(run: FrameRun, others: Sequence[FrameRun]) -> Sequence[FrameRun]:
    """Those of the other runs, sorted and disjoint, that share a frame with this one."""
    # Both ends ascend, since the runs are sorted and disjoint: a clip with thousands of runs costs two searches.
    return others[bisect_right(others, run[0], key=_end) : bisect_left(others, run[1], key=_start)]


def covering(run: FrameRun, others: Sequence[FrameRun]) -> int:
    """How many of the other runs share a frame with this one (rule 4.8)."""
    return sum(map(_runs_in, overlapping(run, others)))


def covered(run: FrameRun, others: Sequence[FrameRun]) -> int:
    """How many frames of this run the other runs cover."""
    sharing = overlapping(run, others)
    return sum(other.frames if isinstance(other, RunBlock) else overlap(run, other) for other in sharing)


def coverage(run: FrameRun, others: Sequence[FrameRun]) -> Fraction:
    """The share of this run that the other runs cover (rule 4.8)."""
    return Fraction(covered(run, others), duration(run))


def gaps(ref: FrameRun, preds: Sequence[FrameRun]) -> list[int]:
    """The silences between consecutive predicted runs that both overlap the reference (rule 4.9).

    Of those inside a block, the longest and the shortest.
    """
    inside = overlapping(ref, preds)
    silences = [later[0] - earlier[1] for earlier, later in pairwise(inside)]
    for block in inside:
        if isinstance(block, RunBlock):
            silences += [block.longest, block.shortest]
    return silences


def longest_gap(ref: FrameRun, preds: Sequence[FrameRun]) -> int:
    """The longest gap; 0 without one."""
    return max(gaps(ref, preds), default=0)


def shortest_gap(ref: FrameRun, preds: Sequence[FrameRun]) -> int | Unbounded:
    """The shortest gap; unbounded without one."""
    silences = gaps(ref, preds)
    return min(silences) if silences else UNBOUNDED


def purity(pred: FrameRun, refs: Sequence[FrameRun]) -> Fraction:
    """The share of a predicted run that references of its own class cover (rule 4.10)."""
    return coverage(pred, refs)


def matched(obligation: Obligation) -> bool:
    """Whether there is a partner (rule 4.6)."""
    return obligation.ref is not None and obligation.pred is not None


def dominant(pred: FrameRun, refs: Sequence[FrameRun], refs_of_other_classes: Sequence[Sequence[FrameRun]]) -> bool:
    """Whether its own class covers more of a predicted run than each other class does (rule 4.10)."""
    own = covered(pred, refs)
    return own > 0 and all(own > covered(pred, others) for others in refs_of_other_classes)


_OF_INTERVAL: Mapping[str, Callable[[FrameRun, Sequence[FrameRun]], Value]] = {
    "onset": onset,
    "offset": offset,
    "duration": duration,
    "covering": covering,
    "coverage": coverage,
    "longest_gap": longest_gap,
    "shortest_gap": shortest_gap,
    "purity": purity,
}
"""Attributes of an interval, given the runs of the other side."""

_OF_PAIR: Mapping[str, Callable[[FrameRun, FrameRun], Exact]] = {"overlap": overlap, "iou": iou}
_TRUTHS: Mapping[str, Callable[[Obligation], bool]] = {
    "matched": matched,
    "dominant": lambda o: o.pred is not None and dominant(o.pred, o.scene.refs, o.scene.refs_of_other_classes),
}


# Terms as functions of an obligation, in whole numbers where the constants allow it (rules 4.2 to 4.10).


def denominators(term: predicate.Term, step: Fraction) -> Iterator[int]:
    """The denominators of the constants of a term, times in frames."""
    for part in subterms(term):
        if isinstance(part, predicate.ConstantTerm):
            yield constant(part, step).denominator
        elif isinstance(part, predicate.Scaled):
            yield part.factor.denominator


def side(term: predicate.Term, step: Fraction, scale: int) -> Callable[[Obligation], Value]:
    """A side of a comparison times `scale`: what may be unbounded alone, or a term (rule 4.9)."""
    match term:
        case predicate.Attribute() if term.kind.may_be_unbounded:
            value = value_of(term)
            return lambda o: times(scale, value(o))
        case _:
            return _term(term, step, scale)


def _term(term: predicate.Term, step: Fraction, scale: int) -> Callable[[Obligation], Exact]:
    """The value of a term, times in frames, times `scale`, which is positive."""
    match term:
        case predicate.ConstantTerm():
            number = _whole(scale * constant(term, step))
            return lambda _: number
        case predicate.Attribute() if term.kind.may_be_unbounded:
            raise ValueError(f"`{term.name}` may be unbounded and cannot be inside a term")
        case predicate.Attribute():
            value = cast("Callable[[Obligation], Exact]", value_of(term))
            return value if scale == 1 else lambda o: scale * value(o)
        case predicate.TermSum(a, b):
            left, right = _term(a, step, scale), _term(b, step, scale)
            return lambda o: left(o) + right(o)
        case predicate.TermDifference(a, b):
            left, right = _term(a, step, scale), _term(b, step, scale)
            return lambda o: left(o) - right(o)
        case predicate.Scaled(factor, body):
            scaled_factor, inner = _whole(scale * factor), _term(body, step, 1)
            return lambda o: scaled_factor * inner(o)
        case predicate.Absolute(body):
            inner = _term(body, step, scale)
            return lambda o: absolute(inner(o))
        case predicate.Minimum(arguments):
            values = [_term(argument, step, scale) for argument in arguments]
            return lambda o: min(value(o) for value in values)
        case predicate.Maximum(arguments):
            values = [_term(argument, step, scale) for argument in arguments]
            return lambda o: max(value(o) for value in values)


def constant(number: predicate.ConstantTerm, step: Fraction) -> Fraction:
    """A number of a term; a time in frames."""
    return number.value / step if number.quantity is predicate.TermType.TIME else number.value


def absolute(value: Exact) -> Exact:
    """The absolute value, with its type kept."""
    return -value if value < 0 else value


def _whole(value: Fraction) -> Exact:
    """The same number, as an integer where it is one: integers are compared faster."""
    return value.numerator if value.denominator == 1 else value


def times(factor: Exact, value: Value) -> Value:
    """The product; what is unbounded stays so."""
    return value if isinstance(value, Unbounded) else factor * value


# Predicates as functions of an obligation: event atoms, missing partners, the failing part (chapter 4).

RELATIONS: dict[predicate.Relation, Callable[[Any, Any], bool]] = {
    predicate.Relation.LE: operator.le,
    predicate.Relation.LT: operator.lt,
    predicate.Relation.GE: operator.ge,
    predicate.Relation.GT: operator.gt,
    predicate.Relation.EQ: operator.eq,
    predicate.Relation.NE: operator.ne,
}
"""What each comparison asks, of numbers and of Z3's terms alike."""


@dataclass(frozen=True, slots=True)
class PreparedComparison:
    """A comparison whose sides, times in frames, are multiplied by the common denominator of its constants.

    A side times `unit` is its value in seconds or plain numbers; it exists when nothing is missing.
    """

    comparison: predicate.TermComparison
    scale: int
    unit: Fraction
    # Asked for every obligation; the set of owners is looked at once, when the comparison is prepared.
    needs_ref: bool
    needs_pred: bool
    holds: Callable[[Any, Any], bool]
    left: Callable[[Obligation], Value]
    right: Callable[[Obligation], Value]

    def is_missing(self, obligation: Obligation) -> bool:
        """Whether it mentions an attribute of a partner that is not there (rule 4.12)."""
        return (self.needs_ref and obligation.ref is None) or (self.needs_pred and obligation.pred is None)

    def truth(self, obligation: Obligation) -> bool:
        """Whether the relation holds; false when a mentioned partner is missing."""
        ref, pred, _ = obligation
        if (ref is None and self.needs_ref) or (pred is None and self.needs_pred):
            return False
        return self.holds(self.left(obligation), self.right(obligation))

    def sides(self, obligation: Obligation) -> tuple[Value, Value]:
        """Both sides in seconds if they are times, else as plain numbers."""
        return times(self.unit, self.left(obligation)), times(self.unit, self.right(obligation))


@dataclass(frozen=True, slots=True)
class PreparedFlag:
    """A truth-valued attribute; false when its owner is missing."""

    name: str
    truth: Callable[[Obligation], bool]


PreparedAtom = PreparedComparison | PreparedFlag


def prepare(atom: predicate.EventAtom, step: Fraction) -> PreparedAtom:
    """An event atom ready to be asked about obligations on a grid of this step."""
    match atom:
        case predicate.Flag(attribute):
            return PreparedFlag(attribute.name, truth_of(attribute))
        case predicate.TermComparison(relation, left, right, quantity):
            owners = {attribute.owner for attribute in attributes(atom)}
            # Multiplied by the common denominator both sides are whole wherever their attributes are: integers compare
            # several times faster than fractions, and in columns at all.
            scale = lcm(*denominators(left, step), *denominators(right, step))
            return PreparedComparison(
                atom,
                scale,
                (step if quantity is predicate.TermType.TIME else Fraction(1)) / scale,
                needs_ref=not owners.isdisjoint({predicate.Owner.REF, predicate.Owner.PAIR}),
                needs_pred=not owners.isdisjoint({predicate.Owner.PRED, predicate.Owner.PAIR}),
                holds=RELATIONS[relation],
                left=side(left, step, scale),
                right=side(right, step, scale),
            )


def truth(formula: Formula, event_atoms: Mapping[str, PreparedAtom]) -> Callable[[Obligation], bool]:
    """A predicate as a function of an obligation (rules 4.1 and 9.2)."""

    def leaf(part: Formula) -> Callable[[Obligation], bool]:
        match part:
            case Atom(name):
                return event_atoms[name].truth
            case Constant(value):
                return lambda _: value
        raise TypeError(f"an event predicate has no modalities, found {part}")

    return folded(formula, leaf, _JOINS)


_JOINS: Mapping[type[Formula], Callable[..., Callable[[Obligation], bool]]] = {
    Not: lambda inner: lambda o: not inner(o),
    And: lambda left, right: lambda o: left(o) and right(o),
    Or: lambda left, right: lambda o: left(o) or right(o),
    Implies: lambda left, right: lambda o: not left(o) or right(o),
    Iff: lambda left, right: lambda o: left(o) == right(o),
}


def failing_part(body: Located, event_atoms: Mapping[str, PreparedAtom], obligation: Obligation) -> Located:
    """The part to blame for a false predicate: of `and` the first false, of `implies` the right (10.1)."""
    match body.formula, body.parts:
        case And(), (left, right):
            blamed = right if truth(left.formula, event_atoms)(obligation) else left
            return failing_part(blamed, event_atoms, obligation)
        case Implies(), (_, right):
            return failing_part(right, event_atoms, obligation)
    return body


def shortfall(relation: predicate.Relation, left: Value, right: Value) -> Value:
    """How far a comparison that fails is from holding (rule 10.4); 0 where only a tie is in the way."""
    if left == right:
        return 0
    if isinstance(left, Unbounded) or isinstance(right, Unbounded):
        return UNBOUNDED
    match relation:
        case predicate.Relation.LE | predicate.Relation.LT:
            return left - right
        case predicate.Relation.GE | predicate.Relation.GT:
            return right - left
        case predicate.Relation.EQ | predicate.Relation.NE:
            return absolute(left - right)
