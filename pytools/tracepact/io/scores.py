"""Reads scores: one row a frame, one column a class, one file a clip or a column of clips; as the decimals written."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from io import StringIO

from tracepact.diagnostics import Diagnostics, RowPlace, did_you_mean
from tracepact.io.delimited import SEPARATORS, report_missing
from tracepact.io.files import clip_files
from tracepact.io.ranks import DUST, Ranks, ranked, score_value
from tracepact.io.rows import Times, report_time
from tracepact.io.source import PathLike, TextFile, shown
from tracepact.wording import seconds

EDGES = ("onset", "offset")
_CLIP = "filename"
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
    """The scores of these files, by clip; a file with a column of clips names them itself (rule 13.25)."""
    classes: tuple[str, ...] | None = None
    clips: dict[str, ClipScores] = {}
    known: dict[_Texts, _Edges] = {}
    named: dict[str, str] = {}
    for clip, file in files.items():
        read = _Frames(file, known, diagnostics)
        header = read.header(classes)
        if header is None:
            continue
        classes = classes or header
        for own, frames in read.clips(clip, classes).items():
            if own in clips:
                headline = f"clip `{shown(own)}` has two files"
                diagnostics.add("ambiguous-clip", headline, RowPlace(file.name), f"the other is `{named[own]}`")
            else:
                clips[own], named[own] = frames, file.name
    by_files = {clip: file.name for clip, file in files.items() if clip in clips}
    return ScoreTable(name, classes or (), clips, digest, by_files)


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
        if "event_label" in map(str.lower, self.names):
            headline = "this is a table of events, not of scores"
            self.fault("wrong-columns", headline, row, "give score files: onset, offset, the classes")
            return None
        if not report_missing(EDGES, self.names, RowPlace(self.file.name, row), self.diagnostics):
            return None
        own = tuple(name for name in self.names if name not in (*EDGES, _CLIP))
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

    def clips(self, clip: str, classes: Sequence[str]) -> dict[str, ClipScores]:
        """The frames of each clip, all of them of this one where no column names it; a clip with a fault is absent."""
        rows, found = self._rows()
        if not found:
            self.fault("broken-frames", "the file has no frames", None)
            return {}
        if _CLIP not in self.names:
            frames = self._frames(rows, found, classes)
            return {} if frames is None or self.broken else {clip: frames}
        place = self.names.index(_CLIP)
        by_clip: dict[str, tuple[list[int], list[list[str]]]] = {}
        for row, fields in zip(rows, found, strict=True):
            own = fields[place].strip()
            if not own:
                self.fault("incomplete-row", f"the row has no `{_CLIP}`", row, "every row names its clip")
                continue
            numbers, lines = by_clip.setdefault(own, ([], []))
            numbers.append(row)
            lines.append(fields)
        read = {own: self._frames(*some, classes) for own, some in by_clip.items()}
        return {} if self.broken else {own: frames for own, frames in read.items() if frames is not None}

    def _rows(self) -> tuple[list[int], list[list[str]]]:
        """The rows that are as wide as the header, with their lines."""
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
        return rows, found

    def _frames(self, rows: list[int], found: list[list[str]], classes: Sequence[str]) -> ClipScores | None:
        """The frames of one clip, or None if one of them cannot be read."""
        columns = list(zip(*found, strict=True))
        edges = self._edges([columns[self.names.index(name)] for name in EDGES], rows)
        scores = [columns[self.names.index(name)] for name in classes]
        order = ranked(scores)
        if order is None:
            order = ranked(scores, DUST)
            self._report_scores(scores, classes, rows, dusty=order is not None)
        if edges is None or order is None:
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
                    help = "write decimals with a point" if "," in text else _SCORE_HELP
                    headline = f"the score `{shown(text)}` of `{shown(name)}` {wrong[text]}"
                    if dusty:
                        kept = "by no more than a millionth; it is kept as it is written"
                        self.diagnostics.add("score-outside", f"{headline} {kept}", RowPlace(self.file.name, row))
                    else:
                        self.fault("bad-score", headline, row, help)


_SCORE_HELP = "give probabilities; logits must go through a sigmoid first"


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).replace("-", "", 1).isdecimal()
