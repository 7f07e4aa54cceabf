"""Audits of soft labels: how ambiguous they are (rule 16.5), and what is decided inside their uncertainty (16.14)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import fsum, log2
from pathlib import Path
from typing import Annotated, Unpack

import click
import numpy as np
from msgspec import Meta, field

from tracepact.data.data_files import clip_files
from tracepact.data.events import Durations, EventTable
from tracepact.data.family import Side
from tracepact.data.fields import read_field, read_scores
from tracepact.data.formats import SCORES, find_format, read_events
from tracepact.data.labels import LabelMap, apply_map, label_map_from
from tracepact.data.memory import conditions_from
from tracepact.data.preparation import name_clips
from tracepact.data.readings import Reading
from tracepact.data.score_files import confidence_of, read_soft, soft_cells
from tracepact.data.tables import Conditions
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.evaluate.soft_family import DecodedSide, SoftCard, SoftFamily, decoded_family, soft_scores
from tracepact.language.contract import Projection
from tracepact.options import Share as ShareArgument
from tracepact.records import Count, Name, Record, Share
from tracepact.runs.manifest import NAME as MANIFEST
from tracepact.runs.margins import decoded_side
from tracepact.runs.opening import Place, RunLike, scored_run
from tracepact.runs.run import Run
from tracepact.runs.side_options import OutputOptions, data_table, exact, output_options, show
from tracepact.show.figures import Bar, BarGroup, bar_chart
from tracepact.show.lines import print_diagnostics, progress
from tracepact.show.tables import Table, numbers, words
from tracepact.wording import count, decimal, parse_stored, percent, short

# `tracepact audit annotation`: how ambiguous soft labels are, by scene (rule 16.5).

_NUMBERED = re.compile(r"[-_ ]*[0-9]+$")
# Fractions, as the confidences are read: 0.25 itself lies between, which a float of another text might not.
_QUARTER, _THREE_QUARTERS = Fraction(1, 4), Fraction(3, 4)
_AMBIGUITY = "Ambiguity of soft labels"


class Ambiguity(Record, frozen=True):
    """The cells of one scene, or of all."""

    scene: str
    clips: Count
    cells: Count
    between: Annotated[Count, Meta(description="Cells with a confidence from 1/4 to 3/4.")]
    share: Annotated[Share | None, Meta(description="Their share of all cells; null without cells.")]
    entropy: Annotated[float, Meta(ge=0, le=1, description="Mean entropy of the cells in bits, for reading only.")]


class AnnotationAudit(Record, frozen=True):
    """What `tracepact audit annotation --format json` prints: the ambiguity of soft labels by scene (16.5)."""

    scenes: tuple[Ambiguity, ...]
    total: Ambiguity


def audit_annotation(labels: EventTable | Place, scenes: Mapping[str, str] | None = None) -> AnnotationAudit:
    """Measure how ambiguous soft labels are, by scene and in total (rule 16.5).

    Args:
        labels: A table of soft labels, events with their confidence, or the file or folder to read it from.
        scenes: The scene of every clip; by default the clip's name without its number (`scene_of`).

    Returns:
        The audit: clips, cells, ambiguous cells and mean entropy of every scene.

    Raises:
        InvalidInput: The labels cannot be read.
        KeyError: `scenes` lacks a clip.

    Examples:
        >>> from fractions import Fraction
        >>> import tracepact
        >>> from tracepact.data.events import Event, EventTable
        >>> cells = tuple(Event(Fraction(0), Fraction(1), "x", None, Fraction(c)) for c in ("0.5", "0.7", "1"))
        >>> tracepact.audit_annotation(EventTable("labels", {"home_1": cells, "home_2": cells})).total.share
        Fraction(2, 3)
    """
    diagnostics = Diagnostics()
    soft = labels if isinstance(labels, EventTable) else _labels(labels, diagnostics)
    diagnostics.raise_errors()
    clips: dict[str, list[list[Fraction]]] = {}
    for clip, events in soft.clips.items():
        scene = scenes[clip] if scenes is not None else scene_of(clip)
        clips.setdefault(scene, []).append([confidence_of(event) for event in events])
    return AnnotationAudit(
        tuple(_ambiguity(scene, clips[scene]) for scene in sorted(clips)),
        _ambiguity("all", [clip for some in clips.values() for clip in some]),
    )


def _labels(labels: Place, diagnostics: Diagnostics) -> EventTable:
    """Soft labels, one in a row or a column for each class; a run directory is refused."""
    if (Path(labels) / MANIFEST).is_file():
        headline = "a run directory does not hold the soft labels its reference was made of"
        diagnostics.add("bad-decoding", headline, RowPlace(str(labels)), "give the file or folder of the labels")
        return EventTable(str(labels), {})
    # An array or a table of frames × classes has no rows of events: each of its cells is a label, silence included
    # (rule 16.5).
    field = None if Path(labels).is_dir() else read_field(labels, diagnostics)
    if field is not None:
        return soft_cells(field)
    # Only looked at: whatever is wrong with the files is said by the reader that is chosen by the first of them.
    files = clip_files(labels, Diagnostics())
    first = next(iter(files.clips.values()), None) if files is not None else None
    if first is not None and find_format(first) == SCORES:
        return soft_cells(read_scores(labels, diagnostics))
    return read_soft(labels, diagnostics)


def scene_of(clip: str) -> str:
    """The name of a clip without folder, extension and number: `cafe_restaurant_03.wav` is `cafe_restaurant`."""
    stem = clip.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return _NUMBERED.sub("", stem) or stem


def entropy(value: Fraction) -> float:
    """The entropy, in bits, of an event of this probability."""
    # The logarithm of 0 has no value; its limit, and that of 1, is no uncertainty at all.
    if not 0 < value < 1:
        return 0.0
    p = float(value)
    return -p * log2(p) - (1 - p) * log2(1 - p)


def _ambiguity(scene: str, clips: Sequence[Sequence[Fraction]]) -> Ambiguity:
    """The record of a scene, given the confidences of the cells of each of its clips."""
    values = [value for clip in clips for value in clip]
    between = sum(1 for value in values if _QUARTER <= value <= _THREE_QUARTERS)
    share = Fraction(between, len(values)) if values else None
    # `fsum` rounds once, so that the mean does not depend on the order of the clips.
    mean = fsum(map(entropy, values)) / len(values) if values else 0.0
    return Ambiguity(scene, len(clips), len(values), between, share, mean)


def annotation_tables(audit: AnnotationAudit) -> list[Table]:
    """A row per scene, and the total."""
    columns = [*words("scene"), *numbers("clips", "cells", "¼ to ¾", "share", "mean entropy (bits)")]
    cells = [
        [
            one.scene,
            *(f"{n:,}" for n in (one.clips, one.cells, one.between)),
            percent(one.share, 1),
            decimal(one.entropy),
        ]
        for one in (*audit.scenes, audit.total)
    ]
    return [Table(_AMBIGUITY, columns, cells, totals=1)]


def annotation_rows(audit: AnnotationAudit) -> Table:
    """The same as data."""
    return data_table(
        ("scene", "clips", "cells", "between", "share", "entropy"),
        [
            (one.scene, one.clips, one.cells, one.between, exact(one.share), decimal(one.entropy, 6))
            for one in (*audit.scenes, audit.total)
        ],
    )


def annotation_figure(audit: AnnotationAudit) -> str:
    """Entropy and share of every scene, and in total."""
    groups = [
        BarGroup(one.scene, [Bar("entropy (bits)", one.entropy), Bar("share ¼ to ¾", one.share)])
        for one in (*audit.scenes, audit.total)
    ]
    return bar_chart(_AMBIGUITY, groups, x="entropy in bits, share of cells", x_range=(0, 1))


# Command


@click.command()
@click.argument("labels", type=click.Path())
@click.option("--scenes", type=click.Path(), help="A table (filename, condition) with the scene of every clip.")
@output_options
def annotation_command(labels: str, scenes: str | None, **output: Unpack[OutputOptions]) -> None:
    """Show how ambiguous soft labels are in each scene.

    The measures are the mean entropy and the share of cells with a confidence from 1/4 to 3/4. LABELS is a file of soft
    labels (start, end, label, confidence) or a folder of such files; or a table with a column for each class. Without
    --scenes, the scene of a clip is its name without its number: cafe_restaurant_03 belongs to cafe_restaurant.
    """
    diagnostics = Diagnostics()
    with progress(1) as advance:
        advance("reading")
        soft = _labels(labels, diagnostics)
        table = conditions_from(scenes, diagnostics) if scenes is not None else None
        diagnostics.raise_errors()
        known = None if table is None else _scenes(soft, table, diagnostics)
        diagnostics.raise_errors()
    print_diagnostics(diagnostics)
    show(audit_annotation(soft, known), annotation_tables, annotation_rows, annotation_figure, **output)


def _scenes(soft: EventTable, table: Conditions, diagnostics: Diagnostics) -> dict[str, str]:
    """The scene of every clip; a clip may be named without its extension."""
    # Tables of conditions name sound files, tables of labels often the clips without an ending.
    by_stem = {name.rsplit(".", 1)[0]: scene for name, scene in table.clips.items()}
    scenes = {clip: table.clips.get(clip, by_stem.get(clip)) for clip in soft.clips}
    for clip, scene in scenes.items():
        if scene is None:
            diagnostics.add("missing-condition", f"clip `{clip}` has no scene", RowPlace(table.name))
    return {clip: scene for clip, scene in scenes.items() if scene is not None}


# `tracepact audit reference`: how much of a score is decided inside the uncertainty of its reference (rule 16.14).

WITHIN = (Fraction(1, 20), Fraction(1, 10), Fraction(1, 4))
"""The uncertainties that are tried unless others are given."""
_INSIDE = "Obligations decided inside the uncertainty of the reference"


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

    @property
    def share(self) -> Fraction | None:
        """Their share of the frames that have a label."""
        return Fraction(self.inside, self.frames) if self.frames else None


class ReferenceAudit(Record, frozen=True):
    """What `tracepact audit reference --format json` prints: verdicts inside annotation uncertainty (16.14)."""

    threshold: Annotated[Share, Meta(description="The threshold of the reference.")]
    clauses: Annotated[tuple[ReferenceClause, ...], Meta(description="By uncertainty and clause.")]
    labels: Annotated[tuple[ReferenceLabels, ...], Meta(description="By uncertainty and class.")]


def audit_reference(
    run: RunLike, labels: Place | None = None, within: Sequence[Fraction] = WITHIN, *, label_map: LabelMap | None = None
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

    def scored(reference: DecodedSide) -> SoftCard:
        return soft_scores(base.card.contract, decoded_family(base.card.family, {Side.REF: reference}))

    card = scored(side)
    # The soft scores are computed once: an uncertainty only says which of their margins are too small.
    for amount in sorted(set(within)):
        # A threshold is a share; moved beyond 0 or 1 it would say no more than there (rule 16.14).
        ends = max(Fraction(0), threshold - amount), min(Fraction(1), threshold + amount)
        moved = [scored(replace(side, threshold=end)) for end in ends]
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
                    *(other.pooled(clause.name) for other in moved),
                )
            )
        near += _near_labels(card.family, amount)
    return ReferenceAudit(threshold, tuple(clauses), tuple(near))


def _settled(card: SoftCard, clause: str, amount: Fraction) -> tuple[int, int, Fraction, Fraction]:
    """The effect on a clause of moving every score by less than an amount (rule 18.9).

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


