"""The ways from text to the core: contract files, contract texts, formulas."""

import os
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from tracepact.core import Contract, Formula, Located
from tracepact.diagnostics import Diagnostics, InvalidInput, RowPlace, Source, did_you_mean, require_type
from tracepact.inputs import read_bytes
from tracepact.lang.formulas import lower_formula
from tracepact.lang.parsed import parse_source
from tracepact.lang.reader import read_formula
from tracepact.lang.scope import Scope
from tracepact.specs import shown_path, starter_contracts

_LARGEST = 1 << 26
"""Bytes that are read of a file to say that it is too large, or not text."""


def read_source(given: str | Path, diagnostics: Diagnostics) -> Source | None:
    """The text of a contract, named by its file or, if there is no such file, by the name of a starter contract."""
    starters = starter_contracts()
    starter = starters.get(str(given))
    if starter is not None and not Path(given).is_file():
        return read_file(starter, diagnostics)
    return read_file(given, diagnostics, None if Path(given).suffix else did_you_mean(str(given), starters))


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
        return Source(name, raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        headline = f"byte {error.start} is not UTF-8 text"
        diagnostics.add("bad-encoding", headline, RowPlace(name, line), "save it as UTF-8")
        return None


def load_contract(path: str | Path, overrides: Mapping[str, str] | None = None) -> Contract:
    """Read and compile a contract file, or a starter contract by name.

    Args:
        path: a file, or the name of a starter contract such as `boundary_gate`; a file of that name comes first.
        overrides: new values of parameters, as text: `{"tol": "80ms"}`.

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
    contract = compile_source(source, diagnostics, overrides) if source else None
    if contract is None:
        raise InvalidInput(diagnostics)
    return contract


def parse_contract(text: str, overrides: Mapping[str, str] | None = None, *, name: str = "<text>") -> Contract:
    """Compile a contract given as text.

    Args:
        text: the text of the contract.
        overrides: new values of parameters, as text.
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
        tracepact.diagnostics.collecting.InvalidInput: ...
        error[unknown-atom]: unknown atom `ref_onest`
        ...
    """
    require_type(text, str, "the contract", "text")
    diagnostics = Diagnostics()
    contract = compile_source(source_of(text, name), diagnostics, overrides)
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
