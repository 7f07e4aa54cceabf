"""The reference semantics: naive loops, chapter 6 line by line. Every engine is tested against it."""

from collections.abc import Mapping, Sequence

from tracepact.core import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Since,
    Until,
)

Environment = Mapping[str, Sequence[bool]]
"""The truth of every atom at every frame of one clip."""


def truth(formula: Formula, environment: Environment, frames: int) -> list[bool]:
    """Whether the formula holds, at every frame of a trace with the given number of frames."""

    def of(part: Formula) -> list[bool]:
        return truth(part, environment, frames)

    every = range(frames)
    match formula:
        case Atom(name):
            return [bool(environment[name][i]) for i in every]
        case Constant(value):
            return [value for _ in every]
        case Not(body):
            a = of(body)
            return [not a[i] for i in every]
        case And(left, right):
            a, b = of(left), of(right)
            return [a[i] and b[i] for i in every]
        case Or(left, right):
            a, b = of(left), of(right)
            return [a[i] or b[i] for i in every]
        case Implies(left, right):
            a, b = of(left), of(right)
            return [not a[i] or b[i] for i in every]
        case Iff(left, right):
            a, b = of(left), of(right)
            return [a[i] == b[i] for i in every]
        case Eventually(lo, hi, body):
            a = of(body)
            return [any(a[j] for j in range(i + lo, i + hi + 1) if 0 <= j < frames) for i in every]
        case Always(lo, hi, body):
            a = of(body)
            return [all(a[j] for j in range(i + lo, i + hi + 1) if 0 <= j < frames) for i in every]
        case Until(radius, left, right):
            a, b = of(left), of(right)
            return [
                any(b[j] and all(a[k] for k in range(i, j)) for j in range(i, i + radius + 1) if j < frames)
                for i in every
            ]
        case Since(radius, left, right):
            a, b = of(left), of(right)
            return [
                any(b[j] and all(a[k] for k in range(j + 1, i + 1)) for j in range(i - radius, i + 1) if j >= 0)
                for i in every
            ]


def holds(formula: Formula, environment: Environment, frames: int, i: int) -> bool:
    """Whether the formula holds at frame i."""
    return truth(formula, environment, frames)[i]
