"""A trace that answers a question: base masks, the judged frame, and the replay in the reference semantics."""

from tracepact.core import Always, Eventually, Formula, Since, Until
from tracepact.core.formula import children
from tracepact.frozen import dataclass
from tracepact.logic.vocabulary import with_derived_atoms
from tracepact.monitor import evaluate_trace, holds

_MOST_STEPS = 500_000
"""The most steps of the reference semantics that a replay takes; it looks at every frame of every window."""


class ReplayError(Exception):
    """A solver's model that the reference semantics does not confirm: a fault of tracepact, never an answer."""


@dataclass(frozen=True, slots=True)
class Model:
    """A trace: its number of frames, the truth of its atoms at each, and the frame a question is about.

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
        """Whether the formula is true at the judged frame, by the reference semantics; long windows by the engine.

        Windows inside windows of tens of thousands of frames would take the reference hours.
        """
        if _steps(formula, self.frames) <= _MOST_STEPS:
            return holds(formula, self.environment, self.frames, self.frame)
        masks = {name: int("".join("01"[on] for on in reversed(row)), 2) for name, row in self.environment.items()}
        return bool(evaluate_trace(formula, masks, self.frames) >> self.frame & 1)

    def replayed(self, formula: Formula) -> "Model":
        """The model itself if it satisfies the formula; anything else is an internal error."""
        if not self.satisfies(formula):
            raise ReplayError(f"the model of {self.frames} frames does not satisfy {formula} at frame {self.frame}")
        return self


def _steps(formula: Formula, frames: int) -> int:
    """A bound on the frames that the reference looks at: each part at no more than every frame, a window at a time."""
    total, asked = 0, [(formula, 1)]
    while asked:
        part, at = asked.pop()
        match part:
            case Eventually(lo, hi, _) | Always(lo, hi, _):
                width = min(hi - lo + 1, frames)
            case Until(radius, _, _) | Since(radius, _, _):
                width = min(radius + 1, frames)
            case _:
                width = 1
        total += at * width
        asked += [(inner, min(frames, at * width)) for inner in children(part)]
    return total
