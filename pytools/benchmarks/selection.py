"""The smallest cover: what `solve` does, beside each solver alone on the problem as it stands."""

import random
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import accumulate

from benchmarks.harness import Options, Row, timed
from tracepact.progress import silent
from tracepact.tools.select.cover import bounds, by_branching, by_rc2, by_z3
from tracepact.tools.select.cover.best import solve
from tracepact.tools.select.cover.clock import Clock
from tracepact.tools.select.cover.greedy import greedy_cover
from tracepact.tools.select.cover.problem import FoundCover, Level, Problem

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
    """Each problem in one run: ours, then RC2, Z3, branch and bound and HiGHS alone; their answers must agree."""
    for name, problem in (
        ("2,000 × 5,000 heavy-tailed", _heavy_tailed(2000, 5000)),
        ("200 × 500 dense", _dense(200, 500)),
        ("pairs of 20 ranked cases × 200", _ranked(20, 200)),
    ):
        yield from _compared(name, problem)


def _compared(name: str, problem: Problem) -> Iterator[Row]:
    seconds, cover = timed(lambda: solve(problem, seconds=PATIENCE, second_opinion=Fraction(0)))
    yield _row(
        f"{name}: solve",
        seconds,
        cover.columns,
        problem,
        f"{WORDS[cover.proven]}, bound {cover.count_bound} by {cover.evidence.value}; left after reductions: "
        f"{cover.reductions.rows} × {cover.reductions.columns}",
    )
    seed = greedy_cover(problem)
    alone: dict[str, Callable[..., FoundCover]] = {by.NAME: by.improve for by in (by_rc2, by_z3, by_branching)}
    for solver, improve in alone.items():
        taken, found = timed(lambda improve=improve: improve(problem, seed, Clock.of(PATIENCE), silent))
        if cover.optimal and found.proven is Level.ORDER and found.columns != cover.columns:
            raise SystemExit(f"{name}: {solver} found {found.columns}, we {cover.columns}")
        bound = f", bound {found.count_bound}" if found.count_bound else ""
        yield _row(f"{name}: {solver} alone", taken, found.columns, problem, WORDS[found.proven] + bound)
    taken, (columns, bound) = timed(lambda: bounds.searched(problem, Clock.of(PATIENCE)))
    shown = "none" if bound is None else f"{bound:.1f}"
    yield _row(f"{name}: HiGHS alone", taken, columns, problem, f"count only, in floats; bound {shown}")


def _row(measure: str, seconds: float, columns: tuple[int, ...] | None, problem: Problem, note: str) -> Row:
    found = "no cover" if columns is None else f"{len(columns)} columns, cost {problem.cost(columns)}"
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
