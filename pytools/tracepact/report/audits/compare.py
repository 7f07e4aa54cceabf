"""The view of the comparison of two runs."""

from collections import Counter

from rich.console import Group

from tracepact.audit import Comparison
from tracepact.audit.changes import by_clip
from tracepact.audit.uncertainty import LOGIC
from tracepact.lang.printer import print_number
from tracepact.report.audits.uncertainty import (
    bootstrap_data,
    bootstrap_words,
    differences_data,
    interval_words,
    p_words,
)
from tracepact.report.audits.view import View, figures, table
from tracepact.report.data import value_data
from tracepact.report.figure import Bar, BarGroup, bar_chart

_COLUMNS = ("filename", "event_label", "clause", "change", "onset", "offset", "obligations")
_SHOWN = 15


def compare_view(found: Comparison) -> View:
    """The differences with their intervals, and every obligation that was fixed or broken."""
    before, after = found.names
    clips = by_clip(list(found.changes))
    bars = [Bar(name, item.value, item.low, item.high) for name, item in found.differences.items()]
    how = bootstrap_words(found.bootstrap, found.clips)
    return View(
        {
            "before": before,
            "after": after,
            "aggregation": found.aggregation.value,
            "clips": found.clips,
            "bootstrap": bootstrap_data(found.bootstrap),
            "scores": {
                name: {"before": value_data(found.before[name]), "after": value_data(found.after[name])}
                for name in found.differences
            },
            "differences": differences_data(found.differences, found.corrected),
            "changed_clips": [{"clip": item.clip, "fixed": item.fixed, "broken": item.broken} for item in clips],
            "changes": [
                {
                    "clip": change.clip,
                    "class": change.label,
                    "clause": change.clause,
                    "change": "fixed" if change.fixed else "broken",
                    "onset": str(change.onset),
                    "offset": str(change.offset),
                    "obligations": change.obligations,
                }
                for change in found.changes
            ],
        },
        _text(found, how),
        _COLUMNS,
        [
            (
                change.clip,
                change.label,
                change.clause,
                "fixed" if change.fixed else "broken",
                print_number(change.onset),
                print_number(change.offset),
                change.obligations,
            )
            for change in found.changes
        ],
        bar_chart(f"{after} − {before}, {how}", [BarGroup("", bars)], x="difference"),
    )


def _text(found: Comparison, how: str) -> Group:
    before, after = found.names
    fixed, broken = Counter[str](), Counter[str]()
    for change in found.changes:
        (fixed if change.fixed else broken)[change.clause] += change.obligations
    made = table(
        f"{after} against {before} ({found.aggregation.value}), {how}",
        ("clause",),
        ("before", "after", "difference", "p", "p after Holm", "fixed", "broken"),
    )
    for name, item in found.differences.items():
        counts = ("", "") if name == LOGIC else (f"{fixed[name]:,}", f"{broken[name]:,}")
        made.add_row(
            name,
            figures(found.before[name]),
            figures(found.after[name]),
            interval_words(item),
            p_words(item.p),
            p_words(found.corrected[name]),
            *counts,
        )
    clips = by_clip(list(found.changes))
    changed = table(
        f"Changed clips, {min(_SHOWN, len(clips))} of {len(clips)}",
        ("clip",),
        ("fixed", "broken", "net"),
    )
    for clip in clips[:_SHOWN]:
        changed.add_row(clip.clip, f"{clip.fixed:,}", f"{clip.broken:,}", f"{clip.net:+,}")
    return Group(made, "", changed)
