"""Draws report data for a terminal: the vector, what stands beside it, and where it failed."""

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tracepact.core import Aggregation
from tracepact.show.width import keep_whole
from tracepact.tools.score.report.metrics import render_metrics_summary
from tracepact.tools.score.report.preparation import preparation_lines
from tracepact.tools.score.report.timeline import draw, duration
from tracepact.tools.score.report.witnesses import describe
from tracepact.wording import count, decimal, short, time_text

Data = dict[str, Any]
_BAR = 10
_VACUOUS = "∅"
_COUNTER = "⊥"
_WIDE = 118
HEADINGS = {aggregation: aggregation.steps.heading for aggregation in Aggregation}


def render_report(data: Data) -> RenderableType:
    """The whole report."""
    return Group(*_sections(data))


def render_summary(data: Data) -> RenderableType:
    """What fits a picture: the vector, what stands beside it, and the clip that failed worst."""
    return Group(_heading(data), VectorTable(data), _beside(data), *map(_timeline, data["timelines"][:1]))


def _sections(data: Data) -> Iterator[RenderableType]:
    yield _heading(data)
    yield VectorTable(data)
    yield _beside(data)
    yield render_metrics_summary(data["metrics"])
    if data["sweeps"]:
        yield _sweep_table(data)
    if len(data["classes"]) > 1:
        yield _class_table(data)
    if data["conditions"]:
        yield _condition_table(data)
    if any(item["total"] for item in data["witnesses"]):
        yield _witness_table(data)
    for timeline in data["timelines"]:
        yield _timeline(timeline)
    if data["diagnostics"]["counts"]:
        yield _diagnostics(data)


def _heading(data: Data) -> RenderableType:
    contract, family, matcher = data["contract"], data["family"], data["matcher"]
    text = Text()
    text.append(contract["name"], style="bold")
    if contract["title"]:
        text.append(f"  {contract['title']}")
    text.append(f"\ndigest {contract['digest'][:16]}", style="dim")
    classes = "all classes as one" if family["mode"] == "union" else count(len(family["classes"]), "class", "classes")
    frames = f"{family['frames']:,} frames of {time_text(data['grid']['step'])} ({data['grid']['projection']})"
    matching = f"{matcher['kind']} matcher, search {time_text(matcher['search'])}"
    text.append(f"  ·  {count(family['clips'], 'clip')} × {classes}, {frames}  ·  {matching}", style="dim")
    inputs = [f"{item['role']} {PurePath(item['name']).name}" for item in data["inputs"]]
    if inputs:
        text.append(f"\n{'  ·  '.join(inputs)}", style="dim")
    for line in preparation_lines(data["preparation"]):
        text.append(f"\n{line}", style="dim")
    overridden = [f"{p['name']} = {p['value']}" for p in contract["parameters"] if p["overridden"]]
    if overridden:
        text.append(f"\nset from outside: {', '.join(overridden)}", style="yellow")
    return Padding(text, (0, 0, 1, 0))


class VectorTable:
    """Every clause under every aggregation, the contract's own first; a narrow screen shows that and the pooled one."""

    def __init__(self, data: Data) -> None:
        self.data = data

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= _WIDE
        yield self.widest if wide else _vector_table(self.data, wide=False)

    @property
    def widest(self) -> Table:
        """The table with all its columns."""
        return keep_whole(_vector_table(self.data, wide=True))


def _vector_table(data: Data, *, wide: bool) -> Table:
    first = Aggregation(data["aggregation"])
    others = [a for a in Aggregation if a is not first and (wide or a is Aggregation.POOLED)]
    table = _table("The vector")
    table.add_column("clause", overflow="fold")
    table.add_column(HEADINGS[first], justify="left", style="bold", overflow="fold")
    table.add_column("satisfied / obligated", justify="right", overflow="fold")
    table.add_column(f"{_VACUOUS} +{_COUNTER}", justify="right", overflow="fold", style="dim")
    for aggregation in others:
        table.add_column(HEADINGS[aggregation], justify="right", style="dim", overflow="fold")
    for row in data["vector"]:
        scores = row["scores"]
        table.add_row(
            row["clause"],
            bar(scores[first.value]),
            f"{scores['pooled']['satisfied']:,} / {scores['pooled']['obligated']:,}",
            _empty_entries(scores[first.value]),
            *(number(scores[a.value]) for a in others),
        )
    table.add_section()
    logic = data["logic"]
    table.add_row("logic (mean)", bar(logic[first.value]), "", "", *(number(logic[a.value]) for a in others))
    return table


def _empty_entries(score: Data) -> str:
    """How many of the averaged values count 1 or 0 without an obligation behind them."""
    vacuous, counter = score["vacuous_entries"], score["counter_entries"]
    if not vacuous and not counter:
        return ""
    return f"{vacuous:,} +{counter:,}" if counter else f"{vacuous:,}"


