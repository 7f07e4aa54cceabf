"""The corruption grid over the controlled scenes as a folder: cells, rows, tables, charts, and its verification."""

import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from markupsafe import Markup
from threadpoolctl import threadpool_limits

import tracepact
from tracelab.configuration import StudyScale
from tracelab.detectors.decoding import CONTRACT
from tracelab.detectors.models import load_model
from tracelab.detectors.recipes import CLASS_DETECTOR, DETECTORS
from tracelab.features import UNION, BoolArray, Events, FloatArray, Heard, events_of, frame_features
from tracelab.files import at, fault, write_whole
from tracelab.protocol import CLASSES, STEP, Protocol
from tracelab.robustness.corruptions import (
    SEVERITIES,
    GridCell,
    canonical,
    canonical_digest,
    cells,
    corrupt,
    heard_speed,
)
from tracelab.robustness.records import SeverityPiece
from tracelab.robustness.results import CLEAN, severity_curve
from tracelab.scenes.corpus import ClipTask, OnClip, render_all
from tracelab.scenes.voices import Voice
from tracelab.stages import SILENT, StageListener, Stages, Verified, claim, code_digest, written_digest
from tracelab.study.rows import GUARDS, MEAN, Row, read_rows, rows_text
from tracelab.study.study import scene_splits
from tracelab.study.systems import RENDERING, TrainedSystem, make_systems
from tracelab.study.tables import StudyTable
from tracelab.study.views import listed_section, view_files
from tracepact import Aggregation
from tracepact.inputs import LARGEST_DOCUMENT, digest_within, open_within, read_within
from tracepact.show import (
    Cell,
    Column,
    Curve,
    Section,
    Table,
    Tone,
    curve_chart,
    heat_table,
    html_page,
    html_table,
    inline,
    numbers,
)
from tracepact.wording import parse_stored

# The corruption grid over the controlled scenes: the contract vector of every detector in every cell.

_CODE = ("robustness/corruptions.py", "robustness/scene_grid.py", "detectors/models.py", "features.py", "detections.py")


@dataclass(frozen=True, slots=True, eq=False)
class CellOutput:
    """What every detector heard in one cell: masks by detector (clips × frames × labels), and the moved references."""

    masks: Mapping[str, BoolArray]
    references: Mapping[str, Events]
    duration: Fraction


def scene_tasks(protocol: Protocol) -> list[ClipTask]:
    """The test clips, all of them clean: what corrupts them is the grid."""
    return [ClipTask("test", number) for number in range(protocol.test_clips)]


def clean_scenes(
    stages: Stages, protocol: Protocol, voice: Voice, *, workers: int = 1, on_clip: OnClip = lambda: None
) -> Path:
    """The stage of the clean test clips: their samples and exact events, rendered once for all cells."""
    key = {"protocol": str(protocol), "voice": voice.digest, "code": code_digest(*RENDERING)}

    def make(folder: Path) -> None:
        clips = list(render_all(protocol, voice, scene_tasks(protocol), workers=workers, on_clip=on_clip))
        np.save(folder / "samples.npy", np.stack([clip.samples for clip in clips]))
        write_references(folder, {clip.name: clip.events(protocol.rate) for clip in clips}, protocol.clip_seconds)

    return stages.kept("clean-scenes", key, make)


def grid_cell(
    stages: Stages, protocol: Protocol, sounds: Path, systems: Sequence[TrainedSystem], cell: GridCell
) -> Path:
    """The stage of one cell: the masks of every detector, and the references as they are heard."""
    models = [system.model.name for system in systems]
    key = {"sounds": sounds.name, "models": models, "cell": cell.name, "code": code_digest(*_CODE)}

    def make(folder: Path) -> None:
        masks = {}
        with threadpool_limits(1):  # cells run beside each other, not the threads of one
            heard = hear_cell(protocol, sounds, cell)
            for system in systems:
                model = load_model(system.model)
                masks[system.name] = model.heard_as(heard)[1]
        duration = heard.features.shape[1] * protocol.step
        np.savez_compressed(folder / "masks.npz", allow_pickle=False, **_packed(masks))
        write_references(folder, heard.reference(CLASSES), duration)

    return stages.kept("scene-cell", key, make)


