"""Charts of curves with very many points, thinned by pixel column for drawing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.show.figure import Curve, Point, Range, Scale, curve_chart, x_scale

Floats = NDArray[np.float64]
Whole = NDArray[np.signedinteger[Any]]
THINNED = "The drawing is thinned by pixel; the values are exact."


@dataclass(frozen=True, slots=True, eq=False)
class DenseCurve:
    """A named line through many points in their order; a y that is NaN leaves a gap. Marks are points of the line."""

    name: str
    x: Floats
    y: Floats
    marks: Sequence[Point] = ()


def dense_chart(
    title: str,
    curves: Sequence[DenseCurve],
    *,
    x: str,
    y: str,
    x_range: Range | None = None,
    notes: Sequence[str] = (),
) -> str:
    """Curves of which only what can be seen is drawn, with a note if that is not every point; y is from 0 to 1."""
    span = x_range or _span(curves)
    across = x_scale([curve.name for curve in curves], span)
    kept = [thinned(pixel_columns(curve.x, across), curve.y, _marked(curve)) for curve in curves]
    some = any(len(places) < len(curve.x) for places, curve in zip(kept, curves, strict=True))
    drawn = [Curve(curve.name, _points(curve, places), curve.marks) for curve, places in zip(curves, kept, strict=True)]
    return curve_chart(title, drawn, x=x, y=y, x_range=span, notes=[*notes, *([THINNED] if some else [])])


def pixel_columns(x: Floats, across: Scale) -> Whole:
    """The pixel column in which each point is drawn, to a tenth of a pixel."""
    share = np.clip((x - across.low) / (across.high - across.low), 0, 1)
    return np.floor(np.round(across.start + share * (across.end - across.start), 1)).astype(np.int64)


def thinned(columns: Whole, y: Floats, kept: Whole) -> Whole:
    """The points to draw: of each run of points in one column the first, last, least and greatest, and those to keep.

    A gap ends a run. The line may come back to a column it was in before.
    """
    if not len(y):
        return np.zeros(0, np.int64)
    gap = np.isnan(y)
    begins = (np.diff(columns) != 0) | (gap[1:] != gap[:-1])
    starts = np.flatnonzero(np.append(True, begins))
    ends = np.append(starts[1:], len(y)) - 1
    order = np.lexsort((y, np.cumsum(np.append(0, begins))))
    return np.unique(np.concatenate([starts, ends, order[starts], order[ends], kept]))


def _marked(curve: DenseCurve) -> Whole:
    """The points of a curve that have a mark."""
    here = np.zeros(len(curve.x), np.bool_)
    for x, y in curve.marks:
        if y is not None:
            here |= (curve.x == float(x)) & (curve.y == float(y))
    return np.flatnonzero(here)


def _points(curve: DenseCurve, places: Whole) -> list[Point]:
    rows = zip(curve.x[places].tolist(), curve.y[places].tolist(), np.isnan(curve.y[places]).tolist(), strict=True)
    return [(x, None if gap else y) for x, y, gap in rows]


def _span(curves: Sequence[DenseCurve]) -> Range:
    known = np.concatenate([np.zeros(0), *(curve.x[~np.isnan(curve.y)] for curve in curves)])
    return (float(known.min()), float(known.max())) if len(known) else (0, 1)
