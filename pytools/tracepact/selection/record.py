"""A selection as a record: the cases, the candidates, the retained basis, what was selected and why."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

from msgspec import Meta, field
from msgspec.structs import replace

from tracepact.diagnostics.records import DiagnosticRecord
from tracepact.language.contract import MatcherKind, Projection
from tracepact.records import Count, Digest, OneOf, Record
from tracepact.selection.basis import RangeRecord
from tracepact.selection.cover_problem import SecondSolver
from tracepact.selection.exploits import ExploitsRecord
from tracepact.selection.judgements import PreferencesRecord
from tracepact.selection.requirements import CasePair, SelectionRequirement
from tracepact.selection.robustness import HoldoutRecord, OwnReferencesRecord, RobustnessRecord, StabilityRecord

FrameRun = Annotated[tuple[Count, Count], Meta(description="First frame and the frame after the last.")]
_Positive = Annotated[int, Meta(ge=1)]
_Proof = Annotated[str, Meta(pattern="^(rule|short traces|solver)$")]
_Shape = Annotated[str, Meta(pattern="^(near|ahead|back)$")]
_Operator = Annotated[str, Meta(pattern="^(F|G|U|S|and|or)$")]
_Each = Annotated[str, Meta(pattern="^(ref|pred|matched)$")]
BeforeAfter = Annotated[tuple[Count, Count], Meta(description="Before and after.")]


# The cases and the family


class CalibrationRecord(Record, frozen=True):
    """The calibration set that was read."""

    name: str
    title: str | None
    file: str
    digest: Digest
    step: Fraction
    projection: Projection
    merge_gap: Fraction


class ClassTrace(Record, frozen=True):
    """The runs of both sides of one class of a case, in frames."""

    label: str = field(name="class")
    ref: tuple[FrameRun, ...]
    pred: tuple[FrameRun, ...]


class CaseRecord(Record, frozen=True):
    """A case of the calibration set, and its traces on the grid."""

    name: str
    risk: str
    rank: Annotated[Fraction | None, Meta(description="Null where preferences say which case is worse.")]
    fault: str
    below: Annotated[
        tuple[str, ...],
        Meta(description="Of a useless system or a harmful edit the cases it must be lower than (14.37)."),
    ]
    group: Annotated[str, Meta(description="The disturbance it is a copy of a case by (14.22); empty for a case.")]
    how: str
    duration: Fraction
    rounded: Annotated[
        bool,
        Meta(description="Whether some time of the case is not a multiple of the step, so that the grid moves it."),
    ]
    frames: _Positive
    traces: tuple[ClassTrace, ...]

    @property
    def faulty(self) -> bool:
        """Whether the prediction differs from the reference on the grid."""
        return any(trace.ref != trace.pred for trace in self.traces)

    @property
    def title(self) -> str:
        """Its name, with its rank if it has one."""
        return self.name if self.rank is None else f"{self.name} ({self.rank})"


class SelectionMatcher(Record, frozen=True):
    """A matcher (8.1)."""

    kind: MatcherKind
    search: Fraction
    overlap_reward: Fraction


class CandidateFamilyRecord(Record, frozen=True):
    """What the candidates were generated from (14.6)."""

    atoms: tuple[str, ...]
    obligations: tuple[str, ...]
    tolerances: tuple[Fraction, ...]
    shapes: tuple[_Shape, ...]
    operators: tuple[_Operator, ...]
    depth: Count
    from_depth: Count
    each: tuple[_Each, ...]
    attributes: tuple[str, ...]
    shares: tuple[Fraction, ...]
    counts: tuple[Count, ...]
    joined: bool
    listed_only: Annotated[bool, Meta(description="Whether selected clauses keep the numbers listed here (14.21).")]
    matchers: tuple[SelectionMatcher, ...]
    most: _Positive


# The candidates and the basis


class DroppedCounts(Record, frozen=True):
    """Candidates that a perfect prediction violates, by what showed it (14.8)."""

    reference: Count
    short_trace: Count
    solver: Count

    @property
    def total(self) -> int:
        """All of them."""
        return self.reference + self.short_trace + self.solver


class ShortTraces(Record, frozen=True):
    """The short traces that were tried as perfect predictions: all up to a number of frames."""

    frames: Count
    traces: Count


class CandidateCounts(Record, frozen=True):
    """How many candidates there were, and what became of them."""

    total: Count
    author: Count
    frame: Count
    event: Count
    refined: Annotated[Count, Meta(description="Clauses with other numbers than the family lists (14.36).")]
    dropped: DroppedCounts
    undecided: tuple[str, ...]
    constant: Count
    classes: Annotated[Count, Meta(description="How many coordinates the basis has; a large one is not listed whole.")]
    only_tested: Count
    proofs: Annotated[dict[_Proof, Count], Meta(description="How many representatives were proved perfect, by what.")]
    short_traces: ShortTraces


class BlendedPair(CasePair, frozen=True):
    """A pair of a blend, with its share (14.18)."""

    weight: Fraction


class RequirementRecord(Record, frozen=True):
    """Two cases of different rank (14.12), or a fault (14.13), or a blend of pairs that follows from the order."""

    worse: str | None
    better: str | None
    fault: str | None
    blend: tuple[BlendedPair, ...]


class UnmetRequirement(RequirementRecord, frozen=True):
    """A requirement that no candidate meets; identical if it asks to separate two cases with the same traces."""

    identical: bool
    unjudged: Annotated[
        bool,
        Meta(
            description="Some candidate is lower on the worse case, or lowest on the fault alone, but only for want of "
            "anything to judge (14.17)."
        ),
    ]


class WeightedRequirement(RequirementRecord, frozen=True):
    """A weight on a requirement.

    On every coordinate the weights of what it meets come to at most 1, so their sum bounds the number of clauses from
    below.
    """

    weight: Fraction


class Members(Record, frozen=True):
    """The candidates of a coordinate: how many, and the first of them."""

    total: _Positive
    shown: Annotated[tuple[str, ...], Meta(min_length=1)]


class CoordinateRecord(Record, frozen=True):
    """A representative of observationally equal candidates, with its values in the order of the cases (14.10)."""

    name: str
    text: str
    candidate: Count
    cost: Count
    proof: _Proof
    values: tuple[Fraction, ...]
    vacuous: tuple[bool, ...]
    separates: Count
    ranks: tuple[tuple[Fraction, Fraction], ...]
    alone: Annotated[
        tuple[RequirementRecord, ...], Meta(description="What is required and no other coordinate of the basis meets.")
    ]
    names: tuple[str, ...]
    members: Members


class SelectionOutput(OneOf):
    """What `tracepact select`, and `basis retain` and `separate` before it, print with `--format json` (14)."""


class BasisRecord(Record, SelectionOutput, frozen=True):
    """The cases, the candidates and the retained basis."""

    calibration: CalibrationRecord
    cases: Annotated[tuple[CaseRecord, ...], Meta(min_length=2)]
    family: CandidateFamilyRecord
    candidates: CandidateCounts
    coordinates: tuple[CoordinateRecord, ...]
    unmet: tuple[UnmetRequirement, ...]

    @property
    def worst_first(self) -> list[int]:
        """The places of the cases, of the highest rank first."""
        return sorted(range(len(self.cases)), key=lambda place: -(self.cases[place].rank or 0))

    @property
    def ranked(self) -> bool:
        """Whether ranks say which case is worse."""
        return any(case.rank is not None for case in self.cases)

    @property
    def unmet_pairs(self) -> int:
        """How many pairs no candidate meets."""
        return sum(one.worse is not None for one in self.unmet)

    @property
    def shown(self) -> list[CoordinateRecord]:
        """The coordinates as readers see them."""
        return list(self.coordinates)

    def case(self, name: str | None) -> CaseRecord:
        """The case of a name."""
        return next(case for case in self.cases if case.name == name)


# What was selected


class MatcherOutcome(SelectionMatcher, frozen=True):
    """The size of the best contract under one matcher, and whether it is the one selected."""

    count: Count
    cost: Count
    chosen: bool


class SelectedClause(Record, frozen=True):
    """A selected clause: its place among the coordinates, what it alone meets, how it is written, what it says."""

    name: str
    coordinate: Count
    only: tuple[RequirementRecord, ...]
    text: str
    words: str
    ranges: tuple[RangeRecord, ...]


class OrderRecord(Record, frozen=True):
    """Pairs of cases of different rank, and on how many of them the order of harm is not kept.

    That is: some selected clause is higher on the worse case; the plain mean of the clauses is higher, or equal, on it.
    """

    pairs: Count
    reversed_by_some: Count
    mean_reversed: Count
    mean_tied: Count


class ClauseWeight(Record, frozen=True):
    """The weight of a selected clause in the profile that keeps the order."""

    clause: str
    weight: Count


class ConflictRecord(Record, frozen=True):
    """Pairs that no weights on any candidates order together, though all but any one they do (14.19)."""

    pairs: Annotated[tuple[CasePair, ...], Meta(min_length=1)]
    left_out: CasePair


class GivenUpRecord(Record, frozen=True):
    """Pairs that are not ordered: how many, how many there are under any weights, and the first of them (14.19)."""

    number: Count
    bound: Annotated[int, Meta(ge=0, description="No weights on any candidates order all but fewer pairs.")]
    listed: tuple[CasePair, ...]


class OrderingRecord(Record, frozen=True):
    """The weights under which the mean of the clauses keeps the order of harm, and by how much (14.18 to 14.20)."""

    profile: str
    weights: tuple[ClauseWeight, ...]
    values: Annotated[tuple[Fraction, ...], Meta(description="The weighted mean on each case, in their order.")]
    pairs: Count
    given_up: GivenUpRecord
    margin: Annotated[Fraction, Meta(description="The least difference under these weights.")]
    largest_margin: Annotated[Fraction, Meta(description="The least difference under the best weights of all.")]
    margin_bound: Annotated[Fraction, Meta(description="No set with as few clauses has a larger margin.")]
    conflicts: tuple[ConflictRecord, ...]


class SelectedRecord(Record, frozen=True):
    """The selected clauses, and the evidence that no smaller set meets as much."""

    clauses: tuple[SelectedClause, ...]
    count: Count
    cost: Count
    optimal: bool
    order: OrderRecord
    ordering: OrderingRecord | None
    count_bound: Count
    cost_bound: Count
    evidence: str
    solver: str
    independent: tuple[RequirementRecord, ...]
    weights: tuple[WeightedRequirement, ...]
    second_solver: SecondSolver
    required: Count
    met: Count


class OptimaRecord(Record, frozen=True):
    """All sets of the same size and cost, by the names of their clauses, or the first of them."""

    complete: bool
    sets: Annotated[tuple[tuple[str, ...], ...], Meta(min_length=1)]


class WrittenContract(Record, frozen=True):
    """The selected contract, and what `check` says of it."""

    text: str
    digest: Digest
    findings: tuple[DiagnosticRecord, ...]


class RankChange(Record, frozen=True):
    """A case that was given another rank."""

    case: str
    before: Fraction
    after: Fraction


class SelectionChanges(Record, frozen=True):
    """What a case left out, or another rank, changes: clauses that went and came, and the numbers of both."""

    without: tuple[str, ...]
    ranks: tuple[RankChange, ...]
    gone: tuple[str, ...]
    new: tuple[str, ...]
    count: BeforeAfter
    cost: BeforeAfter
    unmet: BeforeAfter


class SeparatedPair(CasePair, frozen=True):
    """A pair that a candidate of a larger family separates."""

    candidate: str


class LargerFamily(Record, frozen=True):
    """A larger family, whether the bound allows it, and which open pairs it would separate."""

    words: str
    size: Count
    most: Count
    affordable: bool
    found: tuple[SeparatedPair, ...]


class SelectionRecord(BasisRecord, SelectionOutput, frozen=True):
    """A selection: the basis it was made from, the selected contract and its evidence."""

    requirements: Annotated[tuple[SelectionRequirement, ...], Meta(min_length=1)]
    matchers: Annotated[tuple[MatcherOutcome, ...], Meta(min_length=1)]
    selected: SelectedRecord
    beyond: tuple[LargerFamily, ...]
    optima: OptimaRecord | None
    contract: WrittenContract | None
    diagnostics: tuple[DiagnosticRecord, ...]
    changes: SelectionChanges | None
    robustness: tuple[RobustnessRecord, ...]
    own_references: OwnReferencesRecord | None
    stability: tuple[StabilityRecord, ...] | None
    holdout: HoldoutRecord | None
    preferences: PreferencesRecord | None
    exploits: ExploitsRecord | None

    @property
    def chosen(self) -> list[CoordinateRecord]:
        """The coordinates of the selected clauses, under the names and texts that the contract has."""
        return [
            replace(self.coordinates[clause.coordinate], name=clause.name, text=clause.text)
            for clause in self.selected.clauses
        ]

    @property
    def value_rows(self) -> list[tuple[CaseRecord, list[Fraction]]]:
        """The cases and the values of the selected clauses on them, the worst case first."""
        chosen = self.chosen
        return [(self.cases[place], [one.values[place] for one in chosen]) for place in self.worst_first]

    @property
    def unseen(self) -> list[str]:
        """The cases with a fault that the contract scores as perfect: 1 under its weights, or on every clause."""
        ordering, values = self.selected.ordering, [coordinate.values for coordinate in self.chosen]
        least = ordering.values if ordering else [min(column) for column in zip(*values, strict=True)]
        return [case.name for case, value in zip(self.cases, least, strict=False) if case.faulty and value == 1]

    @property
    def shown(self) -> list[CoordinateRecord]:
        """All coordinates, the selected ones as the contract has them."""
        coordinates = list(self.coordinates)
        for clause, coordinate in zip(self.selected.clauses, self.chosen, strict=True):
            coordinates[clause.coordinate] = coordinate
        return coordinates

    @property
    def worst_first(self) -> list[int]:
        """The places of the cases, of the highest rank first, or without ranks of the lowest mean under the weights."""
        ordering = self.selected.ordering
        if self.ranked or ordering is None:
            return super().worst_first
        return sorted(range(len(self.cases)), key=lambda place: ordering.values[place])


def chosen_places(record: BasisRecord) -> Sequence[int]:
    """The places of the selected coordinates; none before a selection."""
    return [clause.coordinate for clause in record.selected.clauses] if isinstance(record, SelectionRecord) else []
