"""Whether a perfect prediction satisfies a candidate on every trace, decided (rule 14.8).

A frame candidate with the prediction replaced by the reference is a question of one trace. It is answered by a rule
where the obligation itself is a witness; by the short traces that were tried, where no longer one can show anything
new (`tracepact.logic.bound`); else by the solver, for every length. An event predicate becomes one of an onset and a
length: every interval is matched with itself, which no other overlaps, whatever the matcher.
"""

from dataclasses import dataclass, field
from fractions import Fraction

from tracepact.core import (
    And,
    Atom,
    Constant,
    EventAtom,
    EventClause,
    Eventually,
    Formula,
    Implies,
    Not,
    Or,
    Since,
    Until,
    atoms,
)
from tracepact.core.contract import BUILTIN_ATOMS
from tracepact.logic import Budget, Outcome, Terms, Verdict, bound, valid
from tracepact.logic.perfect import perfect_interval_with, perfected
from tracepact.tools.select.candidates import Candidate, FrameCandidate
from tracepact.tools.select.trials import SHORT

PROOF_BUDGET = Budget(seconds=5.0)


@dataclass(frozen=True, slots=True)
class Proof:
    """The answer, and what it rests on: `rule`, `short traces` or `solver`."""

    outcome: Outcome
    by: str


@dataclass(slots=True)
class Prover:
    """Decides candidates one by one and remembers what it was asked."""

    step: Fraction
    budget: Budget = PROOF_BUDGET
    known: dict[tuple[Formula, Formula], Proof] = field(default_factory=dict)
    predicates: dict[tuple[Formula, tuple[EventAtom, ...]], Proof] = field(default_factory=dict)

    def decide(self, candidate: Candidate) -> Proof:
        """Whether a candidate that passed the tests is perfect."""
        if not isinstance(candidate, FrameCandidate):
            return self._predicate(candidate.clause, candidate.clause.formula)
        asked = perfected(candidate.obligation), perfected(candidate.formula)
        if asked not in self.known:
            self.known[asked] = self._frames(*asked)
        return self.known[asked]

    def _predicate(self, clause: EventClause, formula: Formula) -> Proof:
        """A conjunction is perfect if both its parts are, so each part is asked about once."""
        if isinstance(formula, And):
            left, right = (self._predicate(clause, part) for part in (formula.left, formula.right))
            return left if left.outcome is not Outcome.YES else right
        event_atoms = dict(clause.event_atoms)
        asked = formula, tuple(event_atoms[name] for name in sorted(atoms(formula)))
        if asked not in self.predicates:
            self.predicates[asked] = _predicate(formula, event_atoms, self.step, self.budget)
        return self.predicates[asked]

    def _frames(self, obligation: Formula, formula: Formula) -> Proof:
        if follows(formula, facts(obligation)):
            return Proof(Outcome.YES, "rule")
        failing = And(obligation, Not(formula))
        if bound(failing) <= SHORT and atoms(failing) <= set(BUILTIN_ATOMS):
            return Proof(Outcome.YES, "short traces")
        decision = valid(formula, Terms(obligation=obligation, budget=self.budget, minimise=False))
        return Proof(decision.outcome, "solver")


def facts(formula: Formula) -> frozenset[Formula]:
    """The conjuncts of a formula, and what an onset and an offset say of activity (rule 5.6)."""
    match formula:
        case And(a, b):
            return facts(a) | facts(b)
        case Atom("ref_onset"):
            return frozenset({formula, Atom("ref_active")})
        case Atom("ref_offset"):
            return frozenset({formula, Not(Atom("ref_active"))})
    return frozenset({formula})


def follows(formula: Formula, known: frozenset[Formula]) -> bool:
    """Whether a formula holds wherever the facts do, seen from its form alone; False says nothing."""
    if formula in known or formula == Constant(True):
        return True
    match formula:
        case Implies(left, right):
            return follows(right, known | facts(left))
        case And(left, right):
            return follows(left, known) and follows(right, known)
        case Or(left, right):
            return follows(left, known) or follows(right, known)
        case Eventually(lo, hi, body):
            return lo <= 0 <= hi and follows(body, known)
        case Until(_, _, right) | Since(_, _, right):
            return follows(right, known)
    return False


# Event predicates


def _predicate(formula: Formula, event_atoms: dict[str, EventAtom], step: Fraction, budget: Budget) -> Proof:
    """Whether the predicate holds for an interval of any onset and length that is matched with itself alone."""
    failing, _ = perfect_interval_with(Not(formula), event_atoms, step, budget)
    outcomes = {Verdict.UNSAT: Outcome.YES, Verdict.SAT: Outcome.NO, Verdict.UNKNOWN: Outcome.UNKNOWN}
    return Proof(outcomes[failing], "solver")
