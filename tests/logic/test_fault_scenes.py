"""Clauses that a fault evades, scored anew with what closes the hole; kinds of fault that no clause notices."""

from fractions import Fraction
from pathlib import Path

import pytest
from cli.command import run
from hypothesis import given, settings
from hypothesis import strategies as st

from tracepact import score, starter_contracts, try_contract
from tracepact.declarations import spec_path
from tracepact.language.compilation import contract_from, parse_contract
from tracepact.language.contract import Contract
from tracepact.logic.contract_findings import check_contract
from tracepact.logic.predictions import Evasion, closing_clause, evasion, unnoticed_faults

HEAD = "contract gate\nstep 20ms\n"
NEVER_EARLY = "clause never_early on each matched : pred.onset >= ref.onset - 40ms\n"
HEARD = "clause heard on ref_active : N[60ms] pred_active\n"


def contract_of(clauses: str) -> Contract:
    return parse_contract(HEAD + clauses)


def evaded(contract: Contract) -> list[Evasion]:
    return [shown for clause in contract.event_clauses if (shown := evasion(clause, contract))]


def test_an_early_opening_whose_partner_is_a_fragment_evades_a_clause_on_pairs() -> None:
    """Read off by hand: the first piece begins 60 ms early, the second 40 ms late and is the partner."""
    (shown,) = evaded(contract_of(NEVER_EARLY + HEARD))
    (early, partner, exact), (ref, other) = shown.obligation.scene.preds, shown.obligation.scene.refs
    assert (ref[0] - early[0], partner[0] - ref[0], partner[1], exact) == (3, 2, ref[1], other)
    assert shown.obligation.pred == partner


def test_an_early_opening_beyond_the_search_has_no_partner() -> None:
    only_pairs = "clause one_piece on each ref : covering == 1\n"
    (shown,) = evaded(contract_of("matcher greedy(search = 60ms)\n" + NEVER_EARLY + HEARD + only_pairs))
    ref, pred = shown.obligation.scene.refs[0], shown.obligation.scene.preds[0]
    assert shown.obligation.pred is None
    assert min(ref[0] - pred[0], abs(ref[1] - pred[1])) == 4  # one frame more than the search, at both ends


@pytest.mark.parametrize(
    "closing",
    [
        "clause whole on each ref : matched and covering <= 1\n",
        "clause claimed on each pred : matched\n",
        "clause caused on pred_active : N[40ms] ref_active\nclause found on each ref : matched\n",
    ],
)
def test_a_clause_that_fails_in_every_scene_closes_the_hole(closing: str) -> None:
    assert evaded(contract_of(NEVER_EARLY + HEARD + closing)) == []


def test_a_clause_that_asks_for_a_partner_alone_does_not_notice_a_stolen_one() -> None:
    (shown,) = evaded(contract_of(NEVER_EARLY + HEARD + "clause found on each ref : matched\n"))
    assert shown.obligation.pred is not None


def test_a_guard_that_applies_only_where_a_supplied_atom_holds_is_given_its_chance() -> None:
    guard = "clause caused on {} : N[40ms] ref_active\nclause found on each ref : matched\n"
    inside, never = guard.format("zone & pred_active"), guard.format("zone & !zone & pred_active")
    assert evaded(contract_of("atom zone\n" + NEVER_EARLY + HEARD + inside)) == []
    assert len(evaded(contract_of("atom zone\n" + NEVER_EARLY + HEARD + never))) == 1


def test_a_clause_that_fails_without_a_partner_is_not_evaded() -> None:
    assert evaded(contract_of(HEARD + "clause near on each ref : pred.onset >= ref.onset - 40ms\n")) == []
    assert len(evaded(contract_of(HEARD + "clause near on each ref : not (pred.onset < ref.onset - 40ms)\n"))) == 1


def test_a_contract_that_a_perfect_prediction_violates_has_no_scene() -> None:
    assert evaded(contract_of(NEVER_EARLY + "clause absent on ref_active : !pred_active\n")) == []


def test_scenes_that_would_be_too_long_are_not_played() -> None:
    assert evaded(contract_of(NEVER_EARLY + "clause far on ref_active : N[900s] pred_active\n")) == []


def test_check_warns_with_the_scene_and_a_clause_that_closes_the_hole() -> None:
    (warning,) = [d for d in check_contract(contract_of(NEVER_EARLY + HEARD)) if d.code == "clause-evaded"]
    assert warning.trace is not None
    assert "pred  [0.66, 0.74) [0.76, 2.16)*" in warning.trace
    assert warning.help == "add `clause whole on each ref : matched and covering <= 1`, which fails here"


