"""`tracepact audit selection`: the best system on each clause (rule 16.10)."""

from collections.abc import Sequence
from typing import Annotated, Unpack

import click
from msgspec import Meta

from tracepact.core import Aggregation
from tracepact.records import Count, Record
from tracepact.show.table import Table
from tracepact.tools.audit.ranking import (
    BEST,
    VALUE_COLUMNS,
    ClauseRanking,
    SystemsAudit,
    clause_rankings,
    contract_used,
    ranking_cells,
    ranking_columns,
    ranking_figure,
    vacuity_note,
    value_rows,
)
from tracepact.tools.audit.systems import Systems, read_systems, runs_argument, systems_given
from tracepact.tools.score.shown import OutputOptions, aggregation_option, data_table, output_options, show
from tracepact.tools.score.store.names import Place


class Led(Record, frozen=True):
    """On how many clauses a system is best, alone or in a tie."""

    system: str
    coordinates: Count


class SelectionAudit(SystemsAudit, frozen=True):
    """What `tracepact audit selection --format json` prints: systems ranked on every clause (16.10)."""

    coordinates: Annotated[tuple[ClauseRanking, ...], Meta(min_length=1)]
    led: Annotated[tuple[Led, ...], Meta(description="On how many coordinates each system is best, alone or in a tie.")]


def audit_selection(systems: Systems | Sequence[Place], aggregation: Aggregation | None = None) -> SelectionAudit:
    """Rank systems on every clause; scores are compared exactly (rule 16.10).

    Args:
        systems: Run directories or report.json files of one contract on the same data, or what
            `read_systems` returned.
        aggregation: The aggregation of the scores; by default the contract's own.

    Returns:
        The audit: a ranking per clause, and on how many each system is best.

    Raises:
        InvalidInput: A system cannot be read, or the systems cannot be compared.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> import tracepact
        >>> with TemporaryDirectory() as folder:
        ...     for name, end in (("early", 2), ("late", 4)):
        ...         run = tracepact.score("boundary_gate", [(1, 3)], [(1, end)], durations=5)
        ...         files = run.save(f"{folder}/{name}")
        ...     audit = tracepact.audit_selection([f"{folder}/early", f"{folder}/late"])
        >>> {row.clause: row.best for row in audit.coordinates}["spurious_guard"]
        ('early',)
    """
    found = read_systems(systems)
    chosen = aggregation or found.contract.aggregation
    ranked = tuple(clause_rankings(found, chosen))
    led = tuple(Led(name, sum(name in row.best for row in ranked)) for name in found.names)
    return SelectionAudit(contract_used(found), chosen, found.names, ranked, led)


# Shown


def tables(audit: SelectionAudit) -> list[Table]:
    """A row per clause."""
    led = "; ".join(f"{one.system} on {one.coordinates} of {len(audit.coordinates)}" for one in audit.led)
    return [
        Table(
            _title(audit),
            ranking_columns("clause", audit.systems),
            [ranking_cells(row.clause, row) for row in audit.coordinates],
            notes=[BEST, *vacuity_note(audit.coordinates), f"best, alone or in a tie: {led}"],
        )
    ]


def _title(audit: SelectionAudit) -> str:
    return f"The best system on each clause ({audit.aggregation.words})"


def rows(audit: SelectionAudit) -> Table:
    """A row per clause and system."""
    return data_table(
        ("clause", "aggregation", *VALUE_COLUMNS),
        [(row.clause, audit.aggregation.value, *cells) for row in audit.coordinates for cells in value_rows(row)],
    )


def figure(audit: SelectionAudit) -> str:
    """Scores by clause and system."""
    return ranking_figure(_title(audit), [(row.clause, row) for row in audit.coordinates], audit.systems)


# Command


@click.command()
@runs_argument
@aggregation_option
@output_options
def command(runs: tuple[str, ...], aggregation: Aggregation | None, **output: Unpack[OutputOptions]) -> None:
    """Show the best system on each clause.

    RUNS are run directories or report.json files of one contract on the same data.
    """
    show(audit_selection(systems_given(runs), aggregation), tables, rows, figure, **output)
