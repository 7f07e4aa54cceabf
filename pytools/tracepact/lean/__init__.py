"""The proof core from Python: find Lean, check the core, have the kernel check what the monitor computed.

Starts from the core contract and a scorecard, never from text. Lean always runs as a child process.
"""

from tracepact.lean.build import Build, Progress, cache_folder
from tracepact.lean.certify import Certification, Refusal, Segment, certify, recheck
from tracepact.lean.prove import CoreReport, Theorem, check_core, ready_core
from tracepact.lean.theory import Theory, theory_root
from tracepact.lean.toolchain import HOW_TO_GET_LEAN, Kind, Toolchain, find_toolchain

__all__ = [
    "HOW_TO_GET_LEAN",
    "Build",
    "Certification",
    "CoreReport",
    "Kind",
    "Progress",
    "Refusal",
    "Segment",
    "Theorem",
    "Theory",
    "Toolchain",
    "cache_folder",
    "certify",
    "check_core",
    "find_toolchain",
    "ready_core",
    "recheck",
    "theory_root",
]
