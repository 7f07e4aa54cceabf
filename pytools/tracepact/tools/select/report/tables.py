"""The tables of a selection as data: values, separated ranks, pairs, the basis, what became of the candidates."""

from collections.abc import Sequence
from fractions import Fraction

from tracepact.show.table import Cell, Column, Table, Tone, numbers, words
from tracepact.tools.select.report.checks import OwnReferencesRecord
from tracepact.tools.select.report.record import (
    BasisRecord,
    CandidateCounts,
    CoordinateRecord,
    SelectionRecord,
)
from tracepact.wording import count, decimal

_NAMED = 3
_FAIR, _GOOD = Fraction(4, 10), Fraction(8, 10)


def tone_of(value: Fraction) -> Tone:
    """How a value is meant: 1 is nothing to look at, a low one is."""
    if value == 1:
        return Tone.FAINT
    return Tone.GOOD if value >= _GOOD else Tone.FAIR if value >= _FAIR else Tone.BAD


def values_table(found: SelectionRecord) -> Table:
    """The exact values of the selected clauses on every case, the worst case first."""
    ordering, ranked = found.selected.ordering, found.ranked
    columns = [Column("case"), *numbers(*(["rank"] if ranked else [])), Column("risk", tone=Tone.FAINT)]
    columns += numbers("weighted mean") if ordering else []
    rows: list[list[Cell | str]] = []
    chosen = found.chosen
    for place in found.worst_first:
        case = found.cases[place]
        mean = [decimal(ordering.values[place], 4)] if ordering else []
        rank = [str(case.rank)] if ranked else []
        rows.append([case.name, *rank, case.risk, *mean, *(_value(c, place) for c in chosen)])
    notes = ["∅ is a vacuous 1: the clause obliges nothing there"] if _any_vacuous(found) else []
    notes += [f"not seen by this contract: {', '.join(found.unseen)}"] if found.unseen else []
    return Table("values of the selected clauses", [*columns, *words(*(c.name for c in chosen))], rows, notes)


def _value(coordinate: CoordinateRecord, place: int) -> Cell:
    value = coordinate.values[place]
    return Cell("∅" if coordinate.vacuous[place] else str(value), tone_of(value))


def _any_vacuous(found: SelectionRecord) -> bool:
    return any(any(coordinate.vacuous) for coordinate in found.chosen)


def separation_table(found: BasisRecord, places: Sequence[int]) -> Table:
    """Which ranks these coordinates separate, and how many requirements nothing else meets."""
    only = {c.coordinate: len(c.only) for c in found.selected.clauses} if isinstance(found, SelectionRecord) else {}
    columns = [*words("clause"), *numbers("cost", "pairs", "sole in basis")]
    columns += [*numbers("sole in selection")] if only else []
    rows, shown = [], found.shown
    for place in places:
        coordinate = shown[place]
        counts = [coordinate.cost, coordinate.separates, len(coordinate.alone)]
        rows.append(
            [
                coordinate.name if only else coordinate.text,
                *map(str, counts),
                *([str(only.get(place, "–"))] if only else []),
                ranks_text(coordinate),
                ", ".join(coordinate.names),
            ]
        )
    where = "the basis, or of the selection," if only else "the basis"
    notes = [f"sole: requirements that no other clause of {where} meets"]
    return Table("ranks that each clause separates", [*columns, *words("ranks", "names")], rows, notes)


def ranks_text(coordinate: CoordinateRecord) -> str:
    """The ranks a coordinate separates: `4>3, 4>2`."""
    return ", ".join(f"{worse}>{better}" for worse, better in coordinate.ranks)


def pair_rows(found: BasisRecord) -> list[tuple[str, str, int, str]]:
    """Every pair of cases of different rank: the two, how many coordinates separate it, and the first of them."""
    rows = []
    ranks, order = [case.rank or 0 for case in found.cases], found.worst_first
    for i in order:
        for j in order:
            if ranks[i] > ranks[j]:
                by = [c.text for c in found.coordinates if c.values[i] < c.values[j]]
                rows.append((found.cases[i].title, found.cases[j].title, len(by), by[0] if by else ""))
    return rows


