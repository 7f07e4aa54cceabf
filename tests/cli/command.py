"""Runs the command line in this process, and keeps what it printed and how it ended."""

import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack, chdir
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from unittest.mock import patch

from tracepact.cli import main

COLUMNS = "filename\tonset\toffset\tevent_label\n"
# What a terminal or a CI service may set and rich would heed.
_COLOUR = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLUMNS")


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def places(self) -> list[tuple[str, str]]:
        """The code and the place of every diagnostic that was drawn, on either stream, in order."""
        found: list[tuple[str, str]] = []
        for line in (*self.out.splitlines(), *self.err.splitlines()):
            if line.startswith(("error[", "warning[")):
                found.append((line.split("[")[1].split("]")[0], ""))
            elif line.lstrip().startswith("--> ") and found and not found[-1][1]:
                found[-1] = found[-1][0], line.split("--> ")[1]
        return found

    @property
    def codes(self) -> list[str]:
        """The codes of the diagnostics, in order."""
        return [code for code, _ in self.places]


def run(*arguments: str, folder: Path | None = None, stdin: bytes = b"") -> Outcome:
    """`tracepact ARGUMENTS…` in a folder; the streams are not terminals."""
    streams = {name: TextIOWrapper(BytesIO(), "utf-8", write_through=True) for name in ("stdout", "stderr")}
    environment = {name: value for name, value in os.environ.items() if name not in _COLOUR}
    with ExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, environment, clear=True))
        stack.enter_context(patch.object(sys, "argv", ["tracepact", *arguments]))
        stack.enter_context(patch.object(sys, "stdin", TextIOWrapper(BytesIO(stdin), "utf-8")))
        for name, stream in streams.items():
            stack.enter_context(patch.object(sys, name, stream))
        if folder is not None:
            stack.enter_context(chdir(folder))
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    assert isinstance(code, int)
    out, err = (stream.buffer.getvalue().decode() for stream in streams.values())  # type: ignore[attr-defined]  # it is a BytesIO
    return Outcome(code, out, err)


def events(*rows: str) -> str:
    """A table of events; fields of a row are separated by spaces."""
    return COLUMNS + "".join("\t".join(row.split(" ")) + "\n" for row in rows)


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Put files into a folder."""
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def listing(folder: Path) -> dict[str, bytes]:
    """Every file below a folder and what it holds."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
