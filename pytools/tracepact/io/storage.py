"""Where data lies: local paths, and addresses such as `s3://…` that fsspec reads; names without credentials."""

import hashlib
import os
import re
from collections.abc import Sequence
from typing import Any

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io.source import PathLike, shown

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_SECRET = re.compile(r"(?<=://)[^/@]*@")
_CHUNK = 1 << 20


def is_address(path: PathLike) -> bool:
    """Whether a path is the address of a store, such as `s3://bucket/folder`, and not a place in the file system."""
    return _ADDRESS.match(os.fspath(path)) is not None


def public_name(path: PathLike) -> str:
    """A path as reports may show it: an address loses its user, its password and what follows a question mark."""
    text = os.fspath(path)
    return _SECRET.sub("", text).split("?")[0].split("#")[0] if is_address(text) else text


def file_system(path: PathLike) -> tuple[Any, str]:
    """The file system that holds a path, as fsspec knows it, and the path in it; ImportError without fsspec."""
    import fsspec

    system, inner = fsspec.core.url_to_fs(os.fspath(path))
    return system, str(inner)


def report_missing_fsspec(path: PathLike, diagnostics: Diagnostics) -> None:
    """Say that an address needs a package that is not there."""
    name = public_name(path)
    headline = f"`{shown(name)}` is an address, and the package that reads it is not installed"
    help = "pip install 'tracepact[cluster]', and what fsspec needs for this kind of store, such as s3fs"
    diagnostics.add("missing-extra", headline, RowPlace(name), help)


def digest_of_files(system: Any, files: Sequence[str], root: str) -> str:
    """The SHA-256 of one file, or of the list of the digests and names of several, read piece by piece."""
    digests = [_digest(system, file) for file in files]
    if len(files) == 1 and files[0] == root:
        return digests[0]
    names = (os.path.relpath(file, root).replace(os.sep, "/") for file in files)
    lines = "".join(f"{digest}  {name}\n" for digest, name in zip(digests, names, strict=True))
    return hashlib.sha256(lines.encode()).hexdigest()


def _digest(system: Any, file: str) -> str:
    found = hashlib.sha256()
    with system.open(file, "rb") as stream:
        while data := stream.read(_CHUNK):
            found.update(data)
    return found.hexdigest()
