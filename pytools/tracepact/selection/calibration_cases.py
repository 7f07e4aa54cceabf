"""The cases of a calibration set: edits of references, intervals, clips of tables (rules 14.3 to 14.5)."""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from tracepact.data.events import Durations, Event, EventTable
from tracepact.data.family import Grid
from tracepact.data.memory import events_from
from tracepact.data.sources import shown
from tracepact.diagnostics.findings import did_you_mean
from tracepact.inputs import plain_within
from tracepact.language.contract import BUILTIN_ATOMS, CLASS_ATOMS
from tracepact.language.formula import union_runs
from tracepact.selection.calibration import ARGUMENTS, CalibrationCase, CaseReference, Edit, Masks, NotApplicable, apply
from tracepact.selection.toml_tables import Fields, is_number
from tracepact.wording import ms, parse_exact, print_number

# The intervals of a calibration set: events of both sides, masks of declared atoms (14.2, 14.3, 14.33).

LABEL = "event"
"""The label of an interval that has none."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def read_events(fields: Fields, key: str, duration: Fraction, labels: tuple[str, ...] = (LABEL,)) -> tuple[Event, ...]:
    """Intervals in order, apart from each other and inside the clip (rule 14.2).

    One without a label has that of `labels` if there is just one (rule 14.3).
    """

    def event(item: Any, index: int) -> Event | None:
        if not isinstance(item, list) or len(item) not in (2, 3) or not isinstance(item[-1], str | int | Fraction):
            fields.report("wrong-form", "an event is `[onset, offset]`, perhaps with a label", key, index)
            return None
        onset, offset = (fields.as_time(time, key, index, k) for k, time in enumerate(item[:2]))
        if len(item) == 2 and len(labels) > 1:
            headline = f"the interval has no label, and the reference has {len(labels)}: {', '.join(labels)}"
            help = f'say which: `["1s", "2s", "{labels[0]}"]`'
            fields.report("unlabelled-interval", headline, key, index, help=help)
            return None
        label = str(item[2]) if len(item) == 3 else labels[0]
        if not label or not label.isprintable():
            fields.report("wrong-form", "a label is a text on one line", key, index, 2)
        row = fields.places.source.position(fields.places.value((*fields.path, key, index)).span.start)[0]
        if not onset < offset <= duration:
            headline = "the event does not end after it starts" if offset <= onset else "it ends after its clip"
            fields.report("bad-time", headline, key, index)
            return None
        return Event(onset, offset, label, row)

    events = fields.items(key, event, ())
    ends: dict[str, Fraction] = {}
    for index, one in enumerate(events):
        if one.onset <= ends.get(one.label, Fraction(-1)):
            fields.report("bad-time", "the event is not after the one before it", key, index)
        ends[one.label] = one.offset
    return events


def warn_mixed(fields: Fields, items: Any) -> None:
    """Intervals without a label beside labelled ones are a class of their own, which is rarely meant."""
    lengths = {len(item) for item in items if isinstance(item, list)} if isinstance(items, list) else set()
    if {2, 3} <= lengths:
        headline = f"some events of the {fields.what} have no label and become class `{LABEL}`"
        fields.report("unlabelled-event", headline, "events", help="label all of them, or none")


def read_masks(fields: Fields, duration: Fraction) -> Masks:
    """Where declared atoms hold: `masks = {quiet = [["0s", "1s"]]}` (rule 14.33)."""
    declared = fields.take("masks")
    if declared is None:
        return ()
    if not isinstance(declared, dict):
        help = 'write `masks = {quiet = [["0s", "1s"]]}`'
        fields.report("wrong-form", "`masks` is a table of atoms", "masks", help=help)
        return ()
    masks = []
    inner = fields.inner(declared, "masks", what=f"masks of the {fields.what}")
    for name in declared:
        if not _NAME.fullmatch(name) or name in (*BUILTIN_ATOMS, *CLASS_ATOMS):
            inner.report("wrong-form", f"`{name}` cannot be the name of a declared atom", name)
            continue
        events = read_events(inner, name, duration)
        masks.append((name, tuple((event.onset, event.offset) for event in events)))
    return tuple(masks)


# Reads the cases of a calibration set: edits of references, intervals, clips of tables (rules 14.3 to 14.5).


@dataclass(slots=True, eq=False)
class CaseReader:
    """Reads the cases of one text; `fields` is its outermost table, `faulty` are references that cannot be used.

    Not `ranked`, cases may be without a rank.
    """

    fields: Fields
    folder: Path
    ranked: bool
    grid: Grid
    references: Mapping[str, CaseReference]
    faulty: Set[str]
    durations: Durations | Fraction | None
    tables: dict[str, EventTable] = field(default_factory=dict)
    inherited: Masks = ()
    """The masks of the reference that a case is made of."""

    def cases(self) -> list[CalibrationCase]:
        """The cases that can be used; what is wrong with the others is said."""
        declared = self.fields.take("cases")
        if not declared:
            self.fields.report_key(
                "empty-calibration",
                "the calibration set has no case",
                "cases",
                help='write `cases = [{name = "late onset", rank = 4, edit = "late_onset", by = "120ms"}]`',
            )
            return []
        if not isinstance(declared, list) or not all(isinstance(item, dict) for item in declared):
            self.fields.report("wrong-form", "`cases` is a list of tables, one for each case", "cases")
            return []
        cases: list[CalibrationCase] = []
        places: dict[str, int] = {}
        for index, table in enumerate(declared):
            inner = self.fields.inner(table, "cases", index, what="case")
            inner.required("name", "name it in a word or two")
            name = inner.text("name", f"case {index + 1}")
            inner.what = f"case `{name}`"
            if name in places:
                line = inner.places.source.position(inner.places.value(("cases", places[name])).span.start)[0]
                inner.report("repeated-case", f"there is already a case `{name}` on line {line}", "name")
            places.setdefault(name, index)
            case = self._case(name, inner)
            inner.close()
            if case is not None:
                cases.append(case)
        return cases

    def _case(self, name: str, fields: Fields) -> CalibrationCase | None:
        errors = len(self.fields.diagnostics.errors)
        rank = self._rank(name, fields)
        risk, fault = fields.text("risk"), fields.text("fault", name)
        ways = [key for key in ("edit", "pred") if fields.has(key)]
        if len(ways) != 1:
            fields.report_key(
                "wrong-form",
                f"case `{name}` has " + ("both an `edit` and a `pred`" if ways else "neither an `edit` nor a `pred`"),
                help='give one of them: `edit = "late_onset"`, or `pred` with intervals or a table',
            )
            fields.taken |= fields.data.keys()
            return None
        try:
            how, duration, ref, pred, edit = self._pair(fields)
            # a case may say otherwise than its reference of one atom, and keep the rest
            masks = dict(self.inherited) | dict(read_masks(fields, duration))
        except _Unusable:
            return None
        if len(self.fields.diagnostics.errors) > errors:
            return None
        place = fields.places.value(fields.path)
        return CalibrationCase(
            name, risk, rank, fault, how, duration, ref, pred, place, edit, masks=tuple(masks.items())
        )

    def _rank(self, name: str, fields: Fields) -> Fraction:
        rank = fields.take("rank")
        if rank is None and not self.ranked:
            return Fraction(0)
        if rank is None:
            fields.report_key("bad-rank", f"case `{name}` has no rank", help="say how bad it is: `rank = 3`")
        elif not is_number(rank):
            quoted = isinstance(rank, str) and is_rank(rank)
            help = f"write it without the quotes: `rank = {rank}`" if quoted else "the higher, the worse: `rank = 3`"
            fields.report("bad-rank", f"the rank `{rank}` is not a number", "rank", help=help)
        else:
            return Fraction(rank)
        return Fraction(0)

    def _pair(self, fields: Fields) -> tuple[str, Fraction, tuple[Event, ...], tuple[Event, ...], Edit | None]:
        self.inherited = ()
        if isinstance(fields.data.get("pred"), str) or fields.has("ref"):
            return *self._tables(fields), None
        reference = self._reference(fields)
        self.inherited = reference.masks
        if fields.has("pred"):
            labels = tuple(dict.fromkeys(event.label for event in reference.events)) or (LABEL,)
            pred = read_events(fields, "pred", reference.duration, labels)
            self._warn_one_sided(fields, reference.events, pred)
            return "as intervals", reference.duration, reference.events, pred, None
        edit = self._edit(fields)
        try:
            pred = apply(edit, reference.events, reference.duration)
            # a fault that the grid does not show would ask the impossible: to tell a trace from itself
            if edit.kind != "none" and self._frames(pred) == self._frames(reference.events):
                step = ms(self.grid.step)
                raise NotApplicable(f"on the grid of {step} the prediction is the reference", "by")
        except NotApplicable as error:
            key = error.key if fields.has(error.key) else "edit"
            headline = f"`{edit.kind}` does not apply to `{reference.name}`: {error}"
            fields.report("edit-does-not-apply", headline, key, help="choose another event or amount")
            raise _Unusable from None
        return edit.words(), reference.duration, reference.events, pred, edit

    def _warn_one_sided(self, fields: Fields, ref: tuple[Event, ...], pred: tuple[Event, ...]) -> None:
        """Labels that one side of a case lacks, as scoring warns of them; a side without events lacks them all."""
        ours, theirs = {event.label for event in ref}, {event.label for event in pred}
        if not ours or not theirs:
            return
        for labels, other in ((ours - theirs, "prediction"), (theirs - ours, "reference")):
            for label in sorted(labels):
                headline = f"label `{label}` does not occur in the {other} of the {fields.what}"
                fields.report("one-sided-label", headline, "pred")

    def _frames(self, events: tuple[Event, ...]) -> set[tuple[str, int, int]]:
        labels = {event.label for event in events}
        return {
            (label, *run)
            for label in labels
            for run in union_runs(self.grid.project(e.onset, e.offset) for e in events if e.label == label)
        }

    def _reference(self, fields: Fields) -> CaseReference:
        name = fields.text("reference", next(iter(self.references), "") if len(self.references) == 1 else "")
        if name not in self.references:
            headline = f"there is no reference `{name}`" if name else f"the {fields.what} does not name its reference"
            hint = did_you_mean(name, self.references) or "declare one: `[reference.gate]`"
            fields.report("unknown-reference", headline, *(("reference",) if name else ()), help=hint)
            fields.taken |= fields.data.keys()
            raise _Unusable
        if name in self.faulty:  # its own faults are said; what follows from them is not
            fields.taken |= fields.data.keys()
            raise _Unusable
        return self.references[name]

    def _edit(self, fields: Fields) -> Edit:
        kind = fields.text("edit")
        if kind not in ARGUMENTS:
            fields.report("unknown-choice", f"`{kind}` is not an edit", "edit", help=did_you_mean(kind, ARGUMENTS))
            fields.taken |= fields.data.keys()
            raise _Unusable
        errors = len(self.fields.diagnostics.errors)
        for key in ARGUMENTS[kind]:
            fields.required(key, f"`{kind}` needs {' and '.join(f'`{k}`' for k in ARGUMENTS[kind])}")
        edit = Edit(
            kind,
            by=fields.time("by") if "by" in ARGUMENTS[kind] else Fraction(0),
            factor=fields.number("factor", Fraction(1)) if kind == "length" else Fraction(1),
            pieces=fields.whole("pieces", 2, least=2) if kind == "split" else 1,
            gap=fields.time("gap") if kind == "split" else Fraction(0),
            at=fields.time("at", positive=False) if kind == "extra" else Fraction(0),
            length=fields.time("for") if kind == "extra" else Fraction(0),
            events=self._numbers(fields) if kind not in ("extra", "none") else None,
        )
        if len(self.fields.diagnostics.errors) > errors:
            raise _Unusable
        return edit

    def _numbers(self, fields: Fields) -> tuple[int, ...] | None:
        value = fields.take("event")
        if value is None:
            return None
        numbers = value if isinstance(value, list) else [value]
        if not numbers or any(isinstance(n, bool) or not isinstance(n, int) for n in numbers):
            fields.report("wrong-form", f"`event` is a number or a list of numbers, not `{value}`", "event")
            return None
        return tuple(numbers)

    def _tables(self, fields: Fields) -> tuple[str, Fraction, tuple[Event, ...], tuple[Event, ...]]:
        """One clip of two tables of events."""
        fields.required("ref", "give both tables: `ref` and `pred`")
        if self.durations is None:
            fields.required("duration", 'say how long the clip is: `duration = "10s"`, or name a table: `durations`')
        paths = [fields.text("ref"), fields.text("pred")]
        length, clip = fields.time("duration", Fraction(1)) if fields.has("duration") else None, fields.text("clip")
        tables = [self._table(fields, key) for key in ("ref", "pred")]
        if any(table is None for table in tables) or self.fields.diagnostics.errors:
            raise _Unusable
        ref, pred = (table for table in tables if table is not None)
        if not clip and len(ref.clips) == 1:
            clip = next(iter(ref.clips))
        if clip not in {**ref.clips, **pred.clips}:
            headline = f"neither table has a clip `{clip}`" if clip else "the tables have several clips"
            fields.report("unknown-clip", headline, "clip", help=did_you_mean(clip, ref.clips) or "name one: `clip`")
            raise _Unusable
        duration = self._listed(fields, clip) if length is None else length
        for event in (*ref.clips.get(clip, ()), *pred.clips.get(clip, ())):
            if event.onset >= duration or event.offset < event.onset:  # a late offset is cut, with a warning (5.4)
                onset, offset, end = map(print_number, (event.onset, event.offset, duration))
                headline = f"an event of `{clip}` goes from {onset} to {offset} s, the clip to {end} s"
                fields.report("bad-time", headline, "duration" if fields.has("duration") else "ref")
                raise _Unusable
        how = f"clip {clip} of {paths[0]} and {paths[1]}"
        sides = tuple(ref.clips.get(clip, ())), tuple(pred.clips.get(clip, ()))
        self._warn_one_sided(fields, *sides)
        return how, duration, *sides

    def _listed(self, fields: Fields, clip: str) -> Fraction:
        """How long a clip of the tables is, by the table of durations."""
        known = self.durations
        length = known.clips.get(clip) if isinstance(known, Durations) else known
        if length is None:
            headline = f"the table of durations has no clip `{clip}`"
            fields.report_key("unknown-duration", headline, help="add it there, or give the case a `duration`")
            raise _Unusable
        return length

    def _table(self, fields: Fields, key: str) -> EventTable | None:
        """A table of events, read once."""
        path = fields.text(key)
        if not path:
            return None
        if path not in self.tables:
            place = table_place(self.folder, path, fields, key)
            if place is None:
                return None
            # read once: a set has hundreds of cases on the same two tables
            self.tables[path] = events_from(place, self.fields.diagnostics, name=path)
        return self.tables[path]


def table_place(folder: Path, name: str, fields: Fields, key: str) -> Path | None:
    """Where a table is that a calibration set names; None, which is reported, if that is not below its folder."""
    try:
        plain_within(folder, name)
    except OSError as error:
        help = "its place is seen from the calibration set's folder, and is in it"
        missing = isinstance(error, FileNotFoundError)
        why = f"there is no table `{shown(name)}`" if missing else f"`{shown(name)}` is not read: {error.strerror}"
        fields.report("unreadable-file", why, key, help=help)
        return None
    return folder / name


def is_rank(text: str) -> bool:
    """Whether a text is a number."""
    try:
        parse_exact(text)
    except ValueError:
        return False
    return True


class _Unusable(Exception):  # noqa: N818  (what a case is whose fault has been reported)
    """A case that cannot be used."""
