"""What answers a case: the definitions, or the fast path of the package. Both must give every vector's answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tracepact.core import Formula, Matcher, Projection, atoms, reach
from tracepact.events import match_runs
from tracepact.monitor import IntegerAlgebra, evaluate_masks, truth
from tracepact.oracle import definitions
from tracepact.trace import Grid, Layout, Run, join_runs, runs_of_frames, union_runs
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
class Engine:
    """One way to answer."""

    name: str
    verdicts: Callable[[Formula, Sequence[Clip]], list[list[bool]]]
    project: Callable[[Fraction, Fraction, Projection, Sequence[Event]], Projected]
    edges: Callable[[Sequence[bool]], tuple[list[Run], list[bool], list[bool]]]
    join: Callable[[Sequence[bool], Fraction, Fraction], list[Run]]
    match: Callable[[Sequence[Run], Sequence[Run], Matcher, Fraction], list[tuple[int, int]]]


# The definitions


def _verdicts(formula: Formula, clips: Sequence[Clip]) -> list[list[bool]]:
    return [truth(formula, clip.masks, clip.frames) for clip in clips]


def _project(step: Fraction, duration: Fraction, projection: Projection, events: Sequence[Event]) -> Projected:
    frames = definitions.frame_count(duration, step)
    given = [[definitions.is_active(i, on, off, step, projection) for i in range(frames)] for on, off in events]
    mask = [any(active[i] for active in given) for i in range(frames)]
    return Projected(frames, mask, sum(not any(active) for active in given))


def _edges(mask: Sequence[bool]) -> tuple[list[Run], list[bool], list[bool]]:
    return definitions.runs(mask), definitions.onsets(mask), definitions.offsets(mask)


REFERENCE = Engine("reference", _verdicts, _project, _edges, definitions.joined, definitions.match)


# The fast path


def _fast_verdicts(formula: Formula, clips: Sequence[Clip]) -> list[list[bool]]:
    layout = Layout([clip.frames for clip in clips], reach(formula))
    masks = {
        name: layout.paint((k, runs_of_frames(clip.masks[name])) for k, clip in enumerate(clips))
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


def _fast_edges(mask: Sequence[bool]) -> tuple[list[Run], list[bool], list[bool]]:
    layout = Layout([len(mask)], 1)
    found = runs_of_frames(mask)
    active = layout.paint([(0, found)])
    starts, ends = (layout.frames_of(m, 0) for m in (onset(active), offset(active, layout.valid)))
    return list(found), [bool(x) for x in starts], [bool(x) for x in ends]


def _fast_join(mask: Sequence[bool], merge_gap: Fraction, step: Fraction) -> list[Run]:
    return list(join_runs(runs_of_frames(mask), merge_gap, step))


def _fast_match(ref: Sequence[Run], pred: Sequence[Run], matcher: Matcher, step: Fraction) -> list[tuple[int, int]]:
    return list(match_runs(ref, pred, matcher, step))


FAST = Engine("fast", _fast_verdicts, _fast_project, _fast_edges, _fast_join, _fast_match)
