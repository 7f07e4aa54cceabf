"""Every clip of a run as compact plain data: what a page needs to draw any timeline when it is asked for.

Times are frames. Runs are flat lists of pairs: how far a run starts after the end of the one before, and its length.
Texts that repeat are numbered. Clips and classes without events and without failures have no segment.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tracepact.core import Contract, EventClause, FrameClause
from tracepact.records import Record
from tracepact.scoring import NO_WITNESS, FrameViolations, Scorecard, distance_shape
from tracepact.tools.score.report.violations import event_violation
from tracepact.trace import FrameRun, Side
from tracepact.trace.layout import Indices
from tracepact.wording import print_number

Data = dict[str, Any]
Failures = dict[int, dict[int, list[Any]]]
"""By segment and clause: flat lists of failures, each as long as the clause's `fields`; texts are not numbered yet."""

FRAME_FIELDS = ("start", "length", "part")
DISTANCE_FIELDS = (*FRAME_FIELDS, "nearest", "farthest")
EVENT_FIELDS = (*FRAME_FIELDS, "text")


class _Texts(dict[str, int]):
    """Texts by number, each numbered when first asked for."""

    def __missing__(self, text: str) -> int:
        self[text] = len(self)
        return self[text]


MOST_CLIPS = 2_000
"""How many clips a page holds: those that lose most."""
_LOSS_UNIT = 1 << 30
"""What one obligation that is lost wholly counts: whole numbers add up to the same in every order."""


Numbers = tuple[int, ...]
SegmentEntry = tuple[int, Numbers, Numbers, Numbers, Numbers, Numbers, tuple[tuple[int | str | None, ...], ...]]
"""Class, both sides, ignored frames, matches, scores (satisfied and obligated by clause), failures by clause."""


class ClipEntry(Record, frozen=True):
    """One clip as a page holds it: how much it loses, its place among all clips, and its segments."""

    loss: int
    place: int
    clip: str
    frames: int
    condition: str | None
    segments: tuple[SegmentEntry, ...]


class ClipsTally(Record, frozen=True):
    """The clips that lose most, of how many, and the conditions of all."""

    total: int
    most: int
    conditions: tuple[str, ...]
    worst: tuple[ClipEntry, ...]

    def __add__(self, other: "ClipsTally") -> "ClipsTally":
        both = sorted((*self.worst, *other.worst), key=lambda one: (-one.loss, one.place))
        conditions = tuple(sorted({*self.conditions, *other.conditions}))
        return ClipsTally(self.total + other.total, self.most, conditions, tuple(both[: self.most]))


def clip_data(card: Scorecard, conditions: Mapping[str, str] | None = None, most: int = MOST_CLIPS) -> Data:
    """The runs, matches, scores and failures of every clip and class, of so many clips at most: the worst."""
    return page_clips(card.contract, card.family.classes, clips_tally(card, conditions, most=most))


def clips_tally(
    card: Scorecard, conditions: Mapping[str, str] | None = None, first: int = 0, most: int = MOST_CLIPS
) -> ClipsTally:
    """The clips of a scorecard that lose most; they start at this place among all clips."""
    family = card.family
    loss = _losses(card)
    held = np.sort(np.argsort(-loss, kind="stable")[:most])
    found: dict[int, list[SegmentEntry]] = {clip: [] for clip in held.tolist()}
    failures = _held_failures(card, frozenset(found))
    matches: dict[int, list[int]] = {}
    for match in card.events.matches:
        matches.setdefault(match.segment, []).extend((*match.ref, *match.pred))
    for segment in sorted({*family.runs[Side.REF], *family.runs[Side.PRED], *failures}):
        clip = segment % len(family.clips)
        if clip in found:
            found[clip].append(_segment(card, segment, matches, failures))
    entries = (
        ClipEntry(
            int(loss[clip]),
            first + clip,
            family.clips[clip],
            family.frames[clip],
            conditions[family.clips[clip]] if conditions else None,
            tuple(segments),
        )
        for clip, segments in found.items()
    )
    worst = tuple(sorted(entries, key=lambda one: (-one.loss, one.place)))
    groups = {conditions[clip] for clip in family.clips} if conditions else ()
    return ClipsTally(len(family.clips), most, tuple(sorted(groups)), worst)


