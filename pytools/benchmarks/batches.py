"""Scoring in batches: cost against the size of the data, memory at a million clips, engines beside each other.

Every job runs in a process of its own; times are CPU seconds of it and its workers, so that a busy machine says little.
`python -m benchmarks.batches make FOLDER CLIPS` writes generated tables, `… job ENGINE FOLDER` scores them in batches,
`… growth FOLDER…` scores them at once, `… page FOLDER` also writes a page with its intervals and curves,
`… graph FOLDER SAMPLE` counts what the task graph of a folder sends, `… scores FOLDER CLIPS` writes a folder of score
files, and `… files FOLDER MEMORY` scores it within so much memory, or at once.
"""

import json
import os
import pickle
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from functools import reduce
from operator import add
from pathlib import Path
from threading import Thread
from time import perf_counter, process_time, sleep
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.harness import Options, Row, Target, sized
from tracepact import Decoding, Reading, score, score_batches
from tracepact.engines import FAN_IN, Engine, EngineKind, Work, tree_levels
from tracepact.runs import batch_scoring
from tracepact.runs.report_parts import SILENT

SUBJECT = "batches"
SMALL, LARGE = sized((1_168, 100_448), (20, 200))
WORKERS = 100
MILLION = int(os.environ.get("TRACEPACT_BATCH_CLIPS", sized("1000000", "400")))
FILES = int(os.environ.get("TRACEPACT_SCORE_FILES", sized("800", "10")))
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


def scores(folder: Path, clips: int) -> None:
    """Clips of ten seconds: a list of five events each, and a score file of 500 frames and ten classes."""
    draw = np.random.default_rng(1)
    for side in ("ref", "pred"):
        (folder / side).mkdir(parents=True)
    head = "\t".join(("onset", "offset", *CLASSES)) + "\n"
    for clip in range(clips):
        name = f"clip{clip:07d}.tsv"
        rows = np.round(draw.random((500, len(CLASSES))), 4).tolist()
        frames = (f"{k / 50}\t{(k + 1) / 50}\t" + "\t".join(map(str, row)) + "\n" for k, row in enumerate(rows))
        (folder / "pred" / name).write_text(head + "".join(frames))
        events = (f"{start}\t{start + 0.5}\t{CLASSES[(start + clip) % 10]}\n" for start in range(0, 9, 2))
        (folder / "ref" / name).write_text("onset\toffset\tevent_label\n" + "".join(events))


def files(folder: Path, memory: str) -> None:
    """Score a folder of score files, in batches within so much memory or all at once, and print what it took."""
    how = Reading(decoding=Decoding(Fraction(9, 10)))
    sides: dict[str, Any] = {"ref": folder / "ref", "pred": folder / "pred", "pred_reading": how}
    start = process_time()
    if memory == "at once":
        found = score("boundary_gate", **sides, margins=True).vector
    else:
        found = score_batches("boundary_gate", **sides, memory=memory, margins=True).vector
    answer = {clause: str(value) for clause, value in found.items()}
    memory_taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(json.dumps({"cpu": process_time() - start, "memory": memory_taken, "answer": answer}))


def page(folder: Path) -> None:
    """Print the CPU seconds of a run directory without and with a page: its 4,000 draws, its curves, its clips."""
    took = []
    for shown in (None, lambda clips: SILENT):
        with tempfile.TemporaryDirectory() as place:
            start = process_time()
            score_batches("boundary_gate", **_paths(folder), memory="2GB", out=Path(place) / "run", page=shown)
            took.append(process_time() - start)
    print(json.dumps([*took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6]))


