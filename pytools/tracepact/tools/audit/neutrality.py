"""`tracepact audit neutrality`: which winners change when systems are left out (rule 16.10)."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, Unpack

import click
from msgspec import Meta, field

from tracepact.core import Aggregation
from tracepact.records import Count, Record
from tracepact.scoring.risk_profiles import RiskProfiles, risk_profiles
from tracepact.show.table import Table, numbers, words
from tracepact.tools.audit.ranking import (
    VALUE_COLUMNS,
    Ranking,
    SomeNames,
    SystemsAudit,
    best_marked,
    clause_rankings,
    contract_used,
    ranking,
    ranking_figure,
    vacuity_note,
    value_rows,
)
from tracepact.tools.audit.systems import Systems, profile_option, read_systems, runs_argument, systems_given
from tracepact.tools.score.shown import OutputOptions, aggregation_option, data_table, output_options, show
from tracepact.tools.score.store.names import Place
from tracepact.wording import decimal


class Question(Record, frozen=True):
    """Which system is best under a profile or on a clause, with and without the systems left out."""

    kind: Literal["profile", "coordinate"]
    name: str
    of_all: Annotated[Ranking, Meta(description="Of all systems.")] = field(name="all")
    of_rest: Annotated[Ranking, Meta(description="Of the remaining systems.")] = field(name="rest")
    changed: bool


class NeutralityAudit(SystemsAudit, frozen=True):
    """What `tracepact audit neutrality --format json` prints: the best with and without some systems (16.10)."""

    without: Annotated[SomeNames, Meta(description="The systems left out.")]
    questions: Annotated[tuple[Question, ...], Meta(min_length=1)]
    changed: Annotated[Count, Meta(description="How many answers change.")]


def audit_neutrality(
    systems: Systems | Sequence[Place],
    without: Sequence[str],
    profiles: RiskProfiles | Sequence[str] = (),
    aggregation: Aggregation | None = None,
) -> NeutralityAudit:
    """Find the best system under every profile and on every clause, with and without some systems (rule 16.10).

    Args:
        systems: Run directories or report.json files of one contract on the same data, or what
            `read_systems` returned.
        without: The names of the systems to leave out.
        profiles: Further profiles, each written as in a contract, such as `mine : onset_guard = 2`; or what
            `risk_profiles` returned.
        aggregation: The aggregation of the scores; by default the contract's own. A profile of the contract keeps the
            one it names.

    Returns:
        The audit: both rankings per profile and clause, and how many winners change.

    Raises:
        InvalidInput: A system cannot be read, the systems cannot be compared, a name is unknown or no system is left,
            or a profile is wrong.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> import tracepact
        >>> with TemporaryDirectory() as folder:
        ...     for name, end in (("early", 2), ("late", 4)):
        ...         run = tracepact.score("boundary_gate", [(1, 3)], [(1, end)], durations=5)
        ...         files = run.save(f"{folder}/{name}")
        ...     audit = tracepact.audit_neutrality([f"{folder}/early", f"{folder}/late"], ["late"])
        >>> [(row.name, row.of_all.best, row.of_rest.best) for row in audit.questions if row.name == "missing_guard"]
        [('missing_guard', ('late',), ('early',))]
    """
    found = read_systems(systems)
    chosen = aggregation or found.contract.aggregation
    tried = risk_profiles(found.contract, chosen, profiles)
    questions = tuple(_questions(found, found.without(without), tried, chosen))
    return NeutralityAudit(
        contract_used(found),
        chosen,
        found.names,
        tuple(dict.fromkeys(without)),
        questions,
        sum(question.changed for question in questions),
    )


def _questions(systems: Systems, rest: Systems, tried: RiskProfiles, aggregation: Aggregation) -> Iterator[Question]:
    for one in tried.profiles:
        of_all, of_rest = ranking(systems, one.profile), ranking(rest, one.profile)
        yield Question("profile", one.profile.name, of_all, of_rest, of_all.best != of_rest.best)
    pairs = zip(clause_rankings(systems, aggregation), clause_rankings(rest, aggregation), strict=True)
    for a, b in pairs:
        yield Question("coordinate", a.clause, _unnamed(a), _unnamed(b), a.best != b.best)


def _unnamed(row: Ranking) -> Ranking:
    """A ranking alone, without the clause it is on."""
    return Ranking(values=row.values, best=row.best, tie=row.tie, margin=row.margin)


# Shown


def tables(audit: NeutralityAudit) -> list[Table]:
    """A row per profile and per clause."""
    kinds = {"profile": "profile", "coordinate": "clause"}
    return [
        Table(
            f"The best system with and without {', '.join(audit.without)}",
            [
                *words("name", "kind", "best of all"),
                *numbers("margin"),
                *words("best of the rest"),
                *numbers("margin"),
                *words("changed"),
            ],
            [
                [
                    question.name,
                    kinds[question.kind],
                    best_marked(question.of_all),
                    decimal(question.of_all.margin),
                    best_marked(question.of_rest),
                    decimal(question.of_rest.margin),
                    "changed" if question.changed else "",
                ]
                for question in audit.questions
            ],
            notes=[
                *vacuity_note([question.of_all for question in audit.questions]),
                f"the best system changes in {audit.changed} of {len(audit.questions)} rows",
            ],
        )
    ]


def rows(audit: NeutralityAudit) -> Table:
    """A row per question and system, of all systems and of the rest."""
    return data_table(
        ("kind", "name", "systems", *VALUE_COLUMNS),
        [
            (question.kind, question.name, which, *cells)
            for question in audit.questions
            for which, row in (("all", question.of_all), ("rest", question.of_rest))
            for cells in value_rows(row)
        ],
    )


def figure(audit: NeutralityAudit) -> str:
    """Values by question and system; where the best changes, a second line for the rest."""
    lines: list[tuple[str, Ranking]] = []
    for question in audit.questions:
        lines.append((question.name, question.of_all))
        if question.changed:
            lines.append((f"{question.name}: the rest", question.of_rest))
    title = f"The best system with and without {', '.join(audit.without)}"
    return ranking_figure(title, lines, audit.systems)


# Command


@click.command()
@runs_argument
@click.option("--without", multiple=True, required=True, help="Name of a system to leave out; repeatable.")
@profile_option
@aggregation_option
@output_options
def command(
    runs: tuple[str, ...],
    without: tuple[str, ...],
    given: tuple[str, ...],
    aggregation: Aggregation | None,
    **output: Unpack[OutputOptions],
) -> None:
    """Show which winners change when systems are left out.

    The best system is shown under each profile and on each clause, of all systems and of the rest. RUNS are run
    directories or report.json files of one contract on the same data. A profile of the contract keeps the aggregation
    it names.
    """
    show(audit_neutrality(systems_given(runs), without, given, aggregation), tables, rows, figure, **output)
