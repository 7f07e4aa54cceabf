"""Detections on the grid of a contract beside their reference: what every threshold is asked about (rule 20.13)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics
from tracepact.metrics.intervals import inside_regions
from tracepact.thresholds.detections import Detections
from tracepact.thresholds.family import FieldFamily
from tracepact.trace import (
    NOWHERE,
    ClipScores,
    Durations,
    EventTable,
    Family,
    Grid,
    Mode,
    Ranks,
    Regions,
    ScoreField,
    Side,
    assemble,
)
from tracepact.trace.assembly import FrameMask
from tracepact.trace.columns import Columns, columns
from tracepact.trace.exact_times import common_unit, ratios, ticks


def detection_family(
    contract: Contract,
    reference: EventTable,
    given: Detections,
    *,
    durations: Durations | Fraction | None = None,
    mode: Mode = Mode.CLASS_INDEXED,
    ignore: Regions | None = None,
    masks: Mapping[str, Mapping[str, FrameMask]] | None = None,
    diagnostics: Diagnostics,
    classes: Sequence[str] | None = None,
) -> FieldFamily:
    """Put a reference and detections on the contract's grid; errors raise InvalidInput.

    A frame has the greatest rank of the events that give it. `classes` are those of a whole of which this is a part.
    """
    family = assemble(
        contract,
        reference,
        given.table,
        durations=durations,
        mode=mode,
        ignore=ignore,
        masks=masks,
        diagnostics=diagnostics,
        limit="scores",
        allow_outside=True,
        classes=classes,
    )
    assert durations is not None  # else assembling has raised
    lengths = {clip: durations if isinstance(durations, Fraction) else durations.clips[clip] for clip in family.clips}
    labels = _labels(family, given.table)
    ranks = _on_grid(given, family, labels, lengths, Grid(contract.step, contract.projection))
    family = replace(family, runs={**family.runs, Side.PRED: {}})
    judged = given if ignore is None else _without_ignored(given, family, labels, ignore)
    field = _in_cells(judged, family, labels)
    return FieldFamily(family, given.levels, ranks, reference, field, lengths, ignore, judged)


def _labels(family: Family, table: EventTable) -> dict[str, int]:
    """The number of each label among the classes; one for all in union."""
    if family.mode is Mode.UNION:
        return dict.fromkeys(table.labels, 0)
    return {label: place for place, label in enumerate(family.classes)}


def _on_grid(
    given: Detections, family: Family, labels: Mapping[str, int], lengths: Mapping[str, Fraction], grid: Grid
) -> tuple[Ranks, ...]:
    """Of every clip, frames × classes, the greatest rank of the events there."""
    unit = common_unit(given.table.times, lengths.values(), [grid.step])
    events = _columns(given.table, family, labels, unit)
    start, end = grid.edges(events.onset, events.offset, int(grid.step * unit))
    start = np.maximum(start, 0)
    ends = ticks(ratios(lengths.values()), unit)
    outside = (events.onset >= ends[events.clip]).astype(np.bool_)
    found = [np.full((frames, len(family.classes)), NOWHERE, dtype=np.int64) for frames in family.frames]
    parts = (events.clip, events.label, start, np.where(outside, start, np.maximum(end, 0)), given.ranks)
    for clip, label, first, last, rank in zip(*(part.tolist() for part in parts), strict=True):
        cells = found[clip][first:last, label]
        np.maximum(cells, rank, out=cells)
    return tuple(found)


def _columns(table: EventTable, family: Family, labels: Mapping[str, int], unit: int) -> Columns:
    """The events of a table under the family's numbering of clips, which are all known."""
    return columns(table, {clip: place for place, clip in enumerate(family.clips)}, labels, unit)


def _without_ignored(given: Detections, family: Family, labels: Mapping[str, int], ignore: Regions) -> Detections:
    """The events that do not lie wholly in one ignore region for their class (rule 15.13)."""
    unit = common_unit(given.table.times, ignore.times)
    regions = _columns(ignore, family, _labels(family, ignore), unit)
    kept = ~inside_regions(_columns(given.table, family, labels, unit), ignore, regions)
    flags = iter(kept.tolist())
    events = {clip: tuple(e for e in events if next(flags)) for clip, events in given.table.clips.items()}
    return replace(given, table=replace(given.table, clips=events), ranks=given.ranks[kept])


def _in_cells(given: Detections, family: Family, labels: Mapping[str, int]) -> ScoreField:
    """The events as a field for metrics on cells: frames end wherever an event begins or ends."""
    unit = common_unit(given.table.times)
    events = _columns(given.table, family, labels, unit)
    order = np.argsort(events.clip, kind="stable")
    owners, begins = np.unique(events.clip[order], return_index=True)
    clips = {}
    for owner, own in zip(owners.tolist(), np.split(order, begins[1:]), strict=False):
        line = np.unique(np.concatenate([np.zeros(1, np.int64), events.onset[own], events.offset[own]]))
        first, last = np.searchsorted(line, events.onset[own]), np.searchsorted(line, events.offset[own])
        ranks = np.full((len(line) - 1, len(family.classes)), NOWHERE, dtype=np.int64)
        parts = (events.label[own], first, last, given.ranks[own])
        for label, begin, end, rank in zip(*(part.tolist() for part in parts), strict=True):
            cells = ranks[begin:end, label]
            np.maximum(cells, rank, out=cells)
        if len(ranks):
            edges = tuple(Fraction(edge, unit) for edge in line.tolist())
            clips[family.clips[owner]] = ClipScores(edges, ranks)
    return ScoreField(given.name, family.classes, given.levels, clips, given.table.digest)
