"""The standard metrics against sed_eval: a data set read, scored and measured; one crowded hour; growth."""

import tempfile
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib import import_module
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import starter, write_tables
from benchmarks.end_to_end import lists
from benchmarks.harness import Options, Row, Target, check_equal, race, sized, timed
from tracepact import score
from tracepact.data.events import Event, EventTable
from tracepact.data.family import Mode
from tracepact.data.memory import events_from
from tracepact.diagnostics.collection import Diagnostics
from tracepact.measures.policy import EventPolicy, MetricCounts, MetricSettings
from tracepact.measures.results import candidates, intervals
from tracepact.measures.standard import EventMetrics, StandardMetrics, event_metrics, standard_metrics

SUBJECT = "metrics"
CLASSES = tuple(f"class{k}" for k in range(10))
HOUR, EVENTS = 3600, sized(1000, 50)
SIZES = tuple(sized(4000, 50) << k for k in range(5))

Counts = NDArray[np.int64]


def measure(options: Options) -> Iterator[Row]:
    """The DESED tables if their folder is given, else synthetic ones of the same size; then one recording."""
    if options.desed is not None:
        yield from _data_set(options.desed, options.desed / "predictions-student.csv", "DESED validation")
    else:
        with tempfile.TemporaryDirectory() as name:
            write_tables(Path(name))
            yield from _data_set(Path(name), Path(name) / "predictions.tsv", "synthetic tables")
    yield from _one_hour()
    yield from _growth()


def _data_set(folder: Path, predictions: Path, data: str) -> Iterator[Row]:
    """Reading, scoring and all metrics, against sed_eval's event and segment metrics alone."""
    contract = starter()
    reference, durations = folder / "reference.tsv", folder / "durations.tsv"

    def read_score_measure() -> StandardMetrics:
        run = score(contract, reference, predictions, durations=durations)
        return standard_metrics(run.reference, run.prediction, run.card.family, contract, events=run.card.events)

    run = score(contract, reference, predictions, durations=durations)

    def measured() -> StandardMetrics:
        return standard_metrics(run.reference, run.prediction, run.card.family, contract, events=run.card.events)

    ref, pred = (events_from(path, Diagnostics(), name=path.name) for path in (reference, predictions))
    found = read_score_measure()
    try:
        ready, documented = _sed_eval(ref, pred)
    except ImportError:
        whole, alone = race(read_score_measure, measured)
        yield Row(SUBJECT, "read, score, measure", whole * 1e3, "ms", note=f"{data}; sed_eval is not installed")
        yield Row(SUBJECT, "measure alone", alone * 1e3, "ms")
        return
    slow, theirs = timed(documented)
    ours = _counts(found.event.sed_eval.total, found.segment.sed_eval.total)
    check_equal(f"{SUBJECT}, counts", [ours, ours], [theirs, ready()])
    whole, alone, bare = race(read_score_measure, measured, ready, repeats=5)
    note = f"{data}: {len(run.card.family.clips):,} clips, every count equal to sed_eval's"
    yield Row(SUBJECT, "read, score, measure", whole * 1e3, "ms", note=note)
    yield Row(SUBJECT, "measure alone", alone * 1e3, "ms", note="seven metrics, and two as sed_eval has them")
    for what, seconds, how in (
        ("event and segment metrics", slow, "its documented loop: filter both sides by clip, evaluate; one run"),
        ("event and segment metrics, lists by clip ready", bare, "nothing but the metrics"),
    ):
        yield Row(
            SUBJECT, f"faster than sed_eval's {what}", seconds / whole, "×", Target(20), f"{seconds:.3g} s; {how}"
        )


def _one_hour() -> Iterator[Row]:
    """An hour with a thousand events a side, from tables to counts."""
    ref, pred = recording(EVENTS, HOUR)

    def ours() -> EventMetrics:
        return _events(ref, pred)

    try:
        sound_event = import_module("sed_eval").sound_event
    except ImportError:
        (seconds,) = race(ours)
        yield Row(SUBJECT, "an hour, 1,000 events a side", seconds * 1e3, "ms", note="sed_eval is not installed")
        return
    some_refs, some_preds = lists(ref)["hour"], lists(pred)["hour"]

    def theirs() -> MetricCounts:
        metric = sound_event.EventBasedMetrics(event_label_list=list(CLASSES), t_collar=0.2, percentage_of_length=0.2)
        metric.evaluate(reference_event_list=some_refs, estimated_event_list=some_preds)
        tp, refs, preds = (int(metric.overall[key]) for key in ("Ntp", "Nref", "Nsys"))
        return MetricCounts(tp, preds - tp, refs - tp)

    slow, found = timed(theirs)
    check_equal(f"{SUBJECT}, an hour", [_counts(ours().sed_eval.total)], [_counts(found)])
    (fast,) = race(ours)
    note = f"{EVENTS:,} events a side, {len(CLASSES)} classes, {found.tp} pairs; {slow:.3g} s in one run"
    yield Row(SUBJECT, "an hour, from tables to counts", fast * 1e3, "ms", note="exact and as sed_eval has it")
    yield Row(SUBJECT, "faster than sed_eval's optimal event matching", slow / fast, "×", Target(100), note)


