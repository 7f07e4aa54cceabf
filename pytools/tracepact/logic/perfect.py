"""What a perfect prediction does to a clause, by bounds on its terms and without a solver."""

from collections.abc import Callable, Mapping
from fractions import Fraction

from tracepact.declarations import dataclass
from tracepact.evaluate.predicates import ClipScene
from tracepact.language.contract import Contract, EventClause
from tracepact.language.formula import And, Atom, Constant, Formula, FrameRun, Iff, Implies, Not, Or, folded
from tracepact.language.predicate import (
    Absolute,
    Attribute,
    ConstantTerm,
    Each,
    EventAtom,
    Maximum,
    Minimum,
    Relation,
    Scaled,
    Term,
    TermComparison,
    TermDifference,
    TermSum,
    TermType,
    unbounded_side,
)
from tracepact.lazy import z3
from tracepact.logic.arithmetic import EventExample, EventQuestion, SymbolicInterval, SymbolicObligation, replayed
from tracepact.logic.decisions import Budget
from tracepact.logic.models import Verdict, renamed

# What a predicate is for every interval that is matched with itself, by bounds on its terms and without a solver.
#
# Every attribute of such an interval is linear in its onset, at least 0, and its length, at least 1 frame. A
# comparison whose sides differ by a linear term is settled where that term has a bound on the right side of zero.

_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class _Linear:
    """`at` at the first frame and a length of one, and what each frame of onset and of further length adds."""

    at: Fraction
    onset: Fraction = _ZERO
    length: Fraction = _ZERO

    def plus(self, other: "_Linear", factor: Fraction = _ONE) -> "_Linear":
        return _Linear(
            self.at + factor * other.at, self.onset + factor * other.onset, self.length + factor * other.length
        )

    @property
    def least(self) -> Fraction | None:
        """None if it has no bound below."""
        return self.at if self.onset >= 0 and self.length >= 0 else None

    @property
    def greatest(self) -> Fraction | None:
        """None if it has no bound above."""
        return self.at if self.onset <= 0 and self.length <= 0 else None


_OF_ITSELF: Mapping[str, _Linear] = {
    "onset": _Linear(_ZERO, onset=_ONE),
    "offset": _Linear(_ONE, onset=_ONE, length=_ONE),
    "duration": _Linear(_ONE, length=_ONE),
    "overlap": _Linear(_ONE, length=_ONE),
    "covering": _Linear(_ONE),
    "longest_gap": _Linear(_ZERO),
    "iou": _Linear(_ONE),
    "coverage": _Linear(_ONE),
    "purity": _Linear(_ONE),
}
"""The attributes in frames, or as plain numbers. An attribute that is missing is left to the solver."""


def settled(formula: Formula, event_atoms: Mapping[str, EventAtom], step: Fraction) -> bool | None:
    """The truth of a predicate for every interval matched with itself; None if it differs, or bounds do not tell."""

    def leaf(part: Formula) -> bool | None:
        match part:
            case Constant(value):
                return value
            case Atom(name):
                return _event_atom(event_atoms[name], step)
        return None

    return folded(formula, leaf, _JOINS)


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value


def _both(left: bool | None, right: bool | None) -> bool | None:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


_JOINS: Mapping[type[Formula], Callable[..., bool | None]] = {
    Not: _not,
    And: _both,
    Or: lambda a, b: _not(_both(_not(a), _not(b))),
    Implies: lambda a, b: _not(_both(a, _not(b))),
    Iff: lambda a, b: None if a is None or b is None else a == b,
}
"""The connectives of three values: true, false, and None for what bounds do not tell (Kleene's strong logic)."""


def _event_atom(atom: EventAtom, step: Fraction) -> bool | None:
    if not isinstance(atom, TermComparison):
        return True if atom.attribute.name == "matched" else None
    if (unbounded := unbounded_side(atom)) is not None:
        return unbounded[1]  # one piece has no gap, and that is greater than every time (rule 4.9)
    match atom.relation:
        case Relation.LE | Relation.LT:
            return _is_less(atom.left, atom.right, step, strictly=atom.relation is Relation.LT)
        case Relation.GE | Relation.GT:
            return _is_less(atom.right, atom.left, step, strictly=atom.relation is Relation.GT)
    left, right = _term(atom.left, step), _term(atom.right, step)
    equal = None if left is None or right is None else _equal(left.plus(right, -_ONE))
    return equal if atom.relation is Relation.EQ else _not(equal)


def _is_less(low: Term, high: Term, step: Fraction, *, strictly: bool) -> bool | None:
    """Whether one term is at most another, or less; of a maximum as the greater one, one argument is enough."""
    if isinstance(high, Maximum) and any(_is_less(low, one, step, strictly=strictly) for one in high.arguments):
        return True
    if isinstance(low, Minimum) and any(_is_less(one, high, step, strictly=strictly) for one in low.arguments):
        return True
    left, right = _term(low, step), _term(high, step)
    return None if left is None or right is None else _at_most(left.plus(right, -_ONE), strictly=strictly)


