"""Runs in another Python: the seconds of a processor that the originals of `tracepact.compat` take."""

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from time import process_time
from types import SimpleNamespace
from typing import Any

import numpy as np

COLLAR = {"onset_collar": 0.2, "offset_collar": 0.2, "offset_collar_rate": 0.2}
SHARES = {"dtc_threshold": 0.5, "gtc_threshold": 0.5}
PSDS1 = {"dtc_threshold": 0.7, "gtc_threshold": 0.7, "alpha_st": 1.0}
PSDS2 = {"dtc_threshold": 0.1, "gtc_threshold": 0.1, "cttc_threshold": 0.3, "alpha_ct": 0.5, "alpha_st": 1.0}


def calls(sed_eval: Any, sse: Any, psds_eval: Any, tables: Any, folder: str) -> dict[str, Callable[[], Any]]:
    """Every function that is timed, on the data of a folder, with these packages."""
    scores = np.load(Path(folder, "scores.npz"))["scores"]
    events = json.loads(Path(folder, "reference.json").read_text())
    step = 0.064
    times = np.round(np.arange(scores.shape[1] + 1) * step, 6)
    classes = [f"class{k}" for k in range(scores.shape[2])]
    frames = {clip: tables.create_score_dataframe(scores[k], times, classes) for k, clip in enumerate(events)}
    truth = {clip: [tuple(event) for event in some] for clip, some in events.items()}
    lengths = dict.fromkeys(frames, float(times[-1]))
    tags = {clip: sorted({event[2] for event in some}) for clip, some in truth.items()}
    detected = {}
    for k, clip in enumerate(events):
        detected[clip] = []
        for c, name in enumerate(classes):
            edges = np.flatnonzero(np.diff(scores[k, :, c] > 0.5, prepend=False, append=False))
            detected[clip] += [(times[a], times[b], name) for a, b in zip(edges[::2], edges[1::2])]  # noqa: B905
    listed = [
        {
            clip: [{"onset": float(on), "offset": float(off), "event_label": label} for on, off, label in some]
            for clip, some in side.items()
        }
        for side in (truth, detected)
    ]

    def file_by_file(metric: Any) -> Any:
        for clip in events:
            metric.evaluate(listed[0][clip], listed[1][clip])
        return [metric.results()["overall"]["f_measure"]["f_measure"]]

    def operating_points() -> Any:
        import pandas as pd

        rows = [[(clip, *event) for clip, some in side.items() for event in some] for side in (truth, detected)]
        columns = ["filename", "onset", "offset", "event_label"]
        reference, prediction = (pd.DataFrame(side, columns=columns) for side in rows)
        meta = pd.DataFrame(list(lengths.items()), columns=["filename", "duration"])
        found = psds_eval.PSDSEval(ground_truth=reference, metadata=meta, **SHARES)
        found.add_operating_point(prediction)
        return [found.psds(max_efpr=100).value]

    inter, coll, seg, clip = sse.intersection_based, sse.collar_based, sse.segment_based, sse.clip_based
    return {
        "EventBasedMetrics": lambda: file_by_file(sed_eval.sound_event.EventBasedMetrics(classes, t_collar=0.2)),
        "SegmentBasedMetrics": lambda: file_by_file(sed_eval.sound_event.SegmentBasedMetrics(classes)),
        "PSDSEval": operating_points,
        "intersection_based.psds (psds1)": lambda: [inter.psds(frames, truth, lengths, **PSDS1)[0]],
        "intersection_based.psds (psds2)": lambda: [inter.psds(frames, truth, lengths, **PSDS2)[0]],
        "intersection_based.fscore": lambda: [inter.fscore(frames, truth, 0.5, **SHARES)[0]["macro_average"]],
        "intersection_based.best_fscore": lambda: [inter.best_fscore(frames, truth, **SHARES)[0]["macro_average"]],
        "collar_based.fscore": lambda: [coll.fscore(frames, truth, 0.5, **COLLAR)[0]["macro_average"]],
        "collar_based.best_fscore": lambda: [coll.best_fscore(frames, truth, **COLLAR)[0]["macro_average"]],
        "segment_based.fscore": lambda: [
            seg.fscore(frames, truth, lengths, 0.5, segment_length=1.0)[0]["macro_average"]
        ],
        "segment_based.best_fscore": lambda: [
            seg.best_fscore(frames, truth, lengths, segment_length=1.0)[0]["macro_average"]
        ],
        "segment_based.auroc": lambda: [seg.auroc(frames, truth, lengths, segment_length=1.0, max_fpr=0.1)[0]["mean"]],
        "clip_based.average_precision": lambda: [clip.average_precision(frames, tags)[0]["mean"]],
        "medfilt": lambda: [len(tables.medfilt(frames, 7 * step))],
        "scores_to_event_list": lambda: [sum(map(len, tables.scores_to_event_list(frames, 0.5).values()))],
        "bootstrapped_psds": lambda: [np.mean(inter.bootstrapped_psds(frames, truth, lengths, **PSDS1)[0])],
    }


def measured(timed: dict[str, Callable[[], Any]]) -> dict[str, tuple[float, list[float]]]:
    """Seconds of a processor and values of each call."""
    found = {}
    for name, call in timed.items():
        start = process_time()
        values = call()
        found[name] = process_time() - start, [float(value) for value in values]
    return found


def main(folder: str) -> None:
    """Print seconds and values of the originals, as JSON."""
    warnings.simplefilter("ignore")
    import psds_eval  # type: ignore[import-not-found]
    import sed_eval
    import sed_scores_eval  # type: ignore[import-not-found]
    from sed_scores_eval.base_modules import detection, postprocessing, scores  # type: ignore[import-not-found]

    tables = SimpleNamespace(
        create_score_dataframe=scores.create_score_dataframe,
        medfilt=postprocessing.medfilt,
        scores_to_event_list=detection.scores_to_event_list,
    )
    print(json.dumps(measured(calls(sed_eval, sed_scores_eval, psds_eval, tables, folder))))


if __name__ == "__main__":
    main(sys.argv[1])
