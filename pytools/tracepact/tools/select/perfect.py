"""Whether a perfect prediction satisfies a candidate on every trace, decided (rule 14.8).

A frame candidate with the prediction replaced by the reference is a question of one trace. It is answered by a rule
where the obligation itself is a witness; by the short traces that were tried, where no longer one can show anything
new (`tracepact.logic.bound`); else by the solver, for every length. An event predicate becomes one of an onset and a
length: every interval is matched with itself, which no other overlaps, whatever the matcher.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction

from tracepact.core import (
    Always,
    And,
    Atom,
    Constant,
    Each,
    EventAtom,
    EventClause,
    Eventually,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Since,
    Until,
    atoms,
)
from tracepact.core.contract import CLASS_ATOMS
from tracepact.logic import Budget, Outcome, Terms, bound, valid
from tracepact.logic import solver as z3
from tracepact.logic.arithmetic import SymbolicInterval, SymbolicObligation
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
        if bound(failing) <= SHORT and atoms(failing).isdisjoint(CLASS_ATOMS):
            return Proof(Outcome.YES, "short traces")
        decision = valid(formula, Terms(obligation=obligation, budget=self.budget, minimise=False))
        return Proof(decision.outcome, "solver")


def perfected(formula: Formula) -> Formula:
    """The formula with the reference in place of the prediction."""
    match formula:
        case Atom(name):
            return Atom(name.replace("pred_", "ref_"))
        case Constant():
            return formula
        case Not(body) | Eventually(body=body) | Always(body=body):
            return replace(formula, body=perfected(body))
        case (
            And(left=a, right=b)
            | Or(left=a, right=b)
            | Implies(left=a, right=b)
            | Iff(left=a, right=b)
            | Until(left=a, right=b)
            | Since(left=a, right=b)
        ):
            return replace(formula, left=perfected(a), right=perfected(b))


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
    """Whether the predicate holds for an interval of any onset and length that is matched with itself alone.

    `dominant` is open, since the references of another class may overlap as much.
    """
    context = z3.Context()
    onset, length = z3.Ints("onset length", context)
    one, none = z3.IntVal(1, context), z3.IntVal(0, context)
    own = SymbolicInterval(onset, onset + length, one, length, none, none)
    matched, dominant = z3.BoolVal(True, context), z3.Bool("dominant", context)
    pair = SymbolicObligation("perfect", Each.MATCHED, step, own, own, matched, dominant, context)
    asked = pair.formula(formula, event_atoms)
    solver = z3.Solver(ctx=context)
    solver.set("timeout", max(1, int(budget.seconds * 1000)))
    solver.add(onset >= 0, length >= 1, z3.Not(asked))
    solver.add(*(ratio == 1 for ratio in pair.ratios.values()))  # an interval covers all of itself
    answer = solver.check()
    outcome = Outcome.YES if answer == z3.unsat else Outcome.NO if answer == z3.sat else Outcome.UNKNOWN
    return Proof(outcome, "solver")
