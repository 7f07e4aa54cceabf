"""Scoring in batches: cost against the size of the data, memory at a million clips, engines beside each other.

Every job runs in a process of its own; times are CPU seconds of it and its workers, so that a busy machine says little.
`python -m benchmarks.batches make FOLDER CLIPS` writes generated tables, `… job NAME FOLDER` does one job.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.harness import Options, Row, Target
from tracepact import score, score_batches
from tracepact.engines.clusters import tree_levels
from tracepact.engines.model import FAN_IN

SUBJECT = "batches"
SMALL, LARGE = 1_168, 100_448
MILLION = int(os.environ.get("TRACEPACT_BATCH_CLIPS", "1000000"))
CLASSES = tuple(f"class{number}" for number in range(10))
_CHUNK = 20_000
_FILES = ("reference", "prediction", "durations")


def make(folder: Path, clips: int) -> None:
    """Clips of ten seconds with about four events a side; predictions are late, long, missing or invented."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    events = pa.schema([("filename", pa.string()), ("onset", pa.float64()), ("offset", pa.float64())])
    schema = events.append(pa.field("event_label", pa.string()))
    lengths = pa.schema([("filename", pa.string()), ("duration", pa.float64())])
    writers = [pq.ParquetWriter(folder / f"{name}.parquet", schema, compression="zstd") for name in _FILES[:2]]
    durations = pq.ParquetWriter(folder / "durations.parquet", lengths, compression="zstd")
    draw = np.random.default_rng(1)
    for first in range(0, clips, _CHUNK):
        names = np.array([f"clip{number:07d}.wav" for number in range(first, min(first + _CHUNK, clips))])
        durations.write_table(pa.table({"filename": names, "duration": np.full(len(names), 10.0)}, lengths))
        clip = np.sort(draw.integers(0, len(names), 4 * len(names)))
        onset = draw.integers(0, 900, len(clip))
        length = draw.integers(10, 100, len(clip))
        label = draw.integers(0, len(CLASSES), len(clip))
        kept = draw.random(len(clip)) > 0.2
        moved = draw.integers(-8, 12, (2, len(clip)))
        sides = (
            (np.ones(len(clip), dtype=np.bool_), onset, onset + length),
            (kept, np.maximum(onset + moved[0], 0), np.minimum(onset + length + 9 + moved[1], 1000)),
        )
        for writer, (here, start, end) in zip(writers, sides, strict=True):
            columns = {
                "filename": names[clip[here]],
                "onset": start[here] / 100,
                "offset": end[here] / 100,
                "event_label": np.array(CLASSES)[label[here]],
            }
            writer.write_table(pa.table(columns, schema))
    for writer in (*writers, durations):
        writer.close()


def _paths(folder: Path) -> dict[str, Any]:
    ref, pred, durations = (str(folder / f"{name}.parquet") for name in _FILES)
    return {"ref": ref, "pred": pred, "durations": durations}


def job(name: str, folder: Path) -> None:
    """Do one job and print what it took: CPU seconds, seconds, the largest memory of the process and of a worker."""
    given = _paths(folder)
    if name == "vector":  # start-up is the same for both sizes and no part of the growth
        score("boundary_gate", [(1, 2)], [(1, 2)], durations=3)
    start, began = process_time(), perf_counter()
    if name == "vector":
        answer = {clause: str(value) for clause, value in score("boundary_gate", **given).vector.items()}
    else:
        run = score_batches("boundary_gate", **given, engine=name, memory="2GB")
        answer = {clause: str(value) for clause, value in run.vector.items()} | {"batches": str(run.batches)}
    took = process_time() - start
    seconds = perf_counter() - began
    own, workers = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(
        json.dumps(
            {
                "cpu": took + workers.ru_utime + workers.ru_stime,
                "seconds": seconds,
                "memory": own.ru_maxrss / 1e6,
                "worker": workers.ru_maxrss / 1e6,
                "answer": answer,
            }
        )
    )


def _ran(name: str, folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.batches", "job", name, str(folder)]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def measure(_: Options) -> Iterator[Row]:
    """Growth in one process, engines at 100,448 clips, a million clips within 2 GB, the task graph of 100 workers."""
    with tempfile.TemporaryDirectory() as place:
        folders = {clips: Path(place) / str(clips) for clips in (SMALL, LARGE, MILLION)}
        for clips, folder in folders.items():
            make(folder, clips)
        small, large = (_ran("vector", folders[clips]) for clips in (SMALL, LARGE))
        note = f"{LARGE:,} clips from Parquet to the vector, all at once"
        yield Row(SUBJECT, "CPU of 100,448 clips", large["cpu"], "s", Target(10, at_least=False), note)
        growth = large["cpu"] / (LARGE / SMALL * small["cpu"])
        yield Row(
            SUBJECT, "CPU against 86 × the small run", growth, "×", None, f"{SMALL:,} clips: {small['cpu']:.3f} s"
        )
        runs = {engine: _ran(engine, folders[LARGE]) for engine in ("local", "processes:1", "processes:2", "dask:2")}
        yield from _engine_rows(runs)
        million = _ran("local", folders[MILLION])
        note = f"{million['cpu']:.0f} s of CPU, {million['seconds']:.0f} s, {million['answer']['batches']} batches"
        yield Row(SUBJECT, f"memory at {MILLION:,} clips", million["memory"], "GB", Target(2, at_least=False), note)
        yield from _graph_rows(int(million["answer"]["batches"]))


def _engine_rows(runs: dict[str, dict[str, Any]]) -> Iterator[Row]:
    same = len({json.dumps({k: v for k, v in r["answer"].items() if k != "batches"}) for r in runs.values()}) == 1
    for ours, other in (("processes:2", "local"), ("processes:2", "processes:1"), ("dask:2", "processes:2")):
        ratio = runs[other]["seconds"] / runs[ours]["seconds"]
        note = f"{runs[ours]['seconds']:.1f} s against {runs[other]['seconds']:.1f} s; same vector: {same}"
        yield Row(SUBJECT, f"throughput of {ours} over {other}", ratio, "×", None, note)


def _graph_rows(batches: int) -> Iterator[Row]:
    """What the graph of the million costs in messages on 100 workers: counted from the graph, not measured."""
    levels = tree_levels(batches)
    tasks = sum(levels)
    note = f"levels {levels}, {FAN_IN} results added at a time; one message to start and one to end each task"
    yield Row(SUBJECT, "messages of the task graph on 100 workers", 2 * tasks, "messages", None, note)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        job(sys.argv[2], Path(sys.argv[3]))
