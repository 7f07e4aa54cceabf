"""Matrix games in whole numbers: the best weights on clauses against the hardest blend of pairs, exact.

A row is a pair of cases, a column a clause, an entry by how much the clause is lower on the worse case. Weights on the
columns that make the least blended row as large as can be, and weights on the rows that make the best column as small
as can be, have one value (von Neumann). It is found by the simplex method on a condensed tableau whose entries stay
whole numbers (the pivots of Edmonds and Bareiss), so nothing is rounded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Table = NDArray[Any]
"""Python's whole numbers, of any size."""


@dataclass(frozen=True, slots=True)
class Solved:
    """The value of a game, the weights on its columns and the weights on its rows; each sums to 1."""

    value: Fraction
    columns: tuple[Fraction, ...]
    rows: tuple[Fraction, ...]


def solve_game(matrix: Table) -> Solved:
    """The value and best weights of a game with at least one row and one column."""
    if matrix.shape[1] > matrix.shape[0]:
        turned = _by_columns(-matrix.T)
        return Solved(-turned.value, turned.rows, turned.columns)
    return _by_columns(matrix)


def _by_columns(matrix: Table) -> Solved:
    """Maximise Σ y with Σ_p (m_pc + shift) y_p ≤ 1 for every column c: its value is 1 / (value + shift)."""
    pairs, clauses = matrix.shape
    shift = 1 - min(matrix.flat)
    table = np.empty((clauses + 1, pairs + 1), dtype=object)
    table[:clauses, :pairs] = matrix.T + shift
    table[:clauses, pairs] = 1
    table[clauses, :pairs] = -1
    table[clauses, pairs] = 0
    # A place below `pairs` is a y; one from there on is the slack of a clause.
    outside, basic = list(range(pairs)), list(range(pairs, pairs + clauses))
    divisor = _pivoted(table, outside, basic)
    total = Fraction(int(table[clauses, pairs]), divisor)
    rows, columns = [Fraction(0)] * pairs, [Fraction(0)] * clauses
    for place, name in enumerate(basic):
        if name < pairs:
            rows[name] = Fraction(table[place, pairs], divisor) / total
    for place, name in enumerate(outside):
        if name >= pairs:
            columns[name - pairs] = Fraction(table[clauses, place], divisor) / total
    return Solved(1 / total - shift, tuple(columns), tuple(rows))


def _pivoted(table: Table, outside: list[int], basic: list[int]) -> int:
    """Pivot to the optimum in place; the common divisor of the entries.

    The steepest column enters until the value stands still for as long as there are places; from then on the first
    one does (Bland), which cannot cycle.
    """
    divisor, still, value = 1, 0, Fraction(-1)
    while True:
        last = table[-1, :-1]
        falling = [place for place in range(len(last)) if last[place] < 0]
        if not falling:
            return divisor
        cautious = still > len(outside) + len(basic)
        _, _, enters = min((0 if cautious else last[place], outside[place], place) for place in falling)
        leaves = _leaving(table, enters, basic)
        divisor = _pivot(table, leaves, enters, divisor)
        outside[enters], basic[leaves] = basic[leaves], outside[enters]
        now = Fraction(table[-1, -1], divisor)
        still, value = (still + 1, value) if now == value else (0, now)


def _leaving(table: Table, enters: int, basic: Sequence[int]) -> int:
    """The row of the least ratio, of those the first by name; the entries are positive somewhere, for it is bounded."""
    rising = [row for row in range(len(basic)) if table[row, enters] > 0]
    return min(rising, key=lambda row: (Fraction(table[row, -1], table[row, enters]), basic[row]))


def _pivot(table: Table, row: int, column: int, divisor: int) -> int:
    """Exchange a basic place with one outside; every division is exact."""
    pivot = table[row, column]
    own_row, own_column = table[row].copy(), table[:, column].copy()
    table *= pivot
    table -= np.multiply.outer(own_column, own_row)
    table //= divisor
    table[row] = own_row
    table[:, column] = -own_column
    table[row, column] = divisor
    return int(pivot)
