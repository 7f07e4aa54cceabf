"""The reference side of the oracle protocol: hello, cases, streams (spec/protocol.md)."""

import json
from collections.abc import Callable, Iterable
from importlib.metadata import version
from typing import Any, Literal

from tracepact.diagnostics import InvalidInput
from tracepact.tools.conform.answers import clauses_of
from tracepact.tools.conform.engines import REFERENCE, Engine
from tracepact.tools.conform.shape import fault_of
from tracepact.tools.conform.streaming import Stream, frame_of, masks_of, names_of
from tracepact.tools.conform.trees import LONGEST, BadCase, shown
from tracepact.tools.conform.vectors import ASKS, Profile, answer

PROTOCOL: Literal[1] = 1
_STREAM_ASKS = ("open", "frame", "chunk", "interrupt", "close")


class Session:
    """One conversation: each message has one reply."""

    def __init__(self, engine: Engine = REFERENCE) -> None:
        self._engine = engine
        self._stream: Stream | None = None
        self._names: list[str] = []
        self._frames = 0
        self._counts = False
        self.ended = False

    def reply(self, line: str) -> dict[str, Any]:
        """The reply to a line; what is wrong with the line is an `error`."""
        try:
            message = json.loads(line)
        except json.JSONDecodeError as error:
            return {"id": None, "error": f"not JSON at column {error.colno}: {error.msg.lower()}"}
        except ValueError:
            return {"id": None, "error": "a number has thousands of digits"}
        except RecursionError:
            return {"id": None, "error": "it is nested too deeply"}
        if not isinstance(message, dict):
            return {"id": None, "error": "a message is an object"}
        if "hello" in message:
            self.ended = message.get("version") != PROTOCOL
            name = f"tracepact {version('tracepact')}, {self._engine.name}"
            return {"hello": name, "version": PROTOCOL, "profiles": [profile.value for profile in Profile]}
        reply: dict[str, Any] = {"id": message.get("id")}
        try:
            return reply | {"answer": self._answer(message)}
        except InvalidInput as invalid:
            return reply | {"error": "; ".join(d.headline for d in invalid.diagnostics)}
        except BadCase as bad:
            return reply | {"error": f"the case is not well formed: {bad}"}
        except KeyError as error:
            lacking = fault_of(message) or f"it lacks `{error.args[0]}`"
            return reply | {"error": f"the case is not well formed: {lacking}"}
        except RecursionError:
            return reply | {"error": "the case is not well formed: it is nested too deeply"}
        except (ValueError, TypeError, IndexError, AttributeError, ArithmeticError):
            fault = fault_of(message) or "a part has a value it cannot have"
            return reply | {"error": f"the case is not well formed: {fault}"}

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        ask = message["ask"]
        if not isinstance(ask, str) or ask not in (*_STREAM_ASKS, *ASKS):
            raise BadCase(f"nothing is known of the ask {shown(ask)}")
        if ask not in _STREAM_ASKS:
            found = answer(message, self._engine)
            wanted = message.get("want", list(found))
            if found.get("errors"):
                wanted = [part for part in wanted if part in found]  # what has a fault lacks the other parts (P16)
            if unknown := [part for part in wanted if part not in found]:
                raise BadCase(f"the answer has no part {', '.join(map(shown, unknown))}")
            return {part: found[part] for part in wanted}
        if ask == "open":
            clauses = clauses_of(message)
            self._stream, self._names, self._frames = self._engine.stream(clauses), names_of(clauses), 0
            self._counts = "counts" in message.get("want", ())
            return {}
        if self._stream is None:
            raise BadCase("no stream is open")
        if ask == "interrupt":
            self._stream = self._stream.interrupted()
            return {}
        out = self._stream.close() if ask == "close" else self._push(message)
        counts = {"counts": self._stream.counts} if self._counts else {}
        if ask == "close":
            self._stream = None
        return {"out": out, **counts}

    def _push(self, message: dict[str, Any]) -> list[list[Any]]:
        assert self._stream is not None
        if message["ask"] == "frame":
            frames, masks = 1, frame_of(message["values"], self._names)
        else:
            frames, masks = masks_of(message, self._names)
            if frames < 1:
                raise BadCase("a chunk has at least one frame")
        if self._frames + frames > LONGEST:
            raise BadCase(f"the stream has more than {LONGEST} frames")
        self._frames += frames
        return self._stream.push(frames, masks)


def serve(lines: Iterable[str], write: Callable[[str], object], engine: Engine = REFERENCE) -> None:
    """Answer every line until there are no more, or a hello of another version; `write` gets one line at a time."""
    session = Session(engine)
    for line in lines:
        if line.strip():
            write(json.dumps(session.reply(line), ensure_ascii=False) + "\n")
        if session.ended:
            return
