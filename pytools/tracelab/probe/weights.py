"""Where the weights of an entry lie on this machine; what is missing is named with its way out, never replaced."""

import hashlib
import io
import pickle
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tracelab.faults import fault
from tracelab.probe.registry import Entry
from tracepact import InvalidInput

_ALLOWED = {
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy.core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "_reconstruct"),
}


def missing(entry: Entry, cache_folder: Path) -> InvalidInput | None:
    """Why an entry cannot be used here; None if it can."""
    try:
        check_present(entry, cache_folder)
    except InvalidInput as error:
        return error
    return None


def check_present(entry: Entry, cache_folder: Path) -> None:
    """Refuse an entry whose modules, package or files are not here, or are others than the registry says."""
    modules = [name for name in entry.modules if find_spec(name) is None]
    if modules or (entry.package and not _version(entry.package)):
        what = ", ".join(modules or [entry.package])
        raise fault("missing-package", f"`{entry.name}` needs {what}, which is not installed", help=entry.install)
    if entry.file:
        packaged_file(entry)
    if entry.folder:
        cached_folder(entry, cache_folder)


def packaged_file(entry: Entry) -> Path:
    """The weights that a package brings; others than the registry names are refused."""
    path = Path(str(distribution(entry.package).locate_file(entry.file)))
    if not path.is_file():
        headline = f"{entry.package} {_version(entry.package)} has no `{entry.file}`, which `{entry.name}` needs"
        raise fault("missing-package", headline, path, entry.install)
    if entry.sha256 and _digest(path) != entry.sha256:
        headline = f"the weights of `{entry.name}` have the SHA-256 {_digest(path)} and not {entry.sha256}"
        raise fault("bad-checkpoint", headline, path, entry.install)
    return path


def cached_folder(entry: Entry, cache_folder: Path) -> Path:
    """The folder of the user's cache with an entry's files."""
    folder = cache_folder / entry.folder
    absent = [name for name in entry.files if not (folder / name).is_file()]
    if absent:
        sources = [f"{entry.url}/{name}" if entry.url else f"ADDRESS/{name}" for name in absent]
        help = " ; ".join(
            f"tracelab fetch {source} --sha256 … --size … --out {folder / name}"
            for source, name in zip(sources, absent, strict=True)
        )
        raise fault("missing-weights", f"`{entry.name}` needs {', '.join(absent)}, not in the cache", folder, help)
    return folder


def identity(entry: Entry, cache_folder: Path) -> dict[str, str]:
    """What decides the output of an entry: versions of packages and digests of weights."""
    found = {}
    if entry.package:
        found[entry.package] = _version(entry.package)
    if entry.file:
        found[entry.file] = _digest(packaged_file(entry))
    if entry.folder:
        folder = cached_folder(entry, cache_folder)
        found |= {name: _digest(folder / name) for name in entry.files}
    if ".py:" in entry.load:
        source = Path(entry.load.rpartition(":")[0])
        found[source.name] = _digest(source)
    return found


class _ArraysOnly(pickle.Unpickler):
    """Unpickles arrays, dictionaries and numbers; anything else that a pickle asks for is refused."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return super().find_class(module.replace("numpy.core", "numpy._core"), name)


def pickled_arrays(path: Path) -> Mapping[str, Any]:
    """A mapping of arrays out of a `.npy` file that holds a pickle, without running what a pickle could run."""
    with path.open("rb") as file:
        try:
            version = np.lib.format.read_magic(file)
            shape, _, dtype = (
                np.lib.format.read_array_header_1_0(file)
                if version == (1, 0)
                else np.lib.format.read_array_header_2_0(file)
            )
            found = _ArraysOnly(io.BytesIO(file.read()), encoding="latin1").load().reshape(shape).item()
        except (ValueError, EOFError, AttributeError, TypeError, pickle.UnpicklingError) as error:
            raise fault("bad-checkpoint", f"the stored arrays cannot be read: {error}", path) from error
    if not isinstance(found, dict) or dtype != np.dtype(object):
        raise fault("bad-checkpoint", "the file holds no arrays by name", path)
    return found


@cache
def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _version(package: str) -> str:
    try:
        return distribution(package).version
    except PackageNotFoundError:
        return ""
