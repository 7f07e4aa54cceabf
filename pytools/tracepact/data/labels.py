"""Label maps and soft labels: what becomes of each label, and hard events made of soft ones."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from tracepact.data.data_files import ClipFiles, clip_files
from tracepact.data.event_rows import TimeTexts, report_time
from tracepact.data.events import ClipScores, Event, EventTable, ScoreField, TableOrigin, levels_of_texts
from tracepact.data.score_files import score_value
from tracepact.data.sources import PathLike, TextFile, read_toml_file, shown, text_lines
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace, did_you_mean
from tracepact.wording import count, print_number, seconds

# Label maps: what becomes of each label, declared in a small TOML file and applied to both sides (rule 13.11).

KEYS = ("rename", "merge", "keep", "drop", "ignore", "other")
OTHER = ("error", "keep", "drop", "ignore")
_FORMS = {
    "rename": 'old = "new"',
    "merge": 'new = ["a", "b"]',
    "keep": '["a", "b"]',
    "drop": '["a", "b"]',
    "ignore": '["a", "b"]',
    "other": "one of " + ", ".join(f'"{choice}"' for choice in OTHER),
}


@dataclass(frozen=True, slots=True)
class LabelMap:
    """What becomes of labels: the new label of each that stays, those dropped, those ignored, and of all others.

    `merged` are those whose becoming one with others is declared.
    """

    name: str
    renamed: Mapping[str, str]
    dropped: frozenset[str]
    ignored: frozenset[str]
    other: str = "error"
    digest: str | None = None
    merged: frozenset[str] = frozenset()

    def treatment(self, label: str) -> str:
        """`keep` (perhaps under a new name), `drop`, `ignore` or `error`."""
        if label in self.renamed:
            return "keep"
        return "drop" if label in self.dropped else "ignore" if label in self.ignored else self.other

    def renaming(self, event: Event) -> Event:
        """The event under its new label, if it has one."""
        label = self.renamed.get(event.label, event.label)
        return Event(event.onset, event.offset, label, event.row, event.confidence)

    @property
    def known(self) -> frozenset[str]:
        """Every label the map speaks of."""
        return frozenset(self.renamed) | self.dropped | self.ignored

    @property
    def data(self) -> dict[str, Any]:
        """The map as plain data, as reports show it."""
        return {
            "name": self.name,
            "labels": [{"old": old, "new": new} for old, new in sorted(self.renamed.items())],
            "drop": sorted(self.dropped),
            "ignore": sorted(self.ignored),
            "other": self.other,
        }


@dataclass(frozen=True, slots=True)
class Mapped:
    """A side after its labels were mapped: what stays, what is ignored by clip, how many events were dropped."""

    table: EventTable
    ignored: Mapping[str, tuple[Event, ...]]
    dropped: int


def label_map_from(data: Any, diagnostics: Diagnostics) -> LabelMap | None:
    """A label map from a path to a TOML file, a mapping of the same form, or a LabelMap; None if it cannot be used."""
    if data is None or isinstance(data, LabelMap):
        return data
    if isinstance(data, Mapping):
        return _Builder("label map", "", diagnostics).build(data, None)
    return read_label_map(data, diagnostics)


def read_label_map(path: PathLike, diagnostics: Diagnostics) -> LabelMap | None:
    """The label map of a file (spec/schemas/label-map.schema.json says its form); None if it cannot be used."""
    parsed = read_toml_file(path, "bad-label-map", "labels with spaces or other signs are in quotes", diagnostics)
    if parsed is None:
        return None
    file, data = parsed
    return _Builder(file.name, file.text, diagnostics).build(data, file.digest)


_OTHERS_HELP = 'add it to the map, or say what becomes of all others: other = "drop", "keep" or "ignore"'


def apply_map(labels: LabelMap, table: EventTable, diagnostics: Diagnostics) -> Mapped:
    """The table under the map; a label of which the map says nothing is reported once, with its first row."""
    treatments = {label: labels.treatment(label) for label in table.labels}
    counts = Counter(event.label for _, event in table.events)
    reported: set[str] = set()
    kept: dict[str, tuple[Event, ...]] = {}
    ignored: dict[str, tuple[Event, ...]] = {}
    for clip, events in table.clips.items():
        for event in events:
            if treatments[event.label] == "error" and event.label not in reported:
                reported.add(event.label)
                headline = f"the label map says nothing about `{shown(event.label)}`"
                number = count(counts[event.label], "event")
                help = _near(event.label, labels) or _OTHERS_HELP
                diagnostics.add("unmapped-label", f"{headline} ({number})", table.place(clip, event.row), help)
        kept[clip] = tuple(labels.renaming(event) for event in events if treatments[event.label] == "keep")
        if some := tuple(event for event in events if treatments[event.label] == "ignore"):
            ignored[clip] = some
    dropped = sum(counts[label] for label, treatment in treatments.items() if treatment == "drop")
    origin = table.origin and replace(table.origin, regions=_mapped_regions(labels, table.origin.regions))
    return Mapped(EventTable(table.name, kept, table.digest, origin), ignored, dropped)


def _mapped_regions(labels: LabelMap, regions: Mapping[str, tuple[Event, ...]]) -> dict[str, tuple[Event, ...]]:
    """The ignore regions of a file for the classes that stay; one for every class stays as it is."""
    stays = {
        clip: [region for region in some if not region.label or labels.treatment(region.label) in ("keep", "error")]
        for clip, some in regions.items()
    }
    return {clip: tuple(map(labels.renaming, some)) for clip, some in stays.items()}


def report_merged(labels: LabelMap, used: frozenset[str], diagnostics: Diagnostics) -> None:
    """Warn where `rename` makes one class of several labels that occur."""
    becoming: dict[str, list[str]] = {}
    for old in sorted(used & labels.renamed.keys() - labels.merged):
        becoming.setdefault(labels.renamed[old], []).append(old)
    for new, olds in becoming.items():
        if len(olds) > 1:
            listed = " and ".join(f"`{shown(old)}`" for old in olds)
            headline = f"{listed} become one class, `{shown(new)}`"
            help = f"if that is meant, say so under `merge`: {_toml_list(new, olds)}"
            diagnostics.add("merged-labels", headline, RowPlace(labels.name), help)


def _toml_list(new: str, olds: list[str]) -> str:
    """An entry of `merge` as it is written in a map."""
    return f"{json.dumps(new, ensure_ascii=False)} = {json.dumps(olds, ensure_ascii=False)}"


def report_unused(labels: LabelMap, used: frozenset[str], diagnostics: Diagnostics) -> None:
    """Warn of labels of the map that occur on neither side."""
    targets = set(labels.renamed.values())
    for label in sorted(labels.known - used - targets):
        free = used - labels.known
        help = did_you_mean(label, free) if free else None
        headline = f"the label map speaks of `{shown(label)}`, which occurs on neither side"
        diagnostics.add("unused-mapping", headline, RowPlace(labels.name), help)


def _near(label: str, labels: LabelMap) -> str | None:
    help = did_you_mean(label, labels.known)
    return help if help and help.startswith("did you mean") else None


class _Builder:
    """Makes a map of TOML data and reports everything that is wrong with it, with the line where the word stands."""

    def __init__(self, name: str, text: str, diagnostics: Diagnostics) -> None:
        self.name = name
        self.lines = text.split("\n")
        self.diagnostics = diagnostics
        self.places: dict[str, str] = {}

    def fault(self, headline: str, word: str, help: str | None = None, *, last: bool = False) -> None:
        """Report what is wrong where a word stands for the first or the last time."""
        alone = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
        rows = [number for number, line in enumerate(self.lines, start=1) if alone.search(line)]
        row = rows[-1 if last else 0] if rows else None
        self.diagnostics.add("bad-label-map", headline, RowPlace(self.name, row), help)

    def build(self, data: Mapping[str, Any], digest: str | None) -> LabelMap | None:
        before = len(self.diagnostics)
        for key in data:
            if key not in KEYS:
                self.fault(f"`{shown(str(key))}` is not a known key", str(key), did_you_mean(str(key), KEYS))
        # All parts are checked before the first fault ends it: a map is mended in one go.
        merged = self._merged(data.get("merge", {}))
        renamed = self._renamed(data.get("rename", {})) | merged
        targets = set(renamed.values())
        for label in self._listed("keep", data.get("keep", [])):
            renamed[label] = label
        dropped, ignored = (frozenset(self._listed(key, data.get(key, []))) for key in ("drop", "ignore"))
        for label in sorted(targets & (dropped | ignored)):
            self.fault(f"`{shown(label)}` comes out of the map and is dropped or ignored by it", label)
        for label in targets - set(renamed):
            renamed[label] = label
        other = data.get("other", "error")
        if other not in OTHER:
            self.fault(f"`other` is `{shown(str(other))}`", "other", f"expected {_FORMS['other']}")
        if len(self.diagnostics) > before:
            return None
        return LabelMap(self.name, renamed, dropped, ignored, other, digest, frozenset(merged))

    def _renamed(self, value: Any) -> dict[str, str]:
        if not self._has_form("rename", value, Mapping):
            return {}
        found = {}
        for old, new in value.items():
            if not isinstance(new, str) or not new.strip():
                self.fault(f"`rename.{shown(str(old))}` is not a label", str(old), f"expected {_FORMS['rename']}")
            elif self._placed(old, "rename"):
                found[old.strip()] = new.strip()
        return found

    def _merged(self, value: Any) -> dict[str, str]:
        if not self._has_form("merge", value, Mapping):
            return {}
        found = {}
        for new, olds in value.items():
            if not str(new).strip():
                self.fault("a label of `merge` is empty", "merge")
            for old in self._listed("merge", olds, f"merge.{shown(str(new))}"):
                found[old] = str(new).strip()
        return found

    def _listed(self, key: str, value: Any, path: str | None = None) -> list[str]:
        """The labels of a list, each of them in its one place."""
        if not self._has_form(key, value, list, path):
            return []
        found = []
        for label in value:
            if not isinstance(label, str) or not label.strip():
                self.fault(f"`{path or key}` holds `{shown(str(label))}`, which is not a label", path or key)
            elif self._placed(label, path or key):
                found.append(label.strip())
        return found

    def _has_form(self, key: str, value: Any, form: type, path: str | None = None) -> bool:
        if isinstance(value, form) or (form is list and isinstance(value, tuple)):
            return True
        self.fault(f"`{path or key}` does not have the expected form", key, f"expected {_FORMS[key]}")
        return False

    def _placed(self, label: str, where: str) -> bool:
        """Whether a label stands here for the first time."""
        label = label.strip()
        if label in self.places:
            first = self.places[label]
            words = f"twice in `{where}`" if first == where else f"in `{first}` and in `{where}`"
            self.fault(f"`{shown(label)}` is {words}", label, "a label may be in one place only", last=True)
            return False
        if not label:
            self.fault(f"a label of `{where}` is empty", where)
            return False
        self.places[label] = where
        return True


# Reads soft labels (MAESTRO): start, end, label and confidence without a header; and makes hard events of them.


def read_soft(path: PathLike, diagnostics: Diagnostics) -> EventTable:
    """The soft labels of a file or of all files of a folder (rule 13.8): events with the annotators' confidence."""
    files = clip_files(path, diagnostics)
    return EventTable(str(path), {}) if files is None else parse_soft(files, diagnostics)


