"""What judges cases too long for the naive loops is what the naive loops say: formulas by runs, the best matching."""

import json
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import environments, formulas

from conform.programs import played
from tracepact.conform import definitions
from tracepact.conform.answers import stream
from tracepact.conform.definitions import runs_of, truth_runs
from tracepact.conform.engines import FAST, REFERENCE, CaseEngine, arrivals, delays_of
from tracepact.conform.protocol import (
    BadCase,
    bits,
    compacted,
    digits_of,
    expanded,
    in_runs,
    stream_expected,
    tree_of,
    words_in_runs,
)
from tracepact.evaluate.reference import truth
from tracepact.language.contract import Matcher, MatcherKind
from tracepact.language.formula import Formula

Run = tuple[int, int]


@given(formulas(farthest=9), environments(longest=20))
def test_the_meaning_on_runs_is_the_naive_one(formula: Formula, given: tuple[int, dict[str, list[bool]]]) -> None:
    frames, masks = given
    assert truth_runs(formula, masks, frames) == truth(formula, masks, frames)


@given(formulas())
def test_a_trace_without_frames_has_no_verdicts(formula: Formula) -> None:
    assert truth_runs(formula, {"p": [], "q": [], "r": []}, 0) == []


def naive_optimal(found: list[definitions.Candidate]) -> list[tuple[int, int]]:
    """Rule 8.4 over every set of candidates."""
    sets = [some for size in range(len(found) + 1) for some in combinations(found, size)]
    free = [s for s in sets if len({i for i, _, _ in s}) == len({j for _, j, _ in s}) == len(s)]
    best = min(free, key=lambda s: (-len(s), sum((c for _, _, c in s), Fraction(0)), sorted((i, j) for i, j, _ in s)))
    return sorted((i, j) for i, j, _ in best)


masks = st.lists(st.sampled_from([1, 1, 0]), max_size=16).map(lambda some: [bool(x) for x in some])


@given(masks, masks, st.integers(0, 6), st.sampled_from(["0", "1/2", "1/3", "2"]))
def test_the_best_matching_is_the_best_of_all_sets(ref: list[bool], pred: list[bool], search: int, reward: str) -> None:
    a, b = runs_of(ref), runs_of(pred)
    matcher = Matcher(MatcherKind.OPTIMAL, Fraction(search), Fraction(reward))
    found = definitions.candidates(a, b, matcher, Fraction(1))
    assert definitions.match(a, b, matcher, Fraction(1)) == naive_optimal(found[:12]) or len(found) > 12


@st.composite
def streams(draw: Any) -> dict[str, Any]:
    clauses = draw(st.lists(st.tuples(formulas(leaves=3), formulas(leaves=4)), min_size=1, max_size=3))
    frames, given = draw(environments(shortest=0, longest=14))
    cut = draw(st.lists(st.booleans(), min_size=max(frames - 1, 0), max_size=max(frames - 1, 0)))
    ends = [*(i + 1 for i, here in enumerate(cut) if here), *([frames] if frames else [])]
    chunks = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    return {
        "ask": "stream",
        "clauses": [{"obligation": tree_of(o), "formula": tree_of(f)} for o, f in clauses],
        "trace": {"frames": frames, "masks": {name: bits(mask) for name, mask in given.items()}},
        **({"chunks": chunks} if draw(st.booleans()) else {}),
        "interrupt": draw(st.lists(st.integers(0, frames), max_size=3)),
        "reopen": draw(st.integers(0, 3)),
    }


@pytest.mark.parametrize("engine", [REFERENCE, FAST], ids=lambda engine: engine.name)
def test_a_stream_that_is_played_gives_the_verdicts_of_the_whole_trace_at_their_time(engine: CaseEngine) -> None:
    @given(streams())
    def check(case: dict[str, Any]) -> None:
        assert played(case, engine) == stream(case, REFERENCE)

    check()


@given(st.text("01", max_size=300))
def test_runs_give_the_digits_back(digits: str) -> None:
    assert not digits or digits_of(in_runs(digits)) == digits
    assert expanded(json.loads(json.dumps(compacted({"masks": {"p": digits}})))) == {"masks": {"p": digits}}


def test_text_is_never_taken_for_a_mask() -> None:
    assert expanded({"ask": "lines", "text": "0*3 1"})["text"] == "0*3 1"


def test_a_mask_in_runs_is_bounded_before_it_is_written_out() -> None:
    with pytest.raises(BadCase):
        digits_of("0*999999999")


@given(streams())
def test_delays_and_words_in_runs_stand_for_what_is_out(case: dict[str, Any]) -> None:
    from tracepact.conform.answers import clauses_of

    expected = stream(case, REFERENCE)
    words: list[dict[int, str]] = [{} for _ in case["clauses"]]
    for out in expected["out"]:
        for frame, clause, word in out:
            words[clause][frame] = word
    in_order = [[some[i] for i in sorted(some)] for some in words]
    if case["trace"]["frames"]:
        short = {"delays": delays_of(clauses_of(case)), "words": [words_in_runs(some) for some in in_order]}
        assert stream_expected({"out": short}, arrivals(case)) == {"out": expected["out"]}


LINE = st.one_of(
    st.sampled_from(["1 0", "0 1", "", "#", "  # x", "1", "2 0", "1 0 1", "{}", '{"end": "a"}', '{"end": []}']),
    st.text('{}[]":,01 reflpdmaskign\t\r\x0c\u00a0#', max_size=24),
    st.fixed_dictionaries(
        {},
        optional={
            "ref": st.sampled_from([0, 1, True, False, 2, 1.0, "1", [1], [1, 0], [], None]),
            "pred": st.sampled_from([0, 1, True, False, [0], [0, 1]]),
            "ignore": st.sampled_from([0, 1, [1, 1]]),
            "masks": st.sampled_from([{}, {"z": 1}, {"z": [1, 0]}, {"ref_active": 1}, 1]),
            "end": st.sampled_from(["a", ["a", "b"], 1]),
            "time": st.just(1),
        },
    ).map(json.dumps),
)


@given(st.lists(LINE, max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.integers(1, 2))
def test_the_reader_of_watch_is_the_definition_of_lines(some: list[str], end: str, last: bool, channels: int) -> None:
    text = end.join(some) + (end if last else "")
    case = {"ask": "lines", "text": text, "channels": channels}
    from tracepact.conform.answers import lines

    assert lines(case, FAST) == lines(case, REFERENCE)
