"""How far a selection depends on its cases: disturbed copies, own references, cases left out (14.22 to 14.24)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Annotated

from msgspec import Meta

from tracepact.data.events import Event, EventTable, Lengths
from tracepact.data.family import Grid
from tracepact.declarations import OnStage, silent
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.language.compilation import parse_contract
from tracepact.records import Count, Record
from tracepact.selection.basis import Coordinate, seen_of_clauses
from tracepact.selection.calibration import (
    Calibration,
    CalibrationCase,
    CaseReference,
    NotApplicable,
    OwnReferences,
    apply,
)
from tracepact.selection.draft import clips_with_most_events, refitted
from tracepact.selection.games import WholeWeights, differences_of
from tracepact.selection.judgements import ShareRecord
from tracepact.selection.requirements import (
    ComparedCoordinates,
    Naming,
    Pair,
    PairBlend,
    Required,
    Row,
    SelectionRequirement,
    fault_rows,
    faults,
    least_cover,
    pair_places,
    rank_pairs,
    required_of,
)
from tracepact.selection.selection import Selection, contract_text, order_clauses

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
        headline = "the references have no event to make faults of"
        raise InvalidInput([Diagnostic("empty-calibration", headline, RowPlace(table.name))])
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
    worse, better = pair_places(pairs)
    records = []
    for words, cases in disturbances(calibration):
        # the clauses as they are written, with the numbers they were given, not the candidates they were chosen by
        rows = seen_of_clauses(replace(calibration, cases=cases), contract, selection.matcher)
        clauses = [replace(coordinate, seen=rows[k]) for k, coordinate in enumerate(selection.coordinates)]
        naming = Naming.of(faults(cases))
        ordered = None
        if selection.ordering is not None:
            weights = tuple(enumerate(selection.ordering.weights))
            ordered = int((differences_of(clauses, pairs).least_by(weights) > 0).sum())
        records.append(
            RobustnessRecord(
                words,
                _changed(cases, calibration.cases),
                len(pairs),
                len(pairs) - len(ComparedCoordinates.of(clauses).unmet(worse, better)),
                ordered,
                len(naming.every),
                len({fault for clause in clauses for fault in naming.by(clause)}),
            )
        )
    return tuple(records)


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
    try:
        return replace(case, pred=apply(larger, case.ref, case.duration), how=larger.words(), edit=larger)
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
        # what would touch or leave the clip stays, for events that become one are another fault than a moved edge
        free = all(new.onset > end for end in before) and all(new.offset < start - by for start in later)
        kept.append(new if fits and free else old)
    return replace(case, pred=tuple(kept))


# How far a selection depends on single cases, and what it does for cases it has not seen (14.23, 14.24).


class StabilityRecord(Record, frozen=True):
    """A case, and the selected clauses that are not selected without it (14.23)."""

    case: str
    gone: tuple[str, ...]


class HoldoutRecord(Record, frozen=True):
    """Pairs with a case that the selection had not seen: how many it separates and orders (14.24)."""

    folds: Annotated[int, Meta(ge=2)]
    separated: ShareRecord
    ordered: Annotated[ShareRecord | None, Meta(description="Null where no order, and so no weights, were asked for.")]


@dataclass(slots=True)
class _Folds:
    """Selections for some of the cases at a time, from the same basis; what one learns the next ones use.

    Blends say what follows from the order of their pairs, so they hold wherever these pairs are ordered.
    """

    selection: Selection
    seconds: Fraction | None
    blends: list[PairBlend] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._learn(self.selection.retained.required.rows, range(len(self.selection.calibration.cases)))

    def without(self, left_out: Callable[[int], bool]) -> WholeWeights | None:
        """The coordinates selected without some of the cases, and their weights; None if the others have one rank.

        What is equal on fewer cases is told apart by cost and order, as it is among candidates (14.10, 14.14).
        """
        selection = self.selection
        kept = [k for k in range(len(selection.calibration.cases)) if not left_out(k)]
        if not rank_pairs([selection.calibration.cases[k] for k in kept]):
            return None
        # the basis is not made anew: what is equal on all cases is equal on some of them
        coordinates = [
            replace(coordinate, seen=coordinate.seen.on(kept)) for coordinate in selection.retained.basis.coordinates
        ]
        required = self._required(coordinates, kept)
        if SelectionRequirement.ORDER in selection.requirements:
            # weights that order all pairs order those of fewer cases: each of these selections begins with an answer
            known, place = self._known(kept), {case: k for k, case in enumerate(kept)}
            ordered = order_clauses(
                coordinates,
                [row for row in required.rows if row.coordinates],
                required.met_pairs,
                seconds=self.seconds,
                proved=False,
                many=not required.whole,
                known=known,
                blends=[moved for blend in self.blends if known and (moved := _with_places(blend, place)) is not None],
            )
            if ordered is not None:
                ordering, cover = ordered
                if known:
                    self._learn(ordering.rows, kept)
                return tuple(zip(cover.columns, ordering.weights, strict=True))
        _, cover = least_cover(coordinates, required, seconds=self.seconds, opinion=Fraction(0))
        return tuple((column, 1) for column in cover.columns)

    def _learn(self, rows: Iterable[Row], kept: Sequence[int]) -> None:
        """Keep the blends of some of the cases, with their places among all; only cases of one class have no others."""
        if self.selection.retained.observed.observation.classes.max() > 1:
            return
        place = dict(enumerate(kept))
        moved = [_with_places(row.of, place) for row in rows if isinstance(row.of, PairBlend)]
        self.blends += [blend for blend in moved if blend is not None and blend not in self.blends]

    def _required(self, coordinates: Sequence[Coordinate], kept: Sequence[int]) -> Required:
        """What is required of some of the cases; a pair is met by what met it among all cases."""
        required, cases = self.selection.retained.required, [self.selection.calibration.cases[k] for k in kept]
        if not required.whole:
            return required_of(cases, coordinates, self.selection.requirements)
        place = {case: k for k, case in enumerate(kept)}
        rows = [
            Row(Pair(place[row.of.worse], place[row.of.better]), row.coordinates)
            for row in required.rows
            if isinstance(row.of, Pair) and row.of.worse in place and row.of.better in place
        ]
        pairs = tuple(row.of for row in rows if isinstance(row.of, Pair))
        if SelectionRequirement.NAME in self.selection.requirements:
            rows += fault_rows(coordinates, faults(cases))
        return Required(pairs, tuple(rows))

    def _known(self, kept: Sequence[int]) -> WholeWeights:
        """The weights of the selection, if they order all pairs, by the differences that some of the cases have too."""
        ordering, classes = self.selection.ordering, self.selection.retained.observed.observation.classes
        if ordering is None or ordering.given_up or ordering.margin <= 0 or classes[list(kept)].max() < classes.max():
            return ()
        weights = zip(self.selection.cover.columns, ordering.weights, strict=True)
        return tuple((column, weight) for column, weight in weights if weight)


def leave_one_out(
    selection: Selection, *, seconds: Fraction | None = None, on_stage: OnStage = silent
) -> tuple[StabilityRecord, ...]:
    """For every case which clauses go when it is left out; what is played against all selections always stays."""
    places, stability, folds = _places_of_the_set(selection), [], _Folds(selection, seconds)
    clauses = list(zip(selection.cover.columns, selection.clauses, strict=True))
    for number, place in enumerate(places):
        on_stage(f"without case {number + 1} of {len(places)}")
        again = folds.without(place.__eq__)
        gone = () if again is None else tuple(one.name for column, one in clauses if column not in dict(again))
        stability.append(StabilityRecord(selection.calibration.cases[place].name, gone))
    return tuple(stability)


def hold_out(
    selection: Selection, number: int, *, seconds: Fraction | None = None, on_stage: OnStage = silent
) -> HoldoutRecord:
    """Select without every fold of the cases in turn, and count on the pairs that have a case of it.

    There are at most as many folds as cases. What is played against every selection is in no fold.
    """
    pairs = separated = ordered = 0
    places = _places_of_the_set(selection)
    number = min(number, len(places))
    every, folds = rank_pairs(selection.calibration.cases), _Folds(selection, seconds)
    for fold in range(number):
        on_stage(f"fold {fold + 1} of {number}")
        unseen = {*places[fold::number]}
        again = folds.without(unseen.__contains__)
        # a pair is unseen as soon as one of its cases is: the selection knows nothing of that one
        held = [p for p in every if p.worse in unseen or p.better in unseen]
        pairs += len(held)
        if not again or not held:
            continue
        chosen = [selection.retained.basis.coordinates[column] for column, _ in again]
        separated += len(held) - len(ComparedCoordinates.of(chosen).unmet(*pair_places(held)))
        ordered += int((differences_of(chosen, held).least_by(list(enumerate(dict(again).values()))) > 0).sum())
    weighed = SelectionRequirement.ORDER in selection.requirements
    kept = ShareRecord.counted(ordered, pairs) if weighed else None
    return HoldoutRecord(number, ShareRecord.counted(separated, pairs), kept)


def _places_of_the_set(selection: Selection) -> list[int]:
    """Where the cases of the calibration set are, without the useless systems that were added to them (14.37)."""
    return [place for place, case in enumerate(selection.calibration.cases) if not case.below]


def _with_places(blend: PairBlend, place: dict[int, int]) -> PairBlend | None:
    """A blend with other places of its cases, if they all have some."""
    if any(case not in place for pair, _ in blend.weights for case in (pair.worse, pair.better)):
        return None
    return PairBlend(tuple((Pair(place[pair.worse], place[pair.better]), weight) for pair, weight in blend.weights))
