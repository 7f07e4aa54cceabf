"""A selection as a Python function with a result that prints well."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from tracepact.calibration.reading import load_calibration
from tracepact.core import Contract
from tracepact.diagnostics import one_of
from tracepact.lang import load_contract
from tracepact.show.table import Table, numbers, words
from tracepact.tools.presented import Presented, presented
from tracepact.tools.select.report.build import selection_record
from tracepact.tools.select.report.record import SelectionRecord
from tracepact.tools.select.select import select as select_clauses
from tracepact.tools.select.separate import DEFAULT_REQUIREMENTS, Requirement
from tracepact.wording import count


class SelectedContract(Presented, SelectionRecord, frozen=True):
    """A selected contract with its evidence; `contract.text` is the contract, if there is one."""

    def brief(self) -> str:
        """How many clauses it has, and whether fewer do."""
        state = "proved smallest" if self.selected.optimal else "not proved smallest"
        return f"{self.calibration.name}: {count(self.selected.count, 'clause')}, {state}"

    def lines(self) -> list[str]:
        """What was found."""
        return [self.brief()]

    def verbatim(self) -> str:
        """The contract."""
        return "" if self.contract is None else self.contract.text.rstrip()

    def tables(self) -> list[Table]:
        """The values of the selected clauses on each case, worst first."""
        cases = [(place, self.cases[place]) for place in self.worst_first]
        columns = [*words("case"), *numbers("rank", *(clause.name for clause in self.selected.clauses))]
        rows = [[case.name, str(case.rank), *(str(c.values[place]) for c in self.chosen)] for place, case in cases]
        return [Table("", columns, rows)]

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """A row for each case, with exact values as text."""
        (table,) = self.tables()
        return [column.heading for column in table.columns], [*table.texts()]


def select(
    calibration: str | Path,
    *,
    clauses: Contract | str | Path | None = None,
    require: Sequence[Requirement | str] = DEFAULT_REQUIREMENTS,
    seconds: Fraction | None = None,
) -> SelectedContract:
    """Find the smallest contract that scores worse cases lower, with its weights (chapter 14 of the tools).

    Args:
        calibration: a calibration file, or the name of a shipped set such as `boundary_gate`.
        clauses: a contract whose clauses are tried as candidates too, before all others.
        require: what the contract must do: `separate` cases of different rank by some clause, `order` them by a
            weighted mean, `name` faults by a clause each.
        seconds: the time limit of the search; after it the best set found is returned with its gap.

    Returns:
        The selection with its evidence.

    Raises:
        InvalidInput: the calibration set or the contract cannot be used, or a requirement is not known.

    Examples:
        >>> import tracepact
        >>> tracepact.select("boundary_gate").selected.optimal
        True
    """
    required = tuple(one_of(Requirement, one, "requirement") for one in require)
    authors = load_contract(clauses) if isinstance(clauses, str | Path) else clauses
    found = select_clauses(load_calibration(calibration), None, authors, requirements=required, seconds=seconds)
    return presented(SelectedContract, selection_record(found))
