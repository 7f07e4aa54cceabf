"""Candidates observed in parts by an engine: what is seen of each is what is seen of all at once."""

from typing import Any

import numpy as np
import pytest

from tracepact import select
from tracepact.engines import Engine, EngineKind, Work
from tracepact.language.formula import Dag
from tracepact.selection import values
from tracepact.selection.basis import observe_family
from tracepact.selection.calibration_reader import load_calibration
from tracepact.selection.values import observe_frames_by


def run_here(engine: Engine, work: Work[Any]) -> Any:
    """All parts in this process, the last first."""
    found = [work.do(task) for task in work.tasks][::-1]
    total = found[0]
    for one in found[1:]:
        total = total + one
    return total


@pytest.mark.parametrize(("workers", "dropped"), [(2, False), (50, True)])
def test_what_is_seen_of_a_candidate_does_not_depend_on_the_parts(
    monkeypatch: pytest.MonkeyPatch, workers: int, dropped: bool
) -> None:
    monkeypatch.setattr(values, "run_tasks", run_here)
    calibration = load_calibration("boundary_gate")
    engine = Engine(EngineKind.PROCESSES, workers)
    whole, parts = (
        observe_family(calibration, calibration.family, dropped=dropped, engine=own).observation
        for own in (None, engine)
    )
    assert np.array_equal(whole.screening, parts.screening)
    assert np.array_equal(whole.place < 0, parts.place < 0)
    kept = np.flatnonzero(whole.place >= 0).tolist()
    assert [one.key for one in whole.seen(kept)] == [one.key for one in parts.seen(kept)]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["processes:2", "dask:2"])
def test_every_engine_selects_the_same(engine: str) -> None:
    assert select("boundary_gate", engine=engine) == select("boundary_gate")


def test_a_part_that_fails_three_times_leaves_nothing_selected(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(engine: Engine, work: Work[Any]) -> Any:
        return run_here(engine, Work(work.do, work.tasks[1:], work.given_up)) + work.given_up(work.tasks[0], "a fault")

    monkeypatch.setattr(values, "run_tasks", lost)
    with pytest.raises(OSError, match="a part of the candidates failed three times; the last fault was a fault"):
        select("boundary_gate", engine="processes:2")


def test_few_formulas_are_observed_here() -> None:
    calibration = load_calibration("boundary_gate")
    observed = observe_family(calibration, calibration.family)
    found = observe_frames_by(Engine(EngineKind.PROCESSES, 2), Dag.of([])[0], (), (), observed.trials)
    assert len(found) == 0
