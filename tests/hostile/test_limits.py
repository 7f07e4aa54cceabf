"""Each check of what opens a stranger's file, by itself: what it refuses, and that what is beside it is let through."""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from cli.command import run, write

import tracepact
from hostile.harness import OutOfTime, budget
from hostile.naming import SIDES, TABLES, changed
from tracepact.data.arrow_files import ColumnarFile
from tracepact.diagnostics.collection import InvalidInput
from tracepact.inputs import (
    digest_within,
    is_input,
    open_within,
    plain_within,
    read_bytes,
    read_within,
    remembering_inputs,
    with_limits,
)
from tracepact.runs import originals
from tracepact.wording import parse_exact, parse_stored, parse_whole

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@contextmanager
def in_time(seconds: float = 10) -> Iterator[None]:
    """Raise OutOfTime after so many seconds of any time: who waits for a pipe takes none of the processor."""

    def ended(number: int, frame: FrameType | None) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, ended)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file, a folder of files, and what leads out of it or is no file."""
    inside = tmp_path / "inside"
    (inside / "deep").mkdir(parents=True)
    (inside / "plain").write_bytes(b"0123")
    (inside / "deep" / "plain").write_bytes(b"x")
    (tmp_path / "outside").write_bytes(b"secret")
    (inside / "link").symlink_to("../outside")
    (inside / "near").symlink_to("deep/plain")
    (inside / "up").symlink_to("..", target_is_directory=True)
    os.mkfifo(inside / "pipe")
    return inside


@pytest.mark.parametrize("opens", [read_within, digest_within, plain_within])
@pytest.mark.parametrize(
    "name",
    ["link", "up/outside", "../outside", "deep/../plain", "pipe", "up/inside/../outside", "a\0b", "\ud800"],
)
def test_a_name_leads_to_a_plain_file_of_the_folder_or_nowhere(folder: Path, opens: object, name: str) -> None:
    assert read_within(folder, "plain") == b"0123"
    assert read_within(folder, "near") == b"x"
    with in_time(), pytest.raises(OSError):  # noqa: PT011  (why, is in its words)
        opens(folder, name)  # type: ignore[operator]


def test_a_path_from_the_root_is_no_name_of_a_folder(folder: Path) -> None:
    with pytest.raises(OSError, match="leads out of the folder"):
        open_within(folder, str(folder / "plain"))


def test_no_more_is_read_than_is_allowed(folder: Path) -> None:
    for reads in (read_within, digest_within):
        assert reads(folder, "plain", 4)
        with pytest.raises(OSError, match="more than 3 bytes"):
            reads(folder, "plain", 3)
    assert read_bytes(folder / "plain", 4) == b"0123"
    with pytest.raises(OSError, match="more than 3 bytes"):
        read_bytes(folder / "plain", 3)


@pytest.mark.parametrize("inner", ["pipe", "link"])
def test_every_file_of_a_folder_is_looked_at(folder: Path, inner: str) -> None:
    assert plain_within(folder, "deep").is_dir()
    (folder / inner).rename(folder / "deep" / inner)
    if inner == "link":
        (folder / "deep" / inner).unlink()
        (folder / "deep" / inner).symlink_to("../../outside")
    with pytest.raises(OSError):  # noqa: PT011
        plain_within(folder, "deep")


def test_what_a_command_has_read_is_remembered(folder: Path) -> None:
    with remembering_inputs():
        assert not is_input(folder / "plain")
        read_bytes(folder / "plain", as_input=False)
        assert not is_input(folder / "plain")
        read_bytes(folder / "plain")
        assert is_input(folder / "plain")
        assert not is_input(folder / "deep" / "plain")


# Numbers


def test_exponents_and_digits_have_an_end() -> None:
    assert parse_exact("1e999") == Fraction(10**999)
    assert parse_exact("9" * 60) == Fraction(int("9" * 60))
    for text in (
        "1e1000",
        "1e-1000",
        "1e+99999",
        "9" * 61,
        f"{'1' * 31}/{'1' * 30}",
        "٣",
        "١/٢",
        "1/0",
        "1e",
        "e1",
        ".",
    ):
        with budget(2), pytest.raises(ValueError):  # noqa: PT011
            parse_exact(text)


def test_stored_and_whole_numbers_have_an_end() -> None:
    assert parse_stored("7" * 4000) == int("7" * 4000)
    assert parse_stored(f"-{'1' * 1999}/{'3' * 1999}") == Fraction(-int("1" * 1999), int("3" * 1999))
    for text in ("7" * 4001, "1/0", "-1/0", "--1", "1e2000", "٣" * 61, "1/" + "2" * 4000):
        with budget(2), pytest.raises(ValueError):  # noqa: PT011
            parse_stored(text)
    assert parse_whole("9" * 60) == int("9" * 60)
    for text in ("9" * 61, "٣", "1.0", ""):
        with pytest.raises(ValueError):  # noqa: PT011
            parse_whole(text)


# Columns

WIDE = {"filename": ["a"], "onset": [1.0], "offset": [2.0], "event_label": ["x"]}


def arrow(table: object, codec: str | None = None) -> bytes:
    held = BytesIO()
    with pa.ipc.new_stream(held, table.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as out:  # type: ignore[attr-defined]
        out.write_table(table)
    return held.getvalue()


def parquet(table: object, **how: object) -> bytes:
    held = BytesIO()
    pq.write_table(table, held, **how)
    return held.getvalue()


def scored(folder: Path, data: bytes) -> tuple[int, list[str]]:
    """How a command ends that reads these predictions."""
    write(folder, TABLES)
    (folder / "pred.parquet").write_bytes(data)
    outcome = run(
        "score", "boundary_gate", "--ref", "ref.tsv", "--pred", "pred.parquet", "--durations", "5", folder=folder
    )
    assert "Traceback" not in outcome.err
    return outcome.code, [code for code in outcome.codes if not code.startswith("clip-")]


def rows(number: int) -> dict[str, list[object]]:
    return {name: values * number for name, values in WIDE.items()}


def varint(number: int) -> bytes:
    """A number as the footer of Parquet has it."""
    number, out = number << 1, b""
    while True:
        number, low = number >> 7, number & 127
        out += bytes([low | (128 if number else 0)])
        if not number:
            return out


def test_a_parquet_file_has_the_rows_that_it_says(tmp_path: Path) -> None:
    """Once the whole says another number than its row group, once the row group, once both, and the pages have less."""
    data = parquet(pa.table(rows(1000)))
    size = int.from_bytes(data[-8:-4], "little")
    start, known, other = len(data) - 8 - size, varint(1000), varint(1001)

    def forged(*places: int) -> bytes:
        copy = bytearray(data)
        for place in places:
            copy[place : place + len(known)] = other
        return bytes(copy)

    said: dict[str, int] = {}
    for place in (k for k in range(start, len(data) - 8) if data.startswith(known, k)):
        about = pq.read_metadata(BytesIO(forged(place)))
        if about.num_rows == 1001:
            said["file"] = place
        if about.row_group(0).num_rows == 1001:
            said["group"] = place
    assert sorted(said) == ["file", "group"]
    assert scored(tmp_path, data)[0] == 0
    for places in ([said["file"]], [said["group"]], [*said.values()]):
        assert scored(tmp_path, forged(*places)) == (2, ["unreadable-file"]), places


def test_texts_that_unpack_to_more_than_is_read_are_refused_before_they_are(tmp_path: Path) -> None:
    """A few thousand bytes that unpack to eight million, where 64 bytes a cell are taken."""
    text = ["a" + "x" * 2_000_000] * 4
    table = pa.table({**rows(4), "event_label": text})
    for data in (arrow(table, "zstd"), parquet(table, compression="zstd", use_dictionary=False)):
        assert len(data) < 20_000
        with with_limits(cells=10_000):
            assert scored(tmp_path, data) == (2, ["too-many-cells"])


def test_a_buffer_that_says_it_unpacks_to_a_tebibyte_is_not_unpacked(tmp_path: Path) -> None:
    """The size before the packed bytes is looked at first: what unpacks them would ask for as much memory."""
    data = arrow(pa.table({**rows(4), "event_label": ["x" * 2_000_001] * 4}), "zstd")
    size = (4 * 2_000_001).to_bytes(8, "little")
    assert data.count(size) == 1
    forged = data.replace(size, (1 << 40).to_bytes(8, "little"))
    assert scored(tmp_path, data)[0] == 0
    assert scored(tmp_path, forged) == (2, ["too-many-cells"])


def test_a_text_held_once_is_not_written_out_in_every_row_beyond_what_is_read() -> None:
    """A thousand characters in ten rows: held once they are read, written out they are more than 64 bytes a cell."""
    data = parquet(pa.table({"part": ["x" * 1000] * 10}))
    with with_limits(cells=20):
        assert ColumnarFile(data, "rows").table().num_rows == 10
        with pytest.raises(InvalidInput, match="too-many-cells"):
            ColumnarFile(data, "rows").plain()
    assert ColumnarFile(data, "rows").plain().column("part").to_pylist() == ["x" * 1000] * 10


def test_an_arrow_file_whose_end_points_nowhere_is_damaged(tmp_path: Path) -> None:
    held = BytesIO()
    with pa.ipc.new_file(held, pa.table(rows(3)).schema) as out:
        out.write_table(pa.table(rows(3)))
    data = held.getvalue()
    start = len(data) - 10 - int.from_bytes(data[-10:-6], "little")
    for place in (b"\xff\xff\xff\xff", b"\xff\xff\x00\x00", b"\x00\x00\x00\x00"):
        forged = data[:start] + place + data[start + 4 :]
        assert scored(tmp_path, forged) == (2, ["unreadable-file"])


def test_damage_of_every_kind_is_a_fault_of_the_file(tmp_path: Path) -> None:
    """Cut anywhere: no exception of a library comes out."""
    whole = {"stream": arrow(pa.table(rows(3))), "parquet": parquet(pa.table(rows(3)))}
    held = BytesIO()
    with pa.ipc.new_file(held, pa.table(rows(3)).schema) as out:
        out.write_table(pa.table(rows(3)))
    whole["file"] = held.getvalue()
    for kind, data in whole.items():
        assert scored(tmp_path, data)[0] == 0, kind
        for cut in (*range(8, min(len(data), 120), 16), len(data) // 2, len(data) - 9, len(data) - 1):
            code, codes = scored(tmp_path, data[:cut])
            assert (code, codes) in ((2, ["unreadable-file"]), (0, []), (2, [])), (kind, cut, codes)


# Runs


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A run directory."""
    write(tmp_path, TABLES)
    assert run("score", "boundary_gate", *SIDES, "--out", "run", folder=tmp_path).code == 0
    return tmp_path / "run"


