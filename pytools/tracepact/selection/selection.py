"""The way from a calibration set to the smallest contract, its weights, and the contract as text."""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any

import msgspec

from tracepact.declarations import OnStage, silent
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Diagnostic, Source, TextPlace
from tracepact.engines import Engine
from tracepact.language.contract import Contract, Matcher
from tracepact.language.printer import format_document
from tracepact.language.reader import read_document
from tracepact.selection.basis import (
    Basis,
    Coordinate,
    Observed,
    ReadableClause,
    observe_family,
    readable_clauses,
    retain,
    with_matcher,
)
from tracepact.selection.calibration import Calibration, CandidateFamily
from tracepact.selection.candidates import describe
from tracepact.selection.concessions import Agreed, Conflict, without_conflicts
from tracepact.selection.cover import SECOND_OPINION, all_optima, bounded, solve
from tracepact.selection.cover_problem import Clock, Cover, CoverAnswer, Level, Optima, Problem
from tracepact.selection.games import PairDifferences, WholeWeights, differences_of
from tracepact.selection.judgements import PreferencesRecord
from tracepact.selection.requirements import (
    DEFAULT_REQUIREMENTS,
    FaultCases,
    Pair,
    PairBlend,
    Required,
    Row,
    SelectionRequirement,
    blend_words,
    least_cover,
    required_of,
)
from tracepact.selection.trials import settings_text
from tracepact.selection.values import Screening
from tracepact.selection.weights import Blend, Order, Proven, Weighed, weigh, written_weights
from tracepact.wording import at_least, count, print_number

# A selection that orders: its conflicts, its clauses and weights, and the cover that shows that fewer do not.

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

    differences: PairDifferences
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
    *,
    seconds: Fraction | None,
    proved: bool = True,
    many: bool = False,
    known: WholeWeights = (),
    blends: Sequence[PairBlend] = (),
    on_stage: OnStage = silent,
) -> tuple[Ordering, Cover] | None:
    """The fewest coordinates that meet the rows and have weights that order the pairs; None if there is no such pair.

    The rows and the pairs are those that some coordinate meets. Pairs in conflict are given up, with their rows, as few
    as can be; if there are `many`, of which not each has a row, those that the best weights found do not order. Without
    `proved`, or with `many`, no second solver is asked. `known` are weights on coordinates that may order all pairs
    already. `blends` of pairs that are kept may be useful.
    """
    on_stage("pairs that no weights order together")
    if not pairs:
        return None
    clock = Clock.of(seconds)
    differences = differences_of(coordinates, pairs)
    # weights that order all pairs show that there is no conflict, and looking for one would take half of the time
    agreed = Agreed(differences, known=known)
    if not known or Order(differences).margin(known) <= 0:
        share = clock if seconds is None else clock.at_most(seconds * _AGREEING)
        agreed = without_conflicts(differences, share, many=many)
    costs = tuple(coordinate.cost for coordinate in coordinates)
    lost = set(agreed.given_up)
    rows = tuple(row for row in rows if row.of not in lost)
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
        shown = solve(problem, seconds=time, on_stage=on_stage, opinion=opinion)
    weights, margin = written_weights(
        weighed.weights, lambda whole: order.margin(tuple(zip(weighed.columns, whole, strict=True))) / differences.scale
    )
    ordering = Ordering(differences, weighed, weights, margin, agreed.conflicts, agreed.given_up, agreed.bound, rows)
    return ordering, _cover(problem, weighed, shown)


def _placed(differences: PairDifferences, blends: Sequence[PairBlend]) -> list[Blend]:
    """Blends by the places of their pairs, each alone, in whole weights; those of pairs that are not there are none."""
    place, placed = {pair: k for k, pair in enumerate(differences.pairs)}, []
    for blend in blends:
        if all(pair in place for pair, _ in blend.weights):
            common = lcm(*(weight.denominator for _, weight in blend.weights))
            placed.append(Blend(tuple(sorted((place[pair], int(weight * common)) for pair, weight in blend.weights))))
    return placed


def _unweighed(agreed: Agreed, rows: tuple[Row, ...], cover: Cover) -> Ordering:
    """Nothing is left to order: every clause has the weight 1."""
    ones, none = (1,) * len(cover.columns), Fraction(0)
    proven = Proven.ORDER if cover.optimal else Proven.NOTHING
    weighed = Weighed(cover.columns, tuple(Fraction(1, len(ones)) for _ in ones), none, none, proven, ())
    return Ordering(agreed.differences, weighed, ones, none, agreed.conflicts, agreed.given_up, agreed.bound, rows)


