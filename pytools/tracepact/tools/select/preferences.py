"""Judgements of which of two cases is worse, read from a table, and where they contradict each other (14.26)."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from io import StringIO
from typing import Protocol

from tracepact.calibration.calibration import Case
from tracepact.diagnostics import Diagnostics, InvalidInput, RowPlace, did_you_mean
from tracepact.files import fields_of
from tracepact.lang import read_file
from tracepact.tools.select.separate import Pair
from tracepact.tools.select.systems import SystemOutputs
from tracepact.wording import parse_exact

COLUMNS = ("a", "b", "worse")


@dataclass(frozen=True, slots=True)
class Preference:
    """A judgement: one case is worse than another, with a weight; `judge` is empty if nobody is named."""

    pair: Pair
    weight: Fraction
    judge: str
    row: int


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two cases of which judges, or one judge twice, said opposite things, and the weight of each side."""

    pair: Pair
    weight: Fraction
    against: Fraction


@dataclass(frozen=True, slots=True)
class Preferences:
    """The judgements of a file, in its order; `same` counts the rows that say neither is worse."""

    file: str
    rows: tuple[Preference, ...]
    same: int

    def weights(self) -> dict[Pair, Fraction]:
        """The pairs that were judged, each with all the weight that was put on it, in the order of their cases."""
        found: dict[Pair, Fraction] = {}
        for row in sorted(self.rows, key=lambda row: (row.pair.worse, row.pair.better)):
            found[row.pair] = found.get(row.pair, Fraction(0)) + row.weight
        return found

    @property
    def pairs(self) -> int:
        """How many different pairs were judged, whichever was said to be worse."""
        return len({frozenset((row.pair.worse, row.pair.better)) for row in self.rows})

    def contradictions(self) -> Iterator[Contradiction]:
        """Every pair that was judged both ways, the heavier side first."""
        weights = self.weights()
        for pair, weight in weights.items():
            against = weights.get(Pair(pair.better, pair.worse))
            if against is not None and (weight > against or (weight == against and pair.worse < pair.better)):
                yield Contradiction(pair, weight, against)


class Named(Protocol):
    """What the columns `a` and `b` of a table name, and the cases they stand for."""

    columns: tuple[str, ...]

    def place(self, row: Mapping[str, str], side: str, at: RowPlace, diagnostics: Diagnostics) -> int | None:
        """The place of the case that a side of a row names; None, and a finding, if there is none."""
        ...


class CaseNames:
    """The sides of a row are cases of a calibration set, by name."""

    columns: tuple[str, ...] = ()

    def __init__(self, cases: Sequence[Case]) -> None:
        self.places = {case.name: place for place, case in enumerate(cases)}

    def place(self, row: Mapping[str, str], side: str, at: RowPlace, diagnostics: Diagnostics) -> int | None:
        """The case of that name."""
        name = _text(row, side)
        if name not in self.places:
            diagnostics.add("unknown-case", f"there is no case `{name}`", at, did_you_mean(name, self.places))
        return self.places.get(name)


class ClipNames:
    """The sides of a row are systems, and `clip` is what they heard; each output that is named becomes a case."""

    columns: tuple[str, ...] = ("clip",)

    def __init__(self, outputs: SystemOutputs) -> None:
        self.outputs = outputs
        self.cases: list[Case] = []
        self._places: dict[tuple[str, str], int] = {}

    def place(self, row: Mapping[str, str], side: str, at: RowPlace, diagnostics: Diagnostics) -> int | None:
        """The output of a system on a clip."""
        clip, system = _text(row, "clip"), _text(row, side)
        known = self.outputs
        if clip not in known.durations and side == "a":
            diagnostics.add("unknown-clip", f"no table has a clip `{clip}`", at, did_you_mean(clip, known.durations))
        if system not in known.systems:
            help = did_you_mean(system, known.systems) or "name it: `--system NAME=TABLE`"
            diagnostics.add("unknown-system", f"there is no system `{system}`", at, help)
        if clip not in known.durations or system not in known.systems:
            return None
        if (clip, system) not in self._places:
            self._places[clip, system] = len(self.cases)
            self.cases.append(known.case(clip, system))
        return self._places[clip, system]


