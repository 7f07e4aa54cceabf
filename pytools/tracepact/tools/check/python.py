"""The questions about contracts and formulas as Python functions with results that print well."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from tracepact.core import Constant, Contract, Formula, atoms
from tracepact.diagnostics import Diagnostic, Diagnostics, InvalidInput
from tracepact.diagnostics.record import DiagnosticRecord, diagnostic_record
from tracepact.lang import parse_located
from tracepact.lang.explain import Explanation, explain_contract
from tracepact.lang.reader import read_time
from tracepact.logic import Budget, Decision, Outcome, Terms, never_occurs, satisfiable
from tracepact.logic import equivalent as decide_equivalent
from tracepact.logic import implies as decide_implies
from tracepact.logic.diff import diff_contracts
from tracepact.logic.findings import CHECK_BUDGET, check_contract
from tracepact.logic.signature import signature_classes
from tracepact.logic.signature import signatures as truth_signatures
from tracepact.logic.vocabulary import over_base_atoms
from tracepact.records import Count, Digest, Name, Record
from tracepact.show.table import Table, numbers, words
from tracepact.tools.check.decision import DecisionRecord, decision_record
from tracepact.tools.presented import Presented, presented
from tracepact.tools.score.report.timeline import lane
from tracepact.tools.score.run import contract_from
from tracepact.wording import count

_MOST_CELLS = 1 << 22
_WIDEST = 76


class Findings(Presented, Record, frozen=True):
    """What a check found in a contract."""

    contract: Name
    digest: Annotated[Digest, Meta(description="The digest of the contract (11.3).")]
    findings: tuple[DiagnosticRecord, ...]

    @property
    def ok(self) -> bool:
        """Whether there is neither an error nor a warning."""
        return all(found.severity == "note" for found in self.findings)

    def brief(self) -> str:
        """The contract and the number of findings."""
        return f"{self.contract}: {count(len(self.findings), 'finding')}"

    def lines(self) -> list[str]:
        """Each finding, or that there is none."""
        return [f"{self.contract}: {'ok' if not self.findings else count(len(self.findings), 'finding')}"]

    def tables(self) -> list[Table]:
        """A row for each finding."""
        rows = [[f.severity, f.code, f.headline, f.help or ""] for f in self.findings]
        return [Table("", words("severity", "code", "finding", "help"), rows)] if rows else []

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """A row for each finding."""
        columns = ("severity", "code", "headline", "help")
        return columns, [[f.severity, f.code, f.headline, f.help] for f in self.findings]


class ContractInWords(Presented, Explanation, frozen=True):
    """A contract in plain words."""

    def brief(self) -> str:
        """The contract and the number of its clauses."""
        return f"{self.contract}: {count(len(self.clauses), 'clause')} in words"

    def tables(self) -> list[Table]:
        """A row for each clause, and for each setting."""
        settings = [[s.name, s.value, "" if s.written else "default", s.words] for s in self.settings]
        return [
            Table(self.contract, words("clause", "words"), [[row.clause, row.words] for row in self.clauses]),
            Table("Settings", words("setting", "value", "", "meaning"), settings),
        ]


class Answer(Presented, DecisionRecord, frozen=True):
    """The answer to a question about formulas: `outcome` is `yes`, `no` or `unknown`."""

    def brief(self) -> str:
        """The question and its answer."""
        return f"{self.question} {', '.join(self.formulas)}: {self.outcome}"

    def lines(self) -> list[str]:
        """The answer, and the trace that shows it."""
        lengths = "of every length" if self.length is None else f"of {count(self.length, 'frame')}"
        found = [f"{self.outcome} (asked about traces {lengths})" + (f" ({self.reason})" if self.reason else "")]
        if self.vacuous:
            found.append("vacuous: there is no frame to ask about")
        if self.trace is not None:
            width = max(len(atom.atom) for atom in self.trace.atoms) if self.trace.atoms else 0
            found.append(f"shown at frame {self.trace.frame} of {count(self.trace.frames, 'frame')}:")
            found += [f"{a.atom:<{width}}  {lane(a.runs, self.trace.frames, _WIDEST, '█')}" for a in self.trace.atoms]
        return found

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """One row."""
        columns = ("question", "formulas", "outcome", "bound", "vacuous")
        return columns, [[self.question, ", ".join(self.formulas), self.outcome, self.bound, self.vacuous]]


class SignatureRow(Record, frozen=True):
    """The truth values of a formula over every environment."""

    formula: str
    digest: Annotated[Digest, Meta(description="Equal exactly for formulas that agree everywhere.")]
    true: Annotated[Count, Meta(description="At how many places it is true.")]


class Signatures(Presented, Record, frozen=True):
    """Formulas by their truth signatures on all traces of the given lengths."""

    atoms: tuple[str, ...]
    lengths: tuple[int, ...]
    places: Annotated[Count, Meta(description="Frames of all environments.")]
    formulas: tuple[SignatureRow, ...]
    classes: Annotated[tuple[tuple[str, ...], ...], Meta(description="Formulas that agree everywhere, in order.")]

    def brief(self) -> str:
        """How many formulas, and how many that differ."""
        return f"{count(len(self.formulas), 'formula')}, {count(len(self.classes), 'class', 'classes')}"

    def tables(self) -> list[Table]:
        """A row for each class of formulas that agree."""
        true = {row.formula: row.true for row in self.formulas}
        rows = [[str(k), ", ".join(some), f"{true[some[0]]:,}"] for k, some in enumerate(self.classes, 1)]
        title = f"{self.brief()}, over {count(self.places, 'frame')} of all environments"
        return [Table(title, [*words("", "formulas"), *numbers("true at")], rows)]

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """A row for each formula."""
        kind = {formula: k for k, some in enumerate(self.classes) for formula in some}
        rows: list[Sequence[Any]] = [[r.formula, kind[r.formula], r.true, r.digest] for r in self.formulas]
        return ("formula", "class", "true", "digest"), rows


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
        step: the length of a frame.
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
        step: the length of a frame.
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
        step: the length of a frame.
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


def signatures(
    formulas: Sequence[str], *, length: int = 4, atoms: Sequence[str] | None = None, step: str | Fraction = "20ms"
) -> Signatures:
    """The truth of formulas at every frame of every trace up to a length, and which of them agree everywhere.

    Args:
        formulas: the formulas, as text.
        length: the greatest number of frames; all lengths from one on are tried.
        atoms: the base atoms of the traces; by default those that the formulas need.
        step: the length of a frame.

    Returns:
        A digest and a count for each formula, and the classes of formulas with equal signatures.

    Raises:
        InvalidInput: a formula or the step has errors, or there are too many traces to enumerate.

    Examples:
        >>> import tracepact
        >>> found = tracepact.signatures(["F[1f] p", "p | F[1f,1f] p", "p"])
        >>> found.classes
        (('F[1f] p', 'p | F[1f,1f] p'), ('p',))
    """
    parsed = _parsed([(f"formula {k}", text) for k, text in enumerate(formulas, 1)], _step(step))
    names = tuple(sorted({n for f in parsed for n in _base(f)}) if atoms is None else atoms)
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
    """The length of a frame; a text has a unit, or is in seconds."""
    read = (step, "s") if isinstance(step, Fraction) else read_time(step)
    if read is None or read[0] <= 0:
        raise InvalidInput([Diagnostic("bad-quantity", f"`{step}` is not the length of a frame", None, "write `20ms`")])
    return read[0]
