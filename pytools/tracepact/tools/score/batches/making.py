"""A run directory in the making: finished batches kept on disk with their digests, so that a run goes on (rule 24.9).

A worker writes the rows of its batch first and its record last, each under another name and moved into place. Whoever
does the batch again finds the record, checks it and its rows, and does nothing.
"""

import fcntl
import hashlib
import json
import os
import platform
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import DecodeError, ValidationError

from tracepact.diagnostics import Diagnostic, InvalidInput, RowPlace
from tracepact.io.source import shown
from tracepact.records import record_bytes, record_from_bytes
from tracepact.scoring import Scorecard
from tracepact.tools.score.batches.sums import BatchSum
from tracepact.tools.score.store import columnar
from tracepact.tools.score.tally import RunTally

ENDING = ".making"
"""What the folder of a run in the making is called after its place."""
KEY = "key.json"
CLAIM = ".claim"
"""The file whose lock says that a process is making the run, and which."""
_BATCH, _RECORD = "batch-", ".record"


@dataclass(frozen=True, slots=True)
class Making:
    """Where a run is made, the digest of all it depends on, and whether rows of violations are wanted."""

    folder: str
    key: str
    violations: bool

    def finished(self, number: int) -> BatchSum[RunTally] | None:
        """What a batch gave, if it is kept as it was written; None if it must be done."""
        try:
            head, _, body = self._record(number).read_bytes().partition(b"\n")
            said = json.loads(head)
            parts = dict(said["parts"])
            sound = said["key"] == self.key and said["sha256"] == _digest(body)
            if not sound or any(_digest((Path(self.folder) / p).read_bytes()) != d for p, d in parts.items()):
                return None
            return record_from_bytes(body, BatchSum[RunTally])
        except (OSError, ValueError, KeyError, TypeError, DecodeError, ValidationError):
            return None

    def keep(self, number: int, found: BatchSum[RunTally], card: Scorecard) -> None:
        """Keep what a batch gave: its rows, then the record that says they are there."""
        parts = {}
        for name, table in tables_of(card, violations=self.violations).items():
            part = f"{_stem(number)}.{name}"
            data = columnar.parquet_bytes(table)
            _put(Path(self.folder) / part, data)
            parts[part] = _digest(data)
        body = record_bytes(found)
        head = json.dumps({"key": self.key, "sha256": _digest(body), "parts": parts}).encode()
        _put(self._record(number), head + b"\n" + body)

    def part(self, number: int, name: str) -> Path:
        """Where the rows of a batch are."""
        return Path(self.folder) / f"{_stem(number)}.{name}"

    def _record(self, number: int) -> Path:
        return Path(self.folder) / f"{_stem(number)}{_RECORD}"


def making_folder(out: Path) -> Path:
    """Where the run directory of a place is made."""
    place = out.resolve()
    return place.with_name(place.name + ENDING)


@contextmanager
def claimed(out: Path) -> Iterator[None]:
    """Make the run of a place alone, in a folder that is there meanwhile; InvalidInput while another process does.

    The lock is the system's, so that whoever dies has lost it. Where there are no locks nothing is claimed.
    """
    folder = making_folder(out)
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        opened = os.open(folder / CLAIM, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        try:
            if not _locked(opened):
                raise _in_use(out, os.pread(opened, 200, 0))
            if _is_at(opened, folder / CLAIM):  # nobody has finished, and removed the folder, in between
                os.ftruncate(opened, 0)
                os.pwrite(opened, f"process {os.getpid()} on {platform.node()}".encode(), 0)
                try:
                    yield
                    return
                finally:
                    _leave(folder)
        finally:
            os.close(opened)


def _leave(folder: Path) -> None:
    """Take the claim away again where no batch is finished, and the folder if it held nothing else."""
    with suppress(OSError):
        if not any(folder.glob(f"{_BATCH}*{_RECORD}")):
            (folder / CLAIM).unlink()
            (folder / KEY).unlink(missing_ok=True)
            folder.rmdir()


def _locked(opened: int) -> bool:
    """Whether a file could be locked, or cannot be where it is; False if another process has it."""
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _is_at(opened: int, place: Path) -> bool:
    """Whether an opened file is the one at a place."""
    try:
        return os.path.samestat(os.fstat(opened), os.stat(place))
    except OSError:
        return False


def _in_use(out: Path, holder: bytes) -> InvalidInput:
    who = " ".join(holder.decode("utf-8", "replace").split()) or "another process"
    headline = f"a run is being made at `{out}`, by {shown(who, 120)}"
    help = "wait for it, or name another place; if it is stopped, the same command goes on with what is finished"
    return InvalidInput([Diagnostic("run-in-use", headline, RowPlace(str(out)), help)])


def kept_batches(out: Path) -> int:
    """How many finished batches are kept beside the place of a run directory."""
    return len(list(making_folder(out).glob(f"{_BATCH}*{_RECORD}")))


def tables_of(card: Scorecard, *, violations: bool) -> dict[str, Any]:
    """The rows of a scorecard by the names of their files."""
    found = {columnar.SCORES: columnar.score_table(card), columnar.MATCHES: columnar.match_table(card)}
    if violations:
        for clause in card.contract.clauses:
            found[columnar.VIOLATIONS.format(clause.name)] = columnar.violation_table(card, clause.name)
    return found


def file_names(clauses: Mapping[str, Any], *, violations: bool) -> list[str]:
    """The names of the files of rows of a run."""
    own = [columnar.VIOLATIONS.format(name) for name in clauses] if violations else []
    return [columnar.SCORES, columnar.MATCHES, *own]


def _stem(number: int) -> str:
    return f"{_BATCH}{number:06d}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _put(place: Path, data: bytes) -> None:
    """Write a file under another name, down to the disk, and move it into place."""
    part = place.with_name(f".{place.name}.{uuid.uuid4().hex}")
    try:
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, place)
    finally:
        part.unlink(missing_ok=True)
