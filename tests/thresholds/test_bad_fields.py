"""Scores that cannot be used are refused with the same code by all that take them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tracepact import InvalidInput, curves, parse_contract, score, tune
from tracepact.diagnostics.findings import Severity

CLASSES, STEP, FRAMES = ["dog", "cat"], "0.5", 4
GOOD = np.array([[0.1, 0.2], [0.9, 0.1], [0.8, 0.4], [0.3, 0.2]])
REF = {"a": [(0.5, 1.5, "dog")]}
CONTRACT = parse_contract("contract known\nlabels dog cat\nstep 500ms\nclause missing on ref_active : pred_active\n")
TAKEN: dict[str, Callable[..., Any]] = {
    "score": lambda ref, pred, **how: score(CONTRACT, ref, pred, decoding=0.5, **how),
    "curves": lambda ref, pred, **how: curves(CONTRACT, ref, pred, **how),
    "tune": lambda ref, pred, **how: tune(CONTRACT, ref, pred, "missing", folds=0, **how),
}


def changed(value: float) -> np.ndarray[Any, Any]:
    array = GOOD.copy()
    array[2, 1] = value
    return array


FAULTS: dict[str, tuple[Any, Any, dict[str, Any], list[str]]] = {
    "not a number": (REF, {"a": changed(np.nan)}, {}, ["bad-score"]),
    "infinite": (REF, {"a": changed(np.inf)}, {}, ["bad-score"]),
    "less than 0": (REF, {"a": changed(-0.5)}, {}, ["bad-score"]),
    "greater than 1": (REF, {"a": changed(1.5)}, {}, ["bad-score"]),
    "a ragged list": (REF, {"a": [*GOOD.tolist()[:3], [0.1, 0.2, 0.3, 0.4]]}, {}, ["bad-field"]),
    "an array of objects": (REF, {"a": np.array([[0.1, None]] * FRAMES)}, {}, ["bad-field"]),
    "too few classes": (REF, {"a": GOOD}, {"classes": ["dog"]}, ["bad-field"]),
    "a class twice": (REF, {"a": GOOD}, {"classes": ["dog", "dog"]}, ["bad-field"]),
    "an unknown class": (REF, {"a": GOOD}, {"classes": ["bird", "cat"]}, ["unknown-label"]),
    "an unknown class of the reference": ({"a": [(0.5, 1.5, "bird")]}, {"a": GOOD}, {}, ["unknown-label"]),
    "an unknown clip": (REF, {"a": GOOD, "b": GOOD}, {}, ["unknown-clip"]),
    "unequal lengths": ({"a": GOOD[:3] > 0.5}, {"a": GOOD}, {}, ["bad-field"]),
    "no frames": (REF, {"a": GOOD[:0]}, {}, ["bad-field"]),
    "a step of 0": (REF, {"a": GOOD}, {"step": 0}, ["bad-field"]),
}


def errors(call: Callable[..., Any], *sides: Any, **how: Any) -> list[str]:
    """The codes of the errors of a call that must be refused."""
    with pytest.raises(InvalidInput) as refused:
        call(*sides, **how)
    return [found.code for found in refused.value.diagnostics if found.severity is Severity.ERROR]


@pytest.mark.parametrize("name", TAKEN)
def test_good_scores_are_taken(name: str) -> None:
    TAKEN[name](REF, {"a": GOOD}, classes=CLASSES, step=STEP)


@pytest.mark.parametrize("name", TAKEN)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_arrays_has_the_same_code_everywhere(fault: str, name: str) -> None:
    ref, pred, how, codes = FAULTS[fault]
    assert errors(TAKEN[name], ref, pred, **{"classes": CLASSES, "step": STEP, **how}) == codes


@pytest.mark.parametrize("name", TAKEN)
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("nan", "bad-score"),
        ("inf", "bad-score"),
        ("1.5", "bad-score"),
        ("-0.5", "bad-score"),
        ("", "bad-score"),
    ],
)
def test_a_fault_of_a_file_has_the_same_code_everywhere(text: str, code: str, name: str, tmp_path: Path) -> None:
    rows = ["onset\toffset\tdog\tcat", "0\t0.5\t0.1\t0.2", f"0.5\t1\t0.9\t{text}", "1\t1.5\t0.8\t0.3"]
    (tmp_path / "a.tsv").write_text("\n".join(rows) + "\n")
    assert errors(TAKEN[name], REF, tmp_path) == [code]
