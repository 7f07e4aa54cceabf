"""A contract as an editor has it, finished or not: its names, its outline, fixes and renamings."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Diagnostic, Severity, Source, Span, TextPlace
from tracepact.language import syntax as s
from tracepact.language.compilation import parse_source
from tracepact.language.contract import Aggregation, Contract, EventClause, FrameClause, MatcherKind, Projection
from tracepact.language.explanation import AGGREGATED, MATCHED, PROJECTED
from tracepact.language.grammar import token_span
from tracepact.language.lowering import ContractLowering
from tracepact.language.predicate import ATTRIBUTES, Each
from tracepact.language.printer import print_expression, print_value
from tracepact.language.reader import read_tokens

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
        """The two ends of a span."""
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


_EACH_WORDS = {
    Each.REF: "every reference event is asked",
    Each.PRED: "every predicted event is asked",
    Each.MATCHED: "every pair of a reference event and its partner is asked",
}

CHOICES: dict[NameKind, dict[str, str]] = {
    NameKind.AGGREGATION: {a.value: AGGREGATED[a] for a in Aggregation},
    NameKind.PROJECTION: {p.value: PROJECTED[p] for p in Projection},
    NameKind.MATCHER: {m.value: f"events are paired one to one, {MATCHED[m]}" for m in MatcherKind},
    NameKind.EACH: {e.value: _EACH_WORDS[e] for e in Each},
    NameKind.OPTION: {
        "search": "how far an edge of one event may be from the same edge of its partner",
        "overlap_reward": "how much a shared second lowers the cost of a pair",
    },
}
"""The words of fixed lists, by the kind of name they are, with what each means."""


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

    @property
    def errors(self) -> list[Diagnostic]:
        """The findings that make it unusable."""
        return [fault for fault in self.findings if fault.severity is Severity.ERROR]

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
    faults = [fault.place.span for fault in diagnostics.errors if isinstance(fault.place, TextPlace)]
    step = rough.statements.get("step")
    if step is None or _touched(step, faults):
        return None
    sound = {p.name for p in rough.parameters if not _touched(p.value_span, faults)}
    unknown = [o.span for o in names if o.kind is NameKind.PARAMETER and o.name not in sound]
    kept = tuple(c for c in rough.clauses if not _touched(c.span, [*faults, *unknown]))
    return replace(rough, clauses=kept)


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


# Quick fixes: what a finding's own help offers, made into edits and tried before it is offered.

_QUOTED = re.compile(r"`([^`…]+)`")
# The wording of help decides what a fix does, so that no finding needs to know of editors; a help that fits none of
# these is shown and offers nothing. Each fix is tried before it is offered, so a changed wording loses a fix and never
# breaks a text.
_REPLACES = ("did you mean", "write", "units are in lower case")
_INSERTS = ("declare it: ", "add its name: ", "add the length of a frame: ", "add one: ")
_OBLIGES = "oblige it only where it asks something: `on "
_GLUES = "a unit is written without a space: "


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that takes a finding away, and what it is called."""

    title: str
    finding: Diagnostic
    edits: tuple[TextEdit, ...]


def fixes(reading: TextReading, faults: Iterable[Diagnostic]) -> list[Fix]:
    """The changes that the findings' help offers, each tried: it must take its finding away and bring no error."""
    return [fix for one in faults for fix in _offered(reading, one) if _helps(reading, fix)]


def _offered(reading: TextReading, fault: Diagnostic) -> Iterator[Fix]:
    if fault.help is None or not isinstance(fault.place, TextPlace):
        return
    quoted, span = _QUOTED.findall(fault.help), fault.place.span
    if fault.help.startswith(_OBLIGES):
        text = fault.help.removeprefix(_OBLIGES).removesuffix("`")
        for clause in reading.document.statements:
            if isinstance(clause, s.FrameClauseDecl) and clause.span.start <= span.start < clause.span.end:
                yield Fix(f"oblige it on `{text}`", fault, (TextEdit(clause.obligation.span, text),))
    elif fault.help.startswith(_GLUES):
        start = len(reading.text[: span.start].rstrip())
        yield Fix(f"write `{quoted[0]}`", fault, (TextEdit(Span(start, span.start), ""),))
    elif fault.help.startswith(_INSERTS):
        yield Fix(f"add `{quoted[0]}`", fault, (_inserted(reading, quoted[0]),))
    elif fault.help.startswith(_REPLACES):
        # A window is offered with its brackets; where they stand around the place already they are not doubled.
        inside = reading.text[: span.start].rstrip().endswith("[")
        for text in quoted:
            written = text[1:-1] if inside and text.startswith("[") else text
            yield Fix(f"write `{text}`", fault, (TextEdit(span, written),))
    elif fault.help.endswith("or drop it"):
        yield from _dropped(reading, fault, span)


