"""Curves in batches: whatever the batches, their order and the engine, they are those of all clips at once."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import sized

from thresholds.builders import DetectedScene, Scene, detected_scenes, scenes
from thresholds.test_every_threshold import CONTRACTS, contracts, union_contracts
from tracepact import Aggregation, Bootstrap, Contract, Curves, InvalidInput, curves, parse_contract, score_field
from tracepact.data.events import Event, EventTable
from tracepact.data.family import Mode
from tracepact.engines import EngineProgress
from tracepact.files import json_text
from tracepact.records import plain
from tracepact.runs.task import Task
from tracepact.thresholds.psds import SCENARIOS, Criteria, Psds
from tracepact.thresholds.quantities import METRICS, CurveSums, Quantities
from tracepact.tuning import batches
from tracepact.tuning.commands import curves_command as command

FREE = Psds(Criteria(Fraction(1, 2), Fraction(1, 2), Fraction(1, 4)), Fraction(1, 3))

WIDE = replace(SCENARIOS["psds2"], alpha_st=Fraction(0), e_max=Fraction(10**7))
"""In clips this short a single false positive is more an hour than DCASE takes: with its bound, hours tell nothing."""


FEW = Bootstrap(12, 2)


def told(found: Curves) -> set[tuple[str, str]]:
    return {(one.code, one.headline) for one in found.diagnostics}


def under(contract: Contract, aggregation: Aggregation) -> Contract:
    """The contract under another aggregation, as text: workers compile it."""
    text = re.sub(r"(?m)^aggregate .*$", "", contract.source.text)
    return parse_contract(text.replace("\nclause", f"\naggregate {aggregation.value}\nclause", 1))


def refused(work: Callable[[], object]) -> set[str]:
    """The codes of what some work is refused for; none if it is done."""
    try:
        work()
    except InvalidInput as error:
        return {one.code for one in error.diagnostics}
    return set()


def same(whole: Callable[[], Curves], batched: Callable[[], Curves]) -> None:
    """Every value of both, and what was said of the input; or both are refused for the same."""
    if wrong := refused(whole):
        assert wrong & refused(batched)
        return
    expected, found = whole(), batched()
    assert found.record(points=0, bootstrap=FEW) == expected.record(points=0, bootstrap=FEW)
    assert found.psds(WIDE) == expected.psds(WIDE)
    assert told(found) == told(expected)


@given(scenes(longest=30), contracts, st.sampled_from(Aggregation), st.integers(1, 2), st.sampled_from([1, 3]))
@settings(max_examples=sized(12))
def test_curves_of_scores_in_batches_are_those_of_the_whole(
    scene: Scene, contract: Contract, aggregation: Aggregation, size: int, median: int
) -> None:
    contract = under(contract, aggregation)
    data: dict[str, Any] = {"durations": scene.durations, "ignore": scene.ignore, "median": median}

    def found(**more: Any) -> Curves:
        return curves(contract, scene.reference, scene.field, **data, **more)

    same(found, lambda: found(batch_clips=size))


@given(scenes(longest=12), union_contracts)
@settings(max_examples=sized(8))
def test_so_they_are_in_union(scene: Scene, contract: Contract) -> None:
    def found(**more: Any) -> Curves:
        data: dict[str, Any] = {"durations": scene.durations, "ignore": scene.ignore, "mode": Mode.UNION}
        return curves(contract, scene.reference, scene.field, **data, **more)

    same(found, lambda: found(batch_clips=1))


@given(detected_scenes(), contracts, st.sampled_from(Mode), st.sampled_from(Aggregation), st.integers(1, 2))
@settings(max_examples=sized(12))
def test_curves_of_events_in_batches_are_those_of_the_whole(
    scene: DetectedScene, contract: Contract, mode: Mode, aggregation: Aggregation, size: int
) -> None:
    """Confidences are sixths, which no decimal is."""
    contract = under(CONTRACTS[0] if mode is Mode.UNION else contract, aggregation)

    def found(**more: Any) -> Curves:
        data: dict[str, Any] = {"durations": scene.durations, "ignore": scene.ignore, "mode": mode}
        return curves(contract, scene.reference, scene.detections.table, **data, **more)

    same(found, lambda: found(batch_clips=size))


@given(st.lists(detected_scenes(), min_size=2, max_size=3), st.randoms(use_true_random=False))
@settings(max_examples=sized(6))
def test_counts_added_in_any_order_and_by_any_tree_are_the_same(parts: list[DetectedScene], random: Any) -> None:
    contract = under(CONTRACTS[0], Aggregation.MACRO_CLIPS)
    classes = tuple(sorted({name for part in parts for name in part.family(contract).classes}))
    wide = replace(contract, labels=classes)
    criteria = [how.criteria for how in (*SCENARIOS.values(), FREE)]
    sums, number = [], 0
    for part in parts:
        quantities = Quantities(wide, part.family(wide))
        clips = quantities.given.shape[1]
        sums.append(quantities.sums(np.arange(number, number + clips), METRICS, criteria))
        number += clips
    first = record_of(wide, sums[0], sums[1:])
    for _ in range(2):
        pool = random.sample(sums, len(sums))
        while len(pool) > 1:
            pool.append(pool.pop(random.randrange(len(pool))) + pool.pop(random.randrange(len(pool))))
        assert record_of(wide, pool[0], []) == first


def record_of(contract: Contract, first: CurveSums, others: Sequence[CurveSums]) -> str:
    total = first
    for other in others:
        total += other
    found = Curves(Quantities(contract, total), 1, (), lambda done, of, what: None)
    return json_text([plain(found.record(points=0)), str(found.psds(FREE))])


LONG = """
contract long
step 20ms
clause alike on ref_active | !ref_active : (pred_active <-> ref_active) & F[-40f, 0f] (ref_active | !ref_active)
"""


def test_what_cancels_between_two_stretches_of_a_clip_is_no_piece_whatever_the_other_clips() -> None:
    """Above 0.5 frame 2, which is in the reference, fails and frame 27, which is not, holds: their sum stays.

    Beside a long clip the short one is cut into two stretches, for the window reaches 40 frames; alone it is one.
    """
    short, long = np.full((30, 1), 0.1), np.full((400, 1), 0.1)
    short[[2, 27]] = 0.5
    field = score_field({"a": short, "b": long}, classes=["k"], step="0.02")
    table = EventTable("ref", {"a": (Event(Fraction(1, 25), Fraction(3, 50), "k"),), "b": ()})
    for more in ({}, {"batch_clips": 1}):
        found = curves(LONG, table, field, **more)  # type: ignore[arg-type]
        points = found.record(["alike"], points=0).quantity("alike").points
        assert [(str(p.threshold), p.satisfied, p.obligated) for p in points] == [("0", 1, 430), ("1/10", 429, 430)]


ROWS = [
    (f"clip{clip:02d}", start / 10, start / 10 + 0.3, ("cat", "dog")[(clip + start) % 2], (clip * 7 + start) % 10 / 10)
    for clip in range(24)
    for start in range(clip % 4, 18, 5)
]


def parquet(path: Path, rows: list[tuple[Any, ...]], columns: int) -> str:
    names = ("filename", "onset", "offset", "event_label", "confidence")[:columns]
    pq.write_table(pa.table({name: [row[n] for row in rows] for n, name in enumerate(names)}), path, row_group_size=7)
    return str(path)


@pytest.fixture
def sides(tmp_path: Path) -> list[str]:
    moved = [(clip, onset + 0.1, offset + 0.2, *rest) for clip, onset, offset, *rest in ROWS if onset != 0.3]
    ref, pred = parquet(tmp_path / "ref.parquet", ROWS, 4), parquet(tmp_path / "pred.parquet", moved[::-1], 5)
    return ["boundary_gate", "--ref", ref, "--pred", pred, "--durations", "3"]


@pytest.fixture
def five_clips_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    true = batches.make_plan
    monkeypatch.setattr(batches, "make_plan", lambda *given, **named: true(*given[:4], 5, *given[5:], **named))


@pytest.mark.usefixtures("five_clips_a_batch")
@pytest.mark.parametrize(
    "engine", ["local", *(pytest.param(name, marks=pytest.mark.slow) for name in ("processes:2", "dask:2"))]
)
def test_the_command_prints_the_same_in_batches_on_every_engine(sides: list[str], engine: str) -> None:
    sides = [*sides, "--format", "json", "--draws", "40"]
    whole = CliRunner().invoke(command, sides)
    found = CliRunner().invoke(command, [*sides, "--engine", engine])
    assert (whole.exit_code, found.exit_code) == (0, 0), found.stderr
    assert found.stdout == whole.stdout


def test_progress_tells_of_the_batches_and_draws_that_follow_the_curves(sides: list[str]) -> None:
    said: list[tuple[str, int]] = []

    def told(plan: object) -> EngineProgress:
        return EngineProgress(
            lambda number: said.append(("done", number)), stage=lambda what, of: said.append((what, of))
        )

    task = Task(CONTRACTS[0], sides[2], sides[4], durations=3)
    found = batches.curves_in_batches(task, batch_clips=12, on_plan=told)
    assert said == [("done", 1), ("done", 2)]
    found.record(bootstrap=FEW)
    again = [("batch at these thresholds", 2), ("done", 1), ("done", 2)]
    assert said[2:] == [*again, ("draws of clips", 1), ("done", 1)]


def test_what_needs_all_clips_at_once_is_refused_in_batches(sides: list[str]) -> None:
    found = CliRunner().invoke(command, [*sides, "--clips", "all", "--engine", "local"])
    assert found.exit_code == 2
    ref, pred = sides[2], sides[4]
    batched = curves("boundary_gate", ref, pred, durations=3, memory="100MB")
    with pytest.raises(InvalidInput) as error:
        batched.psds(FREE)
    assert [one.code for one in error.value.diagnostics] == ["not-in-batches"]


def test_of_curves_with_a_failed_batch_nothing_is_shown(sides: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    true = batches.count_batch

    def failing(job: Any, task: Any) -> Any:
        if task.batch.number == 1:
            raise RuntimeError("a disk went away")
        return true(job, task)

    monkeypatch.setattr(batches, "count_batch", failing)
    with pytest.raises(OSError, match=r"batch 1 failed three times.*`clip10` to `clip19`.*a disk went away"):
        curves("boundary_gate", sides[2], sides[4], durations=3, batch_clips=10)
