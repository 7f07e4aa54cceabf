"""An implementation in Python, asked in this process: no pipe, and the branches it takes are seen."""

import importlib.util
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from tracepact.tools.conform.peer import PeerFault, check_reply, greeted, hello
from tracepact.tools.conform.vectors import Profile

Reply = Callable[[dict[str, Any]], Mapping[str, Any]]
_TRACED = 1 << 10
"""The length of a message up to which branches are followed: in a large case that takes long and shows little more."""

Branch = tuple[str, int, int]
"""A file, and two of its lines that were run one after the other."""


class LocalPeer:
    """A function from messages to replies; nothing can stop it, so one that never returns is tested as a process."""

    def __init__(self, make: Callable[[], Reply], file: str | None = None) -> None:
        self._make = make
        self._file = file
        self._reply: Reply | None = None
        self._seen: set[Branch] = set()
        self._news = False
        self._id = 0
        self.name = "a function"
        self.profiles: frozenset[Profile] = frozenset()

    @property
    def runs(self) -> bool:
        """Whether it has been started."""
        return self._reply is not None

    @property
    def branches(self) -> int:
        """How many branches it has taken so far."""
        return len(self._seen)

    def start(self) -> None:
        """Make it anew, and say hello."""
        self._reply = self._make()
        self.name, self.profiles = greeted(self._exchange(hello()))

    def ask(self, case: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to a case; an exception that leaves the function is a crash."""
        self._id += 1
        try:
            reply = self._exchange({"id": self._id, **case})
            check_reply(reply, self._id)
        except PeerFault:
            self.kill()
            raise
        return reply

    def _exchange(self, message: dict[str, Any]) -> dict[str, Any]:
        assert self._reply is not None
        text = json.dumps(message)
        given = json.loads(text)
        before = len(self._seen)
        tracer = sys.gettrace()
        if self._file is not None and tracer is None and len(text) <= _TRACED:
            sys.settrace(self._trace)
        try:
            reply = json.loads(json.dumps(self._reply(given)))
        except (Exception, SystemExit) as error:  # noqa: BLE001  (whatever it raises is its fault)
            raise PeerFault("crashed", f"it raised {type(error).__name__}: {error}") from None
        finally:
            sys.settrace(tracer)
        self._news = self._news or len(self._seen) > before
        if not isinstance(reply, dict):
            raise PeerFault("rubbish", "its reply is not an object")
        return reply

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Follow the lines of its own file."""
        if frame.f_code.co_filename != self._file:
            return None
        last = -frame.f_code.co_firstlineno

        def line(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal last
            if event == "line":
                self._seen.add((frame.f_code.co_name, last, frame.f_lineno))
                last = frame.f_lineno
            return line

        return line

    def news(self) -> bool:
        """Whether a branch was taken since the last time that none had taken before."""
        news, self._news = self._news, False
        return news

    def close(self) -> None:
        """There is nothing to end."""
        self.kill()

    def kill(self) -> None:
        """Forget it."""
        self._reply = None


def local_peer(place: str) -> LocalPeer:
    """The implementation of a file, `monitor.py` or `monitor.py:NAME`: NAME, by default `monitor`, makes its function.

    PeerFault if there is none.
    """
    file, _, name = place.partition(":")
    path = Path(file).absolute()
    spec = importlib.util.spec_from_file_location(f"implementation_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise PeerFault("no-start", f"`{file}` is not a Python file")
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
        make = getattr(module, name or "monitor")
    except Exception as error:  # noqa: BLE001  (whatever it raises is its fault)
        raise PeerFault("no-start", f"`{place}` cannot be loaded: {type(error).__name__}: {error}") from None
    finally:
        sys.path[:] = before
    return LocalPeer(make, str(path))
