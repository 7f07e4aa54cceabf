"""Exact times, events as they are read, and score fields: exact scores on frames of their own."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property
from math import isfinite, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.diagnostics.findings import RowPlace
from tracepact.wording import parse_exact

# Exact time: decimal text, integers, fractions and floats become rational numbers without rounding.

Ticks = NDArray[Any]
"""Whole numbers: int64 where they and a second have room to be doubled and added, else Python's own integers."""

_ROOM = 1 << 60
LONGEST_TIME = 10**10
"""Seconds: every time and duration of the data is less (rule 13.39)."""

Time = str | int | float | Fraction | Decimal


def exact(value: Time) -> Fraction:
    """A time as the rational number it denotes; a float as its shortest decimal text (rule 5.2)."""
    if isinstance(value, str):
        return parse_exact(value)
    # The shortest decimal is what somebody typed; the binary fraction itself never is.
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"{value} is not a finite number")
        return parse_exact(repr(float(value)))
    return Fraction(value)


@dataclass(frozen=True, slots=True)
class Ratios:
    """Many exact times: their numerators and their denominators."""

    tops: tuple[int, ...]
    bottoms: tuple[int, ...]


def ratios(times: Iterable[Fraction]) -> Ratios:
    """Times taken apart, each once."""
    parts = list(map(Fraction.as_integer_ratio, times))
    return Ratios(tuple(top for top, _ in parts), tuple(bottom for _, bottom in parts))


def common_unit(*times: Ratios | Iterable[Fraction]) -> int:
    """Ticks a second such that all these times are whole."""
    taken = (some if isinstance(some, Ratios) else ratios(some) for some in times)
    # A table has many times and few denominators, so the set is taken before the least common multiple.
    return lcm(*set().union(*(some.bottoms for some in taken)))


