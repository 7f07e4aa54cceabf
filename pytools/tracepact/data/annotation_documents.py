"""The documents of annotation tools: JAMS, whombat, Label Studio, VIA; and rows of speech tools separated by spaces."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tracepact.data.documents import Object, WrittenNumber, is_text, kind, listed, parse_json
from tracepact.data.event_rows import UNLABELLED, EventRows, table_rows, uncovered
from tracepact.data.events import Event, Regions, TableOrigin
from tracepact.data.sources import TextFile, plain_name, shown, text_lines
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import did_you_mean
from tracepact.wording import count, quoted

# Reads JAMS files: the observations of their annotations, with times as they are written (rule 13.23).

JAMS = "jams"
_JAMS_FORM = 'expected a JAMS document: `{"file_metadata": …, "annotations": [{"namespace": …, "data": [ … ]}, …]}`'
_PARTS = ("time", "duration", "value", "confidence")


def add_jams(file: TextFile, clip: str, rows: EventRows, namespaces: Sequence[str] = ()) -> None:
    """The observations of all annotations, or of those of the namespaces that are named."""
    rows.clips.setdefault(clip, [])
    root = parse_json(file, rows.diagnostics, _JAMS_FORM)
    if root is None:
        return
    annotations = root.get("annotations")
    if not isinstance(annotations, list):
        rows.report("bad-json", f"`annotations` is {kind(annotations)}", help=_JAMS_FORM)
        return
    _add_length(root.get("file_metadata"), clip, rows)
    known = [str(item.get("namespace", "")) for item in annotations if isinstance(item, Object)]
    rows.report_unknown(namespaces, known, "annotation of the namespace")
    beds = 0
    for at, item in enumerate(annotations):
        if not isinstance(item, Object):
            rows.report("bad-json", f"`annotations[{at}]` is {kind(item)}", help=_JAMS_FORM)
        elif not namespaces or item.get("namespace") in namespaces:
            for where, observation in _observations(item.get("data"), f"annotations[{at}].data", rows):
                is_bed = _add(observation, where, clip, rows)
                beds += is_bed
                rows.tiers[str(item.get("namespace", ""))] += not is_bed
    if beds:
        headline = (
            f"{count(beds, 'observation')} of the role `background` left out: the bed of a made scene is not an event"
        )
        rows.report("background-left-out", headline)


def _add_length(metadata: Any, clip: str, rows: EventRows) -> None:
    duration = metadata.get("duration") if isinstance(metadata, Object) else None
    if isinstance(duration, WrittenNumber):
        length = rows.time("`file_metadata.duration`:", duration, None)
        if length:
            rows.lengths[clip] = length


def _observations(data: Any, at: str, rows: EventRows) -> Iterator[tuple[str, Any]]:
    """Each observation with its path; the data is a list of them, or an object of one list for each part."""
    if isinstance(data, list):
        yield from ((f"{at}[{index}]", item) for index, item in enumerate(data))
        return
    # The dense form of the JAMS schema: one list for each part.
    columns = [data.get(part) for part in _PARTS] if isinstance(data, Object) else []
    times = columns[0] if columns else None
    if not isinstance(times, list) or any(not isinstance(c, list) or len(c) != len(times) for c in columns):
        rows.report("bad-json", f"`{at}` is {kind(data)}", help="expected a list of observations")
        return
    for index, values in enumerate(zip(*columns, strict=True)):
        yield f"{at}[{index}]", Object(list(zip(_PARTS, values, strict=True)))


def _add(observation: Any, where: str, clip: str, rows: EventRows) -> bool:
    """One observation; whether it is the bed of a scene."""
    if not isinstance(observation, Object):
        rows.report("bad-json", f"`{where}` is {kind(observation)}", help="expected an observation")
        return False
    value = observation.get("value")
    if isinstance(value, Object):
        if value.get("role") == "background":
            return True
        value = value.get("label")
    label = value.strip() if is_text(value) or isinstance(value, WrittenNumber) else ""
    time, duration, confidence = (observation.get(part) for part in ("time", "duration", "confidence"))
    if not label:
        rows.report("bad-json", f"`{where}.value` is {kind(value)}", help="expected a label")
    elif not isinstance(time, WrittenNumber) or not isinstance(duration, WrittenNumber | None):
        part, wrong = ("time", time) if not isinstance(time, WrittenNumber) else ("duration", duration)
        rows.report("bad-json", f"`{where}.{part}` is {kind(wrong)}", help="expected a number of seconds")
    else:
        known = confidence if isinstance(confidence, WrittenNumber) else ""
        rows.add_span(None, clip, time, duration or "0", label, f"`{where}`: ", known)
    return False


# Reads whombat's annotation files: recordings, sound events and the tags that label them (rule 13.23).

AOEF = "aoef"
_AOEF_FORM = (
    'expected an AOEF document: `{"data": {"recordings": […], "sound_events": […], "sound_event_annotations": […]}}`'
)
_EDGES = {"TimeInterval": (0, 1), "BoundingBox": (0, 2)}


def add_aoef(file: TextFile, clip: str, rows: EventRows, label_key: str | None = None) -> None:
    """The sound events of all recordings; each recording is a clip, called by its path."""
    root = parse_json(file, rows.diagnostics, _AOEF_FORM)
    if root is not None:
        data = root.get("data", root)
        if isinstance(data, Object):
            _AoefReader(data, rows, label_key).read()
        else:
            rows.report("bad-json", f"`data` is {kind(data)}", help=_AOEF_FORM)


@dataclass(slots=True)
class _AoefReader:
    """One document: what its lists hold by the names their items have."""

    data: Object
    rows: EventRows
    label_key: str | None

    def fault(self, at: str, what: str, help: str | None = _AOEF_FORM) -> None:
        """Report what is wrong at a path."""
        self.rows.report("bad-json", f"`{at}` {what}", help=help)

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
            self.rows.report("wrong-columns", headline, help=did_you_mean(self.label_key, keys))
            return
        for name in ("sound_event_annotations", "sound_event_predictions"):
            for at, item in self.items(name):
                self.add(at, item, events, paths, tags)

    def recordings(self) -> dict[str, str]:
        """The path of each recording; what lies outside its annotated clips is not to be judged."""
        paths: dict[str, str] = {}
        spans: dict[str, list[tuple[Fraction, Fraction]]] = {}
        # An annotator saw only these parts of a recording: silence elsewhere says nothing.
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
        if isinstance(value, WrittenNumber):
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
        written = list(_times(geometry)) if isinstance(geometry, Object) else []
        times = [self.time(f"{where}.geometry", value) for value in written]
        if not written:
            self.fault(f"{where}.geometry", f"is {kind(geometry)}", "expected a geometry with times")
        label = self.label(at, item.get("tags"), tags)
        if label is None or not times or None in times:
            return
        score = item.get("score")
        confidence = score if isinstance(score, WrittenNumber) else ""
        # By their exact values, for texts such as 10 and 9 sort the other way.
        first, last = (end(written, key=self.rows.times.__getitem__) for end in (min, max))
        self.rows.add(None, path, first, last, label, f"`{at}`: ", confidence)

    def label(self, at: str, entries: Any, tags: Mapping[str, tuple[str, str]]) -> str | None:
        """The value of the one tag, or of the one whose key is named; None with what is wrong."""
        # A prediction holds a tag as a pair of its name and a score, an annotation its name alone.
        names = [entry[0] if isinstance(entry, list) and entry else entry for entry in entries or ()]
        known = [tags.get(str(name)) for name in names] if isinstance(entries, list | None) else [None]
        if None in known:
            self.fault(f"{at}.tags", "names a tag that is not in the document")
            return None
        pairs = [pair for pair in known if pair is not None and self.label_key in (None, pair[0])]
        if len(pairs) > 1:
            headline = f"`{at}` has several tags: {', '.join(f'`{shown(key)}`' for key, _ in pairs)}"
            help = "name the key of those that are labels: --label-column species"
            self.rows.report("unnamed-label-column", headline, help=help)
            return None
        label = pairs[0][1].strip() if pairs else ""
        if not label:
            self.rows.report("unlabelled-event", f"`{at}` has no tag; the event is of class `{UNLABELLED}`")
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


# Reads what annotation programs for the browser export: Label Studio, and VIA of the VGG (rule 13.44).

LABEL_STUDIO, VIA = "label-studio", "via"
_UPLOADED = re.compile(r"^[0-9a-f]{8}-")
"""What Label Studio puts before the name of a file that was uploaded."""

_Entry = tuple[str, Any, Any, Any, Any]
"""A clip, and of an event its path, its onset, its offset and its label; a clip alone has no path."""


def add_label_studio(file: TextFile, clip: str, rows: EventRows) -> None:
    """The regions of all tasks of an export, in the full or in the small form; each sound file is a clip."""
    _add_entries(file, rows, _label_studio_entries, (list, "expected the JSON export of Label Studio: a list of tasks"))


def add_via(file: TextFile, clip: str, rows: EventRows) -> None:
    """The segments of a project of VIA 3, labelled by their one attribute."""
    _add_entries(file, rows, _via_entries, (dict, "expected a project of VIA 3"))


def _add_entries(
    file: TextFile, rows: EventRows, entries: Callable[[Any], Iterator[_Entry]], form: tuple[type, str]
) -> None:
    root = parse_json(file, rows.diagnostics, form[1], form[0])
    for name, at, onset, offset, label in entries(root) if root is not None else ():
        if not name:
            rows.report("bad-json", f"`{at}` names no sound file", help=form[1])
            continue
        rows.clips.setdefault(name, [])
        if at and isinstance(onset, WrittenNumber) and isinstance(offset, WrittenNumber):
            word = label.strip() if is_text(label) else ""
            rows.add(None, name, onset, offset, word or rows.unlabelled(None), f"`{at}`: ")
        elif at:
            rows.report("bad-json", f"`{at}` has no two times", help="expected a start and an end in seconds")


def _label_studio_entries(root: Any) -> Iterator[_Entry]:
    for place, task in enumerate(map(_object, root)):
        data = task.get("data") or task
        sound = next((value for key, value in data.items() if is_text(value) and key in ("audio", "sound", "url")), "")
        clip = _UPLOADED.sub("", re.split(r"[\\/]", sound)[-1])
        yield clip, "" if clip else f"[{place}]", None, None, None
        # One task may have several annotations, each of one annotator: their regions are all read.
        small = [("label", item) for item in listed(task.get("label"))]
        full = [
            (f"annotations[{number}].result", region)
            for number, annotation in enumerate(listed(task.get("annotations")))
            for region in listed(_object(annotation).get("result"))
        ]
        for at, region in [*small, *full]:
            value = _object(_object(region).get("value", region))
            for label in [*listed(value.get("labels"))] or [None]:
                if "start" in value:
                    yield clip, f"[{place}].{at}", value.get("start"), value.get("end"), label


def _via_entries(root: Any) -> Iterator[_Entry]:
    names = {key: str(_object(entry).get("fname", "")) for key, entry in _object(root.get("file")).items()}
    views = {
        key: next((names.get(str(fid), "") for fid in listed(_object(view).get("fid_list"))), "")
        for key, view in _object(root.get("view")).items()
    }
    yield from ((clip, "", None, None, None) for clip in views.values() if clip)
    for key, item in _object(root.get("metadata")).items():
        segment = _object(item)
        # A region of the picture without a start and an end time is not a segment of the sound.
        times, values = listed(segment.get("z")), [*_object(segment.get("av")).values()]
        if len(times) == 2:
            label = values[0] if len(values) == 1 else None
            yield views.get(str(segment.get("vid")), ""), f'metadata["{shown(key)}"]', *times, label


def _object(value: Any) -> Mapping[str, Any]:
    """An object; an empty one for anything else."""
    return value if isinstance(value, Object) else {}


# Reads rows separated by white space: RTTM, CTM and UEM of speech tools, and label files (rules 13.20, 13.21).

RTTM, CTM, UEM, LAB = "rttm", "ctm", "uem", "lab"
_REMARK = ";;"
_NONE = ("<NA>", "NA", "")
_SPEAKER, _INFO = "SPEAKER", "SPKR-INFO"
_UNJUDGED = ("NOSCORE", "NO_RT_METADATA")
_LEFT_OUT = ("SEGMENT", "LEXEME", "NON-LEX", "NON-SPEECH", "FILLER", "EDIT", "IP", "SU", "CB", "A/P")
"""The types that NIST's Rich Transcription evaluations define beside those that are read here."""
RTTM_TYPES = frozenset((_SPEAKER, _INFO, *_UNJUDGED, *_LEFT_OUT))
_CHANNELS = frozenset(("1", "2", "A", "B", "<NA>", "NA"))
_NUMBER = re.compile(r"\d+\.?\d*|\.\d+", re.ASCII)


