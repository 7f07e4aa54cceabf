"""A selection as a self-contained page: the traces drawn, values as a heat table, the contract and its evidence."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any

from markupsafe import Markup

from tracepact.show.figure import heat_table, inline
from tracepact.show.page import Section, html_page, html_table, templates
from tracepact.tools.select.readable import range_words
from tracepact.tools.select.report import sentences as say
from tracepact.tools.select.report.figure import selection_picture, trace_picture
from tracepact.tools.select.report.record import (
    CaseRecord,
    ConflictRecord,
    CoordinateRecord,
    SelectedClause,
    SelectionRecord,
)
from tracepact.tools.select.report.tables import (
    basis_table,
    candidates_table,
    robustness_table,
    stability_table,
    values_table,
)
from tracepact.tools.select.separate import Pair, Requirement
from tracepact.tools.select.sliding import Slider
from tracepact.wording import count, short

_FOLDER = Path(__file__).resolve().parent
_HEAT = 16
Pictures = list[tuple[str, Markup]]


def selection_page(
    found: SelectionRecord, moves: Sequence[Slider] = (), pairs: Sequence[Pair] = (), *, file: str = "selected.contract"
) -> str:
    """The page of a selection.

    `moves` are what its clauses score at other tolerances, `pairs` those to be ordered, `file` is what the contract is
    called.
    """
    parts: Any = templates(_FOLDER).get_template("selection.html").module
    head = parts.head(found, list(_summary(found)))
    sections = list(_sections(found, parts))
    title = f"tracepact select {found.calibration.name}"
    if found.contract is None or not found.selected.count:
        return html_page(title, head, sections)
    lead = "Move a tolerance and see what every case scores, and where the order is lost."
    names = [clause.name for clause in found.selected.clauses]
    moved = Section("tolerances", "Other tolerances", parts.tolerances(names, moves, file, found.ranked), lead)
    places = [place for place, section in enumerate(sections) if section.id == "table"]
    sections.insert(places[0] + 1, moved)
    return html_page(title, head, sections, scripts=["selection.js"], data=_moving(found, moves, pairs, file))


def _moving(found: SelectionRecord, moves: Sequence[Slider], pairs: Sequence[Pair], file: str) -> dict[str, Any]:
    """What the sliders need, in whole parts of a score."""
    assert found.contract is not None
    values = [coordinate.values for coordinate in found.chosen]
    tables = [*values, *(row for move in moves for row in move.values)]
    scale = lcm(*{value.denominator for row in tables for value in row})

    def parts(row: Sequence[Fraction]) -> list[str]:
        return [str(int(value * scale)) for value in row]

    def sliding(move: Slider) -> dict[str, Any]:
        scored = [parts(row) for row in move.values]
        return {
            "clause": move.clause,
            "numbers": move.numbers,
            "names": move.names,
            "texts": move.texts,
            "at": move.at,
            "values": scored,
        }

    ordering = found.selected.ordering
    weights = [one.weight for one in ordering.weights] if ordering else [1] * len(values)
    cases = found.cases
    return {
        "file": file,
        "contract": found.contract.text,
        "scale": str(scale),
        "weights": [str(weight) for weight in weights],
        "clauses": [clause.name for clause in found.selected.clauses],
        "cases": [
            {"name": case.name, "rank": None if case.rank is None else str(case.rank), "faulty": case.faulty}
            for case in cases
        ],
        "order": found.worst_first,
        "pairs": [[pair.worse, pair.better] for pair in pairs],
        "values": [parts(row) for row in values],
        "sliders": [sliding(move) for move in moves],
    }


def _summary(found: SelectionRecord) -> Iterator[str]:
    selected = found.selected
    met = f"{selected.met} of {selected.required} requirements met"
    if not selected.count:
        yield f"{_sentence(say.NOTHING_SELECTED)[:-1]}; {met}."
        return
    state = "proved smallest" if selected.optimal else say.unproved_words(selected)
    yield f"{count(selected.count, 'clause')} at a cost of {selected.cost}, {state}; {met}."
    if selected.ordering is not None:
        lines = say.ordering_words(selected.ordering, judged=found.preferences is not None, unmet=found.unmet_pairs)
        yield from map(_sentence, lines)
    elif Requirement.SEPARATE in found.requirements:
        yield _sentence(say.order_words(selected.order))


def _sections(found: SelectionRecord, parts: Any) -> Iterator[Section]:
    if found.unmet:
        larger = [*say.naming_help(found), *(say.larger_family_words(family) for family in found.beyond)]
        yield Section("unmet", "Requirements that no candidate meets", parts.unmet(list(_unmet(found)), larger))
    if found.selected.ordering is not None and found.selected.ordering.conflicts:
        conflicts = found.selected.ordering.conflicts
        drawn = [([_sentence(say.conflict_words(conflict))], _conflicting(found, conflict)) for conflict in conflicts]
        yield Section("conflicts", "Pairs that no weights order together", parts.unmet(drawn, []))
    yield Section("cases", "Cases", parts.figure(inline(selection_picture(found))))
    if found.contract is not None:
        yield Section("contract", "Selected contract", parts.contract(found.contract.text))
    if found.selected.count:
        heat = _heat(found, found.chosen, "darker is lower; 1.00 is perfect")
        yield Section("values", "Values of the selected clauses", parts.figure(heat))
        lead = "The exact values, the worst case first, and the order that the weights give."
        yield Section("table", "Cases and clauses", html_table(values_table(found)), lead)
        lead = "What each does that no other selected clause does."
        yield Section("why", "Why each clause is there", parts.reasons(list(_reasons(found))), lead)
        smallest = "Why no smaller set will do" if found.selected.optimal else "What is known of smaller sets"
        yield Section("smallest", smallest, parts.list(list(_evidence(found))))
    if found.preferences is not None:
        violated = [
            ([f"Violated: {one.worse} below {one.better}."], _pictures(found.case(one.worse), found.case(one.better)))
            for one in found.preferences.violated
        ]
        said = [_sentence(line) for line in say.preference_words(found.preferences)]
        yield Section("preferences", "Preferences", parts.unmet(violated, said))
    if found.robustness:
        yield Section("robustness", "Disturbed cases", html_table(robustness_table(found)))
    if found.stability is not None:
        yield Section("stability", "One case left out", html_table(stability_table(found)))
    if found.holdout is not None:
        yield Section("holdout", "Cases not seen", parts.list([_sentence(say.holdout_words(found.holdout))]))
    shown = found.shown[:_HEAT]
    heat = _heat(found, shown, f"the first {count(len(shown), 'coordinate')}")
    lead = f"{count(found.candidates.classes, 'class', 'classes')} of candidates with equal values."
    yield Section("basis", "Retained basis", parts.basis(heat, basis_table(found), found.shown), lead)
    yield Section("candidates", "Candidates", html_table(candidates_table(found.candidates)))
    if found.changes is not None:
        yield Section("changes", "What changes", parts.changes(found.changes))


def _heat(found: SelectionRecord, coordinates: Sequence[CoordinateRecord], title: str) -> Markup:
    order = found.worst_first
    rows = [found.cases[place].title for place in order]
    values = [[coordinate.values[place] for coordinate in coordinates] for place in order]
    names = [coordinate.name for coordinate in coordinates]
    return inline(heat_table(title, rows, names, values, value_range=(0, 1), low_is_dark=True))


def _pictures(*cases: CaseRecord) -> Pictures:
    return [(f"{case.name}, {short(case.duration)} s", inline(trace_picture(case))) for case in cases]


def _unmet(found: SelectionRecord) -> Iterator[tuple[list[str], Pictures]]:
    """By requirement that no candidate meets what is said of it, and the traces of its cases."""
    for unmet in found.unmet:
        lines = [_sentence(say.unmet_words(found, unmet))]
        if unmet.fault is not None:
            yield lines, []
            continue
        worse, better = found.case(unmet.worse), found.case(unmet.better)
        if unmet.identical:
            lines.append(_sentence(say.identical_words(worse, better, found.calibration.step)))
        yield lines, _pictures(worse, better)


def _conflicting(found: SelectionRecord, conflict: ConflictRecord) -> Pictures:
    return _pictures(*(found.case(name) for pair in conflict.pairs for name in (pair.worse, pair.better)))


def _reasons(found: SelectionRecord) -> Iterator[tuple[str, str, list[str], Pictures]]:
    """By selected clause its name, its text, what it alone meets, and the traces of a pair that shows it."""
    for clause in found.selected.clauses:
        pair = next((row for row in clause.only if row.worse is not None), None)
        pictures = _pictures(found.case(pair.worse), found.case(pair.better)) if pair else []
        ranges = (range_words(one.value, one.least, one.most) for one in clause.ranges)
        yield clause.name, clause.text, [clause.words, *_alone(found, clause), *ranges], pictures


def _alone(found: SelectionRecord, clause: SelectedClause) -> Iterator[str]:
    pairs = [row for row in clause.only if row.worse is not None]
    values = found.coordinates[clause.coordinate].values
    for row in pairs[:1]:
        worse, better = found.case(row.worse), found.case(row.better)
        low, high = (values[found.cases.index(case)] for case in (worse, better))
        below, above = (say.with_rank(case, case.name) for case in (worse, better))
        yield f"{low} on {below}, less than {high} on {above}."
    if len(pairs) > 1:
        yield f"It alone among the selected clauses separates {len(pairs)} pairs."
    if named := [row.fault for row in clause.only if row.fault is not None]:
        yield f"It alone among the selected clauses names {', '.join(named)}."


def _evidence(found: SelectionRecord) -> Iterator[str]:
    selected = found.selected
    yield _sentence(say.evidence_words(selected))
    yield from say.bound_lines(selected)
    if second := say.second_solver_words(selected):
        yield f"{second}."


def _sentence(words: str) -> str:
    """Words as a sentence of their own."""
    return f"{words[:1].upper()}{words[1:]}."
