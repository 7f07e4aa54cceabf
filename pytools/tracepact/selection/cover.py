"""The best cover of a problem: branch and bound, the evidence, and Z3, which is asked for a better one (14.15)."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice, product
from typing import Any, NamedTuple

from tracepact.declarations import OnStage, silent
from tracepact.lazy import z3
from tracepact.selection.cover_problem import (
    NOT_ASKED,
    Clock,
    Cover,
    CoverAnswer,
    CoverEvidence,
    Keep,
    Level,
    Optima,
    Problem,
    SecondSolver,
    Spent,
    available,
    greedy_cover,
    independent_rows,
    mask_of,
    members,
    minimal_rows,
    packing,
    reduced,
    row_weights,
    transposed,
    weights_bound,
)

# The best cover, with the evidence that there is no better one.

SECOND_OPINION = Fraction(20)
"""Seconds that Z3 has to refute that there is a better cover: it is asked beside the answer, not for it."""
_NARROWEST = 300
"""So many rows of a large problem are looked at for a bound alone."""
_BOUND_SHARE = Fraction(1, 3)
"""The share of a time budget that is kept for a bound, should the search not end."""


def solve(
    problem: Problem, *, seconds: Fraction | None = None, on_stage: OnStage = silent, opinion: Fraction = SECOND_OPINION
) -> Cover:
    """The best cover, or the best found in the time, said as such.

    `seconds` bounds the search; Z3 then has up to `opinion` seconds to refute that there is anything better.
    """
    clock = Clock.of(seconds)
    on_stage("reducing")
    small = reduced(problem, Keep.OPTIMUM)
    best = search(small.problem, clock if seconds is None else clock.at_most(seconds * (1 - _BOUND_SHARE)), on_stage)
    columns = small.whole(best.columns)
    on_stage("evidence")
    bound = _bound(problem, columns, len(small.forced) + best.count_bound, best.proven, clock)
    columns = min(columns, bound.columns, key=problem.key)
    proven, cost = max(best.proven, _proven_by(bound, columns)), problem.cost(columns)
    second = NOT_ASKED
    if opinion and proven > Level.NONE:
        on_stage("a second opinion by Z3")
        # on the whole problem, so that a fault in what was taken away before would show
        whole = Problem(tuple(dict.fromkeys(problem.rows)), problem.costs)
        second = second_opinion(whole, columns, proven, Clock.of(opinion))
    return replace(
        bound,
        columns=columns,
        cost=cost,
        proven=proven,
        cost_bound=cost if proven >= Level.COST else bound.cost_bound,
        solver=BRANCHING_NAME if small.problem.rows else "found by reductions, without a search",
        second_solver=second,
    )


def bounded(problem: Problem, columns: tuple[int, ...], clock: Clock) -> Cover:
    """A cover that is not proven least, with a bound from the rows that the fewest columns cover.

    Whatever covers all rows covers these, so the bound holds for all; the others are too many to look at.
    """
    # the narrowest rows share columns least, so they bound the count best
    places = sorted(range(len(problem.rows)), key=lambda row: (problem.rows[row].bit_count(), row))[:_NARROWEST]
    narrow = Problem(tuple(problem.rows[row] for row in places), problem.costs)
    bound = _bound(narrow, columns, 1, Level.NONE, clock)
    return replace(
        bound,
        columns=columns,
        cost=problem.cost(columns),
        proven=_proven_by(bound, columns),
        solver="found by greedy choice",
        independent_rows=tuple(sorted(places[row] for row in bound.independent_rows)),
        row_weights=tuple(sorted((places[row], weight) for row, weight in bound.row_weights)),
    )


def fewest(problem: Problem, clock: Clock) -> tuple[int, ...]:
    """The best cover without its evidence; raises `Spent` if it is not proven best in the time."""
    small = reduced(problem, Keep.OPTIMUM)
    best = search(small.problem, clock)
    if best.proven < Level.ORDER:
        raise Spent
    return small.whole(best.columns)


def all_optima(problem: Problem, cover: Cover, *, limit: int, seconds: Fraction | None = None) -> Optima:
    """Every cover equal in count and cost to one proven least in both; some of them if limit or time cut them short.

    Of a cover that is not proven least nothing equal to it is known to be an optimum: the answer is none, not complete.
    """
    if cover.proven < Level.COST:
        return Optima((), complete=False)
    small = reduced(problem, Keep.OPTIMA)
    inside = tuple(c for c in cover.columns if c not in small.forced)
    try:
        # one more than the limit shows that these are not all
        every = _DividedSearch(Clock.of(seconds), Keep.OPTIMA, limit + 1)
        equals = every.covers(small.problem, small.problem.key(inside)[:2])
    except (Spent, RecursionError):
        return Optima((cover.columns,)[:limit], complete=False)
    return Optima(tuple(sorted(small.whole(columns) for columns in equals[:limit])), len(equals) <= limit)


def _proven_by(bound: Cover, columns: tuple[int, ...]) -> Level:
    """The least count, if a bound says that no cover has fewer columns than these."""
    return Level.COUNT if len(columns) == bound.count_bound else Level.NONE


def _bound(problem: Problem, columns: tuple[int, ...], searched: int, proven: Level, clock: Clock) -> Cover:
    """The best cover met and, of the highest bounds on the count, the one that needs least trust.

    `searched` is the bound of the search.
    """
    # a row that contains another is covered with it: the bound loses nothing, and there is far less to look at
    rows = minimal_rows(problem)
    narrow, sources = Problem(tuple(rows), problem.costs), tuple(rows.values())
    # a reader checks independent rows at a glance; weights need sums, and the word of the search needs trust
    independent = independent_rows(narrow, len(columns))
    weights: dict[int, Fraction] = {}
    if len(independent) < len(columns) and proven < Level.COUNT:
        weights, columns = packing(narrow, columns, clock)
    if max(len(independent), weights_bound(narrow, weights)) < len(columns) and available():
        exact = row_weights(narrow, clock)
        weights = max(weights, exact, key=lambda some: sum(some.values(), Fraction(0)))
        independent = max(independent, independent_rows(narrow, len(columns), weights), key=len)
    weighed = weights_bound(narrow, weights)
    count = max(len(independent), weighed, len(columns) if proven >= Level.COUNT else searched)
    evidence = CoverEvidence.WEIGHTS if weighed == count else CoverEvidence.SOLVER
    if len(independent) == count:
        evidence = CoverEvidence.ROWS
    shown = weights if evidence is CoverEvidence.WEIGHTS else {}
    # each independent row costs at least its cheapest column
    cost_by_rows = sum(min(problem.costs[c] for c in members(narrow.rows[row])) for row in independent)
    return Cover(
        columns,
        problem.cost(columns),
        Level.NONE,
        count,
        max(cost_by_rows, sum(sorted(problem.costs)[:count])),
        evidence,
        "",
        tuple(sorted(sources[row] for row in independent)),
        tuple(sorted((sources[row], weight) for row, weight in shown.items())),
    )


# Branch and bound where few columns are enough, and a division into parts where many are needed.
#
# Why this one: calibrations give problems whose covers have few columns, and there it is the fastest by far. Measured
# in processor time of one core beside RC2 (core-guided MaxSAT, of python-sat) and Z3: 200 problems of this project's
# tests take 0.3 s (RC2 0.6 s, Z3 3.5 s); pairs of 20 ranked cases under 200 columns 0.1 s (RC2 2.3 s, Z3 not in 10 s);
# 80 dense rows under 150 columns 0.4 s (neither in 12 s). RC2 wins only on sparse problems that need more than a
# hundred columns (122: 0.06 s, here 2 s; 169: 0.24 s, here not in 9 s), and no contract has so many clauses. It also
# needs no package, so that every installation selects the same.

BRANCHING_NAME = "branch and bound"
_FEW = 12
"""Up to this many columns the tree is shallow and its counting bound cuts well; reductions at every node cost more
there than they save (15 times more where 5 columns are enough). Beyond, the tree is too deep without them."""

Columns = tuple[int, ...]


class SearchedCover(NamedTuple):
    """The best cover that was met, how much of it is proven, and the least count that is not excluded."""

    columns: Columns
    proven: Level
    count_bound: int


def search(problem: Problem, clock: Clock, on_stage: OnStage = silent) -> SearchedCover:
    """The best cover, proven; when the time is over, of each part that was not searched the best that is known."""
    columns, proven, bound = list[int](), Level.ORDER, 0
    for number, part in enumerate(parts := _divided(problem), 1):
        on_stage(f"part {number} of {len(parts)}, {len(part.rows)} rows ({BRANCHING_NAME})")
        best = _searched_part(part, clock)
        columns += best.columns
        proven, bound = min(proven, best.proven), bound + best.count_bound
    return SearchedCover(tuple(sorted(columns)), proven, bound)


def _searched_part(part: Problem, clock: Clock) -> SearchedCover:
    first = greedy_cover(part)
    if len(first) <= _FEW:
        return _branched(part, first, clock)
    try:
        (best,) = _DividedSearch(clock, Keep.OPTIMUM, 1).covers(part, part.key(first)[:2])
    except (Spent, RecursionError):  # a search that is too deep is one that did not end
        return SearchedCover(first, Level.NONE, _least(part)[0])
    return SearchedCover(best, Level.ORDER, len(best))


def _divided(problem: Problem) -> list[Problem]:
    """The problem divided where rows have no column in common, the smallest part first.

    The best cover of the whole is the union of the best covers of the parts: counts and costs add up, and where two
    unions first differ in order, one part alone decides which is earlier.
    """
    groups: list[tuple[int, list[int]]] = []
    for row in problem.rows:
        touched = [group for group in groups if group[0] & row]
        groups = [group for group in groups if not group[0] & row]
        columns, rows = row, [row]
        for mask, others in touched:
            columns, rows = columns | mask, rows + others
        groups.append((columns, rows))
    return sorted((Problem(tuple(rows), problem.costs) for _, rows in groups), key=lambda part: len(part.rows))


@dataclass(slots=True)
class _DividedSearch:
    """Covers of problems that need many columns: reduce, divide, branch on a row with few columns, and so on.

    With `Keep.OPTIMUM` the best cover; with `Keep.OPTIMA` as many as `most` of those equal in count and cost.
    """

    clock: Clock
    keep: Keep
    most: int
    known: dict[tuple[int, ...], list[Columns]] = field(default_factory=dict)
    """The covers of small parts: branches that differ elsewhere have many of these in common."""

    def covers(self, problem: Problem, limit: tuple[int, int]) -> list[Columns]:
        """The best covers; none if their count and cost are beyond a limit."""
        self.clock.check()
        small = reduced(problem, self.keep)
        count, cost = limit[0] - len(small.forced), limit[1] - problem.cost(small.forced)
        parts = _divided(small.problem)
        bounds = [_least(part) for part in parts]
        by_part: list[list[Columns]] = [[small.forced]]
        for k, part in enumerate(parts):
            # a part may use what the least of those behind it leaves; else its search goes on where the whole is lost
            least, cheapest = (sum(column) for column in zip((0, 0), *bounds[k + 1 :], strict=True))
            if (best := self._part(part, (count - least, cost - cheapest))) == []:
                return []
            by_part.append(best)
            count, cost = count - len(best[0]), cost - problem.cost(best[0])
        if (count, cost) < (0, 0):
            return []
        return [tuple(sorted(sum(some, ()))) for some in islice(product(*by_part), self.most)]

    def _part(self, part: Problem, limit: tuple[int, int]) -> list[Columns]:
        """The best covers of rows that hang together, if they are within a limit."""
        first = greedy_cover(part)
        if len(first) <= _FEW:
            best = self._small(part, first)
            return best if part.key(best[0])[:2] <= limit else []
        limit, best = min(limit, part.key(first)[:2]), []
        columns = transposed(part.rows)
        row = min(part.rows, key=lambda row: (row.bit_count(), -sum(columns[c].bit_count() for c in members(row))))
        tried = 0  # with a column of the row, and without those before it: no cover is met twice
        for column in sorted(members(row), key=lambda c: (-columns[c].bit_count(), part.costs[c])):
            rest = [r & ~tried for k, r in enumerate(part.rows) if not columns[column] >> k & 1]
            tried |= 1 << column
            if not all(rest):
                continue
            left = limit[0] - 1, limit[1] - part.costs[column]
            some = [tuple(sorted((*c, column))) for c in self.covers(Problem(tuple(rest), part.costs), left)]
            if some:
                reached = part.key(some[0])[:2]
                best, limit = (best if reached == limit else []) + some, reached
        if self.keep is Keep.OPTIMUM and best:
            return [min(best)]
        return best[: self.most]

    def _small(self, part: Problem, first: Columns) -> list[Columns]:
        if part.rows not in self.known:
            best = _branched(part, first, self.clock)
            if best.proven < Level.ORDER:
                raise Spent
            self.known[part.rows] = [best.columns]
            if self.keep is Keep.OPTIMA:
                every = _BranchSearch(part, best.columns, self.clock, count_only=False, most_equals=self.most)
                if not every.run() and len(every.equals) < self.most:
                    raise Spent
                self.known[part.rows] = every.equals
        return self.known[part.rows]


def _least(part: Problem) -> tuple[int, int]:
    """The least count and cost of a part, by rows that share no column: each needs a column of its own."""
    taken = count = cost = 0
    for row in sorted(part.rows, key=int.bit_count):
        if not row & taken:
            taken |= row
            count, cost = count + 1, cost + min(part.costs[column] for column in members(row))
    return count, cost


def _branched(problem: Problem, seed: Columns, clock: Clock) -> SearchedCover:
    """The best cover by branch and bound alone.

    First the count alone, where any cover with fewer columns is progress; then cost and order, for which the count is
    known: to look for all three at once would go through the covers of every count on the way.
    """
    counting = _BranchSearch(problem, seed, clock, count_only=True)
    if not counting.run():
        return SearchedCover(counting.best, Level.NONE, 1)
    whole = _BranchSearch(problem, counting.best, clock, count_only=False)
    proven = Level.ORDER if whole.run() else Level.COUNT
    return SearchedCover(whole.best, proven, len(counting.best))


@dataclass(slots=True)
class _BranchSearch:
    """One search; `best` is the incumbent, `equals` are the covers found as short and cheap as it.

    With `count_only` it is for fewer columns; else the incumbent's count is known to be least.
    """

    problem: Problem
    best: Columns
    clock: Clock
    count_only: bool
    most_equals: int | None = None
    equals: list[Columns] = field(default_factory=list)

    def run(self) -> bool:
        """Search; whether to the end."""
        try:
            self._branch((1 << len(self.problem.rows)) - 1, transposed(self.problem.rows), (), 0)
        except Spent:
            return False
        return True

    def _branch(self, rows: int, columns: dict[int, int], chosen: Columns, spent: int) -> None:
        """Go through the covers that add columns (with the rows each covers) to what is chosen."""
        if not rows:
            self._offer(chosen)
            return
        self.clock.check()
        left = len(self.best) - len(chosen) - int(self.count_only)
        open_rows = rows.bit_count()
        # the counting bound: the best of the columns, as many as may still be chosen, must be enough for the open rows
        gains = {column: (covered & rows).bit_count() for column, covered in columns.items()}
        most = sorted(gains.values(), reverse=True)[: max(left, 0)]
        if sum(most) < open_rows:
            return
        needed = open_rows - sum(most[: left - 1])  # a column that covers less would leave too much to the others
        useful = {c: columns[c] & rows for c, gain in gains.items() if gain and gain >= needed}
        if not self.count_only and self._too_dear(useful, spent, open_rows, left):
            return
        # the row with the fewest columns has the fewest branches, as in exact cover (Knuth 2000, "Dancing links")
        usable = mask_of(tuple(useful))
        row = min((self.problem.rows[r] & usable for r in members(rows)), key=int.bit_count)
        # what covers most comes first, so that good covers are met early; a column that was tried is left out after
        for column in sorted(members(row), key=lambda c: -gains[c]):
            covered = useful.pop(column)
            cost = self.problem.costs[column]
            self._branch(rows & ~covered, useful, (*chosen, column), spent + cost)

    def _offer(self, chosen: Columns) -> None:
        cover, problem = tuple(sorted(chosen)), self.problem
        if self.most_equals is not None:
            if problem.key(cover)[:2] == problem.key(self.best)[:2]:
                self.equals.append(cover)
            if len(self.equals) >= self.most_equals:
                raise Spent
        elif len(cover) < len(self.best) if self.count_only else problem.key(cover) < problem.key(self.best):
            self.best = cover

    def _too_dear(self, columns: dict[int, int], spent: int, open_rows: int, left: int) -> bool:
        """Whether the columns that are left to choose must cost more than the incumbent's.

        Its count is least, so there are no fewer; a row costs at least the least cost of a row covered.
        """
        costs = self.problem.costs
        cheapest = sum(sorted(costs[c] for c in columns)[:left])
        by_row = min((-(-costs[c] * open_rows // covered.bit_count()) for c, covered in columns.items()), default=0)
        return spent + max(cheapest, by_row) > self.problem.cost(self.best)


# The second solver: Z3, with clauses for rows and pseudo-Boolean bounds on count and cost (rule 14.15). It shares
# nothing with the search but the problem, and it is there in every installation.

Z3_NAME = "Z3"
_LARGEST = 2**31 - 1
"""Z3's pseudo-Boolean constraints take their numbers as C integers; larger ones go through integer arithmetic."""
_LONGEST = 2**32 - 1
"""Milliseconds that Z3 takes for no limit."""


