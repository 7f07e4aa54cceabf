"""Scores of whole families against naive scoring of every clip and class with the reference semantics."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import exp
from unittest.mock import Mock, patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import family_of, sized

from tracepact.data import family
from tracepact.evaluate import scorecard
from tracepact.evaluate.curves import NO_WITNESS
from tracepact.evaluate.reference import truth
from tracepact.evaluate.scorecard import Scorecard, score_family, sweep
from tracepact.evaluate.scores import ClauseCounts, aggregate
from tracepact.language.compilation import override, parse_contract
from tracepact.language.contract import Aggregation, FrameClause, Located

CONTRACT = parse_contract(
    """
    contract guards
    step 20ms
    param tol = 40ms
    sweep tol = 0ms 20ms 100ms
    aggregate macro_clips
    clause onset    on ref_onset : ref_onset -> N[tol] pred_onset
    clause latency  on ref_onset : ref_onset -> F[-20ms,60ms] pred_onset
    clause missing  on ref_active : ref_active -> N[tol] pred_active
    clause both     on true : (ref_active -> N[tol] pred_active) & (pred_active -> N[tol] ref_active)
    clause held     on pred_offset : !pred_active S[60ms] ref_offset
    clause whole    on each ref : matched and covering <= 1
    profile edges over pooled : onset = 2, missing = 1
    """
)

Clip = tuple[list[bool], list[bool]]
clips = st.integers(1, 24).flatmap(
    lambda n: st.tuples(*(st.lists(st.booleans(), min_size=n, max_size=n) for _ in range(2)))
)


def environment(clip: Clip) -> dict[str, list[bool]]:
    """The built-in atoms of one clip, rule 5.6 written out."""
    atoms = {}
    for name, active in zip(("ref", "pred"), clip, strict=True):
        atoms[f"{name}_active"] = active
        atoms[f"{name}_onset"] = [a and (i == 0 or not active[i - 1]) for i, a in enumerate(active)]
        atoms[f"{name}_offset"] = [not a and i > 0 and active[i - 1] for i, a in enumerate(active)]
    return atoms


def naive_counts(clause: FrameClause, clip: Clip) -> tuple[int, int]:
    frames = len(clip[0])
    obligation = truth(clause.obligation, environment(clip), frames)
    formula = truth(clause.formula, environment(clip), frames)
    obligated = [i for i in range(frames) if obligation[i]]
    return sum(formula[i] for i in obligated), len(obligated)


blocks = st.sampled_from([1, 2, family.BLOCK_WORDS])
"""How many words of a mask are worked on at a time: every clip by itself, some together, all of them."""


def scored(some: list[Clip], words: int) -> Scorecard:
    with patch.object(family, "BLOCK_WORDS", words):
        return score_family(CONTRACT, family_of(some))


@given(st.lists(clips, min_size=1, max_size=5), blocks)
@settings(max_examples=sized(300))
def test_counts_are_those_of_the_definitions(some: list[Clip], words: int) -> None:
    card = scored(some, words)
    for clause in CONTRACT.frame_clauses:
        counts = card.counts[clause.name]
        expected = [naive_counts(clause, clip) for clip in some]
        assert list(zip(counts.satisfied[0].tolist(), counts.obligated[0].tolist(), strict=True)) == expected


def test_the_violations_of_a_clause_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    finding = Mock(wraps=scorecard.find_violations)
    monkeypatch.setattr(scorecard, "find_violations", finding)
    card = score_family(CONTRACT, family_of([([False, True, True, False], [True, False, False, True])]))
    assert not finding.called, "nobody has asked"
    assert card.frame_violations("onset") is card.frame_violations("onset")
    assert finding.call_count == 1


@given(st.lists(clips, min_size=1, max_size=5), blocks)
def test_satisfied_and_violated_part_the_obligations(some: list[Clip], words: int) -> None:
    card = scored(some, words)
    assert card.violated == score_family(CONTRACT, family_of(some)).violated
    for clause in CONTRACT.frame_clauses:
        counts = card.counts[clause.name]
        violations = card.frame_violations(clause.name)
        assert int(counts.obligated.sum()) == int(counts.satisfied.sum()) + len(violations)
    for evaluated in card.events.clauses:
        counts = card.counts[evaluated.clause.name]
        assert int(counts.obligated.sum()) == int(counts.satisfied.sum()) + len(evaluated.violated)


@given(st.lists(clips, min_size=1, max_size=4), st.integers(0, 6), st.integers(0, 6))
def test_a_guard_never_loses_when_its_radius_grows(some: list[Clip], small: int, more: int) -> None:
    family = family_of(some)
    before = score_family(override(CONTRACT, {"tol": f"{small}f"}), family)
    after = score_family(override(CONTRACT, {"tol": f"{small + more}f"}), family)
    for name in ("onset", "missing"):
        assert (before.counts[name].satisfied <= after.counts[name].satisfied).all()
        assert (before.counts[name].obligated == after.counts[name].obligated).all()


# Witnesses and distances


def nearest(frames: Iterable[int], i: int, lo: int, hi: int) -> int | None:
    """Rule 10.2 written out."""
    offsets = [j - i for j in frames]
    return min(offsets, key=lambda o: (max(lo - o, o - hi, 0), abs(o), o)) if offsets else None


@given(st.lists(clips, min_size=1, max_size=4))
@settings(max_examples=sized(300))
def test_offsets_are_those_of_the_nearest_witness(some: list[Clip]) -> None:
    card = score_family(CONTRACT, family_of(some))
    for name, lo, hi in (("onset", -2, 2), ("latency", -1, 3)):
        found = card.frame_violations(name)
        assert found.offset is not None
        for index in range(len(found)):
            clip = environment(some[int(found.segment[index])])
            targets = [j for j, at in enumerate(clip["pred_onset"]) if at]
            expected = nearest(targets, int(found.frame[index]), lo, hi)
            assert int(found.offset[index]) == (NO_WITNESS if expected is None else expected)
            assert found.distance(index) == (None if expected is None else abs(expected))


@given(st.lists(clips, min_size=1, max_size=3), st.integers(0, 8))
def test_thresholding_the_edge_distance_gives_back_the_verdict(some: list[Clip], radius: int) -> None:
    """At radius 0 every obligation whose edge is not at its own frame fails, and its distance is known."""
    family = family_of(some)
    distances = score_family(override(CONTRACT, {"tol": "0f"}), family).frame_violations("onset").distances
    at_zero = score_family(override(CONTRACT, {"tol": "0f"}), family).counts["onset"]
    recovered = int(at_zero.satisfied.sum()) + int((distances <= radius).sum())
    assert recovered == int(
        score_family(override(CONTRACT, {"tol": f"{radius}f"}), family).counts["onset"].satisfied.sum()
    )


def test_thirty_milliseconds_on_a_twenty_millisecond_grid_accept_forty() -> None:
    """So the distance must be thresholded in frames, not in seconds."""
    ref = [i == 5 for i in range(12)]
    pred = [i == 7 for i in range(12)]
    card = score_family(override(CONTRACT, {"tol": "30ms"}), family_of([(ref, pred)]))
    assert card.score("onset", Aggregation.POOLED).value == 1


def test_the_failing_part_is_the_first_false_conjunct() -> None:
    ref = [1 <= i < 3 for i in range(20)]
    pred = [12 <= i < 14 for i in range(20)]
    card = score_family(CONTRACT, family_of([(ref, pred)]))
    found = card.frame_violations("both")
    parts = [CONTRACT.source.text[found.spans[k].start : found.spans[k].end] for k in found.span.tolist()]
    assert dict(zip(found.frame.tolist(), parts, strict=True)) == {
        1: "N[tol] pred_active",
        2: "N[tol] pred_active",
        12: "N[tol] ref_active",
        13: "N[tol] ref_active",
    }
    assert found.offset is None


def parts_of(body: Located) -> Iterator[Located]:
    yield body
    for part in body.parts:
        yield from parts_of(part)


@given(st.lists(clips, min_size=1, max_size=3))
def test_a_failing_part_is_false_where_it_is_blamed(some: list[Clip]) -> None:
    card = score_family(CONTRACT, family_of(some))
    for clause in CONTRACT.frame_clauses:
        found = card.frame_violations(clause.name)
        by_span = {part.span: part.formula for part in parts_of(clause.body)}
        for index in range(len(found)):
            clip = some[int(found.segment[index])]
            formula = by_span[found.spans[int(found.span[index])]]
            assert not truth(formula, environment(clip), len(clip[0]))[int(found.frame[index])]


# Aggregation


def value(satisfied: int, obligated: int, counter: bool) -> tuple[Fraction, bool]:
    """Rules 7.2 to 7.4: value and vacuity."""
    if obligated:
        return Fraction(satisfied, obligated), False
    return (Fraction(0), False) if counter else (Fraction(1), True)


def mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values) if values else Fraction(1)


entries = st.integers(0, 6).flatmap(
    lambda obligated: st.tuples(st.integers(0, obligated), st.just(obligated), st.booleans())
)


@given(st.integers(1, 4), st.integers(1, 5), st.data())
@settings(max_examples=sized(300))
def test_aggregations_are_the_definitions(classes: int, count: int, data: st.DataObject) -> None:
    table = [[data.draw(entries) for _ in range(count)] for _ in range(classes)]
    table = [[(s, o, c and o == 0) for s, o, c in row] for row in table]
    counts = ClauseCounts(
        np.array([[s for s, _, _ in row] for row in table]),
        np.array([[o for _, o, _ in row] for row in table]),
        np.array([[c for _, _, c in row] for row in table]),
    )
    by_class = [value(sum(s for s, _, _ in row), sum(o for _, o, _ in row), any(c for _, _, c in row)) for row in table]
    by_clip = [[value(*table[k][c]) for k in range(classes)] for c in range(count)]
    informative = [[v for v, vacuous in column if not vacuous] for column in by_clip]
    expected = {
        Aggregation.POOLED: value(
            sum(s for row in table for s, _, _ in row),
            sum(o for row in table for _, o, _ in row),
            any(c for row in table for _, _, c in row),
        )[0],
        Aggregation.MACRO_CLIPS: mean([mean([v for v, _ in column]) for column in by_clip]),
        Aggregation.MACRO_CLASSES: mean([v for v, _ in by_class]),
        Aggregation.MACRO_CLIPS_INFORMATIVE: mean([mean(column) for column in informative if column]),
        Aggregation.MACRO_CLASSES_INFORMATIVE: mean([v for v, vacuous in by_class if not vacuous]),
    }
    assert {a: aggregate(counts, a).value for a in Aggregation} == expected
    everything_vacuous = all(vacuous for column in by_clip for _, vacuous in column)
    assert all(aggregate(counts, a).vacuous == everything_vacuous for a in Aggregation)


def test_an_empty_event_obligation_is_vacuous_only_when_both_sides_are_empty() -> None:
    silent, active = [False] * 4, [False, True, True, False]
    card = score_family(CONTRACT, family_of([(silent, silent), (silent, active), (active, silent), (active, active)]))
    scores = [card.counts["whole"].score(0, clip) for clip in range(4)]
    assert [(s.value, s.vacuous) for s in scores] == [(1, True), (0, False), (0, False), (1, False)]
    assert card.score("whole", Aggregation.POOLED).value == Fraction(1, 2)
    assert card.score("whole", Aggregation.MACRO_CLIPS).value == Fraction(2, 4)
    assert card.score("whole", Aggregation.MACRO_CLIPS_INFORMATIVE).value == Fraction(1, 3)


def test_logic_and_profiles_come_from_the_vector() -> None:
    active = [False, True, True, False]
    card = score_family(CONTRACT, family_of([(active, [False] * 4), (active, active)]))
    vector = [score.value for score in card.vector().values()]
    assert card.logic() == sum(vector) / len(vector)
    onset, missing = (card.score(name, Aggregation.POOLED).value for name in ("onset", "missing"))
    assert card.profile(CONTRACT.profiles[0]) == (2 * onset + missing) / 3


def test_a_sweep_is_the_vector_at_each_value() -> None:
    ref = [4 <= i < 9 for i in range(20)]
    pred = [6 <= i < 9 for i in range(20)]
    card = score_family(CONTRACT, family_of([(ref, pred)]))
    points = {point.value: point.vector["onset"].value for point in sweep(card)}
    assert points == {"0ms": 0, "20ms": 0, "100ms": 1}  # the edge is 2 frames = 40 ms late


SWEPT = """
contract swept
step 20ms
param p = 40ms
sweep p = 0ms 20ms 40ms 60ms 300ms
{setting}
clause near  on ref_onset : ref_onset -> N[p] pred_onset
clause fixed on pred_active : N[20ms] ref_active
clause whole on each ref : matched and covering <= 1
clause late  on each matched : pred.onset - ref.onset <= {bound}
"""


@given(
    st.lists(clips, min_size=1, max_size=4),
    st.sampled_from(["", "merge_gap p", "matcher optimal(search = p)"]),
    st.sampled_from(["p", "20ms"]),
    st.sampled_from(list(Aggregation)),
)
def test_a_sweep_is_the_same_as_scoring_every_value_anew(
    some: list[Clip], setting: str, bound: str, aggregation: Aggregation
) -> None:
    text = SWEPT.format(setting=f"{setting}\naggregate {aggregation.value}", bound=bound)
    family = family_of(some)
    for point in sweep(score_family(parse_contract(text), family)):
        written = parse_contract(text.replace("p = 40ms", f"p = {point.value}"))
        assert point.vector == score_family(written, family).vector()


def test_ignored_frames_carry_no_obligation_but_may_witness() -> None:
    ref = [4 <= i < 8 for i in range(20)]
    pred = [10 <= i < 12 for i in range(20)]
    plain = family_of([(ref, pred)])
    family = type(plain)(
        plain.step, plain.mode, plain.clips, plain.frames, plain.classes, plain.runs, {0: ((7, 11),)}, {}
    )
    card = score_family(CONTRACT, family)
    # reference frames 4 to 7, of which 7 is ignored; predicted support starts at 10, within 2 frames of none
    assert card.counts["missing"].obligated.tolist() == [[3]]
    card = score_family(override(CONTRACT, {"tol": "4f"}), family)
    # frame 6 sees the ignored frame 10; 4 and 5 do not
    assert card.counts["missing"].satisfied.tolist() == [[1]]


# The soft boundary score


@given(st.lists(clips, min_size=1, max_size=3))
def test_the_soft_score_is_the_mean_closeness_of_all_edges(some: list[Clip]) -> None:
    card: Scorecard = score_family(CONTRACT, family_of(some))
    closeness = []
    for clip in some:
        atoms = environment(clip)
        for kind in ("onset", "offset"):
            edges = {side: [i for i, at in enumerate(atoms[f"{side}_{kind}"]) if at] for side in ("ref", "pred")}
            for side, other in (("ref", "pred"), ("pred", "ref")):
                for i in edges[side]:
                    away = min((abs(j - i) for j in edges[other]), default=None)
                    closeness.append(0.0 if away is None else exp(-away * 0.02 / 0.1))
    found, edges_counted = card.soft.mean()
    assert edges_counted == len(closeness)
    assert found == pytest.approx(sum(closeness) / len(closeness) if closeness else 1.0)
