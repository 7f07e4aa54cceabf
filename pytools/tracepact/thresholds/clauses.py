"""Frame and event clauses at every threshold, and the definition they are tested against."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tracepact.data.events import NOWHERE
from tracepact.data.family import Family, RunColumns, Runs, Side, offset, onset, run_columns
from tracepact.evaluate.event_clauses import evaluate_events
from tracepact.evaluate.masks import IntegerAlgebra, evaluate_masks
from tracepact.evaluate.soft_family import greatest_of_others
from tracepact.language.contract import CLASS_ATOMS, Contract, FrameClause
from tracepact.language.formula import FrameRun, lookahead, lookback
from tracepact.language.formula import atoms as atoms_of
from tracepact.thresholds.family import FieldFamily
from tracepact.thresholds.steps import CountSteps, StepsBuilder, Whole, increments, ranges

# Frame clauses at every threshold: each stretch of frames once for every score in it, as rows of one long bitset.
#
# The verdict at a frame depends on the frames its formula looks at and on no other. So a clip is cut into
# stretches, each with as many frames on both sides as formulas look back and ahead, and only the scores in a
# stretch are tried on it. A row is one stretch at one cut. Rows of many stretches are one mask, which the fast
# engine evaluates as it does a family.

Flags = NDArray[np.bool_]
Words = NDArray[np.uint64]
_WORD = 64
_CELLS = 2**22
"""The most frames, over all rows, that are evaluated at once."""
_OTHERS = "other_pred_active"


def frame_steps(
    clauses: Sequence[FrameClause], ranked: FieldFamily, advance: Callable[[int, int], None] = lambda done, of: None
) -> dict[str, CountSteps]:
    """Satisfied and obligated counts of frame clauses as step functions of the threshold (rule 19.5).

    `advance` is told how many of all stretches are done.
    """
    if not clauses:
        return {}
    lines = _SegmentLine(clauses, ranked)
    builders = [StepsBuilder(ranked.shape, 2) for _ in clauses]
    for done, rows in lines.rows():
        for builder, counts in zip(builders, _counts(clauses, rows), strict=True):
            builder.add(rows.cut, rows.entry, increments(counts, rows.stretch))
        advance(done, lines.stretches)
    steps = {clause.name: builder.build() for clause, builder in zip(clauses, builders, strict=True)}
    if lines.stretches == ranked.family.segments:
        return steps
    # Where a clip is cut depends on the others: what cancels between two stretches of it must not show as a piece.
    netted = {name: steps.netted() for name, steps in steps.items()}
    return {name: replace(steps, change=steps.change.astype(np.int32)) for name, steps in netted.items()}


@dataclass(frozen=True, slots=True, eq=False)
class _StretchCuts:
    """Rows of one length: of each its stretch, its cut and whose it is; the masks of its atoms; which frames count."""

    stretch: Whole
    cut: Whole
    entry: Whole
    atoms: "_RowAtoms"
    counted: int
    words: int
    longest: int


class _RowAtoms(dict[str, int]):
    """The masks of the atoms over rows, each made when first asked for from the active frames of what it is about."""

    def __init__(self, active: Mapping[str, Words], repeats: Whole, per_row: Mapping[str, Words], valid: int) -> None:
        super().__init__()
        self._active, self._repeats, self._per_row, self.valid = active, repeats, per_row, valid

    def __missing__(self, name: str) -> int:
        match name:
            case "ref_onset" | "pred_onset":
                mask = onset(self[name.replace("onset", "active")])
            case "ref_offset" | "pred_offset":
                mask = offset(self[name.replace("offset", "active")], self.valid)
            case _:
                rows = self._per_row[name] if name in self._per_row else self._active[name][self._repeats]
                mask = _mask(rows)
        self[name] = mask
        return mask


class _SegmentLine:
    """All segments one after another on a line of frames, and the stretches they are cut into."""

    def __init__(self, clauses: Sequence[FrameClause], ranked: FieldFamily) -> None:
        family = ranked.family
        self._ranked = ranked
        self._names = frozenset().union(*(atoms_of(f) for c in clauses for f in (c.obligation, c.formula)))
        formulas = [formula for clause in clauses for formula in (clause.obligation, clause.formula)]
        self.longest = max(family.frames, default=1)
        self.before = min(1 + max(map(lookback, formulas)), max(self.longest, 1))
        self.after = min(max(map(lookahead, formulas)), self.longest)
        self.words = self._best_words(np.asarray(family.frames, dtype=np.int64))
        self.core = self.words * _WORD - self.before - self.after
        frames = np.tile(np.asarray(family.frames, dtype=np.int64), len(family.classes))
        self.start = np.cumsum(frames) - frames
        self.frames = frames
        number = -(-frames // self.core)
        self.segment = np.repeat(np.arange(len(frames)), number)
        self.first = ranges(np.zeros_like(number), number) * self.core
        self.stretches = len(self.segment)

    def _best_words(self, frames: Whole) -> int:
        """The length of a row, in words, for which all rows together are shortest if all scores differ."""
        least = -(-(self.before + self.after + 1) // _WORD)
        whole = -(-(self.before + self.after + self.longest) // _WORD)
        lengths, times = np.unique(frames, return_counts=True)

        def cost(words: int) -> int:
            core = words * _WORD - self.before - self.after
            rows = np.minimum(lengths, words * _WORD) + 1
            return int((-(-lengths // core) * rows * times).sum()) * words

        # Long rows repeat few frames around their cores but are tried at many scores, short ones the other way round.
        # Doublings of the least length try every order of magnitude between.
        tried = {least, whole, *(min(whole, least << k) for k in range(20)), min(whole, least * 3)}
        return min(sorted(tried), key=cost)

    def rows(self) -> Iterator[tuple[int, _StretchCuts]]:
        """Rows of some stretches at a time, with how many stretches are done."""
        width = self.words * _WORD
        fields = {"pred_active": self._line(self._ranked.ranks)}
        if _OTHERS in self._names:
            fields[_OTHERS] = self._line([greatest_of_others(ranks.T, NOWHERE).T for ranks in self._ranked.ranks])
        masks = self._masks()
        # As many stretches as fit if every frame has a score of its own: the worst case decides the memory.
        some = max(1, _CELLS // (width * (len(fields) * width + 1)))
        for begin in range(0, self.stretches, some):
            yield min(begin + some, self.stretches), self._some_rows(slice(begin, begin + some), fields, masks)

    def _some_rows(self, which: slice, fields: Mapping[str, Whole], masks: Mapping[str, Flags]) -> _StretchCuts:
        segment, first = self.segment[which], self.first[which]
        place = first[:, None] - self.before + np.arange(self.words * _WORD)
        valid = (place >= 0) & (place < self.frames[segment][:, None])
        at = np.where(valid, place + self.start[segment][:, None], 0)
        ranks = {name: np.where(valid, line[at], NOWHERE) for name, line in fields.items()}
        stretch, cut = _cuts(np.concatenate(list(ranks.values()), axis=1))
        core = valid & (place >= first[:, None]) & (place < first[:, None] + self.core)
        active = {name: _packed(line[at] & valid) for name, line in masks.items()}
        counted = _packed(core & ~masks["ignored"][at])[stretch]
        by_row = {name: _packed(found[stretch] >= cut[:, None]) for name, found in ranks.items()}
        atoms = _RowAtoms(active, stretch, by_row, _mask(_packed(valid)[stretch]))
        return _StretchCuts(stretch, cut, segment[stretch], atoms, _mask(counted), self.words, self.longest)

    def _line(self, clips: Sequence[Whole]) -> Whole:
        """Arrays of frames × classes one after another, class by class."""
        return np.concatenate([np.concatenate(clips).T.reshape(-1), np.zeros(1, np.int64)]).astype(np.int32)

    def _masks(self) -> dict[str, Flags]:
        family = self._ranked.family
        masks = {"ignored": self._painted(family.ignored), "ref_active": self._painted(family.runs[Side.REF])}
        if CLASS_ATOMS[0] in self._names:
            rows = masks["ref_active"][:-1].reshape(len(family.classes), -1)
            others = rows.sum(axis=0) - rows
            masks[CLASS_ATOMS[0]] = np.append(others.reshape(-1) > 0, False)
        return masks | {name: self._painted(runs) for name, runs in family.masks.items() if name in self._names}

    def _painted(self, runs: Runs) -> Flags:
        """The frames of runs ranked by segment; runs of one segment do not touch."""
        columns = run_columns(runs)
        # Where runs begin and end, added up: no loop over runs, of which a reference has many.
        turns = np.zeros(int(self.frames.sum()) + 1, dtype=np.int8)
        np.add.at(turns, self.start[columns.segment] + columns.start, 1)
        np.add.at(turns, self.start[columns.segment] + columns.end, -1)
        return np.cumsum(turns, dtype=np.int8).astype(np.bool_)


def _cuts(ranks: Whole) -> tuple[Whole, Whole]:
    """The rows of stretches: cut 0, and for each score in it the cut just above; by stretch, ascending."""
    # A cut that no score of a stretch lies at gives the frames of the cut below: only distinct scores of the stretch
    # make rows, which bounds them by frames, not by the scores of the field.
    ordered = np.sort(ranks, axis=1)
    kept = np.ones((len(ordered), ordered.shape[1] + 1), dtype=np.bool_)
    kept[:, 1:] = ordered > NOWHERE
    kept[:, 2:] &= ordered[:, 1:] > ordered[:, :-1]
    cuts = np.concatenate([np.zeros((len(ordered), 1), ordered.dtype), ordered + 1], axis=1)
    stretch = np.repeat(np.arange(len(ordered)), kept.sum(axis=1))
    return stretch, cuts[kept].astype(np.int64)


def _counts(clauses: Sequence[FrameClause], rows: _StretchCuts) -> Iterator[Whole]:
    """Satisfied and obligated frames of every row, for each clause."""
    formulas = [formula for clause in clauses for formula in (clause.obligation, clause.formula)]
    masks = evaluate_masks(formulas, rows.atoms, IntegerAlgebra(rows.atoms.valid, rows.longest))
    for obligation, formula in zip(masks[::2], masks[1::2], strict=True):
        obliged = obligation & rows.counted
        yield np.stack([_ones(mask, len(rows.cut), rows.words) for mask in (obliged & formula, obliged)])


def _packed(frames: Flags) -> Words:
    """Rows of frames as rows of words."""
    return np.packbits(frames, axis=-1, bitorder="little").view(np.uint64)


def _mask(words: Words) -> int:
    return int.from_bytes(words.tobytes(), "little")


def _ones(mask: int, rows: int, words: int) -> Whole:
    """The active frames of every row."""
    octets = np.frombuffer(mask.to_bytes(rows * words * _WORD // 8, "little"), dtype=np.uint64)
    ones: Whole = np.bitwise_count(octets).reshape(rows, words).sum(axis=1, dtype=np.int64)
    return ones


# Event clauses at every threshold: every clip and class once for every score in it, as clips of one family.

_RUNS = 2**18
"""About how many predicted runs are judged at once."""


def event_steps(
    contract: Contract, ranked: FieldFamily, advance: Callable[[int, int], None] = lambda done, of: None
) -> dict[str, CountSteps]:
    """Satisfied and obligated counts of event clauses as step functions of the threshold, and counter evidence.

    The third count is 1 where a run that is not ignored exists on either side (rules 7.4 and 19.6). `advance` is told
    how many of all clips and classes are done.
    """
    clauses = contract.event_clauses
    if not clauses:
        return {}
    builders = [StepsBuilder(ranked.shape, 3) for _ in clauses]
    of = ranked.family.segments
    for done, rows in _portions(ranked):
        family, label_of = _family(rows, ranked, any(clause.compares_classes for clause in clauses))
        evaluated = evaluate_events(contract, family)
        own = label_of * len(rows.segment) + np.arange(len(rows.segment))
        evidence = evaluated.counter_evidence[own].astype(np.int64)
        for builder, judged in zip(builders, evaluated.clauses, strict=True):
            counts = np.stack([judged.satisfied[own], judged.obligated[own], evidence])
            builder.add(rows.cut, rows.segment, increments(counts, rows.segment))
        advance(done, of)
    return {clause.name: builder.build() for clause, builder in zip(clauses, builders, strict=True)}


@dataclass(frozen=True, slots=True, eq=False)
class _EventCuts:
    """Clips and classes at cuts: segment and cut of each row, ascending; the predicted runs by row."""

    segment: Whole
    cut: Whole
    row: Whole
    start: Whole
    end: Whole


def _portions(ranked: FieldFamily) -> Iterator[tuple[int, _EventCuts]]:
    """Rows of some segments at a time, with how many segments are done."""
    gathered: list[_EventCuts] = []
    runs = 0
    segments = ranked.family.segments
    for segment in range(segments):
        label, clip = divmod(segment, len(ranked.family.clips))
        gathered.append(_rows(segment, ranked.ranks[clip][:, label]))
        runs += len(gathered[-1].row) + len(gathered[-1].cut)
        if runs >= _RUNS or segment == segments - 1:
            yield segment + 1, _joined(gathered)
            gathered, runs = [], 0


def _rows(segment: int, ranks: Whole) -> _EventCuts:
    cuts = np.concatenate([[0], np.unique(ranks[ranks > NOWHERE]) + 1]).astype(np.int64)
    active = np.zeros((len(cuts), len(ranks) + 2), dtype=np.int8)
    active[:, 1:-1] = ranks >= cuts[:, None]
    turns = np.diff(active, axis=1)
    row, start = np.nonzero(turns == 1)
    return _EventCuts(np.full(len(cuts), segment), cuts, row, start, np.nonzero(turns == -1)[1])


def _joined(parts: list[_EventCuts]) -> _EventCuts:
    sizes = np.array([len(part.cut) for part in parts])
    before = np.cumsum(sizes) - sizes
    rows = [part.row + first for part, first in zip(parts, before.tolist(), strict=True)]
    segment, cut, start, end = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("segment", "cut", "start", "end")
    )
    return _EventCuts(segment, cut, np.concatenate(rows), start, end)


def _family(rows: _EventCuts, ranked: FieldFamily, compares_classes: bool) -> tuple[Family, Whole]:
    """The rows as clips, and the class of each in this family.

    Its classes are all, where a predicate compares them, else one that stands for each row's own.
    """
    family, number = ranked.family, len(rows.segment)
    label, clip = np.divmod(rows.segment, len(family.clips))
    labels = label if compares_classes else np.zeros_like(label)
    classes = family.classes if compares_classes else family.classes[:1]

    def spread(runs: dict[int, tuple[FrameRun, ...]]) -> dict[int, tuple[FrameRun, ...]]:
        runs_of_rows: dict[int, tuple[FrameRun, ...]] = {}
        for k in range(len(classes)):
            for row in range(number):
                kind = k if compares_classes else int(label[row])
                some = runs.get(family.segment(kind, int(clip[row])))
                if some:
                    runs_of_rows[k * number + row] = some
        return runs_of_rows

    preds = RunColumns(labels[rows.row] * number + rows.row, rows.start, rows.end)
    if compares_classes:
        order = np.lexsort((preds.start, preds.segment))
        preds = RunColumns(preds.segment[order], preds.start[order], preds.end[order])
    family_of_rows = replace(
        family,
        clips=tuple(map(str, range(number))),
        frames=tuple(family.frames[c] for c in clip.tolist()),
        classes=classes,
        runs={Side.REF: spread(dict(family.runs[Side.REF])), Side.PRED: preds},
        ignored=spread(dict(family.ignored)) if family.ignored else {},
        masks={},
    )
    return family_of_rows, labels
