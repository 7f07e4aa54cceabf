"""Counts of one decoding, hystereses, and quotients of sums over classes (rules 13.9 and 20.10)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.data.events import NOWHERE, ScoreField, levels_of_texts
from tracepact.evaluate.scores import aggregate
from tracepact.language.contract import Aggregation, Contract, OmittedEntries
from tracepact.thresholds.family import Detections
from tracepact.thresholds.quantities import MetricRate, Quantities, weights_of
from tracepact.thresholds.steps import CountSteps, Values, Whole, best, counts_of

# A hysteresis with one of its thresholds held: a field whose thresholds are the other one (rules 13.9 and 20.10).

Cuts = Mapping[str, int]
"""A cut for each class."""


def with_low(field: ScoreField, low: Cuts) -> ScoreField:
    """The field whose threshold is the high one: a frame has the greatest rank of its run above the low threshold."""
    return _changed(field, low, _peaks)


def with_high(field: ScoreField, high: Cuts) -> ScoreField:
    """The field whose threshold is the low one: a frame has the greatest rank at which its run reaches the high one."""
    return _changed(field, high, _reached)


def columns_of(fields: Mapping[str, ScoreField]) -> ScoreField:
    """The field whose every column is that of a field by class."""
    first = next(iter(fields.values()))
    clips = {}
    for clip, scores in first.clips.items():
        columns = [fields[label].clips[clip].ranks[:, place] for place, label in enumerate(first.classes)]
        clips[clip] = replace(scores, ranks=np.stack(columns, axis=1))
    return replace(first, clips=clips)


def active_at(field: ScoreField | Detections, cuts: Cuts) -> ScoreField | Detections:
    """The scores or confidences of zeros and ones that at cut 1 have each class at its own cut."""
    levels, (zero, one) = levels_of_texts(["0", "1"])
    if isinstance(field, Detections):
        own = np.array([cuts[event.label] for _, event in field.table.events], dtype=np.int64)
        return replace(field, levels=levels, ranks=np.where(field.ranks >= own, one, zero))
    held = np.array([cuts[label] for label in field.classes], dtype=np.int64)
    clips = {
        clip: replace(scores, ranks=np.where(scores.ranks >= held, one, zero)) for clip, scores in field.clips.items()
    }
    return replace(field, levels=levels, clips=clips)


def _changed(field: ScoreField, cuts: Cuts, change: Callable[[Whole, Whole], Whole]) -> ScoreField:
    held = np.array([cuts[label] for label in field.classes], dtype=np.int64)
    clips = {clip: replace(scores, ranks=change(scores.ranks, held)) for clip, scores in field.clips.items()}
    return replace(field, clips=clips)


def _peaks(ranks: Whole, low: Whole) -> Whole:
    """The greatest rank of the run of ranks from `low` on that each frame is in; NOWHERE outside of runs."""
    inside = ranks >= low
    ahead = np.where(inside, ranks, NOWHERE)
    back = ahead.copy()
    for frame in range(1, len(ranks)):
        ahead[frame] = np.where(inside[frame], np.maximum(ahead[frame], ahead[frame - 1]), NOWHERE)
        last = len(ranks) - 1 - frame
        back[last] = np.where(inside[last], np.maximum(back[last], back[last + 1]), NOWHERE)
    return np.maximum(ahead, back)


def _reached(ranks: Whole, high: Whole) -> Whole:
    """The greatest rank that all frames from one on up to a frame of rank `high` or more have."""
    ahead = np.where(ranks >= high, ranks, NOWHERE)
    back = ahead.copy()
    for frame in range(1, len(ranks)):
        ahead[frame] = np.maximum(ahead[frame], np.minimum(ahead[frame - 1], ranks[frame]))
        last = len(ranks) - 1 - frame
        back[last] = np.maximum(back[last], np.minimum(back[last + 1], ranks[last]))
    return np.maximum(ahead, back)


# The counts of one decoding, whatever it is for each class and clip, and the exact values they give.


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The counts of clauses and metrics by name, counts × classes × clips; substitutions of metrics by clip."""

    parts: Mapping[str, Whole]
    swapped: Mapping[str, Whole]

    def value(
        self, quantities: Quantities, name: str, aggregation: Aggregation | None = None, label: int | None = None
    ) -> Fraction | None:
        """The value of a quantity, of all classes or of one; None where it is undefined."""
        rows = slice(None) if label is None else slice(label, label + 1)
        weights = weights_of(quantities.contract, name)
        if weights is None:
            return self._rate(name, rows)
        chosen = quantities.aggregation(name, aggregation)
        total = sum((weight for _, weight in weights), Fraction(0))
        scores = (weight * aggregate(counts_of(self.parts[c][:, rows]), chosen).value for c, weight in weights)
        return sum(scores, Fraction(0)) / total

    def some(self, clips: Whole) -> "Counted":
        """The counts of some clips."""
        parts = {name: counts[:, :, clips] for name, counts in self.parts.items()}
        return Counted(parts, {name: counts[clips] for name, counts in self.swapped.items()})

    def _rate(self, name: str, rows: slice) -> Fraction | None:
        rate = MetricRate.of(name)
        tallies = self.parts[rate.metric][:, rows].sum(axis=2)
        groups = tallies.T if rate.macro else tallies.sum(axis=1)[None, :]
        swapped = self.swapped.get(rate.metric) if rate.spares and rows == slice(None) else None
        spared = 0 if swapped is None else int(swapped.sum())
        pairs = [(int(row @ np.asarray(rate.top)) - spared, int(row @ np.asarray(rate.bottom))) for row in groups]
        shares = [Fraction(a, b) for a, b in pairs if b]
        return sum(shares, Fraction(0)) / len(shares) if shares else None


