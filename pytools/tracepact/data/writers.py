"""Writes events and score fields, so that reading gives the same."""

import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from io import BytesIO
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.data.events import Event, EventTable, Lengths, Regions, ScoreField, frame_edges, length_of
from tracepact.data.fields import CLASSES, STEP
from tracepact.data.formats import AUDACITY, TABLE, TEXTGRID
from tracepact.data.score_files import CLIP, EDGES
from tracepact.data.sources import EVENT_COLUMNS, shown
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace
from tracepact.files import table_text
from tracepact.wording import print_number

# Writes events: a table, Audacity label tracks or TextGrids, so that reading gives the same events (rule 13.13).

_ENDINGS = {AUDACITY: ".txt", TEXTGRID: ".TextGrid"}
WRITABLE = (TABLE, *_ENDINGS)
"""The formats that can be written; all but the table are folders of one file a clip."""


def written_format(table: EventTable) -> str:
    """The format to write a table in: its own where that can be written, else a table."""
    return table.origin.format if table.origin and table.origin.format in WRITABLE else TABLE


def written(table: EventTable, format: str, durations: Lengths, diagnostics: Diagnostics) -> dict[str, str]:
    """The text of each file by its path in the folder; a table has the one path that is empty."""
    if format in _ENDINGS:
        return clip_texts(table, format, durations, diagnostics)
    return {"": events_text(table, diagnostics)}


def events_text(table: EventTable, diagnostics: Diagnostics) -> str:
    """The events as a table, tab separated; a silent clip is a row with its name alone.

    A column of confidences follows if an event has one.
    """
    _check(table, diagnostics)
    if any(event.confidence is not None for _, event in table.events):
        rows = ((*row, _sure(event)) for row, event in _rows(table))
        return table_text((*EVENT_COLUMNS, "confidence"), rows)
    return table_text(EVENT_COLUMNS, (row for row, _ in _rows(table)))


def _rows(table: EventTable) -> Iterator[tuple[tuple[str, ...], Event | None]]:
    for clip, events in table.clips.items():
        for event in events:
            yield (clip, print_number(event.onset), print_number(event.offset), event.label), event
        if not events:
            yield (clip, "", "", ""), None


def _sure(event: Event | None) -> str:
    return "" if event is None or event.confidence is None else print_number(event.confidence)


def regions_text(table: EventTable, diagnostics: Diagnostics) -> str | None:
    """The ignore regions that the files of a table hold, as a table that gives them again; None if there are none."""
    regions = table.origin.regions if table.origin else {}
    if not any(regions.values()):
        return None
    _check(Regions(table.name, regions), diagnostics, labels=False)
    return table_text(
        EVENT_COLUMNS,
        (
            (clip, print_number(e.onset), print_number(e.offset), e.label)
            for clip, some in regions.items()
            for e in some
        ),
    )


def clip_texts(table: EventTable, format: str, durations: Lengths, diagnostics: Diagnostics) -> dict[str, str]:
    """The text of each clip's file by its path in the folder.

    A TextGrid ends with its clip, or without a duration with its last event; a silent one then lasts one second.
    """
    _check(table, diagnostics, signs="\t\n\r" if format == AUDACITY else "")
    texts = {}
    for clip, events in table.clips.items():
        parts = PurePosixPath(clip).parts
        # A clip's name becomes a path below the folder; none may leave it, or hide in it.
        if "/".join(parts) != clip or any(part == ".." or part.startswith((".", "/")) for part in parts):
            headline = f"`{shown(clip)}` is not a name for a file"
            diagnostics.add("unwritable-value", headline, table.place(clip, None), "write a table instead")
            continue
        if format == AUDACITY:
            rows = (f"{print_number(e.onset)}\t{print_number(e.offset)}\t{e.label}\n" for e in events)
            texts[clip + _ENDINGS[format]] = "".join(rows)
        else:
            texts[clip + _ENDINGS[format]] = _textgrid(clip, length_of(durations, clip), table, diagnostics)
    return texts


