"""Reads tables by a column map: one that is given, or that of a format whose header is known (rules 13.17, 13.18)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tracepact.diagnostics import RowPlace, did_you_mean
from tracepact.io.audacity import UNLABELLED
from tracepact.io.columns import ROLES, Columns, like_a_label
from tracepact.io.delimited import ALL_SEPARATORS, header_of, read_rows
from tracepact.io.rows import EventRows
from tracepact.io.source import TextFile, shown

PAM, BIRDNET, CROWSETTA, AUDIOSET = "pam", "birdnet", "crowsetta", "audioset"
_ENDING = re.compile(r"\.BirdNET\.(?:results|selection\.table|selections?)(?:\.[rk])?$", re.IGNORECASE)
_NO_CALL = "nocall"


@dataclass(frozen=True, slots=True)
class Layout:
    """A table whose header is known: its columns, the parts it may lack, and whether its clips are paths."""

    format: str
    columns: Columns
    optional: tuple[str, ...] = ()
    paths: bool = False


LAYOUTS = (
    Layout(PAM, Columns("timestamp", clip="filename", label="label"), ("label",)),
    Layout(PAM, Columns("start", clip="filename", offset="end", label="label"), ("label",)),
    Layout(
        BIRDNET,
        Columns("Start (s)", clip="File", offset="End (s)", label="Common name", confidence="Confidence"),
        ("clip",),
        paths=True,
    ),
    Layout(
        BIRDNET,
        Columns("start", clip="filepath", offset="end", label="common_name", confidence="confidence"),
        paths=True,
    ),
    Layout(
        BIRDNET,
        Columns("OFFSET", clip="IN FILE", duration="DURATION", label="common_name", confidence="confidence"),
        ("confidence",),
        paths=True,
    ),
    Layout(
        CROWSETTA,
        Columns("onset_s", clip="notated_path", offset="offset_s", label="label"),
        ("clip",),
        paths=True,
    ),
    Layout(
        AUDIOSET,
        Columns("start_time_seconds", clip="segment_id", offset="end_time_seconds", label="label"),
    ),
)


def find_layout(names: Sequence[str]) -> Layout | None:
    """The known header that these names are, with the columns as they are written here; None if there is none."""
    cased = {name.lower(): name for name in reversed(names)}
    for layout in LAYOUTS:
        roles = layout.columns.roles
        own: dict[str, str | None] = {role: cased.get(column.lower()) for role, column in roles.items()}
        missing = [role for role, column in own.items() if column is None]
        if any(role not in layout.optional for role in missing):
            continue
        if "label" in missing and like_a_label(set(names) - set(own.values())):
            continue  # another column holds the labels: nobody may lose them
        onset = own.pop("onset") or ""
        return replace(layout, columns=Columns(onset, **own, rate=None))
    return None


def add_layout(file: TextFile, clip: str, rows: EventRows, label_column: str | None = None) -> None:
    """The events of a table whose header is known; another column of labels may be named."""
    names = header_of(file, ())
    layout = find_layout(names)
    if layout is None:
        list(read_rows(file, ("filename", "start", "end", "label"), rows.diagnostics, events=True))  # says why
        return
    columns = layout.columns
    if label_column is not None and label_column not in names:
        headline, help = f"there is no column `{shown(label_column)}`", did_you_mean(label_column, names)
        rows.diagnostics.add("wrong-columns", headline, RowPlace(file.name, 1), help)
        return
    if label_column is not None:
        columns = replace(columns, label=label_column)
    add_mapped(file, _ENDING.sub("", clip) or clip, rows, columns, paths=layout.paths)


def fits(columns: Columns, file: TextFile) -> bool:
    """Whether a table has all columns of a map."""
    named = tuple(columns.roles.values())
    names = header_of(file, named)
    if all(map(str.isdecimal, named)):
        return len(names) >= max(map(int, named), default=0)
    return set(named) <= set(names)


def add_mapped(file: TextFile, clip: str, rows: EventRows, columns: Columns, *, paths: bool = False) -> None:
    """The events of a table by a column map; `clip` is that of all rows where no column names it."""
    roles = columns.roles
    named = tuple(dict.fromkeys(roles.values()))
    found = read_rows(file, named, rows.diagnostics, separators=ALL_SEPARATORS, clip=roles.get("clip"))
    places = [named.index(column) for column in roles.values()]
    add_fields(((number, [fields[place] for place in places]) for number, fields in found), clip, rows, columns, paths)


def add_fields(
    fields: Iterable[tuple[int, Sequence[str]]], clip: str, rows: EventRows, columns: Columns, paths: bool = False
) -> None:
    """Events from the fields of the parts that have a column, row by row."""
    roles = tuple(columns.roles)
    base = dict.fromkeys(ROLES, "") | columns.shared
    own_clip = "clip" in roles or "clip" in columns.shared
    unlabelled = columns.label is None
    whole_paths: dict[str, str] = {}
    said = False
    if not own_clip:
        rows.clips.setdefault(clip, [])
    for number, texts in fields:
        row = base | dict(zip(roles, texts, strict=True))
        name = row["clip"] if own_clip else clip
        if paths and own_clip:
            name = _last_name(name, number, whole_paths, rows)
        times = row["onset"] or row["offset"] or row["duration"]
        label = row["label"]
        if not times and ("label" not in roles or not label):
            rows.add(number, name, "", "", "")
            continue
        if paths and label.lower() == _NO_CALL:
            rows.clips.setdefault(name, [])
            continue
        if unlabelled:
            label = UNLABELLED
            said = said or _say_unlabelled(number, rows)
        if columns.duration is not None and name and row["onset"] and row["duration"] and label:
            rows.add_span(number, name, row["onset"], row["duration"], label, "", row["confidence"])
        else:
            offset = row["duration"] if columns.duration is not None else row["offset"]
            end = row["onset"] if columns.offset is None and columns.duration is None else offset
            rows.add(number, name, row["onset"], end, label, "", row["confidence"])


def _last_name(path: str, number: int, known: dict[str, str], rows: EventRows) -> str:
    """The last name of a path; two paths of one name are an error."""
    name = re.split(r"[\\/]", path)[-1]
    first = known.setdefault(name, path)
    if first != path:
        headline = f"`{shown(path)}` and `{shown(first)}` would be one clip, `{shown(name)}`"
        rows.diagnostics.add("ambiguous-clip", headline, RowPlace(rows.name, number), "read them apart")
        known[name] = path
    return name


def _say_unlabelled(number: int, rows: EventRows) -> bool:
    rows.diagnostics.add(
        "unlabelled-event",
        f"the table has no column of labels; its events are of class `{UNLABELLED}`",
        RowPlace(rows.name, number),
        "name the column, or one label for all rows: --columns …,label==up",
    )
    return True
