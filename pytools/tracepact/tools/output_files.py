"""Single files that a command is told to write: none replaces a file of another kind (17.15)."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click

from tracepact.diagnostics import Diagnostic, InvalidInput, RowPlace
from tracepact.io.tables import EVENT_COLUMNS

_HEAD = 4096


class FileKind(NamedTuple):
    """What a file holds, in words, how one is known by its first bytes, and the ending that its name must have."""

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
    if head.strip() and not kind.is_head(head.removeprefix(b"\xef\xbb\xbf")):
        headline = f"`{path}` is there, is not {kind.words}, and is not replaced"
        help = "name another file, or remove this one"
        raise InvalidInput([Diagnostic("unsafe-place", headline, RowPlace(str(path)), help)])
