"""Seeded random scenes, matched as a contract says: a cheap way to an answer that is often yes."""

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache

from tracepact.core import Each, Matcher
from tracepact.events.attributes import Obligation, Scene
from tracepact.events.evaluate import obligations
from tracepact.events.matching import matching
from tracepact.events.predicate import prepare, truth
from tracepact.logic.event_model import EventQuestion
from tracepact.trace import FrameRun, join_runs

_SCENES = 240


def sampled_obligations(question: EventQuestion) -> Iterator[Obligation]:
    """The obligations among the samples for which the predicate is true."""
    return filter(_holds(question), _samples(question))


def differs_between_predictions(question: EventQuestion) -> bool:
    """Whether the samples have one reference interval for which the predicate is true here and false there."""
    holds = _holds(question)
    seen: dict[FrameRun | None, bool] = {}
    return any(seen.setdefault(sample.ref, holds(sample)) != holds(sample) for sample in _samples(question))


def _holds(question: EventQuestion) -> Callable[[Obligation], bool]:
    step = question.contract.step
    return truth(question.formula, {name: prepare(atom, step) for name, atom in question.event_atoms.items()})


def _samples(question: EventQuestion) -> tuple[Obligation, ...]:
    contract = question.contract
    return _obligations(question.each, contract.matcher, contract.merge_gap, contract.step, contract.one_class)


@lru_cache(maxsize=16)
def _obligations(
    each: Each, matcher: Matcher, merge_gap: Fraction, step: Fraction, one_class: bool
) -> tuple[Obligation, ...]:
    match_runs = matching(matcher, step)
    found: list[Obligation] = []
    for refs, preds, others in _scenes(matcher.search // step):
        foreign = (others,) if others and not one_class else ()
        scene = Scene(join_runs(refs, merge_gap, step), join_runs(preds, merge_gap, step), foreign)
        pairs = match_runs(scene.refs, scene.preds) if scene.refs and scene.preds else ()
        found += obligations(each, scene, pairs)
    return tuple(found)


def sampled_scenes(search: int) -> Iterator[Scene]:
    """The samples as they are drawn, neither joined nor matched; some with references of another class."""
    for refs, preds, others in _scenes(search):
        if refs or preds:
            yield Scene(refs, preds, (others,) if others else ())


def _scenes(search: int) -> Iterator[tuple[tuple[FrameRun, ...], tuple[FrameRun, ...], tuple[FrameRun, ...]]]:
    """Runs of several lengths around the matcher's search; predictions near the references, or on their own."""
    generator = random.Random(search)
    for number in range(_SCENES):
        mean = (1, 3, max(1, search // 2), search + 1, 4 * search + 1)[number % 5]
        refs = tuple(_runs(generator, generator.randint(0, 4), mean))
        if number % 3:
            jitter = generator.choice((0, 1, mean, search + 1))
            preds = tuple(_near(generator, refs, jitter))
        else:
            preds = tuple(_runs(generator, generator.randint(0, 4), generator.choice((1, mean, 3 * mean))))
        yield refs, preds, tuple(_runs(generator, 2, mean)) if number % 4 == 0 else ()


def _runs(generator: random.Random, number: int, mean: int) -> Iterator[FrameRun]:
    at = generator.randint(0, mean)
    for _ in range(number):
        start = at + 1 + int(generator.expovariate(1 / mean))
        at = start + 1 + int(generator.expovariate(1 / mean))
        yield start, at


def _near(generator: random.Random, refs: tuple[FrameRun, ...], jitter: int) -> Iterator[FrameRun]:
    """The references with their ends moved; runs that would touch or vanish are left out."""
    last = -1
    for start, end in refs:
        moved = max(last + 1, start + generator.randint(-jitter, jitter)), end + generator.randint(-jitter, jitter)
        if moved[0] < moved[1]:
            yield moved
            last = moved[1]
