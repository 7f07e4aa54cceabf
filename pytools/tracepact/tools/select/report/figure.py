"""The small traces of a calibration set as SVG: reference and prediction of each case on one time axis."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from html import escape

from tracepact.tools.select.report.record import CaseRecord, ClassTrace, SelectionRecord
from tracepact.wording import count, short

_STYLE = (
    "<style>svg{color:#1b2430;color-scheme:light dark;max-width:100%;height:auto}"
    "@media(prefers-color-scheme:dark){svg{color:#e6e9ee}}</style>"
)
_LEFT, _WIDTH, _LANE, _CASE, _CELL = 190, 560, 9, 40, 52


def trace_picture(case: CaseRecord, width: int = _WIDTH) -> str:
    """One case: the reference above, the prediction below, a mark where they differ."""
    lanes = case.traces
    height = 4 + len(lanes) * (2 * _LANE + 8)
    parts = [_lanes(trace, case.frames, 0, width, 4 + k * (2 * _LANE + 8)) for k, trace in enumerate(lanes)]
    return _svg(f"reference and prediction of {case.name}", width, height, parts)


def selection_picture(found: SelectionRecord, *, alone: bool = False) -> str:
    """The cases, worst first, with the values of the selected clauses; `alone` for a file that has no page around."""
    order = found.worst_first
    columns = [(c.name, [c.values[place] for place in order]) for c in found.chosen]
    title = f"{found.calibration.name}: {count(len(columns), 'clause')} and their values on each case"
    return cases_picture(title, [found.cases[place] for place in order], columns, alone=alone)


def cases_picture(
    title: str,
    cases: Sequence[CaseRecord],
    columns: Sequence[tuple[str, Sequence[Fraction]]] = (),
    *,
    alone: bool = False,
) -> str:
    """Cases under each other with name, rank, risk and traces, and beside them columns of exact values."""
    parts = [_STYLE] if alone else []
    parts.append(f"<text x='12' y='22' font-size='13' font-weight='600'>{escape(title)}</text>")
    longest = max((len(name) for name, _ in columns), default=0)
    bottoms: list[int] = []
    lengths = len({case.duration for case in cases})
    at = top = 40 + int(longest * 3.6)
    for case in cases:
        parts.append(f"<text x='12' y='{at + 9}' font-size='12'>{escape(case.name)}</text>")
        length = [f"{short(case.duration)} s"] if lengths > 1 else []
        rank = [] if case.rank is None else [f"rank {case.rank}"]
        words = " · ".join([*rank, *([case.risk] if case.risk else []), *length])
        parts.append(f"<text x='12' y='{at + 23}' font-size='10' opacity='.7'>{escape(words)}</text>")
        for trace in case.traces:
            parts.append(_lanes(trace, case.frames, _LEFT, _WIDTH, at))
            at += 2 * _LANE + 6
        at += _CASE - 2 * _LANE - 6
        bottoms.append(at)
    seconds = "reference above, prediction below (outlined); ▲ marks where the two differ"
    parts.append(f"<text x='{_LEFT}' y='{at + 4}' font-size='10' opacity='.7'>{escape(seconds)}</text>")
    right = _LEFT + _WIDTH + 16
    for index, (name, values) in enumerate(columns):
        parts += _column(name, values, right + index * _CELL, top, bottoms)
    tail = int(longest * 4.8) if columns else 0
    return _svg(title, right + len(columns) * _CELL + tail, at + 16, parts)


def _column(name: str, values: Sequence[Fraction], left: float, top: float, bottoms: Sequence[int]) -> Iterator[str]:
    """A slanted heading and a cell for each case, as dark as its value is low; 1 is a dot."""
    place = f"translate({left + _CELL / 2:.0f} {top - 10}) rotate(-40)"
    yield f"<text font-size='11' transform='{place}'>{escape(name)}</text>"
    start = top
    for value, bottom in zip(values, bottoms, strict=True):
        shade = 0.45 * (1 - float(value))
        box = f"x='{left:.0f}' y='{start - 4:.0f}' width='{_CELL - 3}' height='{bottom - start - 4}' rx='2'"
        yield f"<rect {box} fill-opacity='{shade:.3f}' stroke='currentColor' stroke-opacity='.15'/>"
        text = "·" if value == 1 else str(value)
        place = f"x='{left + _CELL / 2 - 1:.0f}' y='{start + 14:.0f}'"
        yield f"<text {place} font-size='11' text-anchor='middle'>{text}</text>"
        start = bottom


def _lanes(trace: ClassTrace, frames: int, left: float, width: float, top: float) -> str:
    """A full bar for a reference run, an outlined one for a predicted run, a mark at every stretch of difference."""

    def x(frame: float) -> float:
        return left + frame * width / max(frames, 1)

    parts = [f"<path d='M{left},{top + 2 * _LANE + 2}h{width}' stroke='currentColor' opacity='.2'/>"]
    for start, end in trace.ref:
        size = max(x(end) - x(start), 1)
        parts.append(f"<rect x='{x(start):.1f}' y='{top}' width='{size:.1f}' height='{_LANE}' opacity='.75'/>")
    for start, end in trace.pred:
        size = max(x(end) - x(start), 1)
        box = f"x='{x(start):.1f}' y='{top + _LANE + 1}' width='{size:.1f}' height='{_LANE}'"
        parts.append(f"<rect {box} fill='currentColor' fill-opacity='.15' stroke='currentColor'/>")
    for start, end in differences(trace):
        middle = x((start + end) / 2)
        y = top + 2 * _LANE + 3
        parts.append(f"<path d='M{middle:.1f},{y}l3,5h-6z'/>")
    return "".join(parts)


def differences(trace: ClassTrace) -> list[tuple[int, int]]:
    """The stretches of frames where exactly one side is active."""
    edges = sorted(edge for run in (*trace.ref, *trace.pred) for edge in run)
    found: list[tuple[int, int]] = []
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        if start < end:
            found.append((start, end))
    return found


def _svg(title: str, width: float, height: float, parts: Sequence[str]) -> str:
    size = f"width='{width:.0f}' height='{height:.0f}' viewBox='0 0 {width:.0f} {height:.0f}'"
    style = "font-family='system-ui,sans-serif'"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' {size} {style} fill='currentColor'>"
        f"<title>{escape(title)}</title>\n" + "\n".join(parts) + "\n</svg>\n"
    )
