"""What a selection says in sentences, for the terminal and the page alike."""

from collections.abc import Iterator
from fractions import Fraction

from tracepact.tools.select.cover.problem import Answer
from tracepact.tools.select.report.checks import HoldoutRecord, PreferencesRecord
from tracepact.tools.select.report.record import (
    BasisRecord,
    CandidateCounts,
    CaseRecord,
    ConflictRecord,
    LargerFamily,
    OrderingRecord,
    OrderRecord,
    RequirementRecord,
    SelectedRecord,
    SelectionRecord,
    UnmetRequirement,
)
from tracepact.tools.select.separate import blend_words
from tracepact.wording import at_least, at_most, count, listed, ms, percent, print_number

_ANSWERS = {Answer.REFUTED: "there is none", Answer.UNKNOWN: "not decided in time", Answer.UNASKED: "not asked"}
NOTHING_SELECTED = "nothing was selected: no candidate meets any requirement"


def family_lines(found: BasisRecord) -> Iterator[str]:
    """How many candidates there were and what became of them."""
    candidates = found.candidates
    dropped = candidates.dropped
    ranks = f", {count(len({case.rank for case in found.cases}), 'rank')}" if found.ranked else ""
    proofs = ", ".join(f"{number} by {how}" for how, number in candidates.proofs.items())
    yield (
        f"{count(len(found.cases), 'case')}{ranks}; {count(candidates.total, 'candidate')}: "
        f"{candidates.author:,} by an author, {candidates.frame:,} on frames, {candidates.event:,} on events"
    )
    yield (
        f"{dropped.total:,} dropped because a perfect prediction violates them: {dropped.reference:,} on a reference, "
        f"{dropped.short_trace:,} on a trace of up to {candidates.short_traces.frames} frames, {dropped.solver:,} by "
        "the solver"
    )
    yield (
        f"{candidates.constant:,} have the same value on all cases; the others form "
        f"{count(found.candidates.classes, 'class', 'classes')}"
    )
    yield (
        f"the representative of each class is proved perfect ({proofs or 'none'}); "
        f"{count(candidates.only_tested, 'other candidate')} passed the tests without a proof"
    )


def undecided_words(candidates: CandidateCounts) -> str:
    """How many candidates are not used because nothing was decided; empty for none."""
    number = len(candidates.undecided)
    return f"{count(number, 'candidate')} stayed undecided and {_are(number)} not used" if number else ""


def answer_words(found: SelectionRecord) -> str:
    """How many clauses were found, whether fewer do, and what they meet: the answer in one line."""
    selected, judged = found.selected, found.preferences
    name = found.calibration.name
    if not selected.count:
        return f"{name}: {NOTHING_SELECTED}"
    state = "proved smallest" if selected.optimal else unproved_words(selected)
    met = f"{selected.met} of {selected.required} requirements met"
    if judged is not None:
        violated, weight = (print_number(number) for number in (judged.violated_weight, judged.weight))
        met = f"it violates {violated} of {weight}, the weight of the judgements"
    return f"{name}: {count(selected.count, 'clause')}, {state}; {met}"


def requirement_words(requirement: RequirementRecord) -> str:
    """What is required."""
    if requirement.fault is not None:
        return f"`{requirement.fault}` named"
    if requirement.blend:
        return blend_words([(pair.worse, pair.better) for pair in requirement.blend])
    return f"`{requirement.worse}` below `{requirement.better}`"


def unmet_words(found: BasisRecord, unmet: UnmetRequirement) -> str:
    """A requirement that no candidate meets."""
    if unmet.fault is not None and unmet.unjudged:
        return (
            f"no candidate that has something to judge in `{unmet.fault}` names it; those that are lowest on it alone "
            "are so for want of anything to judge there, which scores 0 (7.4) and may not name (14.17): leave an event "
            "to judge in its cases"
        )
    if unmet.fault is not None:
        return f"no candidate names `{unmet.fault}`: none is lowest on it alone"
    worse, better = (with_rank(found.case(name), f"`{name}`") for name in (unmet.worse, unmet.better))
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


