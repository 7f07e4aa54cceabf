"""A selection as a self-contained page, and every file it writes, the order that it claims among them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from io import StringIO
from math import lcm
from pathlib import Path
from typing import Annotated, Any

from markupsafe import Markup
from msgspec import DecodeError, Meta, ValidationError, json
from msgspec.structs import astuple

from tracepact.data.events import Event
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import RowPlace
from tracepact.files import json_text, table_text
from tracepact.inputs import read_within
from tracepact.outputs import write_results
from tracepact.records import Count, Name, NotNegative, Record, plain, record_of
from tracepact.selection import sentences as say
from tracepact.selection.basis import number_text, seen_of_clauses, slots, tried_numbers, variants_contract, with_number
from tracepact.selection.judgements import PathRecord
from tracepact.selection.record import CaseRecord, CoordinateRecord, SelectedClause, SelectionRecord
from tracepact.selection.record_parts import MEMBER_COLUMNS, member_records
from tracepact.selection.requirements import Pair, SelectionRequirement, rank_pairs
from tracepact.selection.selection import HARM, Selection
from tracepact.selection.sentences import basis_table, candidates_table, robustness_table, stability_table, values_table
from tracepact.selection.views import render_selection, selection_picture, trace_picture
from tracepact.show.figures import Curve, curve_chart, heat_table, inline
from tracepact.show.pages import Section, html_page, html_table, templates
from tracepact.show.tables import Screen, needed_width
from tracepact.wording import count, short

# What a selected clause scores at other tolerances, for the sliders of the page (14.32).

_MOST_CASES = 100


@dataclass(frozen=True, slots=True)
class Slider:
    """The first number of a selected clause: those that are tried, the clause with each, its values on the cases."""

    clause: int
    numbers: tuple[str, ...]
    names: tuple[str, ...]
    """What the clause is called with each of them."""
    texts: tuple[str, ...]
    values: tuple[tuple[Fraction, ...], ...]
    at: int
    """The place of the number that was selected."""


def sliders(selection: Selection) -> tuple[Slider, ...]:
    """A slider for every selected clause with a number to move; none where there are more cases than a page shows."""
    observed = selection.retained.observed
    calibration = observed.calibration
    # every number of every clause times every case is data of the page
    if len(calibration.cases) > _MOST_CASES:
        return ()
    variants: list[str] = []
    rows: list[tuple[int, list[str], int, int]] = []
    for place, clause in enumerate(selection.clauses):
        movable = slots(clause.text)
        # an author's own clause may have parameters that another contract lacks
        if not movable or selection.coordinates[place].candidate < observed.candidates.first_frame:
            continue
        slot = movable[0]
        numbers = tried_numbers(slot, calibration.step)
        rows.append((place, numbers, len(variants), numbers.index(number_text(slot))))
        variants += [with_number(clause.text, slot, number) for number in numbers]
    if not variants:
        return ()
    scored = seen_of_clauses(calibration, variants_contract(observed, variants), observed.matcher)
    return tuple(
        Slider(
            place,
            tuple(numbers),
            (selection.clauses[place].name,) * len(numbers),
            tuple(variants[first : first + len(numbers)]),
            tuple(scored[index].values for index in range(first, first + len(numbers))),
            at,
        )
        for place, numbers, first, at in rows
    )


# The order that a selected contract claims to keep: its cases, pairs and margin, as a file (rule 14.28).

FILE = "order.json"
"""The name of the file in the folder of a selection."""
_MOST_BYTES = 100_000_000


class ClaimedEvent(Record, frozen=True):
    """An event of a case."""

    onset: NotNegative
    offset: NotNegative
    label: str

    @classmethod
    def of(cls, event: Event) -> "ClaimedEvent":
        """The record of an event."""
        return cls(event.onset, event.offset, event.label)

    @property
    def event(self) -> Event:
        """The event."""
        return Event(self.onset, self.offset, self.label)


class ClaimedCase(Record, frozen=True):
    """A case of a calibration set with its own times."""

    name: str
    duration: NotNegative
    ref: tuple[ClaimedEvent, ...]
    pred: tuple[ClaimedEvent, ...]


class OrderClaim(Record, frozen=True):
    """What is claimed: under the contract's profile the mean is lower by the margin on the first case of every pair."""

    contract: Annotated[str, Meta(description="The text of the selected contract.")]
    profile: Name
    margin: NotNegative
    cases: Annotated[tuple[ClaimedCase, ...], Meta(min_length=2)]
    pairs: Annotated[
        tuple[tuple[Count, Count], ...], Meta(min_length=1, description="The places of two cases, the worse one first.")
    ]


