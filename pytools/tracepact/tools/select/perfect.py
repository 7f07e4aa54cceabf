"""Whether a perfect prediction satisfies a candidate on every trace, decided (rule 14.8).

A frame candidate with the prediction replaced by the reference is a question of one trace. It is answered by a rule
where the obligation itself is a witness; by the short traces that were tried, where no longer one can show anything
new (`tracepact.logic.bound`); else by the solver, for every length. An event predicate becomes one of an onset and a
length: every interval is matched with itself, which no other overlaps, whatever the matcher.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from tracepact.core import (
    Absolute,
    Always,
    And,
    Atom,
    Attribute,
    Comparison,
    Constant,
    Difference,
    EventAtom,
    EventClause,
    Eventually,
    Flag,
    Formula,
    Iff,
    Implies,
    Maximum,
    Minimum,
    Not,
    Number,
    Or,
    Quantity,
    Relation,
    Scaled,
    Since,
    Sum,
    Term,
    Until,
    atoms,
)
from tracepact.core.contract import CLASS_ATOMS
from tracepact.logic import Budget, Outcome, Terms, bound, valid
from tracepact.logic import solver as z3
from tracepact.tools.select.candidates import Candidate, FrameCandidate
from tracepact.tools.select.stage import SHORT

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


_ONE = {"iou", "coverage", "purity", "covering"}
_ABOVE = {Relation.GE, Relation.GT, Relation.NE}


def _predicate(formula: Formula, event_atoms: dict[str, EventAtom], step: Fraction, budget: Budget) -> Proof:
    """Whether the predicate holds for an interval of any onset and length that is matched with itself alone."""
    onset, length = z3.Ints("onset length")
    dominant = z3.Bool("dominant")
    question = _Question(z3, onset, length, dominant, step)
    solver = z3.Solver()
    solver.set("timeout", max(1, int(budget.seconds * 1000)))
    solver.add(onset >= 0, length >= 1, z3.Not(question.formula(formula, event_atoms)))
    answer = solver.check()
    outcome = Outcome.YES if answer == z3.unsat else Outcome.NO if answer == z3.sat else Outcome.UNKNOWN
    return Proof(outcome, "solver")


@dataclass(frozen=True, slots=True)
class _Question:
    """A predicate of a perfect pair; times in frames, `dominant` open since another class may overlap as much."""

    z3: Any
    onset: Any
    length: Any
    dominant: Any
    step: Fraction

    def formula(self, formula: Formula, event_atoms: dict[str, EventAtom]) -> Any:
        def of(part: Formula) -> Any:
            return self.formula(part, event_atoms)

        match formula:
            case Atom(name):
                return self._atom(event_atoms[name])
            case Constant(value):
                return self.z3.BoolVal(value)
            case Not(body):
                return self.z3.Not(of(body))
            case And(a, b):
                return self.z3.And(of(a), of(b))
            case Or(a, b):
                return self.z3.Or(of(a), of(b))
            case Implies(a, b):
                return self.z3.Implies(of(a), of(b))
            case Iff(a, b):
                return of(a) == of(b)
        raise TypeError(f"an event predicate has no modalities, found {formula}")

    def _atom(self, atom: EventAtom) -> Any:
        match atom:
            case Flag(attribute):
                return self.z3.BoolVal(True) if attribute.name == "matched" else self.dominant
            case Comparison(relation, Attribute(_, "shortest_gap"), _, _):
                return self.z3.BoolVal(relation in _ABOVE)
            case Comparison(relation, _, Attribute(_, "shortest_gap"), _):
                return self.z3.BoolVal(relation in {Relation.LE, Relation.LT, Relation.NE})
            case Comparison(relation, left, right, _):
                a, b = self._term(left), self._term(right)
                return {
                    Relation.LE: a <= b,
                    Relation.LT: a < b,
                    Relation.GE: a >= b,
                    Relation.GT: a > b,
                    Relation.EQ: a == b,
                    Relation.NE: a != b,
                }[relation]

    def _term(self, term: Term) -> Any:
        z3, of = self.z3, self._term
        match term:
            case Number(value, quantity):
                number = value / self.step if quantity is Quantity.TIME else value
                return z3.Q(number.numerator, number.denominator)
            case Attribute(_, name):
                return self._attribute(name)
            case Sum(a, b):
                return of(a) + of(b)
            case Difference(a, b):
                return of(a) - of(b)
            case Scaled(factor, body):
                return z3.Q(factor.numerator, factor.denominator) * of(body)
            case Absolute(body):
                return z3.If(of(body) >= 0, of(body), -of(body))
            case Minimum(arguments):
                return self._extreme([of(a) for a in arguments], least=True)
            case Maximum(arguments):
                return self._extreme([of(a) for a in arguments], least=False)

    def _extreme(self, values: list[Any], *, least: bool) -> Any:
        best = values[0]
        for value in values[1:]:
            best = self.z3.If(value < best if least else value > best, value, best)
        return best

    def _attribute(self, name: str) -> Any:
        if name in _ONE:
            return self.z3.RealVal(1)
        if name == "longest_gap":
            return self.z3.RealVal(0)
        value = {"onset": self.onset, "offset": self.onset + self.length}.get(name, self.length)
        return self.z3.ToReal(value)
