"""What a metric found: counts by class and clip, and its values for all classes and over them (chapter 15)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from tracepact.metrics.counts import Counts, Indices
from tracepact.metrics.policy import USUAL_RULES, Arithmetic, Input, MacroOver, Number, Rules
from tracepact.metrics.values import Accuracy, Errors, Rates, Tally, accuracy, macro_values, mean, rates

RATES = tuple(field.name for field in fields(Rates))
ACCURACIES = tuple(field.name for field in fields(Accuracy))
NAMED_ACCURACIES = ACCURACIES[1:]
"""Those that are no rate as well: the sensitivity is the recall."""


@dataclass(frozen=True, slots=True)
class Macro:
    """The mean of each rate over classes, and of how many classes it is."""

    rates: Rates
    classes: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class CountMetric:
    """A metric of true and false positives and false negatives, by class and clip, with its errors where it has any.

    `counts` are of these three kinds; `clip_errors` are substitutions, deletions, insertions and references of one
    class that stands for all; `cells` says how many cells each clip has, where those that nothing covers count.
    """

    name: str
    input: Input
    policy: str
    unit: str
    labels: tuple[str, ...]
    counts: Counts
    clip_errors: Counts | None = None
    cells: Indices | None = None
    rules: Rules = USUAL_RULES

    @property
    def arithmetic(self) -> Arithmetic:
        """The arithmetic of the values."""
        return self.rules.arithmetic

    @cached_property
    def classes(self) -> Mapping[str, Tally]:
        """The counts of each class."""
        return dict(zip(self.labels, (Tally(*row) for row in self.counts.by_class), strict=True))

    @cached_property
    def errors(self) -> Errors | None:
        """The errors of all classes together."""
        return Errors(*self.clip_errors.by_class[0]) if self.clip_errors else None

    @property
    def total(self) -> Tally:
        """The counts of all classes."""
        return sum(self.classes.values(), Tally(0, 0, 0))

    @property
    def micro(self) -> Rates:
        """The rates of the counts of all classes."""
        return self.rates(self.total)

    def rates(self, tally: Tally) -> Rates:
        """The rates of some counts, by this metric's rules."""
        return rates(tally, self.rules)

    @property
    def macro(self) -> Macro:
        """The means over classes (rule 15.21)."""
        found = [self.rates(tally) for tally in self.classes.values()]
        chosen = {name: self._over([getattr(some, name) for some in found]) for name in RATES}
        means = Rates(**{name: mean(values) for name, values in chosen.items()})
        return Macro(means, {name: sum(v is not None for v in values) for name, values in chosen.items()})

    @cached_property
    def cell_count(self) -> int | None:
        """How many cells a class has, where those that nothing covers count."""
        return None if self.cells is None else int(self.cells.sum())

    def accuracy(self, tally: Tally, classes: int = 1) -> Accuracy | None:
        """The accuracies of the counts of a number of classes, where the metric has any (rule 15.19)."""
        if self.cell_count is None:
            return None
        return accuracy(tally, self.true_negatives(tally, classes), self.rules)

    def true_negatives(self, tally: Tally, classes: int = 1) -> int:
        """The cells of a number of classes that neither side covers."""
        assert self.cell_count is not None
        return self.cell_count * classes - tally.tp - tally.fp - tally.fn

    @property
    def micro_accuracy(self) -> Accuracy | None:
        """The accuracies of the counts of all classes."""
        return self.accuracy(self.total, len(self.labels))

    @property
    def macro_accuracy(self) -> Accuracy | None:
        """The means over classes of the accuracies."""
        found = [some for tally in self.classes.values() if (some := self.accuracy(tally)) is not None]
        if self.cells is None:
            return None
        return Accuracy(**{name: mean(self._over([getattr(some, name) for some in found])) for name in ACCURACIES})

    @property
    def error_rate(self) -> Number | None:
        """The error rate, if this metric has one and it is defined."""
        return self.errors.rate(self.arithmetic) if self.errors else None

    @property
    def macro_error_rate(self) -> Number | None:
        """The mean of the classes' own error rates: within a class there are deletions and insertions only."""
        if not self.errors:
            return None
        found = self.classes.values()
        own = [Errors(0, tally.fn, tally.fp, tally.tp + tally.fn).rate(self.arithmetic) for tally in found]
        return mean(self._over(own, self.rules.macro if self.rules.macro is MacroOver.REFERENCE else MacroOver.DEFINED))

    def _over(self, values: Sequence[Number | None], over: MacroOver | None = None) -> list[Number | None]:
        in_reference = [tally.tp + tally.fn > 0 for tally in self.classes.values()]
        return macro_values(values, in_reference, over or self.rules.macro)

    @property
    def values(self) -> dict[str, Number | None]:
        """Every value that has a name of its own: for all classes, and as a mean over them."""
        macro = self.macro.rates
        found = {name: getattr(self.micro, name) for name in RATES}
        found |= {f"macro_{name}": getattr(macro, name) for name in RATES}
        if self.cells is not None:
            both = (("", self.micro_accuracy), ("macro_", self.macro_accuracy))
            found |= {f"{kind}{name}": getattr(some, name) for kind, some in both for name in NAMED_ACCURACIES}
        if self.clip_errors is not None:
            found |= {"error_rate": self.error_rate, "macro_error_rate": self.macro_error_rate}
        return found

    def drawn_once(self, times: Indices) -> "CountMetric":
        """The metric of one draw, given how often it has each clip."""
        return replace(
            self,
            counts=self.counts.drawn_once(times),
            clip_errors=self.clip_errors.drawn_once(times) if self.clip_errors else None,
            cells=None if self.cells is None else np.array([int(self.cells @ times)]),
        )

    def renumbered(self, clips: Sequence[int], number: int) -> "CountMetric":
        """The metric with the clips renumbered among a larger number of clips; the others are empty."""
        cells = None
        if self.cells is not None:
            cells = np.zeros(number, dtype=np.int64)
            cells[np.asarray(clips, dtype=np.int64)] = self.cells
        errors = self.clip_errors.renumbered(clips, number) if self.clip_errors else None
        return replace(self, counts=self.counts.renumbered(clips, number), clip_errors=errors, cells=cells)


