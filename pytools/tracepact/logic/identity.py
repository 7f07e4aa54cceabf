"""Questions that form and interval algebra settle before any solver: a part that is asked to hold and to fail.

`follows(a, b)` is a sound and incomplete test whether b holds at every frame where a does. Besides the rules of the
connectives it knows windows: a wider `F` follows from a narrower one and a narrower `G` from a wider one, over bodies
of which one follows from the other; `G` over offset 0 gives its body and a body gives `F` over offset 0, since the
frame itself is always in the trace; an until reaches its right part within its radius.
"""

from collections.abc import Iterator
from functools import lru_cache

from tracepact.core import Always, And, Constant, Eventually, Formula, Iff, Implies, Not, Or, Since, Until, size
from tracepact.logic.normal import negated, normal

_MOST_NODES = 600
"""Beyond this the form is left to the solver: comparing parts with each other takes the square of it."""
_MOST_CASES = 64
"""How many cases of nested disjunctions are told apart."""


def contradicts_itself(formula: Formula) -> bool:
    """Whether the formula holds nowhere, seen from its form alone; False says nothing."""
    known = frozenset(_conjuncts(formula))
    if any(_fails(part, known) for part in known):
        return True
    return size(formula) <= _MOST_NODES and is_contradiction(normal(formula))


# As it is written


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
            return _is_given(body, known)
    return False


def _is_given(formula: Formula, known: frozenset[Formula]) -> bool:
    """Whether a formula holds wherever all that is known does."""
    if formula in known:
        return True
    match formula:
        case Constant(value):
            return value
        case And(a, b):
            return _is_given(a, known) and _is_given(b, known)
        case Or(a, b):
            return _is_given(a, known) or _is_given(b, known)
        case Implies(a, b):
            return a == b or Not(a) in known or _is_given(b, known)
        case Iff(a, b):
            return a == b
    return False


# In normal form


def is_contradiction(formula: Formula) -> bool:
    """Whether a formula in normal form holds nowhere, seen from its form alone; False says nothing."""
    if size(formula) > _MOST_NODES:
        return False
    cases = list(_cases(formula, _MOST_CASES))
    return len(cases) < _MOST_CASES and all(_clash(case) for case in cases)


def _cases(formula: Formula, most: int) -> Iterator[list[Formula]]:
    """The conjuncts of each case of the disjunctions above the modalities, at most so many."""
    match formula:
        case Or(a, b):
            found = 0
            for part in (a, b):
                for case in _cases(part, most - found):
                    found += 1
                    yield case
        case And(a, b):
            found = 0
            for left in _cases(a, most):
                for right in _cases(b, most):
                    if found == most:
                        return
                    found += 1
                    yield [*left, *right]
        case _:
            yield [formula]


def _clash(parts: list[Formula]) -> bool:
    """Whether one of the parts fails wherever another one holds."""
    if any(isinstance(part, Constant) and not part.value for part in parts):
        return True
    denied = [(i, negated(part)) for i, part in enumerate(parts)]
    return any(follows(part, other) for i, part in enumerate(parts) for j, other in denied if j < i)


@lru_cache(maxsize=4096)
def follows(a: Formula, b: Formula) -> bool:
    """Whether b holds wherever a does, for formulas in normal form; False says nothing."""
    if a == b:
        return True
    match a, b:
        case (Constant(False), _) | (_, Constant(True)):
            return True
        case Or(p, q), _:
            return follows(p, b) and follows(q, b)
        case _, And(p, q):
            return follows(a, p) and follows(a, q)
    return _by_windows(a, b) or _by_parts(a, b)


def _by_parts(a: Formula, b: Formula) -> bool:
    """Some part of a conjunction, some part of a disjunction."""
    if isinstance(a, And) and (follows(a.left, b) or follows(a.right, b)):
        return True
    return isinstance(b, Or) and (follows(a, b.left) or follows(a, b.right))


def _by_windows(a: Formula, b: Formula) -> bool:
    match a, b:
        case Eventually(lo, hi, p), Eventually(low, high, q) if low <= lo and hi <= high and follows(p, q):
            return True
        case Always(lo, hi, p), Always(low, high, q) if lo <= low and high <= hi and follows(p, q):
            return True
        case Until(r, _, p), Eventually(low, high, q) if low <= 0 and r <= high and follows(p, q):
            return True
        case Since(r, _, p), Eventually(low, high, q) if low <= -r and high >= 0 and follows(p, q):
            return True
        case (Until(r, x, p), Until(s, y, q)) | (Since(r, x, p), Since(s, y, q)) if r <= s:
            if follows(p, q) and follows(x, y):
                return True
        case Not(p), Not(q) if isinstance(p, Until | Since) and follows(q, p):
            return True
    return _by_the_frame_itself(a, b)


def _by_the_frame_itself(a: Formula, b: Formula) -> bool:
    """Offset 0 is in the trace."""
    match a:
        case Always(lo, hi, p) if lo <= 0 <= hi and follows(p, b):
            return True
    match b:
        case Eventually(lo, hi, q) if lo <= 0 <= hi and follows(a, q):
            return True
        case Until(_, _, q) | Since(_, _, q):
            return follows(a, q)
    return False
