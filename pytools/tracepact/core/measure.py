"""Measures of a formula: how far it looks, how deep and large it is, what it costs to monitor."""

from tracepact.core.formula import (
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
    children,
    subformulas,
)


def lookahead(formula: Formula) -> int:
    """The frames after i on which the verdict at i may depend (rule 6.7)."""
    match formula:
        case Atom() | Constant():
            return 0
        case Not(body):
            return lookahead(body)
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b) | Since(_, a, b):
            return max(lookahead(a), lookahead(b))
        case Eventually(_, hi, body) | Always(_, hi, body):
            return max(0, lookahead(body) + hi)
        case Until(radius, a, b):
            return _reach_of_until(radius, lookahead(a), lookahead(b))


def lookback(formula: Formula) -> int:
    """The frames before i on which the verdict at i may depend (rule 6.7)."""
    match formula:
        case Atom() | Constant():
            return 0
        case Not(body):
            return lookback(body)
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b) | Until(_, a, b):
            return max(lookback(a), lookback(b))
        case Eventually(lo, _, body) | Always(lo, _, body):
            return max(0, lookback(body) - lo)
        case Since(radius, a, b):
            return _reach_of_until(radius, lookback(a), lookback(b))


def _reach_of_until(radius: int, left: int, right: int) -> int:
    return max(right + radius, left + radius - 1) if radius else right


def reach(formula: Formula) -> int:
    """The longest way a window moves a frame: the gap that keeps clips apart in a family.

    Until and since need no more than one frame of gap, since the left part must hold without a break.
    """
    return max(1, longest_window(formula))


def longest_window(formula: Formula) -> int:
    """The greatest |a| or |b| of a window (rule 6.7); 0 without one."""
    longest = 0
    for part in subformulas(formula):
        match part:
            case Eventually(lo, hi, _) | Always(lo, hi, _):
                longest = max(longest, abs(lo), abs(hi))
            case _:
                pass
    return longest


def depth(formula: Formula) -> int:
    """Temporal depth: how many modalities are nested."""
    below = max((depth(part) for part in children(formula)), default=0)
    return below + isinstance(formula, Eventually | Always | Until | Since)


def size(formula: Formula) -> int:
    """The number of nodes."""
    return sum(1 for _ in subformulas(formula))


def cost(formula: Formula) -> int:
    """Passes the bitset engine makes over a mask: one for a connective, two for a window's doubling step."""
    total = 0
    for part in subformulas(formula):
        match part:
            case Atom() | Constant():
                pass
            case Eventually(lo, hi, _):
                total += 2 + 2 * _doublings(hi - lo + 1)
            case Always(lo, hi, _):
                total += 4 + 2 * _doublings(hi - lo + 1)
            case Until(radius, _, _) | Since(radius, _, _):
                total += 1 + 5 * _doublings(radius + 1)
            case _:
                total += 1
    return total


def _doublings(width: int) -> int:
    return (width - 1).bit_length()
