"""The one way into Parquet and Arrow files: bounded before anything is decoded, checked before a value is touched.

What a stranger's file says of its rows, offsets and texts is believed by what reads it. So the rows that it declares
are held to a limit (25.1) before they are decoded, and to what they are as they come; every batch is checked in full
before a value of it is looked at; and whatever is raised on the way is a fault of the file.
"""

import errno
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import BufferedReader
from typing import Any

from tracepact.data.sources import shown
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.inputs import limits

PARQUET, ARROW, STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
"""How a Parquet file, an Arrow file and an Arrow stream begin."""
STARTS = (PARQUET, ARROW, STREAM)
_ROWS = 1 << 17
"""Rows that are decoded at once."""
_CELL = 64
"""Bytes that a cell may take on the average, over all cells that may be read."""
_TEXTS = ("string", "large_string", "string_view")
_BYTES = ("binary", "large_binary", "binary_view", "fixed_size_binary")
_DICTIONARY, _BATCH = 2, 3
"""What the message of a dictionary and that of a batch of rows are called in Arrow's format."""


class BadColumnarError(ValueError):
    """A Parquet or Arrow file that is damaged, or not one at all: what is wrong with it in words."""


@contextmanager
def columnar_faults() -> Iterator[None]:
    """Whatever reading a Parquet or Arrow file raises becomes BadColumnarError, but for what the system says."""
    try:
        yield
    except (BadColumnarError, InvalidInput, ModuleNotFoundError):
        raise
    # A failure of the disk or the network is not a fault of the file, and trying again may help.
    except OSError as error:
        if error.errno not in (None, errno.EINVAL):  # a place before the beginning of the file is its own fault
            raise
        raise BadColumnarError(_words(error)) from error
    except Exception as error:  # SystemError and IndexError too: damaged bytes lead anywhere
        raise BadColumnarError(_words(error)) from error


def _words(error: Exception) -> str:
    return shown(" ".join(str(error).split()), 120) or type(error).__name__


def check_cells(cells: int, place: RowPlace) -> None:
    """Refuse more cells than are read in one go, before any of them is."""
    if cells > (most := limits().cells):
        _refuse(f"{cells:,} cells (rows times columns) would be read in one go; at most {most:,} are", place)


def _check_bytes(number: int, name: str) -> None:
    if number > (most := limits().cells * _CELL):
        _refuse(f"the columns take {number:,} bytes; at most {most:,} are read in one go", RowPlace(name))


def _refuse(headline: str, place: RowPlace) -> None:
    help = "write it in smaller files or row groups, or raise the limit (--limit cells=NUMBER)"
    raise InvalidInput([Diagnostic("too-many-cells", headline, place, help)])


