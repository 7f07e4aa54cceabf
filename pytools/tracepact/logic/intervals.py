"""Event predicates decided by Z3: what an obligated interval, its partner and its neighbours can be like.

The variables are what attributes are made of, in frames: the ends of both intervals, how many runs of the other side
overlap the obligated one, how many of its frames they cover, its longest and shortest gap. Their constraints hold for
every real scene, so unsat is an answer. They do not describe scenes completely, so a model is built into a scene and
the predicate is asked about that; a model that does not replay is unknown.

A ratio is a fraction of two such variables. A comparison with a single ratio is multiplied by its denominator, which is
positive, and stays linear (`abs`, `min` and `max` allow that); one with several ratios is not linear.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import z3

from tracepact.core import (
    Absolute,
    And,
    Atom,
    Attribute,
    Comparison,
    Constant,
    Contract,
    Difference,
    Each,
    EventAtom,
    Flag,
    Formula,
    Iff,
    Implies,
    Maximum,
    Minimum,
    Not,
    Number,
    Or,
    Owner,
    Quantity,
    Relation,
    Scaled,
    Sum,
    Term,
    attributes,
)
from tracepact.logic.decide import Budget, Verdict
from tracepact.logic.scenes import Amounts, EventObligation, Pieces, build

_RELATIONS: dict[Relation, Any] = {
    Relation.LE: lambda a, b: a <= b,
    Relation.LT: lambda a, b: a < b,
    Relation.GE: lambda a, b: a >= b,
    Relation.GT: lambda a, b: a > b,
    Relation.EQ: lambda a, b: a == b,
    Relation.NE: lambda a, b: a != b,
}
_ABOVE = {Relation.GE, Relation.GT, Relation.NE}
_BELOW = {Relation.LE, Relation.LT, Relation.NE}


@dataclass(frozen=True, slots=True)
class EventAnswer:
    """A verdict about a predicate, with an obligation that shows sat."""

    verdict: Verdict
    example: EventObligation | None = None
    reason: str | None = None


def solve_predicate(
    formula: Formula,
    each: Each,
    event_atoms: Mapping[str, EventAtom],
    contract: Contract,
    budget: Budget = Budget(),  # noqa: B008  (frozen)
) -> EventAnswer:
    """Whether the predicate can be true for some obligation of this kind."""
    scene = _Scene(each, contract)
    asked = scene.formula(formula, event_atoms)
    failed = "no model was found that replays"
    for small in ([*scene.few(1)], [*scene.few(2)], []):
        solver = z3.Solver()
        solver.set("timeout", max(1, int(budget.seconds * 1000)))
        solver.set("max_memory", budget.megabytes)
        solver.add(*scene.constraints, asked, *small)
        result = solver.check()
        if result == z3.unsat:
            if not small:
                return EventAnswer(Verdict.UNSAT)
        elif result == z3.sat:
            example = build(scene.amounts(solver.model()), each, contract)
            if example is not None and example.satisfies(formula, event_atoms, contract.step):
                return EventAnswer(Verdict.SAT, example)
        else:
            failed = f"the solver stopped: {solver.reason_unknown()}"
    return EventAnswer(Verdict.UNKNOWN, reason=failed)


class _Own:
    """The variables of an obligated interval: its ends and what overlaps it."""

    def __init__(self, side: str) -> None:
        self.side = side
        names = ("onset", "offset", "covering", "covered", "longest", "shortest")
        self.onset, self.offset, self.covering, self.covered, self.longest, self.shortest = z3.Ints(
            " ".join(f"{side}.{name}" for name in names)
        )

    @property
    def duration(self) -> Any:
        return self.offset - self.onset


class _Scene:
    """The variables of one obligation and the constraints that every real one satisfies."""

    def __init__(self, each: Each, contract: Contract) -> None:
        self.step = contract.step
        self.obligated = {
            Each.REF: (Owner.REF,),
            Each.PRED: (Owner.PRED,),
            Each.MATCHED: (Owner.REF, Owner.PRED),
        }[each]
        self.matched = z3.BoolVal(True) if each is Each.MATCHED else z3.Bool("matched")
        self.dominant = z3.Bool("dominant")
        self.ref, self.pred = _Own("ref"), _Own("pred")
        self.sides = {Owner.REF: self.ref, Owner.PRED: self.pred}
        self.ratios: dict[Attribute, Any] = {}
        self.constraints = list(self._shape(contract))

    def _shape(self, contract: Contract) -> Any:
        ref, pred, matched = self.ref, self.pred, self.matched
        search, hole = contract.matcher.search // self.step, contract.merge_gap // self.step + 1
        for own in (ref, pred):
            yield z3.And(own.onset >= 0, own.onset < own.offset)
        near = z3.Or(_abs(ref.onset - pred.onset) <= search, _abs(ref.offset - pred.offset) <= search)
        yield z3.Implies(matched, z3.And(self.overlap >= 1, near))
        for owner in self.obligated:
            own = self.sides[owner]
            yield z3.And(own.covering >= 0, own.covered >= own.covering, own.covered <= own.duration)
            yield (own.covering == 0) == (own.covered == 0)
            alone = z3.Implies(own.covering == 1, own.covered == self.overlap)
            yield z3.Implies(matched, z3.And(own.covering >= 1, own.covered >= self.overlap + own.covering - 1, alone))
            gaps = z3.And(
                own.shortest >= hole,
                own.longest >= own.shortest,
                own.covered + own.longest + (own.covering - 2) * hole <= own.duration,
                z3.Implies(own.covering == 2, own.longest == own.shortest),
                z3.Implies(own.covering >= 3, own.covered + own.longest + own.shortest <= own.duration),
            )
            yield z3.If(own.covering >= 2, gaps, z3.And(own.longest == 0, own.shortest == 0))
            if owner is Owner.PRED:
                yield z3.Implies(self.dominant, own.covered >= 1)

    def few(self, most: int) -> Any:
        """A small obligation: few overlapping runs, which is easy to build."""
        for owner in self.obligated:
            yield self.sides[owner].covering <= most

    @property
    def overlap(self) -> Any:
        return _min(self.ref.offset, self.pred.offset) - _max(self.ref.onset, self.pred.onset)

    # Predicates

    def formula(self, formula: Formula, event_atoms: Mapping[str, EventAtom]) -> Any:
        """The predicate as a Z3 Boolean."""

        def of(part: Formula) -> Any:
            return self.formula(part, event_atoms)

        match formula:
            case Atom(name):
                return self._event_atom(event_atoms[name])
            case Constant(value):
                return z3.BoolVal(value)
            case Not(body):
                return z3.Not(of(body))
            case And(a, b):
                return z3.And(of(a), of(b))
            case Or(a, b):
                return z3.Or(of(a), of(b))
            case Implies(a, b):
                return z3.Implies(of(a), of(b))
            case Iff(a, b):
                return of(a) == of(b)
        raise TypeError(f"an event predicate has no modalities, found {formula}")

    def _event_atom(self, atom: EventAtom) -> Any:
        match atom:
            case Flag(attribute):
                return self.matched if attribute.name == "matched" else self.dominant
            case Comparison(relation, left, right, _):
                owners = {attribute.owner for attribute in attributes(atom)}
                truth = self._comparison(relation, left, right, atom)
                return truth if owners <= set(self.obligated) else z3.And(self.matched, truth)

    def _comparison(self, relation: Relation, left: Term, right: Term, atom: Comparison) -> Any:
        """A missing gap is greater than every time (rule 4.9)."""
        for side, unbounded in ((left, _ABOVE), (right, _BELOW)):
            match side:
                case Attribute(owner, "shortest_gap"):
                    some = self._bounded(relation, left, right, atom)
                    return z3.If(self.sides[owner].covering >= 2, some, z3.BoolVal(relation in unbounded))
                case _:
                    pass
        return self._bounded(relation, left, right, atom)

    def _bounded(self, relation: Relation, left: Term, right: Term, atom: Comparison) -> Any:
        ratios = {a for a in attributes(atom) if a.quantity is Quantity.RATIO}
        scale = self._fraction(next(iter(ratios)))[1] if len(ratios) == 1 else None
        return _RELATIONS[relation](self._term(left, scale), self._term(right, scale))

    def _term(self, term: Term, scale: Any) -> Any:
        """The value of a term, times in frames, multiplied by the denominator `scale` if there is one."""

        def of(part: Term) -> Any:
            return self._term(part, scale)

        match term:
            case Number(value, quantity):
                number = value / self.step if quantity is Quantity.TIME else value
                return _real(number) if scale is None else _real(number) * z3.ToReal(scale)
            case Attribute():
                return self._attribute(term, scale)
            case Sum(a, b):
                return of(a) + of(b)
            case Difference(a, b):
                return of(a) - of(b)
            case Scaled(factor, body):
                return _real(factor) * of(body)
            case Absolute(body):
                return _abs(of(body))
            case Minimum(arguments):
                return reduce(_min, [of(argument) for argument in arguments])
            case Maximum(arguments):
                return reduce(_max, [of(argument) for argument in arguments])

    def _attribute(self, attribute: Attribute, scale: Any) -> Any:
        if attribute.quantity is Quantity.RATIO:
            over, under = self._fraction(attribute)
            if scale is not None:
                return z3.ToReal(over)
            if attribute not in self.ratios:
                self.ratios[attribute] = z3.Real(f"{attribute.owner.value}.{attribute.name}")
                self.constraints.append(self.ratios[attribute] * z3.ToReal(under) == z3.ToReal(over))
            return self.ratios[attribute]
        value = z3.ToReal(self._whole(attribute))
        return value if scale is None else value * z3.ToReal(scale)

    def _whole(self, attribute: Attribute) -> Any:
        if attribute.name == "overlap":
            return self.overlap
        own = self.sides[attribute.owner]
        return {
            "onset": own.onset,
            "offset": own.offset,
            "duration": own.duration,
            "covering": own.covering,
            "longest_gap": own.longest,
            "shortest_gap": own.shortest,
        }[attribute.name]

    def _fraction(self, attribute: Attribute) -> tuple[Any, Any]:
        """Numerator and denominator of a ratio."""
        if attribute.name == "iou":
            return self.overlap, self.ref.duration + self.pred.duration - self.overlap
        own = self.sides[attribute.owner]
        return own.covered, own.duration

    # Models

    def amounts(self, model: Any) -> Amounts:
        """What a model says, as numbers."""

        def number(expression: Any) -> int:
            return int(model.eval(expression, model_completion=True).as_long())

        def pieces(own: _Own) -> Pieces:
            return Pieces(number(own.covering), number(own.covered), number(own.longest), number(own.shortest))

        return Amounts(
            (number(self.ref.onset), number(self.ref.offset)),
            (number(self.pred.onset), number(self.pred.offset)),
            z3.is_true(model.eval(self.matched, model_completion=True)),
            z3.is_true(model.eval(self.dominant, model_completion=True)),
            pieces(self.ref),
            pieces(self.pred),
        )


def _real(value: Fraction) -> Any:
    return z3.Q(value.numerator, value.denominator)


def _abs(a: Any) -> Any:
    return z3.If(a >= 0, a, -a)


def _min(a: Any, b: Any) -> Any:
    return z3.If(a <= b, a, b)


def _max(a: Any, b: Any) -> Any:
    return z3.If(a >= b, a, b)
