"""The fast engine: windows over an abstract bit algebra, formulas over whole masks, runs that are matched."""

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Protocol, TypeAlias, TypeVar

from tracepact.declarations import dataclass
from tracepact.evaluate.predicates import ClipScene, Obligation, covered, duration
from tracepact.language.contract import Contract, EventClause, Matcher, MatcherKind
from tracepact.language.formula import Dag, Formula, FrameRun, Node, Operator
from tracepact.language.predicate import ConstantTerm, Each, TermComparison, TermType, subterms
from tracepact.wording import time_text

# Windows over an abstract bit algebra: one home for the doubling algorithms of every fast engine.
#
# Bit i of a mask is frame i, so `later` moves truth to later frames and `earlier` to earlier ones. Every mask is a
# subset of `valid`. In a family the clips are kept apart by frames that are not valid, at least as many as the
# longest window reaches or as the longest clip has: so no window sees from one clip into another.
#
# Python's integers are the masks of a family: a shift or a conjunction of a million frames is one loop in C over
# words, without an array's overhead for the few frames of a clip.

Mask = TypeVar("Mask")


class BitAlgebra(Protocol[Mask]):
    """What an engine must be able to do with its masks."""

    @property
    def longest(self) -> int:
        """The number of frames of the longest clip."""

    @property
    def valid(self) -> Mask:
        """The mask of the frames that exist."""

    @property
    def none(self) -> Mask:
        """The mask of no frame."""

    def conjunction(self, a: Mask, b: Mask, /) -> Mask:
        """Frames of both."""

    def disjunction(self, a: Mask, b: Mask, /) -> Mask:
        """Frames of either."""

    def difference(self, a: Mask, b: Mask, /) -> Mask:
        """Frames of exactly one."""

    def later(self, a: Mask, k: int, /) -> Mask:
        """Move every frame k later."""

    def earlier(self, a: Mask, k: int, /) -> Mask:
        """Move every frame k earlier; those before the first are lost."""


_Operation: TypeAlias = "staticmethod[[int, int], int]"


class IntegerAlgebra:
    """Masks as Python integers."""

    def __init__(self, valid: int, longest: int) -> None:
        self.valid = valid
        self.longest = longest
        self.none = 0

    conjunction: _Operation = staticmethod(operator.and_)
    disjunction: _Operation = staticmethod(operator.or_)
    difference: _Operation = staticmethod(operator.xor)
    later: _Operation = staticmethod(operator.lshift)
    earlier: _Operation = staticmethod(operator.rshift)


def complement(algebra: BitAlgebra[Mask], a: Mask) -> Mask:
    """The valid frames not in the mask."""
    return algebra.difference(algebra.valid, a)


def eventually(algebra: BitAlgebra[Mask], lo: int, hi: int, a: Mask) -> Mask:
    """The frames that see the mask at some offset from lo to hi."""
    # An offset beyond the longest clip lies outside every clip. Cut off here, a window of any length costs at most the
    # doublings of a clip, and no mask grows by more than two clips.
    lo, hi = max(lo, -algebra.longest), min(hi, algebra.longest)
    if lo > hi:
        return algebra.none
    # Doubling: a mask that covers `done` offsets, joined with itself moved by as many, covers twice as many. So a
    # window of w frames takes about log2 w steps over whole masks instead of w. The last step is shorter and overlaps
    # what is covered, which changes nothing, since joining is idempotent.
    done, width = 1, hi - lo + 1
    while done < width:
        step = min(done, width - done)
        a = algebra.disjunction(a, algebra.later(a, step))
        done += step
    # Spread towards later frames first and moved once at the end: an integer has no bits before bit 0 to spread into.
    moved = algebra.earlier(a, hi) if hi > 0 else algebra.later(a, -hi) if hi < 0 else a
    return algebra.conjunction(moved, algebra.valid)  # what spread into the gaps between clips


def always(algebra: BitAlgebra[Mask], lo: int, hi: int, a: Mask) -> Mask:
    """The frames that see nothing but the mask at offsets from lo to hi."""
    # The dual, not a window of conjunctions: offsets outside the clip do not count (rule 6.3), and the complement
    # inside `valid` is what leaves them out.
    return complement(algebra, eventually(algebra, lo, hi, complement(algebra, a)))


def until(algebra: BitAlgebra[Mask], radius: int, left: Mask, right: Mask) -> Mask:
    """The frames from which `right` is at most `radius` ahead and `left` holds all the way to it."""
    return _reached(algebra, radius, left, right, algebra.earlier)


