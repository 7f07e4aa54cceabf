"""A server for one page on the loopback: a token in its address, questions of that page alone (rule 23.1).

How the browser learns the address. Every user of the machine can read the arguments of every process, and a browser is
started with what it opens as an argument. So the address is not given to it, nor a code that is exchanged for the
address: who reads the arguments may use the code first. The browser is given the name of a file in a folder, both for
this user alone; the file sends it to the server with a code. The code is worth one request, so that the file is worth
nothing to whoever comes upon it later, as in a backup. The token then stays in the path: a cookie of 127.0.0.1 is sent
to every port, and so to servers of other users. Where a browser cannot read the file (some are confined to folders of
their own), there is the address on standard output, to be opened by hand.
"""

import os
import secrets
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import IPPROTO_TCP, TCP_NODELAY
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, TypeVar

import click
import msgspec

from tracepact.command_line import ended_as_by_hand
from tracepact.options import WholeNumber, with_options
from tracepact.records import Record
from tracepact.show.lines import say

HOST = "127.0.0.1"
LARGEST_BODY = 4 << 20
_IDLE_SECONDS = 60
_R = TypeVar("_R", bound=Record)
_JSON = "application/json"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_NOT_OPEN = "no browser could be started; open the address above"
_ENTRANCE = """<!doctype html><meta charset="utf-8"><title>tracepact</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<p><a href="{address}">Open the page</a></p>
"""


Questions = Mapping[str, Callable[[bytes], bytes]]
"""What a page may ask, by name: from the JSON of a question to that of its answer."""


@dataclass(frozen=True, slots=True)
class ServedFile:
    """A file that the page may load, and its media type; what is served is its content when it is asked for."""

    path: Path
    kind: str


