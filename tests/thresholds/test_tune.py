"""Tuning: what is chosen is best, what is written is what was scored, and held-out clips choose nothing."""

from fractions import Fraction
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import sized

from thresholds.builders import Scene, field_of, scenes
from tracepact import (
    Aggregation,
    ClassDecodings,
    Decoding,
    InvalidInput,
    RowPlace,
    ScoreField,
    curves,
    load_contract,
    parse_contract,
    score,
    score_field,
    tune,
)
from tracepact.data.decoding import decode, decoding_text, read_decoding
from tracepact.diagnostics.collection import Diagnostics
from tracepact.thresholds.cuts import Options, best_quotient, cut_range
from tracepact.thresholds.family import with_high, with_low
from tracepact.thresholds.quantities import Quantities, counted_at, weights_of
from tracepact.tuning.tune import Tuned

pytestmark = pytest.mark.slow

GATE = load_contract("boundary_gate")
DOG = {"a": [(0.5, 1.5, "dog")]}
DOG_AND_CAT = field_of(
    {"a": (Fraction(1, 2), {"dog": ["0.1", "0.9", "0.8", "0.3"], "cat": ["0.2", "0.1", "0.4", "0.2"]})}
)


def tuned(scene: Scene, objective: str, **how: object) -> Tuned:
    return tune(GATE, scene.reference, scene.field, objective, durations=scene.durations, **{"folds": 0, **how})  # type: ignore[arg-type]


@given(scenes(longest=20, beyond=False, ignoring=False), st.sampled_from(["missing_guard", "onset_guard"]))
@settings(max_examples=sized(25))
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
@settings(max_examples=sized(25))
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


# A threshold for each class, chosen for the value over all classes

QUOTIENTS = [
    *(f"{metric}_{rate}" for metric in ("frame", "event") for rate in ("f1", "precision", "recall", "macro_f1")),
    "event_macro_precision",
    "intersection_error_rate",
    *(
        f"{a}.{c}"
        for a in ("pooled", "macro_classes", "macro_classes_informative")
        for c in ("silence_guard", "onset_guard")
    ),
    "macro_clips.missing_guard",
]
OTHERS = ["mean", "macro_clips_informative.onset_guard", "frame_error_rate", "event_error_rate", "macro_clips.mean"]


def every_value(scene: Scene, objective: str) -> list[Fraction]:
    """The values of all combinations of cuts that are asked something, by counting each anew."""
    first, dot, name = objective.partition(".")
    aggregation = Aggregation(first) if dot else None
    quantities = Quantities(GATE, scene.family(GATE))
    low, high = cut_range(scene.field.levels)
    found = []
    for cuts in product(range(low, high + 1), repeat=len(quantities.given.family.classes)):
        counted = counted_at(quantities, [name if dot else first], list(cuts))
        parts = [counted.parts[c] for c, _ in weights_of(quantities.contract, name) or ()] if dot else []
        asked = all((part[1] > 0).any() or (len(part) > 2 and part[2].any()) for part in parts)
        value = counted.value(quantities, name if dot else first, aggregation)
        if asked and value is not None:
            found.append(value)
    return found


@given(scenes(longest=5, beyond=False, ignoring=False), st.sampled_from(QUOTIENTS))
@settings(max_examples=sized(60))
def test_no_combination_of_thresholds_is_better_for_a_quotient(scene: Scene, objective: str) -> None:
    assume(len(scene.field.levels) ** len(scene.field.classes) <= 400)
    record = tuned(scene, objective).record
    values = every_value(scene, objective)
    if values:
        assert record.optimistic is not None
        assert record.optimistic.value == (min(values) if record.least else max(values))
        assert record.method == ("search" if "error_rate" in objective else "exact")


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=4), min_size=1, max_size=4)
)
def test_the_quotient_of_sums_is_the_greatest_of_all_combinations(classes: list[list[tuple[int, int]]]) -> None:
    rows = [[(min(pair), max(pair)) for pair in own] for own in classes]
    options = [Options(np.arange(len(own)), *np.array(own).T) for own in rows]
    sums = [[sum(part) for part in zip(*combination, strict=True)] for combination in product(*rows)]
    quotients = [Fraction(top, bottom) for top, bottom in sums if bottom]
    places = best_quotient(options, Fraction(0))
    if places is None:
        assert max(quotients, default=0) == 0
    else:
        top, bottom = (
            sum(column) for column in zip(*(own[k] for own, k in zip(rows, places, strict=True)), strict=True)
        )
        assert Fraction(top, bottom) == max(quotients)


