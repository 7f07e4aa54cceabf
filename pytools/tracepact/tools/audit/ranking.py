"""Rankings of systems under a profile or on a clause: their record, table, rows and figure (rules 16.10 and 16.12)."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Annotated

from msgspec import Meta

from tracepact.core import Aggregation, Profile
from tracepact.records import Digest, Record, Share, ShareDecimal
from tracepact.scoring.vacuity import earned
from tracepact.show.figure import heat_table
from tracepact.show.table import Column, numbers, words
from tracepact.tools.audit.systems import Systems
from tracepact.tools.score.shown import VACUITY, vacuous_mark
from tracepact.wording import decimal, rounded

Names = Annotated[tuple[str, ...], Meta(extra_json_schema={"uniqueItems": True})]
SomeNames = Annotated[tuple[str, ...], Meta(min_length=1, extra_json_schema={"uniqueItems": True})]
VALUE_COLUMNS = ("system", "value", "decimal", "rank", "best", "vacuous", "earned")
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


class ClauseRanking(Ranking, frozen=True):
    """The systems ranked on one clause."""

    clause: str


def contract_used(systems: Systems) -> ContractUsed:
    """The contract of the systems."""
    return ContractUsed(systems.contract.name, systems.contract.digest)


def ranking(systems: Systems, profile: Profile) -> Ranking:
    """The systems ranked by the value of a profile."""
    clauses = [clause for clause, weight in profile.weights if weight]
    vacuous = [system.vacuous_clauses(profile.aggregation) for system in systems.systems]
    ranked = earned(clauses, vacuous, [system.constant for system in systems.systems])
    values = []
    for system, is_earned in zip(systems.systems, ranked, strict=True):
        value = system.value(profile)
        values.append(SystemValue(system.name, value, rounded(value), system.vacuous_share(profile), is_earned))
    ordered = sorted((one.value for one in values if one.earned), reverse=True)
    best = tuple(one.system for one in values if one.earned and one.value == ordered[0])
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
        framed={(index, systems.index(system)) for index, (_, row) in enumerate(rankings) for system in row.best},
    )
