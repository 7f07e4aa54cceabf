"""The rows of a run in columns of Arrow: violated obligations by clause, scores and matches, in the order of clips.

Times and amounts are the exact texts of the CSV tables. Rows are by clip, class and time, so that those of batches
follow one another; Parquet files are cut into row groups of one size, so that their bytes say nothing of batches.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from tracepact.core import Quantity
from tracepact.events import Unbounded
from tracepact.scoring import NO_WITNESS, Scorecard
from tracepact.trace.layout import Indices
from tracepact.wording import print_number

GROUP_ROWS = 1 << 17
"""The rows of a row group; the last of a file may have fewer."""
VIOLATIONS = "violations-{}.parquet"
SCORES, MATCHES = "scores.parquet", "matches.parquet"
_TEXT = ("filename", "event_label", "onset", "offset", "part", "distance", "unit")


def has_pyarrow() -> bool:
    """Whether Parquet can be written here."""
    try:
        import pyarrow.parquet
    except ImportError:
        return False
    return bool(pyarrow)


def violation_table(card: Scorecard, clause: str) -> Any:
    """Every violated obligation of a clause, as a table of Arrow."""
    if any(clause == own.name for own in card.contract.frame_clauses):
        return _frame_table(card, clause)
    return _event_table(card, clause)


def _frame_table(card: Scorecard, clause: str) -> Any:
    import pyarrow

    found = card.frame_violations(clause)
    order = _by_clip(card, found.segment, found.frame)
    segment, frame, span = found.segment[order], found.frame[order], found.span[order]
    text, step = card.contract.source.text, card.family.step
    times = [print_number(number * step) for number in range(int(frame.max(initial=-1)) + 2)]
    parts = [text[one.start : one.end] for one in found.spans]
    if found.offset is None:
        distance, unit = _repeated([""], np.zeros_like(frame)), _repeated([""], np.zeros_like(frame))
    else:
        amounts, place = np.unique(found.distances[order], return_inverse=True)
        words = ["unbounded" if amount == NO_WITNESS else str(amount) for amount in amounts.tolist()]
        distance, unit = _repeated(words, place.reshape(-1)), _repeated(["frames"], np.zeros_like(frame))
    columns = [
        *_places(card, segment),
        _repeated(times, frame),
        _repeated(times, frame + 1),
        _repeated(parts, span),
        distance,
        unit,
    ]
    return pyarrow.table(dict(zip(_TEXT, columns, strict=True)))


def _event_table(card: Scorecard, clause: str) -> Any:
    import pyarrow

    found = card.event_clause(clause).violations
    segments = np.array([one.segment for one in found], dtype=np.int64)
    order = _by_clip(card, segments, np.arange(len(found)))
    text, step = card.contract.source.text, card.family.step
    rows = []
    for one in (found[number] for number in order.tolist()):
        distance, unit = "", ""
        if one.comparison is not None:
            amount, quantity = one.comparison.amount, one.comparison.quantity
            distance = "unbounded" if isinstance(amount, Unbounded) else print_number(Fraction(amount))
            unit = "s" if quantity is Quantity.TIME else quantity.value
        edges = (print_number(edge * step) for edge in one.interval)
        rows.append((*edges, text[one.span.start : one.span.end], distance, unit))
    rest = [pyarrow.array([row[n] for row in rows], pyarrow.string()) for n in range(len(_TEXT) - 2)]
    return pyarrow.table(dict(zip(_TEXT, [*_places(card, segments[order]), *rest], strict=True)))


def score_table(card: Scorecard) -> Any:
    """The counts of every clip, class and clause, in the order of `scores.csv`."""
    import pyarrow

    family, clauses = card.family, [clause.name for clause in card.contract.clauses]
    shape = (len(family.clips), len(family.classes), len(clauses))
    clip, label, clause = (index.reshape(-1) for index in np.indices(shape))

    def column(part: str) -> Any:
        return np.stack([getattr(card.counts[name], part).T for name in clauses], axis=-1).reshape(-1)

    columns = {
        "filename": _repeated(family.clips, clip),
        "event_label": _repeated(family.classes, label),
        "clause": _repeated(clauses, clause),
        "satisfied": column("satisfied"),
        "obligated": column("obligated"),
        "vacuous": column("vacuous"),
    }
    return pyarrow.table(columns)


def match_table(card: Scorecard) -> Any:
    """Every matched pair, times in seconds."""
    import pyarrow

    found = card.events.matches
    segments = np.array([match.segment for match in found], dtype=np.int64)
    order = _by_clip(card, segments, np.arange(len(found)))
    edges = np.array([(*match.ref, *match.pred) for match in found], dtype=np.int64).reshape(-1, 4)[order]
    times = [print_number(number * card.family.step) for number in range(int(edges.max(initial=-1)) + 1)]
    names = ("ref_onset", "ref_offset", "pred_onset", "pred_offset")
    placed = dict(zip(("filename", "event_label"), _places(card, segments[order]), strict=True))
    return pyarrow.table({**placed, **{name: _repeated(times, edges[:, n]) for n, name in enumerate(names)}})


def _by_clip(card: Scorecard, segment: Indices, within: Indices) -> Indices:
    """The order by clip, class and place within both."""
    label, clip = np.divmod(segment, max(len(card.family.clips), 1))
    return np.lexsort((within, label, clip))


def _places(card: Scorecard, segment: Indices) -> list[Any]:
    label, clip = np.divmod(segment, max(len(card.family.clips), 1))
    return [_repeated(card.family.clips, clip), _repeated(card.family.classes, label)]


def _repeated(texts: Sequence[str], place: Indices) -> Any:
    """A column of texts that repeat, each held once."""
    import pyarrow

    held = pyarrow.array(list(texts), pyarrow.string())
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array(place, pyarrow.int32()), held)


def plain_table(table: Any) -> Any:
    """A table whose texts are plain, so that it does not matter how they were held."""
    import pyarrow

    columns = {
        name: column.cast(pyarrow.string()) if pyarrow.types.is_dictionary(column.type) else column
        for name, column in zip(table.column_names, table.itercolumns(), strict=True)
    }
    return pyarrow.table(columns)


def parquet_bytes(table: Any) -> bytes:
    """A table as a Parquet file."""
    held = BytesIO()
    write_parquet(held, [table])
    return held.getvalue()


def write_parquet(place: Path | BytesIO, tables: Iterable[Any]) -> None:
    """Tables that follow one another as one Parquet file, compressed by zstd, in row groups of one size."""
    import pyarrow.parquet as pq

    writer = None
    for group in _groups(tables):
        if writer is None:
            writer = pq.ParquetWriter(place, group.schema, compression="zstd")
        writer.write_table(group, row_group_size=GROUP_ROWS)
    assert writer is not None  # there is a table at least, perhaps without rows
    writer.close()


def _groups(tables: Iterable[Any]) -> Iterator[Any]:
    """The rows of all tables in groups of one size; one group without rows if there are none."""
    import pyarrow

    held: list[Any] = []
    rows, written = 0, False
    for table in tables:
        held.append(table)
        rows += table.num_rows
        while rows >= GROUP_ROWS:
            whole = pyarrow.concat_tables([plain_table(one) for one in held])
            yield whole.slice(0, GROUP_ROWS).combine_chunks()
            held, rows, written = [whole.slice(GROUP_ROWS)], rows - GROUP_ROWS, True
    if rows or not written:
        yield pyarrow.concat_tables([plain_table(one) for one in held]).combine_chunks()


def read_parquet(data: bytes) -> Any:
    """The table of a Parquet file."""
    import pyarrow
    import pyarrow.parquet as pq

    return pq.read_table(pyarrow.BufferReader(data))
