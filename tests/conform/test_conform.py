"""Conformance runs: sound implementations pass, every faulty one is caught and its fault shrunk to a few frames."""

import atexit
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cli.command import run
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from benchmarks.mutant import catalogue
from tracepact.specs import spec_path
from tracepact.tools.conform.conform import conform
from tracepact.tools.conform.differential import case_of, experiments, explore, rules_of
from tracepact.tools.conform.draw import EXPERIMENTS
from tracepact.tools.conform.engines import REFERENCE
from tracepact.tools.conform.findings import Finding, Tally, judge
from tracepact.tools.conform.guided import GUIDED
from tracepact.tools.conform.peer import Peer
from tracepact.tools.conform.picture import picture
from tracepact.tools.conform.reduce import smaller
from tracepact.tools.conform.vectors import Profile, Vector, answer, suite

pytestmark = pytest.mark.slow

MONITOR = str(Path(__file__).resolve().parents[2] / "examples" / "07-conformance" / "monitor.py")
MUTANTS = {mutant.id: mutant for mutant in catalogue()}
PROTOCOL_FAULTS = {
    "hangs-at-always": "hangs",
    "crashes-at-until": "crashed",
    "talks-at-since": "rubbish",
    "answers-twice-at-iff": "out-of-order",
    "dies-at-the-end": "crashed",
}
SCHEMAS = {p.name: json.loads(p.read_text(encoding="utf-8")) for p in spec_path("schemas").glob("*.json")}
REGISTRY: Registry[Any] = Registry().with_resources((n, Resource.from_contents(s)) for n, s in SCHEMAS.items())

# Where random cases must find each mutant, and how many frames the shrunk trace may have.
FOUND_BY: dict[str, tuple[Profile, str, int]] = {
    "window-one-short": (Profile.CORE, "windows ahead", 2),
    "window-one-long": (Profile.CORE, "windows ahead", 2),
    "bound-float": (Profile.TEXT, "bounds", 0),
    "bound-nearest": (Profile.TEXT, "bounds", 0),
    "always-not-cut": (Profile.CORE, "windows ahead", 2),
    "empty-eventually-holds": (Profile.CORE, "windows ahead", 2),
    "until-wants-left-at-witness": (Profile.CORE, "until", 2),
    "until-strict": (Profile.CORE, "until", 2),
    "until-weak": (Profile.CORE, "until", 2),
    "since-left-reversed-alone": (Profile.PAST, "since", 3),
    "clips-leak": (Profile.CORE, "families, ahead", 3),
    "ignored-cannot-witness": (Profile.CORE, "obligations", 3),
    "vacuous-is-zero": (Profile.CORE, "obligations", 2),
    "late": (Profile.STREAMING, "streams", 2),
    "tail-forgotten": (Profile.STREAMING, "streams", 2),
    "delay-of-formula": (Profile.STREAMING, "streams", 2),
    "restore-past": (Profile.STREAMING, "interrupted streams", 2),
    "chunk-says-last": (Profile.CHUNKS, "chunks", 2),
    "first-frame-no-onset": (Profile.EVENTS, "runs", 2),
    "offset-at-end": (Profile.EVENTS, "runs", 2),
    "greedy-later-first": (Profile.EVENTS, "greedy matching", 6),
    "optimal-is-greedy": (Profile.EVENTS, "optimal matching", 10),
    "search-strict": (Profile.EVENTS, "greedy matching", 3),
    "join-strict": (Profile.EVENTS, "runs", 4),
    "centre-round": (Profile.EVENTS, "projection", 3),
    "touch-by-a-point": (Profile.EVENTS, "projection", 3),
}


