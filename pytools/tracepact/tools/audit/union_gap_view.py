"""The view of the union-gap audit."""

from collections.abc import Iterator

from rich.console import Group, RenderableType

from tracepact.show.figure import Bar, BarGroup, bar_chart, heat_table
from tracepact.tools.audit.union_gap import UnionGap
from tracepact.tools.audit.view import Cell, View, exact, table
from tracepact.tools.score.report.data import score_data
from tracepact.wording import decimal, percent

_COLUMNS = ("part", "name", "other", "quantity", "value")
_SHOWN = 12


def union_gap_view(audit: UnionGap) -> View:
    """Both scores of every clause, and the classes behind the gap."""
    labels = [found.label for found in audit.support]
    return View(
        {
            "clauses": [
                {
                    "clause": name,
                    "aggregation": aggregation.value,
                    "class_indexed": score_data(score),
                    "union": None if (union := audit.union[aggregation][name]) is None else score_data(union),
                    "gap": exact(audit.gap(name, aggregation)),
                }
                for aggregation in audit.aggregations
                for name, score in audit.class_indexed[aggregation].items()
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
    for name in audit.class_indexed[audit.aggregations[0]]:
        bars = []
        for aggregation in audit.aggregations:
            union = audit.union[aggregation][name]
            bars.append(Bar(f"class-indexed, {aggregation.value}", audit.class_indexed[aggregation][name].value))
            note = "compares classes"
            bars.append(Bar(f"union, {aggregation.value}", union.value if union else None, note=note))
        groups.append(BarGroup(name, bars))
    return bar_chart("Union against class-indexed scoring", groups, x="score", x_range=(0, 1))


def _rows(audit: UnionGap) -> Iterator[tuple[Cell, ...]]:
    for aggregation in audit.aggregations:
        for name, score in audit.class_indexed[aggregation].items():
            union = audit.union[aggregation][name]
            head = ("clause", name, aggregation.value)
            yield *head, "class_indexed", str(score.value)
            yield *head, "union", "" if union is None else str(union.value)
            yield *head, "gap", exact(audit.gap(name, aggregation)) or ""
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
    clauses = list(audit.class_indexed[audit.aggregations[0]])
    gaps: list[RenderableType] = []
    for aggregation in audit.aggregations:
        title = f"Union against class-indexed scoring ({aggregation.value})"
        made = table(title, ("clause",), ("class-indexed", "union", "gap", "vacuous entries"))
        for name in clauses:
            score, union = audit.class_indexed[aggregation][name], audit.union[aggregation][name]
            vacuous = f"{score.vacuous_entries:,} of {score.entries:,}"
            gap = decimal(audit.gap(name, aggregation))
            made.add_row(name, decimal(score.value), decimal(union.value if union else None), gap, vacuous)
        gaps += [made, ""]
    support = table("Support of the classes, in frames", ("class", "stratum"), ("reference", "predicted", "ratio"))
    for found in audit.support:
        stratum = found.stratum or "no reference"
        support.add_row(found.label, stratum, f"{found.reference:,}", f"{found.predicted:,}", decimal(found.ratio, 2))
    pairs = sorted(audit.substitutions, key=lambda s: -s.frames)
    taken = table(
        f"Substitutions, the {min(_SHOWN, len(pairs))} largest of {len(pairs)}",
        ("reference", "predicted in its place"),
        ("frames", "of its reference"),
    )
    for pair in pairs[:_SHOWN]:
        taken.add_row(pair.reference, pair.predicted, f"{pair.frames:,}", percent(pair.share, 1))
    strata = table("Pooled scores by support stratum", ("stratum",), ("classes", *clauses))
    for item in audit.strata:
        values = (decimal(item.scores[name].value) if item.scores else "–" for name in clauses)
        strata.add_row(item.name, str(len(item.classes)), *values)
    return Group(*gaps, support, "", taken, "", strata)
