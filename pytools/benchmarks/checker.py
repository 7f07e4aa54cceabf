"""The checker: equivalence of guards against the textbook encoding, signatures against one environment at a time."""

import random
from collections.abc import Iterator

import z3

from benchmarks.harness import Options, Row, Target, sized, timed
from tracepact.evaluate.masks import evaluate_trace
from tracepact.language.formula import Always, And, Atom, Eventually, Formula, Implies, Not, Or, Since, Until
from tracepact.logic.catalogue import Universe, signatures
from tracepact.logic.decisions import Outcome, Terms, equivalent
from tracepact.logic.models import over_base_atoms

SUBJECT = "checker"
LENGTH = sized(2000, 40)
RADII = sized((5, 50, 500), (2, 3, 4))
FORMULAS = sized(1000, 20)
NAMES = ("p", "q")
FRAMES = 9
PATIENCE = 120
"""Seconds after which the textbook encoding is stopped; its time is then a lower bound."""
SAMPLED_ENVIRONMENTS = sized(400, 20)
SAMPLED_FORMULAS = sized(50, 5)


def measure(_: Options) -> Iterator[Row]:
    """Each question in one run: ours, then the textbook encoding in the same Z3, with the same answer."""
    for radius in RADII:
        for what, first, second, expected in _guards(radius):
            ours, found = timed(lambda a=first, b=second: equivalent(a, b, Terms(length=LENGTH, minimise=False)))
            theirs, verdict = timed(lambda a=first, b=second: _textbook(a, b))
            if found.outcome is not expected or verdict not in (expected, Outcome.UNKNOWN):
                raise SystemExit(f"{what} at radius {radius}: {found.outcome}, textbook {verdict}, expected {expected}")
            stopped = ", stopped" if verdict is Outcome.UNKNOWN else ""
            yield Row(
                SUBJECT,
                f"{what}, radius {radius}, {LENGTH:,} frames: faster than textbook",
                theirs / ours,
                "×",
                Target(10) if radius == RADII[-1] else None,
                f"{ours:.3g} s against {theirs:.3g} s{stopped}",
            )
    yield from _signatures()


def _guards(radius: int) -> Iterator[tuple[str, Formula, Formula, Outcome]]:
    """Two guards that mean the same, and two that differ by one frame."""
    onset, pred = Atom("ref_onset"), Atom("pred_onset")
    guard = Implies(onset, Eventually(-radius, radius, pred))
    half = radius // 2
    nested = Implies(onset, Eventually(-half, half, Eventually(half - radius, radius - half, pred)))
    yield "equal guards", guard, nested, Outcome.YES
    yield "guards one frame apart", guard, Implies(onset, Eventually(-radius, radius + 1, pred)), Outcome.NO


def _textbook(first: Formula, second: Formula) -> Outcome:
    """One Boolean an atom and frame; a window is the disjunction of its frames: O(length · radius) literals."""
    masks = {name: [z3.Bool(f"{name} {i}") for i in range(LENGTH)] for name in ("ref_active", "pred_active")}
    a, b = (_frames(over_base_atoms(formula), masks) for formula in (first, second))
    solver = z3.Solver()
    solver.set("timeout", PATIENCE * 1000)
    solver.add(z3.Or([x != y for x, y in zip(a, b, strict=True)]))
    result = solver.check()
    return Outcome.YES if result == z3.unsat else Outcome.NO if result == z3.sat else Outcome.UNKNOWN


def _frames(formula: Formula, masks: dict[str, list[z3.BoolRef]]) -> list[z3.BoolRef]:
    def of(part: Formula) -> list[z3.BoolRef]:
        return _frames(part, masks)

    match formula:
        case Atom(name):
            return masks[name]
        case Not(body):
            return [z3.Not(x) for x in of(body)]
        case And(left, right):
            return [z3.And(x, y) for x, y in zip(of(left), of(right), strict=True)]
        case Implies(left, right):
            return [z3.Implies(x, y) for x, y in zip(of(left), of(right), strict=True)]
        case Eventually(lo, hi, body):
            inner = of(body)
            return [z3.Or(inner[max(0, i + lo) : max(0, i + hi + 1)]) for i in range(LENGTH)]
    raise AssertionError(f"no guard has {formula}")


def _signatures() -> Iterator[Row]:
    """A thousand formulas over all environments, against the fast engine asked environment by environment."""
    generator = random.Random(5)
    formulas = [_random(generator, 3) for _ in range(FORMULAS)]
    lengths = range(1, FRAMES + 1)
    ours, found = timed(lambda: signatures(formulas, NAMES, lengths, free=True))
    universe = Universe(NAMES, FRAMES)
    sample = [generator.randrange(universe.size) for _ in range(SAMPLED_ENVIRONMENTS)]
    masks = [
        {name: sum(1 << i for i, on in enumerate(mask) if on) for name, mask in universe.environment(e).items()}
        for e in sample
    ]
    some = formulas[:SAMPLED_FORMULAS]
    theirs, one_by_one = timed(lambda: [[evaluate_trace(f, m, FRAMES) for m in masks] for f in some])
    for formula, answers in zip(some, one_by_one, strict=True):
        truth = universe.truth(formula)
        for e, mask in zip(sample, answers, strict=True):
            if any((truth[i] >> e & 1) != (mask >> i & 1) for i in range(FRAMES)):
                raise SystemExit(f"{SUBJECT}: the signature of {formula} differs from the engine")
    places = found[0].places
    per_place = ours / (FORMULAS * places)
    alone = theirs / (len(some) * len(sample) * FRAMES)
    yield Row(SUBJECT, f"signatures of {FORMULAS:,} formulas", ours, "s", note=f"{places:,} environment-frames each")
    note = f"{per_place * 1e9:.3g} ns against {alone * 1e9:.3g} ns an environment-frame"
    yield Row(SUBJECT, "faster than environment by environment", alone / per_place, "×", Target(100), note)
    classes = len({signature.digest for signature in found})
    yield Row(SUBJECT, "different signatures", classes, "", note="by their hashes")


def _random(generator: random.Random, depth: int) -> Formula:
    if depth == 0 or generator.random() < 0.2:
        return Atom(generator.choice(NAMES))
    first, second = _random(generator, depth - 1), _random(generator, depth - 1)
    lo = generator.randint(-3, 2)
    return generator.choice(
        [
            Not(first),
            And(first, second),
            Or(first, second),
            Implies(first, second),
            Eventually(lo, lo + generator.randint(0, 3), first),
            Always(lo, lo + generator.randint(0, 3), first),
            Until(generator.randint(0, 4), first, second),
            Since(generator.randint(0, 4), first, second),
        ]
    )
