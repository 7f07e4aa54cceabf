"""The smallest set that meets what is required one by one, where not every pair has a row (14.14, 14.34)."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from tracepact.progress import OnStage, silent
from tracepact.tools.select.cover.best import SECOND_OPINION, bounded, solve
from tracepact.tools.select.cover.clock import Clock
from tracepact.tools.select.cover.greedy import greedy_cover
from tracepact.tools.select.cover.problem import Cover, Problem
from tracepact.tools.select.requirements import Compared, Required, pair_rows
from tracepact.tools.select.retain import Coordinate
from tracepact.tools.select.separate import Pair, pair_places

_JOINING = 200
"""So many of the pairs that a set does not separate get rows at a time."""


def least_cover(
    coordinates: Sequence[Coordinate],
    required: Required,
    *,
    seconds: Fraction | None,
    second_opinion: Fraction = SECOND_OPINION,
    on_stage: OnStage = silent,
) -> tuple[Required, Cover]:
    """The best cover of all that some coordinate meets, and the rows it was found by.

    A best cover of some rows that meets the others too is the best of all; as long as it does not, pairs that it misses
    get rows. When the time is over, what is missed is covered by greed.
    """
    clock, costs = Clock.of(seconds), tuple(coordinate.cost for coordinate in coordinates)
    pairs = required.met_pairs
    while True:
        problem = Problem(required.met, costs)
        left = clock.left()
        time = None if left is None else Fraction(max(left, 1))
        cover = solve(problem, seconds=time, on_stage=on_stage, second_opinion=second_opinion)
        missed = () if required.whole else _missed(coordinates, cover.columns, pairs)
        if not missed:
            return required, cover
        required = replace(required, rows=(*required.rows, *pair_rows(coordinates, missed[:_JOINING])))
        if left == 0:
            columns = _completed(coordinates, cover.columns, pairs, costs)
            return required, bounded(Problem(required.met, costs), columns, Clock.of(time))


def _missed(coordinates: Sequence[Coordinate], columns: Sequence[int], pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """The pairs that none of some coordinates separates."""
    if not columns:
        return tuple(pairs)
    places = Compared.of([coordinates[column] for column in columns]).unmet(*pair_places(pairs))
    return tuple(pairs[k] for k in np.sort(places).tolist())


def _completed(
    coordinates: Sequence[Coordinate], columns: Sequence[int], pairs: Sequence[Pair], costs: tuple[int, ...]
) -> tuple[int, ...]:
    """Some columns, and more of them until all pairs are separated."""
    chosen = set(columns)
    while missed := _missed(coordinates, sorted(chosen), pairs):
        rows = pair_rows(coordinates, missed[:_JOINING])
        chosen |= set(greedy_cover(Problem(tuple(row.coordinates for row in rows), costs)))
    return tuple(sorted(chosen))