def spaced_format(file: TextFile) -> str | None:
    """The format of this chapter that the first row shows, if it shows one."""
    # RTTM names its rows; UEM, CTM and labels are told apart by their number of fields and by where numbers stand.
    fields = next((fields for _, fields in _rows(file)), [])
    tail = plain_name(file.name).lower().rpartition(".")[2]
    numbers = [bool(_NUMBER.fullmatch(field)) for field in fields]
    if fields and fields[0] in RTTM_TYPES and len(fields) >= 8:
        return RTTM
    of_file = len(fields) > 3 and not numbers[0] and all(numbers[2:4])
    if of_file and len(fields) == 4 and (tail == UEM or fields[1] in _CHANNELS):
        return UEM
    if of_file and len(fields) in (5, 6) and (tail == CTM or fields[1] in _CHANNELS):
        return CTM
    line = next((line for _, line in text_lines(file)), "")
    apart = not any(sign in line for sign in "\t,;")
    return LAB if apart and len(fields) > 2 and all(numbers[:2]) else None


def _rows(file: TextFile) -> Iterator[tuple[int, list[str]]]:
    """The fields of each row, without remarks."""
    for number, line in text_lines(file):
        fields = line.partition(_REMARK)[0].split()
        if fields:
            yield number, fields


def add_rttm(file: TextFile, clip: str, rows: EventRows) -> None:
    """The turns of an RTTM file: an event for each row SPEAKER, an ignore region for each NOSCORE."""
    others: Counter[str] = Counter()
    channels: dict[str, set[str]] = {}
    for number, fields in _rows(file):
        if len(fields) < 8:
            form = "type, file, channel, start, duration, two fields of words, name, confidence"
            _report_width(rows, number, fields, "eight or more", form)
            continue
        kind, name, channel, start, length, _, _, label = fields[:8]
        rows.clips.setdefault(name, [])
        if kind == _SPEAKER:
            channels.setdefault(name, set()).add(channel)
            if label in _NONE:
                rows.report("incomplete-row", "the row names no speaker", number)
            else:
                rows.add_span(number, name, start, length, label, confidence=_known(fields[8:9]))
        elif kind in _UNJUDGED:
            onset, lasting = rows.time("onset", start, number), rows.time("duration", length, number)
            if onset is not None and lasting is not None:
                rows.ignore(number, name, onset, onset + lasting)
        elif kind not in RTTM_TYPES:
            help = f"known: {quoted(sorted(RTTM_TYPES))}"
            rows.report("wrong-columns", f"`{shown(kind)}` is not a type of RTTM rows", number, help)
        elif kind != _INFO:
            others[kind] += 1
    _report_channels(channels, rows)
    for kind, times in sorted(others.items()):
        headline = f"{count(times, 'row')} of type {kind} were left out; events are the rows {_SPEAKER}"
        rows.report("rows-left-out", headline)


