"""Draws diagnostics: terminal text with the span underlined, JSON, GitHub annotations."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tracepact.diagnostics.codes import Severity
from tracepact.diagnostics.grouping import Group, groups_of
from tracepact.diagnostics.model import Diagnostic, RowPlace, TextPlace
from tracepact.wording import escaped_json, visible

LISTED_PER_CODE = 5


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
    """Errors last, and each in full; warnings of one code and file beyond a few are counted, not repeated."""
    blocks: list[str] = []
    seen: Counter[Group] = Counter()
    ordered = sorted(diagnostics, key=lambda d: d.severity is Severity.ERROR)
    groups = groups_of(ordered)
    last = Counter(groups)
    totals: Counter[Group] = Counter()
    for d, group in zip(ordered, groups, strict=True):
        totals[group] += d.number
    for d, group in zip(ordered, groups, strict=True):
        seen[group] += 1
        if d.severity is Severity.ERROR or seen[group] <= LISTED_PER_CODE:
            blocks.append(_block(d))
        elif seen[group] == last[group]:
            rest, of = totals[group] - LISTED_PER_CODE, f" in {group[1]}" if group[1] else ""
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


DIAGNOSTIC_FORMATS: dict[str, Callable[[Sequence[Diagnostic]], str]] = {
    "text": _text,
    "json": _json,
    "github": _github,
}
