"""Formulas written in other notations, read as core formulas: MLTL as C2PO writes it, and LTLf where it is bounded.

Both read time as frames and are judged on finite traces; a frame beyond the last does not exist, as rules 6.2 and 6.3
say too. From low to high the operators bind as `<->`, `->` (to the right), `|`, `^`, `&`, the binary modalities (to the
right), the unary ones with `!`. Bounds are `[b]`, `[a,b]`, `[a:b]` or `[a..b]`, whole numbers of frames.

    MLTL    F[a,b] p, G[a,b] p, p U[a,b] q, p R[a,b] q; looking back O[a,b] p, H[a,b] p, p S[a,b] q, p T[a,b] q.
            p U[a,b] q: q at some offset i from a to b, and p from offset a to i - 1; frames before a are not asked.
    LTLf    X p (there is a next frame, and p holds there), X[n] p, WX p (p holds there if it exists), and F, G, U, R
            with bounds. p U[a,b] q: as above, but p from the frame itself on. Without bounds they are refused: a
            formula of the language looks at a bounded stretch.
"""

import re
from collections.abc import Callable, Iterator
from typing import Literal

from tracepact.core import Always, And, Atom, Constant, Eventually, Formula, Iff, Implies, Not, Or, Since, Until
from tracepact.diagnostics import Diagnostic, InvalidInput, Source, Span, TextPlace
from tracepact.frozen import dataclass

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
    return _Reader(Source(name, text), notation).formula()


class _Reader:
    def __init__(self, source: Source, notation: Notation) -> None:
        self.source, self.notation, self.depth = source, notation, 0
        self.tokens = list(self._tokens())
        self.at = 0

    def formula(self) -> Formula:
        found = self._binary(0)
        if self.at < len(self.tokens):
            raise self._fault(f"`{self.tokens[self.at].text}` does not continue the formula")
        return found

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
                left = _CONNECTIVES[operator](left, self._binary(power if operator == "->" else power + 1))

    def _power(self, operator: str) -> int:
        if operator in _BINARY[self.notation]:
            return len(_LEVELS)
        return _LEVELS.index(operator) if operator in _LEVELS else -1

    def _unary(self) -> Formula:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._fault(f"operators and parentheses nest more than {_DEEPEST} levels deep")
        found = self._unary_at_depth()
        self.depth -= 1
        return found

    def _unary_at_depth(self) -> Formula:
        word = self._peek()
        if word is None:
            raise self._fault("the formula ends where one is expected")
        if self._take("!"):
            return Not(self._unary())
        if self._take("("):
            found = self._binary(0)
            if not self._take(")"):
                raise self._fault("a parenthesis is not closed")
            return found
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
        numbers = [int(number) for number in re.findall(r"\d+", self.tokens[self.at].text)]
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
        found: Formula = Since(radius, left, right) if back else Until(radius, left, right)
        if low:
            found = Eventually(-low, -low, found) if back else Eventually(low, low, found)
        if low and self.notation == "ltlf":
            found = And(Always(0, low - 1, left), found)
        return found


_CONNECTIVES: dict[str, Callable[[Formula, Formula], Formula]] = {
    "<->": Iff,
    "->": Implies,
    "|": Or,
    "^": lambda a, b: Not(Iff(a, b)),
    "&": And,
}
