"""What candidates are tried on, and whether a perfect prediction satisfies them on every trace (14.8)."""

from collections.abc import Sequence
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
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import BUILTIN_ATOMS, CLASS_ATOMS, Contract, EventClause, Matcher
from tracepact.language.formula import (
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    FrameRun,
    Implies,
    Not,
    Or,
    Since,
    Until,
    atoms,
)
from tracepact.language.predicate import EventAtom
from tracepact.logic.decisions import Budget, Outcome, Terms, bound, valid
from tracepact.logic.models import Verdict
from tracepact.logic.perfect import perfect_interval_with, perfected
from tracepact.selection.calibration import Calibration, Masks
from tracepact.selection.candidates import Candidate, FrameCandidate
from tracepact.selection.formulas import Rows, WordAlgebra
from tracepact.wording import ms, print_number

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
        return np.array([len(own) for own in self.segments[: self.cases]], dtype=np.int64)


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
    own = layout.paint({s: ((0, family.frames_of(s)),) for s in sorted(chain.from_iterable(segments))})
    painted_atoms = Atoms(family, layout)
    short, short_valid, number = _short_traces(layout.gap)
    names = (*_SIDES, *(name.replace("ref", "pred") for name in _SIDES), *CLASS_ATOMS, *calibration.atoms)
    width = -(-short_valid.bit_length() // _WORD) + 1

    def words(mask: int, count: int) -> Rows:
        return np.frombuffer(mask.to_bytes(count * 8, "little"), dtype=np.uint64)

    atoms = {
        name: np.concatenate(
            [layout.to_words(painted_atoms[name] & own), words(short.get(_PERFECT.get(name, name), 0), width)]
        )
        for name in names
    }
    valid = np.concatenate([layout.to_words(own), words(short_valid, width)])
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
            # joined predicates are pairs of single ones, so a few dozen answers decide thousands of
            # candidates
            left, right = (self._predicate(clause, part) for part in (formula.left, formula.right))
            return left if left.outcome is not Outcome.YES else right
        event_atoms = dict(clause.event_atoms)
        key = formula, tuple(event_atoms[name] for name in sorted(atoms(formula)))
        if key not in self.predicates:
            self.predicates[key] = _predicate(formula, event_atoms, self.step, self.budget)
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


# Event predicates


def _predicate(formula: Formula, event_atoms: dict[str, EventAtom], step: Fraction, budget: Budget) -> Proof:
    """Whether the predicate holds for an interval of any onset and length that is matched with itself alone."""
    failing, _ = perfect_interval_with(Not(formula), event_atoms, step, budget)
    outcomes = {Verdict.UNSAT: Outcome.YES, Verdict.SAT: Outcome.NO, Verdict.UNKNOWN: Outcome.UNKNOWN}
    return Proof(outcomes[failing], "solver")
