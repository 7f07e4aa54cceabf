"""What a metric's value depends on beside the data, the values that follow from counts, and how intervals meet."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from math import isnan, nan
from typing import Annotated, Any

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tracepact.data.events import Event, EventTable, Lengths, length_of
from tracepact.data.family import Runs, run_columns
from tracepact.records import Count, Record
from tracepact.wording import print_number, time_text

# What a metric's value depends on beside the data: collars, offset rules, lengths; each says itself in words.

Number = Fraction | float
"""An exact value, or a binary float under the policy sed_eval."""

MACRO_OF_REFERENCE = "macro over the classes of the reference"


class Arithmetic(Enum):
    """Which of the two ways decides: exact fractions, or the binary floats of sed_eval (rule 15.14)."""

    EXACT = "exact"
    SED_EVAL = "sed_eval"


class Input(Enum):
    """What a metric looks at (rule 15.1)."""

    INTERVALS = "intervals"
    TRACE = "trace"


class OffsetRule(Enum):
    """How far apart two offsets may be (rule 15.8)."""

    MAX = "max"
    AND = "and"
    COLLAR = "collar"
    NONE = "none"


class Empty(Enum):
    """What the precision of a class, or of all, is where nothing was predicted (rule 15.20)."""

    UNDEFINED = "undefined"
    ZERO_SCORE = "zero_score"


class MacroOver(Enum):
    """The classes a mean over classes is taken of (rule 15.21)."""

    DEFINED = "defined"
    REFERENCE = "reference"
    ALL = "all"


class Unknown(Enum):
    """What the overlap metric does with ignore regions: they leave events out, or are matched (15.13, 15.24)."""

    LEFT_OUT = "left-out"
    FEW_SHOT = "few-shot"


class Evaluated(Enum):
    """Where the segments of a clip end: with the last event of either side, or with the clip (rule 15.19)."""

    EVENTS = "events"
    CLIP = "clip"


@dataclass(frozen=True, slots=True)
class Rules:
    """How values follow from counts."""

    arithmetic: Arithmetic = Arithmetic.EXACT
    empty: Empty = Empty.UNDEFINED
    macro: MacroOver = MacroOver.DEFINED

    @property
    def words(self) -> str:
        """The rules that are not the default, in the words added to a policy."""
        said = {
            Empty.ZERO_SCORE: "precision 0 where nothing is predicted (zero_score)",
            MacroOver.REFERENCE: MACRO_OF_REFERENCE,
            MacroOver.ALL: "macro over all classes, undefined as 0",
        }
        return "".join(f"; {said[rule]}" for rule in (self.empty, self.macro) if rule in said)


USUAL_RULES = Rules()


@dataclass(frozen=True, slots=True)
class EventPolicy:
    """When two events can be a pair: times in seconds, the share of the reference's length.

    `slack` is added to every bound; it is 0 but where another tool rounds before it compares.
    """

    collar: Fraction = Fraction(1, 5)
    offset: OffsetRule = OffsetRule.MAX
    share: Fraction = Fraction(1, 5)
    slack: Fraction = Fraction(0)

    @property
    def words(self) -> str:
        """The policy in the words shown beside a value."""
        collar, share = time_text(self.collar), f"{print_number(self.share * 100)} % of the reference"
        offset = {
            OffsetRule.MAX: f"offset ≤ max({collar}, {share})",
            OffsetRule.AND: f"offset ≤ {collar} and ≤ {share}",
            OffsetRule.COLLAR: f"offset ≤ {collar}",
            OffsetRule.NONE: "offset not asked",
        }[self.offset]
        return f"onset ≤ {collar}, {offset}"


@dataclass(frozen=True, slots=True)
class MetricSettings:
    """The declared policies of all standard metrics; times in seconds."""

    event: EventPolicy = field(default_factory=EventPolicy)
    segment: Fraction = Fraction(1)
    transition: Fraction = Fraction(1, 5)
    evaluated: Evaluated = Evaluated.EVENTS
    empty: Empty = Empty.UNDEFINED
    macro: MacroOver = MacroOver.DEFINED

    def rules(self, arithmetic: Arithmetic = Arithmetic.EXACT) -> Rules:
        """How values follow from counts under these settings."""
        return Rules(arithmetic, self.empty, self.macro)


# Windows of classifiers that say of a few seconds at a time what is heard (rule 15.25).


@dataclass(frozen=True, slots=True)
class Windows:
    """How both sides become windows: their length, and by how much an event overlaps a window that it makes active."""

    length: Fraction
    overlap: Fraction

    def of(self, table: EventTable, durations: Lengths) -> EventTable:
        """The table with runs of active windows in place of its events, each with the row of its first event."""
        clips = {clip: self._runs(events, length_of(durations, clip)) for clip, events in table.clips.items()}
        return replace(table, clips=clips)

    def _runs(self, events: Sequence[Event], end: Fraction | None) -> tuple[Event, ...]:
        active: dict[str, dict[int, Event]] = {}
        for event in events:
            windows = active.setdefault(event.label, {})
            for number in self.numbers(event):
                windows.setdefault(number, event)
        runs = []
        for label, windows in active.items():
            firsts = [number for number in sorted(windows) if number - 1 not in windows]
            lasts = [number for number in sorted(windows) if number + 1 not in windows]
            for first, last in zip(firsts, lasts, strict=True):
                offset = (last + 1) * self.length
                reach = offset if end is None else max(min(offset, end), first * self.length)
                runs.append(Event(first * self.length, reach, label, windows[first].row, windows[first].confidence))
        return tuple(sorted(runs, key=lambda run: (run.onset, run.offset, run.label)))

    def numbers(self, event: Event) -> range:
        """The windows that an event overlaps by enough."""
        # Window k shares min(offset, (k + 1)L) - max(onset, kL) with the event. That is enough if each of its four
        # differences is, and two of them do not depend on k: the event's length, and L, which is not shorter.
        if event.offset - event.onset < self.overlap:
            return range(0)
        first = -((-event.onset - self.overlap) // self.length) - 1
        return range(max(first, 0), (event.offset - self.overlap) // self.length + 1)

    def lost(self, table: EventTable) -> tuple[int, int]:
        """The number of events of a table that make no window active, and the number of all its events."""
        events = [event for _, event in table.events]
        return sum(not self.numbers(event) for event in events), len(events)


# What a metric counts, class by class and clip by clip, kept only where there is something.

Indices = NDArray[np.int64]
Values = NDArray[np.float64]
Whole = NDArray[Any]
"""Whole numbers: int64, or Python's own where sums may be longer."""

