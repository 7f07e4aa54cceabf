"""Weights that keep the order: exact games, brute force over all sets, conflicts, and the contract that is written."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from selection.builders import (
    PROVED,
    SMALL,
    STEP,
    calibration_of,
    calibrations,
    case_of,
    labelled_calibrations,
    scaled,
    seen_of,
)
from selection.test_observation import scored

from tracepact.data.assembly import assemble
from tracepact.data.events import Durations, Event, EventTable
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Source
from tracepact.evaluate.scorecard import score_family
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import Aggregation
from tracepact.selection import weights
from tracepact.selection.basis import Coordinate
from tracepact.selection.calibration import Calibration, CalibrationCase
from tracepact.selection.calibration_reader import load_calibration, read_calibration
from tracepact.selection.candidates import describe
from tracepact.selection.concessions import without_conflicts
from tracepact.selection.games import differences_of, solve_game
from tracepact.selection.requirements import (
    Pair,
    PairBlend,
    SelectionRequirement,
    difference,
    pair_rows,
    rank_pairs,
)
from tracepact.selection.selection import contract_text, order_clauses, select_contract
from tracepact.selection.weights import Order, Proven, weigh, written_weights

matrices = st.tuples(st.integers(1, 6), st.integers(1, 6)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(-4, 4), min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    )
)


@given(matrices)
def test_the_value_of_a_game_is_shown_by_the_weights_of_both_sides(rows: list[list[int]]) -> None:
    """A saddle point: the weights on columns leave no row less, those on rows give no column more."""
    solved = solve_game(np.array(rows, dtype=object))
    for shares in (solved.columns, solved.rows):
        assert sum(shares) == 1
        assert min(shares) >= 0
    assert min(sum(m * w for m, w in zip(row, solved.columns, strict=True)) for row in rows) == solved.value
    columns = list(zip(*rows, strict=True))
    assert max(sum(m * w for m, w in zip(column, solved.rows, strict=True)) for column in columns) == solved.value


@settings(max_examples=scaled(40))
@given(matrices)
def test_the_value_of_a_game_is_that_of_a_linear_program(rows: list[list[int]]) -> None:
    """HiGHS: the largest t with a weighted sum of at least t in every row."""
    from scipy.optimize import linprog

    width = len(rows[0])
    found = linprog(
        [0] * width + [-1],
        A_ub=[[-m for m in row] + [1] for row in rows],
        b_ub=[0] * len(rows),
        A_eq=[[1] * width + [0]],
        b_eq=[1],
        bounds=[(0, 1)] * width + [(None, None)],
    )
    assert abs(-found.fun - float(solve_game(np.array(rows, dtype=object)).value)) < 1e-9


# The search


@st.composite
def weighings(draw: st.DrawFn) -> tuple[list[CalibrationCase], list[Coordinate], list[int]]:
    """Cases with ranks, a few coordinates with values that may be for want of obligations, and rows to cover."""
    number, width = draw(st.integers(2, 4)), draw(st.integers(1, 6))
    ranks = draw(st.lists(st.integers(1, 3), min_size=number, max_size=number).filter(lambda r: len(set(r)) > 1))
    cases = [case_of(f"c{i}", rank, [True], [False]) for i, rank in enumerate(ranks)]
    value = st.sampled_from([Fraction(k, 6) for k in range(7)])
    shares = st.sampled_from([Fraction(0)] * 5 + [Fraction(1)])

    def coordinate(place: int) -> Coordinate:
        values = draw(st.lists(value, min_size=number, max_size=number))
        vacuous = [draw(shares) if v == 1 else Fraction(0) for v in values]
        counter = [draw(shares) if v == 0 else Fraction(0) for v in values]
        cost = draw(st.integers(0, 2))
        return Coordinate(place, cost, seen_of(values, vacuous, counter), (place,), PROVED)

    coordinates = [coordinate(place) for place in range(width)]
    rows = draw(st.lists(st.integers(1, (1 << width) - 1), max_size=2))
    return cases, coordinates, rows


def margin_of(coordinates: Sequence[Coordinate], pairs: Sequence[Pair]) -> Fraction:
    """The largest margin of some coordinates, from the definitions alone."""
    table = [[difference(c, pair) for c in coordinates] for pair in pairs]
    common = 6
    whole = np.array([[int(d * common) for d in row] for row in table], dtype=object)
    return solve_game(whole).value / common


@settings(max_examples=scaled(150))
@given(weighings())
def test_the_weighed_set_is_the_best_by_count_margin_cost_and_order(
    problem: tuple[list[CalibrationCase], list[Coordinate], list[int]],
) -> None:
    cases, coordinates, rows = problem
    pairs = rank_pairs(cases)
    places = range(len(coordinates))
    assume(margin_of(coordinates, pairs) > 0)
    every = [
        (size, -margin, sum(coordinates[k].cost for k in chosen), chosen)
        for size in range(1, len(coordinates) + 1)
        for chosen in combinations(places, size)
        if all(any(row >> k & 1 for k in chosen) for row in rows)
        and (margin := margin_of([coordinates[k] for k in chosen], pairs)) > 0
    ]
    differences = differences_of(coordinates, pairs)
    found = weigh(differences, rows, tuple(c.cost for c in coordinates))
    size, less, _, chosen = min(every)
    assert (len(found.columns), -found.margin, found.columns) == (size, less, chosen)
    assert found.proven is Proven.ORDER
    for pair in pairs:
        terms = zip(found.columns, found.weights, strict=True)
        assert sum(difference(coordinates[k], pair) * weight for k, weight in terms) >= found.margin


@given(weighings())
def test_a_conflict_is_irreducible_and_what_is_left_can_be_ordered(
    problem: tuple[list[CalibrationCase], list[Coordinate], list[int]],
) -> None:
    cases, coordinates, _ = problem
    pairs = rank_pairs(cases)
    agreed = without_conflicts(differences_of(coordinates, pairs))
    left, conflicts = agreed.differences, agreed.conflicts
    for conflict in conflicts:
        assert margin_of(coordinates, conflict.pairs) <= 0
        for pair in conflict.pairs:
            fewer = [other for other in conflict.pairs if other != pair]
            assert not fewer or margin_of(coordinates, fewer) > 0
        assert conflict.left_out in conflict.pairs
    assert not left.pairs or margin_of(coordinates, left.pairs) > 0
    assert len(left.pairs) + len(conflicts) == len(pairs)


@settings(max_examples=scaled(150), deadline=None)
@given(weighings())
def test_after_giving_up_the_fewest_pairs_the_fewest_clauses_do_and_no_evidence_cites_what_is_given_up(
    problem: tuple[list[CalibrationCase], list[Coordinate], list[int]],
) -> None:
    """Every set of pairs to give up, and every set of clauses for the pairs that are kept, is tried."""
    cases, coordinates, _ = problem
    pairs = rank_pairs(cases)
    rows = [row for row in pair_rows(coordinates, pairs) if row.coordinates]
    met = [row.of for row in rows if isinstance(row.of, Pair)]
    found = order_clauses(coordinates, rows, met, seconds=None)
    assume(found is not None)
    assert found is not None
    ordering, cover = found
    leaving = (
        len(out) for n in range(len(met) + 1) for out in combinations(met, n) if _ordered_without(out, problem, met)
    )
    assert len(ordering.given_up) == ordering.bound == next(leaving)
    kept = [pair for pair in met if pair not in ordering.given_up]
    places = range(len(coordinates))
    sizes = (
        size
        for size in range(len(coordinates) + 1)
        for chosen in combinations(places, size)
        if not kept or (chosen and margin_of([coordinates[k] for k in chosen], kept) > 0)
    )
    assert len(cover.columns) == next(sizes)
    cited = [row.of for row in ordering.rows]
    assert not {*ordering.given_up} & {pair for of in cited for pair in _pairs_of(of)}


def _ordered_without(
    out: Sequence[Pair], problem: tuple[list[CalibrationCase], list[Coordinate], list[int]], pairs: Sequence[Pair]
) -> bool:
    kept = [pair for pair in pairs if pair not in out]
    return not kept or margin_of(problem[1], kept) > 0


def _pairs_of(required: object) -> list[Pair]:
    """The pairs that a requirement is about."""
    if isinstance(required, PairBlend):
        return [pair for pair, _ in required.weights]
    return [required] if isinstance(required, Pair) else []


@given(st.lists(st.integers(0, 30), min_size=1, max_size=5).filter(any))
def test_written_weights_are_whole_and_keep_most_of_the_margin(parts: list[int]) -> None:
    """The margin here: the least weighted value of rows that each leave one weight out."""
    weights = [Fraction(part, sum(parts)) for part in parts]

    def margin(whole: Sequence[int]) -> Fraction:
        return Fraction(max(whole), sum(whole))

    written, kept = written_weights(weights, margin)
    assert kept == margin(written) >= Fraction(4, 5) * max(weights)
    assert sum(written) > 0


def test_weights_that_no_small_number_keeps_stay_short() -> None:
    """A margin that needs the root of two to five places; 70 of 169 is the nearest of small numbers, 0.000012 off."""
    root = Fraction(4142135623730950488016887242096980785697, 10**40)

    def margin(whole: Sequence[int]) -> Fraction:
        return Fraction(1, 10**5) - abs(Fraction(whole[0], sum(whole)) - root)

    assert margin([70, 99]) < 0
    written, kept = written_weights([root, 1 - root], margin)
    assert kept == margin(written) >= Fraction(4, 5) * Fraction(1, 10**5)
    assert max(written) < 10**7


# What is for want of obligations


def test_a_value_for_want_of_obligations_does_not_help() -> None:
    one = Fraction(1)
    vacuous = Coordinate(0, 1, seen_of((Fraction(1, 2), one), (0 * one, one)), (0,), PROVED)
    assert difference(vacuous, Pair(0, 1)) == 0  # the better case is 1 because it asks nothing
    assert difference(vacuous, Pair(1, 0)) == Fraction(-1, 2)  # and as the worse case it still stands against
    counter = Coordinate(0, 1, seen_of((0 * one, Fraction(1, 2)), (), (one, 0 * one)), (0,), PROVED)
    assert difference(counter, Pair(0, 1)) == 0  # the worse case is 0 because nothing was matched


# The contract that is written


def labels_of(clips: Sequence[CalibrationCase]) -> set[str]:
    return {event.label for case in clips for event in (*case.ref, *case.pred)}


def harm(contract_source: str, clips: Sequence[CalibrationCase]) -> Fraction:
    """The profile's value of a corpus: what a report of the written contract shows."""
    contract = parse_contract(contract_source)
    named = {f"clip {k}": case for k, case in enumerate(clips)}
    ref, pred = (EventTable(side, {n: getattr(c, side) for n, c in named.items()}) for side in ("ref", "pred"))
    durations = Durations("durations", {name: case.duration for name, case in named.items()})
    card = score_family(contract, assemble(contract, ref, pred, durations=durations, diagnostics=Diagnostics()))
    assert contract.aggregation is Aggregation.MACRO_CLIPS
    return card.profile("harm")


