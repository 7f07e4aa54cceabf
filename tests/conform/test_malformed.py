"""Lines that are no case (P8): who dies of one, or answers it, is found; who replies an error and goes on is not."""

import sys
from pathlib import Path

import pytest

from conform.programs import MONITOR
from tracepact.tools.conform.malformed import malformed
from tracepact.tools.conform.peer import Peer
from tracepact.tools.conform.vectors import Profile

SOUND = 'said = reply(monitor, name, message) if message else {"id": None, "error": "a line is a JSON object"}'
LACKING = 'return {"id": message.get("id"), "error": f"the case lacks {lacking}"}'
FAULTS = {
    "dies": (SOUND, "said = reply(monitor, name, json.loads(line))", ["crashed", "crashed"]),
    "another id": (SOUND, SOUND.replace('"id": None', '"id": 1'), ["rubbish", "rubbish"]),
    "answers": (LACKING, 'return {"id": message.get("id"), "answer": {}}', ["rubbish"]),
}


def _kinds(program: str) -> list[str]:
    peer = Peer([sys.executable, program], 10)
    try:
        return [finding.kind for finding in malformed(peer, [Profile.CORE])]
    finally:
        peer.kill()


def test_the_small_monitor_replies_an_error_and_goes_on() -> None:
    assert _kinds(MONITOR) == []


@pytest.mark.parametrize("name", FAULTS)
def test_a_reply_that_is_no_error_and_an_end_are_findings(name: str, tmp_path: Path) -> None:
    found, put, kinds = FAULTS[name]
    source = Path(MONITOR).read_text(encoding="utf-8")
    assert source.count(found) == 1
    program = tmp_path / "monitor.py"
    program.write_text(source.replace(found, put), encoding="utf-8")
    assert _kinds(str(program)) == kinds


@pytest.mark.parametrize("profile", list(Profile))
def test_the_oracle_replies_an_error_whatever_profile_is_asked(profile: Profile) -> None:
    peer = Peer([sys.executable, "-m", "tracepact", "oracle"], 20)
    try:
        assert list(malformed(peer, [profile])) == []
    finally:
        peer.kill()
