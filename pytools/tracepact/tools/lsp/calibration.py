"""A calibration set in an editor: what is wrong with it, and which keys and words can come next (14.1)."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from tracepact.calibration.reading import read_calibration
from tracepact.diagnostics import Diagnostic, InvalidInput, RowPlace, Source
from tracepact.specs import spec_path
from tracepact.tools.lsp.completion import Suggestion

ENDING = ".calibration"
_HEADER = re.compile(r"^\s*\[+\s*(\w+)[^\]\n]*\]+\s*(?:#.*)?$", re.MULTILINE)
_KEY = re.compile(r"(\w+)\s*=")
_VALUE = re.compile(r"(\w+)\s*=\s*(\[[^\]]*)?\"?(\w*)$")
_STRING = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'")


def calibration_faults(text: str, name: str, folder: Path) -> tuple[Diagnostic, ...]:
    """What `tracepact select` says of a set when it reads it; tables that it names are looked for in the folder.

    A fault of such a table stands at the start of the set, with the table and its row in its words.
    """
    try:
        found: Iterable[Diagnostic] = read_calibration(Source(name, text), folder).warnings
    except InvalidInput as error:
        found = error.diagnostics
    return tuple(replace(one, headline=_with_table(one)) for one in found)


def _with_table(found: Diagnostic) -> str:
    place = found.place
    if not isinstance(place, RowPlace):
        return found.headline
    return f"{place.file}{'' if place.row is None else f':{place.row}'}: {found.headline}"


def complete_calibration(text: str, offset: int) -> list[Suggestion]:
    """The keys that the table at a place can still have, or the words that the key before it takes."""
    before = text[:offset]
    line = before.rpartition("\n")[2]
    if "#" in _STRING.sub("", line):
        return []
    place, own = _table(before)
    value = _VALUE.search(own.rpartition("\n")[2] if place != "case" else own)
    if value is not None and value[1] in place_keys(place):
        return list(_words(value[1], place_keys(place)[value[1]], quoted='"' in value[0].partition("=")[2]))
    if re.search(r"=\s*[^,\n]*$", line) and not re.search(r"[{,]\s*\w*$", line):
        return []  # another value: a time, a number, a text
    present = set(_KEY.findall(_STRING.sub('""', own)))
    return [
        Suggestion(key, "attribute", _about(schema), f"{key} = ")
        for key, schema in place_keys(place).items()
        if key not in present
    ]


def _table(before: str) -> tuple[str, str]:
    """The kind of table that a place is in, and what is written of it so far."""
    bare = _STRING.sub(lambda found: '"' + "_" * (len(found[0]) - 2) + '"', before)
    headers = list(_HEADER.finditer(bare))
    name, start = (headers[-1][1], headers[-1].end()) if headers else ("", 0)
    own = before[start:]
    opened = bare[start:].rfind("{")
    if opened > bare[start:].rfind("}") and re.search(r"\b(cases|matchers)\s*=\s*\[", bare[start : start + opened]):
        return ("case" if name == "" else "matcher"), own[opened + 1 :]
    return {"": "set", "cases": "case"}.get(name, name), own


@cache
def _schema() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(spec_path("schemas/calibration.schema.json").read_text(encoding="utf-8"))
    return found


def place_keys(place: str) -> Mapping[str, Any]:
    """The keys of a kind of table, each with its schema; none where the form has no such table."""
    whole = _schema()
    tables: dict[str, Any] = {
        "set": whole,
        "case": whole["$defs"]["case"],
        "family": whole["$defs"]["family"],
        "reference": next(iter(whole["properties"]["reference"]["patternProperties"].values())),
    }
    keys: Mapping[str, Any] = tables.get(place, {}).get("properties", {})
    return keys


def _words(key: str, schema: Mapping[str, Any], *, quoted: bool) -> Iterator[Suggestion]:
    """The words that a key takes, where the form lists them."""
    for word in schema.get("enum") or schema.get("items", {}).get("enum") or ():
        if isinstance(word, str):
            yield Suggestion(word, "keyword", f"a value of `{key}`", word if quoted else f'"{word}"')


def _about(schema: Mapping[str, Any]) -> str:
    """What a key holds, in the words of the form."""
    reference = str(schema.get("$ref", "")).rpartition("/")[2]
    named = _schema()["$defs"].get(reference, {})
    return str(schema.get("description") or named.get("description") or schema.get("type") or "one of several words")
