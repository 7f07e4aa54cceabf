"""Core formulas and masks as plain JSON data, as vectors and the protocol write them, and formulas as text."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

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

Tree = Any
"""A formula as data: an atom's name, a truth value, or a list that starts with the operator."""

_BINARY: dict[str, type[And | Or | Implies | Iff]] = {"and": And, "or": Or, "implies": Implies, "iff": Iff}
_WINDOW: dict[str, type[Eventually | Always]] = {"F": Eventually, "G": Always}
_REACH: dict[str, type[Until | Since]] = {"U": Until, "S": Since}
_SHOWN = 80
LONGEST = 1 << 20
"""The frames a trace may have, and the items a case may list (P19)."""

FARTHEST = 1 << 31
"""How far a window may reach (P19)."""

_SIGNS = {And: "&", Or: "|", Implies: "->", Iff: "<->"}
_NAMES: dict[type, str] = {kind: name for table in (_BINARY, _WINDOW, _REACH) for name, kind in table.items()}


class BadCase(ValueError):  # noqa: N818  (it names what the case is)
    """A case is not of the form the protocol gives it; the text says where, for who wrote it."""


def formula_of(tree: Tree) -> Formula:
    """The core formula a tree stands for; BadCase if it stands for none."""
    match tree:
        case bool(value):
            return Constant(value)
        case str(name):
            return Atom(name)
        case ["not", body]:
            return Not(formula_of(body))
        case [str(name), left, right] if name in _BINARY:
            return _BINARY[name](formula_of(left), formula_of(right))
        case [str(name), lo, hi, body] if name in _WINDOW:
            if _bound(lo) > _bound(hi):
                raise BadCase(f"the window of `{name}` has the bounds {lo} > {hi}")
            return _WINDOW[name](lo, hi, formula_of(body))
        case [str(name), radius, left, right] if name in _REACH:
            if _bound(radius) < 0:
                raise BadCase(f"the radius of `{name}` is negative: {radius}")
            return _REACH[name](radius, formula_of(left), formula_of(right))
    raise BadCase(f"{shown(tree)} is not a formula")


def _bound(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadCase(f"{shown(value)} is not a bound; bounds are integers, in frames")
    if abs(value) > FARTHEST:
        raise BadCase(f"a bound is larger than {FARTHEST}")
    return value


def shown(data: Any) -> str:
    """A piece of a case as JSON, cut to a length one can read."""
    text = json.dumps(data, ensure_ascii=False)
    return f"`{text[:_SHOWN]}{'…' if len(text) > _SHOWN else ''}`"


def tree_of(formula: Formula) -> Tree:
    """The tree of a core formula."""
    match formula:
        case Constant(value):
            return value
        case Atom(name):
            return name
        case Not(body):
            return ["not", tree_of(body)]
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            return [_NAMES[type(formula)], tree_of(a), tree_of(b)]
        case Eventually(lo, hi, body) | Always(lo, hi, body):
            return [_NAMES[type(formula)], lo, hi, tree_of(body)]
        case Until(radius, a, b) | Since(radius, a, b):
            return [_NAMES[type(formula)], radius, tree_of(a), tree_of(b)]


def formula_text(formula: Formula) -> str:
    """A core formula in the language, bounds in frames; reading it at any step gives the formula back."""
    match formula:
        case Constant(value):
            return "true" if value else "false"
        case Atom(name):
            return name
        case Not(body):
            return f"!{_operand(body)}"
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            return f"{_operand(a)} {_SIGNS[type(formula)]} {_operand(b)}"
        case Eventually(lo, hi, body) | Always(lo, hi, body):
            return f"{_NAMES[type(formula)]}[{lo}f,{hi}f] {_operand(body)}"
        case Until(radius, a, b) | Since(radius, a, b):
            return f"{_operand(a)} {_NAMES[type(formula)]}[{radius}f] {_operand(b)}"


def _operand(formula: Formula) -> str:
    text = formula_text(formula)
    return f"({text})" if isinstance(formula, And | Or | Implies | Iff | Until | Since) else text


def renamed_atoms(formula: Formula, names: Mapping[str, str]) -> Formula:
    """The formula with other names for its atoms."""

    def renamed(tree: Tree) -> Tree:
        match tree:
            case bool():
                return tree
            case str():
                return names[tree]
            case [operator, *rest]:
                return [operator, *(part if type(part) is int else renamed(part) for part in rest)]

    return formula_of(renamed(tree_of(formula)))


def bits(frames: Sequence[bool]) -> str:
    """A mask as text, one digit a frame."""
    return "".join("1" if active else "0" for active in frames)


def frames_of(text: str) -> list[bool]:
    """The frames of a mask's text; BadCase if it is not made of the digits 0 and 1."""
    if not isinstance(text, str) or set(text) - {"0", "1"}:
        raise BadCase(f"{shown(text)} is not a mask")
    if len(text) > LONGEST:
        raise BadCase(f"a mask has more than {LONGEST} frames")
    return [digit == "1" for digit in text]
