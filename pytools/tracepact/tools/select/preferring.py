"""From preferences to a contract: what must be given up, and the fewest clauses that order the rest (14.27)."""

from dataclasses import dataclass, replace
from fractions import Fraction

from tracepact.calibration.calibration import Calibration
from tracepact.calibration.family import CandidateFamily
from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics, InvalidInput
from tracepact.engines import Engine
from tracepact.progress import OnStage, silent
from tracepact.tools.select.cover.clock import Clock
from tracepact.tools.select.cover.problem import Cover
from tracepact.tools.select.observed import observe_family, with_matcher
from tracepact.tools.select.preferences import Preferences
from tracepact.tools.select.readable import readable_clauses
from tracepact.tools.select.requirements import Required, pair_rows
from tracepact.tools.select.select import Judged, Retained, Selection, retain_basis
from tracepact.tools.select.separate import Pair, Requirement, difference
from tracepact.tools.select.stability import Share
from tracepact.tools.select.weigh.differences import differences_of
from tracepact.tools.select.weigh.ordered import Ordering, order_clauses
from tracepact.tools.select.weigh.violated import GivenUp, least_given_up

_SHARE = Fraction(1, 2)
"""The share of a time budget for what must be given up; the rest is for the clauses."""


@dataclass(frozen=True, slots=True, eq=False)
class Preferred:
    """A selection for preferences: the pairs judged, those it violates, and what is proved of their weight."""

    selection: Selection
    preferences: Preferences
    violated: tuple[Pair, ...]
    given_up: GivenUp
    agreement: tuple[int, Share] | None


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
) -> Preferred:
    """The contract that violates the least preference weight, with the fewest clauses for the preferences it keeps."""
    family = with_matcher(family or calibration.family, authors)
    observed = observe_family(calibration, family, authors, on_stage=on_stage, engine=engine)
    retained = retain_basis(observed, (), on_stage=on_stage)
    weights = preferences.weights()
    on_stage("preferences that no weights keep together")
    fitted = _fitted(retained, weights, seconds, on_stage)
    cover = fitted.cover
    coordinates = [retained.basis.coordinates[place] for place in cover.columns]
    selection = Selection(
        fitted.retained,
        (Requirement.ORDER,),
        cover,
        fitted.ordering,
        readable_clauses(observed, coordinates),
        None,
        ((observed.matcher, len(cover.columns), cover.cost),),
        observed.warnings,
        judged=Judged(fitted.given_up.weight, sum(weights.values(), Fraction(0))),
    )
    pairs = list(weights)
    agreement = None if folds is None else (folds, _agreement(retained, preferences, folds, seconds, on_stage))
    violated = tuple(pairs[k] for k in fitted.given_up.places)
    return Preferred(selection, preferences, violated, fitted.given_up, agreement)


@dataclass(frozen=True, slots=True, eq=False)
class _Fitted:
    """What is given up, and the weights and the cover for the pairs that are kept."""

    given_up: GivenUp
    ordering: Ordering
    retained: Retained
    cover: Cover


def _fitted(retained: Retained, weights: dict[Pair, Fraction], seconds: Fraction | None, on_stage: OnStage) -> _Fitted:
    """The best weights for weighted pairs; that nothing can be kept is an error, not an empty contract."""
    coordinates = retained.basis.coordinates
    classes = retained.observed.observation.classes.tolist()
    pairs = list(weights)
    if not coordinates:
        raise _nothing()
    share = None if seconds is None else seconds * _SHARE
    given_up = least_given_up(differences_of(coordinates, pairs, classes), list(weights.values()), Clock.of(share))
    kept = [pair for k, pair in enumerate(pairs) if k not in given_up.places]
    if not kept:
        raise _nothing()
    rows = pair_rows(coordinates, kept)
    ordered = order_clauses(coordinates, rows, kept, classes, seconds=share, known=given_up.by, on_stage=on_stage)
    assert ordered is not None
    ordering, cover = ordered
    return _Fitted(given_up, ordering, replace(retained, required=Required(tuple(kept), ordering.rows)), cover)


def _nothing() -> InvalidInput:
    diagnostics = Diagnostics()
    diagnostics.add(
        "empty-family",
        "no candidate keeps any of the preferences: none is lower on a case that was called worse",
        help="look at the cases, or widen the family",
    )
    return InvalidInput(diagnostics)


def _agreement(
    retained: Retained, preferences: Preferences, folds: int, seconds: Fraction | None, on_stage: OnStage
) -> Share:
    """Of the judgements left out of each fold in turn, how many the weights of the others keep."""
    kept = total = 0
    for fold in range(folds):
        on_stage(f"fold {fold + 1} of {folds}")
        rows = preferences.rows
        rest = replace(preferences, rows=tuple(row for k, row in enumerate(rows) if k % folds != fold))
        held = [row for k, row in enumerate(rows) if k % folds == fold]
        total += len(held)
        try:
            fitted = _fitted(retained, rest.weights(), seconds, silent)
        except InvalidInput:
            continue
        kept += sum(_keeps(fitted, row.pair) for row in held)
    return Share(kept, total)


def _keeps(fitted: _Fitted, pair: Pair) -> bool:
    chosen = [fitted.retained.basis.coordinates[column] for column in fitted.cover.columns]
    apart = (difference(c, pair) * weight for c, weight in zip(chosen, fitted.ordering.weights, strict=True))
    return sum(apart, Fraction(0)) > 0
