"""Builds the report of a run from its tally: facts in words, what pages show and play, what is required of it."""

import base64
import operator
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path, PurePath
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

import click
from msgspec import UNSET, UnsetType
from msgspec import field as record_field

from tracepact.data.family import Mode
from tracepact.data.memory import AudioFolder, audio_files
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import did_you_mean
from tracepact.engines import Engine, EngineProgress
from tracepact.evaluate.curves import StepFunction
from tracepact.evaluate.draws import ClauseTally, GroupTally
from tracepact.evaluate.scores import LOGIC, MEAN, Score, profile_mean
from tracepact.evaluate.tolerance import ToleranceCurves
from tracepact.evaluate.uncertainty import USUAL, Interval
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import Aggregation, Contract, EventClause, Profile
from tracepact.measures.records import AccuracyRecord, accuracy_records
from tracepact.measures.uncertainty import MetricIntervals, intervals_record
from tracepact.records import Exact, Record, record_of
from tracepact.runs.manifest import versions
from tracepact.runs.margins import MarginsTally
from tracepact.runs.report import (
    ClassRecord,
    ClauseRecord,
    ConditionRecord,
    ConditionSoftBoundary,
    ContractRecord,
    FamilyRecord,
    GridRecord,
    InputRecord,
    MatcherRecord,
    ParameterRecord,
    Preparation,
    ProfileRecord,
    Report,
    SoftBoundary,
    SweepRecord,
    Versions,
)
from tracepact.runs.tally import Intervals, RunTally, drawn_intervals, tally_of
from tracepact.runs.task import Head, Scored
from tracepact.runs.timelines import WorstClipsTally
from tracepact.runs.violations import VACUOUS, ClauseViolations, ScoreRecord, SoftRecord, ValueRecord
from tracepact.show.figures import Curve, curve_chart
from tracepact.show.lines import say
from tracepact.wording import count, decimal, parse_exact, print_number, rounded, time_text

# What was scored, in words: the facts at the head of every view of a report.

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
    """The lines beside the vector: the soft boundary score, the profiles, the matched pairs."""
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
    # From the text in the report, not from a contract: views are drawn of reports that were read back, too.
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


# What a page shows beside a report: the clips that lose most, intervals over clips, curves over swept parameters.


class PageData(Record, frozen=True):
    """What a page shows beside the report: the clips that lose most, and accuracies.

    If a page was asked for when the run was scored, also the intervals of clauses by aggregation and of metrics, and
    the curves over swept parameters.
    """

    format: Literal["tracepact-page/1"]
    clips: WorstClipsTally
    accuracies: tuple[AccuracyRecord, ...]
    intervals: dict[Aggregation, dict[str, Interval]] = record_field(default_factory=dict)
    curves: tuple[ToleranceCurves, ...] = ()
    metric_intervals: MetricIntervals | None = None
    drawn: bool = False


def page_data(
    tally: RunTally, head: Head, prediction: str, engine: Engine, progress: EngineProgress | None, *, drawn: bool
) -> PageData:
    """The data of a page from a tally that has clips; `drawn` asks for intervals and curves as well."""
    assert tally.clips is not None  # they are tallied wherever a page may be made
    metrics = tally.metrics.measured(head.settings)
    accuracies = accuracy_records(metrics)
    if not drawn:
        return PageData("tracepact-page/1", tally.clips, accuracies)
    curves = tuple(some.tolerance(head.contract) for some in tally.tolerances)
    ranges: Intervals = {}
    compared = None
    # Draws of one clip are all alike: an interval of them would say that the value is certain.
    if tally.draws is not None and tally.group.clips > 1:
        drawing = tally.draws, tally.group.clips, tally.group, metrics, USUAL
        ranges, systems = drawn_intervals(*drawing, engine, progress)
        compared = intervals_record([prediction], systems, USUAL)
    return PageData("tracepact-page/1", tally.clips, accuracies, ranges, curves, compared, drawn=True)


