"""Runs in batches that are stopped: processes end with them, one at a time makes a run, what is kept is said."""

import contextlib
import errno
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import sized

from score.test_batches import CONTRACT, ROWS, SLEEPING, codes, contents, files, parquet
from tracepact import Decoding, InvalidInput, Reading, score, score_batches
from tracepact.command_line import ended_as_by_hand
from tracepact.diagnostics.findings import RowPlace, Severity
from tracepact.engines import EngineProgress
from tracepact.runs import batch_scoring, directory
from tracepact.runs.directory import CLAIM, claimed, making_folder

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
from tracepact.runs.directory import claimed
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


def test_a_claim_that_was_removed_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever ends its run removes the folder; the lock of a file that is gone would keep nobody away."""
    out, true = tmp_path / "run", directory._locked

    def late(opened: int) -> bool:
        monkeypatch.setattr(directory, "_locked", true)
        shutil.rmtree(making_folder(out))
        return true(opened)

    monkeypatch.setattr(directory, "_locked", late)
    with claimed(out):
        assert codes(lambda: claimed(out).__enter__()) == {"run-in-use"}
    assert not making_folder(out).exists()


def test_a_claim_names_its_process_and_nothing_of_the_one_before(tmp_path: Path) -> None:
    out = tmp_path / "run"
    making_folder(out).mkdir()
    (making_folder(out) / CLAIM).write_text("process 1 on " + "elsewhere" * 10)
    with claimed(out), pytest.raises(InvalidInput, match=f"by process {os.getpid()} on ") as refused:
        claimed(out).__enter__()
    assert "elsewhere" not in str(refused.value)


def test_a_place_without_locks_is_no_place_in_use(
    tmp_path: Path, files: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(opened: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    assert score_batches(CONTRACT, **files, out=tmp_path / "run").complete
    assert not making_folder(tmp_path / "run").exists()


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
    true = batch_scoring.score_batch

    def interrupted(job: Any, task: Any) -> Any:
        if task.batch.number == 3:
            assert codes(lambda: claimed(out).__enter__()) == {"run-in-use"}
            raise KeyboardInterrupt
        return true(job, task)

    monkeypatch.setattr(batch_scoring, "score_batch", interrupted)
    out = tmp_path / "run"
    said: list[str] = []

    def told(plan: object) -> EngineProgress:
        return EngineProgress(lambda number: None, note=said.append)

    for tolerance in ("100ms", "150ms", "150ms"):
        with pytest.raises(KeyboardInterrupt):
            score_batches(CONTRACT, **files, batch_clips=5, out=out, set={"tol": tolerance}, progress=told)
        assert len(list(making_folder(out).glob("*.record"))) == 3
    assert [("3 batches" in text, "kept" in text, "removed" in text) for text in said] == [
        (True, False, True),
        (True, True, False),
    ]
    monkeypatch.setattr(batch_scoring, "score_batch", true)
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


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_requests_to_end_do_what_they_did_before_when_the_work_is_over(number: signal.Signals) -> None:
    def own(given: int, frame: object) -> None:
        """What whoever calls has set."""

    before = signal.signal(number, own)
    try:
        with pytest.raises(KeyboardInterrupt), ended_as_by_hand():
            os.kill(os.getpid(), number)
        assert signal.getsignal(number) is own
    finally:
        signal.signal(number, before)


def test_requests_to_end_that_are_ignored_stay_ignored() -> None:
    before = signal.getsignal(signal.SIGHUP)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_as_by_hand():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGTERM)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


ODD: dict[str, Callable[[str], tuple[Any, ...]]] = {
    "offset-beyond-clip": lambda clip: (clip, 2.0, 9.0, "cat"),
    "one-sided-label": lambda clip: (clip, 2.0, 2.5, "lynx"),
    "unknown-clip": lambda clip: ("stranger", 2.0, 2.5, "cat"),
    "bad-time": lambda clip: (clip, -1.0, 2.5, "cat"),
    "incomplete-row": lambda clip: (None, 2.0, 2.5, "cat"),
}


def places(work: Callable[[], Any], code: str) -> set[tuple[str, int]]:
    """The files and rows of all findings with a code, whether or not the work is refused."""
    try:
        items = work().to_dict()["diagnostics"]["items"]
        return {(one["place"]["file"], one["place"]["line"]) for one in items if one["code"] == code}
    except InvalidInput as error:
        found = [one.place for one in error.diagnostics if one.code == code]
        return {(place.file, place.row or 0) for place in found if isinstance(place, RowPlace)}


@given(
    code=st.sampled_from(sorted(ODD)),
    shard=st.integers(0, 2),
    place=st.integers(0, 4),
    size=st.integers(1, 13),
    decoded=st.booleans(),
)
@settings(max_examples=sized(20))
def test_whatever_is_odd_in_a_row_names_its_shard_and_its_row_there(
    tmp_path_factory: pytest.TempPathFactory, code: str, shard: int, place: int, size: int, decoded: bool
) -> None:
    """A threshold for confidences reads the shards into memory; else they are read in pieces."""
    folder = tmp_path_factory.mktemp("odd")
    rows = [[(f"clip{4 * number + clip:02d}", 0.5, 1.5, "cat") for clip in range(4)] for number in range(3)]
    ref = parquet(folder / "ref.parquet", [row for some in rows for row in some])
    rows[shard].insert(place, ODD[code](rows[shard][place % 4][0]))
    for number, some in enumerate(rows):
        names = ("filename", "onset", "offset", "event_label", "confidence")
        columns = zip(*((*row, 0.75) for row in some), strict=True)
        (folder / "shards" / f"part={number}").mkdir(parents=True)
        table = pa.table(dict(zip(names, columns, strict=True)))
        pq.write_table(table, folder / "shards" / f"part={number}" / "a.parquet", row_group_size=2)
    reading = Reading(decoding=Decoding(Fraction(1, 2))) if decoded else Reading()
    given_data: dict[str, Any] = {"ref": str(ref), "pred": str(folder / "shards"), "durations": 3}
    own = {(f"{folder}/shards/part={shard}/a.parquet", place + 2)}  # the header is the first line
    assert places(lambda: score(CONTRACT, **given_data, pred_reading=reading), code) == own
    assert places(lambda: score_batches(CONTRACT, **given_data, pred_reading=reading, batch_clips=size), code) == own


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
        errors = {one.code: one.place for one in refused.value.diagnostics if one.severity is Severity.ERROR}
        assert {code: (place.file, place.row) for code, place in errors.items()} == {
            "bad-time": (last, faulty),
            "incomplete-row": (last, faulty + 1),
        }
