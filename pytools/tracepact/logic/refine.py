"""Long windows decided by blocks, and core formulas over Z3 bit-vectors."""

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from time import monotonic
from typing import Any

from tracepact.declarations import dataclass
from tracepact.evaluate.masks import evaluate_masks, evaluate_trace
from tracepact.language import formula as f
from tracepact.language.formula import Formula, atoms, lookahead, lookback, operands, sight, subformulas
from tracepact.lazy import z3
from tracepact.logic.blocks import BlockEncoding, Blocks
from tracepact.logic.models import Model, TraceAnswer, Verdict, model_at
from tracepact.logic.normal import normal

# Core formulas over Z3 bit-vectors: the engine's own windows by doubling, with masks a solver may choose.
#
# The question is always whether a formula holds at some frame of some trace. There are two encodings.
#
# *In sight of a frame.* The frame is fixed, bit `lookback` of vectors of `bound = lookback + 1 + lookahead` bits, and
# what is chosen besides the atoms is where the trace begins and ends: `valid` is any block of bits around the
# judged one. Frames beyond that block do not exist; frames of the trace beyond the vector are not looked at from
# the judged frame (see `decide` for the argument). A bit that a shift pushes out of the vector is one of those, so
# no padding is needed.
#
# *A short trace.* The vectors are as wide as the longest trace that is asked about, however far the formula looks:
# every window is cut at the ends of the trace, and an offset of its length or more lies outside it from every
# frame. `valid` is the first bits of a vector; the judged frame is any of them. A window ahead moves bits up before
# it moves them down again, so as many bits as it looks ahead, at most the length, are kept free above.


class VectorAlgebra:
    """Masks as Z3 bit-vectors of one width."""

    def __init__(self, valid: Any, longest: int) -> None:
        self.valid = valid
        self.longest = longest
        self.none = z3.BitVecVal(0, valid.size(), valid.ctx)

    def conjunction(self, a: Any, b: Any, /) -> Any:
        """Frames of both."""
        return a & b

    def disjunction(self, a: Any, b: Any, /) -> Any:
        """Frames of either."""
        return a | b

    def difference(self, a: Any, b: Any, /) -> Any:
        """Frames of exactly one."""
        return a ^ b

    def later(self, a: Any, k: int, /) -> Any:
        """Move every frame k later; those beyond the width are lost."""
        return a << k

    def earlier(self, a: Any, k: int, /) -> Any:
        """Move every frame k earlier; those before the first are lost."""
        return z3.LShR(a, k)


@dataclass(frozen=True, slots=True)
class Encoding:
    """A question for the solver: the constraints under which `masks` and `valid` show a trace that answers it."""

    masks: dict[str, Any]
    valid: Any
    verdict: Any
    constraints: list[Any]
    bound: int
    judged: int | None
    """The bit that is asked about; None if any may be."""

    def at_most(self, frames: int) -> Any:
        """That the trace has at most this many frames: a block longer than k has two bits k apart."""
        return (self.valid & z3.LShR(self.valid, frames)) == 0

    def active_bits(self) -> list[Any]:
        """Every atom at every frame, as Booleans."""
        return [_bit(mask, i) for mask in self.masks.values() for i in range(self.bound)]


def encode(formula: Formula, length: int | None) -> Encoding:
    """The question whether the formula holds at some frame of a trace of this length, or of any length if None."""
    back, bound = lookback(formula), sight(formula)
    valid, masks, verdict = _vectors(formula, bound, 0)
    constraints = [*_is_block(valid, back, bound), _bit(verdict, back)]
    if length is not None:
        constraints += _fits(valid, bound, length)
    return Encoding(masks, valid, verdict, constraints, bound, back)


def encode_short(formula: Formula, longest: int, *, exactly: bool = False) -> Encoding:
    """The question whether the formula holds at some frame of a trace of at most, or exactly, `longest` frames."""
    windows = [part.hi for part in subformulas(formula) if isinstance(part, f.Eventually | f.Always)]
    valid, masks, verdict = _vectors(formula, longest, min(longest, max(0, *windows, 0)))
    most = _ones(valid, 0, longest)
    first = [_bit(valid, 0), (valid & (valid + 1)) == 0, (valid & ~most) == 0]
    return Encoding(
        masks, valid, verdict, [*([valid == most] if exactly else first), z3.Not(verdict == 0)], longest, None
    )


