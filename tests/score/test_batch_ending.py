"""Runs in batches that are stopped: processes end with them, one at a time makes a run, what is kept is said."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from score.test_batches import CONTRACT, ROWS, SLEEPING, codes, contents, files, parquet
from tracepact import InvalidInput, score, score_batches
from tracepact.diagnostics import Severity
from tracepact.engines import Progress
from tracepact.tools.score.batches import scoring
from tracepact.tools.score.batches.making import CLAIM, claimed, making_folder
from tracepact.tools.stopping import ended_as_by_hand

__all__ = ["files"]  # a fixture of these tests too


@contextlib.contextmanager
def in_its_session(command: list[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process with all that it starts; whatever is left of them is killed."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True, **options) as running:
        try:
            yield running
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_processes_end_with_the_one_that_started_them(tmp_path: Path, number: signal.Signals) -> None:
    script = tmp_path / "run.py"
    script.write_text(SLEEPING)
    with in_its_session([sys.executable, str(script)], stderr=subprocess.DEVNULL) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"working\n"
        os.kill(running.pid, number)
        running.communicate(timeout=30)  # the pipe closes when the last process has ended


WAITING = """
import sys, time
from pathlib import Path
from tracepact.tools.score.batches.making import claimed
with claimed(Path(sys.argv[1])):
    print("claimed", flush=True)
    time.sleep(600)
