"""Signatures: equal exactly when formulas agree everywhere on the universe; clauses on given traces."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import formulas, sized

from tracepact.evaluate.reference import truth
from tracepact.language.formula import Always, And, Atom, Eventually, Formula, Not, Until
from tracepact.logic.catalogue import (
    Universe,
    UniverseTooLarge,
    signature_classes,
    signatures,
)
from tracepact.logic.decisions import Outcome, Terms, equivalent
from tracepact.logic.models import Model, picture

P, Q = Atom("p"), Atom("q")


@given(formulas(("p", "q"), farthest=2, leaves=3), formulas(("p", "q"), farthest=2, leaves=3))
@settings(max_examples=sized(80))
def test_signatures_are_equal_exactly_when_the_solver_finds_no_difference_at_these_lengths(
    first: Formula, second: Formula
) -> None:
    a, b = signatures([first, second], ("p", "q"), range(1, 5), free=True)
    outcomes = {equivalent(first, second, Terms(length=n, free=True, minimise=False)).outcome for n in range(1, 5)}
    assert (a.digest == b.digest) == (outcomes == {Outcome.YES})


@given(formulas(("p", "q"), farthest=2, leaves=4))
@settings(max_examples=sized(50))
def test_a_signature_counts_what_the_reference_finds_true(formula: Formula) -> None:
    (found,) = signatures([formula], ("p", "q"), [1, 3], free=True)
    true = 0
    for frames in (1, 3):
        universe = Universe(("p", "q"), frames)
        true += sum(sum(truth(formula, universe.environment(e), frames)) for e in range(universe.size))
    assert (found.true, found.places) == (true, 1 * 4 + 3 * 64)


def test_equal_formulas_fall_into_one_class() -> None:
    some = [Eventually(0, 2, P), P, Not(Always(0, 2, Not(P))), Until(0, Q, P)]
    assert list(signature_classes(signatures(some, ("p", "q"), range(1, 5), free=True))) == [[0, 2], [1, 3]]


def test_an_onset_is_defined_unless_atoms_are_free() -> None:
    onset = And(Atom("ref_onset"), Not(Atom("ref_active")))
    (defined,) = signatures([onset], ("ref_active",), [3])
    (free,) = signatures([onset], ("ref_active", "ref_onset"), [3], free=True)
    assert (defined.true, free.true) == (0, 3 * 16)


def test_a_universe_that_is_too_large_is_refused() -> None:
    with pytest.raises(UniverseTooLarge):
        Universe(("p", "q", "r"), 12)


# Pictures


def test_a_picture_marks_the_frame_and_derives_the_edges() -> None:
    model = Model(4, {"ref_active": (False, True, True, False)}, 1)
    assert picture(model, ["ref_active", "ref_onset", "ref_offset"]).splitlines() == [
        "frame 1 of 4   ▼",
        "ref_active    ·██·",
        "ref_onset     ·█··",
        "ref_offset    ···█",
    ]


def test_a_long_stretch_of_equal_frames_is_cut_short() -> None:
    mask = tuple(i == 90 for i in range(100))
    lines = picture(Model(100, {"p": mask}, 0)).splitlines()
    assert lines[1] == "p" + " " * 15 + "····· …81 more… ····█·········"
    assert len(lines[0].rstrip()) == lines[0].index("▼") + 1


@given(st.integers(1, 200), st.data())
@settings(max_examples=sized(50))
def test_a_picture_shows_or_counts_every_frame(frames: int, data: st.DataObject) -> None:
    mask = tuple(data.draw(st.lists(st.booleans(), min_size=frames, max_size=frames)))
    model = Model(frames, {"p": mask}, data.draw(st.integers(0, frames - 1)))
    row = picture(model).splitlines()[1].split(maxsplit=1)[1]
    shown = sum(row.count(sign) for sign in "█·")
    left_out = sum(int(Fraction(part.split()[0])) for part in row.split("…") if part.endswith(" more"))
    assert shown + left_out == frames
