"""The study from sound to tables: run once, gone on with, verified, and refused where it cannot be right."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import tracepact
from tracelab.progress import Progress
from tracelab.protocol import Protocol
from tracelab.scenes.voices import FormantVoice
from tracelab.stages import Stages, whole
from tracelab.study.findings import findings
from tracelab.study.latex import latex_table
from tracelab.study.published import published
from tracelab.study.scales import SCALES, Scale
from tracelab.study.study import run_study, stored_rows
from tracelab.study.tables import GUARDS, guard_value, integral, metric_value, study_tables, value_at
from tracelab.study.verify import verify_study
from tracepact.show import Column, Table

PREDICTION = "runs/detectors/dilated_cnn/prediction.tsv"
TINY = Scale("smoke", Protocol(train_clips=12, test_clips=7), 0.05, 1, draws=50)


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("study") / "tiny"
    run_study(folder, TINY, FormantVoice(), workers=1)
    return folder


def copied(study: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(study, tmp_path / "copy"))


@pytest.mark.slow
def test_a_study_ends_with_a_page_tables_and_a_record(study):
    record = json.loads((study / "study.json").read_text())
    assert record["complete"] is True
    assert record["speech"] == "formant"
    page = (study / "study.html").read_text()
    for table in study_tables(stored_rows(study)):
        assert table.table.title in page
        for ending in ("csv", "md", "tex"):
            assert (study / "tables" / f"{table.name}.{ending}").stat().st_size > 0
    assert set(record["files"]) >= {"study.html", "rows/scores.csv", "tables/guards.tex"}


@pytest.mark.slow
def test_the_values_of_the_tables_are_those_of_the_runs(study):
    rows = stored_rows(study)
    for system in ("adaptive_energy", "contract_loss"):
        run = tracepact.load_run(study / "runs" / "detectors" / system)
        assert {clause: guard_value(rows, "detectors", system, clause) for clause in GUARDS} == {
            clause: score.value if score.obligated else None
            for clause in GUARDS
            for score in [run.card.score(clause, tracepact.Aggregation.POOLED)]
        }
        assert metric_value(rows, "detectors", system, "mean of the vector") == run.card.headline()


@pytest.mark.slow
def test_a_second_run_makes_nothing_again_and_writes_the_same(study, tmp_path):
    folder = copied(study, tmp_path)
    stages = {path.name: path.stat().st_mtime_ns for path in (folder / "stages").iterdir()}
    before = (folder / "tables" / "guards.csv").read_bytes(), (folder / "rows" / "scores.csv").read_bytes()
    run_study(folder, TINY, FormantVoice(), workers=1)
    assert {path.name: path.stat().st_mtime_ns for path in (folder / "stages").iterdir()} == stages
    assert ((folder / "tables" / "guards.csv").read_bytes(), (folder / "rows" / "scores.csv").read_bytes()) == before


@pytest.mark.slow
def test_a_changed_stage_is_made_again_and_ends_the_same(study, tmp_path):
    folder = copied(study, tmp_path)
    before = (folder / "rows" / "scores.csv").read_bytes()
    broken = next((folder / "stages").glob("run-*"))
    (broken / "scores.npz").write_bytes(b"half")
    assert not whole(broken)
    run_study(folder, TINY, FormantVoice(), workers=1)
    assert whole(broken)
    assert (folder / "rows" / "scores.csv").read_bytes() == before


@pytest.mark.slow
def test_a_study_verifies_and_every_change_is_seen(study, tmp_path):
    found = verify_study(study)
    assert found.holds, found.drifts
    assert found.checked.startswith(f"{len(list((study / 'runs').glob('*/*')))} runs")
    for name in ("tables/metrics.tex", "rows/differences.csv", "rows/protocol.csv", "study.html", PREDICTION):
        folder = copied(study, tmp_path / name.replace("/", "-"))
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace("1", "2", 1) if "1" in text else text + "x")
        assert not verify_study(folder).holds, name
    folder = copied(study, tmp_path / "without")
    (folder / "rows" / "scores.csv").unlink()
    assert verify_study(folder).drifts == ("rows/scores.csv: missing",)


@pytest.mark.slow
def test_every_finding_is_decided_with_its_evidence(study):
    found = findings(stored_rows(study))
    assert len(found) == 8
    assert all(
        finding.statement.endswith(".") and any(c.isdigit() or c == ":" for c in finding.evidence) for finding in found
    )


def test_other_settings_and_foreign_folders_are_refused(tmp_path):
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "notes.txt").write_text("mine")
    with pytest.raises(tracepact.InvalidInput, match="not empty"):
        run_study(tmp_path / "foreign", TINY, FormantVoice())
    stop = Progress(begin=lambda name, parts: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        run_study(tmp_path / "a", TINY, FormantVoice(), progress=stop)
    other = replace(TINY, protocol=replace(TINY.protocol, seed=1))
    with pytest.raises(tracepact.InvalidInput, match="other settings"):
        run_study(tmp_path / "a", other, FormantVoice())
    with pytest.raises(tracepact.InvalidInput, match="not the folder of a study"):
        verify_study(tmp_path / "foreign")


def test_a_stage_that_fails_leaves_nothing_and_left_overs_of_dead_processes_go(tmp_path):
    stages = Stages(tmp_path)

    def fails(folder: Path) -> None:
        (folder / "half").write_text("x")
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        stages.kept("stage", {"a": 1}, fails)
    assert list(tmp_path.iterdir()) == []
    ended = subprocess.Popen([sys.executable, "-c", "pass"])
    ended.wait()
    (tmp_path / f".stage-x.{ended.pid}.part").mkdir()
    assert stages.remove_parts() == 1
    made = []
    for _ in range(2):
        stages.kept("stage", {"a": 1}, lambda folder: made.append((folder / "x").write_text("x")))
    assert len(made) == 1


def test_a_step_function_is_read_at_its_ends():
    curve = [(Fraction(0), Fraction(1), True, Fraction(1, 2)), (Fraction(1), Fraction(3), True, Fraction(1))]
    assert [value_at(curve, Fraction(x)) for x in (0, 1, 2, 3, 4)] == [Fraction(1, 2), Fraction(1, 2), 1, 1, None]
    assert integral(curve) == Fraction(5, 2)


def test_published_figures_are_exact_and_complete():
    assert published().metrics.rows["contract_tcn_aug"]["frame"] == Fraction("0.889")
    assert set(published().guards.rows["dilated_cnn"]) == set(GUARDS)


def test_latex_escapes_what_it_is_given():
    text = latex_table(Table("a_b & c", [Column("x%")], [["50 % \\ {y}"]]))
    assert "a\\_b \\& c" in text
    assert "50 \\% \\textbackslash{} \\{y\\}" in text


def test_the_scales_are_those_of_the_protocol():
    assert SCALES["paper"].protocol == Protocol()
    assert [(p.train_clips, p.test_clips) for p in SCALES["paper"].seeds] == [(360, 168)] * 3
