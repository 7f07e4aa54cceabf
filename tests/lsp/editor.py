"""An editor without a window: pygls's own client, which talks to `tracepact lsp` over its standard streams."""

import asyncio
import os
import sys
import threading
from collections.abc import Coroutine
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.client import BaseLanguageClient

import tracepact
from tracepact.author.editor_text import TextLines

_T = TypeVar("_T")
_WAIT = 60.0
"""Seconds after which an answer is missing; far more than any takes."""


class Editor:
    """A client with its server; `close` stops both and leaves no process behind."""

    def __init__(self, *arguments: str) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.published: list[lsp.PublishDiagnosticsParams] = []
        self.client: Any = BaseLanguageClient("test", "1")

        def publish(params: lsp.PublishDiagnosticsParams) -> None:
            self.published.append(params)

        self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(publish)
        self.said = ""
        self.texts: dict[str, tuple[int, str]] = {}
        environment = {**os.environ, "PYTHONPATH": str(Path(tracepact.__file__).parents[1])}
        command = (sys.executable, "-m", "tracepact", "lsp", *arguments)
        self.run(self.client.start_io(*command, env=environment))
        asked = lsp.InitializeParams(capabilities=lsp.ClientCapabilities(), process_id=os.getpid())
        self.capabilities = self.run(self.client.initialize_async(asked)).capabilities
        self.client.initialized(lsp.InitializedParams())

    @property
    def process(self) -> Any:
        """The server's process."""
        return self.client._server

    def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Do asynchronous work to its end."""
        return asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, _WAIT), self.loop).result()

    def call(self, action: Any, *arguments: Any) -> None:
        """Send a notification from the thread of the client."""

        async def send() -> None:
            action(*arguments)

        self.run(send())

    def open(self, name: str, text: str) -> str:
        """Open a text under a name; its address."""
        uri = f"file:///contracts/{name}"
        self.texts[uri] = (1, text)
        item = lsp.TextDocumentItem(uri, "tracepact", 1, text)
        self.call(self.client.text_document_did_open, lsp.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, text: str) -> None:
        """Replace an open text, as an editor does after a keystroke."""
        version = self.texts[uri][0] + 1
        self.texts[uri] = (version, text)
        names = ("TextDocumentContentChangeWholeDocument", "TextDocumentContentChangeEvent_Type2")  # pygls 2 and 1
        whole = next(getattr(lsp, name) for name in names if hasattr(lsp, name))
        identifier = lsp.VersionedTextDocumentIdentifier(uri=uri, version=version)
        params = lsp.DidChangeTextDocumentParams(identifier, [whole(text=text)])
        self.call(self.client.text_document_did_change, params)

    def close_text(self, uri: str) -> None:
        """Close an open text."""
        identifier = lsp.TextDocumentIdentifier(uri)
        self.call(self.client.text_document_did_close, lsp.DidCloseTextDocumentParams(identifier))

    def at(self, uri: str, word: str, inside: int = 0) -> dict[str, Any]:
        """The place of the first occurrence of a word in an open text, as the parameters of a request."""
        text = self.texts[uri][1]
        position = lsp.Position(*TextLines(text).place(text.index(word) + inside))
        return {"text_document": lsp.TextDocumentIdentifier(uri), "position": position}

    def whole(self, uri: str) -> lsp.Range:
        """The range of an open text."""
        text = self.texts[uri][1]
        return lsp.Range(lsp.Position(0, 0), lsp.Position(*TextLines(text).place(len(text))))

    def codes(self, uri: str, times: int = 1) -> list[str]:
        """The codes of the last diagnostics for the current version, once they were published so many times."""
        version, end = self.texts[uri][0], monotonic() + _WAIT
        while monotonic() < end:
            own = [p for p in list(self.published) if p.uri == uri and p.version == version]
            if len(own) >= times:
                return [str(d.code) for d in own[-1].diagnostics]
            threading.Event().wait(0.02)
        raise AssertionError(f"no diagnostics of {uri} within {_WAIT} s")

    def close(self) -> int:
        """Say goodbye as the protocol asks, and wait for the process to end; its exit code."""

        async def leave() -> int:
            await self.client.shutdown_async(None)
            self.client.exit(None)
            code: int = await self.process.wait()
            self.said = (await self.process.stderr.read()).decode()
            await self.client.stop()
            return code

        try:
            return self.run(leave())
        finally:
            if self.process.returncode is None:
                self.process.kill()  # this process, by its own handle
            self.loop.call_soon_threadsafe(self.loop.stop)
            self.thread.join()
            self.loop.close()


def applied(text: str, edits: list[lsp.TextEdit]) -> str:
    """A text with the edits of an answer made, last first."""
    lines = TextLines(text)

    def offset(place: lsp.Position) -> int:
        return lines.offset(place.line, place.character)

    for edit in sorted(edits, key=lambda e: offset(e.range.start), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text
