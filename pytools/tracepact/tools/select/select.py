"""The way from a calibration set to the smallest contract: candidates, values, basis, requirements, cover."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tracepact.calibration.calibration import Calibration
from tracepact.calibration.family import CandidateFamily
from tracepact.core import Contract, Matcher
from tracepact.diagnostics import Diagnostic, TextPlace
from tracepact.engines import Engine
from tracepact.logic import Outcome
from tracepact.progress import OnStage, silent
from tracepact.tools.select.candidates import Candidates, family_size
from tracepact.tools.select.cover.best import all_optima
from tracepact.tools.select.cover.problem import Cover, Level, Optima, Problem
from tracepact.tools.select.observe import Screening
from tracepact.tools.select.observed import Observed, observe_family, with_matcher
from tracepact.tools.select.readable import ReadableClause, readable_clauses
from tracepact.tools.select.requirements import Compared, Required, required_of
from tracepact.tools.select.retain import Basis, Coordinate, retain
from tracepact.tools.select.separate import DEFAULT_REQUIREMENTS, Pair, PairBlend, Requirement, Row
from tracepact.tools.select.separating import least_cover
from tracepact.tools.select.weigh.ordered import Ordering, equally_good, order_clauses
from tracepact.wording import short

MOST_OPTIMA = 100
SEARCH = Fraction(20)
"""Seconds of a search over preferences, or over more pairs than have rows, unless a time is given (14.34)."""


@dataclass(frozen=True, slots=True, eq=False)
class Retained:
    """The basis of an observed family, and what is required of a selection."""

    observed: Observed
    basis: Basis
    required: Required

    @property
    def rows(self) -> tuple[Row, ...]:
        """What is required, or follows from it, and which coordinates meet it."""
        return self.required.rows

    @property
    def met(self) -> tuple[Row, ...]:
        """What some coordinate meets."""
        return tuple(row for row in self.rows if row.coordinates)

    @property
    def unmet(self) -> tuple[Row, ...]:
        """What no coordinate meets."""
        return tuple(row for row in self.rows if not row.coordinates)


@dataclass(frozen=True, slots=True)
class Necessity:
    """A chosen coordinate and what it alone meets of all that are chosen."""

    coordinate: int
    only: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """Of the weight of all preferences, how much a contract violates."""

    violated: Fraction
    weight: Fraction


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """A selected contract with its evidence; `by_matcher` has the count and cost of the best under each matcher.

    `ordering` has its weights, if the order was required; `clauses` are the coordinates as they are written; `judged`
    is there if preferences, and not ranks, say which case is worse.
    """

    retained: Retained
    requirements: tuple[Requirement, ...]
    cover: Cover
    ordering: Ordering | None
    clauses: tuple[ReadableClause, ...]
    optima: Optima | None
    by_matcher: tuple[tuple[Matcher, int, int], ...]
    diagnostics: tuple[Diagnostic, ...]
    judged: Judged | None = None

    @property
    def calibration(self) -> Calibration:
        """The cases it was selected for."""
        return self.retained.observed.calibration

    @property
    def matcher(self) -> Matcher:
        """The matcher of the selected contract."""
        return self.retained.observed.matcher

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The chosen coordinates, in order."""
        basis = self.retained.basis.coordinates
        return tuple(basis[place] for place in self.cover.columns)

    @property
    def met(self) -> int:
        """How many requirements are met: not those that no coordinate meets, nor pairs that were given up."""
        given_up = len(self.ordering.given_up) if self.ordering else 0
        return self.retained.required.number - len(self.retained.unmet) - given_up

    @property
    def necessity(self) -> tuple[Necessity, ...]:
        """For every chosen coordinate what only it meets; in a least set that is never nothing."""
        chosen = self.cover.columns
        mask = sum(1 << place for place in chosen)
        pairs = {row.of for row in self.retained.met if isinstance(row.of, Pair)}
        rows = [row for row in self.retained.met if not _of_one(row, pairs)]
        return tuple(
            Necessity(place, tuple(row for row in rows if row.coordinates & mask == 1 << place)) for place in chosen
        )