def hear_cell(protocol: Protocol, sounds: Path, cell: GridCell) -> Heard:
    """The clips under a corruption; only `speed` moves the events, with the time that it changes."""
    references, _ = read_references(sounds)
    samples = np.load(sounds / "samples.npy", mmap_mode="r")
    parts = [
        _heard_clip(protocol, cell, number, clip, events)
        for number, (clip, events) in enumerate(zip(samples, references.values(), strict=True))
    ]
    features = np.stack([found for found, _ in parts])
    empty = np.zeros((len(parts), features.shape[1], len(CLASSES)), dtype=np.bool_)
    nothing = ("",) * len(parts)
    return Heard(tuple(references), nothing, nothing, features, empty, tuple(events for _, events in parts))


def moved(events: Events, factor: Fraction, duration: Fraction) -> Events:
    """Events of a clip that is played faster, cut at its end."""
    found = [(onset / factor, min(offset / factor, duration), label) for onset, offset, label in events]
    return [event for event in found if event[0] < event[1]]


def cell_rows(output: CellOutput, step: Fraction, cell: GridCell) -> Iterator[Row]:
    """The counts of every clause for every detector, clips and classes added; the last row is the mean."""
    for system, masks in output.masks.items():
        typed = masks.shape[-1] == len(CLASSES)
        labels = CLASSES if typed else (UNION,)
        references = {
            name: [(onset, offset, label if typed else UNION) for onset, offset, label in events]
            for name, events in output.references.items()
        }
        run = tracepact.score(
            CONTRACT,
            ref=references,
            pred=events_of(dict(zip(references, masks, strict=True)), labels, step),
            durations=dict.fromkeys(references, output.duration),
        )
        for clause, score in run.card.vector(Aggregation.POOLED).items():
            yield _row(system, cell, clause, score.satisfied, score.obligated, score.value if score.obligated else None)
        yield _row(system, cell, MEAN, 0, 0, run.card.logic(Aggregation.POOLED))


def write_references(folder: Path, references: Mapping[str, Events], duration: Fraction) -> None:
    """References with exact times, and the length of every clip."""
    events = {name: [[str(a), str(b), label] for a, b, label in some] for name, some in references.items()}
    words = {"duration": str(duration), "references": events}
    write_whole(folder / "references.json", json.dumps(words) + "\n")


def read_references(folder: Path) -> tuple[dict[str, Events], Fraction]:
    """References as they were kept, and the length of every clip."""
    words = json.loads(read_within(folder, "references.json", LARGEST_DOCUMENT))
    references = {
        name: [(parse_stored(a), parse_stored(b), label) for a, b, label in some]
        for name, some in words["references"].items()
    }
    return references, parse_stored(words["duration"])


def read_cell(folder: Path, step: Fraction) -> CellOutput:
    """A cell as it was kept."""
    references, duration = read_references(folder)
    with open_within(folder, "masks.npz") as opened, np.load(opened) as arrays:
        masks = {
            name: np.unpackbits(arrays[name], axis=1, count=int(duration / step)).astype(np.bool_)
            for name in arrays.files
        }
    return CellOutput(masks, references, duration)


def _packed(masks: Mapping[str, BoolArray]) -> dict[str, npt.NDArray[np.uint8]]:
    return {name: np.packbits(found, axis=1) for name, found in masks.items()}


def _heard_clip(
    protocol: Protocol, cell: GridCell, number: int, clip: npt.NDArray[np.int16], events: Events
) -> tuple[FloatArray, Events]:
    if cell == CLEAN:
        return frame_features(clip, protocol), events
    changed = corrupt(clip / 32768, cell, seed=protocol.seed, index=number)
    samples = np.round(np.clip(changed, -1, 1) * 32767).astype(np.int16)
    frames = len(samples) // protocol.frame_samples
    duration = Fraction(frames * protocol.frame_samples, protocol.rate)
    long = Protocol(seed=protocol.seed, clip_seconds=duration)
    return frame_features(samples[: long.samples], long), moved(events, heard_speed(cell), duration)


def _row(system: str, cell: GridCell, clause: str, satisfied: int, obligated: int, value: Fraction | None) -> Row:
    return {
        "detector": system,
        "family": cell.family,
        "severity": str(cell.severity),
        "clause": clause,
        "satisfied": str(satisfied),
        "obligated": str(obligated),
        "value": "" if value is None else str(value),
    }