def since(algebra: BitAlgebra[Mask], radius: int, left: Mask, right: Mask) -> Mask:
    """The mirror image of `until`."""
    return _reached(algebra, radius, left, right, algebra.later)


def _reached(
    algebra: BitAlgebra[Mask], radius: int, left: Mask, right: Mask, moved: Callable[[Mask, int], Mask]
) -> Mask:
    # Doubling over pairs: `right` is the answer for the first `done` frames on the way, `left` says that all of these
    # hold. Two such pairs one after the other compose to that of both lengths, and composing is associative.
    # No end of a clip needs care: `left` holds at no frame of a gap, so nothing passes through one.
    done, width = 1, min(radius, algebra.longest) + 1
    while done < width:
        step = min(done, width - done)
        right = algebra.disjunction(right, algebra.conjunction(left, moved(right, step)))
        left = algebra.conjunction(left, moved(left, step))
        done += step
    return right


# The fast engine: a shared graph of formulas evaluated node by node over whole masks.


def evaluate_masks(formulas: Iterable[Formula], atoms: Mapping[str, Mask], algebra: BitAlgebra[Mask]) -> list[Mask]:
    """The mask of every formula; equal subformulas are evaluated once."""
    return masks_evaluator(formulas)(atoms, algebra)


def masks_evaluator(
    formulas: Iterable[Formula],
) -> Callable[[Mapping[str, Mask], BitAlgebra[Mask]], list[Mask]]:
    """`evaluate_masks` for many parts of a family: the graph of the formulas is made once."""
    dag, roots = Dag.of(formulas)

    def evaluate(atoms: Mapping[str, Mask], algebra: BitAlgebra[Mask]) -> list[Mask]:
        masks: list[Mask] = []
        for node in dag.nodes:
            masks.append(apply_node(node, [masks[part] for part in node.parts], atoms, algebra))
        return [masks[root] for root in roots]

    return evaluate


def evaluate_trace(formula: Formula, atoms: Mapping[str, int], frames: int) -> int:
    """The mask of one formula on one clip."""
    (mask,) = evaluate_masks([formula], atoms, IntegerAlgebra((1 << frames) - 1, frames))
    return mask


def apply_node(node: Node, parts: list[Mask], atoms: Mapping[str, Mask], algebra: BitAlgebra[Mask]) -> Mask:
    """The mask of a node from the masks of its parts."""
    match node.operator, node.parameters, parts:
        case Operator.ATOM, (str(name),), _:
            return atoms[name]
        case Operator.CONSTANT, (value,), _:
            return algebra.valid if value else algebra.none
        case Operator.NOT, _, [a]:
            return complement(algebra, a)
        case Operator.AND, _, [a, b]:
            return algebra.conjunction(a, b)
        case Operator.OR, _, [a, b]:
            return algebra.disjunction(a, b)
        case Operator.IMPLIES, _, [a, b]:
            return algebra.disjunction(complement(algebra, a), b)
        case Operator.IFF, _, [a, b]:
            return complement(algebra, algebra.difference(a, b))
        case Operator.EVENTUALLY, (int(lo), int(hi)), [a]:
            return eventually(algebra, lo, hi, a)
        case Operator.ALWAYS, (int(lo), int(hi)), [a]:
            return always(algebra, lo, hi, a)
        case Operator.UNTIL, (int(radius),), [a, b]:
            return until(algebra, radius, a, b)
        case Operator.SINCE, (int(radius),), [a, b]:
            return since(algebra, radius, a, b)
    raise AssertionError(f"malformed node {node}")


# Matching of reference and predicted runs, greedy and optimal, in whole numbers (chapter 8).

Pair = tuple[int, int]
"""Indices of a reference run and of a predicted run."""

Candidate = tuple[int, int, int]
"""Cost, index of the reference run, index of the predicted run: candidates sort as rule 8.3 orders them."""


def match_runs(ref: Sequence[FrameRun], pred: Sequence[FrameRun], matcher: Matcher, step: Fraction) -> tuple[Pair, ...]:
    """The matched pairs by index, sorted by reference; both sides are sorted and disjoint."""
    return matching(matcher, step)(ref, pred)


