"""Counts of clips in few bytes: what draws of clips need of a batch, side by side with that of other batches."""

import zlib
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.records import Record

_WHOLE = ("uint8", "uint16", "uint32", "int64")
_KINDS = (*_WHOLE, "float64")
_LEVEL = 1
"""Counts are mostly small and often alike: the least effort makes them small enough."""


class Packed(Record, frozen=True):
    """An array of numbers: the kind of number, its shape, and its bytes, compressed."""

    kind: str
    shape: tuple[int, ...]
    data: bytes

    @classmethod
    def of(cls, array: NDArray[Any]) -> "Packed":
        """An array of whole numbers in the shortest that hold them; Python's own, which may be longer, as floats."""
        kind = "float64" if array.dtype.kind in "fO" else _shortest(array)
        data = np.ascontiguousarray(array, dtype=np.dtype(kind).newbyteorder("<")).tobytes()
        return cls(kind, array.shape, zlib.compress(data, _LEVEL))

    @property
    def array(self) -> NDArray[Any]:
        """The array: int64 or float64; ValueError if the bytes are not those of such an array."""
        if self.kind not in _KINDS or min(self.shape, default=0) < 0:
            raise ValueError(f"there are no arrays of {self.kind} and of the shape {self.shape}")
        kind = np.dtype(self.kind).newbyteorder("<")
        size = prod(self.shape) * kind.itemsize
        try:
            data = zlib.decompressobj().decompress(self.data, size + 1)
        except zlib.error as error:
            raise ValueError("the bytes of an array are damaged") from error
        if len(data) != size:
            raise ValueError("the bytes of an array are not as many as its shape says")
        found = np.frombuffer(data, dtype=kind).reshape(self.shape)
        return found.astype(np.float64 if self.kind == "float64" else np.int64)


def _shortest(array: NDArray[Any]) -> str:
    if array.size and int(array.min()) < 0:
        return _WHOLE[-1]
    most = int(array.max()) if array.size else 0
    return next(kind for kind in _WHOLE if most <= np.iinfo(kind).max)


class ClipColumns(Record, frozen=True):
    """Arrays of some clips by name; `places` are the numbers of the clips in the whole."""

    places: Packed
    columns: dict[str, Packed]

    @classmethod
    def of(cls, places: NDArray[np.int64], columns: Mapping[str, NDArray[Any]]) -> "ClipColumns":
        """The arrays of clips with these numbers."""
        return cls(Packed.of(places), {name: Packed.of(array) for name, array in columns.items()})

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name].array

    def __contains__(self, name: object) -> bool:
        return name in self.columns


class ClipParts(Record, frozen=True):
    """What draws need of the clips of some batches, each with the number of its first clip, ascending."""

    parts: tuple[tuple[int, ClipColumns], ...]

    @classmethod
    def of(cls, places: NDArray[np.int64], columns: Mapping[str, NDArray[Any]]) -> "ClipParts":
        """What draws need of one batch."""
        first = int(places.min()) if len(places) else -1
        return cls(((first, ClipColumns.of(places, columns)),))

    def __add__(self, other: "ClipParts") -> "ClipParts":
        return ClipParts(tuple(sorted((*self.parts, *other.parts), key=lambda part: part[0])))
