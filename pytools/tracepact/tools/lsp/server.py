"""The language server: keeps what each open contract says, and answers an editor's requests from it."""

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

from tracepact.diagnostics import Diagnostic, Diagnostics, Span
from tracepact.lang import format_document, read_document
from tracepact.tools.lsp.bounds import bound_hints
from tracepact.tools.lsp.calibration import ENDING as CALIBRATION
from tracepact.tools.lsp.calibration import calibration_faults, complete_calibration
from tracepact.tools.lsp.checking import Superseded, check_while
from tracepact.tools.lsp.completion import complete
from tracepact.tools.lsp.edits import Edit
from tracepact.tools.lsp.fixes import fixes
from tracepact.tools.lsp.hover import hover
from tracepact.tools.lsp.outline import outline
from tracepact.tools.lsp.places import Lines
from tracepact.tools.lsp.reading import Reading, read
from tracepact.tools.lsp.renaming import CannotRename, renamable, rename
from tracepact.tools.lsp.translation import (
    completion_of,
    diagnostic_of,
    edit_of,
    folder_of,
    hint_of,
    hover_of,
    range_of,
    shown_name,
    span_of,
    symbol_of,
)
from tracepact.version import VERSION

try:
    from pygls.lsp.server import LanguageServer  # type: ignore[import-not-found,unused-ignore]  # pygls 2
except ModuleNotFoundError:
    from pygls.server import LanguageServer  # pygls 1

PAUSE = 0.3
"""Seconds without a change after which the solver is asked."""


@dataclass(slots=True, eq=False)
class Opened:
    """One state of an open text: what it says, where its lines are, and what the solver found so far."""

    uri: str
    version: int | None
    reading: Reading
    lines: Lines
    solved: list[Diagnostic] = field(default_factory=list)
    calibration: str | None = None
    """The text of a calibration set, which is completed and read as one, not as a contract."""

    @property
    def found(self) -> list[Diagnostic]:
        """Everything that is known to be wrong with it."""
        return [*self.reading.found, *self.solved]

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
        encoding = str(getattr(self.workspace.position_encoding, "value", None) or "utf-16")
        if uri.endswith(CALIBRATION):
            found = calibration_faults(document.source, shown_name(uri), folder_of(uri))
            nothing = replace(read("", shown_name(uri)), found=found)
            lines = Lines(document.source, encoding)
            self.opened[uri] = Opened(uri, document.version, nothing, lines, calibration=document.source)
            self.report(self.opened[uri])
            return
        reading = read(document.source, shown_name(uri))
        state = Opened(uri, document.version, reading, Lines(document.source, encoding))
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
        self.send(state.uri, [diagnostic_of(state.lines, found) for found in state.found], state.version)

    def send(self, uri: str, found: list[lsp.Diagnostic], document_version: int | None = None) -> None:
        """Publish diagnostics, in either version of pygls."""
        protocol: Any = getattr(self, "protocol", None) or self.lsp
        params = lsp.PublishDiagnosticsParams(uri, found, document_version)
        protocol.notify(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)


def make_server(question: float) -> ContractServer:
    """A server with all its features; a question to the solver may take so many seconds."""
    server = ContractServer(question)
    for method, (answer, options) in _FEATURES.items():
        server.feature(method, options)(answer)
    return server


def serve(question: float) -> None:
    """Answer an editor over standard input and output until it leaves."""
    server = make_server(question)
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
        raise _refusal(f"{document.uri} is not open")
    return state


def _refusal(reason: object) -> Exception:
    """An answer that says why there is none."""
    refusal: Exception = JsonRpcInvalidParams(str(reason))  # type: ignore[no-untyped-call,unused-ignore]
    return refusal


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
    return hover_of(state.lines, told) if told else None


def _on_completion(server: ContractServer, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
    state = _state(server, params.text_document)
    offset = state.offset(params.position)
    if state.calibration is not None:
        return [completion_of(found) for found in complete_calibration(state.calibration, offset)]
    return [completion_of(found) for found in complete(state.reading, offset)]


def _on_outline(server: ContractServer, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    state = _state(server, params.text_document)
    return [symbol_of(state.lines, entry) for entry in outline(state.reading)]


def _on_hints(server: ContractServer, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
    state = _state(server, params.text_document)
    return [hint_of(state.lines, hint) for hint in bound_hints(state.reading, state.span(params.range))]


# Names


def _on_definition(server: ContractServer, params: lsp.DefinitionParams) -> list[lsp.Location]:
    return _places(_state(server, params.text_document), params.position, lambda declares: declares)


def _on_references(server: ContractServer, params: lsp.ReferenceParams) -> list[lsp.Location]:
    whole = params.context.include_declaration
    return _places(_state(server, params.text_document), params.position, lambda declares: whole or not declares)


def _places(state: Opened, position: lsp.Position, wanted: Callable[[bool], bool]) -> list[lsp.Location]:
    """Where the name at a place occurs, as declaration or not."""
    name = state.reading.at(state.offset(position))
    found = state.reading.same(name) if name else []
    return [lsp.Location(state.uri, range_of(state.lines, o.span)) for o in found if wanted(o.declares)]


def _on_prepare_rename(server: ContractServer, params: lsp.PrepareRenameParams) -> lsp.Range:
    state = _state(server, params.text_document)
    try:
        return range_of(state.lines, renamable(state.reading, state.offset(params.position)).span)
    except CannotRename as error:
        raise _refusal(error) from None


def _on_rename(server: ContractServer, params: lsp.RenameParams) -> lsp.WorkspaceEdit:
    state = _state(server, params.text_document)
    try:
        return _changes(state, rename(state.reading, state.offset(params.position), params.new_name))
    except CannotRename as error:
        raise _refusal(error) from None


# Changes


def _changes(state: Opened, edits: Sequence[Edit]) -> lsp.WorkspaceEdit:
    return lsp.WorkspaceEdit(changes={state.uri: [edit_of(state.lines, edit) for edit in edits]})


def _on_formatting(server: ContractServer, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
    state = _state(server, params.text_document)
    diagnostics, source = Diagnostics(), state.reading.source
    text = format_document(read_document(source, diagnostics), source)
    if diagnostics.errors or text == source.text:  # what cannot be read is not written anew
        return []
    return [edit_of(state.lines, Edit(Span(0, len(source.text)), text))]


def _on_fixes(server: ContractServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    state = _state(server, params.text_document)
    asked = state.span(params.range)
    near = [found for found in state.found if _meets(span_of(found), asked)]
    return [
        lsp.CodeAction(
            fix.title,
            kind=lsp.CodeActionKind.QuickFix,
            diagnostics=[diagnostic_of(state.lines, fix.found)],
            edit=_changes(state, fix.edits),
        )
        for fix in fixes(state.reading, near)
    ]


def _meets(one: Span, other: Span) -> bool:
    """Whether two spans share a place, ends included."""
    return one.start <= other.end and other.start <= one.end


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
