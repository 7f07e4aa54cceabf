"""What a stream's monitor says: the verdicts that an arrival let out, and the violations among them (chapter 12)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracepact.core import EventClause, Formula, FrameClause
from tracepact.deprecation import renamed
from tracepact.diagnostics import Span
from tracepact.events import EventViolation
from tracepact.scoring.violation import blame
from tracepact.stream.lanes import Lanes
from tracepact.stream.window import Part, Step
from tracepact.trace import FrameRun


@dataclass(frozen=True, slots=True)
class FrameViolation:
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
    interval: FrameRun
    partner: FrameRun | None
    out: int
    violation: EventViolation | None

    witness = renamed("witness", "violation")

    @property
    def satisfied(self) -> bool:
        """Whether the predicate is true."""
        return self.violation is None

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
    def violations(self) -> list[FrameViolation]:
        """Every violated obligation, by frame and channel."""
        violated = self._masks[0] & self._within & ~self._masks[1]
        if not violated:
            return []
        known = dict(zip(self._formulas, self._masks, strict=True))
        parts = blame(self.clause.body, violated, lambda formulas: [known[formula] for formula in formulas])
        found = [violation for span, mask in parts for violation in self._violations(span, mask)]
        return sorted(found, key=lambda violation: (violation.frame, violation.channel))

    witnesses = renamed("witnesses", "violations")

    def _violations(self, span: Span, mask: int) -> Iterator[FrameViolation]:
        for frame, channel in self._lanes.positions(mask >> self._skip):
            at = self.start + frame
            yield FrameViolation(self.clause, channel, at, span, self.out(at))

    def _frames(self, mask: int) -> NDArray[np.bool_]:
        return self._lanes.frames((mask & self._within) >> self._skip, self.frames)


Violation = FrameViolation | EventVerdict


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
    def violations(self) -> list[Violation]:
        """Every violated obligation, in the order in which it was determined."""
        masks, found = self._step.masks, list[Violation]()
        for source, part in zip(self._sources, self._step.parts, strict=True):
            if masks[source.at] & part.within & ~masks[source.at + 1]:
                found += FrameVerdicts(source, self._step, part).violations
        found += [verdict for verdict in self.judged if not verdict.satisfied]
        return sorted(found, key=lambda violation: violation.out)

    witnesses = renamed("witnesses", "violations")


class FrameArrival(Arrival):
    """What came out when one frame of one stream arrived; its masks are made when they are asked for."""

    __slots__ = ("_look", "_masks", "_violated")

    def __init__(
        self,
        frames: int,
        sources: Sequence[ClauseStream],
        look: Callable[[int, Sequence[int]], Step],
        taken: tuple[int, tuple[int, ...]],
        judged: tuple[EventVerdict, ...],
    ) -> None:
        self.frames = frames
        self.judged = judged
        self._sources = sources
        self._look = look
        self._violated, self._masks = taken

    @property
    def _step(self) -> Step:  # type: ignore[override]  # what the others are given is worked out here
        return self._look(self.frames - 1, self._masks)

    @property
    def violations(self) -> list[Violation]:
        """Every violated obligation, in the order in which it was determined."""
        return super().violations if self._violated or self.judged else []
