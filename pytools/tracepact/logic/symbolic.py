"""Core formulas over Z3 bit-vectors: the engine's own windows by doubling, with masks a solver may choose.

The question is always whether a formula holds at some frame of some trace. There are two encodings.

*In sight of a frame.* The frame is fixed, bit `lookback` of vectors of `bound = lookback + 1 + lookahead` bits, and
what is chosen besides the atoms is where the trace begins and ends: `valid` is any block of bits around the judged one.
Frames beyond that block do not exist; frames of the trace beyond the vector are not looked at from the judged frame
(see `decide` for the argument). A bit that a shift pushes out of the vector is one of those, so no padding is needed.

*A short trace.* The vectors are as wide as the longest trace that is asked about, however far the formula looks: every
window is cut at the ends of the trace, and an offset of its length or more lies outside it from every frame. `valid`
is the first bits of a vector; the judged frame is any of them. A window ahead moves bits up before it moves them down
again, so as many bits as it looks ahead, at most the length, are kept free above.
"""

from collections.abc import Iterator
from typing import Any

from tracepact.core import Always, Eventually, Formula, atoms, lookahead, lookback, subformulas
from tracepact.frozen import dataclass
from tracepact.logic import solver as z3
from tracepact.monitor import evaluate_masks


class VectorAlgebra:
    """Masks as Z3 bit-vectors of one width."""

    def __init__(self, valid: Any, longest: int) -> None:
        self.valid = valid
        self.longest = longest
        self.none = z3.BitVecVal(0, valid.size(), valid.ctx)

    def conjunction(self, a: Any, b: Any, /) -> Any:
        """Frames of both."""
        return a & b

    def disjunction(self, a: Any, b: Any, /) -> Any:
        """Frames of either."""
        return a | b

    def difference(self, a: Any, b: Any, /) -> Any:
        """Frames of exactly one."""
        return a ^ b

    def later(self, a: Any, k: int, /) -> Any:
        """Move every frame k later; those beyond the width are lost."""
        return a << k

    def earlier(self, a: Any, k: int, /) -> Any:
        """Move every frame k earlier; those before the first are lost."""
        return z3.LShR(a, k)


@dataclass(frozen=True, slots=True)
class Encoding:
    """A question for the solver: the constraints under which `masks` and `valid` show a trace that answers it."""

    masks: dict[str, Any]
    valid: Any
    verdict: Any
    constraints: list[Any]
    bound: int
    judged: int | None
    """The bit that is asked about; None if any may be."""

    def at_most(self, frames: int) -> Any:
        """The trace has at most so many frames: a block longer than k has two bits k apart."""
        return (self.valid & z3.LShR(self.valid, frames)) == 0

    def active_bits(self) -> list[Any]:
        """Every atom at every frame, as Booleans."""
        return [_bit(mask, i) for mask in self.masks.values() for i in range(self.bound)]


def encode(formula: Formula, length: int | None) -> Encoding:
    """The question whether the formula holds at some frame of a trace of this length, or of any length if None."""
    back, bound = lookback(formula), lookback(formula) + 1 + lookahead(formula)
    valid, masks, verdict = _vectors(formula, bound, 0)
    constraints = [*_is_block(valid, back, bound), _bit(verdict, back)]
    if length is not None:
        constraints += _fits(valid, bound, length)
    return Encoding(masks, valid, verdict, constraints, bound, back)


def encode_short(formula: Formula, longest: int, *, exactly: bool = False) -> Encoding:
    """The question whether the formula holds at some frame of a trace of at most (or exactly) so many frames."""
    windows = [part.hi for part in subformulas(formula) if isinstance(part, Eventually | Always)]
    valid, masks, verdict = _vectors(formula, longest, min(longest, max(0, *windows, 0)))
    most = _ones(valid, 0, longest)
    first = [_bit(valid, 0), (valid & (valid + 1)) == 0, (valid & ~most) == 0]
    return Encoding(
        masks, valid, verdict, [*([valid == most] if exactly else first), z3.Not(verdict == 0)], longest, None
    )


def _vectors(formula: Formula, longest: int, free: int) -> tuple[Any, dict[str, Any], Any]:
    """The valid frames, the atoms and the verdict of a formula, as vectors with so many bits free above the longest."""
    context = z3.Context()  # of its own, so that the answer does not depend on what was asked before
    valid = z3.BitVec("valid frames", longest + free, context)
    masks = {name: z3.BitVec(f"atom {name}", longest + free, context) & valid for name in sorted(atoms(formula))}
    (verdict,) = evaluate_masks([formula], masks, VectorAlgebra(valid, longest))
    return valid, masks, verdict


def _bit(vector: Any, i: int) -> Any:
    return z3.Extract(i, i, vector) == 1


def _ones(valid: Any, first: int, number: int) -> Any:
    """So many bits from the first one on, made by shifts: a numeral of thousands of digits is slow to read."""
    width = valid.size()
    everything = ~z3.BitVecVal(0, width, valid.ctx)
    return (z3.LShR(everything, width - number) if number < width else everything) << first


def _is_block(valid: Any, judged: int, bound: int) -> Iterator[Any]:
    """The valid bits are the judged one and some next to it on both sides, without a hole."""
    yield _bit(valid, judged)
    if judged:
        yield (valid & ~z3.LShR(valid, 1) & _ones(valid, 0, judged)) == 0
    if judged + 1 < bound:
        yield (valid & ~(valid << 1) & _ones(valid, judged + 1, bound - judged - 1)) == 0


def _fits(valid: Any, bound: int, length: int) -> Iterator[Any]:
    """The block is what a trace of this length shows around one of its frames.

    Both ends of the trace are in sight and the block has its length; or one end is not in sight, so the block reaches
    that end of the vector, and the trace has at least as many frames as the block. Every such view occurs.
    """
    cut = z3.Or(_bit(valid, 0), _bit(valid, bound - 1))
    if length >= bound:
        yield cut
        return
    yield (valid & z3.LShR(valid, length)) == 0
    yield z3.Or(cut, z3.Not((valid & z3.LShR(valid, length - 1)) == 0))
