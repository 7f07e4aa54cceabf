"""Files of scores, a row for each frame and a column for each class; and soft labels with their confidences."""

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from io import StringIO
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.data.columns import SEPARATORS, report_missing
from tracepact.data.data_files import ClipFiles, Frame, clip_files, report_two_files
from tracepact.data.event_rows import TimeTexts, report_time
from tracepact.data.events import (
    ClipScores,
    Event,
    EventTable,
    Ranks,
    ScoreField,
    ScoreLevels,
    TableOrigin,
    joined_clips,
    levels_of_floats,
    levels_of_texts,
    score_value,
)
from tracepact.data.sources import EMPTY_HELP, PathLike, TextFile, shown, text_lines
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace, did_you_mean
from tracepact.wording import count, print_number, seconds

# Scores that are text: each one's rank among the distinct ones, exact as the decimals written.

_PLAIN = re.compile(r"[-+0-9.eE\t]*", re.ASCII)
_FAR = re.compile(r"[eE][-+]?[0-9]{4}")
_SHORT = 40
"""A score of more characters, or with an exponent of many digits, is looked at by itself (rule 13.40)."""

DUST = Decimal("0.000001")
"""By how much sums of floats may leave 0 to 1 (rule 13.25)."""
PROBABILITIES = "give probabilities; logits must go through a sigmoid first"
FINITE = "give a number from 0 to 1 for every frame and class"


def ranked(columns: Sequence[Sequence[str]], slack: Decimal = Decimal(0)) -> tuple[ScoreLevels, Ranks] | None:
    """The distinct scores in order, and the rank of each by frame and class; None if some are no scores.

    The scores come as one column of texts a class, all of one length, from 0 to 1 but for so much slack.
    """
    # One match over all texts in place of a call for each; only where it fails, or a text is long, are they read alone.
    flat = [text for column in columns for text in column]
    try:
        joined = "\t".join(flat)
        if not _PLAIN.fullmatch(joined) or _FAR.search(joined) or max(map(len, flat), default=0) > _SHORT:
            for text in set(flat):
                score_value(text, slack)
        levels, ranks = levels_of_texts(flat)
        # The levels are sorted: if the least and the greatest are scores, all are.
        for end in (0, len(levels) - 1):
            score_value(levels.text(end), slack)
    except (ValueError, InvalidOperation):
        return None
    return levels, np.ascontiguousarray(ranks.reshape(len(columns), -1).T)


# Reads scores: one row a frame, one column a class, one file a clip or a column of clips; as the decimals written.

EDGES = ("onset", "offset")
CLIP = "filename"
Column = list[str] | NDArray[np.floating]
"""Texts, or floats that stand for their shortest decimals."""
Fault = Callable[[str, str, int | None, str | None], None]
_Texts = tuple[tuple[str, ...], tuple[str, ...]]
_Scored = tuple[ClipScores, ScoreLevels]
_Edges = tuple[Fraction, ...]


def parse_scores(
    name: str,
    files: Mapping[str, TextFile],
    digest: str,
    diagnostics: Diagnostics,
    classes: tuple[str, ...] | None = None,
) -> ScoreField:
    """The scores of these files, by clip; a file with a column of clips names them itself (rule 13.25)."""
    return scores_of(name, {clip: _TextColumns(file) for clip, file in files.items()}, digest, diagnostics, classes)


def scores_of(
    name: str,
    sources: Mapping[str, "ScoreColumns"],
    digest: str | None,
    diagnostics: Diagnostics,
    classes: tuple[str, ...] | None = None,
) -> ScoreField:
    """The scores of these sources, by clip; the classes are those of the first, unless a whole has others."""
    clips: dict[str, _Scored] = {}
    known: dict[_Texts, _Edges] = {}
    named: dict[str, str] = {}
    for clip, source in sources.items():
        read = _Frames(source, known, diagnostics)
        header = read.header(classes)
        if header is None:
            continue
        classes = classes or header
        for own, frames in read.clips(clip, classes).items():
            if own in clips:
                report_two_files(own, source.name, f"the other is `{named[own]}`", diagnostics)
            else:
                clips[own], named[own] = frames, source.name
    by_files = {clip: source.name for clip, source in sources.items() if clip in clips}
    ranked_alone = {clip: frames for clip, (frames, _) in clips.items()}
    levels, joined = joined_clips(ranked_alone, [levels for _, levels in clips.values()])
    return ScoreField(name, classes or (), levels, joined, digest, by_files)