def tolerance_figure(tolerance: ToleranceCurves) -> str:
    """The curves of the clauses that move and of the mean, with the contract's own value and sweep points marked."""
    unit = 1000 if tolerance.is_time else 1
    moving = {name: curve for name, curve in tolerance.clauses.items() if curve.span}
    lines = {**moving, MEAN: tolerance.logic}
    marks = [mark.value for mark in tolerance.marks]
    return curve_chart(
        f"Scores over {tolerance.parameter} ({tolerance.aggregation.words})",
        [
            Curve(name, _points(curve, unit), [(value * unit, curve.at(value)) for value in marks])
            for name, curve in lines.items()
        ],
        x=f"{tolerance.parameter} in ms" if tolerance.is_time else tolerance.parameter,
        y="score",
        steps=True,
        rules=[(mark.value * unit, f"{mark.text} (own)" if mark.own else mark.text) for mark in tolerance.marks],
    )


def _points(curve: StepFunction, unit: int) -> list[tuple[Fraction, Fraction]]:
    """The ends of the stretches of a step function; a stretch reaches back to the one before."""
    # Pieces of one value only would be points without length, which a chart of steps cannot draw.
    stretches = [(piece.high * unit, piece.value) for piece in curve.pieces() if piece.high > piece.low]
    return [(curve.low * unit, curve.values[0]), *stretches]


# Builds the report of a run from its tally.


def report_of(run: Scored) -> Report:
    """Everything a report says, with exact values as fractions."""
    return report_from(tally_of(run), run.head)


def report_from(tally: RunTally, head: Head) -> Report:
    """The report of what was tallied, of one batch or of many."""
    contract, group = head.contract, tally.group
    matcher = contract.matcher
    soft, edges = group.soft.mean
    clauses = contract.clauses
    return Report(
        format="tracepact-report/1",
        versions=Versions(**versions()),
        contract=_contract(contract),
        inputs=tuple(InputRecord(i.role, i.name, i.digest) for i in head.inputs),
        preparation=record_of(dict(head.preparation), Preparation),
        grid=GridRecord(contract.step, contract.projection),
        matcher=MatcherRecord(matcher.kind, matcher.search, matcher.overlap_reward, contract.merge_gap),
        family=FamilyRecord(head.mode, group.clips, head.classes, tally.frames),
        aggregation=contract.aggregation,
        vector=tuple(
            ClauseRecord(
                c.name,
                "event" if isinstance(c, EventClause) else "frame",
                _scores(group.clauses[c.name]),
                _soft((tally.margins or {}).get(c.name)),
            )
            for c in clauses
        ),
        logic={a: ValueRecord.of(group.logic(a)) for a in Aggregation},
        profiles=tuple(
            ProfileRecord(p.name, p.aggregation, value, rounded(value))
            for p, value in ((p, profile_value(group, p)) for p in contract.profiles)
        ),
        metrics=tally.metrics.record(head.settings),
        soft_boundary=SoftBoundary(soft, edges, contract.soft_scale),
        classes=tuple(
            ClassRecord(label, _vector({c.name: group.clauses[c.name].of_class(index) for c in clauses}))
            for index, label in enumerate(head.classes)
        ),
        conditions=tuple(_condition(name, found, contract) for name, found in sorted(tally.conditions.items())),
        sweeps=tuple(
            SweepRecord(p.parameter, p.value, _vector({n: f.score(contract.aggregation) for n, f in p.clauses.items()}))
            for p in tally.sweeps
        ),
        violations=tuple(
            ClauseViolations(c.name, found.total, found.shown(_worst_first(group.clauses[c.name], len(head.classes))))
            for c, found in ((c, tally.violations[c.name]) for c in clauses)
        ),
        timelines=tuple(one.found for one in tally.timelines),
        matches=tuple(one.found for one in tally.matches.first),
        diagnostics=tally.findings,
        violation_rows=UNSET if head.violation_rows else False,
        matched=tally.matches.total if tally.matches.total > len(tally.matches.first) else UNSET,
    )


def _worst_first(clause: ClauseTally, classes: int) -> list[int]:
    """The numbers of the classes by the score of a clause, the lowest first."""
    return sorted(range(classes), key=lambda index: clause.of_class(index).value)


