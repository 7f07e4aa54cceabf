"""What answers a case: the definitions, or the fast path of the package, on frames and on streams."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from io import BytesIO
from itertools import accumulate
from typing import Any, Protocol

import numpy as np

from tracepact.conform import definitions
from tracepact.conform.definitions import ClipCounts, Scored, StreamLines, lines_of, truth_runs
from tracepact.conform.event_definitions import DefinedScene, has_runs, judge
from tracepact.conform.protocol import BadCase, formula_of, formula_text, frames_of, renamed, shown, tree_of
from tracepact.data.family import Family, Grid, Layout, Mode, Side, offset, onset
from tracepact.evaluate.event_clauses import evaluate_events
from tracepact.evaluate.masks import IntegerAlgebra, evaluate_masks, match_runs
from tracepact.evaluate.reference import truth
from tracepact.evaluate.scores import ClauseCounts, aggregate
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import Aggregation, Contract, Matcher, Projection
from tracepact.language.formula import (
    Formula,
    FrameRun,
    atoms,
    join_runs,
    lookahead,
    lookback,
    reach,
    runs_of_frames,
    union_runs,
)
from tracepact.stream.frames import BadLine, EndLine, FrameLine, read_lines
from tracepact.stream.monitor import StreamMonitor
from tracepact.stream.state import restore_state, save_state
from tracepact.stream.verdicts import Arrival

# Streams of frame clauses: how a trace arrives, the verdicts by definition, and those of the package's monitor.

Clauses = Sequence[tuple[Formula, Formula]]
Masks = Mapping[str, Sequence[bool]]
Out = list[list[Any]]
"""Verdicts `[frame, clause, word]`, by frame and clause."""


def clause_word(obliged: bool, holds: bool) -> str:
    """What a frame says of a clause."""
    return ("satisfied" if holds else "violated") if obliged else "free"


class Stream(Protocol):
    """One stream that is open."""

    def push(self, frames: int, masks: Masks) -> Out:
        """Take a frame or a chunk; what is out now."""

    def close(self) -> Out:
        """What is left."""

    def interrupted(self) -> "Stream":
        """A stream that goes on from the saved state."""

    @property
    def counts(self) -> list[list[int]]:
        """Satisfied and obligated so far, for each clause."""


def names_of(clauses: Clauses) -> list[str]:
    """The atoms of the clauses."""
    return sorted(frozenset().union(*(atoms(formula) for clause in clauses for formula in clause)))


def delays_of(clauses: Clauses) -> list[int]:
    """Rule 12.2."""
    return [max(lookahead(obligation), lookahead(formula)) for obligation, formula in clauses]


class DefinedStream:
    """Every verdict from the frames seen so far, of which no more than the formulas look at are kept (rule 6.7)."""

    def __init__(self, clauses: Clauses, verdicts: Any) -> None:
        self._clauses = clauses
        self._verdicts = verdicts
        self._names = names_of(clauses)
        self._delays = delays_of(clauses)
        # With this much of the past, and with the frames that are still undecided, every verdict is that of the whole
        # trace (rule 6.7).
        self._kept = max(lookback(formula) for clause in clauses for formula in clause)
        self._next = [0] * len(clauses)
        self._seen: dict[str, list[bool]] = {name: [] for name in self._names}
        self._first = self._frames = 0
        self.counts = [[0, 0] for _ in clauses]

    def push(self, frames: int, masks: Masks) -> Out:
        """Take a frame or a chunk; the verdicts that are out now."""
        for name in self._names:
            self._seen[name] += map(bool, masks[name])
        self._frames += frames
        return self._out([self._frames - delay for delay in self._delays])

    def close(self) -> Out:
        """The verdicts of the frames that are left, on what there is."""
        return self._out([self._frames] * len(self._clauses))

    def interrupted(self) -> "DefinedStream":
        """A new stream of the same clauses that goes on from the state as text."""
        # Through text, as a state that is stored would go: what a list shares with the old stream is cut so.
        text = json.dumps([self._seen, self._first, self._frames, self._next, self.counts])
        stream = DefinedStream(self._clauses, self._verdicts)
        stream._seen, stream._first, stream._frames, stream._next, stream.counts = json.loads(text)
        return stream

    def _out(self, ends: Sequence[int]) -> Out:
        found: Out = []
        for k, (obligation, formula) in enumerate(self._clauses):
            due = range(self._next[k], max(ends[k], self._next[k]))
            if not due:
                continue
            held = self._frames - self._first
            obliged, holds = (self._verdicts(f, held, self._seen) for f in (obligation, formula))
            found += [[i, k, clause_word(obliged[i - self._first], holds[i - self._first])] for i in due]
            self._next[k] = due.stop
        for _, k, word in found:
            self.counts[k] = [self.counts[k][0] + (word == "satisfied"), self.counts[k][1] + (word != "free")]
        self._forget()
        return sorted(found)

    def _forget(self) -> None:
        """Drop the frames that no verdict to come looks at, some at a time."""
        old = min(self._next, default=0) - self._kept - self._first
        # Not at every frame: to copy what is kept would make each frame cost as much as the window is wide. Half at a
        # time costs a constant for each.
        if old > max(64, (self._frames - self._first) // 2):
            self._seen = {name: mask[old:] for name, mask in self._seen.items()}
            self._first += old


class PackageStream:
    """The package's own monitor of streams, whose states are saved and restored as text."""

    def __init__(self, clauses: Clauses) -> None:
        # Names of the protocol may be reserved words or built-in atoms of the language; the monitor gets plain ones.
        names = {name: f"a{number}" for number, name in enumerate(names_of(clauses))}
        statements = [f"atom {own}" for own in names.values()]
        for number, (obligation, formula) in enumerate(clauses):
            on, body = (formula_text(formula_of(renamed(tree_of(f), names))) for f in (obligation, formula))
            statements.append(f"clause c{number} on {on} : {body}")
        self._names = names
        self._contract = parse_contract("\n".join(["contract stream_", "step 1s", *statements]))
        self._monitor = StreamMonitor(self._contract)

    def push(self, frames: int, masks: Masks) -> Out:
        """Take a frame or a chunk; the verdicts that are out now."""
        if not self._names:
            return self._said(self._monitor.push_masks(frames, {}))
        given = {own: np.array([bool(value) for value in masks[name]]) for name, own in self._names.items()}
        return self._said(self._monitor.push(given))

    def close(self) -> Out:
        """The verdicts of the frames that are left."""
        return self._said(self._monitor.close())

    def interrupted(self) -> "PackageStream":
        """The stream with a monitor that is restored from the state as text."""
        state = json.loads(json.dumps(save_state(self._monitor)))
        self._monitor = restore_state(self._contract, state)
        return self

    @property
    def counts(self) -> list[list[int]]:
        """Satisfied and obligated so far, for each clause."""
        found = [self._monitor.counts(clause.name) for clause in self._contract.clauses]
        return [[int(counts.satisfied.sum()), int(counts.obligated.sum())] for counts in found]

    def _said(self, arrival: Arrival) -> Out:
        out: Out = []
        for verdicts in arrival.verdicts:
            clause = int(verdicts.clause.name.removeprefix("c"))
            words = zip(verdicts.obligated[:, 0].tolist(), verdicts.holds[:, 0].tolist(), strict=True)
            out += [[verdicts.start + i, clause, clause_word(*pair)] for i, pair in enumerate(words)]
        return sorted(out)


