"""The report of a run as a record: what its JSON holds and every view of it is drawn from."""

from fractions import Fraction
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, field

from tracepact.core import Aggregation, MatcherKind, Projection
from tracepact.diagnostics.record import DiagnosticRecord
from tracepact.metrics import MetricsRecord
from tracepact.records import Count, Digest, Name, NotNegative, Record, Share, ShareDecimal
from tracepact.scoring.vacuity import headline_mean
from tracepact.tools.score.report.preparation import Preparation
from tracepact.tools.score.report.scores import Scores, SoftRecord, ValueRecord, Values, Vector
from tracepact.tools.score.report.timeline import Timeline
from tracepact.tools.score.report.violations import ClauseViolations
from tracepact.trace import Mode

FORMAT: Literal["tracepact-report/1"] = "tracepact-report/1"

_Filled = Annotated[str, Meta(min_length=1)]
_Clip = Annotated[str, Meta(description="The clip.")]
_Label = Annotated[str, Meta(description="The class.")]
_Seconds = Annotated[tuple[NotNegative, NotNegative], Meta(description="Onset and offset in seconds, exact.")]
_Code = Annotated[str, Meta(pattern="^[a-z]+(-[a-z]+)*$")]
_Edges = Annotated[Count, Meta(description="The edges of both sides.")]


class Versions(Record, frozen=True):
    """What the run was made with."""

    tracepact: Annotated[_Filled, Meta(description="The version of tracepact.")]
    python: Annotated[_Filled, Meta(description="The version of Python.")]
    numpy: Annotated[_Filled, Meta(description="The version of NumPy.")]


class ParameterRecord(Record, frozen=True):
    """A parameter (3.3)."""

    name: Name
    value: Annotated[_Filled, Meta(description="The value as it is written.")]
    overridden: Annotated[bool, Meta(description="Whether another value than the declared one was set (3.3).")]


class ContractRecord(Record, frozen=True):
    """The contract."""

    name: Name
    title: Annotated[str | None, Meta(description="The contract's title, if it has one (3.1).")]
    digest: Annotated[Digest, Meta(description="The digest of the contract (11.3).")]
    text: Annotated[str, Meta(description="The canonical text without comments, overrides written in (11.1).")]
    source: Annotated[str, Meta(description="The file the contract was read from.")]
    parameters: Annotated[tuple[ParameterRecord, ...], Meta(description="The parameters (3.3).")]

    @property
    def overridden(self) -> str:
        """The parameters with another value than the declared one, in words; empty for none."""
        return ", ".join(f"{p.name} = {p.value}" for p in self.parameters if p.overridden)


class InputRecord(Record, frozen=True):
    """A file that went into the run."""

    role: Annotated[
        str,
        Meta(
            pattern="^(reference|prediction|durations|ignore|conditions|label_map|decoding)$",
            description="What the file was used as.",
        ),
    ]
    name: Annotated[_Filled, Meta(description="The file as it was given.")]
    sha256: Annotated[Digest, Meta(description="The SHA-256 of the file's bytes.")]


class GridRecord(Record, frozen=True):
    """The grid (5.1)."""

    step: Annotated[NotNegative, Meta(description="The length of a frame in seconds (3.2).")]
    projection: Annotated[Projection, Meta(description="How events become frames (5.3).")]


class MatcherRecord(Record, frozen=True):
    """How runs were matched (8)."""

    kind: Annotated[MatcherKind, Meta(description="The matcher (8.3, 8.4).")]
    search: Annotated[
        NotNegative, Meta(description="How far apart endpoints of a candidate may lie, in seconds (8.1).")
    ]
    overlap_reward: Annotated[NotNegative, Meta(description="The weight of the overlap in the cost (8.2).")]
    merge_gap: Annotated[NotNegative, Meta(description="The longest gap that is joined, in seconds (5.8).")]


class FamilyRecord(Record, frozen=True):
    """The family that was scored."""

    mode: Annotated[Mode, Meta(description="Whether labels are kept apart or taken as one (5.5).")]
    clips: Annotated[Count, Meta(description="The number of clips (5.10).")]
    classes: Annotated[
        tuple[str, ...],
        Meta(min_length=1, description="The class set (7.6).", extra_json_schema={"uniqueItems": True}),
    ]
    frames: Annotated[Count, Meta(description="The frames of all clips and classes.")]


class ClauseRecord(Record, frozen=True):
    """The scores of one clause."""

    clause: Name
    kind: Annotated[Literal["frame", "event"], Meta(description="Frame clause or event clause (3.10).")]
    scores: Scores
    soft: Annotated[
        SoftRecord | UnsetType,
        Meta(description="The margins of a frame clause, where a threshold alone decoded scores (13.36)."),
    ] = UNSET


class ProfileRecord(Record, frozen=True):
    """The value of a profile (7.8)."""

    name: Name
    aggregation: Aggregation
    value: Share
    decimal: ShareDecimal


