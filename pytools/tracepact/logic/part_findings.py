"""Parts that can be deleted: of a conjunction what the rest implies, of a disjunction what implies the rest."""

from collections.abc import Callable, Iterator
from functools import reduce

from tracepact.core import And, Constant, Formula, Located, Not, Or
from tracepact.diagnostics import Diagnostic
from tracepact.logic.contract_text import ContractText

Impossible = Callable[[Formula, Located], bool]
"""Whether a formula holds nowhere, for certain; the place is what the question is about."""


def redundant_parts(located: Located, text: ContractText, impossible: Impossible) -> Iterator[Diagnostic]:
    """The largest parts that can go, one for each conjunction or disjunction; constant parts are said elsewhere."""
    kind = type(located.formula)
    if kind not in (And, Or) or len(located.parts) != 2:
        for part in located.parts:
            yield from redundant_parts(part, text, impossible)
        return
    operands = _operands(located, kind)
    for k, operand in enumerate(operands):
        rest = [other for j, other in enumerate(operands) if j != k]
        whole = reduce(kind, [other.formula for other in rest])
        differs = And(whole, Not(operand.formula)) if kind is And else And(operand.formula, Not(whole))
        if not isinstance(operand.formula, Constant) and impossible(differs, operand):
            yield _redundant(operand, rest, text, is_implied=kind is And)
            operands = rest
            break
    for operand in operands:
        yield from redundant_parts(operand, text, impossible)


def _redundant(operand: Located, rest: list[Located], text: ContractText, *, is_implied: bool) -> Diagnostic:
    gone, others = f"`{text.quoted(operand.span)}`", ", ".join(f"`{text.quoted(other.span)}`" for other in rest)
    why = f"{others} implies it" if is_implied else f"it implies {others}"
    return Diagnostic(
        "redundant-part",
        f"{gone} can be deleted: {why}",
        text.place(operand.span),
        "delete it, or write what was meant",
    )


def _operands(located: Located, kind: type) -> list[Located]:
    if isinstance(located.formula, kind) and len(located.parts) == 2:
        return [operand for part in located.parts for operand in _operands(part, kind)]
    return [located]
