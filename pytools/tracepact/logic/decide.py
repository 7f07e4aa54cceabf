"""Decides questions about formulas exactly: satisfiable, valid, implies, equivalent, strictly stronger.

Every question is whether one formula holds at some frame of some trace: `a` implies `b` unless `a & !b` does, and an
obligation is one more conjunct. At a fixed length that is a finite question. For **all lengths** it is one as well:

*The bound.* Let f be the formula over base atoms (derived ones replaced by their definitions, `vocabulary`), L its
lookback and A its lookahead (rule 6.7; the definitions add their own frame of lookback). If f holds at frame i of a
trace of any length, it holds at some frame of a trace of at most L + 1 + A frames. This is `Tracepact.bounded_model`
of the Lean core (`lean/Tracepact/Thm/Locality.lean`), which rests on `locality` and `locality_shifted`: the verdict
at i depends only on the frames from i - L to i + A and on where the trace begins and ends *within* them, so cutting
the trace there changes nothing. Both clipped ends are covered: a trace that begins (ends) in sight of i keeps its
first (last) frame, and one that does not is cut where the formula cannot see.

*The query.* So it is enough to ask about lengths 1 to L + 1 + A: the short ones one after the other, in vectors of
their own width; if more are left, all at once, over blocks of frames (`blocks`) or over every frame in sight, where the
judged frame is fixed and the two ends are variables (`symbolic`). A fixed length only restricts which pairs of ends can
be in sight at once. What form and interval algebra settle (`identity`) is not asked at all.
"""

from dataclasses import replace
from enum import Enum
from time import monotonic

from tracepact.core import And, Formula, Iff, Not, lookahead, lookback
from tracepact.frozen import dataclass
from tracepact.logic.identity import contradicts_itself
from tracepact.logic.model import Model
from tracepact.logic.search import Effort, search
from tracepact.logic.vocabulary import over_base_atoms


class Verdict(Enum):
    """What a solver found about a formula."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


class Outcome(Enum):
    """The answer to a question."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Budget:
    """What a question may cost; beyond it the answer is unknown.

    `seconds` is the time on the clock from asking to the answer, encoding included, by default so much that a command
    with its start and its words ends within two; of it `minimising` may go into
    making a found trace small. `bits` bounds the size of the encoding, `frames` the length of a trace that is built,
    replayed and shown.
    """

    seconds: float = 1.5
    minimising: float = 1.0
    megabytes: int = 2048
    bits: int = 20_000_000
    frames: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Answer:
    """A verdict with the trace that shows it, the bound it rests on, and why it is unknown if it is."""

    verdict: Verdict
    bound: int
    model: Model | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """An outcome, and the trace that shows it where one does: an example, or a counterexample.

    `length` is None if it speaks of traces of every length; `free` if all atoms were independent.
    """

    outcome: Outcome
    bound: int
    length: int | None
    free: bool
    model: Model | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms on which questions are decided: obligation, length (None: all), free atoms, budget."""

    obligation: Formula | None = None
    length: int | None = None
    free: bool = False
    budget: Budget = Budget()
    minimise: bool = True


DEFAULT = Terms()


def bound(formula: Formula, *, free: bool = False) -> int:
    """The frames that suffice: lookback + 1 + lookahead of the formula over base atoms."""
    formula = formula if free else over_base_atoms(formula)
    return lookback(formula) + 1 + lookahead(formula)


def solve(formula: Formula, terms: Terms = DEFAULT) -> Answer:
    """Whether the formula (and the obligation, if there is one) holds at some frame of some trace."""
    budget, started = terms.budget, monotonic()
    asked = formula if terms.obligation is None else And(terms.obligation, formula)
    base = asked if terms.free else over_base_atoms(asked)
    widest = bound(base, free=True)
    if (terms.length is not None and terms.length < 1) or contradicts_itself(base):
        return Answer(Verdict.UNSAT, widest)
    if terms.length is not None and terms.length > budget.frames:
        too_long = f"a trace of {terms.length:,} frames is too long to be shown; {widest:,} or more show as much"
        return Answer(Verdict.UNKNOWN, widest, reason=too_long)
    effort = Effort(started + budget.seconds, budget.minimising, budget.megabytes, budget.bits)
    verdict, found, reason = search(base, terms.length, effort, minimise=terms.minimise)
    if found is None:
        return Answer(Verdict(verdict), widest, reason=reason)
    return Answer(Verdict.SAT, widest, replace(found, free=terms.free).replayed(asked))


def satisfiable(formula: Formula, terms: Terms = DEFAULT) -> Decision:
    """Does it hold at some (obligated) frame of some trace? The model is an example."""
    return _decision(solve(formula, terms), terms, when_sat=Outcome.YES)


def valid(formula: Formula, terms: Terms = DEFAULT) -> Decision:
    """Does it hold at every (obligated) frame of every trace? The model is a counterexample."""
    return _decision(solve(Not(formula), terms), terms, when_sat=Outcome.NO)


def implies(a: Formula, b: Formula, terms: Terms = DEFAULT) -> Decision:
    """Does b hold wherever a does? The model is a frame with a and without b."""
    return _decision(solve(And(a, Not(b)), terms), terms, when_sat=Outcome.NO)


def equivalent(a: Formula, b: Formula, terms: Terms = DEFAULT) -> Decision:
    """Do a and b hold at the same frames? The model is a frame with exactly one of them."""
    return _decision(solve(Not(Iff(a, b)), terms), terms, when_sat=Outcome.NO)


def strictly_stronger(a: Formula, b: Formula, terms: Terms = DEFAULT) -> Decision:
    """Does a imply b but not the other way round? The model is a frame with b alone, or a counterexample."""
    forward = implies(a, b, terms)
    if forward.outcome is not Outcome.YES:
        return forward
    return _decision(solve(And(b, Not(a)), terms), terms, when_sat=Outcome.YES)


def never_occurs(premise: Formula, terms: Terms = DEFAULT) -> bool:
    """Whether no (obligated) frame of any trace satisfies the premise, for certain: a yes about such frames is idle."""
    return solve(premise, replace(terms, minimise=False)).verdict is Verdict.UNSAT


def _decision(answer: Answer, terms: Terms, *, when_sat: Outcome) -> Decision:
    outcome = {
        Verdict.SAT: when_sat,
        Verdict.UNSAT: Outcome.NO if when_sat is Outcome.YES else Outcome.YES,
        Verdict.UNKNOWN: Outcome.UNKNOWN,
    }[answer.verdict]
    return Decision(outcome, answer.bound, terms.length, terms.free, answer.model, answer.reason)
