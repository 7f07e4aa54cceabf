"""`tracepact audit union-gap`: union and class-indexed scoring, and what makes the difference (rule 16.4)."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal, Unpack

import click
import numpy as np
from msgspec import Meta, field
from numpy.typing import NDArray

from tracepact.audits.systems import originals_option, rescored
from tracepact.data.family import Atoms, Mode, Words
from tracepact.evaluate.scorecard import Scorecard
from tracepact.evaluate.scores import ClauseCounts, aggregate
from tracepact.language.contract import CLASS_ATOMS, Aggregation, EventClause, FrameClause
from tracepact.language.formula import atoms
from tracepact.outputs import PICTURE, OutputFile
from tracepact.records import Count, Name, Record, Share
from tracepact.runs.directory import owner
from tracepact.runs.opening import RunLike, scored_run
from tracepact.runs.run import Run
from tracepact.runs.side_options import OutputOptions, data_table, exact, output_options, show
from tracepact.runs.violations import ScoreRecord
from tracepact.show.figures import Bar, BarGroup, bar_chart, heat_table
from tracepact.show.lines import progress
from tracepact.show.tables import Table, numbers, words
from tracepact.wording import decimal, percent

Frames = NDArray[np.int64]
StratumName = Literal["none", "low", "even", "high"]

# The bounds 1/2 and 2 of rule 16.4 are exact ratios of frame counts; 1/2 itself is even, as 2 is.
STRATA: tuple[StratumName, ...] = ("none", "low", "even", "high")
_TITLE = "Union and class-indexed scoring"
_SHOWN = 12


class ClauseGap(Record, frozen=True):
    """Both scores of a clause; a clause that compares classes has no union score and no gap."""

    clause: str
    aggregation: Aggregation
    class_indexed: ScoreRecord
    union: ScoreRecord | None
    gap: Annotated[Fraction | None, Meta(description="Union minus class-indexed.")]


class ClassSupport(Record, frozen=True):
    """Active frames of a class."""

    label: str = field(name="class")
    reference: Count
    predicted: Count
    ratio: Annotated[Fraction | None, Meta(description="Predicted over reference frames; null without a reference.")]
    stratum: StratumName | None


class Substitution(Record, frozen=True):
    """Frames of a reference class at which another class is predicted instead."""

    reference: str
    predicted: str
    frames: Annotated[int, Meta(ge=1)]
    share: Annotated[Share, Meta(description="Their share of the frames of the reference class.")]


class Confusion(Record, frozen=True):
    """The share of each reference class's frames at which each class is predicted; rows are references."""

    classes: tuple[str, ...]
    shares: tuple[tuple[Share | None, ...], ...]


class Stratum(Record, frozen=True):
    """The classes of a stratum and their pooled scores."""

    name: StratumName
    classes: tuple[str, ...]
    scores: Annotated[
        Mapping[Name, ScoreRecord], Meta(description="The pooled score of every clause; empty without classes.")
    ]


class UnionGapAudit(Record, frozen=True):
    """What `tracepact audit union-gap --format json` prints: union and class-indexed scoring (16.4)."""

    clauses: Annotated[
        tuple[ClauseGap, ...],
        Meta(min_length=1, description="Every clause under the contract's aggregation, and pooled."),
    ]
    without_support: Annotated[tuple[str, ...], Meta(description="Classes of the reference that are never predicted.")]
    support: tuple[ClassSupport, ...]
    substitutions: tuple[Substitution, ...]
    confusion: Confusion
    strata: tuple[Stratum, ...]

    def by_aggregation(self) -> dict[Aggregation, list[ClauseGap]]:
        """The clauses under each aggregation, the contract's first."""
        gaps: dict[Aggregation, list[ClauseGap]] = {}
        for row in self.clauses:
            gaps.setdefault(row.aggregation, []).append(row)
        return gaps


def audit_union_gap(run: RunLike) -> UnionGapAudit:
    """Score a run as a union and class by class, and measure what makes the difference (rule 16.4).

    Args:
        run: A run, scored either way, or a run directory.

    Returns:
        The audit: both scores of every clause, and the support, substitutions, confusion and strata of the classes.

    Raises:
        InvalidInput: The run cannot be read.

    Examples:
        >>> import tracepact
        >>> contract = '''contract c
        ... step 20ms
        ... clause found on ref_active : pred_active'''
        >>> run = tracepact.score(contract, [(0, 1, "x"), (2, 3, "y")], [(0, 1, "x"), (2, 3, "x")], durations=4)
        >>> audit = tracepact.audit_union_gap(run)
        >>> audit.clauses[0].gap, audit.without_support
        (Fraction(1, 2), ('y',))
    """
    base = scored_run(run)
    is_indexed = base.card.family.mode is Mode.CLASS_INDEXED
    card = base.card if is_indexed else rescored(base, mode=Mode.CLASS_INDEXED)
    masks = _masks(card)
    frames = (np.bitwise_count(mask).sum(axis=1).tolist() for mask in masks)
    support = tuple(map(class_support, card.family.classes, *frames))
    together, substituted = _overlaps(*masks)
    return UnionGapAudit(
        tuple(_gaps(base, card)),
        tuple(one.label for one in support if one.stratum == "none"),
        support,
        tuple(_substitutions(support, substituted)),
        Confusion(card.family.classes, tuple(_shares(support, together))),
        tuple(_strata(card, support)),
    )


