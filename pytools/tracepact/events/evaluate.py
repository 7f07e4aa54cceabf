"""Event clauses on a family: joined runs, matches, obligations, counts and witnesses (chapters 9, 10)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracepact.core import (
    Atom,
    Contract,
    Each,
    EventClause,
    Matcher,
    Quantity,
    attributes,
)
from tracepact.diagnostics import Span
from tracepact.events.attributes import Obligation, Scene, Value, covered, duration
from tracepact.events.matching import Pair, matching
from tracepact.events.predicate import (
    PreparedAtom,
    PreparedComparison,
    failing_part,
    prepare,
    shortfall,
    truth,
)
from tracepact.trace import Family, Run, Side, join_runs

_NO_RUNS: tuple[Run, ...] = ()


class Match(NamedTuple):
    """A matched pair of joined runs, in frames of its segment."""

    segment: int
    ref: Run
    pred: Run


@dataclass(frozen=True, slots=True)
class FailedComparison:
    """The sides of a comparison that failed and how far it is from holding, in seconds if they are times."""

    left: Value
    right: Value
    amount: Value
    quantity: Quantity


@dataclass(frozen=True, slots=True)
class EventWitness:
    """A violated obligation: the interval (of a pair, the reference run), its partner, the part that failed.

    `comparison` is None when the failing part is no comparison or mentions a partner that is missing.
    """

    segment: int
    interval: Run
    partner: Run | None
    span: Span
    comparison: FailedComparison | None


@dataclass(frozen=True, slots=True, eq=False)
class EventClauseEvaluation:
    """The counts of one event clause by segment, and its violated obligations with their segments."""

    clause: EventClause
    satisfied: NDArray[np.int64]
    obligated: NDArray[np.int64]
    violated: tuple[tuple[int, Obligation], ...]
    event_atoms: Mapping[str, PreparedAtom]

    @property
    def witnesses(self) -> tuple[EventWitness, ...]:
        """A witness for each violated obligation, in order of segment and time; made when asked for."""
        return tuple(self._witness(segment, obligation) for segment, obligation in self.violated)

    def _witness(self, segment: int, obligation: Obligation) -> EventWitness:
        interval = obligated_run(self.clause.each, obligation)
        partner = obligation.ref if self.clause.each is Each.PRED else obligation.pred
        part = failing_part(self.clause.body, self.event_atoms, obligation)
        comparison = None
        if isinstance(part.formula, Atom):
            comparison = _failed_comparison(self.event_atoms[part.formula.name], obligation)
        return EventWitness(segment, interval, partner, part.span, comparison)


@dataclass(frozen=True, slots=True, eq=False)
class EventEvaluation:
    """All event clauses of a contract on one family.

    `counter_evidence` tells, by segment, whether a run that is not ignored exists on either side (rule 7.4).
    """

    matcher: Matcher
    refs: Mapping[int, tuple[Run, ...]]
    preds: Mapping[int, tuple[Run, ...]]
    matches: tuple[Match, ...]
    clauses: tuple[EventClauseEvaluation, ...]
    counter_evidence: NDArray[np.bool_]

    def pooled(self, clause: EventClauseEvaluation) -> Fraction:
        """The pooled score of a clause (rules 7.2 and 7.4)."""
        obligated = int(clause.obligated.sum())
        if obligated:
            return Fraction(int(clause.satisfied.sum()), obligated)
        return Fraction(0) if self.counter_evidence.any() else Fraction(1)


class Stage(NamedTuple):
    """A clip and class with a run on either side: its joined runs, the matched pairs, its ignored frames."""

    segment: int
    scene: Scene
    pairs: tuple[Pair, ...]
    ignored: Sequence[Run]


def stages(contract: Contract, family: Family, matcher: Matcher | None = None) -> Iterator[Stage]:
    """Match the joined runs of every clip and class, by segment."""
    match_runs = matching(matcher or contract.matcher, family.step)
    refs = _joined(family, Side.REF, contract.merge_gap)
    preds = _joined(family, Side.PRED, contract.merge_gap)
    compares_classes = any(map(_compares_classes, contract.event_clauses))
    for segment in sorted(refs.keys() | preds.keys()):
        others = _refs_of_other_classes(family, refs, segment) if compares_classes else ()
        scene = Scene(refs.get(segment, _NO_RUNS), preds.get(segment, _NO_RUNS), others)
        pairs = match_runs(scene.refs, scene.preds) if scene.refs and scene.preds else ()
        yield Stage(segment, scene, pairs, family.ignored.get(segment, _NO_RUNS))


def evaluate_events(contract: Contract, family: Family, matcher: Matcher | None = None) -> EventEvaluation:
    """Match the joined runs of every clip and class and judge every obligation of every event clause."""
    refs: dict[int, tuple[Run, ...]] = {}
    preds: dict[int, tuple[Run, ...]] = {}
    matches: list[Match] = []
    obliged: dict[Each, list[tuple[int, Obligation]]] = {clause.each: [] for clause in contract.event_clauses}
    all_ignored: list[int] = []
    for segment, scene, pairs, ignored in stages(contract, family, matcher):
        if scene.refs:
            refs[segment] = scene.refs
        if scene.preds:
            preds[segment] = scene.preds
        if pairs:
            matches += [Match(segment, scene.refs[i], scene.preds[j]) for i, j in pairs]
        if ignored and all(is_ignored(run, ignored) for run in scene.refs + scene.preds):
            all_ignored.append(segment)
        for each, found in obliged.items():
            found += [(segment, obligation) for obligation in obligations(each, scene, pairs, ignored)]
    clauses = tuple(_judge(clause, obliged[clause.each], family) for clause in contract.event_clauses)
    counter_evidence = np.zeros(family.segments, dtype=np.bool_)
    counter_evidence[[*refs, *preds]] = True
    counter_evidence[all_ignored] = False
    return EventEvaluation(matcher or contract.matcher, refs, preds, tuple(matches), clauses, counter_evidence)


def is_ignored(run: Run, ignored: Sequence[Run]) -> bool:
    """Whether all frames of a run are ignored (rule 5.9)."""
    return bool(ignored) and covered(run, ignored) == duration(run)


def obligations(each: Each, scene: Scene, pairs: Sequence[Pair], ignored: Sequence[Run] = ()) -> list[Obligation]:
    """The obligations of one segment, without the ignored ones (rule 9.1)."""
    refs, preds = scene.refs, scene.preds
    match each:
        case Each.REF:
            pred_of = {i: preds[j] for i, j in pairs}
            found = [Obligation(ref, pred_of.get(i), scene) for i, ref in enumerate(refs)]
        case Each.PRED:
            ref_of = {j: refs[i] for i, j in pairs}
            found = [Obligation(ref_of.get(j), pred, scene) for j, pred in enumerate(preds)]
        case Each.MATCHED:
            found = [Obligation(refs[i], preds[j], scene) for i, j in pairs]
    return [o for o in found if not is_ignored(obligated_run(each, o), ignored)] if ignored else found


def obligated_run(each: Each, obligation: Obligation) -> Run:
    """The run an obligation is about; of a matched pair, the reference."""
    run = obligation.pred if each is Each.PRED else obligation.ref
    assert run is not None
    return run


def _judge(clause: EventClause, obliged: Sequence[tuple[int, Obligation]], family: Family) -> EventClauseEvaluation:
    """Ask the clause's predicate about every obligation."""
    event_atoms = {name: prepare(atom, family.step) for name, atom in clause.event_atoms}
    holds = truth(clause.formula, event_atoms)
    violated = tuple(entry for entry in obliged if not holds(entry[1]))
    obligated, failed = (
        np.bincount([segment for segment, _ in some], minlength=family.segments).astype(np.int64)
        for some in (obliged, violated)
    )
    return EventClauseEvaluation(clause, obligated - failed, obligated, violated, event_atoms)


