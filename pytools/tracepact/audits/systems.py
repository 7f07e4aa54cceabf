"""Several systems on the same data: their names, whether they can be compared, their reports (16.8, 16.10, 16.15)."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
import numpy as np

from tracepact.data.assembly import assemble
from tracepact.data.events import Durations, EventTable
from tracepact.data.family import Family, Mode
from tracepact.diagnostics.collection import Diagnostics, InvalidInput, one_of, require_type
from tracepact.diagnostics.findings import Diagnostic, RowPlace, did_you_mean
from tracepact.evaluate.scorecard import Scorecard, ScoreRows, score_family
from tracepact.evaluate.scores import ClauseCounts, vacuous_share, weighted_mean
from tracepact.files import json_data
from tracepact.inputs import LARGEST_DOCUMENT, read_within
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import Aggregation, Contract, Profile
from tracepact.runs.batch_run import BatchRun
from tracepact.runs.manifest import NAME as MANIFEST
from tracepact.runs.opening import OpenRun, RunIdentity, RunLike, opened
from tracepact.runs.run import Run
from tracepact.show.lines import progress
from tracepact.wording import parse_stored, quoted

# What systems are called, in every audit and in leagues: by their run's folder, or as they are named (rule 16.15).

Runs = RunLike | Sequence[RunLike] | Mapping[str, RunLike]
"""Several runs; places may be `NAME=PLACE`. One run is taken as one, and a mapping names them."""


@dataclass(frozen=True, slots=True, eq=False)
class NamedRun:
    """A run or report, what its system is called, and where it is; `run` is its place if it is not in memory."""

    name: str
    place: str
    run: RunLike


def listed_runs(runs: Runs) -> list[NamedRun]:
    """Runs by what their systems are called; InvalidInput if two have one name.

    A place may be `NAME=PLACE`; a run in memory is called by its place in the list.
    """
    if isinstance(runs, Mapping):
        found = [_named(run, name) for name, run in runs.items()]
    elif isinstance(runs, Run | BatchRun | str | os.PathLike):
        found = [_named(runs, None, 1)]
    else:
        require_type(runs, Iterable, "the runs", "a run, the place of one, or several of them")
        found = [_named(run, None, number) for number, run in enumerate(runs, 1)]
    diagnostics = Diagnostics()
    places = [one.place for one in found if isinstance(one.run, str)]
    for place in sorted({place for place in places if places.count(place) > 1}):
        diagnostics.add("repeated-system", f"`{place}` is given more than once", RowPlace(place), "give it once")
    if not diagnostics.errors:
        report_repeated_names(found, diagnostics)
    diagnostics.raise_errors()
    return found


def _named(run: RunLike, name: str | None, number: int = 1) -> NamedRun:
    if isinstance(run, BatchRun) and run.folder is not None:
        return NamedRun(name or _short(str(run.folder)), str(run.folder), run)
    if isinstance(run, Run | BatchRun):
        called = name or f"run {number}"
        return NamedRun(called, called, run)
    require_type(run, (str, os.PathLike), "the run", "a run, a run in batches, or the place of a run directory")
    text = os.fspath(run)
    if name is None:
        name, text = _split(text)
    return NamedRun(name, text, text)


def report_repeated_names(runs: Sequence[NamedRun], diagnostics: Diagnostics) -> None:
    """Say which names stand for more than one system."""
    first: dict[str, NamedRun] = {}
    for one in runs:
        if (other := first.setdefault(one.name, one)) is not one:
            headline = f"two systems are called `{one.name}`: `{other.place}` and `{one.place}`"
            help = f"give one of them another name: NAME={one.place}"
            diagnostics.add("repeated-system", headline, RowPlace(one.place), help)


def _split(text: str) -> tuple[str, str]:
    """A name and a place."""
    name, sign, place = text.partition("=")
    # A place may have `=` in its name: what exists as a whole is a place.
    if sign and name.strip() and place and not Path(text).exists():
        return name.strip(), place
    return _short(text), text


def _short(place: str) -> str:
    """The name of the folder, also for the report in it; that of a file without its ending."""
    path = Path(place).resolve()
    found = path.parent.name if path.name == "report.json" else path.stem if path.is_file() else path.name
    return found or place


# Runs that can be compared: the same contract, data, clips and classes, brought into one order (rule 16.8).

_CLASSES = (
    'score all runs with one --label-map that drops the label (`drop = ["LABEL"]`, `other = "keep"`), or with a copy '
    "of the contract (RUN/source.contract is one) that declares all classes: `labels A B C`"
)
_ROLES = ("reference", "durations", "ignore", "masks")


def check_comparable(runs: Sequence[OpenRun]) -> None:
    """InvalidInput gives every reason why runs cannot be compared."""
    diagnostics = Diagnostics()
    first, *others = runs
    base = first.identity
    for other in others:
        report_faults(base, first.place, other.identity, other.place, diagnostics)
    diagnostics.raise_errors()


def paired_rows(runs: Sequence[OpenRun]) -> list[ScoreRows]:
    """The score rows of runs, with clips and classes in the order of the first.

    InvalidInput gives every reason why they cannot be compared.
    """
    check_comparable(runs)
    first = runs[0].rows
    return [ordered(run.rows, first.clips, first.classes) for run in runs]


def report_faults(base: RunIdentity, where: str, other: RunIdentity, place: str, diagnostics: Diagnostics) -> None:
    """Say why a run cannot be compared with another, if it cannot."""
    for fault, help in _faults(base, other):
        diagnostics.add("incomparable-runs", f"{fault} `{where}`", RowPlace(place), help)


def ordered(rows: ScoreRows, clips: tuple[str, ...], classes: tuple[str, ...]) -> ScoreRows:
    """The rows with their clips and classes in this order."""
    if (rows.clips, rows.classes) == (clips, classes):
        return rows
    places = {clip: index for index, clip in enumerate(rows.clips)}
    columns = np.array([places[clip] for clip in clips], dtype=np.int64)
    labels = np.array([rows.classes.index(label) for label in classes], dtype=np.int64)

    def moved(counts: ClauseCounts) -> ClauseCounts:
        chosen = np.ix_(labels, columns)
        return ClauseCounts(counts.satisfied[chosen], counts.obligated[chosen], counts.counter[chosen])

    return ScoreRows(clips, classes, rows.clauses, {name: moved(rows.counts[name]) for name in rows.clauses})


def _faults(base: RunIdentity, other: RunIdentity) -> Iterator[tuple[str, str]]:
    """Each difference between two runs, with the way out."""
    # Clips and classes follow from contract, mode and tables: where these differ, naming them as well says nothing.
    same_data = True
    if base.contract != other.contract:
        same_data = False
        yield "the contract differs from that of", "score both with one contract and the same --set"
    if base.mode != other.mode:
        same_data = False
        yield "the mode differs from that of", "score both class-indexed, or both as a union"
    for role in _ROLES:
        if base.tables.get(role) != other.tables.get(role):
            same_data = False
            yield f"the {role} table differs from that of", "score both against the same data"
    if not same_data:
        return
    # A run without a directory names no clips; its lengths, compared above by their digest, are of the same ones.
    if base.clips and other.clips and set(base.clips) != set(other.clips):
        yield "the clips differ from those of", "score both on the same clips"
    if set(base.classes) != set(other.classes):
        only = [
            (set(one.classes) - set(two.classes), has)
            for one, two, has in ((other, base, "has"), (base, other, "lacks"))
        ]
        said = " and ".join(f"it {has} {quoted(sorted(names))}" for names, has in only if names)
        yield f"{said}: the classes differ from those of", _CLASSES


# What audits take from their caller.


def aggregation_of(contract: Contract, aggregation: Aggregation | str | None) -> Aggregation:
    """The aggregation that a caller names, else the contract's own; InvalidInput if there is none of that name."""
    return one_of(Aggregation, aggregation or contract.aggregation, "aggregation")


