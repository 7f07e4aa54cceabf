"""Systems that do not listen (silent, always on, random) lead nothing they have not earned (rules 16.12, 16.13)."""

from collections.abc import Mapping
from fractions import Fraction
from random import Random

import pytest
from cli.command import run as command
from hypothesis import given, settings
from hypothesis import strategies as st

from tracepact import Aggregation, Contract, Run, load_contract, parse_contract, score, starter_contracts
from tracepact.scoring.vacuity import score_share
from tracepact.specs import spec_path
from tracepact.tools.audit.neutrality import audit_neutrality
from tracepact.tools.audit.profile import audit_profile
from tracepact.tools.audit.ranking import Ranking, value_rows
from tracepact.tools.audit.selection import audit_selection
from tracepact.tools.audit.systems import System, Systems
from tracepact.tools.score.report.build import report_of
from tracepact.tools.score.report.evidence import evidence
from tracepact.tools.score.report.html import report_page
from tracepact.tools.score.report.markdown import report_markdown

Events = list[tuple[Fraction, Fraction, str]]
Table = Mapping[str, Events]
NAMES = tuple(starter_contracts())
CONSTANT = ("silent", "always on", "random")
DEMO = ("late_long", "fragmenting", "over_firing")
FEWER = settings(max_examples=max(5, settings().max_examples // 20))


def demo(name: str) -> dict[str, Events]:
    found: dict[str, Events] = {}
    for line in spec_path(f"demo/{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        clip, *event = line.split("\t")
        events = found.setdefault(clip, [])
        if len(event) == 3 and event[0]:
            events.append((Fraction(event[0]), Fraction(event[1]), event[2]))
    return found


def demo_lengths() -> dict[str, Fraction]:
    lines = spec_path("demo/durations.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return {clip: Fraction(length) for clip, length in (line.split("\t") for line in lines)}


def random_events(random: Random, length: Fraction, labels: list[str]) -> Events:
    """Events of every label with pauses between them, in hundredths of a second."""
    found: Events = []
    for label in labels:
        time = Fraction(random.randint(20, 200), 100)
        while (end := time + Fraction(random.randint(20, 150), 100)) < length - 1:
            found.append((time, end, label))
            time = end + Fraction(random.randint(60, 200), 100)
    return found


def constant(random: Random, lengths: Mapping[str, Fraction], labels: list[str]) -> dict[str, Table]:
    return {
        "silent": {clip: [] for clip in lengths},
        "always on": {clip: [(Fraction(0), length, label) for label in labels] for clip, length in lengths.items()},
        "random": {clip: random_events(random, length, labels) for clip, length in lengths.items()},
    }


def scored(contract: Contract, ref: Table, systems: Mapping[str, Table], lengths: object) -> dict[str, Run]:
    return {name: score(contract, ref, pred, durations=lengths) for name, pred in systems.items()}


def as_systems(contract: Contract, runs: Mapping[str, Run]) -> Systems:
    found = []
    for name, run in runs.items():
        vectors = {a: run.card.vector(a) for a in Aggregation}
        scores = {a: {c: s.value for c, s in vector.items()} for a, vector in vectors.items()}
        shares = {a: {c: score_share(s) for c, s in vector.items()} for a, vector in vectors.items()}
        found.append(System(name, scores, shares))
    return Systems(contract, tuple(found))


def asks_nothing(run: Run, clause: str) -> bool:
    """By the definition: no obligation in any clip and class, and no counter evidence (7.3, 7.4)."""
    counts = run.card.counts[clause]
    return int(counts.obligated.sum()) == 0 and not counts.counter.any()


def check_leaders(contract: Contract, runs: Mapping[str, Run]) -> None:
    systems = as_systems(contract, runs)
    idle = {name: {c for c in run.card.counts if asks_nothing(run, c)} for name, run in runs.items()}
    telling = set(next(iter(runs.values())).card.counts) - set.intersection(*idle.values())
    made_of: list[tuple[set[str], Ranking]] = [
        ({w.clause for w in row.weights}, row) for row in audit_profile(systems).profiles
    ]
    made_of += [({row.clause}, row) for row in audit_selection(systems).coordinates]
    for clauses, row in made_of:
        may = {name for name in runs if clauses & telling and not clauses & telling & idle[name]}
        assert {one.system for one in row.values if one.earned} == may
        top = max((one.value for one in row.values if one.system in may), default=None)
        assert set(row.best) == {one.system for one in row.values if one.system in may and one.value == top}
        assert {name for name, *_, rank, _, _, _ in value_rows(row) if rank} == may
    for question in audit_neutrality(systems, [next(iter(runs))]).questions:
        for ranked in (question.of_all, question.of_rest):
            assert set(ranked.best) <= {one.system for one in ranked.values if one.earned}


def check_headline(runs: Mapping[str, Run], listening: str) -> None:
    """Every constant system is below the one that listens, and none is credited for what asks nothing."""
    means = {}
    for name, run in runs.items():
        asked = [s.value for c, s in run.card.vector().items() if not asks_nothing(run, c)]
        means[name] = sum(asked, Fraction(0)) / len(asked)
        assert run.card.headline() == means[name]
    assert all(means[name] < means[listening] for name in CONSTANT), means


@pytest.mark.parametrize("name", NAMES)
def test_a_starter_contract_has_no_vacuous_entries(name: str) -> None:
    assert load_contract(name).aggregation is Aggregation.MACRO_CLASSES_INFORMATIVE


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_on_the_demo_no_constant_system_leads_what_it_has_not_earned(name: str) -> None:
    contract, ref, lengths = load_contract(name), demo("reference"), demo_lengths()
    labels = sorted({label for events in ref.values() for *_, label in events})
    systems = {system: demo(system) for system in DEMO} | constant(Random(7), lengths, labels)
    runs = scored(contract, ref, systems, lengths)
    check_leaders(contract, runs)
    check_headline(runs, "over_firing")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@FEWER
@given(seed=st.integers(0, 10**6))
def test_on_random_data_no_constant_system_leads_what_it_has_not_earned(name: str, seed: int) -> None:
    random = Random(seed)
    contract, labels = load_contract(name), ["a", "b"]
    lengths = {f"clip{number}": Fraction(random.randint(6, 12)) for number in range(random.randint(1, 3))}
    ref = {clip: random_events(random, length, labels) for clip, length in lengths.items()}
    ref["clip0"].append((Fraction(1, 5), Fraction(1), "c"))
    late = Fraction(1, 1000)
    listening = {clip: [(on + late, off + late, label) for on, off, label in rows] for clip, rows in ref.items()}
    systems: dict[str, Table] = {"listening": listening, **constant(random, lengths, [*labels, "c"])}
    runs = scored(contract, ref, systems, lengths)
    check_leaders(contract, runs)
    check_headline(runs, "listening")


def test_the_silent_system_of_boundary_gate_has_a_headline_of_nothing_in_every_view() -> None:
    run = score("boundary_gate", [(1, 2)], [], durations=5)
    assert run.card.logic() == Fraction(2, 7)  # two vacuous ones among seven clauses
    assert run.card.headline() == 0
    report = report_of(run)
    note = "nothing was asked by spurious_guard, silence_guard; counted as 1, the mean of the vector is 0.286"
    found = evidence(run)
    for text in (str(run), report_markdown(report, found), report_page(run, report, found)):
        assert "mean without ∅ clauses" in text
        assert note in " ".join(text.replace(chr(92), "").split())
    assert report.to_dict()["logic"]["macro_classes_informative"]["value"] == "2/7"


def test_where_nothing_is_asked_there_is_no_headline() -> None:
    contract = parse_contract("contract c step 20ms clause quiet on pred_active : ref_active")
    run = score(contract, {"a": []}, {"a": []}, durations=1)
    assert run.card.headline() is None
    (row,) = (line for line in str(run).splitlines() if "mean without" in line)
    assert "∅" in row.removeprefix(" mean without ∅ clauses")
    assert "1.000" not in row


def test_a_profile_that_rests_on_nothing_is_marked() -> None:
    text = "contract c step 20ms clause heard on ref_active : pred_active clause quiet on pred_active : ref_active "
    run = score(text + "profile calm : quiet = 1 profile loud : heard = 1", [(1, 2)], [], durations=5)
    shown = str(run)
    assert "profile calm = ∅ 1.000 (pooled; nothing was asked by quiet)" in shown
    assert "profile loud = 0.000 (pooled)" in shown


def test_a_requirement_can_be_of_the_headline() -> None:
    ref, pred = str(spec_path("demo/reference.tsv")), str(spec_path("demo/over_firing.tsv"))
    given = ["score", "boundary_gate", "--ref", ref, "--pred", pred]
    given += ["--durations", str(spec_path("demo/durations.tsv"))]
    assert command(*given, "--require", "headline>=0.5").code == 0
    assert command(*given, "--require", "headline>0.99").code == 1
