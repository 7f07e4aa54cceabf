"""Clips of recordings with soft and hard labels, and how ambiguous their annotation is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import floor, fsum, log2
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

import tracepact
from tracelab.corpora.maestro import HALF, PARTS, Recording, Recordings, SoftArray
from tracelab.detectors.decoding import CONTRACT
from tracelab.features import BoolArray, Events, Heard, events_of, frame_features
from tracelab.files import fault, read_sound, resampled, whole_samples, write_whole
from tracelab.protocol import RATE, STEP, Protocol, generator

# Clips of recordings: split by source file, soft labels on the 20 ms grid, hard ones above one half, features.

CLIP_SECONDS = 10
_SHARES = {"train": 0.6, "val": 0.2, "test": 0.2}


@dataclass(frozen=True, slots=True, eq=False)
class RealClips:
    """The clips of one part of the split with their soft labels (clips × frames × classes), and the seconds left out.

    What is left out is the rest of a recording after its last whole clip, of its labels or of its sound.
    """

    heard: Heard
    soft: SoftArray
    left_out: Fraction


def split(corpus: Recordings, fold: int | None, seed: int) -> dict[str, tuple[str, ...]]:
    """The recordings of each part: a fold of the corpus, or drawn within each scene; none is in two parts."""
    if fold is not None:
        if not 1 <= fold <= len(corpus.folds):
            raise fault("bad-corpus", f"there is no fold {fold}", help=f"the corpus has {len(corpus.folds)} folds")
        return {part: corpus.folds[fold - 1].get(part, ()) for part in PARTS}
    parts: dict[str, list[str]] = {part: [] for part in PARTS}
    scenes = sorted({recording.scene for recording in corpus.recordings})
    for scene in scenes:
        names = [recording.name for recording in corpus.recordings if recording.scene == scene]
        order = [names[k] for k in generator(seed, "split", scene).permutation(len(names))]
        held = max(1, floor(_SHARES["test"] * len(order))) if len(order) > 2 else 0
        for part, some in zip(
            ("test", "val", "train"), (order[:held], order[held : 2 * held], order[2 * held :]), strict=True
        ):
            parts[part] += sorted(some)
    return {part: tuple(names) for part, names in parts.items()}


def frame_cells(recording: Recording, frames: int) -> list[int]:
    """The cell that the centre of each frame lies in; whole numbers decide it."""
    found, cell = [], 0
    ends = [Fraction(end) for _, end in recording.edges]
    for frame in range(frames):
        centre = (2 * frame + 1) * STEP / 2
        while ends[cell] <= centre:
            cell += 1
        found.append(cell)
    return found


def on_grid(recording: Recording) -> tuple[SoftArray, BoolArray]:
    """Soft and hard labels of every whole frame, frames × classes; hard is above one half, exactly."""
    frames = floor(Fraction(recording.seconds) / STEP)
    cells = frame_cells(recording, frames)
    hard = np.array([[value > HALF for value in row] for row in recording.cells], dtype=np.bool_)
    return recording.soft[cells], hard[cells]


def hard_events(recording: Recording, classes: Sequence[str]) -> Events:
    """The events above one half: cells of one class that touch are one."""
    found: Events = []
    for column, label in enumerate(classes):
        open_at: Fraction | None = None
        for (onset, _), row in zip(recording.edges, recording.cells, strict=True):
            if row[column] > HALF and open_at is None:
                open_at = Fraction(onset)
            elif row[column] <= HALF and open_at is not None:
                found.append((open_at, Fraction(onset), label))
                open_at = None
        if open_at is not None:
            found.append((open_at, Fraction(recording.seconds), label))
    return sorted(found)


def real_clips(corpus: Recordings, names: Sequence[str], seconds: int = CLIP_SECONDS) -> RealClips:
    """The clips of some recordings, ten seconds each, as detectors take them."""
    protocol = replace(Protocol(), clip_seconds=Fraction(seconds))
    frames, left_out = protocol.frames, Fraction(0)
    clips: list[str] = []
    scenes: list[str] = []
    features, soft, hard = [], [], []
    for recording in corpus.named(names):
        sound = _sound(recording)
        labels, masks = on_grid(recording)
        whole = min(len(masks) // frames, len(sound) // (frames * protocol.frame_samples))
        left_out += max(Fraction(recording.seconds), Fraction(len(sound), protocol.rate)) - whole * seconds
        for number in range(whole):
            clips.append(f"{recording.name}-{number:03d}")
            scenes.append(recording.scene)
            samples = sound[number * frames * protocol.frame_samples :][: frames * protocol.frame_samples]
            features.append(frame_features(samples, protocol))
            soft.append(labels[number * frames : (number + 1) * frames])
            hard.append(masks[number * frames : (number + 1) * frames])
    if not clips:
        raise fault("bad-corpus", "no recording of this part is as long as a clip", help=f"clips last {seconds} s")
    events = events_of(dict(zip(clips, hard, strict=True)), corpus.classes, STEP)
    heard = Heard(
        tuple(clips),
        tuple(scenes),
        ("",) * len(clips),
        np.stack(features),
        np.stack(hard),
        tuple(events[name] for name in clips),
    )
    return RealClips(heard, np.stack(soft), left_out)


def sound_file(recording: Recording) -> Path:
    """Where the sound of a recording is; refused if it has none."""
    if recording.sound is None:
        headline = f"the recording `{recording.name}` has no sound"
        raise fault("bad-corpus", headline, help="give the folder with its audio, or --labels-only")
    return recording.sound


def _sound(recording: Recording) -> npt.NDArray[np.int16]:
    """The samples at the lab's rate."""
    samples, rate = read_sound(sound_file(recording))
    return whole_samples(resampled(samples, rate, RATE))


