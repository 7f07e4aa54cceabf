"""Long windows decided by blocks: a no that carries over, or a trace made from the blocks and judged as it stands.

The blocks start at the ends of the windows as they are seen from the judged frame. A model of their conditions
(`blocks`) is filled in with frames in a few ways, and each trace is evaluated; if none shows the formula, the blocks
about which the model is vague are cut and the solver is asked again.

A question may be seen from several frames: `F[a,b] p & q` holds at some frame exactly if `p & F[-b,-a] q` does, at the
frame that `F` finds. A disjunction holds nowhere if none of its sides holds anywhere.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from time import monotonic
from typing import Any

from tracepact.core import Always, And, Constant, Eventually, Formula, Not, Or, Since, Until, atoms, lookahead, lookback
from tracepact.frozen import dataclass
from tracepact.logic import solver as z3
from tracepact.logic.blocks import BlockEncoding, Blocks
from tracepact.logic.model import Model
from tracepact.logic.normal import normal
from tracepact.monitor import evaluate_trace

_MOST_STARTS = 28
"""How many ends of windows start blocks of their own at first."""
_MOST_BLOCKS = 140
"""Beyond so many blocks the question is left open: the conditions grow with their square."""
_MOST_VIEWS = 4
"""From how many found frames a question is seen, besides the judged one."""
_FILLINGS = 14
"""In how many ways a block that has an atom here and lacks it there is filled."""
_LONGEST = 2_000_000
"""The longest trace that is made from blocks."""


@dataclass(frozen=True, slots=True)
class BlockAnswer:
    """What the blocks say: sat with a trace, unsat, or unknown with the reason."""

    verdict: str
    model: Model | None = None
    reason: str | None = None


def search_blocks(formula: Formula, length: int | None, deadline: float, megabytes: int) -> BlockAnswer:
    """Whether a formula holds at some frame of a trace of this length, or of any length; base atoms only."""
    cases = [[_View(case, view, length) for view in _views(case)] for case in _cases(normal(formula))]
    while cases:
        views = min(cases, key=lambda views: views[0].asked)
        view = views.pop(0)
        verdict, model = view.ask(deadline, megabytes)
        if verdict == "unsat":
            cases.remove(views)
            continue
        if model is not None:
            silent = dict.fromkeys(atoms(formula) - set(model.atoms), (False,) * model.frames)
            return BlockAnswer("sat", replace(model, atoms={**model.atoms, **silent}))
        if monotonic() > deadline:
            return BlockAnswer("unknown", reason="the time budget is spent")
        if len(view.blocks) <= _MOST_BLOCKS:
            views.append(view)
        if not views:
            return BlockAnswer("unknown", reason="the windows are too long and too many for the budget")
    return BlockAnswer("unsat")


def _cases(formula: Formula) -> Iterator[Formula]:
    match formula:
        case Or(a, b):
            yield from _cases(a)
            yield from _cases(b)
        case _:
            yield formula


def _conjuncts(formula: Formula) -> Iterator[Formula]:
    match formula:
        case And(a, b):
            yield from _conjuncts(a)
            yield from _conjuncts(b)
        case _:
            yield formula


def _views(case: Formula) -> Iterator[Formula]:
    """The case as it is, and as it is seen from a frame that one of its windows finds."""
    yield case
    parts = list(_conjuncts(case))
    found = [part for part in parts if isinstance(part, Eventually) and part.lo < part.hi]
    for part in found[:_MOST_VIEWS]:
        rest = [other for other in parts if other is not part]
        there = reduce(And, rest) if rest else Constant(True)
        yield And(part.body, Eventually(-part.hi, -part.lo, there))


class _View:
    """A formula in normal form, seen from some frame, and the blocks in which it is asked about, more each time."""

    def __init__(self, case: Formula, formula: Formula, length: int | None) -> None:
        self.case, self.formula, self.length, self.asked = case, formula, length, 0
        self.names = tuple(sorted(atoms(formula)))
        self.back, self.ahead = lookback(formula), lookahead(formula)
        self.marks = _marks(formula, self.back, self.ahead)

    @property
    def blocks(self) -> Blocks:
        """Each mark is a block of one frame; the frames between two marks are one block."""
        starts = {-self.back, *self.marks, *(mark + 1 for mark in self.marks if mark < self.ahead)}
        return Blocks(tuple(sorted(starts)), self.ahead)

    def ask(self, deadline: float, megabytes: int) -> tuple[str, Model | None]:
        """Unsat, or a trace, or neither, and then smaller blocks the next time."""
        self.asked += 1
        verdict, found = self._solve(deadline, megabytes)
        if found is None:
            return verdict, None
        for trace, frames in _traces(found, self.length):
            holding = evaluate_trace(self.case, trace, frames)
            if holding:
                judged = (holding & -holding).bit_length() - 1
                return "sat", Model(frames, {name: _truths(mask, frames) for name, mask in trace.items()}, judged)
            if monotonic() > deadline:
                break
        self.marks = _cut(self.marks, found)
        return "unknown", None

    def _solve(self, deadline: float, megabytes: int) -> tuple[str, "_Found | None"]:
        blocks = self.blocks
        encoding = BlockEncoding(blocks, self.names)
        if not encoding.require(self.formula, deadline):
            return "unknown", None
        if self.length is not None:
            encoding.of_length(self.length)
        left = deadline - monotonic()
        if left <= 0:
            return "unknown", None
        solver = z3.SimpleSolver(ctx=encoding.context)
        solver.set("timeout", max(1, int(left * 1000)))
        solver.set("max_memory", megabytes)
        try:
            solver.add(*encoding.conditions)
            result = solver.check(*encoding.uniform())
            if result != z3.sat:
                result = solver.check()
        except z3.Z3Exception:
            return "unknown", None
        if result != z3.sat:
            return ("unsat" if result == z3.unsat else "unknown"), None
        model = solver.model()

        def true(what: str) -> set[int]:
            return {k for k in range(len(blocks)) if _is_true(model, encoding.variable(what, k))}

        has, lacks = ({name: true(f"{what} {name}") for name in self.names} for what in ("has", "lacks"))
        return "sat", _Found(blocks, sorted(true("valid")), true("whole"), has, lacks)


def _is_true(model: Any, variable: Any) -> bool:
    return bool(z3.is_true(model.eval(variable, model_completion=True)))


# Where the blocks start


def _marks(formula: Formula, back: int, ahead: int) -> set[int]:
    """The ends of the windows as offsets from the judged frame; of too many, the first, the last and some between."""
    found: set[int] = {0}
    waiting: list[tuple[Formula, frozenset[int]]] = [(formula, frozenset({0}))]
    while waiting:
        part, at = waiting.pop()
        match part:
            case Not(body):
                waiting.append((body, at))
            case And(a, b) | Or(a, b):
                waiting += [(a, at), (b, at)]
            case Eventually(lo, hi, body) | Always(lo, hi, body):
                ends = frozenset(offset + end for offset in at for end in (lo, hi))
                found |= ends
                waiting.append((body, _thinned(ends)))
            case Until(radius, a, b) | Since(radius, a, b):
                far = radius if isinstance(part, Until) else -radius
                ends = at | {offset + far for offset in at}
                found |= ends
                waiting += [(a, _thinned(ends)), (b, _thinned(ends))]
            case _:
                pass
    return {0, *_thinned(frozenset(offset for offset in found if -back <= offset <= ahead))}


def _thinned(offsets: frozenset[int]) -> frozenset[int]:
    if len(offsets) <= _MOST_STARTS:
        return offsets
    ordered = sorted(offsets)
    last = len(ordered) - 1
    return frozenset(ordered[i * last // (_MOST_STARTS - 1)] for i in range(_MOST_STARTS))


def _cut(marks: set[int], found: "_Found") -> set[int]:
    """More marks, where the model is vague: in the middle of blocks that are cut off or have an atom here and there."""
    vague = [k for k in found.valid if found.is_vague(k)]
    longer = [k for k in found.valid if found.is_long(k)]
    middles = {found.middle(k) for k in vague or longer}
    ends = {frame for k in vague or longer for frame in (found.range(k)[0], found.range(k)[-1])}
    return marks | middles | (ends if len(vague or longer) < _MOST_STARTS // 4 else set())


# A model of the conditions


@dataclass(frozen=True, slots=True)
class _Found:
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


def _traces(found: "_Found", length: int | None) -> Iterator[tuple[dict[str, int], int]]:
    """Traces of which the model may speak: a few ways to fill in what it leaves open, the same ones every time."""
    generator = random.Random(len(found.blocks))
    for number in range(_FILLINGS):
        first, last = _ends(found, length, number)
        frames = last - first + 1
        if frames < 1 or frames > _LONGEST:
            continue
        trace = {}
        for name in found.has:
            mask = 0
            for k in found.valid:
                own = range(max(first, found.range(k)[0]), min(last, found.range(k)[-1]) + 1)
                if k in found.has[name] and own:
                    mixed = k in found.lacks[name]
                    mask |= (_filled(len(own), number, generator) if mixed else (1 << len(own)) - 1) << (own[0] - first)
            trace[name] = mask
        yield trace, frames


def _ends(found: _Found, length: int | None, number: int) -> tuple[int, int]:
    """The first and the last frame of the trace; with a length, one end follows from the other where it can."""
    before, after = found.range(found.valid[0]), found.range(found.valid[-1])
    first = before[0] if found.valid[0] in found.whole else before[-1 if number % 2 else len(before) // 2]
    last = after[-1] if found.valid[-1] in found.whole else after[0 if number % 2 else len(after) // 2]
    if length is None:
        return first, last
    if found.valid[-1] == len(found.blocks) - 1 or last - first + 1 < length:
        return first, first + length - 1
    return last - length + 1, last


def _filled(frames: int, number: int, generator: random.Random) -> int:
    """A block with an atom here and not there: all of it, none, a half, the middle frame, all but it, every other."""
    half = frames // 2
    everything = (1 << frames) - 1
    first = (1 << half) - 1
    ways = (everything, 0, first, everything ^ first, 1 << half, everything ^ (1 << half), everything // 3 or 1)
    return ways[number] if number < len(ways) else generator.choice(ways)


def _truths(mask: int, frames: int) -> tuple[bool, ...]:
    return tuple(bit == "1" for bit in f"{mask & ((1 << frames) - 1):0{frames}b}"[::-1])
