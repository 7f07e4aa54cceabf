"""The cache of compiled modules: private to the user, each kept with what it was made from and its own digest."""

import hashlib
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl


def cache_folder() -> Path:
    """Where compiled cores are kept: TRACEPACT_CACHE, or the user's cache folder."""
    given = os.environ.get("TRACEPACT_CACHE")
    base = Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tracepact"
    return base.absolute() / "lean"  # Lean runs in another folder


def private_folder(folder: Path) -> Path | None:
    """A folder that only the user can open, made if need be; none if it is a link or another's, or unknown.

    One that others could have written into is emptied first.
    """
    if sys.platform == "win32":
        return None
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            return None
        if stat.S_IMODE(found.st_mode) & 0o077:
            folder.chmod(0o700)
            for entry in folder.iterdir():
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    except OSError:
        return None
    return folder


@contextmanager
def only_user(folder: Path) -> Iterator[None]:
    """Keep other processes from building in a folder meanwhile, where the system can."""
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def kept(compiled: Path, made_from: str) -> str | None:
    """The note about a compiled module, if it is there, was made from this, and is as it was written."""
    note = compiled.with_suffix(".kept")
    if compiled.is_symlink() or not compiled.is_file() or not note.is_file():
        return None
    record = _record(compiled, made_from)
    return record if note.read_text("utf-8") == record else None


def keep(compiled: Path, made_from: str) -> str:
    """Note what a compiled module was made from, and its own digest."""
    record = _record(compiled, made_from)
    compiled.with_suffix(".kept").write_text(record, "utf-8")
    return record


def forget(compiled: Path) -> None:
    """Remove a compiled module and the note about it: a failed run would leave an old one in place."""
    compiled.with_suffix(".kept").unlink(missing_ok=True)
    compiled.unlink(missing_ok=True)


def _record(compiled: Path, made_from: str) -> str:
    return f"{made_from} {hashlib.sha256(compiled.read_bytes()).hexdigest()}\n"
