"""Draws metrics for a terminal: each value with its input, counts and policy, and where the two policies differ."""

from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tracepact.wording import count, decimal, milliseconds, short

Data = dict[str, Any]
_LISTED = 5
_ABSURD = 10**9
_ERRORS = ("substitutions", "deletions", "insertions", "reference")
VALUE_HEADINGS = ("micro", "macro", "precision", "recall", "tp / fp / fn")
ERROR_HEADINGS = ("micro", "macro", *_ERRORS)


def render_metrics(data: Data) -> RenderableType:
    """The metrics, then by class, then the decisions that differ."""
    return Group(*_tables(data["metrics"]), *_remarks(data), *_differences(data["differences"]), *_left_out(data))


def render_metrics_summary(data: Data) -> RenderableType:
    """What stands in the report of a run: the metrics and how many decisions differ."""
    return Group(*_overall(data["metrics"]), *_remarks(data), *_differences(data["differences"]), *_left_out(data))


def _tables(metrics: list[Data]) -> Iterator[RenderableType]:
    """The metrics and their errors, and the values by class where there is more than one."""
    yield from _overall(metrics)
    labels = [row["label"] for row in metrics[0]["classes"]] if metrics else []
    if len(labels) > 1:
        yield _class_table(metrics, labels)


def _overall(metrics: list[Data]) -> Iterator[RenderableType]:
    yield _value_table(metrics)
    if any(metric.get("errors") for metric in metrics):
        yield _error_table(metrics)


def _table(title: str, *headings: str) -> Table:
    """A table whose first column names metrics, and whose others are numbers."""
    table = Table(title=title, title_justify="left", title_style="bold", header_style="dim", pad_edge=False)
    table.add_column("metric", overflow="fold")
    for heading in headings:
        table.add_column(Text(heading), justify="right", overflow="fold")
    return table


def _value_table(metrics: list[Data]) -> Table:
    table = _table("Standard metrics", *VALUE_HEADINGS)
    table.add_column("input", style="dim", overflow="fold")
    table.add_column("policy", style="dim", overflow="fold", min_width=30)
    for metric in metrics:
        table.add_row(*metric_cells(metric), metric["input"], metric["policy"])
    return table


def metric_cells(metric: Data) -> tuple[str, ...]:
    """Name, micro, macro, precision, recall and counts of a metric, as VALUE_HEADINGS name them."""
    if metric["kind"] == "mean":
        return _name(metric), _time(metric["micro"]), _time(metric["macro"]), "", "", count(metric["pairs"], "pair")
    micro, counts = metric["micro"], metric["counts"]
    return (
        _name(metric),
        _number(micro["f1"]),
        _number(metric["macro"]["f1"]),
        _number(micro["precision"]),
        _number(micro["recall"]),
        f"{counts['tp']:,} / {counts['fp']:,} / {counts['fn']:,}",
    )


def _error_table(metrics: list[Data]) -> Table:
    table = _table("Error rates", *ERROR_HEADINGS)
    for metric in metrics:
        if metric.get("errors"):
            table.add_row(*error_cells(metric))
    return table


def error_cells(metric: Data) -> tuple[str, ...]:
    """Name, rates and counts of the errors of a metric that has some, as ERROR_HEADINGS name them."""
    errors = metric["errors"]
    rates = (_number(errors[rate]) for rate in ("rate", "macro_rate"))
    return metric["name"], *rates, *(f"{errors[part]:,}" for part in _ERRORS)


def _class_table(metrics: list[Data], labels: list[str]) -> Table:
    table = _table("By class", *labels)
    for metric in metrics:
        table.add_row(*class_cells(metric))
    return table


def class_cells(metric: Data) -> tuple[str, ...]:
    """Name and value of a metric for each class."""
    mean = metric["kind"] == "mean"
    return _name(metric), *(_time(c["mean"]) if mean else _number(c["f1"]) for c in metric["classes"])