def parse_soft(files: ClipFiles, diagnostics: Diagnostics) -> EventTable:
    """The soft labels of these files, by clip."""
    times = TimeTexts(fractions=False)
    clips = {clip: _labels(file, times, diagnostics) for clip, file in files.clips.items()}
    homes = {clip: file.name for clip, file in files.clips.items()}
    return EventTable(files.name, clips, files.digest, TableOrigin("maestro", homes))


def harden(soft: EventTable, threshold: Fraction) -> EventTable:
    """The rows whose confidence is greater than the threshold; touching ones of a label are one event (rule 13.10)."""
    clips = {
        clip: _joined([event for event in events if confidence_of(event) > threshold])
        for clip, events in soft.clips.items()
    }
    decoding: dict[str, str | int | None] = {"threshold": str(threshold), "low": None, "median": 1}
    origin = soft.origin and replace(soft.origin, decoding=decoding, scores=soft_field(soft))
    return EventTable(soft.name, clips, soft.digest, origin)


def confidence_of(event: Event) -> Fraction:
    """How sure the annotators are of an event; one that has no confidence is certain."""
    return Fraction(1) if event.confidence is None else event.confidence


def soft_field(soft: EventTable) -> ScoreField:
    """Soft labels as a field: frames end wherever a row does; the greatest confidence of a label, 0 without a row."""
    classes = tuple(sorted(soft.labels))
    # Soft labels leave rows with 0 out, and a field has a score everywhere.
    confidences = sorted({Fraction(0), *(confidence_of(event) for _, event in soft.events)})
    levels, ranks = levels_of_texts(list(map(print_number, confidences)))
    rank = dict(zip(confidences, ranks.tolist(), strict=True))
    column = {label: place for place, label in enumerate(classes)}
    clips = {}
    for clip, events in soft.clips.items():
        edges = sorted({time for event in events for time in (event.onset, event.offset)})
        place = {edge: i for i, edge in enumerate(edges)}
        ranked = np.full((max(len(edges) - 1, 0), len(classes)), rank[Fraction(0)], dtype=np.int64)
        for event in events:
            cells = ranked[place[event.onset] : place[event.offset], column[event.label]]
            np.maximum(cells, rank[confidence_of(event)], out=cells)
        clips[clip] = ClipScores(tuple(edges) or (Fraction(0),), ranked)
    return ScoreField(soft.name, classes, levels, clips, soft.digest, soft.origin.files if soft.origin else {})


