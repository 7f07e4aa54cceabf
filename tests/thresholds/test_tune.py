"""Tuning: what is chosen is best, what is written is what was scored, and held-out clips choose nothing."""

from fractions import Fraction
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresholds.builders import Scene, field_of, scenes
from tracepact import (
    ClassDecodings,
    Decoding,
    InvalidInput,
    RowPlace,
    curves,
    load_contract,
    parse_contract,
    score,
    score_field,
    tune,
)
from tracepact.diagnostics import Diagnostics
from tracepact.io import decode, decoding_text, read_decoding
from tracepact.thresholds import Quantities, with_high, with_low
from tracepact.tools.tune.tune import Tuned

GATE = load_contract("boundary_gate")


def tuned(scene: Scene, objective: str, **how: object) -> Tuned:
    return tune(GATE, scene.reference, scene.field, objective, durations=scene.durations, **{"folds": 0, **how})  # type: ignore[arg-type]


@given(scenes(longest=20, beyond=False, ignoring=False), st.sampled_from(["missing_guard", "onset_guard"]))
@settings(max_examples=25)
def test_no_common_threshold_is_better_than_the_one_chosen(scene: Scene, objective: str) -> None:
    found = tuned(scene, objective, common=True)
    family = scene.family(GATE)
    quantities = Quantities(GATE, family)
    values = quantities.values(objective)
    every = [scene.field.levels.above(threshold) for threshold in scene.thresholds()]
    earned = [values.at(cut) for cut in every if values.earned[values.index(cut)]]
    chosen = found.record.optimistic
    assert chosen is not None
    if earned:
        assert chosen.value == max(value for value in earned if value is not None)


@given(scenes(longest=20, beyond=False, ignoring=False), st.booleans(), st.booleans())
@settings(max_examples=25)
def test_what_is_written_scores_what_was_promised(scene: Scene, common: bool, hysteresis: bool) -> None:
    """The decoding of every class, with filters and a hysteresis, given to `score`."""
    found = tuned(scene, "missing_guard", common=common, hysteresis=hysteresis, medians=(1, 3))
    if set(scene.field.classes) != {own.label for own in found.record.classes}:
        return
    run = score(
        parse_contract(f"{GATE.text}labels {' '.join(scene.field.classes)}\n"),
        scene.reference,
        scene.field,
        durations=scene.durations,
        decoding=found.decoding,
    )
    assert found.record.optimistic is not None
    assert run.card.score("missing_guard").value == found.record.optimistic.value


@given(scenes(longest=20, ignoring=False), st.data())
@settings(max_examples=40)
def test_a_hysteresis_with_one_threshold_held_is_a_field_of_the_other(scene: Scene, data: st.DataObject) -> None:
    low, high = sorted(data.draw(st.lists(st.sampled_from(scene.thresholds()), min_size=2, max_size=2)))
    levels = scene.field.levels
    expected = decode(scene.field, Decoding(high, low)).clips
    held = dict.fromkeys(scene.field.classes, levels.above(low))
    assert decode(with_low(scene.field, held), Decoding(high)).clips == expected
    held = dict.fromkeys(scene.field.classes, levels.above(high))
    assert decode(with_high(scene.field, held), Decoding(low)).clips == expected


def test_a_requirement_is_met_before_the_objective_is_best() -> None:
    """Below 0.4 all is found, with silence broken; from 0.4 on the second half is lost, and the requirement met."""
    field = field_of({"a": (Fraction(1, 2), {"dog": ["0.9", "0.6", "0.4", "0.1"]})})
    ref = {"a": [(0, 1.5, "dog")]}
    free = tune(GATE, ref, field, "missing_guard", folds=0)
    strict = tune(GATE, ref, field, "missing_guard", require=["silence_guard >= 1"], folds=0)
    assert free.decoding.of("dog").threshold < Fraction("0.4")
    assert Fraction("0.1") <= strict.decoding.of("dog").threshold < Fraction("0.4")
    never = tune(GATE, {"a": []}, field, "silence_guard", require=["silence_guard >= 0.5"], folds=0)
    assert [own.unmet for own in never.record.classes] == ["silence_guard >= 0.5"]


