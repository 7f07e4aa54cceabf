"""The server of the workbench: its page and questions are for who has the token, on this host, from this origin."""

import base64
import http.client
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urlsplit

import pytest
from cli.command import run

import tracepact
from tracepact.author.play_command import Workbench, play_page
from tracepact.author.workbench import SceneClip
from tracepact.declarations import starter_contracts
from tracepact.page_server import HOST, LARGEST_BODY, PageServer

GATE = starter_contracts()["boundary_gate"].read_text(encoding="utf-8")
SCENE = {"contract": GATE, "clip": {"name": "c", "duration": "3", "ref": [["1", "2", "dog"]], "pred": []}}


@pytest.fixture(scope="module")
def server() -> Iterator[PageServer]:
    page = play_page(GATE, (SceneClip("</script><img>", "1"),), {}, union=False)
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


def test_an_entrance_is_for_this_user_alone_and_leads_to_the_page_once(server: PageServer, tmp_path: Path) -> None:
    file = server.entrance(tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 or sys.platform == "win32"
    text = file.read_text()
    assert server.token not in text
    (path,) = set(re.findall(rf"{re.escape(server.origin)}(/[\w-]+)", text))
    assert ask(server, "GET", path, drop=("Origin",), Host="evil.example")[0] == 403
    assert ask(server, "GET", path, Origin="http://evil.example")[0] == 403
    assert ask(server, "GET", path + "/", drop=("Origin",))[0] == 403
    assert ask(server, "POST", path + "/verdicts", WHOLE)[0] == 403
    assert file.exists(), "what is refused does not use the code up"
    status, headers, body = ask(server, "GET", path, drop=("Origin",))
    assert (status, headers["Location"], body) == (303, f"/{server.token}/", "")
    assert not file.exists()
    again, headers, text = ask(server, "GET", path, drop=("Origin",))
    assert again == 403
    assert "Location" not in headers
    assert server.token not in text


def test_an_entrance_does_not_overwrite_what_is_in_its_place(server: PageServer, tmp_path: Path) -> None:
    (tmp_path / "target").write_text("kept")
    (tmp_path / "open.html").symlink_to(tmp_path / "target")
    with pytest.raises(FileExistsError):
        server.entrance(tmp_path)
    assert (tmp_path / "target").read_text() == "kept"


@pytest.mark.parametrize("used", [True, False])
def test_what_the_browser_is_given_gets_the_page_by_itself_for_nobody(used: bool) -> None:
    opened: list[str] = []

    def browse(address: str) -> bool:
        """What a browser does that is started with this, and then the end of the server."""
        opened.append(address)
        file = Path(urlsplit(address).path)
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700

        def follow() -> None:
            if used:
                (path,) = set(re.findall(rf"{re.escape(server.origin)}(/[\w-]+)", file.read_text()))
                opened.append(ask(server, "GET", path, drop=("Origin",))[1]["Location"])
            server.shutdown()

        threading.Thread(target=follow, daemon=True).start()
        return True

    with PageServer("", {}) as server, patch.object(webbrowser, "open", browse):
        server.serve_page(opens=True)
        code = next(iter(server._entrances), "")
    argument = opened[0]
    assert urlsplit(argument).scheme == "file"
    assert str(server.server_address[1]) not in argument
    assert server.token not in argument
    assert not code or code not in argument
    assert bool(code) is not used
    assert opened[1:] == ([f"/{server.token}/"] if used else [])
    assert not Path(urlsplit(argument).path).parent.exists()


def test_without_a_private_file_no_browser_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with PageServer("", {}) as server:
        threading.Thread(target=server.shutdown, daemon=True).start()
        server.serve_page(opens=True)
        assert server.address in capsys.readouterr().out
    assert opened == []


def copied(scene: object) -> str:
    """A scene as the page copies it."""
    return "#?scene=" + base64.urlsafe_b64encode(json.dumps(scene).encode()).decode().rstrip("=")


@pytest.mark.parametrize("before", ["", "http://127.0.0.1:4711/some-token/"])
def test_a_copied_scene_opens_in_a_page_of_its_own(before: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[str] = []
    monkeypatch.setattr(PageServer, "serve_page", lambda self, *, opens: pages.append(self.page.decode()))
    scene = {**SCENE, "set": {"tol": "20ms"}, "union": True, "classes": ["dog"]}
    assert run("play", "--no-open", before + copied(scene)).code == 0
    data = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', pages[0], re.DOTALL)
    assert data is not None
    shown = json.loads(data[1])
    assert (shown["contract"], shown["set"], shown["union"]) == (GATE, {"tol": "20ms"}, True)
    assert shown["copied"] == copied(scene).removeprefix("#?scene=")
    assert [(clip["name"], clip["ref"]) for clip in shown["clips"]] == [("c", [["1", "2", "dog"]])]


@pytest.mark.parametrize("text", ["#?scene=bm90aGluZw", "#?scene=A", copied({"clip": 1}), copied([])])
def test_what_is_no_copied_scene_is_refused(text: str) -> None:
    outcome = run("play", "--no-open", text)
    assert outcome.code == 2
    assert "is not a scene" in " ".join(outcome.err.split())
    assert "leave --set out" in " ".join(run("play", "--set", "tol=20ms", copied(SCENE)).err.split())


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