def _growth() -> Iterator[Row]:
    """More events: in as many more hours; and crowded into one hour, where each meets more of the others."""
    nlogn = SIZES[-1] * log(SIZES[-1]) / (SIZES[0] * log(SIZES[0]))
    for what, hours, target in (
        ("more hours", lambda n: HOUR * n // EVENTS, Target(1, at_least=False)),
        ("one crowded hour", lambda n: HOUR, None),
    ):
        given = [recording(size, hours(size)) for size in SIZES]
        times = race(*(_ready(*sides) for sides in given), repeats=3)
        met = [_meetings(*sides) for sides in (given[0], given[-1])]
        note = (
            f"{SIZES[0]:,} to {SIZES[-1]:,} events a side: cost × {times[-1] / times[0]:.3g}, n log n × {nlogn:.3g}, "
            f"pairs within the collar × {met[1] / met[0]:.3g}"
        )
        yield Row(SUBJECT, f"growth over that of n log n, {what}", times[-1] / times[0] / nlogn, "×", target, note)


def _meetings(ref: EventTable, pred: EventTable) -> int:
    """How many pairs of any class are within the collar."""
    policy = EventPolicy()
    given = intervals(ref, pred, tuple(ref.clips), CLASSES, (policy.collar,), mode=Mode.CLASS_INDEXED)
    return len(candidates(given.ref, given.pred, policy, by_class=False))


def _ready(ref: EventTable, pred: EventTable) -> Callable[[], EventMetrics]:
    return lambda: _events(ref, pred)


def _events(ref: EventTable, pred: EventTable) -> EventMetrics:
    settings = MetricSettings()
    times = (settings.event.collar,)
    return event_metrics(intervals(ref, pred, tuple(ref.clips), CLASSES, times, mode=Mode.CLASS_INDEXED), settings)


def recording(events: int, seconds: int) -> tuple[EventTable, EventTable]:
    """Events of one recording and predictions that follow them, to the millisecond."""
    generator = np.random.default_rng(events)
    onset = np.sort(generator.integers(0, seconds * 1000, size=events))
    length = generator.integers(200, 5000, size=events)
    label = generator.integers(0, len(CLASSES), size=events)
    moved = np.maximum(onset + generator.integers(-300, 301, size=events), 0)
    ended = np.maximum(moved + length + generator.integers(-300, 301, size=events), moved)
    called = np.where(generator.random(events) < 0.9, label, generator.integers(0, len(CLASSES), size=events))
    sides = []
    for start, end, names in ((onset, onset + length, label), (moved, ended, called)):
        rows = zip(start.tolist(), end.tolist(), names.tolist(), strict=True)
        found = tuple(Event(Fraction(a, 1000), Fraction(b, 1000), CLASSES[k]) for a, b, k in rows)
        sides.append(EventTable("recording", {"hour": found}))
    return sides[0], sides[1]


def _sed_eval(ref: EventTable, pred: EventTable) -> tuple[Callable[[], Counts], Callable[[], Counts]]:
    """Both metrics in a plain loop over clips, with the clips' lists ready and as sed_eval's documentation has it."""
    sound_event = import_module("sed_eval").sound_event
    container = import_module("dcase_util").containers.MetaDataContainer
    refs, preds = lists(ref), lists(pred)
    all_refs, all_preds = (container([e for some in side.values() for e in some]) for side in (refs, preds))
    labels = sorted(ref.labels | pred.labels)

    def evaluate(clips: Iterator[tuple[Any, Any]]) -> Counts:
        event = sound_event.EventBasedMetrics(event_label_list=labels, t_collar=0.2, percentage_of_length=0.2)
        segment = sound_event.SegmentBasedMetrics(event_label_list=labels, time_resolution=1.0)
        for some_refs, some_preds in clips:
            event.evaluate(reference_event_list=some_refs, estimated_event_list=some_preds)
            segment.evaluate(reference_event_list=some_refs, estimated_event_list=some_preds)
        event.results()
        segment.results()
        tallies = []
        for metric in (event, segment):
            tp, of_ref, of_pred = (int(metric.overall[key]) for key in ("Ntp", "Nref", "Nsys"))
            tallies.append(MetricCounts(tp, of_pred - tp, of_ref - tp))
        return _counts(*tallies)

    def ready() -> Counts:
        return evaluate((events, preds.get(clip, [])) for clip, events in refs.items())

    def documented() -> Counts:
        return evaluate((all_refs.filter(filename=clip), all_preds.filter(filename=clip)) for clip in refs)

    return ready, documented


def _counts(*tallies: MetricCounts) -> Counts:
    return np.array([(t.tp, t.fp, t.fn) for t in tallies], dtype=np.int64)