def _of_one(row: Row, pairs: set[Pair]) -> bool:
    """Whether a row is a blend of one pair, which asks no more than the row of that pair."""
    return isinstance(row.of, PairBlend) and len(row.of.weights) == 1 and row.of.weights[0][0] in pairs


def retain_basis(
    observed: Observed,
    requirements: Sequence[Requirement] = (Requirement.SEPARATE,),
    *,
    on_stage: OnStage = silent,
) -> Retained:
    """Collapse the candidates into their basis and say which coordinate meets what."""
    candidates, prover = observed.candidates, observed.prover
    basis = retain(
        observed.observation,
        candidates.costs,
        lambda index: prover.decide(candidates[index]),
        lambda done, total: on_stage(f"class {done:,} of {total:,}"),
    )
    return Retained(observed, basis, required_of(observed.calibration.cases, basis.coordinates, requirements))


def select(
    calibration: Calibration,
    family: CandidateFamily | None = None,
    authors: Contract | None = None,
    *,
    requirements: Sequence[Requirement] = DEFAULT_REQUIREMENTS,
    seconds: Fraction | None = None,
    every: bool = False,
    on_stage: OnStage = silent,
    engine: Engine | None = None,
) -> Selection:
    """The smallest contract for a calibration set, with its evidence; `every` asks for all optima.

    Where count and cost are not proved least within the budget there are no optima to list.
    """
    family = with_matcher(family or calibration.family, authors)
    found: list[tuple[tuple[int | Fraction, ...], Retained, Cover, Ordering | None]] = []
    by_matcher = []
    for matcher in family.matchers:
        observed = observe_family(calibration, family, authors, matcher=matcher, on_stage=on_stage, engine=engine)
        retained = retain_basis(observed, requirements, on_stage=on_stage)
        retained, cover, ordering = _least(retained, requirements, seconds, on_stage)
        by_matcher.append((matcher, len(cover.columns), cover.cost))
        given_up, margin = (len(ordering.given_up), ordering.weighed.margin) if ordering else (0, Fraction(0))
        key = (len(retained.unmet) + given_up, len(cover.columns), -margin, cover.cost)
        found.append((key, retained, cover, ordering))
    _, retained, cover, ordering = min(found, key=lambda one: one[0])
    optima = None
    if every and cover.proven >= Level.COST:
        on_stage("all other smallest sets")
        optima = _optima(retained, cover, ordering, seconds)
    on_stage("tolerances")
    return Selection(
        retained,
        tuple(requirements),
        cover,
        ordering,
        readable_clauses(retained.observed, [retained.basis.coordinates[place] for place in cover.columns]),
        optima,
        tuple(by_matcher),
        (*retained.observed.warnings, *_author_warnings(retained)),
    )


def _least(
    retained: Retained, requirements: Sequence[Requirement], seconds: Fraction | None, on_stage: OnStage
) -> tuple[Retained, Cover, Ordering | None]:
    """The smallest set that meets what some coordinate meets, with weights if the order is required."""
    on_stage("the smallest set")
    required, coordinates = retained.required, retained.basis.coordinates
    if seconds is None and not required.whole:
        seconds = SEARCH
    ordered = None
    if Requirement.ORDER in requirements:
        classes = retained.observed.observation.classes.tolist()
        ordered = order_clauses(
            coordinates,
            retained.met,
            required.met_pairs,
            classes,
            seconds=seconds,
            many=not required.whole,
            on_stage=on_stage,
        )
    if ordered is None:
        required, cover = least_cover(coordinates, required, seconds=seconds, on_stage=on_stage)
        return replace(retained, required=required), cover, None
    ordering, cover = ordered
    return replace(retained, required=replace(required, rows=(*retained.unmet, *ordering.rows))), cover, ordering


