"""The margins of a run whose scores a threshold alone made events: how far each verdict is from its opposite."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from tracepact.core import Contract, Projection
from tracepact.files import BadTable, Row, table_rows, table_text
from tracepact.io import LabelMap
from tracepact.scoring import Scorecard
from tracepact.soft import Margin, SoftCard, SoftEntry, parse_margin, soft_scores
from tracepact.soft.decoded import DecodedSide, decoded_family
from tracepact.trace import EventTable, Family, Mode, Side
from tracepact.wording import count

COLUMNS = ("filename", "event_label", "clause", "frame", "margin", "total")
Place = tuple[int, int]
"""Segment and frame."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreMargins:
    """By frame clause: sum and least margin of every segment that is asked, and the margin of every violated frame."""

    entries: Mapping[str, Mapping[int, tuple[Fraction, Margin]]]
    violated: Mapping[str, Mapping[Place, Margin]]

    def __repr__(self) -> str:
        found = (f"{name}: {count(len(places), 'violated frame')}" for name, places in self.violated.items())
        return f"<ScoreMargins of {', '.join(found)}>"

    def by_class(self, card: Scorecard, clause: str) -> list[list[SoftEntry]]:
        """What every class and clip contribute to the soft score of a clause."""
        counts, own = card.counts[clause], self.entries[clause]
        entries = []
        for label in range(len(card.family.classes)):
            row = []
            for clip in range(len(card.family.clips)):
                total, least = own.get(card.family.segment(label, clip), (Fraction(0), None))
                satisfied, obligated = int(counts.satisfied[label, clip]), int(counts.obligated[label, clip])
                row.append(SoftEntry(total, satisfied, obligated, least))
            entries.append(row)
        return entries


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
    if decoding["low"] is not None or decoding["median"] != 1:
        return None
    named = [_class(label, family, labels) for label in scores.classes]
    columns = [[place for place, own in enumerate(named) if own == label] for label in family.classes]
    return DecodedSide(scores, Fraction(str(decoding["threshold"])), columns)


def _class(label: str, family: Family, labels: LabelMap | None) -> str | None:
    """The class of the family that a column belongs to; None if its events are left out."""
    if labels is not None and labels.treatment(label) != "keep":
        return None
    mapped = label if labels is None else labels.renamed.get(label, label)
    return family.classes[0] if family.mode is Mode.UNION else mapped


def _margins(card: SoftCard) -> ScoreMargins:
    clips, classes = len(card.family.clips), len(card.family.classes)
    entries: dict[str, dict[int, tuple[Fraction, Margin]]] = {}
    violated: dict[str, dict[Place, Margin]] = {}
    for clause in card.contract.frame_clauses:
        found = entries[clause.name] = {}
        for segment in range(clips * classes):
            label, clip = divmod(segment, clips)
            entry = card.entry(clause.name, clip, label)
            if entry.least is not None:
                found[segment] = entry.total, entry.least
        violated[clause.name] = dict(card.violated(clause.name))
    return ScoreMargins(entries, violated)


# Stored


def margins_text(margins: ScoreMargins, family: Family) -> str:
    """The margins as a table: a row for each clip, class and clause, and one for each violated frame (rule 17.2)."""
    return table_text(COLUMNS, _rows(margins, family))


def _rows(margins: ScoreMargins, family: Family) -> Iterator[Row]:
    for clause, entries in margins.entries.items():
        for segment, (total, least) in entries.items():
            yield *family.place(segment), clause, "", str(least), str(total)
        for (segment, frame), margin in margins.violated[clause].items():
            yield *family.place(segment), clause, frame, str(margin), ""


def read_margins(text: str, contract: Contract, family: Family) -> ScoreMargins:
    """The margins a text holds; BadTable if it holds others."""
    clips = {clip: place for place, clip in enumerate(family.clips)}
    classes = {label: place for place, label in enumerate(family.classes)}
    names = [clause.name for clause in contract.frame_clauses]
    entries: dict[str, dict[int, tuple[Fraction, Margin]]] = {name: {} for name in names}
    violated: dict[str, dict[Place, Margin]] = {name: {} for name in names}
    for line, fields in table_rows(text, COLUMNS):
        clip, label, clause, frame, margin, total = fields
        try:
            segment = family.segment(classes[label], clips[clip])
            if frame:
                violated[clause][segment, int(frame)] = parse_margin(margin)
            else:
                entries[clause][segment] = Fraction(total), parse_margin(margin)
        except (KeyError, ValueError) as error:
            raise BadTable(f"`{' '.join(fields)[:60]}` is not a margin of this run", line) from error
    return ScoreMargins(entries, violated)
