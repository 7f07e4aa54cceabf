"""`tracepact audit matcher`: greedy and optimal matching, on given data, on bridges, and on built-in cases."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Unpack

import click
from msgspec import UNSET, Meta, UnsetType, field

from tracepact.core import Contract, MatcherKind
from tracepact.diagnostics import Diagnostics
from tracepact.events.evaluate import EventEvaluation, evaluate_events
from tracepact.io import durations_from, events_from
from tracepact.lang import load_contract, override
from tracepact.records import Count, Name, Record, Share
from tracepact.show.figure import Bar, BarGroup, bar_chart
from tracepact.show.lines import print_diagnostics
from tracepact.show.progress import progress
from tracepact.show.table import Table, numbers, words
from tracepact.tools.audit.matcher_cases import (
    KNOWN_CASES,
    STRESS_STEP,
    MatcherCase,
    bridge_cases,
    family_of_cases,
    stress_track,
)
from tracepact.tools.audit.run_directories import scored_run
from tracepact.tools.parameters import complete_starter, given_contract, set_option
from tracepact.tools.score.shown import OutputOptions, data_table, output_options, show
from tracepact.trace import Family, Mode, assemble
from tracepact.wording import decimal, percent

_TITLE = "Greedy and optimal matching"
_GIVEN, _BRIDGES = "given data", "bridges of its references"


class MatchedPairs(Record, frozen=True):
    """The pairs that each matcher finds."""

    greedy: Count
    optimal: Count


class BoundaryF1(Record, frozen=True):
    """Boundary F1 under each matcher: twice the pairs over all runs of both sides."""

    greedy: Share
    optimal: Share


class MatcherComparison(Record, frozen=True):
    """Both matchers on one family."""

    cases: Annotated[Count, Meta(description="Clips and classes with a run on either side.")]
    refs: Annotated[Count, Meta(description="Reference runs.")]
    preds: Annotated[Count, Meta(description="Predicted runs.")]
    changed: Annotated[Count, Meta(description="Cases whose matches differ.")]
    pairs: MatchedPairs
    boundary_f1: BoundaryF1
    changed_values: Annotated[
        Mapping[Name, tuple[Share, Share]],
        Meta(description="The event clauses whose pooled values differ: greedy, optimal."),
    ]

    @property
    def changed_share(self) -> Fraction:
        """The share of cases whose matches differ."""
        return Fraction(self.changed, self.cases) if self.cases else Fraction(0)


class MatcherAudit(Record, frozen=True, kw_only=True):
    """What `tracepact audit matcher --format json` prints: greedy and optimal matching (8.3, 8.4) by family."""

    given: MatcherComparison | UnsetType = field(name=_GIVEN, default=UNSET)
    bridges: MatcherComparison | UnsetType = field(name=_BRIDGES, default=UNSET)
    case_separated: MatcherComparison = field(name="case: separated")
    case_bridge: MatcherComparison = field(name="case: bridge")
    case_split: MatcherComparison = field(name="case: split")
    stress_separated: MatcherComparison = field(name="stress: separated")
    stress_left_bridge: MatcherComparison = field(name="stress: left_bridge")
    stress_right_bridge: MatcherComparison = field(name="stress: right_bridge")
    stress_split: MatcherComparison = field(name="stress: split")
    stress_nominal: MatcherComparison = field(name="stress: nominal")

    def comparisons(self) -> dict[str, MatcherComparison]:
        """The comparisons by the name of what was matched."""
        values = (getattr(self, name) for name in self.__struct_fields__)
        named = zip(self.__struct_encode_fields__, values, strict=True)
        return {name: comparison for name, comparison in named if comparison is not UNSET}


@dataclass(frozen=True, slots=True)
class Matched:
    """The evaluations of one family under both matchers."""

    greedy: EventEvaluation
    optimal: EventEvaluation

    def pooled(self) -> Iterator[tuple[str, Fraction, Fraction]]:
        """Every event clause with its pooled value under either matcher."""
        for one, other in zip(self.greedy.clauses, self.optimal.clauses, strict=True):
            yield one.clause.name, self.greedy.pooled(one), self.optimal.pooled(other)

    def comparison(self) -> MatcherComparison:
        """The record of both."""
        greedy, optimal = self.greedy, self.optimal
        refs, preds = _count(greedy.refs), _count(greedy.preds)
        pairs = MatchedPairs(len(greedy.matches), len(optimal.matches))
        return MatcherComparison(
            len(greedy.refs.keys() | greedy.preds.keys()),
            refs,
            preds,
            len({match.segment for match in set(greedy.matches) ^ set(optimal.matches)}),
            pairs,
            BoundaryF1(boundary_f1(pairs.greedy, refs, preds), boundary_f1(pairs.optimal, refs, preds)),
            {name: (one, other) for name, one, other in self.pooled() if one != other},
        )


def audit_matcher(contract: Contract | str | Path, family: Family | None = None) -> MatcherAudit:
    """Compare both matchers, with the contract's search, reward, merge gap and event clauses.

    Args:
        contract: A contract, or the name or file of one.
        family: What to match beside the built-in cases, such as `score(…).card.family`; bridges between its consecutive
            references are tried as well.

    Returns:
        The audit: pairs, boundary F1 and changed values under both matchers.

    Raises:
        InvalidInput: The contract cannot be read.

    Examples:
        >>> import tracepact
        >>> tracepact.audit_matcher("boundary_gate").case_bridge.pairs
        MatchedPairs(greedy=1, optimal=2)
    """
    compiled = contract if isinstance(contract, Contract) else load_contract(contract)
    return matcher_audit(match_all(compiled, family))


def match_all(contract: Contract, family: Family | None) -> dict[str, Matched]:
    """The evaluations under both matchers, by the name of what was matched."""

    def on_cases(cases: Sequence[MatcherCase]) -> Matched:
        return match(contract, family_of_cases(cases, STRESS_STEP))

    given = {} if family is None else {_GIVEN: family, _BRIDGES: bridge_family(contract, family)}
    return {
        **{name: match(contract, some) for name, some in given.items()},
        **{f"case: {case.name}": on_cases([case]) for case in KNOWN_CASES},
        **{f"stress: {name}": on_cases(cases) for name, cases in stress_track().items()},
    }


def match(contract: Contract, family: Family) -> Matched:
    """One family under both matchers."""
    greedy, optimal = (
        evaluate_events(contract, family, replace(contract.matcher, kind=kind))
        for kind in (MatcherKind.GREEDY, MatcherKind.OPTIMAL)
    )
    return Matched(greedy, optimal)


def matcher_audit(found: Mapping[str, Matched]) -> MatcherAudit:
    """The record of evaluations."""
    fields = dict(zip(MatcherAudit.__struct_encode_fields__, MatcherAudit.__struct_fields__, strict=True))
    return MatcherAudit(**{fields[name]: matched.comparison() for name, matched in found.items()})


def bridge_family(contract: Contract, family: Family) -> Family:
    """The bridges between consecutive references of a family, one clip each."""
    refs = evaluate_events(replace(contract, clauses=()), family).refs
    search, joined = contract.matcher.search // family.step, contract.merge_gap // family.step
    return family_of_cases(bridge_cases(family, refs, search, joined), family.step)


def boundary_f1(pairs: int, refs: int, preds: int) -> Fraction:
    """Twice the pairs over all runs of both sides; 1 when there is nothing to match."""
    return Fraction(2 * pairs, refs + preds) if refs + preds else Fraction(1)


def _count(runs: Mapping[int, tuple[tuple[int, int], ...]]) -> int:
    return sum(map(len, runs.values()))


# Shown


def tables(audit: MatcherAudit) -> list[Table]:
    """A row per family that was matched."""
    counts = numbers("cases", "refs", "preds", "greedy pairs", "optimal pairs", "changed", "boundary F1")
    columns = [*words("data"), *counts, *words("changed clauses (greedy → optimal)")]
    return [Table(_TITLE, columns, [_cells(name, row) for name, row in audit.comparisons().items()])]


def _cells(name: str, row: MatcherComparison) -> list[str]:
    changed = (f"{clause} {decimal(one)} → {decimal(other)}" for clause, (one, other) in row.changed_values.items())
    return [
        name,
        f"{row.cases:,}",
        f"{row.refs:,}",
        f"{row.preds:,}",
        f"{row.pairs.greedy:,}",
        f"{row.pairs.optimal:,}",
        percent(row.changed_share, 1),
        f"{decimal(row.boundary_f1.greedy)} → {decimal(row.boundary_f1.optimal)}",
        ", ".join(changed) or "none",
    ]


def rows(found: Mapping[str, Matched]) -> Table:
    """A row per family for the pairs, for boundary F1 and for every event clause, changed or not."""
    columns = ("on", "cases", "refs", "preds", "changed", "quantity", "greedy", "optimal")
    return data_table(columns, _rows(found))


def _rows(found: Mapping[str, Matched]) -> Iterator[tuple[str | int, ...]]:
    for name, matched in found.items():
        row = matched.comparison()
        head = name, row.cases, row.refs, row.preds, row.changed
        yield *head, "pairs", row.pairs.greedy, row.pairs.optimal
        yield *head, "boundary_f1", str(row.boundary_f1.greedy), str(row.boundary_f1.optimal)
        for clause, greedy, optimal in matched.pooled():
            yield *head, clause, str(greedy), str(optimal)


def figure(audit: MatcherAudit) -> str:
    """Boundary F1 of both matchers on every family."""
    groups = [
        BarGroup(name, [Bar("greedy", row.boundary_f1.greedy), Bar("optimal", row.boundary_f1.optimal)])
        for name, row in audit.comparisons().items()
    ]
    return bar_chart(f"{_TITLE}: boundary F1", groups, x="boundary F1")


# Command


@click.command()
@click.argument("contract", default="boundary_gate", shell_complete=complete_starter)
@click.option("--ref", type=click.Path(), help="Reference events; bridges between them are tried as well.")
@click.option("--pred", type=click.Path(), help="Predicted events.")
@click.option("--durations", help="A table (filename, duration), or one duration in seconds for all clips.")
@click.option(
    "--class-indexed/--union", default=True, show_default=True, help="Keep labels apart, or treat them as one."
)
@set_option
@output_options
def command(
    contract: str,
    ref: str | None,
    pred: str | None,
    durations: str | None,
    class_indexed: bool,
    overrides: tuple[tuple[str, str], ...],
    **output: Unpack[OutputOptions],
) -> None:
    """Compare greedy and optimal matching on given data, on bridges between its references, and on built-in cases.

    CONTRACT is a contract, or a run directory with its own contract and data. A bridge is a made-up prediction that
    spans two consecutive references. Boundary F1 is twice the matched pairs over all intervals of both sides. The
    built-in cases are three named ones and a stress track over a grid of lengths and gaps.
    """
    if (ref is None) != (pred is None):
        raise click.UsageError("give both --ref and --pred, or neither")
    if ref is not None and Path(contract).is_dir():
        raise click.UsageError("a run directory has its own tables; leave out --ref and --pred")
    with progress(2) as advance:
        advance("reading")
        if Path(contract).is_dir():
            card = scored_run(contract).card
            compiled = override(card.contract, dict(overrides)) if overrides else card.contract
            family: Family | None = card.family
        else:
            compiled = given_contract(contract, overrides)
            mode = Mode.CLASS_INDEXED if class_indexed else Mode.UNION
            family = None if ref is None or pred is None else _family(compiled, ref, pred, durations, mode)
        advance("matching")
        found = match_all(compiled, family)
    show(matcher_audit(found), tables, lambda _: rows(found), figure, **output)


def _family(contract: Contract, ref: str, pred: str, durations: str | None, mode: Mode) -> Family:
    """The family of two tables; warnings are printed."""
    diagnostics = Diagnostics()
    family = assemble(
        contract,
        events_from(ref, diagnostics, name="ref"),
        events_from(pred, diagnostics, name="pred"),
        durations=durations_from(durations, diagnostics),
        mode=mode,
        diagnostics=diagnostics,
    )
    print_diagnostics(diagnostics)
    return family
