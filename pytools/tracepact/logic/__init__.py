"""Questions about formulas and contracts, decided exactly and shown by traces; the solver is loaded when asked."""

from tracepact.logic.decide import (
    Answer,
    Budget,
    Decision,
    Outcome,
    Terms,
    Verdict,
    bound,
    equivalent,
    implies,
    satisfiable,
    solve,
    strictly_stronger,
    valid,
)
from tracepact.logic.enumerate import Signature, Universe, UniverseTooLarge, first_model, signatures
from tracepact.logic.model import Model, ReplayError
from tracepact.logic.picture import picture

__all__ = [
    "Answer",
    "Budget",
    "Decision",
    "Model",
    "Outcome",
    "ReplayError",
    "Signature",
    "Terms",
    "Universe",
    "UniverseTooLarge",
    "Verdict",
    "bound",
    "equivalent",
    "first_model",
    "implies",
    "picture",
    "satisfiable",
    "signatures",
    "solve",
    "strictly_stronger",
    "valid",
]
