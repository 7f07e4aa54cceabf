"""Which obligations of a clause stay what they are while every score moves by less than some amount (rule 16.14)."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tracepact.soft.scores import SoftCard


@dataclass(frozen=True, slots=True)
class Settled:
    """The frames of a clause by what can become of them while no score moves by as much as some amount.

    Attributes:
        obligated: the obligations at the scores as they are.
        inside: those of them that may cease to be asked, or whose verdict may change.
        satisfied: frames that are asked and satisfied, come what may.
        violated: frames that are asked and violated, come what may.
        perhaps_satisfied: frames that may be asked, and are satisfied if they are.
        perhaps_violated: frames that may be asked, and are violated if they are.
        open: frames that may be satisfied or violated.
    """

    obligated: int
    inside: int
    satisfied: int
    violated: int
    perhaps_satisfied: int
    perhaps_violated: int
    open: int

    @property
    def low(self) -> Fraction:
        """A bound that the pooled score does not fall below."""
        asked = self.satisfied + self.violated + self.perhaps_violated + self.open
        return Fraction(self.satisfied, asked) if asked else Fraction(1)

    @property
    def high(self) -> Fraction:
        """A bound that the pooled score does not exceed."""
        held = self.satisfied + self.perhaps_satisfied + self.open
        return Fraction(held, held + self.violated) if held + self.violated else Fraction(1)


def settled(card: SoftCard, clause: str, amount: Fraction) -> Settled:
    """What becomes of the frames of a clause while every score moves by less than an amount (rule 18.9)."""
    near = card.atoms.levels.below(amount)
    duty, value = card.duties[clause], card.values[clause]
    asks, holds = duty > 0, value > 0
    duty_safe, value_safe = np.abs(duty) > near, np.abs(value) > near
    may_ask = card.judged & (asks | ~duty_safe)
    must_ask = card.judged & asks & duty_safe
    perhaps = may_ask & ~must_ask

    def count(frames: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> int:
        return int(np.count_nonzero(frames))

    obliged = card.judged & asks
    return Settled(
        count(obliged),
        count(obliged & ~(duty_safe & value_safe)),
        count(must_ask & value_safe & holds),
        count(must_ask & value_safe & ~holds),
        count(perhaps & value_safe & holds),
        count(perhaps & value_safe & ~holds),
        count(may_ask & ~value_safe),
    )
