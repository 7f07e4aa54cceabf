"""Several systems on the same data: which is best under which weights, by coordinate, and without some (rule 16.10)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from tracepact.core import Aggregation, Contract, Profile
from tracepact.diagnostics import Diagnostics, InvalidInput, RowPlace, did_you_mean
from tracepact.lang import parse_contract
from tracepact.scoring.vacuity import vacuous_share, weighted_mean
from tracepact.tools.audit.pairing import paired_rows
from tracepact.tools.audit.risk_profiles import Profiles, RiskProfile
from tracepact.tools.score.store.manifest import NAME as MANIFEST
from tracepact.tools.score.store.opening import StoredRun, open_run

_DATA = ("reference", "durations", "ignore", "masks")
_Vectors = Mapping[Aggregation, Mapping[str, Fraction]]


@dataclass(frozen=True, slots=True)
class System:
    """A system, its scores by aggregation and clause, and their vacuous shares (rule 16.11), where they are known."""

    name: str
    scores: Mapping[Aggregation, Mapping[str, Fraction]]
    vacuous: Mapping[Aggregation, Mapping[str, Fraction]] = field(default_factory=dict)

    def value(self, profile: Profile) -> Fraction:
        """The weighted mean of a profile (rule 7.8)."""
        scores = self.scores[profile.aggregation]
        return weighted_mean((weight, scores[clause]) for clause, weight in profile.weights)

    def vacuous_share(self, profile: Profile) -> Fraction:
        """How much of the value of a profile has no obligation behind it."""
        shares = self.vacuous.get(profile.aggregation, {})
        return weighted_mean((weight, shares.get(clause, Fraction(0))) for clause, weight in profile.weights)


@dataclass(frozen=True, slots=True)
class Systems:
    """Systems that were scored with one contract on the same data, in the order given."""

    contract: Contract
    systems: tuple[System, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(system.name for system in self.systems)

    def without(self, names: Sequence[str]) -> "Systems":
        """The systems but the named ones; InvalidInput if a name is unknown or none is left."""
        diagnostics = Diagnostics()
        for name in names:
            if name not in self.names:
                help = did_you_mean(name, self.names)
                diagnostics.add("unknown-system", f"there is no system `{name}` among the runs", help=help)
        left = tuple(system for system in self.systems if system.name not in names)
        if not left and not diagnostics.errors:
            diagnostics.add("unknown-system", "no system is left", help="leave out fewer of them")
        diagnostics.raise_errors()
        return Systems(self.contract, left)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The systems under one profile or clause: their values in the order given, and who is best.

    `vacuous` has the vacuous share of each value (rule 16.11), in the same order. `margin` is how far the best are
    ahead of the next best value; 0 for a tie, None where there is one system.
    """

    name: str
    values: tuple[tuple[str, Fraction], ...]
    vacuous: tuple[Fraction, ...]

    @property
    def best(self) -> tuple[str, ...]:
        """The systems with the highest value: more than one is a tie."""
        top = max(value for _, value in self.values)
        return tuple(name for name, value in self.values if value == top)

    @property
    def margin(self) -> Fraction | None:
        """How far the best is ahead."""
        if len(self.values) < 2:
            return None
        first, second = sorted((value for _, value in self.values), reverse=True)[:2]
        return first - second


@dataclass(frozen=True, slots=True)
class ProfileAudit:
    """Who is best under which weights.

    `dominated` names for a system those that are nowhere worse and somewhere better under the contract's aggregation:
    whatever the weights, it is not the only best.
    """

    systems: Systems
    aggregation: Aggregation
    profiles: tuple[tuple[RiskProfile, Ranking], ...]
    absent: tuple[str, ...]
    dominated: Mapping[str, tuple[str, ...]]

    @property
    def winners(self) -> tuple[str, ...]:
        """The systems that are best, alone or in a tie, under some profile."""
        best = {name for _, ranking in self.profiles for name in ranking.best}
        return tuple(name for name in self.systems.names if name in best)


@dataclass(frozen=True, slots=True)
class SelectionAudit:
    """Who is best on each coordinate of the vector."""

    systems: Systems
    aggregation: Aggregation
    coordinates: tuple[Ranking, ...]

    def led(self, name: str) -> int:
        """On how many coordinates a system is best, alone or in a tie."""
        return sum(name in ranking.best for ranking in self.coordinates)


@dataclass(frozen=True, slots=True)
class Question:
    """Who is best under a profile or on a coordinate, of all systems and of those that are left."""

    kind: str
    of_all: Ranking
    of_rest: Ranking

    @property
    def changed(self) -> bool:
        """Whether the answer is another one."""
        return self.of_all.best != self.of_rest.best


@dataclass(frozen=True, slots=True)
class NeutralityAudit:
    """What the answers owe to some of the systems: the same questions with and without them."""

    systems: Systems
    aggregation: Aggregation
    without: tuple[str, ...]
    questions: tuple[Question, ...]


