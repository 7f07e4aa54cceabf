"""Fetches a file that the user asked for: resumed after a stop, and kept only if its size and SHA-256 are right."""

import hashlib
import os
from collections.abc import Callable
from http.client import HTTPResponse
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from tracelab.faults import fault
from tracelab.files import at, made_folder

_CHUNK = 1 << 16
_TIMEOUT = 30


def fetch(
    url: str, place: Path, *, sha256: str, size: int, on_bytes: Callable[[int], None] = lambda count: None
) -> Path:
    """The file at `place`, fetched unless it is there already; anything else than what was asked for is an error."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise fault("unreadable-file", f"`{url}` is not a web address", help="it begins with https://")
    if place.exists():
        _check(place, sha256, size)
        return place
    part = place.with_name(f"{place.name}.part")
    have = part.stat().st_size if part.exists() else 0
    request = Request(url, headers={"Range": f"bytes={have}-"} if have else {})  # noqa: S310  (checked above)
    try:
        with made_folder(place.parent), urlopen(request, timeout=_TIMEOUT) as answer:  # noqa: S310
            _receive(answer, part, have, size, on_bytes)
    except HTTPError as error:
        raise fault("unreadable-file", f"{url} answered {error.code}", help="check the address") from error
    except (URLError, TimeoutError, ConnectionError) as error:
        help = f"what has arrived is kept in {part}; the same command goes on from there"
        raise fault("unreadable-file", f"{url} cannot be reached: {error}", help=help) from error
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


def _receive(answer: HTTPResponse, part: Path, have: int, size: int, on_bytes: Callable[[int], None]) -> None:
    """Add what arrives to what is there, or begin anew where the server does not resume."""
    resumed = have and answer.status == 206
    on_bytes(have if resumed else 0)
    with at(part), part.open("ab" if resumed else "wb") as out:
        while data := answer.read(_CHUNK):
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
