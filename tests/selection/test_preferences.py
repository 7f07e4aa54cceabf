"""Preferences: the least violated weight against brute force, known contradictions, and every kind of bad table."""

import json
import re
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from cli.command import run
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from selection.builders import scaled
from selection.test_order import margin_of, weighings

import tracepact
from tracepact.selection import preferences as fitting
from tracepact.selection.basis import Coordinate
from tracepact.selection.calibration import CalibrationCase
from tracepact.selection.concessions import climbed, least_given_up
from tracepact.selection.cover_problem import Clock
from tracepact.selection.games import differences_of, guessed_apart
from tracepact.selection.judgements import Preference, Preferences
from tracepact.selection.preferences import violated_weight
from tracepact.selection.requirements import Pair, difference

SET = """step = "20ms"
cases = [
  {name = "late", edit = "late_onset", by = "60ms"},
  {name = "later", edit = "late_onset", by = "100ms"},
  {name = "lost", edit = "missing", event = 2},
]
[reference.r]
duration = "1s"
events = [["200ms", "400ms"], ["600ms", "800ms"]]
"""


@settings(max_examples=scaled(80), deadline=None)
@given(weighings(), st.data())
def test_no_choice_that_leaves_an_order_is_lighter(
    problem: tuple[list[CalibrationCase], list[Coordinate], list[int]], data: st.DataObject
) -> None:
    """Every set of pairs is tried; preferences go both ways, with weights."""
    cases, coordinates, _ = problem
    every = [Pair(i, j) for i in range(len(cases)) for j in range(len(cases)) if i != j]
    pairs = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=6, unique=True))
    weights = [Fraction(data.draw(st.integers(1, 4)), 2) for _ in pairs]
    found = least_given_up(differences_of(coordinates, pairs), weights, Clock())

    def kept(out: tuple[int, ...]) -> list[Pair]:
        return [pair for k, pair in enumerate(pairs) if k not in out]

    choices = [out for size in range(len(pairs) + 1) for out in combinations(range(len(pairs)), size)]
    fitting = [out for out in choices if not kept(out) or margin_of(coordinates, kept(out)) > 0]
    assert found.proven
    assert found.places in fitting
    assert found.weight == min(sum((weights[k] for k in out), Fraction(0)) for out in fitting)


@settings(max_examples=scaled(60), deadline=None)
@given(weighings(), st.data())
def test_without_any_time_what_is_kept_is_ordered_and_is_not_nothing(
    problem: tuple[list[CalibrationCase], list[Coordinate], list[int]], data: st.DataObject
) -> None:
    """Out of time something is kept wherever a clause is lower on a worse case, and no less than one clause keeps."""
    cases, coordinates, _ = problem
    every = [Pair(i, j) for i in range(len(cases)) for j in range(len(cases)) if i != j]
    pairs = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=6, unique=True))
    weights = [Fraction(data.draw(st.integers(1, 4)), 3) for _ in pairs]
    found = least_given_up(differences_of(coordinates, pairs), weights, Clock.of(Fraction(0)))
    kept = [pair for k, pair in enumerate(pairs) if k not in found.places]
    assert bool(kept) == any(difference(c, pair) > 0 for c in coordinates for pair in pairs)
    assert not kept or margin_of(coordinates, kept) > 0
    assert found.weight == sum((weights[k] for k in found.places), Fraction(0))
    alone = (
        sum((w for p, w in zip(pairs, weights, strict=True) if difference(c, p) > 0), Fraction(0)) for c in coordinates
    )
    assert sum(weights) - found.weight >= max(alone, default=0), "at least what one clause keeps"
    assert found.bound <= found.weight


@settings(max_examples=scaled(40), deadline=None)
@given(weighings(), st.data())
def test_preferences_of_a_hidden_contract_are_all_kept(
    problem: tuple[list[CalibrationCase], list[Coordinate], list[int]], data: st.DataObject
) -> None:
    """Whatever weights somebody judges by, if they are on the candidates no judgement has to be given up."""
    cases, coordinates, _ = problem
    hidden = [data.draw(st.integers(0, 3)) for _ in coordinates]
    every = [Pair(i, j) for i in range(len(cases)) for j in range(len(cases)) if i != j]
    pairs = [p for p in every if sum(difference(c, p) * w for c, w in zip(coordinates, hidden, strict=True)) > 0]
    assume(pairs)
    found = least_given_up(differences_of(coordinates, pairs), [Fraction(1)] * len(pairs), Clock())
    assert (found.places, found.weight, found.proven) == ((), 0, True)


