"""`tracepact profile`, also `tracepact audit profile`: the best system under each risk profile (rule 16.10)."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Unpack

import click
from msgspec import Meta

from tracepact.core import Aggregation
from tracepact.records import Record
from tracepact.scoring.risk_profiles import BALANCED, Origin, RiskProfile, RiskProfiles, risk_profiles
from tracepact.scoring.vacuity import earned
from tracepact.show.table import Table, words
from tracepact.tools.audit.ranking import (
    BEST,
    VALUE_COLUMNS,
    Names,
    Ranking,
    SomeNames,
    SystemsAudit,
    contract_used,
    ranking,
    ranking_cells,
    ranking_columns,
    ranking_figure,
    vacuity_note,
    value_rows,
)
from tracepact.tools.audit.systems import Systems, profile_option, read_systems, runs_argument, systems_given
from tracepact.tools.score.shown import OutputOptions, aggregation_option, data_table, output_options, show
from tracepact.tools.score.store.names import Place

_TITLE = "The best system under each risk profile"


class Weight(Record, frozen=True):
    """The weight of a clause in a profile."""

    clause: str
    weight: Annotated[Fraction, Meta(extra_json_schema={"pattern": "^[0-9]+(/[1-9][0-9]*)?$"})]


class ProfileRanking(Ranking, frozen=True):
    """The systems ranked under one profile."""

    name: str
    origin: Origin
    aggregation: Annotated[Aggregation, Meta(description="Of the scores that are ranked (7.5).")]
    weights: Annotated[tuple[Weight, ...], Meta(min_length=1)]


class Dominated(Record, frozen=True):
    """A system, and those that are nowhere worse and somewhere better: it is alone best under no weights."""

    system: str
    by: SomeNames


class ProfileAudit(SystemsAudit, frozen=True):
    """What `tracepact profile --format json` prints: systems ranked under every risk profile (16.10)."""

    profiles: Annotated[tuple[ProfileRanking, ...], Meta(min_length=1)]
    winners: Annotated[Names, Meta(description="The systems that are best under some profile.")]
    dominated: Annotated[
        tuple[Dominated, ...], Meta(description="Systems that are nowhere better and somewhere worse than another.")
    ]
    absent: Annotated[Names, Meta(description="Profiles over starter guards that the contract lacks.")]


def audit_profile(
    systems: Systems | Sequence[Place],
    profiles: RiskProfiles | Sequence[str] = (),
    aggregation: Aggregation | None = None,
) -> ProfileAudit:
    """Rank systems under every risk profile; values are compared exactly (rule 16.10).

    Args:
        systems: Run directories or report.json files of one contract on the same data, or what
            `read_systems` returned.
        profiles: Further profiles, each written as in a contract, such as `mine : onset_guard = 2`; or what
            `risk_profiles` returned.
        aggregation: The aggregation of the scores; by default the contract's own. A profile of the contract keeps the
            one it names.

    Returns:
        The audit: a ranking per profile, the winners, and the systems that others dominate.

    Raises:
        InvalidInput: A system cannot be read, the systems cannot be compared, or a profile is wrong.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> import tracepact
        >>> with TemporaryDirectory() as folder:
        ...     for name, end in (("early", 2), ("late", 4)):
        ...         run = tracepact.score("boundary_gate", [(1, 3)], [(1, end)], durations=5)
        ...         files = run.save(f"{folder}/{name}")
        ...     audit = tracepact.audit_profile([f"{folder}/early", f"{folder}/late"])
        >>> {row.name: row.best for row in audit.profiles}["support_recall"]
        ('late',)
    """
    found = read_systems(systems)
    chosen = aggregation or found.contract.aggregation
    tried = risk_profiles(found.contract, chosen, profiles)
    ranked = tuple(_ranked(found, profile) for profile in tried.profiles)
    best = {name for row in ranked for name in row.best}
    return ProfileAudit(
        contract_used(found),
        chosen,
        found.names,
        ranked,
        tuple(name for name in found.names if name in best),
        tuple(_dominated(found, chosen)),
        tried.absent,
    )


def _ranked(systems: Systems, given: RiskProfile) -> ProfileRanking:
    profile = given.profile
    row = ranking(systems, profile)
    weights = tuple(Weight(clause, weight) for clause, weight in profile.weights)
    return ProfileRanking(
        profile.name,
        given.origin,
        profile.aggregation,
        weights,
        values=row.values,
        best=row.best,
        tie=row.tie,
        margin=row.margin,
    )


def _dominated(systems: Systems, aggregation: Aggregation) -> Iterator[Dominated]:
    """The systems that others dominate, under one aggregation."""
    clauses = [clause.name for clause in systems.contract.clauses]
    values = {s.name: [s.scores[aggregation][clause] for clause in clauses] for s in systems.systems}

    vacuous = [system.vacuous_clauses(aggregation) for system in systems.systems]
    everywhere = earned(clauses, vacuous, [system.constant for system in systems.systems])
    able = {name for name, is_earned in zip(systems.names, everywhere, strict=True) if is_earned}

    def above(one: str, other: str) -> bool:
        pairs = list(zip(values[one], values[other], strict=True))
        return all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)

    for name in values:
        if by := tuple(other for other in values if other in able and above(other, name)):
            yield Dominated(name, by)


# Shown


def tables(audit: ProfileAudit) -> list[Table]:
    """A row per profile."""
    notes = [BEST, *vacuity_note(audit.profiles), _winners(audit.profiles)]
    notes += [f"{one.system} is dominated by {', '.join(one.by)}" for one in audit.dominated]
    notes += [f"profile {name} left out: the contract lacks some of its clauses" for name in audit.absent]
    return [
        Table(
            _TITLE,
            [*ranking_columns("profile", audit.systems), *words("weights")],
            [[*ranking_cells(row.name, row), _weights(row, audit.aggregation)] for row in audit.profiles],
            notes,
        )
    ]


def _weights(row: ProfileRanking, asked: Aggregation) -> str:
    """The weights of a profile, and its aggregation where it keeps its own."""
    own = "" if row.aggregation is asked else f" (its own aggregation: {row.aggregation.words})"
    if row.origin is Origin.STARTER and row.name == BALANCED:
        return "all clauses, equal weights" + own
    if len({weight.weight for weight in row.weights}) == 1:
        return ", ".join(weight.clause for weight in row.weights) + own
    return ", ".join(f"{weight.clause} = {weight.weight}" for weight in row.weights) + own


def _winners(rankings: Sequence[Ranking]) -> str:
    winners = dict.fromkeys(name for row in rankings for name in row.best)
    if not winners:
        return "no system is best: none has earned its value under any profile"
    if any(row.best != rankings[0].best for row in rankings):
        return f"the best system depends on the profile: {', '.join(winners)}"
    return f"{', '.join(winners)} {'tie' if rankings[0].tie else 'is best'} under every profile"


def rows(audit: ProfileAudit) -> Table:
    """A row per profile and system."""
    return data_table(
        ("profile", "origin", "aggregation", *VALUE_COLUMNS),
        [
            (row.name, row.origin.value, row.aggregation.value, *cells)
            for row in audit.profiles
            for cells in value_rows(row)
        ],
    )


def figure(audit: ProfileAudit) -> str:
    """Values by profile and system."""
    return ranking_figure(_TITLE, [(row.name, row) for row in audit.profiles], audit.systems)


# Command


@click.command()
@runs_argument
@profile_option
@aggregation_option
@output_options
def command(
    runs: tuple[str, ...],
    given: tuple[str, ...],
    aggregation: Aggregation | None,
    **output: Unpack[OutputOptions],
) -> None:
    """Show the best system under each risk profile.

    RUNS are run directories or report.json files of one contract on the same data. The profiles are `balanced` (all
    clauses), four over the starter guards (support recall, edge timing, silence protection, event integrity), the
    contract's own, and those given with --profile. Values are compared exactly; ties are shown. A value
    that rests on a clause that asks nothing of the system is not ranked (rule 16.12). A profile of the
    contract keeps the aggregation it names.
    """
    show(audit_profile(systems_given(runs), given, aggregation), tables, rows, figure, **output)
