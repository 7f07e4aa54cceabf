"""Metrics as plain data and as rows: what JSON and CSV hold, and every renderer reads."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tracepact.metrics.cells import CellDifference
from tracepact.metrics.events import PairDifference
from tracepact.metrics.policy import Number
from tracepact.metrics.result import CountMetric, MeanMetric, Measured, Metric, Rates, Tally
from tracepact.metrics.standard import StandardMetrics
from tracepact.wording import rounded

FORMAT = "tracepact-metrics/1"
Data = dict[str, Any]
METRIC_COLUMNS = (
    "metric",
    "input",
    "policy",
    "of",
    "tp",
    "fp",
    "fn",
    "precision",
    "recall",
    "f1",
    "substitutions",
    "deletions",
    "insertions",
    "error_rate",
    "pairs",
    "mean",
)


def metrics_data(found: Measured, most: int | None = None) -> Data:
    """All metrics with their policies, and the decisions that differ, of each kind at most so many listed."""
    return {
        "format": FORMAT,
        "policy": found.arithmetic.value,
        "clips": found.clips,
        "left_out": found.left_out,
        "unlisted": found.unlisted,
        "metrics": [_metric(metric) for metric in found.metrics],
        "differences": _differences(found, most) if isinstance(found, StandardMetrics) else None,
    }


def _differences(found: StandardMetrics, most: int | None) -> Data:
    pairs, cells = found.pair_differences, found.cell_differences
    return {
        "pairs": len(pairs),
        "cells": sum(cell.count for cell in cells),
        "listed": {
            "pairs": [_pair(pair) for pair in pairs[:most]],
            "cells": [_cells(cell) for cell in cells[:most]],
        },
        "counts": {
            both.exact.name: {"exact": _counts(both.exact.total), "sed_eval": _counts(both.sed_eval.total)}
            for both in (found.event, found.segment)
        },
    }


def _metric(metric: Metric) -> Data:
    """One metric: its policy, its counts, its values for all and for each class."""
    head = {"name": metric.name, "input": metric.input.value, "policy": metric.policy}
    if isinstance(metric, MeanMetric):
        return {
            **head,
            "kind": "mean",
            "unit": "s",
            "pairs": metric.total.pairs,
            "micro": _value(metric.total.mean),
            "macro": _value(metric.macro),
            "classes": [
                {"label": label, "pairs": found.pairs, "mean": _value(found.mean)}
                for label, found in metric.classes.items()
            ],
        }
    macro = metric.macro
    return {
        **head,
        "kind": "counts",
        "unit": metric.unit,
        "counts": _counts(metric.total),
        "micro": _rates(metric.micro),
        "macro": {**_rates(macro.rates), "classes": dict(macro.classes)},
        "errors": {
            "substitutions": metric.errors.substitutions,
            "deletions": metric.errors.deletions,
            "insertions": metric.errors.insertions,
            "reference": metric.errors.reference,
            "rate": _value(metric.error_rate),
            "macro_rate": _value(metric.macro_error_rate),
        }
        if metric.errors
        else None,
        "classes": [
            {"label": label, "counts": _counts(tally), **_rates(metric.rates(tally))}
            for label, tally in metric.classes.items()
        ],
    }


def metric_rows(metrics: Iterable[Metric]) -> Iterator[Sequence[str | int]]:
    """A row for the micro value, the macro value and each class of every metric; decimals as floats print them."""
    for metric in metrics:
        head = (metric.name, metric.input.value, metric.policy)
        if isinstance(metric, MeanMetric):
            blank = ("",) * 10
            yield *head, "micro", *blank, metric.total.pairs, _decimal(metric.total.mean)
            yield *head, "macro", *blank, metric.total.pairs, _decimal(metric.macro)
            for label, some in metric.classes.items():
                yield *head, f"class {label}", *blank, some.pairs, _decimal(some.mean)
            continue
        yield *head, "micro", *_tally_fields(metric.total), *_rate_fields(metric.micro), *_error_fields(metric), "", ""
        macro_rate = _decimal(metric.macro_error_rate)
        yield *head, "macro", "", "", "", *_rate_fields(metric.macro.rates), "", "", "", macro_rate, "", ""
        for label, tally in metric.classes.items():
            rates = _rate_fields(metric.rates(tally))
            yield *head, f"class {label}", *_tally_fields(tally), *rates, "", "", "", "", "", ""


def _value(value: Number | None) -> Data:
    """An exact value with its decimal for reading; of a float, which is not exact, the decimal alone."""
    if value is None or isinstance(value, float):
        return {"value": None, "decimal": value}
    return {"value": str(value), "decimal": rounded(value)}


def _rates(rates: Rates) -> Data:
    return {name: _value(getattr(rates, name)) for name in ("precision", "recall", "f1")}


def _counts(tally: Tally) -> Data:
    return {"tp": tally.tp, "fp": tally.fp, "fn": tally.fn}


def _pair(pair: PairDifference) -> Data:
    return {
        "clip": pair.clip,
        "class": pair.label,
        "ref": [str(time) for time in pair.ref],
        "pred": [str(time) for time in pair.pred],
        "exact": pair.exact,
        "sed_eval": pair.sed_eval,
    }


def _cells(cell: CellDifference) -> Data:
    return {
        "clip": cell.clip,
        "class": cell.label,
        "side": cell.side.value,
        "first": cell.first,
        "count": cell.count,
        "exact": cell.exact,
        "sed_eval": cell.sed_eval,
    }


def _decimal(value: Number | None) -> str:
    return "" if value is None else repr(float(value))


def _tally_fields(tally: Tally) -> tuple[int, int, int]:
    return tally.tp, tally.fp, tally.fn


def _rate_fields(rates: Rates) -> tuple[str, str, str]:
    return _decimal(rates.precision), _decimal(rates.recall), _decimal(rates.f1)


def _error_fields(metric: CountMetric) -> tuple[int | str, int | str, int | str, str]:
    if metric.errors is None:
        return "", "", "", ""
    errors = metric.errors
    return errors.substitutions, errors.deletions, errors.insertions, _decimal(metric.error_rate)
