"""The systems of a league, each kept in one file, and the directories of leagues (rule 17.7)."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta, ValidationError

from tracepact.audits.league_base import Base, Measure, drawn_measures, frames_fit, measures
from tracepact.audits.systems import ordered
from tracepact.data.sources import read_arrays
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace, did_you_mean
from tracepact.evaluate.draws import SameAnswers, Values, answers, is_constant
from tracepact.evaluate.scorecard import Scorecard, ScoreRows
from tracepact.evaluate.scores import ClauseCounts, risk_profiles
from tracepact.evaluate.uncertainty import drawn_vector
from tracepact.files import BadTable, json_data, json_text, write_folder
from tracepact.inputs import LARGEST_DOCUMENT, read_within
from tracepact.language.contract import Aggregation, Contract
from tracepact.measures.records import MetricValue
from tracepact.records import Count, Digest, Record, plain, record_of
from tracepact.runs.manifest import LEAGUE_FORMAT, NAME, digest, self_digest
from tracepact.runs.opening import OpenRun
from tracepact.runs.report import Report, Versions
from tracepact.runs.tally import measured
from tracepact.runs.task import Scored, Task
from tracepact.runs.timelines import clip_data
from tracepact.thresholds.family import Detections
from tracepact.thresholds.metrics import level_runs
from tracepact.thresholds.psds import SCENARIOS, Psds, psds
from tracepact.tuning.batches import FieldSides, field_sides
from tracepact.wording import print_number, quoted

# PSDS of the systems of a league whose scores were given (rule 16.20).


class ScoresRecord(Record, frozen=True):
    """The scores that PSDS was taken of."""

    name: Annotated[str, Meta(description="The file or folder of the scores, as it was given.")]
    sha256: Annotated[Digest | None, Meta(description="The SHA-256 of that file or folder.")]


@dataclass(frozen=True, slots=True)
class GivenScores:
    """The scores of a system: where they are from, its PSDS in every scenario, and what was odd."""

    record: ScoresRecord
    measures: tuple[Measure, ...]
    warnings: tuple[Diagnostic, ...]


def report_scores(scores: Mapping[str, Any], systems: Sequence[str], label_map: str, diagnostics: Diagnostics) -> None:
    """Refuse scores of a system that is not read, and scores beside a label map, which says nothing of columns."""
    for name in scores:
        if name not in systems:
            headline = f"there are scores of `{name}`, which is none of the systems that are read"
            diagnostics.add("unknown-system", headline, help=did_you_mean(name, systems))
    if scores and label_map:
        headline = f"the runs were made with a label map ({label_map}), and scores are not mapped"
        help = "name the columns of the scores as the classes are, and score without a label map"
        diagnostics.add("incomparable-runs", headline, help=help)


def given_scores(scores: Any, scored: Scored, base: Base) -> GivenScores:
    """The PSDS of scores against the reference of a run, on its clips; InvalidInput if they cannot be used."""
    whole = scored.card.contract
    contract = replace(whole, clauses=(), profiles=(), declared_atoms=())
    mode, durations, clips = scored.card.family.mode, scored.durations, base.clips
    task = Task(contract, scored.reference, scores, durations=durations, mode=mode, ignore=scored.ignore, clips=clips)
    sides = field_sides(task)
    family = sides.family()
    runs = level_runs(family)
    # Scores that are all the same have one threshold: they are no detector's, and earn nothing (rule 16.20).
    varied = len(runs) > 0 if isinstance(sides.field, Detections) else len(sides.field.levels) > 1
    measures = []
    for name, how in SCENARIOS.items():
        value = psds(family, how, runs).value
        measures.append(
            Measure(name, _words(how), MetricValue.of(value), varied and value is not None, True, True, True)
        )
    return GivenScores(ScoresRecord(sides.field.name, _digest(sides)), tuple(measures), tuple(sides.diagnostics))


def _digest(sides: FieldSides) -> str | None:
    return sides.field.table.digest if isinstance(sides.field, Detections) else sides.field.digest


def _words(how: Psds) -> str:
    """What a PSDS is taken with, in one line."""
    parts = {
        "dtc": how.criteria.dtc,
        "gtc": how.criteria.gtc,
        "cttc": how.criteria.cttc,
        "α_ct": how.alpha_ct,
        "α_st": how.alpha_st,
        "e_max": how.e_max,
    }
    said = ", ".join(f"{name} {print_number(value)}" for name, value in parts.items() if value is not None)
    return f"{said} an hour; over all thresholds of the scores that were given; without intervals"


# One system of a league: what is read and drawn of its run, once, and kept in one file (rule 17.7).

_LARGEST = 1 << 32
"""Octets that the arrays of a system may take."""
_NO_SYSTEM = "the file does not hold a system of this league"

Segments = Mapping[str, tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]]


class SystemRecord(Record, frozen=True):
    """What is said of a system beside its numbers."""

    name: str
    run: Annotated[Digest, Meta(description="The SHA-256 of the manifest of its run.")]
    prediction: Annotated[str, Meta(description="The file of its predictions, as it was given.")]
    sha256: Annotated[Digest | None, Meta(description="The SHA-256 of that file.")]
    format: Annotated[str, Meta(description="The format it was read from (13.1).")]
    decoding: Annotated[str | None, Meta(description="How its scores became events (13.9), in words.")]
    versions: Versions
    nearly_constant: Annotated[
        SameAnswers | None,
        Meta(description="How far it answers the same throughout, if it nearly does (16.12); else null."),
    ] = None
    scores: Annotated[ScoresRecord | None, Meta(description="The scores of its PSDS (16.20); null without.")] = None


class StoredSystem(Record, frozen=True):
    """What the file of a system holds beside its arrays."""

    about: SystemRecord
    constant: Annotated[bool, Meta(description="Whether it answers the same throughout, or in every clip (16.12).")]
    clauses: tuple[str, ...]
    measures: tuple[Measure, ...]
    aggregations: tuple[Aggregation, ...]
    segments: Annotated[
        Segments,
        Meta(description="By segment: predicted runs; and for each clause that failed, its number and its stretches."),
    ]
    psds: Annotated[tuple[Measure, ...], Meta(description="Its PSDS, where its scores were given (16.20).")] = ()


@dataclass(frozen=True, slots=True, eq=False)
class LeagueSystem:
    """A system: its counts in the league's order of clips and classes, and the scores of every draw."""

    stored: StoredSystem
    rows: ScoreRows
    drawn: Mapping[Aggregation, Mapping[str, Values]]
    drawn_measures: Values

    @property
    def name(self) -> str:
        """What it is called."""
        return self.stored.about.name


