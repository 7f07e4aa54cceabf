"""A monitor's state as plain JSON: saved mid-stream, restored with the same verdicts afterwards (rule 12.9)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, InvalidInput
from tracepact.events.attributes import Block
from tracepact.records import record_of
from tracepact.stream.consistency import contradictions
from tracepact.stream.monitor import StreamMonitor
from tracepact.stream.runs import StreamRun, StreamRuns
from tracepact.stream.saved import (
    FORMAT,
    SavedActivity,
    SavedBlocks,
    SavedCounts,
    SavedEvents,
    SavedRuns,
    SavedWindow,
    StreamState,
)
from tracepact.stream.verdicts import Arrival

_SIDES = ("ref", "pred", "ignored")


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
    check_arguments(contract, state, "restore_state", "save_state")
    if state.get("format") != FORMAT:
        raise wrong_state([f"this is not a state of a stream: its format is `{state.get('format')}`, not `{FORMAT}`"])
    try:
        saved = record_of(dict(state), StreamState)
    except msgspec.ValidationError as fault:
        raise wrong_state([f"the state is not whole: {fault}"], "see stream-state.schema.json") from fault
    return restore_record(contract, saved, on_arrival)


def check_arguments(contract: object, state: object, restores: str, saves: str) -> None:
    """A contract and a state, in this order."""
    if not isinstance(contract, Contract) or not isinstance(state, Mapping):
        given = f"{type(contract).__name__} and {type(state).__name__}"
        raise TypeError(f"{restores} takes a Contract and then the state that {saves} made, not {given}")


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
        runs=tuple(map(_runs, events.sides)),
        counter=tuple(events.counter.tolist()),
        counts={
            judge.clause.name: SavedCounts(tuple(judge.satisfied.tolist()), tuple(judge.obligated.tolist()))
            for judge in events.judges
        },
    )


def _runs(sides: Sequence[StreamRuns]) -> SavedRuns:
    ref, pred, ignored = (
        tuple((run.start, run.end, run.judged) for run in side.runs if run.block is None) for side in sides
    )
    blocks = (tuple(run.block.numbers for run in side.runs if run.block is not None) for side in sides)
    return SavedRuns(ref, pred, ignored, SavedBlocks(*blocks))


def _stream_runs(saved: SavedRuns, side: str) -> list[StreamRun]:
    runs = [StreamRun(*run) for run in getattr(saved, side)]
    blocks = [Block.of(*numbers) for numbers in getattr(saved.blocks, side)]
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
