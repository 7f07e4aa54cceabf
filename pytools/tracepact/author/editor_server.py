"""The language server: keeps what each open contract says, and answers an editor's requests from it."""

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

from tracepact.author.editor_help import ENDING as CALIBRATION
from tracepact.author.editor_help import (
    Suggestion,
    bound_hints,
    calibration_faults,
    complete,
    complete_calibration,
    hover,
)
from tracepact.author.editor_text import (
    CannotRename,
    TextEdit,
    TextLines,
    TextReading,
    fixes,
    outline,
    read,
    renamable,
    rename,
)
from tracepact.author.workbench import Superseded, check_while
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Diagnostic, Severity, Span, TextPlace
from tracepact.language.printer import format_document
from tracepact.language.reader import read_document
from tracepact.version import VERSION

# What is known of a contract in the terms of the language server protocol.

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
    """The name of a document in messages: the last part of its address."""
    return PurePosixPath(unquote(urlsplit(uri).path)).name or uri


def folder_of(uri: str) -> Path:
    """Where a document lies; the working folder if it is in no file."""
    address = urlsplit(uri)
    return Path(url2pathname(address.path)).parent if address.scheme == "file" else Path()


def range_of(lines: TextLines, span: Span) -> lsp.Range:
    """A span as two places."""
    start, end = lines.span(span)
    return lsp.Range(lsp.Position(*start), lsp.Position(*end))


def span_of(fault: Diagnostic) -> Span:
    """Where a finding stands; one without a place stands at the start of the text."""
    return fault.place.span if isinstance(fault.place, TextPlace) else Span(0, 0)


def diagnostic_of(lines: TextLines, fault: Diagnostic) -> lsp.Diagnostic:
    """A finding with its help and its trace."""
    parts = [fault.headline, f"help: {fault.help}" if fault.help else None, fault.trace]
    return lsp.Diagnostic(
        range=range_of(lines, span_of(fault)),
        message="\n".join(part for part in parts if part),
        severity=_SEVERITY[fault.severity],
        code=fault.code,
        source=SOURCE,
    )


def completion_of(word: Suggestion) -> lsp.CompletionItem:
    """A word that fits."""
    kind = _COMPLETED.get(word.kind, lsp.CompletionItemKind.EnumMember)
    return lsp.CompletionItem(
        word.label, kind=kind, detail=word.kind, documentation=word.detail, insert_text=word.insert
    )


def edit_of(lines: TextLines, edit: TextEdit) -> lsp.TextEdit:
    """A change of the text."""
    return lsp.TextEdit(range_of(lines, edit.span), edit.text)


try:
    # pygls 2 moved the class; the extra allows both versions.
    from pygls.lsp.server import LanguageServer  # type: ignore[import-not-found,unused-ignore]  # pygls 2
except ModuleNotFoundError:
    from pygls.server import LanguageServer  # pygls 1

# Longer than between two keystrokes of somebody who types, shorter than is felt as waiting.
PAUSE = 0.3
"""Seconds without a change after which the solver is asked."""


@dataclass(slots=True, eq=False)
class Opened:
    """One state of an open text: what it says, where its lines are, and what the solver found so far."""

    uri: str
    version: int | None
    reading: TextReading
    lines: TextLines
    solved: list[Diagnostic] = field(default_factory=list)
    calibration: str | None = None
    """The text of a calibration set, which is completed and read as one, not as a contract."""

    @property
    def findings(self) -> list[Diagnostic]:
        """Everything that is known to be wrong with it."""
        return [*self.reading.findings, *self.solved]

    def offset(self, position: lsp.Position) -> int:
        """The character at a place."""
        return self.lines.offset(position.line, position.character)

    def span(self, whole: lsp.Range) -> Span:
        """The characters of a range."""
        return Span(self.offset(whole.start), self.offset(whole.end))


