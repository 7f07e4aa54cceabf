"""Every point of every curve is what decoding at that threshold and scoring gives; best values are the best."""

import operator
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import sized

from thresholds.builders import Scene, field_of, scenes, scored_at
from tracepact import Aggregation, Contract, load_contract, parse_contract
from tracepact.data.decoding import Decoding
from tracepact.data.events import Durations, Event, EventTable
from tracepact.data.family import Mode
from tracepact.evaluate.scorecard import Scorecard, score_family
from tracepact.thresholds.quantities import Quantities
from tracepact.thresholds.steps import UNIT, best, clause_values, combined, counts_of, holds

pytestmark = pytest.mark.slow

CLAUSES = """
contract all_sorts
step 20ms
merge_gap {gap}
projection {projection}
aggregate macro_clips
clause edges   on ref_onset | pred_offset : N[2f] (pred_onset <-> ref_onset)
clause until   on pred_active : pred_active U[3f] !ref_active
clause since   on pred_onset : ref_active S[40f] pred_active
clause others  on pred_active : !other_pred_active | other_ref_active
clause far     on ref_active : G[-100f, 100f] F[-3f, 1f] pred_active
clause nobody  on ref_active & !ref_active : false
clause found   on each ref : matched and covering <= 1
clause pure    on each pred : purity >= 0.5
clause onsets  on each matched : abs(pred.onset - ref.onset) <= 40ms
clause ruling  on each pred : dominant or purity >= 0.9
profile mixed over pooled : edges = 1, found = 2, until = 3
"""
CONTRACTS = [
    load_contract("boundary_gate"),
    *(
        parse_contract(CLAUSES.format(gap=gap, projection=projection))
        for gap, projection in product(("0ms", "60ms"), ("centre", "touch", "inside"))
    ),
]
contracts = st.sampled_from(CONTRACTS)
union_contracts = st.sampled_from(
    [
        CONTRACTS[0],
        *(
            parse_contract(
                "".join(
                    line
                    for line in CLAUSES.format(gap="60ms", projection=projection).splitlines(keepends=True)
                    if not line.startswith(("clause others", "clause ruling"))  # classes are not told apart in union
                )
            )
            for projection in ("centre", "touch", "inside")
        ),
    ]
)


def card_at(scene: Scene, contract: Contract, threshold: Fraction, mode: Mode = Mode.CLASS_INDEXED) -> Scorecard:
    sides = scene.reference, scene.field, Decoding(threshold)
    return scored_at(contract, *sides, durations=scene.durations, mode=mode, ignore=scene.ignore)


@given(scenes(), contracts, st.data())
@settings(max_examples=sized(80))
def test_the_counts_at_a_threshold_are_those_of_decoding_there(
    scene: Scene, contract: Contract, data: st.DataObject
) -> None:
    """At scores that occur, between them, below and above all of them; with every kind of formula and predicate."""
    quantities = Quantities(contract, scene.family(contract))
    for threshold in data.draw(st.lists(st.sampled_from(scene.thresholds()), min_size=1, max_size=4)):
        card = card_at(scene, contract, threshold)
        cut = scene.field.levels.above(threshold)
        for clause in contract.clauses:
            expected, found = card.counts[clause.name], counts_of(quantities.steps(clause.name).at(cut))
            assert np.array_equal(found.satisfied, expected.satisfied), clause.name
            assert np.array_equal(found.obligated, expected.obligated), clause.name
            assert np.array_equal(found.counter, expected.counter), clause.name


@given(scenes(longest=20), union_contracts, st.data())
@settings(max_examples=sized(40))
def test_in_union_the_counts_are_those_of_decoding_too(scene: Scene, contract: Contract, data: st.DataObject) -> None:
    """With every projection: what two classes cover of a frame together is inside neither of their events."""
    quantities = Quantities(contract, scene.family(contract, Mode.UNION))
    threshold = data.draw(st.sampled_from(scene.thresholds()))
    card = card_at(scene, contract, threshold, Mode.UNION)
    for clause in contract.clauses:
        found = quantities.steps(clause.name).at(scene.field.levels.above(threshold))
        assert found[:2].tolist() == [
            card.counts[clause.name].satisfied.tolist(),
            card.counts[clause.name].obligated.tolist(),
        ]


def test_a_clip_longer_than_a_row_is_cut_into_stretches_that_agree() -> None:
    """Scores of three digits on 700 frames: many stretches, each with its own scores."""
    generator = np.random.default_rng(3)
    scores = [f"{value:.3f}" for value in generator.random(700)]
    events = tuple(Event(Fraction(k, 2), Fraction(k, 2) + Fraction(1, 4), "x") for k in range(0, 27, 2))
    scene = Scene(
        EventTable("ref", {"c": events}),
        field_of({"c": (Fraction(1, 50), {"x": scores})}),
        Durations("durations", {"c": Fraction(14)}),
        None,
    )
    contract = CONTRACTS[0]
    quantities = Quantities(contract, scene.family(contract))
    for threshold in map(Fraction, ("0", "0.25", "0.5", "0.501", "0.9", "1")):
        card = card_at(scene, contract, threshold)
        for clause in contract.clauses:
            found = quantities.steps(clause.name).at(scene.field.levels.above(threshold))
            assert found[1].tolist() == card.counts[clause.name].obligated.tolist()
            assert found[0].tolist() == card.counts[clause.name].satisfied.tolist()


