"""Every name in the statements of a contract, with what it stands for and where."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from tracepact.core import ATTRIBUTES
from tracepact.diagnostics import Span
from tracepact.lang import syntax as s


class Kind(Enum):
    """What a name stands for."""

    CONTRACT = "contract"
    PARAMETER = "parameter"
    CLAUSE = "clause"
    ATOM = "atom"
    PROFILE = "profile"
    ATTRIBUTE = "attribute"
    FUNCTION = "function"
    AGGREGATION = "aggregation"
    PROJECTION = "projection"
    MATCHER = "matcher"
    OPTION = "option"
    EACH = "kind of event"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name at a place; `declares` where the statement introduces it."""

    kind: Kind
    name: str
    span: Span
    declares: bool = False


def occurrences(document: s.Document) -> Iterator[Occurrence]:
    """The names of the statements that can be read, in the order of the text."""
    parameters = {d.name.text for d in document.statements if isinstance(d, s.ParamDecl)}
    for statement in document.statements:
        yield from _of_statement(statement, parameters)


def _of_statement(statement: s.Statement, parameters: set[str]) -> Iterator[Occurrence]:
    match statement:
        case s.ContractName(name):
            yield _named(Kind.CONTRACT, name, declares=True)
        case s.Setting(_, value):
            yield from _in_value(value)
        case s.Choice(keyword, name):
            yield _named(Kind.AGGREGATION if keyword == "aggregate" else Kind.PROJECTION, name)
        case s.ParamDecl(name, value):
            yield _named(Kind.PARAMETER, name, declares=True)
            yield from _in_value(value)
        case s.SweepDecl(name, values):
            yield _named(Kind.PARAMETER, name)
            for value in values:
                yield from _in_value(value)
        case s.MatcherDecl(name, options):
            yield _named(Kind.MATCHER, name)
            yield from _in_options(options, Kind.OPTION)
        case s.AtomDecl(name):
            yield _named(Kind.ATOM, name, declares=True)
        case s.FrameClauseDecl(name, obligation, formula):
            yield _named(Kind.CLAUSE, name, declares=True)
            yield from _in_expression(obligation, parameters)
            yield from _in_expression(formula, parameters)
        case s.EventClauseDecl(name, each, predicate):
            yield _named(Kind.CLAUSE, name, declares=True)
            yield _named(Kind.EACH, each)
            yield from _in_expression(predicate, parameters)
        case s.ProfileDecl(name, aggregation, weights):
            yield _named(Kind.PROFILE, name, declares=True)
            if aggregation is not None:
                yield _named(Kind.AGGREGATION, aggregation)
            yield from _in_options(weights, Kind.CLAUSE)


def _named(kind: Kind, name: s.Name, *, declares: bool = False) -> Occurrence:
    return Occurrence(kind, name.text, name.span, declares)


def _in_value(value: s.Value) -> Iterator[Occurrence]:
    if isinstance(value.body, s.Name):
        yield _named(Kind.PARAMETER, value.body)


def _in_options(options: tuple[s.Option, ...], kind: Kind) -> Iterator[Occurrence]:
    for option in options:
        yield _named(kind, option.name)
        yield from _in_value(option.value)


def _in_expression(node: s.Expression, parameters: set[str]) -> Iterator[Occurrence]:
    """The names below an expression; in a predicate a parameter stands where no attribute has its name (rule 4.5)."""
    match node:
        case s.Mask(name):
            yield Occurrence(Kind.ATOM, name, node.span)
        case s.Reference(None, name) if name in parameters and name not in ATTRIBUTES:
            yield Occurrence(Kind.PARAMETER, name, node.span)
        case s.Reference(_, name):
            yield Occurrence(Kind.ATTRIBUTE, name, node.span)
        case s.Near(radius) | s.Reach(_, radius):
            yield from _in_value(radius)
        case s.Window(_, lo, hi):
            for bound in (lo, hi):
                if bound is not None:
                    yield from _in_value(bound)
        case s.Call(function):
            yield _named(Kind.FUNCTION, function)
    for part in s.parts(node):
        yield from _in_expression(part, parameters)