def _vectors(formula: Formula, longest: int, free: int) -> tuple[Any, dict[str, Any], Any]:
    """The valid frames, the atoms and the verdict of a formula, as vectors with `free` bits above the longest trace."""
    context = z3.Context()  # of its own, so that the answer does not depend on what was asked before
    valid = z3.BitVec("valid frames", longest + free, context)
    masks = {name: z3.BitVec(f"atom {name}", longest + free, context) & valid for name in sorted(atoms(formula))}
    (verdict,) = evaluate_masks([formula], masks, VectorAlgebra(valid, longest))
    return valid, masks, verdict


def _bit(vector: Any, i: int) -> Any:
    return z3.Extract(i, i, vector) == 1


def _ones(valid: Any, first: int, number: int) -> Any:
    """So many bits from the first one on, made by shifts: a numeral of thousands of digits is slow to read."""
    width = valid.size()
    everything = ~z3.BitVecVal(0, width, valid.ctx)
    return (z3.LShR(everything, width - number) if number < width else everything) << first


def _is_block(valid: Any, judged: int, bound: int) -> Iterator[Any]:
    """The valid bits are the judged one and some next to it on both sides, without a hole."""
    yield _bit(valid, judged)
    if judged:
        yield (valid & ~z3.LShR(valid, 1) & _ones(valid, 0, judged)) == 0
    if judged + 1 < bound:
        yield (valid & ~(valid << 1) & _ones(valid, judged + 1, bound - judged - 1)) == 0


def _fits(valid: Any, bound: int, length: int) -> Iterator[Any]:
    """The block is what a trace of this length shows around one of its frames.

    Both ends of the trace are in sight and the block has its length; or one end is not in sight, so the block reaches
    that end of the vector, and the trace has at least as many frames as the block. Every such view occurs.
    """
    cut = z3.Or(_bit(valid, 0), _bit(valid, bound - 1))
    if length >= bound:
        yield cut
        return
    yield (valid & z3.LShR(valid, length)) == 0
    yield z3.Or(cut, z3.Not((valid & z3.LShR(valid, length - 1)) == 0))


# Long windows decided by blocks: a no that carries over, or a trace made from the blocks and judged as it stands.
#
# The blocks start at the ends of the windows as they are seen from the judged frame. A model of their conditions
# (`blocks`) is filled in with frames in a few ways, and each trace is evaluated; if none shows the formula, the
# blocks about which the model is vague are cut and the solver is asked again.
#
# A question may be seen from several frames: `F[a,b] p & q` holds at some frame exactly if `p & F[-b,-a] q` does,
# at the frame that `F` finds. A disjunction holds nowhere if none of its sides holds anywhere.

_MOST_STARTS = 28
"""How many ends of windows start blocks of their own at first."""
_MOST_BLOCKS = 140
"""With more blocks than this the question is left open: the conditions grow with their square."""
_MOST_VIEWS = 4
"""From how many found frames a question is seen, besides the judged one."""
_FILLINGS = 14
"""In how many ways a block that has an atom here and lacks it there is filled."""
_LONGEST = 2_000_000
"""The longest trace that is made from blocks."""


def search_blocks(formula: Formula, length: int | None, deadline: float, megabytes: int) -> TraceAnswer:
    """Whether a formula holds at some frame of a trace of this length, or of any length; base atoms only."""
    cases = [[_BlockView(case, view, length) for view in _views(case)] for case in operands(normal(formula), f.Or)]
    while cases:
        views = min(cases, key=lambda views: views[0].asked)
        view = views.pop(0)
        verdict, model = view.ask(deadline, megabytes)
        if verdict is Verdict.UNSAT:
            cases.remove(views)
            continue
        if model is not None:
            silent = dict.fromkeys(atoms(formula) - set(model.atoms), (False,) * model.frames)
            return TraceAnswer(Verdict.SAT, replace(model, atoms={**model.atoms, **silent}))
        if monotonic() > deadline:
            return TraceAnswer(Verdict.UNKNOWN, reason="the time budget is spent")
        if len(view.blocks) <= _MOST_BLOCKS:
            views.append(view)
        if not views:
            return TraceAnswer(Verdict.UNKNOWN, reason="the windows are too long and too many for the budget")
    return TraceAnswer(Verdict.UNSAT)


