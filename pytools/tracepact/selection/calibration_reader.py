"""Reads calibration sets, TOML texts whose every fault has a place; and clips of real systems as cases."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from tracepact.data.events import Durations, Event
from tracepact.data.family import Grid
from tracepact.data.memory import AudioFolder, durations_from
from tracepact.data.sources import nearest_sibling
from tracepact.declarations import spec_path
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, Source, did_you_mean
from tracepact.language.compilation import read_file
from tracepact.language.contract import Projection
from tracepact.runs.run import Run, score
from tracepact.selection.calibration import (
    CAST,
    Calibration,
    CalibrationCase,
    CandidateFamily,
    CaseReference,
    declared_atoms,
    family_of,
)
from tracepact.selection.calibration_cases import CaseReader, is_rank, read_events, read_masks, table_place, warn_mixed
from tracepact.selection.toml_tables import Fields, Places, read_toml
from tracepact.selection.trials import grid_contract
from tracepact.wording import parse_exact

# Reads calibration sets: TOML texts whose every fault has a place (rules 14.1 to 14.5).


def calibrations() -> dict[str, Path]:
    """The calibration sets that ship with tracepact, by name."""
    return {path.stem: path for path in sorted(spec_path("calibration").glob("*.calibration"))}


def load_calibration(
    name: str | Path,
    *,
    without: tuple[str, ...] = (),
    ranks: Mapping[str, str] | None = None,
    ranked: bool = True,
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
    calibration = _Reading(fields, folder, ranked).calibration(without, ranks or {})
    diagnostics.raise_errors()
    return calibration


@dataclass(slots=True, eq=False)
class _Reading:
    """Reads one text; `fields` is its outermost table, `faulty` are references that cannot be used."""

    fields: Fields
    folder: Path
    ranked: bool
    references: dict[str, CaseReference] = field(default_factory=dict)
    faulty: set[str] = field(default_factory=set)

    def calibration(self, without: tuple[str, ...], ranks: Mapping[str, str]) -> Calibration:
        fields, source = self.fields, self.fields.places.source
        name = fields.text("calibration", Path(source.name).stem)
        title = fields.text("title") or None
        fields.required("step", 'say how long a frame is: `step = "20ms"`')
        fields.step = fields.time("step", Fraction(1, 50))
        projection = Projection(fields.choice("projection", [p.value for p in Projection], Projection.CENTRE.value))
        merge_gap = fields.time("merge_gap", positive=False)
        durations = self._durations()
        cast = fields.words("cast", CAST, CAST)
        self._references()
        grid = Grid(fields.step, projection)
        cases = CaseReader(fields, self.folder, self.ranked, grid, self.references, self.faulty, durations).cases()
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

    def _durations(self) -> Durations | Fraction | None:
        """The lengths of clips, from the table that the set names."""
        path = self.fields.text("durations")
        if not path:
            return None
        place = table_place(self.folder, path, self.fields, "durations")
        if place is None:
            return None
        return durations_from(str(place), self.fields.diagnostics)

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
            # two letters apart are two words; one apart is most likely a slip, and would make two faults
            # of one
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


# Clips of real systems as cases: what each system gave out on a clip, against one reference (rule 14.29).


@dataclass(frozen=True, slots=True)
class SystemOutputs:
    """The references of some clips and the outputs of some systems on them."""

    durations: Mapping[str, Fraction]
    reference: Mapping[str, tuple[Event, ...]]
    systems: Mapping[str, Mapping[str, tuple[Event, ...]]]
    warnings: tuple[Diagnostic, ...] = ()

    def case(self, clip: str, system: str) -> CalibrationCase:
        """The output of a system on a clip, as a case without a rank."""
        name = case_name(clip, system)
        how = f"clip {clip}, as {system} gave it out"
        ref, pred = self.reference.get(clip, ()), self.systems[system].get(clip, ())
        return CalibrationCase(name, "", Fraction(0), name, how, self.durations[clip], ref, pred)


def case_name(clip: str, system: str) -> str:
    """The name of the case that is the output of a system on a clip."""
    return f"{clip} by {system}"


@dataclass(frozen=True, slots=True)
class Tables:
    """References, the lengths of their clips and the predictions of systems: paths, or what `score` takes else."""

    ref: Any
    durations: Any
    systems: Mapping[str, Any]
    audio: str | None = None


def source_of(data: Any) -> Any:
    """Events as `score` takes them; a text is a path."""
    return Path(data) if isinstance(data, str) else data


def read_systems(calibration: Calibration, tables: Tables) -> SystemOutputs:
    """Read the tables of some systems on the grid of a calibration set; InvalidInput carries every fault of all."""
    contract = grid_contract(calibration, calibration.family.matchers[0])
    audio = None if tables.audio is None else AudioFolder(tables.audio)
    lengths = audio if tables.durations is None else tables.durations
    faults, runs = Diagnostics(), dict[str, Run]()
    for name, table in tables.systems.items():
        try:
            # by the one way to score, so that a system is read, cut and warned about as it is anywhere
            # else
            runs[name] = score(contract, source_of(tables.ref), source_of(table), durations=lengths, outside="drop")
        except InvalidInput as error:
            faults.extend(d for d in error.diagnostics if d not in faults)
    faults.raise_errors()
    first = next(iter(runs.values()))
    known = first.durations
    clips = first.card.family.clips
    durations = (
        dict.fromkeys(clips, known) if isinstance(known, Fraction) else {clip: known.clips[clip] for clip in clips}
    )
    told = dict.fromkeys(diagnostic for run in runs.values() for diagnostic in run.diagnostics)
    return SystemOutputs(
        durations,
        {clip: _cut(first.reference.clips.get(clip, ()), durations[clip]) for clip in clips},
        {
            n: {clip: _cut(run.prediction.clips.get(clip, ()), durations[clip]) for clip in clips}
            for n, run in runs.items()
        },
        tuple(told),
    )


def _cut(events: Iterable[Event], end: Fraction) -> tuple[Event, ...]:
    """The events of a clip; a late offset is cut at its end (5.4)."""
    return tuple(event if event.offset <= end else replace(event, offset=end) for event in events)


def with_cases(calibration: Calibration, cases: tuple[CalibrationCase, ...], name: str = "judged") -> Calibration:
    """The grid and the family of a calibration set with other cases, under another name."""
    return replace(calibration, name=name, title=None, cases=cases, references=())