def _near_labels(family: SoftFamily, amount: Fraction) -> Iterator[ReferenceLabels]:
    """The number of frames of each class whose label is nearer to the threshold than an amount."""
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
    decoding = run.reference.origin.decoding if run.reference.origin else None
    if decoding is None or decoding["low"] is not None or decoding["median"] != 1:
        headline = "the reference of this run was not made by a threshold alone, so it has no margins"
        raise _refused(run, headline, "score soft references with --ref-threshold")
    # Under `touch` and `inside` a frame depends on labels of its neighbours, and its margin is not that of its own.
    if run.card.contract.projection is not Projection.CENTRE:
        raise _refused(run, "margins are those of the projection `centre`, which the contract does not have")
    threshold = parse_stored(str(decoding["threshold"]))
    table = run.reference if labels is None else _read_again(run, labels, threshold, label_map)
    side = decoded_side(table, run.card.family, label_map)
    if side is None:
        headline = "a run directory does not hold the soft labels its reference was made of"
        raise _refused(run, headline, "give them too: --labels")
    return side, threshold


def _refused(run: Run, headline: str, help: str | None = None) -> InvalidInput:
    return InvalidInput([Diagnostic("bad-decoding", headline, RowPlace(run.reference.name), help)])


def _read_again(run: Run, labels: Place, threshold: Fraction, label_map: LabelMap | None) -> EventTable:
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


