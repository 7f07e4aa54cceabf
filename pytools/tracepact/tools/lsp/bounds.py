"""The bounds of windows on the grid: what editors show behind each, and what a bound is in words."""

from collections.abc import Iterator
from dataclasses import dataclass

from tracepact.core import Bound, Contract, FrameClause
from tracepact.diagnostics import Span
from tracepact.tools.lsp.reading import Reading
from tracepact.wording import count, time_text


@dataclass(frozen=True, slots=True)
class BoundHint:
    """What stands behind a bound: its length in frames, and why in a sentence."""

    offset: int
    label: str
    words: str


def bounds(reading: Reading) -> Iterator[Bound]:
    """The bounds of every window of the clauses without a fault, in the order of the text."""
    for clause in reading.clauses:
        if isinstance(clause, FrameClause):
            for located in (*clause.duty.everywhere(), *clause.body.everywhere()):
                yield from located.bounds


def bound_hints(reading: Reading, span: Span) -> list[BoundHint]:
    """Behind each bound in a part of the text that is not written in frames, the frames it comes to."""
    contract = reading.sketch
    if contract is None:
        return []
    return [
        BoundHint(bound.span.end, f"{bound.frames}f", bound_words(bound, contract))
        for bound in bounds(reading)
        if _shown(bound) and span.start <= bound.span.start <= span.end
    ]


def _shown(bound: Bound) -> bool:
    """Whether the text does not say the frames already; a parameter's name never does."""
    return bound.unit != "f" or bound.parameter is not None


def bound_words(bound: Bound, contract: Contract) -> str:
    """A bound as a time and in frames, with the rounding (rule 2.6) if there is any."""
    sign = "-" if bound.frames < 0 else ""
    said = f"{_time(bound)} is {sign}{count(abs(bound.frames), 'frame')} of {time_text(contract.step)}"
    exact = bound.seconds / contract.step
    return said if exact == bound.frames else f"{said}, rounded outward from {float(exact):.3g}"


def _time(bound: Bound) -> str:
    if bound.unit == "f":
        return bound.text
    return f"{'-' if bound.seconds < 0 else ''}{time_text(abs(bound.seconds))}"
