"""Leagues made of run directories, and changed: each run is read and drawn once (rules 16.16 and 17.7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from msgspec import structs

from tracepact.audits.league_base import Base, Policies, Settings, base_of, policies_of, report_differences
from tracepact.audits.league_columns import (
    HEADLINE,
    ColumnValues,
    League,
    LeagueColumn,
    LeagueDifference,
    LeagueEntry,
    LeagueValue,
    by_class,
    by_condition,
    columns,
    differences,
    ends,
    full_name,
    most_different,
)
from tracepact.audits.league_systems import LeagueSystem, StoredLeague, given_scores, report_scores, system_of
from tracepact.audits.systems import NamedRun, Runs, report_repeated_names, some_runs
from tracepact.data.memory import conditions_from
from tracepact.declarations import OnStage, silent
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace, did_you_mean
from tracepact.evaluate.uncertainty import USUAL, Bootstrap, Standing, standings
from tracepact.runs.manifest import versions
from tracepact.runs.opening import (
    OpenRun,
    RunIdentity,
    check_same,
    opened,
    stored_report,
)
from tracepact.runs.originals import Places
from tracepact.runs.report import Report, Versions
from tracepact.runs.run import Run
from tracepact.runs.task import check_conditions
from tracepact.thresholds.psds import SCENARIOS
from tracepact.wording import rounded

# Builds the record of a league from its systems: everything that compares them.


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


def _resolved(settings: Settings, names: Sequence[str], found: Sequence[ColumnValues]) -> Settings:
    """The settings with the full name of the column to rank by; it may be given by its own name alone."""
    diagnostics = Diagnostics()
    if settings.baseline not in names:
        headline = f"there is no system `{settings.baseline}` among the runs to be the baseline"
        diagnostics.add("unknown-system", headline, help=did_you_mean(settings.baseline, names))
    # A clause and a profile may have one name; the full name tells them apart, the short one means the first.
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


def _order(column: ColumnValues, level: Fraction) -> list[int]:
    """The systems by rank, as they were given where ranks are equal; those without a rank last."""
    ranks = [standing.rank for standing in _standings(column, level)]
    # Stable for equal ranks, so that a league does not reorder systems that nothing tells apart.
    return sorted(range(len(ranks)), key=lambda k: (ranks[k] is None, ranks[k] or 0, k))


def _standings(column: ColumnValues, level: Fraction) -> list[Standing]:
    return standings(
        [entry.value for entry in column.entries],
        [column.ranked and entry.earned for entry in column.entries],
        [entry.drawn for entry in column.entries],
        level,
        higher_is_better=column.higher_is_better,
    )


def _column(column: ColumnValues, systems: Sequence[LeagueSystem], order: Sequence[int], base: Base) -> LeagueColumn:
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
    name: str, entry: LeagueEntry, place: Standing, shared: bool, difference: LeagueDifference | None, base: Base
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


# Makes leagues of run directories, and changes one: each run is read and drawn once (rules 16.16 and 17.7).


@dataclass(frozen=True, slots=True)
class LeagueParts:
    """What a league is made of: what its runs share, its systems in the order they came, and what was odd."""

    base: Base
    systems: tuple[LeagueSystem, ...]
    warnings: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class _Opened:
    """A run directory that was opened, with its report and what systems of one league have in common (rule 16.16)."""

    name: str
    run: OpenRun
    report: Report
    shared: tuple[RunIdentity, Policies]


def make_league(
    places: Sequence[NamedRun],
    settings: Settings,
    conditions: Any = None,
    on_stage: OnStage = silent,
    scores: Mapping[str, Any] | None = None,
    originals: Places | None = None,
) -> LeagueParts:
    """Read the runs of a league, and scores by system; InvalidInput gives every reason why they do not make one."""
    runs = _open(places, originals)
    first, *others = runs
    diagnostics = Diagnostics()
    groups = None if conditions is None else conditions_from(conditions, diagnostics)
    identity, policies = first.shared
    for other in others:
        report_differences(first.shared, first.run.place, other.shared, other.run.place, diagnostics)
    report_scores(scores or {}, [one.name for one in runs], policies.label_map, diagnostics)
    if groups and not diagnostics.errors:
        check_conditions(groups, identity.clips, diagnostics)
    diagnostics.raise_errors()
    base, systems = None, list[LeagueSystem]()
    for one in runs:
        on_stage(f"reading {one.name}")
        scored = _scored(one)
        # What the league shares comes from the first run that is scored, in whose order of clips and classes all others
        # are brought.
        if base is None:
            by_clip = groups.clips if groups else scored.conditions
            base = base_of(first.run, first.report, scored.card, by_clip, settings)
        systems.append(_system(one, scored, base, scores or {}, diagnostics))
    assert base is not None
    return LeagueParts(base, tuple(systems), tuple(diagnostics))


@dataclass(frozen=True, slots=True)
class LeagueChanges:
    """Runs that are added to a league, runs that replace systems of their names, and names that are removed.

    `scores` are those of the added and replaced systems, by their names, as far as they are given.
    """

    added: Sequence[NamedRun] = ()
    replaced: Sequence[NamedRun] = ()
    removed: Sequence[str] = ()
    scores: Mapping[str, Any] = field(default_factory=dict)

    @property
    def gone(self) -> set[str]:
        """The systems that the league has no longer as they are stored."""
        return {*self.removed, *(one.name for one in self.replaced)}


def change_league(
    league: StoredLeague,
    changes: LeagueChanges,
    settings: Settings,
    on_stage: OnStage = silent,
    originals: Places | None = None,
) -> LeagueParts:
    """A league with some systems added, replaced where they stand, or removed; the others are taken as stored."""
    _check_changes(league, changes, settings)
    staying = tuple(system for system in league.systems if system.name not in changes.gone)
    places = [*changes.replaced, *changes.added]
    # A system that is replaced leaves first, so that the new one may have its name, and comes back to its place.
    kept = StoredLeague(league.folder, league.base, staying)
    changed = add_to_league(kept, places, settings, on_stage, changes.scores, originals)
    by_name = {system.name: system for system in changed.systems}
    names = [system.name for system in league.systems if system.name not in changes.removed]
    return replace(changed, systems=tuple(by_name[name] for name in dict.fromkeys([*names, *by_name])))


def _check_changes(league: StoredLeague, changes: LeagueChanges, settings: Settings) -> None:
    """Refuse what a league cannot be changed by, with InvalidInput."""
    diagnostics = Diagnostics()
    place = RowPlace(str(league.folder))
    names = [system.name for system in league.systems]
    for name in (*changes.removed, *(one.name for one in changes.replaced)):
        if name not in names:
            headline = f"the league has no system called `{name}`"
            diagnostics.add("unknown-system", headline, place, did_you_mean(name, names))
    for one in changes.added:
        if one.name in names and one.name not in changes.gone:
            headline = f"the league already has a system called `{one.name}`"
            help = (
                f'replace it with --replace "{one.name}={one.place}", or give this one another name: NAME={one.place}'
            )
            diagnostics.add("repeated-system", headline, RowPlace(one.place), help)
    left = {*names} - {*changes.removed} | {one.name for one in changes.added}
    if len(left) < 2 and not diagnostics.errors:
        diagnostics.add("unknown-system", "a league has at least two systems, and this leaves fewer", place)
    elif settings.baseline == league.base.settings.baseline and settings.baseline not in left:
        headline = f"`{settings.baseline}` is the baseline of the league and would be gone"
        diagnostics.add("unknown-system", headline, place, "name another with --baseline")
    diagnostics.raise_errors()


def add_to_league(
    league: StoredLeague,
    places: Sequence[NamedRun],
    settings: Settings,
    on_stage: OnStage = silent,
    scores: Mapping[str, Any] | None = None,
    originals: Places | None = None,
) -> LeagueParts:
    """A league with further runs; the systems it has are taken as they are stored."""
    base = structs.replace(league.base, settings=settings)
    diagnostics = Diagnostics()
    old = [NamedRun(system.name, str(league.folder), str(league.folder)) for system in league.systems]
    report_repeated_names([*old, *places], diagnostics)
    diagnostics.raise_errors()
    runs = _open(places, originals)
    for one in runs:
        report_differences((base.identity, base.policies), str(league.folder), one.shared, one.run.place, diagnostics)
    report_scores(scores or {}, [one.name for one in runs], base.policies.label_map, diagnostics)
    diagnostics.raise_errors()
    added = []
    for one in runs:
        on_stage(f"reading {one.name}")
        added.append(_system(one, _scored(one), base, scores or {}, diagnostics))
    return LeagueParts(base, (*league.systems, *added), tuple(diagnostics))


def _system(one: _Opened, scored: Run, base: Base, scores: Mapping[str, Any], diagnostics: Diagnostics) -> LeagueSystem:
    """One system, with its PSDS if its scores were given."""
    given = given_scores(scores[one.name], scored, base) if one.name in scores else None
    diagnostics.extend(given.warnings if given else ())
    return system_of(one.name, one.run, one.report, scored, base, given)


def _open(places: Sequence[NamedRun], originals: Places | None) -> list[_Opened]:
    """The runs at these places; InvalidInput with the faults of all that cannot be read."""
    diagnostics = Diagnostics()
    runs = []
    for one in places:
        try:
            run = opened(one.run, one.place, originals)
            report = stored_report(run)
            runs.append(_Opened(one.name, run, report, (run.identity, policies_of(report))))
        except InvalidInput as error:
            diagnostics.extend(error.diagnostics)
    diagnostics.raise_errors()
    return runs


def _scored(one: _Opened) -> Run:
    """The run computed again from its tables, and found to be what is stored."""
    scored = one.run.rescore()
    # Else the league would rank numbers that the run's own report does not have.
    check_same(one.run.place, one.report, scored)
    return scored


# Leagues from Python: many systems on the same data as one record.


def league(
    runs: Runs,
    *,
    baseline: str | None = None,
    rank_by: str = HEADLINE,
    conditions: Any = None,
    bootstrap: Bootstrap = USUAL,
    scores: Mapping[str, Any] | None = None,
) -> League:
    """Compare many systems on the same data (rules 16.15 to 16.19).

    Args:
        runs: Runs of one contract on the same data: in memory, or the places of run directories, each a place or
            `NAME=PLACE`. A mapping names them.
        baseline: The system that the others are compared with; by default the first.
        rank_by: What orders the league: `headline`, a clause, a profile, `psds1`, or a metric such as `event_f1`.
        conditions: A table or a mapping from clips to conditions; by default those of the first run.
        bootstrap: How clips are drawn.
        scores: The scores of systems by their names, in the forms of `curves`; those systems have PSDS (rule 16.20).

    Returns:
        The league: for every column the values, intervals, ranks and differences from the baseline.

    Raises:
        InvalidInput: A run cannot be read, the runs do not make a league, or a name is unknown.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> import tracepact
        >>> with TemporaryDirectory() as folder:
        ...     for name, end in (("early", 2), ("late", 4), ("silent", 1)):
        ...         run = tracepact.score("boundary_gate", [(1, 3)], [(1, end)] if end > 1 else [], durations=5)
        ...         files = run.save(f"{folder}/{name}")
        ...     found = tracepact.league([f"{folder}/{name}" for name in ("early", "late", "silent")])
        >>> [(value.system, value.rank) for value in found.ranked_by.values]
        [('early', 1), ('late', 2), ('silent', None)]
    """
    parts = league_parts(runs, baseline, rank_by, conditions, bootstrap, scores=scores)
    return league_of(parts.base, parts.systems)


def league_parts(
    runs: Runs,
    baseline: str | None,
    rank_by: str,
    conditions: Any,
    bootstrap: Bootstrap,
    on_stage: OnStage = silent,
    scores: Mapping[str, Any] | None = None,
    originals: Places | None = None,
) -> LeagueParts:
    """What a league is made of, read from its runs."""
    places = some_runs(runs)
    settings = Settings(baseline or places[0].name, rank_by, bootstrap.number, bootstrap.seed, bootstrap.level)
    return make_league(places, settings, conditions, on_stage, scores, originals)
