"""Traces on an exact grid: events become frames, frames become masks, clips and classes one family."""

from tracepact.core.runs import FrameRun, runs_of_frames
from tracepact.trace.assemble import assemble
from tracepact.trace.event import Durations, Event, EventTable, Origin, Regions, Time, exact
from tracepact.trace.family import Family, Mode, Side
from tracepact.trace.grid import Grid
from tracepact.trace.layout import Layout
from tracepact.trace.runs import join_runs, union_runs

__all__ = [
    "Durations",
    "Event",
    "EventTable",
    "Family",
    "FrameRun",
    "Grid",
    "Layout",
    "Mode",
    "Origin",
    "Regions",
    "Side",
    "Time",
    "assemble",
    "exact",
    "join_runs",
    "runs_of_frames",
    "union_runs",
]
