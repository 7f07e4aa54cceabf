"""The values that follow from counts, exact or in sed_eval's floats (rules 15.2, 15.7, 15.14, 15.19 to 15.21)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isnan, nan
from typing import Annotated

import numpy as np
from msgspec import Meta

from tracepact.metrics.policy import Arithmetic, Empty, MacroOver, Number, Rules
from tracepact.records import Count, Record

EPSILON = 2.0**-52
"""What sed_eval adds to the denominators of error rates and accuracies."""


class Tally(Record, frozen=True):
    """True positives, false positives, false negatives (15.2)."""

    tp: Annotated[Count, Meta(description="True positives.")]
    fp: Annotated[Count, Meta(description="False positives.")]
    fn: Annotated[Count, Meta(description="False negatives.")]

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)


@dataclass(frozen=True, slots=True)
class Rates:
    """Precision, recall and F1; None where undefined."""

    precision: Number | None
    recall: Number | None
    f1: Number | None


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Sensitivity, specificity, their mean, and the share of cells that are right; None where undefined."""

    sensitivity: Number | None
    specificity: Number | None
    balanced_accuracy: Number | None
    accuracy: Number | None


@dataclass(frozen=True, slots=True)
class Errors:
    """Substitutions, deletions and insertions, and how many references there were."""

    substitutions: int
    deletions: int
    insertions: int
    reference: int

    def rate(self, arithmetic: Arithmetic) -> Number | None:
        """The error rate; None without a reference."""
        parts = (self.substitutions, self.deletions, self.insertions)
        if arithmetic is Arithmetic.SED_EVAL:
            substituted, deleted, inserted = (part / (self.reference + EPSILON) for part in parts)
            return substituted + deleted + inserted
        return quotient(sum(parts), self.reference)


def quotient(top: int, bottom: int) -> Fraction | None:
    """A fraction; None where it is undefined."""
    return Fraction(top, bottom) if bottom else None


def rates(tally: Tally, rules: Rules) -> Rates:
    """Precision, recall and F1 of some counts."""
    floats = rules.arithmetic is Arithmetic.SED_EVAL
    return _float_rates(tally, rules) if floats else _exact_rates(tally, rules)


def _exact_rates(tally: Tally, rules: Rules) -> Rates:
    tp, fp, fn = tally.tp, tally.fp, tally.fn
    precision = quotient(tp, tp + fp)
    if precision is None and rules.empty is Empty.ZERO_SCORE:
        precision = Fraction(0)
    return Rates(precision, quotient(tp, tp + fn), quotient(2 * tp, 2 * tp + fp + fn))


def _float_rates(tally: Tally, rules: Rules) -> Rates:
    """The rates as sed_eval computes them: F1 from the two rounded quotients, undefined where one of them is."""
    predicted, reference = tally.tp + tally.fp, tally.tp + tally.fn
    empty = 0.0 if rules.empty is Empty.ZERO_SCORE else nan
    precision = tally.tp / predicted if predicted else empty
    recall = tally.tp / reference if reference else nan
    f1 = 0.0 if precision == 0 and recall == 0 else 2.0 * precision * recall / (precision + recall)
    return Rates(*(None if isnan(value) else value for value in (precision, recall, f1)))


def accuracy(tally: Tally, tn: int, rules: Rules) -> Accuracy:
    """Sensitivity, specificity and accuracies of some counts and their true negatives (rule 15.19)."""
    tp, fp, fn = tally.tp, tally.fp, tally.fn
    if rules.arithmetic is Arithmetic.SED_EVAL:
        true, false = tp / (tp + fn + EPSILON), tn / (tn + fp + EPSILON)
        return Accuracy(true, false, 0.5 * true + 0.5 * false, (tp + tn) / (tp + tn + fn + fp + EPSILON))
    sensitivity, specificity = quotient(tp, tp + fn), quotient(tn, tn + fp)
    balanced = None if sensitivity is None or specificity is None else (sensitivity + specificity) / 2
    return Accuracy(sensitivity, specificity, balanced, quotient(tp + tn, tp + tn + fp + fn))


def macro_values(values: Sequence[Number | None], in_reference: Sequence[bool], over: MacroOver) -> list[Number | None]:
    """The values of the classes that a mean over classes is taken of, undefined ones as None (rule 15.21)."""
    match over:
        case MacroOver.REFERENCE:
            return [value for value, there in zip(values, in_reference, strict=True) if there]
        case MacroOver.ALL:
            return [Fraction(0) if value is None else value for value in values]
        case _:
            return list(values)


def mean(values: Iterable[Number | None]) -> Number | None:
    """The mean of the values that are defined; floats are added as NumPy adds them, nothing standing for 0."""
    given = list(values)
    found = [value for value in given if value is not None]
    if not found:
        return None
    if any(isinstance(value, float) for value in found):
        return float(np.sum(np.array([value or 0.0 for value in given], dtype=np.float64)) / len(found))
    return sum((Fraction(value) for value in found), Fraction(0)) / len(found)
