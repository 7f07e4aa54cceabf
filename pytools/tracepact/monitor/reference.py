"""The reference semantics: naive loops, chapter 6 line by line. Every engine is tested against it."""

from collections.abc import Mapping, Sequence

from tracepact.core import Always, And, Atom, Constant, Eventually, Formula, Iff, Implies, Not, Or, Since, Until

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
            return [any(a[j] for j in range(max(i + lo, 0), min(i + hi + 1, frames))) for i in every]
        case Always(lo, hi, body):
            a = of(body)
            return [all(a[j] for j in range(max(i + lo, 0), min(i + hi + 1, frames))) for i in every]
        case Until(radius, left, right):
            a, b = of(left), of(right)
            return [
                any(b[j] and all(a[k] for k in range(i, j)) for j in range(i, min(i + radius + 1, frames)))
                for i in every
            ]
        case Since(radius, left, right):
            a, b = of(left), of(right)
            return [
                any(b[j] and all(a[k] for k in range(j + 1, i + 1)) for j in range(max(i - radius, 0), i + 1))
                for i in every
            ]


def holds(formula: Formula, environment: Environment, frames: int, i: int) -> bool:
    """Whether the formula holds at frame i: the same lines for one frame, which asks only where it looks."""
    known: dict[tuple[int, int], bool] = {}

    def at(part: Formula, i: int) -> bool:
        place = id(part), i
        if place not in known:
            known[place] = here(part, i)
        return known[place]

    def here(part: Formula, i: int) -> bool:
        match part:
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
                return any(at(body, j) for j in range(max(i + lo, 0), min(i + hi + 1, frames)))
            case Always(lo, hi, body):
                return all(at(body, j) for j in range(max(i + lo, 0), min(i + hi + 1, frames)))
            case Until(radius, left, right):
                ends = (j for j in range(i, min(i + radius + 1, frames)) if at(right, j))
                return any(all(at(left, k) for k in range(i, j)) for j in ends)
            case Since(radius, left, right):
                ends = (j for j in range(max(i - radius, 0), i + 1) if at(right, j))
                return any(all(at(left, k) for k in range(j + 1, i + 1)) for j in ends)

    return at(formula, i)
