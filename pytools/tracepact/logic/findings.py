"""Everything `check` finds in a contract that compiles, ordered by place."""

from collections.abc import Sequence

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, TextPlace
from tracepact.logic.contract_text import ContractText
from tracepact.logic.decide import Budget
from tracepact.logic.event_findings import EventFindings
from tracepact.logic.frame_findings import FrameFindings
from tracepact.logic.questions import ContractQuestions
from tracepact.logic.value_findings import ValueFindings
from tracepact.logic.whole_findings import WholeFindings
from tracepact.progress import OnStage, silent

CHECK_BUDGET = Budget()
"""What one question of a check may cost unless the caller says otherwise."""


def check_contract(
    contract: Contract,
    *,
    notes: bool = False,
    budget: Budget = CHECK_BUDGET,
    watch: OnStage = silent,
) -> list[Diagnostic]:
    """Warnings, with `notes` also notes; questions that stayed open are always among them; `watch` is told each.

    Where nothing else is found in a contract of one clause, the note of rule 21.3 is given in any case.
    """
    text, ask = ContractText(contract), ContractQuestions(contract, budget, watch)
    whole = WholeFindings(text, ask)
    found = [
        *ValueFindings(text).warnings(),
        *FrameFindings(text, ask).findings(notes=notes),
        *EventFindings(text, ask).findings(notes=notes),
        *whole.findings(notes=notes),
    ]
    if not (found or contract.warnings or ask.undecided or notes):
        found = list(whole.alone())
    return by_place([*found, *dict.fromkeys(ask.undecided)])


def by_place(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """In the order of the text; what has no place comes first."""
    return sorted(found, key=lambda d: d.place.span.start if isinstance(d.place, TextPlace) else -1)
