"""Random traces: what they show holds there, and they show long windows that no solver gets to in time."""

from fractions import Fraction
from time import monotonic

from hypothesis import given
from strategies import formulas

from tracepact.evaluate.masks import evaluate_trace
from tracepact.language.compilation import parse_formula
from tracepact.language.formula import Formula, atoms
from tracepact.logic import models
from tracepact.logic.models import FEW, MORE, holds_on_a_sample, over_base_atoms, sampled, sampled_long


@given(formulas(("p", "q"), farthest=40, leaves=8))
def test_a_formula_holds_on_the_trace_that_was_drawn_for_it(formula: Formula) -> None:
    for model in (sampled(formula), sampled_long(formula, None, monotonic() + 60)):
        if model is not None:
            assert model.replayed(formula) == model


@given(formulas(("pred_active", "ref_onset", "q"), farthest=40, leaves=8))
def test_samples_end_to_end_are_judged_as_each_is_alone(formula: Formula) -> None:
    base = over_base_atoms(formula)
    names, frames = sorted(atoms(base)), models._frames(base)
    for part in (FEW, MORE):
        masks = [models._drawn(column, frames, part) for column in range(len(names))]
        alone = [{name: row[at] for name, row in zip(names, masks, strict=True)} for at in range(len(part))]
        assert holds_on_a_sample(formula, (part,)) is any(evaluate_trace(base, given, frames) for given in alone)


@given(formulas(("p", "q"), farthest=40, leaves=8))
def test_a_trace_that_was_asked_for_has_its_length(formula: Formula) -> None:
    model = sampled_long(formula, 37, monotonic() + 60)
    assert model is None or model.frames == 37


def test_no_trace_is_drawn_when_the_time_is_over() -> None:
    assert sampled_long(parse_formula("p", Fraction(1)), None, monotonic() - 1) is None


def test_long_windows_are_shown_without_a_solver() -> None:
    text = "F[-90000f,-70000f] G[50000f] p & F[100000f] (!p & F[40000f] q)"
    formula = parse_formula(text, Fraction(1, 50))
    model = sampled_long(formula, None, monotonic() + 60)
    assert model is not None
    assert model.replayed(formula) == model
