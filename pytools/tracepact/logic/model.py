"""A trace that answers a question: base masks, the judged frame, and the replay in the reference semantics."""

from dataclasses import dataclass

from tracepact.core import Formula
from tracepact.logic.vocabulary import with_derived_atoms
from tracepact.monitor import holds


class ReplayError(Exception):
    """A solver's model that the reference semantics does not confirm: a fault of tracepact, never an answer."""


@dataclass(frozen=True, slots=True)
class Model:
    """A trace of so many frames, the truth of its atoms at each, and the frame a question is about.

    `minimal` says that no trace is shorter (at any length) and none of its length has fewer active frames.
    """

    frames: int
    atoms: dict[str, tuple[bool, ...]]
    frame: int
    free: bool = False
    minimal: bool = False

    @property
    def environment(self) -> dict[str, tuple[bool, ...]]:
        """Every atom at every frame, derived atoms included unless all are free."""
        return dict(self.atoms) if self.free else with_derived_atoms(self.atoms)

    @property
    def active(self) -> int:
        """How many atom-frames are active."""
        return sum(sum(values) for values in self.atoms.values())

    def satisfies(self, formula: Formula) -> bool:
        """Whether the reference semantics finds the formula true at the judged frame."""
        return holds(formula, self.environment, self.frames, self.frame)

    def replayed(self, formula: Formula) -> "Model":
        """The model itself if it satisfies the formula; anything else is an internal error."""
        if not self.satisfies(formula):
            raise ReplayError(f"the model {self} does not satisfy {formula}")
        return self