_CELLS = 2**24


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Whole numbers of some kinds, such as true and false positives, by segment (class · clips + clip), ascending.

    `values` is an array of kinds by segments; a segment that is not listed has none of any kind.
    """

    classes: int
    clips: int
    segment: Indices
    values: Whole

    @classmethod
    def of(cls, classes: int, clips: int, kinds: Sequence[tuple[Indices, Whole | None]]) -> "Counts":
        """Add up by segment what is listed of each kind: segments, and how much each entry adds (1 if not said)."""
        segment, place = np.unique(np.concatenate([found for found, _ in kinds]), return_inverse=True)
        longer = any(amount is not None and amount.dtype == np.object_ for _, amount in kinds)
        values: Whole = np.zeros((len(kinds), len(segment)), dtype=np.object_ if longer else np.int64)
        ends = np.cumsum([len(found) for found, _ in kinds])[:-1]
        for row, at, (_, amount) in zip(values, np.split(place.reshape(-1), ends), kinds, strict=True):
            np.add.at(row, at, 1 if amount is None else amount)
        return cls(classes, clips, segment, values)

    @property
    def tallied(self) -> "Counts":
        """True positives, false positives and false negatives, out of pairs, predictions and references."""
        pairs, preds, refs = self.values
        return replace(self, values=np.stack([pairs, preds - pairs, refs - pairs]))

    @property
    def by_class(self) -> list[list[int]]:
        """The sums over clips: for each class its number of each kind."""
        sums: Whole = np.zeros((self.classes, len(self.values)), dtype=self.values.dtype)
        np.add.at(sums, self.segment // max(self.clips, 1), self.values.T)
        return [[int(value) for value in row] for row in sums]

    def renumbered(self, clips: Sequence[int], number: int) -> "Counts":
        """The same counts with the clips renumbered among a larger number of clips."""
        label, clip = np.divmod(self.segment, max(self.clips, 1))
        segment = label * number + np.asarray(clips, dtype=np.int64)[clip]
        order = np.argsort(segment)
        return Counts(self.classes, number, segment[order], self.values[:, order])

    def drawn(self, weights: Values) -> Values:
        """The sums of every draw, draws by kinds by classes: exact while they are below 2**53."""
        label, clip = np.divmod(self.segment, max(self.clips, 1))
        kinds = len(self.values)
        sums = np.empty((len(weights), kinds, self.classes))
        # A dense table of all classes would take memory of draws times clips times classes: some classes at a time.
        block = max(1, _CELLS // max(self.clips * kinds, 1))
        for first in range(0, self.classes, block):
            last = min(first + block, self.classes)
            here = (label >= first) & (label < last)
            dense = np.zeros((self.clips, kinds, last - first))
            dense[clip[here], :, label[here] - first] = self.values[:, here].T
            # Sums of whole numbers below 2**53 are exact in floats, and a matrix product is the fastest way to them.
            sums[:, :, first:last] = (weights @ dense.reshape(self.clips, -1)).reshape(-1, kinds, last - first)
        return sums

    def drawn_once(self, times: Indices) -> "Counts":
        """The exact sums of one draw, given how often it has each clip, as the counts of one clip."""
        label, clip = np.divmod(self.segment, max(self.clips, 1))
        return Counts.of(self.classes, 1, [(label, row * times[clip]) for row in self.values])

    def differing_clips(self, other: "Counts") -> Indices:
        """The clips in which some class has another number of some kind; both have the same classes and clips."""
        both = np.concatenate([self.segment, other.segment])
        kinds = [
            (both, np.concatenate([mine, -theirs])) for mine, theirs in zip(self.values, other.values, strict=True)
        ]
        left = Counts.of(self.classes, self.clips, kinds)
        found: Indices = left.segment[(left.values != 0).any(axis=0)] % max(self.clips, 1)
        return found


# The values that follow from counts, exact or in sed_eval's floats (rules 15.2, 15.7, 15.14, 15.19 to 15.21).

EPSILON = 2.0**-52
"""The number that sed_eval adds to the denominators of error rates and accuracies."""


class MetricCounts(Record, frozen=True):
    """True positives, false positives, false negatives (15.2)."""

    tp: Annotated[Count, Meta(description="True positives.")]
    fp: Annotated[Count, Meta(description="False positives.")]
    fn: Annotated[Count, Meta(description="False negatives.")]

    def __add__(self, other: "MetricCounts") -> "MetricCounts":
        return MetricCounts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)


@dataclass(frozen=True, slots=True)
class Rates:
    """Precision, recall and F1; None where undefined."""

    precision: Number | None
    recall: Number | None
    f1: Number | None


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Sensitivity, specificity, their mean, and the share of cells that are right; None where undefined."""

    sensitivity: Number | None
    specificity: Number | None
    balanced_accuracy: Number | None
    accuracy: Number | None