def reference_tables(audit: ReferenceAudit) -> list[Table]:
    """A row per uncertainty and clause, and one per uncertainty and class."""
    head = [*numbers("within"), *words("clause"), *numbers("inside / obligated", "share", "pooled", "at least")]
    by_clause = Table(
        _INSIDE,
        [*head, *numbers("at most", "threshold lower", "threshold higher")],
        [
            [short(row.within), row.clause, f"{row.inside:,} / {row.obligated:,}", percent(row.share, 1)]
            + [decimal(s) for s in (row.score, row.low, row.high, row.lower_threshold, row.higher_threshold)]
            for row in audit.clauses
        ],
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
            [short(row.within), row.label, f"{row.frames:,}", f"{row.inside:,}", percent(row.share, 1)]
            for row in audit.labels
        ],
    )
    return [by_clause, by_class]


def reference_rows(audit: ReferenceAudit) -> Table:
    """A row per uncertainty and clause."""
    counts = ("threshold", "within", "clause", "obligated", "inside")
    scores = ("share", "score", "low", "high", "lower_threshold", "higher_threshold")
    head = str(audit.threshold)
    rows: list[tuple[str | int, ...]] = []
    for row in audit.clauses:
        values = [exact(getattr(row, name)) for name in scores]
        rows.append((head, str(row.within), row.clause, row.obligated, row.inside, *values))
    return data_table((*counts, *scores), rows)


def reference_figure(audit: ReferenceAudit) -> str:
    """The share of obligations inside each uncertainty, by clause."""
    bars: dict[str, list[Bar]] = {}
    for row in audit.clauses:
        bars.setdefault(row.clause, []).append(Bar(f"within {short(row.within)}", row.share))
    groups = [BarGroup(name, some) for name, some in bars.items()]
    return bar_chart(_INSIDE, groups, x="share of the obligations", x_range=(0, 1))


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
def reference_command(
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
    show(audit, reference_tables, reference_rows, reference_figure, **output)
