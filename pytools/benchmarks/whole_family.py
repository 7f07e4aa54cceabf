"""A class-indexed family in one pass, against a loop over clips and classes with the same engine."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import CLASSES, CLIP_FRAMES, CLIPS, family, starter
from benchmarks.harness import Options, Row, Target, check_equal, race
from tracepact.data.family import Atoms, Family, Layout, Side
from tracepact.evaluate.masks import IntegerAlgebra, evaluate_masks
from tracepact.language.contract import Contract

SUBJECT = "whole family"

Counts = list[NDArray[np.int64]]
"""Obligated and satisfied counts of every frame clause, by segment."""


def measure(_: Options) -> Iterator[Row]:
    """From the runs of both sides to counts, and the monitoring alone, from masks to counts."""
    contract = starter()
    whole = family(contract)
    parts = [_part(whole, segment) for segment in range(whole.segments)]
    layout = whole.layout(contract.reach)
    atoms = _atoms(contract, whole, layout)
    part_layout = parts[0].layout(contract.reach)
    part_atoms = [_atoms(contract, part, part_layout) for part in parts]

    def from_runs() -> Counts:
        made = whole.layout(contract.reach)
        return _counts(contract, Atoms(whole, made), made)

    def from_runs_in_a_loop() -> Counts:
        found = []
        for part in parts:
            made = part.layout(contract.reach)
            found.append(_counts(contract, Atoms(part, made), made))
        return [np.concatenate(column) for column in zip(*found, strict=True)]

    def from_masks() -> Counts:
        return _counts(contract, atoms, layout)

    def from_masks_in_a_loop() -> Counts:
        rows = []
        for some in part_atoms:
            masks = evaluate_masks(contract.formulas, some, IntegerAlgebra(part_layout.valid, CLIP_FRAMES))
            pairs = zip(masks[::2], masks[1::2], strict=True)
            rows.append([n for o, f in pairs for n in (o.bit_count(), (o & f).bit_count())])
        return list(np.array(rows, dtype=np.int64).T)

    shape = f"{CLIPS:,} clips × {CLASSES} classes × {CLIP_FRAMES} frames"
    for what, once, loop in (
        ("runs to counts", from_runs, from_runs_in_a_loop),
        ("masks to counts", from_masks, from_masks_in_a_loop),
    ):
        check_equal(SUBJECT, once(), loop())
        fast, slow = race(once, loop, repeats=3)
        note = f"{fast * 1e3:.3g} ms against {slow * 1e3:,.0f} ms; {shape}"
        yield Row(SUBJECT, f"{what}, one pass faster than a loop", slow / fast, "×", Target(20), note)


def _part(whole: Family, segment: int) -> Family:
    """One clip of one class as a family of its own."""
    clip, label = whole.place(segment)
    runs = {
        side: {0: whole.runs[side][segment]} if segment in whole.runs[side] else {} for side in (Side.REF, Side.PRED)
    }
    return Family(whole.step, whole.mode, (clip,), (whole.frames_of(segment),), (label,), runs, {}, {})


def _atoms(contract: Contract, some: Family, layout: Layout) -> dict[str, int]:
    made = Atoms(some, layout)
    return {name: made[name] for name in contract.atoms}


def _counts(contract: Contract, atoms: dict[str, int], layout: Layout) -> Counts:
    masks = evaluate_masks(contract.formulas, atoms, IntegerAlgebra(layout.valid, layout.longest))
    pairs = zip(masks[::2], masks[1::2], strict=True)
    return [counts for o, f in pairs for counts in (layout.counts(o), layout.counts(o & f))]
