"""Disturbed copies, cases left out and held-out pairs, each against a selection made anew."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from selection.builders import calibrations, scaled

from tracepact.data.events import Event, EventTable
from tracepact.diagnostics.collection import InvalidInput
from tracepact.selection.calibration import Calibration
from tracepact.selection.calibration_reader import load_calibration
from tracepact.selection.judgements import ShareRecord
from tracepact.selection.record_parts import selection_record
from tracepact.selection.requirements import SelectionRequirement, difference, faults, names, rank_pairs
from tracepact.selection.robustness import (
    _Folds,
    disturbances,
    hold_out,
    leave_one_out,
    own_references,
    robustness,
    with_disturbances,
)
from tracepact.selection.selection import select_contract
from tracepact.selection.sentences import robustness_table


def test_amounts_are_halved_and_doubled() -> None:
    """By hand: a late onset of 120 ms by 60 and by 240 ms; 0.6 times 200 ms is 0.8 and 0.2 times."""
    calibration = load_calibration("boundary_gate")
    made = dict(disturbances(calibration))
    late = {words: cases[0].pred[0].onset for words, cases in made.items()}
    assert late["amounts halved"] == Fraction("0.66")
    assert late["amounts doubled"] == Fraction("0.84")
    short = {words: cases[7].pred[1] for words, cases in made.items()}
    assert short["amounts halved"].offset - short["amounts halved"].onset == Fraction("0.16")
    assert short["amounts doubled"].offset - short["amounts doubled"].onset == Fraction("0.04")
    moved = made["edges moved by 2 frames"][4].pred  # one event is missing there, the others are as in the reference
    old = calibration.cases[4].pred
    assert all(abs(a.onset - b.onset) == Fraction("0.04") for a, b in zip(moved, old, strict=True))


@settings(max_examples=scaled(8), deadline=None)
@given(calibrations(most=3))
def test_disturbed_cases_lie_in_their_clips_and_do_not_touch(calibration: Calibration) -> None:
    for _, cases in disturbances(calibration):
        for case in cases:
            assert all(0 <= event.onset < event.offset <= case.duration for event in case.pred)
            for one, other in zip(case.pred, case.pred[1:], strict=False):
                assert one.offset < other.onset


@settings(max_examples=scaled(6), deadline=None)
@given(calibrations(most=3))
def test_what_is_required_robustly_is_met_on_every_copy(calibration: Calibration) -> None:
    found = select_contract(with_disturbances(calibration))
    assume(found.ordering is not None and not found.ordering.conflicts and not found.retained.unmet)
    assert len({case.group for case in found.calibration.cases}) == 5
    assert found.ordering is not None
    weights = found.ordering.weights
    for pair in rank_pairs(found.calibration.cases):
        worse, better = (found.calibration.cases[place] for place in (pair.worse, pair.better))
        assert worse.group == better.group
        apart = [difference(c, pair) * w for c, w in zip(found.coordinates, weights, strict=True)]
        assert sum(apart) > 0
    for fault in faults(found.calibration.cases):
        assert any(names(c, fault) for c in found.coordinates)


@settings(max_examples=scaled(6), deadline=None)
@given(calibrations(most=4))
def test_a_case_left_out_gives_the_selection_of_the_others(calibration: Calibration) -> None:
    """From the same basis as from a new one, also where it counts the pairs with a case that it has not seen."""
    found = select_contract(calibration, requirements=(SelectionRequirement.SEPARATE,))
    whole = {coordinate.candidate: coordinate for coordinate in found.retained.basis.coordinates}
    separated = 0
    names = [clause.name for clause in found.clauses]
    for place, left in enumerate(leave_one_out(found)):
        cases = tuple(case for case in calibration.cases if case.name != left.case)
        if not rank_pairs(cases):
            assert left.gone == ()
            continue
        again = select_contract(replace(calibration, cases=cases), requirements=(SelectionRequirement.SEPARATE,))
        stay = {c.candidate for c in again.coordinates}
        assert {found.coordinates[names.index(name)].candidate for name in left.gone} == {
            c.candidate for c in found.coordinates if c.candidate not in stay
        }
        unseen = [pair for pair in rank_pairs(calibration.cases) if place in (pair.worse, pair.better)]
        separated += sum(any(difference(whole[c], pair) > 0 for c in stay) for pair in unseen)
    assert hold_out(found, len(calibration.cases)).separated.count == separated


@pytest.mark.slow
def test_what_is_learned_without_a_case_is_of_pairs_of_different_rank_among_all() -> None:
    """A blend is kept with the places that its cases have among all; it follows from the order of its pairs alone."""
    calibration = load_calibration("boundary_gate")
    folds = _Folds(select_contract(calibration, requirements=(SelectionRequirement.ORDER,)), None)
    for left in (0, 1, 4):
        folds.without(lambda case, left=left: case == left)
    pairs = {pair for blend in folds.blends for pair, _ in blend.weights}
    assert pairs
    assert pairs <= set(rank_pairs(calibration.cases))


def test_held_out_pairs_are_those_with_a_case_of_the_fold() -> None:
    """Nine cases in three folds: each pair is held out once for each of its cases' folds."""
    calibration = load_calibration("boundary_gate")
    found = select_contract(calibration, requirements=(SelectionRequirement.SEPARATE,))
    held = hold_out(found, 3)
    pairs = rank_pairs(calibration.cases)
    assert held.ordered is None  # there are no weights
    assert held.separated.of == sum(len({p.worse % 3, p.better % 3}) for p in pairs)
    whole = {coordinate.candidate: coordinate for coordinate in found.retained.basis.coordinates}
    apart = []
    for fold in range(3):
        cases = tuple(case for k, case in enumerate(calibration.cases) if k % 3 != fold)
        again = select_contract(replace(calibration, cases=cases), requirements=(SelectionRequirement.SEPARATE,))
        unseen = [pair for pair in pairs if fold in (pair.worse % 3, pair.better % 3)]
        apart += [[difference(whole[c.candidate], pair) for c in again.coordinates] for pair in unseen]
    assert held.separated.count == sum(max(row) > 0 for row in apart)


