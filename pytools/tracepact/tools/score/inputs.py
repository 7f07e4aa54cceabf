"""What a scoring is given: the contract an argument stands for, and checks of what belongs to the clips."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypedDict

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io import AudioFolder, Conditions, Reading
from tracepact.io.decoding import Declared
from tracepact.io.outside import Outside
from tracepact.io.storage import is_address
from tracepact.lang import load_contract, override, parse_contract
from tracepact.progress import OnStage
from tracepact.specs import shown_path
from tracepact.trace import Durations, Mode, Time
from tracepact.trace.assembly import FrameMask


class ScoreOptions(TypedDict, total=False):
    """What `score` takes beside the contract and both sides."""

    durations: Any
    mode: Mode | str
    ignore: Any
    masks: Mapping[str, Mapping[str, FrameMask]] | None
    conditions: Any
    label_map: Any
    decoding: Declared | Path | None
    classes: Sequence[str] | None
    step: Time | None
    ref_reading: Reading | None
    pred_reading: Reading | None
    outside: Outside | str
    clips: Any
    set: Mapping[str, str] | None
    strict: bool
    on_stage: OnStage


def _is_text(contract: str) -> bool:
    """Whether a string is contract text and not a path or the name of a starter: it has a clause."""
    return "clause" in contract.split()


def input_name(name: str) -> str:
    """How a report names a file that went into a run; an address stays as it is."""
    return name if is_address(name) else shown_path(Path(name))


def is_incomplete(diagnostics: Diagnostics, durations: Durations | Fraction | AudioFolder | None) -> bool:
    """Whether a whole file or some durations are missing, so that going on would report faults that are none."""
    lengths = durations.name if isinstance(durations, Durations) else None
    return any(
        d.code == "bad-label-map" or not isinstance(d.place, RowPlace) or d.place.row is None or d.place.file == lengths
        for d in diagnostics.errors
    )


def contract_from(contract: Contract | str | Path, set: Mapping[str, str] | None) -> Contract:
    """The contract that an argument stands for: itself, text, a file or the name of a starter."""
    match contract:
        case Contract():
            return override(contract, set) if set else contract
        case str() if _is_text(contract):
            return parse_contract(contract, set)
        case _:
            return load_contract(contract, set)


def check_conditions(conditions: Conditions, clips: Collection[str], diagnostics: Diagnostics) -> None:
    """Every clip has a condition; what the table says of other clips is ignored and said."""
    for clip in clips:
        if clip not in conditions.clips:
            diagnostics.add("missing-condition", f"clip `{clip}` has no condition", RowPlace(conditions.name))
    known = set(clips)
    for clip in conditions.clips:
        if clip not in known:
            headline = f"`{clip}` has a condition but is not a clip of the family"
            diagnostics.add("unused-condition", headline, RowPlace(conditions.name))
