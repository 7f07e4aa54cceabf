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
from tracepact.logic.enumerate import Universe, UniverseTooLarge, first_model
from tracepact.logic.model import Model, ReplayError
from tracepact.logic.picture import picture
from tracepact.logic.signature import (
    Measures,
    Signature,
    clause_measures,
    clause_signatures,
    measures,
    signature_classes,
    signatures,
)

__all__ = [
    "Answer",
    "Budget",
    "Decision",
    "Measures",
    "Model",
    "Outcome",
    "ReplayError",
    "Signature",
    "Terms",
    "Universe",
    "UniverseTooLarge",
    "Verdict",
    "bound",
    "clause_measures",
    "clause_signatures",
    "equivalent",
    "first_model",
    "implies",
    "measures",
    "never_occurs",
    "picture",
    "satisfiable",
    "signature_classes",
    "signatures",
    "solve",
    "strictly_stronger",
    "valid",
]