class _Workers(Thread):
    """Looks now and then at the largest memory that each child of this process has had.

    What the system says of children that have ended counts the memory of the parent that they were forked from.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.largest: dict[str, float] = {}
        self.start()

    def run(self) -> None:
        while True:
            for children in Path("/proc/self/task").glob("*/children"):
                with suppress(OSError):  # it has ended
                    for child in children.read_text().split():
                        found = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{child}/status").read_text())
                        self.largest[child] = int(found[1]) / 1e6 if found else self.largest.get(child, 0)
            sleep(0.05)


def job(name: str, folder: Path) -> None:
    """Do one job and print what it took: CPU seconds, seconds, the largest memory of the process and of its workers."""
    start, began = process_time(), perf_counter()
    children = _Workers()
    run = score_batches("boundary_gate", **_paths(folder), engine=name, memory="2GB")
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
                "workers": sum(children.largest.values()),
                "answer": answer,
            }
        )
    )


def growth(*folders: Path) -> None:
    """Print the CPU seconds from Parquet to the vector of each folder, all at once, in one process."""
    score("boundary_gate", [(1, 2)], [(1, 2)], durations=3)  # what the first run loads does not count as growth
    took = []
    for folder in folders:
        start = process_time()
        score("boundary_gate", **_paths(folder))
        took.append(process_time() - start)
    print(json.dumps(took))


class _Captured(Exception):  # noqa: N818  (it is what was caught)
    """The work of a scoring in batches, caught before it is done."""

    def __init__(self, work: Work[Any]) -> None:
        super().__init__()
        self.work = work


def _work(folder: Path, workers: int) -> Work[Any]:
    """The work of a scoring by so many workers: its tasks as an engine is given them."""

    def caught(engine: Engine, work: Work[Any], progress: Any = None) -> Any:
        raise _Captured(work)

    engine = Engine(EngineKind.PROCESSES, workers)
    with patch.object(batch_scoring, "run_tasks", caught):
        try:
            score_batches("boundary_gate", **_paths(folder), engine=engine, memory=f"{workers}GB")
        except _Captured as found:
            return found.work
    raise AssertionError("a scoring in batches has work")


def graph(whole: Path, sample: Path) -> None:
    """Print what the task graph of a whole sends: its own tasks in bytes, and results of the size of a sample's.

    A result has the worst and first of each kind, so its size hardly grows with the clips it is of: the first level
    of the tree is taken to have results as large as those of the sample's batches, the others as large as their sum.
    """
    work = _work(whole, WORKERS)
    bare = len(pickle.dumps(Work(work.do, (), work.given_up)))
    tasks = [len(pickle.dumps(task)) for task in work.tasks]
    of_sample = _work(sample, WORKERS)
    sums = [of_sample.do(task) for task in of_sample.tasks]
    result, added = max(len(pickle.dumps(one)) for one in sums), len(pickle.dumps(reduce(add, sums)))
    levels = tree_levels(len(tasks))
    moved = levels[0] * result + sum(levels[1:-1]) * added
    print(
        json.dumps(
            {
                "levels": levels,
                "messages": 2 * sum(levels) + WORKERS + levels[0] + sum(levels[1:-1]),
                "bytes": bare * WORKERS + sum(tasks) + moved + added,
                "job": bare,
                "task": max(tasks),
                "result": result,
                "sum": added,
            }
        )
    )


def _ran(*words: str | Path) -> Any:
    """What a job prints, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.batches", *map(str, words)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure(_: Options) -> Iterator[Row]:
    """Growth in one process, engines at 100,448 clips, a million clips within 2 GB, the task graph of 100 workers."""
    with tempfile.TemporaryDirectory() as place:
        folders = {clips: Path(place) / str(clips) for clips in (SMALL, LARGE, MILLION)}
        for clips, folder in folders.items():
            make(folder, clips)
        _, small, large = _ran("growth", folders[SMALL], folders[SMALL], folders[LARGE])
        note = f"{LARGE:,} clips from Parquet to the vector, all at once"
        yield Row(SUBJECT, "CPU of 100,448 clips", large, "s", Target(10, at_least=False), note)
        note = f"{SMALL:,} clips: {small:.3f} s, the second time, in the same process"
        yield Row(SUBJECT, "CPU against 86 × the small run", large / (LARGE / SMALL * small), "×", None, note)
        engines = ("local", "processes:1", "processes:2", "dask:1", "dask:2")
        runs = {engine: _ran("job", engine, folders[LARGE]) for engine in engines}
        yield from _engine_rows(runs)
        million = _ran("job", "local", folders[MILLION])
        note = f"{million['cpu']:.0f} s of CPU, {million['seconds']:.0f} s, {million['answer']['batches']} batches"
        yield Row(SUBJECT, f"memory at {MILLION:,} clips", million["memory"], "GB", Target(2, at_least=False), note)
        yield _two_workers_row(million, _ran("job", "processes:2", folders[MILLION]))
        yield from _graph_rows(folders[MILLION], folders[LARGE])
        bare, drawn, memory = _ran("page", folders[LARGE])
        note = (
            f"{drawn:.1f} s with a page against {bare:.1f} s, {memory:.2f} GB: 4,000 draws of every clause and metric"
        )
        yield Row(SUBJECT, f"CPU of the page of {LARGE:,} clips", drawn - bare, "s", None, note)
        yield _files_row(Path(place) / "files")


