"""Negation normal form with windows merged by interval algebra: what a formula says, in fewer and wider windows.

Windows are cut at the ends of the trace, so not every law of unbounded time holds. These do:

- *A window of windows.* `F[a,b] F[c,d] p` is `F[a+c,b+d] p` if the frame between always exists: a target at offset e in
  a+c..b+d is reached over some offset s with a <= s <= b and c <= e-s <= d, and a frame at s lies in the trace for sure
  if it lies between 0 and e. For e >= 0 that takes b, d >= 0, a <= max(0, a+c) and c <= max(0, a+c); for e <= 0 the
  mirror image. `F[2,2] F[-2,-2] p` is not `p`: at the end of a trace there is no frame two ahead.
- *Windows side by side.* `F[a,b] p | F[c,d] p` is the F over both if their offsets together have no hole; the same for
  `G` and `&`. `F[a,b] p | F[a,b] q` is `F[a,b] (p | q)`; the same for `G` and `&`.
- *The first of them.* `!p U[r] p` is `F[0,r] p`, and `p U[r] !p` is `F[0,r] !p`: before the first frame of p there is
  none. The mirror image for since.
- *Duality*: `!F[a,b] p` is `G[a,b] !p`. A window that holds offset 0 is never empty.
"""

from collections.abc import Callable
from functools import reduce

from tracepact.core import Always, And, Atom, Constant, Eventually, Formula, Iff, Implies, Not, Or, Since, Until

TRUE, FALSE = Constant(True), Constant(False)


def normal(formula: Formula) -> Formula:
    """The normal form: negations only of atoms, untils and sinces, no implications, windows merged."""
    return _Normal().of(formula, True)


def negated(formula: Formula) -> Formula:
    """The normal form of the negation."""
    return _Normal().of(formula, False)


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
            case Eventually(lo, hi, body):
                return _some(lo, hi, of(body, True)) if positive else _every(lo, hi, of(body, False))
            case Always(lo, hi, body):
                return _every(lo, hi, of(body, True)) if positive else _some(lo, hi, of(body, False))
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


def _some(lo: int, hi: int, body: Formula) -> Formula:
    match body:
        case Constant(value) if not value or lo <= 0 <= hi:
            return body
        case _ if (lo, hi) == (0, 0):
            return body
        case Eventually(low, high, inner) if composes(lo, hi, low, high):
            return Eventually(lo + low, hi + high, inner)
    return Eventually(lo, hi, body)


def _every(lo: int, hi: int, body: Formula) -> Formula:
    match body:
        case Constant(value) if value or lo <= 0 <= hi:
            return body
        case _ if (lo, hi) == (0, 0):
            return body
        case Always(low, high, inner) if composes(lo, hi, low, high):
            return Always(lo + low, hi + high, inner)
    return Always(lo, hi, body)


def _reach(kind: type[Until | Since], radius: int, left: Formula, right: Formula) -> Formula:
    if radius == 0 or left == FALSE or isinstance(right, Constant):
        return right
    if left == TRUE or right in (Not(left), _denied(left)):
        return _some(0, radius, right) if kind is Until else _some(-radius, 0, right)
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
    return _joined(a, b, And, TRUE, FALSE, _in_both)


def _either(a: Formula, b: Formula) -> Formula:
    return _joined(a, b, Or, FALSE, TRUE, _in_either)


def _joined(
    a: Formula,
    b: Formula,
    kind: type[And | Or],
    neutral: Constant,
    absorbing: Constant,
    merge: Callable[[Formula, Formula], Formula | None],
) -> Formula:
    parts: list[Formula] = []
    for part in (*_parts(a, kind), *_parts(b, kind)):
        _take(part, parts, merge)
    if absorbing in parts:
        return absorbing
    kept = [part for part in parts if part != neutral]
    return reduce(kind, kept) if kept else neutral


def _take(part: Formula, parts: list[Formula], merge: Callable[[Formula, Formula], Formula | None]) -> None:
    """Add a part, merged with those it merges with."""
    if part in parts:
        return
    for other in parts:
        merged = merge(other, part)
        if merged is not None:
            parts.remove(other)
            _take(merged, parts, merge)
            return
    parts.append(part)


def _parts(formula: Formula, kind: type[And | Or]) -> list[Formula]:
    if isinstance(formula, kind):
        return [*_parts(formula.left, kind), *_parts(formula.right, kind)]
    return [formula]


def _in_both(one: Formula, other: Formula) -> Formula | None:
    match one, other:
        case Always(a, b, p), Always(c, d, q) if p == q and side_by_side(a, b, c, d):
            return Always(min(a, c), max(b, d), p)
        case Always(a, b, p), Always(c, d, q) if (a, b) == (c, d):
            return _every(a, b, _both(p, q))
    return None


def _in_either(one: Formula, other: Formula) -> Formula | None:
    match one, other:
        case Eventually(a, b, p), Eventually(c, d, q) if p == q and side_by_side(a, b, c, d):
            return Eventually(min(a, c), max(b, d), p)
        case Eventually(a, b, p), Eventually(c, d, q) if (a, b) == (c, d):
            return _some(a, b, _either(p, q))
    return None
