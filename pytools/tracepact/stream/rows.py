"""Many short masks as rows of 64-bit words: bit b of word w of a row is its place 64 · w + b.

A mask is an array words × rows; words come first, so that every operation runs over all rows at once.
"""

import numpy as np
from numpy.typing import NDArray

from tracepact.trace.layout import Indices, Words, pack, unpack

WORD = 64
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_OCTETS = 8


def later(a: Words, k: int) -> Words:
    """Move every row by k places up; what leaves the last word is lost."""
    whole, bits = divmod(k, WORD)
    if len(a) == 1 and not whole:
        return a << np.uint64(bits)
    found: Words = np.zeros(a.shape, dtype=np.uint64)
    if whole < len(a):
        found[whole:] = a[: len(a) - whole] << np.uint64(bits)
        if bits:
            found[whole + 1 :] |= a[: len(a) - whole - 1] >> np.uint64(WORD - bits)
    return found


def earlier(a: Words, k: int) -> Words:
    """Move every row by k places down; what leaves the first word is lost."""
    whole, bits = divmod(k, WORD)
    if len(a) == 1 and not whole:
        return a >> np.uint64(bits)
    found: Words = np.zeros(a.shape, dtype=np.uint64)
    if whole < len(a):
        found[: len(a) - whole] = a[whole:] >> np.uint64(bits)
        if bits:
            found[: len(a) - whole - 1] |= a[whole + 1 :] << np.uint64(WORD - bits)
    return found


def earlier_by(a: Words, places: Indices) -> Words:
    """Move each row down by its own number of places."""
    if _is_one(places):
        return earlier(a, int(places[0]))
    whole, bits = np.divmod(places, WORD)
    padded = np.concatenate((a, np.zeros((int(whole.max(initial=0)) + 1, a.shape[1]), dtype=np.uint64)))
    rows, words = np.arange(a.shape[1]), np.arange(len(a))[:, None] + whole
    low, high = padded[words, rows] >> bits.astype(np.uint64), padded[words + 1, rows]
    up = ((WORD - bits) % WORD).astype(np.uint64)
    return low | np.where(bits > 0, high << up, np.uint64(0))


def between(words: int, start: Indices, end: Indices) -> Words:
    """The places from `start` up to `end` of each row."""
    first = np.arange(words)[:, None] * WORD
    if _is_one(start) and _is_one(end):  # as for streams that advance together
        return np.broadcast_to(_below(end[:1] - first) & ~_below(start[:1] - first), (words, len(start)))
    return _below(end - first) & ~_below(start - first)


def _is_one(places: Indices) -> bool:
    """Whether all rows have the same number."""
    return len(places) > 0 and bool((places == places[0]).all())


def _below(places: Indices) -> Words:
    """The lowest places of a word; all from 64 on, none from 0 down."""
    inside = np.clip(places, 0, WORD - 1).astype(np.uint64)
    return np.where(places >= WORD, _ALL, (np.uint64(1) << inside) - np.uint64(1))


def packed(frames: NDArray[np.bool_], words: int) -> Words:
    """One truth value a frame, frames × rows, as rows whose place 0 is the first frame."""
    octets = np.packbits(frames, axis=0, bitorder="little")
    found: Words = np.zeros((words, frames.shape[1]), dtype=np.uint64)
    for number, row in enumerate(octets):
        word, place = divmod(number, _OCTETS)
        found[word] |= row.astype(np.uint64) << np.uint64(8 * place)
    return found


def unpacked(a: Words, frames: int) -> NDArray[np.bool_]:
    """The first places of every row as truth values, frames × rows."""
    octets = np.ascontiguousarray(a.T).view(np.uint8).reshape(a.shape[1], -1)
    return np.unpackbits(octets, axis=1, count=frames, bitorder="little").T.view(np.bool_)


def interleaved(a: Words) -> int:
    """A few rows as one integer: place p of row r is bit `p · rows + r`."""
    if a.shape[1] == 1:
        return int.from_bytes(np.ascontiguousarray(a[:, 0], dtype="<u8").tobytes(), "little")
    return pack(unpacked(a, len(a) * WORD).reshape(-1))


def apart(mask: int, words: int, count: int) -> Words:
    """The rows of one integer, as `interleaved` makes it."""
    return packed(unpack(mask, words * WORD * count).reshape(words * WORD, count), words)


def counts(a: Words) -> Indices:
    """The active places of every row."""
    found: Indices = np.bitwise_count(a).sum(axis=0, dtype=np.int64)
    return found
