"""The soft boundary score: how close the edges of both sides are, beside the vector (rule 7.9)."""

from dataclasses import dataclass
from fractions import Fraction
from math import fsum

import numpy as np
from numpy.typing import NDArray

from tracepact.scoring.distance import NO_WITNESS, nearest_offsets
from tracepact.trace.family import Atoms, Family
from tracepact.trace.layout import Layout


@dataclass(frozen=True, slots=True, eq=False)
class SoftCounts:
    """Sum of exp(-d/scale) and number of edges, by class and clip. The only floats of a scorecard."""

    closeness: NDArray[np.float64]
    edges: NDArray[np.int64]

    def mean(self, clips: NDArray[np.int64] | None = None, label: int | None = None) -> tuple[float, int]:
        """The mean closeness over some clips or one class, and the number of edges; 1 for none."""
        rows = slice(None) if label is None else slice(label, label + 1)
        columns = slice(None) if clips is None else clips
        edges = int(self.edges[rows][:, columns].sum())
        # Rounded once, so that the order of the clips does not show in the last digit.
        return (fsum(self.closeness[rows][:, columns].flat) / edges if edges else 1.0), edges


def soft_counts(family: Family, layout: Layout, atoms: Atoms, scale: Fraction) -> SoftCounts:
    """The soft boundary score of every clip and class."""
    closeness = np.zeros(layout.segments)
    edges = np.zeros(layout.segments, dtype=np.int64)
    frames_per_scale = float(scale / family.step)
    for kind in ("onset", "offset"):
        ref = layout.positions(atoms[f"ref_{kind}"])
        pred = layout.positions(atoms[f"pred_{kind}"])
        for some, others in ((ref, pred), (pred, ref)):
            offset = nearest_offsets(layout, some, others)
            near = np.exp(-np.abs(offset) / frames_per_scale)
            segment, _ = layout.locate(some)
            closeness += np.bincount(segment, np.where(offset == NO_WITNESS, 0.0, near), layout.segments)
            edges += np.bincount(segment, minlength=layout.segments)
    shape = len(family.classes), len(family.clips)
    return SoftCounts(closeness.reshape(shape), edges.reshape(shape))