def test_held_out_pairs_are_ordered_by_the_weights_of_the_others() -> None:
    """Nine cases in three folds, each left out in turn: the weighted mean of the differences is positive or not."""
    calibration = load_calibration("boundary_gate")
    found = select_contract(calibration, requirements=(SelectionRequirement.ORDER,))
    held, pairs = hold_out(found, 3), rank_pairs(calibration.cases)
    whole = {coordinate.candidate: coordinate for coordinate in found.retained.basis.coordinates}
    ordered = []
    for fold in range(3):
        cases = tuple(case for k, case in enumerate(calibration.cases) if k % 3 != fold)
        again = select_contract(replace(calibration, cases=cases), requirements=(SelectionRequirement.ORDER,))
        assert again.ordering is not None
        clauses = list(zip(again.coordinates, again.ordering.weights, strict=True))
        unseen = [pair for pair in pairs if fold in (pair.worse % 3, pair.better % 3)]
        ordered += [sum(difference(whole[c.candidate], pair) * w for c, w in clauses) > 0 for pair in unseen]
    assert held.ordered is not None
    assert (held.ordered.count, held.ordered.of) == (sum(ordered), len(ordered))


@settings(max_examples=scaled(12), deadline=None)
@given(calibrations(most=5))
def test_an_order_without_a_case_is_that_of_the_others(calibration: Calibration) -> None:
    """What is shared between the selections does not change them."""
    found = select_contract(calibration, requirements=(SelectionRequirement.ORDER,))
    names = [clause.name for clause in found.clauses]
    for left in leave_one_out(found):
        cases = tuple(case for case in calibration.cases if case.name != left.case)
        if not rank_pairs(cases):
            continue
        again = select_contract(replace(calibration, cases=cases), requirements=(SelectionRequirement.ORDER,))
        stay = {c.candidate for c in again.coordinates}
        assert [found.coordinates[names.index(name)].candidate for name in left.gone] == [
            c.candidate for c in found.coordinates if c.candidate not in stay
        ]