def add_ctm(file: TextFile, clip: str, rows: EventRows) -> None:
    """The words of a CTM file, each an event."""
    channels: dict[str, set[str]] = {}
    for number, fields in _rows(file):
        if len(fields) < 5:
            _report_width(rows, number, fields, "five or six", "file, channel, start, duration, word, confidence")
            continue
        name, channel, start, length, word = fields[:5]
        rows.clips.setdefault(name, [])
        channels.setdefault(name, set()).add(channel)
        rows.add_span(number, name, start, length, word, confidence=_known(fields[5:6]))
    _report_channels(channels, rows)


def _known(fields: list[str]) -> str:
    return fields[0] if fields and fields[0] not in _NONE else ""


def _report_channels(channels: dict[str, set[str]], rows: EventRows) -> None:
    for name, several in channels.items():
        if len(several) > 1:
            headline = f"`{shown(name)}` has {count(len(several), 'channel')}; their events are one clip's"
            rows.report(
                "several-channels", headline, help="give each channel a file name of its own to keep them apart"
            )


def _report_width(rows: EventRows, number: int, fields: list[str], wanted: str, form: str) -> None:
    rows.report("wrong-columns", f"the row has {count(len(fields), 'field')}, not {wanted}", number, form)


def uem_regions(file: TextFile, diagnostics: Diagnostics) -> Regions:
    """The times that a UEM file does not name, as ignore regions before and between; what follows is closed later."""
    # UEM says what is judged; the program asks what is not. The rest behind the last span waits for the clip's length.
    rows = table_rows(file.name, diagnostics, regions=True)
    for number, fields in _rows(file):
        if len(fields) != 4:
            _report_width(rows, number, fields, "four", "file, channel, start, end")
        else:
            rows.add(number, fields[0], fields[2], fields[3], "")
    ends = {clip: max(span.offset for span in judged) for clip, judged in rows.clips.items()}
    clips = {
        clip: tuple(Event(*gap, "") for gap in uncovered([(e.onset, e.offset) for e in judged], ends[clip]))
        for clip, judged in rows.clips.items()
    }
    return Regions(file.name, clips, file.digest, TableOrigin(UEM, dict.fromkeys(clips, file.name), lengths=ends))


def add_lab(file: TextFile, clip: str, rows: EventRows, *, declared: bool) -> None:
    """The labels of one clip; `declared` says that the unit of the times is."""
    rows.clips.setdefault(clip, [])
    lines = [(number, line.split(None, 2)) for number, line in text_lines(file)]
    texts = [text for _, fields in lines for text in fields[:2]]
    # TIMIT counts samples and HTK 100 ns: a guess between them and seconds would be wrong by factors of thousands.
    if not declared and texts and all(map(str.isdecimal, texts)):
        headline = "all times are whole numbers, and nothing says what they count"
        help = "declare how many are a second: --rate 16000 for samples at 16 kHz (TIMIT), 10000000 (HTK), 1 (seconds)"
        rows.report("undeclared-unit", headline, lines[0][0], help)
        return
    for number, fields in lines:
        if len(fields) < 3:
            _report_width(rows, number, fields, "three", "a start, an end and a label")
        else:
            rows.add(number, clip, fields[0], fields[1], fields[2].strip())
