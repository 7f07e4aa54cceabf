"""Rows of the probe: all that its tables are made of, computed from run directories and stored scores."""

import json
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from pathlib import Path

import tracepact
from tracelab.decoding import CONTRACT
from tracelab.probe.clips import SPEECH
from tracelab.probe.detections import score_arrays
from tracelab.probe.latency import stored_intervals, utterance_times
from tracelab.protocol import CONDITIONS
from tracelab.study.rows import MEAN, Row, Runs, metric_rows, score_rows

POINTS = 41
ENCODERS, GATES, ONSETS = "encoders", "gates", "onsets"
METRICS = ("frame", "transition", "boundary", MEAN, "soft boundary")
_CURVES = ("onset_guard", "offset_guard", "missing_guard", "spurious_guard", "fragmentation_guard", "mean", "frame_f1")


def row_files(folder: Path, draws: int) -> dict[str, Callable[[Runs], Iterable[Row]]]:
    """Every file of rows that follows from what is stored, and what makes it."""
    return {
        "scores": score_rows,
        "metrics": metric_rows,
        "conditions": condition_rows,
        "intervals": lambda runs: interval_rows(runs, draws),
        "utterances": utterance_rows,
        "curves": lambda runs: curve_rows(runs, folder),
    }


def condition_rows(runs: Runs) -> Iterator[Row]:
    """The standard metrics and the mean of the vector of every encoder under each condition."""
    for system, path in runs.of(ENCODERS).items():
        of = _conditions(path)
        for condition in CONDITIONS:
            clips = [clip for clip, own in of.items() if own == condition]
            if clips:
                yield from _condition(system, condition, path, clips)


def _condition(system: str, condition: str, path: Path, clips: list[str]) -> Iterator[Row]:
    report = tracepact.score(
        CONTRACT,
        ref=path / "reference.tsv",
        pred=path / "prediction.tsv",
        durations=path / "durations.tsv",
        clips=clips,
    ).to_dict()
    values: dict[str, str] = {}
    for metric in report["metrics"]["metrics"]:
        found = metric["micro"]["f1"] if metric["kind"] == "counts" else metric["micro"]
        values[metric["name"]] = "" if found is None else str(found["value"])
    values[MEAN] = str(report["logic"][report["aggregation"]]["value"])
    soft = report["soft_boundary"]["value"]
    values["soft boundary"] = "" if soft is None else str(soft)
    for name in METRICS:
        yield {"system": system, "condition": condition, "metric": name, "value": values.get(name, "")}


def interval_rows(runs: Runs, draws: int) -> Iterator[Row]:
    """Every clause and the mean of the vector with its interval over clips, each group under its own contract."""
    for group in runs.groups:
        paths = runs.of(group)
        audit = tracepact.audit_uncertainty(list(paths.values()), bootstrap=tracepact.Bootstrap(number=draws))
        for system in audit.systems:
            for clause, one in system.scores.items():
                yield {
                    "group": group,
                    "system": system.name,
                    "clause": MEAN if clause == "logic" else clause,
                    "value": str(one.value),
                    "low": repr(one.low),
                    "high": repr(one.high),
                }


def utterance_rows(runs: Runs) -> Iterator[Row]:
    """When each gate opens and shuts beside each utterance."""
    for system, path in runs.of(GATES).items():
        of = _conditions(path)
        speech, gate = (stored_intervals(path / f"{side}.tsv") for side in ("reference", "prediction"))
        for clip, own in speech.items():
            for one in utterance_times(clip, own, gate.get(clip, [])):
                yield {
                    "system": system,
                    "clip": clip,
                    "condition": of.get(clip, ""),
                    "start": str(one.start),
                    "end": str(one.end),
                    "opened": "" if one.opened is None else str(one.opened),
                    "lead": str(one.lead),
                    "closed": "" if one.closed is None else str(one.closed),
                }


def curve_rows(runs: Runs, folder: Path) -> Iterator[Row]:
    """Every guard at evenly spaced thresholds, and at its best one; exact, on the stored scores."""
    for system, path in runs.of(GATES).items():
        stored = folder / "scores" / f"{system}.npz"
        if not stored.exists():
            continue
        found = _curves(path, stored, Fraction(json.loads((folder / "scores" / "hops.json").read_text())[system]))
        for name in _CURVES:
            best = found.best(name)
            if best is not None:
                yield _point(system, name, "best", best.threshold, best.value.value)
            for step in range(POINTS):
                threshold = Fraction(step, POINTS - 1)
                yield _point(system, name, "grid", threshold, found.value(name, threshold))


def _curves(path: Path, stored: Path, hop: Fraction) -> tracepact.Curves:
    scores = score_arrays(stored)
    field = tracepact.score_field({clip: own[:, None] for clip, own in scores.items()}, classes=[SPEECH], step=hop)
    ignore = path / "ignore.tsv"
    return tracepact.curves(
        CONTRACT,
        path / "reference.tsv",
        field,
        durations=path / "durations.tsv",
        ignore=ignore if ignore.exists() else None,
    )


def _point(system: str, name: str, kind: str, threshold: Fraction, value: Fraction | None) -> Row:
    shown = "" if value is None else str(value)
    return {"system": system, "quantity": name, "kind": kind, "threshold": str(threshold), "value": shown}


def _conditions(path: Path) -> dict[str, str]:
    lines = (path / "conditions.tsv").read_text(encoding="utf-8").splitlines()[1:]
    pairs = (line.split("\t") for line in lines if line)
    return {clip: condition for clip, condition, *_ in pairs}
