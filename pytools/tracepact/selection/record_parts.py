"""Makes the record of a selection, or of the basis alone, and of what changed between selections."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tracepact.data.family import Side
from tracepact.diagnostics.records import diagnostic_record
from tracepact.language.compilation import parse_contract
from tracepact.language.explanation import explain_contract
from tracepact.logic.contract_findings import check_contract
from tracepact.records import Count, Record
from tracepact.selection import record as r
from tracepact.selection.basis import Coordinate
from tracepact.selection.candidates import clause_name, describe
from tracepact.selection.exploits import ExploitsRecord
from tracepact.selection.record import LargerFamily
from tracepact.selection.requirements import (
    CasePair,
    ComparedCoordinates,
    FaultCases,
    Naming,
    Pair,
    PairBlend,
    Row,
    faults,
    pair_places,
    rank_pairs,
)
from tracepact.selection.robustness import HoldoutRecord, OwnReferencesRecord, StabilityRecord, robustness
from tracepact.selection.selection import HARM, Retained, Selection, contract_text
from tracepact.selection.trials import SHORT, Trials
from tracepact.selection.values import Screening

R = TypeVar("R", bound=Record)
MEMBERS_SHOWN = 20
VALUES_LISTED = 100_000
"""Of a basis with more values than this a record lists the coordinates of the selected clauses alone (14.34)."""
GIVEN_UP_LISTED = 1000
"""Of more pairs that were given up the first are listed."""


def selection_record(
    selection: Selection,
    larger: tuple[LargerFamily, ...] = (),
    *,
    stability: tuple[StabilityRecord, ...] | None = None,
    holdout: HoldoutRecord | None = None,
    exploits: ExploitsRecord | None = None,
) -> r.SelectionRecord:
    """Everything a selection says; `larger` families were tried on what it does not meet."""
    listed, references, clips = _listed(selection), None, selection.calibration.own
    if clips is not None:
        unused = clips.clips - len(clips.used) - len(clips.same)
        references = OwnReferencesRecord(tuple(clip.name for clip in clips.used), clips.same, unused)
    basis = basis_record(selection.retained, listed, judged=selection.judged is not None)
    return _like(
        r.SelectionRecord,
        basis,
        requirements=selection.requirements,
        matchers=tuple(
            _like(r.MatcherOutcome, matcher, count=count, cost=cost, chosen=matcher == selection.matcher)
            for matcher, count, cost in selection.by_matcher
        ),
        selected=_selected(selection, listed),
        beyond=larger,
        optima=_optima(selection),
        contract=_contract(selection),
        diagnostics=tuple(map(diagnostic_record, selection.diagnostics)),
        changes=None,
        robustness=() if selection.judged else robustness(selection),
        own_references=references,
        stability=stability,
        holdout=holdout,
        preferences=selection.judged,
        exploits=exploits,
    )


def _listed(selection: Selection) -> Sequence[int]:
    """The coordinates that a record lists: all of them, unless their values would be too many."""
    number = len(selection.retained.basis.coordinates)
    if number * len(selection.calibration.cases) <= VALUES_LISTED:
        return range(number)
    return selection.cover.columns


def basis_record(retained: Retained, listed: Sequence[int] | None = None, *, judged: bool = False) -> r.BasisRecord:
    """The cases, the candidates and the basis, before anything is selected; all its coordinates or those to list.

    Where cases were `judged`, ranks are not used: the pairs are those that are kept.
    """
    observed = retained.observed
    places = range(len(retained.basis.coordinates)) if listed is None else listed
    calibration, family = observed.calibration, observed.candidates.family
    pairs, named = rank_pairs(calibration.cases), faults(calibration.cases)
    if judged:
        pairs, named = list(retained.required.pairs), []
    told = _CoordinateNotes(pairs, Naming.of(named), None if judged else [case.rank for case in calibration.cases])
    return r.BasisRecord(
        calibration=_like(r.CalibrationRecord, calibration, file=calibration.source.name),
        cases=tuple(_cases(retained, judged=judged)),
        family=_like(
            r.CandidateFamilyRecord, family, matchers=tuple(_like(r.SelectionMatcher, one) for one in family.matchers)
        ),
        candidates=_candidates(retained),
        coordinates=tuple(_coordinate(retained, place, told) for place in places),
        unmet=tuple(_unmet(retained)),
    )


def _like(kind: type[R], source: object, **others: Any) -> R:
    """A record with the attributes of an object that are called as its fields, and others."""
    return kind(**{name: getattr(source, name) for name in kind.__struct_fields__ if name not in others}, **others)


def _cases(retained: Retained, *, judged: bool) -> Iterator[r.CaseRecord]:
    trials, step = retained.observed.trials, retained.observed.calibration.step
    for place, case in enumerate(retained.observed.calibration.cases):
        yield _like(
            r.CaseRecord,
            case,
            rank=None if judged or case.below else case.rank,
            rounded=case.rounded(step),
            frames=trials.family.frames[place],
            traces=tuple(_traces(trials, place)),
        )


def _traces(trials: Trials, clip: int) -> Iterator[r.ClassTrace]:
    """The runs of both sides of a clip, class by class, in frames."""
    family = trials.family
    for label, name in enumerate(family.classes):
        segment = family.segment(label, clip)
        ref, pred = (tuple(family.runs[side].get(segment, ())) for side in (Side.REF, Side.PRED))
        if ref or pred or len(family.classes) == 1:
            yield r.ClassTrace(name, ref, pred)


def _candidates(retained: Retained) -> r.CandidateCounts:
    candidates, basis = retained.observed.candidates, retained.basis
    return r.CandidateCounts(
        total=len(candidates),
        author=candidates.first_frame,
        frame=candidates.first_event - candidates.first_frame,
        event=len(candidates.predicates),
        refined=len(candidates.refined),
        dropped=r.DroppedCounts(basis.by_reference, basis.by_short_trace, len(basis.refuted)),
        undecided=tuple(describe(candidates, index) for index in basis.undecided),
        constant=sum(len(members) for members in basis.constants.values()),
        classes=len(basis.coordinates),
        only_tested=basis.only_tested,
        proofs=dict(sorted(basis.proofs.items())),
        short_traces=r.ShortTraces(SHORT, retained.observed.trials.short_traces),
    )


class _CoordinateNotes:
    """Says of coordinates which pairs they separate, of which ranks if there are any, and which faults they name."""

    def __init__(self, pairs: Sequence[Pair], naming: Naming, ranks: Sequence[Fraction] | None) -> None:
        self.worse, self.better = pair_places(pairs)
        self.naming = naming
        self._ranks = [] if ranks is None else sorted(set(ranks))
        self._levels = None if ranks is None else np.array([self._ranks.index(rank) for rank in ranks])

    def separated(self, coordinate: Coordinate) -> tuple[int, tuple[tuple[Fraction, Fraction], ...]]:
        """How many pairs a coordinate separates, and of which ranks they are, the highest first."""
        # a coordinate at a time, so that no table of all pairs times all coordinates is ever held
        blocks = ComparedCoordinates.of([coordinate]).blocks(self.worse, self.better)
        places = np.flatnonzero(np.concatenate([np.zeros(0, dtype=np.bool_), *(flags[:, 0] for flags in blocks)]))
        if self._levels is None:
            return len(places), ()
        levels = np.stack([self._levels[self.worse[places]], self._levels[self.better[places]]], axis=1)
        ranks = np.unique(levels, axis=0)[::-1].tolist()
        return len(places), tuple((self._ranks[worse], self._ranks[better]) for worse, better in ranks)


def _coordinate(retained: Retained, place: int, told: _CoordinateNotes) -> r.CoordinateRecord:
    """A coordinate, and which of the pairs it separates and of the faults it names."""
    observed, coordinate = retained.observed, retained.basis.coordinates[place]
    candidates = observed.candidates
    number, ranks = told.separated(coordinate)
    shown = tuple(describe(candidates, index) for index in coordinate.members[:MEMBERS_SHOWN])
    return _like(
        r.CoordinateRecord,
        coordinate,
        name=clause_name(candidates[coordinate.candidate], candidates.step, coordinate.candidate),
        text=describe(candidates, coordinate.candidate),
        proof=coordinate.proof.by,
        vacuous=tuple(share == 1 for share in coordinate.vacuous),
        separates=number,
        ranks=ranks,
        alone=tuple(_requirement(retained, row) for row in retained.required.rows if row.coordinates == 1 << place),
        names=tuple(fault.name for fault in told.naming.by(coordinate)),
        members=r.Members(len(coordinate.members), shown),
    )


def _parts(retained: Retained, row: Row) -> tuple[str | None, str | None, str | None, tuple[r.BlendedPair, ...]]:
    """The worse case, the better case, the fault and the blend of a requirement, where it has them."""
    cases = retained.observed.calibration.cases
    match row.of:
        case Pair():
            return *row.of.names(cases), None, ()
        case FaultCases(name):
            return None, None, name, ()
        case PairBlend(weights):
            pairs = (r.BlendedPair(*pair.names(cases), weight) for pair, weight in weights)
            return None, None, None, tuple(pairs)


def _requirement(retained: Retained, row: Row) -> r.RequirementRecord:
    return r.RequirementRecord(*_parts(retained, row))


def _unmet(retained: Retained) -> Iterator[r.UnmetRequirement]:
    """The requirements that no coordinate meets, and why: equal traces on the grid, or one with nothing to judge."""
    coordinates = retained.basis.coordinates
    compared = ComparedCoordinates.of(coordinates) if coordinates and retained.unmet else None
    for row in retained.unmet:
        identical = isinstance(row.of, Pair) and retained.observed.trials.alike(row.of.worse, row.of.better)
        unjudged = compared is not None and not isinstance(row.of, PairBlend) and compared.smaller(row.of.pairs)
        yield r.UnmetRequirement(*_parts(retained, row), identical, unjudged)


def _order(selection: Selection) -> r.OrderRecord:
    """How far the order of harm is kept.

    Separation asks for one clause that is lower; others may be higher, and the mean may be as well (14.12).
    """
    values = [coordinate.values for coordinate in selection.coordinates]
    cases = selection.calibration.cases
    pairs = rank_pairs(cases)
    worse, better = pair_places(pairs)
    sums = _levels([sum(column, Fraction(0)) for column in zip(*values, strict=True)] or [Fraction(0)] * len(cases))
    higher = np.zeros(len(pairs), dtype=np.bool_)
    # ranks in place of fractions: many pairs are compared by whole numbers
    for levels in map(_levels, values):
        higher |= levels[worse] > levels[better]
    return r.OrderRecord(
        pairs=len(pairs),
        reversed_by_some=int(higher.sum()),
        mean_reversed=int((sums[worse] > sums[better]).sum()),
        mean_tied=int((sums[worse] == sums[better]).sum()),
    )


def _levels(values: Sequence[Fraction]) -> NDArray[np.intp]:
    """Whole numbers in the order of the values, equal where they are."""
    level = {value: place for place, value in enumerate(sorted(set(values)))}
    return np.array([level[value] for value in values], dtype=np.intp)


def _ordering(selection: Selection) -> r.OrderingRecord | None:
    ordering, cases = selection.ordering, selection.calibration.cases
    if ordering is None:
        return None
    values = [coordinate.values for coordinate in selection.coordinates]
    weighed = [[value * weight for value in row] for row, weight in zip(values, ordering.weights, strict=True)]

    def named(pair: Pair) -> CasePair:
        return CasePair(*pair.names(cases))

    return r.OrderingRecord(
        profile=HARM,
        weights=tuple(
            r.ClauseWeight(clause.name, weight)
            for clause, weight in zip(selection.clauses, ordering.weights, strict=True)
        ),
        values=tuple(sum(column, Fraction(0)) / sum(ordering.weights) for column in zip(*weighed, strict=True)),
        pairs=len(ordering.differences.pairs),
        given_up=r.GivenUpRecord(
            len(ordering.given_up), ordering.bound, tuple(map(named, ordering.given_up[:GIVEN_UP_LISTED]))
        ),
        margin=ordering.margin,
        largest_margin=ordering.weighed.margin,
        margin_bound=ordering.weighed.margin_bound,
        conflicts=tuple(
            r.ConflictRecord(tuple(map(named, conflict.pairs)), named(conflict.left_out))
            for conflict in ordering.conflicts
        ),
    )


def _selected(selection: Selection, listed: Sequence[int]) -> r.SelectedRecord:
    cover, retained = selection.cover, selection.retained
    met = retained.met
    written = parse_contract(contract_text(selection)) if cover.columns else None
    said = [row.words for row in explain_contract(written).clauses] if written else []
    return _like(
        r.SelectedRecord,
        cover,
        clauses=tuple(
            r.SelectedClause(
                clause.name,
                listed.index(column),
                tuple(_requirement(retained, row) for row in only),
                clause.text,
                words,
                clause.ranges,
            )
            for column, clause, words, only in zip(
                cover.columns, selection.clauses, said, selection.needed_for, strict=True
            )
        ),
        count=len(cover.columns),
        order=_order(selection),
        ordering=_ordering(selection),
        evidence=cover.evidence.value,
        independent=tuple(_requirement(retained, met[row]) for row in cover.independent_rows),
        weights=tuple(r.WeightedRequirement(*_parts(retained, met[row]), weight) for row, weight in cover.row_weights),
        required=retained.required.number,
        met=selection.met,
    )


def _optima(selection: Selection) -> r.OptimaRecord | None:
    if selection.optima is None:
        return None
    candidates, basis = selection.retained.observed.candidates, selection.retained.basis.coordinates
    written = {column: clause.name for column, clause in zip(selection.cover.columns, selection.clauses, strict=True)}

    def name(column: int) -> str:
        index = basis[column].candidate
        return written.get(column) or clause_name(candidates[index], candidates.step, index)

    return r.OptimaRecord(selection.optima.complete, tuple(tuple(map(name, columns)) for columns in selection.optima))


def _contract(selection: Selection) -> r.WrittenContract | None:
    """The contract and what `check` says of it; None if nothing was selected."""
    if not selection.cover.columns:
        return None
    text = contract_text(selection)
    contract = parse_contract(text, name=f"{selection.calibration.name}.contract")
    findings = [*contract.warnings, *check_contract(contract)]
    return r.WrittenContract(text, contract.digest, tuple(map(diagnostic_record, findings)))


def changes_between(before: r.SelectionRecord, after: r.SelectionRecord) -> r.SelectionChanges:
    """The changes that a case left out, or another rank, makes."""
    old, new = ([coordinate.text for coordinate in record.chosen] for record in (before, after))
    ranks, now = ({case.name: case.rank for case in record.cases} for record in (before, after))
    return r.SelectionChanges(
        without=tuple(name for name in ranks if name not in now),
        ranks=tuple(
            r.RankChange(name, old_rank, rank)
            for name, rank in now.items()
            if rank is not None and (old_rank := ranks[name]) is not None and old_rank != rank
        ),
        gone=tuple(text for text in old if text not in new),
        new=tuple(text for text in new if text not in old),
        count=(len(old), len(new)),
        cost=(before.selected.cost, after.selected.cost),
        unmet=(len(before.unmet), len(after.unmet)),
    )


_SCREENINGS = {
    Screening.FAILED_ON_REFERENCE: "dropped: reference",
    Screening.FAILED_ON_SHORT_TRACE: "dropped: short trace",
}


class MemberRecord(Record, frozen=True):
    """A candidate: its number, text and cost, and the coordinate or constant it maps to, or why it is out."""

    candidate: Count
    text: str
    cost: Count
    goes_to: str


MEMBER_COLUMNS = MemberRecord.__struct_fields__


def member_records(retained: Retained) -> Iterator[MemberRecord]:
    """Every candidate in order."""
    observed, basis = retained.observed, retained.basis
    # by index, once: asking every coordinate for every candidate would be quadratic
    goes: dict[int, str] = {}
    for place, coordinate in enumerate(basis.coordinates):
        goes |= dict.fromkeys(coordinate.members, f"coordinate {place}")
    for value, members in basis.constants.items():
        goes |= dict.fromkeys(members, f"constant {value}")
    goes |= dict.fromkeys(basis.refuted, "dropped: solver")
    goes |= dict.fromkeys(basis.undecided, "undecided")
    costs, tests = observed.candidates.costs, observed.observation.screening
    for index in range(len(observed.candidates)):
        where = goes.get(index) or _SCREENINGS.get(Screening(int(tests[index])), "a class without a proved member")
        yield MemberRecord(index, describe(observed.candidates, index), costs[index], where)
