"""The server of the workbench: its page and questions are for who has the token, on this host, from this origin."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import tracepact
from tracepact.specs import starter_contracts
from tracepact.tools.page_server import HOST, LARGEST_BODY, PageServer
from tracepact.tools.play.page import play_page
from tracepact.tools.play.scene import Clip
from tracepact.tools.play.workbench import Workbench

GATE = starter_contracts()["boundary_gate"].read_text(encoding="utf-8")
SCENE = {"contract": GATE, "clip": {"name": "c", "duration": "3", "ref": [["1", "2", "dog"]], "pred": []}}


@pytest.fixture(scope="module")
def server() -> Iterator[PageServer]:
    page = play_page(GATE, (Clip("</script><img>", "1"),), {}, union=False)
    with PageServer(page, Workbench().questions) as found:
        thread = threading.Thread(target=found.serve_forever, daemon=True)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def ask(
    server: PageServer, method: str, path: str, body: bytes = b"", drop: tuple[str, ...] = (), **headers: str
) -> tuple[int, dict[str, str], str]:
    """What the server answers to a request that is sound but for what the arguments say."""
    sound = {
        "Host": server.origin.removeprefix("http://"),
        "Origin": server.origin,
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
    }
    connection = http.client.HTTPConnection(HOST, server.server_address[1], timeout=20)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, text in {**sound, **{k.replace("_", "-"): v for k, v in headers.items()}}.items():
        if name not in drop:
            connection.putheader(name, text)
    connection.endheaders(body)
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read().decode()
    connection.close()
    return found


def test_it_listens_on_the_loopback_alone(server: PageServer) -> None:
    assert server.socket.getsockname()[0] == "127.0.0.1"
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", server.address)


def test_two_servers_have_two_tokens(server: PageServer) -> None:
    with PageServer("", Workbench().questions) as other:
        assert other.token != server.token


def test_the_page_comes_with_headers_that_keep_it_to_itself(server: PageServer) -> None:
    status, headers, text = ask(server, "GET", f"/{server.token}/", drop=("Origin",))
    assert status == 200
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    assert "default-src &#39;none&#39;" in policy[1]
    assert "connect-src &#39;self&#39;" in policy[1]
    assert "unsafe" not in policy[1]
    assert "<img>" not in text
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", ""), "nothing comes from elsewhere"
    assert "https://" not in text


def test_a_question_is_answered(server: PageServer) -> None:
    status, headers, text = ask(server, "POST", f"/{server.token}/verdicts", json.dumps(SCENE).encode())
    assert (status, headers["Content-Type"]) == (200, "application/json")
    values = {one["clause"]: one["value"] for one in json.loads(text)["clauses"]}
    assert values["onset_guard"] == "0.000"
    for question in ("findings", "cast"):
        assert ask(server, "POST", f"/{server.token}/{question}", json.dumps(SCENE).encode())[0] == 200


WHOLE = json.dumps(SCENE).encode()


@pytest.mark.parametrize(
    ("status", "method", "path", "body", "drop", "headers"),
    [
        (403, "GET", "/", b"", (), {}),
        (403, "GET", "/not-the-token/", b"", (), {}),
        (403, "POST", "/not-the-token/verdicts", WHOLE, (), {}),
        (403, "POST", "/verdicts", WHOLE, (), {}),
        (403, "GET", "/TOKEN/", b"", (), {"Host": "evil.example"}),
        (403, "GET", "/TOKEN/", b"", (), {"Host": "127.0.0.1"}),
        (403, "GET", "/TOKEN/", b"", ("Host",), {}),
        (403, "POST", "/TOKEN/verdicts", WHOLE, (), {"Host": "evil.example"}),
        (403, "POST", "/TOKEN/verdicts", WHOLE, (), {"Origin": "http://evil.example"}),
        (403, "POST", "/TOKEN/verdicts", WHOLE, (), {"Origin": "null"}),
        (403, "POST", "/TOKEN/verdicts", WHOLE, ("Origin",), {}),
        (403, "GET", "/TOKEN/", b"", (), {"Origin": "http://evil.example"}),
        (404, "GET", "/TOKEN/verdicts", b"", (), {}),
        (404, "GET", "/TOKEN/../../etc/passwd", b"", (), {}),
        (404, "POST", "/TOKEN/", WHOLE, (), {}),
        (404, "POST", "/TOKEN/write", WHOLE, (), {}),
        (404, "POST", "/TOKEN/verdicts/", WHOLE, (), {}),
        (415, "POST", "/TOKEN/verdicts", WHOLE, (), {"Content-Type": "text/plain"}),
        (415, "POST", "/TOKEN/verdicts", WHOLE, ("Content-Type",), {}),
        (411, "POST", "/TOKEN/verdicts", WHOLE, ("Content-Length",), {}),
        (411, "POST", "/TOKEN/verdicts", WHOLE, (), {"Content-Length": "-1"}),
        (411, "POST", "/TOKEN/verdicts", b"", (), {"Transfer-Encoding": "chunked"}),
        (413, "POST", "/TOKEN/verdicts", b"", (), {"Content-Length": str(LARGEST_BODY + 1)}),
        (413, "POST", "/TOKEN/verdicts", b"", (), {"Content-Length": "9" * 4000}),
        (400, "POST", "/TOKEN/verdicts", b"", (), {}),
        (400, "POST", "/TOKEN/verdicts", b"{", (), {}),
        (400, "POST", "/TOKEN/verdicts", b"\xff", (), {}),
        (400, "POST", "/TOKEN/verdicts", b"[]", (), {}),
        (400, "POST", "/TOKEN/verdicts", b'{"contract": 1}', (), {}),
        (400, "POST", "/TOKEN/verdicts", json.dumps({**SCENE, "path": "/etc/passwd"}).encode(), (), {}),
        (400, "POST", "/TOKEN/verdicts", json.dumps({**SCENE, "contract": "x" * 200_001}).encode(), (), {}),
        (400, "POST", "/TOKEN/verdicts", b"[" * 100_000, (), {}),
        (501, "PUT", "/TOKEN/verdicts", WHOLE, (), {}),
    ],
)
def test_what_is_not_of_the_page_is_refused(
    server: PageServer, status: int, method: str, path: str, body: bytes, drop: tuple[str, ...], headers: dict[str, str]
) -> None:
    given = {name.replace("-", "_"): text for name, text in headers.items()}
    found, _, text = ask(server, method, path.replace("TOKEN", server.token), body, drop, **given)
    assert found == status
    assert server.token not in text
    assert ask(server, "GET", f"/{server.token}/")[0] == 200, "and it goes on serving"


def test_a_contract_named_like_a_file_is_not_read(server: PageServer, tmp_path: Path) -> None:
    path = tmp_path / "secret.contract"
    path.write_text(GATE)
    body = json.dumps({**SCENE, "contract": str(path)}).encode()
    status, _, text = ask(server, "POST", f"/{server.token}/verdicts", body)
    assert status == 200
    assert json.loads(text)["contract"] is None
    assert "Starter contract" not in text


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGINT") or sys.platform == "win32", reason="needs the signals of POSIX")
def test_the_command_says_its_address_and_ends_with_ctrl_c() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(tracepact.__file__).parents[1])}
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "  # a shell may have it ignored
    started = subprocess.Popen(
        [sys.executable, "-c", f"{code}from tracepact.cli import main; main()", "play", "--no-open"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        assert started.stdout
        address = urlsplit(started.stdout.readline().strip())
        with socket.create_connection((address.hostname, address.port), timeout=20) as client:
            client.sendall(f"GET {address.path} HTTP/1.0\r\nHost: {address.netloc}\r\n\r\n".encode())
            assert client.recv(15) == b"HTTP/1.1 200 OK"
        started.send_signal(signal.SIGINT)
        assert started.wait(20) == 0
    finally:
        if started.poll() is None:
            started.kill()
        started.communicate()
