"""The rows behind a report: every score, violated obligation and match, in columns, written as CSV or as Parquet."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from tracepact.data.arrow_files import ColumnarFile
from tracepact.data.family import Family, Indices
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic
from tracepact.evaluate.curves import NO_WITNESS
from tracepact.evaluate.predicates import Unbounded
from tracepact.evaluate.scorecard import Scorecard, ScoreRows
from tracepact.evaluate.scores import ClauseCounts
from tracepact.files import BadTable, Row, table_rows
from tracepact.inputs import open_within
from tracepact.language.contract import EventClause, FrameClause
from tracepact.language.predicate import TermType
from tracepact.runs.manifest import whole
from tracepact.wording import decimal, print_number

# The rows in columns, as a contract's evaluation gives them: by class, clip and time.
#
# There may be tens of millions of them, and nearly every text is one of a few: of a clip, a class, a time on the
# grid. So a column holds each text once, and a row only its number; CSV and Parquet are two ways of writing that.

SCORE_COLUMNS = ("filename", "event_label", "clause", "satisfied", "obligated", "value", "decimal", "vacuous")
MATCH_COLUMNS = ("filename", "event_label", "ref_onset", "ref_offset", "pred_onset", "pred_offset")
VIOLATION_COLUMNS = ("filename", "event_label", "clause", "onset", "offset", "part", "distance", "unit")


@dataclass(frozen=True, slots=True, eq=False)
class TextColumn:
    """Texts that repeat: each is held once, and every row has the number of its own."""

    texts: Sequence[str]
    numbers: Indices

    @classmethod
    def of(cls, texts: Iterable[str]) -> "TextColumn":
        """The column of these texts."""
        held: dict[str, int] = {}
        numbers = np.array([held.setdefault(text, len(held)) for text in texts], dtype=np.int64)
        return cls(tuple(held), numbers)

    @classmethod
    def seconds(cls, step: Fraction, frames: Indices) -> "TextColumn":
        """Frames as times in seconds; clips share nearly all of them, so each is written once."""
        known, numbers = np.unique(frames, return_inverse=True)
        return cls([print_number(frame * step) for frame in known.tolist()], numbers.reshape(-1))

    def __getitem__(self, rows: Indices) -> "TextColumn":
        return TextColumn(self.texts, self.numbers[rows])

    def tolist(self) -> list[str]:
        """The text of every row."""
        return [self.texts[number] for number in self.numbers.tolist()]


Columns = Mapping[str, Any]
"""Columns by name: a TextColumn, or an array of numbers or truth values."""


def rows_of(columns: Columns) -> Iterator[tuple[Any, ...]]:
    """The rows that columns hold."""
    return zip(*(column.tolist() for column in columns.values()), strict=True)


def _placed(family: Family, segments: Indices) -> dict[str, TextColumn]:
    """The clip and the class of each segment."""
    label, clip = np.divmod(segments, max(len(family.clips), 1))
    return {"filename": TextColumn(family.clips, clip), "event_label": TextColumn(family.classes, label)}


def score_columns(rows: ScoreRows) -> Columns:
    """The counts of every clip, class and clause, in this order."""
    shape = (len(rows.clips), len(rows.classes), len(rows.clauses))
    clip, label, clause = (index.reshape(-1) for index in np.indices(shape))
    counts = {
        part: np.stack([getattr(rows.counts[name], part).T for name in rows.clauses], axis=-1).reshape(-1)
        for part in ("satisfied", "obligated", "vacuous")
    }
    return {
        "filename": TextColumn(rows.clips, clip),
        "event_label": TextColumn(rows.classes, label),
        "clause": TextColumn(rows.clauses, clause),
        **counts,
    }


def match_columns(card: Scorecard) -> Columns:
    """Every matched pair, times in seconds."""
    matches, step = card.events.matches, card.family.step
    segments = np.array([match.segment for match in matches], dtype=np.int64)
    edges = np.array([(*match.ref, *match.pred) for match in matches], dtype=np.int64).reshape(-1, 4)
    times = {name: TextColumn.seconds(step, edges[:, n]) for n, name in enumerate(MATCH_COLUMNS[2:])}
    return {**_placed(card.family, segments), **times}


def violation_columns(card: Scorecard, clause: FrameClause | EventClause) -> Columns:
    """Every violated obligation of a clause: a frame or an interval, the failing part, how far from holding.

    A distance in frames has the unit `frames`; an event clause's shortfall is in `s`, `ratio` or `count`. An empty
    distance means that the clause has none or a partner is missing.
    """
    text, step = card.contract.source.text, card.family.step
    if isinstance(clause, FrameClause):
        failed = card.frame_violations(clause.name)
        segments, starts, ends = failed.segment, failed.frame, failed.frame + 1
        part = TextColumn([text[span.start : span.end] for span in failed.spans], failed.span)
        if failed.offset is None:
            distance = unit = TextColumn([""], np.zeros_like(failed.frame))
        else:
            amounts, numbers = np.unique(failed.distances, return_inverse=True)
            words = ["unbounded" if amount == NO_WITNESS else str(amount) for amount in amounts.tolist()]
            distance = TextColumn(words, numbers.reshape(-1))
            unit = TextColumn(["frames"], np.zeros_like(failed.frame))
    else:
        violations = card.event_clause(clause.name).violations
        segments = np.array([one.segment for one in violations], dtype=np.int64)
        starts, ends = np.array([one.interval for one in violations], dtype=np.int64).reshape(-1, 2).T
        part = TextColumn.of(text[one.span.start : one.span.end] for one in violations)
        shortfalls = [
            (one.comparison.amount, one.comparison.quantity) if one.comparison else None for one in violations
        ]
        distance = TextColumn.of(
            ""
            if short is None
            else "unbounded"
            if isinstance(short[0], Unbounded)
            else print_number(Fraction(short[0]))
            for short in shortfalls
        )
        unit = TextColumn.of(
            "" if short is None else "s" if short[1] is TermType.TIME else short[1].value for short in shortfalls
        )
    return {
        **_placed(card.family, segments),
        "onset": TextColumn.seconds(step, starts),
        "offset": TextColumn.seconds(step, ends),
        "part": part,
        "distance": distance,
        "unit": unit,
    }


# As CSV, in the order of the columns; and the scores read back.


def score_rows(rows: ScoreRows) -> Iterator[Row]:
    """One row for each clip, class and clause, as text."""
    return _valued(rows, lambda value, vacuous: (decimal(value, 6), "true" if vacuous else "false"))


def typed_score_rows(rows: ScoreRows) -> Iterator[tuple[Any, ...]]:
    """The same rows for data frames: `decimal` is a float and `vacuous` a bool; `value` stays exact, as text."""
    return _valued(rows, lambda value, vacuous: (float(value), vacuous))


def _valued(rows: ScoreRows, read: Callable[[Fraction, bool], tuple[Any, Any]]) -> Iterator[tuple[Any, ...]]:
    """The rows of scores with their exact values, and what a reader takes of each."""

    @cache  # a hundred thousand scores have some hundred different counts
    def counted(satisfied: int, obligated: int, vacuous: bool) -> tuple[Any, ...]:
        value = Fraction(satisfied, obligated) if obligated else Fraction(int(vacuous))
        return satisfied, obligated, str(value), *read(value, vacuous)

    for clip, label, clause, *counts in rows_of(score_columns(rows)):
        yield clip, label, clause, *counted(*counts)


def match_rows(card: Scorecard) -> Iterator[Row]:
    """One row for each matched pair."""
    return rows_of(match_columns(card))


def violation_rows(card: Scorecard) -> Iterator[Row]:
    """One row for each violated obligation, clause after clause as the contract has them (rule 10.6)."""
    for clause in card.contract.clauses:
        for clip, label, *rest in rows_of(violation_columns(card, clause)):
            yield clip, label, clause.name, *rest


def read_score_rows(text: str) -> ScoreRows:
    """The score rows a text holds; BadTable if a clip, class and clause has no row or two."""
    places: list[tuple[str, str, str]] = []
    counts: list[tuple[int, int, bool]] = []
    for line, (clip, label, clause, satisfied, obligated, _, _, vacuous) in table_rows(text, SCORE_COLUMNS, ","):
        if vacuous not in ("true", "false"):
            raise BadTable(f"`{vacuous}` is neither true nor false", line)
        places.append((clause, clip, label))
        counts.append((whole(satisfied, line), whole(obligated, line), vacuous == "true"))
    names = [TextColumn.of(column) for column in zip(*places, strict=True)] or [TextColumn.of(())] * 3
    return _score_rows(
        [column.texts for column in names],
        [column.numbers for column in names],
        list(np.array(counts, dtype=np.int64).reshape(-1, 3).T),
    )


def _score_rows(names: Sequence[Collection[str]], numbers: Sequence[Indices], counts: Sequence[Indices]) -> ScoreRows:
    """The scores of rows: by clause, clip and class the names and the numbers of each row; and its counts."""
    shape = tuple(map(len, names))
    # Clip, class and clause as one number: rows are complete if there are as many different ones as places.
    place = np.ravel_multi_index(tuple(numbers), shape) if len(numbers[0]) else np.zeros(0, dtype=np.int64)
    if len(place) != np.prod(shape) or len(np.unique(place)) != len(place):
        raise BadTable("not every clip, class and clause has exactly one row", 1)
    order = np.argsort(place)
    satisfied, obligated, vacuous = (column[order].reshape(shape) for column in counts)
    counter = (vacuous == 0) & (obligated == 0)
    clauses, clips, classes = map(tuple, names)
    by_clause = {
        name: ClauseCounts(satisfied[number].T, obligated[number].T, counter[number].T)
        for number, name in enumerate(clauses)
    }
    return ScoreRows(clips, classes, clauses, by_clause)


# As Parquet: violated obligations by clause, scores and matches, by clip, class and time.
#
# In this order the rows of batches, which are of consecutive clips, follow one another, and are never held together.
# Files are cut into row groups of one size, whatever the batches, so that their bytes say nothing of them.

LARGEST_ROWS = 1 << 40
"""Bytes of a file of rows that is read back."""
GROUP_ROWS = 1 << 17
"""The rows of a row group; the last of a file may have fewer."""
VIOLATIONS = "violations-{}.parquet"
SCORES, MATCHES = "scores.parquet", "matches.parquet"


def has_pyarrow() -> bool:
    """Whether Parquet can be written here."""
    try:
        import pyarrow.parquet
    except ImportError:
        return False
    return bool(pyarrow)


def require_pyarrow(headline: str, help: str) -> None:
    """Refuse, with InvalidInput, what needs Parquet where it cannot be written."""
    if not has_pyarrow():
        raise InvalidInput([Diagnostic("missing-extra", headline, None, help)])


def violation_table(card: Scorecard, clause: FrameClause | EventClause) -> Any:
    """Every violated obligation of a clause, as a table of Arrow."""
    return _table(violation_columns(card, clause))


def score_table(card: Scorecard) -> Any:
    """The counts of every clip, class and clause, as a table of Arrow."""
    return _table(score_columns(ScoreRows.of(card)))


def row_tables(card: Scorecard, *, violations: bool) -> dict[str, Any]:
    """The rows of a scorecard as tables of Arrow, by the names of their files."""
    clauses = card.contract.clauses if violations else ()
    return {
        SCORES: score_table(card),
        MATCHES: _table(match_columns(card)),
        **{VIOLATIONS.format(clause.name): violation_table(card, clause) for clause in clauses},
    }


def _table(columns: Columns) -> Any:
    """Columns as a table of Arrow, by clip and class; what is of one clip and class keeps its order."""
    import pyarrow

    # A lexicographic sort is stable: times, which ascend within a segment, need no key of their own.
    order = np.lexsort((columns["event_label"].numbers, columns["filename"].numbers))
    return pyarrow.table({name: _array(column[order]) for name, column in columns.items()})


def _array(column: Any) -> Any:
    import pyarrow

    if not isinstance(column, TextColumn):
        return pyarrow.array(column)
    texts = pyarrow.array(list(column.texts), pyarrow.string())
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array(column.numbers, pyarrow.int32()), texts)


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


def stored_tables(folder: Path | str, name: str) -> Iterator[Any]:
    """The rows of a Parquet file of a folder, one table a row group; ValueError or InvalidInput if it is damaged."""
    with open_within(folder, name, LARGEST_ROWS) as opened:
        file = ColumnarFile(opened, name)
        yield from (file.plain([group]) for group in range(len(file.rows)))
        if not file.rows:
            yield file.plain()


def read_score_tables(tables: Iterable[Any]) -> ScoreRows:
    """The score rows that Parquet holds; ValueError if not every clip, class and clause has exactly one row."""
    names: tuple[dict[str, int], ...] = ({}, {}, {})
    parts: list[list[Any]] = [[] for _ in range(6)]
    for table in tables:
        for part, known, column in zip(parts, names, ("clause", "filename", "event_label"), strict=False):
            # A row group numbers its texts for itself: its numbers are exchanged for those of the whole file.
            held = table.column(column).combine_chunks().dictionary_encode()
            exchanged = [known.setdefault(text, len(known)) for text in held.dictionary.to_pylist()]
            numbers = held.indices.to_numpy(zero_copy_only=False).astype(np.int64)
            part.append(np.array(exchanged, dtype=np.int64)[numbers])
        for part, column in zip(parts[3:], ("satisfied", "obligated", "vacuous"), strict=True):
            part.append(table.column(column).to_numpy().astype(np.int64))
    columns = [np.concatenate(part) for part in parts]
    return _score_rows(names, columns[:3], columns[3:])


def same_rows(one: Path, other: Path, name: str) -> bool:
    """Whether two folders hold the same rows in a file: other versions of pyarrow may write them in other bytes."""
    if not name.endswith(".parquet"):
        return False
    try:
        with open_within(one, name, LARGEST_ROWS) as first, open_within(other, name, LARGEST_ROWS) as second:
            files = [ColumnarFile(opened, name) for opened in (first, second)]
            groups = {len(file.rows) for file in files}
            return len(groups) == 1 and all(
                files[0].plain([k]).equals(files[1].plain([k])) for k in range(groups.pop())
            )
    except (OSError, ValueError, InvalidInput):
        return False
