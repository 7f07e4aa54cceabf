"""The manifest of a run directory, the directory when it is opened, and its exact tables (rules 17.2 and 17.4)."""

import hashlib
import json
import platform
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from importlib.metadata import version
from pathlib import Path, PurePath
from typing import Any, TypeVar

import numpy as np
from msgspec import MsgspecError

from tracepact.data.events import LONGEST_TIME, Event, EventTable, TableOrigin
from tracepact.data.family import Family, Mode
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.files import BadTable, Row, encoded, json_data, json_text, table_rows, table_text
from tracepact.inputs import LARGEST_DOCUMENT, read_within
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import Contract
from tracepact.language.formula import FrameRun
from tracepact.measures.policy import Empty, Evaluated, EventPolicy, MacroOver, MetricSettings, OffsetRule
from tracepact.runs.task import Head, Scored
from tracepact.wording import parse_stored, print_number

# The policies of the standard metrics as a manifest records them, and back (rule 17.9).

POLICY_KEYS = ("collar", "offset", "share", "segment", "radius", "evaluated", "empty", "macro")


def policies_data(settings: MetricSettings) -> dict[str, str]:
    """The policies as texts; times in seconds, exact."""
    event = settings.event
    numbers = (event.collar, event.share, settings.segment, settings.transition)
    collar, share, segment, radius = map(str, numbers)
    names = settings.evaluated.value, settings.empty.value, settings.macro.value
    values = (collar, event.offset.value, share, segment, radius, *names)
    return dict(zip(POLICY_KEYS, values, strict=True))


def policies_of(data: Mapping[str, str]) -> MetricSettings:
    """The policies that were recorded; ValueError if one is none."""
    collar, share, segment, radius = (parse_stored(data[key]) for key in ("collar", "share", "segment", "radius"))
    if not (collar > 0 and segment > 0 and radius > 0 and 0 <= share <= 1):
        raise ValueError("a length is not positive, or the share lies outside 0 to 1")
    return MetricSettings(
        EventPolicy(collar, OffsetRule(data["offset"]), share),
        segment,
        radius,
        Evaluated(data["evaluated"]),
        Empty(data["empty"]),
        MacroOver(data["macro"]),
    )


# What tables say, as digests that do not ask in what order clips stand, and that add over the clips of batches.

Content = dict[str, str]
"""The digest of what each table says, by role; a table that says nothing has none."""
_DIGESTS = 1 << 256


def content_of(
    clips: Iterable[str],
    reference: Mapping[str, Iterable[Event]],
    durations: Mapping[str, Fraction] | Fraction,
    ignore: Mapping[str, Iterable[Event]] | None = None,
    masks: str | None = None,
) -> Content:
    """Digests of a run's tables for these clips, independent of the order of clips and of row numbers."""
    found: dict[str, int] = dict.fromkeys(("reference", "durations", "ignore"), 0)
    for clip in clips:
        length = durations if isinstance(durations, Fraction) else durations.get(clip)
        found["reference"] += _said(clip, _times(reference[clip]) if clip in reference else None)
        found["durations"] += _said(clip, None if length is None else [str(length)])
        found["ignore"] += _said(clip, _times((ignore or {}).get(clip, ())) or None)
    return _digests(found) | ({} if masks is None else {"masks": digest(masks.encode())})


def added_content(one: Content, other: Content) -> Content:
    """The digests of the tables of two batches taken together."""
    return _digests({role: sum(int(some.get(role, "0"), 16) for some in (one, other)) for role in {**one, **other}})


def _digests(numbers: Mapping[str, int]) -> Content:
    return {role: f"{numbers[role] % _DIGESTS:064x}" for role in sorted(numbers) if numbers[role] % _DIGESTS}


def _times(events: Iterable[Event]) -> list[tuple[str, str, str]]:
    return [(str(event.onset), str(event.offset), event.label) for event in events]


