"""A family of clips as one long bitset: each clip on its own 64-bit words, kept apart by a gap.

Segment s holds one clip of one class. Its frame i is bit `start[s] + i` of every mask. The gap after a clip is at least
the reach of the contract, so a window never carries a bit from one clip into the next (rule 6.6).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tracepact.core.runs import FrameRun
from tracepact.trace.run_columns import run_columns

Words = NDArray[np.uint64]
Indices = NDArray[np.int64]
_WORD = 64
_ONE = np.uint64(1)
BLOCK_WORDS = 1 << 13
"""About how many words of a mask are worked on at a time: all masks of a contract then stay near the processor."""


@dataclass(frozen=True, slots=True)
class Block:
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
            for shift in (1, 2, 4, 8, 16, 32):
                part ^= part << np.uint64(shift)
            carry = np.bitwise_xor.accumulate(part >> np.uint64(63))
            part[1:] ^= np.uint64(0) - carry[:-1]
        return self.mask(words)

    def blocks(self) -> Iterator[Block]:
        """The layout cut between segments into parts of at most so many words, or of one segment."""
        first, base = 0, 0
        while first < self.segments:
            last = max(int(np.searchsorted(self._ends, base + BLOCK_WORDS, side="right")), first + 1)
            yield Block(first, last, base, base := int(self._ends[last - 1]))
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
        whole = Block(0, self.segments, 0, self.words)
        return self.block_counts(whole.octets(mask), whole)

    def block_counts(self, octets: bytes, block: Block) -> Indices:
        """The number of active frames of each segment of a block, given the bytes of its mask."""
        ones = np.bitwise_count(np.frombuffer(octets, dtype=np.uint64)).astype(np.int64)
        return np.add.reduceat(ones, self._first_word[block.first : block.last] - block.first_word)

    def positions(self, mask: int) -> Indices:
        """The active bits, ascending."""
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
    return int.from_bytes(np.packbits(frames, bitorder="little").tobytes(), "little")
