"""Seeded random scenes, matched as a contract says: a cheap way to an answer that is often yes."""

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import islice

from tracepact.core import Each, Matcher
from tracepact.core.runs import FrameRun
from tracepact.events.attributes import Obligation, Scene
from tracepact.events.matching import match_runs, matching
from tracepact.events.obligations import obligations
from tracepact.events.predicate import prepare, truth
from tracepact.logic.drawn import Drawn
from tracepact.logic.event_model import EventQuestion
from tracepact.trace.runs import join_runs, union_runs

_SCENES = 240
_SAME = 40
"""How many of them are played with other predictions."""


def sampled_obligations(question: EventQuestion) -> Iterator[Obligation]:
    """The obligations among the samples for which the predicate is true."""
    return filter(_holds(question), _samples(question))


def differs_between_predictions(question: EventQuestion) -> bool:
    """Whether the samples have one reference interval for which the predicate is true here and false there."""
    holds = _holds(question)
    for scenes in _same_references(question):
        seen: dict[FrameRun | None, bool] = {}
        for scene in scenes:
            for sample in _judged(question, scene):
                if seen.setdefault(sample.ref, holds(sample)) != holds(sample):
                    return True
    return False


def fails_for_constant_prediction(question: EventQuestion, *, active: bool) -> bool:
    """Whether the predicate is false for some obligation of the samples where the prediction is constant."""
    holds = _holds(question)
    for refs, _, _ in islice(_scenes(_search(question)), _SAME):
        end = refs[-1][1] if refs else 1
        scene = Scene(_joined(question, refs), ((0, end + end // 2),) if active else ())
        if not all(map(holds, _judged(question, scene))):
            return True
    return False


def _same_references(question: EventQuestion) -> Iterator[Iterator[Scene]]:
    """For the same references a perfect prediction, none, one of the first halves, a late one and a long one."""
    search = _search(question)
    for refs, preds, _ in islice(_scenes(search), _SAME):
        halves = tuple((start, (start + end + 1) // 2) for start, end in refs)
        late = tuple((start + search, end + search) for start, end in refs)
        long = ((0, refs[-1][1] + search + 1),) if refs else ()
        joined = _joined(question, refs)
        yield (Scene(joined, _joined(question, union_runs(some))) for some in (refs, (), halves, late, long, preds))


def _judged(question: EventQuestion, scene: Scene) -> list[Obligation]:
    pairs = match_runs(scene.refs, scene.preds, question.contract.matcher, question.contract.step)
    return obligations(question.each, scene, pairs)


def _search(question: EventQuestion) -> int:
    return question.contract.matcher.search // question.contract.step


def _joined(question: EventQuestion, runs: tuple[FrameRun, ...]) -> tuple[FrameRun, ...]:
    return join_runs(runs, question.contract.merge_gap, question.contract.step)


def _holds(question: EventQuestion) -> Callable[[Obligation], bool]:
    step = question.contract.step
    return truth(question.formula, {name: prepare(atom, step) for name, atom in question.event_atoms.items()})


def _samples(question: EventQuestion) -> Drawn[Obligation]:
    contract = question.contract
    return _obligations(question.each, contract.matcher, contract.merge_gap, contract.step, contract.one_class)


@lru_cache(maxsize=16)
def _obligations(
    each: Each, matcher: Matcher, merge_gap: Fraction, step: Fraction, one_class: bool
) -> Drawn[Obligation]:
    matched = matching(matcher, step)

    def drawn() -> Iterator[Obligation]:
        for refs, preds, others in _scenes(matcher.search // step):
            foreign = (others,) if others and not one_class else ()
            scene = Scene(join_runs(refs, merge_gap, step), join_runs(preds, merge_gap, step), foreign)
            pairs = matched(scene.refs, scene.preds) if scene.refs and scene.preds else ()
            yield from obligations(each, scene, pairs)

    return Drawn(drawn())


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
