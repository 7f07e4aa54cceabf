"""Reads score files: one row a frame, one column a class, one file a clip; scores are kept as the decimals written."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from io import StringIO

from tracepact.diagnostics import Diagnostics, RowPlace, did_you_mean
from tracepact.io.delimited import SEPARATORS, report_missing
from tracepact.io.files import clip_files
from tracepact.io.ranks import Ranks, ranked, score_value
from tracepact.io.rows import Times, report_time
from tracepact.io.source import PathLike, TextFile, shown
from tracepact.wording import seconds

EDGES = ("onset", "offset")
SPLIT_HELP = "write one file a clip, named like it, with the columns onset, offset and the classes; give their folder"
_OF_EVENTS = ("event_label", "filename")
_Texts = tuple[tuple[str, ...], tuple[str, ...]]
_Edges = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class ClipScores:
    """The frames of a clip: their ends, and of each score its rank among the levels.

    The levels are the distinct scores in order, as they are written; ranks are by frame and class.
    """

    onsets: tuple[Fraction, ...]
    offsets: tuple[Fraction, ...]
    levels: tuple[str, ...]
    ranks: Ranks
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """The scores of one system by clip, one column a class; the file of each clip."""

    name: str
    classes: tuple[str, ...]
    clips: Mapping[str, ClipScores]
    digest: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)


def read_scores(path: PathLike, diagnostics: Diagnostics) -> ScoreTable:
    """The scores of a file or of all files of a folder (rule 13.8); the classes are those of the first file."""
    found = clip_files(path, diagnostics)
    if found is None:
        return ScoreTable(str(path), (), {})
    return parse_scores(found.name, found.clips, found.digest, diagnostics)


def parse_scores(name: str, files: Mapping[str, TextFile], digest: str, diagnostics: Diagnostics) -> ScoreTable:
    """The scores of these files, by clip."""
    classes: tuple[str, ...] | None = None
    clips: dict[str, ClipScores] = {}
    known: dict[_Texts, _Edges] = {}
    for clip, file in files.items():
        read = _Frames(file, known, diagnostics)
        header = read.header(classes)
        if header is None:
            continue
        classes = classes or header
        frames = read.frames(classes)
        if frames is not None:
            clips[clip] = frames
    return ScoreTable(name, classes or (), clips, digest, {clip: file.name for clip, file in files.items()})


class _Frames:
    """One score file."""

    def __init__(self, file: TextFile, known: dict[_Texts, _Edges], diagnostics: Diagnostics) -> None:
        self.file = file
        self.diagnostics = diagnostics
        self.known = known
        self.broken = False
        line = next((line for line in file.text.splitlines() if line.strip()), "")
        self.separator = max(SEPARATORS, key=line.count)
        self.reader = csv.reader(StringIO(file.text, newline=""), delimiter=self.separator)
        self.names: list[str] = []

    def fault(self, code: str, headline: str, row: int | None, help: str | None = None) -> None:
        """Report what makes the file useless."""
        self.broken = True
        self.diagnostics.add(code, headline, RowPlace(self.file.name, row), help)

    def header(self, classes: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """The classes the header names; None if it cannot be used. `classes` are those of the files before."""
        self.names = next(([n.strip() for n in row] for row in self.reader if any(f.strip() for f in row)), [])
        row = self.reader.line_num
        if not self.names:
            self.fault("empty-file", "the file is empty", None, "not even a header is there")
            return None
        if _is_number(self.names[0]):
            self.fault(
                "wrong-columns", "the header is missing", row, "name the columns: onset, offset, and the classes"
            )
            return None
        if foreign := [name for name in _OF_EVENTS if name in map(str.lower, self.names)]:
            self._refuse_events(foreign, row)
            return None
        if not report_missing(EDGES, self.names, RowPlace(self.file.name, row), self.diagnostics):
            return None
        own = tuple(name for name in self.names if name not in EDGES)
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

    def _refuse_events(self, foreign: Sequence[str], row: int) -> None:
        """Say of a table of events, or of scores of many clips, that it is no file of scores."""
        if "event_label" in foreign:
            headline, help = "this is a table of events, not of scores", "give score files: onset, offset, the classes"
        else:
            headline, help = "a score file speaks of one clip, and this one has the column `filename`", SPLIT_HELP
        self.fault("wrong-columns", headline, row, help)

    def _same(self, classes: tuple[str, ...], own: tuple[str, ...], row: int) -> bool:
        for missing in (name for name in classes if name not in own):
            help = did_you_mean(missing, set(own) - set(classes)) or "every file has the classes of the first"
            self.fault("wrong-columns", f"there is no column of class `{shown(missing)}`", row, help)
        for other in (name for name in own if name not in classes):
            headline = f"class `{shown(other)}` has no column in the files before"
            self.fault("wrong-columns", headline, row, did_you_mean(other, classes))
        return set(classes) == set(own)

    def frames(self, classes: Sequence[str]) -> ClipScores | None:
        """The frames, or None if one of them cannot be read."""
        rows: list[int] = []
        found: list[list[str]] = []
        width = len(self.names)
        try:
            for fields in self.reader:
                if len(fields) == width:
                    rows.append(self.reader.line_num)
                    found.append(fields)
                elif any(fields):
                    help = "write decimals with a point" if len(fields) > width else None
                    headline = f"the row has {len(fields)} fields, the header {width}"
                    self.fault("wrong-columns", headline, self.reader.line_num, help)
        except csv.Error as error:
            self.fault("wrong-columns", f"the row cannot be read: {error}", self.reader.line_num + 1)
        if not found:
            self.fault("broken-frames", "the file has no frames", None)
            return None
        columns = list(zip(*found, strict=True))
        edges = self._edges([columns[self.names.index(name)] for name in EDGES], rows)
        scores = [columns[self.names.index(name)] for name in classes]
        order = ranked(scores)
        if order is None:
            self._report_scores(scores, classes, rows)
        if edges is None or order is None or self.broken:
            return None
        return ClipScores(*edges, *order, tuple(rows))

    def _edges(self, texts: Sequence[tuple[str, ...]], rows: Sequence[int]) -> _Edges | None:
        """The ends of the frames; those that are the same in many files are read once."""
        key = (texts[0], texts[1])
        if key in self.known:
            return self.known[key]
        times = Times(fractions=False)
        try:
            onsets, offsets = (tuple(times[text.strip()] for text in column) for column in texts)
        except ValueError:
            for name, column in zip(EDGES, texts, strict=True):
                for row, text in zip(rows, column, strict=True):
                    report_time(times, name, text.strip(), self.diagnostics, RowPlace(self.file.name, row))
            return None
        if self._check_edges(onsets, offsets, rows):
            self.known[key] = onsets, offsets
        return onsets, offsets

    def _check_edges(self, onsets: Sequence[Fraction], offsets: Sequence[Fraction], rows: Sequence[int]) -> bool:
        """Whether each frame has some length and starts where the one before it ended; all equal but for the last."""
        sound = True
        for i, row in enumerate(rows):
            if offsets[i] <= onsets[i]:
                self.fault(
                    "broken-frames",
                    f"the frame ends at {seconds(offsets[i])} and starts at {seconds(onsets[i])}",
                    row,
                )
                sound = False
            elif i and onsets[i] != offsets[i - 1]:
                headline = (
                    f"the frame starts at {seconds(onsets[i])}, the one before it ends at {seconds(offsets[i - 1])}"
                )
                self.fault("broken-frames", headline, row, "frames follow one another without gaps")
                sound = False
        length = offsets[0] - onsets[0]
        for i, row in enumerate(rows):
            own = offsets[i] - onsets[i]
            if own > length or (own < length and i < len(rows) - 1):
                headline = f"the frame is {seconds(own)} long, the first one {seconds(length)}"
                help = "a median filter counts frames, whatever their length"
                self.diagnostics.add("unequal-frames", headline, RowPlace(self.file.name, row), help)
                return False
        return sound

    def _report_scores(self, scores: Sequence[Sequence[str]], classes: Sequence[str], rows: Sequence[int]) -> None:
        """Every text that is no score, row by row."""
        wrong: dict[str, str] = {}
        for text in {text for column in scores for text in column}:
            try:
                score_value(text)
            except ValueError as error:
                wrong[text] = str(error)
        for row, frame in zip(rows, zip(*scores, strict=True), strict=True):
            for name, text in zip(classes, frame, strict=True):
                if text in wrong:
                    help = "write decimals with a point" if "," in text else _SCORE_HELP
                    headline = f"the score `{shown(text)}` of `{shown(name)}` {wrong[text]}"
                    self.fault("bad-score", headline, row, help)


_SCORE_HELP = "give probabilities; logits must go through a sigmoid first"


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).replace("-", "", 1).isdecimal()
