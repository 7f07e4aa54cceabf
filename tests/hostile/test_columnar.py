"""Damaged Parquet and Arrow files are read or refused, and never read what is not there (rules 13.27, 25.1)."""

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli.command import run, write
from pyarrow import feather

from hostile.columnar import damaged_file, faults_of
from hostile.test_cases import USUAL
from tracepact.data.arrow_files import BadColumnarError, ColumnarFile

SIDES = ("--ref", "ref.tsv", "--durations", "durations.tsv")


def test_damaged_files_never_end_the_process() -> None:
    tally: Counter[str] = Counter()
    assert faults_of(0, 240, tally) == []
    assert tally["files"] == 240
    assert damaged_file(7) == damaged_file(7)


def test_offsets_beyond_their_buffer_are_refused(tmp_path: Path) -> None:
    table = pa.table({"filename": ["a", "b"], "onset": [1.0, 1.0], "offset": [2.0, 2.0], "event_label": ["x", "x"]})
    feather.write_feather(table, tmp_path / "t.arrow", compression="uncompressed")
    data = (tmp_path / "t.arrow").read_bytes()
    offsets = b"".join(n.to_bytes(4, "little") for n in (0, 1, 2))
    assert offsets in data
    for wrong in (2**31 - 1, 10**6, 2**32 - 5):
        (tmp_path / "t.arrow").write_bytes(
            data.replace(offsets, offsets[:4] + wrong.to_bytes(4, "little") + offsets[8:])
        )
        with pytest.raises(BadColumnarError):
            ColumnarFile(tmp_path / "t.arrow", "t").table()


@pytest.mark.parametrize("engine", [(), ("--engine", "local")])
@pytest.mark.parametrize(
    ("names", "code", "says"),
    [
        (pa.array([None, None], pa.string()), 2, "incomplete-row"),
        (pa.array(["", " "]), 2, "incomplete-row"),
        (pa.array([b"a", b"a"]), 0, ""),
        (pa.array([b"a", b"\xff"]), 2, "not UTF-8"),
    ],
)
def test_names_that_are_none(names: pa.Array, code: int, says: str, engine: tuple[str, ...], tmp_path: Path) -> None:
    write(tmp_path, USUAL)
    table = pa.table({"filename": names, "onset": [1.0, 3.0], "offset": [2.0, 4.0], "event_label": ["x", "x"]})
    pq.write_table(table, tmp_path / "p.parquet")
    found = run("score", "gate.contract", *SIDES, "--pred", "p.parquet", *engine, folder=tmp_path)
    assert (found.code, "Traceback" in found.err) == (code, False), found.err
    assert says in found.err


@pytest.mark.parametrize("engine", [(), ("--engine", "local")])
@pytest.mark.parametrize("command", [("score", "gate.contract"), ("metrics",), ("curves", "gate.contract")])
def test_two_sides_without_a_single_name_are_refused(
    command: tuple[str, ...], engine: tuple[str, ...], tmp_path: Path
) -> None:
    """There is no clip then, so no batch that could read the rows."""
    write(tmp_path, USUAL)
    table = pa.table({"filename": pa.nulls(2), "onset": [1.0, 3.0], "offset": [2.0, 4.0], "event_label": ["x", "x"]})
    pq.write_table(table, tmp_path / "p.parquet")
    sides = ("--ref", "p.parquet", "--pred", "p.parquet", "--durations", "5")
    found = run(*command, *sides, *engine, folder=tmp_path)
    assert (found.code, "Traceback" in found.err) == (2, False), found.err
    assert found.codes.count("incomplete-row") == 4, "two rows of two sides"


@pytest.mark.parametrize("engine", [(), ("--engine", "local")])
@pytest.mark.parametrize(
    ("column", "cells", "called"),
    [
        ("filename", [["a"], ["b"]], "filename (list)"),
        ("event_label", [{"name": "x"}, {"name": "y"}], "event_label (struct)"),
        ("onset", [[1.0], [3.0]], "onset (list)"),
    ],
)
def test_a_column_of_lists_is_no_column_of_names_or_times(
    column: str, cells: list[Any], called: str, engine: tuple[str, ...], tmp_path: Path
) -> None:
    write(tmp_path, USUAL)
    usual = {"filename": ["a", "a"], "onset": [1.0, 3.0], "offset": [2.0, 4.0], "event_label": ["x", "x"]}
    pq.write_table(pa.table({**usual, column: cells}), tmp_path / "p.parquet")
    sides = ("--ref", "p.parquet", "--pred", "p.parquet", "--durations", "5")
    found = run("metrics", *sides, *engine, folder=tmp_path)
    assert (found.code, set(found.codes)) == (2, {"wrong-columns"}), found.err
    assert f"`{called}`" in found.err


@pytest.mark.parametrize("engine", [(), ("--engine", "local")])
def test_more_cells_than_are_read_in_one_go_are_refused(engine: tuple[str, ...], tmp_path: Path) -> None:
    write(tmp_path, USUAL)
    table = pa.table({"filename": ["a"] * 90, "onset": [1.0] * 90, "offset": [2.0] * 90, "event_label": ["x"] * 90})
    pq.write_table(table, tmp_path / "p.parquet")
    ask = ("score", "gate.contract", *SIDES, "--pred", "p.parquet", *engine)
    assert run(*ask, "--limit", "cells=360", folder=tmp_path).code == 0
    found = run(*ask, "--limit", "cells=100", folder=tmp_path)
    assert found.code == 2
    assert "too-many-cells" in found.err
    assert "--limit cells=NUMBER" in found.err
