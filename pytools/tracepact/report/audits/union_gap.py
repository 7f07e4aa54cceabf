"""The view of the union-gap audit."""

from collections.abc import Iterator

from rich.console import Group

from tracepact.audit import UnionGap
from tracepact.report.audits.view import Cell, View, exact, figures, table
from tracepact.report.data import score_data
from tracepact.report.figure import Bar, BarGroup, bar_chart, heat_table

_COLUMNS = ("part", "name", "other", "quantity", "value")
_SHOWN = 12


def union_gap_view(audit: UnionGap) -> View:
    """Both scores of every clause, and the classes behind the gap."""
    labels = [found.label for found in audit.support]
    return View(
        {
            "aggregation": audit.aggregation.value,
            "clauses": [
                {
                    "clause": name,
                    "class_indexed": score_data(score),
                    "union": None if (union := audit.union[name]) is None else score_data(union),
                    "gap": exact(audit.gap(name)),
                }
                for name, score in audit.class_indexed.items()
            ],
            "without_support": list(audit.without_support),
            "support": [
                {
                    "class": found.label,
                    "reference": found.reference,
                    "predicted": found.predicted,
                    "ratio": exact(found.ratio),
                    "stratum": found.stratum,
                }
                for found in audit.support
            ],
            "substitutions": [
                {"reference": s.reference, "predicted": s.predicted, "frames": s.frames, "share": str(s.share)}
                for s in audit.substitutions
            ],
            "confusion": {"classes": labels, "shares": [[exact(share) for share in row] for row in audit.confusion]},
            "strata": [
                {
                    "name": stratum.name,
                    "classes": list(stratum.classes),
                    "scores": {name: score_data(score) for name, score in stratum.scores.items()},
                }
                for stratum in audit.strata
            ],
        },
        _text(audit),
        _COLUMNS,
        list(_rows(audit)),
        _chart(audit),
    )


def confusion_chart(audit: UnionGap) -> str:
    """The share of each reference class's frames at which each class is predicted."""
    labels = [found.label for found in audit.support]
    title = "Overlap confusion: predicted (columns) at the frames of the reference (rows)"
    return heat_table(title, labels, labels, audit.confusion, value_range=(0, 1))


def _chart(audit: UnionGap) -> str:
    groups = []
    for name, score in audit.class_indexed.items():
        union = audit.union[name]
        bars = [
            Bar("class-indexed", score.value),
            Bar("union", union.value if union else None, note="compares classes"),
        ]
        groups.append(BarGroup(name, bars))
    return bar_chart(f"Union against class-indexed ({audit.aggregation.value})", groups, x="score", x_range=(0, 1))


def _rows(audit: UnionGap) -> Iterator[tuple[Cell, ...]]:
    for name, score in audit.class_indexed.items():
        union = audit.union[name]
        yield "clause", name, "", "class_indexed", str(score.value)
        yield "clause", name, "", "union", "" if union is None else str(union.value)
        yield "clause", name, "", "gap", exact(audit.gap(name)) or ""
    for found in audit.support:
        yield "class", found.label, "", "reference_frames", found.reference
        yield "class", found.label, "", "predicted_frames", found.predicted
        yield "class", found.label, "", "support_ratio", exact(found.ratio) or ""
    for pair in audit.substitutions:
        yield "substitution", pair.reference, pair.predicted, "frames", pair.frames
    for found, row in zip(audit.support, audit.confusion, strict=True):
        for other, share in zip(audit.support, row, strict=True):
            yield "confusion", found.label, other.label, "share", exact(share) or ""
    for stratum in audit.strata:
        for name, score in stratum.scores.items():
            yield "stratum", stratum.name, name, "pooled", str(score.value)


def _text(audit: UnionGap) -> Group:
    gap = table(
        f"Union against class-indexed ({audit.aggregation.value})", ("clause",), ("class-indexed", "union", "gap")
    )
    for name, score in audit.class_indexed.items():
        union = audit.union[name]
        gap.add_row(name, figures(score.value), figures(union.value if union else None), figures(audit.gap(name)))
    support = table("Support of the classes, in frames", ("class", "stratum"), ("reference", "predicted", "ratio"))
    for found in audit.support:
        stratum = found.stratum or "no reference"
        support.add_row(found.label, stratum, f"{found.reference:,}", f"{found.predicted:,}", figures(found.ratio, 2))
    pairs = sorted(audit.substitutions, key=lambda s: -s.frames)
    taken = table(
        f"Substitutions, the {min(_SHOWN, len(pairs))} largest of {len(pairs)}",
        ("reference", "predicted in its place"),
        ("frames", "of its reference"),
    )
    for pair in pairs[:_SHOWN]:
        taken.add_row(pair.reference, pair.predicted, f"{pair.frames:,}", f"{float(pair.share):.1%}")
    clauses = list(audit.class_indexed)
    strata = table("Pooled scores by support stratum", ("stratum",), ("classes", *clauses))
    for item in audit.strata:
        values = (figures(item.scores[name].value) if item.scores else "–" for name in clauses)
        strata.add_row(item.name, str(len(item.classes)), *values)
    return Group(gap, "", support, "", taken, "", strata)
