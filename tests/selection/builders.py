"""Small calibration sets, observations and families for the tests of selection."""

import os
from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np
from hypothesis import strategies as st

from tracepact.data.events import Event
from tracepact.diagnostics.findings import Source
from tracepact.language.contract import Projection
from tracepact.language.formula import FrameRun, runs_of_frames
from tracepact.logic.decisions import Outcome
from tracepact.selection.calibration import Calibration, CalibrationCase, CandidateFamily, CaseReference
from tracepact.selection.trials import Proof
from tracepact.selection.values import Observation, Seen

STEP = Fraction(1, 50)
EXAMPLES = int(os.environ["TRACEPACT_EXAMPLES"])
PROVED = Proof(Outcome.YES, "rule")


def scaled(number: int) -> int:
    """A number of examples that grows with the size of the run."""
    return max(2, number * EXAMPLES // 200)


def events_of(runs: tuple[FrameRun, ...], label: str = "event") -> tuple[Event, ...]:
    return tuple(Event(start * STEP, end * STEP, label) for start, end in runs)


def case_of(name: str, rank: int, ref: list[bool], pred: list[bool], fault: str | None = None) -> CalibrationCase:
    """A case from frames."""
    sides = (events_of(runs_of_frames(side)) for side in (ref, pred))
    return CalibrationCase(name, "", Fraction(rank), fault or name, "as frames", len(ref) * STEP, *sides)


def calibration_of(cases: list[CalibrationCase], family: CandidateFamily | None = None) -> Calibration:
    references = tuple(CaseReference(case.name, case.duration, case.ref) for case in cases)
    return Calibration(
        "test",
        None,
        STEP,
        Projection.CENTRE,
        Fraction(0),
        tuple(cases),
        references,
        family or SMALL,
        Source("test", ""),
    )


SMALL = CandidateFamily(
    atoms=("ref_active", "pred_active", "pred_onset"),
    obligations=("ref_active", "pred_onset", "!ref_active"),
    tolerances=(STEP, 2 * STEP),
    each=("ref", "matched"),
    attributes=("matched", "covering", "onset"),
)


@st.composite
def calibrations(draw: st.DrawFn, most: int = 5) -> Calibration:
    """A few random cases of a few frames; at least two ranks."""
    number = draw(st.integers(2, most))
    frames = draw(st.integers(3, 14))
    side = st.lists(st.booleans(), min_size=frames, max_size=frames)
    ranks = draw(st.lists(st.integers(1, 4), min_size=number, max_size=number).filter(lambda r: len(set(r)) > 1))
    faults = draw(st.lists(st.sampled_from("xyz"), min_size=number, max_size=number))
    return calibration_of(
        [
            case_of(f"case {i}", rank, draw(side), draw(side), fault)
            for i, (rank, fault) in enumerate(zip(ranks, faults, strict=True))
        ]
    )


@st.composite
def labelled_calibrations(draw: st.DrawFn) -> Calibration:
    """A few cases of different lengths whose events have labels: their own, shared ones, or none at all."""

    def case(number: int) -> CalibrationCase:
        frames = draw(st.integers(2, 10))
        side = st.lists(st.booleans(), min_size=frames, max_size=frames)

        def events() -> tuple[Event, ...]:
            labels = draw(st.lists(st.sampled_from(("event", "dog", "wake")), max_size=2, unique=True))
            made = [event for label in labels for event in events_of(runs_of_frames(draw(side)), label)]
            if draw(st.integers(0, 4)) == 0:  # too short for any frame on the grid, yet its label is one of the clip's
                made.append(Event(STEP / 8, STEP / 4, "blip"))
            return tuple(sorted(made, key=lambda event: (event.onset, event.offset, event.label)))

        return CalibrationCase(
            f"case {number}", "", Fraction(number), "x", "as events", frames * STEP, events(), events()
        )

    return calibration_of([case(number) for number in range(draw(st.integers(3, 4)))])


def observation_of(values: list[list[Fraction]]) -> Observation:
    """An observation from values alone, each candidate with obligations of its own; every one passed the tests."""
    shape = len(values), len(values[0]) if values else 0
    common = [lcm(*(v.denominator for v in row)) for row in values]
    satisfied = [[int(v * many) for v in row] for row, many in zip(values, common, strict=True)]
    return Observation(
        np.array(satisfied, dtype=np.int64).reshape(shape),
        np.arange(shape[0]),
        np.array([[many] * shape[1] for many in common], dtype=np.int64).reshape(shape),
        np.zeros(shape, dtype=np.bool_),
        np.arange(shape[0]),
        np.zeros(shape[0], dtype=np.int8),
        np.ones(shape[1], dtype=np.int64),
    )


def seen_of(values: Sequence[Fraction], vacuous: Sequence[Fraction] = (), counter: Sequence[Fraction] = ()) -> Seen:
    """What is seen on cases of one class each; it is for want of obligations where the shares are 1."""
    none = [Fraction(0)] * len(values)
    numbers = (
        [v.numerator for v in values],
        [v.denominator for v in values],
        [int(share) for share in vacuous or none],
        [int(share) for share in counter or none],
        [1 for _ in values],
    )
    return Seen(*(np.array(row, dtype=np.int64) for row in numbers))


def value_tables(cases: int | None = None, most: int = 9) -> st.SearchStrategy[list[list[Fraction]]]:
    """Few different values, so that classes and ties are common."""
    value = st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(0)])
    width = st.integers(2, 4) if cases is None else st.just(cases)
    return width.flatmap(lambda n: st.lists(st.lists(value, min_size=n, max_size=n), min_size=1, max_size=most))