def _compares_classes(clause: EventClause) -> bool:
    """Whether the predicate asks about references of other classes."""
    return any(a.name == "dominant" for _, atom in clause.event_atoms for a in attributes(atom))


def _failed_comparison(atom: PreparedAtom, obligation: Obligation) -> FailedComparison | None:
    if not isinstance(atom, PreparedComparison) or atom.is_missing(obligation):
        return None
    left, right = atom.sides(obligation)
    comparison = atom.comparison
    return FailedComparison(left, right, shortfall(comparison.relation, left, right), comparison.quantity)


def _joined(family: Family, side: Side, merge_gap: Fraction) -> Mapping[int, tuple[Run, ...]]:
    """The joined runs of one side by segment (rule 5.8); segments without a run are left out."""
    present = {segment: runs for segment, runs in family.runs[side].items() if runs}
    if merge_gap < family.step:
        return present
    return {segment: join_runs(runs, merge_gap, family.step) for segment, runs in present.items()}


def _refs_of_other_classes(
    family: Family, refs: Mapping[int, tuple[Run, ...]], segment: int
) -> tuple[tuple[Run, ...], ...]:
    """The joined reference runs of each other class in the clip of a segment."""
    clip = segment % len(family.clips)
    others = (family.segment(label, clip) for label in range(len(family.classes)))
    return tuple(refs[other] for other in others if other != segment and other in refs)
