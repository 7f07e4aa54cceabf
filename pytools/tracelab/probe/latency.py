"""When a gate opens and shuts beside each utterance: exact times, and intervals of their medians over clips."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tracelab.randomness import generator

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
    for row in csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")), delimiter="\t"):
        own = found.setdefault(row["filename"], [])
        if row["onset"]:
            own.append((Fraction(row["onset"]), Fraction(row["offset"])))
    return found


def drawn_clips(clips: int, draws: int, seed: int) -> npt.NDArray[np.int64]:
    """Clips drawn with replacement, draws × clips; the same for every system."""
    return generator(seed, "latency", clips, draws).integers(0, clips, size=(draws, clips))


def quantile_interval(
    values: Sequence[Sequence[float]], share: float, draws: npt.NDArray[np.int64]
) -> tuple[float, float, float] | None:
    """A quantile of values that are grouped by clip, with its interval over drawn clips; None without a value."""
    grouped = [np.asarray(own, dtype=np.float64) for own in values]
    every = np.concatenate(grouped) if grouped else np.empty(0)
    if not len(every):
        return None
    found = []
    for drawn in draws:
        pooled = np.concatenate([grouped[clip] for clip in drawn])
        if len(pooled):
            found.append(np.quantile(pooled, share, method="inverted_cdf"))
    low, high = np.percentile(found, LEVEL)
    return float(np.quantile(every, share, method="inverted_cdf")), float(low), float(high)