# How a trace arrives


def masks_of(data: Mapping[str, Any], names: Iterable[str]) -> tuple[int, dict[str, list[bool]]]:
    """The frames and masks of a trace or chunk as a case writes it, with a mask for every one of the names."""
    frames = data["frames"]
    if not isinstance(frames, int) or isinstance(frames, bool) or frames < 0:
        raise BadCase(f"a clip has {shown(frames)} frames")
    masks = {name: frames_of(text) for name, text in data["masks"].items()}
    if any(len(mask) != frames for mask in masks.values()):
        raise BadCase("a mask has another length than its clip")
    all_there(names, masks, "a clip")
    return frames, masks


def frame_of(values: Any, names: Iterable[str]) -> dict[str, list[bool]]:
    """The values of one frame."""
    if not isinstance(values, dict):
        raise BadCase(f"the values of a frame are an object, not {shown(values)}")
    all_there(names, values, "a frame")
    for name, value in values.items():
        if value not in (0, 1) or isinstance(value, float):
            raise BadCase(f"{shown(name)} is {shown(value)}, which is neither true, false, 1 nor 0")
    return {name: [bool(value)] for name, value in values.items()}


def all_there(names: Iterable[str], present: Iterable[str], where: str) -> None:
    """BadCase names the atoms that are not given."""
    if missing := sorted(set(names) - set(present)):
        raise BadCase(f"{where} lacks the {'atoms' if len(missing) > 1 else 'atom'} {', '.join(map(shown, missing))}")


def arrivals(case: Mapping[str, Any]) -> list[int]:
    """How many frames of a stream's trace arrive together: its chunks (rule 12.11), or one at a time."""
    frames = case["trace"]["frames"]
    if "chunks" not in case:
        return [1] * frames
    chunks = case["chunks"]
    if any(not isinstance(n, int) or isinstance(n, bool) or n < 1 for n in chunks) or sum(chunks) != frames:
        raise BadCase(f"the chunks {shown(chunks)} do not cut {frames} frames")
    return list(chunks)


def pushes(case: Mapping[str, Any]) -> list[tuple[int, dict[str, str]]]:
    """The frames of a stream's trace as they arrive, the masks as digits."""
    sizes = arrivals(case)
    ends = list(accumulate(sizes))
    masks = case["trace"]["masks"]
    return [
        (size, {name: mask[end - size : end] for name, mask in masks.items()})
        for size, end in zip(sizes, ends, strict=True)
    ]


