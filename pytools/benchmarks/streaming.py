"""The streaming monitor: against rtamt's online monitor by chunk size, against the offline engine, and its memory."""

import dataclasses
import logging
import subprocess
import sys
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from time import process_time
from typing import Any

import numpy as np

from benchmarks.data import activity, atom_frames, starter
from benchmarks.harness import Frames, Options, Row, Target, check_equal, race, sized
from tracepact import Contract
from tracepact.data.family import offset, onset, pack
from tracepact.evaluate.masks import IntegerAlgebra, evaluate_masks
from tracepact.language.contract import FrameClause
from tracepact.language.formula import Atom, Eventually, Formula, Implies
from tracepact.stream import StreamBank, StreamMonitor

SUBJECT = "streaming"
CHUNKS = (1, 64, 4096)
FRAMES = sized(1 << 20, 1 << 12)
PEER_FRAMES = sized(1 << 13, 1 << 9)
CHANNELS = sized(1000, 20)
STREAMS = sized(10_000, 200)
TICKS = sized(200, 10)
MEMORY_FRAMES = sized(10_000_000, 20_000)


def measure(_: Options) -> Iterator[Row]:
    """The five frame guards of the starter contract, arrays in, verdicts and counts out."""
    contract = starter()
    contract = dataclasses.replace(contract, clauses=contract.frame_clauses)
    frames = atom_frames(0, FRAMES)
    yield from _against_rtamt(contract, frames)
    yield from _frame_by_frame(contract, "five frame guards", Target(2000, at_least=False))
    yield from _frame_by_frame(starter(), "all clauses", None)
    yield from _against_offline(contract, frames)
    yield from _many_channels(contract)
    yield from _bank(contract, "five frame guards")
    yield from _bank(starter(), "all clauses")
    yield from _memory()


def _against_rtamt(contract: Contract, frames: dict[str, Frames]) -> Iterator[Row]:
    """Chunks of every size; rtamt takes a sample at a time, so a chunk is a loop for it, over ready-made lists."""
    short = {name: values[:PEER_FRAMES] for name, values in frames.items()}
    try:
        peer = _rtamt(contract, short)
    except ImportError:
        yield Row(SUBJECT, "faster than rtamt's online monitor", None, "×", note="not installed")
        return
    for chunk in CHUNKS:
        ours = _stream(contract, short, chunk)
        check_equal(f"{SUBJECT}, chunks of {chunk}", _verdicts(contract, short, chunk), peer())
        fast, slow = race(ours, peer, repeats=5)
        note = f"{fast / PEER_FRAMES * 1e9:,.0f} against {slow / PEER_FRAMES * 1e9:,.0f} ns/frame, verdicts compared"
        yield Row(SUBJECT, f"faster than rtamt online, chunks of {chunk:,}", slow / fast, "×", Target(1), note)


def _frame_by_frame(contract: Contract, what: str, target: Target | None) -> Iterator[Row]:
    """What one frame costs, in time of the processor: the least of several rounds of a monitor that is running."""
    frames = atom_frames(0, PEER_FRAMES)
    pairs = zip(*(frames[name].tolist() for name in _SIDES), strict=True)
    pieces = [dict(zip(_SIDES, pair, strict=True)) for pair in pairs]
    monitor = StreamMonitor(contract)
    rounds = []
    for _ in range(15):
        start = process_time()
        for piece in pieces:
            monitor.push(piece)
        rounds.append(process_time() - start)
    cost = min(rounds) / PEER_FRAMES * 1e9
    yield Row(SUBJECT, f"a frame at a time, {what}", cost, "ns/frame", target, f"{1e9 / cost:,.0f} frames a second")


def _against_offline(contract: Contract, frames: dict[str, Frames]) -> Iterator[Row]:
    """Both from two Boolean arrays to the counts of every clause; the monitor has been running for a while."""
    size = CHUNKS[-1]
    ref, pred = frames["ref_active"], frames["pred_active"]
    offline = _offline(contract, ref, pred)
    monitor = StreamMonitor(contract)
    pieces = [{"ref_active": ref[at : at + size], "pred_active": pred[at : at + size]} for at in range(0, FRAMES, size)]
    for piece in pieces:
        monitor.push(piece)
    monitor.close()
    totals = np.array([(score.obligated, score.satisfied) for score in monitor.vector().values()])
    check_equal(f"{SUBJECT}, counts", [totals], [np.array(offline())])
    running = StreamMonitor(contract)

    def stream() -> None:
        for piece in pieces:
            running.push(piece)

    slow, fast = race(stream, offline, repeats=15)
    note = f"{slow / FRAMES * 1e9:.2f} against {fast / FRAMES * 1e9:.2f} ns/frame over {FRAMES:,} frames"
    target = Target(3, at_least=False)
    yield Row(SUBJECT, f"times the offline engine, chunks of {size:,}", slow / fast, "×", target, note)


