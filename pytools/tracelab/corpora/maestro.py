"""MAESTRO Real in its own layout, and a small corpus in that layout made of the lab's own scenes."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import count
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tracelab.files import fault, filled, write_sound, write_whole
from tracelab.protocol import CLASSES, CONDITIONS, Protocol
from tracelab.scenes.corpus import ClipTask, RenderedClip, render
from tracelab.scenes.voices import Voice
from tracepact import Diagnostic, RowPlace
from tracepact.inputs import read_within
from tracepact.wording import parse_exact

# MAESTRO Real in its own layout: soft labels by recording, sound, and folds of recordings.

HALF = Decimal("0.5")
TABLE = "soft_gt_dev.csv"
FOLDS = "development_folds"
PARTS = ("train", "val", "test")
_MILLIONTH = Decimal("0.000001")
_SOUNDS = (".wav", ".flac", ".ogg")

SoftArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """A recording: its scene, the start and end of its cells in seconds, and a soft label for each cell and class."""

    name: str
    scene: str
    edges: tuple[tuple[Decimal, Decimal], ...]
    cells: tuple[tuple[Decimal, ...], ...]
    sound: Path | None

    @property
    def seconds(self) -> Decimal:
        """Up to the end of the last cell."""
        return self.edges[-1][1]

    @property
    def soft(self) -> SoftArray:
        """Cells × classes."""
        return np.array(self.cells, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Recordings:
    """All recordings, the classes in the order of their columns, and the folds: the recordings of each part.

    `warnings` names the soft labels that leave 0 to 1 by rounding (rule 26.13).
    """

    classes: tuple[str, ...]
    recordings: tuple[Recording, ...]
    folds: tuple[dict[str, tuple[str, ...]], ...]
    warnings: tuple[Diagnostic, ...] = ()

    def named(self, names: Sequence[str]) -> tuple[Recording, ...]:
        """Some recordings, in this order."""
        known = {recording.name: recording for recording in self.recordings}
        return tuple(known[name] for name in names)


def read_corpus(folder: Path) -> Recordings:
    """The corpus of a folder: `soft_gt_dev.csv`, or `soft_labels_SCENE/RECORDING.txt` anywhere in it."""
    sounds = {path.stem: path for path in sorted(folder.rglob("*")) if path.suffix.lower() in _SOUNDS}
    outside: list[Diagnostic] = []
    if (folder / TABLE).is_file():
        classes, found = _table(folder / TABLE, outside)
    else:
        classes, found = _files(sorted(folder.rglob("soft_labels*/**/*.txt")), folder, outside)
    recordings = tuple(
        Recording(name, scene_of(name), edges, cells, sounds.get(name))
        for name, (edges, cells) in sorted(found.items())
    )
    return Recordings(classes, recordings, tuple(_folds(folder, {r.name for r in recordings})), tuple(outside))


def scene_of(name: str) -> str:
    """The scene that a recording is named by: `cafe_restaurant_03` is of `cafe_restaurant`."""
    return name.rstrip("0123456789").rstrip("_-") or name


Cells = dict[str, tuple[tuple[tuple[Decimal, Decimal], ...], tuple[tuple[Decimal, ...], ...]]]


def _table(path: Path, outside: list[Diagnostic]) -> tuple[tuple[str, ...], Cells]:
    """One table with a column for each class."""
    with io.StringIO(read_within(path.parent, path.name).decode(), newline="") as file:
        reader = csv.reader(file, delimiter="\t")
        head = next(reader, [])
        if head[:3] != ["filename", "onset", "offset"] or len(head) < 4:
            raise fault("bad-corpus", "the columns are not filename, onset, offset and classes", path)
        rows: dict[str, list[tuple[Decimal, Decimal, tuple[Decimal, ...]]]] = {}
        for number, row in enumerate(reader, start=2):
            if len(row) != len(head):
                raise fault("bad-corpus", f"row {number} has {len(row)} fields and not {len(head)}", path)
            onset, offset, *values = (_number(text, path, number) for text in row[1:])
            rows.setdefault(Path(row[0]).stem, []).append(
                (onset, offset, _maestro_labels(values, path, number, outside))
            )
    return tuple(head[3:]), {name: _sorted(name, some, path) for name, some in rows.items()}


def _files(paths: Sequence[Path], folder: Path, outside: list[Diagnostic]) -> tuple[tuple[str, ...], Cells]:
    """A file for each recording, a row for each cell and class; a class that a cell does not name is 0 there."""
    if not paths:
        help = f"a copy of MAESTRO Real has soft_labels_SCENE/RECORDING.txt or {TABLE}"
        raise fault("bad-corpus", "there are no soft labels", folder, help)
    read = {path.stem: dict(_rows(path, outside)) for path in paths}
    if len(read) < len(paths):
        raise fault("bad-corpus", "two files of soft labels have one name", folder)
    classes = tuple(sorted({label for cells in read.values() for cell in cells.values() for label in cell}))
    found: Cells = {}
    for path in paths:
        cells = [
            (onset, offset, tuple(cell.get(label, Decimal(0)) for label in classes))
            for (onset, offset), cell in read[path.stem].items()
        ]
        found[path.stem] = _sorted(path.stem, cells, path)
    return classes, found


def _rows(path: Path, outside: list[Diagnostic]) -> Iterator[tuple[tuple[Decimal, Decimal], dict[str, Decimal]]]:
    cells: dict[tuple[Decimal, Decimal], dict[str, Decimal]] = {}
    for number, line in enumerate(read_within(path.parent, path.name).decode().splitlines(), start=1):
        fields = line.split("\t")
        if not line.strip() or (number == 1 and fields[0] in ("onset", "start")):
            continue
        if len(fields) != 4:
            raise fault("bad-corpus", f"line {number} has not onset, offset, label and soft label", path)
        onset, offset, value = (_number(fields[k], path, number) for k in (0, 1, 3))
        cell = cells.setdefault((onset, offset), {})
        if fields[2] in cell:
            raise fault("bad-corpus", f"line {number} labels `{fields[2]}` a second time", path)
        cell[fields[2]] = _maestro_labels([value], path, number, outside)[0]
    yield from cells.items()


def _number(text: str, path: Path, row: int) -> Decimal:
    try:
        parse_exact(text)
        return Decimal(text)
    except (ValueError, InvalidOperation):
        raise fault("bad-corpus", f"`{text[:60]}` in row {row} is not a number", path) from None


def _maestro_labels(values: Sequence[Decimal], path: Path, row: int, outside: list[Diagnostic]) -> tuple[Decimal, ...]:
    """Soft labels from 0 to 1 as they are written; one that is outside by rounding is told, one further out refused."""
    for value in values:
        if 0 <= value <= 1:
            continue
        if not -_MILLIONTH <= value <= 1 + _MILLIONTH:
            raise fault("bad-corpus", f"`{value}` in row {row} is not from 0 to 1", path)
        headline = (
            f"the soft label `{value}` lies outside 0 to 1 by no more than a millionth; it is kept as it is written"
        )
        outside.append(Diagnostic("score-outside", headline, RowPlace(str(path), row)))
    return tuple(values)


def _sorted(
    name: str, rows: list[tuple[Decimal, Decimal, tuple[Decimal, ...]]], path: Path
) -> tuple[tuple[tuple[Decimal, Decimal], ...], tuple[tuple[Decimal, ...], ...]]:
    """The cells in order of time; they must follow each other from 0 without a hole."""
    rows = sorted(rows, key=lambda row: row[:2])
    at = Decimal(0)
    for onset, offset, _ in rows:
        if onset != at or offset <= onset:
            raise fault("bad-corpus", f"the cells of `{name}` do not follow each other at {at} s", path)
        at = offset
    if not rows:
        raise fault("bad-corpus", f"`{name}` has no cells", path)
    return tuple((onset, offset) for onset, offset, _ in rows), tuple(values for _, _, values in rows)


def _folds(folder: Path, known: set[str]) -> Iterator[dict[str, tuple[str, ...]]]:
    """The fold lists; a recording in two parts of one fold is refused."""
    for number in range(1, 100):
        paths = {part: folder / FOLDS / f"fold{number}_{part}.csv" for part in PARTS}
        if not paths["test"].is_file():
            return
        fold = {part: tuple(_listed(path, known)) for part, path in paths.items() if path.is_file()}
        names = [name for some in fold.values() for name in some]
        if twice := {name for name in names if names.count(name) > 1}:
            headline = f"`{min(twice)}` is in two parts of fold {number}"
            raise fault("bad-corpus", headline, paths["test"], "a recording belongs to one part")
        yield fold


def _listed(path: Path, known: set[str]) -> Iterator[str]:
    for line in read_within(path.parent, path.name).decode().split()[1:]:
        name = Path(line).stem if line.endswith(_SOUNDS) else line.rsplit("/", 1)[-1]
        if name not in known:
            raise fault("bad-corpus", f"the recording `{name}` has no soft labels", path)
        yield name


# A small corpus in the layout of MAESTRO Real, made of the lab's own scenes: soft labels are shares of a second.

SCENES = ("cafe", "street")
_CLIPS = 2
"""How many scenes make one recording."""


def write_sample(out: Path, voice: Voice, recordings: int = 3) -> int:
    """So many recordings of each scene with labels, sound and one fold; how many there are."""
    protocol, number = Protocol(), count()
    names = []
    with filled(out, last=f"{FOLDS}/fold1_test.csv") as part:
        for scene in SCENES:
            for index in range(recordings):
                name = f"{scene}_{index:02d}"
                clips = [_clip(protocol, voice, next(number)) for _ in range(_CLIPS)]
                sound = np.concatenate([clip.samples for clip in clips])
                _placed(part / "development_audio" / scene)
                write_sound(part / "development_audio" / scene / f"{name}.wav", sound, protocol.rate)
                labels = part / "development_annotation" / f"soft_labels_{scene}"
                _placed(labels)
                write_whole(labels / f"{name}.txt", _sample_labels(clips, protocol))
                names.append(f"{scene}/{name}")
        _placed(part / FOLDS)
        test = [name for name in names if name.endswith("_00")]
        for which, some in (("train", [n for n in names if n not in test]), ("test", test)):
            write_whole(part / FOLDS / f"fold1_{which}.csv", "\n".join(("filename", *some)) + "\n")
    return len(names)


def _placed(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)


def _clip(protocol: Protocol, voice: Voice, number: int) -> RenderedClip:
    return render(protocol, voice, ClipTask("test", number, CONDITIONS[number % len(CONDITIONS)]))


def _sample_labels(clips: list[RenderedClip], protocol: Protocol) -> str:
    """A row for each second and class with the share of it that the class is active, to four digits."""
    lines = []
    seconds = int(protocol.clip_seconds)
    for place, clip in enumerate(clips):
        events = clip.events(protocol.rate)
        for second in range(seconds):
            at = place * seconds + second
            for label in CLASSES:
                share = sum(
                    (_shared(onset, offset, second) for onset, offset, name in events if name == label), Fraction(0)
                )
                if share:
                    lines.append(f"{at}\t{at + 1}\t{label}\t{min(float(share), 1.0):.4f}")
            if not any(line.startswith(f"{at}\t") for line in lines):
                lines.append(f"{at}\t{at + 1}\t{CLASSES[0]}\t0.0")
    return "\n".join(lines) + "\n"


def _shared(onset: Fraction, offset: Fraction, second: int) -> Fraction:
    return max(Fraction(0), min(offset, Fraction(second + 1)) - max(onset, Fraction(second)))