# The tables and charts of the grid over the scenes: vectors, curves over severity, and which guard breaks first.

BREAK = Fraction(1, 10)
_NONE = "—"

Values = dict[tuple[str, str, int, str], Fraction | None]


def values_of(rows: Sequence[Row]) -> Values:
    """The value of each clause by detector, family, severity and clause; clean ones have the family `clean`."""
    return {
        (row["detector"], row["family"], int(row["severity"]), row["clause"]): (
            parse_stored(row["value"]) if row["value"] else None
        )
        for row in rows
    }


def detectors_of(rows: Sequence[Row]) -> list[str]:
    """The detectors, in their order."""
    return list(dict.fromkeys(row["detector"] for row in rows))


def curve_of(values: Values, detector: str, family: str, clause: str) -> list[SeverityPiece]:
    """A clause as a step function of severity; a clause that asks nothing counts 1, as a vacuous score does."""
    found = [values[detector, family, severity, clause] for severity in SEVERITIES]
    clean = values[detector, "clean", 0, clause]
    known = [Fraction(1) if value is None else value for value in (clean, *found)]
    return severity_curve(known[0], known[1:])


def breaks(curve: Sequence[SeverityPiece]) -> tuple[int, Fraction] | None:
    """The first severity at which a guard is at least a tenth below its clean value, and by how much."""
    clean = parse_stored(curve[0].value)
    lost = ((piece.low, clean - parse_stored(piece.value)) for piece in curve[1:])
    return next(((severity, loss) for severity, loss in lost if loss >= BREAK), None)


def first_break(values: Values, detector: str, family: str) -> list[tuple[str, int, Fraction]]:
    """The guards that break at the least severity, the greatest loss first."""
    found = [(guard, breaks(curve_of(values, detector, family, guard))) for guard in GUARDS]
    broken = [(guard, *one) for guard, one in found if one is not None]
    least = min((severity for _, severity, _ in broken), default=0)
    return sorted((one for one in broken if one[1] == least), key=lambda one: (-one[2], GUARDS.index(one[0])))


def curve_rows(rows: Sequence[Row]) -> list[Row]:
    """Every clause of every detector and family as a step function of severity, piece by piece."""
    values = values_of(rows)
    return [
        {
            "detector": detector,
            "family": family.name,
            "clause": clause,
            "low": str(piece.low),
            "high": str(piece.high),
            "value": piece.value,
        }
        for detector in detectors_of(rows)
        for family in canonical().families
        for clause in (*GUARDS, MEAN)
        for piece in curve_of(values, detector, family.name, clause)
    ]


def scene_tables(rows: Sequence[Row]) -> list[StudyTable]:
    """Every table, in reading order."""
    values, detectors = values_of(rows), detectors_of(rows)
    return [_break_table(values, detectors), _loss_table(values, detectors), _vector_table(values, detectors)]


def scene_figures(rows: Sequence[Row]) -> dict[str, str]:
    """The mean of the vector over severity, a chart for each family; guards of each detector at the end of the grid."""
    values, detectors = values_of(rows), detectors_of(rows)
    names = [family.name for family in canonical().families]
    figures = {}
    for family in names:
        curves = []
        for detector in detectors:
            pieces = curve_of(values, detector, family, MEAN)
            points = [
                (0, parse_stored(pieces[0].value)),
                *((piece.high, parse_stored(piece.value)) for piece in pieces),
            ]
            curves.append(Curve(detector, points))
        figures[f"severity-{family}"] = curve_chart(
            f"{family}: mean of the vector over severity", curves, x="severity", y="mean of the vector", steps=True
        )
    for detector in detectors:
        last = [[values[detector, family, SEVERITIES[-1], guard] for guard in GUARDS] for family in names]
        clean = [values[detector, "clean", 0, guard] for guard in GUARDS]
        headings = [guard.removesuffix("_guard") for guard in GUARDS]
        title = f"{detector}: guards at severity {SEVERITIES[-1]}"
        figures[f"guards-{detector}"] = heat_table(title, ["clean", *names], headings, [clean, *last])
    return figures