def _row(order: Order, blend: Blend) -> Row:
    weights = tuple((order.differences.pair(place), Fraction(w, blend.total)) for place, w in blend.weights)
    return Row(PairBlend(weights), order.mask(blend, Fraction(0), strict=True))


def _cover(problem: Problem, weighed: Weighed, shown: Cover) -> Cover:
    """The selected clauses with the evidence that no fewer do; margin, cost and order are the search's to prove."""
    cost = problem.cost(weighed.columns)
    fewest = Level.COUNT if len(weighed.columns) == shown.count_bound else Level.NONE
    proven = Level.ORDER if weighed.proven is Proven.ORDER else fewest
    second = msgspec.structs.replace(shown.second_solver, cheaper=CoverAnswer.UNASKED, earlier=CoverAnswer.UNASKED)
    return replace(
        shown,
        columns=weighed.columns,
        cost=cost,
        proven=proven,
        cost_bound=cost if proven is Level.ORDER else shown.cost_bound,
        second_solver=second,
    )


# The way from a calibration set to the smallest contract: candidates, values, basis, requirements, cover.

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
    def met(self) -> tuple[Row, ...]:
        """The rows that some coordinate meets."""
        return tuple(row for row in self.required.rows if row.coordinates)

    @property
    def unmet(self) -> tuple[Row, ...]:
        """The rows that no coordinate meets."""
        return tuple(row for row in self.required.rows if not row.coordinates)


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """A selected contract with its evidence; `by_matcher` has the count and cost of the best under each matcher.

    `ordering` has its weights, if the order was required; `clauses` are the coordinates as they are written; `judged`
    is there if preferences, and not ranks, say which case is worse.
    """

    retained: Retained
    requirements: tuple[SelectionRequirement, ...]
    cover: Cover
    ordering: Ordering | None
    clauses: tuple[ReadableClause, ...]
    optima: Optima | None
    by_matcher: tuple[tuple[Matcher, int, int], ...]
    diagnostics: tuple[Diagnostic, ...]
    judged: PreferencesRecord | None = None

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
    def needed_for(self) -> tuple[tuple[Row, ...], ...]:
        """By chosen coordinate what only it meets; in a least set that is never nothing."""
        chosen = self.cover.columns
        mask = sum(1 << place for place in chosen)
        pairs = {row.of for row in self.retained.met if isinstance(row.of, Pair)}
        # a blend of one pair asks no more than the row of that pair
        rows = [
            row
            for row in self.retained.met
            if not (isinstance(row.of, PairBlend) and len(row.of.weights) == 1 and row.of.weights[0][0] in pairs)
        ]
        return tuple(tuple(row for row in rows if row.coordinates & mask == 1 << place) for place in chosen)


def retain_basis(
    observed: Observed,
    requirements: Sequence[SelectionRequirement] = (SelectionRequirement.SEPARATE,),
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


def select_contract(
    calibration: Calibration,
    family: CandidateFamily | None = None,
    authors: Contract | None = None,
    *,
    requirements: Sequence[SelectionRequirement] = DEFAULT_REQUIREMENTS,
    seconds: Fraction | None = None,
    every: bool = False,
    on_stage: OnStage = silent,
    engine: Engine | None = None,
) -> Selection:
    """The smallest contract for a calibration set, with its evidence; `every` asks for all optima.

    Where count and cost are not proved least within the budget there are no optima to list.
    """
    family = with_matcher(family or calibration.family, authors)
    selected: list[tuple[tuple[int | Fraction, ...], Retained, Cover, Ordering | None]] = []
    by_matcher = []
    for matcher in family.matchers:
        observed = observe_family(calibration, family, authors, matcher=matcher, on_stage=on_stage, engine=engine)
        retained = retain_basis(observed, requirements, on_stage=on_stage)
        retained, cover, ordering = _least(retained, requirements, seconds, on_stage)
        by_matcher.append((matcher, len(cover.columns), cover.cost))
        given_up, margin = (len(ordering.given_up), ordering.weighed.margin) if ordering else (0, Fraction(0))
        # what is met comes before how many clauses do it: a matcher under which less is met is never smaller
        key = (len(retained.unmet) + given_up, len(cover.columns), -margin, cover.cost)
        selected.append((key, retained, cover, ordering))
    _, retained, cover, ordering = min(selected, key=lambda one: one[0])
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
    retained: Retained, requirements: Sequence[SelectionRequirement], seconds: Fraction | None, on_stage: OnStage
) -> tuple[Retained, Cover, Ordering | None]:
    """The smallest set that meets what some coordinate meets, with weights if the order is required."""
    on_stage("the smallest set")
    required, coordinates = retained.required, retained.basis.coordinates
    if seconds is None and not required.whole:
        seconds = SEARCH
    ordered = None
    if SelectionRequirement.ORDER in requirements:
        ordered = order_clauses(
            coordinates, retained.met, required.met_pairs, seconds=seconds, many=not required.whole, on_stage=on_stage
        )
    if ordered is None:
        required, cover = least_cover(coordinates, required, seconds=seconds, on_stage=on_stage)
        return replace(retained, required=required), cover, None
    ordering, cover = ordered
    return replace(retained, required=replace(required, rows=(*retained.unmet, *ordering.rows))), cover, ordering


