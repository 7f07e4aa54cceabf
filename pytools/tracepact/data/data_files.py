"""Files of data however they are kept: Parquet, Arrow and data frames as text, and files of one clip each."""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.data.arrow_files import STARTS, BadColumnarError, ColumnarFile, columnar_faults
from tracepact.data.documents import is_json_lines, table_of_lines
from tracepact.data.sources import PathLike, TextFile, is_archive, plain_name, read_archive, read_text, shown
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.files import table_text
from tracepact.inputs import read_bytes
from tracepact.wording import count as counted
from tracepact.wording import quoted

# Tables that are not text: Parquet and Arrow files, and data frames in memory, as the text of their fields (13.27).

_LARGEST = 1 << 32
_LONGEST_TEXT = 1 << 30
"""Characters that a file may come to as text, in which what it holds once can stand in every row."""
_SHORT_FLOATS = ("float16", "float32", "halffloat", "float")
"""What pandas, polars and Arrow call the floats that are shorter than Python's; polars writes Float32."""
_FLOATS = (*_SHORT_FLOATS, "float64", "double")
_REPEATED = ("double", "float", "string", "large_string", "dictionary", "decimal")
"""Kinds of Arrow columns whose values come again and again: times, clips, labels."""
_NUMBERS = ("float", "double", "halffloat", "int", "uint", "bool")


@dataclass(frozen=True, slots=True)
class Frame:
    """A data frame of any library: the names of its columns, how many rows, and the texts of a column by its place."""

    names: tuple[str, ...]
    rows: int
    texts: Callable[[int], list[str]]
    column: Callable[[int], Any]

    def is_number(self, place: int) -> bool:
        """Whether a column holds numbers of whatever kind."""
        return _kind(self.column(place)).startswith(_NUMBERS)

    def floats(self, place: int) -> NDArray[np.floating] | None:
        """A column of binary floats, none of them missing; else None."""
        column = self.column(place)
        if _kind(column) not in _FLOATS:
            return None
        numbers = np.asarray(column.to_numpy())
        return numbers if numbers.dtype.kind == "f" and not np.isnan(numbers).any() else None

    @property
    def text(self) -> str:
        """The frame as the text of a table, tab separated."""
        columns = [self.texts(place) for place in range(len(self.names))]
        # Counted before it is joined: a dictionary of one long text can fill every row with it.
        if sum(sum(map(len, column)) for column in columns) > _LONGEST_TEXT:
            raise BadColumnarError(f"its texts come to more than {_LONGEST_TEXT:,} characters")
        return table_text(self.names, zip(*columns, strict=True))


def frame_of(data: Any) -> Frame | None:
    """The frame that data is: of pandas, polars, Arrow or `datasets`; None if it is none."""
    # Known by what they can do: none of the libraries is imported for the sake of asking.
    if all(hasattr(data, part) for part in ("features", "column_names", "with_format")):  # a table of `datasets`
        return frame_of(data.with_format("arrow")[:])
    if all(hasattr(data, part) for part in ("columns", "iloc", "isna")):
        series = [data.iloc[:, place] for place in range(len(data.columns))]  # two columns may have one name
        names = tuple(str(name) for name in data.columns)
        return Frame(names, len(data), lambda place: _pandas_texts(series[place]), series.__getitem__)
    if all(hasattr(data, part) for part in ("columns", "get_columns", "height")):
        columns = data.get_columns()
        names, texts = tuple(data.columns), lambda place: _texts(columns[place], columns[place].to_list)
        return Frame(names, data.height, texts, columns.__getitem__)
    if all(hasattr(data, part) for part in ("column_names", "itercolumns", "num_rows")):
        arrays = list(data.itercolumns())
        names = tuple(data.column_names)
        return Frame(names, data.num_rows, lambda place: _arrow_texts(arrays[place]), arrays.__getitem__)
    return None


def _kind(column: Any) -> str:
    """The library's name for the type of a column, in lower case."""
    return str(getattr(column, "dtype", None) or column.type).lower()


def _arrow_texts(column: Any) -> list[str]:
    """The texts of a column of Arrow; what occurs often is written once."""
    with columnar_faults():
        kind = _kind(column)
        if kind.startswith(_REPEATED):
            # Making a text of a number is slow, and a column of times has few that are distinct.
            encoded = column.dictionary_encode().unify_dictionaries()
            known = _texts(found := encoded.chunk(0).dictionary, found.to_pylist) if encoded.num_chunks else []
            places = [chunk.indices.cast("int64").fill_null(len(known)) for chunk in encoded.chunks]  # in a wide type
            known.append("")
            return [known[place] for some in places for place in some.to_pylist()]
        return _texts(column, column.to_pylist)


