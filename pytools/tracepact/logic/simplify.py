"""Formulas with fewer parts and the same meaning, and formulas written in other notations."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import reduce
from itertools import combinations, product
from typing import Any, Literal

from tracepact.declarations import dataclass
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic, Source, Span, TextPlace
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
    children,
    folded,
    operands,
    size,
    with_parts,
)
from tracepact.logic.decisions import Outcome, Terms, equivalent
from tracepact.logic.models import holds_on_a_sample
from tracepact.logic.normal import one_window
from tracepact.wording import parse_whole

# Formulas written in other notations, read as core formulas: MLTL as C2PO writes it, and LTLf where it is bounded.
#
# Both read time as frames and are judged on finite traces; a frame beyond the last does not exist, as rules 6.2 and
# 6.3 say too. From low to high the operators bind as `<->`, `->` (to the right), `|`, `^`, `&`, the binary
# modalities (to the right), the unary ones with `!`. Bounds are `[b]`, `[a,b]`, `[a:b]` or `[a..b]`, whole numbers
# of frames.
#
# MLTL    F[a,b] p, G[a,b] p, p U[a,b] q, p R[a,b] q; looking back O[a,b] p, H[a,b] p, p S[a,b] q, p T[a,b] q.
# p U[a,b] q: q at some offset i from a to b, and p from offset a to i - 1; frames before a are not asked.
# LTLf    X p (there is a next frame, and p holds there), X[n] p, WX p (p holds there if it exists), and F, G, U, R
# with bounds. p U[a,b] q: as above, but p from the frame itself on. Without bounds they are refused: a
# formula of the language looks at a bounded stretch.

Notation = Literal["mltl", "ltlf"]
NOTATIONS: tuple[Notation, ...] = ("mltl", "ltlf")
_HELP = "`tracepact help notations` has the operators"
_DEEPEST = 200
"""How many levels operators and parentheses may nest, as in the language itself (rule 1.6)."""

_TOKEN = re.compile(
    r"\s*(?:(?P<bound>\[\s*\d+\s*(?:(?:,|:|\.\.)\s*\d+\s*)?\])|(?P<name>[A-Za-z_][A-Za-z0-9_.]*)"
    r"|(?P<sign><->|<=>|->|=>|&&|\|\||[&|^!~()]))"
)
_SPELLINGS = {"&&": "&", "||": "|", "=>": "->", "<=>": "<->", "~": "!", "and": "&", "or": "|", "not": "!", "xor": "^"}
_LEVELS = ("<->", "->", "|", "^", "&")
_BINARY = {"mltl": ("U", "R", "S", "T"), "ltlf": ("U", "R")}
_UNARY = {"mltl": ("F", "G", "O", "H"), "ltlf": ("F", "G", "X", "WX")}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    span: Span


def read_notation(text: str, notation: Notation, *, name: str = "<formula>") -> Formula:
    """The core formula of a text in another notation, bounds in frames; InvalidInput says where it cannot be read."""
    return _NotationReader(Source(name, text), notation).formula()


class _NotationReader:
    def __init__(self, source: Source, notation: Notation) -> None:
        self.source, self.notation, self.depth = source, notation, 0
        self.tokens = list(self._tokens())
        self.at = 0

    def formula(self) -> Formula:
        parsed = self._binary(0)
        if self.at < len(self.tokens):
            raise self._fault(f"`{self.tokens[self.at].text}` does not continue the formula")
        return parsed

    # Tokens

    def _tokens(self) -> Iterator[_Token]:
        text, at = self.source.text.rstrip().removesuffix(";").rstrip(), 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None or match.lastgroup is None:
                first = at + len(text[at:]) - len(text[at:].lstrip())
                raise self._invalid(f"`{text[first]}` starts nothing of this notation", Span(first, first + 1), _HELP)
            at = match.end()
            word = match[match.lastgroup]
            word = _SPELLINGS.get(word, word)
            kind = "sign" if word in (*_SPELLINGS.values(), *_LEVELS, "(", ")") else match.lastgroup
            yield _Token(kind, word, Span(match.start(match.lastgroup), at))

    def _peek(self) -> str | None:
        return self.tokens[self.at].text if self.at < len(self.tokens) else None

    def _is_bound(self) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at].kind == "bound"

    def _take(self, word: str) -> bool:
        if self._peek() != word:
            return False
        self.at += 1
        return True

    def _fault(self, headline: str, way: str | None = None) -> InvalidInput:
        end = len(self.source.text)
        span = self.tokens[self.at].span if self.at < len(self.tokens) else Span(end, end)
        return self._invalid(headline, span, way)

    def _invalid(self, headline: str, span: Span, way: str | None = None) -> InvalidInput:
        return InvalidInput([Diagnostic("syntax", headline, TextPlace(self.source, span), way)])

    # Operators, from those that bind least

    def _binary(self, least: int) -> Formula:
        """A formula of operators that bind at least so strongly."""
        left = self._unary()
        while True:
            operator = self._peek() or ""
            power = self._power(operator)
            if power < least:
                return left
            self.at += 1
            if power == len(_LEVELS):
                low, high = self._bounds(operator)
                left = self._reach(operator, low, high, left, self._binary(power))
            else:
                left = _NOTATIONS_CONNECTIVES[operator](left, self._binary(power if operator == "->" else power + 1))

    def _power(self, operator: str) -> int:
        if operator in _BINARY[self.notation]:
            return len(_LEVELS)
        return _LEVELS.index(operator) if operator in _LEVELS else -1

    def _unary(self) -> Formula:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._fault(f"operators and parentheses nest more than {_DEEPEST} levels deep")
        parsed = self._unary_at_depth()
        self.depth -= 1
        return parsed

    def _unary_at_depth(self) -> Formula:
        word = self._peek()
        if word is None:
            raise self._fault("the formula ends where one is expected")
        if self._take("!"):
            return Not(self._unary())
        if self._take("("):
            parsed = self._binary(0)
            if not self._take(")"):
                raise self._fault("a parenthesis is not closed")
            return parsed
        if word in _UNARY[self.notation]:
            self.at += 1
            return self._window(word)
        token = self.tokens[self.at]
        if token.kind != "name" or word in _BINARY[self.notation]:
            raise self._fault(f"`{word}` stands where a formula is expected")
        self.at += 1
        return Constant(word.lower() == "true") if word.lower() in ("true", "false") else Atom(word)

    def _window(self, word: str) -> Formula:
        if word in ("X", "WX"):
            far = self._bounds(word)[1] if self._is_bound() else 1
            return Eventually(far, far, self._unary()) if word == "X" else Always(far, far, self._unary())
        low, high = self._bounds(word)
        match word:
            case "F":
                return Eventually(low, high, self._unary())
            case "G":
                return Always(low, high, self._unary())
            case "O":
                return Eventually(-high, -low, self._unary())
        return Always(-high, -low, self._unary())

    def _bounds(self, operator: str) -> tuple[int, int]:
        if not self._is_bound():
            raise self._fault(f"`{operator}` has no bounds", f"write how many frames it looks: `{operator}[0,10]`")
        try:
            numbers = [parse_whole(number) for number in re.findall(r"\d+", self.tokens[self.at].text)]
        except ValueError:
            raise self._fault(f"a bound of `{operator}` has very many digits", "write fewer frames") from None
        low, high = numbers if len(numbers) == 2 else (0, numbers[0])
        if low > high:
            raise self._fault(f"the bounds of `{operator}` are reversed", f"write `{operator}[{high},{low}]`")
        self.at += 1
        return low, high

    def _reach(self, operator: str, low: int, high: int, left: Formula, right: Formula) -> Formula:
        if operator in ("R", "T"):
            dual = {"R": "U", "T": "S"}[operator]
            return Not(self._reach(dual, low, high, Not(left), Not(right)))
        back = operator == "S"
        radius = high - low
        reach: Formula = Since(radius, left, right) if back else Until(radius, left, right)
        if low:
            reach = Eventually(-low, -low, reach) if back else Eventually(low, low, reach)
        if low and self.notation == "ltlf":
            reach = And(Always(0, low - 1, left), reach)
        return reach


_NOTATIONS_CONNECTIVES: dict[str, Callable[[Formula, Formula], Formula]] = {
    "<->": Iff,
    "->": Implies,
    "|": Or,
    "^": lambda a, b: Not(Iff(a, b)),
    "&": And,
}


# Formulas with fewer parts and the same meaning: sympy under the modalities, every rewrite confirmed by Z3.

_MOST_LETTERS = 8
"""sympy's minimal forms take exponential time in the letters."""

