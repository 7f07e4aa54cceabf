"""Takes masks that are in memory: one truth value a frame, for one clip or for several by name."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tracepact.diagnostics import Diagnostics
from tracepact.io.arrays import array_of, is_array
from tracepact.io.memory import ONE_CLIP, ONE_LABEL
from tracepact.trace import Event, EventTable, runs_of_frames

Masks = Mapping[str, Sequence[bool]]


def masks_from(data: Any, diagnostics: Diagnostics, *, name: str) -> Masks | None:
    """The frames of each clip if the data is a mask or a mapping from clips to masks, else None."""
    if isinstance(data, Mapping) and data and all(_is_mask(mask) for mask in data.values()):
        clips = {str(clip): mask for clip, mask in data.items()}
    elif _is_mask(data):
        clips = {ONE_CLIP: data}
    else:
        return None
    found = {}
    for clip, mask in clips.items():
        frames = array_of(mask)
        if frames.ndim == 1:
            found[clip] = frames.astype(np.bool_).tolist()
        else:
            headline = f"{name}: the mask of `{clip}` has {frames.ndim} dimensions, not one"
            diagnostics.add(
                "wrong-mask", headline, help="give one mask a clip: {clip: mask}, or name its classes: classes=[…]"
            )
    return found


def table_of_masks(masks: Masks, step: Fraction, *, name: str) -> EventTable:
    """The runs of the masks as events of one label."""
    return EventTable(
        name,
        {
            clip: tuple(Event(start * step, end * step, ONE_LABEL) for start, end in runs_of_frames(frames))
            for clip, frames in masks.items()
        },
    )


def durations_of_masks(sides: Sequence[Masks], step: Fraction, diagnostics: Diagnostics) -> dict[str, Fraction]:
    """How long each clip is by its masks; both sides must agree."""
    lengths: dict[str, int] = {}
    for masks in sides:
        for clip, frames in masks.items():
            if lengths.setdefault(clip, len(frames)) != len(frames):
                diagnostics.add(
                    "wrong-mask",
                    f"the masks of `{clip}` have {lengths[clip]} frames on one side and {len(frames)} on the other",
                    help="both sides must cover the same frames",
                )
    return {clip: frames * step for clip, frames in lengths.items()}


def _is_mask(data: Any) -> bool:
    """Whether every item is a truth value, or 0 or 1; a list of intervals is none."""
    if is_array(data):
        data = array_of(data)
        return data.dtype == np.bool_ or (
            data.ndim == 1 and data.size > 0 and data.dtype.kind in "iuf" and bool(np.isin(data, (0, 1)).all())
        )
    truths = (bool, np.bool_, int)
    return isinstance(data, list | tuple) and bool(data) and all(isinstance(v, truths) and v in (0, 1) for v in data)