@pytest.mark.parametrize("name", ["manifest.json", "scores.csv", "prediction.tsv", "report.json"])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_file_of_a_run_is_no_link_that_leads_out_and_no_pipe(stored: Path, name: str, kind: str) -> None:
    """The same bytes elsewhere are not taken, and a pipe is not waited for."""
    elsewhere = stored.parent / "elsewhere"
    shutil.copytree(stored, stored.parent / "copy")
    (stored / name).rename(elsewhere)
    if kind == "link":
        (stored / name).symlink_to(elsewhere)
    else:
        os.mkfifo(stored / name)
    command = ("compare", "run", "copy") if name == "scores.csv" else ("report", "run", "--format", "text")
    with in_time(60):
        outcome = run(*command, folder=stored.parent)
    assert outcome.code == 2
    assert outcome.codes in (["broken-run"], ["not-a-run"])


def test_a_stored_table_of_another_content_is_refused(stored: Path) -> None:
    """Another time in the form of a stored table, which nothing but its digest tells."""
    table = stored / "prediction.tsv"
    text = table.read_text(encoding="utf-8")
    assert text.count("1.06") == 1
    table.write_text(text.replace("1.06", "1.07"), encoding="utf-8")
    with pytest.raises(InvalidInput, match="broken-run"):
        tracepact.load_run(stored)


