"""The value of every candidate on every case, exact, and which candidates punish a perfect prediction (14.8, 14.9)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Dag, Each, EventClause, FrameClause, Matcher
from tracepact.events.attributes import Obligation, Scene
from tracepact.events.matching import matching
from tracepact.events.obligations import obligations
from tracepact.events.predicate import prepare
from tracepact.monitor import IntegerAlgebra, evaluate_masks
from tracepact.progress import OnStage, silent
from tracepact.tools.select.candidates import Candidates
from tracepact.tools.select.trials import Trials
from tracepact.tools.select.word_masks import Rows, evaluate_rows
from tracepact.trace import Family, Side, join_runs

Counts = NDArray[np.integer[Any]]
"""Frames and intervals of a clip: 32 bits are enough, and there are many."""
Flags = NDArray[np.bool_]


class Screening(IntEnum):
    """How a candidate did on perfect predictions: passed, or failed on a reference or on a short trace."""

    PASSED = 0
    FAILED_ON_REFERENCE = 1
    FAILED_ON_SHORT_TRACE = 2


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """By candidate and entry, which is a case and one of its classes: the score in lowest terms, and what it rests on.

    `vacuous` marks a 1 for want of obligations (7.3), `counter` a 0 for want of them (7.4). `entries` are the places of
    the entries of each case. By candidate there is the `Screening`.
    """

    numerator: Counts
    denominator: Counts
    vacuous: Flags
    counter: Flags
    screening: NDArray[np.int8]
    entries: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.screening)

    def value(self, candidate: int, case: int) -> Fraction:
        """The mean over the classes of a case (14.9)."""
        tops, bottoms, own = self.numerator[candidate], self.denominator[candidate], self.entries[case]
        return sum((Fraction(int(tops[e]), int(bottoms[e])) for e in own), Fraction(0)) / len(own)

    def values(self, candidate: int) -> tuple[Fraction, ...]:
        """The values of one candidate."""
        return tuple(self.value(candidate, case) for case in range(len(self.entries)))

    def shares(self, flags: Flags, candidate: int) -> tuple[Fraction, ...]:
        """By case the share of its classes that a candidate's flags mark."""
        row = flags[candidate]
        return tuple(Fraction(sum(bool(row[e]) for e in own), len(own)) for own in self.entries)

    @classmethod
    def joined(cls, parts: Sequence["Observation"]) -> "Observation":
        """Observations of candidates one after the other."""
        return cls(
            np.concatenate([part.numerator for part in parts]),
            np.concatenate([part.denominator for part in parts]),
            np.concatenate([part.vacuous for part in parts]),
            np.concatenate([part.counter for part in parts]),
            np.concatenate([part.screening for part in parts]),
            parts[0].entries,
        )


def _lowest(
    satisfied: Counts, obligated: Counts, counter: Flags | None = None
) -> tuple[NDArray[np.int32], NDArray[np.int32], Flags, Flags]:
    """Rules 7.2 to 7.4: tops and bottoms in lowest terms, what is vacuous, and what is 0 for want of obligations."""
    obligated = np.broadcast_to(obligated, satisfied.shape)
    asked = obligated > 0
    against = np.zeros_like(asked) if counter is None else np.broadcast_to(counter, asked.shape) & ~asked
    numerator = np.where(asked, satisfied, np.where(against, 0, 1)).astype(np.int32)
    denominator = np.where(asked, obligated, 1).astype(np.int32)
    divisor = np.gcd(numerator, denominator)
    return numerator // divisor, denominator // divisor, ~asked & ~against, against


def observe(candidates: Candidates, trials: Trials, matcher: Matcher, on_stage: OnStage = silent) -> Observation:
    """Every candidate on every case; `on_stage` is told what comes next."""
    on_stage("an author's clauses")
    parts = [_author(clause, trials, matcher) for clause in candidates.authors]
    on_stage(f"{candidates.first_event - candidates.first_frame:,} frame candidates")
    if candidates.formulas:
        parts.append(observe_frames(candidates.dag, candidates.obligations, candidates.formulas, trials))
    on_stage(f"{len(candidates.predicates):,} event candidates")
    parts.append(observe_events(candidates.predicates, trials, matcher))
    return Observation.joined(parts)


def _author(clause: FrameClause | EventClause, trials: Trials, matcher: Matcher) -> Observation:
    if isinstance(clause, EventClause):
        return observe_events([clause], trials, matcher)
    dag, (obligation, formula) = Dag.of([clause.obligation, clause.formula])
    return observe_frames(dag, [obligation], [formula], trials)


# Frames


