"""Reads score files: one row a frame, one column a class, one file a clip; scores are kept as the decimals written."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from io import StringIO

import numpy as np
from numpy.typing import NDArray

from tracepact.diagnostics import Diagnostics, RowPlace, did_you_mean
from tracepact.io.delimited import SEPARATORS, report_missing
from tracepact.io.files import clip_files
from tracepact.io.rows import Times, report_time
from tracepact.io.source import PathLike, TextFile, shown

EDGES = ("onset", "offset")


@dataclass(frozen=True, slots=True, eq=False)
class ClipScores:
    """The frames of a clip: their ends, and of each score its rank among the levels, the distinct scores in order."""

    onsets: tuple[Fraction, ...]
    offsets: tuple[Fraction, ...]
    levels: tuple[Decimal, ...]
    ranks: NDArray[np.int64]
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
    for clip, file in files.items():
        read = _Frames(file, diagnostics)
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

    def __init__(self, file: TextFile, diagnostics: Diagnostics) -> None:
        self.file = file
        self.diagnostics = diagnostics
        line = next((line for line in file.text.splitlines() if line.strip()), "")
        self.separator = max(SEPARATORS, key=line.count)
        self.reader = csv.reader(StringIO(file.text, newline=""), delimiter=self.separator)
        self.names: list[str] = []

    def fault(self, code: str, headline: str, row: int | None, help: str | None = None) -> None:
        """Report what is wrong with a row."""
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
        before = len(self.diagnostics.errors)
        edges = [self.names.index(name) for name in EDGES]
        places = [self.names.index(name) for name in classes]
        times = Times(fractions=False)
        onsets, offsets, rows, texts = [], [], [], []
        for fields in self.reader:
            row = self.reader.line_num
            if not any(fields):
                continue
            if len(fields) != len(self.names):
                help = "write decimals with a point" if len(fields) > len(self.names) else None
                headline = f"the row has {len(fields)} fields, the header {len(self.names)}"
                self.fault("wrong-columns", headline, row, help)
                continue
            try:
                onset, offset = (times[fields[place].strip()] for place in edges)
            except ValueError:
                for name, place in zip(EDGES, edges, strict=True):
                    report_time(times, name, fields[place], self.diagnostics, RowPlace(self.file.name, row))
                continue
            onsets.append(onset)
            offsets.append(offset)
            rows.append(row)
            texts.append([fields[place].strip() for place in places])
        if len(self.diagnostics.errors) == before:
            self._check_edges(onsets, offsets, rows)
        values = self._values(texts, rows, classes)
        if values is None or len(self.diagnostics.errors) > before:
            return None
        levels, ranks = _ranked(values, texts)
        return ClipScores(tuple(onsets), tuple(offsets), levels, ranks, tuple(rows))

    def _check_edges(self, onsets: Sequence[Fraction], offsets: Sequence[Fraction], rows: Sequence[int]) -> None:
        """Each frame has some length and starts where the one before it ended; lengths are equal but for the last."""
        if not rows:
            self.fault("broken-frames", "the file has no frames", None)
            return
        for i, row in enumerate(rows):
            if offsets[i] <= onsets[i]:
                self.fault("broken-frames", f"the frame ends at {_s(offsets[i])} and starts at {_s(onsets[i])}", row)
            elif i and onsets[i] != offsets[i - 1]:
                headline = f"the frame starts at {_s(onsets[i])}, the one before it ends at {_s(offsets[i - 1])}"
                self.fault("broken-frames", headline, row, "frames follow one another without gaps")
        length = offsets[0] - onsets[0]
        for i, row in enumerate(rows):
            own = offsets[i] - onsets[i]
            if own > length or (own < length and i < len(rows) - 1):
                headline = f"the frame is {_s(own)} long, the first one {_s(length)}"
                self.fault("unequal-frames", headline, row, "a median filter counts frames, whatever their length")
                return

    def _values(
        self, texts: Sequence[Sequence[str]], rows: Sequence[int], classes: Sequence[str]
    ) -> dict[str, Decimal] | None:
        """Each distinct text of a score as its decimal; None if some are no scores."""
        values: dict[str, Decimal] = {}
        wrong: dict[str, str] = {}
        for text in {text for frame in texts for text in frame}:
            try:
                values[text] = score_value(text)
            except ValueError as error:
                wrong[text] = str(error)
        if wrong:
            for row, frame in zip(rows, texts, strict=True):
                for name, text in zip(classes, frame, strict=True):
                    if text in wrong:
                        help = "write decimals with a point" if "," in text else _SCORE_HELP
                        self.fault(
                            "bad-score", f"the score `{shown(text)}` of `{shown(name)}` {wrong[text]}", row, help
                        )
            return None
        return values


_SCORE_HELP = "give probabilities; logits must go through a sigmoid first"


def score_value(text: str) -> Decimal:
    """The decimal a score's text denotes; ValueError with words if it is none from 0 to 1."""
    if not text:
        raise ValueError("is missing")
    try:
        value = Decimal(text) if text.isascii() and "_" not in text else None
    except InvalidOperation:
        value = None
    if value is None or not value.is_finite():
        raise ValueError("is not a number")
    if not 0 <= value <= 1:
        raise ValueError("lies outside 0 to 1")
    return value


def _ranked(
    values: Mapping[str, Decimal], texts: Sequence[Sequence[str]]
) -> tuple[tuple[Decimal, ...], NDArray[np.int64]]:
    """The distinct scores in order, and the place of each score among them."""
    levels: list[Decimal] = []
    rank: dict[str, int] = {}
    for text in sorted(values, key=values.__getitem__):
        if not levels or values[text] != levels[-1]:
            levels.append(values[text])
        rank[text] = len(levels) - 1
    return tuple(levels), np.array([[rank[text] for text in frame] for frame in texts], dtype=np.int64)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).replace("-", "", 1).isdecimal()


def _s(time: Fraction) -> str:
    return f"{float(time):g} s"
