"""Boundaries clip by clip: pairs, errors and pieces of every run, and what a bootstrap over clips says of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tracelab.protocol import STEP, generator
from tracelab.study.rows import GUARDS, Row, Runs, read_pairs
from tracepact.inputs import read_within
from tracepact.show import csv_rows
from tracepact.wording import parse_stored, parse_whole

Span = tuple[Fraction, Fraction]
_HALF_STEP = STEP / 2
_SHORT = Fraction(1, 25)
PUBLISHED_VARIANTS = ("decode_calibrated", "augmentation_only", "boundary_objective", "union_full", "class_full")
CONTRASTS = (
    ("augmentation over clean", "clean_dilated", "augmentation_only"),
    ("edge decode over augmentation", "augmentation_only", "union_full"),
    ("class indexed union shift", "union_full", "class_full"),
)


def boundary_rows(runs: Runs) -> Iterator[Row]:
    """For every run, clip and class: runs of frames in reference and prediction, pairs, and how far the pairs are off.

    The pairs are those of the contract's matcher, as `matches.csv` has them; a boundary F1 counts them (rule 15.4).
    """
    for group, system, path in runs.every():
        conditions = read_pairs(path / "conditions.tsv")
        references, predictions = (_frame_runs(path, name) for name in ("reference.tsv", "prediction.tsv"))
        pairs = _pairs(path)
        for clip, condition in conditions.items():
            for label in sorted({name for of, name in (*references, *predictions)}):
                key = clip, label
                ref, pred = references.get(key, []), predictions.get(key, [])
                matched = pairs.get(key, [])
                if not ref and not pred:
                    continue
                yield {
                    "group": group,
                    "system": system,
                    "clip": clip,
                    "condition": condition,
                    "class": label,
                    "references": str(len(ref)),
                    "predictions": str(len(pred)),
                    "short": str(sum(end - start <= _SHORT for start, end in pred)),
                    "pairs": str(len(matched)),
                    "onset_error": str(sum((abs(p[0] - r[0]) for r, p in matched), Fraction(0))),
                    "offset_error": str(sum((abs(p[1] - r[1]) for r, p in matched), Fraction(0))),
                    "duration_error": str(sum((abs((p[1] - p[0]) - (r[1] - r[0])) for r, p in matched), Fraction(0))),
                    "extra_pieces": str(sum(max(0, sum(_meet(r, p) for p in pred) - 1) for r in ref)),
                }


def _frame_runs(path: Path, name: str) -> dict[tuple[str, str], list[Span]]:
    """The maximal runs of frames whose centres lie in an event, by clip and class (rules 5.3 and 5.5)."""
    frames: dict[tuple[str, str], set[int]] = defaultdict(set)
    text = read_within(path, name).decode()
    heads, *lines = (line.split("\t") for line in text.splitlines() if line)
    at = [heads.index(head) for head in ("filename", "onset", "offset", "event_label")]
    for line in lines:
        clip, onset, offset, label = (line[k] for k in at)
        if not onset:  # a clip without events has a row that names it alone
            continue
        first, last = (-((_HALF_STEP - parse_stored(end)) // STEP) for end in (onset, offset))
        frames[clip, label].update(range(max(int(first), 0), max(int(last), 0)))
    return {key: _runs_of(sorted(some)) for key, some in frames.items()}


def _runs_of(frames: Sequence[int]) -> list[Span]:
    found: list[list[int]] = []
    for frame in frames:
        if found and found[-1][1] == frame:
            found[-1][1] = frame + 1
        else:
            found.append([frame, frame + 1])
    return [(start * STEP, end * STEP) for start, end in found]


def _pairs(path: Path) -> dict[tuple[str, str], list[tuple[Span, Span]]]:
    found: dict[tuple[str, str], list[tuple[Span, Span]]] = defaultdict(list)
    for row in csv_rows(read_within(path, "matches.csv").decode()):
        if row["ref_onset"] and row["pred_onset"]:
            ref, pred = (
                (parse_stored(row[f"{side}_onset"]), parse_stored(row[f"{side}_offset"])) for side in ("ref", "pred")
            )
            found[row["filename"], row["event_label"]].append((ref, pred))
    return found


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


# Sums of those rows.


@dataclass(frozen=True, slots=True)
class BoundarySum:
    """The boundaries of some clips: counts added, distances as means."""

    references: int
    predictions: int
    short: int
    pairs: int
    onset_error: Fraction
    offset_error: Fraction
    duration_error: Fraction
    extra_pieces: int

    @property
    def f1(self) -> Fraction | None:
        """The F1 of matched runs; None where there is nothing to match."""
        every = self.references + self.predictions
        return Fraction(2 * self.pairs, every) if every else None

    def mean(self, error: Fraction) -> Fraction | None:
        """An error for each pair."""
        return error / self.pairs if self.pairs else None


def summed(rows: Iterable[Row]) -> BoundarySum:
    """Rows of boundaries added up."""
    listed = list(rows)

    def count(name: str) -> int:
        return sum(int(row[name]) for row in listed)

    def error(name: str) -> Fraction:
        return sum((parse_stored(row[name]) for row in listed), Fraction(0))

    return BoundarySum(
        count("references"),
        count("predictions"),
        count("short"),
        count("pairs"),
        error("onset_error"),
        error("offset_error"),
        error("duration_error"),
        count("extra_pieces"),
    )


# The bootstrap over clips: every system on the same draws, so that differences are paired.


def interval_rows(runs: Runs, draws: int) -> Iterator[Row]:
    """Boundary F1 and the mean of the vector of every detector and ablated system, with 95 % intervals."""
    for group in ("detectors", "ablation"):
        counts = {system: _clip_counts(path) for system, path in runs.of(group).items()}
        for system, some in counts.items():
            for measure, values in _drawn(some, draws).items():
                yield {"group": group, "system": system, "measure": measure, **_interval(values)}


def attribution_rows(runs: Runs, draws: int) -> Iterator[Row]:
    """The published contrasts, and every variant against the clean one with p corrected by Holm over the variants."""
    counts = {system: _clip_counts(path) for system, path in runs.of("ablation").items()}
    for name, before, after in CONTRASTS:
        yield from _differences("contrast", name, counts[before], counts[after], draws)
    others = [name for name in counts if name not in (*PUBLISHED_VARIANTS, "clean_dilated")]
    # The published variants are corrected among themselves, as they were published; ours are beside them.
    for kind, names in (("variant", PUBLISHED_VARIANTS), ("other variant", tuple(others))):
        rows = [row for n in names for row in _differences(kind, n, counts["clean_dilated"], counts[n], draws)]
        for measure in ("boundary", "mean"):
            some = [row for row in rows if row["measure"] == measure]
            corrected = holm([Fraction(row["p"]) for row in some])
            yield from ({**row, "corrected": str(p)} for row, p in zip(some, corrected, strict=True))


def holm(values: Sequence[Fraction]) -> list[Fraction]:
    """Values of p corrected over their number, the smallest by all of them and each later one by one less."""
    order = sorted(range(len(values)), key=lambda k: values[k])
    found, least = [Fraction(0)] * len(values), Fraction(0)
    for place, k in enumerate(order):
        least = max(least, min(Fraction(1), values[k] * (len(values) - place)))
        found[k] = least
    return found


Counts = npt.NDArray[np.int64]
"""Clips × (pairs, twice what F1 divides by, and for each guard satisfied and obligated)."""


def _clip_counts(path: Path) -> Counts:
    """The counts of each clip of a run, in the order of its table of conditions."""
    clips = list(read_pairs(path / "conditions.tsv"))
    place = {clip: k for k, clip in enumerate(clips)}
    counts = np.zeros((len(clips), 2 + 2 * len(GUARDS)), dtype=np.int64)
    for row in csv_rows(read_within(path, "scores.csv").decode()):
        column = 2 + 2 * GUARDS.index(row["clause"])
        counts[place[row["filename"]], column : column + 2] += (
            parse_whole(row["satisfied"]),
            parse_whole(row["obligated"]),
        )
    for (clip, _), matched in _pairs(path).items():
        counts[place[clip], 0] += 2 * len(matched)
    for name in ("reference.tsv", "prediction.tsv"):
        for (clip, _), spans in _frame_runs(path, name).items():
            counts[place[clip], 1] += len(spans)
    return counts


@cache
def _draws(clips: int, draws: int) -> npt.NDArray[np.int64]:
    """How often each clip is in each draw."""
    rng = generator(0, "bootstrap", clips, draws)
    return rng.multinomial(clips, np.full(clips, 1 / clips), size=draws).astype(np.int64)


def _drawn(counts: Counts, draws: int) -> dict[str, tuple[float, npt.NDArray[np.float64]]]:
    """Both measures, on all clips and on every draw of them."""
    whole, each = _measures(counts.sum(axis=0)[None]), _measures(_draws(len(counts), draws) @ counts)
    return {name: (float(whole[name][0]), each[name]) for name in whole}


def _measures(sums: Counts) -> dict[str, npt.NDArray[np.float64]]:
    satisfied, obligated = sums[:, 2::2], sums[:, 3::2]
    asked = np.maximum(obligated, 1)
    guards = np.where(obligated > 0, satisfied / asked, np.nan)
    return {"boundary": sums[:, 0] / np.maximum(sums[:, 1], 1), "mean": np.nanmean(guards, axis=1)}


def _interval(values: tuple[float, npt.NDArray[np.float64]]) -> dict[str, str]:
    low, high = np.quantile(values[1], (0.025, 0.975))
    return {"value": repr(values[0]), "low": repr(float(low)), "high": repr(float(high))}


def _differences(kind: str, name: str, before: Counts, after: Counts, draws: int) -> Iterator[dict[str, str]]:
    one, other = _drawn(before, draws), _drawn(after, draws)
    for measure in one:
        gaps = other[measure][1] - one[measure][1]
        found = _interval((other[measure][0] - one[measure][0], gaps))
        # Two-sided, and never 0: what no draw shows has a probability below one in their number.
        tail = min(int((gaps <= 0).sum()), int((gaps >= 0).sum()))
        p = min(Fraction(1), Fraction(2 * (tail + 1), draws + 1))
        yield {"kind": kind, "name": name, "measure": measure, **found, "p": str(p), "corrected": ""}


def condition_sums(rows: Sequence[Row], group: str, system: str) -> Mapping[str, BoundarySum]:
    """The boundaries of a system by condition."""
    some: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row["group"] == group and row["system"] == system:
            some[row["condition"]].append(row)
    return {condition: summed(of) for condition, of in some.items()}