def aggregations(contract: Contract) -> tuple[Aggregation, ...]:
    """The contract's own aggregation and those of its profiles."""
    profiles = risk_profiles(contract, contract.aggregation).profiles
    return tuple(dict.fromkeys([contract.aggregation, *(one.profile.aggregation for one in profiles)]))


def system_of(
    name: str, run: OpenRun, report: Report, scored: Scored, base: Base, scores: GivenScores | None = None
) -> LeagueSystem:
    """Read and draw one system; its run was found to be one of the league."""
    card, metrics, bootstrap = scored.card, measured(scored), base.settings.bootstrap
    rows = ordered(ScoreRows.of(card), base.clips, base.classes)
    kinds = aggregations(card.contract)
    constant, same = is_constant(card.family), answers(card.family)
    nearly = same if same.nearly_constant and not constant else None
    stored = StoredSystem(
        _about(name, run, report, nearly, None if scores is None else scores.record),
        constant,
        rows.clauses,
        measures(metrics),
        kinds,
        _segments(card, base),
        () if scores is None else scores.measures,
    )
    return LeagueSystem(
        stored,
        rows,
        {kind: drawn_vector(rows, kind, bootstrap) for kind in kinds},
        drawn_measures(metrics, base.clips, bootstrap),
    )


def _about(
    name: str, run: OpenRun, report: Report, nearly: SameAnswers | None, scores: ScoresRecord | None
) -> SystemRecord:
    source = run.source
    side = report.preparation.prediction
    decoding = side.decoding.words if side.decoding else None
    return SystemRecord(
        name,
        source.run,
        source.name,
        source.sha256,
        side.format,
        decoding,
        report.versions,
        nearly,
        scores,
    )


def _segments(card: Scorecard, base: Base) -> Segments:
    """The predicted runs and the stretches that failed, by segment in the league's order."""
    # The compact form in which pages of runs keep violations; it has all that the lanes of a league draw.
    data = clip_data(card, most=len(card.family.clips))
    clips = {clip: index for index, clip in enumerate(base.clips)}
    labels = {label: index for index, label in enumerate(base.classes)}
    widths = [len(clause["fields"]) for clause in data["clauses"]]
    segments = {}
    for clip, label, _, pred, _, _, _, failures in data["segments"]:
        if not pred and not failures:
            continue
        segment = labels[data["classes"][label]] * len(clips) + clips[data["clips"][clip]]
        segments[segment] = tuple(pred), tuple(_stretches(failed, widths[failed[0]]) for failed in failures)
    return {str(segment): segments[segment] for segment in sorted(segments)}