_SIMPLIFY_CONNECTIVES = And | Or | Implies | Iff


@dataclass(frozen=True, slots=True)
class Simplification:
    """The shorter formula, and how many rewrites Z3 confirmed, refused and could not decide in time."""

    formula: Formula
    confirmed: int
    refused: int
    undecided: int


def simplify(formula: Formula, terms: Terms = Terms()) -> Simplification:  # noqa: B008  (frozen)
    """Rewrite inside out; a rewrite stays only if it is smaller and holds at the same frames of every trace."""
    return _Simplifier(terms).run(formula)


class _Simplifier:
    def __init__(self, terms: Terms) -> None:
        self.terms = replace(terms, minimise=False, obligation=None)
        self.outer = terms
        self.confirmed = self.refused = self.undecided = 0

    def run(self, formula: Formula) -> Simplification:
        simpler = self._inside(formula)
        if self.outer.obligation is not None:
            simpler = self._under_obligation(simpler, self.outer.obligation)
        return Simplification(simpler, self.confirmed, self.refused, self.undecided)

    def _inside(self, formula: Formula) -> Formula:
        """Simplify the parts, then this level."""
        if isinstance(formula, Atom | Constant):
            return formula
        formula = with_parts(formula, [self._inside(part) for part in children(formula)])
        # Cheapest first: each one that is taken makes the questions for the next ones smaller.
        for candidate in (*_constants(formula), *_modal(formula), *_propositional(formula), *_one_side(formula)):
            formula = self._better(formula, candidate)
        return self._fewer_operands(formula)

    def _fewer_operands(self, formula: Formula) -> Formula:
        """Windows side by side joined and operands that the others settle left out, for as long as there are any."""
        while isinstance(formula, And | Or):
            shorter = self._first_better(formula, _with_fewer_operands(formula))
            if shorter is formula:
                break
            formula = shorter
        return formula

    def _first_better(self, formula: Formula, candidates: Iterator[Formula], under: Formula | None = None) -> Formula:
        for candidate in candidates:
            better = self._better(formula, candidate, under)
            if better is not formula:
                return better
        return formula

    def _under_obligation(self, formula: Formula, obligation: Formula) -> Formula:
        """Where the obligation holds anyway, the formula or parts of it above the modalities may be constant."""
        for value in (True, False):
            if not holds_on_a_sample(And(obligation, Not(formula) if value else formula)):
                formula = self._better(formula, Constant(value), obligation)
        while True:
            shorter = self._first_better(formula, _with_a_constant_part(formula), obligation)
            if shorter is formula:
                return formula
            formula = shorter

    def _better(self, formula: Formula, candidate: Formula, obligation: Formula | None = None) -> Formula:
        # A constant is the simplest formula although an atom has as few nodes.
        simpler = isinstance(candidate, Constant) and not isinstance(formula, Constant)
        if size(candidate) >= size(formula) and not simpler:
            return formula
        terms = replace(self.terms, obligation=obligation)
        outcome = equivalent(formula, candidate, terms).outcome
        self.confirmed += outcome is Outcome.YES
        self.refused += outcome is Outcome.NO
        self.undecided += outcome is Outcome.UNKNOWN
        return candidate if outcome is Outcome.YES else formula


