"""What a perfect prediction does to a clause: the prediction is the reference, in every class.

A frame clause becomes a question of one trace. An event predicate becomes one of an onset and a length: every interval
is matched with itself, which no other overlaps, whatever the matcher.
"""

from collections.abc import Mapping
from fractions import Fraction

from tracepact.core import Contract, Each, EventAtom, EventClause, Formula, Not
from tracepact.core.runs import FrameRun
from tracepact.events.attributes import Scene
from tracepact.logic import solver as z3
from tracepact.logic.arithmetic import SymbolicInterval, SymbolicObligation
from tracepact.logic.decide import Budget, Verdict
from tracepact.logic.event_model import EventExample, EventQuestion, replayed
from tracepact.logic.perfect_bounds import settled
from tracepact.logic.vocabulary import renamed


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
    own = SymbolicInterval(onset, onset + length, one, length, none, none)
    matched, dominant = z3.BoolVal(True, context), z3.Bool("dominant", context)
    pair = SymbolicObligation("perfect", Each.MATCHED, step, own, own, matched, dominant, context)
    asked = pair.formula(formula, event_atoms)
    solver = z3.Solver(ctx=context)
    solver.set("timeout", max(1, int(budget.seconds * 1000)))
    solver.add(onset >= 0, length >= 1, asked)
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
    found, run = perfect_interval_with(Not(clause.formula), atoms, contract.step, budget)
    if found is not Verdict.SAT or run is None:
        return None
    question = EventQuestion(Not(clause.formula), clause.each, atoms, contract)
    others = () if contract.one_class else ((run,),)
    for foreign in ((), others):
        example = replayed(question, Scene((run,), (run,), foreign))
        if example is not None:
            return example
    return None
