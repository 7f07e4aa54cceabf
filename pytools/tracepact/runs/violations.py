"""Violated obligations as records, and the records of scores they go with."""

import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Literal

import numpy as np
from msgspec import UNSET, Meta, UnsetType, field
from numpy.typing import NDArray

from tracepact.data.family import Family
from tracepact.diagnostics.findings import Span
from tracepact.evaluate.curves import NO_WITNESS
from tracepact.evaluate.event_clauses import EventViolation, FailedComparison
from tracepact.evaluate.predicates import Unbounded, Value
from tracepact.evaluate.scorecard import FrameViolations, Scorecard
from tracepact.evaluate.scores import Score, vacuous_share
from tracepact.language.contract import Aggregation, Contract, EventClause, FrameClause
from tracepact.language.predicate import TermType
from tracepact.records import Count, Exact, Name, NotNegative, OneOf, Record, Share, ShareDecimal
from tracepact.runs.margins import ScoreMargins
from tracepact.wording import decimal, parse_stored, rounded, short

# Scores and values as records: the parts that reports share with everything else that shows scores.

VACUOUS = "∅"


SoftValue = Annotated[
    str,
    Meta(
        pattern="^(-?unbounded|-?[0-9]+(/[1-9][0-9]*)?)$",
        description="A soft value in lowest terms: `1/5`, `-0`, `-unbounded` (18.2).",
    ),
]


class ValueRecord(Record, frozen=True):
    """An exact value and its decimal."""

    value: Share
    decimal: ShareDecimal

    @classmethod
    def of(cls, value: Fraction) -> "ValueRecord":
        """The record of a value."""
        return cls(value, rounded(value))

    @property
    def text(self) -> str:
        """The value in a table."""
        return decimal(self.value)


class ScoreRecord(Record, frozen=True):
    """A score: satisfied divided by obligated under one aggregation, with its counts (7.2)."""

    value: Share
    decimal: ShareDecimal
    satisfied: Annotated[Count, Meta(description="Satisfied obligations (7.1).")]
    obligated: Annotated[Count, Meta(description="Obligations (7.1).")]
    vacuous: Annotated[bool, Meta(description="No obligation and no counter evidence (7.3, 7.4).")]
    entries: Annotated[Count, Meta(description="The entries the aggregation took the mean of.")]
    vacuous_entries: Annotated[Count, Meta(description="Those of them that are vacuous and count 1 (7.3, 7.4).")]
    counter_entries: Annotated[
        Count, Meta(description="Those of them with an empty obligation and counter evidence, which count 0 (7.4).")
    ]

    @classmethod
    def of(cls, score: Score) -> "ScoreRecord":
        """The record of a score."""
        counts = score.satisfied, score.obligated, score.vacuous
        entries = score.entries, score.vacuous_entries, score.counter_entries
        return cls(score.value, rounded(score.value), *counts, *entries)

    @property
    def text(self) -> str:
        """The score in a table, with the mark of vacuity."""
        return f"{VACUOUS} {decimal(self.value)}" if self.vacuous else decimal(self.value)

    @property
    def counts(self) -> str:
        """Its counts in a table."""
        return f"{self.satisfied:,} / {self.obligated:,}"

    @property
    def empty(self) -> str:
        """How many of the averaged values count 1 or 0 without an obligation behind them; nothing for none."""
        if not self.counter_entries:
            return f"{self.vacuous_entries:,}" if self.vacuous_entries else ""
        return f"{self.vacuous_entries:,} +{self.counter_entries:,}"

    @property
    def free(self) -> Fraction:
        """The share of the score that counts without an obligation."""
        return vacuous_share(self.vacuous, self.vacuous_entries, self.entries)


class SoftRecord(Record, frozen=True):
    """How far the verdicts of a frame clause are from their opposite, in score (18.10)."""

    scores: Annotated[
        dict[Aggregation, Exact],
        Meta(description="The soft score under every aggregation: the mean margin, each cut to [-1, 1]."),
    ]
    least: Annotated[SoftValue | None, Meta(description="The least margin; null without obligations.")]
    violated: Annotated[
        SoftValue | None,
        Meta(
            description="The middle one of the margins of the violated obligations, each taken down to a thousandth, "
            "the lower of two; null if there are none."
        ),
    ]