@settings(max_examples=scaled(10), deadline=None)
@given(st.one_of(calibrations(most=4), labelled_calibrations()), st.data())
def test_the_written_contract_keeps_the_order_alone_and_in_every_corpus(
    calibration: Calibration, data: st.DataObject
) -> None:
    found = select_contract(calibration, requirements=(SelectionRequirement.ORDER,))
    assume(found.ordering is not None)
    text = contract_text(found)
    context = data.draw(st.lists(st.sampled_from(calibration.cases), max_size=3))
    for pair in found.ordering.differences.pairs if found.ordering else ():
        worse, better = ([*context, calibration.cases[place]] for place in (pair.worse, pair.better))
        if not context or labels_of(worse) == labels_of(better):  # another label changes every clip (rule 14.16)
            assert harm(text, worse) < harm(text, better)


@settings(max_examples=scaled(8), deadline=None)
@given(calibrations(most=4), st.randoms(use_true_random=False))
def test_the_order_of_the_cases_changes_no_weight(calibration: Calibration, random: object) -> None:
    order = list(range(len(calibration.cases)))
    random.shuffle(order)  # type: ignore[attr-defined]
    shuffled = replace(calibration, cases=tuple(calibration.cases[k] for k in order))
    before, after = select_contract(calibration), select_contract(shuffled)
    for found in (before, after):
        assert found.cover.optimal or not found.cover.columns
    if before.ordering and after.ordering and not before.ordering.conflicts:
        texts = [
            [describe(f.retained.observed.candidates, c.candidate) for c in f.coordinates] for f in (before, after)
        ]
        assert texts[0] == texts[1]
        assert before.ordering.weighed.margin == after.ordering.weighed.margin