def read_claim(path: Path) -> OrderClaim:
    """The claim of a file, or of the folder that a selection was written to.

    InvalidInput says why there is none: the file is missing, is not of this form, or is inconsistent in itself.
    """
    file = path / FILE if path.is_dir() else path
    diagnostics = Diagnostics()
    try:
        claim = record_of(json.decode(read_within(file.parent, file.name, _MOST_BYTES)), OrderClaim)
    except OSError as error:
        headline = f"cannot read `{file}`: {(error.strerror or str(error)).lower()}"
        help = "`tracepact select … --out FOLDER` writes it where the order is required and some pair is ordered"
        diagnostics.add("unreadable-file", headline, RowPlace(str(file)), help)
        raise InvalidInput(diagnostics) from error
    except (DecodeError, ValidationError, ValueError, RecursionError) as error:
        diagnostics.add("wrong-form", f"this is not the claim of a selection: {error}", RowPlace(str(file)))
        raise InvalidInput(diagnostics) from error
    for fault in _faults(claim):
        diagnostics.add("wrong-form", fault, RowPlace(str(file)))
    diagnostics.raise_errors()
    return claim


def _faults(claim: OrderClaim) -> list[str]:
    """The faults of a claim that its contract has no part in."""
    names = [case.name for case in claim.cases]
    faults = [f"two cases are called `{name}`" for name in sorted({n for n in names if names.count(n) > 1})]
    faults += [f"`{case.name}` has no duration" for case in claim.cases if case.duration == 0]
    for case in claim.cases:
        events = (*case.ref, *case.pred)
        faults += [f"an event of `{case.name}` has no length" for event in events if event.offset <= event.onset]
        faults += [f"an event of `{case.name}` ends after it" for event in events if event.offset > case.duration]
    number = len(names)
    faults += [f"there is no case {place}" for pair in claim.pairs for place in pair if place >= number]
    faults += [f"case {worse} is paired with itself" for worse, better in claim.pairs if worse == better]
    if claim.margin == Fraction(0):
        faults.append("a margin of 0 orders nothing")
    return faults


# A selection as a self-contained page: the traces drawn, values as a heat table, the contract and its evidence.

_FOLDER = Path(__file__).resolve().parent
_HEAT = 16
Pictures = list[tuple[str, Markup]]


def selection_page(
    record: SelectionRecord,
    moves: Sequence[Slider] = (),
    pairs: Sequence[Pair] = (),
    *,
    file: str = "selected.contract",
) -> str:
    """The page of a selection.

    `moves` are what its clauses score at other tolerances, `pairs` those to be ordered, `file` is what the contract is
    called.
    """
    parts: Any = templates(_FOLDER).get_template("selection.html").module
    head = parts.head(record, list(_summary(record)))
    sections = list(_sections(record, parts))
    title = f"tracepact select {record.calibration.name}"
    if record.contract is None or not record.selected.count:
        return html_page(title, head, sections)
    lead = "Move a tolerance and see what every case scores, and where the order is lost."
    names = [clause.name for clause in record.selected.clauses]
    moved = Section("tolerances", "Other tolerances", parts.tolerances(names, moves, file, record.ranked), lead)
    places = [place for place, section in enumerate(sections) if section.id == "table"]
    sections.insert(places[0] + 1, moved)
    return html_page(title, head, sections, scripts=["selection.js"], data=_moving(record, moves, pairs, file))


def _moving(record: SelectionRecord, moves: Sequence[Slider], pairs: Sequence[Pair], file: str) -> dict[str, Any]:
    """The data of the sliders, in whole parts of a score."""
    assert record.contract is not None
    values = [coordinate.values for coordinate in record.chosen]
    tables = [*values, *(row for move in moves for row in move.values)]
    scale = lcm(*{value.denominator for row in tables for value in row})

    def parts(row: Sequence[Fraction]) -> list[str]:
        # as text: the page's numbers are floats, and these are sums that decide an order; it takes them as BigInt
        return [str(int(value * scale)) for value in row]

    def sliding(move: Slider) -> dict[str, Any]:
        return {**asdict(move), "values": [parts(row) for row in move.values]}

    ordering = record.selected.ordering
    weights = [one.weight for one in ordering.weights] if ordering else [1] * len(values)
    cases = record.cases
    return {
        "file": file,
        "contract": record.contract.text,
        "scale": str(scale),
        "weights": [str(weight) for weight in weights],
        "clauses": [clause.name for clause in record.selected.clauses],
        "cases": [
            {"name": case.name, "rank": None if case.rank is None else str(case.rank), "faulty": case.faulty}
            for case in cases
        ],
        "order": record.worst_first,
        "pairs": [[pair.worse, pair.better] for pair in pairs],
        "values": [parts(row) for row in values],
        "sliders": [sliding(move) for move in moves],
    }


