"""Damaged Parquet and Arrow files, read in a process of their own: a signal means that it read what is not there.

`python -m hostile.columnar FILES` reads so many; file number n is always the same.
"""

import io
import re
import subprocess
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import ipc

from hostile.harness import OutOfTime, budget
from tracepact.data.dataset import open_dataset
from tracepact.data.fields import read_scores
from tracepact.data.memory import durations_from, events_from
from tracepact.data.readings import Reading
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.runs.rows import stored_tables
from tracepact.runs.sides import names_of, origin_of

STRETCH = 500
"""Files that one process reads."""
MOST = 3 << 30
"""Bytes that no process may come to hold."""
NUMBERS = (
    0,
    1,
    2,
    7,
    127,
    128,
    255,
    2**15,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**33,
    2**48,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
)


def _tables() -> dict[str, Any]:
    """Small tables of every kind of column that offsets, indices and lengths lead into."""
    names = [f"clip-{n // 3}.wav" for n in range(40)]
    onsets = [n / 10 for n in range(40)]
    labels = [("dog", "cat", "ä")[n % 3] for n in range(40)]
    events = {
        "filename": names,
        "onset": onsets,
        "offset": [time + 0.5 for time in onsets],
        "event_label": labels,
        "confidence": [None if n % 5 == 0 else 0.5 for n in range(40)],
    }
    plain = pa.table(events)
    coded = plain.set_column(0, "filename", plain.column(0).dictionary_encode())
    coded = coded.set_column(
        3, "event_label", pa.array(labels).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.utf8()))
    )
    parts = plain.append_column("list", pa.array([[1, 2], None] * 20)).append_column(
        "parts", pa.array([{"a": "x", "b": [n]} for n in range(40)])
    )
    wide = pa.table(
        {
            "filename": pa.array(names, pa.large_string()),
            "onset": pa.array([str(time) for time in onsets]),
            "offset": pa.array([time + 0.5 for time in onsets], pa.float32()),
            "event_label": pa.array([label.encode() for label in labels], pa.binary()),
        }
    )
    frames = {"onset": list(range(40)), "offset": [n + 1 for n in range(40)], "dog": onsets[:10] * 4}
    lengths = {"filename": sorted(set(names)), "duration": [10] * 14}
    return {
        "plain": plain,
        "coded": coded,
        "parts": parts,
        "wide": wide,
        "scores": pa.table({"filename": names[:1] * 40, **frames}),
        "lengths": pa.table(lengths),
    }


@cache
def seeds() -> list[tuple[str, bytes]]:
    """The whole files, by the ending of their names."""
    found = []
    for table in _tables().values():
        for stream in (False, True):
            for packed in (None, "zstd", "lz4"):
                held = io.BytesIO()
                kind = ipc.new_stream if stream else ipc.new_file
                with kind(held, table.schema, options=ipc.IpcWriteOptions(compression=packed)) as writer:
                    writer.write_table(table, max_chunksize=25)
                found.append(("arrow", held.getvalue()))
        for packed, coded in (("none", True), ("none", False), ("snappy", True), ("zstd", False)):
            held = io.BytesIO()
            pq.write_table(table, held, compression=packed, use_dictionary=coded, row_group_size=25)
            found.append(("parquet", held.getvalue()))
    return found


def damaged_file(number: int) -> tuple[str, bytes]:
    """The damaged file of a number, and the ending of its name."""
    rng = Random(number)
    ending, whole = seeds()[number % len(seeds())]
    data = bytearray(whole)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        size = rng.choice((1, 4, 4, 8))
        place = rng.randrange(8, len(data))
        place -= place % size if rng.random() < 0.8 else 0
        match rng.randrange(6):
            case 0:
                data[place] ^= 1 << rng.randrange(8)
            case 1:
                data[place : place + size] = rng.randbytes(size)
            case 2:  # an offset a little too far
                new = int.from_bytes(data[place : place + size], "little") + rng.choice((-1, 1, 40, 4096, 10**7))
                data[place : place + size] = (new % 256**size).to_bytes(size, "little")
            case 3 if rng.random() < 0.1:
                del data[place:]
            case _:
                data[place : place + size] = (rng.choice(NUMBERS) % 256**size).to_bytes(size, "little")
    return ending, bytes(data)


