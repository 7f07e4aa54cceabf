"""A selected contract tried on disturbed copies of its cases and on the user's own references (14.22)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Annotated

from msgspec import Meta

from tracepact.data.events import Event, EventTable, Lengths
from tracepact.data.family import Grid
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import RowPlace
from tracepact.language.compilation import parse_contract
from tracepact.records import Count, Record
from tracepact.selection.basis import Coordinate, observe_family
from tracepact.selection.calibration import (
    NO_FAMILY,
    Calibration,
    CalibrationCase,
    CaseReference,
    Edit,
    NotApplicable,
    OwnReferences,
    apply,
)
from tracepact.selection.differences import differences_of
from tracepact.selection.draft import clips_with_most_events, refitted
from tracepact.selection.requirements import ComparedCoordinates, Naming, Pair, faults, pair_places, rank_pairs
from tracepact.selection.selection import Selection
from tracepact.selection.written import contract_text

# Whether a selection still does what it is to do when its cases are disturbed (14.22).

_OWN_CLIPS = 5
"""On so many clips of the user's references the cases are made anew."""


class RobustnessRecord(Record, frozen=True):
    """What the selected contract does on a disturbed copy of the cases (14.22)."""

    disturbance: str
    changed: Annotated[int, Meta(ge=0, description="How many cases the disturbance changes.")]
    pairs: Count
    separated: Count
    ordered: Count | None
    faults: Count
    named: Count


class OwnReferencesRecord(Record, frozen=True):
    """The user's references: on which clips the cases were made anew, which change no case, how many are not used."""

    used: tuple[str, ...]
    same: Annotated[tuple[str, ...], Meta(description="Clips that were left out because no case changes on them.")]
    unused: Annotated[int, Meta(ge=0, description="How many other clips with events there are.")]


def disturbances(calibration: Calibration) -> Iterator[tuple[str, tuple[CalibrationCase, ...]]]:
    """The disturbed copies: amounts halved and doubled, edges moved by one and two frames, the user's own reference."""
    for words, factor in (("amounts halved", Fraction(1, 2)), ("amounts doubled", Fraction(2))):
        yield words, tuple(_scaled(case, factor) for case in calibration.cases)
    for frames in (1, 2):
        words = f"edges moved by {frames} frame{'s' if frames > 1 else ''}"
        yield words, tuple(_moved(case, frames * calibration.step) for case in calibration.cases)
    for reference in calibration.own.used if calibration.own is not None else ():
        yield f"on your own reference, {reference.name}", on_reference(calibration, reference)


def own_references_record(references: OwnReferences) -> OwnReferencesRecord:
    """Which clips were used, by name, and how many were not."""
    unused = references.clips - len(references.used) - len(references.same)
    return OwnReferencesRecord(tuple(clip.name for clip in references.used), references.same, unused)


def own_references(calibration: Calibration, table: EventTable, lengths: Lengths) -> OwnReferences:
    """The clips of the user's references with the most events on which some case changes (14.22).

    InvalidInput if the references have no event.
    """
    used: list[CaseReference] = []
    same: list[str] = []
    clips: set[str] = set()
    for clip, events, duration in clips_with_most_events(table, lengths):
        if clip not in clips and len(used) < _OWN_CLIPS:
            reference = CaseReference(clip, duration, events)
            # a clip on which every edit fails would count as agreement that nobody tested
            changes = _changed(on_reference(calibration, reference), calibration.cases)
            used += [reference] if changes else []
            same += [] if changes else [clip]
        clips.add(clip)
    if not clips:
        diagnostics = Diagnostics()
        diagnostics.add("empty-calibration", "the references have no event to make faults of", RowPlace(table.name))
        raise InvalidInput(diagnostics)
    return OwnReferences(tuple(used), tuple(same), len(clips))


def on_reference(calibration: Calibration, reference: CaseReference) -> tuple[CalibrationCase, ...]:
    """The cases on another reference, each as it is if it has no edit, or if the edit applies to no event there."""
    grid = Grid(calibration.step, calibration.projection)
    return tuple(_on(case, reference, grid) for case in calibration.cases)


def _changed(cases: Sequence[CalibrationCase], before: Sequence[CalibrationCase]) -> int:
    """How many cases have another reference or prediction than before."""
    return sum((new.ref, new.pred) != (old.ref, old.pred) for new, old in zip(cases, before, strict=True))


