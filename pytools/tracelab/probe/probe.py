"""The whole probe, each stage once, its verification, and the command that runs it."""

import hashlib
import json
import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from tracelab.configuration import SPEECH, WORKERS
from tracelab.detectors.decoding import CONTRACT
from tracelab.files import copy_folder, replaced, write_whole
from tracelab.probe.clips import clip_stage, read_clips
from tracelab.probe.encoding import SPEECH_GATE, detected_stage, encoded_stage, entry_key, head_stage, run_stage
from tracelab.probe.registry import (
    DetectorEntry,
    EncoderEntry,
    Registry,
    RegistryEntry,
    check_present,
    identity,
    missing,
    own_registry,
    read_registry,
)
from tracelab.probe.rows import ENCODERS, GATES, ONSETS, PROBE_SCALES, ProbeScale, row_files
from tracelab.probe.views import probe_views
from tracelab.scenes.voices import Voice, open_voice
from tracelab.stages import (
    SILENT,
    StageListener,
    Stages,
    Verified,
    claim,
    read_record,
    resumable_bars,
    stored_digest,
    stored_draws,
    write_record,
)
from tracelab.study.rows import Row, Runs, rows_text
from tracelab.study.study import stored_rows
from tracelab.study.systems import heard_split, plain
from tracepact.inputs import read_within
from tracepact.show import Table, TerminalTable, print_tables, words

# The whole probe: sound, encoders behind one head, detectors as they are, rows, views, record; each stage once.

RECORD = "probe.json"
PAGE = "probe.html"
_LIBRARIES = ("tracepact", "numpy", "scipy", "scikit-learn", "torch", "onnxruntime", "transformers", "librosa")


@dataclass(frozen=True, slots=True)
class ProbeSubjects:
    """What a probe is about: the encoders and detectors that are here, and those that are not."""

    encoders: tuple[EncoderEntry, ...]
    detectors: tuple[DetectorEntry, ...]
    absent: tuple[tuple[RegistryEntry, str], ...]
    cache: Path


def choose(
    registry: Registry, encoders: Sequence[str] | None, detectors: Sequence[str] | None, cache: Path
) -> ProbeSubjects:
    """The entries to probe: those that were named, which must be here, or else all that are here."""
    absent: list[tuple[RegistryEntry, str]] = []
    if encoders is None:
        absent += _absent(registry.encoder, cache)
        found = tuple(entry for entry in registry.encoder if missing(entry, cache) is None)
    else:
        found = tuple(registry.encoders(encoders))
    if detectors is None:
        absent += _absent(registry.detector, cache)
        heard = tuple(entry for entry in registry.detector if missing(entry, cache) is None)
    else:
        heard = tuple(registry.detectors(detectors))
    for entry in (*found, *heard):
        check_present(entry, cache)
    return ProbeSubjects(found, heard, tuple(absent), cache)


def run_probe(
    folder: Path,
    scale: ProbeScale,
    voice: Voice,
    chosen: ProbeSubjects,
    *,
    workers: int = 1,
    progress: StageListener = SILENT,
) -> Path:
    """Run or go on with a probe; the path of its page."""
    began = perf_counter()
    claim(folder, _settings(scale, voice), "probe")
    stages = Stages.within(folder)
    runs: list[tuple[str, str, Path]] = []
    timing: list[Row] = []
    scores: dict[str, tuple[Path, str]] = {}
    if chosen.encoders:
        _encoders(stages, scale, voice, chosen, workers, progress, runs, timing)
    if chosen.detectors:
        _detectors(stages, scale, voice, chosen, workers, progress, runs, timing, scores)
    _gather(folder, runs, scores)
    _rows(folder, scale, timing, chosen, progress)
    record = _record(folder, scale, voice, chosen, perf_counter() - began)
    return write_probe_views(folder, record)


def write_probe_views(folder: Path, record: dict[str, Any]) -> Path:
    """The tables, figures, page and record of a probe, from its rows; the path of the page."""
    for name, text in probe_views(stored_rows(folder), record).items():
        write_whole(folder / name, text)
    write_record(folder / RECORD, record, ("rows", "scores", "tables", "figures", PAGE))
    return folder / PAGE


def _encoders(
    stages: Stages,
    scale: ProbeScale,
    voice: Voice,
    chosen: ProbeSubjects,
    workers: int,
    progress: StageListener,
    runs: list[tuple[str, str, Path]],
    timing: list[Row],
) -> None:
    protocol = scale.encoders
    sound, heard = {}, {}
    for split, clips in (("views", protocol.train_clips), ("test", protocol.test_clips)):
        progress.begin(f"scenes for encoders, {split}", 2 * clips)
        on_clip = progress.advance
        sound[split] = clip_stage(stages, protocol, voice, split, workers=workers, on_clip=on_clip)
        heard[split] = heard_split(
            stages, protocol, voice, split, views=1 if split == "views" else 0, workers=workers, on_clip=on_clip
        )
    for entry in chosen.encoders:
        progress.begin(f"encoder {entry.name}", protocol.train_clips + protocol.test_clips + 1)
        encoded = {
            split: encoded_stage(stages, entry, chosen.cache, sound[split], protocol, progress.advance)
            for split in ("views", "test")
        }
        runs.append((ENCODERS, entry.name, head_stage(stages, scale.head, protocol, heard, encoded) / "run"))
        progress.advance()
        timing.append(_timing(ENCODERS, entry, encoded["test"]))


