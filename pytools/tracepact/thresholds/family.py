"""Scores of frames or of events on a contract's grid beside their reference, and with a threshold held."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tracepact.data.assembly import assemble
from tracepact.data.events import (
    NOWHERE,
    ClipScores,
    Durations,
    EventColumns,
    EventTable,
    Ranks,
    Regions,
    ScoreField,
    ScoreLevels,
    columns,
    common_unit,
    levels_of_texts,
    ratios,
    ticks,
)
from tracepact.data.family import Family, Grid, Mode, RunColumns, Side
from tracepact.data.labels import label_help
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace, did_you_mean
from tracepact.language.contract import Contract, Projection
from tracepact.measures.results import inside_regions
from tracepact.thresholds.steps import Whole
from tracepact.wording import print_number, seconds

# Events with confidences: a threshold keeps those whose confidence is greater (rule 20.13).


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """The events of a table, each with a confidence from 0 to 1.

    Attributes:
        table: the events.
        levels: the distinct confidences.
        ranks: the rank of the confidence of each event, in the table's order.
    """

    table: EventTable
    levels: ScoreLevels
    ranks: Whole

    @property
    def name(self) -> str:
        """The name that messages use."""
        return self.table.name

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels that occur."""
        return tuple(sorted(self.table.labels))


def detections_of(table: EventTable, diagnostics: Diagnostics) -> Detections:
    """The events of a table with the ranks of their confidences; one without a confidence from 0 to 1 is reported."""
    values = []
    for clip, event in table.events:
        confidence = event.confidence
        if confidence is not None and 0 <= confidence <= 1:
            values.append(confidence)
            continue
        fault = "no confidence" if confidence is None else f"the confidence {print_number(confidence)}"
        headline = f"`{event.label}` at {seconds(event.onset)} in `{clip}` has {fault}"
        help = "thresholds are for events with a confidence from 0 to 1, or for scores of frames"
        diagnostics.add("bad-score", headline, table.place(clip, event.row), help)
    diagnostics.raise_errors()
    # Ranks in place of confidences: whole numbers are compared exactly, and a cut means the same for events as for
    # scores of frames.
    distinct = sorted(set(values))
    levels = ScoreLevels(np.array(list(map(float, distinct))), dict(enumerate(map(print_number, distinct))))
    rank = {value: place for place, value in enumerate(distinct)}
    return Detections(table, levels, np.array([rank[value] for value in values], dtype=np.int64))


# A score field on the grid of a contract beside its reference: what every threshold is asked about (rule 19.2).


