"""The vectors of chapter 19, each derived by hand: answered alike by decoding at a threshold and by the curves."""

import json
from bisect import bisect_right
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from thresholds.builders import Scene, field_of, scored_at
from tracepact import Contract, parse_contract
from tracepact.data.decoding import Decoding
from tracepact.data.events import Durations, Event, EventTable
from tracepact.declarations import rules, spec_path
from tracepact.thresholds.cuts import cut_range, threshold_range
from tracepact.thresholds.quantities import Quantities
from tracepact.thresholds.steps import best

FILE = json.loads(spec_path("conformance/thresholds/curves.json").read_text(encoding="utf-8"))
VECTORS = FILE["vectors"]
Vector = Mapping[str, Any]


def scene_of(vector: Vector) -> Scene:
    clips = {f"c{k}": clip for k, clip in enumerate(vector["input"]["clips"])}
    events = {
        name: tuple(Event(Fraction(onset), Fraction(offset), label) for onset, offset, label in clip["ref"])
        for name, clip in clips.items()
    }
    field = field_of({name: (Fraction(clip["step"]), clip["scores"]) for name, clip in clips.items()})
    lengths = {name: Fraction(clip["duration"]) for name, clip in clips.items()}
    return Scene(EventTable("ref", events), field, Durations("durations", lengths), None)


def piece(pieces: list[list[Any]], threshold: Fraction) -> list[Any]:
    """What a list of pieces says of a threshold."""
    found: list[Any] = pieces[bisect_right([Fraction(start) for start, *_ in pieces], threshold) - 1][1:]
    return found


Counted = tuple[dict[str, list[int]], Fraction | None]


def decoded(contract: Contract, scene: Scene, threshold: Fraction) -> Counted:
    card = scored_at(contract, scene.reference, scene.field, Decoding(threshold), durations=scene.durations)
    counts = card.counts["c"]
    both = (counts.satisfied.sum(axis=1).tolist(), counts.obligated.sum(axis=1).tolist())
    score = card.score("c")
    rows = {name: [*row] for name, *row in zip(card.family.classes, *both, strict=True)}
    return rows, None if score.vacuous else score.value


def curved(contract: Contract, scene: Scene, threshold: Fraction) -> Counted:
    quantities = Quantities(contract, scene.family(contract))
    cut = scene.field.levels.above(threshold)
    counts = quantities.steps("c").at(cut).sum(axis=2)
    values = quantities.values("c")
    rows = {name: counts[:2, k].tolist() for k, name in enumerate(quantities.given.family.classes)}
    return rows, values.at(cut) if values.earned[values.index(cut)] else None


@pytest.mark.parametrize("engine", [decoded, curved])
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_every_vector_is_answered_as_expected_at_every_score_and_between(vector: Vector, engine: Any) -> None:
    contract, scene, expected = parse_contract(vector["input"]["contract"]), scene_of(vector), vector["expected"]
    for threshold in scene.thresholds():
        counts, value = engine(contract, scene, threshold)
        for label, pieces in expected.get("counts", {}).items():
            assert counts[label] == piece(pieces, threshold), (label, threshold)
        if "values" in expected:
            (wanted,) = piece(expected["values"], threshold)
            assert value == (None if wanted is None else Fraction(wanted)), threshold


@pytest.mark.parametrize("vector", [v for v in VECTORS if "best" in v["expected"]], ids=lambda vector: vector["id"])
def test_the_best_thresholds_are_those_expected(vector: Vector) -> None:
    contract, scene = parse_contract(vector["input"]["contract"]), scene_of(vector)
    levels = scene.field.levels
    low, high = cut_range(levels)
    found = best(Quantities(contract, scene.family(contract)).values("c").within(low, high), high)
    expected = vector["expected"]["best"]
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert found.value == Fraction(expected["value"])
        stretches = [threshold_range(levels, *stretch) for stretch in found.stretches]
        assert stretches == [tuple(map(Fraction, stretch)) for stretch in expected["thresholds"]]


def test_the_file_is_valid_and_shows_every_rule_of_its_chapter() -> None:
    schema = json.loads(spec_path("schemas/threshold-vector.schema.json").read_text(encoding="utf-8"))
    assert [error.message for error in Draft202012Validator(schema).iter_errors(FILE)] == []
    shown = {rule for vector in VECTORS for rule in vector["rules"]}
    assert shown == {rule for rule in rules() if rule.startswith("19.")}
    assert len({vector["id"] for vector in VECTORS}) == len(VECTORS)
