"""Cases at the boundaries of sizes: steered evenly, answered alike by both engines, able to catch planted faults."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.mutant import MONITOR, catalogue, plant
from benchmarks.mutants import EXAMPLES, by_vectors, cases, first_failed, known, summary
from conform.programs import played
from tracepact.conform.boundary_traces import CONFUSED, Guide, near, powers, spread
from tracepact.conform.differential import GUIDED, explore_sizes, guided
from tracepact.conform.engines import FAST, REFERENCE, CaseEngine
from tracepact.conform.findings import CaseTally, local_peer
from tracepact.conform.oracle import ConformanceProfile, answer
from tracepact.declarations import spec_path

MUTANTS = {mutant.id: mutant for mutant in catalogue()}
KINDS = {"size", "state", "exactness", "text", "reports", "lines", "shared graphs", "meaning", "protocol"}
EVERY = [
    (profile, name)
    for profile in ConformanceProfile
    for name in GUIDED[profile]
    if profile is not ConformanceProfile.TEXT
]


def test_a_guide_draws_every_power_before_any_a_second_time() -> None:
    guide = Guide({"frames": 1 << 17, "radius": 1 << 4}, Random(1))
    cells = len(powers(1 << 17)) + len(powers(1 << 4))
    sizes = [guide.next() for _ in range(cells)]
    assert set(guide.drawn.values()) == {1}
    assert max(size for dimension, size in sizes if dimension == "frames") >= (1 << 17) - 1
    guide.next()
    guide.welcome()
    assert set(guide.drawn.values()) == {1}


def test_sizes_are_around_powers_of_two_and_bounded() -> None:
    rng = Random(2)
    for power in range(18):
        some = {near(rng, power, 1 << 17) for _ in range(200)}
        assert {(1 << power) - 1, 1 << power} <= {*some, 0}
        assert max(some) <= 1 << 17
    assert sum(spread(rng, 100, 7)) == 100


@pytest.mark.parametrize(("profile", "name"), EVERY, ids=[name for _, name in EVERY])
def test_the_definitions_and_the_package_answer_alike_at_the_boundaries(profile: ConformanceProfile, name: str) -> None:
    most = 4 if name in ("large scores", "large chunks") else 12
    for case in guided(profile, name, most, seed=3):
        if len(json.dumps(case)) < 20_000:
            assert answer(case, FAST) == answer(case, REFERENCE), case


FAR = [(profile, name) for profile, name in EVERY if name.startswith("far witnesses")]


@pytest.mark.parametrize(("profile", "name"), FAR, ids=[name for _, name in FAR])
def test_most_cases_of_far_witnesses_go_both_ways(profile: ConformanceProfile, name: str) -> None:
    cases = [case for case in guided(profile, name, 60, seed=5) if len(json.dumps(case)) < 50_000]
    found = [answer(case, REFERENCE) for case in cases]
    both = sum("sat" in (said := json.dumps(one)) and "viol" in said for one in found)
    both += sum(all("0" in mask and "1" in mask for mask in one.get("verdicts", "-")) for one in found)
    assert both > 0.6 * len(cases)


@pytest.mark.parametrize("engine", [FAST, REFERENCE], ids=lambda engine: engine.name)
def test_a_far_witness_is_kept_over_chunks_and_restores(engine: CaseEngine) -> None:
    some = guided(ConformanceProfile.STREAMING, "far witnesses in streams", 12)
    more = guided(ConformanceProfile.CHUNKS, "far witnesses in chunks", 12)
    for case in (*some, *more):
        assert played(case, engine) == answer(case, REFERENCE), case


def test_names_that_programs_confuse_are_two_classes_in_the_order_of_code_points() -> None:
    assert any(a < b and a.encode("utf-16-be") > b.encode("utf-16-be") for a, b in CONFUSED)
    for a, b in CONFUSED:
        clip = {"name": "clip", "duration": "1", "ref": [["0", "1", b], ["0", "1", a]], "pred": []}
        case = {"ask": "score", "contract": "contract c step 1s clause k on ref_active : pred_active", "clips": [clip]}
        assert [one["class"] for one in answer(case, REFERENCE)["witnesses"]] == sorted(
            (a, b), key=lambda k: [*map(ord, k)]
        )


def test_the_file_of_boundaries_holds_large_cases_and_stays_small() -> None:
    text = spec_path("conformance/boundaries.json").read_text(encoding="utf-8")
    vectors = json.loads(text)["vectors"]
    assert len(vectors) > 200
    assert len(text) < 470_000
    assert any("*65536" in json.dumps(vector) or "*131072" in json.dumps(vector) for vector in vectors)
    assert {vector["evidence"] for vector in vectors} == {"definition"}


def test_the_catalogue_has_every_kind_and_every_rule() -> None:
    kinds = Counter(mutant.kind for mutant in MUTANTS.values())
    assert len(MUTANTS) >= 200
    assert kinds.keys() == KINDS
    assert min(kinds.values()) >= 5
    language = spec_path("language.md").read_text(encoding="utf-8")
    rules = {line[4:].split("*")[0] for line in language.splitlines() if line.startswith("- **")}
    of_language = {rule for rule in rules if rule.split(".")[0].isdecimal() and int(rule.split(".")[0]) <= 12}
    broken = {rule for mutant in MUTANTS.values() for rule in mutant.rules}
    assert sorted(of_language - broken) == []
    assert sorted(broken - rules) == []


@pytest.mark.parametrize("name", ["window-reach-64", "until-word-64", "atom-4", "join-reach-16", "optimal-greedy-4"])
def test_a_fault_beyond_small_sizes_is_found_at_the_boundaries(name: str) -> None:
    mutant = MUTANTS[name]
    (profile,) = mutant.profiles
    peer = mutant.peer()
    look = {"examples": EXAMPLES, "seed": 0, "tally": CaseTally(), "tick": lambda: None, "shrink": False}
    finding = explore_sizes(peer, profile, mutant.experiment, **look)  # type: ignore[arg-type]
    peer.kill()
    assert finding is not None
    (asked,) = (v for v in cases(profile, mutant.experiment) if finding.vector is not None and v == finding.vector)
    assert first_failed(mutant, [asked]) == asked.id


def size_of(case: Mapping[str, Any]) -> int:
    """Frames, clips, clauses or references: whichever there are most of."""
    frames = [clip["frames"] for clip in case.get("clips", [case.get("trace", {"frames": 0})])]
    return max(*frames, *(len(case.get(key, ())) for key in ("clips", "clauses", "ref")))


@pytest.mark.parametrize(
    ("name", "most"),
    [("window-reach-64", 128), ("until-reach-64", 128), ("clip-9", 9), ("clause-9", 9), ("optimal-greedy-4", 5)],
)
def test_a_large_case_is_shrunk_to_about_where_the_fault_begins(name: str, most: int) -> None:
    mutant, peer = MUTANTS[name], MUTANTS[name].peer()
    look = {"examples": EXAMPLES, "seed": 0, "tally": CaseTally(), "tick": lambda: None}
    finding = explore_sizes(peer, mutant.profiles[0], mutant.experiment, **look)  # type: ignore[arg-type]
    peer.kill()
    assert finding is not None
    assert finding.vector is not None
    assert size_of(finding.vector.input) <= most


@pytest.mark.parametrize("name", ["print-and-flat", "lines-crlf", "amount-signed", "le-is-lt", "group-span-inner"])
def test_a_fault_of_the_reference_monitor_fails_a_vector(name: str) -> None:
    assert by_vectors(MUTANTS[name]) is not None


def test_a_fault_in_nothing_that_can_be_replaced_is_refused() -> None:
    spaced = (("from fractions import Fraction", "from  fractions import Fraction"),)
    with pytest.raises(ValueError, match="nothing of its target is changed"):
        plant(replace(MUTANTS["le-is-lt"], edits=spaced))


def test_every_fault_of_the_catalogue_can_be_planted() -> None:
    sources = {"monitor": MONITOR.read_text(encoding="utf-8")}
    for target in {mutant.target for mutant in MUTANTS.values()} - {"monitor"}:
        module = find_spec(target)
        assert module is not None
        assert module.origin is not None
        sources[target] = Path(module.origin).read_text(encoding="utf-8")
    for mutant in MUTANTS.values():
        assert mutant.applied(sources[mutant.target]) != sources[mutant.target]


def test_everything_in_the_catalogue_is_measured_and_what_is_not_equivalent_is_caught() -> None:
    measured = known()
    assert measured.keys() == MUTANTS.keys()
    missed = {name for name, caught in measured.items() if not caught.any}
    assert missed == {name for name, mutant in MUTANTS.items() if mutant.equivalent}


def test_the_readme_has_the_score_that_was_measured() -> None:
    readme = spec_path("conformance/README.md").read_text(encoding="utf-8")
    assert summary(known().values(), MUTANTS.values()) in readme


def test_a_python_implementation_is_steered_by_its_branches() -> None:
    peer = local_peer(str(spec_path("language.md").parents[1] / "examples" / "07-conformance" / "monitor.py"))
    peer.start()
    seen = []
    for _ in range(2):
        explore_sizes(
            peer,
            ConformanceProfile.EVENTS,
            "long runs",
            examples=6,
            seed=1,
            tally=CaseTally(),
            tick=lambda: None,
            shrink=False,
        )
        seen.append(peer.branches)
    assert 0 < seen[0] <= seen[1]
