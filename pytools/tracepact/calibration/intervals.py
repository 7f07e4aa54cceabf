"""The intervals of a calibration set: events of both sides, masks of declared atoms (14.2, 14.3, 14.33)."""

import re
from fractions import Fraction
from typing import Any

from tracepact.calibration.calibration import Masks
from tracepact.calibration.fields import Fields
from tracepact.core.contract import BUILTIN_ATOMS, CLASS_ATOMS
from tracepact.trace import Event

LABEL = "event"
"""What an interval without a label is called."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def read_events(fields: Fields, key: str, duration: Fraction, labels: tuple[str, ...] = (LABEL,)) -> tuple[Event, ...]:
    """Intervals in order, apart from each other and inside the clip (rule 14.2).

    One without a label has that of `labels` if there is just one (rule 14.3).
    """

    def event(item: Any, index: int) -> Event | None:
        if not isinstance(item, list) or len(item) not in (2, 3) or not isinstance(item[-1], str | int | Fraction):
            fields.report("wrong-form", "an event is `[onset, offset]`, perhaps with a label", key, index)
            return None
        onset, offset = (fields.as_time(time, key, index, k) for k, time in enumerate(item[:2]))
        if len(item) == 2 and len(labels) > 1:
            headline = f"the interval has no label, and the reference has {len(labels)}: {', '.join(labels)}"
            help = f'say which: `["1s", "2s", "{labels[0]}"]`'
            fields.report("unlabelled-interval", headline, key, index, help=help)
            return None
        label = str(item[2]) if len(item) == 3 else labels[0]
        if not label or not label.isprintable():
            fields.report("wrong-form", "a label is a text on one line", key, index, 2)
        row = fields.places.source.position(fields.places.value((*fields.path, key, index)).span.start)[0]
        if not onset < offset <= duration:
            headline = "the event does not end after it starts" if offset <= onset else "it ends after its clip"
            fields.report("bad-time", headline, key, index)
            return None
        return Event(onset, offset, label, row)

    events = fields.items(key, event, ())
    ends: dict[str, Fraction] = {}
    for index, one in enumerate(events):
        if one.onset <= ends.get(one.label, Fraction(-1)):
            fields.report("bad-time", "the event is not after the one before it", key, index)
        ends[one.label] = one.offset
    return events


def warn_mixed(fields: Fields, items: Any) -> None:
    """Intervals without a label beside labelled ones are a class of their own, which is rarely meant."""
    lengths = {len(item) for item in items if isinstance(item, list)} if isinstance(items, list) else set()
    if {2, 3} <= lengths:
        headline = f"some events of the {fields.what} have no label and become class `{LABEL}`"
        fields.report("unlabelled-event", headline, "events", help="label all of them, or none")


def read_masks(fields: Fields, duration: Fraction) -> Masks:
    """Where declared atoms hold: `masks = {quiet = [["0s", "1s"]]}` (rule 14.33)."""
    declared = fields.take("masks")
    if declared is None:
        return ()
    if not isinstance(declared, dict):
        help = 'write `masks = {quiet = [["0s", "1s"]]}`'
        fields.report("wrong-form", "`masks` is a table of atoms", "masks", help=help)
        return ()
    found = []
    inner = fields.inner(declared, "masks", what=f"masks of the {fields.what}")
    for name in declared:
        if not _NAME.fullmatch(name) or name in (*BUILTIN_ATOMS, *CLASS_ATOMS):
            inner.report("wrong-form", f"`{name}` cannot be the name of a declared atom", name)
            continue
        events = read_events(inner, name, duration)
        found.append((name, tuple((event.onset, event.offset) for event in events)))
    return tuple(found)
