"""The errors of frames against pyannote.metrics, where the definitions meet: times on the grid, no collar."""

import warnings
from typing import Any

import pytest
from metrics.builders import Rows, measured, random_sides

from tracepact import parse_contract
from tracepact.data.family import Mode
from tracepact.measures.policy import Errors
from tracepact.measures.results import CountMetric
from tracepact.measures.standard import StandardMetrics

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("pyannote.metrics")
    from pyannote.core import Annotation, Segment, Timeline
    from pyannote.metrics.detection import DetectionErrorRate
    from pyannote.metrics.identification import IdentificationErrorRate

TENTHS = parse_contract("contract tenths step 100ms clause heard on ref_active : pred_active")
SEEDS = range(40)


def annotation(side: Rows, clip: str) -> Any:
    found = Annotation(uri=clip)
    for track, (onset, offset, label) in enumerate(side.get(clip, [])):
        if onset != offset:
            found[Segment(float(onset), float(offset)), track] = label
    return found.support()  # events of one class that touch or overlap become one, as runs do


def components(metric: Any, ref: Rows, pred: Rows) -> dict[str, int]:
    """What the metric adds up over all clips, in tenths of a second."""
    total: dict[str, float] = {}
    for clip in ref | pred:
        found = metric.compute_components(annotation(ref, clip), annotation(pred, clip), uem=Timeline([Segment(0, 60)]))
        for name, value in found.items():
            total[name] = total.get(name, 0.0) + value
    return {name: round(value * 10) for name, value in total.items()}


def frames(found: StandardMetrics) -> CountMetric:
    (metric,) = (m for m in found.metrics if m.name == "frame")
    assert isinstance(metric, CountMetric)
    return metric


@pytest.mark.parametrize("seed", SEEDS)
def test_detection_errors_are_those_of_the_frames_of_all_classes_as_one(seed: int) -> None:
    ref, pred = random_sides(seed)
    theirs = components(DetectionErrorRate(), ref, pred)
    ours = frames(measured(ref, pred, contract=TENTHS, mode=Mode.UNION)).total
    assert (ours.fp, ours.fn, ours.tp + ours.fn) == tuple(theirs[k] for k in ("false alarm", "miss", "total"))


@pytest.mark.parametrize("seed", SEEDS)
def test_identification_errors_are_the_errors_of_frames(seed: int) -> None:
    ref, pred = random_sides(seed)
    theirs = components(IdentificationErrorRate(), ref, pred)
    metric = frames(measured(ref, pred, contract=TENTHS))
    assert metric.total.tp == theirs["correct"]
    assert metric.errors == Errors(*(theirs[k] for k in ("confusion", "missed detection", "false alarm", "total")))
