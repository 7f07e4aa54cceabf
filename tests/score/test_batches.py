"""Scoring in batches: whatever the engine, the batches and the order of results, the report is that of the whole."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial, reduce
from operator import add
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import LABELS, corpora, sized, tasks_of

import tracepact
from tracepact import Aggregation, Bootstrap, InvalidInput, engines, parse_contract, score, score_batches, verify_run
from tracepact.data.sources import public_name
from tracepact.diagnostics.collection import summarise
from tracepact.diagnostics.findings import RowPlace
from tracepact.engines import Engine, EngineKind, EngineLost, EngineProgress, Work, engine_from, run_tasks
from tracepact.evaluate.scorecard import ScoreRows
from tracepact.evaluate.tolerance import curves
from tracepact.evaluate.uncertainty import intervals
from tracepact.files import json_text, remove_dead_parts
from tracepact.measures.records import accuracy_records
from tracepact.measures.uncertainty import compare_systems, intervals_record
from tracepact.records import record_bytes, record_from_bytes
from tracepact.runs import batch_scoring, report_parts, tally, timelines
from tracepact.runs import score_command as batch_command
from tracepact.runs.batch_run import batch_pages, open_batches
from tracepact.runs.batches import BatchSum
from tracepact.runs.commands import report_command
from tracepact.runs.directory import Making
from tracepact.runs.manifest import digest, sealed
from tracepact.runs.report_parts import SILENT, PageData
from tracepact.runs.report_views import ReportPages, run_pages
from tracepact.runs.score_command import command as score_command
from tracepact.runs.tally import RunTally, measured
from tracepact.runs.task import Scored, memory_from
from tracepact.wording import count

RunSum = BatchSum[RunTally]

CONTRACT = """
contract c
step 50ms
param tol = 100ms
aggregate macro_clips
sweep tol = 50ms 150ms
profile strict over macro_clips_informative : near = 2, matched_well = 1
clause near   on ref_onset : N[tol] pred_onset
clause quiet  on !ref_active : !pred_active
clause lonely on pred_active : !other_pred_active & N[tol] ref_active
clause matched_well on each matched : abs(pred.onset - ref.onset) <= 100ms
clause found  on each ref : matched and covering <= 1
"""
parse_contract(CONTRACT)  # a fault of it would make every refusal below look right


@given(corpus=corpora(), size=st.integers(1, 4), outside=st.sampled_from(["false-alarm", "cut", "drop"]))
def test_the_report_of_batches_is_that_of_the_whole(corpus: dict[str, Any], size: int, outside: str) -> None:
    given_data = tasks_of(corpus)
    if wrong := refused(partial(score, CONTRACT, **given_data, outside=outside)):
        assert wrong & codes(partial(score_batches, CONTRACT, **given_data, outside=outside, batch_clips=size))
        return
    whole = score(CONTRACT, **given_data, outside=outside)
    batched = score_batches(CONTRACT, **given_data, outside=outside, batch_clips=size)
    assert batched.to_dict() == whole.to_dict()
    assert batched.batches == -(-len(corpus) // size)
    assert batched.vector == whole.vector


@pytest.mark.parametrize("outside", ["false-alarm", "cut", "drop"])
def test_a_class_of_nothing_but_dropped_events_is_no_class(outside: str, tmp_path: Path) -> None:
    """In memory, in batches of data in memory and of files: `b` is predicted only after the end of its clip."""
    rows = {"ref": [("x", 0, 1, "a"), ("y", 0, 1, "a")], "pred": [("x", 3, 4, "b"), ("y", 0, 1, "a")]}
    for side, events in rows.items():
        (tmp_path / side).mkdir()
        for number, event in enumerate(events):
            columns = zip(("filename", "onset", "offset", "event_label"), event, strict=True)
            pq.write_table(pa.table({name: [value] for name, value in columns}), tmp_path / side / f"{number}.parquet")
    given_data = {"ref": tmp_path / "ref", "pred": tmp_path / "pred", "durations": 2}
    whole = score(CONTRACT, **given_data, outside=outside)
    assert whole.to_dict()["family"]["classes"] == (["a"] if outside == "drop" else ["a", "b"])
    batched = score_batches(CONTRACT, **given_data, outside=outside, batch_clips=1)
    assert batched.to_dict() == whole.to_dict()


def refused(work: Callable[[], object]) -> set[str]:
    """The codes of the faults for which some work is refused; none if it is done."""
    try:
        work()
    except InvalidInput as error:
        return {one.code for one in error.diagnostics}
    return set()


def batch_sums(corpus: dict[str, Any]) -> list[RunSum]:
    """What each batch of one clip gives, as an engine would receive it."""
    kept: list[RunSum] = []

    def keeping(engine: Engine, work: Work[RunSum], progress: object = None) -> RunSum:
        kept.extend(work.do(task) for task in work.tasks)
        return reduce(add, kept)

    before, batch_scoring.run_tasks = batch_scoring.run_tasks, keeping  # type: ignore[assignment]
    try:
        score_batches(CONTRACT, **tasks_of(corpus), batch_clips=1)
    except InvalidInput:
        pass
    finally:
        batch_scoring.run_tasks = before
    return kept


@given(corpus=corpora(), data=st.data())
def test_tallies_added_in_any_order_and_by_any_tree_are_the_same_bytes(
    corpus: dict[str, Any], data: st.DataObject
) -> None:
    sums = batch_sums(corpus)
    expected = record_bytes(reduce(add, sums)) if sums else b""
    pool = list(data.draw(st.permutations(sums)))
    while len(pool) > 1:
        first = pool.pop(data.draw(st.integers(0, len(pool) - 1)))
        second = pool.pop(data.draw(st.integers(0, len(pool) - 1)))
        pool.append(first + second)
    assert (record_bytes(pool[0]) if pool else b"") == expected
    for one in sums:
        assert record_bytes(record_from_bytes(record_bytes(one), RunSum)) == record_bytes(one)


ROWS = [
    (f"clip{clip:02d}", start / 10, start / 10 + 0.3, LABELS[(clip + start) % 2])
    for clip in range(24)
    for start in range(clip % 4, 18, 5)
]


def parquet(path: Path, rows: list[tuple[Any, ...]], groups: int = 7) -> Path:
    names = ("filename", "onset", "offset", "event_label")
    table = pa.table({name: [row[n] for row in rows] for n, name in enumerate(names)})
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, row_group_size=groups)
    return path


def late(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(clip, onset + 0.1, offset + 0.2, label) for clip, onset, offset, label in rows if onset != 0.3]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Any]:
    """Both sides as Parquet files of small row groups; the predictions are in another order."""
    return {
        "ref": str(parquet(tmp_path / "ref.parquet", ROWS)),
        "pred": str(parquet(tmp_path / "pred.parquet", late(ROWS)[::-1])),
        "durations": 3,
    }


@pytest.mark.parametrize("size", [1, 5, 16, 1000])
def test_a_parquet_file_read_in_pieces_gives_the_report_of_the_whole_file(files: dict[str, Any], size: int) -> None:
    assert score_batches(CONTRACT, **files, batch_clips=size).to_dict() == score(CONTRACT, **files).to_dict()


def test_a_folder_of_shards_and_an_address_give_what_one_file_gives(tmp_path: Path, files: dict[str, Any]) -> None:
    import fsspec

    cut = next(n for n, row in enumerate(ROWS) if row[0] == "clip12")
    parquet(tmp_path / "shards" / "part=0" / "a.parquet", ROWS[:cut])
    parquet(tmp_path / "shards" / "part=1" / "b.parquet", ROWS[cut:])
    with fsspec.open("memory://bucket/pred.parquet", "wb") as file:
        file.write(Path(files["pred"]).read_bytes())
    whole = score(CONTRACT, **files).to_dict()
    far = {"ref": str(tmp_path / "shards"), "pred": "memory://bucket/pred.parquet", "durations": 3}
    found = score_batches(CONTRACT, **far, batch_clips=5).to_dict()
    assert {key for key in whole if whole[key] != found[key]} <= {"inputs", "diagnostics"}
    assert found == score(CONTRACT, **far).to_dict()


def test_no_name_of_an_address_holds_a_user_or_a_key() -> None:
    assert public_name("s3://key:secret@bucket/a.parquet?token=secret#x") == "s3://bucket/a.parquet"
    assert public_name("folder/a?b") == "folder/a?b"


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["processes:2", "dask:2"])
def test_every_engine_gives_the_same_report(files: dict[str, Any], engine: str) -> None:
    batched = score_batches(CONTRACT, **files, engine=engine, batch_clips=5)
    assert batched.to_dict() == score(CONTRACT, **files).to_dict()


KILLED = """
import json, sys
from tracepact import score_batches
if __name__ == "__main__":
    data = json.loads(sys.argv[1])
    print(json.dumps(score_batches(sys.argv[2], **data, engine="processes:2", batch_clips=1).to_dict()))
