"""What an implementation under test can do to the tester: nothing that outlives it, fills memory or never ends."""

import json
import sys
import time
from pathlib import Path

import pytest

from tracepact.conform.peer import Peer, PeerFault

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")
HELLO = json.dumps({"hello": "x", "version": 1, "profiles": ["core"]})
GREETER = f"""
import os, signal, subprocess, sys, time
sys.stdin.readline()
print({HELLO!r}, flush=True)
"""
CASE = {"ask": "verdicts"}


def peer(*lines: str) -> Peer:
    """An implementation that greets and then runs these lines."""
    return Peer([sys.executable, "-c", GREETER + "\n".join(lines)], timeout=10)


def alive(process: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("own_session", [False, True])
def test_no_child_of_an_implementation_outlives_it(own_session: bool, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    sleeper = f"subprocess.Popen(['sleep', '600'], start_new_session={own_session}, stdout=subprocess.DEVNULL)"
    found = peer(f"child = {sleeper}", f"open({str(note)!r}, 'w').write(str(child.pid))", "sys.stdin.read()")
    found.start()
    until = time.monotonic() + 10
    while not (note.exists() and note.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    child = int(note.read_text())
    assert alive(child)
    found.close()
    until = time.monotonic() + 10
    while alive(child) and time.monotonic() < until:
        time.sleep(0.02)
    assert not alive(child)


def test_an_implementation_that_names_itself_after_its_memory_is_not_believed() -> None:
    named = "open('/proc/self/comm', 'w').write('VmData: 9999999')"  # kB, beyond what it may have
    found = Peer([sys.executable, "-c", GREETER + f"{named}\nsys.stdin.readline()\ntime.sleep(60)"], timeout=1)
    found.start()
    with pytest.raises(PeerFault) as fault:
        found.ask(CASE)
    assert fault.value.kind == "hangs"
    assert "MiB" not in fault.value.words


def test_an_end_by_a_signal_without_a_name_is_told() -> None:
    found = peer("os.kill(os.getpid(), 40)")
    found.start()
    with pytest.raises(PeerFault, match="ended by signal 40") as fault:
        found.ask(CASE)
    assert fault.value.kind == "crashed"


def test_an_implementation_that_prints_without_end_is_ended_and_its_lines_are_not_kept() -> None:
    found = peer("line = 'x' * 100_000", "while True: print(line, flush=True)")
    found.start()
    with pytest.raises(PeerFault) as fault:
        found.ask(CASE)
    assert fault.value.kind == "rubbish"
    assert not found.runs


def test_a_line_without_an_end_is_not_read_to_its_end() -> None:
    found = peer("while True: sys.stdout.write('1' * 65536)")
    found.start()
    with pytest.raises(PeerFault) as fault:
        found.ask(CASE)
    assert fault.value.kind == "rubbish"


def test_an_implementation_that_takes_more_memory_than_it_may_is_refused_it() -> None:
    found = peer(
        "sys.stdin.readline()",
        "try: held = bytearray(5 << 30)",
        "except MemoryError: sys.exit('refused')",
        "sys.exit('given')",
    )
    found.start()
    with pytest.raises(PeerFault, match="refused"):
        found.ask(CASE)


def test_answers_that_no_number_can_be_are_faults_of_the_implementation() -> None:
    for line in ("[" * 100_000, "9" * 6000, '{"id": ' + "9" * 6000 + "}", "\\udcff"):
        found = peer("sys.stdin.readline()", f"print({line!r}, flush=True)")
        found.start()
        with pytest.raises(PeerFault):
            found.ask(CASE)
