"""Decides questions about formulas exactly, under a budget, and makes the traces that show the answers small."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from threading import Timer
from time import monotonic
from typing import Any

from tracepact.declarations import dataclass
from tracepact.language import formula as f
from tracepact.language import syntax as s
from tracepact.language.formula import Formula, cost, sight, size
from tracepact.language.printer import print_expression
from tracepact.language.scope import CONNECTIVES
from tracepact.lazy import z3
from tracepact.logic.models import Model, TraceAnswer, Verdict, over_base_atoms, sampled_long
from tracepact.logic.normal import contradicts_itself
from tracepact.logic.refine import Encoding, encode, encode_short, search_blocks

# Asks Z3 under a budget: short traces first, then every frame in sight or blocks of frames; models are made small.
#
# Lengths 1, 2, 4, … are asked about in vectors as wide as they are long, so a short trace is found at its own price
# however far the formula looks, and it is a shortest one since all shorter lengths were refused. Beyond a few dozen
# frames every frame in sight is asked about if there are not too many, and long windows are decided over blocks
# (`refine`); what both leave open is tried on a few random traces of long runs, and then asked of every frame in sight
# once more, if that fits what is left of the time.
#
# No `simplify` before `bit-blast`: it splits the shifts of a window into single bits, which takes longer than solving
# (15 s against 0.2 s for N[100f] N[100f] p over all lengths).

_SHORT = 64
"""Traces up to this length are asked about first, whatever is in sight."""
_BITS_A_SECOND = 400_000
"""How many bits of vectors, one for each pass of the formula, are encoded in a second; a larger question is not begun.

The time that Z3 takes to blast bits is not bounded by its own timeout."""
_FEW_BITS, _FEW_FRAMES = 300_000, 4000
"""A question of at most this many bits and frames is asked of every frame in sight before it is asked of blocks."""
_MOST_COUNTED = 4000
"""The most atom-frames of which the fewest active ones are sought."""
_SHORT_SHARE, _SIGHT_SHARE, _BLOCKS_SHARE = 0.4, 0.4, 0.7
"""The share of what is left of the time that short traces, every frame in sight and blocks may use at first."""


@dataclass(frozen=True, slots=True)
class Effort:
    """What a search may cost: until when it may answer, until when it may minimise, and the solver's memory."""

    deadline: float
    minimising: float
    megabytes: int
    bits: int


@dataclass(frozen=True, slots=True)
class SolverAnswer:
    """What Z3 said: sat, unsat or unknown; the valid bits, the verdict and masks of a model; the reason for unknown."""

    verdict: Verdict
    valid: int = 0
    holding: int = 0
    masks: dict[str, int] | None = None
    reason: str | None = None


def search(formula: Formula, length: int | None, effort: Effort, *, minimise: bool) -> TraceAnswer:
    """What was found; base atoms only."""
    bound = sight(formula)
    if length is not None and length <= min(_SHORT, bound):
        return _at_length(formula, length, effort, minimise=minimise)
    if length is None:
        limited = effort if bound <= _SHORT else replace(effort, deadline=_until(effort, _SHORT_SHARE))
        answer = _short(formula, min(bound, _SHORT), limited, minimise=minimise)
        if answer.verdict is Verdict.SAT or bound <= _SHORT:
            return answer
    answer = TraceAnswer(Verdict.UNKNOWN)
    if _SHORT < bound <= _FEW_FRAMES and _bits(formula, length) <= _FEW_BITS:
        answer = _insight(formula, length, replace(effort, deadline=_until(effort, _SIGHT_SHARE)), minimise=minimise)
    if bound > _SHORT and answer.verdict is Verdict.UNKNOWN:
        answer = search_blocks(formula, length, _until(effort, _BLOCKS_SHARE), effort.megabytes)
    if (
        bound > _SHORT
        and answer.verdict is Verdict.UNKNOWN
        and (model := sampled_long(formula, length, effort.deadline))
    ):
        return TraceAnswer(Verdict.SAT, model)
    return answer if answer.verdict is not Verdict.UNKNOWN else _insight(formula, length, effort, minimise=minimise)


def _until(effort: Effort, share: float) -> float:
    """When this share of the time that is left is spent."""
    return monotonic() + share * max(0.0, effort.deadline - monotonic())


# Short traces


def _short(formula: Formula, most: int, effort: Effort, *, minimise: bool) -> TraceAnswer:
    """Lengths 1, 2, 4, … up to `most`; unsat says that no trace so short shows the formula."""
    longest, refused = 1, 0
    while True:
        # By doubling: all questions together cost about twice the last one, and a short trace is found at its own
        # price.
        encoding = encode_short(formula, min(longest, most))
        answer = _ask(encoding, [], effort.deadline, effort.megabytes)
        if answer.verdict is Verdict.SAT:
            best, minimal = answer, False
            if minimise:
                best, minimal = _smallest(encoding, answer, None, refused + 1, effort)
            return TraceAnswer(Verdict.SAT, _model(encoding, best, None, minimal))
        if answer.verdict is Verdict.UNKNOWN or longest >= most:
            return TraceAnswer(answer.verdict, reason=answer.reason)
        refused, longest = longest, 2 * longest


