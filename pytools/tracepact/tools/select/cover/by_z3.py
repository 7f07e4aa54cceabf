"""The reference solver: Z3 with clauses for rows and pseudo-Boolean bounds on count and cost."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tracepact.logic import solver as z3
from tracepact.progress import OnStage
from tracepact.tools.select.cover.clock import Clock, Spent
from tracepact.tools.select.cover.order import least_order
from tracepact.tools.select.cover.problem import FoundCover, Level, Problem, members

NAME = "Z3"
_SMALL = 30
"""Up to this many columns a bound on the count is asked for; beyond, it is slower than Z3's MaxSAT."""
_LARGEST = 2**31 - 1
"""Z3's pseudo-Boolean constraints take their numbers as C integers; larger ones go through integer arithmetic."""


class Covers:
    """The covers of a problem, asked for under bounds."""

    def __init__(self, problem: Problem, clock: Clock) -> None:
        self.problem = problem
        self.clock = clock
        self._used = sorted(set().union(*(members(row) for row in problem.rows)))
        context = z3.Context()
        self._columns = {c: z3.Bool(f"c{c}", context) for c in self._used}
        large = max((problem.costs[c] for c in self._used), default=0) > _LARGEST
        self._solver = z3.Solver(ctx=context) if large else z3.SolverFor("QF_FD", context)
        self._solver.add(*(z3.Or([self._columns[c] for c in members(row)]) for row in problem.rows))

    @property
    def used(self) -> Sequence[int]:
        """The columns that cover something."""
        return self._used

    @contextmanager
    def bounded(self, count: int, cost: int | None = None) -> Iterator[None]:
        """Inside, only covers within a number of columns and a cost."""
        self._solver.push()
        try:
            self._at_most(count, dict.fromkeys(self._used, 1))
            if cost is not None:
                self._at_most(cost, {c: self.problem.costs[c] for c in self._used if self.problem.costs[c]})
            yield
        finally:
            self._solver.pop()

    def ask(
        self, required: Sequence[int] = (), excluded: Sequence[int] = (), one_of: Sequence[int] = ()
    ) -> tuple[int, ...] | None:
        """A cover within the bounds, or None if there is none; raises `Spent` if that is not known in time."""
        self.clock.check()
        self._solver.set("timeout", _milliseconds(self.clock))
        self._solver.push()
        try:
            if one_of:
                self._solver.add(z3.Or([self._columns[c] for c in one_of]))
            answer = self._solver.check(
                *(self._columns[c] for c in required), *(z3.Not(self._columns[c]) for c in excluded)
            )
            if answer == z3.unsat:
                return None
            if answer != z3.sat:
                raise Spent
            return _cover(self.problem, self._columns, self._solver.model())
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

    def exclude(self, columns: tuple[int, ...]) -> None:
        """From now on, no cover with all of these columns (at least one)."""
        self._solver.add(z3.Or([z3.Not(self._columns[c]) for c in columns]))


def improve(problem: Problem, seed: tuple[int, ...], clock: Clock, on_stage: OnStage) -> FoundCover:
    """The best cover found from a seed on, and how much of it is proven.

    A small count is bounded and lowered until it is refuted; for a large one a core-guided optimum is faster.
    """
    best, level = seed, Level.NONE
    try:
        if len(best) > _SMALL:
            on_stage(f"the fewest columns ({NAME})")
            best = min(best, _optimum(problem, clock, count_only=True), key=problem.key)
            level = Level.COUNT
            on_stage(f"{len(best)} columns of least cost ({NAME})")
            best = min(best, _optimum(problem, clock), key=problem.key)
            level = Level.COST
        covers = Covers(problem, clock)
        while level < Level.COUNT:
            on_stage(f"fewer than {len(best)} columns? ({NAME})")
            with covers.bounded(len(best) - 1):
                found = covers.ask()
            best, level = (best, Level.COUNT) if found is None else (found, level)
        while level < Level.COST:
            on_stage(f"{len(best)} columns that cost less than {problem.cost(best)}? ({NAME})")
            with covers.bounded(len(best), problem.cost(best) - 1):
                found = covers.ask()
            best, level = (best, Level.COST) if found is None else (found, level)
        on_stage(f"the earliest of equally good covers ({NAME})")
        with covers.bounded(len(best), problem.cost(best)):
            best, level = least_order(best, covers.used, covers.ask), Level.ORDER
    except Spent:
        pass
    return FoundCover(best, level, len(best) if level >= Level.COUNT else 0)


def _optimum(problem: Problem, clock: Clock, *, count_only: bool = False) -> tuple[int, ...]:
    """A cover of least count and cost, or of least count, by Z3's MaxSAT; raises `Spent` if time runs out."""
    clock.check()
    used = sorted(set().union(*(members(row) for row in problem.rows)))
    unit = sum(problem.costs[c] for c in used) + 1
    context = z3.Context()
    columns = {c: z3.Bool(f"c{c}", context) for c in used}
    solver = z3.Optimize(ctx=context)
    solver.set("timeout", _milliseconds(clock))
    solver.add(*(z3.Or([columns[c] for c in members(row)]) for row in problem.rows))
    for column, variable in columns.items():
        solver.add_soft(z3.Not(variable), weight="1" if count_only else str(unit + problem.costs[column]))
    if solver.check() != z3.sat:
        raise Spent
    return _cover(problem, columns, solver.model())


def _milliseconds(clock: Clock) -> int:
    left = clock.left()
    return 4_294_967_295 if left is None else max(1, int(left * 1000))


def _cover(problem: Problem, columns: dict[int, Any], model: Any) -> tuple[int, ...]:
    chosen = tuple(c for c, variable in columns.items() if z3.is_true(model.eval(variable, model_completion=True)))
    assert problem.covers(chosen), "the solver's model is not a cover"
    return chosen
