"""Quick fixes: what a finding's own help offers, made into edits and tried before it is offered."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tracepact.diagnostics import Diagnostic, Severity, Span, TextPlace
from tracepact.lang import syntax as s
from tracepact.tools.lsp.edits import Edit, edited
from tracepact.tools.lsp.reading import Reading, read

_QUOTED = re.compile(r"`([^`…]+)`")
_REPLACES = ("did you mean", "write", "units are in lower case")
_INSERTS = ("declare it: ", "add its name: ", "add the length of a frame: ", "add one: ")
_OBLIGES = "oblige it only where it asks something: `on "
_GLUES = "a unit is written without a space: "


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that takes a finding away, and what it is called."""

    title: str
    found: Diagnostic
    edits: tuple[Edit, ...]


def fixes(reading: Reading, found: Iterable[Diagnostic]) -> list[Fix]:
    """The changes that the findings' help offers, each tried: it must take its finding away and bring no error."""
    return [fix for one in found for fix in _offered(reading, one) if _helps(reading, fix)]


def _offered(reading: Reading, found: Diagnostic) -> Iterator[Fix]:
    if found.help is None or not isinstance(found.place, TextPlace):
        return
    quoted, span = _QUOTED.findall(found.help), found.place.span
    if found.help.startswith(_OBLIGES):
        obligation = _obligation(reading, span)
        if obligation is not None:
            text = found.help.removeprefix(_OBLIGES).removesuffix("`")
            yield Fix(f"oblige it on `{text}`", found, (Edit(obligation, text),))
    elif found.help.startswith(_GLUES):
        start = len(reading.text[: span.start].rstrip())
        yield Fix(f"write `{quoted[0]}`", found, (Edit(Span(start, span.start), ""),))
    elif found.help.startswith(_INSERTS):
        yield Fix(f"add `{quoted[0]}`", found, (_inserted(reading, quoted[0]),))
    elif found.help.startswith(_REPLACES):
        for text in quoted:
            yield Fix(f"write `{text}`", found, (Edit(span, _without_brackets(reading, span, text)),))
    elif found.help.endswith("or drop it"):
        yield from _dropped(reading, found, span)


def _obligation(reading: Reading, span: Span) -> Span | None:
    """Where the obligation of the frame clause around a place stands."""
    for statement in reading.document.statements:
        if isinstance(statement, s.FrameClauseDecl) and statement.span.start <= span.start < statement.span.end:
            return statement.obligation.span
    return None


def _without_brackets(reading: Reading, span: Span, text: str) -> str:
    """A window is offered with its brackets; where they stand around the place already they are not doubled."""
    inside = reading.text[: span.start].rstrip().endswith("[") and text.startswith("[")
    return text[1:-1] if inside else text


def _inserted(reading: Reading, statement: str) -> Edit:
    """A new statement on a line of its own: a name at the top, a clause at the end, others above the clauses."""
    clauses = (s.FrameClauseDecl, s.EventClauseDecl)
    first = next((d.span.start for d in reading.document.statements if isinstance(d, clauses)), len(reading.text))
    offset = {"contract": 0, "clause": len(reading.text)}.get(statement.split()[0], first)
    gap = "\n" if offset and reading.text[offset - 1] != "\n" else ""
    return Edit(Span(offset, offset), f"{gap}{statement}\n")


def _dropped(reading: Reading, found: Diagnostic, span: Span) -> Iterator[Fix]:
    """A declaration that nothing uses, with its line if it stands alone there."""
    for statement in reading.document.statements:
        if isinstance(statement, s.ParamDecl | s.AtomDecl) and statement.name.span == span:
            start, end = statement.span.start, statement.span.end
            alone = not reading.text[reading.text.rfind("\n", 0, start) + 1 : start].strip()
            if alone and reading.text[end : end + 1] == "\n":
                end += 1
            yield Fix(f"drop `{statement.name.text}`", found, (Edit(Span(start, end), ""),))


def _helps(reading: Reading, fix: Fix) -> bool:
    """Whether the finding is gone, unless it is one that only the solver would find again, and no error is new."""
    after = read(edited(reading.text, fix.edits), reading.source.name)
    fewer = _count(after, fix.found.code) < _count(reading, fix.found.code) or fix.found not in reading.found
    return fewer and len(_errors(after)) <= len(_errors(reading))


def _count(reading: Reading, code: str) -> int:
    return sum(found.code == code for found in reading.found)


def _errors(reading: Reading) -> list[Diagnostic]:
    return [found for found in reading.found if found.severity is Severity.ERROR]