def _at_length(formula: Formula, length: int, effort: Effort, *, minimise: bool) -> TraceAnswer:
    return _answered(encode_short(formula, length, exactly=True), length, effort, minimise=minimise)


def _insight(formula: Formula, length: int | None, effort: Effort, *, minimise: bool) -> TraceAnswer:
    """Every frame that can be seen from the judged one, if encoding them fits the time."""
    bound = sight(formula)
    if _bits(formula, length) > min(effort.bits, _BITS_A_SECOND * (effort.deadline - monotonic())):
        spent = monotonic() >= effort.deadline
        many = f"{min(bound, length or bound):,} frames are in sight: too many for the budget"
        return TraceAnswer(Verdict.UNKNOWN, reason="the time budget is spent" if spent else many)
    if length is not None and length <= bound:
        return _at_length(formula, length, effort, minimise=minimise)
    return _answered(encode(formula, length), length, effort, minimise=minimise)


def _bits(formula: Formula, length: int | None) -> int:
    """The bits of the vectors that an encoding takes: a number of frames for each pass of the formula."""
    bound = sight(formula)
    return min(bound, length or bound) * (cost(formula) + size(formula))


def _answered(encoding: Encoding, length: int | None, effort: Effort, *, minimise: bool) -> TraceAnswer:
    first = _ask(encoding, [], effort.deadline, effort.megabytes)
    if first.verdict is not Verdict.SAT:
        return TraceAnswer(first.verdict, reason=first.reason)
    best, minimal = _smallest(encoding, first, length, 1, effort) if minimise else (first, False)
    return TraceAnswer(Verdict.SAT, _model(encoding, best, length, minimal))


def _ask(encoding: Encoding, more: list[Any], deadline: float, megabytes: int) -> SolverAnswer:
    left = deadline - monotonic()
    if left <= 0:
        return SolverAnswer(Verdict.UNKNOWN, reason="the time budget is spent")
    solver = z3.Then("bit-blast", "sat", ctx=encoding.valid.ctx).solver()
    solver.set("timeout", max(1, int(left * 1000)))
    solver.set("max_memory", megabytes)
    try:
        with interrupted(encoding.valid.ctx, deadline) if encoding.bound > _SHORT else nullcontext():
            solver.add(*encoding.constraints, *more)
            result = solver.check()
    except z3.Z3Exception as error:
        return SolverAnswer(Verdict.UNKNOWN, reason=f"the solver stopped: {error}")
    if result == z3.unsat:
        return SolverAnswer(Verdict.UNSAT)
    if result != z3.sat:
        return SolverAnswer(Verdict.UNKNOWN, reason=f"the solver stopped: {solver.reason_unknown()}")
    values = solver.model()

    def number(vector: Any) -> int:
        return int(values.eval(vector, model_completion=True).as_binary_string(), 2)  # decimals have a limit of digits

    masks = {name: number(mask) for name, mask in encoding.masks.items()}
    return SolverAnswer(Verdict.SAT, number(encoding.valid), number(encoding.verdict), masks)


# Small models


def _smallest(
    encoding: Encoding, best: SolverAnswer, length: int | None, shortest: int, effort: Effort
) -> tuple[SolverAnswer, bool]:
    """The best model within its own time, and whether it is known to be the smallest; none is shorter than given."""
    until = min(effort.deadline, monotonic() + effort.minimising)
    fixed: list[Any] = []
    if length is None:

        def shorter(k: int) -> list[Any]:
            return [encoding.at_most(k)]

        limits = _Limits(encoding, [], shortest, encoding.bound, until, effort.megabytes)
        best, proven = _descend(best, _frames, shorter, limits)
        if not proven:
            return best, False
        fixed = [encoding.at_most(_frames(best))]
    if len(encoding.masks) * encoding.bound > _MOST_COUNTED:
        return best, False
    bits = encoding.active_bits()

    def fewer(k: int) -> list[Any]:
        return [z3.AtMost(*bits, k)] if bits else []

    return _descend(best, _active, fewer, _Limits(encoding, fixed, 0, 1, until, effort.megabytes))


@dataclass(frozen=True, slots=True)
class _Limits:
    """What a descent starts from: the question, what holds besides, the least measure, the first step, until when."""

    encoding: Encoding
    fixed: list[Any]
    least: int
    step: int
    until: float
    megabytes: int