@pytest.mark.parametrize(("count", "of"), [(0, 10), (10, 10), (7, 10), (0, 0)])
def test_the_interval_of_a_share_holds_it(count: int, of: int) -> None:
    low, high = ShareRecord.counted(count, of).interval
    assert 0 <= low <= (count / of if of else 0) <= high <= 1
    if (count, of) == (7, 10):  # Wilson's interval of 7 of 10, from tables
        assert (round(low, 3), round(high, 3)) == (0.397, 0.892)


def test_the_undisturbed_contract_is_counted_as_it_is_written() -> None:
    found = select_contract(load_calibration("boundary_gate"), requirements=(SelectionRequirement.ORDER,))
    rows = robustness(found)
    assert [row.disturbance for row in rows] == [words for words, _ in disturbances(found.calibration)]
    assert all(row.separated >= (row.ordered or 0) for row in rows)


def test_cases_are_made_anew_on_the_users_own_reference() -> None:
    """By hand: the longer clip has events at 1–2 s and 4–6 s; an extra event is in the widest silence, after 6 s."""
    table = EventTable(
        "mine.tsv",
        {
            "short": (Event(Fraction(1), Fraction(2), "dog"),),
            "long": (Event(Fraction(1), Fraction(2), "dog"), Event(Fraction(4), Fraction(6), "dog")),
        },
    )
    calibration = load_calibration("boundary_gate")
    found = own_references(calibration, table, Fraction(10))
    assert ([clip.name for clip in found.used], found.same, found.clips) == (["long", "short"], (), 2)
    own = found.used[0]
    assert (own.duration, len(own.events)) == (10, 2)
    with_own = replace(calibration, own=found)
    words, cases = list(disturbances(with_own))[-2]
    assert words == "on your own reference, long"
    assert len(list(disturbances(with_own))) == len(list(disturbances(calibration))) + 2
    named = {case.name: case for case in cases}
    late = named["late onset"]
    assert late.ref == own.events
    assert {event.onset for event in late.pred} <= {Fraction(1), Fraction("1.12"), Fraction(4), Fraction("4.12")}
    assert late.pred != own.events
    (extra,) = (event for event in named["extra activity"].pred if event not in own.events)
    assert 6 < extra.onset < extra.offset < 10
    row = robustness(select_contract(with_own))[-2]
    assert row.disturbance == words
    assert row.changed == sum(case.ref == own.events for case in cases) == 9
    assert 0 < row.separated <= row.pairs == 23


def test_clips_that_change_no_case_are_no_evidence_and_five_others_are_used() -> None:
    """By hand: the clip with the most events is the reference of the set itself; of seven others five are used."""
    calibration = load_calibration("boundary_gate")
    (reference,) = calibration.references
    two = Event(Fraction(1), Fraction(2), "dog"), Event(Fraction(4), Fraction(6), "dog")
    table = EventTable("mine.tsv", {"drafted": reference.events, **{f"clip {k}": two for k in range(7)}})
    found = own_references(calibration, table, Fraction(12))
    assert [clip.name for clip in found.used] == [f"clip {k}" for k in range(5)]
    assert (found.same, found.clips) == (("drafted",), 8)
    record = selection_record(
        select_contract(replace(calibration, own=found), requirements=(SelectionRequirement.ORDER,))
    )
    assert [row.changed > 0 for row in record.robustness] == [True] * 9
    (note,) = robustness_table(record).notes
    assert "8 clips with events: 5 used, 1 left out because no case changes there (drafted), 2 not used" in note


def test_references_without_an_event_are_no_disturbance() -> None:
    with pytest.raises(InvalidInput, match="have no event to make faults of"):
        own_references(load_calibration("boundary_gate"), EventTable("mine.tsv", {"a": ()}), None)