@given(scenes(longest=12, ignoring=False), contracts, st.sampled_from(Aggregation), st.integers(0, 4))
@settings(max_examples=sized(40))
def test_values_and_best_values_are_those_of_all_cuts(
    scene: Scene, contract: Contract, aggregation: Aggregation, quarter: int
) -> None:
    """Screened values keep their bound, exact ones are those of the scorecard, and the best are found with all ties."""
    family = scene.family(contract)
    quantities, last = Quantities(contract, family), len(scene.field.levels)
    cards = [score_family(contract, family.at(cut)) for cut in range(last + 1)]
    bound = Fraction(quarter, 4)
    for clause in contract.clauses:
        values = clause_values(quantities.steps(clause.name), aggregation)
        scores = [card.score(clause.name, aggregation) for card in cards]
        met = holds(values, operator.ge, bound)
        for cut, score in enumerate(scores):
            place = values.index(cut)
            assert values.at(cut) == score.value
            assert abs(int(values.near[place]) - score.value * UNIT) <= values.error
            assert values.earned[place] == (not score.vacuous)
            assert met[place] == (score.value >= bound and not score.vacuous)
        asked = {cut: score.value for cut, score in enumerate(scores) if not score.vacuous}
        found = best(values, last)
        if not asked:
            assert found is None
            continue
        assert found is not None
        assert found.value == max(asked.values())
        taken = {cut for first, end in found.stretches for cut in range(first, end + 1)}
        assert taken == {cut for cut, value in asked.items() if value == found.value}


@given(scenes(longest=8, ignoring=False))
@settings(max_examples=sized(20))
def test_a_profile_and_the_mean_are_those_of_the_scorecard(scene: Scene) -> None:
    contract = CONTRACTS[1]
    family = scene.family(contract)
    quantities = Quantities(contract, family)
    profile = contract.profiles[0]
    for cut in range(len(scene.field.levels) + 1):
        card = score_family(contract, family.at(cut))
        assert quantities.values(profile.name).at(cut) == card.profile(profile)
        assert quantities.values("mean").at(cut) == card.logic()


def test_a_mean_leaves_no_part_out_of_what_it_must_earn() -> None:
    """The mean of a clause that asks always and one that asks up to a threshold is earned up to that threshold."""
    scene = Scene(
        EventTable("ref", {"c": (Event(Fraction(0), Fraction(1, 50), "x"),)}),
        field_of({"c": (Fraction(1, 50), {"x": ["0.4", "0.2"]})}),
        Durations("durations", {"c": Fraction(1, 25)}),
        None,
    )
    quantities = Quantities(CONTRACTS[0], scene.family(CONTRACTS[0]))
    always, at_first = (quantities.values(name) for name in ("missing_guard", "silence_guard"))
    assert combined([(Fraction(1), always), (Fraction(1), at_first)]).earned.tolist() == [True, True, False]


def test_the_curves_that_are_drawn_are_no_trivial_ones() -> None:
    """Most clauses of random scenes have values other than 0 and 1, and curves with more than two pieces."""
    seen: Counter[str] = Counter()

    @given(scenes(ignoring=False), st.sampled_from(CONTRACTS[:2]))
    @settings(max_examples=300, database=None, derandomize=True)
    def measure(scene: Scene, contract: Contract) -> None:
        quantities = Quantities(contract, scene.family(contract))
        for clause in contract.clauses:
            values = clause_values(quantities.steps(clause.name), Aggregation.POOLED)
            shown = values.near[values.earned]
            seen["curves"] += 1
            seen["asked"] += bool(len(shown))
            seen["between"] += bool(((shown > 0) & (shown < UNIT)).any())
            seen["turns"] += len(set(shown.tolist())) > 2

    measure()
    assert seen["asked"] > 0.5 * seen["curves"]
    assert seen["between"] > 0.3 * seen["curves"]
    assert seen["turns"] > 0.3 * seen["curves"]


@pytest.mark.parametrize("cut", [0, 1, 2])
def test_some_clips_count_as_often_as_they_are_named(cut: int) -> None:
    scene = Scene(
        EventTable("ref", {"a": (Event(Fraction(0), Fraction(1, 50), "x"),), "b": ()}),
        field_of({"a": (Fraction(1, 50), {"x": ["0.4"]}), "b": (Fraction(1, 50), {"x": ["0.2"]})}),
        Durations("durations", {"a": Fraction(1, 50), "b": Fraction(1, 50)}),
        None,
    )
    steps = Quantities(CONTRACTS[0], scene.family(CONTRACTS[0])).steps("silence_guard")
    a, b = steps.at(cut)[:, 0].T
    assert steps.select([0, 0, 1]).at(cut)[:, 0].tolist() == [[2 * x, y] for x, y in zip(a, b, strict=True)]
    assert steps.select([1]).at(cut)[:, 0].tolist() == [[y] for y in b]
