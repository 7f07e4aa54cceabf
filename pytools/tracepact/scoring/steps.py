"""Step functions over an interval of rational numbers, exact at every point and between."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

Place = tuple[Fraction, int]
"""Where a piece starts: `(b, 0)` at b, b included; `(b, 1)` just after b."""

Counts = tuple[int, int]
"""Satisfied and obligated."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch on which a step function keeps its value, with the counts behind it where there are some."""

    low: Fraction
    low_included: bool
    high: Fraction
    high_included: bool
    value: Fraction
    counts: Counts | None


@dataclass(frozen=True, slots=True)
class StepFunction:
    """Values by the places from which they hold, ascending from the lowest argument up to `high`, included."""

    high: Fraction
    starts: tuple[Place, ...]
    values: tuple[Fraction, ...]
    counts: tuple[Counts, ...] | None = None

    def at(self, argument: Fraction) -> Fraction:
        """The value at an argument of the range."""
        index = bisect_right(self.starts, (argument, 0)) - 1
        if index < 0 or argument > self.high:
            raise ValueError(f"{argument} is not between {self.starts[0][0]} and {self.high}")
        return self.values[index]

    @property
    def low(self) -> Fraction:
        """The lowest argument."""
        return self.starts[0][0]

    @property
    def integral(self) -> Fraction:
        """The area under it."""
        ends = [*(start for start, _ in self.starts[1:]), self.high]
        widths = (end - start for (start, _), end in zip(self.starts, ends, strict=True))
        return sum((width * value for width, value in zip(widths, self.values, strict=True)), Fraction(0))

    @property
    def mean(self) -> Fraction:
        """The integral over the length of the range."""
        return self.integral / (self.high - self.low)

    @property
    def span(self) -> Fraction:
        """The greatest value minus the least."""
        return max(self.values) - min(self.values)

    def pieces(self) -> list[Piece]:
        """The stretches, ascending and without gaps."""
        following: Sequence[Place] = [*self.starts[1:], (self.high, 1)]
        counts = self.counts or [None] * len(self.starts)
        return [
            Piece(low, not after, high, bool(ended), value, count)
            for (low, after), (high, ended), value, count in zip(
                self.starts, following, self.values, counts, strict=True
            )
        ]


def step_function(high: Fraction, found: Iterable[tuple[Place, Fraction, Counts]]) -> StepFunction:
    """A step function from places with values and counts, ascending; the last at a place counts.

    Neighbours that are alike become one piece.
    """
    last = {place: (place, value, counts) for place, value, counts in found if place <= (high, 0)}
    inside = [next(group) for _, group in groupby(last.values(), key=lambda item: item[1:])]
    return StepFunction(
        high,
        tuple(place for place, _, _ in inside),
        tuple(value for _, value, _ in inside),
        tuple(counts for _, _, counts in inside),
    )


def mean_of(functions: Sequence[StepFunction]) -> StepFunction:
    """The mean of step functions over one range."""
    starts = sorted({start for function in functions for start in function.starts})
    sums = [Fraction(0)] * len(starts)
    for function in functions:
        for index, start in enumerate(starts):
            sums[index] += function.values[bisect_right(function.starts, start) - 1]
    found = [(start, total / len(functions), (0, 0)) for start, total in zip(starts, sums, strict=True)]
    joined = step_function(functions[0].high, found)
    return StepFunction(joined.high, joined.starts, joined.values)
