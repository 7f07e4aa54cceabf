"""Several systems on the same data, read from run directories and reports (rules 16.8 and 16.10)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from tracepact.core import Aggregation, Contract, Profile
from tracepact.diagnostics import Diagnostics, InvalidInput, RowPlace, did_you_mean
from tracepact.files import json_data
from tracepact.inputs import read_bytes
from tracepact.lang import parse_contract
from tracepact.scoring.constant import is_constant
from tracepact.scoring.vacuity import vacuous_share, weighted_mean
from tracepact.show.progress import progress
from tracepact.tools.score.store.manifest import NAME as MANIFEST
from tracepact.tools.score.store.names import Place, named_places
from tracepact.tools.score.store.opening import StoredRun, open_run
from tracepact.tools.score.store.pairing import paired_rows

_DATA = ("reference", "durations", "ignore", "masks")
_Vectors = Mapping[Aggregation, Mapping[str, Fraction]]


@dataclass(frozen=True, slots=True)
class System:
    """A system, its scores by aggregation and clause, and their vacuous shares (rule 16.11), where they are known.

    `constant` says that it answers the same throughout, or the same in every clip (rule 16.12).
    """

    name: str
    scores: Mapping[Aggregation, Mapping[str, Fraction]]
    vacuous: Mapping[Aggregation, Mapping[str, Fraction]] = field(default_factory=dict)
    constant: bool = False

    def value(self, profile: Profile) -> Fraction:
        """The weighted mean of a profile (rule 7.8)."""
        scores = self.scores[profile.aggregation]
        return weighted_mean((weight, scores[clause]) for clause, weight in profile.weights)

    def vacuous_share(self, profile: Profile) -> Fraction:
        """The share of a profile's value that comes from entries without an obligation (rule 16.11)."""
        shares = self.vacuous.get(profile.aggregation, {})
        return weighted_mean((weight, shares.get(clause, Fraction(0))) for clause, weight in profile.weights)

    def vacuous_clauses(self, aggregation: Aggregation) -> list[str]:
        """The clauses that ask nothing of the system."""
        return [clause for clause, share in self.vacuous.get(aggregation, {}).items() if share == 1]


