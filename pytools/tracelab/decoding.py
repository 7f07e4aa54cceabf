"""Scores to masks as the toolkit decodes them, and the decoding that serves a contract best on held-out clips."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.ndimage import label, median_filter

import tracepact
from tracelab.features import FloatArray
from tracelab.heard import BoolArray, Heard, events_of
from tracelab.protocol import STEP
from tracepact import Decoding

CONTRACT = "boundary_gate"
_THRESHOLDS = tuple(Fraction(tenths, 20) for tenths in range(5, 17))
_DROPS = (None, Fraction(1, 10), Fraction(1, 5))
_MEDIANS = (1, 5, 9)


def active(scores: FloatArray, decoding: Decoding) -> BoolArray:
    """Whether each frame is active, clips × frames × labels (rule 13.9)."""
    if decoding.median > 1:
        scores = median_filter(scores, size=(1, decoding.median, 1), mode="reflect")
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


def calibrate(scores: FloatArray, heard: Heard, labels: Sequence[str]) -> Decoding:
    """The decoding with the best mean of the contract's vector over these clips, out of a grid."""
    choices = [
        Decoding(threshold, None if drop is None else threshold - drop, median)
        for threshold, drop, median in product(_THRESHOLDS, _DROPS, _MEDIANS)
        if drop is None or threshold - drop > 0
    ]
    return max(choices, key=lambda choice: mean_of_vector(active(scores, choice), heard, labels))


def mean_of_vector(masks: BoolArray, heard: Heard, labels: Sequence[str]) -> Fraction:
    """The mean of the contract's vector, pooled over clips and classes."""
    by_clip = dict(zip(heard.names, masks, strict=True))
    run = tracepact.score(
        CONTRACT,
        ref=heard.reference(labels),
        pred=events_of(by_clip, labels, STEP),
        durations=dict.fromkeys(heard.names, masks.shape[1] * STEP),
    )
    return run.card.logic(tracepact.Aggregation.POOLED)