# What answers a case: the definitions, or the fast path of the package. Both must give every vector's answer.

Event = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class CaseClip:
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

    entry: ClipCounts
    violated: list[FrameRun]


@dataclass(frozen=True, slots=True)
class CaseEngine:
    """One way to answer."""

    name: str
    verdicts: Callable[[Formula, Sequence[CaseClip]], list[list[bool]]]
    project: Callable[[Fraction, Fraction, Projection, Sequence[Event]], Projected]
    edges: Callable[[Sequence[bool]], tuple[list[FrameRun], list[bool], list[bool]]]
    join: Callable[[Sequence[bool], Fraction, Fraction], list[FrameRun]]
    match: Callable[[Sequence[FrameRun], Sequence[FrameRun], Matcher, Fraction], list[tuple[int, int]]]
    events: Callable[[Contract, EventScene], EventsFound]
    aggregate: Callable[[Sequence[Sequence[ClipCounts]], Aggregation], Scored]
    stream: Callable[[Clauses], Stream]
    lines: Callable[[str, int], StreamLines]
    candidates: Callable[..., Sequence[tuple[int, int, Fraction]]] = definitions.candidates
    measure: Callable[[Formula], tuple[int, int]] = field(
        default=lambda formula: (lookback(formula), lookahead(formula))
    )
    components: Callable[..., Iterable[Any]] = definitions.closed_components
    profiles: Sequence[str] | None = None
    """The conformance profiles that it answers; all if none are named."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """What it does not answer although it belongs to one of them, with the reason."""


# The definitions


_NAIVE = 48
"""A trace of more frames is judged by its runs, and so is one with wider windows: the loops go over both."""


def _verdicts(formula: Formula, clips: Sequence[CaseClip]) -> list[list[bool]]:
    return [_truth(formula, clip.frames, clip.masks) for clip in clips]


def _truth(formula: Formula, frames: int, masks: Masks) -> list[bool]:
    # Both are definitions: the naive loops are the rule itself, and those over runs are tied to them by test.
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


def _events(contract: Contract, layout: EventScene) -> EventsFound:
    """The only clause of a contract, by chapters 4, 5, 8 and 9."""

    def joined(runs: Sequence[FrameRun]) -> list[FrameRun]:
        mask = [any(start <= i < end for start, end in runs) for i in range(layout.frames)]
        return definitions.joined(mask, contract.merge_gap, contract.step)

    refs, preds, others = joined(layout.ref), joined(layout.pred), [joined(runs) for runs in layout.others]
    ignored = frozenset(i for start, end in layout.ignored for i in range(start, end))
    scene = DefinedScene(refs, preds, others, ignored, contract.step)
    pairs = definitions.match(refs, preds, contract.matcher, contract.step)
    judged = judge(contract.event_clauses[0], scene, pairs)
    entry = ClipCounts(sum(one.holds for one in judged), len(judged), has_runs(scene))
    return EventsFound(entry, [one.interval for one in judged if not one.holds])


REFERENCE = CaseEngine(
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


def _fast_verdicts(formula: Formula, clips: Sequence[CaseClip]) -> list[list[bool]]:
    # All clips in one long bitset, as in scoring: windows that leak from a clip into the next would be seen here.
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


def _fast_events(contract: Contract, layout: EventScene) -> EventsFound:
    # The class that is asked about is the first; the references of the others are there for `dominant` (rule 4.10).
    refs = {k: tuple(runs) for k, runs in enumerate([layout.ref, *layout.others]) if runs}
    family = Family(
        contract.step,
        Mode.CLASS_INDEXED,
        ("clip",),
        (layout.frames,),
        tuple(f"class{k}" for k in range(1 + len(layout.others))),
        {Side.REF: refs, Side.PRED: {0: tuple(layout.pred)} if layout.pred else {}},
        {0: tuple(layout.ignored)} if layout.ignored else {},
        {},
    )
    found = evaluate_events(contract, family)
    (clause,) = found.clauses
    entry = ClipCounts(int(clause.satisfied[0]), int(clause.obligated[0]), bool(found.counter_evidence[0]))
    return EventsFound(entry, [v.interval for v in clause.violations if v.segment == 0])


def _fast_aggregate(entries: Sequence[Sequence[ClipCounts]], aggregation: Aggregation) -> Scored:
    satisfied, obligated = (
        np.array([[getattr(entry, part) for entry in row] for row in entries]) for part in ("satisfied", "obligated")
    )
    runs = np.array([[entry.runs for entry in row] for row in entries])
    found = aggregate(ClauseCounts(satisfied, obligated, runs & (obligated == 0)), aggregation)
    return found.value, found.vacuous


def _fast_lines(text: str, channels: int) -> StreamLines:
    found = StreamLines()
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


FAST = CaseEngine(
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