def _detectors(
    stages: Stages,
    scale: ProbeScale,
    voice: Voice,
    chosen: ProbeSubjects,
    workers: int,
    progress: StageListener,
    runs: list[tuple[str, str, Path]],
    timing: list[Row],
    scores: dict[str, tuple[Path, str]],
) -> None:
    protocol = scale.detectors
    for entry in chosen.detectors:
        progress.begin(f"scenes for {entry.name}", protocol.test_clips)
        mixed, own = (
            clip_stage(stages, protocol, voice, "test", alone=alone, workers=workers, on_clip=progress.advance)
            for alone in (False, entry.alone)
        )
        progress.begin(f"detector {entry.name}", protocol.test_clips + 1)
        detected = detected_stage(stages, entry, chosen.cache, own, protocol, progress.advance)
        made = run_stage(stages, entry, detected, mixed, protocol)
        progress.advance()
        if entry.hears == "onsets":
            runs.append((ONSETS, entry.name, made / "onsets"))
        else:
            runs += [(GATES, entry.name, made / CONTRACT), (SPEECH_GATE, entry.name, made / SPEECH_GATE)]
        timing.append(_timing(GATES, entry, detected))
        if (detected / "scores.npz").exists():
            scores[entry.name] = (detected / "scores.npz", entry.hop)


def _gather(folder: Path, runs: list[tuple[str, str, Path]], scores: dict[str, tuple[Path, str]]) -> None:
    """A run directory for every system under its group and name, and the scores that curves are made of.

    The record of an earlier probe does not vouch for what follows.
    """
    (folder / RECORD).unlink(missing_ok=True)
    with replaced(folder / "runs") as part:
        for group, name, place in runs:
            copy_folder(place, part / group / name)
    with replaced(folder / "scores") as part:
        for name, (path, _) in scores.items():
            write_whole(part / f"{name}.npz", path.read_bytes())
        hops = {name: hop for name, (_, hop) in scores.items()}
        write_whole(part / "hops.json", json.dumps(hops, indent=1) + "\n")


def _rows(folder: Path, scale: ProbeScale, timing: list[Row], chosen: ProbeSubjects, progress: StageListener) -> None:
    runs = Runs(folder / "runs")
    makers = row_files(folder, scale.draws)
    progress.begin("rows", len(makers))
    for name, make in makers.items():
        write_whole(folder / "rows" / f"{name}.csv", rows_text(make(runs)))
        progress.advance()
    write_whole(folder / "rows" / "timing.csv", rows_text(timing))
    entries = [_entry_row(entry, "") for entry in (*chosen.encoders, *chosen.detectors)]
    entries += [_entry_row(entry, why) for entry, why in chosen.absent]
    write_whole(folder / "rows" / "registry.csv", rows_text(entries))


def _entry_row(entry: RegistryEntry, why: str) -> Row:
    decides = entry.decides if isinstance(entry, DetectorEntry) else ""
    kind = "detector" if isinstance(entry, DetectorEntry) else "encoder"
    return {
        "kind": kind,
        "name": entry.name,
        "family": entry.family,
        "rate": str(entry.rate),
        "hop": entry.hop,
        "identifier": entry.identifier,
        "licence": entry.licence,
        "decides": decides,
        "install": entry.install,
        "absent": why,
    }


def _timing(group: str, entry: RegistryEntry, place: Path) -> Row:
    found = json.loads((place / "timing.json").read_text(encoding="utf-8"))
    return {"group": group, "system": entry.name, "seconds": str(found["seconds"]), "sound": str(found["sound"])}


def _absent(entries: Sequence[RegistryEntry], cache: Path) -> list[tuple[RegistryEntry, str]]:
    found = ((entry, missing(entry, cache)) for entry in entries)
    return [(entry, error.diagnostics[0].headline) for entry, error in found if error is not None]


def _settings(scale: ProbeScale, voice: Voice) -> dict[str, Any]:
    """What a folder of a probe belongs to."""
    return {"probe": plain(scale), "speech": voice.name, "speech_sha256": voice.digest}


