"""`tracepact.select`, the request that it shares with the command, and larger families that would do more."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from tracepact.data.memory import durations_from, events_from
from tracepact.declarations import OnStage, silent
from tracepact.diagnostics.collection import Diagnostics, InvalidInput, one_of, several
from tracepact.diagnostics.findings import Diagnostic
from tracepact.engines import Engine, engine_from
from tracepact.language.compilation import load_contract
from tracepact.language.contract import Contract
from tracepact.logic.decisions import Outcome
from tracepact.selection.basis import Observed, observe_family
from tracepact.selection.calibration import Calibration, CandidateFamily
from tracepact.selection.calibration_reader import load_calibration
from tracepact.selection.candidates import describe, family_size
from tracepact.selection.draft import report_left_out, within_clips
from tracepact.selection.exploits import guarded
from tracepact.selection.judgements import (
    CaseNames,
    ClipNames,
    Tables,
    read_preferences,
    read_systems,
    source_of,
    with_cases,
)
from tracepact.selection.preferences import select_by_preferences
from tracepact.selection.record import LargerFamily, SelectionRecord, SeparatedPair
from tracepact.selection.record_parts import selection_record
from tracepact.selection.requirements import DEFAULT_REQUIREMENTS, ComparedCoordinates, Pair, SelectionRequirement
from tracepact.selection.robustness import hold_out, leave_one_out, own_references, with_disturbances
from tracepact.selection.selection import SEARCH, Selection, select_contract
from tracepact.selection.sentences import answer_words
from tracepact.selection.values import Screening
from tracepact.show.pages import Presented, presented
from tracepact.show.tables import Table, numbers, words
from tracepact.wording import short


def larger_families(selection: Selection) -> tuple[LargerFamily, ...]:
    """Whether a larger radius or depth, within the bound, would separate the pairs that are not separated.

    Two cases with the same traces are left out: no family separates them.
    """
    retained = selection.retained
    trials = retained.observed.trials
    unmet = [row.of for row in retained.unmet if isinstance(row.of, Pair)]
    pairs = [pair for pair in unmet if not trials.alike(pair.worse, pair.better)]
    family, calibration = retained.observed.candidates.family, selection.calibration
    if not pairs or not family.obligations:
        return ()
    # twice the widest: the question is only whether more width would help at all
    radius = 2 * max(family.tolerances, default=calibration.step)
    families = []
    for change, larger in (
        (f"a tolerance of {short(radius * 1000)} ms", replace(family, tolerances=(*family.tolerances, radius))),
        (f"depth {family.depth + 1}", replace(family, depth=family.depth + 1)),
    ):
        size = family_size(larger, calibration.step)
        met: tuple[SeparatedPair, ...] = ()
        if affordable := size <= family.most:
            observed = observe_family(calibration, larger, matcher=retained.observed.matcher)
            met = tuple(
                SeparatedPair(*pair.names(calibration.cases), describe(observed.candidates, candidate))
                for pair in pairs
                if (candidate := _separator(observed, pair)) is not None
            )
        families.append(LargerFamily(change, size, family.most, affordable, met))
    return tuple(families)


_TRIED = 50
_BLOCK = 1024


def _separator(observed: Observed, pair: Pair) -> int | None:
    """The cheapest proved candidate that meets the requirement of a pair (14.17), among the first few."""
    costs = observed.candidates.costs
    passed = np.flatnonzero(observed.observation.screening == Screening.PASSED).tolist()
    # cheapest first: what is shown is then the plainest candidate that would do
    passed.sort(key=lambda index: (costs[index], index))
    tried = 0
    for start in range(0, len(passed), _BLOCK):
        block = passed[start : start + _BLOCK]
        compared = ComparedCoordinates.of_seen(observed.observation.seen(block).on((pair.worse, pair.better)))
        for place in np.flatnonzero(compared.lower(np.array([0]), np.array([1]))[0]).tolist():
            tried += 1
            if observed.prover.decide(observed.candidates[block[place]]).outcome is Outcome.YES:
                return int(block[place])
            if tried == _TRIED:
                return None
    return None


# What is asked of a selection beside its cases and candidates, and the way to its answer, for command and Python.


@dataclass(frozen=True, slots=True)
class SelectionRequest:
    """The options of a selection, as the command and the Python function take them."""

    required: tuple[SelectionRequirement, ...] = DEFAULT_REQUIREMENTS
    seconds: Fraction | None = None
    every: bool = False
    robust: bool = False
    stability: bool = False
    folds: int | None = None
    preferences: str | None = None
    tables: Tables | None = None
    engine: Engine | None = None

    def conflict(self, option: Callable[[str], str]) -> str | None:
        """A sentence on options that do not go together, if there are any; `option` writes a name as its user does."""
        preferences, ref, system, lengths, audio = map(option, ("preferences", "ref", "system", "durations", "audio"))
        judged, tables = self.preferences is not None, self.tables
        if judged and (self.every or self.robust or self.stability):
            return f"{preferences} is without {option('all')}, {option('robust')} and {option('stability')}"
        if tables is None:
            return None
        if tables.systems and (tables.ref is None or not judged):
            return f"{system} goes with {preferences}, which judges systems, and with {ref}"
        if tables.ref is None:
            which = lengths if tables.audio is None else audio
            return f"{which}: the lengths of the clips of {ref}, which is not given"
        if judged and not tables.systems:
            return f"name the systems that were judged: {system}"
        if tables.audio is not None and (not tables.systems or tables.durations is not None):
            return f"{audio} gives the lengths of the clips of {system} in place of {lengths}"
        return None


def answered(
    calibration: Calibration,
    family: CandidateFamily | None,
    authors: Contract | None,
    request: SelectionRequest,
    *,
    on_stage: OnStage = silent,
) -> tuple[SelectionRecord, Selection]:
    """The selection and its record; what was found in the tables of events is among its diagnostics."""
    if request.preferences is not None:
        return _preferred(calibration, family, authors, request, request.preferences, on_stage)
    warnings: tuple[Diagnostic, ...] = ()
    if request.tables is not None:
        calibration, warnings = _with_own(calibration, request.tables)
    if request.robust:
        calibration = with_disturbances(calibration)
    seconds = request.seconds

    def select_for(cases: Calibration) -> Selection:
        return select_contract(
            cases,
            family,
            authors,
            requirements=request.required,
            seconds=seconds,
            every=request.every,
            on_stage=on_stage,
            engine=request.engine,
        )

    selection, exploits = guarded(calibration, select_for, on_stage)
    selection = _with_warnings(selection, warnings)
    on_stage("larger families")
    larger = larger_families(selection)
    left = leave_one_out(selection, seconds=seconds, on_stage=on_stage) if request.stability else None
    held = hold_out(selection, request.folds, seconds=seconds, on_stage=on_stage) if request.folds else None
    return selection_record(selection, larger, stability=left, holdout=held, exploits=exploits), selection


def _preferred(
    calibration: Calibration,
    family: CandidateFamily | None,
    authors: Contract | None,
    request: SelectionRequest,
    path: str,
    on_stage: OnStage,
) -> tuple[SelectionRecord, Selection]:
    warnings: tuple[Diagnostic, ...] = ()
    family = family or calibration.family
    if request.tables is None:
        judged = read_preferences(path, CaseNames(calibration.cases))
    else:
        outputs = read_systems(calibration, request.tables)
        names, warnings = ClipNames(outputs), outputs.warnings
        judged = read_preferences(path, names)
        calibration = with_cases(calibration, tuple(names.cases), Path(path).stem)
    # preferences contradict each other as a rule, and the least violation is NP-hard: without a limit a search
    # may not end
    seconds = SEARCH if request.seconds is None else request.seconds
    selection = select_by_preferences(
        calibration,
        judged,
        family,
        authors,
        folds=request.folds,
        seconds=seconds,
        on_stage=on_stage,
        engine=request.engine,
    )
    selection = _with_warnings(selection, warnings)
    return selection_record(selection), selection


def _with_warnings(selection: Selection, warnings: tuple[Diagnostic, ...]) -> Selection:
    return replace(selection, diagnostics=(*warnings, *selection.diagnostics))


def _with_own(calibration: Calibration, tables: Tables) -> tuple[Calibration, tuple[Diagnostic, ...]]:
    """The calibration set with the user's own references as disturbances."""
    diagnostics = Diagnostics()
    name = str(tables.ref) if isinstance(tables.ref, str | Path) else "ref"
    table = events_from(source_of(tables.ref), diagnostics, name=name)
    lengths = None if tables.durations is None else durations_from(tables.durations, diagnostics)
    diagnostics.raise_errors()
    table = within_clips(table, lengths, diagnostics)
    references = own_references(calibration, table, lengths)
    report_left_out(table, {clip.name: clip.events for clip in references.used}, diagnostics)
    return replace(calibration, own=references), tuple(diagnostics)