@settings(max_examples=scaled(60), deadline=None)
@given(weighings(), st.data())
def test_climbing_violates_no_more_than_the_hinge_program_it_begins_with(
    problem: tuple[list[CalibrationCase], list[Coordinate], list[int]], data: st.DataObject
) -> None:
    """The linear program of the least total hinge loss over all pairs and coordinates, solved at once."""
    cases, coordinates, _ = problem
    every = [Pair(i, j) for i in range(len(cases)) for j in range(len(cases)) if i != j]
    pairs = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=8, unique=True))
    weights = [Fraction(data.draw(st.integers(1, 4)), 2) for _ in pairs]
    differences = differences_of(coordinates, pairs)
    program = guessed_apart(differences, Clock(), np.array([int(2 * weight) for weight in weights], dtype=np.int64))
    found = climbed(differences, weights, Clock())
    if program is not None:
        lost = violated_weight(differences, weights, found)
        assert lost <= violated_weight(differences, weights, program)


@settings(max_examples=scaled(40), deadline=None)
@given(weighings(), st.data())
def test_a_fitted_size_has_as_many_clauses_and_the_loss_of_its_weights_is_least(
    problem: tuple[list[CalibrationCase], list[Coordinate], list[int]], data: st.DataObject
) -> None:
    """A general minimiser finds no better weights for the clauses of a size."""
    from scipy.optimize import minimize

    cases, coordinates, _ = problem
    every = [Pair(i, j) for i in range(len(cases)) for j in range(len(cases)) if i != j]
    pairs = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=8, unique=True))
    differences = differences_of(coordinates, pairs)
    likelihood = fitting._Likelihood.of(differences, np.ones(len(pairs), dtype=np.int64))
    for number, (columns, weights) in enumerate(likelihood.sizes(Clock()), 1):
        assert len(columns) == len(set(columns)) == number
        table = likelihood.table[:, columns]

        def loss(some: np.ndarray, table: np.ndarray = table) -> float:
            return float(np.logaddexp(0, -table @ some).mean() + fitting._PENALTY / 2 * some @ some)

        best = minimize(loss, np.ones(number), bounds=[(0, None)] * number)
        assert loss(weights) <= best.fun + 1e-5
    for one in fitting.fitted_sizes(differences, [Fraction(1)] * len(pairs), Clock()):
        assert all(weight >= 1 for _, weight in one)


def test_of_many_judgements_the_size_is_taken_that_agrees_with_those_left_out(tmp_path: Path) -> None:
    """One clause keeps all of 28 judgements by how late an onset is, but for two that are slips."""
    amounts = [40, 60, 80, 100, 120, 140, 160, 180]
    listed = ",\n".join(f'{{name = "c{ms}", edit = "late_onset", by = "{ms}ms", event = 1}}' for ms in amounts)
    text = re.sub(r"cases = \[.*?\]\n\[", f"cases = [{listed}]\n[", SET, flags=re.DOTALL)
    (tmp_path / "s.calibration").write_text(text, encoding="utf-8")
    rows = [f"c{a},c{b},{'a' if (a, b) in SLIPS else 'b'}" for a, b in combinations(amounts, 2)]
    (tmp_path / "p.csv").write_text("a,b,worse\n" + "\n".join(rows) + "\n", encoding="utf-8")
    done = run("select", "s.calibration", "--preferences", "p.csv", "--format", "json", folder=tmp_path)
    found = json.loads(done.out)
    assert found["selected"]["count"] == found["preferences"]["path"]["taken"] == 1
    violated = {(one["worse"], one["better"]) for one in found["preferences"]["violated"]}
    assert {("c40", "c60"), ("c60", "c80")} <= violated
    assert Fraction(found["preferences"]["bound"]) <= len(violated)
    assert found["preferences"]["path"]["sizes"][0]["agreement"]["of"] == len(rows)
    without_time = tracepact.select(
        tmp_path / "s.calibration", preferences=tmp_path / "p.csv", seconds=Fraction(0)
    ).selected
    assert without_time.count == 1, "out of time there is still an answer"
    shown = run("select", "s.calibration", "--preferences", "p.csv", folder=tmp_path)
    assert "of judgements left out kept" in " ".join(shown.out.split())


SLIPS = {(40, 60), (60, 80)}


def test_what_is_judged_both_ways_is_a_contradiction_with_the_weight_of_each_side() -> None:
    rows = [
        Preference(Pair(0, 1), Fraction(2), "ann", 2),
        Preference(Pair(1, 0), Fraction(1), "bob", 3),
        Preference(Pair(0, 2), Fraction(1), "ann", 4),
    ]
    assert list(Preferences("f", tuple(rows), 0).contradictions()) == [(Pair(0, 1), 2, 1)]


