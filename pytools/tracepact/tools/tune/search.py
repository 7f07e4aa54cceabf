"""Chooses the decoding of every class: thresholds exactly, filter lengths by trying, a hysteresis by search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tracepact.core import Contract
from tracepact.io import Decoding
from tracepact.thresholds import (
    Choice,
    Counted,
    Detections,
    Goal,
    Quantities,
    by_folds,
    choose,
    counted_at,
    cut_range,
    is_better,
    parts_of,
    short_threshold,
    threshold_range,
    with_high,
    with_low,
)
from tracepact.thresholds.steps import Whole
from tracepact.tools.score.field_task import FieldTask
from tracepact.trace import ScoreField

_ROUNDS = 6
HALF = Fraction(1, 2)
OnStep = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The decoding of a class, the choice it is, None if nothing is asked, and the cuts of its thresholds."""

    decoding: Decoding
    choice: Choice | None
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Freedom:
    """What may be chosen beside the threshold."""

    common: bool = False
    medians: tuple[int, ...] = (1,)
    hysteresis: bool = False


class Search:
    """The fields of a task under every filter, and the best decodings on all clips or on some."""

    def __init__(self, task: FieldTask, goal: Goal, freedom: Freedom, advance: OnStep) -> None:
        self.task = replace(task, contract=_needed(task, goal))
        self.goal, self.freedom, self._advance = goal, freedom, advance
        self._levels = task.field.levels
        self._range = cut_range(self._levels)
        self._filtered = {median: self.task.filtered(median) for median in freedom.medians}
        self.plain = {median: self._quantities(own.field) for median, own in self._filtered.items()}
        self.any = next(iter(self.plain.values()))
        self.classes = self.any.given.family.classes

    def best(self, clips: Whole | None = None) -> list[Chosen]:
        """The decoding of every class, chosen on some clips; in common mode the same for all."""
        best: list[Chosen] = []
        for median in self.freedom.medians:
            own = [self._threshold(median, label, clips) for label in self._labels()]
            if self.freedom.hysteresis:
                own = self._pairs(median, own, clips)
            if not best:
                best = own
            else:
                pairs = zip(own, best, strict=True)
                best = [new if is_better(self.goal, new.choice, old.choice) else old for new, old in pairs]
        return best * len(self.classes) if self.freedom.common else best

    def counted(self, chosen: Sequence[Chosen]) -> Counted:
        """The counts of all clips at a decoding of every class."""
        groups: dict[tuple[int, bool], list[int]] = {}
        for label, own in enumerate(chosen):
            groups.setdefault((own.decoding.median, own.decoding.low is not None), []).append(label)
        parts = []
        for (median, paired), labels in groups.items():
            quantities = self.plain[median]
            if paired:
                lows = {name: chosen[k].low for k, name in enumerate(self.classes)}
                quantities = self._quantities(with_low(self._frames(median), self._by_column(lows)))
            parts.append((labels, counted_at(quantities, self.goal.names, [own.high for own in chosen])))
        first = parts[0][1]
        found = {name: counts.copy() for name, counts in first.parts.items()}
        for labels, counted in parts:
            for name, counts in counted.parts.items():
                found[name][:, labels] = counts[:, labels]
        return Counted(found, first.swapped if len(parts) == 1 else {})

    def held_out(self, folds: int, seed: int) -> Counted:
        """The counts of every clip at what is chosen without its fold (rule 20.11)."""
        clips = self.any.given.shape[1]
        order = np.random.default_rng(seed).permutation(clips)
        parts = []
        for fold in range(folds):
            self._advance(fold, folds, "held-out folds")
            out = np.sort(order[fold::folds])
            rest = np.setdiff1d(order, out)
            parts.append((out, self.counted(self.best(rest))))
        return by_folds(parts)

    def _labels(self) -> list[int | None]:
        return [None] if self.freedom.common else list(range(len(self.classes)))

    def _frames(self, median: int) -> ScoreField:
        return self._filtered[median].frames("a hysteresis")

    def _quantities(self, field: ScoreField | Detections) -> Quantities:
        return Quantities(self.task.contract, self.task.family(field), None, self._advance)

    def _threshold(self, median: int, label: int | None, clips: Whole | None) -> Chosen:
        choice = choose(self.plain[median], self.goal, self._range, label=label, clips=clips)
        if choice is None:
            cut = self._levels.above(HALF)
            return Chosen(Decoding(HALF, None, median), None, cut, cut)
        threshold = self._place(choice)
        cut = self._levels.above(threshold)
        return Chosen(Decoding(threshold, None, median), choice, cut, cut)

    def _place(self, choice: Choice) -> Fraction:
        """A short threshold in the longest best stretch."""
        ranges = [threshold_range(self._levels, *stretch) for stretch in choice.found.stretches]
        return short_threshold(*max(ranges, key=lambda ends: (ends[1] - ends[0], -ends[0])))

    def _pairs(self, median: int, start: list[Chosen], clips: Whole | None) -> list[Chosen]:
        """Low and high in turn, each exactly while the other is held, until no class gains (rule 20.10)."""
        now = start
        for _ in range(_ROUNDS):
            gained = False
            for hold_high in (True, False):
                held = {name: own.high if hold_high else own.low for name, own in self._named(now)}
                change = with_high if hold_high else with_low
                quantities = self._quantities(change(self._frames(median), self._by_column(held)))
                after = [
                    self._other(quantities, own, label, clips, hold_high)
                    for own, label in zip(now, self._labels(), strict=True)
                ]
                gained |= any(a is not b for a, b in zip(after, now, strict=True))
                now = after
            if not gained:
                break
        return now

    def _other(
        self, quantities: Quantities, own: Chosen, label: int | None, clips: Whole | None, hold_high: bool
    ) -> Chosen:
        """The better of what a class has and the best other threshold of its pair."""
        if own.choice is None:
            return own
        low, high = self._range
        cuts = (low, own.high) if hold_high else (own.low, high)
        choice = choose(quantities, self.goal, cuts, label=label, clips=clips)
        if choice is None or not is_better(self.goal, choice, own.choice):
            return own
        threshold = self._place(choice)
        cut = self._levels.above(threshold)
        decoding = own.decoding
        if hold_high:
            return Chosen(replace(decoding, low=min(threshold, decoding.threshold)), choice, cut, own.high)
        below = decoding.threshold if decoding.low is None else decoding.low
        return Chosen(Decoding(max(threshold, below), below, decoding.median), choice, own.low, cut)

    def _named(self, chosen: Sequence[Chosen]) -> list[tuple[str, Chosen]]:
        every = chosen if len(chosen) == len(self.classes) else [chosen[0]] * len(self.classes)
        return list(zip(self.classes, every, strict=True))

    def _by_column(self, cuts: dict[str, int]) -> dict[str, int]:
        """The cuts by column of the field; in union all columns have the one of the one class."""
        only = next(iter(cuts.values()))
        return {name: cuts.get(name, only) for name in self.task.field.classes}


def _needed(task: FieldTask, goal: Goal) -> Contract:
    """The contract with the clauses that the goal speaks of; with all of them for what is made of all."""
    clauses, _ = parts_of(task.contract, goal.names)
    kept = tuple(clause for clause in task.contract.clauses if clause.name in clauses)
    return replace(task.contract, clauses=kept)