def observe_frames(dag: Dag, asked: Sequence[int], formulas: Sequence[int], trials: Trials) -> Observation:
    """Each formula under each obligation, formula by formula; a block of formulas at a time."""
    obligation_rows = _rows(dag, asked, trials)
    obligated = trials.by_segment(np.bitwise_count(obligation_rows[:, : trials.words]))[:, trials.case_segments]
    shape, entries = (len(formulas), len(asked)), len(trials.case_segments)
    numerator, denominator = (np.empty((*shape, entries), dtype=np.int32) for _ in range(2))
    vacuous, counter = (np.zeros((*shape, entries), dtype=np.bool_) for _ in range(2))
    screening = np.zeros(shape, dtype=np.int8)
    for places, rows in evaluate_rows(dag, formulas, trials.atoms, trials.algebra):
        missed = ~rows
        for column, row in enumerate(obligation_rows):
            violated = missed & row
            counts = trials.by_segment(np.bitwise_count(violated[:, : trials.words]))
            satisfied = obligated[column] - counts[:, trials.case_segments]
            tops, bottoms, empty, _ = _lowest(satisfied, obligated[column])
            numerator[places, column], denominator[places, column] = tops, bottoms
            vacuous[places, column] = empty
            found = screening[places, column]
            found[violated[:, trials.words :].any(axis=1)] = Screening.FAILED_ON_SHORT_TRACE
            found[counts[:, trials.perfect_segments].any(axis=1)] = Screening.FAILED_ON_REFERENCE
            screening[places, column] = found
    return Observation(
        numerator.reshape(-1, entries),
        denominator.reshape(-1, entries),
        vacuous.reshape(-1, entries),
        counter.reshape(-1, entries),
        screening.reshape(-1),
        trials.entries,
    )


def _rows(dag: Dag, roots: Sequence[int], trials: Trials) -> Rows:
    made = np.zeros((len(roots), len(trials.algebra.valid)), dtype=np.uint64)
    for places, rows in evaluate_rows(dag, roots, trials.atoms, trials.algebra):
        made[places] = rows
    return made


# Events


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """The obligations of one kind, a bit each, segment after segment; `ends` are where those of each segment end."""

    all: tuple[Obligation, ...]
    ends: NDArray[np.int64]

    @property
    def number(self) -> NDArray[np.int64]:
        """How many obligations each segment has."""
        return np.diff(self.ends, prepend=0)

    def counted(self, truth: int) -> NDArray[np.int64]:
        """How many obligations of each segment are true."""
        raw = np.frombuffer(truth.to_bytes(len(self.all) // 8 + 1, "little"), dtype=np.uint8)
        running = np.concatenate([[0], np.cumsum(np.unpackbits(raw, bitorder="little"), dtype=np.int64)])
        return np.diff(running[self.ends], prepend=0)


def observe_events(clauses: Sequence[EventClause], trials: Trials, matcher: Matcher) -> Observation:
    """Event clauses: one bit an obligation, the predicates as formulas over the masks of their comparisons."""
    family, entries = trials.family, trials.case_segments
    scenes = _scenes(family, trials.merge_gap, matcher)
    counter = np.isin(entries, [segment for segment, *_ in scenes])
    satisfied = np.zeros((len(clauses), len(entries)), dtype=np.int64)
    obligated = np.zeros((len(clauses), len(entries)), dtype=np.int64)
    screening = np.zeros(len(clauses), dtype=np.int8)
    for each in Each:
        chosen = [index for index, clause in enumerate(clauses) if clause.each is each]
        if not chosen:
            continue
        asked = _asked(each, scenes, family.segments)
        event_atoms = {name: atom for i in chosen for name, atom in clauses[i].event_atoms}
        prepared = {name: prepare(atom, family.step) for name, atom in event_atoms.items()}
        masks = {name: _mask(atom.truth(o) for o in asked.all) for name, atom in prepared.items()}
        every = (1 << len(asked.all)) - 1
        truths = evaluate_masks([clauses[i].formula for i in chosen], masks, IntegerAlgebra(every, len(asked.all)))
        number, perfect = asked.number, trials.perfect_segments
        for index, truth in zip(chosen, truths, strict=True):
            true = asked.counted(truth)
            satisfied[index], obligated[index] = true[entries], number[entries]
            if (true[perfect] < number[perfect]).any():
                screening[index] = Screening.FAILED_ON_REFERENCE
    return Observation(*_lowest(satisfied, obligated, counter), screening, trials.entries)


def _mask(truths: Iterable[bool]) -> int:
    return sum(1 << place for place, truth in enumerate(truths) if truth)


def _scenes(
    family: Family, merge_gap: Fraction, matcher: Matcher
) -> list[tuple[int, Scene, tuple[tuple[int, int], ...]]]:
    """By segment, a clip and class, that has any: its runs and their matches."""
    match_runs = matching(matcher, family.step)
    joined = {
        side: {s: join_runs(runs, merge_gap, family.step) for s, runs in family.runs[side].items() if runs}
        for side in Side
    }
    found = []
    for segment in sorted({*joined[Side.REF], *joined[Side.PRED]}):
        clip = segment % len(family.clips)
        refs, preds = joined[Side.REF].get(segment, ()), joined[Side.PRED].get(segment, ())
        others = tuple(
            joined[Side.REF][other]
            for other in range(clip, family.segments, len(family.clips))
            if other != segment and other in joined[Side.REF]
        )
        pairs = match_runs(refs, preds) if refs and preds else ()
        found.append((segment, Scene(refs, preds, others), pairs))
    return found


def _asked(each: Each, scenes: Sequence[tuple[int, Scene, tuple[tuple[int, int], ...]]], segments: int) -> _Asked:
    every: list[Obligation] = []
    number = np.zeros(segments, dtype=np.int64)
    for segment, scene, pairs in scenes:
        own = obligations(each, scene, pairs)
        number[segment] = len(own)
        every += own
    return _Asked(tuple(every), np.cumsum(number))
