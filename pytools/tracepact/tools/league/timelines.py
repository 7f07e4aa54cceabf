"""Timelines of the clips on which systems differ most: the reference on top, every system below it (rule 16.19)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tracepact.tools.league.base import Base
from tracepact.tools.league.record import ClipDifference, League
from tracepact.tools.league.system import LeagueSystem
from tracepact.wording import short

_CLASSES = 3


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a lane, in percent of the clip; `at` is its start in seconds, `words` what it is."""

    start: str
    width: str
    at: str
    words: str


@dataclass(frozen=True, slots=True)
class Lane:
    """What one side has in a clip and class: its runs, and where clauses fail."""

    name: str
    runs: tuple[Mark, ...]
    failed: tuple[Mark, ...] = ()
    loss: str = ""


@dataclass(frozen=True, slots=True)
class ClassLanes:
    """The lanes of one class: the reference and every system."""

    label: str
    ignored: tuple[Mark, ...]
    lanes: tuple[Lane, ...]


@dataclass(frozen=True, slots=True)
class ClipLanes:
    """A clip with the classes on which systems differ most, and the marks of its axis."""

    clip: str
    seconds: str
    difference: float
    classes: tuple[ClassLanes, ...]
    left_out: int
    ticks: tuple[tuple[str, str], ...]


def clip_lanes(league: League, base: Base, given: Sequence[LeagueSystem]) -> list[ClipLanes]:
    """The timelines of the clips that the league names, systems in its order."""
    by_name = {system.name: system for system in given}
    systems = [by_name[name] for name in league.names]
    places = {clip: index for index, clip in enumerate(base.clips)}
    return [_clip(found, places[found.clip], base, systems) for found in league.most_different]


def _clip(found: ClipDifference, clip: int, base: Base, systems: Sequence[LeagueSystem]) -> ClipLanes:
    losses = np.stack([_class_losses(system, clip) for system in systems])
    spread = np.abs(losses[:, None, :] - losses[None, :, :]).mean(axis=(0, 1))
    differing = [k for k in np.argsort(-spread, kind="stable").tolist() if spread[k] > 0]
    frames = base.frames[clip]
    classes = tuple(
        _class(label, clip, base, systems, [float(loss) for loss in losses[:, label]])
        for label in sorted(differing[:_CLASSES])
    )
    length = frames * base.step
    return ClipLanes(
        found.clip,
        f"{short(length)} s",
        found.difference,
        classes,
        max(0, len(differing) - _CLASSES),
        tuple(_ticks(length)),
    )


def _class(label: int, clip: int, base: Base, systems: Sequence[LeagueSystem], losses: Sequence[float]) -> ClassLanes:
    segment = str(label * len(base.clips) + clip)
    frames, step = base.frames[clip], base.step
    reference = Lane("reference", _marks(_runs(base.reference.get(segment, ())), frames, step, "reference"))
    lanes = [reference]
    for system, loss in zip(systems, losses, strict=True):
        pred, failures = system.stored.segments.get(segment, ((), ()))
        runs = _marks(_runs(pred), frames, step, system.name)
        lanes.append(Lane(system.name, runs, _failed(system, failures, frames, step), f"{loss:.2f}"))
    ignored = _marks(_runs(base.ignored.get(segment, ())), frames, step, "ignored: no obligations here")
    return ClassLanes(base.classes[label], ignored, tuple(lanes))


def _class_losses(system: LeagueSystem, clip: int) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """The loss of a system in one clip, by class."""
    total = np.zeros(len(system.rows.classes))
    for counts in system.rows.counts.values():
        asked = np.maximum(counts.obligated[:, clip], 1)
        lost = 1 - counts.satisfied[:, clip] / asked
        total += np.where(counts.obligated[:, clip] > 0, lost, counts.counter[:, clip])
    return total


def _failed(system: LeagueSystem, failures: Sequence[Sequence[int]], frames: int, step: Fraction) -> tuple[Mark, ...]:
    """Where clauses fail: stretches with the names of the clauses that fail there, joined where they touch."""
    edges: list[tuple[int, int, str]] = []
    for clause, *flat in failures:
        name = system.stored.clauses[clause]
        edges += [(start, start + length, name) for start, length in zip(flat[::2], flat[1::2], strict=True)]
    joined: list[tuple[int, int, dict[str, None]]] = []
    for start, end, name in sorted(edges):
        if joined and start <= joined[-1][1]:
            last = joined[-1]
            joined[-1] = last[0], max(last[1], end), {**last[2], name: None}
        else:
            joined.append((start, end, {name: None}))
    return tuple(_mark(start, end, frames, step, f"violated: {', '.join(names)}") for start, end, names in joined)


def _runs(flat: Sequence[int]) -> list[tuple[int, int]]:
    """Runs of frames from gaps and lengths."""
    found, last = [], 0
    for gap, length in zip(flat[::2], flat[1::2], strict=True):
        found.append((last + gap, last + gap + length))
        last += gap + length
    return found


def _marks(runs: Sequence[tuple[int, int]], frames: int, step: Fraction, words: str) -> tuple[Mark, ...]:
    return tuple(_mark(start, end, frames, step, words) for start, end in runs)


def _mark(start: int, end: int, frames: int, step: Fraction, words: str) -> Mark:
    at, until = short(start * step), short(end * step)
    return Mark(
        f"{100 * start / frames:.2f}%", f"{100 * (end - start) / frames:.2f}%", at, f"{words}, {at} to {until} s"
    )


def _ticks(length: Fraction) -> list[tuple[str, str]]:
    """Where the axis has its numbers, about five; none for a length that no float holds."""
    rough = float(length) / 5
    if not rough:
        return []
    size = 10.0 ** np.floor(np.log10(rough))
    step = next(size * m for m in (1, 2, 5, 10) if size * m >= rough * 0.75)
    times = [k * step for k in range(int(float(length) / step + 1e-9) + 1)]
    return [(f"{100 * time / float(length):.2f}%", f"{short(time)} s") for time in times]
