"""What Lean may read and what a page's server answers, one check at a time; its neighbour without the fault passes."""

import socket
import threading
from collections.abc import Iterator

import pytest

from tracepact.page_server import HOST, PageServer
from tracepact.prove.scan import LIBRARY, Around, LeanText, names_text, scan, token_digest
from tracepact.prove.theory import scan_stand_in

OPEN, CLOSE = "set_option autoImplicit false\nnamespace Tracepact\n", "end Tracepact\n"
PART = "theorem a : P := f where\n "
AROUND = Around(frozenset({"Nat", "True"}))
REFUSED = {
    "a turn of the reading direction in a comment": ("-- a b\n", "-- a\u202e b\n"),
    "a character without width in a comment": ("-- a b\n", "-- a\u200b b\n"),
    "two dots, which are one sign to Lean": ("def a : P := f .\n", "def a : P := f ..\n"),
    "two bars, which are one sign to Lean": ("def a : P := f |\n", "def a : P := f ||\n"),
    "a definition inside": ("def a : P := let f := b; f\n", "def a : P := let rec f := b; f\n"),
    "a name of Lean's own between quotes": ("theorem a («Nut» : P) : Q := x\n", "theorem a («Nat» : P) : Q := x\n"),
    "the root behind a dot": ("def a : P := b.root.c\n", "def a : P := b._root_.c\n"),
    "a name that is declared twice": ("def a : P := b\ndef c : P := b\n", "def a : P := b\ndef a : P := c\n"),
    "a comment that ends in two ways": ("/- /- x -/ -/\n", "/- /- x -/-/\n"),
    "a part that could begin another": (f"{PART} b : Q := x\n", f"{PART} b : Q := x; y\n"),
    "a name of Lean's own behind a dot": ("def a.nat : P := b\n", "def a.Nat : P := b\n"),
    "a part called like Lean's own": (f"{PART} b : Q := x\n", f"{PART} Nat : Q := x\n"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_a_text_for_lean_is_refused_for_one_fault(fault: str) -> None:
    sound, forged = REFUSED[fault]
    assert scan(f"{OPEN}{sound}{CLOSE}", LIBRARY, AROUND).faults == []
    refused = scan(f"{OPEN}{forged}{CLOSE}", LIBRARY, AROUND)
    assert refused.faults
    with pytest.raises(ValueError, match="line"):
        refused.lean  # noqa: B018  (what it gives would be read)


def test_words_that_mean_nothing_are_never_any_value_at_all() -> None:
    assert scan(f"{OPEN}{CLOSE}", LIBRARY, AROUND).faults == []
    assert scan(f"namespace Tracepact\n{CLOSE}", LIBRARY, AROUND).faults


def test_a_file_that_stands_in_is_the_one_that_is_listed() -> None:
    text = "def a : Nat := 1\n"
    assert scan_stand_in(text, token_digest(text)).faults == []
    for listed in (None, "", token_digest("def a : Nat := 2\n")):
        assert scan_stand_in(text, listed).faults


def test_only_the_scan_makes_a_text_that_lean_reads() -> None:
    assert names_text(["a", "b"]).text.count("\n") == 2
    with pytest.raises(ValueError, match="is not a word"):
        names_text(["a => a\nimport Lean"])
    with pytest.raises(TypeError):
        LeanText("import Lean", frozenset(), object())


# The server of a page


@pytest.fixture(scope="module")
def server() -> Iterator[PageServer]:
    with PageServer("the page", {"echo": bytes}) as started:
        thread = threading.Thread(target=started.serve_forever, daemon=True)
        thread.start()
        yield started
        started.shutdown()
        thread.join()


def told(server: PageServer, request: str) -> str:
    """All that the server says to a request until it ends the connection."""
    with socket.create_connection((HOST, server.server_address[1]), timeout=20) as line:
        line.sendall(request.encode())
        line.shutdown(socket.SHUT_WR)
        pieces = []
        while piece := line.recv(1 << 16):
            pieces.append(piece)
    return b"".join(pieces).decode()


def request_of(server: PageServer, method: str, path: str, *more: str, body: str = "") -> str:
    host = server.origin.removeprefix("http://")
    head = [f"{method} {path} HTTP/1.1", f"Host: {host}", f"Origin: {server.origin}", *more]
    return "\r\n".join([*head, "", body])


def test_a_request_names_one_host(server: PageServer) -> None:
    path = f"/{server.token}/"
    assert told(server, request_of(server, "GET", path)).startswith("HTTP/1.1 200 ")
    for other in ("Host: evil.example", f"Host: {server.origin.removeprefix('http://')}"):
        assert told(server, request_of(server, "GET", path, other)).startswith("HTTP/1.1 403 ")


@pytest.mark.parametrize("path", ["/not-the-token/echo", "/TOKEN/nothing", "/TOKEN/echo"])
def test_what_follows_a_refused_request_is_not_read(server: PageServer, path: str) -> None:
    """The body of a question that is refused could be a request of its own."""
    inner = request_of(server, "GET", f"/{server.token}/")
    kind = "Content-Type: text/plain" if path.endswith("TOKEN/echo") else "Content-Type: application/json"
    place = path.replace("TOKEN", server.token)
    said = told(server, request_of(server, "POST", place, kind, f"Content-Length: {len(inner)}", body=inner))
    assert said.count("HTTP/1.1 ") == 1
    assert "Connection: close" in said
    assert "the page" not in said


def test_a_question_is_answered_and_the_next_one_too(server: PageServer) -> None:
    length = ("Content-Type: application/json", "Content-Length: 2")
    one = request_of(server, "POST", f"/{server.token}/echo", *length, body="[]")
    assert told(server, one + one).count("HTTP/1.1 200 ") == 2


def test_who_says_nothing_is_not_waited_for_forever(server: PageServer) -> None:
    seconds = server.RequestHandlerClass.timeout  # type: ignore[attr-defined]
    assert seconds is not None
    assert 0 < seconds <= 60
