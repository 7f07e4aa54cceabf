"""What was scored, in words: the facts at the head of every view of a report."""

from pathlib import PurePath
from typing import NamedTuple

from msgspec import UNSET

from tracepact.lang import parse_contract
from tracepact.tools.score.report.record import Report
from tracepact.tools.score.report.scores import VACUOUS
from tracepact.trace import Mode
from tracepact.wording import count, decimal, time_text

NO_ROWS = "the run directory has no violations.csv (--no-violations)"


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
    """What is shown beside the vector: the soft boundary score, the profiles, the matched pairs."""
    soft = report.soft_boundary
    mark = "" if soft.edges else f" {VACUOUS}"
    about = f"{soft.edges:,} edges, scale {time_text(soft.scale)} (a float; no verdict depends on it)"
    return [
        f"soft boundary score{mark} {decimal(soft.value)}, {about}",
        *(f"profile {p.name} = {p.value} ({p.about})" for p in profiles(report)),
        count(report.pairs, "matched pair"),
        *([] if report.violation_rows is UNSET else [NO_ROWS]),
    ]


class ProfileFact(NamedTuple):
    """A profile's name, its value in words, and what it is of."""

    name: str
    value: str
    about: str


def profiles(report: Report) -> list[ProfileFact]:
    """The profiles; a value that rests on a clause without an obligation is marked, and the clause named."""
    weights = {p.name: p.weights for p in parse_contract(report.contract.text).profiles}
    found = []
    for profile in report.profiles:
        vacuous = report.vacuous_clauses(profile.aggregation)
        idle = [clause for clause, weight in weights[profile.name] if weight and clause in vacuous]
        mark = f"{VACUOUS} " if idle else ""
        rest = f"; nothing was asked by {', '.join(idle)}" if idle else ""
        about = f"{profile.aggregation.words}{rest}"
        found.append(ProfileFact(profile.name, f"{mark}{decimal(profile.value)}", about))
    return found
