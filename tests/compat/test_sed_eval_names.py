"""The names of sed_eval give what the original gives: counts, floats bit by bit, and reports."""

import importlib
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

CASES = json.loads(Path(__file__).with_name("originals.json").read_text())
LABELS = ["cat", "dog", "owl", "never"]


def module() -> Any:
    return importlib.import_module("tracepact.compat.sed_eval")


def listed(events: list[Any]) -> list[dict[str, Any]]:
    return [{"filename": "a.wav", "onset": on, "offset": off, "event_label": label} for on, off, label in events]


def detected(clip: dict[str, Any], threshold: float) -> list[Any]:
    """The runs of a clip above a threshold, as `originals.py` makes them."""
    runs = []
    for k, name in enumerate(LABELS[:3]):
        active = [row[k] is not None and row[k] > threshold for row in clip["scores"]]
        edges = [i for i, (a, b) in enumerate(zip([False, *active], [*active, False], strict=True)) if a != b]
        runs += [
            [round(clip["edges"][a], 3), round(clip["edges"][b], 3), name]
            for a, b in zip(edges[::2], edges[1::2], strict=True)
        ]
    return runs


OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "zero": {"empty_system_output_handling": "zero_score", "percentage_of_length": 0.2},
    "onset": {"evaluate_offset": False},
}


def assert_equal(ours: Any, theirs: Any) -> None:
    """Equal, not close; undefined is not a number."""
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs)
        for key, value in theirs.items():
            assert_equal(ours[key], value)
    else:
        assert (ours != ours) if theirs == "nan" else ours == theirs


def assert_report(ours: str, theirs: str) -> None:
    """The same words and numbers; spaces at the ends of lines are not looked at."""
    assert [line.rstrip() for line in ours.splitlines()] == [line.rstrip() for line in theirs.splitlines()]


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize("name", OPTIONS)
def test_event_metrics_are_those_of_sed_eval(name: str, case: int) -> None:
    metric = module().sound_event.EventBasedMetrics(LABELS, **{"t_collar": 0.2, **OPTIONS[name]})
    for clip in CASES[case]["clips"].values():
        assert metric.evaluate(listed(clip["events"]), listed(detected(clip, 0.5))) is metric
    results, overall, class_wise = CASES[case]["events"][f"event {name}"]
    assert_equal(metric.results(), results)
    assert_equal(metric.overall, overall)
    assert_equal(metric.class_wise, class_wise)
    assert_report(str(metric), CASES[case]["events"][f"event report {name}"])


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize(("name", "length"), [("default", None), ("length", 9.0)])
def test_segment_metrics_are_those_of_sed_eval(name: str, length: float | None, case: int) -> None:
    metric = module().sound_event.SegmentBasedMetrics(LABELS, time_resolution=0.5)
    for clip in CASES[case]["clips"].values():
        metric.evaluate(listed(clip["events"]), listed(detected(clip, 0.5)), evaluated_length_seconds=length)
    results, overall, class_wise = CASES[case]["events"][f"segment {name}"]
    assert_equal(metric.results(), results)
    assert_equal(metric.overall, overall)
    assert_equal(metric.class_wise, class_wise)
    assert_report(str(metric), CASES[case]["events"][f"segment report {name}"])


@given(st.floats(0, 1e7) | st.decimals(0, 10**6, places=3).map(float))
def test_a_time_is_the_decimal_it_was_typed_as(seconds: float) -> None:
    assert importlib.import_module("tracepact.compat.tables").typed(seconds) == Fraction(repr(seconds))
