"""What a conformance run found: findings as data, and the asking and judging of one case."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tracepact.tools.conform.peer import AnyPeer, FaultKind, PeerFault, printable
from tracepact.tools.conform.streaming import pushes
from tracepact.tools.conform.vectors import Profile, Vector, differences

_LONGEST_REASON = 200
FindingKind = FaultKind | Literal["wrong-answer", "error", "unstable"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something an implementation did that the language or the protocol does not allow.

    `kind` is `wrong-answer`, `error`, or the kind of a PeerFault. `parts` are the parts of the answer that differ.
    """

    kind: FindingKind
    words: str
    vector: Vector | None = None
    answered: Mapping[str, Any] | None = None
    parts: tuple[str, ...] = ()
    origin: str = "vectors"


@dataclass(slots=True)
class Tally:
    """How many cases were asked, and how they went."""

    passed: int = 0
    failed: int = 0
    unsupported: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def asked(self) -> int:
        """All of them."""
        return self.answered + self.unsupported

    @property
    def answered(self) -> int:
        """Those that were not unsupported."""
        return self.passed + self.failed

    def add(self, other: "Tally") -> None:
        """Count what another one has counted."""
        self.passed += other.passed
        self.failed += other.failed
        self.unsupported += other.unsupported
        self.reasons += other.reasons

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
    profiles: tuple[Profile, ...]
    seed: int
    examples: int
    vectors: dict[str, Tally] = field(default_factory=dict)
    random: dict[str, Tally] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    stopped: str | None = None
    supported: tuple[Profile, ...] = ()
    asked: tuple[Profile, ...] | None = None
    rules: dict[tuple[Profile, str], Tally] = field(default_factory=dict)
    python: str | None = None

    @property
    def implementation(self) -> tuple[str, ...]:
        """The arguments that name it on the command line of `conform`."""
        return ("--python", self.python) if self.python else ("--", *self.command)

    def count_rules(self, vector: Vector, tally: Tally) -> None:
        """Count a case for every rule it shows, under its profile."""
        for rule in vector.rules:
            self.rules.setdefault((vector.profile, rule), Tally()).add(tally)

    @property
    def left_out(self) -> tuple[Profile, ...]:
        """The profiles that were asked for by name and are not supported: nothing is known of them."""
        return tuple(profile for profile in self.asked or () if profile not in self.supported)

    @property
    def conforms(self) -> bool:
        """Whether something was tested, nothing was found and the run came to its end."""
        return self.tested and not self.findings and self.stopped is None

    @property
    def tested(self) -> bool:
        """Whether any case was answered; without one the run says nothing about the implementation."""
        return any(tally.answered for tally in self._tallies())

    @property
    def reasons(self) -> Counter[str]:
        """How often each reason was given for an unsupported case."""
        return sum((tally.reasons for tally in self._tallies()), Counter())

    def _tallies(self) -> tuple[Tally, ...]:
        return (*self.vectors.values(), *self.random.values())


def put(peer: AnyPeer, case: Mapping[str, Any], want: tuple[str, ...]) -> dict[str, Any]:
    """The reply to a case; a stream is played frame by frame, or chunk by chunk."""
    if case["ask"] != "stream":
        return peer.ask({**case, "want": list(want)})
    opening = {"ask": "open", "want": list(want), "clauses": case["clauses"]}
    chunked = "chunks" in case
    arriving = [_arrival(number, frames, masks, chunked) for number, (frames, masks) in enumerate(pushes(case))]
    before = [opening, *arriving[: case["reopen"]]] if case.get("reopen") else []
    interrupted = Counter(case.get("interrupt", ()))
    said: list[dict[str, Any]] = []
    for message in (*before, opening):
        reply = peer.ask(message)
        if "answer" not in reply:
            return reply
    for number, message in enumerate([*arriving, {"ask": "close"}]):
        for asked in [{"ask": "interrupt"}] * interrupted[number] + [message]:
            reply = peer.ask(asked)
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


def judge(peer: AnyPeer, vector: Vector, tally: Tally, origin: str = "vectors") -> Finding | None:
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
