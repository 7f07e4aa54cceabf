"""Whole scenes for Z3: runs, the matcher's choice encoded exactly, every obligation judged.

The variables are the ends of the runs. What the matcher gives is defined from them by the rules of chapter 8, so a
model is a scene that scoring would judge alike. The smallest one is unique: the shortest clip, the fewest active
frames, then the earliest ends in order; so what is shown does not depend on what was asked before.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations, pairwise
from time import monotonic
from typing import Any

from tracepact.declarations import dataclass
from tracepact.evaluate.predicates import ClipScene
from tracepact.language.contract import MatcherKind
from tracepact.language.predicate import Each, compares_classes
from tracepact.lazy import z3
from tracepact.logic.arithmetic import EventQuestion, SymbolicInterval, SymbolicObligation, absolute, greatest, least
from tracepact.logic.models import Verdict

_MOST_MATCHINGS = 200
"""The most ways to pair runs that are compared for the optimal matcher."""

_Ends = tuple[Any, Any]


class TooManyMatchings(ValueError):  # noqa: N818  (it is what a scene has)
    """More ways to pair the runs of a scene than can be compared."""


@dataclass(frozen=True, slots=True)
class SceneAnswer:
    """What Z3 said about scenes of one size: sat with a scene, unsat, or unknown."""

    verdict: Verdict
    scene: ClipScene | None = None
    minimal: bool = False


def asks_about_other_classes(question: EventQuestion) -> bool:
    """Whether the predicate compares classes, and there may be others."""
    if question.contract.one_class:
        return False
    return compares_classes(question.event_atoms.values())


def search(question: EventQuestion, size: tuple[int, int, int], deadline: float, *, minimise: bool) -> SceneAnswer:
    """A scene of a size (references, predictions, references of another class) in which the predicate is true."""
    encoding = _Encoding(question, *size)
    solver = z3.Solver(ctx=encoding.context)
    solver.add(*encoding.constraints)
    values = _ask(solver, encoding, deadline)
    if isinstance(values, Verdict):
        return SceneAnswer(values)
    minimal = False
    if minimise:
        values, minimal = _smallest(solver, encoding, values, deadline)
    return SceneAnswer(Verdict.SAT, encoding.scene(values), minimal)


def _ask(solver: Any, encoding: "_Encoding", deadline: float, *more: Any) -> dict[str, int] | Verdict:
    """The numbers of a model, or unsat, or unknown."""
    left = deadline - monotonic()
    if left <= 0:
        return Verdict.UNKNOWN
    solver.set("timeout", max(1, int(left * 1000)))
    result = solver.check(*more)
    if result != z3.sat:
        return Verdict(str(result))
    model = solver.model()
    return {str(v): int(model.eval(v, model_completion=True).as_long()) for v in encoding.measures}


def _smallest(
    solver: Any, encoding: "_Encoding", values: dict[str, int], deadline: float
) -> tuple[dict[str, int], bool]:
    """The least measures one after the other, each by halves; False if the time ran out."""
    # One after the other and each fixed before the next: the least in lexicographic order is unique, so the scene shown
    # does not depend on which model the solver met first.
    for measure in encoding.measures:
        low = 0
        while low < values[str(measure)]:
            middle = (low + values[str(measure)]) // 2
            better = _ask(solver, encoding, deadline, measure <= middle)
            if better is Verdict.UNKNOWN:
                return values, False
            if isinstance(better, dict):
                values = better
            else:
                low = middle + 1
        solver.add(measure == values[str(measure)])
    return values, True


class _Encoding:
    """The constraints under which the ends of runs show the predicate true for some obligation."""

    def __init__(self, question: EventQuestion, refs: int, preds: int, others: int) -> None:
        self.question = question
        self.context = z3.Context()
        self.step = question.contract.step
        self.frames = z3.Int("frames", self.context)
        self.refs, self.preds = self._runs("ref", refs), self._runs("pred", preds)
        self.others = self._runs("other", others)
        self.constraints: list[Any] = []
        self._shape()
        self.pairs = self._matched()
        self._judge()

    @property
    def measures(self) -> list[Any]:
        """What is made small, in order: the clip, its active frames, then every end."""
        return [self.frames, self.active, *(end for run in self._all for end in run)]

    @property
    def _all(self) -> list[_Ends]:
        return [*self.refs, *self.preds, *self.others]

    def scene(self, values: dict[str, int]) -> ClipScene:
        """The scene of a model."""

        def runs(some: list[_Ends]) -> tuple[tuple[int, int], ...]:
            return tuple((values[str(start)], values[str(end)]) for start, end in some)

        return ClipScene(runs(self.refs), runs(self.preds), (runs(self.others),) if self.others else ())

    def _runs(self, side: str, number: int) -> list[_Ends]:
        return [
            (z3.Int(f"{side} {k} onset", self.context), z3.Int(f"{side} {k} offset", self.context))
            for k in range(number)
        ]

    def _shape(self) -> None:
        """Runs have a length, keep apart by more than what is joined, and end within the clip."""
        hole = self.question.contract.merge_gap // self.step + 1
        for side in (self.refs, self.preds, self.others):
            self.constraints += [start < end for start, end in side]
            self.constraints += [start >= 0 for start, _ in side[:1]]
            self.constraints += [end <= self.frames for _, end in side[-1:]]
            self.constraints += [after[0] - before[1] >= hole for before, after in pairwise(side)]
        self.active = z3.Int("active frames", self.context)
        self.constraints.append(self.active == _sum([end - start for start, end in self._all]))

    # Matching

    def _matched(self) -> dict[tuple[int, int], Any]:
        """For each pair of runs whether the matcher joins it (chapter 8)."""
        matcher = self.question.contract.matcher
        search = matcher.search // self.step
        reward, scale = matcher.overlap_reward.as_integer_ratio()
        pairs: dict[tuple[int, int], Any] = {}
        candidate: dict[tuple[int, int], Any] = {}
        cost: dict[tuple[int, int], Any] = {}
        for i, ref in enumerate(self.refs):
            for j, pred in enumerate(self.preds):
                onset, offset, shared = absolute(ref[0] - pred[0]), absolute(ref[1] - pred[1]), _shared(ref, pred)
                candidate[i, j] = z3.And(shared >= 1, z3.Or(onset <= search, offset <= search))
                cost[i, j] = scale * (onset + offset) - reward * shared
                pairs[i, j] = z3.Bool(f"matched {i} {j}", self.context)
        kind = _greedy if matcher.kind is MatcherKind.GREEDY else _optimal
        self.constraints.extend(kind(pairs, candidate, cost))
        return pairs

    # Obligations

    def _judge(self) -> None:
        """The predicate is true for some obligation."""
        each, formula, atoms = self.question.each, self.question.formula, self.question.event_atoms
        cases: list[Any] = []
        for condition, obligation in self._obligations(each):
            cases.append(z3.And(condition, obligation.formula(formula, atoms)))
            self.constraints.extend(obligation.constraints)
        self.constraints.append(z3.Or(cases))

    def _obligations(self, each: Each) -> Iterator[tuple[Any, SymbolicObligation]]:
        """Every obligation that there could be, with the condition under which there is."""
        refs = [self._interval(run, self.preds) for run in self.refs]
        preds = [self._interval(run, self.refs) for run in self.preds]
        for (i, j), paired in self.pairs.items():
            yield paired, self._obligation(f"{i} {j}", refs[i], preds[j], j, matched=True)
        alone = z3.BoolVal(True, self.context)
        if each is Each.REF:
            for i, ref in enumerate(refs):
                free = z3.And(alone, *(z3.Not(p) for (k, _), p in self.pairs.items() if k == i))
                yield free, self._obligation(f"ref {i}", ref, ref, None, matched=False)
        elif each is Each.PRED:
            for j, ref in enumerate(preds):
                free = z3.And(alone, *(z3.Not(p) for (_, k), p in self.pairs.items() if k == j))
                yield free, self._obligation(f"pred {j}", ref, ref, j, matched=False)

    def _obligation(
        self, name: str, ref: SymbolicInterval, pred: SymbolicInterval, at: int | None, *, matched: bool
    ) -> SymbolicObligation:
        dominant = z3.BoolVal(False, self.context)
        if at is not None:
            foreign = _sum([greatest(_shared(self.preds[at], other), _zero(other)) for other in self.others])
            dominant = z3.And(pred.covered >= 1, pred.covered > foreign)
        truth = z3.BoolVal(matched, self.context)
        return SymbolicObligation(name, self.question.each, self.step, ref, pred, truth, dominant, self.context)

    def _interval(self, run: _Ends, others: Sequence[_Ends]) -> SymbolicInterval:
        """What the runs of the other side make of an interval (rules 4.8 and 4.9)."""
        nothing = _zero(run)
        shared = [_shared(run, other) for other in others]
        covering = _sum([z3.If(part >= 1, nothing + 1, nothing) for part in shared])
        covered = _sum([greatest(part, nothing) for part in shared])
        gaps = [
            (z3.And(a >= 1, b >= 1), after[0] - before[1])
            for (a, before), (b, after) in pairwise(zip(shared, others, strict=True))
        ]
        longest = reduce(greatest, [z3.If(there, gap, nothing) for there, gap in gaps], nothing)
        shortest = reduce(least, [z3.If(there, gap, self.frames) for there, gap in gaps], self.frames)
        return SymbolicInterval(run[0], run[1], covering + nothing, covered + nothing, longest, shortest)


def _greedy(pairs: dict[tuple[int, int], Any], candidate: dict[Any, Any], cost: dict[Any, Any]) -> Iterator[Any]:
    """A candidate is taken exactly when no earlier one was that shares an end (rule 8.3)."""
    for here, paired in pairs.items():
        rivals = [other for other in pairs if other != here and (other[0] == here[0] or other[1] == here[1])]
        earlier = [
            z3.And(pairs[other], cost[other] <= cost[here] if other < here else cost[other] < cost[here])
            for other in rivals
        ]
        yield paired == z3.And(candidate[here], *(z3.Not(one) for one in earlier))


def _optimal(pairs: dict[tuple[int, int], Any], candidate: dict[Any, Any], cost: dict[Any, Any]) -> Iterator[Any]:
    """The candidates with the most pairs, then the least cost, then the least list (rule 8.4).

    Runs are sorted and disjoint, so pairs that overlap never cross.
    """
    matchings = sorted(_matchings(list(pairs)), key=lambda some: (-len(some), some))
    if len(matchings) > _MOST_MATCHINGS:
        raise TooManyMatchings(f"{len(matchings)} ways to pair the runs")
    if not pairs:
        return

    context = next(iter(pairs.values())).ctx
    true = z3.BoolVal(True, context)
    feasible = [z3.And(true, *(candidate[pair] for pair in some)) for some in matchings]
    total = [_sum([cost[pair] for pair in some]) for some in matchings]
    choices = []
    for k, some in enumerate(matchings):
        better = [true]
        for m, other in enumerate(matchings):
            if len(other) > len(some):
                better.append(z3.Not(feasible[m]))
            elif len(other) == len(some) and m != k:
                worse = total[k] <= total[m] if k < m else total[k] < total[m]
                better.append(z3.Implies(feasible[m], worse))
        taken = [paired if pair in some else z3.Not(paired) for pair, paired in pairs.items()]
        choices.append(z3.And(feasible[k], *better, *taken))
    yield z3.Or(choices)


def _matchings(pairs: list[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every set of pairs that do not share an end or cross, each sorted."""
    refs, preds = sorted({i for i, _ in pairs}), sorted({j for _, j in pairs})
    for number in range(min(len(refs), len(preds)) + 1):
        for some in combinations(refs, number):
            for partners in combinations(preds, number):
                yield tuple(zip(some, partners, strict=True))


def _shared(a: _Ends, b: _Ends) -> Any:
    """The frames in both; negative for runs apart."""
    return least(a[1], b[1]) - greatest(a[0], b[0])


def _zero(run: _Ends) -> Any:
    return z3.IntVal(0, run[0].ctx)


def _sum(terms: Sequence[Any]) -> Any:
    """A sum; of nothing, zero."""
    return reduce(lambda a, b: a + b, terms) if terms else 0
