"""Python against the Lean definitions, both executed: a Lean file states what Python computed, the kernel checks it."""

import os
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from prove.copies import lean_says
from strategies import ATOMS, environments, formulas, to_mask
from stream.builders import Log, contract_of, pieces

from tracepact.data.family import Layout, offset, onset
from tracepact.evaluate.masks import IntegerAlgebra, evaluate_masks, evaluate_trace, match_runs
from tracepact.evaluate.reference import truth
from tracepact.language.contract import Matcher
from tracepact.language.formula import (
    Constant,
    Dag,
    Formula,
    FrameRun,
    Node,
    Operator,
    depth,
    lookahead,
    lookback,
    reach,
    runs_of_frames,
)
from tracepact.prove.build import Build
from tracepact.prove.text import core_formula, core_int, lean_bool, lean_list, lean_mask
from tracepact.stream import StreamMonitor

pytestmark = pytest.mark.slow

T = TypeVar("T")
NUMBERS = {name: number for number, name in enumerate(ATOMS)}
EXAMPLES = int(os.environ["TRACEPACT_EXAMPLES"])

OPENING = """\
import Tracepact
set_option autoImplicit false
set_option maxRecDepth 1000000
set_option maxHeartbeats 0
noncomputable section
namespace Tracepact.Check
/-- A mask from its frames. -/
def gather (p : Nat → Bool) : Nat → Nat
  | .zero => 0
  | .succ n => Nat.add (gather p n) (Nat.mul (toNat (p n)) (Nat.pow 2 n))
/-- A mask from emitted verdicts. -/
def emitted : List (Prod Nat Bool) → Nat
  | .nil => 0
  | .cons v rest => Nat.add (emitted rest) (Nat.mul (toNat v.snd) (Nat.pow 2 v.fst))
def kept (i j : Nat) : List Candidate → Bool
  | .nil => .false
  | .cons c rest => bor (band (Nat.beq c.ref i) (Nat.beq c.pred j)) (kept i j rest)
"""


class Statements:
    """Equations for the kernel, and what each is about."""

    def __init__(self) -> None:
        self._lines = OPENING.splitlines()
        self._about: dict[int, str] = {}

    def state(self, left: str, right: str, about: object) -> None:
        self._lines.append(f"example : Eq ({left}) {right} := id rfl")
        self._about[len(self._lines)] = str(about)

    def define(self, name: str, type_name: str, text: str) -> None:
        self._lines.append(f"def {name} : {type_name} := {text}")

    def open(self, definitions: str) -> None:
        self._lines += definitions.splitlines()

    def check(self, core: Build) -> None:
        assert self._about
        outcome = lean_says(core, "\n".join([*self._lines, "end Tracepact.Check", ""]))
        wrong = [self._about.get(m.line, m.text) for m in outcome.messages if m.severity != "information"]
        assert outcome.clean, wrong[:3] or outcome.fault
        print(f"the kernel checked {len(self._about)} results")


