"""The worked examples: values derived by hand from the rules, through the public interface."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import tracepact
from tracepact import Aggregation, InvalidInput
from tracepact.language.contract import MatcherKind

STARTER = tracepact.starter_contracts()["boundary_gate"]


def pooled(ref: list[tuple[float, float]], pred: list[tuple[float, float]], **options: object) -> dict[str, Fraction]:
    run = tracepact.score(STARTER, ref, pred, durations=5, **options)  # type: ignore[arg-type]  # options of score
    return {name: score.value for name, score in run.card.vector(Aggregation.POOLED).items()}


def test_late_and_long() -> None:
    """Reference [1, 2) is frames 50 to 99, prediction [1.06, 2.4) frames 53 to 119."""
    at = {tol: pooled([(1.0, 2.0)], [(1.06, 2.4)], set={"tol": tol}) for tol in ("40ms", "60ms", "80ms")}
    assert at["60ms"]["onset_guard"] == 1  # 3 frames late, radius 3
    assert at["40ms"]["onset_guard"] == 0  # radius 2
    assert at["80ms"]["offset_guard"] == 0  # offset frames 100 and 120, 20 apart
    # lengths 50 and 67 frames differ by 17 > 0.25 · 50
    assert at["40ms"]["duration_guard"] == 0
    # of 67 predicted frames, those from 101 to 119 are more than one frame from the reference's last, 99
    assert at["40ms"]["silence_guard"] == Fraction(67 - 19, 67)
    # only frame 50 is more than 2 frames from the first predicted one
    assert at["40ms"]["missing_guard"] == Fraction(49, 50)


def test_fragments() -> None:
    """Three pieces inside [1, 2): frames 50-63, 66-81, 84-99 leave two gaps of two frames each."""
    found = pooled([(1.0, 2.0)], [(1.0, 1.28), (1.32, 1.64), (1.68, 2.0)])
    assert found["fragmentation_guard"] == 0
    assert found["missing_guard"] == 1  # every silent frame has support within 2 frames
    assert found["onset_guard"] == found["offset_guard"] == 1


def test_late_tail() -> None:
    found = pooled([(1.0, 2.0)], [(1.0, 3.0)])
    assert (found["onset_guard"], found["offset_guard"], found["duration_guard"]) == (1, 0, 0)


@pytest.mark.parametrize(
    ("ref", "pred", "greedy", "optimal"),
    [
        ([(0.2, 0.6), (1.0, 1.6)], [(0.24, 0.62), (0.98, 1.56)], 2, 2),
        # The long prediction is cheapest on the second reference and leaves the others without a partner.
        ([(0.2, 0.4), (0.5, 1.5)], [(0.3, 1.3), (1.4, 1.6)], 1, 2),
        ([(0.2, 1.2)], [(0.2, 0.6), (0.72, 1.2)], 1, 1),
    ],
)
def test_the_matching_audit_of_three_cases(
    ref: list[tuple[float, float]], pred: list[tuple[float, float]], greedy: int, optimal: int
) -> None:
    text = STARTER.read_text(encoding="utf-8")
    for kind, pairs in ((MatcherKind.GREEDY, greedy), (MatcherKind.OPTIMAL, optimal)):
        run = tracepact.score(text.replace("matcher greedy", f"matcher {kind.value}"), ref, pred, durations=2)
        assert len(run.card.events.matches) == pairs


# In-memory data of every kind


def test_masks_intervals_and_frames_of_a_table_are_scored_alike() -> None:
    import pandas as pd

    ref, pred = np.zeros(250, dtype=bool), np.zeros(250, dtype=bool)
    ref[50:100], pred[53:120] = True, True
    table = pd.DataFrame({"filename": ["a"], "onset": [1.0], "offset": [2.0], "event_label": ["x"]})
    predicted = table.assign(onset=1.06, offset=2.4)
    runs = [
        tracepact.score(STARTER, ref, pred),
        tracepact.score(STARTER, ref.tolist(), pred.tolist()),
        tracepact.score(STARTER, [(1.0, 2.0)], [(1.06, 2.4)], durations=5),
        tracepact.score(STARTER, {"a": [("1", "2", "x")]}, {"a": [("1.06", "2.4", "x")]}, durations={"a": "5.0"}),
        tracepact.score(STARTER, table, predicted, durations=5),
        tracepact.score(STARTER, ref, [(1.06, 2.4)]),
        tracepact.score(STARTER, ref.astype(int), pred.astype(float)),
        tracepact.score(STARTER, {"a": ref}, {"a": pred.tolist()}),
        tracepact.score(
            STARTER, table, predicted, durations=pd.DataFrame({"filename": ["a"], "duration": [5.0]}), mode="union"
        ),
    ]
    assert len({tuple(run.vector.items()) for run in runs}) == 1
    assert runs[0].vector["silence_guard"] == Fraction(48, 67)


def test_masks_of_different_length_or_shape_are_refused() -> None:
    for ref, pred in ((np.zeros(10, bool), np.zeros(50, bool)), (np.zeros((2, 10), bool), np.zeros(10, bool))):
        with pytest.raises(InvalidInput) as caught:
            tracepact.score(STARTER, ref, pred)
        assert [d.code for d in caught.value.diagnostics] == ["wrong-mask"]


def test_a_mode_is_given_by_name_and_others_are_refused() -> None:
    events = {"a": [(0.5, 1.0, "x"), (0.8, 1.5, "y")]}
    assert tracepact.score(STARTER, events, events, durations=3, mode="union").card.family.classes == ("*",)
    with pytest.raises(InvalidInput, match="did you mean `union`"):
        tracepact.score(STARTER, events, events, durations=3, mode="unoin")


def test_a_run_gives_its_violations_and_its_report(tmp_path: Path) -> None:
    run = tracepact.score("boundary_gate", [(1.0, 2.0)], [(1.06, 2.4)], durations=5)
    (late,) = run.violations("onset_guard")
    assert (late["time"], late["distance"]) == ("1", {"offset": 3, "frames": 3, "seconds": "3/50"})
    (long,) = run.violations("duration_guard")
    # 67 − 50 = 17 frames of 20 ms against a quarter of 50 frames, 12.5 of them: 4.5 too many
    assert long["comparison"]["amount"] == "9/100"
    assert len(run.violations("silence_guard")) == 19
    assert "onset_guard" in str(run)
    assert "silence_guard=0.716" in repr(run)
    assert {path.name for path in run.save(tmp_path)} >= {"report.json", "report.txt", "violations.csv"}
    with pytest.raises(InvalidInput, match="did you mean `onset_guard`"):
        run.violations("onset_gard")


def test_a_refusal_says_where_and_how_to_mend_it() -> None:
    with pytest.raises(InvalidInput) as caught:
        tracepact.score("contract c step 20ms clause g on ref_onest : true", [(1, 2)], [(1, 2)], durations=5)
    assert "did you mean `ref_onset`?" in str(caught.value)
    assert "^^^^^^^^^" in str(caught.value)


def test_a_run_shows_in_a_notebook() -> None:
    html = tracepact.score(STARTER, [(1.0, 2.0)], [(1.06, 2.4)], durations=5)._repr_html_()
    assert "<table>" in html
    assert "onset_guard" in html
    assert "48 / 67" in html


def test_warnings_are_kept_and_strict_refuses_them() -> None:
    overlapping = [(1.0, 2.0), (1.5, 2.5)]
    run = tracepact.score(STARTER, overlapping, overlapping, durations=5)
    assert [d.code for d in run.diagnostics] == ["joined-events"] * 2
    with pytest.raises(InvalidInput):
        tracepact.score(STARTER, overlapping, overlapping, durations=5, strict=True)


def test_conditions_group_the_clips_and_must_be_complete() -> None:
    events = {"a": [(1.0, 2.0)], "b": [(1.0, 2.0)]}
    run = tracepact.score(STARTER, events, events, durations=5, conditions={"a": "in", "b": "out"})
    assert run.conditions == {"a": "in", "b": "out"}
    with pytest.raises(InvalidInput):
        tracepact.score(STARTER, events, events, durations=5, conditions={"a": "in"})
