"""`tracepact play`: what the page can ask, and its verdicts, on this machine alone."""

import re
from base64 import urlsafe_b64decode
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Unpack

import click
import msgspec
from click.core import ParameterSource
from msgspec import Meta

from tracepact.author.workbench import (
    MOST_CLIPS,
    MOST_EVENTS,
    Checker,
    Events,
    GivenFile,
    PlayScene,
    SceneClip,
    clips_of_contract,
    clips_of_run,
    compiled,
    compiled_text,
    events_of,
    family_of,
    imported,
    judged,
)
from tracepact.command_line import Exit
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic
from tracepact.diagnostics.records import DiagnosticRecord, diagnostic_record
from tracepact.evaluate.cast import cast
from tracepact.evaluate.scorecard import Scorecard, obliged_frames, obliged_intervals
from tracepact.evaluate.scores import Score
from tracepact.evaluate.tolerance import ParameterMark, ToleranceCurves, curves, default_range, named_values
from tracepact.language.compilation import parsed_of
from tracepact.language.contract import Contract, EventClause, FrameClause
from tracepact.language.formula import FrameRun
from tracepact.options import complete_starter, given_contract, set_option
from tracepact.page_server import PageServer, Questions, decoded, encoded, server_options
from tracepact.records import Count, Record, plain
from tracepact.runs.report_parts import tolerance_figure
from tracepact.runs.side_options import DataOptions, check_data_options, data_options, score_from_options
from tracepact.runs.violations import EventViolationRecord, FrameViolationRecord, shown_violations
from tracepact.show.figures import inline
from tracepact.show.lines import print_diagnostics, say
from tracepact.show.pages import Section, html_page, templates
from tracepact.wording import decimal, print_number

# Verdicts of a scene for the page: the vector, and each clause's obligations and violations by class (rule 23.3).

_SHOWN = 8
Runs = Annotated[tuple[tuple[Count, Count], ...], Meta(description="Half-open runs of frames.")]


class ClauseLane(Record, frozen=True):
    """Where a clause applies in one class, and where it fails."""

    label: str
    obligated: Runs
    violated: Runs


class Violation(Record, frozen=True):
    """A violated obligation: when it begins, which part failed, and how far it is from holding."""

    label: str
    at: Annotated[str, Meta(description="Seconds, exact.")]
    part: str
    words: str


class ClauseVerdict(Record, frozen=True):
    """What a clause says of the scene."""

    clause: str
    kind: Annotated[str, Meta(description="`frames`, or what an event clause is about.")]
    value: str
    satisfied: Count
    obligated: Count
    vacuous: bool
    lanes: tuple[ClauseLane, ...]
    violations: tuple[Violation, ...]


class ParameterState(Record, frozen=True):
    """A parameter, its value, and the range of its slider; times are in milliseconds."""

    name: str
    text: str
    written: Annotated[str, Meta(description="The value in the contract's text.")]
    value: float
    high: float
    step: float
    is_time: bool


class Verdicts(Record, frozen=True):
    """All that the page shows of a scene; without a contract that compiles, diagnostics alone."""

    diagnostics: tuple[DiagnosticRecord, ...]
    contract: str | None = None
    step: Annotated[str | None, Meta(description="Seconds, exact.")] = None
    frames: Count | None = None
    classes: tuple[str, ...] = ()
    labels: Annotated[tuple[str, ...] | None, Meta(description="The classes the contract declares.")] = None
    atoms: tuple[str, ...] = ()
    parameters: tuple[ParameterState, ...] = ()
    mean: str | None = None
    aggregation: str | None = None
    clauses: tuple[ClauseVerdict, ...] = ()


