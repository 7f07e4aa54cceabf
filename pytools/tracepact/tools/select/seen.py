"""What is seen of candidates on cases, in whole numbers: values, and what they rest on (14.9, 14.10)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[Any]
"""Whole numbers: of a machine's size where they fit, else Python's own."""
_FITS = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Candidates on cases, which are the last axis; what is seen of one candidate has no other.

    A value is `tops` / `bottoms`, in lowest terms. `vacuous` and `counter` count the classes of a case that score 1, or
    0, for want of obligations (7.3, 7.4); `classes` are how many classes each case has.
    """

    tops: Counts
    bottoms: Counts
    vacuous: Counts
    counter: Counts
    classes: Counts

    def __len__(self) -> int:
        return len(self.tops)

    def __iter__(self) -> Iterator["Seen"]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: int) -> "Seen":
        """One of several candidates."""
        return Seen(self.tops[place], self.bottoms[place], self.vacuous[place], self.counter[place], self.classes)

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The values of one candidate."""
        return _fractions(self.tops, self.bottoms)

    @property
    def vacuous_shares(self) -> tuple[Fraction, ...]:
        """Of one candidate the share of the classes of each case that is vacuous."""
        return _fractions(self.vacuous, self.classes)

    @property
    def counter_shares(self) -> tuple[Fraction, ...]:
        """Of one candidate the share of the classes of each case that scores 0 for want of obligations."""
        return _fractions(self.counter, self.classes)

    @property
    def key(self) -> bytes:
        """The same for two candidates if and only if the same is seen of them on the same cases."""
        parts = [part.tolist() if part.dtype == object else part for part in (self.tops, self.bottoms)]
        if any(isinstance(part, list) for part in parts):  # it is the numbers that count, not how they are kept
            parts = [repr([int(number) for number in part]).encode() for part in parts]
        wants = (self.vacuous.astype(np.int64), self.counter.astype(np.int64))
        return b"|".join(part if isinstance(part, bytes) else part.tobytes() for part in (*parts, *wants))

    def on(self, cases: Sequence[int]) -> "Seen":
        """The same candidates on some of the cases."""
        kept = list(cases)
        return Seen(
            self.tops[..., kept],
            self.bottoms[..., kept],
            self.vacuous[..., kept],
            self.counter[..., kept],
            self.classes[kept],
        )

    def is_constant(self) -> bool:
        """Whether one candidate has one value on all cases."""
        return bool((self.tops == self.tops[:1]).all() and (self.bottoms == self.bottoms[:1]).all())

    @classmethod
    def stacked(cls, several: Sequence["Seen"]) -> "Seen":
        """Candidates that were seen on the same cases, one or more."""

        def table(name: str) -> Counts:
            return np.stack([getattr(one, name) for one in several])

        return cls(table("tops"), table("bottoms"), table("vacuous"), table("counter"), several[0].classes)


def _fractions(tops: Counts, bottoms: Counts) -> tuple[Fraction, ...]:
    return tuple(Fraction(top, bottom) for top, bottom in zip(tops.tolist(), bottoms.tolist(), strict=True))


def lowest(tops: Counts, bottoms: Counts) -> tuple[Counts, Counts]:
    """Fractions in lowest terms."""
    divisor = np.gcd(tops, bottoms)
    return tops // divisor, bottoms // divisor


def products_fit(*factors: Counts | int) -> bool:
    """Whether the products of members of some arrays of the machine's numbers are of its size."""
    most = 1
    for factor in factors:
        if isinstance(factor, np.ndarray) and factor.dtype == object:
            return False
        most *= int(np.max(factor, initial=1)) if isinstance(factor, np.ndarray) else factor
    return most < _FITS


def means(tops: Counts, bottoms: Counts, classes: Counts) -> tuple[Counts, Counts]:
    """By case the mean over its classes, which are entries one after the other, in lowest terms."""
    if (classes == 1).all():
        return lowest(tops, bottoms)
    first = np.cumsum(classes) - classes
    found = lowest(tops[:, first].astype(np.int64), bottoms[:, first].astype(np.int64))
    for number in range(1, int(classes.max())):
        more = np.flatnonzero(classes > number)
        top, bottom = found
        if not products_fit(bottom, bottoms, 2 * int(classes.max())):
            top, bottom = top.astype(object), bottom.astype(object)
        other, below = (
            tops[:, first[more] + number].astype(top.dtype),
            bottoms[:, first[more] + number].astype(top.dtype),
        )
        added = lowest(top[:, more] * below + other * bottom[:, more], bottom[:, more] * below)
        top[:, more], bottom[:, more] = added
        found = top, bottom
    top, bottom = found
    parts = classes if products_fit(bottom, classes) else classes.astype(object)
    return lowest(top, bottom * parts)
