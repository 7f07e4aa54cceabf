"""The clips a workbench begins with: scenes made for the contract, or the clips of given references and predictions."""

from collections.abc import Iterator
from fractions import Fraction

from tracepact.core import Contract
from tracepact.io.documents import Document
from tracepact.tools.cast_scenes import scenes
from tracepact.tools.play.scene import Clip, EventText, run_events, run_times
from tracepact.tools.score.run import Run
from tracepact.trace import Event, EventTable, Family, Side
from tracepact.trace.family import Runs
from tracepact.wording import print_number

MOST_CLIPS = 200


def clips_of_contract(contract: Contract) -> tuple[Clip, ...]:
    """The scenes of rule 22.2, with a perfect prediction."""
    family = scenes(contract)
    return tuple(_clip_of(family, number) for number in range(len(family.clips)))


def _clip_of(family: Family, number: int) -> Clip:
    refs = events_of(family, family.runs[Side.REF], number)
    length = print_number(family.frames[number] * family.step)
    first = family.segment(0, number)  # a mask is the same for every class
    masks = {atom: run_times(runs.get(first, ()), family.step) for atom, runs in family.masks.items()}
    return Clip(family.clips[number], length, refs, refs, (), masks)


def events_of(family: Family, runs: Runs, number: int) -> tuple[EventText, ...]:
    """The runs of one clip as events of its classes."""
    found: list[EventText] = []
    for label, name in enumerate(family.classes):
        found += run_events(runs.get(family.segment(label, number), ()), family.step, name)
    return tuple(found)


def clips_of_run(run: Run) -> tuple[Clip, ...]:
    """The clips of a scoring run, as its data were prepared; at most so many, the first ones."""
    family, lengths = run.card.family, run.durations
    return tuple(
        _of_tables(
            name,
            lengths if isinstance(lengths, Fraction) else lengths.clips[name],
            (run.reference, run.prediction, run.ignore),
            _clip_of(family, number).masks,
        )
        for number, name in enumerate(family.clips[:MOST_CLIPS])
    )


def clips_of_document(document: Document, step: Fraction) -> tuple[Clip, ...]:
    """The clips of a JSON document; its masks are in frames of a step."""
    tables, masks = (document.reference, document.prediction, document.ignore), document.masks or {}
    return tuple(
        _of_tables(
            name,
            duration,
            tables,
            {atom: run_times(tuple(_bit_runs(by_clip.get(name, 0))), step) for atom, by_clip in masks.items()},
        )
        for name, duration in document.durations.clips.items()
    )


def _of_tables(
    name: str,
    duration: Fraction,
    tables: tuple[EventTable, EventTable, EventTable | None],
    masks: dict[str, tuple[tuple[str, str], ...]],
) -> Clip:
    """A clip of three tables: references, predictions, ignore regions."""
    ref, pred, ignore = (() if table is None else _events(table, name) for table in tables)
    return Clip(name, print_number(duration), ref, pred, ignore, masks)


def _events(table: EventTable, clip: str) -> tuple[EventText, ...]:
    return tuple(map(event_text, table.clips.get(clip, ())))


def event_text(event: Event) -> EventText:
    """An event as text, exact."""
    return print_number(event.onset), print_number(event.offset), event.label


def _bit_runs(mask: int) -> Iterator[tuple[int, int]]:
    """The runs of a mask whose bit i is frame i."""
    start = 0
    while mask >> start:
        start += ((mask >> start) & -(mask >> start)).bit_length() - 1
        length = (~(mask >> start) & ((mask >> start) + 1)).bit_length() - 1
        yield start, start + length
        start += length
