"""A hysteresis with one of its thresholds held: a field whose thresholds are the other one (rules 13.9 and 20.10)."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from tracepact.thresholds.detections import Detections
from tracepact.thresholds.steps import Whole
from tracepact.trace import NOWHERE, ScoreField, levels_of_texts

Cuts = Mapping[str, int]
"""A cut for each class."""


def with_low(field: ScoreField, low: Cuts) -> ScoreField:
    """The field whose threshold is the high one: a frame has the greatest rank of its run above the low threshold."""
    return _changed(field, low, _peaks)


def with_high(field: ScoreField, high: Cuts) -> ScoreField:
    """The field whose threshold is the low one: a frame has the greatest rank at which its run reaches the high one."""
    return _changed(field, high, _reached)


def columns_of(fields: Mapping[str, ScoreField]) -> ScoreField:
    """The field whose every column is that of a field by class."""
    first = next(iter(fields.values()))
    clips = {}
    for clip, scores in first.clips.items():
        columns = [fields[label].clips[clip].ranks[:, place] for place, label in enumerate(first.classes)]
        clips[clip] = replace(scores, ranks=np.stack(columns, axis=1))
    return replace(first, clips=clips)


def active_at(field: ScoreField | Detections, cuts: Cuts) -> ScoreField | Detections:
    """The scores or confidences of zeros and ones that at cut 1 have each class at its own cut."""
    levels, (zero, one) = levels_of_texts(["0", "1"])
    if isinstance(field, Detections):
        own = np.array([cuts[event.label] for _, event in field.table.events], dtype=np.int64)
        return replace(field, levels=levels, ranks=np.where(field.ranks >= own, one, zero))
    held = np.array([cuts[label] for label in field.classes], dtype=np.int64)
    clips = {
        clip: replace(scores, ranks=np.where(scores.ranks >= held, one, zero)) for clip, scores in field.clips.items()
    }
    return replace(field, levels=levels, clips=clips)


def _changed(field: ScoreField, cuts: Cuts, change: Callable[[Whole, Whole], Whole]) -> ScoreField:
    held = np.array([cuts[label] for label in field.classes], dtype=np.int64)
    clips = {clip: replace(scores, ranks=change(scores.ranks, held)) for clip, scores in field.clips.items()}
    return replace(field, clips=clips)


def _peaks(ranks: Whole, low: Whole) -> Whole:
    """The greatest rank of the run of ranks from `low` on that each frame is in; NOWHERE outside of runs."""
    inside = ranks >= low
    ahead = np.where(inside, ranks, NOWHERE)
    back = ahead.copy()
    for frame in range(1, len(ranks)):
        ahead[frame] = np.where(inside[frame], np.maximum(ahead[frame], ahead[frame - 1]), NOWHERE)
        last = len(ranks) - 1 - frame
        back[last] = np.where(inside[last], np.maximum(back[last], back[last + 1]), NOWHERE)
    return np.maximum(ahead, back)


def _reached(ranks: Whole, high: Whole) -> Whole:
    """The greatest rank that all frames from one on up to a frame of rank `high` or more have."""
    ahead = np.where(ranks >= high, ranks, NOWHERE)
    back = ahead.copy()
    for frame in range(1, len(ranks)):
        ahead[frame] = np.maximum(ahead[frame], np.minimum(ahead[frame - 1], ranks[frame]))
        last = len(ranks) - 1 - frame
        back[last] = np.maximum(back[last], np.minimum(back[last + 1], ranks[last]))
    return np.maximum(ahead, back)
