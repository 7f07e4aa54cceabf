"""What is known of a contract in the terms of the language server protocol."""

from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from lsprotocol import types as lsp

from tracepact.diagnostics import Diagnostic, Severity, Span, TextPlace
from tracepact.tools.lsp.bounds import BoundHint
from tracepact.tools.lsp.completion import Suggestion
from tracepact.tools.lsp.edits import Edit
from tracepact.tools.lsp.hover import Told
from tracepact.tools.lsp.outline import Entry
from tracepact.tools.lsp.places import Lines

SOURCE = "tracepact"
_SEVERITY = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}
_COMPLETED = {
    "keyword": lsp.CompletionItemKind.Keyword,
    "operator": lsp.CompletionItemKind.Operator,
    "atom": lsp.CompletionItemKind.Variable,
    "parameter": lsp.CompletionItemKind.Constant,
    "clause": lsp.CompletionItemKind.Function,
    "attribute": lsp.CompletionItemKind.Property,
    "function": lsp.CompletionItemKind.Function,
}
_OUTLINED = {
    "contract": lsp.SymbolKind.Module,
    "param": lsp.SymbolKind.Constant,
    "atom": lsp.SymbolKind.Variable,
    "clause": lsp.SymbolKind.Function,
    "profile": lsp.SymbolKind.Object,
}


def shown_name(uri: str) -> str:
    """What a document is called in messages: the last part of its address."""
    return PurePosixPath(unquote(urlsplit(uri).path)).name or uri


def folder_of(uri: str) -> Path:
    """Where a document lies; the working folder if it is in no file."""
    address = urlsplit(uri)
    return Path(url2pathname(address.path)).parent if address.scheme == "file" else Path()


def range_of(lines: Lines, span: Span) -> lsp.Range:
    """A span as two places."""
    start, end = lines.span(span)
    return lsp.Range(lsp.Position(*start), lsp.Position(*end))


def span_of(found: Diagnostic) -> Span:
    """Where a finding stands; one without a place stands at the start of the text."""
    return found.place.span if isinstance(found.place, TextPlace) else Span(0, 0)


def diagnostic_of(lines: Lines, found: Diagnostic) -> lsp.Diagnostic:
    """A finding with its help and its trace."""
    parts = [found.headline, f"help: {found.help}" if found.help else None, found.trace]
    return lsp.Diagnostic(
        range=range_of(lines, span_of(found)),
        message="\n".join(part for part in parts if part),
        severity=_SEVERITY[found.severity],
        code=found.code,
        source=SOURCE,
    )


def hover_of(lines: Lines, told: Told) -> lsp.Hover:
    """What is said of a place, as Markdown."""
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, told.text), range_of(lines, told.span))


def completion_of(found: Suggestion) -> lsp.CompletionItem:
    """A word that fits."""
    kind = _COMPLETED.get(found.kind, lsp.CompletionItemKind.EnumMember)
    return lsp.CompletionItem(
        found.label, kind=kind, detail=found.kind, documentation=found.detail, insert_text=found.insert
    )


def symbol_of(lines: Lines, entry: Entry) -> lsp.DocumentSymbol:
    """A statement of the outline."""
    kind = _OUTLINED.get(entry.keyword, lsp.SymbolKind.Property)
    whole, named = range_of(lines, entry.span), range_of(lines, entry.named)
    return lsp.DocumentSymbol(entry.name, kind, whole, named, detail=entry.detail)


def hint_of(lines: Lines, hint: BoundHint) -> lsp.InlayHint:
    """A bound's frames behind it."""
    place = lsp.Position(*lines.place(hint.offset))
    return lsp.InlayHint(place, hint.label, tooltip=hint.words, padding_left=True)


def edit_of(lines: Lines, edit: Edit) -> lsp.TextEdit:
    """A change of the text."""
    return lsp.TextEdit(range_of(lines, edit.span), edit.text)
