"""Scores of Python against Lean: masks of tables, edges as formulas, tolerance curves, values of clauses, matchings."""

import random
from fractions import Fraction

import pytest
from hypothesis import strategies as st
from prove.test_differential import EXAMPLES, NUMBERS, Statements, atom_table, drawn, masks_of
from strategies import environments, formulas, to_mask

from tracepact import Mode, Run, score
from tracepact.data.family import Side, offset, onset
from tracepact.evaluate.curves import StepFunction
from tracepact.evaluate.reference import truth
from tracepact.evaluate.tolerance import curves
from tracepact.language.contract import Projection
from tracepact.prove.build import Build
from tracepact.prove.text import core_formula, lean_bool, lean_list, lean_mask

pytestmark = pytest.mark.slow

STEP = 20
"""Milliseconds."""
CONTRACT = """\
contract edges
step 20ms
projection {projection}
merge_gap 40ms
matcher greedy(search = {search}ms, overlap_reward = 1/2)
param tol = 40ms
clause near    on ref_onset    : ref_onset -> N[tol] pred_onset
clause back    on pred_offset  : pred_offset -> N[tol] ref_offset
clause matched on each ref     : matched
clause paired  on each matched : matched
"""
Events = list[tuple[int, int]]


def events(draw: random.Random, last: int) -> Events:
    """Events in milliseconds that overlap, touch and vanish."""
    starts = sorted(draw.randint(0, last - 1) for _ in range(draw.randint(0, 4)))
    return [(start, min(start + draw.choice((0, 7, 30, 90, 160)), last)) for start in starts]


def scored(projection: Projection, search: int, ref: Events, pred: Events, last: int) -> Run:
    tables = [{"a": [(Fraction(s, 1000), Fraction(e, 1000), "x") for s, e in side]} for side in (ref, pred)]
    text = CONTRACT.format(projection=projection.value, search=search)
    return score(text, *tables, durations=Fraction(last, 1000), mode=Mode.UNION)


def cases(count: int) -> list[tuple[Projection, Events, Events, Run]]:
    """Scored clips of half a second."""
    draw, found = random.Random(18), []
    for _ in range(count):
        projection, search = draw.choice(list(Projection)), draw.choice((20, 60, 120))
        ref, pred = events(draw, 500), events(draw, 500)
        found.append((projection, ref, pred, scored(projection, search, ref, pred, 500)))
    return found


def lean_events(some: Events) -> str:
    return lean_list(f"⟨{start}, {end}⟩" for start, end in some)


def side_mask(run: Run, side: Side) -> int:
    return sum(1 << j for start, end in run.card.family.runs[side].get(0, ()) for j in range(start, end))


def test_the_masks_of_tables_are_those_of_lean(core: Build) -> None:
    """From times to frames, event by event, united and cut at the end of the clip."""
    stated = Statements()
    for projection, ref, pred, run in cases(40):
        (frames,) = run.card.family.frames
        stated.state(f"isEdge (coversDuration {STEP} 500) {frames}", ".true", "frames")
        for side, some in ((Side.REF, ref), (Side.PRED, pred)):
            mask = lean_mask(side_mask(run, side))
            covered = f"active .{projection.value} {STEP} {lean_events(some)}"
            stated.state(f"gather ({covered}) {frames}", mask, (projection, some))
            runs = run.card.family.runs[side].get(0, ())
            stated.state(f"paintMask {lean_events(list(runs))}", mask, ("paint", runs))
    stated.check(core)


