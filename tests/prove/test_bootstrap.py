"""The bodies of the small `Init` agree with what the kernel computes under those names, and with Python."""

import operator
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tracepact.tools.prove.build import Build
from tracepact.tools.prove.theory import Theory
from tracepact.tools.prove.toolchain import Kind

pytestmark = pytest.mark.slow

OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": lambda a, b: max(a - b, 0),
    "mul": operator.mul,
    "pow": operator.pow,
    "land": operator.and_,
    "lor": operator.or_,
    "xor": operator.xor,
    "shiftLeft": operator.lshift,
    "shiftRight": operator.rshift,
}
RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "beq": operator.eq,
    "ble": operator.le,
    "testBit": lambda a, b: bool(a >> b & 1),
}
SMALL = {"pow": 3, "shiftLeft": 4}
"""How far the second argument goes where the value grows fast: unfolding counts one by one."""

_DEFINITION = re.compile(r"^def Nat\.(\w+)[^\n]*\n(?:[ |][^\n]*\n)*", re.MULTILINE)


def _bodies(theory: Theory) -> dict[str, str]:
    """The definitions of `Init` under another name, which the kernel does not know and must unfold."""
    text = theory.stand_ins["Init"].read_text("utf-8")
    return {match[1]: match[0] for match in _DEFINITION.finditer(text)}


def test_bodies_agree_with_the_kernel_and_with_python(core: Build, theory: Theory, lean_file: Path) -> None:
    if core.toolchain.kind is Kind.LAKE:
        pytest.skip("a full toolchain has Lean's own `Init`")
    bodies = _bodies(theory)
    assert set(OPERATIONS) | set(RELATIONS) <= set(bodies)
    wanted = [name for name in bodies if name not in ("ctorIdx", "decEq")]
    lines = [
        "set_option autoImplicit false",
        "set_option maxRecDepth 100000",
        "noncomputable section",
        "namespace Body",
    ]
    for name in wanted:
        renamed = re.sub(r"\bNat\.(?!le\b|succ\b|zero\b)(\w+)", r"Body.\1", bodies[name])
        lines.append(renamed.replace("def Body.", "def ", 1))
    for name, python in OPERATIONS.items():
        for a in range(10):
            for b in range(SMALL.get(name, 10)):
                value = python(a, b)
                lines.append(f"example : Eq (Body.{name} {a} {b}) {value} := rfl")
                lines.append(f"example : Eq (Nat.{name} {a} {b}) {value} := rfl")
    for name, relation in RELATIONS.items():
        for a in range(10):
            for b in range(10):
                truth = ".true" if relation(a, b) else ".false"
                lines.append(f"example : Eq (Body.{name} {a} {b}) {truth} := rfl")
                lines.append(f"example : Eq (Nat.{name} {a} {b}) {truth} := rfl")
    lines.append("end Body")
    lean_file.write_text("\n".join(lines) + "\n", "utf-8")
    outcome = core.run(lean_file)
    assert outcome.clean, outcome.fault


def test_the_operations_that_the_kernel_knows_are_all_tested(theory: Theory) -> None:
    header = theory.stand_ins["Init"].read_text("utf-8").split("-/")[0]
    trust = header[header.index("Trust:") : header.index("by *name*")]
    assert set(re.findall(r"`Nat\.(\w+)`", trust)) == (set(OPERATIONS) | set(RELATIONS)) - {"testBit"}