def read_preferences(path: str, names: Named, *, empty: bool = False) -> Preferences:
    """The preferences of a table with the columns a, b, worse, and perhaps weight and judge.

    InvalidInput carries every fault: what is not there or is compared with itself; no judgement at all, unless `empty`.
    """
    diagnostics = Diagnostics()
    source = read_file(path, diagnostics)
    if source is None:
        raise InvalidInput(diagnostics)
    table = judgement_table(source.text)
    needed = (*names.columns, *COLUMNS)
    try:
        columns = table.fieldnames or ()
    except csv.Error as error:
        diagnostics.add("wrong-form", f"the table cannot be read: {error}", RowPlace(path, 1))
        raise InvalidInput(diagnostics) from error
    if not source.text.strip():
        help = f"its first line names the columns: {', '.join(needed)}, and perhaps weight, judge"
        diagnostics.add("wrong-form", "the file is empty", RowPlace(path, 1), help)
        raise InvalidInput(diagnostics)
    missing = [name for name in needed if name not in columns]
    if missing:
        headline = f"the table has no column `{missing[0]}`"
        help = f"its columns are {', '.join(needed)}, and perhaps weight, judge"
        diagnostics.add("wrong-form", headline, RowPlace(path, 1), help)
        raise InvalidInput(diagnostics)
    if not names.columns and "clip" in (table.fieldnames or ()):
        help = "name their tables: `--ref TABLE --system NAME=TABLE` for each system"
        diagnostics.add("wrong-form", "the table judges systems on clips", RowPlace(path, 1), help)
        raise InvalidInput(diagnostics)
    found: list[Preference] = []
    same = 0
    try:
        for row in table:
            read = _row(as_written(row, table), RowPlace(path, table.line_num), names, diagnostics)
            same += read is None
            found += [read] if read else []
    except csv.Error as error:
        diagnostics.add("wrong-form", f"the table cannot be read: {error}", RowPlace(path, table.line_num))
    diagnostics.raise_errors()
    if not found and not empty:
        headline = "every row says that neither is worse" if same else "no row says which of two is worse"
        diagnostics.add("wrong-form", headline, RowPlace(path), "without a judgement nothing can be selected")
        raise InvalidInput(diagnostics)
    return Preferences(path, tuple(found), same)


def judgement_table(text: str) -> "csv.DictReader[str]":
    """The rows of a table of judgements by column, separated by tabs or commas."""
    head = text.splitlines()[0] if text.strip() else ""
    return csv.DictReader(StringIO(text, newline=""), delimiter="\t" if "\t" in head else ",")


def as_written(row: Mapping[str, str], table: "csv.DictReader[str]") -> dict[str, str]:
    """The fields of a row by column, without spaces around them and what keeps them from spreadsheets (17.12)."""
    named = {name: (text or "").strip() for name, text in row.items() if name}
    separator = table.reader.dialect.delimiter
    return dict(zip(fields_of(list(named), separator), fields_of(list(named.values()), separator), strict=True))


def _text(row: Mapping[str, str], column: str) -> str:
    return (row.get(column) or "").strip()


def _row(row: dict[str, str], at: RowPlace, names: Named, diagnostics: Diagnostics) -> Preference | None:
    """A judgement; None if neither is worse, or if the row cannot be used, which is reported."""
    a, b, worse = (_text(row, name) for name in COLUMNS)
    places = [names.place(row, side, at, diagnostics) for side in ("a", "b")]
    itself = places[0] is not None and places[0] == places[1]
    if itself:
        diagnostics.add("wrong-form", f"`{a}` is compared with itself", at, "name two different ones")
    if worse not in ("a", "b", "same", a, b):
        diagnostics.add("wrong-form", f"`{worse}` is none of a, b and same", at, "say which of the two is worse")
    text = _text(row, "weight") or "1"
    try:
        weight = parse_exact(text)
    except ValueError:
        weight = Fraction(-1)
    if weight <= 0:
        diagnostics.add("wrong-form", f"the weight `{text}` is not a positive number", at)
    first, second = places
    if first is None or second is None or itself or worse == "same" or weight <= 0:
        return None
    pair = Pair(first, second) if worse in ("a", a) else Pair(second, first)
    return Preference(pair, weight, _text(row, "judge"), at.row or 0)