def ticks(times: Ratios, unit: int) -> Ticks:
    """Times in ticks of `1 / unit` seconds; the unit is a multiple of every denominator."""
    # int64 is far smaller and quicker than Python's integers, which hardly any table needs.
    widest = max(max(times.tops, default=0), -min(times.tops, default=0))
    if widest * unit < _ROOM and unit < _ROOM:
        return np.array(times.tops, dtype=np.int64) * (unit // np.array(times.bottoms, dtype=np.int64))
    whole = [top * (unit // bottom) for top, bottom in zip(times.tops, times.bottoms, strict=True)]
    return np.array(whole, dtype=np.int64 if max([unit, *map(abs, whole)]) < _ROOM else np.object_)


def roomy(times: Ticks, *others: int) -> Ticks:
    """Times as Python's own integers if one of the numbers they are to be computed with is too large beside int64."""
    return times.astype(np.object_) if times.dtype != np.object_ and any(abs(n) >= _ROOM for n in others) else times


def multiples(length: int, number: int) -> Ticks:
    """The first `number` multiples of a length, from 0 on."""
    return roomy(np.arange(number), length * max(number, 1)) * length


# The distinct scores of a field in order: floats that stand for their shortest decimals, or decimals as written.
#
# A float is as near to its decimal as floats come, so decimals in order have floats in order. Only decimals that
# share a float are compared themselves.

Floats = NDArray[np.float64]
Ranks = NDArray[np.int64]
_SHORT = 16
"""A decimal from 0 to 1 of this many characters has at most 15 digits, and is the shortest one of its float."""


@dataclass(frozen=True, eq=False)
class ScoreLevels:
    """Distinct scores, ascending. Each is the shortest decimal of its float, unless `texts` holds another by rank."""

    floats: Floats
    texts: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.floats)

    def text(self, rank: int) -> str:
        """The decimal of a rank."""
        return self.texts.get(rank) or repr(float(self.floats[rank]))

    def value(self, rank: int) -> Fraction:
        """The score of a rank."""
        return Fraction(self.text(rank))

    @cached_property
    def whole(self) -> tuple[tuple[int, ...], int]:
        """Every score as a whole number of parts, and how many parts are 1."""
        texts = list(map(repr, self.floats.tolist()))
        for rank, text in self.texts.items():
            texts[rank] = text
        # Nearly all scores are `0.` and digits, which are whole numbers of one power of ten: five times as fast as
        # fractions. What is written otherwise, such as 1e-05, is read as a decimal.
        plain = [text[:2] == "0." and text.isascii() and text[2:].isdigit() for text in texts]
        others = {
            text: Decimal(text).as_integer_ratio() for text, is_plain in zip(texts, plain, strict=True) if not is_plain
        }
        places = max((len(text) - 2 for text, is_plain in zip(texts, plain, strict=True) if is_plain), default=0)
        parts = lcm(10**places, *{bottom for _, bottom in others.values()})
        scale = parts // 10**places
        tops = {text: top * (parts // bottom) for text, (top, bottom) in others.items()}
        return tuple(tops[t] if t in tops else int(t[2:].ljust(places, "0")) * scale for t in texts), parts

    def above(self, threshold: Fraction) -> int:
        """The rank of the first score greater than a threshold; exact."""
        # Exact, for a threshold such as 1/3 has no float; and twenty comparisons reach any of a million scores.
        return bisect_left(range(len(self)), True, key=lambda rank: self.value(rank) > threshold)


def levels_of_floats(values: NDArray[np.floating]) -> tuple[ScoreLevels, Ranks]:
    """The levels of an array of floats and the rank of each; a short float is its shortest decimal in its precision."""
    # Curves and decodings compare scores and never add them: ranks say as much, are exact, and fit into int64.
    distinct, ranks = np.unique(values, return_inverse=True)
    ranks = ranks.reshape(values.shape).astype(np.int64, copy=False)
    # A long double has decimals that no float64 tells apart.
    if distinct.dtype.itemsize > np.dtype(np.float64).itemsize:
        levels, places = levels_of_texts([str(value) for value in distinct])
        return levels, places[ranks]
    wide = distinct if distinct.dtype == np.float64 else np.array(list(map(str, distinct)), dtype=np.float64)
    # -0.0 equals 0 in order, and would be written with its sign.
    return ScoreLevels(np.abs(wide) if len(wide) and wide[0] == 0 else wide), ranks


def levels_of_texts(texts: Sequence[str]) -> tuple[ScoreLevels, Ranks]:
    """The levels of decimals that are all numbers, and the rank of each."""
    # Scores of few decimals come again and again: each text is read once.
    known = dict.fromkeys(texts)
    distinct = list(known)
    floats = np.array(list(map(float, distinct)), dtype=np.float64)
    levels, ranks = _ordered(floats, dict(enumerate(distinct)))
    place = dict(zip(distinct, ranks.tolist(), strict=True))
    return levels, np.fromiter(map(place.__getitem__, texts), dtype=np.int64, count=len(texts))


def score_value(text: str, slack: Decimal = Decimal(0)) -> Decimal:
    """The decimal a score's text denotes; ValueError with words if it is none from 0 to 1, but for so much slack."""
    if not text.strip():
        raise ValueError("is missing")
    try:
        parse_exact(text)
        value = Decimal(text)
    except (ValueError, InvalidOperation):  # a fraction is no score
        raise ValueError("is not a number") from None
    if not -slack <= value <= 1 + slack:
        raise ValueError("lies outside 0 to 1")
    return value


def join_levels(parts: Sequence[ScoreLevels]) -> tuple[ScoreLevels, list[Ranks]]:
    """All scores of several levels as one, and of each part the new rank of every old one."""
    ends = np.cumsum([len(part) for part in parts])[:-1]
    floats = np.concatenate([np.zeros(0), *(part.floats for part in parts)])
    starts = [0, *ends.tolist()]
    texts = {
        start + rank: text for start, part in zip(starts, parts, strict=False) for rank, text in part.texts.items()
    }
    levels, ranks = _ordered(floats, texts)
    return levels, np.split(ranks, ends) if parts else []


def _ordered(floats: Floats, texts: Mapping[int, str]) -> tuple[ScoreLevels, Ranks]:
    """Levels of floats, some of which stand for another decimal than their shortest one; and the rank of each."""
    other = {place: text for place, text in texts.items() if not _is_shortest(text, floats[place])}
    distinct, groups = np.unique(floats, return_inverse=True)
    if not other:
        return ScoreLevels(np.abs(distinct) if len(distinct) and distinct[0] == 0 else distinct), groups
    # Only the decimals that share a float with another are compared as fractions, which costs far more.
    crowded: dict[int, dict[Fraction, str]] = {}
    for place, text in other.items():
        crowded.setdefault(int(groups[place]), {})[Fraction(text)] = text
    plain = np.ones(len(floats), dtype=np.bool_)
    plain[list(other)] = False
    for group in np.unique(groups[plain & np.isin(groups, list(crowded))]).tolist():
        crowded[group].setdefault(Fraction(repr(float(distinct[group]))), "")
    sizes = np.ones(len(distinct), dtype=np.int64)
    sizes[list(crowded)] = [len(decimals) for decimals in crowded.values()]
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    ranks = first[groups]
    written: dict[int, str] = {}
    order: dict[int, dict[Fraction, int]] = {}
    for group, decimals in crowded.items():
        order[group] = {value: int(first[group]) + i for i, value in enumerate(sorted(decimals))}
        written |= {rank: decimals[value] for value, rank in order[group].items() if decimals[value]}
    for place in np.flatnonzero(np.isin(groups, list(crowded))).tolist():
        group = int(groups[place])
        ranks[place] = order[group][Fraction(other.get(place) or repr(float(distinct[group])))]
    return ScoreLevels(np.repeat(distinct, sizes), written), ranks


def _is_shortest(text: str, value: float) -> bool:
    """Whether a number from 0 to 1 is the shortest decimal of its float; a fraction such as 1/3 is none."""
    if "/" in text:
        return False
    if len(text) <= _SHORT and "e" not in text and "E" not in text:
        return True
    shortest = repr(float(value))
    return shortest == text or Decimal(shortest) == Decimal(text)


# Score fields: clips × classes of exact scores on frames of their own, and their projection to a grid (rule 18.11).

NOWHERE = -1
"""The rank, or the frame, of what no frame of a field covers."""


@dataclass(frozen=True, slots=True, eq=False)
class ClipScores:
    """The scores of one clip.

    Attributes:
        edges: where its frames begin, and where the last one ends, in seconds: one more than there are frames.
        ranks: of every frame and class, the rank of the score among the levels of the field.
        rows: the row of every frame in its file, if it came from one.
    """

    edges: tuple[Fraction, ...]
    ranks: Ranks
    rows: tuple[int, ...] = ()

    def row(self, frame: int) -> int | None:
        """The row of a frame in its file."""
        return self.rows[frame] if self.rows else None

    def covering(self, step: Fraction, frames: int) -> NDArray[np.int64]:
        """The own frame that covers the centre of each frame of a grid; NOWHERE if none does (rule 18.11)."""
        starts, begins, length = self.line(step / 2, step, frames)
        frame_at = np.searchsorted(starts, begins + length, side="right").astype(np.int64) - 1
        beyond = np.full(frames - len(begins), NOWHERE, dtype=np.int64)
        return np.concatenate([np.where(frame_at < len(self.ranks), frame_at, NOWHERE), beyond])

    def line(self, length: Fraction, step: Fraction, frames: int) -> tuple[Ticks, Ticks, int]:
        """The own edges, where the frames of a grid begin that are not wholly behind them, and a length, in ticks."""
        edges = ratios(self.edges)
        unit = common_unit(edges, (length, step))
        # Frames behind the last edge are covered by none, whatever their number: a long clip costs its scores' length.
        behind = min(frames, int(self.edges[-1] / step) + 1)
        return ticks(edges, unit), multiples(int(step * unit), behind), int(length * unit)

    def projected(self, step: Fraction, frames: int) -> Ranks:
        """The ranks on the frames of a grid; NOWHERE where no frame covers the centre."""
        frame_at = self.covering(step, frames)
        return np.where(frame_at[:, None] == NOWHERE, NOWHERE, self.ranks[frame_at])


@dataclass(frozen=True, slots=True, eq=False)
class ScoreField:
    """The scores of one system, or of annotators: clips × classes, every score exact.

    Attributes:
        name: what messages call it: a path, or the name of an argument.
        classes: the classes of the columns.
        levels: the distinct scores, ascending.
        clips: the frames and ranks of every clip.
        digest: the SHA-256 of the file or folder it was read from; None if it was in memory.
        files: the file of each clip that has its own.
        is_mask: whether its scores are truth values, 0 and 1, so that no threshold is needed.

    Examples:
        >>> import numpy as np
        >>> import tracepact
        >>> scores = np.array([[0.1, 0.7], [0.7, 0.3]])
        >>> field = tracepact.score_field({"a": scores}, classes=["cat", "dog"], step="0.02")
        >>> field.classes, len(field.levels), field.clips["a"].ranks.tolist()
        (('cat', 'dog'), 3, [[0, 2], [2, 1]])
    """

    name: str
    classes: tuple[str, ...]
    levels: ScoreLevels
    clips: Mapping[str, ClipScores]
    digest: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    is_mask: bool = False

    def __repr__(self) -> str:
        frames = sum(len(own.ranks) for own in self.clips.values())
        what = "mask" if self.is_mask else f"{len(self.levels):,} distinct scores"
        classes = ", ".join(self.classes)
        return f"<ScoreField {self.name}: {len(self.clips):,} clips, {frames:,} frames, {what}; classes {classes}>"


def frame_edges(frames: int, step: Fraction) -> tuple[Fraction, ...]:
    """The edges of frames of one length, from 0 on."""
    return tuple(i * step for i in range(frames + 1))


def some_clips(scores: ScoreField, clips: Sequence[str]) -> ScoreField:
    """Some clips of a field, with the scores that occur in them and no others."""
    chosen = {clip: scores.clips[clip] for clip in clips if clip in scores.clips}
    if not chosen:
        return replace(scores, levels=ScoreLevels(np.zeros(0)), clips={}, files={})
    flat = np.concatenate([scores_of.ranks.reshape(-1) for scores_of in chosen.values()])
    known, places = np.unique(flat, return_inverse=True)
    ends = np.cumsum([scores_of.ranks.size for scores_of in chosen.values()])[:-1]
    parts = np.split(places.reshape(-1).astype(np.int64), ends)
    ranked = {
        clip: replace(scores_of, ranks=part.reshape(scores_of.ranks.shape))
        for (clip, scores_of), part in zip(chosen.items(), parts, strict=True)
    }
    texts = {k: scores.levels.texts[rank] for k, rank in enumerate(known.tolist()) if rank in scores.levels.texts}
    files = {clip: file for clip, file in scores.files.items() if clip in chosen}
    return replace(scores, levels=ScoreLevels(scores.levels.floats[known], texts), clips=ranked, files=files)


def joined_clips(
    clips: Mapping[str, ClipScores], levels: Sequence[ScoreLevels]
) -> tuple[ScoreLevels, dict[str, ClipScores]]:
    """Clips that have levels of their own, in order, on common ones."""
    common, places = join_levels(levels)
    return common, {
        clip: ClipScores(scores.edges, place[scores.ranks], scores.rows)
        for (clip, scores), place in zip(clips.items(), places, strict=True)
    }


# Exact times, and events as they are read: intervals with labels, by clip, before any grid.


@dataclass(slots=True, unsafe_hash=True)
class Event:
    """A labelled half-open interval in seconds, the row it came from, and how sure its author was of it.

    Row and confidence are not part of what the event is: two that differ in them alone are equal.
    Nobody changes one. It is not frozen because a table has many, and a frozen one takes three times as long to make.
    """

    onset: Fraction
    offset: Fraction
    label: str
    row: int | None = field(default=None, compare=False)
    confidence: Fraction | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class TableOrigin:
    """How a table came to be: its format, the file of each clip that has its own, and how scores were decoded.

    `lengths` are the clips whose files say how long they are; `regions` what the files say is not to be judged;
    `scores` the field the events were decoded from; `shards` the file of each clip of a table that is in several.
    """

    format: str
    files: Mapping[str, str] = field(default_factory=dict)
    decoding: Mapping[str, Any] | None = None
    lengths: Mapping[str, Fraction] = field(default_factory=dict)
    regions: Mapping[str, tuple[Event, ...]] = field(default_factory=dict)
    scores: ScoreField | None = field(default=None, compare=False, repr=False)
    shards: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True)
class EventTable:
    """The events of one side by clip, in the table's order; a silent clip has an empty list."""

    name: str
    clips: Mapping[str, tuple[Event, ...]]
    digest: str | None = None
    origin: TableOrigin | None = field(default=None, compare=False)

    def place(self, clip: str, row: int | None) -> RowPlace:
        """A row of a clip, in the file that holds it."""
        if self.origin is None:
            return RowPlace(self.name, row)
        return RowPlace(self.origin.files.get(clip) or self.origin.shards.get(clip, self.name), row)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The labels that occur."""
        return frozenset(event.label for events in self.clips.values() for event in events)

    @cached_property
    def times(self) -> Ratios:
        """Every onset in the table's order, then every offset."""
        events = [event for some in self.clips.values() for event in some]
        return ratios([*(event.onset for event in events), *(event.offset for event in events)])

    @property
    def events(self) -> Iterable[tuple[str, Event]]:
        """Every event with its clip."""
        return ((clip, event) for clip, events in self.clips.items() for event in events)


@dataclass(frozen=True, slots=True)
class Durations:
    """How long each clip is, in seconds."""

    name: str
    clips: Mapping[str, Fraction]
    digest: str | None = None


Lengths = Durations | Fraction | None
"""How long clips are: as a table says, all alike, or nobody knows."""


def length_of(lengths: Lengths, clip: str) -> Fraction | None:
    """How long a clip is, if that is known."""
    return lengths.clips.get(clip) if isinstance(lengths, Durations) else lengths


def listed_lengths(lengths: Lengths) -> Mapping[str, Fraction]:
    """The clips that a table of durations names, with their lengths; none where there is no table."""
    return lengths.clips if isinstance(lengths, Durations) else {}


Regions = EventTable
"""Ignore regions: intervals by clip; an empty label stands for every class."""


# Events in columns: clips and labels by index, times in whole ticks; exact, and many at once.


@dataclass(frozen=True, slots=True, eq=False)
class EventColumns:
    """The events of one side in the table's order, times in ticks of `1 / unit` seconds.

    A clip or label that has no index is -1.
    """

    unit: int
    clip: NDArray[np.int64]
    label: NDArray[np.int64]
    onset: Ticks
    offset: Ticks

    def __len__(self) -> int:
        return len(self.clip)


def joined(events: EventColumns) -> EventColumns:
    """The events as one class has them: those of a clip that overlap or touch are one (rule 15.23)."""
    # One sweep for all clips: by ranks, clip and time fit into one number however long the times are. An event opens a
    # group where it starts after all that began before it have ended, which the running maximum says.
    line, rank = np.unique(np.concatenate([events.onset, events.offset]), return_inverse=True)
    clip = events.clip * max(len(line), 1)
    onset, offset = (clip + part for part in np.split(rank.reshape(-1), 2))
    order = np.argsort(onset, kind="stable")
    reach = np.maximum.accumulate(offset[order])
    opens = np.flatnonzero(np.append(True, onset[order][1:] > reach[:-1])[: len(order)])
    first, last = order[opens], reach[np.append(opens[1:], len(order))[: len(opens)] - 1]
    onsets, offsets = events.onset[first], line[last - clip[first]]
    return EventColumns(events.unit, events.clip[first], np.zeros_like(first), onsets, offsets)


def columns(table: EventTable, clips: Mapping[str, int], labels: Mapping[str, int], unit: int) -> EventColumns:
    """The events of a table under given numberings of clips and labels."""
    # One lookup a clip, not one an event.
    numbers = np.array([clips.get(clip, -1) for clip in table.clips], dtype=np.int64)
    onset, offset = ticks(table.times, unit).reshape(2, -1)
    return EventColumns(
        unit,
        np.repeat(numbers, [len(events) for events in table.clips.values()]),
        np.array([labels.get(e.label, -1) for events in table.clips.values() for e in events], dtype=np.int64),
        onset,
        offset,
    )