def _summary(record: SelectionRecord) -> Iterator[str]:
    selected = record.selected
    met = f"{selected.met} of {selected.required} requirements met"
    if not selected.count:
        yield f"{_sentence(say.NOTHING_SELECTED)[:-1]}; {met}."
        return
    state = say.state_words(selected)
    yield f"{count(selected.count, 'clause')} at a cost of {selected.cost}, {state}; {met}."
    if selected.ordering is not None:
        lines = say.ordering_words(selected.ordering, judged=record.preferences is not None, unmet=record.unmet_pairs)
        yield from map(_sentence, lines)
    elif SelectionRequirement.SEPARATE in record.requirements:
        yield _sentence(say.order_words(selected.order))


def _sections(record: SelectionRecord, parts: Any) -> Iterator[Section]:
    if record.unmet:
        larger = [*say.naming_help(record), *(say.larger_family_words(family) for family in record.beyond)]
        yield Section("unmet", "Requirements that no candidate meets", parts.unmet(list(_unmet(record)), larger))
    if record.selected.ordering is not None and record.selected.ordering.conflicts:
        conflicts = record.selected.ordering.conflicts
        drawn = []
        for conflict in conflicts:
            names = (name for pair in conflict.pairs for name in (pair.worse, pair.better))
            drawn.append(([_sentence(say.conflict_words(conflict))], _pictures(*map(record.case, names))))
        yield Section("conflicts", "Pairs that no weights order together", parts.unmet(drawn, []))
    yield Section("cases", "Cases", parts.figure(inline(selection_picture(record))))
    if record.contract is not None:
        yield Section("contract", "Selected contract", parts.contract(record.contract.text))
    if record.selected.count:
        heat = _heat(record, record.chosen, "darker is lower; 1.00 is perfect")
        yield Section("values", "Values of the selected clauses", parts.figure(heat))
        lead = "The exact values, the worst case first, and the order that the weights give."
        yield Section("table", "Cases and clauses", html_table(values_table(record)), lead)
        lead = "What each does that no other selected clause does."
        yield Section("why", "Why each clause is there", parts.reasons(list(_reasons(record))), lead)
        smallest = "Why no smaller set will do" if record.selected.optimal else "What is known of smaller sets"
        yield Section("smallest", smallest, parts.list(list(_evidence(record))))
    if record.preferences is not None:
        violated = [
            ([f"Violated: {one.worse} below {one.better}."], _pictures(record.case(one.worse), record.case(one.better)))
            for one in record.preferences.violated
        ]
        said = [_sentence(line) for line in say.preference_words(record.preferences)]
        yield Section("preferences", "Preferences", parts.unmet(violated, said))
        if record.preferences.path is not None:
            yield Section("sizes", "How many clauses", parts.figure(_agreement_by_size(record.preferences.path)))
    if record.exploits is not None:
        said = [_sentence(line) for line in record.exploits.words]
        yield Section("exploits", "Useless systems and harmful edits", parts.list(said))
    if record.robustness:
        yield Section("robustness", "Disturbed cases", html_table(robustness_table(record)))
    if record.stability is not None:
        yield Section("stability", "One case left out", html_table(stability_table(record)))
    if record.holdout is not None:
        yield Section("holdout", "Cases not seen", parts.list([_sentence(say.holdout_words(record.holdout))]))
    shown = record.shown[:_HEAT]
    heat = _heat(record, shown, f"the first {count(len(shown), 'coordinate')}")
    lead = f"{count(record.candidates.classes, 'class', 'classes')} of candidates with equal values."
    yield Section("basis", "Retained basis", parts.basis(heat, basis_table(record), record.shown), lead)
    yield Section("candidates", "Candidates", html_table(candidates_table(record.candidates)))
    if record.changes is not None:
        yield Section("changes", "What changes", parts.changes(record.changes))


def _agreement_by_size(path: PathRecord) -> Markup:
    """The share of judgements left out that contracts of each size keep, its interval, and the size that is taken."""
    shares = [(one.clauses, one.agreement) for one in path.sizes]
    curves = [
        Curve("kept", points := [(size, share.count / share.of) for size, share in shares], points),
        Curve("at least", [(size, share.interval[0]) for size, share in shares]),
        Curve("at most", [(size, share.interval[1]) for size, share in shares]),
    ]
    chart = curve_chart(
        "Judgements left out that are kept, by the number of clauses",
        curves,
        x="clauses",
        y="share kept",
        rules=[(path.taken, "taken")],
        y_range=None,
    )
    return inline(chart)


def _heat(record: SelectionRecord, coordinates: Sequence[CoordinateRecord], title: str) -> Markup:
    order = record.worst_first
    rows = [record.cases[place].title for place in order]
    values = [[coordinate.values[place] for coordinate in coordinates] for place in order]
    names = [coordinate.name for coordinate in coordinates]
    return inline(heat_table(title, rows, names, values, value_range=(0, 1), low_is_dark=True))


