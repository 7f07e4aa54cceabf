"""Where data lies and how its text is opened: paths, addresses, encodings, archives, sound files."""

import difflib
import errno
import gc
import hashlib
import os
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from gzip import GzipFile
from io import BytesIO
from pathlib import Path
from tokenize import TokenError
from typing import IO, TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace, did_you_mean
from tracepact.files import toml_data
from tracepact.inputs import LARGEST_DOCUMENT, LARGEST_FILE, note_input, read_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

SOUND_ENDINGS = (".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".aif", ".aiff", ".au", ".w64", ".rf64", ".caf")
EVENT_COLUMNS = ("filename", "onset", "offset", "event_label")
"""The columns of a table of events, by which one is known."""

# Pauses Python's search for unreachable cycles while a large table becomes many small objects, none of them in one.


@contextmanager
def uncollected() -> Iterator[None]:
    """No search within; it would walk over all events again and again as they are made."""
    # Whoever has switched it off keeps it off.
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


# Reads the arrays of an `.npz` file that may be anybody's: nothing in it is run, and what it unpacks to is bounded.

_OF_THE_ARCHIVE = OSError, ValueError, EOFError, BadZipFile, NotImplementedError, RuntimeError, zlib.error, struct.error
_OF_THE_HEADERS = SyntaxError, TokenError, TypeError, KeyError, OverflowError
"""What NumPy lets through when the text that describes an array is damaged."""


class BadArraysError(ValueError):
    """A file does not hold arrays; the text says why."""


def read_arrays(data: bytes, most: int) -> "dict[str, NDArray[Any]]":
    """The arrays of an `.npz` file by name; BadArraysError if it is damaged or unpacks to more than `most` octets."""
    import numpy as np

    try:
        # The sizes that the archive declares bound what is unpacked: zipfile gives no more of a part than it declares.
        with ZipFile(BytesIO(data)) as held:
            if sum(part.file_size for part in held.infolist()) > most:
                raise BadArraysError(f"it holds more than {most >> 30} GiB")
        # Pickles are programs: `allow_pickle` stays off.
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (*_OF_THE_ARCHIVE, *_OF_THE_HEADERS) as error:
        raise BadArraysError(" ".join(str(error).split())) from error
    except MemoryError as error:
        raise BadArraysError("an array in it is larger than the memory") from error


# Opens the text files of a task: UTF-8 or marked UTF-16 with its digest, or a diagnostic that says why not.

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


def read_text(
    path: PathLike, diagnostics: Diagnostics, *, may_be_empty: bool = False, of_data: bool = False
) -> TextFile | None:
    """The text of a file, or None with a diagnostic that says why there is none.

    What is `of_data` may be packed, and may be Windows-1252 (rules 13.27, 13.41).
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            note_input(name)
            first = file.read(LONGEST_LINE)
            packed = b""
            if of_data and first.startswith((_GZIP, ZIP)):
                packed = first + file.read(_LARGEST_UNPACKED)
                with _unpacked(packed) as stream:
                    data = _read_bytes(name, stream, stream.read(LONGEST_LINE), diagnostics, _LARGEST_UNPACKED)
            else:
                data = _read_bytes(name, file, first, diagnostics)
    except (OSError, ValueError) as error:
        _report_unreadable(name, error, diagnostics)
        return None
    if data is None:
        return None
    digest = hashlib.sha256(packed or data).hexdigest()
    return _text_file(name, data, digest, diagnostics, may_be_empty=may_be_empty, of_data=of_data)


def _text_file(
    name: str, data: bytes, digest: str, diagnostics: Diagnostics, *, may_be_empty: bool, of_data: bool
) -> TextFile | None:
    """The text of bytes, or None with a diagnostic that says why there is none."""
    # Spreadsheets save "Unicode text" as UTF-16. Without its mark it cannot be told from binary data (rule 13.27).
    try:
        text = _utf16(name, data, diagnostics) if data.startswith(_UTF16) else data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        text = _other_encoding(name, error, diagnostics, of_data=of_data)
    if text is None:
        return None
    if not text.strip() and not may_be_empty:
        diagnostics.add("empty-file", "the file is empty", RowPlace(name), EMPTY_HELP)
        return None
    return TextFile(name, text, digest)


def _other_encoding(name: str, error: UnicodeDecodeError, diagnostics: Diagnostics, *, of_data: bool) -> str | None:
    """The text of bytes that are not UTF-8, where they can be Windows-1252; None, reported, where they cannot."""
    byte, before = error.object[error.start], error.object[: error.start]
    place = RowPlace(name, len((before + b".").splitlines()))
    fault = f"byte 0x{byte:02x} is not UTF-8 text"
    # Where other signs beyond ASCII are UTF-8, the file is UTF-8 that was damaged: read otherwise, all would change.
    if of_data and error.object.decode("utf-8", errors="ignore").isascii():
        with suppress(UnicodeDecodeError):
            text = error.object.decode("cp1252")
            headline = (
                f"{fault}; the file is read as Windows-1252, where it is `{shown(bytes([byte]).decode('cp1252'))}`"
            )
            diagnostics.add("assumed-form", headline, place, f"{_SAVE_UTF8} to be sure")
            return text
    help = f"save the file as UTF-8 (in Latin-1 the byte is `{chr(byte)}`)" if byte >= 0xA0 else _SAVE_UTF8
    diagnostics.add("bad-encoding", fault, place, help)
    return None


# Packed data: a gzip file, or a ZIP archive of one table, or of files of one clip each.

ZIP, _GZIP = b"PK\x03\x04", b"\x1f\x8b"
_LARGEST_UNPACKED = 1 << 29
"""Bytes that packed data may come to: a table packs to a twentieth, and a bomb to a thousandth."""
_PACKED = (".gz", ".zip")


def plain_name(name: str) -> str:
    """The name of a file without what packing it added."""
    return os.path.splitext(name)[0] if name.lower().endswith(_PACKED) else name


def is_archive(path: PathLike) -> bool:
    """Whether a file is a ZIP archive of several texts; one of arrays is none."""
    names = _names(path)
    return names is not None and len(names) > 1 and not any(name.endswith(".npy") for name in names)


def is_arrays(path: PathLike) -> bool:
    """Whether a file is a ZIP archive that may hold arrays; what is damaged is taken for one of them."""
    names = _names(path)
    return names is not None and (not names or any(name.endswith(".npy") for name in names))


def _names(path: PathLike) -> list[str] | None:
    """The files in a ZIP archive, none if it is damaged; None if a file is no such archive."""
    if not os.path.isfile(path):  # what a pipe holds can be read once
        return None
    try:
        with open(path, "rb") as file:
            if file.read(len(ZIP)) != ZIP:
                return None
            with suppress(*_OF_THE_ARCHIVE):
                return [part.filename for part in _members(ZipFile(file))]
            return []
    except (OSError, ValueError):
        return None


def _members(archive: ZipFile) -> list[ZipInfo]:
    """The files of an archive that may be data, in the order of their names; what systems add is left out."""
    hidden = re.compile(r"(?:^|/)(?:\.|__MACOSX/)")
    files = [part for part in archive.infolist() if not part.is_dir() and not hidden.search(part.filename)]
    return sorted(files, key=lambda part: part.filename)


@contextmanager
def _unpacked(packed: bytes) -> Iterator[IO[bytes] | GzipFile]:
    """A stream of the content of a packed file; OSError if it is damaged or holds more than one file."""
    try:
        if packed.startswith(_GZIP):
            with GzipFile(fileobj=BytesIO(packed)) as stream:
                yield stream
            return
        with ZipFile(BytesIO(packed)) as archive:
            members = _members(archive)
            if len(members) != 1:
                raise OSError(errno.EINVAL, f"it is an archive of {len(members)} files, and one is needed")
            with archive.open(members[0]) as stream:
                yield stream
    except (zlib.error, EOFError, BadZipFile, NotImplementedError, RuntimeError, struct.error) as error:
        raise OSError(errno.EINVAL, f"it is cut off or damaged ({error})") from error


def read_archive(path: PathLike, diagnostics: Diagnostics) -> tuple[dict[str, TextFile], str] | None:
    """The texts of a ZIP archive by their names in it, and its digest; None with what is wrong with one of them."""
    name = os.fspath(path)
    texts: dict[str, TextFile | None] = {}
    try:
        packed = read_bytes(name, _LARGEST_UNPACKED)
        with ZipFile(BytesIO(packed)) as archive:
            if sum(member.file_size for member in _members(archive)) > _LARGEST_UNPACKED:
                raise OSError(errno.EFBIG, f"it unpacks to more than {_LARGEST_UNPACKED >> 20} MiB")
            for member in _members(archive):
                inner = f"{name}/{member.filename}"
                with archive.open(member) as stream:
                    data = _read_bytes(inner, stream, stream.read(LONGEST_LINE), diagnostics, _LARGEST_UNPACKED)
                digest = hashlib.sha256(data or b"").hexdigest()
                texts[member.filename] = (
                    None
                    if data is None
                    else _text_file(inner, data, digest, diagnostics, may_be_empty=True, of_data=True)
                )
    except _OF_THE_ARCHIVE as error:
        _report_unreadable(name, error, diagnostics)
        return None
    whole = {member: text for member, text in texts.items() if text is not None}
    return (whole, hashlib.sha256(packed).hexdigest()) if len(whole) == len(texts) else None


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


def read_toml_file(
    path: PathLike, code: str, help: str | None, diagnostics: Diagnostics, parse_float: Callable[[str], Any] = float
) -> tuple[TextFile, dict[str, Any]] | None:
    """A TOML file and its data; None with a diagnostic, of this code and with this help where the text is not TOML."""
    file = read_text(path, diagnostics)
    if file is None:
        return None
    try:
        return file, toml_data(file.text, parse_float)
    except ValueError as error:
        words, _, where = str(error).partition(" (at ")
        line = re.match(r"line (\d+)", where)
        place = RowPlace(file.name, int(line[1]) if line else None)
        diagnostics.add(code, f"the file is not TOML: {words[:1].lower()}{words[1:]}", place, help)
        return None


def text_lines(file: TextFile) -> Iterator[tuple[int, str]]:
    """The lines of a file that are not blank, with their numbers; no more is read than is asked for."""
    # Not `splitlines`, which ends lines at form feeds and other signs that labels may hold, and takes the whole text.
    start = 0
    for number, end in enumerate(_LINE_END.finditer(file.text), start=1):
        line = file.text[start : end.start()]
        if line.strip():
            yield number, line
        start = end.end()


def _read_bytes(
    name: str, file: IO[bytes] | GzipFile, piece: bytes, diagnostics: Diagnostics, most: int = LARGEST_FILE
) -> bytes | None:
    """The bytes of a stream from its first piece on, in pieces, so that what cannot be a table stops early."""
    # A gigabyte without a line break, or of NULs, is refused after its first megabyte.
    pieces: list[bytes] = []
    lines = 0
    is_json = wide = False
    while piece:
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
        # Bytes that have come are counted, not the size that the system says: a pipe or a device has none.
        if len(pieces) * LONGEST_LINE >= most:
            raise OSError(errno.EFBIG, f"it holds more than {most >> 20:,} MiB", name)
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
        piece = file.read(LONGEST_LINE)
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


# Where data lies: local paths, and addresses such as `s3://…` that fsspec reads; names without credentials.

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_SECRET = re.compile(r"(?<=://)[^/@]*@")


def is_address(path: PathLike) -> bool:
    """Whether a path is the address of a store, such as `s3://bucket/folder`, and not a place in the file system."""
    return _ADDRESS.match(os.fspath(path)) is not None


def public_name(path: PathLike) -> str:
    """A path as reports may show it: an address loses its user, its password and what follows a question mark."""
    # Reports are handed on: no password or token of an address gets into one.
    text = os.fspath(path)
    return _SECRET.sub("", text).split("?")[0].split("#")[0] if is_address(text) else text


def file_system(path: PathLike) -> tuple[Any, str]:
    """The file system that holds a path, as fsspec knows it, and the path in it; ImportError without fsspec."""
    import fsspec

    system, inner = fsspec.core.url_to_fs(os.fspath(path))
    return system, str(inner)


def report_missing_fsspec(path: PathLike, diagnostics: Diagnostics) -> None:
    """Say that an address needs a package that is not there."""
    name = public_name(path)
    headline = f"`{shown(name)}` is an address, and the package that reads it is not installed"
    help = "pip install 'tracepact[cluster]', and what fsspec needs for this kind of store, such as s3fs"
    diagnostics.add("missing-extra", headline, RowPlace(name), help)


def digest_of_files(system: Any, files: Sequence[str], root: str) -> str:
    """The SHA-256 of one file, or of the list of the digests and names of several, read piece by piece."""
    # The form of `sha256sum`, so that anybody can compute it again from the files.
    digests = [_digest(system, file) for file in files]
    if len(files) == 1 and files[0] == root:
        return digests[0]
    names = (os.path.relpath(file, root).replace(os.sep, "/") for file in files)
    lines = "".join(f"{digest}  {name}\n" for digest, name in zip(digests, names, strict=True))
    return hashlib.sha256(lines.encode()).hexdigest()


def _digest(system: Any, file: str) -> str:
    with system.open(file, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