"""


def test_one_process_at_a_time_makes_the_run_of_a_place(tmp_path: Path, files: dict[str, Any]) -> None:
    out = tmp_path / "run"
    with in_its_session([sys.executable, "-c", WAITING, str(out)]) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"claimed\n"
        with pytest.raises(InvalidInput) as refused:
            score_batches(CONTRACT, **files, out=out)
        (fault,) = refused.value.diagnostics
        assert fault.code == "run-in-use"
        assert f"process {other.pid} " in fault.headline
        os.kill(other.pid, signal.SIGKILL)
    score_batches(CONTRACT, **files, out=out)
    score_batches(CONTRACT, **files, out=tmp_path / "other")
    assert contents(out) == contents(tmp_path / "other")


def test_a_claim_is_given_up_with_the_run_and_leaves_nothing_behind(
    tmp_path: Path, files: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    with claimed(out):
        assert codes(lambda: claimed(out).__enter__()) == {"run-in-use"}
    assert not making_folder(out).exists()
    making_folder(out).mkdir()
    (making_folder(out) / "mine.txt").write_text("of the user")
    assert codes(lambda: score_batches(CONTRACT, **files, out=out)) == {"not-a-run"}
    assert [path.name for path in making_folder(out).iterdir()] == ["mine.txt"]


def test_a_run_that_is_refused_without_a_finished_batch_leaves_nothing(tmp_path: Path, files: dict[str, Any]) -> None:
    faulty = {**files, "pred": str(parquet(tmp_path / "odd.parquet", [*ROWS, ("clip03", -1.0, 0.5, "cat")]))}
    assert codes(lambda: score_batches(CONTRACT, **faulty, out=tmp_path / "run")) >= {"bad-time"}
    assert not making_folder(tmp_path / "run").exists()


def test_a_folder_with_a_shard_of_another_format_is_refused(tmp_path: Path, files: dict[str, Any]) -> None:
    parquet(tmp_path / "shards" / "a.parquet", ROWS)
    (tmp_path / "shards" / "_SUCCESS").write_text("")
    given = {**files, "pred": str(tmp_path / "shards")}
    assert score_batches(CONTRACT, **given).clips == 24
    (tmp_path / "shards" / "b.csv").write_text("filename,onset,offset,event_label\n")
    for work in (lambda: score_batches(CONTRACT, **given), lambda: score(CONTRACT, **given)):
        with pytest.raises(InvalidInput) as refused:
            work()
        (fault,) = refused.value.diagnostics
        assert (fault.code, "b.csv" in str(fault)) == ("mixed-formats", True)


def test_a_claim_that_is_a_link_is_not_followed(tmp_path: Path, files: dict[str, Any]) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    making_folder(tmp_path / "run").mkdir()
    (making_folder(tmp_path / "run") / CLAIM).symlink_to(victim)
    with pytest.raises(OSError, match="symbolic"):
        score_batches(CONTRACT, **files, out=tmp_path / "run")
    assert victim.read_text() == "precious"


def test_what_another_run_has_finished_is_removed_under_the_claim(
    tmp_path: Path, files: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    true = scoring.score_batch

    def interrupted(job: Any, task: Any) -> Any:
        if task.batch.number == 3:
            raise KeyboardInterrupt
        return true(job, task)

    monkeypatch.setattr(scoring, "score_batch", interrupted)
    out = tmp_path / "run"
    said: list[str] = []

    def told(plan: object) -> Progress:
        return Progress(lambda number: None, note=said.append)

    for tolerance in ("100ms", "150ms", "150ms"):
        with pytest.raises(KeyboardInterrupt):
            score_batches(CONTRACT, **files, batch_clips=5, out=out, set={"tol": tolerance}, progress=told)
        assert len(list(making_folder(out).glob("*.record"))) == 3
    assert [("3 batches" in text, "kept" in text, "removed" in text) for text in said] == [
        (True, False, True),
        (True, True, False),
    ]
    monkeypatch.setattr(scoring, "score_batch", true)
    score_batches(CONTRACT, **files, batch_clips=5, out=out)
    score_batches(CONTRACT, **files, out=tmp_path / "other")
    assert contents(out) == contents(tmp_path / "other")


@pytest.mark.slow
def test_a_request_to_end_says_that_the_same_command_goes_on(tmp_path: Path, files: dict[str, Any]) -> None:
    rows = [(f"clip{number:05d}", 0.5, 1.5, "cat") for number in range(4_000)]
    big = str(parquet(tmp_path / "big.parquet", rows))
    contract, out = tmp_path / "c.contract", tmp_path / "run"
    contract.write_text(CONTRACT)
    command = [sys.executable, "-m", "tracepact", "score", str(contract), "--ref", big, "--pred", big]
    command += ["--durations", "200", "--engine", "processes:2", "--memory", "64MB", "--out", str(out)]
    with in_its_session(command, stderr=subprocess.PIPE) as running:
        for _ in range(1200):
            if list(making_folder(out).glob("*.record")) or running.poll() is not None:
                break
            time.sleep(0.05)
        os.kill(running.pid, signal.SIGTERM)
        _, said = running.communicate(timeout=60)
    assert running.returncode == 4
    assert "finished and kept: the same command goes on from here" in said.decode()
    assert "Traceback" not in said.decode()


def test_requests_to_end_that_are_ignored_stay_ignored() -> None:
    before = signal.getsignal(signal.SIGHUP)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_as_by_hand():
            os.kill(os.getpid(), signal.SIGHUP)
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGTERM)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_rows_of_shards_are_named_by_their_file(tmp_path: Path, files: dict[str, Any]) -> None:
    cut = next(n for n, row in enumerate(ROWS) if row[0] == "clip12")
    odd = [*ROWS[cut:], ("clip13", -1.0, 0.5, "cat"), (None, 1.0, 1.5, "cat"), ("clip14", 0.5, 9.0, "cat")]
    parquet(tmp_path / "shards" / "part=0" / "a.parquet", ROWS[:cut])
    parquet(tmp_path / "shards" / "part=1" / "b.parquet", odd)
    given = {**files, "pred": str(tmp_path / "shards")}
    last = f"{tmp_path}/shards/part=1/b.parquet"
    faulty = len(ROWS) - cut + 2  # the header is the first line
    for size in (1, 5, 1000):
        with pytest.raises(InvalidInput) as refused:
            score_batches(CONTRACT, **given, batch_clips=size)
        places = {one.code: one.place for one in refused.value.diagnostics if one.severity is Severity.ERROR}
        assert {code: (place.file, place.row) for code, place in places.items()} == {
            "bad-time": (last, faulty),
            "incomplete-row": (last, faulty + 1),
        }
