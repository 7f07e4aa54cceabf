"""The event clauses of many streams: only a stream with an edge, or with something to settle, is looked at."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Contract
from tracepact.scoring import ClauseCounts
from tracepact.stream import rows
from tracepact.stream.events import EventStream
from tracepact.stream.frames import IGNORED
from tracepact.stream.saved import MOST_FRAMES
from tracepact.stream.verdicts import EventVerdict
from tracepact.trace.layout import Indices, Words

_SIDES = ("ref_active", "pred_active", IGNORED)


class BankEvents:
    """An event stream of each stream of a bank, in its order, and when each has something to settle."""

    def __init__(self, contract: Contract, classes: int) -> None:
        self._contract, self._classes = contract, classes
        self.streams: list[EventStream] = []
        self._due: Indices = np.zeros(0, dtype=np.int64)
        self._active = np.zeros((len(_SIDES), classes, 0), dtype=np.uint64)

    def add(self, streams: Sequence[EventStream]) -> None:
        """More streams, in their order."""
        self.streams += streams
        self._due = np.concatenate((self._due, [_next_due(stream) for stream in streams]))
        active = [
            [[stream.active[side] >> label & 1 for stream in streams] for label in range(self._classes)]
            for side in range(len(_SIDES))
        ]
        self._active = np.concatenate((self._active, np.array(active, dtype=np.uint64)), axis=2)

    def new(self) -> EventStream:
        """The event stream of a stream that begins."""
        return EventStream(self._contract, 1, self._classes)

    def remove(self, kept: NDArray[np.bool_]) -> None:
        """Keep some streams only."""
        self.streams = [stream for stream, keep in zip(self.streams, kept.tolist(), strict=True) if keep]
        self._due, self._active = self._due[kept], self._active[:, :, kept]

    def push(
        self, picked: Indices, before: Indices, lengths: Indices, chunk: Mapping[str, Words]
    ) -> dict[int, tuple[EventVerdict, ...]]:
        """Chunks of some streams arrive; the verdicts, by the number of the stream among those picked."""
        sides = [chunk[name] for name in _SIDES if name in chunk]
        needed = self._due[picked] <= before + lengths
        for number, side in enumerate(sides):
            needed |= self._edges(number, picked, side, lengths)
        found = {}
        some = np.flatnonzero(needed).tolist()
        for i, masks in zip(some, self._masks(sides, some, len(picked)), strict=True):
            stream = self.streams[picked[i]]
            judged = stream.push(int(before[i]), int(lengths[i]), masks)
            self._due[picked[i]] = _next_due(stream)
            if judged:
                found[i] = tuple(judged)
        return found

    def _masks(self, sides: Sequence[Words], some: Sequence[int], streams: int) -> Iterator[Sequence[int]]:
        """The masks of the three sides for some streams."""
        silent = [[0] * len(some)] * (len(_SIDES) - len(sides))
        if self._classes == 1 and len(sides[0]) == 1:
            yield from zip(*(side[0, some].tolist() for side in sides), *silent, strict=True)
            return
        for i in some:
            yield [*(rows.interleaved(side[:, i::streams]) for side in sides), *(0 for _ in silent)]

    def close(self, numbers: Sequence[int], now: Indices) -> dict[int, tuple[EventVerdict, ...]]:
        """Some streams end."""
        channels = range(self._classes)
        found = {i: self.streams[n].end(int(now[i]), channels) for i, n in enumerate(numbers)}
        return {i: tuple(judged) for i, judged in found.items() if judged}

    def counts(self, clause: str, numbers: Sequence[int]) -> ClauseCounts:
        """The counts of an event clause for some streams."""
        streams = [self.streams[number] for number in numbers]
        shape = self._classes, len(streams)
        judges = [next(judge for judge in s.judges if judge.clause.name == clause) for s in streams]
        satisfied = np.array([judge.satisfied for judge in judges], dtype=np.int64).T.reshape(shape)
        obligated = np.array([judge.obligated for judge in judges], dtype=np.int64).T.reshape(shape)
        counter = np.array([stream.counter for stream in streams], dtype=np.bool_).T.reshape(shape)
        return ClauseCounts(satisfied, obligated, counter & (obligated == 0))

    def _edges(self, side: int, picked: Indices, chunk: Words, lengths: Indices) -> NDArray[np.bool_]:
        """Which of the streams have an edge on a side; their activity at the end is kept."""
        every = np.tile(lengths, self._classes)
        last = self._active[side][:, picked].reshape(1, -1)
        moved = rows.later(chunk, 1)
        moved[0] |= last[0]
        within = rows.between(len(chunk), np.zeros_like(every), every)
        changed = ((chunk ^ moved) & within) != 0
        end = rows.earlier_by(chunk, np.maximum(every - 1, 0))[0] & np.uint64(1)
        self._active[side][:, picked] = np.where(every > 0, end, last[0]).reshape(self._classes, -1)
        by_stream: NDArray[np.bool_] = changed.reshape(-1, len(picked)).any(axis=0)
        return by_stream


def _next_due(stream: EventStream) -> int:
    return min(stream.next_check, MOST_FRAMES + 1)
