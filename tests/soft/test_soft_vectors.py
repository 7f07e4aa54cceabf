"""The vectors of chapter 18, each derived by hand: answered alike by the definition and by the fast engine."""

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from tracepact.conform.protocol import formula_of
from tracepact.data.events import ClipScores, levels_of_texts
from tracepact.declarations import rules, spec_path
from tracepact.evaluate.masks import evaluate_masks
from tracepact.evaluate.reference import (
    BOTTOM,
    Margin,
    margin_of,
    mask_margin,
    soft_offsets,
    soft_onsets,
    soft_others,
    soft_truth,
    truth,
)
from tracepact.evaluate.soft_family import Margins, SoftAtoms, SoftFamily, SoftMask
from tracepact.language.formula import Formula, atoms, reach

FILE = json.loads(spec_path("conformance/soft/values.json").read_text(encoding="utf-8"))
VECTORS = FILE["vectors"]
Clip = Mapping[str, Any]


def classes_of(atom: Mapping[str, Any], clip: Clip) -> list[list[Margin]]:
    """The soft values of an atom on the grid, of its own class first."""
    if "active" in atom:
        margin = Fraction(atom["margin"]) if "margin" in atom else None
        return [[mask_margin(digit == "1", margin) for digit in atom["active"]]]
    rows = [atom["scores"], *atom.get("others", [])]
    margins = [[margin_of(Fraction(score) - Fraction(atom["threshold"])) for score in row] for row in rows]
    if "edges" not in atom:
        return margins
    step, edges = Fraction(clip["step"]), list(map(Fraction, atom["edges"]))
    centres = [(i + Fraction(1, 2)) * step for i in range(clip["frames"])]
    covering = [[j for j in range(len(edges) - 1) if edges[j] <= centre < edges[j + 1]] for centre in centres]
    return [[row[found[0]] if found else BOTTOM for found in covering] for row in margins]


def defined(formula: Formula, clip: Clip) -> list[Margin]:
    """By the definitions."""
    given = {name: classes_of(atom, clip) for name, atom in clip["atoms"].items()}
    environment = {name: rows[0] for name, rows in given.items()}
    for side in ("ref", "pred"):
        if f"{side}_active" in given:
            rows = given[f"{side}_active"]
            environment[f"{side}_onset"] = soft_onsets(rows[0])
            environment[f"{side}_offset"] = soft_offsets(rows[0])
            environment[f"other_{side}_active"] = soft_others(rows, 0)
    return soft_truth(formula, environment, clip["frames"])


def on_the_grid(atom: Mapping[str, Any], clip: Clip) -> list[list[Margin]]:
    """The soft values of an atom, of its own class first; a field with frames of its own is projected as fields are."""
    if "edges" not in atom:
        return classes_of(atom, clip)
    levels, ranks = levels_of_texts(atom["scores"])
    own = ClipScores(tuple(map(Fraction, atom["edges"])), ranks[:, None])
    margins = Margins(levels, Fraction(atom["threshold"]))
    return [[margins[place] for place in own.projected(Fraction(clip["step"]), clip["frames"])[:, 0].tolist()]]


def family_of(clip: Clip) -> SoftFamily:
    """A clip with as many classes as its atoms have at most, its own class first."""
    given = {name: on_the_grid(atom, clip) for name, atom in clip["atoms"].items()}
    classes = max(map(len, given.values()))
    masks = {}
    for name, rows in given.items():
        none = [mask_margin(False)] * clip["frames"]
        rows = rows + [none] * (classes - len(rows))
        values = tuple(dict.fromkeys(value for row in rows for value in row))
        masks[name] = SoftMask(values, (np.array([[values.index(v) for v in row] for row in rows]).T,))
    ignored = np.zeros((clip["frames"], classes), dtype=np.bool_)
    names = tuple(map(str, range(classes)))
    return SoftFamily(Fraction(1, 50), ("clip",), (clip["frames"],), names, masks, (ignored,))


def fast(formula: Formula, clip: Clip) -> list[Margin]:
    """By the fast engine."""
    family = family_of(clip)
    found = SoftAtoms(family, family.layout(reach(formula)))
    (ranks,) = evaluate_masks([formula], found, found.algebra)
    return [found.levels.value(int(rank)) for rank in found.gather(ranks, 0)]


@pytest.mark.parametrize("engine", [defined, fast])
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_every_vector_is_answered_as_expected(vector: Mapping[str, Any], engine: Any) -> None:
    given, expected = vector["input"], vector["expected"]
    formula = formula_of(given["formula"])
    values = [engine(formula, clip) for clip in given["clips"]]
    if "values" in expected:
        assert [[str(value) for value in row] for row in values] == expected["values"]
    if "verdicts" in expected:
        assert ["".join("01"[value.positive] for value in row) for row in values] == expected["verdicts"]
        for clip, verdicts in zip(given["clips"], expected["verdicts"], strict=True):
            masks = {
                name: [value.positive for value in classes_of(clip["atoms"][name], clip)[0]] for name in atoms(formula)
            }
            assert "".join("01"[holds] for holds in truth(formula, masks, clip["frames"])) == verdicts
    if "obligation" in given:
        obliged = [engine(formula_of(given["obligation"]), clip) for clip in given["clips"]]
        asked = [
            value
            for clip, where, row in zip(given["clips"], obliged, values, strict=True)
            for i, value in enumerate(row)
            if where[i].positive and clip.get("ignored", "0" * clip["frames"])[i] == "0"
        ]
        assert expected == {
            "score": str(sum((value.cut for value in asked), Fraction(0)) / len(asked) if asked else Fraction(1)),
            "least": str(min(asked)) if asked else None,
            "satisfied": sum(value.positive for value in asked),
            "obligated": len(asked),
            "vacuous": not asked,
        }


def test_the_file_is_valid_and_shows_every_rule_of_its_chapter() -> None:
    schema = json.loads(spec_path("schemas/soft-vector.schema.json").read_text(encoding="utf-8"))
    assert [error.message for error in Draft202012Validator(schema).iter_errors(FILE)] == []
    shown = {rule for vector in VECTORS for rule in vector["rules"]}
    assert shown == {rule for rule in rules() if rule.startswith("18.")}
    assert len({vector["id"] for vector in VECTORS}) == len(VECTORS)
