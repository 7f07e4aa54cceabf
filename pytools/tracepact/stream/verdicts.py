"""What a stream's monitor says: verdicts, violations, counts and scores."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracepact.data.family import Indices, pack, unpack
from tracepact.declarations import renamed
from tracepact.diagnostics.collection import known_name
from tracepact.diagnostics.findings import Span
from tracepact.evaluate.event_clauses import EventViolation
from tracepact.evaluate.scorecard import blame
from tracepact.evaluate.scores import ByClause, ClauseCounts, Score, aggregate, profile_mean, vector_mean
from tracepact.language.contract import Aggregation, Contract, EventClause, FrameClause, Profile
from tracepact.language.formula import Formula, FrameRun
from tracepact.stream.window import Part, Step

# Many streams side by side in one integer: frame i of channel c is bit `i · channels + c`.

_MOST_PER_OCTET = 255


class Lanes:
    """The ways in and out of masks whose channels are interleaved, and which channels still go on."""

    def __init__(self, channels: int) -> None:
        self.channels = channels
        self.live: NDArray[np.bool_] = np.ones(channels, dtype=np.bool_)
        self.all_live = True
        self._valid: tuple[int, int] = (0, 0)

    def end(self, channels: Iterable[int]) -> None:
        """Some channels have no more frames."""
        self.live[list(channels)] = False
        self.all_live = bool(self.live.all())
        self._valid = (0, 0)

    def valid(self, frames: int) -> int:
        """The mask of the live channels in some frames."""
        width, mask = self._valid
        if width != frames:
            mask = (1 << frames * self.channels) - 1 if self.all_live else channel_mask(self.live, frames)
            self._valid = frames, mask
        return mask

    def frames(self, mask: int, frames: int) -> NDArray[np.bool_]:
        """A mask as truth values, frames × channels."""
        return unpack(mask, frames * self.channels).reshape(frames, self.channels)

    def counts(self, mask: int) -> Indices:
        """The active frames of every channel."""
        # The usual case of a single stream: one instruction a word, and no array.
        if self.channels == 1 or not mask:
            return np.full(self.channels, mask.bit_count(), dtype=np.int64)
        frames = -(-mask.bit_length() // self.channels)
        bits = self.frames(mask, frames).view(np.uint8)
        total = np.zeros(self.channels, dtype=np.int64)
        for first in range(0, frames, _MOST_PER_OCTET):  # octets are added fastest, and hold this many frames
            total += bits[first : first + _MOST_PER_OCTET].sum(axis=0, dtype=np.uint8)
        return total

    def positions(self, mask: int) -> list[tuple[int, int]]:
        """Frame and channel of every active bit, ascending."""
        return [divmod(bit, self.channels) for bit in positions(mask)]


def channel_mask(channels: NDArray[np.bool_], frames: int) -> int:
    """The mask of some channels in every one of some frames."""
    return pack(np.tile(channels, frames))


def positions(mask: int) -> list[int]:
    """The active bits, ascending."""
    if mask.bit_count() <= 1:
        return [mask.bit_length() - 1] if mask else []
    octets = np.frombuffer(mask.to_bytes(-(-mask.bit_length() // 8), "little"), dtype=np.uint8)
    active = np.flatnonzero(octets)
    bits = np.flatnonzero(np.unpackbits(octets[active], bitorder="little"))
    found: list[int] = (active[bits // 8] * 8 + bits % 8).tolist()
    return found


# Running counts of the frame clauses: satisfied and obligated frames, by clause and channel (rule 12.5).


class Tallies:
    """The counts so far; the masks of clause i are at `places[i]` (obligation) and the place after (formula)."""

    def __init__(self, channels: int, places: Sequence[int]) -> None:
        self._places = tuple(places)
        self.alone = [0] * (2 * len(self._places))
        self._count_alone = _compiled(self._places)
        self._many = np.zeros((len(places), 2, channels), dtype=np.int64)

    def count(self, step: Step, lanes: Lanes) -> None:
        """Count the verdicts that are due."""
        masks = step.masks
        if lanes.channels > 1:
            for place, many, part in zip(self._places, self._many, step.parts, strict=True):
                obliged = masks[place] & part.within
                if obliged:
                    many[0] += lanes.counts(obliged & masks[place + 1])
                    many[1] += lanes.counts(obliged)
            return
        self._count_alone(masks, step.parts, self.alone)

    def of(self, clause: int) -> Indices:
        """Satisfied and obligated frames of a clause, by channel."""
        total: Indices = self._many[clause] + np.array(self.alone[2 * clause : 2 * clause + 2])[:, None]
        return total

    def restore(self, clause: int, satisfied: Sequence[int], obligated: Sequence[int]) -> None:
        """Go on from these counts of a clause."""
        self._many[clause] = satisfied, obligated


def _compiled(places: Sequence[int]) -> Callable[[Sequence[int], Sequence[Part], list[int]], None]:
    """The counting of one channel, written out clause by clause: a chunk must not cost a loop, nor a frame an array."""
    lines = ["def count(masks, parts, totals):", "    pass"]
    for number, place in enumerate(places):
        lines += [
            f"    obliged = masks[{place}] & parts[{number}][3]",
            "    if obliged:",
            f"        totals[{2 * number}] += (obliged & masks[{place + 1}]).bit_count()",
            f"        totals[{2 * number + 1}] += obliged.bit_count()",
        ]
    scope: dict[str, Callable[[Sequence[int], Sequence[Part], list[int]], None]] = {}
    exec(compile("\n".join(lines), "<counts>", "exec"), scope)  # noqa: S102  (made of numbers alone)
    return scope["count"]


class Channels:
    """What has a channel, `class · streams + stream`, for each of its classes in each of its streams."""

    streams: tuple[str, ...]
    classes: tuple[str, ...]

    def place(self, channel: int) -> tuple[str, str]:
        """Where a channel belongs.

        Args:
            channel: the number of the channel, as verdicts give it.

        Returns:
            The names of its stream and of its class.
        """
        label, stream = divmod(channel, len(self.streams))
        return self.streams[stream], self.classes[label]


# The scores of whatever counts verdicts while streams go on: a monitor and a bank score alike.


class StreamScores(ABC):
    """Scores over the verdicts that are out, from the counts of each clause (rule 12.5)."""

    contract: Contract
    _sources: Sequence["ClauseStream"]

    @property
    def delays(self) -> dict[str, int]:
        """After how many frames the verdict of a frame is out, for every frame clause (rule 12.2)."""
        return {source.clause.name: source.delay for source in self._sources}

    def counts(self, clause: str) -> ClauseCounts:
        """The counts of the verdicts of a clause that are out; those of a bank are of its open streams.

        Args:
            clause: the name of the clause.

        Returns:
            The counts by class and stream, in the order of `streams`.

        Raises:
            InvalidInput: the contract has no such clause; it names those there are.
        """
        known_name(clause, [c.name for c in self.contract.clauses], "clause", "unknown-clause")
        return self._counted(clause)

    @abstractmethod
    def _counted(self, clause: str) -> ClauseCounts:
        """The counts of a clause that the contract has."""

    def score(self, clause: str, aggregation: Aggregation | None = None) -> Score:
        """The score of a clause over the verdicts that are out (rule 12.5).

        Args:
            clause: the name of the clause.
            aggregation: how streams and classes become one value; the contract's own by default.

        Returns:
            The score with its counts.

        Raises:
            InvalidInput: the contract has no such clause; it names those there are.
        """
        return aggregate(self.counts(clause), aggregation or self.contract.aggregation)

    def vector(self, aggregation: Aggregation | None = None) -> dict[str, Score]:
        """The score of every clause over the verdicts that are out.

        Args:
            aggregation: how streams and classes become one value; the contract's own by default.

        Returns:
            The scores by clause, in source order.
        """
        return ByClause({clause.name: self.score(clause.name, aggregation) for clause in self.contract.clauses})

    def logic(self, aggregation: Aggregation | None = None) -> Fraction:
        """The mean of the vector (rule 7.7).

        Args:
            aggregation: how streams and classes become one value; the contract's own by default.

        Returns:
            The mean, exact; a vacuous clause counts as 1.
        """
        return vector_mean(self.vector(aggregation).values())

    def profile(self, profile: Profile) -> Fraction:
        """The weighted mean of a risk profile (rule 7.8).

        Args:
            profile: one of the contract's `profiles`; it names its aggregation.

        Returns:
            The mean, exact.

        Raises:
            InvalidInput: the profile weighs a clause that the contract does not have.
        """
        return profile_mean(profile, {name: self.score(name, profile.aggregation) for name, _ in profile.weights})


# What a stream's monitor says: the verdicts that an arrival let out, and the violations among them (chapter 12).


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


def clause_streams(
    contract: Contract, formulas: Sequence[tuple[Formula, ...]], delays: Sequence[int], lanes: Lanes
) -> list[ClauseStream]:
    """The frame clauses of a contract in a stream whose step has the masks of their formulas, one after another."""
    places = accumulate(map(len, formulas), initial=0)
    clauses = zip(contract.frame_clauses, formulas, places, delays, strict=False)  # the last place is behind them all
    return [ClauseStream(*each, lanes) for each in clauses]


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