def audit_profiles(systems: Systems, profiles: Profiles, aggregation: Aggregation) -> ProfileAudit:
    """Rank the systems under every profile."""
    ranked = tuple((profile, _ranking(systems, profile.profile)) for profile in profiles.found)
    return ProfileAudit(systems, aggregation, ranked, profiles.absent, _dominated(systems, aggregation))


def audit_selection(systems: Systems, aggregation: Aggregation) -> SelectionAudit:
    """Rank the systems on every clause."""
    clauses = (clause.name for clause in systems.contract.clauses)
    alone = (Profile(name, aggregation, ((name, Fraction(1)),)) for name in clauses)
    return SelectionAudit(systems, aggregation, tuple(_ranking(systems, profile) for profile in alone))


def audit_neutrality(
    systems: Systems, without: Sequence[str], profiles: Profiles, aggregation: Aggregation
) -> NeutralityAudit:
    """The profile and selection audits side by side, with and without the named systems."""
    rest = systems.without(without)
    questions = [
        Question("profile", _ranking(systems, found.profile), _ranking(rest, found.profile)) for found in profiles.found
    ]
    both = audit_selection(systems, aggregation), audit_selection(rest, aggregation)
    pairs = zip(*(audit.coordinates for audit in both), strict=True)
    questions += [Question("coordinate", of_all, of_rest) for of_all, of_rest in pairs]
    return NeutralityAudit(systems, aggregation, tuple(dict.fromkeys(without)), tuple(questions))


def _ranking(systems: Systems, profile: Profile) -> Ranking:
    return Ranking(
        profile.name,
        tuple((system.name, system.value(profile)) for system in systems.systems),
        tuple(system.vacuous_share(profile) for system in systems.systems),
    )


def _dominated(systems: Systems, aggregation: Aggregation) -> dict[str, tuple[str, ...]]:
    """For every system those that are nowhere worse and somewhere better."""
    clauses = [clause.name for clause in systems.contract.clauses]
    values = {s.name: [s.scores[aggregation][clause] for clause in clauses] for s in systems.systems}

    def above(one: str, other: str) -> bool:
        pairs = list(zip(values[one], values[other], strict=True))
        return all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)

    return {name: tuple(other for other in values if above(other, name)) for name in values}


# Reading


def read_systems(places: Sequence[str]) -> Systems:
    """The systems of run directories and report.json files; InvalidInput if they are not on one contract and data."""
    diagnostics = Diagnostics()
    runs: list[StoredRun] = []
    reports: dict[str, dict[str, Any]] = {}
    for place in places:
        try:
            if Path(place).is_file():
                reports[place] = _report(Path(place))
            else:
                runs.append(open_run(place, Diagnostics()))
                reports[place] = runs[-1].report
        except InvalidInput as error:
            diagnostics.extend(error.diagnostics)
    for place in {place for place in places if places.count(place) > 1}:
        diagnostics.add("repeated-system", f"`{place}` is given more than once", RowPlace(place), "give it once")
    diagnostics.raise_errors()
    if len(runs) == len(places):
        paired_rows(runs)
    else:
        _check_same(reports)
    names = _names(list(reports))
    read = {place: _read(place, report) for place, report in reports.items()}
    contract = next(iter(read.values()))[0]
    return Systems(contract, tuple(System(names[place], *vectors) for place, (_, *vectors) in read.items()))


def _report(path: Path) -> dict[str, Any]:
    if (path.parent / MANIFEST).is_file() and path.name == "report.json":
        return open_run(path.parent, Diagnostics()).report  # its digest is checked
    place = RowPlace(str(path))
    diagnostics = Diagnostics()
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
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
    """One contract, one family, one reference: what reports say of it."""
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
                headline = f"the {what} is another one than in `{first}`"
                diagnostics.add("incomparable-runs", headline, RowPlace(place), help)
    diagnostics.raise_errors()


def _identity(report: dict[str, Any], what: str) -> Any:
    """What two reports must agree in."""
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
        headline = "the report has no contract or no whole vector"
        diagnostics.add("bad-json", headline, RowPlace(place), "score again to make a new one")
        raise InvalidInput(diagnostics) from error


def _share(score: Mapping[str, Any]) -> Fraction:
    return vacuous_share(score["vacuous"], score["vacuous_entries"], score["entries"])


def _names(places: Sequence[str]) -> dict[str, str]:
    """Short names that tell the runs apart: folders by their own name, reports by their folder's, else as given."""

    def short(place: str) -> str:
        path = Path(place).resolve()
        return path.parent.name if path.name == "report.json" else path.stem if path.is_file() else path.name

    names = {place: short(place) for place in places}
    return {p: name if list(names.values()).count(name) == 1 else p for p, name in names.items()}
