"""The lab's detectors on the sound of a corpus, and score files of a baseline, under the contract."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import tracepact
from tracelab.corpora.clips import RealClips, Row
from tracelab.detectors.decoding import CONTRACT
from tracelab.detectors.models import load_model, save_model
from tracelab.detectors.recipes import CLASS_DETECTOR, DETECTORS, Recipe
from tracelab.detectors.training import TrainingClips, train
from tracelab.protocol import STEP
from tracelab.stages import Stages, code_digest
from tracelab.study.systems import score_masks
from tracepact.inputs import LARGEST_DOCUMENT, read_within

# Score files of a baseline (frame × class) under the contract: at three thresholds and at all, union and by class.

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


# The lab's detectors on the sound of a corpus: trained on its training recordings, scored on those of its test.

_CODE = ("corpora", "detectors", "features.py", "protocol.py")

OnSystem = Callable[[str], None]


def recipes(epochs: int | None) -> tuple[Recipe, ...]:
    """The detectors of the study, without augmented views: a corpus has none. `epochs` is for short trials."""
    chosen = [replace(recipe, augmented=False) for recipe in (*DETECTORS, CLASS_DETECTOR)]
    return tuple(r if epochs is None or not r.epochs else replace(r, epochs=epochs) for r in chosen)


def make_runs(
    stages: Stages,
    parts: tuple[RealClips, RealClips],
    classes: tuple[str, ...],
    chosen: tuple[Recipe, ...],
    seed: int,
    on_system: OnSystem,
) -> dict[str, Path]:
    """Train each detector and score it, by the run directory of its name; what was made before is kept."""
    learn, test = parts
    found = {}
    for recipe in chosen:
        key = {"recipe": asdict(recipe), "seed": seed, "code": code_digest(*_CODE), "classes": classes}
        key |= {"train": _digest(learn), "test": _digest(test)}

        def model(folder: Path, recipe: Recipe = recipe) -> None:
            made = train(recipe, TrainingClips(learn.heard), seed=seed, classes=classes)
            save_model(made, folder)

        place = stages.kept(f"model-{recipe.name}", key, model)

        def run(folder: Path, place: Path = place) -> None:
            made = load_model(place)
            score_masks(made.heard_as(test.heard)[1], made.labels, test.heard, STEP, folder / "run")

        found[recipe.name] = stages.kept(f"run-{recipe.name}", key, run) / "run"
        on_system(recipe.name)
    return found


def _digest(clips: RealClips) -> list[str]:
    """What a system depends on: names and labels, and the features that the sound gave."""
    arrays = (clips.heard.features, np.packbits(clips.heard.classes), clips.soft)
    return [*clips.heard.names, *(hashlib.sha256(np.ascontiguousarray(a).tobytes()).hexdigest() for a in arrays)]


def system_rows(runs: dict[str, Path]) -> Iterator[Row]:
    """The measures of every system; `labels` says whether it tells classes apart."""
    for name, path in runs.items():
        labels = "classes" if name == CLASS_DETECTOR.name else "union"
        report = json.loads(read_within(path, "report.json", LARGEST_DOCUMENT))
        for row in measured(report, labels):
            yield {"system": name, **row}


def gap_rows(path: Path) -> Iterator[Row]:
    """Union against class-indexed scoring of one run: frame and boundary F1, the mean, every clause (rule 16.4)."""
    yield from _measured_gaps(path)
    for row in tracepact.audit_union_gap(path).clauses:
        if row.aggregation is tracepact.Aggregation.POOLED:
            yield {
                "clause": row.clause,
                "class-indexed": str(row.class_indexed.value),
                "union": "" if row.union is None else str(row.union.value),
                "gap": "" if row.gap is None else str(row.gap),
            }


def _measured_gaps(path: Path) -> Iterator[Row]:
    """Frame and boundary F1 as means over classes and of the union, and the mean of the vector pooled."""
    files: dict[str, Any] = {"durations": path / "durations.tsv"}
    sides = (path / "reference.tsv", path / "prediction.tsv")
    reports = [tracepact.score(CONTRACT, *sides, mode=mode, **files).to_dict() for mode in _MODES.values()]
    found = [{m["name"]: m for m in report["metrics"]["metrics"]} for report in reports]
    f1 = {name: [metrics[name]["macro"]["f1"] for metrics in found] for name in ("frame", "boundary")}
    values: dict[str, list[Fraction | None]] = {
        f"{name} F1": [None if one is None else Fraction(one["value"]) for one in some] for name, some in f1.items()
    }
    values[MEAN] = [Fraction(report["logic"]["pooled"]["value"]) for report in reports]
    for name, (typed, union) in values.items():
        gap = None if typed is None or union is None else union - typed
        shown = ("" if value is None else str(value) for value in (typed, union, gap))
        yield {"clause": name, **dict(zip(("class-indexed", "union", "gap"), shown, strict=True))}


def support_rows(path: Path) -> Iterator[Row]:
    """By class: reference and predicted frames, their ratio, and the class most often predicted instead."""
    audit = tracepact.audit_union_gap(path)
    for one in audit.support:
        instead = [row for row in audit.substitutions if row.reference == one.label]
        most = max(instead, key=lambda row: row.frames, default=None)
        yield {
            "class": one.label,
            "reference frames": str(one.reference),
            "predicted frames": str(one.predicted),
            "support": "" if one.ratio is None else str(one.ratio),
            "substitution": "" if most is None else f"{most.predicted}",
            "share": "" if most is None else str(most.share),
        }
