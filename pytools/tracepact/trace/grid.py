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
        # Times over step as top / bottom, in whole numbers: this runs once per event.
        step, unit = self.step.as_integer_ratio()
        begin, begin_unit = onset.as_integer_ratio()
        end, end_unit = offset.as_integer_ratio()
        if end * begin_unit <= begin * end_unit:
            return 0, 0
        return self._edge(begin * unit, begin_unit * step, True), self._edge(end * unit, end_unit * step, False)

    def _edge(self, top: int, bottom: int, start: bool) -> int:
        """The first frame in (start) or the first frame out of an interval with an end at top / bottom frames."""
        match self.projection:
            case Projection.CENTRE:  # ceil(t/step - 1/2)
                return ceil_div(2 * top - bottom, 2 * bottom)
            case Projection.TOUCH:
                return top // bottom if start else ceil_div(top, bottom)
            case Projection.INSIDE:
                return ceil_div(top, bottom) if start else top // bottom
