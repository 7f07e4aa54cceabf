"""Traces on an exact grid: events become frames, frames become masks, clips and classes one family."""

from tracepact.core.runs import FrameRun, runs_of_frames
from tracepact.trace.assemble import assemble
from tracepact.trace.event import Durations, Event, EventTable, Origin, Regions
from tracepact.trace.exact import Time, exact
from tracepact.trace.family import Family, Mode, Side
from tracepact.trace.field import NOWHERE, ClipScores, ScoreField, frame_edges, joined_clips
from tracepact.trace.grid import Grid
from tracepact.trace.layout import Layout
from tracepact.trace.levels import Ranks, ScoreLevels, join_levels, levels_of_floats, levels_of_texts
from tracepact.trace.runs import join_runs, union_runs

__all__ = [
    "NOWHERE",
    "ClipScores",
    "Durations",
    "Event",
    "EventTable",
    "Family",
    "FrameRun",
    "Grid",
    "Layout",
    "Mode",
    "Origin",
    "Ranks",
    "Regions",
    "ScoreField",
    "ScoreLevels",
    "Side",
    "Time",
    "assemble",
    "exact",
    "frame_edges",
    "join_levels",
    "join_runs",
    "joined_clips",
    "levels_of_floats",
    "levels_of_texts",
    "runs_of_frames",
    "union_runs",
]
