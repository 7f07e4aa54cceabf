"""Scenes for a contract: references on its own grid, as large as its tolerances ask for (rules 22.1 and 22.2)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from tracepact.core import (
    Absolute,
    Attribute,
    Comparison,
    Contract,
    Difference,
    EventAtom,
    EventClause,
    Flag,
    Maximum,
    Minimum,
    Number,
    Quantity,
    Scaled,
    Sum,
    Term,
)
from tracepact.trace import Family, FrameRun, Mode, Side
from tracepact.wording import time_text

LONGEST = 50_000
"""Tolerances of more frames than this are not tried."""
_CLASSES = ("a", "b")


@dataclass(frozen=True, slots=True)
class Allowance:
    """A bound or a time of a contract, as it is called there, and the frames it comes to."""

    name: str
    frames: int


@dataclass(frozen=True, slots=True)
class Measures:
    """The lengths that scenes and cast are made with, in frames.

    `stray` is one frame more than the greatest tolerance that is tried, `hole` the narrowest gap that `merge_gap`
    leaves open.
    """

    stray: int
    hole: int


def allowances(contract: Contract) -> tuple[Allowance, ...]:
    """Every bound of a window and every time in an event predicate, by size; one name for each size."""
    found: dict[int, str] = {}
    for name, frames in _bounds(contract):
        if frames:
            found.setdefault(frames, name)
    return tuple(Allowance(found[frames], frames) for frames in sorted(found))


def measures(contract: Contract) -> Measures:
    """The lengths that follow from a contract's tolerances and its merge gap."""
    tried = [one.frames for one in allowances(contract) if one.frames <= LONGEST]
    return Measures(max(tried, default=1) + 1, int(contract.merge_gap // contract.step) + 1)


def _bounds(contract: Contract) -> Iterator[tuple[str, int]]:
    for clause in contract.clauses:
        if isinstance(clause, EventClause):
            for _, atom in clause.event_atoms:
                for time in _times(atom):
                    yield time_text(time), ceil(time / contract.step)
        else:
            for part in (*clause.duty.everywhere(), *clause.body.everywhere()):
                for bound in part.bounds:
                    yield bound.parameter or bound.text.removeprefix("-"), abs(bound.frames)


def _times(node: Term | EventAtom) -> Iterator[Fraction]:
    """The times that a term or an event atom mentions, without their signs."""
    match node:
        case Number(value, Quantity.TIME):
            yield abs(value)
        case Sum(a, b) | Difference(a, b) | Comparison(_, a, b, _):
            yield from _times(a)
            yield from _times(b)
        case Scaled(_, body) | Absolute(body):
            yield from _times(body)
        case Minimum(arguments) | Maximum(arguments):
            for argument in arguments:
                yield from _times(argument)
        case Number() | Attribute() | Flag():
            return


# The scenes


@dataclass(frozen=True, slots=True)
class Scene:
    """One clip: its length in frames, and the reference of each class that has one."""

    name: str
    frames: int
    refs: Mapping[int, tuple[FrameRun, ...]]


def scenes(contract: Contract) -> Family:
    """The scenes of a contract as a family without predictions.

    A declared atom holds at no frame of the scenes, and at every frame of a second copy of them (rule 22.2).
    """
    classes = _CLASSES if contract.labels is None else contract.labels[:2]
    made = list(_scenes(measures(contract), len(classes)))
    copies = ("", " (atoms on)") if contract.declared_atoms else ("",)
    clips = [(scene, scene.name + copy) for copy in copies for scene in made]
    total = len(clips)
    refs = {label * total + i: runs for i, (scene, _) in enumerate(clips) for label, runs in scene.refs.items()}
    lit = {
        label * total + i: ((0, clips[i][0].frames),) for label in range(len(classes)) for i in range(len(made), total)
    }
    return Family(
        contract.step,
        Mode.CLASS_INDEXED,
        tuple(name for _, name in clips),
        tuple(scene.frames for scene, _ in clips),
        classes,
        {Side.REF: dict(sorted(refs.items())), Side.PRED: {}},
        {},
        dict.fromkeys(contract.declared_atoms, lit),
    )


def _scenes(lengths: Measures, classes: int) -> Iterator[Scene]:
    """Events apart, close, at the edges of the clip, of two classes at once, and none."""
    unit = lengths.stray + lengths.hole
    gap = 3 * unit
    long, middle, brief = 6 * unit, 4 * unit, 3 * unit
    first = (gap, gap + middle)
    second = (first[1] + gap, first[1] + gap + long)
    third = (second[1] + gap, second[1] + gap + brief)
    other = (third[1] + gap, third[1] + gap + middle)
    yield Scene(
        "apart",
        other[1] + gap,
        {0: (first, second, third), 1: (other,)} if classes > 1 else {0: (first, second, third)},
    )
    near = (first[1] + lengths.hole + lengths.stray // 2, first[1] + lengths.hole + lengths.stray // 2 + middle)
    yield Scene("close", near[1] + gap, {0: (first, near)})
    end = 2 * middle + gap
    yield Scene("edges", end, {0: ((0, middle), (end - middle, end))})
    if classes > 1:
        over = (first[0] + middle // 2, first[1] + middle // 2)
        yield Scene("overlap", over[1] + gap, {0: (first,), 1: (over,)})
    yield Scene("silence", 2 * gap, {})