class _TextColumns:
    """The columns of a score file."""

    def __init__(self, file: TextFile) -> None:
        self.name = file.name
        line = next((line for line in file.text.splitlines() if line.strip()), "")
        self._reader = csv.reader(StringIO(file.text, newline=""), delimiter=max(list(SEPARATORS)[:2], key=line.count))
        self.names = next(([n.strip() for n in row] for row in self._reader if any(f.strip() for f in row)), [])
        self.header_row = self._reader.line_num

    def columns(self, fault: Fault) -> tuple[list[int], list[Column]]:
        """The columns of the rows that are as wide as the header."""
        rows: list[int] = []
        found: list[list[str]] = []
        width = len(self.names)
        try:
            for fields in self._reader:
                if len(fields) == width:
                    rows.append(self._reader.line_num)
                    found.append(fields)
                elif any(fields):
                    help = "write decimals with a point" if len(fields) > width else None
                    headline = f"the row has {len(fields)} fields, the header {width}"
                    fault("wrong-columns", headline, self._reader.line_num, help)
        except csv.Error as error:
            fault("wrong-columns", f"the row cannot be read: {error}", self._reader.line_num + 1, None)
        return rows, list(map(list, zip(*found, strict=True)))


class FrameColumns:
    """The columns of a data frame, the scores as numbers where they are floats; rows are counted as in 13.27."""

    def __init__(self, name: str, frame: Frame) -> None:
        self.name = name
        self.names = [own.strip() for own in frame.names]
        self.header_row = 1
        self._frame = frame

    def columns(self, fault: Fault) -> tuple[list[int], list[Column]]:
        """Clips and times as texts, the scores as floats where all of their columns are."""
        frame = self._frame
        floats = {place: frame.floats(place) for place, name in enumerate(self.names) if name not in (CLIP, *EDGES)}
        if any(column is None for column in floats.values()):
            floats = {}
        every = range(len(self.names))
        columns = [frame.texts(place) if (own := floats.get(place)) is None else own for place in every]
        return list(range(2, frame.rows + 2)), columns if frame.rows else []


ScoreColumns = _TextColumns | FrameColumns
"""Where the scores of one or more clips come from: the names of the columns first, then the columns."""


