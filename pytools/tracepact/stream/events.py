"""Event clauses online: runs as they grow, and intervals judged when their candidates have closed (rule 12.6)."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from tracepact.evaluate.event_clauses import EventClauseEvaluation, EventViolation
from tracepact.evaluate.masks import is_ignored, matching, obligations, overlaps
from tracepact.evaluate.predicates import ClipScene, Obligation, RunBlock, prepare, truth
from tracepact.language.contract import Contract, EventClause
from tracepact.language.formula import FrameRun
from tracepact.language.predicate import Each
from tracepact.stream.verdicts import EventVerdict, positions

# The runs of a stream as they grow: joined (rule 5.8), open, ended or final, kept while an interval may need them.


@dataclass(slots=True)
class StreamRun:
    """A run that has started; `end` is None while it is active, `judged` once its verdict is out.

    Several judged runs may be kept as one with their `block`.
    """

    start: int
    end: int | None = None
    judged: bool = False
    block: RunBlock | None = None

    def until(self, now: int) -> FrameRun:
        """As far as it goes after `now` frames."""
        return self.start, now if self.end is None else self.end

    def cover(self, now: int) -> FrameRun:
        """The run as attributes see it after `now` frames."""
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
        # Runs are in order of time and apart, so their ends ascend too, the open one last.
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
            block = RunBlock.joining(last.cover(0), run.cover(0))
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


# Event clauses online: an interval is judged when its component of match candidates has closed (rule 12.6).

REF, PRED, IGNORED = range(3)
_NEVER = 1 << 62


class EventStream:
    """The runs of every channel and the verdicts of the event clauses; channel `class · streams + stream`."""

    def __init__(self, contract: Contract, streams: int, classes: int) -> None:
        self._contract = contract
        self._channels = streams * classes
        self._streams = streams
        widest = int(contract.merge_gap // contract.step)
        self._search = int(contract.matcher.search // contract.step)
        self._match = matching(contract.matcher, contract.step)
        self.judges = [_Judge(clause, contract, self._channels) for clause in contract.event_clauses]
        self._compares_classes = any(clause.compares_classes for clause in contract.event_clauses)
        self.sides = [[StreamRuns(gap) for gap in (widest, widest, 0)] for _ in range(self._channels)]
        self.active = [0, 0, 0]
        self.counter = np.zeros(self._channels, dtype=np.bool_)
        self._checks: list[tuple[int, int]] = []

    def push(self, before: int, frames: int, chunk: Sequence[int]) -> list[EventVerdict]:
        """Frames arrive: the activity of the reference, the prediction and the ignored frames, one mask each."""
        judged: list[EventVerdict] = []
        for frame, side, channel, starts in self._edges(before, frames, chunk):
            self._check(frame, judged)
            runs = self.sides[channel][side]
            if starts:
                if runs.starts(frame):
                    heappush(self._checks, (frame + 1, channel))
            else:
                runs.ends(frame)
                self._plan(frame, runs, channel)
        self._check(before + frames, judged)
        return judged

    def _plan(self, frame: int, runs: StreamRuns, channel: int) -> None:
        """When a run that ended may settle something: when it is final, and when no open run can end near it."""
        for due in {frame + runs.widest + 1, frame + self._search + 1}:
            heappush(self._checks, (due, channel))

    def end(self, now: int, channels: Sequence[int]) -> list[EventVerdict]:
        """Some channels end after `now` frames: what is open ends there, and everything is judged."""
        judged: list[EventVerdict] = []
        for channel in channels:
            for side in self.sides[channel]:
                if side.runs and side.runs[-1].end is None:
                    side.ends(now)
        for channel in channels:
            self._settle(channel, now, judged, ended=True)
        lost = sum(1 << channel for channel in channels)
        self.active = [active & ~lost for active in self.active]
        return judged

    def stirs(self, now: int, ref: bool, pred: bool) -> bool:
        """Whether a frame of a single channel, without ignored frames, begins, ends or settles anything."""
        return self.active[REF] != ref or self.active[PRED] != pred or self.next_check <= now + 1

    @property
    def next_check(self) -> int:
        """After how many frames something may be settled, if nothing begins or ends before; endless if nothing is."""
        return self._checks[0][0] if self._checks else _NEVER

    @property
    def pending(self) -> int:
        """The runs of both sides that are not yet judged."""
        return sum(len(runs.pending) for sides in self.sides for runs in sides[:IGNORED])

    def restore(self, now: int) -> bool:
        """Plan again what the runs that are pending wait for; False if something should have been judged before."""
        for channel, sides in enumerate(self.sides):
            for runs in sides:
                for run in runs.runs:
                    if run.end is not None and not run.judged:
                        self._plan(run.end, runs, channel)
        self._checks = [check for check in self._checks if check[0] > now]
        self._checks.sort()
        return not any(self._components(refs, preds, now, ended=False) for refs, preds, _ in self.sides)

    def _edges(self, before: int, frames: int, chunk: Sequence[int]) -> list[tuple[int, int, int, bool]]:
        """The edges of activity, by frame: frame, side, channel, and whether it begins there."""
        edges: list[tuple[int, int, int, bool]] = []
        bits = frames * self._channels
        every = (1 << bits) - 1
        for side, mask in enumerate(chunk):
            moved = (mask << self._channels) | self.active[side]
            changed = (mask ^ moved) & every
            if changed:
                for bit in positions(changed):
                    frame, channel = divmod(bit, self._channels)
                    edges.append((before + frame, side, channel, bool(mask >> bit & 1)))
                self.active[side] = moved >> bits
        # By frame over all sides and channels: what ends before something begins elsewhere must be settled in that
        # order, however long the chunk is.
        edges.sort()
        return edges

    def _check(self, now: int, judged: list[EventVerdict]) -> None:
        """Settle what can be settled at every planned moment up to `now` frames."""
        # A heap of the moments at which something may be settled: a push with no edge costs one comparison, not a look
        # at every run.
        while self._checks and self._checks[0][0] <= now:
            due, channel = heappop(self._checks)
            self._settle(channel, due, judged)

    def _settle(self, channel: int, now: int, judged: list[EventVerdict], *, ended: bool = False) -> None:
        """Judge the intervals whose component has closed after `now` frames, and forget what nobody needs."""
        refs, preds, ignored = self.sides[channel]
        components = self._components(refs, preds, now, ended=ended)
        for some_refs, some_preds in components:
            ref_runs, pred_runs = ([run.until(now) for run in some] for some in (some_refs, some_preds))
            pairs = self._match(ref_runs, pred_runs) if ref_runs and pred_runs else ()
            members = ClipScene(tuple(ref_runs), tuple(pred_runs))
            first, last = min(r[0] for r in ref_runs + pred_runs), max(r[1] for r in ref_runs + pred_runs)
            scene = ClipScene(
                refs.touching(first, last, now),
                preds.touching(first, last, now),
                self._others(channel, first, last, now),
            )
            regions = ignored.touching(first, last, now)
            self.counter[channel] |= not all(is_ignored(run, regions) for run in ref_runs + pred_runs)
            for judge in self.judges:
                some = obligations(judge.clause.each, members, pairs, regions)
                judged += judge.judge(channel, (each._replace(scene=scene) for each in some), now - 1)
            for run in some_refs + some_preds:
                run.judged = True
        if components or ignored.runs:
            self._forget(channel, now)

    def _components(
        self, refs: StreamRuns, preds: StreamRuns, now: int, *, ended: bool
    ) -> list[tuple[list[StreamRun], list[StreamRun]]]:
        """The components of pending runs that are closed, in order of time."""
        left, right = refs.pending, preds.pending
        nodes = left + right
        final = [ended or side.is_final(run, now) for side in (refs, preds) for run in side.pending]
        if not any(final):
            return []
        # Union-find with path halving (Tarjan and van Leeuwen 1984): runs that may match are one component, and
        # matchers decide component by component, so a closed one never changes.
        group = list(range(len(nodes)))

        def root(node: int) -> int:
            while group[node] != node:
                group[node] = group[group[node]]
                node = group[node]
            return node

        left_runs, right_runs = ([run.until(now) for run in side] for side in (left, right))
        for i, k in overlaps(left_runs, right_runs):
            j = len(left) + k
            if self._may_match(left_runs[i], final[i], right_runs[k], final[j]):
                group[root(i)] = root(j)
        closed: dict[int, bool] = {}
        for node, is_final in enumerate(final):
            closed[root(node)] = closed.get(root(node), True) and is_final
        components: dict[int, tuple[list[StreamRun], list[StreamRun]]] = {}
        for node in sorted(range(len(nodes)), key=lambda node: nodes[node].start):
            if closed[root(node)]:
                components.setdefault(root(node), ([], []))[node >= len(left)].append(nodes[node])
        return list(components.values())

    def _may_match(self, ref: FrameRun, ref_final: bool, pred: FrameRun, pred_final: bool) -> bool:
        """Whether two runs that overlap are candidates, or may become so by what one of them still gains (rule 8.1)."""
        if abs(ref[0] - pred[0]) <= self._search or not (ref_final or pred_final):
            return True
        if ref_final and pred_final:
            return abs(ref[1] - pred[1]) <= self._search
        growing, final = (pred, ref) if ref_final else (ref, pred)
        return growing[1] - final[1] <= self._search

    def _others(self, channel: int, first: int, last: int, now: int) -> tuple[tuple[FrameRun, ...], ...]:
        """The references of the other classes of a channel's stream, where they may matter."""
        if not self._compares_classes:
            return ()
        others = (other for other in self._siblings(channel) if other != channel)
        return tuple(self.sides[other][REF].touching(first, last, now) for other in others)

    def _siblings(self, channel: int) -> range:
        """The channels whose runs are kept and forgotten together."""
        if self._compares_classes:
            return range(channel % self._streams, self._channels, self._streams)
        return range(channel, channel + 1)

    def _forget(self, channel: int, now: int) -> None:
        """Let go of the runs that end before everything that is pending starts."""
        siblings = self._siblings(channel)
        for runs in self.sides[channel]:
            runs.pending = [run for run in runs.pending if not run.judged]
        needed = (runs.pending[0].start for each in siblings for runs in self.sides[each][:IGNORED] if runs.pending)
        first = min(needed, default=now)
        for each in siblings:
            for runs in self.sides[each][:IGNORED]:
                runs.forget(first)
            ignored = self.sides[each][IGNORED]
            for run in ignored.runs:
                run.judged = True  # regions are never judged; they go with the runs they may cover
            ignored.forget(first)
        waiting = [run.until(now) for each in siblings for runs in self.sides[each][:IGNORED] for run in runs.pending]
        for each in siblings:
            for runs in self.sides[each]:
                if len(runs.runs) > 1:
                    runs.condense(waiting)


