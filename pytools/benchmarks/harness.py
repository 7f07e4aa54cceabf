"""What every benchmark shares: rows with targets, fair timing, comparison of verdicts, and the table."""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

Result = TypeVar("Result")
SMALLEST = "TRACEPACT_BENCHMARKS_SMALLEST"
"""The variable under which every benchmark takes its smallest size: what it says then is that it runs."""


def sized(usual: Result, smallest: Result) -> Result:
    """A size of a benchmark, also in the processes that it starts."""
    return smallest if os.environ.get(SMALLEST) else usual


Frames = NDArray[np.bool_]
"""One truth value a frame."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line asked for."""

    desed: Path | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """A bound that a value should keep."""

    bound: float
    at_least: bool = True

    def is_met(self, value: float) -> bool:
        """Whether the value keeps the bound."""
        return value >= self.bound if self.at_least else value <= self.bound

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.bound:g}"


@dataclass(frozen=True, slots=True)
class Row:
    """One measured value; None if a peer is not installed."""

    subject: str
    measure: str
    value: float | None
    unit: str
    target: Target | None = None
    note: str = ""

    @property
    def is_met(self) -> bool | None:
        """Whether the target is met; None without a target or a value."""
        return self.target.is_met(self.value) if self.target and self.value is not None else None


def race(*runs: Callable[[], object], repeats: int = 7, shortest: float = 0.02) -> tuple[float, ...]:
    """Seconds per call of each run: the least of several turns, taken in alternation so that all meet the same machine.

    A turn calls a run often enough to last `shortest` seconds.
    """
    calls = [max(1, int(shortest / max(_turn(run, 1), 1e-7))) for run in runs]
    turns = [[_turn(run, n) for run, n in zip(runs, calls, strict=True)] for _ in range(repeats)]
    return tuple(min(column) for column in zip(*turns, strict=True))


def timed(run: Callable[[], Result]) -> tuple[float, Result]:
    """Seconds and result of a single call, for what is too slow to repeat."""
    start = perf_counter()
    result = run()
    return perf_counter() - start, result


def _turn(run: Callable[[], object], calls: int) -> float:
    start = perf_counter()
    for _ in range(calls):
        run()
    return (perf_counter() - start) / calls


def check_equal(what: str, ours: Sequence[NDArray[Any]], theirs: Sequence[NDArray[Any]]) -> None:
    """Stop unless two sides gave the same arrays: times of different answers are not comparable."""
    if len(ours) != len(theirs):
        raise SystemExit(f"{what}: {len(ours)} results against {len(theirs)}")
    for index, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if not np.array_equal(a, b):
            raise SystemExit(f"{what}: result {index} differs")


def as_json(rows: Iterable[Row]) -> str:
    """The rows as JSON, one object each."""
    return json.dumps(
        [
            {
                "subject": row.subject,
                "measure": row.measure,
                "value": row.value,
                "unit": row.unit,
                "target": str(row.target) if row.target else None,
                "met": row.is_met,
                "note": row.note,
            }
            for row in rows
        ],
        indent=2,
        ensure_ascii=False,
    )


def print_table(rows: Iterable[Row], console: Console) -> None:
    """The rows as a table."""
    table = Table("subject", "measure", "value", "target", "met", "note")
    last = None
    for row in rows:
        table.add_row(
            row.subject if row.subject != last else "",
            row.measure,
            _shown(row),
            str(row.target or ""),
            {True: "yes", False: "NO", None: ""}[row.is_met],
            row.note,
        )
        last = row.subject
    console.print(table)


def _shown(row: Row) -> str:
    if row.value is None:
        return "–"
    return f"{row.value:.3g} {row.unit}" if row.value < 1000 else f"{row.value:,.0f} {row.unit}"
