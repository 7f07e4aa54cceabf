"""The sound of a split rendered once for all, and hidden sequences aligned to its grid."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tracelab.features import Events, FloatArray
from tracelab.files import resampled
from tracelab.protocol import Protocol, generator
from tracelab.scenes.corpus import ClipTask, OnClip, RenderedClip, SceneTimeline, Sound, for_each_clip, render_timeline
from tracelab.scenes.voices import Voice
from tracelab.stages import Stages, code_digest
from tracelab.study.systems import plain, tasks_of
from tracepact.wording import parse_stored

# Hidden sequences: where each vector lies in time, aligned to the grid and projected to a common size.

SIZE = 64
_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
    """Vectors × dimensions; the centre of the first vector and the time to each next, in seconds."""

    values: FloatArray
    first: Fraction
    hop: Fraction


def aligned(hidden: Hidden, frames: int, step: Fraction) -> FloatArray:
    """A vector for each frame of the grid: the mean of those whose centres lie in it, else the nearest one.

    A frame holds its start and not its end. Of two vectors that are equally near, the earlier is taken.
    """
    count = len(hidden.values)
    if not count:
        raise ValueError("a hidden sequence without vectors")
    edges = _first_at_or_after(hidden, [frame * step for frame in range(frames + 1)])
    centres = [(frame + _HALF) * step - hidden.hop / 2 for frame in range(frames)]
    nearest = np.clip(_first_at_or_after(hidden, centres), 0, count - 1)
    low, high = np.clip(edges[:-1], 0, count), np.clip(edges[1:], 0, count)
    rows = [
        hidden.values[a:b].mean(axis=0) if a < b else hidden.values[near]
        for a, b, near in zip(low, high, nearest, strict=True)
    ]
    found: FloatArray = np.stack(rows)
    return found


def _first_at_or_after(hidden: Hidden, times: Iterable[Fraction]) -> npt.NDArray[np.int64]:
    """For each time the number of the first vector whose centre is not before it; exact."""
    return np.array([-((hidden.first - time) // hidden.hop) for time in times], dtype=np.int64)


def projection(dims: int, seed: int) -> FloatArray:
    """The Gaussian map from `dims` dimensions to the common size; it depends on the seed and on `dims` alone."""
    drawn = generator(seed, "projection", dims).standard_normal((dims, SIZE)) / np.sqrt(dims)
    scaled: FloatArray = drawn.astype(np.float32)
    return scaled


def layer_centres(layers: Iterable[tuple[int, int]], rate: int) -> tuple[Fraction, Fraction]:
    """The first centre and the hop after windows or convolutions of these lengths and strides, unpadded."""
    first, jump = Fraction(1, 2), 1
    for length, stride in layers:
        first += Fraction(length - 1, 2) * jump
        jump *= stride
    return first / rate, Fraction(jump, rate)


# The sound of a split, rendered once for every encoder and detector, with its exact events and what is left out.

SPEECH = "speech"
_CODE = ("protocol.py", "scenes", "files.py", "probe/clips.py")


@dataclass(frozen=True, slots=True, eq=False)
class ProbeClips:
    """The clips of a split: sound, conditions, the events of the reference, and the sounds nobody labelled."""

    names: tuple[str, ...]
    conditions: tuple[str, ...]
    digests: tuple[str, ...]
    samples: npt.NDArray[np.int16]
    events: tuple[Events, ...]
    unlabelled: tuple[Events, ...]

    def __len__(self) -> int:
        return len(self.names)

    def sound(self, clip: int, rate: int, wanted: int) -> FloatArray:
        """The samples of a clip from −1 to 1 at another rate."""
        return resampled(self.samples[clip] / np.float32(32768), rate, wanted)

    def condition_of(self) -> dict[str, str]:
        """The condition of each clip."""
        return dict(zip(self.names, self.conditions, strict=True))

    def speech(self) -> dict[str, Events]:
        """The labelled speech of each clip."""
        return {name: _of(SPEECH, events) for name, events in zip(self.names, self.events, strict=True)}

    def unlabelled_speech(self) -> dict[str, Events]:
        """Speech that nobody labelled: where it is, a detector of speech owes nothing."""
        return {name: _of(SPEECH, events) for name, events in zip(self.names, self.unlabelled, strict=True)}

    def onsets(self, length: Fraction, label: str) -> dict[str, Events]:
        """A short event at each place where a labelled sound of any class begins."""
        return {
            name: sorted({(onset, onset + length, label) for onset, _, _ in events})
            for name, events in zip(self.names, self.events, strict=True)
        }

    def unlabelled_sounds(self, label: str) -> dict[str, Events]:
        """Every sound that nobody labelled."""
        return {
            name: [(onset, offset, label) for onset, offset, _ in events]
            for name, events in zip(self.names, self.unlabelled, strict=True)
        }


def clip_stage(
    stages: Stages,
    protocol: Protocol,
    voice: Voice,
    split: str,
    *,
    alone: bool = False,
    workers: int = 1,
    on_clip: OnClip = lambda: None,
) -> Path:
    """The stage of a split's sound; `alone` leaves only its speech, unperturbed."""
    tasks = tasks_of(protocol, split, 1)
    key = {
        "protocol": plain(protocol),
        "split": split,
        "alone": alone,
        "voice": voice.digest,
        "code": code_digest(*_CODE),
    }
    work = partial(_alone, protocol, voice) if alone else _itself

    def make(folder: Path) -> None:
        _write(for_each_clip(work, protocol, voice, tasks, workers=workers, on_clip=on_clip), protocol, folder)

    return stages.kept(f"sound-{split}{'-alone' if alone else ''}", key, make)


