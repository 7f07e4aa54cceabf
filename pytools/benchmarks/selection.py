"""The smallest cover: what `solve` does, beside each solver alone on the problem as it stands."""

import random
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import accumulate
from threading import Timer
from time import monotonic

import numpy as np
import z3
from scipy.optimize import Bounds, LinearConstraint, milp

from benchmarks.harness import Options, Row, sized, timed
from tracepact.selection.cover import solve
from tracepact.selection.cover_problem import Keep, Level, Problem, members, reduced

SUBJECT = "selection"
PATIENCE = Fraction(20)
"""Seconds after which a solver is stopped."""
WORDS = {
    Level.NONE: "nothing proven",
    Level.COUNT: "count proven",
    Level.COST: "count and cost proven",
    Level.ORDER: "count, cost and order proven",
}


def measure(_: Options) -> Iterator[Row]:
    """Each problem in one run: ours, then RC2, Z3 and HiGHS alone; their answers must agree."""
    for name, problem in (
        ("2,000 × 5,000 heavy-tailed", _heavy_tailed(*sized((2000, 5000), (20, 50)))),
        ("200 × 500 dense", _dense(*sized((200, 500), (10, 20)))),
        ("80 × 150 dense", _dense(*sized((80, 150), (8, 15)))),
        ("pairs of 20 ranked cases × 200", _ranked(*sized((20, 200), (4, 40)))),
    ):
        yield from _compared(name, problem)


def _compared(name: str, problem: Problem) -> Iterator[Row]:
    seconds, cover = timed(lambda: solve(problem, seconds=PATIENCE, opinion=Fraction(0)))
    yield _row(
        f"{name}: solve",
        seconds,
        cover.columns,
        problem,
        f"{WORDS[cover.proven]}, bound {cover.count_bound} by {cover.evidence.name.lower()}; "
        f"{len(reduced(problem, Keep.OPTIMUM).problem.rows)} rows are left after reductions",
    )
    for solver, alone in (("RC2", _by_rc2), ("Z3", _by_z3), ("HiGHS", _by_highs)):
        taken, columns = timed(lambda alone=alone: alone(problem))
        if cover.optimal and columns is not None and problem.key(columns)[:2] != problem.key(cover.columns)[:2]:
            raise SystemExit(f"{name}: {solver} finds {columns} best, we {cover.columns}")
        yield _row(f"{name}: {solver} alone", taken, columns, problem, "count and cost")


def _weights(problem: Problem) -> list[int]:
    """Weights of columns under which the least sum has the least count, and of these the least cost."""
    unit = sum(problem.costs) + 1
    return [unit + cost for cost in problem.costs]


def _by_rc2(problem: Problem) -> tuple[int, ...] | None:
    """The best cover by the core-guided MaxSAT solver of python-sat; None if it does not end in time."""
    from pysat.examples.rc2 import RC2Stratified
    from pysat.formula import WCNF

    formula = WCNF()
    for row in problem.rows:
        formula.append([column + 1 for column in members(row)])
    for column, weight in enumerate(_weights(problem)):
        formula.append([-column - 1], weight=weight)
    with RC2Stratified(formula, solver="minisat22", adapt=True, exhaust=True, minz=True) as solver:
        alarm, over = Timer(float(PATIENCE), solver.interrupt), monotonic() + float(PATIENCE)
        alarm.start()
        model = solver.compute(expect_interrupt=True)
        alarm.cancel()
    # a question that was stopped counts as refuted there, so what comes after the alarm is no answer
    return (
        None
        if model is None or monotonic() >= over
        else tuple(literal - 1 for literal in model if 0 < literal <= len(problem.costs))
    )


def _by_z3(problem: Problem) -> tuple[int, ...] | None:
    """The best cover by Z3's MaxSAT; None if it does not end in time."""
    solver, columns = z3.Optimize(), [z3.Bool(f"c{column}") for column in range(len(problem.costs))]
    solver.set("timeout", int(PATIENCE * 1000))
    solver.add(*(z3.Or([columns[column] for column in members(row)]) for row in problem.rows))
    for column, weight in zip(columns, _weights(problem), strict=True):
        solver.add_soft(z3.Not(column), weight=str(weight))
    if solver.check() != z3.sat:
        return None
    model = solver.model()
    return tuple(k for k, column in enumerate(columns) if z3.is_true(model.eval(column, model_completion=True)))


def _by_highs(problem: Problem) -> tuple[int, ...] | None:
    """The best cover by HiGHS' integer search in floats; None if it does not end in time."""
    table = np.array([[row >> column & 1 for column in range(len(problem.costs))] for row in problem.rows])
    weights = _weights(problem)
    found = milp(
        weights,
        constraints=LinearConstraint(table, lb=1),
        integrality=np.ones(len(weights)),
        bounds=Bounds(0, 1),
        options={"time_limit": float(PATIENCE), "mip_rel_gap": 0},
    )
    return tuple(k for k, value in enumerate(found.x) if value > 0.5) if found.status == 0 else None


def _row(measure: str, seconds: float, columns: tuple[int, ...] | None, problem: Problem, note: str) -> Row:
    found = "no answer" if columns is None else f"{len(columns)} columns, cost {problem.cost(columns)}"
    return Row(SUBJECT, measure, seconds, "s", note=f"{found}; {note}")


def _heavy_tailed(rows: int, columns: int) -> Problem:
    """Few columns cover much and most cover little; most rows have few columns and some have many."""
    generator = random.Random(1)
    weights = [(i + 1) ** -0.8 for i in range(columns)]
    generator.shuffle(weights)
    steps = list(accumulate(weights))
    masks = []
    for _ in range(rows):
        size = min(columns, int(2 * generator.paretovariate(1.2)))
        masks.append(_mask(generator.choices(range(columns), cum_weights=steps, k=size)))
    return Problem(tuple(masks), _costs(generator, columns))


def _dense(rows: int, columns: int) -> Problem:
    """Every column covers a row with probability 1/5."""
    generator = random.Random(2)
    masks = (_mask(c for c in range(columns) if generator.random() < 0.2) for _ in range(rows))
    return Problem(tuple(masks), _costs(generator, columns))


def _ranked(cases: int, columns: int) -> Problem:
    """The shape of a calibration: cases of five ranks, columns that see a fifth of them, pairs of different rank."""
    generator = random.Random(1)
    ranks = [generator.randint(1, 5) for _ in range(cases)]
    values = [
        [generator.randint(0, 6) if generator.random() < 0.2 else 7 for _ in range(cases)] for _ in range(columns)
    ]
    pairs = [(a, b) for a in range(cases) for b in range(cases) if ranks[a] > ranks[b]]
    masks = (_mask(c for c in range(columns) if values[c][a] < values[c][b]) for a, b in pairs)
    return Problem(tuple(mask for mask in masks if mask), _costs(generator, columns))


def _mask(columns: Iterable[int]) -> int:
    mask = 0
    for column in columns:
        mask |= 1 << column
    return mask


def _costs(generator: random.Random, columns: int) -> tuple[int, ...]:
    return tuple(generator.randint(1, 20) for _ in range(columns))
