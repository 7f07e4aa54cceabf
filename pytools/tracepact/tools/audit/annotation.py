"""`tracepact audit annotation`: how ambiguous soft labels are, by scene (rule 16.5)."""

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import fsum, log2
from pathlib import Path
from typing import Annotated, Unpack

import click
from msgspec import Meta

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io import Conditions, SoftTable, conditions_from, read_scores, read_soft
from tracepact.io.field import read_field
from tracepact.io.files import clip_files
from tracepact.io.formats import SCORES, find_format
from tracepact.io.soft import soft_cells
from tracepact.records import Count, Record, Share
from tracepact.show.figure import Bar, BarGroup, bar_chart
from tracepact.show.lines import print_diagnostics
from tracepact.show.progress import progress
from tracepact.show.table import Table, numbers, words
from tracepact.tools.score.shown import OutputOptions, data_table, exact, output_options, show
from tracepact.tools.score.store.manifest import NAME as MANIFEST
from tracepact.tools.score.store.names import Place
from tracepact.wording import decimal, percent

_NUMBERED = re.compile(r"[-_ ]*[0-9]+$")
_QUARTER, _THREE_QUARTERS = Decimal("0.25"), Decimal("0.75")
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


def audit_annotation(labels: SoftTable | Place, scenes: Mapping[str, str] | None = None) -> AnnotationAudit:
    """Measure how ambiguous soft labels are, by scene and in total (rule 16.5).

    Args:
        labels: A table of soft labels, or the file or folder to read it from.
        scenes: The scene of every clip; by default the clip's name without its number (`scene_of`).

    Returns:
        The audit: clips, cells, ambiguous cells and mean entropy of every scene.

    Raises:
        InvalidInput: The labels cannot be read.
        KeyError: `scenes` lacks a clip.

    Examples:
        >>> from decimal import Decimal
        >>> from fractions import Fraction
        >>> import tracepact
        >>> from tracepact.io.soft import SoftEvent, SoftTable
        >>> cells = tuple(SoftEvent(Fraction(0), Fraction(1), "x", Decimal(c)) for c in ("0.5", "0.7", "1"))
        >>> tracepact.audit_annotation(SoftTable("labels", {"home_1": cells, "home_2": cells})).total.share
        Fraction(2, 3)
    """
    soft = labels if isinstance(labels, SoftTable) else _read(labels)
    values: dict[str, list[Decimal]] = {}
    clips: dict[str, int] = {}
    for clip, events in soft.clips.items():
        scene = scenes[clip] if scenes is not None else scene_of(clip)
        clips[scene] = clips.get(scene, 0) + 1
        values.setdefault(scene, []).extend(event.confidence for event in events)
    everything = [value for some in values.values() for value in some]
    return AnnotationAudit(
        tuple(_ambiguity(scene, clips[scene], values[scene]) for scene in sorted(values)),
        _ambiguity("all", sum(clips.values()), everything),
    )


def _read(labels: Place) -> SoftTable:
    diagnostics = Diagnostics()
    soft = _labels(labels, diagnostics)
    diagnostics.raise_errors()
    return soft


def _labels(labels: Place, diagnostics: Diagnostics) -> SoftTable:
    """Soft labels, one in a row or a column for each class; a run directory is refused."""
    if (Path(labels) / MANIFEST).is_file():
        headline = "a run directory does not hold the soft labels its reference was made of"
        diagnostics.add("bad-decoding", headline, RowPlace(str(labels)), "give the file or folder of the labels")
        return SoftTable(str(labels), {})
    field = None if Path(labels).is_dir() else read_field(labels, diagnostics)
    if field is not None:
        return soft_cells(field)
    files = clip_files(labels, Diagnostics())
    first = next(iter(files.clips.values()), None) if files is not None else None
    if first is not None and find_format(first) == SCORES:
        return soft_cells(read_scores(labels, diagnostics))
    return read_soft(labels, diagnostics)


def scene_of(clip: str) -> str:
    """The name of a clip without folder, extension and number: `cafe_restaurant_03.wav` is `cafe_restaurant`."""
    stem = clip.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return _NUMBERED.sub("", stem) or stem


def entropy(value: Decimal) -> float:
    """The entropy, in bits, of an event of this probability."""
    if not 0 < value < 1:
        return 0.0
    p = float(value)
    return -p * log2(p) - (1 - p) * log2(1 - p)


def _ambiguity(scene: str, clips: int, values: list[Decimal]) -> Ambiguity:
    between = sum(1 for value in values if _QUARTER <= value <= _THREE_QUARTERS)
    share = Fraction(between, len(values)) if values else None
    mean = fsum(map(entropy, values)) / len(values) if values else 0.0
    return Ambiguity(scene, clips, len(values), between, share, mean)


# Shown


def tables(audit: AnnotationAudit) -> list[Table]:
    """A row per scene, and the total."""
    columns = [*words("scene"), *numbers("clips", "cells", "¼ to ¾", "share", "mean entropy (bits)")]
    return [Table(_TITLE, columns, [_cells(one) for one in (*audit.scenes, audit.total)], totals=1)]


def _cells(one: Ambiguity) -> list[str]:
    share = percent(one.share, 1)
    return [one.scene, f"{one.clips:,}", f"{one.cells:,}", f"{one.between:,}", share, decimal(one.entropy)]


def rows(audit: AnnotationAudit) -> Table:
    """The same as data."""
    return data_table(
        ("scene", "clips", "cells", "between", "share", "entropy"),
        [
            (one.scene, one.clips, one.cells, one.between, exact(one.share), decimal(one.entropy, 6))
            for one in (*audit.scenes, audit.total)
        ],
    )


def figure(audit: AnnotationAudit) -> str:
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
def command(labels: str, scenes: str | None, **output: Unpack[OutputOptions]) -> None:
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
    show(audit_annotation(soft, known), tables, rows, figure, **output)


def _scenes(soft: SoftTable, table: Conditions, diagnostics: Diagnostics) -> dict[str, str]:
    """The scene of every clip; a clip may be named without its extension."""
    by_stem = {name.rsplit(".", 1)[0]: scene for name, scene in table.clips.items()}
    found: dict[str, str] = {}
    for clip in soft.clips:
        scene = table.clips.get(clip, by_stem.get(clip))
        if scene is None:
            diagnostics.add("missing-condition", f"clip `{clip}` has no scene", RowPlace(table.name))
        else:
            found[clip] = scene
    return found