class ContractServer(LanguageServer):  # type: ignore[misc,unused-ignore]  # the class of either version
    """Holds the open contracts; a change of one ends the check of what it was before."""

    def __init__(self, question: float) -> None:
        super().__init__("tracepact", VERSION, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
        self.question = question
        self.opened: dict[str, Opened] = {}
        self.checks: dict[str, asyncio.Future[None]] = {}
        self.solver = ThreadPoolExecutor(max_workers=1)  # Z3 is asked from one thread

    def take(self, uri: str) -> None:
        """Read a text that was opened or changed, report what is wrong at once, and have it checked after a pause."""
        document = self.workspace.get_text_document(uri)
        # Client and server agree on the unit of columns when they meet; UTF-16 is the one every client knows.
        encoding = str(getattr(self.workspace.position_encoding, "value", None) or "utf-16")
        if uri.endswith(CALIBRATION):
            faults = calibration_faults(document.source, shown_name(uri), folder_of(uri))
            nothing = replace(read("", shown_name(uri)), findings=faults)
            lines = TextLines(document.source, encoding)
            self.opened[uri] = Opened(uri, document.version, nothing, lines, calibration=document.source)
            self.report(self.opened[uri])
            return
        reading = read(document.source, shown_name(uri))
        state = Opened(uri, document.version, reading, TextLines(document.source, encoding))
        self.leave(uri)
        self.opened[uri] = state
        self.report(state)
        if reading.contract is not None:
            self.checks[uri] = asyncio.ensure_future(self.check(state))

    def leave(self, uri: str) -> None:
        """End the check of a text and forget it."""
        self.opened.pop(uri, None)
        check = self.checks.pop(uri, None)
        if check is not None:
            check.cancel()

    async def check(self, state: Opened) -> None:
        """Ask the solver about a text that rests, and report what it finds if the text is still the same."""
        contract = state.reading.contract
        assert contract is not None
        # A change in the meantime cancels this task, and the solver is not asked at all.
        await asyncio.sleep(PAUSE)

        def is_current() -> bool:
            return self.opened.get(state.uri) is state

        def ask() -> list[Diagnostic]:
            return check_while(contract, is_current, question=self.question)

        try:
            state.solved = await asyncio.get_running_loop().run_in_executor(self.solver, ask)
        except Superseded:
            return
        if is_current():
            self.report(state)

    def report(self, state: Opened) -> None:
        """Send everything that is known to be wrong with a text."""
        self.send(state.uri, [diagnostic_of(state.lines, fault) for fault in state.findings], state.version)

    def send(self, uri: str, diagnostics: list[lsp.Diagnostic], document_version: int | None = None) -> None:
        """Publish diagnostics, in either version of pygls."""
        protocol: Any = getattr(self, "protocol", None) or self.lsp
        params = lsp.PublishDiagnosticsParams(uri, diagnostics, document_version)
        protocol.notify(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)


def make_server(question: float) -> ContractServer:
    """A server with all its features; `question` is the time, in seconds, that the solver has for each question."""
    server = ContractServer(question)
    for method, (answer, options) in _FEATURES.items():
        server.feature(method, options)(answer)
    return server


def serve(question: float) -> None:
    """Answer an editor over standard input and output until it leaves."""
    # Without a handler of its own the log of pygls goes to standard error with a traceback for each refused rename.
    log = logging.StreamHandler()
    log.setLevel(logging.WARNING)
    log.addFilter(_is_fault)
    logging.getLogger("pygls").addHandler(log)
    server = make_server(question)
    # Duplicates, for pygls closes its streams, and Python flushes its own at its end.
    streams = [os.fdopen(os.dup(stream.fileno()), mode) for stream, mode in ((sys.stdin, "rb"), (sys.stdout, "wb"))]
    try:
        server.start_io(*streams)  # it closes what it is given
    finally:
        server.opened.clear()  # ends a check that is under way
        server.solver.shutdown()


def _state(server: ContractServer, document: lsp.TextDocumentIdentifier) -> Opened:
    """The state of an open text; a request about another one is refused."""
    state = server.opened.get(document.uri)
    if state is None:
        raise RefusedRequest(f"{document.uri} is not open")
    return state


class RefusedRequest(JsonRpcInvalidParams):  # type: ignore[misc,unused-ignore]  # the class of either version
    """An answer that says why there is none."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)  # type: ignore[no-untyped-call,unused-ignore]


def _is_fault(record: logging.LogRecord) -> bool:
    """Whether what pygls logs is a fault of the server: it logs what a handler raises, refusals included."""
    return not (record.exc_info and isinstance(record.exc_info[1], RefusedRequest))


# Texts that are opened, changed and closed


def _on_open(server: ContractServer, params: lsp.DidOpenTextDocumentParams) -> None:
    server.take(params.text_document.uri)


def _on_change(server: ContractServer, params: lsp.DidChangeTextDocumentParams) -> None:
    server.take(params.text_document.uri)


def _on_close(server: ContractServer, params: lsp.DidCloseTextDocumentParams) -> None:
    server.leave(params.text_document.uri)
    server.send(params.text_document.uri, [])


# What is told of a text


def _on_hover(server: ContractServer, params: lsp.HoverParams) -> lsp.Hover | None:
    state = _state(server, params.text_document)
    told = hover(state.reading, state.offset(params.position))
    if told is None:
        return None
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, told.text), range_of(state.lines, told.span))


def _on_completion(server: ContractServer, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
    state = _state(server, params.text_document)
    offset = state.offset(params.position)
    if state.calibration is not None:
        return [completion_of(word) for word in complete_calibration(state.calibration, offset)]
    return [completion_of(word) for word in complete(state.reading, offset)]


def _on_outline(server: ContractServer, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    state = _state(server, params.text_document)
    lines, usual = state.lines, lsp.SymbolKind.Property
    return [
        lsp.DocumentSymbol(
            entry.name,
            _OUTLINED.get(entry.keyword, usual),
            range_of(lines, entry.span),
            range_of(lines, entry.named),
            detail=entry.detail,
        )
        for entry in outline(state.reading)
    ]


def _on_hints(server: ContractServer, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
    state = _state(server, params.text_document)
    return [
        lsp.InlayHint(lsp.Position(*state.lines.place(hint.offset)), hint.label, tooltip=hint.words, padding_left=True)
        for hint in bound_hints(state.reading, state.span(params.range))
    ]


# Names


def _on_definition(server: ContractServer, params: lsp.DefinitionParams) -> list[lsp.Location]:
    return _places(_state(server, params.text_document), params.position, lambda declares: declares)


def _on_references(server: ContractServer, params: lsp.ReferenceParams) -> list[lsp.Location]:
    whole = params.context.include_declaration
    return _places(_state(server, params.text_document), params.position, lambda declares: whole or not declares)


def _places(state: Opened, position: lsp.Position, wanted: Callable[[bool], bool]) -> list[lsp.Location]:
    """Where the name at a place occurs, as declaration or not."""
    name = state.reading.at(state.offset(position))
    names = state.reading.same(name) if name else []
    return [lsp.Location(state.uri, range_of(state.lines, o.span)) for o in names if wanted(o.declares)]


def _on_prepare_rename(server: ContractServer, params: lsp.PrepareRenameParams) -> lsp.Range:
    state = _state(server, params.text_document)
    try:
        return range_of(state.lines, renamable(state.reading, state.offset(params.position)).span)
    except CannotRename as error:
        raise RefusedRequest(str(error)) from None


def _on_rename(server: ContractServer, params: lsp.RenameParams) -> lsp.WorkspaceEdit:
    state = _state(server, params.text_document)
    try:
        return _changes(state, rename(state.reading, state.offset(params.position), params.new_name))
    except CannotRename as error:
        raise RefusedRequest(str(error)) from None


# Changes


def _changes(state: Opened, edits: Sequence[TextEdit]) -> lsp.WorkspaceEdit:
    return lsp.WorkspaceEdit(changes={state.uri: [edit_of(state.lines, edit) for edit in edits]})


def _on_formatting(server: ContractServer, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
    state = _state(server, params.text_document)
    diagnostics, source = Diagnostics(), state.reading.source
    text = format_document(read_document(source, diagnostics), source)
    if diagnostics.errors or text == source.text:  # what cannot be read is not written anew
        return []
    return [edit_of(state.lines, TextEdit(Span(0, len(source.text)), text))]


def _on_fixes(server: ContractServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    state = _state(server, params.text_document)
    whole = state.span(params.range)
    spans = ((fault, span_of(fault)) for fault in state.findings)
    near = [fault for fault, span in spans if span.start <= whole.end and whole.start <= span.end]
    return [
        lsp.CodeAction(
            fix.title,
            kind=lsp.CodeActionKind.QuickFix,
            diagnostics=[diagnostic_of(state.lines, fix.finding)],
            edit=_changes(state, fix.edits),
        )
        for fix in fixes(state.reading, near)
    ]


_FEATURES: dict[str, tuple[Callable[[ContractServer, Any], Any], Any]] = {
    lsp.TEXT_DOCUMENT_DID_OPEN: (_on_open, None),
    lsp.TEXT_DOCUMENT_DID_CHANGE: (_on_change, None),
    lsp.TEXT_DOCUMENT_DID_CLOSE: (_on_close, None),
    lsp.TEXT_DOCUMENT_HOVER: (_on_hover, None),
    lsp.TEXT_DOCUMENT_COMPLETION: (_on_completion, lsp.CompletionOptions(trigger_characters=[".", "[", ":"])),
    lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (_on_outline, None),
    lsp.TEXT_DOCUMENT_INLAY_HINT: (_on_hints, None),
    lsp.TEXT_DOCUMENT_DEFINITION: (_on_definition, None),
    lsp.TEXT_DOCUMENT_REFERENCES: (_on_references, None),
    lsp.TEXT_DOCUMENT_PREPARE_RENAME: (_on_prepare_rename, None),
    lsp.TEXT_DOCUMENT_RENAME: (_on_rename, lsp.RenameOptions(prepare_provider=True)),
    lsp.TEXT_DOCUMENT_FORMATTING: (_on_formatting, None),
    lsp.TEXT_DOCUMENT_CODE_ACTION: (
        _on_fixes,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]),
    ),
}
"""What answers each method of the protocol, and what the editor is told of it."""
