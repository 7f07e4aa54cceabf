"""Data in memory: lists of intervals, mappings of clips, data frames, masks; and the lengths of sound files."""

import os
import re
import wave
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from posixpath import basename, splitext
from typing import Any

import numpy as np

from tracepact.data.columns import report_missing
from tracepact.data.data_files import Frame, field_text, frame_columns, frame_of
from tracepact.data.decoding import field_events
from tracepact.data.event_rows import UNLABELLED, EventRows, TimeTexts, clip_length
from tracepact.data.events import Durations, Event, EventTable, Lengths, Regions
from tracepact.data.fields import array_of, field_from, is_array
from tracepact.data.formats import read_events
from tracepact.data.readings import SAMPLED, Columns, Reading, columns_from, offered_map
from tracepact.data.sources import EVENT_COLUMNS, SOUND_ENDINGS, shown, uncollected
from tracepact.data.tables import Conditions, add_rows, find_layout, read_conditions, read_durations, read_regions
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace
from tracepact.language.formula import runs_of_frames
from tracepact.language.reader import read_time
from tracepact.wording import quoted

# Takes data that is in memory already: lists of intervals, mappings of clips, data frames, or a path.

ONE_CLIP = "clip"
ONE_LABEL = UNLABELLED


def events_from(
    data: Any,
    diagnostics: Diagnostics,
    *,
    name: str,
    label: str = ONE_LABEL,
    clip: str = ONE_CLIP,
    reading: Reading | None = None,
) -> EventTable:
    """The events of one side, rows counted from zero.

    `data` is a list of (onset, offset) or (onset, offset, label) for one clip, named `clip`; a mapping from clips to
    such lists; a data frame (pandas, polars, Arrow) with the columns of a table, or those a column map names; a score
    field or mask in the forms of `field_from`; a path; or an EventTable. `label` is the label of an interval that has
    none. Times are exact: a float stands for its shortest decimal text. `reading` says of
    a path, of scores, or of a data frame what the content does not.
    """
    if isinstance(data, str | os.PathLike):
        with uncollected():
            return read_events(data, diagnostics, reading)
    given = reading or Reading()
    field = field_from(data, diagnostics, name=name, clip=clip, classes=given.classes, step=given.step)
    if field is not None:
        return field_events(field, given.decoding, diagnostics)
    maps = columns_from(reading.columns, diagnostics) if reading else ()
    return _intervals(data, diagnostics, name, label, clip, maps, regions=False)


def regions_from(data: Any, diagnostics: Diagnostics, *, name: str = "ignore", clip: str = ONE_CLIP) -> Regions:
    """Ignore regions from the same kinds of data; one without a label is for every class."""
    if isinstance(data, str | os.PathLike):
        return read_regions(data, diagnostics)
    return _intervals(data, diagnostics, name, "", clip, (), regions=True)


def durations_from(data: Any, diagnostics: Diagnostics, *, name: str = "durations") -> Lengths:
    """Durations from a mapping of clips to times, a data frame, a path, or one time for all clips: a number, `10s`."""
    if data is None or isinstance(data, Durations):
        return data
    times = TimeTexts(fractions=True)
    if (frame := frame_of(data)) is not None:
        data = _pairs_of_frame(frame, "duration", name, diagnostics)
    if isinstance(data, Mapping):
        lengths = {}
        for clip, value in data.items():
            where = f"clip `{shown(str(clip))}`: "
            duration = clip_length(times, field_text(value), diagnostics, RowPlace(name), where)
            if duration is not None:
                lengths[str(clip)] = duration
        return Durations(name, lengths)
    if isinstance(data, os.PathLike) or (isinstance(data, str) and not _looks_like_time(data)):
        return read_durations(data, diagnostics)
    time = read_time(data) if isinstance(data, str) else None
    return clip_length(times, field_text(time[0] if time else data), diagnostics, RowPlace(name))


def conditions_from(data: Any, diagnostics: Diagnostics, *, name: str = "conditions") -> Conditions:
    """Conditions from a mapping of clips to words, a data frame or a path."""
    if isinstance(data, Conditions):
        return data
    if isinstance(data, str | os.PathLike):
        return read_conditions(data, diagnostics)
    if (frame := frame_of(data)) is not None:
        data = _pairs_of_frame(frame, "condition", name, diagnostics)
    return Conditions(name, {str(clip): str(condition) for clip, condition in data.items()})


