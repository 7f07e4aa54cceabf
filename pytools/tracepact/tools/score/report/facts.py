"""What was scored, in words: the facts that stand at the head of every view of a report."""

from pathlib import PurePath

from tracepact.tools.score.report.record import Report
from tracepact.tools.score.report.scores import VACUOUS
from tracepact.tools.score.report.tables import HEADINGS
from tracepact.trace import Mode
from tracepact.wording import count, decimal, time_text


def system(report: Report) -> str | None:
    """The file name of the predictions, if they came from one."""
    return next((PurePath(item.name).name for item in report.inputs if item.role == "prediction"), None)


def family(report: Report) -> str:
    """The clips and classes."""
    classes = count(len(report.family.classes), "class", "classes")
    many = "all classes as one" if report.family.mode is Mode.UNION else classes
    return f"{count(report.family.clips, 'clip')} × {many}"


def grid(report: Report) -> str:
    """The frames and how events became frames."""
    return f"{report.family.frames:,} frames of {time_text(report.grid.step)} ({report.grid.projection.value})"


def matcher(report: Report) -> str:
    """How runs were matched."""
    return f"{report.matcher.kind.value} matcher, search {time_text(report.matcher.search)}"


def beside(report: Report) -> list[str]:
    """What stands beside the vector: the soft boundary score, the profiles, the matched pairs."""
    soft = report.soft_boundary
    mark = "" if soft.edges else f" {VACUOUS}"
    scale = time_text(soft.scale)
    return [
        f"soft boundary score{mark} {decimal(soft.value)}, {soft.edges:,} edges, scale {scale} (decides nothing)",
        *(f"profile {p.name} = {decimal(p.value)} ({HEADINGS[p.aggregation]})" for p in report.profiles),
        count(len(report.matches), "matched pair"),
    ]
