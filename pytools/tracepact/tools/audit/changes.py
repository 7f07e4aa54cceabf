"""What changed from one run to another, obligation by obligation (rule 16.9)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Annotated, TypeVar

import numpy as np
from msgspec import Meta, field

from tracepact.core import Each, FrameClause
from tracepact.events.obligations import is_ignored
from tracepact.monitor import IntegerAlgebra, evaluate_masks
from tracepact.records import Count, Record
from tracepact.scoring import Scorecard
from tracepact.trace import FrameRun
from tracepact.trace.layout import Indices

_T = TypeVar("_T", bound="Tally")
EventPlace = tuple[tuple[str, str], FrameRun]
"""Clip and class, and an interval of frames there."""


class ChangeKind(Enum):
    """How an obligation changed."""

    FIXED = "fixed"
    BROKEN = "broken"
    NO_LONGER_ASKED = "no longer asked"
    NEWLY_ASKED = "newly asked"


class Change(Record, frozen=True):
    """Neighbouring obligations that changed in the same way: a stretch of frames, or an interval."""

    clip: str
    label: str = field(name="class")
    clause: str
    kind: ChangeKind = field(name="change")
    onset: Fraction
    offset: Fraction
    obligations: Annotated[int, Meta(ge=1)]
    violated: Annotated[
        bool,
        Meta(
            description="Whether one of the runs violates them; if only one run asks for them, whether that one does."
        ),
    ]


class OneSided(Record, frozen=True):
    """Obligations that only one of the runs asks for, and how many of them it violates."""

    obligations: Count
    violated: Count


class Tally(Record, frozen=True, kw_only=True):
    """How many obligations changed, by kind."""

    fixed: Count
    broken: Count
    no_longer_asked: OneSided
    newly_asked: OneSided

    @property
    def net(self) -> int:
        """Fixed minus broken; obligations that only one run asks for do not count."""
        return self.fixed - self.broken

    @property
    def obligations(self) -> int:
        """All changed obligations."""
        return self.fixed + self.broken + self.no_longer_asked.obligations + self.newly_asked.obligations

    @property
    def violated(self) -> int:
        """Those of them that one of the runs violates."""
        return self.fixed + self.broken + self.no_longer_asked.violated + self.newly_asked.violated


class ClauseTally(Tally, frozen=True):
    """How the obligations of a clause changed (rule 16.9)."""

    clause: str


class ClipTally(Tally, frozen=True):
    """How the obligations of a clip changed."""

    clip: str


def by_clause(found: Iterable[Change], clauses: Iterable[str]) -> list[ClauseTally]:
    """The changes of every one of these clauses."""
    parts: dict[str, list[Change]] = {clause: [] for clause in clauses}
    for change in found:
        parts[change.clause].append(change)
    return [tally(some, partial(ClauseTally, clause)) for clause, some in parts.items()]


def by_clip(found: Iterable[Change]) -> list[ClipTally]:
    """The clips with changes, those with the largest net first."""
    parts: dict[str, list[Change]] = {}
    for change in found:
        parts.setdefault(change.clip, []).append(change)
    clips = [tally(some, partial(ClipTally, clip)) for clip, some in parts.items()]
    return sorted(clips, key=lambda c: (-abs(c.net), -c.violated, -c.obligations, c.clip))


def tally(found: Iterable[Change], kind: Callable[..., _T]) -> _T:
    """The changes counted, as what `kind` makes of the fields of a `Tally`."""
    obligations, violated = Counter[ChangeKind](), Counter[ChangeKind]()
    for change in found:
        obligations[change.kind] += change.obligations
        violated[change.kind] += change.obligations * change.violated

    def one_sided(kind: ChangeKind) -> OneSided:
        return OneSided(obligations[kind], violated[kind])

    return kind(
        fixed=obligations[ChangeKind.FIXED],
        broken=obligations[ChangeKind.BROKEN],
        no_longer_asked=one_sided(ChangeKind.NO_LONGER_ASKED),
        newly_asked=one_sided(ChangeKind.NEWLY_ASKED),
    )


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
        (ChangeKind.FIXED, True, violated & asked_now & ~violated_now),
        (ChangeKind.BROKEN, True, violated_now & asked & ~violated),
        (ChangeKind.NO_LONGER_ASKED, True, gone & violated),
        (ChangeKind.NO_LONGER_ASKED, False, gone & ~violated),
        (ChangeKind.NEWLY_ASKED, True, come & violated_now),
        (ChangeKind.NEWLY_ASKED, False, come & ~violated_now),
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
    """A mask of one run in the layout of another, whose clips and classes may be in another order."""
    if (card.family.clips, card.family.classes) == (like.family.clips, like.family.classes):
        return mask
    segments = {like.family.place(s): s for s in range(like.layout.segments)}
    there: Indices = np.array([segments[card.family.place(s)] for s in range(card.layout.segments)], dtype=np.int64)
    segment, frame = card.layout.locate(card.layout.positions(mask))
    bits = np.zeros(like.layout.words * 64, dtype=np.bool_)
    bits[like.layout.start[there[segment]] + frame] = True
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def _stretches(card: Scorecard, mask: int) -> Iterator[tuple[int, int, int]]:
    """The maximal stretches of consecutive frames of one segment: segment, first frame, end."""
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
        (ChangeKind.FIXED, True, (violated & asked_now) - violated_now),
        (ChangeKind.BROKEN, True, (violated_now & asked) - violated),
        (ChangeKind.NO_LONGER_ASKED, True, gone & violated),
        (ChangeKind.NO_LONGER_ASKED, False, gone - violated),
        (ChangeKind.NEWLY_ASKED, True, come & violated_now),
        (ChangeKind.NEWLY_ASKED, False, come - violated_now),
    ):
        for place, (start, end) in some:
            yield Change(*place, clause, kind, start * step, end * step, 1, wrong)


def _intervals(card: Scorecard, clause: str) -> tuple[set[EventPlace], set[EventPlace]]:
    """The intervals a clause obliges about (rule 9.1), and those that violate it."""
    evaluated, events, ignored = card.event_clause(clause), card.events, card.family.ignored
    if evaluated.clause.each is Each.MATCHED:
        runs = [(match.segment, match.ref) for match in events.matches]
    else:
        side = events.refs if evaluated.clause.each is Each.REF else events.preds
        runs = [(segment, run) for segment, some in side.items() for run in some]
    asked = {(card.family.place(s), run) for s, run in runs if not is_ignored(run, ignored.get(s, ()))}
    return asked, {(card.family.place(w.segment), w.interval) for w in evaluated.violations}
