"""Exact values and scores as records, as reports and audits carry them."""

from fractions import Fraction
from typing import Annotated

from msgspec import Meta

from tracepact.records import Count, Record, Share, ShareDecimal
from tracepact.scoring import Score
from tracepact.wording import rounded


class Value(Record, frozen=True):
    """An exact value and its decimal."""

    value: Share
    decimal: ShareDecimal


class ScoreValue(Value, frozen=True):
    """A score: satisfied divided by obligated under one aggregation, with its counts (7.2)."""

    satisfied: Annotated[Count, Meta(description="Satisfied obligations (7.1).")]
    obligated: Annotated[Count, Meta(description="Obligations (7.1).")]
    vacuous: Annotated[bool, Meta(description="No obligation and no counter evidence (7.3, 7.4).")]
    entries: Annotated[Count, Meta(description="The entries the aggregation took the mean of.")]
    vacuous_entries: Annotated[Count, Meta(description="Those of them that are vacuous and count 1 (7.3, 7.4).")]
    counter_entries: Annotated[
        Count, Meta(description="Those of them with an empty obligation and counter evidence, which count 0 (7.4).")
    ]


def value_of(value: Fraction) -> Value:
    """The record of a value from 0 to 1."""
    return Value(value, rounded(value))


def score_value(score: Score) -> ScoreValue:
    """The record of a score."""
    return ScoreValue(
        score.value,
        rounded(score.value),
        score.satisfied,
        score.obligated,
        score.vacuous,
        score.entries,
        score.vacuous_entries,
        score.counter_entries,
    )