def _optima(retained: Retained, cover: Cover, ordering: Ordering | None, seconds: Fraction | None) -> Optima:
    """Every set with the count, the cost and, where the order is kept, the margin of the best one."""
    costs = tuple(coordinate.cost for coordinate in retained.basis.coordinates)
    if ordering is None:
        problem = Problem(tuple(row.coordinates for row in retained.met), costs)
        return all_optima(problem, cover, limit=MOST_OPTIMA, seconds=seconds)
    # a blend asks for a positive margin; of optima the largest margin is asked, so the blends are asked anew
    masks = [row.coordinates for row in retained.met if not isinstance(row.of, PairBlend)]
    weighed, order = ordering.weighed, Order(ordering.differences)
    least = weighed.margin * ordering.differences.scale
    masks += [order.mask(blend, least, strict=False) for blend in weighed.blends]
    optima = all_optima(Problem(tuple(masks), costs), cover, limit=MOST_OPTIMA)
    kept = tuple(columns for columns in optima if order.weights(columns).margin >= least)
    return Optima(kept, optima.complete)


def _author_warnings(retained: Retained) -> list[Diagnostic]:
    """An author's clauses that are not candidates are named, never dropped silently."""
    observed, basis = retained.observed, retained.basis
    warnings = []
    for index, clause in enumerate(observed.candidates.authors):
        place = TextPlace(observed.candidates.contract.source, clause.span) if observed.candidates.contract else None
        if index in basis.undecided:
            headline = f"it stayed open whether a perfect prediction satisfies `{clause.name}`; it was left out"
            warnings.append(Diagnostic("undecided-clause", headline, place))
        elif observed.observation.screening[index] != Screening.PASSED or index in basis.refuted:
            headline = f"a perfect prediction violates `{clause.name}`; it was left out"
            warnings.append(Diagnostic("imperfect-clause", headline, place, "ask for what a perfect prediction does"))
    return warnings


# The selected contract as a file: ready to use, each clause with the reason why it is there.

_WIDTH = 100
_SHOWN = 3
HARM = "harm"
"""The name of the profile that keeps the order."""
_CLIPS = "The mean over clips, so that a clip counts the same whatever it is scored with"
_ORDERED = "what is worse alone is worse in a corpus of the same labels"


def contract_text(selection: Selection) -> str:
    """The selected contract in canonical form; what `tracepact check` says of it is the caller's to ask."""
    source = Source(f"{selection.calibration.name}.contract", _written(selection))
    diagnostics = Diagnostics()
    # through the reader and the printer of the language: the file is canonical, so its digest is that of its meaning
    document = read_document(source, diagnostics)
    diagnostics.raise_errors()  # a statement that is not understood would be left out
    return format_document(document, source)


def _written(selection: Selection) -> str:
    calibration = selection.calibration
    title = f"Selected from {len(calibration.cases)} cases of {calibration.name}"
    said = {word for clause in selection.clauses for word in re.findall(r"[A-Za-z_]\w*", clause.text)}
    atoms = [atom for atom in calibration.atoms if atom in said]
    name = re.sub(r"[^A-Za-z0-9_]", "_", calibration.name)  # rule 1.3
    name = f"{'_' if name[:1].isdigit() else ''}{name}_selected"
    settings = settings_text(calibration, selection.matcher, name, title, atoms)
    lines = [*_opening(selection), settings.rstrip()]
    clips = f"{_CLIPS}: {_ORDERED}." if selection.ordering else f"{_CLIPS}."
    lines += [*_comment(clips), "aggregate macro_clips", *_parameters(selection)]
    for only, clause in zip(selection.needed_for, selection.clauses, strict=True):
        ranges = [line for number in clause.ranges for line in _comment(number.words)]
        lines += ["", *_reasons(selection, only), *ranges, f"clause {clause.name} {clause.text}"]
    lines += _profile(selection)
    return "\n".join(lines) + "\n"


