"""Thresholds of all classes at once for a quotient of sums over classes: no combination is better (rule 20.10).

A pooled score and a micro rate are Σ top / Σ bottom over the classes, each summand a function of its class's cut alone.
A mean over the classes that are not left out is one too: a class adds its value and 1, or 0 and 0.

Dinkelbach's method: with λ the value reached, every class takes the cut with the greatest top − λ · bottom. If the sum
of these is positive, their quotient is greater than λ, and the step is repeated from it. If it is not, then every
combination has Σ top ≤ λ · Σ bottom, so that none is better than λ. Each step reaches a greater quotient out of
finitely many, so it ends. A positive sum never has Σ bottom = 0: where a bottom is 0, so is its top.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Aggregation, LeftOut
from tracepact.thresholds.quantities import ERROR_RATE, Quantities
from tracepact.thresholds.rates import Rate
from tracepact.thresholds.steps import Steps, Whole
from tracepact.thresholds.values import Values, best

_EXACT = 1 << 31
"""Products of two whole numbers below this fit in 63 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """What a class may add to a quotient: its cuts, and the top and the bottom at each."""

    cuts: Whole
    top: NDArray[Any]
    bottom: NDArray[Any]

    def within(self, low: int, high: int) -> "Options":
        """The options that the cuts from low to high have, each at its first of them."""
        first, last = (int(np.searchsorted(self.cuts, cut, side="right")) - 1 for cut in (low, high))
        here = slice(first, last + 1)
        return Options(np.maximum(self.cuts[here], low), self.top[here], self.bottom[here])


def best_quotient(classes: Sequence[Options], start: Fraction, *, least: bool = False) -> list[int] | None:
    """The place of each class's option in a combination whose quotient none exceeds; None if none exceeds `start`.

    With `least`, none is below it; the bottoms must then not depend on the choice.
    """
    sign = -1 if least else 1
    reached, chosen = start, None
    while True:
        places = [int(np.argmax(sign * _excess(own, reached))) for own in classes]
        tops, bottoms = (
            sum(part[place] for part, place in zip(parts, places, strict=True))
            for parts in ([own.top for own in classes], [own.bottom for own in classes])
        )
        top, bottom = Fraction(tops), Fraction(bottoms)
        if sign * (top - reached * bottom) <= 0:
            return chosen
        reached, chosen = top / bottom, places


def _excess(own: Options, reached: Fraction) -> NDArray[Any]:
    """The top less the quotient reached times the bottom, in whole parts or in fractions; exact."""
    p, q = reached.numerator, reached.denominator
    largest = max(p, q, *(int(part.max(initial=0)) for part in (own.top, own.bottom)))
    if largest >= _EXACT:
        return np.asarray(own.top.astype(object) * q - own.bottom.astype(object) * p)
    return np.asarray(own.top * q - own.bottom * p)


def options_of(
    quantities: Quantities,
    name: str,
    aggregation: Aggregation | None,
    label: int,
    cuts: tuple[int, int],
    clips: Whole | None,
) -> Options | None:
    """What a class adds to a quantity at each cut; None if the quantity is not one quotient of sums over classes.

    Substitutions belong to two classes and are left out.
    """
    parts = quantities.weights(name)
    if parts is None:
        metric, _, rate = name.partition("_")
        if rate.startswith("macro_"):
            return _mean_options(quantities.values(name, label=label, clips=clips).within(*cuts), cuts[1])
        top, bottom = ((0, 1, 1), (1, 0, 1)) if rate == ERROR_RATE else Rate(rate).weights
        return _counted(quantities.metric(metric).tallies, top, bottom, label, clips).within(*cuts)
    rule = quantities.aggregation(name, aggregation).steps
    if rule.adds_classes:
        if len(parts) > 1:
            return None
        steps = quantities.steps(parts[0][0])
        first, second = (tuple(int(k == place) for k in range(len(steps.base))) for place in (0, 1))
        return _counted(steps, first, second, label, clips).within(*cuts)
    values = quantities.values(name, aggregation, label=label, clips=clips).within(*cuts)
    if rule.leaves_out is LeftOut.NOTHING:
        found = best(values, cuts[1], allowed=None, marked=True)
        return None if found is None else _listed([(found.stretches[0][0], found.value, 1)])
    return _mean_options(values, cuts[1]) if rule.adds_clips and len(parts) == 1 else None


def _counted(steps: Steps, top: Sequence[int], bottom: Sequence[int], label: int, clips: Whole | None) -> Options:
    own = steps.label(label)
    cuts, counts = (own if clips is None else own.select(clips)).running()
    return Options(cuts, np.asarray(top) @ counts, np.asarray(bottom) @ counts)


def _mean_options(values: Values, last: int) -> Options:
    """The best value with 1, and where the class can be left out, 0 with 0: no other option is ever greater."""
    found = best(values, last)
    rows: list[tuple[int, Fraction, int]] = [] if found is None else [(found.stretches[0][0], found.value, 1)]
    out = np.flatnonzero(~values.earned)
    if len(out):
        rows.append((int(values.cuts[out[0]]), Fraction(0), 0))
    return _listed(rows)


def _listed(rows: Sequence[tuple[int, Fraction, int]]) -> Options:
    cuts, tops, bottoms = zip(*rows, strict=True)
    return Options(np.array(cuts), np.array(tops, dtype=object), np.array(bottoms, dtype=object))
