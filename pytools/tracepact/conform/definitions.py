"""Chapters 5 to 8 and rule 12.10 as naive definitions: what the package is tested against."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

from tracepact.conform.protocol import LONGEST, BadCase
from tracepact.files import json_whole
from tracepact.language.contract import Aggregation, Matcher, MatcherKind, Projection
from tracepact.language.formula import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    FrameRun,
    Iff,
    Implies,
    Not,
    Or,
    Since,
    Until,
)

# Chapters 5, 7 and 8 as naive definitions: what the grid, runs and matchers of the package are tested against.

Candidate = tuple[int, int, Fraction]
"""Index of the reference run, index of the predicted run, cost in seconds."""


def frame_count(duration: Fraction, step: Fraction) -> int:
    """The least n with n·step not less than the duration (rule 5.1)."""
    # Not a ceiling of a quotient: the rule itself, so that nothing has to be known about rounding.
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
    # As the rule says it, one frame at a time: what the package does with shifts of whole words must not be repeated
    # here.
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
    # All pairs, although runs are in order and a sweep would do: the sweep is what is tested.
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
    # Ties go to the earlier reference, then to the earlier prediction (rule 8.3): part of the key, and no accident of a
    # sort.
    for i, j, cost in sorted(found, key=lambda c: (c[2], ref[c[0]][0], pred[c[1]][0])):
        if i not in taken[0] and j not in taken[1]:
            kept.append((i, j, cost))
            taken[0].add(i)
            taken[1].add(j)
    return _pairs(kept)


def _optimal(candidates: Sequence[Candidate], refs: int) -> list[tuple[int, int]]:
    """The best of all one-to-one sets, reference by reference from the last: left out, or paired.

    A prediction that is chosen lies after those of earlier references: runs that overlap never cross. `best[j]` is the
    best for the references so far with predictions from j on; j is 0 where it does not matter.
    """
    # Dynamic programming over (reference, first prediction left), and no general assignment: with the pairs in the
    # tuple the least of three is also the one that rule 8.4 prefers among equals.
    best: dict[int, _Chosen] = {0: (0, Fraction(0), ())}
    lowest = max((j for _, j, _ in candidates), default=0) + 1
    for i in reversed(range(refs)):
        own = [(j, cost) for a, j, cost in candidates if a == i]
        below = lowest
        lowest = min([lowest, *(j for j, _ in own)])
        # Only these can be asked for by an earlier reference, so a table of all predictions is not needed.
        before = {j + 1 for a, j, _ in candidates if a < i and j + 1 > lowest}
        best = {first: min(_choices(best, below, first, own, i)) for first in (0, *sorted(before))}
    return list(best[0][2])


_Chosen = tuple[int, Fraction, tuple[tuple[int, int], ...]]
"""Minus the number of pairs, their cost, and the pairs: the least is the best (rule 8.4)."""


def _choices(
    best: Mapping[int, _Chosen], lowest: int, first: int, partners: Sequence[tuple[int, Fraction]], ref: int
) -> Iterator[_Chosen]:
    """What becomes of a reference and all after it: left out, or paired with one of its own from `first` on."""
    yield best[first if first > lowest else 0]
    for j, cost in partners:
        if j >= first:
            pairs, total, chosen = best[j + 1 if j + 1 > lowest else 0]
            yield pairs - 1, total + cost, ((ref, j), *chosen)


def _pairs(some: Sequence[Candidate]) -> list[tuple[int, int]]:
    return sorted((i, j) for i, j, _ in some)


# Scores


@dataclass(frozen=True, slots=True)
class ClipCounts:
    """The counts of a clause in one clip and class; `runs` tells of an event clause whether there is any run."""

    satisfied: int
    obligated: int
    runs: bool = False


Scored = tuple[Fraction, bool]
"""A value, and whether it is vacuous."""


def score(entry: ClipCounts) -> Scored:
    """Rules 7.2 to 7.4; a frame clause has no runs to speak against it."""
    if entry.obligated:
        return Fraction(entry.satisfied, entry.obligated), False
    return (Fraction(0), False) if entry.runs else (Fraction(1), True)


def aggregate(entries: Sequence[Sequence[ClipCounts]], aggregation: Aggregation) -> Scored:
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


def _pooled(entries: Sequence[ClipCounts]) -> ClipCounts:
    """The counts added; a run anywhere is a run."""
    # Counts are added and then divided: the mean of the fractions would weigh a clip of one obligation as much as one
    # of a thousand (rule 7.5).
    satisfied, obligated = (sum(getattr(e, part) for e in entries) for part in ("satisfied", "obligated"))
    return ClipCounts(satisfied, obligated, any(e.runs for e in entries))


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
    # Everything anew at each frame, from the whole past: quadratic, and with no state that could be wrong.
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
    # One of the two still grows: the distance of their ends can only become more than it is now (rule 12.6).
    ahead = b_end - a_end if a in final else a_end - b_end
    return ahead * step <= search


# The meaning of formulas on runs instead of frames: what a trace of any length is judged by.
#
# A mask is its runs, sorted and apart. Each operator is a closed form on them, so the cost grows with the runs and
# not with the frames or the windows. `tests/conform/test_long_definitions.py` ties every one to the naive definition
# of chapter 6.

Runs = list[FrameRun]


def truth_runs(formula: Formula, masks: Mapping[str, Sequence[bool]], frames: int) -> list[bool]:
    """The formula at every frame of a trace, by its runs."""
    runs = {name: runs_of(mask) for name, mask in masks.items()}
    found = [False] * frames
    for start, end in holds(formula, runs, frames):
        found[start:end] = [True] * (end - start)
    return found


def runs_of(mask: Sequence[bool]) -> Runs:
    """The runs of a mask."""
    # `find` on bytes, for this is used on traces of a hundred thousand frames; the zero behind ends the last run.
    frames = bytes(map(bool, mask)) + b"\0"
    found, end = [], 0
    while (start := frames.find(1, end)) >= 0:
        end = frames.find(0, start)
        found.append((start, end))
    return found


def holds(formula: Formula, masks: Mapping[str, Runs], frames: int) -> Runs:
    """The runs of frames where a formula holds on a trace of so many frames."""

    def of(part: Formula) -> Runs:
        found = holds(part, masks, frames)
        if len(found) > LONGEST:
            raise BadCase("a formula has more runs than can be judged")
        return found

    def other(runs: Runs) -> Runs:
        return complement(runs, frames)

    match formula:
        case Constant(value):
            return [(0, frames)] if value and frames else []
        case Atom(name):
            return masks[name]
        case Not(body):
            return other(of(body))
        # De Morgan: union and complement are then the only two operations that have to be right.
        case And(a, b):
            return other(union([*other(of(a)), *other(of(b))]))
        case Or(a, b):
            return union([*of(a), *of(b)])
        case Implies(a, b):
            return union([*other(of(a)), *of(b)])
        case Iff(a, b):
            left, right = of(a), of(b)
            return union([*_both(left, right, frames), *_both(other(left), other(right), frames)])
        case Eventually(lo, hi, body):
            return shifted(of(body), lo, hi, frames)
        case Always(lo, hi, body):
            return other(shifted(other(of(body)), lo, hi, frames))
        case Until(radius, a, b):
            return until(of(a), of(b), radius)
        case Since(radius, a, b):
            # Since is until on the trace read backwards; so rule 6.5 needs no second closed form.
            mirrored = until(mirror(of(a), frames), mirror(of(b), frames), radius)
            return mirror(mirrored, frames)


def union(runs: Iterable[FrameRun]) -> Runs:
    """The runs of the frames that some interval has."""
    found: Runs = []
    for start, end in sorted(run for run in runs if run[0] < run[1]):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def complement(runs: Runs, frames: int) -> Runs:
    """The runs of the frames that no run has."""
    ends = [0, *(end for _, end in runs)]
    starts = [*(start for start, _ in runs), frames]
    return [(a, b) for a, b in zip(ends, starts, strict=True) if a < b]


def mirror(runs: Runs, frames: int) -> Runs:
    """The trace read from its end."""
    return [(frames - end, frames - start) for start, end in reversed(runs)]


def _both(a: Runs, b: Runs, frames: int) -> Runs:
    return complement(union([*complement(a, frames), *complement(b, frames)]), frames)


def shifted(runs: Runs, lo: int, hi: int, frames: int) -> Runs:
    """Where some frame from `lo` to `hi` away is in a run: `[s, e)` reaches the frames from s − hi to e − 1 − lo."""
    return union((max(start - hi, 0), min(end - lo, frames)) for start, end in runs)


def until(left: Runs, right: Runs, radius: int) -> Runs:
    """Rule 6.4: where `right` holds, and before the start of each of its runs as far as `left` goes on to it.

    A frame outside of `right` has its first witness at the start of a run [s, e); so it must lie at most `radius`
    before s, in the run of `left` that has the frame s − 1.
    """
    # Looked up by bisection: a search along the runs would be quadratic on masks that alternate.
    starts = [start for start, _ in left]
    found = list(right)
    for start, _ in right:
        k = bisect_right(starts, start - 1) - 1
        if k >= 0 and left[k][0] < start <= left[k][1]:
            found.append((max(left[k][0], start - radius), start))
    return union(found)


# Lines of a stream by rule 12.10, written apart from the reader of `watch`, which is tested against it.

# Not what `str.strip` takes off by itself: by rule 12.10 a form feed, for one, is no white space.
_SPACE = " \t\r\n"
_BUILT_IN = {f"{side}_{what}" for side in ("ref", "pred") for what in ("active", "onset", "offset")} | {
    "other_ref_active",
    "other_pred_active",
}
_COLUMNS = re.compile(r"([01])[ \t\r]+([01])")


@dataclass(slots=True)
class StreamLines:
    """What a text has: frames as its lines give them, the numbers of bad lines, the streams that end."""

    frames: list[dict[str, Any]] = field(default_factory=list)
    bad: list[int] = field(default_factory=list)
    ended: list[list[Any]] = field(default_factory=list)


class _NotAFrameError(Exception):
    """The line is bad."""


def lines_of(text: str, channels: int) -> StreamLines:
    """The lines of a text, for streams with so many channels."""
    found = StreamLines()
    text = text.removeprefix("\ufeff")
    whole = text.split("\n")
    for number, line in enumerate(whole[:-1] if text.endswith("\n") else whole, start=1):
        inner = line.strip(_SPACE)
        if not inner or inner[0] == "#":
            continue
        try:
            data = _object(inner) if inner[0] == "{" else _columns(inner, channels)
            if "end" in data:
                found.ended += [[len(found.frames), name] for name in _ended(data)]
            else:
                found.frames.append(_frame(data, channels))
        except _NotAFrameError:
            found.bad.append(number)
    return found


def _columns(line: str, channels: int) -> dict[str, Any]:
    columns = _COLUMNS.fullmatch(line)
    if columns is None or channels > 1:
        raise _NotAFrameError
    return {"ref": int(columns[1]), "pred": int(columns[2])}


def _object(line: str) -> dict[str, Any]:
    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) < len(pairs):
            raise _NotAFrameError
        return dict(pairs)

    try:
        # `-0` is a number that is not written as 0 or 1, and Python reads it as 0.
        data = json.loads(
            line, object_pairs_hook=distinct, parse_int=lambda text: None if text == "-0" else json_whole(text)
        )
    except (ValueError, RecursionError):
        raise _NotAFrameError from None
    return data if isinstance(data, dict) else {}


def _ended(data: dict[str, Any]) -> list[str]:
    names = [data["end"]] if isinstance(data["end"], str) else data["end"]
    if len(data) > 1 or not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _NotAFrameError
    return names


def _frame(data: dict[str, Any], channels: int) -> dict[str, Any]:
    masks = data.get("masks", {})
    if not isinstance(masks, dict) or not data.keys() <= {"ref", "pred", "masks", "ignore"}:
        raise _NotAFrameError
    if _BUILT_IN & masks.keys() or not ({"ref", "pred"} & data.keys() or masks):
        raise _NotAFrameError
    frame: dict[str, Any] = {key: _values(data[key], channels) for key in ("ref", "pred", "ignore") if key in data}
    if masks:
        frame["masks"] = {name: _values(given, channels) for name, given in masks.items()}
    return frame


def _values(entry: Any, channels: int) -> bool | list[bool]:
    values = entry if isinstance(entry, list) else [entry]
    if len(values) != channels or (channels > 1 and values is not entry):
        raise _NotAFrameError
    if not all(type(value) in (bool, int) and value in (0, 1) for value in values):
        raise _NotAFrameError
    return bool(values[0]) if channels == 1 else [bool(value) for value in values]
