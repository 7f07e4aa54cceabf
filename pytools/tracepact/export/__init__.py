"""The frame fragment in other tools' languages, and contracts as LaTeX."""

from tracepact.export.latex import contract_latex, to_latex
from tracepact.export.rtamt import export_contract, to_rtamt
from tracepact.export.targets import EXPORTS

__all__ = ["EXPORTS", "contract_latex", "export_contract", "to_latex", "to_rtamt"]
