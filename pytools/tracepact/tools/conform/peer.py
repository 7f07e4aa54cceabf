"""An implementation under test as a child process: asked over the protocol, and ended in time whatever it does."""

import json
import os
import queue
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Literal

from tracepact.tools.conform.serve import PROTOCOL
from tracepact.tools.conform.vectors import Profile

if sys.platform == "linux":
    import resource

_LONGEST_LINE = 1 << 24
_MOST_UNREAD = 4
"""Lines that wait to be read, answers and the end of them; beyond that the implementation waits."""
_LAST_LINES = 1.0
"""Seconds to read what a process that was ended left in its pipe."""
_LONGEST_REMARK = 1 << 16
_MOST_MEMORY = 4 << 30
"""Bytes of its own data that a process of the implementation may have, where the system can hold it to them."""
_MARK = "TRACEPACT_PEER"
_SWEEPS = 20
"""How often processes with the mark are looked for: one may start another while it is being ended."""
_SHOWN = 200


FaultKind = Literal["no-start", "bad-hello", "hangs", "crashed", "rubbish", "out-of-order"]


class PeerFault(Exception):  # noqa: N818  (it is what the implementation did, not what went wrong in the program)
    """The implementation did not behave as the protocol asks: `kind` says how, the text says what happened."""

    def __init__(self, kind: FaultKind, words: str) -> None:
        super().__init__(words)
        self.kind = kind
        self.words = words


