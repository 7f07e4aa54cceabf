"""The bootstrap against a naive loop with the same seed, exact signs, Holm's correction by hand, coverage."""

import os
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import sized

from tracepact.audits.audit_stability import uncertainty_of, uncertainty_tables
from tracepact.evaluate import draws as bootstrap
from tracepact.evaluate.scorecard import ScoreRows
from tracepact.evaluate.scores import ClauseCounts, aggregate
from tracepact.evaluate.uncertainty import (
    Bootstrap,
    differences,
    exact_scores,
    holm,
    intervals,
    outside_mark,
    two_sided,
)
from tracepact.language.contract import Aggregation
from tracepact.wording import rounded

FEWER = settings(max_examples=max(sized(20), settings().max_examples // 5))
LEVEL = Fraction(9, 10)


@st.composite
def counts(draw: st.DrawFn, classes: int, clips: int) -> ClauseCounts:
    """Counts with vacuous entries and, where nothing is obliged, counter evidence."""
    cells = st.lists(st.integers(0, 6), min_size=classes * clips, max_size=classes * clips)
    obligated = np.array(draw(cells)).reshape(classes, clips)
    satisfied = np.minimum(np.array(draw(cells)).reshape(classes, clips), obligated)
    counter = (np.array(draw(cells)).reshape(classes, clips) > 4) & (obligated == 0)
    return ClauseCounts(satisfied, obligated, counter)


@st.composite
def systems(draw: st.DrawFn, number: int = 1) -> list[ScoreRows]:
    classes, clips = draw(st.integers(1, 3)), draw(st.integers(1, 6))
    names = tuple(f"clip{k}" for k in range(clips)), tuple(f"class{k}" for k in range(classes)), ("one", "two")
    return [ScoreRows(*names, {name: draw(counts(classes, clips)) for name in ("one", "two")}) for _ in range(number)]


def naive(rows: ScoreRows, aggregation: Aggregation, number: int, seed: int) -> dict[str, list[Fraction]]:
    """One draw after the other, each scored as a whole run is."""
    generator = np.random.default_rng(seed)
    found: dict[str, list[Fraction]] = {"one": [], "two": [], "logic": []}
    for _ in range(number):
        chosen = generator.integers(0, len(rows.clips), size=len(rows.clips))
        values = {name: aggregate(some.select(clips=chosen), aggregation).value for name, some in rows.counts.items()}
        for name, value in {**values, "logic": (values["one"] + values["two"]) / 2}.items():
            found[name].append(value)
    return found


@FEWER
@given(systems(), st.sampled_from(Aggregation), st.integers(0, 99))
def test_intervals_are_those_of_a_naive_loop(found: list[ScoreRows], aggregation: Aggregation, seed: int) -> None:
    (rows,) = found
    drawn = naive(rows, aggregation, 41, seed)
    for name, got in intervals(rows, aggregation, Bootstrap(41, seed, LEVEL)).items():
        ordered = sorted(drawn[name])
        assert got.value == exact_scores(rows.counts, aggregation)[name]
        # 41 draws, a tenth outside: 2 draws below the lower end and 2 above the upper one
        assert (got.low, got.high) == pytest.approx((float(ordered[2]), float(ordered[38])), abs=1e-12)


@FEWER
@given(systems(2), st.sampled_from(Aggregation), st.integers(0, 99))
def test_differences_are_paired_and_their_signs_exact(
    found: list[ScoreRows], aggregation: Aggregation, seed: int
) -> None:
    base, other = found
    before, after = (naive(rows, aggregation, 41, seed) for rows in found)
    for name, got in differences(base, other, aggregation, Bootstrap(41, seed, LEVEL)).items():
        drawn = [b - a for a, b in zip(before[name], after[name], strict=True)]
        ordered = sorted(drawn)
        assert (got.low, got.high) == pytest.approx((float(ordered[2]), float(ordered[38])), abs=1e-12)
        fewer = min(sum(d <= 0 for d in drawn), sum(d >= 0 for d in drawn))
        assert got.p == min(1, Fraction(2 * (1 + fewer), 42))


@pytest.mark.parametrize(
    ("draws", "level", "ends"),
    [(100, "1", (0, 99)), (100, "0.95", (2, 97)), (101, "0.9", (5, 95)), (100, "0", (49, 50)), (1, "0.5", (0, 0))],
)
def test_the_ends_of_an_interval_are_drawn_values(draws: int, level: str, ends: tuple[int, int]) -> None:
    """A hundred draws at 0.95 leave 2.5 outside on either side: two whole ones."""
    values = np.arange(draws, dtype=np.float64)[::-1]
    assert bootstrap.interval(values, Fraction(level)) == ends


def test_portions_of_draws_are_the_draws_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.concatenate(list(bootstrap.draws(7, 50, 3)))
    monkeypatch.setattr(bootstrap, "_CELLS", 21)
    portions = list(bootstrap.draws(7, 50, 3))
    assert len(portions) == 17
    assert (np.concatenate(portions) == whole).all()
    assert (whole.sum(axis=1) == 7).all()


def test_a_very_small_difference_has_a_sign() -> None:
    """One obligation of 6·10¹² more."""
    huge = 10**12
    base, other = (
        ScoreRows(("a", "b"), ("x",), ("one",), {"one": ClauseCounts(np.array(s), np.array(o), np.zeros((1, 2), bool))})
        for s, o in (([[huge, huge]], [[3 * huge, 3 * huge]]), ([[huge + 1, huge]], [[3 * huge, 3 * huge]]))
    )
    got = differences(base, other, Aggregation.POOLED, Bootstrap(99, 0))["one"]
    assert got.value == Fraction(1, 6 * huge)
    never = sum(1 for draw in np.concatenate(list(bootstrap.draws(2, 99, 0))) if draw[0] == 0)
    assert 0 < never < 99
    assert got.p == min(1, Fraction(2 * (1 + never), 100)), "only draws without clip a show no difference"


def test_draws_that_tie_are_ties_though_floats_differ() -> None:
    """Tenths change places, and two clips are better: in some draws the sums tie, but not those of their floats."""
    values = [[8, 6, 5, 2, 3, 0, 0, 0]]
    exchanged = [[6, 5, 8, 4, 5, 0, 0, 0]]
    base, other = (
        ScoreRows(
            tuple("abcdefgh"),
            ("x",),
            ("one",),
            {"one": ClauseCounts(np.array(v), np.full((1, 8), 10), np.zeros((1, 8), bool))},
        )
        for v in (values, exchanged)
    )
    got = differences(base, other, Aggregation.MACRO_CLIPS, Bootstrap(2000, 1))["one"]
    weights = np.concatenate(list(bootstrap.draws(8, 2000, 1))).astype(np.int64)
    totals = weights @ (np.array(exchanged) - np.array(values))[0]
    assert (totals == 0).any()
    assert got.p == Fraction(2 * (1 + int((totals <= 0).sum())), 2001)


def test_holm_by_hand() -> None:
    values = [Fraction(1, 100), Fraction(4, 100), Fraction(3, 100), Fraction(5, 1000)]
    # sorted .005 .01 .03 .04, times 4 3 2 1: .02 .03 .06 .04, never falling: .02 .03 .06 .06
    assert holm(values) == [Fraction(3, 100), Fraction(6, 100), Fraction(6, 100), Fraction(2, 100)]
    assert holm([Fraction(1, 2), Fraction(3, 4)]) == [1, 1]
    assert holm([Fraction(1, 20)]) == [Fraction(1, 20)]
    assert holm([]) == []


@given(st.lists(st.fractions(0, 1), max_size=8))
def test_holm_is_the_definition(values: list[Fraction]) -> None:
    """The corrected value is the least level at which the step-down procedure rejects."""
    corrected = holm(values)
    ordered = sorted(values)
    for value, got in zip(values, corrected, strict=True):
        assert value <= got <= 1
        for level in (got, got - Fraction(1, 10**9)):
            rejected = 0
            while rejected < len(ordered) and ordered[rejected] * (len(ordered) - rejected) <= level:
                rejected += 1
            is_rejected = any(value == some for some in ordered[:rejected])
            assert is_rejected == (level == got) or (got == 1 and not is_rejected)


def test_two_sided_p_by_hand() -> None:
    signs = np.array([1] * 95 + [0] * 1 + [-1] * 3, dtype=np.int8)
    assert two_sided(signs) == Fraction(2 * (1 + 4), 100)
    assert two_sided(np.zeros(9, dtype=np.int8)) == 1


@pytest.mark.slow
def test_the_interval_of_a_mean_covers_it_about_as_often_as_it_says() -> None:
    """Clips of a known population: the nine-tenths interval of the pooled score holds its true value near that often.

    The bounds are four standard deviations of a binomial around 0.9, widened by 0.03 for the bootstrap's own bias.
    """
    trials = max(100, int(os.environ["TRACEPACT_EXAMPLES"]))
    generator = np.random.default_rng(20)
    covered = 0
    for trial in range(trials):
        obligated = generator.integers(5, 15, size=(1, 80))
        satisfied = generator.binomial(obligated, 0.7)
        clips = tuple(map(str, range(80)))
        none = np.zeros_like(obligated, dtype=np.bool_)
        rows = ScoreRows(clips, ("x",), ("one",), {"one": ClauseCounts(satisfied, obligated, none)})
        got = intervals(rows, Aggregation.POOLED, Bootstrap(400, trial, LEVEL))["one"]
        covered += got.low <= 0.7 <= got.high
    spread = 4 * (0.9 * 0.1 / trials) ** 0.5 + 0.03
    assert abs(covered / trials - 0.9) < spread


# Values outside their intervals


def rare_classes(number: int) -> ScoreRows:
    """One class in 20 clips that fails throughout, and some that hold, each in one clip of its own."""
    obligated = np.zeros((number + 1, 20), dtype=np.int64)
    obligated[0] = 1
    obligated[np.arange(1, number + 1), np.arange(number)] = 1
    satisfied = obligated.copy()
    satisfied[0] = 0
    counts = ClauseCounts(satisfied, obligated, np.zeros_like(obligated, dtype=np.bool_))
    clips, classes = (tuple(f"{what}{k}" for k in range(n)) for what, n in (("clip", 20), ("class", number + 1)))
    return ScoreRows(clips, classes, ("one",), {"one": counts})


@pytest.mark.parametrize("number", [0, 15])
def test_an_interval_that_leaves_out_its_value_is_marked_and_explained(number: int) -> None:
    audit = uncertainty_of([("s", rare_classes(number))], Aggregation.MACRO_CLASSES_INFORMATIVE, Bootstrap(200))
    found = audit.systems[0].scores["one"]
    outside = not found.low <= found.value <= found.high
    assert outside == (number > 0)
    (table,) = uncertainty_tables(audit)
    assert {text.endswith("†") for row in table.texts() for text in row[1:]} == {outside}
    assert [note.startswith("†: the interval leaves out its own value") for note in table.notes] == [True] * outside


@given(st.fractions(0, 1), st.fractions(0, 1), st.fractions(0, 1))
def test_only_a_value_outside_has_the_mark(value: Fraction, one: Fraction, other: Fraction) -> None:
    low, high = sorted([rounded(one), rounded(other)])
    assert outside_mark(rounded(value), low, high) in ("", "†")
    if low <= value <= high:
        assert outside_mark(value, low, high) == outside_mark(rounded(value), low, high) == ""
    if not low - 1e-5 <= value <= high + 1e-5:
        assert outside_mark(value, low, high) == "†"
    assert outside_mark(None, low, high) == outside_mark(value, None, None) == ""
