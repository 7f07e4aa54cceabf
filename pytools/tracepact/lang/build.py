"""Turns the grammar's productions into syntax nodes, bottom up, while the parser reduces."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from lark import Token, Transformer, v_args

from tracepact.diagnostics import Span
from tracepact.lang import syntax as s


def token_span(token: Token) -> Span:
    """The characters a token covers."""
    if token.start_pos is None or token.end_pos is None:
        raise AssertionError(f"token {token!r} has no position")
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
    def build(_: "Builder", left: s.Expression, right: s.Expression) -> s.Binary:
        return s.Binary(connective, left, right, left.span.to(right.span))

    return build


def _arithmetic(operator: str) -> Callable[..., s.Arithmetic]:
    def build(_: "Builder", left: s.Expression, *rest: Any) -> s.Arithmetic:
        right = rest[-1]
        return s.Arithmetic(operator, left, right, left.span.to(right.span))

    return build


@v_args(inline=True)
class Builder(Transformer[Token, Any]):
    """One method a production of spec/grammar.lark."""

    # Values

    def value(self, *children: Token) -> s.Value:
        last = children[-1]
        body = quantity_of(last) if last.type == "QUANTITY" else name_of(last)
        return s.Value(body, len(children) == 2, _span_of(list(children)))

    # Formulas

    iff = _binary(s.Connective.IFF)
    implies = _binary(s.Connective.IMPLIES)
    or_ = _binary(s.Connective.OR)
    and_ = _binary(s.Connective.AND)

    def not_(self, operator: Token, body: s.Expression) -> s.Negation:
        return s.Negation(body, token_span(operator).to(body.span))

    def group(self, left: Token, body: s.Expression, right: Token) -> s.Expression:
        return replace(body, span=token_span(left).to(token_span(right)))

    def true(self, token: Token) -> s.Truth:
        return s.Truth(True, token_span(token))

    def false(self, token: Token) -> s.Truth:
        return s.Truth(False, token_span(token))

    def atom(self, token: Token) -> s.Mask:
        return s.Mask(str(token), token_span(token))

    def near(self, operator: Token, radius: s.Value, body: s.Expression) -> s.Near:
        return s.Near(radius, body, token_span(operator).to(body.span))

    def window(self, first: s.Value, second: s.Value | None) -> tuple[s.Value | None, s.Value]:
        return (None, first) if second is None else (first, second)

    def eventually(self, operator: Token, window: tuple[s.Value | None, s.Value], body: s.Expression) -> s.Window:
        return s.Window(str(operator), *window, body, token_span(operator).to(body.span))

    always = eventually

    def until(self, left: s.Expression, operator: Token, radius: s.Value, right: s.Expression) -> s.Reach:
        return s.Reach(str(operator), radius, left, right, left.span.to(right.span))

    since = until

    # Predicates

    def number(self, token: Token) -> s.Quantity:
        return quantity_of(token)

    def reference(self, *words: Token) -> s.Reference:
        owner = str(words[0]) if len(words) == 2 else None
        return s.Reference(owner, str(words[-1]), token_span(words[0]).to(token_span(words[-1])))

    def compare(self, left: s.Expression, relation: Token, right: s.Expression) -> s.Compare:
        return s.Compare(str(relation), left, right, left.span.to(right.span))

    add = _arithmetic("+")
    subtract = _arithmetic("-")
    multiply = _arithmetic("*")

    def negate(self, minus: Token, body: s.Expression) -> s.Minus:
        return s.Minus(body, token_span(minus).to(body.span))

    def call(self, function: Token, *rest: Any) -> s.Call:
        *arguments, right = rest
        return s.Call(name_of(function), tuple(arguments), token_span(function).to(token_span(right)))

    # Statements

    def contract_decl(self, keyword: Token, name: Token, title: Token | None = None) -> s.ContractName:
        return s.ContractName(name_of(name), string_of(title), _span_of([keyword, name, title]))

    def step_decl(self, keyword: Token, value: s.Value) -> s.Setting:
        return s.Setting(str(keyword), value, _span_of([keyword, value]))

    merge_gap_decl = soft_scale_decl = step_decl

    def aggregate_decl(self, keyword: Token, name: Token) -> s.Choice:
        return s.Choice(str(keyword), name_of(name), _span_of([keyword, name]))

    projection_decl = aggregate_decl

    def param_decl(self, keyword: Token, name: Token, value: s.Value) -> s.ParamDecl:
        return s.ParamDecl(name_of(name), value, _span_of([keyword, value]))

    def sweep_decl(self, keyword: Token, name: Token, *values: s.Value) -> s.SweepDecl:
        return s.SweepDecl(name_of(name), values, _span_of([keyword, *values]))

    def matcher_decl(self, keyword: Token, name: Token, *options: s.Option | None) -> s.MatcherDecl:
        given = tuple(option for option in options if option is not None)
        return s.MatcherDecl(name_of(name), given, _span_of([keyword, name, *given]))

    def option(self, name: Token, value: s.Value) -> s.Option:
        return s.Option(name_of(name), value, _span_of([name, value]))

    weight = option

    def label(self, token: Token) -> s.Name:
        text = string_of(token) if token.type == "STRING" else str(token)
        return s.Name(text or "", token_span(token))

    def labels_decl(self, keyword: Token, *labels: s.Name) -> s.LabelsDecl:
        return s.LabelsDecl(labels, _span_of([keyword, *labels]))

    def atom_decl(self, keyword: Token, name: Token, title: Token | None = None) -> s.AtomDecl:
        return s.AtomDecl(name_of(name), string_of(title), _span_of([keyword, name, title]))

    def frame_clause(
        self, keyword: Token, name: Token, _on: Token, obligation: s.Expression, formula: s.Expression
    ) -> s.FrameClauseDecl:
        return s.FrameClauseDecl(name_of(name), obligation, formula, _span_of([keyword, formula]))

    def event_clause(
        self, keyword: Token, name: Token, _on: Token, _each: Token, kind: Token, predicate: s.Expression
    ) -> s.EventClauseDecl:
        return s.EventClauseDecl(name_of(name), name_of(kind), predicate, _span_of([keyword, predicate]))

    def profile_decl(
        self, keyword: Token, name: Token, _over: Token | None, aggregation: Token | None, *weights: s.Option
    ) -> s.ProfileDecl:
        over = name_of(aggregation) if aggregation is not None else None
        return s.ProfileDecl(name_of(name), over, weights, _span_of([keyword, *weights]))
