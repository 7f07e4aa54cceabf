"""A report as Markdown, short enough for a pull request: the vector first, the rest folded."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tracepact.core import Aggregation
from tracepact.scoring.uncertainty import Interval
from tracepact.tools.score.report.evidence import HOW, Evidence
from tracepact.tools.score.report.metrics import VALUE_HEADINGS, difference_lines, metric_cells
from tracepact.tools.score.report.preparation import preparation_lines
from tracepact.tools.score.report.text import HEADINGS, number
from tracepact.tools.score.report.witnesses import describe
from tracepact.wording import count, decimal, short, time_text

Data = dict[str, Any]
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~#&])")


def report_markdown(data: Data, found: Evidence) -> str:
    """The whole report; tables beside the vector are folded."""
    own = Aggregation(data["aggregation"])
    ranges = found.intervals.get(own, {})
    parts = [*_head(data), "", *_vector(data, own, ranges), ""]
    for title, lines in _folded(data):
        parts += ["<details>", f"<summary>{title}</summary>", "", *lines, "", "</details>", ""]
    return "\n".join([*parts, *_foot(data, bool(ranges))]) + "\n"


def plain(text: str) -> str:
    """Text that stands for itself in Markdown, in a table cell too."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def code(text: str) -> str:
    """Text as code in a table cell."""
    shown = " ".join(text.split()).replace("|", "\\|")
    fence = "`" * (max((len(ticks) for ticks in re.findall("`+", shown)), default=0) + 1)
    return f"{fence}{shown}{fence}" if fence == "`" else f"{fence} {shown} {fence}"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> Iterator[str]:
    """A table whose first columns are set left, the others right."""
    yield f"| {' | '.join(headings)} |"
    yield f"|{'|'.join(':--' if index < left else '--:' for index in range(len(headings)))}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _head(data: Data) -> Iterator[str]:
    contract, family = data["contract"], data["family"]
    system = next((item["name"] for item in data["inputs"] if item["role"] == "prediction"), None)
    subject = (
        f"{plain(system.rsplit('/', 1)[-1])} under {plain(contract['name'])}" if system else plain(contract["name"])
    )
    yield f"### {subject}"
    yield ""
    classes = "all classes as one" if family["mode"] == "union" else count(len(family["classes"]), "class", "classes")
    yield (
        f"{count(family['clips'], 'clip')} × {classes}, frames of {time_text(data['grid']['step'])}, "
        f"{data['matcher']['kind']} matcher, contract `{contract['digest'][:16]}`"
    )
    for line in preparation_lines(data["preparation"]):
        yield ""
        yield plain(line)
    overridden = [f"{p['name']} = {p['value']}" for p in contract["parameters"] if p["overridden"]]
    if overridden:
        yield ""
        yield f"**Set from outside:** {plain(', '.join(overridden))}"


def _vector(data: Data, own: Aggregation, ranges: Mapping[str, Interval]) -> Iterator[str]:
    others = [a for a in (Aggregation.POOLED, Aggregation.MACRO_CLASSES) if a is not own]
    headings = ["clause", HEADINGS[own], *(["95 % interval"] if ranges else []), "satisfied / obligated", "∅ +⊥"]
    rows = []
    for row in data["vector"]:
        score, pooled = row["scores"][own.value], row["scores"]["pooled"]
        empty = f"{score['vacuous_entries']:,} +{score['counter_entries']:,}"
        rows.append(
            [
                plain(row["clause"]),
                f"**{number(score)}**",
                *([_interval(ranges.get(row["clause"]))] if ranges else []),
                f"{pooled['satisfied']:,} / {pooled['obligated']:,}",
                "" if empty == "0 +0" else empty,
                *(number(row["scores"][a.value]) for a in others),
            ]
        )
    logic = data["logic"]
    middle = [_interval(ranges.get("logic"))] if ranges else []
    rows.append(
        ["*mean*", f"**{number(logic[own.value])}**", *middle, "", "", *(number(logic[a.value]) for a in others)]
    )
    return table([*headings, *(HEADINGS[a] for a in others)], rows)


def _interval(interval: Interval | None) -> str:
    return f"{decimal(interval.low)} to {decimal(interval.high)}" if interval else ""


def _folded(data: Data) -> Iterator[tuple[str, list[str]]]:
    clauses = [row["clause"] for row in data["vector"]]
    yield "Standard metrics", list(_metrics(data["metrics"]))
    names = [plain(clause) for clause in clauses]
    violated = [item for item in data["witnesses"] if item["total"]]
    if violated:
        rows = [_failure(item) for item in violated]
        headings = ("clause", "farthest from holding", "failing part", "how far", "violated")
        yield "Where it failed", list(table(headings, rows, 4))
    if len(data["classes"]) > 1:
        rows = [[plain(row["label"]), *(number(row["vector"][c]) for c in clauses)] for row in data["classes"]]
        yield "By class (pooled)", list(table(["class", *names], rows))
    if data["conditions"]:
        own = data["aggregation"]
        rows = [
            [
                f"{plain(row['condition'])} ({count(row['clips'], 'clip')})",
                *(number(row["vector"][c][own]) for c in clauses),
            ]
            for row in data["conditions"]
        ]
        yield f"By condition ({HEADINGS[Aggregation(own)]})", list(table(["condition", *names], rows))
    if data["sweeps"]:
        rows = [
            [plain(f"{p['parameter']} = {p['value']}"), *(number(p["vector"][c]) for c in clauses)]
            for p in data["sweeps"]
        ]
        yield f"Sweep ({HEADINGS[Aggregation(data['aggregation'])]})", list(table(["", *names], rows))


def _metrics(data: Data) -> Iterator[str]:
    rows = [[*map(plain, metric_cells(m)), plain(f"{m['input']}: {m['policy']}")] for m in data["metrics"]]
    yield from table(["metric", *VALUE_HEADINGS, "input and policy"], rows)
    if data["differences"] is not None:
        yield ""
        for line in difference_lines(data["differences"]):
            yield f"- {plain(line)}"


def _failure(item: Data) -> list[str]:
    worst = item["shown"][0]
    at = short(worst["interval"][0] if "interval" in worst else worst["time"])
    place = f"{plain(worst['clip'])}, {plain(worst['class'])} at {at} s"
    return [plain(item["clause"]), place, code(worst["part"]["text"]), describe(worst), f"{item['total']:,}"]


def _foot(data: Data, ranges: bool) -> Iterator[str]:
    notes = [
        "∅ clips and classes without an obligation, which count 1; ⊥ events but none the clause judges, which count 0"
    ]
    if ranges:
        notes.append(HOW)
    if data["diagnostics"]["counts"]:
        shown = ", ".join(f"{times:,} {name}" for name, times in sorted(data["diagnostics"]["counts"].items()))
        notes.append(f"warnings: {shown}")
    notes.append(f"tracepact {data['versions']['tracepact']}")
    yield f"<sub>{' · '.join(notes)}</sub>"
