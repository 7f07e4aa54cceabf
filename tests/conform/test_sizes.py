"""Cases at the boundaries of sizes: steered evenly, answered alike by both engines, able to catch planted faults."""

import json
from collections import Counter
from random import Random

import pytest

from benchmarks.mutant import catalogue
from benchmarks.mutants import by_random, by_vectors, known, summary
from tracepact.specs import spec_path
from tracepact.tools.conform.engines import FAST, REFERENCE
from tracepact.tools.conform.findings import Tally
from tracepact.tools.conform.guided import GUIDED, drawn, explore_sizes
from tracepact.tools.conform.local import local_peer
from tracepact.tools.conform.sizes import Guide, near, powers, spread
from tracepact.tools.conform.vectors import Profile, answer

MUTANTS = {mutant.id: mutant for mutant in catalogue()}
KINDS = {"size", "state", "exactness", "text", "reports", "lines", "shared graphs", "meaning", "protocol"}
EVERY = [(profile, name) for profile in Profile for name in GUIDED[profile] if profile is not Profile.TEXT]


def test_a_guide_draws_every_power_before_any_a_second_time() -> None:
    guide = Guide({"frames": 1 << 17, "radius": 1 << 4}, Random(1))
    cells = len(powers(1 << 17)) + len(powers(1 << 4))
    sizes = [guide.next() for _ in range(cells)]
    assert set(guide.seen.values()) == {1}
    assert max(size for dimension, size in sizes if dimension == "frames") >= (1 << 17) - 1
    guide.next()
    guide.welcome()
    assert set(guide.seen.values()) == {1}


def test_sizes_are_around_powers_of_two_and_bounded() -> None:
    rng = Random(2)
    for power in range(18):
        some = {near(rng, power, 1 << 17) for _ in range(200)}
        assert {(1 << power) - 1, 1 << power} <= {*some, 0}
        assert max(some) <= 1 << 17
    assert sum(spread(rng, 100, 7)) == 100


@pytest.mark.parametrize(("profile", "name"), EVERY, ids=[name for _, name in EVERY])
def test_the_definitions_and_the_package_answer_alike_at_the_boundaries(profile: Profile, name: str) -> None:
    most = 4 if name in ("large scores", "large chunks") else 12
    for case in drawn(profile, name, most, seed=3):
        if len(json.dumps(case)) < 20_000:
            assert answer(case, FAST) == answer(case, REFERENCE), case


def test_the_file_of_boundaries_holds_large_cases_and_stays_small() -> None:
    text = spec_path("conformance/boundaries.json").read_text(encoding="utf-8")
    vectors = json.loads(text)["vectors"]
    assert len(vectors) > 200
    assert len(text) < 250_000
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


@pytest.mark.parametrize("name", ["window-reach-64", "until-word-64", "atom-4", "join-thirds", "optimal-greedy-4"])
def test_a_fault_beyond_small_sizes_is_found_at_the_boundaries(name: str) -> None:
    name = {"join-thirds": "join-reach-16"}.get(name, name)
    assert by_random(MUTANTS[name]) == MUTANTS[name].experiment


@pytest.mark.parametrize("name", ["print-and-flat", "lines-crlf", "amount-signed", "le-is-lt"])
def test_a_fault_of_the_reference_monitor_fails_a_vector(name: str) -> None:
    assert by_vectors(MUTANTS[name]) is not None


def test_what_was_measured_is_of_the_catalogue() -> None:
    measured = known()
    assert measured.keys() <= MUTANTS.keys()
    assert summary(measured.values(), MUTANTS.values()).startswith("| kind |")


def test_a_python_implementation_is_steered_by_its_branches() -> None:
    peer = local_peer(str(spec_path("language.md").parents[1] / "examples" / "07-conformance" / "monitor.py"))
    peer.start()
    seen = []
    for _ in range(2):
        explore_sizes(
            peer, Profile.EVENTS, "long runs", examples=6, seed=1, tally=Tally(), tick=lambda: None, shrink=False
        )
        seen.append(peer.branches)
    assert 0 < seen[0] <= seen[1]
