"""What candidates are tried on, as masks in words, and whether a perfect prediction satisfies them (14.8)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracepact.data.assembly import assemble
from tracepact.data.events import Durations, Event, EventTable
from tracepact.data.family import Atoms, Family, Grid, Layout, Side, offset, onset
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Diagnostic
from tracepact.evaluate.masks import apply_node
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import BUILTIN_ATOMS, CLASS_ATOMS, Contract, EventClause, Matcher
from tracepact.language.formula import (
    And,
    Atom,
    Constant,
    Dag,
    Eventually,
    Formula,
    FrameRun,
    Implies,
    Node,
    Not,
    Operator,
    Or,
    Since,
    Until,
    atoms,
)
from tracepact.language.predicate import EventAtom
from tracepact.logic.decisions import Budget, Outcome, Terms, bound, valid
from tracepact.logic.models import Verdict
from tracepact.logic.predictions import perfect_interval_with, perfected
from tracepact.selection.calibration import Calibration, Masks
from tracepact.selection.candidates import Candidate, FrameCandidate
from tracepact.wording import ms, print_number

# Masks as rows of 64-bit words: many formulas of one shape are evaluated at once, with the engine's own windows.

Rows = NDArray[np.uint64]
"""Masks, one in each row; a single mask has one dimension."""

_CHUNK = 1 << 22
"""How many words of rows that nothing else needs are made at a time."""


class WordAlgebra:
    """Masks as arrays whose last axis is their words; what is moved beyond the last word is lost: it is not valid."""

    def __init__(self, valid: Rows, longest: int) -> None:
        self.valid = valid
        self.longest = longest
        self.none: Rows = np.zeros_like(valid)

    def conjunction(self, a: Rows, b: Rows, /) -> Rows:
        """Frames of both."""
        both: Rows = a & b
        return both

    def disjunction(self, a: Rows, b: Rows, /) -> Rows:
        """Frames of either."""
        either: Rows = a | b
        return either

    def difference(self, a: Rows, b: Rows, /) -> Rows:
        """Frames of exactly one."""
        one: Rows = a ^ b
        return one

    def later(self, a: Rows, k: int, /) -> Rows:
        """Move every frame k later."""
        words, bits = divmod(k, _WORD)
        moved = np.zeros_like(a)
        if words >= a.shape[-1]:
            return moved
        kept = a[..., : a.shape[-1] - words]
        moved[..., words:] = kept << np.uint64(bits)
        if bits and kept.shape[-1] > 1:
            moved[..., words + 1 :] |= kept[..., :-1] >> np.uint64(_WORD - bits)
        return moved

    def earlier(self, a: Rows, k: int, /) -> Rows:
        """Move every frame k earlier; those before the first are lost."""
        words, bits = divmod(k, _WORD)
        moved = np.zeros_like(a)
        if words >= a.shape[-1]:
            return moved
        kept = a[..., words:]
        moved[..., : kept.shape[-1]] = kept >> np.uint64(bits)
        if bits and kept.shape[-1] > 1:
            moved[..., : kept.shape[-1] - 1] |= kept[..., 1:] << np.uint64(_WORD - bits)
        return moved


def evaluate_rows(
    dag: Dag, roots: Sequence[int], atoms: Mapping[str, Rows], algebra: WordAlgebra
) -> Iterator[tuple[NDArray[np.int64], Rows]]:
    """The masks of the roots in batches: which of the roots, by place, and a row for each.

    Nodes with one operator and the same numbers are evaluated together, level by level. A root that is part of nothing
    else is made when its batch is asked for and not kept.
    """
    wanted = _reachable(dag, roots)
    inner = sorted({part for index in wanted for part in dag.nodes[index].parts})
    # only what is part of something else is kept: the outermost formulas are by far the most, and each is needed once
    kept = np.zeros((len(inner), len(algebra.valid)), dtype=np.uint64)
    row = {index: place for place, index in enumerate(inner)}
    for group in _levels(dag, inner):
        kept[[row[i] for i in group]] = _evaluated(dag, group, kept, row, atoms, algebra)
    size = max(1, _CHUNK // max(1, len(algebra.valid)))
    places = np.arange(len(roots), dtype=np.int64)
    at = np.array([row.get(root, -1) for root in roots], dtype=np.int64)
    for start in range(0, len(roots), size):
        some = places[start : start + size]
        some = some[at[some] >= 0]
        if len(some):
            yield some, kept[at[some]]
    outer: dict[int, list[int]] = {}
    for place, root in enumerate(roots):
        if root not in row:
            outer.setdefault(root, []).append(place)
    for group in _levels(dag, list(outer)):
        for start in range(0, len(group), size):
            chunk = group[start : start + size]
            rows = _evaluated(dag, chunk, kept, row, atoms, algebra)
            repeats = [len(outer[i]) for i in chunk]
            yield np.array([p for i in chunk for p in outer[i]], dtype=np.int64), np.repeat(rows, repeats, axis=0)


def _reachable(dag: Dag, roots: Sequence[int]) -> set[int]:
    reached: set[int] = set()
    stack = list(roots)
    while stack:
        index = stack.pop()
        if index not in reached:
            reached.add(index)
            stack.extend(dag.nodes[index].parts)
    return reached


def _levels(dag: Dag, indices: Sequence[int]) -> list[list[int]]:
    """Nodes of one level, operator and parameters together, parts before what they are parts of."""
    level: dict[int, int] = {}
    for index, node in enumerate(dag.nodes):
        level[index] = 1 + max((level[part] for part in node.parts), default=0)
    # one NumPy call for all formulas of a shape: a call for each would cost more than its words
    groups: dict[tuple[int, Operator, tuple[int | str, ...]], list[int]] = {}
    for index in indices:
        node = dag.nodes[index]
        groups.setdefault((level[index], node.operator, node.parameters), []).append(index)
    return [groups[key] for key in sorted(groups, key=lambda key: key[0])]


def _evaluated(
    dag: Dag, group: Sequence[int], kept: Rows, row: Mapping[int, int], atoms: Mapping[str, Rows], algebra: WordAlgebra
) -> Rows:
    """The rows of nodes that differ in their parts only."""
    first = dag.nodes[group[0]]
    parts = [kept[[row[dag.nodes[index].parts[place]] for index in group]] for place in range(len(first.parts))]
    rows = apply_node(Node(first.operator, first.parameters, first.parts), parts, atoms, algebra)
    return np.broadcast_to(rows, (len(group), len(algebra.valid)))


# What candidates are tried on: the cases, the references as perfect predictions and all short perfect traces.

# 254 traces in all, side by side in one bitset: most candidates that are not perfect fail on one of them, so that the
# solver is asked about few.
SHORT = 7
"""Every trace of up to this many frames is tried as a perfect prediction."""

_WORD = 64
_ON_THE_GRID = {"vanished-event", "joined-events", "duplicate-row", "offset-beyond-clip"}
_SIDES = ("ref_active", "ref_onset", "ref_offset")
_PERFECT = {name.replace("ref", "pred"): name for name in _SIDES}
"""What a perfect prediction is on a short trace; declared atoms hold nowhere there."""


def grid_contract(calibration: Calibration, matcher: Matcher, clauses: str = "clause any on true : true") -> Contract:
    """A contract with the settings of a calibration set."""
    return parse_contract(settings_text(calibration, matcher, "calibration") + clauses)


def settings_text(
    calibration: Calibration, matcher: Matcher, name: str, title: str | None = None, atoms: Sequence[str] | None = None
) -> str:
    """The statements of a contract that are not clauses; it declares all atoms of the set, or those that are given."""
    quoted = title.replace("\\", "\\\\").replace('"', '\\"') if title else None
    lines = [f"contract {name}" + (f' "{quoted}"' if quoted else ""), f"step {ms(calibration.step)}"]
    if calibration.merge_gap:
        lines.append(f"merge_gap {ms(calibration.merge_gap)}")
    lines.append(f"projection {calibration.projection.value}")
    reward = print_number(matcher.overlap_reward)
    lines.append(f"matcher {matcher.kind.value}(search = {ms(matcher.search)}, overlap_reward = {reward})")
    lines += [f"atom {atom}" for atom in (calibration.atoms if atoms is None else atoms)]
    return "\n".join(lines) + "\n"


class TrialClip(NamedTuple):
    """A clip that candidates are tried on."""

    name: str
    ref: tuple[Event, ...]
    pred: tuple[Event, ...]
    duration: Fraction
    masks: Masks = ()


def clips_of(calibration: Calibration) -> list[TrialClip]:
    """One clip for each case, then each different reference with itself as its prediction."""
    clips = [TrialClip(case.name, case.ref, case.pred, case.duration, case.masks) for case in calibration.cases]
    taken = {clip.name for clip in clips}
    perfect = {(case.ref, case.duration, case.masks) for case in calibration.cases}
    perfect |= {(r.events, r.duration, r.masks) for r in calibration.references}
    if max(clip.duration for clip in clips) < SHORT * calibration.step:
        perfect.add(((), SHORT * calibration.step, ()))  # clips lie apart by the longest of them, short traces included
    # sorted, so that names and results do not depend on the order of a set
    for number, (events, duration, masks) in enumerate(sorted(perfect, key=repr)):
        name = f"perfect {number}"
        while name in taken:
            name += "'"
        clips.append(TrialClip(name, events, events, duration, masks))
    return clips


def family_of_cases(calibration: Calibration, contract: Contract, warnings: list[Diagnostic] | None = None) -> Family:
    """The clips of `clips_of` over the labels of all of them; `own_segments` says which of these are a clip's own.

    What the grid does to the events of a case is added to `warnings`.
    """
    clips = clips_of(calibration)
    file = calibration.source.name
    diagnostics = Diagnostics()
    family = assemble(
        contract,
        EventTable(file, {clip.name: clip.ref for clip in clips}),
        EventTable(file, {clip.name: clip.pred for clip in clips}),
        durations=Durations(file, {clip.name: clip.duration for clip in clips}),
        masks={atom: {clip.name: _mask(clip, atom, calibration) for clip in clips} for atom in calibration.atoms},
        diagnostics=diagnostics,
    )
    diagnostics.raise_errors()
    if warnings is not None:
        names = {case.name for case in calibration.cases}
        told = (d for d in diagnostics if d.code in _ON_THE_GRID and any(f"`{n}`" in d.headline for n in names))
        warnings += dict.fromkeys(replace(d, place=None) for d in told)
    return family


def _mask(clip: TrialClip, atom: str, calibration: Calibration) -> int:
    """The frames of a clip where a declared atom holds, one bit each; nowhere if the clip says nothing of it."""
    grid, mask = Grid(calibration.step, calibration.projection), 0
    for start, end in dict(clip.masks).get(atom, ()):
        first, after = grid.project(start, end)
        mask |= ((1 << max(after - first, 0)) - 1) << first
    return mask


@dataclass(frozen=True, eq=False)
class Trials:
    """The atoms of all trials in one bitset; the first words are the clips of the family, the rest short traces."""

    family: Family
    layout: Layout
    cases: int
    algebra: WordAlgebra
    atoms: dict[str, Rows]
    short_traces: int
    merge_gap: Fraction
    segments: tuple[tuple[int, ...], ...]

    @property
    def words(self) -> int:
        """How many words the clips take."""
        return self.layout.words

    @property
    def first_word(self) -> NDArray[np.int64]:
        """Where each segment begins."""
        return self.layout.start // _WORD

    def alike(self, one: int, other: int) -> bool:
        """Whether two clips are the same on the grid, whatever their classes are called; no formula parts them."""

        def classes(clip: int) -> list[tuple[tuple[FrameRun, ...], ...]]:
            masks = self.family.masks.values()
            return sorted(
                (*(self.family.runs[side].get(s, ()) for side in Side), *(runs.get(s, ()) for runs in masks))
                for s in self.segments[clip]
            )

        return self.family.frames[one] == self.family.frames[other] and classes(one) == classes(other)

    def by_segment(self, ones: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Counts by segment from counts by word."""
        counts: NDArray[np.int64] = np.add.reduceat(ones, self.first_word, axis=-1, dtype=np.int64)
        return counts

    @cached_property
    def case_segments(self) -> list[int]:
        """The segments of the cases, one case after the other: each is an entry of an observation."""
        return list(chain.from_iterable(self.segments[: self.cases]))

    @cached_property
    def perfect_segments(self) -> list[int]:
        """The segments of the references that are their own predictions."""
        return list(chain.from_iterable(self.segments[self.cases :]))

    @cached_property
    def perfect_words(self) -> NDArray[np.intp]:
        """The words of those segments."""
        ends = [*self.first_word[1:].tolist(), self.words]
        starts = self.first_word.tolist()
        return np.concatenate([np.arange(starts[s], ends[s], dtype=np.intp) for s in self.perfect_segments])

    @cached_property
    def classes(self) -> NDArray[np.int64]:
        """By case how many segments it has in `case_segments`."""
        return np.array([len(segments) for segments in self.segments[: self.cases]], dtype=np.int64)


