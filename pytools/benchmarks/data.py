"""Seeded synthetic data: activity masks, families and event tables of a real data set's size."""

from pathlib import Path

import numpy as np
from numpy.random import Generator

from benchmarks.harness import Frames, sized
from tracepact import Contract, load_contract, starter_contracts
from tracepact.data.family import Family, Mode, Side
from tracepact.language.formula import FrameRun

CLIPS, CLASSES, CLIP_FRAMES = sized(1168, 30), 10, 500
EVENTS_PER_CLIP = 3.6
CLIP_SECONDS = 10


def starter() -> Contract:
    """The contract that all benchmarks monitor."""
    return load_contract(starter_contracts()["boundary_gate"])


def activity(generator: Generator, frames: int, mean_run: int = 50) -> Frames:
    """A mask whose runs and pauses have geometric lengths."""
    edges = np.cumsum(generator.geometric(1 / mean_run, size=2 * frames // mean_run + 100))
    toggles = np.zeros(frames, dtype=np.bool_)
    toggles[edges[edges < frames]] = True
    return np.logical_xor.accumulate(toggles)


def edges(active: Frames) -> tuple[Frames, Frames]:
    """The onsets and offsets of a mask."""
    before = np.concatenate(([False], active[:-1]))
    return active & ~before, ~active & before


def atom_frames(seed: int, frames: int) -> dict[str, Frames]:
    """The built-in atoms of a reference and of a prediction that follows it loosely."""
    generator = np.random.default_rng(seed)
    ref = activity(generator, frames)
    pred = np.roll(ref, 1) ^ activity(generator, frames, mean_run=400) & activity(generator, frames, mean_run=20)
    (ref_onset, ref_offset), (pred_onset, pred_offset) = edges(ref), edges(pred)
    return {
        "ref_active": ref,
        "ref_onset": ref_onset,
        "ref_offset": ref_offset,
        "pred_active": pred,
        "pred_onset": pred_onset,
        "pred_offset": pred_offset,
    }


def event_runs(seed: int) -> dict[int, tuple[FrameRun, ...]]:
    """Some runs of a few clips and classes, by segment."""
    generator = np.random.default_rng(seed)
    found: dict[int, tuple[FrameRun, ...]] = {}
    events = int(CLIPS * EVENTS_PER_CLIP)
    segments = generator.integers(0, CLIPS * CLASSES, size=events)
    for segment, count in zip(*np.unique(segments, return_counts=True), strict=True):
        cuts = np.sort(generator.choice(CLIP_FRAMES, size=2 * count, replace=False)).tolist()
        found[int(segment)] = tuple(zip(cuts[::2], cuts[1::2], strict=True))
    return found


def family(contract: Contract) -> Family:
    """Clips × classes with runs on both sides."""
    return Family(
        contract.step,
        Mode.CLASS_INDEXED,
        tuple(f"clip{i:04d}.wav" for i in range(CLIPS)),
        (CLIP_FRAMES,) * CLIPS,
        tuple(f"class{k}" for k in range(CLASSES)),
        {Side.REF: event_runs(1), Side.PRED: event_runs(2)},
        {},
        {},
    )


def write_tables(folder: Path) -> None:
    """Tables with the names and columns of the real ones: a prediction is a reference moved a little, some are lost."""
    generator = np.random.default_rng(3)
    header = "filename\tonset\toffset\tevent_label\n"
    ref, pred = [header], [header]
    for segment, some in event_runs(4).items():
        label, clip = divmod(segment, CLIPS)
        for start, end in some:
            moves = generator.normal(0, 0.1, size=2)
            onset, offset = start / 50, end / 50
            ref.append(f"clip{clip:04d}.wav\t{onset:.3f}\t{offset:.3f}\tclass{label}\n")
            late, long = max(onset + moves[0], 0.0), min(offset + moves[1], CLIP_SECONDS)
            if long > late and generator.random() < 0.8:
                pred.append(f"clip{clip:04d}.wav\t{late:.3f}\t{long:.3f}\tclass{label}\n")
    (folder / "reference.tsv").write_text("".join(ref), encoding="utf-8")
    (folder / "predictions.tsv").write_text("".join(pred), encoding="utf-8")
    durations = "".join(f"clip{i:04d}.wav\t{CLIP_SECONDS}\n" for i in range(CLIPS))
    (folder / "durations.tsv").write_text(f"filename\tduration\n{durations}", encoding="utf-8")