def _pairs_of_frame(frame: Frame, column: str, name: str, diagnostics: Diagnostics) -> dict[str, str]:
    """Two columns of a data frame, the file name and another, as a mapping."""
    if not report_missing(("filename", column), frame.names, RowPlace(name), diagnostics):
        return {}
    keys, values = (frame.texts(frame.names.index(one)) for one in ("filename", column))
    return dict(zip(keys, values, strict=True))


def _looks_like_time(text: str) -> bool:
    """Whether a text is meant as a number, well formed or not; a file of that name is a file all the same."""
    # `1,5` is a number with a fault and not a missing file: the message should be about the number.
    return not os.path.exists(text) and bool(re.fullmatch(r"\s*|[-+]?(?:[0-9.].*|nan|inf(?:inity)?)", text, re.I))


def _intervals(
    data: Any,
    diagnostics: Diagnostics,
    name: str,
    label: str,
    clip: str,
    maps: Sequence[Columns],
    *,
    regions: bool,
) -> EventTable:
    if isinstance(data, EventTable):
        return data
    rows = EventRows(name, diagnostics, TimeTexts(fractions=True), regions=regions)
    if is_dataset_table(data):
        _add_dataset(data, rows)
    elif (frame := frame_of(data)) is not None:
        columns = _map_of(frame, maps)
        if columns is not None:
            rows.times = TimeTexts(fractions=True, rate=columns.rate, first=columns.first)
            _add_mapped(frame, rows, columns, clip)
        else:
            _add_frame(frame, rows)
    elif isinstance(data, Mapping):
        for key, items in data.items():
            _add_clip(items, rows, str(key), label, f"clip `{shown(str(key))}`: ")
    else:
        _add_clip(data, rows, clip, label, "")
    return rows.table()


def _add_clip(items: Any, rows: EventRows, clip: str, label: str, where: str) -> None:
    """The intervals of one clip; none at all is a silent clip."""
    rows.clips.setdefault(clip, [])
    if isinstance(items, str | bytes) or not isinstance(items, Iterable):
        rows.report("wrong-columns", f"{where}`{shown(repr(items))}` is not a list of intervals", help=_FORMS)
        return
    for row, item in enumerate(items):
        fields = _fields(item)
        if not 2 <= len(fields) <= 3:
            rows.report("wrong-columns", f"{where}`{shown(repr(item))}` is not an interval", row, _FORMS)
            continue
        onset, offset = field_text(fields[0]), field_text(fields[1])
        named = ("" if fields[2] is None else str(fields[2]).strip()) if len(fields) == 3 else label
        if onset and offset and (named or rows.regions):
            rows.add(row, clip, onset, offset, named, where)
        else:
            parts = {"onset": onset, "offset": offset, "label": named or rows.regions}
            empty = " and ".join(f"`{part}`" for part, value in parts.items() if not value)
            rows.report("incomplete-row", f"{where}the interval has no {empty}", row, "a silent clip is an empty list")


_FORMS = "give (onset, offset) or (onset, offset, label) for each interval"


def _fields(item: Any) -> Sequence[Any]:
    """The parts of an interval; nothing if it is not made of parts."""
    if isinstance(item, str | bytes | Mapping) or not isinstance(item, Iterable):
        return ()
    return tuple(item)


def _map_of(frame: Frame, maps: Sequence[Columns]) -> Columns | None:
    """The first map whose columns a frame has, or that of its known header; None for a table of events."""
    for columns in maps:
        if set(columns.roles.values()) <= set(frame.names):
            return columns
    # The first map is what the user meant: its missing columns are reported.
    if maps and not set(EVENT_COLUMNS) <= set(frame.names):
        return maps[0]
    layout = None if set(EVENT_COLUMNS[1:]) & set(frame.names) else find_layout(frame.names)
    return None if layout is None else layout.columns


def _add_mapped(frame: Frame, rows: EventRows, columns: Columns, clip: str) -> None:
    """The rows of a data frame by a column map."""

    def read(named: Sequence[str]) -> Iterable[tuple[int, Sequence[str]]]:
        offer = "" if set(named) <= set(frame.names) else _offered(frame)
        if report_missing(named, frame.names, RowPlace(rows.name), rows.diagnostics, offer):
            yield from enumerate(zip(*(frame.texts(frame.names.index(column)) for column in named), strict=True))

    add_rows(frame.names, read, clip, rows, columns)


