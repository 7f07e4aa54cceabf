"""`tracepact conform`: what it prints, the files it writes, and its exit codes."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli.command import run
from jsonschema import Draft202012Validator

from conform.programs import MONITOR, REGISTRY, SCHEMAS, process
from tracepact.conform.oracle import ConformanceProfile, suite

pytestmark = pytest.mark.slow


def test_the_command_prints_a_picture_and_a_vector_and_exits_with_1(tmp_path: Path) -> None:
    junit = tmp_path / "out.xml"
    outcome = run(
        *("conform", "--examples", "5", "--all", "--only", "core", "--junit", str(junit)),
        *("--", *process("always-not-cut")),
    )
    assert outcome.code == 1
    assert "does not conform: `mutant always-not-cut`" in outcome.out
    assert "wrong-answer  frames/always-clipped" in outcome.out
    assert "    expected     ·███\n    answered     ·█··\n                   ^^\n" in outcome.out
    assert "as a vector, once its answer is derived from the rules:" in outcome.out
    suites = ElementTree.parse(junit).getroot()
    failed = {case.get("name") for case in suites.iter("testcase") if case.find("failure") is not None}
    assert "frames/always-clipped" in failed
    assert all(int(s.get("tests", "")) == len(s.findall("testcase")) for s in suites.iter("testsuite"))


def test_junit_says_why_cases_were_skipped(tmp_path: Path) -> None:
    junit = tmp_path / "out.xml"
    run("conform", "--examples", "0", "--junit", str(junit), *greeter(1, ["core"]))
    skipped = [skip.get("message") for skip in ElementTree.parse(junit).getroot().iter("skipped")]
    assert len(skipped) == sum(vector.profile is ConformanceProfile.CORE for vector in suite())
    assert set(skipped) == {"not today"}


def test_the_outcome_as_json_is_valid_and_its_vectors_can_be_added() -> None:
    outcome = run(
        *("conform", "--examples", "8", "--format", "json", "--only", "past"),
        *("--", *process("window-one-long")),
    )
    data = json.loads(outcome.out)
    validator = Draft202012Validator(SCHEMAS["conformance.schema.json"], registry=REGISTRY)
    assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(data)] == []
    assert data["conforms"] is False
    assert data["profiles"] == ["past"]
    shrunk = [finding["vector"] for finding in data["findings"] if finding["origin"] == "random: windows"]
    assert len(shrunk) == 1
    file = {"$schema": "../schemas/vector.schema.json", "topic": "frames", "words": "", "vectors": shrunk}
    assert Draft202012Validator(SCHEMAS["vector.schema.json"]).is_valid(file)


def test_a_conforming_implementation_exits_with_0() -> None:
    outcome = run("conform", "--examples", "0", "--only", "core", "--", sys.executable, MONITOR)
    assert outcome.code == 0
    assert outcome.out.startswith("conforms: `a small monitor`\n")


HELLO = """
import json, sys
sys.stdin.readline()
print(json.dumps({"hello": "x", "version": VERSION, "profiles": PROFILES}), flush=True)
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "unsupported": "not today"}), flush=True)
"""


def greeter(version: int, profiles: list[str]) -> tuple[str, ...]:
    """An implementation that says hello and supports no case."""
    return ("--", sys.executable, "-c", HELLO.replace("VERSION", str(version)).replace("PROFILES", str(profiles)))


@pytest.mark.parametrize(("claimed", "chosen"), [([], []), (["past"], ["--only", "core"]), (["core"], [])])
def test_where_nothing_was_tested_the_outcome_is_unknown(claimed: list[str], chosen: list[str]) -> None:
    outcome = run("conform", "--examples", "2", *chosen, *greeter(1, claimed))
    assert outcome.code == 3
    assert outcome.out.startswith("nothing was tested: `x`\n")


def test_reasons_are_counted_and_shown() -> None:
    asked = sum(vector.profile is ConformanceProfile.CORE for vector in suite())
    outcome = run("conform", "--examples", "0", *greeter(1, ["core"]))
    assert f"answered 0 of {asked} vectors, 0 of 0 random cases\n" in outcome.out
    assert f"reasons it gives for unsupported cases:\n  {asked} × not today\n" in outcome.out
    data = json.loads(run("conform", "--examples", "0", "--format", "json", *greeter(1, ["core"])).out)
    assert Draft202012Validator(SCHEMAS["conformance.schema.json"], registry=REGISTRY).is_valid(data)
    assert (data["conforms"], data["tested"]) == (False, False)
    assert data["unsupported"] == [{"reason": "not today", "count": asked}]


def test_some_unsupported_cases_are_said_in_the_first_line() -> None:
    command = ("conform", "--examples", "0", "--only", "streaming")
    outcome = run(*command, "--", sys.executable, MONITOR)
    tally = Counter(
        v.input["ask"] in ("components", "lines") for v in suite() if v.profile is ConformanceProfile.STREAMING
    )
    assert outcome.code == 1
    assert outcome.out.startswith("conforms in part: `a small monitor`\n")
    assert run(*command, "--allow-unsupported", "--", sys.executable, MONITOR).code == 0
    assert f"answered {tally[False]} of {tally.total()} vectors" in outcome.out


def test_a_run_leaves_no_files(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from tracepact.cli import main; main()", "conform", "--examples", "2"]
    done = subprocess.run([*command, "--only", "core", "--", sys.executable, MONITOR], cwd=tmp_path, check=False)
    assert done.returncode == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("version", "profiles", "words"),
    [
        (2, ["core"], "its hello has version 2; this is version 1"),
        (1, ["cor"], "its hello has unknown profiles: `cor`"),
    ],
)
def test_what_is_wrong_with_a_hello_is_said(version: int, profiles: list[str], words: str) -> None:
    outcome = run("conform", "--examples", "0", *greeter(version, profiles))
    assert outcome.code == 1
    assert outcome.out.splitlines()[1].startswith(f"stopped early: {words}")
    assert "never said hello" not in outcome.out


def test_a_missing_folder_for_junit_is_noticed_before_the_run(tmp_path: Path) -> None:
    outcome = run("conform", "--junit", str(tmp_path / "no" / "out.xml"), "--", "no-such-command-here")
    assert outcome.code == 2
    assert "there is no folder" in outcome.err
    assert outcome.out == ""


def test_a_command_that_is_not_there_is_a_finding() -> None:
    outcome = run("conform", "--", "no-such-command-here")
    assert outcome.code == 1
    assert "no-start" in outcome.out
    assert outcome.out.splitlines()[:2] == [
        "does not conform: `no-such-command-here`",
        "stopped early: it never said hello",
    ]


def test_a_run_without_time_says_so_first_and_is_unknown() -> None:
    outcome = run("conform", "--seconds", "0", "--only", "core", "--", sys.executable, MONITOR)
    assert outcome.code == 3
    first, second, *_ = outcome.out.splitlines()
    assert first == "not tested to the end: nothing was found until then: `a small monitor`"
    assert second.startswith("stopped early: after 0 s among the vectors: ")


def test_without_hypothesis_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tracepact.conform.draw", raising=False)
    monkeypatch.delattr("tracepact.conform.draw", raising=False)
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    outcome = run("conform", "--", sys.executable, MONITOR)
    assert outcome.code == 2
    assert "pip install 'tracepact[conform]'" in outcome.err
    assert run("conform", "--examples", "0", "--only", "core", "--", sys.executable, MONITOR).code == 0
