"""The figures of a run as SVG: the clip that failed worst, and the vector."""

from tracepact.diagnostics import known_name
from tracepact.scoring import Scorecard
from tracepact.show.figure import Bar, BarGroup, bar_chart
from tracepact.show.lanes import Form, Lane, lane_chart
from tracepact.tools.score.report.timeline import Timeline, timeline, worst_timelines
from tracepact.wording import time_text


def run_figure(card: Scorecard, figure: str) -> str:
    """A figure of a run by name; InvalidInput names the figures that there are."""
    drawn = {"timeline": _timeline, "vector": _vector}
    return drawn[known_name(figure, drawn, "figure", "unknown-choice")](card)


def timeline_figure(title: str, found: Timeline) -> str:
    """Both sides of a clip and class, and the frames where each clause fails."""
    lanes = [Lane("reference", [found.ref], Form.SOLID), Lane("prediction", [found.pred], Form.OUTLINE)]
    lanes += [Lane(f"fails {clause}", [runs], Form.CROSSED) for clause, runs in found.failed.items()]
    return lane_chart(title, [(time_text(found.duration), found.frames)], lanes)


def _timeline(card: Scorecard) -> str:
    found = next(iter(worst_timelines(card, 1)), None) or timeline(card, 0)
    return timeline_figure(f"{found.clip}, class {found.label}", found)


def _vector(card: Scorecard) -> str:
    bars = [Bar(name, None if score.vacuous else score.value, note="∅") for name, score in card.vector().items()]
    title = f"{card.contract.name}, {card.contract.aggregation.words}"
    return bar_chart(title, [BarGroup("", bars)], x="score", x_range=(0, 1))
