"""Metrics as rows: what CSV holds."""

from collections.abc import Iterable, Iterator, Sequence

from tracepact.metrics.policy import Number
from tracepact.metrics.result import CountMetric, MeanMetric, Metric, Rates, Tally

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
