"""Streams: a contract's verdicts while the frames arrive, each at its frame, never changed (chapter 12)."""

from tracepact import declarations as _deprecation
from tracepact.stream.bank import StreamBank, restore_bank, save_bank
from tracepact.stream.bank_windows import BankArrival, BankVerdicts
from tracepact.stream.monitor import StreamMonitor
from tracepact.stream.state import restore_state, save_state
from tracepact.stream.verdicts import Arrival, EventVerdict, FrameVerdicts, FrameViolation, Violation
from tracepact.stream.window import Window

__all__ = [
    "Arrival",
    "BankArrival",
    "BankVerdicts",
    "EventVerdict",
    "FrameVerdicts",
    "FrameViolation",
    "StreamBank",
    "StreamMonitor",
    "Violation",
    "Window",
    "restore_bank",
    "restore_state",
    "save_bank",
    "save_state",
]

_OLD_NAMES = {"FrameWitness": ("FrameViolation", FrameViolation), "Witness": ("Violation", Violation)}


def __getattr__(name: str) -> object:
    return _deprecation.renamed_in(__name__, _OLD_NAMES, name)