def _break_table(values: Values, detectors: Sequence[str]) -> StudyTable:
    names = [family.name for family in canonical().families]
    body: list[list[Cell | str]] = []
    for detector in detectors:
        cells: list[Cell | str] = [Cell(detector, Tone.STRONG)]
        for family in names:
            found = first_break(values, detector, family)
            guards = ", ".join(guard.removesuffix("_guard") for guard, _, _ in found)
            cells.append(f"{guards} at {found[0][1]} (−{float(found[0][2]):.2f})" if found else "none")
        body.append(cells)
    lead = (
        "The guards that are the first to fall at least 0.10 below their clean value, the severity, and the greatest "
        "loss there; `none` if no guard does up to severity 5."
    )
    return StudyTable(
        "breaks", Table("Which guard breaks first", [Column("detector"), *map(Column, names)], body), lead
    )


def _loss_table(values: Values, detectors: Sequence[str]) -> StudyTable:
    names = [family.name for family in canonical().families]
    body = []
    for detector in detectors:
        clean = values[detector, "clean", 0, MEAN] or Fraction(0)
        worst = [values[detector, family, SEVERITIES[-1], MEAN] or Fraction(0) for family in names]
        body.append([detector, f"{float(clean):.3f}", *(f"{float(value - clean):+.3f}" for value in worst)])
    table = Table(
        "Mean of the vector, and what severity 5 takes", [Column("detector"), *numbers("clean", *names)], body
    )
    return StudyTable("losses", table)


def _vector_table(values: Values, detectors: Sequence[str]) -> StudyTable:
    body = []
    for detector in detectors:
        cells = [("clean", 0), *((f.name, s) for f in canonical().families for s in SEVERITIES)]
        for family, severity in cells:
            found = [values[detector, family, severity, clause] for clause in (*GUARDS, MEAN)]
            shown = [_NONE if value is None else f"{float(value):.3f}" for value in found]
            body.append([detector, family, str(severity) if severity else "", *shown])
    columns = [Column("detector"), Column("family"), *numbers("severity", *GUARDS, MEAN)]
    return StudyTable("vectors", Table("The vector under every family and severity", columns, body))


# The grid as a folder: detectors, cells, rows, views and record, and its verification.

RECORD = "grid.json"
RECIPES = (*DETECTORS, CLASS_DETECTOR)
TITLE = "Boundary contracts under corruption"
_LIBRARIES = ("tracepact", "numpy", "scipy", "scikit-learn", "torch")


def run_grid(
    folder: Path, scale: StudyScale, voice: Voice, *, workers: int = 1, progress: StageListener = SILENT
) -> Path:
    """Run or go on with the grid over the scenes; the path of its page."""
    began = perf_counter()
    claim(folder, _settings(scale, voice), "grid over the scenes")
    stages = Stages.within(folder)
    splits = scene_splits(stages, scale.protocol, voice, scale, workers, progress)
    recipes = [("grid", scale.trained(recipe)) for recipe in RECIPES]
    progress.begin("detectors", len(recipes))
    systems = make_systems(stages, splits, recipes, workers=workers, on_model=lambda name: progress.advance())
    progress.begin("clean test clips", scale.protocol.test_clips)
    sounds = clean_scenes(stages, scale.protocol, voice, workers=workers, on_clip=progress.advance)
    grid = grid_cells()
    progress.begin("scenes under every corruption", len(grid))
    jobs = (delayed(grid_cell)(stages, scale.protocol, sounds, systems, cell) for cell in grid)
    with at(folder):
        for cell, place in zip(grid, Parallel(n_jobs=workers, return_as="generator")(jobs), strict=True):
            for name in ("masks.npz", "references.json"):
                write_whole(folder / "cells" / cell.name / name, (place / name).read_bytes())
            progress.advance()
    rows = list(_rows(folder, progress))
    write_whole(folder / "rows" / "vectors.csv", rows_text(rows))
    write_whole(folder / "rows" / "curves.csv", rows_text(curve_rows(rows)))
    return write_grid_views(folder, _record(scale, voice, perf_counter() - began))


def write_grid_views(folder: Path, record: Mapping[str, Any]) -> Path:
    """Tables, figures, page and record, from the rows; the path of the page."""
    for name, text in grid_views(folder, record).items():
        write_whole(folder / name, text)
    files = {name: written_digest(folder / name) for name in _result_files(folder)}
    write_whole(folder / RECORD, json.dumps({**record, "files": files}, indent=2) + "\n")
    return folder / "grid.html"