class _Frames:
    """One source of scores."""

    def __init__(self, source: ScoreColumns, known: dict[_Texts, _Edges], diagnostics: Diagnostics) -> None:
        self.source = source
        self.diagnostics = diagnostics
        self.known = known
        self.broken = False
        self.names = source.names

    def fault(self, code: str, headline: str, row: int | None, help: str | None = None) -> None:
        """Report what makes the file useless."""
        self.broken = True
        self.diagnostics.add(code, headline, RowPlace(self.source.name, row), help)

    def header(self, classes: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """The classes the header names; None if it cannot be used. `classes` are those of the files before."""
        row = self.source.header_row
        if not self.names:
            self.fault("empty-file", "the file is empty", None, EMPTY_HELP)
            return None
        if self.names[0].replace(".", "", 1).replace("-", "", 1).isdecimal():
            help = "name the columns: onset, offset, and the classes"
            self.fault("wrong-columns", "the header is missing", row, help)
            return None
        if "event_label" in map(str.lower, self.names):
            headline = "this is a table of events, not of scores"
            self.fault("wrong-columns", headline, row, "give score files: onset, offset, the classes")
            return None
        if not report_missing(EDGES, self.names, RowPlace(self.source.name, row), self.diagnostics):
            return None
        own = tuple(name for name in self.names if name not in (*EDGES, CLIP))
        repeated = sorted({name for name in self.names if self.names.count(name) > 1})
        for name in repeated:
            self.fault("wrong-columns", f"column `{shown(name)}` occurs twice", row, "keep one of them")
        if not own:
            self.fault("wrong-columns", "there is no column of a class", row, "one column a class follows the offset")
        if "" in own:
            self.fault("wrong-columns", "a column has no name", row, "every column after the offset is a class")
        if repeated or not own or "" in own:
            return None
        return own if classes is None or self._same(classes, own, row) else None

    def _same(self, classes: tuple[str, ...], named: tuple[str, ...], row: int) -> bool:
        for missing in (name for name in classes if name not in named):
            help = did_you_mean(missing, set(named) - set(classes)) or "every file has the classes of the first"
            self.fault("wrong-columns", f"there is no column of class `{shown(missing)}`", row, help)
        for other in (name for name in named if name not in classes):
            headline = f"class `{shown(other)}` has no column in the files before"
            self.fault("wrong-columns", headline, row, did_you_mean(other, classes))
        return set(classes) == set(named)

    def clips(self, clip: str, classes: Sequence[str]) -> dict[str, _Scored]:
        """The frames of each clip, all of them of this one where no column names it; a clip with a fault is absent."""
        rows, columns = self.source.columns(self.fault)
        if not rows:
            self.fault("broken-frames", "the file has no frames", None)
            return {}
        if CLIP not in self.names:
            frames = self._frames(rows, columns, classes)
            return {} if frames is None or self.broken else {clip: frames}
        by_clip: dict[str, list[int]] = {}
        for place, own in enumerate(columns[self.names.index(CLIP)]):
            if own := str(own).strip():
                by_clip.setdefault(own, []).append(place)
            else:
                self.fault("incomplete-row", f"the row has no `{CLIP}`", rows[place], "every row names its clip")
        read = {
            own: self._frames(_chosen(rows, some), [_chosen(column, some) for column in columns], classes)
            for own, some in by_clip.items()
        }
        return {} if self.broken else {own: frames for own, frames in read.items() if frames is not None}

    def _frames(self, rows: Sequence[int], columns: Sequence[Column], classes: Sequence[str]) -> _Scored | None:
        """The frames of one clip, or None if one of them cannot be read."""
        edges = self._edges([tuple(columns[self.names.index(name)]) for name in EDGES], rows)
        scores = [columns[self.names.index(name)] for name in classes]
        # Floats first, then decimals from 0 to 1, then those that sums of floats have pushed a little outside.
        order = _ranked_floats(scores)
        if order is None:
            texts = [column if isinstance(column, list) else list(map(str, column)) for column in scores]
            order = ranked(texts)
            if order is None:
                order = ranked(texts, DUST)
                self._report_scores(texts, classes, rows, dusty=order is not None)
        if edges is None or order is None:
            return None
        levels, ranks = order
        return ClipScores(edges, ranks, tuple(rows)), levels

    def _edges(self, texts: Sequence[tuple[str, ...]], rows: Sequence[int]) -> _Edges | None:
        """The ends of the frames; those that are the same in many files are read once."""
        # Clips of one length have the same frames, and a folder may hold thousands of them.
        key = (texts[0], texts[1])
        if key in self.known:
            return self.known[key]
        times = TimeTexts(fractions=False)
        try:
            onsets, offsets = (tuple(times[text.strip()] for text in column) for column in texts)
        except ValueError:
            for name, column in zip(EDGES, texts, strict=True):
                for row, text in zip(rows, column, strict=True):
                    report_time(times, name, text.strip(), self.diagnostics, RowPlace(self.source.name, row))
            return None
        edges = (*onsets, offsets[-1])
        if self._check_edges(onsets, offsets, rows):
            self.known[key] = edges
        return edges

    def _check_edges(self, onsets: Sequence[Fraction], offsets: Sequence[Fraction], rows: Sequence[int]) -> bool:
        """Whether each frame has some length and starts where the one before it ended; all equal but for the last."""
        sound = True
        for i, row in enumerate(rows):
            if offsets[i] <= onsets[i]:
                headline = f"the frame ends at {seconds(offsets[i])} and starts at {seconds(onsets[i])}"
                self.fault("broken-frames", headline, row)
                sound = False
            elif i and onsets[i] != offsets[i - 1]:
                before = f"the one before it ends at {seconds(offsets[i - 1])}"
                headline = f"the frame starts at {seconds(onsets[i])}, {before}"
                self.fault("broken-frames", headline, row, "frames follow one another without gaps")
                sound = False
        length = offsets[0] - onsets[0]
        for i, row in enumerate(rows):
            own = offsets[i] - onsets[i]
            if own > length or (own < length and i < len(rows) - 1):
                headline = f"the frame is {seconds(own)} long, the first one {seconds(length)}"
                help = "a median filter counts frames, whatever their length"
                self.diagnostics.add("unequal-frames", headline, RowPlace(self.source.name, row), help)
                return False
        return sound

    def _report_scores(
        self, scores: Sequence[Sequence[str]], classes: Sequence[str], rows: Sequence[int], *, dusty: bool
    ) -> None:
        """Every text that is not a score, row by row; `dusty` if all of them nearly are, and are kept as they are."""
        wrong: dict[str, str] = {}
        for text in {text for column in scores for text in column}:
            try:
                score_value(text)
            except ValueError as error:
                wrong[text] = str(error)
        for row, frame in zip(rows, zip(*scores, strict=True), strict=True):
            for name, text in zip(classes, frame, strict=True):
                if text in wrong:
                    outside = "outside" in wrong[text]
                    help = "write decimals with a point" if "," in text else PROBABILITIES if outside else FINITE
                    headline = f"the score `{shown(text)}` of `{shown(name)}` {wrong[text]}"
                    if dusty:
                        kept = "by no more than a millionth; it is kept as it is written"
                        self.diagnostics.add("score-outside", f"{headline} {kept}", RowPlace(self.source.name, row))
                    else:
                        self.fault("bad-score", headline, row, help)


def _ranked_floats(columns: Sequence[Column]) -> tuple[ScoreLevels, Ranks] | None:
    """The levels and ranks of columns that are floats; None if one is not, or holds what is no score."""
    floats = [column for column in columns if not isinstance(column, list)]
    # One precision for all: a short float is another decimal than the same float widened.
    if len(floats) < len(columns) or len({column.dtype for column in floats}) > 1:
        return None
    values = np.stack(floats, axis=1)
    return levels_of_floats(values) if bool(((values >= 0) & (values <= 1)).all()) else None


def _chosen(column: Any, places: list[int]) -> Any:
    """Some items of a column."""
    return [column[place] for place in places] if isinstance(column, list) else column[places]


# Reads soft labels (MAESTRO): start, end, label and confidence without a header; and makes hard events of them.


def read_soft(path: PathLike, diagnostics: Diagnostics) -> EventTable:
    """The soft labels of a file or of all files of a folder (rule 13.8): events with the annotators' confidence."""
    files = clip_files(path, diagnostics)
    return EventTable(str(path), {}) if files is None else parse_soft(files, diagnostics)


def parse_soft(files: ClipFiles, diagnostics: Diagnostics) -> EventTable:
    """The soft labels of these files, by clip."""
    times = TimeTexts(fractions=False)
    clips = {clip: _labels(file, times, diagnostics) for clip, file in files.clips.items()}
    homes = {clip: file.name for clip, file in files.clips.items()}
    return EventTable(files.name, clips, files.digest, TableOrigin("maestro", homes))


def harden(soft: EventTable, threshold: Fraction) -> EventTable:
    """The rows whose confidence is greater than the threshold; touching ones of a label are one event (rule 13.10)."""
    clips = {
        clip: _joined([event for event in events if confidence_of(event) > threshold])
        for clip, events in soft.clips.items()
    }
    decoding: dict[str, str | int | None] = {"threshold": str(threshold), "low": None, "median": 1}
    origin = soft.origin and replace(soft.origin, decoding=decoding, scores=soft_field(soft))
    return EventTable(soft.name, clips, soft.digest, origin)


def confidence_of(event: Event) -> Fraction:
    """How sure the annotators are of an event; one that has no confidence is certain."""
    return Fraction(1) if event.confidence is None else event.confidence


def soft_field(soft: EventTable) -> ScoreField:
    """Soft labels as a field: frames end wherever a row does; the greatest confidence of a label, 0 without a row."""
    classes = tuple(sorted(soft.labels))
    # Soft labels leave rows with 0 out, and a field has a score everywhere.
    confidences = sorted({Fraction(0), *(confidence_of(event) for _, event in soft.events)})
    levels, ranks = levels_of_texts(list(map(print_number, confidences)))
    rank = dict(zip(confidences, ranks.tolist(), strict=True))
    column = {label: place for place, label in enumerate(classes)}
    clips = {}
    for clip, events in soft.clips.items():
        edges = sorted({time for event in events for time in (event.onset, event.offset)})
        place = {edge: i for i, edge in enumerate(edges)}
        ranked = np.full((max(len(edges) - 1, 0), len(classes)), rank[Fraction(0)], dtype=np.int64)
        for event in events:
            cells = ranked[place[event.onset] : place[event.offset], column[event.label]]
            np.maximum(cells, rank[confidence_of(event)], out=cells)
        clips[clip] = ClipScores(tuple(edges) or (Fraction(0),), ranked)
    return ScoreField(soft.name, classes, levels, clips, soft.digest, soft.origin.files if soft.origin else {})


def soft_cells(field: ScoreField) -> EventTable:
    """The scores of a field as soft labels: a row for every frame and class, 0 included."""
    values = [field.levels.value(rank) for rank in range(len(field.levels))]
    clips = {}
    for clip, scores in field.clips.items():
        frames = zip(pairwise(scores.edges), scores.ranks.tolist(), strict=True)
        clips[clip] = tuple(
            Event(onset, offset, label, None, values[rank])
            for (onset, offset), ranks in frames
            for label, rank in zip(field.classes, ranks, strict=True)
        )
    return EventTable(field.name, clips, field.digest, TableOrigin("maestro", field.files))


def _joined(events: list[Event]) -> tuple[Event, ...]:
    open_events: dict[str, Event] = {}
    closed: list[Event] = []
    # Rows are a second or so long, and an event that lasts is many of them (rule 13.10).
    for event in sorted(events, key=lambda e: (e.onset, e.offset)):
        last = open_events.get(event.label)
        if last is not None and event.onset <= last.offset:
            open_events[event.label] = Event(last.onset, max(last.offset, event.offset), event.label, last.row)
            continue
        if last is not None:
            closed.append(last)
        open_events[event.label] = Event(event.onset, event.offset, event.label, event.row)
    return tuple(sorted([*closed, *open_events.values()], key=lambda e: (e.onset, e.offset, e.label)))


def _labels(file: TextFile, times: TimeTexts, diagnostics: Diagnostics) -> tuple[Event, ...]:
    events = []
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
            events.append(event)
    _report_conflicts(events, file.name, diagnostics)
    _report_holes(events, file.name, diagnostics)
    return tuple(events)


def _report_conflicts(events: Sequence[Event], name: str, diagnostics: Diagnostics) -> None:
    """Rows that say of one interval and label what an earlier one says, or contradict it."""
    first: dict[Event, Event] = {}
    for event in events:
        earlier = first.setdefault(event, event)  # equal in interval and label
        if earlier is event:
            continue
        what = f"`{shown(event.label)}` from {seconds(event.onset)} to {seconds(event.offset)}"
        if earlier.confidence == event.confidence:
            diagnostics.add("duplicate-row", f"{what} repeats line {earlier.row}", RowPlace(name, event.row))
            continue
        values = [print_number(confidence_of(one)) for one in (event, earlier)]
        headline = f"{what} has the confidence {values[0]}, and {values[1]} on line {earlier.row}"
        diagnostics.add("conflicting-confidence", headline, RowPlace(name, event.row), "keep one of the two rows")


def _report_holes(events: Sequence[Event], name: str, diagnostics: Diagnostics) -> None:
    """Times between the first and the last row that no row of any label covers."""
    reached: Fraction | None = None
    for event in sorted(events, key=lambda e: (e.onset, e.offset)):
        if reached is not None and event.onset > reached:
            headline = f"no row covers {seconds(reached)} to {seconds(event.onset)}; there is no event there"
            help = "write the rows that are missing, with confidence 0 where nothing was heard"
            diagnostics.add("uncovered-time", headline, RowPlace(name, event.row), help)
        reached = event.offset if reached is None else max(reached, event.offset)


def _label(
    start: str, end: str, label: str, confidence: str, times: TimeTexts, place: RowPlace, diagnostics: Diagnostics
) -> Event | None:
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
    return Event(times[start], times[end], label, place.row, Fraction(value))
