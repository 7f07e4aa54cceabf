"""Cases on which matchers may differ: the built-in stress track, and bridges between given references."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product

from tracepact.trace import Family, FrameRun, Mode, Side

STRESS_STEP = Fraction(1, 50)
"""The stress track's frames are 20 ms, whatever the contract's step."""


@dataclass(frozen=True, slots=True)
class MatcherCase:
    """The runs of both sides of one clip."""

    name: str
    frames: int
    refs: tuple[FrameRun, ...]
    preds: tuple[FrameRun, ...]


KNOWN_CASES: tuple[MatcherCase, ...] = (
    MatcherCase("separated", 100, ((10, 30), (50, 80)), ((12, 31), (49, 78))),
    # The first prediction is cheapest on the second reference; that leaves nothing for the other two.
    MatcherCase("bridge", 100, ((10, 20), (25, 75)), ((15, 65), (70, 80))),
    MatcherCase("split", 100, ((10, 60),), ((10, 30), (36, 60))),
)
"""Pairs at search 200 ms and reward 0.5, greedy and optimal: 2 and 2, 1 and 2, 1 and 1."""

_LENGTHS = (10, 25, 50, 100)
_GAPS = (2, 5, 15)
_SHIFTS = (1, 3, 5, 9)


def family_of_cases(cases: Sequence[MatcherCase], step: Fraction) -> Family:
    """A family of one class with a clip for each case."""
    return Family(
        step,
        Mode.UNION,
        tuple(case.name for case in cases),
        tuple(case.frames for case in cases),
        ("*",),
        {
            Side.REF: {i: case.refs for i, case in enumerate(cases) if case.refs},
            Side.PRED: {i: case.preds for i, case in enumerate(cases) if case.preds},
        },
        {},
        {},
    )


def stress_track() -> Mapping[str, tuple[MatcherCase, ...]]:
    """The stress track by family, over all lengths, gaps and shifts of boundaries."""
    grid = list(product(_LENGTHS, _LENGTHS, _GAPS, _SHIFTS))
    left = tuple(_left_bridge(*point) for point in grid if point[1] > 2 * point[3])
    return {
        "separated": tuple(_separated(*point) for point in grid),
        "left_bridge": left,
        "right_bridge": tuple(_mirrored(case, "right_bridge") for case in left),
        "split": tuple(_split(*point) for point in product(_LENGTHS, _GAPS, _SHIFTS) if point[0] > sum(point[1:])),
        "nominal": tuple(_nominal(*point) for point in product(_LENGTHS, _SHIFTS, _SHIFTS)),
    }


def _separated(first: int, second: int, gap: int, shift: int) -> MatcherCase:
    """Two references and each one's own late prediction, which stops before the other reference."""
    a, b = (10, 10 + first), (10 + first + gap + shift, 10 + first + gap + shift + second)
    late = tuple((start + shift, end + shift) for start, end in (a, b))
    return MatcherCase(f"separated {first} {second} {gap} {shift}", b[1] + 20, (a, b), late)


def _left_bridge(first: int, second: int, gap: int, shift: int) -> MatcherCase:
    """A prediction from the first reference into the second, and another at the end of the second."""
    a, b = (10, 10 + first), (10 + first + gap, 10 + first + gap + second)
    bridge, rest = (a[0] + shift, b[1] - 2 * shift), (b[1] - shift, b[1] + shift)
    return MatcherCase(f"left_bridge {first} {second} {gap} {shift}", b[1] + 20, (a, b), (bridge, rest))


def _mirrored(case: MatcherCase, name: str) -> MatcherCase:
    """A case with time reversed."""

    def mirror(runs: Sequence[FrameRun]) -> tuple[FrameRun, ...]:
        return tuple((case.frames - end, case.frames - start) for start, end in reversed(runs))

    return MatcherCase(f"{name} {case.name.partition(' ')[2]}", case.frames, mirror(case.refs), mirror(case.preds))


def _split(length: int, gap: int, shift: int) -> MatcherCase:
    """One reference and two predictions inside it, the first of `shift` frames."""
    ref = (10, 10 + length)
    return MatcherCase(
        f"split {length} {gap} {shift}", ref[1] + 20, (ref,), ((10, 10 + shift), (10 + shift + gap, ref[1]))
    )


def _nominal(length: int, onset: int, offset: int) -> MatcherCase:
    """One reference and one prediction that starts early and ends late."""
    ref = (10, 10 + length)
    return MatcherCase(f"nominal {length} {onset} {offset}", ref[1] + 20, (ref,), ((10 - onset, ref[1] + offset),))


def bridge_cases(
    family: Family, refs: Mapping[int, tuple[FrameRun, ...]], search: int, joined: int
) -> tuple[MatcherCase, ...]:
    """For each two consecutive references a left and a right bridge: a prediction over both, and a piece.

    `refs` are joined runs by segment; `search` and `joined`, the widest gap that is joined, are in frames.
    """
    return tuple(
        case
        for segment, runs in sorted(refs.items())
        for pair in pairwise(runs)
        for case in _bridges(family, segment, pair, search, joined)
    )


def _bridges(
    family: Family, segment: int, pair: tuple[FrameRun, FrameRun], search: int, joined: int
) -> Iterator[MatcherCase]:
    """The bridges of two references; a side whose reference is too short to leave a piece gives none."""
    (a, b), (c, d) = pair
    clip, label = family.place(segment)
    name = f"{clip} {label} {a}"
    hole = joined + 1
    piece = _piece(d - c, hole, search)
    if piece:
        preds = ((a, d - hole - piece), (d - piece, d))
        yield MatcherCase(f"{name} left", family.frames_of(segment), pair, preds)
    piece = _piece(b - a, hole, search)
    if piece:
        preds = ((a, a + piece), (a + piece + hole, d))
        yield MatcherCase(f"{name} right", family.frames_of(segment), pair, preds)


def _piece(length: int, hole: int, search: int) -> int:
    """How long a piece of a reference of this length is; 0 if the bridge would not reach the reference."""
    piece = max(1, min(length // 4, search - hole))
    return piece if piece + hole < length else 0
