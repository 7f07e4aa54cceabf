"""Formulas settled by form: negation normal form, interval algebra, parts that are asked to hold and to fail."""

from collections.abc import Callable, Iterator
from functools import lru_cache, reduce

from tracepact.language.formula import (
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
    operands,
    size,
)

# Negation normal form with windows merged by interval algebra: what a formula says, in fewer and wider windows.
#
# Windows are cut at the ends of the trace, so not every law of unbounded time holds. These do:
#
# - *A window of windows.* `F[a,b] F[c,d] p` is `F[a+c,b+d] p` if the frame between always exists: a target at
# offset e in a+c..b+d is reached over some offset s with a <= s <= b and c <= e-s <= d, and a frame at s lies in
# the trace for sure if it lies between 0 and e. For e >= 0 that takes b, d >= 0, a <= max(0, a+c) and c <= max(0,
# a+c); for e <= 0 the mirror image. `F[2,2] F[-2,-2] p` is not `p`: at the end of a trace there is no frame two
# ahead. - *Windows side by side.* `F[a,b] p | F[c,d] p` is the F over both if their offsets together have no hole;
# the same for `G` and `&`. `F[a,b] p | F[a,b] q` is `F[a,b] (p | q)`; the same for `G` and `&`. - *The first of
# them.* `!p U[r] p` is `F[0,r] p`, and `p U[r] !p` is `F[0,r] !p`: before the first frame of p there is none. The
# mirror image for since. - *Duality*: `!F[a,b] p` is `G[a,b] !p`. A window that holds offset 0 is never empty.

TRUE, FALSE = Constant(True), Constant(False)


def normal(formula: Formula) -> Formula:
    """The normal form: negations only of atoms, untils and sinces, no implications, windows merged."""
    return _Normal().of(formula, True)


def negated(formula: Formula) -> Formula:
    """The normal form of the negation."""
    return _Normal().of(formula, False)


# Positive and negative form of a part are remembered apart: an `<->` asks for both, and without this memory a nest of
# them would double at every level.
class _Normal:
    """One pass over a formula; parts that occur again are the same objects in the result."""

    def __init__(self) -> None:
        self.known: dict[tuple[Formula, bool], Formula] = {}

    def of(self, formula: Formula, positive: bool) -> Formula:
        key = formula, positive
        if key not in self.known:
            self.known[key] = self._made(formula, positive)
        return self.known[key]

    def _made(self, formula: Formula, positive: bool) -> Formula:
        of = self.of
        match formula:
            case Atom():
                return formula if positive else Not(formula)
            case Constant(value):
                return Constant(value is positive)
            case Not(body):
                return of(body, not positive)
            case And(a, b):
                return _both(of(a, True), of(b, True)) if positive else _either(of(a, False), of(b, False))
            case Or(a, b):
                return _either(of(a, True), of(b, True)) if positive else _both(of(a, False), of(b, False))
            case Implies(a, b):
                return _either(of(a, False), of(b, True)) if positive else _both(of(a, True), of(b, False))
            case Iff(a, b):
                other = of(b, positive), of(b, not positive)
                return _either(_both(of(a, True), other[0]), _both(of(a, False), other[1]))
            case Eventually(lo, hi, body) | Always(lo, hi, body):
                kind = Eventually if isinstance(formula, Eventually) is positive else Always
                return _windowed(kind, lo, hi, of(body, positive))
            case Until(radius, a, b) | Since(radius, a, b):
                reach = _reach(type(formula), radius, of(a, True), of(b, True))
                return reach if positive else _not_reached(reach)


def composes(a: int, b: int, c: int, d: int) -> bool:
    """Whether `F[a,b] F[c,d] p` is `F[a+c,b+d] p` on every trace (see the module's text)."""
    ahead = b + d < 0 or (b >= 0 and d >= 0 and max(a, c) <= max(0, a + c))
    back = a + c > 0 or (a <= 0 and c <= 0 and min(b, d) >= min(0, b + d))
    return ahead and back


def side_by_side(a: int, b: int, c: int, d: int) -> bool:
    """Whether the offsets of two windows together have no hole."""
    return c <= b + 1 and a <= d + 1


def _windowed(kind: type[Eventually | Always], lo: int, hi: int, body: Formula) -> Formula:
    # An empty window makes F false and G true, whatever the body; only one that holds offset 0 is never empty.
    if isinstance(body, Constant) and (body.value is (kind is Always) or lo <= 0 <= hi):
        return body
    if (lo, hi) == (0, 0):
        return body
    if isinstance(body, kind) and composes(lo, hi, body.lo, body.hi):
        return kind(lo + body.lo, hi + body.hi, body.body)
    return kind(lo, hi, body)


