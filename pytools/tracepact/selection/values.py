"""The exact values of all candidates on all cases, observed here or in parts by an engine (14.8, 14.9)."""

import errno
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.data.family import Family, Side
from tracepact.declarations import OnStage, silent
from tracepact.engines import Engine, EngineKind, Work, run_tasks
from tracepact.evaluate.masks import IntegerAlgebra, evaluate_masks, matching, obligations
from tracepact.evaluate.predicates import ClipScene, Obligation, prepare
from tracepact.language.contract import EventClause, FrameClause, Matcher
from tracepact.language.formula import Dag, Formula, join_runs
from tracepact.language.predicate import Each
from tracepact.selection.candidates import Candidates
from tracepact.selection.trials import Rows, Trials, evaluate_rows

# What is seen of candidates on cases, in whole numbers: values, and what they rest on (14.9, 14.10).

Counts = NDArray[Any]
"""Whole numbers: of a machine's size where they fit, else Python's own."""
# One bit less than a machine's whole number has: the sum of two such products fits as well.
_FITS = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """The values of candidates on cases, and what they rest on; cases are the last axis, or the only one.

    A value is `tops` / `bottoms`, in lowest terms. `vacuous` and `counter` count the classes of a case that score 1, or
    0, for want of obligations (7.3, 7.4); `classes` are how many classes each case has.
    """

    tops: Counts
    bottoms: Counts
    vacuous: Counts
    counter: Counts
    classes: Counts

    def __len__(self) -> int:
        return len(self.tops)

    def __iter__(self) -> Iterator["Seen"]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: int) -> "Seen":
        """One of several candidates."""
        return Seen(self.tops[place], self.bottoms[place], self.vacuous[place], self.counter[place], self.classes)

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The values of one candidate."""
        return _fractions(self.tops, self.bottoms)

    @property
    def vacuous_shares(self) -> tuple[Fraction, ...]:
        """Of one candidate the share of the classes of each case that is vacuous."""
        return _fractions(self.vacuous, self.classes)

    @property
    def counter_shares(self) -> tuple[Fraction, ...]:
        """Of one candidate the share of the classes of each case that scores 0 for want of obligations."""
        return _fractions(self.counter, self.classes)

    @property
    def key(self) -> bytes:
        """The same for two candidates if and only if the same is seen of them on the same cases."""
        parts = [part.tolist() if part.dtype == object else part for part in (self.tops, self.bottoms)]
        if any(isinstance(part, list) for part in parts):  # it is the numbers that count, not how they are kept
            parts = [repr([int(number) for number in part]).encode() for part in parts]
        # what is for want of obligations belongs to the key: it decides what a coordinate may be used for (14.17)
        wants = (self.vacuous.astype(np.int64), self.counter.astype(np.int64))
        return b"|".join(part if isinstance(part, bytes) else part.tobytes() for part in (*parts, *wants))

    def on(self, cases: Sequence[int]) -> "Seen":
        """The same candidates on some of the cases."""
        kept = list(cases)
        return Seen(
            self.tops[..., kept],
            self.bottoms[..., kept],
            self.vacuous[..., kept],
            self.counter[..., kept],
            self.classes[kept],
        )

    def is_constant(self) -> bool:
        """Whether one candidate has one value on all cases."""
        return bool((self.tops == self.tops[:1]).all() and (self.bottoms == self.bottoms[:1]).all())

    @classmethod
    def stacked(cls, several: Sequence["Seen"]) -> "Seen":
        """Candidates that were seen on the same cases, one or more."""

        def table(name: str) -> Counts:
            return np.stack([getattr(one, name) for one in several])

        return cls(table("tops"), table("bottoms"), table("vacuous"), table("counter"), several[0].classes)


def _fractions(tops: Counts, bottoms: Counts) -> tuple[Fraction, ...]:
    return tuple(Fraction(top, bottom) for top, bottom in zip(tops.tolist(), bottoms.tolist(), strict=True))


def lowest(tops: Counts, bottoms: Counts) -> tuple[Counts, Counts]:
    """Fractions in lowest terms."""
    divisor = np.gcd(tops, bottoms)
    return tops // divisor, bottoms // divisor


def products_fit(*factors: Counts | int) -> bool:
    """Whether the products of members of some arrays of the machine's numbers are of its size."""
    most = 1
    for factor in factors:
        if isinstance(factor, np.ndarray) and factor.dtype == object:
            return False
        most *= int(np.max(factor, initial=1)) if isinstance(factor, np.ndarray) else factor
    return most < _FITS