def matching(matcher: Matcher, step: Fraction) -> Callable[[Sequence[FrameRun], Sequence[FrameRun]], tuple[Pair, ...]]:
    """What `match_runs` does, ready for many clips on one grid."""
    search = matcher.search // step  # |difference|·step <= search exactly when |difference| <= this
    reward, scale = matcher.overlap_reward.as_integer_ratio()

    def match_runs(ref: Sequence[FrameRun], pred: Sequence[FrameRun]) -> tuple[Pair, ...]:
        pairs = candidates(ref, pred, search, reward, scale)
        return choose(matcher.kind, pairs) if len(pairs) > 1 else tuple((i, j) for _, i, j in pairs)

    return match_runs


def choose(kind: MatcherKind, candidates: Sequence[Candidate]) -> tuple[Pair, ...]:
    """The pairs a matcher takes out of candidates, which come by reference and then prediction."""
    match kind:
        case MatcherKind.GREEDY:
            return _greedy(candidates)
        case MatcherKind.OPTIMAL:
            return _optimal(candidates)


def overlaps(ref: Sequence[FrameRun], pred: Sequence[FrameRun]) -> Iterator[Pair]:
    """The pairs that share a frame, by reference and then prediction: one sweep over both sides."""
    i = j = 0
    while i < len(ref) and j < len(pred):
        if ref[i][0] < pred[j][1] and pred[j][0] < ref[i][1]:
            yield i, j
        if ref[i][1] < pred[j][1]:
            i += 1
        else:
            j += 1


def candidates(
    ref: Sequence[FrameRun], pred: Sequence[FrameRun], search: int, reward: int, scale: int
) -> list[Candidate]:
    """The candidates with their costs, by reference and then prediction (rules 8.1 and 8.2), `search` in frames.

    The reward is `reward / scale`. A cost is in frames, times `scale`: whole, with the order of costs and sums kept.
    """
    # Costs times the denominator of the reward are whole numbers: they order candidates and sums as the fractions do,
    # and compare in one machine operation.
    costs: list[Candidate] = []
    for i, j in overlaps(ref, pred):
        (ref_start, ref_end), (pred_start, pred_end) = ref[i], pred[j]
        onset, offset = abs(ref_start - pred_start), abs(ref_end - pred_end)
        if onset <= search or offset <= search:
            overlap = min(ref_end, pred_end) - max(ref_start, pred_start)
            costs.append((scale * (onset + offset) - reward * overlap, i, j))
    return costs


def _greedy(candidates: Sequence[Candidate]) -> tuple[Pair, ...]:
    """The cheapest candidate whose two ends are free, again and again (rule 8.3)."""
    taken_ref: set[int] = set()
    taken_pred: set[int] = set()
    pairs: list[Pair] = []
    # Tuples sort by cost, then reference, then prediction: the order of rule 8.3, ties included.
    for _, i, j in sorted(candidates):
        if i not in taken_ref and j not in taken_pred:
            taken_ref.add(i)
            taken_pred.add(j)
            pairs.append((i, j))
    return tuple(sorted(pairs))


Total = tuple[int, int]
"""Minus the number of pairs, and their cost: the least one is the best (rule 8.4)."""


def _optimal(candidates: Sequence[Candidate]) -> tuple[Pair, ...]:
    """Most pairs, then least cost, then the least list (rule 8.4), in time linear in the candidates.

    Sorted runs overlap monotonically, so the candidates of one run are consecutive in `found`, and all that
    matters of the candidates before one is whether they took its reference run or its predicted run.
    """
    # Dynamic programming backwards, then one walk forwards. The walk takes a candidate whenever some best total has it,
    # which gives the least of all best lists, as rule 8.4 asks.
    ahead = _best_ahead(candidates)
    pairs: list[Pair] = []
    taken = (-1, -1)
    for k, (cost, i, j) in enumerate(candidates):
        free = i != taken[0] and j != taken[1]
        if free and _plus(ahead[k + 1][_next_state(candidates, k, True, True)], cost) == ahead[k][0]:
            pairs.append((i, j))
            taken = (i, j)
    return tuple(pairs)


_FREE, _REF_TAKEN, _PRED_TAKEN = 0, 1, 2
"""What earlier candidates left of the candidate at hand; a bit set, so 3 is both."""


