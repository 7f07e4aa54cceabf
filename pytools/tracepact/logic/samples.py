"""Seeded random traces on which a formula may hold: a cheap way to an answer that is often yes."""

import random
from collections.abc import Sequence
from functools import lru_cache
from time import monotonic

from tracepact.core import Formula, atoms, lookahead, lookback
from tracepact.logic.model import Model
from tracepact.logic.vocabulary import over_base_atoms
from tracepact.monitor import IntegerAlgebra, evaluate_masks, trace_evaluator

FEW, MORE = range(8), range(8, 40)
"""The samples that are tried first, and those that are tried after; each part is judged in one go."""
_LONGEST_SAMPLE = 4000
_LONG_SAMPLES, _LONGEST = 60, 400_000
"""How many traces as long as a formula looks are tried, and how long they are at most."""


def sampled(formula: Formula) -> Model | None:
    """The first of the samples on which the formula holds somewhere, at the first such frame."""
    base = over_base_atoms(formula)
    frames = _frames(base)
    for part in (FEW, MORE):
        if found := _held(base, frames, part):
            number, judged = divmod((found & -found).bit_length() - 1, 2 * frames)
            names = enumerate(sorted(atoms(base)))
            return _model(1 << judged, {name: _drawn(column, frames, part)[number] for column, name in names}, frames)
    return None


def holds_on_a_sample(formula: Formula, parts: Sequence[range] = (FEW, MORE)) -> bool:
    """Whether the formula holds somewhere on one of the samples, or of these parts of them."""
    base = over_base_atoms(formula)
    frames = _frames(base)
    return any(_held(base, frames, part) for part in parts)


def _frames(base: Formula) -> int:
    """How long the samples of a formula are: few lengths, so that many questions share them."""
    return min(1 << (2 * _sight(base) + 7).bit_length(), _LONGEST_SAMPLE)


def _held(base: Formula, frames: int, part: range) -> int:
    """The frames of a part of the samples at which the formula holds."""
    given = {name: _end_to_end(column, frames, part) for column, name in enumerate(sorted(atoms(base)))}
    return evaluate_masks([base], given, IntegerAlgebra(_valid(frames, len(part)), frames))[0]


@lru_cache(maxsize=64)
def _valid(frames: int, number: int) -> int:
    """The frames that exist of so many samples, end to end."""
    return sum(((1 << frames) - 1) << (2 * frames * at) for at in range(number))


@lru_cache(maxsize=256)
def _end_to_end(column: int, frames: int, part: range) -> int:
    """The masks of an atom on a part of the samples, each followed by as many frames that are none."""
    return sum(mask << (2 * frames * at) for at, mask in enumerate(_drawn(column, frames, part)))


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
def _drawn(column: int, frames: int, part: range) -> tuple[int, ...]:
    """Masks of runs of random lengths, short and long; some without a run, with one frame, or active throughout."""
    generator = random.Random((column * 1_000_003 + frames) * 100 + part.start)
    kinds = (_silent, _lonely, _full, _one_run, _coins, *(_runs,) * 4)
    return tuple(generator.choice(kinds)(generator, frames) for _ in part)


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


def _coins(generator: random.Random, frames: int) -> int:
    return generator.getrandbits(frames)


def _runs(generator: random.Random, frames: int) -> int:
    return _of_length(generator, frames, generator.choice((3, 10, 40)))


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
