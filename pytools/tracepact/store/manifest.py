"""The manifest of a run directory: every file with its SHA-256, and what the run was made of and with."""

import hashlib
import json
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import PurePath
from typing import Any

import numpy as np

from tracepact.run import Run
from tracepact.store.files import json_text

FORMAT = "tracepact-run/1"
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


def manifest_data(run: Run, tables: Mapping[str, tuple[str, str, str | None]], files: Mapping[str, bytes]) -> Data:
    """The manifest of a run: `tables` by role with file, original name and original digest; `files` and their bytes."""
    contract, family = run.card.contract, run.card.family
    data: Data = {
        "format": FORMAT,
        "versions": versions(),
        "contract": {"name": contract.name, "digest": contract.digest, "source": contract.source.name},
        "settings": {
            "mode": family.mode.value,
            "overrides": {p.name: p.text for p in contract.parameters if p.overridden},
        },
        "family": {"clips": len(family.clips), "classes": len(family.classes), "clauses": len(contract.clauses)},
        "inputs": [{"role": i.role, "name": i.name, "sha256": i.digest} for i in run.inputs],
        "tables": [
            {"role": role, "file": file, "name": name, "sha256": found} for role, (file, name, found) in tables.items()
        ],
        "files": [{"name": name, "bytes": len(found), "sha256": digest(found)} for name, found in files.items()],
    }
    return {**data, "sha256": self_digest(data)}


def self_digest(data: Mapping[str, Any]) -> str:
    """The SHA-256 of a manifest's text without this digest."""
    return digest(json_text({key: value for key, value in data.items() if key != "sha256"}).encode())


def manifest_faults(text: str) -> tuple[Data | None, str | None]:
    """The manifest a text holds, if it has the form of one; and what is wrong with it, if anything is."""
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return None, "is not JSON"
    if not (_has_form(data) and data["format"] == FORMAT and _stays_inside(data)):
        return None, f"is not of the form {FORMAT}"
    if data["sha256"] != self_digest(data) or text != json_text(data):
        return data, "is not as it was written: its own digest differs"
    return data, None


_FORM: dict[str, Any] = {
    "format": str,
    "versions": {"tracepact": str, "python": str, "numpy": str},
    "contract": {"name": str, "digest": str, "source": str},
    "settings": {"mode": str, "overrides": dict},
    "family": {"clips": int, "classes": int, "clauses": int},
    "inputs": [{"role": str, "name": str, "sha256": str}],
    "tables": [{"role": str, "file": str, "name": str, "sha256": str | None}],
    "files": [{"name": str, "bytes": int, "sha256": str}],
    "sha256": str,
}


def _has_form(data: Any, form: Any = _FORM) -> bool:
    """Whether data has the keys and types of a manifest."""
    match form:
        case dict():
            keys = isinstance(data, dict) and data.keys() == form.keys()
            return keys and all(_has_form(data[key], form[key]) for key in form)
        case [item]:
            return isinstance(data, list) and all(_has_form(found, item) for found in data)
        case _:
            return isinstance(data, form)


def _stays_inside(data: Data) -> bool:
    """Whether every file is named by a plain name, so that none lies outside the folder."""
    names = [item["name"] for item in data["files"]] + [item["file"] for item in data["tables"]]
    return all(PurePath(name).name == name and name not in ("", ".", "..") for name in names)
