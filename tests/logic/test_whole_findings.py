"""Findings about a contract as a whole: constant and perfect predictions, clauses clash or are implied."""

from itertools import product

import pytest
from strategies import family_of

from tracepact.diagnostics.findings import Diagnostic, Severity
from tracepact.evaluate.event_clauses import evaluate_events
from tracepact.language.compilation import parse_contract
from tracepact.language.predicate import Each
from tracepact.logic.contract_findings import check_contract

HEARD = "clause heard on ref_active : N[1f] pred_active\n"
CAUSED = "clause caused on pred_active : N[1f] ref_active\n"


def found(text: str, *, notes: bool = False) -> list[Diagnostic]:
    return check_contract(parse_contract(f"contract c\nstep 20ms\n{text}"), notes=notes)


def of(code: str, text: str, *, notes: bool = False) -> list[str]:
    return [d.headline for d in found(text, notes=notes) if d.code == code]


PREDICATES = [
    *((Each.REF, text) for text in ("coverage >= 0.5", "covering <= 1", "covering <= 0", "matched", "not matched")),
    *((Each.REF, text) for text in ("longest_gap <= 20ms", "iou >= 0.5", "shortest_gap > 40ms", "coverage < 0.5")),
    *((Each.PRED, text) for text in ("purity >= 0.5", "covering <= 1", "pred.onset <= 0s", "pred.duration >= 20ms")),
]


@pytest.mark.parametrize(("each", "predicate"), PREDICATES)
@pytest.mark.parametrize("active", [True, False])
def test_a_constant_prediction_is_said_to_pass_only_if_scoring_finds_no_violation(
    each: Each, predicate: str, active: bool
) -> None:
    """Against every reference of up to six frames; the frame clause beside it notices no constant prediction."""
    quiet = "clause never on pred_offset & ref_onset : pred_active\n" if active else CAUSED
    text = f"contract c\nstep 20ms\n{quiet}clause e on each {each.value} : {predicate}\n"
    contract = parse_contract(text)
    word = "always on" if active else "never fires"
    said = any(d.code == "constant-prediction-passes" and word in d.headline for d in check_contract(contract))
    violated = False
    for frames in range(1, 7):
        for ref in product([False, True], repeat=frames):
            (clause,) = evaluate_events(contract, family_of([(list(ref), [active] * frames)])).clauses
            scores_zero = not active and each is Each.PRED and any(ref)
            violated = violated or bool(clause.violated) or scores_zero
    assert not (said and violated)
    if each is Each.REF and predicate in ("coverage >= 0.5", "not matched", "covering <= 0", "coverage < 0.5"):
        assert said == (not violated)


@pytest.mark.parametrize(
    ("clause", "system"),
    [(HEARD, "`always on`"), (CAUSED, "`silent`"), ("clause a on each ref : coverage >= 0.5\n", "`always on`")],
)
def test_a_constant_prediction_that_passes_the_only_clause_is_a_warning_with_its_name(clause: str, system: str) -> None:
    (warning,) = [d for d in found(clause) if d.code == "constant-prediction-passes"]
    assert system in warning.headline
    assert warning.severity is Severity.WARNING
    assert warning.help is not None


def test_a_clause_that_notices_constant_predictions_is_enough_alone() -> None:
    assert of("constant-prediction-passes", "clause a on each matched : iou >= 0.5\n") == []
    assert found("clause a on ref_onset : N[1f] pred_onset\n") == []
    assert found("clause a on true : ref_active <-> pred_active\n") == []
    assert of("constant-prediction-passes", HEARD + CAUSED) == []


def test_three_clauses_of_which_each_two_can_hold_are_one_finding() -> None:
    text = (
        "atom a\natom b\natom d\n"
        "clause x on a : b | pred_active\nclause y on a : d | !b\nclause z on a : !d & !pred_active\n"
        f"{HEARD}{CAUSED}"
    )
    (headline,) = of("clauses-clash", text)
    assert headline == "`x`, `y` and `z` cannot hold together at a frame where all are obliged"


def test_clauses_whose_obligation_a_prediction_can_avoid_do_not_clash() -> None:
    text = (
        "clause a on ref_onset : G[1f,2f] pred_active\nclause b on pred_offset : G[-9f,9f] !pred_active | ref_active\n"
    )
    assert of("clauses-clash", text) == []


def test_intervals_that_satisfy_one_of_two_clauses_clash() -> None:
    text = "clause a on each matched : pred.onset < ref.onset\nclause b on each matched : pred.onset >= ref.onset\n"
    assert of("clauses-clash", text) == ["no matched pair satisfies both `a` and `b`"]


def test_the_clauses_that_imply_another_are_as_few_as_can_be() -> None:
    text = (
        "clause alone on ref_active & !other_ref_active : N[1f] pred_active\n"
        "clause overlapped on ref_active & other_ref_active : N[1f] pred_active\n"
        "clause edge on ref_onset : N[5f] pred_onset\n"
        "clause everywhere on ref_active : N[2f] pred_active\n"
        f"{CAUSED}"
    )
    assert of("clause-implied", text, notes=True) == [
        "wherever `everywhere` fails, one of `alone` and `overlapped` fails as well"
    ]


def test_a_supplied_atom_leaves_open_what_a_perfect_prediction_does() -> None:
    assert of("perfect-prediction-fails", "atom loud\nclause a on loud : pred_active\n") == []
    assert len(of("perfect-prediction-fails", "clause a on true : pred_active\n")) == 1


def test_the_scene_of_a_perfect_prediction_has_another_class_only_where_that_is_needed() -> None:
    (shown,) = (
        d.trace or "" for d in found("clause a on each pred : dominant\n") if d.code == "perfect-prediction-fails"
    )
    assert "another class" in shown
    (shown,) = (
        d.trace or "" for d in found("clause a on each pred : iou < 1\n") if d.code == "perfect-prediction-fails"
    )
    assert "another class" not in shown
    assert of("perfect-prediction-fails", "labels dog\nclause a on each pred : dominant\n") == []


@pytest.mark.parametrize(
    ("clause", "used"),
    [
        ("each ref : covering <= 1", False),
        ("each pred : purity >= 0.5", False),
        ("each ref : matched", True),
        ("each ref : iou >= 0.5", True),
        ("each ref : pred.onset <= ref.onset", True),
        ("each matched : ref.covering <= 1", True),
    ],
)
def test_a_matcher_is_used_where_a_clause_asks_for_partners(clause: str, used: bool) -> None:
    assert bool(of("matcher-not-used", f"matcher optimal\nclause a on {clause}\n", notes=True)) is not used


def test_a_merge_gap_below_a_frame_hides_nothing() -> None:
    for gap, hides in (("10ms", False), ("20ms", True)):
        text = f"merge_gap {gap}\nclause a on each ref : shortest_gap > 200ms\n"
        assert bool(of("merge-gap-hides-fragments", text, notes=True)) is hides
    assert of("merge-gap-hides-fragments", "merge_gap 40ms\nclause a on each pred : covering <= 1\n", notes=True) == []


def test_a_deleted_part_is_named_with_what_makes_it_idle() -> None:
    (headline,) = of(
        "redundant-part", "clause a on ref_onset : N[1f] pred_onset | F[2f] pred_active | N[3f] pred_onset\n"
    )
    assert headline == "`N[1f] pred_onset` can be deleted: it implies `F[2f] pred_active`, `N[3f] pred_onset`"