def naming_help(found: BasisRecord) -> list[str]:
    """What can be done about faults that no candidate names; nothing if there are none."""
    unnamed = next((unmet.fault for unmet in found.unmet if unmet.fault is not None), None)
    if unnamed is None:
        return []
    faults = {f"{case.fault}, {case.group}" if case.group else case.fault: case.fault for case in found.cases}
    case = next(case.name for case in found.cases if case.fault == faults[unnamed] and not case.group)
    return [
        "a clause names a fault if it is lower on each of its cases than on every other case: change the amounts, "
        f"leave cases out (`--without '{case}'`), or ask for the order alone (`--require order`)"
    ]


def identical_words(worse: CaseRecord, better: CaseRecord, step: Fraction) -> str:
    """Two cases that are one trace, and whether the grid made them so."""
    moved = [case.name for case in (worse, better) if case.rounded]
    why = f"; times of {listed(moved)} are not multiples of {ms(step)} and were rounded" if moved else ""
    return f"their traces are identical on the grid of {ms(step)}, so no family can separate them{why}"


def larger_family_words(larger: LargerFamily) -> str:
    """What a larger family would do for the pairs that are not separated."""
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
    """What separation does not say."""
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
    if lost > len(ordering.conflicts):
        given_up = f"{count(lost, 'pair')} {_are(lost)} given up, the fewest found in the time"
        yield f"{given_up}; any weights give up {count(bound, 'pair')} or more"
    if ordering.margin_bound > ordering.largest_margin:
        yield f"as few clauses may have a margin of up to {at_most(ordering.margin_bound)}: not decided in the time"


def _best_weights(ordering: OrderingRecord) -> str:
    """What the best weights would reach, which are not rounded to small whole numbers as the written ones are."""
    if ordering.margin == ordering.largest_margin:
        return ", as much as any weights of these clauses reach"
    return f"; the best weights, before they are rounded, reach {at_least(ordering.largest_margin)}"


def conflict_words(conflict: ConflictRecord) -> str:
    """Pairs that cannot be ordered together, and which of them is given up."""
    *others, last = [f"`{pair.worse}` below `{pair.better}`" for pair in conflict.pairs]
    pairs = f"{', '.join(others)} and {last}" if others else last
    left = conflict.left_out
    return (
        f"no weights on any candidates order {pairs} together; `{left.worse}` below `{left.better}` was not required "
        "further"
    )


def preference_words(found: PreferencesRecord) -> Iterator[str]:
    """What was judged, what is violated, and what is proved of it."""
    judges = f" by {count(len(found.judges), 'judge')}" if found.judges else ""
    same = f", {found.same} more say neither is worse" if found.same else ""
    yield f"{count(found.judgements, 'judgement')}{judges}, of weight {print_number(found.weight)}{same}"
    proved = (
        "no contract of these candidates violates less"
        if found.bound == found.violated_weight
        else f"at least {print_number(found.bound)} is violated by any; whether less than this can be is not decided"
    )
    yield f"violated: weight {print_number(found.violated_weight)}; {proved}"
    for one in found.contradictions:
        yield (
            f"judged both ways: `{one.worse}` below `{one.better}` with weight {print_number(one.weight)}, "
            f"the other way with {print_number(one.against)}"
        )
    if found.undecided:
        yield _undecided_pairs(found)
    if found.agreement is not None:
        low, high = found.agreement.interval
        yield (
            f"on judgements left out ({found.folds} folds) {found.agreement.count} of {found.agreement.of} are kept "
            f"({percent(low)} to {percent(high)} at 95 %)"
        )


def _undecided_pairs(found: PreferencesRecord) -> str:
    """On how many pairs there is no majority, and what follows if that is so of all."""
    no_majority = "there is no majority, so the judgements do not decide which is worse"
    if found.undecided < found.pairs:
        return f"on {found.undecided} of {count(found.pairs, 'judged pair')} {no_majority}"
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
