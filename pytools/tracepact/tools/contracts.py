"""Contracts as a command line names them: by file or by name, with values of parameters from `--set`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics
from tracepact.lang import load_contract, parsed_of
from tracepact.lang.reader import read_time
from tracepact.lang.scope import SUSPICIOUS


def given_contract(contract: str, overrides: Sequence[tuple[str, str]]) -> Contract:
    """A contract with the values that `--set` gives; InvalidInput as `load_contract`, or for a time without a unit."""
    found = load_contract(contract, dict(overrides))
    require_units(found, dict(overrides))
    return found


def require_units(contract: Contract, values: Mapping[str, str]) -> None:
    """InvalidInput for a large number without a unit where the contract declares a time: 300 would be five minutes."""
    declared, faults = replace(parsed_of(contract), values={}), Diagnostics()
    known = {parameter.name for parameter in contract.parameters}
    for name, text in values.items():
        found = read_time(text)
        if name in known and declared.unit(name) and found and not found[1] and found[0] >= SUSPICIOUS:
            faults.add(
                "unit-mismatch",
                f"`{name}` is a time, but `{text}` has no unit",
                help=f"write `{text}ms`; the units are ms, s and f (frames)",
            )
    faults.raise_errors()
