"""A selection that orders: its conflicts, its clauses and weights, and the cover that shows that fewer do not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

from tracepact.progress import OnStage, silent
from tracepact.tools.select.cover.best import SECOND_OPINION, all_optima, bounded, solve
from tracepact.tools.select.cover.clock import Clock
from tracepact.tools.select.cover.problem import Answer, Cover, Level, Optima, Problem
from tracepact.tools.select.retain import Coordinate
from tracepact.tools.select.separate import Pair, PairBlend, Row
from tracepact.tools.select.weigh.conflict import Agreed, Conflict, without_conflicts
from tracepact.tools.select.weigh.differences import Differences, differences_of
from tracepact.tools.select.weigh.order import Blend, Order
from tracepact.tools.select.weigh.search import Proven, Weighed, weigh
from tracepact.tools.select.weigh.written import written_weights

_LARGE = 2_000_000
"""Beyond so many entries a set that is not proven fewest has a bound alone, not a second search."""
_AGREEING = Fraction(1, 2)
"""The share of a time budget for what must be given up; the rest is for the clauses."""


@dataclass(frozen=True, slots=True, eq=False)
class Ordering:
    """The weights of a selection and what they order.

    `weights` are as written, with their `margin`; the largest margin is that of `weighed`. `given_up` are pairs that
    are not ordered, and no weights order all but fewer than `bound`. `rows` are what the cover's evidence is about:
    what is required, and the blends that follow from the order.
    """

    differences: Differences
    weighed: Weighed
    weights: tuple[int, ...]
    margin: Fraction
    conflicts: tuple[Conflict, ...]
    given_up: tuple[Pair, ...]
    bound: int
    rows: tuple[Row, ...]


def order_clauses(
    coordinates: Sequence[Coordinate],
    rows: Sequence[Row],
    pairs: Sequence[Pair],
    classes: Sequence[int],
    *,
    seconds: Fraction | None,
    proved: bool = True,
    many: bool = False,
    known: tuple[tuple[int, int], ...] = (),
    blends: Sequence[PairBlend] = (),
    on_stage: OnStage = silent,
) -> tuple[Ordering, Cover] | None:
    """The fewest coordinates that meet the rows and have weights that order the pairs; None if there is no such pair.

    The rows and the pairs are those that some coordinate meets. Pairs in conflict are left out, one of each conflict;
    if there are `many` pairs, of which not each has a row, those that the best weights found do not order. Without
    `proved`, or with `many`, no second solver is asked. `known` are weights on coordinates that may order all pairs
    already. `blends` of pairs that are kept may be useful.
    """
    on_stage("pairs that no weights order together")
    if not pairs:
        return None
    clock = Clock.of(seconds)
    differences = differences_of(coordinates, pairs, classes)
    agreed = Agreed(differences, known=known)
    if not known or Order(differences).margin(known) <= 0:
        share = clock if seconds is None else clock.at_most(seconds * _AGREEING)
        agreed = without_conflicts(differences, share, many=many)
    costs = tuple(coordinate.cost for coordinate in coordinates)
    rows = _kept(rows, agreed, many=many)
    if not agreed.differences.pairs:
        cover = solve(Problem(tuple(row.coordinates for row in rows), costs), seconds=seconds, on_stage=on_stage)
        return _unweighed(agreed, rows, cover), cover
    differences, masks = agreed.differences, [row.coordinates for row in rows]
    begin = [column for column, _ in agreed.known]
    weighed = weigh(
        differences,
        masks,
        costs,
        clock=clock,
        known=begin,
        hurried=many or bool(known),
        blends=_placed(differences, blends),
        on_stage=on_stage,
    )
    order = Order(differences)
    rows = (*rows, *(_row(order, blend) for blend in weighed.blends))
    problem = Problem(tuple(row.coordinates for row in rows), costs)
    left = clock.left()
    time = None if left is None else Fraction(max(left, 1))
    if len(problem.rows) * len(costs) > _LARGE and weighed.proven is Proven.NOTHING:
        shown = bounded(problem, weighed.columns, Clock.of(time))
    else:
        opinion = SECOND_OPINION if proved and not many else Fraction(0)
        shown = solve(problem, seconds=time, on_stage=on_stage, second_opinion=opinion)
    weights, margin = written_weights(weighed.weights, lambda whole: _margin(differences, weighed.columns, whole))
    found = Ordering(differences, weighed, weights, margin, agreed.conflicts, agreed.given_up, agreed.bound, rows)
    return found, _cover(problem, weighed, shown)


def _placed(differences: Differences, blends: Sequence[PairBlend]) -> list[Blend]:
    """Blends by the places of their pairs, each alone, in whole weights; those of pairs that are not there are none."""
    place, found = {pair: k for k, pair in enumerate(differences.pairs)}, []
    for blend in blends:
        if all(pair in place for pair, _ in blend.weights):
            common = lcm(*(weight.denominator for _, weight in blend.weights))
            found.append(Blend(tuple(sorted((place[pair], int(weight * common)) for pair, weight in blend.weights))))
    return found


def _kept(rows: Sequence[Row], agreed: Agreed, *, many: bool) -> tuple[Row, ...]:
    """The rows that are required: of many pairs not those of pairs that are given up."""
    lost = set(agreed.given_up) if many else set()
    return tuple(row for row in rows if row.of not in lost)


def _unweighed(agreed: Agreed, rows: tuple[Row, ...], cover: Cover) -> Ordering:
    """Nothing is left to order: every clause has the weight 1."""
    ones = (1,) * len(cover.columns)
    proven = Proven.ORDER if cover.optimal else Proven.NOTHING
    same = tuple(Fraction(1, len(ones)) for _ in ones)
    weighed = Weighed(cover.columns, same, Fraction(0), Fraction(0), proven, ())
    return Ordering(
        agreed.differences, weighed, ones, Fraction(0), agreed.conflicts, agreed.given_up, agreed.bound, rows
    )


def equally_good(ordering: Ordering, rows: Sequence[Row], costs: Sequence[int], cover: Cover, *, limit: int) -> Optima:
    """Every set with the count, the margin and the cost of the best one."""
    weighed, order = ordering.weighed, Order(ordering.differences)
    least = weighed.margin * ordering.differences.scale
    asked = [row.coordinates for row in rows] + [order.mask(b, least, strict=False) for b in weighed.blends]
    found = all_optima(Problem(tuple(asked), tuple(costs)), cover, limit=limit)
    kept = tuple(columns for columns in found if order.weights(columns).margin >= least)
    return Optima(kept, found.complete)


def _row(order: Order, blend: Blend) -> Row:
    weights = tuple((order.differences.pair(place), Fraction(w, blend.total)) for place, w in blend.weights)
    return Row(PairBlend(weights), order.mask(blend, Fraction(0), strict=True))


def _margin(differences: Differences, columns: Sequence[int], weights: Sequence[int]) -> Fraction:
    """The least weighted difference over all pairs, as a score."""
    return Order(differences).margin(tuple(zip(columns, weights, strict=True))) / differences.scale


def _cover(problem: Problem, weighed: Weighed, shown: Cover) -> Cover:
    """The selected clauses with the evidence that no fewer do; margin, cost and order are the search's to prove."""
    cost = problem.cost(weighed.columns)
    fewest = len(weighed.columns) == shown.count_bound
    proven = Level.ORDER if weighed.proven is Proven.ORDER else Level.COUNT if fewest else Level.NONE
    asked = replace(shown.refutation, cost=Answer.UNASKED, order=Answer.UNASKED)
    return replace(
        shown,
        columns=weighed.columns,
        cost=cost,
        proven=proven,
        cost_bound=cost if proven is Level.ORDER else shown.cost_bound,
        refutation=asked,
    )