def pairs_table(found: BasisRecord) -> Table:
    """The rows of `pair_rows`."""
    rows = [
        [worse, better, str(number), first if number else Cell("none", Tone.BAD)]
        for worse, better, number, first in pair_rows(found)
    ]
    return Table("pairs of different rank", words("worse", "better", "coordinates", "the first of them"), rows)


def own_words(own: OwnReferencesRecord) -> str:
    """How many clips of the user's references were used, and why others were not."""
    clips = len(own.used) + len(own.same) + own.unused
    said = f"your references have {count(clips, 'clip')} with events: {len(own.used)} used"
    if own.same:
        said += f", {len(own.same)} left out because no case changes there ({', '.join(own.same[:_NAMED])}"
        said += f" and {len(own.same) - _NAMED} more)" if len(own.same) > _NAMED else ")"
    return f"{said}, {own.unused} not used"


def robustness_table(found: SelectionRecord) -> Table:
    """What the selected contract does on disturbed copies of the cases."""
    columns = [*words("disturbed"), *numbers("cases changed", "separated", "ordered", "named")]
    rows = [
        [
            one.disturbance,
            str(one.changed),
            f"{one.separated} of {one.pairs}",
            "–" if one.ordered is None else f"{one.ordered} of {one.pairs}",
            f"{one.named} of {one.faults}",
        ]
        for one in found.robustness
    ]
    notes = [own_words(found.own_references)] if found.own_references else []
    return Table("the same contract on disturbed cases", columns, rows, notes)


def stability_table(found: SelectionRecord) -> Table:
    """What goes when a case is left out."""
    left = found.stability or ()
    rows = [[one.case, ", ".join(one.gone) or "all stay"] for one in left]
    needed = {clause.name: [one.case for one in left if clause.name in one.gone] for clause in found.selected.clauses}
    notes = [f"only `{cases[0]}` needs {name}" for name, cases in needed.items() if len(cases) == 1]
    return Table("one case left out at a time", words("without", "clauses that go"), rows, notes)


def basis_table(found: BasisRecord) -> Table:
    """Every coordinate with its values."""
    chosen = {c.coordinate: c.name for c in found.selected.clauses} if isinstance(found, SelectionRecord) else {}
    columns = [*words("clause"), *numbers("cost", "pairs"), *words(*(["ranks"] if found.ranked else []), "values")]
    columns += [*numbers("members"), *words("selected as")]
    rows: list[list[Cell | str]] = [
        [
            Cell(coordinate.text, code=True),
            str(coordinate.cost),
            str(coordinate.separates),
            *([ranks_text(coordinate)] if found.ranked else []),
            " ".join(map(str, coordinate.values)),
            str(coordinate.members.total),
            chosen.get(place, ""),
        ]
        for place, coordinate in enumerate(found.shown)
    ]
    return Table("", columns, rows, [f"values in the order: {', '.join(case.name for case in found.cases)}"])


def candidates_table(candidates: CandidateCounts) -> Table:
    """How many candidates there were, and what became of them."""
    dropped = candidates.dropped
    rows = [
        ["written by an author", candidates.author],
        ["on frames", candidates.frame],
        ["on events", candidates.event],
        ["dropped: a reference as its own prediction violates it", dropped.reference],
        [f"dropped: a trace of up to {candidates.short_traces.frames} frames violates it", dropped.short_trace],
        ["dropped: the solver found a perfect prediction that violates it", dropped.solver],
        ["the same value on all cases", candidates.constant],
        ["passed the tests, without a proof (not used)", candidates.only_tested],
        ["undecided (not used)", len(candidates.undecided)],
    ]
    columns = [*words("candidates"), *numbers("number")]
    return Table("", columns, [[str(name), f"{number:,}"] for name, number in rows])
