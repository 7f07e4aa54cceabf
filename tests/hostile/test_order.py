"""The order of rows is no part of the data: a run on the same rows in another order says the same."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from cli.command import events, write

import tracepact
from hostile.doors import MORE

Rows = list[tuple[str, str, str, str]]


def rows(rng: Random, number: int) -> Rows:
    """Events of three clips and classes; times in hundredths, so that ties are common."""
    found = []
    for _ in range(number):
        onset = rng.randrange(900)
        end = onset + rng.randrange(1, 200)
        found.append((rng.choice("cab"), f"{onset / 100:.2f}", f"{end / 100:.2f}", rng.choice("yxz")))
    return found


def said(ref: Rows, pred: Rows, clips: str) -> dict[str, Any]:
    """The report of a run, without what it says of rows and files by name."""

    def by_clip(given: Rows) -> dict[str, list[tuple[str, str, str]]]:
        return {clip: [row[1:] for row in given if row[0] == clip] for clip in dict.fromkeys(row[0] for row in given)}

    contract = tracepact.parse_contract(MORE)
    found = tracepact.score(contract, by_clip(ref), by_clip(pred), durations=dict.fromkeys(clips, 20)).to_dict()
    found["diagnostics"] = found["diagnostics"]["counts"]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_neither_workers_nor_the_order_of_rows_change_a_byte_of_a_report(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    tables = {"ref": rows(rng, 30), "pred": rows(rng, 30)}
    contract, found = tracepact.parse_contract(MORE), []
    for engine in ("local", "processes:1", "processes:2", "processes:3"):
        for name, table in tables.items():
            rng.shuffle(table)
            write(tmp_path, {f"{name}.tsv": events(*map(" ".join, table))})
        sides = (tmp_path / "ref.tsv", tmp_path / "pred.tsv")
        lengths = dict.fromkeys(rng.sample("abc", 3), 20)
        run = tracepact.score_batches(contract, *sides, durations=lengths, engine=engine, batch_clips=1)
        report = run.to_dict()
        found.append({**report, "diagnostics": report["diagnostics"]["counts"], "inputs": None})
    assert all(report == found[0] for report in found[1:])


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    rng = Random(seed)
    ref, pred = rows(rng, 12), rows(rng, 14)
    first = said(ref, pred, "abc")
    rng.shuffle(ref)
    rng.shuffle(pred)
    assert said(ref, pred, "cba") == first
