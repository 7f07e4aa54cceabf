"""Reads Praat TextGrids, long and short: numbers keep their text, entries the line they stand in.

The text is read as Praat's manual says: only numbers, quoted texts and flags that stand free count; everything else,
such as `xmin =` or `intervals [1]:`, is there for the reader's eye. What follows `!` is a comment.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tracepact.diagnostics import RowPlace, did_you_mean
from tracepact.io.rows import EventRows
from tracepact.io.source import TextFile, shown

_TOKEN = re.compile(
    r'"(?P<text>(?:[^"]|"")*)"|<(?P<flag>[^<>\s]*)>|(?<!\S)(?P<number>[-+]?\.?[0-9][^\s"]*)(?!\S)|(?<!\S)!.*|\S'
)
_KINDS = {"IntervalTier": 3, "TextTier": 2}


@dataclass(frozen=True, slots=True)
class Entry:
    """An interval or a point (its ends are equal) with its text and its line."""

    start: str
    end: str
    text: str
    row: int


@dataclass(frozen=True, slots=True)
class Tier:
    """A tier: its name and its entries."""

    name: str
    entries: tuple[Entry, ...]


class _BrokenError(ValueError):
    """The text is not that of a TextGrid: what is wrong, and in which line."""

    def __init__(self, fault: str, row: int | None) -> None:
        super().__init__(fault)
        self.row = row


def add_textgrid(file: TextFile, clip: str, rows: EventRows, tiers: Sequence[str] = ()) -> None:
    """The intervals and points with text (rule 13.7), of all tiers or of those that are named."""
    rows.clips.setdefault(clip, [])
    try:
        start, end, found = parse_textgrid(file)
    except _BrokenError as error:
        rows.diagnostics.add(
            "bad-textgrid", str(error), RowPlace(rows.name, error.row), "save it in Praat as a (short) text file"
        )
        return
    with suppress(ValueError):  # an end that is not a time is no end; the entries that reach it are reported
        if rows.times[end] > rows.times[start] == 0:
            rows.lengths[clip] = rows.times[end]
    names = {tier.name for tier in found}
    for name in tiers:
        if name not in names:
            headline = f"there is no tier `{shown(name)}`"
            rows.diagnostics.add("unknown-tier", headline, RowPlace(rows.name), did_you_mean(name, names))
    for tier in found:
        if not tiers or tier.name in tiers:
            for entry in tier.entries:
                if label := entry.text.strip():
                    rows.add(entry.row, clip, entry.start, entry.end, label, f"tier `{shown(tier.name)}`: ")


def parse_textgrid(file: TextFile) -> tuple[str, str, list[Tier]]:
    """The start and the end of a TextGrid, and its tiers."""
    reader = _Reader(file.text)
    kind = reader.text("the file's type")
    if not kind.startswith("ooTextFile"):
        raise _BrokenError(f"the file's type is `{shown(kind)}`, not `ooTextFile`", 1)
    what = reader.text("the object's class")
    if what != "TextGrid":
        raise _BrokenError(f"the file holds a `{shown(what)}`, not a `TextGrid`", reader.row)
    ends = reader.number("the start"), reader.number("the end")
    if reader.flag() != "exists":
        return *ends, []
    return *ends, [_tier(reader) for _ in range(reader.count("the number of tiers"))]


def _tier(reader: "_Reader") -> Tier:
    kind = reader.text("the class of a tier")
    if kind not in _KINDS:
        raise _BrokenError(f"`{shown(kind)}` is not a class of tiers", reader.row)
    name = reader.text("the name of a tier")
    reader.number("the start of a tier")
    reader.number("the end of a tier")
    entries = []
    for _ in range(reader.count(f"the number of entries of tier `{shown(name)}`")):
        start = reader.number("the time of an entry")
        row = reader.row
        end = reader.number("the end of an interval") if _KINDS[kind] == 3 else start
        entries.append(Entry(start, end, reader.text("the text of an entry"), row))
    return Tier(name, tuple(entries))


class _Reader:
    """The free-standing texts, numbers and flags, one after another."""

    def __init__(self, text: str) -> None:
        self._source = text
        self._tokens = self._meaningful()
        self.row = 1

    def _meaningful(self) -> Iterator[tuple[str, str]]:
        """Each token that counts, by kind; signs and words beside them are passed over."""
        at = 0
        for match in _TOKEN.finditer(self._source):
            if match.lastgroup is not None:
                self.row += self._source.count("\n", at, match.start())
                at = match.start()
                yield match.lastgroup, match[match.lastgroup]

    def _next(self, kind: str, what: str) -> str:
        found = next(self._tokens, None)
        if found is None:
            raise _BrokenError(f"the file ends where {what} is expected", None)
        if found[0] != kind:
            raise _BrokenError(f"`{shown(found[1])}` is where {what} is expected, a {kind}", self.row)
        return found[1]

    def text(self, what: str) -> str:
        """The next token, which must be a quoted text."""
        return self._next("text", what).replace('""', '"')

    def number(self, what: str) -> str:
        """The next token, which must be a number, as it is written."""
        return self._next("number", what)

    def flag(self) -> str:
        """The next token, which must be a flag."""
        return self._next("flag", "`<exists>`")

    def count(self, what: str) -> int:
        """The next token, which must be a whole number."""
        text = self.number(what)
        if not text.isdecimal() or len(text) > 9:
            raise _BrokenError(f"{what} is `{shown(text)}`", self.row)
        return int(text)
