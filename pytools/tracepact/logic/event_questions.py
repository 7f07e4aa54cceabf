"""Questions about event clauses: random scenes first, then what every obligation satisfies, then whole scenes."""

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from time import monotonic
from typing import Generic, TypeVar

from tracepact.declarations import OnStage, dataclass, silent
from tracepact.diagnostics.findings import Diagnostic, TextPlace
from tracepact.evaluate.masks import match_runs, matching, obligations
from tracepact.evaluate.predicates import ClipScene, Obligation, prepare, truth
from tracepact.language.contract import Contract, Matcher
from tracepact.language.formula import Formula, FrameRun, atoms, join_runs, union_runs
from tracepact.language.predicate import Each
from tracepact.logic.arithmetic import (
    EventExample,
    EventQuestion,
    Fitting,
    fitting,
    holds_for_constant_prediction,
    replayed,
    same_for_every_prediction,
)
from tracepact.logic.decisions import Budget, Terms, solve
from tracepact.logic.models import (
    FEW,
    MORE,
    NOT_SMALLEST,
    Model,
    Verdict,
    holds_on_a_sample,
    picture,
    sampled,
    without_other_classes,
)
from tracepact.logic.normal import contradicts_itself
from tracepact.logic.scenes import TooManyMatchings, asks_about_other_classes, search

# A long list that is made as far as somebody looks, and kept.

_Item = TypeVar("_Item")


class _LazyList(Generic[_Item]):
    """The items of an iterator, each drawn when it is first asked for."""

    def __init__(self, items: Iterable[_Item]) -> None:
        self._waiting = iter(items)
        self._drawn: list[_Item] = []

    def __iter__(self) -> Iterator[_Item]:
        number = 0
        while True:
            if number == len(self._drawn):
                try:
                    self._drawn.append(next(self._waiting))
                except StopIteration:
                    return
            yield self._drawn[number]
            number += 1


# Seeded random scenes, matched as a contract says: a cheap way to an answer that is often yes.

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
        verdicts: dict[FrameRun | None, bool] = {}
        for scene in scenes:
            for sample in _judged(question, scene):
                if verdicts.setdefault(sample.ref, holds(sample)) != holds(sample):
                    return True
    return False


