"""An implementation under test as a child process: asked over the protocol, ended in time with all it started."""

import ctypes
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Literal, Protocol

from tracepact.conform.oracle import LARGEST_ID, PROTOCOL, ConformanceProfile
from tracepact.files import json_float, json_whole
from tracepact.wording import parse_whole

# The processes that a child has started: found by descent, by group and by a mark in their environment, and ended.

MARK = "TRACEPACT_PEER"
"""The environment variable whose value all processes of one implementation share."""

_PROCESSES = Path("/proc")
_ADOPTS = 36  # PR_SET_CHILD_SUBREAPER
_ROUNDS = 50


def adopt_orphans() -> frozenset[int]:
    """Make this process the parent of descendants that lose theirs, where the system knows that (Linux).

    Gives the children it has: those that come later and that it did not start are adopted.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            # Without it a process whose parent has ended belongs to the first process of the system, and nothing tells
            # whose it was.
            ctypes.CDLL(None).prctl(_ADOPTS, 1, 0, 0, 0)
    return frozenset(pid for pid, parent in _parents().items() if parent == os.getpid())


def end_all(child: int, mark: str, children: frozenset[int] | None = None) -> None:
    """Kill a child, its group, and whatever else it has left, until nothing of it is there.

    A process that began a session of its own is not in the group, and one whose parent has ended is no descendant any
    more; it still has the mark, unless it changed its environment. Then only a process that adopts orphans and says
    which children are its `own` finds it.
    """
    left = _left(child, mark, children)
    _kill_group(child)
    # In rounds: a process that forks while it is being looked for can be ahead of one round, but it loses a parent in
    # each.
    for _ in range(_ROUNDS):
        for pid in left:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        left = _left(child, mark, children)  # the child too: until it is dead, what it started is not adopted
        if not left:
            break
        time.sleep(0.01)
    if children is not None:
        _reap({pid for pid, parent in _parents().items() if parent == os.getpid() and pid not in children} - {child})


def _kill_group(child: int) -> None:
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(child, signal.SIGKILL)
        else:
            os.kill(child, signal.SIGTERM)


def _left(child: int, mark: str, children: frozenset[int] | None) -> set[int]:
    """The processes below a child, those with its mark, and those this process has adopted since."""
    parents = _parents()
    found = {pid for pid in parents if pid != os.getpid() and _marked(pid, mark)}
    if children is not None:
        found |= {pid for pid, parent in parents.items() if parent == os.getpid() and pid not in children}
    grown = {child} & parents.keys() | found
    while grown:
        found |= grown
        grown = {pid for pid, parent in parents.items() if parent in grown} - found
    return {pid for pid in found if not _is_dead(pid)}


def _parents() -> dict[int, int]:
    """The parent of every process that can be seen; nothing on a system without such a list."""
    return {pid: parent for pid in _pids() if (parent := _status(pid)[1]) is not None}


def _pids() -> Iterator[int]:
    with suppress(OSError):
        yield from (int(entry.name) for entry in _PROCESSES.iterdir() if entry.name.isdecimal())


def _status(pid: int) -> tuple[str, int | None]:
    """The state and the parent of a process."""
    try:
        text = (_PROCESSES / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return "", None
    # Behind the last bracket: the name of a program stands before it and may have brackets and spaces.
    state, parent, *_ = text.rpartition(")")[2].split()
    return state, int(parent)


def _is_dead(pid: int) -> bool:
    return _status(pid)[0] in ("Z", "X", "")


def _marked(pid: int, mark: str) -> bool:
    with suppress(OSError):
        return f"{MARK}={mark}".encode() in (_PROCESSES / str(pid) / "environ").read_bytes().split(b"\0")
    return False


def _reap(pids: set[int]) -> None:
    """Take note of the end of adopted processes, so that none stays as a zombie; one that lives is left alone."""
    for pid in pids:
        with suppress(OSError):
            os.waitpid(pid, os.WNOHANG)


# An implementation under test as a child process: asked over the protocol, and ended in time whatever it does.

if sys.platform == "linux":
    import resource

_LONGEST_LINE = 1 << 24
_LONGEST_REMARK = 1 << 16
_MOST_UNREAD = 4
"""Lines that wait to be read, answers and the end of them; beyond that the implementation waits."""

_MOST_MEMORY = 4 << 30
"""Bytes of its own data that a process of the implementation may have, where the system can hold it to them."""

_FITS_A_PIPE = 1 << 12
"""A message of this length is written at once: everything before it has been answered, so the pipe is empty."""

_LONGEST_NAME = 200
_LOOK = 0.25
"""Seconds after which a process that says nothing is looked at."""

_SHOWN = 200


FaultKind = Literal["no-start", "bad-hello", "hangs", "crashed", "rubbish", "out-of-order"]


class PeerFault(Exception):  # noqa: N818  (it is what the implementation did, not what went wrong in the program)
    """The implementation did not behave as the protocol asks: `kind` says how, the text says what happened."""

    def __init__(self, kind: FaultKind, words: str) -> None:
        super().__init__(words)
        self.kind = kind
        self.words = words


class AnyPeer(Protocol):
    """An implementation that can be asked, in whatever way."""

    name: str
    profiles: frozenset[ConformanceProfile]

    @property
    def runs(self) -> bool:
        """Whether it can be asked now."""

    def start(self) -> None:
        """Begin anew, with a hello; PeerFault if that fails."""

    def ask(self, case: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to a case; PeerFault if it is none."""

    def close(self) -> None:
        """End it; PeerFault if it does not end well."""

    def kill(self) -> None:
        """End it at once."""

    def news(self) -> bool:
        """Whether the last case took it where no case did before, where that can be seen."""


