"""The questions about contracts and formulas as Python functions."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Literal

from tracepact.core import Constant, Contract, Formula, atoms
from tracepact.diagnostics import Diagnostic, Diagnostics, InvalidInput, several
from tracepact.diagnostics.record import diagnostic_record
from tracepact.lang import parse_located
from tracepact.lang.explain import explain_contract
from tracepact.lang.reader import read_time
from tracepact.lang.scope import missing_unit
from tracepact.logic import Budget, Decision, Outcome, Terms, never_occurs, satisfiable
from tracepact.logic import equivalent as decide_equivalent
from tracepact.logic import implies as decide_implies
from tracepact.logic.diff import diff_contracts
from tracepact.logic.findings import CHECK_BUDGET, check_contract
from tracepact.logic.signature import signature_classes
from tracepact.logic.signature import signatures as truth_signatures
from tracepact.logic.vocabulary import over_base_atoms
from tracepact.tools.check.answers import Answer, ContractInWords, Findings, SignatureRow, Signatures, Simplified
from tracepact.tools.check.decision import decision_record
from tracepact.tools.check.simplify import SIMPLIFY_SECONDS, simplified_record
from tracepact.tools.presented import presented
from tracepact.tools.score.inputs import contract_from
from tracepact.wording import count

_MOST_CELLS = 1 << 22


def check(
    contract: Contract | str | Path,
    *,
    notes: bool = False,
    against: Contract | str | Path | None = None,
    timeout: float = CHECK_BUDGET.seconds,
) -> Findings:
    """Find what a contract gets wrong, in its text and in its meaning.

    Args:
        contract: a Contract, a path, the name of a starter contract, or contract text.
        notes: whether notes are reported too.
        against: an earlier version; what became stronger or weaker is reported.
        timeout: seconds for each question; after that it is reported as undecided.

    Returns:
        The findings; a contract whose text has errors raises instead.

    Raises:
        InvalidInput: a contract cannot be compiled; it carries every fault.

    Examples:
        >>> import tracepact
        >>> tracepact.check("boundary_gate")
        <Findings boundary_gate: 0 findings>
        >>> text = "contract c step 20ms clause a on ref_onset : N[30ms] pred_onset"
        >>> [found.code for found in tracepact.check(text).findings]
        ['off-grid-value']
    """
    compiled, budget = contract_from(contract, None), Budget(seconds=timeout)
    found = [*compiled.warnings, *check_contract(compiled, notes=notes, budget=budget)]
    if against is not None:
        found += diff_contracts(compiled, contract_from(against, None), budget=budget)
    return Findings(compiled.name, compiled.digest, tuple(map(diagnostic_record, found)))


def explain(contract: Contract | str | Path, *, set: Mapping[str, str] | None = None) -> ContractInWords:
    """Say in plain words what each clause of a contract means, and what it rests on.

    Args:
        contract: a Contract, a path, the name of a starter contract, or contract text.
        set: new values of the contract's parameters, as text.

    Returns:
        The clauses in words with their windows, and every setting, written or not.

    Raises:
        InvalidInput: the contract cannot be compiled; it carries every fault.

    Examples:
        >>> import tracepact
        >>> tracepact.explain("boundary_gate").clauses[-1].words
        'each reference event has a partner and is covered by at most one predicted event'
    """
    return presented(ContractInWords, explain_contract(contract_from(contract, set)))


def sat(
    formula: str,
    *,
    obligation: str | None = None,
    step: str | Fraction = "20ms",
    length: int | None = None,
    free: bool = False,
    timeout: float = Budget().seconds,
) -> Answer:
    """Whether a formula can hold at a frame of some trace, with a smallest one that shows it.

    Args:
        formula: the formula, as text; names that are not built in are free atoms.
        obligation: ask only about frames where this formula holds.
        step: the length of a frame, such as `20ms`; a number is in seconds, and 10 and more is refused.
        length: ask only about traces of this many frames; by default about every length.
        free: whether every atom is independent, onsets of activity too.
        timeout: seconds; after that the answer is `unknown`.

    Returns:
        The answer with the trace.

    Raises:
        InvalidInput: a formula or the step has errors; it carries all of them.

    Examples:
        >>> import tracepact
        >>> tracepact.sat("p & !p").outcome
        'no'
    """
    return _asked("sat", satisfiable, (formula,), obligation, step, length, free, timeout)


def implies(
    stronger: str,
    weaker: str,
    *,
    obligation: str | None = None,
    step: str | Fraction = "20ms",
    length: int | None = None,
    free: bool = False,
    timeout: float = Budget().seconds,
) -> Answer:
    """Whether one formula holds at every frame where another does.

    Args:
        stronger: the formula that should imply the other, as text.
        weaker: the formula that should follow.
        obligation: ask only about frames where this formula holds.
        step: the length of a frame, such as `20ms`; a number is in seconds, and 10 and more is refused.
        length: ask only about traces of this many frames; by default about every length.
        free: whether every atom is independent, onsets of activity too.
        timeout: seconds; after that the answer is `unknown`.

    Returns:
        The answer, with a smallest trace that shows a no.

    Raises:
        InvalidInput: a formula or the step has errors; it carries all of them.

    Examples:
        >>> import tracepact
        >>> tracepact.implies("N[20ms] p", "N[40ms] p")
        <Answer implies N[20ms] p, N[40ms] p: yes>
    """
    return _asked("implies", decide_implies, (stronger, weaker), obligation, step, length, free, timeout)


def equivalent(
    one: str,
    other: str,
    *,
    obligation: str | None = None,
    step: str | Fraction = "20ms",
    length: int | None = None,
    free: bool = False,
    timeout: float = Budget().seconds,
) -> Answer:
    """Whether two formulas hold at the same frames.

    Args:
        one: a formula, as text.
        other: the formula it is compared with.
        obligation: ask only about frames where this formula holds.
        step: the length of a frame, such as `20ms`; a number is in seconds, and 10 and more is refused.
        length: ask only about traces of this many frames; by default about every length.
        free: whether every atom is independent, onsets of activity too.
        timeout: seconds; after that the answer is `unknown`.

    Returns:
        The answer, with a smallest trace that shows a no.

    Raises:
        InvalidInput: a formula or the step has errors; it carries all of them.

    Examples:
        >>> import tracepact
        >>> tracepact.equivalent("N[1f] N[2f] p", "N[3f] p").outcome
        'yes'
    """
    return _asked("equivalent", decide_equivalent, (one, other), obligation, step, length, free, timeout)


def _asked(
    question: Literal["sat", "implies", "equivalent"],
    decide: Callable[..., Decision],
    texts: tuple[str, ...],
    obligation: str | None,
    step: str | Fraction,
    length: int | None,
    free: bool,
    timeout: float,
) -> Answer:
    exact = _step(step)
    names = ("first", "second")[: len(texts)]
    given = [*zip(names, texts, strict=True), *([("obligation", obligation)] if obligation is not None else [])]
    formulas = _parsed(given, exact)
    terms = Terms(formulas[len(texts)] if obligation is not None else None, length, free, Budget(seconds=timeout))
    decision = decide(*formulas[: len(texts)], terms)
    premise = formulas[0] if question == "implies" else Constant(True)
    is_open = decision.model is not None or decision.outcome is Outcome.UNKNOWN
    asks_of_some = question == "implies" or obligation is not None
    vacuous = asks_of_some and not is_open and never_occurs(premise, terms)
    return presented(Answer, decision_record(question, texts, obligation, exact, decision, vacuous=vacuous))


def simplify(
    formula: str, *, obligation: str | None = None, step: str | Fraction = "20ms", timeout: float = SIMPLIFY_SECONDS
) -> Simplified:
    """Write a formula with fewer parts and the same meaning on traces of every length.

    Bounds are in times where the formula has times alone, and in frames otherwise.

    Args:
        formula: the formula, as text; names that are not built in are free atoms.
        obligation: keep the meaning only at frames where this formula holds.
        step: the length of a frame, such as `20ms`; a number is in seconds, and 10 and more is refused.
        timeout: seconds for each question; a rewrite that is not confirmed within them is not made.

    Returns:
        The simpler formula as `simplified`, with the sizes of both and the number of rewrites.

    Raises:
        InvalidInput: a formula or the step has errors; it carries all of them.

    Examples:
        >>> import tracepact
        >>> tracepact.simplify("N[20ms] p & N[40ms] p").simplified
        'N[20ms] p'
    """
    exact = _step(step)
    given = [("formula", formula), *([("obligation", obligation)] if obligation is not None else [])]
    parsed = _parsed(given, exact)
    return presented(Simplified, simplified_record(formula, obligation, exact, parsed, timeout))


def signatures(
    formulas: Sequence[str], *, length: int = 4, atoms: Sequence[str] | None = None, step: str | Fraction = "20ms"
) -> Signatures:
    """The truth of formulas at every frame of every trace up to a length, and which of them agree everywhere.

    Args:
        formulas: the formulas, as text.
        length: the greatest number of frames; all lengths from one on are tried.
        atoms: the base atoms of the traces; by default those that the formulas need.
        step: the length of a frame, such as `20ms`; a number is in seconds, and 10 and more is refused.

    Returns:
        A digest and a count for each formula, and the classes of formulas with equal signatures.

    Raises:
        InvalidInput: a formula or the step has errors, there is one text in place of a list, or there are too many
            traces to enumerate.

    Examples:
        >>> import tracepact
        >>> found = tracepact.signatures(["F[1f] p", "p | F[1f,1f] p", "p"])
        >>> found.classes
        (('F[1f] p', 'p | F[1f,1f] p'), ('p',))
    """
    several(formulas, "signatures", "formulas")
    parsed = _parsed([(f"formula {k}", text) for k, text in enumerate(formulas, 1)], _step(step))
    needed = sorted({name for formula in parsed for name in _base(formula)})
    names = tuple(needed if atoms is None else several(atoms, "signatures", "atoms"))
    lengths = tuple(range(1, length + 1))
    cells = sum(n << (n * len(names)) for n in lengths)
    if cells > _MOST_CELLS:
        headline = f"{count(len(names), 'atom')} over {count(length, 'frame')} have more traces than are enumerated"
        raise InvalidInput([Diagnostic("out-of-range", headline, None, "take a smaller length")])
    found = truth_signatures(parsed, names, lengths)
    rows = tuple(SignatureRow(text, s.digest, s.true) for text, s in zip(formulas, found, strict=True))
    classes = tuple(tuple(formulas[index] for index in some) for some in signature_classes(found))
    return Signatures(names, lengths, found[0].places if found else 0, rows, classes)


def _base(formula: Formula) -> frozenset[str]:
    return atoms(over_base_atoms(formula))


def _parsed(given: Sequence[tuple[str, str]], step: Fraction) -> list[Formula]:
    """The formulas by what they are called; the faults of all at once."""
    found, faults = [], Diagnostics()
    for name, text in given:
        try:
            found.append(parse_located(text, step, name=name).formula)
        except InvalidInput as error:
            faults.extend(error.diagnostics)
    faults.raise_errors()
    return found


def _step(step: str | Fraction) -> Fraction:
    """The length of a frame; a text has a unit or is in seconds, as a number is; 10 and more needs its unit."""
    read = (step, "") if isinstance(step, Fraction) else read_time(str(step))
    if read is None or read[0] <= 0:
        raise InvalidInput([Diagnostic("bad-quantity", f"`{step}` is not the length of a frame", None, "write `20ms`")])
    if way := missing_unit(str(step).strip(), *read):
        raise InvalidInput([Diagnostic("unit-mismatch", f"`{step}` has no unit", None, way)])
    return read[0]
