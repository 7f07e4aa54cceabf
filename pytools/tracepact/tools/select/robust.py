"""Whether a selection still does what it is to do when its cases are disturbed (14.22)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tracepact.calibration.calibration import Calibration, Case, OwnReferences, Reference
from tracepact.calibration.edits import Edit, NotApplicable, apply
from tracepact.calibration.family import NO_FAMILY
from tracepact.diagnostics import Diagnostics, InvalidInput, RowPlace
from tracepact.io.lint import Lengths
from tracepact.lang import parse_contract
from tracepact.tools.select.draft import clips_with_most_events, refitted
from tracepact.tools.select.observed import observe_family
from tracepact.tools.select.requirements import Compared, Naming
from tracepact.tools.select.retain import Coordinate
from tracepact.tools.select.select import Selection
from tracepact.tools.select.separate import Pair, faults, pair_places, rank_pairs
from tracepact.tools.select.weigh.differences import differences_of
from tracepact.tools.select.write import contract_text
from tracepact.trace import Event, EventTable, Grid

_OWN_CLIPS = 5
"""On so many clips of the user's references the cases are made anew."""


@dataclass(frozen=True, slots=True)
class Robustness:
    """What the selected clauses do on a disturbed copy of the cases; `ordered` is None without weights."""

    words: str
    changed: int
    pairs: int
    separated: int
    ordered: int | None
    faults: int
    named: int


def disturbances(calibration: Calibration) -> Iterator[tuple[str, tuple[Case, ...]]]:
    """The disturbed copies: amounts halved and doubled, edges moved by one and two frames, the user's own reference."""
    for words, factor in (("amounts halved", Fraction(1, 2)), ("amounts doubled", Fraction(2))):
        yield words, tuple(_scaled(case, factor) for case in calibration.cases)
    for frames in (1, 2):
        words = f"edges moved by {frames} frame{'s' if frames > 1 else ''}"
        yield words, tuple(_moved(case, frames * calibration.step) for case in calibration.cases)
    for own in calibration.own.used if calibration.own is not None else ():
        yield f"on your own reference, {own.name}", on_reference(calibration, own)


def own_references(calibration: Calibration, table: EventTable, lengths: Lengths) -> OwnReferences:
    """The clips of the user's references with the most events on which some case changes (14.22).

    InvalidInput if the references have no event.
    """
    used: list[Reference] = []
    same: list[str] = []
    clips: set[str] = set()
    for clip, events, duration in clips_with_most_events(table, lengths):
        if clip not in clips and len(used) < _OWN_CLIPS:
            own = Reference(clip, duration, events)
            changes = _changed(on_reference(calibration, own), calibration.cases)
            used += [own] if changes else []
            same += [] if changes else [clip]
        clips.add(clip)
    if not clips:
        diagnostics = Diagnostics()
        diagnostics.add("empty-calibration", "the references have no event to make faults of", RowPlace(table.name))
        raise InvalidInput(diagnostics)
    return OwnReferences(tuple(used), tuple(same), len(clips))


def on_reference(calibration: Calibration, own: Reference) -> tuple[Case, ...]:
    """The cases on another reference, each as it is if it has no edit, or if the edit applies to no event there."""
    grid = Grid(calibration.step, calibration.projection)
    return tuple(_on(case, own, grid) for case in calibration.cases)


def _changed(cases: Sequence[Case], before: Sequence[Case]) -> int:
    """How many cases have another reference or prediction than before."""
    return sum((new.ref, new.pred) != (old.ref, old.pred) for new, old in zip(cases, before, strict=True))


def _on(case: Case, own: Reference, grid: Grid) -> Case:
    """The case on another reference; as it is if it has no edit, or if the edit applies to no event there."""
    edit = None if case.edit is None else refitted(case.edit, own.events, own.duration, grid)
    if edit is None:
        return case
    pred = apply(edit, own.events, own.duration)
    return replace(case, ref=own.events, duration=own.duration, pred=pred, how=edit.words(), edit=edit, masks=())


def with_disturbances(calibration: Calibration) -> Calibration:
    """The cases and their disturbed copies, each copy a group that is compared within itself."""
    copies = [
        replace(case, name=f"{case.name}, {words}", group=words)
        for words, cases in disturbances(calibration)
        for case in cases
    ]
    return replace(calibration, cases=(*calibration.cases, *copies))


def robustness(selection: Selection) -> tuple[Robustness, ...]:
    """How the selected contract does on each disturbed copy, as it is written."""
    calibration = selection.calibration
    pairs = rank_pairs(calibration.cases)  # no disturbance changes a rank
    if not selection.clauses or not pairs:
        return ()
    contract = parse_contract(contract_text(selection))
    weights = selection.ordering.weights if selection.ordering else None
    found = []
    for words, cases in disturbances(calibration):
        changed = _changed(cases, calibration.cases)
        again = observe_family(
            replace(calibration, cases=cases), NO_FAMILY, contract, matcher=selection.matcher, dropped=True
        )
        rows = again.observation.seen(range(len(selection.coordinates)))
        clauses = [replace(coordinate, seen=rows[k]) for k, coordinate in enumerate(selection.coordinates)]
        found.append(_counted(words, changed, cases, pairs, clauses, weights))
    return tuple(found)


def _counted(
    words: str,
    changed: int,
    cases: Sequence[Case],
    pairs: Sequence[Pair],
    clauses: Sequence[Coordinate],
    weights: Sequence[int] | None,
) -> Robustness:
    naming = Naming.of(faults(cases))
    worse, better = pair_places(pairs)
    apart = differences_of(clauses, pairs, clauses[0].seen.classes.tolist())
    ordered = None
    if weights is not None:
        least = apart.ordered_by(tuple(enumerate(weights))).reshape(-1, len(pairs)).min(axis=0)
        ordered = int((least > 0).sum())
    return Robustness(
        words,
        changed,
        len(pairs),
        len(pairs) - len(Compared.of(clauses).unmet(worse, better)),
        ordered,
        len(naming.asked),
        len({fault for clause in clauses for fault in naming.by(clause)}),
    )


def _scaled(case: Case, factor: Fraction) -> Case:
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


def _applied(case: Case, edit: Edit) -> Case:
    try:
        return replace(case, pred=apply(edit, case.ref, case.duration), how=edit.words(), edit=edit)
    except NotApplicable:
        return case


def _moved(case: Case, by: Fraction) -> Case:
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
        free = all(new.onset > end for end in before) and all(new.offset < start - by for start in later)
        kept.append(new if fits and free else old)
    return replace(case, pred=tuple(kept))