def _reach(kind: type[Until | Since], radius: int, left: Formula, right: Formula) -> Formula:
    if radius == 0 or left == FALSE or isinstance(right, Constant):
        return right
    if left == TRUE or right in (Not(left), _denied(left)):
        lo, hi = (0, radius) if kind is Until else (-radius, 0)
        return _windowed(Eventually, lo, hi, right)
    match right:
        case Until(more, again, target) | Since(more, again, target) if isinstance(right, kind) and again == left:
            return kind(radius + more, left, target)
    return kind(radius, left, right)


def _denied(literal: Formula) -> Formula | None:
    """The body of a negation."""
    return literal.body if isinstance(literal, Not) else None


def _not_reached(reach: Formula) -> Formula:
    return Not(reach) if isinstance(reach, Until | Since) else _Normal().of(reach, False)


# Conjunctions and disjunctions: windows of one kind are joined, repeats dropped


def _both(a: Formula, b: Formula) -> Formula:
    return _joined(a, b, And)


def _either(a: Formula, b: Formula) -> Formula:
    return _joined(a, b, Or)


def _joined(a: Formula, b: Formula, kind: type[And | Or]) -> Formula:
    neutral, absorbing = Constant(kind is And), Constant(kind is Or)
    parts: list[Formula] = []
    for part in (*operands(a, kind), *operands(b, kind)):
        _take(part, parts, kind)
    if absorbing in parts:
        return absorbing
    kept = [part for part in parts if part != neutral]
    return reduce(kind, kept) if kept else neutral


def _take(part: Formula, parts: list[Formula], kind: type[And | Or]) -> None:
    """Add a part, merged with those it merges with."""
    if part in parts:
        return
    for other in parts:
        merged = one_window(other, part, kind, _joined)
        if merged is not None:
            parts.remove(other)
            # what two windows became may touch a third one, or be a constant now
            _take(_windowed(type(merged), merged.lo, merged.hi, merged.body), parts, kind)
            return
    parts.append(part)


def one_window(
    one: Formula,
    other: Formula,
    kind: type[And | Or],
    join: Callable[[Formula, Formula, type[And | Or]], Formula] = lambda p, q, kind: kind(p, q),
) -> Eventually | Always | None:
    """Two windows as one: `G` in a conjunction and `F` in a disjunction, of one body or of one width; None else."""
    window = Always if kind is And else Eventually
    if not isinstance(one, window) or not isinstance(other, window):
        return None
    if one.body == other.body and side_by_side(one.lo, one.hi, other.lo, other.hi):
        return window(min(one.lo, other.lo), max(one.hi, other.hi), one.body)
    return (
        window(one.lo, one.hi, join(one.body, other.body, kind)) if (one.lo, one.hi) == (other.lo, other.hi) else None
    )


# Questions that form and interval algebra settle before any solver: a part that is asked to hold and to fail.
#
# `follows(a, b)` is a sound and incomplete test whether b holds at every frame where a does. Besides the rules of the
# connectives it knows windows: a wider `F` follows from a narrower one and a narrower `G` from a wider one, over
# bodies of which one follows from the other; `G` over offset 0 gives its body and a body gives `F` over offset 0,
# since the frame itself is always in the trace; an until reaches its right part within its radius.

_MOST_NODES = 600
"""Beyond this the form is left to the solver: comparing parts with each other takes the square of it."""
_MOST_CASES = 64
"""How many cases of nested disjunctions are told apart."""


def contradicts_itself(formula: Formula) -> bool:
    """Whether the formula holds nowhere, seen from its form alone; False says nothing."""
    # As it is written first: that needs no normal form, and the questions of a check are mostly `a & !b` with b in a.
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
    """The conjuncts of each case of the disjunctions above the modalities, at most `most` cases."""
    match formula:
        case Or(a, b):
            cases = 0
            for part in (a, b):
                for case in _cases(part, most - cases):
                    cases += 1
                    yield case
        case And(a, b):
            cases = 0
            for left in _cases(a, most):
                for right in _cases(b, most):
                    if cases == most:
                        return
                    cases += 1
                    yield [*left, *right]
        case _:
            yield [formula]


def _clash(parts: list[Formula]) -> bool:
    """Whether one of the parts fails wherever another one holds."""
    if any(isinstance(part, Constant) and not part.value for part in parts):
        return True
    denied = [(i, negated(part)) for i, part in enumerate(parts)]
    return any(follows(part, other) for i, part in enumerate(parts) for j, other in denied if j < i)


# `follows` compares every part with every other, on both sides again: without the cache it takes exponential time.
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
