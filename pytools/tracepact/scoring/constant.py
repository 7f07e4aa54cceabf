"""Systems that answer the same throughout, or the same in every clip, entirely or nearly (rule 16.12)."""

from collections import Counter
from typing import Annotated, NamedTuple

from msgspec import Meta

from tracepact.records import Count, Record
from tracepact.trace import Family, Layout, Side
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
        """Whether it never answers anything else, in any clip."""
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
    """Whether the system has not listened: it answers the same throughout, or the same in every clip."""
    return answers(family).constant or same_in_every_clip(family)


def same_in_every_clip(family: Family) -> bool:
    """Whether no frame that clips share tells them apart by the predictions, but one does by the references.

    A system that predicts nothing in the frames that clips share has not shown that it repeats itself.
    """
    repeated = False
    for label in _labels(family, Side.PRED):
        found = _repeated(family, Side.PRED, label)
        if found is None:
            return False
        repeated = repeated or found
    return repeated and any(_repeated(family, Side.REF, label) is None for label in _labels(family, Side.REF))


def _labels(family: Family, side: Side) -> list[int]:
    """The classes that a side has, first those in most clips: they tell clips apart soonest."""
    found = Counter(segment // len(family.clips) for segment in family.runs[side])
    return [label for label, _ in found.most_common()]


def _repeated(family: Family, side: Side, label: int) -> bool | None:
    """Whether a frame of a class is active in two clips or more; None if one is active in a clip and not in another.

    Frames count from the start of their clip. Those that are ignored are not looked at, nor is the last of a clip,
    which the end of the clip may cut.
    """
    active = inactive = 0
    repeated = False
    for clip, frames in enumerate(family.frames):
        segment, layout = family.segment(label, clip), Layout([frames], 1)
        seen = ((1 << max(frames - 1, 0)) - 1) & ~layout.paint({0: union_runs(family.ignored.get(segment, ()))})
        own = layout.paint({0: family.runs[side].get(segment, ())}) & seen
        repeated = repeated or bool(active & own)
        active, inactive = active | own, inactive | (seen & ~own)
        if active & inactive:
            return None
    return repeated


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
