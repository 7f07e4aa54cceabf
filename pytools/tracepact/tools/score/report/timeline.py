"""Timelines of the clips that failed worst: runs of both sides, matches, and the frames where each clause failed."""

from fractions import Fraction
from typing import Any

import numpy as np

from tracepact.core import EventClause
from tracepact.scoring import Scorecard
from tracepact.trace import Side, runs_of_frames

SHOWN = 3
Data = dict[str, Any]


def worst_timelines(card: Scorecard, most: int = SHOWN) -> list[Data]:
    """The segments whose clauses lose most together, one clip only once."""
    loss = np.zeros((len(card.family.classes), len(card.family.clips)))
    for counts in card.counts.values():
        obligated = np.maximum(counts.obligated, 1)
        loss += np.where(counts.obligated > 0, 1 - counts.satisfied / obligated, counts.counter)
    order = np.argsort(-loss, axis=None, kind="stable")
    chosen: list[int] = []
    clips: set[str] = set()
    for segment in order.tolist():
        clip, _ = card.family.place(segment)
        if len(chosen) == most or loss.flat[segment] == 0:
            break
        if clip not in clips:
            clips.add(clip)
            chosen.append(segment)
    return [timeline(card, segment) for segment in chosen]


def timeline(card: Scorecard, segment: int) -> Data:
    """What happened in one clip and class."""
    clip, label = card.family.place(segment)
    failed: dict[str, list[list[int]]] = {}
    for clause in card.contract.clauses:
        if isinstance(clause, EventClause):
            violated = card.event_clause(clause.name).violated
            intervals = [o.pred if clause.each.value == "pred" else o.ref for s, o in violated if s == segment]
            runs = [list(run) for run in intervals if run is not None]
        else:
            frames = card.layout.frames_of(card.violated[clause.name], segment)
            runs = [list(run) for run in runs_of_frames(frames.tolist())]
        if runs:
            failed[clause.name] = runs
    return {
        "clip": clip,
        "class": label,
        "frames": card.family.frames_of(segment),
        "step": str(card.family.step),
        "ref": [list(run) for run in card.family.runs[Side.REF].get(segment, ())],
        "pred": [list(run) for run in card.family.runs[Side.PRED].get(segment, ())],
        "matches": [[list(m.ref), list(m.pred)] for m in card.events.matches if m.segment == segment],
        "failed": failed,
    }


def draw(data: Data, width: int = 76) -> list[tuple[str, str]]:
    """A timeline as lanes of text: a name and its cells; a cell is marked when any of its frames is."""
    frames = data["frames"]
    width = min(width, frames)

    def lane(runs: list[list[int]], mark: str) -> str:
        cells = ["·"] * width
        for start, end in runs:
            for cell in range(start * width // frames, (end - 1) * width // frames + 1):
                cells[cell] = mark
        return "".join(cells)

    lanes = [("ref", lane(data["ref"], "█")), ("pred", lane(data["pred"], "▓"))]
    lanes += [(name, lane(runs, "×")) for name, runs in data["failed"].items()]
    return lanes


def duration(data: Data) -> Fraction:
    """The length of a timeline in seconds, whole frames."""
    return int(data["frames"]) * Fraction(data["step"])
