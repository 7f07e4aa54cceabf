"""Tuning: a goal out of words, the search for every class's decoding, and what it found as a record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, Protocol, Unpack

import numpy as np

from tracepact.data.decoding import ClassDecodings, Decoding, decoding_text
from tracepact.data.events import ScoreField
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import did_you_mean
from tracepact.files import write_whole
from tracepact.language.contract import Aggregation, Contract
from tracepact.measures.records import MetricValue
from tracepact.runs.report import ClassDecodingRecord
from tracepact.runs.report_parts import offered, requirement_from
from tracepact.runs.task import SourceOptions, scores_task
from tracepact.thresholds.cuts import (
    HALF,
    CutChoice,
    Goal,
    Joint,
    QuantityBound,
    choose,
    choose_jointly,
    cut_range,
    is_better,
    place,
)
from tracepact.thresholds.family import Detections, active_at, columns_of, with_high, with_low
from tracepact.thresholds.quantities import (
    ERROR_RATE,
    Counted,
    Quantities,
    by_folds,
    counted_at,
    depends_on_other_classes,
    is_least_best,
    parts_of,
    quantity_names,
    weights_of,
)
from tracepact.thresholds.steps import Best, Whole
from tracepact.tuning.batches import FieldSides, field_sides
from tracepact.tuning.records import OnStep, TunedClass, TunedRequirement, Tuning
from tracepact.wording import UNDEFINED, decimal

# Chooses the decoding of every class: thresholds together, filter lengths by trying, a hysteresis by search.

_MOST_ROUNDS = 6
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
    """The choices that a search has beside the threshold."""

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
        """The decoding of a class whose threshold makes no difference."""
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
        """The value of a decoding over all classes, substitutions included; None if that is undefined."""
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
        for _ in range(_MOST_ROUNDS):
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


# A goal out of words, and what the search for it finds on all clips and on held-out ones.

FOLDS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Tuned:
    """What `tune` returns.

    Attributes:
        record: the objective, every class with its decoding and values, as JSON shows them.
        decoding: the decoding of every class, ready for `score`.

    Examples:
        >>> import numpy as np
        >>> import tracepact
        >>> scores = np.array([[0.1], [0.9], [0.8], [0.3]])
        >>> field = tracepact.score_field({"a": scores}, classes=["dog"], step="0.5")
        >>> tuned = tracepact.tune("boundary_gate", {"a": [(0.5, 1.5, "dog")]}, field, "mean", folds=0)
        >>> tuned.decoding.of("dog").threshold
        Fraction(3, 5)
    """

    record: Tuning
    decoding: ClassDecodings

    def save(self, path: str | Path) -> Path:
        """Write the decoding file (rule 20.12), which `score` takes as `decoding`.

        Args:
            path: where to; a file that is already there is replaced.

        Returns:
            The file.
        """
        write_whole({Path(path): self.record.decoding})
        return Path(path)

    def __repr__(self) -> str:
        best = self.record.optimistic
        value = UNDEFINED if best is None else decimal(best.shown)
        return f"<Tuned {self.record.contract}: {self.record.objective}={value}>"


def tune(
    contract: Contract | str | Path,
    ref: Any,
    pred: Any,
    objective: str,
    *,
    require: str | Sequence[str] = (),
    common: bool = False,
    medians: Sequence[int] = (1,),
    hysteresis: bool = False,
    folds: int = FOLDS,
    seed: int = 0,
    set: Mapping[str, str] | None = None,
    on_step: OnStep = lambda done, of, what: None,
    **options: Unpack[SourceOptions],
) -> Tuned:
    """Choose the decoding that is best for an objective, with a held-out value beside the optimistic one.

    Args:
        contract: a Contract, a path, the name of a starter contract, or contract text.
        ref: the references, in the forms of `score`.
        pred: the predicted scores, in the forms of `curves`.
        objective: the quantity to be best at, over all classes: a clause, a profile, `mean`, or a rate such as
            `event_f1`; a clause with an aggregation in front, such as `pooled.silence_guard`, is under that one.
        require: what must hold over all classes, such as `silence_guard >= 0.95`; one text or several.
        common: whether all classes have one decoding; by default each has its own.
        medians: the filter lengths to try, odd numbers of frames.
        hysteresis: whether to search for a low threshold too.
        folds: into how many folds the clips are dealt for the held-out value, at least 2; 0 for none.
        seed: the seed of their order.
        set: new values of the contract's parameters, as text.
        on_step: told how much of a long computation is done, of how much, and what it is.
        options: as for `curves`; with a label map, the decoding is that of the labels before it, as `score` takes it.

    Returns:
        The decoding of every class, and the record.

    Raises:
        InvalidInput: the contract, the data, the objective or a requirement cannot be used.

    Examples:
        >>> import numpy as np
        >>> import tracepact
        >>> scores = np.array([[0.1], [0.9], [0.8], [0.3]])
        >>> field = tracepact.score_field({"a": scores}, classes=["dog"], step="0.5")
        >>> ref = {"a": [(0.5, 1.5, "dog")]}
        >>> asked = ["silence_guard >= 1"]
        >>> tuned = tracepact.tune("boundary_gate", ref, field, "missing_guard", require=asked, folds=0)
        >>> tuned.record.optimistic.value
        Fraction(1, 1)
        >>> run = tracepact.score("boundary_gate", ref, field, decoding=tuned.decoding)
        >>> run.vector["silence_guard"]
        Fraction(1, 1)
    """
    sides = field_sides(scores_task(contract, ref, pred, set, options))
    freedom = Freedom(common, tuple(sorted(dict.fromkeys(medians))), hysteresis)
    required = (require,) if isinstance(require, str) else require
    return tuned(sides, goal_of(sides.contract, objective, required, freedom, folds), freedom, folds, seed, on_step)


def goal_of(contract: Contract, objective: str, require: Sequence[str], freedom: Freedom, folds: int) -> Goal:
    """The goal of an objective and requirements; InvalidInput with everything that is wrong."""
    faults = Diagnostics()
    names = list(quantity_names(contract))
    aggregation, name = _objective(contract, objective, names, faults)
    found = [requirement for text in require if (requirement := requirement_from(text, names, faults))]
    for requirement in found:
        if requirement.bound > 1 and not is_least_best(requirement.name):
            headline = f"`{requirement.text}`: the bound is outside 0 to 1"
            faults.add("bad-requirement", headline, help="values are shares from 0 to 1: write 0.95 for 95 %")
    for median in freedom.medians:
        if median < 1 or median % 2 == 0:
            faults.add("bad-decoding", f"the median filter's length {median} is not an odd number of frames")
    if folds == 1:
        headline = "one fold leaves no clips to choose the decoding on"
        faults.add("bad-folds", headline, help="write 2 or more, or 0 for no held-out value")
    if not freedom.common:
        for each in dict.fromkeys([name, *(r.name for r in found)]):
            if each in names and depends_on_other_classes(contract, each):
                headline = f"`{each}` depends on the thresholds of other classes, so that no class has a best one alone"
                faults.add("needs-common", headline, help="tune a common threshold (--common)")
    faults.raise_errors()
    bounds = [
        QuantityBound(r.name, r.aggregation, r.compare, r.bound, r.relation in ("<", "<="), r.text) for r in found
    ]
    return Goal(name, tuple(bounds), aggregation)


def _objective(
    contract: Contract, text: str, names: Sequence[str], faults: Diagnostics
) -> tuple[Aggregation | None, str]:
    """The aggregation that an objective names, if it does, and its quantity; faults are said."""
    first, dot, name = text.partition(".")
    if not dot:
        first, name = "", text
    aggregations = [a.value for a in Aggregation]
    if name not in names:
        faults.add("unknown-quantity", f"nothing is called `{name}`", help=offered(name, names))
    elif dot and weights_of(contract, name) is None:
        headline = f"`{name}` is the rate of a metric, which has no aggregation"
        faults.add("unknown-quantity", headline, help=f"write `{name}`")
    if dot and first not in aggregations:
        help = did_you_mean(first, aggregations) or f"write one of {', '.join(aggregations)}"
        faults.add("unknown-quantity", f"there is no aggregation `{first}`", help=help)
    return (Aggregation(first) if first in aggregations else None), name


def tuned(task: FieldSides, goal: Goal, freedom: Freedom, folds: int, seed: int, advance: OnStep) -> Tuned:
    """Search, count what was found on all clips and on held-out ones, and say all of it."""
    search = Search(task, goal, freedom, advance)
    best = search.best()
    chosen = best.chosen
    optimistic = search.counted(chosen)
    clips = search.any.given.shape[1]
    # A fold needs a clip, and something must be left to choose on.
    folds = min(folds, clips) if clips > 1 else 0
    held_out = search.held_out(folds, seed) if folds > 1 else None
    common = chosen if freedom.common else Search(task, goal, Freedom(True), advance).best().chosen
    decodings = {name: own.decoding for name, own in zip(search.classes, chosen, strict=True)}
    if task.names:
        decodings = {label: decodings[name] for label, name in task.names.items() if name in decodings}
    tuned_on = tuple(search.any.family.family.clips)
    found = ClassDecodings(common[0].decoding, {} if freedom.common else decodings, tuned_on=tuned_on)
    record = Tuning(
        "tracepact-tuning/1",
        task.contract.name,
        task.contract.digest,
        goal.text,
        goal.least,
        freedom.common,
        freedom.medians,
        best.method,
        clips,
        folds if held_out is not None else 0,
        seed,
        _value(search, optimistic),
        _value(search, held_out),
        tuple(_requirement(search, bound, optimistic, held_out) for bound in goal.bounds),
        tuple(_class(search, label, own, optimistic, held_out) for label, own in enumerate(chosen)),
        decoding_text(found),
    )
    return Tuned(record, found)


def _value(search: Search, counted: Counted | None, label: int | None = None) -> MetricValue | None:
    if counted is None:
        return None
    value = counted.value(search.any, search.goal.name, search.goal.aggregation, label)
    return None if value is None else MetricValue.of(value)


def _requirement(
    search: Search, bound: QuantityBound, optimistic: Counted, held_out: Counted | None
) -> TunedRequirement:
    values: list[Fraction | None] = [
        None if counted is None else counted.value(search.any, bound.name, bound.aggregation)
        for counted in (optimistic, held_out)
    ]
    first = values[0]
    shown = [None if value is None else MetricValue.of(value) for value in values]
    return TunedRequirement(bound.text, shown[0], shown[1], first is not None and bound.compare(first, bound.bound))


def _class(
    search: Search, label: int, chosen: ClassDecodingChoice, optimistic: Counted, held_out: Counted | None
) -> TunedClass:
    how = chosen.decoding
    return TunedClass(
        search.classes[label],
        ClassDecodingRecord(how.threshold, how.low, how.median),
        chosen.asked,
        _value(search, optimistic, label),
        _value(search, held_out, label),
    )
