"""`tracepact audit threshold`: the vector of one score file at several decoding thresholds (rule 16.6)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Unpack

import click
from msgspec import Meta

from tracepact.core import Aggregation
from tracepact.diagnostics import Diagnostics
from tracepact.io import Decoding, decode, label_map_from, read_scores
from tracepact.io.labels import LabelMap, apply_map
from tracepact.io.preparing import name_clips
from tracepact.records import Count, Name, Record, Share
from tracepact.scoring import LOGIC, shown_name
from tracepact.scoring.constant import is_constant
from tracepact.scoring.vacuity import earned
from tracepact.show.figure import Curve, curve_chart
from tracepact.show.lines import print_diagnostics
from tracepact.show.progress import progress
from tracepact.show.table import Table, numbers
from tracepact.tools.audit.run_directories import rescored, scored_run
from tracepact.tools.parameters import OddLength
from tracepact.tools.parameters import Share as ShareArgument
from tracepact.tools.score.report.preparation import DecodingRecord
from tracepact.tools.score.report.scores import ScoreRecord, ValueRecord
from tracepact.tools.score.run import Run
from tracepact.tools.score.shown import (
    OutputOptions,
    aggregation_option,
    data_table,
    exact,
    output_options,
    show,
)
from tracepact.tools.score.store.names import Place
from tracepact.trace import Durations, EventTable, ScoreField
from tracepact.wording import decimal, short

THRESHOLDS = tuple(Fraction(k, 20) for k in range(1, 20))
"""The thresholds that are tried unless others are given."""


class DecodedVector(Record, frozen=True):
    """One decoding (13.9) and its scores."""

    decoding: DecodingRecord
    events: Annotated[Count, Meta(description="Decoded events.")]
    vector: Annotated[Mapping[Name, ScoreRecord], Meta(description="The score of every clause.")]
    logic: ValueRecord

    def value(self, clause: str) -> Fraction:
        """The score of a clause, or of `logic`, their mean."""
        return self.logic.value if clause == LOGIC else self.vector[clause].value


class BestThresholds(Record, frozen=True):
    """The thresholds at which a clause, or `logic`, scores highest."""

    clause: str
    thresholds: Annotated[
        tuple[Share, ...], Meta(description="Ascending; more than one is a tie, none if no score is earned (16.12).")
    ]


class ThresholdAudit(Record, frozen=True):
    """What `tracepact audit threshold --format json` prints: the vector at each decoding threshold (16.6)."""

    aggregation: Aggregation
    points: Annotated[tuple[DecodedVector, ...], Meta(min_length=1, description="By threshold, ascending.")]
    best: Annotated[tuple[BestThresholds, ...], Meta(min_length=1)]


def audit_threshold(
    run: Run | Place,
    scores: ScoreField | Place,
    thresholds: Sequence[Fraction] = THRESHOLDS,
    *,
    median: int = 1,
    aggregation: Aggregation | None = None,
    labels: LabelMap | None = None,
    advance: Callable[[str], None] = lambda what: None,
) -> ThresholdAudit:
    r"""Decode scores at each threshold and score the events in place of the predictions of a run (rule 16.6).

    Args:
        run: A run, or a run directory.
        scores: A score table, or the file or folder to read it from.
        thresholds: The thresholds to try.
        median: The length of the median filter, in frames.
        aggregation: The aggregation of the scores; by default the contract's own.
        labels: A label map, applied to the decoded events.
        advance: Called with a message before each threshold.

    Returns:
        The audit: the vector at every threshold, and the best thresholds of each clause.

    Raises:
        InvalidInput: An input cannot be read, or decoded events cannot be scored.

    Examples:
        >>> from fractions import Fraction
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import tracepact
        >>> run = tracepact.score("boundary_gate", {"a": [(0, 1, "x")]}, {"a": []}, durations=2)
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "a.tsv")
        ...     size = path.write_text("onset\toffset\tx\n0\t1\t0.6\n1\t2\t0.4\n")
        ...     audit = tracepact.audit_threshold(run, path, [Fraction(1, 4), Fraction(1, 2)])
        >>> [point.value("spurious_guard") for point in audit.points]
        [Fraction(13, 25), Fraction(1, 1)]
    """
    base = scored_run(run)
    table = scores if isinstance(scores, ScoreField) else _read(scores)
    chosen = aggregation or base.card.contract.aggregation
    points, constant = [], []
    for value in sorted(set(thresholds)):
        advance(f"threshold {short(value)}")
        events = _events(base, table, Decoding(value, None, median), labels)
        card = rescored(base, prediction=replace(events, digest=None))
        constant.append(is_constant(card.family))
        points.append(
            DecodedVector(
                DecodingRecord(value, None, median),
                sum(map(len, events.clips.values())),
                {name: ScoreRecord.of(score) for name, score in card.vector(chosen).items()},
                ValueRecord.of(card.logic(chosen)),
            )
        )
    return ThresholdAudit(chosen, tuple(points), tuple(_best(points, constant)))


def _read(scores: Place) -> ScoreField:
    diagnostics = Diagnostics()
    table = read_scores(scores, diagnostics)
    diagnostics.raise_errors()
    return table


def _events(run: Run, scores: ScoreField, decoding: Decoding, labels: LabelMap | None) -> EventTable:
    """The decoded events, with the clip names of the run."""
    diagnostics = Diagnostics()
    lengths = run.durations.clips if isinstance(run.durations, Durations) else {}
    events, _ = name_clips(decode(scores, decoding), run.reference, lengths, diagnostics)
    if labels is not None:
        events = apply_map(labels, events, diagnostics).table
    diagnostics.raise_errors()
    return events


def _best(points: Sequence[DecodedVector], constant: Sequence[bool]) -> Iterator[BestThresholds]:
    vacuous = [[name for name, score in point.vector.items() if score.vacuous] for point in points]
    for clause in (*points[0].vector, LOGIC):
        made_of = list(points[0].vector) if clause == LOGIC else [clause]
        ranks = earned(made_of, vacuous, constant)
        ranked = [point for point, is_earned in zip(points, ranks, strict=True) if is_earned]
        top = max((point.value(clause) for point in ranked), default=None)
        yield BestThresholds(clause, tuple(p.decoding.threshold for p in ranked if p.value(clause) == top))


# Shown


def tables(audit: ThresholdAudit) -> list[Table]:
    """A row per threshold, with the best threshold of each clause marked."""

    def cell(point: DecodedVector, best: BestThresholds) -> str:
        mark = " ▲" if point.decoding.threshold in best.thresholds else "  "
        score = point.vector.get(best.clause)
        return (score.text if score else decimal(point.logic.value)) + mark

    return [
        Table(
            f"Vector by decoding threshold ({audit.aggregation.words}; ▲ best)",
            numbers("threshold", "events", *(shown_name(best.clause) for best in audit.best)),
            [
                [
                    short(point.decoding.threshold),
                    f"{point.events:,}",
                    *(cell(point, best) for best in audit.best),
                ]
                for point in audit.points
            ],
        )
    ]


def rows(audit: ThresholdAudit) -> Table:
    """A row per threshold and clause."""
    columns = ("threshold", "low", "median", "events", "clause", "value", "decimal", "satisfied", "obligated")
    return data_table(columns, _rows(audit))


def _rows(audit: ThresholdAudit) -> Iterator[tuple[str | int, ...]]:
    for point in audit.points:
        how = point.decoding
        head = (str(how.threshold), exact(how.low), how.median, point.events)
        for name, score in point.vector.items():
            yield *head, name, str(score.value), decimal(score.value, 6), score.satisfied, score.obligated
        yield *head, LOGIC, str(point.logic.value), decimal(point.logic.value, 6), "", ""


def figure(audit: ThresholdAudit) -> str:
    """The score of every clause, and their mean, over the threshold."""
    curves = []
    for best in audit.best:
        points = [(point.decoding.threshold, point.value(best.clause)) for point in audit.points]
        curves.append(Curve(shown_name(best.clause), points, points))
    title = f"Scores by decoding threshold ({audit.aggregation.words})"
    return curve_chart(title, curves, x="threshold", y="score")


# Command


@click.command()
@click.argument("run", type=click.Path(file_okay=False))
@click.option("--scores", required=True, type=click.Path(), help="The score file of a clip, or a folder of them.")
@click.option(
    "--at", "at", type=ShareArgument(), multiple=True, help="A threshold; repeatable (default: 0.05 to 0.95)."
)
@click.option("--median", type=OddLength(), default="1", help="Length of a median filter for the scores, in frames.")
@click.option("--label-map", type=click.Path(), help="A label map (TOML), applied to the decoded events.")
@aggregation_option
@output_options
def command(
    run: str,
    scores: str,
    at: tuple[Fraction, ...],
    median: int,
    label_map: str | None,
    aggregation: Aggregation | None,
    **output: Unpack[OutputOptions],
) -> None:
    """Show the vector at each decoding threshold of a score file.

    RUN is a run directory. Its contract, reference, durations and ignored regions are used; its predictions are not.
    """
    thresholds = at or THRESHOLDS
    diagnostics = Diagnostics()
    with progress(2 + len(set(thresholds))) as advance:
        advance("reading")
        base = scored_run(run)
        table = read_scores(scores, diagnostics)
        labels = label_map_from(label_map, diagnostics)
        diagnostics.raise_errors()
        audit = audit_threshold(
            base, table, thresholds, median=median, aggregation=aggregation, labels=labels, advance=advance
        )
    print_diagnostics(diagnostics)
    show(audit, tables, rows, figure, **output)
