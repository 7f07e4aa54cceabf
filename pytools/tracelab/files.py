"""Files of results and of sound: written whole or not at all, fetched where the user asked, faults as diagnostics."""

import errno
import hashlib
import os
import re
import shutil
import string
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from importlib.util import module_from_spec, spec_from_file_location
from io import BytesIO
from ipaddress import IPv6Address
from math import gcd
from pathlib import Path
from socket import SHUT_RDWR, socket
from threading import Timer
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urljoin, urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

import numpy as np
import numpy.typing as npt
import soundfile
from scipy.signal import resample_poly

from tracepact import Diagnostic, InvalidInput, RowPlace

# Faults of the lab's inputs, as the toolkit's diagnostics.


def fault(code: str, headline: str, place: Path | None = None, help: str | None = None) -> InvalidInput:
    """An error with one diagnostic, ready to be raised."""
    return InvalidInput([Diagnostic(code, headline, RowPlace(str(place)) if place else None, help)])


def told(warnings: Sequence[Diagnostic]) -> str:
    """Warnings as the toolkit writes them."""
    return str(InvalidInput(warnings)).strip()


# Writes files and folders of results whole or not at all; what the disk refuses is told with its place.


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


# Fetches a file that the user asked for: resumed after a stop, and kept only if its size and SHA-256 are right.
#
# The address is of http or https; so is every address that an answer leads on to, and from https none leads back to
# http. Nothing a server answers takes more memory than a piece, more disk than the file, or more time than the
# patience with each piece: bytes that keep coming and never make one are not waited for.

_CHUNK = 1 << 16
_TIMEOUT = 30
_PATIENCE = 60.0
"""Seconds for the head of an answer, and for each piece of its body, however its bytes are spread."""
_MOST_REDIRECTS = 10
_REDIRECTS = (301, 302, 303, 307, 308)
_HOST = re.compile(r"(?=.{1,253}$)[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*\.?")


class _Unreached(Exception):  # noqa: N818  (it is what a server is)
    """The line to the server cannot be had, or breaks; no OSError, so that none of a file is taken for it."""


def fetch(
    url: str, place: Path, *, sha256: str, size: int, on_bytes: Callable[[int], None] = lambda count: None
) -> Path:
    """The file at `place`, fetched unless it is there already; anything else than what was asked for is an error."""
    _check_address(url, f"`{url}`")
    if place.exists():
        _check(place, sha256, size)
        return place
    part = place.with_name(f"{place.name}.part")
    have = part.stat().st_size if part.exists() else 0
    have = have if have < size else 0  # a part that is not shorter than the file is fetched anew
    help = f"what has arrived is kept in {part}; the same command goes on from there"
    try:
        with made_folder(place.parent), _opened(url, {"Range": f"bytes={have}-"} if have else {}) as answer:
            _receive(answer, part, have, size, on_bytes)
    except HTTPError as error:
        raise fault("unreadable-file", f"{url} answered {error.code}", help="check the address") from error
    except _Unreached as error:
        raise fault("unreadable-file", f"{url} cannot be reached: {error}", help=help) from error
    except HTTPException as error:
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise fault("unreadable-file", f"{url} answered what is no HTTP: {said}", help=help) from error
    if part.stat().st_size < size:
        help = "the same command goes on from there"
        raise fault("unreadable-file", f"{part.stat().st_size} of {size} bytes have arrived", part, help)
    try:
        _check(part, sha256, size)
    except Exception:
        part.unlink()
        raise
    os.replace(part, place)
    return place


def _check_address(url: str, shown: str, before: str = "") -> None:
    """Refuse an address that is not of the web, or that leads from https back to http."""
    help = "it is of the form https://host/path, with other signs as %XX"
    if not (url.isascii() and url.isprintable()) or " " in url:  # `urlsplit` leaves some of these out without a word
        raise fault("unreadable-file", f"{shown} has signs that no address has", help=help)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        if "[" in parts.netloc:
            IPv6Address(host)
    except ValueError as error:
        raise fault("unreadable-file", f"{shown} is not a web address: {error}", help=help) from error
    if "@" in parts.netloc:
        headline = "the address holds a name or a password, which every user of this machine could read"
        raise fault("unreadable-file", headline, help="leave out what stands before `@`")
    if parts.scheme not in ("http", "https"):
        raise fault("unreadable-file", f"{shown} is not a web address", help="it begins with https://")
    if port == 0 or not (":" in host or _HOST.fullmatch(host)):
        raise fault("unreadable-file", f"{shown} names no host to ask", help=help)
    if parts.scheme == "http" and before.startswith("https:"):
        raise fault("unreadable-file", f"{shown} is not encrypted, and what leads there is", help="check the address")


