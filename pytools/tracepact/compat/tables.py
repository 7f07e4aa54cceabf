"""The tables of other packages: score tables, ground truths and event lists, read, written, filtered and decoded."""

import csv
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from csv import DictReader
from fractions import Fraction
from importlib import import_module
from io import StringIO
from math import inf, isinf, lcm
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.data.events import Ticks, common_unit, exact, ratios, ticks
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic
from tracepact.files import write_whole
from tracepact.inputs import read_bytes
from tracepact.wording import parse_exact

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Events = dict[str, list[list[Any]]]


class NotCovered(InvalidInput, NotImplementedError):  # noqa: N818  (it says what is not there)
    """A part of another package that is not offered under its name; it is a NotImplementedError as well."""

    def __init__(self, what: str, native: str) -> None:
        super().__init__([Diagnostic("not-covered", f"{what} is not covered", None, f"here: {native}")])


def namespace(name: str, members: Mapping[str, Any], missing: Mapping[str, str] | None = None) -> ModuleType:
    """A module that exists for its dotted name alone, so that imports of the original find it.

    Args:
        name: its full name, below a module that has a `__path__`.
        members: what it holds.
        missing: what it does not hold, with the native way.
    """
    module = ModuleType(name, f"Names of {name.removeprefix('tracepact.compat.')}.")
    module.__dict__.update(members, __path__=[], __getattr__=refusal(name, missing or {}))
    sys.modules[name] = module
    parent, _, own = name.rpartition(".")
    setattr(sys.modules[parent], own, module)
    return module


def refusal(name: str, missing: Mapping[str, str]) -> Any:
    """The `__getattr__` of a module: what it does not cover is said, with the native way."""

    def absent(attribute: str) -> Any:
        if attribute in missing:
            raise NotCovered(f"`{name.removeprefix('tracepact.compat.')}.{attribute}`", missing[attribute])
        raise AttributeError(f"module {name!r} has no attribute {attribute!r}")

    return absent


def pandas_package() -> Any:
    """Pandas, which holds these tables; nothing else of the package needs it."""
    return import_module("pandas")


def pyplot() -> Any:
    """Matplotlib, which draws where a picture is asked for; nothing else of the package needs it."""
    return import_module("matplotlib.pyplot")


def canvas(options: Mapping[str, Any]) -> Any:
    """The axes that a picture is drawn in: those of the options, or new ones of their size."""
    return options.get("axes") or pyplot().figure(figsize=options.get("figsize", (7, 7))).add_subplot()


def save_picture(axes: Any, options: Mapping[str, Any]) -> None:
    """Write a picture to the file of the options, if they name one."""
    if options.get("filename"):
        axes.figure.savefig(options["filename"])


def _text(path: Path) -> str:
    return read_bytes(path).decode("utf-8-sig")


def create_score_dataframe(scores: Any, timestamps: Any, event_classes: Sequence[str]) -> Any:
    """A table of scores, frames × classes, given the edges of the frames."""
    array, edges = np.asanyarray(scores), np.asanyarray(timestamps)
    if array.ndim != 2:
        raise ValueError(f"scores must be two-dimensional but has shape {array.shape}")
    if edges.shape != (len(array) + 1,):
        raise ValueError(f"timestamps must have the shape ({len(array) + 1},) but has {edges.shape}")
    if len(event_classes) != array.shape[1]:
        raise ValueError(f"{len(event_classes)} event classes do not fit scores of the shape {array.shape}")
    table = np.concatenate([edges[:-1, None], edges[1:, None], array], axis=1)
    return pandas_package().DataFrame(table, columns=["onset", "offset", *event_classes])


def validate_score_dataframe(
    scores: Any, timestamps: Any = None, event_classes: Sequence[str] | None = None
) -> tuple[Floats, list[str]]:
    """The edges of the frames of a table and its classes; ValueError where it is not such a table."""
    names = list(getattr(scores, "columns", ()))
    if len(names) < 3 or names[:2] != ["onset", "offset"]:
        raise ValueError(f"scores must be a DataFrame with the columns onset, offset and classes, not {names}")
    if event_classes is not None and names[2:] != list(event_classes):
        raise ValueError(f"column names {names[2:]} do not match the event class names {list(event_classes)}")
    edges, _ = _edges(scores.to_numpy(), "the table")
    if timestamps is not None and not np.allclose(edges, timestamps):
        raise ValueError(f"timestamps {edges} do not match the provided timestamps {timestamps}")
    return edges, names[2:]


