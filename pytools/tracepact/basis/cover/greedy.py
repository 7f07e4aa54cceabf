"""A first cover and a first bound, both by taking what looks best."""

from tracepact.basis.cover.problem import Problem, mask_of, members, transposed


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


def independent_rows(problem: Problem) -> tuple[int, ...]:
    """Rows no two of which share a column: again and again the row that shares columns with the fewest others.

    A cover needs another column for each, so their number is a bound.
    """
    columns = transposed(problem.rows)
    sharing: list[int] = []
    for row in problem.rows:
        rows = 0
        for column in members(row):
            rows |= columns[column]
        sharing.append(rows)
    free = (1 << len(problem.rows)) - 1
    chosen: list[int] = []
    while free:
        best = min(members(free), key=lambda r: ((sharing[r] & free).bit_count(), r))
        free &= ~sharing[best]
        chosen.append(best)
    return tuple(sorted(chosen))
