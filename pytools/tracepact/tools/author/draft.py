"""Drafts a commented contract from answers: what is on time, what never happens, how early, how late."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from tracepact.wording import time_text


class OnTime(Enum):
    """What must be on time."""

    ONSETS = "onsets"
    OFFSETS = "offsets"
    LENGTHS = "lengths"


class Never(Enum):
    """What must never happen."""

    MISSES = "misses"
    FALSE_ALARMS = "false-alarms"
    FRAGMENTS = "fragments"
    CONFUSIONS = "confusions"


@dataclass(frozen=True, slots=True)
class Answers:
    """What an author answered; times are in seconds."""

    on_time: tuple[OnTime, ...] = (OnTime.ONSETS, OnTime.OFFSETS)
    never: tuple[Never, ...] = (Never.MISSES, Never.FALSE_ALARMS)
    early: Fraction = Fraction(1, 25)
    late: Fraction = Fraction(1, 25)
    step: Fraction = Fraction(1, 50)

    @property
    def asymmetric(self) -> bool:
        """Whether being late is judged otherwise than being early."""
        return self.early != self.late


_CLAUSES = {
    OnTime.ONSETS: (
        "onset_on_time",
        "on ref_onset : ref_onset -> {window} pred_onset",
        "A beginning is found in time.",
    ),
    OnTime.OFFSETS: ("offset_on_time", "on ref_offset : ref_offset -> {window} pred_offset", "So is an ending."),
    OnTime.LENGTHS: (
        "length_kept",
        "on each matched : abs(pred.duration - ref.duration) <= 0.25 * ref.duration",
        "What is found is about as long as it was: a quarter more or less.",
    ),
    Never.MISSES: (
        "nothing_missed",
        "on ref_active : ref_active -> {window} pred_active",
        "What sounds is heard. Frames count, so a long miss is worse than a short one.",
    ),
    Never.FALSE_ALARMS: (
        "nothing_invented",
        "on pred_active : pred_active -> {mirrored} ref_active",
        "What is predicted has a cause. The window is the mirror image of the one above.",
    ),
    Never.FRAGMENTS: (
        "one_piece",
        "on each ref : matched and covering <= 1",
        "An event is found, and in one piece.",
    ),
    Never.CONFUSIONS: (
        "own_class",
        "on pred_active & other_ref_active : pred_active -> {mirrored} ref_active",
        "Where another class sounds, this one is predicted only if it sounds too. Score with labels kept apart.",
    ),
}


def draft(name: str, answers: Answers) -> str:
    """The text of a contract that asks what the answers ask."""
    early, late = (f"{time_text(time).replace(' ', '')}" for time in (answers.early, answers.late))
    lines = [
        f'contract {name} "what this contract is for"',
        "# The length of a frame; times that are no multiple of it are rounded outward.",
        f"step {time_text(answers.step).replace(' ', '')}",
        "# How far an edge may lie from the reference. Change them here, or try others with --set.",
    ]
    if answers.asymmetric:
        lines += [f"param early = {early}", f"param late = {late}"]
        window, mirrored = "F[-early,late]", "F[-late,early]"
    else:
        lines += [f"param tol = {early}"]
        window = mirrored = "N[tol]"
    lines += [
        "# Each class counts alike; what asks nothing of a system counts for nothing.",
        "aggregate macro_classes_informative",
        "",
    ]
    for asked in _asked(answers):
        clause, rule, comment = _CLAUSES[asked]
        lines += [f"# {comment}", f"clause {clause} {rule.format(window=window, mirrored=mirrored)}"]
    return "\n".join([*lines, ""])


def _asked(answers: Answers) -> Iterator[OnTime | Never]:
    """What is asked, in order; so much more that neither a silent system nor one that is always on satisfies all."""
    edges = {OnTime.ONSETS, OnTime.OFFSETS} & {*answers.on_time}
    never = {*answers.never}
    if not edges:
        never |= {Never.MISSES, Never.FALSE_ALARMS}
    chosen: Sequence[OnTime | Never] = [*OnTime, *Never]
    yield from (one for one in chosen if one in answers.on_time or one in never)
