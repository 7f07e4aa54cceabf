"""What a bank of streams says: the verdicts that an arrival let out, stream by stream or for all at once."""

import dataclasses
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tracepact.core import FrameClause
from tracepact.diagnostics import known_name
from tracepact.scoring import ClauseCounts
from tracepact.stream import rows
from tracepact.stream.bank_window import BankStep
from tracepact.stream.verdicts import Arrival, ClauseStream, EventVerdict, Violation
from tracepact.stream.window import Part, Step
from tracepact.trace.layout import Indices, Words


class BankVerdicts:
    """The verdicts of one clause, frames × channels: row i is frame `start + i` of each channel, as far as `known`."""

    def __init__(self, source: ClauseStream, step: BankStep, group: int, classes: int) -> None:
        self.clause: FrameClause = source.clause
        self.delay = source.delay
        self._step, self._at, self._classes = step, source.at, classes
        self._begin, self._end = step.due[group]

    @property
    def start(self) -> Indices:
        """The first frame of each channel that has its verdict here."""
        return self._step.before - self._step.origin + self._begin

    @property
    def frames(self) -> Indices:
        """How many verdicts each channel has here."""
        return self._end - self._begin

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which of the rows are verdicts of a channel."""
        return np.arange(int(self.frames.max(initial=0)))[:, None] < self.frames

    @property
    def obligated(self) -> NDArray[np.bool_]:
        """Where there is an obligation."""
        return self._frames(self._step.masks[self._at])

    @property
    def holds(self) -> NDArray[np.bool_]:
        """Where the formula holds."""
        return self._frames(self._step.masks[self._at + 1])

    def _frames(self, mask: Words) -> NDArray[np.bool_]:
        known = self.known
        return rows.unpacked(rows.earlier_by(mask, self._begin), len(known)) & known


class BankArrival:
    """What came out when chunks of some streams arrived, or when they closed; nothing of it is ever changed.

    Channel `class · streams + stream` is one class of one of the streams of this arrival, `streams`.
    """

    def __init__(
        self,
        streams: tuple[str, ...],
        classes: tuple[str, ...],
        sources: Sequence[ClauseStream],
        step: BankStep,
        judged: dict[int, tuple[EventVerdict, ...]],
        counts: dict[str, ClauseCounts] | None = None,
    ) -> None:
        self.streams, self.classes = streams, classes
        self._sources, self._step, self._judged, self._counts = sources, step, judged, counts

    def __repr__(self) -> str:
        judged = sum(map(len, self._judged.values()))
        return (
            f"<BankArrival of {len(self.streams)} streams: {self.verdicts_out:,} verdicts, {judged} intervals judged>"
        )

    @property
    def frames(self) -> dict[str, int]:
        """After how many frames each of the streams is."""
        return dict(zip(self.streams, self._step.after[: len(self.streams)].tolist(), strict=True))

    @property
    def verdicts_out(self) -> int:
        """How many verdicts of frame clauses came out."""
        return sum(int((end - begin).sum()) for begin, end in self._step.due)

    @property
    def verdicts(self) -> tuple[BankVerdicts, ...]:
        """The verdicts of the frame clauses that were due, clause by clause, for all streams at once."""
        made = (BankVerdicts(s, self._step, i, len(self.classes)) for i, s in enumerate(self._sources))
        return tuple(verdicts for verdicts in made if verdicts.frames.any())

    @property
    def judged(self) -> list[EventVerdict]:
        """The verdicts of the event clauses, stream by stream."""
        return [
            dataclasses.replace(verdict, channel=verdict.channel * len(self.streams) + stream)
            for stream, some in sorted(self._judged.items())
            for verdict in some
        ]

    @property
    def violations(self) -> list[Violation]:
        """Every violated obligation, stream by stream, and of a stream in the order in which it was determined."""
        return [
            dataclasses.replace(violation, channel=violation.channel * len(self.streams) + stream)
            for stream in self._violating
            for violation in self._single(stream).violations
        ]

    def place(self, channel: int) -> tuple[str, str]:
        """Where a channel belongs.

        Args:
            channel: the number of the channel, as the verdicts of this arrival give it.

        Returns:
            The names of its stream and of its class.
        """
        label, stream = divmod(channel, len(self.streams))
        return self.streams[stream], self.classes[label]

    def of(self, stream: str) -> Arrival:
        """What came out for one stream, as a monitor of this stream alone would say it.

        Args:
            stream: the name of one of the streams of this arrival.

        Returns:
            Its verdicts and violations.

        Raises:
            ValueError: the arrival has no such stream.
        """
        if stream not in self.streams:
            raise ValueError(f"there is no stream `{stream}` in this arrival")
        return self._single(self.streams.index(stream))

    def counts(self, clause: str) -> ClauseCounts:
        """The counts of a clause for the streams that closed here, to the end: the bank no longer has them.

        Args:
            clause: the name of the clause.

        Returns:
            The counts by class and stream, in the order of `streams`.

        Raises:
            InvalidInput: the contract has no such clause.
            ValueError: the streams go on; ask the bank.
        """
        if self._counts is None:
            raise ValueError("the streams of this arrival go on; the bank has their counts")
        known_name(clause, list(self._counts), "clause", "unknown-clause")
        return self._counts[clause]

    @cached_property
    def _violating(self) -> list[int]:
        """The streams with a violation."""
        found = np.zeros(len(self.streams), dtype=np.bool_)
        for group, source in enumerate(self._sources):
            obliged, holds = self._step.masks[source.at], self._step.masks[source.at + 1]
            violated = (obliged & self._step.within(group) & ~holds).any(axis=0)
            found |= violated.reshape(len(self.classes), -1).any(axis=0)
        found[[i for i, some in self._judged.items() if not all(v.satisfied for v in some)]] = True
        return np.flatnonzero(found).tolist()

    def _single(self, stream: int) -> Arrival:
        step, classes = self._step, len(self.classes)
        masks = tuple(rows.interleaved(mask[:, stream :: len(self.streams)]) for mask in step.masks)
        parts = []
        for begin, end in step.due:
            first, frames = int(begin[stream]), int(end[stream] - begin[stream])
            within = (1 << frames * classes) - 1 << first * classes
            parts.append(Part(first, frames, first * classes, within))
        after = int(step.after[stream])
        one = Step(int(step.before[stream]) - step.origin, after - 1, masks, tuple(parts))
        return Arrival(after, self._sources, one, self._judged.get(stream, ()))
