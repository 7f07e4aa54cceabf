"""A contract as an editor has it: its statements, names, outline and places, finished or not."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Diagnostic, Severity, Source, Span, TextPlace
from tracepact.language import syntax as s
from tracepact.language.compilation import parse_source
from tracepact.language.contract import Contract, EventClause, FrameClause
from tracepact.language.lowering import ContractLowering
from tracepact.language.predicate import ATTRIBUTES
from tracepact.language.printer import print_expression, print_value

# Places in a text as editors count them, lines and units of an encoding, and as the parser does, characters.

_UNIT_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
"""How many bytes a unit of each encoding has."""


@dataclass(frozen=True, slots=True)
class TextLines:
    """The lines of a text; a place is a line and a number of units in it, both from zero."""

    text: str
    encoding: str = "utf-16"
    starts: list[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Line feeds alone: the protocol counts a carriage return before one to the line it ends.
        starts = [0, *(index + 1 for index, character in enumerate(self.text) if character == "\n")]
        object.__setattr__(self, "starts", starts)

    def place(self, offset: int) -> tuple[int, int]:
        """The line and the units before a character."""
        line = bisect_right(self.starts, offset) - 1
        return line, self._units(self.text[self.starts[line] : offset])

    def offset(self, line: int, units: int) -> int:
        """The character at a place; a place beyond the end of its line is that end, one beyond the text its end."""
        if line >= len(self.starts):
            return len(self.text)
        start = self.starts[line]
        end = self.starts[line + 1] - 1 if line + 1 < len(self.starts) else len(self.text)
        for offset in range(start, end):
            if units <= 0:
                return offset
            units -= self._units(self.text[offset])
        return end

    def span(self, span: Span) -> tuple[tuple[int, int], tuple[int, int]]:
        """Where a span begins and ends."""
        return self.place(span.start), self.place(span.end)

    def _units(self, text: str) -> int:
        return (
            # `surrogatepass`: an editor may send half a pair while an emoji is typed. The byte order is named, or a
            # mark would be counted.
            len(text.encode(f"{self.encoding}-le" if self.encoding != "utf-8" else "utf-8", "surrogatepass"))
            // (_UNIT_BYTES[self.encoding])
        )


# Changes of a text: what replaces which span, and the text with all of them made.


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A span and the text that replaces it."""

    span: Span
    text: str


