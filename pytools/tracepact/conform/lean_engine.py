"""The compiled proof core as an engine of cases: what is proven answers, the package reads and writes."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import NoReturn

from tracepact.conform.definitions import ClipCounts, Scored, StreamLines
from tracepact.conform.engines import (
    CaseClip,
    CaseEngine,
    Clauses,
    Event,
    EventScene,
    EventsFound,
    Masks,
    Out,
    Projected,
    clause_word,
    delays_of,
    names_of,
)
from tracepact.conform.protocol import Unsupported
from tracepact.data.events import common_unit
from tracepact.language.contract import Aggregation, Contract, Matcher, MatcherKind, Projection
from tracepact.language.formula import And, Formula, FrameRun, Not, atoms
from tracepact.language.predicate import Each
from tracepact.prove.requests import HeldFrames, LeanCore


@cache
def core() -> LeanCore:
    """The one process of this program that answers; ProgramFault if the core is not compiled."""
    return LeanCore.start()


def mask_number(frames: Sequence[bool]) -> int:
    """A mask as a number, frame 0 the lowest bit."""
    return int("".join("1" if active else "0" for active in reversed(frames)) or "0", 2)


def mask_frames(mask: int, frames: int) -> list[bool]:
    """The frames of a mask."""
    return [digit == "1" for digit in f"{mask:0{frames}b}"[::-1]] if frames else []


def painted(runs: Sequence[FrameRun]) -> int:
    """The mask of some runs."""
    mask = 0
    for start, end in runs:
        mask |= ((1 << (end - start)) - 1) << start
    return mask


def _verdicts(formula: Formula, clips: Sequence[CaseClip]) -> list[list[bool]]:
    names = atoms(formula)
    laid = [(clip.frames, {name: mask_number(clip.masks[name]) for name in names}) for clip in clips]
    found = core().verdicts([formula], *laid[0]) if len(laid) == 1 else core().family(formula, laid)
    return [mask_frames(mask, clip.frames) for mask, clip in zip(found, clips, strict=True)]


def _project(step: Fraction, duration: Fraction, projection: Projection, events: Sequence[Event]) -> Projected:
    unit = common_unit((step, duration), [time for event in events for time in event])
    # What lies before the clip covers the frames that it would cover from 0 on: no frame is earlier.
    times = [(max(int(on * unit), 0), max(int(off * unit), 0)) for on, off in events]
    frames, found, vanished = core().project(projection, int(step * unit), max(int(duration * unit), 0), times)
    return Projected(frames, mask_frames(painted(found), frames), vanished)


def _edges(mask: Sequence[bool]) -> tuple[list[FrameRun], list[bool], list[bool]]:
    found, _, starts, ends = core().runs(len(mask), mask_number(mask), 1, 0)
    return found, mask_frames(starts, len(mask)), mask_frames(ends, len(mask))


def _join(mask: Sequence[bool], merge_gap: Fraction, step: Fraction) -> list[FrameRun]:
    unit = common_unit((merge_gap, step))
    return core().runs(len(mask), mask_number(mask), int(step * unit), int(merge_gap * unit))[1]


def _listed(
    ref: Sequence[FrameRun], pred: Sequence[FrameRun], matcher: Matcher, step: Fraction
) -> tuple[list[tuple[int, int, Fraction]], list[tuple[int, int]]]:
    """The candidates with their costs in seconds, and the greedy matching."""
    if any(at < 0 for run in (*ref, *pred) for at in run):
        raise Unsupported("the core has no frames before the first")
    unit = common_unit((step, matcher.search))
    width = int(step * unit)
    sides = [[(start * width, end * width) for start, end in side] for side in (ref, pred)]
    listed, kept = core().match(matcher, unit, *sides)
    scale = unit * matcher.overlap_reward.denominator
    costs = [(c.ref, c.pred, Fraction(c.cost, scale)) for c in listed]
    return costs, sorted((c.ref, c.pred) for c in kept)


def _candidates(
    ref: Sequence[FrameRun], pred: Sequence[FrameRun], matcher: Matcher, step: Fraction
) -> list[tuple[int, int, Fraction]]:
    return _listed(ref, pred, matcher, step)[0]


def _match(
    ref: Sequence[FrameRun], pred: Sequence[FrameRun], matcher: Matcher, step: Fraction
) -> list[tuple[int, int]]:
    _greedy(matcher)
    return _listed(ref, pred, matcher, step)[1]


def _greedy(matcher: Matcher) -> None:
    if matcher.kind is not MatcherKind.GREEDY:
        raise Unsupported("the core checks optimal matchings and does not find them")


def _events(contract: Contract, scene: EventScene) -> EventsFound:
    _greedy(contract.matcher)
    if scene.ignored:
        raise Unsupported("the core has no ignored frames for event clauses")
    (clause,) = contract.event_clauses
    unit = common_unit((contract.step, contract.merge_gap, contract.matcher.search))
    inside = (1 << scene.frames) - 1
    masks = [painted(runs) & inside for runs in (scene.ref, scene.pred, *scene.others)]
    judged = core().events(contract, unit, scene.frames, masks)
    width = int(contract.step * unit)

    def frames(run: FrameRun) -> FrameRun:
        return run[0] // width, run[1] // width

    # The core lists matched pairs as it kept them; answers list obligations in order.
    violated = sorted(frames(pred if clause.each is Each.PRED else ref) for ref, pred, holds in judged if not holds)
    entry = ClipCounts(sum(holds for _, _, holds in judged), len(judged), bool(masks[0] | masks[1]))
    return EventsFound(entry, violated)


class LeanStream:
    """A stream whose state is what the proven program holds; it is sent to the program with every chunk."""

    def __init__(self, clauses: Clauses) -> None:
        self._names = {name: number for number, name in enumerate(names_of(clauses))}
        # Both have the reach of the clause, and so hold the same frames. What neither says is free.
        self._formulas = [(And(obligation, formula), And(obligation, Not(formula))) for obligation, formula in clauses]
        assert [delays_of([(x, y)])[0] for x, y in self._formulas] == delays_of(clauses)
        self._held = [(HeldFrames(), HeldFrames()) for _ in clauses]
        self.counts = [[0, 0] for _ in clauses]

    def push(self, frames: int, masks: Masks) -> Out:
        """Take a frame or a chunk; the verdicts that are out now."""
        numbers = [mask_number(masks[name]) for name in self._names]

        def step(formula: Formula, held: HeldFrames) -> tuple[HeldFrames, list[tuple[int, bool]]]:
            return core().chunk(formula, self._names, held, frames, numbers)

        return self._out(step)

    def close(self) -> Out:
        """The verdicts of the frames that are left."""
        return self._out(lambda formula, held: (held, core().rest(formula, self._names, held)))

    def interrupted(self) -> "LeanStream":
        """The same stream: all of its state is numbers."""
        return self

    def _out(self, step: Callable[[Formula, HeldFrames], tuple[HeldFrames, list[tuple[int, bool]]]]) -> Out:
        out: Out = []
        for k, (formulas, states) in enumerate(zip(self._formulas, self._held, strict=True)):
            (good, holds), (bad, fails) = (step(f, held) for f, held in zip(formulas, states, strict=True))
            self._held[k] = (good, bad)
            for (frame, satisfied), (_, violated) in zip(holds, fails, strict=True):
                out.append([frame, k, clause_word(satisfied or violated, satisfied)])
                self.counts[k] = [self.counts[k][0] + satisfied, self.counts[k][1] + (satisfied or violated)]
        return sorted(out)


def _measure(formula: Formula) -> tuple[int, int]:
    return core().reach(formula, atoms(formula))


def _aggregate(entries: Sequence[Sequence[ClipCounts]], aggregation: Aggregation) -> Scored:
    raise Unsupported(_LEFT_OUT["aggregate"])


def _lines(text: str, channels: int) -> StreamLines:
    raise Unsupported(_LEFT_OUT["lines"])


def _components(*_: object) -> NoReturn:
    raise Unsupported(_LEFT_OUT["components"])


_LEFT_OUT: Mapping[str, str] = {
    "aggregate": "the core has no mean over the clips that are asked something",
    "components": "event clauses in a stream are not in the core",
    "contract": "the core reads no text",
    "formula": "the core reads no text",
    "lines": "the core reads no text",
    "score": "the core reads no text",
}
LEAN = CaseEngine(
    "lean",
    _verdicts,
    _project,
    _edges,
    _join,
    _match,
    _events,
    _aggregate,
    LeanStream,
    _lines,
    _candidates,
    _measure,
    _components,
    profiles=("core", "past", "events", "streaming", "chunks"),
    left_out=_LEFT_OUT,
)
