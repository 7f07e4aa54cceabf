"""Tuning: a goal out of words, the search for every class's decoding, and what it found as a record."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Literal, Protocol

import numpy as np
from msgspec import Meta

from tracepact.data.decoding import Decoding
from tracepact.data.events import ScoreField
from tracepact.language.contract import Contract
from tracepact.measures.records import MetricValue
from tracepact.records import Count, Digest, Record
from tracepact.runs.report import ClassDecodingRecord
from tracepact.runs.sides import FieldSides
from tracepact.thresholds.cuts import HALF, CutChoice, Goal, Joint, choose, choose_jointly, cut_range, is_better, place
from tracepact.thresholds.family import Detections, active_at, columns_of, with_high, with_low
from tracepact.thresholds.quantities import ERROR_RATE, Counted, Quantities, by_folds, counted_at, parts_of
from tracepact.thresholds.steps import Best, Whole

# A tuning as a record: the decoding of every class, its optimistic and its held-out values.

_Optimistic = Annotated[MetricValue | None, Meta(description="Its clips have chosen their own decoding.")]
_HeldOut = Annotated[
    MetricValue | None, Meta(description="Every clip at what the others have chosen (20.11); null without folds.")
]


class TunedClass(Record, frozen=True):
    """The decoding of one class."""

    label: Annotated[str, Meta(description="The class.")]
    decoding: ClassDecodingRecord
    asked: Annotated[bool, Meta(description="Whether its threshold makes a difference; if not, 0.5 is taken (20.10).")]
    optimistic: _Optimistic
    held_out: _HeldOut


class TunedRequirement(Record, frozen=True):
    """A requirement, and the value it is about, over all classes."""

    text: str
    optimistic: _Optimistic
    held_out: _HeldOut
    met: Annotated[bool, Meta(description="Whether the optimistic value meets it; if not, the exit code is 1.")]


class Tuning(Record, frozen=True):
    """What `tracepact tune --format json` prints: the chosen decoding (20.9 to 20.11)."""

    format: Annotated[Literal["tracepact-tuning/1"], Meta(description="The form of this document.")]
    contract: str
    contract_digest: Digest
    objective: Annotated[str, Meta(description="The quantity to be best at.")]
    least: Annotated[bool, Meta(description="Whether less of it is better.")]
    common: Annotated[bool, Meta(description="Whether all classes have one decoding.")]
    medians: Annotated[tuple[int, ...], Meta(description="The filter lengths that were tried.")]
    method: Annotated[
        Literal["exact", "steps", "search"],
        Meta(
            description="`exact`: no better decoding exists; `steps`: no change of one class's threshold is better; "
            "`search`: a better one may exist (20.10)."
        ),
    ]
    clips: Count
    folds: Annotated[Count, Meta(description="0 if there is no held-out value.")]
    seed: Count
    optimistic: _Optimistic
    held_out: _HeldOut
    requirements: tuple[TunedRequirement, ...]
    classes: Annotated[tuple[TunedClass, ...], Meta(min_length=1)]
    decoding: Annotated[str, Meta(description="The decoding file (20.12).")]


# Chooses the decoding of every class: thresholds together, filter lengths by trying, a hysteresis by search.

_ROUNDS = 6
OnStep = Callable[[int, int, str], None]
Method = Literal["exact", "steps", "search"]


@dataclass(frozen=True, slots=True)
class ClassDecodingChoice:
    """The decoding of a class, the cuts of its thresholds, and whether they make a difference to the objective."""

    decoding: Decoding
    low: int
    high: int
    asked: bool = True


@dataclass(frozen=True, slots=True)
class DecodingSearch:
    """The decoding of every class, and what is known of better ones (rule 20.10)."""

    chosen: list[ClassDecodingChoice]
    method: Method


@dataclass(frozen=True, slots=True)
class Freedom:
    """What may be chosen beside the threshold."""

    common: bool = False
    medians: tuple[int, ...] = (1,)
    hysteresis: bool = False


class _Mover(Protocol):
    """Moves the cut of one class, or of all."""

    def put(self, label: int, quantities: Quantities, cut: int) -> None: ...

    def choose(self, label: int, quantities: Quantities, cuts: tuple[int, int]) -> CutChoice | None: ...


@dataclass(frozen=True, slots=True)
class _Together:
    """Moves the one cut of all classes."""

    goal: Goal
    clips: Whole | None

    def put(self, label: int, quantities: Quantities, cut: int) -> None:
        """Nothing is held."""

    def choose(self, label: int, quantities: Quantities, cuts: tuple[int, int]) -> CutChoice | None:
        """The best common cut."""
        return choose(quantities, self.goal, cuts, clips=self.clips)


class Search:
    """The fields of a task under every filter, and the best decodings on all clips or on some."""

    def __init__(self, task: FieldSides, goal: Goal, freedom: Freedom, advance: OnStep) -> None:
        self.task = replace(task, contract=_needed(task, goal))
        self.goal, self.freedom, self._advance = goal, freedom, advance
        self._levels = task.field.levels
        self._range = cut_range(self._levels)
        if freedom.hysteresis:
            task.frames("a hysteresis")
        self._filtered = {median: self.task.filtered(median) for median in freedom.medians}
        self.plain = {median: self._quantities(own.field) for median, own in self._filtered.items()}
        self.any = next(iter(self.plain.values()))
        self.classes = self.any.given.classes

    def best(self, clips: Whole | None = None) -> DecodingSearch:
        """The decoding of every class, chosen on some clips; in common mode the same for all."""
        # A common threshold is always tried: a decoding for each class that were worse than it would be no gain.
        common = self._common(clips)
        searched = self.freedom.hysteresis
        if self.freedom.common or common is None:
            chosen = self._neutral() if common is None else common[0]
            return DecodingSearch([chosen] * len(self.classes), "search" if searched else "exact")
        together = [common[0]] * len(self.classes)
        found = choose_jointly(self.plain, self.goal, clips)
        if found is None:
            return DecodingSearch(together, "search")
        own = [self._at(t, p.source, p.asked) for p in found.picks if (t := p.threshold) is not None]
        if searched:
            own = self._better([self._pairs(own, Joint(self.any, self.goal, clips))[0], together], clips)
            return DecodingSearch(own, "search")
        # Two classes share a substitution, which the search by class does not see.
        if any(name.endswith(ERROR_RATE) for name in self.goal.names):
            return DecodingSearch(self._better([own, together], clips), "search")
        return DecodingSearch(own, "exact" if found.exact else "steps")

    def counted(self, chosen: Sequence[ClassDecodingChoice]) -> Counted:
        """The counts of all clips at a decoding of every class."""
        highs = {name: own.high for name, own in self._named(chosen).items()}
        scores = self.task.field
        decided = active_at(scores if isinstance(scores, Detections) else self._held(chosen, hold_high=False), highs)
        return counted_at(self._quantities(decided), self.goal.names, [1] * len(self.classes))

    def held_out(self, folds: int, seed: int) -> Counted:
        """The counts of every clip at what is chosen without its fold (rule 20.11)."""
        clips = self.any.given.shape[1]
        order = np.random.default_rng(seed).permutation(clips)
        parts = []
        for fold in range(folds):
            self._advance(fold, folds, "held-out folds")
            # Dealt from one order: folds differ by a clip at most, and the same seed deals the same.
            out = np.sort(order[fold::folds])
            rest = np.setdiff1d(order, out)
            parts.append((out, self.counted(self.best(rest).chosen)))
        return by_folds(parts)

    def _quantities(self, field: ScoreField | Detections) -> Quantities:
        return Quantities(self.task.contract, self.task.family(field), None, self._advance)

    def _at(self, threshold: Fraction, median: int, matters: bool = True) -> ClassDecodingChoice:
        cut = self._levels.above(threshold)
        return ClassDecodingChoice(Decoding(threshold, None, median), cut, cut, matters)

    def _neutral(self) -> ClassDecodingChoice:
        """What a class has whose threshold makes no difference."""
        return self._at(HALF, self.freedom.medians[0], matters=False)

    def _common(self, clips: Whole | None) -> tuple[ClassDecodingChoice, CutChoice] | None:
        """The best common decoding; None if the objective asks nothing under any."""
        best: tuple[ClassDecodingChoice, CutChoice] | None = None
        for median, quantities in self.plain.items():
            choice = choose(quantities, self.goal, self._range, clips=clips)
            if choice is None:
                continue
            chosen = self._at(place(self._levels, choice.found.stretches), median)
            if self.freedom.hysteresis:
                pairs, after = self._pairs([chosen], _Together(self.goal, clips))
                chosen, choice = pairs[0], after or choice
            if best is None or is_better(self.goal, choice, best[1]):
                best = chosen, choice
        return best

    def _better(self, several: Sequence[list[ClassDecodingChoice]], clips: Whole | None) -> list[ClassDecodingChoice]:
        """The best of several decodings by what is reported; the first of equals."""
        best, reached = several[0], self._reached(several[0], clips)
        for other in several[1:]:
            after = self._reached(other, clips)
            if is_better(self.goal, after, reached):
                best, reached = other, after
        return best

    def _reached(self, chosen: Sequence[ClassDecodingChoice], clips: Whole | None) -> CutChoice | None:
        """What a decoding is worth over all classes, substitutions included; None if that is undefined."""
        counted = self.counted(chosen)
        counted = counted if clips is None else counted.some(clips)
        for bound in self.goal.bounds:
            value = counted.value(self.any, bound.name, bound.aggregation)
            if value is None or not bound.compare(value, bound.bound):
                return None if value is None else CutChoice(Best(value, ()), bound)
        value = counted.value(self.any, self.goal.name, self.goal.aggregation)
        return None if value is None else CutChoice(Best(value, ()))

    def _pairs(
        self, start: list[ClassDecodingChoice], mover: _Mover
    ) -> tuple[list[ClassDecodingChoice], CutChoice | None]:
        """Low and high in turn, each exactly while the other is held, until no class gains (rule 20.10)."""
        now = list(start)
        quantities = self._quantities(self._held(now, hold_high=False))
        for label, own in enumerate(now):
            mover.put(label, quantities, own.high)
        choice = mover.choose(0, quantities, (now[0].high, now[0].high))
        low, high = self._range
        # Low and high together have as many pairs as scores squared; in turn each is exact in one pass. Every round
        # makes families anew, hence the bound on them.
        for _ in range(_ROUNDS):
            before = choice
            for hold_high in (True, False):
                quantities = self._quantities(self._held(now, hold_high))
                for label, own in enumerate(now):
                    cuts = (low, own.high) if hold_high else (own.low, high)
                    after = mover.choose(label, quantities, cuts) if own.asked else None
                    if after is not None and is_better(self.goal, after, choice):
                        choice, now[label] = after, self._other(own, after, hold_high)
                        mover.put(label, quantities, now[label].low if hold_high else now[label].high)
            if choice is before:
                break
        return now, choice

    def _other(self, chosen: ClassDecodingChoice, choice: CutChoice, hold_high: bool) -> ClassDecodingChoice:
        """A pair with its other threshold placed anew."""
        threshold = place(self._levels, choice.found.stretches)
        cut = self._levels.above(threshold)
        decoding = chosen.decoding
        if hold_high:
            return ClassDecodingChoice(replace(decoding, low=min(threshold, decoding.threshold)), cut, chosen.high)
        below = decoding.threshold if decoding.low is None else decoding.low
        return ClassDecodingChoice(Decoding(max(threshold, below), below, decoding.median), chosen.low, cut)

    def _held(self, chosen: Sequence[ClassDecodingChoice], hold_high: bool) -> ScoreField:
        """The field of every class under its filter with one threshold held, whose thresholds are the other one."""
        named = self._named(chosen)
        held = {name: own.high if hold_high else own.low for name, own in named.items()}
        change = with_high if hold_high else with_low
        medians = {own.decoding.median for own in named.values()}
        fields = {median: change(self._filtered[median].frames("a hysteresis"), held) for median in medians}
        return columns_of({name: fields[own.decoding.median] for name, own in named.items()})

    def _named(self, chosen: Sequence[ClassDecodingChoice]) -> dict[str, ClassDecodingChoice]:
        """The decodings by column of the field; in common mode and in union all columns have the first."""
        every = dict(zip(self.classes, chosen, strict=False))
        return {name: every.get(name, chosen[0]) for name in self.task.field.classes}


def _needed(task: FieldSides, goal: Goal) -> Contract:
    """The contract with the clauses that the goal speaks of; with all of them for what is made of all."""
    clauses, _ = parts_of(task.contract, goal.names)
    kept = tuple(clause for clause in task.contract.clauses if clause.name in clauses)
    return replace(task.contract, clauses=kept)
