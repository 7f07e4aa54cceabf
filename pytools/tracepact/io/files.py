"""Files that speak of one clip each: one of them, or a folder of them, with the clips their names give."""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tracepact.diagnostics import Diagnostic, Diagnostics, InvalidInput, RowPlace
from tracepact.io.columnar import open_data
from tracepact.io.source import PathLike, TextFile, shown
from tracepact.wording import count, quoted

_DOCUMENTS = ("readme", "license", "licence", "changelog")


@dataclass(frozen=True, slots=True)
class ClipFiles:
    """The files by clip, in the order of their names, and one digest for all of them."""

    name: str
    clips: Mapping[str, TextFile]
    digest: str

    @property
    def is_one_file(self) -> bool:
        """Whether a file was given alone, not a folder."""
        return len(self.clips) == 1 and not os.path.isdir(self.name)

    @property
    def names(self) -> dict[str, str]:
        """The file of each clip."""
        return {clip: file.name for clip, file in self.clips.items()}


@dataclass(frozen=True, slots=True)
class FileOnDisk:
    """A file of a folder that is read when it is needed: its place, its digest when it was first read, its size."""

    name: str
    digest: str
    size: int

    def read(self) -> TextFile:
        """The file; InvalidInput if it cannot be read any more, or is another one now."""
        faults = Diagnostics()
        file = open_data(self.name, faults, may_be_empty=True)
        faults.raise_errors()
        if file is None or file.digest != self.digest:
            headline = f"`{shown(self.name)}` was changed while it was being read"
            help = "start again when nobody writes to the folder"
            raise InvalidInput([Diagnostic("unreadable-file", headline, RowPlace(self.name), help)])
        return file


class FilesOnDisk(Mapping[str, TextFile]):
    """The files of clips, each read when it is asked for and not held."""

    def __init__(self, files: Mapping[str, FileOnDisk]) -> None:
        self._files = files

    def __getitem__(self, clip: str) -> TextFile:
        return self._files[clip].read()

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def clip_files(path: PathLike, diagnostics: Diagnostics, endings: tuple[str, ...] = ()) -> ClipFiles | None:
    """A file, or all files of a folder that are not hidden; None if a file cannot be read, which is reported.

    If files of the folder have one of the endings, the others are skipped, which is reported.
    """
    name = os.fspath(path)
    if not os.path.isdir(name):
        file = open_data(name, diagnostics, may_be_empty=True)
        return None if file is None else ClipFiles(name, {clip_name(Path(name).name): file}, file.digest)
    found: dict[str, TextFile] = {}

    def keep(clip: str, file: TextFile) -> None:
        found[clip] = file

    digest = walk_clips(name, diagnostics, endings, keep)
    return None if digest is None else ClipFiles(name, found, digest)


def walk_clips(
    name: str, diagnostics: Diagnostics, endings: tuple[str, ...], keep: Callable[[str, TextFile], None]
) -> str | None:
    """Hand over every file of a folder by its clip, one after the other; one digest for all, None if one is faulty."""
    found: dict[str, str] = {}
    lines: list[str] = []
    whole = True
    for relative in _chosen(Path(name), endings, diagnostics):
        if any("\ud800" <= sign <= "\udfff" for sign in relative):
            headline = f"the name of `{shown(relative)}` is not UTF-8, and a clip is called like its file"
            diagnostics.add("unreadable-file", headline, RowPlace(shown(name)), "rename the file")
            whole = False
            continue
        file = open_data(str(Path(name) / relative), diagnostics, may_be_empty=True)
        if file is None:
            whole = False
            continue
        clip = clip_name(relative)
        if clip in found:
            diagnostics.add(
                "ambiguous-clip",
                f"clip `{shown(clip)}` has two files",
                RowPlace(file.name),
                f"the other is `{found[clip]}`; keep one of them in the folder",
            )
        else:
            found[clip] = file.name
            keep(clip, file)
        lines.append(f"{file.digest}  {relative}\n")
    if not lines and whole:
        diagnostics.add("unreadable-file", f"`{shown(name)}` is a folder without files", RowPlace(name))
        return None
    return hashlib.sha256("".join(lines).encode()).hexdigest() if whole else None


def _chosen(folder: Path, endings: tuple[str, ...], diagnostics: Diagnostics) -> list[str]:
    """The files to read, by their paths in the folder."""
    found = _listed(folder)
    called = [path for path in found if endings and path.lower().endswith(endings)]
    others, why = sorted(set(found) - set(called)) if called else [], "with another ending"
    if not called:
        called, others, why = (
            [p for p in found if not _is_document(p)],
            [*filter(_is_document, found)],
            "about the data",
        )
    if called and others:
        listed = quoted([shown(path) for path in others[:3]]) + (" …" if len(others) > 3 else "")
        diagnostics.add("files-skipped", f"{count(len(others), 'file')} {why} skipped: {listed}", RowPlace(str(folder)))
    return called or found


def _is_document(path: str) -> bool:
    """Whether a file is written for people who use the data (rule 13.2)."""
    name = PurePosixPath(path)
    return name.stem.lower() in _DOCUMENTS or name.suffix.lower() == ".md"


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
