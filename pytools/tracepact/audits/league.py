"""Leagues made of run directories, changed, and kept in directories: each run is read and drawn once (rule 16.16)."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal

from msgspec import Meta, ValidationError, structs

from tracepact.audits.league_columns import (
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
from tracepact.audits.league_systems import (
    Base,
    LeagueSystem,
    Policies,
    Settings,
    base_of,
    file_name,
    given_scores,
    policies_of,
    read_system,
    report_differences,
    report_scores,
    system_bytes,
    system_of,
)
from tracepact.audits.systems import NamedRun, report_repeated_names
from tracepact.data.memory import conditions_from
from tracepact.declarations import OnStage, silent
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace, did_you_mean
from tracepact.evaluate.uncertainty import Standing, standings
from tracepact.files import BadTable, json_data, json_text, write_folder
from tracepact.inputs import LARGEST_DOCUMENT, read_within
from tracepact.records import Count, Digest, Record, plain, record_of
from tracepact.runs.manifest import LEAGUE_FORMAT, NAME, digest, self_digest, versions
from tracepact.runs.opening import OpenRun, RunIdentity, check_same, opened, stored_report
from tracepact.runs.originals import Places
from tracepact.runs.report import Report, Versions
from tracepact.runs.run import Run
from tracepact.runs.task import check_conditions
from tracepact.thresholds.psds import SCENARIOS
from tracepact.wording import quoted, rounded

# Builds the record of a league from its systems: everything that compares them.


def league_of(base: Base, systems: Sequence[LeagueSystem]) -> League:
    """The league of at least two systems, in the order of the column that its settings name.

    InvalidInput if there is no such column or no such baseline.
    """
    contract = base.compiled()
    found = columns(contract, systems)
    settings = _resolved(base.settings, [system.name for system in systems], found)
    leading = next(column for column in found if full_name(column.group, column.name) == settings.rank_by)
    order = _order(leading, settings.level)
    ordered = [systems[k] for k in order]
    conditions = None if base.conditions is None else by_condition(ordered, base.conditions, contract.aggregation)
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
        systems=tuple(system.stored.about for system in ordered),
        columns=tuple(_column(column, systems, order, base) for column in found),
        by_class=by_class(ordered),
        by_condition=conditions,
        most_different=most_different(ordered),
    )


def _resolved(settings: Settings, names: Sequence[str], known: Sequence[ColumnValues]) -> Settings:
    """The settings with the full name of the column to rank by; it may be given by its own name alone."""
    diagnostics = Diagnostics()
    if settings.baseline not in names:
        headline = f"there is no system `{settings.baseline}` among the runs to be the baseline"
        diagnostics.add("unknown-system", headline, help=did_you_mean(settings.baseline, names))
    # A clause and a profile may have one name; the full name tells them apart, the short one means the first.
    full = {full_name(column.group, column.name): column.name for column in known if column.ranked}
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
class StoredLeague:
    """A league directory that was opened: what its runs share, and its systems in the order they came."""

    folder: Path
    base: Base
    systems: tuple[LeagueSystem, ...]


@dataclass(frozen=True, slots=True)
class LeagueParts:
    """The parts of a league: what its runs share, its systems in the order they came, and warnings."""

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
    base, where = structs.replace(league.base, settings=settings), str(league.folder)
    places = [*changes.replaced, *changes.added]
    # A system that is replaced leaves first, so that the new one may have its name, and comes back to its place.
    by_name = {system.name: system for system in league.systems if system.name not in changes.gone}
    diagnostics = Diagnostics()
    report_repeated_names([*(NamedRun(name, where, where) for name in by_name), *places], diagnostics)
    diagnostics.raise_errors()
    runs = _open(places, originals)
    for one in runs:
        report_differences((base.identity, base.policies), where, one.shared, one.run.place, diagnostics)
    report_scores(changes.scores, [one.name for one in runs], base.policies.label_map, diagnostics)
    diagnostics.raise_errors()
    for one in runs:
        on_stage(f"reading {one.name}")
        by_name[one.name] = _system(one, _scored(one), base, changes.scores, diagnostics)
    names = [system.name for system in league.systems if system.name not in changes.removed]
    systems = tuple(by_name[name] for name in dict.fromkeys([*names, *by_name]))
    return LeagueParts(base, systems, tuple(diagnostics))


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


# League directories: what they hold, written whole, opened and checked against their manifest (rule 17.7).

BASE = "base.json"
LARGEST_SYSTEM = 1 << 32
VIEWS = ("league.html", "league.md", "league.csv", "league.json")
_HELP = "make the league again from its runs: `tracepact league RUN… --out FOLDER`"


class ListedFile(Record, frozen=True):
    """A file of a league directory."""

    name: str
    bytes: Count
    sha256: Digest


class LeagueManifest(Record, frozen=True):
    """What a league directory holds."""

    format: Literal["tracepact-league-directory/1"]
    systems: Annotated[tuple[str, ...], Meta(description="The files of the systems, in the order they came.")]
    files: tuple[ListedFile, ...]
    sha256: Digest


def write_league(
    folder: Path, base: Base, systems: Sequence[LeagueSystem], views: Mapping[str, str], kept: Mapping[str, bytes]
) -> list[Path]:
    """Write a league directory whole; `kept` are the bytes of systems that are stored already, by file name."""
    names = [file_name(system.name) for system in systems]
    files = {name: views[name].encode() for name in VIEWS}
    files[BASE] = json_text(plain(base)).encode()
    for name, system in zip(names, systems, strict=True):
        files[name] = kept[name] if name in kept else system_bytes(system)
    listed = [ListedFile(name, len(data), digest(data)) for name, data in files.items()]
    data = {
        "format": LEAGUE_FORMAT,
        "systems": names,
        "files": [plain(one) for one in listed],
    }
    files[NAME] = json_text({**data, "sha256": self_digest(data)}).encode()
    write_folder(folder, files)
    return [folder / name for name in files]


def open_league(folder: Path) -> tuple[StoredLeague, dict[str, bytes]]:
    """A league directory and the bytes of its systems; InvalidInput if there is none, or if it has changed."""
    manifest = _manifest(folder)
    listed = {one.name: one.sha256 for one in manifest.files}
    base = _base(folder, _bytes(folder, BASE, listed))
    kept = {name: _bytes(folder, name, listed) for name in manifest.systems}
    systems = []
    for name, data in kept.items():
        try:
            systems.append(read_system(data, base))
        except BadTable as error:
            raise _broken(folder / name, str(error)) from error
    return StoredLeague(folder, base, tuple(systems)), kept


def check_place(folder: Path) -> None:
    """Refuse a place where a league directory cannot be written without loss, with InvalidInput."""
    diagnostics = Diagnostics()
    place = RowPlace(str(folder))
    if folder.is_dir():
        there = {entry.name for entry in os.scandir(folder)}
        # Only files that our own manifest lists are ours to replace.
        ours = {NAME, *(one.name for one in _manifest(folder).files)} if NAME in there else set[str]()
        if others := sorted(there - ours):
            what = "holds files that are no part of a league" if ours else "is not a league directory"
            some = f"{quoted(others[:3])}{', …' if len(others) > 3 else ''}"
            headline = f"`{folder}` {what} and is not replaced: {some}"
            diagnostics.add("not-a-league", headline, place, "name another folder, or remove this one")
    elif folder.exists():
        diagnostics.add("not-a-league", f"`{folder}` is a file", place, "name a folder")
    diagnostics.raise_errors()


def _manifest(folder: Path) -> LeagueManifest:
    diagnostics = Diagnostics()
    try:
        text = read_within(folder, NAME, LARGEST_DOCUMENT).decode()
        data = json_data(text)
        manifest = record_of(data, LeagueManifest)
        names = {one.name for one in manifest.files}
        sound = all(PurePath(name).name == name and "\0" not in name for name in names) and names >= {*manifest.systems}
    except (OSError, ValueError, RecursionError, ValidationError):
        headline = f"`{folder}` is not a league directory"
        diagnostics.add(
            "not-a-league", headline, RowPlace(str(folder)), "`tracepact league RUN… --out FOLDER` makes one"
        )
        raise InvalidInput(diagnostics) from None
    # Compared as text as well: two spellings of the same JSON would have one digest of its data.
    if not sound or manifest.sha256 != self_digest(data) or text != json_text(data):
        raise _broken(folder / NAME, "the manifest is not as it was written: its own digest differs")
    return manifest


def _bytes(folder: Path, name: str, listed: Mapping[str, str]) -> bytes:
    try:
        data = read_within(folder, name, LARGEST_SYSTEM)
    except OSError as error:
        raise _broken(folder / name, f"the file cannot be read: {(error.strerror or str(error)).lower()}") from error
    if digest(data) != listed.get(name):
        raise _broken(folder / name, "the file is not as it was written: its SHA-256 differs")
    return data


def _base(folder: Path, data: bytes) -> Base:
    fault = "the file does not hold what a league shares"
    try:
        base = record_of(json_data(data), Base)
    except (ValueError, RecursionError, ValidationError) as error:
        raise _broken(folder / BASE, fault) from error
    if not base.fits:
        raise _broken(folder / BASE, fault)
    return base


def _broken(place: Path, fault: str) -> InvalidInput:
    diagnostics = Diagnostics()
    diagnostics.add("broken-league", fault, RowPlace(str(place)), _HELP)
    return InvalidInput(diagnostics)
