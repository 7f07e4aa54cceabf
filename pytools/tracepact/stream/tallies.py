"""Running counts of the frame clauses: satisfied and obligated frames, by clause and channel (rule 12.5)."""

from collections.abc import Callable, Sequence

import numpy as np

from tracepact.stream.lanes import Lanes
from tracepact.stream.window import Part, Step
from tracepact.trace.layout import Indices


class Tallies:
    """The counts so far; the masks of clause i are at `places[i]` (obligation) and the place after (formula)."""

    def __init__(self, channels: int, places: Sequence[int]) -> None:
        self._places = tuple(places)
        self.alone = [0] * (2 * len(self._places))
        self._count_alone = _compiled(self._places)
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
        self._count_alone(masks, step.parts, self.alone)

    def of(self, clause: int) -> Indices:
        """Satisfied and obligated frames of a clause, by channel."""
        total: Indices = self._many[clause] + np.array(self.alone[2 * clause : 2 * clause + 2])[:, None]
        return total

    def restore(self, clause: int, satisfied: Sequence[int], obligated: Sequence[int]) -> None:
        """Go on from these counts of a clause."""
        self._many[clause] = satisfied, obligated


def _compiled(places: Sequence[int]) -> Callable[[Sequence[int], Sequence[Part], list[int]], None]:
    """The counting of one channel, written out clause by clause: a chunk must not cost a loop, nor a frame an array."""
    lines = ["def count(masks, parts, totals):", "    pass"]
    for number, place in enumerate(places):
        lines += [
            f"    obliged = masks[{place}] & parts[{number}][3]",
            "    if obliged:",
            f"        totals[{2 * number}] += (obliged & masks[{place + 1}]).bit_count()",
            f"        totals[{2 * number + 1}] += obliged.bit_count()",
        ]
    scope: dict[str, Callable[[Sequence[int], Sequence[Part], list[int]], None]] = {}
    exec(compile("\n".join(lines), "<counts>", "exec"), scope)  # noqa: S102  (made of numbers alone)
    return scope["count"]