def verdicts(scene: PlayScene) -> Verdicts:
    """Judge a scene."""
    contract, diagnostics = compiled(scene)
    if contract is None:
        return Verdicts(_records(diagnostics))
    parameters = _parameters(scene.contract, contract)
    try:
        card, odd = judged(contract, scene)
    except InvalidInput as error:
        return Verdicts(
            _records((*diagnostics, *error.diagnostics)),
            contract.name,
            print_number(contract.step),
            labels=contract.labels,
            atoms=contract.declared_atoms,
            parameters=parameters,
        )
    scores, duty = card.vector(), obliged_frames(card)
    return Verdicts(
        _records((*diagnostics, *odd)),
        contract.name,
        print_number(contract.step),
        card.family.frames[0],
        card.family.classes,
        contract.labels,
        contract.declared_atoms,
        parameters,
        decimal(sum((score.value for score in scores.values()), Fraction(0)) / len(scores)),
        contract.aggregation.words,
        tuple(_clause(card, clause, scores[clause.name], duty.get(clause.name, 0)) for clause in contract.clauses),
    )


def _records(diagnostics: tuple[Diagnostic, ...]) -> tuple[DiagnosticRecord, ...]:
    return tuple(map(diagnostic_record, diagnostics))


def _clause(card: Scorecard, clause: FrameClause | EventClause, score: Score, duty: int) -> ClauseVerdict:
    counts = card.counts[clause.name]
    if isinstance(clause, EventClause):
        kind = f"each {clause.each.value}"
        obliged = {segment: tuple(runs) for segment, runs in obliged_intervals(card, clause.each).items()}
        violated: dict[int, tuple[FrameRun, ...]] = {}
        for violation in card.event_clause(clause.name).violations:
            violated[violation.segment] = (*violated.get(violation.segment, ()), violation.interval)
    else:
        kind, runs_of, segments = "frames", card.layout.runs_of, range(len(card.family.classes))
        obliged = {segment: runs_of(duty, segment) for segment in segments}
        violated = {segment: runs_of(card.violated[clause.name], segment) for segment in segments}
    # A scene has one clip, so that the segments of its family are its classes.
    lanes = tuple(
        ClauseLane(label, obliged.get(segment, ()), violated.get(segment, ()))
        for segment, label in enumerate(card.family.classes)
    )
    shown = shown_violations(card, clause, _SHOWN).shown
    return ClauseVerdict(
        clause.name,
        kind,
        decimal(score.value),
        int(counts.satisfied.sum()),
        int(counts.obligated.sum()),
        score.vacuous,
        lanes,
        tuple(_violation(one) for one in shown if isinstance(one, FrameViolationRecord | EventViolationRecord)),
    )


def _violation(violation: FrameViolationRecord | EventViolationRecord) -> Violation:
    return Violation(violation.label, print_number(violation.start), violation.part.line, violation.how_far)


# Asked with every drag of an event, while the text stays the same.
@lru_cache(maxsize=32)
def _parameters(text: str, contract: Contract) -> tuple[ParameterState, ...]:
    """The parameters of a contract, and those of its text as it is written."""
    source, _ = compiled_text(text)
    assert source is not None  # the text compiles, else there were no contract
    written = {parameter.name: parameter.text for parameter in source.parameters}
    states = []
    for parameter in contract.parameters:
        is_time = _is_time(contract, parameter.name)
        unit = 1000 if is_time else 1
        end = slider_end(source, parameter.name)
        states.append(
            ParameterState(
                parameter.name,
                parameter.text,
                written[parameter.name],
                float(parameter.value * unit),
                float(max(end, parameter.value) * unit),
                float(contract.step * unit) if is_time else 0.01,
                is_time,
            )
        )
    return tuple(states)


def slider_end(contract: Contract, parameter: str) -> Fraction:
    """How far a parameter can be moved: to twice the largest value the contract names, at least ten frames or 1."""
    _, high = default_range(contract, parameter)
    # Twice the largest named value shows where a curve goes beyond what its author had in mind.
    return max(2 * high, 10 * contract.step if _is_time(contract, parameter) else Fraction(1))


def _is_time(contract: Contract, parameter: str) -> bool:
    return bool(parsed_of(contract).unit(parameter))