def drawn(strategy: st.SearchStrategy[T], count: int) -> list[T]:
    """Some examples of a strategy, the same ones every time."""
    found: list[T] = []

    @seed(20)
    @settings(max_examples=count, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(strategy)
    def collect(example: T) -> None:
        found.append(example)

    collect()
    return found


def masks_of(environment: dict[str, list[bool]]) -> dict[str, int]:
    return {name: to_mask(values) for name, values in environment.items()}


def atom_table(masks: dict[str, int]) -> str:
    return f"(numbered {lean_list(lean_mask(masks[name]) for name in ATOMS)})"


def streamed(formula: Formula, environment: dict[str, list[bool]]) -> int:
    """The verdicts of the streaming monitor, one frame at a time, as a mask."""
    monitor, log = StreamMonitor(contract_of([(Constant(True), formula)])), Log()
    frames = len(environment[ATOMS[0]])
    active = {name: [False] * frames for name in ("ref_active", "pred_active")}
    for chunk in pieces({**active, **environment}, range(frames + 1)):
        log.add(monitor.push(chunk))
    log.add(monitor.close())
    return held_in(log)


def held_in(log: Log) -> int:
    """The frames of a log where the verdict holds, as a mask."""
    return sum(1 << frame for (_, frame, _), (_, holds, _) in log.found.items() if holds)


def test_engines_give_the_verdicts_of_the_lean_engine(core: Build) -> None:
    """Formula by formula: verdict mask, lookback, lookahead, reach, depth."""
    stated = Statements()
    for number, (formula, (frames, environment)) in enumerate(drawn(st.tuples(formulas(), environments()), EXAMPLES)):
        masks = masks_of(environment)
        mask = evaluate_trace(formula, masks, frames)
        assert mask == to_mask(truth(formula, environment, frames))
        assert mask == streamed(formula, environment)
        stated.define(f"f{number}", "Formula", core_formula(formula, NUMBERS).text)
        about = (formula, frames, masks)
        stated.state(f"evalMask (full {frames}) {frames} {atom_table(masks)} f{number}", lean_mask(mask), about)
        for name, value in (
            ("lookback", lookback(formula)),
            ("lookahead", lookahead(formula)),
            ("larger 1 (widest", reach(formula)),
            ("depth", depth(formula)),
        ):
            stated.state(f"{name} f{number}{')' * name.count('(')}", str(value), (name, formula))
    stated.check(core)


def lean_node(node: Node, index: int) -> str:
    """A shared node; Lean names the nodes under it by their distance."""
    numbers = [NUMBERS[p] if isinstance(p, str) else p for p in node.parameters]
    if node.operator is Operator.CONSTANT:
        return f"(.constant {lean_bool(bool(numbers[0]))})"
    shown = [core_int(n).text if node.operator in (Operator.EVENTUALLY, Operator.ALWAYS) else str(n) for n in numbers]
    return f"(.«{node.operator.name.lower()}» {' '.join([*shown, *(str(index - part - 1) for part in node.parts)])})"


def test_shared_graphs_give_the_masks_of_the_lean_graphs(core: Build) -> None:
    """The graph that Python shares between two formulas, node by node, evaluated by Lean."""
    stated = Statements()
    pairs = st.tuples(formulas(leaves=3), formulas(leaves=3), environments(longest=6))
    for first, second, (frames, environment) in drawn(pairs, EXAMPLES // 4):
        dag, roots = Dag.of([first, second])
        if len(dag.nodes) > 10:
            continue
        nodes = lean_list(lean_node(node, index) for index, node in reversed(list(enumerate(dag.nodes))))
        table = atom_table(masks_of(environment))
        for root, formula in zip(roots, (first, second), strict=True):
            mask = to_mask(truth(formula, environment, frames))
            evaluated = f"entry 0 (masks (full {frames}) {frames} {table} {nodes}) {len(dag.nodes) - 1 - root}"
            stated.state(evaluated, lean_mask(mask), (formula, environment))
    stated.check(core)


def test_the_reference_gives_the_verdicts_of_the_lean_evaluator(core: Build) -> None:
    """The naive evaluator and the streaming monitor of the Lean core, run on short traces."""
    stated = Statements()
    strategy = st.tuples(formulas(farthest=3, leaves=3), environments(longest=5))
    for number, (formula, (frames, environment)) in enumerate(drawn(strategy, EXAMPLES // 2)):
        mask = to_mask(truth(formula, environment, frames))
        stated.define(f"f{number}", "Formula", core_formula(formula, NUMBERS).text)
        trace = f"⟨{frames}, fun k j => bit ({atom_table(masks_of(environment))} k) j⟩"
        stated.define(f"t{number}", "Trace", trace)
        stated.state(f"gather (eval t{number} f{number}) {frames}", lean_mask(mask), (formula, environment))
        if number % 4 == 0:
            stated.state(f"emitted (stream t{number} f{number})", lean_mask(mask), ("stream", formula, environment))
    stated.check(core)


def test_families_give_the_masks_of_the_lean_family(core: Build) -> None:
    """The long mask of a layout, paddings and all, frame for frame."""
    stated = Statements()
    clips = st.lists(environments(longest=7), min_size=1, max_size=4)
    strategy = st.tuples(formulas(farthest=9), clips)
    for number, (formula, traces) in enumerate(drawn(strategy, max(EXAMPLES // 5, 20))):
        layout = Layout([frames for frames, _ in traces], reach(formula))
        starts = [int(start) for start in layout.start]
        ends = [*starts[1:], layout.words * 64]
        segments, atoms = [], dict.fromkeys(ATOMS, 0)
        for start, end, (frames, environment) in zip(starts, ends, traces, strict=True):
            masks = masks_of(environment)
            segments.append(f"⟨⟨{frames}, {atom_table(masks)}⟩, {end - start - frames}⟩")
            atoms = {name: atoms[name] | masks[name] << start for name in ATOMS}
        (mask,) = evaluate_masks([formula], atoms, IntegerAlgebra(layout.valid, layout.longest))
        stated.define(f"s{number}", "List Segment", lean_list(segments))
        stated.state(f"familyValid s{number}", lean_mask(layout.valid), traces)
        for name in ATOMS:
            stated.state(f"familyMask {NUMBERS[name]} s{number}", lean_mask(atoms[name]), (name, traces))
        tables = f"(fun k => familyMask k s{number})"
        verdict = f"evalMask (familyValid s{number}) {layout.longest} {tables} {core_formula(formula, NUMBERS).text}"
        stated.state(verdict, lean_mask(mask), (formula, traces))
    stated.check(core)


def test_runs_edges_counts_and_distances_are_those_of_lean(core: Build) -> None:
    stated = Statements()
    for frames in drawn(st.lists(st.booleans(), min_size=1, max_size=24), EXAMPLES // 2):
        mask, n = to_mask(frames), len(frames)
        runs = lean_list(f"⟨{start}, {end}⟩" for start, end in runs_of_frames(frames))
        stated.state(f"runs (bit {mask:#x}) {n}", runs, ("runs", frames))
        stated.state(f"gather (paint {runs}) {n}", f"{mask:#x}", ("paint", frames))
        for name, value in (("onset", onset(mask)), ("offset", offset(mask, (1 << n) - 1))):
            stated.state(f"gather ({name} (bit {mask:#x})) {n}", f"{value:#x}", (name, frames))
        stated.state(f"onsetMask {mask:#x}", f"{onset(mask):#x}", frames)
        stated.state(f"offsetMask (full {n}) {mask:#x}", f"{offset(mask, (1 << n) - 1):#x}", frames)
        stated.state(f"popcount {(n - 1).bit_length()} {mask:#x}", str(mask.bit_count()), frames)
        distances = [abs(i - n // 2) for i, active in enumerate(frames) if active]
        nearest = f"(.some {min(distances)})" if distances else ".none"
        stated.state(f"nearest (bit {mask:#x}) {n // 2} {n}", nearest, ("nearest", frames))
    stated.check(core)


def test_the_greedy_matcher_is_that_of_lean(core: Build) -> None:
    stated = Statements()
    sides = st.lists(st.booleans(), min_size=8, max_size=30)
    matcher = Matcher(search=Fraction(3), overlap_reward=Fraction(1, 2))
    for number, (left, right) in enumerate(drawn(st.tuples(sides, sides), EXAMPLES // 2)):
        ref, pred = runs_of_frames(left), runs_of_frames(right)
        found = _candidates(ref, pred, search=3)
        pairs = match_runs(ref, pred, matcher, Fraction(1))
        shuffled = random.Random(number).sample(found, len(found))
        entries = (f"⟨{i}, {j}, {core_int(cost).text}, {ref[i][0]}, {pred[j][0]}⟩" for cost, i, j in shuffled)
        stated.define(f"c{number}", "List Candidate", lean_list(entries))
        stated.state(f"length (greedy c{number})", str(len(pairs)), (ref, pred))
        for i, j in pairs:
            stated.state(f"kept {i} {j} (greedy c{number})", ".true", (ref, pred, i, j))
    stated.check(core)


def _candidates(ref: Sequence[FrameRun], pred: Sequence[FrameRun], search: int) -> list[tuple[int, int, int]]:
    """Overlapping pairs with an end within `search`, and twice their cost with a reward of a half (rules 8.1, 8.2)."""
    found = []
    for i, (a, b) in enumerate(ref):
        for j, (c, d) in enumerate(pred):
            overlap = min(b, d) - max(a, c)
            if overlap > 0 and min(abs(a - c), abs(b - d)) <= search:
                found.append((2 * (abs(a - c) + abs(b - d)) - overlap, i, j))
    return found


def test_the_sample_of_the_paper(core: Build) -> None:
    """Four obligations, two satisfied, two violated, and a witness in the neighbourhood."""
    obliged, holds = 0b10110100, 0b10011001
    satisfied, violated = (obliged & holds).bit_count(), (obliged & ~holds).bit_count()
    assert (obliged.bit_count(), satisfied, violated) == (4, 2, 2)
    stated = Statements()
    stated.state(f"obligations (bit {obliged:#x}) 8", "4", "obligations")
    stated.state(f"satisfied (bit {obliged:#x}) (bit {holds:#x}) 8", "2", "satisfied")
    stated.state(f"violated (bit {obliged:#x}) (bit {holds:#x}) 8", "2", "violated")
    stated.state(f"eval ⟨8, fun _ j => bit {holds:#x} j⟩ (near 2 (.atom 0)) 6", ".true", "witness")
    stated.check(core)


def test_a_wrong_result_is_refused(core: Build) -> None:
    wrong: list[Callable[[Statements], None]] = [
        lambda stated: stated.state("popcount 3 0xb5", "4", "count"),
        lambda stated: stated.state("evalMask (full 4) 4 (numbered .nil) (.not (.atom 0))", "0xe", "mask"),
        lambda stated: stated.state("lookahead (.eventually (.ofNat 1) (.ofNat 3) (.atom 0))", "2", "lookahead"),
    ]
    for add in wrong:
        stated = Statements()
        add(stated)
        assert _refused(stated, core)


def _refused(stated: Statements, core: Build) -> bool:
    try:
        stated.check(core)
    except AssertionError:
        return True
    return False
