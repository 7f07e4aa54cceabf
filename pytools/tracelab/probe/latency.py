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
