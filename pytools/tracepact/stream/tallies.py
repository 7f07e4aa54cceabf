"""Running counts of the frame clauses: satisfied and obligated frames, by clause and channel (rule 12.5)."""

from collections.abc import Sequence

import numpy as np

from tracepact.stream.lanes import Lanes
from tracepact.stream.window import Step
from tracepact.trace.layout import Indices


class Tallies:
    """The counts so far; the masks of clause i are at `places[i]` (obligation) and the place after (formula)."""

    def __init__(self, channels: int, places: Sequence[int]) -> None:
        self._places = tuple(places)
        self._alone = [[0, 0] for _ in places]
        self._many = np.zeros((len(places), 2, channels), dtype=np.int64)

    def count(self, step: Step, lanes: Lanes) -> None:
        """Count the verdicts that are due."""
        masks = step.masks
        if lanes.channels > 1:
            for place, many, part in zip(self._places, self._many, step.parts, strict=True):
                obliged = masks[place] & part.within
                if obliged:
                    many[0] += lanes.counts(obliged & masks[place + 1])
                    many[1] += lanes.counts(obliged)
            return
        for place, alone, part in zip(self._places, self._alone, step.parts, strict=True):
            # Plain integers: a single frame of a single channel must not cost an array.
            obliged = masks[place] & part[3]
            if obliged:
                satisfied = obliged & masks[place + 1]
                obligated = obliged.bit_count()
                alone[0] += obligated if satisfied == obliged else satisfied.bit_count()
                alone[1] += obligated

    def of(self, clause: int) -> Indices:
        """Satisfied and obligated frames of a clause, by channel."""
        total: Indices = self._many[clause] + np.array(self._alone[clause])[:, None]
        return total

    def restore(self, clause: int, satisfied: Sequence[int], obligated: Sequence[int]) -> None:
        """Go on from these counts of a clause."""
        self._many[clause] = satisfied, obligated
