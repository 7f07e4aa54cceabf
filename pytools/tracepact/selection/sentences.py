"""A selection in sentences and tables, for the terminal and the page alike."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from tracepact.selection.cover_problem import CoverAnswer
from tracepact.selection.judgements import PathRecord, PreferencesRecord
from tracepact.selection.record import (
    BasisRecord,
    CandidateCounts,
    CaseRecord,
    ConflictRecord,
    CoordinateRecord,
    LargerFamily,
    OrderingRecord,
    OrderRecord,
    RequirementRecord,
    SelectedRecord,
    SelectionRecord,
    UnmetRequirement,
)
from tracepact.selection.requirements import blend_words
from tracepact.selection.robustness import HoldoutRecord, OwnReferencesRecord
from tracepact.show.tables import Cell, Column, Table, Tone, numbers, words
from tracepact.wording import at_least, at_most, count, decimal, listed, ms, percent, print_number

# What a selection says in sentences, for the terminal and the page alike.

_ANSWERS = {
    CoverAnswer.REFUTED: "there is none",
    CoverAnswer.UNKNOWN: "not decided in time",
    CoverAnswer.UNASKED: "not asked",
}
NOTHING_SELECTED = "nothing was selected: no candidate meets any requirement"


def family_lines(record: BasisRecord) -> Iterator[str]:
    """How many candidates there were and what became of them."""
    candidates = record.candidates
    dropped = candidates.dropped
    ranks = f", {count(len({case.rank for case in record.cases} - {None}), 'rank')}" if record.ranked else ""
    refined = f", {candidates.refined:,} with other numbers" if candidates.refined else ""
    proofs = ", ".join(f"{number} by {how}" for how, number in candidates.proofs.items())
    yield (
        f"{count(len(record.cases), 'case')}{ranks}; {count(candidates.total, 'candidate')}: "
        f"{candidates.author:,} by an author, {candidates.frame:,} on frames, {candidates.event:,} on events{refined}"
    )
    yield (
        f"{dropped.total:,} dropped because a perfect prediction violates them: {dropped.reference:,} on a reference, "
        f"{dropped.short_trace:,} on a trace of up to {candidates.short_traces.frames} frames, {dropped.solver:,} by "
        "the solver"
    )
    yield (
        f"{candidates.constant:,} have the same value on all cases; the others form "
        f"{count(record.candidates.classes, 'class', 'classes')}"
    )
    yield (
        f"the representative of each class is proved perfect ({proofs or 'none'}); "
        f"{count(candidates.only_tested, 'other candidate')} passed the tests without a proof"
    )


def undecided_words(candidates: CandidateCounts) -> str:
    """How many candidates are not used because nothing was decided; empty for none."""
    number = len(candidates.undecided)
    return f"{count(number, 'candidate')} stayed undecided and {_are(number)} not used" if number else ""


def answer_words(record: SelectionRecord) -> str:
    """How many clauses were found, whether fewer do, and what they meet: the answer in one line."""
    selected, judged = record.selected, record.preferences
    name = record.calibration.name
    if not selected.count:
        return f"{name}: {NOTHING_SELECTED}"
    state = state_words(selected)
    met = f"{selected.met} of {selected.required} requirements met"
    if judged is not None:
        violated, weight = (print_number(number) for number in (judged.violated_weight, judged.weight))
        met = f"it violates {violated} of {weight}, the weight of the judgements"
        state = state if judged.path is None else judged.path.words
    return f"{name}: {count(selected.count, 'clause')}, {state}; {met}"


def path_table(path: PathRecord) -> Table:
    """Agreement with judgements left out by the number of clauses."""
    note = {path.best: "the best", path.taken: "taken: the smallest about as good as the best"}
    return Table(
        "Contracts of each size, fitted to the judgements",
        [*numbers("clauses"), *words("judgements left out that it keeps"), *numbers("weight violated"), *words("")],
        [
            [
                str(one.clauses),
                f"{one.agreement.count} of {one.agreement.of} ({' to '.join(map(percent, one.agreement.interval))})",
                print_number(one.violated_weight),
                note.get(place, ""),
            ]
            for place, one in enumerate(path.sizes, 1)
        ],
    )


def state_words(selected: SelectedRecord) -> str:
    """What is proved of the number of clauses, and of the pairs that were given up for it."""
    state = "proved smallest" if selected.optimal else unproved_words(selected)
    given_up = selected.ordering.given_up if selected.ordering else None
    if given_up is None or not given_up.number:
        return state
    lost = count(given_up.number, "pair")
    if given_up.number == given_up.bound:
        return f"{state} for the pairs it keeps, with {lost} given up, proved the fewest"
    return f"{state} for the pairs it keeps, with {lost} given up, the fewest found ({given_up.bound} or more must be)"


def requirement_words(requirement: RequirementRecord) -> str:
    """A requirement in words."""
    if requirement.fault is not None:
        return f"`{requirement.fault}` named"
    if requirement.blend:
        return blend_words([(pair.worse, pair.better) for pair in requirement.blend])
    return f"`{requirement.worse}` below `{requirement.better}`"


def unmet_words(record: BasisRecord, unmet: UnmetRequirement) -> str:
    """A requirement that no candidate meets."""
    if unmet.fault is not None and unmet.unjudged:
        return (
            f"no candidate that has something to judge in `{unmet.fault}` names it; those that are lowest on it alone "
            "are so for want of anything to judge there, which scores 0 (7.4) and may not name (14.17): leave an event "
            "to judge in its cases"
        )
    if unmet.fault is not None:
        return f"no candidate names `{unmet.fault}`: none is lowest on it alone"
    worse, better = (with_rank(record.case(name), f"`{name}`") for name in (unmet.worse, unmet.better))
    if unmet.unjudged:
        return (
            f"no candidate that has something to judge in both is lower on {worse} than on {better}; those that are "
            "lower are so for want of anything to judge (∅) in one of the two, which may not separate (14.17): put "
            "both on references with events, or give them one rank"
        )
    return f"no candidate is lower on {worse} than on {better}"


def with_rank(case: CaseRecord, name: str) -> str:
    """The name of a case as it is written, with the rank if it has one."""
    return name if case.rank is None else f"{name} (rank {case.rank})"


def naming_help(record: BasisRecord) -> list[str]:
    """Ways out for faults that no candidate names; nothing if there are none."""
    unnamed = next((unmet.fault for unmet in record.unmet if unmet.fault is not None), None)
    if unnamed is None:
        return []
    faults = {f"{case.fault}, {case.group}" if case.group else case.fault: case.fault for case in record.cases}
    case = next(case.name for case in record.cases if case.fault == faults[unnamed] and not case.group)
    return [
        "a clause names a fault if it is lower on each of its cases than on every other case: change the amounts, "
        f"leave cases out (`--without '{case}'`), or ask for the order alone (`--guarantee order`)"
    ]


def identical_words(worse: CaseRecord, better: CaseRecord, step: Fraction) -> str:
    """Two cases that are one trace, and whether the grid made them so."""
    moved = [case.name for case in (worse, better) if case.rounded]
    why = f"; times of {listed(moved)} are not multiples of {ms(step)} and were rounded" if moved else ""
    return f"their traces are identical on the grid of {ms(step)}, so no family can separate them{why}"


def larger_family_words(larger: LargerFamily) -> str:
    """Which of the pairs that are not separated a larger family would separate."""
    size = count(larger.size, "candidate")
    if not larger.affordable:
        return f"{larger.words} would make {size}, more than the bound of {larger.most:,}"
    if not larger.found:
        return f"{larger.words} ({size}) would separate none of them"
    first = larger.found[0]
    return (
        f"{larger.words} ({size}) would separate {len(larger.found)} of them: "
        f"`{first.worse}` from `{first.better}` by `{first.candidate}`"
    )


def order_words(order: OrderRecord) -> str:
    """A warning that separation is no order: how often some clause or the mean is higher on the worse case."""
    return (
        f"separated means only that some clause is lower on the worse case: of {count(order.pairs, 'pair')} of "
        f"different rank, some selected clause is higher on the worse case in {order.reversed_by_some}, and the plain "
        f"mean of the clauses is reversed in {order.mean_reversed} and tied in {order.mean_tied}"
    )


def ordering_words(ordering: OrderingRecord, *, judged: bool, unmet: int = 0) -> Iterator[str]:
    """The weights, what they order, and how much larger the margin could be; `judged` by preferences, not by rank.

    `unmet` is how many pairs no candidate meets.
    """
    if not ordering.pairs:
        yield "no pair is ordered by weights"
        return
    weights = ", ".join(f"{item.clause} = {item.weight}" for item in ordering.weights)
    yield f"weights: {weights}"
    lost, bound = ordering.given_up.number, ordering.given_up.bound
    every = count(ordering.pairs + lost + unmet, "pair")
    which = f"all {every}" if not lost and not unmet else f"{ordering.pairs:,} of {every}"
    which = count(ordering.pairs, "kept pair") if judged else f"{which} of different rank"
    yield (
        f"the weighted mean is lower on the worse case of {which}, by at least {at_least(ordering.margin)}"
        f"{_best_weights(ordering)}"
    )
    if lost > bound:
        given_up = f"{count(lost, 'pair')} {_are(lost)} given up, the fewest found in the time"
        yield f"{given_up}; any weights give up {count(bound, 'pair')} or more"
    if ordering.margin_bound > ordering.largest_margin and not judged:
        yield f"as few clauses may have a margin of up to {at_most(ordering.margin_bound)}: not decided in the time"


def _best_weights(ordering: OrderingRecord) -> str:
    """The margin of the best weights, which are not rounded to small whole numbers as the written ones are."""
    if ordering.margin == ordering.largest_margin:
        return ", as much as any weights of these clauses reach"
    return f"; the best weights of these clauses reach {at_least(ordering.largest_margin)}"


def conflict_words(conflict: ConflictRecord) -> str:
    """Pairs that cannot be ordered together, and which of them is given up."""
    *others, last = [f"`{pair.worse}` below `{pair.better}`" for pair in conflict.pairs]
    pairs = f"{', '.join(others)} and {last}" if others else last
    left = conflict.left_out
    return (
        f"no weights on any candidates order {pairs} together; `{left.worse}` below `{left.better}` was not required "
        "further"
    )


def preference_words(record: PreferencesRecord) -> Iterator[str]:
    """What was judged, what is violated, and what is proved of it."""
    judges = f" by {count(len(record.judges), 'judge')}" if record.judges else ""
    same = f", {record.same} more say neither is worse" if record.same else ""
    yield f"{count(record.judgements, 'judgement')}{judges}, of weight {print_number(record.weight)}{same}"
    proved = (
        "no contract of these candidates violates less"
        if record.bound == record.violated_weight
        else f"at least {print_number(record.bound)} is violated by any; whether less than this can be is not decided"
    )
    yield f"violated: weight {print_number(record.violated_weight)}; {proved}"
    for one in record.contradictions:
        yield (
            f"judged both ways: `{one.worse}` below `{one.better}` with weight {print_number(one.weight)}, "
            f"the other way with {print_number(one.against)}"
        )
    if record.undecided:
        yield _undecided_pairs(record)
    if record.agreement is not None:
        low, high = record.agreement.interval
        yield (
            f"on judgements left out ({record.folds} folds) {record.agreement.count} of {record.agreement.of} are kept "
            f"({percent(low)} to {percent(high)} at 95 %)"
        )


def _undecided_pairs(record: PreferencesRecord) -> str:
    """On how many pairs there is no majority, and what follows if that is so of all."""
    no_majority = "there is no majority, so the judgements do not decide which is worse"
    if record.undecided < record.pairs:
        return f"on {record.undecided} of {count(record.pairs, 'judged pair')} {no_majority}"
    return f"on every judged pair {no_majority}: the judges agree on nothing, and this contract should not be used"


def holdout_words(holdout: HoldoutRecord) -> str:
    """How a selection does on pairs it has not seen."""
    parts = []
    for share, what in ((holdout.separated, "separated"), (holdout.ordered, "ordered")):
        if share is None:
            parts.append(f"– {what} (there are no weights)")
            continue
        low, high = share.interval
        parts.append(f"{share.count} of {share.of} {what} ({percent(low)} to {percent(high)})")
    return (
        f"selected anew without each of {holdout.folds} parts of the cases: of the pairs with a case not seen, "
        f"{' and '.join(parts)}; the intervals are at 95 %, as if the pairs were independent"
    )


def needed_words(bound: int) -> str:
    """How many clauses any set has at least."""
    return f"at least {count(bound, 'clause')} {_are(bound)} needed"


def evidence_words(selected: SelectedRecord) -> str:
    """How many clauses any set has at least, and why."""
    # one requirement is no set of which no two share a clause
    alone = len(selected.independent) == selected.count_bound == 1
    why = "this requirement needs one" if alone else selected.evidence
    return f"{needed_words(selected.count_bound)}, because {why} ({selected.solver})"


def unproved_words(selected: SelectedRecord) -> str:
    """What is not proved of the best that was found: number, cost or order."""
    clauses, cost = selected.count - selected.count_bound, selected.cost - selected.cost_bound
    if clauses:
        return f"{needed_words(selected.count_bound)}, so at most {clauses} {_are(clauses)} too many"
    ordering = selected.ordering
    partly = ordering is not None and ordering.given_up.number > ordering.given_up.bound
    least = f"no fewer than {count(selected.count, 'clause')} {'meet what it meets' if partly else 'will do'}"
    if ordering is not None:
        return f"{least}; it is not proved that none as few has a larger margin, or the same at less cost"
    if cost > 0:
        return f"{least}; it is not proved that none as few costs less (the cost may be up to {cost} too high)"
    return f"{least}, at no less cost; it is not proved that none of these comes earlier in order"


def bound_lines(selected: SelectedRecord) -> list[str]:
    """The evidence that no fewer clauses do: requirements that need one each, or weights on requirements."""
    if len(selected.independent) == selected.count_bound:
        return [requirement_words(row) for row in selected.independent]
    total = sum((row.weight for row in selected.weights), Fraction(0))
    weights = [f"{row.weight} on {requirement_words(row)}" for row in selected.weights]
    return [*weights, f"together {total}"] if weights else []


def second_solver_words(selected: SelectedRecord) -> str:
    """What another solver said when asked for a better set; empty if none was asked."""
    second = selected.second_solver
    if second.name is None:
        return ""
    return (
        f"a second solver ({second.name}) was asked for a set with fewer clauses ({_ANSWERS[second.fewer]}), for one "
        f"as small at less cost ({_ANSWERS[second.cheaper]}), and for one as small and cheap but earlier in order "
        f"({_ANSWERS[second.earlier]})"
    )


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


# The tables of a selection as data: values, separated ranks, pairs, the basis, what became of the candidates.

_NAMED = 3
_FAIR, _GOOD = Fraction(4, 10), Fraction(8, 10)


def tone_of(value: Fraction) -> Tone:
    """How a value is meant: 1 is nothing to look at, a low one is."""
    if value == 1:
        return Tone.FAINT
    return Tone.GOOD if value >= _GOOD else Tone.FAIR if value >= _FAIR else Tone.BAD


def values_table(record: SelectionRecord) -> Table:
    """The exact values of the selected clauses on every case, the worst case first."""
    ordering, ranked = record.selected.ordering, record.ranked
    columns = [Column("case"), *numbers(*(["rank"] if ranked else [])), Column("risk", tone=Tone.FAINT)]
    columns += numbers("weighted mean") if ordering else []
    rows: list[list[Cell | str]] = []
    chosen = record.chosen
    for place in record.worst_first:
        case = record.cases[place]
        mean = [decimal(ordering.values[place], 4)] if ordering else []
        rank = ["–" if case.rank is None else str(case.rank)] if ranked else []
        rows.append([case.name, *rank, case.risk, *mean, *(_value(c, place) for c in chosen)])
    notes = ["∅ is a vacuous 1: the clause obliges nothing there"] if any(any(one.vacuous) for one in chosen) else []
    notes += [f"not seen by this contract: {', '.join(record.unseen)}"] if record.unseen else []
    return Table("values of the selected clauses", [*columns, *words(*(c.name for c in chosen))], rows, notes)


def _value(coordinate: CoordinateRecord, place: int) -> Cell:
    value = coordinate.values[place]
    return Cell("∅" if coordinate.vacuous[place] else str(value), tone_of(value))


def separation_table(record: BasisRecord, places: Sequence[int]) -> Table:
    """Which ranks these coordinates separate, and how many requirements nothing else meets."""
    only = {c.coordinate: len(c.only) for c in record.selected.clauses} if isinstance(record, SelectionRecord) else {}
    columns = [*words("clause"), *numbers("cost", "pairs", "sole in basis")]
    columns += [*numbers("sole in selection")] if only else []
    rows, shown = [], record.shown
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


def pair_rows(record: BasisRecord) -> list[tuple[str, str, int, str]]:
    """Every pair of cases of different rank: the two, how many coordinates separate it, and the first of them."""
    rows = []
    ranks, order = [case.rank or 0 for case in record.cases], record.worst_first
    for i in order:
        for j in order:
            if ranks[i] > ranks[j]:
                by = [c.text for c in record.coordinates if c.values[i] < c.values[j]]
                rows.append((record.cases[i].title, record.cases[j].title, len(by), by[0] if by else ""))
    return rows


def pairs_table(record: BasisRecord) -> Table:
    """The rows of `pair_rows`."""
    rows = [
        [worse, better, str(number), first if number else Cell("none", Tone.BAD)]
        for worse, better, number, first in pair_rows(record)
    ]
    return Table("pairs of different rank", words("worse", "better", "coordinates", "the first of them"), rows)


def own_words(references: OwnReferencesRecord) -> str:
    """How many clips of the user's references were used, and why others were not."""
    clips = len(references.used) + len(references.same) + references.unused
    said = f"your references have {count(clips, 'clip')} with events: {len(references.used)} used"
    if references.same:
        number, first = len(references.same), ", ".join(references.same[:_NAMED])
        said += f", {number} left out because no case changes there ({first}"
        said += f" and {number - _NAMED} more)" if number > _NAMED else ")"
    return f"{said}, {references.unused} not used"


