"""Run directories: what they hold, that nothing is lost in them, and that they are replaced whole or not at all."""

import csv
import json
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from strategies import sized

from score.runs import runs, small_run
from tracepact import files
from tracepact.declarations import spec_path
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import RowPlace
from tracepact.runs.directory import write_run
from tracepact.runs.manifest import digest
from tracepact.runs.opening import StoredRun, open_run
from tracepact.runs.run import Run
from tracepact.runs.verification import verify_run

SCHEMAS = {
    name: json.loads(spec_path(f"schemas/{name}").read_text(encoding="utf-8"))
    for name in ("manifest.schema.json", "report.schema.json", "diagnostics.schema.json")
}
REGISTRY: Registry[Any] = Registry().with_resources((n, Resource.from_contents(s)) for n, s in SCHEMAS.items())
MANIFEST = Draft202012Validator(SCHEMAS["manifest.schema.json"], registry=REGISTRY)
FEWER = settings(max_examples=max(sized(10), settings().max_examples // 10))


def stored(folder: Path) -> StoredRun:
    return open_run(folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@FEWER
@given(runs())
def test_a_stored_run_computed_again_is_the_run_and_its_rows_are_the_counts(run: Run) -> None:
    with TemporaryDirectory() as folder:
        write_run(run, Path(folder) / "run")
        again = stored(Path(folder) / "run").rescore()
        rows = stored(Path(folder) / "run").rows
    assert again.reference.clips == run.reference.clips
    assert again.prediction.clips == run.prediction.clips
    assert again.ignore == run.ignore
    assert again.conditions == run.conditions
    assert again.to_dict() == run.to_dict()
    assert (rows.clips, rows.classes) == (run.card.family.clips, run.card.family.classes)
    assert rows.clauses == tuple(run.card.counts)
    for clause, counts in run.card.counts.items():
        for part in ("satisfied", "obligated", "counter", "vacuous"):
            assert np.array_equal(getattr(rows.counts[clause], part), getattr(counts, part)), (clause, part)


def test_a_run_without_masks_and_with_one_duration_is_stored_too(tmp_path: Path) -> None:
    import tracepact

    run = tracepact.score("boundary_gate", [(1.0, 2.0)], [(1.06, 2.4)], durations=5)
    write_run(run, tmp_path / "run")
    assert stored(tmp_path / "run").rescore().to_dict() == run.to_dict()


def test_times_that_are_no_decimals_are_stored_as_fractions(tmp_path: Path) -> None:
    run = small_run(ref={"a.wav": [(Fraction(1, 8), Fraction(10, 3), "x")]})
    write_run(run, tmp_path / "run")
    assert (tmp_path / "run" / "reference.tsv").read_text().splitlines()[1] == "a.wav\t0.125\t10/3\tx\t0"


def test_the_manifest_has_its_form_and_the_digest_of_every_file(tmp_path: Path) -> None:
    written = write_run(small_run(set={"tol": "2f"}), tmp_path / "run")
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    MANIFEST.validate(manifest)
    files = contents(tmp_path / "run")
    assert {path.name for path in written} == set(files)
    del files["manifest.json"]
    assert {f["name"]: (f["bytes"], f["sha256"]) for f in manifest["files"]} == {
        name: (len(data), digest(data)) for name, data in files.items()
    }
    assert (manifest["settings"]["mode"], manifest["settings"]["overrides"]) == ("class_indexed", {"tol": "2f"})
    assert manifest["contract"]["digest"] == small_run(set={"tol": "2f"}).card.contract.digest
    for key in manifest:
        assert not MANIFEST.is_valid({k: v for k, v in manifest.items() if k != key})


def test_the_stored_contract_is_its_canonical_text_and_what_was_written(tmp_path: Path) -> None:
    run = small_run()
    write_run(run, tmp_path / "run")
    assert (tmp_path / "run" / "contract.contract").read_text() == run.card.contract.text
    assert (tmp_path / "run" / "source.contract").read_text() == run.card.contract.source.text
    assert stored(tmp_path / "run").contract == run.card.contract


def test_the_score_rows_say_what_the_scorecard_says(tmp_path: Path) -> None:
    run = small_run()
    write_run(run, tmp_path / "run")
    with open(tmp_path / "run" / "scores.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 2 * 4
    onset = [r for r in rows if r["clause"] == "onset"]
    assert sum(int(r["obligated"]) for r in onset) == run.card.score("onset").obligated == 2


def test_the_rows_as_parquet_are_those_of_the_table(tmp_path: Path) -> None:
    from pyarrow import parquet

    written = write_run(small_run(), tmp_path / "run", parquet=True)
    assert tmp_path / "run" / "scores.parquet" in written
    held = parquet.read_table(tmp_path / "run" / "scores.parquet").to_pylist()
    with open(tmp_path / "run" / "scores.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [{key: str(value).lower() for key, value in row.items()} for row in held] == [
        {key: row[key].lower() for key in held[0]} for row in rows
    ]
    assert verify_run(tmp_path / "run").holds


def test_parquet_without_its_package_is_refused_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InvalidInput) as refused:
        write_run(small_run(), tmp_path / "run", parquet=True)
    assert [d.code for d in refused.value.diagnostics] == ["missing-extra"]
    assert not list(tmp_path.iterdir())


# Where a run may be written


def test_a_run_directory_is_replaced(tmp_path: Path) -> None:
    write_run(small_run(conditions=None), tmp_path / "run", views={"report.html": "a view"})
    run = small_run(set={"tol": "2f"})
    write_run(run, tmp_path / "run")
    write_run(run, tmp_path / "fresh")
    assert contents(tmp_path / "run") == contents(tmp_path / "fresh")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fresh", "run"]


def test_an_empty_folder_is_filled_and_deep_ones_are_made(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    write_run(small_run(), tmp_path / "run")
    write_run(small_run(), tmp_path / "a" / "b" / "run")
    assert contents(tmp_path / "run") == contents(tmp_path / "a" / "b" / "run")


@pytest.mark.parametrize("made", ["nothing", "run"])
def test_a_folder_with_other_files_is_refused_and_left_alone(made: str, tmp_path: Path) -> None:
    place = tmp_path / "run"
    if made == "run":
        write_run(small_run(), place)
    place.mkdir(exist_ok=True)
    (place / "thesis.tex").write_text("mine")
    before = contents(place)
    with pytest.raises(InvalidInput) as refused:
        write_run(small_run(set={"tol": "2f"}), place)
    (found,) = refused.value.diagnostics
    assert found.code == "not-a-run"
    assert "thesis.tex" in found.headline
    assert contents(place) == before


def test_a_file_is_no_place_for_a_run(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("mine")
    with pytest.raises(InvalidInput) as refused:
        write_run(small_run(), tmp_path / "run")
    assert [d.code for d in refused.value.diagnostics] == ["not-a-run"]


def test_where_folders_cannot_be_swapped_at_once_they_are_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(small_run(), tmp_path / "run")
    monkeypatch.setattr(files.ctypes, "CDLL", lambda *_, **__: object())
    write_run(small_run(set={"tol": "2f"}), tmp_path / "run")
    assert stored(tmp_path / "run").manifest["settings"]["overrides"] == {"tol": "2f"}
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize("there", [False, True])
def test_a_folder_somebody_works_in_stays_the_folder_it_is(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Swapping it would leave a shell in a folder that is gone."""
    place = tmp_path / "run"
    place.mkdir()
    if there:
        write_run(small_run(conditions=None, ignore=None), place)
    monkeypatch.chdir(place)
    node = place.stat().st_ino
    write_run(small_run(), ".")
    assert place.stat().st_ino == node
    write_run(small_run(), tmp_path / "other")
    assert contents(place) == contents(tmp_path / "other")


@pytest.mark.parametrize(("call", "moment"), [("fsync", 1), ("fsync", 9), ("replace", 1), ("replace", 9)])
def test_a_folder_that_is_filled_is_the_old_run_or_none_before_all_is_there(
    call: str, moment: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(small_run(), tmp_path / "run")
    monkeypatch.chdir(tmp_path / "run")
    before = contents(tmp_path / "run")
    kept, calls = getattr(files.os, call), []

    def full(*given: Any) -> None:
        calls.append(call)
        if len(calls) == moment:
            raise OSError(28, "No space left on device")
        kept(*given)

    monkeypatch.setattr(files.os, call, full)
    with pytest.raises(OSError, match="No space"):
        write_run(small_run(set={"tol": "2f"}), tmp_path / "run")
    if call == "fsync":
        assert contents(tmp_path / "run") == before
    else:
        with pytest.raises(InvalidInput) as refused:
            stored(tmp_path / "run")
        assert [d.code for d in refused.value.diagnostics] == ["not-a-run"]


# Stopped in the middle

_STOPPED = """
import os, shutil, signal, sys
from referencing import Registry, Resource
from score.runs import small_run
from tracepact import files
from tracepact.runs.directory import write_run

name, count, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
owner = {"fsync": os, "rename": os, "rmtree": shutil}[name]
kept, calls = getattr(owner, name), []

def stopping(*given, **named):
    calls.append(name)
    if len(calls) == count:
        os.kill(os.getpid(), signal.SIGKILL)
    return kept(*given, **named)

run = small_run(set={"tol": "2f"})
setattr(owner, name, stopping)
write_run(run, folder)
"""
MOMENTS = [("fsync", 1), ("fsync", 0), ("rename", 1), ("rmtree", 1)]
"""What the run is killed at, and the how manieth time; 0 is the last file."""


@pytest.mark.slow
@pytest.mark.parametrize("there", [False, True], ids=["no run before", "a run before"])
@pytest.mark.parametrize(("call", "count"), MOMENTS)
def test_a_killed_run_leaves_the_old_directory_or_the_new_one(
    call: str, count: int, there: bool, tmp_path: Path
) -> None:
    place, whole = tmp_path / "run", tmp_path / "whole"
    write_run(small_run(set={"tol": "2f"}), whole)
    if there:
        write_run(small_run(), place)
    before = contents(place) if there else None
    count = count or len(contents(whole))
    tests = Path(__file__).parent.parent
    ended = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tests)!r})\n{_STOPPED}", call, str(count), place],
        capture_output=True,
        text=True,
    )
    if call == "rename" and there:
        assert ended.returncode in (0, -signal.SIGKILL), ended.stderr  # where folders are swapped, nothing is renamed
    else:
        assert ended.returncode == -signal.SIGKILL, ended.stderr
    after = contents(place) if place.exists() else None
    assert after in (before, contents(whole))
    if call == "fsync":
        assert after == before
    elif call == "rmtree":
        assert after == contents(whole)
    if after is not None:
        stored(place).rescore()


# Opening what is none


def test_a_folder_without_a_manifest_is_no_run(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "absent"):
        with pytest.raises(InvalidInput) as refused:
            stored(place)
        assert [d.code for d in refused.value.diagnostics] == ["not-a-run"]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "{}", '{"format": "tracepact-run/1"}', "[" * 10**5],
    ids=["empty", "cut", "list", "null", "no keys", "one key", "deep"],
)
def test_a_manifest_of_another_form_is_broken(text: str, tmp_path: Path) -> None:
    write_run(small_run(), tmp_path / "run")
    (tmp_path / "run" / "manifest.json").write_text(text)
    with pytest.raises(InvalidInput) as refused:
        stored(tmp_path / "run")
    assert [d.code for d in refused.value.diagnostics] == ["broken-run"]


def test_a_manifest_that_names_files_outside_is_broken(tmp_path: Path) -> None:
    write_run(small_run(), tmp_path / "run")
    path = tmp_path / "run" / "manifest.json"
    path.write_text(path.read_text().replace('"file": "reference.tsv"', '"file": "../reference.tsv"'))
    with pytest.raises(InvalidInput):
        open_run(tmp_path / "run", checked=False)


CHANGES = {
    "another mode": ('"mode": "class_indexed"', '"mode": "by_class"'),
    "an override that is not text": ('"overrides": {}', '"overrides": {"tol": 3}'),
    "a table without a role": ('"role": "durations"', '"role": "lengths"'),
    "another format": ('"format": "tracepact-run/1"', '"format": "tracepact-run/9"'),
    "a size in words": ('"bytes": ', '"bytes": "many", "more": '),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_manifest_with_values_that_cannot_be_is_broken_even_unchecked(
    change: tuple[str, str], tmp_path: Path
) -> None:
    write_run(small_run(), tmp_path / "run")
    path = tmp_path / "run" / "manifest.json"
    text = path.read_text()
    assert change[0] in text
    path.write_text(text.replace(*change))
    with pytest.raises(InvalidInput):
        open_run(tmp_path / "run", checked=False)


WRONG_CELLS = {
    "reference.tsv": ["soon", "-1", "1/0", "1" * 5000, "1.", "٣"],
    "scores.csv": ["-1", "1.5", "9" * 30, ""],
    "masks.tsv": ["99", "-3", "x"],
}


@pytest.mark.parametrize(("name", "cell"), [(name, cell) for name, cells in WRONG_CELLS.items() for cell in cells])
def test_a_cell_that_means_nothing_is_named_with_its_line(name: str, cell: str, tmp_path: Path) -> None:
    write_run(small_run(), tmp_path / "run")
    path = tmp_path / "run" / name
    separator = "," if name.endswith("csv") else "\t"
    lines = path.read_text().splitlines()
    cells = lines[1].split(separator)
    cells[3 if name != "reference.tsv" else 1] = cell
    path.write_text("\n".join([lines[0], separator.join(cells), *lines[2:]]) + "\n")
    run = open_run(tmp_path / "run", checked=False)
    with pytest.raises(InvalidInput) as refused:
        _ = run.rows, run.rescore()
    (found,) = refused.value.diagnostics
    assert found.code == "broken-run"
    assert found.place == RowPlace(str(path), 2)


@pytest.mark.parametrize("name", ["scores.csv", "report.json", "source.contract", "reference.tsv", "masks.tsv"])
def test_a_file_that_was_changed_is_not_read(name: str, tmp_path: Path) -> None:
    write_run(small_run(), tmp_path / "run")
    with open(tmp_path / "run" / name, "a") as file:
        file.write("\n")
    run = stored(tmp_path / "run")
    with pytest.raises(InvalidInput) as refused:
        _ = run.rows, run.report, run.rescore()
    (found,) = refused.value.diagnostics
    assert found.code == "broken-run"
    assert found.place is not None
    assert name in str(found.place)
