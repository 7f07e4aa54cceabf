"""Clips of recordings: split by source file, soft labels on the 20 ms grid, hard ones above one half, features."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from pathlib import Path

import numpy as np
from scipy.signal import resample_poly

from tracelab.corpora.maestro import HALF, PARTS, Corpus, Recording, SoftArray
from tracelab.faults import fault
from tracelab.features import frame_features
from tracelab.heard import BoolArray, Events, Heard, events_of
from tracelab.protocol import RATE, STEP, Protocol
from tracelab.randomness import generator
from tracelab.sound import read_sound

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


def split(corpus: Corpus, fold: int | None, seed: int) -> dict[str, tuple[str, ...]]:
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


def real_clips(corpus: Corpus, names: Sequence[str], seconds: int = CLIP_SECONDS) -> RealClips:
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


def _sound(recording: Recording) -> "np.ndarray[tuple[int], np.dtype[np.int16]]":
    """The samples at the lab's rate."""
    samples, rate = read_sound(sound_file(recording))
    if rate != RATE:
        ratio = Fraction(RATE, rate)
        samples = resample_poly(samples, ratio.numerator, ratio.denominator)
    return np.round(np.clip(samples, -1, 1) * 32767).astype(np.int16)