def _texts(column: Any, listed: Callable[[], Sequence[Any]]) -> list[str]:
    """The texts of a column of polars or Arrow; a short float keeps its own shortest decimal."""
    values = listed()
    if _kind(column) in _SHORT_FLOATS:
        short = column.to_numpy()
        return ["" if value is None else str(number) for value, number in zip(values, short, strict=True)]
    return [field_text(value) for value in values]


def _pandas_texts(series: Any) -> list[str]:
    """The texts of a column of pandas, empty where the value is missing."""
    # `tolist` widens a short float to a double, which is another decimal; iterating the array does not.
    values = series.to_numpy() if str(series.dtype) in _SHORT_FLOATS else series.tolist()
    missing = series.isna().tolist()
    return ["" if absent else field_text(value) for value, absent in zip(values, missing, strict=True)]


def field_text(value: Any) -> str:
    """The text of a value, the shortest decimal for a float (rule 5.2); None is empty, no other value is hidden."""
    if value is None:
        return ""
    try:
        return str(value).strip()
    except ValueError:  # an integer of thousands of digits
        return f"a huge {type(value).__name__}"


def open_data(path: PathLike, diagnostics: Diagnostics, *, may_be_empty: bool = False) -> TextFile | None:
    """A file as text: its own, or of a Parquet or Arrow file that of the table it holds."""
    name = os.fspath(path)
    if is_columnar(name):
        return _columnar_file(name, diagnostics)
    file = read_text(path, diagnostics, may_be_empty=may_be_empty, of_data=True)
    return table_of_lines(file, diagnostics) if file is not None and is_json_lines(file) else file


def is_columnar(name: str) -> bool:
    """Whether a file starts like a Parquet or Arrow file."""
    return first_bytes(name, max(map(len, STARTS))).startswith(STARTS)


def first_bytes(name: str, number: int) -> bytes:
    """The first bytes of a file; none if it cannot be read: reading it as text says why."""
    try:
        with open(name, "rb") as file:
            return file.read(number)
    except (OSError, ValueError):
        return b""


