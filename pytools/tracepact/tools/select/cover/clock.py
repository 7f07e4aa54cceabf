"""A time budget."""

from dataclasses import dataclass
from fractions import Fraction
from time import monotonic


class Spent(Exception):  # noqa: N818  (it is what the budget is)
    """The budget ran out before there was an answer."""


@dataclass(frozen=True, slots=True)
class Clock:
    """When to stop; None is never."""

    deadline: float | None = None

    @classmethod
    def of(cls, seconds: Fraction | None) -> "Clock":
        """A clock that runs for so long from now."""
        return cls(None if seconds is None else monotonic() + float(seconds))

    def left(self) -> float | None:
        """Seconds left, never negative."""
        return None if self.deadline is None else max(0.0, self.deadline - monotonic())

    def at_most(self, seconds: Fraction) -> "Clock":
        """The earlier of this clock's end and a number of seconds from now."""
        end = monotonic() + float(seconds)
        return Clock(end if self.deadline is None else min(end, self.deadline))

    def check(self) -> None:
        """Raise `Spent` if nothing is left."""
        if self.left() == 0:
            raise Spent