def soft_cells(field: ScoreField) -> EventTable:
    """The scores of a field as soft labels: a row for every frame and class, 0 included."""
    values = [field.levels.value(rank) for rank in range(len(field.levels))]
    clips = {}
    for clip, scores in field.clips.items():
        frames = zip(pairwise(scores.edges), scores.ranks.tolist(), strict=True)
        clips[clip] = tuple(
            Event(onset, offset, label, None, values[rank])
            for (onset, offset), ranks in frames
            for label, rank in zip(field.classes, ranks, strict=True)
        )
    return EventTable(field.name, clips, field.digest, TableOrigin("maestro", field.files))


def _joined(events: list[Event]) -> tuple[Event, ...]:
    open_events: dict[str, Event] = {}
    closed: list[Event] = []
    # Rows are a second or so long, and an event that lasts is many of them (rule 13.10).
    for event in sorted(events, key=lambda e: (e.onset, e.offset)):
        last = open_events.get(event.label)
        if last is not None and event.onset <= last.offset:
            open_events[event.label] = Event(last.onset, max(last.offset, event.offset), event.label, last.row)
            continue
        if last is not None:
            closed.append(last)
        open_events[event.label] = Event(event.onset, event.offset, event.label, event.row)
    return tuple(sorted([*closed, *open_events.values()], key=lambda e: (e.onset, e.offset, e.label)))


