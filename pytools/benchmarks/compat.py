"""The functions of `tracepact.compat` beside the originals: values that agree, and how many times as fast."""

import json
import os
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.harness import Options, Row, Target, sized
from benchmarks.originals_peer import calls, measured
from benchmarks.thresholds import generated
from tracepact.compat import psds_eval, sed_eval, sed_scores_eval, tables

SUBJECT = "names of other packages"
_PEER = "TRACEPACT_ORIGINALS"
"""The Python of an environment with the originals, which need an older NumPy and pandas than ours."""
_SCRIPT = Path(__file__).with_name("originals_peer.py")
_CLIPS = sized(200, 20)


def measure(_: Options) -> Iterator[Row]:
    """Every function on frames of 64 ms and scores with as many levels as there are frames."""
    reference, scores = generated(_CLIPS)
    wide = scores[:, ::2]
    step = 0.064 / 0.02 / 2
    events = {
        c: _spread([(float(e.onset), float(e.offset), e.label) for e in some], step)
        for c, some in reference.clips.items()
    }
    with TemporaryDirectory() as folder:
        np.savez(Path(folder, "scores.npz"), scores=wide)
        Path(folder, "reference.json").write_text(json.dumps(events))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours = measured(calls(sed_eval, sed_scores_eval, psds_eval, tables, folder))
        peer = os.environ.get(_PEER)
        theirs = {}
        if peer is not None:
            done = subprocess.run([peer, str(_SCRIPT), folder], capture_output=True, text=True, check=True, env={})
            theirs = json.loads(done.stdout.splitlines()[-1])
    for name, (seconds, values) in ours.items():
        if name not in theirs:
            yield Row(SUBJECT, f"{name}: times the original", None, "×", Target(1), f"name its Python in {_PEER}")
            continue
        slow, others = theirs[name]
        apart = max(abs(a - b) for a, b in zip(values, others, strict=True))
        note = f"{seconds:.2f} s against {slow:.2f} s; values differ by at most {apart:.0e}"
        yield Row(SUBJECT, f"{name}: times the original", slow / seconds, "×", Target(1), note)


def _spread(events: list[tuple[float, float, str]], factor: float) -> list[tuple[float, float, str]]:
    """Events on the frames of the scores, apart from the next of their class, as the originals ask."""
    kept: list[tuple[float, float, str]] = []
    ends: dict[str, float] = {}
    for onset, offset, label in sorted(events):
        start, end = round(onset * factor, 3), round(offset * factor, 3)
        if start > ends.get(label, -1.0) and end > start:
            kept.append((start, end, label))
            ends[label] = end
    return kept
