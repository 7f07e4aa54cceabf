"""The view of the uncertainty audit."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from rich.console import Group, RenderableType

from tracepact.scoring.uncertainty import Bootstrap, Difference, Interval, Uncertainty
from tracepact.show.figure import Bar, BarGroup, bar_chart
from tracepact.tools.audit.view import Cell, View, table
from tracepact.tools.score.report.data import value_data
from tracepact.wording import count, decimal, rounded, short

_COLUMNS = ("system", "clause", "quantity", "value", "decimal", "low", "high", "p", "corrected")


def uncertainty_view(audit: Uncertainty) -> View:
    """Every score with its interval, and the differences from the first system."""
    how = bootstrap_words(audit.bootstrap, audit.clips)
    names = list(audit.systems[0].intervals)
    groups = [BarGroup(name, [_bar(system.name, system.intervals[name]) for system in audit.systems]) for name in names]
    return View(
        {
            "aggregation": audit.aggregation.value,
            "clips": audit.clips,
            "bootstrap": bootstrap_data(audit.bootstrap),
            "systems": [
                {
                    "name": system.name,
                    "scores": {name: interval_data(found) for name, found in system.intervals.items()},
                    "differences": differences_data(system.differences, system.corrected),
                }
                for system in audit.systems
            ],
        },
        _text(audit, names, how),
        _COLUMNS,
        _rows(audit),
        bar_chart(f"Scores ({audit.aggregation.value}), {how}", groups, x="score", x_range=(0, 1)),
    )


def bootstrap_words(bootstrap: Bootstrap, clips: int) -> str:
    """How intervals were made, in words."""
    level = f"{short(bootstrap.level * 100)} %"
    return f"{level} intervals over {count(clips, 'clip')} ({count(bootstrap.number, 'draw')}, seed {bootstrap.seed})"


def bootstrap_data(bootstrap: Bootstrap) -> dict[str, Any]:
    """How clips were drawn, as plain data."""
    return {"draws": bootstrap.number, "seed": bootstrap.seed, "level": str(bootstrap.level)}


def interval_data(found: Interval | Difference) -> dict[str, Any]:
    """An exact value, and the ends of its interval for reading."""
    return {**value_data(found.value), "low": rounded(found.low), "high": rounded(found.high)}


def differences_data(found: Mapping[str, Difference], corrected: Mapping[str, Fraction]) -> dict[str, Any]:
    """Differences with their p, before and after Holm's correction."""
    return {
        name: {**interval_data(difference), "p": str(difference.p), "corrected": str(corrected[name])}
        for name, difference in found.items()
    }


def interval_words(found: Interval | Difference) -> str:
    """A value and its interval."""
    return f"{decimal(found.value)} ({decimal(found.low)} to {decimal(found.high)})"


def p_words(p: Fraction) -> str:
    """A value of p for reading."""
    return decimal(p, 4)


def _bar(name: str, found: Interval) -> Bar:
    return Bar(name, found.value, found.low, found.high)


def _rows(audit: Uncertainty) -> list[tuple[Cell, ...]]:
    found: list[tuple[Cell, ...]] = []
    for system in audit.systems:
        for name, score in system.intervals.items():
            found.append((system.name, name, "score", *_ends(score), "", ""))
        for name, change in system.differences.items():
            p, corrected = str(change.p), str(system.corrected[name])
            found.append((system.name, name, "difference", *_ends(change), p, corrected))
    return found


def _ends(found: Interval | Difference) -> tuple[str, str, str, str]:
    return str(found.value), decimal(found.value, 6), decimal(found.low, 6), decimal(found.high, 6)


def _text(audit: Uncertainty, names: list[str], how: str) -> Group:
    scores = table(f"Scores ({audit.aggregation.value}), {how}", ("clause",), [s.name for s in audit.systems])
    for name in names:
        scores.add_row(name, *(interval_words(system.intervals[name]) for system in audit.systems))
    parts: list[RenderableType] = [scores]
    base = audit.systems[0].name
    for system in audit.systems[1:]:
        made = table(f"{system.name} − {base}", ("clause",), ("difference", "p", "p after Holm"))
        for name in names:
            difference = system.differences[name]
            shown = p_words(difference.p), p_words(system.corrected[name])
            made.add_row(name, interval_words(difference), *shown)
        parts += ["", made]
    return Group(*parts)
