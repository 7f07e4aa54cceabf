"""The questions about contracts and formulas as Python functions, and answers that print well."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from tracepact.diagnostics.collection import InvalidInput, several
from tracepact.diagnostics.findings import Diagnostic
from tracepact.diagnostics.records import DiagnosticRecord, TextPlaceRecord, diagnostic_record
from tracepact.language.compilation import contract_from, formula_contract, parse_located
from tracepact.language.contract import Contract
from tracepact.language.explanation import Explanation, explain_contract
from tracepact.language.formula import Formula, atoms
from tracepact.language.reader import read_time
from tracepact.language.scope import missing_unit
from tracepact.logic.catalogue import signature_classes
from tracepact.logic.catalogue import signatures as truth_signatures
from tracepact.logic.contract_findings import check_contract
from tracepact.logic.decision_commands import (
    EQUIVALENT,
    IMPLIES,
    SAT,
    DecisionRecord,
    FormulaQuestion,
    SimplifiedFormula,
    decided,
    decision_lines,
    decision_picture,
    idle_words,
    parse_formulas,
    simplification_words,
    simplified_record,
)
from tracepact.logic.decisions import QUESTION_SECONDS, Budget, Outcome, Terms
from tracepact.logic.models import NOT_SMALLEST, over_base_atoms
from tracepact.logic.versions import diff_contracts
from tracepact.records import Count, Digest, Name, Record
from tracepact.show.pages import Presented, presented
from tracepact.show.tables import Table, numbers, words
from tracepact.wording import count

# What the questions in Python return: findings, contracts in words, answers and signatures that print well.


class Findings(Presented, Record, frozen=True):
    """What a check found in a contract."""

    contract: Name
    digest: Annotated[Digest, Meta(description="The digest of the contract (11.3).")]
    findings: tuple[DiagnosticRecord, ...]

    @property
    def ok(self) -> bool:
        """Whether there is neither an error nor a warning."""
        return all(finding.severity == "note" for finding in self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[DiagnosticRecord]:
        return iter(self.findings)

    def brief(self) -> str:
        """The contract and the number of findings."""
        return f"{self.contract}: {count(len(self), 'finding')}"

    def lines(self) -> list[str]:
        """How many findings there are."""
        return [f"{self.contract}: {count(len(self), 'finding') if len(self) else 'ok'}"]

    def verbatim(self) -> str:
        """Each finding with its place, the trace that shows it, and a way out."""
        return "\n".join(line for finding in self for line in _finding(finding))

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """A row for each finding."""
        columns = ("severity", "code", "headline", "place", "help")
        return columns, [[f.severity, f.code, f.headline, _place(f), f.help] for f in self]


def _finding(record: DiagnosticRecord) -> list[str]:
    """A finding as the command writes it, without the quoted line."""
    lines = [f"{record.severity}[{record.code}]: {record.headline}"]
    lines += [f"  --> {place}"] if (place := _place(record)) else []
    lines += [f"  | {line}".rstrip() for line in (record.trace or "").splitlines()]
    return lines + ([f"  = help: {record.help}"] if record.help else [])


def _place(record: DiagnosticRecord) -> str:
    """The file, the line and the column; empty if it is nowhere in particular."""
    return f"{record.where}:{record.place.column}" if isinstance(record.place, TextPlaceRecord) else record.where


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
    """The answer to a question about formulas: `outcome` is `yes`, `no` or `unknown`.

    It is true for `yes` and false for `no`; the truth of `unknown` raises ValueError.
    """

    def brief(self) -> str:
        """The question and its answer."""
        return f"{self.question} {', '.join(self.formulas)}: {self.outcome}"

    def __bool__(self) -> bool:
        if self.outcome == Outcome.UNKNOWN.value:
            raise ValueError(f"the answer is unknown ({self.reason}), neither true nor false; ask for `.outcome`")
        return self.outcome == Outcome.YES.value

    def lines(self) -> list[str]:
        """The answer and what it rests on."""
        premise = "the first formula" if self.question == "implies" else None
        return decision_lines(self, idle_words(premise, has_obligation=self.obligation is not None), "free=True")

    def verbatim(self) -> str:
        """The trace that shows the answer, with the judged frame marked."""
        texts = [*self.formulas, *([] if self.obligation is None else [self.obligation])]
        drawn = decision_picture(self, [parse_located(text, self.step).formula for text in texts])
        if drawn is None or self.trace is None:
            return ""
        return drawn if self.trace.minimal else f"{drawn}\n{NOT_SMALLEST}"

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


class Simplified(Presented, SimplifiedFormula, frozen=True):
    """A formula and one with fewer parts and the same meaning: `simplified` is its text."""

    def brief(self) -> str:
        """The simpler formula."""
        return self.simplified

    def lines(self) -> list[str]:
        """The sizes of both, and what became of the rewrites."""
        return [simplification_words(self)]

    def verbatim(self) -> str:
        """The simpler formula."""
        return self.simplified

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """One row."""
        columns = ("formula", "simplified", "nodes_before", "nodes_after")
        return columns, [[self.formula, self.simplified, self.nodes.before, self.nodes.after]]


# The questions about contracts and formulas as Python functions.

_MOST_CELLS = 1 << 22


def check(
    contract: Contract | str | Path,
    *,
    notes: bool = False,
    against: Contract | str | Path | None = None,
    timeout: float = QUESTION_SECONDS,
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
    findings = [*compiled.warnings, *check_contract(compiled, notes=notes, budget=budget)]
    if against is not None:
        findings += diff_contracts(compiled, contract_from(against, None), budget=budget)
    return Findings(compiled.name, compiled.digest, tuple(map(diagnostic_record, findings)))


def explain(contract: Contract | str | Path, *, set: Mapping[str, str] | None = None) -> ContractInWords:
    """Say in plain words what each clause of a contract means, and what it rests on.

    Args:
        contract: a Contract, a path, the name of a starter contract, contract text, or one formula in frames of
            20 ms, whose unknown names are free atoms.
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
    formula = formula_contract(contract, set) if isinstance(contract, str) else None
    return presented(ContractInWords, explain_contract(formula or contract_from(contract, set)))


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
    return _answer(SAT, (formula,), obligation, step, length, free, timeout)


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
    return _answer(IMPLIES, (stronger, weaker), obligation, step, length, free, timeout)


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
    return _answer(EQUIVALENT, (one, other), obligation, step, length, free, timeout)


