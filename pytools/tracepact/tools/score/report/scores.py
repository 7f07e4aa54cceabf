"""Scores and values as records: the parts that reports share with everything else that shows scores."""

from fractions import Fraction
from typing import Annotated

from msgspec import Meta

from tracepact.records import Count, Record, Share, ShareDecimal
from tracepact.scoring import Score
from tracepact.wording import rounded


class ValueRecord(Record, frozen=True):
    """An exact value and its decimal."""

    value: Share
    decimal: ShareDecimal

    @classmethod
    def of(cls, value: Fraction) -> "ValueRecord":
        """The record of a value."""
        return cls(value, rounded(value))


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
