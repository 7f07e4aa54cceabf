"""Stages: work whose result is kept under the digest of all that it depends on, whole or not at all.

A folder of results belongs to one set of settings: `claim` refuses to mix two.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracelab.faults import fault
from tracelab.files import at, write_whole

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
                files = {path.relative_to(part).as_posix(): _digest(path) for path in _files(part)}
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
            found = json.loads(place.read_text(encoding="utf-8"))
        except ValueError as error:
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
        files = json.loads((place / _MANIFEST).read_text(encoding="utf-8"))["files"]
        found = {path.relative_to(place).as_posix() for path in _files(place)} - {_MANIFEST}
        return found == set(files) and all(_digest(place / name) == digest for name, digest in files.items())
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


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