def test_the_suggested_clause_has_a_name_that_is_free() -> None:
    taken = "clause whole on ref_active : pred_active\nclause in_one_piece on ref_active : pred_active\n"
    assert closing_clause(contract_of(taken)).startswith("clause whole_0 on")


def test_a_trial_plays_the_scene() -> None:
    trial = try_contract(HEAD + NEVER_EARLY + HEARD)
    (finding,) = [finding for finding in trial.warnings if finding.kind == "evaded"]
    assert finding.clauses == ("never_early",)
    assert "references at 0.72 to 2.16, 2.88 to 3.84 s, predictions at 0.66 to 0.74, 0.76 to 2.16, 2.88 to 3.84 s" in (
        finding.words
    )
    path = spec_path("conformance/contracts/evaded_by_a_fragment.contract")
    assert "`never_early` is evaded" in run("try", str(path)).out


@pytest.mark.parametrize("name", starter_contracts())
def test_no_clause_of_a_starter_is_evaded(name: str) -> None:
    assert evaded(contract_from(name, None)) == []


FORMS = (
    "on each matched : pred.onset >= ref.onset - {t}f",
    "on each matched : abs(pred.offset - ref.offset) <= {t}f",
    "on each matched : iou >= 0.{t}",
    "on each ref : not matched or pred.duration <= ref.duration + {t}f",
    "on each ref : coverage >= 0.{t}",
    "on each pred : purity >= 0.{t}",
    "on ref_active : N[{t}f] pred_active",
    "on ref_onset : N[{t}f] pred_onset",
    "on pred_onset : F[-{t}f,2f] ref_active",
)


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(FORMS), min_size=1, max_size=3, unique=True),
    st.integers(1, 9),
    st.sampled_from(("greedy(search = 3f)", "optimal(search = 5f, overlap_reward = 0)", "greedy(search = 12f)")),
    st.sampled_from(("0ms", "50ms")),
)
def test_a_scene_that_is_shown_scores_one_on_every_clause_and_the_suggestion_notices_it(
    forms: list[str], tolerance: int, matcher: str, merge_gap: str
) -> None:
    """The scene as two tables in seconds, scored from the start."""
    clauses = "".join(f"clause c{k} {form.format(t=tolerance)}\n" for k, form in enumerate(forms))
    head = f"{HEAD}merge_gap {merge_gap}\nmatcher {matcher.replace('f', '0ms')}\n"
    contract = parse_contract(head + clauses)
    closed = parse_contract(f"{head}{clauses}{closing_clause(contract)}\n")
    for shown in evaded(contract):
        scene = shown.obligation.scene
        sides = [[(a * contract.step, b * contract.step) for a, b in runs] for runs in (scene.refs, scene.preds)]
        length = shown.frames * contract.step
        plain = score(contract, ref=sides[0], pred=sides[1], durations=length)
        assert {value.value for value in plain.card.vector().values()} == {Fraction(1)}
        noticed = score(closed, ref=sides[0], pred=sides[1], durations=length)
        assert min(value.value for value in noticed.card.vector().values()) < 1
    assert evaded(closed) == []


# Contracts as a whole: defects planted in a sound one, each found with the system that shows it

