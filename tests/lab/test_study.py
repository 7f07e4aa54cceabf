"""The study from sound to tables: run once, gone on with, verified, and refused where it cannot be right."""

import csv
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import tracepact
from tracelab.configuration import SCALES, StudyScale
from tracelab.protocol import Protocol
from tracelab.scenes.voices import FormantVoice
from tracelab.stages import StageListener, Stages, whole
from tracelab.study.boundaries import holm
from tracelab.study.comparison import (
    between,
    guard_value,
    integral,
    latex_table,
    metric_value,
    published,
    span,
    value_at,
)
from tracelab.study.rows import GUARDS, MEAN, TOLERANCES
from tracelab.study.study import run_study, stored_rows, verify_study
from tracelab.study.tables import every_seed_table, seed_table, study_tables
from tracelab.study.views import findings
from tracepact.show import Column, Table

PREDICTION = "runs/detectors/dilated_cnn/prediction.tsv"
TINY = StudyScale("smoke", Protocol(train_clips=12, test_clips=7), 0.05, 1, draws=50)
SYSTEMS = ("adaptive_energy", "contract_tcn_aug", "contract_loss")


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
    stop = StageListener(begin=lambda name, parts: (_ for _ in ()).throw(KeyboardInterrupt))
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
    assert published().tables["metrics"].rows["contract_tcn_aug"]["frame"] == Fraction("0.889")
    assert set(published().tables["guards"].rows["dilated_cnn"]) == set(GUARDS)


def test_latex_escapes_what_it_is_given():
    text = latex_table(Table("a_b & c", [Column("x%")], [["50 % \\ {y}"]]))
    assert "a\\_b \\& c" in text
    assert "50 \\% \\textbackslash{} \\{y\\}" in text


def test_the_scales_are_those_of_the_protocol():
    assert SCALES["paper"].protocol == Protocol()
    assert [(p.train_clips, p.test_clips) for p in SCALES["paper"].seeds] == [(360, 168)] * 3


# Tables against plain loops over what is stored.


def shown(study: Path, name: str) -> dict[str, dict[str, str]]:
    """The rows of our systems in a written table, by their first cell."""
    with open(study / "tables" / f"{name}.csv", encoding="utf-8", newline="") as file:
        heads, *rows = csv.reader(file)
    return {row[0]: dict(zip(heads, row, strict=True)) for row in rows if row[0] not in ("published", "difference")}


