"""The long haul: `watch` over many frames, and many streams in one bank for an hour; exact counts, flat memory.

`python -m benchmarks.long_haul` (`make long-haul`) runs 10^8 frames and 1,000 streams × 3,600 s; it ends with 1 if a
count is not exact. The data repeat after a period, so that the counts of any length follow from two short clips, which
the offline engine scores.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks.data import activity, starter
from benchmarks.harness import Frames
from tracepact import Contract
from tracepact.data.family import Family, Mode, Side
from tracepact.evaluate.scorecard import score_family
from tracepact.language.formula import runs_of_frames
from tracepact.stream import StreamBank

PERIOD = 3000
RATE = 50
"""Frames a second, as the step of the contract is 20 ms."""

Counts = dict[str, tuple[int, int]]
"""Satisfied and obligated of every clause."""


@dataclass(frozen=True, slots=True)
class Haul:
    """What a long run counted and should have, and its memory in kB after a tenth of it and at its end."""

    what: str
    counts: Counts
    expected: Counts
    early: int
    late: int
    seconds: float

    @property
    def is_exact(self) -> bool:
        """Whether all counts are those of the offline engine."""
        return self.counts == self.expected

    def lines(self) -> list[str]:
        """The run in text."""
        said = [f"{self.what}: {self.seconds:,.0f} s of the processor", "  counts, satisfied of obligated:"]
        said += [f"    {name:<22}{satisfied:>16,} of {of:>16,}" for name, (satisfied, of) in self.counts.items()]
        said.append(f"  {'exact: the offline counts' if self.is_exact else f'NOT EXACT, expected {self.expected}'}")
        said.append(f"  memory: {self.early:,} kB after a tenth, {self.late:,} kB at the end")
        return said


def watched(frames: int) -> Haul:
    """`tracepact watch` over so many frames as lines of text, in a process of its own."""
    contract = starter()
    ref, _ = _sides(1)
    pred = np.roll(ref, 1)
    pred[PERIOD // 2 : PERIOD // 2 + 3] ^= True  # a few violations in a period: all of them are printed
    period = "".join(f"{int(r)} {int(p)}\n" for r, p in zip(ref, pred, strict=True)).encode()
    periods = max(10, frames // PERIOD)
    command = [sys.executable, "-m", "tracepact", "watch", "boundary_gate", "--format", "json"]
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "told").open("w+b") as told:
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=told)
        assert child.stdin is not None
        early = late = 0
        for number in range(periods):
            child.stdin.write(period)
            if number == periods // 10:
                child.stdin.flush()
                early = memory(child.pid)
        child.stdin.flush()
        late, seconds = memory(child.pid), _processor(child.pid)
        child.stdin.close()
        if child.wait():
            raise SystemExit("watch did not end well")
        told.seek(0)
        violations = 0
        for line in told:
            violations += b'"violation"' in line
            last = line
    vector: list[dict[str, Any]] = json.loads(last)["vector"]
    counts = {each["clause"]: (each["score"]["satisfied"], each["score"]["obligated"]) for each in vector}
    expected = _expected(contract, [(ref, pred)], periods)
    if violations != sum(of - satisfied for satisfied, of in expected.values()):
        raise SystemExit(f"watch told {violations} violations")
    return Haul(
        f"watch, {periods * PERIOD:,} frames, {violations:,} violations told", counts, expected, early, late, seconds
    )


def banked(streams: int, seconds: int) -> Haul:
    """A bank of streams of the same period, each begun elsewhere in it, in chunks of unequal length."""
    contract = starter()
    ref, pred = _sides(2)
    begin = np.arange(streams) * 7 % PERIOD
    total = max(10, seconds * RATE // PERIOD) * PERIOD
    generator = np.random.default_rng(3)
    bank = StreamBank(contract)
    bank.open(*(f"s{i}" for i in range(streams)))
    at, early, start = np.zeros(streams, dtype=np.int64), 0, process_time()
    while (at < total).any():
        lengths = np.minimum(generator.integers(RATE - 20, RATE + 21, size=streams), total - at)
        places = (begin + at + np.arange(int(lengths.max()))[:, None]) % PERIOD
        bank.push({"ref_active": ref[places], "pred_active": pred[places]}, lengths=lengths)
        at += lengths
        if not early and at.min() >= total // 10:
            early = memory()
    late, took = memory(), process_time() - start
    closed = bank.close()
    counts = {}
    for clause in contract.clauses:
        found = closed.counts(clause.name)
        counts[clause.name] = int(found.satisfied.sum()), int(found.obligated.sum())
    pairs = [(np.roll(ref, -int(b)), np.roll(pred, -int(b))) for b in begin]
    what = f"a bank of {streams:,} streams, {total // RATE:,} s each, {streams * total:,} frames"
    return Haul(what, counts, _expected(contract, pairs, total // PERIOD), early, late, took)


def _sides(seed: int) -> tuple[Frames, Frames]:
    """A period of a reference and a prediction that is sometimes late, lost or in pieces."""
    generator = np.random.default_rng(seed)
    ref = activity(generator, PERIOD)
    pred = np.roll(ref, 2) ^ (activity(generator, PERIOD, mean_run=400) & activity(generator, PERIOD, mean_run=20))
    return ref, pred


def _expected(contract: Contract, pairs: list[tuple[Frames, Frames]], periods: int) -> Counts:
    """The counts of so many periods: each adds what the third one adds to two."""
    two, three = (_offline(contract, [[np.tile(side, n) for side in pair] for pair in pairs]) for n in (2, 3))
    return {
        name: tuple(c + (periods - 3) * (c - b) for b, c in zip(two[name], three[name], strict=True))  # type: ignore[misc]
        for name in three
    }


def _offline(contract: Contract, clips: list[list[Frames]]) -> Mapping[str, tuple[int, int]]:
    runs = [{i: runs_of_frames(clip[side].tolist()) for i, clip in enumerate(clips)} for side in range(2)]
    family = Family(
        contract.step,
        Mode.UNION,
        tuple(f"s{i}" for i in range(len(clips))),
        tuple(len(clip[0]) for clip in clips),
        ("*",),
        {Side.REF: runs[0], Side.PRED: runs[1]},
        {},
        {},
    )
    counts = score_family(contract, family).counts
    return {name: (int(c.satisfied.sum()), int(c.obligated.sum())) for name, c in counts.items()}


def memory(process: int | str = "self") -> int:
    """The resident memory of a process in kB, where the system tells it; else 0."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")), 0)


def _processor(process: int) -> float:
    """The seconds a process has had the processor, where the system tells it; else 0."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / 100


def main() -> None:
    """Run both and print what was counted."""
    parser = argparse.ArgumentParser(prog="benchmarks.long_haul", description="Exact counts and flat memory.")
    parser.add_argument("--frames", type=int, default=100_000_000, help="frames of the stream that watch reads")
    parser.add_argument("--streams", type=int, default=1000, help="streams of the bank")
    parser.add_argument("--seconds", type=int, default=3600, help="seconds of each stream of the bank")
    chosen = parser.parse_args()
    exact = True
    for haul in (lambda: banked(chosen.streams, chosen.seconds), lambda: watched(chosen.frames)):
        found = haul()
        print("\n".join(found.lines()), flush=True)
        exact &= found.is_exact
    sys.exit(not exact)


if __name__ == "__main__":
    main()