def _edges(table: NDArray[Any], name: str) -> tuple[Floats, NDArray[Any]]:
    """The edges and the scores of a table's values."""
    if not len(table):
        raise ValueError(f"{name} has no frames")
    onset, offset = table[:, 0], table[:, 1]
    if (offset == onset).any():
        raise ValueError(f"some frames of {name} have zero length")
    if not np.array_equal(offset[:-1], onset[1:]):
        raise ValueError(f"in {name} onset times must match the offset times of the frames before")
    return np.append(onset, offset[-1:]).astype(np.float64), table[:, 2:]


class ScoreClips:
    """The tables of several clips as arrays: the clips by name, one order of classes.

    Attributes:
        clips: the names, sorted.
        classes: the names of the columns.
        edges: of each clip, the edges of its frames in seconds.
        scores: of each clip, frames × classes.
    """

    def __init__(self, scores: Any) -> None:
        tables = read_sed_scores(scores) if isinstance(scores, str | Path) else scores
        if not callable(getattr(tables, "keys", None)):
            raise ValueError(f"scores must be a dict of DataFrames or a directory, but {type(scores)} was given")
        self.clips: tuple[str, ...] = tuple(sorted(tables.keys()))
        if not self.clips:
            raise ValueError("scores has no clips")
        self.classes = tuple(tables[self.clips[0]].columns)[2:]
        self.edges: list[Floats] = []
        self.scores: list[Floats] = []
        known: dict[bytes, Floats] = {}
        for clip in self.clips:
            table = tables[clip]
            if tuple(table.columns)[2:] != self.classes:
                raise ValueError(f"the columns of {clip} are not those of {self.clips[0]}")
            edges, values = _edges(table.to_numpy(), clip)
            # Clips of a folder mostly share one line of edges; what is shared is put into ticks once.
            self.edges.append(known.setdefault(edges.tobytes(), edges))
            self.scores.append(values)
        if any(np.isnan(values).any() for values in self.scores):
            raise ValueError("scores are not numbers in some frames")

    def thresholds(self, threshold: Any) -> Floats:
        """The threshold of each class, given one for all or one by class."""
        if isinstance(threshold, Mapping):
            threshold = [threshold[name] for name in self.classes]
        return np.broadcast_to(np.asarray(threshold, dtype=np.float64), len(self.classes))


# Ground truths, durations and tags: tables of four, two and two columns, read as text within the package's limits.


def _rows(filepath: Any, needed: Sequence[str]) -> list[dict[str, str]]:
    """The rows of a tab-separated file or of a DataFrame."""
    if hasattr(filepath, "to_dict"):
        rows: list[dict[str, Any]] = filepath.to_dict("records")
        return rows
    reader = DictReader(StringIO(_text(Path(filepath))), delimiter="\t")
    names = list(reader.fieldnames or ())
    if not set(needed) <= set(names):
        raise ValueError(f"{filepath} must have the columns {', '.join(needed)}, but has {', '.join(names)}")
    return list(reader)


def _number(cell: str | float) -> float:
    """A cell as a float; ValueError where the text of a file denotes no number, or one beyond all floats."""
    if not isinstance(cell, str):
        return float(cell)
    parse_exact(cell)
    if isinf(value := float(cell)):
        raise ValueError(f"{cell} is too large")
    return value


def _clip(filename: str) -> str:
    return filename.rsplit(".", maxsplit=1)[0]


def read_ground_truth_events(filepath: Any) -> Events:
    """Events by clip, as lists of onset, offset and label; a row without a label is a clip without events."""
    events: Events = {}
    for row in _rows(filepath, ("filename", "onset", "offset", "event_label")):
        own, label = events.setdefault(_clip(row["filename"]), []), row["event_label"]
        if isinstance(label, str) and label:
            own.append([_number(row["onset"]), _number(row["offset"]), label])
    return events


def read_ground_truth_tags(filepath: Any) -> tuple[dict[str, list[str]], dict[str, int]]:
    """The labels of each clip, and how often each label occurs."""
    tags: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    for row in _rows(filepath, ("filename",)):
        own = tags.setdefault(_clip(row["filename"]), [])
        text = row.get("event_labels", row.get("event_label"))
        for label in text.split(",") if isinstance(text, str) and text else ():
            own.append(label)
            counts[label] = counts.get(label, 0) + 1
    return tags, counts


def read_audio_durations(filepath: Any) -> dict[str, float]:
    """How long each clip is, in seconds."""
    return {_clip(row["filename"]): _number(row["duration"]) for row in _rows(filepath, ("filename", "duration"))}


