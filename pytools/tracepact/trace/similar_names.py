"""Names that differ only in how they are written: what to offer where one is not found."""

import posixpath
from collections.abc import Iterable, Mapping


def by_stem(clips: Iterable[str]) -> Mapping[str, list[str]]:
    """Clips by their names without folders and the last extension."""
    found: dict[str, list[str]] = {}
    for clip in clips:
        found.setdefault(_stem(clip), []).append(clip)
    return found


def similar_clip(clip: str, known: Mapping[str, list[str]]) -> str | None:
    """A help line that offers the one clip, of those by stem, that could be meant."""
    found = known.get(_stem(clip), [])
    return f"did you mean `{found[0]}`? tables that name their clips must name them alike" if len(found) == 1 else None


def similar_label(label: str, known: Iterable[str]) -> str | None:
    """The first known label that differs only in case, spaces, hyphens or underscores."""
    return next((name for name in sorted(known) if name != label and _folded(name) == _folded(label)), None)


def _stem(clip: str) -> str:
    name = posixpath.basename(clip)
    stem, extension = posixpath.splitext(name)
    return name if extension[1:].isdecimal() else stem


def _folded(label: str) -> str:
    return "".join(sign for sign in label.casefold() if sign not in " _-")
