"""Findings collected while input is read, the exception that carries them, and how they are grouped and drawn."""

import json
import posixpath
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from enum import Enum
from typing import Any, TypeVar
from urllib.parse import quote

from tracepact.declarations import dataclass
from tracepact.diagnostics.findings import CODES, Diagnostic, Place, RowPlace, Severity, TextPlace, did_you_mean
from tracepact.version import VERSION
from tracepact.wording import escaped_json, visible

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
    place = as_data(d)["place"] or {}
    fields += [f"file={_property(place['file'])}"] if place else []
    fields += [f"{key}={place[name]}" for key, name in (("line", "line"), ("col", "column")) if place.get(name)]
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


# Findings collected while input is read, and the exception that carries all of them.

_E = TypeVar("_E", bound=Enum)
_T = TypeVar("_T")


class InvalidInput(Exception):  # noqa: N818  (it is what the input is, not what went wrong in the program)
    """Input that cannot be used; it carries everything that was found, not only the first fault.

    Attributes:
        diagnostics: the findings, warnings included; at most twenty of one kind and file, and how many more there are.
        summary: how many errors and warnings there are in all.

    Examples:
        >>> import tracepact
        >>> try:
        ...     tracepact.score("boundary_gate", ref=[(2, 1)], pred=[(-1, 1)], durations=3)
        ... except tracepact.InvalidInput as error:
        ...     sorted(found.code for found in error.diagnostics)
        ['bad-time', 'offset-before-onset']
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        kept = list(diagnostics)
        self.diagnostics = tuple(_bounded(kept))
        self.summary = summarise(kept)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return "\n" + render_diagnostics(self.diagnostics)


def _bounded(diagnostics: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """At most twenty findings of one code and file, then how many more there are of each."""
    # An exception is kept and printed whole, and a table of a million rows may have the same fault in each of them.
    counts: Counter[Group] = Counter()
    more: Counter[Group] = Counter()
    for one, group in zip(diagnostics, groups_of(diagnostics), strict=True):
        counts[group] += 1
        if counts[group] <= SPELLED_OUT and not one.stands_for:
            yield one
        else:
            more[group] += one.number
    for (code, file), number in more.items():
        yield not_spelled_out(code, number, RowPlace(file) if file else None)


def not_spelled_out(code: str, number: int, place: Place | None = None) -> Diagnostic:
    """A finding that says how many more of its kind there are."""
    be = "is" if number == 1 else "are"
    return Diagnostic(code, f"{number:,} more of this kind {be} not spelled out", place, stands_for=number)


@dataclass(slots=True)
class Diagnostics:
    """Collects findings; `raise_errors` ends a stage that found any error."""

    items: list[Diagnostic] = field(default_factory=list)

    def add(self, code: str, headline: str, place: Place | None = None, help: str | None = None) -> None:
        """Record a finding."""
        self.items.append(Diagnostic(code, headline, place, help))

    def extend(self, more: Iterable[Diagnostic]) -> None:
        """Record findings made elsewhere."""
        self.items.extend(more)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def errors(self) -> list[Diagnostic]:
        """The findings that make the input unusable."""
        return [d for d in self.items if d.severity is Severity.ERROR]

    @property
    def warnings(self) -> list[Diagnostic]:
        """The findings that leave the input usable."""
        return [d for d in self.items if d.severity is Severity.WARNING]

    def raise_errors(self, *, strict: bool = False) -> None:
        """Raise InvalidInput if there is an error, or with `strict` a warning."""
        if self.errors or (strict and self.warnings):
            raise InvalidInput(self.items)


_OFFERED = 24
"""How many names a message lists; a run may have a hundred thousand clips."""


def known_name(name: str, known: Iterable[str], kind: str, code: str) -> str:
    """A name that is one of these; InvalidInput offers the nearest one and lists the choices."""
    choices = list(known)
    if name not in choices:
        listed = ", ".join(f"`{choice}`" for choice in choices[:_OFFERED]) or "none"
        if len(choices) > _OFFERED:
            listed += f" and {len(choices) - _OFFERED:,} more"
        near = did_you_mean(str(name), choices)
        hint = f"{near} " if near and near.startswith("did") else ""
        raise InvalidInput([Diagnostic(code, f"there is no {kind} `{name}`", None, f"{hint}known here: {listed}")])
    return name


def several(texts: Sequence[_T], function: str, what: str) -> Sequence[_T]:
    """Texts that are a list; InvalidInput for a single one, which would be taken as its characters."""
    if isinstance(texts, str):
        way = f"write `[{texts!r}]`"
        raise InvalidInput([Diagnostic("type-mismatch", f"`{function}` takes a list of {what}, not a text", None, way)])
    return texts


def one_of(kind: type[_E], value: object, what: str) -> _E:
    """The member of a kind, by itself or by its value; InvalidInput offers the nearest one and lists the choices."""
    if isinstance(value, kind):
        return value
    return kind(known_name(str(value), [str(member.value) for member in kind], what, "unknown-choice"))


def require_type(value: object, kinds: type | tuple[type, ...], what: str, expected: str) -> None:
    """InvalidInput for a value that is of none of these types; `expected` says in words what it should be."""
    if not isinstance(value, kinds) or isinstance(value, bool):
        actual = type(value).__name__
        raise InvalidInput([Diagnostic("type-mismatch", f"{what} is of type `{actual}`, not {expected}")])
