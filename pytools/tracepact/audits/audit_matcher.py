"""`tracepact audit matcher`: greedy and optimal matching, on given data, on bridges, and on built-in cases."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Annotated, Any, Unpack

import click
from msgspec import UNSET, Meta, UnsetType, field

from tracepact.audits.systems import originals_option
from tracepact.data.assembly import assemble
from tracepact.data.family import Family, Mode, Side
from tracepact.data.memory import durations_from, events_from
from tracepact.declarations import renamed_argument
from tracepact.diagnostics.collection import Diagnostics
from tracepact.evaluate.event_clauses import EventEvaluation, evaluate_events
from tracepact.language.compilation import contract_from, override
from tracepact.language.contract import Contract, MatcherKind
from tracepact.language.formula import FrameRun
from tracepact.options import complete_starter, durations_option, given_contract, set_option
from tracepact.records import Count, Name, Record, Share
from tracepact.runs.opening import RunLike, scored_run
from tracepact.runs.side_options import OutputOptions, data_table, output_options, show
from tracepact.show.figures import Bar, BarGroup, bar_chart
from tracepact.show.lines import print_diagnostics, progress
from tracepact.show.tables import Table, numbers, words
from tracepact.wording import decimal, percent

# Cases on which matchers may differ: the built-in stress track, and bridges between given references.

STRESS_STEP = Fraction(1, 50)
"""The stress track's frames are 20 ms, whatever the contract's step."""


@dataclass(frozen=True, slots=True)
class MatcherCase:
    """The runs of both sides of one clip."""

    name: str
    frames: int
    refs: tuple[FrameRun, ...]
    preds: tuple[FrameRun, ...]


KNOWN_CASES: tuple[MatcherCase, ...] = (
    MatcherCase("separated", 100, ((10, 30), (50, 80)), ((12, 31), (49, 78))),
    # The first prediction is cheapest on the second reference; that leaves nothing for the other two.
    MatcherCase("bridge", 100, ((10, 20), (25, 75)), ((15, 65), (70, 80))),
    MatcherCase("split", 100, ((10, 60),), ((10, 30), (36, 60))),
)
"""Pairs at search 200 ms and reward 0.5, greedy and optimal: 2 and 2, 1 and 2, 1 and 1."""

_LENGTHS = (10, 25, 50, 100)
_GAPS = (2, 5, 15)
_SHIFTS = (1, 3, 5, 9)


def family_of_cases(cases: Sequence[MatcherCase], step: Fraction) -> Family:
    """A family of one class with a clip for each case."""
    return Family(
        step,
        Mode.UNION,
        tuple(case.name for case in cases),
        tuple(case.frames for case in cases),
        ("*",),
        {
            Side.REF: {i: case.refs for i, case in enumerate(cases) if case.refs},
            Side.PRED: {i: case.preds for i, case in enumerate(cases) if case.preds},
        },
        {},
        {},
    )


# Sizes in frames: events of 0.2 to 2 s with gaps of 40 to 300 ms, and edges that are off by 20 to 180 ms, within the
# 200 ms that the matcher searches by default. A point of the grid at which a piece would have no frame left is skipped.
def stress_track() -> Mapping[str, tuple[MatcherCase, ...]]:
    """The stress track by family, over all lengths, gaps and shifts of boundaries."""
    grid = list(product(_LENGTHS, _LENGTHS, _GAPS, _SHIFTS))
    left = tuple(_left_bridge(*point) for point in grid if point[1] > 2 * point[3])
    return {
        "separated": tuple(_separated(*point) for point in grid),
        "left_bridge": left,
        "right_bridge": tuple(_mirrored(case, "right_bridge") for case in left),
        "split": tuple(_split(*point) for point in product(_LENGTHS, _GAPS, _SHIFTS) if point[0] > sum(point[1:])),
        "nominal": tuple(_nominal(*point) for point in product(_LENGTHS, _SHIFTS, _SHIFTS)),
    }


def _separated(first: int, second: int, gap: int, shift: int) -> MatcherCase:
    """Two references and each one's own late prediction, which stops before the other reference."""
    a, b = (10, 10 + first), (10 + first + gap + shift, 10 + first + gap + shift + second)
    late = tuple((start + shift, end + shift) for start, end in (a, b))
    return MatcherCase(f"separated {first} {second} {gap} {shift}", b[1] + 20, (a, b), late)


