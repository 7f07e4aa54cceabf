"""Diagnostics as data, grouped by the file they are about, and drawn as text, JSON, annotations and SARIF."""

import difflib
import json
import posixpath
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import quote

from tracepact.declarations import dataclass
from tracepact.diagnostics.codes import CODES, Code, Severity
from tracepact.version import VERSION
from tracepact.wording import escaped_json, visible

# Diagnostics as data: a code, a headline, a place and help. Nothing here formats.


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of characters."""

    start: int
    end: int

    def to(self, other: "Span") -> "Span":
        """The span from the start of this one to the end of the other."""
        return Span(self.start, other.end)


@dataclass(frozen=True, slots=True)
class Source:
    """A text and the name people know it by."""

    name: str
    text: str

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both from one."""
        line_start = self.text.rfind("\n", 0, offset) + 1
        return self.text.count("\n", 0, offset) + 1, offset - line_start + 1

    def line(self, number: int) -> str:
        """The text of a line, without its end."""
        lines = self.text.split("\n")
        return lines[number - 1].rstrip("\r") if number <= len(lines) else ""


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A span of a contract or formula text."""

    source: Source
    span: Span


@dataclass(frozen=True, slots=True)
class RowPlace:
    """A row of a file, or the whole file.

    Attributes:
        file: the file's name.
        row: the row, counted as lines of the file from one; None speaks of the whole file.

    Examples:
        >>> import tracepact
        >>> tracepact.RowPlace("reference.tsv", 2)
        RowPlace(file='reference.tsv', row=2)
    """

    file: str
    row: int | None = None


Place = TextPlace | RowPlace


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about an input.

    Attributes:
        code: the name of the fault, such as `unknown-atom`.
        headline: what is wrong, in one line.
        place: where it is, in a text or in a row of a file.
        help: a way out, if there is one.
        trace: a small picture of a trace that shows it, if there is one.
        stands_for: how many findings that are not spelled out it stands for; 0 if it is one itself.

    Examples:
        >>> import tracepact
        >>> try:
        ...     tracepact.load_contract("boundary_gat")
        ... except tracepact.InvalidInput as error:
        ...     found = error.diagnostics[0]
        >>> found.code, found.severity.value, found.help
        ('unreadable-file', 'error', 'did you mean `boundary_gate`?')
    """

    code: str
    headline: str
    place: Place | None = None
    help: str | None = None
    trace: str | None = None
    stands_for: int = 0

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise KeyError(f"diagnostic code {self.code!r} is not in the registry")

    @property
    def kind(self) -> Code:
        """The registry's entry for the code."""
        return CODES[self.code]

    @property
    def number(self) -> int:
        """How many findings it counts for."""
        return self.stands_for or 1

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return self.kind.severity


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is nearest to one, if some are near."""
    return next(iter(difflib.get_close_matches(word, sorted(set(known)), n=1, cutoff=0.6)), None)


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A help line that offers the nearest known words, or lists the few there are."""
    choices = sorted(set(known))
    if near := nearest(word, choices):
        return f"did you mean `{near}`?"
    if 0 < len(choices) <= 12:
        return "known here: " + ", ".join(f"`{c}`" for c in choices)
    return None


# Findings of one code apart by the file they are about, so that those of one file do not hide those of another.

_FEW_FILES = 4

Group = tuple[str, str]
"""A code, and a file or the folder of many."""


def groups_of(diagnostics: Sequence[Diagnostic]) -> list[Group]:
    """The group of each finding: its code with its file; with the folder where a code speaks of many files.

    What stands for several findings is of the group that it names.
    """
    files: dict[str, set[str]] = {}
    for one in diagnostics:
        if not one.stands_for:
            files.setdefault(one.code, set()).add(_file(one))
    names = {code: _names(some) for code, some in files.items()}
    return [(one.code, _file(one) if one.stands_for else names[one.code][_file(one)]) for one in diagnostics]


def _names(files: Iterable[str]) -> dict[str, str]:
    """What stands for each file: itself while they are few, else its folder; nothing if those are many too."""
    by_file = {file: file for file in files}
    if len(by_file) <= _FEW_FILES:
        return by_file
    by_folder = {file: posixpath.dirname(file) for file in by_file}
    return by_folder if len(set(by_folder.values())) <= _FEW_FILES else dict.fromkeys(by_file, "")


