"""Bytes per frame at ten million frames: the peak that tracemalloc sees in a child process."""

import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.data import activity, starter
from benchmarks.harness import Frames, Options, Row, Target, sized
from tracepact import score
from tracepact.data.family import Atoms, Family, Layout, Mode, Side, pack
from tracepact.evaluate.masks import IntegerAlgebra, evaluate_masks

SUBJECT = "memory"
FRAMES = sized(10_000_000, 20_000)


def measure(_: Options) -> Iterator[Row]:
    """Each job runs in a process of its own, so that nothing else is counted and nothing else is slowed by counting."""
    for name in JOBS:
        command = [sys.executable, "-m", "benchmarks.memory", name]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        note = f"tracemalloc's peak in a child process, {FRAMES:,} frames, inputs included"
        yield Row(SUBJECT, name, float(output), "bytes/frame", Target(40, at_least=False), note)


def _frame_guards(ref: Frames, pred: Frames) -> None:
    """From two Boolean masks to the atoms, verdicts and counts of the frame guards."""
    contract = starter()
    layout = Layout([FRAMES], contract.reach)
    no_runs = Family(contract.step, Mode.UNION, ("clip",), (FRAMES,), ("*",), {Side.REF: {}, Side.PRED: {}}, {}, {})
    atoms = Atoms(no_runs, layout)
    atoms["ref_active"], atoms["pred_active"] = pack(ref), pack(pred)
    for mask in evaluate_masks(contract.formulas, atoms, IntegerAlgebra(layout.valid, layout.longest)):
        layout.counts(mask)


def _whole_score(ref: Frames, pred: Frames) -> None:
    """Everything `score` does with two Boolean masks: runs, matching, all seven guards, the soft score."""
    score(starter(), ref, pred)


JOBS: dict[str, Callable[[Frames, Frames], None]] = {
    "frame guards of two masks": _frame_guards,
    "score of two masks": _whole_score,
}


if __name__ == "__main__":
    tracemalloc.start()
    JOBS[sys.argv[1]](*(activity(np.random.default_rng(seed), FRAMES) for seed in (1, 2)))
    print(tracemalloc.get_traced_memory()[1] / FRAMES)
