"""The files a run was made from, compared where the user says they are and nowhere else (rule 17.16)."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import Annotated, Any, Literal

from msgspec import Meta, ValidationError

from tracepact.data.dataset import digested_files, open_dataset
from tracepact.data.decoding import AnyDecoding, ClassDecodings, Decoding
from tracepact.data.readings import Reading
from tracepact.data.sources import is_address, public_name, shown
from tracepact.declarations import spec_root
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.files import json_data
from tracepact.inputs import LARGEST_DOCUMENT, open_within, place_within, read_within
from tracepact.language.compilation import parse_contract
from tracepact.records import Record
from tracepact.runs.manifest import NAME, SOURCE, policies_of
from tracepact.runs.task import input_name
from tracepact.wording import parse_stored

NAME_THEM = "name the folder they are in: --originals DIR"
"""The way out where originals were not compared."""
_SHIPPED = "spec/"
_LOCAL = ("file:", "local:")
_ACTING = ("::", "?", "#", "%", "*", "[", "{", "\\")
"""What in the rest of an address could lead elsewhere than below what the user named."""
_MOST_ENTRIES = 1_000_000
_MOST_BYTES = 1 << 40
_MOST_SECONDS = 3600.0
_PIECE = 1 << 20

Places = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
State = Literal["same", "changed", "not found", "not compared"]


class Original(Record, frozen=True):
    """A file the run was made from, as it is today."""

    role: Annotated[str, Meta(description="What it was.")]
    name: Annotated[str, Meta(description="Its name as it was given.")]
    state: Annotated[
        State,
        Meta(
            description="Whether it still has its digest; not compared if the user did not say where it is, or if more "
            "than one file may be it, or if it could not be read within the limits."
        ),
    ]


@dataclass(frozen=True, slots=True)
class Compared:
    """An original, and the place at which it was compared, if it was."""

    original: Original
    place: str | None


def listed_places(places: Places | None) -> list[str]:
    """Where the user says that originals are; InvalidInput for what is neither a folder nor the address of a store."""
    if places is None:
        return []
    listed = [places] if isinstance(places, str | os.PathLike) else places
    names = [os.fspath(place) for place in listed]
    wrong = [name for name in names if not (_is_store(name) if is_address(name) else os.path.isdir(name))]
    if wrong:
        help = "name the folder that holds the files a run was made from, or the address of a store"
        headlines = [f"`{shown(public_name(name))}` is not a folder" for name in wrong]
        raise InvalidInput([Diagnostic("unreadable-file", one, None, help) for one in headlines])
    return names


def _is_store(address: str) -> bool:
    return not any(local in address.lower() for local in _LOCAL)


def compared_originals(inputs: Iterable[Mapping[str, str]], places: Places | None) -> Iterator[Compared]:
    """The files a manifest names as its inputs, compared with what is below the places that the user named.

    What a manifest names is a name to look for, never a place to open.
    """
    allowance, named = _Allowance(), listed_places(places)
    for item in inputs:
        state, place = _compared(item["name"], item["sha256"], named, allowance)
        yield Compared(Original(item["role"], item["name"], state), place)


def _compared(name: str, sha256: str, places: Sequence[str], allowance: "_Allowance") -> tuple[State, str | None]:
    try:
        candidates = [found for place in places for found in _candidates(name, place, allowance)]
        if not candidates and name.startswith(_SHIPPED):
            candidates = _exactly(str(spec_root()), PurePosixPath(name.removeprefix(_SHIPPED)).parts)
        # The path that shares most of its end with the recorded one. Two that share as much could be either.
        best = max((found.shared for found in candidates), default=0)
        chosen = [found for found in candidates if found.shared == best]
        if len({found.place for found in chosen}) > 1:
            return "not compared", None
        if not chosen:
            return ("not found" if places and not _is_elsewhere(name, places) else "not compared"), None
        digest = chosen[0].digest(allowance)
    except FileNotFoundError:
        return "not found", None
    except (OSError, ValueError, _Exhausted):  # a link that leads out, a pipe, no right to read, too much
        return "not compared", None
    return ("same" if digest == sha256 else "changed"), chosen[0].place


def _is_elsewhere(name: str, places: Sequence[str]) -> bool:
    """Whether a name is an address below none of those that the user named."""
    return is_address(name) and not any(_rest(name, place) is not None for place in places if is_address(place))


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A file that may be an original: its place, and how many parts of the recorded name its path ends in."""

    folder: str | None
    name: str
    shared: int

    @property
    def place(self) -> str:
        """Its path, or its address."""
        return self.name if self.folder is None else os.path.normpath(os.path.join(self.folder, self.name))

    def digest(self, allowance: "_Allowance") -> str:
        """The digest of the file, or of a folder of files, as it is recorded in a run."""
        if self.folder is None:
            source = open_dataset(self.name, Diagnostics())
            if source is None:
                raise FileNotFoundError(self.name)
            return source.digest
        if not os.path.isdir(place_within(self.folder, self.name)):
            return allowance.digest(self.folder, self.name)
        # A folder is recorded by the digest of a list of its files' digests, so the same list is made here.
        names = digested_files(self.place)
        digests = (allowance.digest(self.folder, os.path.join(self.name, name)) for name in names)
        lines = "".join(f"{digest}  {name}\n" for digest, name in zip(digests, names, strict=True))
        return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def _candidates(name: str, place: str, allowance: "_Allowance") -> list[_Candidate]:
    """The files below a place that may be an original."""
    if is_address(place):
        rest = _rest(name, place)
        return [] if rest is None else [_Candidate(None, place.rstrip("/") + rest, 1 << 20)]
    if is_address(name):
        return []
    parts = _parts(name)
    return (_exactly(place, parts) or list(_alike(place, parts, allowance))) if parts else []


