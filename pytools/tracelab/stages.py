"""Long work: progress as a bar for every stage, results kept under the digest of all they depend on."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import click
import msgspec
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from tracelab.files import at, fault, write_whole
from tracepact.inputs import LARGEST_DOCUMENT, digest_within, read_within

# What long work tells: a stage that begins, and each part of it that is done.


def _nothing(*_: object) -> None:
    """Say nothing."""


@dataclass(frozen=True, slots=True)
class StageListener:
    """Called with the name and number of parts of a stage as it begins, and after each part."""

    begin: Callable[[str, int], None] = _nothing
    advance: Callable[[], None] = _nothing


SILENT = StageListener()


# Progress on standard error, a bar for every stage.


@contextmanager
def stage_bars() -> Iterator[StageListener]:
    """Progress on standard error, a bar for every stage."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=False) as bars:
        current: list[TaskID] = []

        def end() -> None:
            """What is over is done, also where parts of it were kept from before."""
            for task in current:
                bars.update(task, completed=bars.tasks[task].total)

        def begin(name: str, parts: int) -> None:
            end()
            current[:] = [bars.add_task(name, total=parts)]

        yield StageListener(begin, lambda: bars.advance(current[0]))
        end()


@contextmanager
def resumable_bars() -> Iterator[StageListener]:
    """Progress of work that keeps its stages; whoever stops it is told how to go on."""
    try:
        with stage_bars() as progress:
            yield progress
    except KeyboardInterrupt:
        click.echo("the same command goes on from here", err=True)
        raise


# Stages: work whose result is kept under the digest of all that it depends on, whole or not at all.
#
# A folder of results belongs to one set of settings: `claim` refuses to mix two.

_PACKAGE = Path(__file__).resolve().parent
_MANIFEST = "stage.json"
_SETTINGS = "settings.json"


@dataclass(frozen=True, slots=True)
class Stages:
    """The folder of stages."""

    folder: Path

    @classmethod
    def within(cls, folder: Path) -> "Stages":
        """The stages of a folder of results, without what stopped processes left behind."""
        stages = cls(folder / "stages")
        stages.folder.mkdir(parents=True, exist_ok=True)
        stages.remove_parts()
        return stages

    def kept(self, name: str, key: Any, make: Callable[[Path], None]) -> Path:
        """The folder of a stage's result: the kept one if it is whole, else made now.

        It is made beside its place and moved there when it is done, so that nothing half-written is ever taken for it.
        """
        place = self.place(name, key)
        if whole(place):
            return place
        part = self.folder / f".{place.name}.{os.getpid()}.part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        try:
            with at(place):
                make(part)
                files = {path.relative_to(part).as_posix(): written_digest(path) for path in _files(part)}
                write_whole(part / _MANIFEST, json.dumps({"key": key, "files": files}, indent=1) + "\n")
                shutil.rmtree(place, ignore_errors=True)
                part.rename(place)
        finally:
            shutil.rmtree(part, ignore_errors=True)
        return place

    def place(self, name: str, key: Any) -> Path:
        """Where the result of a stage is, or would be."""
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
        return self.folder / f"{name}-{digest[:16]}"

    def remove_parts(self) -> int:
        """Remove what processes that are gone left behind, and say how many."""
        left = [part for part in self.folder.glob(".*.part") if not _runs(int(part.name.split(".")[-2]))]
        for part in left:
            shutil.rmtree(part)
        return len(left)


def claim(folder: Path, settings: Mapping[str, Any], what: str) -> None:
    """Refuse a folder that holds something else, or results with other settings; else it is theirs."""
    place = folder / _SETTINGS
    if place.exists():
        try:
            found = json.loads(read_within(folder, _SETTINGS, LARGEST_DOCUMENT))
        except (OSError, ValueError) as error:
            raise fault("other-study", f"the settings cannot be read: {error}", place, "name another folder") from error
        if found != settings:
            raise fault("other-study", f"the folder holds a {what} with other settings", folder, "name another folder")
    elif folder.exists() and any(folder.iterdir()):
        raise fault("other-study", f"the folder is not empty and holds no {what}", folder, "name another folder")
    else:
        write_whole(place, json.dumps(settings, indent=2) + "\n")


