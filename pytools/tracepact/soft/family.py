"""A soft family: the soft values of clips × classes, and the ranks of its atoms over a layout."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.monitor.algebra import complement
from tracepact.soft.algebra import Levels, RankAlgebra, Ranks
from tracepact.soft.values import Margin
from tracepact.trace import Layout

Places = NDArray[np.int64]
WORD = 64
"""The number of frames in a word of a layout."""


@dataclass(frozen=True, slots=True, eq=False)
class SoftMask:
    """The soft values of one atom: the distinct ones, and of every clip the place of each, frames × classes."""

    values: Sequence[Margin]
    clips: tuple[Places, ...]

    def frames(self, clip: int, label: int) -> list[Margin]:
        """The soft values of one clip and class."""
        return [self.values[place] for place in self.clips[clip][:, label].tolist()]


@dataclass(frozen=True, slots=True, eq=False)
class SoftFamily:
    """Clips × classes with the soft values of both sides and of the declared atoms, and the ignored frames."""

    step: Fraction
    clips: tuple[str, ...]
    frames: tuple[int, ...]
    classes: tuple[str, ...]
    masks: Mapping[str, SoftMask]
    """By atom: `ref_active`, `pred_active`, and those the contract declares."""
    ignored: tuple[NDArray[np.bool_], ...]
    """Of every clip, frames × classes."""

    def layout(self, gap: int) -> Layout:
        """The family as one long array whose clips are at least `gap` frames apart, class by class."""
        return Layout(np.tile(np.asarray(self.frames, dtype=np.int64), len(self.classes)), gap)


class SoftAtoms(dict[str, Ranks]):
    """The ranks of a family's atoms over a layout, each made when first asked for."""

    def __init__(self, family: SoftFamily, layout: Layout) -> None:
        super().__init__()
        self._family = family
        self.layout = layout
        self.levels = Levels(mask.values for mask in family.masks.values())
        inside = self.spread([np.ones((n, len(family.classes)), dtype=np.bool_) for n in family.frames], False)
        self.algebra = RankAlgebra(inside.astype(np.bool_), layout.longest, self.levels)

    def __missing__(self, name: str) -> Ranks:
        ranks = self[name] = self._make(name)
        return ranks

    def _make(self, name: str) -> Ranks:
        algebra = self.algebra
        match name:
            case "ref_onset" | "pred_onset":
                active = self[name.replace("onset", "active")]
                return algebra.conjunction(active, complement(algebra, algebra.later(active, 1)))
            case "ref_offset" | "pred_offset":
                active = self[name.replace("offset", "active")]
                return algebra.conjunction(complement(algebra, active), algebra.later(active, 1))
            case "other_ref_active" | "other_pred_active":
                return self._others(self[name.removeprefix("other_")])
        mask = self._family.masks[name]
        ranks = self.levels.ranks(mask.values)
        return self.spread([ranks[clip] for clip in mask.clips], -self.levels.top)

    def _others(self, active: Ranks) -> Ranks:
        """The greatest rank of the other classes: of what comes before and after each class."""
        rows = active.reshape(len(self._family.classes), -1)
        before, after = (np.full_like(rows, -self.levels.top) for _ in range(2))
        if len(rows) > 1:
            before[1:] = np.maximum.accumulate(rows, axis=0)[:-1]
            after[:-1] = np.maximum.accumulate(rows[::-1], axis=0)[::-1][1:]
        return np.maximum(before, after).reshape(-1)

    def spread(self, clips: Sequence[NDArray[Any]], between: int | bool) -> NDArray[Any]:
        """Arrays of frames × classes laid out one after another, class by class, with a value in the gaps."""
        layout = self.layout
        kind = clips[0].dtype if clips else np.dtype(np.int64)
        flat = np.full(layout.words * WORD, between, dtype=kind)
        starts = layout.start.reshape(len(self._family.classes), -1)
        for clip, values in enumerate(clips):
            for label, start in enumerate(starts[:, clip].tolist()):
                flat[start : start + len(values)] = values[:, label]
        return flat

    def gather(self, flat: NDArray[Any], segment: int) -> NDArray[Any]:
        """The frames of one segment."""
        start = int(self.layout.start[segment])
        return flat[start : start + int(self.layout.frames[segment])]
