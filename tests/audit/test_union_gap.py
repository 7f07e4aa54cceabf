"""The union gap and its mechanisms, against frame-by-frame loops and by hand."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import sized

import tracepact
from tracepact.audits.audit_union_gap import audit_union_gap, class_support
from tracepact.audits.systems import rescored
from tracepact.language.contract import Aggregation
from tracepact.runs.run import Run
from tracepact.runs.violations import ScoreRecord

FEWER = settings(max_examples=max(sized(20), settings().max_examples // 5))
STEP = Fraction(1, 50)
FRAMES = 20
LABELS = ("x", "y", "z")
CONTRACT = """contract c
step 20ms
aggregate macro_clips
clause onset on ref_onset : ref_onset -> N[1f] pred_onset
clause apart on pred_active : !other_ref_active
clause whole on each ref : matched
"""
Masks = dict[tuple[str, str], list[bool]]


@st.composite
def masks(draw: st.DrawFn) -> Masks:
    """Frames of two clips and three labels."""
    frames = st.lists(st.booleans(), min_size=FRAMES, max_size=FRAMES)
    return {(clip, label): draw(frames) for clip in ("a", "b") for label in LABELS}


def table(found: Masks) -> dict[str, list[tuple[Fraction, Fraction, str]]]:
    """Every active frame as an event of its own; touching ones are joined by the grid."""
    events: dict[str, list[tuple[Fraction, Fraction, str]]] = {"a": [], "b": []}
    for (clip, label), frames in found.items():
        events[clip] += [(i * STEP, (i + 1) * STEP, label) for i, active in enumerate(frames) if active]
    return events


def scored(ref: Masks, pred: Masks, mode: str = "class_indexed", ignore: object = None) -> Run:
    text = CONTRACT + "labels x y z\n"
    if mode == "union":
        text = text.replace("clause apart on pred_active : !other_ref_active\n", "")
    return tracepact.score(text, table(ref), table(pred), durations=FRAMES * STEP, mode=mode, ignore=ignore)


@FEWER
@given(masks(), masks(), st.integers(0, FRAMES))
def test_support_substitutions_and_confusion_are_those_of_a_loop(ref: Masks, pred: Masks, ignored: int) -> None:
    """The first frames of clip a are ignored for every class."""
    regions = {"a": [(Fraction(0), ignored * STEP, "")]} if ignored else None
    run = scored(ref, pred, ignore=regions)
    audit = audit_union_gap(run)
    places = [(clip, i) for clip in ("a", "b") for i in range(FRAMES) if clip == "b" or i >= ignored]
    for k, a in enumerate(LABELS):
        support = audit.support[k]
        assert support.reference == sum(ref[clip, a][i] for clip, i in places)
        assert support.predicted == sum(pred[clip, a][i] for clip, i in places)
        for j, b in enumerate(LABELS):
            both = sum(ref[clip, a][i] and pred[clip, b][i] for clip, i in places)
            assert audit.confusion.shares[k][j] == (Fraction(both, support.reference) if support.reference else None)
            swapped = sum(
                ref[clip, a][i] and not pred[clip, a][i] and pred[clip, b][i] and not ref[clip, b][i]
                for clip, i in places
            )
            found = [s.frames for s in audit.substitutions if (s.reference, s.predicted) == (a, b)]
            assert found == ([swapped] if swapped else [])


@FEWER
@given(masks(), masks())
def test_both_scores_are_those_of_scoring_both_ways(ref: Masks, pred: Masks) -> None:
    classes, union = scored(ref, pred), scored(ref, pred, "union")
    audit, backwards = audit_union_gap(classes), audit_union_gap(union)
    assert list(audit.by_aggregation()) == [Aggregation.MACRO_CLIPS, Aggregation.POOLED]
    for a, rows in audit.by_aggregation().items():
        ours, theirs = classes.card.vector(a), union.card.vector(a)
        assert {row.clause: row.class_indexed for row in rows} == {n: ScoreRecord.of(s) for n, s in ours.items()}
        assert {row.clause: row.union for row in rows if row.union} == {n: ScoreRecord.of(s) for n, s in theirs.items()}
        gaps = {row.clause: row.gap for row in rows}
        assert gaps["apart"] is None
        assert gaps["onset"] == theirs["onset"].value - ours["onset"].value
        indexed = {row.clause: row.class_indexed for row in backwards.by_aggregation()[a]}
        assert indexed["onset"] == ScoreRecord.of(ours["onset"])


@pytest.mark.parametrize(
    ("reference", "predicted", "stratum"),
    [(4, 0, "none"), (4, 1, "low"), (4, 2, "even"), (4, 8, "even"), (4, 9, "high"), (0, 3, None), (0, 0, None)],
)
def test_the_strata_by_hand(reference: int, predicted: int, stratum: str | None) -> None:
    assert class_support("x", reference, predicted).stratum == stratum


def test_a_stratum_has_the_pooled_score_of_its_classes() -> None:
    ref = {"a": [(0.1, 0.2, "x"), (0.1, 0.2, "y"), (0.3, 0.4, "z")]}
    pred = {"a": [(0.1, 0.2, "x"), (0.3, 0.36, "z")]}
    run = tracepact.score(CONTRACT + "labels x y z\n", ref, pred, durations=1)
    audit = audit_union_gap(run)
    strata = {stratum.name: stratum for stratum in audit.strata}
    assert strata["none"].classes == ("y",) == audit.without_support
    assert strata["even"].classes == ("x", "z")
    assert (strata["even"].scores["onset"].satisfied, strata["even"].scores["onset"].obligated) == (2, 2)
    assert strata["none"].scores["onset"].value == 0
    assert strata["low"].scores == {}


def test_a_run_scored_again_keeps_its_masks_regions_and_silent_clips() -> None:
    text = "contract c\nstep 20ms\natom zone\nclause in_zone on ref_active & zone : pred_active\n"
    zone = {"a": [i % 2 == 0 for i in range(50)], "b": [True] * 50}
    ref, pred = {"a": [(0.1, 0.5, "x")], "b": []}, {"a": [(0.2, 0.5, "x")]}
    run = tracepact.score(text, ref, pred, durations=1, masks={"zone": zone}, ignore={"a": [(0.1, 0.14, "")]})
    again = rescored(run)
    for name, counts in run.card.counts.items():
        assert (again.counts[name].satisfied == counts.satisfied).all()
        assert (again.counts[name].obligated == counts.obligated).all()
    assert again.family.clips == run.card.family.clips