def _file(diagnostic: Diagnostic) -> str:
    match diagnostic.place:
        case RowPlace(file):
            return file
        case TextPlace(source):
            return source.name
        case None:
            return ""


# Draws diagnostics: terminal text with the span underlined, JSON, GitHub annotations, SARIF.

LISTED_PER_CODE = 5
SPELLED_OUT = 20
"""How many findings of one code and file an exception spells out, and text of errors in rows (rule 13.35)."""


def render_diagnostics(diagnostics: Sequence[Diagnostic], form: str = "text", *, every: bool = False) -> str:
    """All diagnostics in one of the `DIAGNOSTIC_FORMATS`; empty text for none, but `[]` in JSON.

    As text, warnings of one code beyond a few are counted, unless `every` one is wanted in full.
    """
    if form == "text" and every:
        return "\n".join(map(_block, diagnostics))
    return DIAGNOSTIC_FORMATS[form](diagnostics)


def summarise(diagnostics: Iterable[Diagnostic]) -> str:
    """Counts by severity, such as `1 error, 2 warnings`."""
    counts: Counter[Severity] = Counter()
    for d in diagnostics:
        counts[d.severity] += d.number
    parts = [f"{counts[s]:,} {s.value}{'s' if counts[s] != 1 else ''}" for s in Severity if counts[s]]
    return ", ".join(parts) or "no findings"


def _text(diagnostics: Sequence[Diagnostic]) -> str:
    """Errors last; of one code and file, warnings beyond a few are counted, and errors in rows beyond twenty."""
    blocks: list[str] = []
    shown: Counter[Group] = Counter()
    # Errors last, where a terminal stops scrolling: they are what has to be acted on.
    ordered = sorted(diagnostics, key=lambda d: d.severity is Severity.ERROR)
    groups = groups_of(ordered)
    last = Counter(groups)
    totals: Counter[Group] = Counter()
    for d, group in zip(ordered, groups, strict=True):
        totals[group] += d.number
    for d, group in zip(ordered, groups, strict=True):
        shown[group] += 1
        # A contract is mended error by error; a table with a thousand of one kind has one fault, and that is its form.
        listed = LISTED_PER_CODE if d.severity is not Severity.ERROR else SPELLED_OUT
        told = d.severity is Severity.ERROR and (d.stands_for or not isinstance(d.place, RowPlace))
        if shown[group] <= listed or told:
            blocks.append(_block(d))
        elif shown[group] == last[group]:
            rest, of = totals[group] - listed, f" in {group[1]}" if group[1] else ""
            blocks.append(f"{d.severity.value}[{d.code}]: … and {rest:,} more{of}: {d.kind.meaning}")
    return "\n".join(blocks)


def _block(d: Diagnostic) -> str:
    lines = [f"{d.severity.value}[{d.code}]: {d.headline}"]
    gutter = " "
    match d.place:
        case TextPlace(source, span):
            row, column = source.position(span.start)
            text = source.line(row)
            width = max(1, min(span.end - span.start, len(text) - column + 1))
            gutter = " " * len(str(row))
            lines.append(f"{gutter}--> {source.name}:{row}:{column}")
            lines.append(f"{gutter} |")
            excerpt, start, marks = _excerpt(text, column, width)
            lines.append(f"{row} | {excerpt}")
            lines.append(f"{gutter} | {' ' * start}{'^' * marks}")
        case RowPlace(file, None):
            lines.append(f"  --> {file}")
        case RowPlace(file, row):
            lines.append(f"  --> {file}:{row}")
    if d.trace:
        lines += [f"{gutter} | {line}".rstrip() for line in d.trace.splitlines()]
    if d.help:
        lines.append(f"{gutter} = help: {d.help}")
    return "\n".join(lines)