def fails_for_constant_prediction(question: EventQuestion, *, active: bool) -> bool:
    """Whether the predicate is false for some obligation of the samples where the prediction is constant."""
    holds = _holds(question)
    for sample in islice(_scenes(_search(question)), _SAME):
        end = sample.refs[-1][1] if sample.refs else 1
        scene = ClipScene(_joined(question, sample.refs), ((0, end + end // 2),) if active else ())
        if not all(map(holds, _judged(question, scene))):
            return True
    return False


def _same_references(question: EventQuestion) -> Iterator[Iterator[ClipScene]]:
    """For the same references a perfect prediction, none, one of the first halves, a late one and a long one."""
    search = _search(question)
    for sample in islice(_scenes(search), _SAME):
        refs = sample.refs
        halves = tuple((start, (start + end + 1) // 2) for start, end in refs)
        late = tuple((start + search, end + search) for start, end in refs)
        long = ((0, refs[-1][1] + search + 1),) if refs else ()
        joined = _joined(question, refs)
        yield (
            ClipScene(joined, _joined(question, union_runs(some)))
            for some in (refs, (), halves, late, long, sample.preds)
        )


def _judged(question: EventQuestion, scene: ClipScene) -> list[Obligation]:
    pairs = match_runs(scene.refs, scene.preds, question.contract.matcher, question.contract.step)
    return obligations(question.each, scene, pairs)


def _search(question: EventQuestion) -> int:
    return question.contract.matcher.search // question.contract.step


def _joined(question: EventQuestion, runs: tuple[FrameRun, ...]) -> tuple[FrameRun, ...]:
    return join_runs(runs, question.contract.merge_gap, question.contract.step)


def _holds(question: EventQuestion) -> Callable[[Obligation], bool]:
    step = question.contract.step
    return truth(question.formula, {name: prepare(atom, step) for name, atom in question.event_atoms.items()})


def _samples(question: EventQuestion) -> _LazyList[Obligation]:
    contract = question.contract
    return _obligations(question.each, contract.matcher, contract.merge_gap, contract.step, contract.one_class)


@lru_cache(maxsize=16)
def _obligations(
    each: Each, matcher: Matcher, merge_gap: Fraction, step: Fraction, one_class: bool
) -> _LazyList[Obligation]:
    matched = matching(matcher, step)

    def drawn() -> Iterator[Obligation]:
        for sample in _scenes(matcher.search // step):
            refs, preds = (join_runs(runs, merge_gap, step) for runs in (sample.refs, sample.preds))
            scene = ClipScene(refs, preds, () if one_class else sample.refs_of_other_classes)
            pairs = matched(scene.refs, scene.preds) if scene.refs and scene.preds else ()
            yield from obligations(each, scene, pairs)

    return _LazyList(drawn())


def sampled_scenes(search: int) -> Iterator[ClipScene]:
    """The samples as they are drawn, neither joined nor matched; some with references of another class."""
    return (scene for scene in _scenes(search) if scene.refs or scene.preds)


def _scenes(search: int) -> Iterator[ClipScene]:
    """Runs of several lengths around the matcher's search; predictions near the references, or on their own."""
    generator = random.Random(search)
    # Lengths around the matcher's search, since what lies within it is matched and what lies beyond is not.
    for number in range(_SCENES):
        mean = (1, 3, max(1, search // 2), search + 1, 4 * search + 1)[number % 5]
        refs = tuple(_runs(generator, generator.randint(0, 4), mean))
        if number % 3:
            jitter = generator.choice((0, 1, mean, search + 1))
            preds = tuple(_near(generator, refs, jitter))
        else:
            preds = tuple(_runs(generator, generator.randint(0, 4), generator.choice((1, mean, 3 * mean))))
        yield ClipScene(refs, preds, (tuple(_runs(generator, 2, mean)),) if number % 4 == 0 else ())


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


# Decides questions about event clauses: samples, then what every obligation satisfies, then whole scenes.
#
# Sat rests on a scene that was matched and judged as scoring does. Unsat rests on constraints that hold for every
# obligation (`intervals`). What neither shows is unknown: scenes are only searched up to a few runs a side.

_MORE_RUNS = 2
"""How many runs a side beyond those that overlap the obligated interval: rivals that take its partner, or leave it."""


@dataclass(frozen=True, slots=True)
class EventAnswer:
    """A verdict about a predicate, with a scene that shows sat, and why it is unknown if it is."""

    verdict: Verdict
    example: EventExample | None = None
    reason: str | None = None


def solve_predicate(
    question: EventQuestion,
    budget: Budget = Budget(),  # noqa: B008  (frozen)
    *,
    minimise: bool = True,
) -> EventAnswer:
    """Whether the predicate can be true for some obligation; the example is the smallest if `minimise` is set."""
    sample = next(sampled_obligations(question), None)
    if sample is not None and not minimise:
        return EventAnswer(Verdict.SAT, EventExample(sample))
    fits = fitting(question, budget)
    if fits.verdict is not Verdict.SAT:
        return _open(fits.verdict, fits.reason, sample)
    deadline = monotonic() + budget.seconds
    reason = None
    for size in _sizes(question, fits):
        try:
            answer = search(question, size, deadline, minimise=minimise)
        except TooManyMatchings as error:
            reason = str(error)
            continue
        if answer.verdict is Verdict.UNKNOWN:
            reason = "the time budget is spent" if monotonic() >= deadline else "the solver gave up"
        if answer.scene is not None:
            example = replayed(question, answer.scene)
            if example is not None:
                return EventAnswer(Verdict.SAT, replace(example, minimal=answer.minimal and reason is None))
            reason = "a model was found that does not replay"
    return _open(Verdict.UNKNOWN, reason or "nothing rules it out, and no scene of a few runs shows it", sample)


def _open(verdict: Verdict, reason: str | None, sample: Obligation | None) -> EventAnswer:
    """The answer without a smallest scene: a sample shows sat as well."""
    if sample is not None:
        return EventAnswer(Verdict.SAT, EventExample(sample))
    return EventAnswer(verdict, reason=reason)


def _sizes(question: EventQuestion, fits: Fitting) -> Iterator[tuple[int, int, int]]:
    """How many references, predictions and references of another class, the fewest runs first."""
    least_refs = max(fits.refs, 0 if question.each is Each.PRED else 1)
    least_preds = max(fits.preds, 0 if question.each is Each.REF else 1)
    others = (0, 1) if asks_about_other_classes(question) else (0,)
    sizes = [
        (refs, preds, other)
        for refs in range(least_refs, max(1, least_refs) + _MORE_RUNS + 1)
        for preds in range(least_preds, max(1, least_preds) + _MORE_RUNS + 1)
        for other in others
    ]
    yield from sorted(sizes, key=lambda size: (sum(size), size))


# Asks questions on behalf of the checker: samples first, then the solver, and keeps what stayed undecided.


@dataclass(slots=True)
class ContractQuestions:
    """What the checker asks about one contract."""

    contract: Contract
    budget: Budget
    watch: OnStage = silent
    undecided: list[Diagnostic] = field(default_factory=list)
    known: dict[Formula, bool] = field(default_factory=dict)

    def possible(self, formula: Formula, question: str, place: TextPlace) -> bool | None:
        """Whether the formula holds at some frame of some trace; None, and a note, if that stays unknown."""
        self.watch(question)
        formula = self._in_its_classes(formula)
        if formula not in self.known:
            answer = self._decided(formula, question, place)
            if answer is None:
                return None
            self.known[formula] = answer
        return self.known[formula]

    def _decided(self, formula: Formula, question: str, place: TextPlace) -> bool | None:
        """Samples and form first, then the solver."""
        if holds_on_a_sample(formula, (FEW,)):
            return True
        if contradicts_itself(formula):
            return False
        if holds_on_a_sample(formula, (MORE,)):
            return True
        answer = solve(formula, Terms(budget=self.budget, minimise=False))
        if answer.verdict is Verdict.UNKNOWN:
            self._note(question, answer.reason, place)
            return None
        return answer.verdict is Verdict.SAT

    def shown(self, formula: Formula, *names: Formula) -> str | None:
        """The picture of a trace where the formula holds, a smallest one if there is time, with the atoms named."""
        condition = self._in_its_classes(formula)
        model = solve(condition, Terms(budget=self.budget)).model or sampled(condition)
        if model is None:
            return None
        drawn = picture(model, _names(model, formula, *names))
        return drawn if model.minimal else f"{drawn}\n{NOT_SMALLEST}"

    def _in_its_classes(self, formula: Formula) -> Formula:
        return without_other_classes(formula) if self.contract.one_class else formula

    def event_possible(self, event_question: EventQuestion, question: str, place: TextPlace) -> bool | None:
        """Whether a predicate can be true for some obligation; None, and a note, if that stays unknown."""
        self.watch(question)
        answer = solve_predicate(event_question, self.budget, minimise=False)
        if answer.verdict is Verdict.UNKNOWN:
            self._note(question, answer.reason, place)
            return None
        return answer.verdict is Verdict.SAT

    def event_example(self, question: EventQuestion) -> EventExample | None:
        """A smallest scene with an obligation for which the predicate is true."""
        return solve_predicate(question, self.budget).example

    def event_ignores_prediction(self, question: EventQuestion) -> bool:
        """Whether the truth of a predicate is settled by the reference interval alone, for certain."""
        if differs_between_predictions(question):
            return False
        return same_for_every_prediction(question, self.budget)

    def event_constant(self, question: EventQuestion, *, active: bool) -> bool:
        """Whether a predicate is true for certain where the prediction is active at every frame, or at none."""
        if fails_for_constant_prediction(question, active=active):
            return False
        return holds_for_constant_prediction(question, self.budget, active=active)

    def _note(self, question: str, reason: str | None, place: TextPlace) -> None:
        headline = f"it stayed open whether {question}" + (f": {reason}" if reason else "")
        self.undecided.append(Diagnostic("undecided", headline, place, "give it more time: `--timeout`"))


def _names(model: Model, *formulas: Formula) -> set[str]:
    return set(model.atoms).union(*(atoms(formula) for formula in formulas))