@dataclass(eq=False)
class ColumnarFile:
    """An open Parquet or Arrow file, of a path, of bytes or of a file that Python or pyarrow has opened.

    Its parts are the row groups of a Parquet file; an Arrow file is one part. Every fault is BadColumnarError, and
    InvalidInput where more would be read than the limits allow; OSError where the system cannot read it.
    """

    source: Any
    name: str
    remote: bool = False

    def __post_init__(self) -> None:
        import pyarrow

        with columnar_faults():
            if isinstance(self.source, str | os.PathLike):
                self.source = pyarrow.OSFile(os.fspath(self.source))
            elif isinstance(self.source, bytes):
                self.source = pyarrow.BufferReader(self.source)
            elif isinstance(self.source, BufferedReader):
                self.source = pyarrow.PythonFile(self.source, mode="r")
            # The first bytes decide, not the name: a stranger chooses both, but only the bytes are read.
            start = self.source.read_at(len(ARROW), 0)
            # Arrow's messages are read in many small pieces, each of them a request to a store.
            if self.remote and not start.startswith(PARQUET):
                self.source = pyarrow.BufferReader(self.source.read_at(self.source.size(), 0))
            if not start.startswith(STARTS):
                raise BadColumnarError("it starts like neither a Parquet nor an Arrow file")
            self._file: Any = _parquet(self) if start.startswith(PARQUET) else _Ipc(self.source, self.name)

    @cached_property
    def names(self) -> list[str]:
        """The names of its columns; to one that is never decoded its type is added, so that nobody reads it."""
        with columnar_faults():
            return [_name(field) for field in self._schema]

    @property
    def _schema(self) -> Any:
        return self._file.schema_arrow

    @cached_property
    def rows(self) -> tuple[int, ...]:
        """The rows of each part, as the file declares them."""
        with columnar_faults():
            if isinstance(self._file, _Ipc):
                return (sum(self._file.lengths),)
            about = self._file.metadata
            rows = tuple(about.row_group(k).num_rows for k in range(about.num_row_groups))
            # The two places where a Parquet file declares its rows are compared: what is allocated follows from them.
            if min(rows, default=0) < 0 or sum(rows) != about.num_rows:
                raise BadColumnarError("its row groups do not have the rows that it says")
            return rows

    def table(self, parts: Sequence[int] | None = None, columns: Sequence[str] | None = None) -> Any:
        """Columns by their names, or all, of some parts, or all, as a table of Arrow that is sound.

        Bytes are texts. A column of lists or other parts is never decoded: its cells are empty, its name says why.
        """
        with columnar_faults():
            import pyarrow

            fields = [f for f in self._schema if columns is None or f.name.strip() in columns]
            flat = [field.name for field in fields if not _is_nested(field.type)]
            chosen = None if len(flat) == len(self.names) else flat
            rows = sum(self.rows if parts is None else (self.rows[part] for part in parts))
            # Before anything is decoded. Nested columns count too, though nothing stands for their cells.
            check_cells(rows * len(fields), RowPlace(self.name))
            batches = list(self._checked(parts, chosen, rows))
            schema = batches[0].schema if batches else pyarrow.schema([f for f in fields if f.name in flat])
            table = pyarrow.Table.from_batches(batches, schema) if flat else None
            columns_of = iter(() if table is None else [_as_text(name, table.column(k)) for k, name in enumerate(flat)])
            every = [pyarrow.nulls(rows) if _is_nested(field.type) else next(columns_of) for field in fields]
            return pyarrow.table(every, names=[_name(field) for field in fields])

    def plain(self, parts: Sequence[int] | None = None) -> Any:
        """All columns of some parts, or all, none of them encoded; stored rows are compared so."""
        table = self.table(parts)
        with columnar_faults():
            import pyarrow
            from pyarrow import compute

            size, columns = 0, {}
            for name, column in zip(table.column_names, table.columns, strict=True):
                if not pyarrow.types.is_dictionary(column.type):
                    columns[name] = column
                    continue
                # A dictionary holds a text once for many rows: what it unpacks to is known before it is unpacked.
                for chunk in column.chunks:
                    lengths = compute.binary_length(chunk.dictionary.cast(pyarrow.large_string()))
                    size += compute.sum(lengths.take(chunk.indices)).as_py() or 0
                _check_bytes(size, self.name)
                columns[name] = column.cast(column.type.value_type)
            return pyarrow.table(columns)

    def _checked(self, parts: Sequence[int] | None, columns: list[str] | None, declared: int) -> Iterator[Any]:
        """The batches of some parts, each checked in full, that together have the declared rows."""
        # The declared rows were held to the limit; more of them would pass it, and fewer would leave rows out in
        # silence.
        rows = size = 0
        for batch in self._batches(parts, columns):
            batch.validate(full=True)  # offsets beyond their data, indices beyond their dictionary, texts not UTF-8
            if columns is not None and batch.schema.names != columns:
                raise BadColumnarError("its columns are not those that it says")
            rows += batch.num_rows
            size += batch.nbytes
            if rows > declared:
                break
            _check_bytes(size, self.name)
            yield batch
        if rows != declared and (columns is None or columns):
            raise BadColumnarError("it does not have the rows that it says")

    def _batches(self, parts: Sequence[int] | None, columns: list[str] | None) -> Iterable[Any]:
        if columns is not None and not columns:
            return ()
        if isinstance(self._file, _Ipc):
            return self._file.batches(columns)
        groups = range(len(self.rows)) if parts is None else parts
        return self._file.iter_batches(_ROWS, row_groups=list(groups), columns=columns)  # type: ignore[no-any-return]


