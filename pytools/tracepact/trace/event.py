"""Exact times, and events as they are read: intervals with labels, by clip, before any grid."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from tracepact.diagnostics import RowPlace
from tracepact.trace.exact_times import Ratios, ratios
from tracepact.trace.field import ScoreField


@dataclass(slots=True, unsafe_hash=True)
class Event:
    """A labelled half-open interval in seconds, the row it came from, and how sure its author was of it.

    Row and confidence are not part of what the event is: two that differ in them alone are equal.
    Nobody changes one. It is not frozen because a table has many, and a frozen one takes three times as long to make.
    """

    onset: Fraction
    offset: Fraction
    label: str
    row: int | None = field(default=None, compare=False)
    confidence: Fraction | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Origin:
    """How a table came to be: its format, the file of each clip that has its own, and how scores were decoded.

    `lengths` are the clips whose files say how long they are; `regions` what the files say is not to be judged;
    `scores` the field the events were decoded from; `shards` the file of each clip of a table that is in several.
    """

    format: str
    files: Mapping[str, str] = field(default_factory=dict)
    decoding: Mapping[str, Any] | None = None
    lengths: Mapping[str, Fraction] = field(default_factory=dict)
    regions: Mapping[str, tuple[Event, ...]] = field(default_factory=dict)
    scores: ScoreField | None = field(default=None, compare=False, repr=False)
    shards: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True)
class EventTable:
    """The events of one side by clip, in the table's order; a silent clip has an empty list."""

    name: str
    clips: Mapping[str, tuple[Event, ...]]
    digest: str | None = None
    origin: Origin | None = field(default=None, compare=False)

    def place(self, clip: str, row: int | None) -> RowPlace:
        """A row of a clip, in the file that holds it."""
        if self.origin is None:
            return RowPlace(self.name, row)
        return RowPlace(self.origin.files.get(clip) or self.origin.shards.get(clip, self.name), row)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The labels that occur."""
        return frozenset(event.label for events in self.clips.values() for event in events)

    @cached_property
    def times(self) -> Ratios:
        """Every onset in the table's order, then every offset."""
        events = [event for some in self.clips.values() for event in some]
        return ratios([*(event.onset for event in events), *(event.offset for event in events)])

    @property
    def events(self) -> Iterable[tuple[str, Event]]:
        """Every event with its clip."""
        return ((clip, event) for clip, events in self.clips.items() for event in events)


@dataclass(frozen=True, slots=True)
class Durations:
    """How long each clip is, in seconds."""

    name: str
    clips: Mapping[str, Fraction]
    digest: str | None = None


Regions = EventTable
"""Ignore regions: intervals by clip; an empty label stands for every class."""
