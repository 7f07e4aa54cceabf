"""A contract as an editor has it, finished or not: its statements, what is wrong with them, and what can be said."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tracepact.core import Contract, EventClause, FrameClause
from tracepact.diagnostics import Diagnostic, Diagnostics, Severity, Source, Span, TextPlace
from tracepact.lang import syntax as s
from tracepact.lang.contracts import ContractLowering
from tracepact.lang.parsed import parse_source
from tracepact.tools.lsp.names import Kind, Occurrence, occurrences


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What one state of a text says.

    `contract` is there if the text has no errors. `sketch` is there as soon as the step is known; it holds the
    clauses without a fault, so that the rest of a half-typed text can be explained.
    """

    source: Source
    document: s.Document
    found: tuple[Diagnostic, ...]
    occurrences: tuple[Occurrence, ...]
    contract: Contract | None
    sketch: Contract | None

    @property
    def text(self) -> str:
        """The text that was read."""
        return self.source.text

    def at(self, offset: int) -> Occurrence | None:
        """The name that a character belongs to, or that ends there."""
        holding = [o for o in self.occurrences if o.span.start <= offset <= o.span.end]
        return max(holding, key=lambda o: o.span.start, default=None)

    def same(self, name: Occurrence) -> list[Occurrence]:
        """Every occurrence of what a name means, in the order of the text."""
        return [o for o in self.occurrences if (o.kind, o.name) == (name.kind, name.name)]

    def clause_at(self, offset: int) -> FrameClause | EventClause | None:
        """The clause without a fault that a character belongs to."""
        return next((c for c in self.clauses if c.span.start <= offset <= c.span.end), None)

    @property
    def clauses(self) -> tuple[FrameClause | EventClause, ...]:
        """The clauses without a fault."""
        return self.sketch.clauses if self.sketch else ()


def read(text: str, name: str) -> Reading:
    """Read a text: everything that is wrong with it, and everything that can be said all the same."""
    source, diagnostics = Source(name, text), Diagnostics()
    parsed = parse_source(source, diagnostics)
    contract = parsed.lower(diagnostics)
    names = tuple(occurrences(parsed.document))
    sketch = contract or _sketch(parsed.document, source, diagnostics, names)
    return Reading(source, parsed.document, tuple(diagnostics), names, contract, sketch)


def _sketch(
    document: s.Document, source: Source, diagnostics: Diagnostics, names: tuple[Occurrence, ...]
) -> Contract | None:
    """The contract with the clauses that no fault touches; None without a step."""
    rough = ContractLowering(document, source, Diagnostics(), frozenset()).contract()
    faults = list(_fault_spans(diagnostics))
    step = rough.statements.get("step")
    if step is None or _touched(step, faults):
        return None
    sound = {p.name for p in rough.parameters if not _touched(p.value_span, faults)}
    unknown = [o.span for o in names if o.kind is Kind.PARAMETER and o.name not in sound]
    kept = tuple(c for c in rough.clauses if not _touched(c.span, [*faults, *unknown]))
    return replace(rough, clauses=kept)


def _fault_spans(diagnostics: Diagnostics) -> Iterator[Span]:
    for found in diagnostics:
        if found.severity is Severity.ERROR and isinstance(found.place, TextPlace):
            yield found.place.span


def _touched(span: Span, faults: list[Span]) -> bool:
    return any(fault.start < span.end and span.start < fault.end for fault in faults)