def open_columnar(name: str, diagnostics: Diagnostics) -> tuple[Frame, str] | None:
    """The table of a Parquet or Arrow file, and the digest of the file; None if it is none or cannot be read."""
    try:
        # The bytes that are hashed are the bytes that are read, also if the file changes meanwhile.
        data = read_bytes(name, _LARGEST)
        frame = frame_of(ColumnarFile(data, name).table())
    except ModuleNotFoundError:
        headline = f"`{shown(name)}` is a Parquet or Arrow file, and the package that reads it is not installed"
        diagnostics.add("missing-extra", headline, RowPlace(name), "pip install 'tracepact[parquet]'")
        return None
    except InvalidInput as refused:
        diagnostics.extend(refused.diagnostics)
        return None
    except (OSError, ValueError) as error:
        report_unreadable(name, error, diagnostics)
        return None
    assert frame is not None  # it is a table of Arrow
    return frame, hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class ColumnarRows:
    """Some columns of a Parquet or Arrow file as texts; rows are numbered as the lines of its text would be."""

    name: str
    digest: str
    columns: tuple[list[str], ...]

    def __iter__(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        return zip(count(2), zip(*self.columns, strict=True), strict=False)


def columnar_rows(
    path: PathLike, required: Sequence[str], diagnostics: Diagnostics, *, optional: Sequence[str] = ()
) -> ColumnarRows | None:
    """The required, then the optional columns of a Parquet or Arrow file (empty where absent).

    None if it is no such file, or its columns are not these, each once, or it cannot be read: reading it as text says
    what is wrong.
    """
    name = os.fspath(path)
    opened = open_columnar(name, Diagnostics()) if is_columnar(name) else None
    if opened is None:
        return None
    frame, digest = opened
    # Whatever is wrong here is reported by the reader of text, in the words it has for every table.
    names = [column.strip() for column in frame.names]
    if any(names.count(column) != 1 for column in required) or any(names.count(column) > 1 for column in optional):
        return None
    try:
        return ColumnarRows(name, digest, frame_columns(frame, (*required, *optional)))
    except BadColumnarError:
        return None


def frame_columns(frame: Frame, columns: Sequence[str]) -> tuple[list[str], ...]:
    """The texts of some columns without the spaces around them; empty texts where there is no such column."""
    names = [name.strip() for name in frame.names]
    absent = [""] * frame.rows
    return tuple(frame.texts(names.index(column)) if column in names else absent for column in columns)


def _columnar_file(name: str, diagnostics: Diagnostics) -> TextFile | None:
    """The table of a Parquet or Arrow file as text."""
    opened = open_columnar(name, diagnostics)
    if opened is None:
        return None
    frame, digest = opened
    try:
        text = frame.text  # only now are its texts decoded
    except BadColumnarError as error:
        report_unreadable(name, error, diagnostics)
        return None
    return TextFile(name, text, digest)


def report_unreadable(name: str, error: Exception, diagnostics: Diagnostics, source: str | None = None) -> None:
    """Say why a file, of a source of several, cannot be read: in words for what is known, else in the library's."""
    words = shown(" ".join(str(error).split()), 120)
    if isinstance(error.__cause__, NotImplementedError):  # damaged bytes can ask for anything
        headline, help = f"`{shown(name)}` cannot be read: {words}", "it is damaged, or of a newer form: write it again"
    elif isinstance(error, BadColumnarError):
        headline, help = f"`{shown(name)}` is cut off or damaged", f"write it again; what reads it says: {words}"
    else:
        known = error.strerror.lower() if isinstance(error, OSError) and error.strerror else words
        headline, help = f"`{shown(name)}` cannot be read: {known}", None
    diagnostics.add("unreadable-file", headline, RowPlace(source or name), help)


# Files that speak of one clip each: one of them, or a folder of them, with the clips their names give.

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
    if is_archive(name):
        opened = read_archive(name, diagnostics)
        return None if opened is None else _of_archive(name, *opened, diagnostics)
    if not os.path.isdir(name):
        file = open_data(name, diagnostics, may_be_empty=True)
        return None if file is None else ClipFiles(name, {clip_name(Path(name).name): file}, file.digest)
    files: dict[str, TextFile] = {}
    digest = walk_clips(name, diagnostics, endings, files.__setitem__)
    return None if digest is None else ClipFiles(name, files, digest)


def _of_archive(name: str, texts: Mapping[str, TextFile], digest: str, diagnostics: Diagnostics) -> ClipFiles | None:
    """The files of an archive by clip; None, reported, if two speak of one clip."""
    files: dict[str, TextFile] = {}
    for member in [member for member in texts if not _is_document(member)] or texts:
        if (first := files.setdefault(clip_name(member), texts[member])) is not texts[member]:
            report_two_files(clip_name(member), texts[member].name, f"the other is `{first.name}`", diagnostics)
            return None
    return ClipFiles(name, files, digest)


def walk_clips(
    name: str, diagnostics: Diagnostics, endings: tuple[str, ...], keep: Callable[[str, TextFile], None]
) -> str | None:
    """Hand over every file of a folder by its clip, one after the other; one digest for all, None if one is faulty."""
    homes: dict[str, str] = {}
    lines: list[str] = []
    whole = True
    for relative in chosen_files(Path(name), endings, diagnostics):
        # Python shows bytes of a name that are not UTF-8 as lone surrogates, which no report can be written with.
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
        if homes.setdefault(clip, file.name) != file.name:
            help = f"the other is `{homes[clip]}`; keep one of them in the folder"
            report_two_files(clip, file.name, help, diagnostics)
        else:
            keep(clip, file)
        lines.append(f"{file.digest}  {relative}\n")
    if not lines and whole:
        diagnostics.add("unreadable-file", f"`{shown(name)}` is a folder without files", RowPlace(name))
        return None
    return hashlib.sha256("".join(lines).encode()).hexdigest() if whole else None


def report_two_files(clip: str, name: str, help: str, diagnostics: Diagnostics) -> None:
    """Say that a file is not the first to speak of a clip."""
    diagnostics.add("ambiguous-clip", f"clip `{shown(clip)}` has two files", RowPlace(name), help)


def chosen_files(folder: Path, endings: tuple[str, ...], diagnostics: Diagnostics) -> list[str]:
    """The files to read, by their paths in the folder."""
    files = visible_files(folder)
    chosen, why = [path for path in files if endings and path.lower().endswith(endings)], "with another ending"
    if not chosen:
        chosen, why = [path for path in files if not _is_document(path)], "about the data"
    if chosen and (others := sorted({*files} - {*chosen})):
        listed = quoted([shown(path) for path in others[:3]]) + (" …" if len(others) > 3 else "")
        headline = f"{counted(len(others), 'file')} {why} skipped: {listed}"
        diagnostics.add("files-skipped", headline, RowPlace(str(folder)))
    return chosen or files


def _is_document(path: str) -> bool:
    """Whether a file is written for people who use the data (rule 13.2)."""
    name = PurePosixPath(path)
    return name.stem.lower() in _DOCUMENTS or name.suffix.lower() == ".md"


def visible_files(folder: PathLike, hidden: tuple[str, ...] = (".",)) -> list[str]:
    """The files below a folder by their paths in it, sorted; what starts with one of the signs is left out."""
    paths = []
    for parent, folders, files in os.walk(folder):
        # In place, so that `os.walk` does not go into them.
        folders[:] = [name for name in folders if not name.startswith(hidden)]
        paths += [Path(parent, name).relative_to(folder).as_posix() for name in files if not name.startswith(hidden)]
    return sorted(paths)


def clip_name(relative: str) -> str:
    """The clip a file speaks of: its path without its extension (rule 13.2)."""
    return str(PurePosixPath(plain_name(relative)).with_suffix(""))
