"""Reads scores: one row a frame, one column a class, as the decimals written, with their ranks."""

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.data.columns import SEPARATORS, report_missing
from tracepact.data.data_files import Frame, report_two_files
from tracepact.data.event_rows import TimeTexts, report_time
from tracepact.data.events import (
    ClipScores,
    Ranks,
    ScoreField,
    ScoreLevels,
    joined_clips,
    levels_of_floats,
    levels_of_texts,
)
from tracepact.data.sources import EMPTY_HELP, TextFile, shown
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace, did_you_mean
from tracepact.wording import parse_exact, seconds

# Scores that are text: each one's rank among the distinct ones, exact as the decimals written.

_PLAIN = re.compile(r"[-+0-9.eE\t]*", re.ASCII)
_FAR = re.compile(r"[eE][-+]?[0-9]{4}")
_SHORT = 40
"""A score of more characters, or with an exponent of many digits, is looked at by itself (rule 13.40)."""

DUST = Decimal("0.000001")
"""By how much sums of floats may leave 0 to 1 (rule 13.25)."""
PROBABILITIES = "give probabilities; logits must go through a sigmoid first"
FINITE = "give a number from 0 to 1 for every frame and class"


def score_value(text: str, slack: Decimal = Decimal(0)) -> Decimal:
    """The decimal a score's text denotes; ValueError with words if it is none from 0 to 1, but for so much slack."""
    if not text.strip():
        raise ValueError("is missing")
    try:
        parse_exact(text)
        value = Decimal(text)
    except (ValueError, InvalidOperation):  # a fraction is no score
        raise ValueError("is not a number") from None
    if not -slack <= value <= 1 + slack:
        raise ValueError("lies outside 0 to 1")
    return value


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
        if _is_number(self.names[0]):
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

    def _same(self, classes: tuple[str, ...], own: tuple[str, ...], row: int) -> bool:
        for missing in (name for name in classes if name not in own):
            help = did_you_mean(missing, set(own) - set(classes)) or "every file has the classes of the first"
            self.fault("wrong-columns", f"there is no column of class `{shown(missing)}`", row, help)
        for other in (name for name in own if name not in classes):
            headline = f"class `{shown(other)}` has no column in the files before"
            self.fault("wrong-columns", headline, row, did_you_mean(other, classes))
        return set(classes) == set(own)

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


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).replace("-", "", 1).isdecimal()