# Digests of clips are added modulo 2**256: a sum has no order, so tables whose clips stand in another order, and
# batches in any order, come to the same number.
def _said(clip: str, rows: Sequence[Any] | None) -> int:
    """The digest of what a table says of a clip, and be it that it is silent; 0 if it does not name it."""
    return 0 if rows is None else int(digest(json.dumps([clip, rows]).encode()), 16)


# The manifest of a run directory: every file with its SHA-256, and what the run was made of and with.

FORMAT, BATCH_FORMAT = "tracepact-run/1", "tracepact-batches/1"
LEAGUE_FORMAT = "tracepact-league-directory/1"
NAME = "manifest.json"
Data = dict[str, Any]


def versions() -> dict[str, str]:
    """The versions of the running program."""
    return {
        "tracepact": version("tracepact"),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def digest(data: bytes) -> str:
    """The SHA-256 of some bytes."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table of a run directory, and the table it was made from: its name, digest and origin."""

    role: str
    text: str
    name: str
    digest: str | None = None
    origin: TableOrigin | None = None

    @property
    def file(self) -> str:
        """Its file in the run directory."""
        return f"{self.role}.tsv"


def manifest_data(
    format: str, head: Head, clips: int, settings: Mapping[str, Any], parts: Mapping[str, Any], files: Sequence[Data]
) -> Data:
    """The manifest of a run of so many clips; `settings` and `parts` are what one kind of run says and another not."""
    contract = head.contract
    data: Data = {
        "format": format,
        "versions": versions(),
        "contract": {"name": contract.name, "digest": contract.digest, "source": contract.source.name},
        "settings": {
            "mode": head.mode.value,
            "overrides": {p.name: p.text for p in contract.parameters if p.overridden},
            "preparation": dict(head.preparation),
            **settings,
        },
        "family": {"clips": clips, "classes": len(head.classes), "clauses": len(contract.clauses)},
        "inputs": [{"role": i.role, "name": i.name, "sha256": i.digest} for i in head.inputs],
        **parts,
        "files": list(files),
    }
    return sealed(data)


def sealed(data: Data) -> Data:
    """A manifest with its own digest."""
    return {**data, "sha256": self_digest(data)}


def run_manifest(run: Scored, tables: Iterable[StoredTable], files: Mapping[str, bytes]) -> Data:
    """The manifest of a run in memory with these tables and files."""
    chosen: Data = {} if run.settings == MetricSettings() else {"metrics": policies_data(run.settings)}
    chosen |= {} if run.violation_rows else {"violations": False}
    stored = [
        {"role": t.role, "file": t.file, "name": t.name, "sha256": t.digest, "origin": _origin(t.origin)}
        for t in tables
    ]
    return manifest_data(FORMAT, run.head, len(run.card.family.clips), chosen, {"tables": stored}, listed(files))


def listed(files: Mapping[str, bytes]) -> list[Data]:
    """The entries of a manifest for files."""
    return [{"name": name, "bytes": len(found), "sha256": digest(found)} for name, found in files.items()]


def _origin(origin: TableOrigin | None) -> Data | None:
    if origin is None:
        return None
    decoding = None if origin.decoding is None else dict(origin.decoding)
    return {"format": origin.format, "files": dict(origin.files), "decoding": decoding}


def origin_of(data: Data | None) -> TableOrigin | None:
    """The origin of a stored table."""
    return None if data is None else TableOrigin(data["format"], data["files"], data["decoding"])


def self_digest(data: Mapping[str, Any]) -> str:
    """The SHA-256 of a manifest's text without this digest."""
    return digest(encoded(json_text({key: value for key, value in data.items() if key != "sha256"})))


def is_league(text: str) -> bool:
    """Whether a text is the manifest of a league directory (17.7), which is no run directory."""
    return _format_of(_json(text)) == LEAGUE_FORMAT


def manifest_faults(text: str) -> tuple[Data | None, str | None]:
    """The manifest of a run in memory that a text holds, if it has the form of one; and what is wrong, if anything."""
    data = _json(text)
    if data is None:
        return None, "is not JSON"
    if not (_has_form(data) and _is_sound(data)):
        return None, f"is not of the form {FORMAT}"
    return data, written_fault(text, data)


def written_fault(text: str, data: Data) -> str | None:
    """The fault of a manifest that is not as it was written; None if it is.

    The digest is of the data, so the text is compared as well: no byte of it can change unnoticed (rule 17.3).
    """
    if data["sha256"] != self_digest(data) or text != json_text(data):
        return "is not as it was written: its own digest differs"
    return None


def manifest_text(folder: Path) -> str:
    """The text of the manifest of a folder; nothing where there is none."""
    try:
        return read_within(folder, NAME, LARGEST_DOCUMENT).decode("utf-8", "replace")
    except OSError:
        return ""


def batch_manifest(folder: Path) -> Data | None:
    """The manifest of the run directory of a run in batches; None if a folder is none."""
    data = _json(manifest_text(folder))
    if _format_of(data) != BATCH_FORMAT or not _has_form({key: data.get(key) for key in _BATCH_FORM}, _BATCH_FORM):
        return None
    return data if _are_plain(item["name"] for item in data["files"]) else None


def any_manifest(folder: Path) -> Data | None:
    """The manifest of a run directory of either kind, whether or not it is as it was written; None if there is none."""
    return batch_manifest(folder) or manifest_faults(manifest_text(folder))[0]


def _json(text: str) -> Any:
    """The data of a text; None where it is not JSON."""
    try:
        return json_data(text)
    except ValueError:
        return None


def _format_of(data: Any) -> object:
    return data.get("format") if isinstance(data, dict) else None


_ORIGIN = (None, {"format": str, "files": {"*": str}, "decoding": (None, dict)})
_FORM = {
    "format": str,
    "versions": {"tracepact": str, "python": str, "numpy": str},
    "contract": {"name": str, "digest": str, "source": str},
    "settings": tuple(
        {"mode": str, "overrides": {"*": str}, "preparation": dict, **metrics, **violations}
        for metrics in ({}, {"metrics": dict.fromkeys(POLICY_KEYS, str)})
        for violations in ({}, {"violations": bool})
    ),
    "family": {"clips": int, "classes": int, "clauses": int},
    "inputs": [{"role": str, "name": str, "sha256": str}],
    "tables": [{"role": str, "file": str, "name": str, "sha256": (None, str), "origin": _ORIGIN}],
    "files": [{"name": str, "bytes": int, "sha256": str}],
    "sha256": str,
}
# Releases differ in what else a run in batches records; whoever needs more of it says what is missing.
_BATCH_FORM = {key: _FORM[key] for key in ("format", "contract", "inputs", "files", "sha256")}


def _has_form(data: Any, form: Any = _FORM) -> bool:
    """Whether data has the keys and types of a manifest; a tuple lists alternatives, `*` stands for any keys."""
    match form:
        case None:
            return data is None
        case tuple():
            return any(_has_form(data, either) for either in form)
        case {"*": item}:
            return isinstance(data, dict) and all(_has_form(found, item) for found in data.values())
        case dict():
            keys = isinstance(data, dict) and data.keys() == form.keys()
            return keys and all(_has_form(data[key], form[key]) for key in form)
        case [item]:
            return isinstance(data, list) and all(_has_form(found, item) for found in data)
        case _:
            return isinstance(data, form)


def _is_sound(data: Data) -> bool:
    """Whether every value is one it may have."""
    names = [item["name"] for item in data["files"]] + [item["file"] for item in data["tables"]]
    return (
        data["format"] == FORMAT
        and data["settings"]["mode"] in {mode.value for mode in Mode}
        and {"reference", "prediction", "durations"} <= {item["role"] for item in data["tables"]}
        and _are_plain(names)
    )


def _are_plain(names: Iterable[str]) -> bool:
    """Whether names of files are plain, so that none lies outside the folder."""
    return all(PurePath(name).name == name and name not in ("", ".", "..") for name in names)


SOURCE = "source.contract"
CANONICAL = "contract.contract"
AGAIN = "score again to make a new run"
DRIFTED = f"`tracepact verify` says all that has changed; {AGAIN}"
_T = TypeVar("_T")


@dataclass(frozen=True)
class RunFolder:
    """A run directory that is opened: a file is read when it is asked for, and refused if it is not as written.

    With `checked` off, files are read whatever their digest.
    """

    folder: Path
    manifest: Data
    checked: bool = True

    @cached_property
    def digests(self) -> dict[str, str]:
        """The digest of every file that the manifest lists."""
        return {item["name"]: item["sha256"] for item in self.manifest["files"]}

    @cached_property
    def contract(self) -> Contract:
        """The contract, compiled from its source; names and digests of what is stored are for others to compare."""
        overrides, name = self.manifest["settings"]["overrides"], self.manifest["contract"]["source"]
        return self.read(SOURCE, lambda text: parse_contract(text, overrides, name=name))

    def text(self, name: str) -> str:
        """The text of a stored file; InvalidInput if it is gone or has changed."""
        try:
            data = read_within(self.folder, name)
        except OSError as error:
            raise self.broken(name, f"the file cannot be read: {(error.strerror or str(error)).lower()}") from error
        if self.checked and digest(data) != self.digests.get(name):
            raise self.broken(name, "the file is not as it was written: its SHA-256 differs")
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise self.broken(name, "the file is not UTF-8 text") from error

    def read(self, name: str, parse: Callable[[str], _T]) -> _T:
        """The parsed content of a stored file; InvalidInput if it is gone, has changed or is malformed."""
        try:
            return parse(self.text(name))
        except BadTable as error:
            raise self.broken(name, str(error), error.line) from error
        except (ValueError, RecursionError, MsgspecError) as error:
            raise self.broken(name, f"the file cannot be read: {error}") from error

    def broken(self, name: str, fault: str, line: int | None = None) -> InvalidInput:
        """The error for a stored file that is missing, changed or malformed."""
        help = DRIFTED if self.checked else AGAIN
        return InvalidInput([Diagnostic("broken-run", fault, RowPlace(str(self.folder / name), line), help)])


# The tables of a run directory: what was scored as exact text, and back without loss (rule 17.2).
#
# A time is its decimal where it has one, else a reduced fraction such as `1/3`. Fields are separated by tabs; a field
# that holds a tab, a quote or a line break is quoted. `row` is the row of the original, where it had one. A table
# has the column `confidence` if one of its events has a confidence.

EVENT_COLUMNS = ("filename", "onset", "offset", "event_label", "row")
CONFIDENCE = "confidence"
DURATION_COLUMNS = ("filename", "duration")
CONDITION_COLUMNS = ("filename", "condition")
MASK_COLUMNS = ("atom", "filename", "first_frame", "end_frame")

_TIME = re.compile(r"[0-9]+(?:\.[0-9]+|/[1-9][0-9]*)?", re.ASCII)
_NUMBER = re.compile(rf"-?{_TIME.pattern}", re.ASCII)
_LONGEST_TIME = 4000
# Numbers are held to a form before Python reads them, which takes much more than a table may hold.
_COUNT = re.compile(r"[0-9]{1,18}", re.ASCII)

Masks = Mapping[str, Mapping[str, list[bool]]]


def events_text(table: EventTable) -> str:
    """The events of one side; a silent clip is a row of its name alone."""
    # Without confidences the column is absent: directories of earlier releases have none, and stay readable.
    sure = any(event.confidence is not None for _, event in table.events)
    return table_text((*EVENT_COLUMNS, CONFIDENCE) if sure else EVENT_COLUMNS, _event_rows(table, sure))


def _event_rows(table: EventTable, sure: bool) -> Iterator[Row]:
    for clip, events in table.clips.items():
        if not events:
            yield clip, "", "", "", "", *([""] if sure else [])
        for event in events:
            row = "" if event.row is None else event.row
            more = ["" if event.confidence is None else print_number(event.confidence)] if sure else []
            yield clip, print_number(event.onset), print_number(event.offset), event.label, row, *more


def read_events(text: str) -> dict[str, tuple[Event, ...]]:
    """The events a text holds, by clip."""
    clips: dict[str, list[Event]] = {}
    header = text.partition("\n")[0]
    columns = (*EVENT_COLUMNS, CONFIDENCE) if header == "\t".join((*EVENT_COLUMNS, CONFIDENCE)) else EVENT_COLUMNS
    for line, (clip, onset, offset, label, row, *more) in table_rows(text, columns):
        events = clips.setdefault(clip, [])
        if onset or offset or label or row or any(more):
            number = whole(row, line) if row else None
            sure = _table_number(more[0], line, _NUMBER, "number") if any(more) else None
            events.append(Event(_time(onset, line), _time(offset, line), label, number, sure))
    return {clip: tuple(events) for clip, events in clips.items()}


def durations_text(clips: Mapping[str, Fraction]) -> str:
    """How long each clip is."""
    return table_text(DURATION_COLUMNS, ((clip, print_number(time)) for clip, time in clips.items()))


def read_durations(text: str) -> dict[str, Fraction]:
    """The durations a text holds."""
    return {clip: _time(time, line) for line, (clip, time) in table_rows(text, DURATION_COLUMNS)}


def conditions_text(clips: Mapping[str, str]) -> str:
    """The condition of each clip."""
    return table_text(CONDITION_COLUMNS, clips.items())


def read_conditions(text: str) -> dict[str, str]:
    """The conditions a text holds."""
    return {clip: condition for _, (clip, condition) in table_rows(text, CONDITION_COLUMNS)}


def masks_text(family: Family) -> str:
    """The runs of the caller's masks by atom and clip, in frames; a mask without frames is a row of its names alone."""
    return table_text(MASK_COLUMNS, _mask_rows(family))


def _mask_rows(family: Family) -> Iterator[Row]:
    for atom, by_segment in family.masks.items():
        for index, clip in enumerate(family.clips):  # every class has the same masks; those of the first are read
            runs: tuple[FrameRun, ...] = by_segment[index]
            if not runs:
                yield atom, clip, "", ""
            for start, end in runs:
                yield atom, clip, start, end


def read_masks(text: str, atoms: Iterable[str], frames: Mapping[str, int]) -> Masks:
    """The masks of these atoms, one truth value a frame; `frames` says how many each clip has."""
    masks: dict[str, dict[str, list[bool]]] = {atom: {} for atom in atoms}
    for line, (atom, clip, first, end) in table_rows(text, MASK_COLUMNS):
        if atom not in masks or clip not in frames:
            raise BadTable(f"the run has no atom `{atom}` or no clip `{clip}`", line)
        mask = masks[atom].setdefault(clip, [False] * frames[clip])
        if first or end:
            run = range(whole(first, line), whole(end, line))
            # Checked before anything is allocated for it: a forged end would ask for any amount of memory.
            if run.stop > len(mask):
                raise BadTable(f"`{clip}` has only {len(mask)} frames", line)
            mask[run.start : run.stop] = [True] * len(run)
    return masks


def _time(text: str, line: int) -> Fraction:
    # The limit is that of times everywhere (13.39): a stored table is a stranger's file too.
    time = _table_number(text, line, _TIME, "time")
    if time >= LONGEST_TIME:
        raise BadTable(f"`{text[:40]}` is not a time of less than 10^10 seconds", line)
    return time


def _table_number(text: str, line: int, form: re.Pattern[str], kind: str) -> Fraction:
    """A number of the form, or BadTable: it is not of this kind."""
    if len(text) > _LONGEST_TIME or not form.fullmatch(text):
        raise BadTable(f"`{text[:40]}` is not a {kind}", line)
    return Fraction(text)


def whole(text: str, line: int) -> int:
    """A count or a row number as a table holds it."""
    if not _COUNT.fullmatch(text):
        raise BadTable(f"`{text[:40]}` is not a whole number", line)
    return int(text)
