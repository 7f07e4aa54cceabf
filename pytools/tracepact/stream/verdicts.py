"""What a stream's monitor says: the verdicts that an arrival let out, and the witnesses among them (chapter 12)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracepact.core import EventClause, Formula, FrameClause
from tracepact.diagnostics import Span
from tracepact.events import EventWitness
from tracepact.scoring.witness import blame
from tracepact.stream.lanes import Lanes
from tracepact.stream.window import Part, Step
from tracepact.trace import Run


@dataclass(frozen=True, slots=True)
class FrameWitness:
    """A violated frame: the part that failed, and the frame whose arrival let the verdict out."""

    clause: FrameClause
    channel: int
    frame: int
    span: Span
    out: int

    @property
    def delay(self) -> int:
        """Frames from the violation to its verdict."""
        return self.out - self.frame


@dataclass(frozen=True, slots=True)
class EventVerdict:
    """The verdict of an obligated interval (of a pair, the reference run), and the frame that let it out."""

    clause: EventClause
    channel: int
    interval: Run
    partner: Run | None
    out: int
    witness: EventWitness | None

    @property
    def satisfied(self) -> bool:
        """Whether the predicate is true."""
        return self.witness is None

    @property
    def delay(self) -> int:
        """Frames from the last frame of the interval to its verdict."""
        return self.out - self.interval[1] + 1


class ClauseStream(NamedTuple):
    """A frame clause in a stream: where its masks are in a step, from its obligation and formula on, and its delay."""

    clause: FrameClause
    formulas: tuple[Formula, ...]
    at: int
    delay: int
    lanes: Lanes


class FrameVerdicts:
    """The verdicts of one clause for the frames `start` to `start + frames`, made readable when asked for."""

    def __init__(self, source: ClauseStream, step: Step, part: Part) -> None:
        self.clause, self._formulas, at, self.delay, self._lanes = source
        self.start, self.frames = step.first + part.begin, part.frames
        self._skip, self._within, self._last = part.skip, part.within, step.last
        self._masks = step.masks[at : at + len(source.formulas)]

    def out(self, frame: int) -> int:
        """The frame whose arrival let the verdict of a frame out; the last one, if it came when the stream ended."""
        return min(frame + self.delay, self._last)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which verdicts these are, frames × channels: all, unless some streams have ended and others have not."""
        return self._frames(self._within)

    @property
    def obligated(self) -> NDArray[np.bool_]:
        """Where there is an obligation, frames × channels."""
        return self._frames(self._masks[0])

    @property
    def holds(self) -> NDArray[np.bool_]:
        """Where the formula holds, frames × channels."""
        return self._frames(self._masks[1])

    @property
    def witnesses(self) -> list[FrameWitness]:
        """Every violated obligation, by frame and channel."""
        violated = self._masks[0] & self._within & ~self._masks[1]
        if not violated:
            return []
        known = dict(zip(self._formulas, self._masks, strict=True))
        parts = blame(self.clause.body, violated, lambda formulas: [known[formula] for formula in formulas])
        found = [witness for span, mask in parts for witness in self._witnesses(span, mask)]
        return sorted(found, key=lambda witness: (witness.frame, witness.channel))

    def _witnesses(self, span: Span, mask: int) -> Iterator[FrameWitness]:
        for frame, channel in self._lanes.positions(mask >> self._skip):
            at = self.start + frame
            yield FrameWitness(self.clause, channel, at, span, self.out(at))

    def _frames(self, mask: int) -> NDArray[np.bool_]:
        return self._lanes.frames((mask & self._within) >> self._skip, self.frames)


Witness = FrameWitness | EventVerdict


class Arrival:
    """What came out when some frames arrived, or when a stream ended: nothing of it is ever changed (rule 12.4)."""

    __slots__ = ("_sources", "_step", "frames", "judged")

    def __init__(
        self, frames: int, sources: Sequence[ClauseStream], step: Step, judged: tuple[EventVerdict, ...] = ()
    ) -> None:
        self.frames = frames
        self.judged = judged
        self._sources = sources
        self._step = step

    def __repr__(self) -> str:
        due = ", ".join(f"{v.clause.name} {v.start} to {v.start + v.frames - 1}" for v in self.verdicts)
        return f"<Arrival after {self.frames} frames: {due or 'no frame verdict'}; {len(self.judged)} intervals judged>"

    @property
    def verdicts(self) -> tuple[FrameVerdicts, ...]:
        """The verdicts of the frame clauses that were due, clause by clause."""
        parts = zip(self._sources, self._step.parts, strict=True)
        return tuple(FrameVerdicts(source, self._step, part) for source, part in parts if part.frames)

    @property
    def witnesses(self) -> list[Witness]:
        """Every violated obligation, in the order in which it was determined."""
        masks, found = self._step.masks, list[Witness]()
        for source, part in zip(self._sources, self._step.parts, strict=True):
            if masks[source.at] & part.within & ~masks[source.at + 1]:
                found += FrameVerdicts(source, self._step, part).witnesses
        found += [verdict for verdict in self.judged if not verdict.satisfied]
        return sorted(found, key=lambda witness: witness.out)
