"""What the page can ask: verdicts, findings, the cast, a curve, what a file holds; each a record."""

from dataclasses import replace
from fractions import Fraction

from tracepact.diagnostics import Diagnostics, InvalidInput
from tracepact.diagnostics.record import DiagnosticRecord, diagnostic_record
from tracepact.records import Record
from tracepact.scoring.tolerance import Mark, Tolerance, curves, named_values
from tracepact.show.figure import inline
from tracepact.tools.cast_members import cast
from tracepact.tools.page_server import Questions, decoded, encoded
from tracepact.tools.play.clips import events_of
from tracepact.tools.play.findings import Checker
from tracepact.tools.play.imports import GivenFile, imported
from tracepact.tools.play.scene import Events, Scene, compiled, compiled_text, family_of, judged
from tracepact.tools.play.verdicts import slider_end, verdicts
from tracepact.tools.score.report.evidence import tolerance_figure


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

    scene: Scene
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
            "verdicts": lambda body: encoded(self._verdicts(decoded(body, Scene))),
            "findings": lambda body: encoded(self._checker.check(decoded(body, Scene))),
            "cast": lambda body: encoded(players(decoded(body, Scene))),
            "curve": lambda body: encoded(curve(decoded(body, CurveQuestion))),
            "import": lambda body: encoded(imported(decoded(body, GivenFile))),
        }

    def _verdicts(self, scene: Scene) -> Record:
        self._checker.changed(scene)
        return verdicts(scene)


def players(scene: Scene) -> Cast:
    """The cast on a scene; empty where contract or scene have errors, which the verdicts tell."""
    contract, _ = compiled(scene)
    if contract is None:
        return Cast()
    found = Diagnostics()
    try:
        family = family_of(contract, scene, found)
        found.raise_errors()
    except InvalidInput:
        return Cast()
    return Cast(
        tuple(Player(m.name, m.words, events_of(family, m.predicted, 0)) for m in cast(contract, family)),
    )


def curve(asked: CurveQuestion) -> CurveAnswer:
    """The scores of a scene over a parameter, from zero to the end of its slider (rule 16.1).

    A contract with errors has none; the verdicts tell of them.
    """
    contract, _ = compiled(asked.scene)
    if contract is None:
        return CurveAnswer()
    try:
        card, _ = judged(contract, asked.scene)
        drawn = curves(card, asked.parameter, Fraction(0), slider_end(contract, asked.parameter))
    except InvalidInput as error:
        return CurveAnswer("", tuple(map(diagnostic_record, error.diagnostics)))
    return CurveAnswer(str(inline(tolerance_figure(replace(drawn, marks=_as_written(asked, drawn))))))


def _as_written(asked: CurveQuestion, drawn: Tolerance) -> tuple[Mark, ...]:
    """The marks of a curve where the contract's own value is the one of its text; the slider's is a mark beside it."""
    source, _ = compiled_text(asked.scene.contract)
    assert source is not None  # the text compiles, else there were no curve
    written = [mark for mark in named_values(source, asked.parameter) if drawn.low <= mark.value <= drawn.high]
    found = {mark.value: replace(mark, own=False) for mark in drawn.marks} | {mark.value: mark for mark in written}
    return tuple(found[value] for value in sorted(found))
