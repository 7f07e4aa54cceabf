"""The exact solver for large sparse problems: RC2 of python-sat, a core-guided MaxSAT solver.

One soft clause a column, of weight B + cost with B more than all costs together, so that whole numbers put the count
first. At the optimum RC2 holds a formula whose models under its remaining assumptions are the optimal covers; questions
about their order are asked of it.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from threading import Timer
from typing import Any

from tracepact.progress import OnStage
from tracepact.tools.select.cover.clock import Clock, Spent
from tracepact.tools.select.cover.order import least_order
from tracepact.tools.select.cover.problem import FoundCover, Level, Problem, members

NAME = "RC2"
_SAT = "minisat22"
"""As fast as others on covers, and it stops when told to; Glucose looks at its restarts alone, minutes apart."""


def available() -> bool:
    """Whether python-sat is installed."""
    return find_spec("pysat") is not None


def improve(problem: Problem, seed: tuple[int, ...], clock: Clock, on_stage: OnStage) -> FoundCover:
    """The best cover, proven; if time runs out the seed, with a bound on the count."""
    best = seed
    bound = 0
    try:
        on_stage(f"the fewest columns ({NAME})")
        with BestCovers(problem, clock, count_only=True) as counted:
            try:
                best = counted.first()
            finally:
                bound = counted.count_bound
        best = min(best, seed, key=problem.key)
        on_stage(f"{bound} columns of least cost ({NAME})")
        with BestCovers(problem, clock) as priced:
            best = priced.first()
            on_stage(f"the earliest of equally good covers ({NAME})")
            try:
                best = least_order(best, priced.used, priced.ask)
            except Spent:
                return FoundCover(best, Level.COST, bound)
        return FoundCover(best, Level.ORDER, bound)
    except Spent:
        return FoundCover(best, Level.COUNT if len(best) == bound else Level.NONE, bound)


class BestCovers:
    """The covers of least count and cost, or with `count_only` those of least count."""

    def __init__(self, problem: Problem, clock: Clock, *, count_only: bool = False) -> None:
        from pysat.formula import WCNF

        self._problem = problem
        self.used = sorted(set().union(*(members(row) for row in problem.rows)))
        self._literals = {column: place for place, column in enumerate(self.used, start=1)}
        self._clock = clock
        self._count_only = count_only
        self._unit = 1 if count_only else sum(problem.costs[c] for c in self.used) + 1
        formula = WCNF()
        for row in problem.rows:
            formula.append([self._literals[c] for c in members(row)])
        for column, literal in self._literals.items():
            formula.append([-literal], weight=self._unit + (0 if count_only else problem.costs[column]))
        self._solver = _timed_solver(formula)
        self._alarm = None if clock.left() is None else Timer(clock.left() or 0, self._solver.stop)

    def __enter__(self) -> "BestCovers":
        if self._alarm is not None:
            self._alarm.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm.join()
        self._solver.delete()

    @property
    def count_bound(self) -> int:
        """No cover has fewer columns: the cores found so far prove so much weight."""
        return int(self._solver.cost) // self._unit

    def first(self) -> tuple[int, ...]:
        """One of them; raises `Spent` if time runs out."""
        self._clock.check()
        model = self._solver.compute()
        found = self._cover(model)
        weight = len(found) * self._unit + (0 if self._count_only else self._problem.cost(found))
        assert weight == self._solver.cost, "the solver's cover does not weigh what it says"
        return found

    def ask(
        self, required: Sequence[int] = (), excluded: Sequence[int] = (), one_of: Sequence[int] = ()
    ) -> tuple[int, ...] | None:
        """After `first`: an optimum with these columns, without those, with one of these; None if there is none."""
        switch = self._solver.pool.id()
        if one_of:
            self._solver.oracle.add_clause([-switch, *(self._literals[c] for c in one_of)])
        wanted = [self._literals[c] for c in required] + [-self._literals[c] for c in excluded]
        assumptions = [*self._solver.active_assumps(), *wanted, switch]
        answer = self._solver._call_oracle(assumptions=assumptions)
        found = self._cover(self._solver.oracle.get_model()) if answer else None
        self._solver.oracle.add_clause([-switch])
        return found

    def exclude(self, columns: tuple[int, ...]) -> None:
        """From now on, no cover with all of these columns."""
        self._solver.oracle.add_clause([-self._literals[c] for c in columns])

    def _cover(self, model: list[int]) -> tuple[int, ...]:
        true = {literal for literal in model if literal > 0}
        found = tuple(column for column, literal in self._literals.items() if literal in true)
        assert self._problem.covers(found), "the solver's model is not a cover"
        return found


def _timed_solver(formula: Any) -> Any:
    """RC2 whose every question to its SAT solver can be stopped.

    RC2's own `interrupt` leaves some of its questions running and takes a stopped one for refuted, so that its cost is
    no bound afterwards. Here a stopped question raises, and the cost counts refuted questions only.
    """
    from pysat.examples.rc2 import RC2Stratified

    class Timed(RC2Stratified):  # type: ignore[misc]  # python-sat has no types
        stopped = False

        def stop(self) -> None:
            """Stop the question that is being asked and refuse further ones."""
            self.stopped = True
            if self.oracle is not None:
                self.oracle.interrupt()

        def _call_oracle(self, assumptions: Sequence[int] = (), expect_interrupt: bool = True) -> bool | None:
            if self.stopped:
                raise Spent
            answer: bool | None = self.oracle.solve_limited(assumptions=list(assumptions), expect_interrupt=True)
            if answer is None and self.stopped:
                raise Spent
            return answer

    return Timed(formula, solver=_SAT, blo="basic", adapt=True, exhaust=True, minz=True)
