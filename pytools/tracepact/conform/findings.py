"""What a conformance run found, with the rules it cites; one case asked and judged, here or as a bad line."""

import importlib.util
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any, Literal

from tracepact.conform.engines import pushes
from tracepact.conform.oracle import ConformanceProfile, Vector, differences
from tracepact.conform.peer import AnyPeer, FaultKind, PeerFault, case_id, check_reply, greeted, hello, printable
from tracepact.diagnostics.findings import CODES

# What a conformance run found: findings as data, and the asking and judging of one case.

_LONGEST_REASON = 200
CaseGroup = Literal["vectors", "random cases"]
FindingKind = FaultKind | Literal["wrong-answer", "error", "unstable", "unsupported"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something an implementation did that the language or the protocol does not allow.

    `kind` is `wrong-answer`, `error`, `unsupported`, or the kind of a PeerFault. `parts` are the parts of the answer
    that differ.
    """

    kind: FindingKind
    words: str
    vector: Vector | None = None
    answered: Mapping[str, Any] | None = None
    parts: tuple[str, ...] = ()
    origin: str = "vectors"

    def noting(self, what: str, error: Exception) -> "Finding":
        """The same finding, its words with what could not be done about it, and why."""
        return replace(self, words=f"{self.words}; {what}: {fault_words(error)}")


def fault_words(error: Exception) -> str:
    """What went wrong inside the program, beside what it was about."""
    return f"{type(error).__name__}: {error}"


def explained(explain: Callable[[Finding], Finding], finding: Finding, otherwise: str) -> Finding:
    """The finding made smaller or clearer; as it is, with a note, if that goes wrong."""
    # What an implementation did wrong is worth more than how it is shown: nothing that fails here may lose it.
    try:
        return explain(finding)
    except Exception as error:  # noqa: BLE001
        return finding.noting(otherwise, error)


@dataclass(slots=True)
class CaseTally:
    """How many cases were asked, and how they went."""

    passed: int = 0
    failed: int = 0
    unsupported: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    ids: list[str] = field(default_factory=list)
    """The vectors among those that passed; a drawn case has no name that outlives its run."""

    @property
    def asked(self) -> int:
        """All of them."""
        return self.answered + self.unsupported

    @property
    def answered(self) -> int:
        """Those that were not unsupported."""
        return self.passed + self.failed

    def add(self, other: "CaseTally") -> None:
        """Count what another one has counted."""
        self.passed += other.passed
        self.failed += other.failed
        self.unsupported += other.unsupported
        self.reasons += other.reasons
        self.ids += other.ids

    def leave_out(self, reason: str) -> None:
        """Count an unsupported case with the reason given for it."""
        self.unsupported += 1
        self.reasons[printable(reason.strip())[:_LONGEST_REASON] or "no reason given"] += 1


@dataclass(slots=True)
class Conformance:
    """The outcome of a run against one implementation.

    `profiles` were tested: those `supported` by the implementation and `asked` for, where not all are.
    """

    command: tuple[str, ...]
    name: str
    profiles: tuple[ConformanceProfile, ...]
    seed: int
    examples: int
    vectors: dict[str, CaseTally] = field(default_factory=dict)
    random: dict[str, CaseTally] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    stopped: str | None = None
    supported: tuple[ConformanceProfile, ...] = ()
    asked: tuple[ConformanceProfile, ...] | None = None
    rules: dict[tuple[ConformanceProfile, str], CaseTally] = field(default_factory=dict)
    python: str | None = None
    may_leave_out: bool = False
    """Whether it may conform although some cases were unsupported."""
    shares: dict[tuple[ConformanceProfile, CaseGroup], CaseTally] = field(default_factory=dict)

    @property
    def implementation(self) -> tuple[str, ...]:
        """The arguments that name it on the command line of `conform`."""
        return ("--python", self.python) if self.python else ("--", *self.command)

    def count_share(self, profile: ConformanceProfile, group: CaseGroup, tally: CaseTally) -> None:
        """Count the cases of a profile."""
        self.shares.setdefault((profile, group), CaseTally()).add(tally)

    def refused(self) -> Iterator[Finding]:
        """A profile of whose vectors, or of whose random cases, fewer than half were answered (P22)."""
        # A table of the published vectors passes every one of them: what tells it from an implementation is that it
        # refuses cases which are like them.
        for (profile, group), tally in self.shares.items():
            if not self.tested or 2 * tally.answered >= tally.asked:
                continue
            vectors = self.shares.get((profile, "vectors"), CaseTally())
            words = f"it answered {tally.answered} of {tally.asked} {group} of the profile `{profile.value}`"
            if group != "vectors" and 0 < vectors.asked <= 2 * vectors.answered:
                words += f", and {vectors.answered} of {vectors.asked} vectors: it refuses cases like those it answers"
            yield Finding("unsupported", f"{words}; a profile it names needs at least half (P22)", origin="shares")

    def count_rules(self, vector: Vector, tally: CaseTally) -> None:
        """Count a case for every rule it shows, under its profile."""
        for rule in vector.rules:
            self.rules.setdefault((vector.profile, rule), CaseTally()).add(tally)

    @property
    def left_out(self) -> tuple[ConformanceProfile, ...]:
        """The profiles that were asked for by name and are not supported: nothing is known of them."""
        return tuple(profile for profile in self.asked or () if profile not in self.supported)

    @property
    def conforms(self) -> bool:
        """Whether something was tested, nothing was found or left out without leave, and the run came to its end."""
        whole = self.may_leave_out or not self.reasons
        return self.tested and whole and not self.findings and self.stopped is None

    @property
    def tested(self) -> bool:
        """Whether any case was answered; without one the run says nothing about the implementation."""
        return any(tally.answered for tally in self._tallies())

    @property
    def reasons(self) -> Counter[str]:
        """How often each reason was given for an unsupported case."""
        return sum((tally.reasons for tally in self._tallies()), Counter())

    def _tallies(self) -> tuple[CaseTally, ...]:
        return (*self.vectors.values(), *self.random.values())


def put(peer: AnyPeer, case: Mapping[str, Any], want: tuple[str, ...]) -> dict[str, Any]:
    """The reply to a case; a stream is played frame by frame, or chunk by chunk."""
    if case["ask"] != "stream":
        return peer.ask({**case, "want": list(want)})
    opening = {"ask": "open", "want": list(want), "clauses": case["clauses"]}
    chunked = "chunks" in case
    arriving = [_arrival(number, frames, masks, chunked) for number, (frames, masks) in enumerate(pushes(case))]
    before = [opening, *arriving[: case["reopen"]]] if case.get("reopen") else []
    # A place may be named twice: a state that was just restored is saved again before anything arrives.
    interrupted = Counter(case.get("interrupt", ()))
    said: list[dict[str, Any]] = []
    # A stream that is opened while another is open begins anew: what was pushed before may leave no trace.
    for message in (*before, opening):
        reply = peer.ask(message)
        if "answer" not in reply:
            return reply
    for number, message in enumerate([*arriving, {"ask": "close"}]):
        for request in [{"ask": "interrupt"}] * interrupted[number] + [message]:
            reply = peer.ask(request)
            if "answer" not in reply:
                return reply
        said.append(reply["answer"])
    return {"answer": {key: [answer.get(key) for answer in said] for key in want if _said(key, said)}}


def _arrival(number: int, frames: int, masks: Mapping[str, str], chunked: bool) -> dict[str, Any]:
    """A chunk, or a frame; every second frame has its values as 1 and 0, which is allowed as well (P9)."""
    if chunked:
        return {"ask": "chunk", "frames": frames, "masks": dict(masks)}
    kind = int if number % 2 else bool
    return {"ask": "frame", "values": {name: kind(int(mask)) for name, mask in masks.items()}}


def _said(key: str, answers: Sequence[Mapping[str, Any]]) -> bool:
    return any(key in answer for answer in answers)


def judge(peer: AnyPeer, vector: Vector, tally: CaseTally, origin: str = "vectors") -> Finding | None:
    """Ask a vector's case and compare; None if the answer holds or the case is unsupported."""
    if not peer.runs:
        peer.start()
    try:
        reply = put(peer, vector.input, tuple(vector.expected))
    except PeerFault as fault:
        tally.failed += 1
        return Finding(fault.kind, fault.words, vector, origin=origin)
    if "unsupported" in reply:
        tally.leave_out(reply["unsupported"])
        return None
    if "error" in reply:
        tally.failed += 1
        return Finding("error", f"it says: {printable(reply['error'][:_LONGEST_REASON])}", vector, origin=origin)
    parts = tuple(differences(vector.expected, reply["answer"]))
    if not parts:
        tally.passed += 1
        if not vector.is_found:
            tally.ids.append(vector.id)
        return None
    tally.failed += 1
    return Finding("wrong-answer", _words(parts, reply["answer"]), vector, reply["answer"], parts, origin)


def _words(parts: Sequence[str], answered: Mapping[str, Any]) -> str:
    """Which parts of an answer differ, and which are not there."""
    other = [part for part in parts if part in answered]
    missing = [f"`{part}`" for part in parts if part not in answered]
    said = [f"{' and '.join(other)} {'differ' if len(other) > 1 else 'differs'}"] if other else []
    return "; ".join([*said, f"missing {' and '.join(missing)}"] if missing else said)


def compare_chunks(peer: AnyPeer, finding: Finding) -> Finding:
    """The finding, which says if the verdicts of a stream are others when its frames come in other chunks (12.11)."""
    vector = finding.vector
    if vector is None or "chunks" not in vector.input or finding.kind != "wrong-answer":
        return finding
    frames = int(vector.input["trace"]["frames"])
    said: list[dict[tuple[int, int], str]] = []
    # The two extremes: an implementation that keeps state per chunk differs most between them.
    for chunks in ([1] * frames, [frames]):
        try:
            if not peer.runs:  # a smaller case may have ended it
                peer.start()
            reply = put(peer, {**vector.input, "chunks": chunks, "interrupt": (), "reopen": 0}, ("out",))
            said.append({(i, k): word for out in reply["answer"]["out"] for i, k, word in out})
        except (PeerFault, KeyError, TypeError, ValueError):
            return finding  # what it answers is not a stream of verdicts, and that is found elsewhere
    apart, together = said
    for i, k in sorted(apart.keys() & together.keys()):
        if apart[i, k] != together[i, k]:
            where = f"frame {i} clause {k} is {apart[i, k]} one frame at a time, {together[i, k]} in one chunk"
            return replace(finding, words=f"{finding.words}; its verdicts depend on the chunks: {where}")
    return finding


# The rules a finding on a whole contract speaks of: of the parts that differ, their codes, the clauses in them.

_PARTS = {
    "name": ("3.1",),
    "title": ("3.1", "11.6"),
    "step": ("3.2",),
    "merge_gap": ("3.4",),
    "projection": ("3.8",),
    "aggregation": ("3.6",),
    "soft_scale": ("3.8",),
    "labels": ("3.8",),
    "matcher": ("3.7",),
    "canonical": ("11.1", "11.4"),
    "digest": ("11.3",),
    "vector": ("7.2", "7.5"),
    "counts": ("7.1",),
    "vacuous": ("7.3", "7.4"),
    "aggregations": ("7.5",),
    "logic": ("7.7",),
    "profiles": ("3.11", "7.8"),
    "soft": ("7.9",),
    "sweeps": ("3.5",),
    "pairs": ("7.6", "8.1", "8.5"),
    "witnesses": ("7.6", "10.1", "10.6"),
}
"""The parts of an answer to `contract` and `score`, and the rules that say what they are."""

_WRITTEN = (
    (r"\bU\[", "6.4"),
    (r"\bS\[", "6.5"),
    (r"\b[FN]\[", "6.2"),
    (r"\bG\[", "6.3"),
    (r"_(onset|offset)\b", "5.6"),
    (r"\bother_", "5.7"),
    (r"\beach\b", "9.1"),
    (r"\.(onset|offset|duration)\b", "4.5"),
    (r"\bmatched\b(?! *:)", "4.6"),
    (r"\b(overlap|iou)\b", "4.7"),
    (r"\b(covering|coverage)\b", "4.8"),
    (r"_gap\b", "4.9"),
    (r"\b(purity|dominant)\b", "4.10"),
)
"""What is written in a clause, and the rule that gives its meaning."""


def cited(finding: Finding) -> Finding:
    """A finding on a contract with the rules of what differs; any other as it is."""
    vector = finding.vector
    if vector is None or vector.input["ask"] not in ("contract", "score") or not finding.parts:
        return finding
    answered = finding.answered or {}
    rules = set(vector.rules)
    for part in finding.parts:
        want, got = vector.expected.get(part), answered.get(part)
        rules |= set(_PARTS.get(part, ())) | _of_codes(want, got) | _of_clauses(_text(vector.input), want, got)
    return replace(finding, vector=replace(vector, rules=tuple(sorted(rules, key=_place))))


def _text(case: Mapping[str, Any]) -> str:
    return str(case["contract"] if case["ask"] == "score" else case["text"])


def _place(rule: str) -> list[int]:
    return [int(number) for number in rule.split(".")]


def _of_codes(want: Any, got: Any) -> set[str]:
    """The rules of the codes that one side has and the other lacks, or has elsewhere."""
    # Both ways: a fault that is reported wrongly is as much about its rule as one that is missed.
    apart = [
        fault for ours, theirs in ((want, got), (got, want)) for fault in _faults(ours) if fault not in _faults(theirs)
    ]
    codes = [fault["code"] if isinstance(fault, Mapping) else fault for fault in apart]
    return {rule for code in codes if code in CODES for rule in CODES[code].rules}


def _faults(faults: Any) -> list[Any]:
    some = faults if isinstance(faults, list) else []
    return [
        one for one in some if isinstance(one, str) or (isinstance(one, Mapping) and isinstance(one.get("code"), str))
    ]


def _of_clauses(text: str, want: Any, got: Any) -> set[str]:
    """The rules of what is written in the clauses that one side has otherwise."""
    bodies = {m[1]: m[0] for m in re.finditer(r"\bclause\s+(\w+)\s+on\b.*?(?=\bclause\s|\n|\Z)", text, re.ASCII)}
    written = [bodies[name] for name in _clauses(want, got) if name in bodies]
    return {rule for body in written for pattern, rule in _WRITTEN if re.search(pattern, body)}


def _clauses(want: Any, got: Any) -> Iterable[str]:
    if isinstance(want, Mapping) and isinstance(got, Mapping):
        return [name for name in want if want[name] != got.get(name)]
    if isinstance(want, list) and isinstance(got, list):
        apart = [one for ours, theirs in ((want, got), (got, want)) for one in ours if one not in theirs]
        return {one["clause"] for one in apart if isinstance(one, Mapping) and isinstance(one.get("clause"), str)}
    return ()


# An implementation in Python, asked in this process: no pipe, and the branches it takes are seen.

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
        self._asked = 0
        self.name = "a function"
        self.profiles: frozenset[ConformanceProfile] = frozenset()

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
        self._asked += 1
        number = case_id(self._asked)
        try:
            reply = self._exchange({"id": number, **case})
            check_reply(reply, number)
        except PeerFault:
            self.kill()
            raise
        return reply

    def _exchange(self, message: dict[str, Any]) -> dict[str, Any]:
        assert self._reply is not None
        # Through JSON and back, as over a pipe: an implementation cannot change the case, nor answer with what JSON
        # lacks.
        text = json.dumps(message)
        received = json.loads(text)
        before = len(self._seen)
        # Another tracer, such as that of a coverage run or of a debugger, is left in place.
        tracer = sys.gettrace()
        if self._file is not None and tracer is None and len(text) <= _TRACED:
            sys.settrace(self._trace)
        try:
            reply = json.loads(json.dumps(self._reply(received)))
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
                # Pairs of lines, as in the edges of coverage-guided fuzzers: the same line reached another way is news.
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
    # As `python monitor.py` would find what lies beside it.
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
        make = getattr(module, name or "monitor")
    except Exception as error:  # noqa: BLE001  (whatever it raises is its fault)
        raise PeerFault("no-start", f"`{place}` cannot be loaded: {type(error).__name__}: {error}") from None
    finally:
        sys.path[:] = before
    return LocalPeer(make, str(path))
