"""The one grammar as lark runs it: tokens, syntax nodes, what may follow, spellings and reserved words."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, v_args
from lark.lexer import PatternStr
from lark.parsers.lalr_interactive_parser import InteractiveParser
from lark.visitors import Transformer_NonRecursive

from tracepact.declarations import spec_path
from tracepact.diagnostics.findings import Span
from tracepact.language import syntax as s

# Turns the grammar's productions into syntax nodes, bottom up, by lark's transformer.


def token_span(token: Token) -> Span:
    """The characters a token covers."""
    assert token.start_pos is not None  # lark's lexer makes no token without a place
    assert token.end_pos is not None
    return Span(token.start_pos, token.end_pos)


def name_of(token: Token) -> s.Name:
    """A word with its place."""
    return s.Name(str(token), token_span(token))


def quantity_of(token: Token) -> s.Quantity:
    """A quantity with its exact value; the reader has refused zero denominators."""
    text = str(token)
    unit = next((u for u in s.UNITS if text.endswith(u)), "")
    number = text.removesuffix(unit)
    return s.Quantity(Fraction(number), unit, token_span(token))


def string_of(token: Token | None) -> str | None:
    """The text of a string literal."""
    if token is None:
        return None
    return str(token)[1:-1].replace('\\"', '"').replace("\\\\", "\\")


def _span_of(children: list[Any]) -> Span:
    """From the first to the last child that has a place."""
    spans = [token_span(c) if isinstance(c, Token) else c.span for c in children if c is not None]
    return spans[0].to(spans[-1])


def _binary(connective: s.Connective) -> Callable[..., s.Binary]:
    def build(left: s.Expression, right: s.Expression) -> s.Binary:
        return s.Binary(connective, left, right, left.span.to(right.span))

    return build


def _arithmetic(operator: str) -> Callable[..., s.ArithmeticTerm]:
    def build(left: s.Expression, *rest: Any) -> s.ArithmeticTerm:
        right = rest[-1]
        return s.ArithmeticTerm(operator, left, right, left.span.to(right.span))

    return build


@v_args(inline=True)
class SyntaxTransformer(Transformer_NonRecursive[Token, Any]):
    """One function a production of spec/grammar.lark, called with its parts.

    Without recursion, so that a formula of any depth is read and can then be refused by its depth, at its place.
    """

    # Values

    @staticmethod
    def value(*children: Token) -> s.Value:
        last = children[-1]
        body = quantity_of(last) if last.type == "QUANTITY" else name_of(last)
        return s.Value(body, len(children) == 2, _span_of(list(children)))

    # Formulas

    iff = staticmethod(_binary(s.Connective.IFF))
    implies = staticmethod(_binary(s.Connective.IMPLIES))
    or_ = staticmethod(_binary(s.Connective.OR))
    and_ = staticmethod(_binary(s.Connective.AND))

    @staticmethod
    def not_(operator: Token, body: s.Expression) -> s.Negation:
        return s.Negation(body, token_span(operator).to(body.span))

    @staticmethod
    def group(left: Token, body: s.Expression, right: Token) -> s.Expression:
        # Parentheses are no node: they change nothing but the tree. Messages still point at all of them.
        return replace(body, span=token_span(left).to(token_span(right)))

    @staticmethod
    def true(token: Token) -> s.Truth:
        return s.Truth(True, token_span(token))

    @staticmethod
    def false(token: Token) -> s.Truth:
        return s.Truth(False, token_span(token))

    @staticmethod
    def atom(token: Token) -> s.Mask:
        return s.Mask(str(token), token_span(token))

    @staticmethod
    def near(operator: Token, radius: s.Value, body: s.Expression) -> s.Near:
        return s.Near(radius, body, token_span(operator).to(body.span))

    @staticmethod
    def window(first: s.Value, second: s.Value | None) -> tuple[s.Value | None, s.Value]:
        return (None, first) if second is None else (first, second)

    @staticmethod
    def eventually(operator: Token, window: tuple[s.Value | None, s.Value], body: s.Expression) -> s.WindowOperator:
        return s.WindowOperator(str(operator), *window, body, token_span(operator).to(body.span))

    always = eventually

    @staticmethod
    def until(left: s.Expression, operator: Token, radius: s.Value, right: s.Expression) -> s.Reach:
        return s.Reach(str(operator), radius, left, right, left.span.to(right.span))

    since = until

    # Predicates

    @staticmethod
    def number(token: Token) -> s.Quantity:
        return quantity_of(token)

    @staticmethod
    def reference(*words: Token) -> s.Reference:
        owner = str(words[0]) if len(words) == 2 else None
        return s.Reference(owner, str(words[-1]), token_span(words[0]).to(token_span(words[-1])))

    @staticmethod
    def compare(left: s.Expression, relation: Token, right: s.Expression) -> s.Compare:
        return s.Compare(str(relation), left, right, left.span.to(right.span))

    add = staticmethod(_arithmetic("+"))
    subtract = staticmethod(_arithmetic("-"))
    multiply = staticmethod(_arithmetic("*"))

    @staticmethod
    def negate(minus: Token, body: s.Expression) -> s.Minus:
        return s.Minus(body, token_span(minus).to(body.span))

    @staticmethod
    def call(function: Token, *rest: Any) -> s.Call:
        *arguments, right = rest
        return s.Call(name_of(function), tuple(arguments), token_span(function).to(token_span(right)))

    # Statements

    @staticmethod
    def contract_decl(keyword: Token, name: Token, title: Token | None = None) -> s.ContractName:
        return s.ContractName(name_of(name), string_of(title), _span_of([keyword, name, title]))

    @staticmethod
    def step_decl(keyword: Token, value: s.Value) -> s.Setting:
        return s.Setting(str(keyword), value, _span_of([keyword, value]))

    merge_gap_decl = soft_scale_decl = step_decl

    @staticmethod
    def aggregate_decl(keyword: Token, name: Token) -> s.WordSetting:
        return s.WordSetting(str(keyword), name_of(name), _span_of([keyword, name]))

    projection_decl = aggregate_decl

    @staticmethod
    def param_decl(keyword: Token, name: Token, value: s.Value) -> s.ParamDecl:
        return s.ParamDecl(name_of(name), value, _span_of([keyword, value]))

    @staticmethod
    def sweep_decl(keyword: Token, name: Token, *values: s.Value) -> s.SweepDecl:
        return s.SweepDecl(name_of(name), values, _span_of([keyword, *values]))

    @staticmethod
    def matcher_decl(keyword: Token, name: Token, *rest: Token | s.Option | None) -> s.MatcherDecl:
        options = tuple(part for part in rest if isinstance(part, s.Option))
        return s.MatcherDecl(name_of(name), options, _span_of([keyword, name, *rest]))

    @staticmethod
    def option(name: Token, value: s.Value) -> s.Option:
        return s.Option(name_of(name), value, _span_of([name, value]))

    weight = option

    @staticmethod
    def label(token: Token) -> s.Name:
        text = string_of(token) if token.type == "STRING" else str(token)
        return s.Name(text or "", token_span(token))

    @staticmethod
    def labels_decl(keyword: Token, *labels: s.Name) -> s.LabelsDecl:
        return s.LabelsDecl(labels, _span_of([keyword, *labels]))

    @staticmethod
    def atom_decl(keyword: Token, name: Token, title: Token | None = None) -> s.AtomDecl:
        return s.AtomDecl(name_of(name), string_of(title), _span_of([keyword, name, title]))

    @staticmethod
    def frame_clause(
        keyword: Token, name: Token, _on: Token, obligation: s.Expression, formula: s.Expression
    ) -> s.FrameClauseDecl:
        return s.FrameClauseDecl(name_of(name), obligation, formula, _span_of([keyword, formula]))

    @staticmethod
    def event_clause(
        keyword: Token, name: Token, _on: Token, _each: Token, kind: Token, predicate: s.Expression
    ) -> s.EventClauseDecl:
        return s.EventClauseDecl(name_of(name), name_of(kind), predicate, _span_of([keyword, predicate]))

    @staticmethod
    def profile_decl(
        keyword: Token, name: Token, _over: Token | None, aggregation: Token | None, *weights: s.Option
    ) -> s.ProfileDecl:
        over = name_of(aggregation) if aggregation is not None else None
        return s.ProfileDecl(name_of(name), over, weights, _span_of([keyword, *weights]))


_TRANSFORMER = SyntaxTransformer(visit_tokens=False)


# The one grammar as a running parser, and what follows from it: spellings and reserved words.

_TABLES = Path(__file__).with_name("tables.json")

END = "$END"
"""The terminal that lark puts after the last token."""
STATEMENTS = frozenset(
    {
        "CONTRACT",
        "STEP",
        "PARAM",
        "MERGE_GAP",
        "SWEEP",
        "AGGREGATE",
        "MATCHER",
        "PROJECTION",
        "LABELS",
        "ATOM",
        "SOFT_SCALE",
        "CLAUSE",
        "PROFILE",
    }
)
"""The terminals that start a statement; they are reserved, so each one is a place to recover."""


@cache
def _grammar() -> Lark:
    """Lark with the tables that it saved of spec/grammar.lark.

    To read the grammar's text and build its tables takes lark longer than a whole `check`; to load them, milliseconds.
    They are kept as JSON rather than in lark's own file, a pickle, because whatever reads a pickle runs what it says.
    """
    tables = json.loads(_TABLES.read_text(encoding="utf-8"), object_pairs_hook=_with_numbers)
    if tables["grammar"] != spec_path("grammar.lark").read_text(encoding="utf-8"):
        raise RuntimeError(f"{_TABLES.name} was made from another grammar than spec/grammar.lark: run `make grammar`")
    return Lark.load(tables)


def _with_numbers(pairs: list[tuple[str, Any]]) -> dict[str | int, Any]:
    """An object of the tables; lark's numbers of states, tokens and rules are keys, which JSON writes as text."""
    return {int(key) if key.isdigit() else key: value for key, value in pairs}


