"""What runs of a million inputs found and `cases.json` cannot hold: damaged archives, and signs that no file has."""

import io
import json
import os
import subprocess
import sys
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli.command import events, run

import tracepact
from hostile.doors import GATE, stored
from hostile.forging import sign
from hostile.harness import Input, outcome, put
from hostile.tasks import RESULT, finished_batches, runs
from tracepact.audits.league_tables import _ticks
from tracepact.author.editor_help import calibration_faults
from tracepact.author.editor_text import CannotRename, read, rename
from tracepact.declarations import spec_path
from tracepact.diagnostics.collection import InvalidInput
from tracepact.files import json_text
from tracepact.runs.manifest import self_digest


def bad_streams(archive: bytes) -> list[bytes]:
    """The archive with the compressed bytes of one member overwritten, for each member."""
    found = []
    with zipfile.ZipFile(io.BytesIO(archive)) as held:
        for member in held.infolist():
            start = member.header_offset + 30 + len(member.filename.encode()) + len(member.extra)
            damaged = bytearray(archive)
            for place in range(start, start + max(4, member.compress_size)):
                damaged[place] ^= 0x55
            found.append(bytes(damaged))
    return found


def test_a_league_with_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    files = stored("league")
    system = next(name for name in files if name.endswith(".npz"))
    for damaged in bad_streams(files[system]):
        folder = tmp_path / "league"
        folder.mkdir(exist_ok=True)
        forged = {**files, system: damaged}
        sign(forged)
        for name, content in forged.items():
            (folder / name).write_bytes(content)
        outcome = run("league", "league", "--rank-by", "onset", folder=tmp_path)
        assert outcome.code == 2, outcome.err
        assert "Traceback" not in outcome.err


def test_scores_in_a_damaged_archive_are_refused(tmp_path: Path) -> None:
    (tmp_path / "scores.tsv").write_text("onset\toffset\tx\n0\t1\t0.5\n1\t2\t0.25\n", encoding="utf-8")
    assert run("convert", "scores.tsv", "--to", "npz", "--out", "all.npz", folder=tmp_path).code == 0
    for damaged in bad_streams((tmp_path / "all.npz").read_bytes()):
        (tmp_path / "bad.npz").write_bytes(damaged)
        outcome = run("convert", "bad.npz", "--to", "scores", "--out", "out", folder=tmp_path)
        assert (outcome.code, outcome.codes) == (2, ["unreadable-file"]), outcome.err


@pytest.mark.parametrize("text", ['contract a "\ud800"\n', "contract a # \udfff\n", "contract \ud900\n"])
def test_half_a_sign_in_a_contract_is_a_diagnostic(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        tracepact.parse_contract(text + GATE.partition("\n")[2])
    assert [(found.code, found.headline[:20]) for found in refused.value.diagnostics] == [
        ("bad-character", f"the character U+{ord(max(text)):04X}"[:20])
    ]


@pytest.mark.parametrize("command", [("profile", "0*\ud800"), ("lint-data", "--ref", "\ud800 x", "--pred", "\ud800")])
def test_a_name_that_no_file_can_have_is_refused(command: tuple[str, ...], tmp_path: Path) -> None:
    outcome = run(*command, folder=tmp_path)
    assert outcome.code == 2, outcome.err
    assert "Traceback" not in outcome.err


def test_violations_of_a_long_clip_are_read_in_runs(tmp_path: Path) -> None:
    """A clip of 20,000,000 frames that is violated throughout is one run; as a list of frames it takes gigabytes."""
    text = "contract gate\nstep 20ms\nclause quiet on true : !ref_active\n"
    (tmp_path / "c.contract").write_text(text, encoding="utf-8")
    (tmp_path / "ref.tsv").write_text(events("a 0 400000 x"), encoding="utf-8")
    command = (
        "score",
        "c.contract",
        "--ref",
        "ref.tsv",
        "--pred",
        "ref.tsv",
        "--durations",
        "400000",
        "--format",
        "json",
    )
    outcome = run(*command, folder=tmp_path)
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["vector"][0]["scores"]["pooled"]["obligated"] == 20_000_000


@pytest.mark.parametrize("content", [b"\xff\xfe{}", b'{"name": "\xff"}', b"[" * 100_000, b'{"name": "\\ud800"}'])
def test_a_result_that_is_no_text_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "result.json").write_bytes(content)
    outcome = run("conformance", "result.json", folder=tmp_path)
    assert (outcome.code, outcome.codes) == (2, ["bad-json"]), outcome.err


def test_names_that_are_not_utf_8_in_a_parquet_file_are_refused_whole_and_in_batches(tmp_path: Path) -> None:
    table = pa.table({"filename": ["clip"], "onset": [0.5], "offset": [1.0], "event_label": ["x"]})
    pq.write_table(table, tmp_path / "good.parquet", compression="none", use_dictionary=False, write_statistics=False)
    good = (tmp_path / "good.parquet").read_bytes()
    assert good.count(b"clip") == 1
    (tmp_path / "bad.parquet").write_bytes(good.replace(b"clip", b"cl\xe3p"))
    (tmp_path / "gate.contract").write_text(GATE, encoding="utf-8")
    command = ("score", "gate.contract", "--ref", "good.parquet", "--pred", "bad.parquet", "--durations", "2")
    for engine in ((), ("--engine", "local")):
        outcome = run(*command, *engine, folder=tmp_path)
        assert (outcome.code, outcome.codes) == (2, ["unreadable-file"]), outcome.err


