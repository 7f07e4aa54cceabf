"""The manifest of a run directory: every file with its SHA-256, and what the run was made of and with."""

import hashlib
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import PurePath
from typing import Any

import numpy as np

from tracepact.files import encoded, json_data, json_text
from tracepact.metrics import MetricSettings
from tracepact.tools.score.scored import Scored
from tracepact.tools.score.store.policies import POLICY_KEYS, policies_data
from tracepact.trace import Mode, Origin

FORMAT = "tracepact-run/1"
LEAGUE_FORMAT = "tracepact-league-directory/1"
NAME = "manifest.json"
Data = dict[str, Any]


def versions() -> dict[str, str]:
    """What is running."""
    return {
        "tracepact": version("tracepact"),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def digest(data: bytes) -> str:
    """The SHA-256 of some bytes."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table of a run directory, and the table it was made from: its name, digest and origin."""

    role: str
    text: str
    name: str
    digest: str | None = None
    origin: Origin | None = None

    @property
    def file(self) -> str:
        """Its file in the run directory."""
        return f"{self.role}.tsv"


def manifest_data(run: Scored, tables: Iterable[StoredTable], files: Mapping[str, bytes]) -> Data:
    """The manifest of a run with these tables and files."""
    contract, family = run.card.contract, run.card.family
    data: Data = {
        "format": FORMAT,
        "versions": versions(),
        "contract": {"name": contract.name, "digest": contract.digest, "source": contract.source.name},
        "settings": {
            "mode": family.mode.value,
            "overrides": {p.name: p.text for p in contract.parameters if p.overridden},
            "preparation": dict(run.preparation),
            **({} if run.settings == MetricSettings() else {"metrics": policies_data(run.settings)}),
            **({} if run.violation_rows else {"violations": False}),
        },
        "family": {"clips": len(family.clips), "classes": len(family.classes), "clauses": len(contract.clauses)},
        "inputs": [{"role": i.role, "name": i.name, "sha256": i.digest} for i in run.inputs],
        "tables": [
            {"role": t.role, "file": t.file, "name": t.name, "sha256": t.digest, "origin": _origin(t.origin)}
            for t in tables
        ],
        "files": listed(files),
    }
    return {**data, "sha256": self_digest(data)}


def listed(files: Mapping[str, bytes]) -> list[Data]:
    """What a manifest says of files."""
    return [{"name": name, "bytes": len(found), "sha256": digest(found)} for name, found in files.items()]


def _origin(origin: Origin | None) -> Data | None:
    if origin is None:
        return None
    decoding = None if origin.decoding is None else dict(origin.decoding)
    return {"format": origin.format, "files": dict(origin.files), "decoding": decoding}


def origin_of(data: Data | None) -> Origin | None:
    """The origin of a stored table."""
    return None if data is None else Origin(data["format"], data["files"], data["decoding"])


def self_digest(data: Mapping[str, Any]) -> str:
    """The SHA-256 of a manifest's text without this digest."""
    return digest(encoded(json_text({key: value for key, value in data.items() if key != "sha256"})))


def is_league(text: str) -> bool:
    """Whether a text is the manifest of a league directory (17.7), which is no run directory."""
    try:
        data = json_data(text)
    except ValueError:
        return False
    return isinstance(data, dict) and data.get("format") == LEAGUE_FORMAT


def manifest_faults(text: str) -> tuple[Data | None, str | None]:
    """The manifest a text holds, if it has the form of one; and what is wrong with it, if anything is."""
    try:
        data = json_data(text)
    except ValueError:
        return None, "is not JSON"
    if not (_has_form(data) and _is_sound(data)):
        return None, f"is not of the form {FORMAT}"
    if data["sha256"] != self_digest(data) or text != json_text(data):
        return data, "is not as it was written: its own digest differs"
    return data, None


_ORIGIN = (None, {"format": str, "files": {"*": str}, "decoding": (None, dict)})
_FORM = {
    "format": str,
    "versions": {"tracepact": str, "python": str, "numpy": str},
    "contract": {"name": str, "digest": str, "source": str},
    "settings": tuple(
        {"mode": str, "overrides": {"*": str}, "preparation": dict, **metrics, **violations}
        for metrics in ({}, {"metrics": dict.fromkeys(POLICY_KEYS, str)})
        for violations in ({}, {"violations": bool})
    ),
    "family": {"clips": int, "classes": int, "clauses": int},
    "inputs": [{"role": str, "name": str, "sha256": str}],
    "tables": [{"role": str, "file": str, "name": str, "sha256": (None, str), "origin": _ORIGIN}],
    "files": [{"name": str, "bytes": int, "sha256": str}],
    "sha256": str,
}


def _has_form(data: Any, form: Any = _FORM) -> bool:
    """Whether data has the keys and types of a manifest; a tuple lists alternatives, `*` stands for any keys."""
    match form:
        case None:
            return data is None
        case tuple():
            return any(_has_form(data, either) for either in form)
        case {"*": item}:
            return isinstance(data, dict) and all(_has_form(found, item) for found in data.values())
        case dict():
            keys = isinstance(data, dict) and data.keys() == form.keys()
            return keys and all(_has_form(data[key], form[key]) for key in form)
        case [item]:
            return isinstance(data, list) and all(_has_form(found, item) for found in data)
        case _:
            return isinstance(data, form)


def _is_sound(data: Data) -> bool:
    """Whether every value is one it may have; files have plain names, so that none lies outside the folder."""
    names = [item["name"] for item in data["files"]] + [item["file"] for item in data["tables"]]
    return (
        data["format"] == FORMAT
        and data["settings"]["mode"] in {mode.value for mode in Mode}
        and {"reference", "prediction", "durations"} <= {item["role"] for item in data["tables"]}
        and all(PurePath(name).name == name and name not in ("", ".", "..") for name in names)
    )
