"""The frame and the segment metric at every threshold: a cell is active while its greatest score is."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tracepact.diagnostics import Diagnostic, InvalidInput
from tracepact.limits import limits
from tracepact.thresholds.family import FieldFamily, touching
from tracepact.thresholds.runs import reference_columns, reference_unit
from tracepact.thresholds.steps import Steps, StepsBuilder, Whole
from tracepact.trace import Mode, Side
from tracepact.trace.exact_times import roomy
from tracepact.trace.grid import ceil_div

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class CellCounts:
    """True positives, false positives and false negatives by class and clip; substitutions by clip (rule 15.7)."""

    tallies: Steps
    substitutions: Steps


def frame_counts(given: FieldFamily) -> CellCounts:
    """The counts of the frame metric (rule 15.4); ignored frames are no cells."""
    family = given.family
    cells = []
    for clip, ranks in enumerate(given.ranks):
        sides = [
            np.zeros((family.frames[clip], len(family.classes)), dtype=np.bool_) for _ in (family.runs, family.ignored)
        ]
        for side, runs in zip(sides, (family.runs[Side.REF], family.ignored), strict=True):
            for label in range(len(family.classes)):
                for start, end in runs.get(family.segment(label, clip), ()):
                    side[start:end, label] = True
        cells.append((sides[0] & ~sides[1], np.where(sides[1], -1, ranks)))
    return _counted(given.shape, cells)


def segment_counts(given: FieldFamily, length: Fraction) -> CellCounts:
    """The counts of the segment metric (rule 15.5)."""
    unit = reference_unit(given, [length])
    refs = reference_columns(given, unit)
    lasting = (refs.offset > refs.onset).astype(np.bool_)
    whole = int(length * unit)
    onset, offset = roomy(refs.onset, whole), roomy(refs.offset, whole)
    starts, ends = (onset // whole).astype(np.int64), ceil_div(offset, whole).astype(np.int64)
    cells = []
    for number, clip in enumerate(given.family.clips):
        here = np.flatnonzero(lasting & (refs.clip == number))
        scores = given.field.clips.get(clip)
        own = 0 if scores is None else -(-scores.edges[-1] // length)
        number = max(own, int(ends[here].max(initial=0)))
        _check_size(clip, number, len(given.family.classes))
        ref = np.zeros((number, len(given.family.classes)), dtype=np.bool_)
        for k in here.tolist():
            ref[starts[k] : ends[k], refs.label[k]] = True
        ranks = np.full(ref.shape, -1) if scores is None else touching(scores, length, len(ref))
        if given.family.mode is Mode.UNION:
            ranks = ranks.max(axis=1, keepdims=True)
        cells.append((ref, ranks))
    return _counted(given.shape, cells)


def _check_size(clip: str, number: int, classes: int) -> None:
    """Refuse more segments than are counted at every threshold, before any of them is made."""
    if number * classes > (most := limits().scores):
        headline = (
            f"`{clip}` has {number:,} segments in each of {classes:,} classes; at most {most:,} are counted in all"
        )
        help = "check the times and their unit, or raise the limit (--limit scores=NUMBER)"
        raise InvalidInput([Diagnostic("too-many-frames", headline, None, help)])


def _counted(shape: tuple[int, int], cells: Sequence[tuple[Flags, Whole]]) -> CellCounts:
    """Counts of cells, given of every clip the active ones of the reference and the greatest rank of each."""
    tallies, substitutions = StepsBuilder(shape, 3), StepsBuilder((1, shape[1]), 1)
    for clip, every in enumerate(cells):
        ref, ranks, times = _stretches(*every)
        cell, label = np.nonzero(ref)
        tallies.add_base(label * shape[1] + clip, np.array([[0], [0], [1]]) * times[cell])
        for where, amount in ((ref, (1, 0, -1)), (~ref, (0, 1, 0))):
            cell, label = np.nonzero(where & (ranks >= 0))
            entry, gone = label * shape[1] + clip, ranks[cell, label] + 1
            change = np.array(amount)[:, None] * times[cell]
            tallies.add(np.zeros_like(entry), entry, change)
            tallies.add(gone, entry, -change)
        greatest = -np.sort(-ranks, axis=1)  # of a cell, as many as the reference has classes in it
        common = (np.arange(ranks.shape[1]) < ref.sum(axis=1, keepdims=True)) & (greatest >= 0)
        for found, where, sign in ((greatest, common, 1), (ranks, ref & (ranks >= 0), -1)):
            lasting, amounts = found[where], sign * times[np.nonzero(where)[0]][None, :]
            substitutions.add(np.zeros_like(lasting), np.full_like(lasting, clip), amounts)
            substitutions.add(lasting + 1, np.full_like(lasting, clip), -amounts)
    return CellCounts(tallies.build(), substitutions.build())


def _stretches(ref: Flags, ranks: Whole) -> tuple[Flags, Whole, Whole]:
    """Cells one after another that are alike as one, and how many each stands for."""
    alike = (ranks[1:] == ranks[:-1]).all(axis=1) & (ref[1:] == ref[:-1]).all(axis=1)
    first = np.flatnonzero(np.concatenate([np.ones(min(len(ref), 1), dtype=np.bool_), ~alike]))
    return ref[first], ranks[first], np.diff(np.append(first, len(ref)))
