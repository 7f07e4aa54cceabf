"""How much of a value is the choice of clips: intervals, differences, ranks, drawn here or by an engine."""

import errno
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, Generic, Protocol

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tracepact.engines import Engine, EngineKind, EngineProgress, S, Work, run_tasks
from tracepact.evaluate.draws import (
    DRAWS,
    SEED,
    ClipColumns,
    ClipParts,
    Values,
    Weights,
    drawn_exactly,
    drawn_scores,
    draws,
    in_order,
    interval,
    is_sum_over_clips,
)
from tracepact.evaluate.scorecard import ScoreRows
from tracepact.evaluate.scores import LOGIC, ClauseCounts, aggregate, score_share
from tracepact.language.contract import Aggregation
from tracepact.records import Count, Record, Share
from tracepact.wording import count, short

# Intervals and differences over clips: how much of them is the choice of clips (rules 16.7 and 16.8).

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
class SystemDifference:
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
    drawn = with_mean(drawn_vector(rows, aggregation, bootstrap))
    return intervals_of(exact_scores(rows.counts, aggregation), drawn, bootstrap)


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
) -> dict[str, SystemDifference]:
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
    compared = {}
    for name in after:
        values, signs = (np.concatenate([some[name][part] for some in drawn]) for part in (0, 1))
        compared[name] = SystemDifference(
            after[name] - before[name], *interval(values, bootstrap.level), two_sided(signs.astype(np.int8))
        )
    return compared


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
    # Zeros count on both sides, and 1 is added on top and bottom, as for any p by simulation (Davison and Hinkley
    # 1997): no p is 0, and equal systems have 1.
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


def with_mean(scores: Mapping[str, Values]) -> dict[str, Values]:
    """The scores of every draw by clause, and their mean as `logic`."""
    return {**scores, LOGIC: in_order(np.stack(list(scores.values()))) / len(scores)}


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
    # Systems that are alike on every drawn clip differ by exactly 0, whatever floats say: no draw of such clips needs
    # fractions.
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
    differing = np.zeros(len(base.clips), dtype=np.bool_)
    for name in clauses:
        a, b = base.counts[name], other.counts[name]
        for x, y in ((a.satisfied, b.satisfied), (a.obligated, b.obligated), (a.counter, b.counter)):
            differing |= (x != y).any(axis=0)
    return differing


# Ranks of several systems by one value, and the interval of each rank over the draws (rules 16.12, 16.16, 16.17).

