"""A trace family: clips × classes with the runs of both sides, and the masks of its atoms."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property

import numpy as np

from tracepact.core.runs import FrameRun
from tracepact.trace.layout import Block, Layout, Words

Runs = Mapping[int, tuple[FrameRun, ...]]


class Mode(Enum):
    """Whether labels are kept apart.

    Attributes:
        CLASS_INDEXED: every label is scored by itself.
        UNION: all labels are scored as one class.

    Examples:
        >>> from tracepact import Mode
        >>> Mode("union")
        <Mode.UNION: 'union'>
    """

    CLASS_INDEXED = "class_indexed"
    UNION = "union"


class Side(Enum):
    """Reference or prediction."""

    REF = "ref"
    PRED = "pred"


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Clips × classes. Segment `class · clips + clip` holds one clip of one class; absent segments have no runs."""

    step: Fraction
    mode: Mode
    clips: tuple[str, ...]
    frames: tuple[int, ...]
    classes: tuple[str, ...]
    runs: Mapping[Side, Runs]
    ignored: Runs
    masks: Mapping[str, Runs]

    @property
    def segments(self) -> int:
        """Clips times classes."""
        return len(self.clips) * len(self.classes)

    def segment(self, label: int, clip: int) -> int:
        """The segment of a clip and class, both by index."""
        return label * len(self.clips) + clip

    def place(self, segment: int) -> tuple[str, str]:
        """Clip and class of a segment."""
        label, clip = divmod(segment, len(self.clips))
        return self.clips[clip], self.classes[label]

    def frames_of(self, segment: int) -> int:
        """The number of frames of a segment."""
        return self.frames[segment % len(self.clips)]

    def layout(self, gap: int) -> Layout:
        """The family as one long bitset whose clips are at least `gap` frames apart."""
        return Layout(np.tile(np.asarray(self.frames, dtype=np.int64), len(self.classes)), gap)


class Atoms(dict[str, int]):
    """The masks of a family's atoms over a layout, each made when first asked for."""

    def __init__(self, family: Family, layout: Layout) -> None:
        super().__init__()
        self._family = family
        self._layout = layout

    def __missing__(self, name: str) -> int:
        mask = self[name] = self._make(name)
        return mask

    def _make(self, name: str) -> int:
        match name:
            case "ref_active":
                return self._layout.paint(self._family.runs[Side.REF])
            case "pred_active":
                return self._layout.paint(self._family.runs[Side.PRED])
            case _ if name in _EDGES:
                return _edge(name, self, self._layout.valid)
            case "other_ref_active" | "other_pred_active":
                return self._others(self[name.removeprefix("other_")])
        return self._layout.paint(self._family.masks[name])

    @cached_property
    def ignored(self) -> int:
        """The frames that carry no obligation."""
        return self._layout.paint(self._family.ignored)

    def _others(self, active: int) -> int:
        """The frames where some other class is active: what comes before and after each class, or-ed."""
        words = self._layout.to_words(active).reshape(len(self._family.classes), -1)
        before, after = np.zeros_like(words), np.zeros_like(words)
        if len(words) > 1:
            before[1:] = np.bitwise_or.accumulate(words, axis=0)[:-1]
            after[:-1] = np.bitwise_or.accumulate(words[::-1], axis=0)[::-1][1:]
        return self._layout.mask(before | after)


class BlockAtoms(dict[str, int]):
    """The masks of atoms over a block of a layout: cut out of those of the whole, or made of what is cut out."""

    def __init__(self, whole: "AtomWords", block: Block) -> None:
        super().__init__()
        self._whole, self._block = whole, block

    def __missing__(self, name: str) -> int:
        made = _edge(name, self, self.valid) if name in _EDGES else self._cut(self._whole[name])
        mask = self[name] = made
        return mask

    @cached_property
    def valid(self) -> int:
        """The frames that belong to a clip."""
        return self._cut(self._whole.valid)

    @cached_property
    def ignored(self) -> int:
        """The frames that carry no obligation."""
        return self._cut(self._whole.ignored)

    def _cut(self, words: Words) -> int:
        return int.from_bytes(words[self._block.first_word : self._block.last_word].tobytes(), "little")


class AtomWords(dict[str, Words]):
    """The masks of a family's atoms as words, each made when first asked for; blocks are cut out of them."""

    def __init__(self, atoms: Atoms, layout: Layout) -> None:
        super().__init__()
        self._atoms, self._layout = atoms, layout
        self.valid, self.ignored = layout.to_words(layout.valid), layout.to_words(atoms.ignored)

    def __missing__(self, name: str) -> Words:
        words = self[name] = self._layout.to_words(self._atoms[name])
        return words


_EDGES = ("ref_onset", "ref_offset", "pred_onset", "pred_offset")


def _edge(name: str, masks: Mapping[str, int], valid: int) -> int:
    """The mask of onsets or offsets of a side, from that of its active frames."""
    side, _, edge = name.partition("_")
    active = masks[f"{side}_active"]
    return onset(active) if edge == "onset" else offset(active, valid)


def onset(active: int) -> int:
    """Active frames that follow an inactive one or start their clip (rule 5.6)."""
    return active & ~(active << 1)


def offset(active: int, valid: int) -> int:
    """Inactive frames that follow an active one in the same clip (rule 5.6)."""
    return (active << 1) & ~active & valid
