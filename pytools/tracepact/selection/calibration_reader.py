"""Reads calibration sets: TOML texts whose every fault has a place (14.1 to 14.5)."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

from tracepact.data.events import Durations, Event, EventTable
from tracepact.data.family import Grid
from tracepact.data.memory import durations_from, events_from
from tracepact.data.sources import nearest_sibling, shown
from tracepact.declarations import spec_path
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Source, did_you_mean
from tracepact.inputs import plain_within
from tracepact.language.compilation import read_file
from tracepact.language.contract import Projection
from tracepact.selection.calibration import (
    ARGUMENTS,
    CAST,
    LABEL,
    Calibration,
    CalibrationCase,
    CandidateFamily,
    CaseReference,
    Edit,
    Masks,
    NotApplicable,
    apply,
    declared_atoms,
    family_of,
    frames_of,
    read_events,
    read_masks,
    warn_mixed,
)
from tracepact.selection.toml_tables import Fields, Places, is_number, read_toml
from tracepact.wording import ms, parse_exact, print_number

# Reads calibration sets: TOML texts whose every fault has a place (rules 14.1 to 14.5).


def calibrations() -> dict[str, Path]:
    """The calibration sets that ship with tracepact, by name."""
    return {path.stem: path for path in sorted(spec_path("calibration").glob("*.calibration"))}


def load_calibration(
    name: str | Path, *, without: tuple[str, ...] = (), ranks: Mapping[str, str] | None = None, ranked: bool = True
) -> Calibration:
    """Read a calibration set, by file or by the name of a shipped one; InvalidInput carries every fault.

    `without` leaves cases out and `ranks` gives cases another rank, as if the file said so.
    """
    diagnostics = Diagnostics()
    shipped = calibrations().get(str(name))
    # a file of that name is the user's own, and comes before a shipped set
    path = shipped if shipped is not None and not Path(name).is_file() else Path(name)
    hint = nearest_sibling(path) or (None if path.suffix else did_you_mean(str(name), calibrations()))
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
    fields = Fields(data, (), Places.of(source), diagnostics, what="calibration set")
    calibration = CalibrationReader(fields, folder, ranked).calibration(without, ranks or {})
    diagnostics.raise_errors()
    return calibration


@dataclass(slots=True, eq=False)
class CalibrationReader:
    """Reads one text; `fields` is its outermost table, `faulty` are references that cannot be used.

    Not `ranked`, cases may be without a rank.
    """

    fields: Fields
    folder: Path
    ranked: bool
    references: dict[str, CaseReference] = field(default_factory=dict)
    faulty: set[str] = field(default_factory=set)
    durations: Durations | Fraction | None = None
    grid: Grid = field(init=False)
    tables: dict[str, EventTable] = field(default_factory=dict)
    inherited: Masks = ()
    """The masks of the reference that a case is made of."""

    def calibration(self, without: tuple[str, ...], ranks: Mapping[str, str]) -> Calibration:
        """The whole set, some cases left out and some at other ranks; its faults are among the diagnostics."""
        fields, source = self.fields, self.fields.places.source
        name = fields.text("calibration", Path(source.name).stem)
        title = fields.text("title") or None
        fields.required("step", 'say how long a frame is: `step = "20ms"`')
        fields.step = fields.time("step", Fraction(1, 50))
        projection = Projection(fields.choice("projection", [p.value for p in Projection], Projection.CENTRE.value))
        merge_gap = fields.time("merge_gap", positive=False)
        if path := fields.text("durations"):
            place = table_place(self.folder, path, fields, "durations")
            self.durations = None if place is None else durations_from(str(place), fields.diagnostics)
        cast = fields.words("cast", CAST, CAST)
        self._references()
        self.grid = Grid(fields.step, projection)
        cases = self._cases()
        references = tuple(self.references.values())
        family = CandidateFamily()
        if isinstance(declared := fields.take("family"), dict):
            atoms = declared_atoms([*(r.masks for r in references), *(case.masks for case in cases)])
            family = family_of(fields.inner(declared, "family", what="family"), atoms)
        elif declared is not None:
            fields.report("wrong-form", "`family` is a table", "family")
        fields.close()
        self._warn_similar(cases)
        cases = self._changed(cases, without, ranks)
        self._check_ranks(cases)
        # of the text as it was read, whatever --without and --rank changed: it says which file this was
        digest = hashlib.sha256(source.text.encode("utf-8", "surrogatepass")).hexdigest()
        return Calibration(
            name,
            title,
            fields.step,
            projection,
            merge_gap,
            tuple(cases),
            references,
            family,
            source,
            digest,
            tuple(self.fields.diagnostics.warnings),
            tuple(dict.fromkeys(cast)),
        )

    # References

    def _references(self) -> None:
        declared = self.fields.take("reference")
        if declared is None:
            return
        if not isinstance(declared, dict) or not all(isinstance(item, dict) for item in declared.values()):
            help = "write `[reference.gate]`"
            self.fields.report("wrong-form", "references are named tables", "reference", help=help)
            return
        for name, table in declared.items():
            inner = self.fields.inner(table, "reference", name, what=f"reference `{name}`")
            errors = len(inner.diagnostics.errors)
            inner.required("duration", 'say how long the clip is: `duration = "12s"`')
            duration = inner.time("duration", Fraction(1))
            events = read_events(inner, "events", duration)
            masks = read_masks(inner, duration)
            warn_mixed(inner, table.get("events"))
            inner.close()
            self.references[name] = CaseReference(name, duration, events, masks)
            if len(inner.diagnostics.errors) > errors:
                self.faulty.add(name)

    # Cases: edits of references, intervals, clips of tables (rules 14.3 to 14.5)

    def _cases(self) -> list[CalibrationCase]:
        """The cases that can be used; what is wrong with the others is said."""
        declared = self.fields.take("cases")
        if not declared:
            help = 'write `cases = [{name = "late onset", rank = 4, edit = "late_onset", by = "120ms"}]`'
            self.fields.report_key("empty-calibration", "the calibration set has no case", "cases", help=help)
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
        place, every = fields.places.value(fields.path), tuple(masks.items())
        return CalibrationCase(name, risk, rank, fault, how, duration, ref, pred, place, edit, masks=every)

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
            if edit.kind != "none" and frames_of(pred, self.grid) == frames_of(reference.events, self.grid):
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

    # The whole set

    def _changed(
        self, cases: list[CalibrationCase], without: tuple[str, ...], ranks: Mapping[str, str]
    ) -> list[CalibrationCase]:
        """Cases left out, and ranks other than those of the file."""
        names = {case.name for case in cases}
        for name in (*without, *ranks):
            if name not in names:
                self.fields.diagnostics.add(
                    "unknown-case", f"there is no case `{name}`", help=did_you_mean(name, names)
                )
        new: dict[str, Fraction] = {}
        for name, text in ranks.items():
            if is_rank(text):
                new[name] = parse_exact(text)
            else:
                self.fields.diagnostics.add("bad-rank", f"the rank `{text}` of `{name}` is not a number")
        return [replace(c, rank=new.get(c.name, c.rank)) for c in cases if c.name not in without]

    def _warn_similar(self, cases: list[CalibrationCase]) -> None:
        """Warn of a fault of one case alone that is most likely that of another, misspelled."""
        number = Counter(case.fault for case in cases)
        for case in cases:
            # two letters apart are two words; one apart is most likely a slip, which makes two faults of one
            near = [fault for fault in number if fault != case.name and differ_by_a_letter(fault, case.fault)]
            if number[case.fault] == 1 and case.fault != case.name and near:
                headline = f"the fault `{case.fault}` of case `{case.name}` is of no other case"
                self.fields.diagnostics.add("similar-faults", headline, case.place, f"did you mean `{near[0]}`?")

    def _check_ranks(self, cases: list[CalibrationCase]) -> None:
        if not cases and not self.fields.diagnostics.errors:
            self.fields.report_key("empty-calibration", "every case was left out", "cases", help="leave some in")
        if self.ranked and cases and not self.fields.diagnostics.errors and len({case.rank for case in cases}) == 1:
            headline = f"every case has rank {cases[0].rank}: there is nothing to separate"
            help = "give the worse cases a higher rank"
            if len(cases) == 1:
                headline = f"`{cases[0].name}` is the only case: there is nothing to separate it from"
                help = 'add a second case of another rank, such as `{name = "perfect", rank = 0, edit = "none"}`'
            self.fields.report_key("one-rank", headline, "cases", help=help)


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


def differ_by_a_letter(one: str, other: str) -> bool:
    """Whether two words differ by a letter that one of them has more, or by two neighbours that changed places."""
    shorter, longer = sorted((one, other), key=len)
    if len(longer) - len(shorter) == 1:
        return any(longer[:k] + longer[k + 1 :] == shorter for k in range(len(longer)) if longer[k].isalpha())
    places = [k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b]
    if len(one) != len(other) or len(places) != 2 or places[1] != places[0] + 1:
        return False
    first, second = places
    return (one[first], one[second]) == (other[second], other[first])
