"""A scene that answers a question about event clauses: the runs of one clip, matched and judged as scoring does."""

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from tracepact import events, trace
from tracepact.core import Contract, Each, EventAtom, EventClause, Formula, Located, Not
from tracepact.core.runs import FrameRun
from tracepact.diagnostics import Span
from tracepact.events.attributes import Obligation, Scene
from tracepact.frozen import dataclass
from tracepact.wording import parse_exact, print_number

_OTHER = "ref of another class"
_SIDE = re.compile(rf"^(ref|pred|{_OTHER})  +(none|\[.*)$", re.MULTILINE)
_ENDS = re.compile(r"\[([0-9./]+), ([0-9./]+)\)")


@dataclass(frozen=True, slots=True)
class EventQuestion:
    """Whether a predicate is true for some obligation of this kind, matched as the contract says."""

    formula: Formula
    each: Each
    event_atoms: Mapping[str, EventAtom]
    contract: Contract


@dataclass(frozen=True, slots=True)
class EventExample:
    """An obligation that shows an answer, with all runs of its clip.

    `minimal` says that no scene with fewer runs shows it, and none with as many of each side is shorter, or as short
    with fewer active frames.
    """

    obligation: Obligation
    minimal: bool = False

    @property
    def frames(self) -> int:
        """The length of the clip: up to the last end of a run."""
        return _frames(self.obligation.scene)

    def words(self, step: Fraction) -> str:
        """The runs of both sides in seconds."""
        scene = self.obligation.scene

        def runs(some: tuple[FrameRun, ...], own: FrameRun | None) -> str:
            shown = (
                f"[{print_number(s * step)}, {print_number(e * step)}){'*' if (s, e) == own else ''}" for s, e in some
            )
            return " ".join(shown) or "none"

        lines = [
            f"ref   {runs(scene.refs, self.obligation.ref)}",
            f"pred  {runs(scene.preds, self.obligation.pred)}",
        ]
        lines += [f"{_OTHER}  {runs(some, None)}" for some in scene.refs_of_other_classes]
        lines.append("times in seconds; * marks the obligated interval and its partner")
        return "\n".join(lines if self.minimal else [*lines, "there may be a smaller scene"])


Ends = tuple[Fraction, Fraction]
"""Onset and offset in seconds."""


def read_words(text: str) -> tuple[list[Ends], list[Ends], list[Ends]] | None:
    """References, predictions and references of other classes in the words of a scene; None if a text is no such."""
    found: dict[str, list[Ends]] = {}
    for side, ends in _SIDE.findall(text):
        found.setdefault(side, []).extend((parse_exact(start), parse_exact(end)) for start, end in _ENDS.findall(ends))
    if "ref" not in found or "pred" not in found:
        return None
    return found["ref"], found["pred"], found.get(_OTHER, [])


def one_clip(scene: Scene, step: Fraction) -> "trace.Family":
    """A family of one clip with the runs of a scene; each other class has its references."""
    others = scene.refs_of_other_classes
    refs = {0: scene.refs, **dict(enumerate(others, start=1))}
    return trace.Family(
        step,
        trace.Mode.CLASS_INDEXED,
        ("clip",),
        (_frames(scene),),
        ("class", *(f"other {k}" for k in range(1, len(others) + 1))),
        {
            trace.Side.REF: {k: runs for k, runs in refs.items() if runs},
            trace.Side.PRED: {0: scene.preds} if scene.preds else {},
        },
        {},
        {},
    )


def violations(contract: Contract, scene: Scene) -> dict[str, list[Obligation]]:
    """The violated obligations of every event clause of a contract on one clip, as scoring finds them."""
    evaluation = events.evaluate_events(contract, one_clip(scene, contract.step))
    return {
        found.clause.name: [obligation for segment, obligation in found.violated if segment == 0]
        for found in evaluation.clauses
    }


def replayed(question: EventQuestion, scene: Scene) -> EventExample | None:
    """The first obligation of the scene for which the predicate is true, matched and judged as scoring does."""
    body = Located(Not(question.formula), Span(0, 0))
    clause = EventClause("asked", question.each, body, tuple(question.event_atoms.items()), Span(0, 0))
    found = violations(replace(question.contract, clauses=(clause,)), scene)["asked"]
    return EventExample(found[0]) if found else None


def _frames(scene: Scene) -> int:
    runs = (*scene.refs, *scene.preds, *(run for some in scene.refs_of_other_classes for run in some))
    return max(end for _, end in runs)
