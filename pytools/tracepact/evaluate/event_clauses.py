"""Event clauses on a family: joined runs, matches, obligations, counts and violations (chapters 9, 10)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracepact.data.family import Family, RunColumns, Side, run_columns
from tracepact.declarations import dataclass, renamed
from tracepact.diagnostics.findings import Span
from tracepact.evaluate.masks import Pair, choose, is_ignored, matching, obligated_run
from tracepact.evaluate.predicates import (
    ClipScene,
    Obligation,
    PreparedAtom,
    PreparedComparison,
    Value,
    constant,
    failing_part,
    prepare,
    shortfall,
)
from tracepact.language import predicate
from tracepact.language.contract import Contract, EventClause, Matcher
from tracepact.language.formula import And, Atom, Constant, Formula, FrameRun, Iff, Implies, Not, Or, folded, join_runs

# All runs of a family in columns: matches, obligations, and predicates whose attributes are whole numbers, at once.

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]
_ROOM = 1 << 62
"""Numbers below this can be added once without leaving 63 bits."""
_NONE = -1


def match_columns(refs: RunColumns, preds: RunColumns, matcher: Matcher, step: Fraction) -> tuple[Indices, Indices]:
    """The matched pairs of all segments by index, sorted by reference (chapter 8)."""
    # Runs of a side are sorted and disjoint, so those that overlap one run are consecutive: two searches find them for
    # all runs at once, and no pair that shares no frame is ever made.
    first, last = refs.overlapping(preds)
    count = last - first
    ref = np.repeat(np.arange(len(refs.segment)), count)
    pred = np.arange(len(ref)) + np.repeat(first - (np.cumsum(count) - count), count)
    onset = np.abs(refs.start[ref] - preds.start[pred])
    offset = np.abs(refs.end[ref] - preds.end[pred])
    search = matcher.search // step
    # A search of any length may be written; a machine word holds it once it is cut at what no difference of frames
    # reaches.
    near = np.minimum(onset, offset) <= min(search, _ROOM)
    ref, pred, onset, offset = ref[near], pred[near], onset[near], offset[near]
    # Most candidates of real detectors compete with no other one. Only the rest is worth a matcher in Python, with
    # costs in whole numbers of any size.
    alone = is_alone(ref, pred)
    rest = np.flatnonzero(~alone)
    overlap = np.minimum(refs.end[ref], preds.end[pred]) - np.maximum(refs.start[ref], preds.start[pred])
    reward, scale = matcher.overlap_reward.as_integer_ratio()
    contested = [
        (scale * apart - reward * shared, i, j)
        for apart, shared, i, j in zip(
            *(column[rest].tolist() for column in (onset + offset, overlap, ref, pred)), strict=True
        )
    ]
    chosen = np.array(choose(matcher.kind, contested), dtype=np.int64).reshape(-1, 2)
    pairs = np.concatenate([np.stack([ref[alone], pred[alone]], axis=1), chosen])
    pairs = pairs[np.argsort(pairs[:, 0])]
    return pairs[:, 0], pairs[:, 1]


def is_alone(ref: Indices, pred: Indices) -> Flags:
    """Which candidates share no end with another one: every matcher takes them."""
    if not len(ref):
        return np.zeros(0, dtype=np.bool_)
    alone: Flags = (np.bincount(ref)[ref] == 1) & (np.bincount(pred)[pred] == 1)
    return alone


@dataclass(frozen=True, slots=True, eq=False)
class Obligations:
    """The obligations of one kind: reference and prediction of each by index, -1 where one is missing.

    `one` makes one of them, for attributes that are asked about singly.
    """

    refs: RunColumns
    preds: RunColumns
    ref: Indices
    pred: Indices
    one: Callable[[int], Obligation]

    def __len__(self) -> int:
        return len(self.ref)


def obligation_indices(
    each: predicate.Each, refs: RunColumns, preds: RunColumns, pairs: tuple[Indices, Indices]
) -> tuple[Indices, Indices]:
    """Reference and prediction of each obligation, before any is ignored (rule 9.1)."""
    match each:
        case predicate.Each.REF:
            partner = np.full(len(refs.segment), _NONE)
            partner[pairs[0]] = pairs[1]
            return np.arange(len(refs.segment)), partner
        case predicate.Each.PRED:
            partner = np.full(len(preds.segment), _NONE)
            partner[pairs[1]] = pairs[0]
            return partner, np.arange(len(preds.segment))
        case predicate.Each.MATCHED:
            return pairs


def truth_column(formula: Formula, event_atoms: Mapping[str, PreparedAtom], some: Obligations, step: Fraction) -> Flags:
    """Which obligations make a predicate true (rules 4.1, 4.12 and 9.2)."""

    def leaf(part: Formula) -> Flags:
        match part:
            case Atom(name):
                return _atom_column(event_atoms[name], some, step)
            case Constant(value):
                return np.full(len(some), value)
        raise TypeError(f"an event predicate has no modalities, found {part}")

    return folded(formula, leaf, _JOINS)


# Of truth values, `<=` is the implication and `==` the equivalence.
_JOINS: Mapping[type[Formula], Callable[..., Flags]] = {
    Not: np.logical_not,
    And: np.logical_and,
    Or: np.logical_or,
    Implies: np.less_equal,
    Iff: np.equal,
}


def _atom_column(atom: PreparedAtom, some: Obligations, step: Fraction) -> Flags:
    if isinstance(atom, PreparedComparison):
        comparison = atom.comparison
        sides = [_Column(some, step, atom.scale).of(term) for term in (comparison.left, comparison.right)]
        # Whole numbers in columns where they surely fit; else each obligation by itself with Python's integers and
        # fractions, which is slow and never wrong.
        if all(column is not None for column, _ in sides):
            present = np.ones(len(some), dtype=np.bool_)
            if atom.needs_ref:
                present &= some.ref >= 0
            if atom.needs_pred:
                present &= some.pred >= 0
            return present & np.asarray(atom.holds(sides[0][0], sides[1][0]), dtype=np.bool_)
    elif atom.name in _TRUTHS:
        return _TRUTHS[atom.name](some)
    return np.fromiter((atom.truth(some.one(k)) for k in range(len(some))), np.bool_, len(some))


Whole = Indices | int | None
"""A value for every obligation, one for all of them, or None where it is not a whole number."""


@dataclass(frozen=True, slots=True)
class _Column:
    """Terms over some obligations, times in frames, times a scale; with a bound on all values on the way."""

    some: Obligations
    step: Fraction
    scale: int

    # The bound goes along with the values: a sum that could leave 63 bits is refused before it is made, since NumPy
    # would wrap around in silence.
    def of(self, term: predicate.Term) -> tuple[Whole, int]:
        """The column of a term and how large its numbers can become; where a partner is missing it means nothing."""
        match term:
            case predicate.ConstantTerm():
                value = self.scale * constant(term, self.step)
                is_whole = value.denominator == 1 and abs(value) < _ROOM
                return (value.numerator, abs(value.numerator)) if is_whole else (None, 0)
            case predicate.Attribute():
                values = self._attribute(term)
                if values is None:
                    return None, 0
                bound = self.scale * max(int(np.abs(values).max(initial=0)), 1)
                return (values * self.scale if bound < _ROOM else None), bound
            case predicate.TermSum(a, b):
                return self._both(np.add, a, b)
            case predicate.TermDifference(a, b):
                return self._both(np.subtract, a, b)
            case predicate.Scaled(factor, body):
                scaled = self.scale * factor
                column, bound = _Column(self.some, self.step, 1).of(body)
                bound = max(bound, 1) * abs(scaled.numerator)
                if column is None or scaled.denominator != 1 or bound >= _ROOM:
                    return None, 0
                return column * scaled.numerator, bound
            case predicate.Absolute(body):
                column, bound = self.of(body)
                return (None if column is None else np.abs(column)), bound
            case predicate.Minimum(arguments):
                return self._fold(np.minimum, arguments)
            case predicate.Maximum(arguments):
                return self._fold(np.maximum, arguments)

    def _both(self, combine: "np.ufunc", a: predicate.Term, b: predicate.Term) -> tuple[Whole, int]:
        (left, left_bound), (right, right_bound) = self.of(a), self.of(b)
        bound = left_bound + right_bound
        return (None if left is None or right is None or bound >= _ROOM else combine(left, right)), bound

    def _fold(self, combine: "np.ufunc", arguments: tuple[predicate.Term, ...]) -> tuple[Whole, int]:
        first, *rest = [self.of(argument) for argument in arguments]
        whole, bound = first
        for column, other in rest:
            whole, bound = None if whole is None or column is None else combine(whole, column), max(bound, other)
        return whole, bound

    def _attribute(self, attribute: predicate.Attribute) -> Indices | None:
        """The values of an attribute; None where it has no column, or where one of its sides has no run at all."""
        refs, preds = self.some.refs, self.some.preds
        if attribute.owner is predicate.Owner.PAIR:
            of_pair = _OF_PAIR.get(attribute.name)
            return of_pair(self.some) if of_pair and len(refs.segment) and len(preds.segment) else None
        own, others, index = (
            (refs, preds, self.some.ref) if attribute.owner is predicate.Owner.REF else (preds, refs, self.some.pred)
        )
        of_interval = _OF_INTERVAL.get(attribute.name)
        return of_interval(own, others)[index] if of_interval and len(own.segment) else None


def _overlap(some: Obligations) -> Indices:
    ends = np.minimum(some.refs.end[some.ref], some.preds.end[some.pred])
    shared: Indices = ends - np.maximum(some.refs.start[some.ref], some.preds.start[some.pred])
    return np.maximum(shared, 0)


def _covering(side: RunColumns, others: RunColumns) -> Indices:
    first, last = side.overlapping(others)
    return last - first


_OF_INTERVAL: Mapping[str, Callable[[RunColumns, RunColumns], Indices]] = {
    "onset": lambda side, others: side.start,
    "offset": lambda side, others: side.end,
    "duration": lambda side, others: side.end - side.start,
    "covering": _covering,
}
"""Attributes of all runs of one side, given those of the other; the rest is asked about one obligation at a time."""

_OF_PAIR: Mapping[str, Callable[[Obligations], Indices]] = {"overlap": _overlap}
_TRUTHS: Mapping[str, Callable[[Obligations], Flags]] = {"matched": lambda some: (some.ref >= 0) & (some.pred >= 0)}


_NO_RUNS: tuple[FrameRun, ...] = ()


class Match(NamedTuple):
    """A matched pair of joined runs, in frames of its segment."""

    segment: int
    ref: FrameRun
    pred: FrameRun


@dataclass(frozen=True, slots=True)
class FailedComparison:
    """The sides of a comparison that failed and how far it is from holding, in seconds if they are times."""

    left: Value
    right: Value
    amount: Value
    quantity: predicate.TermType


@dataclass(frozen=True, slots=True)
class EventViolation:
    """A violated obligation: the interval (of a pair, the reference run), its partner, the part that failed.

    `comparison` is None when the failing part is not a comparison or mentions a partner that is missing.
    """

    segment: int
    interval: FrameRun
    partner: FrameRun | None
    span: Span
    comparison: FailedComparison | None


@dataclass(frozen=True, eq=False)
class EventClauseEvaluation:
    """The counts of one event clause by segment, and its violated obligations, found when asked for."""

    clause: EventClause
    satisfied: NDArray[np.int64]
    obligated: NDArray[np.int64]
    event_atoms: Mapping[str, PreparedAtom]
    find_violated: Callable[[], Iterable[tuple[int, Obligation]]]

    @cached_property
    def violated(self) -> tuple[tuple[int, Obligation], ...]:
        """The violated obligations with their segments, in order of segment and time."""
        return tuple(self.find_violated())

    @cached_property
    def violations(self) -> tuple[EventViolation, ...]:
        """Every violated obligation with the part that failed, in order of segment and time; made when asked for."""
        return tuple(self._violation(segment, obligation) for segment, obligation in self.violated)

    witnesses = renamed("witnesses", "violations")

    def _violation(self, segment: int, obligation: Obligation) -> EventViolation:
        interval = obligated_run(self.clause.each, obligation)
        partner = obligation.ref if self.clause.each is predicate.Each.PRED else obligation.pred
        part = failing_part(self.clause.body, self.event_atoms, obligation)
        comparison = None
        if isinstance(part.formula, Atom):
            comparison = _failed_comparison(self.event_atoms[part.formula.name], obligation)
        return EventViolation(segment, interval, partner, part.span, comparison)


@dataclass(frozen=True, eq=False)
class EventEvaluation:
    """All event clauses of a contract on one family.

    `counter_evidence` tells, by segment, whether a run that is not ignored exists on either side (rule 7.4);
    `matched_segments` has the segment of each matched pair.
    """

    matcher: Matcher
    refs: Mapping[int, tuple[FrameRun, ...]]
    preds: Mapping[int, tuple[FrameRun, ...]]
    clauses: tuple[EventClauseEvaluation, ...]
    counter_evidence: NDArray[np.bool_]
    matched_segments: NDArray[np.int64]
    find_matches: Callable[[], Iterable[Match]]

    @cached_property
    def matches(self) -> tuple[Match, ...]:
        """The matched pairs in order of segment and time, put together when asked for."""
        return tuple(self.find_matches())

    def pooled(self, clause: EventClauseEvaluation) -> Fraction:
        """The pooled score of a clause (rules 7.2 and 7.4)."""
        obligated = int(clause.obligated.sum())
        if obligated:
            return Fraction(int(clause.satisfied.sum()), obligated)
        return Fraction(0) if self.counter_evidence.any() else Fraction(1)


class MatchedScene(NamedTuple):
    """A clip and class with a run on either side: its joined runs, the matched pairs, its ignored frames."""

    segment: int
    scene: ClipScene
    pairs: tuple[Pair, ...]
    ignored: Sequence[FrameRun]


def matched_scenes(contract: Contract, family: Family) -> Iterator[MatchedScene]:
    """Match the joined runs of every clip and class, by segment."""
    match_runs = matching(contract.matcher, family.step)
    refs = _joined(family, Side.REF, contract.merge_gap)
    preds = _joined(family, Side.PRED, contract.merge_gap)
    compares_classes = any(clause.compares_classes for clause in contract.event_clauses)
    for segment in sorted(refs.keys() | preds.keys()):
        others = _refs_of_other_classes(family, refs, segment) if compares_classes else ()
        scene = ClipScene(refs.get(segment, _NO_RUNS), preds.get(segment, _NO_RUNS), others)
        pairs = match_runs(scene.refs, scene.preds) if scene.refs and scene.preds else ()
        yield MatchedScene(segment, scene, pairs, family.ignored.get(segment, _NO_RUNS))


def evaluate_events(contract: Contract, family: Family, matcher: Matcher | None = None) -> EventEvaluation:
    """Match the joined runs of every clip and class and judge every obligation of every event clause."""
    matcher = matcher or contract.matcher
    matched = _MatchedRuns(contract, family, matcher)
    return EventEvaluation(
        matcher,
        matched.runs[Side.REF],
        matched.runs[Side.PRED],
        tuple(matched.judge(clause) for clause in contract.event_clauses),
        matched.counter_evidence(),
        matched.matched_segments,
        matched.matches,
    )


class _MatchedRuns:
    """All runs of a family and their matched pairs; judges event clauses on them."""

    def __init__(self, contract: Contract, family: Family, matcher: Matcher) -> None:
        self._family = family
        self.runs = {side: run_columns(_joined(family, side, contract.merge_gap)) for side in Side}
        self._pairs = match_columns(self.runs[Side.REF], self.runs[Side.PRED], matcher, family.step)
        self.matched_segments = self.runs[Side.REF].segment[self._pairs[0]]
        self._ignored = {side: self._ignored_runs(side) for side in Side}
        self._compares_classes = any(clause.compares_classes for clause in contract.event_clauses)
        self._scenes: dict[int, ClipScene] = {}

    def matches(self) -> Iterator[Match]:
        """The matched pairs, by segment and time."""
        refs, preds = self.runs[Side.REF].runs, self.runs[Side.PRED].runs
        columns = (column.tolist() for column in (self.matched_segments, *self._pairs))
        return (Match(segment, refs[i], preds[j]) for segment, i, j in zip(*columns, strict=True))

    def counter_evidence(self) -> Flags:
        """By segment, whether it has a run that is not ignored."""
        evidence = np.zeros(self._family.segments, dtype=np.bool_)
        for side in Side:
            evidence[self.runs[side].segment[~self._ignored[side]]] = True
        return evidence

    def judge(self, clause: EventClause) -> EventClauseEvaluation:
        """Ask the clause's predicate about every obligation that is not ignored (rule 9.1)."""
        side = Side.PRED if clause.each is predicate.Each.PRED else Side.REF
        refs, preds = self.runs[Side.REF], self.runs[Side.PRED]
        ref, pred = obligation_indices(clause.each, refs, preds, self._pairs)
        owner = pred if side is Side.PRED else ref
        kept = ~self._ignored[side][owner]
        ref, pred, segment = ref[kept], pred[kept], self.runs[side].segment[owner[kept]]

        def one(number: int) -> Obligation:
            i, j = int(ref[number]), int(pred[number])
            return Obligation(
                refs.runs[i] if i >= 0 else None,
                preds.runs[j] if j >= 0 else None,
                self._scene(int(segment[number])),
            )

        event_atoms = {name: prepare(atom, self._family.step) for name, atom in clause.event_atoms}
        obliged = Obligations(refs, preds, ref, pred, one)
        failed = np.flatnonzero(~truth_column(clause.formula, event_atoms, obliged, self._family.step))
        obligated, unmet = (
            np.bincount(some, minlength=self._family.segments).astype(np.int64) for some in (segment, segment[failed])
        )
        return EventClauseEvaluation(
            clause,
            obligated - unmet,
            obligated,
            event_atoms,
            lambda: ((int(segment[number]), one(number)) for number in failed.tolist()),
        )

    def _scene(self, segment: int) -> ClipScene:
        if segment not in self._scenes:
            refs, preds = self.runs[Side.REF], self.runs[Side.PRED]
            others = _refs_of_other_classes(self._family, refs, segment) if self._compares_classes else ()
            self._scenes[segment] = ClipScene(refs.get(segment, _NO_RUNS), preds.get(segment, _NO_RUNS), others)
        return self._scenes[segment]

    def _ignored_runs(self, side: Side) -> Flags:
        columns, regions = self.runs[side], self._family.ignored
        ignored = np.zeros(len(columns.segment), dtype=np.bool_)
        for number in np.flatnonzero(np.isin(columns.segment, list(regions))).tolist() if regions else ():
            ignored[number] = is_ignored(columns.runs[number], regions[int(columns.segment[number])])
        return ignored


def _failed_comparison(atom: PreparedAtom, obligation: Obligation) -> FailedComparison | None:
    if not isinstance(atom, PreparedComparison) or atom.is_missing(obligation):
        return None
    left, right = atom.sides(obligation)
    comparison = atom.comparison
    return FailedComparison(left, right, shortfall(comparison.relation, left, right), comparison.quantity)


def _joined(family: Family, side: Side, merge_gap: Fraction) -> Mapping[int, tuple[FrameRun, ...]]:
    """The joined runs of one side by segment (rule 5.8); segments without a run are left out."""
    if merge_gap < family.step:
        return run_columns(family.runs[side])
    return {segment: join_runs(runs, merge_gap, family.step) for segment, runs in family.runs[side].items() if runs}


def _refs_of_other_classes(
    family: Family, refs: Mapping[int, tuple[FrameRun, ...]], segment: int
) -> tuple[tuple[FrameRun, ...], ...]:
    """The joined reference runs of each other class in the clip of a segment."""
    clip = segment % len(family.clips)
    others = (family.segment(label, clip) for label in range(len(family.classes)))
    return tuple(refs[other] for other in others if other != segment and other in refs)
