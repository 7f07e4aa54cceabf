"""Reads soft labels (MAESTRO): start, end, label and confidence without a header; and makes hard events of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io.files import clip_files
from tracepact.io.ranks import score_value
from tracepact.io.rows import Times, report_time
from tracepact.io.source import PathLike, TextFile, shown, text_lines
from tracepact.trace import ClipScores, Event, EventTable, Origin, ScoreField, levels_of_texts
from tracepact.wording import count, print_number, seconds


@dataclass(frozen=True, slots=True)
class SoftEvent:
    """A labelled interval with the confidence of its annotators."""

    onset: Fraction
    offset: Fraction
    label: str
    confidence: Decimal
    row: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class SoftTable:
    """Soft labels by clip, in the order of their files."""

    name: str
    clips: Mapping[str, tuple[SoftEvent, ...]]
    digest: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)


def read_soft(path: PathLike, diagnostics: Diagnostics) -> SoftTable:
    """The soft labels of a file or of all files of a folder (rule 13.8)."""
    found = clip_files(path, diagnostics)
    if found is None:
        return SoftTable(str(path), {})
    return parse_soft(found.name, found.clips, found.digest, diagnostics)


def parse_soft(name: str, files: Mapping[str, TextFile], digest: str, diagnostics: Diagnostics) -> SoftTable:
    """The soft labels of these files, by clip."""
    times = Times(fractions=False)
    clips = {clip: _labels(file, times, diagnostics) for clip, file in files.items()}
    return SoftTable(name, clips, digest, {clip: file.name for clip, file in files.items()})


def harden(soft: SoftTable, threshold: Fraction) -> EventTable:
    """The rows whose confidence is greater than the threshold; touching ones of a label are one event (rule 13.10)."""
    clips = {clip: _joined([e for e in events if e.confidence > threshold]) for clip, events in soft.clips.items()}
    decoding: dict[str, str | int | None] = {"threshold": str(threshold), "low": None, "median": 1}
    origin = Origin("maestro", soft.files, decoding, scores=soft_field(soft))
    return EventTable(soft.name, clips, soft.digest, origin)


def soft_field(soft: SoftTable) -> ScoreField:
    """Soft labels as a field: frames end wherever a row does; the greatest confidence of a label, 0 without a row."""
    classes = tuple(sorted({event.label for events in soft.clips.values() for event in events}))
    confidences = sorted({Decimal(0), *(event.confidence for events in soft.clips.values() for event in events)})
    levels, ranks = levels_of_texts(list(map(str, confidences)))
    rank = dict(zip(confidences, ranks.tolist(), strict=True))
    column = {label: place for place, label in enumerate(classes)}
    clips = {}
    for clip, events in soft.clips.items():
        edges = sorted({time for event in events for time in (event.onset, event.offset)})
        place = {edge: i for i, edge in enumerate(edges)}
        found = np.full((max(len(edges) - 1, 0), len(classes)), rank[Decimal(0)], dtype=np.int64)
        for event in events:
            cells = found[place[event.onset] : place[event.offset], column[event.label]]
            np.maximum(cells, rank[event.confidence], out=cells)
        clips[clip] = ClipScores(tuple(edges) or (Fraction(0),), found)
    return ScoreField(soft.name, classes, levels, clips, soft.digest, soft.files)


def soft_cells(field: ScoreField) -> SoftTable:
    """The scores of a field as soft labels: a row for every frame and class, 0 included."""
    values = [Decimal(print_number(field.levels.value(rank))) for rank in range(len(field.levels))]
    clips = {}
    for clip, scores in field.clips.items():
        frames = zip(pairwise(scores.edges), scores.ranks.tolist(), strict=True)
        clips[clip] = tuple(
            SoftEvent(onset, offset, label, values[rank])
            for (onset, offset), ranks in frames
            for label, rank in zip(field.classes, ranks, strict=True)
        )
    return SoftTable(field.name, clips, field.digest, field.files)


def _joined(events: list[SoftEvent]) -> tuple[Event, ...]:
    open_events: dict[str, Event] = {}
    found: list[Event] = []
    for event in sorted(events, key=lambda e: (e.onset, e.offset)):
        last = open_events.get(event.label)
        if last is not None and event.onset <= last.offset:
            open_events[event.label] = Event(last.onset, max(last.offset, event.offset), event.label, last.row)
            continue
        if last is not None:
            found.append(last)
        open_events[event.label] = Event(event.onset, event.offset, event.label, event.row)
    found += open_events.values()
    return tuple(sorted(found, key=lambda e: (e.onset, e.offset, e.label)))


def _labels(file: TextFile, times: Times, diagnostics: Diagnostics) -> tuple[SoftEvent, ...]:
    found = []
    for number, line in text_lines(file):
        place = RowPlace(file.name, number)
        fields = [text.strip() for text in line.split("\t")]
        if len(fields) != 4:
            help = "start, end, label and confidence are separated by tabs"
            diagnostics.add("wrong-columns", f"the row has {count(len(fields), 'field')}, not four", place, help)
            continue
        start, end, label, confidence = fields
        if number == 1 and not any(sign.isdecimal() for sign in start + confidence):
            help = "soft labels have none; remove the first line"
            diagnostics.add("wrong-columns", f"`{shown(line)}` is a header", place, help)
            continue
        event = _label(start, end, label, confidence, times, place, diagnostics)
        if event is not None:
            found.append(event)
    _report_conflicts(found, file.name, diagnostics)
    _report_holes(found, file.name, diagnostics)
    return tuple(found)


def _report_conflicts(events: Sequence[SoftEvent], name: str, diagnostics: Diagnostics) -> None:
    """Rows that say of one interval and label what an earlier one says, or contradict it."""
    first: dict[tuple[Fraction, Fraction, str], SoftEvent] = {}
    for event in events:
        earlier = first.setdefault((event.onset, event.offset, event.label), event)
        if earlier is event:
            continue
        what = f"`{shown(event.label)}` from {seconds(event.onset)} to {seconds(event.offset)}"
        if earlier.confidence == event.confidence:
            diagnostics.add("duplicate-row", f"{what} repeats line {earlier.row}", RowPlace(name, event.row))
            continue
        diagnostics.add(
            "conflicting-confidence",
            f"{what} has the confidence {event.confidence}, and {earlier.confidence} on line {earlier.row}",
            RowPlace(name, event.row),
            "keep one of the two rows",
        )


def _report_holes(events: Sequence[SoftEvent], name: str, diagnostics: Diagnostics) -> None:
    """Times between the first and the last row that no row of any label covers."""
    reached: Fraction | None = None
    for event in sorted(events, key=lambda e: (e.onset, e.offset)):
        if reached is not None and event.onset > reached:
            diagnostics.add(
                "uncovered-time",
                f"no row covers {seconds(reached)} to {seconds(event.onset)}; there is no event there",
                RowPlace(name, event.row),
                "write the rows that are missing, with confidence 0 where nothing was heard",
            )
        reached = event.offset if reached is None else max(reached, event.offset)


def _label(
    start: str, end: str, label: str, confidence: str, times: Times, place: RowPlace, diagnostics: Diagnostics
) -> SoftEvent | None:
    """One row, or None with everything that is wrong with it."""
    before = len(diagnostics)
    for column, text in (("start", start), ("end", end)):
        report_time(times, column, text, diagnostics, place)
    if not label:
        diagnostics.add("incomplete-row", "the row has no label", place)
    try:
        value = score_value(confidence)
    except ValueError as error:
        help = "write decimals with a point" if "," in confidence else "a confidence is the share of annotators"
        diagnostics.add("bad-score", f"the confidence `{shown(confidence)}` {error}", place, help)
    if len(diagnostics) > before:
        return None
    if times[end] < times[start]:
        diagnostics.add("offset-before-onset", f"the end `{end}` lies before the start `{start}`", place)
        return None
    return SoftEvent(times[start], times[end], label, value, place.row)
