"""A catalogue has one formula for each meaning, and every meaning that its rounds make; larger ones are refused."""

from typing import Any

import pytest

from tracepact.diagnostics.collection import InvalidInput
from tracepact.language.formula import And, Atom, Formula, Not, Or, size
from tracepact.logic.catalogue import Catalogue, catalogue
from tracepact.logic.decisions import Outcome, equivalent


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


def test_a_family_beyond_the_bound_can_be_drawn_from_and_the_seed_decides_what_is_drawn() -> None:
    def drawn(seed: int) -> Catalogue:
        return catalogue(["p", "q"], depth=2, sample=300, seed=seed)

    found = drawn(1)
    assert not found.complete
    assert 300 <= found.made <= 302
    texts = [entry.text for entry in found.entries]
    assert texts == [entry.text for entry in drawn(1).entries] != [entry.text for entry in drawn(2).entries]
    assert {"p", "q"} <= set(texts)
    whole = catalogue(["p"], windows=[(0, 1)])
    assert catalogue(["p"], windows=[(0, 1)], sample=whole.made) == whole
    assert whole.complete


def test_what_is_drawn_are_formulas_of_the_whole_family() -> None:
    whole = {entry.signature.digest for entry in catalogue(["p", "q"], windows=[(0, 1)]).entries}
    some = {entry.signature.digest for entry in catalogue(["p", "q"], windows=[(0, 1)], sample=200, seed=3).entries}
    assert some < whole


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"windows": ["N[20ms]"]}, "`N[20ms]`"),
        ({"windows": [(2, 1)]}, "`(2, 1)`"),
        ({"depth": -1}, "depth"),
        ({"depth": "2"}, "depth"),
        ({"radii": ["x"]}, "radius"),
        ({"sample": -3}, "sample"),
    ],
)
def test_arguments_that_are_not_of_their_kind_are_refused_by_name(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        catalogue(["p"], **arguments)
    assert [d.code for d in caught.value.diagnostics] == ["type-mismatch"]
    assert named in caught.value.diagnostics[0].headline


@pytest.mark.parametrize("name", ["p q", "U", "true", "", 1, "p & q", " p"])
def test_what_is_no_name_of_an_atom_is_refused(name: Any) -> None:
    with pytest.raises(InvalidInput, match="is not the name of an atom"):
        catalogue([name])


def test_a_catalogue_is_data() -> None:
    found = catalogue(["p"], windows=[(0, 1)])
    rows = found.to_dict()["entries"]
    assert sum(row["members"] for row in rows) == found.made
    assert len({row["signature"] for row in rows}) == len(rows)


def test_a_catalogue_becomes_a_frame() -> None:
    pytest.importorskip("pandas")
    found = catalogue(["p"], windows=[(0, 1)])
    assert len(found.to_frame()) == len(found.to_dict()["entries"])
