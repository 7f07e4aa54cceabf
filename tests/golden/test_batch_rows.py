"""The rows of a run in batches are those of a run in memory, whatever the engine and the kind of table."""

import csv
import json
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli.command import run

import tracepact
from golden.task import CLASSES, CLAUSES, CLIPS, LATE, STEP, Card, number, write_task

BESIDE = ("--durations", "durations.tsv", "--ignore", "ignore.tsv", "--conditions", "conditions.tsv")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The task as tables separated by tabs, by commas, and as Parquet."""
    place = tmp_path_factory.mktemp("golden")
    write_task(place)
    for name in ("ref", "pred"):
        with open(place / f"{name}.tsv", encoding="utf-8") as file:
            header, *rows = csv.reader(file, delimiter="\t")
        with open(place / f"{name}.csv", "w", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])
        columns = {column: [row[i] for row in rows] for i, column in enumerate(header)}
        pq.write_table(pa.table(columns), place / f"{name}.parquet")
    return place


def seconds(*frames: int) -> list[str]:
    return [number(frame * STEP) for frame in frames]


def violations(card: Card, clause: str) -> list[list[str]]:
    """The violations of a clause by clip, class and time (24.10)."""
    places = [(clip, label) for clip in CLIPS for label in CLASSES]
    return [
        [*at, *seconds(one.start, one.end), one.part, one.distance, one.unit]
        for at in places
        for one in card.cells[at].clause(clause)
        if not one.held
    ]


def scores(card: Card) -> Iterator[list[object]]:
    for clip in CLIPS:
        for label in CLASSES:
            for clause in CLAUSES:
                one = card.counts[clause][clip, label]
                yield [clip, label, clause, one.held, one.obliged, one.vacuous]


def matches(card: Card) -> Iterator[list[str]]:
    for clip in CLIPS:
        for label in CLASSES:
            for ref, pred in card.cells[clip, label].pairs:
                yield [clip, label, *seconds(*ref, *pred)]


@pytest.mark.parametrize(("kind", "engine"), [("parquet", "local"), ("csv", "local"), ("parquet", "processes:2")])
def test_batch_rows(folder: Path, kind: str, engine: str) -> None:
    """Parquet rows of scores, matches and violations against plain loops, and the report of a run in memory."""
    name = f"{kind}-{engine.partition(':')[0]}"
    sides = ("--ref", f"ref.{kind}", "--pred", f"pred.{kind}", *BESIDE)
    batch = run("score", "golden.contract", *sides, "--engine", engine, "--out", name, folder=folder)
    assert batch.code == 0, batch.err
    memory = run("score", "golden.contract", *sides, "--out", f"{name}-memory", folder=folder)
    assert memory.code == 0, memory.err
    for file in ("report.json", "report.txt", "report.svg", "contract.contract", "source.contract"):
        assert (folder / name / file).read_bytes() == (folder / f"{name}-memory" / file).read_bytes(), file
    card, place = Card(LATE), folder / name
    table = pq.read_table(place / "scores.parquet")
    assert table.column_names == ["filename", "event_label", "clause", "satisfied", "obligated", "vacuous"]
    assert [list(row.values()) for row in table.to_pylist()] == list(scores(card))
    table = pq.read_table(place / "matches.parquet")
    header = (folder / f"{name}-memory" / "matches.csv").read_text().splitlines()[0]
    assert table.column_names == header.split(",")
    assert [list(row.values()) for row in table.to_pylist()] == list(matches(card))
    for clause in CLAUSES:
        table = pq.read_table(place / f"violations-{clause}.parquet")
        header = (folder / f"{name}-memory" / "violations.csv").read_text().splitlines()[0]
        assert table.column_names == [column for column in header.split(",") if column != "clause"]
        assert [list(row.values()) for row in table.to_pylist()] == violations(card, clause)
    manifest, beside = (json.loads((folder / n / "manifest.json").read_text()) for n in (name, f"{name}-memory"))
    for part in ("versions", "contract", "family", "inputs"):
        assert manifest[part] == beside[part]
    metrics = manifest["settings"].pop("metrics")
    assert manifest["settings"] == beside["settings"]
    assert metrics == {
        "collar": "1/5",
        "offset": "max",
        "share": "1/5",
        "segment": "1",
        "radius": "1/5",
        "evaluated": "events",
        "empty": "undefined",
        "macro": "defined",
    }
    assert run("verify", name, "--originals", ".", folder=folder).code == 0


def test_metrics_in_batches(folder: Path) -> None:
    """`metrics` in batches prints the rows of `metrics` in memory."""
    sides = ("--ref", "ref.parquet", "--pred", "pred.parquet", *BESIDE[:4], "--contract", "golden.contract")
    for extra in (("--format", "csv"), ("--format", "csv", "--intervals", "--draws", "40")):
        memory = run("metrics", *sides, *extra, folder=folder)
        batch = run("metrics", *sides, *extra, "--engine", "local", folder=folder)
        assert (memory.code, batch.code) == (0, 0), batch.err
        assert memory.out == batch.out


def test_rows_of_several_batches(folder: Path) -> None:
    """A batch for each clip: no row is lost or doubled where one batch ends and the next begins."""
    sides = {"durations": "durations.tsv", "ignore": "ignore.tsv", "conditions": "conditions.tsv"}
    with chdir(folder):
        tracepact.score_batches("golden.contract", "ref.parquet", "pred.parquet", batch_clips=1, out="three", **sides)
    card, place = Card(LATE), folder / "three"
    assert [list(row.values()) for row in pq.read_table(place / "scores.parquet").to_pylist()] == list(scores(card))
    assert [list(row.values()) for row in pq.read_table(place / "matches.parquet").to_pylist()] == list(matches(card))
    for clause in CLAUSES:
        rows = pq.read_table(place / f"violations-{clause}.parquet").to_pylist()
        assert [list(row.values()) for row in rows] == violations(card, clause)
    arguments = ("--ref", "ref.parquet", "--pred", "pred.parquet", *BESIDE, "--out", "whole")
    assert run("score", "golden.contract", *arguments, folder=folder).code == 0
    assert (place / "report.json").read_bytes() == (folder / "whole" / "report.json").read_bytes()