def margin_words(text: str) -> str:
    """A soft value in a table."""
    if text.removeprefix("-") == "unbounded":
        return text.replace("unbounded", "∞").replace("-", "−")
    if text == "-0":
        return "−0.000"
    return decimal(parse_stored(text))


_EVERY = Meta(
    extra_json_schema={
        "propertyNames": {"pattern": f"^({'|'.join(a.value for a in Aggregation)})$"},
        "required": [a.value for a in Aggregation],
    }
)
Values = Annotated[dict[Aggregation, ValueRecord], _EVERY, Meta(description="A value under every aggregation (7.5).")]
Scores = Annotated[
    dict[Aggregation, ScoreRecord], _EVERY, Meta(description="The score of a clause under every aggregation (7.5).")
]
Vector = Annotated[dict[Name, ScoreRecord], Meta(description="The score of every clause (7.7).")]


# Violated obligations as records: which of them a report shows, worst first, and how far each is from holding.

SHOWN = 5

ClipField = Annotated[str, Meta(description="The clip.")]
ClassField = Annotated[str, Meta(description="The class.")]
EndsField = Annotated[tuple[NotNegative, NotNegative], Meta(description="Onset and offset in seconds, exact.")]
_Amount = Annotated[
    str,
    Meta(
        pattern="^(unbounded|-?[0-9]+(/[1-9][0-9]*)?)$",
        description="A side of a comparison, exact, or `unbounded` (4.9).",
    ),
]


class FailingPart(Record, frozen=True):
    """The failing part (10.1)."""

    span: Annotated[tuple[Count, Count], Meta(description="A half-open range of characters [start, end) (1.1).")]
    text: Annotated[str, Meta(description="The text of the span in the source.")]

    @classmethod
    def of(cls, contract: Contract, span: Span) -> "FailingPart":
        """The part of a contract at a span."""
        return cls((span.start, span.end), contract.source.text[span.start : span.end])

    @property
    def line(self) -> str:
        """The text on one line."""
        return " ".join(self.text.split())


class NearestFrame(Record, frozen=True):
    """The nearest frame where the atom holds."""

    offset: Annotated[int, Meta(description="Signed distance in frames.")]
    frames: Annotated[Count, Meta(description="Distance in frames.")]
    seconds: NotNegative


class ComparisonRecord(Record, frozen=True):
    """The two sides of a comparison that failed, and how far it is from holding (10.4)."""

    quantity: Annotated[TermType, Meta(description="The type of both sides (4.3).")]
    left: _Amount
    right: _Amount
    amount: _Amount

    @classmethod
    def of(cls, failed: FailedComparison) -> "ComparisonRecord":
        """The record of a comparison that failed."""
        return cls(failed.quantity, _amount(failed.left), _amount(failed.right), _amount(failed.amount))

    @property
    def words(self) -> str:
        """Its sides in words."""
        unit = " s" if self.quantity is TermType.TIME else ""
        left, right = (side if side == "unbounded" else short(side) for side in (self.left, self.right))
        return f"{left}{unit} against {right}{unit}"


class ViolationRecord(OneOf):
    """A violated obligation."""

    __slots__ = ()


