"""The lab's detectors on the sound of a corpus: trained on its training recordings, scored on those of its test."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

import tracepact
from tracelab.corpora.annotation import Row
from tracelab.corpora.baseline import measured
from tracelab.corpora.clips import RealClips
from tracelab.decoding import CONTRACT, active
from tracelab.detectors.models import load_model, save_model
from tracelab.detectors.recipes import CLASS_DETECTOR, DETECTORS, Recipe
from tracelab.detectors.training import Training, train
from tracelab.heard import events_of
from tracelab.protocol import STEP
from tracelab.stages import Stages, code_digest

_CODE = ("corpora", "detectors", "decoding.py", "features.py", "heard.py", "randomness.py")

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
            made = train(recipe, Training(learn.heard), seed=seed, classes=classes)
            save_model(made, folder)

        place = stages.kept(f"model-{recipe.name}", key, model)

        def run(folder: Path, place: Path = place) -> None:
            made = load_model(place)
            masks = dict(zip(test.heard.names, active(made.scores(test.heard), made.decoding), strict=True))
            tracepact.score(
                CONTRACT,
                ref=test.heard.reference(made.labels),
                pred=events_of(masks, made.labels, STEP),
                durations=dict.fromkeys(test.heard.names, test.heard.classes.shape[1] * STEP),
                conditions=test.heard.condition_of(),
            ).save(folder / "run")

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
        report = json.loads((path / "report.json").read_text(encoding="utf-8"))
        for row in measured(report, labels):
            yield {"system": name, **row}


def gap_rows(path: Path) -> Iterator[Row]:
    """Union against class-indexed scoring of one run, clause by clause, pooled (rule 16.4)."""
    for row in tracepact.audit_union_gap(path).clauses:
        if row.aggregation is tracepact.Aggregation.POOLED:
            yield {
                "clause": row.clause,
                "class-indexed": str(row.class_indexed.value),
                "union": "" if row.union is None else str(row.union.value),
                "gap": "" if row.gap is None else str(row.gap),
            }


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