def _parquet(file: ColumnarFile) -> Any:
    """A Parquet file whose texts stay as they are encoded: a text of many rows is held once."""
    from pyarrow import parquet

    # Opened twice: which columns hold texts is known from the schema, and must be said when the file is opened.
    schema = parquet.ParquetFile(file.source).schema_arrow
    texts = [field.name for field in schema if str(field.type) in (*_TEXTS, *_BYTES)]
    return parquet.ParquetFile(file.source, read_dictionary=texts, pre_buffer=file.remote)


class _Ipc:
    """An Arrow file or stream, whose messages are looked at before they are decoded."""

    def __init__(self, source: Any, name: str) -> None:
        self._source = source
        self._is_file = source.read_at(len(ARROW), 0) == ARROW
        # Arrow's own reader allocates what a message says it unpacks to, before anything can be refused.
        messages = list(self._of_file() if self._is_file else self._of_stream())
        _check_bytes(sum(size for _, _, size in messages), name)
        self.lengths = [rows for kind, rows, _ in messages if kind == _BATCH]
        if min(self.lengths, default=0) < 0:
            raise BadColumnarError("a batch has fewer than no rows")
        self.schema_arrow = self._reader(None).schema

    def batches(self, columns: list[str] | None) -> Iterator[Any]:
        """The batches of rows."""
        places = None if columns is None else [k for k, f in enumerate(self.schema_arrow) if f.name in columns]
        reader = self._reader(places)
        if not self._is_file:
            yield from reader
        else:
            yield from map(reader.get_batch, range(reader.num_record_batches))

    def _reader(self, places: list[int] | None) -> Any:
        from pyarrow import ipc

        self._source.seek(0)
        options = ipc.IpcReadOptions(included_fields=places)
        return (ipc.open_file if self._is_file else ipc.open_stream)(self._source, options=options)

    def _of_file(self) -> Iterator[tuple[int, int, int]]:
        """The messages that the end of a file lists: their kinds, their rows and the bytes that they unpack to."""
        # The end of an Arrow file (Arrow Columnar Format, IPC File Format): footer, its length as int32, `ARROW1`.
        end = self._source.size() - len(ARROW) - 4
        length, closing = struct.unpack("<i6s", self._source.read_at(4 + len(ARROW), end))
        if closing != ARROW or not 0 < length <= end:
            raise BadColumnarError("it has no end")
        footer = _Flat(self._source.read_at(length, end - length))
        # Fields 2 and 3 of the footer are vectors of Block: offset (int64), length of the message (int32), four bytes
        # of padding, length of the body (int64).
        for place, number in map(footer.vector, (footer.field(footer.root, k) for k in (2, 3))):
            for k in range(number):
                start, about, size = footer.numbers("<qi4xq", place + 24 * k)
                data = self._source.read_at(about, start)
                # Since version 0.15 of the format four bytes of ones stand before the length of a message.
                skip = 8 if data.startswith(STREAM) else 4
                yield _message(data[skip:], lambda at, body=start + about: self._source.read_at(8, body + at), size)

    def _of_stream(self) -> Iterator[tuple[int, int, int]]:
        """The same of a stream, which has them one after another."""
        from pyarrow import ipc

        self._source.seek(0)
        for message in ipc.MessageReader.open_stream(self._source):
            body = memoryview(message.body or b"")
            yield _message(bytes(message.metadata), lambda at, body=body: bytes(body[at : at + 8]), len(body))


