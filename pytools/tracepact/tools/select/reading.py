"""Reads calibration sets: TOML texts whose every fault has a place (rules 14.1 to 14.5)."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from tracepact.core import Projection
from tracepact.core.contract import BUILTIN_ATOMS, CLASS_ATOMS
from tracepact.diagnostics import Diagnostics, InvalidInput, Source, did_you_mean
from tracepact.io import durations_from, events_from
from tracepact.lang import read_file
from tracepact.specs import spec_path
from tracepact.tools.select.calibration import Calibration, Case, Masks, Reference, declared_atoms
from tracepact.tools.select.declaring import family_of
from tracepact.tools.select.edits import ARGUMENTS, Edit, NotApplicable, apply
from tracepact.tools.select.family import CandidateFamily
from tracepact.tools.select.fields import Fields, is_number, read_toml
from tracepact.tools.select.places import Places
from tracepact.trace import Durations, Event, EventTable, Grid, union_runs
from tracepact.wording import ms, print_number

_LABEL = "event"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def calibrations() -> dict[str, Path]:
    """The calibration sets that ship with tracepact, by name."""
    return {path.stem: path for path in sorted(spec_path("calibration").glob("*.calibration"))}


def load_calibration(
    given: str | Path,
    *,
    without: tuple[str, ...] = (),
    ranks: Mapping[str, str] | None = None,
    ranked: bool = True,
) -> Calibration:
    """Read a calibration set, by file or by the name of a shipped one; InvalidInput carries every fault.

    `without` leaves cases out and `ranks` gives cases another rank, as if the file said so.
    """
    diagnostics = Diagnostics()
    shipped = calibrations().get(str(given))
    path = shipped if shipped is not None and not Path(given).is_file() else Path(given)
    hint = None if path.suffix else did_you_mean(str(given), calibrations())
    source = read_file(path, diagnostics, hint)
    if source is None:
        raise InvalidInput(diagnostics)
    return read_calibration(source, path.parent, without=without, ranks=ranks, ranked=ranked)


def read_calibration(
    source: Source,
    folder: Path = Path(),
    *,
    without: tuple[str, ...] = (),
    ranks: Mapping[str, str] | None = None,
    ranked: bool = True,
) -> Calibration:
    """The calibration set of a text; tables it names are looked for in `folder`. Not `ranked`, ranks may be absent."""
    diagnostics = Diagnostics()
    data = read_toml(source, diagnostics)
    if data is None:
        raise InvalidInput(diagnostics)
    found = _Reading(source, data, folder, diagnostics, ranked).calibration(without, ranks or {})
    diagnostics.raise_errors()
    return found


class _Reading:
    """Reads one text; `fields` is its outermost table."""

    def __init__(
        self, source: Source, data: dict[str, Any], folder: Path, diagnostics: Diagnostics, ranked: bool = True
    ) -> None:
        self.source = source
        self.ranked = ranked
        self.folder = folder
        self.diagnostics = diagnostics
        self.fields = Fields(data, (), Places.of(source), diagnostics, what="calibration set")
        self.references: dict[str, Reference] = {}
        self.faulty: set[str] = set()
        self.tables: dict[str, EventTable] = {}
        self.durations: Durations | Fraction | None = None
        self.inherited: Masks = ()
        """The masks of the reference that a case is made of."""
        self.grid = Grid(Fraction(1, 50))

    def calibration(self, without: tuple[str, ...], ranks: Mapping[str, str]) -> Calibration:
        fields = self.fields
        name = fields.text("calibration", Path(self.source.name).stem)
        title = fields.text("title") or None
        fields.required("step", 'say how long a frame is: `step = "20ms"`')
        fields.step = fields.time("step", Fraction(1, 50))
        projection = Projection(fields.choice("projection", [p.value for p in Projection], Projection.CENTRE.value))
        self.grid = Grid(fields.step, projection)
        merge_gap = fields.time("merge_gap", positive=False)
        self.durations = self._durations()
        self._references()
        cases = self._cases()
        family = CandidateFamily()
        if isinstance(declared := fields.take("family"), dict):
            atoms = declared_atoms([*(r.masks for r in self.references.values()), *(case.masks for case in cases)])
            family = family_of(fields.inner(declared, "family", what="family"), atoms)
        elif declared is not None:
            fields.report("wrong-form", "`family` is a table", "family")
        fields.close()
        cases = self._changed(cases, without, ranks)
        self._check_ranks(cases)
        digest = hashlib.sha256(self.source.text.encode()).hexdigest()
        references = tuple(self.references.values())
        return Calibration(
            name,
            title,
            fields.step,
            projection,
            merge_gap,
            tuple(cases),
            references,
            family,
            self.source,
            digest,
            tuple(self.diagnostics.warnings),
        )

    def _durations(self) -> Durations | Fraction | None:
        """The lengths of clips, from the table that the set names."""
        path = self.fields.text("durations")
        if not path:
            return None
        if not (self.folder / path).is_file():
            help = "its place is seen from the calibration set's folder"
            self.fields.report("unreadable-file", f"there is no table `{path}`", "durations", help=help)
            return None
        return durations_from(str(self.folder / path), self.diagnostics)

    # References

    def _references(self) -> None:
        declared = self.fields.take("reference")
        if declared is None:
            return
        if not isinstance(declared, dict) or not all(isinstance(item, dict) for item in declared.values()):
            self.fields.report(
                "wrong-form", "references are named tables", "reference", help="write `[reference.gate]`"
            )
            return
        for name, table in declared.items():
            inner = self.fields.inner(table, "reference", name, what=f"reference `{name}`")
            errors = len(self.diagnostics.errors)
            inner.required("duration", 'say how long the clip is: `duration = "12s"`')
            duration = inner.time("duration", Fraction(1))
            events = self._events(inner, "events", duration)
            masks = self._masks(inner, duration)
            self._warn_mixed(inner, table.get("events"))
            inner.close()
            self.references[name] = Reference(name, duration, events, masks)
            if len(self.diagnostics.errors) > errors:
                self.faulty.add(name)

    def _warn_mixed(self, fields: Fields, items: Any) -> None:
        """Intervals without a label beside labelled ones are a class of their own, which is rarely meant."""
        lengths = {len(item) for item in items if isinstance(item, list)} if isinstance(items, list) else set()
        if {2, 3} <= lengths:
            headline = f"some events of the {fields.what} have no label and become class `{_LABEL}`"
            fields.report("unlabelled-event", headline, "events", help="label all of them, or none")

    def _events(
        self, fields: Fields, key: str, duration: Fraction, labels: tuple[str, ...] = (_LABEL,)
    ) -> tuple[Event, ...]:
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
            row = self.source.position(fields.places.value((*fields.path, key, index)).span.start)[0]
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

    def _masks(self, fields: Fields, duration: Fraction) -> Masks:
        """Where declared atoms hold: `masks = {quiet = [["0s", "1s"]]}` (rule 14.33)."""
        declared = fields.take("masks")
        if declared is None:
            return ()
        if not isinstance(declared, dict):
            help = 'write `masks = {quiet = [["0s", "1s"]]}`'
            fields.report("wrong-form", "`masks` is a table of atoms", "masks", help=help)
            return ()
        found = []
        inner = fields.inner(declared, "masks", what=f"masks of the {fields.what}")
        for name in declared:
            if not _NAME.fullmatch(name) or name in (*BUILTIN_ATOMS, *CLASS_ATOMS):
                inner.report("wrong-form", f"`{name}` cannot be the name of a declared atom", name)
                continue
            events = self._events(inner, name, duration)
            found.append((name, tuple((event.onset, event.offset) for event in events)))
        return tuple(found)

    # Cases

    def _cases(self) -> list[Case]:
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
        cases: list[Case] = []
        seen: dict[str, int] = {}
        for index, table in enumerate(declared):
            inner = self.fields.inner(table, "cases", index, what="case")
            inner.required("name", "name it in a word or two")
            name = inner.text("name", f"case {index + 1}")
            inner.what = f"case `{name}`"
            if name in seen:
                line = self.source.position(inner.places.value(("cases", seen[name])).span.start)[0]
                inner.report("repeated-case", f"there is already a case `{name}` on line {line}", "name")
            seen.setdefault(name, index)
            case = self._case(name, inner)
            inner.close()
            if case is not None:
                cases.append(case)
        return cases

    def _case(self, name: str, fields: Fields) -> Case | None:
        errors = len(self.diagnostics.errors)
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
            masks = dict(self.inherited) | dict(self._masks(fields, duration))
        except _Unusable:
            return None
        if len(self.diagnostics.errors) > errors:
            return None
        place = fields.places.value(fields.path)
        return Case(name, risk, rank, fault, how, duration, ref, pred, place, edit, masks=tuple(masks.items()))

    def _rank(self, name: str, fields: Fields) -> Fraction:
        rank = fields.take("rank")
        if rank is None and not self.ranked:
            return Fraction(0)
        if rank is None:
            fields.report_key("bad-rank", f"case `{name}` has no rank", help="say how bad it is: `rank = 3`")
        elif not is_number(rank):
            quoted = isinstance(rank, str) and _is_rank(rank)
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
            labels = tuple(dict.fromkeys(event.label for event in reference.events)) or (_LABEL,)
            pred = self._events(fields, "pred", reference.duration, labels)
            self._warn_one_sided(fields, reference.events, pred)
            return "as intervals", reference.duration, reference.events, pred, None
        edit = self._edit(fields)
        try:
            pred = apply(edit, reference.events, reference.duration)
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

    def _reference(self, fields: Fields) -> Reference:
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
        errors = len(self.diagnostics.errors)
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
        if len(self.diagnostics.errors) > errors:
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
        own, clip = fields.time("duration", Fraction(1)) if fields.has("duration") else None, fields.text("clip")
        found = [self._table(fields, key) for key in ("ref", "pred")]
        if any(table is None for table in found) or self.diagnostics.errors:
            raise _Unusable
        ref, pred = (table for table in found if table is not None)
        if not clip and len(ref.clips) == 1:
            clip = next(iter(ref.clips))
        if clip not in {**ref.clips, **pred.clips}:
            headline = f"neither table has a clip `{clip}`" if clip else "the tables have several clips"
            fields.report("unknown-clip", headline, "clip", help=did_you_mean(clip, ref.clips) or "name one: `clip`")
            raise _Unusable
        duration = self._listed(fields, clip) if own is None else own
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
        found = known.clips.get(clip) if isinstance(known, Durations) else known
        if found is None:
            headline = f"the table of durations has no clip `{clip}`"
            fields.report_key("unknown-duration", headline, help="add it there, or give the case a `duration`")
            raise _Unusable
        return found

    def _table(self, fields: Fields, key: str) -> EventTable | None:
        """A table of events, read once."""
        path = fields.text(key)
        if not path:
            return None
        if not (self.folder / path).exists():
            help = "its place is seen from the calibration set's folder"
            fields.report("unreadable-file", f"there is no table `{path}`", key, help=help)
            return None
        if path not in self.tables:
            self.tables[path] = events_from(self.folder / path, self.diagnostics, name=path)
        return self.tables[path]

    # The whole set

    def _changed(self, cases: list[Case], without: tuple[str, ...], ranks: Mapping[str, str]) -> list[Case]:
        """Cases left out, and ranks other than those of the file."""
        names = {case.name for case in cases}
        for name in (*without, *ranks):
            if name not in names:
                self.diagnostics.add("unknown-case", f"there is no case `{name}`", help=did_you_mean(name, names))
        new: dict[str, Fraction] = {}
        for name, text in ranks.items():
            if _is_rank(text):
                new[name] = Fraction(text)
            else:
                self.diagnostics.add("bad-rank", f"the rank `{text}` of `{name}` is not a number")
        return [replace(c, rank=new.get(c.name, c.rank)) for c in cases if c.name not in without]

    def _check_ranks(self, cases: list[Case]) -> None:
        if not cases and not self.diagnostics.errors:
            self.fields.report_key("empty-calibration", "every case was left out", "cases", help="leave some in")
        if self.ranked and cases and not self.diagnostics.errors and len({case.rank for case in cases}) == 1:
            headline = f"every case has rank {cases[0].rank}: there is nothing to separate"
            self.fields.report_key("one-rank", headline, "cases", help="give the worse cases a higher rank")


def _is_rank(text: str) -> bool:
    """Whether a text is a number."""
    try:
        Fraction(text)
    except (ValueError, ZeroDivisionError):
        return False
    return True


class _Unusable(Exception):  # noqa: N818  (what a case is whose fault has been reported)
    """A case that cannot be used."""
