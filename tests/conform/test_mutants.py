"""Planted faults of the example's monitor: random cases find each and shrink it, and vectors catch it."""

import pytest

from conform.programs import MUTANTS
from tracepact.conform.conformance import conform
from tracepact.conform.differential import explore
from tracepact.conform.engines import REFERENCE
from tracepact.conform.findings import CaseTally, Finding, LocalPeer
from tracepact.conform.oracle import ConformanceProfile, Vector, answer, vectors_of
from tracepact.conform.outcome import picture

pytestmark = pytest.mark.slow

# Where random cases must find each mutant, and how many frames the shrunk trace may have.
FOUND_BY: dict[str, tuple[ConformanceProfile, str, int]] = {
    "window-one-short": (ConformanceProfile.CORE, "windows ahead", 2),
    "window-one-long": (ConformanceProfile.CORE, "windows ahead", 2),
    "bound-float": (ConformanceProfile.TEXT, "bounds", 0),
    "bound-nearest": (ConformanceProfile.TEXT, "bounds", 0),
    "always-not-cut": (ConformanceProfile.CORE, "windows ahead", 2),
    "empty-eventually-holds": (ConformanceProfile.CORE, "windows ahead", 2),
    "until-wants-left-at-witness": (ConformanceProfile.CORE, "until", 2),
    "until-strict": (ConformanceProfile.CORE, "until", 2),
    "until-weak": (ConformanceProfile.CORE, "until", 2),
    "since-left-reversed-alone": (ConformanceProfile.PAST, "since", 3),
    "clips-leak": (ConformanceProfile.CORE, "families, ahead", 3),
    "ignored-cannot-witness": (ConformanceProfile.CORE, "obligations", 3),
    "vacuous-is-zero": (ConformanceProfile.CORE, "obligations", 2),
    "late": (ConformanceProfile.STREAMING, "streams", 2),
    "tail-forgotten": (ConformanceProfile.STREAMING, "streams", 2),
    "delay-of-formula": (ConformanceProfile.STREAMING, "streams", 2),
    "restore-past": (ConformanceProfile.STREAMING, "interrupted streams", 2),
    "chunk-says-last": (ConformanceProfile.CHUNKS, "chunks", 2),
    "first-frame-no-onset": (ConformanceProfile.EVENTS, "runs", 2),
    "offset-at-end": (ConformanceProfile.EVENTS, "runs", 2),
    "greedy-later-first": (ConformanceProfile.EVENTS, "greedy matching", 6),
    "optimal-is-greedy": (ConformanceProfile.EVENTS, "optimal matching", 10),
    "search-strict": (ConformanceProfile.EVENTS, "greedy matching", 3),
    "join-strict": (ConformanceProfile.EVENTS, "runs", 4),
    "centre-round": (ConformanceProfile.EVENTS, "projection", 3),
    "touch-by-a-point": (ConformanceProfile.EVENTS, "projection", 3),
}


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
        finding = explore(peer, profile, experiment, examples=200, seed=1, tally=CaseTally(), tick=lambda: None)
    finally:
        peer.kill()
    assert finding is not None
    assert finding.kind == "wrong-answer"
    assert finding.vector is not None
    assert frames(finding.vector) <= most, picture(finding)


@pytest.mark.parametrize("name", FOUND_BY)
def test_the_vectors_catch_a_mutant(name: str) -> None:
    profile = FOUND_BY[name][0]
    small = [vector for vector in vectors_of([profile]) if vector.topic != "boundaries"]
    found = conform(["mutant"], peer=MUTANTS[name].peer(), profiles=[profile], only=small)
    assert {finding.kind for finding in found.findings} == {"wrong-answer"}
    assert found.stopped is None


def test_a_crash_is_shrunk_too() -> None:
    peer = LocalPeer(MUTANTS["crashes-at-until"].function)
    finding = explore(
        peer, ConformanceProfile.CORE, "until", examples=200, seed=0, tally=CaseTally(), tick=lambda: None
    )
    assert finding is not None
    assert finding.kind == "crashed"
    assert "no such operator" in finding.words
    assert finding.vector is not None
    assert frames(finding.vector) == 1


def test_the_same_seed_draws_the_same_cases() -> None:
    def drawn(seed: int) -> Finding | None:
        peer = MUTANTS["window-one-long"].peer()
        return explore(
            peer, ConformanceProfile.PAST, "nested", examples=50, seed=seed, tally=CaseTally(), tick=lambda: None
        )

    one, two = drawn(5), drawn(5)
    assert one is not None
    assert two is not None
    assert one.vector == two.vector
