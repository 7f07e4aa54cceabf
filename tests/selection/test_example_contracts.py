"""The contracts in examples/08-select, scored on the nine cases one by one: each does what it was selected for."""

from fractions import Fraction
from pathlib import Path

import pytest

from tracepact import load_contract, score, spec_path, try_contract
from tracepact.selection.calibration import CalibrationCase
from tracepact.selection.calibration_reader import load_calibration
from tracepact.selection.exploits import cast_cases
from tracepact.selection.requirements import faults, rank_pairs
from tracepact.selection.robustness import disturbances

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "08-select" / "contracts"
CALIBRATION = load_calibration("boundary_gate")


def vectors(name: str, cases: tuple[CalibrationCase, ...]) -> tuple[list[dict[str, Fraction]], list[Fraction]]:
    """The vector of every case scored alone, and its mean under the profile, if there is one."""
    contract = load_contract(FOLDER / f"{name}.contract")
    weights = dict(contract.profiles[0].weights) if contract.profiles else {}
    found = []
    for case in cases:
        sides = ([(e.onset, e.offset, e.label) for e in side] for side in (case.ref, case.pred))
        found.append(dict(score(contract, *sides, durations=case.duration).vector))
    total = sum(weights.values(), Fraction(0)) or 1
    means = [sum((values[c] * w for c, w in weights.items()), Fraction(0)) / total for values in found]
    return found, means


def separated(found: list[dict[str, Fraction]], cases: tuple[CalibrationCase, ...]) -> bool:
    return all(any(found[p.worse][c] < found[p.better][c] for c in found[0]) for p in rank_pairs(cases))


def ordered(means: list[Fraction], cases: tuple[CalibrationCase, ...]) -> bool:
    return all(means[p.worse] < means[p.better] for p in rank_pairs(cases))


def named(found: list[dict[str, Fraction]], cases: tuple[CalibrationCase, ...]) -> int:
    """How many faults have a clause that is lower on each of their cases than on every other case."""
    return sum(
        any(max(found[k][c] for k in one.cases) < min(found[k][c] for k in one.others) for c in found[0])
        for one in faults(cases)
    )


@pytest.mark.parametrize(
    ("name", "clauses", "orders", "names"),
    [("separate", 3, False, False), ("order", 3, True, False), ("name", 7, False, True), ("both", 7, True, True)],
)
def test_a_contract_does_what_it_was_selected_for(name: str, clauses: int, orders: bool, names: bool) -> None:
    cases = CALIBRATION.cases
    found, means = vectors(name, cases)
    assert len(found[0]) == clauses
    assert separated(found, cases) or name == "name"
    assert ordered(means, cases) or not orders
    assert (named(found, cases) == 7) == names


def test_the_robust_contract_orders_every_disturbed_copy() -> None:
    """What no candidate meets is not required; the README says how many that is."""
    for _, cases in [("as they are", CALIBRATION.cases), *disturbances(CALIBRATION)]:
        found, means = vectors("robust", cases)
        assert separated(found, cases)
        assert ordered(means, cases)


SHIPPED = sorted(path.stem for path in spec_path("calibration").glob("*.contract"))


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_contract_keeps_the_order_of_its_set_above_every_useless_system(name: str) -> None:
    """Each case, and each system of the cast, is scored alone by the contract as it is in the file."""
    calibration = load_calibration(name)
    contract = load_contract(spec_path(f"calibration/{name}.contract"))
    weights = dict(contract.profiles[0].weights)

    def mean(case: CalibrationCase) -> Fraction:
        sides = ([(e.onset, e.offset, e.label) for e in side] for side in (case.ref, case.pred))
        vector = score(contract, *sides, durations=case.duration).vector
        return sum((vector[c] * w for c, w in weights.items()), Fraction(0)) / sum(weights.values())

    means = [mean(case) for case in calibration.cases]
    assert ordered(means, calibration.cases)
    limits = {case.name: value for case, value in zip(calibration.cases, means, strict=True)}
    for case in cast_cases(calibration):
        assert mean(case) < min(limits[below] for below in case.below)
    assert not try_contract(contract).findings
    assert not [one for one in contract.warnings if one.severity.value != "note"]
