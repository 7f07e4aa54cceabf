"""score and demo: formats, options, requirements and the files that are written."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from cli.command import Outcome, events, listing, run, write

from tracepact import files
from tracepact.declarations import spec_path

FILES = [
    "contract.contract",
    "durations.tsv",
    "manifest.json",
    "matches.csv",
    "prediction.tsv",
    "reference.tsv",
    "report.json",
    "report.svg",
    "report.txt",
    "scores.csv",
    "source.contract",
    "violations.csv",
]
DEMO_FILES = [*FILES, "conditions.tsv", "report.html", "report.md"]
GATE = """contract gate "Onsets"
step 20ms
param tol = 40ms
clause onset on ref_onset : ref_onset -> N[tol] pred_onset
clause support on ref_active : pred_active
profile early : onset = 1
profile both : onset = 1, support = 3
"""
# Onsets hold at 1 s and 3 s, not at 6 s: two of three.
TABLES = {
    "gate.contract": GATE,
    "ref.tsv": events("a 1 2 x", "a 3 4 y", "b 6 7 x"),
    "pred.tsv": events("a 1 2 x", "a 3 4 y", "b 6.06 7 x"),
    "durations.tsv": "filename\tduration\na\t10\nb\t8\n",
    "conditions.tsv": "filename\tcondition\na\tloud\nb\tsoft\n",
}
DATA = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "durations.tsv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, TABLES)
    return tmp_path


def score(folder: Path, *more: str) -> Outcome:
    return run("score", "gate.contract", *DATA, *more, folder=folder)


def report(folder: Path, *more: str) -> Any:
    outcome = score(folder, *more, "--format", "json")
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


def pooled(data: Any, clause: str = "onset") -> Any:
    return next(row["scores"]["pooled"] for row in data["vector"] if row["clause"] == clause)


def test_the_text_report_shows_the_vector_and_where_it_failed(folder: Path) -> None:
    outcome = score(folder, "--full")
    assert (outcome.code, outcome.err) == (0, "")
    assert "gate  Onsets" in outcome.out
    assert "2 / 3" in outcome.out
    assert "Where it failed, farthest first" in outcome.out
    assert "nearest 0.06 s later" in outcome.out


def test_the_json_report_holds_exact_values_with_counts(folder: Path) -> None:
    found = pooled(report(folder))
    assert (found["value"], found["satisfied"], found["obligated"], found["vacuous"]) == ("2/3", 2, 3, False)


def test_the_csv_has_a_row_for_each_clip_class_and_clause(folder: Path) -> None:
    rows = list(csv.DictReader(StringIO(score(folder, "--format", "csv").out)))
    assert len(rows) == 2 * 2 * 2
    failed = [row for row in rows if row["clause"] == "onset" and row["value"] == "0"]
    assert [(row["filename"], row["event_label"], row["satisfied"], row["obligated"]) for row in failed] == [
        ("b", "x", "0", "1")
    ]


def test_a_value_set_from_outside_counts_and_the_report_says_so(folder: Path) -> None:
    plain, changed = report(folder), report(folder, "--set", "tol=60ms")
    assert pooled(changed)["value"] == "1"
    assert changed["contract"]["parameters"] == [{"name": "tol", "value": "60ms", "overridden": True}]
    assert "param tol = 60ms" in changed["contract"]["text"]
    assert changed["contract"]["digest"] != plain["contract"]["digest"]
    assert "overridden: tol = 60ms" in score(folder, "--set", "tol=60ms").out
    assert "overridden" not in score(folder).out


@pytest.mark.parametrize("given", ["tol", "tol=", "=1", "tols=1s", "tol=soon"])
def test_a_bad_setting_is_invalid(given: str, folder: Path) -> None:
    outcome = score(folder, "--set", given)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err


def test_a_large_number_without_a_unit_is_no_time(folder: Path) -> None:
    outcome = score(folder, "--set", "tol=60")
    assert (outcome.code, outcome.codes) == (2, ["unit-mismatch"])
    assert "`60ms`" in outcome.err
    assert all(unit in outcome.err for unit in ("ms", " s ", "(frames)"))
    assert score(folder, "--set", "tol=6").code == 0, "a small one is in seconds (rule 2.4)"
    assert score(folder, "--out", "out").code == 0
    audit = run("audit", "tolerance", "out", "--parameter", "tol", "--high", "300", folder=folder)
    assert (audit.code, audit.codes) == (2, ["unit-mismatch"])


def test_profile_shows_the_named_ones_only(folder: Path) -> None:
    conditions = ("--conditions", "conditions.tsv")
    assert [p["name"] for p in report(folder, *conditions)["profiles"]] == ["early", "both"]
    data = report(folder, *conditions, "--profile", "early")
    assert [(p["name"], p["value"]) for p in data["profiles"]] == [("early", "2/3")]
    assert [list(row["profiles"]) for row in data["conditions"]] == [["early"], ["early"]]
    assert score(folder, "--profile", "late").codes == ["unknown-profile"]


@pytest.mark.parametrize(
    ("requirement", "code"),
    [
        ("onset>=2/3", 0),
        ("onset>2/3", 1),
        ("onset==2/3", 0),
        ("onset<=2/3", 0),
        ("onset<2/3", 1),
        ("onset==0.667", 1),
        ("onset>=0.66666666666666666", 0),
        ("onset>=0.66666666666666667", 1),
        (" early >= 2/3 ", 0),
        ("mean>=1", 1),
        ("mean>0", 0),
        ("pooled.onset>=2/3", 0),
        ("pooled . onset > 2/3", 1),
        ("macro_classes.onset==3/4", 0),
        ("macro_classes.onset>3/4", 1),
        ("macro_classes.early==3/4", 0),
        ("macro_clips_informative.mean>1", 1),
    ],
)
def test_a_requirement_is_judged_exactly(requirement: str, code: int, folder: Path) -> None:
    outcome = score(folder, "--require", requirement)
    assert outcome.code == code
    assert ("violated: required" in outcome.err) == bool(code)
    assert "score: " in outcome.out


def test_the_old_word_for_the_mean_is_taken_with_a_note(folder: Path) -> None:
    old, new = (score(folder, "--require", f"pooled.{word}>=1") for word in ("logic", "mean"))
    assert (old.code, new.code) == (1, 1)
    assert old.err.splitlines()[1:] == new.err.splitlines()
    assert "`mean`" in old.err.splitlines()[0]


def test_every_requirement_that_is_not_met_is_named(folder: Path) -> None:
    outcome = score(folder, "--require", "onset>=1", "--require", "support>=0", "--require", "both==1")
    assert outcome.code == 1
    assert [line.split()[2] for line in outcome.err.splitlines()] == ["onset", "both"]
    assert "but it is 2/3 (0.6667)" in outcome.err


def test_every_requirement_that_makes_no_sense_is_named(folder: Path) -> None:
    wrong = ("onset", "onset>=1/0", "onset>=a", "onset=>1", "onsets>=1", "poled.onset>=1")
    outcome = score(folder, *(part for text in wrong for part in ("--require", text)), "--profile", "late")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.codes == ["unknown-profile", *["bad-requirement"] * 6]
    assert "did you mean `pooled`?" in outcome.err
    assert "did you mean `onset`?" in outcome.err


def test_labels_are_kept_apart_or_taken_as_one(folder: Path) -> None:
    write(folder, {"pred.tsv": events("a 1 2 y", "a 3 4 x", "b 6 7 x")})
    apart, one = report(folder, "--class-indexed"), report(folder, "--union")
    assert (apart["family"]["mode"], apart["family"]["classes"]) == ("class_indexed", ["x", "y"])
    assert (one["family"]["mode"], one["family"]["classes"]) == ("union", ["*"])
    assert (pooled(apart)["value"], pooled(one)["value"]) == ("1/3", "1")
    assert report(folder)["vector"] == apart["vector"]


def test_conditions_group_the_results(folder: Path) -> None:
    data = report(folder, "--conditions", "conditions.tsv")
    values = {row["condition"]: row["vector"]["onset"]["pooled"]["value"] for row in data["conditions"]}
    assert values == {"loud": "1", "soft": "0"}
    assert "By condition" in score(folder, "--conditions", "conditions.tsv", "--full").out
    write(folder, {"conditions.tsv": "filename\tcondition\na\tloud\n"})
    assert score(folder, "--conditions", "conditions.tsv").codes == ["missing-condition"]


def test_ignored_regions_carry_no_obligation(folder: Path) -> None:
    write(folder, {"ignore.tsv": events("b 5.5 7 ")})
    found = pooled(report(folder, "--ignore", "ignore.tsv"))
    assert (found["value"], found["obligated"]) == ("1", 2)


def test_durations_are_a_table_or_one_number(folder: Path) -> None:
    table = report(folder)
    number = json.loads(
        run("score", "gate.contract", *DATA[:4], "--durations", "10", "--format", "json", folder=folder).out
    )
    assert table["family"]["frames"] == (500 + 400) * 2
    assert number["family"]["frames"] == (500 + 500) * 2
    assert [item["role"] for item in table["inputs"]] == ["reference", "prediction", "durations"]
    assert [item["role"] for item in number["inputs"]] == ["reference", "prediction"]


def test_a_pair_holds_the_whole_task(folder: Path) -> None:
    clip = {"name": "b", "duration": 8, "ref": [[6, 7, "x"]], "pred": [["6.06", 7, "x"]]}
    write(folder, {"pair.json": json.dumps({"clips": [clip]})})
    outcome = run("score", "gate.contract", "--pair", "pair.json", "--format", "json", folder=folder)
    assert outcome.code == 0
    assert pooled(json.loads(outcome.out))["value"] == "0"


@pytest.mark.parametrize(
    "given",
    [
        (),
        ("--ref", "ref.tsv"),
        ("--pred", "pred.tsv"),
        ("--pair", "pair.json", "--ref", "ref.tsv"),
        ("--pair", "pair.json", "--durations", "10"),
        ("--pair", "pair.json", "--ignore", "ignore.tsv"),
        ("--pair", "pair.json", "--ref", "ref.tsv", "--pred", "pred.tsv"),
    ],
)
def test_tables_and_a_pair_do_not_go_together(given: tuple[str, ...], folder: Path) -> None:
    outcome = run("score", "gate.contract", *given, folder=folder)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.splitlines()[-1].startswith("Error: ")


def test_out_writes_every_file_and_says_so(folder: Path) -> None:
    outcome = score(folder, "--out", "deep/out", "--format", "json")
    out = folder / "deep" / "out"
    assert outcome.err == f"wrote {len(FILES)} files to deep/out\n"
    assert sorted(path.name for path in out.iterdir()) == FILES
    assert (out / "report.json").read_text() == outcome.out
    assert (out / "scores.csv").read_text() == score(folder, "--format", "csv").out
    assert (out / "report.svg").read_text().startswith("<svg")
    assert "\x1b" not in (out / "report.txt").read_text()


def test_profiles_are_left_out_of_what_is_shown_and_not_of_what_is_stored(folder: Path) -> None:
    """Else the run would not come out as it is stored."""
    assert score(folder, "--out", "out", "--profile", "both").code == 0
    assert run("verify", "out", folder=folder).code == 0


def test_the_page_goes_into_the_run_directory_with_its_digest(folder: Path) -> None:
    assert score(folder, "--page").code == 2
    outcome = score(folder, "--page", "--out", "out")
    assert sorted(listing(folder / "out")) == sorted([*FILES, "report.html", "report.md"])
    assert outcome.err == f"wrote {len(FILES) + 2} files to out\n"
    (folder / "out" / "report.html").write_text("another page")
    assert "report.html" in run("verify", "out", folder=folder).out


def test_a_run_that_replaces_one_with_a_page_has_a_page_of_its_own(folder: Path) -> None:
    assert score(folder, "--page", "--out", "out").code == 0
    before = (folder / "out" / "report.html").read_text(encoding="utf-8")
    outcome = score(folder, "--out", "out", "--set", "tol=60ms")
    assert "`report.html`" in outcome.err
    assert (folder / "out" / "report.html").read_text(encoding="utf-8") != before
    assert run("verify", "out", folder=folder).code == 0
    assert score(folder, "--out", "plain").code == score(folder, "--out", "plain").code == 0
    assert sorted(listing(folder / "plain")) == FILES


def test_written_files_have_the_usual_permissions(folder: Path) -> None:
    score(folder, "--out", "out")
    (folder / "plain").touch()
    assert {path.stat().st_mode for path in (folder / "out").iterdir()} == {(folder / "plain").stat().st_mode}


def test_a_violated_requirement_still_writes_the_report(folder: Path) -> None:
    assert score(folder, "--require", "onset>=1", "--out", "out").code == 1
    assert sorted(listing(folder / "out")) == FILES


def test_a_failure_while_writing_leaves_the_files_as_they_were(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert score(folder, "--out", "out").code == 0
    before = listing(folder)
    written: list[int] = []

    def full(number: int) -> None:
        written.append(number)
        if len(written) == 4:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    outcome = score(folder, "--set", "tol=60ms", "--out", "out")
    assert outcome.code == 4
    assert "No space left on device" in outcome.err
    assert listing(folder) == before


def test_out_that_is_a_file_is_invalid(folder: Path) -> None:
    write(folder, {"out": "mine"})
    assert score(folder, "--out", "out").code == 2
    assert (folder / "out").read_text() == "mine"


def test_a_fault_of_the_program_is_a_failure_and_said_as_such(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("tracepact.runs.report_views.json_text", broken)
    outcome = score(folder, "--out", "out")
    assert outcome.code == 4
    assert "this is a fault of tracepact" in outcome.err
    assert not (folder / "out").exists()


# demo


def test_the_demo_scores_three_systems_and_writes_their_reports(tmp_path: Path) -> None:
    outcome = run("demo", "--out", "out", folder=tmp_path)
    assert outcome.code == 0
    assert "checked boundary_gate: ok" in outcome.err
    written = {f"{system}/{file}" for system in ("late_long", "over_firing", "fragmenting") for file in DEMO_FILES}
    assert set(listing(tmp_path / "out")) == written
    shares = next(line for line in outcome.out.splitlines() if "frame F1" in line).replace("│", " ").split()[2:]
    assert len(shares) == 3
    assert max(map(float, shares)) - min(map(float, shares)) < 0.05


def test_the_demo_is_what_score_gives_on_the_shipped_tables(tmp_path: Path) -> None:
    run("demo", "--out", "out", folder=tmp_path)
    tables = spec_path("demo")
    given = ("--ref", "reference.tsv", "--pred", "late_long.tsv", "--durations", "durations.tsv")
    outcome = run("score", "boundary_gate", *given, "--format", "json", folder=tables)
    demo = json.loads((tmp_path / "out" / "late_long" / "report.json").read_text())
    assert json.loads(outcome.out)["vector"] == demo["vector"]


def test_of_very_many_classes_the_text_shows_the_first_and_says_how_many_more_there_are(folder: Path) -> None:
    write(folder, {"many.tsv": events(*(f"a {k % 7} {k % 7 + 0.5} label{k:03d}" for k in range(230)))})
    many = ("score", "gate.contract", "--ref", "many.tsv", "--pred", "many.tsv", "--durations", "8")
    text = run(*many, "--full", folder=folder).out
    assert "and 30 more classes" in text
    assert "label199" in text
    assert "label200" not in text
    assert len(json.loads(run(*many, "--format", "json", folder=folder).out)["classes"]) == 230
