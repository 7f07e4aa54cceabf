"""From text to the core: contract files, contract texts, formulas, and a parsed contract lowered at any values."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from pathlib import Path

from tracepact.declarations import CONTRACT_ENDING, dataclass, renamed_argument, shown_path, starter_contracts
from tracepact.diagnostics.collection import Diagnostics, InvalidInput, require_type
from tracepact.diagnostics.findings import Diagnostic, RowPlace, Severity, Source, TextPlace, did_you_mean, nearest
from tracepact.inputs import read_bytes
from tracepact.language import syntax as s
from tracepact.language.contract import BUILTIN_ATOMS, CLASS_ATOMS, Contract, Located
from tracepact.language.formula import Formula, atoms
from tracepact.language.lowering import ContractLowering
from tracepact.language.printer import print_value
from tracepact.language.reader import read_document, read_formula, read_value
from tracepact.language.scope import SUSPICIOUS, Scope, lower_formula

# A contract as it was parsed: lowered at any values of its parameters without reading its text again.

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
        compiled = replace(contract, parsed=self, warnings=tuple(diagnostics.warnings))
        if len(self.lowered) >= _MOST_KEPT:
            del self.lowered[next(iter(self.lowered))]
        self.lowered[frozenset(self.values.items())] = compiled
        return compiled

    def at(self, values: Mapping[str, s.Value]) -> Contract:
        """The contract with these values on top of those set before; InvalidInput carries every error found."""
        # `replace` shares the dictionary `lowered` between all settings of one text: the second to ask gets what is
        # there.
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
        for name, written in overrides.items():
            text = str(written)  # callers from Python also give numbers
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
                faults = Diagnostics()
                replace(self, values={**self.values, name: value}).lower(faults, sweeps=False)
                shown, place = print_value(value), TextPlace(self.source, value.span)
                first: dict[str, Diagnostic] = {}
                for item in faults:
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


@renamed_argument("overrides", "set")
def override(contract: Contract, set: Mapping[str, str]) -> Contract:
    """The same contract with other values of parameters, on top of those set before.

    Args:
        contract: the contract to start from; it is not changed.
        set: new values of parameters, as text: `{"tol": "80ms"}`.

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
    values = parsed.read_values(set, diagnostics)
    if diagnostics.errors:
        # The sound values are lowered as well, so that the faults they cause are told in the same run.
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


# The ways from text to the core: contract files, contract texts, formulas.

_LARGEST = 1 << 26
"""Bytes that are read of a file to say that it is too large, or not text."""


def read_source(place: str | Path, diagnostics: Diagnostics) -> Source | None:
    """The text of a contract, named by its file or, if there is no such file, by the name of a starter contract."""
    starters = starter_contracts()
    starter = starters.get(str(place))
    if starter is not None and not Path(place).is_file():
        return read_file(starter, diagnostics)
    return read_file(place, diagnostics, _contract_meant(Path(place), starters))


def _contract_meant(place: Path, starters: Iterable[str]) -> str | None:
    """A help line for a contract that is not there: the file beside it that was meant, or the starters."""
    try:
        beside = [path.name for path in place.parent.iterdir() if path.suffix == CONTRACT_ENDING]
    except OSError:
        beside = []
    # `gate` for `gate.contract` is too short to be near it.
    near = place.name + CONTRACT_ENDING if place.name + CONTRACT_ENDING in beside else nearest(place.name, beside)
    if near is not None:
        return f"did you mean `{place.with_name(near)}`?"
    return None if place.suffix else did_you_mean(str(place), starters)


def read_file(path: str | Path, diagnostics: Diagnostics, help: str | None = None) -> Source | None:
    """The text of a contract file; None and a diagnostic if it cannot be read as text."""
    try:
        raw = read_bytes(path, _LARGEST)
    except (OSError, ValueError) as error:  # the second for a name that no file can have
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        diagnostics.add("unreadable-file", f"cannot read `{path}`: {reason}", RowPlace(str(path)), help)
        return None
    return decode_source(raw, shown_path(Path(path)), diagnostics)


