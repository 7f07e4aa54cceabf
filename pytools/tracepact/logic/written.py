"""The text behind a core contract: spans of obligations and bounds, so that findings can point at what was written."""

from collections.abc import Iterator
from dataclasses import dataclass

from tracepact.core import Contract, Located
from tracepact.diagnostics import Diagnostics, Span, TextPlace
from tracepact.lang import read_document
from tracepact.lang import syntax as s
from tracepact.lang.formulas import lower_formula
from tracepact.lang.scope import Scope


@dataclass(frozen=True, slots=True)
class Written:
    """A contract with its statements and a scope to resolve its values; read again from the contract's own source."""

    contract: Contract
    document: s.Document
    scope: Scope

    @classmethod
    def of(cls, contract: Contract) -> "Written":
        """Read the text of a checked contract; what it says about parameters set from outside is kept."""
        document = read_document(contract.source, Diagnostics())
        parameters = {d.name.text: d.value for d in document.statements if isinstance(d, s.ParamDecl)}
        atoms = frozenset(contract.declared_atoms)
        scope = Scope(contract.source, Diagnostics(), contract.step, parameters, atoms)
        return cls(contract, document, scope)

    def place(self, span: Span) -> TextPlace:
        """A place in the contract's text."""
        return TextPlace(self.contract.source, span)

    def text(self, span: Span) -> str:
        """What is written there, on one line."""
        return " ".join(self.contract.source.text[span.start : span.end].split())

    def declarations(self) -> dict[str, s.FrameClauseDecl | s.EventClauseDecl]:
        """The clauses as written, by name."""
        kinds = (s.FrameClauseDecl, s.EventClauseDecl)
        return {d.name.text: d for d in self.document.statements if isinstance(d, kinds)}

    def obligation(self, clause: str) -> Located:
        """The obligation of a frame clause with its spans."""
        declaration = self.declarations()[clause]
        assert isinstance(declaration, s.FrameClauseDecl)
        return lower_formula(declaration.obligation, self.scope)

    def formulas(self) -> Iterator[s.Expression]:
        """Every obligation and formula of the frame clauses."""
        for declaration in self.document.statements:
            if isinstance(declaration, s.FrameClauseDecl):
                yield declaration.obligation
                yield declaration.formula


def nodes(expression: s.Expression) -> Iterator[s.Expression]:
    """An expression and all its parts, parents first."""
    yield expression
    for part in s.parts(expression):
        yield from nodes(part)