def _profile(selection: Selection) -> list[str]:
    """The weights under which the order of harm is kept."""
    ordering = selection.ordering
    if ordering is None or not ordering.differences.pairs:
        return []
    ordered, every = len(ordering.differences.pairs), len(selection.retained.required.pairs)
    partly = not selection.judged and ordered < every
    pairs = f"{ordered:,} of {count(every, 'pair')}" if partly else count(ordered, "pair")
    which = "that were judged" if selection.judged else "of different rank"
    text = (
        f"Weighed like this the mean is lower on the worse case of {pairs} {which}, by {at_least(ordering.margin)} or "
        "more."
    )
    weights = zip(selection.clauses, ordering.weights, strict=True)
    weighed = [f"{clause.name} = {weight}" for clause, weight in weights if weight]
    return ["", *_comment(text), f"profile {HARM} : {', '.join(weighed)}"]


def _parameters(selection: Selection) -> list[str]:
    """The parameters that an author's chosen clauses mention."""
    candidates = selection.retained.observed.candidates
    written = [describe(candidates, c.candidate) for c in selection.coordinates if candidates[c.candidate].name]
    mentioned = {word for text in written for word in re.findall(r"[A-Za-z_]\w*", text)}
    declared = candidates.contract.parameters if candidates.contract else ()
    return [f"param {p.name} = {p.text}" for p in declared if p.name in mentioned]


def _opening(selection: Selection) -> list[str]:
    cover, basis = selection.cover, selection.retained.basis
    least = "has a larger margin" if selection.ordering else "costs less"
    proven = f"none smaller meets it, and none as small {least}" if cover.optimal else _gap(selection)
    text = (
        f"{len(cover.columns)} of {len(basis.coordinates)} coordinates, cost {cover.cost}: {proven}. "
        f"Required: {' and '.join(r.value for r in selection.requirements)}, {selection.met} of "
        f"{selection.retained.required.number} met."
    )
    if selection.judged is not None:
        violated, weight = (
            print_number(number) for number in (selection.judged.violated_weight, selection.judged.weight)
        )
        text += f" Of the weight of the judgements, {weight}, it violates {violated}."
    if selection.ordering is None and SelectionRequirement.SEPARATE in selection.requirements:
        text += " Of two cases of different rank some clause is lower on the worse one; others may be higher."
    return _comment(text)


def _gap(selection: Selection) -> str:
    cover = selection.cover
    if selection.judged is not None and selection.judged.path is not None:
        return f"fitted to the judgements, {selection.judged.path.words}; no fewer than {cover.count_bound} will do"
    if cover.count_bound < len(cover.columns):
        return f"the best found in the time; at least {cover.count_bound} are needed"
    ordering = selection.ordering
    met = "all that it meets" if ordering and len(ordering.given_up) > ordering.bound else "it"
    return f"the best found in the time; none with fewer clauses meets {met}, the rest is not proved"


def _reasons(selection: Selection, only: tuple[Row, ...]) -> list[str]:
    shown = "; ".join(row_words(selection, row) for row in only[:_SHOWN])
    more = f"; and {len(only) - _SHOWN} more" if len(only) > _SHOWN else ""
    return _comment(f"Alone among these it {shown}{more}." if only else "Kept by the search; nothing needs it alone.")


def row_words(selection: Selection, row: Row) -> str:
    """What a requirement asks, in words, for a coordinate that meets it."""
    cases = selection.calibration.cases
    match row.of:
        case Pair(worse, better):
            if selection.judged:
                return f"puts `{cases[worse].name}` below `{cases[better].name}`"
            said = [f" ({print_number(cases[place].rank)})" for place in (worse, better)]
            return f"ranks `{cases[worse].name}`{said[0]} below `{cases[better].name}`{said[1]}"
        case FaultCases(name):
            return f"names `{name}`"
        case PairBlend(weights):
            return f"is {blend_words([(cases[p.worse].name, cases[p.better].name) for p, _ in weights])}"


def _comment(text: str) -> list[str]:
    """A comment in lines of a readable width."""
    plain = " ".join(text.split())
    signs: dict[str, Any] = {"initial_indent": "# ", "subsequent_indent": "# "}
    return textwrap.wrap(plain, _WIDTH, break_long_words=False, break_on_hyphens=False, **signs)
