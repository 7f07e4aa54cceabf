"""Margins in a report: those of the soft reading, in agreement with the verdicts, stored and drawn everywhere."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import sized, soft_family_of, soft_score

from tracepact import Aggregation, Decoding, Mode, Reading, Run, parse_contract, score, score_batches
from tracepact.evaluate.reference import BOTTOM, Margin, margin_of
from tracepact.evaluate.soft_family import Levels, RankedMargins, soft_scores
from tracepact.files import BadTable
from tracepact.runs.margins import MarginsTally, margins_text, read_margins, taken_down
from tracepact.runs.report_parts import report_of
from tracepact.runs.report_views import run_pages
from tracepact.runs.verification import verify_run

CONTRACT = parse_contract("""
contract c
step 20ms
clause hit    on ref_active : N[1f] pred_active
clause lonely on pred_active : !other_pred_active & N[1f] ref_active
clause edge   on pred_onset | ref_onset : N[2f] ref_onset
clause event  on each matched : abs(pred.onset - ref.onset) <= 20ms
""")
NAMES = ["cat", "dog", "owl"]
THOUSANDTH = Fraction(1, 1000)


def violated(run: Run, clause: str) -> dict[tuple[int, int], Margin]:
    """The margin of every violated frame, by segment and frame."""
    assert run.margins is not None
    found, margins = run.card.frame_violations(clause), run.margins[clause]
    places = zip(found.segment.tolist(), found.frame.tolist(), strict=True)
    return {place: margins[number] for number, place in enumerate(places)}


@st.composite
def sides(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any], Fraction]:
    """Clips with a mask of references and scores in tenths, frames × 3, and the length of a frame of the scores."""
    step = Fraction(draw(st.sampled_from(["0.02", "0.03", "0.01"])))
    ref, pred = {}, {}
    for clip in ("a", "b")[: draw(st.integers(1, 2))]:
        frames = draw(st.integers(1, 8))
        rows = st.lists(st.integers(0, 10), min_size=3, max_size=3)
        ref[clip] = np.array(draw(st.lists(rows, min_size=frames, max_size=frames))) > 5
        pred[clip] = np.array(draw(st.lists(rows, min_size=frames, max_size=frames))) / 10
    return ref, pred, step


@given(sides(), st.integers(0, 10), st.sampled_from([None, {"merge": {"pet": ["cat", "dog"]}, "drop": ["owl"]}]))
@settings(max_examples=sized(200))
def test_verdicts_and_margins_agree(
    given_sides: tuple[dict[str, Any], dict[str, Any], Fraction], tenth: int, labels: Mapping[str, Any] | None
) -> None:
    """Whatever the grid of the scores and the label map: a margin is negative exactly where an obligation fails."""
    ref, pred, step = given_sides
    for mode in Mode:
        contract = CONTRACT if mode is Mode.CLASS_INDEXED else UNION
        run = score(
            contract,
            ref,
            pred,
            classes=NAMES,
            pred_reading=Reading(step=step),
            decoding=Fraction(tenth, 10),
            label_map=labels,
            mode=mode,
            margins=True,
        )
        assert run.margins is not None
        card = run.card
        for clause in contract.frame_clauses:
            found = card.frame_violations(clause.name)
            own = run.margins[clause.name]
            assert len(own) == len(found)
            assert not any(margin.positive for margin in own.values)
            counts = card.counts[clause.name]
            for segment in range(card.family.segments):
                label, clip = divmod(segment, len(card.family.clips))
                assert (segment in own.entries) == (counts.obligated[label, clip] > 0)
            entries = [entry for row in own.by_class(counts) for entry in row]
            boolean = card.score(clause.name, Aggregation.POOLED)
            assert sum(entry.satisfied for entry in entries) == boolean.satisfied
            assert sum(entry.obligated for entry in entries) == boolean.obligated


UNION = parse_contract("""
contract c
step 20ms
clause hit  on ref_active : N[1f] pred_active
clause edge on pred_onset | ref_onset : N[2f] ref_onset
""")


@given(sides(), st.integers(0, 10), st.lists(st.booleans(), min_size=3, max_size=3), st.booleans())
def test_the_soft_scores_are_those_of_the_arrays(
    given_sides: tuple[dict[str, Any], dict[str, Any], Fraction], tenth: int, known: list[bool], alone: bool
) -> None:
    """The definition: arrays on the contract's grid read as a soft family, every class in use.

    A class may be predicted and never referred to: it asks nothing of the clauses about references.
    """
    ref, pred, _ = given_sides if not alone else ({}, {}, None)
    ref["all"], pred["all"] = np.array([[one or tenth == 10 for one in known]]), np.ones((1, 3))
    run = score(CONTRACT, ref, pred, classes=NAMES, decoding=Fraction(tenth, 10), margins=True)
    card = soft_scores(CONTRACT, soft_family_of(CONTRACT.step, ref, pred, Fraction(tenth, 10)))
    assert run.margins is not None
    for clause in CONTRACT.frame_clauses:
        tally = MarginsTally.of(run.margins[clause.name], run.card.counts[clause.name])
        entries = (card.entry(clause.name, clip, label) for clip in range(len(ref)) for label in range(len(NAMES)))
        least = min((entry.least for entry in entries if entry.least is not None), default=None)
        assert tally.least == (None if least is None else str(least))
        for aggregation in Aggregation:
            assert tally.value(aggregation) == soft_score(card, clause.name, aggregation)
        margins = sorted(violated(run, clause.name).values())
        assert tally.middle == (str(margins[(len(margins) - 1) // 2]) if margins else None)


@given(st.integers(0, 10**6), st.integers(1, 999))
@settings(max_examples=sized(20))
def test_the_middle_of_long_decimals_is_that_of_their_thousandths(seed: int, threshold: int) -> None:
    """However many obligations are violated, a tally holds a thousand margins at most; at the threshold it is −0."""
    draw = np.random.default_rng(seed)
    level = Fraction(threshold, 1000)
    scores = np.where(draw.random((400, 3)) < 0.1, float(level), draw.random((400, 3)))
    run = score(
        CONTRACT, {"a": draw.random((400, 3)) < 0.5}, {"a": scores}, classes=NAMES, decoding=level, margins=True
    )
    assert run.margins is not None
    for clause in CONTRACT.frame_clauses:
        tally = MarginsTally.of(run.margins[clause.name], run.card.counts[clause.name])
        found = [str(margin) for margin in sorted(violated(run, clause.name).values())]
        down = [one if one in ("-0", "-unbounded") else str(floor(Fraction(one) * 1000) * THOUSANDTH) for one in found]
        assert tally.middle == (down[(len(down) - 1) // 2] if down else None)
        assert Counter(down) == tally.violated
        assert len(tally.violated) <= 1002


@given(st.integers(0, 10), st.integers(1, 5), st.integers(0, 99))
@settings(max_examples=sized(20))
def test_margins_in_batches_are_those_of_all_clips(tenth: int, size: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    clips = [f"clip{number}" for number in range(7)]
    ref = {clip: draw.integers(0, 2, (int(draw.integers(1, 9)), 3)).astype(bool) for clip in clips}
    pred = {clip: draw.integers(0, 11, (len(ref[clip]), 3)) / 10 for clip in clips}
    step = Fraction("0.02")
    given_data: dict[str, Any] = {
        "pred_reading": Reading(step=step, classes=NAMES, decoding=Decoding(Fraction(tenth, 10))),
        "ref_reading": Reading(step=step, classes=NAMES, decoding=Decoding(Fraction(1, 2))),
        "margins": True,
    }
    whole = score(CONTRACT, ref, pred, **given_data)
    assert whole.margins is not None
    assert score_batches(CONTRACT, ref, pred, batch_clips=size, **given_data).to_dict() == whole.to_dict()


def small_run(**how: Any) -> Run:
    """One clip of four frames whose reference is active in the first two."""
    pred = np.array([[0.7], [0.1], [0.2], [0.95]])
    given = {"classes": ["cat"], "decoding": 0.5, "margins": True, **how}
    return score("boundary_gate", [(0, "0.04", "cat")], pred, durations="0.08", **given)


def test_margins_are_shown_in_every_view(tmp_path: Path) -> None:
    run = small_run(set={"tol": "20ms"})
    # Frame 3 is predicted, and the nearest reference is 2 frames away: silence asks for none within `quiet`.
    (violation,) = run.violations("spurious_guard")
    assert violation["margin"] == "-9/20"
    report = report_of(run)
    by_clause = {row["clause"]: row for row in report.to_dict()["vector"]}
    spurious = by_clause["spurious_guard"]["soft"]
    assert spurious["least"] == spurious["violated"] == "-9/20"
    assert by_clause["missing_guard"]["soft"]["violated"] is None
    # Frame 0 is inside the reference: unbounded, cut to 1; frame 3 is 0.95 - 0.5 above.
    assert spurious["scores"]["pooled"]["value"] == str((1 - Fraction(9, 20)) / 2)
    assert "soft" not in by_clause["duration_guard"]
    pages = run_pages(run)
    for view in (str(run), pages.form("markdown"), pages.form("html")):
        assert "Margins in score" in view
        assert "-0.450" in view.replace("−", "-")
    run.save(tmp_path / "run")
    assert verify_run(tmp_path / "run").holds


def test_margins_that_were_changed_are_found(tmp_path: Path) -> None:
    small_run().save(tmp_path / "run")
    path = tmp_path / "run" / "margins.tsv"
    path.write_text(path.read_text().replace("-9/20", "-1/20"))
    assert not verify_run(tmp_path / "run").holds


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"decoding": Decoding(Fraction(1, 2), median=3)}, "threshold alone"),
        ({"decoding": Decoding(Fraction(1, 2), low=Fraction(1, 5))}, "threshold alone"),
    ],
)
def test_without_a_plain_threshold_there_are_none_and_the_report_says_so(how: dict[str, Any], words: str) -> None:
    run = small_run(**how)
    assert run.margins is None
    assert words in " ".join(str(run).split())
    assert "Margins in score" not in str(run)


def test_another_projection_has_none_and_events_say_nothing() -> None:
    touch = parse_contract("contract c step 20ms projection touch clause hit on ref_active : pred_active")
    run = score(
        touch, [(0, 1, "cat")], np.array([[0.7]]), classes=["cat"], decoding=0.5, step=1, durations=1, margins=True
    )
    assert run.margins is None
    assert "projection `centre`" in str(run)
    events = score("boundary_gate", [(0, 1)], [(0, 1)], durations=2, margins=True)
    assert events.margins is None
    assert "margins" not in str(events)


def test_soft_labels_are_a_field_whose_frames_end_where_rows_do(tmp_path: Path) -> None:
    path = tmp_path / "cafe_00.txt"
    path.write_text("0\t1\tdog\t0.6\n1\t2\tdog\t0.75\n1\t2\tcat\t0.4\n")
    contract = parse_contract("contract c step 1s clause hit on ref_active : pred_active")
    reading = Reading(decoding="0.5")
    run = score(
        contract, path, {"cafe_00": [(0, 1, "dog")]}, durations={"cafe_00": 3}, ref_reading=reading, margins=True
    )
    assert run.margins is not None
    # The prediction is a mask: unbounded wherever the reference asks.
    assert run.margins["hit"].entries[run.card.family.classes.index("dog")] == (Fraction(0), BOTTOM)
    contract = parse_contract("contract c step 1s clause quiet on pred_active : ref_active")
    pred = {"cafe_00": [(0, 3, "dog"), (1, 2, "cat")]}
    run = score(contract, path, pred, durations={"cafe_00": 3}, ref_reading=reading, margins=True)
    assert run.margins is not None
    classes = run.card.family.classes
    cat, dog = classes.index("cat"), classes.index("dog")
    assert violated(run, "quiet") == {
        (cat, 1): margin_of(Fraction("-0.1")),
        (dog, 2): BOTTOM,
    }
    assert run.margins["quiet"].entries[dog] == (Fraction("0.1") + Fraction("0.25") - 1, BOTTOM)


def test_margins_are_for_those_who_ask(tmp_path: Path) -> None:
    """Without them the vector and every violation are the same, and no view speaks of margins."""
    asked, plain = (small_run(set={"tol": "20ms"}, margins=margins) for margins in (True, False))
    assert plain.margins is None
    assert plain.vector == asked.vector
    (violation,), (with_margin,) = plain.violations("spurious_guard"), asked.violations("spurious_guard")
    assert violation == {key: value for key, value in with_margin.items() if key != "margin"}
    assert "Margins in score" not in str(plain) + run_pages(plain).form("html")
    plain.save(tmp_path / "run")
    assert not (tmp_path / "run" / "margins.tsv").exists()
    assert verify_run(tmp_path / "run").holds


@pytest.mark.parametrize(
    ("old", "new"), [("\t-9/20\t", "\t-9/0\t"), ("\t3\t-9/20\t", "\t2\t-9/20\t"), ("\t3\t-9/20\t\n", "")]
)
def test_a_stored_table_of_margins_that_is_not_that_of_the_violations_is_broken(
    tmp_path: Path, old: str, new: str
) -> None:
    run = small_run(set={"tol": "20ms"})
    assert run.margins is not None
    text = margins_text(run.margins, run.card)
    assert old in text
    assert margins_text(read_margins(text, run.card), run.card) == text
    lines = [line.replace(old, new) for line in text.splitlines(keepends=True) if new or old not in f"{line}"]
    with pytest.raises(BadTable):
        read_margins("".join(lines), run.card)


@given(st.lists(st.tuples(st.integers(-3000, 3000), st.sampled_from([0, 1, -1])), min_size=1, max_size=9))
def test_thousandths_of_floats_are_those_of_the_exact_margins(near: list[tuple[int, int]]) -> None:
    """Margins that lie at a thousandth, or the least bit beside one, as no float could tell."""
    sizes = [Fraction(place, 1000) + side * Fraction(1, 10**30) for place, side in near]
    levels = Levels([[Margin(size, size > 0) for size in sizes]])
    values = RankedMargins(levels, np.array([rank for rank in range(1 - levels.top, levels.top) if rank]))
    expected = [str(one) if not one.size else str(floor(Fraction(one.size) * 1000) * THOUSANDTH) for one in values]
    assert list(taken_down(values)) == expected


@given(st.lists(st.lists(st.fractions(-2, 2), min_size=1, max_size=5), min_size=1, max_size=5), st.integers(0, 90))
def test_sums_of_limbs_are_those_of_fractions(groups: list[list[Fraction]], fine: int) -> None:
    """Also where parts are finer than machine words."""
    some = [[margin_of(size / 2**fine + Fraction(1, 3)) for size in group] for group in groups]
    source = [margin for group in some for margin in group]
    levels = Levels([source])
    ranks = levels.ranks(source)
    first = np.cumsum([0, *map(len, some)])[:-1]
    assert levels.totals(ranks, first) == [sum((one.cut for one in group), Fraction(0)) for group in some]