class FrameViolationRecord(Record, ViolationRecord, frozen=True):
    """A violated obligation of a frame clause."""

    clip: ClipField
    label: ClassField = field(name="class")
    frame: Annotated[Count, Meta(description="The violated frame.")]
    time: NotNegative
    part: FailingPart
    distance: Annotated[
        NearestFrame | Literal["unbounded"] | None,
        Meta(
            description="The distance to the nearest frame where the atom holds; null for a clause without distances "
            "(10.2)."
        ),
    ]
    margin: Annotated[
        SoftValue | UnsetType,
        Meta(description="Its soft value, where a threshold alone decoded scores (13.36)."),
    ] = UNSET

    @property
    def start(self) -> Fraction:
        """When it begins, in seconds."""
        return self.time

    @property
    def how_far(self) -> str:
        """How far it is from holding, in words: in time, and in score."""
        in_score = "" if isinstance(self.margin, UnsetType) else f"; margin {margin_words(self.margin)}"
        match self.distance:
            case None:
                return f"does not hold{in_score}"
            case NearestFrame(offset=offset, seconds=seconds):
                return f"nearest {short(seconds)} s {'later' if offset > 0 else 'earlier'}{in_score}"
            case _:
                return f"none in the clip{in_score}"


class EventViolationRecord(Record, ViolationRecord, frozen=True):
    """A violated obligation of an event clause."""

    clip: ClipField
    label: ClassField = field(name="class")
    interval: EndsField
    partner: Annotated[EndsField | None, Meta(description="What the matcher gave the interval; null if nothing (4.4).")]
    part: FailingPart
    comparison: Annotated[
        ComparisonRecord | None,
        Meta(description="What was compared (10.4); null if the partner is missing or nothing is compared."),
    ]

    @property
    def start(self) -> Fraction:
        """When it begins, in seconds."""
        return self.interval[0]

    @property
    def how_far(self) -> str:
        """How far it is from holding, in words."""
        return comparison_words(self.comparison, has_partner=self.partner is not None)


class ClauseViolations(Record, frozen=True):
    """Where one clause failed (10)."""

    clause: Name
    total: Annotated[Count, Meta(description="The violated obligations of the clause.")]
    shown: Annotated[
        tuple[ViolationRecord, ...],
        Meta(description="Some of them: the worst of each class, the class with the lowest score first, then others."),
    ]


def shown_violations(
    card: Scorecard, clause: FrameClause | EventClause, most: int = SHOWN, *, margins: ScoreMargins | None = None
) -> ClauseViolations:
    """The worst violations of a clause and how many there are in all."""
    total, worst = ranked_violations(card, clause, most, margins=margins)
    return ClauseViolations(clause.name, total, tuple(found for *_, found in worst[:most]))


def ranked_violations(
    card: Scorecard, clause: FrameClause | EventClause, most: int = SHOWN, *, margins: ScoreMargins | None = None
) -> tuple[int, list[tuple[float, int, int, FrameViolationRecord | EventViolationRecord]]]:
    """How many violations a clause has, and the worst: each with rank (less is worse), segment and frame.

    After the worst of all comes the worst of each class that is not among them.
    """
    if isinstance(clause, EventClause):
        events = card.event_clause(clause.name).violations
        badness = [_event_badness(violation) for violation in events]
        ranks = name_ranks(card.family)
        order = sorted(range(len(events)), key=lambda i: (badness[i], ranks[events[i].segment], events[i].interval))
        segments = np.array([events[i].segment for i in order], dtype=np.int64)
        return len(events), [
            (badness[i], events[i].segment, events[i].interval[0], event_violation(card, events[i]))
            for i in (order[place] for place in _worst_places(segments, most, card.family))
        ]
    frames = card.frame_violations(clause.name)
    distances = frames.distances
    stretches = _worst_stretches(frames, name_ranks(card.family))
    return len(frames), [
        (
            -float(distances[i]) if frames.offset is not None else 0.0,
            int(frames.segment[i]),
            int(frames.frame[i]),
            frame_violation(card, frames, i, margins),
        )
        for i in map(int, stretches[_worst_places(frames.segment[stretches], most, card.family)])
    ]


