"""Runs in another Python: the PSDS that sed_scores_eval gives for a folder, and the seconds of a processor it takes."""

import json
import sys
from pathlib import Path
from time import process_time

import numpy as np
from sed_scores_eval import intersection_based  # type: ignore[import-not-found]
from sed_scores_eval.base_modules.scores import create_score_dataframe  # type: ignore[import-not-found]

HOW = {
    "psds1": {"dtc_threshold": 0.7, "gtc_threshold": 0.7, "alpha_st": 1.0},
    "psds2": {"dtc_threshold": 0.1, "gtc_threshold": 0.1, "cttc_threshold": 0.3, "alpha_ct": 0.5, "alpha_st": 1.0},
}


def main(folder: str, step: float) -> None:
    """Print seconds and value by scenario, as JSON."""
    scores = np.load(Path(folder, "scores.npz"))["scores"]
    events = json.loads(Path(folder, "reference.json").read_text())
    times = np.round(np.arange(scores.shape[1] + 1) * step, 6)
    classes = [f"class{k}" for k in range(scores.shape[2])]
    frames = {clip: create_score_dataframe(scores[k], times, classes) for k, clip in enumerate(events)}
    reference = {clip: [tuple(event) for event in some] for clip, some in events.items()}
    lengths = dict.fromkeys(frames, scores.shape[1] * step)
    found = {}
    for name, how in HOW.items():
        start = process_time()
        value = intersection_based.psds(frames, reference, lengths, **how)[0]
        found[name] = process_time() - start, float(value)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