class PageServer(ThreadingHTTPServer):
    """Serves a page, the files that are its own, and answers its questions until it is shut down."""

    daemon_threads = True

    def __init__(
        self, page: str, questions: Questions, port: int = 0, files: Mapping[str, ServedFile] | None = None
    ) -> None:
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            reason = (error.strerror or "it cannot be listened on").lower()
            raise click.BadParameter(f"port {port} cannot be used: {reason}", param_hint="--port") from error
        self.page = page.encode()
        self.questions = questions
        self.files = files or {}
        self.token = secrets.token_urlsafe(24)
        self._entrances: dict[str, Path] = {}  # by the code that is in it, files that were not used yet
        self._entering = Lock()

    @property
    def origin(self) -> str:
        """The origin of the page."""
        return f"http://{HOST}:{self.server_address[1]}"

    @property
    def address(self) -> str:
        """The address of the page, with its token."""
        return f"{self.origin}/{self.token}/"

    def serve_page(self, *, opens: bool) -> None:
        """Say the address, perhaps open it in the browser, and serve until Ctrl-C or a request to end."""
        say(self.address, answer=True)
        say("Ctrl-C ends it")
        try:
            with ended_as_by_hand(), ExitStack() as held:
                if opens:
                    is_open = self._open(held)
                    say("if no browser shows it, open the address above" if is_open else _NOT_OPEN)
                self.serve_forever()
        except KeyboardInterrupt:
            say("ended")

    def _open(self, held: ExitStack) -> bool:
        """Start the browser on an entrance that is held as long as the page is served; False if that cannot be."""
        try:
            private = TemporaryDirectory(prefix="tracepact-", ignore_cleanup_errors=True)
            file = self.entrance(Path(held.enter_context(private)))
        except OSError:
            return False
        return webbrowser.open(file.as_uri())

    def entrance(self, private: Path) -> Path:
        """A new file in a folder of this user alone that leads its reader to the page, once; then it is removed."""
        code = secrets.token_urlsafe(24)
        file = private / "open.html"
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as out:
            out.write(_ENTRANCE.format(address=f"{self.origin}/{code}"))
        with self._entering:
            self._entrances[code] = file
        return file

    def enters(self, code: str) -> bool:
        """Whether a code leads to the page; from then on it does not."""
        with self._entering:
            for held in self._entrances:
                if secrets.compare_digest(held.encode(), code.encode()):
                    self._entrances.pop(held).unlink(missing_ok=True)
                    return True
        return False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that closes its connection is no fault; others are said by the handler."""


class _Refused(Exception):  # noqa: N818  (it is what a request is)
    """A request that is not answered."""

    def __init__(self, status: HTTPStatus, words: str) -> None:
        super().__init__(words)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    protocol_version = "HTTP/1.1"
    server_version = "tracepact"
    sys_version = ""
    timeout = _IDLE_SECONDS
    wbufsize = -1  # head and body of an answer go out together, when the request is done

    def setup(self) -> None:
        """Answers are small: they are sent at once."""
        super().setup()
        self.connection.setsockopt(IPPROTO_TCP, TCP_NODELAY, True)

    def do_GET(self) -> None:
        """The page or one of its files, and nothing else."""
        try:
            self._check_origin()
            if self.server.enters(self.path.removeprefix("/")):
                self._send(HTTPStatus.SEE_OTHER, "text/plain", b"", Location=f"/{self.server.token}/")
                return
            kind, body = self._content(self._asked())
        except _Refused as error:
            self._refuse(error)
        else:
            self._send(HTTPStatus.OK, kind, body)

    def _content(self, path: str) -> tuple[str, bytes]:
        if not path:
            return "text/html; charset=utf-8", self.server.page
        file = self.server.files.get(path)  # names are ours; no part of a request becomes a path
        try:
            if file is not None:
                return file.kind, file.path.read_bytes()
        except OSError:
            pass
        raise _Refused(HTTPStatus.NOT_FOUND, "there is nothing here")

    def do_POST(self) -> None:
        """A question of the page."""
        try:
            self._answer()
        except _Refused as error:
            self._refuse(error)
        except msgspec.MsgspecError as error:
            self._refuse(_Refused(HTTPStatus.BAD_REQUEST, f"this is not a question: {error}"))
        except Exception as error:  # noqa: BLE001  (the page must learn of a fault of ours)
            self._refuse(_Refused(HTTPStatus.INTERNAL_SERVER_ERROR, f"{type(error).__name__}: {error}"))

    def _answer(self) -> None:
        answer = self.server.questions.get(self._asked())
        if answer is None:
            raise _Refused(HTTPStatus.NOT_FOUND, "there is no such question")
        if self.headers.get("Origin") != self.server.origin:
            raise _Refused(HTTPStatus.FORBIDDEN, "only the page itself may ask")
        if self.headers.get_content_type() != _JSON:
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"a question is {_JSON}")
        self._send(HTTPStatus.OK, _JSON, answer(self._body()))

    def _check_origin(self) -> None:
        """Refuse a request for another host, or of another page."""
        # Against DNS rebinding: a page whose name is made to resolve to 127.0.0.1 sends that name as its host.
        if self.headers.get_all("Host") != [self.server.origin.removeprefix("http://")]:
            raise _Refused(HTTPStatus.FORBIDDEN, "this is not the host of the page")
        if self.headers.get("Origin", self.server.origin) != self.server.origin:
            raise _Refused(HTTPStatus.FORBIDDEN, "this is not the origin of the page")

    def _asked(self) -> str:
        """The part of the path after the token; refused unless host, origin and token are ours."""
        self._check_origin()
        _, token, *rest = [*self.path.split("/", 2), ""]
        # In constant time, so that the time of a refusal tells nothing of the token.
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise _Refused(HTTPStatus.FORBIDDEN, "the address lacks its token")
        return "".join(rest)

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        # A body of unknown length could be read for ever.
        if "Transfer-Encoding" in self.headers or not (length.isascii() and length.isdecimal()):
            raise _Refused(HTTPStatus.LENGTH_REQUIRED, "a question says how long it is")
        if len(length) > len(str(LARGEST_BODY)) or int(length) > LARGEST_BODY:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a question has at most {LARGEST_BODY >> 20} MiB")
        return self.rfile.read(int(length))

    def _refuse(self, error: _Refused) -> None:
        """Say why; what else the request holds is not read, so the connection ends."""
        self.close_connection = True
        self._send(error.status, "text/plain; charset=utf-8", f"{error}\n".encode())

    def _send(self, status: HTTPStatus, kind: str, body: bytes, **more: str) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(body)), **more}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Requests are not logged: their address holds the token."""


def server_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The --port and --open options of a command that serves a page."""
    port = click.option(
        "--port", type=WholeNumber(0, 65535), default=0, help="The port to listen on; any free one if 0."
    )
    opens = click.option(
        "--open/--no-open", "opens", default=True, show_default=True, help="Open the page in the browser."
    )
    return with_options((port, opens), function)


def decoded(body: bytes, kind: type[_R]) -> _R:
    """The question in a body; msgspec.MsgspecError if it is none."""
    try:
        return msgspec.json.decode(body, type=kind)
    except UnicodeDecodeError as error:
        raise msgspec.DecodeError("a text in it is not UTF-8") from error


def encoded(answer: Record) -> bytes:
    """The body of an answer."""
    return msgspec.json.encode(answer)
