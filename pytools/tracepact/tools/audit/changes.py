"""What changed from one run to another, obligation by obligation (rule 16.9)."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np

from tracepact.core import Each, FrameClause
from tracepact.events.evaluate import is_ignored
from tracepact.monitor import IntegerAlgebra, evaluate_masks
from tracepact.scoring import Scorecard
from tracepact.trace import Run as Frames
from tracepact.trace.layout import Indices

Interval = tuple[tuple[str, str], Frames]
"""Clip and class, and an interval there."""


class Kind(Enum):
    """What became of an obligation."""

    FIXED = "fixed"
    BROKEN = "broken"
    NO_LONGER_ASKED = "no longer asked"
    NEWLY_ASKED = "newly asked"


@dataclass(frozen=True, slots=True)
class Change:
    """Neighbouring obligations of one clip, class and clause that changed alike: a stretch of frames, or an interval.

    `violated` tells whether one of the runs violates them; of those that one run alone asks, whether that one does.
    """

    clip: str
    label: str
    clause: str
    kind: Kind
    onset: Fraction
    offset: Fraction
    obligations: int
    violated: bool = True


@dataclass(frozen=True, slots=True)
class Tally:
    """How many obligations changed, by kind; of those that one run alone asks, how many it violates."""

    obligations: Counter[Kind]
    violated: Counter[Kind]

    @property
    def net(self) -> int:
        """Fixed minus broken: what one run alone asks is neither won nor lost."""
        return self.obligations[Kind.FIXED] - self.obligations[Kind.BROKEN]


def tally(found: list[Change]) -> Tally:
    """The changes by kind."""
    made = Tally(Counter(), Counter())
    for change in found:
        made.obligations[change.kind] += change.obligations
        made.violated[change.kind] += change.obligations * change.violated
    return made


def by_clip(found: list[Change]) -> list[tuple[str, Tally]]:
    """The clips with changes, those with the largest net first."""
    parts: dict[str, list[Change]] = {}
    for change in found:
        parts.setdefault(change.clip, []).append(change)
    clips = [(clip, tally(some)) for clip, some in parts.items()]
    return sorted(clips, key=lambda c: (-abs(c[1].net), -c[1].violated.total(), -c[1].obligations.total(), c[0]))


def changes(before: Scorecard, after: Scorecard) -> list[Change]:
    """Every stretch of changed obligations, by clip, class, clause and time."""
    found: list[Change] = []
    for clause in before.contract.clauses:
        if isinstance(clause, FrameClause):
            found += _frame_changes(before, after, clause)
        else:
            found += _event_changes(before, after, clause.name)
    order = {clip: index for index, clip in enumerate(before.family.clips)}
    clauses = {clause.name: index for index, clause in enumerate(before.contract.clauses)}
    return sorted(found, key=lambda c: (order[c.clip], c.label, clauses[c.clause], c.onset, c.kind.value))


def _frame_changes(before: Scorecard, after: Scorecard, clause: FrameClause) -> Iterator[Change]:
    """The changed frames of a clause, all masks in the layout of the first run."""
    asked, violated = _asked_frames(before, clause), before.violated[clause.name]
    asked_now, violated_now = (
        _carried(mask, after, before) for mask in (_asked_frames(after, clause), after.violated[clause.name])
    )
    gone, come = asked & ~asked_now, asked_now & ~asked
    step = before.family.step
    for kind, wrong, mask in (
        (Kind.FIXED, True, violated & asked_now & ~violated_now),
        (Kind.BROKEN, True, violated_now & asked & ~violated),
        (Kind.NO_LONGER_ASKED, True, gone & violated),
        (Kind.NO_LONGER_ASKED, False, gone & ~violated),
        (Kind.NEWLY_ASKED, True, come & violated_now),
        (Kind.NEWLY_ASKED, False, come & ~violated_now),
    ):
        for segment, start, end in _stretches(before, mask):
            place = before.family.place(segment)
            yield Change(*place, clause.name, kind, start * step, end * step, end - start, wrong)


def _asked_frames(card: Scorecard, clause: FrameClause) -> int:
    """The mask of the frames at which a clause obliges."""
    layout = card.layout
    (mask,) = evaluate_masks([clause.obligation], card.atoms, IntegerAlgebra(layout.valid, layout.longest))
    return mask & (layout.valid ^ card.atoms.ignored)


def _carried(mask: int, card: Scorecard, like: Scorecard) -> int:
    """A mask of one run in the layout of another, whose clips and classes may stand in another order."""
    if (card.family.clips, card.family.classes) == (like.family.clips, like.family.classes):
        return mask
    segments = {like.family.place(s): s for s in range(like.layout.segments)}
    there: Indices = np.array([segments[card.family.place(s)] for s in range(card.layout.segments)], dtype=np.int64)
    segment, frame = card.layout.locate(card.layout.positions(mask))
    bits = np.zeros(like.layout.words * 64, dtype=np.bool_)
    bits[like.layout.start[there[segment]] + frame] = True
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def _stretches(card: Scorecard, mask: int) -> Iterator[tuple[int, int, int]]:
    """The maximal runs of consecutive frames: segment, first frame, end. No run goes from one segment to the next."""
    positions = card.layout.positions(mask)
    if not len(positions):
        return
    breaks = np.flatnonzero(np.diff(positions) > 1) + 1
    starts = positions[np.concatenate(([0], breaks))]
    lengths = np.diff(np.concatenate(([0], breaks, [len(positions)])))
    segments, frames = card.layout.locate(starts)
    for segment, start, length in zip(segments.tolist(), frames.tolist(), lengths.tolist(), strict=True):
        yield segment, start, start + length


def _event_changes(before: Scorecard, after: Scorecard, clause: str) -> Iterator[Change]:
    (asked, violated), (asked_now, violated_now) = (_intervals(card, clause) for card in (before, after))
    gone, come = asked - asked_now, asked_now - asked
    step = before.family.step
    for kind, wrong, some in (
        (Kind.FIXED, True, (violated & asked_now) - violated_now),
        (Kind.BROKEN, True, (violated_now & asked) - violated),
        (Kind.NO_LONGER_ASKED, True, gone & violated),
        (Kind.NO_LONGER_ASKED, False, gone - violated),
        (Kind.NEWLY_ASKED, True, come & violated_now),
        (Kind.NEWLY_ASKED, False, come - violated_now),
    ):
        for place, (start, end) in some:
            yield Change(*place, clause, kind, start * step, end * step, 1, wrong)


def _intervals(card: Scorecard, clause: str) -> tuple[set[Interval], set[Interval]]:
    """The intervals a clause obliges about (rule 9.1), and those that violate it."""
    evaluated, events, ignored = card.event_clause(clause), card.events, card.family.ignored
    if evaluated.clause.each is Each.MATCHED:
        runs = [(match.segment, match.ref) for match in events.matches]
    else:
        side = events.refs if evaluated.clause.each is Each.REF else events.preds
        runs = [(segment, run) for segment, some in side.items() for run in some]
    asked = {(card.family.place(s), run) for s, run in runs if not is_ignored(run, ignored.get(s, ()))}
    return asked, {(card.family.place(w.segment), w.interval) for w in evaluated.violations}