def test_a_clause_that_an_empty_prediction_makes_0_is_not_what_orders() -> None:
    """Everything lost is worst; the matched pairs it does not have are counter evidence (7.4) and judge nothing."""
    ref = [5 <= i < 15 or 25 <= i < 35 for i in range(45)]
    late = [8 <= i < 15 or 28 <= i < 35 for i in range(45)]
    cases = [case_of("lost", 3, ref, [False] * 45), case_of("late", 2, ref, late), case_of("fine", 1, ref, ref)]
    only = replace(SMALL, atoms=(), obligations=(), operators=(), each=("matched",), attributes=("onset",))
    found = select_contract(calibration_of(cases, only), requirements=(SelectionRequirement.ORDER,))
    unmet = {row.of for row in found.retained.unmet}
    assert unmet == {Pair(0, 1), Pair(0, 2)}
    assert found.ordering is not None
    assert [found.ordering.differences.pairs] == [(Pair(1, 2),)]


def test_the_nine_cases_can_be_ordered_by_three_clauses_and_no_two() -> None:
    """No two: every pair of coordinates is asked, by its own exact game."""
    calibration = load_calibration("boundary_gate")
    found = select_contract(calibration, requirements=(SelectionRequirement.ORDER,))
    assert found.ordering is not None
    assert len(found.coordinates) == found.cover.count_bound == 3
    differences = found.ordering.differences
    table = differences.of(slice(None))
    for two in combinations(range(differences.clauses), 2):
        if (table[:, two].max(axis=1) > 0).all():
            assert solve_game(table[:, two].astype(object)).value <= 0
    assert found.ordering.margin > 0
    weights = found.ordering.weights
    for pair in rank_pairs(calibration.cases):
        weighed = sum(difference(c, pair) * w for c, w in zip(found.coordinates, weights, strict=True))
        assert weighed / sum(weights) >= found.ordering.margin


