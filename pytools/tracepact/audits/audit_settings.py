"""Audits of what is set: vectors at several thresholds (rule 16.6), and over a parameter (rules 16.1 to 16.3)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any, Generic, TypeVar, Unpack

import click
from msgspec import Meta, field

from tracepact.audits.systems import aggregation_of, originals_option, rescored
from tracepact.data.decoding import Decoding, decode
from tracepact.data.events import Durations, EventTable, ScoreField
from tracepact.data.fields import read_scores
from tracepact.data.labels import LabelMap, apply_map, label_map_from
from tracepact.data.preparation import name_clips
from tracepact.diagnostics.collection import Diagnostics
from tracepact.evaluate.cast import is_constant
from tracepact.evaluate.curves import StepFunction
from tracepact.evaluate.scores import LOGIC, MEAN, earned, shown_name
from tracepact.evaluate.tolerance import ToleranceCurves, curves, parameter_value
from tracepact.language.contract import Aggregation
from tracepact.options import OddLength, aggregation_option, earlier_name
from tracepact.options import Share as ShareArgument
from tracepact.records import Count, Name, Record, Share
from tracepact.runs.opening import OpenRun, Place, RunLike, opened, scored_run
from tracepact.runs.report import DecodingRecord
from tracepact.runs.report_parts import tolerance_figure
from tracepact.runs.run import Run
from tracepact.runs.side_options import OutputOptions, data_table, exact, output_options, show
from tracepact.runs.violations import ScoreRecord, ValueRecord
from tracepact.show.figures import Curve, curve_chart
from tracepact.show.lines import print_diagnostics, progress
from tracepact.show.tables import Table, numbers, words
from tracepact.wording import decimal, short

# Without the ends: above 0 lies everything that has a score at all, above 1 nothing.
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
    run: RunLike,
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
    diagnostics = Diagnostics()
    table = scores if isinstance(scores, ScoreField) else read_scores(scores, diagnostics)
    diagnostics.raise_errors()
    chosen = aggregation_of(base.card.contract, aggregation)
    points, constant = [], []
    for value in sorted(set(thresholds)):
        advance(f"threshold {short(value)}")
        events = _events(base, table, Decoding(value, None, median), labels)
        # Decoded events are no file: the digest of the scores must not stand for them.
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
        # Thresholds are compared as systems are (rule 16.12): one that silences the detector earns no clause that is
        # about predictions.
        ranked = [point for point, is_earned in zip(points, ranks, strict=True) if is_earned]
        top = max((point.value(clause) for point in ranked), default=None)
        yield BestThresholds(clause, tuple(p.decoding.threshold for p in ranked if p.value(clause) == top))


# Shown


def threshold_tables(audit: ThresholdAudit) -> list[Table]:
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
                [short(point.decoding.threshold), f"{point.events:,}", *(cell(point, best) for best in audit.best)]
                for point in audit.points
            ],
        )
    ]


def threshold_rows(audit: ThresholdAudit) -> Table:
    """A row per threshold and clause."""
    columns = ("threshold", "low", "median", "events", "clause", "value", "decimal", "satisfied", "obligated")
    rows: list[tuple[str | int, ...]] = []
    for point in audit.points:
        how = point.decoding
        head = (str(how.threshold), exact(how.low), how.median, point.events)
        for name, score in point.vector.items():
            counts = score.satisfied, score.obligated
            rows.append((*head, name, str(score.value), decimal(score.value, 6), *counts))
        rows.append((*head, LOGIC, str(point.logic.value), decimal(point.logic.value, 6), "", ""))
    return data_table(columns, rows)


def threshold_figure(audit: ThresholdAudit) -> str:
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
def threshold_command(
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
    show(audit, threshold_tables, threshold_rows, threshold_figure, **output)


class NamedValue(Record, frozen=True):
    """A value of the parameter that the contract names."""

    text: str
    value: Fraction
    own: Annotated[bool, Meta(description="Whether it is the contract's own value; otherwise a sweep point.")]


class ConstantPiece(Record, frozen=True):
    """A stretch of the range on which the value is constant."""

    # `from` is a word of Python; the key of JSON is the one that rules and schema use.
    low: Fraction = field(name="from")
    low_included: bool = field(name="from_included")
    high: Fraction = field(name="to")
    high_included: bool = field(name="to_included")
    value: Share


class ClausePiece(ConstantPiece, frozen=True):
    """A stretch on which the value of a clause is constant, with its counts."""

    satisfied: Count
    obligated: Count


class MeanPiece(ConstantPiece, frozen=True):
    """A stretch on which the mean is constant; a mean has no counts."""

    satisfied: None
    obligated: None


_P = TypeVar("_P", bound=ConstantPiece)


class ToleranceCurve(Record, Generic[_P], frozen=True, kw_only=True):
    """A score as a step function of the parameter."""

    integral: Fraction
    mean: Share
    span: Annotated[Share, Meta(description="The greatest value minus the least.")]
    pieces: Annotated[tuple[_P, ...], Meta(min_length=1, description="Ascending, without gaps.")]

    def at(self, argument: Fraction) -> Fraction:
        """The value at an argument; StopIteration if it lies outside the range."""
        return next(
            piece.value
            for piece in self.pieces
            if (piece.low < argument or (piece.low_included and piece.low == argument))
            and (argument < piece.high or (piece.high_included and piece.high == argument))
        )


class ClauseCurve(ToleranceCurve[ClausePiece], frozen=True):
    """The curve of a clause, and how it was found."""

    clause: str
    method: Annotated[str, Meta(extra_json_schema={"enum": ["constant", "distances", "obligations", "re-evaluation"]})]


class MeanCurve(ToleranceCurve[MeanPiece], frozen=True):
    """The curve of `logic`, the mean of the vector."""


class ToleranceAudit(Record, frozen=True):
    """What `tracepact audit tolerance --format json` prints: the vector and its mean over a parameter (16.1, 16.2)."""

    parameter: Annotated[str, Meta(description="The parameter that was varied.")]
    is_time: Annotated[bool, Meta(description="Whether it is a time; then all its values are in seconds.")]
    low: Fraction
    high: Fraction
    aggregation: Aggregation
    marks: Annotated[tuple[NamedValue, ...], Meta(description="The values in the range that the contract names.")]
    curves: Annotated[tuple[ClauseCurve, ...], Meta(min_length=1)]
    logic: MeanCurve


def audit_tolerance(
    run: RunLike,
    parameter: str,
    low: Fraction | None = None,
    high: Fraction | None = None,
    *,
    aggregation: Aggregation | None = None,
    on_clause: Callable[[str], None] = lambda name: None,
) -> ToleranceAudit:
    """The vector of a run and its mean as exact step functions of a parameter (rules 16.1 to 16.3).

    Args:
        run: A run, or a run directory. Of a run in batches the curves that it keeps are shown: those of swept
            parameters over their own range, where it was scored with a page.
        parameter: The parameter of the contract to vary.
        low: The lower end of the range, in seconds, or a plain number if the parameter has no unit; by default zero.
        high: The upper end; by default the largest value the contract names.
        aggregation: The aggregation of the scores; by default the contract's own.
        on_clause: Called with the name of each clause before its turn.

    Returns:
        The audit: every curve with its pieces, integral, mean and span.

    Raises:
        InvalidInput: The contract lacks the parameter, the range is empty or has values the contract refuses, or there
            is no exact curve.

    Examples:
        >>> from fractions import Fraction
        >>> import tracepact
        >>> contract = '''contract c
        ... step 20ms
        ... param tol = 40ms
        ... clause onset on ref_onset : N[tol] pred_onset'''
        >>> run = tracepact.score(contract, [(1, 2)], [("1.06", 2)], durations=3)
        >>> audit = tracepact.audit_tolerance(run, "tol", high=Fraction(1, 10))
        >>> [(str(piece.high), str(piece.value)) for piece in audit.curves[0].pieces]
        [('1/25', '0'), ('1/10', '1')]
    """
    base = opened(run)
    chosen = None if aggregation is None else aggregation_of(base.contract, aggregation)
    return tolerance_audit(run_curves(base, parameter, low, high, chosen, on_clause))


def run_curves(
    run: OpenRun,
    parameter: str,
    low: Fraction | None,
    high: Fraction | None,
    aggregation: Aggregation | None,
    on_clause: Callable[[str], None],
) -> ToleranceCurves:
    """The curves of a run: those that it keeps, if they are the same, or those of its tables."""
    # A run in batches has no tables to move the parameter on, but keeps the curves that its page shows. They answer if
    # nothing else is wanted than what they were drawn with.
    kept = None if run.has_tables else run.curves(parameter)
    wanted = (low, high, aggregation)
    if kept and all(
        one in (None, own) for one, own in zip(wanted, (kept.low, kept.high, kept.aggregation), strict=True)
    ):
        return kept
    return curves(run.rescore().card, parameter, low, high, aggregation=aggregation, on_clause=on_clause)


def tolerance_audit(result: ToleranceCurves) -> ToleranceAudit:
    """The record of computed curves."""
    return ToleranceAudit(
        result.parameter,
        result.is_time,
        result.low,
        result.high,
        result.aggregation,
        tuple(NamedValue(mark.text, mark.value, mark.own) for mark in result.marks),
        tuple(
            ClauseCurve(name, result.methods[name], **_measured(curve, ClausePiece))
            for name, curve in result.clauses.items()
        ),
        MeanCurve(**_measured(result.logic, MeanPiece)),
    )


def _measured(curve: StepFunction, kind: Callable[..., ConstantPiece]) -> dict[str, Any]:
    """The fields that every curve has; its pieces with their counts, which a mean has not."""
    pieces = tuple(
        kind(
            piece.low, piece.low_included, piece.high, piece.high_included, piece.value, *(piece.counts or (None, None))
        )
        for piece in curve.pieces()
    )
    return {"integral": curve.integral, "mean": curve.mean, "span": curve.span, "pieces": pieces}


# Shown


def tolerance_tables(audit: ToleranceAudit) -> list[Table]:
    """A row per clause, and the mean: its measures, and its value at the values the contract names."""
    unit = " s" if audit.is_time else ""
    title = f"Vector over {audit.parameter} from {short(audit.low)}{unit} to {short(audit.high)}{unit}"
    marks = [f"{mark.text}{' (own)' if mark.own else ''}" for mark in audit.marks]

    def cells(name: str, curve: ClauseCurve | MeanCurve, method: str) -> list[str]:
        measures = [decimal(curve.integral, 5), decimal(curve.mean), decimal(curve.span), str(len(curve.pieces) - 1)]
        return [name, *measures, *(decimal(curve.at(mark.value)) for mark in audit.marks), method]

    return [
        Table(
            f"{title} ({audit.aggregation.words})",
            [*words("clause"), *numbers("integral", "mean", "span", "steps", *marks), *words("method")],
            [*(cells(c.clause, c, c.method) for c in audit.curves), cells(MEAN, audit.logic, "mean")],
            totals=1,
        )
    ]


def tolerance_rows(audit: ToleranceAudit) -> Table:
    """A row per piece of every curve."""
    columns = ("clause", "from", "from_included", "to", "to_included", "value", "decimal", "satisfied", "obligated")
    rows: list[tuple[str | int, ...]] = []
    for curve in audit.curves:
        rows += [(curve.clause, *_piece(piece), piece.satisfied, piece.obligated) for piece in curve.pieces]
    rows += [(LOGIC, *_piece(piece), "", "") for piece in audit.logic.pieces]
    return data_table(columns, rows)


def _piece(piece: ConstantPiece) -> tuple[str, ...]:
    low, high = (str(included).lower() for included in (piece.low_included, piece.high_included))
    return str(piece.low), low, str(piece.high), high, str(piece.value), decimal(piece.value, 6)


# Command


@click.command()
@click.argument("run", type=click.Path(file_okay=False))
@click.option("--parameter", required=True, help="The parameter of the contract to vary.")
@earlier_name("--from", "--low")
@earlier_name("--to", "--high")
@click.option("--low", help="Lower end of the range, such as 0ms (default: zero).")
@click.option("--high", help="Upper end of the range, such as 300ms (default: the largest value the contract names).")
@aggregation_option
@originals_option
@output_options
def tolerance_command(
    run: str,
    parameter: str,
    low: str | None,
    high: str | None,
    aggregation: Aggregation | None,
    originals: tuple[str, ...],
    **output: Unpack[OutputOptions],
) -> None:
    """Show the vector and its mean as exact step functions of a parameter.

    RUN is a run directory. The range is closed. Integral and span are exact in JSON and CSV; the contract's own value
    and its sweep points are marked.
    """
    with progress(1) as advance:
        advance("reading")
        base = opened(run, originals=originals)
        first, last = (
            None if text is None else parameter_value(base.contract, parameter, text) for text in (low, high)
        )
    with progress(len(base.contract.clauses)) as advance:
        result = run_curves(base, parameter, first, last, aggregation, advance)
    show(tolerance_audit(result), tolerance_tables, tolerance_rows, lambda _: tolerance_figure(result), **output)
