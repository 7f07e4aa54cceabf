"""Soft values: the fast engine is the definition, the sign is the verdict, and no value moves more than the scores."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import ATOMS, formulas, sized

from tracepact.data.events import levels_of_texts
from tracepact.evaluate.masks import evaluate_masks
from tracepact.evaluate.reference import (
    BOTTOM,
    TOP,
    Margin,
    margin_of,
    mask_margin,
    soft_offsets,
    soft_onsets,
    soft_others,
    soft_truth,
    truth,
)
from tracepact.evaluate.soft_family import Levels, Margins, SoftAtoms, SoftFamily, SoftMask
from tracepact.language.formula import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Iff,
    Not,
    Or,
    Since,
    Until,
    reach,
)

pytestmark = pytest.mark.slow

SIZES = [Fraction(n, 20) for n in range(-10, 11)]
"""Differences of scores and a threshold of 1/2; 0 is a tie."""
margins = st.one_of(st.sampled_from(SIZES).map(margin_of), st.booleans().map(mask_margin))
numbers = st.sampled_from(SIZES)
Clip = dict[str, list[Margin]]


def clips(longest: int = 9) -> st.SearchStrategy[Clip]:
    return st.integers(1, longest).flatmap(
        lambda n: st.fixed_dictionaries({a: st.lists(margins, min_size=n, max_size=n) for a in ATOMS})
    )


def family_of(given: list[Clip], classes: int = 1) -> SoftFamily:
    """A family of clips; class k of clip c is the entry c · classes + k, all classes of a clip equally long."""
    count = len(given) // classes
    frames = tuple(len(given[c * classes]["p"]) for c in range(count))
    masks = {}
    for name in given[0]:
        values = tuple(dict.fromkeys(value for clip in given for value in clip[name]))
        place = {value: i for i, value in enumerate(values)}
        arrays = [
            np.array([[place[v] for v in given[c * classes + k][name]] for k in range(classes)]).T for c in range(count)
        ]
        masks[name] = SoftMask(values, tuple(arrays))
    ignored = tuple(np.zeros((n, classes), dtype=np.bool_) for n in frames)
    names = tuple(f"clip{c}" for c in range(count)), tuple(f"class{k}" for k in range(classes))
    return SoftFamily(Fraction(1, 50), names[0], frames, names[1], masks, ignored)


def fast(formula: Formula, given: list[Clip], more_gap: int = 0) -> list[list[Margin]]:
    family = family_of(given)
    layout = family.layout(reach(formula) + more_gap)
    atoms = SoftAtoms(family, layout)
    (ranks,) = evaluate_masks([formula], atoms, atoms.algebra)
    outside = np.ones(len(ranks), dtype=np.bool_)
    for segment in range(len(given)):
        outside[layout.start[segment] : layout.start[segment] + layout.frames[segment]] = False
    assert (ranks[outside] == -atoms.levels.top).all()
    return [[atoms.levels.value(int(r)) for r in atoms.gather(ranks, segment)] for segment in range(len(given))]


@given(formulas(farthest=4), st.lists(clips(), min_size=1, max_size=4), st.integers(0, 3))
@settings(max_examples=sized(1000))
def test_the_fast_engine_is_the_definition_on_every_clip_of_a_family(
    formula: Formula, given: list[Clip], more_gap: int
) -> None:
    assert fast(formula, given, more_gap) == [soft_truth(formula, clip, len(clip["p"])) for clip in given]


@given(clips())
def test_windows_beyond_the_clip_stay_inside_it(clip: Clip) -> None:
    n = len(clip["p"])
    for lo, hi in ((-1000, 1000), (1000, 1000), (-1000, -1), (0, 1000)):
        for kind in (Eventually, Always):
            formula = kind(lo, hi, Atom("p"))
            assert fast(formula, [clip, clip]) == [soft_truth(formula, clip, n)] * 2
    for kind in (Until, Since):
        formula = kind(1000, Atom("p"), Atom("q"))
        assert fast(formula, [clip, clip]) == [soft_truth(formula, clip, n)] * 2


@given(formulas(), clips())
@settings(max_examples=sized(1000))
def test_a_soft_value_is_positive_exactly_where_the_verdict_holds(formula: Formula, clip: Clip) -> None:
    n = len(clip["p"])
    masks = {name: [value.positive for value in values] for name, values in clip.items()}
    assert [value.positive for value in soft_truth(formula, clip, n)] == truth(formula, masks, n)


def test_at_a_tie_the_frame_is_not_active_and_its_negation_holds() -> None:
    clip = {"p": [margin_of(Fraction(0))]}
    assert soft_truth(Atom("p"), clip, 1) == [Margin(Fraction(0), False)]
    assert soft_truth(Not(Atom("p")), clip, 1) == [Margin(Fraction(0), True)]
    assert soft_truth(And(Atom("p"), Not(Atom("p"))), clip, 1)[0].positive is False
    assert soft_truth(Or(Atom("p"), Not(Atom("p"))), clip, 1)[0].positive is True


@given(st.data(), formulas(), st.integers(1, 8))
@settings(max_examples=sized(500))
def test_no_soft_value_moves_more_than_the_scores(data: st.DataObject, formula: Formula, n: int) -> None:
    before, after, farthest = {}, {}, Fraction(0)
    for name in ATOMS:
        pairs = data.draw(st.lists(st.tuples(numbers, numbers) | st.booleans(), min_size=n, max_size=n))
        before[name] = [mask_margin(p) if isinstance(p, bool) else margin_of(p[0]) for p in pairs]
        after[name] = [mask_margin(p) if isinstance(p, bool) else margin_of(p[1]) for p in pairs]
        farthest = max([farthest, *(abs(p[0] - p[1]) for p in pairs if not isinstance(p, bool))])
    for a, b in zip(*(soft_truth(formula, clip, n) for clip in (before, after)), strict=True):
        if abs(a.size) == inf:
            assert a == b
        else:
            assert abs(a.size - b.size) <= farthest


@given(st.lists(numbers, min_size=1, max_size=9))
def test_edges_have_the_sign_of_the_edges_of_the_mask_and_at_most_half_the_rise(sizes: list[Fraction]) -> None:
    field = [margin_of(size) for size in sizes]
    active = [value.positive for value in field]
    onsets, offsets = soft_onsets(field), soft_offsets(field)
    for i in range(len(field)):
        before = active[i - 1] if i else False
        assert onsets[i].positive == (active[i] and not before)
        assert offsets[i].positive == (before and not active[i])
        assert onsets[i] <= -offsets[i]
        if i:
            assert onsets[i].size <= (sizes[i] - sizes[i - 1]) / 2
            assert offsets[i].size <= (sizes[i - 1] - sizes[i]) / 2
    assert (onsets[0], offsets[0]) == (field[0], BOTTOM)


@given(st.integers(1, 4), st.data())
def test_the_edges_and_other_classes_of_the_fast_engine_are_the_definitions(classes: int, data: st.DataObject) -> None:
    lengths = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    given = [{"p": data.draw(st.lists(margins, min_size=n, max_size=n))} for n in lengths for _ in range(classes)]
    family = family_of(given, classes)
    family = SoftFamily(
        family.step, family.clips, family.frames, family.classes, {"pred_active": family.masks["p"]}, family.ignored
    )
    atoms = SoftAtoms(family, family.layout(1))
    for c in range(len(lengths)):
        fields = [given[c * classes + k]["p"] for k in range(classes)]
        for k in range(classes):
            expected = {
                "pred_onset": soft_onsets(fields[k]),
                "pred_offset": soft_offsets(fields[k]),
                "other_pred_active": soft_others(fields, k),
            }
            for name, values in expected.items():
                ranks = atoms.gather(atoms[name], k * len(lengths) + c)
                assert [atoms.levels.value(int(r)) for r in ranks] == values


@given(st.lists(margins, min_size=1, max_size=20))
def test_ranks_keep_the_order_and_change_sign_with_their_value(values: list[Margin]) -> None:
    every = [*values, *(-v for v in values), TOP, BOTTOM]
    levels = Levels([values, every])
    ranks = dict(zip(every, levels.ranks(every).tolist(), strict=True))
    assert [ranks[value] for value in values] == levels.ranks(values).tolist()
    assert sorted(ranks, key=ranks.__getitem__) == sorted(ranks)
    assert all(ranks[-value] == -rank and levels.value(rank) == value for value, rank in ranks.items())


NEAR = [Fraction(text) for text in ("0.3", "0.30000000000000001", "0.7", "0.70000000000000001", "0.69999999999999999")]


@given(st.lists(st.sampled_from(NEAR) | st.fractions(0, 1, max_denominator=20), min_size=1, max_size=3))
def test_margins_that_floats_cannot_tell_apart_are_in_order(thresholds: list[Fraction]) -> None:
    texts = ["0.1", "0.3", "0.300000000000000001", "0.69999999999999999999", "0.7", "0.5", "1e-400", "0"]
    fields = [Margins(levels_of_texts(texts)[0], threshold) for threshold in thresholds]
    levels = Levels(fields)
    scores = sorted(map(Fraction, texts))
    for field, threshold in zip(fields, thresholds, strict=True):
        assert list(field) == [*(margin_of(score - threshold) for score in scores), BOTTOM]
    places = {value: rank for field in fields for value, rank in zip(field, levels.ranks(field).tolist(), strict=True)}
    assert sorted(places, key=places.__getitem__) == sorted(places)
    assert all((places[-value] == -rank) for value, rank in places.items() if -value in places)


@given(margins, margins)
def test_iff_is_as_far_from_its_opposite_as_the_nearer_side(a: Margin, b: Margin) -> None:
    (value,) = soft_truth(Iff(Atom("p"), Atom("q")), {"p": [a], "q": [b]}, 1)
    assert abs(value.size) == min(abs(a.size), abs(b.size))
    assert value.positive == (a.positive == b.positive)


def test_windows_over_no_frame_are_unbounded() -> None:
    clip = {"p": [margin_of(Fraction(1, 4))]}
    assert soft_truth(Eventually(1, 2, Atom("p")), clip, 1) == [BOTTOM]
    assert soft_truth(Always(1, 2, Atom("p")), clip, 1) == [TOP]
    assert soft_truth(Constant(True), {}, 2) == [TOP, TOP]
