"""Audits of what is uncertain: soft labels, by scene (rule 16.5), and scores over clips (rules 16.7 and 16.8)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import fsum, log2
from pathlib import Path
from typing import Annotated, Unpack

import click
from msgspec import Meta

from tracepact.audits.systems import Runs, aggregation_of, paired_rows, some_runs
from tracepact.data.data_files import clip_files
from tracepact.data.events import EventTable
from tracepact.data.fields import read_field, read_scores
from tracepact.data.formats import SCORES, find_format
from tracepact.data.memory import conditions_from
from tracepact.data.score_files import confidence_of, read_soft, soft_cells
from tracepact.data.tables import Conditions
from tracepact.diagnostics.collection import Diagnostics, require_type
from tracepact.diagnostics.findings import RowPlace
from tracepact.evaluate.scorecard import ScoreRows
from tracepact.evaluate.scores import shown_name
from tracepact.evaluate.uncertainty import (
    USUAL,
    Bootstrap,
    BootstrapUsed,
    Interval,
    SystemDifference,
    differences,
    few_clips_notes,
    holm,
    intervals,
    outside_mark,
    outside_notes,
)
from tracepact.language.contract import Aggregation
from tracepact.options import aggregation_option
from tracepact.records import Count, Name, Record, Share
from tracepact.runs.manifest import NAME as MANIFEST
from tracepact.runs.opening import Place, opened
from tracepact.runs.side_options import OutputOptions, bootstrap_options, data_table, exact, output_options, show
from tracepact.show.figures import Bar, BarGroup, bar_chart
from tracepact.show.lines import print_diagnostics, progress
from tracepact.show.tables import Table, numbers, words
from tracepact.wording import decimal, percent, rounded

_NUMBERED = re.compile(r"[-_ ]*[0-9]+$")
# Fractions, as the confidences are read: 0.25 itself lies between, which a float of another text might not.
_QUARTER, _THREE_QUARTERS = Fraction(1, 4), Fraction(3, 4)
_TITLE = "Ambiguity of soft labels"


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
    soft = labels if isinstance(labels, EventTable) else _read(labels)
    values: dict[str, list[Fraction]] = {}
    clips: dict[str, int] = {}
    for clip, events in soft.clips.items():
        scene = scenes[clip] if scenes is not None else scene_of(clip)
        clips[scene] = clips.get(scene, 0) + 1
        values.setdefault(scene, []).extend(confidence_of(event) for event in events)
    everything = [value for some in values.values() for value in some]
    return AnnotationAudit(
        tuple(_ambiguity(scene, clips[scene], values[scene]) for scene in sorted(values)),
        _ambiguity("all", sum(clips.values()), everything),
    )


def _read(labels: Place) -> EventTable:
    diagnostics = Diagnostics()
    soft = _labels(labels, diagnostics)
    diagnostics.raise_errors()
    return soft


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


def _ambiguity(scene: str, clips: int, values: list[Fraction]) -> Ambiguity:
    between = sum(1 for value in values if _QUARTER <= value <= _THREE_QUARTERS)
    share = Fraction(between, len(values)) if values else None
    # `fsum` rounds once, so that the mean does not depend on the order of the clips.
    mean = fsum(map(entropy, values)) / len(values) if values else 0.0
    return Ambiguity(scene, clips, len(values), between, share, mean)


# Shown


def annotation_tables(audit: AnnotationAudit) -> list[Table]:
    """A row per scene, and the total."""
    columns = [*words("scene"), *numbers("clips", "cells", "¼ to ¾", "share", "mean entropy (bits)")]
    return [Table(_TITLE, columns, [_cells(one) for one in (*audit.scenes, audit.total)], totals=1)]


def _cells(one: Ambiguity) -> list[str]:
    share = percent(one.share, 1)
    return [one.scene, f"{one.clips:,}", f"{one.cells:,}", f"{one.between:,}", share, decimal(one.entropy)]


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
    return bar_chart(_TITLE, groups, x="entropy in bits, share of cells", x_range=(0, 1))


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
    found: dict[str, str] = {}
    for clip in soft.clips:
        scene = table.clips.get(clip, by_stem.get(clip))
        if scene is None:
            diagnostics.add("missing-condition", f"clip `{clip}` has no scene", RowPlace(table.name))
        else:
            found[clip] = scene
    return found


class ScoreInterval(Record, frozen=True):
    """An exact score with its decimal, and the ends of its interval for reading."""

    value: Share
    decimal: float
    low: float
    high: float


class ScoreDifference(Record, frozen=True):
    """An exact difference with its decimal, the ends of its interval for reading, and its p before and after Holm."""

    value: Fraction
    decimal: float
    low: float
    high: float
    p: Share
    corrected: Share


class SystemScores(Record, frozen=True):
    """The scores of a system, and its differences from the first one."""

    name: str
    scores: Annotated[Mapping[Name, ScoreInterval], Meta(description="By clause, and `logic`.")]
    differences: Annotated[
        Mapping[Name, ScoreDifference],
        Meta(description="From the first system, by clause and for `logic`; empty for the first system."),
    ]


class UncertaintyAudit(Record, frozen=True):
    """What `tracepact audit uncertainty --format json` prints: scores with intervals over clips (16.7, 16.8)."""

    aggregation: Aggregation
    clips: Count
    bootstrap: BootstrapUsed
    systems: Annotated[tuple[SystemScores, ...], Meta(min_length=1)]


def audit_uncertainty(
    runs: Runs, aggregation: Aggregation | None = None, bootstrap: Bootstrap = USUAL
) -> UncertaintyAudit:
    """Intervals of the scores of runs over clips, and the differences of all runs from the first (rules 16.7 and 16.8).

    Args:
        runs: Runs of one contract on the same data: in memory, in batches, or the places of run directories. A mapping
            names them.
        aggregation: The aggregation of the scores; by default the contract's own.
        bootstrap: How clips are drawn.

    Returns:
        The audit: scores with intervals and, for all runs but the first, differences with their p, corrected over the
        runs (Holm).

    Raises:
        InvalidInput: A run cannot be read, or the runs cannot be compared.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> import tracepact
        >>> with TemporaryDirectory() as folder:
        ...     for name, end in (("early", 2), ("late", 4)):
        ...         run = tracepact.score("boundary_gate", [(1, 3)], [(1, end)], durations=5)
        ...         files = run.save(f"{folder}/{name}")
        ...     audit = tracepact.audit_uncertainty([f"{folder}/early", f"{folder}/late"])
        >>> audit.systems[1].differences["missing_guard"].value
        Fraction(12, 25)
    """
    require_type(bootstrap, Bootstrap, "the bootstrap", "a Bootstrap")
    named = some_runs(runs)
    each = [opened(one.run, one.place) for one in named]
    paired = list(zip((one.name for one in named), paired_rows(each), strict=True))
    return uncertainty_of(paired, aggregation_of(each[0].contract, aggregation), bootstrap)


def uncertainty_of(
    systems: Sequence[tuple[str, ScoreRows]], aggregation: Aggregation, bootstrap: Bootstrap = USUAL
) -> UncertaintyAudit:
    """The audit of named score rows, all with the same clips, classes and clauses."""
    base = systems[0][1]
    changes = [differences(base, uncertainty_rows, aggregation, bootstrap) for _, uncertainty_rows in systems[1:]]
    # Holm's correction is clause by clause over the systems (rule 16.8): a system more makes a difference harder to
    # claim, a clause more does not.
    corrected = [dict[str, Fraction]() for _ in changes]
    for name in changes[0] if changes else ():
        for row, value in zip(corrected, holm([some[name].p for some in changes]), strict=True):
            row[name] = value
    # The first system is what the others are compared with: it has no difference.
    compared = [{}, *map(difference_records, changes, corrected)]
    return UncertaintyAudit(
        aggregation,
        len(base.clips),
        bootstrap.record,
        tuple(
            SystemScores(name, _scores(intervals(uncertainty_rows, aggregation, bootstrap)), difference)
            for (name, uncertainty_rows), difference in zip(systems, compared, strict=True)
        ),
    )


def difference_records(
    changes: Mapping[str, SystemDifference], corrected: Mapping[str, Fraction]
) -> dict[str, ScoreDifference]:
    """Differences by clause, each with its corrected p."""
    return {name: ScoreDifference(*_ends(one), one.p, corrected[name]) for name, one in changes.items()}


def _scores(scores: Mapping[str, Interval]) -> dict[str, ScoreInterval]:
    return {name: ScoreInterval(*_ends(one)) for name, one in scores.items()}


def _ends(bounded: Interval | SystemDifference) -> tuple[Fraction, float, float, float]:
    return bounded.value, rounded(bounded.value), rounded(bounded.low), rounded(bounded.high)


# Shown


def interval_words(bounded: ScoreInterval | ScoreDifference) -> str:
    """A value and its interval."""
    mark = outside_mark(bounded.value, bounded.low, bounded.high)
    return f"{decimal(bounded.value)} ({decimal(bounded.low)} to {decimal(bounded.high)}){mark}"


def p_words(change: ScoreDifference) -> list[str]:
    """The p of a difference, before and after Holm."""
    return [decimal(change.p, 4), decimal(change.corrected, 4)]


def uncertainty_tables(audit: UncertaintyAudit) -> list[Table]:
    """The scores of all systems, and for every system but the first its differences from the first."""
    first, *others = audit.systems
    how = audit.bootstrap.words(audit.clips)
    scores = Table(
        f"Scores ({audit.aggregation.words}), {how}",
        [*words("clause"), *numbers(*(system.name for system in audit.systems))],
        [
            [shown_name(name), *(interval_words(system.scores[name]) for system in audit.systems)]
            for name in first.scores
        ],
        [
            *few_clips_notes(audit.clips),
            *outside_notes(interval_words(one) for system in audit.systems for one in system.scores.values()),
        ],
    )
    return [scores, *(_differences(system, first) for system in others)]


def _differences(system: SystemScores, first: SystemScores) -> Table:
    return Table(
        f"Difference {system.name} − {first.name}",
        [*words("clause"), *numbers("difference", "p", "p (Holm over systems)")],
        [[shown_name(name), interval_words(change), *p_words(change)] for name, change in system.differences.items()],
        outside_notes(map(interval_words, system.differences.values())),
    )


def uncertainty_rows(audit: UncertaintyAudit) -> Table:
    """A row per system and score, and per difference."""
    columns = ("system", "clause", "quantity", "value", "decimal", "low", "high", "p", "corrected")
    return data_table(columns, _rows(audit))


def _rows(audit: UncertaintyAudit) -> Iterator[tuple[str, ...]]:
    for system in audit.systems:
        for name, score in system.scores.items():
            yield system.name, name, "score", *_numbers(score), "", ""
        for name, change in system.differences.items():
            yield system.name, name, "difference", *_numbers(change), str(change.p), str(change.corrected)


def _numbers(bounded: ScoreInterval | ScoreDifference) -> tuple[str, str, str, str]:
    return str(bounded.value), decimal(bounded.value, 6), decimal(bounded.low, 6), decimal(bounded.high, 6)


def uncertainty_figure(audit: UncertaintyAudit) -> str:
    """The score of every clause and system with its interval."""

    def bar(name: str, score: ScoreInterval) -> Bar:
        return Bar(name, score.value, score.low, score.high)

    groups = [
        BarGroup(shown_name(name), [bar(system.name, system.scores[name]) for system in audit.systems])
        for name in audit.systems[0].scores
    ]
    title = f"Scores ({audit.aggregation.words}), {audit.bootstrap.words(audit.clips)}"
    return bar_chart(title, groups, x="score", x_range=(0, 1))


# Command


@click.command()
@click.argument("runs", type=click.Path(file_okay=False), nargs=-1, required=True)
@aggregation_option
@bootstrap_options
@output_options
def uncertainty_command(
    runs: tuple[str, ...],
    aggregation: Aggregation | None,
    draws: int,
    seed: int,
    level: Fraction,
    **output: Unpack[OutputOptions],
) -> None:
    """Show intervals of the scores over clips, and the differences of all systems from the first.

    RUNS are run directories of one contract on the same data. Clips are drawn with replacement, the same clips for all
    systems; p is two-sided and corrected over the systems (Holm).
    """
    with progress(1) as advance:
        advance("drawing clips")
        audit = audit_uncertainty(runs, aggregation, Bootstrap(draws, seed, level))
    show(audit, uncertainty_tables, uncertainty_rows, uncertainty_figure, **output)
