"""A split as detectors take it: features, masks and exact events of every clip; the sound itself is not kept."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from tracelab.features import FloatArray, frame_features
from tracelab.protocol import CLASSES, Protocol
from tracelab.scenes.corpus import Clip, OnClip, Task, for_each_clip
from tracelab.scenes.voices import Voice

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
    protocol: Protocol, voice: Voice, tasks: Iterable[Task], *, workers: int = 1, on_clip: OnClip = lambda: None
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


def class_masks(clip: Clip, protocol: Protocol) -> BoolArray:
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


def _hear_clip(protocol: Protocol, clip: Clip) -> tuple[str, FloatArray, BoolArray, Events]:
    return clip.digest, frame_features(clip.samples, protocol), class_masks(clip, protocol), clip.events(protocol.rate)
