"""Events as they are read: exact intervals with labels, by clip, before any grid."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Event:
    """A labelled half-open interval in seconds, and the row it came from."""

    onset: Fraction
    offset: Fraction
    label: str
    row: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class EventTable:
    """The events of one side by clip, in the table's order; a silent clip has an empty list."""

    name: str
    clips: Mapping[str, tuple[Event, ...]]
    digest: str | None = None

    @property
    def labels(self) -> frozenset[str]:
        """The labels that occur."""
        return frozenset(event.label for events in self.clips.values() for event in events)

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