class _Judge:
    """One clause with its atoms prepared for the grid, and its counts by channel."""

    def __init__(self, clause: EventClause, contract: Contract, channels: int) -> None:
        self.clause = clause
        self._atoms = {name: prepare(atom, contract.step) for name, atom in clause.event_atoms}
        self._holds = truth(clause.formula, self._atoms)
        self.satisfied = np.zeros(channels, dtype=np.int64)
        self.obligated = np.zeros(channels, dtype=np.int64)

    def judge(self, channel: int, some: Iterator[Obligation], out: int) -> Iterator[EventVerdict]:
        """Count obligations and give their verdicts."""
        for obligation in some:
            holds = self._holds(obligation)
            self.obligated[channel] += 1
            self.satisfied[channel] += holds
            ref, pred = obligation.ref, obligation.pred
            interval, partner = (pred, ref) if self.clause.each is Each.PRED else (ref, pred)
            assert interval is not None
            violation = None if holds else self._violation(channel, obligation)
            yield EventVerdict(self.clause, channel, interval, partner, out, violation)

    def _violation(self, channel: int, obligation: Obligation) -> EventViolation:
        none = np.zeros(0, dtype=np.int64)
        violated = ((channel, obligation),)
        return EventClauseEvaluation(self.clause, none, none, self._atoms, lambda: violated).violations[0]
