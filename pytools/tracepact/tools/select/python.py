"""A selection as a Python function with a result that prints well."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from tracepact.calibration.reading import load_calibration
from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, InvalidInput, one_of, several
from tracepact.engines import Engine, engine_from
from tracepact.lang import load_contract
from tracepact.show.table import Table, numbers, words
from tracepact.tools.presented import Presented, presented
from tracepact.tools.select.asked import Asked, answered
from tracepact.tools.select.report.record import SelectionRecord
from tracepact.tools.select.report.sentences import answer_words
from tracepact.tools.select.separate import DEFAULT_REQUIREMENTS, Requirement
from tracepact.tools.select.systems import Tables


class SelectedContract(Presented, SelectionRecord, frozen=True):
    """A selected contract with its evidence; `contract.text` is the contract, if there is one."""

    def brief(self) -> str:
        """How many clauses it has, and whether fewer do."""
        return answer_words(self)

    def lines(self) -> list[str]:
        """What was found."""
        return [self.brief()]

    def verbatim(self) -> str:
        """The contract."""
        return "" if self.contract is None else self.contract.text.rstrip()

    def tables(self) -> list[Table]:
        """The values of the selected clauses on each case, worst first."""
        cases = [(place, self.cases[place]) for place in self.worst_first]
        names, chosen = [clause.name for clause in self.selected.clauses], self.chosen
        columns = [*words("case"), *numbers(*(["rank"] if self.ranked else []), *names)]
        ranks = [[str(case.rank)] if self.ranked else [] for _, case in cases]
        rows = [
            [case.name, *rank, *(str(c.values[place]) for c in chosen)]
            for (place, case), rank in zip(cases, ranks, strict=True)
        ]
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
    robust: bool = False,
    stability: bool = False,
    holdout: int | None = None,
    preferences: str | Path | None = None,
    ref: Any = None,
    systems: Mapping[str, Any] | None = None,
    durations: Any = None,
    engine: Engine | str | None = None,
) -> SelectedContract:
    """Find the smallest contract that scores worse cases lower, with its weights (chapter 14 of the tools).

    Args:
        calibration: a calibration file, or the name of a shipped set such as `boundary_gate`.
        clauses: a contract whose clauses are tried as candidates too, before all others.
        require: what the contract must do: `separate` cases of different rank by some clause, `order` them by a
            weighted mean, `name` faults by a clause each.
        seconds: the time limit of each search; after it the best set found is returned with its gap.
        robust: require the same of disturbed copies of the cases.
        stability: leave out one case at a time, and say which clauses stay.
        holdout: the number of parts of the cases, or of the judgements, that are left out in turn; two or more.
        preferences: a table of which of two cases is worse, in place of ranks.
        ref: your own references, as `score` takes them: a disturbance of the cases, or what `systems` were judged on.
        systems: by name the predictions of the systems that `preferences` judge.
        durations: the lengths of the clips of `ref`.
        engine: where candidates are observed on the cases, as for `score_batches`; what is selected is the same.

    Returns:
        The selection with its evidence.

    Raises:
        InvalidInput: the calibration set, the contract or a table cannot be used, or a requirement is not known.

    Examples:
        >>> import tracepact
        >>> tracepact.select("boundary_gate").selected.optimal
        True
    """
    required = tuple(one_of(Requirement, one, "requirement") for one in several(require, "require", "requirements"))
    given = any(one is not None for one in (ref, systems, durations))
    asked = Asked(
        required,
        seconds,
        robust=robust,
        stability=stability,
        folds=holdout,
        preferences=None if preferences is None else str(preferences),
        tables=Tables(ref, durations, systems or {}) if given else None,
        engine=None if engine is None else engine_from(engine),
    )
    if (conflict := asked.conflict(_keyword)) is not None:
        raise InvalidInput([Diagnostic("wrong-form", conflict)])
    if holdout is not None and holdout < 2:
        raise InvalidInput([Diagnostic("out-of-range", f"`holdout` is {holdout}, not two or more parts")])
    authors = load_contract(clauses) if isinstance(clauses, str | Path) else clauses
    found, _ = answered(load_calibration(calibration, ranked=preferences is None), None, authors, asked)
    return presented(SelectedContract, found)


def _keyword(option: str) -> str:
    """An option of the command as the keyword of the function."""
    return f"`{'systems' if option == 'system' else option}`"