def _left_bridge(first: int, second: int, gap: int, shift: int) -> MatcherCase:
    """A prediction from the first reference into the second, and another at the end of the second."""
    a, b = (10, 10 + first), (10 + first + gap, 10 + first + gap + second)
    bridge, rest = (a[0] + shift, b[1] - 2 * shift), (b[1] - shift, b[1] + shift)
    return MatcherCase(f"left_bridge {first} {second} {gap} {shift}", b[1] + 20, (a, b), (bridge, rest))


def _mirrored(case: MatcherCase, name: str) -> MatcherCase:
    """A case with time reversed."""

    def mirror(runs: Sequence[FrameRun]) -> tuple[FrameRun, ...]:
        return tuple((case.frames - end, case.frames - start) for start, end in reversed(runs))

    return MatcherCase(f"{name} {case.name.partition(' ')[2]}", case.frames, mirror(case.refs), mirror(case.preds))


def _split(length: int, gap: int, shift: int) -> MatcherCase:
    """One reference and two predictions inside it, the first of `shift` frames."""
    ref = (10, 10 + length)
    return MatcherCase(
        f"split {length} {gap} {shift}", ref[1] + 20, (ref,), ((10, 10 + shift), (10 + shift + gap, ref[1]))
    )


def _nominal(length: int, onset: int, offset: int) -> MatcherCase:
    """One reference and one prediction that starts early and ends late."""
    ref = (10, 10 + length)
    return MatcherCase(f"nominal {length} {onset} {offset}", ref[1] + 20, (ref,), ((10 - onset, ref[1] + offset),))


def bridge_cases(
    family: Family, refs: Mapping[int, tuple[FrameRun, ...]], search: int, joined: int
) -> tuple[MatcherCase, ...]:
    """For each two consecutive references a left and a right bridge: a prediction over both, and a piece.

    `refs` are joined runs by segment; `search` and `joined`, the widest gap that is joined, are in frames.
    """
    return tuple(
        case
        for segment, runs in sorted(refs.items())
        for pair in pairwise(runs)
        for case in _bridges(family, segment, pair, search, joined)
    )


def _bridges(
    family: Family, segment: int, pair: tuple[FrameRun, FrameRun], search: int, joined: int
) -> Iterator[MatcherCase]:
    """The bridges of two references; a side whose reference is too short to leave a piece gives none."""
    (a, b), (c, d) = pair
    clip, label = family.place(segment)
    name = f"{clip} {label} {a}"
    # One frame more than is joined (rule 5.8), or bridge and piece would be one run and there were nothing to match.
    hole = joined + 1
    piece = _piece(d - c, hole, search)
    if piece:
        preds = ((a, d - hole - piece), (d - piece, d))
        yield MatcherCase(f"{name} left", family.frames_of(segment), pair, preds)
    piece = _piece(b - a, hole, search)
    if piece:
        preds = ((a, a + piece), (a + piece + hole, d))
        yield MatcherCase(f"{name} right", family.frames_of(segment), pair, preds)