"""


@pytest.mark.slow
def test_a_process_killed_at_any_moment_costs_time_and_nothing_else(tmp_path: Path, files: dict[str, Any]) -> None:
    script = tmp_path / "run.py"
    script.write_text(KILLED)
    command = [sys.executable, str(script), json.dumps(files), CONTRACT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        killer = threading.Thread(target=kill_a_child, args=(running.pid,))
        killer.start()
        answer, _ = running.communicate(timeout=180)
        killer.join()
    assert running.returncode == 0
    assert json.loads(answer) == json.loads(json.dumps(score(CONTRACT, **files).to_dict()))


def kill_a_child(parent: int) -> None:
    """Kill one process that works for another, by its id, as soon as there is one."""
    for _ in range(400):
        time.sleep(0.05)
        children = Path(f"/proc/{parent}/task/{parent}/children")
        workers = [
            int(pid)
            for pid in (children.read_text().split() if children.exists() else [])
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]
        if workers:
            time.sleep(0.7)
            os.kill(workers[0], signal.SIGKILL)
            return


SLEEPING = """
import os, signal, time
from tracepact.engines import Work, engine_from, run_tasks
def sleep(task):
    os.write(1, b"working\\n")  # in one piece
    time.sleep(600)
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever starts the tests may have it ignored
    run_tasks(engine_from("processes:2"), Work(sleep, range(4), None))
