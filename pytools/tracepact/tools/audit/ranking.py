"""Rankings of systems under a profile or on a clause: their record, table, rows and figure (rule 16.10)."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Annotated

from msgspec import Meta

from tracepact.core import Aggregation, Profile
from tracepact.records import Digest, Record, Share, ShareDecimal
from tracepact.show.figure import heat_table
from tracepact.show.table import Column, numbers, words
from tracepact.tools.audit.show import VACUITY, vacuous_mark
from tracepact.tools.audit.systems import Systems
from tracepact.wording import decimal, rounded

Names = Annotated[tuple[str, ...], Meta(extra_json_schema={"uniqueItems": True})]
SomeNames = Annotated[tuple[str, ...], Meta(min_length=1, extra_json_schema={"uniqueItems": True})]
VALUE_COLUMNS = ("system", "value", "decimal", "rank", "best", "vacuous")
BEST = "*: best"


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


class Ranking(Record, frozen=True, kw_only=True):
    """The systems ranked by their values."""

    values: Annotated[
        tuple[SystemValue, ...], Meta(min_length=1, description="The value of every system, in the order given.")
    ]
    best: Annotated[SomeNames, Meta(description="The systems with the highest value; several are a tie.")]
    tie: bool
    margin: Annotated[
        Share | None, Meta(description="How far the best is ahead of the next; 0 for a tie, null for one system.")
    ]


class ClauseRanking(Ranking, frozen=True):
    """The systems ranked on one clause."""

    clause: str


def contract_used(systems: Systems) -> ContractUsed:
    """The contract of the systems."""
    return ContractUsed(systems.contract.name, systems.contract.digest)


def ranking(systems: Systems, profile: Profile) -> Ranking:
    """The systems ranked by the value of a profile."""
    values = []
    for system in systems.systems:
        value = system.value(profile)
        values.append(SystemValue(system.name, value, rounded(value), system.vacuous_share(profile)))
    ordered = sorted((one.value for one in values), reverse=True)
    best = tuple(one.system for one in values if one.value == ordered[0])
    margin = ordered[0] - ordered[1] if len(ordered) > 1 else None
    return Ranking(values=tuple(values), best=best, tie=len(best) > 1, margin=margin)


def clause_rankings(systems: Systems, aggregation: Aggregation) -> list[ClauseRanking]:
    """The systems ranked on every clause."""
    found = []
    for clause in systems.contract.clauses:
        alone = ranking(systems, Profile(clause.name, aggregation, ((clause.name, Fraction(1)),)))
        found.append(
            ClauseRanking(clause.name, values=alone.values, best=alone.best, tie=alone.tie, margin=alone.margin)
        )
    return found


# Shown


def ranking_columns(first: str, systems: Sequence[str]) -> list[Column]:
    """The columns of a table of rankings."""
    return [*words(first), *numbers(*systems), *words("best"), *numbers("margin")]


def ranking_cells(name: str, row: Ranking) -> list[str]:
    """A row of a table of rankings: the values with the best and the vacuous ones marked, the best, the margin."""
    values = (
        decimal(one.value) + ("*" if one.system in row.best else " ") + vacuous_mark(one.vacuous) for one in row.values
    )
    return [name, *values, named(row.best), decimal(row.margin)]


def best_marked(row: Ranking) -> str:
    """The best systems, each with its vacuous share."""
    return named([one.system + vacuous_mark(one.vacuous) for one in row.values if one.system in row.best])


def named(best: Sequence[str]) -> str:
    """The best system, or the systems that tie."""
    return best[0] if len(best) == 1 else f"tie: {', '.join(best)}"


def vacuity_note(rankings: Sequence[Ranking]) -> list[str]:
    """What the mark of vacuous values means, if one is shown."""
    return [VACUITY] if any(one.vacuous for row in rankings for one in row.values) else []


def value_rows(row: Ranking) -> Iterator[tuple[str | int, ...]]:
    """The cells of `VALUE_COLUMNS` for every system; equal values share a rank."""
    for one in row.values:
        rank = 1 + sum(other.value > one.value for other in row.values)
        is_best = str(one.system in row.best).lower()
        yield one.system, str(one.value), decimal(one.value, 6), rank, is_best, str(one.vacuous)


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
        framed={(index, systems.index(system)) for index, (_, row) in enumerate(rankings) for system in row.best},
    )