def _read(place: Path) -> int:
    """Whatever reads such a file reads this one, to its last value; by how many ways it came through."""
    through = 0
    for way in (
        lambda: [str(event) for _, event in events_from(place, Diagnostics(), name="x", reading=Reading()).events],
        lambda: read_scores(place, Diagnostics()),
        lambda: durations_from(place, Diagnostics()),
        lambda: _in_pieces(place),
        lambda: [table.to_pylist() for table in stored_tables(place.parent, place.name)],
    ):
        try:
            way()
            through += 1
        except (InvalidInput, ValueError) as refused:
            if type(refused).__name__ not in ("InvalidInput", "BadColumnarError"):
                raise
    return through


def _in_pieces(place: Path) -> None:
    source = open_dataset(place, Diagnostics())
    if source is not None:
        origin_of(source, names_of(source, Diagnostics()))
        source.whole(Diagnostics())


def _child(first: int, last: int) -> None:
    """Read some files; say each number before, and how it ended if it ended ill."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, last):
            ending, data = damaged_file(number)
            place = Path(folder) / f"t.{ending}"
            place.write_bytes(data)
            print("at", number, flush=True)
            try:
                with budget():
                    print("read", _read(place), flush=True)
            except OutOfTime:
                print("fault", number, "hang", flush=True)
            except Exception as error:  # noqa: BLE001  (what is looked for)
                import traceback

                last_call = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{Path(last_call.filename).name}:{last_call.lineno}"
                print("fault", number, type(error).__name__, str(error)[:100].replace("\n", " "), where, flush=True)
    print("memory", _most_held(), flush=True)


def _most_held() -> int:
    """The most bytes that this program held at a time, as far as the system tells."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    # `ru_maxrss` counts what the process that started it held, and workers of a test run hold gigabytes.
    peak = re.search(r"^VmHWM:\s*(\d+) kB$", status, re.MULTILINE)
    return 0 if peak is None else int(peak[1]) * 1024


def faults_of(first: int, last: int, tally: Counter[str]) -> list[str]:
    """Read the files of these numbers in processes; what ended ill, each with its number."""
    faults = []
    while first < last:
        end = min(first + STRETCH, last)
        command = [sys.executable, "-m", "hostile.columnar", str(first), str(end)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1800, cwd=Path(__file__).parents[1])
        lines = done.stdout.splitlines()
        at = max((int(line.split()[1]) for line in lines if line.startswith("at ")), default=first)
        ill = [line for line in lines if line.startswith("fault ")]
        most = max((int(line.split()[1]) for line in lines if line.startswith("memory ")), default=0)
        tally["files"] += at + 1 - first
        tally["faults"] += len(ill)
        tally.update(f"read by {line.split()[1]} ways" for line in lines if line.startswith("read "))
        tally["memory"] = max(tally["memory"], most)
        faults += ill
        if most > MOST:
            faults.append(f"files {first} to {end} took {most:,} bytes")
        if done.returncode:
            tally["signals"] += 1
            faults.append(f"file {at} ended the process with {done.returncode}: {done.stderr[-300:]}")
            first = at + 1
        else:
            first = end
    return faults


if __name__ == "__main__":
    match [int(number) for number in sys.argv[1:]]:
        case [begin, end]:
            _child(begin, end)
        case [number]:
            counts: Counter[str] = Counter()
            for begin in range(0, number, STRETCH):
                for fault in faults_of(begin, min(begin + STRETCH, number), counts):
                    print(fault, flush=True)
            print(dict(counts), f"of {len(seeds())} whole files")
