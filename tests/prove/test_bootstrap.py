"""The bodies of the small `Init` agree with what the kernel computes under those names, and with Python."""

import re
from pathlib import Path

import pytest
from prove.copies import changed_theory, lean_says

from tracepact.prove.build import OPERATIONS, RELATIONS, UNARY, Build, kernel_faults
from tracepact.prove.theory import Theory
from tracepact.prove.toolchain import ToolchainKind

pytestmark = pytest.mark.slow

_MIGHT_BE_KNOWN = """
lcm max min blt modCore divCore dist choose ceilDiv rem quot ldiff nand nor compare bne ediv emod tdiv fdiv fmod
divExact log root xgcd powMod rotateLeft setBit hasDecEq decLe imax
"""
"""Names that the kernel could compute by itself and does not: two arguments each."""


@pytest.fixture(autouse=True)
def _wheel(core: Build) -> None:
    if core.toolchain.kind is ToolchainKind.LAKE:
        pytest.skip("a full toolchain has Lean's own `Init`")


def test_bodies_agree_with_the_kernel_and_with_python(core: Build) -> None:
    assert kernel_faults(core) == []


def test_a_wrong_body_is_noticed(core: Build, tmp_path: Path) -> None:
    """The kernel goes on computing the true value by name; the body under another name gives it away."""
    root = changed_theory(
        core,
        tmp_path,
        "bootstrap/Init.lean",
        "(Nat.gcdFuel fuel (Nat.mod n m) m)",
        "(Nat.gcdFuel fuel (Nat.mod m n) m)",
    )
    faults = kernel_faults(Build(core.toolchain, Theory(root), core.folder))
    assert faults
    assert all(fault.startswith("Init: Nat.gcd ") and fault.endswith("by its body") for fault in faults)


@pytest.mark.parametrize("name", [*OPERATIONS, *RELATIONS, "log2"])
def test_no_name_that_the_kernel_computes_can_be_defined_anew(core: Build, name: str) -> None:
    arguments = "_" if name in UNARY else "_ _"
    text = f"noncomputable section\ndef Nat.{name} ({arguments} : Nat) : Nat := 77\n"
    assert "already been declared" in lean_says(core, text).fault


def test_the_kernel_computes_no_other_name_by_itself(core: Build) -> None:
    """With a body that is wrong for every such name, the body is what the kernel goes by."""
    lines = ["noncomputable section"]
    for name in _MIGHT_BE_KNOWN.split():
        lines += [
            f"def Nat.{name} (_ _ : Nat) : Nat := 77",
            f"example : Eq (Nat.beq (Nat.{name} 12 8) 77) .true := rfl",
        ]
    outcome = lean_says(core, "\n".join(lines) + "\n")
    assert outcome.clean, outcome.fault


def test_the_header_names_what_the_kernel_computes(theory: Theory) -> None:
    header = theory.stand_ins["Init"].split("-/")[0]
    trust = header[header.index("Trust:") : header.index("So every one")]
    assert set(re.findall(r"`Nat\.(\w+)`", trust)) == (set(OPERATIONS) | set(RELATIONS) | {"log2"}) - {"testBit"}
