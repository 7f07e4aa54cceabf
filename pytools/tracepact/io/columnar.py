"""Tables that are not text: Parquet and Arrow files, and data frames in memory, as the text of their fields (13.27)."""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.files import table_text
from tracepact.inputs import read_bytes
from tracepact.io.source import PathLike, TextFile, read_text, shown

_PARQUET, _ARROW = b"PAR1", b"ARROW1"
_LARGEST = 1 << 32
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
        found = np.asarray(column.to_numpy())
        return found if found.dtype.kind == "f" and not np.isnan(found).any() else None

    @property
    def text(self) -> str:
        """The frame as the text of a table, tab separated."""
        columns = [self.texts(place) for place in range(len(self.names))]
        return table_text(self.names, zip(*columns, strict=True))


def frame_of(data: Any) -> Frame | None:
    """The frame that data is: of pandas, polars or Arrow; None if it is none."""
    if all(hasattr(data, part) for part in ("columns", "iloc", "isna")):
        names = tuple(str(name) for name in data.columns)
        return Frame(
            names, len(data), lambda place: _pandas_texts(data.iloc[:, place]), lambda place: data.iloc[:, place]
        )
    if all(hasattr(data, part) for part in ("columns", "get_columns", "height")):
        columns = data.get_columns()
        return Frame(
            tuple(data.columns),
            data.height,
            lambda place: _texts(columns[place], columns[place].to_list),
            columns.__getitem__,
        )
    if all(hasattr(data, part) for part in ("column_names", "itercolumns", "num_rows")):
        arrays = list(data.itercolumns())
        return Frame(
            tuple(data.column_names),
            data.num_rows,
            lambda place: _arrow_texts(arrays[place]),
            arrays.__getitem__,
        )
    return None


def _kind(column: Any) -> str:
    """What a library calls the kind of a column, in lower case."""
    return str(getattr(column, "dtype", None) or column.type).lower()


def _arrow_texts(column: Any) -> list[str]:
    """The texts of a column of Arrow; what occurs often is written once."""
    kind = _kind(column)
    if kind.startswith(_REPEATED):
        encoded = column.dictionary_encode().unify_dictionaries()
        known = _texts(found := encoded.chunk(0).dictionary, found.to_pylist) if encoded.num_chunks else []
        places = [chunk.indices.fill_null(len(known)) for chunk in encoded.chunks]
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
    return read_text(path, diagnostics, may_be_empty=may_be_empty)


def is_columnar(name: str) -> bool:
    """Whether a file starts like a Parquet or Arrow file."""
    return first_bytes(name, len(_ARROW)).startswith((_PARQUET, _ARROW))


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
        import pyarrow
        from pyarrow import feather, parquet
    except ModuleNotFoundError:
        headline = f"`{shown(name)}` is a Parquet or Arrow file, and the package that reads it is not installed"
        diagnostics.add("missing-extra", headline, RowPlace(name), "pip install 'tracepact[parquet]'")
        return None
    try:
        data = read_bytes(name, _LARGEST)
        source = pyarrow.BufferReader(data)
        found = parquet.read_table(source) if data.startswith(_PARQUET) else feather.read_table(source)
        frame = frame_of(found)  # the names of the columns are decoded here
    except arrow_faults() as error:
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
    found = open_columnar(name, Diagnostics()) if is_columnar(name) else None
    if found is None:
        return None
    frame, digest = found
    names = [column.strip() for column in frame.names]
    if any(names.count(column) != 1 for column in required) or any(names.count(column) > 1 for column in optional):
        return None

    try:
        return ColumnarRows(name, digest, frame_columns(frame, (*required, *optional)))
    except arrow_faults():
        return None


def frame_columns(frame: Frame, columns: Sequence[str]) -> tuple[list[str], ...]:
    """The texts of some columns without the spaces around them; empty texts where there is no such column."""
    names = [name.strip() for name in frame.names]
    absent = [""] * frame.rows
    return tuple(frame.texts(names.index(column)) if column in names else absent for column in columns)


def _columnar_file(name: str, diagnostics: Diagnostics) -> TextFile | None:
    """The table of a Parquet or Arrow file as text."""
    found = open_columnar(name, diagnostics)
    if found is None:
        return None
    frame, digest = found

    try:
        text = frame.text  # only now are its texts decoded
    except arrow_faults() as error:
        report_unreadable(name, error, diagnostics)
        return None
    return TextFile(name, text, digest)


def arrow_faults() -> tuple[type[Exception], ...]:
    """What reading a Parquet or Arrow file raises."""
    import pyarrow

    return pyarrow.ArrowException, OSError, ValueError, OverflowError, NotImplementedError


def is_damage(error: Exception) -> bool:
    """Whether a fault is one of the file's content and not of the system: another try would find it again."""
    import pyarrow

    return isinstance(error, pyarrow.ArrowException) or (isinstance(error, OSError) and error.errno is None)


def report_unreadable(name: str, error: Exception, diagnostics: Diagnostics, source: str | None = None) -> None:
    """Say why a file, of a source of several, cannot be read: in words for what is known, else in the library's."""
    words = shown(" ".join(str(error).split()), 120)
    if isinstance(error, NotImplementedError):  # damaged bytes can ask for anything
        headline, help = f"`{shown(name)}` cannot be read: {words}", "it is damaged, or of a newer form: write it again"
    elif is_damage(error):
        headline, help = f"`{shown(name)}` is cut off or damaged", f"write it again; what reads it says: {words}"
    else:
        known = error.strerror.lower() if isinstance(error, OSError) and error.strerror else words
        headline, help = f"`{shown(name)}` cannot be read: {known}", None
    diagnostics.add("unreadable-file", headline, RowPlace(source or name), help)
