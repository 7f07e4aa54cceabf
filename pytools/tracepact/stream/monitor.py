"""The streaming monitor: frames in as they come, verdicts out at their frame, counts and scores at any moment."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tracepact.data.family import UNION_CLASS
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import did_you_mean
from tracepact.evaluate.scores import ClauseCounts
from tracepact.language.compilation import load_contract
from tracepact.language.contract import CLASS_ATOMS, Contract, FrameClause, Located
from tracepact.language.formula import And, Atom, Formula, Implies, Not
from tracepact.stream.events import EventStream
from tracepact.stream.frames import IGNORED, FrameReader
from tracepact.stream.verdicts import (
    Arrival,
    Channels,
    EventVerdict,
    FrameArrival,
    Lanes,
    StreamScores,
    Tallies,
    channel_mask,
    clause_streams,
)
from tracepact.stream.window import Step, TakeFrame, Taken, Window, compile_frame

Frames = Mapping[str, Any]
"""By atom (`ref_active`, `pred_active`, declared ones): a truth value, or an array of frames, or frames × channels."""


class StreamMonitor(StreamScores, Channels):
    """Monitors streams that advance together, one for each pair of a stream and a class.

    Every verdict comes out as soon as the contract determines it and is never changed (chapter 12). Channel
    `class · streams + stream` holds one stream of one class. `save_state` turns a monitor in the middle of its
    streams into plain JSON, and `restore_state` makes a monitor that continues from there; both are in
    `tracepact.stream`.

    Args:
        contract: a Contract, a path or the name of a starter contract.
        streams: the names of the streams.
        classes: the names of the classes; by default all labels are one class.
        ignoring: whether frames come with a mask of those that carry no obligation.
        on_arrival: called with everything that comes out.

    Raises:
        InvalidInput: the contract has errors, or does not fit the classes.
        ValueError: streams or classes are missing or have the same name.

    Examples:
        >>> import tracepact
        >>> text = "contract gate step 20ms clause onset on ref_onset : ref_onset -> F[20ms] pred_onset"
        >>> monitor = tracepact.StreamMonitor(tracepact.parse_contract(text))
        >>> monitor.delays  # the window ends one frame after the onset
        {'onset': 1}
        >>> for reference in (0, 1, 1, 0):
        ...     arrival = monitor.push({"ref_active": reference, "pred_active": 0})
        ...     print([(v.clause.name, v.frame, v.delay) for v in arrival.violations])
        []
        []
        [('onset', 1, 1)]
        []
        >>> monitor.close().violations
        []
        >>> monitor.score("onset").value
        Fraction(0, 1)
    """

    def __init__(
        self,
        contract: Contract | str | Path,
        *,
        streams: Sequence[str] = ("stream",),
        classes: Sequence[str] = (UNION_CLASS,),
        ignoring: bool = False,
        on_arrival: Callable[[Arrival], object] | None = None,
    ) -> None:
        contract = contract if isinstance(contract, Contract) else load_contract(contract)
        self.contract = contract
        self.streams, self.classes = tuple(streams), tuple(classes)
        check_names(contract, self.streams, self.classes)
        self.ignoring = ignoring
        self._on_arrival = on_arrival
        self.lanes = Lanes(len(self.streams) * len(self.classes))
        formulas = [clause_formulas(clause, ignoring=ignoring) for clause in contract.frame_clauses]
        self.window = Window(formulas, self.lanes.channels)
        self._sources = clause_streams(contract, formulas, self.window.delays, self.lanes)
        self.tallies = Tallies(self.lanes.channels, [source.at for source in self._sources])
        self.events = EventStream(contract, len(self.streams), len(self.classes)) if contract.event_clauses else None
        self._reader = FrameReader(contract, self.streams, self.classes, self.window.inputs, ignoring=ignoring)
        self.ended: dict[str, int] = {}
        # The short way for a frame of a single stream, the way a microphone brings them, if it has one.
        self._take_frame: TakeFrame | None = None
        if self._reader.is_plain:
            judged, window = [(some[0], some[1]) for some in formulas], self.window
            self._take_frame = compile_frame(judged, window.delays, window.inputs, self._reader.given, window.width)

    @property
    def frames(self) -> int:
        """How many frames have arrived."""
        return self.window.frames

    @property
    def closed(self) -> bool:
        """Whether all streams have ended."""
        return len(self.ended) == len(self.streams)

    def push(self, frames: Frames, *, ignore: Any = None) -> Arrival:
        """Take in one frame or a chunk, and let out the verdicts that are due.

        Args:
            frames: for `ref_active`, `pred_active` and every declared atom a truth value, or an array of them.
            ignore: with `ignoring`, the frames that carry no obligation, in the same form.

        Returns:
            What came out.

        Raises:
            InvalidInput: an atom is missing, or the arrays do not fit each other.
            ValueError: all streams have ended.
        """
        if self._take_frame is not None and ignore is None and type(frames) is dict:
            window = self.window
            if window.held == window.width:
                taken = self._take_frame(frames, window.kept, self.tallies.alone)
                if taken is not None:
                    return self._say_frame(taken, frames)
        return self.push_masks(*self._reader.read(frames, ignore))

    def _say_frame(self, taken: Taken, frames: Frames) -> FrameArrival:
        """Tell the verdicts of a frame that was taken in."""
        now = self.window.frames
        self.window.frames = now + 1
        judged: tuple[EventVerdict, ...] = ()
        if self.events is not None and self.events.stirs(now, frames["ref_active"], frames["pred_active"]):
            judged = tuple(self.events.push(now, 1, (int(frames["ref_active"]), int(frames["pred_active"]), 0)))
        arrival = FrameArrival(now + 1, self._sources, self._look, taken, judged)
        if self._on_arrival is not None:
            self._on_arrival(arrival)
        return arrival

    def _look(self, before: int, masks: Sequence[int]) -> Step:
        return self.window.look(before, masks, self.lanes.valid)

    def push_masks(self, frames: int, masks: Mapping[str, int]) -> Arrival:
        """Take in a chunk that is masks already; `push` makes them.

        Args:
            frames: how many frames the chunk has.
            masks: for each atom a mask whose bit `frame · channels + channel` is its truth value.

        Returns:
            What came out.

        Raises:
            ValueError: all streams have ended.
        """
        self._check_open()
        lanes, window = self.lanes, self.window
        if not lanes.all_live:
            live = lanes.valid(frames)
            masks = {name: mask & live for name, mask in masks.items()}
        before = self.frames
        width = window.held + frames
        step = window.push(frames, [masks[name] for name in window.inputs], lanes.valid)
        if not lanes.all_live:
            step = step.of(lanes.valid(width))
        judged: Sequence[EventVerdict] = ()
        if self.events is not None:
            sides = (masks["ref_active"], masks["pred_active"], masks.get(IGNORED, 0))
            judged = self.events.push(before, frames, sides)
        return self._say(step, judged)

    def end(self, *streams: str) -> Arrival:
        """Some streams have no more frames; their windows are cut at the end (rule 12.3).

        Args:
            streams: the names of the streams that end.

        Returns:
            Their last verdicts.

        Raises:
            ValueError: there is no such stream, or all streams have ended.
        """
        self._check_open()
        unknown = [stream for stream in streams if stream not in self.streams]
        if unknown:
            raise ValueError(f"there is no stream `{unknown[0]}`")
        indices = [self.streams.index(stream) for stream in streams if stream not in self.ended]
        channels = [label * len(self.streams) + i for label in range(len(self.classes)) for i in indices]
        lost = np.zeros(self.lanes.channels, dtype=np.bool_)
        lost[channels] = True
        step = self.window.rest(self.lanes.valid).of(channel_mask(lost, self.window.held))
        judged = self.events.end(self.frames, channels) if self.events is not None else ()
        self.window.forget(lambda frames: channel_mask(lost, frames))
        self.lanes.end(channels)
        self._take_frame = None  # it is for streams that go on
        self.ended.update((self.streams[i], self.frames) for i in indices)
        return self._say(step, judged)

    def close(self) -> Arrival:
        """End all streams.

        Returns:
            Every verdict that is not yet out.

        Raises:
            ValueError: all streams have ended.
        """
        return self.end(*self.streams)

    def follow(self, chunks: Iterable[Frames]) -> Iterator[Arrival]:
        """Push chunk after chunk, and close at their end.

        Args:
            chunks: frames or chunks, each as `push` takes it.

        Returns:
            What each of them let out, and at last what `close` does.

        Raises:
            InvalidInput: a chunk does not fit, as for `push`.
        """
        for chunk in chunks:
            yield self.push(chunk)
        yield self.close()

    def _say(self, step: Step, judged: Sequence[EventVerdict]) -> Arrival:
        """Count the verdicts that are due, and tell them."""
        self.tallies.count(step, self.lanes)
        arrival = Arrival(self.frames, self._sources, step, tuple(judged))
        if self._on_arrival is not None:
            self._on_arrival(arrival)
        return arrival

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("the streams have ended")

    def _counted(self, clause: str) -> ClauseCounts:
        shape = len(self.classes), len(self.streams)
        names = [c.name for c in self.contract.frame_clauses]
        if clause in names:
            satisfied, obligated = self.tallies.of(names.index(clause)).reshape(2, *shape)
            return ClauseCounts(satisfied, obligated, np.zeros(shape, dtype=np.bool_))
        assert self.events is not None
        judge = next(judge for judge in self.events.judges if judge.clause.name == clause)
        satisfied, obligated = judge.satisfied.reshape(shape), judge.obligated.reshape(shape)
        return ClauseCounts(satisfied, obligated, self.events.counter.reshape(shape) & (obligated == 0))


def check_names(contract: Contract, streams: tuple[str, ...], classes: tuple[str, ...]) -> None:
    """Streams and classes have names that differ and fit the contract."""
    for what, names in (("streams", streams), ("classes", classes)):
        if not names or len(set(names)) < len(names):
            raise ValueError(f"{what} need names that differ")
    faults = Diagnostics()
    if classes == (UNION_CLASS,):
        for atom in sorted(contract.atoms & set(CLASS_ATOMS)):
            headline = f"the contract uses `{atom}`, which has no meaning when all classes are one"
            faults.add("needs-classes", headline, help="name the classes: `classes=`, or `--class NAME` for each")
    elif contract.labels is not None:
        for label in sorted(set(classes) - set(contract.labels)):
            headline = f"class `{label}` is not in the contract's declared labels"
            faults.add("unknown-label", headline, help=did_you_mean(label, contract.labels))
    faults.raise_errors()


def clause_formulas(clause: FrameClause, *, ignoring: bool) -> tuple[Formula, ...]:
    """The formulas behind the verdicts of a clause: obligation, formula, and the conjuncts that can fail alone."""
    obliged = And(clause.obligation, Not(Atom(IGNORED))) if ignoring else clause.obligation
    return (obliged, clause.body.formula, *_conjuncts(clause.body))


def _conjuncts(body: Located) -> Iterator[Formula]:
    match body.formula:
        case And():
            left, right = body.parts
            yield left.formula
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case Implies():
            yield from _conjuncts(body.parts[1])
        case _:
            return
