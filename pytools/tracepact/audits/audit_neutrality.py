"""Rankings of systems, and `tracepact audit neutrality`: which winners change when systems are left out (16.10)."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Literal, TypeVar, Unpack

import click
from msgspec import Meta, field

from tracepact.audits.systems import (
    Runs,
    Systems,
    aggregation_of,
    profile_option,
    read_systems,
    reading_systems,
    runs_argument,
)
from tracepact.evaluate.scores import RiskProfiles, earned, risk_profiles
from tracepact.language.contract import Aggregation, Contract, Profile
from tracepact.options import aggregation_option
from tracepact.records import Count, Digest, Record, Share, ShareDecimal
from tracepact.runs.side_options import VACUITY, OutputOptions, data_table, output_options, show, vacuous_mark
from tracepact.show.figures import heat_table
from tracepact.show.tables import Column, Table, numbers, words
from tracepact.wording import decimal, rounded

# Rankings of systems under a profile or on a clause: their record, table, rows and figure (rules 16.10 and 16.12).

Names = Annotated[tuple[str, ...], Meta(extra_json_schema={"uniqueItems": True})]
SomeNames = Annotated[tuple[str, ...], Meta(min_length=1, extra_json_schema={"uniqueItems": True})]
VALUE_COLUMNS = ("system", "value", "decimal", "rank", "best", "vacuous", "earned")
_R = TypeVar("_R", bound="Ranking")
BEST = "*: best"
NOT_EARNED = (
    "(…): not earned, a clause asks nothing of this system but of another, or the system answers the same throughout, "
    "or answers the same in every clip (rule 16.12); it is not ranked"
)


class ContractUsed(Record, frozen=True):
    """The contract of the runs."""

    name: str
    digest: Digest


class SystemsAudit(Record, frozen=True):
    """What the audits of several systems have in common."""

    contract: ContractUsed
    aggregation: Annotated[Aggregation, Meta(description="Of the scores that are ranked (7.5).")]
    systems: Annotated[tuple[str, ...], Meta(min_length=2, extra_json_schema={"uniqueItems": True})]


class SystemValue(Record, frozen=True):
    """The value of a system."""

    system: str
    value: Share
    decimal: ShareDecimal
    vacuous: Annotated[
        Share,
        Meta(description="The share of the value from entries without an obligation, which count 1 (rule 16.11)."),
    ]
    earned: Annotated[
        bool,
        Meta(
            description="Whether it is ranked: it rests on no vacuous clause, and the system is not constant (16.12)."
        ),
    ]


class Ranking(Record, frozen=True, kw_only=True):
    """The systems ranked by their values."""

    values: Annotated[
        tuple[SystemValue, ...], Meta(min_length=1, description="The value of every system, in the order given.")
    ]
    best: Annotated[
        Names, Meta(description="The systems with the highest earned value; several are a tie, none if none is earned.")
    ]
    tie: bool
    margin: Annotated[
        Share | None,
        Meta(
            description="How far the best is ahead of the next; 0 for a tie, null if fewer than two values are earned."
        ),
    ]


def contract_used(systems: Systems) -> ContractUsed:
    """The contract of the systems."""
    return ContractUsed(systems.contract.name, systems.contract.digest)


def ranking(systems: Systems, profile: Profile, kind: Callable[..., _R]) -> _R:
    """The systems ranked by the value of a profile, as what `kind` makes of the fields of a `Ranking`."""
    # A clause of weight 0 adds nothing to the value, so it can neither earn it nor keep it from being earned.
    clauses = [clause for clause, weight in profile.weights if weight]
    vacuous = [system.vacuous_clauses(profile.aggregation) for system in systems.systems]
    ranked = earned(clauses, vacuous, [system.constant for system in systems.systems])
    values = []
    for system, is_earned in zip(systems.systems, ranked, strict=True):
        value = system.value(profile)
        values.append(SystemValue(system.name, value, rounded(value), system.vacuous_share(profile), is_earned))
    # Values are fractions: a tie is one exactly, and no rounding makes or breaks it.
    ordered = sorted((one.value for one in values if one.earned), reverse=True)
    best = tuple(one.system for one in values if one.earned and one.value == ordered[0])
    margin = ordered[0] - ordered[1] if len(ordered) > 1 else None
    return kind(values=tuple(values), best=best, tie=len(best) > 1, margin=margin)


def clause_profiles(contract: Contract, aggregation: Aggregation) -> list[Profile]:
    """A profile for every clause that weighs it alone: ranking on a clause is ranking under that profile."""
    return [Profile(clause.name, aggregation, ((clause.name, Fraction(1)),)) for clause in contract.clauses]


# Shown


def ranking_columns(first: str, systems: Sequence[str]) -> list[Column]:
    """The columns of a table of rankings."""
    return [*words(first), *numbers(*systems), *words("best"), *numbers("margin")]


def ranking_cells(name: str, row: Ranking) -> list[str]:
    """A row of a table of rankings: the values with the best and the vacuous ones marked, the best, the margin."""
    values = (_cell(one, one.system in row.best) for one in row.values)
    return [name, *values, named(row.best), decimal(row.margin)]


def _cell(one: SystemValue, is_best: bool) -> str:
    value = decimal(one.value) + ("*" if is_best else " ") if one.earned else f"({decimal(one.value)})"
    return value + vacuous_mark(one.vacuous)


def best_marked(row: Ranking) -> str:
    """The best systems and those that have not earned their value, each with its vacuous share."""
    best = named([one.system + vacuous_mark(one.vacuous) for one in row.values if one.system in row.best])
    others = ", ".join(one.system + vacuous_mark(one.vacuous) for one in row.values if not one.earned)
    return f"{best} (not earned: {others})" if others else best


def named(best: Sequence[str]) -> str:
    """The best system, the systems that tie, or a dash."""
    if not best:
        return "–"
    return best[0] if len(best) == 1 else f"tie: {', '.join(best)}"


def vacuity_note(rankings: Sequence[Ranking]) -> list[str]:
    """What the marks of vacuous values and of those that are not earned mean, where they are shown."""
    shown = [one for row in rankings for one in row.values]
    marks = {VACUITY: any(one.vacuous for one in shown), NOT_EARNED: not all(one.earned for one in shown)}
    return [note for note, is_used in marks.items() if is_used]


def value_rows(row: Ranking) -> Iterator[tuple[str | int, ...]]:
    """The cells of `VALUE_COLUMNS` for every system; equal values share a rank, what is not earned has none."""
    for one in row.values:
        # Standard competition ranking: two firsts are followed by a third (rule 16.16).
        above = sum(other.value > one.value for other in row.values if other.earned)
        rank = str(1 + above) if one.earned else ""
        is_best = str(one.system in row.best).lower()
        yield (
            one.system,
            str(one.value),
            decimal(one.value, 6),
            rank,
            is_best,
            str(one.vacuous),
            str(one.earned).lower(),
        )


def ranking_figure(title: str, rankings: Sequence[tuple[str, Ranking]], systems: Sequence[str]) -> str:
    """Values by system, with a frame around the best; a system that is not ranked has a dash."""
    ranked = [{one.system: one.value for one in row.values} for _, row in rankings]
    return heat_table(
        f"{title} (framed)",
        [name for name, _ in rankings],
        systems,
        [[values.get(system) for system in systems] for values in ranked],
        value_range=(0, 1),
        shown=decimal,
        # A frame and not a colour tells the best apart: the shade is the value.
        framed={(index, systems.index(system)) for index, (_, row) in enumerate(rankings) for system in row.best},
    )


# `tracepact audit neutrality`: which winners change when systems are left out (rule 16.10).


class WinnerQuestion(Record, frozen=True):
    """Which system is best under a profile or on a clause, with and without the systems left out."""

    kind: Literal["profile", "coordinate"]
    name: str
    of_all: Annotated[Ranking, Meta(description="Of all systems.")] = field(name="all")
    of_rest: Annotated[Ranking, Meta(description="Of the remaining systems.")] = field(name="rest")
    changed: bool


class NeutralityAudit(SystemsAudit, frozen=True):
    """What `tracepact audit neutrality --format json` prints: the best with and without some systems (16.10)."""

    without: Annotated[SomeNames, Meta(description="The systems left out.")]
    questions: Annotated[tuple[WinnerQuestion, ...], Meta(min_length=1)]
    changed: Annotated[Count, Meta(description="How many answers change.")]


def audit_neutrality(
    systems: Runs,
    without: Sequence[str],
    profiles: RiskProfiles | Sequence[str] = (),
    aggregation: Aggregation | None = None,
) -> NeutralityAudit:
    """Find the best system under every profile and on every clause, with and without some systems (rule 16.10).

    Args:
        systems: Runs of one contract on the same data: in memory, in batches, or the places of run directories or of
            report.json files. A mapping names them.
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
    compared = read_systems(systems)
    chosen = aggregation_of(compared.contract, aggregation)
    tried = risk_profiles(compared.contract, chosen, profiles)
    questions = tuple(_questions(compared, compared.without(without), tried, chosen))
    return NeutralityAudit(
        contract_used(compared),
        chosen,
        compared.names,
        tuple(dict.fromkeys(without)),
        questions,
        sum(question.changed for question in questions),
    )


def _questions(
    systems: Systems, rest: Systems, tried: RiskProfiles, aggregation: Aggregation
) -> Iterator[WinnerQuestion]:
    questions: dict[Literal["profile", "coordinate"], list[Profile]] = {
        "profile": [one.profile for one in tried.profiles],
        "coordinate": clause_profiles(systems.contract, aggregation),
    }
    for kind, profiles in questions.items():
        for profile in profiles:
            of_all, of_rest = (ranking(some, profile, Ranking) for some in (systems, rest))
            yield WinnerQuestion(kind, profile.name, of_all, of_rest, of_all.best != of_rest.best)


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
    profiles: tuple[str, ...],
    aggregation: Aggregation | None,
    **output: Unpack[OutputOptions],
) -> None:
    """Show which winners change when systems are left out.

    The best system is shown under each profile and on each clause, of all systems and of the rest. RUNS are run
    directories or report.json files of one contract on the same data. A profile of the contract keeps the aggregation
    it names.
    """
    with reading_systems(runs):
        audit = audit_neutrality(runs, without, profiles, aggregation)
    show(audit, tables, rows, figure, **output)
