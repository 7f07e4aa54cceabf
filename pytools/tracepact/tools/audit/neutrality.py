"""`tracepact audit neutrality`: which winners change when systems are left out (rule 16.10)."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, Unpack

import click
from msgspec import Meta, field

from tracepact.core import Aggregation
from tracepact.records import Count, Record
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
from tracepact.tools.audit.risk_profiles import RiskProfiles, risk_profiles
from tracepact.tools.audit.show import OutputOptions, aggregation_option, data_table, output_options, show
from tracepact.tools.audit.systems import Systems, profile_option, runs_argument, systems_given
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
    systems: Systems,
    without: Sequence[str],
    profiles: RiskProfiles | None = None,
    aggregation: Aggregation | None = None,
) -> NeutralityAudit:
    """Find the best system under every profile and on every clause, with and without the named systems.

    `systems` come from `read_systems`, whose names `without` uses; `profiles` from `risk_profiles`, without given ones
    by default; `aggregation` is the contract's own by default. InvalidInput if a name is unknown or no system is left.
    """
    chosen = aggregation or systems.contract.aggregation
    tried = profiles or risk_profiles(systems.contract, chosen)
    questions = tuple(_questions(systems, systems.without(without), tried, chosen))
    return NeutralityAudit(
        contract_used(systems),
        chosen,
        systems.names,
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
    systems = systems_given(runs)
    chosen = aggregation or systems.contract.aggregation
    profiles = risk_profiles(systems.contract, chosen, given)
    show(audit_neutrality(systems, without, profiles, chosen), tables, rows, figure, **output)
