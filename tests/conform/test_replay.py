"""What a run leaves behind: the command that asks a case again, rules, a badge, a page of several runs."""

import json
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli.command import run

from conform.programs import MONITOR, process
from tracepact.conform.differential import portable


def mutant(name: str) -> tuple[str, ...]:
    """The arguments that name a mutant of the example's monitor."""
    return ("--", *process(name))


CASE = {"ask": "verdicts", "formula": ["F", 0, 65, "p"], "clips": [{"frames": 131, "masks": {"p": "0*65 1 0*65"}}]}


def test_a_case_is_asked_again_by_one_line() -> None:
    outcome = run("conform", "--ask", json.dumps(CASE), *mutant("window-reach-64"))
    assert outcome.code == 1
    again = next(line.strip() for line in outcome.out.splitlines() if line.strip().startswith("tracepact conform "))
    _, _, *arguments = shlex.split(again)
    assert "0*65 1 0*65" in again
    assert run("conform", *arguments).code == 1
    sound = run("conform", "--ask", json.dumps(CASE), "--python", MONITOR)
    assert sound.code == 0, sound.out


def test_a_vector_is_asked_by_its_name() -> None:
    outcome = run("conform", "--id", "frames/always-clipped", *mutant("always-not-cut"))
    assert outcome.code == 1
    assert "tracepact conform --id frames/always-clipped -- " in outcome.out
    assert run("conform", "--id", "frames/always-clipped", "--python", MONITOR).code == 0


@pytest.mark.parametrize(
    "options",
    [
        ("--id", "frames/no-such"),
        ("--ask", "{"),
        ("--ask", '{"ask": "nothing"}'),
        ("--ask", '{"ask": "verdicts"}'),
        ("--ask", '{"ask": "verdicts", "formula": "p", "clips": [{"frames": 9, "masks": {"p": "0*999999999"}}]}'),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_started(options: tuple[str, ...]) -> None:
    assert run("conform", *options, "--", "no-such-command-here").code == 2


def test_either_a_command_or_a_file_is_named() -> None:
    assert run("conform").code == 2
    assert run("conform", "--python", MONITOR, "--", "x").code == 2
    assert run("conform", "--python", "no-such.py", "--examples", "0").code == 1


def test_runs_are_compared_side_by_side(tmp_path: Path) -> None:
    places = []
    for name, implementation in (("good", ("--python", MONITOR)), ("bad", mutant("always-not-cut"))):
        options = ("--examples", "0", "--only", "core", "--badge", str(tmp_path / f"{name}.svg"), "--format", "json")
        outcome = run("conform", *options, *implementation)
        (tmp_path / f"{name}.json").write_text(outcome.out, encoding="utf-8")
        places.append(str(tmp_path / f"{name}.json"))
    found = json.loads((tmp_path / "bad.json").read_text())
    rules = {rule["rule"]: rule for rule in found["rules"] if rule["profile"] == "core"}
    assert rules["6.3"]["failed"] > 0
    assert rules["6.4"]["passed"] > 0
    assert all(finding["replay"].startswith("tracepact conform --id ") for finding in found["findings"])
    titles = {name: ElementTree.parse(tmp_path / f"{name}.svg").getroot()[0].text for name in ("good", "bad")}
    assert titles == {"good": "tracepact: conforms: core", "bad": "tracepact: does not conform"}
    page = tmp_path / "page.html"
    outcome = run("conformance", *places, "--out", str(page))
    assert outcome.code == 1
    html = page.read_text(encoding="utf-8")
    assert "a small monitor" in html
    assert "mutant always-not-cut" in html
    assert "frames/always-clipped" in html
    assert "http://" not in html.replace("http://www.w3.org", "")


def test_a_file_that_is_no_result_is_refused(tmp_path: Path) -> None:
    for text in ("", "[]", '{"command": []}', "x" * 10):
        (tmp_path / "r.json").write_text(text)
        assert run("conformance", str(tmp_path / "r.json")).codes == ["bad-json"]
    assert run("conformance", str(tmp_path / "none.json")).codes == ["unreadable-file"]


def test_a_replay_line_has_no_path_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "interpreter"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    own = tmp_path / "work"
    own.mkdir()
    monkeypatch.chdir(own)
    elsewhere = "/nowhere/on/the/path"
    words = [str(program), str(own / "tools" / "monitor"), str(own / "monitor"), "careful", elsewhere]
    assert portable(words) == [str(program), "tools/monitor", "./monitor", "careful", elsewhere]
    monkeypatch.setenv("PATH", str(program.parent))
    assert portable(words)[0] == "interpreter"
