"""Event clauses at every threshold: every clip and class once for every score in it, as clips of one family."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from tracepact.core import Contract
from tracepact.events import evaluate_events
from tracepact.thresholds.family import FieldFamily
from tracepact.thresholds.steps import Steps, StepsBuilder, Whole
from tracepact.trace import NOWHERE, Family, FrameRun, Side
from tracepact.trace.run_columns import RunColumns

_RUNS = 2**18
"""About how many predicted runs are judged at once."""


def event_steps(
    contract: Contract, given: FieldFamily, advance: Callable[[int, int], None] = lambda done, of: None
) -> dict[str, Steps]:
    """Satisfied and obligated counts of event clauses as step functions of the threshold, and counter evidence.

    The third count is 1 where a run that is not ignored exists on either side (rules 7.4 and 19.6). `advance` is told
    how many of all clips and classes are done.
    """
    clauses = contract.event_clauses
    if not clauses:
        return {}
    builders = [StepsBuilder(given.shape, 3) for _ in clauses]
    of = given.family.segments
    for done, rows in _portions(given):
        family, label_of = _family(rows, given, any(clause.compares_classes for clause in clauses))
        found = evaluate_events(contract, family)
        own = label_of * len(rows.segment) + np.arange(len(rows.segment))
        evidence = found.counter_evidence[own].astype(np.int64)
        for builder, judged in zip(builders, found.clauses, strict=True):
            counts = np.stack([judged.satisfied[own], judged.obligated[own], evidence])
            change = np.diff(counts, axis=1, prepend=0)
            opens = rows.cut == 0
            change[:, opens] = counts[:, opens]
            builder.add(rows.cut, rows.segment, change)
        advance(done, of)
    return {clause.name: builder.build() for clause, builder in zip(clauses, builders, strict=True)}


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Clips and classes at cuts: segment and cut of each row, ascending; the predicted runs by row."""

    segment: Whole
    cut: Whole
    row: Whole
    start: Whole
    end: Whole


def _portions(given: FieldFamily) -> Iterator[tuple[int, _Rows]]:
    """Rows of some segments at a time, with how many segments are done."""
    gathered: list[_Rows] = []
    runs = 0
    segments = given.family.segments
    for segment in range(segments):
        label, clip = divmod(segment, len(given.family.clips))
        gathered.append(_rows(segment, given.ranks[clip][:, label]))
        runs += len(gathered[-1].row) + len(gathered[-1].cut)
        if runs >= _RUNS or segment == segments - 1:
            yield segment + 1, _joined(gathered)
            gathered, runs = [], 0


def _rows(segment: int, ranks: Whole) -> _Rows:
    cuts = np.concatenate([[0], np.unique(ranks[ranks > NOWHERE]) + 1]).astype(np.int64)
    active = np.zeros((len(cuts), len(ranks) + 2), dtype=np.int8)
    active[:, 1:-1] = ranks >= cuts[:, None]
    turns = np.diff(active, axis=1)
    row, start = np.nonzero(turns == 1)
    return _Rows(np.full(len(cuts), segment), cuts, row, start, np.nonzero(turns == -1)[1])


def _joined(parts: list[_Rows]) -> _Rows:
    sizes = np.array([len(part.cut) for part in parts])
    before = np.cumsum(sizes) - sizes
    rows = [part.row + first for part, first in zip(parts, before.tolist(), strict=True)]
    segment, cut, start, end = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("segment", "cut", "start", "end")
    )
    return _Rows(segment, cut, np.concatenate(rows), start, end)


def _family(rows: _Rows, given: FieldFamily, compares_classes: bool) -> tuple[Family, Whole]:
    """The rows as clips, and the class of each in this family.

    Its classes are all, where a predicate compares them, else one that stands for each row's own.
    """
    family, number = given.family, len(rows.segment)
    label, clip = np.divmod(rows.segment, len(family.clips))
    own = label if compares_classes else np.zeros_like(label)
    classes = family.classes if compares_classes else family.classes[:1]

    def spread(runs: dict[int, tuple[FrameRun, ...]]) -> dict[int, tuple[FrameRun, ...]]:
        found: dict[int, tuple[FrameRun, ...]] = {}
        for k in range(len(classes)):
            for row in range(number):
                kind = k if compares_classes else int(label[row])
                some = runs.get(family.segment(kind, int(clip[row])))
                if some:
                    found[k * number + row] = some
        return found

    preds = RunColumns(own[rows.row] * number + rows.row, rows.start, rows.end)
    if compares_classes:
        order = np.lexsort((preds.start, preds.segment))
        preds = RunColumns(preds.segment[order], preds.start[order], preds.end[order])
    made = replace(
        family,
        clips=tuple(map(str, range(number))),
        frames=tuple(family.frames[c] for c in clip.tolist()),
        classes=classes,
        runs={Side.REF: spread(dict(family.runs[Side.REF])), Side.PRED: preds},
        ignored=spread(dict(family.ignored)) if family.ignored else {},
        masks={},
    )
    return made, own
