"""Violated obligations as records: which of them a report shows, worst first, and how far each is from holding."""

import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Literal

import numpy as np
from msgspec import UNSET, Meta, UnsetType, field
from numpy.typing import NDArray

from tracepact.core import Contract, EventClause, FrameClause, Quantity
from tracepact.diagnostics import Span
from tracepact.events import EventViolation, FailedComparison, Unbounded, Value
from tracepact.records import Count, Name, NotNegative, OneOf, Record
from tracepact.scoring import NO_WITNESS, FrameViolations, Scorecard
from tracepact.tools.score.margins import ScoreMargins
from tracepact.tools.score.report.scores import SoftValue, margin_words
from tracepact.trace import Family
from tracepact.wording import short

SHOWN = 5

_Clip = Annotated[str, Meta(description="The clip.")]
_Label = Annotated[str, Meta(description="The class.")]
_Seconds = Annotated[tuple[NotNegative, NotNegative], Meta(description="Onset and offset in seconds, exact.")]
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

    quantity: Annotated[Quantity, Meta(description="The type of both sides (4.3).")]
    left: _Amount
    right: _Amount
    amount: _Amount

    @classmethod
    def of(cls, found: FailedComparison) -> "ComparisonRecord":
        """The record of a comparison that failed."""
        return cls(found.quantity, _amount(found.left), _amount(found.right), _amount(found.amount))

    @property
    def words(self) -> str:
        """Its sides in words."""
        unit = " s" if self.quantity is Quantity.TIME else ""
        left, right = (side if side == "unbounded" else short(side) for side in (self.left, self.right))
        return f"{left}{unit} against {right}{unit}"


class ViolationRecord(OneOf):
    """A violated obligation."""

    __slots__ = ()


class FrameViolationRecord(Record, ViolationRecord, frozen=True):
    """A violated obligation of a frame clause."""

    clip: _Clip
    label: _Label = field(name="class")
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
                return f"no witness in the clip{in_score}"


class EventViolationRecord(Record, ViolationRecord, frozen=True):
    """A violated obligation of an event clause."""

    clip: _Clip
    label: _Label = field(name="class")
    interval: _Seconds
    partner: Annotated[_Seconds | None, Meta(description="What the matcher gave the interval; null if nothing (4.4).")]
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
    shown: Annotated[tuple[ViolationRecord, ...], Meta(description="The worst of them.")]


def shown_violations(
    card: Scorecard, clause: FrameClause | EventClause, most: int = SHOWN, *, margins: ScoreMargins | None = None
) -> ClauseViolations:
    """The worst violations of a clause and how many there are in all."""
    total, worst = ranked_violations(card, clause, most, margins=margins)
    return ClauseViolations(clause.name, total, tuple(found for *_, found in worst))


def ranked_violations(
    card: Scorecard, clause: FrameClause | EventClause, most: int = SHOWN, *, margins: ScoreMargins | None = None
) -> tuple[int, list[tuple[float, int, int, FrameViolationRecord | EventViolationRecord]]]:
    """How many violations a clause has, and the worst: each with rank (less is worse), segment and frame."""
    if isinstance(clause, EventClause):
        found = card.event_clause(clause.name)
        badness = [_event_badness(violation) for violation in found.violations]
        ranks = name_ranks(card.family)
        order = sorted(
            range(len(badness)),
            key=lambda i: (badness[i], ranks[found.violations[i].segment], found.violations[i].interval),
        )
        worst = [(badness[i], found.violations[i]) for i in order[:most]]
        return len(badness), [(rank, v.segment, v.interval[0], event_violation(card, v)) for rank, v in worst]
    frames = card.frame_violations(clause.name)
    distances = frames.distances
    return len(frames), [
        (
            -float(distances[i]) if frames.offset is not None else 0.0,
            int(frames.segment[i]),
            int(frames.frame[i]),
            frame_violation(card, frames, i, margins),
        )
        for i in _worst_frames(frames, most, name_ranks(card.family))
    ]


def all_violations(
    card: Scorecard, clause: str, margins: ScoreMargins | None = None
) -> Sequence[FrameViolationRecord | EventViolationRecord]:
    """Every violated obligation of a clause, in order of segment and time."""
    if any(clause == found.name for found in card.contract.event_clauses):
        return [event_violation(card, violation) for violation in card.event_clause(clause).violations]
    found = card.frame_violations(clause)
    return [frame_violation(card, found, index, margins) for index in range(len(found))]


def name_ranks(family: Family) -> NDArray[np.int64]:
    """The places of the segments if clips were in the order of their names, not in that of the tables' rows."""
    clips = np.argsort(np.argsort(np.array(family.clips, dtype=np.object_), kind="stable"), kind="stable")
    return (np.arange(len(family.classes))[:, None] * len(clips) + clips).reshape(-1)


def _worst_frames(found: FrameViolations, most: int, ranks: NDArray[np.int64]) -> list[int]:
    """The farthest from holding, but one from each stretch of neighbouring frames, so that a clip shows once."""
    if not len(found):
        return []
    new_stretch = np.ones(len(found), dtype=np.bool_)
    new_stretch[1:] = (np.diff(found.frame) != 1) | (np.diff(found.segment) != 0)
    stretch = np.cumsum(new_stretch) - 1
    badness = found.distances if found.offset is not None else np.zeros(len(found), dtype=np.int64)
    order = np.lexsort((found.frame, ranks[found.segment], -badness))
    _, first = np.unique(stretch[order], return_index=True)
    return [int(i) for i in order[np.sort(first)][:most]]


def _event_badness(found: EventViolation) -> float:
    """Missing partners first, then the largest shortfall."""
    if found.comparison is None:
        return -sys.float_info.max
    amount = found.comparison.amount
    return -sys.float_info.max / 2 if isinstance(amount, Unbounded) else -float(amount)


def frame_violation(
    card: Scorecard, found: FrameViolations, index: int, margins: ScoreMargins | None = None
) -> FrameViolationRecord:
    """One violated frame."""
    frame, step, segment = int(found.frame[index]), card.family.step, int(found.segment[index])
    margin = UNSET if margins is None else str(margins.violated[found.clause.name][segment, frame])
    part = FailingPart.of(card.contract, found.spans[int(found.span[index])])
    distance: NearestFrame | Literal["unbounded"] | None = None
    if found.offset is not None:
        offset = int(found.offset[index])
        distance = "unbounded" if offset == NO_WITNESS else NearestFrame(offset, abs(offset), abs(offset) * step)
    return FrameViolationRecord(*card.family.place(segment), frame, frame * step, part, distance, margin)


def event_violation(card: Scorecard, found: EventViolation) -> EventViolationRecord:
    """One violated interval."""
    step = card.family.step
    return EventViolationRecord(
        *card.family.place(found.segment),
        (found.interval[0] * step, found.interval[1] * step),
        (found.partner[0] * step, found.partner[1] * step) if found.partner else None,
        FailingPart.of(card.contract, found.span),
        ComparisonRecord.of(found.comparison) if found.comparison else None,
    )


def comparison_words(comparison: ComparisonRecord | None, *, has_partner: bool) -> str:
    """How far an interval is from holding, in words."""
    if comparison is None:
        return "does not hold" if has_partner else "no partner"
    return comparison.words


def _amount(value: Value) -> str:
    return "unbounded" if isinstance(value, Unbounded) else str(Fraction(value))
