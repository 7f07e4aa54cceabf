"""Systems that answer the same throughout, class by class: always on, or silent, entirely or nearly (rule 16.12)."""

from typing import Annotated, NamedTuple

from msgspec import Meta

from tracepact.records import Count, Record
from tracepact.trace import Family, Side
from tracepact.trace.runs import union_runs

NEARLY = 20
"""A system is nearly constant if it answers otherwise in at most one of so many pairs, or frames, where it is wrong."""
SILENT, ALWAYS_ON, MIXED = "silent", "always on", "silent or always on, class by class,"


class Answers(Record, frozen=True):
    """How far a system answers the same throughout, in pairs of a clip and a class (16.12)."""

    answer: Annotated[str, Meta(description="What it answers in most pairs: `silent`, `always on`, or one by class.")]
    pairs: Annotated[Count, Meta(description="The pairs with a frame that is not ignored.")]
    otherwise: Annotated[Count, Meta(description="The pairs in which it answers anything else.")]
    wrong: Annotated[Count, Meta(description="The pairs in which answering so throughout is wrong.")]
    frames_answer: Annotated[str, Meta(description="What it answers in most frames: as `answer`.")] = SILENT
    otherwise_frames: Annotated[Count, Meta(description="The frames in which it answers otherwise.")] = 0
    wrong_frames: Annotated[Count, Meta(description="The frames in which answering so throughout is wrong.")] = 0

    @property
    def constant(self) -> bool:
        """Whether it never answers anything else."""
        return self.otherwise == 0

    @property
    def nearly_constant(self) -> bool:
        """Whether it answers something else, but in hardly any pair, or hardly any frame."""
        return self._in_pairs or self._in_frames

    @property
    def _in_pairs(self) -> bool:
        return 0 < self.otherwise * NEARLY <= self.wrong

    @property
    def _in_frames(self) -> bool:
        return 0 < self.otherwise_frames * NEARLY <= self.wrong_frames

    def words(self, classes: int) -> str:
        """What it answers, and where."""
        if self._in_frames and not self._in_pairs:
            return f"{self.frames_answer} in all frames but {self.otherwise_frames:,}"
        what = "clips" if classes == 1 else "pairs of clip and class"
        return f"{self.answer} in {self.pairs - self.otherwise:,} of {self.pairs:,} {what}"


def is_constant(family: Family) -> bool:
    """Whether each class is predicted in every frame that is not ignored, or in none."""
    return answers(family).constant


def answers(family: Family) -> Answers:
    """How far a system answers the same throughout; of each class by the answer that it departs from less."""
    pairs, otherwise, wrong, given = 0, 0, 0, set[str]()
    otherwise_frames, wrong_frames, in_frames = 0, 0, set[str]()
    for label in range(len(family.classes)):
        found = [one for clip in range(len(family.clips)) if (one := _pair(family, family.segment(label, clip)))]
        heard, gaps = sum(one.predicted > 0 for one in found), sum(one.predicted < one.seen for one in found)
        pairs += len(found)
        otherwise += min(heard, gaps)
        if heard <= gaps:
            given.add(SILENT)
            wrong += sum(one.reference > 0 for one in found)
        else:
            given.add(ALWAYS_ON)
            wrong += sum(one.reference < one.seen for one in found)
        seen, predicted, reference = (sum(column) for column in zip(_Pair(0, 0, 0), *found, strict=True))
        otherwise_frames += min(predicted, seen - predicted)
        in_frames.add(SILENT if 2 * predicted <= seen else ALWAYS_ON)
        wrong_frames += reference if 2 * predicted <= seen else seen - reference
    return Answers(_one(given), pairs, otherwise, wrong, _one(in_frames), otherwise_frames, wrong_frames)


def _one(given: set[str]) -> str:
    """The answer of all classes, if they have one."""
    return next(iter(given)) if len(given) == 1 else MIXED


class _Pair(NamedTuple):
    """The frames of a clip and class that are not ignored, and those predicted and in the reference."""

    seen: int
    predicted: int
    reference: int


def _pair(family: Family, segment: int) -> _Pair | None:
    ignored = family.ignored.get(segment, ())
    left_out = _length(ignored)
    seen = family.frames_of(segment) - left_out
    if not seen:
        return None
    sides = (family.runs[side].get(segment, ()) for side in (Side.PRED, Side.REF))
    return _Pair(seen, *(_length((*ignored, *runs)) - left_out if runs else 0 for runs in sides))


def _length(runs: tuple[tuple[int, int], ...]) -> int:
    return sum(end - start for start, end in union_runs(runs)) if runs else 0
