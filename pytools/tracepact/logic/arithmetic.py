"""Event predicates as Z3 arithmetic, and a scene's obligations in numbers."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from fractions import Fraction
from functools import reduce
from operator import eq
from typing import TYPE_CHECKING, Any

from tracepact.declarations import dataclass
from tracepact.diagnostics.findings import Span
from tracepact.evaluate.predicates import RELATIONS, ClipScene, Obligation
from tracepact.language import predicate
from tracepact.language.contract import Contract, EventClause, Located
from tracepact.language.formula import And, Atom, Constant, Formula, FrameRun, Iff, Implies, Not, Or, folded
from tracepact.language.predicate import attributes, unbounded_side
from tracepact.lazy import z3
from tracepact.logic.decisions import Budget
from tracepact.logic.models import Verdict
from tracepact.wording import parse_exact, print_number

if TYPE_CHECKING:
    from tracepact.data.family import Family


# A scene that answers a question about event clauses: the runs of one clip, matched and judged as scoring does.

_OTHER = "ref of another class"
_SIDE = re.compile(rf"^(ref|pred|{_OTHER})  +(none|\[.*)$", re.MULTILINE)
_ENDS = re.compile(r"\[([0-9./]+), ([0-9./]+)\)")


@dataclass(frozen=True, slots=True)
class EventQuestion:
    """Whether a predicate is true for some obligation of this kind, matched as the contract says."""

    formula: Formula
    each: predicate.Each
    event_atoms: Mapping[str, predicate.EventAtom]
    contract: Contract

    @classmethod
    def of(cls, clause: EventClause, contract: Contract, formula: Formula | None = None) -> "EventQuestion":
        """Whether a formula over the comparisons of a clause, by default its predicate, is true for some obligation."""
        return cls(clause.formula if formula is None else formula, clause.each, dict(clause.event_atoms), contract)


@dataclass(frozen=True, slots=True)
class EventExample:
    """An obligation that shows an answer, with all runs of its clip.

    `minimal` says that no scene with fewer runs shows it, and none with as many of each side is shorter, or as short
    with fewer active frames.
    """

    obligation: Obligation
    minimal: bool = False

    @property
    def frames(self) -> int:
        """The length of the clip: up to the last end of a run."""
        return _frames(self.obligation.scene)

    def words(self, step: Fraction) -> str:
        """The runs of both sides in seconds."""
        scene = self.obligation.scene

        def runs(some: tuple[FrameRun, ...], marked: FrameRun | None) -> str:
            shown = (
                f"[{print_number(run[0] * step)}, {print_number(run[1] * step)}){'*' if run == marked else ''}"
                for run in some
            )
            return " ".join(shown) or "none"

        lines = [
            f"ref   {runs(scene.refs, self.obligation.ref)}",
            f"pred  {runs(scene.preds, self.obligation.pred)}",
        ]
        lines += [f"{_OTHER}  {runs(some, None)}" for some in scene.refs_of_other_classes]
        lines.append("times in seconds; * marks the obligated interval and its partner")
        return "\n".join(lines if self.minimal else [*lines, "there may be a smaller scene"])


Ends = tuple[Fraction, Fraction]
"""Onset and offset in seconds."""


def read_words(text: str) -> tuple[list[Ends], list[Ends], list[Ends]] | None:
    """References, predictions and references of other classes in the words of a scene; None for any other text."""
    sides: dict[str, list[Ends]] = {}
    for side, ends in _SIDE.findall(text):
        sides.setdefault(side, []).extend((parse_exact(start), parse_exact(end)) for start, end in _ENDS.findall(ends))
    if "ref" not in sides or "pred" not in sides:
        return None
    return sides["ref"], sides["pred"], sides.get(_OTHER, [])


def one_clip(scene: ClipScene, step: Fraction) -> "Family":
    """A family of one clip with the runs of a scene; each other class has its references."""
    from tracepact.data.family import Family, Mode, Side

    others = scene.refs_of_other_classes
    refs = {0: scene.refs, **dict(enumerate(others, start=1))}
    return Family(
        step,
        Mode.CLASS_INDEXED,
        ("clip",),
        (_frames(scene),),
        ("class", *(f"other {k}" for k in range(1, len(others) + 1))),
        {
            Side.REF: {k: runs for k, runs in refs.items() if runs},
            Side.PRED: {0: scene.preds} if scene.preds else {},
        },
        {},
        {},
    )


def violations(contract: Contract, scene: ClipScene) -> dict[str, list[Obligation]]:
    """The violated obligations of every event clause of a contract on one clip, as scoring finds them."""
    from tracepact.evaluate.event_clauses import evaluate_events

    evaluation = evaluate_events(contract, one_clip(scene, contract.step))
    return {
        clause.clause.name: [obligation for segment, obligation in clause.violated if segment == 0]
        for clause in evaluation.clauses
    }


def replayed(question: EventQuestion, scene: ClipScene) -> EventExample | None:
    """The first obligation of the scene for which the predicate is true, matched and judged as scoring does."""
    body = Located(Not(question.formula), Span(0, 0))
    clause = EventClause("asked", question.each, body, tuple(question.event_atoms.items()), Span(0, 0))
    rows = violations(replace(question.contract, clauses=(clause,)), scene)["asked"]
    return EventExample(rows[0]) if rows else None


def _frames(scene: ClipScene) -> int:
    runs = (*scene.refs, *scene.preds, *(run for some in scene.refs_of_other_classes for run in some))
    return max(end for _, end in runs)


# Event predicates as Z3 arithmetic over what the attributes of one obligation are made of, times in frames.
#
# A ratio is a fraction of two such numbers. A comparison with a single ratio is multiplied by its denominator,
# which is positive, and stays linear (`abs`, `min` and `max` allow that); one with several ratios is not linear.


@dataclass(frozen=True, slots=True)
class SymbolicInterval:
    """An interval in numbers: its ends, the runs that overlap it, the frames they cover, the gaps between them."""

    onset: Any
    offset: Any
    covering: Any
    covered: Any
    longest: Any
    shortest: Any

    @property
    def duration(self) -> Any:
        """Its length."""
        return self.offset - self.onset


@dataclass(slots=True)
class SymbolicObligation:
    """One obligation in numbers; asking it a predicate may add the constraints that define a ratio."""

    name: str
    each: predicate.Each
    step: Fraction
    ref: SymbolicInterval
    pred: SymbolicInterval
    matched: Any
    dominant: Any
    context: "z3.Context"
    ratios: dict[predicate.Attribute, Any] = field(default_factory=dict)
    constraints: list[Any] = field(default_factory=list)

    @property
    def overlap(self) -> Any:
        """The frames that both intervals share, if they do."""
        return least(self.ref.offset, self.pred.offset) - greatest(self.ref.onset, self.pred.onset)

    def interval(self, owner: predicate.Owner) -> SymbolicInterval:
        """The interval of one side."""
        return self.ref if owner is predicate.Owner.REF else self.pred

    def formula(self, formula: Formula, event_atoms: Mapping[str, predicate.EventAtom]) -> Any:
        """The predicate as a Z3 Boolean."""

        def leaf(part: Formula) -> Any:
            match part:
                case Atom(name):
                    return self._event_atom(event_atoms[name])
                case Constant(value):
                    return z3.BoolVal(value, self.context)
            raise TypeError(f"an event predicate has no modalities, found {part}")

        return folded(formula, leaf, {Not: z3.Not, And: z3.And, Or: z3.Or, Implies: z3.Implies, Iff: eq})

    def _event_atom(self, atom: predicate.EventAtom) -> Any:
        match atom:
            case predicate.Flag(attribute):
                return _TRUTHS[attribute.name](self)
            case predicate.TermComparison():
                owners = {attribute.owner for attribute in attributes(atom)}
                truth = self._comparison(atom)
                return truth if owners <= set(predicate.OBLIGATED[self.each]) else z3.And(self.matched, truth)

    def _comparison(self, atom: predicate.TermComparison) -> Any:
        ratios = {a for a in attributes(atom) if a.quantity is predicate.TermType.RATIO}
        scale = self._fraction(next(iter(ratios)))[1] if len(ratios) == 1 else None
        some = RELATIONS[atom.relation](self._term(atom.left, scale), self._term(atom.right, scale))
        unbounded = unbounded_side(atom)
        if unbounded is None:
            return some
        attribute, none = unbounded
        is_bounded = _IS_BOUNDED[attribute.name](self.interval(attribute.owner))
        return z3.If(is_bounded, some, z3.BoolVal(none, self.context))

    def _term(self, term: predicate.Term, scale: Any) -> Any:
        """The value of a term, times in frames, multiplied by the denominator `scale` if there is one."""

        def of(part: predicate.Term) -> Any:
            return self._term(part, scale)

        match term:
            case predicate.ConstantTerm(value, quantity):
                number = self._real(value / self.step if quantity is predicate.TermType.TIME else value)
                return number if scale is None else number * z3.ToReal(scale)
            case predicate.Attribute():
                return self._attribute(term, scale)
            case predicate.TermSum(a, b):
                return of(a) + of(b)
            case predicate.TermDifference(a, b):
                return of(a) - of(b)
            case predicate.Scaled(factor, body):
                return self._real(factor) * of(body)
            case predicate.Absolute(body):
                return absolute(of(body))
            case predicate.Minimum(arguments):
                return reduce(least, [of(argument) for argument in arguments])
            case predicate.Maximum(arguments):
                return reduce(greatest, [of(argument) for argument in arguments])

    def _attribute(self, attribute: predicate.Attribute, scale: Any) -> Any:
        if attribute.quantity is predicate.TermType.RATIO:
            over, under = self._fraction(attribute)
            if scale is not None:
                return z3.ToReal(over)
            # A ratio is a variable with r * under = over, which keeps it one term however often it is mentioned; a
            # division would be a partial function to Z3, free where the denominator is zero.
            if attribute not in self.ratios:
                name = f"{self.name} {attribute.owner.value}.{attribute.name}"
                self.ratios[attribute] = z3.Real(name, self.context)
                self.constraints.append(self.ratios[attribute] * z3.ToReal(under) == z3.ToReal(over))
            return self.ratios[attribute]
        value = z3.ToReal(_NUMBERS[attribute.name](self, self.interval(attribute.owner)))
        return value if scale is None else value * z3.ToReal(scale)

    def _fraction(self, attribute: predicate.Attribute) -> tuple[Any, Any]:
        """Numerator and denominator of a ratio."""
        return _RATIOS[attribute.name](self, self.interval(attribute.owner))

    def _real(self, value: Fraction) -> Any:
        return z3.Q(value.numerator, value.denominator, self.context)


def absolute(a: Any) -> Any:
    """The absolute value."""
    return z3.If(a >= 0, a, -a)


def least(a: Any, b: Any) -> Any:
    """The lesser one."""
    return z3.If(a <= b, a, b)


def greatest(a: Any, b: Any) -> Any:
    """The greater one."""
    return z3.If(a >= b, a, b)


_NUMBERS: Mapping[str, Callable[[SymbolicObligation, SymbolicInterval], Any]] = {
    "onset": lambda obligation, interval: interval.onset,
    "offset": lambda obligation, interval: interval.offset,
    "duration": lambda obligation, interval: interval.duration,
    "overlap": lambda obligation, interval: obligation.overlap,
    "covering": lambda obligation, interval: interval.covering,
    "longest_gap": lambda obligation, interval: interval.longest,
    "shortest_gap": lambda obligation, interval: interval.shortest,
}
"""Times in frames, and counts, of an obligation and the interval that owns the attribute."""

_RATIOS: Mapping[str, Callable[[SymbolicObligation, SymbolicInterval], tuple[Any, Any]]] = {
    "iou": lambda o, interval: (o.overlap, o.ref.duration + o.pred.duration - o.overlap),
    "coverage": lambda obligation, interval: (interval.covered, interval.duration),
    "purity": lambda obligation, interval: (interval.covered, interval.duration),
}
"""Ratios as numerator and denominator, which is positive."""

_TRUTHS: Mapping[str, Callable[[SymbolicObligation], Any]] = {
    "matched": lambda obligation: obligation.matched,
    "dominant": lambda obligation: obligation.dominant,
}
_IS_BOUNDED: Mapping[str, Callable[[SymbolicInterval], Any]] = {"shortest_gap": lambda interval: interval.covering >= 2}
"""Where an attribute that may be unbounded is a number."""


# What every obligation of an event clause satisfies, in numbers: a predicate that does not fit is never true.
#
# The variables are the ends of both intervals, how many runs of the other side overlap each, how many of its frames
# they cover, its longest and shortest gap. Their constraints hold for every obligation of every scene, whatever the
# matcher chose, so unsat is an answer. They do not describe scenes completely: sat only says how many runs a scene
# needs that could show the predicate true (`scenes` looks for one).

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
    condition = obligation.formula(question.formula, question.event_atoms)
    solver = _solver(context, budget)
    solver.add(*obligation.constraints, condition)
    result = solver.check()
    if result == z3.unsat:
        return Fitting(Verdict.UNSAT)
    if result != z3.sat:
        return Fitting(Verdict.UNKNOWN, reason=f"the solver stopped: {solver.reason_unknown()}")
    owners = predicate.OBLIGATED[question.each]
    overlapping = sum(
        (obligation.interval(owner).covering for owner in owners[1:]), obligation.interval(owners[0]).covering
    )
    # From few to many: `sat` here only says how large a scene to look for, and the search for one grows steeply with
    # its runs.
    for most in range(_MOST_RUNS + 1):
        result = solver.check(overlapping <= most)
        if result == z3.unknown:
            return Fitting(Verdict.UNKNOWN, reason=f"the solver stopped: {solver.reason_unknown()}")
        if result == z3.sat:
            model = solver.model()

            def number(interval: SymbolicInterval, model: Any = model) -> int:
                return int(model.eval(interval.covering, model_completion=True).as_long())

            refs = number(obligation.pred) if predicate.Owner.PRED in owners else 1
            preds = number(obligation.ref) if predicate.Owner.REF in owners else 1
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
    condition = obligation.formula(Not(question.formula), question.event_atoms)
    solver = _solver(context, budget)
    solver.add(*obligation.constraints, condition)
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


def _obligation(name: str, each: predicate.Each, contract: Contract, context: "z3.Context") -> SymbolicObligation:
    """An obligation of free variables under the constraints that every real one satisfies."""

    def interval(side: str) -> SymbolicInterval:
        words = ("onset", "offset", "covering", "covered", "longest", "shortest")
        return SymbolicInterval(*(z3.Int(f"{name} {side}.{word}", context) for word in words))

    matched = z3.BoolVal(True, context) if each is predicate.Each.MATCHED else z3.Bool(f"{name} matched", context)
    dominant = z3.Bool(f"{name} dominant", context)
    obligation = SymbolicObligation(
        name, each, contract.step, interval("ref"), interval("pred"), matched, dominant, context
    )
    obligation.constraints.extend(_shape(obligation, contract))
    return obligation


def _shape(obligation: SymbolicObligation, contract: Contract) -> Iterator[Any]:
    ref, pred, matched = obligation.ref, obligation.pred, obligation.matched
    search, hole = contract.matcher.search // obligation.step, contract.merge_gap // obligation.step + 1
    for interval in (ref, pred):
        yield z3.And(interval.onset >= 0, interval.onset < interval.offset)
    near = z3.Or(absolute(ref.onset - pred.onset) <= search, absolute(ref.offset - pred.offset) <= search)
    yield z3.Implies(matched, z3.And(obligation.overlap >= 1, near))
    for owner in predicate.OBLIGATED[obligation.each]:
        one = obligation.interval(owner)
        yield z3.And(one.covering >= 0, one.covered >= one.covering, one.covered <= one.duration)
        yield (one.covering == 0) == (one.covered == 0)
        alone = z3.Implies(one.covering == 1, one.covered == obligation.overlap)
        yield z3.Implies(
            matched, z3.And(one.covering >= 1, one.covered >= obligation.overlap + one.covering - 1, alone)
        )
        gaps = z3.And(
            one.shortest >= hole,
            one.longest >= one.shortest,
            one.covered + one.longest + (one.covering - 2) * hole <= one.duration,
            z3.Implies(one.covering == 2, one.longest == one.shortest),
            z3.Implies(one.covering >= 3, one.covered + one.longest + one.shortest <= one.duration),
        )
        yield z3.If(one.covering >= 2, gaps, z3.And(one.longest == 0, one.shortest == 0))
        # A run between two others that overlap the interval overlaps nothing else of the interval's side. Such a run is
        # free, so if the interval has no partner, the run is beyond the matcher's search at both ends.
        inner = one.covering - 2 + (one.covering - 3) * hole
        lonely = z3.And(z3.Not(matched), one.covering >= 3)
        yield z3.Implies(lonely, one.duration >= 2 * (search + 1) + inner)
        if owner is predicate.Owner.PRED:
            covers = one.covered >= 1
            yield obligation.dominant == covers if contract.one_class else z3.Implies(obligation.dominant, covers)
