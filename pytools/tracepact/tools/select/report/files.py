"""Writes the files of a selection: the contract, JSON, text, page, picture, and where every candidate went."""

import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

from msgspec.structs import astuple

from tracepact.files import Row, json_text, table_text
from tracepact.records import Count, Record, plain
from tracepact.show.screen import Screen, needed_width
from tracepact.tools.folders import write_results
from tracepact.tools.order_claim import FILE as CLAIM
from tracepact.tools.order_claim import ClaimedCase, ClaimedEvent, OrderClaim
from tracepact.tools.select.candidate_words import describe
from tracepact.tools.select.observe import Screening
from tracepact.tools.select.report.figure import selection_picture
from tracepact.tools.select.report.page import selection_page
from tracepact.tools.select.report.record import SelectionRecord
from tracepact.tools.select.report.text import render_selection
from tracepact.tools.select.select import Retained, Selection
from tracepact.tools.select.separate import rank_pairs
from tracepact.tools.select.sliding import sliders
from tracepact.tools.select.write import HARM
from tracepact.trace import Event

_WIDTH = 132
COMMAND = "select"
_SCREENINGS = {
    Screening.FAILED_ON_REFERENCE: "dropped: reference",
    Screening.FAILED_ON_SHORT_TRACE: "dropped: short trace",
}


def write_selection(selection: Selection, found: SelectionRecord, folder: Path) -> list[Path]:
    """All files, whole or not at all, and nothing of an earlier selection beside them; returns their paths."""
    contract = f"{_file_name(found.calibration.name)}.contract"
    contents = {
        "selection.json": json_text(plain(found)),
        "selection.txt": selection_text(found),
        "selection.html": _page(selection, found, contract),
        "selection.svg": selection_picture(found, alone=True),
        "candidates.tsv": table_text(MEMBER_COLUMNS, member_rows(selection.retained)),
    }
    if found.contract is not None:
        contents[contract] = found.contract.text
    claim = order_claim(selection, found)
    if claim is not None:
        contents[CLAIM] = json_text(plain(claim))
    write_results(folder, COMMAND, contents)
    return [folder / name for name in contents]


def _page(selection: Selection, found: SelectionRecord, file: str) -> str:
    ordering = selection.ordering
    pairs = rank_pairs(selection.calibration.cases) if ordering is None else ordering.differences.pairs
    return selection_page(found, sliders(selection), pairs, file=file)


def order_claim(selection: Selection, found: SelectionRecord) -> OrderClaim | None:
    """What `tracepact certify --selection` has the kernel check; None if no pair is ordered (14.28)."""
    ordering = selection.ordering
    if ordering is None or found.contract is None or not ordering.differences.pairs or ordering.margin <= 0:
        return None

    def events(side: tuple[Event, ...]) -> tuple[ClaimedEvent, ...]:
        return tuple(map(ClaimedEvent.of, side))

    cases = selection.calibration.cases
    return OrderClaim(
        found.contract.text,
        HARM,
        ordering.margin,
        tuple(ClaimedCase(case.name, case.duration, events(case.ref), events(case.pred)) for case in cases),
        tuple((pair.worse, pair.better) for pair in ordering.differences.pairs),
    )


def _file_name(name: str) -> str:
    """A name that is a file's name everywhere."""
    return re.sub(r"[^\w-]+", "_", name) or "selected"


def selection_text(found: SelectionRecord) -> str:
    """The terminal's answer as plain text."""
    console = Screen(record=True, width=_WIDTH, file=StringIO(), emoji=False, highlight=False)
    shown = render_selection(found)
    console.width = needed_width(shown, console)
    console.print(shown)
    return console.export_text()


class MemberRecord(Record, frozen=True):
    """A candidate: its number, text and cost, and the coordinate or constant it maps to, or why it is out."""

    candidate: Count
    text: str
    cost: Count
    goes_to: str


MEMBER_COLUMNS = MemberRecord.__struct_fields__


def member_rows(retained: Retained) -> Iterator[Row]:
    """The candidates as rows of a table."""
    return (astuple(member) for member in member_records(retained))


def member_records(retained: Retained) -> Iterator[MemberRecord]:
    """Every candidate in order."""
    observed, basis = retained.observed, retained.basis
    goes: dict[int, str] = {}
    for place, coordinate in enumerate(basis.coordinates):
        goes |= dict.fromkeys(coordinate.members, f"coordinate {place}")
    for value, members in basis.constants.items():
        goes |= dict.fromkeys(members, f"constant {value}")
    goes |= dict.fromkeys(basis.refuted, "dropped: solver")
    goes |= dict.fromkeys(basis.undecided, "undecided")
    costs, tests = observed.candidates.costs, observed.observation.screening
    for index in range(len(observed.candidates)):
        where = goes.get(index) or _SCREENINGS.get(Screening(int(tests[index])), "a class without a proved member")
        yield MemberRecord(index, describe(observed.candidates, index), costs[index], where)