def parts_of(contract: Contract, names: list[str]) -> tuple[list[str], list[str]]:
    """The clauses and the metrics that quantities are made of."""
    clauses: dict[str, None] = {}
    metrics: dict[str, None] = {}
    for name in names:
        weights = weights_of(contract, name)
        if weights is None:
            metrics[name.partition("_")[0]] = None
        else:
            clauses |= dict.fromkeys(clause for clause, _ in weights)
    return list(clauses), list(metrics)


def counted_at(quantities: Quantities, names: list[str], cuts: list[int]) -> Counted:
    """The counts that quantities need, each class at its own cut.

    Substitutions belong to no class: they are counted where all classes have one cut.
    """
    clauses, metrics = parts_of(quantities.contract, names)
    steps = {c: quantities.steps(c) for c in clauses} | {m: quantities.metric(m).tallies for m in metrics}
    parts = {
        name: np.concatenate([found.label(k).at(cut) for k, cut in enumerate(cuts)], axis=1)
        for name, found in steps.items()
    }
    swapped = {}
    for metric in metrics if len(set(cuts)) == 1 else ():
        if (found := quantities.metric(metric).substitutions) is not None:
            swapped[metric] = found.at(cuts[0])[0, 0]
    return Counted(parts, swapped)


def by_folds(parts: list[tuple[Whole, Counted]]) -> Counted:
    """The counts of all clips, those of some clips out of each part."""
    first = parts[0][1]
    parts_of_all = {name: np.zeros_like(counts) for name, counts in first.parts.items()}
    swapped = {name: np.zeros_like(counts) for name, counts in first.swapped.items()}
    for clips, counted in parts:
        for name, counts in counted.parts.items():
            parts_of_all[name][:, :, clips] = counts[:, :, clips]
        for name in swapped:
            swapped[name][clips] = counted.swapped[name][clips]
    return Counted(parts_of_all, swapped)


# Thresholds of all classes at once for a quotient of sums over classes: no combination is better (rule 20.10).
#
# A pooled score and a micro rate are Σ top / Σ bottom over the classes, each summand a function of its class's cut
# alone. A mean over the classes that are not left out is one too: a class adds its value and 1, or 0 and 0.
#
# Dinkelbach's method: with λ the value reached, every class takes the cut with the greatest top − λ · bottom. If
# the sum of these is positive, their quotient is greater than λ, and the step is repeated from it. If it is not,
# then every combination has Σ top ≤ λ · Σ bottom, so that none is better than λ. Each step reaches a greater
# quotient out of finitely many, so it ends. A positive sum never has Σ bottom = 0: where a bottom is 0, so is its
# top.