"""


@pytest.mark.slow
def test_ctrl_c_ends_the_processes_too_and_at_once(tmp_path: Path) -> None:
    """A pool that waits for its tasks would wait ten minutes here."""
    script = tmp_path / "run.py"
    script.write_text(SLEEPING)
    command = [sys.executable, str(script)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"working\n"
        os.kill(running.pid, signal.SIGINT)
        try:
            running.communicate(timeout=30)  # the pipe closes when the last process has ended
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
    assert running.returncode != 0


def failing(task: int) -> Fraction:
    if task == 3:
        raise OSError("the disk is full")
    return Fraction(task)


def dying(task: int) -> Fraction:
    if task == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return Fraction(task)


def waited(task: int) -> Fraction:
    time.sleep(0.2)
    return Fraction(task)


def given_up(task: int, why: str) -> Fraction:
    return Fraction(1000)


def test_a_task_that_fails_three_times_is_given_up_and_the_others_are_done() -> None:
    assert run_tasks(Engine(), Work(failing, range(6), given_up)) == 0 + 1 + 2 + 1000 + 4 + 5


@pytest.mark.slow
def test_a_task_that_kills_its_process_is_given_up_and_the_others_are_done() -> None:
    assert run_tasks(Engine(EngineKind.PROCESSES, 2), Work(dying, range(6), given_up)) == 1012


def test_a_batch_that_fails_is_named_and_the_rest_is_marked_incomplete(
    files: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    true = batch_scoring.score_batch

    def broken(job: Any, task: Any) -> RunSum:
        if task.batch.number == 1:
            raise OSError("the disk is full")
        return true(job, task)

    monkeypatch.setattr(batch_scoring, "score_batch", broken)
    run = score_batches(CONTRACT, **files, batch_clips=10)
    (gone,) = run.given_up
    assert (gone.first, gone.last, gone.clips) == ("clip10", "clip19", 10)
    assert not run.complete
    assert run.report.diagnostics.counts["failed-batch"] == 1
    assert run.report.family.clips == 14


@pytest.mark.parametrize("form", [[], ["--full"], ["--format", "json"]])
def test_an_incomplete_report_says_so_first(
    tmp_path: Path, files: dict[str, Any], monkeypatch: pytest.MonkeyPatch, form: list[str]
) -> None:
    """In JSON the batch is among the findings, for nothing but the record is printed."""
    true, plan = batch_scoring.score_batch, batch_scoring.make_plan

    def broken(job: Any, task: Any) -> RunSum:
        if task.batch.number in (1, 3):
            raise OSError("the disk is full")
        return true(job, task)

    contract = tmp_path / "c.contract"
    contract.write_text(CONTRACT)
    options = [str(contract), "--ref", files["ref"], "--pred", files["pred"], "--durations", "3", "--engine", "local"]
    monkeypatch.setattr(batch_scoring, "make_plan", lambda *given: plan(*given[:4], 5, *given[5:]))
    whole = CliRunner().invoke(score_command, [*options, *form])
    monkeypatch.setattr(batch_scoring, "score_batch", broken)
    found = CliRunner().invoke(score_command, [*options, *form])
    assert (whole.exit_code, "incomplete:" in whole.output) == (0, False)
    assert "incomplete: 2 batches with 10 clips failed three times" in found.stderr
    if "json" in form:
        report = json.loads(found.stdout)
        assert (report["family"]["clips"], report["diagnostics"]["counts"]["failed-batch"]) == (14, 2)
    else:
        assert found.stdout.startswith("incomplete: 10 of 24 clips are missing")


def codes(work: Callable[[], object]) -> set[str]:
    with pytest.raises(InvalidInput) as found:
        work()
    return {one.code for one in found.value.diagnostics}


def test_two_shards_with_one_clip_are_refused(tmp_path: Path, files: dict[str, Any]) -> None:
    parquet(tmp_path / "shards" / "a.parquet", ROWS)
    parquet(tmp_path / "shards" / "b.parquet", ROWS[:1])
    broken = {**files, "ref": str(tmp_path / "shards")}
    for scored in (score_batches, score):
        assert codes(partial(scored, CONTRACT, **broken)) == {"ambiguous-clip"}


def test_a_missing_and_a_truncated_file_are_refused_by_name(tmp_path: Path, files: dict[str, Any]) -> None:
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(Path(files["ref"]).read_bytes()[:-40])
    for broken in (str(cut), str(tmp_path / "absent.parquet"), "memory://absent/a.parquet"):
        with pytest.raises(InvalidInput) as found:
            score_batches(CONTRACT, **{**files, "ref": broken})
        assert [one.code for one in found.value.diagnostics] == ["unreadable-file"]
        assert Path(broken).name in str(found.value)


def test_a_file_that_is_damaged_inside_is_named_with_a_way_out(tmp_path: Path, files: dict[str, Any]) -> None:
    """Its end is sound, so that only reading its pages finds it."""
    broken = {**files, "pred": str(tmp_path / "damaged.parquet")}
    for first in (4, 60, 100, 300):
        data = bytearray(Path(files["pred"]).read_bytes())
        data[first : first + 40] = b"?" * 40
        Path(broken["pred"]).write_bytes(data)
        for work in (score, score_batches):
            with pytest.raises(InvalidInput) as found:
                work(CONTRACT, **broken)
            faults = [one for one in found.value.diagnostics if one.code == "unreadable-file"]
            assert [str(fault.place).count("damaged.parquet") for fault in faults] == [1], (first, found.value)
            assert "write it again" in str(faults[0].help)


SHARD_FAULTS: dict[str, Callable[[bytes], bytes]] = {
    "ambiguous-clip": lambda sound: sound,
    "unreadable-file": lambda sound: sound[:-40],
    "damaged inside": lambda sound: sound[:60] + b"?" * 40 + sound[100:],
}


@pytest.mark.parametrize("fault", SHARD_FAULTS)
def test_a_fault_of_a_shard_names_it_below_the_folder_as_given(
    tmp_path: Path, files: dict[str, Any], monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.chdir(tmp_path)
    parquet(tmp_path / "shards" / "part=0" / "a.parquet", ROWS[:9])
    (tmp_path / "shards" / "part=1").mkdir()
    (tmp_path / "shards" / "part=1" / "b.parquet").write_bytes(SHARD_FAULTS[fault](Path(files["pred"]).read_bytes()))
    for work in (score, score_batches):
        with pytest.raises(InvalidInput) as found:
            work(CONTRACT, **{**files, "pred": "shards"})
        expected = "unreadable-file" if fault == "damaged inside" else fault
        (one, *_) = (one for one in found.value.diagnostics if one.code == expected)
        concerned = [f"shards/part={number}/{name}.parquet" for number, name in enumerate("ab")]
        assert all(f"`{name}`" in one.headline for name in concerned[0 if fault == "ambiguous-clip" else 1 :])


def test_faults_of_rows_are_reported_with_their_rows_whatever_the_batch(tmp_path: Path, files: dict[str, Any]) -> None:
    rows = [*ROWS, ("clip03", -1.0, 0.5, "cat"), (None, 1.0, 1.5, "cat")]
    broken = {**files, "ref": str(parquet(tmp_path / "odd.parquet", rows))}
    with pytest.raises(InvalidInput) as found:
        score_batches(CONTRACT, **broken, batch_clips=4)
    places = {
        (one.code, one.place.row) for one in found.value.diagnostics if one.code in ("bad-time", "incomplete-row")
    }
    assert places == {("bad-time", len(ROWS) + 2), ("incomplete-row", len(ROWS) + 3)}


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_a_refusal_counts_every_finding_whatever_the_batches(tmp_path: Path, files: dict[str, Any], size: int) -> None:
    long = [(f"clip{clip:02d}", 0.5, 9.0 + k, "cat") for clip in range(24) for k in range(3)]
    faulty = {
        **files,
        "pred": str(
            parquet(tmp_path / "long.parquet", [*long, ("clip03", -1.0, 0.5, "cat"), ("clip00", 0.0, 0.2, "dog")])
        ),
    }
    with pytest.raises(InvalidInput) as whole:
        score(CONTRACT, **faulty)
    with pytest.raises(InvalidInput) as found:
        score_batches(CONTRACT, **faulty, batch_clips=size)
    beyond = [one.number for one in found.value.diagnostics if one.code == "offset-beyond-clip"]
    assert sum(beyond) == len(long)
    assert found.value.summary == whole.value.summary
    assert summarise(found.value.diagnostics) == found.value.summary
    assert f"and {len(long) - 5:,} more" in str(whole.value)


def test_missing_columns_are_answered_with_a_column_map(tmp_path: Path, files: dict[str, Any]) -> None:
    other = parquet(tmp_path / "shards" / "a.parquet", ROWS).with_name("other.parquet")
    pq.write_table(pa.table({"clip": ["a"], "start": [0.0], "end": [1.0], "species": ["cat"]}), other)
    for given_path in (other, other.parent):
        with pytest.raises(InvalidInput) as found:
            score_batches(CONTRACT, **{**files, "pred": str(given_path)})
        assert any("--columns" in (one.help or "") for one in found.value.diagnostics)
        assert {one.place for one in found.value.diagnostics} == {RowPlace(str(other))}


def test_an_unknown_clip_is_found_by_its_name_before_any_batch(tmp_path: Path, files: dict[str, Any]) -> None:
    broken = {**files, "pred": str(parquet(tmp_path / "more.parquet", [*ROWS, ("stranger", 0.0, 1.0, "cat")]))}
    assert codes(partial(score_batches, CONTRACT, **broken)) == {"unknown-clip"}


class _Cluster:
    """A cluster whose one worker runs with another version."""

    def run(self, asked: Callable[[], dict[str, str]]) -> dict[str, dict[str, str]]:
        return {"tcp://10.0.0.1:9": {**asked(), "numpy": "1.0"}}


def test_a_worker_with_another_version_is_refused() -> None:
    assert codes(lambda: engines.check_workers(_Cluster())) == {"other-versions"}


def test_a_worker_that_makes_another_contract_of_the_text_refuses_it() -> None:
    from dataclasses import replace

    from tracepact.runs.batches import SentContract

    sent = SentContract.of(parse_contract(CONTRACT))
    assert sent.contract.digest == sent.digest
    assert codes(lambda: replace(sent, digest="0" * 64).contract) == {"other-contract"}


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer_is_said(files: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_PATIENCE", 0.5)
    asked: list[str] = []

    def told(plan: object) -> EngineProgress:
        return EngineProgress(lambda number: None, note=asked.append)

    engine = "dask:tcp://127.0.0.1:9"
    assert codes(partial(score_batches, CONTRACT, **files, engine=engine, progress=told)) == {"no-scheduler"}
    assert ["tcp://127.0.0.1:9" in text for text in asked] == [True]


def test_a_scheduler_has_the_time_to_answer_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    given_time: list[float] = []
    said: list[str] = []

    def silent(address: str, *, timeout: float, **more: Any) -> None:
        given_time.append(timeout)
        raise OSError("no answer")

    monkeypatch.setattr(engines, "_distributed", lambda: (silent, None))
    work = partial(run_tasks, engine_from("dask:tcp://h:80"), Work(waited, range(2), given_up))
    assert codes(partial(work, EngineProgress(lambda number: None, note=said.append))) == {"no-scheduler"}
    assert [f"{seconds} s to answer" in text for seconds, text in zip(given_time, said, strict=True)] == [True]


@pytest.mark.parametrize(("workers", "what"), [(0, "workers"), (2, "scheduler"), (None, "scheduler")])
def test_lost_workers_are_told_from_a_lost_scheduler(workers: int | None, what: str) -> None:
    """A scheduler that has no workers says so; one that is gone, which is None here, says nothing."""

    def asked(question: Callable[[Any], int]) -> int:
        if workers is None:
            raise OSError("no answer")
        return question(SimpleNamespace(workers=dict.fromkeys(range(workers))))

    with pytest.raises(EngineLost, match=what), engines._lost_is_said(SimpleNamespace(run_on_scheduler=asked)):
        raise TimeoutError


@pytest.mark.slow
def test_a_cluster_that_loses_all_its_workers_says_so(files: dict[str, Any]) -> None:
    from distributed import LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        engine = engine_from(f"dask:{cluster.scheduler_address}")
        leaving = partial(cluster.scale, 0)
        told = EngineProgress(lambda number: leaving() if number == 1 else None)
        work = Work(waited, range(60), given_up)
        with pytest.raises(EngineLost, match="workers"):
            run_tasks(engine, work, told)


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("local", Engine()),
        ("processes:3", Engine(EngineKind.PROCESSES, 3)),
        ("dask", Engine(EngineKind.DASK)),
        ("dask:tcp://h:1", Engine(EngineKind.DASK, None, "tcp://h:1")),
    ],
)
def test_engines_have_names(text: str, engine: Engine) -> None:
    assert engine_from(text) == engine


BAD_PLACES = ["tcp://h", "tcp://h:abc", "http://h:80", "tcp://:80", "tcp://h:0", "tcp://h:65536"]


@pytest.mark.parametrize("text", ["spark", "local:2", "processes:0", "dask:host", "", "dask:"])
def test_what_is_no_engine_is_refused(text: str) -> None:
    assert codes(lambda: engine_from(text)) == {"unknown-choice"}


@pytest.mark.parametrize("place", BAD_PLACES)
def test_what_is_no_address_of_a_scheduler_is_called_so(place: str) -> None:
    with pytest.raises(InvalidInput) as found:
        engine_from(f"dask:{place}")
    assert [one.headline for one in found.value.diagnostics] == [f"`{place}` is not the address of a scheduler"]


def test_memory_is_an_amount_with_a_unit() -> None:
    assert memory_from("2GB") == 2 * 10**9
    assert memory_from("1.5 GiB") == 3 * 2**29
    for text in ("2", "2 apples", "-1GB", "1MB"):
        assert codes(partial(memory_from, text)) == {"bad-memory"}


def test_memory_without_a_unit_is_answered_with_what_to_write() -> None:
    with pytest.raises(InvalidInput) as found:
        memory_from("2")
    assert found.value.diagnostics[0].help == "write `2GB`"


@pytest.mark.parametrize("text", ["0", "0.01", "0GB", "63MB"])
def test_too_little_memory_is_answered_with_what_is_taken(text: str) -> None:
    with pytest.raises(InvalidInput) as found:
        memory_from(text)
    offered = re.findall("`([^`]+)`", found.value.diagnostics[0].help or "")
    assert offered
    assert all(memory_from(amount) for amount in offered)


def test_progress_tells_of_the_draws_that_follow_the_batches(
    tmp_path: Path, files: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    @contextlib.contextmanager
    def counted() -> Any:
        yield lambda done, total, what: said.append(f"{done}/{total} {what}")

    monkeypatch.setattr(batch_command, "counted", counted)
    with batch_command.told_batches() as start:
        out = tmp_path / "run"
        score_batches(CONTRACT, **files, batch_clips=12, out=out, page=lambda clips: SILENT, progress=start)
    begins = [text.split(",")[0] for text in said]
    assert begins[1:] == [
        "1/2 batch 1 of 2",
        "2/2 batch 2 of 2",
        "0/1 draws of clips 0 of 1",
        "1/1 draws of clips 1 of 1",
    ]
    assert ["clips/s" in text for text in said] == [False, True, True, False, False]


def test_progress_says_where_the_dashboard_is(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    @contextlib.contextmanager
    def counted() -> Any:
        yield lambda done, total, what: said.append(what)

    monkeypatch.setattr(batch_command, "counted", counted)
    with batch_command.told_batches() as start:
        progress = start(SimpleNamespace(batches=(1, 2), clips=("a", "b")))  # type: ignore[arg-type]
        progress.done(1)
        progress.dashboard("http://127.0.0.1:8787/status")
        progress.done(2)
    assert ["dashboard http://127.0.0.1:8787/status" in text for text in said] == [False, False, True, True]


@pytest.mark.parametrize(("last", "kept"), [(3, "3 batches are"), (1, "1 batch is"), (0, None)])
def test_ctrl_c_says_that_the_same_command_goes_on_where_it_does(
    tmp_path: Path, files: dict[str, Any], monkeypatch: pytest.MonkeyPatch, last: int, kept: str | None
) -> None:
    true, plan = batch_scoring.score_batch, batch_scoring.make_plan

    def interrupted(job: Any, task: Any) -> RunSum:
        if task.batch.number == last:
            raise KeyboardInterrupt
        return true(job, task)

    contract = tmp_path / "c.contract"
    contract.write_text(CONTRACT)
    options = [str(contract), "--ref", files["ref"], "--pred", files["pred"], "--durations", "3", "--engine", "local"]
    monkeypatch.setattr(batch_scoring, "make_plan", lambda *given: plan(*given[:4], 5, *given[5:]))
    monkeypatch.setattr(batch_scoring, "score_batch", interrupted)
    out = tmp_path / "run"
    stopped = CliRunner().invoke(score_command, [*options, "--out", str(out)])
    alone = CliRunner().invoke(score_command, options)
    words = "the same command goes on from here"
    assert (words in stopped.stderr, words in alone.stderr) == (kept is not None, False)
    assert ["nothing is kept; with --out" in one.stderr for one in (stopped, alone)] == [False, True]
    assert kept is None or f"{kept} finished and kept" in stopped.stderr
    monkeypatch.setattr(batch_scoring, "score_batch", true)
    ended = CliRunner().invoke(score_command, [*options, "--out", str(out)])
    assert ended.exit_code == 0
    noted = f"note: a run was interrupted at {out}: {count(last, 'batch', 'batches')}"
    assert (noted in ended.stderr) == (kept is not None)
    assert out.is_dir()


def test_score_with_an_engine_scores_in_batches(files: dict[str, Any]) -> None:
    found = score(CONTRACT, files["ref"], files["pred"], durations=3, engine="local")
    assert isinstance(found, tracepact.BatchRun)
    assert found.to_dict() == score(CONTRACT, **files).to_dict()
    assert codes(partial(score, CONTRACT, files["ref"], files["pred"], engine="local", clips="all")) == {
        "not-in-batches"
    }


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_a_run_directory_has_the_same_bytes_whatever_the_batches(tmp_path: Path, files: dict[str, Any]) -> None:
    for size in (1, 7, 1000):
        score_batches(CONTRACT, **files, batch_clips=size, out=tmp_path / str(size))
    found = [contents(tmp_path / str(size)) for size in (1, 7, 1000)]
    assert found[0] == found[1] == found[2]
    rows = pq.read_table(tmp_path / "7" / "violations-near.parquet").to_pylist()
    card = score(CONTRACT, **files).card
    places = zip(
        card.frame_violations("near").segment.tolist(), card.frame_violations("near").frame.tolist(), strict=True
    )
    expected = sorted((*card.family.place(segment), frame) for segment, frame in places)
    assert [(row["filename"], row["event_label"], int(Fraction(row["onset"]) * 20)) for row in rows] == expected
    assert {f"violations-{name}.parquet" for name in card.counts} < found[0].keys()
    assert {"manifest.json", "scores.parquet", "matches.parquet", "report.json"} < found[0].keys()


def test_an_interrupted_run_goes_on_and_ends_with_the_same_bytes(
    tmp_path: Path, files: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    score_batches(CONTRACT, **files, batch_clips=5, out=tmp_path / "whole")
    true, done = batch_scoring.score_batch, []

    def interrupted(job: Any, task: Any) -> RunSum:
        if task.batch.number == 3:
            raise KeyboardInterrupt
        return true(job, task)

    monkeypatch.setattr(batch_scoring, "score_batch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        score_batches(CONTRACT, **files, batch_clips=5, out=tmp_path / "run")
    making = tmp_path / "run.making"
    assert not (tmp_path / "run").exists()
    (making / "batch-000001.record").write_bytes((making / "batch-000001.record").read_bytes()[:-9])
    rows = making / "batch-000002.scores.parquet"
    rows.write_bytes(rows.read_bytes()[:-1] + b"?")

    def counted(self: Any, number: int, found: RunSum, card: Any) -> None:
        done.append(number)
        keep(self, number, found, card)

    keep = Making.keep
    monkeypatch.setattr(Making, "keep", counted)
    monkeypatch.setattr(batch_scoring, "score_batch", true)
    score_batches(CONTRACT, **files, batch_clips=5, out=tmp_path / "run")
    assert done == [1, 2, 3, 4]  # the first is kept; a damaged record and damaged rows are done again
    assert contents(tmp_path / "run") == contents(tmp_path / "whole")
    assert not making.exists()


def test_a_batch_that_fails_leaves_no_run_directory_and_the_same_call_ends_it(
    tmp_path: Path, files: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    true = Making.keep

    def full(self: Any, number: int, found: RunSum, card: Any) -> None:
        if number == 1:
            raise OSError(28, "No space left on device")
        true(self, number, found, card)

    monkeypatch.setattr(Making, "keep", full)
    first = score_batches(CONTRACT, **files, batch_clips=10, out=tmp_path / "run")
    assert not first.complete
    assert "No space left" in first.given_up[0].why
    assert not (tmp_path / "run").exists()
    monkeypatch.setattr(Making, "keep", true)
    assert score_batches(CONTRACT, **files, batch_clips=10, out=tmp_path / "run").complete
    assert not verify_run(tmp_path / "run").drifts


@pytest.mark.parametrize("forged", ["report.json", "scores.parquet", "manifest.json"])
def test_a_run_directory_in_which_a_byte_changed_drifts(tmp_path: Path, files: dict[str, Any], forged: str) -> None:
    score_batches(CONTRACT, **files, out=tmp_path / "run")
    place = tmp_path / "run" / forged
    place.write_bytes(place.read_bytes().replace(b"0", b"1", 1))
    assert verify_run(tmp_path / "run").drifts


@pytest.mark.slow
def test_a_client_killed_at_random_moments_ends_with_the_same_bytes(tmp_path: Path, files: dict[str, Any]) -> None:
    score_batches(CONTRACT, **files, batch_clips=1, out=tmp_path / "whole")
    script = "import sys, json; from tracepact import score_batches; data = json.loads(sys.argv[1]); "
    script += "score_batches(sys.argv[2], **data, batch_clips=1, out=sys.argv[3])"
    command = [sys.executable, "-c", script, json.dumps(files), CONTRACT, str(tmp_path / "run")]
    random = Random(7)
    for _ in range(4):
        with subprocess.Popen(command) as running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.wait(1.5 + 2 * random.random())
            running.kill()
    subprocess.run(command, check=True)
    assert contents(tmp_path / "run") == contents(tmp_path / "whole")


def test_what_a_dead_process_left_is_removed_and_said(tmp_path: Path, files: dict[str, Any]) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as dead:
        dead.wait()
    left, living = (tmp_path / f".tracepact-{'0' * 16}.{pid}.part" for pid in (dead.pid, os.getpid()))
    other = tmp_path / f".tracepact.{dead.pid}.part"
    for folder in (left, living, other):
        folder.mkdir()
    assert remove_dead_parts(tmp_path / "run") == [left]
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == sorted([living.name, other.name])


def test_a_scheduler_that_goes_away_is_said_and_what_is_finished_stays(
    tmp_path: Path, files: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(engine: Engine, given_work: Work[RunSum], progress: object = None) -> RunSum:
        given_work.do(given_work.tasks[0])
        raise EngineLost("the scheduler no longer answers")

    with monkeypatch.context() as patch:
        patch.setattr(batch_scoring, "run_tasks", lost)
        with pytest.raises(EngineLost):
            score_batches(CONTRACT, **files, batch_clips=10, out=tmp_path / "run")
    assert [path.name for path in (tmp_path / "run.making").glob("*.record")] == ["batch-000000.record"]
    score_batches(CONTRACT, **files, batch_clips=10, out=tmp_path / "run")
    assert not verify_run(tmp_path / "run").drifts


MOVING = CONTRACT.replace("<= 100ms", "<= 2 * tol - 1 * ref.duration + 0ms").replace(
    "aggregate", "matcher greedy(search = tol, overlap_reward = 0.5)\naggregate"
)
"""Here the swept parameter is that of the matcher too, and in an event clause."""
FEW = Bootstrap(30, 3)


def shown_beside(run: Scored, clips: timelines.WorstClipsTally) -> PageData:
    """What a page shows beside a run, with few draws, from all clips at once; tallies take no part in it."""
    rows = ScoreRows.of(run.card)
    many = len(rows.clips) > 1
    metrics = measured(run)
    return PageData(
        "tracepact-page/1",
        clips,
        accuracy_records(metrics),
        {a: intervals(rows, a, FEW) for a in Aggregation} if many else {},
        (curves(run.card, "tol"),),
        intervals_record([run.prediction.name], compare_systems([metrics], FEW), FEW) if many else None,
        drawn=True,
    )


@given(
    corpus=corpora(),
    size=st.integers(1, 4),
    most=st.integers(1, 5),
    text=st.sampled_from([CONTRACT, MOVING]),
    aggregation=st.sampled_from(Aggregation),
)
@settings(max_examples=sized(25))
def test_a_page_of_batches_shows_what_that_of_the_whole_does(
    corpus: dict[str, Any], size: int, most: int, text: str, aggregation: Aggregation
) -> None:
    """Its clips, its intervals, to the last bit, and its curves over the swept parameter."""
    data = tasks_of(corpus)
    contract = text.replace("aggregate macro_clips", f"aggregate {aggregation.value}")
    if refused(partial(score, contract, **data)):
        return
    whole = score(contract, **data)
    few = partial(timelines.clips_tally, most=most)
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(tally, "clips_tally", few),
        patch.object(report_parts, "USUAL", FEW),
    ):
        whole_pages = run_pages(whole)
        run = score_batches(contract, **data, batch_clips=size, out=Path(folder) / "run", page=lambda names: SILENT)
        pages = opened_pages(Path(folder) / "run")
    shown = timelines.page_clips(pages.contract, pages.report.family.classes, pages.data.clips)
    assert shown == timelines.clip_data(whole.card, whole.conditions, most=most)
    assert run.report == pages.report
    assert (
        pages.data
        == whole_pages.data
        == shown_beside(whole, timelines.clips_tally(whole.card, whole.conditions, most=most))
    )
    assert pages.form("html") == whole_pages.form("html")


def test_a_page_of_batches_is_written_with_the_run_and_made_again_from_it(
    tmp_path: Path, files: dict[str, Any]
) -> None:
    place = tmp_path / "run"
    options = ["--ref", files["ref"], "--pred", files["pred"], "--durations", "3", "--engine", "local"]
    contract = tmp_path / "c.contract"
    contract.write_text(CONTRACT)
    done = CliRunner().invoke(score_command, [str(contract), *options, "--out", str(place), "--page"])
    assert done.exit_code == 0, done.output
    assert not verify_run(place).drifts
    again = CliRunner().invoke(report_command, [str(place), "--out", str(tmp_path / "views")])
    assert again.exit_code == 0, again.output
    for name in ("report.html", "report.md", "report.txt"):
        assert (tmp_path / "views" / name).read_text() == (place / name).read_text()
    bare = CliRunner().invoke(score_command, [str(contract), *options, "--out", str(tmp_path / "bare")])
    assert bare.exit_code == 0, bare.output
    later = CliRunner().invoke(report_command, [str(tmp_path / "bare"), "--out", str(tmp_path / "later")])
    assert ["scored without --page" in one.stderr for one in (again, later)] == [False, True]


@pytest.mark.parametrize(
    "forge",
    [
        lambda data: data["clips"]["worst"][0]["segments"][0].__setitem__(0, 99),
        lambda data: data["clips"]["worst"][0]["segments"][0][6].append([77, 1, 1, "x"]),
        lambda data: data["clips"]["worst"][0]["segments"][0][6].append([]),
        lambda data: data["clips"].pop("total"),
        lambda data: data["clips"]["worst"][0].__setitem__("condition", "elsewhere"),
        lambda data: data["intervals"]["pooled"].pop("near"),
        lambda data: data["curves"][0]["clauses"].pop("near"),
        lambda data: data["curves"][0]["clauses"]["near"].__setitem__("starts", []),
        lambda data: data["curves"][0]["clauses"]["near"].__setitem__("high", "99"),
        lambda data: data["curves"][0]["marks"][0].__setitem__("value", "-7"),
    ],
)
def test_a_forged_page_is_refused(
    tmp_path: Path, files: dict[str, Any], forge: Callable[[Any], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_parts, "USUAL", FEW)
    score_batches(CONTRACT, **files, out=tmp_path / "run", page=lambda names: SILENT)
    place = tmp_path / "run" / "page.json"
    data = json.loads(place.read_text())
    forge(data)
    place.write_text(json.dumps(data))
    assert codes(partial(opened_pages, tmp_path / "run")) == {"broken-run"}
    reseal(tmp_path / "run", "page.json")  # then every digest holds, and only what it says is wrong
    assert codes(partial(opened_pages, tmp_path / "run")) == {"broken-run"}


def opened_pages(folder: Path) -> ReportPages:
    run = open_batches(folder)
    assert run is not None
    return batch_pages(run)


def reseal(folder: Path, name: str) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    for item in manifest["files"]:
        if item["name"] == name:
            item["sha256"] = digest((folder / name).read_bytes())
    (folder / "manifest.json").write_text(json_text(sealed(manifest)))


def test_a_run_directory_at_an_address_is_refused_and_no_key_is_shown(tmp_path: Path, files: dict[str, Any]) -> None:
    place = "memory://user:secret@bucket/run"
    assert codes(partial(score_batches, CONTRACT, **files, out=place)) == {"unsafe-place"}
    options = ["boundary_gate", "--ref", files["ref"], "--pred", files["pred"], "--durations", "3", "--out", place]
    with pytest.raises(InvalidInput) as found:
        CliRunner().invoke(score_command, options, catch_exceptions=False)
    assert "memory://bucket/run" in str(found.value)
    assert "secret" not in str(found.value)
