"""Tuning: a goal out of words, the search, and what it found as a record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from tracepact.core import Aggregation, Contract
from tracepact.diagnostics import Diagnostics, did_you_mean
from tracepact.files import write_whole
from tracepact.io import ClassDecodings, Decoding, Reading, decoding_text
from tracepact.metrics import MetricValue
from tracepact.thresholds import (
    Bound,
    Counted,
    Goal,
    depends_on_other_classes,
    is_least_best,
    quantity_names,
    weights_of,
)
from tracepact.tools.score.field_task import FieldTask, field_task
from tracepact.tools.score.report.preparation import ClassDecodingRecord
from tracepact.tools.score.requirement import offered, requirement_from
from tracepact.tools.tune.record import TunedClass, TunedRequirement, Tuning
from tracepact.tools.tune.search import Chosen, Freedom, OnStep, Search
from tracepact.trace import Mode, Time
from tracepact.wording import UNDEFINED, decimal

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
    durations: Any = None,
    mode: Mode | str = Mode.CLASS_INDEXED,
    ignore: Any = None,
    ref_reading: Reading | None = None,
    pred_reading: Reading | None = None,
    clips: Any = None,
    classes: Sequence[str] | None = None,
    step: Time | None = None,
    set: Mapping[str, str] | None = None,
    label_map: Any = None,
    on_step: OnStep = lambda done, of, what: None,
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
        durations: as for `score`; by default a clip is as long as its scores, if it has scores of frames.
        mode: whether labels are kept apart (the default) or scored as one class.
        ignore: regions without obligations.
        ref_reading: what the content of the reference does not say.
        pred_reading: the same for the predictions.
        clips: the clips to use, as for `score`.
        classes: the classes of the columns of arrays, in order.
        step: the length of a frame of arrays, in seconds.
        set: new values of the contract's parameters, as text.
        label_map: as for `curves`; the decoding is that of the labels before the map, as `score` takes it.
        on_step: told how much of a long computation is done, of how much, and what it is.

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
    task = field_task(
        contract,
        ref,
        pred,
        durations=durations,
        ignore=ignore,
        mode=mode,
        ref_reading=ref_reading,
        pred_reading=pred_reading,
        clips=clips,
        classes=classes,
        step=step,
        set=set,
        label_map=label_map,
    )
    freedom = Freedom(common, tuple(sorted(dict.fromkeys(medians))), hysteresis)
    required = (require,) if isinstance(require, str) else require
    return tuned(task, goal_of(task.contract, objective, required, freedom, folds), freedom, folds, seed, on_step)


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
    bounds = [Bound(r.name, r.aggregation, r.compare, r.bound, r.relation in ("<", "<="), r.text) for r in found]
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


def tuned(task: FieldTask, goal: Goal, freedom: Freedom, folds: int, seed: int, advance: OnStep) -> Tuned:
    """Search, count what was found on all clips and on held-out ones, and say all of it."""
    search = Search(task, goal, freedom, advance)
    best = search.best()
    chosen = best.chosen
    optimistic = search.counted(chosen)
    clips = search.any.given.shape[1]
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


def _requirement(search: Search, bound: Bound, optimistic: Counted, held_out: Counted | None) -> TunedRequirement:
    values: list[Fraction | None] = [
        None if counted is None else counted.value(search.any, bound.name, bound.aggregation)
        for counted in (optimistic, held_out)
    ]
    first = values[0]
    shown = [None if value is None else MetricValue.of(value) for value in values]
    return TunedRequirement(bound.text, shown[0], shown[1], first is not None and bound.compare(first, bound.bound))


def _class(search: Search, label: int, own: Chosen, optimistic: Counted, held_out: Counted | None) -> TunedClass:
    return TunedClass(
        search.classes[label],
        _decoding(own.decoding),
        own.asked,
        _value(search, optimistic, label),
        _value(search, held_out, label),
    )


def _decoding(decoding: Decoding) -> ClassDecodingRecord:
    return ClassDecodingRecord(decoding.threshold, decoding.low, decoding.median)