# What the page can ask: verdicts, findings, the cast, a curve, what a file holds; each a record.


class Player(Record, frozen=True):
    """A system of the cast, and what it predicts in the scene."""

    name: str
    words: str
    pred: Events


class Cast(Record, frozen=True):
    """The cast of rule 22.3 on the references of a scene."""

    players: tuple[Player, ...] = ()


class CurveQuestion(Record, frozen=True):
    """A scene, and the parameter to vary."""

    scene: PlayScene
    parameter: str


class CurveAnswer(Record, frozen=True):
    """The score curve as a picture, or why there is none."""

    svg: str = ""
    diagnostics: tuple[DiagnosticRecord, ...] = ()


class Workbench:
    """Answers the questions of one page; it keeps nothing of a scene but the contracts it compiled."""

    def __init__(self) -> None:
        self._checker = Checker()
        self.questions: Questions = {
            "verdicts": lambda body: encoded(self._verdicts(decoded(body, PlayScene))),
            "findings": lambda body: encoded(self._checker.check(decoded(body, PlayScene))),
            "cast": lambda body: encoded(players(decoded(body, PlayScene))),
            "curve": lambda body: encoded(curve(decoded(body, CurveQuestion))),
            "import": lambda body: encoded(imported(decoded(body, GivenFile))),
        }

    def _verdicts(self, scene: PlayScene) -> Record:
        # Before the verdicts, which are quick: the running check is of a contract that is no longer there.
        self._checker.changed(scene)
        return verdicts(scene)


def players(scene: PlayScene) -> Cast:
    """The cast on a scene; empty where contract or scene have errors, which the verdicts tell."""
    contract, _ = compiled(scene)
    if contract is None:
        return Cast()
    diagnostics = Diagnostics()
    try:
        family = family_of(contract, scene, diagnostics)
        diagnostics.raise_errors()
    except InvalidInput:
        return Cast()
    return Cast(
        tuple(Player(m.name, m.words, events_of(family, m.predicted, 0)) for m in cast(contract, family)),
    )


def curve(question: CurveQuestion) -> CurveAnswer:
    """The scores of a scene over a parameter, from zero to the end of its slider (rule 16.1).

    A contract with errors has none; the verdicts tell of them.
    """
    contract, _ = compiled(question.scene)
    if contract is None:
        return CurveAnswer()
    try:
        card, _ = judged(contract, question.scene)
        drawn = curves(card, question.parameter, Fraction(0), slider_end(contract, question.parameter))
    except InvalidInput as error:
        return CurveAnswer("", tuple(map(diagnostic_record, error.diagnostics)))
    return CurveAnswer(str(inline(tolerance_figure(replace(drawn, marks=_as_written(question, drawn))))))


def _as_written(question: CurveQuestion, drawn: ToleranceCurves) -> tuple[ParameterMark, ...]:
    """The marks of a curve where the contract's own value is the one of its text; the slider's is a mark beside it."""
    source, _ = compiled_text(question.scene.contract)
    assert source is not None  # the text compiles, else there were no curve
    written = [mark for mark in named_values(source, question.parameter) if drawn.low <= mark.value <= drawn.high]
    marks = {mark.value: replace(mark, own=False) for mark in drawn.marks} | {mark.value: mark for mark in written}
    return tuple(marks[value] for value in sorted(marks))


# The page of the workbench: its parts from a template, its scripts and style from the package.


class CopiedScene(PlayScene, frozen=True):
    """A scene as the page copies it: with the classes that have a lane, of which some may have no event."""

    classes: Annotated[tuple[str, ...], Meta(max_length=MOST_EVENTS)] = ()


_FOLDER = Path(__file__).resolve().parent
_SCRIPTS = ("times", "scene", "timeline", "verdicts", "contract", "parameters", "files", "workbench")