def _gaps(run: Run, card: Scorecard) -> Iterator[ClauseGap]:
    """Both scores of every clause, under the contract's aggregation and pooled."""
    contract = run.card.contract
    # A union has one class: a clause about other classes would be judged against nothing and score 1.
    possible = tuple(clause for clause in contract.clauses if not _compares_classes(clause))
    union = rescored(run, contract=replace(contract, clauses=possible), mode=Mode.UNION) if possible else None
    for aggregation in dict.fromkeys((contract.aggregation, Aggregation.POOLED)):
        for clause in contract.clauses:
            ours = card.score(clause.name, aggregation)
            theirs = union.score(clause.name, aggregation) if union and clause in possible else None
            yield ClauseGap(
                clause.name,
                aggregation,
                ScoreRecord.of(ours),
                None if theirs is None else ScoreRecord.of(theirs),
                None if theirs is None else theirs.value - ours.value,
            )


def class_support(label: str, reference: int, predicted: int) -> ClassSupport:
    """The support of a class from its active frames on both sides."""
    ratio = Fraction(predicted, reference) if reference else None
    stratum: StratumName | None
    if ratio is None:
        stratum = None
    elif not predicted:
        stratum = "none"
    else:
        stratum = "low" if ratio < Fraction(1, 2) else "even" if ratio <= 2 else "high"
    return ClassSupport(label, reference, predicted, ratio, stratum)


def _substitutions(support: tuple[ClassSupport, ...], frames: Frames) -> Iterator[Substitution]:
    for row, one in zip(frames.tolist(), support, strict=True):
        for number, other in zip(row, support, strict=True):
            if number:
                yield Substitution(one.label, other.label, number, Fraction(number, one.reference))


def _shares(support: tuple[ClassSupport, ...], together: Frames) -> Iterator[tuple[Fraction | None, ...]]:
    for row, one in zip(together.tolist(), support, strict=True):
        yield tuple(Fraction(number, one.reference) if one.reference else None for number in row)


def _compares_classes(clause: FrameClause | EventClause) -> bool:
    if isinstance(clause, EventClause):
        return False
    return bool((atoms(clause.obligation) | atoms(clause.formula)) & set(CLASS_ATOMS))


def _masks(card: Scorecard) -> tuple[Words, Words]:
    """The active frames of both sides that are not ignored, a row of words per class."""
    # No window is evaluated here, so the clips need no more than the least gap between them.
    layout = card.family.layout(1)
    masks = Atoms(card.family, layout)
    shape = len(card.family.classes), -1
    kept = ~layout.to_words(masks.ignored)
    ref, pred = (layout.to_words(masks[name]) & kept for name in ("ref_active", "pred_active"))
    return ref.reshape(shape), pred.reshape(shape)


def _overlaps(ref: Words, pred: Words) -> tuple[Frames, Frames]:
    """By reference class and predicted class: frames where both are active, and substitutions."""
    together = np.zeros((len(ref), len(pred)), dtype=np.int64)
    substituted = np.zeros_like(together)
    # A row at a time: all pairs at once would be classes² arrays as long as the data.
    for index in range(len(ref)):
        together[index] = np.bitwise_count(ref[index] & pred).sum(axis=1)
        missed = ref[index] & ~pred[index]
        substituted[index] = np.bitwise_count(missed & pred & ~ref).sum(axis=1)
    return together, substituted


def _strata(card: Scorecard, support: tuple[ClassSupport, ...]) -> list[Stratum]:
    strata = []
    for name in STRATA:
        rows = [index for index, item in enumerate(support) if item.stratum == name]
        counts = {
            clause: ClauseCounts(some.satisfied[rows], some.obligated[rows], some.counter[rows])
            for clause, some in card.counts.items()
        }
        scores = {clause: ScoreRecord.of(aggregate(some, Aggregation.POOLED)) for clause, some in counts.items()}
        strata.append(Stratum(name, tuple(support[index].label for index in rows), scores if rows else {}))
    return strata


# Shown


def tables(audit: UnionGapAudit) -> list[Table]:
    """Both scores of every clause, and what makes the difference."""
    gaps = [_gap_table(aggregation, gaps) for aggregation, gaps in audit.by_aggregation().items()]
    return [*gaps, _support_table(audit), _substitution_table(audit), _stratum_table(audit)]


