"""`tracepact audit uncertainty`: intervals over clips, and differences between systems (rules 16.7 and 16.8)."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Unpack

import click
from msgspec import Meta

from tracepact.core import Aggregation
from tracepact.records import Count, Name, Record, Share
from tracepact.scoring import ScoreRows, shown_name
from tracepact.scoring.uncertainty import (
    USUAL,
    Bootstrap,
    BootstrapUsed,
    Difference,
    Interval,
    differences,
    few_clips_notes,
    holm,
    intervals,
    outside_mark,
    outside_notes,
)
from tracepact.show.figure import Bar, BarGroup, bar_chart
from tracepact.show.progress import progress
from tracepact.show.table import Table, numbers, words
from tracepact.tools.audit.run_directories import stored_run
from tracepact.tools.bootstrap import bootstrap_options
from tracepact.tools.score.shown import (
    OutputOptions,
    aggregation_option,
    data_table,
    output_options,
    show,
)
from tracepact.tools.score.store.names import Place, named_places
from tracepact.tools.score.store.opening import StoredRun
from tracepact.tools.score.store.pairing import paired_rows
from tracepact.wording import decimal, rounded


class ScoreInterval(Record, frozen=True):
    """An exact score with its decimal, and the ends of its interval for reading."""

    value: Share
    decimal: float
    low: float
    high: float


class ScoreDifference(Record, frozen=True):
    """An exact difference with its decimal, the ends of its interval for reading, and its p before and after Holm."""

    value: Fraction
    decimal: float
    low: float
    high: float
    p: Share
    corrected: Share


class SystemScores(Record, frozen=True):
    """The scores of a system, and its differences from the first one."""

    name: str
    scores: Annotated[Mapping[Name, ScoreInterval], Meta(description="By clause, and `logic`.")]
    differences: Annotated[
        Mapping[Name, ScoreDifference],
        Meta(description="From the first system, by clause and for `logic`; empty for the first system."),
    ]


class UncertaintyAudit(Record, frozen=True):
    """What `tracepact audit uncertainty --format json` prints: scores with intervals over clips (16.7, 16.8)."""

    aggregation: Aggregation
    clips: Count
    bootstrap: BootstrapUsed
    systems: Annotated[tuple[SystemScores, ...], Meta(min_length=1)]


def audit_uncertainty(
    runs: Sequence[StoredRun | Place], aggregation: Aggregation | None = None, bootstrap: Bootstrap = USUAL
) -> UncertaintyAudit:
    """Intervals of the scores of runs over clips, and the differences of all runs from the first (rules 16.7 and 16.8).

    Args:
        runs: Run directories of one contract on the same data.
        aggregation: The aggregation of the scores; by default the contract's own.
        bootstrap: How clips are drawn.

    Returns:
        The audit: scores with intervals and, for all runs but the first, differences with their p, corrected over the
        runs (Holm).

    Raises:
        InvalidInput: A run cannot be read, or the runs cannot be compared.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> import tracepact
        >>> with TemporaryDirectory() as folder:
        ...     for name, end in (("early", 2), ("late", 4)):
        ...         run = tracepact.score("boundary_gate", [(1, 3)], [(1, end)], durations=5)
        ...         files = run.save(f"{folder}/{name}")
        ...     audit = tracepact.audit_uncertainty([f"{folder}/early", f"{folder}/late"])
        >>> audit.systems[1].differences["missing_guard"].value
        Fraction(12, 25)
    """
    named = named_places([run.folder if isinstance(run, StoredRun) else run for run in runs])
    opened = [
        run if isinstance(run, StoredRun) else stored_run(one.place) for run, one in zip(runs, named, strict=True)
    ]
    paired = list(zip((one.name for one in named), paired_rows(opened), strict=True))
    return uncertainty_of(paired, aggregation or opened[0].contract.aggregation, bootstrap)


def uncertainty_of(
    systems: Sequence[tuple[str, ScoreRows]], aggregation: Aggregation, bootstrap: Bootstrap = USUAL
) -> UncertaintyAudit:
    """The audit of named score rows, all with the same clips, classes and clauses."""
    base = systems[0][1]
    found = [differences(base, rows, aggregation, bootstrap) for _, rows in systems[1:]]
    corrected = [dict[str, Fraction]() for _ in found]
    for name in found[0] if found else ():
        for row, value in zip(corrected, holm([some[name].p for some in found]), strict=True):
            row[name] = value
    compared = [{}, *map(difference_records, found, corrected)]
    return UncertaintyAudit(
        aggregation,
        len(base.clips),
        bootstrap.record,
        tuple(
            SystemScores(name, _scores(intervals(rows, aggregation, bootstrap)), difference)
            for (name, rows), difference in zip(systems, compared, strict=True)
        ),
    )


def difference_records(
    found: Mapping[str, Difference], corrected: Mapping[str, Fraction]
) -> dict[str, ScoreDifference]:
    """Differences by clause, each with its corrected p."""
    return {name: ScoreDifference(*_ends(one), one.p, corrected[name]) for name, one in found.items()}


def _scores(found: Mapping[str, Interval]) -> dict[str, ScoreInterval]:
    return {name: ScoreInterval(*_ends(one)) for name, one in found.items()}


def _ends(found: Interval | Difference) -> tuple[Fraction, float, float, float]:
    return found.value, rounded(found.value), rounded(found.low), rounded(found.high)


# Shown


def interval_words(found: ScoreInterval | ScoreDifference) -> str:
    """A value and its interval."""
    mark = outside_mark(found.value, found.low, found.high)
    return f"{decimal(found.value)} ({decimal(found.low)} to {decimal(found.high)}){mark}"


def p_words(found: ScoreDifference) -> list[str]:
    """The p of a difference, before and after Holm."""
    return [decimal(found.p, 4), decimal(found.corrected, 4)]


def tables(audit: UncertaintyAudit) -> list[Table]:
    """The scores of all systems, and for every system but the first its differences from the first."""
    first, *others = audit.systems
    how = audit.bootstrap.words(audit.clips)
    scores = Table(
        f"Scores ({audit.aggregation.words}), {how}",
        [*words("clause"), *numbers(*(system.name for system in audit.systems))],
        [
            [shown_name(name), *(interval_words(system.scores[name]) for system in audit.systems)]
            for name in first.scores
        ],
        [
            *few_clips_notes(audit.clips),
            *outside_notes(interval_words(one) for system in audit.systems for one in system.scores.values()),
        ],
    )
    return [scores, *(_differences(system, first) for system in others)]


def _differences(system: SystemScores, first: SystemScores) -> Table:
    return Table(
        f"Difference {system.name} − {first.name}",
        [*words("clause"), *numbers("difference", "p", "p (Holm over systems)")],
        [[shown_name(name), interval_words(found), *p_words(found)] for name, found in system.differences.items()],
        outside_notes(map(interval_words, system.differences.values())),
    )


def rows(audit: UncertaintyAudit) -> Table:
    """A row per system and score, and per difference."""
    columns = ("system", "clause", "quantity", "value", "decimal", "low", "high", "p", "corrected")
    return data_table(columns, _rows(audit))


def _rows(audit: UncertaintyAudit) -> Iterator[tuple[str, ...]]:
    for system in audit.systems:
        for name, score in system.scores.items():
            yield system.name, name, "score", *_numbers(score), "", ""
        for name, change in system.differences.items():
            yield system.name, name, "difference", *_numbers(change), str(change.p), str(change.corrected)


def _numbers(found: ScoreInterval | ScoreDifference) -> tuple[str, str, str, str]:
    return str(found.value), decimal(found.value, 6), decimal(found.low, 6), decimal(found.high, 6)


def figure(audit: UncertaintyAudit) -> str:
    """The score of every clause and system with its interval."""

    def bar(name: str, found: ScoreInterval) -> Bar:
        return Bar(name, found.value, found.low, found.high)

    groups = [
        BarGroup(shown_name(name), [bar(system.name, system.scores[name]) for system in audit.systems])
        for name in audit.systems[0].scores
    ]
    title = f"Scores ({audit.aggregation.words}), {audit.bootstrap.words(audit.clips)}"
    return bar_chart(title, groups, x="score", x_range=(0, 1))


# Command


@click.command()
@click.argument("runs", type=click.Path(file_okay=False), nargs=-1, required=True)
@aggregation_option
@bootstrap_options
@output_options
def command(
    runs: tuple[str, ...],
    aggregation: Aggregation | None,
    draws: int,
    seed: int,
    level: Fraction,
    **output: Unpack[OutputOptions],
) -> None:
    """Show intervals of the scores over clips, and the differences of all systems from the first.

    RUNS are run directories of one contract on the same data. Clips are drawn with replacement, the same clips for all
    systems; p is two-sided and corrected over the systems (Holm).
    """
    with progress(1) as advance:
        advance("drawing clips")
        audit = audit_uncertainty(runs, aggregation, Bootstrap(draws, seed, level))
    show(audit, tables, rows, figure, **output)
