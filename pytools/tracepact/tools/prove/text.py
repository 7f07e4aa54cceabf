"""Core values as Lean text: masks, offsets, formulas, lists."""

from collections.abc import Iterable, Mapping

from tracepact.core import Always, And, Atom, Constant, Eventually, Formula, Iff, Implies, Not, Or, Since, Until

PIECE = 4096
"""Bits of one literal: Lean reads many short literals faster than a long one."""


def lean_bool(value: bool) -> str:
    """A truth value."""
    return ".true" if value else ".false"


def lean_list(items: Iterable[str]) -> str:
    """A list; without Lean's own `Init` there is no bracket notation."""
    entries = list(items)
    return "".join(f"(.cons {entry} " for entry in entries) + ".nil" + ")" * len(entries)


def lean_int(offset: int) -> str:
    """A signed offset by its constructor."""
    return f"(.ofNat {offset})" if offset >= 0 else f"(.negSucc {-offset - 1})"


def lean_mask(mask: int) -> str:
    """A mask as one literal, or in pieces if it is long."""
    if mask.bit_length() <= PIECE:
        return f"{mask:#x}"
    pieces = []
    while mask:
        pieces.append(f"{mask & ((1 << PIECE) - 1):#x}")
        mask >>= PIECE
    return f"(joined {PIECE} {lean_list(pieces)})"


def lean_formula(formula: Formula, numbers: Mapping[str, int]) -> str:
    """A formula; atoms by their numbers."""

    def of(part: Formula) -> str:
        return lean_formula(part, numbers)

    match formula:
        case Atom(name):
            return f"(.atom {numbers[name]})"
        case Constant(value):
            return f"(.constant {lean_bool(value)})"
        case Not(body):
            return f"(.not {of(body)})"
        case And(a, b):
            return f"(.and {of(a)} {of(b)})"
        case Or(a, b):
            return f"(.or {of(a)} {of(b)})"
        case Implies(a, b):
            return f"(.implies {of(a)} {of(b)})"
        case Iff(a, b):
            return f"(.iff {of(a)} {of(b)})"
        case Eventually(lo, hi, body):
            return f"(.eventually {lean_int(lo)} {lean_int(hi)} {of(body)})"
        case Always(lo, hi, body):
            return f"(.always {lean_int(lo)} {lean_int(hi)} {of(body)})"
        case Until(radius, a, b):
            return f"(.«until» {radius} {of(a)} {of(b)})"
        case Since(radius, a, b):
            return f"(.since {radius} {of(a)} {of(b)})"
