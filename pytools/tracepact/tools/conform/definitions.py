"""Chapters 5, 7 and 8 as naive definitions: what the grid, runs and matchers of the package are tested against."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from tracepact.core import Aggregation, Matcher, MatcherKind, Projection
from tracepact.trace import FrameRun

Candidate = tuple[int, int, Fraction]
"""Index of the reference run, index of the predicted run, cost in seconds."""


def frame_count(duration: Fraction, step: Fraction) -> int:
    """The least n with n·step not less than the duration (rule 5.1)."""
    frames = int(duration / step)
    return frames if frames * step >= duration else frames + 1


def is_active(frame: int, onset: Fraction, offset: Fraction, step: Fraction, projection: Projection) -> bool:
    """Whether an event gives a frame (rule 5.3)."""
    start, end = frame * step, (frame + 1) * step
    match projection:
        case Projection.CENTRE:
            return onset <= (start + end) / 2 < offset
        case Projection.TOUCH:
            return max(start, onset) < min(end, offset)
        case Projection.INSIDE:
            return onset <= start and end <= offset


def runs(mask: Sequence[bool]) -> list[FrameRun]:
    """The maximal intervals of active frames (rule 5.5)."""
    n = len(mask)
    starts = [s for s in range(n) if mask[s] and (s == 0 or not mask[s - 1])]
    ends = [e for e in range(1, n + 1) if mask[e - 1] and (e == n or not mask[e])]
    return list(zip(starts, ends, strict=True))


def onsets(mask: Sequence[bool]) -> list[bool]:
    """Active frames that are first or follow an inactive one (rule 5.6)."""
    return [mask[i] and (i == 0 or not mask[i - 1]) for i in range(len(mask))]


def offsets(mask: Sequence[bool]) -> list[bool]:
    """Inactive frames that follow an active one (rule 5.6)."""
    return [not mask[i] and i > 0 and mask[i - 1] for i in range(len(mask))]


def joined(mask: Sequence[bool], merge_gap: Fraction, step: Fraction) -> list[FrameRun]:
    """The runs after joining (rule 5.8): every gap of k frames with k·step <= merge_gap is filled."""
    filled = list(mask)
    found = runs(mask)
    for (_, end), (start, _) in pairwise(found):
        if (start - end) * step <= merge_gap:
            filled[end:start] = [True] * (start - end)
    return runs(filled)


def candidates(ref: Sequence[FrameRun], pred: Sequence[FrameRun], matcher: Matcher, step: Fraction) -> list[Candidate]:
    """Rules 8.1 and 8.2."""
    found = []
    for i, (ref_start, ref_end) in enumerate(ref):
        for j, (pred_start, pred_end) in enumerate(pred):
            if min(ref_end, pred_end) <= max(ref_start, pred_start):
                continue
            onset, offset = abs(ref_start - pred_start) * step, abs(ref_end - pred_end) * step
            overlap = (min(ref_end, pred_end) - max(ref_start, pred_start)) * step
            if onset <= matcher.search or offset <= matcher.search:
                found.append((i, j, onset + offset - matcher.overlap_reward * overlap))
    return found


def match(ref: Sequence[FrameRun], pred: Sequence[FrameRun], matcher: Matcher, step: Fraction) -> list[tuple[int, int]]:
    """Rules 8.3 and 8.4."""
    found = candidates(ref, pred, matcher, step)
    if matcher.kind is MatcherKind.OPTIMAL:
        return _optimal(found, len(ref))
    kept: list[Candidate] = []
    taken: tuple[set[int], set[int]] = set(), set()
    for i, j, cost in sorted(found, key=lambda c: (c[2], ref[c[0]][0], pred[c[1]][0])):
        if i not in taken[0] and j not in taken[1]:
            kept.append((i, j, cost))
            taken[0].add(i)
            taken[1].add(j)
    return _pairs(kept)


def _optimal(found: Sequence[Candidate], refs: int) -> list[tuple[int, int]]:
    """The best of all one-to-one sets, reference by reference from the last: left out, or paired.

    A prediction that is chosen lies after those of earlier references: runs that overlap never cross. `best[j]` is the
    best for the references so far with predictions from j on; j is 0 where it does not matter.
    """
    best: dict[int, _Chosen] = {0: (0, Fraction(0), ())}
    lowest = max((j for _, j, _ in found), default=0) + 1
    for i in reversed(range(refs)):
        own = [(j, cost) for a, j, cost in found if a == i]
        below = lowest
        lowest = min([lowest, *(j for j, _ in own)])
        before = {j + 1 for a, j, _ in found if a < i and j + 1 > lowest}
        best = {first: min(_choices(best, below, first, own, i)) for first in (0, *sorted(before))}
    return list(best[0][2])


_Chosen = tuple[int, Fraction, tuple[tuple[int, int], ...]]
"""Minus the number of pairs, their cost, and the pairs: the least is the best (rule 8.4)."""


def _choices(
    best: Mapping[int, _Chosen], lowest: int, first: int, own: Sequence[tuple[int, Fraction]], ref: int
) -> Iterator[_Chosen]:
    """What becomes of a reference and all after it: left out, or paired with one of its own from `first` on."""
    yield best[first if first > lowest else 0]
    for j, cost in own:
        if j >= first:
            pairs, total, chosen = best[j + 1 if j + 1 > lowest else 0]
            yield pairs - 1, total + cost, ((ref, j), *chosen)


def _pairs(some: Sequence[Candidate]) -> list[tuple[int, int]]:
    return sorted((i, j) for i, j, _ in some)


# Scores


@dataclass(frozen=True, slots=True)
class Entry:
    """The counts of a clause in one clip and class; `runs` tells of an event clause whether there is any run."""

    satisfied: int
    obligated: int
    runs: bool = False


Scored = tuple[Fraction, bool]
"""A value, and whether it is vacuous."""


def score(entry: Entry) -> Scored:
    """Rules 7.2 to 7.4; a frame clause has no runs to speak against it."""
    if entry.obligated:
        return Fraction(entry.satisfied, entry.obligated), False
    return (Fraction(0), False) if entry.runs else (Fraction(1), True)


def aggregate(entries: Sequence[Sequence[Entry]], aggregation: Aggregation) -> Scored:
    """Rule 7.5; a row a class, an entry a clip."""
    match aggregation:
        case Aggregation.POOLED:
            return score(_pooled([entry for row in entries for entry in row]))
        case Aggregation.MACRO_CLASSES:
            return _mean([score(_pooled(row)) for row in entries])
        case Aggregation.MACRO_CLASSES_INFORMATIVE:
            return _mean([s for s in (score(_pooled(row)) for row in entries) if not s[1]])
        case Aggregation.MACRO_CLIPS:
            return _mean([_mean([score(row[k]) for row in entries]) for k in range(len(entries[0]))])
        case Aggregation.MACRO_CLIPS_INFORMATIVE:
            informative = [[s for s in (score(row[k]) for row in entries) if not s[1]] for k in range(len(entries[0]))]
            return _mean([_mean(some) for some in informative if some])


def _pooled(entries: Sequence[Entry]) -> Entry:
    """The counts added; a run anywhere is a run."""
    satisfied, obligated = (sum(getattr(e, part) for e in entries) for part in ("satisfied", "obligated"))
    return Entry(satisfied, obligated, any(e.runs for e in entries))


def _mean(some: Sequence[Scored]) -> Scored:
    """The mean; of nothing it is 1 and vacuous, and so it is where every part is."""
    if not some:
        return Fraction(1), True
    return sum((value for value, _ in some), Fraction(0)) / len(some), all(vacuous for _, vacuous in some)


# Streams of events

Component = tuple[list[FrameRun], list[FrameRun]]
"""The reference and the predicted runs of a component."""


def closed_components(
    ref: Sequence[bool], pred: Sequence[bool], merge_gap: Fraction, search: Fraction, step: Fraction
) -> list[tuple[int | str, Component]]:
    """The components of a stream with the frame whose arrival closes each, or `close` (rules 12.6 and 12.7)."""
    out: list[tuple[int | str, Component]] = []
    done: set[tuple[int, FrameRun]] = set()
    for n in (*range(1, len(ref) + 1), None):
        sides = [joined(side[:n], merge_gap, step) for side in (ref, pred)]
        nodes = [(k, run) for k in (0, 1) for run in sides[k]]
        final = {(k, run) for k, run in nodes if n is None or (run[1] < n and (n - run[1]) * step > merge_gap)}
        for part in _components(nodes, final, search, step):
            if part <= final and not part & done:
                done |= part
                runs_of = [sorted(run for k, run in part if k == side) for side in (0, 1)]
                out.append(("close" if n is None else n - 1, (runs_of[0], runs_of[1])))
    return out


def _components(
    nodes: Sequence[tuple[int, FrameRun]], final: set[tuple[int, FrameRun]], search: Fraction, step: Fraction
) -> list[set[tuple[int, FrameRun]]]:
    parts = [{node} for node in nodes]
    for a in nodes:
        for b in nodes:
            if a[0] < b[0] and _may_match(a, b, final, search, step):
                one, other = (next(p for p in parts if node in p) for node in (a, b))
                if one is not other:
                    parts.remove(other)
                    one |= other
    return sorted(parts, key=lambda part: min((run, k) for k, run in part))


def _may_match(
    a: tuple[int, FrameRun], b: tuple[int, FrameRun], final: set[tuple[int, FrameRun]], search: Fraction, step: Fraction
) -> bool:
    (a_start, a_end), (b_start, b_end) = a[1], b[1]
    if min(a_end, b_end) <= max(a_start, b_start):
        return False
    if abs(a_start - b_start) * step <= search or (a not in final and b not in final):
        return True
    if a in final and b in final:
        return abs(a_end - b_end) * step <= search
    ahead = b_end - a_end if a in final else a_end - b_end
    return ahead * step <= search