class Peer:
    """One process of the implementation. Any fault ends it; ask `start` for a new one."""

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        self._command = list(command)
        self._timeout = timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._said: deque[str] = deque(maxlen=5)
        self._listener: threading.Thread | None = None
        self._mark = uuid.uuid4().hex
        self._own: frozenset[int] | None = None
        self._asked = 0
        self.name = self._command[0]
        self.profiles: frozenset[ConformanceProfile] = frozenset()

    @property
    def runs(self) -> bool:
        """Whether there is a process to ask."""
        return self._process is not None

    def start(self) -> None:
        """Start a process and say hello."""
        # A bounded queue: a program that prints without end is stopped by its full pipe and not by our memory.
        self._lines, self._said = queue.Queue(_MOST_UNREAD), deque(maxlen=5)
        self._own = adopt_orphans()
        try:
            self._process = subprocess.Popen(  # noqa: S603  (the command is the one the user asked to test)
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # A session of its own: it can be ended as a group, and Ctrl-C at the terminal does not reach it before
                # us.
                start_new_session=True,
                env={**os.environ, MARK: self._mark},
            )
        except (OSError, ValueError) as error:  # the second for a name that no file can have
            words = getattr(error, "strerror", None) or str(error)
            raise PeerFault("no-start", f"`{self._command[0]}` cannot be started: {words.lower()}") from None
        try:
            _limit_memory(self._process.pid)
            assert self._process.stdout is not None
            assert self._process.stderr is not None
            threading.Thread(target=self._read, args=(self._process, self._lines), daemon=True).start()
            self._listener = threading.Thread(target=_keep, args=(self._process.stderr, self._said), daemon=True)
            self._listener.start()
            self.name, self.profiles = greeted(self._exchange(hello()))
        except BaseException:  # a request to end included, from the moment that there is a process
            self.kill()
            raise

    def ask(self, case: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to a case: an object with `answer`, `unsupported` or `error`. A fault ends the process."""
        self._asked += 1
        number = case_id(self._asked)
        try:
            # The order of keys says nothing (P2), so it is not always the same.
            message = {**case, "id": number} if self._asked % 2 else {"id": number, **case}
            reply = self._exchange(message)
            check_reply(reply, number)
        except PeerFault:
            self.kill()
            raise
        return reply

    def tell(self, line: str) -> dict[str, Any]:
        """The reply to a line, whatever it holds. A fault ends the process."""
        try:
            return self._exchange_line(line)
        except PeerFault:
            self.kill()
            raise

    def _exchange(self, message: Mapping[str, Any]) -> dict[str, Any]:
        return self._exchange_line(json.dumps(message))

    def _exchange_line(self, text: str) -> dict[str, Any]:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        data = text.encode() + b"\n"
        # A longer message could fill the pipe while the implementation waits for us to read: written by a thread, both
        # go on.
        if len(data) <= _FITS_A_PIPE:
            _write(process.stdin, data)
        else:
            threading.Thread(target=_write, args=(process.stdin, data), daemon=True).start()
        try:
            line = self._next_line(process)
        except queue.Empty:
            why = f"{self._at_its_limit(process)}{self._last_words()}"
            raise PeerFault("hangs", f"no answer within {self._timeout:g} s{why}") from None
        if line is None:
            raise PeerFault("crashed", f"instead of an answer {self._how_it_ended(process)}")
        if len(line) >= _LONGEST_LINE:
            raise PeerFault("rubbish", f"it printed a line of more than {_LONGEST_LINE} octets: {_shown(line)}")
        try:
            # Numbers of thousands of digits take Python quadratic time to read: they are refused before.
            reply = json.loads(line, parse_constant=_refused, parse_int=json_whole, parse_float=json_float)
        except (ValueError, RecursionError):
            raise PeerFault("rubbish", f"it printed a line that is not JSON: {_shown(line)}") from None
        if not isinstance(reply, dict):
            raise PeerFault("rubbish", f"it printed a line that is not an object: {_shown(reply)}")
        return reply

    def _next_line(self, process: subprocess.Popen[bytes]) -> bytes | None:
        """The next line it prints, None at its end; queue.Empty if there is neither in time.

        A child that it left may hold its output open, so its end is looked for as well.
        """
        # Looked at four times a second, for the end of its output need not come when the process ends.
        end = time.monotonic() + self._timeout
        while True:
            with suppress(queue.Empty):
                return self._lines.get(timeout=min(_LOOK, max(end - time.monotonic(), 0)))
            if process.poll() is not None and self._lines.empty():
                with suppress(queue.Empty):
                    return self._lines.get(timeout=_LOOK)  # what it printed last may still be on its way
                return None
            if time.monotonic() >= end:
                raise queue.Empty

    def _how_it_ended(self, process: subprocess.Popen[bytes]) -> str:
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        code = process.returncode
        if code is not None and self._listener is not None:
            self._listener.join(timeout=_LOOK)  # what it said last may still be on its way
        if code is None:
            how = "it closed its standard output"
        elif code < 0:
            how = f"it was ended by {_signal_name(-code)}"
        else:
            how = f"it ended with exit code {code}"
        return f"{how}{self._last_words()}"

    def _at_its_limit(self, process: subprocess.Popen[bytes]) -> str:
        """Says so if the process has all the memory it may have: what then fails inside it may look like a loop."""
        with suppress(OSError, ValueError, IndexError):
            status = (_PROCESSES / str(process.pid) / "status").read_text(errors="replace")
            # At the start of a line, for the process gives itself the name that stands in another.
            data = parse_whole(status.partition("\nVmData:")[2].split()[0]) << 10
            if data > _MOST_MEMORY // 10 * 9:
                return f"; it has {data >> 20} MiB of data, and may have {_MOST_MEMORY >> 20} (P18)"
        return ""

    def _last_words(self) -> str:
        return f"; on standard error: {_tail(' | '.join(self._said))}" if self._said else ""

    def news(self) -> bool:
        """Nothing is seen of the inside of a process."""
        return False

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
                line = self._next_line(process)
                process.wait(timeout=self._timeout)
            except (queue.Empty, subprocess.TimeoutExpired):
                raise PeerFault("hangs", f"it did not end within {self._timeout:g} s of its last case") from None
            if line is not None:
                raise PeerFault("out-of-order", f"it printed more lines than it was asked for: {_shown(line)}")
            if process.returncode:
                raise PeerFault("crashed", f"after its last case {self._how_it_ended(process)}")
        finally:
            self.kill()

    def kill(self) -> None:
        """End the process and everything that it has started."""
        process, self._process = self._process, None
        if process is None:
            return
        end_all(process.pid, self._mark, self._own)
        process.wait()
        with suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()

    def _read(self, process: subprocess.Popen[bytes], lines: queue.Queue[bytes | None]) -> None:
        """Keep the lines it prints, a few ahead of what is asked, for as long as it is the process that is asked."""
        assert process.stdout is not None
        with suppress(OSError, ValueError), process.stdout:
            while line := process.stdout.readline(_LONGEST_LINE):
                if not self._keep_line(process, lines, line):
                    return
        self._keep_line(process, lines, None)

    def _keep_line(
        self, process: subprocess.Popen[bytes], lines: queue.Queue[bytes | None], line: bytes | None
    ) -> bool:
        # A reader whose process is no longer asked must not wait for a place in its queue for ever.
        while self._process is process:
            with suppress(queue.Full):
                lines.put(line, timeout=0.1)
                return True
        return False


def _keep(stream: IO[bytes], said: deque[str]) -> None:
    with suppress(OSError, ValueError), stream:
        while line := stream.readline(_LONGEST_REMARK):
            if line.strip():
                said.append(line.decode("utf-8", "replace").strip())


def _write(stream: IO[bytes], data: bytes) -> None:
    with suppress(OSError, ValueError):
        stream.write(data)
        stream.flush()


def hello() -> dict[str, Any]:
    """What the tester says first."""
    return {"hello": "tracepact", "version": PROTOCOL, "profiles": [profile.value for profile in ConformanceProfile]}


def greeted(reply: Mapping[str, Any]) -> tuple[str, frozenset[ConformanceProfile]]:
    """The name and the profiles of an implementation, from its hello (P4, P5)."""
    everything = [profile.value for profile in ConformanceProfile]
    if reply.get("version") != PROTOCOL or isinstance(reply.get("version"), bool):
        raise PeerFault("bad-hello", f"its hello has version {reply.get('version')!r}; this is version {PROTOCOL}")
    claimed = reply.get("profiles")
    if not isinstance(claimed, list):
        raise PeerFault("bad-hello", f"its hello has no list of profiles: {_shown(claimed)}")
    if unknown := [name for name in claimed if name not in everything]:
        words = f"its hello has unknown profiles: {', '.join(map(_shown, unknown))}; known: {', '.join(everything)}"
        raise PeerFault("bad-hello", words)
    return _name(reply.get("hello")), frozenset(ConformanceProfile(name) for name in claimed)


def case_id(number: int) -> int:
    """The id of the n-th case: any integer that P6 allows, so that none is kept in 32 bits or without its sign."""
    return (-number, number, number, (1 << 31) + number, LARGEST_ID - number, -(1 << 32) - number)[number % 6]


def check_reply(reply: Mapping[str, Any], number: int) -> None:
    """PeerFault if this is not the reply to the case of this number (P7)."""
    # `isinstance` would take `true` for 1.
    if type(reply.get("id")) is not int or reply["id"] != number:
        words = f"it was asked case {number} and answered {_shown(json.dumps(reply.get('id')))}"
        raise PeerFault("out-of-order", words)
    kinds = [kind for kind in ("answer", "unsupported", "error") if kind in reply]
    if len(kinds) != 1 or not isinstance(reply[kinds[0]], dict if kinds == ["answer"] else str):
        words = f"its reply has not one of an answer, `unsupported` or `error`: {_shown(json.dumps(reply))}"
        raise PeerFault("rubbish", words)


def _limit_memory(process: int) -> None:
    """Hold a process, and what it starts, to the memory it may have; a system without such limits does not."""
    if sys.platform == "linux":
        with suppress(OSError, ValueError):  # it may have ended, or have less already
            # From here, and not in the child before it starts: code between fork and exec is not safe in a program with
            # threads.
            resource.prlimit(process, resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))


def _signal_name(number: int) -> str:
    """A signal as the system calls it; those for real time have numbers alone."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _refused(constant: str) -> float:
    """NaN and the infinities, which JSON does not have."""
    raise ValueError(constant)


def _name(name: object) -> str:
    """The name it gives itself: one line that can be printed (P4)."""
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME or not name.isprintable():
        words = f"its hello is {_shown(json.dumps(name))}, not a name of one line"
        raise PeerFault("bad-hello", words)
    return name


def _shown(value: object) -> str:
    """The beginning of what it said, without characters that would act on a terminal or a file."""
    text = value.decode("utf-8", "replace").rstrip("\n") if isinstance(value, bytes) else str(value)
    return f"`{printable(text[:_SHOWN])}{'…' if len(text) > _SHOWN else ''}`"


def _tail(text: str) -> str:
    """The end of a text: what a program says last is why it ended."""
    return f"`{'…' if len(text) > _SHOWN else ''}{printable(text[-_SHOWN:])}`"


def printable(text: str) -> str:
    """The text with every character that cannot be printed written as its escape sequence."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