class Peer:
    """One process of the implementation. Any fault ends it; ask `start` for a new one."""

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        self._command = list(command)
        self._timeout = timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: queue.Queue[bytes | None] = queue.Queue(_MOST_UNREAD)
        self._mark = ""
        self._said: deque[str] = deque(maxlen=5)
        self._listener: threading.Thread | None = None
        self._reader: threading.Thread | None = None
        self._id = 0
        self.name = self._command[0]
        self.profiles: frozenset[Profile] = frozenset()

    @property
    def runs(self) -> bool:
        """Whether there is a process to ask."""
        return self._process is not None

    def start(self) -> None:
        """Start a process and say hello."""
        self._lines, self._said = queue.Queue(_MOST_UNREAD), deque(maxlen=5)
        self._mark = secrets.token_hex(16)
        try:
            self._process = subprocess.Popen(  # noqa: S603  (the command is the one the user asked to test)
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                env={**os.environ, _MARK: self._mark},
            )
        except (OSError, ValueError) as error:  # the second for a name that no file can have
            words = getattr(error, "strerror", None) or str(error)
            raise PeerFault("no-start", f"`{self._command[0]}` cannot be started: {words.lower()}") from None
        try:
            _limit_memory(self._process.pid)
            assert self._process.stdout is not None
            assert self._process.stderr is not None
            self._reader = threading.Thread(target=_read, args=(self._process.stdout, self._lines), daemon=True)
            self._reader.start()
            self._listener = threading.Thread(target=_keep, args=(self._process.stderr, self._said), daemon=True)
            self._listener.start()
            self._hello()
        except BaseException:  # a request to end included, from the moment that there is a process
            self.kill()
            raise

    def _hello(self) -> None:
        everything = [profile.value for profile in Profile]
        reply = self._exchange({"hello": "tracepact", "version": PROTOCOL, "profiles": everything})
        if reply.get("version") != PROTOCOL or isinstance(reply.get("version"), bool):
            raise PeerFault("bad-hello", f"its hello has version {reply.get('version')!r}; this is version {PROTOCOL}")
        claimed = reply.get("profiles")
        if not isinstance(claimed, list):
            raise PeerFault("bad-hello", f"its hello has no list of profiles: {_shown(claimed)}")
        if unknown := [name for name in claimed if name not in everything]:
            words = f"its hello has unknown profiles: {', '.join(map(_shown, unknown))}; known: {', '.join(everything)}"
            raise PeerFault("bad-hello", words)
        self.name = str(reply.get("hello"))
        self.profiles = frozenset(Profile(name) for name in claimed)

    def ask(self, case: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to a case: an object with `answer`, `unsupported` or `error`. A fault ends the process."""
        self._id += 1
        try:
            reply = self._exchange({"id": self._id, **case})
            if "id" not in reply or isinstance(reply["id"], bool) or reply["id"] != self._id:
                words = f"it was asked case {self._id} and answered {_shown(reply.get('id'))}"
                raise PeerFault("out-of-order", words)
            if not isinstance(reply.get("answer"), dict) and not {"unsupported", "error"} & reply.keys():
                words = f"its reply has neither answer, unsupported nor error: {_shown(reply)}"
                raise PeerFault("rubbish", words)
        except PeerFault:
            self.kill()
            raise
        return reply

    def _exchange(self, message: Mapping[str, Any]) -> dict[str, Any]:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        writer = threading.Thread(
            target=_write, args=(process.stdin, json.dumps(message).encode() + b"\n"), daemon=True
        )
        writer.start()
        try:
            line = self._lines.get(timeout=self._timeout)
        except queue.Empty:
            raise PeerFault("hangs", f"no answer within {self._timeout:g} s{self._last_words()}") from None
        if line is None:
            raise PeerFault("crashed", self._end_words(process))
        try:
            reply = json.loads(line)
        except (ValueError, RecursionError):
            raise PeerFault("rubbish", f"it printed a line that is not JSON: {_shown(line)}") from None
        if not isinstance(reply, dict):
            raise PeerFault("rubbish", f"it printed a line that is not an object: {_shown(reply)}")
        return reply

    def _end_words(self, process: subprocess.Popen[bytes]) -> str:
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        code = process.returncode
        if code is not None and self._listener is not None:
            self._listener.join(timeout=1)  # what it said last may still be on its way
        if code is None:
            how = "it closed its standard output"
        elif code < 0:
            how = f"it was ended by {_signal_name(-code)}"
        else:
            how = f"it ended with exit code {code}"
        return f"{how} instead of an answer{self._last_words()}"

    def _last_words(self) -> str:
        return f"; on standard error: {_tail(' | '.join(self._said))}" if self._said else ""

    def close(self) -> None:
        """Close its input and wait for its end; a fault if it had more to say or does not end."""
        process = self._process
        if process is None:
            return
        try:
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.close()
            try:
                line = self._lines.get(timeout=self._timeout)
                process.wait(timeout=self._timeout)
            except (queue.Empty, subprocess.TimeoutExpired):
                raise PeerFault("hangs", f"it did not end within {self._timeout:g} s of its last case") from None
            if line is not None:
                raise PeerFault("out-of-order", f"it printed more lines than it was asked for: {_shown(line)}")
        finally:
            self.kill()

    def kill(self) -> None:
        """End the process, every process of its group, and those that left the group but carry the mark."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(OSError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()
        _kill_marked(self._mark)
        self._drop_unread()
        with suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()

    def _drop_unread(self) -> None:
        """Take what a process that was ended had still printed, so that whoever reads it comes to an end as well."""
        reader, self._reader = self._reader, None
        until = time.monotonic() + _LAST_LINES
        while reader is not None and reader.is_alive() and time.monotonic() < until:
            with suppress(queue.Empty):
                self._lines.get(timeout=_LAST_LINES / 100)


def _read(stream: IO[bytes], lines: queue.Queue[bytes | None]) -> None:
    with suppress(OSError, ValueError), stream:
        while line := stream.readline(_LONGEST_LINE):
            lines.put(line)
    lines.put(None)


def _keep(stream: IO[bytes], said: deque[str]) -> None:
    with suppress(OSError, ValueError), stream:
        while line := stream.readline(_LONGEST_REMARK):
            said.append(line.decode("utf-8", "replace").strip())


def _write(stream: IO[bytes], data: bytes) -> None:
    with suppress(OSError, ValueError):
        stream.write(data)
        stream.flush()


def _limit_memory(process: int) -> None:
    """Hold a process, and what it starts, to the memory it may have; a system without such limits does not."""
    if sys.platform == "linux":
        with suppress(OSError, ValueError):  # it may have ended, or have less already
            resource.prlimit(process, resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))


def _kill_marked(mark: str) -> None:
    """End every process whose environment has the mark: what an implementation started in a session of its own."""
    wanted = f"{_MARK}={mark}".encode()
    for _ in range(_SWEEPS):
        found = False
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if wanted in (place / "environ").read_bytes().split(b"\0"):
                    os.kill(int(place.name), signal.SIGKILL)
                    found = True
        if not found:
            return


def _signal_name(number: int) -> str:
    """A signal as the system calls it; those for real time have numbers alone."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _shown(value: object) -> str:
    text = value.decode("utf-8", "replace").rstrip("\n") if isinstance(value, bytes) else str(value)
    return f"`{text[:_SHOWN]}{'…' if len(text) > _SHOWN else ''}`"


def _tail(text: str) -> str:
    """The end of a text: what a program says last is why it ended."""
    return f"`{'…' if len(text) > _SHOWN else ''}{text[-_SHOWN:]}`"
