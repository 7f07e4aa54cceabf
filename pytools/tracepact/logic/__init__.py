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
    never_occurs,
    satisfiable,
    solve,
    strictly_stronger,
    valid,
)
from tracepact.logic.model import Model, ReplayError
from tracepact.logic.picture import picture

__all__ = [
    "Answer",
    "Budget",
    "Decision",
    "Model",
    "Outcome",
    "ReplayError",
    "Terms",
    "Verdict",
    "bound",
    "equivalent",
    "implies",
    "never_occurs",
    "picture",
    "satisfiable",
    "solve",
    "strictly_stronger",
    "valid",
]