def test_held_out_clips_choose_nothing() -> None:
    """Two clips want opposite thresholds: each is scored at what suits the other, and both fail."""
    half = Fraction(1, 2)
    field = field_of({"a": (half, {"dog": ["0.2", "0.1"]}), "b": (half, {"dog": ["0.9", "0.8"]})})
    ref = {"a": [(0, 0.5, "dog")], "b": [(0, 0.5, "dog")]}
    found = tune(GATE, ref, field, "event_f1", folds=2, common=True).record
    assert found.optimistic is not None
    assert found.held_out is not None
    assert found.optimistic.value == Fraction(2, 3)
    assert found.held_out.value == 0


@pytest.mark.parametrize(
    ("objective", "require", "code"),
    [
        ("event_f2", [], "unknown-quantity"),
        ("mean", ["silence_guard = 1"], "bad-requirement"),
        ("mean", ["quiet_guard >= 1"], "bad-requirement"),
    ],
)
def test_what_cannot_be_asked_is_refused(objective: str, require: list[str], code: str) -> None:
    field = field_of({"a": (Fraction(1), {"x": ["0.9"]})})
    with pytest.raises(InvalidInput) as error:
        tune(GATE, {"a": []}, field, objective, require=require)
    assert code in [found.code for found in error.value.diagnostics]


def test_a_clause_of_several_classes_needs_a_common_threshold() -> None:
    contract = parse_contract("contract c\nstep 1s\nclause alone on pred_active : !other_pred_active\n")
    field = field_of({"a": (Fraction(1), {"x": ["0.9"], "y": ["0.1"]})})
    with pytest.raises(InvalidInput) as error:
        tune(contract, {"a": []}, field, "alone", folds=0)
    assert [found.code for found in error.value.diagnostics] == ["needs-common"]
    assert tune(contract, {"a": []}, field, "alone", folds=0, common=True).record.optimistic is not None


# Decoding files

LABELS = ["dog", "a b", 'quo"ted', "back\\slash", "größe", "tab\there"]


@given(st.data())
def test_a_decoding_file_is_read_back_as_it_was_written(data: st.DataObject) -> None:
    shares = st.integers(0, 10**6).map(lambda millionths: Fraction(millionths, 10**6))

    def decoding() -> Decoding:
        low, high = sorted(data.draw(st.tuples(shares, shares)))
        return Decoding(high, data.draw(st.sampled_from([None, low])), data.draw(st.sampled_from([1, 3, 7])))

    labels = data.draw(st.lists(st.sampled_from(LABELS), unique=True))
    given = ClassDecodings(decoding(), {label: decoding() for label in labels})
    with TemporaryDirectory() as folder:
        path = Path(folder, "decoding.toml")
        path.write_text(decoding_text(given), encoding="utf-8")
        diagnostics = Diagnostics()
        found = read_decoding(path, diagnostics)
    assert not len(diagnostics)
    assert found is not None
    assert (found.default, dict(found.classes)) == (given.default, dict(given.classes))