def _best_ahead(candidates: Sequence[Candidate]) -> list[tuple[Total, Total, Total, Total]]:
    """The best total of each candidate and all after it, by state; a last entry for when none is left."""
    nothing = (0, 0)
    ahead = [(nothing, nothing, nothing, nothing)]
    for k in range(len(candidates) - 1, -1, -1):
        after = ahead[-1]
        left = [
            after[_next_state(candidates, k, bool(state & _REF_TAKEN), bool(state & _PRED_TAKEN))] for state in range(4)
        ]
        took = _plus(after[_next_state(candidates, k, True, True)], candidates[k][0])
        ahead.append((min(left[0], took), left[1], left[2], left[3]))
    ahead.reverse()
    return ahead


def _next_state(candidates: Sequence[Candidate], k: int, ref_taken: bool, pred_taken: bool) -> int:
    """The state of candidate k + 1, given what is taken of candidate k."""
    if k + 1 == len(candidates):
        return _FREE
    _, i, j = candidates[k]
    _, next_i, next_j = candidates[k + 1]
    return (_REF_TAKEN if ref_taken and next_i == i else _FREE) | (_PRED_TAKEN if pred_taken and next_j == j else _FREE)


def _plus(total: Total, cost: int) -> Total:
    """A total with one more pair."""
    return total[0] - 1, total[1] + cost


# The obligations of one clip and class (rule 9.1).


def is_ignored(run: FrameRun, ignored: Sequence[FrameRun]) -> bool:
    """Whether all frames of a run are ignored (rule 5.9)."""
    return bool(ignored) and covered(run, ignored) == duration(run)


def obligations(
    each: Each, scene: ClipScene, pairs: Sequence[Pair], ignored: Sequence[FrameRun] = ()
) -> list[Obligation]:
    """The obligations of one segment, without the ignored ones (rule 9.1)."""
    refs, preds = scene.refs, scene.preds
    match each:
        case Each.REF:
            pred_of = {i: preds[j] for i, j in pairs}
            owed = [Obligation(ref, pred_of.get(i), scene) for i, ref in enumerate(refs)]
        case Each.PRED:
            ref_of = {j: refs[i] for i, j in pairs}
            owed = [Obligation(ref_of.get(j), pred, scene) for j, pred in enumerate(preds)]
        case Each.MATCHED:
            owed = [Obligation(refs[i], preds[j], scene) for i, j in pairs]
    return [o for o in owed if not is_ignored(obligated_run(each, o), ignored)] if ignored else owed


def obligated_run(each: Each, obligation: Obligation) -> FrameRun:
    """The run an obligation is about; of a matched pair, the reference."""
    run = obligation.pred if each is Each.PRED else obligation.ref
    assert run is not None
    return run


# What a contract allows: its bounds and times in frames, and the lengths of scenes that try them (rule 22.1).

LONGEST = 50_000
"""Tolerances of more frames than this are not tried."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """A bound or a time of a contract, as it is called there, and the frames it comes to."""

    name: str
    frames: int


@dataclass(frozen=True, slots=True)
class SceneLengths:
    """The lengths that scenes and cast are made with, in frames.

    `stray` is one frame more than the greatest tolerance that is tried, `hole` the narrowest gap that `merge_gap`
    leaves open.
    """

    stray: int
    hole: int


def allowances(contract: Contract) -> tuple[Allowance, ...]:
    """Every bound of a window and every time in an event predicate, by size; one name for each size."""
    names: dict[int, str] = {}
    for name, frames in _bounds(contract):
        if frames:
            names.setdefault(frames, name)
    return tuple(Allowance(names[frames], frames) for frames in sorted(names))


def measures(contract: Contract) -> SceneLengths:
    """The lengths that follow from a contract's tolerances and its merge gap."""
    # Clips grow with the tolerances; one of hours would make a family that nobody waits for.
    tried = [one.frames for one in allowances(contract) if one.frames <= LONGEST]
    return SceneLengths(max(tried, default=1) + 1, int(contract.merge_gap // contract.step) + 1)


def _bounds(contract: Contract) -> Iterator[tuple[str, int]]:
    for clause in contract.clauses:
        if isinstance(clause, EventClause):
            for _, atom in clause.event_atoms:
                for side in (atom.left, atom.right) if isinstance(atom, TermComparison) else ():
                    for term in subterms(side):
                        if isinstance(term, ConstantTerm) and term.quantity is TermType.TIME:
                            yield time_text(abs(term.value)), ceil(abs(term.value) / contract.step)
        else:
            for part in (*clause.duty.everywhere(), *clause.body.everywhere()):
                for bound in part.bounds:
                    yield bound.parameter or bound.text.removeprefix("-"), abs(bound.frames)