def test_an_editor_may_send_half_of_a_surrogate_pair_in_a_calibration_set(tmp_path: Path) -> None:
    text = spec_path("calibration/boundary_gate.calibration").read_text(encoding="utf-8")
    assert calibration_faults(text.replace('title = "', 'title = "\ud800'), "a.calibration", tmp_path) is not None


@pytest.mark.parametrize("arguments", [("verify", "run"), ("verify", "run", "--format", "json")])
def test_a_manifest_of_very_many_brackets_is_refused(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "manifest.json").write_bytes(b"[" * 100_000)
    assert run(*arguments, folder=tmp_path).code == 2


def test_a_rename_that_repeats_a_fault_the_contract_has_is_refused_in_words() -> None:
    text = "contract c\nstep 20ms\nparam a = 1\nparam a = 2\nparam b = 3\nclause d on true : N[b] ref_active\n"
    with pytest.raises(CannotRename, match="cannot be the name"):
        rename(read(text, "c"), text.index("b = 3"), "a")


def test_the_axis_of_a_length_that_no_float_holds_has_no_numbers() -> None:
    assert _ticks(Fraction(1, 10**400)) == []
    assert len(_ticks(Fraction(10))) > 3


def test_a_certificate_that_is_no_text_is_refused_though_the_cache_is_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACEPACT_CACHE", "relative")
    (tmp_path / "bad.lean").write_bytes(b"\xff\xfe")
    outcome = run("certify", "boundary_gate", "--recheck", "bad.lean", folder=tmp_path)
    assert outcome.code in (1, 2, 3), outcome.err
    assert "Traceback" not in outcome.err


def test_names_keep_their_accents_in_a_csv_under_a_c_locale(tmp_path: Path) -> None:
    (tmp_path / "ref.tsv").write_text(events("é.wav 1 2 chién", "è.wav 1 2 chièn"), encoding="utf-8")
    command = (sys.executable, "-m", "tracepact", "score", "boundary_gate", "--ref", "ref.tsv", "--pred", "ref.tsv")
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [*command, "--durations", "3", "--format", "csv"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=True,
    )
    clips = {row.split(",")[0] for row in done.stdout.decode("utf-8").splitlines()[1:]}
    assert clips == {"é.wav", "è.wav"}


@pytest.mark.slow
@pytest.mark.parametrize("command", [("lint-data",), ("score", "gate.contract")])
def test_thousands_of_labels_on_one_side_each_end_within_the_budget(command: tuple[str, ...], tmp_path: Path) -> None:
    ref, pred = (events(*(f"a {k % 9} {k % 9 + 0.5} {side}{k}" for k in range(4000))) for side in "rp")
    files = {"gate.contract": GATE.encode(), "ref.tsv": ref.encode(), "pred.tsv": pred.encode()}
    sides = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "10")
    end, text = outcome(Input(files, (*command, *sides)), tmp_path)
    assert end in ("exit 0", "exit 1"), text[-2000:]


@pytest.mark.slow
def test_thousands_of_overlapping_events_end_within_the_budget(tmp_path: Path) -> None:
    ref, pred = (events(*(f"a {k / 1000 + late} {k / 1000 + 50} x" for k in range(4000))) for late in (0, 0.01))
    files = {"ref.tsv": ref.encode(), "pred.tsv": pred.encode()}
    sides = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "60")
    end, text = outcome(Input(files, ("metrics", *sides)), tmp_path)
    assert end == "exit 0", text[-2000:]


def test_a_conformance_result_of_a_rule_that_is_no_number_is_refused(tmp_path: Path) -> None:
    forged = {**RESULT, "rules": [{**RESULT["rules"][0], "rule": "windows"}]}
    (tmp_path / "one.json").write_text(json.dumps(forged))
    outcome = run("conformance", "one.json", "--out", "page.html", folder=tmp_path)
    assert outcome.code == 2, outcome.err
    assert "not a result of `tracepact conform`" in outcome.err
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda base: {"frames": [0] * len(base["frames"])},
        lambda base: {"frames": base["frames"][1:]},
        lambda base: {"reference": {**base["reference"], "0": [1]}},
        lambda base: {"reference": {**base["reference"], "0": [-5, 5]}},
        lambda base: {"ignored": {"999": [0, 1]}},
        lambda base: {"ignored": {"²": [0, 1]}},
        lambda base: {"step": "0"},
    ],
)
def test_a_league_whose_runs_do_not_fit_its_clips_is_refused(change: Any, tmp_path: Path) -> None:
    files = dict(stored("league"))
    base = json.loads(files["base.json"])
    files["base.json"] = json_text({**base, **change(base)}).encode()
    sign(files)
    put(tmp_path / "league", files)
    outcome = run("league", "league", "--rank-by", "onset", folder=tmp_path)
    assert outcome.code == 2, outcome.err
    assert "broken-league" in outcome.err