def check_place(out: Path, inputs: Sequence[Path], diagnostics: Diagnostics, *, folder: bool) -> None:
    """Refuse to write onto an input, or into a folder that holds something."""
    place = out.resolve()
    for source in inputs:
        read, what = source.resolve(), f"the input `{shown(str(source))}`"
        if place == read or (folder and read.is_relative_to(place)):
            headline = f"`{shown(str(out))}` holds {what}, which is never written over"
        elif place.is_relative_to(read) and read.is_dir():
            headline = f"`{shown(str(out))}` lies in {what}, which is never changed"
        else:
            continue
        diagnostics.add("unsafe-place", headline, help="name another place")
        return
    if folder and (place.is_file() or (place.is_dir() and any(place.iterdir()))):
        diagnostics.add("unsafe-place", f"`{shown(str(out))}` is there and not empty", help="name a new folder")
    elif not folder and place.is_dir():
        diagnostics.add("unsafe-place", f"`{shown(str(out))}` is a folder", help="name a file")


def _textgrid(clip: str, length: Fraction | None, table: EventTable, diagnostics: Diagnostics) -> str:
    """The long text of a TextGrid: a tier for each label, points apart; overlapping events of a label in more tiers."""
    for event in table.clips[clip]:
        if event.offset < event.onset:
            headline = f"the event at {print_number(event.onset)} s in `{shown(clip)}` ends before it starts"
            diagnostics.add("unwritable-value", headline, table.place(clip, event.row))
    sound = [event for event in table.clips[clip] if event.offset >= event.onset]
    end = max([event.offset for event in sound] + ([length] if length else []), default=Fraction(1)) or Fraction(1)
    tiers = list(_tiers(sound)) or [("events", [])]
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0", f"xmax = {print_number(end)}"]
    lines += ["tiers? <exists>", f"size = {len(tiers)}", "item []:"]
    for number, (name, entries) in enumerate(tiers, start=1):
        points = bool(entries) and entries[0].onset == entries[0].offset
        lines += [f"    item [{number}]:", f'        class = "{"TextTier" if points else "IntervalTier"}"']
        lines += [f"        name = {_quoted(name)}", "        xmin = 0", f"        xmax = {print_number(end)}"]
        lines += _points(entries) if points else _intervals(entries, end)
    return "\n".join(lines) + "\n"


def _tiers(events: Sequence[Event]) -> Iterator[tuple[str, list[Event]]]:
    """The events of each tier in order, under a name of its own."""
    layers: dict[tuple[str, bool], list[list[Event]]] = {}
    # A tier holds no overlaps. By onset, each event goes into the first tier that is free: the fewest tiers there can
    # be (interval partitioning, Kleinberg and Tardos, section 4.1).
    for event in sorted(events, key=lambda e: (e.onset, e.offset)):
        point = event.onset == event.offset
        tiers = layers.setdefault((event.label, point), [])
        for layer in tiers:
            last = layer[-1].offset
            if last < event.onset or (last == event.onset and not point):
                layer.append(event)
                break
        else:
            tiers.append([event])
    used: set[str] = set()
    for (label, point), tiers in layers.items():
        for layer in tiers:
            name = base = f"{label} points" if point else label
            number = 2
            while name in used:
                name, number = f"{base} {number}", number + 1
            used.add(name)
            yield name, layer


def _intervals(entries: Sequence[Event], end: Fraction) -> list[str]:
    """The intervals of a tier, those without text between them included."""
    spans: list[tuple[Fraction, Fraction, str]] = []
    reached = Fraction(0)
    for event in entries:
        if reached < event.onset:
            spans.append((reached, event.onset, ""))
        spans.append((event.onset, event.offset, event.label))
        reached = event.offset
    if reached < end:
        spans.append((reached, end, ""))
    lines = [f"        intervals: size = {len(spans)}"]
    for number, (start, stop, text) in enumerate(spans, start=1):
        lines += [f"        intervals [{number}]:", f"            xmin = {print_number(start)}"]
        lines += [f"            xmax = {print_number(stop)}", f"            text = {_quoted(text)}"]
    return lines