def _record(folder: Path, scale: ProbeScale, voice: Voice, chosen: ProbeSubjects, seconds: float) -> dict[str, Any]:
    entries = (*chosen.encoders, *chosen.detectors)
    return {
        "scale": scale.name,
        "seed": scale.encoders.seed,
        "training clips of the head": scale.encoders.train_clips,
        "test clips of encoders": scale.encoders.test_clips,
        "test clips of detectors": scale.detectors.test_clips,
        "head": f"{scale.head.name}: {scale.head.body}, {scale.head.epochs} epochs of batches of {scale.head.batch}",
        "draws": scale.draws,
        "speech": voice.name,
        "speech_sha256": voice.digest,
        "test clips sha256": _sound_digest(folder),
        "seconds of the last run": round(seconds, 1),
        "processors": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "versions": {name: found for name in _LIBRARIES if (found := _version(name))},
        "weights": {entry.name: identity(entry, chosen.cache) for entry in entries},
        "entries": {entry.name: entry_key(entry)["load"].rpartition("/")[2] for entry in entries},
        "not present": [f"{entry.name}: {why}" for entry, why in chosen.absent],
    }


def _sound_digest(folder: Path) -> str:
    total = hashlib.sha256()
    for place in sorted((folder / "stages").glob("sound-test-*")):
        total.update(" ".join(read_clips(place).digests).encode())
    return total.hexdigest()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


# Verifies a probe: every run from its stored predictions, every row from runs and scores, every view from the rows.


def verify_probe(folder: Path, progress: StageListener = SILENT) -> Verified:
    """Compute everything again that follows from what is stored, and compare; times are only held to their digest."""
    record, runs = read_record(folder / RECORD, PROBE_SCALES, "probe"), Runs(folder / "runs")
    drifts = runs.drifts(progress)
    drifts += [name for name, digest in record["files"].items() if stored_digest(folder, name) != digest]
    if not drifts:
        drifts += [name for name, text in _texts(folder, runs, record) if read_within(folder, name).decode() != text]
    return Verified(f"{len(list(runs.every()))} runs and {len(record['files'])} files", tuple(drifts))


def _texts(folder: Path, runs: Runs, record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every file of rows and views as it comes out now."""
    for name, make in row_files(folder, stored_draws(record)).items():
        yield f"rows/{name}.csv", rows_text(make(runs))
    shown = {key: value for key, value in record.items() if key not in ("complete", "files")}
    yield from probe_views(stored_rows(folder), shown).items()


# The command that probes frozen encoders and the detectors of others.

_CACHE = Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))) / "tracelab"


@click.command()
@click.option("--scale", type=click.Choice(list(PROBE_SCALES)), default="small", show_default=True, help="Size of it.")
@SPEECH
@WORKERS
@click.option("--encoder", "encoders", multiple=True, help="An encoder of the registry, or `none`; may be repeated.")
@click.option("--detector", "detectors", multiple=True, help="A detector of the registry, or `none`; may be repeated.")
@click.option(
    "--registry",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Another registry than the one that comes with the package.",
)
@click.option(
    "--cache",
    type=click.Path(path_type=Path, file_okay=False),
    default=_CACHE,
    help="Folder with weights that you fetched (default: tracelab in your cache folder).",
)
@click.option("--list", "listed", is_flag=True, help="Show the registry, and what of it is here; probe nothing.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder of the probe.")
def probe(
    scale: str,
    speech: str,
    workers: int,
    encoders: tuple[str, ...],
    detectors: tuple[str, ...],
    registry: Path | None,
    cache: Path,
    listed: bool,
    out: Path | None,
) -> None:
    """Probe frozen encoders and detectors of others, or go on with a probe.

    Without --encoder and --detector everything that is on this machine is probed, and the page names what is not.
    Nothing is fetched: what is missing is told with its install line.
    """
    known = read_registry(registry or own_registry())
    if listed:
        _show(known, cache)
        return
    if out is None:
        raise click.UsageError("name a folder with --out, or ask for --list")
    chosen = choose(known, _names(encoders), _names(detectors), cache)
    with resumable_bars() as progress:
        page = run_probe(out, PROBE_SCALES[scale], open_voice(speech), chosen, workers=workers, progress=progress)
    for entry, why in chosen.absent:
        click.echo(f"not present: {why}" + (f" ({entry.install})" if entry.install else ""), err=True)
    click.echo(f"the probe: {page}")


def _names(names: tuple[str, ...]) -> Sequence[str] | None:
    """The names that were given; `none` is no entry at all, and nothing given is all that is here."""
    return [name for name in names if name != "none"] if names else None


def _show(registry: Registry, cache: Path) -> None:
    for title, entries in (("Encoders", registry.encoder), ("Detectors", registry.detector)):
        rows = [(entry.name, entry.identifier, entry.licence, _here(entry, cache)) for entry in entries]
        print_tables(TerminalTable(Table(title, words("name", "what it is", "licence", "here"), rows)))


def _here(entry: RegistryEntry, cache: Path) -> str:
    error = missing(entry, cache)
    if error is None:
        return "yes"
    found = error.diagnostics[0]
    return found.headline + (f": {found.help}" if found.help else "")
