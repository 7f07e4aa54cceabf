"""Every clip of a run as compact plain data: what a page needs to draw any timeline when it is asked for.

Times are frames. Runs are flat lists of pairs: how far a run starts after the end of the one before, and its length.
Texts that repeat are numbered. Clips and classes without events and without failures have no segment.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tracepact.core import EventClause, FrameClause
from tracepact.scoring import NO_WITNESS, FrameViolations, Scorecard, distance_shape
from tracepact.tools.score.report.violations import event_violation
from tracepact.trace import FrameRun, Side
from tracepact.trace.layout import Indices
from tracepact.wording import print_number

Data = dict[str, Any]
Failures = dict[int, dict[int, list[int | None]]]
"""By segment and clause: flat lists of failures, each as long as the clause's `fields`."""

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


def clip_data(card: Scorecard, conditions: Mapping[str, str] | None = None, most: int = MOST_CLIPS) -> Data:
    """The runs, matches, scores and failures of every clip and class, of so many clips at most: the worst."""
    held = held_clips(card, most)
    data = _whole_data(card, conditions, None if len(held) == len(card.family.clips) else frozenset(held))
    data["total"] = len(card.family.clips)
    if len(held) < data["total"]:
        place = {clip: number for number, clip in enumerate(held)}
        for name in ("clips", "frames", "condition"):
            data[name] = [data[name][clip] for clip in held] if data[name] else []
        data["segments"] = [[place[segment[0]], *segment[1:]] for segment in data["segments"]]
    return data


def held_clips(card: Scorecard, most: int = MOST_CLIPS) -> list[int]:
    """The places of the clips that a page holds, in their order."""
    clips = len(card.family.clips)
    if clips <= most:
        return list(range(clips))
    loss = np.zeros(clips)
    for counts in card.counts.values():
        lost = 1 - counts.satisfied / np.maximum(counts.obligated, 1)
        loss += np.where(counts.obligated > 0, lost, counts.counter).sum(axis=0)
    return sorted(np.argsort(-loss, kind="stable")[:most].tolist())


def _whole_data(card: Scorecard, conditions: Mapping[str, str] | None, held: frozenset[int] | None) -> Data:
    """The data of all clips, but segments only of those that are held."""
    family, texts = card.family, _Texts()
    failures: Failures = {}
    for index, clause in enumerate(card.contract.clauses):
        for segment, fields in _failures(card, clause, texts):
            if held is not None and segment % len(family.clips) not in held:
                continue
            failures.setdefault(segment, {}).setdefault(index, []).extend(fields)
    matches: dict[int, list[int]] = {}
    for match in card.events.matches:
        matches.setdefault(match.segment, []).extend((*match.ref, *match.pred))
    groups = sorted(set(conditions.values())) if conditions else []
    shown = sorted({*family.runs[Side.REF], *family.runs[Side.PRED], *failures})
    if held is not None:
        shown = [segment for segment in shown if segment % len(family.clips) in held]
    return {
        "step": print_number(family.step),
        "seconds": float(family.step),
        "clips": list(family.clips),
        "frames": list(family.frames),
        "classes": list(family.classes),
        "conditions": groups,
        "condition": [groups.index(conditions[clip]) for clip in family.clips] if conditions else [],
        "clauses": [_clause(clause) for clause in card.contract.clauses],
        "segments": [_segment(card, segment, matches, failures) for segment in shown],
        "texts": list(texts),
    }


def _clause(clause: FrameClause | EventClause) -> Data:
    if isinstance(clause, EventClause):
        return {"name": clause.name, "fields": EVENT_FIELDS, "target": None}
    shape = distance_shape(clause)
    fields = FRAME_FIELDS if shape is None else DISTANCE_FIELDS
    return {"name": clause.name, "fields": fields, "target": shape and shape.atom}


def _segment(card: Scorecard, segment: int, matches: Mapping[int, list[int]], failures: Failures) -> list[Any]:
    """Clip, class, both sides, ignored frames, matches, scores (satisfied and obligated by clause), failures."""
    family = card.family
    label, clip = divmod(segment, len(family.clips))
    scores: list[int] = []
    for clause in card.contract.clauses:
        counts = card.counts[clause.name]
        satisfied = -1 if counts.counter[label, clip] else int(counts.satisfied[label, clip])
        scores += [satisfied, int(counts.obligated[label, clip])]
    return [
        clip,
        label,
        packed(family.runs[Side.REF].get(segment, ())),
        packed(family.runs[Side.PRED].get(segment, ())),
        packed(family.ignored.get(segment, ())),
        matches.get(segment, []),
        scores,
        [[index, *fields] for index, fields in sorted(failures.get(segment, {}).items())],
    ]


def packed(runs: tuple[FrameRun, ...]) -> list[int]:
    """Runs as gaps and lengths."""
    flat: list[int] = []
    last = 0
    for start, end in runs:
        flat += [start - last, end - start]
        last = end
    return flat


def _failures(
    card: Scorecard, clause: FrameClause | EventClause, texts: _Texts
) -> Iterator[tuple[int, list[int | None]]]:
    """The failures of a clause: the segment and the fields of each."""
    if isinstance(clause, EventClause):
        return _event_failures(card, clause, texts)
    return _frame_failures(card, clause, texts)


def _frame_failures(card: Scorecard, clause: FrameClause, texts: _Texts) -> Iterator[tuple[int, list[int | None]]]:
    """Stretches of neighbouring violated frames with one failing part, and how far they are from a witness."""
    found = card.frame_violations(clause.name)
    if not len(found):
        return
    source = card.contract.source.text
    parts = [texts[" ".join(source[span.start : span.end].split())] for span in found.spans]
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


def _event_failures(card: Scorecard, clause: EventClause, texts: _Texts) -> Iterator[tuple[int, list[int | None]]]:
    """Violated intervals with their failing part and what was compared."""
    for violation in card.event_clause(clause.name).violations:
        found = event_violation(card, violation)
        start, end = violation.interval
        yield violation.segment, [start, end - start, texts[found.part.line], texts[found.how_far]]
