"""Every threshold at once: five frame guards and PSDS on a family of a real set's size, and how both grow."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import CLASSES, CLIP_FRAMES, CLIPS, event_runs, starter
from benchmarks.harness import Options, Result, Row, Target, sized
from tracepact.data.events import ClipScores, Event, EventTable, ScoreField, ScoreLevels, frame_edges, levels_of_floats
from tracepact.diagnostics.collection import Diagnostics
from tracepact.thresholds.family import FieldFamily, field_family
from tracepact.thresholds.psds import SCENARIOS, psds
from tracepact.thresholds.quantities import Quantities

SUBJECT = "every threshold"
_PEER = "TRACEPACT_SED_SCORES_EVAL"
"""The Python of an environment with sed_scores_eval 0.0.4, which needs an older NumPy and pandas than ours."""
_SCRIPT = Path(__file__).with_name("sed_scores_eval_peer.py")
_LEVELS = sized((10, 100, 1_000, 10_000), (10,))
Scores = NDArray[np.float64]


def measure(_: Options) -> Iterator[Row]:
    """Scores that follow the reference, with noise: as many distinct ones as there are frames."""
    reference, scores = generated(CLIPS)
    size = f"{CLIPS:,} clips × {CLASSES} classes × {CLIP_FRAMES} frames"
    given = family_of(reference, scores)
    seconds, _ = _timed(lambda: guards(given))
    note = f"{len(given.levels):,} distinct scores; {size}"
    yield Row(SUBJECT, "five frame guards, all thresholds", seconds, "s", Target(60, at_least=False), note)
    child = subprocess.run([sys.executable, "-m", "benchmarks.thresholds"], check=True, capture_output=True, text=True)
    note = "resident peak of a child process, scores included"
    yield Row(SUBJECT, "their peak memory", float(child.stdout) / 1e9, "GB", Target(2, at_least=False), note)
    ours = {}
    for name, how in SCENARIOS.items():
        ours[name], found = _timed(lambda how=how: psds(family_of(reference, scores), how))  # type: ignore[misc]
        assert found.value is not None
        yield Row(SUBJECT, f"{name}, all thresholds", ours[name], "s", note=f"{float(found.value):.12f}")
    yield from _against_peer(reference, scores, ours)
    for levels in _LEVELS:
        coarse = np.round(scores * levels) / levels
        seconds, _ = _timed(lambda coarse=coarse: guards(family_of(reference, coarse)))  # type: ignore[misc]
        yield Row(SUBJECT, f"five frame guards, {levels + 1:,} distinct scores", seconds, "s")


def _timed(run: Callable[[], Result]) -> tuple[float, Result]:
    """Seconds of a processor, which others on the machine do not lengthen, and result of a single call."""
    start = process_time()
    result = run()
    return process_time() - start, result


def generated(clips: int) -> tuple[EventTable, Scores]:
    """References, and scores clips × frames × classes around them."""
    generator = np.random.default_rng(5)
    step = starter().step
    events: dict[str, list[Event]] = {f"clip{i:04d}": [] for i in range(clips)}
    active = np.zeros((clips, CLIP_FRAMES, CLASSES))
    for segment, runs in event_runs(1).items():
        label, clip = divmod(segment, CLIPS)
        for start, end in runs if clip < clips else ():
            events[f"clip{clip:04d}"].append(Event(start * step, end * step, f"class{label}"))
            active[clip, start:end, label] = 1
    noisy = np.cumsum(generator.normal(0, 0.15, active.shape), axis=1)
    noisy -= noisy.mean(axis=1, keepdims=True)
    scores: Scores = 1 / (1 + np.exp(-(3 * active - 1.5 + noisy)))
    return EventTable("reference", {clip: tuple(some) for clip, some in events.items()}), scores


def family_of(reference: EventTable, scores: Scores) -> FieldFamily:
    """The scores as a field beside the reference."""
    contract = starter()
    levels, ranks = levels_of_floats(scores.reshape(-1))
    ranks = ranks.reshape(scores.shape)
    edges = frame_edges(CLIP_FRAMES, contract.step)
    clips = {clip: ClipScores(edges, ranks[k]) for k, clip in enumerate(reference.clips)}
    return _family(reference, levels, clips)


def _family(reference: EventTable, levels: ScoreLevels, clips: dict[str, ClipScores]) -> FieldFamily:
    field = ScoreField("scores", tuple(f"class{k}" for k in range(CLASSES)), levels, clips)
    return field_family(starter(), reference, field, diagnostics=Diagnostics())


def guards(given: FieldFamily) -> Quantities:
    """The counts of the five frame guards over all thresholds, and their curves."""
    contract = starter()
    quantities = Quantities(contract, given)
    for clause in contract.frame_clauses:
        quantities.values(clause.name)
    return quantities


def _against_peer(reference: EventTable, scores: Scores, ours: dict[str, float]) -> Iterator[Row]:
    """Times and values of sed_scores_eval on the same scores, where an environment with it is named."""
    peer = os.environ.get(_PEER)
    if peer is None:
        note = f"name its Python in {_PEER}"
        yield from (Row(SUBJECT, f"{name}: times sed_scores_eval", None, "×", Target(1), note) for name in ours)
        return
    with TemporaryDirectory() as folder:
        np.savez(Path(folder, "scores.npz"), scores=scores)
        events = {c: [(float(e.onset), float(e.offset), e.label) for e in some] for c, some in reference.clips.items()}
        Path(folder, "reference.json").write_text(json.dumps(events))
        step = str(float(Fraction(starter().step)))
        done = subprocess.run([peer, str(_SCRIPT), folder, step], capture_output=True, text=True, check=True, env={})
    for name, (seconds, value) in json.loads(done.stdout.splitlines()[-1]).items():
        note = f"{seconds:.1f} s there; {value:.12f}"
        yield Row(SUBJECT, f"{name}: times sed_scores_eval", seconds / ours[name], "×", Target(1), note)


if __name__ == "__main__":
    guards(family_of(*generated(CLIPS)))
    print(getrusage(RUSAGE_SELF).ru_maxrss * 1024)
