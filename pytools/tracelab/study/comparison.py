"""Our values beside the published ones: the published tables, tables that hold both, and tables in LaTeX."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import tracepact
from tracelab.study.rows import MEAN, Row, chosen
from tracepact.show import Cell, Column, Table, Tone, numbers
from tracepact.wording import parse_stored, parse_whole

# Tables in LaTeX.

_SPECIAL = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
}


def latex_table(table: Table) -> str:
    """A tabular environment with the title as its caption."""
    spec = "".join("r" if column.numbers else "l" for column in table.columns)
    lines = [
        "\\begin{table}",
        f"\\caption{{{_latex_text(table.title)}}}",
        f"\\begin{{tabular}}{{{spec}}}",
        "\\hline",
        " & ".join(_latex_text(column.heading) for column in table.columns) + " \\\\",
        "\\hline",
        *(" & ".join(map(_latex_text, row)) + " \\\\" for row in table.texts()),
        "\\hline",
        "\\end{tabular}",
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_text(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text.strip()).replace("—", "--")


# The published figures of the study this one follows, as the spec holds them.

Value = Fraction | float | str | None
NONE = "—"
_IN_MILLISECONDS = ("onset error", "onset error, paired", "offset error, paired", "duration error, paired")
_HEADINGS = {"transition": "edge"} | {name: f"{name}, ms" for name in _IN_MILLISECONDS}
_COUNTS = ("cases", "runs", "rank", "greedy pairs", "optimal pairs", "extra pieces")


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """Published values by row and column."""

    rows: Mapping[str, Mapping[str, Value]]


@dataclass(frozen=True, slots=True)
class PublishedStudy:
    """Every published table that ours has a counterpart of, by its name, and its source."""

    source: str
    speech: str
    tables: Mapping[str, PublishedTable]


@cache
def published() -> PublishedStudy:
    """The published figures (spec/study/published.json)."""
    data = json.loads(tracepact.spec_path("study/published.json").read_text(encoding="utf-8"), parse_float=Fraction)
    tables = {name: _published_table(table) for name, table in data.items() if isinstance(table, dict)}
    return PublishedStudy(data["source"], data["speech"], tables)


def _published_table(data: Mapping[str, Mapping[str, list[Value]]]) -> PublishedTable:
    columns = data["columns"]
    return PublishedTable(
        {name: dict(zip(map(str, columns), values, strict=True)) for name, values in data["rows"].items()}
    )


# Drawing


def beside(
    title: str, heading: str, columns: Sequence[str], ours: Mapping[str, Sequence[Value]], table: str | None
) -> Table:
    """A row for each of ours; below it the published one, and the difference where both are numbers."""
    theirs = published().tables[table].rows if table else {}
    body: list[list[Cell | str]] = []
    for name, values in ours.items():
        body.append([Cell(name, Tone.STRONG), *(text(c, v) for c, v in zip(columns, values, strict=True))])
        if name not in theirs:
            continue
        known = [theirs[name].get(column) for column in columns]
        body.append([Cell("  published", Tone.FAINT), *(text(c, v) for c, v in zip(columns, known, strict=True))])
        gaps = [_gap(c, a, b) for c, a, b in zip(columns, values, known, strict=True)]
        if any(gap is not None for gap in gaps):
            shown = (text(c, g, signed=True) for c, g in zip(columns, gaps, strict=True))
            body.append([Cell("  difference", Tone.FAINT), *shown])
    note = f"Published: {published().source}; speech there: {published().speech}. No equality is claimed."
    heads = numbers(*(_HEADINGS.get(column, column) for column in columns))
    return Table(title, [Column(heading), *heads], body, [note] if table else [])


def plain_table(title: str, heading: str, columns: Sequence[str], body: Sequence[Sequence[Cell | str]]) -> Table:
    """A table of ours alone."""
    return Table(title, [Column(heading), *numbers(*(_HEADINGS.get(column, column) for column in columns))], body)


def _gap(column: str, ours: Value, theirs: Value) -> Fraction | float | None:
    if isinstance(ours, str) or isinstance(theirs, str) or ours is None or theirs is None or column in _COUNTS:
        return None
    return float(ours) - float(theirs)


def text(column: str, value: Value, *, signed: bool = False) -> str:
    """A value as its column shows it: milliseconds, a count, or three digits."""
    if value is None:
        return NONE
    if isinstance(value, str):
        return value
    if column in _IN_MILLISECONDS:
        return f"{float(value) * 1000:{'+' if signed else ''}.1f}"
    if column in _COUNTS:
        return f"{float(value):g}"
    return f"{float(value):{'+' if signed else ''}.3f}"


def share(value: Value) -> str:
    """A value with three digits."""
    return text("", value)


def signed(value: Value) -> str:
    """A difference with its sign."""
    return text("", value, signed=True)


# Values from rows.

Rows = Mapping[str, Sequence[Row]]


def guard_value(rows: Rows, group: str, system: str, clause: str, **where: str) -> Fraction | None:
    """A clause's satisfied share of its obligations, clips and classes added; None without an obligation."""
    found = chosen(rows["scores"], group=group, system=system, clause=clause, **where)
    obligated = sum(parse_whole(row["obligated"]) for row in found)
    return Fraction(sum(parse_whole(row["satisfied"]) for row in found), obligated) if obligated else None


def metric_value(rows: Rows, group: str, system: str, metric: str) -> Fraction | None:
    """A metric of a system; None where it is undefined or was not measured."""
    return next(
        (fraction(r["value"]) for r in chosen(rows["metrics"], group=group, system=system, metric=metric)), None
    )


Piece = tuple[Fraction, Fraction, bool, Fraction]


def tolerance_curve(rows: Rows, system: str) -> list[Piece]:
    """The mean of the vector as pieces (low, high, whether high is included, value)."""
    found = chosen(rows["tolerance"], system=system, clause=MEAN)
    return [
        (parse_stored(r["low"]), parse_stored(r["high"]), r["high_included"] == "true", parse_stored(r["value"]))
        for r in found
    ]


def value_at(curve: Sequence[Piece], at: Fraction) -> Fraction | None:
    """The value of a step function."""
    return next(
        (value for low, high, closed, value in curve if low <= at and (at < high or (closed and at == high))), None
    )


def integral(curve: Sequence[Piece]) -> Fraction:
    """The area under a step function."""
    return sum(((high - low) * value for low, high, _, value in curve), Fraction(0))


def span(curve: Sequence[Piece]) -> Fraction | None:
    """The largest value less the smallest."""
    values = [value for *_, value in curve]
    return max(values) - min(values) if values else None


def between(curve: Sequence[Piece], low: Fraction, high: Fraction) -> list[Piece]:
    """A part of a step function."""
    some = [(max(a, low), min(b, high), closed, value) for a, b, closed, value in curve if a <= high and b >= low]
    return [piece for piece in some if piece[0] < piece[1] or (piece[2] and piece[0] == piece[1])]


def fraction(written: str) -> Fraction | None:
    """A stored number; None where nothing is written."""
    return parse_stored(written) if written else None
