"""Score generated clips on a cluster of two workers, lose one of them on the way, and compare with a single process.

`python cluster.py 1000000` does it with a million clips; nothing but time and disk changes.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tracepact import score_batches

CLIPS = int(sys.argv[1]) if len(sys.argv) > 1 else 400
OUT = Path("out")
LABELS = np.array(["bell", "dog", "speech"])


def make(name: str, late: int) -> str:
    """A table of about three events a clip, as a Parquet file."""
    draw = np.random.default_rng(1)
    clip = np.sort(np.append(np.arange(CLIPS), draw.integers(0, CLIPS, 2 * CLIPS)))
    onset = draw.integers(0, 880, len(clip)) + late
    table = pa.table(
        {
            "filename": np.char.add("clip", np.char.zfill(clip.astype(str), 7)),
            "onset": onset / 100,
            "offset": (onset + draw.integers(10, 100, len(clip))) / 100,
            "event_label": LABELS[draw.integers(0, len(LABELS), len(clip))],
        }
    )
    path = OUT / f"{name}.parquet"
    pq.write_table(table, path, row_group_size=100_000)
    return str(path)


def dask(tool: str, *options: str) -> subprocess.Popen[bytes]:
    """Start a scheduler or a worker on this machine."""
    place = ["--scheduler-file", str(OUT / "scheduler.json"), "--no-dashboard"]
    command = [sys.executable, "-m", f"distributed.cli.dask_{tool}", *place, *options]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL)


def wait_for(there: Path, pattern: str, writer: subprocess.Popen[bytes]) -> None:
    """Wait until a file is there, or its writer has ended."""
    while not any(there.glob(pattern)) and writer.poll() is None:
        time.sleep(0.05)


OUT.mkdir(exist_ok=True)
given = {"ref": make("reference", 0), "pred": make("prediction", 5), "durations": 10}
size = max(10, CLIPS // 40)
processes = [dask("scheduler", "--host", "127.0.0.1", "--port", "0")]
try:
    wait_for(OUT, "scheduler.json", processes[0])
    address = json.loads((OUT / "scheduler.json").read_text())["address"]
    processes += [dask("worker", "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1") for _ in range(2)]
    scoring = subprocess.Popen([sys.executable, "score.py", address, json.dumps(given), str(size)])
    wait_for(OUT / "run.making", "batch-*.record", scoring)
    processes[-1].kill()
    print("one of two workers killed after the first batches")
    if scoring.wait():
        sys.exit("the scoring failed")
finally:
    for process in processes:
        process.kill()
        process.wait()
    (OUT / "scheduler.json").unlink(missing_ok=True)

score_batches("boundary_gate", **given, batch_clips=7 * size, out=OUT / "alone")
same = all(path.read_bytes() == (OUT / "alone" / path.name).read_bytes() for path in sorted((OUT / "run").iterdir()))
print(f"every file is the one that a single process writes: {same}")