def _scores(tally: ClauseTally) -> dict[Aggregation, ScoreRecord]:
    return {a: ScoreRecord.of(tally.score(a)) for a in Aggregation}


def _soft(margins: MarginsTally | None) -> SoftRecord | UnsetType:
    """The margins of a clause, where it has some."""
    if margins is None:
        return UNSET
    return SoftRecord({a: Exact.of(margins.value(a)) for a in Aggregation}, margins.least, margins.middle)


def _vector(scores: Mapping[str, Score]) -> dict[str, ScoreRecord]:
    return {name: ScoreRecord.of(score) for name, score in scores.items()}


def profile_value(group: GroupTally, profile: Profile) -> Fraction:
    """The value of a risk profile of a group of clips."""
    return profile_mean(profile, group.vector(profile.aggregation))


def _contract(contract: Contract) -> ContractRecord:
    parameters = tuple(ParameterRecord(p.name, p.text, p.overridden) for p in contract.parameters)
    names = contract.name, contract.title, contract.digest
    return ContractRecord(*names, contract.text, contract.source.name, parameters)


def _condition(name: str, group: GroupTally, contract: Contract) -> ConditionRecord:
    """The vectors of a condition, under every aggregation."""
    return ConditionRecord(
        name,
        group.clips,
        {clause.name: _scores(group.clauses[clause.name]) for clause in contract.clauses},
        {a: ValueRecord.of(group.logic(a)) for a in Aggregation},
        {p.name: ValueRecord.of(profile_value(group, p)) for p in contract.profiles},
        ConditionSoftBoundary(*group.soft.mean),
    )


# Requirements: what must hold of a clause, a profile or another value of a report, as `--require` says it.

_OFFERED = 12
_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
}
_REQUIREMENT = re.compile(
    r"\s*(?:([A-Za-z_][A-Za-z0-9_]*)\s*\.\s*)?([A-Za-z_][A-Za-z0-9_]*)\s*(>=|>|<=|<|==)\s*([0-9./]+)\s*"
)

MEAN_NAME, HEADLINE_NAME = "mean", "headline"
"""What `--require` calls the two means; a clause or a profile of that name comes first."""


class Requirement(NamedTuple):
    """A requirement of `--require`; without an aggregation it is of the contract's, or the profile's own."""

    aggregation: Aggregation | None
    name: str
    relation: str
    bound: Fraction

    def is_met(self, value: Fraction) -> bool:
        """Whether a value meets the relation; exact."""
        return self.compare(value, self.bound)

    @property
    def compare(self) -> Callable[[Fraction, Fraction], bool]:
        """The relation."""
        return _RELATIONS[self.relation]

    @property
    def text(self) -> str:
        """As it is written."""
        name = f"{self.aggregation.value}.{self.name}" if self.aggregation else self.name
        return f"{name} {self.relation} {print_number(self.bound)}"


def requirement_from(text: str, known: Collection[str], faults: Diagnostics) -> Requirement | None:
    """The requirement in a text; faults are reported."""
    found = _REQUIREMENT.fullmatch(text)
    try:
        bound = parse_exact(found[4]) if found else None
    except ValueError:
        bound = None
    if found is None or bound is None:
        faults.add(
            "bad-requirement",
            f"`{text}` is not a requirement",
            help="write `onset_guard>=0.9` or `pooled.onset_guard>=0.9`",
        )
        return None
    aggregations = [a.value for a in Aggregation]
    if found[1] and found[1] not in aggregations:
        help = did_you_mean(found[1], aggregations) or f"write one of {', '.join(aggregations)}"
        faults.add("bad-requirement", f"there is no aggregation `{found[1]}`", help=help)
        return None
    name = found[2]
    # The name that the mean had in the first releases, unless a clause or a profile is called so.
    if name == LOGIC and LOGIC not in known:
        say(f"--require: the mean of the vector is called `{MEAN_NAME}` now; `{LOGIC}` goes with the next version")
        name = MEAN_NAME
    if not check_name(name, known, "clause or profile", "bad-requirement", faults):
        return None
    return Requirement(Aggregation(found[1]) if found[1] else None, name, found[3], bound)


