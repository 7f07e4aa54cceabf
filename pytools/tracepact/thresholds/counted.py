"""The counts of one decoding, whatever it is for each class and clip, and the exact values they give."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tracepact.core import Aggregation, Contract
from tracepact.scoring import aggregate
from tracepact.thresholds.quantities import ERROR_RATE, Quantities, weights_of
from tracepact.thresholds.rates import Rate
from tracepact.thresholds.steps import Whole
from tracepact.thresholds.values import counts_of


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The counts of clauses and metrics by name, counts × classes × clips; substitutions of metrics by clip."""

    parts: Mapping[str, Whole]
    swapped: Mapping[str, Whole]

    def value(
        self, quantities: Quantities, name: str, aggregation: Aggregation | None = None, label: int | None = None
    ) -> Fraction | None:
        """The value of a quantity, of all classes or of one; None where it is undefined."""
        rows = slice(None) if label is None else slice(label, label + 1)
        weights = quantities.weights(name)
        if weights is None:
            return self._rate(name, rows)
        chosen = quantities.aggregation(name, aggregation)
        total = sum((weight for _, weight in weights), Fraction(0))
        scores = (weight * aggregate(counts_of(self.parts[c][:, rows]), chosen).value for c, weight in weights)
        return sum(scores, Fraction(0)) / total

    def some(self, clips: Whole) -> "Counted":
        """The counts of some clips."""
        parts = {name: counts[:, :, clips] for name, counts in self.parts.items()}
        return Counted(parts, {name: counts[clips] for name, counts in self.swapped.items()})

    def _rate(self, name: str, rows: slice) -> Fraction | None:
        metric, _, rate = name.partition("_")
        tallies = self.parts[metric][:, rows].sum(axis=2)
        if rate == ERROR_RATE:
            tp, fp, fn = tallies.sum(axis=1).tolist()
            spared = int(self.swapped[metric].sum()) if rows == slice(None) and metric in self.swapped else 0
            return Fraction(fp + fn - spared, tp + fn) if tp + fn else None
        groups = tallies.T if rate.startswith("macro_") else tallies.sum(axis=1)[None, :]
        top, bottom = Rate(rate.removeprefix("macro_")).weights
        pairs = [(int(row @ np.asarray(top)), int(row @ np.asarray(bottom))) for row in groups]
        shares = [Fraction(a, b) for a, b in pairs if b]
        return sum(shares, Fraction(0)) / len(shares) if shares else None


def parts_of(contract: Contract, names: list[str]) -> tuple[list[str], list[str]]:
    """The clauses and the metrics that quantities are made of."""
    clauses: dict[str, None] = {}
    metrics: dict[str, None] = {}
    for name in names:
        weights = weights_of(contract, name)
        if weights is None:
            metrics[name.partition("_")[0]] = None
        else:
            clauses |= dict.fromkeys(clause for clause, _ in weights)
    return list(clauses), list(metrics)


def counted_at(quantities: Quantities, names: list[str], cuts: list[int]) -> Counted:
    """The counts that quantities need, each class at its own cut.

    Substitutions belong to no class: they are counted where all classes have one cut.
    """
    clauses, metrics = parts_of(quantities.contract, names)
    steps = {c: quantities.steps(c) for c in clauses} | {m: quantities.metric(m).tallies for m in metrics}
    parts = {
        name: np.concatenate([found.label(k).at(cut) for k, cut in enumerate(cuts)], axis=1)
        for name, found in steps.items()
    }
    swapped = {}
    for metric in metrics if len(set(cuts)) == 1 else ():
        if (found := quantities.metric(metric).substitutions) is not None:
            swapped[metric] = found.at(cuts[0])[0, 0]
    return Counted(parts, swapped)


def by_folds(parts: list[tuple[Whole, Counted]]) -> Counted:
    """The counts of all clips, those of some clips out of each part."""
    first = parts[0][1]
    found = {name: np.zeros_like(counts) for name, counts in first.parts.items()}
    swapped = {name: np.zeros_like(counts) for name, counts in first.swapped.items()}
    for clips, counted in parts:
        for name, counts in counted.parts.items():
            found[name][:, :, clips] = counts[:, :, clips]
        for name in swapped:
            swapped[name][clips] = counted.swapped[name][clips]
    return Counted(found, swapped)