def decode_source(raw: bytes, name: str, diagnostics: Diagnostics) -> Source | None:
    """The text of a contract given as bytes; None and a diagnostic if they are not text."""
    try:
        # A byte order mark is what Windows editors put first; it does not belong to the text (rule 1.1).
        return Source(name, raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        headline = f"byte {error.start} is not UTF-8 text"
        diagnostics.add("bad-encoding", headline, RowPlace(name, line), "save it as UTF-8")
        return None


@renamed_argument("overrides", "set")
def load_contract(path: str | Path, set: Mapping[str, str] | None = None) -> Contract:
    """Read and compile a contract file, or a starter contract by name.

    Args:
        path: a file, or the name of a starter contract such as `boundary_gate`; a file of that name comes first.
        set: new values of parameters, as text: `{"tol": "80ms"}`.

    Returns:
        The contract; what was found and is not an error is in its `warnings`.

    Raises:
        InvalidInput: the file cannot be read or has errors; it carries all of them.

    Examples:
        >>> import tracepact
        >>> gate = tracepact.load_contract("boundary_gate", {"tol": "80ms"})
        >>> [(p.name, p.text, p.overridden) for p in gate.parameters if p.name == "tol"]
        [('tol', '80ms', True)]
    """
    require_type(path, (str, os.PathLike), "the contract", "a path or the name of a starter contract")
    diagnostics = Diagnostics()
    source = read_source(path, diagnostics)
    contract = compile_source(source, diagnostics, set) if source else None
    if contract is None:
        raise InvalidInput(diagnostics)
    return contract


@renamed_argument("overrides", "set")
def parse_contract(text: str, set: Mapping[str, str] | None = None, *, name: str = "<text>") -> Contract:
    """Compile a contract given as text.

    Args:
        text: the text of the contract.
        set: new values of parameters, as text.
        name: what the text is called in diagnostics.

    Returns:
        The contract; what was found and is not an error is in its `warnings`.

    Raises:
        InvalidInput: the text has errors; it carries all of them.

    Examples:
        >>> import tracepact
        >>> text = "contract gate step 20ms clause onset on ref_onset : ref_onset -> N[40ms] pred_onset"
        >>> print(tracepact.parse_contract(text).text)
        contract gate
        step 20ms
        clause onset on ref_onset : ref_onset -> N[40ms] pred_onset
        <BLANKLINE>
        >>> tracepact.parse_contract(text.replace("on ref_onset", "on ref_onest"))
        Traceback (most recent call last):
        ...
        tracepact.diagnostics.collection.InvalidInput: ...
        error[unknown-atom]: unknown atom `ref_onest`
        ...
    """
    require_type(text, str, "the contract", "text")
    diagnostics = Diagnostics()
    contract = compile_source(source_of(text, name), diagnostics, set)
    if contract is None:
        raise InvalidInput(diagnostics)
    return contract


def source_of(text: str, name: str) -> Source:
    """The source of a contract given as text, without its byte order mark (rule 1.1)."""
    return Source(name, text.removeprefix("\ufeff"))


def parse_formula(text: str, step: Fraction, *, free_atoms: bool = True) -> Formula:
    """A core formula from text at a given step.

    Args:
        text: the formula, as chapter 2 of the language defines it.
        step: the length of a frame, in seconds; bounds of windows become frames with it.
        free_atoms: whether any name is an atom; otherwise only the built-in ones are.

    Returns:
        The formula with its windows in frames.

    Raises:
        InvalidInput: the text has errors; it carries all of them.

    Examples:
        >>> from fractions import Fraction
        >>> import tracepact
        >>> tracepact.parse_formula("F[0.14s] p", Fraction("0.02"))  # 7 frames; floating point would give 8
        Eventually(lo=0, hi=7, body=Atom(name='p'))
    """
    return parse_located(text, step, free_atoms=free_atoms).formula


def parse_located(text: str, step: Fraction, *, free_atoms: bool = True, name: str = "<formula>") -> Located:
    """The core formula of a text with its places and its bounds as written; InvalidInput carries every error found."""
    require_type(text, str, "the formula", "text")
    require_type(step, (Fraction, int), "the step", "a fraction of seconds")
    diagnostics = Diagnostics()
    if step <= 0:
        diagnostics.add("out-of-range", f"the step {step} is not greater than zero")
        diagnostics.raise_errors()
    located = compile_formula(Source(name, text), step, diagnostics, free_atoms=free_atoms)
    if located is None:
        raise InvalidInput(diagnostics)
    return located


def compile_formula(
    source: Source, step: Fraction, diagnostics: Diagnostics, *, free_atoms: bool = True
) -> Located | None:
    """The core formula of a source, or None if it has errors; findings go to `diagnostics`."""
    node = read_formula(source, diagnostics)
    if node is None:
        return None
    located = lower_formula(node, Scope(source, diagnostics, step, {}, frozenset(), free_atoms))
    return None if diagnostics.errors else located


def compile_source(
    source: Source, diagnostics: Diagnostics, overrides: Mapping[str, str] | None = None
) -> Contract | None:
    """The core contract of a source, or None if it has errors; findings go to `diagnostics`."""
    parsed = parse_source(source, diagnostics)
    values = parsed.read_values(overrides or {}, diagnostics)
    return replace(parsed, values=values).lower(diagnostics)


def _is_text(contract: str) -> bool:
    """Whether a string is contract text and not a path or the name of a starter: it has a clause."""
    return "clause" in contract.split()


def contract_from(contract: Contract | str | Path, set: Mapping[str, str] | None) -> Contract:
    """The contract that an argument stands for: itself, text, a file or the name of a starter."""
    match contract:
        case Contract():
            return override(contract, set) if set else contract
        case str() if _is_text(contract):
            return parse_contract(contract, set)
        case _:
            return load_contract(contract, set)


_CONNECTED = re.compile(r"[\[(!&|<>¬∧∨→↔]|(?:^|\s)not\s|\s(?:and|or|implies|iff)\s")
"""What a formula has and the name of a contract has not."""


def formula_contract(text: str, set: Mapping[str, str] | None = None) -> Contract | None:
    """A contract of one clause that asks a formula of every frame; None where the text is a name, a file or a contract.

    Names that are not built in are declared as atoms, so that they are free; a frame has 20 ms, as where formulas are
    asked about. InvalidInput carries every error of a formula.
    """
    if _is_text(text) or text.endswith(CONTRACT_ENDING) or not _CONNECTED.search(text) or os.path.exists(text):
        return None
    free = atoms(parse_formula(text, Fraction(1, 50))) - {*BUILTIN_ATOMS, *CLASS_ATOMS}
    declared = "".join(f"atom {name}\n" for name in sorted(free))
    return parse_contract(f"contract formula\nstep 20ms\n{declared}clause formula on true : {text}\n", set)
