"""Timelines of the clips that failed worst: runs of both sides, matches, and the frames where each clause failed."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Annotated

import numpy as np
from msgspec import Meta, field

from tracepact.core import EventClause
from tracepact.records import Count, Name, NotNegative, Record
from tracepact.scoring import Scorecard
from tracepact.tools.score.report.violations import name_ranks
from tracepact.trace import FrameRun, Side

SHOWN = 3
_Run = Annotated[tuple[Count, Count], Meta(description="A run: a half-open interval of frames (5.5).")]


class Timeline(Record, frozen=True):
    """What happened in one clip and class, in frames."""

    clip: Annotated[str, Meta(description="The clip.")]
    label: Annotated[str, Meta(description="The class.")] = field(name="class")
    frames: Annotated[int, Meta(ge=1, description="The frames of the clip.")]
    step: NotNegative
    ref: Annotated[tuple[_Run, ...], Meta(description="Runs of the reference.")]
    pred: Annotated[tuple[_Run, ...], Meta(description="Runs of the prediction.")]
    matches: Annotated[tuple[tuple[_Run, _Run], ...], Meta(description="Matched pairs: reference run, predicted run.")]
    failed: Annotated[
        dict[Name, Annotated[tuple[_Run, ...], Meta(min_length=1)]],
        Meta(description="The frames or intervals where each clause failed."),
    ]

    def __post_init__(self) -> None:
        """Runs are inside the clip; msgspec tells what is read and is not so."""
        matched = (run for pair in self.matches for run in pair)
        failed = (run for runs in self.failed.values() for run in runs)
        if not all(start < end <= self.frames for start, end in (*self.ref, *self.pred, *matched, *failed)):
            raise ValueError("a run is not inside its clip")

    @property
    def duration(self) -> Fraction:
        """Its length in seconds, whole frames."""
        return self.frames * self.step

    def lanes(self, width: int = 76) -> list[tuple[str, str]]:
        """The lanes of both sides and of every clause that failed: a name and its cells."""
        failed = [(name, lane(runs, self.frames, width, "×")) for name, runs in self.failed.items()]
        return [*side_lanes(self.ref, self.pred, self.frames, width), *failed]


def worst_segments(card: Scorecard, most: int = SHOWN) -> list[tuple[int, float]]:
    """The segments whose clauses lose most together, one clip only once, and how much each loses."""
    loss = np.zeros((len(card.family.classes), len(card.family.clips)))
    for counts in card.counts.values():
        obligated = np.maximum(counts.obligated, 1)
        loss += np.where(counts.obligated > 0, 1 - counts.satisfied / obligated, counts.counter)
    order = np.lexsort((name_ranks(card.family), -loss.reshape(-1)))
    chosen: list[tuple[int, float]] = []
    clips: set[int] = set()
    for segment in order.tolist():
        clip = segment % len(card.family.clips)
        if len(chosen) == most or loss.flat[segment] == 0:
            break
        if clip not in clips:
            clips.add(clip)
            chosen.append((segment, float(loss.flat[segment])))
    return chosen


def worst_timelines(card: Scorecard, most: int = SHOWN) -> list[Timeline]:
    """The clips and classes that failed worst."""
    return [timeline(card, segment) for segment, _ in worst_segments(card, most)]


def timeline(card: Scorecard, segment: int) -> Timeline:
    """What happened in one clip and class."""
    clip, label = card.family.place(segment)
    failed: dict[str, tuple[FrameRun, ...]] = {}
    for clause in card.contract.clauses:
        if isinstance(clause, EventClause):
            violated = card.event_clause(clause.name).violated
            intervals = [o.pred if clause.each.value == "pred" else o.ref for s, o in violated if s == segment]
            runs = tuple(run for run in intervals if run is not None)
        else:
            runs = card.layout.runs_of(card.violated[clause.name], segment)
        if runs:
            failed[clause.name] = runs
    return Timeline(
        clip,
        label,
        card.family.frames_of(segment),
        card.family.step,
        card.family.runs[Side.REF].get(segment, ()),
        card.family.runs[Side.PRED].get(segment, ()),
        tuple((m.ref, m.pred) for m in card.events.matches if m.segment == segment),
        failed,
    )


def side_lanes(ref: Sequence[FrameRun], pred: Sequence[FrameRun], frames: int, width: int) -> list[tuple[str, str]]:
    """The lanes of a reference and a prediction."""
    return [("ref", lane(ref, frames, width, "█")), ("pred", lane(pred, frames, width, "▓"))]


def lane(runs: Sequence[FrameRun], frames: int, width: int, mark: str) -> str:
    """A lane of text of at most a given number of cells; a cell is marked when any of its frames is.

    A gap that no empty cell shows is a broken bar, so that two runs never look like one.
    """
    width = min(width, frames)
    cells = ["·"] * width
    for start, end in runs:
        for cell in range(start * width // frames, (end - 1) * width // frames + 1):
            cells[cell] = mark
    for (_, end), (start, _) in pairwise(runs):
        gap = cells[(end - 1) * width // frames : start * width // frames + 1]
        if start > end and "·" not in gap:
            cells[end * width // frames] = "¦"
    return "".join(cells)
