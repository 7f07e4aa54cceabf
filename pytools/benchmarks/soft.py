"""Soft values of the five frame guards over a long trace, against the bitset engine, and windows as they grow."""

from collections.abc import Iterator

import numpy as np

from benchmarks.data import atom_frames, starter
from benchmarks.harness import Options, Row, check_equal, race
from tracepact.core import Atom, Eventually
from tracepact.monitor import IntegerAlgebra, evaluate_masks
from tracepact.soft import FieldReading, SoftAtoms, read_fields
from tracepact.trace.layout import pack, unpack

SUBJECT = "soft values"
FRAMES = 1_000_000
RADII = (8, 64, 512, 4096)


def measure(_: Options) -> Iterator[Row]:
    """Ranks in, ranks out; scores of three decimals around the demo activity."""
    contract = starter()
    frames = atom_frames(0, FRAMES)
    noise = np.random.default_rng(1).integers(0, 500, FRAMES)
    scores = np.where(frames["pred_active"], 501 + noise, 500 - noise) / 1000
    ref, pred = ({"clip": side[:, None]} for side in (frames["ref_active"], scores))
    family = read_fields(contract, ref, pred, FieldReading(["event"]))
    atoms = SoftAtoms(family, family.layout(contract.reach))
    formulas = [clause.formula for clause in contract.frame_clauses]
    masks = {name: pack(values) for name, values in frames.items()}
    algebra = IntegerAlgebra((1 << FRAMES) - 1, FRAMES)
    ours = [ranks[:FRAMES] > 0 for ranks in evaluate_masks(formulas, atoms, atoms.algebra)]
    check_equal(SUBJECT, ours, [unpack(mask, FRAMES) for mask in evaluate_masks(formulas, masks, algebra)])
    soft, bits = race(
        lambda: evaluate_masks(formulas, atoms, atoms.algebra), lambda: evaluate_masks(formulas, masks, algebra)
    )
    note = f"{atoms.levels.top} sizes as {atoms.levels.dtype}"
    yield Row(SUBJECT, f"five guards, {FRAMES:,} frames", soft * 1e3, "ms", note=note)
    yield Row(SUBJECT, "times the bitset engine", soft / bits, "×", note=f"{bits * 1e3:.3g} ms; a bit a frame there")
    for radius in RADII:
        window = [Eventually(-radius, radius, Atom("pred_active"))]
        (time,) = race(lambda window=window: evaluate_masks(window, atoms, atoms.algebra))  # type: ignore[misc]
        yield Row(SUBJECT, f"window of {2 * radius + 1:,} frames", time * 1e3, "ms")