def _offered(frame: Frame) -> str:
    """A column map that could read a data frame."""
    return offered_map(frame.names, list(zip(*map(frame.texts, range(len(frame.names))), strict=True))[:SAMPLED])


def _add_frame(frame: Frame, rows: EventRows) -> None:
    """The rows of a data frame; a missing value is an empty field."""
    required = EVENT_COLUMNS[:3] if rows.regions else EVENT_COLUMNS
    place = RowPlace(rows.name)
    repeated = [column for column in EVENT_COLUMNS if frame.names.count(column) > 1]
    for column in repeated:
        rows.diagnostics.add("wrong-columns", f"column `{column}` occurs twice", place, "keep one of them")
    if not report_missing(required, frame.names, place, rows.diagnostics) or repeated:
        return
    rows.add_all(enumerate(zip(*frame_columns(frame, (*EVENT_COLUMNS, "confidence")), strict=True)))


# Takes masks that are in memory: one truth value a frame, for one clip or for several by name.

Masks = Mapping[str, Sequence[bool]]


def masks_from(data: Any, diagnostics: Diagnostics, *, name: str) -> Masks | None:
    """The frames of each clip if the data is a mask or a mapping from clips to masks, else None."""
    if isinstance(data, Mapping) and data and all(_is_mask(mask) for mask in data.values()):
        clips = {str(clip): mask for clip, mask in data.items()}
    elif _is_mask(data):
        clips = {ONE_CLIP: data}
    else:
        return None
    found = {}
    for clip, mask in clips.items():
        frames = array_of(mask)
        if frames.ndim == 1:
            found[clip] = frames.astype(np.bool_).tolist()
        else:
            headline = f"{name}: the mask of `{clip}` has {frames.ndim} dimensions, not one"
            diagnostics.add(
                "wrong-mask", headline, help="give one mask a clip: {clip: mask}, or name its classes: classes=[…]"
            )
    return found


def table_of_masks(masks: Masks, step: Fraction, *, name: str) -> EventTable:
    """The runs of the masks as events of one label."""
    return EventTable(
        name,
        {
            clip: tuple(Event(start * step, end * step, ONE_LABEL) for start, end in runs_of_frames(frames))
            for clip, frames in masks.items()
        },
    )


def durations_of_masks(sides: Sequence[Masks], step: Fraction, diagnostics: Diagnostics) -> dict[str, Fraction]:
    """How long each clip is by its masks; both sides must agree."""
    lengths: dict[str, int] = {}
    for masks in sides:
        for clip, frames in masks.items():
            if lengths.setdefault(clip, len(frames)) != len(frames):
                diagnostics.add(
                    "wrong-mask",
                    f"the masks of `{clip}` have {lengths[clip]} frames on one side and {len(frames)} on the other",
                    help="both sides must cover the same frames",
                )
    return {clip: frames * step for clip, frames in lengths.items()}


def _is_mask(data: Any) -> bool:
    """Whether every item is a truth value, or 0 or 1; a list of intervals is none."""
    if is_array(data):
        data = array_of(data)
        return data.dtype == np.bool_ or (
            data.ndim == 1 and data.size > 0 and data.dtype.kind in "iuf" and bool(np.isin(data, (0, 1)).all())
        )
    truths = (bool, np.bool_, int)
    return isinstance(data, list | tuple) and bool(data) and all(isinstance(v, truths) and v in (0, 1) for v in data)


# Tables of Hugging Face `datasets`: a row a clip, with its events in columns of lists (rule 13.45).

_NESTED = {"onset": ("onset", "start", "begin"), "offset": ("offset", "end", "stop"), "label": ("label", "class")}
_CLIP_COLUMNS = ("filename", "file_name", "file", "clip", "id", "path", "audio")
_DATASET_FORM = "a row is a clip: its name or sound, and lists of the onsets, offsets and labels of its events"


def is_dataset_table(data: Any) -> bool:
    """Whether data is a table of `datasets` whose rows hold lists; known by what it can do."""
    if not all(hasattr(data, part) for part in ("features", "column_names", "with_format")):
        return False
    return any(map(_event_keys, data.column_names, data.with_format("arrow")[:0].schema.types))