FOLDER = Path(tempfile.mkdtemp(prefix="mutants-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def process(name: str) -> list[str]:
    """The command that serves the protocol as a mutant of the example's monitor."""
    return [sys.executable, str(MUTANTS[name].written(FOLDER))]


def frames(vector: Vector) -> int:
    """The frames of a case, over all its clips."""
    case = vector.input
    match case["ask"]:
        case "verdicts" | "clause":
            return sum(clip["frames"] for clip in case["clips"])
        case "stream":
            return int(case["trace"]["frames"])
        case "runs":
            return len(case["mask"])
        case "match":
            return max([end for side in ("ref", "pred") for _, end in case[side]], default=0)
        case "project":
            return int(answer(case, REFERENCE)["frames"])
    return 0


@pytest.mark.parametrize("name", FOUND_BY)
def test_random_cases_catch_a_mutant_and_shrink_it_to_a_few_frames(name: str) -> None:
    profile, experiment, most = FOUND_BY[name]
    peer = MUTANTS[name].peer()
    try:
        finding = explore(peer, profile, experiment, examples=200, seed=1, tally=Tally(), tick=lambda: None)
    finally:
        peer.kill()
    assert finding is not None
    assert finding.kind == "wrong-answer"
    assert finding.vector is not None
    assert frames(finding.vector) <= most, picture(finding)


@pytest.mark.parametrize("name", FOUND_BY)
def test_the_vectors_catch_a_mutant(name: str) -> None:
    profile = FOUND_BY[name][0]
    found = conform(["mutant"], peer=MUTANTS[name].peer(), profiles=[profile], examples=0)
    assert {finding.kind for finding in found.findings} == {"wrong-answer"}
    assert found.stopped is None


@pytest.mark.parametrize("name", PROTOCOL_FAULTS)
def test_a_fault_of_the_protocol_is_a_finding_and_the_run_comes_to_an_end(name: str) -> None:
    profiles = [Profile.CORE, Profile.PAST]
    found = conform(process(name), profiles=profiles, examples=3, timeout=2.5)
    assert PROTOCOL_FAULTS[name] in {finding.kind for finding in found.findings}
    assert {finding.kind for finding in found.findings} == {PROTOCOL_FAULTS[name]}
    assert not found.conforms


def test_a_crash_is_shrunk_too() -> None:
    peer = Peer(process("crashes-at-until"), 20)
    finding = explore(peer, Profile.CORE, "until", examples=200, seed=0, tally=Tally(), tick=lambda: None)
    peer.kill()
    assert finding is not None
    assert finding.kind == "crashed"
    assert "no such operator" in finding.words
    assert finding.vector is not None
    assert frames(finding.vector) == 1


def test_the_small_monitor_conforms() -> None:
    found = conform([sys.executable, MONITOR], examples=5, seed=3, timeout=20)
    assert found.findings == []
    assert found.conforms
    assert sum(tally.passed for tally in found.vectors.values()) > 400


@pytest.mark.parametrize("engine", ["reference", "fast"])
def test_the_oracle_conforms_to_itself(engine: str) -> None:
    command = [sys.executable, "-c", "from tracepact.cli import main; main()", "oracle", "--engine", engine]
    found = conform(command, examples=3, timeout=30)
    assert found.findings == []
    assert sum(tally.passed for tally in found.vectors.values()) == len(suite())
    assert {name for p in Profile for name in (*experiments(p), *GUIDED[p])} == found.random.keys()
    assert all(tally.unsupported == 0 for tally in (*found.vectors.values(), *found.random.values()))


def test_the_same_seed_draws_the_same_cases() -> None:
    def drawn(seed: int) -> Finding | None:
        peer = Peer(process("window-one-long"), 20)
        try:
            return explore(peer, Profile.PAST, "nested", examples=50, seed=seed, tally=Tally(), tick=lambda: None)
        finally:
            peer.kill()

    one, two = drawn(5), drawn(5)
    assert one is not None
    assert two is not None
    assert one.vector == two.vector


@pytest.mark.parametrize("profile", Profile, ids=lambda profile: profile.value)
def test_smaller_cases_are_cases_and_shrinking_ends(profile: Profile) -> None:
    @given(
        st.sampled_from(sorted(EXPERIMENTS[profile])).flatmap(lambda n: st.tuples(st.just(n), EXPERIMENTS[profile][n]))
    )
    @settings(max_examples=30)
    def shrink(drawn: tuple[str, dict[str, Any]]) -> None:
        _shrink_to_the_end(profile, *drawn)

    shrink()


def _shrink_to_the_end(profile: Profile, name: str, case: dict[str, Any]) -> None:
    for _ in range(400):
        step = next(iter(smaller(case)), None)
        if step is None:
            return
        case_of(profile, name, step)
        case = step
    pytest.fail("it goes on and on")


@pytest.mark.parametrize(
    ("formula", "clips", "rules"),
    [
        ("p", 1, ["6.1"]),
        (["and", "p", "q"], 1, ["6.1"]),
        (["F", 0, 1, "p"], 1, ["6.2"]),
        (["F", -1, 1, "p"], 1, ["2.7", "6.2"]),
        (["G", 0, 1, ["not", "p"]], 1, ["6.1", "6.3"]),
        (["U", 1, "p", ["S", 1, "p", "q"]], 1, ["6.4", "6.5"]),
        (["G", 0, 1, "p"], 2, ["6.3", "6.6"]),
    ],
    ids=str,
)
def test_a_found_vector_names_the_rules_of_its_operators(formula: Any, clips: int, rules: list[str]) -> None:
    clip = {"frames": 1, "masks": {"p": "1", "q": "1"}}
    assert list(rules_of({"ask": "verdicts", "formula": formula, "clips": [clip] * clips})) == rules
    stream = {"ask": "stream", "clauses": [{"obligation": True, "formula": formula}], "trace": clip}
    assert list(rules_of(stream)) == ["12.2", *(rule for rule in rules if rule != "6.6")]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("p", ["2.1"]),
        ("p & q", ["2.2"]),
        ("p and q or r", ["2.2", "2.3"]),
        ("F[1f,2f] p", ["1.4", "2.4"]),
        ("N[0.04] p", ["1.4", "2.4", "2.6", "2.7"]),
        ("G[40ms] p", ["1.4", "2.4", "2.6", "2.7"]),
        ("p U[1f] q -> r", ["1.4", "2.2", "2.3", "2.4"]),
    ],
)
def test_a_found_text_names_the_rules_it_is_read_by(text: str, rules: list[str]) -> None:
    assert list(rules_of({"ask": "formula", "text": text, "step": "0.02"})) == rules


