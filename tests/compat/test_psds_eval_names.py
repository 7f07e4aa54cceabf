"""The names of psds_eval give what the original gives."""

import importlib
from typing import Any

import numpy as np
import pytest

pandas = pytest.importorskip("pandas")

from compat.test_sed_eval_names import CASES, detected  # noqa: E402
from compat.test_sed_scores_eval import assert_same, number  # noqa: E402

COLUMNS = ["filename", "onset", "offset", "event_label"]


def module() -> Any:
    return importlib.import_module("tracepact.compat.psds_eval")


def table(case: int, threshold: float | None) -> Any:
    clips = CASES[case]["clips"]
    rows = [
        (f"{name}.wav", *event)
        for name, clip in clips.items()
        for event in (clip["events"] if threshold is None else detected(clip, threshold))
    ]
    return pandas.DataFrame(rows, columns=COLUMNS)


def evaluated(case: int) -> Any:
    clips = CASES[case]["clips"]
    lengths = pandas.DataFrame(
        [(f"{n}.wav", c["duration"]) for n, c in clips.items()], columns=["filename", "duration"]
    )
    shares = {"dtc_threshold": 0.5, "gtc_threshold": 0.5, "cttc_threshold": 0.3}
    psds = module().PSDSEval(ground_truth=table(case, None), metadata=lengths, **shares)
    for threshold in (0.2, 0.5, 0.7):
        psds.add_operating_point(table(case, threshold), info={"threshold": threshold})
    return psds


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize(
    ("name", "how"), [("plain", {}), ("crossed", {"alpha_ct": 0.5, "alpha_st": 1.0}), ("short", {"max_efpr": 300.0})]
)
def test_psds_of_operating_points_is_that_of_psds_eval(name: str, how: dict[str, float], case: int) -> None:
    score = evaluated(case).psds(**how)
    assert_same([score.value, score.plt.xp, score.plt.yp], number(CASES[case]["events"][f"psds {name}"]))


@pytest.mark.parametrize("case", range(len(CASES)))
def test_macro_f_scores_are_those_of_psds_eval(case: int) -> None:
    theirs = number(CASES[case]["events"]["psds macro f"])
    assert_same(evaluated(case).compute_macro_f_score(table(case, 0.5)), theirs)


@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_operating_point_of_a_constraint_is_that_of_psds_eval(case: int) -> None:
    constraints = pandas.DataFrame(
        [("cat", "tpr", 0.3), ("dog", "fpr", 2000), ("owl", "efpr", 2000), ("cat", "fscore", None)],
        columns=["class_name", "constraint", "value"],
    )
    chosen = evaluated(case).select_operating_points_per_class(constraints).to_dict("records")
    assert_same(chosen, number(CASES[case]["events"]["psds chosen"]))


def test_a_table_that_is_there_already_is_skipped_with_a_warning() -> None:
    psds = evaluated(0)
    with pytest.warns(UserWarning, match="similar operating point"):
        psds.add_operating_point(table(0, 0.5))
    assert psds.num_operating_points() == 3
    psds.clear_all_operating_points()
    assert psds.num_operating_points() == 0


def test_overlapping_detections_of_a_class_are_refused_as_there() -> None:
    rows = pandas.DataFrame([("clip0.wav", 0, 1, "cat"), ("clip0.wav", 0.5, 2, "cat")], columns=COLUMNS)
    with pytest.raises(module().psds.PSDSEvalError, match="intersecting"):
        evaluated(0).add_operating_point(rows)
    assert np.isfinite(evaluated(0).psds(max_efpr=100).value)