def _beside(data: Data) -> RenderableType:
    soft = data["soft_boundary"]
    vacuous = "" if soft["edges"] else f" {_VACUOUS}"
    lines = [
        f"soft boundary score{vacuous} {decimal(soft['value'])}, {soft['edges']:,} edges, "
        f"scale {time_text(soft['scale'])}",
        *(f"profile {p['name']} = {number(p)} ({p['aggregation']})" for p in data["profiles"]),
        count(len(data["matches"]), "matched pair"),
    ]
    first = [row["scores"][data["aggregation"]] for row in data["vector"]]
    entries = max(score["entries"] for score in first)
    what = "clips and classes" if "clips" in data["aggregation"] else "values"
    if any(score["vacuous_entries"] for score in first):
        lines.append(f"{_VACUOUS} so many of {entries:,} {what} have no obligation and count 1; “no ∅” leaves them out")
    if any(score["counter_entries"] for score in first):
        lines.append(f"{_COUNTER} so many have events but none the clause judges, and count 0 (rule 7.4)")
    return Padding(Text("\n".join(lines), style="dim"), (0, 0, 1, 1))


def _sweep_table(data: Data) -> Table:
    columns = {f"{point['parameter']} = {point['value']}": point["vector"] for point in data["sweeps"]}
    return _by_clause(f"Sweep ({HEADINGS[Aggregation(data['aggregation'])]})", data, columns)


def _by_clause(title: str, data: Data, columns: dict[str, dict[str, Data]]) -> Table:
    """A table with a row for each clause and a column for each named vector."""
    table = _table(title)
    table.add_column("clause", overflow="fold")
    for heading in columns:
        table.add_column(Text(heading), justify="right", overflow="fold")
    for row in data["vector"]:
        table.add_row(row["clause"], *(number(vector[row["clause"]]) for vector in columns.values()))
    return table


def _class_table(data: Data) -> Table:
    return _by_clause("By class (pooled)", data, {row["label"]: row["vector"] for row in data["classes"]})


def _condition_table(data: Data) -> Table:
    aggregation = data["aggregation"]
    columns = {
        f"{row['condition']} ({count(row['clips'], 'clip')})": {
            clause: scores[aggregation] for clause, scores in row["vector"].items()
        }
        for row in data["conditions"]
    }
    return _by_clause(f"By condition ({HEADINGS[Aggregation(aggregation)]})", data, columns)


def _witness_table(data: Data) -> Table:
    table = _table("Where it failed, farthest first")
    table.add_column("clause", overflow="fold")
    table.add_column("violated", justify="right")
    table.add_column("clip", overflow="fold")
    table.add_column("class", overflow="fold")
    table.add_column("at", justify="right", overflow="fold")
    table.add_column("failing part", overflow="fold")
    table.add_column("how far", overflow="fold")
    for item in data["witnesses"]:
        for index, witness in enumerate(item["shown"][:3]):
            at = f"{short(witness['interval'][0] if 'interval' in witness else witness['time'])} s"
            table.add_row(
                item["clause"] if index == 0 else "",
                f"{item['total']:,}" if index == 0 else "",
                Text(witness["clip"]),
                Text(witness["class"]),
                at,
                Text(" ".join(witness["part"]["text"].split())),
                describe(witness),
            )
    return table


def _timeline(data: Data) -> RenderableType:
    lanes = draw(data)
    width = max(len(name) for name, _ in lanes)
    text = Text()
    text.append(f"{data['clip']}  {data['class']}", style="bold")
    text.append(f"  0 to {short(duration(data))} s\n", style="dim")
    styles = {"ref": "green", "pred": "blue"}
    for name, cells in lanes:
        text.append(f"{name:>{width}} ", style="dim")
        text.append(cells + "\n", style=styles.get(name, "red"))
    return Padding(text, (0, 0, 0, 1))


def _diagnostics(data: Data) -> RenderableType:
    counts = data["diagnostics"]["counts"]
    shown = ", ".join(f"{count:,} {code}" for code, count in sorted(counts.items()))
    return Text(f"warnings: {shown}", style="yellow")


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", title_style="bold", header_style="dim", pad_edge=False)


def number(score: Data) -> str:
    """A value for a table, with the mark of vacuity."""
    shown = decimal(score["value"])
    return f"{_VACUOUS} {shown}" if score.get("vacuous") else shown


def bar(score: Data) -> Text:
    """A value with a bar; full only when it is exactly 1."""
    cells = int(score["decimal"] * _BAR)
    filled = _BAR if score["value"] == "1" else min(cells, _BAR - 1)
    style = "green" if filled == _BAR else "yellow" if filled >= _BAR // 2 else "red"
    text = Text("█" * filled + "░" * (_BAR - filled), style=style)
    text.append(f" {number(score)}", style="bold")
    return text
