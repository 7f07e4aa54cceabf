"""Files that the user hands to the page: a contract, a JSON document, or a table of one side (rule 23.6)."""

from fractions import Fraction
from hashlib import sha256
from math import ceil
from typing import Annotated, Literal

from msgspec import Meta

from tracepact.diagnostics import Diagnostics, InvalidInput
from tracepact.diagnostics.record import DiagnosticRecord, diagnostic_record
from tracepact.io.documents import parse_document, read_side
from tracepact.io.source import TextFile
from tracepact.io.tables import read_table
from tracepact.records import Record
from tracepact.tools.parameters import CONTRACT_ENDING
from tracepact.tools.play.clips import MOST_CLIPS, clips_of_document, event_text
from tracepact.tools.play.scene import Clip, Scene, compiled
from tracepact.trace import Event, EventTable
from tracepact.wording import count, parse_exact, print_number


class GivenFile(Record, frozen=True):
    """A file as the browser read it, the scene it comes into, and the side a table is for."""

    name: Annotated[str, Meta(max_length=400)]
    text: str
    side: Literal["ref", "pred"]
    scene: Scene


class Imported(Record, frozen=True):
    """What a file holds: a contract's text or clips; or what is wrong with it."""

    diagnostics: tuple[DiagnosticRecord, ...]
    contract: str | None = None
    clips: tuple[Clip, ...] = ()
    notice: str = ""


def imported(given: GivenFile) -> Imported:
    """Read a file; a table replaces one side of the clips it names."""
    if given.name.endswith(CONTRACT_ENDING):
        return Imported((), given.text)
    found = Diagnostics()
    file = TextFile(given.name, given.text, sha256(given.text.encode()).hexdigest())
    try:
        clips = _clips(file, given, found)
        found.raise_errors()
    except InvalidInput as error:
        return Imported(tuple(map(diagnostic_record, error.diagnostics)))
    notice = f"only the first {count(MOST_CLIPS, 'clip')} are taken" if len(clips) > MOST_CLIPS else ""
    return Imported(tuple(map(diagnostic_record, found)), None, tuple(clips[:MOST_CLIPS]), notice)


def _clips(file: TextFile, given: GivenFile, found: Diagnostics) -> tuple[Clip, ...]:
    if file.is_json and '"ref"' not in file.text and '"pred"' not in file.text:
        return _of_side(read_side(file, found), given)
    if not file.is_json:
        return _of_side(read_table(file, found), given)
    contract, _ = compiled(given.scene)
    document = parse_document(file, found)
    if document.masks and contract is None:
        found.add("missing-mask", "the masks of a document are in frames, and the contract has no step yet")
    for clip in {*document.reference.clips, *document.prediction.clips} - document.durations.clips.keys():
        found.add("unknown-duration", f"nothing says how long `{clip}` is", help="give the clip a `duration`")
    return clips_of_document(document, contract.step if contract else Fraction(1))


def _of_side(table: EventTable, given: GivenFile) -> tuple[Clip, ...]:
    """The clips of a table, with the other side of the clip in the scene where the names agree, or there is one."""
    own = given.scene.clip
    found = []
    for name, events in table.clips.items():
        same = name == own.name or len(table.clips) == 1
        kept = own if same else Clip(name, "1")
        sides = {"ref": kept.ref, "pred": kept.pred, given.side: tuple(map(event_text, events))}
        length = print_number(_length(kept, events))
        found.append(Clip(name, length, sides["ref"], sides["pred"], kept.ignore, kept.masks))
    return tuple(found)


def _length(clip: Clip, events: tuple[Event, ...]) -> Fraction:
    """The length of a clip: its own, or whole seconds if an event ends later."""
    last = max((event.offset for event in events), default=Fraction(0))
    try:
        own = parse_exact(clip.duration)
    except ValueError:
        own = Fraction(1)
    return own if last <= own else Fraction(ceil(last))
