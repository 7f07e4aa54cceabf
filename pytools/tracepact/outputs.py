"""What commands write and print: folders and files that replace only their own kind, results on standard output."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import click
from msgspec import Meta, ValidationError

from tracepact.data.sources import EVENT_COLUMNS, is_address, public_name
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.files import Row, encoded, json_data, json_text, table_text, write_csv, write_folder
from tracepact.inputs import LARGEST_DOCUMENT, place_within, read_within
from tracepact.records import Record, plain, record_of
from tracepact.show.lines import give, reader_may_leave
from tracepact.wording import quoted

# Folders of results that a command writes whole, and replaces only where the same command has written before.

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
        listing = record_of(json_data(read_within(folder, LISTING, LARGEST_DOCUMENT)), FolderListing)
    except (OSError, ValueError, ValidationError):
        return None
    return listing.files if listing.command == command else None


def _is_there(folder: Path, name: str) -> bool:
    """Whether a listing names a file of its folder; what it names elsewhere is none of the command's."""
    try:
        return place_within(folder, name).is_file()
    except OSError:
        return False


def write_results(folder: Path, command: str, contents: Mapping[str, str | bytes], *, beside: bool = False) -> None:
    """Write the results of a command into a folder of their own, all or none, in place of its earlier ones.

    With `beside`, what the command wrote there earlier and does not write now stays.
    """
    check_folder(folder, command)
    kept: dict[str, bytes] = {}
    if beside and folder.is_dir():
        earlier = (name for name in listed_files(folder, command) or () if name not in contents)
        kept = {name: read_within(folder, name) for name in earlier if _is_there(folder, name)}
    files = kept | {name: encoded(text) if isinstance(text, str) else text for name, text in contents.items()}
    # The listing is written last (`write_folder`), and says which files a later run of the command may replace.
    listing = FolderListing("tracepact-folder/1", command, tuple(files))
    write_folder(folder, files | {LISTING: encoded(json_text(plain(listing)))})


# Single files that a command is told to write: none replaces a file of another kind (17.15).

_HEAD = 4096


class FileKind(NamedTuple):
    """A kind of file: its description, a test of its first bytes, and the ending that its name must have."""

    words: str
    is_head: Callable[[bytes], bool]
    ending: str = ""


def _starting(*heads: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.lstrip().lower().startswith(heads)


def _is_rows(head: bytes) -> bool:
    """Whether a first line has fields separated by commas."""
    first = head.splitlines()[0]
    return b"," in first and not {*b"\0\t<{"} & {*first}


PICTURE = FileKind("an SVG picture", _starting(b"<svg"), ".svg")
BADGE = FileKind("an SVG picture", _starting(b"<svg"))
ROWS = FileKind("CSV rows", _is_rows)
EVENTS = FileKind("a table of events", _starting("\t".join(EVENT_COLUMNS).encode()))
SCORE_ARRAYS = FileKind("an archive of arrays", _starting(b"pk\x03\x04"))
PARQUET = FileKind("a Parquet file", _starting(b"par1"))
DECODING = FileKind("a decoding file", _starting(b'format = "tracepact-decoding'), ".toml")
CERTIFICATE = FileKind("a certificate", _starting(b"import tracepact."))
STATE = FileKind("the state of a stream", lambda head: b'"tracepact-stream/' in head)
PAGE = FileKind("an HTML page", _starting(b"<!doctype html"))
JUNIT = FileKind("JUnit XML", lambda head: b"<testsuites" in head)


class OutputFile(click.Path):
    """A file of a kind to write, refused before anything is computed if something would be lost there.

    `owner` gives the run directory that a place belongs to, None if it is free; no run directory holds a kind that is
    given without it. With `in_new_folder` the folder of the file is made.
    """

    def __init__(
        self, kind: FileKind, owner: Callable[[Path], Path | None] | None = None, *, in_new_folder: bool = False
    ) -> None:
        super().__init__(dir_okay=False, path_type=Path)
        self.kind = kind
        self.owner = owner
        self.in_new_folder = in_new_folder

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The place."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if self.kind.ending and path.suffix.lower() != self.kind.ending:
            self.fail(f"`{path}` must end in {self.kind.ending}", param, ctx)
        if folder := self.owner and self.owner(path):
            self.fail(f"`{path}` belongs to the run directory `{folder}`; name another file", param, ctx)
        if not self.in_new_folder and not path.parent.is_dir():
            self.fail(f"there is no folder `{path.parent}` to write `{path.name}` in", param, ctx)
        check_file(path, self.kind)
        return path


def check_file(path: Path, kind: FileKind) -> None:
    """Refuse, with InvalidInput, to write a file of a kind over one that holds something else (17.15)."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        head = file.read(_HEAD)
    # An empty file loses nothing; a byte order mark is not part of what a file starts with.
    if head.strip() and not kind.is_head(head.removeprefix(b"\xef\xbb\xbf")):
        headline = f"`{path}` is there, is not {kind.words}, and is not replaced"
        help = "name another file, or remove this one"
        raise InvalidInput([Diagnostic("unsafe-place", headline, RowPlace(str(path)), help)])


# Results on standard output: records as JSON, rows as tables.


def print_json(record: Record) -> None:
    """A record as JSON."""
    with reader_may_leave():
        click.echo(json_text(plain(record)), nl=False)


def print_rows(columns: Sequence[str] | None, rows: Iterable[Row], separator: str = ",") -> None:
    """Rows, with their header unless there are no columns, separated by commas or another sign."""
    # A terminal acts on some signs of names, so rows are shown there with these escaped; a file gets them as they are.
    if sys.stdout.isatty():
        give(table_text(columns, rows, separator))
        return
    with reader_may_leave():
        write_csv(sys.stdout, columns, rows, separator)