@dataclass(frozen=True, slots=True, eq=False)
class FieldFamily:
    """A family without predictions, and on its frames the ranks of a field.

    Attributes:
        family: the reference, what is ignored, and the masks of declared atoms.
        levels: the distinct scores of the field.
        ranks: of every clip, frames × classes; NOWHERE where no threshold makes a frame active.
        reference: the reference as it was read.
        field: the field on its own frames, for metrics on intervals: its columns in the order of the family's classes,
            with NOWHERE for a class that it has no column of, and in union all columns as one (rule 15.23); a frame has
            the greatest rank at which it is in a run that no ignore region holds wholly (rule 15.13).
        lengths: how long each clip is.
        ignore: the regions that carry no obligation, as they were read.
        detections: the events that a threshold keeps or leaves out, without those that an ignore region holds wholly;
            None where the scores are those of frames. Their field has the greatest rank wherever some of them are.
    """

    family: Family
    levels: ScoreLevels
    ranks: tuple[Ranks, ...]
    reference: EventTable
    field: ScoreField
    lengths: Mapping[str, Fraction]
    ignore: Regions | None = None
    detections: Detections | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of classes and clips."""
        return len(self.family.classes), len(self.family.clips)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, in order."""
        return self.family.classes

    @property
    def seconds(self) -> Fraction:
        """The sum of the lengths of all clips."""
        return sum(self.lengths.values(), Fraction(0))

    @property
    def overlapping(self) -> bool:
        """Whether two detections of one class of the family can overlap: events that no union joins.

        Then what several of them cover is covered once (rule 20.13).
        """
        return self.detections is not None and self.family.mode is Mode.CLASS_INDEXED

    def at(self, cut: int) -> Family:
        """The family with the prediction at a cut."""
        columns = [(ranks >= cut).T for ranks in self.ranks]
        segment, start, end = [], [], []
        for label in range(len(self.family.classes)):
            for clip, active in enumerate(columns):
                edges = np.flatnonzero(np.diff(active[label], prepend=False, append=False))
                start.append(edges[::2])
                end.append(edges[1::2])
                segment.append(np.full(len(edges) // 2, self.family.segment(label, clip)))
        joined = (np.concatenate([np.zeros(0, np.int64), *some]) for some in (segment, start, end))
        return replace(self.family, runs={**self.family.runs, Side.PRED: RunColumns(*joined)})


def field_family(
    contract: Contract,
    reference: EventTable,
    scores: ScoreField | Detections,
    *,
    durations: Durations | Fraction | None = None,
    mode: Mode = Mode.CLASS_INDEXED,
    ignore: Regions | None = None,
    diagnostics: Diagnostics,
    classes: Sequence[str] | None = None,
) -> FieldFamily:
    """Put a reference and scores, of frames or of events, on the contract's grid; errors raise InvalidInput.

    The classes are the contract's labels, else those of the reference and of the scores (rule 19.3). Without durations
    a clip is as long as its field. `classes` are those of a whole of which this is a part, as for `assemble`.
    """
    faults = diagnostics
    if isinstance(scores, ScoreField):
        ends = {clip: frames.edges[-1] for clip, frames in scores.clips.items()}
        durations = Durations(scores.name, ends) if durations is None else durations
        predicted = EventTable(scores.name, dict.fromkeys(scores.clips, ()), scores.digest)
        if mode is Mode.CLASS_INDEXED and classes is None:
            report_columns(contract, reference, scores.classes, scores.name, diagnostics)
        contract = contract_of_field(contract, reference, scores.classes)
        faults = Diagnostics(list(diagnostics))
    else:
        predicted = scores.table
    family = assemble(
        contract,
        reference,
        predicted,
        durations=durations,
        mode=mode,
        ignore=ignore,
        diagnostics=faults,
        classes=classes,
        limit="scores",
        allow_outside=True,
    )
    assert durations is not None  # else assembling has raised
    lengths = {clip: durations if isinstance(durations, Fraction) else durations.clips[clip] for clip in family.clips}
    if isinstance(scores, ScoreField):
        # The side without events would be reported for every class: columns say that better, above.
        diagnostics.extend(one for one in faults.items[len(diagnostics) :] if one.code != "one-sided-label")
        ranks, field = _frames_on_grid(contract, scores, family, lengths)
        if ignore is not None:
            field = _family_without_ignored(field, ignore, mode)
        return FieldFamily(family, scores.levels, tuple(ranks), reference, field, lengths, ignore)
    # A frame has the greatest rank of the events that give it.
    grid_ranks = _on_grid(scores, family, lengths, Grid(contract.step, contract.projection))
    family = replace(family, runs={**family.runs, Side.PRED: {}})
    judged = scores if ignore is None else _detections_without_ignored(scores, family, ignore)
    # In union a region leaves out events that are joined.
    field = _in_cells(scores if mode is Mode.UNION else judged, family)
    if mode is Mode.UNION and ignore is not None:
        field = _family_without_ignored(field, ignore, mode)
    return FieldFamily(family, scores.levels, grid_ranks, reference, field, lengths, ignore, judged)


def _frames_on_grid(
    contract: Contract, field: ScoreField, family: Family, lengths: Mapping[str, Fraction]
) -> tuple[list[Ranks], ScoreField]:
    """Of every clip the ranks on the grid, frames × classes, and the field with a column for each class."""
    union = family.mode is Mode.UNION
    ordered = field if union else _in_order(field, family)
    empty = np.zeros((1, len(ordered.classes)), np.int64) + NOWHERE
    ranks = []
    alike: dict[tuple[int, int, Fraction], Ranks] = {}
    for clip, frames in zip(family.clips, family.frames, strict=True):
        scores = ordered.clips.get(clip) or ClipScores((Fraction(0), lengths[clip]), empty)
        # Clips of a folder mostly share one line of edges and one length: projecting is exact and slow, so it is done
        # once for all that are alike.
        key = id(scores.edges), frames, lengths[clip]
        if contract.projection is not Projection.CENTRE or scores.edges[-2] >= lengths[clip]:
            ranks.append(_projected(_inside(scores, lengths[clip]), contract.projection, family.step, frames))
            continue
        if key not in alike:
            alike[key] = scores.covering(family.step, frames)
        covering = alike[key]
        ranks.append(np.where(covering[:, None] == NOWHERE, NOWHERE, scores.ranks[covering]))
    if not union:
        return ranks, ordered
    # Each class on the grid by itself, then all as one: the field whose runs at a threshold are the joined runs of all
    # columns there.
    joined = {
        clip: replace(scores, ranks=scores.ranks.max(axis=1, keepdims=True, initial=NOWHERE))
        for clip, scores in field.clips.items()
    }
    as_one = replace(field, classes=family.classes, clips=joined)
    return [columns.max(axis=1, keepdims=True) for columns in ranks], as_one


def _family_without_ignored(field: ScoreField, ignore: Regions, mode: Mode) -> ScoreField:
    """The field as far as its runs are not held wholly by one ignore region for their class; in union by any.

    A run inside a region leaves it only together with a frame before or after it.
    """
    clips = dict(field.clips)
    for clip, regions in ignore.clips.items():
        if clip not in clips:
            continue
        scores = clips[clip]
        wide = np.pad(scores.ranks, ((1, 1), (0, 0)), constant_values=NOWHERE)
        ranks = scores.ranks.copy()
        for region in regions:
            inside = [
                scores.edges[k] >= region.onset and scores.edges[k + 1] <= region.offset for k in range(len(ranks))
            ]
            held = np.flatnonzero(inside)
            columns = [k for k, name in enumerate(field.classes) if mode is Mode.UNION or region.label in ("", name)]
            if not len(held) or not columns:
                continue
            first, last = int(held[0]), int(held[-1]) + 1
            block = wide[first : last + 2][:, columns]
            # A frame of the region survives at a cut if its run reaches out of the region there: if all frames from it
            # to one end, and the one beyond, are active. Hence the least rank on the way to either end, and the greater
            # of both.
            left = np.minimum.accumulate(block, axis=0)[1:-1]
            right = np.minimum.accumulate(block[::-1], axis=0)[::-1][1:-1]
            ranks[first:last, columns] = np.minimum(ranks[first:last, columns], np.maximum(left, right))
        clips[clip] = replace(scores, ranks=ranks)
    return replace(field, clips=clips)


def report_columns(
    contract: Contract, reference: EventTable, columns: Sequence[str], field: str, diagnostics: Diagnostics
) -> None:
    """Refuse a column of a field that the contract's labels do not know; warn of classes that one side lacks."""
    for name in columns:
        if contract.labels is not None and name not in contract.labels:
            headline = f"the field has a column `{name}`, which is not in the contract's declared labels"
            diagnostics.add("unknown-label", headline, RowPlace(field), did_you_mean(name, contract.labels))
    for name in sorted(reference.labels - set(columns)):
        headline = f"the field has no column of the class `{name}`"
        diagnostics.add("one-sided-label", headline, RowPlace(field), label_help(name, columns))
    for name in sorted(set(columns) - reference.labels):
        headline = f"label `{name}` does not occur in the reference"
        diagnostics.add("one-sided-label", headline, RowPlace(reference.name), label_help(name, reference.labels))


def contract_of_field(contract: Contract, reference: EventTable, columns: Collection[str]) -> Contract:
    """The contract with the labels of rule 19.3, of a field with these columns."""
    labels = contract.labels or tuple(sorted({*reference.labels, *columns}))
    return replace(contract, labels=labels)


def _in_order(field: ScoreField, family: Family) -> ScoreField:
    """The field with a column for each class of the family."""
    place = {name: k for k, name in enumerate(field.classes)}
    columns = np.array([place.get(name, len(place)) for name in family.classes], dtype=np.int64)
    clips = {}
    for clip, scores in field.clips.items():
        wide = np.pad(scores.ranks, ((0, 0), (0, 1)), constant_values=NOWHERE)
        clips[clip] = replace(scores, ranks=wide[:, columns])
    return replace(field, classes=family.classes, clips=clips)


def _inside(scores: ClipScores, length: Fraction) -> ClipScores:
    """The field as far as its events start before the end of their clip (rule 13.31).

    A frame that begins there or later is active only together with all frames since the last one that begins before.
    """
    first = sum(edge < length for edge in scores.edges[:-1])
    if first == len(scores.ranks):
        return scores
    ranks = scores.ranks.copy()
    ranks[max(first - 1, 0) :] = np.minimum.accumulate(ranks[max(first - 1, 0) :], axis=0)
    if not first:
        ranks[:] = NOWHERE
    return replace(scores, ranks=ranks)


def _projected(scores: ClipScores, projection: Projection, step: Fraction, frames: int) -> Ranks:
    """The ranks on the frames of a grid: what the projected events (rule 5.3) of every threshold have in common."""
    match projection:
        case Projection.CENTRE:
            return scores.projected(step, frames)
        case Projection.TOUCH:
            return touching(scores, step, frames)
        case Projection.INSIDE:
            first, last = _touched(scores, step, frames)
            lowest = _over(np.minimum, scores.ranks, first, last)
            whole = (first >= 0) & (last < len(scores.ranks))
            return np.where(whole[:, None], lowest, NOWHERE)


def touching(scores: ClipScores, step: Fraction, frames: int) -> Ranks:
    """Of each frame of a grid the greatest rank of the own frames that share more than a point with it."""
    first, last = _touched(scores, step, frames)
    return _over(np.maximum, scores.ranks, np.maximum(first, 0), np.minimum(last, len(scores.ranks) - 1))


def _touched(scores: ClipScores, step: Fraction, frames: int) -> tuple[Ranks, Ranks]:
    """The first and the last own frame that each frame of a grid shares more than a point with.

    Where the field has not begun the first is -1, where it has ended the last is the number of frames.
    """
    line, begins, wide = scores.line(step, step, frames)
    first = np.searchsorted(line, begins, side="right") - 1
    last = np.searchsorted(line, begins + wide, side="left") - 1
    ended = np.full(frames - len(begins), len(scores.ranks))
    return np.concatenate([first, ended]).astype(np.int64), np.concatenate([last, ended]).astype(np.int64)


def _over(combine: "np.ufunc", ranks: Ranks, first: Ranks, last: Ranks) -> Ranks:
    """The ranks from first to last combined, NOWHERE where there are none."""
    some = (last >= first) & (first < len(ranks)) & (last >= 0)
    wide = np.concatenate([ranks, np.full((1, ranks.shape[1]), NOWHERE)])
    begins, ends = np.clip(first, 0, len(ranks) - 1), np.clip(last + 1, 1, len(ranks))
    pairs = np.stack([begins, np.maximum(ends, begins + 1)], axis=1).reshape(-1)
    combined: Ranks = combine.reduceat(wide, pairs, axis=0)[::2]
    return np.where(some[:, None], combined, NOWHERE)


# Detections on the grid of a contract (rule 20.13).


def columns_in(family: Family, table: EventTable, unit: int) -> EventColumns:
    """The events of a table under a family's numbering of its clips and classes; one label for all in union."""
    clips = {clip: place for place, clip in enumerate(family.clips)}
    if family.mode is Mode.UNION:
        return columns(table, clips, dict.fromkeys(table.labels, 0), unit)
    return columns(table, clips, {label: place for place, label in enumerate(family.classes)}, unit)


def _on_grid(detections: Detections, family: Family, lengths: Mapping[str, Fraction], grid: Grid) -> tuple[Ranks, ...]:
    """Of every clip, frames × classes, the greatest rank of the events there."""
    unit = common_unit(detections.table.times, lengths.values(), [grid.step])
    events = columns_in(family, detections.table, unit)
    start, end = grid.edges(events.onset, events.offset, int(grid.step * unit))
    start = np.maximum(start, 0)
    ends = ticks(ratios(lengths.values()), unit)
    outside = (events.onset >= ends[events.clip]).astype(np.bool_)
    grids = [np.full((frames, len(family.classes)), NOWHERE, dtype=np.int64) for frames in family.frames]
    parts = (events.clip, events.label, start, np.where(outside, start, np.maximum(end, 0)), detections.ranks)
    for clip, label, first, last, rank in zip(*(part.tolist() for part in parts), strict=True):
        cells = grids[clip][first:last, label]
        np.maximum(cells, rank, out=cells)
    return tuple(grids)


def _detections_without_ignored(detections: Detections, family: Family, ignore: Regions) -> Detections:
    """The events that do not lie wholly in one ignore region for their class (rule 15.13)."""
    unit = common_unit(detections.table.times, ignore.times)
    regions = columns_in(family, ignore, unit)
    kept = ~inside_regions(columns_in(family, detections.table, unit), ignore, regions)
    flags = iter(kept.tolist())
    events = {clip: tuple(e for e in events if next(flags)) for clip, events in detections.table.clips.items()}
    return replace(detections, table=replace(detections.table, clips=events), ranks=detections.ranks[kept])


def _in_cells(detections: Detections, family: Family) -> ScoreField:
    """The events as a field for metrics on cells: frames end wherever an event begins or ends."""
    unit = common_unit(detections.table.times)
    events = columns_in(family, detections.table, unit)
    order = np.argsort(events.clip, kind="stable")
    owners, begins = np.unique(events.clip[order], return_index=True)
    clips = {}
    for owner, own in zip(owners.tolist(), np.split(order, begins[1:]), strict=False):
        line = np.unique(np.concatenate([np.zeros(1, np.int64), events.onset[own], events.offset[own]]))
        first, last = np.searchsorted(line, events.onset[own]), np.searchsorted(line, events.offset[own])
        ranks = np.full((len(line) - 1, len(family.classes)), NOWHERE, dtype=np.int64)
        parts = (events.label[own], first, last, detections.ranks[own])
        for label, begin, end, rank in zip(*(part.tolist() for part in parts), strict=True):
            cells = ranks[begin:end, label]
            np.maximum(cells, rank, out=cells)
        if len(ranks):
            edges = tuple(Fraction(edge, unit) for edge in line.tolist())
            clips[family.clips[owner]] = ClipScores(edges, ranks)
    return ScoreField(detections.name, family.classes, detections.levels, clips, detections.table.digest)


# A hysteresis with one of its thresholds held: a field whose thresholds are the other one (rules 13.9 and 20.10).

Cuts = Mapping[str, int]
"""A cut for each class."""


def with_low(field: ScoreField, low: Cuts) -> ScoreField:
    """The field whose threshold is the high one: a frame has the greatest rank of its run above the low threshold."""
    return _changed(field, low, _peaks)


def with_high(field: ScoreField, high: Cuts) -> ScoreField:
    """The field whose threshold is the low one: a frame has the greatest rank at which its run reaches the high one."""
    return _changed(field, high, _reached)


def columns_of(fields: Mapping[str, ScoreField]) -> ScoreField:
    """The field whose every column is that of a field by class."""
    first = next(iter(fields.values()))
    clips = {}
    for clip, scores in first.clips.items():
        columns = [fields[label].clips[clip].ranks[:, place] for place, label in enumerate(first.classes)]
        clips[clip] = replace(scores, ranks=np.stack(columns, axis=1))
    return replace(first, clips=clips)


def active_at(field: ScoreField | Detections, cuts: Cuts) -> ScoreField | Detections:
    """The scores or confidences of zeros and ones that at cut 1 have each class at its own cut."""
    levels, (zero, one) = levels_of_texts(["0", "1"])
    if isinstance(field, Detections):
        own = np.array([cuts[event.label] for _, event in field.table.events], dtype=np.int64)
        return replace(field, levels=levels, ranks=np.where(field.ranks >= own, one, zero))
    held = np.array([cuts[label] for label in field.classes], dtype=np.int64)
    clips = {
        clip: replace(scores, ranks=np.where(scores.ranks >= held, one, zero)) for clip, scores in field.clips.items()
    }
    return replace(field, levels=levels, clips=clips)


def _changed(field: ScoreField, cuts: Cuts, change: Callable[[Whole, Whole], Whole]) -> ScoreField:
    held = np.array([cuts[label] for label in field.classes], dtype=np.int64)
    clips = {clip: replace(scores, ranks=change(scores.ranks, held)) for clip, scores in field.clips.items()}
    return replace(field, clips=clips)


def _peaks(ranks: Whole, low: Whole) -> Whole:
    """The greatest rank of the run of ranks from `low` on that each frame is in; NOWHERE outside of runs."""
    inside = ranks >= low
    ahead = np.where(inside, ranks, NOWHERE)
    back = ahead.copy()
    for frame in range(1, len(ranks)):
        ahead[frame] = np.where(inside[frame], np.maximum(ahead[frame], ahead[frame - 1]), NOWHERE)
        last = len(ranks) - 1 - frame
        back[last] = np.where(inside[last], np.maximum(back[last], back[last + 1]), NOWHERE)
    return np.maximum(ahead, back)


def _reached(ranks: Whole, high: Whole) -> Whole:
    """The greatest rank that all frames from one on up to a frame of rank `high` or more have."""
    ahead = np.where(ranks >= high, ranks, NOWHERE)
    back = ahead.copy()
    for frame in range(1, len(ranks)):
        ahead[frame] = np.maximum(ahead[frame], np.minimum(ahead[frame - 1], ranks[frame]))
        last = len(ranks) - 1 - frame
        back[last] = np.maximum(back[last], np.minimum(back[last + 1], ranks[last]))
    return np.maximum(ahead, back)
