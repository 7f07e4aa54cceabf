"""Intervals over clips at thresholds that are held fixed, all from one pass over the draws (rules 20.8 and 24.20)."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tracepact.core import Aggregation, Contract
from tracepact.engines import Engine, Progress
from tracepact.scoring.aggregate import ClauseCounts
from tracepact.scoring.bootstrap import ClauseSums, Values, Weights, clause_sums, in_order, interval
from tracepact.scoring.clip_columns import ClipColumns, ClipParts
from tracepact.scoring.drawing import draw_values
from tracepact.scoring.uncertainty import Bootstrap
from tracepact.thresholds import Quantities, counts_of, weights_of
from tracepact.thresholds.quantities import ERROR_RATE
from tracepact.thresholds.steps import Whole

Ends = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Asked:
    """A quantity at a threshold, of all classes or of one."""

    name: str
    label: int | None
    threshold: Fraction


@dataclass(frozen=True, slots=True)
class _Counted:
    """Counts that quantities are made of: of a clause or of a metric, at a threshold, of all classes or of one."""

    name: str
    is_clause: bool
    label: int | None
    threshold: Fraction

    @property
    def key(self) -> str:
        """What its columns are called."""
        return f"{'clause' if self.is_clause else 'metric'} {self.name} {self.label} {self.threshold}"


def _counted(contract: Contract, asked: Asked) -> list[tuple[Fraction, _Counted]]:
    """What a quantity is the weighted mean of; the rate of a metric of its counts alone."""
    parts = weights_of(contract, asked.name)
    place = asked.label, asked.threshold
    if parts is None:
        return [(Fraction(1), _Counted(asked.name.partition("_")[0], False, *place))]
    return [(weight, _Counted(clause, True, *place)) for clause, weight in parts]


def clip_counts(quantities: Quantities, asked: Sequence[Asked], places: Whole) -> ClipParts:
    """What draws need of the clips of some quantities, whose numbers in the whole are given."""
    columns: dict[str, Whole] = {}
    for one in dict.fromkeys(part for each in asked for _, part in _counted(quantities.contract, each)):
        columns |= dict(_columns(quantities, one))
    return ClipParts.of(places, columns)


def _columns(quantities: Quantities, one: _Counted) -> Iterator[tuple[str, Whole]]:
    cut = quantities.given.levels.above(one.threshold)
    if one.is_clause:
        counts = counts_of(quantities.steps(one.name).at(cut)).select(label=one.label)
        kinds = (counts.satisfied, counts.obligated, counts.counter.astype(np.int64))
        yield from zip((f"{one.key} satisfied", f"{one.key} obligated", f"{one.key} counter"), kinds, strict=True)
        return
    found = quantities.metric(one.name)
    tallies = found.tallies.at(cut)
    yield f"{one.key} tallies", tallies if one.label is None else tallies[:, one.label : one.label + 1]
    if one.label is None and found.substitutions is not None:
        yield f"{one.key} swapped", found.substitutions.at(cut)[0, 0]


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """What draws have of some counts over some clips; of a metric three kinds by draws by classes, and by draws."""

    clauses: Mapping[_Counted, ClauseSums]
    metrics: Mapping[_Counted, tuple[Values, Values]]

    def __add__(self, other: "_Sums") -> "_Sums":
        metrics = {
            key: (found[0] + other.metrics[key][0], found[1] + other.metrics[key][1])
            for key, found in self.metrics.items()
        }
        return _Sums({key: found + other.clauses[key] for key, found in self.clauses.items()}, metrics)


@dataclass(frozen=True, slots=True)
class CurveDraws:
    """Quantities at thresholds, in draws: what each is the weighted mean of, and under which aggregation."""

    asked: tuple[Asked, ...]
    parts: tuple[tuple[tuple[float, _Counted], ...], ...]
    aggregations: tuple[Aggregation, ...]

    @classmethod
    def of(cls, quantities: Quantities, asked: Sequence[Asked]) -> "CurveDraws":
        """The draws of some quantities."""
        parts = []
        for one in asked:
            found = _counted(quantities.contract, one)
            total = sum(weight for weight, _ in found)
            parts.append(tuple((float(weight / total), counted) for weight, counted in found))
        return cls(tuple(asked), tuple(parts), tuple(quantities.aggregation(one.name) for one in asked))

    def sums(self, part: ClipColumns, weights: Weights, clips: int) -> _Sums:
        """What draws of so many clips have of those of a part."""
        clauses: dict[_Counted, ClauseSums] = {}
        metrics: dict[_Counted, tuple[Values, Values]] = {}
        for one in dict.fromkeys(counted for parts in self.parts for _, counted in parts):
            if one.is_clause:
                satisfied, obligated, counter = (
                    part[f"{one.key} {kind}"] for kind in ("satisfied", "obligated", "counter")
                )
                counts = ClauseCounts(satisfied, obligated, counter > 0)
                clauses[one] = clause_sums(counts, weights, clips, frozenset(self.aggregations))
                continue
            tallies = part[f"{one.key} tallies"].astype(np.float64)
            swapped = part[f"{one.key} swapped"] if f"{one.key} swapped" in part else np.zeros(weights.shape[1])
            drawn = np.stack([weights @ some.T for some in tallies])
            metrics[one] = drawn, weights @ swapped.astype(np.float64)
        return _Sums(clauses, metrics)

    def values(self, sums: _Sums) -> Mapping[Hashable, Values]:
        """Every quantity in every draw."""
        found: dict[Hashable, Values] = {}
        for one, parts, aggregation in zip(self.asked, self.parts, self.aggregations, strict=True):
            if not parts[0][1].is_clause:
                found[one] = _rate(one.name.partition("_")[2], *sums.metrics[parts[0][1]])
                continue
            values = [weight * sums.clauses[counted].scores(aggregation) for weight, counted in parts]
            found[one] = in_order(np.stack(values))
        return found


def _rate(rate: str, tallies: Values, swapped: Values) -> Values:
    """A rate of a metric in every draw; 0 where it is not defined."""
    tp, fp, fn = tallies  # draws × classes
    if not rate.startswith("macro_"):
        tp, fp, fn = (part.sum(axis=1, keepdims=True) for part in (tp, fp, fn))
    match rate.removeprefix("macro_"):
        case "precision":
            top, bottom = tp, tp + fp
        case "recall":
            top, bottom = tp, tp + fn
        case "f1":
            top, bottom = 2 * tp, 2 * tp + fp + fn
        case other:
            assert other == ERROR_RATE
            top, bottom = fp + fn - swapped[:, None], tp + fn
    defined = bottom > 0
    shares = np.where(defined, top / np.where(defined, bottom, 1.0), 0.0)
    return np.asarray(in_order(shares.T) / np.maximum(defined.sum(axis=1), 1))


def intervals_at(
    quantities: Quantities,
    asked: Sequence[Asked],
    parts: ClipParts,
    bootstrap: Bootstrap,
    engine: Engine,
    progress: Progress | None = None,
) -> dict[Asked, Ends]:
    """The interval of each quantity at its threshold."""
    if not asked:
        return {}
    draws = CurveDraws.of(quantities, asked)
    drawn = draw_values(draws, parts, quantities.given.shape[1], bootstrap, engine, progress)
    return {one: interval(drawn[one], bootstrap.level) for one in asked}
