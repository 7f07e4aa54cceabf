"""What is chosen when a run is scored and stored with it: the metrics' policies, and whether violations are rows."""

import json
import pickle
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from cli.command import events, run, write
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from score.runs import runs, small_run
from tracepact import InvalidInput, Run, load_contract, score
from tracepact.declarations import spec_path
from tracepact.measures.policy import Empty, Evaluated, EventPolicy, MacroOver, MetricSettings, OffsetRule
from tracepact.runs import directory, score_command
from tracepact.runs.directory import run_files
from tracepact.runs.manifest import policies_data, policies_of
from tracepact.runs.opening import load_run
from tracepact.runs.verification import verify_run

LENGTHS = st.fractions(Fraction(1, 1000), 100)
SETTINGS = st.builds(
    MetricSettings,
    st.builds(EventPolicy, LENGTHS, st.sampled_from(OffsetRule), st.fractions(0, 1)),
    LENGTHS,
    LENGTHS,
    st.sampled_from(Evaluated),
    st.sampled_from(Empty),
    st.sampled_from(MacroOver),
)
OTHER = MetricSettings(EventPolicy(Fraction(1, 2), OffsetRule.NONE), Fraction(1, 3), evaluated=Evaluated.CLIP)
DATA = ("boundary_gate", "--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "10")
TABLES = {"ref.tsv": events("a 1 2 x", "b 3 4 x"), "pred.tsv": events("a 1.4 2.9 x", "b 3 4 x", "b 6 7 x")}


@given(SETTINGS)
def test_recorded_policies_come_back(settings: MetricSettings) -> None:
    assert policies_of(policies_data(settings)) == settings


@given(st.sampled_from(list(policies_data(OTHER))), st.sampled_from(["", "x", "-1", "1/0", "nan"]))
def test_a_policy_that_is_none_is_refused(key: str, text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        policies_of({**policies_data(OTHER), key: text})


@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize("settings", [MetricSettings(), OTHER])
def test_what_was_chosen_is_stored_and_used_again(tmp_path: Path, settings: MetricSettings, rows: bool) -> None:
    scored = replace(small_run(), settings=settings, violation_rows=rows)
    scored.save(tmp_path / "run")
    again = load_run(tmp_path / "run")
    assert (again.settings, again.violation_rows) == (settings, rows)
    assert (tmp_path / "run" / "violations.csv").exists() is rows
    found = verify_run(tmp_path / "run")
    assert found.holds, found
    assert not found.unlisted
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert ("metrics" in manifest["settings"]) is (settings != MetricSettings())
    report = json.loads(spec_path("schemas/report.schema.json").read_text())
    registry = Registry().with_resources([("report.schema.json", Resource.from_contents(report))])
    schema = json.loads(spec_path("schemas/manifest.schema.json").read_text())
    Draft202012Validator(schema, registry=registry).validate(manifest)


def test_score_measures_as_metrics_does(tmp_path: Path) -> None:
    write(tmp_path, TABLES)
    options = ("--collar", "500ms", "--offset", "none", "--segment", "2s", "--evaluated", "clip", "--macro", "all")
    measured = json.loads(run("metrics", *DATA[1:], *options, "--format", "json", folder=tmp_path).out)["metrics"]
    found = run("score", *DATA, *options, "--format", "json", "--out", "run", folder=tmp_path)
    usual = run("score", *DATA, "--format", "json", folder=tmp_path)
    scored = json.loads(found.out)["metrics"]["metrics"]
    assert scored == measured
    assert scored != json.loads(usual.out)["metrics"]["metrics"]
    assert run("verify", "run", folder=tmp_path).code == 0


def test_many_violations_are_said_and_can_be_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, TABLES)
    quiet = run("score", *DATA, "--out", "run", folder=tmp_path)
    assert "--no-violations" not in quiet.err
    rows = len((tmp_path / "run" / "violations.csv").read_text().splitlines()) - 1
    for module in (score_command, directory):
        monkeypatch.setattr(module, "MANY_ROWS", rows)
    assert "--no-violations" not in run("score", *DATA, "--out", "run", folder=tmp_path).err
    for module in (score_command, directory):
        monkeypatch.setattr(module, "MANY_ROWS", rows - 1)
    loud = run("score", *DATA, "--out", "run", folder=tmp_path)
    assert f"{rows:,} rows" in loud.err
    by_clause = [pq.read_table(path) for path in sorted((tmp_path / "run").glob("violations-*.parquet"))]
    assert sum(table.num_rows for table in by_clause) == rows
    assert not (tmp_path / "run" / "violations.csv").exists()
    assert run("verify", "run", folder=tmp_path).code == 0
    assert loud.err.index("--no-violations") < loud.err.index("wrote ")
    assert "--no-violations" in loud.err
    without = run("score", *DATA, "--out", "run", "--no-violations", "--page", folder=tmp_path)
    assert without.code == 0
    assert " rows; " not in without.err
    assert not (tmp_path / "run" / "violations.csv").exists()
    assert "--no-violations" in (tmp_path / "run" / "report.txt").read_text()
    assert run("verify", "run", folder=tmp_path).code == 0
    assert run("report", "run", "--format", "markdown", folder=tmp_path).code == 0
    assert run("score", *DATA, "--out", "other", folder=tmp_path).code == 0
    assert run("compare", "run", "other", folder=tmp_path).code == 0


def test_no_violations_is_about_the_run_directory(tmp_path: Path) -> None:
    write(tmp_path, TABLES)
    found = run("score", *DATA, "--no-violations", folder=tmp_path)
    assert found.code == 2
    assert "--out" in found.err


PAIR: tuple[Any, ...] = ({"a": [(1, 2, "x")], "b": [(3, 4, "x")]}, {"a": [("1.4", "2.9", "x")], "b": [(6, 7, "x")]})


def test_the_policies_given_to_a_score_are_those_of_its_metrics() -> None:
    """At once, in batches, and as they were put into a run before."""
    before = replace(score("boundary_gate", *PAIR, durations=10), settings=OTHER).to_dict()["metrics"]
    assert before != score("boundary_gate", *PAIR, durations=10).to_dict()["metrics"]
    for how in ({}, {"engine": "local"}):
        assert score("boundary_gate", *PAIR, durations=10, settings=OTHER, **how).to_dict()["metrics"] == before


def test_the_violations_of_one_clip_are_those_of_all_that_are_its() -> None:
    scored = score("boundary_gate", *PAIR, durations=10)
    for clause in scored.vector:
        every = scored.violations(clause)
        for clip in ("a", "b"):
            assert scored.violations(clause, clip=clip) == [one for one in every if one["clip"] == clip]
    assert any(scored.violations("missing_guard", clip="b"))
    with pytest.raises(InvalidInput) as refused:
        scored.violations("missing_guard", clip="c")
    assert [found.code for found in refused.value.diagnostics] == ["unknown-clip"]


@given(runs())
def test_a_pickled_run_is_the_run(scored: Run) -> None:
    again = pickle.loads(pickle.dumps(scored))
    assert again.to_dict() == scored.to_dict()
    assert run_files(again) == run_files(scored)
    assert all(again.violations(clause) == scored.violations(clause) for clause in scored.vector)


def test_a_contract_in_a_notebook_is_one_line() -> None:
    shown = repr(load_contract("boundary_gate"))
    assert shown.startswith("<Contract boundary_gate: onset_guard, ")
    assert len(shown) < 250
