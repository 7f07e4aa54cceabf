"""The runs of a stream as they grow: joined (rule 5.8), open, ended or final, kept while an interval may need them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tracepact.events.attributes import Block
from tracepact.trace import FrameRun


@dataclass(slots=True)
class StreamRun:
    """A run that has started; `end` is None while it is active, `judged` once its verdict is out.

    Several judged runs may be kept as one with their `block`.
    """

    start: int
    end: int | None = None
    judged: bool = False
    block: Block | None = None

    def until(self, now: int) -> FrameRun:
        """As far as it goes after `now` frames."""
        return self.start, now if self.end is None else self.end

    def cover(self, now: int) -> FrameRun:
        """What attributes see of it after `now` frames."""
        return self.block or self.until(now)


class StreamRuns:
    """The runs of one side of one channel, oldest first; a gap of at most `widest` frames joins two."""

    def __init__(self, widest: int, runs: Iterable[StreamRun] = ()) -> None:
        self.widest = widest
        self.runs = list(runs)
        self.pending = [run for run in self.runs if not run.judged]

    def starts(self, frame: int) -> bool:
        """Activity begins: a new run, or the last one goes on, which is told."""
        last = self.runs[-1] if self.runs else None
        if last is not None and last.end is not None and not last.judged and frame - last.end <= self.widest:
            last.end = None
            return True
        self.runs.append(StreamRun(frame))
        self.pending.append(self.runs[-1])
        return False

    def ends(self, frame: int) -> None:
        """Activity has just ended."""
        self.runs[-1].end = frame

    def is_final(self, run: StreamRun, now: int) -> bool:
        """Whether nothing can be added to a run any more after `now` frames."""
        return run.end is not None and now - run.end > self.widest

    def touching(self, start: int, end: int, now: int) -> tuple[FrameRun, ...]:
        """The runs that share a frame with an interval, as far as they go after `now` frames."""
        first = bisect_right(self.runs, start, key=lambda run: now + 1 if run.end is None else run.end)
        return tuple(run.cover(now) for run in self.runs[first : bisect_left(self.runs, end, key=_start)])

    def forget(self, frame: int) -> None:
        """Let go of the judged runs that end at or before a frame."""
        self.pending = [run for run in self.pending if not run.judged]
        lost = 0
        for run in self.runs:
            if not run.judged or run.end is None or run.end > frame:
                break
            lost += 1
        del self.runs[:lost]

    def condense(self, waiting: Sequence[FrameRun]) -> None:
        """Make one of neighbours that are judged, where no interval that waits for its verdict tells them apart.

        Such an interval holds both or touches neither. So does every later one: it starts after them, or it is an
        interval that goes on and then holds all that comes after its start. What is kept is thus bounded by what waits.
        """
        kept: list[StreamRun] = []
        for run in self.runs:
            last = kept[-1] if kept else None
            if last is None or not _alike(last, run, waiting):
                kept.append(run)
                continue
            block = Block.joining(last.cover(0), run.cover(0))
            kept[-1] = StreamRun(*block, judged=True, block=block)
        self.runs = kept


def _alike(a: StreamRun, b: StreamRun, waiting: Sequence[FrameRun]) -> bool:
    """Whether two judged runs, one after the other, lie both inside each interval or both outside, with their gap."""
    if not (a.judged and b.judged) or b.end is None:
        return False
    start, end = a.start, b.end
    return all(end <= s or e <= start or (s <= start and end <= e) for s, e in waiting)


def _start(run: StreamRun) -> int:
    return run.start
