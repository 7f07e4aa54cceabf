"""The reference semantics: naive loops, a line-by-line transcription of chapter 6. Everything is tested against it."""

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


def holds(formula: Formula, environment: Environment, frames: int, i: int) -> bool:
    """Whether the formula holds at frame i of a trace with the given number of frames."""

    def at(part: Formula, j: int) -> bool:
        return holds(part, environment, frames, j)

    match formula:
        case Atom(name):
            return bool(environment[name][i])
        case Constant(value):
            return value
        case Not(body):
            return not at(body, i)
        case And(left, right):
            return at(left, i) and at(right, i)
        case Or(left, right):
            return at(left, i) or at(right, i)
        case Implies(left, right):
            return not at(left, i) or at(right, i)
        case Iff(left, right):
            return at(left, i) == at(right, i)
        case Eventually(lo, hi, body):
            return any(at(body, j) for j in range(i + lo, i + hi + 1) if 0 <= j < frames)
        case Always(lo, hi, body):
            return all(at(body, j) for j in range(i + lo, i + hi + 1) if 0 <= j < frames)
        case Until(radius, left, right):
            return any(
                at(right, j) and all(at(left, k) for k in range(i, j)) for j in range(i, i + radius + 1) if j < frames
            )
        case Since(radius, left, right):
            return any(
                at(right, j) and all(at(left, k) for k in range(j + 1, i + 1))
                for j in range(i - radius, i + 1)
                if j >= 0
            )


def truth(formula: Formula, environment: Environment, frames: int) -> list[bool]:
    """The truth of the formula at every frame."""
    return [holds(formula, environment, frames, i) for i in range(frames)]