@dataclass(frozen=True, slots=True)
class Errors:
    """Substitutions, deletions and insertions, and how many references there were."""

    substitutions: int
    deletions: int
    insertions: int
    reference: int

    def rate(self, arithmetic: Arithmetic) -> Number | None:
        """The error rate; None without a reference."""
        parts = (self.substitutions, self.deletions, self.insertions)
        if arithmetic is Arithmetic.SED_EVAL:
            substituted, deleted, inserted = (part / (self.reference + EPSILON) for part in parts)
            return substituted + deleted + inserted
        return quotient(sum(parts), self.reference)


def quotient(top: int, bottom: int) -> Fraction | None:
    """A fraction; None where it is undefined."""
    return Fraction(top, bottom) if bottom else None


def rates(tally: MetricCounts, rules: Rules) -> Rates:
    """Precision, recall and F1 of some counts."""
    floats = rules.arithmetic is Arithmetic.SED_EVAL
    return _float_rates(tally, rules) if floats else _exact_rates(tally, rules)


def _exact_rates(tally: MetricCounts, rules: Rules) -> Rates:
    tp, fp, fn = tally.tp, tally.fp, tally.fn
    precision = quotient(tp, tp + fp)
    if precision is None and rules.empty is Empty.ZERO_SCORE:
        precision = Fraction(0)
    return Rates(precision, quotient(tp, tp + fn), quotient(2 * tp, 2 * tp + fp + fn))