def _views(case: Formula) -> Iterator[Formula]:
    """The case as it is, and as it is seen from a frame that one of its windows finds."""
    yield case
    parts = operands(case, f.And)
    views = [part for part in parts if isinstance(part, f.Eventually) and part.lo < part.hi]
    for part in views[:_MOST_VIEWS]:
        rest = [other for other in parts if other is not part]
        there = reduce(f.And, rest) if rest else f.Constant(True)
        yield f.And(part.body, f.Eventually(-part.hi, -part.lo, there))


class _BlockView:
    """A formula in normal form, seen from some frame, and the blocks in which it is asked about, more each time."""

    def __init__(self, case: Formula, formula: Formula, length: int | None) -> None:
        self.case, self.formula, self.length, self.asked = case, formula, length, 0
        self.names = tuple(sorted(atoms(formula)))
        self.back, self.ahead = lookback(formula), lookahead(formula)
        self.marks = _marks(formula, self.back, self.ahead)

    @property
    def blocks(self) -> Blocks:
        """Each mark is a block of one frame; the frames between two marks are one block."""
        # One frame each, because blocks of one frame make every condition exact, and the ends of windows are where it
        # matters.
        starts = {-self.back, *self.marks, *(mark + 1 for mark in self.marks if mark < self.ahead)}
        return Blocks(tuple(sorted(starts)), self.ahead)

    def ask(self, deadline: float, megabytes: int) -> tuple[Verdict, Model | None]:
        """Unsat, or a trace, or neither, and then smaller blocks the next time."""
        self.asked += 1
        verdict, model = self._solve(deadline, megabytes)
        if model is None:
            return verdict, None
        for trace, frames in _traces(model, self.length):
            holding = evaluate_trace(self.case, trace, frames)
            if holding:
                return Verdict.SAT, model_at(holding, trace, frames)
            if monotonic() > deadline:
                break
        self.marks = _cut(self.marks, model)
        return Verdict.UNKNOWN, None

    def _solve(self, deadline: float, megabytes: int) -> tuple[Verdict, "_BlockModel | None"]:
        blocks = self.blocks
        encoding = BlockEncoding(blocks, self.names)
        if not encoding.require(self.formula, deadline):
            return Verdict.UNKNOWN, None
        if self.length is not None:
            encoding.of_length(self.length)
        left = deadline - monotonic()
        if left <= 0:
            return Verdict.UNKNOWN, None
        solver = z3.SimpleSolver(ctx=encoding.context)
        solver.set("timeout", max(1, int(left * 1000)))
        solver.set("max_memory", megabytes)
        try:
            solver.add(*encoding.conditions)
            # First with every block all one or all other: a model of that kind nearly always replays. Only its refusal
            # costs a second check, and only that one's `unsat` carries over.
            result = solver.check(*encoding.uniform())
            if result != z3.sat:
                result = solver.check()
        except z3.Z3Exception:
            return Verdict.UNKNOWN, None
        if result != z3.sat:
            return Verdict(str(result)), None
        model = solver.model()

        def true(what: str) -> set[int]:
            return {k for k in range(len(blocks)) if _is_true(model, encoding.variable(what, k))}

        has, lacks = ({name: true(f"{what} {name}") for name in self.names} for what in ("has", "lacks"))
        return Verdict.SAT, _BlockModel(blocks, sorted(true("valid")), true("whole"), has, lacks)


def _is_true(model: Any, variable: Any) -> bool:
    return bool(z3.is_true(model.eval(variable, model_completion=True)))


# Where the blocks start


def _marks(formula: Formula, back: int, ahead: int) -> set[int]:
    """The ends of the windows as offsets from the judged frame; of too many, the first, the last and some between."""
    marks: set[int] = {0}
    waiting: list[tuple[Formula, frozenset[int]]] = [(formula, frozenset({0}))]
    while waiting:
        part, at = waiting.pop()
        match part:
            case f.Not(body):
                waiting.append((body, at))
            case f.And(a, b) | f.Or(a, b):
                waiting += [(a, at), (b, at)]
            case f.Eventually(lo, hi, body) | f.Always(lo, hi, body):
                ends = frozenset(offset + end for offset in at for end in (lo, hi))
                marks |= ends
                waiting.append((body, _thinned(ends)))
            case f.Until(radius, a, b) | f.Since(radius, a, b):
                far = radius if isinstance(part, f.Until) else -radius
                ends = at | {offset + far for offset in at}
                marks |= ends
                waiting += [(a, _thinned(ends)), (b, _thinned(ends))]
            case _:
                pass
    return {0, *_thinned(frozenset(offset for offset in marks if -back <= offset <= ahead))}


