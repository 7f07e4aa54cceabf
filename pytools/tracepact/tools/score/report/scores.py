"""Scores and values as records: the parts that reports share with everything else that shows scores."""

from fractions import Fraction
from typing import Annotated

from msgspec import Meta

from tracepact.core import Aggregation
from tracepact.records import Count, Exact, Name, Record, Share, ShareDecimal
from tracepact.scoring import Score
from tracepact.scoring.vacuity import vacuous_share
from tracepact.wording import decimal, rounded

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
    return decimal(Fraction(text))


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
