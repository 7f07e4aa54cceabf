"""Names that differ only in how they are written: what to offer where one is not found."""

import posixpath
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from tracepact.diagnostics import nearest

_NUMBER = re.compile(r"\d+")


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


def same_clip(clip: str, known: Mapping[str, list[str]]) -> str | None:
    """The one clip, of those by stem, whose path is the same without the last extension and folders only one has."""
    own = _path(clip)
    alike = [name for name in known.get(_folded(_stem(clip)), []) if _is_tail(*sorted((own, _path(name)), key=len))]
    return alike[0] if len(alike) == 1 else None


def _path(clip: str) -> list[str]:
    """The folders of a clip and its name without the last extension."""
    return [*posixpath.dirname(clip).split("/"), _stem(clip)] if "/" in clip else [_stem(clip)]


def _is_tail(short: list[str], long: list[str]) -> bool:
    return long[-len(short) :] == short


def similar_label(label: str, known: Iterable[str]) -> str | None:
    """The first known label that differs only in case, spaces, hyphens, underscores or leading zeros."""
    own = _folded(label)
    return next((name for name in sorted(known) if name != label and _folded(name) == own), None)


def similar_labels(labels: Iterable[str]) -> dict[str, str]:
    """The labels that differ from an earlier one, in sorted order, only in how they are written, and the first such."""
    first: dict[str, str] = {}
    found: dict[str, str] = {}
    for label in sorted(labels):
        if (other := first.setdefault(_folded(label), label)) != label:
            found[label] = other
    return found


def near_clip(clip: str, known: Iterable[str]) -> str | None:
    """The known clip of the nearest name, unless only numbers differ: another number is another clip."""
    near = nearest(clip, known)
    return None if near is None or _NUMBER.sub("0", near) == _NUMBER.sub("0", clip) else near


def label_help(label: str, others: Iterable[str]) -> str | None:
    """A help line that offers the label of the other side that is written a little differently, or nearly alike."""
    known = {*others} - {label}
    if alike := similar_label(label, known):
        return f"there it is written `{alike}`; name both alike, or map them (--label-map)"
    near = nearest(label, known)
    return f"did you mean `{near}`, which is there? name both alike, or map them (--label-map)" if near else None


def _stem(clip: str) -> str:
    name = posixpath.basename(clip)
    stem, extension = posixpath.splitext(name)
    return name if extension[1:].isdecimal() else stem


@lru_cache(maxsize=1 << 16)  # every label of one side is compared with those of the other
def _folded(name: str) -> str:
    """A name without case, spaces, hyphens, underscores, and zeros at the start of its numbers."""
    return re.sub(r"[ _-]|(?<!\d)0+(?=\d)", "", name.casefold())
