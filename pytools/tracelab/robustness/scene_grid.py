"""The corruption grid over the controlled scenes, and its tables and charts."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

import tracepact
from tracelab.detectors.decoding import CONTRACT
from tracelab.detectors.models import load_model
from tracelab.features import UNION, BoolArray, Events, FloatArray, Heard, events_of, frame_features
from tracelab.files import write_whole
from tracelab.protocol import CLASSES, Protocol
from tracelab.robustness.corruptions import SEVERITIES, GridCell, canonical, corrupt, heard_speed
from tracelab.robustness.records import SeverityPiece
from tracelab.robustness.results import CLEAN, severity_curve
from tracelab.scenes.corpus import ClipTask, OnClip, render_all
from tracelab.scenes.voices import Voice
from tracelab.stages import Stages, code_digest
from tracelab.study.rows import GUARDS, Row
from tracelab.study.systems import RENDERING, TrainedSystem
from tracelab.study.tables import StudyTable
from tracepact import Aggregation
from tracepact.inputs import LARGEST_DOCUMENT, open_within, read_within
from tracepact.show import Cell, Column, Curve, Table, Tone, curve_chart, heat_table, numbers
from tracepact.wording import parse_stored

# The corruption grid over the controlled scenes: the contract vector of every detector in every cell.

MEAN = "mean of the vector"
_CODE = (
    "robustness/corruptions.py",
    "robustness/scene_grid.py",
    "detectors/models.py",
    "features.py",
    "detections.py",
)


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
