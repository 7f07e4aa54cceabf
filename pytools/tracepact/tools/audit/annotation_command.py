"""`tracepact audit annotation`: how ambiguous soft labels are."""

from typing import Unpack

import click

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io import Conditions, SoftTable, conditions_from, read_soft
from tracepact.show.lines import print_diagnostics
from tracepact.show.screen import progress
from tracepact.tools.audit.annotation import audit_annotation
from tracepact.tools.audit.annotation_view import annotation_view
from tracepact.tools.audit.show import Shown, show, show_options


@click.command()
@click.argument("labels", type=click.Path())
@click.option("--scenes", type=click.Path(), help="A table (filename, condition): the scene of every clip.")
@show_options
def command(labels: str, scenes: str | None, **shown: Unpack[Shown]) -> None:
    """How ambiguous soft labels are, scene by scene: entropy, and the share of cells from a quarter to three quarters.

    LABELS is a file of soft labels (start, end, label, confidence) or a folder of such files. Without --scenes the
    scene of a clip is its name less its number: cafe_restaurant_03 belongs to cafe_restaurant.
    """
    diagnostics = Diagnostics()
    with progress(1) as advance:
        advance("reading")
        soft = read_soft(labels, diagnostics)
        table = conditions_from(scenes, diagnostics) if scenes is not None else None
        diagnostics.raise_errors()
        known = None if table is None else _scenes(soft, table, diagnostics)
        diagnostics.raise_errors()
    print_diagnostics(diagnostics)
    show(annotation_view(audit_annotation(soft, known)), **shown)


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