def test_edges_as_formulas_are_the_edges_of_python(core: Build) -> None:
    """`onsetOf` and `offsetOf` of a formula against the shifts that Python makes of its verdicts."""
    stated = Statements()
    strategy = st.tuples(formulas(farthest=2, leaves=2), environments(longest=6))
    for number, (formula, (frames, environment)) in enumerate(drawn(strategy, EXAMPLES // 3)):
        mask = to_mask(truth(formula, environment, frames))
        stated.define(f"t{number}", "Trace", f"⟨{frames}, fun k => bit ({atom_table(masks_of(environment))} k)⟩")
        edges = {"onsetOf": onset(mask), "offsetOf": offset(mask, (1 << frames) - 1)}
        for name, found in edges.items():
            evaluated = f"gather (eval t{number} ({name} {core_formula(formula, NUMBERS).text})) {frames}"
            stated.state(evaluated, lean_mask(found), (name, formula, environment))
    stated.check(core)


def satisfied_at(curve: StepFunction, value: Fraction) -> int:
    """The satisfied count of a curve at a value."""
    starts = [piece for piece in curve.pieces() if (piece.low, not piece.low_included) <= (value, False)]
    assert starts[-1].counts is not None
    return starts[-1].counts[0]


def test_tolerance_curves_are_those_of_lean(core: Build) -> None:
    """The satisfied count of an edge guard at every radius: counted anew, and by the nearest distances."""
    stated = Statements()
    for number, (_, _, _, run) in enumerate(cases(12)):
        (frames,) = run.card.family.frames
        ref, pred = (lean_mask(side_mask(run, side)) for side in (Side.REF, Side.PRED))
        trace = f"⟨{frames}, boundaryAtom (bit {ref}) (bit {pred}) (fun _ _ => .false)⟩"
        stated.define(f"t{number}", "Trace", trace)
        found = curves(run.card, "tol", Fraction(0), Fraction(frames * STEP, 1000))
        for clause, obliged, witness in (("near", 1, 4), ("back", 5, 2)):
            curve = found.clauses[clause]
            assert found.methods[clause] == "distances"
            distances = f"nearestDistances (eval t{number} (.atom {obliged})) (eval t{number} (.atom {witness}))"
            for radius in (0, 1, 2, 5, frames):
                satisfied = satisfied_at(curve, Fraction(radius * STEP, 1000))
                about = (clause, radius, ref, pred)
                guard = f"(.implies (.atom {obliged}) (near {radius} (.atom {witness})))"
                counted = f"satisfied (eval t{number} (.atom {obliged})) (eval t{number} {guard}) {frames}"
                stated.state(counted, str(satisfied), about)
                within = f"listCount (fun d => Nat.ble d {radius}) ({distances} {frames} {frames})"
                stated.state(within, str(satisfied), about)
    stated.check(core)


def test_values_and_matchings_of_clips_are_those_of_lean(core: Build) -> None:
    """Joined runs, candidates, the greedy matching and the value of rules 7.2 to 7.4, all from the tables' times."""
    stated, kinds = Statements(), set()
    for projection, ref, pred, run in cases(60):
        search = run.card.contract.matcher.search * 1000
        sides = f"⟨500, {lean_events(ref)}, {lean_events(pred)}⟩"
        clauses = "(.cons (.event .ref .matched) (.cons (.event .matched .matched) .nil))"
        contract = f"⟨{STEP}, .{projection.value}, 40, {search}, 2, 1, {clauses}⟩"
        counts = [run.card.counts[name] for name in ("matched", "paired")]
        pairs = lean_list(f"⟨{c.satisfied[0, 0]}, {c.obligated[0, 0]}⟩" for c in counts)
        evidence = any(run.card.family.runs[side].get(0) for side in (Side.REF, Side.PRED))
        (frames,) = run.card.family.frames
        about = (projection, ref, pred)
        stated.state(f"Contract.clipCounts {contract} {sides} {frames}", f"⟨{pairs}, {lean_bool(evidence)}⟩", about)
        for count, each in zip(counts, (".ref", ".matched"), strict=True):
            found, value = count.score(0, 0), f"clauseValue (.event {each} .matched) {lean_bool(evidence)}"
            kinds.add((found.vacuous, found.obligated > 0))
            given = f"⟨{found.satisfied}, {found.obligated}⟩"
            stated.state(f"({value} {given}).vacuous", lean_bool(found.vacuous), about)
            fraction = f"Nat.mul ({value} {given}).satisfied {found.value.denominator}"
            stated.state(fraction, f"(Nat.mul {found.value.numerator} ({value} {given}).obligated)", about)
    assert kinds == {(True, False), (False, False), (False, True)}
    stated.check(core)
