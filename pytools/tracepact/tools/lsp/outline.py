"""The outline of a contract: its statements, by what they declare."""

from collections.abc import Iterator
from dataclasses import dataclass

from tracepact.diagnostics import Span
from tracepact.lang import syntax as s
from tracepact.lang.printer import print_expression, print_value
from tracepact.tools.lsp.reading import Reading


@dataclass(frozen=True, slots=True)
class Entry:
    """A statement: its first word, what it is called, what else it says, all of it and its name in the text."""

    keyword: str
    name: str
    detail: str
    span: Span
    named: Span


def outline(reading: Reading) -> list[Entry]:
    """An entry for each statement that can be read, in the order of the text."""
    return [entry for statement in reading.document.statements for entry in _entry(statement)]


def _entry(statement: s.Statement) -> Iterator[Entry]:
    def entry(keyword: str, name: s.Name, detail: str) -> Entry:
        return Entry(keyword, name.text, detail, statement.span, name.span)

    match statement:
        case s.ContractName(name, title):
            yield entry("contract", name, title or "")
        case s.Setting(keyword, value):
            yield Entry(keyword, keyword, print_value(value), statement.span, value.span)
        case s.Choice(keyword, name):
            yield Entry(keyword, keyword, name.text, statement.span, name.span)
        case s.ParamDecl(name, value):
            yield entry("param", name, print_value(value))
        case s.SweepDecl(name, values):
            yield entry("sweep", name, " ".join(map(print_value, values)))
        case s.MatcherDecl(name):
            yield Entry("matcher", "matcher", name.text, statement.span, name.span)
        case s.LabelsDecl(labels):
            listed = " ".join(label.text for label in labels)
            yield Entry("labels", "labels", listed, statement.span, labels[0].span.to(labels[-1].span))
        case s.AtomDecl(name, title):
            yield entry("atom", name, title or "")
        case s.FrameClauseDecl(name, obligation):
            yield entry("clause", name, f"on {print_expression(obligation)}")
        case s.EventClauseDecl(name, each):
            yield entry("clause", name, f"on each {each.text}")
        case s.ProfileDecl(name, _, weights):
            yield entry("profile", name, ", ".join(weight.name.text for weight in weights))
