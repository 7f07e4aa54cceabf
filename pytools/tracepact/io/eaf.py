"""Reads ELAN documents: the annotations of their tiers, in whole milliseconds, with the lines they stand in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

from tracepact.diagnostics import RowPlace, did_you_mean
from tracepact.io.rows import EventRows
from tracepact.io.source import TextFile, shown

EAF = "eaf"
_DEEPEST = 100


@dataclass(slots=True)
class _Annotation:
    """An annotation: its tier, its two time slots or the annotation it refers to, its value and its line."""

    tier: str
    ends: tuple[str, str] | None
    parent: str | None
    row: int
    value: str = ""


@dataclass(slots=True)
class _Document:
    """What is read of a document, in its order; `fault` is why it is none."""

    slots: dict[str, str | None] = field(default_factory=dict)
    tiers: list[str] = field(default_factory=list)
    annotations: dict[str, _Annotation] = field(default_factory=dict)
    unit: str = "milliseconds"
    is_eaf: bool = False


class _BrokenError(ValueError):
    """The text is not that of an ELAN document: what is wrong."""


def add_eaf(file: TextFile, clip: str, rows: EventRows, tiers: Sequence[str] = ()) -> None:
    """The annotations of all tiers, or of those that are named (rule 13.22)."""
    rows.clips.setdefault(clip, [])
    document = _parsed(file, rows)
    if document is None:
        return
    for name in tiers:
        if name not in document.tiers:
            headline = f"there is no tier `{shown(name)}`"
            rows.diagnostics.add("unknown-tier", headline, RowPlace(rows.name), did_you_mean(name, document.tiers))
    for annotation in document.annotations.values():
        label = annotation.value.strip()
        if label and (not tiers or annotation.tier in tiers):
            ends = _ends(annotation, document, rows)
            if ends is not None:
                onset, offset = ends
                rows.add(annotation.row, clip, onset, offset, label, f"tier `{shown(annotation.tier)}`: ")


def _ends(annotation: _Annotation, document: _Document, rows: EventRows) -> tuple[str, str] | None:
    """The times of an annotation in seconds, those of the one it refers to where it has none; None with a fault."""
    found: _Annotation | None = annotation
    for _ in range(_DEEPEST):
        if found is None or found.ends is not None:
            break
        found = document.annotations.get(found.parent or "")
    place = RowPlace(rows.name, annotation.row)
    if found is None or found.ends is None:
        rows.diagnostics.add("bad-eaf", "the annotation refers to none that has times", place)
        return None
    texts = [_seconds(document.slots.get(slot)) for slot in found.ends]
    if texts[0] is None or texts[1] is None:
        headline = "a time slot of the annotation has no time in whole milliseconds"
        rows.diagnostics.add("bad-time", headline, place, "align the annotation in ELAN, or leave its tier out")
        return None
    return texts[0], texts[1]


def _seconds(milliseconds: str | None) -> str | None:
    """Whole milliseconds as the decimal text of seconds."""
    if milliseconds is None or not (milliseconds.isascii() and milliseconds.isdecimal()):
        return None
    digits = milliseconds.rjust(4, "0")
    return f"{digits[:-3]}.{digits[-3:]}"


def _parsed(file: TextFile, rows: EventRows) -> _Document | None:
    """The document of a text, or None with what is wrong with it."""
    document = _Document()
    parser = expat.ParserCreate("utf-8")
    stack: list[str] = []
    current: list[_Annotation] = []

    def start(name: str, attributes: Mapping[str, str]) -> None:
        stack.append(name)
        match name:
            case "ANNOTATION_DOCUMENT":
                document.is_eaf = True
            case "HEADER":
                document.unit = attributes.get("TIME_UNITS", document.unit)
            case "TIME_SLOT":
                document.slots[attributes.get("TIME_SLOT_ID", "")] = attributes.get("TIME_VALUE")
            case "TIER":
                document.tiers.append(attributes.get("TIER_ID", ""))
            case "ALIGNABLE_ANNOTATION" | "REF_ANNOTATION":
                slots = attributes.get("TIME_SLOT_REF1"), attributes.get("TIME_SLOT_REF2")
                ends = (slots[0], slots[1]) if slots[0] is not None and slots[1] is not None else None
                tier = document.tiers[-1] if document.tiers else ""
                row, parent = parser.CurrentLineNumber, attributes.get("ANNOTATION_REF")
                current[:] = [_Annotation(tier, ends, parent, row)]
                name_of = attributes.get("ANNOTATION_ID", f"#{len(document.annotations)}")
                if name_of in document.annotations:
                    raise _BrokenError(f"two annotations are called `{shown(name_of)}`")
                document.annotations[name_of] = current[0]

    def end(name: str) -> None:
        stack.pop()

    def text(data: str) -> None:
        if stack and stack[-1] == "ANNOTATION_VALUE" and current:
            current[0].value += data

    def refuse(*_: object) -> None:
        raise _BrokenError("the document declares a type of its own, which ELAN's do not")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = text, refuse
    try:
        parser.Parse(file.text.encode("utf-8"), True)
        if not document.is_eaf:
            raise _BrokenError("the file is XML, but no ELAN document")
        if document.unit != "milliseconds":
            raise _BrokenError(f"its times are in `{shown(document.unit)}`, not in milliseconds")
    except (expat.ExpatError, _BrokenError) as error:
        words = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else str(error)
        row = min(parser.CurrentLineNumber, file.text.count("\n") + 1)
        rows.diagnostics.add("bad-eaf", words, RowPlace(rows.name, row), "save it again in ELAN")
        return None
    return document
