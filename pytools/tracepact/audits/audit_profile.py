"""Rankings of systems: `tracepact profile` under each risk profile, `tracepact audit selection` on each clause."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Annotated, TypeVar, Unpack

import click
from msgspec import Meta

from tracepact.audits.systems import (
    Runs,
    Systems,
    aggregation_of,
    profile_option,
    read_systems,
    reading_systems,
    runs_argument,
)
from tracepact.evaluate.scores import BALANCED, ProfileOrigin, RiskProfile, RiskProfiles, earned, risk_profiles
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
    """Notes on the marks of vacuous values and of values that are not earned, where the marks are shown."""
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


# `tracepact profile`, also `tracepact audit profile`: the best system under each risk profile (rule 16.10).

_TITLE = "The best system under each risk profile"


class Weight(Record, frozen=True):
    """The weight of a clause in a profile."""

    clause: str
    weight: Annotated[Fraction, Meta(extra_json_schema={"pattern": "^[0-9]+(/[1-9][0-9]*)?$"})]


class ProfileRanking(Ranking, frozen=True):
    """The systems ranked under one profile."""

    name: str
    origin: ProfileOrigin
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
    systems: Runs,
    profiles: RiskProfiles | Sequence[str] = (),
    aggregation: Aggregation | None = None,
) -> ProfileAudit:
    """Rank systems under every risk profile; values are compared exactly (rule 16.10).

    Args:
        systems: Runs of one contract on the same data: in memory, in batches, or the places of run directories or of
            report.json files. A mapping names them.
        profiles: Further profiles, each written as in a contract, such as `mine : onset_guard = 2`; or what
            `risk_profiles` returned.
        aggregation: The aggregation of the scores; by default the contract's own. A profile of the contract keeps the
            one it names.

    Returns:
        The audit: a ranking per profile, the winners, and the systems that others dominate.

    Raises:
        InvalidInput: A system cannot be read, the systems cannot be compared, or a profile is wrong.

    Examples:
        >>> import tracepact
        >>> runs = {
        ...     name: tracepact.score("boundary_gate", [(1, 3)], [(1, end)], durations=5)
        ...     for name, end in (("early", 2), ("late", 4))
        ... }
        >>> audit = tracepact.audit_profile(runs)
        >>> {row.name: row.best for row in audit.profiles}["support_recall"]
        ('late',)
    """
    compared = read_systems(systems)
    chosen = aggregation_of(compared.contract, aggregation)
    tried = risk_profiles(compared.contract, chosen, profiles)
    ranked = tuple(_ranked(compared, profile) for profile in tried.profiles)
    best = {name for row in ranked for name in row.best}
    return ProfileAudit(
        contract_used(compared),
        chosen,
        compared.names,
        ranked,
        tuple(name for name in compared.names if name in best),
        tuple(_dominated(compared, chosen)),
        tried.absent,
    )


def _ranked(systems: Systems, risk: RiskProfile) -> ProfileRanking:
    profile = risk.profile
    weights = tuple(Weight(clause, weight) for clause, weight in profile.weights)
    return ranking(systems, profile, partial(ProfileRanking, profile.name, risk.origin, profile.aggregation, weights))


def _dominated(systems: Systems, aggregation: Aggregation) -> Iterator[Dominated]:
    """The systems that others dominate, under one aggregation."""
    clauses = [clause.name for clause in systems.contract.clauses]
    values = {s.name: [s.scores[aggregation][clause] for clause in clauses] for s in systems.systems}

    vacuous = [system.vacuous_clauses(aggregation) for system in systems.systems]
    # Not in every value but in the system as a whole: one that is vacuous on a clause that tells systems apart
    # dominates none (rule 16.12).
    everywhere = earned(clauses, vacuous, [system.constant for system in systems.systems])
    able = {name for name, is_earned in zip(systems.names, everywhere, strict=True) if is_earned}

    def above(one: str, other: str) -> bool:
        pairs = list(zip(values[one], values[other], strict=True))
        return all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)

    for name in values:
        if by := tuple(other for other in values if other in able and above(other, name)):
            yield Dominated(name, by)


# Shown


def profile_tables(audit: ProfileAudit) -> list[Table]:
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


def _weights(row: ProfileRanking, usual: Aggregation) -> str:
    """The weights of a profile, and its aggregation where it keeps its own."""
    note = "" if row.aggregation is usual else f" (its own aggregation: {row.aggregation.words})"
    # A profile of the contract may be called `balanced` as well, with other weights.
    if row.origin is ProfileOrigin.STARTER and row.name == BALANCED:
        return "all clauses, equal weights" + note
    if len({weight.weight for weight in row.weights}) == 1:
        return ", ".join(weight.clause for weight in row.weights) + note
    return ", ".join(f"{weight.clause} = {weight.weight}" for weight in row.weights) + note


def _winners(rankings: Sequence[Ranking]) -> str:
    winners = dict.fromkeys(name for row in rankings for name in row.best)
    if not winners:
        return "no system is best: none has earned its value under any profile"
    # Compared as sets of best systems: the same winner with and without a tie is not the same answer.
    if any(row.best != rankings[0].best for row in rankings):
        return f"the best system depends on the profile: {', '.join(winners)}"
    return f"{', '.join(winners)} {'tie' if rankings[0].tie else 'is best'} under every profile"


def profile_rows(audit: ProfileAudit) -> Table:
    """A row per profile and system."""
    return data_table(
        ("profile", "origin", "aggregation", *VALUE_COLUMNS),
        [
            (row.name, row.origin.value, row.aggregation.value, *cells)
            for row in audit.profiles
            for cells in value_rows(row)
        ],
    )


def profile_figure(audit: ProfileAudit) -> str:
    """Values by profile and system."""
    return ranking_figure(_TITLE, [(row.name, row) for row in audit.profiles], audit.systems)


# Command


@click.command()
@runs_argument
@profile_option
@aggregation_option
@output_options
def profile_command(
    runs: tuple[str, ...],
    profiles: tuple[str, ...],
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
    with reading_systems(runs):
        audit = audit_profile(runs, profiles, aggregation)
    show(audit, profile_tables, profile_rows, profile_figure, **output)


# `tracepact audit selection`: the best system on each clause (rule 16.10).


class Led(Record, frozen=True):
    """On how many clauses a system is best, alone or in a tie."""

    system: str
    coordinates: Count


class ClauseRanking(Ranking, frozen=True):
    """The systems ranked on one clause."""

    clause: str


class SelectionAudit(SystemsAudit, frozen=True):
    """What `tracepact audit selection --format json` prints: systems ranked on every clause (16.10)."""

    coordinates: Annotated[tuple[ClauseRanking, ...], Meta(min_length=1)]
    led: Annotated[tuple[Led, ...], Meta(description="On how many coordinates each system is best, alone or in a tie.")]


def audit_selection(systems: Runs, aggregation: Aggregation | None = None) -> SelectionAudit:
    """Rank systems on every clause; scores are compared exactly (rule 16.10).

    Args:
        systems: Runs of one contract on the same data: in memory, in batches, or the places of run directories or of
            report.json files. A mapping names them.
        aggregation: The aggregation of the scores; by default the contract's own.

    Returns:
        The audit: a ranking per clause, and on how many each system is best.

    Raises:
        InvalidInput: A system cannot be read, or the systems cannot be compared.

    Examples:
        >>> import tracepact
        >>> runs = {
        ...     name: tracepact.score("boundary_gate", [(1, 3)], [(1, end)], durations=5)
        ...     for name, end in (("early", 2), ("late", 4))
        ... }
        >>> audit = tracepact.audit_selection(runs)
        >>> {row.clause: row.best for row in audit.coordinates}["spurious_guard"]
        ('early',)
    """
    compared = read_systems(systems)
    chosen = aggregation_of(compared.contract, aggregation)
    profiles = clause_profiles(compared.contract, chosen)
    ranked = tuple(ranking(compared, profile, partial(ClauseRanking, profile.name)) for profile in profiles)
    led = tuple(Led(name, sum(name in row.best for row in ranked)) for name in compared.names)
    return SelectionAudit(contract_used(compared), chosen, compared.names, ranked, led)


# Shown


def selection_tables(audit: SelectionAudit) -> list[Table]:
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


def selection_rows(audit: SelectionAudit) -> Table:
    """A row per clause and system."""
    return data_table(
        ("clause", "aggregation", *VALUE_COLUMNS),
        [(row.clause, audit.aggregation.value, *cells) for row in audit.coordinates for cells in value_rows(row)],
    )


def selection_figure(audit: SelectionAudit) -> str:
    """Scores by clause and system."""
    return ranking_figure(_title(audit), [(row.clause, row) for row in audit.coordinates], audit.systems)


# Command


@click.command()
@runs_argument
@aggregation_option
@output_options
def selection_command(runs: tuple[str, ...], aggregation: Aggregation | None, **output: Unpack[OutputOptions]) -> None:
    """Show the best system on each clause.

    RUNS are run directories or report.json files of one contract on the same data.
    """
    with reading_systems(runs):
        audit = audit_selection(runs, aggregation)
    show(audit, selection_tables, selection_rows, selection_figure, **output)