def page_clips(contract: Contract, classes: Sequence[str], tally: ClipsTally) -> Data:
    """The clips of a tally as a page holds them, in the order of all clips; texts are numbered as they come."""
    texts = _Texts()
    held = sorted(tally.worst, key=lambda one: one.place)
    groups = {name: number for number, name in enumerate(tally.conditions)}
    fields = [_text_fields(clause) for clause in contract.clauses]
    segments = sorted(
        ((segment[0], number, segment) for number, entry in enumerate(held) for segment in entry.segments),
        key=lambda one: one[:2],
    )
    return {
        "step": print_number(contract.step),
        "seconds": float(contract.step),
        "clips": [entry.clip for entry in held],
        "frames": [entry.frames for entry in held],
        "classes": list(classes),
        "conditions": list(groups),
        "condition": [groups[entry.condition] for entry in held if entry.condition is not None],
        "clauses": [_clause(clause) for clause in contract.clauses],
        "segments": [[clip, *segment[:-1], _numbered(segment[-1], fields, texts)] for _, clip, segment in segments],
        "texts": list(texts),
        "total": tally.total,
    }


def fits(tally: ClipsTally, contract: Contract, classes: Sequence[str]) -> bool:
    """Whether a tally that was read speaks of these classes and of the clauses of a contract, each with its fields."""
    sizes = [_text_fields(clause)[0] for clause in contract.clauses]

    def fit(segment: SegmentEntry) -> bool:
        label, *_, scores, failures = segment
        whole = all(
            row and isinstance(row[0], int) and 0 <= row[0] < len(sizes) and (len(row) - 1) % sizes[row[0]] == 0
            for row in failures
        )
        return 0 <= label < len(classes) and len(scores) == 2 * len(sizes) and whole

    known = {*tally.conditions, None}
    return all(entry.condition in known and all(map(fit, entry.segments)) for entry in tally.worst)


def _losses(card: Scorecard) -> Indices:
    """What each clip loses over all clauses and classes, in parts of an obligation that is lost wholly."""
    loss = np.zeros(len(card.family.clips), dtype=np.int64)
    for counts in card.counts.values():
        lost = (counts.obligated - counts.satisfied) * _LOSS_UNIT // np.maximum(counts.obligated, 1)
        loss += np.where(counts.obligated > 0, lost, counts.counter * _LOSS_UNIT).sum(axis=0)
    return loss


def _held_failures(card: Scorecard, held: frozenset[int]) -> Failures:
    """The failures of the clips that are held, by segment and clause."""
    clips = len(card.family.clips)
    some = None if len(held) == clips else held
    failures: Failures = {}
    for index, clause in enumerate(card.contract.clauses):
        for segment, fields in _failures(card, clause, some):
            failures.setdefault(segment, {}).setdefault(index, []).extend(fields)
    return failures


def _text_fields(clause: FrameClause | EventClause) -> tuple[int, tuple[int, ...]]:
    """How many fields a failure of a clause has, and which of them are texts."""
    names = _clause(clause)["fields"]
    return len(names), tuple(place for place, name in enumerate(names) if name in ("part", "text"))


def _numbered(
    failures: Sequence[Sequence[Any]], fields: Sequence[tuple[int, tuple[int, ...]]], texts: _Texts
) -> list[Any]:
    """Failures by clause with their texts as numbers."""
    found = []
    for index, *flat in failures:
        size, places = fields[index]
        shown = [texts[value] if k % size in places else value for k, value in enumerate(flat)]
        found.append([index, *shown])
    return found


def _clause(clause: FrameClause | EventClause) -> Data:
    if isinstance(clause, EventClause):
        return {"name": clause.name, "fields": EVENT_FIELDS, "target": None}
    shape = distance_shape(clause)
    fields = FRAME_FIELDS if shape is None else DISTANCE_FIELDS
    return {"name": clause.name, "fields": fields, "target": shape and shape.atom}


