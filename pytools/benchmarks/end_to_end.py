"""Reading, scoring and matching tables end to end, against sed_eval's event metric alone."""

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import starter, write_tables
from benchmarks.harness import Options, Row, Target, check_equal, race, timed
from tracepact import Contract, Run, score
from tracepact.data.events import EventTable
from tracepact.data.memory import events_from
from tracepact.diagnostics.collection import Diagnostics
from tracepact.wording import parse_exact

SUBJECT = "end to end"

Counts = NDArray[np.int64]


def measure(options: Options) -> Iterator[Row]:
    """The DESED tables if their folder is given, else synthetic ones of the same size."""
    if options.desed is not None:
        yield from _measure(options.desed, options.desed / "predictions-student.csv", "DESED validation")
        return
    with tempfile.TemporaryDirectory() as name:
        write_tables(Path(name))
        yield from _measure(Path(name), Path(name) / "predictions.tsv", "synthetic tables")


def _measure(folder: Path, predictions: Path, data: str) -> Iterator[Row]:
    contract = starter()
    reference, durations = folder / "reference.tsv", folder / "durations.tsv"

    def end_to_end() -> Run:
        parse_exact.cache_clear()  # every turn reads every time of the tables anew
        return score(contract, reference, predictions, durations=durations)

    first = end_to_end()
    _check_against_expected(first, contract, folder)
    note = f"{data}: {len(first.card.family.clips):,} clips, {len(first.card.events.matches):,} matches"
    ref, pred = (events_from(path, Diagnostics(), name=path.name) for path in (reference, predictions))
    try:
        metric, documented = _sed_eval(ref, pred)
    except ImportError:
        (seconds,) = race(end_to_end)
        yield Row(SUBJECT, "read, score and match", seconds * 1e3, "ms", note=f"{note}; sed_eval is not installed")
        return
    events = np.array([sum(map(len, table.clips.values())) for table in (ref, pred)])
    filtering, seen = timed(documented)
    check_equal(f"{SUBJECT}, number of events", [events, events], [metric(), seen])
    fast, bare = race(end_to_end, metric)
    yield Row(SUBJECT, "read, score and match", fast * 1e3, "ms", note=note)
    for what, seconds, how in (
        ("event metric", filtering, "its documented loop: filter both sides by clip, evaluate; one run"),
        ("event metric, lists by clip ready", bare, "nothing but the metric"),
    ):
        yield Row(SUBJECT, f"faster than sed_eval's {what}", seconds / fast, "×", Target(10), f"{seconds:.3g} s; {how}")


def _check_against_expected(run: Run, contract: Contract, folder: Path) -> None:
    """The counts of every clause and class against those that an independent script left beside the tables."""
    path = folder / "expected-guards.json"
    if not path.is_file():
        return
    expected = json.loads(path.read_text(encoding="utf-8"))["classes"]
    for clause in contract.clauses:
        counts = run.card.counts[clause.name]
        ours = np.stack([counts.satisfied.sum(axis=1), counts.obligated.sum(axis=1)], axis=1)
        theirs = np.array([expected[label][clause.name] for label in run.card.family.classes])
        check_equal(f"{SUBJECT}, {clause.name}", [ours], [theirs])


def _sed_eval(ref: EventTable, pred: EventTable) -> tuple[Callable[[], Counts], Callable[[], Counts]]:
    """The event metric in a plain loop over clips, with the clips' lists ready and as sed_eval's documentation has it.

    Each gives how many events it saw on each side.
    """
    sound_event = import_module("sed_eval").sound_event
    container = import_module("dcase_util").containers.MetaDataContainer
    refs, preds = lists(ref), lists(pred)
    all_refs, all_preds = (container([e for some in side.values() for e in some]) for side in (refs, preds))
    labels = sorted(ref.labels | pred.labels)

    def evaluate(clips: Iterable[tuple[Any, Any]]) -> Counts:
        metrics = sound_event.EventBasedMetrics(event_label_list=labels, t_collar=0.2, percentage_of_length=0.2)
        for some_refs, some_preds in clips:
            metrics.evaluate(reference_event_list=some_refs, estimated_event_list=some_preds)
        metrics.results()
        return np.array([metrics.overall["Nref"], metrics.overall["Nsys"]], dtype=np.int64)

    def ready() -> Counts:
        return evaluate((events, preds.get(clip, [])) for clip, events in refs.items())

    def documented() -> Counts:
        return evaluate((all_refs.filter(filename=clip), all_preds.filter(filename=clip)) for clip in refs)

    return ready, documented


def lists(table: EventTable) -> dict[str, list[dict[str, Any]]]:
    """The events of a table by clip, as sed_eval takes them."""
    return {
        clip: [
            {"filename": clip, "onset": float(e.onset), "offset": float(e.offset), "event_label": e.label}
            for e in events
        ]
        for clip, events in table.clips.items()
    }
