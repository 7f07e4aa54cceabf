"""Arrays of an `.npz` file of anybody: whole, or refused with BadArraysError, whatever was done to the file."""

from io import BytesIO
from random import Random

import numpy as np
import pytest

from tracepact.data.sources import BadArraysError, read_arrays

HELD = {"a": np.arange(4000) % 7, "b": np.frombuffer(Random(2).randbytes(3000), dtype=np.uint8)}


def packed() -> bytes:
    """The file of the arrays."""
    held = BytesIO()
    np.savez_compressed(held, **HELD)
    return held.getvalue()


def test_arrays_come_back_as_they_were() -> None:
    found = read_arrays(packed(), 1 << 20)
    assert {name: array.tolist() for name, array in found.items()} == {n: a.tolist() for n, a in HELD.items()}


def test_any_damage_is_refused_or_changes_nothing_that_is_read() -> None:
    """Checksums of the members catch what the compression does not."""
    random, data = Random(5), packed()
    refused = 0
    for _ in range(300):
        damaged = bytearray(data)
        for _ in range(random.randint(1, 3)):
            damaged[random.randrange(len(data))] = random.randrange(256)
        try:
            found = read_arrays(bytes(damaged), 1 << 20)
        except BadArraysError:
            refused += 1
        else:
            assert all(found[name].tolist() == HELD[name].tolist() for name in set(found) & set(HELD))
    assert refused > 200


def test_what_would_unpack_to_too_much_is_refused() -> None:
    with pytest.raises(BadArraysError, match="more than"):
        read_arrays(packed(), 1 << 10)


def test_a_pickle_is_not_read() -> None:
    held = BytesIO()
    np.savez(held, a=np.array([{"run": "me"}], dtype=object))
    with pytest.raises(BadArraysError):
        read_arrays(held.getvalue(), 1 << 20)
