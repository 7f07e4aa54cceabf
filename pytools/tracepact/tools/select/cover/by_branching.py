"""A small exact search of our own: branch on the row with the fewest columns, cut by what columns can still cover.

It needs no solver and shares nothing with them but the problem, so it can refute what they claim; it is at its best
where few columns are enough.
"""

from dataclasses import dataclass, field

from tracepact.progress import OnStage
from tracepact.tools.select.cover.clock import Clock, Spent
from tracepact.tools.select.cover.problem import FoundCover, Level, Problem, members, transposed

NAME = "branch and bound"


def improve(
    problem: Problem,
    seed: tuple[int, ...],
    clock: Clock,
    on_stage: OnStage,
    *,
    nodes: int | None = None,
    proven: Level = Level.NONE,
) -> FoundCover:
    """The best cover from a seed on, and how much of it is proven, within the time and a number of nodes.

    First the count alone, where any cover with fewer columns is progress, unless the seed's is `proven`; then cost and
    order.
    """
    if proven < Level.COUNT:
        on_stage(f"fewer than {len(seed)} columns? ({NAME})")
        counting = _Search(problem, seed, clock, nodes, count_only=True)
        finished, seed = counting.run(), counting.best
        if not finished:
            return FoundCover(seed, Level.NONE)
    on_stage(f"{len(seed)} columns that cost less? ({NAME})")
    whole = _Search(problem, seed, clock, nodes, count_only=False)
    finished = whole.run()
    return FoundCover(whole.best, Level.ORDER if finished else max(proven, Level.COUNT), len(whole.best))


def equals(problem: Problem, best: tuple[int, ...], clock: Clock, nodes: int, limit: int) -> list[tuple[int, ...]]:
    """Every cover of the count and cost of one that is least in both; raises `Spent`, or stops beyond the limit."""
    search = _Search(problem, best, clock, nodes, count_only=False, most_equals=limit)
    if not search.run() and len(search.equals) <= limit:
        raise Spent
    return search.equals


@dataclass(slots=True)
class _Search:
    """One search; `best` is the incumbent, `equals` are the covers found as short and cheap as it.

    With `count_only` it is for fewer columns; else the incumbent's count is known to be least.
    """

    problem: Problem
    best: tuple[int, ...]
    clock: Clock
    nodes: int | None
    count_only: bool
    most_equals: int | None = None
    equals: list[tuple[int, ...]] = field(default_factory=list)

    def run(self) -> bool:
        """Search; whether to the end."""
        columns = transposed(self.problem.rows)
        try:
            self._branch((1 << len(self.problem.rows)) - 1, columns, (), 0)
        except Spent:
            return False
        return True

    def _branch(self, rows: int, columns: dict[int, int], chosen: tuple[int, ...], spent: int) -> None:
        """Go through the covers that add columns (with the rows each covers) to what is chosen."""
        if not rows:
            self._offer(chosen)
            return
        self._count_node()
        left = len(self.best) - len(chosen) - int(self.count_only)
        open_rows = rows.bit_count()
        gains = {column: (covered & rows).bit_count() for column, covered in columns.items()}
        most = sorted(gains.values(), reverse=True)[: max(left, 0)]
        if sum(most) < open_rows:
            return
        needed = open_rows - sum(most[: left - 1])  # a column that covers less would leave too much to the others
        useful = {c: columns[c] & rows for c, gain in gains.items() if gain and gain >= needed}
        if not self.count_only and self._too_dear(useful, spent, open_rows, left):
            return
        row = min((self.problem.rows[r] for r in members(rows)), key=lambda row: sum(1 for c in useful if row >> c & 1))
        for column in sorted((c for c in useful if row >> c & 1), key=lambda c: -gains[c]):
            covered = useful.pop(column)
            cost = self.problem.costs[column]
            self._branch(rows & ~covered, useful, (*chosen, column), spent + cost)

    def _offer(self, chosen: tuple[int, ...]) -> None:
        found = tuple(sorted(chosen))
        if self.most_equals is not None:
            if self.problem.key(found)[:2] == self.problem.key(self.best)[:2]:
                self.equals.append(found)
            if len(self.equals) > self.most_equals:
                raise Spent
            return
        better = (
            len(found) < len(self.best) if self.count_only else self.problem.key(found) < self.problem.key(self.best)
        )
        if better:
            self.best = found

    def _too_dear(self, columns: dict[int, int], spent: int, open_rows: int, left: int) -> bool:
        """Whether the columns that are left to choose must cost more than the incumbent's.

        Its count is least, so there are no fewer; a row costs at least the least cost of a row covered.
        """
        costs = self.problem.costs
        cheapest = sum(sorted(costs[c] for c in columns)[:left])
        by_row = min((-(-costs[c] * open_rows // covered.bit_count()) for c, covered in columns.items()), default=0)
        return spent + max(cheapest, by_row) > self.problem.cost(self.best)

    def _count_node(self) -> None:
        self.clock.check()
        if self.nodes is not None:
            if not self.nodes:
                raise Spent
            self.nodes -= 1
