"""Reads the arrays of an `.npz` file that may be anybody's: nothing in it is run, and what it unpacks to is bounded."""

import struct
import zlib
from io import BytesIO
from tokenize import TokenError
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

_OF_THE_ARCHIVE = OSError, ValueError, EOFError, BadZipFile, NotImplementedError, RuntimeError, zlib.error, struct.error
_OF_THE_HEADERS = SyntaxError, TokenError, TypeError, KeyError, OverflowError
"""What NumPy lets through when the text that describes an array is damaged."""


class BadArraysError(ValueError):
    """A file does not hold arrays; the text says why."""


def read_arrays(data: bytes, most: int) -> dict[str, NDArray[Any]]:
    """The arrays of an `.npz` file by name; BadArraysError if it is damaged or unpacks to more than `most` octets."""
    try:
        with ZipFile(BytesIO(data)) as held:
            if sum(part.file_size for part in held.infolist()) > most:
                raise BadArraysError(f"it holds more than {most >> 30} GiB")
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (*_OF_THE_ARCHIVE, *_OF_THE_HEADERS) as error:
        raise BadArraysError(" ".join(str(error).split())) from error
    except MemoryError as error:
        raise BadArraysError("an array in it is larger than the memory") from error
