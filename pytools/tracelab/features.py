"""What detectors hear of a clip, scaled, and a split as they take it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from tracelab.protocol import CLASSES, Protocol
from tracelab.scenes.corpus import ClipTask, OnClip, RenderedClip, for_each_clip
from tracelab.scenes.voices import Voice

# What detectors hear of a clip: seven numbers for each frame, and the scaler that makes them comparable.

FEATURES = ("log_energy", "zero_crossings", "centroid", "bandwidth", "flux", "low_band", "high_band")
_WINDOW = 256
_LOW_HZ, _HIGH_HZ = 500.0, 2000.0
_TINY = 1e-10

FloatArray = npt.NDArray[np.floating[Any]]


def frame_features(samples: npt.NDArray[np.int16], protocol: Protocol) -> FloatArray:
    """The features of every frame, frames × features; a window of 32 ms around each frame's centre."""
    signal = samples.astype(np.float64) / 32768
    hop = protocol.frame_samples
    before = (_WINDOW - hop) // 2
    padded = np.pad(signal, (before, _WINDOW - hop - before))
    windows = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)[::hop][: protocol.frames]
    spectrum = np.abs(np.fft.rfft(windows * np.hanning(_WINDOW), axis=1))
    power = spectrum**2
    total = power.sum(axis=1) + _TINY
    hertz = np.fft.rfftfreq(_WINDOW, 1 / protocol.rate)
    centroid = power @ hertz / total
    spread = np.sqrt(np.maximum(power @ hertz**2 / total - centroid**2, 0))
    shape = spectrum / (spectrum.sum(axis=1, keepdims=True) + _TINY)
    rises = np.maximum(np.diff(spectrum, axis=0, prepend=spectrum[:1]), 0)
    flux = np.log(rises.sum(axis=1) + _TINY)
    crossings = np.mean(np.diff(np.signbit(windows), axis=1), axis=1)
    low = shape[:, hertz < _LOW_HZ].sum(axis=1)
    high = shape[:, hertz >= _HIGH_HZ].sum(axis=1)
    columns = (np.log(total), crossings, centroid, spread, flux, low, high)
    return np.stack(columns, axis=1).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Scaler:
    """Mean and spread of each feature over training frames."""

    mean: FloatArray
    spread: FloatArray

    @classmethod
    def of(cls, features: FloatArray) -> "Scaler":
        """The scaler of clips × frames × features."""
        flat = features.reshape(-1, features.shape[-1]).astype(np.float64)
        return cls(flat.mean(axis=0).astype(np.float32), np.maximum(flat.std(axis=0), 1e-6).astype(np.float32))

    def __call__(self, features: FloatArray) -> FloatArray:
        """The features at zero mean and unit spread."""
        scaled: FloatArray = (features - self.mean) / self.spread
        return scaled


# A split as detectors take it: features, masks and exact events of every clip; the sound itself is not kept.

Events = list[tuple[Fraction, Fraction, str]]
BoolArray = npt.NDArray[np.bool_]
UNION = "event"


@dataclass(frozen=True, slots=True, eq=False)
class Heard:
    """The clips of a split; arrays are clips × frames × features or classes."""

    names: tuple[str, ...]
    conditions: tuple[str, ...]
    digests: tuple[str, ...]
    features: FloatArray
    classes: BoolArray
    events: tuple[Events, ...]

    def __len__(self) -> int:
        return len(self.names)

    @property
    def union(self) -> BoolArray:
        """Whether any class is active, clips × frames × 1."""
        return np.logical_or.reduce(self.classes, axis=2, keepdims=True)

    def masks(self, labels: Sequence[str]) -> BoolArray:
        """The masks of the classes, or of their union."""
        return self.union if tuple(labels) == (UNION,) else self.classes

    def part(self, clips: Sequence[int] | npt.NDArray[np.intp]) -> "Heard":
        """Some of the clips."""
        chosen = [int(clip) for clip in clips]
        return Heard(
            tuple(self.names[clip] for clip in chosen),
            tuple(self.conditions[clip] for clip in chosen),
            tuple(self.digests[clip] for clip in chosen),
            self.features[chosen],
            self.classes[chosen],
            tuple(self.events[clip] for clip in chosen),
        )

    def reference(self, labels: Sequence[str]) -> dict[str, Events]:
        """The exact events by clip, with their classes or as one."""
        typed = tuple(labels) != (UNION,)
        return {
            name: [(onset, offset, label if typed else UNION) for onset, offset, label in events]
            for name, events in zip(self.names, self.events, strict=True)
        }

    def condition_of(self) -> dict[str, str]:
        """The condition of each clip."""
        return dict(zip(self.names, self.conditions, strict=True))


def hear(
    protocol: Protocol, voice: Voice, tasks: Iterable[ClipTask], *, workers: int = 1, on_clip: OnClip = lambda: None
) -> Heard:
    """Render every clip of a split and keep what detectors need of it."""
    wanted = list(tasks)
    parts = list(
        for_each_clip(partial(_hear_clip, protocol), protocol, voice, wanted, workers=workers, on_clip=on_clip)
    )
    return Heard(
        tuple(task.name for task in wanted),
        tuple(task.condition for task in wanted),
        tuple(digest for digest, _, _, _ in parts),
        np.stack([features for _, features, _, _ in parts]),
        np.stack([masks for _, _, masks, _ in parts]),
        tuple(events for _, _, _, events in parts),
    )


def class_masks(clip: RenderedClip, protocol: Protocol) -> BoolArray:
    """Frames × classes: whether the centre of a frame lies in an event of the class (rule 5.3)."""
    masks = np.zeros((protocol.frames, len(CLASSES)), dtype=np.bool_)
    hop, half = protocol.frame_samples, protocol.frame_samples // 2
    for sound in clip.timeline.labelled:
        first, last = ((end - half + hop - 1) // hop for end in (sound.start, sound.end))
        masks[max(first, 0) : max(last, 0), CLASSES.index(sound.label)] = True
    return masks


def events_of(masks: Mapping[str, BoolArray], labels: Sequence[str], step: Fraction) -> dict[str, Events]:
    """The events of frame masks (frames × classes) by clip."""
    found: dict[str, Events] = {}
    for name, mask in masks.items():
        edges = np.diff(mask.astype(np.int8), axis=0, prepend=0, append=0)
        found[name] = sorted(
            (int(start) * step, int(end) * step, label)
            for column, label in enumerate(labels)
            for start, end in zip(
                np.flatnonzero(edges[:, column] == 1), np.flatnonzero(edges[:, column] == -1), strict=True
            )
        )
    return found


def _hear_clip(protocol: Protocol, clip: RenderedClip) -> tuple[str, FloatArray, BoolArray, Events]:
    return clip.digest, frame_features(clip.samples, protocol), class_masks(clip, protocol), clip.events(protocol.rate)
