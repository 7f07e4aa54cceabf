"""The margins of some clips as a record that can be added to that of others: what a report says of them, exact."""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm

from tracepact.core import Aggregation
from tracepact.records import Record
from tracepact.scoring import Scorecard
from tracepact.soft import Margin, SoftEntry, parse_margin
from tracepact.tools.score.margins import ScoreMargins

_BY_CLIP = tuple(aggregation for aggregation in Aggregation if not aggregation.steps.adds_clips)
_INFORMATIVE = (Aggregation.MACRO_CLIPS_INFORMATIVE, Aggregation.MACRO_CLASSES_INFORMATIVE)


class FractionSum(Record, frozen=True):
    """A sum of fractions, and how many there are."""

    total: Fraction
    number: int

    @classmethod
    def of(cls, values: Iterable[Fraction]) -> "FractionSum":
        """The sum of some fractions; those of one denominator are added first, which is faster."""
        found: dict[int, int] = {}
        number = 0
        for value in values:
            found[value.denominator] = found.get(value.denominator, 0) + value.numerator
            number += 1
        common = lcm(*found)
        return cls(Fraction(sum(part * (common // kind) for kind, part in found.items()), common), number)

    def __add__(self, other: "FractionSum") -> "FractionSum":
        return FractionSum(self.total + other.total, self.number + other.number)

    @property
    def mean(self) -> Fraction:
        """The mean; 1 of none, as a soft score is (rule 18.10)."""
        return self.total / self.number if self.number else Fraction(1)


class MarginsTally(Record, frozen=True):
    """The margins of one frame clause: sums by class, the mean of every clip, the least, and how often each fails.

    `violated` has the margins of the violated obligations, taken down to a thousandth, as text, with how many have
    each: a thousand at most, however many obligations there are.
    """

    totals: tuple[Fraction, ...]
    obligated: tuple[int, ...]
    means: dict[Aggregation, FractionSum]
    least: str | None
    violated: dict[str, int]

    @classmethod
    def of(cls, margins: ScoreMargins, card: Scorecard, clause: str) -> "MarginsTally":
        """The tally of the margins of a clause."""
        entries = margins.by_class(card, clause)
        rows = [sum((entry.total for entry in row), Fraction(0)) for row in entries]
        asked = [sum(entry.obligated for entry in row) for row in entries]
        least = min((entry.least for row in entries for entry in row if entry.least is not None), default=None)
        violated = Counter(map(_taken_down, margins.violated[clause].values()))
        means = {one: FractionSum.of(_clip_means(entries, informative=one in _INFORMATIVE)) for one in _BY_CLIP}
        return cls(tuple(rows), tuple(asked), means, None if least is None else str(least), dict(violated))

    def __add__(self, other: "MarginsTally") -> "MarginsTally":
        least = min((parse_margin(one) for one in (self.least, other.least) if one is not None), default=None)
        return MarginsTally(
            tuple(a + b for a, b in zip(self.totals, other.totals, strict=True)),
            tuple(a + b for a, b in zip(self.obligated, other.obligated, strict=True)),
            {one: mean + other.means[one] for one, mean in self.means.items()},
            None if least is None else str(least),
            dict(Counter(self.violated) + Counter(other.violated)),
        )

    def value(self, aggregation: Aggregation) -> Fraction:
        """The soft score under an aggregation (rule 18.10)."""
        if aggregation in self.means:
            return self.means[aggregation].mean
        if aggregation is Aggregation.POOLED:
            return FractionSum.of(_values([sum(self.totals, Fraction(0))], [sum(self.obligated)])).mean
        informative = aggregation in _INFORMATIVE
        return FractionSum.of(_values(self.totals, self.obligated, informative=informative)).mean

    @property
    def middle(self) -> str | None:
        """The middle one of the margins of the violated obligations, the lower of two; None if there are none."""
        place = (sum(self.violated.values()) - 1) // 2
        for margin in sorted(self.violated, key=parse_margin):
            if place < self.violated[margin]:
                return margin
            place -= self.violated[margin]
        return None


def _taken_down(margin: Margin) -> str:
    """The greatest thousandth that is not above a margin; what is infinite or zero stays."""
    if not isinstance(margin.size, Fraction) or not margin.size:
        return str(margin)
    return str(Fraction(margin.size.numerator * 1000 // margin.size.denominator, 1000))


def _clip_means(entries: Sequence[Sequence[SoftEntry]], *, informative: bool) -> Iterable[Fraction]:
    """The mean over the classes of every clip that counts."""
    for column in zip(*entries, strict=True):
        values = list(_values([e.total for e in column], [e.obligated for e in column], informative=informative))
        if values:
            yield sum(values, Fraction(0)) / len(values)


def _values(totals: Sequence[Fraction], obligated: Sequence[int], *, informative: bool = False) -> Iterable[Fraction]:
    """The mean margin of each part; 1 of one that asks nothing, which is left out where only informative ones count."""
    for total, asked in zip(totals, obligated, strict=True):
        if asked:
            yield total / asked
        elif not informative:
            yield Fraction(1)
