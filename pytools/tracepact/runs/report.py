"""The report of a run as a record, with the preparation of both sides and the findings about them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Annotated, Literal, TypeVar

from msgspec import UNSET, Meta, UnsetType, field

from tracepact.data.family import Mode
from tracepact.data.formats import FORMATS, MAPPED
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.diagnostics.records import DiagnosticRecord, RowPlaceRecord, diagnostic_record
from tracepact.evaluate.scores import headline_mean
from tracepact.language.contract import Aggregation, MatcherKind, Projection
from tracepact.measures.records import MetricsRecord
from tracepact.records import Count, Digest, Name, NotNegative, Record, Share, ShareDecimal
from tracepact.runs.timelines import Timeline
from tracepact.runs.violations import (
    ClassField,
    ClauseViolations,
    ClipField,
    EndsField,
    Scores,
    SoftRecord,
    ValueRecord,
    Values,
    Vector,
)
from tracepact.wording import count

# What was done to both sides before they were scored, as a record and in words.

_Filled = Annotated[str, Meta(min_length=1)]
_FORMATS = "|".join(("memory", *FORMATS, MAPPED))


class ClassDecodingRecord(Record, frozen=True):
    """How the scores of one class became events (13.9)."""

    threshold: Annotated[Share, Meta(description="A score greater than this is active; the high one of a hysteresis.")]
    low: Annotated[Share | None, Meta(description="The low threshold of a hysteresis; null without one.")]
    median: Annotated[int, Meta(ge=1, description="The length of the median filter in frames; 1 is none.")]

    @property
    def words(self) -> str:
        """The decoding in words."""
        median = f"median filter of {self.median} frames, then " if self.median > 1 else ""
        if self.low is None:
            return f"{median}score > {self.threshold}"
        return f"{median}hysteresis, score > {self.low} around score > {self.threshold}"


class DecodingRecord(ClassDecodingRecord, frozen=True):
    """How scores became events (13.9)."""

    classes: Annotated[
        dict[str, ClassDecodingRecord] | UnsetType,
        Meta(description="The decoding of each class that has its own (20.12); absent if none has."),
    ] = UNSET

    @property
    def is_filtered(self) -> bool:
        """Whether scores became events by more than a threshold."""
        parts: list[ClassDecodingRecord] = [self, *(() if self.classes is UNSET else self.classes.values())]
        return any(how.low is not None or how.median > 1 for how in parts)

    @property
    def words(self) -> str:
        """The decoding in words."""
        others = super().words
        if self.classes is UNSET or not self.classes:
            return others
        return "; ".join([*(f"{label}: {how.words}" for label, how in self.classes.items()), f"others: {others}"])


class PreparedSide(Record, frozen=True):
    """What was done to one side."""

    format: Annotated[
        str,
        Meta(
            pattern=f"^({_FORMATS})$",
            description="The format it was read from (13.1); `memory` if it was in memory.",
        ),
    ]
    decoding: Annotated[DecodingRecord | None, Meta(description="How scores became events; null if there were none.")]
    renamed_clips: Annotated[Count, Meta(description="How many clips got the names of the other tables (13.3).")]
    lengths: Annotated[
        Count,
        Meta(
            description="How many clips are as long as the files of this side say (13.16); "
            "none if durations were given."
        ),
    ]
    dropped: Annotated[Count, Meta(description="How many events the label map dropped (13.11).")]
    ignored: Annotated[Count, Meta(description="How many events the label map ignored (13.12).")]

    def lines(self, side: str) -> list[str]:
        """A line for each thing that was done to the side of this name."""
        found = []
        if self.decoding is not None:
            found.append(f"{side} decoded from {self.format}: {self.decoding.words}")
        if self.renamed_clips:
            name = "name" if self.renamed_clips == 1 else "names"
            found.append(f"{side}: {count(self.renamed_clips, 'clip')} got the {name} that other tables use")
        if self.lengths:
            said = "arrays" if self.format == "memory" else "files"
            length = "length" if self.lengths == 1 else "lengths"
            found.append(f"{side}: {length} of {count(self.lengths, 'clip')} taken from its {said} ({self.format})")
        return found


class RenamedLabel(Record, frozen=True):
    """A label that stays, with its new name."""

    old: _Filled
    new: _Filled


class LabelMapRecord(Record, frozen=True):
    """The label map that was applied (13.11)."""

    name: Annotated[_Filled, Meta(description="The file as it was given.")]
    labels: Annotated[tuple[RenamedLabel, ...], Meta(description="The labels that stay, with their new names.")]
    drop: Annotated[tuple[_Filled, ...], Meta(description="The labels that are dropped.")]
    ignore: Annotated[tuple[_Filled, ...], Meta(description="The labels that are ignored.")]
    other: Annotated[Literal["error", "keep", "drop", "ignore"], Meta(description="What becomes of any other label.")]


class OutsideEvent(Record, frozen=True):
    """A predicted event that starts at or after the end of its clip."""

    clip: str
    label: str = field(name="class")
    onset: NotNegative
    offset: NotNegative
    row: Annotated[int | None, Meta(description="Its row in the file, where it had one.")]


class OutsideRecord(Record, frozen=True):
    """What became of predicted events outside their clips (13.31)."""

    policy: Literal["false-alarm", "cut", "drop"]
    events: Annotated[tuple[OutsideEvent, ...], Meta(description="Every one of them, as it was written.")]

    @property
    def line(self) -> str:
        """The policy in words."""
        return f"prediction: {count(len(self.events), 'event')} after the end of the clip (--outside {self.policy})"


class OmittedEvents(Record, frozen=True):
    """What was left out of a side."""

    clips: Count
    events: Count


class LeftOutSides(Record, frozen=True):
    """What was left out of both sides."""

    reference: OmittedEvents
    prediction: OmittedEvents


class ClipsRecord(Record, frozen=True):
    """Which clips were chosen (13.32)."""

    choice: Annotated[_Filled, Meta(description="`reference`, `durations`, `all`, or the file of the list.")]
    clips: Annotated[Count, Meta(description="How many clips were chosen.")]
    left_out: LeftOutSides

    @property
    def line(self) -> str:
        """The choice in words."""
        ref, pred = self.left_out.reference, self.left_out.prediction
        chosen = f"clips: {self.choice}, {count(self.clips, 'clip')}"
        if not (ref.clips or pred.clips):
            return chosen
        return (
            f"{chosen}; left out {ref.events:,} reference events on "
            f"{count(ref.clips, 'clip')} and {pred.events:,} predicted on {count(pred.clips, 'clip')}"
        )


class Preparation(Record, frozen=True):
    """What was done to both sides before they were scored (13)."""

    reference: PreparedSide
    prediction: PreparedSide
    label_map: Annotated[LabelMapRecord | None, Meta(description="Null if there was none.")]
    outside: Annotated[
        OutsideRecord | UnsetType,
        Meta(description="Absent if no predicted event was outside its clip and the policy is the default."),
    ] = UNSET
    clips: Annotated[ClipsRecord | UnsetType, Meta(description="Absent if no clips were chosen.")] = UNSET

    @property
    def _decodings(self) -> list[DecodingRecord]:
        return [side.decoding for side in (self.reference, self.prediction) if side.decoding is not None]

    @property
    def is_decoded(self) -> bool:
        """Whether scores became events on some side."""
        return bool(self._decodings)

    @property
    def is_filtered(self) -> bool:
        """Whether scores became events by more than a threshold."""
        return any(how.is_filtered for how in self._decodings)

    @property
    def lines(self) -> list[str]:
        """A line for each decoding, for clips that were named anew and for the label map; none if nothing was done."""
        ref, pred, labels = self.reference, self.prediction, self.label_map
        found = [*ref.lines("reference"), *pred.lines("prediction")]
        if labels is not None:
            merged = count(sum(label.old != label.new for label in labels.labels), "label")
            found.append(
                f"label map {labels.name}: {merged} renamed or merged; "
                f"{ref.dropped:,} reference and {pred.dropped:,} predicted events dropped, "
                f"{ref.ignored:,} and {pred.ignored:,} ignored"
            )
        found += [said.line for said in (self.clips, self.outside) if not isinstance(said, UnsetType)]
        return found


# The report of a run as a record: what its JSON holds and every view of it is drawn from.

FORMAT: Literal["tracepact-report/1"] = "tracepact-report/1"
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

    label: ClassField
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

    clip: ClipField
    label: ClassField = field(name="class")
    ref: EndsField
    pred: EndsField


LISTED_DIAGNOSTICS = 1_000
"""How many findings of one code a report lists."""


class DiagnosticsRecord(Record, frozen=True):
    """What was odd about the input."""

    counts: Annotated[dict[_Code, Annotated[int, Meta(ge=1)]], Meta(description="How often each code occurs.")]
    items: Annotated[
        tuple[DiagnosticRecord, ...],
        Meta(description="The findings by code, file and row; at most 1,000 of each code (17.10)."),
    ]

    @classmethod
    def of(cls, diagnostics: Iterable[Diagnostic]) -> "DiagnosticsRecord":
        """The record of some findings."""
        ordered = sorted(diagnostics, key=_order)
        counts: Counter[str] = Counter()
        for one in ordered:
            counts[one.code] += one.number
        kept = (diagnostic_record(one) for one in _first_of_each_code(ordered) if not one.stands_for)
        return cls(dict(sorted(counts.items())), tuple(kept))

    def __add__(self, other: "DiagnosticsRecord") -> "DiagnosticsRecord":
        counts = Counter(self.counts) + Counter(other.counts)
        # Each batch keeps the first findings of a code; the first of all are among these, whatever is added to what.
        both = sorted((*self.items, *other.items), key=_order)
        return DiagnosticsRecord(dict(sorted(counts.items())), tuple(_first_of_each_code(both)))

    @property
    def words(self) -> str:
        """How often each code occurs, in words."""
        return ", ".join(f"{times:,} {code}" for code, times in sorted(self.counts.items()))


def _order(one: Diagnostic | DiagnosticRecord) -> tuple[str, str, int, str]:
    """Code, file and row, then the words."""
    match one.place:
        case RowPlace(file=file, row=row) | RowPlaceRecord(file=file, line=row):
            return one.code, file, -1 if row is None else row, one.headline
    return one.code, "", -1, one.headline


_Finding = TypeVar("_Finding", Diagnostic, DiagnosticRecord)


def _first_of_each_code(ordered: Iterable[_Finding]) -> Iterator[_Finding]:
    """The findings that a report lists."""
    times: Counter[str] = Counter()
    for one in ordered:
        times[one.code] += 1
        if times[one.code] <= LISTED_DIAGNOSTICS:
            yield one


class Report(Record, frozen=True, kw_only=True):
    """What `tracepact score --format json` prints: a scoring run with everything needed to derive it again.

    Numbers in parentheses are rules of spec/language.md and spec/tools.
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
        return headline_mean(row.scores[aggregation] for row in self.vector)
