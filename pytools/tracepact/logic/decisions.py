"""Decides questions about formulas exactly; small universes by enumeration as a second procedure."""

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from time import monotonic

from tracepact.declarations import dataclass
from tracepact.diagnostics.findings import Span, TextPlace
from tracepact.language import syntax as s
from tracepact.language.contract import Contract
from tracepact.language.formula import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Since,
    Until,
    sight,
)
from tracepact.language.printer import print_expression
from tracepact.language.scope import CONNECTIVES
from tracepact.logic.models import Model, Verdict, over_base_atoms
from tracepact.logic.normal import contradicts_itself
from tracepact.logic.search import Effort, search

# The text behind a core contract, so that findings can point at what was written.


@dataclass(frozen=True, slots=True)
class ContractText:
    """A contract and the text it was read from."""

    contract: Contract

    def place(self, span: Span) -> TextPlace:
        """A place in the contract's text."""
        return TextPlace(self.contract.source, span)

    def quoted(self, span: Span) -> str:
        """What is written there, on one line."""
        return " ".join(self.contract.source.text[span.start : span.end].split())


# Core formulas as contract text again, bounds in frames or in milliseconds.


_SIGNS = {kind: connective for connective, kind in CONNECTIVES.items()}


def formula_text(formula: Formula, step: Fraction | None = None) -> str:
    """The canonical text of a formula; reading it gives the formula back, at any step or at the one given."""
    return print_expression(_written(formula, step))


def _written(formula: Formula, step: Fraction | None) -> s.Expression:
    def of(part: Formula) -> s.Expression:
        return _written(part, step)

    def bound(frames: int) -> s.Value:
        size = Fraction(abs(frames))
        quantity = s.Quantity(size, "f") if step is None else s.Quantity(size * step * 1000, "ms")
        return s.Value(quantity, frames < 0)

    match formula:
        case Atom(name):
            return s.Mask(name)
        case Constant(value):
            return s.Truth(value)
        case Not(body):
            return s.Negation(of(body))
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            return s.Binary(_SIGNS[type(formula)], of(a), of(b))
        case Eventually(lo, hi, body) if lo == -hi:
            return s.Near(bound(hi), of(body))
        case Eventually(lo, hi, body):
            return s.WindowOperator("F", bound(lo) if lo else None, bound(hi), of(body))
        case Always(lo, hi, body):
            return s.WindowOperator("G", bound(lo) if lo else None, bound(hi), of(body))
        case Until(radius, a, b):
            return s.Reach("U", bound(radius), of(a), of(b))
        case Since(radius, a, b):
            return s.Reach("S", bound(radius), of(a), of(b))


# Small universes by enumeration: a second decision procedure, independent of the first.
#
# All traces of n frames over k atoms are evaluated at once, one bit a trace: for every frame there is one integer of
# 2^(k·n) bits, and bit e says whether the formula holds there in trace e. The atoms are the columns of a truth table.
# This shares no code with the monitor or the solver, whose bits are frames.

LARGEST = 1 << 28
"""The most environment-frames of one length that are enumerated: 32 MiB a formula node."""


class UniverseTooLarge(ValueError):  # noqa: N818  (it is what the universe is)
    """More environments than can be enumerated."""


class Universe:
    """Every environment of so many frames over the given base atoms."""

    def __init__(self, names: Sequence[str], frames: int) -> None:
        self.names = tuple(names)
        self.frames = frames
        self.variables = len(self.names) * frames
        if frames << min(self.variables, 60) > LARGEST:
            raise UniverseTooLarge(f"{len(self.names)} atoms at {frames} frames are 2^{self.variables} environments")
        self.size = 1 << self.variables
        self.everything = (1 << self.size) - 1

    def truth(self, formula: Formula, known: dict[Formula, list[int]] | None = None) -> list[int]:
        """For every frame the environments in which the formula holds there; base atoms only.

        `known` keeps the parts that were evaluated, for the formulas that come next.
        """
        known = {} if known is None else known
        if formula not in known:
            known[formula] = self._evaluated(formula, known)
        return known[formula]

    def environment(self, index: int) -> dict[str, tuple[bool, ...]]:
        """The masks of one environment."""
        n = self.frames
        return {name: tuple(bool(index >> (k * n + i) & 1) for i in range(n)) for k, name in enumerate(self.names)}

    def _column(self, variable: int) -> int:
        """The environments whose number has this bit set: blocks of 2^v zeros and ones."""
        # The repunit (2^size - 1) / (2^half + 1) has blocks of half ones and half zeros: a truth table's column in one
        # division.
        half = 1 << variable
        return self.everything // ((1 << half) + 1) << half

    def _evaluated(self, formula: Formula, known: dict[Formula, list[int]]) -> list[int]:
        n, everything = self.frames, self.everything

        def of(part: Formula) -> list[int]:
            return self.truth(part, known)

        match formula:
            case Atom(name):
                k = self.names.index(name)
                return [self._column(k * n + i) for i in range(n)]
            case Constant(value):
                return [everything if value else 0] * n
            case Not(body):
                return [everything ^ a for a in of(body)]
            case And(left, right):
                return [a & b for a, b in zip(of(left), of(right), strict=True)]
            case Or(left, right):
                return [a | b for a, b in zip(of(left), of(right), strict=True)]
            case Implies(left, right):
                return [everything ^ a | b for a, b in zip(of(left), of(right), strict=True)]
            case Iff(left, right):
                return [everything ^ a ^ b for a, b in zip(of(left), of(right), strict=True)]
            case Eventually(lo, hi, body):
                return self._some(lo, hi, of(body))
            case Always(lo, hi, body):
                return [everything ^ a for a in self._some(lo, hi, [everything ^ a for a in of(body)])]
            case Until(radius, left, right):
                return _reach(radius, of(left), of(right))
            case Since(radius, left, right):
                return _reach(radius, of(left)[::-1], of(right)[::-1])[::-1]

    def _some(self, lo: int, hi: int, body: list[int]) -> list[int]:
        parts = []
        for i in range(self.frames):
            mask = 0
            for j in range(max(0, i + lo), min(self.frames - 1, i + hi) + 1):
                mask |= body[j]
            parts.append(mask)
        return parts


