"""The retained basis of Python against `retained` of the Lean core, run by the kernel."""

from fractions import Fraction

import pytest
from hypothesis import strategies as st
from prove.test_differential import EXAMPLES, Statements, drawn
from selection.builders import PROVED, observation_of, value_tables

from tracepact.prove.build import Build
from tracepact.prove.text import lean_list
from tracepact.selection.basis import retain

pytestmark = pytest.mark.slow

TABLE = """\
def column : List Nat → Nat → Nat
  | .nil, _ => 0
  | .cons v _, .zero => v
  | .cons _ rest, .succ s => column rest s
def row : List (List Nat) → Nat → List Nat
  | .nil, _ => .nil
  | .cons r _, .zero => r
  | .cons _ rest, .succ c => row rest c
"""


def test_the_retained_basis_is_that_of_lean(core: Build) -> None:
    """Lean keeps the first of each class, so it is handed the candidates by cost, then order."""
    stated = Statements()
    stated.open(TABLE)
    strategy = value_tables(most=7).flatmap(
        lambda values: st.tuples(
            st.just(values), st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values))
        )
    )
    for number, (values, costs) in enumerate(drawn(strategy, EXAMPLES // 2)):
        basis = retain(observation_of(values), costs, lambda index: PROVED)
        numbers = {value: k for k, value in enumerate(sorted({v for r in values for v in r} | {Fraction(0)}))}
        rows = lean_list(lean_list(str(numbers[v]) for v in r) for r in values)
        ordered = sorted(range(len(values)), key=lambda index: (costs[index], index))
        kept = {coordinate.candidate for coordinate in basis.coordinates}
        stated.define(f"v{number}", "List (List Nat)", rows)
        left = f"retained (fun c s => column (row v{number} c) s) {len(values[0])} {lean_list(map(str, ordered))}"
        stated.state(left, lean_list(str(index) for index in ordered if index in kept), (values, costs))
    stated.check(core)
