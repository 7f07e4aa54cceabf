"""The rows behind a report: every score, every violated obligation, every match, as CSV; and the scores read back."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache

import numpy as np

from tracepact.core import Quantity
from tracepact.events import Unbounded
from tracepact.files import BadTable, Row, table_rows
from tracepact.scoring import NO_WITNESS, ClauseCounts, Score, Scorecard, ScoreRows
from tracepact.tools.score.store.tables import whole
from tracepact.wording import decimal, print_number

SCORE_COLUMNS = ("filename", "event_label", "clause", "satisfied", "obligated", "value", "decimal", "vacuous")
MATCH_COLUMNS = ("filename", "event_label", "ref_onset", "ref_offset", "pred_onset", "pred_offset")
VIOLATION_COLUMNS = ("filename", "event_label", "clause", "onset", "offset", "part", "distance", "unit")


def score_rows(card: Scorecard) -> Iterator[Row]:
    """One row for each clip, class and clause, as text."""
    for *place, score in _scores(card):
        vacuous = "true" if score.vacuous else "false"
        yield *place, score.satisfied, score.obligated, str(score.value), decimal(score.value, 6), vacuous


def typed_score_rows(card: Scorecard) -> Iterator[tuple[str | int | float | bool, ...]]:
    """The same rows for data frames: `decimal` is a float and `vacuous` a bool; `value` stays exact, as text."""
    for *place, score in _scores(card):
        yield *place, score.satisfied, score.obligated, str(score.value), float(score.value), score.vacuous


def _scores(card: Scorecard) -> Iterator[tuple[str, str, str, Score]]:
    """The score of each clip, class and clause."""
    for c, clip in enumerate(card.family.clips):
        for k, label in enumerate(card.family.classes):
            for clause in card.contract.clauses:
                yield clip, label, clause.name, card.counts[clause.name].score(k, c)


def match_rows(card: Scorecard) -> Iterator[Row]:
    """One row for each matched pair, times in seconds."""
    seconds = _clock(card.family.step)
    for match in card.events.matches:
        clip, label = card.family.place(match.segment)
        yield clip, label, *(seconds(edge) for edge in (*match.ref, *match.pred))


def violation_rows(card: Scorecard) -> Iterator[Row]:
    """One row for each violated obligation: a frame or an interval, the failing part, how far from holding.

    A distance in frames has the unit `frames`; an event clause's shortfall is in `s`, `ratio` or `count`. An empty
    distance means that the clause has none or a partner is missing.
    """
    seconds, text = _clock(card.family.step), card.contract.source.text
    for clause in card.contract.frame_clauses:
        found = card.frame_violations(clause.name)
        parts = [text[span.start : span.end] for span in found.spans]
        distances = found.distances.tolist() or [None] * len(found)
        columns = zip(found.segment.tolist(), found.frame.tolist(), found.span.tolist(), distances, strict=True)
        for segment, frame, part, distance in columns:
            shown = "" if distance is None else "unbounded" if distance == NO_WITNESS else distance
            unit = "" if distance is None else "frames"
            edges = seconds(frame), seconds(frame + 1)
            yield *card.family.place(segment), clause.name, *edges, parts[part], shown, unit
    for evaluation in card.events.clauses:
        for violation in evaluation.violations:
            distance, unit = "", ""
            if violation.comparison is not None:
                amount, quantity = violation.comparison.amount, violation.comparison.quantity
                distance = "unbounded" if isinstance(amount, Unbounded) else print_number(Fraction(amount))
                unit = "s" if quantity is Quantity.TIME else quantity.value
            edges = seconds(violation.interval[0]), seconds(violation.interval[1])
            part_text = text[violation.span.start : violation.span.end]
            yield *card.family.place(violation.segment), evaluation.clause.name, *edges, part_text, distance, unit


def _clock(step: Fraction) -> Callable[[int], str]:
    """Frames as seconds; clips share nearly all of them, so each is written once."""
    return cache(lambda frames: print_number(frames * step))


def read_score_rows(text: str) -> ScoreRows:
    """The score rows a text holds; BadTable if a clip, class and clause has no row or two."""
    clips: dict[str, int] = {}
    classes: dict[str, int] = {}
    clauses: dict[str, int] = {}
    places: list[tuple[int, int, int]] = []
    numbers: list[tuple[int, int, bool]] = []
    for line, (clip, label, clause, satisfied, obligated, _, _, vacuous) in table_rows(text, SCORE_COLUMNS, ","):
        if vacuous not in ("true", "false"):
            raise BadTable(f"`{vacuous}` is neither true nor false", line)
        held, asked = whole(satisfied, line), whole(obligated, line)
        place = clips.setdefault(clip, len(clips)), classes.setdefault(label, len(classes))
        places.append((clauses.setdefault(clause, len(clauses)), *place))
        numbers.append((held, asked, vacuous == "false" and not asked))
    shape = len(clauses), len(clips), len(classes)
    if len(places) != shape[0] * shape[1] * shape[2] or len(set(places)) != len(places):
        raise BadTable("not every clip, class and clause has exactly one row", 1)
    arrays = [np.zeros(shape, dtype=kind) for kind in (np.int64, np.int64, np.bool_)]
    if places:
        index = tuple(np.array(places).T)
        for array, column in zip(arrays, zip(*numbers, strict=True), strict=True):
            array[index] = column
    counts = {name: ClauseCounts(*(array[i].T for array in arrays)) for name, i in clauses.items()}
    return ScoreRows(tuple(clips), tuple(classes), tuple(clauses), counts)
