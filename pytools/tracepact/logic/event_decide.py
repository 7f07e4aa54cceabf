"""Decides questions about event clauses: samples, then what every obligation satisfies, then whole scenes.

Sat rests on a scene that was matched and judged as scoring does. Unsat rests on constraints that hold for every
obligation (`intervals`). What neither shows is unknown: scenes are only searched up to a few runs a side.
"""

from collections.abc import Iterator
from dataclasses import replace
from time import monotonic

from tracepact.core import Each
from tracepact.events.attributes import Obligation
from tracepact.frozen import dataclass
from tracepact.logic.decide import Budget, Verdict
from tracepact.logic.event_model import EventExample, EventQuestion, replayed
from tracepact.logic.event_samples import sampled_obligations
from tracepact.logic.intervals import Fitting, fitting
from tracepact.logic.scenes import TooManyMatchings, asks_about_other_classes, search

_MORE_RUNS = 2
"""How many runs a side beyond those that overlap the obligated interval: rivals that take its partner, or leave it."""


@dataclass(frozen=True, slots=True)
class EventAnswer:
    """A verdict about a predicate, with a scene that shows sat, and why it is unknown if it is."""

    verdict: Verdict
    example: EventExample | None = None
    reason: str | None = None


def solve_predicate(
    question: EventQuestion,
    budget: Budget = Budget(),  # noqa: B008  (frozen)
    *,
    minimise: bool = True,
) -> EventAnswer:
    """Whether the predicate can be true for some obligation; the example is the smallest if `minimise` is set."""
    sample = next(sampled_obligations(question), None)
    if sample is not None and not minimise:
        return EventAnswer(Verdict.SAT, EventExample(sample))
    fits = fitting(question, budget)
    if fits.verdict is not Verdict.SAT:
        return _open(fits.verdict, fits.reason, sample)
    deadline = monotonic() + budget.seconds
    reason = None
    for size in _sizes(question, fits):
        try:
            found = search(question, size, deadline, minimise=minimise)
        except TooManyMatchings as error:
            reason = str(error)
            continue
        if found.verdict == "unknown":
            reason = "the time budget is spent" if monotonic() >= deadline else "the solver gave up"
        if found.scene is not None:
            example = replayed(question, found.scene)
            if example is not None:
                return EventAnswer(Verdict.SAT, replace(example, minimal=found.minimal and reason is None))
            reason = "a model was found that does not replay"
    return _open(Verdict.UNKNOWN, reason or "nothing rules it out, and no scene of a few runs shows it", sample)


def _open(verdict: Verdict, reason: str | None, sample: Obligation | None) -> EventAnswer:
    """The answer without a smallest scene: a sample shows sat as well."""
    if sample is not None:
        return EventAnswer(Verdict.SAT, EventExample(sample))
    return EventAnswer(verdict, reason=reason)


def _sizes(question: EventQuestion, fits: Fitting) -> Iterator[tuple[int, int, int]]:
    """How many references, predictions and references of another class, the fewest runs first."""
    least_refs = max(fits.refs, 0 if question.each is Each.PRED else 1)
    least_preds = max(fits.preds, 0 if question.each is Each.REF else 1)
    others = (0, 1) if asks_about_other_classes(question) else (0,)
    sizes = [
        (refs, preds, other)
        for refs in range(least_refs, max(1, least_refs) + _MORE_RUNS + 1)
        for preds in range(least_preds, max(1, least_preds) + _MORE_RUNS + 1)
        for other in others
    ]
    yield from sorted(sizes, key=lambda size: (sum(size), size))
