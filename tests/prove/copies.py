"""Changed copies of the proof core, with what the change does not touch compiled already."""

import shutil
from pathlib import Path

from tracepact.prove.build import Build
from tracepact.prove.scan import _MAKER, LeanText
from tracepact.prove.theory import LISTING, PROJECT, Theory, listing_text
from tracepact.prove.toolchain import LeanResult, ToolchainKind


def unscanned(text: str) -> LeanText:
    """A text that has not been scanned, as only tests give it to Lean."""
    return LeanText(text, frozenset(), _MAKER)


def lean_says(core: Build, text: str) -> LeanResult:
    """What Lean says of a text that has not been scanned."""
    return core.check(unscanned(text))


def changed_theory(core: Build, folder: Path, file: str, old: str, new: str, *, listed: bool = True) -> Path:
    """A copy of the core with a change, as someone would make it who lists the changed definitions too."""
    root = folder / "theory"
    if not root.exists():
        shutil.copytree(core.theory.sources, root / "lean")
        for name in PROJECT:
            shutil.copy2(core.theory.root / name, root / name)
        if core.toolchain.kind is ToolchainKind.WHEEL:
            shutil.copytree(core.folder, folder / "built")
    path = root / "lean" / file
    text = path.read_text("utf-8") if path.exists() else ""
    assert old in text
    assert old != new or old == "import"
    path.write_text(text.replace(old, new) if old else new, "utf-8")
    if listed:
        (root / "lean" / LISTING).write_text(listing_text(Theory(root).digests), "utf-8")
    return root
