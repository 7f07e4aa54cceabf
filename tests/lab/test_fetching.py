"""What `tracelab fetch` makes of odd addresses, and of servers that answer nonsense, lead astray or never end."""

import hashlib
import random
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, pairwise, repeat
from pathlib import Path
from threading import Thread

import pytest
from hostile.values import changed_bytes, name, number

from tracelab import cli, files
from tracelab.files import fetch
from tracepact import InvalidInput

DATA = b"what was asked for\n" * 40
RIGHT = {"sha256": hashlib.sha256(DATA).hexdigest(), "size": len(DATA)}
ENDLESS = 1 << 14
"""Pieces that stand for no end: far more than a reader may take."""


@contextmanager
def answering(pieces: Callable[[str], Iterator[bytes]]) -> Iterator[str]:
    """The address of a server that answers every request with these pieces, until the client hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/file"
        lines = []

        def serve() -> None:
            while True:
                try:
                    line, _ = server.accept()
                except OSError:
                    return
                lines.append(line)
                with line, suppress(OSError):
                    line.recv(1 << 16)
                    for piece in pieces(url):
                        line.sendall(piece)

        thread = Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield url
        finally:
            for line in (server, *lines):
                with suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)
    thread.join()


def redirect(to: str) -> Callable[[str], Iterator[bytes]]:
    """An answer that leads to an address, from wherever it is asked."""
    return lambda url: iter([f"HTTP/1.1 302 Found\r\nLocation: {to.replace('HERE', url)}\r\n\r\n".encode()])


def whole(head: bytes) -> Callable[[str], Iterator[bytes]]:
    return lambda url: iter([head])


def endless(head: bytes, piece: bytes) -> Callable[[str], Iterator[bytes]]:
    return lambda url: chain([head], repeat(piece, ENDLESS))


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
ANSWERS = {
    "no answer": (whole(b""), "cannot be reached"),
    "garbage": (whole(b"\x00\xff\x1b[2J garbage\r\n\r\n"), "no HTTP"),
    "a status that is no number": (whole(b"HTTP/1.1 abc OK\r\n\r\n"), "no HTTP"),
    "a status of two digits": (whole(b"HTTP/1.1 20 OK\r\n\r\n"), "no HTTP"),
    "a version of its own": (whole(b"HTTP/9.9 200 OK\r\n\r\n"), "no HTTP"),
    "a status line without end": (endless(b"HTTP/1.1 200 ", b"x" * 4096), "no HTTP"),
    "headers without end": (endless(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n"), "no HTTP"),
    "a header without end": (endless(b"HTTP/1.1 200 OK\r\nA: ", b"x" * 4096), "no HTTP"),
    "a length that is none": (whole(b"HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\nshort"), "5 of 760 bytes"),
    "a negative length": (whole(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nshort"), "5 of 760 bytes"),
    "a length of 5000 digits": (whole(b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n"), "0 of 760"),
    "a length too large": (whole(b"HTTP/1.1 200 OK\r\nContent-Length: 760\r\n\r\nshort"), "5 of 760 bytes"),
    "chunks that are none": (whole(CHUNKED + b"zz\r\nabc\r\n"), "no HTTP"),
    "a chunk of negative length": (whole(CHUNKED + b"-5\r\nabc\r\n"), "no HTTP"),
    "a chunk cut off": (whole(CHUNKED + b"ff\r\nabc"), "no HTTP"),
    "a body without end": (endless(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 4096), "bytes and not 760"),
    "chunks without end": (endless(CHUNKED, b"1000\r\n" + b"x" * 4096 + b"\r\n"), "bytes and not 760"),
    "a rest that does not fit": (whole(b"HTTP/1.1 206 Partial\r\nContent-Range: nonsense\r\n\r\nab"), "2 of 760 bytes"),
    "an error": (whole(b"HTTP/1.1 500 \x1b[2J\r\n\r\n"), "answered 500"),
    "an error without end": (endless(b"HTTP/1.1 404 No\r\n\r\n", b"x" * 4096), "answered 404"),
    "a redirect to itself": (redirect("HERE"), "leads on and on"),
    "a redirect that does not end": (endless(b"HTTP/1.1 302 F\r\nLocation: /\r\n\r\n", b"x" * 4096), "leads on and on"),
    "a redirect to nothing": (whole(b"HTTP/1.1 302 Found\r\n\r\n"), "answered 302"),
    "a redirect to FTP": (redirect("ftp://127.0.0.1/file"), "not a web address"),
    "a redirect to a file": (redirect("file:///etc/hostname"), "not a web address"),
    "a redirect to data": (redirect("data:text/plain,x"), "not a web address"),
    "a redirect to no host": (redirect("https:///file"), "names no host"),
    "a redirect to port 99999": (redirect("http://127.0.0.1:99999/"), "not a web address"),
    "a redirect to a broken IPv6": (redirect("http://[::1/"), "no address"),
    "a redirect with a password": (redirect("http://me:secret@127.0.0.1/"), "a name or a password"),
}


def refusal(url: str, place: Path) -> str:
    with pytest.raises(InvalidInput) as refused:
        fetch(url, place, **RIGHT)
    assert not place.exists()
    return str(refused.value)


@pytest.mark.parametrize("case", ANSWERS)
def test_an_answer_that_is_no_file_is_told(case: str, tmp_path: Path) -> None:
    pieces, said = ANSWERS[case]
    with answering(pieces) as url:
        assert said in refusal(url, tmp_path / "file")
    part = tmp_path / "file.part"
    assert not part.exists() or part.stat().st_size <= RIGHT["size"] + (1 << 16)


STATUSES = (b"200 OK", b"206 Partial Content", b"204 No Content", b"404 Not Found", b"416 Range", b"500 X", b"999 X")
REDIRECTS = (b"301 Moved", b"302 Found", b"303 See", b"307 T", b"308 P")
PLACES = (
    b"HERE",
    b"/etc/passwd",
    b"file:///etc/passwd",
    b"ftp://127.0.0.1:1/x",
    b"//",
    b"http://",
    b"?",
    b"",
    b"http://[::1",
)
BODIES = (DATA, DATA[:300], DATA + b"more", DATA[::-1], b"")


def any_answer(rng: random.Random, url: str) -> list[bytes]:
    """An answer of a web server with some of its parts wrong, missing, repeated or damaged, in pieces of any size."""
    body = DATA if rng.random() < 0.6 else rng.choice(BODIES)
    lengths = (str(len(body)),) * 3 + (str(len(DATA)), number(rng), name(rng))
    headers = [f"Content-Length: {rng.choice(lengths)}".encode("utf-8", "surrogatepass")]
    if rng.random() < 0.3:
        headers.append(b"Content-Range: bytes " + number(rng).encode() + b"-5/760")
    if rng.random() < 0.2:
        headers.append(b"Transfer-Encoding: " + rng.choice([b"chunked", b"gzip", b"chunked, chunked"]))
        size = rng.choice([f"{len(body):x}", f"-{len(body):x}", number(rng), "f" * 40])
        body = size.encode() + b"\r\n" + body + rng.choice([b"\r\n0\r\n\r\n", b"", b"\r\n0\r\nX: y\r\n"])
    headers += rng.choices(headers, k=rng.randrange(3))
    moved = rng.random() < 0.2
    if moved:
        headers.append(b"Location: " + rng.choice(PLACES).replace(b"HERE", url.encode()))
    status = rng.choice(REDIRECTS if moved else STATUSES[:1] * 6 + STATUSES)
    head = b"HTTP/1.%d " % rng.randrange(2) + status
    whole = b"\r\n".join([head, *headers, b"", body])
    if not moved and rng.random() < 0.5:  # a damaged address could be that of another machine
        whole = changed_bytes(rng, whole)
    cuts = sorted(rng.choices(range(len(whole) + 1), k=3))
    return [whole[a:b] for a, b in pairwise([0, *cuts, len(whole)])]


@pytest.mark.parametrize("seed", range(4))
def test_any_answer_is_the_file_or_is_told(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And some are the file, whatever stands around it."""
    monkeypatch.setattr(files, "_PATIENCE", 0.2)
    rng = random.Random(seed)
    come = 0
    with answering(lambda url: iter(any_answer(rng, url))) as url:
        for turn in range(60):
            place = tmp_path / str(turn)
            try:
                assert fetch(url, place, **RIGHT).read_bytes() == DATA
                come += 1
            except InvalidInput:
                assert not place.exists()
    assert 5 < come < 55


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (CHUNKED + b"1\r\nx\r\n0\r\n", b"Trailer: x\r\n"),
    ],
)
def test_what_never_becomes_an_answer_is_not_waited_for(
    head: bytes, piece: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_PATIENCE", 0.2)
    with answering(lambda url: chain([head], repeat(piece))) as url:
        refusal(url, tmp_path / "file")


def test_a_line_that_falls_silent_is_told_and_what_arrived_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_TIMEOUT", 0.2)
    left = []

    def pieces(url: str) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 760\r\n\r\n" + DATA[:100]
        waiting, other = socket.socketpair()
        left.extend([waiting, other])
        with suppress(OSError):
            waiting.recv(1)

    with answering(pieces) as url:
        said = refusal(url, tmp_path / "file")
        for line in left:
            line.shutdown(socket.SHUT_RDWR)
            line.close()
    assert "cannot be reached" in said
    assert (tmp_path / "file.part").read_bytes() == DATA[:100]


def test_a_file_is_found_where_an_answer_leads_to(tmp_path: Path) -> None:
    with (
        answering(
            whole(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2f8\r\n" + DATA + b"\r\n0\r\n\r\n")
        ) as there,
        answering(redirect(there.replace("/file", "/f\xefle"))) as url,
    ):
        assert fetch(url, tmp_path / "file", **RIGHT).read_bytes() == DATA


def test_a_part_that_is_longer_than_the_file_is_not_gone_on_from(tmp_path: Path) -> None:
    (tmp_path / "file.part").write_bytes(b"x" * 2000)
    with answering(whole(b"HTTP/1.1 200 OK\r\n\r\n" + DATA)) as url:
        assert fetch(url, tmp_path / "file", **RIGHT).read_bytes() == DATA


def test_what_is_encrypted_leads_to_nothing_that_is_not() -> None:
    with pytest.raises(InvalidInput, match="is not encrypted"):
        files._next_address("https://a.example/x", "https://a.example/x", "http://a.example/x")
    assert files._next_address("http://a.example/x", "http://a.example/x", "https://b.example/") == "https://b.example/"
    assert files._next_address("https://a.example/x", "https://a.example/x", "y") == "https://a.example/y"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "not a web address"),
        ("file:///etc/passwd", "not a web address"),
        ("http:", "names no host"),
        ("http://", "names no host"),
        ("http:///path", "names no host"),
        ("http://:80/", "names no host"),
        ("http://a..b/", "names no host"),
        ("http://-\\b/", "names no host"),
        (f"http://{'a' * 64}/", "names no host"),
        (f"http://{'a.' * 200}/", "names no host"),
        ("http://127.0.0.1:0/", "names no host"),
        ("http://127.0.0.1:65536/", "not a web address"),
        ("http://127.0.0.1:-1/", "not a web address"),
        ("http://127.0.0.1:x/", "not a web address"),
        (f"http://127.0.0.1:{'9' * 5000}/", "not a web address"),
        ("http://[::1", "not a web address"),
        ("http://[::g]/", "not a web address"),
        ("http://[]/", "not a web address"),
        ("http://[v1.x]/", "not a web address"),
        ("http://me:secret@127.0.0.1/", "a name or a password"),
        ("http://me@127.0.0.1/", "a name or a password"),
        ("http://127.0.0.1/a b", "signs that no address has"),
        ("http://127.0.0.1/\r\nHost: x", "signs that no address has"),
        ("ht\ntp://127.0.0.1/", "signs that no address has"),
        ("http://127.0.0.1/\x1b[2J", "signs that no address has"),
        ("http://127.0.0.1/\x00", "signs that no address has"),
        ("http://127.0.0.1/é", "signs that no address has"),
        ("http://127.0.0.1/\u202e", "signs that no address has"),
        ("http://127.0.0.1/\udcff", "signs that no address has"),
    ],
)
def test_an_odd_address_is_refused_before_anybody_is_asked(
    url: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(socket.socket, "connect", lambda *place: pytest.fail("somebody was asked"))
    words = ["tracelab", "fetch", url, "--sha256", "0" * 64, "--size", "1", "--out", str(tmp_path / "new" / "file")]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as left:
        cli.main()
    told = capsys.readouterr().err
    assert left.value.code == 2, told
    assert said in " ".join(told.split())
    assert "secret" not in told
    assert not any(sign in told for sign in "\x1b\x00\u202e")
    assert list(tmp_path.iterdir()) == []


def test_an_address_of_ipv6_is_asked(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be reached"):
        fetch("http://[::1]:9/", tmp_path / "file", **RIGHT)