def some_runs(runs: Runs) -> list[NamedRun]:
    """At least one run, each by what its system is called; InvalidInput if there is none, or for two of one name."""
    named = listed_runs(runs)
    if not named:
        help = "give at least one run, or the place of one"
        raise InvalidInput([Diagnostic("not-a-run", "no run was named", help=help)])
    return named


# Runs scored again with a change.


def rescored(
    run: Run, *, contract: Contract | None = None, prediction: EventTable | None = None, mode: Mode | None = None
) -> Scorecard:
    """The scorecard of a run with another contract, other predictions or another mode, all else equal.

    InvalidInput if that cannot be scored.
    """
    card = run.card
    compiled = contract or card.contract
    diagnostics = Diagnostics()
    family = assemble(
        compiled,
        run.reference,
        prediction or run.prediction,
        durations=_durations(run),
        mode=mode or card.family.mode,
        ignore=run.ignore,
        # A changed contract may declare fewer atoms, and masks of others would be refused.
        masks={name: by_clip for name, by_clip in _masks(card.family).items() if name in compiled.declared_atoms},
        diagnostics=diagnostics,
        # The run was scored with these predictions already: what lies outside its clips was dealt with then.
        allow_outside=True,
    )
    diagnostics.raise_errors()
    return score_family(compiled, family)


