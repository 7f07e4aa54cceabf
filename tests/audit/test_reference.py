"""The reference audit: what is settled stays and the bounds hold, whatever labels are wrong by less than so much."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import sized

from tracepact import Aggregation, Decoding, InvalidInput, Reading, Run, audit_reference, parse_contract, score

ASKED = {"hit": "ref_active", "quiet": "pred_active", "edges": "ref_onset | pred_onset", "others": "pred_active"}
"""The obligation of every clause."""
CONTRACT = parse_contract(f"""
contract c
step 20ms
clause hit    on {ASKED["hit"]} : N[1f] pred_active
clause quiet  on {ASKED["quiet"]} : N[1f] ref_active
clause edges  on {ASKED["edges"]} : N[1f] (ref_onset <-> pred_onset)
clause others on {ASKED["others"]} : !other_ref_active
""")
NAMES = ["cat", "dog"]
THRESHOLD = Fraction(1, 2)


def run_of(labels: Any, pred: Any, threshold: Fraction = THRESHOLD) -> Run:
    """A run on these arrays, with a second clip in which both classes are active, so that both are scored."""
    ref, predicted = {"a": labels, "all": np.ones((1, 2))}, {"a": pred, "all": np.ones((1, 2), dtype=bool)}
    return score(CONTRACT, ref, predicted, classes=NAMES, ref_reading=Reading(decoding=Decoding(threshold)))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, Fraction]:
    """Labels in hundredths, predictions, labels that are wrong by less than an uncertainty, and that."""
    frames = draw(st.integers(1, 7))
    within = draw(st.integers(1, 60))
    rows = st.lists(st.lists(st.integers(0, 100), min_size=2, max_size=2), min_size=frames, max_size=frames)
    labels = np.array(draw(rows))
    moves = draw(rows.map(lambda found: np.array(found) % (2 * within - 1) - (within - 1)))
    pred = np.array(draw(rows)) > 50
    return labels / 100, np.clip(labels + moves, 0, 100) / 100, pred, Fraction(within, 100)


@pytest.mark.slow
@given(cases())
@settings(max_examples=sized(400))
def test_no_labels_inside_the_uncertainty_leave_the_bounds(case: tuple[Any, Any, Any, Fraction]) -> None:
    labels, moved, pred, within = case
    run, other = run_of(labels, pred), run_of(moved, pred)
    for row in audit_reference(run, within=[within]).clauses:
        before, after = (found.card.score(row.clause, Aggregation.POOLED) for found in (run, other))
        assert (row.score, row.obligated) == (before.value, before.obligated)
        assert row.low <= before.value <= row.high
        assert row.low <= after.value <= row.high
        # An obligation that is not inside is asked and judged as before.
        changed = verdicts(run, row.clause) - verdicts(other, row.clause)
        assert len(changed) <= row.inside


def verdicts(run: Run, clause: str) -> set[tuple[int, int, bool]]:
    """Every obligation of a clause, by segment and frame, and whether it is violated."""
    card = run.card
    found = card.frame_violations(clause)
    violated = set(zip(found.segment.tolist(), found.frame.tolist(), strict=True))
    everywhere = parse_contract(f"contract c step 20ms clause k on {ASKED[clause]} : false")
    sides = (
        {clip: [(e.onset, e.offset, e.label) for e in events] for clip, events in table.clips.items()}
        for table in (run.reference, run.prediction)
    )
    asked = score(everywhere, *sides, durations=run.durations)
    all_asked = asked.card.frame_violations("k")
    places = zip(all_asked.segment.tolist(), all_asked.frame.tolist(), strict=True)
    return {(*place, place in violated) for place in places}


def test_what_is_inside_is_counted_by_hand() -> None:
    labels = np.array([[0.9, 0.0], [0.55, 0.0], [0.1, 0.0]])
    pred = np.array([[1, 0], [1, 0], [0, 0]], dtype=bool)
    audit = audit_reference(run_of(labels, pred), within=[Fraction(1, 10), Fraction(1, 20)])
    found = {(row.within, row.clause): row for row in audit.clauses}
    hit = found[Fraction(1, 10), "hit"]
    # Frames 0 and 1 of `cat`, and one frame of each class in the other clip; frame 1 may cease to be asked.
    assert (hit.obligated, hit.inside, hit.low, hit.high) == (4, 1, Fraction(1), Fraction(1))
    # A label at the uncertainty itself is settled: it would have to be wrong by all of it.
    assert found[Fraction(1, 20), "hit"].inside == 0
    near = {(row.within, row.label): (row.frames, row.inside) for row in audit.labels}
    assert near[Fraction(1, 10), "cat"] == (4, 1)
    assert near[Fraction(1, 10), "dog"] == (4, 0)
    assert audit.threshold == THRESHOLD


def test_the_scores_at_moved_thresholds_are_those_of_scoring_there() -> None:
    labels = np.array([[0.9, 0.45], [0.55, 0.6], [0.1, 0.0]])
    pred = np.array([[1, 0], [1, 1], [0, 1]], dtype=bool)
    rows = audit_reference(run_of(labels, pred), within=[Fraction(1, 10), Fraction(3, 4)]).clauses
    for row in rows:
        for end, value in ((-row.within, row.lower_threshold), (row.within, row.higher_threshold)):
            moved = min(Fraction(1), max(Fraction(0), THRESHOLD + end))
            again = run_of(labels, pred, moved)
            assert again.card.score(row.clause, Aggregation.POOLED).value == value


def test_a_reference_that_no_threshold_made_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as refused:
        audit_reference(score(CONTRACT, [(0, 1, "cat")], [(0, 1, "cat")], durations=2))
    assert [found.code for found in refused.value.diagnostics] == ["bad-decoding"]
    (tmp_path / "a.txt").write_text("0\t1\tcat\t0.7\n1\t2\tcat\t0.2\n")
    (tmp_path / "b.txt").write_text("0\t1\tcat\t0.7\n1\t2\tcat\t0.9\n")
    pred, how = {"a": [(0, 1, "cat")]}, Reading(decoding="0.5")
    run = score(CONTRACT, tmp_path / "a.txt", pred, durations={"a": 2}, ref_reading=how)
    run.save(tmp_path / "run")
    expected = audit_reference(run)
    assert audit_reference(tmp_path / "run", tmp_path / "a.txt") == expected
    with pytest.raises(InvalidInput) as refused:
        audit_reference(tmp_path / "run")
    assert "--labels" in str(refused.value)
    (tmp_path / "other").mkdir()
    (tmp_path / "b.txt").rename(tmp_path / "other" / "a.txt")
    with pytest.raises(InvalidInput) as refused:
        audit_reference(run, tmp_path / "other")
    assert [found.code for found in refused.value.diagnostics] == ["incomparable-runs"]