def _add_dataset(data: Any, rows: EventRows) -> None:
    """The events of all rows of such a table."""
    # As Arrow: rows as Python objects would decode the sound of every one.
    table = data.with_format("arrow")[:]
    clips = _clips_of(table, rows)
    lists: dict[str, list[list[Any]]] = {}
    for name, column in zip(table.column_names, table.itercolumns(), strict=True):
        for role, key in _event_keys(name, column.type).items():
            words = _class_names(data.features[name], key)
            values = [_event_parts(value, key) for value in column.to_pylist()]
            lists[role] = [[words[v] if words and isinstance(v, int) else v for v in some] for some in values]
    missing = [role for role in _NESTED if role not in lists and not (role == "label" and rows.regions)]
    if clips is None or missing:
        if missing:
            rows.report("wrong-columns", f"the rows have no lists of {quoted(missing)}", help=_DATASET_FORM)
        return
    for row, clip in enumerate(clips):
        columns = [lists[role][row] for role in _NESTED if role in lists]
        if len({len(column) for column in columns}) > 1:
            rows.report("wrong-columns", "the lists of onsets, offsets and labels differ in length", row)
        elif clip in rows.clips:
            rows.report("ambiguous-clip", f"clip `{shown(clip)}` has two rows", row)
        else:
            _add_clip(list(zip(*columns, strict=True)), rows, clip, "", f"clip `{shown(clip)}`: ")


def _event_keys(name: str, kind: Any) -> dict[str, str]:
    """The parts of events that a column of lists holds, by what they are called there; none for any other column."""
    inner = getattr(kind, "value_type", kind)
    nested = [inner.field(place).name for place in range(inner.num_fields)] if str(inner).startswith("struct") else []
    keys = nested or ([name] if inner is not kind else [])
    roles = {role: key for key in keys for role, words in _NESTED.items() if key.lower() in words}
    return roles if inner is not kind or len(roles) > 1 else {}


def _event_parts(value: Any, key: str) -> list[Any]:
    """One part of a row's events: of a list, of a list of events, or of lists by part."""
    if isinstance(value, Mapping):
        return list(value.get(key) or ())
    return [item.get(key) if isinstance(item, Mapping) else item for item in value or ()]


def _class_names(feature: Any, key: str) -> Sequence[str] | None:
    """The names that a feature has for numbers of classes, wherever in it the key stands."""
    for _ in range(4):  # lists of mappings of lists: nothing nests deeper here
        if isinstance(feature, Mapping):
            feature = feature.get(key)
        elif isinstance(feature, list):
            feature = feature[0]
        else:
            feature = getattr(feature, "feature", feature)
    return getattr(feature, "names", None)


def _clips_of(table: Any, rows: EventRows) -> list[str] | None:
    """The clip of each row: its name, or that of its sound; None, reported, if there is neither."""
    for name in (name for name in _CLIP_COLUMNS if name in table.column_names):
        column = table.column(name)
        if str(column.type).startswith("struct"):  # a sound: its bytes stay where they are
            column = column.combine_chunks().field("path")
        paths = [str(path or "") for path in column.to_pylist()]
        if all(paths):
            return [os.path.basename(path) for path in paths] if name in ("audio", "path") else paths
    rows.report("wrong-columns", "no column names the clips of the rows", help=_DATASET_FORM)
    return None


# How long clips are by their sound files: the header's samples over its rate, exact (rule 13.30).


@dataclass(frozen=True, slots=True)
class AudioFolder:
    """A folder of sound files, whose headers say how long the clips are (rule 13.30).

    Attributes:
        path: the folder; files in its subfolders count as well.

    Examples:
        >>> import tempfile
        >>> import wave
        >>> import tracepact
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with wave.open(f"{folder}/clip.wav", "wb") as sound:
        ...         sound.setparams((1, 2, 8000, 0, "NONE", ""))
        ...         sound.writeframes(bytes(2 * 20000))
        ...     run = tracepact.score("boundary_gate", [(1, 2)], [(1, 2)], durations=tracepact.AudioFolder(folder))
        >>> run.durations.clips
        {'clip': Fraction(5, 2)}
    """

    path: str


