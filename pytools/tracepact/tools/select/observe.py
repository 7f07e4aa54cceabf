"""The value of every candidate on every case, exact, and which candidates punish a perfect prediction (14.8, 14.9)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Dag, Each, EventClause, Formula, FrameClause, Matcher
from tracepact.events.attributes import Obligation, Scene
from tracepact.events.matching import matching
from tracepact.events.obligations import obligations
from tracepact.events.predicate import prepare
from tracepact.monitor import IntegerAlgebra, evaluate_masks
from tracepact.progress import OnStage, silent
from tracepact.tools.select.candidates import Candidates
from tracepact.tools.select.seen import Counts, Seen, means
from tracepact.tools.select.trials import Trials
from tracepact.tools.select.word_masks import Rows, evaluate_rows
from tracepact.trace import Family, Side, join_runs

Flags = NDArray[np.bool_]
Frames = Callable[[Dag, Sequence[int], Sequence[int], Trials, bool], "Observation"]
"""Observes formulas under obligations, as `observe_frames` does."""


class Screening(IntEnum):
    """How a candidate did on perfect predictions: passed, or failed on a reference or on a short trace."""

    PASSED = 0
    FAILED_ON_REFERENCE = 1
    FAILED_ON_SHORT_TRACE = 2


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """How many obligations each candidate satisfies of each entry, which is a case and one of its classes.

    A candidate has the row `place` of `satisfied`, or none (-1): those that a perfect prediction fails are dropped
    unless they are asked for. The row is about one kind of obligation, `kind`; `obligated` and `counter` say by kind
    how many obligations an entry has and whether it scores 0 for want of any (7.4). `classes` are how many entries each
    case has, one case after the other. By candidate there is the `Screening`.
    """

    satisfied: Counts
    kind: NDArray[np.intp]
    obligated: Counts
    counter: Flags
    place: NDArray[np.intp]
    screening: NDArray[np.int8]
    classes: Counts

    def __len__(self) -> int:
        return len(self.screening)

    def seen(self, candidates: Sequence[int]) -> Seen:
        """What is seen of some candidates on the cases: rules 7.2 to 7.4, and the mean over the classes (14.9)."""
        rows = self.place[np.array(candidates, dtype=np.intp)]
        if (rows < 0).any():
            raise ValueError("a candidate that a perfect prediction fails was dropped")
        kinds = self.kind[rows]
        asked = self.obligated > 0
        given, want = asked[kinds], ~asked
        number = np.where(asked, self.obligated, 1).astype(np.int64)[kinds]
        tops, bottoms = means(np.where(given, self.satisfied[rows], self._wanting[kinds]), number, self.classes)
        first = np.cumsum(self.classes) - self.classes
        vacuous, counter = (
            np.add.reduceat(flags, first, axis=1, dtype=np.int64)[kinds]
            for flags in (want & ~self.counter, want & self.counter)
        )
        return Seen(tops, bottoms, vacuous, counter, self.classes)

    @property
    def _wanting(self) -> Counts:
        """What an entry without obligations scores."""
        return np.where(self.counter, 0, 1).astype(np.int64)

    def values(self, candidate: int) -> tuple[Fraction, ...]:
        """The values of one candidate."""
        return self.seen([candidate])[0].values

    @classmethod
    def joined(cls, parts: Sequence["Observation"]) -> "Observation":
        """Observations of candidates one after the other."""
        rows, kinds = (
            np.cumsum([0, *map(len, some)]) for some in zip(*((p.kind, p.obligated) for p in parts), strict=True)
        )
        return cls(
            np.concatenate([part.satisfied for part in parts]),
            np.concatenate([part.kind + first for part, first in zip(parts, kinds, strict=False)]),
            np.concatenate([part.obligated for part in parts]),
            np.concatenate([part.counter for part in parts]),
            np.concatenate([np.where(p.place < 0, -1, p.place + first) for p, first in zip(parts, rows, strict=False)]),
            np.concatenate([part.screening for part in parts]),
            parts[0].classes,
        )


def observe(
    candidates: Candidates,
    trials: Trials,
    matcher: Matcher,
    on_stage: OnStage = silent,
    *,
    dropped: bool = False,
    frames: "Frames | None" = None,
) -> Observation:
    """Every candidate on every case; `on_stage` is told what comes next.

    Those that a perfect prediction fails have no values unless `dropped` asks for them. `frames` observes the frame
    candidates, if not `observe_frames` here.
    """
    on_stage("an author's clauses")
    parts = [_authors(candidates.authors, trials, matcher, dropped)] if candidates.authors else []
    on_stage(f"{candidates.first_event - candidates.first_frame:,} frame candidates")
    if candidates.formulas:
        own = frames or observe_frames
        parts.append(own(candidates.dag, candidates.obligations, candidates.formulas, trials, dropped))
    on_stage(f"{len(candidates.predicates):,} event candidates")
    parts.append(observe_events(candidates.predicates, trials, matcher, dropped))
    return Observation.joined(parts)


def _authors(
    clauses: Sequence[FrameClause | EventClause], trials: Trials, matcher: Matcher, dropped: bool
) -> Observation:
    """Clauses that were written, in their order: those on one obligation together, those on events together."""
    events = [place for place, clause in enumerate(clauses) if isinstance(clause, EventClause)]
    parts = [(events, observe_events([clauses[k] for k in events], trials, matcher, dropped))]  # type: ignore[misc]
    by_obligation: dict[Formula, list[int]] = {}
    for place, clause in enumerate(clauses):
        if isinstance(clause, FrameClause):
            by_obligation.setdefault(clause.obligation, []).append(place)
    for obligation, places in by_obligation.items():
        dag, (asked, *formulas) = Dag.of([obligation, *(clauses[k].formula for k in places)])
        parts.append((places, observe_frames(dag, [asked], formulas, trials, dropped)))
    joined = Observation.joined([part for _, part in parts])
    order = np.argsort([place for places, _ in parts for place in places])
    return replace(joined, place=joined.place[order], screening=joined.screening[order])


# Frames


def observe_frames(
    dag: Dag, asked: Sequence[int], formulas: Sequence[int], trials: Trials, dropped: bool = False
) -> Observation:
    """Each formula under each obligation, formula by formula; a block of formulas at a time.

    Perfect predictions and short traces come first: most candidates fail there, and the cases are left to the others.
    """
    obligations = _rows(dag, asked, trials)
    obligated = trials.by_segment(np.bitwise_count(obligations[:, : trials.words]))[:, trials.case_segments]
    screening = np.zeros((len(formulas), len(asked)), dtype=np.int8)
    place = np.full((len(formulas), len(asked)), -1, dtype=np.intp)
    small = np.min_scalar_type(int(obligated.max(initial=0)))
    found: list[Counts] = [np.zeros((0, obligated.shape[1]), dtype=small)]
    kinds: list[NDArray[np.intp]] = [np.zeros(0, dtype=np.intp)]
    rows = 0
    for places, masks in evaluate_rows(dag, formulas, trials.atoms, trials.algebra):
        missed = ~masks
        perfect, short = missed[:, trials.perfect_words], missed[:, trials.words :]
        for column, row in enumerate(obligations):
            failed = np.zeros(len(places), dtype=np.int8)
            failed[(short & row[trials.words :]).any(axis=1)] = Screening.FAILED_ON_SHORT_TRACE
            failed[(perfect & row[trials.perfect_words]).any(axis=1)] = Screening.FAILED_ON_REFERENCE
            screening[places, column] = failed
            kept = np.arange(len(places)) if dropped else np.flatnonzero(failed == Screening.PASSED)
            if not len(kept):
                continue
            violated = missed[kept, : trials.words]
            violated &= row[: trials.words]
            counts = trials.by_segment(np.bitwise_count(violated))[:, trials.case_segments]
            found.append((obligated[column] - counts).astype(small))
            kinds.append(np.full(len(kept), column, dtype=np.intp))
            place[places[kept], column] = np.arange(rows, rows + len(kept))
            rows += len(kept)
    return Observation(
        np.concatenate(found),
        np.concatenate(kinds),
        obligated,
        np.zeros(obligated.shape, dtype=np.bool_),
        place.reshape(-1),
        screening.reshape(-1),
        trials.classes,
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


def observe_events(
    clauses: Sequence[EventClause], trials: Trials, matcher: Matcher, dropped: bool = False
) -> Observation:
    """Event clauses: one bit an obligation, the predicates as formulas over the masks of their comparisons."""
    family, entries = trials.family, trials.case_segments
    scenes = _scenes(family, trials.merge_gap, matcher)
    counter = np.isin(entries, [segment for segment, *_ in scenes])
    satisfied = np.zeros((len(clauses), len(entries)), dtype=np.int64)
    obligated = np.zeros((len(Each), len(entries)), dtype=np.int64)
    kind = np.zeros(len(clauses), dtype=np.intp)
    screening = np.zeros(len(clauses), dtype=np.int8)
    for number, each in enumerate(Each):
        chosen = [index for index, clause in enumerate(clauses) if clause.each is each]
        if not chosen:
            continue
        asked = _asked(each, scenes, family.segments)
        event_atoms = {name: atom for i in chosen for name, atom in clauses[i].event_atoms}
        prepared = {name: prepare(atom, family.step) for name, atom in event_atoms.items()}
        masks = {name: _mask(atom.truth(o) for o in asked.all) for name, atom in prepared.items()}
        every = (1 << len(asked.all)) - 1
        truths = evaluate_masks([clauses[i].formula for i in chosen], masks, IntegerAlgebra(every, len(asked.all)))
        counts, perfect = asked.number, trials.perfect_segments
        obligated[number], kind[chosen] = counts[entries], number
        for index, truth in zip(chosen, truths, strict=True):
            true = asked.counted(truth)
            satisfied[index] = true[entries]
            if (true[perfect] < counts[perfect]).any():
                screening[index] = Screening.FAILED_ON_REFERENCE
    kept = np.arange(len(clauses)) if dropped else np.flatnonzero(screening == Screening.PASSED)
    place = np.full(len(clauses), -1, dtype=np.intp)
    place[kept] = np.arange(len(kept))
    small = np.min_scalar_type(int(obligated.max(initial=0)))
    against = np.broadcast_to(counter, obligated.shape)
    return Observation(satisfied[kept].astype(small), kind[kept], obligated, against, place, screening, trials.classes)


def _mask(truths: Iterable[bool]) -> int:
    bits = np.packbits(np.fromiter(truths, dtype=np.bool_), bitorder="little")
    return int.from_bytes(bits.tobytes(), "little")


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
