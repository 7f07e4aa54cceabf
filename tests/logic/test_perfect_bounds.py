"""Bounds on the terms of a perfect prediction agree with the solver, and with every interval that is tried."""

from fractions import Fraction

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from tracepact.evaluate.predicates import ClipScene, Obligation, prepare, truth
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import EventClause
from tracepact.language.formula import Not
from tracepact.logic.decisions import Budget
from tracepact.logic.models import Verdict
from tracepact.logic.predictions import perfect_interval_with, settled

STEP = Fraction(1, 50)


def clause_of(predicate: str) -> EventClause:
    return parse_contract(f"contract c\nstep 20ms\nclause p on each ref : {predicate}").event_clauses[0]


def of(predicate: str) -> bool | None:
    clause = clause_of(predicate)
    return settled(clause.formula, dict(clause.event_atoms), STEP)


@pytest.mark.parametrize(
    ("predicate", "value"),
    [
        ("abs(pred.duration - ref.duration) <= 0.25 * ref.duration", True),
        ("abs(pred.offset - ref.offset) <= max(200ms, 0.2 * ref.duration)", True),
        ("min(pred.onset, 1s) <= ref.onset", True),
        ("pred.duration <= 0.5 * ref.duration", False),
        ("ref.duration >= 20ms", True),
        ("ref.duration > 20ms", None),
        ("ref.onset >= 0s", True),
        ("ref.onset < 0s", False),
        ("ref.offset == ref.onset", False),
        ("ref.offset != ref.onset + ref.duration", False),
        ("iou >= 1 and covering == 1", True),
        ("ref.shortest_gap > 1s", True),
        ("ref.shortest_gap <= 1s or ref.longest_gap > 0s", False),
        ("matched implies coverage < 0.9", False),
        ("matched iff ref.onset > 1s", None),
        ("overlap <= 1s", None),
    ],
)
def test_what_every_perfect_prediction_does_is_seen_from_bounds(predicate: str, value: bool | None) -> None:
    assert of(predicate) is value


TIMES = [
    "ref.onset",
    "pred.offset",
    "ref.duration",
    "0.5 * pred.duration",
    "overlap",
    "ref.longest_gap",
    "(20ms - ref.onset)",
    "abs(pred.onset - ref.offset)",
    "abs(ref.onset - 60ms)",
    "max(60ms, 0.5 * ref.duration)",
    "min(ref.onset, ref.duration)",
    "min(ref.onset, ref.offset)",
    "0ms",
    "20ms",
    "60ms",
]
RATIOS = ["iou", "coverage", "2 * iou", "abs(coverage - 1)", "0", "1", "2"]
COUNTS = ["covering", "2 * covering", "0", "1", "2"]


@st.composite
def predicates(draw: st.DrawFn) -> str:
    """Comparisons of times and of numbers, joined by connectives."""
    relation = st.sampled_from(["<=", "<", ">=", ">", "==", "!="])
    kinds = st.sampled_from([(TIMES, TIMES), (["ref.shortest_gap"], TIMES[-3:]), (RATIOS, RATIOS), (COUNTS, COUNTS)])
    sides = kinds.flatmap(lambda some: st.tuples(st.sampled_from(some[0]), relation, st.sampled_from(some[1])))
    parts = [" ".join(part) for part in draw(st.lists(sides, min_size=1, max_size=3))]
    made = parts[0]
    for part in parts[1:]:
        made = f"({made} {draw(st.sampled_from(['and', 'or', 'implies', 'iff']))} not {part})"
    return made


@given(predicates(), st.integers(0, 9), st.integers(1, 9))
def test_what_is_settled_is_so_for_every_interval_and_for_the_solver(predicate: str, onset: int, length: int) -> None:
    clause, value = clause_of(predicate), of(predicate)
    event(f"settled: {value}")
    if value is None:
        return
    run, atoms = (onset, onset + length), dict(clause.event_atoms)
    holds = truth(clause.formula, {name: prepare(atom, STEP) for name, atom in atoms.items()})
    assert holds(Obligation(run, run, ClipScene((run,), (run,)))) is value
    other = Not(clause.formula) if value else clause.formula
    assert perfect_interval_with(other, atoms, STEP, Budget(seconds=5))[0] is Verdict.UNSAT
