"""A hundred thousand candidates over the calibration set, observed and collapsed, against evaluating each one alone."""

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from benchmarks.harness import Options, Row, Target, sized, timed
from tracepact.data.family import Atoms
from tracepact.evaluate.masks import IntegerAlgebra, evaluate_masks, evaluate_trace
from tracepact.selection.basis import observational_classes
from tracepact.selection.calibration import Calibration, CandidateFamily
from tracepact.selection.calibration_reader import load_calibration
from tracepact.selection.candidates import Candidates, FrameCandidate
from tracepact.selection.trials import Trials, family_of_cases, grid_contract, trials_of
from tracepact.selection.values import Observation, observe

SUBJECT = "candidates"
SAMPLE = sized(400, 10)
FAMILY = CandidateFamily(
    atoms=("ref_active", "pred_active", "ref_onset", "pred_onset"),
    obligations=("ref_onset", "ref_active", "pred_onset", "pred_active", "!ref_active"),
    tolerances=(Fraction(1, 25),),
    operators=("F", "G", "or"),
    each=(),
)


def measure(options: Options) -> Iterator[Row]:
    """Throughput, and ratios to each candidate by itself: case by case, and on the family of cases as one bitset."""
    calibration = load_calibration("boundary_gate")
    matcher = FAMILY.matchers[0]
    family = family_of_cases(calibration, grid_contract(calibration, matcher))

    def together() -> tuple[Candidates, Trials, Observation, list[list[int]]]:
        candidates = Candidates(FAMILY, calibration.step)
        trials = trials_of(calibration, family, candidates.reach)
        observation = observe(candidates, trials, matcher)
        return candidates, trials, observation, observational_classes(observation)

    together()
    ours, (candidates, trials, observation, classes) = min((timed(together) for _ in range(3)), key=lambda run: run[0])
    number = len(candidates)
    kept = np.flatnonzero(observation.place >= 0).tolist()  # a perfect prediction fails the others
    chosen = random.Random(14).sample(kept, SAMPLE)
    by_case = _by_case(calibration, candidates, trials, observation, chosen)
    by_family = _by_family(candidates, trials, chosen)
    words = f"{number:,} candidates, {len(calibration.cases)} cases, {len(classes):,} classes"
    yield Row(SUBJECT, "made, observed and collapsed", number / ours, "candidates/s", note=f"{words}, {ours:.3g} s")
    note = f"{ours / number * 1e6:.3g} µs against {by_case * 1e6:.3g} µs a candidate"
    yield Row(SUBJECT, "faster than each alone, case by case", by_case / (ours / number), "×", Target(50), note)
    note = f"{ours / number * 1e6:.3g} µs against {by_family * 1e6:.3g} µs a candidate"
    yield Row(SUBJECT, "faster than each alone, all cases at once", by_family / (ours / number), "×", note=note)


def _by_case(
    calibration: Calibration, candidates: Candidates, trials: Trials, observation: Observation, chosen: Sequence[int]
) -> float:
    """Seconds a candidate when each is evaluated by itself on each case by itself; the values are compared."""
    family = trials.family
    clips = []
    for clip in range(len(calibration.cases)):
        frames = family.frames[clip]
        start = int(trials.layout.start[clip])
        full = (1 << frames) - 1
        atoms = Atoms(family, trials.layout)
        clips.append((frames, {name: atoms[name] >> start & full for name in trials.atoms if "other" not in name}))
    formulas = [candidates[index] for index in chosen]

    def alone() -> list[list[Fraction]]:
        found = []
        for candidate in formulas:
            assert isinstance(candidate, FrameCandidate)
            values = []
            for frames, atoms in clips:
                obligated = evaluate_trace(candidate.obligation, atoms, frames)
                satisfied = (obligated & evaluate_trace(candidate.formula, atoms, frames)).bit_count()
                values.append(Fraction(satisfied, obligated.bit_count()) if obligated else Fraction(1))
            found.append(values)
        return found

    seconds, values = timed(alone)
    for index, row in zip(chosen, values, strict=True):
        if tuple(row) != observation.values(index):
            raise SystemExit(f"{SUBJECT}: candidate {index} has other values alone")
    return seconds / len(chosen)


def _by_family(candidates: Candidates, trials: Trials, chosen: Sequence[int]) -> float:
    """Seconds a candidate when each is evaluated by itself on all cases at once: only sharing is lost."""
    atoms = Atoms(trials.family, trials.layout)
    algebra = IntegerAlgebra(trials.layout.valid, trials.layout.longest)
    formulas = [candidates[index] for index in chosen]

    def alone() -> int:
        total = 0
        for candidate in formulas:
            assert isinstance(candidate, FrameCandidate)
            obligation, formula = evaluate_masks([candidate.obligation, candidate.formula], atoms, algebra)
            counts = trials.layout.counts(obligation), trials.layout.counts(obligation & ~formula)
            total += int(counts[0].sum() - counts[1].sum())
        return total

    alone()
    return timed(alone)[0] / len(chosen)
