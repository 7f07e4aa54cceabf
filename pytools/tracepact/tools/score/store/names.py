"""What systems are called, in every audit and in leagues: by their run's folder, or as they are named (rule 16.15)."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tracepact.diagnostics import Diagnostics, RowPlace

Place = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A run directory or report, and what its system is called."""

    name: str
    place: str


def named_places(given: Sequence[Place]) -> list[NamedPlace]:
    """The places of systems, each given as a place or as `NAME=PLACE`; InvalidInput if two have one name."""
    found = [_named(os.fspath(place)) for place in given]
    diagnostics = Diagnostics()
    places = [one.place for one in found]
    for place in sorted({place for place in places if places.count(place) > 1}):
        diagnostics.add("repeated-system", f"`{place}` is given more than once", RowPlace(place), "give it once")
    if not diagnostics.errors:
        report_repeated_names(found, diagnostics)
    diagnostics.raise_errors()
    return found


def report_repeated_names(found: Sequence[NamedPlace], diagnostics: Diagnostics) -> None:
    """Say which names stand for more than one system."""
    first: dict[str, NamedPlace] = {}
    for one in found:
        if (other := first.setdefault(one.name, one)) is not one:
            headline = f"two systems are called `{one.name}`: `{other.place}` and `{one.place}`"
            help = f"give one of them another name: NAME={one.place}"
            diagnostics.add("repeated-system", headline, RowPlace(one.place), help)


def _named(given: str) -> NamedPlace:
    name, sign, place = given.partition("=")
    if sign and name.strip() and place and not Path(given).exists():
        return NamedPlace(name.strip(), place)
    return NamedPlace(_short(given), given)


def _short(place: str) -> str:
    """The name of the folder, also for the report in it; that of a file without its ending."""
    path = Path(place).resolve()
    found = path.parent.name if path.name == "report.json" else path.stem if path.is_file() else path.name
    return found or place
