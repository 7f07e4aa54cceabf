"""The conformance vectors, and the reference side of the protocol: `tracepact oracle`."""

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from functools import cache
from importlib.metadata import version
from typing import Any, Literal

import click

from tracepact.conform.answers import CONTRACT_ASKS, FRAME_ASKS, Answer, Case, check_step, clauses_of
from tracepact.conform.engines import (
    FAST,
    REFERENCE,
    CaseEngine,
    Stream,
    arrivals,
    delays_of,
    frame_of,
    masks_of,
    names_of,
)
from tracepact.conform.lean_engine import LEAN, core
from tracepact.conform.protocol import (
    LONGEST,
    BadCase,
    Unsupported,
    compacted,
    expanded,
    fault_of,
    shown,
    stream_expected,
    tree_of,
    words_in_runs,
)
from tracepact.data.events import exact
from tracepact.declarations import spec_path
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, Severity, Source, TextPlace
from tracepact.files import json_whole
from tracepact.language.compilation import compile_formula, compile_source, source_of
from tracepact.language.contract import Contract
from tracepact.options import earlier_name
from tracepact.prove.build import ProgramFault

# Answers to cases on text: formulas to trees, contracts to their settings, canonical text and faults.


def formula(case: Case, engine: CaseEngine) -> Answer:
    """The tree of a formula's text, or its faults (chapters 1 and 2)."""
    diagnostics = Diagnostics()
    check_step(exact(case["step"]))
    found = compile_formula(Source("<formula>", case["text"]), exact(case["step"]), diagnostics)
    return {"errors": faults(diagnostics)} | ({"formula": tree_of(found.formula)} if found else {})


def contract(case: Case, engine: CaseEngine) -> Answer:
    """What a contract's text declares, or its faults (chapters 1 to 4, 11)."""
    diagnostics = Diagnostics()
    compiled = compile_source(source_of(case["text"], "<text>"), diagnostics, case.get("set"))
    found = {"errors": faults(diagnostics), "warnings": sorted({d.code for d in diagnostics.warnings})}
    return found | (_declared(compiled) if compiled else {})


def faults(diagnostics: Diagnostics) -> list[dict[str, Any]]:
    """The errors by code and place, in order of place; what is not in the text comes last."""
    found = [(d.code, _span(d)) for d in diagnostics if d.severity is Severity.ERROR]
    # None cannot be compared with a list, and what has no place comes last (P20).
    found.sort(key=lambda fault: (fault[1] is None, fault[1] or [], fault[0]))
    return [{"code": code, "span": span} for code, span in found]


def _span(diagnostic: Diagnostic) -> list[int] | None:
    place = diagnostic.place
    return [place.span.start, place.span.end] if isinstance(place, TextPlace) else None


def _declared(contract: Contract) -> Answer:
    matcher = contract.matcher
    return {
        "name": contract.name,
        "title": contract.title,
        "step": str(contract.step),
        "merge_gap": str(contract.merge_gap),
        "projection": contract.projection.value,
        "aggregation": contract.aggregation.value,
        "soft_scale": str(contract.soft_scale),
        "labels": list(contract.labels) if contract.labels is not None else None,
        "matcher": {
            "kind": matcher.kind.value,
            "search": str(matcher.search),
            "overlap_reward": str(matcher.overlap_reward),
        },
        "sweeps": [{"parameter": s.parameter, "values": list(s.values)} for s in contract.sweeps],
        "profiles": [
            {
                "name": profile.name,
                "aggregation": profile.aggregation.value,
                "weights": {name: str(weight) for name, weight in profile.weights},
            }
            for profile in contract.profiles
        ],
        "canonical": contract.text,
        "digest": contract.digest,
    }


TEXT_ASKS: dict[str, Callable[[Case, CaseEngine], Answer]] = {"contract": contract, "formula": formula}


# The conformance vectors of spec/conformance: reading them, and what answers them.

ASKS: dict[str, Callable[[Case, CaseEngine], Answer]] = {**FRAME_ASKS, **TEXT_ASKS, **CONTRACT_ASKS}
"""Every question a case can ask."""

_LONGEST_OUT = 32
"""Verdicts of a stream that a vector lists one by one."""