def _opened(url: str, headers: dict[str, str]) -> HTTPResponse:
    """The answer at an address, or where it leads; what an answer that leads on says besides is not read."""
    opener = OpenerDirector()
    for handler in (ProxyHandler(), _Plain(), _Secure(), HTTPErrorProcessor(), HTTPDefaultErrorHandler()):
        opener.add_handler(handler)
    place = url
    for _ in range(_MOST_REDIRECTS + 1):
        try:
            answer: HTTPResponse = opener.open(Request(place, headers=headers), timeout=_TIMEOUT)  # noqa: S310
            return answer
        except HTTPError as error:
            error.close()
            to = error.headers.get("Location")
            if error.code not in _REDIRECTS or not to:
                raise
            place = _next_address(url, place, to)
        except OSError as error:
            raise _Unreached(getattr(error, "reason", error)) from error
    help = "check the address"
    raise fault("unreadable-file", f"{url} leads on and on: {_MOST_REDIRECTS} times and no file", help=help)


def _next_address(url: str, place: str, to: str) -> str:
    """The address that an answer at a place leads on to; where it began is named in what is said of it."""
    try:
        there = urljoin(place, quote(to, encoding="iso-8859-1", safe=string.punctuation))
    except ValueError as error:
        raise fault("unreadable-file", f"{url} leads to what is no address: {error}") from error
    _check_address(there, f"the address that {url} leads to", place)
    return there


class _Answer(HTTPResponse):
    """An answer that hangs up when its head, or the next piece of its body, does not come in time."""

    def __init__(self, sock: socket, *arguments: Any, **more: Any) -> None:
        super().__init__(sock, *arguments, **more)
        self._line = sock

    def begin(self) -> None:
        """Read the head."""
        with _patience(self._line):
            super().begin()

    def read1(self, n: int = -1) -> bytes:
        """The next piece; at the end nothing."""
        with _patience(self._line):
            try:
                return super().read1(n)
            except OSError as error:
                raise _Unreached(error) from error


@contextmanager
def _patience(line: socket) -> Iterator[None]:
    """Hang up if this takes too long; what is read from then on is the end."""

    def hang_up() -> None:
        with suppress(OSError):
            line.shutdown(SHUT_RDWR)

    timer = Timer(_PATIENCE, hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class _PlainConnection(HTTPConnection):
    response_class = _Answer


class _SecureConnection(HTTPSConnection):
    response_class = _Answer


class _Plain(HTTPHandler):
    def http_open(self, req: Request) -> HTTPResponse:
        """The answer to a request."""
        return self.do_open(_PlainConnection, req)


class _Secure(HTTPSHandler):
    def https_open(self, req: Request) -> HTTPResponse:
        """The answer to a request, encrypted."""
        return self.do_open(_SecureConnection, req)


def _receive(answer: HTTPResponse, part: Path, have: int, size: int, on_bytes: Callable[[int], None]) -> None:
    """Add what arrives to what is there, or begin anew where the server does not resume."""
    resumed = have and answer.status == 206
    on_bytes(have if resumed else 0)
    with at(part), part.open("ab" if resumed else "wb") as out:
        while data := answer.read1(_CHUNK):
            out.write(data)
            on_bytes(len(data))
            if out.tell() > size:
                break


def _check(path: Path, sha256: str, size: int) -> None:
    """Refuse a file that is not the one that was asked for."""
    if path.stat().st_size != size:
        raise fault("unreadable-file", f"the file has {path.stat().st_size} bytes and not {size}", path)
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256.lower():
        raise fault("unreadable-file", f"the file has the SHA-256 {found} and not {sha256}", path)


# Functions of the user's own, in files that are named to the lab.


def own_function(path: Path, name: str) -> Any:
    """A function of a Python file, which is loaded under a name that no other file has; it may raise anything."""
    spec = spec_from_file_location(
        f"tracelab_own_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}", path
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return getattr(module, name)


# Sound files in and out, one channel of floats.

Signal = npt.NDArray[np.floating[Any]]


def read_sound(path: Path) -> tuple[Signal, int]:
    """The samples of a file, its channels averaged, and their rate."""
    try:
        samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    except (OSError, soundfile.LibsndfileError) as error:
        raise fault("unreadable-sound", f"the sound cannot be read: {error}", path) from error
    if not len(samples):
        raise fault("unreadable-sound", "the file has no samples", path)
    if not np.isfinite(samples).all():
        raise fault("unreadable-sound", "a sample is not a finite number", path)
    return samples.mean(axis=1), int(rate)


def resampled(samples: Signal, rate: int, wanted: int) -> Signal:
    """The samples at another rate."""
    common = gcd(rate, wanted)
    at_rate = samples if rate == wanted else resample_poly(samples, wanted // common, rate // common)
    return np.asarray(at_rate, dtype=np.float32)


def whole_samples(samples: Signal) -> npt.NDArray[np.int16]:
    """Samples from −1 to 1 as 16 bits hold them; what is louder is clipped."""
    return np.round(np.clip(samples, -1, 1) * 32767).astype(np.int16)


def write_sound(path: Path, samples: npt.NDArray[np.int16], rate: int) -> None:
    """A WAV file of whole 16-bit samples."""
    sound = BytesIO()
    soundfile.write(sound, samples, rate, format="WAV", subtype="PCM_16")
    write_whole(path, sound.getvalue())
