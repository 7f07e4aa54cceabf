"""Soft values of the five frame guards over a long trace, against the bitset engine, and windows as they grow."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from benchmarks.data import atom_frames, starter
from benchmarks.harness import Options, Row, check_equal, race, sized
from tracepact import Mode, score_field
from tracepact.data.family import Family, Side, pack, unpack
from tracepact.evaluate.masks import IntegerAlgebra, evaluate_masks
from tracepact.evaluate.soft_family import DecodedSide, SoftAtoms, decoded_family
from tracepact.language.formula import Atom, Eventually, runs_of_frames

SUBJECT = "soft values"
FRAMES = sized(1_000_000, 5_000)
RADII = sized((8, 64, 512, 4096), (2, 8))


def measure(_: Options) -> Iterator[Row]:
    """Ranks in, ranks out; scores of three decimals around the demo activity."""
    contract = starter()
    frames = atom_frames(0, FRAMES)
    noise = np.random.default_rng(1).integers(0, 500, FRAMES)
    scores = np.where(frames["pred_active"], 501 + noise, 500 - noise) / 1000
    field = score_field({"clip": scores[:, None]}, classes=["event"], step=contract.step)
    runs = {Side.REF: {0: runs_of_frames(frames["ref_active"].tolist())}, Side.PRED: {}}
    hard = Family(contract.step, Mode.CLASS_INDEXED, ("clip",), (FRAMES,), ("event",), runs, {}, {})
    family = decoded_family(hard, {Side.PRED: DecodedSide(field, Fraction(1, 2), [[0]])})
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
