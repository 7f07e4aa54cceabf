"""The names that Lean's kernel computes by itself: their bodies in the small `Init`, compared with it and Python."""

import math
import operator
import re
from collections.abc import Callable, Iterator

from tracepact.tools.prove.build import Build
from tracepact.tools.prove.text import lean_bool

OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": lambda a, b: max(a - b, 0),
    "mul": operator.mul,
    "div": lambda a, b: a // b if b else 0,
    "mod": lambda a, b: a % b if b else a,
    "gcd": math.gcd,
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
UNARY: dict[str, Callable[[int], int]] = {
    "log2": lambda a: a.bit_length() - 1 if a else 0,
    "half": lambda a: a // 2,
    "pred": lambda a: max(a - 1, 0),
}
_SMALL = {"pow": 3, "shiftLeft": 4}
"""How far the second argument goes where the value grows fast: unfolding counts one by one."""
_SIDE = 6
_LARGE = ((10**12 + 39, 17), (2**70 + 12, 96), (2**70 + 12, 2**71 + 24))
"""For the kernel alone: unfolding would take for ever."""
_DEFINITION = re.compile(r"^def Nat\.(\w+)[^\n]*\n(?:[ |][^\n]*\n)*", re.MULTILINE)
_NOT_UNFOLDED = frozenset({"ctorIdx", "decEq"})


def kernel_faults(build: Build) -> list[str]:
    """Where a body of the small `Init`, what the kernel computes under its name, and Python differ."""
    text = build.theory.stand_ins["Init"]
    missing = sorted({*OPERATIONS, *RELATIONS, *UNARY} - {match[1] for match in _DEFINITION.finditer(text)})
    if missing:
        return [f"Init does not define Nat.{name}, which the kernel may compute by name" for name in missing]
    lines, about = kernel_file(text)
    outcome = build.check("\n".join(lines) + "\n")
    wrong = [about.get(message.line, message.text) for message in outcome.messages if message.severity != "information"]
    if outcome.clean:
        return []
    return [f"Init: {said}" for said in wrong[:5]] or [f"Init: {outcome.fault}"]


def kernel_file(init: str) -> tuple[list[str], dict[int, str]]:
    """Tables as a Lean file, and what each of its lines is about.

    Each body is repeated there under a name that the kernel does not know and must unfold.
    """
    lines = [
        "set_option autoImplicit false",
        "set_option maxRecDepth 100000",
        "noncomputable section",
        "namespace Body",
    ]
    for match in _DEFINITION.finditer(init):
        if match[1] not in _NOT_UNFOLDED:
            renamed = re.sub(r"\bNat\.(?!le\b|succ\b|zero\b)(\w+)", r"Body.\1", match[0])
            lines += renamed.replace("def Body.", "def ", 1).splitlines()
    about = {}
    for name, arguments, value in _table():
        for place in ("Body", "Nat") if len(arguments) < 4 else ("Nat",):
            lines.append(f"example : Eq ({place}.{name} {arguments}) {value} := rfl")
            about[len(lines)] = f"Nat.{name} {arguments} is not {value}{' by its body' if place == 'Body' else ''}"
    return [*lines, "end Body"], about


def _table() -> Iterator[tuple[str, str, str]]:
    for a in range(_SIDE):
        for name, unary in UNARY.items():
            yield name, str(a), str(unary(a))
        for b in range(_SIDE):
            for name, operation in OPERATIONS.items():
                if b < _SMALL.get(name, _SIDE):
                    yield name, f"{a} {b}", str(operation(a, b))
            for name, relation in RELATIONS.items():
                yield name, f"{a} {b}", lean_bool(relation(a, b))
    for a, b in _LARGE:
        for name, operation in OPERATIONS.items():
            if b < 100 or name not in _SMALL:
                yield name, f"{a} {b}", str(operation(a, b))
        for name, relation in RELATIONS.items():
            yield name, f"{a} {b}", lean_bool(relation(a, b))