def second_opinion(problem: Problem, columns: Columns, proven: Level, clock: Clock) -> SecondSolver:
    """The answers of Z3 to whether there is a cover with fewer columns, less cost, an earlier place in order.

    It is asked for what is proven of the cover alone. Raises RuntimeError if it finds a better one: then one of the two
    solvers is wrong, and neither is believed.
    """
    referee = _Referee(problem, clock)
    better_covers: list[tuple[Level, tuple[int, int], Iterable[list[Any]]]] = [
        (Level.COUNT, (len(columns) - 1, sum(problem.costs)), [[]]),
        (Level.COST, (len(columns), problem.cost(columns) - 1), [[]]),
        (Level.ORDER, (len(columns), problem.cost(columns)), referee.earlier(columns)),
    ]
    answers = {level: CoverAnswer.UNASKED for level, *_ in better_covers}
    for level, limit, questions in better_covers:
        if level > proven:
            break
        try:
            with referee.bounded(*limit):
                better = any(referee.has_cover(question) for question in questions)
        except Spent:
            answers |= {later: CoverAnswer.UNKNOWN for later in answers if level <= later <= proven}
            break
        if better:
            raise RuntimeError(f"{Z3_NAME} found a better cover than the one proved least")
        answers[level] = CoverAnswer.REFUTED
    return SecondSolver(Z3_NAME, *answers.values())


