"""Faulty monitors made from data: a sound one with a few words of its source replaced, in this process or as one.

    python -m benchmarks.mutant ID

serves the oracle protocol as the mutant of that name.
"""

import functools
import gc
import importlib
import json
import os
import re
import select
import signal
import sys
import tomllib
import types
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from tracepact.conform.findings import LocalPeer
from tracepact.conform.oracle import ConformanceProfile, serve
from tracepact.conform.peer import AnyPeer, Peer, PeerFault, check_reply

HERE = Path(__file__).resolve().parent
_COSTLY = ("tracepact.language.grammar", "tracepact.conform.oracle")
"""Modules whose functions remember what takes long to make and no mutant changes: the grammar, the vectors."""

CATALOGUE = HERE / "mutants.toml"
MONITOR = HERE.parents[1] / "examples" / "07-conformance" / "monitor.py"


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault: what kind it is, the rules it breaks, and the words that are replaced.

    `target` is `monitor`, the example's, or the module of the package that the reference monitor is made of.
    `equivalent` says why no case can tell it from a sound monitor, if none can.
    """

    id: str
    kind: str
    target: str
    rules: tuple[str, ...]
    fault: str
    profiles: tuple[ConformanceProfile, ...]
    experiment: str
    edits: tuple[tuple[str, str], ...]
    equivalent: str = ""

    def applied(self, source: str) -> str:
        """The source with the fault; ValueError if its words do not occur exactly once."""
        for found, put in self.edits:
            if source.count(found) != 1:
                raise ValueError(f"{self.id}: {source.count(found)} times in its target: {found!r}")
            source = source.replace(found, put)
        return source

    def written(self, folder: Path) -> Path:
        """The example's monitor with the fault, as a program that starts quickly."""
        place = folder / f"{self.id}.py"
        source = self.applied(MONITOR.read_text(encoding="utf-8"))
        place.write_text(source.replace('"a small monitor"', f'"mutant {self.id}"'), encoding="utf-8")
        return place

    def peer(self, timeout: float = 20) -> AnyPeer:
        """The mutant, to be asked: that of the example in this process, any other in a copy of it."""
        if self.kind == "protocol":
            return Peer([sys.executable, "-m", "benchmarks.mutant", self.id], min(timeout, 3))
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 10_000))  # before Hypothesis looks at it
        if self.target == "monitor":
            return LocalPeer(self.function)
        return ForkedPeer(self, timeout)

    def function(self) -> Callable[[dict[str, Any]], Any]:
        """The example's monitor with the fault: a function from messages to replies."""
        module = types.ModuleType("mutant")
        exec(compile(self.applied(MONITOR.read_text(encoding="utf-8")), str(MONITOR), "exec"), module.__dict__)
        sys.setrecursionlimit(10_000)
        return partial(module.reply, module.Monitor(), f"mutant {self.id}")


def catalogue() -> tuple[Mutant, ...]:
    """Every mutant."""
    data = tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))
    return tuple(
        Mutant(
            id=entry["id"],
            kind=entry["kind"],
            target=entry["target"],
            rules=tuple(entry["rules"]),
            fault=entry["fault"],
            profiles=tuple(ConformanceProfile(name) for name in entry["profiles"]),
            experiment=entry["experiment"],
            edits=tuple((found, put) for found, put in entry["edits"]),
            equivalent=entry.get("equivalent", ""),
        )
        for entry in data["mutant"]
    )


def plant(mutant: Mutant) -> None:
    """Put a fault into the module of this process that it is for: the code of its functions, and its constants.

    Whoever holds one of its functions holds the faulty one then; what was remembered is forgotten. ValueError if the
    fault is in nothing that can be replaced so.
    """
    module = importlib.import_module(mutant.target)
    assert module.__file__ is not None
    source = Path(module.__file__).read_text(encoding="utf-8")
    # The fault is looked for between two texts compiled alike: the code of the module itself may differ from its text,
    # since pytest rewrites the assertions of every package that has a plugin.
    sound, faulty = _namespace(module, source), _namespace(module, mutant.applied(source))
    changed = False
    for name, new in faulty.items():
        old, here = sound.get(name), module.__dict__.get(name)
        if isinstance(new, int | str | re.Pattern) and not name.startswith("__"):
            changed |= new != old
            module.__dict__[name] = new
        elif isinstance(new, types.FunctionType) and isinstance(here, types.FunctionType):
            changed |= _differ(old, new)
            here.__code__ = new.__code__
        elif isinstance(new, type) and isinstance(here, type) and new.__module__ == module.__name__:
            changed |= _plant_methods(old, new, here)
    if not changed:
        raise ValueError(f"{mutant.id}: nothing of its target is changed")
    for each in [each for each in gc.get_objects() if isinstance(each, functools._lru_cache_wrapper)]:
        if getattr(each, "__module__", "") not in _COSTLY:
            each.cache_clear()