@dataclass(frozen=True, slots=True)
class Systems:
    """Systems scored with one contract on the same data, in the order given."""

    contract: Contract
    systems: tuple[System, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(system.name for system in self.systems)

    def without(self, names: Sequence[str]) -> "Systems":
        """All systems except the named ones; InvalidInput if a name is unknown or no system is left."""
        diagnostics = Diagnostics()
        for name in names:
            if name not in self.names:
                help = did_you_mean(name, self.names)
                diagnostics.add("unknown-system", f"there is no system `{name}` among the runs", help=help)
        left = tuple(system for system in self.systems if system.name not in names)
        if not left and not diagnostics.errors:
            diagnostics.add("unknown-system", "no system is left", help="leave out fewer systems")
        diagnostics.raise_errors()
        return Systems(self.contract, left)


def read_systems(given: Systems | Sequence[Place]) -> Systems:
    """The systems of run directories and report.json files.

    A system is named by its folder, or as `NAME=PLACE` says. InvalidInput if two have one name,
    if one cannot be read, or if they are not of one contract on the same data. Systems are returned as they are.
    """
    if isinstance(given, Systems):
        return given
    names = named_places(given)
    places = [one.place for one in names]
    diagnostics = Diagnostics()
    runs: dict[str, StoredRun] = {}
    reports: dict[str, dict[str, Any]] = {}
    for place in places:
        try:
            if Path(place).is_file():
                reports[place] = _report(Path(place))
            else:
                runs[place] = open_run(place, Diagnostics())
                reports[place] = runs[place].report
        except InvalidInput as error:
            diagnostics.extend(error.diagnostics)
    diagnostics.raise_errors()
    if len(runs) == len(places):
        paired_rows(list(runs.values()))
    else:
        _check_same(reports)
    read = {one.name: _read(one.place, reports[one.place]) for one in names}
    contract = next(iter(read.values()))[0]
    constant = {one.name: _is_constant(reports[one.place], runs.get(one.place)) for one in names}
    return Systems(
        contract,
        tuple(System(name, scores, vacuous, constant[name]) for name, (_, scores, vacuous) in read.items()),
    )


def _is_constant(report: Mapping[str, Any], run: StoredRun | None) -> bool:
    """Whether a system answers the same throughout, or the same in every clip (rule 16.12).

    The report counts the frames that are not ignored: alone it tells a silent system and, where no frame is ignored,
    one that is always on. Everything else is told by the tables of the run.
    """
    frames = report["family"]["frames"] // len(report["family"]["classes"])
    (metric,) = (metric for metric in report["metrics"]["metrics"] if metric["name"] == "frame")
    counts = [row["counts"] for row in metric["classes"]]
    if all(some["tp"] + some["fp"] in (0, frames) for some in counts):
        return True
    return run is not None and is_constant(run.family())


def _report(path: Path) -> dict[str, Any]:
    if (path.parent / MANIFEST).is_file() and path.name == "report.json":
        return open_run(path.parent, Diagnostics()).report  # its digest is checked
    place = RowPlace(str(path))
    diagnostics = Diagnostics()
    try:
        data = json_data(read_bytes(path))
        if isinstance(data, dict) and str(data.get("format", "")).startswith("tracepact-report/"):
            return data
        diagnostics.add(
            "bad-json", "this is not the report of a scoring run", place, "`tracepact score --out` writes one"
        )
    except OSError as error:
        diagnostics.add("unreadable-file", f"the file cannot be read: {(error.strerror or '').lower()}", place)
    except (ValueError, RecursionError):
        diagnostics.add("bad-json", "the file is not JSON", place, "`tracepact score --out` writes a report.json")
    raise InvalidInput(diagnostics)


def _check_same(reports: Mapping[str, dict[str, Any]]) -> None:
    """Check by what the reports say that they share contract, family and data."""
    diagnostics = Diagnostics()
    (first, base), *others = reports.items()
    for place, report in reports.items():
        if "reference" not in _identity(report, "data"):
            headline = "the report does not say which file its reference came from"
            diagnostics.add("incomparable-runs", headline, RowPlace(place), "give run directories only")
    for place, report in others:
        for what, help in (
            ("contract", "score both with one contract and the same --set"),
            ("family", "score both on the same clips and classes; declare them in the contract: `labels A B C`"),
            ("data", "score both against the same data"),
        ):
            if _identity(base, what) != _identity(report, what):
                headline = f"the {what} of the report differs from that of `{first}`"
                diagnostics.add("incomparable-runs", headline, RowPlace(place), help)
    diagnostics.raise_errors()


def _identity(report: dict[str, Any], what: str) -> Any:
    """What two reports must agree on."""
    match what:
        case "contract":
            return report.get("contract", {}).get("digest")
        case "family":
            family = report.get("family", {})
            return family.get("mode"), family.get("clips"), family.get("frames"), family.get("classes")
        case _:
            return {i.get("role"): i.get("sha256") for i in report.get("inputs", []) if i.get("role") in _DATA}


def _read(place: str, report: dict[str, Any]) -> tuple[Contract, _Vectors, _Vectors]:
    """The contract of a report and its vectors with their vacuous shares, under every aggregation."""
    try:
        contract = parse_contract(report["contract"]["text"], name=report["contract"]["source"])
        rows = {row["clause"]: row["scores"] for row in report["vector"]}
        names = [clause.name for clause in contract.clauses]
        scores = {a: {name: rows[name][a.value] for name in names} for a in Aggregation}
        return (
            contract,
            {a: {name: Fraction(score["value"]) for name, score in some.items()} for a, some in scores.items()},
            {a: {name: _share(score) for name, score in some.items()} for a, some in scores.items()},
        )
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        diagnostics = Diagnostics()
        headline = "the report lacks its contract or part of its vector"
        diagnostics.add("bad-json", headline, RowPlace(place), "score again to make a new one")
        raise InvalidInput(diagnostics) from error


def _share(score: Mapping[str, Any]) -> Fraction:
    return vacuous_share(score["vacuous"], score["vacuous_entries"], score["entries"])


# Command line

runs_argument = click.argument("runs", nargs=-1, required=True, type=click.Path())
profile_option = click.option(
    "--profile",
    "given",
    multiple=True,
    metavar="PROFILE",
    help="A further profile, written as in a contract: --profile 'mine : onset_guard = 2, silence_guard = 1'. "
    "It uses --aggregation unless it names its own: 'mine over pooled : …'. Repeatable.",
)


def systems_given(runs: Sequence[str]) -> Systems:
    """The systems of at least two runs, as a command takes them."""
    if len(runs) < 2:
        raise click.UsageError("give at least two runs")
    with progress(1) as advance:
        advance("reading")
        return read_systems(runs)
