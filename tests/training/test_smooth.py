"""Smooth degrees: truth values stay truth values, temperature 0 is the soft value, slopes are right and finite."""

from fractions import Fraction
from math import log
from typing import Any

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import ATOMS, environments, formulas

from tracepact.diagnostics.findings import Span
from tracepact.evaluate.reference import margin_of, mask_margin, soft_truth, truth
from tracepact.language.contract import FrameClause, Located
from tracepact.language.formula import Always, Atom, Eventually, Formula, Since, Until, cost, subformulas
from tracepact.torch.smooth import Smooth, plan_of

PLACE = Span(0, 0)
temperatures = st.sampled_from([1e-6, 1e-3, 0.05, 0.3, 1.0, 10.0, 1e6])


def degrees(formula: Formula, clip: dict[str, Any], temperature: float, valid: torch.Tensor | None = None) -> Any:
    """The degrees of a formula on the frames of one clip, or of a batch."""
    plan = plan_of((FrameClause("c", Located(formula, PLACE), Located(formula, PLACE), PLACE),))
    first = next(iter(clip.values()))
    return plan.degrees(Smooth(temperature, valid), {**clip, "pred_active": first})[0][1]


def tensors(clip: dict[str, list[Any]]) -> dict[str, Any]:
    return {name: torch.tensor([float(v) for v in values], dtype=torch.float64) for name, values in clip.items()}


@given(formulas(), environments(), temperatures)
def test_truth_values_have_the_boolean_verdict_at_every_temperature(
    formula: Formula, trace: tuple[int, dict[str, list[bool]]], temperature: float
) -> None:
    frames, environment = trace
    for kind in (torch.float64, torch.float32):
        clip = {name: values.to(kind) for name, values in tensors(environment).items()}
        assert degrees(formula, clip, temperature).tolist() == [float(v) for v in truth(formula, environment, frames)]


hundredths = st.integers(0, 100).map(lambda n: Fraction(n, 100))


def fields(longest: int = 9) -> st.SearchStrategy[dict[str, list[Fraction]]]:
    """Scores of every atom; `q` is a mask."""
    truths = st.booleans().map(Fraction)
    return st.integers(1, longest).flatmap(
        lambda n: st.fixed_dictionaries(
            {a: st.lists(truths if a == "q" else hundredths, min_size=n, max_size=n) for a in ATOMS}
        )
    )


def operators(formula: Formula) -> int:
    """More smooth operators than lie on any way through the formula, both passes of an equivalence included."""
    wide = sum(4 for part in subformulas(formula) if isinstance(part, Eventually | Always | Until | Since))
    return 3 * cost(formula) + wide


@given(formulas(), fields())
def test_near_temperature_0_a_degree_is_the_soft_value_and_one_half(
    formula: Formula, field: dict[str, list[Fraction]]
) -> None:
    """Each operator is at most temperature · log 2 from minimum or maximum, which move no more than their parts."""
    frames = len(field["p"])
    soft = soft_truth(
        formula,
        {
            name: [mask_margin(v > 0) if name == "q" else margin_of(v - Fraction(1, 2)) for v in values]
            for name, values in field.items()
        },
        frames,
    )
    expected = [float(max(Fraction(0), min(Fraction(1), Fraction(1, 2) + value.cut))) for value in soft]
    for temperature in (1e-2, 1e-4):
        found = degrees(formula, tensors(field), temperature).tolist()
        assert found == pytest.approx(expected, abs=1e-9 + temperature * log(2) * operators(formula))


@given(formulas(farthest=4), st.lists(fields(6), min_size=2, max_size=4), temperatures)
@example(Until(4, Atom("p"), Atom("p")), [{n: [Fraction(1, 100)] * k for n in ATOMS} for k in (3, 4)], 1e-6)
def test_what_is_behind_the_end_of_a_clip_changes_nothing(
    formula: Formula, clips: list[dict[str, list[Fraction]]], temperature: float
) -> None:
    longest = max(len(clip["p"]) for clip in clips)
    valid = torch.tensor([[float(i < len(clip["p"])) for i in range(longest)] for clip in clips]).double()
    batch = {
        name: torch.stack(
            [torch.nn.functional.pad(tensors(clip)[name], (0, longest - len(clip["p"]))) for clip in clips]
        )
        for name in ATOMS
    }
    together = degrees(formula, batch, temperature, valid)
    for k, clip in enumerate(clips):
        n = len(clip["p"])
        assert together[k, :n].tolist() == pytest.approx(
            degrees(formula, tensors(clip), temperature).tolist(), abs=1e-12
        )
        assert together[k, n:].tolist() == [0.0] * (longest - n)


