"""What surrounds a command: streams that are closed or full, and users who read the arguments of every process."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest
from cli.command import events

import tracepact

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, and needs /dev/full and a shell")
SOURCES = str(Path(tracepact.__file__).parents[1])
ENVIRONMENT = {**os.environ, "PYTHONPATH": SOURCES}
SIDES = ("--ref", "ref.tsv", "--pred", "ref.tsv", "--durations", "3")
LINES = (
    ("--version",),
    (),
    ("nope",),
    ("score", "--nope"),
    ("show",),
    ("show", "boundary_gat"),
    ("check", "boundary_gate"),
    ("check", "-"),
    ("fmt", "-"),
    ("sat", "ref_active"),
    ("implies", "p", "q", "--format", "json"),
    ("score", "boundary_gate", *SIDES, "--format", "json"),
    ("watch", "boundary_gate"),
    ("oracle",),
    ("export", "-"),
)
CLOSED = {"in": [0], "out": [1], "messages": [2], "all": [0, 1, 2]}
# A process of its own that has imported the commands, and forks for each line; what is said goes to a file.
DRIVER = """
import json, os, sys
from tracepact.__main__ import main
from tracepact.cli import _group
lines, closed, full = json.loads(sys.argv[1])
ends = []
for line in lines:
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(write, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open("/dev/full" if full == 1 else os.devnull, os.O_WRONLY), 1)
        if full == 2:
            os.dup2(os.open("/dev/full", os.O_WRONLY), 2)
        os.closerange(3, 20)
        for number in closed:
            os.close(number)
            setattr(sys, ("stdin", "stdout", "stderr")[number], None)
        sys.argv = ["tracepact", *line]
        main()
        sys.exit()
    os.close(write)
    said = b"".join(iter(lambda: os.read(read, 65536), b"")).decode()
    os.close(read)
    ends.append([line, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said])
print(json.dumps(ends))
"""


def ends(folder: Path, closed: list[int], full: int | None = None) -> list[tuple[list[str], int, str]]:
    """Every line, its exit code and what it said, with these streams closed or that one full."""
    (folder / "ref.tsv").write_text(events("a 1 2 x"))
    question = json.dumps([LINES, closed, full])
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, question],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [tuple(end) for end in json.loads(done.stdout)]


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[list[str], int, str]]:
    """How every line ends where all streams are open."""
    return ends(tmp_path_factory.mktemp("usual"), [])


@pytest.mark.slow
@pytest.mark.parametrize("which", CLOSED)
def test_a_closed_stream_ends_no_command_in_a_traceback(
    which: str, usual: list[tuple[list[str], int, str]], tmp_path: Path
) -> None:
    for (line, before, _), (_, code, said) in zip(usual, ends(tmp_path, CLOSED[which]), strict=True):
        assert "Traceback" not in said, (line, said)
        assert "Exception ignored" not in said, (line, said)
        assert code in (before, 4), (line, code, said)
        assert code == before or which != "messages", "messages may be lost, and change nothing"
        assert code != 4 or 2 in CLOSED[which] or said == "error: standard input or standard output is closed\n", line
        answers = before in (0, 3) and line[:1] not in (["oracle"], ["fmt"])  # these have nothing to answer
        assert code == 4 or 1 not in CLOSED[which] or not answers, line


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_a_full_stream_ends_no_command_in_a_traceback(
    number: int, usual: list[tuple[list[str], int, str]], tmp_path: Path
) -> None:
    for (line, before, _), (_, code, said) in zip(usual, ends(tmp_path, [], number), strict=True):
        assert "Traceback" not in said, (line, said)
        assert "Exception ignored" not in said, (line, said)
        assert code in (before, 4), (line, code, said)


def test_no_file_takes_the_number_of_a_closed_stream(tmp_path: Path) -> None:
    """A file that is written with the number of standard error would hold the messages."""
    (tmp_path / "ref.tsv").write_text(events("a 1 2 x"))
    line = f"{sys.executable} -m tracepact convert ref.tsv --to audacity --out tracks <&- >&- 2>&-"
    done = subprocess.run(["sh", "-c", line], cwd=tmp_path, env=ENVIRONMENT, check=False)
    assert done.returncode in (0, 4)
    written = [path for path in (tmp_path / "tracks").rglob("*") if path.is_file()]
    assert [path.read_text() for path in written] == ["1\t2\tx\n"]


BROWSER = """#!/bin/sh
tr '\\0' '\\n' < /proc/$$/cmdline > {folder}/arguments
ls -ln "$(dirname "${{1#file://}}")" > {folder}/listing
cat "${{1#file://}}" > {folder}/content
"""


@pytest.mark.slow
@pytest.mark.parametrize("command", ["play", "judge"])
def test_nothing_in_the_arguments_of_a_process_opens_the_page(command: str, tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(BROWSER.format(folder=tmp_path))
    browser.chmod(0o755)
    (tmp_path / "home").mkdir()
    (tmp_path / "ref.tsv").write_text(events("a 1 2 x"))
    (tmp_path / "late.tsv").write_text(events("a 1.5 2 x"))
    more = ["--ref", "ref.tsv", "--system", "ref=ref.tsv", "--system", "late=late.tsv", "--durations", "3"]
    line = [command, *([] if command == "play" else [*more, "--out", "judged.csv"])]
    environment = {**ENVIRONMENT, "BROWSER": str(browser), "TMPDIR": str(tmp_path / "home")}
    started = subprocess.Popen(
        [sys.executable, "-m", "tracepact", *line],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert started.stdout
        address = started.stdout.readline().strip()
        token = address.split("/")[3]
        while not (tmp_path / "content").exists() or not (tmp_path / "content").read_text().endswith("</p>\n"):
            assert started.poll() is None, started.communicate()
            time.sleep(0.02)
        arguments = (tmp_path / "arguments").read_text()
        ours = Path(f"/proc/{started.pid}/cmdline").read_bytes().decode()
        content = (tmp_path / "content").read_text()
        (code,) = {part.split("/")[3] for part in content.split('"') if part.startswith(address.split(token)[0])} or {
            content.split(address.split(token)[0])[1].split('"')[0]
        }
        assert "file://" in arguments
        for secret in (token, code, address.split("/")[2]):
            assert secret not in arguments + ours
        assert token not in content
        assert (tmp_path / "listing").read_text().splitlines()[1].startswith("-rw-------")
        with urlopen(f"{address.split(token)[0]}{code}") as page:
            assert page.url == address
        assert list((tmp_path / "home").rglob("*.html")) == []
        started.send_signal(signal.SIGTERM)
        assert started.wait(20) == 0
        assert list((tmp_path / "home").iterdir()) == []
    finally:
        if started.poll() is None:
            started.kill()
        started.communicate()
