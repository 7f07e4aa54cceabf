"""Names that differ only in how they are written: what to offer where one is not found."""

import posixpath
import re
from collections.abc import Iterable, Mapping


def by_stem(clips: Iterable[str]) -> Mapping[str, list[str]]:
    """Clips by their names without folders, the last extension, and what is easily written differently."""
    found: dict[str, list[str]] = {}
    for clip in clips:
        found.setdefault(_folded(_stem(clip)), []).append(clip)
    return found


def similar_clip(clip: str, known: Mapping[str, list[str]]) -> str | None:
    """A help line that offers the one clip, of those by stem, that could be meant."""
    alike = known.get(_folded(_stem(clip)), [])
    found = [name for name in alike if _stem(name) == _stem(clip)] or alike
    return f"did you mean `{found[0]}`? tables that name their clips must name them alike" if len(found) == 1 else None


def similar_label(label: str, known: Iterable[str]) -> str | None:
    """The first known label that differs only in case, spaces, hyphens, underscores or leading zeros."""
    return next((name for name in sorted(known) if name != label and _folded(name) == _folded(label)), None)


def _stem(clip: str) -> str:
    name = posixpath.basename(clip)
    stem, extension = posixpath.splitext(name)
    return name if extension[1:].isdecimal() else stem


def _folded(name: str) -> str:
    """A name without case, spaces, hyphens, underscores, and zeros at the start of its numbers."""
    return re.sub(r"[ _-]|(?<!\d)0+(?=\d)", "", name.casefold())
