"""Nothing that fails while a finding is made smaller, drawn or explained loses the finding."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cli.command import run

from tracepact.conform import differential, draw
from tracepact.conform.conformance import conform
from tracepact.conform.differential import GUIDED
from tracepact.conform.findings import CaseTally, Conformance
from tracepact.conform.oracle import ASKS, ConformanceProfile, Session, Vector
from tracepact.conform.outcome import badge_svg, conformance_record, junit_xml


class Wrong:
    """The reference, but for its answers to one ask, which are wrong from the n-th on."""

    name = "wrong"

    def __init__(self, ask: str = "", right: int = 0) -> None:
        self.profiles = frozenset(ConformanceProfile)
        self.runs = False
        self.ask_of_fault, self.right = ask, right
        self.session = Session()

    def start(self) -> None:
        self.runs = True

    def ask(self, case: Mapping[str, Any]) -> dict[str, Any]:
        reply = self.session.reply(json.dumps({"id": 1, **case}))
        if case["ask"] != self.ask_of_fault or "answer" not in reply:
            return reply
        self.right -= 1
        return reply if self.right >= 0 else {**reply, "answer": dict.fromkeys(reply["answer"], "wrong")}

    def close(self) -> None: ...

    def kill(self) -> None: ...

    def news(self) -> bool:
        return False


@cache
def asks_drawn() -> dict[str, tuple[ConformanceProfile, str]]:
    """For every ask an experiment that draws it: a small one if there is one."""
    first: dict[str, tuple[ConformanceProfile, str]] = {}
    for profile in ConformanceProfile:
        for name in draw.EXPERIMENTS[profile]:
            first.setdefault(differential.drawn_cases(profile, name, 1)[0].input["ask"], (profile, name))
    for profile in ConformanceProfile:
        for name in GUIDED[profile]:
            first.setdefault(next(differential.guided(profile, name, 1))["ask"], (profile, name))
    return first


SAID = {"stream": "close"}
"""The message that the answer to an ask comes with, where it has another name."""


def one_experiment(monkeypatch: pytest.MonkeyPatch, profile: ConformanceProfile, name: str) -> None:
    """Draw one experiment alone."""
    for table in (draw.EXPERIMENTS, draw.FAMILIES, GUIDED):
        for each in ConformanceProfile:
            monkeypatch.setitem(table, each, {k: v for k, v in table[each].items() if (each, k) == (profile, name)})  # type: ignore[arg-type]


def outcome_of(ask: str, monkeypatch: pytest.MonkeyPatch) -> Conformance:
    """A run of a few random cases against an implementation that is wrong at one ask from its second case on."""
    profile, name = asks_drawn()[ask]
    one_experiment(monkeypatch, profile, name)
    monkeypatch.setattr(differential, "SHRINKING", 0.1)
    peer = Wrong(SAID.get(ask, ask), right=1)
    return conform(["wrong"], peer=peer, examples=5, with_vectors=False)


def drawn_everywhere(outcome: Conformance) -> None:
    """A run with a finding, in every form that it is given."""
    (finding,) = outcome.findings
    assert finding.kind == "wrong-answer"
    assert finding.vector is not None
    (record,) = conformance_record(outcome).findings
    assert record.vector is not None
    assert record.vector["input"]["ask"] == finding.vector.input["ask"]
    assert 'failures="1"' in junit_xml(outcome)
    assert "does not conform" in badge_svg(outcome)


def test_every_ask_is_drawn() -> None:
    assert asks_drawn().keys() == ASKS.keys()


@pytest.mark.parametrize("ask", sorted(ASKS))
def test_a_wrong_answer_to_any_ask_is_a_finding_that_was_made_smaller(
    ask: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = outcome_of(ask, monkeypatch)
    drawn_everywhere(outcome)
    assert "Error" not in outcome.findings[0].words
    assert not any("cannot be drawn" in line for line in conformance_record(outcome).findings[0].picture)


def planted(*args: Any, **kwargs: Any) -> Any:
    """In the place of a function: a fault of the program."""
    raise KeyError("planted")


STAGES = {
    "smaller": "tracepact.conform.differential.smaller",
    "reduced": "tracepact.conform.differential.reduced",
    "parts of formulas": "tracepact.conform.reduction._simpler",
    "masks": "tracepact.conform.reduction.tidy",
    "chunks": "tracepact.conform.differential.compare_chunks",
    "rules": "tracepact.conform.conformance.cited",
    "picture": "tracepact.conform.outcome._case_lines",
    "answers": "tracepact.conform.outcome._answer_lines",
    "runs of masks": "tracepact.conform.oracle.compacted",
    "replay": "tracepact.conform.differential.compacted",
}
"""What a finding goes through on its way to the reader."""


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("ask", ["stream", "measure", "verdicts", "score"])
def test_a_fault_in_a_stage_of_reporting_leaves_the_finding(
    ask: str, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(STAGES[stage], planted)
    outcome = outcome_of(ask, monkeypatch)
    drawn_everywhere(outcome)
    if stage in ("smaller", "reduced", "chunks", "rules"):
        assert "KeyError: 'planted'" in outcome.findings[0].words


@pytest.mark.parametrize("ask", ["stream", "measure", "verdicts", "score"])
@pytest.mark.parametrize("stage", ["case_of", "_each_case"])
def test_a_fault_after_the_first_wrong_answer_leaves_the_finding(
    ask: str, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What draws cases and what answers them: right until the implementation was wrong."""
    wrong: list[Vector] = []
    judge, whole = differential.judge, getattr(differential, stage)

    def judged(*args: Any) -> Any:
        finding = judge(*args)
        wrong.extend([args[1]] if finding is not None else [])
        return finding

    def faulty(*args: Any, **more: Any) -> Any:
        if stage == "case_of" and wrong:
            raise KeyError("planted")
        answer = whole(*args, **more)
        if wrong:
            raise KeyError("planted")
        return answer

    monkeypatch.setattr(differential, "judge", judged)
    monkeypatch.setattr(differential, stage, faulty)
    outcome = outcome_of(ask, monkeypatch)
    drawn_everywhere(outcome)