def _worst_places(segments: NDArray[np.int64], most: int, family: Family) -> NDArray[np.int64]:
    """Of violations in the order of their ranks, by their segments: the first places, then the first of each class."""
    _, first = np.unique(segments // len(family.clips), return_index=True)
    return np.concatenate([np.arange(min(most, len(segments))), np.sort(first[first >= most])])


def all_violations(
    card: Scorecard, clause: str, margins: ScoreMargins | None = None, clip: int | None = None
) -> Sequence[FrameViolationRecord | EventViolationRecord]:
    """Every violated obligation of a clause, of one clip or of all, in order of segment and time."""
    clips = len(card.family.clips)
    if any(clause == event.name for event in card.contract.event_clauses):
        events = card.event_clause(clause).violations
        return [event_violation(card, one) for one in events if clip is None or one.segment % clips == clip]
    frames = card.frame_violations(clause)
    places = np.arange(len(frames)) if clip is None else np.flatnonzero(frames.segment % clips == clip)
    return [frame_violation(card, frames, index, margins) for index in places.tolist()]


def name_ranks(family: Family) -> NDArray[np.int64]:
    """The places of the segments if clips were in the order of their names, not in that of the tables' rows."""
    # Sorting an order gives the rank of each: the second `argsort` turns places in the order into ranks by place.
    clips = np.argsort(np.argsort(np.array(family.clips, dtype=np.object_), kind="stable"), kind="stable")
    return (np.arange(len(family.classes))[:, None] * len(clips) + clips).reshape(-1)


def _worst_stretches(violations: FrameViolations, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places of violations by how far they are from holding, one from each stretch of neighbouring frames."""
    if not len(violations):
        return np.zeros(0, dtype=np.int64)
    # The neighbours of a frame fail for the same reason: the five worst would else be five frames of one event.
    new_stretch = np.ones(len(violations), dtype=np.bool_)
    new_stretch[1:] = (np.diff(violations.frame) != 1) | (np.diff(violations.segment) != 0)
    stretch = np.cumsum(new_stretch) - 1
    badness = violations.distances if violations.offset is not None else np.zeros(len(violations), dtype=np.int64)
    # The last key of a lexicographic sort counts first: how far, then clip and class by name, then the frame.
    order = np.lexsort((violations.frame, ranks[violations.segment], -badness))
    _, first = np.unique(stretch[order], return_index=True)
    worst: NDArray[np.int64] = order[np.sort(first)]
    return worst


def _event_badness(violation: EventViolation) -> float:
    """Missing partners first, then the largest shortfall."""
    # Finite floats, not infinities: ranks are kept in JSON by batches, which has no infinity.
    if violation.comparison is None:
        return -sys.float_info.max
    amount = violation.comparison.amount
    return -sys.float_info.max / 2 if isinstance(amount, Unbounded) else -float(amount)


def frame_violation(
    card: Scorecard, violations: FrameViolations, index: int, margins: ScoreMargins | None = None
) -> FrameViolationRecord:
    """One violated frame."""
    frame, step, segment = int(violations.frame[index]), card.family.step, int(violations.segment[index])
    margin = UNSET if margins is None else str(margins[violations.clause.name][index])
    part = FailingPart.of(card.contract, violations.spans[int(violations.span[index])])
    distance: NearestFrame | Literal["unbounded"] | None = None
    if violations.offset is not None:
        offset = int(violations.offset[index])
        distance = "unbounded" if offset == NO_WITNESS else NearestFrame(offset, abs(offset), abs(offset) * step)
    return FrameViolationRecord(*card.family.place(segment), frame, frame * step, part, distance, margin)


def event_violation(card: Scorecard, violation: EventViolation) -> EventViolationRecord:
    """One violated interval."""
    step = card.family.step
    return EventViolationRecord(
        *card.family.place(violation.segment),
        (violation.interval[0] * step, violation.interval[1] * step),
        (violation.partner[0] * step, violation.partner[1] * step) if violation.partner else None,
        FailingPart.of(card.contract, violation.span),
        ComparisonRecord.of(violation.comparison) if violation.comparison else None,
    )


def comparison_words(comparison: ComparisonRecord | None, *, has_partner: bool) -> str:
    """How far an interval is from holding, in words."""
    if comparison is None:
        return "does not hold" if has_partner else "no partner"
    return comparison.words


def _amount(value: Value) -> str:
    return "unbounded" if isinstance(value, Unbounded) else str(Fraction(value))
