"""Reads JSON: both sides of a pair or a family in one document, or one side; faults carry their JSON path."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tracepact.diagnostics import Diagnostics, RowPlace, did_you_mean
from tracepact.io.json_text import Number, Object, is_text, kind, parse_json, time_text
from tracepact.io.rows import EventRows, Times, report_time
from tracepact.io.source import PathLike, TextFile, read_text, shown
from tracepact.trace import Durations, EventTable, Regions

CLIP_KEYS = ("name", "duration", "ref", "pred", "ignore", "masks")
LAST_FRAME = 10**8


@dataclass(frozen=True, slots=True)
class Document:
    """Both sides of a family of clips and what goes with them; masks by atom and clip, bit i for frame i."""

    name: str
    reference: EventTable
    prediction: EventTable
    durations: Durations
    ignore: Regions | None = None
    masks: Mapping[str, Mapping[str, int]] | None = None
    digest: str | None = None


def read_document(path: PathLike, diagnostics: Diagnostics) -> Document:
    """A pair or a family from one file.

    The form is `{"clips": [{"name", "duration", "ref", "pred", "ignore", "masks"}, …]}`. Events are
    `[onset, offset, label]`, ignore regions may leave the label out, a mask is a list of runs `[start, end]`,
    half-open, in frames.
    Times are numbers or text, exact in both. A clip without `ref` or `pred` is absent from that side.
    """
    file = read_text(path, diagnostics)
    if file is None:
        empty = EventTable(str(path), {})
        return Document(str(path), empty, empty, Durations(str(path), {}))
    return parse_document(file, diagnostics)


def parse_document(file: TextFile, diagnostics: Diagnostics) -> Document:
    """The document a text holds."""
    reader = _Reader(file.name, diagnostics)
    times = Times(fractions=True)
    sides = {key: EventRows(file.name, diagnostics, times, regions=key == "ignore") for key in _SIDES}
    durations: dict[str, Fraction] = {}
    masks: dict[str, dict[str, int]] = {}
    seen: set[str] = set()
    for at, clip in reader.listed(reader.clips(file, list, _PAIR_FORM), "clips", _PAIR_FORM):
        if not reader.is_object(clip, at, CLIP_KEYS):
            continue
        name = clip.get("name")
        if not is_text(name) or not (name := name.strip()):
            fault = f"is {kind(name)}" if "name" in clip else "is missing"
            reader.fault(f"{at}.name", fault, "a clip has a name")
            continue
        if name in seen:
            reader.fault(f"{at}.name", f"repeats clip `{shown(name)}`", "put its events into one entry")
            continue
        seen.add(name)
        if "duration" in clip:
            reader.duration(clip["duration"], f"{at}.duration", name, times, durations)
        for key in _SIDES:
            if key in clip:
                reader.events(clip[key], f"{at}.{key}", name, sides[key])
        if "masks" in clip:
            reader.masks(clip["masks"], f"{at}.masks", name, masks)
    return Document(
        file.name,
        sides["ref"].table(file.digest),
        sides["pred"].table(file.digest),
        Durations(file.name, durations, file.digest),
        sides["ignore"].table(file.digest) if sides["ignore"].clips else None,
        masks or None,
        file.digest,
    )


def read_side(file: TextFile, diagnostics: Diagnostics, *, regions: bool = False) -> EventTable:
    """The events of one side: `{"clips": {"a": [[onset, offset, label], …], …}}`."""
    reader = _Reader(file.name, diagnostics)
    rows = EventRows(file.name, diagnostics, Times(fractions=True), regions=regions)
    for clip, events in reader.clips(file, dict, _SIDE_FORM).items():
        at = f'clips["{shown(clip)}"]'
        if clip.strip():
            reader.events(events, at, clip.strip(), rows)
        else:
            reader.fault(at, "names no clip", "a clip has a name")
    return rows.table(file.digest)


_SIDES = ("ref", "pred", "ignore")
_PAIR_FORM = 'expected `{"clips": [{"name": …, "duration": …, "ref": […], "pred": […]}, …]}`'
_SIDE_FORM = 'expected one side: `{"clips": {"a.wav": [[onset, offset, label], …], …}}`'
_EVENT_FORM = "expected `[onset, offset, label]`"
_RUN_FORM = f"expected `[start, end]` in whole frames, from 0 to {LAST_FRAME}, start not after end"


@dataclass(frozen=True, slots=True)
class _Reader:
    """Walks a document and reports what is not of the expected form, with its path."""

    name: str
    diagnostics: Diagnostics

    def fault(self, at: str, what: str, help: str | None = None, code: str = "bad-json") -> None:
        """Report what is wrong at a path."""
        self.diagnostics.add(code, f"`{at}` {what}", RowPlace(self.name), help)

    def clips(self, file: TextFile, form: type, expected: str) -> Any:
        """What stands under `clips`, or an empty value of that form (list or dict)."""
        root = parse_json(file, self.diagnostics, expected)
        if root is None:
            return form()
        self.is_object(root, "", ("clips", "$schema"))
        if "clips" not in root:
            self.fault("clips", "is missing", expected)
            return form()
        clips = root["clips"]
        if not isinstance(clips, form):
            self.fault("clips", f"is {kind(clips)}", expected)
            return form()
        if isinstance(clips, dict):
            self.is_object(clips, "clips")
        return clips

    def is_object(self, value: Any, at: str, known: Sequence[str] | None = None) -> bool:
        """Whether a value is an object; keys given twice or not known are reported."""
        if not isinstance(value, Object):
            self.fault(at, f"is {kind(value)}", "expected an object")
            return False
        dot = f"{at}." if at else ""
        for key in value.repeated:
            self.fault(f"{dot}{shown(key)}", "occurs twice", "put both into one entry")
        if known is not None:
            for key in value:
                if key not in known:
                    self.fault(f"{dot}{shown(key)}", "is not a known key", did_you_mean(key, known))
        return True

    def listed(self, value: Any, at: str, expected: str) -> Iterator[tuple[str, Any]]:
        """Each item of a list with its path; anything but a list is reported."""
        if not isinstance(value, list):
            self.fault(at, f"is {kind(value)}", expected)
            return
        for index, item in enumerate(value):
            yield f"{at}[{index}]", item

    def duration(self, value: Any, at: str, clip: str, times: Times, found: dict[str, Fraction]) -> None:
        """The duration of a clip."""
        text = time_text(value)
        if text is None:
            self.fault(at, f"is {kind(value)}", "expected a number of seconds")
            return
        try:
            found[clip] = times[text]
        except ValueError:
            report_time(times, "duration", text, self.diagnostics, RowPlace(self.name), f"`{at}`: ")
            return
        if not found[clip]:
            del found[clip]
            self.fault(at, "is zero", "a clip has some length", "bad-time")

    def events(self, value: Any, at: str, clip: str, rows: EventRows) -> None:
        """The events of one clip; an empty list is a silent clip."""
        expected = "expected `[onset, offset]` or `[onset, offset, label]`" if rows.regions else _EVENT_FORM
        rows.clips.setdefault(clip, [])
        for where, item in self.listed(value, at, "expected a list of events"):
            sizes = (2, 3) if rows.regions else (3,)
            if not isinstance(item, list) or len(item) not in sizes:
                self.fault(where, f"is {kind(item)}", expected)
                continue
            onset, offset = time_text(item[0]), time_text(item[1])
            label = item[2] if len(item) == 3 else ""
            if onset is None or offset is None:
                wrong = 0 if onset is None else 1
                self.fault(f"{where}[{wrong}]", f"is {kind(item[wrong])}", "expected a number of seconds")
            elif not is_text(label) or not (label.strip() or rows.regions):
                self.fault(f"{where}[2]", f"is {kind(label)}", "expected the event's label")
            else:
                rows.add(None, clip, onset, offset, label.strip(), f"`{where}`: ")

    def masks(self, value: Any, at: str, clip: str, found: dict[str, dict[str, int]]) -> None:
        """The masks of one clip, by atom."""
        if not self.is_object(value, at):
            return
        for atom, runs in value.items():
            mask = 0
            for where, run in self.listed(runs, f"{at}.{shown(atom)}", _RUN_FORM):
                ends = [_frame(end) for end in run] if isinstance(run, list) and len(run) == 2 else []
                match ends:
                    case [int(start), int(end)] if start <= end:
                        mask |= ((1 << (end - start)) - 1) << start
                    case _:
                        self.fault(where, f"is {kind(run)}", _RUN_FORM)
            found.setdefault(atom, {})[clip] = mask


def _frame(value: object) -> int | None:
    """A frame number, if it is one."""
    if isinstance(value, Number) and value.isdecimal() and len(value) <= len(str(LAST_FRAME)):
        return int(value) if int(value) <= LAST_FRAME else None
    return None
