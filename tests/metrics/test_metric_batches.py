"""The standard metrics in batches: whatever the batches and the engine, they are those of all clips at once."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from strategies import corpora, tasks_of

from tracepact import Bootstrap, InvalidInput, parse_contract
from tracepact.data.event_rows import Outside
from tracepact.data.family import Mode
from tracepact.data.labels import label_map_from
from tracepact.data.memory import durations_from, events_from, regions_from
from tracepact.data.preparation import SideTables, prepare
from tracepact.diagnostics.collection import Diagnostics
from tracepact.engines import EngineProgress
from tracepact.measures.policy import Arithmetic, Evaluated, MetricSettings, Unknown
from tracepact.measures.records import metrics_record
from tracepact.measures.uncertainty import compare_systems, intervals_record
from tracepact.records import record_of
from tracepact.runs import metrics
from tracepact.runs.commands import metrics_command as command
from tracepact.runs.metrics import Measuring, MetricsOutput, measure_batches, metrics_output
from tracepact.runs.report import Preparation
from tracepact.runs.task import Task

CONTRACT = parse_contract("contract c step 50ms clause near on ref_onset : N[100ms] pred_onset")
FEW = Bootstrap(20, 1)
WAYS: dict[str, dict[str, Any]] = {
    "all": {"half_width": None, "overlap": None},
    "points": {"half_width": Fraction(1, 10), "overlap": None},
    "overlap": {"half_width": None, "overlap": Fraction(3, 10)},
    "few-shot": {"half_width": None, "overlap": Fraction(3, 10), "unknown": Unknown.FEW_SHOT},
}


def at_once(how: Measuring, data: dict[str, Any], outside: Outside) -> MetricsOutput:
    """What measuring all clips at once gives."""
    diagnostics = Diagnostics()
    tables = SideTables(
        events_from(data["ref"], diagnostics, name="ref"),
        events_from(data["pred"], diagnostics, name="pred"),
        durations_from(data["durations"], diagnostics),
        regions_from(data["ignore"], diagnostics),
        label_map_from(data["label_map"], diagnostics),
        outside,
    )
    ready = prepare(tables, diagnostics)
    found = how.measure(CONTRACT, ready, diagnostics)
    diagnostics.raise_errors()
    drawn = intervals_record(["pred"], compare_systems([found], FEW), FEW)
    return metrics_output(metrics_record(found), found, record_of(ready.record, Preparation), drawn)


@given(
    corpus=corpora(),
    size=st.integers(1, 4),
    way=st.sampled_from(list(WAYS)),
    arithmetic=st.sampled_from(Arithmetic),
    mode=st.sampled_from(Mode),
    evaluated=st.sampled_from(Evaluated),
    lengths=st.sampled_from(["all", "some", "none"]),
)
def test_metrics_of_batches_are_those_of_the_whole(
    corpus: dict[str, Any],
    size: int,
    way: str,
    arithmetic: Arithmetic,
    mode: Mode,
    evaluated: Evaluated,
    lengths: str,
) -> None:
    data = {name: value for name, value in tasks_of(corpus).items() if name != "conditions"}
    if lengths != "all":
        some = list(data["durations"].items())[:: 2 if lengths == "some" else 99]
        data["durations"] = dict(some) if lengths == "some" else None
    how = Measuring(arithmetic, MetricSettings(evaluated=evaluated), mode, **WAYS[way], allow_outside=True)
    try:
        expected = at_once(how, data, Outside.FALSE_ALARM)
    except InvalidInput:
        with pytest.raises(InvalidInput):
            measure_batches(Task(CONTRACT, **data), how, batch_clips=size)
        return
    found = measure_batches(Task(CONTRACT, **data), how, batch_clips=size, bootstrap=FEW)
    assert found.output.to_dict() == expected.to_dict()


ROWS = [
    (f"clip{clip:02d}", start / 10, start / 10 + 0.3, ("cat", "dog")[(clip + start) % 2])
    for clip in range(24)
    for start in range(clip % 4, 18, 5)
]


def parquet(path: Path, rows: list[tuple[Any, ...]]) -> str:
    names = ("filename", "onset", "offset", "event_label")
    pq.write_table(pa.table({name: [row[n] for row in rows] for n, name in enumerate(names)}), path, row_group_size=7)
    return str(path)


@pytest.fixture
def sides(tmp_path: Path) -> list[str]:
    moved = [(clip, onset + 0.1, offset + 0.2, label) for clip, onset, offset, label in ROWS if onset != 0.3]
    ref, pred = parquet(tmp_path / "ref.parquet", ROWS), parquet(tmp_path / "pred.parquet", moved[::-1])
    return ["--ref", ref, "--pred", pred]


@pytest.mark.parametrize("form", ["json", "csv", "text"])
def test_the_command_prints_the_same_in_batches(sides: list[str], form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sides = [*sides, "--intervals", "--draws", "50"]
    whole = CliRunner().invoke(command, [*sides, "--format", form])
    true = metrics.make_plan
    monkeypatch.setattr(metrics, "make_plan", lambda *given, **named: true(*given[:4], 5, *given[5:], **named))
    found = CliRunner().invoke(command, [*sides, "--format", form, "--memory", "100MB"])
    assert (whole.exit_code, found.exit_code) == (0, 0)
    assert found.stdout == whole.stdout


def test_progress_tells_of_the_draws_that_follow_the_batches(sides: list[str]) -> None:
    said: list[tuple[str, int]] = []

    def told(plan: object) -> EngineProgress:
        return EngineProgress(
            lambda number: said.append(("done", number)), stage=lambda what, of: said.append((what, of))
        )

    how = Measuring(Arithmetic.EXACT, MetricSettings(), Mode.CLASS_INDEXED, None, None, allow_outside=True)
    measure_batches(Task(CONTRACT, sides[1], sides[3]), how, batch_clips=12, bootstrap=FEW, on_plan=told)
    assert said == [("done", 1), ("done", 2), ("draws of clips", 1), ("done", 1)]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["processes:2", "dask:2"])
def test_every_engine_measures_the_same(sides: list[str], engine: str) -> None:
    whole, found = (
        CliRunner().invoke(command, [*sides, "--intervals", "--draws", "50", "--format", "json", *more])
        for more in ([], ["--engine", engine])
    )
    assert json.loads(found.stdout) == json.loads(whole.stdout)


@pytest.mark.parametrize("option", [["--clips", "all"], ["--compare", "x"]])
def test_what_needs_all_clips_at_once_is_refused_in_batches(sides: list[str], option: list[str]) -> None:
    found = CliRunner().invoke(command, [*sides, *option, "--engine", "local"])
    assert found.exit_code == 2
    assert f"{option[0]} needs all clips at once" in found.output


def test_of_metrics_with_a_failed_batch_nothing_is_shown(sides: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(job: Any, task: Any) -> Any:
        raise OSError("the disk is full")

    monkeypatch.setattr(metrics, "measure_batch", broken)
    found = CliRunner().invoke(command, [*sides, "--engine", "local"])
    assert found.exit_code != 0
    assert found.stdout == ""