class SoftBoundary(Record, frozen=True):
    """The soft boundary score (7.9)."""

    value: Annotated[
        float, Meta(ge=0, le=1, description="The mean of exp(−d/soft_scale), the one number that is not exact.")
    ]
    edges: _Edges
    scale: Annotated[NotNegative, Meta(description="The declared soft_scale in seconds (3.8).")]


class ClassRecord(Record, frozen=True):
    """The pooled vector of one class."""

    label: _Label
    vector: Vector


class ConditionSoftBoundary(Record, frozen=True):
    """The soft boundary score of the clips under a condition (7.9)."""

    value: Annotated[float, Meta(ge=0, le=1)]
    edges: _Edges


class ConditionRecord(Record, frozen=True):
    """The results of the clips under one condition."""

    condition: Annotated[str, Meta(description="The condition.")]
    clips: Annotated[int, Meta(ge=1, description="The clips under it.")]
    vector: Annotated[dict[Name, Scores], Meta(description="The scores of every clause.")]
    logic: Values
    profiles: Annotated[dict[Name, ValueRecord], Meta(description="The profiles' values.")]
    soft_boundary: ConditionSoftBoundary


class SweepRecord(Record, frozen=True):
    """The vector at one value of a swept parameter."""

    parameter: Name
    value: Annotated[_Filled, Meta(description="The parameter's value as it is written.")]
    vector: Vector


class MatchRecord(Record, frozen=True):
    """A matched pair."""

    clip: _Clip
    label: _Label = field(name="class")
    ref: _Seconds
    pred: _Seconds


class DiagnosticsRecord(Record, frozen=True):
    """What was odd about the input."""

    counts: Annotated[dict[_Code, Annotated[int, Meta(ge=1)]], Meta(description="How often each code occurs.")]
    items: Annotated[
        tuple[DiagnosticRecord, ...],
        Meta(description="The findings by code, file and row; at most 1,000 of each code (17.10)."),
    ]

    @property
    def words(self) -> str:
        """How often each code occurs, in words."""
        return ", ".join(f"{times:,} {code}" for code, times in sorted(self.counts.items()))


class Report(Record, frozen=True, kw_only=True):
    """What `tracepact score --format json` prints: a scoring run with everything needed to derive it again.

    Numbers in parentheses are rules of language.md and tools.md.
    """

    format: Annotated[Literal["tracepact-report/1"], Meta(description="The form of this document.")]
    versions: Versions
    contract: ContractRecord
    inputs: Annotated[tuple[InputRecord, ...], Meta(description="The files that went into the run.")]
    preparation: Preparation
    grid: GridRecord
    matcher: MatcherRecord
    family: FamilyRecord
    aggregation: Annotated[Aggregation, Meta(description="The aggregation that is shown first (3.6).")]
    vector: Annotated[
        tuple[ClauseRecord, ...], Meta(min_length=1, description="The score of every clause in source order (7.7).")
    ]
    logic: Annotated[Values, Meta(description="The mean of the vector (7.7).")]
    profiles: Annotated[tuple[ProfileRecord, ...], Meta(description="The profiles' values (7.8).")]
    metrics: MetricsRecord
    soft_boundary: SoftBoundary
    classes: Annotated[tuple[ClassRecord, ...], Meta(min_length=1, description="The pooled vector of every class.")]
    conditions: Annotated[
        tuple[ConditionRecord, ...],
        Meta(description="The results of the clips under each condition; empty without a conditions table."),
    ]
    sweeps: Annotated[
        tuple[SweepRecord, ...],
        Meta(description="The vector at every value of a sweep (3.5), under the contract's aggregation."),
    ]
    violations: Annotated[tuple[ClauseViolations, ...], Meta(description="Where each clause failed (10).")]
    timelines: Annotated[tuple[Timeline, ...], Meta(description="The clips and classes that failed worst, in frames.")]
    matches: Annotated[
        tuple[MatchRecord, ...], Meta(description="The match list (8); the first 10,000 by class and clip.")
    ]
    diagnostics: DiagnosticsRecord
    violation_rows: Annotated[
        bool | UnsetType, Meta(description="False if the run directory has no `violations.csv` (17.8); else absent.")
    ] = UNSET
    matched: Annotated[
        Count | UnsetType,
        Meta(description="How many matched pairs there are, if not all are listed (17.10)."),
    ] = UNSET

    @property
    def pairs(self) -> int:
        """The number of matched pairs."""
        return len(self.matches) if isinstance(self.matched, UnsetType) else self.matched

    def vacuous_clauses(self, aggregation: Aggregation) -> tuple[str, ...]:
        """The clauses that ask nothing of the system."""
        return tuple(row.clause for row in self.vector if row.scores[aggregation].vacuous)

    def headline(self, aggregation: Aggregation) -> Fraction | None:
        """The mean of the vector without its vacuous clauses, None where all are (rule 16.13)."""
        scores = (row.scores[aggregation] for row in self.vector)
        return headline_mean((score.value, score.vacuous) for score in scores)
