"""The bitset engine against the reference semantics, on single clips and on families laid end to end."""

import random
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import ATOMS, environments, formulas, from_mask, sized, to_mask

from tracepact.data.family import Layout
from tracepact.evaluate.masks import IntegerAlgebra, evaluate_masks, evaluate_trace
from tracepact.evaluate.reference import holds, truth
from tracepact.language.formula import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Implies,
    Not,
    Since,
    Until,
    lookahead,
    lookback,
    reach,
)


@given(formulas(), environments())
@settings(max_examples=sized(1000))
def test_bitset_equals_reference_on_one_clip(formula: Formula, trace: tuple[int, dict[str, list[bool]]]) -> None:
    frames, environment = trace
    masks = {name: to_mask(values) for name, values in environment.items()}
    mask = evaluate_trace(formula, masks, frames)
    assert mask >> frames == 0
    expected = truth(formula, environment, frames)
    assert from_mask(mask, frames) == expected
    assert [holds(formula, environment, frames, i) for i in range(frames)] == expected


@given(formulas(farthest=4), st.lists(environments(longest=7), min_size=1, max_size=5), st.integers(0, 3))
@settings(max_examples=sized(500))
def test_every_clip_of_a_family_gets_its_own_verdicts(
    formula: Formula, traces: list[tuple[int, dict[str, list[bool]]]], more_gap: int
) -> None:
    layout = Layout([frames for frames, _ in traces], reach(formula) + more_gap)
    atoms = {
        name: sum(to_mask(env[name]) << int(layout.start[i]) for i, (_, env) in enumerate(traces)) for name in ATOMS
    }
    (mask,) = evaluate_masks([formula], atoms, IntegerAlgebra(layout.valid, layout.longest))
    assert mask & ~layout.valid == 0
    for segment, (frames, environment) in enumerate(traces):
        assert layout.frames_of(mask, segment).tolist() == truth(formula, environment, frames)


def test_a_window_longer_than_every_clip_stays_inside_its_clip() -> None:
    far = Eventually(1000, 1000, Atom("p"))
    near = Eventually(-1000, 1000, Atom("p"))
    layout = Layout([3, 5, 2], reach(far))
    atoms = {"p": layout.paint({1: [(2, 3)]})}
    for formula in (far, near, Always(-1000, 1000, Atom("p")), Since(1000, Constant(True), Atom("p"))):
        (mask,) = evaluate_masks([formula], atoms, IntegerAlgebra(layout.valid, layout.longest))
        for segment, frames in enumerate([3, 5, 2]):
            clip = {"p": [segment == 1 and i == 2 for i in range(frames)]}
            assert layout.frames_of(mask, segment).tolist() == truth(formula, clip, frames)


def test_random_verdicts_are_balanced() -> None:
    """A property over formulas that are almost all true or all false would show little."""
    generator = random.Random(7)
    true = total = kept = 0
    for _ in range(2000):
        formula = _random_formula(generator, 3)
        frames = generator.randint(1, 12)
        environment = {a: [generator.random() < 0.5 for _ in range(frames)] for a in ATOMS}
        verdicts = truth(formula, environment, frames)
        if len(set(_everywhere(formula, generator))) < 2:
            continue
        kept += 1
        true += sum(verdicts)
        total += len(verdicts)
    print(f"{kept} formulas that are not constant, {true / total:.0%} of their verdicts true")
    assert kept > 1000
    assert Fraction(1, 5) < Fraction(true, total) < Fraction(4, 5)


def _everywhere(formula: Formula, generator: random.Random) -> list[bool]:
    """Verdicts on a few long random traces: a formula with only one of them is taken as constant."""
    found: list[bool] = []
    for density in (0.1, 0.5, 0.9):
        environment = {a: [generator.random() < density for _ in range(24)] for a in ATOMS}
        found += truth(formula, environment, 24)
    return found


def _random_formula(generator: random.Random, depth: int) -> Formula:
    if depth == 0 or generator.random() < 0.2:
        return Atom(generator.choice(ATOMS))
    first, second = _random_formula(generator, depth - 1), _random_formula(generator, depth - 1)
    lo = generator.randint(-3, 3)
    return generator.choice(
        [
            Not(first),
            And(first, second),
            Implies(first, second),
            Eventually(lo, lo + generator.randint(0, 3), first),
            Always(lo, lo + generator.randint(0, 3), first),
            Until(generator.randint(0, 4), first, second),
            Since(generator.randint(0, 4), first, second),
        ]
    )


@given(st.lists(formulas(leaves=3), min_size=1, max_size=4), environments())
def test_evaluating_formulas_together_equals_evaluating_each_alone(
    some: list[Formula], trace: tuple[int, dict[str, list[bool]]]
) -> None:
    frames, environment = trace
    masks = {name: to_mask(values) for name, values in environment.items()}
    together = evaluate_masks(some, masks, IntegerAlgebra((1 << frames) - 1, frames))
    assert together == [evaluate_trace(formula, masks, frames) for formula in some]


@given(formulas(leaves=3), environments(), st.integers(0, 4), st.integers(0, 3))
def test_a_larger_radius_never_loses_a_witness(
    body: Formula, trace: tuple[int, dict[str, list[bool]]], radius: int, more: int
) -> None:
    frames, environment = trace
    for small, large in (
        (Eventually(-radius, radius, body), Eventually(-radius - more, radius + more, body)),
        (Always(-radius - more, radius + more, body), Always(-radius, radius, body)),
        (Until(radius, Atom("p"), body), Until(radius + more, Atom("p"), body)),
    ):
        before, after = truth(small, environment, frames), truth(large, environment, frames)
        assert all(b or not a for a, b in zip(before, after, strict=True))


@given(formulas(("p", "q")), environments(("p", "q", "r")), st.data())
def test_atoms_that_do_not_occur_do_not_matter(
    formula: Formula, trace: tuple[int, dict[str, list[bool]]], data: st.DataObject
) -> None:
    frames, environment = trace
    other = data.draw(st.lists(st.booleans(), min_size=frames, max_size=frames))
    assert truth(formula, environment, frames) == truth(formula, {**environment, "r": other}, frames)


@given(formulas(farthest=2, leaves=4), environments(shortest=2, longest=14), st.data())
@settings(max_examples=sized(500))
def test_a_verdict_depends_only_on_frames_within_lookback_and_lookahead(
    formula: Formula, trace: tuple[int, dict[str, list[bool]]], data: st.DataObject
) -> None:
    frames, environment = trace
    at = data.draw(st.integers(0, frames - 1))
    first, last = at - lookback(formula), at + lookahead(formula)
    changed = {
        name: [v if first <= j <= last else data.draw(st.booleans()) for j, v in enumerate(values)]
        for name, values in environment.items()
    }
    assert holds(formula, environment, frames, at) == holds(formula, changed, frames, at)


def test_lookahead_clamps_at_every_node() -> None:
    """Sums of bounds would give 0 here, but frame i+2 of the inner window still decides whether it exists."""
    formula = Eventually(-2, -2, Eventually(2, 2, Atom("p")))
    assert (lookback(formula), lookahead(formula)) == (2, 0)
    assert (lookback(Eventually(2, 2, Eventually(-2, -2, Atom("p")))), lookahead(Until(0, Atom("p"), Atom("q")))) == (
        0,
        0,
    )
    assert lookahead(Until(3, Eventually(0, 4, Atom("p")), Atom("q"))) == 6
