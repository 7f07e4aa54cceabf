"""Windows over an abstract bit algebra: one home for the doubling algorithms of every fast engine.

Bit i of a mask is frame i, so `later` moves truth to later frames and `earlier` to earlier ones. Every mask is a subset
of `valid`. In a family the clips are kept apart by frames that are not valid, at least as many as the longest window
reaches or as the longest clip has: offsets beyond the longest clip lie outside every clip and are cut off first.
"""

from typing import Protocol, TypeVar

Mask = TypeVar("Mask")


class BitAlgebra(Protocol[Mask]):
    """What an engine must be able to do with its masks."""

    @property
    def longest(self) -> int:
        """The number of frames of the longest clip."""

    @property
    def valid(self) -> Mask:
        """The mask of the frames that exist."""

    @property
    def none(self) -> Mask:
        """The mask of no frame."""

    def conjunction(self, a: Mask, b: Mask, /) -> Mask:
        """Frames of both."""

    def disjunction(self, a: Mask, b: Mask, /) -> Mask:
        """Frames of either."""

    def difference(self, a: Mask, b: Mask, /) -> Mask:
        """Frames of exactly one."""

    def later(self, a: Mask, k: int, /) -> Mask:
        """Move every frame k later."""

    def earlier(self, a: Mask, k: int, /) -> Mask:
        """Move every frame k earlier; those before the first are lost."""


class IntegerAlgebra:
    """Masks as Python integers."""

    def __init__(self, valid: int, longest: int) -> None:
        self.valid = valid
        self.longest = longest
        self.none = 0

    def conjunction(self, a: int, b: int, /) -> int:
        """Frames of both."""
        return a & b

    def disjunction(self, a: int, b: int, /) -> int:
        """Frames of either."""
        return a | b

    def difference(self, a: int, b: int, /) -> int:
        """Frames of exactly one."""
        return a ^ b

    def later(self, a: int, k: int, /) -> int:
        """Move every frame k later."""
        return a << k

    def earlier(self, a: int, k: int, /) -> int:
        """Move every frame k earlier; those before the first are lost."""
        return a >> k


def complement(algebra: BitAlgebra[Mask], a: Mask) -> Mask:
    """The valid frames not in the mask."""
    return algebra.difference(algebra.valid, a)


def eventually(algebra: BitAlgebra[Mask], lo: int, hi: int, a: Mask) -> Mask:
    """The frames that see the mask at some offset from lo to hi."""
    lo, hi = max(lo, -algebra.longest), min(hi, algebra.longest)
    if lo > hi:
        return algebra.none
    done, width = 1, hi - lo + 1
    while done < width:
        step = min(done, width - done)
        a = algebra.disjunction(a, algebra.later(a, step))
        done += step
    moved = algebra.earlier(a, hi) if hi > 0 else algebra.later(a, -hi) if hi < 0 else a
    return algebra.conjunction(moved, algebra.valid)


def always(algebra: BitAlgebra[Mask], lo: int, hi: int, a: Mask) -> Mask:
    """The frames that see nothing but the mask at offsets from lo to hi."""
    return complement(algebra, eventually(algebra, lo, hi, complement(algebra, a)))


def until(algebra: BitAlgebra[Mask], radius: int, left: Mask, right: Mask) -> Mask:
    """The frames from which `right` is at most `radius` ahead and `left` holds all the way to it."""
    done, width = 1, min(radius, algebra.longest) + 1
    while done < width:
        step = min(done, width - done)
        right = algebra.disjunction(right, algebra.conjunction(left, algebra.earlier(right, step)))
        left = algebra.conjunction(left, algebra.earlier(left, step))
        done += step
    return right


def since(algebra: BitAlgebra[Mask], radius: int, left: Mask, right: Mask) -> Mask:
    """The mirror image of `until`."""
    done, width = 1, min(radius, algebra.longest) + 1
    while done < width:
        step = min(done, width - done)
        right = algebra.disjunction(right, algebra.conjunction(left, algebra.later(right, step)))
        left = algebra.conjunction(left, algebra.later(left, step))
        done += step
    return right
