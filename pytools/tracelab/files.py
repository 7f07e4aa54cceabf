"""Writes files and folders of results whole or not at all; what the disk refuses is told with its place."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_whole(path: Path, data: str | bytes) -> None:
    """A file, written beside its place, flushed to the disk and moved there."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    with made_folder(path.parent), at(path):
        try:
            with open(part, "wb") as file:
                file.write(data.encode() if isinstance(data, str) else data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def filled(folder: Path, last: str) -> Iterator[Path]:
    """A hidden folder to write results into; when all is written they are moved into `folder`, the file `last` last.

    If that fails, `folder` is left as it was. It lies inside `folder`, which may be a file system of its own.
    """
    with made_folder(folder), at(folder):
        part = folder / f".{os.getpid()}.part"
        part.mkdir()
        try:
            yield part
            files = [path.relative_to(part) for path in sorted(part.rglob("*")) if path.is_file()]
            for name in sorted(files, key=lambda name: name == Path(last)):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                os.replace(part / name, folder / name)
        finally:
            shutil.rmtree(part, ignore_errors=True)


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """A folder for what is written inside; if that fails, the folders that were made for it are removed again."""
    new = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for place in new:
            if place.is_dir() and not any(place.iterdir()):
                place.rmdir()
        raise


@contextmanager
def at(place: Path) -> Iterator[None]:
    """An error of the system that names no file, or a hidden one, is told as one of this place."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # NumPy counts what it could write, and does not say why there is no more
            raise OSError(errno.EIO, f"not all could be written ({error})", str(place)) from error
        if error.filename is None or any(part.endswith(".part") for part in Path(str(error.filename)).parts):
            raise OSError(error.errno, error.strerror, str(place)) from error
        raise


@contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """A hidden folder to fill; when all is written it takes the place of `folder`. If that fails, `folder` stays."""
    with at(folder):
        part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        try:
            yield part
            shutil.rmtree(folder, ignore_errors=True)
            os.replace(part, folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def copy_folder(source: Path, target: Path) -> None:
    """Every file of a folder, each written whole; the first that cannot be written is told with its place."""
    for path in sorted(source.rglob("*")):
        if path.is_file():
            write_whole(target / path.relative_to(source), path.read_bytes())
