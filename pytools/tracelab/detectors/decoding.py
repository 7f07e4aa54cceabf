"""Scores to masks, and the decoding that serves a declared objective best on held-out clips."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.ndimage import label, median_filter

import tracepact
from tracelab.detectors.recipes import contract_of
from tracelab.features import BoolArray, FloatArray, Heard, events_of
from tracelab.protocol import STEP
from tracepact import Decoding

CONTRACT = "boundary_gate"
PRECISE = "precise_gate"
_THRESHOLDS = tuple(Fraction(tenths, 20) for tenths in range(5, 17))
_DROPS = (None, Fraction(1, 10), Fraction(1, 5))
_MEDIANS = (1, 5, 9)
_SNAPS = (0, 2, 4)
NEAR = 10
"""How many frames from a transition of the reference count as near it: 200 ms, as the metric `transition` has it."""
_STRICT = 1


@dataclass(frozen=True, slots=True)
class SnappedDecoding:
    """A decoding as the toolkit has it, and by how many frames an edge may then move to where edges score highest."""

    base: Decoding
    snap: int = 0

    @property
    def data(self) -> dict[str, Any]:
        """The decoding as plain data, as manifests and records show it."""
        return {**self.base.data, "snap": self.snap}

    def masks(self, scores: FloatArray, edges: FloatArray | None = None) -> BoolArray:
        """Whether each frame is active; without scores of edges nothing is moved."""
        return snapped(active(scores, self.base), edges, self.snap)


def active(scores: FloatArray, decoding: Decoding) -> BoolArray:
    """Whether each frame is active, clips × frames × labels (rule 13.9)."""
    return _held(filtered(scores, decoding.median), decoding)


def filtered(scores: FloatArray, median: int) -> FloatArray:
    """The scores after a median filter over frames."""
    return median_filter(scores, size=(1, median, 1), mode="reflect") if median > 1 else scores


def _held(scores: FloatArray, decoding: Decoding) -> BoolArray:
    high: BoolArray = scores > float(decoding.threshold)
    if decoding.low is None:
        return high
    across = np.zeros((3, 3, 3), dtype=np.int8)
    across[1, :, 1] = 1
    runs, count = label(scores > float(decoding.low), structure=across)
    reached = np.zeros(count + 1, dtype=np.bool_)
    reached[np.unique(runs[high])] = True
    reached[0] = False
    held: BoolArray = reached[runs]
    return held


def snapped(masks: BoolArray, edges: FloatArray | None, reach: int) -> BoolArray:
    """The masks with every edge moved to the change of frames that scores highest within reach, the nearest of equals.

    A run that would end before it begins stays where it was; runs that meet become one.
    """
    if edges is None or not reach:
        return masks
    clips, frames, labels = masks.shape
    at = _best_changes(edges, reach)
    steps = np.diff(masks.astype(np.int8), axis=1, prepend=0, append=0)
    # Columns of one clip and label are brought together, so that the k-th begin and the k-th end are of one run.
    starts = np.argwhere(np.moveaxis(steps, 1, 2) == 1)
    ends = np.argwhere(np.moveaxis(steps, 1, 2) == -1)
    moved = [at[where[:, 0], where[:, 2], where[:, 1]] for where in (starts, ends)]
    kept = moved[0] < moved[1]
    begin, end = (np.where(kept, new, old[:, 2]) for new, old in zip(moved, (starts, ends), strict=True))
    levels = np.zeros((clips, frames + 1, labels), dtype=np.int32)
    np.add.at(levels, (starts[:, 0], begin, starts[:, 1]), 1)
    np.add.at(levels, (ends[:, 0], end, ends[:, 1]), -1)
    snapped_masks: BoolArray = np.cumsum(levels, axis=1)[:, :frames] > 0
    return snapped_masks


def _best_changes(edges: FloatArray, reach: int) -> npt.NDArray[np.int64]:
    """For each place between two frames, and both ends, the place within reach whose two frames score highest."""
    places = edges.shape[1] + 1
    # A change is marked on both frames beside it; at the ends of a clip there is one, which counts twice.
    pair = np.concatenate([2 * edges[:, :1], edges[:, 1:] + edges[:, :-1], 2 * edges[:, -1:]], axis=1)
    best, at = pair.copy(), np.broadcast_to(np.arange(places)[None, :, None], pair.shape).copy()
    for distance in range(1, reach + 1):
        for shift in (-distance, distance):
            low, high = max(0, -shift), places - max(0, shift)
            other = pair[:, low + shift : high + shift]
            better = other > best[:, low:high]
            best[:, low:high][better] = other[better]
            at[:, low:high] += np.where(better, np.arange(low, high)[None, :, None] + shift - at[:, low:high], 0)
    return at


# Calibration: out of a grid, the decoding that is best on clips held out of the training clips. The published study
# calibrates on frames and transitions and keeps the contract out of it; the contract's own mean is offered beside.


def calibrate(
    objective: str, scores: FloatArray, edges: FloatArray | None, heard: Heard, labels: Sequence[str]
) -> SnappedDecoding:
    """The decoding with the best objective over these clips: ties to the first.

    `transition` adds the F1 of frames and of frames near a transition of the reference; `stable` asks the second of
    frames at the transition alone, so that no loose neighbourhood chooses; `contract` is the mean of the vector,
    and `precise` that of the gate which also counts invented onsets.
    """
    by_contract = {"contract": CONTRACT, "precise": PRECISE}
    reference = heard.masks(labels)
    near = near_transitions(reference, _STRICT if objective == "stable" else NEAR)
    value: Callable[[BoolArray], float | Fraction] = (
        (lambda masks: mean_of_vector(masks, heard, labels, by_contract[objective]))
        if objective in by_contract
        else (lambda masks: frame_f1(masks, reference) + frame_f1(masks & near, reference & near))
    )
    snaps = (0,) if edges is None else _SNAPS
    best: tuple[float | Fraction, SnappedDecoding] | None = None
    for choice, masks in _decoded(scores, edges, snaps):
        found = value(masks)
        if best is None or found > best[0]:
            best = found, choice
    assert best is not None  # the grid is not empty
    return best[1]


def _decoded(
    scores: FloatArray, edges: FloatArray | None, snaps: Sequence[int]
) -> Iterator[tuple[SnappedDecoding, BoolArray]]:
    """Every choice of the grid with its masks."""
    # The filter costs most and does not depend on the thresholds, so it is done once for each of its lengths.
    for median in _MEDIANS:
        smooth = filtered(scores, median)
        for threshold, drop in product(_THRESHOLDS, _DROPS):
            if drop is not None and threshold <= drop:
                continue
            base = Decoding(threshold, None if drop is None else threshold - drop, median)
            masks = _held(smooth, base)
            for snap in snaps:
                yield SnappedDecoding(base, snap), snapped(masks, edges, snap)


def near_transitions(masks: BoolArray, reach: int) -> BoolArray:
    """Frames within reach of an onset or an offset (rule 15.6)."""
    changes = np.diff(masks, axis=1, prepend=False)
    near = changes.copy()
    for shift in range(1, reach + 1):
        near[:, shift:] |= changes[:, :-shift]
        near[:, :-shift] |= changes[:, shift:]
    return near


def frame_f1(predicted: BoolArray, reference: BoolArray) -> float:
    """The F1 score of frames."""
    both = int((predicted & reference).sum())
    return 2 * both / max(int(predicted.sum()) + int(reference.sum()), 1)


@cache
def _loaded(name: str) -> tracepact.Contract:
    """A contract, compiled once: calibration scores with it hundreds of times."""
    return tracepact.load_contract(contract_of(name))


def mean_of_vector(masks: BoolArray, heard: Heard, labels: Sequence[str], contract: str = CONTRACT) -> Fraction:
    """The mean of the contract's vector, pooled over clips and classes."""
    by_clip = dict(zip(heard.names, masks, strict=True))
    run = tracepact.score(
        _loaded(contract),
        ref=heard.reference(labels),
        pred=events_of(by_clip, labels, STEP),
        durations=dict.fromkeys(heard.names, masks.shape[1] * STEP),
    )
    return run.card.logic(tracepact.Aggregation.POOLED)
