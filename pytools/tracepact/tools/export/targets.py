"""What a contract can be exported to, by name."""

from collections.abc import Callable

from tracepact.core import Contract
from tracepact.tools.export.latex import contract_latex
from tracepact.tools.export.rtamt import export_contract

EXPORTS: dict[str, Callable[[Contract], str]] = {"latex": contract_latex, "rtamt": export_contract}

EVENT_TARGETS = frozenset({"latex"})
"""The targets that can express event clauses."""
