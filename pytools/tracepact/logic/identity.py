"""Questions that the form of a formula settles: a part that is asked to hold and to fail at once."""

from collections.abc import Iterator

from tracepact.core import And, Constant, Formula, Iff, Implies, Not, Or


def contradicts_itself(formula: Formula) -> bool:
    """Whether the formula holds nowhere, seen from its form alone; False says nothing."""
    known = frozenset(_conjuncts(formula))
    return any(_fails(part, known) for part in known)


def _conjuncts(formula: Formula) -> Iterator[Formula]:
    """The parts that hold wherever the formula does; the formula itself is one of them."""
    yield formula
    match formula:
        case And(a, b):
            yield from _conjuncts(a)
            yield from _conjuncts(b)
        case Not(Not(a)):
            yield from _conjuncts(a)
        case Not(Or(a, b)):
            yield from _conjuncts(Not(a))
            yield from _conjuncts(Not(b))
        case Not(Implies(a, b)):
            yield from _conjuncts(a)
            yield from _conjuncts(Not(b))


def _fails(part: Formula, known: frozenset[Formula]) -> bool:
    match part:
        case Constant(value):
            return not value
        case Not(body):
            return _follows(body, known)
    return False


def _follows(formula: Formula, known: frozenset[Formula]) -> bool:
    """Whether a formula holds wherever all that is known does."""
    if formula in known:
        return True
    match formula:
        case Constant(value):
            return value
        case And(a, b):
            return _follows(a, known) and _follows(b, known)
        case Or(a, b):
            return _follows(a, known) or _follows(b, known)
        case Implies(a, b):
            return a == b or Not(a) in known or _follows(b, known)
        case Iff(a, b):
            return a == b
    return False