def whole(place: Path) -> bool:
    """Whether a stage's files are all there, each with its digest."""
    try:
        files = json.loads(read_within(place, _MANIFEST, LARGEST_DOCUMENT))["files"]
        found = {path.relative_to(place).as_posix() for path in _files(place)} - {_MANIFEST}
        return found == set(files) and all(digest_within(place, name) == digest for name, digest in files.items())
    except (OSError, ValueError, KeyError):
        return False


def code_digest(*parts: str) -> str:
    """The digest of the lab's own files: a stage is made anew when the code that makes it changes."""
    total = hashlib.sha256()
    for part in parts:
        for path in sorted((_PACKAGE / part).rglob("*.py")) if (_PACKAGE / part).is_dir() else [_PACKAGE / part]:
            total.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def written_digest(path: Path) -> str:
    """The SHA-256 of a file that was just written."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


# The record of a folder of results: what its settings were, and the SHA-256 of every file that follows from them.


def write_record(place: Path, record: Mapping[str, Any], parts: Iterable[str]) -> None:
    """The record of a folder with the digests of its parts, which are folders or single files."""
    folder = place.parent
    digests = {
        path.relative_to(folder).as_posix(): written_digest(path)
        for part in parts
        for path in sorted([folder / part] if (folder / part).is_file() else (folder / part).rglob("*.*"))
    }
    write_whole(place, json.dumps({**record, "complete": True, "files": digests}, indent=2) + "\n")


def read_record(place: Path, scales: Collection[str], command: str) -> dict[str, Any]:
    """The record of a study or a probe at one of these scales."""
    try:
        record: dict[str, Any] = json.loads(read_within(place.parent, place.name, LARGEST_DOCUMENT))
        if record["scale"] not in scales:
            raise ValueError(record["scale"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        help = f"`tracelab {command} --out FOLDER` writes one"
        headline = f"not the folder of a {command}: it has no readable `{place.name}`"
        raise fault("not-a-study", headline, place.parent, help) from error
    return record


def stored_digest(folder: Path, name: str) -> str | None:
    """The SHA-256 of a stored file; None if it cannot be read."""
    try:
        return digest_within(folder, name)
    except OSError:
        return None


# What verifying a folder of results found: how much was computed again, and what is not as it was.

UNREADABLE = (
    OSError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    BadZipFile,
    EOFError,
    msgspec.MsgspecError,
)
"""What a stored file that is not as it was written can end in where it is used."""
_MOST_DRAWS = 100_000


@dataclass(frozen=True, slots=True)
class Verified:
    """How much was checked, what is not as it was, and what may be said if nothing drifted."""

    checked: str
    drifts: tuple[str, ...]
    seal: str = ""

    @property
    def holds(self) -> bool:
        """Whether everything is as it was."""
        return not self.drifts


def unreadable(error: Exception) -> str:
    """What kept a stored file from being used, in words."""
    match error:
        case OSError(strerror=str() as reason, filename=str() as name):
            return f"{Path(name).name}: {reason}"
        case BadZipFile() | EOFError():
            return f"stored arrays are damaged ({error})"
        case KeyError():
            return f"a file has no part called {error}"
    return str(error)


def stored_draws(record: Mapping[str, Any]) -> int:
    """How many draws the intervals of a record rest on; ValueError for more than anybody makes."""
    draws = record["draws"]
    if not isinstance(draws, int) or not 0 < draws <= _MOST_DRAWS:
        raise ValueError(f"the record has `{draws}` draws, not 1 to {_MOST_DRAWS:,}")
    return draws