def _namespace(module: types.ModuleType, source: str) -> dict[str, Any]:
    """What a text defines where it is the text of a module."""
    names: dict[str, Any] = {"__name__": module.__name__, "__file__": module.__file__}
    exec(compile(source, module.__file__ or "", "exec"), names)
    return names


def _plant_methods(old: Any, new: type, here: type) -> bool:
    """Put the code of the methods of a faulty class into those of the class in use; whether the fault is in them."""
    changed = False
    for name, method in vars(new).items():
        faulty, used = _function(method), _function(vars(here).get(name))
        if faulty is None or used is None or faulty.__code__.co_freevars != used.__code__.co_freevars:
            continue
        changed |= _differ(_function(getattr(old, "__dict__", {}).get(name)), faulty)
        used.__code__ = faulty.__code__
    return changed


def _function(method: Any) -> types.FunctionType | None:
    """The function within a method, however it is wrapped; None if there is none."""
    method = getattr(method, "base_func", method)  # lark's `v_args` wraps methods
    if isinstance(method, property):
        method = method.fget
    if isinstance(method, staticmethod):
        method = method.__func__
    return method if isinstance(method, types.FunctionType) else None


def _differ(old: Any, new: types.FunctionType) -> bool:
    return not isinstance(old, types.FunctionType) or _words(old.__code__) != _words(new.__code__)


def _words(code: types.CodeType) -> tuple[Any, ...]:
    """What a function does, without where it stands."""
    constants = tuple(_words(part) if isinstance(part, types.CodeType) else part for part in code.co_consts)
    return code.co_code, code.co_names, code.co_varnames, constants


class ForkedPeer:
    """The reference monitor with a fault, in a copy of this process."""

    def __init__(self, mutant: Mutant, timeout: float) -> None:
        self._mutant, self._timeout = mutant, timeout
        self._child: tuple[int, IO[bytes], IO[bytes]] | None = None
        self._id = 0
        self.name = mutant.id
        self.profiles: frozenset[ConformanceProfile] = frozenset(ConformanceProfile)

    @property
    def runs(self) -> bool:
        """Whether there is a process to ask."""
        return self._child is not None

    def start(self) -> None:
        """Copy this process, and plant the fault in the copy."""
        asked, ask = os.pipe()
        told, tell = os.pipe()
        pid = os.fork()
        if pid == 0:
            with suppress(BaseException):
                os.close(ask)
                os.close(told)
                self._serve(asked, tell)
            os._exit(1)
        os.close(asked)
        os.close(tell)
        self._child = pid, os.fdopen(ask, "wb"), os.fdopen(told, "rb")

    def _serve(self, asked: int, tell: int) -> None:
        plant(self._mutant)
        with os.fdopen(asked, encoding="utf-8") as lines, os.fdopen(tell, "w", encoding="utf-8") as out:

            def write(line: str) -> None:
                out.write(line)
                out.flush()

            serve(lines, write)

    def ask(self, case: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to a case."""
        assert self._child is not None
        _, ask, told = self._child
        self._id += 1
        try:
            ask.write(json.dumps({"id": self._id, **case}).encode() + b"\n")
            ask.flush()
            ready, _, _ = select.select([told], [], [], self._timeout)
            line = told.readline() if ready else b""
            if not line:
                raise PeerFault("crashed" if ready else "hangs", "no answer")
            reply: dict[str, Any] = json.loads(line)
            check_reply(reply, self._id)
        except (PeerFault, OSError) as fault:
            self.kill()
            raise fault if isinstance(fault, PeerFault) else PeerFault("crashed", str(fault)) from None
        return reply

    def news(self) -> bool:
        """Nothing is seen of its inside."""
        return False

    def close(self) -> None:
        """End it."""
        self.kill()

    def kill(self) -> None:
        """End it at once."""
        if self._child is not None:
            pid, ask, told = self._child
            self._child = None
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            with suppress(OSError):
                told.close()
                ask.close()


def _main(name: str) -> None:
    """Serve the protocol as a mutant."""
    mutant = next(mutant for mutant in catalogue() if mutant.id == name)
    if mutant.target != "monitor":
        plant(mutant)

    def write(line: str) -> None:
        sys.stdout.write(line)
        sys.stdout.flush()

    if mutant.target != "monitor":
        serve(sys.stdin, write)
        return
    answer = mutant.function()
    for line in sys.stdin:
        write(json.dumps(answer(json.loads(line))) + "\n")


if __name__ == "__main__":
    _main(sys.argv[1])