def play_page(
    contract: str, clips: tuple[SceneClip, ...], overrides: dict[str, str], *, union: bool, copied: str = ""
) -> str:
    """The page that begins with a contract's text and some clips, or with a scene as it was copied."""
    parts: Any = templates(_FOLDER).get_template("workbench.html").module
    sections = [
        Section("contract", "Contract", parts.contract()),
        Section("scene", "Scene", parts.scene()),
        Section("verdicts", "Verdicts", parts.verdicts()),
        Section("parameters", "Parameters", parts.parameters()),
        Section("findings", "Findings", parts.findings()),
        Section("files", "Files", parts.files()),
    ]
    return html_page(
        "tracepact play",
        parts.head(),
        sections,
        scripts=["address.js", *(f"play/{name}.js" for name in _SCRIPTS)],
        styles=["play/play.css"],
        data=plain({"contract": contract, "clips": clips, "set": overrides, "union": union, "copied": copied}),
        # Scripts may ask the server the page came from, and nobody else.
        connect="'self'",
    )


# `tracepact play`: a workbench for a contract in the browser, on this machine alone.

_FIRST = "boundary_gate"
_SHARED = re.compile(r"(?:https?://[^#\s]*)?#\?scene=([\w-]+)")
"""A scene as the page copies it, alone or behind the address of a page."""


@click.command()
@click.argument("contract", default=_FIRST, shell_complete=complete_starter)
@data_options
@set_option
@server_options
def command(
    contract: str, overrides: tuple[tuple[str, str], ...], port: int, opens: bool, **options: Unpack[DataOptions]
) -> int:
    """Play with a contract in the browser: draw events, and see every verdict at once.

    CONTRACT is a file, the name of a starter contract, or - for standard input; boundary_gate by default. The page
    begins with scenes made for the contract, or with the clips of --ref and --pred or of --pair. It is served on
    127.0.0.1 only, at an address with a token, loads nothing from elsewhere, and reads and writes no file: files are
    taken from and given to the browser. The address is for you alone: to share a scene, copy it in the page. What is
    copied, '#?scene=…', opens the scene in place of CONTRACT. Ctrl-C ends it.

    Exit codes: 0 ended, 2 invalid input.
    """
    if shared := _SHARED.fullmatch(contract):
        page = _shared_page(shared[1])
    else:
        compiled = given_contract(contract, overrides)
        clips = _clips(compiled, options)
        page = play_page(compiled.source.text, clips, dict(overrides), union=not options["class_indexed"])
    with PageServer(page, Workbench().questions, port) as server:
        server.serve_page(opens=opens)
    return Exit.OK


def _shared_page(text: str) -> str:
    """The page of a scene that was copied; a usage error for what is none, or with options about other data."""
    context = click.get_current_context()
    options = [one for one in context.command.params if one.name not in ("contract", "port", "opens")]
    if named := [one for one in options if context.get_parameter_source(str(one.name)) is not ParameterSource.DEFAULT]:
        raise click.UsageError(f"a copied scene brings its own clip and values; leave {named[0].opts[0]} out")
    try:
        scene = decoded(urlsafe_b64decode(text + "=" * (-len(text) % 4)), CopiedScene)
    except (ValueError, msgspec.MsgspecError):
        raise click.UsageError("what follows `#?scene=` is not a scene; copy it again, whole") from None
    return play_page(scene.contract, (scene.clip,), scene.set, union=scene.union, copied=text)


def _clips(contract: Contract, options: DataOptions) -> tuple[SceneClip, ...]:
    """The clips of the data that the options name; without any, scenes made for the contract."""
    if all(options[name] is None for name in ("ref", "pred", "pair")):
        return clips_of_contract(contract)
    check_data_options(options)
    run = score_from_options(contract, options)
    print_diagnostics(run.diagnostics)
    if len(run.card.family.clips) > MOST_CLIPS:
        say(f"the page has the first {MOST_CLIPS} of {len(run.card.family.clips):,} clips")
    return clips_of_run(run)
