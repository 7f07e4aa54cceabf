"""Runs in an environment of the originals and writes `originals.json`: inputs drawn at random, and what they give.

Python 3.11 with NumPy 1.23.5, pandas 1.5.3, SciPy 1.11.4, sed_eval 0.2.1, sed_scores_eval 0.0.4 and psds_eval 0.5.3:

    python originals.py > originals.json
"""

import json
import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd

warnings.simplefilter("ignore")
import psds_eval  # type: ignore[import-not-found]  # noqa: E402
import sed_eval  # noqa: E402
import sed_scores_eval as sse  # type: ignore[import-not-found]  # noqa: E402
from sed_scores_eval.base_modules.bootstrap import confidence_interval  # type: ignore[import-not-found]  # noqa: E402
from sed_scores_eval.base_modules.detection import scores_to_event_list  # type: ignore[import-not-found]  # noqa: E402
from sed_scores_eval.base_modules.postprocessing import medfilt  # type: ignore[import-not-found]  # noqa: E402
from sed_scores_eval.base_modules.scores import create_score_dataframe  # type: ignore[import-not-found]  # noqa: E402

CLASSES = ["cat", "dog", "owl"]


def drawn(seed: int) -> dict[str, Any]:
    """A ground truth and scores around it: few levels in some, so that scores tie; minus infinity in some."""
    draw = np.random.default_rng(seed)
    step = [0.016, 0.02, 0.064, 0.1][seed % 4]
    clips = {}
    for k in range(5):
        frames = int(draw.integers(40, 80))
        events = []
        for label in CLASSES:
            edges = np.sort(draw.choice(np.arange(1, int(frames * step * 100)), 4, replace=False)) / 100
            number = 2 if k == 0 else int(draw.integers(0, 3))
            events += [[float(edges[2 * i]), float(edges[2 * i + 1]), label] for i in range(number)]
        times = np.round((np.arange(frames) + 0.5) * step, 6)
        active = np.array([[any(a <= t < b for a, b, c in events if c == name) for name in CLASSES] for t in times])
        noise = np.cumsum(draw.normal(0, 0.3, active.shape), axis=0)
        scores = 1 / (1 + np.exp(-(3 * active - 1.5 + noise)))
        scores = np.round(scores, [1, 2, 6][seed % 3])
        if seed % 5 == 4:
            scores[scores < 0.2] = -np.inf
        edges_of = (np.arange(frames + 1) * step).tolist()
        clips[f"clip{k}"] = {
            "events": events,
            "duration": float(np.round(frames * step + [0, 0.3][seed % 2], 3)),
            "edges": edges_of,
            "scores": [[None if x == -np.inf else float(x) for x in row] for row in scores],
        }
    return clips


