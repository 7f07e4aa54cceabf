"""A semantic diff of event clauses: its claims against every small scene, its scenes against scoring."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logic.test_intervals import MATCHERS, PARTS, SMALL, STEP, holds_of, predicates
from strategies import family_of, sized

from tracepact.evaluate.event_clauses import evaluate_events
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import Contract
from tracepact.language.formula import FrameRun
from tracepact.language.predicate import Each
from tracepact.logic.decisions import Budget
from tracepact.logic.versions import diff_contracts


def version(each: Each, predicate: str, more: str) -> Contract:
    return parse_contract(f"contract c\nstep 20ms\n{more}clause c on each {each.value} : {predicate}\n")


def runs(line: str) -> tuple[tuple[FrameRun, ...], FrameRun | None]:
    """The runs of a line of a shown scene in frames, and the one that is marked."""
    found = [
        ((int(Fraction(start) / STEP), int(Fraction(end) / STEP)), bool(star))
        for start, end, star in re.findall(r"\[([0-9.]+), ([0-9.]+)\)(\*?)", line)
    ]
    return tuple(run for run, _ in found), next((run for run, star in found if star), None)


def scenes(trace: str) -> list[list[str]]:
    """The scenes of a trace, each as its lines of references, predictions and references of other classes."""
    found: list[list[str]] = []
    for line in trace.splitlines():
        if line.startswith("ref   "):
            found.append([])
        if line.startswith(("ref", "pred")):
            found[-1].append(line)
    return found


def fails(contract: Contract, lines: list[str], judged: FrameRun) -> bool:
    """Whether scoring the shown clip finds the marked interval violated."""
    sides = [runs(line)[0] for line in lines]
    frames = max(end for side in sides for _, end in side)
    refs, preds, *others = ([any(s <= i < e for s, e in side) for i in range(frames)] for side in sides)
    clips = [(refs, preds), *((mask, [False] * frames) for mask in others)]
    (found,) = evaluate_events(contract, family_of(clips, classes=len(clips))).clauses
    own = "pred" if found.clause.each is Each.PRED else "ref"
    return judged in [getattr(obligation, own) for segment, obligation in found.violated if segment == 0]


def check_claim(new: Contract, old: Contract, each: Each, more: str) -> str | None:
    found = [d for d in diff_contracts(new, old) if d.code.startswith("clause-") or d.code == "undecided"]
    (was,), (now,) = old.event_clauses, new.event_clauses
    before, after = holds_of(was, was.formula), holds_of(now, now.formula)
    small = SMALL[more][each]
    came, went = any(before(o) and not after(o) for o in small), any(after(o) and not before(o) for o in small)
    code = found[0].code if found else None
    match code:
        case None:
            assert not came
            assert not went
        case "clause-stronger":
            assert not went
        case "clause-weaker":
            assert not came
        case "clause-incomparable":
            pass
        case _:
            assert code == "undecided"
            return code
    shown = scenes(found[0].trace or "") if found else []
    wanted = {"clause-stronger": [True], "clause-weaker": [False], "clause-incomparable": [True, False]}.get(code or "")
    for lines, newly in zip(shown, wanted or [], strict=True):
        judged = runs(lines[1 if each is Each.PRED else 0])[1]
        assert judged is not None
        assert (fails(new, lines, judged), fails(old, lines, judged)) == (newly, not newly)
    return code


@pytest.mark.slow
@pytest.mark.parametrize("each", Each)
@given(data=st.data(), more=st.sampled_from(MATCHERS))
@settings(max_examples=sized(25))
def test_a_change_is_what_all_small_scenes_say_and_its_scenes_are_scored_apart(
    each: Each, data: st.DataObject, more: str
) -> None:
    one, other = (version(each, data.draw(predicates(each)), more) for _ in range(2))
    check_claim(one, other, each, more)


@pytest.mark.slow
def test_each_kind_of_change_occurs_and_few_stay_open() -> None:
    more = MATCHERS[0]
    codes = [
        check_claim(version(Each.REF, one, more), version(Each.REF, other, more), Each.REF, more)
        for one, other in product(PARTS[Each.REF][3:9], repeat=2)
    ]
    print({code: codes.count(code) for code in set(codes)})
    assert {None, "clause-stronger", "clause-weaker", "clause-incomparable"} <= set(codes)
    assert codes.count("undecided") <= len(codes) // 20


def test_clauses_are_compared_under_the_new_matcher_and_the_change_is_said() -> None:
    new, old = (version(Each.REF, "iou >= 0.5", MATCHERS[k]) for k in (2, 0))
    found, _ = diff_contracts(new, old)
    assert found.code == "setting-changed"
    assert found.headline == (
        "`matcher` changed: greedy(search = 200ms, overlap_reward = 0.5) → optimal(search = 20ms, overlap_reward = 0.5)"
    )


SETTINGS = [
    ("aggregate macro_clips", "`aggregate` changed: pooled → macro_clips"),
    ("profile p : c = 2", "profile `p` changed: none → over pooled: c = 2"),
    ("labels dog cat", "`labels` changed: not declared → dog cat"),
    ("soft_scale 50ms", "`soft_scale` changed: 100ms → 50ms"),
    ("merge_gap 40ms", "`merge_gap` changed: 0ms → 40ms"),
    ("projection touch", "`projection` changed: centre → touch"),
    ("atom loud", "atom `loud` changed: none → declared"),
    ("param t = 40ms", "parameter `t` changed: none → 40ms"),
    ("param t = 40ms\nsweep t = 1f 2f", "sweep of `t` changed: none → 1f 2f"),
]


@pytest.mark.parametrize(("line", "headline"), SETTINGS)
def test_a_changed_setting_is_said_with_its_old_and_new_value(line: str, headline: str) -> None:
    old = version(Each.REF, "matched", "")
    new = version(Each.REF, "matched", f"{line}\n")
    assert headline in [d.headline for d in diff_contracts(new, old)]
    back = [d.headline for d in diff_contracts(old, new)]
    was, now = headline.split(": ", 1)[1].split(" → ")
    assert f"{headline.split(': ')[0]}: {now} → {was}" in back


def test_a_changed_title_and_step_are_said() -> None:
    old = version(Each.REF, "matched", "")
    titled = replace(old, title="A title", name="d")
    assert [d.headline for d in diff_contracts(titled, old)] == [
        "the contract's name changed: `c` → `d`",
        'the title changed: none → "A title"',
    ]
    finer = parse_contract(old.source.text.replace("step 20ms", "step 10ms"))
    assert [d.headline for d in diff_contracts(finer, old)] == [
        "`step` changed: 20ms → 10ms; clauses are compared by their times"
    ]


STEPS = "contract c\nstep {}\nclause c on ref_onset : {}\n"


@pytest.mark.parametrize(
    ("was", "now", "codes"),
    [
        (("20ms", "N[40ms] pred_onset"), ("10ms", "N[40ms] pred_onset"), []),
        (("20ms", "N[2f] pred_onset"), ("10ms", "N[4f] pred_onset"), []),
        (("20ms", "N[30ms] pred_onset"), ("10ms", "N[30ms] pred_onset"), ["clause-stronger"]),
        (("10ms", "F[-30ms,0s] pred_onset"), ("20ms", "F[-40ms,0s] pred_onset"), []),
        (("20ms", "pred_active U[40ms] ref_offset"), ("10ms", "pred_active U[60ms] ref_offset"), ["clause-weaker"]),
    ],
)
def test_windows_of_another_step_are_compared_by_their_times(
    was: tuple[str, str], now: tuple[str, str], codes: list[str]
) -> None:
    found = diff_contracts(parse_contract(STEPS.format(*now)), parse_contract(STEPS.format(*was)))
    assert [d.code for d in found] == ["grid-changed", *codes]


def test_a_renamed_clause_is_followed() -> None:
    old = parse_contract(
        "contract c\nstep 20ms\nclause a on ref_onset : N[2f] pred_onset\nclause b on each ref : matched\n"
    )
    same = parse_contract(old.source.text.replace("clause a", "clause onset"))
    assert [d.headline for d in diff_contracts(same, old)] == ["clause `a` is now called `onset`"]
    wider = parse_contract(same.source.text.replace("2f", "3f").replace("clause b", "clause found"))
    codes = {d.code for d in diff_contracts(wider, old)}
    assert codes == {"clause-renamed", "clause-weaker"}
    other = parse_contract(old.source.text.replace("clause a on ref_onset", "clause x on ref_offset"))
    assert {"clause-removed", "clause-added"} <= {d.code for d in diff_contracts(other, old)}


def test_a_changed_matcher_or_merge_gap_is_shown_by_a_scene_that_scoring_tells_apart() -> None:
    text = "contract c\nstep 20ms\n{}clause c on each ref : {}\n"
    for before, after, predicate in (
        ("matcher greedy(search = 200ms)\n", "matcher greedy(search = 20ms)\n", "matched"),
        ("", "merge_gap 100ms\n", "covering <= 1"),
    ):
        old, new = (parse_contract(text.format(setting, predicate)) for setting in (before, after))
        (found,) = (d for d in diff_contracts(new, old) if d.code == "setting-shown")
        (lines,) = scenes(found.trace or "")
        judged = runs(lines[0])[1]
        assert judged is not None
        assert fails(new, lines, judged) != fails(old, lines, judged)


def test_another_partner_of_an_interval_that_fails_all_the_same_is_no_difference() -> None:
    text = "contract c\nstep 20ms\nmatcher greedy(search = {})\nclause c on each {} : covering <= 1\n"
    for each in ("ref", "pred"):
        old, new = (parse_contract(text.format(search, each)) for search in ("200ms", "20ms"))
        assert [d.code for d in diff_contracts(new, old)] == ["setting-changed"]


LONG = "contract c\nstep 10ms\nclause c on ref_onset : {}\nclause e on each ref : {}\n"


def test_a_contract_does_not_differ_from_itself_without_time() -> None:
    contract = parse_contract(LONG.format("G[600s] (ref_active -> N[1s] pred_active)", "iou * 3 >= 1 or covering <= 1"))
    assert diff_contracts(contract, contract, budget=Budget(seconds=0)) == []


def test_what_is_said_to_be_shown_is_shown_and_said_once() -> None:
    step_by_step = "pred_offset | pred_active & F[10ms,10ms] (pred_active U[19990ms] pred_offset)"
    texts = ("pred_active U[20s] pred_offset", f"{step_by_step} | N[1s] ref_offset")
    new, old = (parse_contract(LONG.format(text, "matched")) for text in texts)
    (found,) = diff_contracts(new, old, budget=Budget(seconds=0))
    assert found.code == "undecided"
    assert ("as shown" in found.headline) == (found.trace is not None)
    assert max(map(len, (found.trace or "").splitlines())) < 200