def audio_durations(folder: AudioFolder, clips: Collection[str], diagnostics: Diagnostics) -> Durations:
    """How long these clips are; a clip without a file, or with two, is reported."""
    lengths: dict[str, Fraction] = {}
    for clip, fits in _files(folder, clips, diagnostics).items():
        if len(fits) == 1:
            length = _length(os.path.join(folder.path, fits[0]), diagnostics)
            if length is not None:
                lengths[clip] = length
        elif fits:
            headline = f"`{shown(clip)}` has {len(fits)} sound files: {quoted([shown(name) for name in fits[:3]])}"
            help = "name the clip by its path in the folder, or give a durations table"
            diagnostics.add("ambiguous-clip", headline, RowPlace(folder.path), help)
        else:
            headline = f"`{shown(clip)}` has no sound file in `{shown(folder.path)}`"
            diagnostics.add("unknown-duration", headline, RowPlace(folder.path), "give a durations table")
    return Durations(folder.path, lengths)


def audio_files(folder: AudioFolder, clips: Collection[str], diagnostics: Diagnostics) -> dict[str, Path]:
    """The sound file of each clip that has exactly one; a folder without any is reported."""
    files = _files(folder, clips, diagnostics)
    return {clip: Path(folder.path, fits[0]) for clip, fits in files.items() if len(fits) == 1}


def _files(folder: AudioFolder, clips: Collection[str], diagnostics: Diagnostics) -> dict[str, Sequence[str]]:
    """The files that each clip may mean, by their paths in the folder; without any sound file no clip is there."""
    sounds = _listed(folder.path)
    if not sounds:
        headline = f"`{shown(folder.path)}` is not a folder with sound files"
        diagnostics.add("unreadable-file", headline, RowPlace(folder.path), f"known endings: {' '.join(SOUND_ENDINGS)}")
        return {}
    by_name = [_grouped(sounds, key) for key in _KEYS]

    # The fullest agreement comes first: the path as it is, then less of it, at last without the clip's own extension.
    def fits(clip: str) -> Sequence[str]:
        tries = (*((group, clip) for group in by_name), *((group, splitext(clip)[0]) for group in by_name[1::2]))
        return next((some for group, name in tries if (some := group.get(name))), [])

    return {clip: fits(clip) for clip in clips}


_KEYS = (
    lambda path: path,
    lambda path: splitext(path)[0],
    basename,
    lambda path: splitext(basename(path))[0],
)


def _grouped(paths: Iterable[str], key: Any) -> Mapping[str, Sequence[str]]:
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(key(path), []).append(path)
    return groups


def _listed(folder: str) -> list[str]:
    """The sound files below a folder, by their paths in it."""
    return sorted(
        Path(parent, name).relative_to(folder).as_posix()
        for parent, _, names in os.walk(folder)
        for name in names
        if name.lower().endswith(SOUND_ENDINGS) and not name.startswith(".")
    )


def _length(path: str, diagnostics: Diagnostics) -> Fraction | None:
    """The length of one file, or None with why there is none."""
    place = RowPlace(path)
    try:
        frames, rate = _header(path)
    except ModuleNotFoundError:
        headline = f"`{shown(path)}` is not a plain WAV file, and the package that reads others is not installed"
        diagnostics.add("missing-extra", headline, place, "pip install 'tracepact[audio]'")
        return None
    # A damaged header raises whatever the two readers happen to stumble on.
    except (OSError, EOFError, wave.Error, RuntimeError, ValueError) as error:
        words = shown(" ".join(str(error).split()), 80) or "it is cut off"
        diagnostics.add("unreadable-file", f"the header of `{shown(path)}` cannot be read: {words}", place)
        return None
    if frames <= 0 or rate <= 0:
        diagnostics.add("bad-time", f"`{shown(path)}` has no samples", place, "a clip has some length")
        return None
    return Fraction(frames, rate)


def _header(path: str) -> tuple[int, int]:
    """Samples and rate of a file, by the standard library where it can, else by the extra."""
    if path.lower().endswith(".wav"):
        try:
            with wave.open(path, "rb") as file:
                # A recorder that was cut off leaves a header that speaks of more than there is.
                frames, size = file.getnframes(), file.getnchannels() * file.getsampwidth()
                if frames * size > os.path.getsize(path):
                    raise ValueError("it speaks of more samples than the file holds")
                return frames, file.getframerate()
        except wave.Error:
            pass  # a WAV file of a kind the standard library does not know
    import soundfile

    about = soundfile.info(path)
    return int(about.frames), int(about.samplerate)