def _labels(file: TextFile, times: TimeTexts, diagnostics: Diagnostics) -> tuple[Event, ...]:
    events = []
    for number, line in text_lines(file):
        place = RowPlace(file.name, number)
        fields = [text.strip() for text in line.split("\t")]
        if len(fields) != 4:
            help = "start, end, label and confidence are separated by tabs"
            diagnostics.add("wrong-columns", f"the row has {count(len(fields), 'field')}, not four", place, help)
            continue
        start, end, label, confidence = fields
        if number == 1 and not any(sign.isdecimal() for sign in start + confidence):
            help = "soft labels have none; remove the first line"
            diagnostics.add("wrong-columns", f"`{shown(line)}` is a header", place, help)
            continue
        event = _label(start, end, label, confidence, times, place, diagnostics)
        if event is not None:
            events.append(event)
    _report_conflicts(events, file.name, diagnostics)
    _report_holes(events, file.name, diagnostics)
    return tuple(events)


def _report_conflicts(events: Sequence[Event], name: str, diagnostics: Diagnostics) -> None:
    """Rows that say of one interval and label what an earlier one says, or contradict it."""
    first: dict[Event, Event] = {}
    for event in events:
        earlier = first.setdefault(event, event)  # equal in interval and label
        if earlier is event:
            continue
        what = f"`{shown(event.label)}` from {seconds(event.onset)} to {seconds(event.offset)}"
        if earlier.confidence == event.confidence:
            diagnostics.add("duplicate-row", f"{what} repeats line {earlier.row}", RowPlace(name, event.row))
            continue
        values = [print_number(confidence_of(one)) for one in (event, earlier)]
        headline = f"{what} has the confidence {values[0]}, and {values[1]} on line {earlier.row}"
        diagnostics.add("conflicting-confidence", headline, RowPlace(name, event.row), "keep one of the two rows")


def _report_holes(events: Sequence[Event], name: str, diagnostics: Diagnostics) -> None:
    """Times between the first and the last row that no row of any label covers."""
    reached: Fraction | None = None
    for event in sorted(events, key=lambda e: (e.onset, e.offset)):
        if reached is not None and event.onset > reached:
            headline = f"no row covers {seconds(reached)} to {seconds(event.onset)}; there is no event there"
            help = "write the rows that are missing, with confidence 0 where nothing was heard"
            diagnostics.add("uncovered-time", headline, RowPlace(name, event.row), help)
        reached = event.offset if reached is None else max(reached, event.offset)


def _label(
    start: str, end: str, label: str, confidence: str, times: TimeTexts, place: RowPlace, diagnostics: Diagnostics
) -> Event | None:
    """One row, or None with everything that is wrong with it."""
    before = len(diagnostics)
    for column, text in (("start", start), ("end", end)):
        report_time(times, column, text, diagnostics, place)
    if not label:
        diagnostics.add("incomplete-row", "the row has no label", place)
    try:
        value = score_value(confidence)
    except ValueError as error:
        help = "write decimals with a point" if "," in confidence else "a confidence is the share of annotators"
        diagnostics.add("bad-score", f"the confidence `{shown(confidence)}` {error}", place, help)
    if len(diagnostics) > before:
        return None
    if times[end] < times[start]:
        diagnostics.add("offset-before-onset", f"the end `{end}` lies before the start `{start}`", place)
        return None
    return Event(times[start], times[end], label, place.row, Fraction(value))
