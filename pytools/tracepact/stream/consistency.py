"""What speaks against a saved state: why no monitor of its contract can have been in it (rule 12.12)."""

from collections.abc import Iterator, Mapping, Sequence

from tracepact.core import Contract, Each, lookahead
from tracepact.stream.saved import SavedBlock, SavedCounts, SavedEvents, SavedRun, StreamState

_SIDES = ("ref", "pred", "ignored")


def contradictions(contract: Contract, state: StreamState) -> list[str]:
    """What cannot be in a state that has the form of the schema."""
    found = list(_names(state))
    found += _sizes(contract, state)
    if found:
        return found
    if state.events is not None:
        found += _activity(state, state.events)
        for channel in range(state.channels):
            found += _runs(contract, state, state.events, channel)
    for clause in contract.frame_clauses:
        delay = max(lookahead(clause.obligation), lookahead(clause.formula))
        verdicts = [_due(state, channel, delay) for channel in range(state.channels)]
        found += _counts(clause.name, state.counts[clause.name], verdicts, "verdicts that can be out")
    return found if state.events is None else found + list(_event_counts(contract, state, state.events))


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
    """How many verdicts of a frame clause are out (rules 12.2 and 12.3)."""
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


def _runs(contract: Contract, state: StreamState, events: SavedEvents, channel: int) -> Iterator[str]:
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