class ConformanceProfile(Enum):
    """What an implementation may support; a vector belongs to one."""

    TEXT = "text"
    CORE = "core"
    PAST = "past"
    EVENTS = "events"
    STREAMING = "streaming"
    CHUNKS = "chunks"
    CONTRACTS = "contracts"


@dataclass(frozen=True, slots=True)
class Vector:
    """One case with its answer, the rules it shows, and where the answer comes from."""

    id: str
    topic: str
    profile: ConformanceProfile
    rules: tuple[str, ...]
    input: Mapping[str, Any]
    expected: Mapping[str, Any]
    evidence: str
    derivation: str

    @property
    def is_found(self) -> bool:
        """Whether a run found it, so that no file has it."""
        return "/found-" in self.id

    @property
    def data(self) -> dict[str, Any]:
        """The vector as its file has it."""
        expected = {**self.expected, **out_in_runs(self)}
        return {**self.in_full, "input": compacted(dict(self.input)), "expected": compacted(expected)}

    @property
    def in_full(self) -> dict[str, Any]:
        """The vector with every mask and verdict written out."""
        return {**asdict(self), "profile": self.profile.value, "rules": list(self.rules)}


def out_in_runs(vector: Vector, longest: int = _LONGEST_OUT) -> dict[str, Any]:
    """The verdicts of a stream as delays and words in runs, if there are more than so many."""
    out = vector.expected.get("out")
    if vector.input["ask"] != "stream" or not isinstance(out, list) or sum(map(len, out)) <= longest:
        return {}
    words: list[dict[int, str]] = [{} for _ in vector.input["clauses"]]
    for frame, clause, word in (item for said in out for item in said):
        words[clause][frame] = word
    in_order = [words_in_runs([some[i] for i in sorted(some)]) for some in words]
    return {"out": {"delays": delays_of(clauses_of(vector.input)), "words": in_order}}


def vector_of(data: Mapping[str, Any]) -> Vector:
    """A vector from its data."""
    case, expected = expanded(data["input"]), expanded(data["expected"])
    return Vector(
        data["id"],
        data["topic"],
        ConformanceProfile(data["profile"]),
        tuple(data["rules"]),
        case,
        stream_expected(expected, arrivals(case)) if case["ask"] == "stream" else expected,
        data["evidence"],
        data["derivation"],
    )


TOPICS = (
    *("contracts", "events", "frames", "matching", "projection", "runs", "scores", "streaming", "syntax"),
    "boundaries",
)
"""The topics of vectors, in the order in which they are told; the large ones last."""


@cache
def suite() -> tuple[Vector, ...]:
    """Every vector that ships, by topic and in the order of its file; the large ones last."""
    # Small vectors first: the first finding of a run is then the one that is easiest to read.
    files = [spec_path(f"conformance/{topic}.json") for topic in TOPICS]
    return tuple(vector_of(v) for file in files for v in json.loads(file.read_text(encoding="utf-8"))["vectors"])


def vectors_of(profiles: Iterable[ConformanceProfile]) -> tuple[Vector, ...]:
    """The vectors of some profiles."""
    chosen = frozenset(profiles)
    return tuple(vector for vector in suite() if vector.profile in chosen)


def answer(case: Case, engine: CaseEngine) -> Answer:
    """The answer of an engine to a case; KeyError, ValueError or InvalidInput if the case is not well formed."""
    return ASKS[case["ask"]](case, engine)


def differences(expected: Mapping[str, Any], answered: Mapping[str, Any]) -> list[str]:
    """The parts of an expected answer that the given one lacks or has otherwise; more parts do no harm."""
    return [key for key, value in expected.items() if key not in answered or not _equal(value, answered[key])]


def _equal(a: Any, b: Any) -> bool:
    """Equality of JSON values: 1 is neither true nor 1.0."""
    # Python calls 1, 1.0 and True equal; their JSON differs. The first test is there to leave most cases without
    # writing anything.
    return bool(a == b) and json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


# The reference side of the oracle protocol: hello, cases, streams (spec/protocol.md).

PROTOCOL: Literal[1] = 1
LARGEST_ID = (1 << 53) - 1
"""The largest id of a case (P6): every language has integers, or floats, that hold it."""

