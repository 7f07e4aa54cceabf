"""A catalogue has one formula for each meaning, and every meaning that its rounds make; larger ones are refused."""

import pytest

from tracepact.core import And, Atom, Formula, Not, Or, size
from tracepact.diagnostics import InvalidInput
from tracepact.logic import Outcome, equivalent
from tracepact.logic.catalogue import catalogue


def same(a: Formula, b: Formula) -> bool:
    return equivalent(a, b).outcome is Outcome.YES


@pytest.mark.parametrize("names", [["p"], ["ref_onset"]])
def test_no_two_entries_mean_the_same_and_every_join_of_them_is_there_or_deeper(names: list[str]) -> None:
    found = catalogue(names, windows=[(0, 1)])
    formulas = [entry.formula for entry in found.entries]
    for i, one in enumerate(formulas):
        assert not any(same(one, other) for other in formulas[i + 1 :])
    atom = Atom(names[0])
    for made in (atom, Not(atom), And(atom, Not(atom)), Or(atom, Not(atom))):
        (entry,) = (entry for entry in found.entries if same(entry.formula, made))
        assert size(entry.formula) <= size(made)
    assert sum(entry.members for entry in found.entries) == found.made


def test_without_a_depth_there_are_the_connectives_alone() -> None:
    found = catalogue(["p", "q"], depth=0)
    assert {entry.text for entry in found.entries} >= {"p", "q", "!p", "p & q", "p | q", "p & !p", "p | !p"}
    assert len(found.entries) == 14  # of the sixteen functions of two atoms, all but equality and its negation


def test_a_catalogue_beyond_its_bound_is_refused() -> None:
    for atoms, windows, most in ((["p", "q"], [(0, 1)], 100), (["p"], [(0, 40)], 20_000)):
        with pytest.raises(InvalidInput) as caught:
            catalogue(atoms, windows=windows, most=most)
        assert [d.code for d in caught.value.diagnostics] == ["family-too-large"]
