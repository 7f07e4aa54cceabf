"""Streams: a contract's verdicts while the frames arrive, each at its frame, never changed (chapter 12)."""

from tracepact.stream.monitor import StreamMonitor
from tracepact.stream.state import restore_state, save_state
from tracepact.stream.verdicts import Arrival, EventVerdict, FrameVerdicts, FrameWitness, Witness
from tracepact.stream.window import Window

__all__ = [
    "Arrival",
    "EventVerdict",
    "FrameVerdicts",
    "FrameWitness",
    "StreamMonitor",
    "Window",
    "Witness",
    "restore_state",
    "save_state",
]
