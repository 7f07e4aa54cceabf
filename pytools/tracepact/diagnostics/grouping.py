"""Findings of one code apart by the file they are about, so that those of one file do not hide those of another."""

import posixpath
from collections.abc import Iterable, Sequence

from tracepact.diagnostics.model import Diagnostic, RowPlace, TextPlace

_FEW_FILES = 4

Group = tuple[str, str]
"""A code, and a file or the folder of many."""


def groups_of(diagnostics: Sequence[Diagnostic]) -> list[Group]:
    """The group of each finding: its code with its file; with the folder where a code speaks of many files.

    What stands for several findings is of the group that it names.
    """
    files: dict[str, set[str]] = {}
    for found in diagnostics:
        if not found.stands_for:
            files.setdefault(found.code, set()).add(_file(found))
    names = {code: _names(some) for code, some in files.items()}
    return [
        (found.code, _file(found) if found.stands_for else names[found.code][_file(found)]) for found in diagnostics
    ]


def _names(files: Iterable[str]) -> dict[str, str]:
    """What stands for each file: itself while they are few, else its folder; nothing if those are many too."""
    by_file = {file: file for file in files}
    if len(by_file) <= _FEW_FILES:
        return by_file
    by_folder = {file: posixpath.dirname(file) for file in by_file}
    return by_folder if len(set(by_folder.values())) <= _FEW_FILES else dict.fromkeys(by_file, "")


def _file(found: Diagnostic) -> str:
    match found.place:
        case RowPlace(file):
            return file
        case TextPlace(source):
            return source.name
        case None:
            return ""