def written(folder: Path, table: str) -> None:
    (folder / "s.calibration").write_text(SET, encoding="utf-8")
    (folder / "p.csv").write_text(table, encoding="utf-8")


def test_a_contract_keeps_all_preferences_but_the_lighter_side_of_a_contradiction(tmp_path: Path) -> None:
    """By hand: lost below later below late can be kept; one judge says late is worse than lost, and is outvoted."""
    table = "a,b,worse,weight,judge\nlost,later,a,1,ann\nlate,later,later,1,ann\nlost,late,a,2,ann\nlate,lost,a,1,bob\n"
    written(tmp_path, table)
    done = run(
        "select", "s.calibration", "--preferences", "p.csv", "--holdout", "2", "--format", "json", folder=tmp_path
    )
    data = json.loads(done.out)
    assert done.code == 1  # something is violated
    found = data["preferences"]
    assert (found["violated_weight"], found["bound"]) == ("1", "1")
    assert [(one["worse"], one["better"], one["judges"]) for one in found["violated"]] == [("late", "lost", ["bob"])]
    assert [(one["worse"], one["better"]) for one in found["contradictions"]] == [("lost", "late")]
    assert found["agreement"]["of"] == 4
    names = [case["name"] for case in data["cases"]]
    mean = dict(zip(names, map(Fraction, data["selected"]["ordering"]["values"]), strict=True))
    assert mean["lost"] < mean["later"] < mean["late"]
    shown = run("select", "s.calibration", "--preferences", "p.csv", folder=tmp_path)
    assert "violated: `late` below `lost` (bob)" in shown.out
    said = f"{shown.out} {data['contract']['text']}"
    assert "kept pairs, by at least" in said
    assert "that were judged" in said
    assert "different rank" not in said  # ranks are not used
    assert not re.search(r"\branks?\b", said)
    assert {case["rank"] for case in data["cases"]} == {None}
    assert "Of the weight of the judgements, 5, it violates 1." in data["contract"]["text"]
    # One clause does it: of 20 frames, N[20ms] on ref_active loses 2 · 2 where it is late, 2 · 4 later, 10 lost.
    assert "s: 1 clause, proved smallest; it violates 1 of 5, the weight of the judgements" in shown.out


def test_the_order_of_the_rows_changes_nothing(tmp_path: Path) -> None:
    rows = ["lost,later,a", "late,later,b", "late,lost,a", "lost,late,a"]
    texts = []
    for order in (rows, rows[::-1]):
        written(tmp_path, "\n".join(["a,b,worse", *order]) + "\n")
        done = run("select", "s.calibration", "--preferences", "p.csv", "--format", "json", folder=tmp_path)
        data = json.loads(done.out)
        texts.append((data["contract"]["text"], data["preferences"]["violated"]))
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("table", "code"),
    [
        ("a,b,worse\nlate,gone,a\n", "unknown-case"),
        ("a,b,worse\nlate,late,a\n", "wrong-form"),
        ("a,b,worse\n", "wrong-form"),
        ("a,b,worse\nlate,lost,same\n", "wrong-form"),
        ("a,b,worse\nlate,lost,maybe\n", "wrong-form"),
        ("a,b,worse,weight\nlate,lost,a,-1\n", "wrong-form"),
        ("one,two\nlate,lost\n", "wrong-form"),
        ("", "wrong-form"),
    ],
)
def test_a_table_that_says_nothing_is_refused(table: str, code: str, tmp_path: Path) -> None:
    written(tmp_path, table)
    done = run("select", "s.calibration", "--preferences", "p.csv", folder=tmp_path)
    assert (done.code, done.codes[:1]) == (2, [code])


def test_an_empty_table_is_called_empty(tmp_path: Path) -> None:
    written(tmp_path, "")
    assert "the file is empty" in run("select", "s.calibration", "--preferences", "p.csv", folder=tmp_path).err


def test_judges_who_never_agree_get_the_heavier_half_and_no_empty_contract(tmp_path: Path) -> None:
    written(tmp_path, "a,b,worse,judge\nlate,lost,a,ann\nlate,lost,b,bob\n")
    done = run("select", "s.calibration", "--preferences", "p.csv", "--format", "json", folder=tmp_path)
    data = json.loads(done.out)
    assert data["preferences"]["violated_weight"] == "1"
    assert data["selected"]["count"] > 0
