"""Small charts as SVG text: curves, bars with intervals, heat tables; dense curves thinned for drawing."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray
from rich.cells import cell_len, set_cell_size

from tracepact.wording import Number, decimal, short, visible

# Small charts as SVG text: curves, bars with intervals, heat tables; readable without colour, in light and dark.
#
# A chart takes the colour of the text around it (`currentColor`). Nothing is told by colour alone: curves have
# dashes, markers and labels at their ends, bars have their names and values beside them, cells show their numbers.
# Numbers may be fractions; they become floats here, where they are only drawn.

Point = tuple[Number, Number | None]
Range = tuple[Number, Number]

WIDTH = 720
_LEFT = 58
_FONT, _SMALL = 12, 11
# No font is at hand to measure with: 0.6 of the size of the small font is the width of a digit in common sans serif
# fonts.
_CELL = 6.6
"""About the width of a character of the small font: text is measured in terminal cells."""
_LONGEST = 34
_COLOURS = ("#3b7dd8", "#c9711d", "#2a9163", "#a25fc0", "#c8505c", "#1f8ea3", "#8c6d46", "#7a8088")
# As many as colours, so that a curve is told by dash and marker where colours are not seen; beyond eight all three
# repeat.
_DASHES = ("", "7 3", "2 3", "9 3 2 3", "12 4", "5 2 1 2 1 2", "1 2", "14 3 3 3")
_MARKERS = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
    "M-3.5,-3.5h7v7h-7z",
    "M0,-4.8L4.4,3.2H-4.4z",
    "M0,-5L5,0L0,5L-5,0z",
    "M0,4.8L4.4,-3.2H-4.4z",
    "M-4,-1.4h2.6v-2.6h2.8v2.6h2.6v2.8h-2.6v2.6h-2.8v-2.6h-2.6z",
    "M-5,-2h10v4h-10z",
    "M-2,-5h4v10h-4z",
)
_ALONE = " style='color-scheme:light dark;max-width:100%;height:auto'"
"""The style of a chart that is a file of its own; a page has a style sheet for its charts, and takes no other."""
# What XML 1.0 has no room for (section 2.2), escaped or not: one such sign in a name would make the whole picture
# unreadable.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Curve:
    """A named line through points in order of x; a point without a y leaves a gap. Marks are drawn on it."""

    name: str
    points: Sequence[Point]
    marks: Sequence[Point] = ()


@dataclass(frozen=True, slots=True)
class Bar:
    """A named value, with the interval around it if there is one; `note` stands in for a value that is None."""

    name: str
    value: Number | None
    low: Number | None = None
    high: Number | None = None
    note: str = "none"


@dataclass(frozen=True, slots=True)
class BarGroup:
    """Bars that belong together, under one heading."""

    name: str
    bars: Sequence[Bar]


def curve_chart(
    title: str,
    curves: Sequence[Curve],
    *,
    x: str,
    y: str,
    steps: bool = False,
    rules: Sequence[tuple[Number, str]] = (),
    x_range: Range | None = None,
    y_range: Range | None = (0, 1),
    notes: Sequence[str] = (),
) -> str:
    """Curves over one axis.

    With `steps` a curve keeps a point's y all the way back to the x before it (cells open on the left). `rules` are
    named upright lines in order. `x_range` or `y_range` None fits the points. `notes` are lines under the chart.
    """
    names = [_short(curve.name) for curve in curves]
    xs = [px for curve in curves for px, _ in curve.points] + [px for px, _ in rules]
    ys = [py for curve in curves for _, py in curve.points if py is not None]
    left, bottom = _LEFT, 340
    across = x_scale([curve.name for curve in curves], x_range or _figure_span(xs))
    lanes = _lanes([(across(value), _wide(_short(name))) for value, name in rules])
    top = 40 + 15 * (max(lanes, default=-1) + 1)
    up = AxisScale.over(y_range or _figure_span([*ys, 0]), bottom, top)
    parts = [_text(left, 22, title, "font-weight='600'")]
    for tick in up.ticks():
        at = up(tick)
        parts.append(svg_line(across.start, at, across.end, at, "opacity='.15'"))
        parts.append(_text(left - 8, at + 4, _tick(tick), "text-anchor='end'", _SMALL))
    for tick in across.ticks():
        at = across(tick)
        parts.append(svg_line(at, bottom, at, bottom + 4))
        parts.append(_text(at, bottom + 17, _tick(tick), "text-anchor='middle'", _SMALL))
    parts.append(svg_line(across.start, bottom, across.end, bottom))
    for (value, name), lane in zip(rules, lanes, strict=True):
        at, head = across(value), top - 8 - 15 * lane
        parts.append(svg_line(at, head + 4, at, bottom, "stroke-dasharray='1 3' opacity='.7'"))
        parts.append(_text(at, head, _short(name), "text-anchor='middle'", _SMALL, full=name))
    middle = (across.start + across.end) / 2
    parts.append(_text(middle, bottom + 36, x, "text-anchor='middle'"))
    parts.append(_text(0, 0, y, f"text-anchor='middle' transform='translate(14 {(top + bottom) / 2:.1f}) rotate(-90)'"))
    ends = [_last(curve, up, bottom) for curve in curves]
    labels = _spread(ends, 15, top)
    for index, (curve, name, end, label) in enumerate(zip(curves, names, ends, labels, strict=True)):
        parts += _curve(curve, name, index, across, up, steps, end, label)
    parts += [_text(left, bottom + 56 + 15 * line, note, "", _SMALL) for line, note in enumerate(notes)]
    height = max([bottom + 46.0 + 16 * len(notes), *(label + 14 for label in labels)])
    return svg_picture(title, WIDTH, height, parts)


def x_scale(names: Sequence[str], span: Range) -> "AxisScale":
    """The horizontal scale of a chart of curves, which leaves room for their names."""
    right = 40 + max((_wide(_short(name)) for name in names), default=0)
    return AxisScale.over(span, _LEFT, max(_LEFT + 160, WIDTH - right))


def bar_chart(title: str, groups: Sequence[BarGroup], *, x: str, x_range: Range | None = None) -> str:
    """Bars lying down, by group, each with its name, its interval as a line with ends, and its value in figures."""
    names = [bar.name for group in groups for bar in group.bars] + [group.name for group in groups]
    left = 24 + max((_wide(_short(name)) for name in names), default=0)
    shown = [_bar_text(bar) for group in groups for bar in group.bars]
    right = WIDTH - 16 - max((_wide(text) for text in shown), default=0)
    ends = [end for g in groups for b in g.bars for end in (b.value, b.low, b.high) if end is not None]
    across = AxisScale.over(x_range or _figure_span([*ends, 0]), left, max(left + 120, right))
    zero = across(min(max(0, across.low), across.high))
    at, parts, body = 44.0, [_text(12, 22, title, "font-weight='600'")], list[str]()
    top = at
    for group in groups:
        if group.name:
            body.append(_text(12, at + 13, _short(group.name), "font-weight='600'", _SMALL, full=group.name))
            at += 20
        for index, bar in enumerate(group.bars):
            body += _bar(bar, index if len(groups) > 1 else 0, across, zero, at)
            at += 20
        at += 8
    for tick in across.ticks():
        here = across(tick)
        parts.append(svg_line(here, top, here, at, "opacity='.15'"))
        parts.append(_text(here, at + 15, _tick(tick), "text-anchor='middle'", _SMALL))
    parts += [*body, svg_line(zero, top, zero, at)]
    parts.append(_text((across.start + across.end) / 2, at + 34, x, "text-anchor='middle'"))
    return svg_picture(title, WIDTH, at + 44, parts)


def heat_table(
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[Number | None]],
    *,
    value_range: Range | None = None,
    shown: Callable[[Number], str] = lambda value: decimal(value, 2),
    framed: Collection[tuple[int, int]] = (),
    low_is_dark: bool = False,
) -> str:
    """A table of numbers, each in a cell as dark as its value is high, or low; a value that is None is a dash.

    `framed` cells, by row and column, have a frame around them.
    """
    known = [value for row in values for value in row if value is not None]
    scale = AxisScale.over(value_range or _figure_span(known), *((0.4, 0.0) if low_is_dark else (0.0, 0.4)))
    left = 24 + max((_wide(_short(row)) for row in rows), default=0)
    cell = max([46.0, *(_wide(shown(value)) + 10 for value in known)])
    slanted = any(_wide(_short(column)) > cell for column in columns)
    longest = max((_wide(_short(column)) for column in columns), default=0)
    top = 48 + (longest * 0.64 if slanted else 10)
    parts = [_text(12, 22, title, "font-weight='600'")]
    for index, column in enumerate(columns):
        here = left + (index + 0.5) * cell
        turn = f"transform='translate({here:.1f} {top - 8:.1f})" + (" rotate(-40)'" if slanted else "'")
        parts.append(_text(0, 0, _short(column), f"text-anchor='{'start' if slanted else 'middle'}' {turn}", _SMALL))
    for row, (name, line) in enumerate(zip(rows, values, strict=True)):
        y = top + row * 26
        parts.append(_text(left - 8, y + 17, _short(name), "text-anchor='end'", _SMALL, full=name))
        for index, value in enumerate(line):
            here = left + index * cell
            shade = 0.0 if value is None else scale(value)
            box = f"x='{here:.1f}' y='{y:.1f}' width='{cell - 2:.1f}' height='24' rx='2'"
            pen = "stroke='currentColor' stroke-width='1.6'" if (row, index) in framed else "stroke='none'"
            parts.append(f"<rect {box} fill='currentColor' fill-opacity='{shade:.3f}' {pen}/>")
            text = "–" if value is None else shown(value)
            parts.append(_text(here + cell / 2 - 1, y + 16, text, "text-anchor='middle'", _SMALL))
    tail = longest * 0.77 if slanted else 0
    width = max(left + len(columns) * cell + tail + 12, _wide(title) * _FONT / _SMALL + 24, 240)
    return svg_picture(title, width, top + len(rows) * 26 + 14, parts)


def inline(chart: str) -> Markup:
    """A chart for the inside of a page, whose style sheet says how wide it may be."""
    return Markup(chart.replace(_ALONE, "", 1))  # noqa: S704  (charts escape their texts)


@dataclass(frozen=True, slots=True)
class AxisScale:
    """Numbers to places along an axis."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def over(cls, span: Range, start: float, end: float) -> "AxisScale":
        """The scale of a span from one place to another; a span of one number is made longer."""
        low, high = float(span[0]), float(span[1])
        return cls(low, high if high > low else low + 1, start, end)

    def __call__(self, value: Number) -> float:
        """The place of a number; one beyond the ends is put there."""
        share = (float(value) - self.low) / (self.high - self.low)
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round numbers, about five."""
        rough = (self.high - self.low) / 5
        size = 10.0 ** math.floor(math.log10(rough))
        # The least of 1, 2, 2.5 and 5 times a power of ten that leaves about five ticks.
        step = next(size * m for m in (1, 2, 2.5, 5, 10) if size * m >= rough * 0.75)
        # A tick at the very end must not be lost to rounding of the division; where it is drawn is to a tenth of a
        # pixel.
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(k * step, 12) + 0.0 for k in range(first, last + 1)]


def _figure_span(values: Iterable[Number]) -> Range:
    known = list(values)
    return (min(known), max(known)) if known else (0, 1)


def _curve(
    curve: Curve, name: str, index: int, across: AxisScale, up: AxisScale, steps: bool, end: float, label: float
) -> list[str]:
    colour, dash = _COLOURS[index % len(_COLOURS)], _DASHES[index % len(_DASHES)]
    pen = f"stroke='{colour}' stroke-width='2' fill='none' stroke-linejoin='round'"
    pen += f" stroke-dasharray='{dash}'" if dash else ""
    shape = f"<path d='{_MARKERS[index % len(_MARKERS)]}' fill='{colour}' stroke='none' transform='translate"
    parts = [f"<path d='{_path(curve.points, across, up, steps)}' {pen}/>"] if curve.points else []
    parts += [f"{shape}({across(px):.1f} {up(py):.1f})'/>" for px, py in curve.marks if py is not None]
    at = across.end
    if abs(label - end) > 1:
        parts.append(svg_line(at + 2, end, at + 10, label, "opacity='.4'"))
    parts.append(f"<path d='M{at + 11:.1f},{label:.1f}h16' {pen}/>{shape}({at + 19:.1f} {label:.1f})'/>")
    parts.append(_text(at + 32, label + 4, name, "", _SMALL, full=curve.name))
    return parts


def _path(points: Sequence[Point], across: AxisScale, up: AxisScale, steps: bool) -> str:
    """Straight lines, or level ones that reach back to the point before."""
    parts: list[str] = []
    for px, py in points:
        if py is None:
            parts.append("")
        elif not parts or not parts[-1]:
            parts.append(f"M{across(px):.1f},{up(py):.1f}")
        elif steps:
            parts.append(f"V{up(py):.1f}H{across(px):.1f}")
        else:
            parts.append(f"L{across(px):.1f},{up(py):.1f}")
    return "".join(parts)


def _last(curve: Curve, up: AxisScale, bottom: float) -> float:
    """The height at which a curve ends."""
    return next((up(py) for _, py in reversed(curve.points) if py is not None), bottom)


def _spread(places: Sequence[float], apart: float, top: float) -> list[float]:
    """Places moved apart, those that would touch around their middle, none above the top."""
    # Pool adjacent violators (Ayer et al., 1955): labels that would overlap become a block around the mean of their
    # places, which may run into the block before.
    order = sorted(range(len(places)), key=lambda k: (places[k], k))
    spread = list(places)
    blocks: list[tuple[float, list[int]]] = []
    for k in order:
        block = (places[k], [k])
        while blocks and block[0] < blocks[-1][0] + apart * len(blocks[-1][1]):
            members = blocks.pop()[1] + block[1]
            middle = sum(places[m] for m in members) / len(members)
            block = (max(top, middle - apart * (len(members) - 1) / 2), members)
        blocks.append(block)
    for start, members in blocks:
        for place, k in enumerate(members):
            spread[k] = start + apart * place
    return spread


def _lanes(labels: Sequence[tuple[float, float]]) -> list[int]:
    """The lane of each label, given by its middle and width, so that none covers another."""
    ends: list[float] = []
    lanes: list[int] = []
    # First fit, from left to right: a label takes the first lane that has room, a new one if none has.
    for middle, width in labels:
        lane = next((k for k, end in enumerate(ends) if middle - width / 2 > end + 4), len(ends))
        ends[lane:] = [middle + width / 2, *ends[lane + 1 :]]
        lanes.append(lane)
    return lanes


def _bar(bar: Bar, index: int, across: AxisScale, zero: float, at: float) -> list[str]:
    colour = _COLOURS[index % len(_COLOURS)]
    parts = [_text(across.start - 10, at + 12, _short(bar.name), "text-anchor='end'", _SMALL, full=bar.name)]
    if bar.value is not None:
        here = across(bar.value)
        box = f"x='{min(zero, here):.1f}' y='{at + 2:.1f}' width='{abs(here - zero):.1f}' height='13'"
        parts.append(f"<rect {box} fill='{colour}' fill-opacity='.55' stroke='{colour}'/>")
    if bar.low is not None and bar.high is not None:
        low, high, y = across(bar.low), across(bar.high), at + 8.5
        ends = f"M{low:.1f},{y - 4:.1f}v8M{high:.1f},{y - 4:.1f}v8M{low:.1f},{y:.1f}H{high:.1f}"
        parts.append(f"<path d='{ends}' stroke='currentColor' stroke-width='1.5' fill='none'/>")
    parts.append(_text(across.end + 10, at + 12, _bar_text(bar), "font-variant-numeric='tabular-nums'", _SMALL))
    return parts


def _bar_text(bar: Bar) -> str:
    value = bar.note if bar.value is None else _figures(bar.value)
    if bar.low is None or bar.high is None:
        return value
    return f"{value} ({_figures(bar.low)} to {_figures(bar.high)})"


def _tick(value: float) -> str:
    return short(value).replace("-", "−")


def _figures(value: Number) -> str:
    return decimal(value).replace("-", "−")


def svg_picture(title: str, width: float, height: float, parts: Iterable[str]) -> str:
    """A picture of its parts, which takes the colour of the text around it."""
    size = f"width='{width:.0f}' height='{height:.0f}' viewBox='0 0 {width:.0f} {height:.0f}'"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' {size}{_ALONE} font-family='system-ui,sans-serif' "
        "fill='currentColor'>"
        f"<title>{_plain(title)}</title>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def _text(x: float, y: float, text: str, more: str = "", size: int = _FONT, *, full: str | None = None) -> str:
    """Text, with the full of it on hover where it had to be shortened."""
    whole = f"<title>{_plain(full)}</title>" if full is not None and full != text else ""
    return f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' {more}>{whole}{_plain(text)}</text>"


def svg_text(x: float, y: float, text: str, more: str = "", *, small: bool = False) -> str:
    """Text, shortened where it is too long, with all of it on hover."""
    return _text(x, y, _short(text), more, _SMALL if small else _FONT, full=text)


def svg_line(x1: float, y1: float, x2: float, y2: float, more: str = "") -> str:
    """A straight line."""
    return f"<path d='M{x1:.1f},{y1:.1f}L{x2:.1f},{y2:.1f}' stroke='currentColor' fill='none' {more}/>"


def _plain(text: str) -> str:
    """Text that cannot leave its place: escaped, without the characters XML has no room for."""
    return escape(_FORBIDDEN.sub("\ufffd", visible(text)))


def _short(text: str) -> str:
    return text if cell_len(text) <= _LONGEST else set_cell_size(text, _LONGEST - 1).rstrip() + "…"


def text_width(text: str) -> float:
    """About the width of a small text, shortened as `svg_text` does."""
    return _wide(_short(text))


def _wide(text: str) -> float:
    return cell_len(text) * _CELL


# Charts of curves with very many points, thinned by pixel column for drawing.

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
    span = x_range or _thinned_span(curves)
    across = x_scale([curve.name for curve in curves], span)
    kept = [thinned(pixel_columns(curve.x, across), curve.y, _marked(curve)) for curve in curves]
    some = any(len(places) < len(curve.x) for places, curve in zip(kept, curves, strict=True))
    drawn = [Curve(curve.name, _points(curve, places), curve.marks) for curve, places in zip(curves, kept, strict=True)]
    return curve_chart(title, drawn, x=x, y=y, x_range=span, notes=[*notes, *([THINNED] if some else [])])


def pixel_columns(x: Floats, across: AxisScale) -> Whole:
    """The pixel column in which each point is drawn, to a tenth of a pixel."""
    # As coordinates are written, to a tenth, so that a point falls into the column it is drawn in.
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
    # Sorted by y within each run, so that its least is first and its greatest last; runs keep their places, as their
    # numbers ascend.
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


def _thinned_span(curves: Sequence[DenseCurve]) -> Range:
    known = np.concatenate([np.zeros(0), *(curve.x[~np.isnan(curve.y)] for curve in curves)])
    return (float(known.min()), float(known.max())) if len(known) else (0, 1)
