"""Streams: a contract's verdicts while the frames arrive, each at its frame, never changed (chapter 12)."""

from tracepact import deprecation as _deprecation
from tracepact.stream.monitor import StreamMonitor
from tracepact.stream.state import restore_state, save_state
from tracepact.stream.verdicts import Arrival, EventVerdict, FrameVerdicts, FrameViolation, Violation
from tracepact.stream.window import Window

__all__ = [
    "Arrival",
    "EventVerdict",
    "FrameVerdicts",
    "FrameViolation",
    "StreamMonitor",
    "Violation",
    "Window",
    "restore_state",
    "save_state",
]

_OLD_NAMES = {"FrameWitness": ("FrameViolation", FrameViolation), "Witness": ("Violation", Violation)}


def __getattr__(name: str) -> object:
    return _deprecation.renamed_in(__name__, _OLD_NAMES, name)