def _stretches(failed: Sequence[Any], width: int) -> tuple[int, ...]:
    """The number of a clause and, for each of its failures, start and length in frames."""
    clause, *fields = failed
    return clause, *(value for at in range(0, len(fields), width) for value in fields[at : at + 2])


# In a file


def file_name(system: str) -> str:
    """The file of a system, by the digest of its name, which may hold any sign."""
    # 16 hexadecimal digits are 64 bits: with a thousand systems two of them collide less than once in 10¹³ leagues.
    return f"system-{digest(system.encode())[:16]}.npz"


def system_bytes(system: LeagueSystem) -> bytes:
    """A system as one file."""
    counts = system.rows.counts
    about = json.dumps(system.stored.to_dict(), ensure_ascii=False, separators=(",", ":")).encode()
    held = BytesIO()
    # One file a system, so that adding one to a league leaves the files of the others alone. Counts are mostly small
    # and repeat, which compression uses.
    np.savez_compressed(
        held,
        about=np.frombuffer(about, dtype=np.uint8),
        satisfied=np.stack([counts[name].satisfied for name in system.rows.clauses]),
        obligated=np.stack([counts[name].obligated for name in system.rows.clauses]),
        counter=np.stack([counts[name].counter for name in system.rows.clauses]),
        drawn=np.stack([[system.drawn[kind][c] for c in system.rows.clauses] for kind in system.drawn]),
        drawn_measures=system.drawn_measures,
    )
    return held.getvalue()


def _segment_fits(stored: StoredSystem, segment: str, frames: int) -> bool:
    """Whether the predicted runs and the failures of a segment are of its frames and of the system's clauses."""
    runs, failures = stored.segments[segment]
    return frames_fit(runs, frames) and all(
        len(failure) % 2 == 1
        and 0 <= failure[0] < len(stored.clauses)
        and all(frames_fit(failure[at : at + 2], frames) for at in range(1, len(failure), 2))
        for failure in failures
    )


def read_system(data: bytes, base: Base) -> LeagueSystem:
    """The system a file holds; BadTable if it is not of its form."""
    try:
        arrays = read_arrays(data, _LARGEST)
        stored = record_of(json_data(arrays["about"].tobytes()), StoredSystem)
        satisfied, obligated, counter, drawn, of_measures = (
            arrays[name] for name in ("satisfied", "obligated", "counter", "drawn", "drawn_measures")
        )
    except (ValueError, KeyError, ValidationError) as error:
        raise BadTable(_NO_SYSTEM, 1) from error
    # The arrays are read from a stranger's file: their shapes are held to what the rest of the file says before
    # anything is indexed by it.
    shape = len(stored.clauses), len(base.classes), len(base.clips)
    of_draws = len(stored.aggregations), len(stored.clauses), base.settings.draws
    if not (
        satisfied.shape == obligated.shape == counter.shape == shape
        and drawn.shape == of_draws
        and of_measures.shape == (len(stored.measures), base.settings.draws)
        and all(of.dtype.kind in "iu" for of in (satisfied, obligated))
        and all(of.dtype.kind == "f" for of in (drawn, of_measures))
        and all(_segment_fits(stored, segment, base.frames_of(segment)) for segment in stored.segments)
    ):
        raise BadTable(_NO_SYSTEM, 1)
    counts = {
        name: ClauseCounts(satisfied[k], obligated[k], counter[k].astype(np.bool_))
        for k, name in enumerate(stored.clauses)
    }
    return LeagueSystem(
        stored,
        ScoreRows(base.clips, base.classes, stored.clauses, counts),
        {
            kind: {name: drawn[a, k] for k, name in enumerate(stored.clauses)}
            for a, kind in enumerate(stored.aggregations)
        },
        of_measures,
    )


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


@dataclass(frozen=True, slots=True)
class StoredLeague:
    """A league directory that was opened: what its runs share, and its systems in the order they came."""

    folder: Path
    base: Base
    systems: tuple[LeagueSystem, ...]


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