def robustness_table(record: SelectionRecord) -> Table:
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
        for one in record.robustness
    ]
    notes = [own_words(record.own_references)] if record.own_references else []
    return Table("the same contract on disturbed cases", columns, rows, notes)


def stability_table(record: SelectionRecord) -> Table:
    """What goes when a case is left out."""
    left = record.stability or ()
    rows = [[one.case, ", ".join(one.gone) or "all stay"] for one in left]
    needed = {clause.name: [one.case for one in left if clause.name in one.gone] for clause in record.selected.clauses}
    notes = [f"only `{cases[0]}` needs {name}" for name, cases in needed.items() if len(cases) == 1]
    return Table("one case left out at a time", words("without", "clauses that go"), rows, notes)


def basis_table(record: BasisRecord) -> Table:
    """Every coordinate with its values."""
    chosen = {c.coordinate: c.name for c in record.selected.clauses} if isinstance(record, SelectionRecord) else {}
    columns = [*words("clause"), *numbers("cost", "pairs"), *words(*(["ranks"] if record.ranked else []), "values")]
    columns += [*numbers("members"), *words("selected as")]
    rows: list[list[Cell | str]] = [
        [
            Cell(coordinate.text, code=True),
            str(coordinate.cost),
            str(coordinate.separates),
            *([ranks_text(coordinate)] if record.ranked else []),
            " ".join(map(str, coordinate.values)),
            str(coordinate.members.total),
            chosen.get(place, ""),
        ]
        for place, coordinate in enumerate(record.shown)
    ]
    return Table("", columns, rows, [f"values in the order: {', '.join(case.name for case in record.cases)}"])


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
