"""The text behind a core contract, so that findings can point at what was written."""

from tracepact.core import Contract
from tracepact.diagnostics import Span, TextPlace
from tracepact.frozen import dataclass


@dataclass(frozen=True, slots=True)
class ContractText:
    """A contract and the text it was read from."""

    contract: Contract

    def place(self, span: Span) -> TextPlace:
        """A place in the contract's text."""
        return TextPlace(self.contract.source, span)

    def quoted(self, span: Span) -> str:
        """What is written there, on one line."""
        return " ".join(self.contract.source.text[span.start : span.end].split())
