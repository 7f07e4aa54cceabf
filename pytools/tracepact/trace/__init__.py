"""Traces on an exact grid: events become frames, frames become masks, clips and classes one family.

Each name is loaded when it is first used: what only asks about runs of frames needs no arrays.
"""

from typing import TYPE_CHECKING

from tracepact.core.runs import FrameRun, runs_of_frames
from tracepact.lazy import loader

if TYPE_CHECKING:
    from tracepact.trace.assembly import assemble
    from tracepact.trace.event import Durations, Event, EventTable, Origin, Regions
    from tracepact.trace.exact_times import Time, exact
    from tracepact.trace.family import Family, Mode, Side
    from tracepact.trace.field import NOWHERE, ClipScores, ScoreField, frame_edges, joined_clips, some_clips
    from tracepact.trace.grid import Grid
    from tracepact.trace.layout import Layout
    from tracepact.trace.levels import Ranks, ScoreLevels, join_levels, levels_of_floats, levels_of_texts
    from tracepact.trace.runs import join_runs, union_runs

_HOMES = {
    "ClipScores": "field",
    "Durations": "event",
    "Event": "event",
    "EventTable": "event",
    "Family": "family",
    "Grid": "grid",
    "Layout": "layout",
    "Mode": "family",
    "NOWHERE": "field",
    "Origin": "event",
    "Ranks": "levels",
    "Regions": "event",
    "ScoreField": "field",
    "ScoreLevels": "levels",
    "Side": "family",
    "Time": "exact_times",
    "assemble": "assembly",
    "exact": "exact_times",
    "frame_edges": "field",
    "join_levels": "levels",
    "join_runs": "runs",
    "joined_clips": "field",
    "some_clips": "field",
    "levels_of_floats": "levels",
    "levels_of_texts": "levels",
    "union_runs": "runs",
}

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
    "some_clips",
    "union_runs",
]


__getattr__ = loader(__name__, _HOMES)
