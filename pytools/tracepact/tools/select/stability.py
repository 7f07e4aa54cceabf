"""What a selection owes to single cases, and what it does for cases it has not seen (14.23, 14.24)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import sqrt

from tracepact.progress import OnStage, silent
from tracepact.tools.select.requirements import Compared, Required, fault_rows, required_of
from tracepact.tools.select.retain import Coordinate
from tracepact.tools.select.select import Selection
from tracepact.tools.select.separate import Pair, PairBlend, Requirement, Row, faults, pair_places, rank_pairs
from tracepact.tools.select.separating import least_cover
from tracepact.tools.select.weigh.differences import differences_of
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
    """Of the pairs with a case that the selection had not seen, how many its clauses separate and its weights order.

    Without an order there are no weights, and `ordered` is None.
    """

    folds: int
    separated: Share
    ordered: Share | None


@dataclass(frozen=True, slots=True)
class _Again:
    """Coordinates selected for some of the cases, and their weights."""

    columns: tuple[int, ...]
    weights: tuple[int, ...]


@dataclass(slots=True)
class _Folds:
    """Selections for some of the cases at a time, from the same basis; what one learns the next ones use.

    Blends say what follows from the order of their pairs, so they hold wherever these pairs are ordered.
    """

    selection: Selection
    seconds: Fraction | None
    blends: list[PairBlend] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._learn(self.selection.retained.rows, range(len(self.selection.calibration.cases)))

    def without(self, left_out: Callable[[int], bool]) -> _Again | None:
        """The selection without some of the cases; None if the others have one rank.

        What is equal on fewer cases is told apart by cost and order, as it is among candidates (14.10, 14.14).
        """
        selection = self.selection
        kept = [k for k in range(len(selection.calibration.cases)) if not left_out(k)]
        if not rank_pairs([selection.calibration.cases[k] for k in kept]):
            return None
        coordinates = [_restricted(coordinate, kept) for coordinate in selection.retained.basis.coordinates]
        required = self._required(coordinates, kept)
        if Requirement.ORDER in selection.requirements:
            known, place = self._known(kept), {case: k for k, case in enumerate(kept)}
            ordered = order_clauses(
                coordinates,
                [row for row in required.rows if row.coordinates],
                required.met_pairs,
                selection.retained.observed.observation.classes[kept].tolist(),
                seconds=self.seconds,
                proved=False,
                many=not required.whole,
                known=known,
                blends=[moved for blend in self.blends if known and (moved := _moved(blend, place)) is not None],
            )
            if ordered is not None:
                ordering, cover = ordered
                if known:
                    self._learn(ordering.rows, kept)
                return _Again(cover.columns, ordering.weights)
        _, cover = least_cover(coordinates, required, seconds=self.seconds, second_opinion=Fraction(0))
        return _Again(cover.columns, (1,) * len(cover.columns))

    def _learn(self, rows: Iterable[Row], kept: Sequence[int]) -> None:
        """Keep the blends of some of the cases, with their places among all; only cases of one class have no others."""
        if self.selection.retained.observed.observation.classes.max() > 1:
            return
        place = dict(enumerate(kept))
        found = [_moved(row.of, place) for row in rows if isinstance(row.of, PairBlend)]
        self.blends += [blend for blend in found if blend is not None and blend not in self.blends]

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
        if Requirement.NAME in self.selection.requirements:
            rows += fault_rows(coordinates, faults(cases))
        return Required(pairs, tuple(rows))

    def _known(self, kept: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """The weights of the selection, if they order all pairs, by the differences that some of the cases have too."""
        ordering, classes = self.selection.ordering, self.selection.retained.observed.observation.classes
        if ordering is None or ordering.given_up or ordering.margin <= 0 or classes[list(kept)].max() < classes.max():
            return ()
        weights = zip(self.selection.cover.columns, ordering.weights, strict=True)
        return tuple((column, weight) for column, weight in weights if weight)


def leave_one_out(
    selection: Selection, *, seconds: Fraction | None = None, on_stage: OnStage = silent
) -> tuple[LeftOut, ...]:
    """For every case which clauses go when it is left out."""
    number, found, folds = len(selection.calibration.cases), [], _Folds(selection, seconds)
    for case in range(number):
        on_stage(f"without case {case + 1} of {number}")
        again = folds.without(case.__eq__)
        gone = () if again is None else tuple(c for c in selection.cover.columns if c not in again.columns)
        found.append(LeftOut(case, gone))
    return tuple(found)


def hold_out(
    selection: Selection, number: int, *, seconds: Fraction | None = None, on_stage: OnStage = silent
) -> Holdout:
    """Select without every fold of the cases in turn, and count on the pairs that have a case of it.

    There are at most as many folds as cases.
    """
    pairs = separated = ordered = 0
    number = min(number, len(selection.calibration.cases))
    every, folds = rank_pairs(selection.calibration.cases), _Folds(selection, seconds)
    for fold in range(number):
        on_stage(f"fold {fold + 1} of {number}")
        again = folds.without(lambda case, fold=fold: case % number == fold)  # type: ignore[misc]
        held = [p for p in every if p.worse % number == fold or p.better % number == fold]
        pairs += len(held)
        if again is None or not again.columns or not held:
            continue
        chosen = [selection.retained.basis.coordinates[column] for column in again.columns]
        separated += len(held) - len(Compared.of(chosen).unmet(*pair_places(held)))
        apart = differences_of(chosen, held, selection.retained.observed.observation.classes.tolist())
        least = apart.ordered_by(tuple(enumerate(again.weights))).reshape(-1, len(held)).min(axis=0)
        ordered += int((least > 0).sum())
    weighed = Requirement.ORDER in selection.requirements
    return Holdout(number, Share(separated, pairs), Share(ordered, pairs) if weighed else None)


def _moved(blend: PairBlend, place: dict[int, int]) -> PairBlend | None:
    """A blend with other places of its cases, if they all have some."""
    if any(case not in place for pair, _ in blend.weights for case in (pair.worse, pair.better)):
        return None
    return PairBlend(tuple((Pair(place[pair.worse], place[pair.better]), weight) for pair, weight in blend.weights))


def _restricted(coordinate: Coordinate, kept: Sequence[int]) -> Coordinate:
    return replace(coordinate, seen=coordinate.seen.on(kept))