def test_labels_that_only_one_case_has_do_not_turn_the_order_in_a_corpus() -> None:
    """One class half lost is worse than one of three half lost; among three classes both lose the same."""
    half = Event(Fraction(0), 4 * STEP, "a")
    others = tuple(Event(Fraction(0), 4 * STEP, label) for label in ("b", "c"))
    kept = replace(half, offset=2 * STEP)
    one = CalibrationCase("one", "", Fraction(2), "one", "", 8 * STEP, (half,), (kept,))
    three = CalibrationCase("three", "", Fraction(1), "three", "", 8 * STEP, (half, *others), (kept, *others))
    found = select_contract(calibration_of([one, three]), requirements=(SelectionRequirement.ORDER,))
    assert found.ordering is not None
    assert [conflict.pairs for conflict in found.ordering.conflicts] == [(Pair(0, 1),)]
    assert found.ordering.differences.pairs == ()


# How the clauses are written


def test_a_tolerance_is_put_amid_the_range_that_decides_the_same() -> None:
    """By hand: 60 to 100 ms allow the onset that is 60 ms late and not the one that is 120 ms late; 80 is amid them."""
    text = """step = "20ms"
cases = [
  {name = "late", rank = 1, edit = "late_onset", by = "60ms"},
  {name = "later", rank = 2, edit = "late_onset", by = "120ms"},
]
[reference.r]
duration = "2s"
events = [["200ms", "800ms"]]
[family]
atoms = ["pred_onset"]
obligations = ["ref_onset"]
operators = ["F"]
shapes = ["near"]
tolerances = ["60ms"]
from_depth = 1
each = []
"""
    (clause,) = select_contract(
        read_calibration(Source("t.calibration", text)), requirements=(SelectionRequirement.ORDER,)
    ).clauses
    assert clause.text == "on ref_onset : ref_onset -> N[80ms] pred_onset"
    assert [(one.value, one.least, one.most) for one in clause.ranges] == [("80ms", "60ms", "100ms")]


@settings(max_examples=scaled(6), deadline=None)
@given(calibrations(most=3))
def test_the_numbers_of_a_range_decide_the_same_and_its_neighbours_do_not(calibration: Calibration) -> None:
    """Scored anew, each clause alone on each case, with the number replaced."""
    found = select_contract(calibration)
    for clause, coordinate in zip(found.clauses, found.coordinates, strict=True):
        assert scored(calibration, clause.text, found.matcher) == list(coordinate.values)
        if len(clause.ranges) != 1 or not clause.ranges[0].value.endswith("ms"):
            continue
        (one,) = clause.ranges
        low, high = (int(number.removesuffix("ms")) if number else 1200 for number in (one.least, one.most))
        assert low <= int(one.value.removesuffix("ms")) <= high
        for number in range(20, 200, 20):
            text = clause.text.replace(one.value, f"{number}ms")
            same = scored(calibration, text, found.matcher) == list(coordinate.values)
            if low <= number <= high:
                assert same
            if number in (low - 20, high + 20) and not any(coordinate.vacuous) and not any(coordinate.counter):
                assert not same


@settings(max_examples=scaled(80), deadline=None)
@given(weighings())
def test_a_guess_by_floats_changes_no_answer(
    problem: tuple[list[CalibrationCase], list[Coordinate], list[int]],
) -> None:
    """Whether some weights order the pairs is the same with a guess and without, and what is given for it holds."""
    cases, coordinates, _ = problem
    pairs = rank_pairs(cases)
    if not pairs:
        return
    game = Order(differences_of(coordinates, pairs))
    exact = game.all_clauses(enough=Fraction(0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weights, "_LARGE", 0)
        guess = game.all_clauses(enough=Fraction(0))
    assert (guess.margin > 0) == (exact.margin > 0)
    if guess.margin > 0:
        table = game.differences.of(slice(None))
        assert min(sum(int(d) * w for d, w in zip(row, guess.weights, strict=True)) for row in table) == guess.margin
    else:
        assert max(game.lower(guess.blend)) <= 0, "no clause is lower on the blend that shows it"