class _Referee:
    """The covers of a problem under bounds, as Z3 decides them."""

    def __init__(self, problem: Problem, clock: Clock) -> None:
        self.problem = problem
        self.clock = clock
        context = z3.Context()
        used = sorted(set().union(*map(members, problem.rows)))
        self._columns = {c: z3.Bool(f"c{c}", context) for c in used}
        large = max((problem.costs[c] for c in self._columns), default=0) > _LARGEST
        # on finite domains Z3 turns everything into one propositional problem, which is far faster where it can
        self._solver = z3.Solver(ctx=context) if large else z3.SolverFor("QF_FD", context)
        self._solver.add(*(z3.Or([self._columns[c] for c in members(row)]) for row in problem.rows))

    @contextmanager
    def bounded(self, count: int, cost: int) -> Iterator[None]:
        """Inside, only covers within a number of columns and a cost."""
        self._solver.push()
        try:
            self._at_most(count, dict.fromkeys(self._columns, 1))
            self._at_most(cost, {c: self.problem.costs[c] for c in self._columns if self.problem.costs[c]})
            yield
        finally:
            self._solver.pop()

    def earlier(self, columns: Columns) -> Iterator[list[Any]]:
        """What together asks for an earlier cover: one with the same beginning and then an earlier column."""
        for place, column in enumerate(columns):
            fixed, start = columns[:place], columns[place - 1] + 1 if place else 0
            required = [self._columns[c] for c in fixed]
            excluded = [z3.Not(chosen) for c, chosen in self._columns.items() if c < start and c not in fixed]
            if one_of := [chosen for c, chosen in self._columns.items() if start <= c < column]:
                yield [*required, *excluded, z3.Or(one_of)]

    def has_cover(self, question: list[Any]) -> bool:
        """Whether there is such a cover within the bounds; raises `Spent` if that is not known in time."""
        self.clock.check()
        left = self.clock.left()
        self._solver.set("timeout", _LONGEST if left is None else max(1, int(left * 1000)))
        self._solver.push()
        try:
            self._solver.add(*question)
            answer = self._solver.check()
            if answer == z3.unknown:
                raise Spent
            if answer == z3.sat:
                model = self._solver.model()
                chosen = tuple(c for c, v in self._columns.items() if z3.is_true(model.eval(v, model_completion=True)))
                assert self.problem.covers(chosen), "the solver's model is not a cover"
            return bool(answer == z3.sat)
        finally:
            self._solver.pop()

    def _at_most(self, bound: int, weights: dict[int, int]) -> None:
        """The chosen columns weigh at most so much."""
        if bound >= sum(weights.values()):
            return
        if bound < 0:
            self._solver.add(z3.BoolVal(False, self._solver.ctx))
        elif max(bound, *weights.values()) <= _LARGEST:
            self._solver.add(z3.PbLe([(self._columns[c], weight) for c, weight in weights.items()], bound))
        else:
            terms = [z3.If(self._columns[c], weight, z3.IntVal(0, self._solver.ctx)) for c, weight in weights.items()]
            self._solver.add(z3.Sum(terms) <= bound)