def _many_channels(contract: Contract) -> Iterator[Row]:
    """A thousand channels in one monitor, against a monitor for each."""
    generator = np.random.default_rng(5)
    size = CHUNKS[1]
    sides = {name: np.stack([activity(generator, size) for _ in range(CHANNELS)], axis=1) for name in _SIDES}
    together = StreamMonitor(contract, streams=[f"s{i}" for i in range(CHANNELS)])
    apart = [StreamMonitor(contract) for _ in range(CHANNELS)]
    columns = [{name: np.ascontiguousarray(side[:, i]) for name, side in sides.items()} for i in range(CHANNELS)]

    def loop() -> None:
        for monitor, column in zip(apart, columns, strict=True):
            monitor.push(column)

    fast, slow = race(lambda: together.push(sides), loop, repeats=5)
    note = f"{fast / size / CHANNELS * 1e9:.2f} ns a frame of a channel, chunks of {size}"
    yield Row(SUBJECT, f"{CHANNELS:,} channels in one monitor, faster than a loop", slow / fast, "×", note=note)


def _bank(contract: Contract, what: str) -> Iterator[Row]:
    """Ten thousand streams in a bank, a frame of each at a time, against a loop over monitors of a hundred of them."""
    generator = np.random.default_rng(6)
    names = [f"s{i}" for i in range(STREAMS)]
    sides = {name: np.stack([activity(generator, TICKS) for _ in names], axis=1) for name in _SIDES}
    bank = StreamBank(contract)
    bank.open(*names)
    few = range(0, STREAMS, STREAMS // 100)
    apart = {i: StreamMonitor(contract) for i in few}
    frames = {i: [{n: bool(s[t, i]) for n, s in sides.items()} for t in range(TICKS)] for i in few}

    def together() -> None:
        for tick in range(TICKS):
            bank.push({name: side[tick] for name, side in sides.items()})

    def loop() -> None:
        for i, monitor in apart.items():
            for frame in frames[i]:
                monitor.push(frame)

    start = process_time()
    together()
    middle = process_time()
    loop()
    seconds, alone = middle - start, process_time() - middle  # of the processor: what one core holds
    for clause in contract.clauses:
        counts = bank.counts(clause.name)
        ours = [counts.satisfied[0, list(few)], counts.obligated[0, list(few)]]
        theirs = [monitor.counts(clause.name) for monitor in apart.values()]
        wanted = [np.array([c.satisfied[0, 0] for c in theirs]), np.array([c.obligated[0, 0] for c in theirs])]
        check_equal(f"{SUBJECT}, bank, {clause.name}", ours, wanted)
    note = f"{what}, a frame of each at a time, {seconds / TICKS * 1e3:.3g} ms for all; counts compared"
    measure = f"{STREAMS:,} streams in a bank, {what}"
    yield Row(SUBJECT, measure, TICKS / seconds, "frames/s each", Target(50), note)
    ratio = (alone / len(few)) / (seconds / STREAMS)
    note = (
        f"{alone / len(few) / TICKS * 1e9:,.0f} against {seconds / STREAMS / TICKS * 1e9:,.0f} ns a frame of a stream"
    )
    yield Row(SUBJECT, f"{measure}, faster than monitors", ratio, "×", Target(1), note)


def _memory() -> Iterator[Row]:
    """In a process of its own: what is held after a tenth of the stream, after all of it, and the peak between."""
    command = [sys.executable, "-m", "benchmarks.streaming"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    early, late, peak = map(int, output.split())
    note = f"{early:,} bytes held after {MEMORY_FRAMES // 10:,} frames, {late:,} after {MEMORY_FRAMES:,}; tracemalloc"
    yield Row(SUBJECT, "memory, growth over nine million frames", late - early, "bytes", Target(4096, False), note)
    yield Row(SUBJECT, "memory, peak", peak, "bytes", note="chunks of 4,096 frames, all clauses but the event clauses")


_SIDES = ("ref_active", "pred_active")


def _stream(contract: Contract, frames: dict[str, Frames], chunk: int) -> Callable[[], StreamMonitor]:
    count = len(frames["ref_active"])
    if chunk == 1:
        pairs = list(zip(*(frames[name].tolist() for name in _SIDES), strict=True))
        pieces: list[dict[str, Any]] = [dict(zip(_SIDES, pair, strict=True)) for pair in pairs]
    else:
        pieces = [{name: frames[name][at : at + chunk] for name in _SIDES} for at in range(0, count, chunk)]

    def run() -> StreamMonitor:
        monitor = StreamMonitor(contract)
        for piece in pieces:
            monitor.push(piece)
        monitor.close()
        return monitor

    return run


def _verdicts(contract: Contract, frames: dict[str, Frames], chunk: int) -> list[Frames]:
    """The verdicts of every clause that are out before the stream ends."""
    monitor = StreamMonitor(contract)
    found: dict[str, list[Frames]] = {clause.name: [] for clause in contract.frame_clauses}
    for at in range(0, len(frames["ref_active"]), chunk):
        for verdicts in monitor.push({name: frames[name][at : at + chunk] for name in _SIDES}).verdicts:
            found[verdicts.clause.name].append(verdicts.holds[:, 0])
    return [np.concatenate(some) for some in found.values()]


def _offline(contract: Contract, ref: Frames, pred: Frames) -> Callable[[], list[tuple[int, int]]]:
    def run() -> list[tuple[int, int]]:
        valid = (1 << len(ref)) - 1
        r, p = pack(ref), pack(pred)
        atoms = {"ref_active": r, "ref_onset": onset(r), "ref_offset": offset(r, valid)}
        atoms |= {"pred_active": p, "pred_onset": onset(p), "pred_offset": offset(p, valid)}
        masks = evaluate_masks(contract.formulas, atoms, IntegerAlgebra(valid, len(ref)))
        return [(o.bit_count(), (o & f).bit_count()) for o, f in zip(masks[::2], masks[1::2], strict=True)]

    return run


def _rtamt(contract: Contract, frames: dict[str, Frames]) -> Callable[[], list[Frames]]:
    """One specification a guard, written in the past: rtamt's own `pastify` gets predicates wrong."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        rtamt = import_module("rtamt")
    logging.getLogger().setLevel(logging.ERROR)
    prepared = []
    for clause in contract.frame_clauses:
        text, names, delay = _past(clause)
        columns = [np.where(frames[name], 1.0, -1.0).tolist() for name in names]
        samples = [list(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        prepared.append((text, names, delay, samples))

    def run() -> list[Frames]:
        found = []
        for text, names, delay, samples in prepared:
            specification: Any = rtamt.StlDiscreteTimeSpecification()
            for name in names:
                specification.declare_var(name, "float")
            specification.spec = text
            specification.parse()
            verdicts = [specification.update(i, sample) for i, sample in enumerate(samples)]
            found.append(np.array(verdicts[delay:]) > 0)
        return found

    return run


def _past(clause: FrameClause) -> tuple[str, tuple[str, str], int]:
    """A guard `o -> N[r] p` moved into the past by its lookahead."""
    formula: Formula = clause.formula
    match formula:
        case Implies(Atom(obligation), Eventually(lo, hi, Atom(witness))) if lo <= 0 <= hi:
            return f"(once[{hi}:{hi}] {obligation}) implies (once[0:{hi - lo}] {witness})", (obligation, witness), hi
    raise ValueError("not a guard")


def _run_long() -> None:
    """Ten million frames in chunks, made as they are needed."""
    contract = starter()
    contract = dataclasses.replace(contract, clauses=contract.frame_clauses)
    generator = np.random.default_rng(9)
    monitor = StreamMonitor(contract)
    size = CHUNKS[-1]
    blocks = [{name: generator.random(size) < 0.5 for name in _SIDES} for _ in range(16)]
    tracemalloc.start()
    held = []
    for number in range(MEMORY_FRAMES // size + 1):
        monitor.push(blocks[number % len(blocks)])
        if number in (MEMORY_FRAMES // 10 // size, MEMORY_FRAMES // size):
            held.append(tracemalloc.get_traced_memory()[0])
    print(*held, tracemalloc.get_traced_memory()[1])


if __name__ == "__main__":
    _run_long()
