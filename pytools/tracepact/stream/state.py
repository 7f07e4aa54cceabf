"""A monitor's state as plain JSON: saved mid-stream, restored with the same verdicts afterwards (rule 12.9)."""

from collections.abc import Callable, Mapping
from typing import Any

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, InvalidInput
from tracepact.stream.monitor import StreamMonitor
from tracepact.stream.runs import StreamRun, StreamRuns
from tracepact.stream.verdicts import Arrival

FORMAT = "tracepact-stream/1"
Data = dict[str, Any]
_SIDES = ("ref", "pred", "ignored")


def save_state(monitor: StreamMonitor) -> Data:
    """Everything a monitor needs to go on; it does not grow with the stream, event clauses aside."""
    window = monitor.window
    return {
        "format": FORMAT,
        "contract": monitor.contract.digest,
        "streams": list(monitor.streams),
        "classes": list(monitor.classes),
        "ignoring": monitor.ignoring,
        "frames": monitor.frames,
        "ended": dict(monitor.ended),
        "window": {
            "frames": window.held,
            "masks": {name: f"{mask:x}" for name, mask in zip(window.inputs, window.kept, strict=True)},
        },
        "counts": {
            clause.name: dict(zip(("satisfied", "obligated"), monitor.tallies.of(number).tolist(), strict=True))
            for number, clause in enumerate(monitor.contract.frame_clauses)
        },
        "events": _events(monitor),
    }


def restore_state(
    contract: Contract, state: Mapping[str, Any], *, on_arrival: Callable[[Arrival], object] | None = None
) -> StreamMonitor:
    """A monitor that goes on where another was saved; the contract must be the same one."""
    _check_arguments(contract, state)
    if state.get("format") != FORMAT:
        raise _refused(f"this is not a state of a stream: its format is `{state.get('format')}`, not `{FORMAT}`")
    if state.get("contract") != contract.digest:
        raise _refused(
            f"the state was saved under another contract: digest {str(state.get('contract'))[:16]}, "
            f"`{contract.name}` has {contract.digest[:16]}",
            "give the contract it was saved under, with the same --set values",
        )
    try:
        return _restored(contract, state, on_arrival)
    except (AttributeError, KeyError, TypeError, ValueError, IndexError, StopIteration) as fault:
        headline = f"the state is not whole: {type(fault).__name__.lower()} at {fault}"
        raise _refused(headline, "see stream-state.schema.json") from fault


def _check_arguments(contract: object, state: object) -> None:
    if not isinstance(contract, Contract) or not isinstance(state, Mapping):
        given = f"{type(contract).__name__} and {type(state).__name__}"
        raise TypeError(f"restore_state takes a Contract and then the state that save_state made, not {given}")


def _restored(
    contract: Contract, state: Mapping[str, Any], on_arrival: Callable[[Arrival], object] | None
) -> StreamMonitor:
    monitor = StreamMonitor(
        contract,
        streams=state["streams"],
        classes=state["classes"],
        ignoring=state["ignoring"],
        on_arrival=on_arrival,
    )
    streams = monitor.streams
    ended = [streams.index(name) for name in state["ended"]]
    monitor.lanes.end(label * len(streams) + i for label in range(len(monitor.classes)) for i in ended)
    monitor.ended = dict(state["ended"])
    window = monitor.window
    monitor.frames = window.frames = _count(state["frames"])
    window.held = _count(state["window"]["frames"])
    if window.held != min(window.width, window.frames):
        raise ValueError("window")
    window.kept = [int(state["window"]["masks"][name], 16) for name in window.inputs]
    if any(mask & ~monitor.lanes.valid(window.held) for mask in window.kept):
        raise ValueError("masks")
    for number, clause in enumerate(contract.frame_clauses):
        counts = state["counts"][clause.name]
        monitor.tallies.restore(number, counts["satisfied"], counts["obligated"])
    _restore_events(monitor, state["events"])
    return monitor


def _events(monitor: StreamMonitor) -> Data | None:
    events = monitor.events
    if events is None:
        return None
    return {
        "active": {side: f"{mask:x}" for side, mask in zip(_SIDES, events.active, strict=True)},
        "runs": [
            {
                side: [[run.start, run.end, run.judged] for run in runs.runs]
                for side, runs in zip(_SIDES, each, strict=True)
            }
            for each in events.sides
        ],
        "counter": events.counter.tolist(),
        "counts": {
            judge.clause.name: {"satisfied": judge.satisfied.tolist(), "obligated": judge.obligated.tolist()}
            for judge in events.judges
        },
    }


def _restore_events(monitor: StreamMonitor, data: Mapping[str, Any] | None) -> None:
    events = monitor.events
    if events is None or data is None:
        if events is not None or data is not None:
            raise ValueError("events")
        return
    events.active = [int(data["active"][side], 16) for side in _SIDES]
    for sides, saved in zip(events.sides, data["runs"], strict=True):
        for number, side in enumerate(_SIDES):
            sides[number] = StreamRuns(sides[number].widest, (_run(run) for run in saved[side]))
    events.counter[:] = data["counter"]
    for judge in events.judges:
        counts = data["counts"][judge.clause.name]
        judge.satisfied[:], judge.obligated[:] = counts["satisfied"], counts["obligated"]
    events.restore(monitor.frames)


def _run(saved: Any) -> StreamRun:
    start, end, judged = saved
    return StreamRun(_count(start), None if end is None else _count(end), bool(judged))


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r}")
    return value


def _refused(headline: str, help: str | None = None) -> InvalidInput:
    return InvalidInput([Diagnostic("wrong-state", headline, None, help)])
