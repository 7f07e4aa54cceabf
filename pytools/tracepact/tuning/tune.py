"""`tracepact tune`: the decoding that is best for a declared objective."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Unpack

import click

from tracepact.command_line import Exit
from tracepact.data.decoding import ClassDecodings, Decoding, decoding_text
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import did_you_mean
from tracepact.files import write_whole
from tracepact.language.contract import Aggregation, Contract
from tracepact.measures.records import MetricValue
from tracepact.options import OddLength, WholeNumber, format_option, given_contract, set_option
from tracepact.outputs import DECODING, OutputFile, print_json, print_rows
from tracepact.runs.directory import owner
from tracepact.runs.report import ClassDecodingRecord
from tracepact.runs.report_parts import offered, requirement_from
from tracepact.runs.side_options import FieldOptions, field_options, field_task_from_options
from tracepact.runs.sides import FieldSides, field_sides
from tracepact.runs.task import SourceOptions, scores_task
from tracepact.show.lines import counted, print_diagnostics, reader_may_leave, say
from tracepact.show.tables import Cell, Table, TerminalTable, Tone, numbers, print_tables, words
from tracepact.thresholds.cuts import Goal, QuantityBound
from tracepact.thresholds.quantities import (
    Counted,
    depends_on_other_classes,
    is_least_best,
    quantity_names,
    weights_of,
)
from tracepact.tuning.records import text_of
from tracepact.tuning.search import ClassDecodingChoice, Freedom, OnStep, Search, TunedClass, TunedRequirement, Tuning
from tracepact.wording import UNDEFINED, count, decimal, print_number

# Tuning: a goal out of words, the search, and what it found as a record.

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
    return TunedClass(
        search.classes[label],
        _decoding(chosen.decoding),
        chosen.asked,
        _value(search, optimistic, label),
        _value(search, held_out, label),
    )


def _decoding(decoding: Decoding) -> ClassDecodingRecord:
    return ClassDecodingRecord(decoding.threshold, decoding.low, decoding.median)


# `tracepact tune`: choose the decoding that is best for a declared objective.

_COLUMNS = ("class", "threshold", "low", "median", "optimistic", "held_out")


@click.command()
@click.argument("contract")
@field_options
@set_option
@click.option(
    "--objective",
    "--maximise",
    "objective",
    required=True,
    metavar="QUANTITY",
    help="What to be best at, over all classes: a clause, pooled.CLAUSE, a profile, mean, or a rate such as event_f1. "
    "An error rate is made as small as possible.",
)
@click.option(
    "--require",
    "requirements",
    multiple=True,
    help="What must hold over all classes together, not of each: 'silence_guard >= 0.95'; repeatable.",
)
@click.option("--common", is_flag=True, help="One decoding for all classes; by default each has its own.")
@click.option(
    "--try-median", "medians", type=OddLength(), multiple=True, help="Try a filter of this many frames; repeatable."
)
@click.option("--with-low", is_flag=True, help="Search for the low threshold of a hysteresis too.")
@click.option(
    "--folds",
    type=WholeNumber(0),
    default=FOLDS,
    show_default=True,
    help="Folds of clips for the held-out value, at least 2; 0 for none.",
)
@click.option("--seed", type=WholeNumber(0), default=0, show_default=True, help="Seed of the order of clips.")
@click.option("--out", type=OutputFile(DECODING, owner), help="Write the decoding file (TOML), which score takes.")
@format_option("text", "json", "csv")
def command(
    contract: str,
    overrides: tuple[tuple[str, str], ...],
    objective: str,
    requirements: tuple[str, ...],
    common: bool,
    medians: tuple[int, ...],
    with_low: bool,
    folds: int,
    seed: int,
    out: Path | None,
    form: str,
    **options: Unpack[FieldOptions],
) -> int:
    """Choose threshold, median filter and hysteresis of every class for a declared objective.

    CONTRACT is a file, or the name of a starter contract. Thresholds are chosen exactly out of all that make a
    difference, for the value over all classes. The optimistic value is that of the clips the decoding was chosen on.
    The held-out value scores every clip with a decoding chosen on the other folds; expect it on new clips.

    Exit codes: 0 chosen, 1 no decoding was found that meets every --require.
    """
    compiled = given_contract(contract, overrides)
    freedom = Freedom(common, tuple(sorted(set(medians) | {1})), with_low)
    goal = goal_of(compiled, objective, requirements, freedom, folds)
    with counted() as update:
        update(0, 1, "reading")
        sides = field_sides(field_task_from_options(compiled, options))
        found = tuned(sides, goal, freedom, folds, seed, update)
    print_diagnostics(sides.diagnostics)
    if out is not None:
        write_whole({out: found.record.decoding})
        say(f"wrote {out}")
    with reader_may_leave():
        _show(found.record, form)
    unmet = [asked for asked in found.record.requirements if not asked.met]
    for asked in unmet:
        say(f"no decoding was found that meets {asked.text}; the nearest was taken", "bold red")
    return Exit.VIOLATED if unmet else Exit.OK


def _show(record: Tuning, form: str) -> None:
    match form:
        case "json":
            print_json(record)
        case "csv":
            print_rows(_COLUMNS, _rows(record))
        case _:
            print_tables(TerminalTable(table(record)))


def _rows(record: Tuning) -> Iterator[tuple[Any, ...]]:
    for own in record.classes:
        how = own.decoding
        values = ("" if v is None else str(v.value) for v in (own.optimistic, own.held_out))
        yield own.label, str(how.threshold), "" if how.low is None else str(how.low), how.median, *values


def table(record: Tuning) -> Table:
    """A row per class, the requirements, and all classes together."""
    rows: list[list[Cell | str]] = []
    for own in record.classes:
        how = own.decoding
        low = "" if how.low is None else print_number(how.low)
        note = "" if own.asked else "makes no difference"
        values = text_of(own.optimistic), text_of(own.held_out)
        rows.append([own.label, print_number(how.threshold), low, str(how.median), *values, note])
    for asked in record.requirements:
        tone = Tone.GOOD if asked.met else Tone.BAD
        met = Cell("met" if asked.met else "not met", tone)
        rows.append([asked.text, "", "", "", text_of(asked.optimistic), text_of(asked.held_out), met])
    rows.append([record.objective, "", "", "", text_of(record.optimistic), text_of(record.held_out), ""])
    head = [*words("class"), *numbers("threshold", "low", "median", "optimistic", "held out"), *words("note")]
    folds = f"held out: {count(record.folds, 'fold')} of {count(record.clips, 'clip')}" if record.folds else "no folds"
    best = "Least" if record.least else "Best"
    title = (
        f"{best} {record.objective}, {'one decoding for all classes' if record.common else 'a decoding for each class'}"
    )
    return Table(title, head, rows, [f"{_known(record)}; {folds}"], totals=1 + len(record.requirements))


def _known(record: Tuning) -> str:
    """What is known of better decodings (rule 20.10)."""
    match record.method:
        case "exact" if record.common:
            return "no other common threshold is better"
        case "exact":
            return "no other thresholds are better"
        case "steps":
            return "no change of a single class's threshold is better"
        case _:
            return "found by search; a better decoding may exist"
