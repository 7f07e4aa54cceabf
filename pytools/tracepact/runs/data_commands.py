"""`tracepact convert` and `tracepact lint-data`: events in another format, and what is odd in them and corrected."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Unpack

import click

from tracepact.command_line import Exit
from tracepact.data.assembly import assemble, report_one_sided, report_unpredicted
from tracepact.data.event_rows import Outside, is_outside, report_milliseconds
from tracepact.data.events import Durations, Event, EventTable, Lengths, length_of
from tracepact.data.fields import read_scores
from tracepact.data.formats import FORMATS, TABLE, read_events, report_unused_readings
from tracepact.data.labels import similar_labels
from tracepact.data.memory import durations_from
from tracepact.data.preparation import Prepared
from tracepact.data.readings import Reading
from tracepact.data.sources import shown
from tracepact.data.writers import (
    FIELD_FORMATS,
    NPZ,
    WRITABLE,
    check_place,
    regions_text,
    written,
    written_field,
    written_format,
)
from tracepact.data.writers import PARQUET as PARQUET_FILE
from tracepact.diagnostics.collection import LISTED_PER_CODE, SPELLED_OUT, Diagnostics, InvalidInput, summarise
from tracepact.diagnostics.findings import CODES, RowPlace, Severity
from tracepact.files import encoded, table_text, write_folder, write_whole
from tracepact.language.compilation import load_contract, parse_contract
from tracepact.measures.tables import point_frames
from tracepact.options import (
    TEXT,
    Length,
    diagnostics_format_option,
    durations_option,
    fail_on_option,
    has_failed,
    named_contract,
)
from tracepact.outputs import EVENTS, PARQUET, SCORE_ARRAYS, LocalFolder, OutputFile, check_file
from tracepact.runs.directory import owner
from tracepact.runs.side_options import SideOptions, decoding_from, reading_options, side_options, task_from_options
from tracepact.runs.task import prepared_tables, read_task
from tracepact.show.lines import print_diagnostics, progress, say
from tracepact.wording import count, print_number, quoted, seconds

# Finds what is odd in references and predictions, without a grid, and corrects what can be corrected (rule 13.14).

_NOT_OF_ONE_FRAME = (
    *("joined-events", "vanished-event", "window-beyond-trace"),
    *("one-sided-label", "clip-without-predictions"),
)
"""What only a real grid shows, and what is asked of two sides that are there."""


def lint(
    reference: EventTable | None,
    prediction: EventTable | None,
    durations: Lengths,
    diagnostics: Diagnostics,
    labels: Sequence[str] | None = None,
) -> None:
    """Report all that is odd, of one side alone what it shows; without durations no clip's end.

    `labels` are those that a contract declares.
    """
    sides = [table for table in (reference, prediction) if table is not None]
    none = EventTable(sides[0].name, {})
    _assembled(reference or none, prediction or none, durations, labels, diagnostics)
    for table in sides:
        for clip, events in table.clips.items():
            _report_events(clip, events, table, diagnostics)
        _report_similar(table, diagnostics)
    if reference is None and prediction is not None and isinstance(durations, Durations):
        report_unpredicted(prediction, tuple(durations.clips), diagnostics)
    report_milliseconds(reference or none, prediction or none, durations, diagnostics)
    if prediction is not None and reference is not None:
        report_one_sided(reference, prediction, diagnostics)
        report_unpredicted(prediction, tuple(reference.clips), diagnostics)
        for clip, events in prediction.clips.items():
            if events and reference.clips.get(clip) == ():
                predicted = count(len(events), "predicted event")
                headline = f"`{shown(clip)}` is silent in the reference and has {predicted}"
                diagnostics.add("silent-clip-predicted", headline, prediction.place(clip, events[0].row))


def _assembled(
    reference: EventTable,
    prediction: EventTable,
    durations: Lengths,
    labels: Sequence[str] | None,
    diagnostics: Diagnostics,
) -> None:
    """Report the findings of assembling on a grid of one frame in a clip, without those that this grid causes."""
    # One frame longer than every clip: what is left of the checks are those that need no grid.
    ends = [event.offset for table in (reference, prediction) for _, event in table.events]
    starts = [event.onset for table in (reference, prediction) for _, event in table.events]
    if durations is None:
        durations = max([*ends, *starts], default=Fraction(0)) + 1
    lengths = durations.clips.values() if isinstance(durations, Durations) else [durations]
    contract = parse_contract(f"contract lint step {max(lengths, default=1)}s clause any on true : true")
    odd = Diagnostics()
    declared = replace(contract, labels=None if labels is None else tuple(labels))
    with suppress(InvalidInput):  # the errors are in `odd`
        assemble(declared, reference, prediction, durations=durations, diagnostics=odd)
    diagnostics.extend(finding for finding in odd if finding.code not in _NOT_OF_ONE_FRAME)


def _report_similar(table: EventTable, diagnostics: Diagnostics) -> None:
    """Labels of one side that are most likely one label."""
    first: dict[str, tuple[str, Event]] = {}
    for clip, event in table.events:
        first.setdefault(event.label, (clip, event))
    for label, near in similar_labels(table.labels).items():
        clip, event = first[label]
        headline = f"`{shown(label)}` and `{shown(near)}` differ only in how they are written"
        diagnostics.add("similar-labels", headline, table.place(clip, event.row), "write them alike, or map them")


def _report_events(clip: str, events: Sequence[Event], table: EventTable, diagnostics: Diagnostics) -> None:
    """Events of a clip without length, and those that overlap others of their label."""
    for event in events:
        if event.onset == event.offset:
            headline = f"`{shown(event.label)}` at {seconds(event.onset)} in `{shown(clip)}` has no length"
            diagnostics.add("zero-length", headline, table.place(clip, event.row))
    for first, later in _overlaps(events):
        what = f"`{shown(later.label)}` at {seconds(later.onset)} in `{shown(clip)}`"
        headline = f"{what} overlaps the one at {seconds(first.onset)}"
        help = f"the other is on line {first.row}" if first.row is not None else None
        diagnostics.add("overlapping-events", headline, table.place(clip, later.row), help)


def _overlaps(events: Sequence[Event]) -> Iterator[tuple[Event, Event]]:
    """Each event that overlaps an earlier one of its label, behind the one that reaches furthest."""
    furthest: dict[str, Event] = {}
    distinct = dict.fromkeys(
        event for event in events if event.onset < event.offset
    )  # a repeated row is said elsewhere
    for event in sorted(distinct, key=lambda e: (e.onset, e.offset)):
        first = furthest.get(event.label)
        if first is not None and event.onset < first.offset:
            yield first, event
        if first is None or event.offset > first.offset:
            furthest[event.label] = event


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction: the row it was made in, the finding it answers, the event before and after (None: left out)."""

    file: str
    row: int | None
    clip: str
    finding: str
    before: Event
    after: Event | None


