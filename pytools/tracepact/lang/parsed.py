"""A contract as it was parsed: lowered at any values of its parameters without reading its text again."""

from collections.abc import Mapping
from dataclasses import field, replace
from fractions import Fraction

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, Diagnostics, InvalidInput, Severity, Source, TextPlace, did_you_mean
from tracepact.frozen import dataclass
from tracepact.lang import syntax as s
from tracepact.lang.contracts import ContractLowering
from tracepact.lang.printer import print_value
from tracepact.lang.reader import read_document, read_value
from tracepact.lang.scope import SUSPICIOUS

_MOST_KEPT = 1024
"""How many contracts of one text are kept; beyond that the oldest is lowered again when asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class ParsedContract:
    """A source with its statements, and the values that were set in place of declared ones.

    `lowered` keeps the contract of every setting that was asked for; all settings of one text share it.
    """

    source: Source
    document: s.Document
    values: Mapping[str, s.Value] = field(default_factory=dict)
    lowered: dict[frozenset[tuple[str, s.Value]], Contract] = field(default_factory=dict)

    def lower(self, diagnostics: Diagnostics, *, sweeps: bool = True) -> Contract | None:
        """The core contract, or None if there are errors; findings, with those of `sweeps`, go to `diagnostics`."""
        contract = ContractLowering(self._written(), self.source, diagnostics, frozenset(self.values)).contract()
        if sweeps and not diagnostics.errors:
            self._check_sweeps(diagnostics)
        diagnostics.items.sort(key=_start)
        if diagnostics.errors:
            return None
        found = replace(contract, parsed=self, warnings=tuple(diagnostics.warnings))
        if len(self.lowered) >= _MOST_KEPT:
            del self.lowered[next(iter(self.lowered))]
        self.lowered[frozenset(self.values.items())] = found
        return found

    def at(self, values: Mapping[str, s.Value]) -> Contract:
        """The contract with these values on top of those set before; InvalidInput carries every error found."""
        setting = replace(self, values={**self.values, **values})
        known = self.lowered.get(frozenset(setting.values.items()))
        if known is not None:
            return known
        diagnostics = Diagnostics()
        contract = setting.lower(diagnostics, sweeps=False)
        if contract is None:
            raise InvalidInput(diagnostics)
        return contract

    def read_values(self, overrides: Mapping[str, str], diagnostics: Diagnostics) -> dict[str, s.Value]:
        """The values that texts such as `80ms` stand for; what is not a value or sets no parameter is reported.

        So is a large number without a unit where a time is declared: 300 would be five minutes.
        """
        declared = {d.name.text for d in self.document.statements if isinstance(d, s.ParamDecl)}
        as_declared = replace(self, values={})
        values: dict[str, s.Value] = {}
        for name, given in overrides.items():
            text = str(given)  # callers from Python also give numbers
            value = read_value(Source(f"--set {name}", text), diagnostics)
            if name not in declared:
                diagnostics.add(
                    "unknown-override",
                    f"the contract has no parameter `{name}` to set",
                    help=did_you_mean(name, declared) or "it declares no parameters",
                )
            elif value is not None and as_declared.unit(name) and _lacks_unit(value):
                diagnostics.add(
                    "unit-mismatch",
                    f"`{name}` is a time, but `{text}` has no unit",
                    help=f"write `{text}ms`; the units are ms, s and f (frames)",
                )
            elif value is not None:
                values[name] = value
        return values

    def unit(self, parameter: str) -> str:
        """The unit in which a parameter is written now; empty for a plain number."""
        declared = {d.name.text: d.value for d in self.document.statements if isinstance(d, s.ParamDecl)}
        body = self.values.get(parameter, declared[parameter]).body
        return body.unit if isinstance(body, s.Quantity) else ""

    def _written(self) -> s.Document:
        """The statements with the set values, each in the place of the one it stands for."""
        statements = tuple(
            replace(d, value=replace(self.values[d.name.text], span=d.value.span))
            if isinstance(d, s.ParamDecl) and d.name.text in self.values
            else d
            for d in self.document.statements
        )
        return replace(self.document, statements=statements)

    def _check_sweeps(self, diagnostics: Diagnostics) -> None:
        """Lower the contract with each value of a sweep (rule 3.5), and report there what is wrong with it."""
        for sweep in (d for d in self.document.statements if isinstance(d, s.SweepDecl)):
            name = sweep.name.text
            for value in sweep.values:
                found = Diagnostics()
                replace(self, values={**self.values, name: value}).lower(found, sweeps=False)
                shown, place = print_value(value), TextPlace(self.source, value.span)
                first: dict[str, Diagnostic] = {}
                for item in found:
                    if _blames(item, name):
                        first.setdefault(item.code, item)
                for code, item in first.items():
                    way = f"write `{shown}ms`, or `{shown}s` if you mean it" if code == "bare-seconds" else item.help
                    diagnostics.add(code, f"with `{name} = {shown}`, {item.headline}", place, way)


def parse_source(source: Source, diagnostics: Diagnostics) -> ParsedContract:
    """The statements of a source; faults go to `diagnostics`."""
    return ParsedContract(source, read_document(source, diagnostics))


def parsed_of(contract: Contract) -> ParsedContract:
    """What a contract was lowered from; ValueError if it was made without a text."""
    if not isinstance(contract.parsed, ParsedContract):
        raise ValueError(f"the contract `{contract.name}` was not read from a text")
    return contract.parsed


def override(contract: Contract, overrides: Mapping[str, str]) -> Contract:
    """The same contract with other values of parameters, on top of those set before.

    Args:
        contract: the contract to start from; it is not changed.
        overrides: new values of parameters, as text: `{"tol": "80ms"}`.

    Returns:
        The contract that the text with these values written in would give.

    Raises:
        InvalidInput: there is no such parameter, a time of 10 or more has no unit, or the contract has an error with
            the new value.

    Examples:
        >>> import tracepact
        >>> gate = tracepact.load_contract("boundary_gate")
        >>> wider = tracepact.override(gate, {"tol": "80ms"})
        >>> gate.digest == wider.digest
        False
    """
    parsed, diagnostics = parsed_of(contract), Diagnostics()
    values = parsed.read_values(overrides, diagnostics)
    if diagnostics.errors:
        replace(parsed, values={**parsed.values, **values}).lower(diagnostics)
        raise InvalidInput(diagnostics)
    return parsed.at(values)


def at_value(contract: Contract, parameter: str, value: Fraction) -> Contract:
    """The contract with another value of a parameter, in seconds if it is written with a unit.

    InvalidInput carries every error found.
    """
    parsed = parsed_of(contract)
    unit = parsed.unit(parameter)
    number = value / (contract.step if unit == "f" else s.SECONDS[unit])
    return parsed.at({parameter: s.Value(s.Quantity(abs(number), unit), number < 0)})


def at_sweep_point(contract: Contract, parameter: str, text: str) -> Contract:
    """The contract at a value of its own sweep; one without a unit was warned of where it is written (rule 3.5)."""
    diagnostics = Diagnostics()
    value = read_value(Source(f"sweep {parameter}", text), diagnostics)
    if value is None:
        raise InvalidInput(diagnostics)
    return parsed_of(contract).at({parameter: value})


def _lacks_unit(value: s.Value) -> bool:
    """Whether a value is a number that was most likely meant in milliseconds."""
    return isinstance(value.body, s.Quantity) and not value.body.unit and value.body.value >= SUSPICIOUS


def _blames(item: Diagnostic, parameter: str) -> bool:
    """Whether a finding on a contract that was sound before comes from the value of this parameter."""
    if item.severity is Severity.ERROR:
        return True
    if item.code != "bare-seconds" or not isinstance(item.place, TextPlace):
        return False
    span = item.place.span
    return item.place.source.text[span.start : span.end].lstrip("- ") == parameter


def _start(diagnostic: Diagnostic) -> int:
    """Where a finding stands; what has no place comes first."""
    return diagnostic.place.span.start if isinstance(diagnostic.place, TextPlace) else -1
