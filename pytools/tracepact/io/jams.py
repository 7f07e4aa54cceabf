"""Reads JAMS files: the observations of their annotations, with times as they are written (rule 13.23)."""

from collections.abc import Iterator, Sequence
from typing import Any

from tracepact.diagnostics import RowPlace, did_you_mean
from tracepact.io.json_text import Number, Object, is_text, kind, parse_json
from tracepact.io.rows import EventRows
from tracepact.io.source import TextFile, shown
from tracepact.wording import count

JAMS = "jams"
_FORM = 'expected a JAMS document: `{"file_metadata": …, "annotations": [{"namespace": …, "data": [ … ]}, …]}`'
_PARTS = ("time", "duration", "value", "confidence")


def add_jams(file: TextFile, clip: str, rows: EventRows, namespaces: Sequence[str] = ()) -> None:
    """The observations of all annotations, or of those of the namespaces that are named."""
    rows.clips.setdefault(clip, [])
    root = parse_json(file, rows.diagnostics, _FORM)
    if root is None:
        return
    annotations = root.get("annotations")
    if not isinstance(annotations, list):
        rows.diagnostics.add("bad-json", f"`annotations` is {kind(annotations)}", RowPlace(rows.name), _FORM)
        return
    _add_length(root.get("file_metadata"), clip, rows)
    known = [str(item.get("namespace", "")) for item in annotations if isinstance(item, Object)]
    for name in namespaces:
        if name not in known:
            headline = f"there is no annotation of the namespace `{shown(name)}`"
            rows.diagnostics.add("unknown-tier", headline, RowPlace(rows.name), did_you_mean(name, known))
    beds = 0
    for at, item in enumerate(annotations):
        if not isinstance(item, Object):
            _fault(rows, f"annotations[{at}]", f"is {kind(item)}")
        elif not namespaces or item.get("namespace") in namespaces:
            for where, observation in _observations(item.get("data"), f"annotations[{at}].data", rows):
                beds += _add(observation, where, clip, rows)
    if beds:
        headline = (
            f"{count(beds, 'observation')} of the role `background` left out: the bed of a made scene is not an event"
        )
        rows.diagnostics.add("background-left-out", headline, RowPlace(rows.name))


def _add_length(metadata: Any, clip: str, rows: EventRows) -> None:
    duration = metadata.get("duration") if isinstance(metadata, Object) else None
    if isinstance(duration, Number):
        length = rows.time("`file_metadata.duration`:", duration, None)
        if length:
            rows.lengths[clip] = length


def _observations(data: Any, at: str, rows: EventRows) -> Iterator[tuple[str, Any]]:
    """Each observation with its path; the data is a list of them, or an object of one list for each part."""
    if isinstance(data, list):
        yield from ((f"{at}[{index}]", item) for index, item in enumerate(data))
        return
    columns = [data.get(part) for part in _PARTS] if isinstance(data, Object) else []
    times = columns[0] if columns else None
    if not isinstance(times, list) or any(not isinstance(c, list) or len(c) != len(times) for c in columns):
        _fault(rows, at, f"is {kind(data)}", "expected a list of observations")
        return
    for index, values in enumerate(zip(*columns, strict=True)):
        yield f"{at}[{index}]", Object(list(zip(_PARTS, values, strict=True)))


def _add(observation: Any, where: str, clip: str, rows: EventRows) -> bool:
    """One observation; whether it is the bed of a scene."""
    if not isinstance(observation, Object):
        _fault(rows, where, f"is {kind(observation)}", "expected an observation")
        return False
    value = observation.get("value")
    if isinstance(value, Object):
        if value.get("role") == "background":
            return True
        value = value.get("label")
    label = value.strip() if is_text(value) or isinstance(value, Number) else ""
    time, duration, confidence = (observation.get(part) for part in ("time", "duration", "confidence"))
    if not label:
        _fault(rows, f"{where}.value", f"is {kind(value)}", "expected a label")
    elif not isinstance(time, Number) or not isinstance(duration, Number | None):
        part, wrong = ("time", time) if not isinstance(time, Number) else ("duration", duration)
        _fault(rows, f"{where}.{part}", f"is {kind(wrong)}", "expected a number of seconds")
    else:
        known = confidence if isinstance(confidence, Number) else ""
        rows.add_span(None, clip, time, duration or "0", label, f"`{where}`: ", known)
    return False


def _fault(rows: EventRows, at: str, what: str, help: str = _FORM) -> None:
    rows.diagnostics.add("bad-json", f"`{at}` {what}", RowPlace(rows.name), help)