def _reach(radius: int, left: list[int], right: list[int]) -> list[int]:
    """`left U[radius] right` at each frame: what is reached at i, or past i while left holds."""
    reached = []
    for i in range(len(left)):
        mask, way = right[i], left[i]
        for j in range(i + 1, min(i + radius, len(left) - 1) + 1):
            mask |= way & right[j]
            way &= left[j]
        reached.append(mask)
    return reached


# Decides questions about formulas exactly: satisfiable, valid, implies, equivalent, strictly stronger.
#
# Every question is whether one formula holds at some frame of some trace: `a` implies `b` unless `a & !b` does, and
# an obligation is one more conjunct. At a fixed length that is a finite question. For **all lengths** it is one as
# well:
#
# *The bound.* Let f be the formula over base atoms (derived ones replaced by their definitions, `vocabulary`), L its
# lookback and A its lookahead (rule 6.7; the definitions add their own frame of lookback). If f holds at frame i of a
# trace of any length, it holds at some frame of a trace of at most L + 1 + A frames. This is
# `Tracepact.bounded_model`
# of the Lean core (`lean/Tracepact/Thm/Locality.lean`), which rests on `locality` and `locality_shifted`: the verdict
# at i depends only on the frames from i - L to i + A and on where the trace begins and ends *within* them, so cutting
# the trace there changes nothing. Both clipped ends are covered: a trace that begins (ends) in sight of i keeps its
# first (last) frame, and one that does not is cut where the formula cannot see.
#
# *The query.* So it is enough to ask about lengths 1 to L + 1 + A: the short ones one after the other, in vectors of
# their own width; if more are left, all at once, over blocks of frames (`blocks`) or over every frame in sight,
# where the judged frame is fixed and the two ends are variables (`symbolic`). A fixed length only restricts which
# pairs of ends can be in sight at once. What form and interval algebra settle (`identity`) is not asked at all.


class Outcome(Enum):
    """The answer to a question."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


QUESTION_SECONDS = 1.5
"""For a question unless the caller says otherwise: with its start and its words a command ends within two."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a question may cost; beyond it the answer is unknown.

    `seconds` is the time on the clock from asking to the answer, encoding included; of it `minimising` may go into
    making a found trace small. `bits` bounds the size of the encoding, `frames` the length of a trace that is built,
    replayed and shown.
    """

    seconds: float = QUESTION_SECONDS
    minimising: float = 1.0
    megabytes: int = 2048
    bits: int = 20_000_000
    frames: int = 1_000_000


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
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
    return sight(formula if free else over_base_atoms(formula))


def solve(formula: Formula, terms: Terms = DEFAULT) -> QuestionAnswer:
    """Whether the formula (and the obligation, if there is one) holds at some frame of some trace."""
    budget, started = terms.budget, monotonic()
    condition = formula if terms.obligation is None else And(terms.obligation, formula)
    base = condition if terms.free else over_base_atoms(condition)
    widest = bound(base, free=True)
    # What form alone settles is not asked: most questions of a check end here, and Z3 is not even loaded.
    if (terms.length is not None and terms.length < 1) or contradicts_itself(base):
        return QuestionAnswer(Verdict.UNSAT, widest)
    if terms.length is not None and terms.length > budget.frames:
        too_long = f"a trace of {terms.length:,} frames is too long to be shown; {widest:,} or more show as much"
        return QuestionAnswer(Verdict.UNKNOWN, widest, reason=too_long)
    effort = Effort(started + budget.seconds, budget.minimising, budget.megabytes, budget.bits)
    answer = search(base, terms.length, effort, minimise=terms.minimise)
    model = None if answer.model is None else replace(answer.model, free=terms.free).replayed(condition)
    return QuestionAnswer(answer.verdict, widest, model, answer.reason)


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


def _decision(answer: QuestionAnswer, terms: Terms, *, when_sat: Outcome) -> Decision:
    outcome = {
        Verdict.SAT: when_sat,
        Verdict.UNSAT: Outcome.NO if when_sat is Outcome.YES else Outcome.YES,
        Verdict.UNKNOWN: Outcome.UNKNOWN,
    }[answer.verdict]
    return Decision(outcome, answer.bound, terms.length, terms.free, answer.model, answer.reason)
