"""`tracepact audit reference`: how much of a score is decided inside the uncertainty of its reference (rule 16.14)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Unpack

import click
import numpy as np
from msgspec import Meta, field

from tracepact.data.events import Durations, EventTable
from tracepact.data.family import Side
from tracepact.data.formats import read_events
from tracepact.data.labels import LabelMap, apply_map, label_map_from
from tracepact.data.preparation import name_clips
from tracepact.data.readings import Reading
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace
from tracepact.evaluate.soft_family import DecodedSide, SoftCard, SoftFamily, decoded_family, soft_scores
from tracepact.language.contract import Projection
from tracepact.options import Share as ShareArgument
from tracepact.records import Count, Name, Record, Share
from tracepact.runs.margins import decoded_side
from tracepact.runs.opening import Place, RunLike, scored_run
from tracepact.runs.run import Run
from tracepact.runs.side_options import OutputOptions, data_table, exact, output_options, show
from tracepact.show.figures import Bar, BarGroup, bar_chart
from tracepact.show.lines import print_diagnostics, progress
from tracepact.show.tables import Table, numbers, words
from tracepact.wording import count, decimal, parse_stored, percent, short

WITHIN = (Fraction(1, 20), Fraction(1, 10), Fraction(1, 4))
"""The uncertainties that are tried unless others are given."""
_TITLE = "Obligations decided inside the uncertainty of the reference"


class ReferenceClause(Record, frozen=True):
    """One frame clause while every soft label may be wrong by less than an uncertainty (16.14)."""

    within: Annotated[Share, Meta(description="The uncertainty.")]
    clause: Name
    obligated: Annotated[Count, Meta(description="Obligations at the labels as they are.")]
    inside: Annotated[Count, Meta(description="Those that may cease to be asked, or whose verdict may change.")]
    share: Annotated[Share | None, Meta(description="Their share; null without obligations.")]
    score: Annotated[Share, Meta(description="The pooled score at the labels as they are.")]
    low: Annotated[Share, Meta(description="The pooled score does not fall below this.")]
    high: Annotated[Share, Meta(description="The pooled score does not exceed this.")]
    lower_threshold: Annotated[Share, Meta(description="The pooled score with the threshold moved down by so much.")]
    higher_threshold: Annotated[Share, Meta(description="The pooled score with the threshold moved up by so much.")]


class ReferenceLabels(Record, frozen=True):
    """The soft labels of one class, frame by frame."""

    within: Annotated[Share, Meta(description="The uncertainty.")]
    label: str = field(name="class")
    frames: Annotated[Count, Meta(description="The frames that have a label.")]
    inside: Annotated[Count, Meta(description="Those whose label is nearer to the threshold than the uncertainty.")]


class ReferenceAudit(Record, frozen=True):
    """What `tracepact audit reference --format json` prints: verdicts inside annotation uncertainty (16.14)."""

    threshold: Annotated[Share, Meta(description="The threshold of the reference.")]
    clauses: Annotated[tuple[ReferenceClause, ...], Meta(description="By uncertainty and clause.")]
    labels: Annotated[tuple[ReferenceLabels, ...], Meta(description="By uncertainty and class.")]


def audit_reference(
    run: RunLike,
    labels: Place | None = None,
    within: Sequence[Fraction] = WITHIN,
    *,
    label_map: LabelMap | None = None,
) -> ReferenceAudit:
    """Find which verdicts of a run are decided inside the uncertainty of its soft references (rule 16.14).

    Args:
        run: A run, or a run directory, whose reference a threshold made of soft labels or scores.
        labels: The file or folder of the soft labels; a run that `score` returned has them already.
        within: The uncertainties to try: by less than so much each label may be wrong.
        label_map: The label map of the run, if it had one.

    Returns:
        The audit: of every frame clause and uncertainty the obligations inside it and the bounds of the pooled score,
        and of every class the labels near the threshold.

    Raises:
        InvalidInput: The reference was not made by a threshold alone, or not of these labels.

    Examples:
        >>> from fractions import Fraction
        >>> import numpy as np
        >>> import tracepact
        >>> soft = np.array([[0.9], [0.55], [0.1]])
        >>> reading = tracepact.Reading(decoding="0.5", classes=["dog"], step="0.02")
        >>> run = tracepact.score("boundary_gate", soft, [(0, "0.04", "dog")], ref_reading=reading)
        >>> audit = tracepact.audit_reference(run, within=[Fraction(1, 10)])
        >>> [(row.clause, row.inside, row.obligated) for row in audit.clauses if row.inside]
        [('offset_guard', 1, 1), ('missing_guard', 1, 2)]
    """
    base = scored_run(run)
    side, threshold = _side(base, labels, label_map)
    clauses: list[ReferenceClause] = []
    near: list[ReferenceLabels] = []
    card = soft_scores(base.card.contract, decoded_family(base.card.family, {Side.REF: side}))
    # The soft scores are computed once: an uncertainty only says which of their margins are too small.
    for amount in sorted(set(within)):
        # A threshold is a share; moved beyond 0 or 1 it would say no more than there (rule 16.14).
        ends = max(Fraction(0), threshold - amount), min(Fraction(1), threshold + amount)
        moved = [_pooled(base, replace(side, threshold=end)) for end in ends]
        for clause in base.card.contract.frame_clauses:
            obligated, inside, low, high = _settled(card, clause.name, amount)
            clauses.append(
                ReferenceClause(
                    amount,
                    clause.name,
                    obligated,
                    inside,
                    Fraction(inside, obligated) if obligated else None,
                    card.pooled(clause.name),
                    low,
                    high,
                    *(scores[clause.name] for scores in moved),
                )
            )
        near += _near_labels(card.family, amount)
    return ReferenceAudit(threshold, tuple(clauses), tuple(near))


def _settled(card: SoftCard, clause: str, amount: Fraction) -> tuple[int, int, Fraction, Fraction]:
    """What becomes of a clause while every score moves by less than an amount (rule 18.9).

    Its obligations, those of them that may cease to be asked or whose verdict may change, and the bounds of its pooled
    score.
    """
    near = card.atoms.levels.below(amount)
    duty, value = card.duties[clause], card.values[clause]
    duty_safe, value_safe = np.abs(duty) > near, np.abs(value) > near
    obliged, holds, fails = card.obligations[clause], value_safe & (value > 0), value_safe & (value < 0)
    may, must = card.judged & ((duty > 0) | ~duty_safe), obliged & duty_safe
    # At worst every frame that may be asked and may fail does both, and none that holds is asked unless it must be;
    # at best the other way round.
    sure, failing, holding, lost, obligated, inside = (
        int(np.count_nonzero(frames))
        for frames in (
            must & holds,
            may & ~holds,
            may & ~fails,
            must & fails,
            obliged,
            obliged & ~(duty_safe & value_safe),
        )
    )
    low = Fraction(sure, sure + failing) if sure + failing else Fraction(1)
    high = Fraction(holding, holding + lost) if holding + lost else Fraction(1)
    return obligated, inside, low, high


def _pooled(run: Run, side: DecodedSide) -> dict[str, Fraction]:
    """The pooled score of every frame clause under another threshold of the reference."""
    card = soft_scores(run.card.contract, decoded_family(run.card.family, {Side.REF: side}))
    return {clause.name: card.pooled(clause.name) for clause in run.card.contract.frame_clauses}


def _near_labels(family: SoftFamily, amount: Fraction) -> Iterator[ReferenceLabels]:
    """How many frames of each class have a label nearer to the threshold than an amount."""
    mask = family.masks["ref_active"]
    # The margin of a frame without a label, such as one beyond the last of them, is infinite: no error of a label
    # reaches it.
    finite = np.array([isinstance(value.size, Fraction) for value in mask.values])
    near = np.array([value.distance < amount for value in mask.values])
    for label, name in enumerate(family.classes):
        places = [clip[:, label] for clip in mask.clips]
        counts = (sum(int(flags[place].sum()) for place in places) for flags in (finite, near))
        yield ReferenceLabels(amount, name, *counts)


def _side(run: Run, labels: Place | None, label_map: LabelMap | None) -> tuple[DecodedSide, Fraction]:
    """The field of the reference and its threshold; InvalidInput if the reference was not made of it by one."""
    diagnostics = Diagnostics()
    place = RowPlace(run.reference.name)
    decoding = run.reference.origin.decoding if run.reference.origin else None
    if decoding is None or decoding["low"] is not None or decoding["median"] != 1:
        headline = "the reference of this run was not made by a threshold alone, so it has no margins"
        diagnostics.add("bad-decoding", headline, place, "score soft references with --ref-threshold")
    # Under `touch` and `inside` a frame depends on labels of its neighbours, and its margin is not that of its own.
    elif run.card.contract.projection is not Projection.CENTRE:
        headline = "margins are those of the projection `centre`, which the contract does not have"
        diagnostics.add("bad-decoding", headline, place)
    diagnostics.raise_errors()
    assert decoding is not None
    threshold = parse_stored(str(decoding["threshold"]))
    table = run.reference if labels is None else _read(run, labels, threshold, label_map)
    side = decoded_side(table, run.card.family, label_map)
    if side is None:
        headline = "a run directory does not hold the soft labels its reference was made of"
        diagnostics.add("bad-decoding", headline, place, "give them too: --labels")
    diagnostics.raise_errors()
    assert side is not None
    return side, threshold


def _read(run: Run, labels: Place, threshold: Fraction, label_map: LabelMap | None) -> EventTable:
    """The soft labels as they were read for the run; InvalidInput if they give another reference."""
    diagnostics = Diagnostics()
    lengths = run.durations.clips if isinstance(run.durations, Durations) else {}
    read = read_events(labels, diagnostics, Reading(decoding=threshold))
    diagnostics.raise_errors()
    table, _ = name_clips(read, run.prediction, lengths, diagnostics)
    mapped = table if label_map is None else apply_map(label_map, table, diagnostics).table
    diagnostics.raise_errors()
    # Labels that give the same events at the threshold may still be other labels; nothing that the run keeps tells them
    # apart.
    other = [clip for clip in run.card.family.clips if _events(mapped, clip) != _events(run.reference, clip)]
    if other:
        headline = f"above {short(threshold)} these labels give another reference on {count(len(other), 'clip')}"
        help = f"the first is `{other[0]}`; give the labels, and the label map, that the run was scored with"
        diagnostics.add("incomparable-runs", headline, RowPlace(str(labels)), help)
    diagnostics.raise_errors()
    return table


def _events(table: EventTable, clip: str) -> set[tuple[Fraction, Fraction, str]]:
    return {(event.onset, event.offset, event.label) for event in table.clips.get(clip, ())}


# Shown


def tables(audit: ReferenceAudit) -> list[Table]:
    """A row per uncertainty and clause, and one per uncertainty and class."""
    head = [*numbers("within"), *words("clause"), *numbers("inside / obligated", "share", "pooled", "at least")]
    by_clause = Table(
        _TITLE,
        [*head, *numbers("at most", "threshold lower", "threshold higher")],
        [_cells(row) for row in audit.clauses],
        [
            f"reference: label > {short(audit.threshold)}; predictions as they are",
            "inside: may cease to be asked, or change its verdict, while each label is wrong by less than `within`",
            "threshold lower, higher: the pooled score if the threshold of the reference is moved by `within`",
            "the pooled score then stays from `at least` to `at most`, bounds that need not be reached (rule 16.14)",
        ],
    )
    by_class = Table(
        "Labels nearer to the threshold than the uncertainty",
        [*numbers("within"), *words("class"), *numbers("frames", "inside", "share")],
        [
            [short(row.within), row.label, f"{row.frames:,}", f"{row.inside:,}", percent(_share(row), 1)]
            for row in audit.labels
        ],
    )
    return [by_clause, by_class]


def _share(row: ReferenceLabels) -> Fraction | None:
    return Fraction(row.inside, row.frames) if row.frames else None


def _cells(row: ReferenceClause) -> list[str]:
    scores = row.score, row.low, row.high, row.lower_threshold, row.higher_threshold
    counts = f"{row.inside:,} / {row.obligated:,}"
    return [short(row.within), row.clause, counts, percent(row.share, 1), *map(decimal, scores)]


def rows(audit: ReferenceAudit) -> Table:
    """A row per uncertainty and clause."""
    columns = ("threshold", "within", "clause", "obligated", "inside", "share", "score", "low", "high")
    return data_table(
        (*columns, "lower_threshold", "higher_threshold"),
        [
            (
                str(audit.threshold),
                str(row.within),
                row.clause,
                row.obligated,
                row.inside,
                *map(exact, (row.share, row.score, row.low, row.high, row.lower_threshold, row.higher_threshold)),
            )
            for row in audit.clauses
        ],
    )


def figure(audit: ReferenceAudit) -> str:
    """The share of obligations inside each uncertainty, by clause."""
    names = list(dict.fromkeys(row.clause for row in audit.clauses))
    groups = [
        BarGroup(name, [Bar(f"within {short(row.within)}", row.share) for row in audit.clauses if row.clause == name])
        for name in names
    ]
    return bar_chart(_TITLE, groups, x="share of the obligations", x_range=(0, 1))


# Command


@click.command()
@click.argument("run", type=click.Path(file_okay=False))
@click.option("--labels", required=True, type=click.Path(), help="The soft labels of the reference: a file or folder.")
@click.option(
    "--within",
    type=ShareArgument(),
    multiple=True,
    help="Assume that each label is wrong by less than this; repeatable (default: 0.05, 0.1 and 0.25).",
)
@click.option("--label-map", type=click.Path(), help="The label map (TOML) that the run was scored with.")
@output_options
def command(
    run: str, labels: str, within: tuple[Fraction, ...], label_map: str | None, **output: Unpack[OutputOptions]
) -> None:
    """Show how much of a score is decided inside the uncertainty of soft references.

    RUN is a run directory whose reference --ref-threshold made of soft labels. An obligation is inside an uncertainty
    if it may cease to be asked, or change its verdict, while every label is wrong by less than that; the pooled score
    then lies between the bounds that are shown. Predictions stay as they are.
    """
    diagnostics = Diagnostics()
    with progress(2) as advance:
        advance("reading")
        base = scored_run(run)
        mapping = label_map_from(label_map, diagnostics)
        diagnostics.raise_errors()
        advance("evaluating")
        audit = audit_reference(base, labels, within or WITHIN, label_map=mapping)
    print_diagnostics(diagnostics)
    show(audit, tables, rows, figure, **output)
