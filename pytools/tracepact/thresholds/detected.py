"""Detections on the grid of a contract beside their reference: what every threshold is asked about (rule 20.13)."""

from collections.abc import Mapping
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
from tracepact.trace.assemble import FrameMask
from tracepact.trace.columns import columns
from tracepact.trace.exact import common_unit


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
) -> FieldFamily:
    """Put a reference and detections on the contract's grid; errors raise InvalidInput.

    A frame has the greatest rank of the events that give it.
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
        allow_outside=True,
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
    found = {
        clip: np.full((frames, len(family.classes)), NOWHERE, dtype=np.int64)
        for clip, frames in zip(family.clips, family.frames, strict=True)
    }
    for (clip, event), rank in zip(given.table.events, given.ranks.tolist(), strict=True):
        if event.onset < lengths[clip]:
            start, end = grid.project(event.onset, event.offset)
            cells = found[clip][max(start, 0) : max(end, 0), labels[event.label]]
            np.maximum(cells, rank, out=cells)
    return tuple(found.values())


def _without_ignored(given: Detections, family: Family, labels: Mapping[str, int], ignore: Regions) -> Detections:
    """The events that do not lie wholly in one ignore region for their class (rule 15.13)."""
    clips = {clip: place for place, clip in enumerate(family.clips)}
    unit = common_unit(given.table.times, ignore.times)
    regions = columns(ignore, clips, _labels(family, ignore), unit)
    kept = ~inside_regions(columns(given.table, clips, labels, unit), ignore, regions)
    flags = iter(kept.tolist())
    events = {clip: tuple(e for e in events if next(flags)) for clip, events in given.table.clips.items()}
    return replace(given, table=replace(given.table, clips=events), ranks=given.ranks[kept])


def _in_cells(given: Detections, family: Family, labels: Mapping[str, int]) -> ScoreField:
    """The events as a field for metrics on cells: frames end wherever an event begins or ends."""
    ranks = iter(given.ranks.tolist())
    clips = {}
    for clip, events in given.table.clips.items():
        edges = sorted({Fraction(0), *(time for event in events for time in (event.onset, event.offset))})
        place = {edge: k for k, edge in enumerate(edges)}
        cells = np.full((len(edges) - 1, len(family.classes)), NOWHERE, dtype=np.int64)
        for event in events:
            own = cells[place[event.onset] : place[event.offset], labels[event.label]]
            np.maximum(own, next(ranks), out=own)
        if len(cells):
            clips[clip] = ClipScores(tuple(edges), cells)
    return ScoreField(given.name, family.classes, given.levels, clips, given.table.digest)