def _piece(length: int, hole: int, search: int) -> int:
    """The length of a piece of a reference of this length; 0 if the bridge would not reach the reference."""
    # The bridge's far edge is the hole and the piece away from the edge of its reference: no more than search, so that
    # both stay candidates (rule 8.1).
    piece = max(1, min(length // 4, search - hole))
    return piece if piece + hole < length else 0


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

    # Absent, not null, where no data were given: the keys of JSON are what was matched.
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
            # Pairs that only one matcher has; a case with as many pairs may still differ in which.
            len({match.segment for match in set(greedy.matches) ^ set(optimal.matches)}),
            pairs,
            BoundaryF1(boundary_f1(pairs.greedy, refs, preds), boundary_f1(pairs.optimal, refs, preds)),
            {name: (one, other) for name, one, other in self.pooled() if one != other},
        )


@renamed_argument("family", "run")
def audit_matcher(contract: Contract | str | Path, run: RunLike | None = None) -> MatcherAudit:
    """Compare both matchers, with the contract's search, reward, merge gap and event clauses.

    Args:
        contract: A contract, its text, or the name or file of one.
        run: What to match beside the built-in cases: a run, or a run directory; bridges between its consecutive
            references are tried as well.

    Returns:
        The audit: pairs, boundary F1 and changed values under both matchers.

    Raises:
        InvalidInput: The contract or the run cannot be read, or the run keeps no tables.

    Examples:
        >>> import tracepact
        >>> tracepact.audit_matcher("boundary_gate").case_bridge.pairs
        MatchedPairs(greedy=1, optimal=2)
    """
    compiled = contract_from(contract, None)
    place: Any = run  # callers of the last version give a family
    family = place if run is None or isinstance(place, Family) else scored_run(run).card.family
    return matcher_audit(match_all(compiled, family))


def match_all(contract: Contract, family: Family | None) -> dict[str, Matched]:
    """The evaluations under both matchers, by the name of what was matched."""

    def on_cases(cases: Sequence[MatcherCase]) -> Matched:
        return match(contract, family_of_cases(cases, STRESS_STEP))

    families = {} if family is None else {_GIVEN: family, _BRIDGES: bridge_family(contract, family)}
    return {
        **{name: match(contract, some) for name, some in families.items()},
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


def matcher_audit(matched_on: Mapping[str, Matched]) -> MatcherAudit:
    """The record of evaluations."""
    fields = dict(zip(MatcherAudit.__struct_encode_fields__, MatcherAudit.__struct_fields__, strict=True))
    return MatcherAudit(**{fields[name]: matched.comparison() for name, matched in matched_on.items()})


def bridge_family(contract: Contract, family: Family) -> Family:
    """The bridges between consecutive references of a family, one clip each."""
    # Without its clauses the contract still joins and matches, and no predicate is evaluated.
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


def rows(matched_on: Mapping[str, Matched]) -> Table:
    """A row per family for the pairs, for boundary F1 and for every event clause, changed or not."""
    rows: list[tuple[str | int, ...]] = []
    for name, matched in matched_on.items():
        row = matched.comparison()
        head = name, row.cases, row.refs, row.preds, row.changed
        rows.append((*head, "pairs", row.pairs.greedy, row.pairs.optimal))
        rows.append((*head, "boundary_f1", str(row.boundary_f1.greedy), str(row.boundary_f1.optimal)))
        rows += [(*head, clause, str(greedy), str(optimal)) for clause, greedy, optimal in matched.pooled()]
    return data_table(("on", "cases", "refs", "preds", "changed", "quantity", "greedy", "optimal"), rows)


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
@durations_option()
@click.option(
    "--class-indexed/--union", default=True, show_default=True, help="Keep labels apart, or treat them as one."
)
@set_option
@originals_option
@output_options
def command(
    contract: str,
    ref: str | None,
    pred: str | None,
    durations: str | None,
    class_indexed: bool,
    overrides: tuple[tuple[str, str], ...],
    originals: tuple[str, ...],
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
            card = scored_run(contract, originals).card
            compiled = override(card.contract, dict(overrides)) if overrides else card.contract
            family: Family | None = card.family
        else:
            compiled = given_contract(contract, overrides)
            mode = Mode.CLASS_INDEXED if class_indexed else Mode.UNION
            family = None if ref is None or pred is None else _family(compiled, ref, pred, durations, mode)
        advance("matching")
        matched_on = match_all(compiled, family)
    show(matcher_audit(matched_on), tables, lambda _: rows(matched_on), figure, **output)


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
