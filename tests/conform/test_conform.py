"""Conformance runs against processes: sound ones pass; one that does not keep to the protocol is found out."""

import json
import sys
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from conform.programs import MONITOR, MUTANTS, process
from tracepact.conform.commands import verdict
from tracepact.conform.conformance import conform
from tracepact.conform.differential import GUIDED, experiments, explore
from tracepact.conform.findings import CaseTally, judge
from tracepact.conform.oracle import ConformanceProfile, Session, Vector, suite, vectors_of
from tracepact.conform.outcome import badge_svg, conformance_record, junit_xml
from tracepact.conform.peer import FaultKind, Peer, PeerFault

pytestmark = pytest.mark.slow

PROTOCOL_FAULTS = {
    "hangs-at-always": ("hangs", '"G"'),
    "crashes-at-until": ("crashed", '"U"'),
    "talks-at-since": ("rubbish", '"S"'),
    "answers-twice-at-iff": ("out-of-order", '"iff"'),
}
"""What each does, and the operator it does it at."""


def of_frames(profile: ConformanceProfile) -> list[Vector]:
    """The vectors of formulas on one small trace."""
    return [vector for vector in vectors_of([profile]) if vector.topic == "frames"]


@pytest.mark.parametrize("name", PROTOCOL_FAULTS)
def test_a_fault_of_the_protocol_is_a_finding_and_the_run_goes_on_with_a_new_process(name: str) -> None:
    kind, operator = PROTOCOL_FAULTS[name]
    profile, experiment = MUTANTS[name].profiles[0], MUTANTS[name].experiment
    at = [vector for vector in of_frames(profile) if operator in json.dumps(vector.input["formula"])][:2]
    beside = [vector for vector in of_frames(profile) if operator not in json.dumps(vector.input["formula"])][:2]
    found = conform(process(name), only=[beside[0], *at, beside[1]], timeout=2.5)
    assert [finding.kind for finding in found.findings] == [kind, kind]
    assert [finding.vector for finding in found.findings] == at
    assert found.vectors["frames"].passed == 2
    assert not found.conforms
    peer = Peer(process(name), 2.5)
    drawn = explore(peer, profile, experiment, examples=99, seed=0, tally=CaseTally(), tick=lambda: None, shrink=False)
    peer.kill()
    assert drawn is not None
    assert drawn.kind == kind


def test_a_crash_after_the_last_case_is_a_finding() -> None:
    found = conform(process("dies-at-the-end"), only=of_frames(ConformanceProfile.CORE)[:3], timeout=20)
    assert [(finding.kind, finding.origin) for finding in found.findings] == [("crashed", "end")]
    assert found.vectors["frames"].passed == 3
    assert not found.conforms


class Faulty:
    """An implementation that greets, and meets every case with a fault."""

    name, profiles, runs = "faulty", frozenset({ConformanceProfile.PAST}), False

    def __init__(self, kind: FaultKind) -> None:
        self.kind: FaultKind = kind
        self.asked = 0

    def start(self) -> None: ...

    def ask(self, case: Mapping[str, Any]) -> dict[str, Any]:
        self.asked += 1
        raise PeerFault(self.kind, "what it did")

    def close(self) -> None: ...

    def kill(self) -> None: ...

    def news(self) -> bool:
        return False


@pytest.mark.parametrize(
    ("kind", "most", "why"), [("hangs", 3, "3 cases without an answer"), ("out-of-order", 30, "30 faults")]
)
def test_a_run_with_too_many_faults_comes_to_an_end(kind: FaultKind, most: int, why: str) -> None:
    """P12: so many among the vectors, then random cases, of which every experiment ends at its first."""
    peer = Faulty(kind)
    found = conform(["faulty"], peer=peer, examples=2)
    planned = len(experiments(ConformanceProfile.PAST)) + len(GUIDED[ConformanceProfile.PAST])
    ended = min(most, planned)
    assert {finding.kind for finding in found.findings} == {kind}
    assert len(found.findings) == peer.asked == most + ended
    vectors = len(vectors_of([ConformanceProfile.PAST]))
    said = [f"after {why} among the vectors: {vectors - most} of {vectors} were not asked"]
    if ended == most:
        said.append(f"after {why} among the random cases: {planned - most} of {planned} experiments were not finished")
    assert found.stopped == "; ".join(said)


class Slow(Faulty):
    """An implementation that takes a second for every answer, by a clock that it moves, and is always right."""

    runs = True

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__("hangs")
        self.now = 0.0
        self.session = Session()
        clock = SimpleNamespace(monotonic=lambda: self.now)
        monkeypatch.setattr("tracepact.conform.conformance.time", clock)

    def ask(self, case: Mapping[str, Any]) -> dict[str, Any]:
        self.asked += 1
        self.now += 1
        return self.session.reply(json.dumps({"id": self.asked, **case}))


@pytest.mark.parametrize("within", ["vectors", "random cases"])
def test_a_run_that_is_out_of_time_says_what_it_left_out_and_does_not_conform(
    within: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = vectors_of([ConformanceProfile.PAST])
    planned = len(experiments(ConformanceProfile.PAST)) + len(GUIDED[ConformanceProfile.PAST])
    seconds = 5 if within == "vectors" else len(vectors) + 5
    found = conform(["slow"], peer=Slow(monkeypatch), examples=3, seconds=seconds)
    assert found.findings == []
    assert not found.conforms
    left = f"after {seconds} s among the random cases: {planned - (within != 'vectors')} of {planned} experiments"
    missed = f"after 5 s among the vectors: {len(vectors) - 5} of {len(vectors)} were not asked; "
    assert found.stopped == f"{missed if within == 'vectors' else ''}{left} were not finished"
    assert 'errors="1"' in junit_xml(found)
    assert "not tested to the end" in badge_svg(found)
    assert verdict(conformance_record(found)) == "not tested to the end"


def test_the_small_monitor_conforms() -> None:
    # It reads formulas and no contracts, which is less than half of the texts (P22).
    without_texts = [profile for profile in ConformanceProfile if profile is not ConformanceProfile.TEXT]
    found = conform([sys.executable, MONITOR], profiles=without_texts, examples=2, seed=3, may_leave_out=True)
    assert found.findings == []
    assert found.conforms
    assert sum(tally.passed for tally in found.vectors.values()) > 400


@pytest.mark.parametrize("engine", ["reference", "fast"])
def test_the_oracle_conforms_to_itself(engine: str) -> None:
    command = [sys.executable, "-c", "from tracepact.cli import main; main()", "oracle", "--evaluator", engine]
    # Open: the fast engine refuses two random cases with sums beyond machine words, and answers one malformed line.
    found = conform(command, examples=1 if engine == "reference" else 0, timeout=30)
    known = {"lines that are no cases"} if engine == "fast" else set()
    assert [one for one in found.findings if one.origin not in known] == []
    assert sum(tally.passed for tally in found.vectors.values()) == len(suite())
    if engine == "reference":
        assert {name for p in ConformanceProfile for name in (*experiments(p), *GUIDED[p])} == found.random.keys()
    assert all(tally.unsupported == 0 for tally in (*found.vectors.values(), *found.random.values()))


def test_unsupported_cases_are_counted_and_no_fault() -> None:
    peer = Peer([sys.executable, MONITOR], 20)
    tally = CaseTally()
    vector = next(v for v in suite() if v.input["ask"] == "events")
    assert judge(peer, vector, tally) is None
    peer.close()
    assert (tally.passed, tally.failed, tally.unsupported) == (0, 0, 1)
