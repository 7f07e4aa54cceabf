"""What is asked of a selection beside its cases and candidates, and the way to its answer, for command and Python."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from tracepact.calibration.calibration import Calibration
from tracepact.calibration.family import CandidateFamily
from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, Diagnostics
from tracepact.engines import Engine
from tracepact.io import durations_from, events_from
from tracepact.progress import OnStage, silent
from tracepact.tools.select.candidate_words import describe
from tracepact.tools.select.draft import report_left_out, within_clips
from tracepact.tools.select.preferences import CaseNames, ClipNames, read_preferences
from tracepact.tools.select.preferring import select_by_preferences
from tracepact.tools.select.report.build import selection_record
from tracepact.tools.select.report.record import SelectionRecord
from tracepact.tools.select.robust import own_references, with_disturbances
from tracepact.tools.select.select import SEARCH, Selection, larger_families, select
from tracepact.tools.select.separate import DEFAULT_REQUIREMENTS, Requirement
from tracepact.tools.select.stability import hold_out, leave_one_out
from tracepact.tools.select.systems import Tables, read_systems, source_of, with_cases


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a selection."""

    required: tuple[Requirement, ...] = DEFAULT_REQUIREMENTS
    seconds: Fraction | None = None
    every: bool = False
    robust: bool = False
    stability: bool = False
    folds: int | None = None
    preferences: str | None = None
    tables: Tables | None = None
    engine: Engine | None = None

    def conflict(self, option: Callable[[str], str]) -> str | None:
        """What does not go together, if anything; `option` writes the name of an option as its user does."""
        preferences, ref, system, lengths, audio = map(option, ("preferences", "ref", "system", "durations", "audio"))
        judged, tables = self.preferences is not None, self.tables
        if judged and (self.every or self.robust or self.stability):
            return f"{preferences} is without {option('all')}, {option('robust')} and {option('stability')}"
        if tables is None:
            return None
        if tables.ref is None:
            if tables.systems:
                return f"{system} goes with {preferences}, which judges systems, and with {ref}"
            return (
                f"{lengths if tables.audio is None else audio}: the lengths of the clips of {ref}, which is not given"
            )
        if tables.systems and not judged:
            return f"{system} goes with {preferences}, which judges systems, and with {ref}"
        if judged and not tables.systems:
            return f"name the systems that were judged: {system}"
        if tables.audio is not None and (not tables.systems or tables.durations is not None):
            return f"{audio} gives the lengths of the clips of {system} in place of {lengths}"
        return None


def answered(
    calibration: Calibration,
    family: CandidateFamily | None,
    authors: Contract | None,
    asked: Asked,
    *,
    on_stage: OnStage = silent,
) -> tuple[SelectionRecord, Selection]:
    """The selection and its record; what was found in the tables of events is among its diagnostics."""
    if asked.preferences is not None:
        return _preferred(calibration, family, authors, asked, asked.preferences, on_stage)
    warnings: tuple[Diagnostic, ...] = ()
    if asked.tables is not None:
        calibration, warnings = _with_own(calibration, asked.tables)
    if asked.robust:
        calibration = with_disturbances(calibration)
    seconds = asked.seconds
    selection = select(
        calibration,
        family,
        authors,
        requirements=asked.required,
        seconds=seconds,
        every=asked.every,
        on_stage=on_stage,
        engine=asked.engine,
    )
    selection = _with_warnings(selection, warnings)
    on_stage("larger families")
    larger = larger_families(selection, describe)
    left = leave_one_out(selection, seconds=seconds, on_stage=on_stage) if asked.stability else None
    held = hold_out(selection, asked.folds, seconds=seconds, on_stage=on_stage) if asked.folds else None
    return selection_record(selection, larger, stability=left, holdout=held), selection


def _preferred(
    calibration: Calibration,
    family: CandidateFamily | None,
    authors: Contract | None,
    asked: Asked,
    path: str,
    on_stage: OnStage,
) -> tuple[SelectionRecord, Selection]:
    warnings: tuple[Diagnostic, ...] = ()
    family = family or calibration.family
    if asked.tables is None:
        judged = read_preferences(path, CaseNames(calibration.cases))
    else:
        outputs = read_systems(calibration, asked.tables)
        names, warnings = ClipNames(outputs), outputs.warnings
        judged = read_preferences(path, names)
        calibration = with_cases(calibration, tuple(names.cases), Path(path).stem)
    seconds = SEARCH if asked.seconds is None else asked.seconds
    found = select_by_preferences(
        calibration,
        judged,
        family,
        authors,
        folds=asked.folds,
        seconds=seconds,
        on_stage=on_stage,
        engine=asked.engine,
    )
    found = dataclasses.replace(found, selection=_with_warnings(found.selection, warnings))
    return selection_record(found.selection, preferred=found), found.selection


def _with_warnings(selection: Selection, warnings: tuple[Diagnostic, ...]) -> Selection:
    return dataclasses.replace(selection, diagnostics=(*warnings, *selection.diagnostics))


def _with_own(calibration: Calibration, tables: Tables) -> tuple[Calibration, tuple[Diagnostic, ...]]:
    """The calibration set with the user's own references as disturbances."""
    diagnostics = Diagnostics()
    name = str(tables.ref) if isinstance(tables.ref, str | Path) else "ref"
    table = events_from(source_of(tables.ref), diagnostics, name=name)
    lengths = None if tables.durations is None else durations_from(tables.durations, diagnostics)
    diagnostics.raise_errors()
    table = within_clips(table, lengths, diagnostics)
    own = own_references(calibration, table, lengths)
    report_left_out(table, {clip.name: clip.events for clip in own.used}, diagnostics)
    return dataclasses.replace(calibration, own=own), tuple(diagnostics)
