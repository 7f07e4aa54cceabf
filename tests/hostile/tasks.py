"""Generators for tasks of several files: thresholds, audits of runs, calibration sets, judgements, conformance."""

import io
import json
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import formats
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from cli.command import events, run

from hostile.forging import sign
from hostile.harness import Input
from hostile.values import changed_bytes, changed_leaf, damaged, damaged_json, name, number, some
from tracepact.selection import interview as judge_command
from tracepact.selection.calibration_reader import load_calibration
from tracepact.selection.judgements import Tables, read_systems

GATE = """contract gate
step 32ms
param tol = 64ms
clause onset on ref_onset : ref_onset -> N[tol] pred_onset
clause whole on each ref : matched and covering <= 1
profile harm : onset = 1, whole = 2
"""
REF = events("c 0.03 0.1 dog", "c 0.06 0.19 cat")
TABLES = {"ref.tsv": events("a 1 2 x", "b 0.5 1 x"), "one.tsv": events("a 1.06 2 x"), "two.tsv": events("a 1 1.5 x")}
LENGTHS = "filename\tduration\na\t3\nb\t2\n"
RESULT: dict[str, Any] = {
    "command": ["monitor"],
    "implementation": "monitor",
    "protocol": 1,
    "profiles": ["core"],
    "left_out": [],
    "seed": 0,
    "examples": 60,
    "conforms": False,
    "tested": True,
    "stopped": None,
    "vectors": [{"name": "windows", "passed": 3, "failed": 1, "unsupported": 0}],
    "random": [{"name": "formulas", "passed": 60, "failed": 0, "unsupported": 2}],
    "rules": [{"profile": "core", "rule": "3.4", "passed": 3, "failed": 1, "unsupported": 0}],
    "unsupported": [{"reason": "no until", "count": 2}],
    "findings": [
        {
            "kind": "wrong-answer",
            "origin": "vectors",
            "words": "verdicts differ",
            "parts": ["verdicts"],
            "answered": {"verdicts": "01"},
            "vector": {"id": "windows/one", "rules": ["3.4"], "frames": [{"ask": "verdicts"}]},
            "picture": ["expected 11", "answered 01"],
            "replay": "tracepact conform --case c.json -- monitor",
        }
    ],
    "versions": {"tracepact": "0.1.0"},
}


def thresholds(rng: Random) -> Input:
    """A score file with its references, one of them damaged, over all thresholds."""
    files = {"s/c.tsv": formats.SCORES, "ref.tsv": REF, "g.contract": GATE}
    found = {file: text.encode() for file, text in files.items()}
    file = some(rng, ("s/c.tsv", "s/c.tsv", "ref.tsv", "g.contract"))
    found[file] = damaged(rng, files[file])
    sides = ("--ref", "ref.tsv", "--pred", "s")
    commands = (
        ("curves", "g.contract", *sides, "--draws", "10"),
        ("curves", "g.contract", *sides, "--union", "--draws", "10", "--format", "json"),
        ("curves", "g.contract", *sides, "--memory", "1GB"),
        ("tune", "g.contract", *sides, "--objective", "onset", "--folds", "0"),
        ("score", "g.contract", *sides, "--threshold", number(rng)),
    )
    return Input(found, some(rng, commands))


@cache
def runs() -> dict[str, bytes]:
    """Two run directories of one contract on the same data."""
    home = Path(tempfile.mkdtemp(prefix="hostile-runs-"))
    try:
        for file, text in {**TABLES, "lengths.tsv": LENGTHS, "g.contract": GATE}.items():
            (home / file).write_text(text)
        for system in ("one", "two"):
            sides = ("--ref", "ref.tsv", "--pred", f"{system}.tsv", "--durations", "lengths.tsv")
            found = run("score", "g.contract", *sides, "--out", f"{system}.run", folder=home)
            assert found.code == 0, found.err
        return {path.relative_to(home).as_posix(): path.read_bytes() for path in home.glob("*.run/*")}
    finally:
        shutil.rmtree(home, ignore_errors=True)


def audits(rng: Random) -> Input:
    """Two runs, one of them with a damaged file, compared and audited."""
    files = {**runs(), "s/a.tsv": formats.SCORES.encode(), "s/b.tsv": formats.SCORES.encode()}
    file = some(rng, sorted(files))
    content = files[file]
    files[file] = damaged_json(rng, json.loads(content)) if file.endswith(".json") else damaged(rng, content.decode())
    if file.endswith(".npz"):
        files[file] = changed_bytes(rng, content)
    if rng.random() < 0.7:
        sign(files, f"{file.split('/')[0]}/")
    both = ("one.run", "two.run")
    draws = ("--draws", "10")
    commands = (
        ("compare", *both, *draws),
        ("compare", *both, *draws, "--format", "csv"),
        ("audit", "uncertainty", *both, *draws),
        ("audit", "selection", *both, "--format", "json"),
        ("audit", "neutrality", *both),
        ("audit", "profile", *both),
        ("audit", "matcher", "one.run"),
        ("audit", "tolerance", "two.run", "--parameter", "tol"),
        ("audit", "union-gap", "one.run"),
        ("audit", "threshold", "one.run", "--scores", "s"),
        ("league", *both, "--out", "league"),
        ("report", "one.run", "--format", "text"),
    )
    return Input(files, some(rng, commands))


