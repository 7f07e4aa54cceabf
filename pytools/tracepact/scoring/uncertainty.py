"""Intervals and differences over clips: how much of them is the choice of clips (rules 16.7 and 16.8)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tracepact.core import Aggregation
from tracepact.records import Count, Record, Share
from tracepact.scoring.aggregate import LOGIC, ClauseCounts, aggregate
from tracepact.scoring.bootstrap import (
    DRAWS,
    SEED,
    Values,
    Weights,
    drawn_exactly,
    drawn_scores,
    draws,
    in_order,
    interval,
    is_sum_over_clips,
)
from tracepact.scoring.scorecard import ScoreRows
from tracepact.scoring.vacuity import score_share
from tracepact.wording import count, short

LEVEL = Fraction(95, 100)
NEAR = 1e-9
"""Differences of floats nearer to zero than this are decided exactly."""

OUTSIDE = "†"
"""The mark of a value that its own interval leaves out (rule 16.7)."""
_OUTSIDE_NOTE = (
    f"{OUTSIDE}: the interval leaves out its own value: classes with few clips are missing from many draws, and the "
    "mean over the rest is another; do not rely on it"
)
_FEW = 20
"""Fewer clips than this are too few for a bootstrap to be relied on."""
_READ = 2e-6
"""Ends for reading have six places."""

Signs = NDArray[np.int8]
Parts = Mapping[str, Fraction]
"""The clauses of a weighted mean, each with its weight."""


class BootstrapUsed(Record, frozen=True):
    """How clips were drawn (16.7)."""

    draws: Annotated[int, Meta(ge=1)]
    seed: Count
    level: Share

    def words(self, clips: int) -> str:
        """How intervals over a number of clips were made, in words."""
        level = f"{short(self.level * 100)} %"
        return f"{level} intervals over {count(clips, 'clip')} ({count(self.draws, 'draw')}, seed {self.seed})"


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How clips are drawn (rule 16.7).

    Attributes:
        number: how many draws.
        seed: the seed of the generator.
        level: the level of the intervals.

    Examples:
        >>> import tracepact
        >>> tracepact.Bootstrap(number=1000).seed
        0
    """

    number: int = DRAWS
    seed: int = SEED
    level: Fraction = LEVEL

    @property
    def record(self) -> BootstrapUsed:
        """What is said of it beside its results."""
        return BootstrapUsed(self.number, self.seed, self.level)


USUAL = Bootstrap()


@dataclass(frozen=True, slots=True)
class Interval:
    """A score and the interval of its draws; the ends are for reading."""

    value: Fraction
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """A system minus the one it is compared with: exact, with the interval of its draws and its p."""

    value: Fraction
    low: float
    high: float
    p: Fraction


def outside_mark(value: Fraction | float | None, low: float | None, high: float | None) -> str:
    """The mark of a value outside its interval, else nothing."""
    if value is None or low is None or high is None:
        return ""
    return OUTSIDE if value < low - _READ or value > high + _READ else ""


def outside_notes(texts: Iterable[str]) -> list[str]:
    """What the mark means, if one of the texts has it."""
    return [_OUTSIDE_NOTE] if any(OUTSIDE in text for text in texts) else []


def few_clips_notes(clips: int) -> list[str]:
    """A caution where the clips are too few for a bootstrap to be relied on."""
    if clips >= _FEW:
        return []
    few = f"{count(clips, 'clip')} {'is' if clips == 1 else 'are'} few for a bootstrap"
    return [f"caution: {few}; with fewer than {_FEW} its intervals are often too narrow"]


def intervals(rows: ScoreRows, aggregation: Aggregation, bootstrap: Bootstrap = USUAL) -> dict[str, Interval]:
    """The score of every clause, and their mean as `logic`, each with its interval."""
    drawn = [
        _scores(rows.counts, aggregation, weights)
        for weights in draws(len(rows.clips), bootstrap.number, bootstrap.seed)
    ]
    values = exact_scores(rows.counts, aggregation)
    return intervals_of(values, {name: np.concatenate([some[name] for some in drawn]) for name in values}, bootstrap)


def intervals_of(
    values: Mapping[str, Fraction], drawn: Mapping[str, Values], bootstrap: Bootstrap
) -> dict[str, Interval]:
    """Values, each with the interval of its draws."""
    return {name: Interval(value, *interval(drawn[name], bootstrap.level)) for name, value in values.items()}


def differences(
    base: ScoreRows,
    other: ScoreRows,
    aggregation: Aggregation,
    bootstrap: Bootstrap = USUAL,
) -> dict[str, Difference]:
    """The other system minus the base, by clause and for `logic`; both have the same clips, classes and clauses."""
    drawn: list[dict[str, tuple[Values, Signs]]] = []
    for weights in draws(len(base.clips), bootstrap.number, bootstrap.seed):
        ours, theirs = (_scores(rows.counts, aggregation, weights) for rows in (other, base))
        drawn.append(
            {
                name: _signed(ours[name] - theirs[name], _parts(name, base), base, other, aggregation, weights)
                for name in ours
            }
        )
    before, after = exact_scores(base.counts, aggregation), exact_scores(other.counts, aggregation)
    found = {}
    for name in after:
        values, signs = (np.concatenate([some[name][part] for some in drawn]) for part in (0, 1))
        found[name] = Difference(
            after[name] - before[name], *interval(values, bootstrap.level), two_sided(signs.astype(np.int8))
        )
    return found