def _name(metric: Data) -> str:
    return str(metric["name"]) if metric["kind"] == "mean" else f"{metric['name']} F1"


def _remarks(data: Data) -> Iterator[RenderableType]:
    if lines := remark_lines(data["metrics"]):
        yield _note("\n".join(lines))


def remark_lines(metrics: list[Data]) -> list[str]:
    """What the means over classes leave out, and which of them say nothing."""
    lines = []
    for metric in metrics:
        classes = len(metric["classes"])
        if metric["kind"] == "counts" and metric["macro"]["classes"]["f1"] < classes:
            defined = metric["macro"]["classes"]["f1"]
            lines.append(
                f"macro {_name(metric)} is over {defined} of {classes} classes; for the others it is undefined"
            )
        macro_rate = metric["errors"]["macro_rate"]["decimal"] if metric.get("errors") else None
        if macro_rate is not None and macro_rate > _ABSURD:
            lines.append(
                f"the macro error rate of {metric['name']} says nothing: as in sed_eval, a class without references "
                "is divided by 2⁻⁵²"
            )
    return lines


def _left_out(data: Data) -> Iterator[RenderableType]:
    if data["left_out"]:
        verb = "is" if data["left_out"] == 1 else "are"
        yield _note(f"{count(data['left_out'], 'event')} in ignore regions {verb} left out of the metrics on intervals")
    if data["unlisted"]:
        yield _note(
            f"counted as false positives: {count(data['unlisted'], 'predicted event')} on clips that nothing else names"
        )


def _differences(found: Data | None) -> Iterator[RenderableType]:
    if found is not None:
        yield _note("\n".join(difference_lines(found)))


def difference_lines(found: Data) -> list[str]:
    """What sed_eval's arithmetic decides otherwise, in words: how many, and the first of them."""
    if not found["pairs"] and not found["cells"]:
        return ["exact and sed_eval's arithmetic decide alike on every pair and every segment"]
    lines = [f"decided differently by sed_eval's floats: pairs {found['pairs']:,}, segments {found['cells']:,}"]
    for name, both in found["counts"].items():
        if both["exact"] != both["sed_eval"]:
            exact, floats = (" / ".join(f"{v:,}" for v in both[side].values()) for side in ("exact", "sed_eval"))
            lines.append(f"{name} tp / fp / fn: exact {exact}, sed_eval {floats}")
    for pair in found["listed"]["pairs"][:_LISTED]:
        sides = " against ".join("–".join(short(t) for t in pair[side]) for side in ("ref", "pred"))
        lines.append(f"  {pair['clip']} {pair['class']} {sides} s: {_verdicts(pair)}")
    for cell in found["listed"]["cells"][:_LISTED]:
        last = cell["first"] + cell["count"] - 1
        cells = f"segment {cell['first']}" if cell["count"] == 1 else f"segments {cell['first']} to {last}"
        lines.append(f"  {cell['clip']} {cell['class']} {cell['side']} {cells}: {_verdicts(cell)}")
    rest = found["pairs"] + len(found["listed"]["cells"]) - min(_LISTED, len(found["listed"]["pairs"]))
    rest -= min(_LISTED, len(found["listed"]["cells"]))
    if rest > 0:
        lines.append(f"  … and {rest:,} more (JSON lists them)")
    return lines


def _verdicts(item: Data) -> str:
    return "yes exactly, no in floats" if item["exact"] else "no exactly, yes in floats"


def _note(text: str) -> RenderableType:
    return Padding(Text(text, style="dim"), (0, 0, 1, 1))


def _number(value: Data) -> str:
    return decimal(_exact(value))


def _time(value: Data) -> str:
    return milliseconds(_exact(value))


def _exact(value: Data) -> str | float | None:
    """The exact text of a value where it has one, else the float it is, if any."""
    exact: str | None = value["value"]
    return exact if exact is not None else value["decimal"]
