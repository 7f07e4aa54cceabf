"""Systems that answer the same throughout, class by class: always on, or silent (rule 16.12)."""

from tracepact.trace import Family, Side
from tracepact.trace.runs import union_runs


def is_constant(family: Family) -> bool:
    """Whether each class is predicted in every frame that is not ignored, or in none."""
    clips = range(len(family.clips))
    return all(
        all(_is_silent(family, family.segment(label, clip)) for clip in clips)
        or all(_is_always_on(family, family.segment(label, clip)) for clip in clips)
        for label in range(len(family.classes))
    )


def _is_silent(family: Family, segment: int) -> bool:
    ignored, pred = family.ignored.get(segment, ()), family.runs[Side.PRED].get(segment, ())
    return not pred or union_runs((*ignored, *pred)) == union_runs(ignored)


def _is_always_on(family: Family, segment: int) -> bool:
    covered = union_runs((*family.ignored.get(segment, ()), *family.runs[Side.PRED].get(segment, ())))
    return covered == union_runs([(0, family.frames_of(segment))])
