"""Matching of reference and predicted runs, greedy and optimal, in whole numbers (chapter 8)."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from tracepact.core import Matcher, MatcherKind
from tracepact.core.runs import FrameRun

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
        found = candidates(ref, pred, search, reward, scale)
        return choose(matcher.kind, found) if len(found) > 1 else tuple((i, j) for _, i, j in found)

    return match_runs


def choose(kind: MatcherKind, found: Sequence[Candidate]) -> tuple[Pair, ...]:
    """The pairs a matcher takes out of candidates, which come by reference and then prediction."""
    match kind:
        case MatcherKind.GREEDY:
            return _greedy(found)
        case MatcherKind.OPTIMAL:
            return _optimal(found)


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
    found: list[Candidate] = []
    for i, j in overlaps(ref, pred):
        (ref_start, ref_end), (pred_start, pred_end) = ref[i], pred[j]
        onset, offset = abs(ref_start - pred_start), abs(ref_end - pred_end)
        if onset <= search or offset <= search:
            overlap = min(ref_end, pred_end) - max(ref_start, pred_start)
            found.append((scale * (onset + offset) - reward * overlap, i, j))
    return found


def _greedy(found: Sequence[Candidate]) -> tuple[Pair, ...]:
    """The cheapest candidate whose two ends are free, again and again (rule 8.3)."""
    taken_ref: set[int] = set()
    taken_pred: set[int] = set()
    pairs: list[Pair] = []
    for _, i, j in sorted(found):
        if i not in taken_ref and j not in taken_pred:
            taken_ref.add(i)
            taken_pred.add(j)
            pairs.append((i, j))
    return tuple(sorted(pairs))


Total = tuple[int, int]
"""Minus the number of pairs, and their cost: the least one is the best (rule 8.4)."""


def _optimal(found: Sequence[Candidate]) -> tuple[Pair, ...]:
    """Most pairs, then least cost, then the least list (rule 8.4), in time linear in the candidates.

    Sorted runs overlap monotonically, so the candidates of one run are consecutive in `found`, and all that
    matters of the candidates before one is whether they took its reference run or its predicted run.
    """
    ahead = _best_ahead(found)
    pairs: list[Pair] = []
    taken = (-1, -1)
    for k, (cost, i, j) in enumerate(found):
        free = i != taken[0] and j != taken[1]
        if free and _plus(ahead[k + 1][_next_state(found, k, True, True)], cost) == ahead[k][0]:
            pairs.append((i, j))
            taken = (i, j)
    return tuple(pairs)


_FREE, _REF_TAKEN, _PRED_TAKEN = 0, 1, 2
"""What earlier candidates left of the candidate at hand; a bit set, so 3 is both."""


def _best_ahead(found: Sequence[Candidate]) -> list[tuple[Total, Total, Total, Total]]:
    """The best total of each candidate and all after it, by state; a last entry for when none is left."""
    nothing = (0, 0)
    ahead = [(nothing, nothing, nothing, nothing)]
    for k in range(len(found) - 1, -1, -1):
        after = ahead[-1]
        left = [after[_next_state(found, k, bool(state & _REF_TAKEN), bool(state & _PRED_TAKEN))] for state in range(4)]
        took = _plus(after[_next_state(found, k, True, True)], found[k][0])
        ahead.append((min(left[0], took), left[1], left[2], left[3]))
    ahead.reverse()
    return ahead


def _next_state(found: Sequence[Candidate], k: int, ref_taken: bool, pred_taken: bool) -> int:
    """The state of candidate k + 1, given what is taken of candidate k."""
    if k + 1 == len(found):
        return _FREE
    _, i, j = found[k]
    _, next_i, next_j = found[k + 1]
    return (_REF_TAKEN if ref_taken and next_i == i else _FREE) | (_PRED_TAKEN if pred_taken and next_j == j else _FREE)


def _plus(total: Total, cost: int) -> Total:
    """A total with one more pair."""
    return total[0] - 1, total[1] + cost
