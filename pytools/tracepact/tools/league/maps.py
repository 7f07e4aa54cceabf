"""What systems score by class and by condition, and the clips on which they differ most (rule 16.19)."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tracepact.core import Aggregation
from tracepact.scoring import ClauseCounts, Score, aggregate
from tracepact.scoring.bootstrap import Values
from tracepact.scoring.vacuity import headline_mean
from tracepact.tools.league.record import ClipDifference, LeagueMap, MapRow
from tracepact.tools.league.system import LeagueSystem
from tracepact.trace.layout import Indices
from tracepact.wording import rounded

MEAN = "mean"
_SHOWN = 12


def by_class(systems: Sequence[LeagueSystem]) -> LeagueMap:
    """Every clause, and their mean, by class, pooled over clips."""
    classes = systems[0].rows.classes
    parts = [
        [{name: c.select(label=k) for name, c in system.rows.counts.items()} for k in range(len(classes))]
        for system in systems
    ]
    return _map(systems, classes, parts, Aggregation.POOLED)


def by_condition(systems: Sequence[LeagueSystem], conditions: Mapping[str, str], aggregation: Aggregation) -> LeagueMap:
    """Every clause, and their mean, by the condition of the clips."""
    groups: dict[str, list[int]] = {}
    for index, clip in enumerate(systems[0].rows.clips):
        groups.setdefault(conditions[clip], []).append(index)
    names = tuple(sorted(groups))
    chosen: list[Indices] = [np.array(groups[name], dtype=np.int64) for name in names]
    parts = [
        [{name: c.select(clips=some) for name, c in system.rows.counts.items()} for some in chosen]
        for system in systems
    ]
    return _map(systems, names, parts, aggregation)


def _map(
    systems: Sequence[LeagueSystem],
    names: tuple[str, ...],
    parts: Sequence[Sequence[Mapping[str, ClauseCounts]]],
    aggregation: Aggregation,
) -> LeagueMap:
    rows: list[MapRow] = []
    for system, cells in zip(systems, parts, strict=True):
        scores = [{name: aggregate(counts, aggregation) for name, counts in cell.items()} for cell in cells]
        rows += _rows(system.name, scores)
    return LeagueMap(names, tuple(rows))


def _rows(system: str, scores: Sequence[Mapping[str, Score]]) -> Iterator[MapRow]:
    means = (headline_mean((score.value, score.vacuous) for score in vector.values()) for vector in scores)
    yield MapRow(system, MEAN, tuple(means))
    for clause in scores[0] if scores else ():
        values = (vector[clause] for vector in scores)
        yield MapRow(system, clause, tuple(None if score.vacuous else score.value for score in values))


def most_different(systems: Sequence[LeagueSystem], most: int = _SHOWN) -> tuple[ClipDifference, ...]:
    """The clips on which systems differ most, of equal ones the first; clips without a difference are left out."""
    losses = np.stack([clip_losses(system) for system in systems])
    ordered = np.sort(losses, axis=0)
    count = len(systems)
    # In sorted order the k-th loss is the greater one of k pairs and the smaller one of count − 1 − k.
    factors = 2 * np.arange(count) - (count - 1)
    spread = factors @ ordered / (count * (count - 1) / 2)
    order = np.argsort(-spread, kind="stable")[:most]
    clips = systems[0].rows.clips
    return tuple(
        ClipDifference(clips[k], rounded(float(spread[k])), tuple(rounded(float(loss)) for loss in losses[:, k]))
        for k in order.tolist()
        if spread[k] > 0
    )


def clip_losses(system: LeagueSystem) -> Values:
    """The loss of a system on every clip, over clauses and classes."""
    total: Values = np.zeros(len(system.rows.clips))
    for counts in system.rows.counts.values():
        asked = np.maximum(counts.obligated, 1)
        total += np.where(counts.obligated > 0, 1 - counts.satisfied / asked, counts.counter).sum(axis=0)
    return total
