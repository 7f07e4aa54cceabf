"""Metrics as rows: what CSV holds."""

from collections.abc import Iterable, Iterator, Sequence

from tracepact.metrics.policy import Number
from tracepact.metrics.result import CountMetric, MeanMetric, Metric
from tracepact.metrics.values import Accuracy, Rates, Tally

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
    "tn",
    "specificity",
    "balanced_accuracy",
    "accuracy",
)


def metric_rows(metrics: Iterable[Metric]) -> Iterator[Sequence[str | int]]:
    """A row for the micro value, the macro value and each class of every metric; decimals as floats print them."""
    for metric in metrics:
        head = (metric.name, metric.input.value, metric.policy)
        if isinstance(metric, MeanMetric):
            blank, none = ("",) * 10, ("",) * 4
            yield *head, "micro", *blank, metric.total.pairs, _decimal(metric.total.mean), *none
            yield *head, "macro", *blank, metric.total.pairs, _decimal(metric.macro), *none
            for label, some in metric.classes.items():
                yield *head, f"class {label}", *blank, some.pairs, _decimal(some.mean), *none
            continue
        total, labels = metric.total, len(metric.labels)
        rates = _rate_fields(metric.micro)
        cells = _accuracy_fields(metric.micro_accuracy, _negatives(metric, total, labels))
        yield *head, "micro", *_tally_fields(total), *rates, *_error_fields(metric), "", "", *cells
        macro_rate, means = _decimal(metric.macro_error_rate), _accuracy_fields(metric.macro_accuracy, "")
        yield *head, "macro", "", "", "", *_rate_fields(metric.macro.rates), "", "", "", macro_rate, "", "", *means
        for label, tally in metric.classes.items():
            rates = _rate_fields(metric.rates(tally))
            cells = _accuracy_fields(metric.accuracy(tally), _negatives(metric, tally))
            yield *head, f"class {label}", *_tally_fields(tally), *rates, "", "", "", "", "", "", *cells


def _negatives(metric: CountMetric, tally: Tally, classes: int = 1) -> int | str:
    return "" if metric.cells is None else metric.true_negatives(tally, classes)


def _accuracy_fields(found: Accuracy | None, negatives: int | str) -> tuple[int | str, str, str, str]:
    if found is None:
        return "", "", "", ""
    return negatives, _decimal(found.specificity), _decimal(found.balanced_accuracy), _decimal(found.accuracy)


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
