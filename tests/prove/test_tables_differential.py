"""Python against the Lean definitions of tables, joining, candidates, distances and event predicates, by the kernel."""

import random
from fractions import Fraction

import pytest
from hypothesis import strategies as st
from prove.test_differential import NUMBERS, Statements, atom_table, drawn, held_in, masks_of, streamed
from strategies import environments, formulas
from stream.builders import Log, contract_of, cuts, pieces

from tracepact import parse_contract
from tracepact.data.family import Grid
from tracepact.evaluate.masks import candidates
from tracepact.evaluate.predicates import ClipScene, Obligation, prepare, truth
from tracepact.language.contract import Projection
from tracepact.language.formula import Constant, FrameRun, join_runs, lookahead, lookback, runs_of_frames
from tracepact.language.predicate import Each
from tracepact.prove.build import Build
from tracepact.prove.text import core_formula, core_int, core_predicate, lean_bool, lean_list, lean_mask
from tracepact.stream import StreamMonitor

pytestmark = pytest.mark.slow

PREDICATES = """\
contract attributes
step 20ms
clause a on each ref     : matched and covering <= 1
clause b on each ref     : not (abs(pred.onset - ref.onset) <= 30ms) or coverage >= 0.4
clause c on each ref     : pred.onset > ref.onset implies longest_gap < 60ms
clause d on each ref     : shortest_gap >= 40ms iff longest_gap != 20ms
clause e on each pred    : purity >= 1/3 and covering == 1 or dominant
clause f on each pred    : min(ref.offset, pred.offset) - max(ref.onset, pred.onset) >= 0.5 * pred.duration
clause g on each matched : abs(pred.duration - ref.duration) <= 0.25 * ref.duration
clause h on each matched : iou > 0.3 and overlap - 10ms >= -1 * (pred.duration - ref.duration)
"""


def _frames(draw: random.Random, frames: int) -> list[bool]:
    """Runs and gaps of one to six frames."""
    mask: list[bool] = []
    active = draw.random() < 0.5
    while len(mask) < frames:
        mask += [active] * draw.randint(1, 6)
        active = not active
    return mask[:frames]


def _intervals(runs: tuple[FrameRun, ...] | list[FrameRun]) -> str:
    return lean_list(f"⟨{start}, {end}⟩" for start, end in runs)


def test_times_become_the_frames_of_the_lean_projection(core: Build) -> None:
    """All three projections, at ties as well: every frame is covered exactly when the rule says so."""
    draw, stated = random.Random(12), Statements()
    for projection in Projection:
        grid = Grid(Fraction(1, 50), projection)
        for _ in range(40):
            step = draw.choice((2, 3, 20))
            onset = draw.randint(0, 6 * step)
            offset = onset + draw.randint(0, 5 * step)
            start, end = grid.edges(onset, offset, step)
            covered = lean_mask(sum(1 << j for j in range(start, end)))
            place = f".{projection.value} {step} ⟨{onset}, {offset}⟩"
            stated.state(f"gather (covers {place}) 14", covered, (projection, step, onset, offset))
            stated.state(f"isProjected {place} ⟨{start}, {end}⟩", ".true", "the check accepts")
            stated.state(f"isProjected {place} ⟨{start}, {end + 1}⟩", ".false", "and refuses one frame more")
    for step, duration in ((2, 0), (2, 1), (2, 4), (3, 7)):
        frames = Grid(Fraction(step)).frames(Fraction(duration))
        stated.state(f"isEdge (coversDuration {step} {duration}) {frames}", ".true", (step, duration))
    stated.check(core)


def test_joining_candidates_and_distances_are_those_of_lean(core: Build) -> None:
    draw, stated = random.Random(5), Statements()
    for _ in range(40):
        ref_frames, pred_frames = _frames(draw, 30), _frames(draw, 30)
        ref, pred = runs_of_frames(ref_frames), runs_of_frames(pred_frames)
        step, gap = draw.choice((2, 3)), draw.randint(0, 12)
        joined = join_runs(ref, Fraction(gap), Fraction(step))
        stated.state(f"joinRuns {step} {gap} {_intervals(ref)}", _intervals(joined), (ref, step, gap))
        search, reward, unit = draw.randint(0, 6), draw.randint(0, 3), draw.randint(1, 3)
        found = lean_list(
            f"⟨{i}, {j}, {core_int(cost).text}, {ref[i][0]}, {pred[j][0]}⟩"
            for cost, i, j in candidates(ref, pred, search, reward, unit)
        )
        listed = f"candidates {search} {unit} {reward} {_intervals(pred)} 0 {_intervals(ref)}"
        stated.state(listed, found, (ref, pred, search))
        masks = [lean_mask(sum(1 << i for i, on in enumerate(f) if on)) for f in (ref_frames, pred_frames)]
        distances = _nearest(ref_frames, pred_frames)
        stated.state(
            f"nearestDistances (bit {masks[0]}) (bit {masks[1]}) 30 30", lean_list(map(str, distances)), "distances"
        )
    stated.check(core)


