"""Reads whombat's annotation files: recordings, sound events and the tags that label them (rule 13.23)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tracepact.diagnostics import RowPlace, did_you_mean
from tracepact.io.audacity import UNLABELLED
from tracepact.io.json_text import Number, Object, is_text, kind, parse_json
from tracepact.io.rows import EventRows, uncovered
from tracepact.io.source import TextFile, shown

AOEF = "aoef"
_FORM = (
    'expected an AOEF document: `{"data": {"recordings": […], "sound_events": […], "sound_event_annotations": […]}}`'
)
_EDGES = {"TimeInterval": (0, 1), "BoundingBox": (0, 2)}


def add_aoef(file: TextFile, clip: str, rows: EventRows, label_key: str | None = None) -> None:
    """The sound events of all recordings; each recording is a clip, called by its path."""
    root = parse_json(file, rows.diagnostics, _FORM)
    if root is not None:
        data = root.get("data", root)
        if isinstance(data, Object):
            _Reader(data, rows, label_key).read()
        else:
            rows.diagnostics.add("bad-json", f"`data` is {kind(data)}", RowPlace(rows.name), _FORM)


@dataclass(slots=True)
class _Reader:
    """One document: what its lists hold by the names their items have."""

    data: Object
    rows: EventRows
    label_key: str | None

    def fault(self, at: str, what: str, help: str | None = _FORM) -> None:
        """Report what is wrong at a path."""
        self.rows.diagnostics.add("bad-json", f"`{at}` {what}", RowPlace(self.rows.name), help)

    def items(self, name: str) -> Iterator[tuple[str, Object]]:
        """The objects of a list with their paths; a list that is absent has none."""
        value = self.data.get(name)
        if value is not None and not isinstance(value, list):
            self.fault(name, f"is {kind(value)}", "expected a list")
            return
        for index, item in enumerate(value or ()):
            if isinstance(item, Object):
                yield f"{name}[{index}]", item
            else:
                self.fault(f"{name}[{index}]", f"is {kind(item)}", "expected an object")

    def read(self) -> None:
        """Every recording, then every annotation and prediction."""
        if "recordings" not in self.data:
            self.fault("recordings", "is missing")
        paths = self.recordings()
        tags = {str(tag.get("id")): (str(tag.get("key")), str(tag.get("value"))) for _, tag in self.items("tags")}
        events = {str(item.get("uuid")): (at, item) for at, item in self.items("sound_events")}
        if self.label_key is not None and self.label_key not in (keys := {key for key, _ in tags.values()}):
            headline = f"there is no tag with the key `{shown(self.label_key)}`"
            place = RowPlace(self.rows.name)
            self.rows.diagnostics.add("wrong-columns", headline, place, did_you_mean(self.label_key, keys))
            return
        for name in ("sound_event_annotations", "sound_event_predictions"):
            for at, item in self.items(name):
                self.add(at, item, events, paths, tags)

    def recordings(self) -> dict[str, str]:
        """The path of each recording; what lies outside its annotated clips is not to be judged."""
        paths: dict[str, str] = {}
        spans: dict[str, list[tuple[Fraction, Fraction]]] = {}
        for at, item in self.items("clips"):
            ends = [self.time(f"{at}.{key}", item.get(key)) for key in ("start_time", "end_time")]
            if ends[0] is not None and ends[1] is not None:
                spans.setdefault(str(item.get("recording")), []).append((ends[0], ends[1]))
        for at, item in self.items("recordings"):
            path = item.get("path")
            if not is_text(path) or not path.strip():
                self.fault(f"{at}.path", f"is {kind(path)}", "expected the path of the recording")
                continue
            name = str(item.get("uuid"))
            paths[name] = path.strip()
            self.rows.clips.setdefault(path.strip(), [])
            length = self.time(f"{at}.duration", item.get("duration")) if "duration" in item else None
            if length:
                self.rows.lengths[path.strip()] = length
                for start, end in uncovered(spans[name], length) if name in spans else ():
                    self.rows.ignore(None, path.strip(), start, end)
        return paths

    def time(self, at: str, value: Any) -> Fraction | None:
        """A time in the document, or None with what is wrong with it."""
        if isinstance(value, Number):
            return self.rows.time(f"`{at}`:", value, None)
        self.fault(at, f"is {kind(value)}", "expected a number of seconds")
        return None

    def add(
        self,
        at: str,
        item: Object,
        events: Mapping[str, tuple[str, Object]],
        paths: Mapping[str, str],
        tags: Mapping[str, tuple[str, str]],
    ) -> None:
        """One annotation or prediction."""
        where, event = events.get(str(item.get("sound_event")), ("", None))
        if event is None or (path := paths.get(str(event.get("recording")))) is None:
            self.fault(f"{at}.sound_event" if event is None else f"{where}.recording", "is not in the document")
            return
        geometry = event.get("geometry")
        found = list(_times(geometry)) if isinstance(geometry, Object) else []
        times = [self.time(f"{where}.geometry", value) for value in found]
        known = [time for time in times if time is not None]
        if not found:
            self.fault(f"{where}.geometry", f"is {kind(geometry)}", "expected a geometry with times")
        label = self.label(at, item.get("tags"), tags)
        if label is None or not known or len(known) < len(times):
            return
        score = item.get("score")
        confidence = score if isinstance(score, Number) else ""
        first, last = min(found, key=lambda t: self.rows.times[t]), max(found, key=lambda t: self.rows.times[t])
        self.rows.add(None, path, first, last, label, f"`{at}`: ", confidence)

    def label(self, at: str, given: Any, tags: Mapping[str, tuple[str, str]]) -> str | None:
        """The value of the one tag, or of the one whose key is named; None with what is wrong."""
        names = [entry[0] if isinstance(entry, list) and entry else entry for entry in given or ()]
        found = [tags.get(str(name)) for name in names] if isinstance(given, list | None) else [None]
        place = RowPlace(self.rows.name)
        if None in found:
            self.fault(f"{at}.tags", "names a tag that is not in the document")
            return None
        pairs = [pair for pair in found if pair is not None and self.label_key in (None, pair[0])]
        if len(pairs) > 1:
            headline = f"`{at}` has several tags: {', '.join(f'`{shown(key)}`' for key, _ in pairs)}"
            help = "name the key of those that are labels: --label-column species"
            self.rows.diagnostics.add("unnamed-label-column", headline, place, help)
            return None
        label = pairs[0][1].strip() if pairs else ""
        if not label:
            headline = f"`{at}` has no tag; the event is of class `{UNLABELLED}`"
            self.rows.diagnostics.add("unlabelled-event", headline, place)
        return label or UNLABELLED


def _times(geometry: Object) -> Iterator[Any]:
    """The times of a geometry: of a point of time and frequency the first number."""
    shape, coordinates = geometry.get("type"), geometry.get("coordinates")
    if shape in _EDGES and isinstance(coordinates, list) and len(coordinates) > _EDGES[shape][1]:
        yield from (coordinates[place] for place in _EDGES[shape])
    elif shape not in _EDGES:
        yield from _firsts(coordinates)


def _firsts(value: Any) -> Iterator[Any]:
    """The first number of each innermost list."""
    if not isinstance(value, list):
        yield value
    elif any(isinstance(item, list) for item in value):
        for item in value:
            yield from _firsts(item)
    elif value:
        yield value[0]
