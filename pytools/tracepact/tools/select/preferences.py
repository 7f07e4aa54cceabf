"""Judgements of which of two cases is worse, read from a table, and where they contradict each other (14.26)."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from io import StringIO

from tracepact.diagnostics import Diagnostics, InvalidInput, RowPlace, did_you_mean
from tracepact.lang import read_file
from tracepact.tools.select.calibration import Case
from tracepact.tools.select.separate import Pair
from tracepact.wording import parse_exact

_COLUMNS = ("a", "b", "worse")


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

    def contradictions(self) -> Iterator[Contradiction]:
        """Every pair that was judged both ways, the heavier side first."""
        weights = self.weights()
        for pair, weight in weights.items():
            against = weights.get(Pair(pair.better, pair.worse))
            if against is not None and (weight > against or (weight == against and pair.worse < pair.better)):
                yield Contradiction(pair, weight, against)


def read_preferences(path: str, cases: Sequence[Case]) -> Preferences:
    """The preferences of a table with the columns a, b, worse, and perhaps weight and judge.

    InvalidInput carries every fault: a case that is not there or is compared with itself, no judgement at all.
    """
    diagnostics = Diagnostics()
    source = read_file(path, diagnostics)
    if source is None:
        raise InvalidInput(diagnostics)
    head = source.text.splitlines()[0] if source.text.strip() else ""
    table = csv.DictReader(StringIO(source.text), delimiter="\t" if "\t" in head else ",")
    missing = [name for name in _COLUMNS if name not in (table.fieldnames or ())]
    if missing:
        headline = f"the table has no column `{missing[0]}`"
        diagnostics.add(
            "wrong-form", headline, RowPlace(path, 1), "its columns are a, b, worse, and perhaps weight, judge"
        )
        raise InvalidInput(diagnostics)
    places = {case.name: place for place, case in enumerate(cases)}
    found: list[Preference] = []
    same = 0
    for row in table:
        read = _row(row, RowPlace(path, table.line_num), places, diagnostics)
        same += read is None
        found += [read] if read else []
    diagnostics.raise_errors()
    if not found:
        diagnostics.add("wrong-form", "no row says which of two cases is worse", RowPlace(path))
        raise InvalidInput(diagnostics)
    return Preferences(path, tuple(found), same)


def _row(row: dict[str, str], place: RowPlace, places: dict[str, int], diagnostics: Diagnostics) -> Preference | None:
    """A judgement; None if neither is worse, or if the row cannot be used, which is reported."""
    a, b, worse = ((row[name] or "").strip() for name in _COLUMNS)
    unknown = [name for name in (a, b) if name not in places]
    for name in unknown:
        diagnostics.add("unknown-case", f"there is no case `{name}`", place, did_you_mean(name, places))
    if not unknown and a == b:
        diagnostics.add("wrong-form", f"`{a}` is compared with itself", place, "name two different cases")
    if worse not in ("a", "b", "same", a, b):
        diagnostics.add("wrong-form", f"`{worse}` is none of a, b and same", place, "say which of the two is worse")
    text = (row.get("weight") or "1").strip()
    try:
        weight = parse_exact(text)
    except ValueError:
        weight = Fraction(-1)
    if weight <= 0:
        diagnostics.add("wrong-form", f"the weight `{text}` is not a positive number", place)
    if unknown or a == b or worse == "same" or weight <= 0:
        return None
    pair = Pair(places[a], places[b]) if worse in ("a", a) else Pair(places[b], places[a])
    return Preference(pair, weight, (row.get("judge") or "").strip(), place.row or 0)