def _excerpt(text: str, column: int, width: int, limit: int = 120) -> tuple[str, int, int]:
    """At most `limit` characters of a line around the span, and where the span lies in them."""
    text = text.replace("\t", " ")
    start = column - 1
    if len(text) <= limit:
        return text, start, width
    # A quarter of the room before the span: what follows a fault mostly says more about it than what precedes it.
    left = max(0, min(start - limit // 4, len(text) - limit))
    return text[left : left + limit], start - left, min(width, limit - (start - left))


def as_data(d: Diagnostic) -> dict[str, Any]:
    """A diagnostic as plain data, the form of JSON output."""
    data: dict[str, Any] = {"code": d.code, "severity": d.severity.value, "headline": d.headline}
    match d.place:
        case TextPlace(source, span):
            row, column = source.position(span.start)
            data["place"] = {
                "file": source.name,
                "line": row,
                "column": column,
                "span": [span.start, span.end],
            }
        case RowPlace(file, row):
            data["place"] = {"file": file, "line": row}
        case None:
            data["place"] = None
    data["help"] = d.help
    data["trace"] = d.trace
    data["rules"] = list(d.kind.rules)
    return data


def _json(diagnostics: Sequence[Diagnostic]) -> str:
    return escaped_json(json.dumps([as_data(d) for d in diagnostics], ensure_ascii=False, indent=2))


_GITHUB_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def _github(diagnostics: Sequence[Diagnostic]) -> str:
    return "\n".join(_annotation(d) for d in diagnostics)


def _annotation(d: Diagnostic) -> str:
    fields = [f"title={_property(d.code)}"]
    match d.place:
        case TextPlace(source, span):
            row, column = source.position(span.start)
            fields += [f"file={_property(source.name)}", f"line={row}", f"col={column}"]
        case RowPlace(file, row):
            fields.append(f"file={_property(file)}")
            if row is not None:
                fields.append(f"line={row}")
    message = visible(d.headline + (f" ({d.help})" if d.help else ""))
    return f"::{_GITHUB_LEVEL[d.severity]} {','.join(fields)}::{_message(message)}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(visible(text)).replace(":", "%3A").replace(",", "%2C")


def _sarif(diagnostics: Sequence[Diagnostic]) -> str:
    """SARIF 2.1.0 (OASIS), which code hosts and editors show beside the line."""
    codes = sorted({d.code for d in diagnostics})
    rules = [
        {
            "id": code,
            "shortDescription": {"text": CODES[code].meaning},
            "defaultConfiguration": {"level": _SARIF_LEVEL[CODES[code].severity]},
        }
        for code in codes
    ]
    driver = {"name": "tracepact", "version": VERSION, "rules": rules}
    results = [_sarif_result(d, codes.index(d.code)) for d in diagnostics]
    # Columns count characters, not the code units of UTF-16 that SARIF assumes.
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    document = {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}
    return escaped_json(json.dumps(document, ensure_ascii=False, indent=2))


def _sarif_result(d: Diagnostic, rule: int) -> dict[str, Any]:
    text = "\n".join(filter(None, (d.headline, d.trace, d.help and f"help: {d.help}")))
    result: dict[str, Any] = {
        "ruleId": d.code,
        "ruleIndex": rule,
        "level": _SARIF_LEVEL[d.severity],
        "message": {"text": text},
    }
    place: dict[str, Any] = {}
    match d.place:
        case TextPlace(source, span):
            (row, column), (last_row, after) = source.position(span.start), source.position(span.end)
            region = {"startLine": row, "startColumn": column, "endLine": last_row, "endColumn": after}
            place = {"artifactLocation": {"uri": _uri(source.name)}, "region": region}
        case RowPlace(file, row):
            place = {"artifactLocation": {"uri": _uri(file)}}
            if row is not None:
                place["region"] = {"startLine": row}
    if place:
        result["locations"] = [{"physicalLocation": place}]
    return result


def _uri(path: str) -> str:
    """A path as a reference that is relative unless the path is not; nothing in it begins a scheme or a query."""
    return quote(path.replace("\\", "/"))


_SARIF_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"

DIAGNOSTIC_FORMATS: dict[str, Callable[[Sequence[Diagnostic]], str]] = {
    "text": _text,
    "json": _json,
    "github": _github,
    "sarif": _sarif,
}