def _inserted(reading: TextReading, statement: str) -> TextEdit:
    """A new statement on a line of its own: a name at the top, a clause at the end, others above the clauses."""
    clauses = (s.FrameClauseDecl, s.EventClauseDecl)
    first = next((d.span.start for d in reading.document.statements if isinstance(d, clauses)), len(reading.text))
    offset = {"contract": 0, "clause": len(reading.text)}.get(statement.split()[0], first)
    gap = "\n" if offset and reading.text[offset - 1] != "\n" else ""
    return TextEdit(Span(offset, offset), f"{gap}{statement}\n")


def _dropped(reading: TextReading, fault: Diagnostic, span: Span) -> Iterator[Fix]:
    """A declaration that nothing uses, with its line if it stands alone there."""
    for statement in reading.document.statements:
        if isinstance(statement, s.ParamDecl | s.AtomDecl) and statement.name.span == span:
            start, end = statement.span.start, statement.span.end
            alone = not reading.text[reading.text.rfind("\n", 0, start) + 1 : start].strip()
            if alone and reading.text[end : end + 1] == "\n":
                end += 1
            yield Fix(f"drop `{statement.name.text}`", fault, (TextEdit(Span(start, end), ""),))


def _helps(reading: TextReading, fix: Fix) -> bool:
    """Whether the finding is gone, unless it is one that only the solver would find again, and no error is new."""
    after = read(edited(reading.text, fix.edits), reading.source.name)
    now, before = (sum(one.code == fix.finding.code for one in text.findings) for text in (after, reading))
    is_gone = now < before or fix.finding not in reading.findings
    return is_gone and len(after.errors) <= len(reading.errors)


# Renaming parameters, clauses, declared atoms, profiles and the contract, checked before it is done.

_RENAMED = (NameKind.CONTRACT, NameKind.PARAMETER, NameKind.CLAUSE, NameKind.ATOM, NameKind.PROFILE)


class CannotRename(Exception):  # noqa: N818  (it says what cannot be done)
    """Why a name stays as it is."""


def renamable(reading: TextReading, offset: int) -> Occurrence:
    """The name at a place; CannotRename if it is none that the text declares."""
    name = reading.at(offset)
    if name is None or name.kind not in _RENAMED:
        raise CannotRename("there is no name here that the contract declares")
    if not any(o.declares for o in reading.same(name)):
        raise CannotRename(f"the {name.kind.value} `{name.name}` is not declared in this contract")
    return name


def rename(reading: TextReading, offset: int, new: str) -> list[TextEdit]:
    """The edits that give a name another word everywhere; CannotRename if the contract would mean something else."""
    name = renamable(reading, offset)
    # Nobody knows what the word means in a statement that cannot be read.
    spans = [statement.span for statement in reading.document.statements]
    for token in read_tokens(reading.source, Diagnostics())[0]:
        place = token_span(token)
        if str(token) == name.name and not any(span.start <= place.start < span.end for span in spans):
            line = reading.source.position(place.start)[0]
            raise CannotRename(f"line {line} also has `{name.name}` and cannot be read; correct it first")
    changed = reading.same(name)
    edits = [TextEdit(occurrence.span, new) for occurrence in changed]
    after = read(edited(reading.text, edits), reading.source.name)
    faults, before = after.errors, reading.errors
    if len(faults) > len(before):
        known = {(d.code, d.headline) for d in before}
        said = next((d.headline for d in faults if (d.code, d.headline) not in known), faults[-1].headline)
        raise CannotRename(f"`{new}` cannot be the name of this {name.kind.value}: {said}")
    # The new name must stand for exactly what it stood for before and what is renamed: else a clause would silently
    # read another parameter or atom.
    if _kinds(after, new) != sorted([*_kinds(reading, new), *(o.kind.value for o in changed)]):
        raise CannotRename(f"`{new}` means something else in this contract")
    return edits


def _kinds(reading: TextReading, name: str) -> list[str]:
    """The kinds of all occurrences of a word, sorted."""
    return sorted(o.kind.value for o in reading.occurrences if o.name == name)