_EXACT = 1 << 31
"""Products of two whole numbers below this fit in 63 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """What a class may add to a quotient: its cuts, and the top and the bottom at each."""

    cuts: Whole
    top: NDArray[Any]
    bottom: NDArray[Any]

    def within(self, low: int, high: int) -> "Options":
        """The options that the cuts from low to high have, each at its first of them."""
        first, last = (int(np.searchsorted(self.cuts, cut, side="right")) - 1 for cut in (low, high))
        here = slice(first, last + 1)
        return Options(np.maximum(self.cuts[here], low), self.top[here], self.bottom[here])


def best_quotient(classes: Sequence[Options], start: Fraction, *, least: bool = False) -> list[int] | None:
    """The place of each class's option in a combination whose quotient none exceeds; None if none exceeds `start`.

    With `least`, none is below it; the bottoms must then not depend on the choice.
    """
    sign = -1 if least else 1
    reached, chosen = start, None
    while True:
        places = [int(np.argmax(sign * _excess(own, reached))) for own in classes]
        tops, bottoms = (
            sum(part[place] for part, place in zip(parts, places, strict=True))
            for parts in ([own.top for own in classes], [own.bottom for own in classes])
        )
        top, bottom = Fraction(tops), Fraction(bottoms)
        if sign * (top - reached * bottom) <= 0:
            return chosen
        reached, chosen = top / bottom, places


def _excess(own: Options, reached: Fraction) -> NDArray[Any]:
    """The top less the quotient reached times the bottom, in whole parts or in fractions; exact."""
    p, q = reached.numerator, reached.denominator
    largest = max(p, q, *(int(part.max(initial=0)) for part in (own.top, own.bottom)))
    if largest >= _EXACT:
        return np.asarray(own.top.astype(object) * q - own.bottom.astype(object) * p)
    return np.asarray(own.top * q - own.bottom * p)


def options_of(
    quantities: Quantities,
    name: str,
    aggregation: Aggregation | None,
    label: int,
    cuts: tuple[int, int],
    clips: Whole | None,
) -> Options | None:
    """What a class adds to a quantity at each cut; None if the quantity is not one quotient of sums over classes.

    Substitutions belong to two classes and are left out.
    """
    parts = weights_of(quantities.contract, name)
    if parts is None:
        metric_rate = MetricRate.of(name)
        if metric_rate.macro:
            return _mean_options(quantities.values(name, label=label, clips=clips).within(*cuts), cuts[1])
        tallies = quantities.metric(metric_rate.metric).tallies
        return _counted(tallies, metric_rate.top, metric_rate.bottom, label, clips).within(*cuts)
    rule = quantities.aggregation(name, aggregation).steps
    if rule.adds_classes:
        if len(parts) > 1:
            return None
        steps = quantities.steps(parts[0][0])
        first, second = (tuple(int(k == place) for k in range(len(steps.base))) for place in (0, 1))
        return _counted(steps, first, second, label, clips).within(*cuts)
    values = quantities.values(name, aggregation, label=label, clips=clips).within(*cuts)
    if rule.leaves_out is OmittedEntries.NOTHING:
        top_value = best(values, cuts[1], allowed=None, marked=True)
        return None if top_value is None else _listed([(top_value.stretches[0][0], top_value.value, 1)])
    return _mean_options(values, cuts[1]) if rule.adds_clips and len(parts) == 1 else None


def _counted(steps: CountSteps, top: Sequence[int], bottom: Sequence[int], label: int, clips: Whole | None) -> Options:
    own = steps.label(label)
    cuts, counts = (own if clips is None else own.select(clips)).running()
    return Options(cuts, np.asarray(top) @ counts, np.asarray(bottom) @ counts)


def _mean_options(values: Values, last: int) -> Options:
    """The best value with 1, and where the class can be left out, 0 with 0: no other option is ever greater."""
    top = best(values, last)
    rows: list[tuple[int, Fraction, int]] = [] if top is None else [(top.stretches[0][0], top.value, 1)]
    out = np.flatnonzero(~values.earned)
    if len(out):
        rows.append((int(values.cuts[out[0]]), Fraction(0), 0))
    return _listed(rows)


def _listed(rows: Sequence[tuple[int, Fraction, int]]) -> Options:
    cuts, tops, bottoms = zip(*rows, strict=True)
    return Options(np.array(cuts), np.array(tops, dtype=object), np.array(bottoms, dtype=object))
