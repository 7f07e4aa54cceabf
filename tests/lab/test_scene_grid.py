"""The corruption grid over the scenes: references, vectors, curves, breaks, and verification."""

import hashlib
import json
import shutil
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tracepact
from tracelab import commands
from tracelab.configuration import SCALES, StudyScale, configured
from tracelab.detections import CONTRACT
from tracelab.detectors.models import load_model
from tracelab.detectors.recipes import CLASS_DETECTOR, DETECTORS
from tracelab.features import UNION, events_of
from tracelab.protocol import Protocol
from tracelab.robustness import scene_grid
from tracelab.robustness.corruptions import SEVERITIES, GridCell, canonical
from tracelab.robustness.results import CLEAN, curve_mean, severity_curve
from tracelab.robustness.scene_grid import (
    BREAK,
    breaks,
    curve_of,
    first_break,
    grid_cells,
    hear_cell,
    moved,
    read_cell,
    run_grid,
    values_of,
    verify_grid,
)
from tracelab.scenes.voices import FormantVoice
from tracelab.study.rows import read_rows
from tracelab.study.tables import GUARDS

TINY = StudyScale("smoke", Protocol(train_clips=8, test_clips=3), 0.05, 1, draws=10)
STEP = Fraction(1, 50)
CHOSEN = (*(r for r in DETECTORS if r.name in ("adaptive_energy", "logistic_features")), CLASS_DETECTOR)


@pytest.fixture(scope="module")
def grid(tmp_path_factory) -> Path:
    """A grid of three detectors; the others differ in their training alone."""
    folder = tmp_path_factory.mktemp("grid") / "tiny"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scene_grid, "RECIPES", CHOSEN)
        patch.setitem(SCALES, "smoke", TINY)
        # As the command has it: the values are those of TINY, and the reasons in the protocol's file are in the digest.
        run_grid(folder, configured("smoke"), FormantVoice(), workers=1)
    return folder


def rows_of(grid: Path) -> list[dict[str, str]]:
    return read_rows(grid / "rows" / "vectors.csv")


@pytest.mark.slow
def test_every_detector_has_its_vector_in_every_cell(grid):
    rows = rows_of(grid)
    found = {(row["detector"], row["family"], row["severity"], row["clause"]) for row in rows}
    assert (*DETECTORS, CLASS_DETECTOR) == scene_grid.RECIPES
    detectors = [recipe.name for recipe in CHOSEN]
    wanted = {
        (detector, cell.family, str(cell.severity), clause)
        for detector in detectors
        for cell in grid_cells()
        for clause in (*GUARDS, "mean of the vector")
    }
    assert found == wanted
    assert len(rows) == len(wanted) == 3 * 41 * 8


@pytest.mark.slow
def test_a_vector_is_that_of_the_detector_heard_anew(grid):
    sounds = next((grid / "stages").glob("clean-scenes-*"))
    values = values_of(rows_of(grid))
    for folder in sorted((grid / "stages").glob("model-*"))[:2]:
        model = load_model(folder)
        name = next(
            system
            for system in read_cell(grid / "cells" / "clean-0", STEP).masks
            if np.array_equal(
                model.heard_as(hear_cell(TINY.protocol, sounds, CLEAN))[1],
                read_cell(grid / "cells" / "clean-0", STEP).masks[system],
            )
        )
        for cell in (GridCell("gaussian_snr", 5), GridCell("speed", 5)):
            heard = hear_cell(TINY.protocol, sounds, cell)
            masks = dict(zip(heard.names, model.heard_as(heard)[1], strict=True))
            run = tracepact.score(
                CONTRACT,
                ref=heard.reference(model.labels),
                pred=events_of(masks, model.labels, STEP),
                durations=dict.fromkeys(heard.names, heard.features.shape[1] * STEP),
            )
            for clause, score in run.card.vector(tracepact.Aggregation.POOLED).items():
                expected = score.value if score.obligated else None
                assert values[name, cell.family, cell.severity, clause] == expected


@pytest.mark.slow
def test_only_speed_moves_references_and_by_its_factor_exactly(grid):
    clean = read_cell(grid / "cells" / "clean-0", STEP).references
    for cell in grid_cells():
        found = read_cell(grid / "cells" / cell.name, STEP)
        if cell.family != "speed":
            assert found.references == clean
            assert found.duration == 12
            continue
        factor = canonical().family("speed").at(cell.severity)
        for name, events in clean.items():
            for (onset, offset, label), (a, b, other) in zip(events, found.references[name], strict=True):
                assert (a, other) == (onset / factor, label)
                assert b in (offset / factor, found.duration)