def _points(entries: Sequence[Event]) -> list[str]:
    lines = [f"        points: size = {len(entries)}"]
    for number, event in enumerate(entries, start=1):
        lines += [f"        points [{number}]:", f"            number = {print_number(event.onset)}"]
        lines.append(f"            mark = {_quoted(event.label)}")
    return lines


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _check(table: EventTable, diagnostics: Diagnostics, *, signs: str = "", labels: bool = True) -> None:
    """Report every name, label and time that would not be read again as it is; `signs` may not stand in labels.

    Without `labels` a label may be empty.
    """
    for clip, events in table.clips.items():
        if fault := _event_fault(clip, ""):
            headline = f"the clip's name `{shown(clip)}` {fault}"
            diagnostics.add("unwritable-value", headline, table.place(clip, None), "rename the clip")
        for event in events:
            place = table.place(clip, event.row)
            if (labels or event.label) and (fault := _event_fault(event.label, signs)):
                headline = f"the label `{shown(event.label)}` {fault}"
                diagnostics.add("unwritable-value", headline, place, "rename it with a label map")
            for time in (event.onset, event.offset):
                if "/" in print_number(time):
                    headline = f"the time {time} s in `{shown(clip)}` has no finite decimal"
                    diagnostics.add("unwritable-value", headline, place, "only a JSON document can hold it")


def _event_fault(text: str, signs: str) -> str | None:
    if not text or text != text.strip():
        return "is empty, or starts or ends with white space"
    if any(sign in text for sign in signs):
        return "holds a tab or a line break"
    if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
        return "holds signs that no text file can hold"
    return None


# Writes score fields: score files, an `.npz` or a Parquet file, so that reading gives the same field (rule 13.34).

SCORE_FILES, NPZ, PARQUET = "scores", "npz", "parquet"
FIELD_FORMATS = (SCORE_FILES, NPZ, PARQUET)
"""The formats of scores that can be written; the first is a folder of one file a clip."""
_EPOCH = (1980, 1, 1, 0, 0, 0)


def written_field(field: ScoreField, format: str, diagnostics: Diagnostics) -> dict[str, bytes]:
    """The bytes of each file by its path in the folder; a single file has the one path that is empty (rule 13.34)."""
    for label in field.classes:
        if label != label.strip() or any(sign in label for sign in "\t\n\r\0") or label in (CLIP, *EDGES):
            _field_fault(field, f"the class `{shown(label)}` is no name for a column", "rename the class", diagnostics)
    return _FIELD_WRITERS[format](field, diagnostics)


def _field_fault(field: ScoreField, headline: str, help: str, diagnostics: Diagnostics) -> None:
    diagnostics.add("unwritable-value", headline, RowPlace(field.name), help)


def _edges(field: ScoreField, clip: str, diagnostics: Diagnostics) -> list[str]:
    """The edges of a clip as decimals."""
    texts = [print_number(edge) for edge in field.clips[clip].edges]
    if any("/" in text for text in texts):
        headline = f"a time of `{shown(clip)}` has no finite decimal"
        _field_fault(field, headline, "only an .npz file with a step can hold it", diagnostics)
    return texts


def _score_files(field: ScoreField, diagnostics: Diagnostics) -> dict[str, bytes]:
    texts = [field.levels.text(rank) for rank in range(len(field.levels))]
    files = {}
    for clip, scores in field.clips.items():
        parts = PurePosixPath(clip).parts
        if not parts or "/".join(parts) != clip or any(part.startswith((".", "/")) for part in parts):
            _field_fault(field, f"`{shown(clip)}` is not a name for a file", "write an .npz file instead", diagnostics)
        edges = _edges(field, clip, diagnostics)
        frames = zip(pairwise(edges), scores.ranks.tolist(), strict=True)
        rows = ((*ends, *map(texts.__getitem__, ranks)) for ends, ranks in frames)
        files[f"{clip}.tsv"] = table_text((*EDGES, *field.classes), rows).encode()
    return files


