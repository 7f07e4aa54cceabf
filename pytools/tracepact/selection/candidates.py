"""The candidates of a selection in their order: formulas under obligations, event predicates, their words."""

import re
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Place
from tracepact.language.compilation import parse_formula
from tracepact.language.contract import Contract, EventClause, FrameClause
from tracepact.language.formula import (
    Always,
    And,
    Atom,
    Dag,
    Eventually,
    Formula,
    Implies,
    Not,
    Or,
    Since,
    Until,
    cost,
    reach,
)
from tracepact.logic.decisions import formula_text
from tracepact.selection.calibration import CONNECTIVES, CandidateFamily
from tracepact.selection.family import (
    enumerate_formulas,
    enumerate_predicates,
    formula_count,
    formula_of,
    node_costs,
    predicate_atoms,
    predicate_cost,
    predicate_count,
    radii,
)
from tracepact.wording import ms

# The candidates of a selection in their order: an author's clauses, formulas under obligations, event predicates.


@dataclass(frozen=True, slots=True)
class FrameCandidate:
    """At every frame of the obligation the formula; `name` is the author's, if one wrote it."""

    obligation: Formula
    formula: Formula
    name: str | None = None

    @property
    def duty(self) -> Formula:
        """The formula without the obligation as its condition, for names and proofs."""
        # generated formulas repeat their obligation as the condition of an implication, which no name or text needs
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


def candidate_of(clause: FrameClause | EventClause) -> Candidate:
    """A written clause as a candidate without a name."""
    return (
        EventCandidate(clause) if isinstance(clause, EventClause) else FrameCandidate(clause.obligation, clause.formula)
    )


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
        self.refined: tuple[FrameClause | EventClause, ...] = ()
        """Candidates with other numbers than the family lists, which come after all others (14.36)."""

    def __len__(self) -> int:
        return self.first_refined + len(self.refined)

    def refined_by(self, clauses: Sequence[FrameClause | EventClause]) -> "Candidates":
        """The candidates and some more with other numbers."""
        more = copy(self)
        more.__dict__.pop("costs", None)
        more.refined = (*self.refined, *clauses)
        return more

    @property
    def first_frame(self) -> int:
        """Where the generated frame candidates begin."""
        return len(self.authors)

    @property
    def first_event(self) -> int:
        """Where the generated event candidates begin."""
        return self.first_frame + len(self.formulas) * len(self.obligations)

    @property
    def first_refined(self) -> int:
        """Where the candidates with other numbers begin."""
        return self.first_event + len(self.predicates)

    def __getitem__(self, index: int) -> Candidate:
        if index < self.first_frame:
            clause = self.authors[index]
            if isinstance(clause, EventClause):
                return EventCandidate(clause, clause.name)
            return FrameCandidate(clause.obligation, clause.formula, clause.name)
        if index >= self.first_refined:
            return candidate_of(self.refined[index - self.first_refined])
        if index >= self.first_event:
            return EventCandidate(self.predicates[index - self.first_event])
        formula, obligation = divmod(index - self.first_frame, len(self.obligations))
        condition = self.obligation_formulas[obligation]
        return FrameCandidate(condition, Implies(condition, formula_of(self.dag, self.formulas[formula])))

    @cached_property
    def costs(self) -> list[int]:
        """The cost of every candidate (rule 14.11)."""
        by_node = node_costs(self.dag)
        conditions = [2 * by_node[obligation] + 1 for obligation in self.obligations]
        return [
            *map(_author_cost, self.authors),
            *(by_node[formula] + extra for formula in self.formulas for extra in conditions),
            *map(predicate_cost, self.predicates),
            *map(_author_cost, self.refined),
        ]

    @property
    def reach(self) -> int:
        """The gap between clips that keeps every window inside its own."""
        widest = max(radii(self.family, self.step), default=1)
        written = [reach(f) for c in self.authors if isinstance(c, FrameClause) for f in (c.obligation, c.formula)]
        conditions = [reach(formula) for formula in self.obligation_formulas]
        return max([1, widest, *written, *conditions])


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
    # a way can be taken again: depth and tolerances go down a step at a time
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
"""Ways to make a family smaller, each in words about the smaller one."""


# Candidates as text: on one line, in parts, and the names of clauses made of them.

_LONGEST_NAME = 60


