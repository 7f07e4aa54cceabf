"""Soft scores from arrays: the counts are those of the Boolean score, the mean is exact, bad arrays are refused."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import family_of

from tracepact import Aggregation, Contract, InvalidInput, load_contract, parse_contract
from tracepact.scoring import score_family
from tracepact.soft import FieldReading, Margin, SoftCard, margin_of, read_fields, soft_scores

GATE = load_contract("boundary_gate")
TENTHS = st.integers(0, 10)
CLAUSES = """
contract all_sorts
step 20ms
aggregate macro_classes
clause edges  on ref_onset | pred_offset : N[2f] (pred_onset <-> ref_onset)
clause until  on pred_active : pred_active U[3f] !ref_active
clause others on pred_active : !other_pred_active | other_ref_active
clause nobody on ref_active & !ref_active : false
"""


def arrays(classes: int) -> st.SearchStrategy[list[tuple[Any, Any]]]:
    """Clips with a reference mask and predicted scores in tenths, frames × classes."""

    def clip(n: int) -> st.SearchStrategy[tuple[Any, Any]]:
        rows = st.lists(st.lists(st.booleans(), min_size=classes, max_size=classes), min_size=n, max_size=n)
        tenths = st.lists(st.lists(TENTHS, min_size=classes, max_size=classes), min_size=n, max_size=n)
        return st.tuples(rows.map(np.array), tenths.map(lambda t: np.array(t) / 10))

    return st.lists(st.integers(1, 8).flatmap(clip), min_size=1, max_size=3)


def card_of(contract: Contract, clips: list[tuple[Any, Any]], **how: Any) -> SoftCard:
    ref, pred = ({f"c{i}": pair[side] for i, pair in enumerate(clips)} for side in (0, 1))
    classes = [f"k{k}" for k in range(clips[0][0].shape[1])]
    return soft_scores(contract, read_fields(contract, ref, pred, FieldReading(classes, **how)))


@given(st.integers(1, 3).flatmap(arrays), st.integers(0, 10), st.sampled_from([GATE, parse_contract(CLAUSES)]))
@settings(max_examples=300)
def test_the_counts_are_those_of_the_boolean_score_at_the_threshold(
    clips: list[tuple[Any, Any]], tenth: int, contract: Contract
) -> None:
    """At a threshold that occurs among the scores, too: a tie is not active."""
    card = card_of(contract, clips, threshold=Fraction(tenth, 10))
    classes = clips[0][0].shape[1]
    decoded = [
        (list(map(bool, ref[:, k])), [Fraction(str(score)) > Fraction(tenth, 10) for score in pred[:, k]])
        for k in range(classes)
        for ref, pred in clips
    ]
    boolean = score_family(contract, family_of(decoded, contract.step, classes))
    for clause in contract.frame_clauses:
        for k in range(classes):
            for c in range(len(clips)):
                entry = card.entry(clause.name, c, k)
                expected = boolean.counts[clause.name].score(k, c)
                assert (entry.satisfied, entry.obligated) == (expected.satisfied, expected.obligated)
                margins = [margin for _, margin in card.margins(clause.name, c, k)]
                assert len(margins) == entry.obligated
                assert entry.total == sum((margin.cut for margin in margins), Fraction(0))
                assert entry.least == min(margins, default=None)


def test_the_mean_is_cut_and_exact() -> None:
    ref = np.array([[True], [True], [False], [False]])
    pred = np.array([[0.7], [0.1], [0.9], [0.1]])
    contract = parse_contract("contract c step 20ms clause missing on ref_active : pred_active | ref_offset")
    found = card_of(contract, [(ref, pred)]).vector(Aggregation.POOLED)["missing"]
    # The reference is a mask without an offset at frames 0 and 1, so the margins are 0.7 - 0.5 and 0.1 - 0.5.
    assert (found.value, found.least) == (Fraction(-1, 10), margin_of(Fraction(-2, 5)))
    contract = parse_contract("contract c step 20ms clause spurious on pred_active : pred_active -> ref_active")
    found = card_of(contract, [(ref, pred)]).vector(Aggregation.POOLED)["spurious"]
    # Frame 0: unbounded, cut to 1; frame 2: -(0.9 - 0.5).
    assert (found.value, found.least, found.satisfied) == (Fraction(3, 10), margin_of(Fraction(-2, 5)), 1)
    bounded_by_masks = card_of(contract, [(ref, pred)], mask_margin=Fraction(1, 4)).vector()["spurious"]
    # Now frame 0 has max(-0.2, 0.25), and frame 2 max(-0.4, -0.25).
    assert (bounded_by_masks.value, bounded_by_masks.least) == (Fraction(0), Margin(Fraction(-1, 4), False))


def test_aggregations_take_the_means_of_rule_7_5() -> None:
    contract = parse_contract("contract c step 20ms clause hit on ref_active : pred_active")
    first = np.array([[True, False], [True, False]]), np.array([[0.9, 0.0], [0.7, 0.0]])
    second = np.array([[False, True]]), np.array([[0.0, 0.1]])
    card = card_of(contract, [first, second])
    # By class and clip: 3/10 of two frames, vacuous 1; vacuous 1, -4/10 of one frame.
    values = {a: card.score("hit", a).value for a in Aggregation}
    assert values == {
        Aggregation.POOLED: Fraction(2, 30),
        Aggregation.MACRO_CLIPS: (Fraction(13, 20) + Fraction(3, 10)) / 2,
        Aggregation.MACRO_CLASSES: (Fraction(3, 10) - Fraction(4, 10)) / 2,
        Aggregation.MACRO_CLIPS_INFORMATIVE: (Fraction(3, 10) - Fraction(4, 10)) / 2,
        Aggregation.MACRO_CLASSES_INFORMATIVE: (Fraction(3, 10) - Fraction(4, 10)) / 2,
    }


def test_ignored_frames_carry_no_obligation() -> None:
    contract = parse_contract("contract c step 20ms clause hit on ref_active : pred_active")
    ref, pred = {"a": np.array([[True], [True]])}, {"a": np.array([[0.9], [0.0]])}
    family = read_fields(contract, ref, pred, FieldReading(["x"]), ignored={"a": np.array([[False], [True]])})
    assert soft_scores(contract, family).score("hit").obligated == 1


def test_thresholds_may_differ_by_class_and_floats_are_their_shortest_decimals() -> None:
    contract = parse_contract("contract c step 20ms clause hit on ref_active : pred_active")
    ref, pred = {"a": np.ones((1, 2), dtype=bool)}, {"a": np.array([[0.1, 0.3]], dtype=np.float32)}
    reading = FieldReading(["x", "y"], threshold={"x": "0.1", "y": Fraction(1, 3)})
    card = soft_scores(contract, read_fields(contract, ref, pred, reading))
    # 0.1 as a 32-bit float is not above 0.1: a tie, so not active.
    assert card.margins("hit", 0, 0) == [(0, Margin(Fraction(0), False))]
    assert card.margins("hit", 0, 1) == [(0, Margin(Fraction(-1, 30), False))]


# Bad input

GOOD = np.zeros((4, 2))


@pytest.mark.parametrize(
    ("pred", "code"),
    [
        (np.full((4, 2), np.nan), "bad-score"),
        (np.full((4, 2), np.inf), "bad-score"),
        (np.full((4, 2), 1.5), "bad-score"),
        (np.full((4, 2), -0.5), "bad-score"),
        (np.full((4, 2), 2), "bad-score"),
        ([[0.1, 0.2], [0.3]], "bad-field"),
        (np.zeros((4, 3)), "bad-field"),
        (np.zeros(4), "bad-field"),
        (np.zeros((4, 2), dtype=complex), "bad-field"),
        (np.zeros((5, 2)), "bad-field"),
        ([["a", "b"]] * 4, "bad-field"),
    ],
)
def test_an_array_that_is_no_field_is_refused(pred: Any, code: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_fields(GATE, {"a": GOOD}, {"a": pred}, FieldReading(["x", "y"]))
    assert [found.code for found in refused.value.diagnostics] == [code]


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ({"classes": ["x", "x"]}, "bad-field"),
        ({"classes": ["x", "y"], "threshold": {"x": 0.5, "y": 0.5, "z": 0.5}}, "unknown-label"),
        ({"classes": ["x", "y"], "threshold": {"x": 0.5}}, "bad-decoding"),
        ({"classes": ["x", "y"], "threshold": 2}, "bad-decoding"),
        ({"classes": ["x", "y"], "threshold": "half"}, "bad-decoding"),
    ],
)
def test_classes_and_thresholds_that_do_not_fit_are_refused(how: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_fields(GATE, {"a": GOOD}, {"a": GOOD}, FieldReading(**how))
    assert {found.code for found in refused.value.diagnostics} == {code}


def test_unknown_labels_clips_and_atoms_are_named() -> None:
    contract = parse_contract('contract c step 20ms labels dog atom zone "z" clause k on zone : pred_active')
    with pytest.raises(InvalidInput) as refused:
        read_fields(
            contract,
            {"a": GOOD[:, :1]},
            {"b": GOOD[:, :1]},
            FieldReading(["dgo"]),
            masks={"zoo": {"a": GOOD[:, :1]}},
        )
    codes = [found.code for found in refused.value.diagnostics]
    assert codes == ["unknown-label", "wrong-mask", "missing-mask", "unknown-clip", "bad-field"]
    assert refused.value.diagnostics[0].help == "did you mean `dog`?"


def test_at_most_twenty_faults_of_one_kind_are_spelled_out() -> None:
    clips = {f"c{i}": np.full((3, 1), np.nan) for i in range(50)}
    with pytest.raises(InvalidInput) as refused:
        read_fields(GATE, dict.fromkeys(clips, np.zeros((3, 1))), clips, FieldReading(["x"]))
    found = refused.value.diagnostics
    assert len(found) == 21
    assert "30 more" in found[-1].headline
    assert "2 more" in found[0].headline
