"""Conformance runs that end early or leave something out: the exit code, the words and the files say so."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cli.command import run

from tracepact.conform.conformance import conform
from tracepact.conform.findings import CaseTally, judge
from tracepact.conform.oracle import ConformanceProfile, suite
from tracepact.conform.outcome import picture
from tracepact.conform.peer import Peer

MONITOR = str(Path(__file__).resolve().parents[2] / "examples" / "07-conformance" / "monitor.py")
CONFORM = (sys.executable, "-c", "from tracepact.cli import main; main()", "conform", "--examples", "0")
GREETER = """
import json, os, sys, time
sys.stdin.readline()
print(json.dumps({"hello": "x", "version": 1, "profiles": ["core"]}), flush=True)
for line in sys.stdin:
    case = json.loads(line)
    REPLY
"""


def peer_that(reply: str) -> list[str]:
    """An implementation of the core profile that meets every case with a line of code."""
    return [sys.executable, "-c", GREETER.replace("REPLY", reply)]


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_reader_that_leaves_does_not_change_the_exit_code(options: tuple[str, ...]) -> None:
    mutant = [sys.executable, "-m", "benchmarks.mutant", "always-not-cut"]
    command = [*CONFORM, *options, "--only", "core", "--", *mutant]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.close()
        said = started.stderr.read()
    assert started.returncode == 1
    assert said == b""


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize(
    ("asked", "greets", "deaf"),
    [("SIGTERM", True, False), ("SIGTERM", False, False), ("SIGHUP", True, True), ("SIGHUP", False, True)],
)
def test_a_request_to_end_ends_the_implementation_too(asked: str, greets: bool, deaf: bool, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    tell = f"open({str(note)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    if deaf:
        tell = f"import signal; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; {tell}"
    peer = peer_that(tell) if greets else [sys.executable, "-c", f"import os, time; {tell}"]
    with subprocess.Popen([*CONFORM, "--wait", "50", "--", *peer], stderr=subprocess.PIPE) as started:
        while not (note.exists() and note.read_text()):
            assert started.poll() is None
            time.sleep(0.02)
        started.send_signal(signal.Signals[asked])
        started.communicate()
    assert started.returncode == 4
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), signal.SIG_DFL)


@pytest.mark.parametrize("timeout", ["nan", "inf", "1e300", "0"])
def test_a_timeout_that_is_no_time_is_refused(timeout: str) -> None:
    outcome = run("conform", "--wait", timeout, "--", "no-such-command-here")
    assert outcome.code == 2
    assert "--wait" in outcome.err
    assert outcome.out == ""


@pytest.mark.parametrize(
    ("reply", "options", "title"),
    [
        ("sys.exit(7)", (), "stopped"),
        ("print(json.dumps({'id': case['id'], 'unsupported': 'no'}), flush=True)", (), "nothing was tested"),
        ("pass", ("--only", "events"), "nothing was tested"),
    ],
)
def test_junit_of_a_run_that_says_too_little_has_an_error(
    reply: str, options: tuple[str, ...], title: str, tmp_path: Path
) -> None:
    junit = tmp_path / "out.xml"
    outcome = run("conform", "--examples", "0", "--junit", str(junit), *options, "--", *peer_that(reply))
    assert outcome.code != 0
    root = ElementTree.parse(junit).getroot()
    erred = [case.get("name") for case in root.iter("testcase") if case.find("error") is not None]
    assert erred == [title]
    assert sum(int(each.get("errors", "0")) for each in root.iter("testsuite")) == 1


def test_a_crash_is_told_by_the_end_of_standard_error() -> None:
    found = conform(peer_that("sys.exit('start of it ' + 'x' * 500 + ' the reason')"), examples=0)
    assert found.findings
    assert all("the reason`" in f.words and "start of it" not in f.words for f in found.findings)


def test_a_profile_that_was_asked_for_and_is_not_supported_is_named() -> None:
    options = ("conform", "--examples", "0", "--only", "contracts", "--only", "core")
    outcome = run(*options, "--", sys.executable, MONITOR)
    assert outcome.code == 0
    assert "asked for but not supported, so not tested: contracts\n" in outcome.out
    assert json.loads(run(*options, "--json", "--", sys.executable, MONITOR).out)["left_out"] == ["contracts"]


def test_where_nothing_was_tested_what_is_supported_and_asked_is_said() -> None:
    outcome = run("conform", "--examples", "0", "--only", "events", "--", *peer_that("pass"))
    assert outcome.code == 3
    assert "it supports core; asked for: events\n" in outcome.out


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"obligated": -1, "value": "1"}, "obligated differs; missing `satisfied`"),
        ({"satisfied": -1, "obligated": -1}, "satisfied and obligated differ; missing `value`"),
        ({}, "missing `satisfied` and `obligated` and `value`"),
    ],
)
def test_a_part_that_is_missing_is_called_missing(answer: dict[str, Any], words: str) -> None:
    wanted = {"satisfied", "obligated", "value"}
    vector = next(v for v in suite() if v.profile is ConformanceProfile.CORE and v.input["ask"] == "clause")
    assert wanted <= set(vector.expected)
    given = {**{key: value for key, value in vector.expected.items() if key not in wanted}, **answer}
    if "value" in given:
        given["value"] = vector.expected["value"]
    peer = Peer(
        peer_that(f"print(json.dumps({{'id': case['id'], 'answer': json.loads({json.dumps(given)!r})}}), flush=True)"),
        20,
    )
    finding = judge(peer, vector, CaseTally())
    peer.kill()
    assert finding is not None
    assert sorted(finding.words.replace(" and ", " ").split()) == sorted(words.replace(" and ", " ").split())
    missing = [line for line in picture(finding) if "missing" in line]
    assert len(missing) == len(wanted - set(given))
    assert not any("null" in line for line in picture(finding))
