"""What changed from one run to another, obligation by obligation (rule 16.9)."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tracepact.core import FrameClause
from tracepact.score import Scorecard
from tracepact.trace import Run as Frames

Place = tuple[str, str]
"""Clip and class."""


@dataclass(frozen=True, slots=True)
class Change:
    """Neighbouring obligations of one clip, class and clause, fixed or broken: a stretch of frames, or an interval."""

    clip: str
    label: str
    clause: str
    fixed: bool
    onset: Fraction
    offset: Fraction
    obligations: int


@dataclass(frozen=True, slots=True)
class ClipChange:
    """How many obligations of a clip were fixed and how many broken."""

    clip: str
    fixed: int
    broken: int

    @property
    def net(self) -> int:
        """Fixed minus broken."""
        return self.fixed - self.broken


def changes(before: Scorecard, after: Scorecard) -> list[Change]:
    """Every stretch of fixed and of broken obligations, by clip, class, clause and time."""
    found: list[Change] = []
    for clause in before.contract.clauses:
        if isinstance(clause, FrameClause):
            found += _frame_changes(before, after, clause.name)
        else:
            found += _event_changes(before, after, clause.name)
    order = {clip: index for index, clip in enumerate(before.family.clips)}
    clauses = {clause.name: index for index, clause in enumerate(before.contract.clauses)}
    return sorted(found, key=lambda c: (order[c.clip], c.label, clauses[c.clause], c.onset, c.fixed))


def by_clip(found: list[Change]) -> list[ClipChange]:
    """The clips with changes, those with the most first."""
    fixed: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    for change in found:
        (fixed if change.fixed else broken)[change.clip] += change.obligations
    clips = [ClipChange(clip, fixed[clip], broken[clip]) for clip in {**fixed, **broken}]
    return sorted(clips, key=lambda c: (-abs(c.net), -(c.fixed + c.broken), c.clip))


def _frame_changes(before: Scorecard, after: Scorecard, clause: str) -> Iterator[Change]:
    a, b = (_violated(card, clause) for card in (before, after))
    step = before.family.step
    for place in sorted(a.keys() | b.keys()):
        ours, theirs = a.get(place, frozenset()), b.get(place, frozenset())
        for frames, fixed in ((ours - theirs, True), (theirs - ours, False)):
            for start, end in _stretches(frames):
                yield Change(*place, clause, fixed, start * step, end * step, end - start)


def _violated(card: Scorecard, clause: str) -> dict[Place, frozenset[int]]:
    """The violated frames by place."""
    segments, frames = card.layout.locate(card.layout.positions(card.violated[clause]))
    kept, starts = np.unique(segments, return_index=True)
    parts = np.split(frames, starts[1:]) if len(kept) else []
    return {card.family.place(int(s)): frozenset(p.tolist()) for s, p in zip(kept, parts, strict=True)}


def _stretches(frames: frozenset[int]) -> Iterator[Frames]:
    """The maximal runs of consecutive frames."""
    start = last = None
    for frame in sorted(frames):
        if start is None or last is None or frame > last + 1:
            if start is not None and last is not None:
                yield start, last + 1
            start = frame
        last = frame
    if start is not None and last is not None:
        yield start, last + 1


def _event_changes(before: Scorecard, after: Scorecard, clause: str) -> Iterator[Change]:
    a, b = (
        {(card.family.place(w.segment), w.interval) for w in card.event_clause(clause).witnesses}
        for card in (before, after)
    )
    step = before.family.step
    for some, fixed in ((a - b, True), (b - a, False)):
        for place, (start, end) in some:
            yield Change(*place, clause, fixed, start * step, end * step, 1)
