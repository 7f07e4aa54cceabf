"""What answers a case: the definitions, or the fast path of the package. Both must give every vector's answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from io import BytesIO
from typing import Any

import numpy as np

from tracepact.core import Aggregation, Contract, Formula, Matcher, Projection, atoms, lookahead, lookback, reach
from tracepact.events import evaluate_events, match_runs
from tracepact.monitor import IntegerAlgebra, evaluate_masks, truth
from tracepact.scoring import ClauseCounts, aggregate
from tracepact.stream.lines import BadLine, EndLine, FrameLine, read_lines
from tracepact.tools.conform import definitions
from tracepact.tools.conform.definitions import Entry, Scored
from tracepact.tools.conform.intervals import Scene, has_runs, judge
from tracepact.tools.conform.runwise import truth_runs
from tracepact.tools.conform.streaming import Clauses, DefinedStream, PackageStream, Stream
from tracepact.tools.conform.text_lines import Lines, lines_of
from tracepact.trace import Family, FrameRun, Grid, Layout, Mode, Side, join_runs, runs_of_frames, union_runs
from tracepact.trace.family import offset, onset

Masks = Mapping[str, Sequence[bool]]
Event = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Clip:
    """One clip: its frames, the masks of its atoms, and the frames that carry no obligation."""

    frames: int
    masks: Masks
    ignored: Sequence[bool]


@dataclass(frozen=True, slots=True)
class Projected:
    """The frames of a clip and the mask of its events; `vanished` events gave no frame."""

    frames: int
    mask: list[bool]
    vanished: int


@dataclass(frozen=True, slots=True)
class EventScene:
    """The runs of one clip and class, before joining, those of the references of other classes, and ignored frames."""

    frames: int
    ref: Sequence[FrameRun]
    pred: Sequence[FrameRun]
    others: Sequence[Sequence[FrameRun]]
    ignored: Sequence[FrameRun]


@dataclass(frozen=True, slots=True)
class EventsFound:
    """The counts of an event clause and the intervals it is violated for."""

    entry: Entry
    violated: list[FrameRun]


@dataclass(frozen=True, slots=True)
class Engine:
    """One way to answer."""

    name: str
    verdicts: Callable[[Formula, Sequence[Clip]], list[list[bool]]]
    project: Callable[[Fraction, Fraction, Projection, Sequence[Event]], Projected]
    edges: Callable[[Sequence[bool]], tuple[list[FrameRun], list[bool], list[bool]]]
    join: Callable[[Sequence[bool], Fraction, Fraction], list[FrameRun]]
    match: Callable[[Sequence[FrameRun], Sequence[FrameRun], Matcher, Fraction], list[tuple[int, int]]]
    events: Callable[[Contract, EventScene], EventsFound]
    aggregate: Callable[[Sequence[Sequence[Entry]], Aggregation], Scored]
    stream: Callable[[Clauses], Stream]
    lines: Callable[[str, int], Lines]


# The definitions


_NAIVE = 48
"""A trace of more frames is judged by its runs, and so is one with wider windows: the loops go over both."""


def _verdicts(formula: Formula, clips: Sequence[Clip]) -> list[list[bool]]:
    return [_truth(formula, clip.frames, clip.masks) for clip in clips]


def _truth(formula: Formula, frames: int, masks: Masks) -> list[bool]:
    short = max(frames, reach(formula), lookahead(formula), lookback(formula)) <= _NAIVE
    return (truth if short else truth_runs)(formula, masks, frames)


def _stream(clauses: Clauses) -> Stream:
    return DefinedStream(clauses, _truth)


def _project(step: Fraction, duration: Fraction, projection: Projection, events: Sequence[Event]) -> Projected:
    frames = definitions.frame_count(duration, step)
    given = [[definitions.is_active(i, on, off, step, projection) for i in range(frames)] for on, off in events]
    mask = [any(active[i] for active in given) for i in range(frames)]
    return Projected(frames, mask, sum(not any(active) for active in given))


def _edges(mask: Sequence[bool]) -> tuple[list[FrameRun], list[bool], list[bool]]:
    return definitions.runs(mask), definitions.onsets(mask), definitions.offsets(mask)


def _events(contract: Contract, given: EventScene) -> EventsFound:
    """The only clause of a contract, by chapters 4, 5, 8 and 9."""

    def joined(runs: Sequence[FrameRun]) -> list[FrameRun]:
        mask = [any(start <= i < end for start, end in runs) for i in range(given.frames)]
        return definitions.joined(mask, contract.merge_gap, contract.step)

    refs, preds, others = joined(given.ref), joined(given.pred), [joined(runs) for runs in given.others]
    ignored = frozenset(i for start, end in given.ignored for i in range(start, end))
    scene = Scene(refs, preds, others, ignored, contract.step)
    pairs = definitions.match(refs, preds, contract.matcher, contract.step)
    judged = judge(contract.event_clauses[0], scene, pairs)
    entry = Entry(sum(one.holds for one in judged), len(judged), has_runs(scene))
    return EventsFound(entry, [one.interval for one in judged if not one.holds])


REFERENCE = Engine(
    "reference",
    _verdicts,
    _project,
    _edges,
    definitions.joined,
    definitions.match,
    _events,
    definitions.aggregate,
    _stream,
    lines_of,
)


# The fast path


def _fast_verdicts(formula: Formula, clips: Sequence[Clip]) -> list[list[bool]]:
    layout = Layout([clip.frames for clip in clips], reach(formula))
    masks = {
        name: layout.paint({k: runs_of_frames(clip.masks[name]) for k, clip in enumerate(clips)})
        for name in atoms(formula)
    }
    (mask,) = evaluate_masks([formula], masks, IntegerAlgebra(layout.valid, layout.longest))
    return [[bool(active) for active in layout.frames_of(mask, k)] for k in range(len(clips))]


def _fast_project(step: Fraction, duration: Fraction, projection: Projection, events: Sequence[Event]) -> Projected:
    grid = Grid(step, projection)
    frames = grid.frames(duration)
    given = [(max(s, 0), min(e, frames)) for s, e in (grid.project(on, off) for on, off in events)]
    found = union_runs(given)
    mask = [any(s <= i < e for s, e in found) for i in range(frames)]
    return Projected(frames, mask, sum(e <= s for s, e in given))


def _fast_edges(mask: Sequence[bool]) -> tuple[list[FrameRun], list[bool], list[bool]]:
    layout = Layout([len(mask)], 1)
    found = runs_of_frames(mask)
    active = layout.paint({0: found})
    starts, ends = (layout.frames_of(m, 0) for m in (onset(active), offset(active, layout.valid)))
    return list(found), [bool(x) for x in starts], [bool(x) for x in ends]


def _fast_join(mask: Sequence[bool], merge_gap: Fraction, step: Fraction) -> list[FrameRun]:
    return list(join_runs(runs_of_frames(mask), merge_gap, step))


def _fast_match(
    ref: Sequence[FrameRun], pred: Sequence[FrameRun], matcher: Matcher, step: Fraction
) -> list[tuple[int, int]]:
    return list(match_runs(ref, pred, matcher, step))


def _fast_events(contract: Contract, given: EventScene) -> EventsFound:
    refs = {k: tuple(runs) for k, runs in enumerate([given.ref, *given.others]) if runs}
    family = Family(
        contract.step,
        Mode.CLASS_INDEXED,
        ("clip",),
        (given.frames,),
        tuple(f"class{k}" for k in range(1 + len(given.others))),
        {Side.REF: refs, Side.PRED: {0: tuple(given.pred)} if given.pred else {}},
        {0: tuple(given.ignored)} if given.ignored else {},
        {},
    )
    found = evaluate_events(contract, family)
    (clause,) = found.clauses
    entry = Entry(int(clause.satisfied[0]), int(clause.obligated[0]), bool(found.counter_evidence[0]))
    return EventsFound(entry, [v.interval for v in clause.violations if v.segment == 0])


def _fast_aggregate(entries: Sequence[Sequence[Entry]], aggregation: Aggregation) -> Scored:
    satisfied, obligated = (
        np.array([[getattr(entry, part) for entry in row] for row in entries]) for part in ("satisfied", "obligated")
    )
    runs = np.array([[entry.runs for entry in row] for row in entries])
    found = aggregate(ClauseCounts(satisfied, obligated, runs & (obligated == 0)), aggregation)
    return found.value, found.vacuous


def _fast_lines(text: str, channels: int) -> Lines:
    found = Lines()
    for line in read_lines(BytesIO(text.encode("utf-8", "surrogatepass")), channels):
        match line:
            case FrameLine(_, frames, ignore):
                found.frames.append(_given(frames, ignore))
            case EndLine(_, streams):
                found.ended += [[len(found.frames), name] for name in streams]
            case BadLine(number):
                found.bad.append(number)
    return found


def _given(frames: dict[str, Any], ignore: Any) -> dict[str, Any]:
    """A frame by the keys of its line."""
    sides = {side: frames[f"{side}_active"] for side in ("ref", "pred") if f"{side}_active" in frames}
    masks = {name: given for name, given in frames.items() if name not in ("ref_active", "pred_active")}
    return {**sides, **({"ignore": ignore} if ignore is not None else {}), **({"masks": masks} if masks else {})}


FAST = Engine(
    "fast",
    _fast_verdicts,
    _fast_project,
    _fast_edges,
    _fast_join,
    _fast_match,
    _fast_events,
    _fast_aggregate,
    PackageStream,
    _fast_lines,
)