def _predicate_text(formula: Formula) -> str:
    """A predicate; the names of its atoms are their canonical texts."""
    match formula:
        case Atom(name):
            return name
        case And(left, right):
            return f"{_part_text(left)} and {_part_text(right)}"
        case Or(left, right):
            return f"{_part_text(left)} or {_part_text(right)}"
        case Not(body):
            return f"not {_part_text(body)}"
    raise TypeError(f"no family has a predicate {formula}")


def _part_text(formula: Formula) -> str:
    text = _predicate_text(formula)
    return text if isinstance(formula, Atom) else f"({text})"


def describe(candidates: Candidates, index: int) -> str:
    """A candidate on one line; an author's clause as it is written."""
    if candidates.contract is not None and index < candidates.first_frame:
        text = candidates.contract.source.text
        clause = candidates.authors[index]
        return " ".join(text[clause.span.start : clause.span.end].split()).split(None, 2)[2]
    return candidate_text(candidates[index], candidates.step)


def candidate_text(candidate: Candidate, step: Fraction) -> str:
    """The text of a clause after its name."""
    if isinstance(candidate, EventCandidate):
        return f"on each {candidate.clause.each.value} : {_predicate_text(candidate.clause.formula)}"
    return f"on {formula_text(candidate.obligation, step)} : {formula_text(candidate.formula, step)}"


_SUBJECTS = {"ref": "event", "pred": "prediction", "matched": "pair"}
_SAID: tuple[tuple[str, str], ...] = (
    ("matched", "matched"),
    ("covering", "in_one_piece"),
    ("purity", "pure"),
    ("coverage", "covered"),
    ("iou", "overlaps"),
    ("longest_gap", "without_long_gap"),
    ("shortest_gap", "without_short_gap"),
    ("duration", "keeps_length"),
)
"""What a comparison says, by the attribute that it is about."""


def clause_name(candidate: Candidate, step: Fraction, index: int) -> str:
    """The author's name, or what a person would call what the candidate says, without its numbers (14.21)."""
    if candidate.name is not None:
        return candidate.name
    if isinstance(candidate, EventCandidate):
        subject = _SUBJECTS[candidate.clause.each.value]
        parts = [_said(name) for name in predicate_atoms(candidate.clause.formula)]
        words = f"{subject}_{'_and_'.join(dict.fromkeys(parts))}"
    else:
        words = _sentence(formula_text(candidate.obligation, step).replace("!", "no "), candidate.duty, step)
    name = re.sub(r"[^A-Za-z0-9]+", "_", words).strip("_")
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 8].rstrip('_')}_{index}"


def _said(comparison: str) -> str:
    for end in ("onset", "offset"):
        if f".{end}" in comparison:
            side = "near" if comparison.startswith("abs") else "not_late" if "<=" in comparison else "not_early"
            return f"{end}_{side}"
    return next(words for attribute, words in _SAID if attribute in comparison)


def _sentence(where: str, duty: Formula, step: Fraction) -> str:
    """What is to be, and where from the obligation it is to be."""
    match duty:
        case Eventually(lo, hi, body) | Always(lo, hi, body):
            every = "" if isinstance(duty, Eventually) else "all_"
            side = "near" if lo == -hi else "soon_after" if lo == 0 else "shortly_before"
            return f"{every}{_words(body, step)} {side} {where}"
    return f"{_words(duty, step)} at {where}"


def _words(formula: Formula, step: Fraction) -> str:
    def reach(frames: int) -> str:
        return ms(abs(frames) * step).replace(".", "p").replace("/", "over")

    match formula:
        case Atom(name):
            return name
        case Not(body):
            return f"no {_words(body, step)}"
        case And(a, b):
            return f"{_words(a, step)} and {_words(b, step)}"
        case Or(a, b):
            return f"{_words(a, step)} or {_words(b, step)}"
        case Eventually(lo, hi, body) | Always(lo, hi, body):
            kind = "" if isinstance(formula, Eventually) else "all "
            side = "near" if lo == -hi else "ahead" if lo == 0 else "back"
            return f"{kind}{side} {reach(hi or lo)} {_words(body, step)}"
        case Until(radius, a, b):
            return f"{_words(a, step)} until {reach(radius)} {_words(b, step)}"
        case Since(radius, a, b):
            return f"{_words(a, step)} since {reach(radius)} {_words(b, step)}"
    return "formula"