def _segment(card: Scorecard, segment: int, matches: Mapping[int, list[int]], failures: Failures) -> SegmentEntry:
    family = card.family
    label, clip = divmod(segment, len(family.clips))
    scores: list[int] = []
    for clause in card.contract.clauses:
        counts = card.counts[clause.name]
        satisfied = -1 if counts.counter[label, clip] else int(counts.satisfied[label, clip])
        scores += [satisfied, int(counts.obligated[label, clip])]
    return (
        label,
        packed(family.runs[Side.REF].get(segment, ())),
        packed(family.runs[Side.PRED].get(segment, ())),
        packed(family.ignored.get(segment, ())),
        tuple(matches.get(segment, ())),
        tuple(scores),
        tuple((index, *fields) for index, fields in sorted(failures.get(segment, {}).items())),
    )


def packed(runs: tuple[FrameRun, ...]) -> Numbers:
    """Runs as gaps and lengths."""
    flat: list[int] = []
    last = 0
    for start, end in runs:
        flat += [start - last, end - start]
        last = end
    return tuple(flat)


def _failures(
    card: Scorecard, clause: FrameClause | EventClause, held: frozenset[int] | None
) -> Iterator[tuple[int, list[Any]]]:
    """The failures of a clause on the clips that are held, all if None: the segment and the fields of each."""
    if isinstance(clause, EventClause):
        return _event_failures(card, clause, held)
    return _frame_failures(card, clause, held)


def _frame_failures(
    card: Scorecard, clause: FrameClause, held: frozenset[int] | None
) -> Iterator[tuple[int, list[Any]]]:
    """Stretches of neighbouring violated frames with one failing part, and how far they are from a witness."""
    found = card.frame_violations(clause.name)
    if held is not None:
        shown = np.zeros(len(card.family.clips), dtype=np.bool_)
        shown[list(held)] = True
        here = shown[found.segment % len(shown)]
        offset = None if found.offset is None else found.offset[here]
        found = replace(
            found, segment=found.segment[here], frame=found.frame[here], span=found.span[here], offset=offset
        )
    if not len(found):
        return
    source = card.contract.source.text
    parts = [" ".join(source[span.start : span.end].split()) for span in found.spans]
    first = _stretches(found)
    lengths = np.diff(np.append(first, len(found)))
    columns = [found.segment[first].tolist(), found.frame[first].tolist(), lengths.tolist(), found.span[first].tolist()]
    offsets = _offsets(found, first) if found.offset is not None else ([], [])
    for index, (segment, frame, length, part) in enumerate(zip(*columns, strict=True)):
        yield segment, [frame, length, parts[part], *(column[index] for column in offsets if column)]


def _stretches(found: FrameViolations) -> Indices:
    """Where each stretch of neighbouring violated frames of one segment and one failing part begins."""
    begins = np.ones(len(found), dtype=np.bool_)
    begins[1:] = (np.diff(found.frame) != 1) | (np.diff(found.segment) != 0) | (np.diff(found.span) != 0)
    return np.flatnonzero(begins)


def _offsets(found: FrameViolations, first: Indices) -> tuple[list[int | None], list[int | None]]:
    """The nearest and the farthest of the offsets of each stretch; None where there is no witness in the clip."""
    assert found.offset is not None
    distances = found.distances
    # Sorting by stretch, then distance, puts the nearest first and the farthest last; frames break ties.
    stretch = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(found))))
    order = np.lexsort((distances, stretch))
    last = np.append(first[1:], len(found)) - 1
    return _known(found.offset[order[first]]), _known(found.offset[order[last]])


def _known(offsets: Indices) -> list[int | None]:
    return [None if offset == NO_WITNESS else offset for offset in offsets.tolist()]


def _event_failures(
    card: Scorecard, clause: EventClause, held: frozenset[int] | None
) -> Iterator[tuple[int, list[Any]]]:
    """Violated intervals with their failing part and what was compared."""
    clips = len(card.family.clips)
    for violation in card.event_clause(clause.name).violations:
        if held is not None and violation.segment % clips not in held:
            continue
        found = event_violation(card, violation)
        start, end = violation.interval
        yield violation.segment, [start, end - start, found.part.line, found.how_far]
