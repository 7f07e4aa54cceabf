"""The five frame guards over a long trace, against NumPy prefix sums and the floor of copying the bitset."""

from collections.abc import Iterator

import numpy as np

from benchmarks.data import atom_frames, starter
from benchmarks.harness import Options, Row, Target, check_equal, race, sized
from benchmarks.prefix_sums import guards, near_plain, near_tuned
from tracepact.data.family import pack, unpack
from tracepact.evaluate.masks import IntegerAlgebra, evaluate_masks

SUBJECT = "five frame guards"
FRAMES = sized(1_000_000, 5_000)


class _CountingAlgebra(IntegerAlgebra):
    """Masks as integers, and how many passes over a mask were made."""

    passes = 0
    shifts = 0

    def conjunction(self, a: int, b: int, /) -> int:
        self.passes += 1
        return super().conjunction(a, b)

    def disjunction(self, a: int, b: int, /) -> int:
        self.passes += 1
        return super().disjunction(a, b)

    def difference(self, a: int, b: int, /) -> int:
        self.passes += 1
        return super().difference(a, b)

    def later(self, a: int, k: int, /) -> int:
        self.passes += 1
        self.shifts += 1
        return super().later(a, k)

    def earlier(self, a: int, k: int, /) -> int:
        self.passes += 1
        self.shifts += 1
        return super().earlier(a, k)


def measure(_: Options) -> Iterator[Row]:
    """Atoms in, verdicts out, each side in its own representation."""
    contract = starter()
    formulas = [clause.formula for clause in contract.frame_clauses]
    frames = atom_frames(0, FRAMES)
    masks = {name: pack(values) for name, values in frames.items()}
    valid = (1 << FRAMES) - 1

    def engine(algebra: IntegerAlgebra | None = None) -> list[int]:
        return evaluate_masks(formulas, masks, algebra or IntegerAlgebra(valid, FRAMES))

    ours = [unpack(mask, FRAMES) for mask in engine()]
    check_equal(SUBJECT, ours, guards(contract, frames, near_plain))
    check_equal(SUBJECT, ours, guards(contract, frames, near_tuned))
    counting = _CountingAlgebra(valid, FRAMES)
    engine(counting)
    words = np.zeros(-(-FRAMES // 64), dtype=np.uint64)

    def floor() -> None:
        for _ in range(counting.passes):
            words.copy()

    fast, plain, tuned, copies = race(
        engine,
        lambda: guards(contract, frames, near_plain),
        lambda: guards(contract, frames, near_tuned),
        floor,
    )
    yield Row(SUBJECT, f"engine, {FRAMES:,} frames", fast * 1e3, "ms", note=f"{counting.passes} passes")
    yield Row(SUBJECT, "faster than plain NumPy prefix sums", plain / fast, "×", Target(50), f"{plain * 1e3:.3g} ms")
    yield Row(
        SUBJECT, "faster than tuned NumPy prefix sums", tuned / fast, "×", note=f"{tuned * 1e3:.3g} ms, padded slices"
    )
    yield Row(
        SUBJECT, "times the floor", fast / copies, "×", note=f"one copy of the bitset a pass: {copies * 1e3:.3g} ms"
    )
    yield from _why(masks, fast, counting)


def _why(masks: dict[str, int], engine: float, counting: _CountingAlgebra) -> Iterator[Row]:
    """Where the distance to the floor comes from: integers are cheap to combine, dear to shift and to make words of."""
    a, b = masks["ref_active"], masks["pred_active"]
    octets = -(-FRAMES // 8)
    words = np.zeros(-(-FRAMES // 64), dtype=np.uint64)
    copy, both, shift, turn = race(
        words.copy, lambda: a & b, lambda: a << 1, lambda: a.to_bytes(octets, "little"), repeats=15
    )
    note = f"{shift * counting.shifts / engine:.0%} of the engine's time are its {counting.shifts} shifts"
    yield Row(SUBJECT, "a shift, times a copy", shift / copy, "×", note=note)
    yield Row(SUBJECT, "an and, times a copy", both / copy, "×", note=f"{both * 1e6:.3g} µs")
    note = "what a kernel over words would cost before it begins, for each atom"
    yield Row(SUBJECT, "an integer as words, times a copy", turn / copy, "×", note=note)
