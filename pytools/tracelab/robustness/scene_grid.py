"""The corruption grid over the controlled scenes: the contract vector of every detector in every cell."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

import tracepact
from tracelab.decoding import CONTRACT, active
from tracelab.detectors.models import load_model
from tracelab.features import FloatArray, frame_features
from tracelab.files import write_whole
from tracelab.heard import UNION, BoolArray, Events, Heard, events_of
from tracelab.protocol import CLASSES, Protocol
from tracelab.robustness.corruptions import Cell, corrupt, heard_speed
from tracelab.robustness.results import CLEAN
from tracelab.scenes.corpus import OnClip, Task, render_all
from tracelab.scenes.voices import Voice
from tracelab.stages import Stages, code_digest
from tracelab.study.rows import Row
from tracelab.study.splits import RENDERING
from tracelab.study.systems import System
from tracepact import Aggregation

MEAN = "mean of the vector"
_CODE = (
    "robustness/corruptions.py",
    "robustness/scene_grid.py",
    "detectors/models.py",
    "features.py",
    "heard.py",
    "decoding.py",
)


@dataclass(frozen=True, slots=True, eq=False)
class CellOutput:
    """What every detector heard in one cell: masks by detector (clips × frames × labels), and the moved references."""

    masks: Mapping[str, BoolArray]
    references: Mapping[str, Events]
    duration: Fraction


def scene_tasks(protocol: Protocol) -> list[Task]:
    """The test clips, all of them clean: what corrupts them is the grid."""
    return [Task("test", number) for number in range(protocol.test_clips)]


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


def grid_cell(stages: Stages, protocol: Protocol, sounds: Path, systems: Sequence[System], cell: Cell) -> Path:
    """The stage of one cell: the masks of every detector, and the references as they are heard."""
    models = [system.model.name for system in systems]
    key = {"sounds": sounds.name, "models": models, "cell": cell.name, "code": code_digest(*_CODE)}

    def make(folder: Path) -> None:
        masks = {}
        with threadpool_limits(1):  # cells run beside each other, not the threads of one
            heard = hear_cell(protocol, sounds, cell)
            for system in systems:
                model = load_model(system.model)
                masks[system.name] = active(model.scores(heard), model.decoding)
        duration = heard.features.shape[1] * protocol.step
        np.savez_compressed(folder / "masks.npz", allow_pickle=False, **_packed(masks))
        write_references(folder, heard.reference(CLASSES), duration)

    return stages.kept("scene-cell", key, make)


def hear_cell(protocol: Protocol, sounds: Path, cell: Cell) -> Heard:
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


def cell_rows(output: CellOutput, step: Fraction, cell: Cell) -> Iterator[Row]:
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
    words = json.loads((folder / "references.json").read_text(encoding="utf-8"))
    references = {
        name: [(Fraction(a), Fraction(b), label) for a, b, label in some] for name, some in words["references"].items()
    }
    return references, Fraction(words["duration"])


def read_cell(folder: Path, step: Fraction) -> CellOutput:
    """A cell as it was kept."""
    references, duration = read_references(folder)
    with np.load(folder / "masks.npz") as arrays:
        masks = {
            name: np.unpackbits(arrays[name], axis=1, count=int(duration / step)).astype(np.bool_)
            for name in arrays.files
        }
    return CellOutput(masks, references, duration)


def _packed(masks: Mapping[str, BoolArray]) -> dict[str, npt.NDArray[np.uint8]]:
    return {name: np.packbits(found, axis=1) for name, found in masks.items()}


def _heard_clip(
    protocol: Protocol, cell: Cell, number: int, clip: npt.NDArray[np.int16], events: Events
) -> tuple[FloatArray, Events]:
    if cell == CLEAN:
        return frame_features(clip, protocol), events
    changed = corrupt(clip / 32768, cell, seed=protocol.seed, index=number)
    samples = np.round(np.clip(changed, -1, 1) * 32767).astype(np.int16)
    frames = len(samples) // protocol.frame_samples
    duration = Fraction(frames * protocol.frame_samples, protocol.rate)
    long = Protocol(seed=protocol.seed, clip_seconds=duration)
    return frame_features(samples[: long.samples], long), moved(events, heard_speed(cell), duration)


def _row(system: str, cell: Cell, clause: str, satisfied: int, obligated: int, value: Fraction | None) -> Row:
    return {
        "detector": system,
        "family": cell.family,
        "severity": str(cell.severity),
        "clause": clause,
        "satisfied": str(satisfied),
        "obligated": str(obligated),
        "value": "" if value is None else str(value),
    }