def _nearest(obliged: list[bool], there: list[bool]) -> list[int]:
    """The nearest distances of the obliged frames, the latest frame first."""
    places = [j for j, on in enumerate(there) if on]
    return [min(abs(i - j) for j in places) for i in reversed(range(len(obliged))) if obliged[i] and places]


def test_event_predicates_are_those_of_lean(core: Build) -> None:
    """Every attribute, with and without a partner: a comparison about a missing one is false (rule 4.12)."""
    contract = parse_contract(PREDICATES)
    draw, stated = random.Random(7), Statements()
    for clause in contract.event_clauses:
        stated.define(f"predicate_{clause.name}", "Predicate", core_predicate(clause, 1000).text)
    for _ in range(30):
        refs, preds = (tuple(runs_of_frames(_frames(draw, 24))) for _ in range(2))
        if not refs or not preds:
            continue
        scene = ClipScene(refs, preds)
        text = f"⟨{_timed(refs)}, {_timed(preds)}, .nil⟩"
        for clause in contract.event_clauses:
            atoms = {name: prepare(atom, contract.step) for name, atom in clause.event_atoms}
            for ref, pred in _obligations(draw, clause.each, scene):
                held = truth(clause.formula, atoms)(Obligation(ref, pred, scene))
                obligation = f"⟨{_optional(ref)}, {_optional(pred)}, {text}⟩"
                about = (clause.name, ref, pred, scene)
                stated.state(f"predicateValue {obligation} predicate_{clause.name}", lean_bool(held), about)
    stated.check(core)


def _obligations(draw: random.Random, each: Each, scene: ClipScene) -> list[tuple[FrameRun | None, FrameRun | None]]:
    """One obligation with a partner and, where the kind allows it, one without."""
    ref, pred = draw.choice(scene.refs), draw.choice(scene.preds)
    match each:
        case Each.REF:
            return [(ref, pred), (ref, None)]
        case Each.PRED:
            return [(ref, pred), (None, pred)]
        case Each.MATCHED:
            return [(ref, pred)]


def _timed(runs: tuple[FrameRun, ...]) -> str:
    return _intervals([(20 * start, 20 * end) for start, end in runs])


def _optional(run: FrameRun | None) -> str:
    return ".none" if run is None else f"(.some ⟨{20 * run[0]}, {20 * run[1]}⟩)"


def test_the_streaming_program_gives_what_the_python_stream_gives(core: Build) -> None:
    """Formula by formula, frame by frame: the verdicts, and the frames that are held at the end."""
    stated = Statements()
    cases = drawn(st.tuples(formulas(farthest=3), environments(longest=9)), 60)
    for number, (formula, (frames, environment)) in enumerate(cases):
        stated.define(f"t{number}", "Trace", f"⟨{frames}, fun k => bit ({atom_table(masks_of(environment))} k)⟩")
        stated.define(f"f{number}", "Formula", core_formula(formula, NUMBERS).text)
        mask = lean_mask(streamed(formula, environment))
        stated.state(f"emitted (program t{number} f{number})", mask, (formula, environment))
        held = min(frames, lookback(formula) + lookahead(formula))
        stated.state(f"(buffer t{number} f{number} {frames}).held", str(held), (formula, frames))
    stated.check(core)


def test_the_program_with_chunks_lets_out_what_the_python_stream_lets_out(core: Build) -> None:
    """After every chunk: the verdicts that are out; at the end all of them, and the frames that are held."""
    stated = Statements()
    strategy = environments(longest=8).flatmap(
        lambda case: st.tuples(formulas(farthest=3), st.just(case), cuts(case[0]))
    )
    for number, (formula, (frames, environment), places) in enumerate(drawn(strategy, 40)):
        stated.define(f"t{number}", "Trace", f"⟨{frames}, fun k => bit ({atom_table(masks_of(environment))} k)⟩")
        stated.define(f"f{number}", "Formula", core_formula(formula, NUMBERS).text)
        monitor, log = StreamMonitor(contract_of([(Constant(True), formula)])), Log()
        silent = {name: [False] * frames for name in ("ref_active", "pred_active")}
        lengths: list[int] = []
        for chunk in pieces({**silent, **environment}, places):
            log.add(monitor.push(chunk))
            lengths.insert(0, len(chunk["p"]))
            out = f"chunkOutput t{number} f{number} {lean_list(map(str, lengths))}"
            stated.state(f"emitted ({out})", lean_mask(held_in(log)), (formula, environment, lengths))
            stated.state(f"length ({out})", str(len(log.found)), (formula, lengths))
        log.add(monitor.close())
        whole = lean_list(map(str, lengths))
        stated.state(f"emitted (chunked t{number} f{number} {whole})", lean_mask(held_in(log)), (formula, environment))
        held = min(frames, lookback(formula) + lookahead(formula))
        stated.state(f"(chunkBuffer t{number} f{number} {whole}).held", str(held), (formula, lengths))
    stated.check(core)
