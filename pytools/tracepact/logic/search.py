"""Asks Z3 under a budget, and makes its model small: the shortest trace, then the fewest active frames."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

from tracepact.core import Formula
from tracepact.logic import solver as z3
from tracepact.logic.model import Model
from tracepact.logic.symbolic import Encoding, encode

# No `simplify` before `bit-blast`: it splits the shifts of a window into single bits, which takes longer than solving
# (15 s against 0.2 s for N[100f] N[100f] p over all lengths).

_MINIMISING_SHARE = 0.5
"""The share of what is left of the budget that minimising may use; the answer is known by then."""


@dataclass(frozen=True, slots=True)
class SolverAnswer:
    """What Z3 said: sat, unsat or unknown; the blocks and masks of a model; the reason for unknown."""

    verdict: str
    valid: int = 0
    masks: dict[str, int] | None = None
    reason: str | None = None


def search(
    formula: Formula, length: int | None, deadline: float, megabytes: int, minimise: bool
) -> tuple[str, Model | None, str | None]:
    """What was found: sat with a trace, unsat, or unknown with the reason; base atoms only."""
    encoding = encode(formula, length)
    first = _ask(encoding, [], deadline, megabytes)
    if first.verdict != "sat":
        return first.verdict, None, first.reason
    best, minimal = first, False
    if minimise:
        until = monotonic() + _MINIMISING_SHARE * max(0.0, deadline - monotonic())
        best, minimal = _smallest(encoding, first, length, until, megabytes)
    return "sat", _model(encoding, best, length, minimal), None


def _ask(encoding: Encoding, more: list[Any], deadline: float, megabytes: int) -> SolverAnswer:
    left = deadline - monotonic()
    if left <= 0:
        return SolverAnswer("unknown", reason="the time budget is spent")
    solver = z3.Then("bit-blast", "sat", ctx=encoding.valid.ctx).solver()
    solver.set("timeout", max(1, int(left * 1000)))
    solver.set("max_memory", megabytes)
    try:
        solver.add(*encoding.constraints, *more)
        result = solver.check()
    except z3.Z3Exception as error:
        return SolverAnswer("unknown", reason=f"the solver stopped: {error}")
    if result == z3.unsat:
        return SolverAnswer("unsat")
    if result != z3.sat:
        return SolverAnswer("unknown", reason=f"the solver stopped: {solver.reason_unknown()}")
    values = solver.model()

    def number(vector: Any) -> int:
        return int(values.eval(vector, model_completion=True).as_binary_string(), 2)  # decimals have a limit of digits

    return SolverAnswer("sat", number(encoding.valid), {name: number(mask) for name, mask in encoding.masks.items()})


def _smallest(
    encoding: Encoding, found: SolverAnswer, length: int | None, until: float, megabytes: int
) -> tuple[SolverAnswer, bool]:
    """The best model within the time, and whether it is known to be the smallest."""
    fixed: list[Any] = []
    if length is None:

        def shorter(k: int) -> list[Any]:
            return [encoding.at_most(k)]

        found, proven = _descend(found, _frames, shorter, encoding, [], 1, encoding.bound, until, megabytes)
        if not proven:
            return found, False
        fixed = [encoding.at_most(_frames(found))]
    bits = encoding.active_bits()

    def fewer(k: int) -> list[Any]:
        return [z3.AtMost(*bits, k)] if bits else []

    return _descend(found, _active, fewer, encoding, fixed, 0, 1, until, megabytes)


def _descend(
    found: SolverAnswer,
    measure: Callable[[SolverAnswer], int],
    at_most: Callable[[int], list[Any]],
    encoding: Encoding,
    fixed: list[Any],
    least: int,
    step: int,
    until: float,
    megabytes: int,
) -> tuple[SolverAnswer, bool]:
    """The least measure that a model has, in growing steps from below and by halves; False if the time ran out."""
    low = least
    while low < measure(found):
        middle = min(low + step - 1, (low + measure(found) - 1) // 2)
        step *= 2
        better = _ask(encoding, [*fixed, *at_most(middle)], until, megabytes)
        if better.verdict == "unknown":
            return found, False
        if better.verdict == "sat":
            found = better
        else:
            low = middle + 1
    return found, True


def _frames(found: SolverAnswer) -> int:
    return found.valid.bit_count()


def _active(found: SolverAnswer) -> int:
    return sum(mask.bit_count() for mask in (found.masks or {}).values())


def _model(encoding: Encoding, found: SolverAnswer, length: int | None, minimal: bool) -> Model:
    """The trace around the judged bit; at a fixed length, silent frames fill what the formula does not see."""
    first = (found.valid & -found.valid).bit_length() - 1
    seen = _frames(found)
    before = encoding.judged - first
    start = 0
    if length is not None and before == encoding.judged:
        at_end = first + seen < encoding.bound
        start = length - seen if at_end else 0
    frames = seen if length is None else length
    atoms = {
        name: tuple(0 <= j < seen and bool(mask >> (first + j) & 1) for j in range(-start, frames - start))
        for name, mask in (found.masks or {}).items()
    }
    return Model(frames, atoms, start + before, minimal=minimal)
