"""Fixed and broken obligations against the violations of both runs; runs brought into one order."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import sized

import tracepact
from tracepact.audits.audit_labels import audit_annotation, entropy, scene_of
from tracepact.audits.comparison import ChangeCounts, ChangeKind, by_clip, changes, tally
from tracepact.audits.systems import paired_rows
from tracepact.data.events import EventTable
from tracepact.runs.directory import write_run
from tracepact.runs.opening import open_run
from tracepact.runs.run import Run

FEWER = settings(max_examples=max(sized(20), settings().max_examples // 5))
STEP = Fraction(1, 50)
CONTRACT = """contract c
step 20ms
labels x y
clause missing on ref_active : ref_active -> N[1f] pred_active
clause spurious on pred_active : N[1f] ref_active
clause whole on each ref : matched and covering <= 1
clause known on each pred : matched
"""
Sides = dict[str, list[tuple[Fraction, Fraction, str]]]


@st.composite
def sides(draw: st.DrawFn) -> Sides:
    found: Sides = {"a": [], "b": []}
    for clip in found:
        for label in ("x", "y"):
            ends = draw(st.lists(st.integers(0, 30), max_size=6, unique=True).map(sorted))
            found[clip] += [(s * STEP, e * STEP, label) for s, e in zip(ends[::2], ends[1::2], strict=False)]
    return found


def violated(run: Run, clause: str) -> set[tuple[str, str, Fraction, Fraction]]:
    """Every violated obligation: its clip, class and time, as the report tells them."""
    found = set()
    for violation in run.violations(clause):
        ends = violation.get("interval") or [violation["time"], str(Fraction(violation["time"]) + STEP)]
        found.add((violation["clip"], violation["class"], Fraction(ends[0]), Fraction(ends[1])))
    return found


def asked(run: Run, clause: str, ref: Sides, pred: Sides) -> set[tuple[str, str, Fraction, Fraction]]:
    """Every obligation of a clause of CONTRACT, by hand: the frames or events of one side."""
    side = ref if clause in ("missing", "whole") else pred
    events = {(clip, label, start, end) for clip, some in side.items() for start, end, label in some}
    if clause in ("whole", "known"):
        return events
    frames = ((c, x, range(int(s / STEP), int(e / STEP))) for c, x, s, e in events)
    return {(c, x, k * STEP, (k + 1) * STEP) for c, x, some in frames for k in some}


@FEWER
@given(sides(), sides(), sides(), st.booleans())
def test_changes_are_the_differences_of_the_violations_and_of_what_is_asked(
    ref: Sides, before: Sides, after: Sides, turned: bool
) -> None:
    """The second run may have its clips in another order."""
    a = tracepact.score(CONTRACT, ref, before, durations=30 * STEP)
    order = ("b", "a") if turned else ("a", "b")
    b = tracepact.score(CONTRACT, {c: ref[c] for c in order}, after, durations=dict.fromkeys(order, 30 * STEP))
    found = changes(a.card, b.card)
    for clause in a.vector:
        ours, theirs = violated(a, clause), violated(b, clause)
        here, there = asked(a, clause, ref, before), asked(b, clause, ref, after)
        for kind, wrong, expected in (
            (ChangeKind.FIXED, True, (ours & there) - theirs),
            (ChangeKind.BROKEN, True, (theirs & here) - ours),
            (ChangeKind.NO_LONGER_ASKED, True, ours - there),
            (ChangeKind.NO_LONGER_ASKED, False, here - there - ours),
            (ChangeKind.NEWLY_ASKED, True, theirs - here),
            (ChangeKind.NEWLY_ASKED, False, there - here - theirs),
        ):
            told = set()
            for change in found:
                if (change.clause, change.kind, change.violated) != (clause, kind, wrong):
                    continue
                size = STEP if clause in ("missing", "spurious") else change.offset - change.onset
                told |= {
                    (change.clip, change.label, change.onset + k * size, change.onset + (k + 1) * size)
                    for k in range(change.obligations)
                }
            assert told == expected
    clips = by_clip(found)
    assert sum(clip.obligations for clip in clips) == sum(c.obligations for c in found)
    assert [abs(clip.net) for clip in clips] == sorted((abs(clip.net) for clip in clips), reverse=True)


def test_what_is_no_longer_asked_is_not_won() -> None:
    """Without predictions no false alarm is left, and none is fixed."""
    a, b = (tracepact.score(CONTRACT, [(0.1, 0.3, "x")], pred, durations=1) for pred in ([(0.5, 0.9, "x")], []))
    found = [change for change in changes(a.card, b.card) if change.clause in ("spurious", "known")]
    assert {change.kind for change in found} == {ChangeKind.NO_LONGER_ASKED}
    assert tally(found, ChangeCounts).net == 0
    assert tally(found, ChangeCounts).no_longer_asked.violated == 20 + 1


def test_neighbouring_frames_are_one_stretch() -> None:
    a, b = (tracepact.score(CONTRACT, [(0.1, 0.3, "x")], pred, durations=1) for pred in ([], [(0.2, 0.3, "x")]))
    (fixed,) = [c for c in changes(a.card, b.card) if c.clause == "missing"]
    assert (fixed.onset, fixed.offset, fixed.obligations) == (Fraction(9, 50), Fraction(3, 10), 6)


def test_runs_with_clips_in_another_order_are_paired(tmp_path: Path) -> None:
    """One duration for all and a table of them say the same; so do rows in another order of clips."""
    ref = {"a": [(0.1, 0.3, "x")], "b": [(0.2, 0.4, "y")]}
    backwards = {clip: ref[clip] for clip in ("b", "a")}
    pred = {"a": [(0.1, 0.3, "x")], "b": []}
    write_run(tracepact.score(CONTRACT, ref, pred, durations=1), tmp_path / "one")
    write_run(tracepact.score(CONTRACT, backwards, pred, durations={"b": 1, "a": 1}), tmp_path / "two")
    first, second = (open_run(tmp_path / name) for name in ("one", "two"))
    assert first.rows.clips != second.rows.clips
    a, b = paired_rows([first, second])
    assert a.clips == b.clips
    for name in a.clauses:
        assert (a.counts[name].satisfied == b.counts[name].satisfied).all()
        assert (a.counts[name].obligated == b.counts[name].obligated).all()


@pytest.mark.parametrize(
    ("clip", "scene"),
    [
        ("cafe_restaurant_03.wav", "cafe_restaurant"),
        ("dev/city-center-12", "city-center"),
        ("street", "street"),
        ("007", "007"),
    ],
)
def test_the_scene_of_a_clip_is_its_name_less_its_number(clip: str, scene: str) -> None:
    assert scene_of(clip) == scene


def test_entropy_is_zero_at_certainty_and_one_bit_at_a_half() -> None:
    assert [entropy(Fraction(v)) for v in ("0", "0.5", "1")] == [0, 1, 0]
    assert entropy(Fraction("0.25")) == pytest.approx(0.811278, abs=1e-6)


def test_a_table_with_a_column_for_each_class_has_the_cells_of_its_rows(tmp_path: Path) -> None:
    cells = {"x": ("0.3", "1", "0"), "y": ("0.75", "0.2", "0.5")}
    (tmp_path / "long").mkdir()
    (tmp_path / "wide").mkdir()
    for clip in ("home_1", "home_2"):
        long = [f"{k}\t{k + 1}\t{label}\t{own[k]}" for k in range(3) for label, own in cells.items()]
        wide = ["onset\toffset\tx\ty", *(f"{k}\t{k + 1}\t{cells['x'][k]}\t{cells['y'][k]}" for k in range(3))]
        (tmp_path / "long" / f"{clip}.txt").write_text("\n".join(long) + "\n")
        (tmp_path / "wide" / f"{clip}.tsv").write_text("\n".join(wide) + "\n")
        rows = [f"{clip}\t{row}" if k else f"filename\t{row}" for k, row in enumerate(wide)]
        with (tmp_path / "all.tsv").open("a") as table:
            table.write("\n".join(rows if clip == "home_1" else rows[1:]) + "\n")
    found = [audit_annotation(tmp_path / name) for name in ("long", "wide", "all.tsv")]
    assert found[0] == found[1] == found[2]
    assert (found[0].total.cells, found[0].total.between) == (12, 6)


def test_labels_without_cells_have_no_share() -> None:
    total = audit_annotation(EventTable("none", {"a_1": ()})).total
    assert (total.clips, total.cells, total.share, total.entropy) == (1, 0, None, 0)