@cache
def finished_batches() -> dict[str, bytes]:
    """A run directory of a run in batches."""
    home = Path(tempfile.mkdtemp(prefix="hostile-batched-"))
    try:
        for file, text in {**TABLES, "lengths.tsv": LENGTHS, "g.contract": GATE}.items():
            (home / file).write_text(text)
        sides = ("--ref", "ref.tsv", "--pred", "one.tsv", "--durations", "lengths.tsv")
        found = run("score", "g.contract", *sides, "--engine", "local", "--page", "--out", "run", folder=home)
        assert found.code == 0, found.err
        return {path.relative_to(home).as_posix(): path.read_bytes() for path in home.rglob("*") if path.is_file()}
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _changed_parquet(rng: Random, content: bytes) -> bytes:
    """A Parquet file with a value changed for another of its type, where its schema allows it, or with other bytes."""
    table = pq.read_table(io.BytesIO(content))
    try:
        changed = pa.table(changed_leaf(rng, table.to_pydict()), schema=table.schema)
    except (pa.ArrowException, OverflowError, ValueError):
        return changed_bytes(rng, content)
    written = io.BytesIO()
    pq.write_table(changed, written)
    return written.getvalue()


def batched_run(rng: Random) -> Input:
    """A run directory of a run in batches with a damaged file, read again."""
    files = dict(finished_batches())
    file = some(rng, sorted(file for file in files if file.startswith("run/")))
    content = files[file]
    if file.endswith(".parquet"):
        files[file] = _changed_parquet(rng, content)
    else:
        damage = damaged_json(rng, json.loads(content)) if file.endswith(".json") else changed_bytes(rng, content)
        files[file] = damage
    if rng.random() < 0.7:
        sign(files, "run/")
    commands = (
        ("verify", "run"),
        ("verify", "run", "--complete"),
        ("report", "run", "--format", "text"),
        ("report", "run", "--out", "views"),
        ("compare", "run", "run"),
    )
    return Input(files, some(rng, commands))


def calibrated(rng: Random) -> Input:
    """References of one's own, damaged, made into a calibration set."""
    file = some(rng, ("ref.tsv", "lengths.tsv", "g.contract"))
    files = {"ref.tsv": TABLES["ref.tsv"], "lengths.tsv": LENGTHS, "g.contract": GATE}
    found = {each: text.encode() for each, text in files.items()}
    found[file] = damaged(rng, files[file])
    options = some(rng, ((), ("--durations", "lengths.tsv"), ("--label", name(rng).replace("\0", "")), ("--whole",)))
    command = ("calibrate", "--ref", "ref.tsv", "--contract", "g.contract", "--out", "mine.calibration", *options)
    return Input(found, command)


def _once(work: Callable[..., Any]) -> Callable[..., Any]:
    """What is computed of the tables is computed once: they are the same in every interview."""
    kept: list[Any] = []

    def done(*arguments: Any) -> Any:
        if not kept:
            kept.append(work(*arguments))
        return kept[0]

    return done


_OF_TABLES = {
    name: _once(getattr(judge_command, name)) for name in ("observe_family", "retain_basis", "tried_contracts")
}


def judgements(rng: Random) -> Input:
    """An interview that goes on with a damaged file, and a damaged answer of its page."""
    rows = [("a", "one", "two", rng.choice(["a", "b", "same"]), number(rng)), ("b", "one", "two", name(rng), "1")]
    kept = "clip\ta\tb\tworse\tjudge\n" + "".join("\t".join(row) + "\n" for row in rows[: rng.randrange(3)])
    body = {"pair": 0, "said": some(rng, ("left", "right", "same")), "after": rng.randrange(3)}
    asked = some(rng, ("answer", "undo", "next"))
    content = damaged_json(rng, body) if rng.random() < 0.5 else json.dumps(body).encode()
    files = {file: text.encode() for file, text in {**TABLES, "lengths.tsv": LENGTHS}.items()}
    if rng.random() < 0.5:
        files["kept.tsv"] = damaged(rng, kept)

    def call(folder: Path) -> Any:
        systems = {system: str(folder / f"{system}.tsv") for system in ("one", "two")}
        tables = Tables(str(folder / "ref.tsv"), str(folder / "lengths.tsv"), systems, None)
        grid = load_calibration("boundary_gate", ranked=False)
        with patch.multiple(judge_command, **_OF_TABLES):
            interview = judge_command.prepared(grid, read_systems(grid, tables), folder / "kept.tsv", "")
        try:
            return interview.questions[asked](content)
        except msgspec.MsgspecError as refused:
            return str(refused)

    return Input(files, call=call)


def conformance(rng: Random) -> Input:
    """A result of a conformance run, damaged, beside a whole one."""
    files = {"one.json": damaged_json(rng, RESULT), "two.json": json.dumps(RESULT).encode()}
    return Input(files, ("conformance", "one.json", "two.json", "--out", "page.html"))
