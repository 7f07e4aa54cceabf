"""Tuning: what is chosen is best, what is written is what was scored, and held-out clips choose nothing."""

from fractions import Fraction
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresholds.builders import Scene, field_of, scenes
from tracepact import ClassDecodings, Decoding, InvalidInput, load_contract, parse_contract, score, tune
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
