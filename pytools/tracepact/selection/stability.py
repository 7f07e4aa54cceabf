"""How far a selection depends on single cases, and selections made from preferences (14.23, 14.24, 14.27)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import sqrt
from typing import Annotated

from msgspec import Meta

from tracepact.declarations import OnStage, silent
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic
from tracepact.engines import Engine
from tracepact.language.contract import Contract
from tracepact.records import Record
from tracepact.selection.basis import Coordinate, observe_family, with_matcher
from tracepact.selection.calibration import Calibration, CalibrationCase, CandidateFamily
from tracepact.selection.concessions import least_given_up
from tracepact.selection.cover import bounded
from tracepact.selection.cover_problem import Clock, Cover, Problem
from tracepact.selection.differences import WholeWeights, differences_of
from tracepact.selection.fits import counted, fitted_sizes, moved, violated_weight
from tracepact.selection.judgements import (
    ContradictionRecord,
    PathRecord,
    Preference,
    Preferences,
    PreferencesRecord,
    ShareRecord,
    SizeRecord,
    ViolatedPreference,
)
from tracepact.selection.readable import readable_clauses, with_other_numbers
from tracepact.selection.requirements import (
    ComparedCoordinates,
    Pair,
    PairBlend,
    Required,
    Row,
    SelectionRequirement,
    difference,
    fault_rows,
    faults,
    least_cover,
    pair_places,
    pair_rows,
    rank_pairs,
    required_of,
)
from tracepact.selection.selection import Ordering, Retained, Selection, order_clauses, retain_basis
from tracepact.selection.weights import Order, Proven, Weighed

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
        self._learn(self.selection.retained.rows, range(len(self.selection.calibration.cases)))

    def without(self, left_out: Callable[[int], bool]) -> WholeWeights | None:
        """The coordinates selected without some of the cases, and their weights; None if the others have one rank.

        What is equal on fewer cases is told apart by cost and order, as it is among candidates (14.10, 14.14).
        """
        selection = self.selection
        kept = [k for k in range(len(selection.calibration.cases)) if not left_out(k)]
        if not rank_pairs([selection.calibration.cases[k] for k in kept]):
            return None
        # the basis is not made anew: what is equal on all cases is equal on some of them
        coordinates = [_restricted(coordinate, kept) for coordinate in selection.retained.basis.coordinates]
        required = self._required(coordinates, kept)
        if SelectionRequirement.ORDER in selection.requirements:
            # weights that order all pairs order those of fewer cases: each of these selections begins
            # with an answer
            known, place = self._known(kept), {case: k for k, case in enumerate(kept)}
            ordered = order_clauses(
                coordinates,
                [row for row in required.rows if row.coordinates],
                required.met_pairs,
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
                return tuple(zip(cover.columns, ordering.weights, strict=True))
        _, cover = least_cover(coordinates, required, seconds=self.seconds, opinion=Fraction(0))
        return tuple((column, 1) for column in cover.columns)

    def _learn(self, rows: Iterable[Row], kept: Sequence[int]) -> None:
        """Keep the blends of some of the cases, with their places among all; only cases of one class have no others."""
        if self.selection.retained.observed.observation.classes.max() > 1:
            return
        place = dict(enumerate(kept))
        moved = [_moved(row.of, place) for row in rows if isinstance(row.of, PairBlend)]
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


def _moved(blend: PairBlend, place: dict[int, int]) -> PairBlend | None:
    """A blend with other places of its cases, if they all have some."""
    if any(case not in place for pair, _ in blend.weights for case in (pair.worse, pair.better)):
        return None
    return PairBlend(tuple((Pair(place[pair.worse], place[pair.better]), weight) for pair, weight in blend.weights))


def _restricted(coordinate: Coordinate, kept: Sequence[int]) -> Coordinate:
    return replace(coordinate, seen=coordinate.seen.on(kept))


# From preferences to a contract: the size that agrees best with judgements left out, or what violates least (14.27).

_SHARE = Fraction(1, 2)
"""The share of a time budget for what must be given up; the rest is for the clauses."""
_FEW = 20
"""Of fewer judgements none are left out: the contract is the one that violates least."""
_FOLDS = 5
_ROUNDS = 2
"""So often the numbers of the clauses are moved: those beside one that moved are looked at again."""


def select_by_preferences(
    calibration: Calibration,
    preferences: Preferences,
    family: CandidateFamily | None = None,
    authors: Contract | None = None,
    *,
    folds: int | None = None,
    seconds: Fraction | None = None,
    on_stage: OnStage = silent,
    engine: Engine | None = None,
) -> Selection:
    """The contract for some judgements: of few the least violated, of many the size that agrees best."""
    family = with_matcher(family or calibration.family, authors)
    observed = observe_family(calibration, family, authors, on_stage=on_stage, engine=engine)
    retained = retain_basis(observed, (), on_stage=on_stage)
    if not retained.basis.coordinates:
        raise _nothing()
    on_stage("preferences that no weights keep together")
    fitted = _fitted(retained, preferences, seconds, on_stage)
    retained, cover = fitted.retained, fitted.cover
    coordinates = [retained.basis.coordinates[place] for place in cover.columns]
    agreement = None if folds is None else _agreement(retained, preferences, folds, seconds, on_stage)
    return Selection(
        retained,
        (SelectionRequirement.ORDER,),
        cover,
        fitted.ordering,
        readable_clauses(retained.observed, coordinates),
        None,
        ((observed.matcher, len(cover.columns), cover.cost),),
        observed.warnings,
        judged=_preferences_record(calibration.cases, preferences, fitted, folds, agreement),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Fitted:
    """A contract for some judgements: what it violates and what any must, its weights, the cover of what it keeps."""

    violated: tuple[int, ...]
    bound: Fraction
    ordering: Ordering
    retained: Retained
    cover: Cover
    path: PathRecord | None = None


def _preferences_record(
    cases: Sequence[CalibrationCase],
    preferences: Preferences,
    fitted: _Fitted,
    folds: int | None,
    agreement: ShareRecord | None,
) -> PreferencesRecord:
    weights, contradictions = preferences.weights(), tuple(preferences.contradictions())
    pairs = list(weights)

    def violated(pair: Pair) -> ViolatedPreference:
        judges = dict.fromkeys(row.judge for row in preferences.rows if row.pair == pair and row.judge)
        return ViolatedPreference(*pair.names(cases), weights[pair], tuple(judges))

    return PreferencesRecord(
        file=preferences.file,
        judgements=len(preferences.rows),
        same=preferences.same,
        judges=tuple(sorted({row.judge for row in preferences.rows if row.judge})),
        weight=sum(weights.values(), Fraction(0)),
        violated=tuple(violated(pairs[place]) for place in fitted.violated),
        violated_weight=sum((weights[pairs[place]] for place in fitted.violated), Fraction(0)),
        bound=fitted.bound,
        contradictions=tuple(
            ContradictionRecord(*one.pair.names(cases), one.weight, one.against) for one in contradictions
        ),
        pairs=preferences.pairs,
        undecided=sum(one.weight == one.against for one in contradictions),
        path=fitted.path,
        folds=folds,
        agreement=agreement,
    )


def _fitted(
    retained: Retained, preferences: Preferences, seconds: Fraction | None, on_stage: OnStage, *, refine: bool = True
) -> _Fitted:
    """The contract for some judgements; that nothing can be kept is an error, not an empty contract."""
    weights = preferences.weights()
    share = None if seconds is None else seconds * _SHARE
    if len(preferences.rows) >= _FEW:
        return _by_size(retained, preferences, share, on_stage, refine=refine)
    pairs, coordinates = list(weights), retained.basis.coordinates
    given_up = least_given_up(differences_of(coordinates, pairs), list(weights.values()), Clock.of(share))
    kept = [pair for k, pair in enumerate(pairs) if k not in given_up.places]
    if not kept:
        raise _nothing()
    ordered = order_clauses(
        coordinates, pair_rows(coordinates, kept), kept, seconds=share, known=given_up.by, on_stage=on_stage
    )
    assert ordered is not None
    ordering, cover = ordered
    required = replace(retained, required=Required(tuple(kept), ordering.rows))
    return _Fitted(given_up.places, given_up.bound, ordering, required, cover)


def _by_size(
    retained: Retained, preferences: Preferences, share: Fraction | None, on_stage: OnStage, *, refine: bool
) -> _Fitted:
    """The contract of the size that agrees best with judgements left out."""
    weights = preferences.weights()
    pairs, heavy = list(weights), list(weights.values())
    sizes = _sizes(retained, weights, share)
    if not sizes:
        raise _nothing()
    differences = differences_of(retained.basis.coordinates, pairs)
    path = _path(retained, preferences, sizes, [violated_weight(differences, heavy, one) for one in sizes], share)
    fit = sizes[path.taken - 1]
    for _ in range(_ROUNDS if refine else 0):
        on_stage("other numbers of the clauses")
        other = with_other_numbers(retained.observed, retained.basis, [column for column, _ in fit])
        retained = replace(retained, observed=other.observed, basis=other.basis)
        differences = differences_of(retained.basis.coordinates, pairs)
        before, fit = fit, moved(differences, heavy, fit, other.variants)
        if fit == before:
            break
    coordinates, chosen = retained.basis.coordinates, fit
    on_stage("what any contract violates")
    least = least_given_up(differences, heavy, Clock.of(None if share is None else share * _SHARE), chosen)
    lost = set(counted(differences, chosen).given_up)
    kept = [pair for k, pair in enumerate(pairs) if k not in lost]
    if not kept:
        raise _nothing()
    rows = tuple(pair_rows(coordinates, kept))
    columns, whole = tuple(column for column, _ in chosen), tuple(weight for _, weight in chosen)
    problem = Problem(tuple(row.coordinates for row in rows), tuple(one.cost for one in coordinates))
    cover = bounded(problem, columns, Clock.of(share))
    left = differences.keeping([k for k in range(len(pairs)) if k not in lost])
    margin = Fraction(int(left.least_by(chosen).min()), sum(whole)) / left.scale
    best = Order(left).weights(columns)
    # nothing is proved of other clauses: these are not chosen for their margin, and none is above 1
    weighed = Weighed(columns, best.weights, best.margin / left.scale, Fraction(1), Proven.NOTHING, ())
    ordering = Ordering(left, weighed, whole, margin, (), (), 0, rows)
    required = replace(retained, required=Required(tuple(kept), rows))
    return _Fitted(tuple(sorted(lost)), least.bound, ordering, required, cover, path)


def _sizes(retained: Retained, weights: dict[Pair, Fraction], share: Fraction | None) -> list[WholeWeights]:
    differences = differences_of(retained.basis.coordinates, list(weights))
    return fitted_sizes(differences, list(weights.values()), Clock.of(share))


def _path(
    retained: Retained,
    preferences: Preferences,
    sizes: Sequence[WholeWeights],
    violated: Sequence[Fraction],
    share: Fraction | None,
) -> PathRecord:
    """By size how many judgements left out are kept, and the smallest size that is about as good as the best."""
    kept, total = [0] * len(sizes), 0
    for rest, held in _folds(preferences, _FOLDS):
        fits = _sizes(retained, rest.weights(), None if share is None else share / _FOLDS)
        total += len(held)
        for place in range(len(sizes)) if fits else ():
            chosen = fits[min(place, len(fits) - 1)]
            coordinates = [(retained.basis.coordinates[column], weight) for column, weight in chosen]
            kept[place] += sum(_keeps(coordinates, row.pair) for row in held)
    most = max(kept)
    # half a standard error, or one judgement: what so few cannot tell apart is decided for fewer clauses
    slack = max(1.0, sqrt(most * (total - most) / total) / 2)
    return PathRecord(
        _FOLDS,
        tuple(
            SizeRecord(len(one), ShareRecord.counted(number, total), weight)
            for one, number, weight in zip(sizes, kept, violated, strict=True)
        ),
        kept.index(most) + 1,
        next(place for place, number in enumerate(kept, 1) if number >= most - slack),
    )


def predicted(coordinates: Sequence[Coordinate], preferences: Preferences) -> ShareRecord:
    """Of judgements left out in turn, how many the largest contract fitted to the others keeps."""
    kept = total = 0
    for rest, held in _folds(preferences, _FOLDS):
        total += len(held)
        weights = rest.weights()
        if not held or not weights:
            continue
        fits = fitted_sizes(differences_of(coordinates, list(weights)), list(weights.values()), Clock())
        chosen = [(coordinates[column], weight) for column, weight in fits[-1]] if fits else []
        kept += sum(_keeps(chosen, row.pair) for row in held)
    return ShareRecord.counted(kept, total)


def _folds(preferences: Preferences, number: int) -> Iterator[tuple[Preferences, list[Preference]]]:
    """The judgements without each fold in turn, and those of the fold."""
    rows = preferences.rows
    for fold in range(number):
        # judgements are left out, not pairs: one pair may have been judged several times, and each answer is a draw
        rest = replace(preferences, rows=tuple(row for k, row in enumerate(rows) if k % number != fold))
        yield rest, [row for k, row in enumerate(rows) if k % number == fold]


def _nothing() -> InvalidInput:
    headline = "no candidate keeps any of the preferences: none is lower on a case that was called worse"
    return InvalidInput([Diagnostic("empty-family", headline, help="look at the cases, or widen the family")])


def _agreement(
    retained: Retained, preferences: Preferences, folds: int, seconds: Fraction | None, on_stage: OnStage
) -> ShareRecord:
    """Of the judgements left out of each fold in turn, how many the weights of the others keep."""
    kept = total = 0
    for fold, (rest, held) in enumerate(_folds(preferences, folds), 1):
        on_stage(f"fold {fold} of {folds}")
        total += len(held)
        try:
            fitted = _fitted(retained, rest, seconds, silent, refine=False)
        except InvalidInput:
            continue
        chosen = [retained.basis.coordinates[column] for column in fitted.cover.columns]
        weighed = list(zip(chosen, fitted.ordering.weights, strict=True))
        kept += sum(_keeps(weighed, row.pair) for row in held)
    return ShareRecord.counted(kept, total)


def _keeps(weighed: Sequence[tuple[Coordinate, int]], pair: Pair) -> bool:
    """Whether weights on coordinates make the worse case of a pair lower."""
    return sum((difference(coordinate, pair) * weight for coordinate, weight in weighed), Fraction(0)) > 0
