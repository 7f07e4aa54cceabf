"""Changed copies of the proof core, with what the change does not touch compiled already."""

import shutil
from pathlib import Path

from tracepact.tools.prove.build import Build
from tracepact.tools.prove.definitions import listing_text
from tracepact.tools.prove.theory import LISTING, Theory
from tracepact.tools.prove.toolchain import Kind


def changed_theory(core: Build, folder: Path, file: str, old: str, new: str, *, listed: bool = True) -> Path:
    """A copy of the core with a change, as someone would make it who lists the changed definitions too."""
    root = folder / "theory"
    if not root.exists():
        shutil.copytree(core.theory.sources, root / "lean")
        for name in ("lakefile.lean", "lean-toolchain"):
            shutil.copy2(core.theory.root / name, root / name)
        if core.toolchain.kind is Kind.WHEEL:
            shutil.copytree(core.folder, folder / "built")
    path = root / "lean" / file
    text = path.read_text("utf-8") if path.exists() else ""
    assert old in text
    assert old != new or old == "import"
    path.write_text(text.replace(old, new) if old else new, "utf-8")
    if listed:
        (root / "lean" / LISTING).write_text(listing_text(Theory(root).digests), "utf-8")
    return root
