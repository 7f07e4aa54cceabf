"""Declared atoms in calibration sets: masks of references and cases, in families, obligations and authors' clauses."""

from fractions import Fraction
from pathlib import Path

import pytest
from cli.command import run

from tracepact import score
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Source
from tracepact.language.compilation import parse_formula
from tracepact.logic.decisions import Outcome
from tracepact.selection.calibration_reader import read_calibration
from tracepact.selection.candidates import FrameCandidate
from tracepact.selection.requirements import SelectionRequirement
from tracepact.selection.selection import contract_text, select_contract
from tracepact.selection.trials import Prover

SET = """step = "100ms"
cases = [
  {name = "fine", rank = 0, edit = "none"},
  {name = "outside", rank = 1, edit = "extra", at = "5s", for = "1s"},
  {name = "in the zone", rank = 2, edit = "extra", at = "3s", for = "1s"},
]
[reference.r]
duration = "8s"
events = [["1s", "2s"]]
masks = {zone = [["2.5s", "4.5s"]]}
[family]
atoms = ["pred_active"]
obligations = ["zone & !ref_active", "!ref_active"]
operators = []
depth = 0
each = []
"""
"""Both extra events are 10 frames of silence. Only `zone & !ref_active -> !pred_active` tells where they are."""


def test_a_declared_atom_can_be_what_tells_two_cases_apart() -> None:
    """By hand: the zone has 20 frames, 10 of them are active in the last case; outside it nothing is judged."""
    calibration = read_calibration(Source("zones", SET))
    assert calibration.atoms == ("zone",)
    found = select_contract(calibration, requirements=(SelectionRequirement.ORDER,))
    values = {coordinate.values for coordinate in found.coordinates}
    assert (1, 1, Fraction(1, 2)) in values
    text = contract_text(found)
    assert "atom zone" in text
    for name, at, low in (("outside", 5, False), ("in the zone", 3, True)):
        mask = sum(1 << k for k in range(25, 45))
        scored = score(text, [(1, 2)], [(1, 2), (at, at + 1)], durations=8, masks={"zone": {"clip": mask}})
        zone = next(c for c in scored.vector if "zone" in c)
        assert (scored.vector[zone] == Fraction(1, 2)) == low, name


def test_a_contract_that_mentions_no_declared_atom_declares_none() -> None:
    found = select_contract(
        read_calibration(Source("zones", SET.replace("zone & !ref_active", "!ref_active & !pred_onset")))
    )
    assert "atom zone" not in contract_text(found)


def test_a_case_has_the_masks_of_its_reference_unless_it_says_otherwise() -> None:
    own = SET.replace('at = "5s", for = "1s"', 'at = "5s", for = "1s", masks = {zone = [["0s", "1s"]], other = []}')
    found = read_calibration(Source("zones", own))
    assert [dict(case.masks).get("zone") for case in found.cases] == [
        ((Fraction(5, 2), Fraction(9, 2)),),
        ((0, 1),),
        ((Fraction(5, 2), Fraction(9, 2)),),
    ]
    assert found.atoms == ("zone", "other")


def test_a_candidate_that_only_some_masks_satisfy_is_not_perfect() -> None:
    """Short traces are tried with the zone nowhere; a formula that only holds there is not proved by them."""
    step = Fraction(1, 10)
    for text, outcome in (
        ("ref_onset -> zone", Outcome.NO),
        ("ref_onset -> !zone", Outcome.NO),
        ("zone -> !pred_active | ref_active", Outcome.YES),
    ):
        formula = parse_formula(text, step)
        obligation = parse_formula(text.partition(" ->")[0], step)
        assert Prover(step).decide(FrameCandidate(obligation, formula)).outcome is outcome, text


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("zone = [[", "ref_active = [[", "cannot be the name of a declared atom"),
        ('masks = {zone = [["2.5s", "4.5s"]]}', "masks = 3", "`masks` is a table of atoms"),
        ('"4.5s"', '"9s"', "it ends after its clip"),
        ("zone & !ref_active", "zonne & !ref_active", "unknown atom `zonne`"),
        ('["pred_active"]', '["pred_active", "zonne"]', "zonne"),
    ],
)
def test_masks_that_make_no_sense_are_said(old: str, new: str, fault: str) -> None:
    with pytest.raises(InvalidInput, match=fault):
        read_calibration(Source("zones", SET.replace(old, new)))


def test_authors_clauses_may_use_the_atoms_of_the_cases(tmp_path: Path) -> None:
    (tmp_path / "zones.calibration").write_text(SET)
    mine = "contract mine\nstep 100ms\natom zone\nclause calm on zone : zone & !ref_active -> !pred_active\n"
    (tmp_path / "mine.contract").write_text(mine)
    given = ["select", str(tmp_path / "zones.calibration"), "--clauses", str(tmp_path / "mine.contract")]
    found = run(*given, "--family", "none", "--guarantee", "separate")
    assert found.code == 1, "one pair is not in the zone"
    assert "calm" in found.out
    (tmp_path / "mine.contract").write_text(mine.replace("zone", "room"))
    found = run(*given, "--family", "none")
    assert found.code == 2
    assert "no case has a mask for the atom `room`" in found.err