def _pictures(*cases: CaseRecord) -> Pictures:
    return [(f"{case.name}, {short(case.duration)} s", inline(trace_picture(case))) for case in cases]


def _unmet(record: SelectionRecord) -> Iterator[tuple[list[str], Pictures]]:
    """By requirement that no candidate meets what is said of it, and the traces of its cases."""
    for unmet in record.unmet:
        lines = [_sentence(say.unmet_words(record, unmet))]
        if unmet.fault is not None:
            yield lines, []
            continue
        worse, better = record.case(unmet.worse), record.case(unmet.better)
        if unmet.identical:
            lines.append(_sentence(say.identical_words(worse, better, record.calibration.step)))
        yield lines, _pictures(worse, better)


def _reasons(record: SelectionRecord) -> Iterator[tuple[str, str, list[str], Pictures]]:
    """By selected clause its name, its text, what it alone meets, and the traces of a pair that shows it."""
    for clause in record.selected.clauses:
        pair = next((row for row in clause.only if row.worse is not None), None)
        pictures = _pictures(record.case(pair.worse), record.case(pair.better)) if pair else []
        yield (
            clause.name,
            clause.text,
            [clause.words, *_alone(record, clause), *(r.words for r in clause.ranges)],
            pictures,
        )


def _alone(record: SelectionRecord, clause: SelectedClause) -> Iterator[str]:
    pairs = [row for row in clause.only if row.worse is not None]
    values = record.coordinates[clause.coordinate].values
    for row in pairs[:1]:
        worse, better = record.case(row.worse), record.case(row.better)
        low, high = (values[record.cases.index(case)] for case in (worse, better))
        below, above = (say.with_rank(case, case.name) for case in (worse, better))
        yield f"{low} on {below}, less than {high} on {above}."
    if len(pairs) > 1:
        yield f"It alone among the selected clauses separates {len(pairs)} pairs."
    if named := [row.fault for row in clause.only if row.fault is not None]:
        yield f"It alone among the selected clauses names {', '.join(named)}."


def _evidence(record: SelectionRecord) -> Iterator[str]:
    selected = record.selected
    yield _sentence(say.evidence_words(selected))
    yield from say.bound_lines(selected)
    if second := say.second_solver_words(selected):
        yield f"{second}."


def _sentence(words: str) -> str:
    """Words as a sentence of their own."""
    return f"{words[:1].upper()}{words[1:]}."


# Writes the files of a selection: the contract, JSON, text, page, picture, and where every candidate went.

_WIDTH = 132
COMMAND = "select"


def write_selection(selection: Selection, record: SelectionRecord, folder: Path) -> list[Path]:
    """All files, whole or not at all, and nothing of an earlier selection beside them; returns their paths."""
    name = re.sub(r"[^\w-]+", "_", record.calibration.name) or "selected"  # that of a file everywhere
    contract = f"{name}.contract"
    ordering = selection.ordering
    pairs = rank_pairs(selection.calibration.cases) if ordering is None else ordering.differences.pairs
    contents = {
        "selection.json": json_text(plain(record)),
        "selection.txt": selection_text(record),
        "selection.html": selection_page(record, sliders(selection), pairs, file=contract),
        "selection.svg": selection_picture(record, alone=True),
        "candidates.tsv": table_text(MEMBER_COLUMNS, map(astuple, member_records(selection.retained))),
    }
    if record.contract is not None:
        contents[contract] = record.contract.text
    claim = order_claim(selection, record)
    if claim is not None:
        contents[FILE] = json_text(plain(claim))
    write_results(folder, COMMAND, contents)
    return [folder / name for name in contents]


def order_claim(selection: Selection, record: SelectionRecord) -> OrderClaim | None:
    """The claim that `tracepact certify --selection` has the kernel check; None if no pair is ordered (14.28)."""
    ordering = selection.ordering
    if ordering is None or record.contract is None or not ordering.differences.pairs or ordering.margin <= 0:
        return None

    def events(side: tuple[Event, ...]) -> tuple[ClaimedEvent, ...]:
        return tuple(map(ClaimedEvent.of, side))

    cases = selection.calibration.cases
    return OrderClaim(
        record.contract.text,
        HARM,
        ordering.margin,
        tuple(ClaimedCase(case.name, case.duration, events(case.ref), events(case.pred)) for case in cases),
        tuple((pair.worse, pair.better) for pair in ordering.differences.pairs),
    )


def selection_text(record: SelectionRecord) -> str:
    """The terminal's answer as plain text."""
    console = Screen(record=True, width=_WIDTH, file=StringIO(), emoji=False, highlight=False)
    shown = render_selection(record)
    console.width = needed_width(shown, console)
    console.print(shown)
    return console.export_text()
