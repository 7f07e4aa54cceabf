"""A bank of streams: one monitor for many that come and go, and its state as plain JSON."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import numpy as np
from msgspec import Meta

from tracepact.data.family import UNION_CLASS, Indices, Words
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic
from tracepact.evaluate.scores import ClauseCounts
from tracepact.language.compilation import load_contract
from tracepact.language.contract import Contract
from tracepact.records import Digest, Record
from tracepact.stream.bank_windows import (
    WORD,
    BankArrival,
    BankEvents,
    BankStep,
    BankWindow,
    apart,
    between,
    interleaved,
    packed,
    row_counts,
)
from tracepact.stream.events import EventStream
from tracepact.stream.frames import FrameReader
from tracepact.stream.monitor import StreamMonitor, check_names, clause_formulas
from tracepact.stream.state import Names, StreamState, restore_record, save_record, saved_state
from tracepact.stream.verdicts import Lanes, StreamScores, clause_streams

# A bank of streams: one monitor for many streams that come and go, each at its own pace, evaluated together.


class StreamBank(StreamScores):
    """Monitors many streams under one contract, which open, pause and close as they like and get chunks of any length.

    Every stream gets the verdicts that a `StreamMonitor` of its own would give, at the same frames (rule 12.13); all
    streams of a push are evaluated at once. What a bank keeps does not grow with the streams, event clauses aside
    (rule 12.8), and nothing is kept of a stream that has closed. `save_bank` and `restore_bank`, in `tracepact.stream`,
    turn it into plain JSON and back.

    Args:
        contract: a Contract, a path or the name of a starter contract.
        classes: the names of the classes; by default all labels are one class.
        ignoring: whether frames come with a mask of those that carry no obligation.

    Raises:
        InvalidInput: the contract has errors, or does not fit the classes.
        ValueError: classes are missing or have the same name.

    Examples:
        >>> import tracepact
        >>> text = "contract gate step 20ms clause onset on ref_onset : ref_onset -> F[20ms] pred_onset"
        >>> bank = tracepact.StreamBank(tracepact.parse_contract(text))
        >>> bank.open("north", "south")
        >>> arrival = bank.push({"ref_active": [1, 0], "pred_active": [0, 0]})  # a frame of each
        >>> arrival = bank.push({"ref_active": [[1], [0]], "pred_active": [[0], [0]]}, streams=["north"])
        >>> [(*arrival.place(v.channel), v.frame) for v in arrival.violations]
        [('north', '*', 0)]
        >>> bank.frames
        {'north': 3, 'south': 1}
        >>> last = bank.close("north")
        >>> last.counts("onset").obligated.tolist()
        [[1]]
        >>> bank.streams
        ('south',)
    """

    def __init__(
        self, contract: Contract | str | Path, *, classes: Sequence[str] = (UNION_CLASS,), ignoring: bool = False
    ) -> None:
        contract = contract if isinstance(contract, Contract) else load_contract(contract)
        self.contract, self.classes, self.ignoring = contract, tuple(classes), ignoring
        check_names(contract, ("stream",), self.classes)
        formulas = [clause_formulas(clause, ignoring=ignoring) for clause in contract.frame_clauses]
        self.window = BankWindow(formulas)
        self._sources = clause_streams(contract, formulas, self.window.delays, Lanes(len(self.classes)))
        self.events = BankEvents(len(self.classes)) if contract.event_clauses else None
        self._number: dict[str, int] = {}
        self._frames: Indices = np.zeros(0, dtype=np.int64)
        self._kept = self._empty(0)
        self._counts = np.zeros((len(self._sources), 2, len(self.classes), 0), dtype=np.int64)
        self._readers: dict[int, FrameReader] = {}

    @property
    def streams(self) -> tuple[str, ...]:
        """The streams that are open, in the order in which they opened."""
        return tuple(self._number)

    @property
    def frames(self) -> dict[str, int]:
        """How many frames of each open stream have arrived."""
        return dict(zip(self._number, self._frames.tolist(), strict=True))

    def open(self, *streams: str) -> None:
        """Begin streams; a name that was closed before may be used again, for a new stream.

        Args:
            streams: their names.

        Raises:
            ValueError: two names are the same, or a stream of this name is open.
        """
        self._add(streams, self._empty(len(streams)))
        if self.events is not None:
            self.events.add([EventStream(self.contract, 1, len(self.classes)) for _ in streams])

    def push(
        self,
        frames: Mapping[str, Any],
        *,
        streams: Sequence[str] | None = None,
        lengths: Sequence[int] | Indices | None = None,
        ignore: Any = None,
    ) -> BankArrival:
        """Take in a frame or a chunk of some streams, and let out the verdicts that are due.

        Streams that are not named pause: they have no frame, and nothing of theirs comes out.

        Args:
            frames: for `ref_active`, `pred_active` and every declared atom an array, frames × channels; channel
                `class · streams + stream` is one class of one of the streams pushed. A single frame of each may be one
                value a channel.
            streams: the names of the streams that the channels are of; all open ones, in order, by default.
            lengths: how many of the frames each stream has, from the first on; all by default. The rest is not read.
            ignore: with `ignoring`, the frames that carry no obligation, in the same form.

        Returns:
            What came out.

        Raises:
            InvalidInput: an atom is missing, or the arrays do not fit each other or the streams.
            ValueError: a stream is not open or named twice, or a length is not one of the frames.
        """
        names, picked = self._picked(streams)
        if not names:
            raise ValueError("no stream is open")
        count, arrays = self._reader(len(names)).read_arrays(frames, ignore)
        every = np.full(len(names), count, dtype=np.int64) if lengths is None else _lengths(lengths, len(names), count)
        rest = np.tile(every, len(self.classes))
        words = max(1, -(-count // WORD))
        within = between(words, np.zeros_like(rest), rest)
        chunk = {name: packed(array, words) & within for name, array in arrays.items()}
        before = self._frames[picked]
        self._grow(int((before + every).max(initial=0)))
        starts = np.tile(before, len(self.classes))
        step, kept = self.window.step(self._rows(picked), chunk, starts, rest)
        self._kept[..., picked] = kept.reshape(*self._kept.shape[:3], len(names))
        self._frames[picked] = before + every
        self._count(step, picked)
        judged = {} if self.events is None else self.events.push(picked, before, every, chunk)
        return BankArrival(names, self.classes, self._sources, step, judged)

    def close(self, *streams: str) -> BankArrival:
        """End streams; their windows are cut at the end (rule 12.3). Nothing of them stays in the bank.

        Args:
            streams: their names; all open ones if there is none.

        Returns:
            Their last verdicts, and their counts to the end.

        Raises:
            ValueError: a stream is not open or named twice.
        """
        names, picked = self._picked(streams or None)
        before = self._frames[picked]
        step = self.window.rest(self._rows(picked), np.tile(before, len(self.classes)))
        self._count(step, picked)
        judged = self.events.close(picked.tolist(), before) if self.events is not None else {}
        counts = {clause.name: self._counts_of(clause.name, picked) for clause in self.contract.clauses}
        self._remove(picked)
        return BankArrival(names, self.classes, self._sources, step, judged, counts)

    def _counted(self, clause: str) -> ClauseCounts:
        return self._counts_of(clause, np.arange(len(self._number)))

    # One stream as a monitor of its own: how a bank is saved and restored.

    def monitors(self) -> Iterator[StreamMonitor]:
        """A monitor of each open stream alone, at the frame where it is, to look at or to save.

        They share the runs of event clauses with the bank, so only one of the two may go on.

        Returns:
            The monitors, in the order of `streams`.
        """
        classes = len(self.classes)
        for name, number in self._number.items():
            monitor = StreamMonitor(self.contract, streams=(name,), classes=self.classes, ignoring=self.ignoring)
            monitor.window.frames = int(self._frames[number])
            monitor.window.held = min(self.window.width, monitor.frames)
            skip = (self.window.places - monitor.window.held) * classes
            monitor.window.kept = [interleaved(mask[:, :, number]) >> skip for mask in self._kept]
            for clause, counts in enumerate(self._counts[..., number]):
                monitor.tallies.restore(clause, *counts.tolist())
            if self.events is not None:
                monitor.events = self.events.streams[number]
            yield monitor

    def adopt(self, monitors: Sequence[StreamMonitor]) -> None:
        """Open streams and go on where monitors of them are; the monitors are used up.

        Args:
            monitors: each of one open stream, with the contract and classes of the bank.

        Raises:
            ValueError: a monitor is of another contract or other classes, or its stream is open or not the only one.
        """
        shared = self.contract.digest, self.classes, self.ignoring
        if any((each.contract.digest, each.classes, each.ignoring) != shared for each in monitors):
            raise ValueError("a bank and its streams have one contract and the same classes")
        if any(len(each.streams) != 1 or each.closed for each in monitors):
            raise ValueError("a monitor that a bank takes over has one stream, and it is open")
        first, classes = len(self._number), len(self.classes)
        self.open(*(monitor.streams[0] for monitor in monitors))
        self._frames[first:] = [monitor.frames for monitor in monitors]
        self._grow(int(self._frames.max(initial=0)))
        for number, monitor in enumerate(monitors, start=first):
            skip = (self.window.places - monitor.window.held) * classes
            for mask, kept in zip(self._kept, monitor.window.kept, strict=True):
                mask[:, :, number] = apart(kept << skip, len(mask), classes)
            for clause in range(len(self._sources)):
                self._counts[clause, :, :, number] = monitor.tallies.of(clause)
        if self.events is not None:
            self.events.remove(np.arange(len(self._number)) < first)
            self.events.add([monitor.events for monitor in monitors if monitor.events is not None])

    # Rows: what is kept is inputs × words × classes × streams; a row is a channel of the streams at hand.

    def _count(self, step: BankStep, picked: Indices) -> None:
        for group, source in enumerate(self._sources):
            obliged = step.masks[source.at] & step.within(group)
            for number, mask in enumerate((obliged & step.masks[source.at + 1], obliged)):
                self._counts[group, number][:, picked] += row_counts(mask).reshape(len(self.classes), len(picked))

    def _counts_of(self, clause: str, picked: Indices) -> ClauseCounts:
        names = [c.name for c in self.contract.frame_clauses]
        if clause not in names:
            assert self.events is not None
            return self.events.counts(clause, picked.tolist())
        satisfied, obligated = self._counts[names.index(clause)][:, :, picked]
        return ClauseCounts(satisfied, obligated, np.zeros(satisfied.shape, dtype=np.bool_))

    def _picked(self, streams: Sequence[str] | None) -> tuple[tuple[str, ...], Indices]:
        if streams is None:
            return tuple(self._number), np.arange(len(self._number))
        if isinstance(streams, str):
            raise TypeError(f"streams are a list of names; write [{streams!r}]")
        for name in streams:
            if name not in self._number:
                raise ValueError(f"there is no open stream `{name}`")
        if len(set(streams)) < len(streams):
            raise ValueError("a stream is named twice")
        return tuple(streams), np.array([self._number[name] for name in streams], dtype=np.int64)

    def _add(self, names: Sequence[str], kept: Words) -> None:
        if len(set(names)) < len(names) or not self._number.keys().isdisjoint(names):
            raise ValueError("open streams need names that differ")
        first, added = len(self._number), len(names)
        self._number.update((name, first + i) for i, name in enumerate(names))
        self._frames = np.concatenate((self._frames, np.zeros(added, dtype=np.int64)))
        self._kept = np.concatenate((self._kept, kept), axis=3)
        self._counts = np.concatenate(
            (self._counts, np.zeros((*self._counts.shape[:3], added), dtype=np.int64)), axis=3
        )

    def _remove(self, picked: Indices) -> None:
        kept = np.ones(len(self._number), dtype=np.bool_)
        kept[picked] = False
        names = [name for name, keep in zip(self._number, kept.tolist(), strict=True) if keep]
        self._number = {name: i for i, name in enumerate(names)}
        self._frames = self._frames[kept]
        self._kept, self._counts = self._kept[..., kept], self._counts[..., kept]
        if self.events is not None:
            self.events.remove(kept)

    def _empty(self, streams: int) -> Words:
        rows = self.window.empty(len(self.classes) * streams)
        return rows.reshape(*rows.shape[:2], len(self.classes), streams)

    def _grow(self, frames: int) -> None:
        inputs, words, *shape = self._kept.shape
        wider = self.window.grown(self._kept.reshape(inputs, words, len(self.classes) * len(self._number)), frames)
        self._kept = wider.reshape(*wider.shape[:2], *shape)

    def _rows(self, picked: Indices) -> Words:
        # All streams in their order, as is usual, need no copy of what is kept.
        kept = self._kept if np.array_equal(picked, np.arange(len(self._number))) else self._kept[..., picked]
        return kept.reshape(*kept.shape[:2], len(self.classes) * len(picked))

    def _reader(self, streams: int) -> FrameReader:
        if streams not in self._readers:
            names = [str(i) for i in range(streams)]
            reader = FrameReader(self.contract, names, self.classes, self.window.inputs, ignoring=self.ignoring)
            # Banks are pushed with one number of streams mostly; a reader for every number there ever was would grow
            # without end.
            self._readers = {streams: reader}
        return self._readers[streams]


def _lengths(lengths: Sequence[int] | Indices, streams: int, count: int) -> Indices:
    numbers = np.asarray(lengths)
    if numbers.shape != (streams,) or numbers.dtype.kind not in "iu" or ((numbers < 0) | (numbers > count)).any():
        raise ValueError(f"lengths are {streams} whole numbers from 0 to {count}, one for each stream")
    return numbers.astype(np.int64)


# A bank's state as plain JSON: the state of each of its streams, as a monitor of that stream alone would save it.

_FORMAT: Final = "tracepact-bank/1"


class BankState(Record, frozen=True):
    """The state of a bank of streams, saved between two pushes (12.9, 12.13).

    Numbers in parentheses are rules of language.md.
    """

    format: Literal["tracepact-bank/1"]
    contract: Annotated[Digest, Meta(description="The digest of the contract (11.3).")]
    classes: Annotated[Names, Meta(description="The classes.")]
    ignoring: Annotated[
        bool, Meta(description="Whether frames come with a mask of those that carry no obligation (5.9).")
    ]
    streams: Annotated[
        tuple[StreamState, ...],
        Meta(description="The open streams in their order, each as the state of a monitor of this stream alone."),
    ]


def save_bank(bank: StreamBank) -> dict[str, Any]:
    """Everything a bank needs to go on."""
    streams = tuple(save_record(monitor) for monitor in bank.monitors())
    return BankState(_FORMAT, bank.contract.digest, bank.classes, bank.ignoring, streams).to_dict()


def restore_bank(contract: Contract, state: Mapping[str, Any]) -> StreamBank:
    """A bank that goes on where another was saved; the contract must be the same one.

    A state that no bank of the contract can have been in is refused, as for `restore_state` (rule 12.12).
    """
    saved = saved_state(contract, state, BankState, "bank", _FORMAT, ("restore_bank", "save_bank"))
    faults = [Diagnostic("wrong-state", text) for text in _contradictions(saved)]
    monitors = []
    for each in saved.streams if not faults else ():
        try:
            monitors.append(restore_record(contract, each))
        except InvalidInput as refused:
            faults += refused.diagnostics
    if faults:
        raise InvalidInput(faults)
    bank = StreamBank(contract, classes=saved.classes, ignoring=saved.ignoring)
    bank.adopt(monitors)
    return bank


def _contradictions(saved: BankState) -> list[str]:
    """Contradictions between the streams of a bank."""
    contradictions = []
    names = [each.streams[0] for each in saved.streams]
    if any(len(each.streams) != 1 or each.ended for each in saved.streams):
        contradictions.append("each stream of a bank is one, and open")
    if len(set(names)) < len(names):
        contradictions.append("two of the streams have the same name")
    shared = (saved.contract, saved.classes, saved.ignoring)
    if any((each.contract, each.classes, each.ignoring) != shared for each in saved.streams):
        contradictions.append(
            "the streams of a bank are under one contract, with the same classes, all with ignored frames or none"
        )
    return contradictions
