"""Findings of `check` while somebody types: one check at a time, within a budget, stopped by the next (rule 23.5)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from threading import Lock
from time import monotonic
from typing import Annotated

from msgspec import Meta

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic
from tracepact.diagnostics.record import DiagnosticRecord, diagnostic_record
from tracepact.logic import Budget
from tracepact.logic.event_model import read_words
from tracepact.logic.findings import check_contract
from tracepact.logic.picture import read_picture
from tracepact.records import Record
from tracepact.tools.play.scene import Clip, EventText, Scene, compiled, run_events, run_times
from tracepact.trace import FrameRun, runs_of_frames
from tracepact.wording import print_number

SECONDS = 30.0
"""What a check may take in all."""
_PERFECT = "perfect-prediction-fails"
_QUESTION = Budget(seconds=1.0, minimising=0.5)


class Finding(Record, frozen=True):
    """A finding, and the trace that shows it as a clip, where it has one that is drawn whole."""

    diagnostic: DiagnosticRecord
    clip: Clip | None


class Findings(Record, frozen=True):
    """What a check found; or that it was stopped, and why."""

    findings: tuple[Finding, ...]
    stopped: Annotated[str, Meta(description="Empty if every question was asked.")] = ""


class Stopped(Exception):  # noqa: N818  (it is what a check is)
    """A check that goes no further."""


class Checker:
    """Checks the contracts of one page, one after the other; a later one stops those before it."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._guard, self._turn = Lock(), Lock()
        self._asked: tuple[str, Mapping[str, str]] | None = None
        self._number = 0

    def changed(self, scene: Scene) -> None:
        """Stop a check of another contract than that of the scene."""
        with self._guard:
            if self._asked is not None and self._asked != (scene.contract, scene.set):
                self._asked = None
                self._number += 1

    def check(self, scene: Scene) -> Findings:
        """What `check` finds in the contract of a scene."""
        with self._guard:
            self._number += 1
            mine, self._asked = self._number, (scene.contract, scene.set)
        contract, _ = compiled(scene)
        if contract is None:
            return Findings((), "the contract has errors")
        with self._turn:
            deadline = monotonic() + self._seconds

            def watch(_: str) -> None:
                if self._number != mine:
                    raise Stopped("the contract has changed")
                if monotonic() > deadline:
                    raise Stopped(f"not every question was asked within {self._seconds:g} s")

            try:
                watch("")
                found = check_contract(contract, notes=True, budget=_QUESTION, watch=watch)
            except Stopped as error:
                return Findings((), str(error))
        return Findings(tuple(_finding(contract, one) for one in found))


def _finding(contract: Contract, found: Diagnostic) -> Finding:
    clip = None if found.trace is None else shown_clip(contract, found.code, found.trace)
    return Finding(diagnostic_record(found), clip)


def shown_clip(contract: Contract, name: str, trace: str) -> Clip | None:
    """The clip, with the name of its code, of a trace or scene that shows a finding; None where not all is drawn."""
    own, other = _two_classes(contract)
    step = contract.step
    if (masks := read_picture(trace)) is not None:
        runs = {atom: runs_of_frames(row) for atom, row in masks.items()}
        frames = max(map(len, masks.values()), default=0)
        ref, pred = (_both(runs, side, step, own, other) for side in ("ref_active", "pred_active"))
        if name == _PERFECT:
            pred = ref  # the picture has the reference alone: the prediction is the same
        lit = {atom: run_times(runs.get(atom, ()), step) for atom in contract.declared_atoms}
        return Clip(name, print_number(max(frames, 1) * step), ref, pred, (), lit)
    if (scene := read_words(trace)) is not None:
        refs, preds, others = scene
        last = max((end for _, end in (*refs, *preds, *others)), default=Fraction(0))
        ref = (*_labelled(refs, own), *_labelled(others, other))
        return Clip(name, print_number(last + step), ref, _labelled(preds, own))
    return None


def _two_classes(contract: Contract) -> tuple[str, str]:
    labels = contract.labels or ()
    return (*labels, "a", "b")[0], (*labels[1:], "b")[0]


def _both(
    runs: Mapping[str, tuple[FrameRun, ...]], side: str, step: Fraction, own: str, other: str
) -> tuple[EventText, ...]:
    own_events = run_events(runs.get(side, ()), step, own)
    return (*own_events, *run_events(runs.get(f"other_{side}", ()), step, other))


def _labelled(ends: Sequence[tuple[Fraction, Fraction]], label: str) -> tuple[EventText, ...]:
    return tuple((print_number(start), print_number(end), label) for start, end in ends)