def means(tops: Counts, bottoms: Counts, classes: Counts) -> tuple[Counts, Counts]:
    """By case the mean over its classes, which are entries one after the other, in lowest terms."""
    # one class is the rule, and then the mean is the value itself
    if (classes == 1).all():
        return lowest(tops, bottoms)
    first = np.cumsum(classes) - classes
    mean = lowest(tops[:, first].astype(np.int64), bottoms[:, first].astype(np.int64))
    for number in range(1, int(classes.max())):
        more = np.flatnonzero(classes > number)
        top, bottom = mean
        if not products_fit(bottom, bottoms, 2 * int(classes.max())):
            top, bottom = top.astype(object), bottom.astype(object)
        other, below = (
            tops[:, first[more] + number].astype(top.dtype),
            bottoms[:, first[more] + number].astype(top.dtype),
        )
        # in lowest terms after every class: the denominators of a sum would otherwise leave the machine's
        # numbers at once
        added = lowest(top[:, more] * below + other * bottom[:, more], bottom[:, more] * below)
        top[:, more], bottom[:, more] = added
        mean = top, bottom
    top, bottom = mean
    parts = classes if products_fit(bottom, classes) else classes.astype(object)
    return lowest(top, bottom * parts)


# The value of every candidate on every case, exact, and which candidates punish a perfect prediction (14.8, 14.9).

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
        obliged = self.obligated > 0
        judged, want = obliged[kinds], ~obliged
        number = np.where(obliged, self.obligated, 1).astype(np.int64)[kinds]
        wanting = np.where(self.counter, 0, 1).astype(np.int64)  # what an entry without obligations scores
        tops, bottoms = means(np.where(judged, self.satisfied[rows], wanting[kinds]), number, self.classes)
        first = np.cumsum(self.classes) - self.classes
        vacuous, counter = (
            np.add.reduceat(flags, first, axis=1, dtype=np.int64)[kinds]
            for flags in (want & ~self.counter, want & self.counter)
        )
        return Seen(tops, bottoms, vacuous, counter, self.classes)

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
        observer = frames or observe_frames
        parts.append(observer(candidates.dag, candidates.obligations, candidates.formulas, trials, dropped))
    on_stage(f"{len(candidates.predicates):,} event candidates")
    parts.append(observe_events(candidates.predicates, trials, matcher, dropped))
    return Observation.joined(parts)


def _authors(
    clauses: Sequence[FrameClause | EventClause], trials: Trials, matcher: Matcher, dropped: bool
) -> Observation:
    """Clauses that were written, in their order: those on one obligation together, those on events together."""
    events = [place for place, clause in enumerate(clauses) if isinstance(clause, EventClause)]
    parts = [(events, observe_events([clauses[k] for k in events], trials, matcher, dropped))]  # type: ignore[misc]
    # clauses under one obligation share its mask and its counts
    by_obligation: dict[Formula, list[int]] = {}
    for place, clause in enumerate(clauses):
        if isinstance(clause, FrameClause):
            by_obligation.setdefault(clause.obligation, []).append(place)
    for obligation, places in by_obligation.items():
        dag, (condition, *formulas) = Dag.of([obligation, *(clauses[k].formula for k in places)])
        parts.append((places, observe_frames(dag, [condition], formulas, trials, dropped)))
    joined = Observation.joined([part for _, part in parts])
    order = np.argsort([place for places, _ in parts for place in places])
    return replace(joined, place=joined.place[order], screening=joined.screening[order])


# Frames


def observe_frames(
    dag: Dag, conditions: Sequence[int], formulas: Sequence[int], trials: Trials, dropped: bool = False
) -> Observation:
    """Each formula under each obligation, formula by formula; a block of formulas at a time.

    Perfect predictions and short traces come first: most candidates fail there, and the cases are left to the others.
    """
    obligations = _rows(dag, conditions, trials)
    obligated = trials.by_segment(np.bitwise_count(obligations[:, : trials.words]))[:, trials.case_segments]
    screening = np.zeros((len(formulas), len(conditions)), dtype=np.int8)
    place = np.full((len(formulas), len(conditions)), -1, dtype=np.intp)
    small = np.min_scalar_type(int(obligated.max(initial=0)))
    counted: list[Counts] = [np.zeros((0, obligated.shape[1]), dtype=small)]
    kinds: list[NDArray[np.intp]] = [np.zeros(0, dtype=np.intp)]
    rows = 0
    for places, masks in evaluate_rows(dag, formulas, trials.atoms, trials.algebra):
        missed = ~masks
        # the mask of a formula is made once and compared under every obligation, which is where the time would go
        perfect, short = missed[:, trials.perfect_words], missed[:, trials.words :]
        for column, row in enumerate(obligations):
            failed = np.zeros(len(places), dtype=np.int8)
            failed[(short & row[trials.words :]).any(axis=1)] = Screening.FAILED_ON_SHORT_TRACE
            # where both fail the reference is named: it is of the user, the short trace was made up
            failed[(perfect & row[trials.perfect_words]).any(axis=1)] = Screening.FAILED_ON_REFERENCE
            screening[places, column] = failed
            kept = np.arange(len(places)) if dropped else np.flatnonzero(failed == Screening.PASSED)
            if not len(kept):
                continue
            # only what passed is counted on the cases: counting bits costs more than the screening, and most fail there
            violated = missed[kept, : trials.words]
            violated &= row[: trials.words]
            counts = trials.by_segment(np.bitwise_count(violated))[:, trials.case_segments]
            counted.append((obligated[column] - counts).astype(small))
            kinds.append(np.full(len(kept), column, dtype=np.intp))
            place[places[kept], column] = np.arange(rows, rows + len(kept))
            rows += len(kept)
    return Observation(
        np.concatenate(counted),
        np.concatenate(kinds),
        obligated,
        np.zeros(obligated.shape, dtype=np.bool_),
        place.reshape(-1),
        screening.reshape(-1),
        trials.classes,
    )