@pytest.mark.parametrize("name", ["../elsewhere.tsv", "/etc/hostname", "deep/../prediction.tsv"])
def test_a_sealed_manifest_names_files_of_its_folder(stored: Path, name: str) -> None:
    """Digests that fit do not make a place outside one of the run."""
    (stored.parent / "elsewhere.tsv").write_bytes((stored / "prediction.tsv").read_bytes())
    (stored / "deep").mkdir()

    def change(manifest: dict[str, object]) -> None:
        for kind in ("tables", "files"):
            for item in manifest[kind]:  # type: ignore[attr-defined]
                for key in ("file", "name"):
                    if item.get(key) == "prediction.tsv":
                        item[key] = name

    changed(stored, "manifest.json", change)
    with pytest.raises(InvalidInput):
        tracepact.load_run(stored)


def test_a_report_that_its_own_tables_contradict_is_not_drawn(stored: Path) -> None:
    """Digests are made to fit, so that only the run computed again tells that the report says something else."""

    def flatter(report: dict[str, Any]) -> None:
        report["vector"][0]["scores"]["pooled"]["obligated"] += 1

    changed(stored, "report.json", flatter)
    changed(stored, "manifest.json", lambda manifest: None)
    outcome = run("report", "run", "--out", "views", folder=stored.parent)
    assert (outcome.code, outcome.codes) == (2, ["broken-run"])
    assert not (stored.parent / "views").exists()


def test_all_originals_together_are_bounded(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the two is small enough, both together are not: the second is not read to its end."""
    sizes = [len((stored.parent / name).read_bytes()) for name in TABLES]
    monkeypatch.setattr(originals, "_MOST_BYTES", sum(sizes) - 1)
    compared = tracepact.verify_run(stored, originals=stored.parent).originals
    assert [one.state for one in compared] == ["same", "not compared"]
