"""Folders of results that a command writes whole, and replaces only where the same command has written before."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import click
from msgspec import Meta, ValidationError

from tracepact.diagnostics import Diagnostic, Diagnostics, InvalidInput, RowPlace
from tracepact.files import encoded, json_data, json_text, write_folder
from tracepact.inputs import LARGEST_DOCUMENT, read_bytes
from tracepact.io.storage import is_address, public_name
from tracepact.records import Record, plain, record_of
from tracepact.wording import quoted

LISTING = ".tracepact.json"
"""The file that says which files of a folder a command wrote, and which command it was."""


class FolderListing(Record, frozen=True):
    """The files of a folder that a command wrote."""

    format: Literal["tracepact-folder/1"]
    command: Annotated[str, Meta(description="The command that wrote them.")]
    files: tuple[str, ...]


class LocalFolder(click.Path):
    """A folder of this machine to write to; an address of a store is refused, for nothing is written whole there."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The place."""
        if isinstance(value, str):
            refuse_address(value)
        return Path(os.fsdecode(super().convert(value, param, ctx)))


def refuse_address(place: str | Path) -> None:
    """Refuse, with InvalidInput, to write to the address of a store (rule 24.15)."""
    if is_address(place):
        headline = f"`{public_name(place)}` is the address of a store, where no folder can be written whole"
        raise InvalidInput([Diagnostic("unsafe-place", headline, None, "write it here, and copy the finished folder")])


class OutputFolder(LocalFolder):
    """A folder for the results of a command, refused before anything is computed if something would be lost there."""

    def __init__(self, command: str) -> None:
        super().__init__()
        self.command = command

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The place."""
        folder = super().convert(value, param, ctx)
        check_folder(folder, self.command)
        return folder


def check_folder(folder: Path, command: str) -> None:
    """Refuse, with InvalidInput, a place where the results of a command cannot be put without loss.

    Good places are a new folder, an empty one, and one that holds nothing but what the command wrote there (17.11).
    """
    diagnostics, place = Diagnostics(), RowPlace(str(folder))
    if folder.is_dir():
        listed = listed_files(folder, command)
        there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
        if others := sorted(there - {LISTING, *(listed or ())}):
            some = f"{quoted(others[:3])}{', …' if len(others) > 3 else ''}"
            what = f"holds files that `tracepact {command}` did not write"
            headline = f"`{folder}` {what} and is not replaced: {some}"
            diagnostics.add("unsafe-place", headline, place, "name a new folder, or remove these files")
    elif folder.exists():
        diagnostics.add("unsafe-place", f"`{folder}` is not a folder", place, "name a folder")
    diagnostics.raise_errors()


def listed_files(folder: Path, command: str) -> tuple[str, ...] | None:
    """The files that a command says it wrote into a folder; None if it says nothing."""
    try:
        found = record_of(json_data(read_bytes(folder / LISTING, LARGEST_DOCUMENT, as_input=False)), FolderListing)
    except (OSError, ValueError, ValidationError):
        return None
    return found.files if found.command == command else None


def write_results(folder: Path, command: str, contents: Mapping[str, str | bytes], *, beside: bool = False) -> None:
    """Write the results of a command into a folder of their own, all or none, in place of its earlier ones.

    With `beside`, what the command wrote there earlier and does not write now stays.
    """
    check_folder(folder, command)
    kept: dict[str, bytes] = {}
    if beside and folder.is_dir():
        earlier = (name for name in listed_files(folder, command) or () if name not in contents)
        kept = {name: read_bytes(folder / name, as_input=False) for name in earlier if (folder / name).is_file()}
    files = kept | {name: encoded(text) if isinstance(text, str) else text for name, text in contents.items()}
    listing = FolderListing("tracepact-folder/1", command, tuple(files))
    write_folder(folder, files | {LISTING: encoded(json_text(plain(listing)))})