def _gap_table(aggregation: Aggregation, gaps: list[ClauseGap]) -> Table:
    return Table(
        f"{_TITLE} ({aggregation.words})",
        [*words("clause"), *numbers("class-indexed", "union", "gap", "vacuous entries")],
        [
            [
                row.clause,
                decimal(row.class_indexed.value),
                decimal(row.union.value if row.union else None),
                decimal(row.gap),
                f"{row.class_indexed.vacuous_entries:,} of {row.class_indexed.entries:,}",
            ]
            for row in gaps
        ],
    )


def _support_table(audit: UnionGapAudit) -> Table:
    return Table(
        "Active frames by class",
        [*words("class", "stratum"), *numbers("reference", "predicted", "ratio")],
        [
            [
                one.label,
                one.stratum or "no reference",
                f"{one.reference:,}",
                f"{one.predicted:,}",
                decimal(one.ratio, 2),
            ]
            for one in audit.support
        ],
    )


def _substitution_table(audit: UnionGapAudit) -> Table:
    pairs = sorted(audit.substitutions, key=lambda pair: -pair.frames)
    shown = pairs[:_SHOWN]
    return Table(
        f"Substitutions (the largest {len(shown)} of {len(pairs)})",
        [*words("reference", "predicted instead"), *numbers("frames", "share of reference")],
        [[pair.reference, pair.predicted, f"{pair.frames:,}", percent(pair.share, 1)] for pair in shown],
    )


def _stratum_table(audit: UnionGapAudit) -> Table:
    clauses = [row.clause for row in next(iter(audit.by_aggregation().values()))]

    def cells(stratum: Stratum) -> list[str]:
        values = (decimal(stratum.scores[name].value if stratum.scores else None) for name in clauses)
        return [stratum.name, str(len(stratum.classes)), *values]

    return Table(
        "Pooled scores by support stratum",
        [*words("stratum"), *numbers("classes", *clauses)],
        [cells(stratum) for stratum in audit.strata],
    )


def rows(audit: UnionGapAudit) -> Table:
    """A row per quantity of every part."""
    rows: list[tuple[str | int, ...]] = []
    for row in audit.clauses:
        union = row.union.value if row.union else None
        values = ("class_indexed", row.class_indexed.value), ("union", union), ("gap", row.gap)
        rows += [("clause", row.clause, row.aggregation.value, name, exact(value)) for name, value in values]
    for one in audit.support:
        rows.append(("class", one.label, "", "reference_frames", one.reference))
        rows.append(("class", one.label, "", "predicted_frames", one.predicted))
        rows.append(("class", one.label, "", "support_ratio", exact(one.ratio)))
    for pair in audit.substitutions:
        rows.append(("substitution", pair.reference, pair.predicted, "frames", pair.frames))
    classes = audit.confusion.classes
    for label, shares in zip(classes, audit.confusion.shares, strict=True):
        rows += [("confusion", label, other, "share", exact(v)) for other, v in zip(classes, shares, strict=True)]
    for stratum in audit.strata:
        rows += [("stratum", stratum.name, name, "pooled", str(one.value)) for name, one in stratum.scores.items()]
    return data_table(("part", "name", "other", "quantity", "value"), rows)


def figure(audit: UnionGapAudit) -> str:
    """Both scores of every clause, under every aggregation."""
    bars: dict[str, list[Bar]] = {}
    for row in audit.clauses:
        union = row.union.value if row.union else None
        bars.setdefault(row.clause, []).extend(
            (
                Bar(f"class-indexed, {row.aggregation.words}", row.class_indexed.value),
                Bar(f"union, {row.aggregation.words}", union, note="compares classes"),
            )
        )
    return bar_chart(_TITLE, [BarGroup(name, some) for name, some in bars.items()], x="score", x_range=(0, 1))


def confusion_figure(audit: UnionGapAudit) -> str:
    """The share of each reference class's frames at which each class is predicted."""
    labels = audit.confusion.classes
    title = "Overlap confusion: predicted (columns) at the frames of the reference (rows)"
    return heat_table(title, labels, labels, audit.confusion.shares, value_range=(0, 1))


# Command


@click.command()
@click.argument("run", type=click.Path(file_okay=False))
@click.option(
    "--confusion", type=OutputFile(PICTURE, owner), help="Also write the overlap confusion to this file, as SVG (.svg)."
)
@originals_option
@output_options
def command(run: str, confusion: Path | None, originals: tuple[str, ...], **output: Unpack[OutputOptions]) -> None:
    """Compare union and class-indexed scoring, and show the classes behind the gap.

    RUN is a run directory. Beside the gap of each clause, the audit shows the classes without predicted support,
    support ratios, substitutions, scores by support stratum and, in JSON, CSV and --confusion, the overlap confusion.
    """
    with progress(2) as advance:
        advance("reading")
        base = scored_run(run, originals)
        advance("scoring both ways")
        audit = audit_union_gap(base)
    files = {} if confusion is None else {confusion: confusion_figure(audit)}
    show(audit, tables, rows, figure, files, **output)
