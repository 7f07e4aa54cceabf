"""The sound of a split, rendered once for every encoder and detector, with its exact events and what is left out."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tracelab.features import FloatArray
from tracelab.heard import Events
from tracelab.probe.hidden import resampled
from tracelab.protocol import Protocol
from tracelab.scenes.corpus import Clip, OnClip, Task, for_each_clip, perturbations_of
from tracelab.scenes.render import render_timeline
from tracelab.scenes.timeline import Sound, Timeline
from tracelab.scenes.voices import Voice
from tracelab.stages import Stages, code_digest
from tracelab.study.splits import plain, tasks_of

SPEECH = "speech"
_CODE = ("protocol.py", "randomness.py", "scenes", "sound.py", "probe/clips.py")


@dataclass(frozen=True, slots=True, eq=False)
class Clips:
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
        "perturbations": plain(perturbations_of(tasks[0].split)),
        "split": split,
        "alone": alone,
        "voice": voice.digest,
        "code": code_digest(*_CODE),
    }
    work = partial(_alone, protocol, voice) if alone else _itself

    def make(folder: Path) -> None:
        _write(for_each_clip(work, protocol, voice, tasks, workers=workers, on_clip=on_clip), protocol, folder)

    return stages.kept(f"sound-{split}{'-alone' if alone else ''}", key, make)


def read_clips(folder: Path) -> Clips:
    """A split that was kept."""
    words = json.loads((folder / "clips.json").read_text(encoding="utf-8"))
    events, unlabelled = (
        tuple([(Fraction(a), Fraction(b), label) for a, b, label in some] for some in words[name])
        for name in ("events", "unlabelled")
    )
    names, conditions, digests = (tuple(words[name]) for name in ("names", "conditions", "digests"))
    return Clips(names, conditions, digests, np.load(folder / "samples.npy"), events, unlabelled)


def _write(clips: Iterable[Clip], protocol: Protocol, folder: Path) -> None:
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


def _alone(protocol: Protocol, voice: Voice, clip: Clip) -> Clip:
    """The clip with every sound but speech silent; the floor stays."""
    quiet = (
        tuple(sound if sound.label == SPEECH else replace(sound, gain=0.0) for sound in sounds)
        for sounds in (clip.timeline.targets, clip.timeline.overlaps, clip.timeline.distractors)
    )
    task = Task(clip.task.split, clip.task.number)
    samples = render_timeline(protocol, Timeline(*quiet), voice, task.split, task.number)
    return Clip(clip.task, np.round(samples * 32767).astype(np.int16), clip.timeline)


def _itself(clip: Clip) -> Clip:
    return clip


def _of(label: str, events: Events) -> Events:
    return [event for event in events if event[2] == label]


def _times(sounds: tuple[Sound, ...], rate: int) -> Events:
    return [(Fraction(s.start, rate), Fraction(s.end, rate), s.label) for s in sorted(sounds)]


def _texts(events: Events) -> list[list[str]]:
    return [[str(onset), str(offset), label] for onset, offset, label in events]
