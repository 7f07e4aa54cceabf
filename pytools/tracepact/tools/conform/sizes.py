"""Sizes that programs get wrong, and the steering of random cases towards those that were seen least."""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

Cell = tuple[str, int]
"""A dimension of a case and the power of two that its size is near."""


def near(rng: Random, power: int, most: int) -> int:
    """A size at, just below, just above or a little beyond a power of two, at most `most`."""
    base = 1 << power
    size = rng.choice((base - 1, base, base, base + 1, base + 1, base + rng.randrange(1, base + 1)))
    return max(1, min(size, most))


def powers(most: int) -> range:
    """The powers of two up to a size."""
    return range(most.bit_length() if most & (most - 1) == 0 else most.bit_length() - 1 + 1)


class Guide:
    """Which sizes of an experiment were drawn how often; the next one is one of those that were drawn least.

    Where the implementation tells of itself (its branches), a size that showed something new is drawn again.
    """

    def __init__(self, dimensions: Mapping[str, int], rng: Random) -> None:
        self._most = dict(dimensions)
        self._rng = rng
        self._seen: Counter[Cell] = Counter({(d, k): 0 for d, most in dimensions.items() for k in powers(most)})
        self._last: Cell | None = None

    def next(self) -> tuple[str, int]:
        """The dimension and the size of the next case."""
        least = min(self._seen.values())
        cell = self._rng.choice([cell for cell, times in self._seen.items() if times == least])
        self._seen[cell] += 1
        self._last = cell
        dimension, power = cell
        return dimension, near(self._rng, power, self._most[dimension])

    def welcome(self) -> None:
        """The last case showed something new: its size comes once more."""
        if self._last is not None:
            self._seen[self._last] -= 1

    @property
    def seen(self) -> dict[Cell, int]:
        """How often each size was drawn."""
        return dict(self._seen)


def spread(rng: Random, total: int, parts: int) -> list[int]:
    """So many sizes of at least one that add up to a total."""
    cuts = sorted(rng.sample(range(1, total), min(parts, total) - 1)) if total > 1 else []
    return [b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True)]


def boundary_places(rng: Random, frames: int, near_to: Sequence[int]) -> int:
    """A frame of a trace: often its first or last, at a multiple of 8, 64 or 2^16, or near to a given one."""
    choices = [0, frames - 1, rng.randrange(frames), rng.randrange(frames)]
    choices += [at + d for at in near_to for d in (-1, 0, 1)]
    for word in (8, 16, 32, 64, 256, 1 << 16):
        if word < frames:
            choices.append(word * rng.randrange(1, (frames - 1) // word + 1) + rng.choice((-1, 0)))
    return min(max(rng.choice(choices), 0), frames - 1)
