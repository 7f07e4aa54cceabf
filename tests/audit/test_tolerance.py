"""Tolerance curves: equal to scoring again, everywhere in the range; integrals and spans by hand."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import sized

import tracepact
from tracepact.diagnostics.collection import InvalidInput
from tracepact.evaluate.curves import CountedPiece, StepFunction, mean_of, step_function
from tracepact.evaluate.scorecard import score_family
from tracepact.evaluate.tolerance import curves, default_range, parameter_value
from tracepact.language.compilation import override, parse_contract
from tracepact.language.contract import Aggregation
from tracepact.runs.run import Run
from tracepact.wording import print_number

FEWER = settings(max_examples=max(sized(20), settings().max_examples // 5))
STEP = Fraction(1, 50)
TIME_CLAUSES = {
    "near": ("on ref_onset : ref_onset -> N[p] pred_onset", "distances"),
    "ahead": ("on ref_active : ref_active -> F[p] pred_active", "distances"),
    "back": ("on ref_active : pred_onset -> F[-p,1f] ref_onset", "distances"),
    "wide": ("on pred_active : true -> F[-2f,p] ref_active", "distances"),
    "later": ("on ref_active : ref_active -> F[3f,p] pred_active", "distances"),
    "shrinking": ("on ref_active : ref_active -> F[p,10f] pred_active", "re-evaluation"),
    "behind": ("on ref_active : F[-10f,-p] pred_active", "re-evaluation"),
    "where": ("on N[p] ref_onset : pred_active", "re-evaluation"),
    "premise": ("on ref_active : N[p] pred_onset -> N[p] ref_onset", "re-evaluation"),
    "always": ("on ref_active : G[-p,p] pred_active", "re-evaluation"),
    "until": ("on ref_active : ref_active U[p] pred_active", "re-evaluation"),
    "fixed": ("on ref_active : N[1f] pred_active", "constant"),
    "onset": ("on each matched : abs(pred.onset - ref.onset) <= p", "obligations"),
    "overlap": ("on each ref : matched and overlap >= p", "obligations"),
    "scaled": ("on each pred : not (pred.duration - 0.3 * p > 30ms)", "obligations"),
    "gap": ("on each ref : shortest_gap > p", "obligations"),
    "bent": ("on each matched : max(pred.duration, 2 * p) <= min(ref.duration, 90ms) + abs(p - 50ms)", "obligations"),
    "equal": ("on each matched : ref.duration == pred.duration + p - 40ms", "obligations"),
    "whole": ("on each ref : matched and covering <= 1", "constant"),
}
RATIO_CLAUSES = {
    "share": "on each ref : coverage >= p",
    "length": "on each matched : abs(pred.duration - ref.duration) <= p * ref.duration",
    "iou": "on each matched : iou > 1 - p",
    "rest": "on each ref : (1 - 2 * p) * ref.duration <= overlap",
    "pure": "on each pred : purity != p and not dominant",
}
Sides = dict[str, list[tuple[Fraction, Fraction, str]]]


def contract(clauses: dict[str, str], value: str, aggregation: str, more: str = "") -> str:
    lines = [f"clause {name} {text}" for name, text in clauses.items()]
    return "\n".join(["contract c", "step 20ms", f"param p = {value}", f"aggregate {aggregation}", more, *lines])


@st.composite
def sides(draw: st.DrawFn) -> tuple[Sides, Sides]:
    """Events of two labels on two clips of 63 frames, ends on the grid and near both ends of the clips.

    A clip takes a whole word but for one bit, so that a window which is too long for the gap would see the next clip.
    """
    edge = st.integers(0, 12) | st.integers(51, 63)

    def side() -> Sides:
        found: Sides = {"a": [], "b": []}
        for clip in found:
            for label in ("x", "y"):
                ends = draw(st.lists(edge, max_size=6, unique=True).map(sorted))
                found[clip] += [(s * STEP, e * STEP, label) for s, e in zip(ends[::2], ends[1::2], strict=False)]
        return found

    return side(), side()


def scored(text: str, pair: tuple[Sides, Sides]) -> Run:
    return tracepact.score(text, *pair, durations=63 * STEP)


def again(run: Run, value: Fraction, unit: str) -> dict[str, Fraction]:
    """The vector with the value written into the contract, scored anew."""
    sign = "-" if value < 0 else ""
    changed = override(run.card.contract, {"p": sign + print_number(abs(value)) + unit})
    return {name: score.value for name, score in score_family(changed, run.card.family).vector().items()}


aggregations = st.sampled_from([a.value for a in Aggregation])


@FEWER
@given(sides(), aggregations, st.data())
def test_a_curve_over_a_time_is_the_score_at_every_value(
    pair: tuple[Sides, Sides], aggregation: str, data: st.DataObject
) -> None:
    settings_text = data.draw(st.sampled_from(["", "merge_gap p", "matcher optimal(search = p)"]))
    some = data.draw(st.sets(st.sampled_from(sorted(TIME_CLAUSES)), min_size=1, max_size=4))
    clauses = {name: TIME_CLAUSES[name][0] for name in sorted(some)}
    low, high = data.draw(st.sampled_from([0, 3, Fraction(7, 2)])) * STEP, 8 * STEP
    low = max(low, 3 * STEP) if "later" in some else low
    run = scored(contract(clauses, "70ms", aggregation, settings_text), pair)
    audit = curves(run.card, "p", low, high)
    turning = data.draw(st.sampled_from([start for curve in audit.clauses.values() for start, _ in curve.starts]))
    cell = data.draw(st.integers(0, 8)) * STEP
    for value in (
        data.draw(st.fractions(low, high, max_denominator=10**6)),
        cell,
        turning,
        turning + Fraction(1, 10**6),
        high,
    ):
        if low <= value <= high:
            fresh = again(run, value, "s")
            assert {name: curve.at(value) for name, curve in audit.clauses.items()} == fresh
            assert audit.logic.at(value) == sum(fresh.values()) / len(fresh)


@FEWER
@given(sides(), aggregations, st.lists(st.fractions(0, 1, max_denominator=10**6), min_size=3, max_size=3), st.data())
def test_a_curve_over_a_number_is_the_score_at_every_value(
    pair: tuple[Sides, Sides], aggregation: str, inside: list[Fraction], data: st.DataObject
) -> None:
    run = scored(contract(RATIO_CLAUSES, "0.5", aggregation), pair)
    audit = curves(run.card, "p", Fraction(0), Fraction(1))
    assert set(audit.methods.values()) == {"obligations"}
    turning = data.draw(st.sampled_from([start for curve in audit.clauses.values() for start, _ in curve.starts]))
    for value in (*inside, turning, turning + Fraction(1, 10**6), turning - Fraction(1, 10**6), Fraction(1)):
        if 0 <= value <= 1:
            assert {name: curve.at(value) for name, curve in audit.clauses.items()} == again(run, value, "")


@given(sides())
@FEWER
def test_a_near_curve_is_constant_on_cells_open_on_the_left(pair: tuple[Sides, Sides]) -> None:
    run = scored(contract({"near": TIME_CLAUSES["near"][0]}, "40ms", "pooled"), pair)
    curve = curves(run.card, "p", Fraction(0), Fraction(1, 5)).clauses["near"]
    for place, after in curve.starts[1:]:
        assert after == 1, "the value holds from just after a multiple of the step"
        assert (place / STEP).denominator == 1
    assert list(curve.values) == sorted(curve.values)


def test_each_clause_is_found_by_the_way_it_allows() -> None:
    clauses = {name: text for name, (text, _) in TIME_CLAUSES.items()}
    pair: tuple[Sides, Sides] = ({"a": [(STEP, 5 * STEP, "x")]}, {"a": [(2 * STEP, 6 * STEP, "x")]})
    audit = curves(scored(contract(clauses, "70ms", "pooled"), pair).card, "p", Fraction(3, 50), Fraction(1, 5))
    assert audit.methods == {name: method for name, (_, method) in TIME_CLAUSES.items()}


@pytest.mark.parametrize(
    "clause", ["on ref_active : F[p,1000f] pred_active", "on ref_active : G[-1000f,-p] !pred_active"]
)
def test_a_range_far_beyond_the_clips_is_exact(clause: str) -> None:
    """A bound of either sign, up to a thousand frames where the clip has nine."""
    pair: tuple[Sides, Sides] = ({"a": [(STEP, 9 * STEP, "x")]}, {"a": [(0 * STEP, 1 * STEP, "x")]})
    run = tracepact.score(contract({"moved": clause}, "0s", "pooled"), *pair, durations=9 * STEP)
    curve = curves(run.card, "p", -1000 * STEP, 1000 * STEP).clauses["moved"]
    assert curve.span > 0
    for frames in (-999, -12, -10, -9, -8, -1, 0, 1, 7, 8, 9, 11, 999):
        for value in (frames * STEP, frames * STEP + Fraction(1, 300)):
            assert curve.at(value) == again(run, value, "s")["moved"]


# By hand: onsets at 0.2 s, 1 s and 2 s are predicted 1 frame late, 3 frames early and never within a second.

BY_HAND = """contract hand
step 20ms
param tol = 40ms
sweep tol = 20ms 60ms 1s
clause onset on ref_onset : ref_onset -> N[tol] pred_onset
clause close on each matched : abs(pred.onset - ref.onset) <= tol
"""


NUMBER = BY_HAND.replace("= 40ms", "= 0.5").replace("sweep tol = 20ms 60ms 1s\n", "")


def by_hand() -> Run:
    ref = [(0.2, 0.5), (1, 1.5), (2, 2.5)]
    return tracepact.score(BY_HAND, ref, [(0.22, 0.5), (0.94, 1.5)], durations=3)


def test_pieces_integral_mean_and_span_by_hand() -> None:
    audit = curves(by_hand().card, "tol", Fraction(0), Fraction(1, 10))
    onset, close = audit.clauses["onset"], audit.clauses["close"]
    cell = Fraction(1, 50)
    third = Fraction(1, 3)
    assert onset.pieces() == [
        CountedPiece(Fraction(0), True, Fraction(0), True, Fraction(0), (0, 3)),
        CountedPiece(Fraction(0), False, 2 * cell, True, third, (1, 3)),
        CountedPiece(2 * cell, False, Fraction(1, 10), True, 2 * third, (2, 3)),
    ]
    assert close.pieces() == [
        CountedPiece(Fraction(0), True, cell, False, Fraction(0), (0, 2)),
        CountedPiece(cell, True, 3 * cell, False, Fraction(1, 2), (1, 2)),
        CountedPiece(3 * cell, True, Fraction(1, 10), True, Fraction(1), (2, 2)),
    ]
    assert onset.integral == 2 * cell * third + 3 * cell * 2 * third
    assert close.integral == 2 * cell / 2 + 2 * cell
    assert onset.mean == onset.integral * 10
    assert (onset.span, close.span) == (2 * third, 1)
    assert audit.logic.integral == (onset.integral + close.integral) / 2
    assert audit.logic.at(cell) == (third + Fraction(1, 2)) / 2


def test_the_values_a_contract_names_are_marked_and_give_the_range() -> None:
    run = by_hand()
    assert default_range(run.card.contract, "tol") == (0, 1)
    audit = curves(run.card, "tol", high=Fraction(1, 10))
    assert [(mark.text, mark.value, mark.own) for mark in audit.marks] == [
        ("20ms", Fraction(1, 50), False),
        ("40ms", Fraction(1, 25), True),
        ("60ms", Fraction(3, 50), False),
    ]


@pytest.mark.parametrize(
    ("text", "low", "high", "code"),
    [
        (BY_HAND, Fraction(1, 10), Fraction(1, 10), "out-of-range"),
        (BY_HAND, Fraction(-1), Fraction(1), "negative-radius"),
        (BY_HAND.replace("tol", "other"), Fraction(0), Fraction(1), "unknown-parameter"),
        (BY_HAND.replace("step 20ms", "step tol"), Fraction(1, 50), Fraction(1), "no-exact-curve"),
        (
            NUMBER.replace("<= tol", "<= tol * (tol * ref.duration)"),
            Fraction(0),
            Fraction(1),
            "no-exact-curve",
        ),
        (
            NUMBER.replace("<= tol", "<= max(tol, 0.3) * ref.duration"),
            Fraction(0),
            Fraction(1),
            "no-exact-curve",
        ),
        (
            NUMBER.replace("<= tol", "<= 1s") + "matcher greedy(overlap_reward = tol)",
            Fraction(0),
            Fraction(1),
            "no-exact-curve",
        ),
    ],
)
def test_what_has_no_exact_curve_is_refused(text: str, low: Fraction, high: Fraction, code: str) -> None:
    run = tracepact.score(text, [(0.2, 0.5)], [(0.2, 0.5)], durations=3)
    with pytest.raises(InvalidInput) as refused:
        curves(run.card, "tol", low, high)
    assert code in [d.code for d in refused.value.diagnostics]


def test_the_ends_of_a_range_are_read_as_the_parameter_would_be() -> None:
    read = parse_contract(BY_HAND)
    assert parameter_value(read, "tol", "3f") == parameter_value(read, "tol", "60ms") == Fraction(3, 50)


# Step functions by themselves


def test_a_step_function_knows_its_ends() -> None:
    function = StepFunction(Fraction(2), ((Fraction(0), 0), (Fraction(1), 1)), (Fraction(1), Fraction(3)))
    assert [function.at(Fraction(n, 2)) for n in range(5)] == [1, 1, 1, 3, 3]
    for outside in (Fraction(-1), Fraction(5, 2)):
        with pytest.raises(ValueError, match="between"):
            function.at(outside)


def test_alike_neighbours_become_one_piece_and_what_lies_beyond_the_range_is_left_out() -> None:
    found = [((Fraction(k), 1), Fraction(k // 2), (0, 0)) for k in range(5)]
    function = step_function(Fraction(3), [((Fraction(0), 0), Fraction(0), (0, 0)), *found])
    assert function.starts == ((Fraction(0), 0), (Fraction(2), 1))


@FEWER
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 9), st.integers(0, 1), st.integers(0, 5)), max_size=6), min_size=1, max_size=3
    )
)
def test_the_mean_of_step_functions_is_their_mean_everywhere(rows: list[list[tuple[int, int, int]]]) -> None:
    functions = []
    for row in rows:
        places = {(Fraction(0), 0): 0} | {(Fraction(at), after): value for at, after, value in row}
        found = [(place, Fraction(places[place]), (0, 0)) for place in sorted(places)]
        functions.append(step_function(Fraction(9), found))
    mean = mean_of(functions)
    for k in range(19):
        value = Fraction(k, 2)
        assert mean.at(value) == sum(f.at(value) for f in functions) / len(functions)
    assert mean.integral == sum(f.integral for f in functions) / len(functions)
