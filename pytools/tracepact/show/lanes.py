"""Small timelines as SVG text: lanes of intervals under each other, told apart by their form and not by colour."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from tracepact.show.figure import svg_line, svg_picture, svg_text, text_width
from tracepact.wording import Number

_LANE, _LEFT_MARGIN, _PANEL_GAP = 16, 12, 10
_WIDTH = 720


class Form(Enum):
    """How the intervals of a lane are drawn."""

    SOLID = "fill='currentColor' fill-opacity='.8'"
    OUTLINE = "fill='currentColor' fill-opacity='.15' stroke='currentColor'"
    CROSSED = "fill='#c8505c' fill-opacity='.35' stroke='#c8505c' stroke-dasharray='2 2'"


@dataclass(frozen=True, slots=True)
class Lane:
    """A named row; its intervals by panel, each a start and an end."""

    name: str
    panels: Sequence[Sequence[tuple[Number, Number]]]
    form: Form


def lane_chart(title: str, panels: Sequence[tuple[str, Number]], lanes: Sequence[Lane], *, width: int = _WIDTH) -> str:
    """Lanes over one or more panels beside each other, each with its name and its length, drawn in proportion."""
    left = _LEFT_MARGIN + 10 + max((text_width(lane.name) for lane in lanes), default=0)
    total = sum(float(length) for _, length in panels) or 1.0
    room = max(width - left - _LEFT_MARGIN - _PANEL_GAP * (len(panels) - 1), 120.0)
    starts, at = [], float(left)
    for _, length in panels:
        starts.append(at)
        at += float(length) / total * room + _PANEL_GAP
    top = 46.0
    parts = [svg_text(_LEFT_MARGIN, 22, title, "font-weight='600'")]
    bottom = top + _LANE * len(lanes)
    for start, (name, length) in zip(starts, panels, strict=True):
        parts.append(svg_text(start, top - 8, name, "opacity='.7'", small=True))
        end = start + float(length) / total * room
        parts += [svg_line(edge, top - 2, edge, bottom, "opacity='.2'") for edge in (start, end)]
    for row, lane in enumerate(lanes):
        y = top + row * _LANE
        parts.append(svg_text(left - 8, y + 11, lane.name, "text-anchor='end'", small=True))
        parts.append(svg_line(left, y + _LANE - 2, at - _PANEL_GAP, y + _LANE - 2, "opacity='.12'"))
        for start, runs in zip(starts, lane.panels, strict=True):
            for first, last in runs:
                size = max((float(last) - float(first)) / total * room, 1.0)
                x = start + float(first) / total * room
                box = f"x='{x:.1f}' y='{y + 2:.1f}' width='{size:.1f}' height='{_LANE - 5}'"
                parts.append(f"<rect {box} {lane.form.value}/>")
    return svg_picture(title, width, bottom + 12, parts)
