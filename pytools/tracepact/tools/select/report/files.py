"""Writes the files of a selection: the contract, JSON, text, page, picture, and where every candidate went."""

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console

from tracepact.files import json_text, table_text, write_whole
from tracepact.tools.select.observe import Screening
from tracepact.tools.select.report.figure import selection_picture
from tracepact.tools.select.report.page import selection_page
from tracepact.tools.select.report.text import render_selection
from tracepact.tools.select.select import Retained, Selection
from tracepact.tools.select.write import describe

Data = dict[str, Any]
_WIDTH = 132
_SCREENINGS = {
    Screening.FAILED_ON_REFERENCE: "dropped: reference",
    Screening.FAILED_ON_SHORT_TRACE: "dropped: short trace",
}


def write_selection(selection: Selection, data: Data, folder: Path) -> list[Path]:
    """All files, whole or not at all, and nothing of an earlier selection beside them; returns their paths."""
    contents = {
        folder / "selection.json": json_text(data),
        folder / "selection.txt": selection_text(data),
        folder / "selection.html": selection_page(data),
        folder / "selection.svg": selection_picture(data, alone=True),
        folder / "candidates.tsv": candidates_table(selection.retained),
    }
    if data["contract"] is not None:
        contents[_contract_place(folder, data)] = data["contract"]["text"]
    folder.mkdir(parents=True, exist_ok=True)
    earlier = _earlier_contract(folder)
    if earlier is not None and earlier not in contents:
        earlier.unlink(missing_ok=True)
    write_whole(contents)
    return list(contents)


def _contract_place(folder: Path, data: Data) -> Path:
    return folder / f"{_file_name(data['calibration']['name'])}.contract"


def _earlier_contract(folder: Path) -> Path | None:
    """The contract that an earlier selection wrote here and nobody has changed since, as its JSON says."""
    try:
        data = json.loads((folder / "selection.json").read_text(encoding="utf-8"))
        place = _contract_place(folder, data)
        same = place.read_text(encoding="utf-8") == data["contract"]["text"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return place if same else None


def _file_name(name: str) -> str:
    """A name that is a file's name everywhere."""
    return re.sub(r"[^\w-]+", "_", name) or "selected"


def selection_text(data: Data) -> str:
    """The terminal's answer as plain text."""
    console = Console(record=True, width=_WIDTH, file=StringIO(), emoji=False, highlight=False)
    console.print(render_selection(data))
    return console.export_text()


def candidates_table(retained: Retained) -> str:
    """Every candidate in order: its text, its cost, and the coordinate or constant it maps to, or why it is out."""
    observed, basis = retained.observed, retained.basis
    goes: dict[int, str] = {}
    for place, coordinate in enumerate(basis.coordinates):
        goes |= dict.fromkeys(coordinate.members, f"coordinate {place}")
    for value, members in basis.constants.items():
        goes |= dict.fromkeys(members, f"constant {value}")
    goes |= dict.fromkeys(basis.refuted, "dropped: solver")
    goes |= dict.fromkeys(basis.undecided, "undecided")
    costs, screenings = observed.candidates.costs, observed.observation.screening

    def where(index: int) -> str:
        return goes.get(index) or _SCREENINGS.get(Screening(int(screenings[index])), "a class without a proved member")

    candidates = observed.candidates
    rows = ((index, describe(candidates, index), int(costs[index]), where(index)) for index in range(len(candidates)))
    return table_text(("candidate", "text", "cost", "goes_to"), rows)
