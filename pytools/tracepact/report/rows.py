"""The rows behind a report: every score, every violated obligation, every match, as CSV."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TextIO

from tracepact.core import Quantity
from tracepact.events import Unbounded
from tracepact.lang.printer import print_number
from tracepact.score import UNBOUNDED, Scorecard

Row = Sequence[str | int]

SCORE_COLUMNS = ("filename", "event_label", "clause", "satisfied", "obligated", "value", "decimal", "vacuous")
MATCH_COLUMNS = ("filename", "event_label", "ref_onset", "ref_offset", "pred_onset", "pred_offset")
WITNESS_COLUMNS = ("filename", "event_label", "clause", "onset", "offset", "part", "distance", "unit")


def write_csv(file: TextIO, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """A table with its header."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)


def score_rows(card: Scorecard) -> Iterator[Row]:
    """One row for each clip, class and clause."""
    for c, clip in enumerate(card.family.clips):
        for k, label in enumerate(card.family.classes):
            for clause in card.contract.clauses:
                score = card.counts[clause.name].score(k, c)
                vacuous = "true" if score.vacuous else "false"
                value, decimal = str(score.value), f"{float(score.value):.6f}"
                yield clip, label, clause.name, score.satisfied, score.obligated, value, decimal, vacuous


def match_rows(card: Scorecard) -> Iterator[Row]:
    """One row for each matched pair, times in seconds."""
    for match in card.events.matches:
        clip, label = card.family.place(match.segment)
        yield clip, label, *(_seconds(edge, card.family.step) for edge in (*match.ref, *match.pred))


def witness_rows(card: Scorecard) -> Iterator[Row]:
    """One row for each violated obligation: a frame or an interval, the failing part, how far from holding.

    A distance in frames has the unit `frames`; an event clause's shortfall is in `s`, `ratio` or `count`. An empty
    distance means that the clause has none or a partner is missing.
    """
    step, text = card.family.step, card.contract.source.text
    for clause in card.contract.frame_clauses:
        found = card.frame_witnesses(clause.name)
        parts = [text[span.start : span.end] for span in found.spans]
        distances = found.distances.tolist() or [None] * len(found)
        columns = zip(found.segment.tolist(), found.frame.tolist(), found.span.tolist(), distances, strict=True)
        for segment, frame, part, distance in columns:
            shown = "" if distance is None else "unbounded" if distance == UNBOUNDED else distance
            unit = "" if distance is None else "frames"
            edges = _seconds(frame, step), _seconds(frame + 1, step)
            yield *card.family.place(segment), clause.name, *edges, parts[part], shown, unit
    for evaluation in card.events.clauses:
        for witness in evaluation.witnesses:
            distance, unit = "", ""
            if witness.comparison is not None:
                amount, quantity = witness.comparison.amount, witness.comparison.quantity
                distance = "unbounded" if isinstance(amount, Unbounded) else print_number(Fraction(amount))
                unit = "s" if quantity is Quantity.TIME else quantity.value
            edges = _seconds(witness.interval[0], step), _seconds(witness.interval[1], step)
            part_text = text[witness.span.start : witness.span.end]
            yield *card.family.place(witness.segment), evaluation.clause.name, *edges, part_text, distance, unit


def _seconds(frames: int, step: Fraction) -> str:
    return print_number(frames * step)
