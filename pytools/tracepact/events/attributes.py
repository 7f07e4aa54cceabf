"""The attributes of an obligated interval (chapter 4): times in frames, ratios as exact fractions."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import total_ordering
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from tracepact.core import Attribute, Owner
from tracepact.core.runs import FrameRun

_start = itemgetter(0)
_end = itemgetter(1)


@total_ordering
class Unbounded:
    """The shortest gap where there is none: greater than every time, equal only to itself (rule 4.9)."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unbounded)

    def __lt__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return hash(Unbounded)

    def __repr__(self) -> str:
        return "UNBOUNDED"


UNBOUNDED = Unbounded()

Exact = int | Fraction
Value = Exact | Unbounded


class Block(tuple[int, int]):
    """Consecutive runs of one side as one, from the first frame to the last: what attributes need of them.

    It stands for its runs where an interval holds them all. `frames` are those of the runs, `longest` and `shortest`
    the gaps between them.
    """

    runs: int
    frames: int
    longest: int
    shortest: int

    @classmethod
    def of(cls, start: int, end: int, runs: int, frames: int, longest: int, shortest: int) -> "Block":
        """A block of at least two runs."""
        made = cls((start, end))
        made.runs, made.frames, made.longest, made.shortest = runs, frames, longest, shortest
        return made

    @classmethod
    def joining(cls, earlier: FrameRun, later: FrameRun) -> "Block":
        """Two runs or blocks, one after the other, as one block."""
        both = earlier, later
        between = [later[0] - earlier[1]]
        between += (gap for block in both if isinstance(block, Block) for gap in (block.longest, block.shortest))
        runs, frames = (sum(measure(run) for run in both) for measure in (_runs_in, _frames_in))
        return cls.of(earlier[0], later[1], runs, frames, max(between), min(between))

    @property
    def numbers(self) -> tuple[int, int, int, int, int, int]:
        """All that `of` takes."""
        return *self, self.runs, self.frames, self.longest, self.shortest


def _runs_in(run: FrameRun) -> int:
    return run.runs if isinstance(run, Block) else 1


def _frames_in(run: FrameRun) -> int:
    return run.frames if isinstance(run, Block) else run[1] - run[0]


class Scene(NamedTuple):
    """The joined runs of one clip and class, and the references of the other classes in that clip."""

    refs: tuple[FrameRun, ...]
    preds: tuple[FrameRun, ...]
    refs_of_other_classes: tuple[tuple[FrameRun, ...], ...] = ()


class Obligation(NamedTuple):
    """An obligated interval and its partner, by side; the one that is missing is None."""

    ref: FrameRun | None
    pred: FrameRun | None
    scene: Scene


def value_of(attribute: Attribute) -> Callable[[Obligation], Value]:
    """The value of an attribute that is not a truth value; its owner is there."""
    match attribute.owner:
        case Owner.PAIR:
            of_pair = _OF_PAIR[attribute.name]
            return lambda o: of_pair(_there(o.ref), _there(o.pred))
        case Owner.REF:
            of_ref = _OF_INTERVAL[attribute.name]
            return lambda o: of_ref(_there(o.ref), o.scene.preds)
        case Owner.PRED:
            of_pred = _OF_INTERVAL[attribute.name]
            return lambda o: of_pred(_there(o.pred), o.scene.refs)


def truth_of(attribute: Attribute) -> Callable[[Obligation], bool]:
    """A truth-valued attribute; false when its owner is missing (rule 4.12)."""
    return _TRUTHS[attribute.name]


def _there(run: FrameRun | None) -> FrameRun:
    assert run is not None
    return run


def onset(run: FrameRun, _: Sequence[FrameRun] = ()) -> int:
    """The first frame (rule 4.5)."""
    return run[0]


def offset(run: FrameRun, _: Sequence[FrameRun] = ()) -> int:
    """The frame after the last (rule 4.5)."""
    return run[1]


def duration(run: FrameRun, _: Sequence[FrameRun] = ()) -> int:
    """The number of frames (rule 4.5)."""
    return run[1] - run[0]


def overlap(a: FrameRun, b: FrameRun) -> int:
    """The number of frames in both (rule 4.7)."""
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))


def iou(a: FrameRun, b: FrameRun) -> Fraction:
    """The frames in both over the frames in either (rule 4.7)."""
    shared = overlap(a, b)
    return Fraction(shared, duration(a) + duration(b) - shared)


def overlapping(run: FrameRun, others: Sequence[FrameRun]) -> Sequence[FrameRun]:
    """Those of the other runs, sorted and disjoint, that share a frame with this one."""
    return others[bisect_right(others, run[0], key=_end) : bisect_left(others, run[1], key=_start)]


def covering(run: FrameRun, others: Sequence[FrameRun]) -> int:
    """How many of the other runs share a frame with this one (rule 4.8)."""
    return sum(map(_runs_in, overlapping(run, others)))


def covered(run: FrameRun, others: Sequence[FrameRun]) -> int:
    """How many frames of this run the other runs cover."""
    found = overlapping(run, others)
    return sum(other.frames if isinstance(other, Block) else overlap(run, other) for other in found)


def coverage(run: FrameRun, others: Sequence[FrameRun]) -> Fraction:
    """The share of this run that the other runs cover (rule 4.8)."""
    return Fraction(covered(run, others), duration(run))


def gaps(ref: FrameRun, preds: Sequence[FrameRun]) -> list[int]:
    """The silences between consecutive predicted runs that both overlap the reference (rule 4.9).

    Of those inside a block, the longest and the shortest.
    """
    inside = overlapping(ref, preds)
    found = [later[0] - earlier[1] for earlier, later in pairwise(inside)]
    for block in inside:
        if isinstance(block, Block):
            found += [block.longest, block.shortest]
    return found


def longest_gap(ref: FrameRun, preds: Sequence[FrameRun]) -> int:
    """The longest gap; 0 without one."""
    return max(gaps(ref, preds), default=0)


def shortest_gap(ref: FrameRun, preds: Sequence[FrameRun]) -> int | Unbounded:
    """The shortest gap; unbounded without one."""
    found = gaps(ref, preds)
    return min(found) if found else UNBOUNDED


def purity(pred: FrameRun, refs: Sequence[FrameRun]) -> Fraction:
    """The share of a predicted run that references of its own class cover (rule 4.10)."""
    return coverage(pred, refs)


def matched(obligation: Obligation) -> bool:
    """Whether there is a partner (rule 4.6)."""
    return obligation.ref is not None and obligation.pred is not None


def dominant(pred: FrameRun, refs: Sequence[FrameRun], refs_of_other_classes: Sequence[Sequence[FrameRun]]) -> bool:
    """Whether its own class covers more of a predicted run than each other class does (rule 4.10)."""
    own = covered(pred, refs)
    return own > 0 and all(own > covered(pred, others) for others in refs_of_other_classes)


_OF_INTERVAL: Mapping[str, Callable[[FrameRun, Sequence[FrameRun]], Value]] = {
    "onset": onset,
    "offset": offset,
    "duration": duration,
    "covering": covering,
    "coverage": coverage,
    "longest_gap": longest_gap,
    "shortest_gap": shortest_gap,
    "purity": purity,
}
"""Attributes of an interval, given the runs of the other side."""

_OF_PAIR: Mapping[str, Callable[[FrameRun, FrameRun], Exact]] = {"overlap": overlap, "iou": iou}
_TRUTHS: Mapping[str, Callable[[Obligation], bool]] = {
    "matched": matched,
    "dominant": lambda o: o.pred is not None and dominant(o.pred, o.scene.refs, o.scene.refs_of_other_classes),
}