@dataclass(frozen=True, slots=True)
class Deviation:
    """The sum of some distances in seconds, and how many there are."""

    total: Fraction = Fraction(0)
    pairs: int = 0

    @property
    def mean(self) -> Fraction | None:
        """Their mean; None without any."""
        return self.total / self.pairs if self.pairs else None


@dataclass(frozen=True, eq=False)
class MeanMetric:
    """A mean of distances over matched pairs; `counts` are of two kinds, distances in ticks and pairs."""

    name: str
    input: Input
    policy: str
    labels: tuple[str, ...]
    counts: Counts
    unit: int

    @cached_property
    def classes(self) -> Mapping[str, Deviation]:
        """The distances of each class."""
        rows = (Deviation(Fraction(ticks, self.unit), pairs) for ticks, pairs in self.counts.by_class)
        return dict(zip(self.labels, rows, strict=True))

    @property
    def total(self) -> Deviation:
        """All distances of all classes."""
        found = self.classes.values()
        return Deviation(sum((d.total for d in found), Fraction(0)), sum(d.pairs for d in found))

    @property
    def macro(self) -> Number | None:
        """The mean over the classes with a pair."""
        return mean([found.mean for found in self.classes.values()])

    @property
    def values(self) -> dict[str, Number | None]:
        """The mean of all pairs, and the mean over classes."""
        return {"mean": self.total.mean, "macro_mean": self.macro}

    def drawn_once(self, times: Indices) -> "MeanMetric":
        """The metric of one draw, given how often it has each clip."""
        return replace(self, counts=self.counts.drawn_once(times))

    def renumbered(self, clips: Sequence[int], number: int) -> "MeanMetric":
        """The metric with the clips renumbered among a larger number of clips; the others are empty."""
        return replace(self, counts=self.counts.renumbered(clips, number))


Metric = CountMetric | MeanMetric


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Some metrics of two tables, of these clips.

    `left_out` events lay in ignore regions (rule 15.13), `unlisted` predictions on clips nobody else names (rule 15.3).
    """

    arithmetic: Arithmetic
    clip_names: tuple[str, ...]
    metrics: tuple[Metric, ...]
    left_out: int
    unlisted: int

    @property
    def clips(self) -> int:
        """How many clips there are."""
        return len(self.clip_names)
