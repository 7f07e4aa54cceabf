"""Decisions as plain data, the form of JSON output."""

from fractions import Fraction
from typing import Any

from tracepact.logic.decide import Decision
from tracepact.logic.model import Model
from tracepact.trace import runs_of_frames

Data = dict[str, Any]


def decision_data(
    question: str,
    formulas: tuple[str, ...],
    obligation: str | None,
    step: Fraction,
    decision: Decision,
    *,
    vacuous: bool,
) -> Data:
    """A question as it was asked, and its answer with the trace that shows it."""
    return {
        "question": question,
        "formulas": list(formulas),
        "obligation": obligation,
        "step": str(step),
        "length": decision.length,
        "free_atoms": decision.free,
        "bound": decision.bound,
        "outcome": decision.outcome.value,
        "vacuous": vacuous,
        "reason": decision.reason,
        "trace": None if decision.model is None else trace_data(decision.model),
    }


def trace_data(model: Model) -> Data:
    """A trace by the runs of its atoms."""
    return {
        "frames": model.frames,
        "frame": model.frame,
        "minimal": model.minimal,
        "atoms": [
            {"atom": name, "runs": [list(run) for run in runs_of_frames(mask)]}
            for name, mask in sorted(model.atoms.items())
        ],
    }
