"""What the questions in Python return: findings, contracts in words, answers and signatures that print well."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from msgspec import Meta

from tracepact.diagnostics.record import DiagnosticRecord, TextPlaceRecord
from tracepact.lang import parse_located
from tracepact.lang.explain import Explanation
from tracepact.logic import Outcome
from tracepact.logic.picture import NOT_SMALLEST
from tracepact.records import Count, Digest, Name, Record
from tracepact.show.table import Table, numbers, words
from tracepact.tools.check.decision import DecisionRecord, decision_lines, decision_picture, idle_words
from tracepact.tools.check.simplify import SimplifiedFormula, simplification_words
from tracepact.tools.presented import Presented
from tracepact.wording import count


class Findings(Presented, Record, frozen=True):
    """What a check found in a contract."""

    contract: Name
    digest: Annotated[Digest, Meta(description="The digest of the contract (11.3).")]
    findings: tuple[DiagnosticRecord, ...]

    @property
    def ok(self) -> bool:
        """Whether there is neither an error nor a warning."""
        return all(found.severity == "note" for found in self.findings)

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
        return "\n".join(line for found in self for line in _finding(found))

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """A row for each finding."""
        columns = ("severity", "code", "headline", "place", "help")
        return columns, [[f.severity, f.code, f.headline, _place(f), f.help] for f in self]


def _finding(found: DiagnosticRecord) -> list[str]:
    """A finding as the command writes it, without the quoted line."""
    lines = [f"{found.severity}[{found.code}]: {found.headline}"]
    lines += [f"  --> {place}"] if (place := _place(found)) else []
    lines += [f"  | {line}".rstrip() for line in (found.trace or "").splitlines()]
    return lines + ([f"  = help: {found.help}"] if found.help else [])


def _place(found: DiagnosticRecord) -> str:
    """The file, the line and the column; empty if it is nowhere in particular."""
    return f"{found.where}:{found.place.column}" if isinstance(found.place, TextPlaceRecord) else found.where


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