@pytest.mark.parametrize("role", ["reference.tsv", "prediction.tsv", "durations.tsv"])
def test_a_forged_table_of_a_run_is_a_diagnostic_where_runs_are_compared(role: str, tmp_path: Path) -> None:
    files = {**runs(), f"one.run/{role}": b"other\tcolumns\n1\t2\n"}
    sign(files, "one.run/")
    put(tmp_path, files)
    outcome = run("compare", "one.run", "two.run", folder=tmp_path)
    assert outcome.code == 2, outcome.err
    assert "broken-run" in outcome.err


@pytest.mark.parametrize("text", ["[" * 100_000, "{}", "5", '{"classes": 5}'])
def test_a_forged_report_of_a_run_in_batches_is_told(text: str, tmp_path: Path) -> None:
    files = {**finished_batches(), "run/report.json": text.encode()}
    sign(files, "run/")
    put(tmp_path, files)
    outcome = run("verify", "run", folder=tmp_path)
    assert outcome.code == 1, outcome.err
    assert "report.json: the report of a run → it does not hold the report of a run" in outcome.out


def test_forged_rows_of_a_run_in_batches_are_told(tmp_path: Path) -> None:
    files = dict(finished_batches())
    pq.write_table(pa.table({"clip": ["a"]}), tmp_path / "other.parquet")
    files["run/scores.parquet"] = (tmp_path / "other.parquet").read_bytes()
    sign(files, "run/")
    put(tmp_path, files)
    outcome = run("verify", "run", folder=tmp_path)
    assert outcome.code == 1, outcome.err
    assert "scores.parquet: the rows of a run → it does not hold the rows of a run" in outcome.out


@pytest.mark.parametrize("systems", [["a\0b"], ["/etc/hostname"], ["../league/base.json"]])
def test_a_league_that_names_other_files_is_refused(systems: list[str], tmp_path: Path) -> None:
    files = dict(stored("league"))
    files["manifest.json"] = json_text({**json.loads(files["manifest.json"]), "systems": systems}).encode()
    sign(files)
    put(tmp_path / "league", files)
    outcome = run("league", "league", "--rank-by", "onset", folder=tmp_path)
    assert outcome.code == 2, outcome.err
    assert "the manifest is not as it was written" in outcome.err


@pytest.mark.parametrize("command", [("curves", "g.contract"), ("tune", "g.contract", "--objective", "onset")])
@pytest.mark.parametrize("pred", ["s", "e.tsv"])
def test_a_tiny_file_of_a_year_of_scores_is_refused(command: tuple[str, ...], pred: str, tmp_path: Path) -> None:
    scores = "onset\toffset\tx\n0\t1\t0.5\n1\t31536000\t0.7\n"
    table = "filename\tonset\toffset\tevent_label\tconfidence\na\t1\t2\tx\t0.5\n"
    files = {"s/a.tsv": scores, "e.tsv": table, "ref.tsv": events("a 1 2 x"), "g.contract": GATE}
    put(tmp_path, {name: text.encode() for name, text in files.items()})
    sides = ("--ref", "ref.tsv", "--pred", pred, "--durations", "31536000")
    outcome = run(*command, *sides, folder=tmp_path)
    assert outcome.code == 2, outcome.err
    assert "--limit scores=NUMBER" in outcome.err


@pytest.mark.parametrize(
    "files", [[5], [{"name": 5}], [{"name": "a\0b", "sha256": ""}], [{"name": "x" * 300, "sha256": ""}]]
)
def test_a_forged_list_of_the_files_of_a_run_in_batches_is_told(files: list[Any], tmp_path: Path) -> None:
    held = dict(finished_batches())
    manifest = {**json.loads(held["run/manifest.json"]), "files": files}
    held["run/manifest.json"] = json_text({**manifest, "sha256": self_digest(manifest)}).encode()
    put(tmp_path, held)
    assert run("verify", "run", folder=tmp_path).code in (1, 2)


@pytest.mark.parametrize("how", [(), ("--memory", "1GB")])
def test_a_reference_that_ends_in_centuries_has_too_many_segments(how: tuple[str, ...], tmp_path: Path) -> None:
    scores = "onset\toffset\tx\n0\t1\t0.5\n1\t2\t0.7\n"
    files = {"s/a.tsv": scores, "ref.tsv": events("a 1 9999999999 x"), "g.contract": GATE}
    put(tmp_path, {name: text.encode() for name, text in files.items()})
    outcome = run("curves", "g.contract", "--ref", "ref.tsv", "--pred", "s", *how, folder=tmp_path)
    assert outcome.code == 2, outcome.err
    assert "--limit scores=NUMBER" in outcome.err
