"""The view of the comparison of two runs."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from rich.console import Group

from tracepact.scoring.uncertainty import LOGIC
from tracepact.show.figure import Bar, BarGroup, bar_chart
from tracepact.tools.audit.changes import Kind, Tally, by_clip, tally
from tracepact.tools.audit.comparison import Comparison
from tracepact.tools.audit.uncertainty import (
    bootstrap_data,
    bootstrap_words,
    differences_data,
    interval_words,
    p_words,
)
from tracepact.tools.audit.view import VACUITY, View, empty_part, table
from tracepact.tools.score.report.data import value_data
from tracepact.wording import decimal, print_number

_COLUMNS = ("filename", "event_label", "clause", "change", "onset", "offset", "obligations", "violated")
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
                name: {
                    when: {**value_data(scores[name]), "vacuous": str(shares[name])}
                    for when, scores, shares in _both(found)
                }
                for name in found.differences
            },
            "differences": differences_data(found.differences, found.corrected),
            "changed": [{"clause": name, **_counts(found_of)} for name, found_of in _by_clause(found).items()],
            "changed_clips": [{"clip": clip, **_counts(found_of)} for clip, found_of in clips],
            "changes": [
                {
                    "clip": change.clip,
                    "class": change.label,
                    "clause": change.clause,
                    "change": change.kind.value,
                    "onset": str(change.onset),
                    "offset": str(change.offset),
                    "obligations": change.obligations,
                    "violated": change.violated,
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
                change.kind.value,
                print_number(change.onset),
                print_number(change.offset),
                change.obligations,
                str(change.violated).lower(),
            )
            for change in found.changes
        ],
        bar_chart(f"{after} − {before}, {how}", [BarGroup("", bars)], x="difference"),
    )


def _both(found: Comparison) -> tuple[tuple[str, Mapping[str, Fraction], Mapping[str, Fraction]], ...]:
    """The scores before and after, with their vacuous shares."""
    return ("before", found.before, found.vacuous[0]), ("after", found.after, found.vacuous[1])


def _by_clause(found: Comparison) -> dict[str, Tally]:
    """What became of the obligations of every clause."""
    return {
        name: tally([change for change in found.changes if change.clause == name])
        for name in found.differences
        if name != LOGIC
    }


def _counts(found: Tally) -> dict[str, Any]:
    """Obligations by what became of them."""
    return {
        "fixed": found.obligations[Kind.FIXED],
        "broken": found.obligations[Kind.BROKEN],
        **{
            name: {"obligations": found.obligations[kind], "violated": found.violated[kind]}
            for name, kind in (("no_longer_asked", Kind.NO_LONGER_ASKED), ("newly_asked", Kind.NEWLY_ASKED))
        },
    }


_ONE_SIDED = (Kind.NO_LONGER_ASKED, Kind.NEWLY_ASKED)
_CHANGES = ("fixed", "broken", *(kind.value for kind in _ONE_SIDED))


def _changed(found: Tally) -> list[str]:
    """The cells of _CHANGES."""
    alone = [f"{found.obligations[kind]:,} ({found.violated[kind]:,})" for kind in _ONE_SIDED]
    return [f"{found.obligations[Kind.FIXED]:,}", f"{found.obligations[Kind.BROKEN]:,}", *alone]


def _text(found: Comparison, how: str) -> Group:
    before, after = found.names
    made = table(
        f"{after} against {before} ({found.aggregation.value}), {how}",
        ("clause",),
        ("before", "after", "difference", "p", "p after Holm", *_CHANGES),
    )
    changed_of = _by_clause(found)
    for name, item in found.differences.items():
        made.add_row(
            name,
            *(decimal(scores[name]) + empty_part(shares[name]) for _, scores, shares in _both(found)),
            interval_words(item),
            p_words(item.p),
            p_words(found.corrected[name]),
            *(_changed(changed_of[name]) if name in changed_of else [""] * len(_CHANGES)),
        )
    notes = [VACUITY] if any(any(shares.values()) for shares in found.vacuous) else []
    notes.append(
        "no longer asked, newly asked: obligations of one run alone, neither fixed nor broken (so many violated)"
    )
    clips = by_clip(list(found.changes))
    shown = f"{min(_SHOWN, len(clips)):,} of {len(clips):,}"
    changed = table(f"Changed clips, {shown}; net is fixed − broken", ("clip",), (*_CHANGES, "net"))
    for clip, tallied in clips[:_SHOWN]:
        changed.add_row(clip, *_changed(tallied), f"{tallied.net:+,}")
    return Group(made, *notes, "", changed)