def _durations(run: Run) -> Durations:
    """The durations of all clips of a run, including those without events."""
    if isinstance(run.durations, Fraction):
        return Durations("durations", dict.fromkeys(run.card.family.clips, run.durations))
    return run.durations


def _masks(family: Family) -> dict[str, dict[str, int]]:
    """The masks a caller supplied, by clip; bit i is frame i."""
    return {
        name: {
            clip: sum(((1 << end) - 1) ^ ((1 << start) - 1) for start, end in runs.get(index, ()))
            for index, clip in enumerate(family.clips)
        }
        for name, runs in family.masks.items()
    }


_DATA = ("reference", "durations", "ignore", "masks")
_Vectors = Mapping[Aggregation, Mapping[str, Fraction]]


@dataclass(frozen=True, slots=True)
class ScoredSystem:
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
    systems: tuple[ScoredSystem, ...]

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


def read_systems(systems: Systems | Runs) -> Systems:
    """The systems of runs, wherever they are, and of report.json files.

    A system is named by its folder, or as `NAME=PLACE` says. InvalidInput if two have one name,
    if one cannot be read, or if they are not of one contract on the same data. Systems are returned as they are.
    """
    if isinstance(systems, Systems):
        return systems
    names = some_runs(systems)
    diagnostics = Diagnostics()
    runs: dict[str, OpenRun] = {}
    reports: dict[str, dict[str, Any]] = {}
    for one in names:
        try:
            if isinstance(one.run, str) and Path(one.run).is_file():
                reports[one.name] = _report(Path(one.run))
            else:
                runs[one.name] = opened(one.run, one.place)
                reports[one.name] = runs[one.name].report
        except InvalidInput as error:
            diagnostics.extend(error.diagnostics)
    diagnostics.raise_errors()
    # Run directories are compared by the content of their tables, clip by clip. A report alone has only digests of
    # files: less is known, and copies of one table in two formats differ.
    if len(runs) == len(names):
        check_comparable(list(runs.values()))
    else:
        _check_same({one.place: reports[one.name] for one in names})
    read = {one.name: _read(one.place, reports[one.name]) for one in names}
    contract = next(iter(read.values()))[0]
    constant = {one.name: _is_constant(reports[one.name], runs.get(one.name)) for one in names}
    return Systems(
        contract,
        tuple(ScoredSystem(name, scores, vacuous, constant[name]) for name, (_, scores, vacuous) in read.items()),
    )


def _is_constant(report: Mapping[str, Any], run: OpenRun | None) -> bool:
    """Whether a system answers the same throughout, or the same in every clip (rule 16.12).

    The report counts the frames that are not ignored: alone it tells a silent system and, where no frame is ignored,
    one that is always on. Everything else is told by the tables of the run.
    """
    # Frames of the report are counted once for each class.
    frames = report["family"]["frames"] // len(report["family"]["classes"])
    (metric,) = (metric for metric in report["metrics"]["metrics"] if metric["name"] == "frame")
    counts = [row["counts"] for row in metric["classes"]]
    if all(some["tp"] + some["fp"] in (0, frames) for some in counts):
        return True
    return run is not None and run.constant


def _report(path: Path) -> dict[str, Any]:
    if (path.parent / MANIFEST).is_file() and path.name == "report.json":
        # A report inside its run directory is read as part of it.
        return opened(path.parent).report  # its digest is checked
    place = RowPlace(str(path))
    diagnostics = Diagnostics()
    try:
        data = json_data(read_within(path.parent, path.name, LARGEST_DOCUMENT))
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
    """One of the things that two reports must agree on."""
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
            {a: {name: parse_stored(score["value"]) for name, score in some.items()} for a, some in scores.items()},
            {a: {name: _share(score) for name, score in some.items()} for a, some in scores.items()},
        )
    # A report is a stranger's file: a list where a mapping belongs, or a score of 1/0, is said and not raised.
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
    "profiles",
    multiple=True,
    metavar="PROFILE",
    help="A further profile, written as in a contract: --profile 'mine : onset_guard = 2, silence_guard = 1'. "
    "It uses --aggregation unless it names its own: 'mine over pooled : …'. Repeatable.",
)


@contextmanager
def reading_systems(runs: Sequence[str]) -> Iterator[None]:
    """The progress of a command that reads at least two runs."""
    if len(runs) < 2:
        raise click.UsageError("give at least two runs")
    with progress(1) as advance:
        advance("reading")
        yield


def originals_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The option --originals, of commands that need the tables of a run."""
    return click.option(
        "--originals",
        metavar="DIR",
        multiple=True,
        help="Read the files that a run in batches was made from, below this folder or address only: it keeps no copy "
        "of its tables; may be repeated.",
    )(function)