def fix(table: EventTable, durations: Lengths, *, keep_outside: bool = False) -> tuple[EventTable, list[Correction]]:
    """A corrected copy of a table, and every correction, row by row.

    With `keep_outside`, for predictions, an event that starts after its clip stays: it is a false alarm (rule 13.31).
    """
    changes: list[Correction] = []
    clips = {}
    for clip, events in table.clips.items():
        length = length_of(durations, clip)
        clips[clip] = _Fixer(table, clip, length, changes, keep_outside).fixed(events)
    return EventTable(table.name, clips, table.digest, table.origin), changes


class _Fixer:
    """Corrects the events of one clip, in the order of the rule."""

    def __init__(
        self, table: EventTable, clip: str, length: Fraction | None, changes: list[Correction], keep_outside: bool
    ) -> None:
        self.table, self.clip, self.length, self.changes = table, clip, length, changes
        self.keep_outside = keep_outside

    def _log(self, finding: str, before: Event, after: Event | None) -> Event | None:
        place = self.table.place(self.clip, before.row)
        self.changes.append(Correction(place.file, place.row, self.clip, finding, before, after))
        return after

    def fixed(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """The events that stay, corrected; joined ones stand where the first of them stood."""
        # A row that repeats another only once it is corrected is a repeat all the same.
        kept: dict[Event, None] = {}
        for event in events:
            sound = self._alone(event)
            if sound is not None and sound in kept:
                self._log("duplicate-row", sound, None)
            elif sound is not None:
                kept[sound] = None
        return self._joined(list(kept))

    def _alone(self, event: Event) -> Event | None:
        """The event corrected by itself and its clip."""
        if event.offset < event.onset:
            turned = replace(event, onset=event.offset, offset=event.onset)
            self._log("offset-before-onset", event, turned)
            event = turned
        if event.offset == event.onset:
            return self._log("zero-length", event, None)
        if self.length is not None and event.onset >= self.length:
            return event if self.keep_outside else self._log("starts-outside-clip", event, None)
        if self.length is not None and event.offset > self.length:
            return self._log("offset-beyond-clip", event, replace(event, offset=self.length))
        return event

    def _joined(self, events: list[Event]) -> tuple[Event, ...]:
        """Overlapping events of a label as one, from the first onset to the last offset."""
        groups: dict[str, list[list[Event]]] = {}
        reach: dict[str, Fraction] = {}
        for event in sorted(events, key=lambda e: (e.onset, e.offset)):
            of_label = groups.setdefault(event.label, [])
            if of_label and event.onset < reach[event.label]:
                of_label[-1].append(event)
            else:
                of_label.append([event])
            reach[event.label] = max(event.offset, reach.get(event.label, event.offset))
        stands: dict[Event, Event | None] = {event: event for event in events}
        for group in (group for of_label in groups.values() for group in of_label if len(group) > 1):
            first, *rest = group
            sure = [event.confidence for event in group if event.confidence is not None]
            whole = replace(first, offset=max(e.offset for e in group), confidence=max(sure, default=None))
            stands[first] = self._log("overlapping-events", first, whole) if whole != first else first
            for event in rest:
                stands[event] = self._log("overlapping-events", event, None)
        return tuple(event for event in (stands[e] for e in events) if event is not None)


CHANGE_COLUMNS = ("side", "file", "row", "filename", "event_label", "finding", "before", "after", "why")


def change_rows(changes: Mapping[str, Sequence[Correction]]) -> Iterator[tuple[str, ...]]:
    """The log of the corrections of both sides, as text; an event that was left out has an empty `after`."""
    for side, items in changes.items():
        for c in items:
            row = "" if c.row is None else str(c.row)
            after = _span(c.after) if c.after is not None else ""
            yield side, c.file, row, c.clip, c.before.label, c.finding, _span(c.before), after, CODES[c.finding].meaning


def _span(event: Event) -> str:
    return f"{print_number(event.onset)} to {print_number(event.offset)}"


# `tracepact convert`: write events or scores in another format, exactly.

_KINDS = {TABLE: EVENTS, NPZ: SCORE_ARRAYS, PARQUET_FILE: PARQUET}
"""What is one file; all the others are a folder with a file for each clip."""
_LABELS_NAMED = 30


@click.command()
@click.argument("source", type=click.Path())
@click.option(
    "--to",
    "target",
    type=click.Choice((*WRITABLE, *FIELD_FORMATS)),
    required=True,
    help="The format to write; the last three hold scores.",
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="A file for a table, else a new folder.")
@click.option("--from", "format", type=click.Choice(FORMATS), help="The format to read, where it is not recognised.")
@reading_options
@durations_option("where TextGrids end")
@click.option(
    "--as-points", type=Length(), help="Write each event as the one frame of this length that holds its onset."
)
@click.option(
    "--regions",
    type=OutputFile(EVENTS, owner, in_new_folder=True),
    help="Write the ignore regions of the data too, as --ignore reads them.",
)
def convert_command(
    source: str,
    target: str,
    out: Path,
    format: str | None,
    columns: tuple[str, ...],
    rate: str | None,
    first_frame: int | None,
    label_column: str | None,
    tier: tuple[str, ...],
    threshold: Fraction | None,
    hysteresis: tuple[Fraction, Fraction] | None,
    median: int | None,
    durations: str | None,
    as_points: Fraction | None,
    regions: Path | None,
) -> int:
    """Read SOURCE, a file or folder of any format, and write its events; times keep every digit.

    A table is one file. Audacity label tracks and TextGrids are a folder with a file for each clip. Scores stay scores
    where the format holds them: `scores` is a folder with a file for each clip, `npz` and `parquet` one file for all.
    """
    diagnostics = Diagnostics()
    if target in FIELD_FORMATS:
        if threshold is not None or hysteresis is not None or median is not None:
            raise click.UsageError(f"--to {target} keeps the scores; leave out how they become events")
        return _convert_scores(source, target, out, diagnostics)
    decoding = decoding_from(threshold, hysteresis, median)
    reading = Reading(format, label_column, tier, decoding, columns or None, rate, first_frame=first_frame)
    with progress(2) as advance:
        advance(f"reading {source}")
        table = read_events(source, diagnostics, reading)
        report_unused_readings(((reading, table),), diagnostics)
        lengths = durations_from(durations, diagnostics)
        _check_out(out, source, target, diagnostics)
        if as_points is not None:
            table = point_frames(table, as_points)
        advance(f"writing {out}")
        contents = written(table, target, lengths, diagnostics)
        diagnostics.raise_errors()
        beside = _regions_file(table, regions, diagnostics)
        diagnostics.raise_errors()
        _write(out, contents, beside)
    print_diagnostics(diagnostics)
    events = sum(map(len, table.clips.values()))
    say(f"wrote {count(events, 'event')} of {count(len(table.clips), 'clip')} to {out}")
    return Exit.OK


def _convert_scores(source: str, target: str, out: Path, diagnostics: Diagnostics) -> int:
    """Write the scores of a file or folder in another format."""
    with progress(2) as advance:
        advance(f"reading {source}")
        scores = read_scores(source, diagnostics)
        _check_out(out, source, target, diagnostics)
        advance(f"writing {out}")
        contents = written_field(scores, target, diagnostics)
        diagnostics.raise_errors()
        _write(out, contents)
    print_diagnostics(diagnostics)
    frames = sum(len(own.ranks) for own in scores.clips.values())
    say(f"wrote {count(frames, 'frame')} of {count(len(scores.clips), 'clip')} to {out}")
    return Exit.OK


def _check_out(out: Path, source: str, target: str, diagnostics: Diagnostics) -> None:
    """InvalidInput if something is wrong so far, or would be lost at the place."""
    kind = _KINDS.get(target)
    check_place(out, [Path(source)], diagnostics, folder=kind is None)
    diagnostics.raise_errors()
    if kind is not None:
        check_file(out, kind)


def _write(out: Path, contents: Mapping[str, str | bytes], beside: Mapping[Path, str] = MappingProxyType({})) -> None:
    """Write a file, or a folder whole, and files beside it."""
    files: dict[Path, str | bytes] = dict(beside)
    if "" in contents:
        files[out] = contents[""]
    for folder in {path.parent for path in files}:
        folder.mkdir(parents=True, exist_ok=True)
    if "" not in contents:
        write_folder(out, {name: encoded(d) if isinstance(d, str) else d for name, d in contents.items()})
    write_whole(files)


def _regions_file(table: EventTable, place: Path | None, diagnostics: Diagnostics) -> dict[Path, str]:
    """The ignore regions that the data holds, where they are to be written; nothing is left out unsaid."""
    text = regions_text(table, diagnostics)
    if text is None:
        return {}
    if place is None:
        headline = "the data holds ignore regions, which this format does not"
        diagnostics.add("regions-left-out", headline, RowPlace(table.name), "write them too: --regions FILE")
        return {}
    check_place(place, [Path(table.name)], diagnostics, folder=False)
    return {place: text}


# `tracepact lint-data`: find what is odd in references and predictions, and write a corrected copy.

LOG = "changes.tsv"


@click.command()
@side_options
@fail_on_option
@click.option("--contract", metavar="CONTRACT", help="A contract whose declared labels are the only ones.")
@click.option("--fix", "fixing", is_flag=True, help="Write a corrected copy and a log of every change to --out.")
@click.option("--out", type=LocalFolder(), help="A new folder for the corrected copy.")
@diagnostics_format_option
def lint_data_command(
    fail_on: str, form: str, fixing: bool, out: Path | None, contract: str | None, **options: Unpack[SideOptions]
) -> int:
    """Find what is odd in a reference, and in predictions for it, with file and row.

    Predictions alone, with --durations, are checked as a submission is: whoever has the reference would be told the
    same of their form, clips and times, and with --contract of labels that it does not declare.

    That is: overlapping or repeated events; events outside their clips, without duration or that end before they start;
    labels and clips on one side only; predictions in silent clips. Nothing is changed in place.

    Exit codes: 0 nothing as severe as --fail-on was found, 2 otherwise.
    """
    if options["ref"] is None and (options["pred"] is None or (options["durations"] or options["audio"]) is None):
        raise click.UsageError("give --ref, and --pred to compare with it; or --pred and --durations alone")
    if fixing != (out is not None):
        raise click.UsageError("--fix writes to a new folder: give --fix and --out together")
    if fixing and options["label_map"] is not None:
        raise click.UsageError("a corrected copy keeps its labels: leave out --label-map or --fix")
    if fixing and options["clips"] is not None:
        raise click.UsageError("a corrected copy keeps every clip: leave out --clips or --fix")
    diagnostics = Diagnostics()
    with progress(2) as advance:
        advance("reading")
        labels = None if contract is None else named_contract(contract).labels
        task = task_from_options(load_contract("boundary_gate"), {**options, "outside": Outside.ERROR})
        task = replace(task, ref={}) if options["ref"] is None else task
        ready = prepared_tables(read_task(task, diagnostics), task.contract, diagnostics)
        durations = ready.durations
        whole = not diagnostics.errors
        advance("checking")
        sides = _sides(options, ready)
        lint(sides.get("reference"), sides.get("prediction"), durations, diagnostics, labels)
    print_diagnostics(diagnostics, form)
    if form == TEXT:
        say(f"{', '.join(table.name for table in sides.values())}: {summarise(diagnostics)}")
        counts = Counter(
            (d.code, SPELLED_OUT if d.severity is Severity.ERROR else LISTED_PER_CODE) for d in diagnostics
        )
        if any(times > most for (_, most), times in counts.items()):
            say("--format json lists all of them")
        if set(sides) == {"prediction"} and labels is None:
            names = sorted(map(shown, sides["prediction"].labels))
            more = ", …" if len(names) > _LABELS_NAMED else ""
            say(f"labels: {quoted(names[:_LABELS_NAMED])}{more}; no contract says which there may be (--contract)")
    if out is not None:
        # A copy without the rows that cannot be read would look corrected, and lack events.
        if not whole:
            say("nothing was written: a row that cannot be read would be lost")
            return Exit.INVALID
        _write_fixed(sides, durations, options, out)
    return Exit.INVALID if has_failed(fail_on, (one.severity.value for one in diagnostics)) else Exit.OK


def _sides(options: SideOptions, ready: Prepared) -> dict[str, EventTable]:
    """The sides that the options name."""
    sides = {"reference": ready.reference, "prediction": ready.prediction}
    named = {"reference": options["ref"], "prediction": options["pred"]}
    return {side: table for side, table in sides.items() if named[side] is not None}


def _write_fixed(
    sides: dict[str, EventTable], durations: Durations | Fraction | None, options: SideOptions, out: Path
) -> None:
    """The corrected copies and the log, in a new folder."""
    diagnostics = Diagnostics()
    inputs = [Path(path) for path in (options["ref"], options["pred"], options["label_map"], options["ignore"]) if path]
    check_place(out, inputs, diagnostics, folder=True)
    diagnostics.raise_errors()
    changes = {}
    files: dict[str, bytes] = {}
    for side, table in sides.items():
        fixed, changes[side] = fix(table, durations, keep_outside=side == "prediction")
        format = written_format(table)
        for name, text in written(fixed, format, durations, diagnostics).items():
            files[f"{side}.tsv" if format == TABLE else f"{side}/{name}"] = encoded(text)
    diagnostics.raise_errors()
    files[LOG] = encoded(table_text(CHANGE_COLUMNS, change_rows(changes)))
    write_folder(out, files)
    if kept := _outside(sides.get("prediction"), durations):
        events = count(kept, "predicted event")
        say(f"{events} after the end of the clip stay: false alarms, for `score --outside` to judge")
    changed = sum(map(len, changes.values()))
    say(f"wrote corrected copies with {count(changed, 'change')} to {out}; {out / LOG} lists them")


def _outside(table: EventTable | None, durations: Durations | Fraction | None) -> int:
    """How many events of a table start at or after the end of their clip."""
    if table is None:
        return 0
    lengths = durations.clips if isinstance(durations, Durations) else dict.fromkeys(table.clips, durations)
    ends = ((lengths.get(clip), event) for clip, event in table.events)
    return sum(end is not None and is_outside(event, end) for end, event in ends)
