"""A monitor's state as plain JSON: its form, saved and restored, and what speaks against one (rule 12.9)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Meta

from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic
from tracepact.evaluate.predicates import RunBlock
from tracepact.language.contract import Contract
from tracepact.language.formula import lookahead
from tracepact.language.predicate import Each
from tracepact.records import Digest, Name, Record, record_of
from tracepact.stream.events import StreamRun, StreamRuns
from tracepact.stream.monitor import StreamMonitor
from tracepact.stream.verdicts import Arrival

# The form of a saved state (rule 12.9): what `save_state` writes, `restore_state` reads, and the schema describes.

_Saved = TypeVar("_Saved", bound=Record)
FORMAT: Final = "tracepact-stream/2"
MOST_FRAMES = (1 << 53) - 1
"""No stream has more frames: whole numbers up to here are exact in every reader of JSON (rule 12.12)."""

SavedCount = Annotated[int, Meta(ge=0, le=MOST_FRAMES)]
SavedMask = Annotated[
    str,
    Meta(
        pattern="^[0-9a-f]+$",
        description="A mask in hexadecimal digits: frame i of channel c is bit i · channels + c.",
    ),
]
_Input = Annotated[str, Meta(pattern="^([A-Za-z_][A-Za-z0-9_]*|ignored frames)$")]
_ByChannel = Annotated[tuple[SavedCount, ...], Meta(description="By channel.")]
SavedRun = tuple[SavedCount, SavedCount | None, bool]
SavedBlock = tuple[SavedCount, SavedCount, SavedCount, SavedCount, SavedCount, SavedCount]
_Blocks = Annotated[
    tuple[SavedBlock, ...],
    Meta(
        description="Judged runs that are kept together: the first frame, the frame after the last, how many runs, "
        "how many frames they have, the longest and the shortest gap between them."
    ),
]
_Runs = Annotated[
    tuple[SavedRun, ...],
    Meta(
        description="Oldest first: the first frame, the frame after the last (null while it goes on), "
        "and whether its verdict is out."
    ),
]
Names = Annotated[tuple[str, ...], Meta(min_length=1, extra_json_schema={"uniqueItems": True})]


class SavedWindow(Record, frozen=True):
    """The last frames of the inputs: all that the verdicts to come depend on (12.2)."""

    frames: Annotated[SavedCount, Meta(description="How many frames are kept.")]
    masks: Annotated[dict[_Input, SavedMask], Meta(description="The last frames of every input.")]


class SavedCounts(Record, frozen=True):
    """The counts of a clause so far (12.5)."""

    satisfied: _ByChannel
    obligated: _ByChannel


class SavedActivity(Record, frozen=True):
    """The activity of the last frame."""

    ref: SavedMask
    pred: SavedMask
    ignored: SavedMask


class SavedBlocks(Record, frozen=True):
    """The judged runs of a channel that are kept together."""

    ref: _Blocks
    pred: _Blocks
    ignored: _Blocks


class SavedRuns(Record, frozen=True):
    """The runs of a channel that are kept."""

    ref: _Runs
    pred: _Runs
    ignored: _Runs
    blocks: SavedBlocks


class SavedEvents(Record, frozen=True):
    """What the event clauses wait for (12.6)."""

    active: SavedActivity
    runs: Annotated[tuple[SavedRuns, ...], Meta(description="The runs that are kept, by channel.")]
    counter: Annotated[
        tuple[bool, ...], Meta(description="Where an empty obligation is counter evidence (7.4), by channel.")
    ]
    counts: Annotated[dict[Name, SavedCounts], Meta(description="The counts of every event clause so far.")]


class StreamState(Record, frozen=True):
    """The state of a streaming monitor, saved between two frames (12.9).

    Channel class · streams + stream holds one stream of one class. Numbers in parentheses are rules of language.md.
    """

    format: Literal["tracepact-stream/2"]
    contract: Annotated[Digest, Meta(description="The digest of the contract (11.3).")]
    streams: Annotated[Names, Meta(description="The names of the streams.")]
    classes: Annotated[Names, Meta(description="The classes.")]
    ignoring: Annotated[
        bool, Meta(description="Whether frames come with a mask of those that carry no obligation (5.9).")
    ]
    frames: Annotated[SavedCount, Meta(description="How many frames have arrived.")]
    ended: Annotated[dict[str, SavedCount], Meta(description="The streams that have ended, and after how many frames.")]
    window: SavedWindow
    counts: Annotated[dict[Name, SavedCounts], Meta(description="The counts of every frame clause so far (12.5).")]
    events: Annotated[SavedEvents | None, Meta(description="What the event clauses wait for, if there are any (12.6).")]

    @property
    def channels(self) -> int:
        """The number of channels."""
        return len(self.streams) * len(self.classes)

    def length(self, channel: int) -> int:
        """The number of frames of a channel."""
        return self.ended.get(self.streams[channel % len(self.streams)], self.frames)


# What speaks against a saved state: why no monitor of its contract can have been in it (rule 12.12).

_SIDES = ("ref", "pred", "ignored")


def contradictions(contract: Contract, state: StreamState) -> list[str]:
    """Contradictions in a state that has the form of the schema."""
    # Sizes first: what is read after them is bounded by them, so no state can make much be allocated before it is
    # refused.
    contradictory = list(_names(state))
    contradictory += _sizes(contract, state)
    if contradictory:
        return contradictory
    if state.events is not None:
        contradictory += _activity(state, state.events)
        for channel in range(state.channels):
            contradictory += _checked_runs(contract, state, state.events, channel)
    for clause in contract.frame_clauses:
        delay = max(lookahead(clause.obligation), lookahead(clause.formula))
        verdicts = [_due(state, channel, delay) for channel in range(state.channels)]
        contradictory += _counts(clause.name, state.counts[clause.name], verdicts, "verdicts that can be out")
    return contradictory if state.events is None else contradictory + list(_event_counts(contract, state, state.events))


def _names(state: StreamState) -> Iterator[str]:
    for what, names in (("streams", state.streams), ("classes", state.classes)):
        if len(set(names)) < len(names):
            yield f"two of the {what} have the same name"
        if not all(map(_is_text, names)):
            yield f"the name of one of the {what} is not text"
    for name, frames in state.ended.items():
        if name not in state.streams:
            yield f"`ended` names `{name}`, which is not among the streams"
        elif frames > state.frames:
            yield f"stream `{name}` ended after {frames} frames, but only {state.frames} have arrived"


def _is_text(name: str) -> bool:
    """Whether a name can be written; half of a surrogate pair cannot."""
    return not any("\ud800" <= sign <= "\udfff" for sign in name)


def _sizes(contract: Contract, state: StreamState) -> Iterator[str]:
    """Every part is there once for every clause and every channel; what is allocated later is then bounded by it."""
    yield from _clauses("`counts`", state.counts, [clause.name for clause in contract.frame_clauses], state.channels)
    events = state.events
    if (events is not None) != bool(contract.event_clauses):
        yield "`events` is there exactly if the contract has event clauses, which is not so"
    if events is None:
        return
    for what, entries in (("runs", events.runs), ("counter", events.counter)):
        if len(entries) != state.channels:
            yield f"`events.{what}` has {len(entries)} entries, not one for each of {state.channels} channels"
    names = [clause.name for clause in contract.event_clauses]
    yield from _clauses("`events.counts`", events.counts, names, state.channels)


def _clauses(where: str, counts: Mapping[str, SavedCounts], names: Sequence[str], channels: int) -> Iterator[str]:
    if set(counts) != set(names):
        yield f"{where} is not of the clauses of the contract: {', '.join(f'`{name}`' for name in names) or 'none'}"
    for name, each in counts.items():
        if not len(each.satisfied) == len(each.obligated) == channels:
            yield f"the counts of `{name}` are not one for each of {channels} channels"


def _due(state: StreamState, channel: int, delay: int) -> int:
    """The number of verdicts of a frame clause that are out (rules 12.2 and 12.3)."""
    length = state.length(channel)
    return length if state.streams[channel % len(state.streams)] in state.ended else max(0, length - delay)


def _counts(clause: str, counts: SavedCounts, most: Sequence[int], what: str) -> Iterator[str]:
    """At most one contradiction a clause, of the first channel that has one."""
    for channel, (satisfied, obligated) in enumerate(zip(counts.satisfied, counts.obligated, strict=True)):
        if satisfied > obligated:
            yield f"clause `{clause}` has {satisfied} satisfied of {obligated} obligated in channel {channel}"
            return
        if obligated > most[channel]:
            yield f"clause `{clause}` has {obligated} obligated in channel {channel}, of {most[channel]} {what}"
            return


def _activity(state: StreamState, events: SavedEvents) -> Iterator[str]:
    """The activity of the last frame is that of the runs that go on, and of the window's last frame."""
    for side in _SIDES:
        text = getattr(events.active, side)
        if len(text) > -(-state.channels // 4):
            yield f"`events.active.{side}` has more digits than channels"
            continue
        going = sum(
            1 << channel
            for channel, runs in enumerate(events.runs)
            if getattr(runs, side) and getattr(runs, side)[-1][1] is None
        )
        if int(text, 16) != going:
            yield f"`events.active.{side}` is not the activity of the runs that go on"


def _checked_runs(contract: Contract, state: StreamState, events: SavedEvents, channel: int) -> Iterator[str]:
    widest = int(contract.merge_gap // contract.step)
    length = state.length(channel)
    ended = state.streams[channel % len(state.streams)] in state.ended
    for side, gap in zip(_SIDES, (widest, widest, 0), strict=True):
        blocks = getattr(events.runs[channel].blocks, side)
        if not all(_is_block(block, gap) for block in blocks):
            yield f"a block of runs of `{side}` in channel {channel} is none that runs can make"
        whole: list[SavedRun] = [(block[0], block[1], True) for block in blocks]
        runs: Sequence[SavedRun] = sorted((*getattr(events.runs[channel], side), *whole), key=lambda run: run[0])
        if any(end is None for _, end, _ in runs[:-1]) or (runs and ended and runs[-1][1] is None):
            yield f"a run of `{side}` in channel {channel} goes on although it has ended"
            continue
        ends = [length if end is None else end for _, end, _ in runs]
        starts = [start for start, _, _ in runs]
        if any(not start < end <= length for start, end in zip(starts, ends, strict=True)):
            yield f"a run of `{side}` in channel {channel} has no frame, or more than the {length} there are"
        if any(later - earlier <= gap for earlier, later in zip(ends, starts[1:], strict=False)):
            yield f"two runs of `{side}` in channel {channel} are out of order or so near that they are one"
        if side != "ignored" and any(
            judged != ended and (ended or end is None or length - end <= gap) for _, end, judged in runs
        ):
            yield f"a run of `{side}` in channel {channel} is judged before it is final, or not although it has ended"


def _is_block(block: SavedBlock, gap: int) -> bool:
    """Whether some runs, farther apart than `gap`, have these ends, frames and gaps."""
    start, end, runs, frames, longest, shortest = block
    silent = end - start - frames
    if runs < 2 or frames < runs or not gap < shortest <= longest or (runs == 2 and shortest != longest):
        return False
    return shortest * (runs - 2) + longest <= silent <= longest * (runs - 2) + shortest


def _event_counts(contract: Contract, state: StreamState, events: SavedEvents) -> Iterator[str]:
    """Judged runs and those that wait fit side by side into the frames; what was judged is counter evidence."""
    widest = int(contract.merge_gap // contract.step)
    for clause in contract.event_clauses:
        sides = {Each.REF: ("ref",), Each.PRED: ("pred",), Each.MATCHED: ("ref", "pred")}[clause.each]
        most = [
            min(
                (state.length(channel) + widest + 1) // (widest + 2)
                - sum(not judged for _, _, judged in getattr(runs, side))
                for side in sides
            )
            for channel, runs in enumerate(events.runs)
        ]
        yield from _counts(clause.name, events.counts[clause.name], most, "runs that can have been judged")
        if any(n and not there for n, there in zip(events.counts[clause.name].obligated, events.counter, strict=True)):
            yield f"clause `{clause.name}` has obligations in a channel without counter evidence (7.4)"


# A monitor's state as plain JSON: saved mid-stream, restored with the same verdicts afterwards (rule 12.9).


def save_state(monitor: StreamMonitor) -> dict[str, Any]:
    """Everything a monitor needs to go on; it does not grow with the stream, event clauses aside."""
    return save_record(monitor).to_dict()


def save_record(monitor: StreamMonitor) -> StreamState:
    """The state of a monitor as a record."""
    window = monitor.window
    masks = {name: f"{mask:x}" for name, mask in zip(window.inputs, window.kept, strict=True)}
    counts = {
        clause.name: SavedCounts(*(tuple(row) for row in monitor.tallies.of(number).tolist()))
        for number, clause in enumerate(monitor.contract.frame_clauses)
    }
    return StreamState(
        format=FORMAT,
        contract=monitor.contract.digest,
        streams=monitor.streams,
        classes=monitor.classes,
        ignoring=monitor.ignoring,
        frames=monitor.frames,
        ended=dict(monitor.ended),
        window=SavedWindow(window.held, masks),
        counts=counts,
        events=_events(monitor),
    )


def restore_state(
    contract: Contract, state: Mapping[str, Any], *, on_arrival: Callable[[Arrival], object] | None = None
) -> StreamMonitor:
    """A monitor that goes on where another was saved; the contract must be the same one.

    A state that no monitor of the contract can have been in is refused with everything that speaks against it
    (rule 12.12).
    """
    saved = saved_state(contract, state, StreamState, "stream", FORMAT, ("restore_state", "save_state"))
    return restore_record(contract, saved, on_arrival)


def saved_state(
    contract: object, state: object, kind: type[_Saved], thing: str, format: str, functions: tuple[str, str]
) -> _Saved:
    """A saved state as its record; refused with what to do, by the functions that restore and save such a thing."""
    if not isinstance(contract, Contract) or not isinstance(state, Mapping):
        types = f"{type(contract).__name__} and {type(state).__name__}"
        raise TypeError(f"{functions[0]} takes a Contract and then the state that {functions[1]} made, not {types}")
    if state.get("format") != format:
        raise wrong_state([f"this is not a state of a {thing}: its format is `{state.get('format')}`, not `{format}`"])
    try:
        return record_of(dict(state), kind)
    except msgspec.ValidationError as fault:
        raise wrong_state([f"the state is not whole: {fault}"], f"see {thing}-state.schema.json") from fault


def restore_record(
    contract: Contract, state: StreamState, on_arrival: Callable[[Arrival], object] | None = None
) -> StreamMonitor:
    """The monitor of a record.

    Every part is checked before it is used: first what tells how much there is, then what is in it.
    """
    if state.contract != contract.digest:
        headline = (
            f"the state was saved under another contract: digest {state.contract[:16]}, "
            f"`{contract.name}` has {contract.digest[:16]}"
        )
        raise wrong_state([headline], "give the contract it was saved under, with the same --set values")
    _check(contradictions(contract, state))
    monitor = StreamMonitor(
        contract, streams=state.streams, classes=state.classes, ignoring=state.ignoring, on_arrival=on_arrival
    )
    streams = monitor.streams
    ended = [streams.index(name) for name in state.ended]
    monitor.lanes.end(label * len(streams) + i for label in range(len(monitor.classes)) for i in ended)
    monitor.ended = dict(state.ended)
    monitor.window.frames = state.frames
    _check(_restore_window(monitor, state))
    for number, clause in enumerate(contract.frame_clauses):
        counts = state.counts[clause.name]
        monitor.tallies.restore(number, counts.satisfied, counts.obligated)
    if state.events is not None:
        _check(_restore_events(monitor, state.events))
    return monitor


def _restore_window(monitor: StreamMonitor, state: StreamState) -> list[str]:
    """Put the last frames back; what of them cannot be."""
    window, channels = monitor.window, monitor.lanes.channels
    held, masks = state.window.frames, state.window.masks
    if held != min(window.width, state.frames):
        fits = f"{min(window.width, state.frames)} after {state.frames} frames"
        return [f"the window has {held} frames, not {fits}"]
    if set(masks) != set(window.inputs):
        return [f"the window's masks are not of {', '.join(f'`{name}`' for name in window.inputs) or 'no input'}"]
    if any(len(text) > max(1, -(-held * channels // 4)) for text in masks.values()):
        return ["a mask of the window has more digits than frames"]
    window.held = held
    window.kept = [int(masks[name], 16) for name in window.inputs]
    if any(mask & ~monitor.lanes.valid(held) for mask in window.kept):
        return ["a mask of the window is active where there is no frame, or where a stream has ended"]
    if state.events is None or not held:
        return []
    last = {name: mask >> (held - 1) * channels for name, mask in zip(window.inputs, window.kept, strict=True)}
    return [
        f"the last frame of `{side}_active` in the window is not `events.active.{side}`"
        for side in _SIDES[:2]
        if last.get(f"{side}_active", int(getattr(state.events.active, side), 16))
        != int(getattr(state.events.active, side), 16)
    ]


def _events(monitor: StreamMonitor) -> SavedEvents | None:
    events = monitor.events
    if events is None:
        return None
    return SavedEvents(
        active=SavedActivity(*(f"{mask:x}" for mask in events.active)),
        runs=tuple(map(_state_runs, events.sides)),
        counter=tuple(events.counter.tolist()),
        counts={
            judge.clause.name: SavedCounts(tuple(judge.satisfied.tolist()), tuple(judge.obligated.tolist()))
            for judge in events.judges
        },
    )


def _state_runs(sides: Sequence[StreamRuns]) -> SavedRuns:
    ref, pred, ignored = (
        tuple((run.start, run.end, run.judged) for run in side.runs if run.block is None) for side in sides
    )
    blocks = (tuple(run.block.numbers for run in side.runs if run.block is not None) for side in sides)
    return SavedRuns(ref, pred, ignored, SavedBlocks(*blocks))


def _stream_runs(saved: SavedRuns, side: str) -> list[StreamRun]:
    runs = [StreamRun(*run) for run in getattr(saved, side)]
    blocks = [RunBlock.of(*numbers) for numbers in getattr(saved.blocks, side)]
    runs += [StreamRun(*block, judged=True, block=block) for block in blocks]
    return sorted(runs, key=lambda run: run.start)


def _restore_events(monitor: StreamMonitor, saved: SavedEvents) -> list[str]:
    """Put the runs back; what of them cannot be."""
    events = monitor.events
    assert events is not None
    events.active = [int(getattr(saved.active, side), 16) for side in _SIDES]
    for sides, runs in zip(events.sides, saved.runs, strict=True):
        for number, side in enumerate(_SIDES):
            sides[number] = StreamRuns(sides[number].widest, _stream_runs(runs, side))
    events.counter[:] = saved.counter
    for judge in events.judges:
        counts = saved.counts[judge.clause.name]
        judge.satisfied[:], judge.obligated[:] = counts.satisfied, counts.obligated
    if events.restore(monitor.frames):
        return []
    return ["runs whose component is closed have no verdict (rule 12.6)"]


def _check(contradictions: list[str]) -> None:
    if contradictions:
        raise wrong_state(
            [f"the state is none that this contract's monitor can be in: {each}" for each in contradictions],
            "give the state as it was saved; it is not for editing by hand",
        )


def wrong_state(headlines: list[str], help: str | None = None) -> InvalidInput:
    """Why a state is refused."""
    return InvalidInput([Diagnostic("wrong-state", headline, None, help) for headline in headlines])
