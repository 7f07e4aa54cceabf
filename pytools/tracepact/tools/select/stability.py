"""What a selection owes to single cases, and what it does for cases it has not seen (14.23, 14.24)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt

from tracepact.progress import OnStage, silent
from tracepact.tools.select.requirements import Required, fault_rows, required_of
from tracepact.tools.select.retain import Coordinate
from tracepact.tools.select.select import Retained, Selection
from tracepact.tools.select.separate import Pair, PairBlend, Requirement, Row, difference, faults, rank_pairs
from tracepact.tools.select.separating import least_cover
from tracepact.tools.select.weigh.ordered import order_clauses

_NORMAL = 1.959964
"""The two-sided 95 % point of the normal distribution."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A case, and the places of the selected coordinates that are no longer selected without it."""

    case: int
    gone: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many, with Wilson's interval at 95 %."""

    count: int
    of: int

    @property
    def interval(self) -> tuple[float, float]:
        """As if all were drawn independently of each other."""
        if not self.of:
            return 0.0, 1.0
        share, z = self.count / self.of, _NORMAL
        middle = share + z * z / (2 * self.of)
        half = z * sqrt(share * (1 - share) / self.of + z * z / (4 * self.of * self.of))
        scale = 1 + z * z / self.of
        low, high = (middle - half) / scale, (middle + half) / scale
        return max(0.0, min(low, share)), min(1.0, max(high, share))


@dataclass(frozen=True, slots=True)
class Holdout:
    """Of the pairs with a case that the selection had not seen, how many its clauses separate and its weights order."""

    folds: int
    separated: Share
    ordered: Share


@dataclass(frozen=True, slots=True)
class _Again:
    """Coordinates selected for some of the cases, and their weights."""

    columns: tuple[int, ...]
    weights: tuple[int, ...]


def leave_one_out(
    selection: Selection, *, seconds: Fraction | None = None, on_stage: OnStage = silent
) -> tuple[LeftOut, ...]:
    """For every case which clauses go when it is left out."""
    number, found = len(selection.calibration.cases), []
    for case in range(number):
        on_stage(f"without case {case + 1} of {number}")
        again = _again(selection, [k for k in range(number) if k != case], seconds)
        gone = () if again is None else tuple(c for c in selection.cover.columns if c not in again.columns)
        found.append(LeftOut(case, gone))
    return tuple(found)


def hold_out(
    selection: Selection, folds: int, *, seconds: Fraction | None = None, on_stage: OnStage = silent
) -> Holdout:
    """Select without every fold of the cases in turn, and count on the pairs that have a case of it."""
    cases = selection.calibration.cases
    pairs = separated = ordered = 0
    for fold in range(folds):
        on_stage(f"fold {fold + 1} of {folds}")
        again = _again(selection, [k for k in range(len(cases)) if k % folds != fold], seconds)
        held = [p for p in rank_pairs(cases) if p.worse % folds == fold or p.better % folds == fold]
        pairs += len(held)
        if again is None:
            continue
        chosen = [selection.retained.basis.coordinates[column] for column in again.columns]
        for pair in held:
            apart = [difference(coordinate, pair) for coordinate in chosen]
            separated += any(d > 0 for d in apart)
            ordered += sum((d * w for d, w in zip(apart, again.weights, strict=True)), Fraction(0)) > 0
    return Holdout(folds, Share(separated, pairs), Share(ordered, pairs))


def _again(selection: Selection, kept: Sequence[int], seconds: Fraction | None) -> _Again | None:
    """The selection for some of the cases, from the same basis; None if they have one rank.

    What is equal on fewer cases is told apart by cost and order, as it is among candidates (14.10, 14.14).
    """
    retained = selection.retained
    cases = [selection.calibration.cases[k] for k in kept]
    if not rank_pairs(cases):
        return None
    coordinates = [_restricted(coordinate, kept) for coordinate in retained.basis.coordinates]
    required = _required(selection, coordinates, kept)
    if Requirement.ORDER in selection.requirements:
        rows, known = [row for row in required.rows if row.coordinates], _known(selection, kept)
        ordered = order_clauses(
            coordinates,
            rows if known is None else [*rows, *_blends(selection, kept)],
            required.met_pairs,
            _classes(retained, kept),
            seconds=seconds,
            proved=False,
            many=not required.whole,
            known=known or (),
        )
        if ordered is not None:
            ordering, cover = ordered
            return _Again(cover.columns, ordering.weights)
    _, cover = least_cover(coordinates, required, seconds=seconds, second_opinion=Fraction(0))
    return _Again(cover.columns, (1,) * len(cover.columns))


def _required(selection: Selection, coordinates: Sequence[Coordinate], kept: Sequence[int]) -> Required:
    """What is required of some of the cases; a pair is met by what met it among all cases."""
    required, cases = selection.retained.required, [selection.calibration.cases[k] for k in kept]
    if not required.whole:
        return required_of(cases, coordinates, selection.requirements)
    place = {case: k for k, case in enumerate(kept)}
    rows = [Row(pair, row.coordinates) for row in required.rows if (pair := _moved(row.of, place)) is not None]
    if Requirement.NAME in selection.requirements:
        rows += fault_rows(coordinates, faults(cases))
    return Required(tuple(row.of for row in rows if isinstance(row.of, Pair)), tuple(rows))


def _moved(of: object, place: dict[int, int]) -> Pair | None:
    """A pair among some of the cases, if both its cases are there."""
    if not isinstance(of, Pair) or of.worse not in place or of.better not in place:
        return None
    return Pair(place[of.worse], place[of.better])


def _known(selection: Selection, kept: Sequence[int]) -> tuple[tuple[int, int], ...] | None:
    """The weights of the selection, if they order all pairs of all cases, and of some cases by the same differences."""
    ordering, classes = selection.ordering, selection.retained.observed.observation.classes
    if ordering is None or ordering.given_up or ordering.margin <= 0 or classes[list(kept)].max() < classes.max():
        return None
    weights = zip(selection.cover.columns, ordering.weights, strict=True)
    return tuple((column, weight) for column, weight in weights if weight)


def _blends(selection: Selection, kept: Sequence[int]) -> list[Row]:
    """What follows from the order of pairs that are all among some of the cases."""
    place, found = {case: k for k, case in enumerate(kept)}, []
    for row in selection.retained.rows:
        if isinstance(row.of, PairBlend):
            moved = [(pair, weight) for own, weight in row.of.weights if (pair := _moved(own, place)) is not None]
            if len(moved) == len(row.of.weights):
                found.append(Row(PairBlend(tuple(moved)), row.coordinates))
    return found


def _classes(retained: Retained, kept: Sequence[int]) -> list[int]:
    classes = retained.observed.observation.classes.tolist()
    return [classes[k] for k in kept]


def _restricted(coordinate: Coordinate, kept: Sequence[int]) -> Coordinate:
    return replace(coordinate, seen=coordinate.seen.on(kept))
