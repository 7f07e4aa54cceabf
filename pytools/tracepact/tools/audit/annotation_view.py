"""The view of the annotation audit."""

from typing import Any

from rich.table import Table

from tracepact.show.figure import Bar, BarGroup, bar_chart
from tracepact.tools.audit.annotation import Ambiguity, Annotation
from tracepact.tools.audit.view import Cell, View, exact, table
from tracepact.wording import decimal, percent

_COLUMNS = ("scene", "clips", "cells", "between", "share", "entropy")
_TITLE = "Ambiguity of soft labels"


def annotation_view(audit: Annotation) -> View:
    """Entropy and the share of cells from a quarter to three quarters, by scene."""
    everyone = [*audit.scenes, audit.total]
    return View(
        {"scenes": [_data(found) for found in audit.scenes], "total": _data(audit.total)},
        _table(audit),
        _COLUMNS,
        [_row(found) for found in everyone],
        bar_chart(
            _TITLE,
            [BarGroup(f.scene, [Bar("entropy (bits)", f.entropy), Bar("share ¼ to ¾", f.share)]) for f in everyone],
            x="entropy in bits, share of cells",
            x_range=(0, 1),
        ),
    )


def _data(found: Ambiguity) -> dict[str, Any]:
    return {
        "scene": found.scene,
        "clips": found.clips,
        "cells": found.cells,
        "between": found.between,
        "share": exact(found.share),
        "entropy": found.entropy,
    }


def _row(found: Ambiguity) -> tuple[Cell, ...]:
    return found.scene, found.clips, found.cells, found.between, exact(found.share) or "", decimal(found.entropy, 6)


def _table(audit: Annotation) -> Table:
    made = table(_TITLE, ("scene",), ("clips", "cells", "¼ to ¾", "share", "mean entropy (bits)"))
    for found in (*audit.scenes, audit.total):
        share = percent(found.share, 1)
        counts = (f"{found.clips:,}", f"{found.cells:,}", f"{found.between:,}")
        made.add_row(
            found.scene, *counts, share, decimal(found.entropy), end_section=found is (audit.scenes or (None,))[-1]
        )
    return made