def _rest(name: str, address: str) -> str | None:
    """The rest of a recorded address below one that the user named; None if it is not below it."""
    start = public_name(address).rstrip("/")
    rest = name.removeprefix(start)
    # Without the slash `s3://bucket/dat` would count `s3://bucket/data` as below it.
    below = is_address(name) and name.startswith(start) and (not rest or rest.startswith("/"))
    return rest if below and ".." not in rest.split("/") and not any(sign in rest for sign in _ACTING) else None


def _parts(name: str) -> tuple[str, ...]:
    """A recorded name as parts of a path below some folder: without its root, and without what `..` leaves."""
    # A manifest may be a stranger's: only what follows the last `..` is looked for, and only below the named folder.
    parts = [part for part in name.split("/") if part not in ("", ".")]
    return tuple(reversed([*takewhile(lambda part: part != "..", reversed(parts))]))


def _exactly(folder: str, parts: Sequence[str]) -> list[_Candidate]:
    """The recorded name seen from a folder, if something is there."""
    name = os.path.join(*parts) if parts else ""
    there = bool(parts) and os.path.exists(place_within(folder, name))
    return [_Candidate(folder, name, len(parts))] if there else []


def _alike(folder: str, parts: Sequence[str], allowance: "_Allowance") -> Iterator[_Candidate]:
    """Files and folders below a folder, itself among them, that are called like an original."""
    root = Path(os.path.abspath(folder))
    if root.name == parts[-1]:
        yield _Candidate(folder, ".", _shared(root.parts, parts))
    # Links to folders are not followed: they could lead out, or in circles.
    for parent, folders, files in os.walk(folder):
        allowance.count(len(folders) + len(files))
        if parts[-1] in folders or parts[-1] in files:
            name = os.path.relpath(os.path.join(parent, parts[-1]), folder)
            yield _Candidate(folder, name, _shared((root / name).parts, parts))


def _shared(path: Sequence[str], parts: Sequence[str]) -> int:
    """How many parts a path and a recorded name have in common at their ends."""
    both = zip(reversed(path), reversed(parts), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))


class _Exhausted(Exception):  # noqa: N818  (it is what an allowance is)
    """More would have to be looked at or read than is."""


class _Allowance:
    """The limits on searching and reading the originals of a run: entries of folders, bytes and seconds."""

    def __init__(self) -> None:
        self._entries, self._bytes, self._end = _MOST_ENTRIES, _MOST_BYTES, monotonic() + _MOST_SECONDS

    def count(self, entries: int) -> None:
        """Take entries of a folder."""
        self._entries -= entries
        self._check()

    def digest(self, folder: str, name: str) -> str:
        """The SHA-256 of a plain file below a folder."""
        found = hashlib.sha256()
        with open_within(folder, name, _MOST_BYTES) as file:
            while data := file.read(_PIECE):
                self._bytes -= len(data)
                self._check()
                found.update(data)
        return found.hexdigest()

    def _check(self) -> None:
        if self._entries < 0 or self._bytes < 0 or monotonic() > self._end:
            raise _Exhausted


# How the files of a run in batches are read again, by what its manifest records (rules 24.19 and 24.23).

UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, OSError, RecursionError, ValidationError)
"""What reading a manifest raises that is not of its form."""
_FORMATS = ("table", "json", "list", "scores")
"""The formats of which a run records all that is needed to read them again."""
_ARRAYS = (".npz", ".npy")
"""Scores whose classes or step may have been said beside them."""
_LENGTH = re.compile("[0-9]+(/[1-9][0-9]*)?")
"""A length of all clips, as a run records it."""


