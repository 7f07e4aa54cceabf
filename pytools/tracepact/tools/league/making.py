"""Makes leagues of run directories, and changes one: each run is read and drawn once (rules 16.16 and 17.7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import structs

from tracepact.diagnostics import Diagnostic, Diagnostics, InvalidInput, RowPlace, did_you_mean
from tracepact.io import conditions_from
from tracepact.progress import OnStage, silent
from tracepact.tools.league.base import Base, Policies, Settings, base_of, policies_of, report_differences
from tracepact.tools.league.psds import given_scores, report_scores
from tracepact.tools.league.store import StoredLeague
from tracepact.tools.league.system import LeagueSystem, system_of
from tracepact.tools.score.inputs import check_conditions
from tracepact.tools.score.report.record import Report
from tracepact.tools.score.report.stored import check_same, stored_report
from tracepact.tools.score.run import Run
from tracepact.tools.score.store.names import NamedPlace, report_repeated_names
from tracepact.tools.score.store.opening import StoredRun, open_run
from tracepact.tools.score.store.pairing import RunIdentity, identity


@dataclass(frozen=True, slots=True)
class Made:
    """What a league is made of: what its runs share, its systems in the order they came, and what was odd."""

    base: Base
    systems: tuple[LeagueSystem, ...]
    warnings: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class _Opened:
    """A run directory that was opened, with its report and what the league compares it by."""

    name: str
    run: StoredRun
    report: Report
    identity: RunIdentity
    policies: Policies


def make_league(
    places: Sequence[NamedPlace],
    settings: Settings,
    conditions: Any = None,
    on_stage: OnStage = silent,
    scores: Mapping[str, Any] | None = None,
) -> Made:
    """Read the runs of a league, and scores by system; InvalidInput gives every reason why they do not make one."""
    opened = _open(places)
    first, *others = opened
    diagnostics = Diagnostics()
    groups = None if conditions is None else conditions_from(conditions, diagnostics)
    for other in others:
        _compare(first.identity, first.policies, str(first.run.folder), other, diagnostics)
    report_scores(scores or {}, [one.name for one in opened], first.policies.label_map, diagnostics)
    if groups and not diagnostics.errors:
        check_conditions(groups, first.identity.clips, diagnostics)
    diagnostics.raise_errors()
    base, systems = None, list[LeagueSystem]()
    for one in opened:
        on_stage(f"reading {one.name}")
        scored = _scored(one)
        if base is None:
            by_clip = groups.clips if groups else scored.conditions
            base = base_of(first.run, first.report, scored.card, by_clip, settings)
        systems.append(_system(one, scored, base, scores or {}, diagnostics))
    assert base is not None
    return Made(base, tuple(systems), tuple(diagnostics))


@dataclass(frozen=True, slots=True)
class Changes:
    """Runs that are added to a league, runs that replace systems of their names, and names that are removed.

    `scores` are those of the added and replaced systems, by their names, as far as they are given.
    """

    added: Sequence[NamedPlace] = ()
    replaced: Sequence[NamedPlace] = ()
    removed: Sequence[str] = ()
    scores: Mapping[str, Any] = field(default_factory=dict)

    @property
    def gone(self) -> set[str]:
        """The systems that the league has no longer as they are stored."""
        return {*self.removed, *(one.name for one in self.replaced)}


def change_league(league: StoredLeague, changes: Changes, settings: Settings, on_stage: OnStage = silent) -> Made:
    """A league with some systems added, replaced where they stand, or removed; the others are taken as stored."""
    _check_changes(league, changes, settings)
    staying = tuple(system for system in league.systems if system.name not in changes.gone)
    places = [*changes.replaced, *changes.added]
    made = add_to_league(StoredLeague(league.folder, league.base, staying), places, settings, on_stage, changes.scores)
    by_name = {system.name: system for system in made.systems}
    names = [system.name for system in league.systems if system.name not in changes.removed]
    return replace(made, systems=tuple(by_name[name] for name in dict.fromkeys([*names, *by_name])))


def _check_changes(league: StoredLeague, changes: Changes, settings: Settings) -> None:
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
    places: Sequence[NamedPlace],
    settings: Settings,
    on_stage: OnStage = silent,
    scores: Mapping[str, Any] | None = None,
) -> Made:
    """A league with further runs; the systems it has are taken as they are stored."""
    base = structs.replace(league.base, settings=settings)
    diagnostics = Diagnostics()
    old = [NamedPlace(system.name, str(league.folder)) for system in league.systems]
    report_repeated_names([*old, *places], diagnostics)
    diagnostics.raise_errors()
    opened = _open(places)
    for one in opened:
        _compare(base.identity, base.policies, str(league.folder), one, diagnostics)
    report_scores(scores or {}, [one.name for one in opened], base.policies.label_map, diagnostics)
    diagnostics.raise_errors()
    added = []
    for one in opened:
        on_stage(f"reading {one.name}")
        added.append(_system(one, _scored(one), base, scores or {}, diagnostics))
    return Made(base, (*league.systems, *added), tuple(diagnostics))


def _system(one: _Opened, scored: Run, base: Base, scores: Mapping[str, Any], diagnostics: Diagnostics) -> LeagueSystem:
    """One system, with its PSDS if its scores were given."""
    given = given_scores(scores[one.name], scored, base) if one.name in scores else None
    diagnostics.extend(given.warnings if given else ())
    return system_of(one.name, one.run, one.report, scored, base, given)


def _open(places: Sequence[NamedPlace]) -> list[_Opened]:
    """The runs at these places; InvalidInput with the faults of all that cannot be read."""
    diagnostics = Diagnostics()
    found = []
    for one in places:
        try:
            run = open_run(one.place, Diagnostics())
            report = stored_report(run)
            found.append(_Opened(one.name, run, report, identity(run), policies_of(report)))
        except InvalidInput as error:
            diagnostics.extend(error.diagnostics)
    diagnostics.raise_errors()
    return found


def _compare(base: RunIdentity, policies: Policies, where: str, other: _Opened, diagnostics: Diagnostics) -> None:
    report_differences((base, policies), where, (other.identity, other.policies), other.run.folder, diagnostics)


def _scored(one: _Opened) -> Run:
    """The run computed again from its tables, and found to be what is stored."""
    scored = one.run.rescore()
    check_same(one.run, one.report, scored)
    return scored