@given(st.lists(hundredths, min_size=1, max_size=9), st.integers(-5, 5), st.integers(0, 8), temperatures)
def test_a_window_takes_each_of_its_frames_once(field: list[Fraction], lo: int, more: int, temperature: float) -> None:
    smooth = Smooth(temperature, None)
    values = tensors({"p": field})["p"]
    found = smooth.eventually(lo, lo + more, values)
    for i in range(len(field)):
        expected = torch.zeros((), dtype=torch.float64)
        for j in range(i + lo, i + lo + more + 1):
            if 0 <= j < len(field):
                expected = smooth.either(expected, values[j])
        assert float(found[i]) == pytest.approx(float(expected), abs=1e-9)


@given(hundredths, hundredths, hundredths, temperatures)
def test_smooth_minimum_and_maximum_are_frank_s(a: Fraction, b: Fraction, c: Fraction, temperature: float) -> None:
    smooth = Smooth(temperature, None)
    x, y, z = (torch.tensor(float(v), dtype=torch.float64) for v in (a, b, c))
    both, either = smooth.both(x, y), smooth.either(x, y)
    assert float(both + either) == pytest.approx(float(x + y))
    assert float(smooth.both(both, z)) == pytest.approx(float(smooth.both(x, smooth.both(y, z))), abs=1e-9)
    assert float(smooth.complement(smooth.either(x, y))) == pytest.approx(
        float(smooth.both(smooth.complement(x), smooth.complement(y))), abs=1e-9
    )
    assert 0 <= float(min(x, y) - both) <= temperature * log(2) + 1e-12
    if temperature >= 1e6:
        assert float(both) == pytest.approx(float(x * y), abs=1e-5)


inner = st.integers(2, 98).map(lambda n: Fraction(n, 100))


@given(formulas(farthest=3, leaves=4), st.data(), st.integers(1, 5), st.sampled_from([0.1, 1.0]))
@settings(max_examples=40)
def test_slopes_are_those_of_the_values(formula: Formula, data: st.DataObject, n: int, temperature: float) -> None:
    """Apart from ties, where minimum and maximum have a kink that the smooth ones do not, but floats see it."""
    scores = data.draw(st.lists(inner, min_size=3 * n, max_size=3 * n, unique=True).filter(no_mirror))
    given = torch.tensor([float(s) for s in scores], dtype=torch.float64).reshape(3, n).requires_grad_()

    def run(x: torch.Tensor) -> torch.Tensor:
        return degrees(formula, dict(zip(ATOMS, x, strict=True)), temperature).sum()

    assert torch.autograd.gradcheck(run, (given,), eps=1e-6, atol=1e-4)


def no_mirror(scores: list[Fraction]) -> bool:
    """No score is another's complement, nor its own."""
    return not {1 - s for s in scores} & set(scores)


@given(formulas(), st.data(), st.integers(1, 8), temperatures)
def test_slopes_are_finite_at_saturated_inputs(
    formula: Formula, data: st.DataObject, n: int, temperature: float
) -> None:
    edge = st.sampled_from([0.0, 1e-45, 1e-30, 1e-8, 0.5, 1 - 6e-8, 1.0])
    given = torch.tensor(data.draw(st.lists(edge, min_size=3 * n, max_size=3 * n)), dtype=torch.float32)
    given = given.reshape(3, n).requires_grad_()
    found = degrees(formula, dict(zip(ATOMS, given, strict=True)), temperature).sum()
    if found.requires_grad:
        found.backward()
        assert given.grad is None or bool(torch.isfinite(given.grad).all())
    assert bool(torch.isfinite(found))