def _float_rates(tally: MetricCounts, rules: Rules) -> Rates:
    """The rates as sed_eval computes them: F1 from the two rounded quotients, undefined where one of them is."""
    predicted, reference = tally.tp + tally.fp, tally.tp + tally.fn
    empty = 0.0 if rules.empty is Empty.ZERO_SCORE else nan
    precision = tally.tp / predicted if predicted else empty
    recall = tally.tp / reference if reference else nan
    # As sed_eval rounds: three quotients in this order, not one of the counts.
    f1 = 0.0 if precision == 0 and recall == 0 else 2.0 * precision * recall / (precision + recall)
    return Rates(*(None if isnan(value) else value for value in (precision, recall, f1)))


def accuracy(tally: MetricCounts, tn: int, rules: Rules) -> Accuracy:
    """Sensitivity, specificity and accuracies of some counts and their true negatives (rule 15.19)."""
    tp, fp, fn = tally.tp, tally.fp, tally.fn
    if rules.arithmetic is Arithmetic.SED_EVAL:
        true, false = tp / (tp + fn + EPSILON), tn / (tn + fp + EPSILON)
        return Accuracy(true, false, 0.5 * true + 0.5 * false, (tp + tn) / (tp + tn + fn + fp + EPSILON))
    sensitivity, specificity = quotient(tp, tp + fn), quotient(tn, tn + fp)
    balanced = None if sensitivity is None or specificity is None else (sensitivity + specificity) / 2
    return Accuracy(sensitivity, specificity, balanced, quotient(tp + tn, tp + tn + fp + fn))


def macro_values(values: Sequence[Number | None], in_reference: Sequence[bool], over: MacroOver) -> list[Number | None]:
    """The values of the classes that a mean over classes is taken of, undefined ones as None (rule 15.21)."""
    match over:
        case MacroOver.REFERENCE:
            return [value for value, there in zip(values, in_reference, strict=True) if there]
        case MacroOver.ALL:
            return [Fraction(0) if value is None else value for value in values]
        case _:
            return list(values)


def mean(values: Iterable[Number | None]) -> Number | None:
    """The mean of the values that are defined; floats are added as NumPy adds them, nothing standing for 0."""
    every = list(values)
    defined = [value for value in every if value is not None]
    if not defined:
        return None
    # NumPy adds in pairs, and sed_eval's mean is NumPy's: another order could differ in the last bit.
    if any(isinstance(value, float) for value in defined):
        return float(np.sum(np.array([value or 0.0 for value in every], dtype=np.float64)) / len(defined))
    return sum((Fraction(value) for value in defined), Fraction(0)) / len(defined)


