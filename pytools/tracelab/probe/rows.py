"""Rows of the probe at its scales: run directories, stored scores, and when gates open and shut."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt

import tracepact
from tracelab.detectors.decoding import CONTRACT
from tracelab.detectors.recipes import DETECTORS, Recipe
from tracelab.probe.clips import SPEECH
from tracelab.probe.encoding import score_arrays
from tracelab.protocol import CONDITIONS, Protocol, generator
from tracelab.study.rows import MEAN, Row, Runs, metric_rows, read_pairs, reported_metrics, score_rows, scored_part
from tracepact.inputs import read_within
from tracepact.wording import parse_stored

# The sizes at which the probe can be run.

HEAD = replace(
    next(recipe for recipe in DETECTORS if recipe.name == "contract_tcn_aug"),
    name="boundary_head",
    augmented=False,
    epochs=40,
    batch=8,
)


@dataclass(frozen=True, slots=True)
class ProbeScale:
    """One size of the probe: clips for the encoders, clips for the detectors, how much training, draws of a bootstrap.

    The head is the one of `contract_tcn_aug`. Its training clips are heard once each, under a condition drawn for each
    at the severity of training; small batches and more epochs give it about as many steps as the study has.
    """

    name: str
    encoders: Protocol
    detectors: Protocol
    epochs: float
    draws: int

    @property
    def head(self) -> Recipe:
        """The head with the epochs of this scale, one at least."""
        return replace(HEAD, epochs=max(1, round(HEAD.epochs * self.epochs)))


PROBE_SCALES = {
    "smoke": ProbeScale("smoke", Protocol(train_clips=16, test_clips=7), Protocol(test_clips=14), 0.05, 100),
    "small": ProbeScale("small", Protocol(train_clips=64, test_clips=35), Protocol(test_clips=70), 0.5, 500),
    "paper": ProbeScale("paper", Protocol(train_clips=128, test_clips=70), Protocol(), 1.0, 1000),
}


# When a gate opens and shuts beside each utterance: exact times, and intervals of their medians over clips.

Interval = tuple[Fraction, Fraction]
LEVEL = (2.5, 97.5)


@dataclass(frozen=True, slots=True)
class Utterance:
    """One utterance and its gate.

    `opened` is the time from its start to the first moment in it at which the gate is open, None if there is none.
    `lead` is how long the gate had been open at its start. `closed` is from its end to where the gate shuts: positive
    if the gate stays open, negative if it shut before.
    """

    clip: str
    start: Fraction
    end: Fraction
    opened: Fraction | None
    lead: Fraction
    closed: Fraction | None


def utterance_times(clip: str, speech: Sequence[Interval], gate: Sequence[Interval]) -> Iterator[Utterance]:
    """Each utterance of a clip, by time; spans of the gate that touch are one."""
    spans = joined_spans(gate)
    for start, end in sorted(speech):
        inside = [(a, b) for a, b in spans if a < end and b > start]
        if not inside:
            yield Utterance(clip, start, end, None, Fraction(0), None)
            continue
        first, last = inside[0], inside[-1]
        yield Utterance(
            clip, start, end, max(first[0] - start, Fraction(0)), max(start - first[0], Fraction(0)), last[1] - end
        )


def joined_spans(spans: Sequence[Interval]) -> list[Interval]:
    """Spans that overlap or touch as one."""
    found: list[Interval] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def stored_intervals(path: Path) -> dict[str, list[Interval]]:
    """The events of a table of a run directory, by clip; a clip without events has none."""
    found: dict[str, list[Interval]] = {}
    for row in csv.DictReader(io.StringIO(read_within(path.parent, path.name).decode()), delimiter="\t"):
        own = found.setdefault(row["filename"], [])
        if row["onset"]:
            own.append((parse_stored(row["onset"]), parse_stored(row["offset"])))
    return found


def drawn_clips(clips: int, draws: int, seed: int) -> npt.NDArray[np.int64]:
    """Clips drawn with replacement, draws × clips; the same for every system."""
    return generator(seed, "latency", clips, draws).integers(0, clips, size=(draws, clips))


def quantile_interval(
    values: Sequence[Sequence[float]], share: Fraction, draws: npt.NDArray[np.int64]
) -> tuple[float, float, float] | None:
    """A quantile of values that are grouped by clip, with its interval over drawn clips; None without a value.

    It is the least value that at least the share of all values does not exceed.
    """
    clip_of = np.repeat(np.arange(len(values)), [len(own) for own in values])
    every = np.array([value for own in values for value in own], dtype=np.float64)
    if not len(every):
        return None
    order = np.argsort(every, kind="stable")
    times = np.stack([np.bincount(drawn, minlength=len(values)) for drawn in (np.arange(len(values)), *draws)])
    counted = np.cumsum(times[:, clip_of[order]], axis=1)
    drawn_any = counted[:, -1] > 0
    reached = counted * share.denominator >= counted[:, -1:] * share.numerator
    found = every[order][np.argmax(reached, axis=1)]
    low, high = np.percentile(found[1:][drawn_any[1:]], LEVEL) if drawn_any[1:].any() else (found[0], found[0])
    return float(found[0]), float(low), float(high)


# Rows of the probe: all that its tables are made of, computed from run directories and stored scores.

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
        of = read_pairs(path / "conditions.tsv")
        for condition in CONDITIONS:
            clips = [clip for clip, own in of.items() if own == condition]
            if clips:
                yield from _condition(system, condition, path, clips)


def _condition(system: str, condition: str, path: Path, clips: list[str]) -> Iterator[Row]:
    values = {name: value for name, value, _ in reported_metrics(scored_part(path, clips))}
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
        of = read_pairs(path / "conditions.tsv")
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
        found = _curves(path, stored, Fraction(json.loads(read_within(folder, "scores/hops.json"))[system]))
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