def _two_workers_row(alone: dict[str, Any], both: dict[str, Any]) -> Row:
    """What two processes and the one that gives them their batches hold together."""
    memory = both["memory"] + both["workers"]
    same = all(both["answer"][clause] == value for clause, value in alone["answer"].items() if clause != "batches")
    times = alone["seconds"] / both["seconds"]
    note = f"{times:.2f} × the throughput of one, {both['cpu']:.0f} s of CPU; same vector: {same}"
    name = f"memory at {MILLION:,} clips on two workers"
    return Row(SUBJECT, name, memory, "GB", Target(2, at_least=False), note)


def _files_row(folder: Path) -> Row:
    scores(folder, FILES)
    whole, pieces = (_ran("files", folder, memory) for memory in ("at once", "64MB"))
    note = f"{whole['memory']:.0f} MB at once; CPU {pieces['cpu']:.1f} s against {whole['cpu']:.1f} s; same vector: "
    note += str(pieces["answer"] == whole["answer"])
    return Row(SUBJECT, f"memory of {FILES:,} score files, --memory 64MB", pieces["memory"], "MB", None, note)


def _engine_rows(runs: dict[str, dict[str, Any]]) -> Iterator[Row]:
    same = len({json.dumps({k: v for k, v in r["answer"].items() if k != "batches"}) for r in runs.values()}) == 1
    pairs = (("processes:2", "local"), ("processes:2", "processes:1"), ("dask:2", "dask:1"), ("dask:2", "processes:2"))
    for ours, other in pairs:
        ratio = runs[other]["seconds"] / runs[ours]["seconds"]
        seconds, cpu = ([runs[engine][key] for engine in (ours, other)] for key in ("seconds", "cpu"))
        note = f"{seconds[0]:.1f} s against {seconds[1]:.1f} s, of CPU {cpu[0]:.1f} s against {cpu[1]:.1f} s; "
        note += f"same vector: {same}"
        yield Row(SUBJECT, f"throughput of {ours} over {other}", ratio, "×", None, note)


def _graph_rows(whole: Path, sample: Path) -> Iterator[Row]:
    """What the graph of the million costs on 100 workers: counted from the graph, not measured."""
    found = _ran("graph", whole, sample)
    note = f"levels {found['levels']}, {FAN_IN} results added at a time; a start and an end of each task, each result "
    note += "moved once, the job to each worker"
    yield Row(SUBJECT, f"messages of the task graph on {WORKERS} workers", found["messages"], "messages", None, note)
    note = f"job {found['job']:,} B to each worker, a task at most {found['task']:,} B, a batch's result at most "
    note += f"{found['result']:,} B, their sum {found['sum']:,} B"
    yield Row(SUBJECT, f"bytes of the task graph on {WORKERS} workers", found["bytes"] / 1e6, "MB", None, note)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["make", folder, clips]:
            make(Path(folder), int(clips))
        case ["growth", *folders]:
            growth(*map(Path, folders))
        case ["graph", whole, sample]:
            graph(Path(whole), Path(sample))
        case ["page", folder]:
            page(Path(folder))
        case ["scores", folder, clips]:
            scores(Path(folder), int(clips))
        case ["files", folder, memory]:
            files(Path(folder), memory)
        case ["job", name, folder]:
            job(name, Path(folder))
