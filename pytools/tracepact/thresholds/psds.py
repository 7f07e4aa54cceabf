"""The polyphonic sound detection score: its ROC over every threshold, and the area under it (rule 20.5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, sqrt

import numpy as np

from tracepact.thresholds.family import FieldFamily
from tracepact.thresholds.intersection import Criteria, Intersections, intersections
from tracepact.thresholds.runs import LevelRuns
from tracepact.thresholds.steps import Steps, Whole

HOUR = 3600


@dataclass(frozen=True, slots=True)
class Psds:
    """What a PSDS is taken with.

    Attributes:
        criteria: the intersection criteria.
        alpha_ct: how much cross triggers count beside false positives.
        alpha_st: how much the deviation between classes counts.
        e_max: up to how many effective false positives an hour the area is taken.
    """

    criteria: Criteria
    alpha_ct: Fraction = Fraction(0)
    alpha_st: Fraction = Fraction(0)
    e_max: Fraction = Fraction(100)


def _shares(*texts: str) -> list[Fraction]:
    return [Fraction(text) for text in texts]


SCENARIOS = {
    "psds1": Psds(Criteria(*_shares("0.7", "0.7")), Fraction(0), Fraction(1)),
    "psds2": Psds(Criteria(*_shares("0.1", "0.1", "0.3")), Fraction(1, 2), Fraction(1)),
}
"""The two scenarios of DCASE Task 4, by name."""


@dataclass(frozen=True, slots=True)
class RocPoint:
    """An operating point of a class: the least effective false positives an hour at which so much is found.

    Attributes:
        rate: effective false positives an hour.
        found: the share of the references that are found.
        cut: the least cut that gives the point.
    """

    rate: Fraction
    found: Fraction
    cut: int


@dataclass(frozen=True, slots=True)
class PsdsResult:
    """A PSDS with its ROC.

    Attributes:
        value: the score; exact if alpha_st is 0.
        roc: from each rate on, the effective share found, up to e_max.
        classes: by class, its own score; None for a class without references.
        rocs: by class, its operating points, ascending.
    """

    value: Fraction | float | None
    roc: tuple[tuple[Fraction, Fraction | float], ...]
    classes: dict[str, Fraction | None]
    rocs: dict[str, tuple[RocPoint, ...]]


def psds(given: FieldFamily, how: Psds, runs: LevelRuns | None = None) -> PsdsResult:
    """The PSDS of a field over every threshold."""
    return psds_of(intersections(given, how.criteria, runs), given.classes, given.seconds, how)


def psds_of(counted: Intersections, names: Sequence[str], seconds: Fraction, how: Psds) -> PsdsResult:
    """The PSDS of what was counted of classes in clips that last so long together."""
    rocs = {
        name: _class_roc(counted, label, seconds / HOUR, how)
        for label, name in enumerate(names)
        if counted.references[label]
    }
    roc = _mean_roc(list(rocs.values()), how) if rocs else []
    classes = {
        name: _area([(p.rate, p.found) for p in rocs[name]], how.e_max) if name in rocs else None for name in names
    }
    value = _area(roc, how.e_max) if rocs else None
    return PsdsResult(value, tuple(roc), classes, rocs)  # type: ignore[arg-type]


def _class_roc(counted: Intersections, label: int, hours: Fraction, how: Psds) -> tuple[RocPoint, ...]:
    """The points of a class that no other point of it beats, up to e_max."""
    own = counted.tallies.label(label)
    classes = len(counted.references)
    others = [o for o in range(classes) if o != label and counted.references[o]] if counted.triggers else []
    parts = [own, *(counted.triggers.label(label * classes + o) for o in others if counted.triggers)]
    cuts, rows = _aligned(parts)
    found, wrong, triggers = rows[0], rows[1], rows[3:]
    weights = [1 / hours, *(how.alpha_ct / len(others) / (counted.lengths[o] / HOUR) for o in others)]
    counts = np.concatenate([wrong[None, :], triggers])
    near = np.asarray([float(weight) for weight in weights]) @ counts
    references = counted.references[label]
    points: list[RocPoint] = []
    least: Fraction | None = None
    for hits, rate, cut in _least_rates(found, near, counts, weights, cuts):
        if least is None or rate < least:
            points.append(RocPoint(rate, Fraction(hits, references), cut))
            least = rate
    return tuple(point for point in reversed(points) if point.rate <= how.e_max)


def _least_rates(
    found: Whole,
    near: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    counts: Whole,
    weights: list[Fraction],
    cuts: Whole,
) -> list[tuple[int, Fraction, int]]:
    """For every number of found references, the most first, the exact least rate and where it is taken.

    Floats choose who could be least; fractions decide between those that are too near to tell.
    """
    order = np.lexsort((near, -found))
    first = np.flatnonzero(np.diff(found[order], prepend=-1))
    chosen: list[tuple[int, Fraction, int]] = []
    for begin, end in zip(first.tolist(), [*first[1:].tolist(), len(order)], strict=True):
        lowest = near[order[begin]]
        last = begin + int(np.searchsorted(near[order[begin:end]], lowest * (1 + 1e-12), side="right"))
        some = order[begin:last]
        rows, back = np.unique(counts[:, some], axis=1, return_inverse=True)
        rates = [sum((w * n for w, n in zip(weights, row, strict=True)), Fraction(0)) for row in rows.T.tolist()]
        best = min(range(len(rates)), key=rates.__getitem__)
        chosen.append((int(found[order[begin]]), rates[best], int(cuts[some[back.reshape(-1) == best]].min())))
    return chosen


def _aligned(parts: list[Steps]) -> tuple[Whole, Whole]:
    """The running sums of several steps over all their cuts, one row a count."""
    found = [part.running() for part in parts]
    cuts = np.unique(np.concatenate([line for line, _ in found]))
    places = (np.searchsorted(line, cuts, side="right") - 1 for line, _ in found)
    return cuts, np.concatenate([counts[:, place] for (_, counts), place in zip(found, places, strict=True)])


def _mean_roc(rocs: list[tuple[RocPoint, ...]], how: Psds) -> list[tuple[Fraction, Fraction | float]]:
    """The mean over classes less alpha_st deviations, from each rate on at which a class changes; never below 0."""
    changes = sorted((point.rate, label, point.found) for label, roc in enumerate(rocs) for point in roc)
    now = [Fraction(0)] * len(rocs)
    found: dict[Fraction, Fraction | float] = {}
    for rate, label, share in changes:
        now[label] = share
        mean = sum(now, Fraction(0)) / len(now)
        if not how.alpha_st:
            found[rate] = mean
            continue
        variance = sum(share * share for share in now) / len(now) - mean * mean
        found[rate] = max(float(mean) - float(how.alpha_st) * sqrt(variance), 0.0)
    return list(found.items())


def _area(
    roc: list[tuple[Fraction, Fraction | float]] | list[tuple[Fraction, Fraction]], e_max: Fraction
) -> Fraction | float:
    """The area under steps up to e_max, as a share of e_max."""
    ends = [*(rate for rate, _ in roc[1:]), e_max]
    widths = [(end - rate) / e_max for (rate, _), end in zip(roc, ends, strict=True)]
    if any(isinstance(value, float) for _, value in roc):
        return fsum(float(width) * float(value) for width, (_, value) in zip(widths, roc, strict=True))
    return sum((width * Fraction(value) for width, (_, value) in zip(widths, roc, strict=True)), Fraction(0))
