"""A detector and an encoder of your own for `tracelab probe`; a loader takes its entry and gives a function."""

from fractions import Fraction

import numpy as np

from tracelab.probe.clips import Hidden
from tracelab.probe.registry import Detection

OPENS, SHUTS = 14.0, 8.0  # decibels above the quietest tenth of the clip


def hysteresis_gate(entry, cache):
    """A gate that opens above one level and shuts below a lower one."""
    hop = int(entry.hop_seconds * entry.rate)

    def detect(samples):
        level = levels(samples, hop)
        above = level - np.quantile(level, 0.1)
        spans, start = [], None
        for frame, value in enumerate(above):
            if start is None and value >= OPENS:
                start = frame
            elif start is not None and value < SHUTS:
                spans.append((start * hop / entry.rate, frame * hop / entry.rate))
                start = None
        if start is not None:
            spans.append((start * hop / entry.rate, len(samples) / entry.rate))
        return Detection(spans, np.clip(above / 60, 0, 1))

    return detect


def level_encoder(entry, cache):
    """One number for each hop: how loud it is. The head has to find the boundaries in it."""
    hop = int(entry.hop_seconds * entry.rate)
    return lambda samples: Hidden(levels(samples, hop)[:, None], Fraction(hop, 2 * entry.rate), entry.hop_seconds)


def levels(samples, hop):
    """The level of every hop in decibels."""
    parts = samples[: len(samples) // hop * hop].reshape(-1, hop).astype(np.float64)
    return 10 * np.log10(np.mean(parts**2, axis=1) + 1e-10)