def _constants(formula: Formula) -> Iterator[Formula]:
    """Truth or falsehood, unless a few traces show that it is not."""
    if not holds_on_a_sample(Not(formula)):
        yield Constant(True)
    elif not holds_on_a_sample(formula):
        yield Constant(False)


def _modal(formula: Formula) -> Iterator[Formula]:
    """Candidates for one modality: windows of one frame, of constants, and inside each other."""
    match formula:
        case Eventually(_, _, Constant() as body) | Always(_, _, Constant() as body):
            yield body
        case Eventually(0, 0, body) | Always(0, 0, body):
            yield body
        case Eventually(lo, hi, Eventually(low, high, body)):
            yield Eventually(lo + low, hi + high, body)
        case Always(lo, hi, Always(low, high, body)):
            yield Always(lo + low, hi + high, body)
        case Not(Eventually(lo, hi, Not(body))):
            yield Always(lo, hi, body)
        case Not(Always(lo, hi, Not(body))):
            yield Eventually(lo, hi, body)
        case Until(0, _, right) | Since(0, _, right) | Until(_, Constant(value=False), right):
            yield right
        case (
            Since(_, Constant(value=False), right) | Until(_, _, Constant() as right) | Since(_, _, Constant() as right)
        ):
            yield right
        case Until(radius, Constant(value=True), right):
            yield Eventually(0, radius, right)
        case Since(radius, Constant(value=True), right):
            yield Eventually(-radius, 0, right)
        case _:
            return


