"""Opens the text files of a task: UTF-8 or marked UTF-16 with its digest, or a diagnostic that says why not."""

import difflib
import errno
import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tracepact.diagnostics import Diagnostics, RowPlace, did_you_mean
from tracepact.inputs import LARGEST_DOCUMENT, LARGEST_FILE, note_input

PathLike = str | os.PathLike[str]

LONGEST_LINE = 1 << 20
LARGEST_JSON = LARGEST_DOCUMENT
_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(r"\r\n|\n|\r|\Z")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_SAVE_UTF8 = "save the file as UTF-8"
EMPTY_HELP = "if nothing was found, write the header alone, or the clips without events; else write the file again"


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file's name as it was given, its text without byte order mark, and the SHA-256 of its bytes."""

    name: str
    text: str
    digest: str

    @property
    def is_json(self) -> bool:
        """Whether the content, or failing that the name, says JSON."""
        return self.text.lstrip()[:1] in ("{", "[") or self.name.lower().endswith(".json")


def read_text(path: PathLike, diagnostics: Diagnostics, *, may_be_empty: bool = False) -> TextFile | None:
    """The text of a file, or None with a diagnostic that says why there is none."""
    name = os.fspath(path)
    try:
        data = _read_bytes(name, diagnostics)
    except (OSError, ValueError) as error:
        _report_unreadable(name, error, diagnostics)
        return None
    if data is None:
        return None
    if data.startswith(_UTF16):
        text = _utf16(name, data, diagnostics)
        return None if text is None else _text_file(name, text, data, may_be_empty, diagnostics)
    try:
        text = data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        before = error.object[: error.start]
        diagnostics.add(
            "bad-encoding",
            f"byte 0x{byte:02x} is not UTF-8 text",
            RowPlace(name, len((before + b".").splitlines())),
            f"save the file as UTF-8 (in Latin-1 the byte is `{chr(byte)}`)" if byte >= 0xA0 else _SAVE_UTF8,
        )
        return None
    return _text_file(name, text, data, may_be_empty, diagnostics)


def _text_file(name: str, text: str, data: bytes, may_be_empty: bool, diagnostics: Diagnostics) -> TextFile | None:
    if not text.strip() and not may_be_empty:
        diagnostics.add("empty-file", "the file is empty", RowPlace(name), EMPTY_HELP)
        return None
    return TextFile(name, text, hashlib.sha256(data).hexdigest())


def _utf16(name: str, data: bytes, diagnostics: Diagnostics) -> str | None:
    """The text of a file that starts with the byte order mark of UTF-16 (rule 13.27)."""
    try:
        text = data.decode("utf-16")
    except UnicodeDecodeError as error:
        before = data[: error.start // 2 * 2].decode("utf-16", errors="replace")
        row = before.count("\n") + 1
        diagnostics.add("bad-encoding", "the file is not whole UTF-16 text", RowPlace(name, row), _SAVE_UTF8)
        return None
    if "\0" in text:
        row = text.count("\n", 0, text.index("\0")) + 1
        diagnostics.add("bad-encoding", "the file holds NUL signs: it is not text", RowPlace(name, row), _SAVE_UTF8)
        return None
    return text


def text_lines(file: TextFile) -> Iterator[tuple[int, str]]:
    """The lines of a file that are not blank, with their numbers; no more is read than is asked for."""
    start = 0
    for number, end in enumerate(_LINE_END.finditer(file.text), start=1):
        line = file.text[start : end.start()]
        if line.strip():
            yield number, line
        start = end.end()


def _read_bytes(name: str, diagnostics: Diagnostics) -> bytes | None:
    """The bytes of a file, read once and in pieces, so that what cannot be a table stops early."""
    pieces: list[bytes] = []
    lines = 0
    is_json = wide = False
    with open(name, "rb") as file:
        note_input(name)
        while piece := file.read(LONGEST_LINE):
            if not pieces:
                is_json = piece.removeprefix(_BOM).lstrip()[:1] in (b"{", b"[")
                wide = piece.startswith(_UTF16)
            if b"\0" in piece and not wide:
                row = lines + piece.count(b"\n", 0, piece.index(b"\0")) + 1
                diagnostics.add(
                    "bad-encoding",
                    "the file holds NUL bytes: it is binary, or text that is not UTF-8",
                    RowPlace(name, row),
                    "give a table as UTF-8 text",
                )
                return None
            if len(pieces) * LONGEST_LINE >= LARGEST_FILE:
                raise OSError(errno.EFBIG, f"it holds more than {LARGEST_FILE >> 30} GiB", name)
            if is_json and len(pieces) * LONGEST_LINE >= LARGEST_JSON:
                diagnostics.add("bad-json", f"the document is larger than {LARGEST_JSON >> 20} MiB", RowPlace(name))
                return None
            if not is_json and len(piece) == LONGEST_LINE and b"\n" not in piece and b"\r" not in piece:
                diagnostics.add(
                    "wrong-columns",
                    f"the line is longer than {LONGEST_LINE >> 20} MiB, which no row of a table is",
                    RowPlace(name, lines + 1),
                    "end each row with a line break",
                )
                return None
            lines += piece.count(b"\n")
            pieces.append(piece)
    return b"".join(pieces)


def _report_unreadable(name: str, error: Exception, diagnostics: Diagnostics) -> None:
    path = Path(name)
    match error:
        case FileNotFoundError():
            headline, help = f"there is no file `{shown(name)}`", nearest_sibling(path)
        case IsADirectoryError():
            headline, help = f"`{shown(name)}` is a folder", "give the table itself"
        case OSError(strerror=str(reason)):
            headline, help = f"`{shown(name)}` cannot be opened: {reason.lower()}", None
        case _:
            headline, help = f"`{shown(name)}` cannot be opened: {error}", None
    diagnostics.add("unreadable-file", headline, RowPlace(shown(name)), help)


def nearest_sibling(path: Path) -> str | None:
    """A help line that offers the file of the folder whose name is nearest, if one is near."""
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
        near = difflib.get_close_matches(path.name, names, n=1)
        return did_you_mean(path.name, near) if near else None
    except OSError:
        return f"there is no folder `{path.parent}` either"


def shown(text: str, longest: int = 60) -> str:
    """Input as it stands in a message: short, on one line, with unprintable characters escaped."""
    short = text if len(text) <= longest else text[: longest - 1] + "…"
    return short if short.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in short)
