"""Lines that are no case (P8): who dies of one, or answers it, is found; who replies an error and goes on is not."""

import sys
from pathlib import Path

import pytest

from conform.programs import MONITOR
from tracepact.conform.findings import Finding
from tracepact.conform.malformed import malformed
from tracepact.conform.oracle import ConformanceProfile
from tracepact.conform.peer import Peer

SOUND = 'said = reply(monitor, name, message) if message else {"id": None, "error": "a line is a JSON object"}'
FAULTS = {
    "dies": (SOUND, "said = reply(monitor, name, json.loads(line))", "crashed", "`, which is no case"),
    "another id": (SOUND, SOUND.replace('"id": None', '"id": 1'), "rubbish", "with the id null"),
    "answers": (
        'return {"id": message["id"], "error": str(why)}',
        'return {"id": 1, "answer": {}}',
        "rubbish",
        "no case",
    ),
    "windows": ('need(bounds < 2 or reach[0] <= reach[1], "a window")', "", "rubbish", '["F", 1, 0, "p"]'),
    "masks": ("need(frames is None or len(mask) == frames", "need(frames is None or True", "rubbish", '"masks"'),
    "state": ("monitor.names = names", "monitor.names = None if ask == 'frame' else names", "wrong-answer", "changed"),
}


def _findings(program: str) -> list[Finding]:
    peer = Peer([sys.executable, program], 10)
    try:
        return list(malformed(peer, [ConformanceProfile.CORE, ConformanceProfile.STREAMING]))
    finally:
        peer.kill()


def test_the_small_monitor_replies_an_error_and_goes_on() -> None:
    assert _findings(MONITOR) == []


@pytest.mark.parametrize("name", FAULTS)
def test_a_reply_that_is_no_error_and_an_end_are_findings(name: str, tmp_path: Path) -> None:
    sound, fault, kind, words = FAULTS[name]
    source = Path(MONITOR).read_text(encoding="utf-8")
    assert source.count(sound) == 1
    program = tmp_path / "monitor.py"
    program.write_text(source.replace(sound, fault or "pass"), encoding="utf-8")
    findings = _findings(str(program))
    assert any(finding.kind == kind and words in finding.words for finding in findings)


@pytest.mark.parametrize("profile", list(ConformanceProfile))
def test_the_oracle_replies_an_error_whatever_profile_is_asked(profile: ConformanceProfile) -> None:
    peer = Peer([sys.executable, "-m", "tracepact", "oracle"], 20)
    try:
        assert list(malformed(peer, [profile])) == []
    finally:
        peer.kill()