def offered(name: str, known: Collection[str]) -> str:
    """A help line for a name that is not known: the nearest one, else the first of those there are, and how many."""
    first = list(known)[:_OFFERED]
    more = f" and {len(known) - len(first):,} more" if len(known) > len(first) else ""
    return did_you_mean(name, known) or f"known here: {', '.join(f'`{one}`' for one in first)}{more}"


def check_name(name: str, known: Collection[str], kind: str, code: str, faults: Diagnostics) -> bool:
    """Whether a name is known; a fault if not."""
    if name not in known:
        faults.add(code, f"the contract has no {kind} `{name}`", help=offered(name, known))
    return name in known


def unmet(wanted: Sequence[Requirement], contract: Contract, report: Report) -> list[str]:
    """A line for each requirement that a report does not meet; exact values are compared."""
    failed = []
    for required in wanted:
        value = required_value(required, contract, report)
        if value is None:
            failed.append(f"required {required.name}, but nothing was asked")
        elif not required.is_met(value):
            failed.append(f"required {required.text}, but it is {value} ({decimal(value, 4)})")
    return failed


def required_value(required: Requirement, contract: Contract, report: Report) -> Fraction | None:
    """The value a requirement is about; None for the headline of a run in which nothing was asked (rule 16.13)."""
    scores = {row.clause: row.scores for row in report.vector}
    aggregation = required.aggregation or contract.aggregation
    # Profiles and clauses before the two means: a name that the author gave means what it names.
    for profile in contract.profiles:
        if profile.name == required.name:
            own = required.aggregation or profile.aggregation
            return profile_mean(profile, {clause: row[own] for clause, row in scores.items()})
    if required.name in scores:
        return scores[required.name][aggregation].value
    return report.logic[aggregation].value if required.name == MEAN_NAME else report.headline(aggregation)


# The sounds of clips for a page: files beside it by their relative paths, or their bytes inside it.

_KINDS = {".wav": "wav", ".flac": "flac", ".ogg": "ogg", ".oga": "ogg", ".opus": "ogg", ".mp3": "mpeg"}
"""What browsers play, by the ending of the file; others are offered as they are."""


@dataclass(frozen=True, slots=True)
class Sounds:
    """Where a page finds the sound of each clip, and what its policy must allow for that."""

    sources: Mapping[str, str] = field(default_factory=dict)
    media: str = ""


SILENT = Sounds()


def find_sounds(folder: str | None, clips: Collection[str], page_folder: Path, *, embed: bool = False) -> Sounds:
    """The sounds of these clips for a page in a folder; InvalidInput if the sound folder holds none at all."""
    if folder is None:
        return SILENT
    diagnostics = Diagnostics()
    files = audio_files(AudioFolder(folder), clips, diagnostics)
    diagnostics.raise_errors()
    if embed:
        return Sounds({clip: _embedded(path) for clip, path in files.items()}, "data:")
    # Relative paths: a folder that is moved or sent with its sounds still plays them.
    start = page_folder.resolve()
    places = {clip: Path(os.path.relpath(path.resolve(), start)).as_posix() for clip, path in files.items()}
    return Sounds({clip: quote(place) for clip, place in places.items()}, "'self' file:")


def sounds_line(sounds: Sounds, clips: int, folder: str) -> str:
    """How many clips can be heard."""
    return f"{len(sounds.sources):,} of {count(clips, 'clip')} have a sound file in {folder}"


def media_type(path: Path) -> str:
    """The media type of a sound file, by its ending."""
    return f"audio/{_KINDS.get(path.suffix.lower(), path.suffix.lower().removeprefix('.'))}"


def _embedded(path: Path) -> str:
    return f"data:{media_type(path)};base64,{base64.b64encode(path.read_bytes()).decode()}"


def embed_audio_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The --embed-audio option."""
    return click.option(
        "--embed-audio", is_flag=True, help="With --audio: put the sounds into the page instead of their paths."
    )(function)


def check_audio(folder: str | None, embed: bool) -> None:
    """Refuse to embed sounds that are not there."""
    if embed and folder is None:
        raise click.UsageError("--embed-audio needs --audio, the folder of the sounds")
