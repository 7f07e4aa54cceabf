"""JSON with its numbers as they are written: both sides of a pair or a family, one side, objects line by line."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Any, TypeGuard

from tracepact.data.event_rows import EventRows, TimeTexts, clip_length
from tracepact.data.events import Durations, EventTable, Regions
from tracepact.data.sources import PathLike, TextFile, plain_name, read_text, shown, text_lines
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace, did_you_mean
from tracepact.files import table_text
from tracepact.wording import count

# JSON text with its numbers as they are written: what a document holds, and words for what it should not hold.

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class WrittenNumber(str):
    """A number as it is written in the document."""

    __slots__ = ()


class Object(dict[str, Any]):
    """An object that remembers which keys it was given twice."""

    __slots__ = ("repeated",)

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeated: list[str] = []
        earlier: set[str] = set()
        for key, _ in pairs if len(self) < len(pairs) else ():  # most objects repeat none, and there are many
            if key in earlier:
                self.repeated.append(key)
            earlier.add(key)


def parse_json(
    file: TextFile, diagnostics: Diagnostics, expected: str, form: type = Object, row: int | None = None
) -> Any:
    """The object, or the list, that a text holds, numbers as texts; None with what is wrong with it.

    `expected` says what was wanted, `row` in which line of its file the text stands.
    """
    try:
        # Numbers keep their text: a float would round times, and a long integer takes quadratic time to read.
        root = json.loads(
            file.text,
            parse_float=WrittenNumber,
            parse_int=WrittenNumber,
            parse_constant=WrittenNumber,
            object_pairs_hook=Object,
        )
    except json.JSONDecodeError as error:
        diagnostics.add(
            "bad-json",
            f"not JSON at column {error.colno}: {error.msg[:1].lower()}{error.msg[1:]}",
            RowPlace(file.name, row or error.lineno),
            expected,
        )
    except RecursionError:
        diagnostics.add("bad-json", "the document nests too deep", RowPlace(file.name), expected)
    else:
        # The walk over the document is worth its time only where an escape could have made one.
        if _SURROGATE.search(file.text) and (half := _half_sign(root)) is not None:
            headline = f"the text `{shown(half)}` holds half of a pair of surrogates, which is no sign"
            diagnostics.add("bad-json", headline, RowPlace(file.name), "write the file as UTF-8, or the pair whole")
        elif isinstance(root, form):
            return root
        else:
            diagnostics.add("bad-json", f"the document is {kind(root)}", RowPlace(file.name, row), expected)
    return None


def _half_sign(root: Any) -> str | None:
    """A text of the document that holds a lone surrogate, if one does."""
    # Not by recursion: a document may nest as deep as the parser let it.
    waiting = [root]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str) and not value.isascii() and any("\ud800" <= sign <= "\udfff" for sign in value):
            return value
        if isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list):
            waiting += value
    return None


def listed(value: Any) -> Sequence[Any]:
    """The items of a list; none of anything else."""
    return value if isinstance(value, list) else ()


def is_text(value: object) -> TypeGuard[str]:
    """Whether a value is a text and no number."""
    return isinstance(value, str) and not isinstance(value, WrittenNumber)


def time_text(value: object) -> str | None:
    """A time's text: that of a number, or a string that is not empty."""
    return value if isinstance(value, str) and value.strip() else None


def kind(value: object) -> str:
    """What a JSON value is, in words."""
    match value:
        case WrittenNumber():
            return f"the number {shown(value)}"
        case str():
            return f"the text `{shown(value)}`" if value.strip() else "an empty text"
        case bool() | None:
            return f"`{json.dumps(value)}`"
        case list():
            return f"a list of {count(len(value), 'item')}"
        case _:
            return "an object"


# Reads JSON: both sides of a pair or a family in one document, or one side; faults carry their JSON path.

CLIP_KEYS = ("name", "duration", "ref", "pred", "ignore", "masks")
LAST_FRAME = 10**8


@dataclass(frozen=True, slots=True)
class FamilyDocument:
    """Both sides of a family of clips and what goes with them; masks by atom and clip, bit i for frame i."""

    name: str
    reference: EventTable
    prediction: EventTable
    durations: Durations
    ignore: Regions | None = None
    masks: Mapping[str, Mapping[str, int]] | None = None
    digest: str | None = None