def _descend(
    best: SolverAnswer,
    measure: Callable[[SolverAnswer], int],
    at_most: Callable[[int], list[Any]],
    limits: _Limits,
) -> tuple[SolverAnswer, bool]:
    """The least measure that a model has, in growing steps from below and by halves; False if the time ran out."""
    low, step = limits.least, limits.step
    while low < measure(best):
        # From below, in steps that double: a smallest trace is short, and a refused short length is cheaper than a
        # found long one (galloping search, Bentley and Yao 1976).
        middle = min(low + step - 1, (low + measure(best) - 1) // 2)
        step *= 2
        better = _ask(limits.encoding, [*limits.fixed, *at_most(middle)], limits.until, limits.megabytes)
        if better.verdict is Verdict.UNKNOWN:
            return best, False
        if better.verdict is Verdict.SAT:
            best = better
        else:
            low = middle + 1
    return best, True


def _frames(answer: SolverAnswer) -> int:
    return answer.valid.bit_count()


def _active(answer: SolverAnswer) -> int:
    return sum(mask.bit_count() for mask in (answer.masks or {}).values())


def _model(encoding: Encoding, answer: SolverAnswer, length: int | None, minimal: bool) -> Model:
    """The trace around the judged bit; at a fixed length, silent frames fill what the formula does not see."""
    first = (answer.valid & -answer.valid).bit_length() - 1
    judged = encoding.judged if encoding.judged is not None else (answer.holding & -answer.holding).bit_length() - 1
    shown = _frames(answer)
    before = judged - first
    start = 0
    if length is not None and encoding.judged is not None and before == encoding.judged:
        at_end = first + shown < encoding.bound
        start = length - shown if at_end else 0
    frames = shown if length is None else length
    atoms = {
        name: tuple(0 <= j < shown and bool(mask >> (first + j) & 1) for j in range(-start, frames - start))
        for name, mask in (answer.masks or {}).items()
    }
    return Model(frames, atoms, start + before, minimal=minimal)


# Keeps a deadline where Z3's own timeout does not look at the clock, as in turning vectors into bits.

_GRACE = 0.02
"""Seconds after the deadline: Z3's own timeout, which says why it stopped, comes first where it works."""


@contextmanager
def interrupted(context: Any, deadline: float) -> Iterator[None]:
    """Whatever the context computes is interrupted at the deadline."""
    timer = Timer(max(0.0, deadline - monotonic()) + _GRACE, context.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


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
        case f.Atom(name):
            return s.Mask(name)
        case f.Constant(value):
            return s.Truth(value)
        case f.Not(body):
            return s.Negation(of(body))
        case f.And(a, b) | f.Or(a, b) | f.Implies(a, b) | f.Iff(a, b):
            return s.Binary(_SIGNS[type(formula)], of(a), of(b))
        case f.Eventually(lo, hi, body) if lo == -hi:
            return s.Near(bound(hi), of(body))
        case f.Eventually(lo, hi, body):
            return s.WindowOperator("F", bound(lo) if lo else None, bound(hi), of(body))
        case f.Always(lo, hi, body):
            return s.WindowOperator("G", bound(lo) if lo else None, bound(hi), of(body))
        case f.Until(radius, a, b):
            return s.Reach("U", bound(radius), of(a), of(b))
        case f.Since(radius, a, b):
            return s.Reach("S", bound(radius), of(a), of(b))


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
# where the judged frame is fixed and the two ends are variables (`refine`). A fixed length only restricts which
# pairs of ends can be in sight at once. What form and interval algebra settle (`normal`) is not asked at all.


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
    condition = formula if terms.obligation is None else f.And(terms.obligation, formula)
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
    return _decision(solve(f.Not(formula), terms), terms, when_sat=Outcome.NO)


def implies(a: Formula, b: Formula, terms: Terms = DEFAULT) -> Decision:
    """Does b hold wherever a does? The model is a frame with a and without b."""
    return _decision(solve(f.And(a, f.Not(b)), terms), terms, when_sat=Outcome.NO)


def equivalent(a: Formula, b: Formula, terms: Terms = DEFAULT) -> Decision:
    """Do a and b hold at the same frames? The model is a frame with exactly one of them."""
    return _decision(solve(f.Not(f.Iff(a, b)), terms), terms, when_sat=Outcome.NO)


def strictly_stronger(a: Formula, b: Formula, terms: Terms = DEFAULT) -> Decision:
    """Does a imply b but not the other way round? The model is a frame with b alone, or a counterexample."""
    forward = implies(a, b, terms)
    if forward.outcome is not Outcome.YES:
        return forward
    return _decision(solve(f.And(b, f.Not(a)), terms), terms, when_sat=Outcome.YES)


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