class _Flat:
    """Numbers and tables in the format of the descriptions of Arrow (flatbuffers), as much as is needed of it."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.root = self.numbers("<I", 0)[0]

    def numbers(self, form: str, place: int) -> tuple[int, ...]:
        """Numbers at a place; struct.error if it lies outside."""
        if place < 0:
            raise BadColumnarError("its description points outside of itself")
        return struct.unpack_from(form, self._data, place)

    def field(self, table: int, number: int) -> int:
        """The place of a field of a table; 0 if the table has none."""
        # A table of flatbuffers begins with the distance back to its vtable: the size of this (uint16), that of the
        # table, then for each field its offset, 0 where it is absent.
        fields = table - self.numbers("<i", table)[0]
        offset = self.numbers("<H", fields + 4 + 2 * number)[0] if 4 + 2 * number < self.numbers("<H", fields)[0] else 0
        return table + offset if offset else 0

    def target(self, place: int) -> int:
        """The place that a pointer field points to."""
        return place + self.numbers("<I", place)[0]

    def vector(self, place: int) -> tuple[int, int]:
        """The place of the first item of the vector of a field, and the number of items."""
        if not place:
            return 0, 0
        start = self.target(place)
        return start + 4, self.numbers("<I", start)[0]


def _message(data: bytes, first_bytes: Any, size: int) -> tuple[int, int, int]:
    """Kind, rows and unpacked bytes of a message; `first_bytes` reads eight bytes at a place of its body."""
    # Message of the format: field 1 is its kind, 2 its header. RecordBatch: 0 is the number of rows, 2 the buffers, 3
    # the compression. DictionaryBatch: 1 is a RecordBatch.
    flat = _Flat(data)
    place = flat.field(flat.root, 1)
    kind = flat.numbers("<B", place)[0] if place else 0
    if kind not in (_DICTIONARY, _BATCH):
        return kind, 0, size
    batch = flat.target(flat.field(flat.root, 2))
    if kind == _DICTIONARY:
        batch = flat.target(flat.field(batch, 1))
    rows = flat.numbers("<q", place)[0] if (place := flat.field(batch, 0)) else 0
    if flat.field(batch, 3):  # it is packed: each buffer begins with the bytes that it says it has
        start, number = flat.vector(flat.field(batch, 2))
        for k in range(number):
            offset, length = flat.numbers("<qq", start + 16 * k)
            # A packed buffer begins with the length that it unpacks to, as int64; -1 says that it is not packed.
            if length >= 8 and offset >= 0 and len(first := first_bytes(offset)) == 8:
                size += max(0, struct.unpack("<q", first)[0])
    return kind, rows, size


def _is_nested(kind: Any) -> bool:
    """Whether the values of a type have parts, or stand for more rows than they take."""
    import pyarrow

    # Run-end encoding lets a few bytes stand for any number of rows, past every limit on what is decoded.
    kind = getattr(kind, "storage_type", kind)
    if pyarrow.types.is_dictionary(kind):
        return _is_nested(kind.value_type)
    return bool(pyarrow.types.is_nested(kind) or pyarrow.types.is_run_end_encoded(kind))


def _name(field: Any) -> str:
    """What a column is called: one that is never decoded must be taken for no name, time or label."""
    return f"{field.name} ({str(field.type).partition('<')[0]})" if _is_nested(field.type) else str(field.name)


def _as_text(name: str, column: Any) -> Any:
    """A column whose bytes are texts, as they are in files that do not tell the two apart."""
    import pyarrow

    kind = column.type.value_type if pyarrow.types.is_dictionary(column.type) else column.type
    # Parquet files of older writers have no mark of texts on their columns of bytes.
    if not str(kind).startswith(_BYTES):
        return column
    chunks = [chunk.dictionary if hasattr(chunk, "dictionary") else chunk for chunk in column.chunks]
    try:
        texts = [chunk.cast(pyarrow.binary()).cast(pyarrow.string()) for chunk in chunks]
    except pyarrow.ArrowInvalid as error:
        raise BadColumnarError(f"column `{shown(name)}` holds bytes that are not UTF-8 text") from error
    if kind is not column.type:
        arrays = pyarrow.DictionaryArray
        texts = [arrays.from_arrays(c.indices, text) for c, text in zip(column.chunks, texts, strict=True)]
        return pyarrow.chunked_array(texts, pyarrow.dictionary(column.type.index_type, pyarrow.string()))
    return pyarrow.chunked_array(texts, pyarrow.string())