# Lengths of where intervals of several tracks meet, found by one sweep over all their ends.


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Intervals `[start, end)` of whole cells in columns: frames or segments of clip and class; they may overlap."""

    clip: Indices
    label: Indices
    start: Indices
    end: Indices

    @classmethod
    def of_runs(cls, runs: Runs, clips: int) -> "Cells":
        """The runs of one side of a family, given its number of clips."""
        columns = run_columns(runs)
        label, clip = np.divmod(columns.segment, max(clips, 1))
        return cls(clip, label, columns.start, columns.end)

    def cut(self, cells: Indices) -> "Cells":
        """The parts within the first cells of each clip, given the number of those cells."""
        end = np.minimum(self.end, cells[self.clip])
        kept = self.start < end
        return Cells(self.clip[kept], self.label[kept], self.start[kept], end[kept])

    def __len__(self) -> int:
        return len(self.clip)


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """A line cut at every end of an interval: start and length of each piece, how many of each track cover it."""

    start: Indices
    length: Indices
    covered: NDArray[np.int64]


def pieces(tracks: Sequence[tuple[Indices, Indices]]) -> Pieces:
    """Sweep over tracks of intervals `[start, end)` on one line."""
    # Sweep line: +1 where an interval starts and -1 where it ends; the running sum says how many cover a piece.
    ends = np.concatenate([end for track in tracks for end in track])
    turns = np.zeros((len(tracks), len(ends)), dtype=np.int64)
    place = 0
    for number, (start, end) in enumerate(tracks):
        turns[number, place : place + len(start)] = 1
        turns[number, place + len(start) : place + len(start) + len(end)] = -1
        place += len(start) + len(end)
    order = np.argsort(ends, kind="stable")
    line = ends[order]
    return Pieces(line[:-1], np.diff(line), np.cumsum(turns[:, order], axis=1)[:, :-1])


@dataclass(frozen=True, slots=True, eq=False)
class CountedCells:
    """The counts of cells, and the active pieces of both sides, all classes laid over one another."""

    counts: Counts
    longest: int
    ref: tuple[Indices, Indices]
    pred: tuple[Indices, Indices]

    @property
    def errors(self) -> Counts:
        """Substitutions, deletions, insertions and references of every clip (rule 15.7)."""
        found = pieces([self.ref, self.pred])
        in_ref, in_pred = found.covered * found.length
        common = np.minimum(in_ref, in_pred)
        clip = found.start // self.longest
        correct = self.counts.segment % max(self.counts.clips, 1), -self.counts.values[0]
        substituted = np.concatenate([clip, correct[0]]), np.concatenate([common, correct[1]])
        kinds = [substituted, (clip, in_ref - common), (clip, in_pred - common), (clip, in_ref)]
        return Counts.of(1, self.counts.clips, kinds)


def count_cells(
    ref: Cells, pred: Cells, shape: tuple[int, int], *, within: Cells | None = None, without: Cells | None = None
) -> CountedCells:
    """Count the cells of both sides (rule 15.4), given the numbers of classes and clips.

    Only those `within` some intervals count, if given, and none `without`.
    """
    tracks = [ref, pred, *(some for some in (within, without) if some is not None)]
    longest = 1 + max(int(some.end.max(initial=0)) for some in tracks)
    classes, clips = shape
    # Clips of all classes one after another on one line, each as long as the longest, so that no interval reaches into
    # the next.
    bases = [(some.label * clips + some.clip) * longest for some in tracks]
    found = pieces([(base + some.start, base + some.end) for base, some in zip(bases, tracks, strict=True)])
    active = found.covered > 0
    counted = found.length > 0
    if within is not None:
        counted &= active[2]
    if without is not None:
        counted &= ~active[-1]
    start, length = found.start[counted], found.length[counted]
    in_ref, in_pred = active[0][counted], active[1][counted]
    segment = start // longest
    parts = (in_ref & in_pred, in_pred & ~in_ref, in_ref & ~in_pred)
    counts = Counts.of(classes, clips, [(segment[where], length[where]) for where in parts])
    place = start % (longest * max(clips, 1))
    ref_pieces, pred_pieces = ((place[where], (place + length)[where]) for where in (in_ref, in_pred))
    return CountedCells(counts, longest, ref_pieces, pred_pieces)
