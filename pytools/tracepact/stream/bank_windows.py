"""The windows, event clauses and arrivals of many streams at once, each at its own frame."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tracepact.data.family import Indices, Words, pack, unpack
from tracepact.diagnostics.collection import known_name
from tracepact.evaluate.scores import ClauseCounts
from tracepact.language.contract import FrameClause
from tracepact.language.formula import Dag, Operator
from tracepact.stream.events import EventStream
from tracepact.stream.frames import IGNORED
from tracepact.stream.state import MOST_FRAMES
from tracepact.stream.verdicts import Arrival, Channels, ClauseStream, EventVerdict, Violation
from tracepact.stream.window import Group, Part, Program, Step, Window, compile_formulas

# Many short masks as rows of 64-bit words: bit b of word w of a row is its place 64 · w + b.
#
# A mask is an array words × rows; words come first, so that every operation runs over all rows at once. A bank has
# many streams with a few frames each: an integer a stream would cost a Python operation a stream, one integer for all
# a copy of all whenever one stream moves on alone.

WORD = 64
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_OCTETS = 8


def later(a: Words, k: int) -> Words:
    """Move every row by k places up; what leaves the last word is lost."""
    whole, bits = divmod(k, WORD)
    if len(a) == 1 and not whole:
        return a << np.uint64(bits)
    found: Words = np.zeros(a.shape, dtype=np.uint64)
    if whole < len(a):
        found[whole:] = a[: len(a) - whole] << np.uint64(bits)
        if bits:
            found[whole + 1 :] |= a[: len(a) - whole - 1] >> np.uint64(WORD - bits)
    return found


def earlier(a: Words, k: int) -> Words:
    """Move every row by k places down; what leaves the first word is lost."""
    whole, bits = divmod(k, WORD)
    if len(a) == 1 and not whole:
        return a >> np.uint64(bits)
    found: Words = np.zeros(a.shape, dtype=np.uint64)
    if whole < len(a):
        found[: len(a) - whole] = a[whole:] >> np.uint64(bits)
        if bits:
            found[: len(a) - whole - 1] |= a[whole + 1 :] << np.uint64(WORD - bits)
    return found


def earlier_by(a: Words, places: Indices) -> Words:
    """Move each row down by its own number of places."""
    if _is_one(places):
        return earlier(a, int(places[0]))
    whole, bits = np.divmod(places, WORD)
    padded = np.concatenate((a, np.zeros((int(whole.max(initial=0)) + 1, a.shape[1]), dtype=np.uint64)))
    rows, words = np.arange(a.shape[1]), np.arange(len(a))[:, None] + whole
    low, high = padded[words, rows] >> bits.astype(np.uint64), padded[words + 1, rows]
    up = ((WORD - bits) % WORD).astype(np.uint64)
    return low | np.where(bits > 0, high << up, np.uint64(0))


def between(words: int, start: Indices, end: Indices) -> Words:
    """The places from `start` up to `end` of each row."""
    first = np.arange(words)[:, None] * WORD
    if _is_one(start) and _is_one(end):  # as for streams that advance together
        return np.broadcast_to(_below(end[:1] - first) & ~_below(start[:1] - first), (words, len(start)))
    return _below(end - first) & ~_below(start - first)


def _is_one(places: Indices) -> bool:
    """Whether all rows have the same number."""
    return len(places) > 0 and bool((places == places[0]).all())


def _below(places: Indices) -> Words:
    """The lowest places of a word; all from 64 on, none from 0 down."""
    inside = np.clip(places, 0, WORD - 1).astype(np.uint64)
    return np.where(places >= WORD, _ALL, (np.uint64(1) << inside) - np.uint64(1))


def packed(frames: NDArray[np.bool_], words: int) -> Words:
    """One truth value a frame, frames × rows, as rows whose place 0 is the first frame."""
    octets = np.packbits(frames, axis=0, bitorder="little")
    found: Words = np.zeros((words, frames.shape[1]), dtype=np.uint64)
    for number, row in enumerate(octets):
        word, place = divmod(number, _OCTETS)
        found[word] |= row.astype(np.uint64) << np.uint64(8 * place)
    return found


def unpacked(a: Words, frames: int) -> NDArray[np.bool_]:
    """The first places of every row as truth values, frames × rows."""
    octets = np.ascontiguousarray(a.T).view(np.uint8).reshape(a.shape[1], -1)
    return np.unpackbits(octets, axis=1, count=frames, bitorder="little").T.view(np.bool_)


def interleaved(a: Words) -> int:
    """A few rows as one integer: place p of row r is bit `p · rows + r`."""
    if a.shape[1] == 1:
        return int.from_bytes(np.ascontiguousarray(a[:, 0], dtype="<u8").tobytes(), "little")
    return pack(unpacked(a, len(a) * WORD).reshape(-1))


def apart(mask: int, words: int, count: int) -> Words:
    """The rows of one integer, as `interleaved` makes it."""
    return packed(unpack(mask, words * WORD * count).reshape(words * WORD, count), words)


def row_counts(a: Words) -> Indices:
    """The active places of every row."""
    found: Indices = np.bitwise_count(a).sum(axis=0, dtype=np.int64)
    return found


# The sliding windows of many streams at once, each at its own frame: rows of words, one evaluation for all.
#
# The frames a row holds end at the same place in every row, and its chunk follows there; so streams of every age and
# chunks of every length are evaluated together, and only what exists (`valid`) and what is due differ from row to
# row.


@dataclass(frozen=True, slots=True)
class BankStep:
    """The masks of all formulas, place `origin` being frame `before` of a row, and the places due of each group."""

    origin: int
    before: Indices
    after: Indices
    masks: Sequence[Words]
    due: Sequence[tuple[Indices, Indices]]

    def within(self, group: int) -> Words:
        """The places of a group that are due."""
        return between(len(self.masks[0]), *self.due[group])


class BankWindow:
    """The last frames of the inputs of some groups of formulas, a row for each channel of each stream."""

    def __init__(self, groups: Sequence[Group]) -> None:
        plan = Window(groups)
        self.inputs, self.delays, self.width = plan.inputs, plan.delays, plan.width
        self._formulas = [formula for group in groups for formula in group]
        self._farthest = plan.farthest
        # The greatest distance between the two ends of a window.
        operators = (Operator.EVENTUALLY, Operator.ALWAYS)
        ends = [node.parameters for node in Dag.of(self._formulas)[0].nodes if node.operator in operators]
        self._span = max((int(hi) - int(lo) for lo, hi in ends), default=0)
        self._programs: dict[int, Program] = {}
        self.places = min(self.width, WORD // 2)

    def empty(self, count: int) -> Words:
        """The content of new rows: inputs × words × rows."""
        return np.zeros((len(self.inputs), -(-self.places // WORD), count), dtype=np.uint64)

    def grown(self, kept: Words, frames: int) -> Words:
        """Rows with room for streams of this number of frames; wider ones only if there is too little room."""
        needed = min(self.width, frames)
        if needed <= self.places:
            return kept
        # Doubled: growing a frame at a time would copy all rows at every push.
        added = min(self.width, max(needed, 2 * self.places)) - self.places
        self.places += added
        wider = self.empty(kept.shape[2])
        wider[:, : kept.shape[1]] = kept
        return np.stack([later(mask, added) for mask in wider]) if len(wider) else wider

    def step(
        self, kept: Words, chunk: Mapping[str, Words], before: Indices, lengths: Indices
    ) -> tuple[BankStep, Words]:
        """Put a chunk behind each row; what is due, and what the rows hold then."""
        longest = int(lengths.max(initial=0))
        reach = min(self._farthest, 1 << (self.places + longest).bit_length())
        spare = min(self._span, 2 * reach)  # a window spreads a mask up before it moves it down
        words = max(1, -(-(self.places + longest + spare) // WORD))
        masks = [self._joined(kept[i], chunk[name], words) for i, name in enumerate(self.inputs)]
        held = np.minimum(before, self.places)
        valid = between(words, self.places - held, self.places + lengths)
        found = self._program(reach)(valid, *masks)
        after = before + lengths
        due = [
            (self.places - np.minimum(delay, before), self.places + lengths - np.minimum(delay, after))
            for delay in self.delays
        ]
        step = BankStep(self.places, before, after, found, due)
        left = [earlier_by(mask, lengths)[: kept.shape[1]] for mask in masks]
        last = between(kept.shape[1], np.zeros_like(lengths), np.full_like(lengths, self.places))
        return step, np.stack([mask & last for mask in left]) if left else kept

    def rest(self, kept: Words, before: Indices) -> BankStep:
        """The verdicts that are not yet due, if the rows end here."""
        none = np.zeros_like(before)
        silent = {name: np.zeros((1, len(before)), dtype=np.uint64) for name in self.inputs}
        step, _ = self.step(kept, silent, before, none)
        due = [(self.places - np.minimum(delay, before), self.places + none) for delay in self.delays]
        return BankStep(step.origin, before, before, step.masks, due)

    def _joined(self, kept: Words, chunk: Words, words: int) -> Words:
        room: Words = np.zeros((words, chunk.shape[1]), dtype=np.uint64)
        room[: len(chunk)] = chunk
        room = later(room, self.places)
        room[: len(kept)] |= kept
        return room

    def _program(self, reach: int) -> Program:
        if reach not in self._programs:
            moves = {"later": later, "earlier": earlier}
            self._programs[reach] = compile_formulas(self._formulas, self.inputs, longest=reach, moves=moves)
        return self._programs[reach]


# The event clauses of many streams: only a stream with an edge, or with something to settle, is looked at.

_SIDES = ("ref_active", "pred_active", IGNORED)


class BankEvents:
    """An event stream of each stream of a bank, in its order, and when each has something to settle."""

    def __init__(self, classes: int) -> None:
        self._classes = classes
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

    def remove(self, kept: NDArray[np.bool_]) -> None:
        """Keep some streams only."""
        self.streams = [stream for stream, keep in zip(self.streams, kept.tolist(), strict=True) if keep]
        self._due, self._active = self._due[kept], self._active[:, :, kept]

    def push(
        self, picked: Indices, before: Indices, lengths: Indices, chunk: Mapping[str, Words]
    ) -> dict[int, tuple[EventVerdict, ...]]:
        """Chunks of some streams arrive; the verdicts, by the number of the stream among those picked."""
        sides = [chunk[name] for name in _SIDES if name in chunk]
        # Of thousands of streams few have an edge in a frame. Words tell which, for all at once; only these are looked
        # at in Python.
        needed = self._due[picked] <= before + lengths
        for number, side in enumerate(sides):
            needed |= self._edges(number, picked, side, lengths)
        judged_streams = {}
        some = np.flatnonzero(needed).tolist()
        for i, masks in zip(some, self._masks(sides, some, len(picked)), strict=True):
            stream = self.streams[picked[i]]
            judged = stream.push(int(before[i]), int(lengths[i]), masks)
            self._due[picked[i]] = _next_due(stream)
            if judged:
                judged_streams[i] = tuple(judged)
        return judged_streams

    def _masks(self, sides: Sequence[Words], some: Sequence[int], streams: int) -> Iterator[Sequence[int]]:
        """The masks of the three sides for some streams."""
        silent = [[0] * len(some)] * (len(_SIDES) - len(sides))
        if self._classes == 1 and len(sides[0]) == 1:
            yield from zip(*(side[0, some].tolist() for side in sides), *silent, strict=True)
            return
        for i in some:
            yield [*(interleaved(side[:, i::streams]) for side in sides), *(0 for _ in silent)]

    def close(self, numbers: Sequence[int], now: Indices) -> dict[int, tuple[EventVerdict, ...]]:
        """Some streams end."""
        channels = range(self._classes)
        verdicts = {i: self.streams[n].end(int(now[i]), channels) for i, n in enumerate(numbers)}
        return {i: tuple(judged) for i, judged in verdicts.items() if judged}

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
        moved = later(chunk, 1)
        moved[0] |= last[0]
        within = between(len(chunk), np.zeros_like(every), every)
        changed = ((chunk ^ moved) & within) != 0
        end = earlier_by(chunk, np.maximum(every - 1, 0))[0] & np.uint64(1)
        self._active[side][:, picked] = np.where(every > 0, end, last[0]).reshape(self._classes, -1)
        by_stream: NDArray[np.bool_] = changed.reshape(-1, len(picked)).any(axis=0)
        return by_stream


def _next_due(stream: EventStream) -> int:
    return min(stream.next_check, MOST_FRAMES + 1)


# What a bank of streams says: the verdicts that an arrival let out, stream by stream or for all at once.


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
        return unpacked(earlier_by(mask, self._begin), len(known)) & known


class BankArrival(Channels):
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
        violating = np.zeros(len(self.streams), dtype=np.bool_)
        for group, source in enumerate(self._sources):
            obliged, holds = self._step.masks[source.at], self._step.masks[source.at + 1]
            violated = (obliged & self._step.within(group) & ~holds).any(axis=0)
            violating |= violated.reshape(len(self.classes), -1).any(axis=0)
        violating[[i for i, some in self._judged.items() if not all(v.satisfied for v in some)]] = True
        return np.flatnonzero(violating).tolist()

    def _single(self, stream: int) -> Arrival:
        step, classes = self._step, len(self.classes)
        masks = tuple(interleaved(mask[:, stream :: len(self.streams)]) for mask in step.masks)
        parts = []
        for begin, end in step.due:
            first, frames = int(begin[stream]), int(end[stream] - begin[stream])
            within = (1 << frames * classes) - 1 << first * classes
            parts.append(Part(first, frames, first * classes, within))
        after = int(step.after[stream])
        one = Step(int(step.before[stream]) - step.origin, after - 1, masks, tuple(parts))
        return Arrival(after, self._sources, one, self._judged.get(stream, ()))
