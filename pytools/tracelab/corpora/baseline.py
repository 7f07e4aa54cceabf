"""Score files of a baseline (frame × class) under the contract: at three thresholds and at all, union and by class."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import tracepact
from tracelab.corpora.annotation import Row
from tracelab.decoding import CONTRACT

THRESHOLDS = (Fraction(3, 10), Fraction(1, 2), Fraction(7, 10))
MEAN = "mean of the vector"
_MODES = {"classes": tracepact.Mode.CLASS_INDEXED, "union": tracepact.Mode.UNION}


def baseline_rows(scores: Path, ref: Path, durations: Path | None, clips: Sequence[str] | None = None) -> Iterator[Row]:
    """The measures at each threshold, then the best of mean and event F1 over every threshold."""
    given: dict[str, Any] = {"durations": durations, "clips": clips}
    for labels, mode in _MODES.items():
        for threshold in THRESHOLDS:
            reading = tracepact.Reading(decoding=str(float(threshold)))
            run = tracepact.score(CONTRACT, ref, scores, mode=mode, pred_reading=reading, **given)
            yield from ({"threshold": f"{float(threshold):g}", **row} for row in measured(run.to_dict(), labels))
        found = tracepact.curves(CONTRACT, ref, scores, mode=mode, **given)
        for measure, name in (("mean", MEAN), ("event_f1", "event F1")):
            best = found.best(measure)
            if best is None:
                continue
            where = f"[{float(best.low or 0):.3f}, {float(best.high or 1):.3f})"
            yield {"threshold": f"best, in {where}", "labels": labels, "measure": name, "value": str(best.value.value)}


def measured(report: dict[str, Any], labels: str) -> Iterator[Row]:
    """Mean of the vector and every clause under the contract's aggregation, and the F1 of every counting metric."""
    how = report["aggregation"]
    values = {MEAN: report["logic"][how]["value"]}
    values |= {row["clause"]: row["scores"][how]["value"] for row in report["vector"]}
    for metric in report["metrics"]["metrics"]:
        if metric["kind"] == "counts" and metric["micro"]["f1"] is not None:
            values[f"{metric['name']} F1"] = metric["micro"]["f1"]["value"]
    for measure, value in values.items():
        yield {"labels": labels, "measure": measure, "value": str(value)}


def local_rows(run: Path) -> Iterator[Row]:
    """The measures of a stored run, as that of the local class detector, scored class by class."""
    found = measured(tracepact.load_run(run).to_dict(), "classes")
    yield from ({"threshold": "local class detector", **row} for row in found)


def clips_of(scores: Path) -> list[str]:
    """The clips that have scores: a reference of more clips says nothing of the others."""
    return sorted(path.stem for path in scores.glob("*.tsv"))