def test_unsupported_cases_are_counted_and_no_fault() -> None:
    peer = Peer([sys.executable, MONITOR], 20)
    tally = Tally()
    vector = next(v for v in suite() if v.input["ask"] == "events")
    assert judge(peer, vector, tally) is None
    peer.close()
    assert (tally.passed, tally.failed, tally.unsupported) == (0, 0, 1)


def test_the_command_prints_a_picture_and_a_vector_and_exits_with_1(tmp_path: Path) -> None:
    junit = tmp_path / "out.xml"
    outcome = run(
        *("conform", "--examples", "20", "--all", "--profile", "core", "--junit", str(junit)),
        *("--", *process("always-not-cut")),
    )
    assert outcome.code == 1
    assert "does not conform: mutant always-not-cut" in outcome.out
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
    assert len(skipped) == sum(vector.profile is Profile.CORE for vector in suite())
    assert set(skipped) == {"not today"}


def test_the_outcome_as_json_is_valid_and_its_vectors_can_be_added() -> None:
    outcome = run(
        *("conform", "--examples", "20", "--format", "json", "--profile", "past"),
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
    outcome = run("conform", "--examples", "0", "--profile", "core", "--", sys.executable, MONITOR)
    assert outcome.code == 0
    assert outcome.out.startswith("conforms: a small monitor\n")


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


@pytest.mark.parametrize(("claimed", "chosen"), [([], []), (["past"], ["--profile", "core"]), (["core"], [])])
def test_where_nothing_was_tested_the_outcome_is_unknown(claimed: list[str], chosen: list[str]) -> None:
    outcome = run("conform", "--examples", "2", *chosen, *greeter(1, claimed))
    assert outcome.code == 3
    assert outcome.out.startswith("nothing was tested: x\n")


def test_reasons_are_counted_and_shown() -> None:
    asked = sum(vector.profile is Profile.CORE for vector in suite())
    outcome = run("conform", "--examples", "0", *greeter(1, ["core"]))
    assert f"answered 0 of {asked} vectors, 0 of 0 random cases\n" in outcome.out
    assert f"reasons it gives for unsupported cases:\n  {asked} × not today\n" in outcome.out
    data = json.loads(run("conform", "--examples", "0", "--format", "json", *greeter(1, ["core"])).out)
    assert Draft202012Validator(SCHEMAS["conformance.schema.json"], registry=REGISTRY).is_valid(data)
    assert (data["conforms"], data["tested"]) == (False, False)
    assert data["unsupported"] == [{"reason": "not today", "count": asked}]


def test_some_unsupported_cases_are_said_in_the_first_line() -> None:
    outcome = run("conform", "--examples", "0", "--profile", "streaming", "--", sys.executable, MONITOR)
    tally = Counter(v.input["ask"] in ("components", "lines") for v in suite() if v.profile is Profile.STREAMING)
    assert outcome.code == 0
    assert outcome.out.startswith("conforms in what it answered: a small monitor\n")
    assert f"answered {tally[False]} of {tally.total()} vectors" in outcome.out


def test_a_run_leaves_no_files(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from tracepact.cli import main; main()", "conform", "--examples", "2"]
    done = subprocess.run([*command, "--profile", "core", "--", sys.executable, MONITOR], cwd=tmp_path, check=False)
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
    assert f"stopped: {words}" in outcome.out
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
    assert "stopped: it never said hello" in outcome.out


def test_without_hypothesis_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tracepact.tools.conform.draw", raising=False)
    monkeypatch.delattr("tracepact.tools.conform.draw", raising=False)
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    outcome = run("conform", "--", sys.executable, MONITOR)
    assert outcome.code == 2
    assert "pip install 'tracepact[conform]'" in outcome.err
    assert run("conform", "--examples", "0", "--profile", "core", "--", sys.executable, MONITOR).code == 0
