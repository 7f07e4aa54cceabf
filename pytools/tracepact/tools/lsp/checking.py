"""What the solver finds in a contract while it is being written: within a budget, left as soon as it is stale."""

from collections.abc import Callable
from time import monotonic

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, Span, TextPlace
from tracepact.logic import Budget
from tracepact.logic.findings import check_contract

QUESTION = 0.5
"""Seconds that one question may take while somebody types."""
MOST_AS_LONG = 20
"""All questions about one state of a text may take as long as so many that use their time up."""


class Superseded(Exception):  # noqa: N818  (it says what became of the text)
    """The text was changed while it was checked."""


class _BudgetSpent(Exception):  # noqa: N818  (as above)
    """The time for all questions is over."""


def check_while(
    contract: Contract,
    is_current: Callable[[], bool],
    *,
    question: float = QUESTION,
) -> list[Diagnostic]:
    """What `check` finds; Superseded before the next question once the text is no longer current."""
    seconds = question * MOST_AS_LONG
    end = monotonic() + seconds

    def before_question(_: str) -> None:
        if not is_current():
            raise Superseded
        if monotonic() >= end:
            raise _BudgetSpent

    try:
        before_question("")
        return check_contract(contract, budget=Budget(question, question / 2), watch=before_question)
    except _BudgetSpent:
        headline = f"the contract was not checked to the end within {seconds:g} s"
        place = TextPlace(contract.source, contract.statements.get("contract", Span(0, 0)))
        return [Diagnostic("undecided", headline, place, "run `tracepact check` on the file")]
