"""Decoding: a median filter, a threshold or two, and the runs that become events; and decoding files."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.data.events import ClipScores, Event, EventTable, ScoreField, ScoreLevels, TableOrigin, Time, exact
from tracepact.data.sources import PathLike, read_toml_file, shown
from tracepact.diagnostics.collection import Diagnostics, require_type
from tracepact.diagnostics.findings import RowPlace, did_you_mean, nearest
from tracepact.wording import print_number

# Decoding: a median filter, a threshold or two, and the runs of active frames that become events (rule 13.9).


@dataclass(frozen=True, slots=True)
class Decoding:
    r"""How scores become events (rule 13.9).

    Attributes:
        threshold: a frame is active if its score is greater than this.
        low: if given, the decoding is a hysteresis: a run of scores greater than `low` is active if one of them is
            greater than the threshold.
        median: the length of the median filter in frames, an odd number; 1 leaves the scores as they are.

    Examples:
        >>> import tempfile
        >>> from fractions import Fraction
        >>> from pathlib import Path
        >>> import tracepact
        >>> decoding = tracepact.Decoding(Fraction("0.5"), low=Fraction("0.3"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     scores = Path(folder) / "clip.tsv"
        ...     rows = ["onset", "offset", "dog"], ["0", "1", "0.4"], ["1", "2", "0.9"], ["2", "3", "0.1"]
        ...     written = scores.write_text("".join("\t".join(row) + "\n" for row in rows))
        ...     run = tracepact.score("boundary_gate", ref=[(0, 2, "dog")], pred=scores, decoding=decoding)
        >>> [(event.onset, event.offset) for event in run.prediction.clips["clip"]]
        [(Fraction(0, 1), Fraction(2, 1))]
    """

    threshold: Fraction
    low: Fraction | None = None
    median: int = 1

    def __post_init__(self) -> None:
        numbers = (Fraction, int, float, str, Decimal)
        require_type(self.threshold, numbers, "the threshold", "a number")
        if self.low is not None:
            require_type(self.low, numbers, "the low threshold", "a number")
        require_type(self.median, int, "the median filter", "a whole number of frames")

    @property
    def data(self) -> dict[str, str | int | None]:
        """The decoding as plain data, as reports show it."""
        low = None if self.low is None else str(self.low)
        return {"threshold": str(self.threshold), "low": low, "median": self.median}


@dataclass(frozen=True, slots=True)
class ClassDecodings:
    """A decoding for each class, as `tune` chooses them and a decoding file holds them (rule 20.12).

    Attributes:
        default: the decoding of the classes that are not named.
        classes: the decoding of each class that is.
        name: the file they were read from, if any.
        digest: the SHA-256 of that file.
        tuned_on: the clips that `tune` chose them on, if that is known.

    Examples:
        >>> from fractions import Fraction
        >>> import tracepact
        >>> decoding = tracepact.ClassDecodings(tracepact.Decoding(Fraction(1, 2)), {})
        >>> decoding.of("dog").threshold
        Fraction(1, 2)
    """

    default: Decoding
    classes: Mapping[str, Decoding]
    name: str = "decoding"
    digest: str | None = None
    tuned_on: tuple[str, ...] = ()

    def of(self, label: str) -> Decoding:
        """The decoding of a class.

        Args:
            label: the class.

        Returns:
            Its own decoding, or the default.
        """
        return self.classes.get(label, self.default)

    @property
    def data(self) -> dict[str, Any]:
        """The decodings as plain data, as reports show them."""
        return {**self.default.data, "classes": {label: decoding.data for label, decoding in self.classes.items()}}


AnyDecoding = Decoding | ClassDecodings
Declared = AnyDecoding | Time
"""How a decoding is declared: for all classes, for each, or as a threshold alone."""


def checked_decodings(declared: Declared, diagnostics: Diagnostics) -> AnyDecoding | None:
    """The checked decoding; None, with the faults reported, if it cannot be used."""
    if not isinstance(declared, ClassDecodings):
        return checked_decoding(declared, diagnostics)
    place = RowPlace(declared.name)
    default = checked_decoding(declared.default, diagnostics, place, "default: ")
    classes = {
        label: checked_decoding(decoding, diagnostics, place, f"class `{shown(label)}`: ")
        for label, decoding in declared.classes.items()
    }
    known = {label: decoding for label, decoding in classes.items() if decoding is not None}
    return None if default is None or len(known) < len(classes) else replace(declared, default=default, classes=known)


def checked_decoding(
    declared: Decoding | Time, diagnostics: Diagnostics, place: RowPlace | None = None, where: str = ""
) -> Decoding | None:
    """A decoding, or a threshold alone, if it can be; None with all that is wrong with it, and where."""
    before = len(diagnostics.errors)

    def fault(headline: str, help: str) -> None:
        diagnostics.add("bad-decoding", f"{where}{headline}", place, help)

    threshold, low, median = declared, None, 1
    if isinstance(declared, Decoding):
        threshold, low, median = declared.threshold, declared.low, declared.median
    high = _share("threshold", threshold, fault)
    below = None if low is None else _share("low", low, fault)
    if high is not None and below is not None and below > high:
        fault(f"the low threshold {low} is greater than the high one {threshold}", "low comes first")
    is_length = isinstance(median, int) and median > 0
    if not is_length or median % 2 == 0:
        why = "is even, and has no middle frame" if is_length else "is not a number of frames"
        fault(f"the median filter's length {median} {why}", "give an odd number")
    return None if high is None or len(diagnostics.errors) > before else Decoding(high, below, median)


def _share(name: str, value: Any, fault: Callable[[str, str], None]) -> Fraction | None:
    """A number from 0 to 1; None with what is wrong with it."""
    try:
        share = exact(value)
    except (TypeError, ValueError):
        fault(f"the {name} `{value}` is not a number", "write it like 0.5")
        return None
    if not 0 <= share <= 1:
        fault(f"the {name} {value} lies outside 0 to 1", "scores lie between 0 and 1")
        return None
    return share


def decode(scores: ScoreField, decoding: AnyDecoding) -> EventTable:
    """The events the scores give; every clip is there, also one without events."""
    clips = {clip: _events(scores, frames, decoding) for clip, frames in scores.clips.items()}
    lengths = {clip: frames.edges[-1] for clip, frames in scores.clips.items()}
    origin = TableOrigin("scores", scores.files, decoding.data, lengths, scores=scores)
    return EventTable(scores.name, clips, scores.digest, origin)


def field_events(scores: ScoreField, declared: Declared | None, diagnostics: Diagnostics) -> EventTable:
    """The events of a field by the declared decoding, which a mask does not need; without one the clips are silent."""
    if not scores.clips:  # what it is could not be read, which was reported
        return EventTable(scores.name, {})
    if scores.is_mask:
        table = decode(scores, Decoding(Fraction(1, 2)))
        form = "memory" if scores.digest is None else "scores"
        return replace(table, origin=table.origin and replace(table.origin, format=form, decoding=None))
    decoding = declared_decoding(declared, scores.name, "scores", diagnostics)
    if decoding is None:
        return EventTable(scores.name, dict.fromkeys(scores.clips, ()), scores.digest)
    return decode_declared(scores, decoding, diagnostics)


def decode_declared(scores: ScoreField, decoding: AnyDecoding, diagnostics: Diagnostics) -> EventTable:
    """The events the scores give; a decoding of a class that has no column is reported."""
    if isinstance(decoding, ClassDecodings):
        for label in (label for label in decoding.classes if label not in scores.classes):
            headline = f"there is a decoding of the class `{shown(label)}`, which the scores have no column of"
            help = did_you_mean(label, scores.classes)
            diagnostics.add("unused-reading", headline, RowPlace(decoding.name), help)
    return decode(scores, decoding)


def declared_decoding(declared: Declared | None, name: str, what: str, diagnostics: Diagnostics) -> AnyDecoding | None:
    """The decoding that is declared, if it can be; it is never assumed."""
    if declared is not None:
        return checked_decodings(declared, diagnostics)
    headline = f"`{shown(name)}` holds {what}, and nothing says how they become events"
    help = (
        "declare a threshold: --threshold or --decoding for predictions, --ref-threshold for references; in Python "
        "decoding=…"
    )
    diagnostics.add("undeclared-threshold", headline, RowPlace(name), help)
    return None


def keep_confident(
    table: EventTable, declared: Declared | None, diagnostics: Diagnostics, *, some: bool | None = None
) -> EventTable:
    """The events of a table whose confidence is greater than the declared threshold (rule 20.13).

    A table whose events were decoded already, or have no confidences at all, stays as it is. Of a part, `some` says
    whether the whole has any.
    """
    decoded = table.origin is not None and table.origin.decoding is not None
    if declared is None or decoded:
        return table
    if not (any(event.confidence is not None for _, event in table.events) if some is None else some):
        return table
    decoding = checked_decodings(declared, diagnostics)
    if decoding is None:
        return table
    parts = [decoding] if isinstance(decoding, Decoding) else [decoding.default, *decoding.classes.values()]
    if any(part.low is not None or part.median != 1 for part in parts):
        headline = f"`{shown(table.name)}` holds events, which take a threshold alone"
        diagnostics.add("bad-decoding", headline, RowPlace(table.name), "hysteresis and median filters are for frames")
        return table
    if isinstance(decoding, ClassDecodings):
        _report_misspelt(decoding, table, diagnostics)
    for clip, event in table.events:
        if event.confidence is None:
            headline = f"`{shown(event.label)}` in `{shown(clip)}` has no confidence, and others have one"
            help = "give every event a confidence, or no threshold"
            diagnostics.add("bad-score", headline, table.place(clip, event.row), help)
    clips = {clip: tuple(e for e in events if _is_kept(e, decoding)) for clip, events in table.clips.items()}
    return replace(table, clips=clips, origin=replace(table.origin or TableOrigin("memory"), decoding=decoding.data))


def _report_misspelt(decodings: ClassDecodings, table: EventTable, diagnostics: Diagnostics) -> None:
    """Warn of decodings of classes that no event has where a label is nearly called so; others have no events."""
    for label in (label for label in decodings.classes if label not in table.labels):
        if near := nearest(label, table.labels - decodings.classes.keys()):
            headline = f"there is a decoding of the class `{shown(label)}`, which no event of `{shown(table.name)}` has"
            diagnostics.add("unused-reading", headline, RowPlace(decodings.name), f"did you mean `{near}`?")


def _is_kept(event: Event, decoding: AnyDecoding) -> bool:
    own = decoding if isinstance(decoding, Decoding) else decoding.of(event.label)
    return event.confidence is not None and event.confidence > own.threshold


def active_by_class(scores: ScoreField, frames: ClipScores, decodings: AnyDecoding) -> NDArray[np.bool_]:
    """Whether each class is active in each frame of a clip, each by its own decoding."""
    if isinstance(decodings, Decoding):
        return active_frames(scores.levels, frames, decodings)
    active = np.zeros(frames.ranks.shape, dtype=np.bool_)
    own = [decodings.of(label) for label in scores.classes]
    # Classes decoded alike are decoded together.
    for decoding in set(own):
        columns = [place for place, other in enumerate(own) if other == decoding]
        some = replace(frames, ranks=frames.ranks[:, columns])
        active[:, columns] = active_frames(scores.levels, some, decoding)
    return active


def active_frames(levels: ScoreLevels, frames: ClipScores, decoding: Decoding) -> NDArray[np.bool_]:
    """Whether each class is active in each frame of a clip."""
    ranks = _median(frames.ranks, decoding.median)
    high: NDArray[np.bool_] = ranks >= levels.above(decoding.threshold)
    if decoding.low is None:
        return high
    low: NDArray[np.bool_] = ranks >= levels.above(decoding.low)
    begins, ends, columns = _runs(low)
    # How many frames above the high threshold come before each frame: a run holds one if its two ends differ.
    reached = np.zeros((len(high) + 1, high.shape[1]), dtype=np.int64)
    np.cumsum(high, axis=0, out=reached[1:])
    holds = reached[ends, columns] > reached[begins, columns]
    active = np.zeros(low.shape, dtype=np.bool_)
    for begin, end, column in zip(begins[holds].tolist(), ends[holds].tolist(), columns[holds].tolist(), strict=True):
        active[begin:end, column] = True
    return active


def filtered(scores: ScoreField, length: int) -> ScoreField:
    """The field after a median filter."""
    clips = {clip: replace(frames, ranks=_median(frames.ranks, length)) for clip, frames in scores.clips.items()}
    return replace(scores, clips=clips)


def _median(ranks: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """The middle one of the ranks around each frame, reflected at the ends: the rank of the middle score."""
    if length == 1:
        return ranks
    # The median of ranks is the rank of the median: exact, and on whole numbers. Ends are reflected, as scipy does.
    half = length // 2
    padded = np.pad(ranks, ((half, half), (0, 0)), mode="symmetric")
    windows = np.lib.stride_tricks.sliding_window_view(padded, length, axis=0)
    middle: NDArray[np.int64] = np.partition(windows, half, axis=-1)[..., half]
    return middle


def _runs(active: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The maximal runs of true values of each column: first frame, frame after the last, column."""
    # Column by column, so that begins and ends come in pairs.
    edges = np.diff(active.T.astype(np.int8), axis=1, prepend=0, append=0)
    columns, begins = np.nonzero(edges == 1)
    _, ends = np.nonzero(edges == -1)
    return begins, ends, columns


def _events(scores: ScoreField, frames: ClipScores, decoding: AnyDecoding) -> tuple[Event, ...]:
    begins, ends, columns = _runs(active_by_class(scores, frames, decoding))
    in_time = sorted(zip(begins.tolist(), columns.tolist(), ends.tolist(), strict=True))
    return tuple(
        Event(frames.edges[begin], frames.edges[end], scores.classes[column], frames.row(begin))
        for begin, column, end in in_time
    )


# Decoding files: a decoding for each class, and one for all others, as TOML (rule 20.12).

FORMAT = "tracepact-decoding/1"
_ENDING = ".toml"
_TABLES = ("format", "tuned_on", "default", "classes")
_KEYS = ("threshold", "low", "median")


def read_decoding(path: PathLike, diagnostics: Diagnostics) -> ClassDecodings | None:
    """The decodings of a file (spec/schemas/decoding.schema.json says its form); None if it cannot be used."""
    parsed = read_toml_file(path, "bad-decoding", None, diagnostics, Decimal)
    if parsed is None:
        return None
    file, data = parsed
    before = len(diagnostics.errors)
    reader = _DecodingFileReader(file.name, diagnostics)
    default, classes = reader.tables(data)
    tuned_on = reader.clips(data.get("tuned_on", []))
    if default is None or len(diagnostics.errors) > before:
        return None
    return ClassDecodings(default, classes, file.name, file.digest, tuned_on)


def decoding_given(declared: Declared | PathLike | None, diagnostics: Diagnostics) -> Declared | None:
    """The decoding that an argument declares; a path, or a text that is no number, names a decoding file."""
    if isinstance(declared, str) and not os.path.isfile(declared):
        if any(sign.isdecimal() for sign in declared) and not declared.endswith(_ENDING):
            return declared
        headline = f"`{shown(declared)}` is neither a threshold nor a decoding file"
        help = "give a number such as 0.5, or the path of a file that `tune` wrote"
        diagnostics.add("bad-decoding", headline, RowPlace(declared), help)
        return None
    return read_decoding(declared, diagnostics) if isinstance(declared, str | os.PathLike) else declared


@dataclass(frozen=True, slots=True)
class _DecodingFileReader:
    """A decoding file while it is read."""

    name: str
    diagnostics: Diagnostics

    def fault(self, headline: str, help: str | None = None) -> None:
        """Report what is wrong with the file."""
        self.diagnostics.add("bad-decoding", headline, RowPlace(self.name), help)

    def tables(self, data: Mapping[str, Any]) -> tuple[Decoding | None, dict[str, Decoding]]:
        """The default, and the decoding of each class."""
        for key in (key for key in data if key not in _TABLES):
            is_class = isinstance(data[key], Mapping) and nearest(key, ("default", "classes")) is None
            help = f"a class is written `[classes.{key}]`" if is_class else did_you_mean(key, _TABLES)
            self.fault(f"there is no `{shown(key)}` in a decoding file", help)
        if data.get("format") != FORMAT:
            self.fault(f"the file does not begin with its format, `{FORMAT}`", f'write `format = "{FORMAT}"`')
        default = self.decoding("default", data["default"]) if "default" in data else None
        if "default" not in data:
            self.fault("there is no table `default`", "write `[default]` and a threshold, for classes not named")
        tables = data.get("classes", {})
        if not isinstance(tables, Mapping):
            self.fault("`classes` is not a table of classes", "write `[classes.Speech]`")
            return default, {}
        read = {label: self.decoding(f"class `{shown(label)}`", table) for label, table in tables.items()}
        return default, {label: decoding for label, decoding in read.items() if decoding is not None}

    def clips(self, listed: Any) -> tuple[str, ...]:
        """The clips that the decodings were chosen on."""
        if isinstance(listed, list) and all(isinstance(clip, str) for clip in listed):
            return tuple(listed)
        self.fault("`tuned_on` is not a list of clips", 'write `tuned_on = ["a.wav", "b.wav"]`, or leave it out')
        return ()

    def decoding(self, what: str, table: Any) -> Decoding | None:
        """One decoding; None if it cannot be."""
        given = table if isinstance(table, Mapping) else {}
        for key in (key for key in given if key not in _KEYS):
            self.fault(f"{what} has `{shown(key)}`, which is not part of a decoding", did_you_mean(key, _KEYS))
        if "threshold" not in given:
            if any(nearest(key, _KEYS) == "threshold" for key in given if key not in _KEYS):
                return None  # it is misspelt, which was said
            self.fault(f"{what} has no threshold", 'write `threshold = "0.5"`')
            return None
        median = table.get("median", 1)
        if not isinstance(median, int) or isinstance(median, bool):
            self.fault(f"the median filter's length of {what} is not a whole number", "give an odd number of frames")
            return None
        numbers = {key: table.get(key) for key in ("threshold", "low")}
        for key, value in numbers.items():
            if isinstance(value, bool) or not isinstance(value, str | int | Decimal | None):
                self.fault(f"the {key} of {what} is not a number", "write it like 0.5")
                return None
        texts = {key: None if value is None else str(value) for key, value in numbers.items()}
        unchecked = Decoding(texts["threshold"], texts["low"], median)  # type: ignore[arg-type]
        return checked_decoding(unchecked, self.diagnostics, RowPlace(self.name), f"{what}: ")


def report_tuned_clips(decodings: ClassDecodings, clips: Sequence[str], diagnostics: Diagnostics) -> None:
    """Warn where clips are scored that chose their own decoding."""
    same = set(decodings.tuned_on).intersection(clips)
    if same:
        which = "all clips" if len(same) == len(clips) else f"{len(same)} of {len(clips)} clips"
        headline = f"the decoding was chosen on {which} that are scored here, so what it reaches is optimistic"
        help = "score other clips, or quote the held-out value of `tune`"
        diagnostics.add("tuned-on-these", headline, RowPlace(decodings.name), help)


def decoding_text(decodings: ClassDecodings) -> str:
    """A decoding file."""
    tuned_on = ["tuned_on = [", *(f"    {_quoted(clip)}," for clip in decodings.tuned_on), "]"]
    parts = [f'format = "{FORMAT}"', *(tuned_on if decodings.tuned_on else ()), ""]
    parts += ["[default]", *_lines(decodings.default)]
    for label, decoding in decodings.classes.items():
        parts += ["", f"[classes.{_quoted(label)}]", *_lines(decoding)]
    return "\n".join(parts) + "\n"


def _lines(decoding: Decoding) -> list[str]:
    lines = [f'threshold = "{print_number(decoding.threshold)}"']
    if decoding.low is not None:
        lines.append(f'low = "{print_number(decoding.low)}"')
    if decoding.median != 1:
        lines.append(f"median = {decoding.median}")
    return lines


def _quoted(label: str) -> str:
    """A label as a key of TOML."""
    escaped = label.replace("\\", "\\\\").replace('"', '\\"')
    shown_signs = "".join(sign if sign >= " " and sign != "\x7f" else f"\\u{ord(sign):04x}" for sign in escaped)
    return f'"{shown_signs}"'