def lex(text: str) -> list[Token]:
    """The tokens of a text; lark's UnexpectedCharacters says where none starts."""
    parser = _grammar().parse_interactive(text, "statement")
    return list(parser.lexer_thread.lex(parser.parser_state))  # type: ignore[no-untyped-call]


def parse(tokens: Iterable[Token], start: str) -> Any:
    """The node of a `statement` or a `formula`; lark's UnexpectedToken names the token that does not belong."""
    return _TRANSFORMER.transform(_fed(tokens, start).feed_eof())  # type: ignore[no-untyped-call]


def accepted_after(tokens: Iterable[Token], start: str) -> set[str]:
    """The terminals that may follow the beginning of a `statement` or a `formula`."""
    accepted: set[str] = _fed(tokens, start).accepts()  # type: ignore[no-untyped-call]
    return accepted


def _fed(tokens: Iterable[Token], start: str) -> InteractiveParser:
    parser = _grammar().parse_interactive(start=start)
    for token in tokens:
        parser.feed_token(token)
    return parser


@cache
def spellings() -> dict[str, str]:
    """How each terminal with one spelling is written."""
    return {t.name: t.pattern.value for t in _grammar().terminals if isinstance(t.pattern, PatternStr)}


@cache
def patterns() -> dict[str, str]:
    """The regular expression of each terminal that has no single spelling."""
    return {t.name: t.pattern.to_regexp() for t in _grammar().terminals if t.name not in spellings()}


@cache
def reserved_words() -> frozenset[str]:
    """The words that cannot be names (rule 1.3)."""
    return frozenset(word for word in spellings().values() if word.isidentifier())
