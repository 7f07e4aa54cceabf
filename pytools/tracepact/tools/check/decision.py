"""The answer to a question about formulas as a record: what `sat`, `implies` and `equivalent` return."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, Literal

from msgspec import Meta

from tracepact.core import Formula, atoms
from tracepact.core.runs import runs_of_frames
from tracepact.logic import picture
from tracepact.logic.decide import Decision, Outcome
from tracepact.logic.model import Model
from tracepact.records import Count, NotNegative, Record
from tracepact.wording import count

FrameRun = Annotated[
    tuple[Count, Annotated[int, Meta(ge=1)]], Meta(description="First frame, and the frame after the last.")
]
_Positive = Annotated[int, Meta(ge=1)]


class AtomRuns(Record, frozen=True):
    """An atom's mask as runs."""

    atom: Annotated[str, Meta(description="Its name.")]
    runs: Annotated[tuple[FrameRun, ...], Meta(description="Maximal half-open ranges of frames (5.5).")]


class TraceRecord(Record, frozen=True):
    """A trace and the frame the answer is about."""

    frames: Annotated[_Positive, Meta(description="The number of frames.")]
    frame: Annotated[Count, Meta(description="The frame, from zero.")]
    minimal: Annotated[
        bool, Meta(description="Whether no shorter trace shows it and none of this length with fewer active frames.")
    ]
    atoms: Annotated[
        tuple[AtomRuns, ...],
        Meta(description="Every base atom; onsets and offsets follow from activity (5.6) unless all atoms are free."),
    ]

    @classmethod
    def of(cls, model: Model) -> "TraceRecord":
        """A model by the runs of its atoms."""
        atoms = tuple(AtomRuns(name, tuple(runs_of_frames(mask))) for name, mask in sorted(model.atoms.items()))
        return cls(model.frames, model.frame, model.minimal, atoms)

    def model(self, *, free: bool) -> Model:
        """The model whose record it is."""
        masks = {one.atom: tuple(_mask(one.runs, self.frames)) for one in self.atoms}
        return Model(self.frames, masks, self.frame, free, self.minimal)


def _mask(runs: tuple[tuple[int, int], ...], frames: int) -> list[bool]:
    mask = [False] * frames
    for start, end in runs:
        mask[start:end] = [True] * (end - start)
    return mask


_Question = Literal["sat", "implies", "equivalent"]


class DecisionRecord(Record, frozen=True):
    """What `tracepact sat`, `implies` and `equivalent` print with `--format json`: a question and its answer."""

    question: Annotated[_Question, Meta(description="What was asked.")]
    formulas: Annotated[
        tuple[Annotated[str, Meta(description="A formula (2.1).")], ...],
        Meta(min_length=1, max_length=2, description="The formulas as they were given, in order."),
    ]
    obligation: Annotated[
        str | None, Meta(description="The formula that the frames asked about have to satisfy; null for all frames.")
    ]
    step: Annotated[NotNegative, Meta(description="The length of a frame in seconds, exact.")]
    length: Annotated[
        _Positive | None, Meta(description="The number of frames of the traces asked about; null for every length.")
    ]
    free_atoms: Annotated[bool, Meta(description="Whether every atom was independent; a trace may then be impossible.")]
    bound: Annotated[
        _Positive,
        Meta(
            description="The frames in sight of a frame: lookback, itself, lookahead (6.7). No longer trace shows "
            "anything new."
        ),
    ]
    outcome: Annotated[
        Literal["yes", "no", "unknown"], Meta(description="The answer; unknown if the budget was spent.")
    ]
    vacuous: Annotated[
        bool,
        Meta(
            description="Whether no frame of any trace satisfies the obligation and what the question is about: the "
            "answer then says nothing."
        ),
    ]
    reason: Annotated[str | None, Meta(description="Why the answer is unknown, if it is.")]
    trace: Annotated[
        TraceRecord | None,
        Meta(
            description="The trace that shows the answer, where one does: an example for `sat`, else a counterexample."
        ),
    ]


def decision_record(
    question: _Question,
    formulas: tuple[str, ...],
    obligation: str | None,
    step: Fraction,
    decision: Decision,
    *,
    vacuous: bool,
) -> DecisionRecord:
    """A question as it was asked, and its answer with the trace that shows it."""
    return DecisionRecord(
        question=question,
        formulas=formulas,
        obligation=obligation,
        step=step,
        length=decision.length,
        free_atoms=decision.free,
        bound=decision.bound,
        outcome=decision.outcome.value,
        vacuous=vacuous,
        reason=decision.reason,
        trace=None if decision.model is None else TraceRecord.of(decision.model),
    )


def decision_lines(record: DecisionRecord, idle: str, free: str) -> list[str]:
    """The answer, why it says nothing if it does, and the bound; `free` is how the caller asks for free atoms."""
    lengths = "of any length" if record.length is None else f"of {count(record.length, 'frame')}"
    reason = f" ({record.reason})" if record.reason else ""
    lines = [f"{record.outcome} (searched: traces {lengths}){reason}"]
    if record.vacuous:
        lines.append(idle)
    if record.length is None and record.outcome != Outcome.UNKNOWN.value:
        lines.append(f"bound: {count(record.bound, 'frame')}; a longer trace shows nothing new")
    if record.free_atoms:
        words = "a trace shown may be impossible, such as an onset without activity"
        lines.append(f"every atom is independent ({free}): {words}")
    return lines


def idle_words(premise: str | None, *, has_obligation: bool) -> str:
    """Why an answer rests on there being no frame to ask about; the premise as the caller calls it."""
    where = [*(["the obligation"] if has_obligation else []), *([premise] if premise else [])]
    return f"vacuous: no frame of any trace satisfies {' and '.join(where)}"


def decision_picture(record: DecisionRecord, formulas: Iterable[Formula]) -> str | None:
    """The trace that shows the answer, with the judged frame marked and a row for each atom of the formulas."""
    if record.trace is None:
        return None
    model = record.trace.model(free=record.free_atoms)
    return picture(model, {name for formula in formulas for name in atoms(formula)} | set(model.atoms))