def _floats(field: ScoreField, diagnostics: Diagnostics) -> NDArray[np.float64]:
    """The scores as floats, where each float stands for its score."""
    for rank in list(field.levels.texts)[:1]:
        headline = f"the score {shown(field.levels.text(rank))} has more digits than a float"
        _field_fault(field, headline, "write score files: --to scores", diagnostics)
    return field.levels.floats


def _npz(field: ScoreField, diagnostics: Diagnostics) -> dict[str, bytes]:
    floats = _floats(field, diagnostics)
    steps = {own.edges[1] - own.edges[0] for own in field.clips.values()}
    step = min(steps, default=Fraction(1))
    arrays: dict[str, NDArray[Any]] = {CLASSES: np.array(field.classes), STEP: np.array(print_number(step))}
    for clip, own in field.clips.items():
        if own.edges != frame_edges(len(own.ranks), step):
            headline = f"the frames of `{shown(clip)}` do not all have the length {print_number(step)} s, from 0 on"
            _field_fault(field, headline, "write score files or Parquet: --to scores, --to parquet", diagnostics)
        if clip in (CLASSES, STEP):
            headline = f"a clip `{clip}` cannot be told from what an .npz file says"
            _field_fault(field, headline, "rename the clip", diagnostics)
        scores = floats[own.ranks]
        arrays.setdefault(clip, scores.astype(np.bool_) if field.is_mask else scores)
    held = BytesIO()
    # Not `np.savez`: it writes the time of day into the archive, and the same field must give the same bytes.
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        for name, array in arrays.items():
            part = BytesIO()
            np.lib.format.write_array(part, array, allow_pickle=False)
            file.writestr(zipfile.ZipInfo(f"{name}.npy", _EPOCH), part.getvalue(), zipfile.ZIP_DEFLATED)
    return {"": held.getvalue()}


def _parquet(field: ScoreField, diagnostics: Diagnostics) -> dict[str, bytes]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        help = "pip install 'tracepact[parquet]'"
        diagnostics.add("missing-extra", "Parquet needs the package `pyarrow`, which is not installed", help=help)
        return {}
    floats = _floats(field, diagnostics)
    times: dict[str, list[str]] = {edge: [] for edge in EDGES}
    clips: list[str] = []
    for clip, own in field.clips.items():
        edges = _edges(field, clip, diagnostics)
        clips += [clip] * len(own.ranks)
        times["onset"] += edges[:-1]
        times["offset"] += edges[1:]
    ranks = np.concatenate([own.ranks for own in field.clips.values()])
    columns: dict[str, Any] = {CLIP: pyarrow.array(clips, pyarrow.string()).dictionary_encode()}
    columns |= {edge: _times(texts) for edge, texts in times.items()}
    columns |= {label: floats[ranks[:, place]] for place, label in enumerate(field.classes)}
    held = BytesIO()
    parquet.write_table(pyarrow.table(columns), held)
    return {"": held.getvalue()}


def _times(texts: Sequence[str]) -> Any:
    """Decimals as floats where each is the shortest one of its float, else as they are."""
    floats = [0.0 if "/" in text else float(text) for text in texts]
    # Floats where they lose nothing, for that is what other programs expect in a Parquet file.
    exact = all(Fraction(repr(value)) == Fraction(text) for value, text in set(zip(floats, texts, strict=True)))
    return np.array(floats) if exact else list(texts)


_FIELD_WRITERS: Mapping[str, Callable[[ScoreField, Diagnostics], dict[str, bytes]]] = {
    SCORE_FILES: _score_files,
    NPZ: _npz,
    PARQUET: _parquet,
}
