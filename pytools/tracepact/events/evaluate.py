"""Event clauses on a family: joined runs, matches, obligations, counts and violations (chapters 9, 10)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Atom, Contract, Each, EventClause, Matcher, Quantity
from tracepact.deprecation import renamed
from tracepact.diagnostics import Span
from tracepact.events.attributes import Obligation, Scene, Value
from tracepact.events.columns import Flags, Obligations, match_columns, obligation_indices, truth_column
from tracepact.events.matching import Pair, matching
from tracepact.events.obligations import is_ignored, obligated_run
from tracepact.events.predicate import PreparedAtom, PreparedComparison, failing_part, prepare, shortfall
from tracepact.frozen import dataclass
from tracepact.trace import Family, FrameRun, Side, join_runs
from tracepact.trace.run_columns import run_columns

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
    quantity: Quantity


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
        partner = obligation.ref if self.clause.each is Each.PRED else obligation.pred
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
    scene: Scene
    pairs: tuple[Pair, ...]
    ignored: Sequence[FrameRun]


def matched_scenes(contract: Contract, family: Family, matcher: Matcher | None = None) -> Iterator[MatchedScene]:
    """Match the joined runs of every clip and class, by segment."""
    match_runs = matching(matcher or contract.matcher, family.step)
    refs = _joined(family, Side.REF, contract.merge_gap)
    preds = _joined(family, Side.PRED, contract.merge_gap)
    compares_classes = any(clause.compares_classes for clause in contract.event_clauses)
    for segment in sorted(refs.keys() | preds.keys()):
        others = _refs_of_other_classes(family, refs, segment) if compares_classes else ()
        scene = Scene(refs.get(segment, _NO_RUNS), preds.get(segment, _NO_RUNS), others)
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
        self._scenes: dict[int, Scene] = {}

    def matches(self) -> Iterator[Match]:
        """The matched pairs, by segment and time."""
        refs, preds = self.runs[Side.REF].runs, self.runs[Side.PRED].runs
        columns = (column.tolist() for column in (self.matched_segments, *self._pairs))
        return (Match(segment, refs[i], preds[j]) for segment, i, j in zip(*columns, strict=True))

    def counter_evidence(self) -> Flags:
        """By segment, whether it has a run that is not ignored."""
        found = np.zeros(self._family.segments, dtype=np.bool_)
        for side in Side:
            found[self.runs[side].segment[~self._ignored[side]]] = True
        return found

    def judge(self, clause: EventClause) -> EventClauseEvaluation:
        """Ask the clause's predicate about every obligation that is not ignored (rule 9.1)."""
        side = Side.PRED if clause.each is Each.PRED else Side.REF
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

    def _scene(self, segment: int) -> Scene:
        if segment not in self._scenes:
            refs, preds = self.runs[Side.REF], self.runs[Side.PRED]
            others = _refs_of_other_classes(self._family, refs, segment) if self._compares_classes else ()
            self._scenes[segment] = Scene(refs.get(segment, _NO_RUNS), preds.get(segment, _NO_RUNS), others)
        return self._scenes[segment]

    def _ignored_runs(self, side: Side) -> Flags:
        columns, regions = self.runs[side], self._family.ignored
        found = np.zeros(len(columns.segment), dtype=np.bool_)
        for number in np.flatnonzero(np.isin(columns.segment, list(regions))).tolist() if regions else ():
            found[number] = is_ignored(columns.runs[number], regions[int(columns.segment[number])])
        return found


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