def edited(text: str, edits: Sequence[TextEdit]) -> str:
    """The text with the edits made; their spans do not overlap."""
    # Last first, so that the spans of those before stay where they are.
    for edit in sorted(edits, key=lambda e: e.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


# Every name in the statements of a contract, with what it stands for and where.


class NameKind(Enum):
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

    kind: NameKind
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
            yield _named(NameKind.CONTRACT, name, declares=True)
        case s.Setting(_, value):
            yield from _in_value(value)
        case s.WordSetting(keyword, name):
            yield _named(NameKind.AGGREGATION if keyword == "aggregate" else NameKind.PROJECTION, name)
        case s.ParamDecl(name, value):
            yield _named(NameKind.PARAMETER, name, declares=True)
            yield from _in_value(value)
        case s.SweepDecl(name, values):
            yield _named(NameKind.PARAMETER, name)
            for value in values:
                yield from _in_value(value)
        case s.MatcherDecl(name, options):
            yield _named(NameKind.MATCHER, name)
            yield from _in_options(options, NameKind.OPTION)
        case s.AtomDecl(name):
            yield _named(NameKind.ATOM, name, declares=True)
        case s.FrameClauseDecl(name, obligation, formula):
            yield _named(NameKind.CLAUSE, name, declares=True)
            yield from _in_expression(obligation, parameters)
            yield from _in_expression(formula, parameters)
        case s.EventClauseDecl(name, each, predicate):
            yield _named(NameKind.CLAUSE, name, declares=True)
            yield _named(NameKind.EACH, each)
            yield from _in_expression(predicate, parameters)
        case s.ProfileDecl(name, aggregation, weights):
            yield _named(NameKind.PROFILE, name, declares=True)
            if aggregation is not None:
                yield _named(NameKind.AGGREGATION, aggregation)
            yield from _in_options(weights, NameKind.CLAUSE)


def _named(kind: NameKind, name: s.Name, *, declares: bool = False) -> Occurrence:
    return Occurrence(kind, name.text, name.span, declares)


def _in_value(value: s.Value) -> Iterator[Occurrence]:
    if isinstance(value.body, s.Name):
        yield _named(NameKind.PARAMETER, value.body)


def _in_options(options: tuple[s.Option, ...], kind: NameKind) -> Iterator[Occurrence]:
    for option in options:
        yield _named(kind, option.name)
        yield from _in_value(option.value)


def _in_expression(node: s.Expression, parameters: set[str]) -> Iterator[Occurrence]:
    """The names below an expression; in a predicate a parameter stands where no attribute has its name (rule 4.5)."""
    match node:
        case s.Mask(name):
            yield Occurrence(NameKind.ATOM, name, node.span)
        case s.Reference(None, name) if name in parameters and name not in ATTRIBUTES:
            yield Occurrence(NameKind.PARAMETER, name, node.span)
        case s.Reference(_, name):
            yield Occurrence(NameKind.ATTRIBUTE, name, node.span)
        case s.Near(radius) | s.Reach(_, radius):
            yield from _in_value(radius)
        case s.WindowOperator(_, lo, hi):
            for bound in (lo, hi):
                if bound is not None:
                    yield from _in_value(bound)
        case s.Call(function):
            yield _named(NameKind.FUNCTION, function)
    for part in s.parts(node):
        yield from _in_expression(part, parameters)


# A contract as an editor has it, finished or not: its statements, what is wrong with them, and what can be said.


@dataclass(frozen=True, slots=True, eq=False)
class TextReading:
    """What one state of a text says.

    `contract` is there if the text has no errors. `sketch` is there as soon as the step is known; it holds the
    clauses without a fault, so that the rest of a half-typed text can be explained.
    """

    source: Source
    document: s.Document
    findings: tuple[Diagnostic, ...]
    occurrences: tuple[Occurrence, ...]
    contract: Contract | None
    sketch: Contract | None

    @property
    def text(self) -> str:
        """The text that was read."""
        return self.source.text

    def at(self, offset: int) -> Occurrence | None:
        """The name that a character belongs to, or that ends there."""
        holding = [o for o in self.occurrences if o.span.start <= offset <= o.span.end]
        # Where one name ends and the next begins, the pointer is on the one that begins.
        return max(holding, key=lambda o: o.span.start, default=None)

    def same(self, name: Occurrence) -> list[Occurrence]:
        """Every occurrence of what a name means, in the order of the text."""
        return [o for o in self.occurrences if (o.kind, o.name) == (name.kind, name.name)]

    def clause_at(self, offset: int) -> FrameClause | EventClause | None:
        """The clause without a fault that a character belongs to."""
        return next((c for c in self.clauses if c.span.start <= offset <= c.span.end), None)

    @property
    def clauses(self) -> tuple[FrameClause | EventClause, ...]:
        """The clauses without a fault."""
        return self.sketch.clauses if self.sketch else ()


def read(text: str, name: str) -> TextReading:
    """Read a text: everything that is wrong with it, and everything that can be said all the same."""
    source, diagnostics = Source(name, text), Diagnostics()
    parsed = parse_source(source, diagnostics)
    contract = parsed.lower(diagnostics)
    names = tuple(occurrences(parsed.document))
    sketch = contract or _sketch(parsed.document, source, diagnostics, names)
    return TextReading(source, parsed.document, tuple(diagnostics), names, contract, sketch)


def _sketch(
    document: s.Document, source: Source, diagnostics: Diagnostics, names: tuple[Occurrence, ...]
) -> Contract | None:
    """The contract with the clauses that no fault touches; None without a step."""
    # Lowered again with its faults unsaid: they were said when it was parsed.
    rough = ContractLowering(document, source, Diagnostics(), frozenset()).contract()
    faults = list(_fault_spans(diagnostics))
    step = rough.statements.get("step")
    if step is None or _touched(step, faults):
        return None
    sound = {p.name for p in rough.parameters if not _touched(p.value_span, faults)}
    unknown = [o.span for o in names if o.kind is NameKind.PARAMETER and o.name not in sound]
    kept = tuple(c for c in rough.clauses if not _touched(c.span, [*faults, *unknown]))
    return replace(rough, clauses=kept)


def _fault_spans(diagnostics: Diagnostics) -> Iterator[Span]:
    for fault in diagnostics:
        if fault.severity is Severity.ERROR and isinstance(fault.place, TextPlace):
            yield fault.place.span


def _touched(span: Span, faults: list[Span]) -> bool:
    return any(fault.start < span.end and span.start < fault.end for fault in faults)


# The outline of a contract: its statements, by what they declare.


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A statement: its first word, what it is called, what else it says, all of it and its name in the text."""

    keyword: str
    name: str
    detail: str
    span: Span
    named: Span


def outline(reading: TextReading) -> list[OutlineEntry]:
    """An entry for each statement that can be read, in the order of the text."""
    return [entry for statement in reading.document.statements for entry in _entry(statement)]


def _entry(statement: s.Statement) -> Iterator[OutlineEntry]:
    def entry(keyword: str, name: s.Name, detail: str) -> OutlineEntry:
        return OutlineEntry(keyword, name.text, detail, statement.span, name.span)

    match statement:
        case s.ContractName(name, title):
            yield entry("contract", name, title or "")
        case s.Setting(keyword, value):
            yield OutlineEntry(keyword, keyword, print_value(value), statement.span, value.span)
        case s.WordSetting(keyword, name):
            yield OutlineEntry(keyword, keyword, name.text, statement.span, name.span)
        case s.ParamDecl(name, value):
            yield entry("param", name, print_value(value))
        case s.SweepDecl(name, values):
            yield entry("sweep", name, " ".join(map(print_value, values)))
        case s.MatcherDecl(name):
            yield OutlineEntry("matcher", "matcher", name.text, statement.span, name.span)
        case s.LabelsDecl(labels):
            listed = " ".join(label.text for label in labels)
            yield OutlineEntry("labels", "labels", listed, statement.span, labels[0].span.to(labels[-1].span))
        case s.AtomDecl(name, title):
            yield entry("atom", name, title or "")
        case s.FrameClauseDecl(name, obligation):
            yield entry("clause", name, f"on {print_expression(obligation)}")
        case s.EventClauseDecl(name, each):
            yield entry("clause", name, f"on each {each.text}")
        case s.ProfileDecl(name, _, weights):
            yield entry("profile", name, ", ".join(weight.name.text for weight in weights))
