"""Draws of clips by an engine: ranges of draws are tasks, over packed counts of clips (rule 24.20)."""

import errno
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol

import numpy as np
from numpy.typing import NDArray

from tracepact.engines import Engine, EngineKind, Progress, Work, run_tasks
from tracepact.engines.model import S
from tracepact.scoring.bootstrap import Values, Weights
from tracepact.scoring.clip_columns import ClipColumns, ClipParts
from tracepact.scoring.uncertainty import Bootstrap

_CELLS = 2**26
"""How many clips of draws are held at once, two bytes each."""
_FLOATS = 2**23
"""How many of them are added at once, eight bytes each: the clips of a part."""
_TASKS = 4
"""How many ranges of draws each worker gets: some take longer than others."""


class Drawn(Protocol[S]):
    """What is drawn: how draws add up over the clips of a part, and what values such sums give.

    It is sent to other processes.
    """

    def sums(self, part: ClipColumns, weights: Weights, clips: int) -> S:
        """What draws of so many clips have of those of a part."""

    def values(self, sums: S) -> Mapping[Hashable, Values]:
        """Every value in every draw."""


@dataclass(frozen=True, slots=True)
class Range:
    """Consecutive draws: the number of the first, how many, and the state of the generator before them."""

    first: int
    number: int
    state: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Job(Generic[S]):
    drawn: Drawn[S]
    parts: ClipParts
    clips: int


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """The values of some ranges of draws, each with the number of its first draw; and what was given up."""

    values: tuple[tuple[int, Mapping[Hashable, Values]], ...]
    given_up: tuple[str, ...] = ()

    def __add__(self, other: "_Found") -> "_Found":
        return _Found(self.values + other.values, self.given_up + other.given_up)


def draw_values(
    drawn: Drawn[S],
    parts: ClipParts,
    clips: int,
    bootstrap: Bootstrap,
    engine: Engine,
    progress: Progress | None = None,
) -> dict[Hashable, Values]:
    """Every value in every draw of so many clips, as `draws` makes them; OSError if some draws failed three times."""
    tasks = 1 if engine.kind is EngineKind.LOCAL else _TASKS * engine.number
    work: Work[_Found] = Work(partial(_draw, _Job(drawn, parts, clips)), ranges(clips, bootstrap, tasks), _not_drawn)
    if progress is not None:
        progress.stage("draws of clips", len(work.tasks))
    found = run_tasks(engine, work, progress)
    assert found is not None  # there is at least one draw
    if found.given_up:
        raise OSError(errno.EIO, f"draws of clips failed three times: {found.given_up[0]}")
    in_order = [values for _, values in sorted(found.values, key=lambda one: one[0])]
    return {name: np.concatenate([some[name] for some in in_order]) for name in in_order[0]}


def ranges(clips: int, bootstrap: Bootstrap, number: int) -> list[Range]:
    """The draws in about so many ranges; the generator is run through for its state before each."""
    generator = np.random.default_rng(bootstrap.seed)
    size = -(-bootstrap.number // min(number, bootstrap.number))
    found = []
    for first in range(0, bootstrap.number, size):
        some = min(size, bootstrap.number - first)
        found.append(Range(first, some, generator.bit_generator.state))
        if first + some < bootstrap.number:
            for _ in range(some):
                _chosen(generator, clips)
    return found


def _chosen(generator: np.random.Generator, clips: int) -> NDArray[np.int64]:
    """The clips of the next draw."""
    return generator.integers(0, max(clips, 1), size=clips)


def _not_drawn(task: Range, why: str) -> _Found:
    return _Found((), (why,))


def _draw(job: _Job[S], task: Range) -> _Found:
    """The values of a range of draws, in portions that fit into memory."""
    generator = np.random.default_rng()
    generator.bit_generator.state = dict(task.state)
    largest = max(part.places.shape[0] for _, part in job.parts.parts)
    portion = max(1, min(_CELLS // max(job.clips, 1), _FLOATS // max(largest, 1)))
    found = []
    for start in range(0, task.number, portion):
        weights = _weights(generator, job.clips, min(portion, task.number - start))
        found.append((task.first + start, job.drawn.values(_summed(job, weights))))
    return _Found(tuple(found))


def _weights(generator: np.random.Generator, clips: int, number: int) -> NDArray[np.uint16]:
    """How often each of some draws has each clip."""
    found = np.empty((number, clips), dtype=np.uint16)
    for row in found:
        times = np.bincount(_chosen(generator, clips), minlength=clips)
        assert int(times.max(initial=0)) <= np.iinfo(np.uint16).max
        row[:] = times
    return found


def _summed(job: _Job[S], weights: NDArray[np.uint16]) -> S:
    total: S | None = None
    for _, part in job.parts.parts:
        places = part.places.array
        own = job.drawn.sums(part, weights[:, places].astype(np.float64), job.clips)
        total = own if total is None else total + own
    assert total is not None  # there are clips
    return total