Number = Fraction | float


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a system stands: its rank, None if it has none, and the interval of its rank."""

    rank: int | None
    low: int | None = None
    high: int | None = None


def ranks(
    values: Sequence[Number | None], earned: Sequence[bool], *, higher_is_better: bool = True
) -> list[int | None]:
    """1 + the number of better values; equal ones share a rank, and what is not earned or has no value has none."""
    ranked = [value if is_earned else None for value, is_earned in zip(values, earned, strict=True)]
    known = [value for value in ranked if value is not None]

    def rank(value: Number) -> int:
        return 1 + sum(other > value if higher_is_better else other < value for other in known)

    return [None if value is None else rank(value) for value in ranked]


def standings(
    values: Sequence[Number | None],
    earned: Sequence[bool],
    drawn: Sequence[Values | None],
    level: Fraction,
    *,
    higher_is_better: bool = True,
) -> list[Standing]:
    """The rank of every system, with its interval where all that are ranked have draws.

    In a draw what has no value is behind all that have one.
    """
    places = ranks(values, earned, higher_is_better=higher_is_better)
    ranked = [index for index, rank in enumerate(places) if rank is not None]
    draws = [some for index in ranked if (some := drawn[index]) is not None]
    if len(draws) < len(ranked) or not draws:
        return [Standing(rank) for rank in places]
    table = np.stack(draws) if higher_is_better else -np.stack(draws)
    # A comparison with NaN is false: without this a system without a value would share the first rank.
    table[np.isnan(table)] = -np.inf
    ends = {
        index: interval(1.0 + (table > own + NEAR).sum(axis=0), level) for index, own in zip(ranked, table, strict=True)
    }
    return [
        Standing(rank, *(int(end) for end in ends[index])) if index in ends else Standing(rank)
        for index, rank in enumerate(places)
    ]


# Draws of clips by an engine: ranges of draws are tasks, over packed counts of clips (rule 24.20).

_CELLS = 2**26
"""How many clips of draws are held at once, two bytes each."""
_FLOATS = 2**23
"""How many of them are added at once, eight bytes each: the clips of a part."""
_TASKS = 4
"""How many ranges of draws each worker gets: some take longer than others."""


class DrawnValues(Protocol[S]):
    """What is drawn: how draws add up over the clips of a part, and what values such sums give.

    It is sent to other processes.
    """

    def sums(self, part: ClipColumns, weights: Weights, clips: int) -> S:
        """What draws of `clips` clips have of the clips of a part."""

    def values(self, sums: S) -> Mapping[Hashable, Values]:
        """Every value in every draw."""


@dataclass(frozen=True, slots=True)
class DrawRange:
    """Consecutive draws: the number of the first, how many, and the state of the generator before them."""

    first: int
    number: int
    state: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _DrawJob(Generic[S]):
    drawn: DrawnValues[S]
    parts: ClipParts
    clips: int


@dataclass(frozen=True, slots=True, eq=False)
class _RangeValues:
    """The values of some ranges of draws, each with the number of its first draw; and what was given up."""

    values: tuple[tuple[int, Mapping[Hashable, Values]], ...]
    given_up: tuple[str, ...] = ()

    def __add__(self, other: "_RangeValues") -> "_RangeValues":
        return _RangeValues(self.values + other.values, self.given_up + other.given_up)


def draw_values(
    drawn: DrawnValues[S],
    parts: ClipParts,
    clips: int,
    bootstrap: Bootstrap,
    engine: Engine,
    progress: EngineProgress | None = None,
) -> dict[Hashable, Values]:
    """Every value in every draw of clips, as `draws` makes them; OSError if some draws failed three times."""
    tasks = 1 if engine.kind is EngineKind.LOCAL else _TASKS * engine.number
    work: Work[_RangeValues] = Work(
        partial(_draw, _DrawJob(drawn, parts, clips)), ranges(clips, bootstrap, tasks), _not_drawn
    )
    if progress is not None:
        progress.stage("draws of clips", len(work.tasks))
    ranges_drawn = run_tasks(engine, work, progress)
    assert ranges_drawn is not None  # there is at least one draw
    if ranges_drawn.given_up:
        raise OSError(errno.EIO, f"draws of clips failed three times: {ranges_drawn.given_up[0]}")
    in_order = [values for _, values in sorted(ranges_drawn.values, key=lambda one: one[0])]
    return {name: np.concatenate([some[name] for some in in_order]) for name in in_order[0]}


def ranges(clips: int, bootstrap: Bootstrap, number: int) -> list[DrawRange]:
    """The draws in about `number` ranges; the generator is run through for its state before each."""
    # The generator is not jumped ahead but run through: draws are then those of one process, however many share the
    # work.
    generator = np.random.default_rng(bootstrap.seed)
    size = -(-bootstrap.number // min(number, bootstrap.number))
    parts = []
    for first in range(0, bootstrap.number, size):
        some = min(size, bootstrap.number - first)
        parts.append(DrawRange(first, some, generator.bit_generator.state))
        if first + some < bootstrap.number:
            for _ in range(some):
                _chosen(generator, clips)
    return parts


def _chosen(generator: np.random.Generator, clips: int) -> NDArray[np.int64]:
    """The clips of the next draw."""
    return generator.integers(0, max(clips, 1), size=clips)


def _not_drawn(task: DrawRange, why: str) -> _RangeValues:
    return _RangeValues((), (why,))


def _draw(job: _DrawJob[S], task: DrawRange) -> _RangeValues:
    """The values of a range of draws, in portions that fit into memory."""
    generator = np.random.default_rng()
    generator.bit_generator.state = dict(task.state)
    largest = max(part.places.shape[0] for _, part in job.parts.parts)
    portion = max(1, min(_CELLS // max(job.clips, 1), _FLOATS // max(largest, 1)))
    portions = []
    for start in range(0, task.number, portion):
        weights = _weights(generator, job.clips, min(portion, task.number - start))
        portions.append((task.first + start, job.drawn.values(_summed(job, weights))))
    return _RangeValues(tuple(portions))


def _weights(generator: np.random.Generator, clips: int, number: int) -> NDArray[np.uint16]:
    """How often each of some draws has each clip."""
    weights = np.empty((number, clips), dtype=np.uint16)
    for row in weights:
        times = np.bincount(_chosen(generator, clips), minlength=clips)
        assert int(times.max(initial=0)) <= np.iinfo(np.uint16).max
        row[:] = times
    return weights


def _summed(job: _DrawJob[S], weights: NDArray[np.uint16]) -> S:
    total: S | None = None
    for _, part in job.parts.parts:
        places = part.places.array
        sums = job.drawn.sums(part, weights[:, places].astype(np.float64), job.clips)
        total = sums if total is None else total + sums
    assert total is not None  # there are clips
    return total
