"""The scorecard: a contract's counts on a family, its violations, and every view of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.data.family import Atoms, Family, Indices, Layout
from tracepact.declarations import renamed
from tracepact.diagnostics.collection import known_name, one_of
from tracepact.diagnostics.findings import Span
from tracepact.evaluate.curves import NO_WITNESS, distance_shape, nearest_offsets
from tracepact.evaluate.event_clauses import EventClauseEvaluation, EventEvaluation, evaluate_events
from tracepact.evaluate.masks import IntegerAlgebra, evaluate_masks, is_ignored
from tracepact.evaluate.scores import (
    ByClause,
    ClauseCounts,
    Score,
    aggregate,
    frame_counts,
    headline_mean,
    profile_mean,
    vector_mean,
)
from tracepact.language.compilation import at_sweep_point
from tracepact.language.contract import Aggregation, Contract, FrameClause, Located, Profile
from tracepact.language.formula import And, Formula, FrameRun, Implies
from tracepact.language.predicate import Each

# Violated frame obligations, in columns: where, which part failed, how far from holding (chapter 10).

Evaluate = Callable[[Sequence[Formula]], list[int]]


@dataclass(frozen=True, slots=True, eq=False)
class FrameViolations:
    """The violated obligations of one clause, ordered by segment and frame; `offset` is None without distances."""

    clause: FrameClause
    segment: Indices
    frame: Indices
    spans: tuple[Span, ...]
    span: Indices
    offset: Indices | None

    def __len__(self) -> int:
        return len(self.frame)

    def distance(self, index: int) -> int | None:
        """The distance to the nearest witness in frames; None if unbounded or without distances."""
        if self.offset is None or self.offset[index] == NO_WITNESS:
            return None
        return abs(int(self.offset[index]))

    @property
    def distances(self) -> Indices:
        """All distances, NO_WITNESS where there is no witness; empty for a clause without distances."""
        if self.offset is None:
            return np.zeros(0, dtype=np.int64)
        return np.where(self.offset == NO_WITNESS, NO_WITNESS, np.abs(self.offset))


def find_violations(
    clause: FrameClause, violated: int, layout: Layout, atoms: Atoms, evaluate: Evaluate
) -> FrameViolations:
    """The violated frames of a clause, each with the part that failed and its distance."""
    positions = layout.positions(violated)
    segment, frame = layout.locate(positions)
    spans: list[Span] = []
    blamed = np.zeros(len(positions), dtype=np.int64)
    for span, mask in blame(clause.body, violated, evaluate):
        if mask:
            blamed[np.searchsorted(positions, layout.positions(mask))] = len(spans)
            spans.append(span)
    shape = distance_shape(clause)
    offset = None
    if shape is not None:
        offset = nearest_offsets(layout, positions, layout.positions(atoms[shape.atom]), shape.lo, shape.hi)
    return FrameViolations(clause, segment, frame, tuple(spans), blamed, offset)


def blame(body: Located, violated: int, evaluate: Evaluate) -> Iterator[tuple[Span, int]]:
    """The failing parts and the frames each is to blame for (rule 10.1)."""
    match body.formula:
        case And():
            left, right = body.parts
            # The left part is blamed where it fails, whatever the right one does: each violated frame is blamed on one
            # part, and the shares add up.
            (holds,) = evaluate([left.formula])
            yield from blame(left, violated & ~holds, evaluate)
            yield from blame(right, violated & holds, evaluate)
        case Implies():
            yield from blame(body.parts[1], violated, evaluate)
        case _:
            yield body.span, violated


# The soft boundary score: how close the edges of both sides are, beside the vector (rule 7.9).


@dataclass(frozen=True, slots=True, eq=False)
class SoftCounts:
    """Sum of exp(-d/scale) and number of edges, by class and clip. The only floats of a scorecard."""

    closeness: NDArray[np.float64]
    edges: NDArray[np.int64]

    def mean(self, clips: NDArray[np.int64] | None = None, label: int | None = None) -> tuple[float, int]:
        """The mean closeness over some clips or one class, and the number of edges; 1 for none."""
        rows = slice(None) if label is None else slice(label, label + 1)
        columns = slice(None) if clips is None else clips
        edges = int(self.edges[rows][:, columns].sum())
        # `fsum` is exact before that one rounding (Shewchuk 1997).
        # Rounded once, so that the order of the clips does not show in the last digit.
        return (fsum(self.closeness[rows][:, columns].flat) / edges if edges else 1.0), edges


def soft_counts(family: Family, layout: Layout, atoms: Atoms, scale: Fraction) -> SoftCounts:
    """The soft boundary score of every clip and class."""
    closeness = np.zeros(layout.segments)
    edges = np.zeros(layout.segments, dtype=np.int64)
    frames_per_scale = float(scale / family.step)
    for kind in ("onset", "offset"):
        ref = layout.positions(atoms[f"ref_{kind}"])
        pred = layout.positions(atoms[f"pred_{kind}"])
        for some, others in ((ref, pred), (pred, ref)):
            offset = nearest_offsets(layout, some, others)
            near = np.exp(-np.abs(offset) / frames_per_scale)
            segment, _ = layout.locate(some)
            closeness += np.bincount(segment, np.where(offset == NO_WITNESS, 0.0, near), layout.segments)
            edges += np.bincount(segment, minlength=layout.segments)
    shape = len(family.classes), len(family.clips)
    return SoftCounts(closeness.reshape(shape), edges.reshape(shape))


# The scorecard: a contract's counts on a family, and every view of them: vectors, profiles, violations.


@dataclass(frozen=True, eq=False)
class Scorecard:
    """What a contract says of a family of clips and classes; scores are derived from the counts when asked for.

    Attributes:
        contract: the contract.
        family: the clips and classes with their runs of frames.
        counts: by clause, the satisfied and obligated counts of every class and clip.
        events: the matches and the evaluated event clauses.
        layout: where each clip and class is in the bitsets.
        atoms: the masks of the atoms.
        violated: by frame clause, the mask of the violated obligations.

    Examples:
        >>> import tracepact
        >>> clips = {"a": [(1, 2)], "b": []}
        >>> card = tracepact.score("boundary_gate", ref=clips, pred={"a": [], "b": []}, durations=3).card
        >>> card.score("onset_guard", tracepact.Aggregation.MACRO_CLIPS).value  # 0 in `a`, 1 in `b`: nothing is asked
        Fraction(1, 2)
        >>> card.score("onset_guard").value  # under the contract's aggregation what asks nothing counts for nothing
        Fraction(0, 1)
    """

    contract: Contract
    family: Family
    counts: Mapping[str, ClauseCounts]
    events: EventEvaluation
    layout: Layout
    atoms: Atoms
    violated: Mapping[str, int]
    _found: dict[str, FrameViolations] = field(default_factory=dict, init=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # All of it follows from these two, and it holds functions, which no pickle takes.
        return score_family, (self.contract, self.family)

    @cached_property
    def soft(self) -> SoftCounts:
        """The soft boundary score of every clip and class."""
        return soft_counts(self.family, self.layout, self.atoms, self.contract.soft_scale)

    def score(
        self,
        clause: str,
        aggregation: Aggregation | str | None = None,
        *,
        clips: Indices | None = None,
        label: int | None = None,
    ) -> Score:
        """The score of one clause.

        Args:
            clause: the name of the clause.
            aggregation: how clips and classes become one value; the contract's own by default.
            clips: the places of some clips in the family (see `clip_indices`); all by default.
            label: the place of one class in the family; all by default.

        Returns:
            The score with its counts.

        Raises:
            InvalidInput: the contract has no such clause, or there is no such aggregation.
        """
        counts = self.counts[known_name(clause, self.counts, "clause", "unknown-clause")]
        if clips is not None or label is not None:
            counts = counts.select(clips=clips, label=label)
        chosen = one_of(Aggregation, aggregation or self.contract.aggregation, "aggregation")
        return aggregate(counts, chosen)

    def vector(
        self,
        aggregation: Aggregation | str | None = None,
        *,
        clips: Indices | None = None,
        label: int | None = None,
    ) -> dict[str, Score]:
        """The score of every clause.

        Args:
            aggregation: how clips and classes become one value; the contract's own by default.
            clips: the positions of some clips (see `clip_indices`); all by default.
            label: the position of one class; all by default.

        Returns:
            The scores by clause, in source order.
        """
        names = [clause.name for clause in self.contract.clauses]
        return ByClause({name: self.score(name, aggregation, clips=clips, label=label) for name in names})

    def logic(self, aggregation: Aggregation | str | None = None, *, clips: Indices | None = None) -> Fraction:
        """The mean of the vector (rule 7.7).

        Args:
            aggregation: how clips and classes become one value; the contract's own by default.
            clips: the positions of some clips (see `clip_indices`); all by default.

        Returns:
            The mean, exact; a vacuous clause counts as 1.
        """
        return vector_mean(self.vector(aggregation, clips=clips).values())

    def headline(
        self, aggregation: Aggregation | str | None = None, *, clips: Indices | None = None
    ) -> Fraction | None:
        """The headline mean: the mean of the vector without its vacuous clauses (rule 16.13).

        Args:
            aggregation: how clips and classes become one value; the contract's own by default.
            clips: the positions of some clips (see `clip_indices`); all by default.

        Returns:
            The mean, exact; None where every clause is vacuous.
        """
        return headline_mean(self.vector(aggregation, clips=clips).values())

    def profile(self, profile: Profile | str, *, clips: Indices | None = None) -> Fraction:
        """The weighted mean of a risk profile (rule 7.8).

        Args:
            profile: one of the contract's `profiles`, or the name of one; it names its aggregation.
            clips: the positions of some clips (see `clip_indices`); all by default.

        Returns:
            The mean, exact.

        Raises:
            InvalidInput: the contract has no such profile, or the profile weighs a clause that it does not have.
        """
        if isinstance(profile, str):
            profiles = {one.name: one for one in self.contract.profiles}
            profile = profiles[known_name(profile, profiles, "profile", "unknown-profile")]
        scores = {name: self.score(name, profile.aggregation, clips=clips) for name, _ in profile.weights}
        return profile_mean(profile, scores)

    def frame_violations(self, clause: str) -> FrameViolations:
        """Every violated obligation of a frame clause; found when first asked for.

        Args:
            clause: the name of the frame clause.

        Returns:
            The violations in columns, by clip, class and frame.

        Raises:
            InvalidInput: the contract has no such frame clause.
        """
        if clause not in self._found:
            clauses = {c.name: c for c in self.contract.frame_clauses}
            frame_clause = clauses[known_name(clause, clauses, "frame clause", "unknown-clause")]
            violated = self.violated[clause]
            self._found[clause] = find_violations(frame_clause, violated, self.layout, self.atoms, self._evaluate)
        return self._found[clause]

    frame_witnesses = renamed("frame_witnesses", "frame_violations")

    def event_clause(self, clause: str) -> EventClauseEvaluation:
        """The evaluation of an event clause.

        Args:
            clause: the name of the event clause.

        Returns:
            Its counts and its violated obligations.

        Raises:
            InvalidInput: the contract has no such event clause.
        """
        clauses = {e.clause.name: e for e in self.events.clauses}
        return clauses[known_name(clause, clauses, "event clause", "unknown-clause")]

    def clip_indices(self, clips: Sequence[str]) -> Indices:
        """The positions of some clips, as the other methods take them.

        Args:
            clips: the names of the clips.

        Returns:
            Their positions, in the order of the names.

        Raises:
            InvalidInput: a clip was not scored.
        """
        index = {clip: i for i, clip in enumerate(self.family.clips)}
        return np.array([index[known_name(clip, index, "clip", "unknown-clip")] for clip in clips], dtype=np.int64)

    def _evaluate(self, formulas: Sequence[Formula]) -> list[int]:
        return evaluate_masks(formulas, self.atoms, IntegerAlgebra(self.layout.valid, self.layout.longest))


def obliged_frames(card: Scorecard) -> dict[str, int]:
    """The mask of the frames at which each frame clause obliges: those of its obligation that are not ignored."""
    clauses = card.contract.frame_clauses
    masks = card._evaluate([clause.obligation for clause in clauses])
    judged = card.layout.valid ^ card.atoms.ignored
    return {clause.name: mask & judged for clause, mask in zip(clauses, masks, strict=True)}


def obliged_intervals(card: Scorecard, each: Each) -> dict[int, list[FrameRun]]:
    """The intervals that clauses of a kind oblige about, by segment: those that are not ignored (rule 9.1)."""
    events, ignored = card.events, card.family.ignored
    runs: dict[int, Sequence[FrameRun]] = dict(events.preds if each is Each.PRED else events.refs)
    if each is Each.MATCHED:
        runs = {}
        for match in events.matches:
            runs[match.segment] = [*runs.get(match.segment, ()), match.ref]
    return {s: [run for run in some if not is_ignored(run, ignored.get(s, ()))] for s, some in runs.items()}


def score_family(contract: Contract, family: Family) -> Scorecard:
    """Evaluate every clause of a contract on every clip and class of a family, in one pass."""
    layout = family.layout(contract.reach)
    atoms = Atoms(family, layout)
    counts: dict[str, ClauseCounts] = {}
    violated: dict[str, int] = {}
    for clause, counted, failed in frame_counts(contract.frame_clauses, family, layout, atoms):
        counts[clause], violated[clause] = counted, failed
    events = evaluate_events(contract, family)
    counts |= _event_counts(events, family)
    in_order = {clause.name: counts[clause.name] for clause in contract.clauses}
    return Scorecard(contract, family, in_order, events, layout, atoms, violated)


def _event_counts(events: EventEvaluation, family: Family) -> dict[str, ClauseCounts]:
    """The counts of every event clause; where nothing is obliged, a run is counter evidence (rule 7.4)."""
    shape = len(family.classes), len(family.clips)
    counter = events.counter_evidence.reshape(shape)
    return {
        judged.clause.name: ClauseCounts(
            judged.satisfied.reshape(shape),
            judged.obligated.reshape(shape),
            counter & (judged.obligated.reshape(shape) == 0),
        )
        for judged in events.clauses
    }


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """The vector at one value of a swept parameter."""

    parameter: str
    value: str
    vector: Mapping[str, Score]


def sweep(card: Scorecard) -> list[SweepPoint]:
    """The vector at every declared value of every swept parameter (rule 3.5)."""
    aggregation = card.contract.aggregation
    return [
        SweepPoint(parameter, value, {name: aggregate(some, aggregation) for name, some in counts.items()})
        for parameter, value, counts in sweep_counts(card)
    ]


def sweep_counts(card: Scorecard) -> Iterator[tuple[str, str, dict[str, ClauseCounts]]]:
    """The counts of every clause at every declared value of every swept parameter.

    Clauses that a value leaves as they are keep their counts; only the others are evaluated.
    """
    family, before = card.family, card.contract
    swept = [
        (declared.parameter, value, at_sweep_point(before, declared.parameter, value))
        for declared in before.sweeps
        for value in declared.values
    ]
    # One layout for all values, with gaps for the widest window: the masks of the atoms are made once.
    layout = family.layout(max((contract.reach for _, _, contract in swept), default=0))
    atoms = Atoms(family, layout)
    for parameter, value, contract in swept:
        counts = dict(card.counts)
        # A swept parameter is mostly in one clause or two; equal clauses have equal counts, and are not evaluated
        # again.
        frames = [clause for clause in contract.frame_clauses if clause not in before.clauses]
        counts |= {name: counted for name, counted, _ in frame_counts(frames, family, layout, atoms)}
        if _judges_intervals_otherwise(contract, before):
            counts |= _event_counts(evaluate_events(contract, family), family)
        yield parameter, value, {clause.name: counts[clause.name] for clause in contract.clauses}


def _judges_intervals_otherwise(contract: Contract, before: Contract) -> bool:
    """Whether some event clause may have other counts than under the same contract at the values before."""
    settings = [(c.step, c.merge_gap, c.matcher, c.event_clauses) for c in (contract, before)]
    return settings[0] != settings[1]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreRows:
    """The scores of a run by clause, each an array over classes and clips."""

    clips: tuple[str, ...]
    classes: tuple[str, ...]
    clauses: tuple[str, ...]
    counts: Mapping[str, ClauseCounts]

    @classmethod
    def of(cls, card: Scorecard) -> "ScoreRows":
        """The scores of a scorecard."""
        names = tuple(clause.name for clause in card.contract.clauses)
        return cls(card.family.clips, card.family.classes, names, card.counts)
