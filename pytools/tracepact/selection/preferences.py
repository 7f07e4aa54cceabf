"""Contracts made from judgements of which case is worse: fitted by likelihood, or the least violated (14.27)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.declarations import OnStage, silent
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic
from tracepact.engines import Engine
from tracepact.language.contract import Contract
from tracepact.selection.basis import Coordinate, observe_family, readable_clauses, with_matcher, with_other_numbers
from tracepact.selection.calibration import Calibration, CalibrationCase, CandidateFamily
from tracepact.selection.concessions import _PARTS, in_whole_parts, least_given_up, not_ordered
from tracepact.selection.cover import bounded
from tracepact.selection.cover_problem import Clock, Cover, Problem
from tracepact.selection.games import PairDifferences, WholeWeights, differences_of
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
from tracepact.selection.requirements import Pair, Required, SelectionRequirement, difference, pair_rows
from tracepact.selection.selection import Ordering, Retained, Selection, order_clauses, retain_basis
from tracepact.selection.weights import Order, Proven, Weighed

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
        contradictions=tuple(ContradictionRecord(*pair.names(cases), *sides) for pair, *sides in contradictions),
        pairs=preferences.pairs,
        undecided=sum(weight == against for _, weight, against in contradictions),
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
    sizes = _sizes(retained.basis.coordinates, weights, share)
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
    lost = set(not_ordered(differences, chosen))
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


def _sizes(
    coordinates: Sequence[Coordinate], weights: dict[Pair, Fraction], seconds: Fraction | None = None
) -> list[WholeWeights]:
    """The fit of each size to judgements with their weights."""
    return fitted_sizes(differences_of(coordinates, list(weights)), list(weights.values()), Clock.of(seconds))


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
        fits = _sizes(retained.basis.coordinates, rest.weights(), None if share is None else share / _FOLDS)
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

    def fitted(rest: Preferences) -> list[tuple[Coordinate, int]]:
        fits = _sizes(coordinates, rest.weights()) if rest.rows else []
        return [(coordinates[column], weight) for column, weight in fits[-1]] if fits else []

    return _kept_left_out(preferences, _FOLDS, fitted)


def _agreement(
    retained: Retained, preferences: Preferences, folds: int, seconds: Fraction | None, on_stage: OnStage
) -> ShareRecord:
    """Of the judgements left out of each fold in turn, how many the weights of the others keep."""

    def fitted(rest: Preferences) -> list[tuple[Coordinate, int]]:
        try:
            fit = _fitted(retained, rest, seconds, silent, refine=False)
        except InvalidInput:
            return []
        chosen = [retained.basis.coordinates[column] for column in fit.cover.columns]
        return list(zip(chosen, fit.ordering.weights, strict=True))

    return _kept_left_out(preferences, folds, fitted, on_stage)


def _kept_left_out(
    preferences: Preferences,
    folds: int,
    fitted: Callable[[Preferences], list[tuple[Coordinate, int]]],
    on_stage: OnStage = silent,
) -> ShareRecord:
    """Of the judgements left out of each fold in turn, how many the weights fitted to the others keep."""
    kept = total = 0
    for fold, (rest, held) in enumerate(_folds(preferences, folds), 1):
        on_stage(f"fold {fold} of {folds}")
        total += len(held)
        weighed = fitted(rest) if held else []
        kept += sum(_keeps(weighed, row.pair) for row in held)
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


def _keeps(weighed: Sequence[tuple[Coordinate, int]], pair: Pair) -> bool:
    """Whether weights on coordinates make the worse case of a pair lower."""
    return sum((difference(coordinate, pair) * weight for coordinate, weight in weighed), Fraction(0)) > 0


# A contract of each size by regularised likelihood (14.27).
#
# The chance that a judge calls the better case better is the logistic function of the weighted difference (Bradley and
# Terry 1952). Clauses join one at a time, the one that raises the likelihood most, and change places as long
# as that raises it (forward stepwise regression with exchanges; Miller 2002). Unlike the least number of violated
# judgements this is not led by the few that are slips, and with the penalty it has one best answer for each set.

MOST_CLAUSES = 7
"""The largest size that is fitted."""
_PENALTY = 0.03
"""Half of this times the squared weights is added to the mean loss; it decides where all judgements are kept."""
_SCREENED = 4_000_000
"""So many differences are fitted to; of more clauses those that tell the pairs apart most clearly."""
_FEWEST_SCREENED = 200
_JOINED = 12
"""How many clauses are fitted when one joins, those whose own step promises most."""
_STEPS = 40
_BLOCK = 256
"""How many clauses are looked at together."""
_GAIN = 1e-6
Table = NDArray[np.float64]


def fitted_sizes(differences: PairDifferences, weights: Sequence[Fraction], clock: Clock) -> list[WholeWeights]:
    """The fit of each size, from one clause up to the most, or as many as join before the time ends."""
    likelihood = _Likelihood.of(differences, in_whole_parts(weights))
    fits = (likelihood.named(columns, shares) for columns, shares in likelihood.sizes(clock))
    return [_rational(differences, weights, named) for named in fits if named]


def moved(
    differences: PairDifferences,
    weights: Sequence[Fraction],
    chosen: WholeWeights,
    variants: Mapping[int, Sequence[int]],
) -> WholeWeights:
    """A fit whose clauses have other numbers where that is clearly likelier; `variants` are by the clause they vary.

    One clause after the other moves to its likeliest number, and all weights are fitted anew, as long as that gains
    more than a number is worth by Schwarz's criterion (1978): half the logarithm of how many judgements there are.
    """
    origin = [column for column, _ in chosen]
    likelihood = _Likelihood.of(differences, in_whole_parts(weights), sorted({*origin}.union(*variants.values())))
    place = {int(column): k for k, column in enumerate(likelihood.columns)}
    columns = [place[column] for column in origin]
    shares = likelihood.fit(columns, np.ones(len(columns)))
    worth = float(np.log(max(2, len(weights)))) / (2 * len(weights))
    while True:
        fits = []
        for k, column in enumerate(origin):
            for other in variants.get(column, ()):
                if place[other] not in columns:
                    tried = [*columns[:k], place[other], *columns[k + 1 :]]
                    fits.append((tried, likelihood.fit(tried, shares)))
        best = min(fits, key=lambda fit: likelihood.loss(*fit), default=(columns, shares))
        if likelihood.loss(*best) >= likelihood.loss(columns, shares) - worth:
            return _rational(differences, weights, likelihood.named(columns, shares))
        columns, shares = best


def violated_weight(
    differences: PairDifferences, weights: Sequence[Fraction], whole: Sequence[tuple[int, int]]
) -> Fraction:
    """The weight of the pairs that whole weights on clauses do not order, counted exactly."""
    return sum((weights[k] for k in not_ordered(differences, whole)), Fraction(0))


def _rational(
    differences: PairDifferences, weights: Sequence[Fraction], shares: Sequence[tuple[int, float]]
) -> WholeWeights:
    """The shortest whole weights that violate no more than the fitted ones; each at least 1."""
    most = max(share for _, share in shares)

    def whole(parts: int) -> WholeWeights:
        return tuple((column, max(1, round(share / most * parts))) for column, share in shares)

    finest = whole(_PARTS)
    limit = violated_weight(differences, weights, finest)
    for parts in (*range(1, 101), 1000, 10_000):
        if violated_weight(differences, weights, rounded := whole(parts)) <= limit:
            return rounded
    return finest


@dataclass(frozen=True, slots=True, eq=False)
class _Likelihood:
    """The differences of the clauses that are fitted (pairs by clauses), and the shares of the pairs.

    Every clause is in units of its own root mean square, `units`: a clause that is one frame in a hundred lower counts
    as much as one that is half its events lower, if it is as sure.
    """

    columns: NDArray[np.intp]
    table: Table
    units: Table
    shares: Table

    @classmethod
    def of(cls, differences: PairDifferences, heavy: NDArray[Any], always: Sequence[int] = ()) -> "_Likelihood":
        """A pair that is judged within a corpus too counts half each time; some clauses are fitted `always`."""
        times = len(differences) // len(heavy)
        shares = np.tile(heavy.astype(np.float64), times) / (float(sum(heavy)) * times)
        clear, units = list[Table](), list[Table]()
        for start in range(0, differences.clauses, _BLOCK):
            block = differences.of(slice(None), slice(start, start + _BLOCK)) / differences.scale
            units.append(np.sqrt(shares @ (block * block)) + 1e-9)
            clear.append(shares @ block / units[-1])
        room = max(_FEWEST_SCREENED, _SCREENED // len(shares))
        best = np.argsort(-np.concatenate(clear), kind="stable")[:room]
        columns = np.union1d(best, np.array(always, dtype=np.intp)).astype(np.intp)
        chosen = np.concatenate(units)[columns]
        return cls(columns, differences.of(slice(None), columns) / differences.scale / chosen, chosen, shares)

    def named(self, columns: Sequence[int], weights: Table) -> list[tuple[int, float]]:
        """The clauses by their places among all, and their weights, those without any left out."""
        listed = zip(columns, weights / self.units[list(columns)], strict=True)
        return sorted((int(self.columns[column]), float(weight)) for column, weight in listed if weight > 0)

    def sizes(self, clock: Clock) -> Iterator[tuple[list[int], Table]]:
        """The columns and weights of each size in turn."""
        chosen, weights = list[int](), np.zeros(0)
        # one clause is always fitted: out of time there is still an answer
        while len(chosen) < min(MOST_CLAUSES, len(self.columns)) and (not chosen or clock.left() != 0):
            chosen, weights = self.joined(chosen, weights)
            while len(chosen) > 1 and clock.left() != 0 and (better := self._exchanged(chosen, weights)) is not None:
                chosen, weights = better
            yield chosen, weights

    def joined(self, chosen: list[int], weights: Table) -> tuple[list[int], Table]:
        """The best clause with those that are chosen."""
        scores = self.table[:, chosen] @ weights
        chance = self.shares / (1 + np.exp(np.clip(scores, -50, 50)))
        slope = chance @ self.table
        # in units of its root mean square each clause has the same mean square, so one number bounds its bend
        bend = float((chance * (1 - chance / self.shares)).sum()) + _PENALTY
        promise = np.where(slope > 0, slope * slope / bend, 0)
        promise[chosen] = -1
        tried = [k for k in np.argsort(-promise, kind="stable")[:_JOINED].tolist() if k not in chosen]
        fits = [([*chosen, k], self.fit([*chosen, k], np.append(weights, max(1e-3, slope[k] / bend)))) for k in tried]
        return min(fits, key=lambda fit: self.loss(*fit))

    def _exchanged(self, chosen: list[int], weights: Table) -> tuple[list[int], Table] | None:
        """The best exchange of one clause for another; None if none lessens the loss."""
        exchanged = []
        for place in range(len(chosen)):
            fewer = [*chosen[:place], *chosen[place + 1 :]]
            exchanged.append(self.joined(fewer, self.fit(fewer, np.delete(weights, place))))
        best = min(exchanged, key=lambda fit: self.loss(*fit))
        return best if self.loss(*best) < self.loss(chosen, weights) - _GAIN else None

    def loss(self, chosen: Sequence[int], weights: Table) -> float:
        """The mean loss with its penalty."""
        scores = self.table[:, chosen] @ weights
        return float(self.shares @ np.logaddexp(0, -scores) + _PENALTY / 2 * (weights @ weights))

    def fit(self, chosen: Sequence[int], weights: Table) -> Table:
        """The weights of least loss, none negative, by projected Newton steps (Bertsekas 1982)."""
        table = self.table[:, chosen]
        for _ in range(_STEPS):
            chance = self.shares / (1 + np.exp(np.clip(table @ weights, -50, 50)))
            slope = _PENALTY * weights - chance @ table
            free = np.flatnonzero((weights > 0) | (slope < 0))
            if not len(free) or np.abs(slope[free]).max() < 1e-7:
                break
            bend = (table[:, free].T * (chance * (1 - chance / self.shares))) @ table[:, free]
            step = np.zeros(len(weights))
            step[free] = np.linalg.solve(bend + _PENALTY * np.eye(len(free)), -slope[free])
            now, length = self.loss(chosen, weights), 1.0
            while length > 1e-4 and self.loss(chosen, np.maximum(0, weights + length * step)) >= now:
                length /= 2
            if length <= 1e-4:
                break
            weights = np.maximum(0, weights + length * step)
        return weights