def own_segments(calibration: Calibration, family: Family) -> tuple[tuple[int, ...], ...]:
    """By clip the segments of its own labels: its class set when it is scored alone (14.9, 7.6).

    A clip without a label has one empty class, as it has alone.
    """
    index = {label: place for place, label in enumerate(family.classes)}
    segments = []
    for place, clip in enumerate(clips_of(calibration)):
        labels = {index[event.label] for event in (*clip.ref, *clip.pred)} or {0}
        segments.append(tuple(family.segment(label, place) for label in sorted(labels)))
    return tuple(segments)


def trials_of(calibration: Calibration, family: Family, gap: int) -> Trials:
    """Put a family and the short traces on one bitset, apart by the gap; each clip has its own classes alone."""
    layout = family.layout(gap)
    segments = own_segments(calibration, family)
    # a class of another clip is not part of this one: its frames are not valid, so nothing is obligated there
    classes = layout.paint({s: ((0, family.frames_of(s)),) for s in sorted(chain.from_iterable(segments))})
    painted_atoms = Atoms(family, layout)
    short, short_valid, number = _short_traces(layout.gap)
    names = (*_SIDES, *(name.replace("ref", "pred") for name in _SIDES), *CLASS_ATOMS, *calibration.atoms)
    width = -(-short_valid.bit_length() // _WORD) + 1

    def words(mask: int, count: int) -> Rows:
        return np.frombuffer(mask.to_bytes(count * 8, "little"), dtype=np.uint64)

    atoms = {
        name: np.concatenate(
            [layout.to_words(painted_atoms[name] & classes), words(short.get(_PERFECT.get(name, name), 0), width)]
        )
        for name in names
    }
    valid = np.concatenate([layout.to_words(classes), words(short_valid, width)])
    algebra = WordAlgebra(valid, max(layout.longest, SHORT))
    return Trials(family, layout, len(calibration.cases), algebra, atoms, number, calibration.merge_gap, segments)


def _short_traces(gap: int) -> tuple[dict[str, int], int, int]:
    """The masks of all short traces side by side, the frames that exist, and how many traces there are."""
    active = valid = at = number = 0
    for frames in range(1, SHORT + 1):
        for trace in product((0, 1), repeat=frames):
            active |= sum(bit << i for i, bit in enumerate(trace)) << at
            valid |= ((1 << frames) - 1) << at
            at += frames + gap
            number += 1
    masks = {"ref_active": active, "ref_onset": onset(active), "ref_offset": offset(active, valid)}
    return masks, valid, number


# Whether a perfect prediction satisfies a candidate on every trace, decided (rule 14.8).
#
# A frame candidate with the prediction replaced by the reference is a question of one trace. It is answered by a rule
# where the obligation itself is a witness; by the short traces that were tried, where no longer one can show anything
# new (`tracepact.logic.decisions.bound`); else by the solver, for every length. An event predicate becomes one of
# an onset and a length: every interval is matched with itself, which no other overlaps, whatever the matcher.

PROOF_BUDGET = Budget(seconds=5.0)
_OUTCOMES = {Verdict.UNSAT: Outcome.YES, Verdict.SAT: Outcome.NO, Verdict.UNKNOWN: Outcome.UNKNOWN}
"""What a search for a counterexample says of a predicate."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The answer, and what it rests on: `rule`, `short traces` or `solver`."""

    outcome: Outcome
    by: str


@dataclass(slots=True)
class Prover:
    """Decides candidates one by one and remembers what it was asked."""

    step: Fraction
    budget: Budget = PROOF_BUDGET
    known: dict[tuple[Formula, Formula], Proof] = field(default_factory=dict)
    predicates: dict[tuple[Formula, tuple[EventAtom, ...]], Proof] = field(default_factory=dict)

    def decide(self, candidate: Candidate) -> Proof:
        """Whether a candidate that passed the tests is perfect."""
        if not isinstance(candidate, FrameCandidate):
            return self._predicate(candidate.clause, candidate.clause.formula)
        key = perfected(candidate.obligation), perfected(candidate.formula)
        if key not in self.known:
            self.known[key] = self._frames(*key)
        return self.known[key]

    def _predicate(self, clause: EventClause, formula: Formula) -> Proof:
        """A conjunction is perfect if both its parts are, so each part is asked about once."""
        if isinstance(formula, And):
            # joined predicates are pairs of single ones, so a few dozen answers decide thousands of candidates
            left, right = (self._predicate(clause, part) for part in (formula.left, formula.right))
            return left if left.outcome is not Outcome.YES else right
        event_atoms = dict(clause.event_atoms)
        key = formula, tuple(event_atoms[name] for name in sorted(atoms(formula)))
        if key not in self.predicates:
            # it is to hold for an interval of any onset and length that is matched with itself alone
            failing, _ = perfect_interval_with(Not(formula), event_atoms, self.step, self.budget)
            self.predicates[key] = Proof(_OUTCOMES[failing], "solver")
        return self.predicates[key]

    def _frames(self, obligation: Formula, formula: Formula) -> Proof:
        # the cheapest way first: seen from the form, then from what was tried already, then by the solver
        if follows(formula, facts(obligation)):
            return Proof(Outcome.YES, "rule")
        failing = And(obligation, Not(formula))
        # a shortest trace on which it fails would be one of those that were tried
        if bound(failing) <= SHORT and atoms(failing) <= set(BUILTIN_ATOMS):
            return Proof(Outcome.YES, "short traces")
        decision = valid(formula, Terms(obligation=obligation, budget=self.budget, minimise=False))
        return Proof(decision.outcome, "solver")


def facts(formula: Formula) -> frozenset[Formula]:
    """The conjuncts of a formula, and what an onset and an offset say of activity (rule 5.6)."""
    match formula:
        case And(a, b):
            return facts(a) | facts(b)
        case Atom("ref_onset"):
            return frozenset({formula, Atom("ref_active")})
        case Atom("ref_offset"):
            return frozenset({formula, Not(Atom("ref_active"))})
    return frozenset({formula})


def follows(formula: Formula, known: frozenset[Formula]) -> bool:
    """Whether a formula holds wherever the facts do, seen from its form alone; False says nothing."""
    if formula in known or formula == Constant(True):
        return True
    match formula:
        case Implies(left, right):
            return follows(right, known | facts(left))
        case And(left, right):
            return follows(left, known) and follows(right, known)
        case Or(left, right):
            return follows(left, known) or follows(right, known)
        case Eventually(lo, hi, body):
            return lo <= 0 <= hi and follows(body, known)
        case Until(_, _, right) | Since(_, _, right):
            return follows(right, known)
    return False