SOUND = """contract sound
step 20ms
clause heard on ref_active : N[40ms] pred_active
clause caused on pred_active : N[40ms] ref_active
clause onset on ref_onset : N[40ms] pred_onset
clause offset on ref_offset : N[40ms] pred_offset
clause whole on each ref : matched and covering <= 1
clause apart on each pred : covering <= 1
clause length on each matched : iou >= 0.3
"""
PIECES = "clause heard on ref_active : N[500ms] pred_active\nclause caused on pred_active : N[40ms] ref_active\n"
PAIRS = "clause hit on each ref : matched and covering <= 1\nclause real on each pred : matched and covering <= 1\n"
JOINED = "clause hit on each ref : coverage >= 0.5\nclause real on each pred : matched\n"
EDGES = "clause onset on {} : N[40ms] {}\nclause offset on {} : N[40ms] {}\n"
PLANTED = {
    "implied": (SOUND + "clause more on ref_active : N[80ms] pred_active\n", "clause-implied", "more"),
    "search": (SOUND + "matcher greedy(search = 0s)\n", "search-below-step", "0ms"),
    "coarse step": (SOUND.replace("20ms", "1s").replace("40ms", "2s"), "search-below-step", "200ms"),
    "weight of 0": (SOUND + "profile p : heard = 1, onset = 0\n", "weight-without-effect", "onset"),
    "great weight": (SOUND + "profile p : heard = 10000, onset = 1\n", "weight-without-effect", "onset"),
    "false alarms": (
        HEAD + EDGES.format("ref_onset", "pred_onset", "ref_offset", "pred_offset"),
        "fault-unnoticed",
        "one extra",
    ),
    "misses": (
        HEAD
        + EDGES.format("pred_onset", "ref_onset", "pred_offset", "ref_offset")
        + "clause q on each pred : matched\n",
        "fault-unnoticed",
        "one missed",
    ),
    "early onsets": (
        HEAD + PAIRS + "clause late on each matched : pred.onset - ref.onset <= 60ms\n",
        "fault-unnoticed",
        "early",
    ),
    "long events": (
        HEAD + PAIRS + "clause end on each matched : pred.offset >= ref.offset - 60ms\n",
        "fault-unnoticed",
        "long",
    ),
    "offsets": (HEAD + PAIRS + "clause on_time on ref_onset : N[40ms] pred_onset\n", "fault-not-asked", "short"),
    "pieces": (HEAD + PIECES, "fault-not-asked", "split in 2"),
    "joined": (HEAD + JOINED, "fault-not-asked", "merged"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_defect_of_the_whole_is_named_with_the_system_that_shows_it(name: str) -> None:
    text, code, words = PLANTED[name]
    told = check_contract(parse_contract(text), notes=True)
    assert [d.code for d in told if d.code == code and words in f"{d.headline} {d.help}"], [d.headline for d in told]


def test_a_window_that_is_longer_than_the_clips_is_named(tmp_path: Path) -> None:
    (tmp_path / "far.contract").write_text(SOUND + "clause far on ref_onset : F[9s] pred_onset\n", encoding="utf-8")
    assert "window-beyond-trace" in run("check", "far.contract", "--durations", "5", folder=tmp_path).codes


@pytest.mark.parametrize("text", [SOUND, *(path.read_text(encoding="utf-8") for path in starter_contracts().values())])
def test_nothing_is_warned_of_a_sound_contract(text: str) -> None:
    assert check_contract(parse_contract(text)) == []


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from(FORMS), min_size=1, max_size=3, unique=True),
    st.integers(1, 9),
    st.sampled_from(("greedy(search = 3f)", "greedy(search = 12f)")),
)
def test_the_scene_of_an_unnoticed_fault_violates_nothing_when_it_is_scored(
    forms: list[str], tolerance: int, matcher: str
) -> None:
    """The scene as two tables in seconds, scored from the start: nothing that is asked fails."""
    clauses = "".join(f"clause c{k} {form.format(t=tolerance)}\n" for k, form in enumerate(forms))
    contract = parse_contract(f"{HEAD}matcher {matcher.replace('f', '0ms')}\n{clauses}")
    for fault in unnoticed_faults(contract):
        scene = fault.obligation.scene
        sides = [[(a * contract.step, b * contract.step) for a, b in runs] for runs in (scene.refs, scene.preds)]
        length = (max(end for runs in (scene.refs, scene.preds) for _, end in runs) + 100) * contract.step
        counts = score(contract, ref=sides[0], pred=sides[1], durations=length).card.counts.values()
        assert all((one.obligated == one.satisfied).all() for one in counts), fault.kind.name


def test_a_guard_of_silence_that_notices_long_events_does_not_make_short_ones_a_fault() -> None:
    """No clause speaks of offsets: that a tail is noticed as activity in silence says nothing of them."""
    quiet = HEAD + PAIRS + "clause quiet on pred_active : N[40ms] ref_active\n"
    codes = {d.code for d in check_contract(parse_contract(quiet), notes=True)}
    assert ("fault-unnoticed" in codes, "fault-not-asked" in codes) == (False, True)


def test_a_fault_that_is_noticed_in_one_scene_is_not_named() -> None:
    """Only events of one frame are asked about: a missed one of those violates it, so misses are not unnoticed."""
    brief = HEAD + "clause brief on each ref : ref.duration > 20ms or matched\nclause real on each pred : matched\n"
    assert "missed events" not in {fault.kind.name for fault in unnoticed_faults(parse_contract(brief))}


def test_matched_beside_an_overlap_is_a_note() -> None:
    contract = contract_of("clause hit on each ref : matched and iou >= 0.5\n")
    assert check_contract(contract) == []
    assert "matched-said-twice" in {d.code for d in check_contract(contract, notes=True)}
    other = check_contract(contract_of("clause hit on each ref : iou >= 0.3 and iou >= 0.5\n"))
    assert [d.code for d in other] == ["redundant-part"]
