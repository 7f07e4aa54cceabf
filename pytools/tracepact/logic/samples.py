"""Seeded random traces on which a formula may hold: a cheap way to an answer that is often yes."""

import random
from functools import lru_cache
from itertools import islice
from time import monotonic

from tracepact.core import Formula, atoms, lookahead, lookback
from tracepact.logic.drawn import Drawn
from tracepact.logic.model import Model
from tracepact.logic.vocabulary import over_base_atoms
from tracepact.monitor import trace_evaluator

_SAMPLES = 40
_LONGEST_SAMPLE = 4000
_LONG_SAMPLES, _LONGEST = 60, 400_000
"""How many traces as long as a formula looks are tried, and how long they are at most."""


def sampled(formula: Formula, most: int = _SAMPLES) -> Model | None:
    """One of so many traces where the formula holds."""
    base = over_base_atoms(formula)
    names = sorted(atoms(base))
    frames = min(1 << (2 * _sight(base) + 7).bit_length(), _LONGEST_SAMPLE)  # few lengths, many questions
    evaluate = trace_evaluator(base)
    for masks in islice(_traces(len(names), frames), most):
        given = dict(zip(names, masks, strict=True))
        if found := evaluate(given, frames):
            return _model(found, given, frames)
    return None


def sampled_long(formula: Formula, length: int | None, deadline: float) -> Model | None:
    """One of a few traces about as long as the formula looks, of long runs; base atoms only."""
    names, sight = sorted(atoms(formula)), min(_sight(formula), _LONGEST // 2)
    evaluate, generator = trace_evaluator(formula), random.Random(sight)
    kinds = (_silent, _full, _lonely, _one_run, _one_run, _edge, _long_runs, _long_runs)
    for _ in range(_LONG_SAMPLES):
        frames = length or generator.choice((sight, sight // 2 + 1, sight // 8 + 1, 2 * sight))
        if frames > _LONGEST or monotonic() >= deadline:
            return None
        given = {name: generator.choice(kinds)(generator, frames) for name in names}
        if found := evaluate(given, frames):
            return _model(found, given, frames)
    return None


def _sight(formula: Formula) -> int:
    return lookback(formula) + 1 + lookahead(formula)


def _model(found: int, masks: dict[str, int], frames: int) -> Model:
    """The trace, judged at the first frame where the formula holds."""
    judged = (found & -found).bit_length() - 1
    truths = {name: tuple(bit == "1" for bit in reversed(f"{mask:0{frames}b}")) for name, mask in masks.items()}
    return Model(frames, truths, judged)


@lru_cache(maxsize=64)
def _traces(number: int, frames: int) -> Drawn[tuple[int, ...]]:
    """Masks of runs of random lengths, short and long; some without a run, with one frame, or active throughout."""
    generator = random.Random(number * 1_000_003 + frames)
    kinds = (_silent, _lonely, _full, _one_run, *(_runs,) * 5)
    return Drawn(tuple(generator.choice(kinds)(generator, frames) for _ in range(number)) for _ in range(_SAMPLES))


def _silent(_: random.Random, frames: int) -> int:
    return 0


def _full(_: random.Random, frames: int) -> int:
    return (1 << frames) - 1


def _lonely(generator: random.Random, frames: int) -> int:
    return 1 << generator.randrange(frames)


def _one_run(generator: random.Random, frames: int) -> int:
    start, end = sorted(generator.choices(range(frames + 1), k=2))
    return (1 << end) - (1 << start)


def _edge(generator: random.Random, frames: int) -> int:
    before = (1 << generator.randint(0, frames)) - 1
    return before if generator.random() < 0.5 else before ^ (1 << frames) - 1


def _runs(generator: random.Random, frames: int) -> int:
    return _of_length(generator, frames, generator.choice((1, 3, 10, 40)))


def _long_runs(generator: random.Random, frames: int) -> int:
    return _of_length(generator, frames, max(1, frames // generator.choice((50, 10, 3))))


def _of_length(generator: random.Random, frames: int, mean: int) -> int:
    mask, at, active = 0, 0, generator.random() < 0.5
    while at < frames:
        run = min(frames - at, 1 + int(generator.expovariate(1 / mean)))
        if active:
            mask |= ((1 << run) - 1) << at
        at, active = at + run, not active
    return mask