def read_document(path: PathLike, diagnostics: Diagnostics) -> FamilyDocument:
    """A pair or a family from one file.

    The form is `{"clips": [{"name", "duration", "ref", "pred", "ignore", "masks"}, …]}`. Events are
    `[onset, offset, label]`, ignore regions may leave the label out, a mask is a list of runs `[start, end]`,
    half-open, in frames.
    Times are numbers or text, exact in both. A clip without `ref` or `pred` is absent from that side.
    """
    file = read_text(path, diagnostics)
    if file is None:
        empty = EventTable(str(path), {})
        return FamilyDocument(str(path), empty, empty, Durations(str(path), {}))
    return parse_document(file, diagnostics)


def parse_document(file: TextFile, diagnostics: Diagnostics) -> FamilyDocument:
    """The document a text holds."""
    reader = _DocumentReader(file.name, diagnostics)
    times = TimeTexts(fractions=True)
    # All sides share the times that were read: both say the same ones.
    sides = {key: EventRows(file.name, diagnostics, times, regions=key == "ignore") for key in _SIDES}
    durations: dict[str, Fraction] = {}
    masks: dict[str, dict[str, int]] = {}
    names: set[str] = set()
    for at, clip in reader.listed(reader.clips(file, list, _PAIR_FORM), "clips", _PAIR_FORM):
        if not reader.is_object(clip, at, CLIP_KEYS):
            continue
        name = clip.get("name")
        if not is_text(name) or not (name := name.strip()):
            fault = f"is {kind(name)}" if "name" in clip else "is missing"
            reader.fault(f"{at}.name", fault, "a clip has a name")
            continue
        if name in names:
            reader.fault(f"{at}.name", f"repeats clip `{shown(name)}`", "put its events into one entry")
            continue
        names.add(name)
        if "duration" in clip and (length := reader.duration(clip["duration"], f"{at}.duration", times)):
            durations[name] = length
        for key in _SIDES:
            if key in clip:
                reader.events(clip[key], f"{at}.{key}", name, sides[key])
        if "masks" in clip:
            reader.masks(clip["masks"], f"{at}.masks", name, masks)
    return FamilyDocument(
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
    reader = _DocumentReader(file.name, diagnostics)
    rows = EventRows(file.name, diagnostics, TimeTexts(fractions=True), regions=regions)
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
class _DocumentReader:
    """Walks a document and reports what is not of the expected form, with its path."""

    name: str
    diagnostics: Diagnostics

    def fault(self, at: str, what: str, help: str | None = None) -> None:
        """Report what is wrong at a path."""
        self.diagnostics.add("bad-json", f"`{at}` {what}", RowPlace(self.name), help)

    def clips(self, file: TextFile, form: type, expected: str) -> Any:
        """The value under `clips`, or an empty one of that form (list or dict)."""
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

    def duration(self, value: Any, at: str, times: TimeTexts) -> Fraction | None:
        """The duration of a clip; None with what is wrong with it."""
        text = time_text(value)
        if text is None:
            self.fault(at, f"is {kind(value)}", "expected a number of seconds")
            return None
        return clip_length(times, text, self.diagnostics, RowPlace(self.name), f"`{at}`: ")

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

    def masks(self, value: Any, at: str, clip: str, masks: dict[str, dict[str, int]]) -> None:
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
            masks.setdefault(atom, {})[clip] = mask


def _frame(value: object) -> int | None:
    """A frame number, if it is one."""
    if isinstance(value, WrittenNumber) and value.isdecimal() and len(value) <= len(str(LAST_FRAME)):
        return int(value) if int(value) <= LAST_FRAME else None
    return None


# Reads JSON lines: an object a line, whose keys are the columns of a table (rule 13.27).


def is_json_lines(file: TextFile) -> bool:
    """Whether a text holds an object a line: its first line is one whole, and another follows."""
    lines = [line.strip() for _, line in islice(text_lines(file), 2)]
    whole = [line.startswith("{") and line.endswith("}") for line in lines]
    return all(whole) and (len(lines) == 2 or (lines != [] and plain_name(file.name).lower().endswith(_LINES)))


_LINES = (".jsonl", ".ndjson")


def table_of_lines(file: TextFile, diagnostics: Diagnostics) -> TextFile | None:
    """The table that JSON lines hold, as text; None with what is wrong with a line."""
    columns: dict[str, None] = {}
    objects: list[Object] = []
    for number, line in text_lines(file):
        item = parse_json(replace(file, text=line), diagnostics, "expected an object in each line", row=number)
        if item is None:
            return None
        columns |= dict.fromkeys(item)
        objects.append(item)
    values = ([item.get(column) for column in columns] for item in objects)
    cells = (["" if v is None else v if isinstance(v, str) else json.dumps(v) for v in some] for some in values)
    return replace(file, text=table_text(tuple(columns), cells))