def _thinned(offsets: frozenset[int]) -> frozenset[int]:
    if len(offsets) <= _MOST_STARTS:
        return offsets
    ordered = sorted(offsets)
    last = len(ordered) - 1
    return frozenset(ordered[i * last // (_MOST_STARTS - 1)] for i in range(_MOST_STARTS))


def _cut(marks: set[int], model: "_BlockModel") -> set[int]:
    """More marks, where the model is vague: in the middle of blocks that are cut off or have an atom here and there."""
    vague = [k for k in model.valid if model.is_vague(k)]
    longer = [k for k in model.valid if model.is_long(k)]
    middles = {model.middle(k) for k in vague or longer}
    ends = {frame for k in vague or longer for frame in (model.range(k)[0], model.range(k)[-1])}
    return marks | middles | (ends if len(vague or longer) < _MOST_STARTS // 4 else set())


# A model of the conditions


@dataclass(frozen=True, slots=True)
class _BlockModel:
    """A model of the conditions: the valid blocks in order, which are whole, and where each atom is and is not."""

    blocks: Blocks
    valid: list[int]
    whole: set[int]
    has: dict[str, set[int]]
    lacks: dict[str, set[int]]

    def range(self, k: int) -> range:
        """The frames of a block."""
        first, last = self.blocks.frames(k)
        return range(first, last + 1)

    def is_long(self, k: int) -> bool:
        """Whether a block has more than one frame; it may have more than a range can count."""
        first, last = self.blocks.frames(k)
        return last > first

    def middle(self, k: int) -> int:
        """The frame in the middle of a block, the later of two."""
        first, last = self.blocks.frames(k)
        return first + (last + 1 - first) // 2

    def is_vague(self, k: int) -> bool:
        """Whether the block leaves open where in it something is."""
        mixed = any(k in self.has[name] and k in self.lacks[name] for name in self.has)
        return self.is_long(k) and (mixed or k not in self.whole)


# Traces from blocks


def _traces(model: "_BlockModel", length: int | None) -> Iterator[tuple[dict[str, int], int]]:
    """Traces of which the model may speak: a few ways to fill in what it leaves open, the same ones every time."""
    # Seeded, so that the same question gives the same trace.
    generator = random.Random(len(model.blocks))
    for number in range(_FILLINGS):
        first, last = _ends(model, length, number)
        frames = last - first + 1
        if frames < 1 or frames > _LONGEST:
            continue
        trace = {}
        for name in model.has:
            mask = 0
            for k in model.valid:
                inside = range(max(first, model.range(k)[0]), min(last, model.range(k)[-1]) + 1)
                if k in model.has[name] and inside:
                    mixed = k in model.lacks[name]
                    size = len(inside)
                    mask |= (_filled(size, number, generator) if mixed else (1 << size) - 1) << (inside[0] - first)
            trace[name] = mask
        yield trace, frames


def _ends(model: _BlockModel, length: int | None, number: int) -> tuple[int, int]:
    """The first and the last frame of the trace; with a length, one end follows from the other where it can."""
    before, after = model.range(model.valid[0]), model.range(model.valid[-1])
    first = before[0] if model.valid[0] in model.whole else before[-1 if number % 2 else len(before) // 2]
    last = after[-1] if model.valid[-1] in model.whole else after[0 if number % 2 else len(after) // 2]
    if length is None:
        return first, last
    if model.valid[-1] == len(model.blocks) - 1 or last - first + 1 < length:
        return first, first + length - 1
    return last - length + 1, last


def _filled(frames: int, number: int, generator: random.Random) -> int:
    """A block with an atom here and not there: all of it, none, a half, the middle frame, all but it, every other."""
    half = frames // 2
    everything = (1 << frames) - 1
    first = (1 << half) - 1
    ways = (everything, 0, first, everything ^ first, 1 << half, everything ^ (1 << half), everything // 3 or 1)
    return ways[number] if number < len(ways) else generator.choice(ways)