@pytest.mark.slow
def test_a_fault_in_drawing_leaves_out_one_experiment_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = differential._each_case

    def each_case(profile: ConformanceProfile, experiment: str, *rest: Any, **more: Any) -> None:
        if experiment == "windows ahead":
            raise KeyError("planted")
        drawing(profile, experiment, *rest, **more)

    monkeypatch.setattr(differential, "_each_case", each_case)
    sound = conform(["sound"], peer=Wrong(), profiles=[ConformanceProfile.CORE], examples=1, with_vectors=False)
    assert sound.findings == []
    assert sound.stopped == "the experiment `windows ahead` was left out: KeyError: 'planted'"
    assert not sound.conforms
    assert sound.random["until"].passed == 1
    faulty = conform(
        ["faulty"], peer=Wrong("clause"), profiles=[ConformanceProfile.CORE], examples=1, with_vectors=False
    )
    assert {finding.origin for finding in faulty.findings} >= {"random: obligations"}
    assert faulty.random["windows ahead"] == CaseTally()


def test_a_finding_of_the_last_moment_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of a run may end with the very case that is wrong."""
    profile, name = asks_drawn()["measure"]
    one_experiment(monkeypatch, profile, name)
    peer = Wrong("measure")
    now = SimpleNamespace(monotonic=lambda: 0.0 if peer.right >= 0 else 99.0)
    monkeypatch.setattr("tracepact.conform.conformance.time", now)
    outcome = conform(["late"], peer=peer, examples=8, with_vectors=False, seconds=5)
    assert [finding.kind for finding in outcome.findings] == ["wrong-answer"]


_WRONG_MEASURE = """
import json
from tracepact.conform.oracle import Session


def monitor():
    session = Session()

    def reply(message):
        told = session.reply(json.dumps(message))
        return {**told, "answer": {"lookahead": -1, "lookback": -1}} if message.get("ask") == "measure" else told

    return reply
"""


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "json", "csv"])
def test_a_monitor_that_measures_wrongly_is_told_so(form: str, tmp_path: Path) -> None:
    file = tmp_path / "monitor.py"
    file.write_text(_WRONG_MEASURE, encoding="utf-8")
    places = ("--junit", str(tmp_path / "junit.xml"), "--badge", str(tmp_path / "badge.svg"))
    outcome = run("conform", "--examples", "3", "--only", "streaming", "--format", form, *places, "--python", str(file))
    assert outcome.code == 1, outcome.err
    assert form == "csv" or "random: measures" in outcome.out
    assert 'classname="random.measures"' in (tmp_path / "junit.xml").read_text(encoding="utf-8")