def _optima(retained: Retained, cover: Cover, ordering: Ordering | None, seconds: Fraction | None) -> Optima:
    if ordering is None:
        return all_optima(_problem(retained), cover, limit=MOST_OPTIMA, seconds=seconds)
    rows = [row for row in retained.met if not isinstance(row.of, PairBlend)]
    costs = [coordinate.cost for coordinate in retained.basis.coordinates]
    return equally_good(ordering, rows, costs, cover, limit=MOST_OPTIMA)


def _problem(retained: Retained) -> Problem:
    return Problem(tuple(row.coordinates for row in retained.met), tuple(c.cost for c in retained.basis.coordinates))


def _author_warnings(retained: Retained) -> list[Diagnostic]:
    """An author's clauses that are not candidates are named, never dropped silently."""
    observed, basis = retained.observed, retained.basis
    found = []
    for index, clause in enumerate(observed.candidates.authors):
        place = TextPlace(observed.candidates.contract.source, clause.span) if observed.candidates.contract else None
        if index in basis.undecided:
            headline = f"it stayed open whether a perfect prediction satisfies `{clause.name}`; it was left out"
            found.append(Diagnostic("undecided-clause", headline, place))
        elif observed.observation.screening[index] != Screening.PASSED or index in basis.refuted:
            headline = f"a perfect prediction violates `{clause.name}`; it was left out"
            found.append(Diagnostic("imperfect-clause", headline, place, "ask for what a perfect prediction does"))
    return found


# Larger families


@dataclass(frozen=True, slots=True)
class Extension:
    """A larger family, what it would hold, and which of the open requirements it would meet, with a candidate each."""

    words: str
    size: int
    most: int
    found: tuple[tuple[Pair, str], ...]

    @property
    def affordable(self) -> bool:
        """Whether it fits the bound of the family."""
        return self.size <= self.most


def larger_families(selection: Selection, describe: Callable[[Candidates, int], str]) -> list[Extension]:
    """What the next radius and the next depth within the bound would do for the pairs that are not separated.

    Two cases with the same traces are left out: no family separates them.
    """
    retained = selection.retained
    trials = retained.observed.trials
    unmet = [row.of for row in retained.unmet if isinstance(row.of, Pair)]
    pairs = [pair for pair in unmet if not trials.alike(pair.worse, pair.better)]
    family, calibration = retained.observed.candidates.family, selection.calibration
    if not pairs or not family.obligations:
        return []
    radius = 2 * max(family.tolerances, default=calibration.step)
    found = []
    for words, larger in (
        (f"a tolerance of {short(radius * 1000)} ms", family.wider(radius)),
        (f"depth {family.depth + 1}", family.deeper()),
    ):
        size = family_size(larger, calibration.step)
        met: tuple[tuple[Pair, str], ...] = ()
        if size <= family.most:
            observed = observe_family(calibration, larger, matcher=retained.observed.matcher)
            met = tuple(
                (pair, describe(observed.candidates, candidate))
                for pair in pairs
                if (candidate := _separator(observed, pair)) is not None
            )
        found.append(Extension(words, size, family.most, met))
    return found


_TRIED = 50
_BLOCK = 1024


def _separator(observed: Observed, pair: Pair) -> int | None:
    """The cheapest proved candidate that meets the requirement of a pair (14.17), among the first few."""
    costs = observed.candidates.costs
    passed = np.flatnonzero(observed.observation.screening == Screening.PASSED).tolist()
    passed.sort(key=lambda index: (costs[index], index))
    tried = 0
    for start in range(0, len(passed), _BLOCK):
        block = passed[start : start + _BLOCK]
        compared = Compared.of_seen(observed.observation.seen(block).on((pair.worse, pair.better)))
        for place in np.flatnonzero(compared.lower(np.array([0]), np.array([1]))[0]).tolist():
            tried += 1
            if observed.prover.decide(observed.candidates[block[place]]).outcome is Outcome.YES:
                return int(block[place])
            if tried == _TRIED:
                return None
    return None
