"""A run in batches is verified by scoring its originals again; what cannot be is said."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from score.test_batch_folders import written
from score.test_batches import CONTRACT, ROWS, files, late, parquet
from tracepact import ClassDecodings, Decoding, InvalidInput, Reading, score_batches
from tracepact.files import json_text
from tracepact.measures.policy import MetricSettings
from tracepact.runs.commands import verify_command
from tracepact.runs.manifest import self_digest
from tracepact.runs.report_parts import SILENT

__all__ = ["files"]  # a fixture of these tests too


def verified(folder: Path, *options: str) -> tuple[int, str]:
    beside = () if "--originals" in options else ("--originals", str(folder.parent))
    found = CliRunner().invoke(verify_command, [str(folder), *beside, *options], standalone_mode=False)
    assert found.exception is None, found.exception
    return found.return_value, found.output


@pytest.mark.parametrize("lengths", ["number", "table"])
def test_a_run_in_batches_is_scored_again_from_its_originals(
    tmp_path: Path, files: dict[str, Any], lengths: str
) -> None:
    given_data = dict(files)
    if lengths == "table":
        given_data["durations"] = str(tmp_path / "durations.tsv")
        rows = [f"clip{clip:02d}\t3\n" for clip in range(24)]
        Path(given_data["durations"]).write_text("filename\tduration\n" + "".join(rows))
    settings = MetricSettings(segment=Fraction(1, 2))
    score_batches(CONTRACT, **given_data, batch_clips=5, settings=settings, set={"tol": "150ms"}, out=tmp_path / "run")
    code, said = verified(tmp_path / "run", "--memory", "100MB")
    assert (code, "scores of the run are as they were" in said) == (0, True), said


def as_csv(rows: list[tuple[Any, ...]]) -> str:
    return "filename,onset,offset,event_label\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


def as_json(rows: list[tuple[Any, ...]]) -> str:
    clips: dict[str, list[list[Any]]] = {}
    for clip, onset, offset, label in rows:
        clips.setdefault(clip, []).append([f"{onset:.1f}", f"{offset:.1f}", label])
    return json.dumps({"clips": clips})


FORMS = {"csv": as_csv, "json": as_json}


@pytest.mark.parametrize("form", list(FORMS))
def test_a_run_of_tables_as_text_is_scored_again(tmp_path: Path, form: str) -> None:
    places = {side: tmp_path / f"{side}.{form}" for side in ("ref", "pred")}
    for side, rows in (("ref", ROWS), ("pred", late(ROWS))):
        places[side].write_text(FORMS[form](rows))
    score_batches(CONTRACT, str(places["ref"]), str(places["pred"]), durations=3, batch_clips=7, out=tmp_path / "run")
    code, said = verified(tmp_path / "run", "--memory", "100MB")
    assert (code, "scores of the run are as they were" in said) == (0, True), said


def test_a_run_of_folders_is_scored_again_with_its_decoding_and_its_page(tmp_path: Path) -> None:
    sides = written(tmp_path, 9)
    decoding = ClassDecodings(Decoding(Fraction(1, 2), median=3), {"dog": Decoding(Fraction(7, 10))})
    given_data: dict[str, Any] = {
        "ref": sides["ref"],
        "pred": sides["scores"],
        "pred_reading": Reading(decoding=decoding),
    }
    score_batches("boundary_gate", **given_data, batch_clips=4, out=tmp_path / "run", page=lambda names: SILENT)
    code, said = verified(tmp_path / "run")
    assert (code, "scores of the run are as they were" in said) == (0, True), said
    assert json.loads((tmp_path / "run" / "page.json").read_text())["intervals"]
    Path(sides["scores"], "clip03.tsv").unlink()
    assert "(prediction) is not as it was" in verified(tmp_path / "run")[1]


def test_a_run_whose_rows_and_report_were_exchanged_together_drifts(tmp_path: Path, files: dict[str, Any]) -> None:
    """Every digest holds and the report agrees with its rows: only scoring again can tell."""
    other = {**files, "pred": str(parquet(tmp_path / "other.parquet", late(late(ROWS))))}
    for name, given_data in (("run", files), ("other", other)):
        score_batches(CONTRACT, **given_data, out=tmp_path / name)
    forged = json.loads((tmp_path / "other" / "manifest.json").read_text())
    forged["inputs"] = json.loads((tmp_path / "run" / "manifest.json").read_text())["inputs"]
    forged["sha256"] = self_digest(forged)
    (tmp_path / "other" / "manifest.json").write_text(json_text(forged))
    code, said = verified(tmp_path / "other")
    assert (code, "rows  scores.parquet: " in said) == (1, True), said
    assert "report.json" in said


def test_what_cannot_be_scored_again_is_said(tmp_path: Path, files: dict[str, Any]) -> None:
    score_batches(CONTRACT, **files, out=tmp_path / "run")
    whole = Path(files["pred"]).read_bytes()
    Path(files["pred"]).write_bytes(whole[:-1])
    assert [verified(tmp_path / "run", *more)[0] for more in ([], ["--complete"])] == [3, 1]
    assert "(prediction) is not as it was" in verified(tmp_path / "run")[1]
    counted = "drifted (--complete): 1 of 2 originals"
    assert [counted in verified(tmp_path / "run", *more)[1] for more in ([], ["--complete"])] == [False, True]
    Path(files["pred"]).write_bytes(whole)
    score_batches(CONTRACT, {"a": [(0, 1)]}, {"a": [(0, 1)]}, durations=2, out=tmp_path / "memory")
    assert "a side of it was in memory" in verified(tmp_path / "memory")[1]


@pytest.mark.parametrize("key", ["mode", "overrides", "metrics", "preparation"])
def test_a_manifest_without_its_settings_is_refused(tmp_path: Path, files: dict[str, Any], key: str) -> None:
    score_batches(CONTRACT, **files, out=tmp_path / "run")
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    del manifest["settings"][key]
    manifest["sha256"] = self_digest(manifest)
    (tmp_path / "run" / "manifest.json").write_text(json_text(manifest))
    found = CliRunner().invoke(verify_command, [str(tmp_path / "run"), "--originals", str(tmp_path)])
    assert isinstance(found.exception, InvalidInput)
    assert [one.code for one in found.exception.diagnostics] == ["broken-run"]
