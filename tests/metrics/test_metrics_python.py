"""`tracepact.metrics` in Python: the values of the command, by name."""

import csv
import io
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cli.command import events, run

import tracepact

REF = events("a 1 2 dog", "a 3 4.5 cat", "b 0.5 1 dog")
PRED = events("a 1.06 2 dog", "a 3 4 cat", "b 0.5 0.7 dog", "b 3 4 cat")
OPTIONS: tuple[tuple[dict[str, Any], tuple[str, ...]], ...] = (
    ({}, ()),
    ({"policy": "sed_eval"}, ("--policy", "sed_eval")),
    ({"collar": "50ms", "offset": "none", "macro": "all"}, ("--collar", "50ms", "--offset", "none", "--macro", "all")),
    ({"segment": "250ms", "evaluated": "clip"}, ("--segment", "250ms", "--evaluated", "clip")),
    ({"mode": "union"}, ("--union",)),
    ({"iou": "0.3"}, ("--overlap", "--iou", "0.3")),
    ({"half_width": "100ms"}, ("--points", "--half-width", "100ms")),
)


@pytest.mark.parametrize(("options", "words"), OPTIONS)
def test_the_values_are_those_of_the_command(options: dict[str, Any], words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "ref.tsv").write_text(REF)
    (tmp_path / "pred.tsv").write_text(PRED)
    sides = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "10", *words)
    found = tracepact.metrics(tmp_path / "ref.tsv", tmp_path / "pred.tsv", durations=10, **options)
    told = run("metrics", *sides, "--format", "csv", folder=tmp_path)
    assert told.code == 0, told.err
    for row in csv.DictReader(io.StringIO(told.out)):
        of, _, label = row["of"].partition(" ")
        name = row["metric"].replace(" ", "_") + ("_macro" if of == "macro" else "")
        home = found.classes[label] if of == "class" else found.values
        for field, text in list(row.items())[4:]:
            value = home.get(f"{name}_{field}")
            assert text == ("" if value is None else str(value) if isinstance(value, int) else repr(float(value)))
    record = json.loads(run("metrics", *sides, "--format", "json", folder=tmp_path).out)
    assert found.to_dict()["metrics"] == record["metrics"]


def test_a_value_is_exact_or_a_float_as_the_policy_says() -> None:
    # Of two predictions one pairs: precision 1/2, recall 1, F1 2 · (1/2) / (3/2).
    sides = [(1, 2, "dog")], [(1.1, 2.1, "dog"), (4, 5, "dog")]
    assert tracepact.metrics(*sides, durations=10)["event_f1"] == Fraction(2, 3)
    floats = tracepact.metrics(*sides, durations=10, policy="sed_eval")["event_f1"]
    assert isinstance(floats, float)
    assert floats == 2 * 0.5 * 1.0 / (0.5 + 1.0)


def test_what_nothing_defines_is_none() -> None:
    assert tracepact.metrics([(1, 2, "dog")], {"clip": []}, durations=10)["event_precision"] is None
    assert tracepact.metrics([(1, 2, "dog")], {"clip": []}, durations=10, empty="zero_score")["event_precision"] == 0


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"policy": "exakt"}, "unknown-choice"),
        ({"collar": 200}, "bad-time"),
        ({"segment": "0ms"}, "bad-time"),
        ({"collar": "soon"}, "bad-time"),
        ({"iou": "0.5", "half_width": "1s"}, "unused-reading"),
    ],
)
def test_a_setting_that_cannot_be_used_is_refused(options: dict[str, Any], code: str) -> None:
    with pytest.raises(tracepact.InvalidInput) as refused:
        tracepact.metrics([(1, 2)], [(1, 2)], durations=10, **options)
    assert [d.code for d in refused.value.diagnostics] == [code]


def test_a_name_that_no_value_has_is_told_with_the_nearest() -> None:
    with pytest.raises(tracepact.InvalidInput, match="did you mean `segment_f1`"):
        tracepact.metrics([(1, 2)], [(1, 2)], durations=10)["segmnt_f1"]
