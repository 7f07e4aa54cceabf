"""`tracepact audit tolerance`: the vector as exact step functions of a parameter (rules 16.1 to 16.3)."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Annotated, Generic, TypeVar, Unpack

import click
from msgspec import Meta, field

from tracepact.core import Aggregation
from tracepact.records import Count, Record, Share
from tracepact.scoring import LOGIC, MEAN
from tracepact.scoring.steps import StepFunction
from tracepact.scoring.tolerance import Tolerance, curves, parameter_value
from tracepact.show.progress import progress
from tracepact.show.table import Table, numbers, words
from tracepact.tools.audit.run_directories import scored_run
from tracepact.tools.score.report.evidence import tolerance_figure
from tracepact.tools.score.run import Run
from tracepact.tools.score.shown import OutputOptions, aggregation_option, data_table, output_options, show
from tracepact.tools.score.store.names import Place
from tracepact.wording import decimal, short


class NamedValue(Record, frozen=True):
    """A value of the parameter that the contract names."""

    text: str
    value: Fraction
    own: Annotated[bool, Meta(description="Whether it is the contract's own value; otherwise a sweep point.")]


class Piece(Record, frozen=True):
    """A stretch of the range on which the value is constant."""

    low: Fraction = field(name="from")
    low_included: bool = field(name="from_included")
    high: Fraction = field(name="to")
    high_included: bool = field(name="to_included")
    value: Share


class ClausePiece(Piece, frozen=True):
    """A stretch on which the value of a clause is constant, with its counts."""

    satisfied: Count
    obligated: Count


class MeanPiece(Piece, frozen=True):
    """A stretch on which the mean is constant; a mean has no counts."""

    satisfied: None
    obligated: None


_P = TypeVar("_P", bound=Piece)


class Curve(Record, Generic[_P], frozen=True, kw_only=True):
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


class ClauseCurve(Curve[ClausePiece], frozen=True):
    """The curve of a clause, and how it was found."""

    clause: str
    method: Annotated[str, Meta(extra_json_schema={"enum": ["constant", "distances", "obligations", "re-evaluation"]})]


class MeanCurve(Curve[MeanPiece], frozen=True):
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
    run: Run | Place,
    parameter: str,
    low: Fraction | None = None,
    high: Fraction | None = None,
    *,
    aggregation: Aggregation | None = None,
    on_clause: Callable[[str], None] = lambda name: None,
) -> ToleranceAudit:
    """The vector of a run and its mean as exact step functions of a parameter (rules 16.1 to 16.3).

    Args:
        run: A run, or a run directory.
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
    card = scored_run(run).card
    return tolerance_audit(curves(card, parameter, low, high, aggregation=aggregation, on_clause=on_clause))


def tolerance_audit(found: Tolerance) -> ToleranceAudit:
    """The record of curves that were found."""
    return ToleranceAudit(
        found.parameter,
        found.is_time,
        found.low,
        found.high,
        found.aggregation,
        tuple(NamedValue(mark.text, mark.value, mark.own) for mark in found.marks),
        tuple(_clause_curve(name, found.methods[name], curve) for name, curve in found.clauses.items()),
        _mean_curve(found.logic),
    )


def _clause_curve(name: str, method: str, curve: StepFunction) -> ClauseCurve:
    pieces = []
    for piece in curve.pieces():
        assert piece.counts is not None, "a clause has counts"
        ends = piece.low, piece.low_included, piece.high, piece.high_included
        pieces.append(ClausePiece(*ends, piece.value, *piece.counts))
    return ClauseCurve(name, method, integral=curve.integral, mean=curve.mean, span=curve.span, pieces=tuple(pieces))


def _mean_curve(curve: StepFunction) -> MeanCurve:
    pieces = tuple(
        MeanPiece(piece.low, piece.low_included, piece.high, piece.high_included, piece.value, None, None)
        for piece in curve.pieces()
    )
    return MeanCurve(integral=curve.integral, mean=curve.mean, span=curve.span, pieces=pieces)


# Shown


def tables(audit: ToleranceAudit) -> list[Table]:
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
            [
                *(cells(curve.clause, curve, curve.method) for curve in audit.curves),
                cells(MEAN, audit.logic, "mean"),
            ],
            totals=1,
        )
    ]


def rows(audit: ToleranceAudit) -> Table:
    """A row per piece of every curve."""
    columns = ("clause", "from", "from_included", "to", "to_included", "value", "decimal", "satisfied", "obligated")
    return data_table(columns, _rows(audit))


def _rows(audit: ToleranceAudit) -> Iterator[tuple[str | int, ...]]:
    for curve in audit.curves:
        for piece in curve.pieces:
            yield curve.clause, *_piece(piece), piece.satisfied, piece.obligated
    for mean in audit.logic.pieces:
        yield LOGIC, *_piece(mean), "", ""


def _piece(piece: Piece) -> tuple[str, ...]:
    low, high = (str(included).lower() for included in (piece.low_included, piece.high_included))
    return str(piece.low), low, str(piece.high), high, str(piece.value), decimal(piece.value, 6)


# Command


@click.command()
@click.argument("run", type=click.Path(file_okay=False))
@click.option("--parameter", required=True, help="The parameter of the contract to vary.")
@click.option("--from", "low", help="Lower end of the range, such as 0ms (default: zero).")
@click.option(
    "--to", "high", help="Upper end of the range, such as 300ms (default: the largest value the contract names)."
)
@aggregation_option
@output_options
def command(
    run: str,
    parameter: str,
    low: str | None,
    high: str | None,
    aggregation: Aggregation | None,
    **output: Unpack[OutputOptions],
) -> None:
    """Show the vector and its mean as exact step functions of a parameter.

    RUN is a run directory. The range is closed. Integral and span are exact in JSON and CSV; the contract's own value
    and its sweep points are marked.
    """
    with progress(1) as advance:
        advance("reading")
        card = scored_run(run).card
        ends = [None if text is None else parameter_value(card.contract, parameter, text) for text in (low, high)]
    with progress(len(card.contract.clauses)) as advance:
        found = curves(card, parameter, *ends, aggregation=aggregation, on_clause=advance)
    show(tolerance_audit(found), tables, rows, lambda _: tolerance_figure(found), **output)