def _on(case: CalibrationCase, reference: CaseReference, grid: Grid) -> CalibrationCase:
    """The case on another reference; as it is if it has no edit, or if the edit applies to no event there."""
    edit = None if case.edit is None else refitted(case.edit, reference.events, reference.duration, grid)
    if edit is None:
        return case
    pred = apply(edit, reference.events, reference.duration)
    return replace(
        case, ref=reference.events, duration=reference.duration, pred=pred, how=edit.words(), edit=edit, masks=()
    )


def with_disturbances(calibration: Calibration) -> Calibration:
    """The cases and their disturbed copies, each copy a group that is compared within itself."""
    copies = [
        replace(case, name=f"{case.name}, {words}", group=words)
        for words, cases in disturbances(calibration)
        for case in cases
    ]
    return replace(calibration, cases=(*calibration.cases, *copies))


def robustness(selection: Selection) -> tuple[RobustnessRecord, ...]:
    """How the selected contract does on each disturbed copy, as it is written."""
    calibration = selection.calibration
    pairs = rank_pairs(calibration.cases)  # no disturbance changes a rank
    if not selection.clauses or not pairs:
        return ()
    contract = parse_contract(contract_text(selection))
    weights = selection.ordering.weights if selection.ordering else None
    records = []
    for words, cases in disturbances(calibration):
        changed = _changed(cases, calibration.cases)
        again = observe_family(
            # the clauses as they are written, with the numbers they were given, not the candidates they
            # were chosen by
            replace(calibration, cases=cases),
            NO_FAMILY,
            contract,
            matcher=selection.matcher,
            dropped=True,
        )
        rows = again.observation.seen(range(len(selection.coordinates)))
        clauses = [replace(coordinate, seen=rows[k]) for k, coordinate in enumerate(selection.coordinates)]
        records.append(_counted(words, changed, cases, pairs, clauses, weights))
    return tuple(records)


def _counted(
    words: str,
    changed: int,
    cases: Sequence[CalibrationCase],
    pairs: Sequence[Pair],
    clauses: Sequence[Coordinate],
    weights: Sequence[int] | None,
) -> RobustnessRecord:
    naming = Naming.of(faults(cases))
    worse, better = pair_places(pairs)
    ordered = None
    if weights is not None:
        ordered = int((differences_of(clauses, pairs).least_by(tuple(enumerate(weights))) > 0).sum())
    return RobustnessRecord(
        words,
        changed,
        len(pairs),
        len(pairs) - len(ComparedCoordinates.of(clauses).unmet(worse, better)),
        ordered,
        len(naming.every),
        len({fault for clause in clauses for fault in naming.by(clause)}),
    )


def _scaled(case: CalibrationCase, factor: Fraction) -> CalibrationCase:
    """The case with its edit's amounts multiplied; as it is if it has none, or if the edit does not apply then."""
    edit = case.edit
    if edit is None:
        return case
    larger = replace(
        edit,
        by=edit.by * factor,
        gap=edit.gap * factor,
        length=edit.length * factor,
        factor=1 + (edit.factor - 1) * factor,
    )
    return _applied(case, larger)


def _applied(case: CalibrationCase, edit: Edit) -> CalibrationCase:
    try:
        return replace(case, pred=apply(edit, case.ref, case.duration), how=edit.words(), edit=edit)
    except NotApplicable:
        return case


def _moved(case: CalibrationCase, by: Fraction) -> CalibrationCase:
    """The case with the edges of its predicted events moved in turn later and earlier; what would touch stays."""
    moved = [
        replace(event, onset=event.onset + (by if k % 2 else -by), offset=event.offset + (-by if k % 3 else by))
        for k, event in enumerate(case.pred)
    ]
    kept: list[Event] = []
    for new, old in zip(moved, case.pred, strict=True):
        before = [event.offset for event in kept if event.label == old.label]
        later = [event.onset for event in case.pred if event.label == old.label and event.onset > old.onset]
        fits = 0 <= new.onset < new.offset <= case.duration
        # what would touch or leave the clip stays, for events that become one are another fault than a moved
        # edge
        free = all(new.onset > end for end in before) and all(new.offset < start - by for start in later)
        kept.append(new if fits and free else old)
    return replace(case, pred=tuple(kept))
