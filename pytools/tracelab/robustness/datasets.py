"""Corpora of labelled clips in their own layouts: ESC-50 and UrbanSound8K, mono at 16 kHz, split by folds."""

import csv
import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tracelab.files import Signal, fault, read_sound, resampled
from tracepact.inputs import plain_within, read_within

RATE = 16000
_SUFFIXES = (".wav", ".ogg", ".flac")


@dataclass(frozen=True, slots=True)
class LabelledClip:
    """One clip of a corpus: its row in the table, from 0, and what the table says of it."""

    index: int
    filename: str
    path: Path
    fold: int
    target: int


@dataclass(frozen=True, slots=True)
class Rotation:
    """Which folds test, validate and train."""

    test: int
    validation: int
    training: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LabelledCorpus:
    """The clips of a corpus in the order of its table, and the names of its classes by their number."""

    layout: str
    classes: tuple[str, ...]
    examples: tuple[LabelledClip, ...]
    digest: str

    def of(self, *folds: int) -> list[LabelledClip]:
        """The clips of some folds, in the order of the table."""
        return [example for example in self.examples if example.fold in folds]


@dataclass(frozen=True, slots=True)
class CorpusLayout:
    """Where a corpus has its table and sounds, what its columns are called, and its usual rotation."""

    table: str
    folds: int
    columns: Mapping[str, str]
    sound: Callable[[Mapping[str, str]], str]

    def rotation(self, test: int, validation: int | None) -> Rotation:
        """A rotation by its test fold; the next fold validates unless another is named, the others train."""
        validating = test % self.folds + 1 if validation is None else validation
        for name, fold in (("test", test), ("validation", validating)):
            if not 1 <= fold <= self.folds:
                raise fault("bad-rotation", f"the {name} fold is {fold}", help=f"folds are 1 to {self.folds}")
        if test == validating:
            raise fault("bad-rotation", f"fold {test} tests and validates", help="name two folds")
        others = tuple(fold for fold in range(1, self.folds + 1) if fold not in (test, validating))
        return Rotation(test, validating, others)


LAYOUTS = {
    "esc50": CorpusLayout(
        "meta/esc50.csv",
        5,
        {"filename": "filename", "fold": "fold", "target": "target", "class": "category"},
        lambda row: f"audio/{row['filename']}",
    ),
    "urbansound8k": CorpusLayout(
        "metadata/UrbanSound8K.csv",
        10,
        {"filename": "slice_file_name", "fold": "fold", "target": "classID", "class": "class"},
        lambda row: f"audio/fold{row['fold']}/{row['slice_file_name']}",
    ),
}


def open_corpus(folder: Path, layout: str | None = None) -> LabelledCorpus:
    """The corpus of a folder; its layout is recognised by its table unless it is named."""
    found = [name for name, one in LAYOUTS.items() if (folder / one.table).is_file()]
    if layout is None and len(found) != 1:
        tables = " nor ".join(f"`{one.table}`" for one in LAYOUTS.values())
        help = "name the corpus's own folder, and its layout if it has both"
        raise fault("unreadable-corpus", f"no corpus of a known layout: neither {tables}", folder, help)
    name = layout or found[0]
    table = folder / LAYOUTS[name].table
    rows = _rows(table, LAYOUTS[name])
    names = _classes(rows, LAYOUTS[name], table)
    examples, total = [], hashlib.sha256(table.read_bytes())
    for index, row in enumerate(rows):
        path = _sound_file(folder, LAYOUTS[name].sound(row), table, index)
        columns = LAYOUTS[name].columns
        examples.append(
            LabelledClip(index, row[columns["filename"]], path, int(row[columns["fold"]]), int(row[columns["target"]]))
        )
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return LabelledCorpus(name, names, tuple(examples), total.hexdigest())


def read_example(example: LabelledClip) -> Signal:
    """The samples of a clip at 16 kHz, its channels averaged."""
    samples, rate = read_sound(example.path)
    return resampled(samples, rate, RATE)


def _rows(table: Path, layout: CorpusLayout) -> list[dict[str, str]]:
    try:
        rows = list(csv.DictReader(read_within(table.parent, table.name).decode().splitlines()))
    except (OSError, UnicodeDecodeError) as error:
        raise fault("unreadable-corpus", f"the table of clips cannot be read: {error}", table) from error
    if not rows:
        raise fault("unreadable-corpus", "the table of clips is empty", table)
    missing = [column for column in layout.columns.values() if column not in rows[0]]
    if missing:
        raise fault("unreadable-corpus", f"the table of clips has no column `{missing[0]}`", table)
    for number, row in enumerate(rows):
        for column in (layout.columns["fold"], layout.columns["target"]):
            if not (row[column] or "").isdigit():
                raise fault("unreadable-corpus", f"row {number + 2}: `{column}` is {row[column]!r}", table)
        if not 1 <= int(row[layout.columns["fold"]]) <= layout.folds:
            raise fault("unreadable-corpus", f"row {number + 2}: there is no fold {row[layout.columns['fold']]}", table)
    return rows


def _classes(rows: Sequence[Mapping[str, str]], layout: CorpusLayout, table: Path) -> tuple[str, ...]:
    """The names of the classes by their numbers, which run from 0 without a gap."""
    target, name = layout.columns["target"], layout.columns["class"]
    names: dict[int, str] = {}
    for number, row in enumerate(rows):
        if names.setdefault(int(row[target]), row[name]) != row[name]:
            raise fault("unreadable-corpus", f"row {number + 2}: class {row[target]} has two names", table)
    if sorted(names) != list(range(len(names))):
        missing = next(number for number in range(len(names)) if number not in names)
        headline = f"the numbers of the classes have a gap: there are {len(names)}, and none is {missing}"
        help = "number the classes of a part of a corpus anew, from 0"
        raise fault("unreadable-corpus", headline, table, help)
    return tuple(names[number] for number in range(len(names)))


def _sound_file(folder: Path, name: str, table: Path, index: int) -> Path:
    """The file of a row, in the corpus; another lossless or Ogg file of the same name is as good."""
    named = folder / name
    for path in (named, *(named.with_suffix(suffix) for suffix in _SUFFIXES)):
        if path.is_file():
            try:
                plain_within(folder, os.path.relpath(path, folder))
            except OSError as error:
                headline = f"the sound of row {index + 2} is not read: {error.strerror}"
                raise fault("unreadable-sound", headline, table) from error
            return path
    raise fault("unreadable-sound", f"the sound of row {index + 2} is not there: {named}", table)
