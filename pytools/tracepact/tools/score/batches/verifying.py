"""Scores the data of a run in batches again, from the files it was made from, and names what differs (rule 24.19)."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import ValidationError

from tracepact.diagnostics import Diagnostic, InvalidInput, RowPlace
from tracepact.engines import Engine
from tracepact.io import ClassDecodings, Decoding, Reading
from tracepact.io.columnar import arrow_faults
from tracepact.io.decoding import AnyDecoding
from tracepact.lang import parse_contract
from tracepact.records import record_of
from tracepact.tools.score.batches.pages import PAGE
from tracepact.tools.score.batches.running import USUAL_MEMORY, OnPlan
from tracepact.tools.score.batches.scoring import score_batches
from tracepact.tools.score.batches.store import file_digest
from tracepact.tools.score.report.preparation import Preparation
from tracepact.tools.score.report.sounds import SILENT
from tracepact.tools.score.store.manifest import NAME
from tracepact.tools.score.store.policies import policies_of
from tracepact.tools.score.store.writing import SOURCE
from tracepact.tools.score.verify import Original, differences, original_place, originals_of
from tracepact.wording import count, quoted

_LISTED = 20
_REPORT = "report.json"
_FORMATS = ("table", "json", "list", "scores")
"""The formats of which a run records all that is needed to read them again."""
_ARRAYS = (".npz", ".npy")
"""Scores whose classes or step may have been said beside them."""


@dataclass(frozen=True, slots=True)
class ScoredAgain:
    """What came out otherwise, the originals as they are today, and why nothing was scored again, if nothing was."""

    drifts: tuple[str, ...]
    originals: tuple[Original, ...]
    why_not: str | None


def score_again(
    folder: Path,
    manifest: Mapping[str, Any],
    *,
    engine: Engine | str | None = None,
    memory: str | None = None,
    on_plan: OnPlan | None = None,
) -> ScoredAgain:
    """Score what a run was made from again, if it is there and is as it was; the run is one whose digests hold."""
    try:
        record_of(manifest["settings"]["preparation"], Preparation)  # what is not of its form is used for nothing
        originals = tuple(originals_of(manifest["inputs"]))
        if (why := _why_not(manifest, originals)) is not None:
            return ScoredAgain((), originals, why)
        files = {str(item["name"]) for item in manifest["files"]}
        given = _given(folder, manifest, originals, files)
    except (KeyError, TypeError, ValueError, AttributeError, OSError, RecursionError, ValidationError) as error:
        headline = "the manifest does not say what is needed to score the run again"
        raise InvalidInput([Diagnostic("broken-run", headline, RowPlace(str(folder / NAME)))]) from error
    with TemporaryDirectory(prefix="tracepact-verify-") as place:
        again = Path(place) / "run"
        try:
            run = score_batches(engine=engine, memory=memory or USUAL_MEMORY, out=again, progress=on_plan, **given)
        except InvalidInput as error:
            codes = quoted(sorted({one.code for one in error.diagnostics}))
            return ScoredAgain((f"the originals are refused now: {codes}",), originals, None)
        if not run.complete:
            return ScoredAgain((), originals, f"{count(len(run.given_up), 'batch', 'batches')} failed three times")
        return ScoredAgain(tuple(_compared(folder, again, files)), originals, None)


def _why_not(manifest: Mapping[str, Any], originals: tuple[Original, ...]) -> str | None:
    """Why the data cannot be scored again; None if it can."""
    settings = manifest["settings"]
    roles = {original.role for original in originals}
    moved = [original for original in originals if original.state != "same"]
    if moved:
        return f"{moved[0].name} ({moved[0].role}) is {moved[0].state.replace('changed', 'not as it was')}"
    if not {"reference", "prediction"} <= roles:
        return "a side of it was in memory"
    sides = {side: settings["preparation"].get(side, {}) for side in ("reference", "prediction")}
    names = {original.role: original.name for original in originals}
    for side, said in sides.items():
        if said.get("format") not in _FORMATS or names[side].lower().endswith(_ARRAYS):
            return f"the {side} is of the format `{said.get('format')}`, and not all of how it was read is recorded"
    in_files = any(said.get("lengths") for said in sides.values())
    if "durations" not in roles and "durations" not in settings and not in_files:
        return "the lengths of its clips were no table and no number"
    return None


def _reading(said: Mapping[str, Any]) -> Reading:
    """How a side was read, by what is recorded of it."""
    decoding = said.get("decoding")
    format = None if said["format"] == "table" else said["format"]
    return Reading(format, decoding=None if decoding is None else _decoding(decoding))


def _decoding(said: Mapping[str, Any]) -> AnyDecoding:
    if "classes" not in said:
        return _one_decoding(said)
    return ClassDecodings(_one_decoding(said), {label: _one_decoding(one) for label, one in said["classes"].items()})


def _one_decoding(said: Mapping[str, Any]) -> Decoding:
    low = None if said["low"] is None else Fraction(said["low"])
    return Decoding(Fraction(said["threshold"]), low, said["median"])


def _given(
    folder: Path, manifest: Mapping[str, Any], originals: tuple[Original, ...], files: Collection[str]
) -> dict[str, Any]:
    """The contract, both sides and what goes with them, as `score_batches` takes it."""
    names = {original.role: original_place(original.name) for original in originals}
    settings = manifest["settings"]
    text = (folder / SOURCE).read_text(encoding="utf-8")
    return {
        "contract": parse_contract(text, settings["overrides"], name=manifest["contract"]["source"]),
        "mode": settings["mode"],
        "outside": settings["preparation"].get("outside", {}).get("policy", "false-alarm"),
        "settings": policies_of(settings["metrics"]),
        "violations": any(name.startswith("violations-") for name in files),
        "page": (lambda clips: SILENT) if _drawn(folder / PAGE) else None,
        "ref": names["reference"],
        "pred": names["prediction"],
        "ref_reading": _reading(settings["preparation"]["reference"]),
        "pred_reading": _reading(settings["preparation"]["prediction"]),
        "durations": names.get("durations") or settings.get("durations"),
        "ignore": names.get("ignore"),
        "conditions": names.get("conditions"),
        "label_map": names.get("label_map") or settings["preparation"].get("label_map"),
    }


def _drawn(path: Path) -> bool:
    """Whether what pages are made of has the intervals and curves of a page."""
    return bool(json.loads(path.read_text(encoding="utf-8")).get("drawn"))


def _compared(folder: Path, again: Path, files: Collection[str]) -> Iterator[str]:
    """Files of rows, the clips of a page and the parts of the report that come out otherwise."""
    for name in sorted(name for name in files if name.endswith(".parquet") or name == PAGE):
        if not (again / name).is_file():
            yield f"{name}: stored, and not there when scored again"
        elif file_digest(folder / name) != file_digest(again / name) and not _same_rows(folder / name, again / name):
            yield f"{name}: its rows come out otherwise"
    old, new = (json.loads((one / _REPORT).read_text(encoding="utf-8")) for one in (folder, again))
    found = [
        f"{_REPORT} {path}: stored {was}, computed again {now}"
        for path, was, now in differences(old, new)
        if path.split(".")[0] not in ("versions", "diagnostics")
    ]
    yield from found[:_LISTED]
    if len(found) > _LISTED:
        yield f"{_REPORT}: {len(found) - _LISTED} more parts come out otherwise"


def _same_rows(one: Path, other: Path) -> bool:
    """Whether two files of rows hold the same rows: other versions of pyarrow may write them in other bytes."""
    if one.suffix != ".parquet":
        return False
    import pyarrow.parquet as pq

    try:
        files = [pq.ParquetFile(path) for path in (one, other)]
        groups = {file.num_row_groups for file in files}
        return len(groups) == 1 and all(
            files[0].read_row_group(k).equals(files[1].read_row_group(k)) for k in range(groups.pop())
        )
    except arrow_faults():
        return False
