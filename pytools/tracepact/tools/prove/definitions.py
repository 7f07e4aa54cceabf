"""The listing of definitions: one line each, its name and digest, so that none changes without the listing changing."""

from collections.abc import Mapping
from pathlib import Path

_OPENING = (
    "# Every definition of the proof core, and every file of lean/bootstrap, by the SHA-256 of its tokens: comments\n"
    "# and spacing aside. `tracepact prove` refuses a definition that is not the one listed here.\n"
    "# `make definitions` writes this file.\n"
)


def listing_text(digests: Mapping[str, str]) -> str:
    """The listing as it is kept."""
    return _OPENING + "".join(f"{digest} {name}\n" for name, digest in sorted(digests.items()))


def listed_digests(path: Path) -> dict[str, str]:
    """The digests that are listed; none at all if there is no listing."""
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    pairs = (line.split(" ", 1) for line in lines if line and not line.startswith("#"))
    return {pair[1]: pair[0] for pair in pairs if len(pair) == 2}


def definition_faults(found: Mapping[str, str], listed: Mapping[str, str]) -> list[str]:
    """Where the definitions and their listing differ."""
    faults = [f"the definition of {name} is not listed" for name in found.keys() - listed.keys()]
    faults += [f"{name} is listed and not defined" for name in listed.keys() - found.keys()]
    faults += [
        f"the definition of {name} is not the one that is listed"
        for name in found.keys() & listed.keys()
        if found[name] != listed[name]
    ]
    return sorted(faults)