def stored(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def pairs_of(run: Path) -> list[tuple[Fraction, Fraction, Fraction, Fraction]]:
    names = ("ref_onset", "ref_offset", "pred_onset", "pred_offset")
    return [tuple(Fraction(row[name]) for name in names) for row in stored(run / "matches.csv") if row["pred_onset"]]


def frames_of(run: Path, name: str, clip: str) -> set[int]:
    """The frames whose centres lie in an event."""
    rows = [row for row in stored(run / name, "\t") if row["filename"] == clip]
    events = [row for row in rows if row["onset"]]  # a row without times is a silent clip (17.2)
    assert len(events) == len(rows) or (len(rows) == 1 and set(rows[0].values()) == {clip, ""}), rows
    inside = set()
    for frame in range(600):
        centre = Fraction(2 * frame + 1, 100)
        if any(Fraction(row["onset"]) <= centre < Fraction(row["offset"]) for row in events):
            inside.add(frame)
    return inside


def runs_in(frames: set[int]) -> int:
    return sum(frame - 1 not in frames for frame in frames)


@pytest.mark.slow
def test_the_paired_onset_error_is_the_mean_over_the_matched_pairs(study):
    table, distances = shown(study, "metrics"), shown(study, "distances")
    for system in SYSTEMS:
        pairs = pairs_of(study / "runs" / "detectors" / system)
        if not pairs:
            continue
        means = [sum(some) / len(pairs) * 1000 for some in zip(*(errors(pair) for pair in pairs), strict=True)]
        assert table[system]["onset error, paired, ms"] == f"{float(means[0]):.1f}"
        names = ("onset error, paired, ms", "offset error, paired, ms", "duration error, paired, ms")
        assert [distances[system][name] for name in names] == [f"{float(one):.1f}" for one in means]


def errors(pair: tuple[Fraction, Fraction, Fraction, Fraction]) -> tuple[Fraction, Fraction, Fraction]:
    a, b, c, d = pair
    return abs(a - c), abs(b - d), abs((d - c) - (b - a))


@pytest.mark.slow
def test_boundary_f1_by_condition_counts_pairs_and_runs_of_frames(study):
    table = shown(study, "boundary_conditions")
    for system in SYSTEMS:
        run = study / "runs" / "detectors" / system
        for row in stored(run / "conditions.tsv", "\t"):  # one clip for each condition
            clip = row["filename"]
            both = sum(runs_in(frames_of(run, name, clip)) for name in ("reference.tsv", "prediction.tsv"))
            pairs = sum(one["filename"] == clip and bool(one["pred_onset"]) for one in stored(run / "matches.csv"))
            assert table[system][row["condition"]] == (f"{2 * pairs / both:.3f}" if both else "—")


@pytest.mark.slow
def test_every_boundary_f1_made_of_clips_is_that_of_its_report(study):
    rows = stored(study / "rows" / "boundaries.csv")
    checked = 0
    for run in sorted((study / "runs").glob("*/*")):
        some = [r for r in rows if (r["group"], r["system"]) == (run.parent.name, run.name)]
        both = sum(int(r["references"]) + int(r["predictions"]) for r in some)
        report = json.loads((run / "report.json").read_text())
        known = next(m for m in report["metrics"]["metrics"] if m["name"] == "boundary")["micro"]["f1"]
        assert Fraction(2 * sum(int(r["pairs"]) for r in some), both) == Fraction(str(known["value"])), run
        checked += 1
    assert checked > 20


@pytest.mark.slow
def test_the_intervals_hold_their_values_and_the_attribution_is_their_difference(study):
    intervals = {(r["group"], r["system"], r["measure"]): r for r in stored(study / "rows" / "intervals.csv")}
    for row in intervals.values():
        assert float(row["low"]) <= float(row["value"]) + 0.2
        assert float(row["low"]) <= float(row["high"])
    rows = stored_rows(study)
    for system in SYSTEMS:
        mean = metric_value(rows, "detectors", system, MEAN)
        assert float(intervals["detectors", system, "mean"]["value"]) == pytest.approx(float(mean))
    for row in stored(study / "rows" / "attribution.csv"):
        if row["kind"] == "variant":
            ours, clean = (
                float(intervals["ablation", name, row["measure"]]["value"]) for name in (row["name"], "clean_dilated")
            )
            assert float(row["value"]) == pytest.approx(ours - clean)
            assert Fraction(row["corrected"]) >= Fraction(row["p"])


@pytest.mark.slow
def test_the_mean_at_a_tolerance_is_that_of_scoring_with_it(study):
    table = shown(study, "tolerance")
    for system in SYSTEMS:
        run = study / "runs" / "detectors" / system
        for at in TOLERANCES:
            again = tracepact.score(
                "boundary_gate",
                ref=run / "reference.tsv",
                pred=run / "prediction.tsv",
                durations=run / "durations.tsv",
                set={"tol": f"{int(at * 1000)}ms"},
            )
            assert table[system][f"{int(at * 1000)} ms"] == f"{float(again.card.headline()):.3f}"


@pytest.mark.slow
def test_the_class_table_is_the_mean_of_classes_scored_alone(study):
    table = shown(study, "classes")
    run = next((study / "runs" / "classes").iterdir())
    clip, condition = next((r["filename"], r["condition"]) for r in stored(run / "conditions.tsv", "\t"))
    values = []
    for label in ("speech", "tone", "burst"):
        ref, pred = (
            [
                (r["onset"], r["offset"], label)
                for r in stored(run / name, "\t")
                if (r["filename"], r["event_label"]) == (clip, label)
            ]
            for name in ("reference.tsv", "prediction.tsv")
        )
        one = tracepact.score("boundary_gate", ref={clip: ref}, pred={clip: pred}, durations=12).to_dict()
        f1 = next(m for m in one["metrics"]["metrics"] if m["name"] == "frame")["micro"]["f1"]
        if ref or pred:
            values.append(Fraction(str(f1["value"])))
    assert table[condition]["frame"] == f"{float(sum(values) / len(values)):.3f}"


@pytest.mark.slow
def test_the_neutrality_gap_and_the_leaders_are_those_of_the_guards(study):
    guards, neutrality = shown(study, "guards"), shown(study, "neutrality")
    for guard in GUARDS:
        best = max(float(guards[name][guard]) for name in guards)
        rest = max(float(row[guard]) for name, row in guards.items() if not name.startswith("contract_"))
        assert float(neutrality[guard]["all score"]) == best
        assert float(neutrality[guard]["clean score"]) == rest
        assert float(neutrality[guard]["gap"]) == pytest.approx(best - rest, abs=0.0011)


@pytest.mark.slow
def test_the_models_of_the_table_are_those_that_scored(study):
    rows = {(r["group"], r["system"]): r for r in stored(study / "rows" / "models.csv")}
    kinds = {path.parent.name for path in (study / "runs").glob("*/*")} - {"classes-union"}
    assert {group for group, _ in rows} == kinds
    assert rows["detectors", "contract_tcn_aug"]["calibrated on"] == "transition"
    assert rows["detectors", "contract_tcn_aug"]["held out"] == "2"  # 0.15 of 12 clips, one view of each
    assert rows["ablation", "augmentation_only"]["weights"] == rows["ablation", "augmentation_decoded"]["weights"]


def test_holm_multiplies_by_how_many_are_left_and_never_falls():
    assert holm([Fraction(1, 100), Fraction(4, 100), Fraction(3, 100)]) == [
        Fraction(3, 100),
        Fraction(6, 100),
        Fraction(6, 100),
    ]
    assert holm([Fraction(1, 2), Fraction(1, 2)]) == [1, 1]


def seeded(values: dict[str, list[tuple[str, str, str]]]) -> dict[str, list[dict[str, str]]]:
    """Rows of metrics for (boundary, mean, edge) by variant, a seed each; no boundaries."""
    metrics = [
        {"group": f"seed-{k}", "system": name, "metric": metric, "value": value}
        for name, some in values.items()
        for k, row in enumerate(some)
        for metric, value in zip(("boundary", MEAN, "transition", "frame"), (*row, "1"), strict=True)
    ]
    return {"metrics": metrics, "boundaries": []}


def test_the_seed_table_has_means_and_sample_deviations_and_every_run_its_row():
    rows = seeded({"union_full": [("1/2", "3/4", "1"), ("3/4", "1/2", "1/2"), ("1", "1/4", "3/4")]})
    table = [[text.strip() for text in row] for row in seed_table(rows).table.texts()]
    assert table[0] == ["union_full", "3", "0.750", "0.250", "0.500", "0.250", "0.750"]
    assert table[1][1:4] == ["3", "0.782", "0.018"]
    every = [[text.strip() for text in row] for row in every_seed_table(rows).table.texts()]
    assert [row[3] for row in every] == ["0.500", "0.750", "1.000"]


def test_a_part_of_a_curve_has_its_own_area_and_span():
    curve = [(Fraction(k), Fraction(k + 1), False, Fraction(k)) for k in range(4)]
    part = between(curve, Fraction(1), Fraction(5, 2))
    assert integral(part) == 1 + Fraction(1, 2) * 2
    assert span(part) == 1
