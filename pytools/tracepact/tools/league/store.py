"""League directories: what they hold, written whole, opened and checked against their manifest (rule 17.7)."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Annotated, Literal

from msgspec import Meta, ValidationError

from tracepact.diagnostics import Diagnostics, InvalidInput, RowPlace
from tracepact.files import BadTable, json_data, json_text, write_folder
from tracepact.inputs import read_bytes
from tracepact.records import Count, Digest, Record, plain, record_of
from tracepact.tools.league.base import Base
from tracepact.tools.league.system import LeagueSystem, file_name, read_system, system_bytes
from tracepact.tools.score.store.manifest import LEAGUE_FORMAT, NAME, digest, self_digest
from tracepact.wording import quoted

BASE = "base.json"
LARGEST_SYSTEM = 1 << 32
VIEWS = ("league.html", "league.md", "league.csv", "league.json")
_HELP = "make the league again from its runs: `tracepact league RUN… --out FOLDER`"


class ListedFile(Record, frozen=True):
    """A file of a league directory."""

    name: str
    bytes: Count
    sha256: Digest


class LeagueManifest(Record, frozen=True):
    """What a league directory holds."""

    format: Literal["tracepact-league-directory/1"]
    systems: Annotated[tuple[str, ...], Meta(description="The files of the systems, in the order they came.")]
    files: tuple[ListedFile, ...]
    sha256: Digest


@dataclass(frozen=True, slots=True)
class StoredLeague:
    """A league directory that was opened: what its runs share, and its systems in the order they came."""

    folder: Path
    base: Base
    systems: tuple[LeagueSystem, ...]


def write_league(
    folder: Path, base: Base, systems: Sequence[LeagueSystem], views: Mapping[str, str], kept: Mapping[str, bytes]
) -> list[Path]:
    """Write a league directory whole; `kept` are the bytes of systems that are stored already, by file name."""
    names = [file_name(system.name) for system in systems]
    files = {name: views[name].encode() for name in VIEWS}
    files[BASE] = json_text(plain(base)).encode()
    for name, system in zip(names, systems, strict=True):
        files[name] = kept[name] if name in kept else system_bytes(system)
    listed = [ListedFile(name, len(data), digest(data)) for name, data in files.items()]
    data = {
        "format": LEAGUE_FORMAT,
        "systems": names,
        "files": [plain(one) for one in listed],
    }
    files[NAME] = json_text({**data, "sha256": self_digest(data)}).encode()
    write_folder(folder, files)
    return [folder / name for name in files]


def open_league(folder: Path) -> tuple[StoredLeague, dict[str, bytes]]:
    """A league directory and the bytes of its systems; InvalidInput if there is none, or if it has changed."""
    manifest = _manifest(folder)
    listed = {one.name: one.sha256 for one in manifest.files}
    base = _base(folder, _bytes(folder, BASE, listed))
    kept = {name: _bytes(folder, name, listed) for name in manifest.systems}
    systems = []
    for name, data in kept.items():
        try:
            systems.append(read_system(data, base))
        except BadTable as error:
            raise _broken(folder / name, str(error)) from error
    return StoredLeague(folder, base, tuple(systems)), kept


def check_place(folder: Path) -> None:
    """Refuse a place where a league directory cannot be written without loss, with InvalidInput."""
    diagnostics = Diagnostics()
    place = RowPlace(str(folder))
    if folder.is_dir():
        there = {entry.name for entry in os.scandir(folder)}
        ours = {NAME, *(one.name for one in _manifest(folder).files)} if NAME in there else set[str]()
        if others := sorted(there - ours):
            what = "holds files that are no part of a league" if ours else "is not a league directory"
            some = f"{quoted(others[:3])}{', …' if len(others) > 3 else ''}"
            headline = f"`{folder}` {what} and is not replaced: {some}"
            diagnostics.add("not-a-league", headline, place, "name another folder, or remove this one")
    elif folder.exists():
        diagnostics.add("not-a-league", f"`{folder}` is a file", place, "name a folder")
    diagnostics.raise_errors()


def _manifest(folder: Path) -> LeagueManifest:
    diagnostics = Diagnostics()
    try:
        text = read_bytes(folder / NAME, as_input=False).decode()
        data = json_data(text)
        found = record_of(data, LeagueManifest)
        names = {one.name for one in found.files}
        sound = all(PurePath(name).name == name and "\0" not in name for name in names) and names >= {*found.systems}
    except (OSError, ValueError, RecursionError, ValidationError):
        headline = f"`{folder}` is not a league directory"
        diagnostics.add(
            "not-a-league", headline, RowPlace(str(folder)), "`tracepact league RUN… --out FOLDER` makes one"
        )
        raise InvalidInput(diagnostics) from None
    if not sound or found.sha256 != self_digest(data) or text != json_text(data):
        raise _broken(folder / NAME, "the manifest is not as it was written: its own digest differs")
    return found


def _bytes(folder: Path, name: str, listed: Mapping[str, str]) -> bytes:
    try:
        data = read_bytes(folder / name, LARGEST_SYSTEM, as_input=False)
    except OSError as error:
        raise _broken(folder / name, f"the file cannot be read: {(error.strerror or str(error)).lower()}") from error
    if digest(data) != listed.get(name):
        raise _broken(folder / name, "the file is not as it was written: its SHA-256 differs")
    return data


def _base(folder: Path, data: bytes) -> Base:
    fault = "the file does not hold what a league shares"
    try:
        found = record_of(json_data(data), Base)
    except (ValueError, RecursionError, ValidationError) as error:
        raise _broken(folder / BASE, fault) from error
    if not found.fits:
        raise _broken(folder / BASE, fault)
    return found


def _broken(place: Path, fault: str) -> InvalidInput:
    diagnostics = Diagnostics()
    diagnostics.add("broken-league", fault, RowPlace(str(place)), _HELP)
    return InvalidInput(diagnostics)
