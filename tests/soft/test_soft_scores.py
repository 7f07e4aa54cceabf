"""Soft scores of a contract: the counts are those of the Boolean score, and sums of margins are exact."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import family_of, sized, soft_family_of, soft_score

from tracepact import Aggregation, Contract, load_contract, parse_contract, score_field
from tracepact.data.family import Side
from tracepact.evaluate.reference import Margin, margin_of, mask_margin
from tracepact.evaluate.scorecard import score_family
from tracepact.evaluate.soft_family import DecodedSide, SoftCard, SoftEntry, SoftMask, decoded_family, soft_scores

GATE = load_contract("boundary_gate")
HALF = Fraction(1, 2)
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


def card_of(contract: Contract, clips: list[tuple[Any, Any]], threshold: Fraction = HALF) -> SoftCard:
    ref, pred = ({f"c{i}": pair[side] for i, pair in enumerate(clips)} for side in (0, 1))
    return soft_scores(contract, soft_family_of(contract.step, ref, pred, threshold))


def margins_of(card: SoftCard, clause: str, clip: int, label: int) -> list[Margin]:
    """The margins of the obligated frames of a clip and class."""
    segment = label * len(card.family.clips) + clip
    obliged, ranks = (card.atoms.gather(some[clause], segment) for some in (card.obligations, card.values))
    return [card.atoms.levels.value(int(rank)) for rank in ranks[obliged]]


@given(st.integers(1, 3).flatmap(arrays), st.integers(0, 10), st.sampled_from([GATE, parse_contract(CLAUSES)]))
@settings(max_examples=sized(300))
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
                margins = margins_of(card, clause.name, c, k)
                assert len(margins) == entry.obligated
                assert entry.total == sum((margin.cut for margin in margins), Fraction(0))
                assert entry.least == min(margins, default=None)


def test_the_mean_is_cut_and_exact() -> None:
    ref = np.array([[True], [True], [False], [False]])
    pred = np.array([[0.7], [0.1], [0.9], [0.1]])
    contract = parse_contract("contract c step 20ms clause missing on ref_active : pred_active | ref_offset")
    # The reference is a mask without an offset at frames 0 and 1, so the margins are 0.7 - 0.5 and 0.1 - 0.5.
    missing = SoftEntry(Fraction(-1, 5), 1, 2, margin_of(Fraction(-2, 5)))
    assert card_of(contract, [(ref, pred)]).entry("missing", 0, 0) == missing
    contract = parse_contract("contract c step 20ms clause spurious on pred_active : pred_active -> ref_active")
    # Frame 0: unbounded, cut to 1; frame 2: -(0.9 - 0.5).
    spurious = SoftEntry(Fraction(3, 5), 1, 2, margin_of(Fraction(-2, 5)))
    assert card_of(contract, [(ref, pred)]).entry("spurious", 0, 0) == spurious
    quarter = Fraction(1, 4)
    bounded = SoftMask((mask_margin(False, quarter), mask_margin(True, quarter)), (ref.astype(int),))
    family = soft_family_of(contract.step, {"c0": ref}, {"c0": pred}, HALF, ref_active=bounded)
    # Now frame 0 has max(-0.2, 0.25), and frame 2 max(-0.4, -0.25).
    by_masks = SoftEntry(Fraction(0), 1, 2, Margin(-quarter, False))
    assert soft_scores(contract, family).entry("spurious", 0, 0) == by_masks


def test_the_definition_of_a_soft_score_takes_the_means_of_rule_7_5() -> None:
    contract = parse_contract("contract c step 20ms clause hit on ref_active : pred_active")
    first = np.array([[True, False], [True, False]]), np.array([[0.9, 0.0], [0.7, 0.0]])
    second = np.array([[False, True]]), np.array([[0.0, 0.1]])
    card = card_of(contract, [first, second])
    # By class and clip: 3/10 of two frames, vacuous 1; vacuous 1, -4/10 of one frame.
    values = {a: soft_score(card, "hit", a) for a in Aggregation}
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
    family = replace(soft_family_of(contract.step, ref, pred, HALF), ignored=(np.array([[False], [True]]),))
    assert soft_scores(contract, family).entry("hit", 0, 0).obligated == 1


def test_a_score_at_its_threshold_is_not_active() -> None:
    """Scores of 32 bits are their shortest decimals: 0.1 is not above 0.1, where as a binary number it would be."""
    contract = parse_contract("contract c step 20ms clause hit on ref_active : pred_active")
    scores = score_field({"a": np.array([[0.1], [0.3]], dtype=np.float32)}, classes=["x"], step=contract.step)
    family = family_of([([True, True], [False, True])], contract.step)
    family = replace(family, clips=("a",))
    decoded = decoded_family(family, {Side.PRED: DecodedSide(scores, Fraction(1, 10), [[0]])})
    margins = [Margin(Fraction(0), False), Margin(Fraction(1, 5), True)]
    assert margins_of(soft_scores(contract, decoded), "hit", 0, 0) == margins
