"""The grid: frames of one exact step, and the projection of intervals onto them (rules 5.1 to 5.3)."""

from dataclasses import dataclass
from fractions import Fraction

from tracepact.core import Projection


def ceil_div(numerator: int, denominator: int) -> int:
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
        if offset <= onset:
            return 0, 0
        return self._edge(onset, start=True), self._edge(offset, start=False)

    def _edge(self, time: Fraction, *, start: bool) -> int:
        """The first frame in (start) or the first frame out of an interval that begins or ends at `time`."""
        # time / step as top / bottom, in whole numbers: this runs once per event boundary.
        top = time.numerator * self.step.denominator
        bottom = time.denominator * self.step.numerator
        match self.projection:
            case Projection.CENTRE:  # ceil(t/step - 1/2)
                return ceil_div(2 * top - bottom, 2 * bottom)
            case Projection.TOUCH:
                return top // bottom if start else ceil_div(top, bottom)
            case Projection.INSIDE:
                return ceil_div(top, bottom) if start else top // bottom
