"""Smooth truth: degrees from 0 to 1, with a minimum and a maximum that have a temperature.

The pair is that of Frank (1979): `both(a, b)` is min(a, b) − c and `either(a, b)` is max(a, b) + c with the same c ≥ 0,
at most temperature · log 2, and 0 where a or b is 0 or 1. So truth values stay truth values at every temperature; the
limit at temperature 0 is minimum and maximum, and that at infinity is the product and the sum of probabilities. Both
are associative, so the frames of a window may be joined in any order; but they are not idempotent, so each frame is
taken once.
"""

from dataclasses import dataclass
from math import expm1
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import FunctionCtx, once_differentiable
from torch.nn.functional import pad


@dataclass(frozen=True, slots=True)
class Smooth:
    """The operators of formulas on degrees, the last dimension being the frames.

    `valid` is 1 at the frames of each clip and 0 behind its end, or None if there is nothing behind; the degree of
    every formula is 0 there.
    """

    temperature: float
    valid: Tensor | None

    def both(self, a: Tensor, b: Tensor) -> Tensor:
        """The smooth minimum."""
        return _joined(a, b, self.temperature, False)

    def either(self, a: Tensor, b: Tensor) -> Tensor:
        """The smooth maximum."""
        return _joined(a, b, self.temperature, True)

    def inside(self, a: Tensor) -> Tensor:
        """The degrees without those behind the ends of the clips."""
        return a if self.valid is None else a * self.valid

    def complement(self, a: Tensor) -> Tensor:
        """One minus the degree."""
        return self.inside(1 - a)

    def implies(self, a: Tensor, b: Tensor) -> Tensor:
        """Not the first, or the second."""
        return self.either(self.complement(a), b)

    def iff(self, a: Tensor, b: Tensor) -> Tensor:
        """Each implies the other."""
        return self.both(self.implies(a, b), self.implies(b, a))

    def constant(self, value: bool, like: Tensor) -> Tensor:
        """`true` or `false` at every frame."""
        return self.inside(torch.full_like(like, float(value)))

    def eventually(self, lo: int, hi: int, a: Tensor) -> Tensor:
        """The smooth maximum over the frames at offsets from lo to hi, each taken once: by doubling."""
        frames = a.shape[-1]
        lo, hi = max(lo, -frames), min(hi, frames)
        if lo > hi:
            return torch.zeros_like(a)
        width = hi - lo + 1
        padded = pad(a, (max(-lo, 0), max(hi, 0)))[..., max(lo, 0) :]
        return self.inside(self._windows(padded[..., : frames + width - 1], width))

    def _windows(self, power: Tensor, width: int) -> Tensor:
        """The smooth maximum of every so many neighbours, by doubling: windows of the powers of two that make it up."""
        places = power.shape[-1] - width + 1
        found: Tensor | None = None
        done, size = 0, 1
        while size <= width:
            if width & size:
                part = power[..., done : done + places]
                found = part if found is None else self.either(found, part)
                done += size
            if 2 * size <= width:
                power = self.either(power[..., :-size], power[..., size:])
            size *= 2
        assert found is not None
        return found

    def always(self, lo: int, hi: int, a: Tensor) -> Tensor:
        """The smooth minimum over the frames at offsets from lo to hi."""
        return self.complement(self.eventually(lo, hi, self.complement(a)))

    def until(self, radius: int, left: Tensor, right: Tensor) -> Tensor:
        """The right within so many frames ahead and the left before it, by doubling.

        Two windows side by side become one: the right is reached in the first, or the left holds all through the first
        and the right is reached in the second. Which windows are joined depends on the radius alone, and a window
        behind the end adds nothing: a clip has the same degrees alone and in a batch of longer ones.
        """
        frames, width = right.shape[-1], radius + 1
        reach, hold = (pad(x, (0, min(width - 1, 3 * frames))) for x in (right, left))
        found: tuple[Tensor, Tensor] | None = None
        done, size = 0, 1
        while size <= width and done < frames:
            if width & size:
                part = reach[..., done : done + frames], hold[..., done : done + frames]
                found = part if found is None else self._side_by_side(found, part)
                done += size
            if 2 * size <= width and size < frames:
                reach, hold = self._side_by_side(
                    (reach[..., :-size], hold[..., :-size]), (reach[..., size:], hold[..., size:])
                )
            size *= 2
        assert found is not None
        return found[0]

    def _side_by_side(self, first: tuple[Tensor, Tensor], second: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        reached = self.either(first[0], self.both(first[1], second[0]))
        return reached, self.both(first[1], second[1])

    def since(self, radius: int, left: Tensor, right: Tensor) -> Tensor:
        """The mirror image of `until`."""
        return self.until(radius, left.flip(-1), right.flip(-1)).flip(-1)

    def onset(self, active: Tensor) -> Tensor:
        """Active now and not before (rule 18.4)."""
        return self.both(active, self.complement(_before(active)))

    def offset(self, active: Tensor) -> Tensor:
        """Active before and not now (rule 18.4)."""
        return self.both(self.complement(active), self.inside(_before(active)))

    def others(self, active: Tensor) -> Tensor:
        """Some other class is active (rule 18.5); the classes are the last dimension but one."""
        classes = active.shape[-2]
        if classes == 1:
            return torch.zeros_like(active)
        ring = torch.cat([active, active], dim=-2).transpose(-1, -2)[..., 1 : 2 * classes - 1]
        return self._windows(ring, classes - 1).transpose(-1, -2)


class _Joined(Function):
    """The smooth maximum, or minimum, of two tensors with its slopes, which are those of one step each.

    With l ≤ h the two degrees, e = exp(-(h - l)/t), u = 1 - exp(-l/t), v = 1 - exp(-(1 - h)/t) and w = 1 - exp(-1/t),
    the way from the true extremes is c = t · log(1 + e·u·v / w). No exponent is positive, so nothing overflows.
    """

    @staticmethod
    def forward(ctx: FunctionCtx, a: Tensor, b: Tensor, t: float, upper: bool) -> Tensor:
        """The joined degrees."""
        low, high = torch.minimum(a, b), torch.maximum(a, b)
        e = torch.exp_((low - high).mul_(1 / t))
        u = torch.expm1_(low * (-1 / t)).neg_()
        v = torch.expm1_((high - 1).mul_(1 / t)).neg_()
        w = -expm1(-1 / t)
        part = e * u * v
        found = torch.log1p(part / w).mul_(t)
        found = high + found if upper else low - found
        e = e / (part + w)
        to_low, to_high = e * v, 1 - e * u
        if not upper:
            to_low, to_high = 1 - to_low, 1 - to_high
        first = a <= b
        ctx.save_for_backward(torch.where(first, to_low, to_high), torch.where(first, to_high, to_low))
        return found

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, Tensor, None, None]:
        """The slopes that were found on the way forward."""
        to_a, to_b = ctx.saved_tensors
        return slope * to_a, slope * to_b, None, None


def _joined(a: Tensor, b: Tensor, temperature: float, upper: bool) -> Tensor:
    found: Tensor = _Joined.apply(a, b, temperature, upper)  # type: ignore[no-untyped-call]
    return found


def _before(active: Tensor) -> Tensor:
    """The degrees one frame earlier, 0 before the first."""
    return pad(active, (1, 0))[..., :-1]
