"""Hidden sequences: where each vector lies in time, aligned to the grid and projected to a common size."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

import numpy as np
import numpy.typing as npt
from scipy.signal import resample_poly

from tracelab.features import FloatArray
from tracelab.randomness import generator
from tracelab.sound import Signal

SIZE = 64
_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
    """Vectors × dimensions; the centre of the first vector and the time to each next, in seconds."""

    values: FloatArray
    first: Fraction
    hop: Fraction


def aligned(hidden: Hidden, frames: int, step: Fraction) -> FloatArray:
    """A vector for each frame of the grid: the mean of those whose centres lie in it, else the nearest one.

    A frame holds its start and not its end. Of two vectors that are equally near, the earlier is taken.
    """
    count = len(hidden.values)
    if not count:
        raise ValueError("a hidden sequence without vectors")
    edges = _first_at_or_after(hidden, [frame * step for frame in range(frames + 1)])
    centres = [(frame + _HALF) * step - hidden.hop / 2 for frame in range(frames)]
    nearest = np.clip(_first_at_or_after(hidden, centres), 0, count - 1)
    low, high = np.clip(edges[:-1], 0, count), np.clip(edges[1:], 0, count)
    rows = [
        hidden.values[a:b].mean(axis=0) if a < b else hidden.values[near]
        for a, b, near in zip(low, high, nearest, strict=True)
    ]
    found: FloatArray = np.stack(rows)
    return found


def _first_at_or_after(hidden: Hidden, times: Iterable[Fraction]) -> npt.NDArray[np.int64]:
    """For each time the number of the first vector whose centre is not before it; exact."""
    return np.array([-((hidden.first - time) // hidden.hop) for time in times], dtype=np.int64)


def projection(dims: int, seed: int) -> FloatArray:
    """The Gaussian map from `dims` dimensions to the common size; it depends on the seed and on `dims` alone."""
    drawn = generator(seed, "projection", dims).standard_normal((dims, SIZE)) / np.sqrt(dims)
    scaled: FloatArray = drawn.astype(np.float32)
    return scaled


def layer_centres(layers: Iterable[tuple[int, int]], rate: int) -> tuple[Fraction, Fraction]:
    """The first centre and the hop after windows or convolutions of these lengths and strides, unpadded."""
    first, jump = Fraction(1, 2), 1
    for length, stride in layers:
        first += Fraction(length - 1, 2) * jump
        jump *= stride
    return first / rate, Fraction(jump, rate)


def resampled(samples: Signal, rate: int, wanted: int) -> FloatArray:
    """The samples at another rate."""
    if rate == wanted:
        return np.asarray(samples, dtype=np.float32)
    common = gcd(rate, wanted)
    return np.asarray(resample_poly(samples, wanted // common, rate // common), dtype=np.float32)