def plain(value: Any) -> Any:
    """Results as JSON has them."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (np.floating, np.integer)):
        return plain(value.item())
    if isinstance(value, float) and value != value:
        return "nan"
    if isinstance(value, float) and abs(value) == float("inf"):
        return "inf" if value > 0 else "-inf"
    return value


def score_values(clips: dict[str, Any]) -> dict[str, Any]:
    """What sed_scores_eval gives."""
    scores = {
        name: create_score_dataframe(
            np.array([[-np.inf if x is None else x for x in row] for row in clip["scores"]]),
            np.array(clip["edges"]),
            CLASSES,
        )
        for name, clip in clips.items()
    }
    truth = {name: clip["events"] for name, clip in clips.items()}
    tags = {name: sorted({event[2] for event in events}) for name, events in truth.items()}
    lengths = {name: clip["duration"] for name, clip in clips.items()}
    collar = {"onset_collar": 0.2, "offset_collar": 0.2, "offset_collar_rate": 0.2}
    shares = {"dtc_threshold": 0.5, "gtc_threshold": 0.5}
    crossed = {"dtc_threshold": 0.1, "gtc_threshold": 0.1, "cttc_threshold": 0.3, "alpha_ct": 0.5, "alpha_st": 1.0}
    step = clips["clip0"]["edges"][1]
    filters = [0.0, 3 * step, 7 * step]
    inter, coll, seg, clip = sse.intersection_based, sse.collar_based, sse.segment_based, sse.clip_based
    wide = {"max_efpr": 5000.0}
    filtered = medfilt(scores, 5 * step)
    return {
        "psds1": inter.psds(scores, truth, lengths, dtc_threshold=0.7, gtc_threshold=0.7, alpha_st=1.0, **wide),
        "psds2": inter.psds(scores, truth, lengths, **crossed, **wide),
        "psds minute": inter.psds(scores, truth, lengths, **shares, unit_of_time="minute", max_efpr=20.0),
        "bootstrapped": inter.bootstrapped_psds(scores, truth, lengths, **shares, n_iterations=2, **wide)[0],
        "independent": without_scores(
            *inter.median_filter_independent_psds(
                scores, truth, lengths, median_filter_lengths_in_sec=filters, **shares, **wide
            )[:4]
        ),
        "intersection fscore": inter.fscore(scores, truth, 0.5, **shares)[:3],
        "intersection best": inter.best_fscore(scores, truth, **shares)[:4],
        "collar fscore": coll.fscore(scores, truth, 0.5, **collar)[:3],
        "collar fscore by class": coll.fscore(scores, truth, {"cat": 0.3, "dog": 0.5, "owl": 0.71}, **collar)[:3],
        "collar best": coll.best_fscore(scores, truth, **collar)[:4],
        "collar best precise": coll.best_fscore(scores, truth, **collar, min_precision=0.6, beta=0.5)[:4],
        "collar curve": at_thresholds(*coll.fscore_curve(scores, truth, **collar)["cat"][:4]),
        "collar precision": at_thresholds(*coll.precision_recall_curve(scores, truth, **collar)["dog"][:3]),
        "segment fscore": seg.fscore(scores, truth, lengths, 0.5, segment_length=1.0)[:3],
        "segment best": seg.best_fscore(scores, truth, lengths, segment_length=0.5)[:4],
        "segment average precision": seg.average_precision(scores, truth, lengths, segment_length=0.25)[0],
        "segment auroc": with_stable_sort(seg.auroc, scores, truth, lengths, segment_length=0.25),
        "segment pauroc": with_stable_sort(seg.auroc, scores, truth, lengths, segment_length=0.25, max_fpr=0.1),
        "segment roc": seg.roc_curve(scores, truth, lengths, segment_length=0.25)["cat"][:3],
        "clip average precision": clip.average_precision(scores, tags)[0] if clip_defined(tags) else None,
        "medfilt": {name: table.to_numpy() for name, table in filtered.items()},
        "events": scores_to_event_list(scores, 0.5),
        "confidence": confidence_interval([0.1, 0.4, 0.3, 0.9]),
    }


def without_scores(value: Any, by_class: Any, roc: Any, class_rocs: dict[str, Any]) -> list[Any]:
    """Results without the scores of operating points, of which several may be equally good."""
    return [value, by_class, roc, {name: [part[0], part[1], part[3]] for name, part in class_rocs.items()}]


def at_thresholds(*columns: np.ndarray) -> list[Any]:
    """The values of a curve at some thresholds, given its columns, the scores last."""
    order = np.argsort(columns[-1], kind="stable")
    places = [order[np.searchsorted(columns[-1][order], t, side="right")] for t in np.arange(0.05, 0.95, 0.1)]
    return [[column[place] for column in columns[:-1]] for place in places]


def with_stable_sort(auroc: Any, *arguments: Any, **options: Any) -> dict[str, Any]:
    """The areas with a stable sort of the rates of false alarms.

    The original sorts them by NumPy's default sort, which leaves equal rates in an order that depends on the processor;
    the area then depends on it too.
    """
    argsort = np.argsort
    np.argsort = lambda a, **more: argsort(a, **{**more, "kind": "stable"})
    try:
        return auroc(*arguments, **options)[0]
    finally:
        np.argsort = argsort


def clip_defined(tags: dict[str, list[str]]) -> bool:
    """Whether each class is in some clip."""
    return all(any(name in some for some in tags.values()) for name in CLASSES)


def event_values(clips: dict[str, Any]) -> dict[str, Any]:
    """What sed_eval and psds_eval give for the events above one half, and at three thresholds."""
    values: dict[str, Any] = {}
    for name, options in (
        ("default", {}),
        ("zero", {"empty_system_output_handling": "zero_score", "percentage_of_length": 0.2}),
        ("onset", {"evaluate_offset": False}),
    ):
        metric = sed_eval.sound_event.EventBasedMetrics([*CLASSES, "never"], **{"t_collar": 0.2, **options})
        for clip in clips.values():
            metric.evaluate(listed(clip["events"]), listed(detected(clip, 0.5)))
        values[f"event {name}"] = metric.results(), metric.overall, metric.class_wise
        values[f"event report {name}"] = str(metric)
    for name, length in (("default", None), ("length", 9.0)):
        segments = sed_eval.sound_event.SegmentBasedMetrics([*CLASSES, "never"], time_resolution=0.5)
        for clip in clips.values():
            segments.evaluate(listed(clip["events"]), listed(detected(clip, 0.5)), evaluated_length_seconds=length)
        values[f"segment {name}"] = segments.results(), segments.overall, segments.class_wise
        values[f"segment report {name}"] = str(segments)
    table = [(f"{name}.wav", *event) for name, clip in clips.items() for event in clip["events"]]
    columns = ["filename", "onset", "offset", "event_label"]
    meta = pd.DataFrame(
        [(f"{name}.wav", clip["duration"]) for name, clip in clips.items()], columns=["filename", "duration"]
    )
    psds = psds_eval.PSDSEval(
        ground_truth=pd.DataFrame(table, columns=columns),
        metadata=meta,
        dtc_threshold=0.5,
        gtc_threshold=0.5,
        cttc_threshold=0.3,
    )
    for threshold in (0.2, 0.5, 0.7):
        rows = [(f"{name}.wav", *event) for name, clip in clips.items() for event in detected(clip, threshold)]
        table_of = pd.DataFrame(rows, columns=columns)
        psds.add_operating_point(table_of, info={"threshold": threshold})
        if threshold == 0.5 and rows:
            values["psds macro f"] = psds.compute_macro_f_score(table_of)
    for name, how in (("plain", {}), ("crossed", {"alpha_ct": 0.5, "alpha_st": 1.0}), ("short", {"max_efpr": 300.0})):
        found = psds.psds(**how)
        values[f"psds {name}"] = found.value, found.plt.xp, found.plt.yp
    constraints = pd.DataFrame(
        [("cat", "tpr", 0.3), ("dog", "fpr", 2000), ("owl", "efpr", 2000), ("cat", "fscore", None)],
        columns=["class_name", "constraint", "value"],
    )
    values["psds chosen"] = psds.select_operating_points_per_class(constraints).to_dict("records")
    return values


def detected(clip: dict[str, Any], threshold: float) -> list[Any]:
    """The runs of a clip above a threshold, to three decimals."""
    found = []
    for k, name in enumerate(CLASSES):
        active = [row[k] is not None and row[k] > threshold for row in clip["scores"]]
        start = None
        for i, on in enumerate([*active, False]):
            if on and start is None:
                start = i
            if not on and start is not None:
                found.append([round(clip["edges"][start], 3), round(clip["edges"][i], 3), name])
                start = None
    return found


def listed(events: list[Any]) -> list[dict[str, Any]]:
    """Events as sed_eval takes them."""
    return [{"filename": "a.wav", "onset": on, "offset": off, "event_label": label} for on, off, label in events]


if __name__ == "__main__":
    cases = []
    for seed in map(int, sys.argv[1:] or range(6)):
        clips = drawn(seed)
        cases.append(
            {"seed": seed, "clips": clips, "scores": plain(score_values(clips)), "events": plain(event_values(clips))}
        )
    json.dump(cases, sys.stdout, separators=(",", ":"))