# The annotation itself: how ambiguous soft labels are by scene, and how much of a contract is decided inside that.

Row = Mapping[str, str]
WITHIN = (Fraction(1, 20), Fraction(1, 10), Fraction(1, 4))
_QUARTER, _THREE_QUARTERS = Decimal("0.25"), Decimal("0.75")
_LATE = Fraction(1, 5)


def ambiguity_rows(corpus: Recordings) -> Iterator[Row]:
    """For each scene and for all: cells above zero, the share of those from 1/4 to 3/4, their mean entropy in bits."""
    scenes = sorted({recording.scene for recording in corpus.recordings})
    for scene in (*scenes, "all"):
        some = [r for r in corpus.recordings if scene in (r.scene, "all")]
        values = [value for r in some for row in r.cells for value in row]
        above = [value for value in values if value > 0]
        between = sum(_QUARTER <= value <= _THREE_QUARTERS for value in above)
        seconds = sum((Fraction(r.seconds) for r in some), Fraction(0))
        entropy = fsum(_entropy(float(value)) for value in above) / len(above) if above else None
        yield {
            "scene": scene,
            "recordings": str(len(some)),
            "seconds": str(seconds),
            "cells": str(len(values)),
            "above zero": str(len(above)),
            "ambiguous": str(between),
            "ambiguous share": str(Fraction(between, len(above))) if above else "",
            "entropy": f"{entropy:.6f}" if entropy is not None else "",
        }


def _entropy(value: float) -> float:
    return 0.0 if not 0 < value < 1 else -value * log2(value) - (1 - value) * log2(1 - value)


def reading_rows(corpus: Recordings) -> Iterator[Row]:
    """What of a score is decided inside the uncertainty of the labels (rule 16.14), for systems made of the labels.

    The systems are the hard labels themselves, and the same 200 ms late: whoever is scored on this corpus is judged by
    these labels.
    """
    with TemporaryDirectory() as folder:
        labels = _written(corpus.recordings, corpus.classes, Path(folder))
        durations = {r.name: Fraction(r.seconds) for r in corpus.recordings}
        for system, shift in (("the labels above one half", Fraction(0)), ("the same, 200 ms late", _LATE)):
            pred = {r.name: _shifted(hard_events(r, corpus.classes), shift, r) for r in corpus.recordings}
            run = tracepact.score(
                CONTRACT,
                labels,
                pred,
                durations=durations,
                ref_reading=tracepact.Reading(decoding="0.5"),
            )
            audit = tracepact.audit_reference(run, within=WITHIN)
            for row in audit.clauses:
                yield {
                    "system": system,
                    "clause": row.clause,
                    "within": str(row.within),
                    "obligated": str(row.obligated),
                    "inside": str(row.inside),
                    "score": str(row.score),
                    "low": str(row.low),
                    "high": str(row.high),
                }


def _shifted(events: Events, by: Fraction, recording: Recording) -> Events:
    end = Fraction(recording.seconds)
    return [(onset + by, min(offset + by, end), label) for onset, offset, label in events if onset + by < end]


def _written(recordings: Sequence[Recording], classes: Sequence[str], folder: Path) -> Path:
    """The soft labels as one table with a column for each class."""
    path = folder / "soft.csv"
    lines = ["\t".join(("filename", "onset", "offset", *classes))]
    for recording in recordings:
        for (onset, offset), row in zip(recording.edges, recording.cells, strict=True):
            lines.append("\t".join((recording.name, str(onset), str(offset), *(format(v, "f") for v in row))))
    write_whole(path, "\n".join(lines) + "\n")
    return path


def mechanism_rows(corpus: Recordings) -> Iterator[Row]:
    """By class, what parts union and class-indexed scoring before any system is heard: sparsity, softness, overlap."""
    for column, label in enumerate(corpus.classes):
        cells = [row for r in corpus.recordings for row in r.cells]
        own = [row[column] for row in cells]
        active = [row for row in cells if row[column] > Decimal("0.5")]
        beside = sum(sum(value > Decimal("0.5") for value in row) > 1 for row in active)
        above = [value for value in own if value > 0]
        soft = sum(_QUARTER <= value <= _THREE_QUARTERS for value in above)
        yield {
            "class": label,
            "active cells": str(len(active)),
            "sparsity": str(1 - Fraction(len(active), len(own))),
            "softness": str(Fraction(soft, len(above))) if above else "",
            "overlap": str(Fraction(beside, len(active))) if active else "",
        }
