"""The soft family of a scored one: sides that a threshold decoded from scores as margins, all else as masks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tracepact.soft.family import Places, SoftFamily, SoftMask
from tracepact.soft.margins import Margins
from tracepact.soft.values import mask_margin
from tracepact.trace import NOWHERE, Family, ScoreField, Side
from tracepact.trace.family import Runs


@dataclass(frozen=True, slots=True, eq=False)
class DecodedSide:
    """The field and the threshold a side was decoded with, and of every class of the family the columns it unites."""

    scores: ScoreField
    threshold: Fraction
    columns: Sequence[Sequence[int]]


def decoded_family(family: Family, decoded: Mapping[Side, DecodedSide]) -> SoftFamily:
    """The soft family whose Boolean reading is a family of traces projected by `centre` (rule 18.11)."""
    masks = {name: _mask(family, runs) for name, runs in family.masks.items()}
    for side in Side:
        own = decoded.get(side)
        masks[f"{side.value}_active"] = _mask(family, family.runs[side]) if own is None else _field(family, own)
    ignored = tuple(_active(family, family.ignored, clip) for clip in range(len(family.clips)))
    return SoftFamily(family.step, family.clips, family.frames, family.classes, masks, ignored)


def _active(family: Family, runs: Runs, clip: int) -> NDArray[np.bool_]:
    """The frames of a clip in which runs are, frames × classes."""
    active = np.zeros((family.frames[clip], len(family.classes)), dtype=np.bool_)
    for label in range(len(family.classes)):
        for start, end in runs.get(family.segment(label, clip), ()):
            active[start:end, label] = True
    return active


def _mask(family: Family, runs: Runs) -> SoftMask:
    clips = (_active(family, runs, clip).astype(np.int64) for clip in range(len(family.clips)))
    return SoftMask((mask_margin(False), mask_margin(True)), tuple(clips))


def _field(family: Family, own: DecodedSide) -> SoftMask:
    margins = Margins(own.scores.levels, [own.threshold])
    clips = (_places(family, own, clip, len(margins) - 1) for clip in range(len(family.clips)))
    return SoftMask(margins, tuple(clips))


def _places(family: Family, own: DecodedSide, clip: int, nothing: int) -> Places:
    """The margins of a clip by their places; a class of several columns has the greatest of theirs."""
    frames = family.frames[clip]
    scores = own.scores.clips.get(family.clips[clip])
    found = np.full((frames, len(family.classes)), NOWHERE, dtype=np.int64)
    if scores is not None:
        ranks = scores.projected(family.step, frames)
        for label, columns in enumerate(own.columns):
            if columns:
                found[:, label] = ranks[:, list(columns)].max(axis=1)
    return np.where(found == NOWHERE, nothing, found)
