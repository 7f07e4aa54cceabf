"""Clips: a scene rendered under its condition, alone or as a split, on any number of workers."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from tracelab.protocol import CONDITIONS, TEST_PERTURBATIONS, TRAIN_PERTURBATIONS, Perturbations, Protocol
from tracelab.randomness import generator
from tracelab.scenes.perturb import perturb
from tracelab.scenes.render import render_timeline
from tracelab.scenes.timeline import Timeline, draw_timeline
from tracelab.scenes.voices import Voice

_CLIPS_PER_PART = 12

T = TypeVar("T")
OnClip = Callable[[], None]


@dataclass(frozen=True, slots=True, order=True)
class Task:
    """Which clip to render: its split, its number, its condition, and which view of it."""

    split: str
    number: int
    condition: str = "clean"
    view: int = 0

    @property
    def name(self) -> str:
        """The clip's name; the views of a clip share its events."""
        view = f"-view{self.view}" if self.view else ""
        return f"{self.split}-{self.number:04d}{view}"


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """A rendered clip: its samples and exact events."""

    task: Task
    samples: npt.NDArray[np.int16]
    timeline: Timeline

    @property
    def name(self) -> str:
        """The clip's name."""
        return self.task.name

    def events(self, rate: int) -> list[tuple[Fraction, Fraction, str]]:
        """The exact events of the reference."""
        return self.timeline.events(rate)

    @property
    def digest(self) -> str:
        """The SHA-256 of the samples, little-endian."""
        return hashlib.sha256(self.samples.astype("<i2").tobytes()).hexdigest()


def clean_tasks(protocol: Protocol) -> list[Task]:
    """The clean training clips."""
    return [Task("train", number) for number in range(protocol.train_clips)]


def view_tasks(protocol: Protocol, views: int = 3) -> list[Task]:
    """The augmented views of the training clips, each under a condition drawn for it."""
    return [
        Task("train", number, str(generator(protocol.seed, "condition", number, view).choice(CONDITIONS)), view)
        for view in range(1, views + 1)
        for number in range(protocol.train_clips)
    ]


def held_out_tasks(protocol: Protocol) -> list[Task]:
    """The test clips, the conditions in turn, so that each has its equal share."""
    return [Task("test", number, CONDITIONS[number % len(CONDITIONS)]) for number in range(protocol.test_clips)]


def render(protocol: Protocol, voice: Voice, task: Task) -> Clip:
    """One clip, alone: the same samples as in the whole split."""
    timeline = draw_timeline(protocol, task.split, task.number)
    clean = render_timeline(protocol, timeline, voice, task.split, task.number)
    rng = generator(protocol.seed, "perturb", task.split, task.number, task.condition, task.view)
    heard = perturb(clean, task.condition, perturbations_of(task.split), rng, protocol.rate)
    return Clip(task, np.round(heard * 32767).astype(np.int16), timeline)


def perturbations_of(split: str) -> Perturbations:
    """The ranges of a split."""
    return TEST_PERTURBATIONS if split == "test" else TRAIN_PERTURBATIONS


def render_all(
    protocol: Protocol, voice: Voice, tasks: Iterable[Task], *, workers: int = 1, on_clip: OnClip = lambda: None
) -> Iterator[Clip]:
    """The clips of a split, in order, whatever the number of workers."""
    return for_each_clip(_itself, protocol, voice, tasks, workers=workers, on_clip=on_clip)


def for_each_clip(
    work: Callable[[Clip], T],
    protocol: Protocol,
    voice: Voice,
    tasks: Iterable[Task],
    *,
    workers: int = 1,
    on_clip: OnClip = lambda: None,
) -> Iterator[T]:
    """What `work` makes of each clip, in order; the sound is rendered where the work is done and not kept."""
    wanted = list(tasks)
    parts = [wanted[start : start + _CLIPS_PER_PART] for start in range(0, len(wanted), _CLIPS_PER_PART)]
    done: Iterable[list[T]]
    if workers == 1:
        done = (_part(work, protocol, voice, part) for part in parts)
    else:
        done = Parallel(n_jobs=workers, return_as="generator")(
            delayed(_part)(work, protocol, voice, part) for part in parts
        )
    for part_done in done:
        for one in part_done:
            on_clip()
            yield one


def digest_of(clips: Iterable[Clip]) -> str:
    """One digest over the names and samples of all clips."""
    total = hashlib.sha256()
    for clip in clips:
        total.update(f"{clip.name} {clip.task.condition} {clip.digest}\n".encode())
    return total.hexdigest()


def _part(work: Callable[[Clip], T], protocol: Protocol, voice: Voice, tasks: list[Task]) -> list[T]:
    return [work(render(protocol, voice, task)) for task in tasks]


def _itself(clip: Clip) -> Clip:
    return clip