def _answer(
    question: FormulaQuestion,
    texts: tuple[str, ...],
    obligation: str | None,
    step: str | Fraction,
    length: int | None,
    free: bool,
    timeout: float,
) -> Answer:
    exact = _step(step)
    formulas = _parsed(dict(zip(("first", "second"), texts, strict=False)), obligation, exact)
    condition = formulas[len(texts)] if obligation is not None else None
    terms = Terms(condition, length, free, Budget(seconds=timeout))
    return presented(Answer, decided(question, texts, obligation, exact, formulas[: len(texts)], terms))


def simplify(
    formula: str, *, obligation: str | None = None, step: str | Fraction = "20ms", timeout: float = QUESTION_SECONDS
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
    parsed = _parsed({"formula": formula}, obligation, exact)
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
    parsed = _parsed({f"formula {k}": text for k, text in enumerate(formulas, 1)}, None, _step(step))
    needed = sorted({name for formula in parsed for name in _base(formula)})
    names = tuple(needed if atoms is None else several(atoms, "signatures", "atoms"))
    lengths = tuple(range(1, length + 1))
    cells = sum(n << (n * len(names)) for n in lengths)
    if cells > _MOST_CELLS:
        headline = f"{count(len(names), 'atom')} over {count(length, 'frame')} have more traces than are enumerated"
        raise InvalidInput([Diagnostic("out-of-range", headline, None, "take a smaller length")])
    by_signature = truth_signatures(parsed, names, lengths)
    rows = tuple(SignatureRow(text, s.digest, s.true) for text, s in zip(formulas, by_signature, strict=True))
    classes = tuple(tuple(formulas[index] for index in some) for some in signature_classes(by_signature))
    return Signatures(names, lengths, by_signature[0].places if by_signature else 0, rows, classes)


def _base(formula: Formula) -> frozenset[str]:
    return atoms(over_base_atoms(formula))


def _parsed(texts: Mapping[str, str], obligation: str | None, step: Fraction) -> list[Formula]:
    """The formulas by what they are called, then the obligation if there is one; the faults of all at once."""
    named = {**texts, **({} if obligation is None else {"obligation": obligation})}
    return [located.formula for located in parse_formulas(named, step)]


def _step(step: str | Fraction) -> Fraction:
    """The length of a frame; a text has a unit or is in seconds, as a number is; 10 and more needs its unit."""
    read = (step, "") if isinstance(step, Fraction) else read_time(str(step))
    if read is None or read[0] <= 0:
        raise InvalidInput([Diagnostic("bad-quantity", f"`{step}` is not the length of a frame", None, "write `20ms`")])
    if way := missing_unit(str(step).strip(), *read):
        raise InvalidInput([Diagnostic("unit-mismatch", f"`{step}` has no unit", None, way)])
    return read[0]
