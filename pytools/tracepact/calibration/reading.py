"""Reads calibration sets: TOML texts whose every fault has a place (rules 14.1 to 14.5)."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from tracepact.calibration.calibration import Calibration, Case, Reference, declared_atoms
from tracepact.calibration.case_reading import CaseReader, is_rank
from tracepact.calibration.declaring import family_of
from tracepact.calibration.family import CandidateFamily
from tracepact.calibration.fields import Fields, read_toml
from tracepact.calibration.intervals import read_events, read_masks, warn_mixed
from tracepact.calibration.places import Places
from tracepact.core import Projection
from tracepact.diagnostics import Diagnostics, InvalidInput, Source, did_you_mean
from tracepact.io import durations_from
from tracepact.io.source import nearest_sibling
from tracepact.lang import read_file
from tracepact.specs import spec_path
from tracepact.trace import Durations, Grid


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
    hint = nearest_sibling(path) or (None if path.suffix else did_you_mean(str(given), calibrations()))
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

    def calibration(self, without: tuple[str, ...], ranks: Mapping[str, str]) -> Calibration:
        fields = self.fields
        name = fields.text("calibration", Path(self.source.name).stem)
        title = fields.text("title") or None
        fields.required("step", 'say how long a frame is: `step = "20ms"`')
        fields.step = fields.time("step", Fraction(1, 50))
        projection = Projection(fields.choice("projection", [p.value for p in Projection], Projection.CENTRE.value))
        merge_gap = fields.time("merge_gap", positive=False)
        durations = self._durations()
        self._references()
        cases = CaseReader(
            self.source,
            fields,
            self.folder,
            self.diagnostics,
            self.ranked,
            Grid(fields.step, projection),
            self.references,
            frozenset(self.faulty),
            durations,
        ).cases()
        family = CandidateFamily()
        if isinstance(declared := fields.take("family"), dict):
            atoms = declared_atoms([*(r.masks for r in self.references.values()), *(case.masks for case in cases)])
            family = family_of(fields.inner(declared, "family", what="family"), atoms)
        elif declared is not None:
            fields.report("wrong-form", "`family` is a table", "family")
        fields.close()
        self._warn_similar(cases)
        cases = self._changed(cases, without, ranks)
        self._check_ranks(cases)
        digest = hashlib.sha256(self.source.text.encode("utf-8", "surrogatepass")).hexdigest()
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
            events = read_events(inner, "events", duration)
            masks = read_masks(inner, duration)
            warn_mixed(inner, table.get("events"))
            inner.close()
            self.references[name] = Reference(name, duration, events, masks)
            if len(self.diagnostics.errors) > errors:
                self.faulty.add(name)

    # The whole set

    def _changed(self, cases: list[Case], without: tuple[str, ...], ranks: Mapping[str, str]) -> list[Case]:
        """Cases left out, and ranks other than those of the file."""
        names = {case.name for case in cases}
        for name in (*without, *ranks):
            if name not in names:
                self.diagnostics.add("unknown-case", f"there is no case `{name}`", help=did_you_mean(name, names))
        new: dict[str, Fraction] = {}
        for name, text in ranks.items():
            if is_rank(text):
                new[name] = Fraction(text)
            else:
                self.diagnostics.add("bad-rank", f"the rank `{text}` of `{name}` is not a number")
        return [replace(c, rank=new.get(c.name, c.rank)) for c in cases if c.name not in without]

    def _warn_similar(self, cases: list[Case]) -> None:
        """Warn of a fault of one case alone that is most likely that of another, misspelled."""
        number = Counter(case.fault for case in cases)
        for case in cases:
            near = [fault for fault in number if fault != case.name and differ_by_a_letter(fault, case.fault)]
            if number[case.fault] == 1 and case.fault != case.name and near:
                headline = f"the fault `{case.fault}` of case `{case.name}` is of no other case"
                self.diagnostics.add("similar-faults", headline, case.place, f"did you mean `{near[0]}`?")

    def _check_ranks(self, cases: list[Case]) -> None:
        if not cases and not self.diagnostics.errors:
            self.fields.report_key("empty-calibration", "every case was left out", "cases", help="leave some in")
        if self.ranked and cases and not self.diagnostics.errors and len({case.rank for case in cases}) == 1:
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