@given(
    st.lists(st.tuples(st.fractions(0, 10), st.fractions(0, 2), st.just(UNION)), max_size=5),
    st.fractions(1, 2),
    st.fractions(1, 12),
)
def test_moved_events_lie_inside_the_clip(drawn, factor, duration):
    events = [(onset, onset + length, label) for onset, length, label in drawn]
    for onset, offset, _ in moved(events, factor, duration):
        assert 0 <= onset < offset <= duration
    whole = moved(events, factor, Fraction(1000))
    assert [(a * factor, b * factor) for a, b, _ in whole] == [(a, b) for a, b, _ in events if a < b]


@given(st.lists(st.fractions(0, 1), min_size=6, max_size=6))
def test_a_guard_breaks_at_the_first_severity_a_tenth_below_clean(values):
    found = breaks(severity_curve(values[0], values[1:]))
    lost = [values[0] - value for value in values[1:]]
    assert found == next(((s, loss) for s, loss in zip(SEVERITIES, lost, strict=True) if loss >= BREAK), None)


def test_the_first_guard_to_break_by_hand():
    """Onset loses 0.1 exactly at 2; offset more, but at 3; duration the most at 2; the others nothing."""
    values = {("d", "clean", 0, guard): Fraction(9, 10) for guard in GUARDS}
    values |= {("d", "gain", severity, guard): Fraction(9, 10) for severity in SEVERITIES for guard in GUARDS}
    for severity in (2, 3, 4, 5):
        values["d", "gain", severity, "onset_guard"] = Fraction(8, 10)
        values["d", "gain", severity, "duration_guard"] = Fraction(1, 10)
    values["d", "gain", 3, "offset_guard"] = Fraction(0)
    found = first_break(values, "d", "gain")
    assert found == [("duration_guard", 2, Fraction(8, 10)), ("onset_guard", 2, Fraction(1, 10))]
    assert curve_mean(curve_of(values, "d", "gain", "onset_guard")) == Fraction(82, 100)


@pytest.mark.slow
def test_the_curves_are_the_values_as_pieces(grid):
    values = values_of(rows_of(grid))
    curves = read_rows(grid / "rows" / "curves.csv")
    assert len(curves) == 3 * 8 * 8 * 6
    for row in curves[::97]:
        cell = ("clean", 0) if row["low"] == "0" else (row["family"], int(row["low"]))
        value = values[row["detector"], *cell, row["clause"]]
        assert Fraction(row["value"]) == (1 if value is None else value)
        assert int(row["high"]) == int(row["low"]) + 1


@pytest.mark.slow
def test_verify_knows_the_folder_and_names_a_change(grid, tmp_path, monkeypatch, capsys):
    copy = Path(shutil.copytree(grid, tmp_path / "copy", ignore=shutil.ignore_patterns("stages")))
    monkeypatch.setattr(sys, "argv", ["tracelab", "verify", str(copy)])
    with pytest.raises(SystemExit) as left:
        commands.run()
    assert (int(left.value.code or 0), "41 cells" in capsys.readouterr().out) == (0, True)
    with np.load(copy / "cells" / "gain-5" / "masks.npz") as arrays:
        found = dict(arrays)
    found["logistic_features"][:] ^= 255
    np.savez_compressed(copy / "cells" / "gain-5" / "masks.npz", **found)
    assert verify_grid(copy).drifts == ("cells/gain-5/masks.npz",)
    record = json.loads((copy / "grid.json").read_text())
    record["files"]["cells/gain-5/masks.npz"] = hashlib.sha256(
        (copy / "cells" / "gain-5" / "masks.npz").read_bytes()
    ).hexdigest()
    (copy / "grid.json").write_text(json.dumps(record))
    assert "rows/vectors.csv" in verify_grid(copy).drifts


@pytest.mark.slow
def test_a_second_run_hears_nothing_again(grid, monkeypatch, capsys):
    stages = {path.name: path.stat().st_mtime_ns for path in (grid / "stages").iterdir()}
    before = (grid / "rows" / "vectors.csv").read_bytes()
    monkeypatch.setitem(SCALES, "smoke", TINY)
    monkeypatch.setattr(scene_grid, "RECIPES", CHOSEN)
    arguments = ["robustness", "scenes", "--scale", "smoke", "--workers", "1", "--out", str(grid)]
    monkeypatch.setattr(sys, "argv", ["tracelab", *arguments])
    with pytest.raises(SystemExit) as left:
        commands.run()
    assert int(left.value.code or 0) == 0
    assert {path.name: path.stat().st_mtime_ns for path in (grid / "stages").iterdir()} == stages
    assert (grid / "rows" / "vectors.csv").read_bytes() == before
