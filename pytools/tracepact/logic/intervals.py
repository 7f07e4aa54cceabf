"""What every obligation of an event clause satisfies, in numbers: a predicate that does not fit is never true.

The variables are the ends of both intervals, how many runs of the other side overlap each, how many of its frames they
cover, its longest and shortest gap. Their constraints hold for every obligation of every scene, whatever the matcher
chose, so unsat is an answer. They do not describe scenes completely: sat only says how many runs a scene needs that
could show the predicate true (`scenes` looks for one).
"""

from collections.abc import Iterator
from typing import Any

from tracepact.core import OBLIGATED, Contract, Each, Formula, Not, Owner
from tracepact.frozen import dataclass
from tracepact.logic import solver as z3
from tracepact.logic.arithmetic import SymbolicInterval, SymbolicObligation, absolute
from tracepact.logic.decide import Budget, Verdict
from tracepact.logic.event_model import EventQuestion

_MOST_RUNS = 40
"""The most overlapping runs that are counted; no one wants to read a larger example."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """Whether a predicate fits what every obligation satisfies; if so, how many runs of each side that takes."""

    verdict: Verdict
    refs: int = 1
    preds: int = 1
    reason: str | None = None


def fitting(question: EventQuestion, budget: Budget) -> Fitting:
    """Unsat if the predicate is true for no obligation; else the fewest overlapping runs that it takes."""
    context = z3.Context()
    obligation = _obligation("", question.each, question.contract, context)
    asked = obligation.formula(question.formula, question.event_atoms)
    solver = _solver(context, budget)
    solver.add(*obligation.constraints, asked)
    result = solver.check()
    if result == z3.unsat:
        return Fitting(Verdict.UNSAT)
    if result != z3.sat:
        return Fitting(Verdict.UNKNOWN, reason=f"the solver stopped: {solver.reason_unknown()}")
    owners = OBLIGATED[question.each]
    overlapping = sum(
        (obligation.interval(owner).covering for owner in owners[1:]), obligation.interval(owners[0]).covering
    )
    for most in range(_MOST_RUNS + 1):
        result = solver.check(overlapping <= most)
        if result == z3.unknown:
            return Fitting(Verdict.UNKNOWN, reason=f"the solver stopped: {solver.reason_unknown()}")
        if result == z3.sat:
            model = solver.model()

            def number(own: SymbolicInterval, model: Any = model) -> int:
                return int(model.eval(own.covering, model_completion=True).as_long())

            refs = number(obligation.pred) if Owner.PRED in owners else 1
            preds = number(obligation.ref) if Owner.REF in owners else 1
            return Fitting(Verdict.SAT, refs, preds)
    return Fitting(Verdict.UNKNOWN, reason=f"it takes more than {_MOST_RUNS} overlapping runs")


def same_for_every_prediction(question: EventQuestion, budget: Budget) -> bool:
    """Whether the truth of the predicate is known to depend on the reference interval alone."""
    context = z3.Context()
    first = _obligation("one", question.each, question.contract, context)
    second = _obligation("other", question.each, question.contract, context)

    def asked(obligation: SymbolicObligation, formula: Formula) -> Any:
        return obligation.formula(formula, question.event_atoms)

    solver = _solver(context, budget)
    solver.add(asked(first, question.formula), asked(second, Not(question.formula)))
    solver.add(first.ref.onset == second.ref.onset, first.ref.offset == second.ref.offset)
    solver.add(*first.constraints, *second.constraints)
    return bool(solver.check() == z3.unsat)


def holds_for_constant_prediction(question: EventQuestion, budget: Budget, *, active: bool) -> bool:
    """Whether the predicate is true for certain wherever the prediction is active at every frame, or at none."""
    context = z3.Context()
    obligation = _obligation("", question.each, question.contract, context)
    ref, pred = obligation.ref, obligation.pred
    asked = obligation.formula(Not(question.formula), question.event_atoms)
    solver = _solver(context, budget)
    solver.add(*obligation.constraints, asked)
    if active:
        solver.add(pred.onset == 0, ref.offset <= pred.offset, ref.covering == 1, ref.covered == ref.duration)
    else:
        solver.add(z3.Not(obligation.matched), ref.covering == 0)
    return bool(solver.check() == z3.unsat)


def _solver(context: "z3.Context", budget: Budget) -> Any:
    solver = z3.Solver(ctx=context)
    solver.set("timeout", max(1, int(budget.seconds * 1000)))
    solver.set("max_memory", budget.megabytes)
    return solver


def _obligation(name: str, each: Each, contract: Contract, context: "z3.Context") -> SymbolicObligation:
    """An obligation of free variables under the constraints that every real one satisfies."""

    def interval(side: str) -> SymbolicInterval:
        words = ("onset", "offset", "covering", "covered", "longest", "shortest")
        return SymbolicInterval(*(z3.Int(f"{name} {side}.{word}", context) for word in words))

    matched = z3.BoolVal(True, context) if each is Each.MATCHED else z3.Bool(f"{name} matched", context)
    dominant = z3.Bool(f"{name} dominant", context)
    obligation = SymbolicObligation(
        name, each, contract.step, interval("ref"), interval("pred"), matched, dominant, context
    )
    obligation.constraints.extend(_shape(obligation, contract))
    return obligation


def _shape(obligation: SymbolicObligation, contract: Contract) -> Iterator[Any]:
    ref, pred, matched = obligation.ref, obligation.pred, obligation.matched
    search, hole = contract.matcher.search // obligation.step, contract.merge_gap // obligation.step + 1
    for own in (ref, pred):
        yield z3.And(own.onset >= 0, own.onset < own.offset)
    near = z3.Or(absolute(ref.onset - pred.onset) <= search, absolute(ref.offset - pred.offset) <= search)
    yield z3.Implies(matched, z3.And(obligation.overlap >= 1, near))
    for owner in OBLIGATED[obligation.each]:
        own = obligation.interval(owner)
        yield z3.And(own.covering >= 0, own.covered >= own.covering, own.covered <= own.duration)
        yield (own.covering == 0) == (own.covered == 0)
        alone = z3.Implies(own.covering == 1, own.covered == obligation.overlap)
        yield z3.Implies(
            matched, z3.And(own.covering >= 1, own.covered >= obligation.overlap + own.covering - 1, alone)
        )
        gaps = z3.And(
            own.shortest >= hole,
            own.longest >= own.shortest,
            own.covered + own.longest + (own.covering - 2) * hole <= own.duration,
            z3.Implies(own.covering == 2, own.longest == own.shortest),
            z3.Implies(own.covering >= 3, own.covered + own.longest + own.shortest <= own.duration),
        )
        yield z3.If(own.covering >= 2, gaps, z3.And(own.longest == 0, own.shortest == 0))
        # A run between two others that overlap the interval overlaps nothing else of the interval's side. Such a run is
        # free, so if the interval has no partner, the run is beyond the matcher's search at both ends.
        inner = own.covering - 2 + (own.covering - 3) * hole
        lonely = z3.And(z3.Not(matched), own.covering >= 3)
        yield z3.Implies(lonely, own.duration >= 2 * (search + 1) + inner)
        if owner is Owner.PRED:
            covers = own.covered >= 1
            yield obligation.dominant == covers if contract.one_class else z3.Implies(obligation.dominant, covers)