def unsaid(folder: Path) -> InvalidInput:
    """The error for a manifest that does not record how its files are read again."""
    headline = "the manifest does not say what is needed to score the run again"
    return InvalidInput([Diagnostic("broken-run", headline, RowPlace(str(folder / NAME)))])


def why_not_again(manifest: Mapping[str, Any], originals: tuple[Original, ...]) -> str | None:
    """Why the data cannot be scored again; None if it can."""
    settings = manifest["settings"]
    roles = {original.role for original in originals}
    moved = [original for original in originals if original.state != "same"]
    if moved:
        state = {"not compared": "was not compared", "changed": "is not as it was"}.get(moved[0].state, "is not found")
        return f"{moved[0].name} ({moved[0].role}) {state}"
    # A digest is recorded of files alone.
    if not {"reference", "prediction"} <= roles:
        return "a side of it was in memory"
    sides = {side: settings["preparation"].get(side, {}) for side in ("reference", "prediction")}
    names = {original.role: original.name for original in originals}
    for side, said in sides.items():
        if said.get("format") not in _FORMATS or names[side].lower().endswith(_ARRAYS):
            return f"the {side} is of the format `{said.get('format')}`, and not all of how it was read is recorded"
    # Lengths came from a table, from one number, or from the files of a side; of sound files nothing is recorded.
    in_files = any(said.get("lengths") for said in sides.values())
    if "durations" not in roles and "durations" not in settings and not in_files:
        return "the lengths of its clips were no table and no number"
    return None


def _reading(said: Mapping[str, Any]) -> Reading:
    """The reading of a side, as the manifest records it."""
    decoding = said.get("decoding")
    format = None if said["format"] == "table" else said["format"]
    return Reading(format, decoding=None if decoding is None else _decoding(decoding))


def _decoding(said: Mapping[str, Any]) -> AnyDecoding:
    if "classes" not in said:
        return _one_decoding(said)
    return ClassDecodings(_one_decoding(said), {label: _one_decoding(one) for label, one in said["classes"].items()})


def _one_decoding(said: Mapping[str, Any]) -> Decoding:
    low = None if said["low"] is None else parse_stored(said["low"])
    return Decoding(parse_stored(said["threshold"]), low, said["median"])


def recorded_data(folder: Path, manifest: Mapping[str, Any], originals: Iterable[Compared]) -> dict[str, Any]:
    """The contract, both sides and what goes with them, as `score` and `score_batches` take them.

    What cannot be read raises one of `UNREADABLE`.
    """
    names = {compared.original.role: compared.place for compared in originals}
    settings = manifest["settings"]
    text = read_within(folder, SOURCE, LARGEST_DOCUMENT).decode()
    report = json_data(read_within(folder, "report.json", LARGEST_DOCUMENT))
    return {
        "contract": parse_contract(text, settings["overrides"], name=manifest["contract"]["source"]),
        "mode": settings["mode"],
        "settings": policies_of(settings["metrics"]),
        "margins": any("soft" in row for row in report["vector"]),
        "outside": settings["preparation"].get("outside", {}).get("policy", "false-alarm"),
        "ref": names["reference"],
        "pred": names["prediction"],
        "ref_reading": _reading(settings["preparation"]["reference"]),
        "pred_reading": _reading(settings["preparation"]["prediction"]),
        "durations": names.get("durations") or _one_length(settings),
        "ignore": names.get("ignore"),
        "conditions": names.get("conditions"),
        "label_map": names.get("label_map") or settings["preparation"].get("label_map"),
    }


def _one_length(settings: Mapping[str, Any]) -> Fraction | None:
    """The length that all clips have, if the settings say one; any other text would be the place of a table."""
    if "durations" not in settings:
        return None
    if not _LENGTH.fullmatch(settings["durations"]):
        raise ValueError("the length of the clips is no number")
    return parse_stored(settings["durations"])


def recorded_names(compared: Iterable[Compared]) -> dict[str, str]:
    """By what a report calls an original where it is now, what the run calls it."""
    return {input_name(public_name(one.place)): one.original.name for one in compared if one.place is not None}


def as_recorded(data: Any, names: Mapping[str, str]) -> Any:
    """A part of a report with its files called as the run calls them: that they are elsewhere now is no drift."""
    if isinstance(data, dict):
        return {key: as_recorded(value, names) for key, value in data.items()}
    if isinstance(data, list):
        return [as_recorded(value, names) for value in data]
    return names.get(data, data) if isinstance(data, str) else data