def _one_side(formula: Formula) -> Iterator[Formula]:
    """One part alone, for parts that the other implies by their meaning: an onset is active."""
    if isinstance(formula, And | Or):
        yield formula.left
        yield formula.right


def _with_fewer_operands(formula: And | Or) -> Iterator[Formula]:
    """The conjunction or disjunction with two of its windows joined, or without one of its operands."""
    kind = type(formula)
    parts = operands(formula, kind)
    for i, j in combinations(range(len(parts)), 2):
        joined = one_window(parts[i], parts[j], kind)
        if joined is not None:
            yield reduce(kind, [joined if k == i else part for k, part in enumerate(parts) if k != j])
    for i in range(len(parts)):
        rest = parts[:i] + parts[i + 1 :]
        if len(parts) > 2 and not holds_on_a_sample(Not(Iff(formula, reduce(kind, rest)))):
            yield reduce(kind, rest)


def _with_a_constant_part(formula: Formula) -> Iterator[Formula]:
    """The formula with one part above the modalities true, or false, and what follows from that for the connectives."""
    for place, value in product(range(_places(formula)), (True, False)):
        if place:
            yield _replaced(formula, place, value)[0]


def _places(formula: Formula) -> int:
    match formula:
        case Not(body):
            return 1 + _places(body)
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            return 1 + _places(a) + _places(b)
    return 1


def _replaced(formula: Formula, place: int, value: bool) -> tuple[Formula, int]:
    """The part at a place, counted from the formula itself on, replaced by a constant; and the places that are left."""
    if place == 0:
        return Constant(value), -1
    place -= 1
    match formula:
        case Not(body):
            inner, place = _replaced(body, place, value) if place >= 0 else (body, place)
            return _folded(Not(inner)), place
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            left, place = _replaced(a, place, value) if place >= 0 else (a, place)
            right, place = _replaced(b, place, value) if place >= 0 else (b, place)
            return _folded(type(formula)(left, right)), place
    return formula, place


def _folded(formula: Formula) -> Formula:
    """A connective with a constant part, without it."""
    match formula:
        case Not(Constant(value)):
            return Constant(not value)
        case And(Constant(value), other) | And(other, Constant(value)):
            return other if value else Constant(False)
        case Or(Constant(value), other) | Or(other, Constant(value)):
            return Constant(True) if value else other
        case Implies(Constant(value), other):
            return other if value else Constant(True)
        case Implies(other, Constant(value)):
            return Constant(True) if value else Not(other)
        case Iff(Constant(value), other) | Iff(other, Constant(value)):
            return other if value else Not(other)
    return formula


def _propositional(formula: Formula) -> Iterator[Formula]:
    """The minimal form of the connectives above the modalities, which are letters here."""
    if not isinstance(formula, Not | _SIMPLIFY_CONNECTIVES):
        return
    import sympy
    from sympy.logic.boolalg import simplify_logic

    letters: dict[Formula, Any] = {}

    def leaf(part: Formula) -> Any:
        if isinstance(part, Constant):
            return sympy.true if part.value else sympy.false
        return letters.setdefault(part, sympy.Symbol(f"x{len(letters)}"))

    joins = {Not: sympy.Not, And: sympy.And, Or: sympy.Or, Implies: sympy.Implies, Iff: sympy.Equivalent}
    written = folded(formula, leaf, joins)
    if len(letters) > _MOST_LETTERS:
        return
    names = {symbol: part for part, symbol in letters.items()}
    for form in ("dnf", "cnf"):
        yield _core(simplify_logic(written, form=form), names)


def _core(expression: Any, names: dict[Any, Formula]) -> Formula:
    """A sympy expression over letters as a core formula; its arguments in a fixed order."""
    import sympy

    if expression in (sympy.true, sympy.false):
        return Constant(bool(expression))
    if expression.is_Symbol:
        return names[expression]
    parts = [_core(part, names) for part in sorted(expression.args, key=sympy.default_sort_key)]
    if isinstance(expression, sympy.Not):
        return Not(parts[0])
    join = And if isinstance(expression, sympy.And) else Or
    core = parts[0]
    for part in parts[1:]:
        core = join(core, part)
    return core