def _at_most(value: _Linear, *, strictly: bool) -> bool | None:
    """Whether it is at most zero, or below it."""
    most, least = value.greatest, value.least
    if most is not None and (most < 0 or (most == 0 and not strictly)):
        return True
    if least is not None and (least > 0 or (least == 0 and strictly)):
        return False
    return None


def _equal(value: _Linear) -> bool | None:
    if value == _Linear(_ZERO):
        return True
    # Never equal if always below or always above; a linear term that crosses zero is left to the solver.
    below, above = _at_most(value, strictly=True), _at_most(_Linear(_ZERO).plus(value, -_ONE), strictly=True)
    return False if below or above else None


def _term(term: Term, step: Fraction) -> _Linear | None:
    """A term as a linear one, times in frames; None if it is not seen to be one."""
    match term:
        case ConstantTerm(value, quantity):
            return _Linear(value / step if quantity is TermType.TIME else value)
        case Attribute(_, name):
            return _OF_ITSELF.get(name)
        case TermSum(a, b) | TermDifference(a, b):
            left, right = _term(a, step), _term(b, step)
            if left is None or right is None:
                return None
            return left.plus(right, _ONE if isinstance(term, TermSum) else -_ONE)
        case Scaled(factor, body):
            inner = _term(body, step)
            return None if inner is None else _Linear(_ZERO).plus(inner, factor)
        case Absolute(body):
            inner = _term(body, step)
            if inner is None:
                return None
            return _greatest(inner, _Linear(_ZERO).plus(inner, -_ONE))
        case Minimum(arguments) | Maximum(arguments):
            return _chosen([_term(argument, step) for argument in arguments], least=isinstance(term, Minimum))


def _chosen(values: list[_Linear | None], *, least: bool) -> _Linear | None:
    """The least or the greatest of some, where one of them is so for every interval."""
    lone = values[0]
    for value in values[1:]:
        if lone is None or value is None:
            return None
        greater = _greatest(lone, value)
        if greater is None:
            return None
        lone = (value if greater is lone else lone) if least else greater
    return lone


def _greatest(first: _Linear, second: _Linear) -> _Linear | None:
    """The greater of two, where it is the same one for every interval."""
    below = _at_most(first.plus(second, -_ONE), strictly=False)
    if below is None:
        return first if _at_most(second.plus(first, -_ONE), strictly=False) else None
    return second if below else first


# What a perfect prediction does to a clause: the prediction is the reference, in every class.
#
# A frame clause becomes a question of one trace. An event predicate becomes one of an onset and a length: every
# interval is matched with itself, which no other overlaps, whatever the matcher.


def perfected(formula: Formula) -> Formula:
    """The formula with the reference in place of the prediction."""
    return renamed(formula, lambda name: name.replace("pred_", "ref_"))


def perfect_interval_with(
    formula: Formula, event_atoms: Mapping[str, EventAtom], step: Fraction, budget: Budget
) -> tuple[Verdict, FrameRun | None]:
    """Whether a predicate is true for some interval that is matched with itself alone, and for which one.

    `dominant` is open, since the references of another class may overlap as much.
    """
    context = z3.Context()
    onset, length = z3.Ints("onset length", context)
    one, none = z3.IntVal(1, context), z3.IntVal(0, context)
    interval = SymbolicInterval(onset, onset + length, one, length, none, none)
    matched, dominant = z3.BoolVal(True, context), z3.Bool("dominant", context)
    pair = SymbolicObligation("perfect", Each.MATCHED, step, interval, interval, matched, dominant, context)
    condition = pair.formula(formula, event_atoms)
    solver = z3.Solver(ctx=context)
    solver.set("timeout", max(1, int(budget.seconds * 1000)))
    solver.add(onset >= 0, length >= 1, condition)
    solver.add(*(ratio == 1 for ratio in pair.ratios.values()))  # an interval covers all of itself
    answer = solver.check()
    if answer != z3.sat:
        return (Verdict.UNSAT if answer == z3.unsat else Verdict.UNKNOWN), None
    model = solver.model()
    first, frames = (int(model.eval(value, model_completion=True).as_long()) for value in (onset, length))
    return Verdict.SAT, (first, first + frames)


def perfect_violation(clause: EventClause, contract: Contract, budget: Budget) -> EventExample | None:
    """A scene whose prediction is its reference and that violates the clause, as scoring finds it; None if none is."""
    atoms = dict(clause.event_atoms)
    if settled(clause.formula, atoms, contract.step):
        return None
    verdict, run = perfect_interval_with(Not(clause.formula), atoms, contract.step, budget)
    if verdict is not Verdict.SAT or run is None:
        return None
    question = EventQuestion.of(clause, contract, Not(clause.formula))
    others = () if contract.one_class else ((run,),)
    for foreign in ((), others):
        example = replayed(question, ClipScene((run,), (run,), foreign))
        if example is not None:
            return example
    return None