FAULTS = {
    "not toml": "format = ",
    "no format": "[default]\nthreshold = 0.5\n",
    "no default": 'format = "tracepact-decoding/1"\n',
    "no threshold": 'format = "tracepact-decoding/1"\n[default]\nlow = 0.2\n',
    "unknown key": 'format = "tracepact-decoding/1"\n[default]\nthreshold = 0.5\nhigh = 0.7\n',
    "outside": 'format = "tracepact-decoding/1"\n[default]\nthreshold = 1.5\n',
    "even": 'format = "tracepact-decoding/1"\n[default]\nthreshold = 0.5\nmedian = 4\n',
    "truth value": 'format = "tracepact-decoding/1"\n[default]\nthreshold = true\n',
    "low above": 'format = "tracepact-decoding/1"\n[default]\nthreshold = 0.5\nlow = 0.6\n',
    "classes": 'format = "tracepact-decoding/1"\nclasses = 3\n[default]\nthreshold = 0.5\n',
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_decoding_file_is_refused_with_its_fault(fault: str, tmp_path: Path) -> None:
    path = tmp_path / "decoding.toml"
    path.write_text(FAULTS[fault], encoding="utf-8")
    diagnostics = Diagnostics()
    assert read_decoding(path, diagnostics) is None
    assert {found.code for found in diagnostics} == {"bad-decoding"}


def test_all_faults_of_a_decoding_file_are_said_with_their_class(tmp_path: Path) -> None:
    path = tmp_path / "decoding.toml"
    tables = {
        "default": "threshold = 1.5\nmedian = 2",
        "classes.dog": 'threshold = "abc"\nlow = 0.5',
        "classes.cat": "threshold = 0.3\nlow = 0.4",
        "classes.cow": "treshold = 0.3",
    }
    parts = [f"[{name}]\n{text}" for name, text in tables.items()]
    path.write_text("\n".join(['format = "tracepact-decoding/1"', *parts]), encoding="utf-8")
    diagnostics = Diagnostics()
    assert read_decoding(path, diagnostics) is None
    assert {found.place for found in diagnostics} == {RowPlace(str(path))}
    heads = [found.headline for found in diagnostics]
    for words in (
        ("default", "1.5"),
        ("default", "median", "2"),
        ("`dog`", "abc"),
        ("`cat`", "low", "0.4"),
        ("`cow`", "`treshold`"),
        ("`cow`", "no threshold"),
    ):
        assert any(all(word in head for word in words) for head in heads), words
    assert any(found.help == "did you mean `threshold`?" for found in diagnostics)


def test_what_is_tuned_is_saved_and_scored_by_its_path(tmp_path: Path) -> None:
    scores, ref = np.array([[0.1], [0.9], [0.8], [0.3]]), [(0.5, 1.5, "dog")]
    field = score_field(scores, classes=["dog"], step="0.5")
    found = tune("boundary_gate", ref, field, "mean", folds=0)
    path = found.save(tmp_path / "chosen.toml")
    expected = score("boundary_gate", ref, field, decoding=found.decoding)
    for given_path in (path, str(path)):
        run = score("boundary_gate", ref, field, decoding=given_path)
        assert run.vector == expected.vector
        assert [one.role for one in run.inputs] == ["decoding"]
    for text in ("half", str(tmp_path / "none.toml")):
        with pytest.raises(InvalidInput) as error:
            score("boundary_gate", ref, field, decoding=text)
        (fault,) = error.value.diagnostics
        assert "neither a threshold nor a decoding file" in fault.headline
    assert score("boundary_gate", ref, field, decoding="0.5").vector["silence_guard"] == 1


def test_what_a_field_gives_is_shown_in_a_line() -> None:
    field = score_field(np.random.default_rng(1).random((2000, 2)), classes=["cat", "dog"], step="0.02")
    ref = [(0, 1, "dog")]
    run = score("boundary_gate", ref, field, decoding=0.5)
    found = [field, curves("boundary_gate", ref, field), tune("boundary_gate", ref, field, "missing_guard", folds=0)]
    for shown in (*found, run.margins):
        assert len(repr(shown)) < 300
        assert repr(shown).startswith("<")


def test_names_that_are_not_known_are_answered_with_some_that_are() -> None:
    field = score_field(np.array([[0.1], [0.9]]), classes=["dog"], step="0.5")
    ref = [(0, 1, "dog")]
    found = curves("boundary_gate", ref, field)
    for ask, known in (
        (lambda: found.psds("psds3"), "psds1"),
        (lambda: found.value("zzz", 0.5), "onset_guard"),
        (lambda: tune("boundary_gate", ref, field, "zzz"), "onset_guard"),
        (lambda: tune("boundary_gate", ref, field, "mean", require="zzz >= 1"), "onset_guard"),
    ):
        with pytest.raises(InvalidInput) as error:
            ask()
        assert f"`{known}`" in str(error.value.diagnostics[0].help)


@given(scenes(longest=12, ignoring=False), st.data())
@settings(max_examples=30)
def test_each_class_is_decoded_by_its_own(scene: Scene, data: st.DataObject) -> None:
    """The events of a class are those of its decoding given to all."""
    choices = [
        Decoding(t, low, m) for t, low, m in product((Fraction(1, 2), Fraction(4, 5)), (None, Fraction(1, 5)), (1, 3))
    ]
    given = ClassDecodings(
        choices[0], {label: data.draw(st.sampled_from(choices)) for label in scene.field.classes[:2]}
    )
    found = decode(scene.field, given)
    for label in scene.field.classes:
        alone = decode(scene.field, given.of(label))
        for clip in scene.field.clips:
            own, other = ([e for e in t.clips[clip] if e.label == label] for t in (found, alone))
            assert own == other