_STREAM_ASKS = ("open", "frame", "chunk", "interrupt", "close")


class _NoNumber(ValueError):  # noqa: N818  (it names what is wrong)
    """Python reads `NaN` and `Infinity`, which JSON does not have."""


def _no_number(constant: str) -> float:
    raise _NoNumber(constant)


class Session:
    """One conversation: each message has one reply."""

    def __init__(self, engine: CaseEngine = REFERENCE) -> None:
        self._engine = engine
        self._stream: Stream | None = None
        self._names: list[str] = []
        self._frames = 0
        self._counts = False
        self.ended = False

    def reply(self, line: str) -> dict[str, Any]:
        """The reply to a line; what is wrong with the line is an `error`."""
        try:
            message = json.loads(line, parse_int=json_whole, parse_constant=_no_number)
        except _NoNumber as error:
            return {"id": None, "error": f"not JSON: `{error}` is no number"}
        except json.JSONDecodeError as error:
            return {"id": None, "error": f"not JSON at column {error.colno}: {error.msg.lower()}"}
        except ValueError:
            return {"id": None, "error": "a number has thousands of digits"}
        except RecursionError:
            return {"id": None, "error": "it is nested too deeply"}
        if not isinstance(message, dict):
            return {"id": None, "error": "a message is an object"}
        if "hello" in message:
            # What follows a hello of another version would be answered by rules that the tester does not mean.
            self.ended = message.get("version") != PROTOCOL
            name = f"tracepact {version('tracepact')}, {self._engine.name}"
            profiles = self._engine.profiles or [profile.value for profile in ConformanceProfile]
            return {"hello": name, "version": PROTOCOL, "profiles": list(profiles)}
        number = message.get("id")
        if type(number) is not int or abs(number) > LARGEST_ID:  # `true` is an `int` in Python
            return {"id": None, "error": f"the id is {shown(number)}, not an integer up to 2^53 - 1 in size"}
        reply: dict[str, Any] = {"id": number}
        try:
            # Before a stream takes it, for what it has taken stays; else after, as answers have words of their own.
            fault = fault_of(message) if message["ask"] in _STREAM_ASKS else None
            answered = {} if fault else self._answer(message)
            if (fault := fault or fault_of(message)) is not None:
                raise BadCase(fault)
            return reply | {"answer": answered}
        except InvalidInput as invalid:
            return reply | {"error": "; ".join(d.headline for d in invalid.diagnostics)}
        except Unsupported as unsupported:
            return reply | {"unsupported": str(unsupported)}
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
        if ask in self._engine.left_out:
            raise Unsupported(self._engine.left_out[ask])
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
        # Counted over the stream, for a tester could send frames for ever, and verdicts that wait for a witness keep
        # the past.
        if self._frames + frames > LONGEST:
            raise BadCase(f"the stream has more than {LONGEST} frames")
        self._frames += frames
        return self._stream.push(frames, masks)


def serve(lines: Iterable[str], write: Callable[[str], object], engine: CaseEngine = REFERENCE) -> None:
    """Answer every line until there are no more, or a hello of another version; `write` gets one line at a time."""
    session = Session(engine)
    for line in lines:
        write(json.dumps(session.reply(line), ensure_ascii=False) + "\n")
        if session.ended:
            return


# `tracepact oracle`: the reference side of the oracle protocol on standard input and output.

ENGINES = {engine.name: engine for engine in (REFERENCE, FAST, LEAN)}


@click.command()
@earlier_name("--engine", "--evaluator")
@click.option(
    "--evaluator",
    "name",
    type=click.Choice(sorted(ENGINES)),
    default=REFERENCE.name,
    show_default=True,
    help="Answer from the definitions (reference), from the fast path (fast), or from the compiled proof core (lean).",
)
def command(name: str) -> None:
    """Answer cases, JSON lines on standard input, on standard output (spec/protocol.md), until the input ends."""
    if name == LEAN.name:
        try:
            core()
        # Said at once, and not as the answer to every case.
        except ProgramFault as fault:
            raise click.ClickException(str(fault)) from None

    def write(line: str) -> None:
        sys.stdout.write(line)
        sys.stdout.flush()

    serve(sys.stdin, write, ENGINES[name])