def drawn_vector(rows: ScoreRows, aggregation: Aggregation, bootstrap: Bootstrap = USUAL) -> dict[str, Values]:
    """The score of every clause in every draw."""
    drawn = [
        {name: drawn_scores(some, aggregation, weights) for name, some in rows.counts.items()}
        for weights in draws(len(rows.clips), bootstrap.number, bootstrap.seed)
    ]
    return {name: np.concatenate([some[name] for some in drawn]) for name in rows.counts}


def p_of(
    difference: Values,
    parts: Parts,
    base: ScoreRows,
    other: ScoreRows,
    aggregation: Aggregation,
    bootstrap: Bootstrap = USUAL,
) -> Fraction:
    """The two-sided p of drawn differences of a weighted mean; draws near zero are made again and decided exactly."""
    if not (np.abs(difference) < NEAR).any():
        return two_sided(np.sign(difference).astype(np.int8))
    signs: list[Signs] = []
    done = 0
    for weights in draws(len(base.clips), bootstrap.number, bootstrap.seed):
        some = difference[done : done + len(weights)]
        signs.append(_signed(some, parts, base, other, aggregation, weights)[1])
        done += len(weights)
    return two_sided(np.concatenate(signs))


def two_sided(signs: Signs) -> Fraction:
    """The two-sided p of the signs of drawn differences."""
    fewer = min(int((signs <= 0).sum()), int((signs >= 0).sum()))
    return min(Fraction(1), Fraction(2 * (1 + fewer), 1 + len(signs)))


def holm(values: Sequence[Fraction]) -> list[Fraction]:
    """Values of p, each corrected for all of them (Holm 1979)."""
    corrected = [Fraction(1)] * len(values)
    largest = Fraction(0)
    for rank, index in enumerate(sorted(range(len(values)), key=lambda k: values[k])):
        largest = max(largest, (len(values) - rank) * values[index])
        corrected[index] = min(Fraction(1), largest)
    return corrected


def exact_scores(counts: Mapping[str, ClauseCounts], aggregation: Aggregation) -> dict[str, Fraction]:
    """The vector and its mean as `logic`."""
    vector = {name: aggregate(some, aggregation).value for name, some in counts.items()}
    return {**vector, LOGIC: sum(vector.values(), Fraction(0)) / len(vector)}


def vacuous_shares(counts: Mapping[str, ClauseCounts], aggregation: Aggregation) -> dict[str, Fraction]:
    """How much of each score, and of `logic`, has no obligation behind it (rule 16.11)."""
    shares = {name: score_share(aggregate(some, aggregation)) for name, some in counts.items()}
    return {**shares, LOGIC: sum(shares.values(), Fraction(0)) / len(shares)}


def _scores(counts: Mapping[str, ClauseCounts], aggregation: Aggregation, weights: Weights) -> dict[str, Values]:
    """The scores of every draw, by clause and for `logic`."""
    return with_mean({name: drawn_scores(some, aggregation, weights) for name, some in counts.items()})


def with_mean(found: Mapping[str, Values]) -> dict[str, Values]:
    """The scores of every draw by clause, and their mean as `logic`."""
    return {**found, LOGIC: in_order(np.stack(list(found.values()))) / len(found)}


def _parts(name: str, rows: ScoreRows) -> Parts:
    """The clauses that a score is a mean of, each with its weight."""
    return dict.fromkeys(rows.counts, Fraction(1)) if name == LOGIC else {name: Fraction(1)}


def _signed(
    difference: Values, parts: Parts, base: ScoreRows, other: ScoreRows, aggregation: Aggregation, weights: Weights
) -> tuple[Values, Signs]:
    """The differences of every draw, and their signs: exactly computed where a float could mislead."""
    signs = np.sign(difference).astype(np.int8)
    near = np.abs(difference) < NEAR
    if not near.any():
        return difference, signs
    differ = _differ(base, other, list(parts))
    touched = weights @ differ.astype(np.float64) > 0
    signs[near & ~touched] = 0
    for draw in np.flatnonzero(near & touched).tolist():
        times = weights[draw].astype(np.int64)
        if is_sum_over_clips(aggregation):
            times *= differ  # the other clips add the same to both means
        ours_exactly, theirs_exactly = (
            sum(
                (weight * drawn_exactly(rows.counts[c], aggregation, times) for c, weight in parts.items()), Fraction(0)
            )
            for rows in (other, base)
        )
        signs[draw] = (ours_exactly > theirs_exactly) - (ours_exactly < theirs_exactly)
    return difference, signs


def _differ(base: ScoreRows, other: ScoreRows, clauses: Sequence[str]) -> NDArray[np.bool_]:
    """The clips on which two systems differ in some count of these clauses."""
    found = np.zeros(len(base.clips), dtype=np.bool_)
    for name in clauses:
        a, b = base.counts[name], other.counts[name]
        for x, y in ((a.satisfied, b.satisfied), (a.obligated, b.obligated), (a.counter, b.counter)):
            found |= (x != y).any(axis=0)
    return found