def _rows(dag: Dag, roots: Sequence[int], trials: Trials) -> Rows:
    table = np.zeros((len(roots), len(trials.algebra.valid)), dtype=np.uint64)
    for places, rows in evaluate_rows(dag, roots, trials.atoms, trials.algebra):
        table[places] = rows
    return table


# Events


@dataclass(frozen=True, slots=True, eq=False)
class _Duties:
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
        duties = _duties(each, scenes, family.segments)
        event_atoms = {name: atom for i in chosen for name, atom in clauses[i].event_atoms}
        prepared = {name: prepare(atom, family.step) for name, atom in event_atoms.items()}
        masks = {name: _mask(atom.truth(o) for o in duties.all) for name, atom in prepared.items()}
        # obligations take the place of frames: a predicate is evaluated on all of them by the same code, one bit each
        every = (1 << len(duties.all)) - 1
        truths = evaluate_masks([clauses[i].formula for i in chosen], masks, IntegerAlgebra(every, len(duties.all)))
        counts, perfect = duties.number, trials.perfect_segments
        obligated[number], kind[chosen] = counts[entries], number
        for index, truth in zip(chosen, truths, strict=True):
            true = duties.counted(truth)
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
) -> list[tuple[int, ClipScene, tuple[tuple[int, int], ...]]]:
    """By segment, a clip and class, that has any: its runs and their matches."""
    match_runs = matching(matcher, family.step)
    joined = {
        side: {s: join_runs(runs, merge_gap, family.step) for s, runs in family.runs[side].items() if runs}
        for side in Side
    }
    scenes = []
    for segment in sorted({*joined[Side.REF], *joined[Side.PRED]}):
        clip = segment % len(family.clips)
        refs, preds = joined[Side.REF].get(segment, ()), joined[Side.PRED].get(segment, ())
        others = tuple(
            joined[Side.REF][other]
            for other in range(clip, family.segments, len(family.clips))
            if other != segment and other in joined[Side.REF]
        )
        pairs = match_runs(refs, preds) if refs and preds else ()
        scenes.append((segment, ClipScene(refs, preds, others), pairs))
    return scenes


def _duties(each: Each, scenes: Sequence[tuple[int, ClipScene, tuple[tuple[int, int], ...]]], segments: int) -> _Duties:
    every: list[Obligation] = []
    number = np.zeros(segments, dtype=np.int64)
    for segment, scene, pairs in scenes:
        duties = obligations(each, scene, pairs)
        number[segment] = len(duties)
        every += duties
    return _Duties(tuple(every), np.cumsum(number))


# Frame candidates observed in parts by an engine: each part of the formulas on all cases (rule 14.35).

_PARTS = 4
"""How many parts a worker has, so that none waits long for another."""


@dataclass(frozen=True, slots=True, eq=False)
class _ObservedParts:
    """Parts that were observed, by their numbers, and why one was not."""

    parts: dict[int, Observation]
    lost: str | None = None

    def __add__(self, other: "_ObservedParts") -> "_ObservedParts":
        return _ObservedParts(self.parts | other.parts, self.lost or other.lost)


def observe_frames_by(
    engine: Engine, dag: Dag, conditions: Sequence[int], formulas: Sequence[int], trials: Trials, dropped: bool = False
) -> Observation:
    """Each formula under each obligation, in the order of `observe_frames`; OSError if a part failed three times."""
    # formulas are divided, not cases: each part is complete for its candidates and parts are joined end to end
    number = min(_PARTS * engine.number, len(formulas))
    if engine.kind is EngineKind.LOCAL or number < 2:
        return observe_frames(dag, conditions, formulas, trials, dropped)
    bounds = [len(formulas) * k // number for k in range(number + 1)]
    tasks = [(k, tuple(formulas[bounds[k] : bounds[k + 1]])) for k in range(number)]
    work: Work[_ObservedParts] = Work(partial(_observe_part, dag, tuple(conditions), trials, dropped), tasks, _given_up)
    observed = run_tasks(engine, work)
    assert observed is not None  # there are parts
    if observed.lost is not None:
        raise OSError(errno.EIO, f"a part of the candidates failed three times; the last fault was {observed.lost}")
    return Observation.joined([observed.parts[k] for k in range(number)])


def _observe_part(
    dag: Dag, conditions: tuple[int, ...], trials: Trials, dropped: bool, task: tuple[int, tuple[int, ...]]
) -> _ObservedParts:
    number, formulas = task
    return _ObservedParts({number: observe_frames(dag, conditions, formulas, trials, dropped)})


def _given_up(task: tuple[int, tuple[int, ...]], why: str) -> _ObservedParts:
    return _ObservedParts({}, why)