def read_clips(folder: Path) -> ProbeClips:
    """A split that was kept."""
    words = json.loads((folder / "clips.json").read_text(encoding="utf-8"))
    events, unlabelled = (
        tuple([(parse_stored(a), parse_stored(b), label) for a, b, label in some] for some in words[name])
        for name in ("events", "unlabelled")
    )
    names, conditions, digests = (tuple(words[name]) for name in ("names", "conditions", "digests"))
    return ProbeClips(names, conditions, digests, np.load(folder / "samples.npy"), events, unlabelled)


def _write(clips: Iterable[RenderedClip], protocol: Protocol, folder: Path) -> None:
    found = list(clips)
    np.save(folder / "samples.npy", np.stack([clip.samples for clip in found]))
    words = {
        "names": [clip.name for clip in found],
        "conditions": [clip.task.condition for clip in found],
        "digests": [clip.digest for clip in found],
        "events": [_texts(clip.events(protocol.rate)) for clip in found],
        "unlabelled": [_texts(_times(clip.timeline.distractors, protocol.rate)) for clip in found],
    }
    (folder / "clips.json").write_text(json.dumps(words) + "\n", encoding="utf-8")


def _alone(protocol: Protocol, voice: Voice, clip: RenderedClip) -> RenderedClip:
    """The clip with every sound but speech silent; the floor stays."""
    quiet = (
        tuple(sound if sound.label == SPEECH else replace(sound, gain=0.0) for sound in sounds)
        for sounds in (clip.timeline.targets, clip.timeline.overlaps, clip.timeline.distractors)
    )
    task = ClipTask(clip.task.split, clip.task.number)
    samples = render_timeline(protocol, SceneTimeline(*quiet), voice, task.split, task.number)
    return RenderedClip(clip.task, np.round(samples * 32767).astype(np.int16), clip.timeline)


def _itself(clip: RenderedClip) -> RenderedClip:
    return clip


def _of(label: str, events: Events) -> Events:
    return [event for event in events if event[2] == label]


def _times(sounds: tuple[Sound, ...], rate: int) -> Events:
    return [(Fraction(s.start, rate), Fraction(s.end, rate), s.label) for s in sorted(sounds)]


def _texts(events: Events) -> list[list[str]]:
    return [[str(onset), str(offset), label] for onset, offset, label in events]