@given(scenes(longest=12, beyond=False), st.sampled_from([*QUOTIENTS, *OTHERS]), st.booleans(), st.data())
@settings(max_examples=sized(60))
def test_a_threshold_for_each_class_is_never_worse_than_a_common_one(
    scene: Scene, objective: str, hysteresis: bool, data: st.DataObject
) -> None:
    require = data.draw(st.sampled_from([[], ["silence_guard >= 0.8"], ["frame_recall > 0.5", "onset_guard >= 0.5"]]))
    how = {"require": require, "medians": (1, 3), "hysteresis": hysteresis, "ignore": scene.ignore}
    own, common = (tuned(scene, objective, common=together, **how).record for together in (False, True))
    met = [[asked.met for asked in record.requirements] for record in (own, common)]
    assert met[0] >= met[1]
    if common.optimistic is not None and all(met[1]):
        assert own.optimistic is not None
        ahead = own.optimistic.value - common.optimistic.value
        assert (-ahead if own.least else ahead) >= 0


@given(
    scenes(longest=12, beyond=False, ignoring=False),
    st.sampled_from(["mean", "macro_clips_informative.mean"]),
    st.data(),
)
@settings(max_examples=sized(25))
def test_no_change_of_one_class_is_better_for_a_mean(scene: Scene, objective: str, data: st.DataObject) -> None:
    found = tuned(scene, objective)
    label = data.draw(st.sampled_from([own.label for own in found.record.classes]))
    other = Decoding(data.draw(st.sampled_from(scene.thresholds())))
    changed = ClassDecodings(found.decoding.default, {**found.decoding.classes, label: other})
    first, dot, _ = objective.partition(".")
    text = GATE.text.replace(f"aggregate {GATE.aggregation.value}", f"aggregate {first}") if dot else GATE.text
    contract = parse_contract(f"{text}labels {' '.join(own.label for own in found.record.classes)}\n")
    run = score(contract, scene.reference, scene.field, durations=scene.durations, decoding=changed)
    scores = [run.card.score(clause.name) for clause in contract.clauses]
    if not any(one.vacuous for one in scores):
        assert found.record.optimistic is not None
        assert sum(one.value for one in scores) / len(scores) <= found.record.optimistic.value


@pytest.mark.parametrize("objective", ["event_f1", "event_macro_f1", "frame_f1", "mean", "silence_guard"])
def test_a_class_without_events_is_silent_where_false_alarms_count(objective: str) -> None:
    record = tune(GATE, DOG, DOG_AND_CAT, objective, folds=0).record
    assert record.optimistic is not None
    assert record.optimistic.value == 1
    (cat,) = (own for own in record.classes if own.label == "cat")
    assert cat.decoding.threshold > Fraction("0.4")


def test_a_class_whose_threshold_makes_no_difference_has_one_half() -> None:
    (cat, dog) = tune(GATE, DOG, DOG_AND_CAT, "frame_recall", folds=0).record.classes
    assert (cat.label, cat.asked, cat.decoding.threshold) == ("cat", False, Fraction(1, 2))
    assert (dog.asked, dog.decoding.threshold) == (True, Fraction(2, 5))


def test_of_equal_stretches_one_that_begins_above_0_is_taken() -> None:
    """Two of three frames are right below 0.5 and from 0.6 up to 0.65, one is between and above."""
    field = field_of({"a": (Fraction(1), {"dog": ["0.5", "0.6", "0.65"]})})
    same = "(ref_active -> pred_active) & (pred_active -> ref_active)"
    contract = f"contract c\nstep 1s\nclause right on ref_active | !ref_active : {same}\n"
    for common in (False, True):
        found = tune(contract, {"a": [(0, 1, "dog"), (2, 3, "dog")]}, field, "right", folds=0, common=common).record
        assert found.optimistic is not None
        assert found.optimistic.value == Fraction(2, 3)
        assert found.classes[0].decoding.threshold == Fraction(3, 5)


