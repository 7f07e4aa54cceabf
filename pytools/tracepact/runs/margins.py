"""The margins of a run: how far each verdict is from its opposite, in score; their table, and their sums."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from tracepact.data.events import EventTable
from tracepact.data.family import Family, Indices, Mode, Side
from tracepact.data.labels import LabelMap
from tracepact.evaluate.reference import Margin, parse_margin
from tracepact.evaluate.scorecard import Scorecard
from tracepact.evaluate.scores import ClauseCounts
from tracepact.evaluate.soft_family import DecodedSide, RankedMargins, SoftCard, SoftEntry, decoded_family, soft_scores
from tracepact.files import BadTable, Row, table_rows, table_text
from tracepact.language.contract import Aggregation, Contract, Projection
from tracepact.records import Record
from tracepact.wording import count, parse_stored, parse_whole

# The margins of a run whose scores a threshold alone made events: how far each verdict is from its opposite.

COLUMNS = ("filename", "event_label", "clause", "frame", "margin", "total")


@dataclass(frozen=True, slots=True, eq=False)
class ClauseMargins:
    """The margins of a frame clause: sum and least of every segment that is asked, and one for each violated frame.

    Those of violated frames are in the order of `Scorecard.frame_violations`, each as its place in `values`, which are
    distinct: one value may be that of many thousand frames.
    """

    entries: Mapping[int, tuple[Fraction, Margin]]
    values: Sequence[Margin]
    places: Indices

    def __repr__(self) -> str:
        return f"<ClauseMargins of {count(len(self.places), 'violated frame')}>"

    def __getitem__(self, number: int) -> Margin:
        """The margin of a violated frame."""
        return self.values[int(self.places[number])]

    def __len__(self) -> int:
        return len(self.places)

    def by_class(self, counts: ClauseCounts) -> list[list[SoftEntry]]:
        """The contribution of every class and clip to the soft score of the clause, which has these counts."""
        classes, clips = counts.obligated.shape
        return [
            [
                SoftEntry(total, int(counts.satisfied[label, clip]), int(counts.obligated[label, clip]), least)
                for clip in range(clips)
                for total, least in (self.entries.get(label * clips + clip, (Fraction(0), None)),)
            ]
            for label in range(classes)
        ]


ScoreMargins = Mapping[str, ClauseMargins]
"""The margins of a run, by frame clause."""


def score_margins(
    contract: Contract, family: Family, reference: EventTable, prediction: EventTable, labels: LabelMap | None
) -> ScoreMargins | None:
    """The margins of a family of these tables; None where a verdict has none that could be said (rule 13.36)."""
    tables = {Side.REF: reference, Side.PRED: prediction}
    scored = {side: table for side, table in tables.items() if table.origin and table.origin.decoding}
    decoded = {side: decoded_side(table, family, labels) for side, table in scored.items()}
    sides = {side: own for side, own in decoded.items() if own is not None}
    if not sides or len(sides) < len(decoded) or contract.projection is not Projection.CENTRE:
        return None
    if not contract.frame_clauses:
        return None
    return _margins(soft_scores(contract, decoded_family(family, sides)))


def decoded_side(table: EventTable, family: Family, labels: LabelMap | None) -> DecodedSide | None:
    """The field of a side and its threshold; None after more than one threshold for all, or without the scores."""
    assert table.origin is not None
    scores, decoding = table.origin.scores, table.origin.decoding
    if scores is None or decoding is None or "classes" in decoding:
        return None
    # After a filter or a hysteresis no single score decides a frame, so there is no distance to the threshold (13.36).
    if decoding["low"] is not None or decoding["median"] != 1:
        return None
    # Several columns may be one class, under a label map or as a union: an atom then holds where any of them does.
    named = [_class(label, family, labels) for label in scores.classes]
    columns = [[place for place, own in enumerate(named) if own == label] for label in family.classes]
    return DecodedSide(scores, parse_stored(str(decoding["threshold"])), columns)


def _class(label: str, family: Family, labels: LabelMap | None) -> str | None:
    """The class of the family that a column belongs to; None if its events are left out."""
    if labels is not None and labels.treatment(label) != "keep":
        return None
    mapped = label if labels is None else labels.renamed.get(label, label)
    return family.classes[0] if family.mode is Mode.UNION else mapped


def _margins(card: SoftCard) -> ScoreMargins:
    margins = {}
    for name in (clause.name for clause in card.contract.frame_clauses):
        entries = {segment: (total, least) for segment, total, least in card.sums(name)}
        distinct, places = card.violated(name).distinct
        margins[name] = ClauseMargins(entries, distinct, places)
    return margins


# Stored


def margins_text(margins: ScoreMargins, card: Scorecard) -> str:
    """The margins as a table: a row for each clip, class and clause, and one for each violated frame (rule 17.2)."""
    return table_text(COLUMNS, _rows(margins, card))


def _rows(margins: ScoreMargins, card: Scorecard) -> Iterator[Row]:
    place = card.family.place
    for clause, own in margins.items():
        for segment, (total, least) in own.entries.items():
            yield *place(segment), clause, "", str(least), str(total)
        violations, texts = card.frame_violations(clause), list(map(str, own.values))
        columns = violations.segment.tolist(), violations.frame.tolist(), own.places.tolist()
        for segment, frame, number in zip(*columns, strict=True):
            yield *place(segment), clause, frame, texts[number], ""


def read_margins(text: str, card: Scorecard) -> ScoreMargins:
    """The margins of a scorecard that a text holds; BadTable if it holds others, or not all of its violated frames."""
    family = card.family
    clips = {clip: place for place, clip in enumerate(family.clips)}
    classes = {label: place for place, label in enumerate(family.classes)}
    names = [clause.name for clause in card.contract.frame_clauses]
    entries: dict[str, dict[int, tuple[Fraction, Margin]]] = {name: {} for name in names}
    violated: dict[str, list[tuple[int, int]]] = {name: [] for name in names}
    texts: dict[str, list[str]] = {name: [] for name in names}
    line = 1
    for line, fields in table_rows(text, COLUMNS):
        clip, label, clause, frame, margin, total = fields
        try:
            segment = family.segment(classes[label], clips[clip])
            if frame:
                violated[clause].append((segment, parse_whole(frame)))
                texts[clause].append(margin)
            else:
                entries[clause][segment] = parse_stored(total), parse_margin(margin)
        except (KeyError, ValueError) as error:
            raise BadTable(f"`{' '.join(fields)[:60]}` is not a margin of this run", line) from error
    margins = {}
    for name in names:
        violations = card.frame_violations(name)
        if violated[name] != list(zip(violations.segment.tolist(), violations.frame.tolist(), strict=True)):
            raise BadTable(f"the margins of `{name}` are not those of its violated frames", line)
        known: dict[str, int] = {}
        places = [known.setdefault(one, len(known)) for one in texts[name]]
        try:
            values = tuple(map(parse_margin, known))
        except ValueError as error:
            raise BadTable(f"a margin of `{name}` is no soft value: {error}", line) from error
        margins[name] = ClauseMargins(entries[name], values, np.array(places, dtype=np.int64))
    return margins


# The margins of some clips as a record that can be added to that of others: what a report says of them, exact.

_BY_CLIP = tuple(aggregation for aggregation in Aggregation if not aggregation.steps.adds_clips)
_NEAR = 1e-9
"""How near a thousandth a float must be, relative to it, for the exact margin to be asked: errors are below 1e-12."""
_INFORMATIVE = (Aggregation.MACRO_CLIPS_INFORMATIVE, Aggregation.MACRO_CLASSES_INFORMATIVE)


class FractionSum(Record, frozen=True):
    """A sum of fractions, and how many there are."""

    total: Fraction
    number: int

    @classmethod
    def of(cls, values: Iterable[Fraction]) -> "FractionSum":
        """The sum of some fractions; those of one denominator are added first, which is faster."""
        # A sum of fractions of unlike denominators reduces at every step; of like ones whole numbers are added.
        found: dict[int, int] = {}
        number = 0
        for value in values:
            found[value.denominator] = found.get(value.denominator, 0) + value.numerator
            number += 1
        common = lcm(*found)
        return cls(Fraction(sum(part * (common // kind) for kind, part in found.items()), common), number)

    def __add__(self, other: "FractionSum") -> "FractionSum":
        return FractionSum(self.total + other.total, self.number + other.number)

    @property
    def mean(self) -> Fraction:
        """The mean; 1 of none, as a soft score is (rule 18.10)."""
        return self.total / self.number if self.number else Fraction(1)


class MarginsTally(Record, frozen=True):
    """The margins of one frame clause: sums by class, the mean of every clip, the least, and how often each fails.

    `violated` has the margins of the violated obligations, taken down to a thousandth, as text, with how many have
    each: a thousand at most, however many obligations there are.
    """

    totals: tuple[Fraction, ...]
    obligated: tuple[int, ...]
    means: dict[Aggregation, FractionSum]
    least: str | None
    violated: dict[str, int]

    @classmethod
    def of(cls, margins: ClauseMargins, counts: ClauseCounts) -> "MarginsTally":
        """The tally of the margins of a clause, which has these counts."""
        entries = margins.by_class(counts)
        rows = [sum((entry.total for entry in row), Fraction(0)) for row in entries]
        asked = [sum(entry.obligated for entry in row) for row in entries]
        least = min((entry.least for row in entries for entry in row if entry.least is not None), default=None)
        violated: Counter[str] = Counter()
        times = np.bincount(margins.places, minlength=len(margins.values)).tolist()
        for text, number in zip(taken_down(margins.values), times, strict=True):
            violated[text] += number
        means = {one: FractionSum.of(_clip_means(entries, informative=one in _INFORMATIVE)) for one in _BY_CLIP}
        return cls(tuple(rows), tuple(asked), means, None if least is None else str(least), dict(violated))

    def __add__(self, other: "MarginsTally") -> "MarginsTally":
        least = min((parse_margin(one) for one in (self.least, other.least) if one is not None), default=None)
        return MarginsTally(
            tuple(a + b for a, b in zip(self.totals, other.totals, strict=True)),
            tuple(a + b for a, b in zip(self.obligated, other.obligated, strict=True)),
            {one: mean + other.means[one] for one, mean in self.means.items()},
            None if least is None else str(least),
            dict(Counter(self.violated) + Counter(other.violated)),
        )

    def value(self, aggregation: Aggregation) -> Fraction:
        """The soft score under an aggregation (rule 18.10)."""
        if aggregation in self.means:
            return self.means[aggregation].mean
        if aggregation is Aggregation.POOLED:
            return FractionSum.of(_values([sum(self.totals, Fraction(0))], [sum(self.obligated)])).mean
        informative = aggregation in _INFORMATIVE
        return FractionSum.of(_values(self.totals, self.obligated, informative=informative)).mean

    @property
    def middle(self) -> str | None:
        """The middle one of the margins of the violated obligations, the lower of two; None if there are none."""
        # The lower of two in the middle is a margin that occurs; a mean of both would be none of them.
        place = (sum(self.violated.values()) - 1) // 2
        for margin in sorted(self.violated, key=parse_margin):
            if place < self.violated[margin]:
                return margin
            place -= self.violated[margin]
        return None


def taken_down(values: Sequence[Margin]) -> Iterator[str]:
    """Of each margin the greatest thousandth that is not above it; what is infinite or zero stays."""
    if not isinstance(values, RankedMargins):
        yield from map(_thousandth, values)
        return
    # A million scores have a million margins. Their floats say the thousandth of all but those that lie at one, up to
    # a thousand times the error of an estimate; of the others alone fractions are made.
    thousands = values.estimates * 1000
    down = np.floor(thousands)
    with np.errstate(invalid="ignore"):  # an infinite one is near nothing, and told by itself
        sure = np.abs(thousands - np.rint(thousands)) > _NEAR * np.maximum(1, np.abs(thousands))
    texts: dict[float, str] = {}
    for number, (place, is_sure) in enumerate(zip(down.tolist(), sure.tolist(), strict=True)):
        if not is_sure:
            yield _thousandth(values[number])
            continue
        if place not in texts:
            texts[place] = str(Fraction(int(place), 1000))
        yield texts[place]


def _thousandth(margin: Margin) -> str:
    if not isinstance(margin.size, Fraction) or not margin.size:
        return str(margin)
    # Down, not to the nearest: a margin that is shown is never greater than the true one.
    return str(Fraction(margin.size.numerator * 1000 // margin.size.denominator, 1000))


def _clip_means(entries: Sequence[Sequence[SoftEntry]], *, informative: bool) -> Iterable[Fraction]:
    """The mean over the classes of every clip that counts."""
    for column in zip(*entries, strict=True):
        values = list(_values([e.total for e in column], [e.obligated for e in column], informative=informative))
        if values:
            yield sum(values, Fraction(0)) / len(values)


def _values(totals: Sequence[Fraction], obligated: Sequence[int], *, informative: bool = False) -> Iterable[Fraction]:
    """The mean margin of each part; 1 of one that asks nothing, which is left out where only informative ones count."""
    for total, asked in zip(totals, obligated, strict=True):
        if asked:
            yield total / asked
        elif not informative:
            yield Fraction(1)
