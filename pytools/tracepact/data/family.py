"""The grid of frames, runs of frames, and a trace family: clips × classes, laid out as one long bitset."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tracepact.data.events import Ticks, common_unit, roomy
from tracepact.language.contract import Projection
from tracepact.language.formula import FrameRun

# The runs of many segments in columns.

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RunColumns(Mapping[int, tuple[FrameRun, ...]]):
    """The runs of many segments, by segment and time: in columns, and as a mapping for who looks at one segment."""

    segment: Indices
    start: Indices
    end: Indices

    @cached_property
    def runs(self) -> list[FrameRun]:
        """Every run, in the order of the columns."""
        return list(zip(self.start.tolist(), self.end.tolist(), strict=True))

    @cached_property
    def _by_segment(self) -> dict[int, tuple[FrameRun, ...]]:
        # The columns are sorted by segment, so a segment is a slice.
        first = np.flatnonzero(np.diff(self.segment, prepend=-1))
        last = np.append(first[1:], len(self.segment)).tolist()
        owners = zip(self.segment[first].tolist(), first.tolist(), last, strict=False)
        return {owner: tuple(self.runs[a:b]) for owner, a, b in owners}

    def __getitem__(self, segment: int) -> tuple[FrameRun, ...]:
        return self._by_segment[segment]

    def __iter__(self) -> Iterator[int]:
        return iter(self._by_segment)

    def __len__(self) -> int:
        return len(self._by_segment)

    def overlapping(self, others: "RunColumns") -> tuple[Indices, Indices]:
        """For each run the first and one past the last of the others in its segment that share a frame with it."""
        # One number line for all segments: no run reaches into the stretch of the next one.
        stretch = 1 + max(int(self.end.max(initial=0)), int(others.end.max(initial=0)))
        mine, theirs = self.segment * stretch, others.segment * stretch
        first = np.searchsorted(theirs + others.end, mine + self.start, side="right")
        last = np.searchsorted(theirs + others.start, mine + self.end, side="left")
        return first, np.maximum(first, last)


def run_columns(runs: Mapping[int, Sequence[FrameRun]]) -> RunColumns:
    """Runs by segment, sorted and disjoint, in columns."""
    if isinstance(runs, RunColumns):
        return runs
    rows = [(segment, start, end) for segment in sorted(runs) for start, end in runs[segment]]
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return RunColumns(table[:, 0], table[:, 1], table[:, 2])


# The grid: frames of one exact step, and the projection of intervals onto them (rules 5.1 to 5.3).

AnyTicks = TypeVar("AnyTicks", int, Ticks)
"""One time or an array of them, in ticks."""


def ceil_div(numerator: AnyTicks, denominator: int) -> AnyTicks:
    """The least integer not less than the quotient; the denominator is positive."""
    return -(-numerator // denominator)


@dataclass(frozen=True, slots=True)
class Grid:
    """Frames of length `step` seconds."""

    step: Fraction
    projection: Projection = Projection.CENTRE

    def frames(self, duration: Fraction) -> int:
        """The number of frames of a clip (rule 5.1)."""
        quotient = duration / self.step
        return ceil_div(quotient.numerator, quotient.denominator)

    def project(self, onset: Fraction, offset: Fraction) -> tuple[int, int]:
        """The frames `[start, end)` an event activates, not cut to any clip; empty when end <= start."""
        unit = common_unit((onset, offset, self.step))
        return self.edges(int(onset * unit), int(offset * unit), int(self.step * unit))

    def edges(self, onset: AnyTicks, offset: AnyTicks, step: int) -> tuple[AnyTicks, AnyTicks]:
        """The frames `[start, end)` of one event or of many at once, all times in the same ticks."""
        if not isinstance(onset, int) and not isinstance(offset, int):
            onset, offset = roomy(onset, step), roomy(offset, step)
        start, end = self._edge(onset, step, True), self._edge(offset, step, False)
        # An event without length activates nothing, even where a projection rounds its two ends apart.
        return start, start + (end - start) * (offset > onset)

    def _edge(self, time: AnyTicks, step: int, is_start: bool) -> AnyTicks:
        """The first frame in (start) or the first frame out of an interval with an end at this time."""
        match self.projection:
            # A frame is in if its centre is: the ends are rounded alike, and so touching events share no frame.
            case Projection.CENTRE:  # ceil(time/step - 1/2)
                return ceil_div(2 * time - step, 2 * step)
            case Projection.TOUCH:
                return time // step if is_start else ceil_div(time, step)
            case Projection.INSIDE:
                return ceil_div(time, step) if is_start else time // step


# A family of clips as one long bitset: each clip on its own 64-bit words, kept apart by a gap.
#
# Segment s holds one clip of one class. Its frame i is bit `start[s] + i` of every mask. The gap after a clip is at
# least the reach of the contract, so a window never carries a bit from one clip into the next (rule 6.6).

Words = NDArray[np.uint64]
_WORD = 64
_ONE = np.uint64(1)
BLOCK_WORDS = 1 << 13
"""About how many words of a mask are worked on at a time: all masks of a contract then stay near the processor."""


@dataclass(frozen=True, slots=True)
class SegmentBlock:
    """Consecutive segments of a layout, and the words that they lie on."""

    first: int
    last: int
    first_word: int
    last_word: int

    def octets(self, mask: int) -> bytes:
        """A mask of the block as the bytes of its words."""
        return mask.to_bytes((self.last_word - self.first_word) * 8, "little")


class Layout:
    """Where the frames of every segment lie, and the ways in and out of a mask."""

    def __init__(self, frames: Sequence[int] | Indices, gap: int) -> None:
        self.frames: Indices = np.asarray(frames, dtype=np.int64)
        self.longest = int(self.frames.max(initial=1))
        # No window reaches further than the longest clip, so a clause about hours does not pad short clips with hours.
        self.gap = min(max(gap, 1), max(self.longest, 1))
        words = -(-(self.frames + self.gap) // _WORD)
        ends = np.cumsum(words)
        self._ends: Indices = ends
        self._first_word: Indices = ends - words
        self.start: Indices = self._first_word * _WORD
        self.words = int(ends[-1]) if len(ends) else 0

    @property
    def segments(self) -> int:
        """How many clips, counted once per class."""
        return len(self.frames)

    @cached_property
    def valid(self) -> int:
        """The mask of the frames that belong to a clip."""
        return self.paint_runs(np.arange(self.segments), np.zeros_like(self.frames), self.frames)

    def paint(self, runs: Mapping[int, Sequence[FrameRun]]) -> int:
        """The mask of runs given by segment; runs of one segment are disjoint and inside it."""
        columns = run_columns(runs)
        return self.paint_runs(columns.segment, columns.start, columns.end) if len(columns.segment) else 0

    def paint_runs(self, segment: Indices, start: Indices, end: Indices) -> int:
        """The mask of disjoint runs in columns: toggle both ends, then take the running parity of the bits."""
        base = self.start[segment]
        words: Words = np.zeros(self.words, dtype=np.uint64)
        for edge in (base + start, base + end):
            # An end may be the bit after the last word only if the gap were zero, which it never is.
            np.bitwise_xor.at(words, edge // _WORD, _ONE << (edge % _WORD).astype(np.uint64))
        for block in self.blocks():  # every run ends in its own segment, so no parity is carried over
            part = words[block.first_word : block.last_word]
            # The parity of all bits up to each one, by doubling (Hillis and Steele 1986): first within words, then over
            # them.
            for shift in (1, 2, 4, 8, 16, 32):
                part ^= part << np.uint64(shift)
            carry = np.bitwise_xor.accumulate(part >> np.uint64(63))
            part[1:] ^= np.uint64(0) - carry[:-1]
        return self.mask(words)

    def blocks(self) -> Iterator[SegmentBlock]:
        """The layout cut between segments into parts of at most `BLOCK_WORDS` words, or of one segment."""
        first, base = 0, 0
        while first < self.segments:
            last = max(int(np.searchsorted(self._ends, base + BLOCK_WORDS, side="right")), first + 1)
            yield SegmentBlock(first, last, base, base := int(self._ends[last - 1]))
            first = last

    def mask(self, words: Words) -> int:
        """The mask of an array of words."""
        return int.from_bytes(words.tobytes(), "little")

    def to_words(self, mask: int) -> Words:
        """The words of a mask."""
        return np.frombuffer(mask.to_bytes(self.words * 8, "little"), dtype=np.uint64)

    def counts(self, mask: int) -> Indices:
        """The number of active frames of each segment."""
        if not self.segments:
            return np.zeros(0, dtype=np.int64)
        whole = SegmentBlock(0, self.segments, 0, self.words)
        return self.block_counts(whole.octets(mask), whole)

    def block_counts(self, octets: bytes, block: SegmentBlock) -> Indices:
        """The number of active frames of each segment of a block, given the bytes of its mask."""
        ones = np.bitwise_count(np.frombuffer(octets, dtype=np.uint64)).astype(np.int64)
        return np.add.reduceat(ones, self._first_word[block.first : block.last] - block.first_word)

    def positions(self, mask: int) -> Indices:
        """The active bits, ascending."""
        # Words without a bit are most of a mask of violations; only the others are unpacked.
        words = self.to_words(mask)
        active = np.flatnonzero(words)
        bits = np.flatnonzero(np.unpackbits(words[active].view(np.uint8), bitorder="little").view(np.bool_))
        return active[bits // _WORD] * _WORD + bits % _WORD

    def locate(self, positions: Indices) -> tuple[Indices, Indices]:
        """Segment and frame of bits that are valid."""
        segment = np.searchsorted(self.start, positions, side="right") - 1
        return segment, positions - self.start[segment]

    def frames_of(self, mask: int, segment: int) -> NDArray[np.bool_]:
        """The frames of one segment, one entry each."""
        first = int(self._first_word[segment]) * _WORD
        length = int(self.frames[segment])
        part = (mask >> first) & ((1 << length) - 1)
        return unpack(part, length)

    def runs_of(self, mask: int, segment: int) -> tuple[FrameRun, ...]:
        """The runs of one segment."""
        edges = np.flatnonzero(np.diff(self.frames_of(mask, segment), prepend=False, append=False))
        return tuple(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def unpack(mask: int, frames: int) -> NDArray[np.bool_]:
    """A mask as one Boolean a frame."""
    octets = np.frombuffer(mask.to_bytes(-(-frames // 8) or 1, "little"), dtype=np.uint8)
    return np.unpackbits(octets, bitorder="little", count=frames).view(np.bool_)


def pack(frames: NDArray[np.bool_]) -> int:
    """One Boolean a frame as a mask."""
    # Bit i is frame i, hence the little end first, in bits and in bytes.
    return int.from_bytes(np.packbits(frames, bitorder="little").tobytes(), "little")


# A trace family: clips × classes with the runs of both sides, and the masks of its atoms.

Runs = Mapping[int, tuple[FrameRun, ...]]


UNION_CLASS = "*"


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
        # Or-ing from both ends takes two passes; leaving out one class at a time would take as many as there are
        # classes.
        words = self._layout.to_words(active).reshape(len(self._family.classes), -1)
        before, after = np.zeros_like(words), np.zeros_like(words)
        if len(words) > 1:
            before[1:] = np.bitwise_or.accumulate(words, axis=0)[:-1]
            after[:-1] = np.bitwise_or.accumulate(words[::-1], axis=0)[::-1][1:]
        return self._layout.mask(before | after)


class BlockAtoms(dict[str, int]):
    """The masks of atoms over a block of a layout: cut out of those of the whole, or made of what is cut out."""

    def __init__(self, whole: "AtomWords", block: SegmentBlock) -> None:
        super().__init__()
        self._whole, self._block = whole, block

    def __missing__(self, name: str) -> int:
        # Edges are made of the block's own active frames: cut from the whole they would need four more masks of it.
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
