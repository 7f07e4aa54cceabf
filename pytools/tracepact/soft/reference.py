"""The soft reference semantics: naive loops, chapter 18 line by line. The fast engine is tested against it."""

from collections.abc import Mapping, Sequence

from tracepact.core import Always, And, Atom, Constant, Eventually, Formula, Iff, Implies, Not, Or, Since, Until
from tracepact.soft.values import BOTTOM, TOP, Margin

SoftEnvironment = Mapping[str, Sequence[Margin]]
"""The soft value of every atom at every frame of one clip."""


def soft_truth(formula: Formula, environment: SoftEnvironment, frames: int) -> list[Margin]:
    """The soft value of the formula at every frame of a trace with the given number of frames."""

    def of(part: Formula) -> list[Margin]:
        return soft_truth(part, environment, frames)

    every = range(frames)
    match formula:
        case Atom(name):
            return [environment[name][i] for i in every]
        case Constant(value):
            return [TOP if value else BOTTOM for _ in every]
        case Not(body):
            a = of(body)
            return [-a[i] for i in every]
        case And(left, right):
            a, b = of(left), of(right)
            return [min(a[i], b[i]) for i in every]
        case Or(left, right):
            a, b = of(left), of(right)
            return [max(a[i], b[i]) for i in every]
        case Implies(left, right):
            a, b = of(left), of(right)
            return [max(-a[i], b[i]) for i in every]
        case Iff(left, right):
            a, b = of(left), of(right)
            return [min(max(-a[i], b[i]), max(a[i], -b[i])) for i in every]
        case Eventually(lo, hi, body):
            a = of(body)
            return [max((a[j] for j in range(i + lo, i + hi + 1) if 0 <= j < frames), default=BOTTOM) for i in every]
        case Always(lo, hi, body):
            a = of(body)
            return [min((a[j] for j in range(i + lo, i + hi + 1) if 0 <= j < frames), default=TOP) for i in every]
        case Until(radius, left, right):
            a, b = of(left), of(right)
            return [max(min([b[j], *a[i:j]]) for j in range(i, i + radius + 1) if j < frames) for i in every]
        case Since(radius, left, right):
            a, b = of(left), of(right)
            return [max(min([b[j], *a[j + 1 : i + 1]]) for j in range(i - radius, i + 1) if j >= 0) for i in every]


def soft_onsets(active: Sequence[Margin]) -> list[Margin]:
    """The onsets of a field (rule 18.4)."""
    return [min(x, -active[i - 1]) if i else x for i, x in enumerate(active)]


def soft_offsets(active: Sequence[Margin]) -> list[Margin]:
    """The offsets of a field (rule 18.4)."""
    return [min(-x, active[i - 1]) if i else BOTTOM for i, x in enumerate(active)]


def soft_others(classes: Sequence[Sequence[Margin]], own: int) -> list[Margin]:
    """The greatest soft value of the other classes (rule 18.5)."""
    others = [values for k, values in enumerate(classes) if k != own]
    return [max((values[i] for values in others), default=BOTTOM) for i in range(len(classes[own]))]
