"""Every clip of a run as plain data for pages, and timelines of the clips that failed worst."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, field

from tracepact.data.family import Indices, Side
from tracepact.evaluate.curves import NO_WITNESS, distance_shape
from tracepact.evaluate.scorecard import FrameViolations, Scorecard
from tracepact.language.contract import Contract, EventClause, FrameClause
from tracepact.language.formula import FrameRun
from tracepact.records import Count, Name, NotNegative, Record
from tracepact.runs.violations import ClassField, ClipField, event_violation, name_ranks
from tracepact.show.figures import Bar, BarGroup, bar_chart
from tracepact.show.pages import Form, Lane, lane_chart
from tracepact.wording import print_number, time_text

# Every clip of a run as compact plain data: what a page needs to draw any timeline when it is asked for.
#
# Times are frames. Runs are flat lists of pairs: how far a run starts after the end of the one before, and its
# length. Texts that repeat are numbered. Clips and classes without events and without failures have no segment.

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


class WorstClipsTally(Record, frozen=True):
    """The clips that lose most, of how many, and the conditions of all."""

    total: int
    most: int
    conditions: tuple[str, ...]
    worst: tuple[ClipEntry, ...]

    def __add__(self, other: "WorstClipsTally") -> "WorstClipsTally":
        both = sorted((*self.worst, *other.worst), key=lambda one: (-one.loss, one.place))
        conditions = tuple(sorted({*self.conditions, *other.conditions}))
        return WorstClipsTally(self.total + other.total, self.most, conditions, tuple(both[: self.most]))


def clip_data(card: Scorecard, conditions: Mapping[str, str] | None = None, most: int = MOST_CLIPS) -> Data:
    """The runs, matches, scores and failures of the `most` worst clips, by class."""
    return page_clips(card.contract, card.family.classes, clips_tally(card, conditions, most=most))


def clips_tally(
    card: Scorecard, conditions: Mapping[str, str] | None = None, first: int = 0, most: int = MOST_CLIPS
) -> WorstClipsTally:
    """The clips of a scorecard that lose most; they start at this place among all clips."""
    family = card.family
    loss = _losses(card)
    # A stable sort: of clips that lose as much, the first are kept, whatever the batches.
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
    return WorstClipsTally(len(family.clips), most, tuple(sorted(groups)), worst)


def page_clips(contract: Contract, classes: Sequence[str], tally: WorstClipsTally) -> Data:
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


def fits(tally: WorstClipsTally, contract: Contract, classes: Sequence[str]) -> bool:
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
        # Whole numbers, not floats: the clips that are held must be the same whichever batches they come from.
        lost = (counts.obligated - counts.satisfied) * _LOSS_UNIT // np.maximum(counts.obligated, 1)
        loss += np.where(counts.obligated > 0, lost, counts.counter * _LOSS_UNIT).sum(axis=0)
    return loss


def _held_failures(card: Scorecard, held: frozenset[int]) -> Failures:
    """The failures of the clips that are held, by segment and clause."""
    clips = len(card.family.clips)
    # None for all clips: then no clause has to look up each of its failures.
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
        # The page has no field for counter evidence (7.4): -1 satisfied stands for it, which no count is.
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
    # Gaps in place of places are small numbers: the data of a page stays short.
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


def _stretches(violations: FrameViolations) -> Indices:
    """Where each stretch of neighbouring violated frames of one segment and one failing part begins."""
    # Failures come by segment and frame, so a stretch ends where one of the three changes.
    begins = np.ones(len(violations), dtype=np.bool_)
    begins[1:] = (np.diff(violations.frame) != 1) | (np.diff(violations.segment) != 0) | (np.diff(violations.span) != 0)
    return np.flatnonzero(begins)


def _offsets(violations: FrameViolations, first: Indices) -> tuple[list[int | None], list[int | None]]:
    """The nearest and the farthest of the offsets of each stretch; None where there is no witness in the clip."""
    assert violations.offset is not None
    distances = violations.distances
    # Sorting by stretch, then distance, puts the nearest first and the farthest last; frames break ties.
    stretch = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(violations))))
    order = np.lexsort((distances, stretch))
    last = np.append(first[1:], len(violations)) - 1
    return _known(violations.offset[order[first]]), _known(violations.offset[order[last]])


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


# Timelines of the clips that failed worst: runs of both sides, matches, and the frames where each clause failed.

SHOWN = 3
_Run = Annotated[tuple[Count, Count], Meta(description="A run: a half-open interval of frames (5.5).")]


class Timeline(Record, frozen=True):
    """What happened in one clip and class, in frames."""

    clip: ClipField
    label: ClassField = field(name="class")
    frames: Annotated[int, Meta(ge=1, description="The frames of the clip.")]
    step: NotNegative
    ref: Annotated[tuple[_Run, ...], Meta(description="Runs of the reference.")]
    pred: Annotated[tuple[_Run, ...], Meta(description="Runs of the prediction.")]
    matches: Annotated[tuple[tuple[_Run, _Run], ...], Meta(description="Matched pairs: reference run, predicted run.")]
    failed: Annotated[
        dict[Name, Annotated[tuple[_Run, ...], Meta(min_length=1)]],
        Meta(description="The frames or intervals where each clause failed."),
    ]

    def __post_init__(self) -> None:
        """Runs are inside the clip; msgspec tells what is read and is not so."""
        matched = (run for pair in self.matches for run in pair)
        failed = (run for runs in self.failed.values() for run in runs)
        if not all(start < end <= self.frames for start, end in (*self.ref, *self.pred, *matched, *failed)):
            raise ValueError("a run is not inside its clip")

    @property
    def duration(self) -> Fraction:
        """Its length in seconds, whole frames."""
        return self.frames * self.step

    def lanes(self, width: int = 76) -> list[tuple[str, str]]:
        """The lanes of both sides and of every clause that failed: a name and its cells."""
        failed = [(name, lane(runs, self.frames, width, "×")) for name, runs in self.failed.items()]
        return [*side_lanes(self.ref, self.pred, self.frames, width), *failed]


def worst_segments(card: Scorecard, most: int = SHOWN) -> list[tuple[int, float]]:
    """The segments whose clauses lose most together, one clip only once, and how much each loses."""
    loss = np.zeros((len(card.family.classes), len(card.family.clips)))
    for counts in card.counts.values():
        obligated = np.maximum(counts.obligated, 1)
        loss += np.where(counts.obligated > 0, 1 - counts.satisfied / obligated, counts.counter)
    # Ties by the names of clips: the order of rows in a table is no part of the data.
    order = np.lexsort((name_ranks(card.family), -loss.reshape(-1)))
    chosen: list[tuple[int, float]] = []
    clips: set[int] = set()
    for segment in order.tolist():
        clip = segment % len(card.family.clips)
        if len(chosen) == most or loss.flat[segment] == 0:
            break
        if clip not in clips:
            clips.add(clip)
            chosen.append((segment, float(loss.flat[segment])))
    return chosen


def worst_timelines(card: Scorecard, most: int = SHOWN) -> list[Timeline]:
    """The clips and classes that failed worst."""
    return [timeline(card, segment) for segment, _ in worst_segments(card, most)]


def timeline(card: Scorecard, segment: int) -> Timeline:
    """What happened in one clip and class."""
    clip, label = card.family.place(segment)
    failed: dict[str, tuple[FrameRun, ...]] = {}
    for clause in card.contract.clauses:
        if isinstance(clause, EventClause):
            violated = card.event_clause(clause.name).violated
            intervals = [o.pred if clause.each.value == "pred" else o.ref for s, o in violated if s == segment]
            runs = tuple(run for run in intervals if run is not None)
        else:
            runs = card.layout.runs_of(card.violated[clause.name], segment)
        if runs:
            failed[clause.name] = runs
    return Timeline(
        clip,
        label,
        card.family.frames_of(segment),
        card.family.step,
        card.family.runs[Side.REF].get(segment, ()),
        card.family.runs[Side.PRED].get(segment, ()),
        tuple((m.ref, m.pred) for m in card.events.matches if m.segment == segment),
        failed,
    )


def side_lanes(ref: Sequence[FrameRun], pred: Sequence[FrameRun], frames: int, width: int) -> list[tuple[str, str]]:
    """The lanes of a reference and a prediction."""
    return [("ref", lane(ref, frames, width, "█")), ("pred", lane(pred, frames, width, "▓"))]


def lane(runs: Sequence[FrameRun], frames: int, width: int, mark: str) -> str:
    """A lane of text of at most a given number of cells; a cell is marked when any of its frames is.

    A gap that no empty cell shows is a broken bar, so that two runs never look like one.
    """
    # A clip shorter than the lane has a cell for each frame; a cell of less than a frame would show nothing more.
    width = min(width, frames)
    cells = ["·"] * width
    for start, end in runs:
        # Every cell that a run touches: a short event is never invisible, however long the clip is.
        for cell in range(start * width // frames, (end - 1) * width // frames + 1):
            cells[cell] = mark
    for (_, end), (start, _) in pairwise(runs):
        gap = cells[(end - 1) * width // frames : start * width // frames + 1]
        if start > end and "·" not in gap:
            cells[end * width // frames] = "¦"
    return "".join(cells)


# The figures of a run as SVG: the clip that failed worst, and the vector.


def timeline_figure(title: str, timeline: Timeline) -> str:
    """Both sides of a clip and class, and the frames where each clause fails."""
    lanes = [Lane("reference", [timeline.ref], Form.SOLID), Lane("prediction", [timeline.pred], Form.OUTLINE)]
    lanes += [Lane(f"fails {clause}", [runs], Form.CROSSED) for clause, runs in timeline.failed.items()]
    return lane_chart(title, [(time_text(timeline.duration), timeline.frames)], lanes)


def vector_figure(contract: Contract, values: Mapping[str, Fraction | None]) -> str:
    """The scores of a contract's clauses, None for a vacuous one."""
    bars = [Bar(name, value, note="∅") for name, value in values.items()]
    title = f"{contract.name}, {contract.aggregation.words}"
    return bar_chart(title, [BarGroup("", bars)], x="score", x_range=(0, 1))