def parse_ground_truth(
    ground_truth: Any, *, tagging: bool = False, audio_ids: Sequence[str] | None = None, additional_ids_ok: bool = False
) -> dict[str, Any]:
    """A ground truth from a file or a dict, of exactly these clips; events of a class may not touch."""
    if isinstance(ground_truth, str | Path):
        ground_truth = read_ground_truth_tags(ground_truth)[0] if tagging else read_ground_truth_events(ground_truth)
    chosen = _of_clips("ground_truth", ground_truth, audio_ids, additional_ids_ok)
    if not tagging:
        assert_non_connected_events(chosen)
    return chosen


def parse_audio_durations(
    audio_durations: Any, *, audio_ids: Sequence[str] | None = None, additional_ids_ok: bool = False
) -> dict[str, float]:
    """Durations from a file or a dict, of exactly these clips."""
    if isinstance(audio_durations, str | Path):
        audio_durations = read_audio_durations(audio_durations)
    return _of_clips("audio_durations", audio_durations, audio_ids, additional_ids_ok)


def _of_clips(name: str, rows: Any, clips: Sequence[str] | None, more_is_fine: bool) -> dict[str, Any]:
    if not isinstance(rows, Mapping):
        raise ValueError(f"{name} must be dict, str or Path but {type(rows)} was given.")
    if clips is None:
        return dict(rows)
    missing, more = set(clips) - rows.keys(), rows.keys() - set(clips)
    if missing or (more and not more_is_fine):
        raise ValueError(f"{name} does not fit the clips of the scores: missing {missing}, additional {more}")
    return {clip: rows[clip] for clip in clips}


def assert_non_connected_events(ground_truth: Mapping[str, Sequence[Sequence[Any]]]) -> None:
    """Refuse events of a class and clip that touch or overlap, as the original does."""
    for clip, events in ground_truth.items():
        ends: dict[Any, float] = defaultdict(lambda: -1e6)
        for onset, offset, label in sorted(events, key=lambda event: (str(event[2]), event[0], event[1])):
            if onset <= ends[label]:
                # The original asserts here, and code that catches its error expects this class.
                raise AssertionError(f"Connected/overlapping {label} events found for clip {clip}")
            ends[label] = offset


def parse_inputs(scores: Any, ground_truth: Any, *, tagging: bool = False) -> tuple[Any, dict[str, Any], list[str]]:
    """Scores, ground truth and the names of the clips, sorted."""
    tables = read_sed_scores(scores) if isinstance(scores, str | Path) else scores
    clips = sorted(tables.keys())
    return tables, parse_ground_truth(ground_truth, tagging=tagging, audio_ids=clips), clips


_INFINITE = {"inf": inf, "-inf": -inf}
"""A filter with nothing active outside the clip gives such scores, and they are written so."""


def read_sed_scores(filepath: Any) -> Any:
    """The table of a file, or those of all files of a folder by clip."""
    path = Path(filepath)
    if path.is_dir():
        wrong = [file for file in sorted(path.iterdir()) if not file.is_file() or file.suffix != ".tsv"]
        if wrong:
            raise ValueError(f"a folder of scores must only contain tsv files but contains {wrong[0]}")
        return {file.name[: -len(".tsv")]: read_sed_scores(file) for file in sorted(path.iterdir())}
    # Written with all digits, a score is the float it was; pandas' own fast parser may miss it by one bit.
    head, *rows = _text(path).rstrip("\n").splitlines()
    cells = [[_INFINITE.get(cell) or _number(cell) for cell in row.split("\t")] for row in rows]
    table = pandas_package().DataFrame(np.array(cells, dtype=np.float64), columns=head.split("\t"))
    validate_score_dataframe(table)
    return table


def write_sed_scores(scores: Any, storage_path: Any, *, timestamps: Any = None, event_classes: Any = None) -> None:
    """Write a table, or one for each clip into a folder."""
    if isinstance(scores, Mapping):
        folder = Path(storage_path)
        folder.mkdir(exist_ok=True, parents=True)
        for clip, table in scores.items():
            write_sed_scores(table, folder / f"{clip}.tsv", timestamps=timestamps, event_classes=event_classes)
        return
    if isinstance(scores, np.ndarray):
        if timestamps is None or event_classes is None:
            raise ValueError("an array of scores needs timestamps and event_classes")
        scores = create_score_dataframe(scores, timestamps, event_classes)
    validate_score_dataframe(scores, timestamps=timestamps, event_classes=event_classes)
    write_whole({Path(storage_path): scores.to_csv(sep="\t", index=False)}, in_place=True)