def grid_views(folder: Path, record: Mapping[str, Any]) -> dict[str, str]:
    """Every view of the rows, by the name of its file."""
    rows = read_rows(folder / "rows" / "vectors.csv")
    tables, figures = scene_tables(rows), scene_figures(rows)
    return {**view_files(tables, figures), "grid.html": _page(record, tables, figures)}


def grid_cells() -> list[GridCell]:
    """The clean clips, and every family at every severity."""
    return [CLEAN, *cells(canonical())]


def verify_grid(folder: Path, progress: StageListener = SILENT) -> Verified:
    """The vectors from the stored masks, the curves and views from the vectors, and every digest."""
    try:
        record = json.loads(read_within(folder, RECORD, LARGEST_DOCUMENT))
        files = dict(record["files"])
    except (ValueError, KeyError, TypeError) as error:
        raise fault("not-a-study", f"the record cannot be read: {error}", folder / RECORD) from error
    there = set(_result_files(folder))
    drifts = [f"{name}: missing" for name in files if name not in there]
    drifts += [name for name, digest in files.items() if name in there and digest_within(folder, name) != digest]
    drifts += [f"{name}: not in the record" for name in sorted(there) if name not in files]
    if record["table_sha256"] != canonical_digest():
        drifts.append("the table of corruptions is another one in this version")
    if not drifts:
        rows = list(_rows(folder, progress))
        computed = {"rows/vectors.csv": rows_text(rows), "rows/curves.csv": rows_text(curve_rows(rows))}
        shown = {name: value for name, value in record.items() if name != "files"}
        computed |= grid_views(folder, shown)
        drifts += [name for name, text in computed.items() if read_within(folder, name) != text.encode()]
    return Verified(f"{len(grid_cells())} cells and {len(files)} files", tuple(drifts))


def _rows(folder: Path, progress: StageListener) -> list[Row]:
    grid = grid_cells()
    progress.begin("vectors", len(grid))
    found: list[Row] = []
    for cell in grid:
        found += cell_rows(read_cell(folder / "cells" / cell.name, STEP), STEP, cell)
        progress.advance()
    return found


def _result_files(folder: Path) -> list[str]:
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
    return [name for name in names if name not in (RECORD, "settings.json") and not name.startswith("stages/")]


def _page(record: Mapping[str, Any], tables: Sequence[StudyTable], figures: Mapping[str, str]) -> str:
    sections = []
    for one in tables:
        prefix = {"breaks": "guards-", "losses": "severity-"}.get(one.name)
        charts = Markup("").join(
            Markup("<figure>{}</figure>").format(inline(chart))
            for name, chart in figures.items()
            if prefix and name.startswith(prefix)
        )
        body = html_table(replace(one.table, title="")) + charts
        sections.append(Section(one.name, one.table.title, body, one.lead))
    sections.append(listed_section(record))
    head = Markup(
        "<h1>{}</h1><p>The contract <code>boundary_gate</code> on controlled scenes under eight families of "
        "corruptions at five severities; speech from {}. Clips and classes are added. Only <code>speed</code> moves "
        "the reference, with the time that it changes. <code>tracelab verify</code> computes every vector again.</p>"
    ).format(TITLE, record["speech"])
    return html_page(TITLE, head, sections)


def _settings(scale: StudyScale, voice: Voice) -> dict[str, Any]:
    return {
        "grid": canonical().name,
        "scale": scale.name,
        "configuration_sha256": scale.digest,
        "speech": voice.name,
        "speech_sha256": voice.digest,
    }


def _record(scale: StudyScale, voice: Voice, seconds: float) -> dict[str, Any]:
    return {
        "scale": scale.name,
        "protocol": scale.protocol.name,
        "configuration_sha256": scale.digest,
        "seed": scale.protocol.seed,
        "test clips": scale.protocol.test_clips,
        "speech": voice.name,
        "speech_sha256": voice.digest,
        "table": canonical().name,
        "table_sha256": canonical_digest(),
        "seconds of the last run": round(seconds, 1),
        "machine": platform.machine(),
        "versions": {name: version(name) for name in _LIBRARIES},
    }
