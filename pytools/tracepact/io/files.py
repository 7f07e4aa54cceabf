"""Files that speak of one clip each: one of them, or a folder of them, with the clips their names give."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io.source import PathLike, TextFile, read_text, shown


@dataclass(frozen=True, slots=True)
class ClipFiles:
    """The files by clip, in the order of their names, and one digest for all of them."""

    name: str
    clips: Mapping[str, TextFile]
    digest: str

    @property
    def names(self) -> dict[str, str]:
        """The file of each clip."""
        return {clip: file.name for clip, file in self.clips.items()}


def clip_files(path: PathLike, diagnostics: Diagnostics) -> ClipFiles | None:
    """A file, or all files of a folder that are not hidden; None if a file cannot be read, which is reported."""
    name = os.fspath(path)
    if not os.path.isdir(name):
        file = read_text(name, diagnostics, may_be_empty=True)
        return None if file is None else ClipFiles(name, {clip_name(Path(name).name): file}, file.digest)
    found: dict[str, TextFile] = {}
    lines: list[str] = []
    whole = True
    for relative in _listed(Path(name)):
        file = read_text(str(Path(name) / relative), diagnostics, may_be_empty=True)
        if file is None:
            whole = False
            continue
        clip = clip_name(relative)
        if clip in found:
            diagnostics.add(
                "ambiguous-clip",
                f"clip `{shown(clip)}` has two files",
                RowPlace(file.name),
                f"the other is `{found[clip].name}`; keep one of them in the folder",
            )
        else:
            found[clip] = file
        lines.append(f"{file.digest}  {relative}\n")
    if not lines and whole:
        diagnostics.add("unreadable-file", f"`{shown(name)}` is a directory without files", RowPlace(name))
        return None
    return ClipFiles(name, found, hashlib.sha256("".join(lines).encode()).hexdigest()) if whole else None


def _listed(folder: Path) -> list[str]:
    """The files below a folder by their paths in it, sorted; hidden ones and those in hidden folders are left out."""
    found = []
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(parent, name).relative_to(folder).as_posix() for name in files if not name.startswith(".")]
    return sorted(found)


def clip_name(relative: str) -> str:
    """The clip a file speaks of: its path without its extension (rule 13.2)."""
    return str(PurePosixPath(relative).with_suffix(""))
