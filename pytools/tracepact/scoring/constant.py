"""Systems that answer the same throughout, class by class: always on, or silent, entirely or nearly (rule 16.12)."""

from typing import Annotated

from msgspec import Meta

from tracepact.records import Count, Record
from tracepact.trace import Family, Side
from tracepact.trace.runs import union_runs

NEARLY = 20
"""A system is nearly constant if it answers otherwise in at most one of so many pairs in which its answer is wrong."""
SILENT, ALWAYS_ON, MIXED = "silent", "always on", "silent or always on, class by class,"


class Answers(Record, frozen=True):
    """How far a system answers the same throughout, in pairs of a clip and a class (16.12)."""

    answer: Annotated[str, Meta(description="What it answers in most pairs: `silent`, `always on`, or one by class.")]
    pairs: Annotated[Count, Meta(description="The pairs with a frame that is not ignored.")]
    otherwise: Annotated[Count, Meta(description="The pairs in which it answers anything else.")]
    wrong: Annotated[Count, Meta(description="The pairs in which answering so throughout is wrong.")]

    @property
    def constant(self) -> bool:
        """Whether it never answers anything else."""
        return self.otherwise == 0

    @property
    def nearly_constant(self) -> bool:
        """Whether it answers something else, but hardly ever."""
        return 0 < self.otherwise * NEARLY <= self.wrong

    def words(self, classes: int) -> str:
        """What it answers, and where."""
        what = "clips" if classes == 1 else "pairs of clip and class"
        return f"{self.answer} in {self.pairs - self.otherwise:,} of {self.pairs:,} {what}"


def is_constant(family: Family) -> bool:
    """Whether each class is predicted in every frame that is not ignored, or in none."""
    return answers(family).constant


def answers(family: Family) -> Answers:
    """How far a system answers the same throughout; of each class by the answer that it departs from less."""
    pairs, otherwise, wrong, given = 0, 0, 0, set[str]()
    for label in range(len(family.classes)):
        found = [one for clip in range(len(family.clips)) if (one := _pair(family, family.segment(label, clip)))]
        heard, gaps = sum(active > 0 for _, active, _ in found), sum(active < seen for seen, active, _ in found)
        pairs += len(found)
        otherwise += min(heard, gaps)
        if heard <= gaps:
            given.add(SILENT)
            wrong += sum(reference > 0 for _, _, reference in found)
        else:
            given.add(ALWAYS_ON)
            wrong += sum(reference < seen for seen, _, reference in found)
    return Answers(given.pop() if len(given) == 1 else MIXED, pairs, otherwise, wrong)


def _pair(family: Family, segment: int) -> tuple[int, int, int] | None:
    """The frames of a clip and class that are not ignored, and how many are predicted and in the reference."""
    ignored = family.ignored.get(segment, ())
    left_out = _length(ignored)
    seen = family.frames_of(segment) - left_out
    if not seen:
        return None
    sides = (family.runs[side].get(segment, ()) for side in (Side.PRED, Side.REF))
    predicted, reference = (_length((*ignored, *runs)) - left_out if runs else 0 for runs in sides)
    return seen, predicted, reference


def _length(runs: tuple[tuple[int, int], ...]) -> int:
    return sum(end - start for start, end in union_runs(runs)) if runs else 0
