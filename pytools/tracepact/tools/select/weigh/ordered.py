"""A selection that orders: its conflicts, its clauses and weights, and the cover that shows that fewer do not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tracepact.progress import OnStage, silent
from tracepact.tools.select.cover.best import SECOND_OPINION, all_optima, bounded, solve
from tracepact.tools.select.cover.clock import Clock
from tracepact.tools.select.cover.problem import Answer, Cover, Level, Optima, Problem
from tracepact.tools.select.retain import Coordinate
from tracepact.tools.select.separate import Pair, PairBlend, Row
from tracepact.tools.select.weigh.conflict import Conflict, without_conflicts
from tracepact.tools.select.weigh.differences import Differences, differences_of
from tracepact.tools.select.weigh.order import Blend, Order
from tracepact.tools.select.weigh.search import Proven, Weighed, weigh
from tracepact.tools.select.weigh.written import written_weights

_LARGE = 2_000_000
"""Beyond so many entries a set that is not proven fewest has a bound alone, not a second search."""


@dataclass(frozen=True, slots=True, eq=False)
class Ordering:
    """The weights of a selection and what they order.

    `weights` are as written, with their `margin`; the largest margin is that of `weighed`. `blends` are rows that
    follow from the order and that the cover's evidence may use.
    """

    differences: Differences
    weighed: Weighed
    weights: tuple[int, ...]
    margin: Fraction
    conflicts: tuple[Conflict, ...]
    blends: tuple[Row, ...]


def order_clauses(
    coordinates: Sequence[Coordinate],
    rows: Sequence[Row],
    pairs: Sequence[Pair],
    classes: Sequence[int],
    *,
    seconds: Fraction | None,
    proved: bool = True,
    known: tuple[tuple[int, int], ...] = (),
    on_stage: OnStage = silent,
) -> tuple[Ordering, Cover] | None:
    """The fewest coordinates that meet the rows and have weights that order the pairs; None if there is no such pair.

    The rows and the pairs are those that some coordinate meets. Pairs in conflict are left out, one of each conflict.
    Without `proved` no second solver is asked. `known` are weights on coordinates that may order all pairs already.
    """
    on_stage("pairs that no weights order together")
    if not pairs:
        return None
    clock = Clock.of(seconds)
    differences, conflicts = differences_of(coordinates, pairs, classes), tuple[Conflict, ...]()
    if not known or Order(differences).margin(known) <= 0:
        known = ()
        differences, conflicts = without_conflicts(differences)
    costs = tuple(coordinate.cost for coordinate in coordinates)
    if not differences.pairs:
        cover = solve(Problem(tuple(row.coordinates for row in rows), costs), seconds=seconds, on_stage=on_stage)
        return _unweighed(differences, cover, conflicts), cover
    masks = [row.coordinates for row in rows]
    weighed = weigh(differences, masks, costs, clock=clock, known=[c for c, _ in known], on_stage=on_stage)
    order = Order(differences)
    blends = tuple(_row(order, blend) for blend in weighed.blends)
    problem = Problem(tuple(row.coordinates for row in (*rows, *blends)), costs)
    left = clock.left()
    time = None if left is None else Fraction(max(left, 1))
    if len(problem.rows) * len(costs) > _LARGE and weighed.proven is Proven.NOTHING:
        shown = bounded(problem, weighed.columns, Clock.of(time))
    else:
        opinion = SECOND_OPINION if proved else Fraction(0)
        shown = solve(problem, seconds=time, on_stage=on_stage, second_opinion=opinion)
    weights, margin = written_weights(weighed.weights, lambda whole: _margin(differences, weighed.columns, whole))
    return Ordering(differences, weighed, weights, margin, conflicts, blends), _cover(problem, weighed, shown)


def _unweighed(differences: Differences, cover: Cover, conflicts: tuple[Conflict, ...]) -> Ordering:
    """Nothing is left to order: every clause has the weight 1."""
    ones = (1,) * len(cover.columns)
    proven = Proven.ORDER if cover.optimal else Proven.NOTHING
    same = tuple(Fraction(1, len(ones)) for _ in ones)
    weighed = Weighed(cover.columns, same, Fraction(0), Fraction(0), proven, ())
    return Ordering(differences, weighed, ones, Fraction(0), conflicts, ())


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
