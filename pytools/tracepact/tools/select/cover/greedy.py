"""A first cover and a first bound, both by taking what looks best."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from tracepact.tools.select.cover.problem import Problem, mask_of, members, transposed

_VISITS = 200_000
"""So many looks at rows for independent ones: less than a second."""


def greedy_cover(problem: Problem) -> tuple[int, ...]:
    """A cover: again and again the column that covers most, then the cheaper, then the earlier; none without need."""
    columns = transposed(problem.rows)
    uncovered = (1 << len(problem.rows)) - 1
    chosen: list[int] = []
    while uncovered:
        best = min(columns, key=lambda c: (-(columns[c] & uncovered).bit_count(), problem.costs[c], c))
        uncovered &= ~columns[best]
        chosen.append(best)
    return without_needless(problem, tuple(chosen))


def without_needless(problem: Problem, columns: tuple[int, ...]) -> tuple[int, ...]:
    """The cover without columns it covers everything without, the dearest and latest tried first."""
    kept = mask_of(columns)
    for column in sorted(columns, key=lambda c: (-problem.costs[c], -c)):
        without = kept & ~(1 << column)
        if all(row & without for row in problem.rows):
            kept = without
    return tuple(members(kept))


def independent_rows(problem: Problem, enough: int, weights: Mapping[int, Fraction] | None = None) -> tuple[int, ...]:
    """Rows no two of which share a column, as many as greed finds; it stops at enough of them.

    A cover needs another column for each, so their number is a bound. The first try takes the heaviest first, and
    among these the row that shares columns with the fewest others; further tries each begin with another row.
    """
    columns = transposed(problem.rows)
    sharing: list[int] = []
    for row in problem.rows:
        rows = 0
        for column in members(row):
            rows |= columns[column]
        sharing.append(rows)
    best = _independent(sharing, weights or {})
    tries = _VISITS // max(1, len(sharing))
    for first in range(min(len(sharing), tries)):
        if len(best) >= enough:
            break
        best = max(best, _independent(sharing, {first: Fraction(1)}), key=len)
    return best


def _independent(sharing: Sequence[int], weights: Mapping[int, Fraction]) -> tuple[int, ...]:
    """Independent rows, the heaviest first; `sharing` are for each row those it shares a column with, and itself."""
    taken = 0
    chosen: list[int] = []
    for row in sorted(range(len(sharing)), key=lambda r: (-weights.get(r, 0), sharing[r].bit_count(), r)):
        if not taken >> row & 1:
            taken |= sharing[row]
            chosen.append(row)
    return tuple(sorted(chosen))
