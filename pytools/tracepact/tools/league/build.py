"""Builds the record of a league from its systems: everything that compares them."""

from collections.abc import Sequence
from fractions import Fraction

from msgspec import structs

from tracepact.diagnostics import Diagnostics, did_you_mean
from tracepact.scoring.standings import Standing, standings
from tracepact.thresholds import SCENARIOS
from tracepact.tools.league.base import Base, Settings
from tracepact.tools.league.columns import Column, Entry, columns, ends
from tracepact.tools.league.differences import differences
from tracepact.tools.league.maps import by_class, by_condition, most_different
from tracepact.tools.league.record import (
    League,
    LeagueColumn,
    LeagueDifference,
    LeagueValue,
    full_name,
)
from tracepact.tools.league.system import LeagueSystem
from tracepact.tools.score.report.record import Versions
from tracepact.tools.score.store.manifest import versions
from tracepact.wording import rounded


def league_of(base: Base, given: Sequence[LeagueSystem]) -> League:
    """The league of at least two systems, in the order of the column that its settings name.

    InvalidInput if there is no such column or no such baseline.
    """
    contract = base.compiled()
    found = columns(contract, given)
    settings = _resolved(base.settings, [system.name for system in given], found)
    leading = next(column for column in found if full_name(column.group, column.name) == settings.rank_by)
    order = _order(leading, settings.level)
    systems = [given[k] for k in order]
    conditions = None if base.conditions is None else by_condition(systems, base.conditions, contract.aggregation)
    return League(
        format="tracepact-league/1",
        versions=Versions(**versions()),
        contract=base.contract,
        aggregation=contract.aggregation,
        mode=base.mode,
        clips=len(base.clips),
        classes=base.classes,
        tables=dict(base.tables),
        policies=base.policies,
        settings=settings,
        systems=tuple(system.stored.about for system in systems),
        columns=tuple(_column(column, given, order, base) for column in found),
        by_class=by_class(systems),
        by_condition=conditions,
        most_different=most_different(systems),
    )


def _resolved(settings: Settings, names: Sequence[str], found: Sequence[Column]) -> Settings:
    """The settings with the full name of the column to rank by; it may be given by its own name alone."""
    diagnostics = Diagnostics()
    if settings.baseline not in names:
        headline = f"there is no system `{settings.baseline}` among the runs to be the baseline"
        diagnostics.add("unknown-system", headline, help=did_you_mean(settings.baseline, names))
    full = {full_name(column.group, column.name): column.name for column in found if column.ranked}
    wanted = settings.rank_by
    chosen = wanted if wanted in full else next((name for name, short in full.items() if short == wanted), None)
    if chosen is None:
        help = (
            f"{wanted} is taken of scores, for every system: --scores NAME=PATH"
            if wanted.rpartition(".")[2] in SCENARIOS
            else did_you_mean(wanted, full.values()) or "rank by headline, a clause, a profile or a metric: event_f1"
        )
        diagnostics.add("unknown-column", f"there is nothing to rank by that is called `{wanted}`", help=help)
    diagnostics.raise_errors()
    return structs.replace(settings, rank_by=chosen or wanted)


def _order(column: Column, level: Fraction) -> list[int]:
    """The systems by rank, as they were given where ranks are equal; those without a rank last."""
    ranks = [standing.rank for standing in _standings(column, level)]
    return sorted(range(len(ranks)), key=lambda k: (ranks[k] is None, ranks[k] or 0, k))


def _standings(column: Column, level: Fraction) -> list[Standing]:
    return standings(
        [entry.value for entry in column.entries],
        [column.ranked and entry.earned for entry in column.entries],
        [entry.drawn for entry in column.entries],
        level,
        higher_is_better=column.higher_is_better,
    )


def _column(column: Column, systems: Sequence[LeagueSystem], order: Sequence[int], base: Base) -> LeagueColumn:
    places = _standings(column, base.settings.level)
    ranks = [place.rank for place in places]
    compared = differences(column, systems, base)
    values = tuple(
        _value(systems[k].name, column.entries[k], places[k], ranks.count(ranks[k]) > 1, compared[k], base)
        for k in order
    )
    best = tuple(value.system for value in values if value.rank == 1)
    return LeagueColumn(
        column.name,
        column.group,
        column.about,
        column.aggregation,
        column.higher_is_better,
        column.ranked,
        column.leading,
        best,
        values,
    )


def _value(
    name: str, entry: Entry, place: Standing, shared: bool, difference: LeagueDifference | None, base: Base
) -> LeagueValue:
    drawn = None if entry.value is None else entry.drawn
    low, high = (None, None) if drawn is None else ends(drawn, base.settings.level)
    return LeagueValue(
        name,
        entry.value if isinstance(entry.value, Fraction) else None,
        None if entry.value is None else rounded(entry.value),
        low,
        high,
        entry.vacuous,
        entry.earned,
        place.rank,
        shared and place.rank is not None,
        place.low,
        place.high,
        difference,
    )