@given(scenes(longest=20, ignoring=False), st.data())
@settings(max_examples=sized(40))
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
    never = tune(GATE, {"a": [(0, 0.5, "dog")]}, field, "mean", require=["offset_guard > 1"], folds=0)
    assert [asked.met for asked in never.record.requirements] == [False]


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
        ("mean", ["silence_guard >= 2"], "bad-requirement"),
        ("pooled.event_f1", [], "unknown-quantity"),
        ("pool.silence_guard", [], "unknown-quantity"),
    ],
)
def test_what_cannot_be_asked_is_refused(objective: str, require: list[str], code: str) -> None:
    field = field_of({"a": (Fraction(1), {"x": ["0.9"]})})
    with pytest.raises(InvalidInput) as error:
        tune(GATE, {"a": []}, field, objective, require=require)
    assert code in [found.code for found in error.value.diagnostics]


def test_one_fold_is_refused() -> None:
    with pytest.raises(InvalidInput) as error:
        tune(GATE, DOG, DOG_AND_CAT, "mean", folds=1)
    assert [found.code for found in error.value.diagnostics] == ["bad-folds"]


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
    clips = tuple(data.draw(st.lists(st.sampled_from(LABELS))))
    given = ClassDecodings(decoding(), {label: decoding() for label in labels}, tuned_on=clips)
    with TemporaryDirectory() as folder:
        path = Path(folder, "decoding.toml")
        path.write_text(decoding_text(given), encoding="utf-8")
        diagnostics = Diagnostics()
        found = read_decoding(path, diagnostics)
    assert not len(diagnostics)
    assert found is not None
    assert (found.default, dict(found.classes)) == (given.default, dict(given.classes))
    assert found.tuned_on == clips


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
    "no list of clips": 'format = "tracepact-decoding/1"\ntuned_on = "a.wav"\n[default]\nthreshold = 0.5\n',
    "clips that are no names": 'format = "tracepact-decoding/1"\ntuned_on = [1]\n[default]\nthreshold = 0.5\n',
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
        "classes.hen": "median = 3",
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
        ("`hen`", "no threshold"),
    ):
        assert any(all(word in head for word in words) for head in heads), words
    assert sum("`cow`" in head for head in heads) == 1
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
    run = score("boundary_gate", ref, field, decoding=0.5, margins=True)
    found = [field, curves("boundary_gate", ref, field), tune("boundary_gate", ref, field, "missing_guard", folds=0)]
    for shown in (*found, *run.margins.values()):
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
@settings(max_examples=sized(30))
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


def test_scoring_the_clips_that_chose_their_decoding_is_warned_of(tmp_path: Path) -> None:
    scores = np.array([[0.1], [0.9], [0.8], [0.3]])
    event = (Fraction(1, 2), Fraction(3, 2), "dog")

    def data(clips: str) -> tuple[dict[str, list[tuple[Fraction, Fraction, str]]], ScoreField]:
        return {clip: [event] for clip in clips}, score_field(dict.fromkeys(clips, scores), classes=["dog"], step="0.5")

    found = tune("boundary_gate", *data("ab"), objective="mean")
    assert found.decoding.tuned_on == ("a", "b")
    path = tmp_path / "decoding.toml"
    path.write_text(found.record.decoding, encoding="utf-8")
    said = [
        [
            d.headline
            for d in score("boundary_gate", *data(clips), decoding=path).diagnostics
            if d.code == "tuned-on-these"
        ]
        for clips in ("ab", "bc", "c")
    ]
    assert [len(lines) for lines in said] == [1, 1, 0]
    assert "chosen on all clips" in said[0][0]
    assert "chosen on 1 of 2 clips" in said[1][0]