# A selection as a Python function with a result that prints well.


class SelectedContract(Presented, SelectionRecord, frozen=True):
    """A selected contract with its evidence; `contract.text` is the contract, if there is one."""

    def brief(self) -> str:
        """How many clauses it has, and whether fewer do."""
        return answer_words(self)

    def lines(self) -> list[str]:
        """What was found."""
        return [self.brief()]

    def verbatim(self) -> str:
        """The contract."""
        return "" if self.contract is None else self.contract.text.rstrip()

    def tables(self) -> list[Table]:
        """The values of the selected clauses on each case, worst first."""
        columns = [*words("case"), *numbers(*(["rank"] if self.ranked else []))]
        columns += numbers(*(clause.name for clause in self.selected.clauses))
        rows = []
        for case, values in self.value_rows:
            rank = ["–" if case.rank is None else str(case.rank)] if self.ranked else []
            rows.append([case.name, *rank, *map(str, values)])
        return [Table("", columns, rows)]

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """A row for each case, with exact values as text."""
        (table,) = self.tables()
        return [column.heading for column in table.columns], [*table.texts()]


def select(
    calibration: str | Path,
    *,
    clauses: Contract | str | Path | None = None,
    require: Sequence[SelectionRequirement | str] = DEFAULT_REQUIREMENTS,
    seconds: Fraction | None = None,
    robust: bool = False,
    stability: bool = False,
    holdout: int | None = None,
    preferences: str | Path | None = None,
    ref: Any = None,
    systems: Mapping[str, Any] | None = None,
    durations: Any = None,
    engine: Engine | str | None = None,
) -> SelectedContract:
    """Find the smallest contract that scores worse cases lower, with its weights (chapter 14 of the tools).

    Args:
        calibration: a calibration file, or the name of a shipped set such as `boundary_gate`.
        clauses: a contract whose clauses are tried as candidates too, before all others.
        require: what the contract must do: `separate` cases of different rank by some clause, `order` them by a
            weighted mean, `name` faults by a clause each.
        seconds: the time limit of each search; after it the best set found is returned with its gap.
        robust: require the same of disturbed copies of the cases.
        stability: leave out one case at a time, and say which clauses stay.
        holdout: the number of parts of the cases, or of the judgements, that are left out in turn; two or more.
        preferences: a table of which of two cases is worse, in place of ranks.
        ref: your own references, as `score` takes them: a disturbance of the cases, or what `systems` were judged on.
        systems: by name the predictions of the systems that `preferences` judge.
        durations: the lengths of the clips of `ref`.
        engine: where candidates are observed on the cases, as for `score_batches`; what is selected is the same.

    Returns:
        The selection with its evidence.

    Raises:
        InvalidInput: the calibration set, the contract or a table cannot be used, or a requirement is not known.

    Examples:
        >>> import tracepact
        >>> tracepact.select("boundary_gate").selected.optimal
        True
    """
    required = tuple(
        one_of(SelectionRequirement, one, "requirement") for one in several(require, "require", "requirements")
    )
    with_tables = any(one is not None for one in (ref, systems, durations))
    request = SelectionRequest(
        required,
        seconds,
        robust=robust,
        stability=stability,
        folds=holdout,
        preferences=None if preferences is None else str(preferences),
        tables=Tables(ref, durations, systems or {}) if with_tables else None,
        engine=None if engine is None else engine_from(engine),
    )
    # an option of the command as the keyword of the function
    if (conflict := request.conflict(lambda one: f"`{'systems' if one == 'system' else one}`")) is not None:
        raise InvalidInput([Diagnostic("wrong-form", conflict)])
    if holdout is not None and holdout < 2:
        raise InvalidInput([Diagnostic("out-of-range", f"`holdout` is {holdout}, not two or more parts")])
    authors = load_contract(clauses) if isinstance(clauses, str | Path) else clauses
    record, _ = answered(load_calibration(calibration, ranked=preferences is None), None, authors, request)
    return presented(SelectedContract, record)
