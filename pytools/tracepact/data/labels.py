"""Label maps, and names of labels and clips that differ only in how they are written."""

import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from tracepact.data.events import Event, EventTable
from tracepact.data.sources import PathLike, read_toml_file, shown
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace, did_you_mean, nearest
from tracepact.wording import count

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
                near = did_you_mean(event.label, labels.known)
                help = near if near and near.startswith("did you mean") else _OTHERS_HELP
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


# Names that differ only in how they are written: what to offer where one is not found.

_NUMBER = re.compile(r"\d+")


def by_stem(clips: Iterable[str]) -> Mapping[str, list[str]]:
    """Clips by their names without folders, the last extension, and what is easily written differently."""
    stems: dict[str, list[str]] = {}
    for clip in clips:
        stems.setdefault(_folded(_stem(clip)), []).append(clip)
    return stems


def similar_clip(clip: str, known: Mapping[str, list[str]]) -> str | None:
    """A help line that offers the one clip, of those by stem, that could be meant."""
    alike = known.get(_folded(_stem(clip)), [])
    nearest_first = [name for name in alike if _stem(name) == _stem(clip)] or alike
    if len(nearest_first) != 1:
        return None
    return f"did you mean `{nearest_first[0]}`? tables that name their clips must name them alike"


def same_clip(clip: str, known: Mapping[str, list[str]]) -> str | None:
    """The one clip, of those by stem, whose path is the same without the last extension and folders only one has."""
    # A folder may stand before a name on one side only; but two names in different folders are two clips.
    own = _path(clip)
    alike = [name for name in known.get(_folded(_stem(clip)), []) if _is_tail(*sorted((own, _path(name)), key=len))]
    return alike[0] if len(alike) == 1 else None


def _path(clip: str) -> list[str]:
    """The folders of a clip and its name without the last extension."""
    return [*posixpath.dirname(clip).split("/"), _stem(clip)] if "/" in clip else [_stem(clip)]


def _is_tail(short: list[str], long: list[str]) -> bool:
    return long[-len(short) :] == short


def similar_label(label: str, known: Iterable[str]) -> str | None:
    """The first known label that differs only in case, spaces, hyphens, underscores or leading zeros."""
    own = _folded(label)
    return next((name for name in sorted(known) if name != label and _folded(name) == own), None)


def similar_labels(labels: Iterable[str]) -> dict[str, str]:
    """The labels that differ from an earlier one, in sorted order, only in how they are written, and the first such."""
    first: dict[str, str] = {}
    pairs = ((label, first.setdefault(_folded(label), label)) for label in sorted(labels))
    return {label: other for label, other in pairs if other != label}


def near_clip(clip: str, known: Iterable[str]) -> str | None:
    """The known clip of the nearest name, unless only numbers differ: another number is another clip."""
    near = nearest(clip, known)
    # A near name with another number, such as clip_12 for clip_13, is most often a clip of its own.
    return None if near is None or _NUMBER.sub("0", near) == _NUMBER.sub("0", clip) else near


def label_help(label: str, others: Iterable[str]) -> str | None:
    """A help line that offers the label of the other side that is written a little differently, or nearly alike."""
    known = {*others} - {label}
    if alike := similar_label(label, known):
        return f"there it is written `{alike}`; name both alike, or map them (--label-map)"
    near = nearest(label, known)
    return f"did you mean `{near}`, which is there? name both alike, or map them (--label-map)" if near else None


def _stem(clip: str) -> str:
    name = posixpath.basename(clip)
    stem, extension = posixpath.splitext(name)
    return name if extension[1:].isdecimal() else stem


@lru_cache(maxsize=1 << 16)  # every label of one side is compared with those of the other
def _folded(name: str) -> str:
    """A name without case, spaces, hyphens, underscores, and zeros at the start of its numbers."""
    return re.sub(r"[ _-]|(?<!\d)0+(?=\d)", "", name.casefold())
