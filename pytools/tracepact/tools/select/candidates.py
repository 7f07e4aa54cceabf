"""The candidates of a selection in their order: an author's clauses, formulas under obligations, event predicates."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from tracepact.calibration.family import CONNECTIVES, CandidateFamily
from tracepact.core import Contract, Dag, EventClause, Formula, FrameClause, Implies, cost, reach
from tracepact.diagnostics import Diagnostics, Place
from tracepact.lang import parse_formula
from tracepact.tools.select.formulas import enumerate_formulas, formula_count, formula_of, node_costs, radii
from tracepact.tools.select.predicates import enumerate_predicates, predicate_cost, predicate_count


@dataclass(frozen=True, slots=True)
class FrameCandidate:
    """At every frame of the obligation the formula; `name` is the author's, if one wrote it."""

    obligation: Formula
    formula: Formula
    name: str | None = None

    @property
    def duty(self) -> Formula:
        """What is to be shown at an obligation: the formula without the obligation as its condition."""
        match self.formula:
            case Implies(left, right) if left == self.obligation:
                return right
        return self.formula


@dataclass(frozen=True, slots=True)
class EventCandidate:
    """A predicate of every obligated interval; `name` is the author's, if one wrote it."""

    clause: EventClause
    name: str | None = None


Candidate = FrameCandidate | EventCandidate


class Candidates:
    """All candidates by their place in the order; one is made when it is asked for."""

    def __init__(self, family: CandidateFamily, step: Fraction, authors: Contract | None = None) -> None:
        self.family = family
        self.step = step
        self.contract = authors
        self.authors: tuple[FrameClause | EventClause, ...] = authors.clauses if authors else ()
        self.dag = Dag()
        self.obligation_formulas = [parse_formula(text, step) for text in family.obligations]
        self.formulas = enumerate_formulas(family, step, self.dag) if family.obligations else []
        self.obligations = [self.dag.add(formula) for formula in self.obligation_formulas]
        self.predicates = enumerate_predicates(family, step)

    def __len__(self) -> int:
        return self.first_event + len(self.predicates)

    @property
    def first_frame(self) -> int:
        """Where the generated frame candidates begin."""
        return len(self.authors)

    @property
    def first_event(self) -> int:
        """Where the generated event candidates begin."""
        return self.first_frame + len(self.formulas) * len(self.obligations)

    def __getitem__(self, index: int) -> Candidate:
        if index < self.first_frame:
            clause = self.authors[index]
            if isinstance(clause, EventClause):
                return EventCandidate(clause, clause.name)
            return FrameCandidate(clause.obligation, clause.formula, clause.name)
        if index >= self.first_event:
            return EventCandidate(self.predicates[index - self.first_event])
        formula, obligation = divmod(index - self.first_frame, len(self.obligations))
        condition = self.obligation_formulas[obligation]
        return FrameCandidate(condition, Implies(condition, formula_of(self.dag, self.formulas[formula])))

    @cached_property
    def costs(self) -> list[int]:
        """The cost of every candidate (rule 14.11)."""
        by_node = node_costs(self.dag)
        asked = [2 * by_node[obligation] + 1 for obligation in self.obligations]
        return [
            *map(_author_cost, self.authors),
            *(by_node[formula] + extra for formula in self.formulas for extra in asked),
            *map(predicate_cost, self.predicates),
        ]

    @property
    def reach(self) -> int:
        """The gap between clips that keeps every window inside its own."""
        widest = max(radii(self.family, self.step), default=1)
        written = [reach(f) for c in self.authors if isinstance(c, FrameClause) for f in (c.obligation, c.formula)]
        asked = [reach(formula) for formula in self.obligation_formulas]
        return max([1, widest, *written, *asked])


def _author_cost(clause: FrameClause | EventClause) -> int:
    if isinstance(clause, EventClause):
        return predicate_cost(clause)
    return cost(clause.obligation) + cost(clause.formula)


def family_size(family: CandidateFamily, step: Fraction, authors: Sequence[object] = ()) -> int:
    """How many candidates there are, without making them."""
    formulas = formula_count(family, step) if family.obligations else 0
    return len(authors) + len(family.obligations) * formulas + predicate_count(family, step)


def check_size(
    family: CandidateFamily, step: Fraction, authors: Contract | None, diagnostics: Diagnostics, place: Place
) -> None:
    """Refuse a family beyond its bound, and an empty one (rule 14.7)."""
    clauses = authors.clauses if authors else ()
    number = family_size(family, step, clauses)
    if number > family.most:
        diagnostics.add(
            "family-too-large",
            f"the family has {number:,} candidates; its bound `most` is {family.most:,}",
            place,
            _smaller(family, step, clauses) or f"raise `most` to {number}",
        )
    elif not number:
        diagnostics.add("empty-family", "the family has no candidate", place, "give it clauses")


def _smaller(family: CandidateFamily, step: Fraction, clauses: Sequence[object]) -> str | None:
    """Which bound to lower so that the family fits, and what that leaves: one of them, or else several together."""
    smaller = [(way(less), less) for way, change in _WAYS if (less := change(family)) != family]
    sizes = [(words, family_size(less, step, clauses)) for words, less in smaller]
    fitting = [f"{words} ({size:,})" for words, size in sizes if 0 < size <= family.most]
    if fitting:
        return f"{', or '.join(fitting)}; or raise `most`"
    together, words, size = family, dict[int, str](), 0
    for place in [*range(len(_WAYS))] * _ROUNDS:
        way, change = _WAYS[place]
        if (less := change(together)) != together:
            together, words[place] = less, way(less)
            size = family_size(together, step, clauses)
        if 0 < size <= family.most:
            return f"{' and '.join(words.values())} ({size:,}); or raise `most`"
    return None


_ROUNDS = 4
_WAYS: tuple[tuple[Callable[[CandidateFamily], str], Callable[[CandidateFamily], CandidateFamily]], ...] = (
    (
        lambda less: "leave `and` and `or` out of `operators`",
        lambda family: replace(family, operators=tuple(o for o in family.operators if o not in CONNECTIVES)),
    ),
    (
        lambda less: f"lower `depth` to {less.depth}",
        lambda family: replace(family, depth=max(family.depth - 1, min(family.depth, family.from_depth))),
    ),
    (
        lambda less: f"keep {len(less.tolerances)} of the `tolerances`",
        lambda family: replace(family, tolerances=family.tolerances[: max(1, len(family.tolerances) // 2)]),
    ),
    (lambda less: "set `joined` to false", lambda family: replace(family, joined=False)),
)
"""What makes a family smaller, each in words about the smaller one."""
