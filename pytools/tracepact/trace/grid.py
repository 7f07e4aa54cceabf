"""The grid: frames of one exact step, and the projection of intervals onto them (rules 5.1 to 5.3)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from tracepact.core import Projection
from tracepact.trace.exact_times import Ticks, common_unit, roomy

AnyTicks = TypeVar("AnyTicks", int, Ticks)
"""One time or an array of them, in ticks."""


def ceil_div(numerator: AnyTicks, denominator: int) -> AnyTicks:
    """The least integer not less than the quotient; the denominator is positive."""
    return -(-numerator // denominator)


@dataclass(frozen=True, slots=True)
class Grid:
    """Frames of length `step` seconds."""

    step: Fraction
    projection: Projection = Projection.CENTRE

    def frames(self, duration: Fraction) -> int:
        """The number of frames of a clip (rule 5.1)."""
        quotient = duration / self.step
        return ceil_div(quotient.numerator, quotient.denominator)

    def project(self, onset: Fraction, offset: Fraction) -> tuple[int, int]:
        """The frames `[start, end)` an event activates, not cut to any clip; empty when end <= start."""
        unit = common_unit((onset, offset, self.step))
        return self.edges(int(onset * unit), int(offset * unit), int(self.step * unit))

    def edges(self, onset: AnyTicks, offset: AnyTicks, step: int) -> tuple[AnyTicks, AnyTicks]:
        """The frames `[start, end)` of one event or of many at once, all times in the same ticks."""
        if not isinstance(onset, int) and not isinstance(offset, int):
            onset, offset = roomy(onset, step), roomy(offset, step)
        start, end = self._edge(onset, step, True), self._edge(offset, step, False)
        return start, start + (end - start) * (offset > onset)

    def _edge(self, time: AnyTicks, step: int, is_start: bool) -> AnyTicks:
        """The first frame in (start) or the first frame out of an interval with an end at this time."""
        match self.projection:
            case Projection.CENTRE:  # ceil(time/step - 1/2)
                return ceil_div(2 * time - step, 2 * step)
            case Projection.TOUCH:
                return time // step if is_start else ceil_div(time, step)
            case Projection.INSIDE:
                return ceil_div(time, step) if is_start else time // step
