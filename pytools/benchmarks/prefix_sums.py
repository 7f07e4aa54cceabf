"""The frame guards in NumPy, by prefix sums: plain as the definition reads, and tuned."""

from collections.abc import Callable, Mapping

import numpy as np

from benchmarks.harness import Frames
from tracepact.language.contract import Contract, FrameClause
from tracepact.language.formula import Atom, Eventually, Implies

Near = Callable[[Frames, int, int], Frames]


def near_plain(mask: Frames, lo: int, hi: int) -> Frames:
    """Where the mask holds at an offset from lo to hi: a difference of prefix sums, indices clipped to the trace."""
    sums = np.concatenate(([0], np.cumsum(mask)))
    frames = len(mask)
    index = np.arange(frames)
    first = np.clip(index + lo, 0, frames)
    last = np.clip(index + hi + 1, 0, frames)
    return np.asarray(sums[last] > sums[first])


def near_tuned(mask: Frames, lo: int, hi: int) -> Frames:
    """The same for windows around zero without gathering: pad by the window, then compare two slices."""
    sums = np.zeros(len(mask) + hi - lo + 1, dtype=np.int32)
    np.cumsum(mask, out=sums[1 - lo : len(mask) + 1 - lo])
    sums[len(mask) + 1 - lo :] = sums[len(mask) - lo]
    return np.asarray(sums[hi - lo + 1 :] != sums[: len(mask)])


def guard(clause: FrameClause, atoms: Mapping[str, Frames], near: Near) -> Frames:
    """The verdicts of a clause `o -> F[lo,hi] p`, the shape of all frame guards."""
    match clause.formula:
        case Implies(Atom(obligation), Eventually(lo, hi, Atom(witness))):
            return ~atoms[obligation] | near(atoms[witness], lo, hi)
    raise ValueError(f"clause `{clause.name}` is not a guard")


def guards(contract: Contract, atoms: Mapping[str, Frames], near: Near) -> list[Frames]:
    """The verdicts of every frame guard."""
    return [guard(clause, atoms, near) for clause in contract.frame_clauses]