def write_detection(scores: Any, threshold: Any, filepath: Any, audio_format: str = "wav") -> None:
    """Write the events above a threshold as a table of filename, onset, offset and label; add to one that is there."""
    path = Path(filepath)
    before = _text(path) if path.exists() else ""
    lines = [before or "filename\tonset\toffset\tevent_label\n"]
    for clip, events in scores_to_event_list(scores, threshold).items():
        lines += [f"{clip}.{audio_format}\t{onset}\t{offset}\t{label}\n" for onset, offset, label in events]
    write_whole({path: "".join(lines)}, in_place=True)


# Event lists of sed_eval.

_MICRO = 10**6


def load_event_list(filename: Any, **_: Any) -> list[Mapping[str, Any]]:
    """The events of a table with or without a header: onset, offset, label, with a file name before them or none."""
    text = _text(Path(filename))
    head = text.partition("\n")[0]
    mark = max("\t;,", key=head.count)
    rows = [row for row in csv.reader(StringIO(text), delimiter=mark) if row]
    names = rows.pop(0) if rows and "onset" in ",".join(rows[0]) else None
    columns = {4: ["filename", "onset", "offset", "event_label"], 3: ["onset", "offset", "event_label"]}
    events: list[Mapping[str, Any]] = []
    for number, row in enumerate(rows, 1):
        row_names = names or columns.get(len(row))
        if row_names is None or len(row_names) != len(row):
            raise ValueError(f"row {number} of {filename} has {len(row)} cells, which are not those of an event list")
        cells = dict(zip(row_names, row, strict=True))
        events.append({k: _number(v) if "onset" in k or "offset" in k else v for k, v in cells.items() if v != ""})
    return events


class EventSide:
    """The events of one side of all files in columns."""

    def __init__(self) -> None:
        self.file: list[int] = []
        self.label: list[str] = []
        self.onset: list[float] = []
        self.offset: list[float] = []

    def add(self, file: int, items: Iterable[Mapping[str, Any]], name: str) -> float:
        """Add those of a file that are whole, and give the greatest offset."""
        files, last = set(), 0.0
        for item in items:
            if (named := item.get("filename", item.get("file"))) is not None:
                files.add(named)
            label = item.get("event_label")
            prefix = "event_" if "event_onset" in item and "event_offset" in item else ""
            if label is None or label != label or f"{prefix}onset" not in item or f"{prefix}offset" not in item:
                continue
            onset, offset = float(item[f"{prefix}onset"]), float(item[f"{prefix}offset"])
            last = max(last, offset)
            self.file.append(file)
            self.label.append(str(label))
            self.onset.append(onset)
            self.offset.append(offset)
        if len(files) > 1:
            raise ValueError(f"{name} contains events from multiple files. Evaluate only file by file.")
        return last


def typed(seconds: float) -> Fraction:
    """The decimal that a float was typed as, as `exact` has it; quickly where it has at most six decimals."""
    near = round(seconds * _MICRO) if abs(seconds) < _MICRO else 0
    return Fraction(near, _MICRO) if near / _MICRO == seconds else exact(float(seconds))


