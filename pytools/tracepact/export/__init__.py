"""The frame fragment in other tools' languages, and contracts as LaTeX."""

from tracepact.export.latex import contract_latex, to_latex
from tracepact.export.rtamt import export_contract, to_rtamt
from tracepact.export.targets import EVENT_TARGETS, EXPORTS

__all__ = ["EVENT_TARGETS", "EXPORTS", "contract_latex", "export_contract", "to_latex", "to_rtamt"]