def in_ticks(times: Sequence[Sequence[float]], others: Sequence[Fraction]) -> tuple[int, list[Ticks]]:
    """Times in whole ticks of the decimals that were typed, and how many a second has."""
    columns = [np.array(column, dtype=np.float64) for column in times]
    near = [np.rint(column * _MICRO) for column in columns]
    if all(
        np.array_equal(a / _MICRO, b) and np.abs(a).max(initial=0) < 1 << 52 for a, b in zip(near, columns, strict=True)
    ):
        unit = lcm(_MICRO, common_unit(others))
        if unit // _MICRO < 1 << 8:
            return unit, [column.astype(np.int64) * (unit // _MICRO) for column in near]
    lines = [ratios(map(exact, column)) for column in times]
    unit = common_unit(*lines, others)
    return unit, [ticks(line, unit) for line in lines]


# Decoding and filtering.


def scores_to_event_list(scores: Any, thresholds: Any, event_classes: Sequence[str] | None = None) -> Any:
    """The events of a table, or of each clip: maximal runs of frames whose score is greater than a threshold."""
    if not hasattr(scores, "columns"):
        return {clip: scores_to_event_list(scores[clip], thresholds, event_classes) for clip in sorted(scores.keys())}
    edges, names = validate_score_dataframe(scores, event_classes=event_classes)
    if isinstance(thresholds, Mapping):
        thresholds = [thresholds[name] for name in names]
    label, first, last = active_runs(scores.to_numpy()[:, 2:] > np.asarray(thresholds))
    parts = edges[first].tolist(), edges[last].tolist(), label.tolist()
    return sorted((onset, offset, names[k]) for onset, offset, k in zip(*parts, strict=True))


def active_runs(active: Flags) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Column, first frame and frame after the last of every run of active frames × columns."""
    edges = np.diff(np.pad(active.T.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    column, first = np.nonzero(edges > 0)
    return column, first, np.nonzero(edges < 0)[1]


def medfilt(
    scores: Any, filter_length_in_sec: Any, time_decimals: int = 6, lazy: bool = False, storage_dir: Any = None
) -> Any:
    """The tables after a median filter; its length in seconds is one for all classes, or one for each.

    Outside the clip nothing is active. Frames must be alike, and a length zero or an odd number of frames; a filter
    of another length moves the edges of frames, and is refused.
    """
    if lazy or storage_dir is not None:
        raise NotCovered("medfilt with lazy or storage_dir", "call medfilt on the dict and write_sed_scores afterwards")
    clips = ScoreClips(scores)
    lengths = np.broadcast_to(np.asarray(filter_length_in_sec, dtype=np.float64), len(clips.classes))
    if not lengths.any():
        return {clip: scores[clip] for clip in clips.clips} if isinstance(scores, Mapping) else read_sed_scores(scores)
    filtered = {}
    for clip, edges, values in zip(clips.clips, clips.edges, clips.scores, strict=True):
        frames = _odd_frames(lengths, edges, time_decimals)
        columns = [_median(values[:, k : k + 1], frames[k]) for k in range(len(frames))]
        if len(set(frames)) == 1:
            columns = [_median(values, frames[0])]
        table, line = _merged(np.concatenate(columns, axis=1), np.round(edges, time_decimals))
        filtered[clip] = create_score_dataframe(table, line, clips.classes)
    return filtered


def _odd_frames(lengths: Floats, edges: Floats, decimals: int) -> list[int]:
    """The lengths of a filter in frames, each an odd number."""
    step = (edges[-1] - edges[0]) / (len(edges) - 1)
    near = 0.5 * 10.0**-decimals
    frames = np.rint(lengths / step).astype(np.int64)
    uneven = np.abs(np.diff(edges)[:-1] - step).max(initial=0) > 4 * near
    odd = (frames % 2 == 1) | (lengths == 0)
    if uneven or not odd.all() or (np.abs(frames * step - lengths) > 4 * near).any():
        raise NotCovered(
            "medfilt over anything but an odd number of frames of one length",
            "`median` of tracepact.Decoding, tracepact.ClassDecodings and tracepact.curves counts odd frames",
        )
    return list(map(int, np.maximum(frames, 1)))


def _median(values: Floats, length: int) -> Floats:
    """The medians of windows of an odd number of frames, with nothing active outside."""
    if length == 1:
        return values
    half = length // 2
    wide = np.pad(values, ((half, half), (0, 0)), constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(wide, length, axis=0)
    return np.partition(windows, half, axis=-1)[..., half]


def _merged(values: Floats, edges: Floats) -> tuple[Floats, Floats]:
    """Equal frames side by side as one; without those at the start where nothing can be active."""
    changes = np.append(True, (values[1:] != values[:-1]).any(axis=1))
    first = np.flatnonzero(changes & (np.maximum.accumulate(values, axis=0) > -np.inf).any(axis=1))
    if not len(first):
        return np.full((1, values.shape[1]), -np.inf), edges[[0, -1]]
    last = len(values) if (values[-1] > -np.inf).any() else first[-1]
    if last != len(values):
        first = first[:-1]
    return values[first], edges[np.append(first, last)]


def apply_postprocessing(scores: Any, postprocessing_fn: Callable[..., Any], **options: Any) -> dict[str, Any]:
    """The tables after a function of scores and edges that gives both anew."""
    if options.pop("lazy", False) or options.pop("storage_dir", None) is not None:
        raise NotCovered("apply_postprocessing with lazy or storage_dir", "call it on the dict of tables")
    clips = ScoreClips(scores)
    processed = {}
    for clip, edges, values in zip(clips.clips, clips.edges, clips.scores, strict=True):
        array, line = postprocessing_fn(values, edges, **options)
        processed[clip] = create_score_dataframe(array, line, clips.classes)
    return processed


def get_first_index_where(array: NDArray[Any], criterion: str, value: Any, *, axis: int = 0) -> Any:
    """The first index along an axis whose element is `geq`, `gt`, `leq` or `lt` a value; the length where none is."""
    compare = {"geq": np.greater_equal, "gt": np.greater, "leq": np.less_equal, "lt": np.less}
    if criterion not in compare:
        raise ValueError(f"Invalid criterion {criterion}")
    hits = compare[criterion](array, value)
    return np.where(hits.any(axis=axis), hits.argmax(axis=axis), hits.shape[axis])[()]
