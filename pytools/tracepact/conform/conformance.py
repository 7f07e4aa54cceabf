"""One conformance run: every vector of an implementation's profiles, random cases, then lines that are no case."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

from tracepact.conform.differential import GUIDED, experiments, explore, explore_sizes, nothing_kept
from tracepact.conform.findings import (
    CaseTally,
    Conformance,
    Finding,
    cited,
    compare_chunks,
    explained,
    fault_words,
    judge,
    local_peer,
)
from tracepact.conform.oracle import TOPICS, ConformanceProfile, Session, Vector, vectors_of
from tracepact.conform.peer import AnyPeer, Peer, PeerFault, printable
from tracepact.conform.protocol import FARTHEST, LONGEST

_MOST_HANGS = 3
"""After this many cases without an answer a stage is given up: each costs the whole time limit."""

_MOST_FAULTS = 30
"""After this many faults of the protocol, which each cost a new process, a stage is given up."""


class _TimeOver(BaseException):
    """Ends an experiment at once, past Hypothesis: the time of the run is over."""


def conform(
    command: Sequence[str],
    *,
    profiles: Sequence[ConformanceProfile] | None = None,
    examples: int = 100,
    seed: int = 0,
    timeout: float = 10.0,
    seconds: float = float("inf"),
    with_vectors: bool = True,
    long: bool = False,
    only: Sequence[Vector] | None = None,
    may_leave_out: bool = False,
    peer: AnyPeer | None = None,
    python: str | None = None,
    progress: Callable[[str, int], None] = lambda what, count: None,
) -> Conformance:
    """Test the implementation that a command starts, one in a file of `python`, or another `peer`.

    `profiles` narrows what it claims to support.

    `examples` cases are drawn for each experiment; with none Hypothesis is not needed. `long` draws larger ones too.
    `only` are cases to ask in place of all vectors and random cases. With `may_leave_out` an implementation may conform
    that did not answer every case. No case is begun after `seconds`, but what was
    found by then is still shrunk. `progress` is told the stage and the number of cases asked in it.
    """
    clock = _Clock(seconds)
    outcome = Conformance(
        tuple(command), python or command[0], (), seed, examples, python=python, may_leave_out=may_leave_out
    )
    # A missing Hypothesis is to be said at once, and not after all vectors were asked.
    if examples and only is None:
        for profile in ConformanceProfile:
            experiments(profile)
    try:
        peer = peer or (local_peer(python) if python else Peer(command, timeout))
        peer.start()
    except PeerFault as fault:
        outcome.findings.append(Finding(fault.kind, fault.words, origin="hello"))
        outcome.stopped = fault.words if fault.kind == "bad-hello" else "it never said hello"
        return outcome
    outcome.name = peer.name
    outcome.supported = tuple(p for p in ConformanceProfile if p in peer.profiles)
    outcome.asked = None if profiles is None else tuple(p for p in ConformanceProfile if p in profiles)
    outcome.profiles = tuple(p for p in outcome.supported if outcome.asked is None or p in outcome.asked)
    try:
        if with_vectors or only is not None:
            _vectors(peer, outcome, vectors_of(outcome.profiles) if only is None else only, clock, progress)
        if examples and only is None:
            with nothing_kept():
                _random(peer, outcome, long, clock, progress)
        if only is None:
            outcome.findings += outcome.refused()
        # Last, for a program that takes a bad line for its end would leave everything else unasked. Not after a stop: a
        # program that hangs would do so again.
        if isinstance(peer, Peer) and only is None and outcome.tested and outcome.stopped is None:
            outcome.findings += malformed(peer, outcome.profiles, outcome.seed)
        if peer.runs:
            peer.close()
    except PeerFault as fault:
        outcome.findings.append(Finding(fault.kind, fault.words, origin="end"))
    finally:
        peer.kill()
    return outcome


class _Clock:
    """The time that a run has."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        """Whether all of it has passed."""
        return time.monotonic() >= self._end


def _vectors(
    peer: AnyPeer,
    outcome: Conformance,
    vectors: Sequence[Vector],
    clock: _Clock,
    progress: Callable[[str, int], None],
) -> None:
    stage = _Stage(outcome, "vectors", clock)
    order = {vector.id: number for number, vector in enumerate(vectors)}
    # In an order of its own in every run, so that a place in it tells nothing; findings keep that of the files.
    vectors = Random(f"{outcome.seed} vectors").sample(vectors, len(vectors))
    try:
        _each_vector(peer, outcome, vectors, stage, clock, progress)
    finally:
        outcome.findings.sort(key=lambda finding: order.get(finding.vector.id, -1) if finding.vector else -1)
        outcome.vectors = dict(sorted(outcome.vectors.items(), key=lambda item: TOPICS.index(item[0])))


def _each_vector(
    peer: AnyPeer,
    outcome: Conformance,
    vectors: Sequence[Vector],
    stage: "_Stage",
    clock: "_Clock",
    progress: Callable[[str, int], None],
) -> None:
    for number, vector in enumerate(vectors):
        if clock.is_over:
            stage.stop(f"{len(vectors) - number} of {len(vectors)} were not asked")
            return
        progress("vectors", number)
        case_tally = CaseTally()
        finding = judge(peer, vector, case_tally)
        outcome.vectors.setdefault(vector.topic, CaseTally()).add(case_tally)
        outcome.count_share(vector.profile, "vectors", case_tally)
        outcome.count_rules(vector, case_tally)
        if finding is not None:
            outcome.findings.append(explained(partial(compare_chunks, peer), finding, "its chunks were not compared"))
            if stage.is_given_up(finding) and number + 1 < len(vectors):
                stage.stop(f"{len(vectors) - number - 1} of {len(vectors)} were not asked")
                return


def _random(
    peer: AnyPeer, outcome: Conformance, long: bool, clock: _Clock, progress: Callable[[str, int], None]
) -> None:
    stage = _Stage(outcome, "random cases", clock)
    planned = list(_experiments(outcome.profiles, long))
    for number, (profile, experiment, look) in enumerate(planned, start=1):
        if clock.is_over:
            stage.stop(_unfinished(len(planned) - number + 1, planned))
            return
        tally = outcome.random.setdefault(experiment, CaseTally())

        def tick(name: str = experiment, tally: CaseTally = tally) -> None:
            progress(name, tally.asked)
            if clock.is_over:
                raise _TimeOver

        try:
            finding = look(
                peer, profile, experiment, examples=outcome.examples, seed=outcome.seed, tally=tally, tick=tick
            )
        except _TimeOver:
            stage.stop(_unfinished(len(planned) - number + 1, planned))
            return
        except Exception as error:  # noqa: BLE001  (what was found before it, and what can still be found, counts)
            outcome.count_share(profile, "random cases", tally)
            stage.leave_out(f"the experiment `{experiment}` was left out: {fault_words(error)}")
            continue
        outcome.count_share(profile, "random cases", tally)
        if finding is not None:
            finding = explained(cited, finding, "the rules of its parts are not cited")
            outcome.findings.append(finding)
            if finding.vector is not None:
                outcome.count_rules(finding.vector, CaseTally(failed=1))
            if stage.is_given_up(finding) and number < len(planned):
                stage.stop(_unfinished(len(planned) - number, planned))
                return


def _unfinished(left: int, planned: Sequence[object]) -> str:
    return f"{left} of {len(planned)} experiments were not finished"


def _experiments(
    profiles: Sequence[ConformanceProfile], long: bool
) -> Iterator[tuple[ConformanceProfile, str, Callable[..., Finding | None]]]:
    """Small cases, then those at the boundaries of sizes, profile by profile."""
    for profile in profiles:
        # Small ones first: most faults show in them, and what they find is easier to read.
        yield from ((profile, name, partial(explore, long=long)) for name in experiments(profile))
        yield from ((profile, name, partial(explore_sizes, long=long)) for name in GUIDED[profile])


class _Stage:
    """The vectors or the random cases of a run: how many faults of the protocol there were in it."""

    def __init__(self, outcome: Conformance, name: str, clock: _Clock) -> None:
        self._outcome = outcome
        self._name = name
        self._clock = clock
        self._hangs = self._faults = 0

    def is_given_up(self, finding: Finding) -> bool:
        """Whether this finding is one fault too many (P12)."""
        self._hangs += finding.kind == "hangs"
        # A wrong answer costs nothing more than a right one; only what ends the process counts.
        self._faults += finding.kind not in ("wrong-answer", "error")
        return self._hangs >= _MOST_HANGS or self._faults >= _MOST_FAULTS

    def stop(self, rest: str) -> None:
        """Say in the outcome that this stage was stopped, why, and what it leaves out."""
        if self._hangs >= _MOST_HANGS:
            why = f"{self._hangs} cases without an answer"
        elif self._faults >= _MOST_FAULTS:
            why = f"{self._faults} faults"
        else:
            why = f"{self._clock.seconds:g} s"
        self.leave_out(f"after {why} among the {self._name}: {rest}")

    def leave_out(self, words: str) -> None:
        """Say in the outcome that something was not tested: then the implementation cannot conform."""
        self._outcome.stopped = "; ".join(filter(None, (self._outcome.stopped, words)))


# Lines that are no case (P8, P19): the reply to each is an `error`, and the implementation goes on as before.

Message = dict[str, Any]
_NUMBER = 1 << 30
"""The id of the first line; no case has it."""

_SHOWN = 200
_ORIGIN = "lines that are no cases"
_CLIP: Message = {"frames": 2, "masks": {"p": "01", "q": "11"}}
_RUNS = [[0, 2], [3, 5]]
_SEARCH = {"kind": "greedy", "search": "1", "overlap_reward": "0.5"}
_NO_RUNS: tuple[Any, ...] = (
    [[2, 2]],
    [[3, 2]],
    [[3, 5], [0, 2]],
    [[0, 3], [2, 5]],
    [[-1, 2]],
    [[0]],
    [0, 2],
    "0",
    None,
)
_NO_TIME: tuple[Any, ...] = ("x", "1/0", "1e3", "", None, [], "-1")
_NO_STEP: tuple[Any, ...] = ("0", "0/3", *_NO_TIME)
_NO_MASK: tuple[Any, ...] = ("02", "0 1", None, 1, ["0", "1"])
_NO_FORMULA: tuple[Any, ...] = (
    *(
        1,
        None,
        {},
        [],
        ["xor", "p", "q"],
        ["not"],
        ["not", "p", "q"],
        ["and", "p"],
        ["and", "p", "q", "p"],
        "1p",
        "a b",
        "",
    ),
    *(
        ["F", 1, 0, "p"],
        ["F", 0, "p"],
        ["F", 0, 1, "p", "q"],
        ["G", "0", 1, "p"],
        ["G", 0, 1.5, "p"],
        ["F", True, 1, "p"],
    ),
    *(["F", 0, FARTHEST + 1, "p"], ["G", -FARTHEST - 1, 0, "p"], ["F", 0, 1 << 64, "p"], ["U", FARTHEST + 1, "p", "q"]),
    *(["U", -1, "p", "q"], ["S", -1, "p", "q"], ["U", 1, "p"], ["S", None, "p", "q"], ["and", "p", ["F", 2, 1, "q"]]),
)
_NO_CLIPS: tuple[Any, ...] = (
    *([], {}, None, [1], [{"masks": {"p": "01", "q": "11"}}], [{"frames": 2}], [{"frames": 2, "masks": {}}]),
    *([_CLIP | {"frames": n}] for n in (-1, 1, 3, LONGEST + 1, "2", 2.5, None)),
    *([_CLIP | {"masks": {"p": m, "q": "11"}}] for m in ("0", "011", *_NO_MASK)),
    *([_CLIP | {"ignored": m}] for m in ("0", "011", *_NO_MASK)),
    *([_CLIP, _CLIP | {"masks": {"p": "01"}}],),
)
_COUNTS = {"satisfied": 1, "obligated": 2}
_NO_COUNTS: tuple[Any, ...] = (
    *(
        {"satisfied": 3, "obligated": 2},
        {"satisfied": -1, "obligated": 2},
        {"satisfied": 0, "obligated": 1 << 63},
        {},
        1,
    ),
    *({"satisfied": 0.5, "obligated": 2}, {"obligated": 2}, {"satisfied": 1}, {"satisfied": "1", "obligated": 2}),
)
_SCORE = {"name": "a", "duration": "2", "ref": [["0", "1", "x"]], "pred": []}

Sound = tuple[Message, Mapping[str, Sequence[Any]]]
"""A case, and for each of its parts what it must not be."""

_SOUND: dict[ConformanceProfile, tuple[Sound, ...]] = {
    ConformanceProfile.TEXT: (
        ({"ask": "formula", "text": "p", "step": "1"}, {"step": _NO_STEP, "text": (None, 1, [])}),
        ({"ask": "contract", "text": "contract c"}, {"text": (None, 1, {})}),
    ),
    ConformanceProfile.CORE: (
        (
            {"ask": "verdicts", "formula": ["and", "p", "q"], "clips": [_CLIP]},
            {"formula": _NO_FORMULA, "clips": _NO_CLIPS},
        ),
        (
            {"ask": "clause", "obligation": "q", "formula": "p", "clips": [_CLIP]},
            {"obligation": _NO_FORMULA, "formula": _NO_FORMULA, "clips": _NO_CLIPS},
        ),
    ),
    ConformanceProfile.PAST: (
        ({"ask": "verdicts", "formula": ["S", 1, "p", "q"], "clips": [_CLIP]}, {"formula": _NO_FORMULA}),
    ),
    ConformanceProfile.EVENTS: (
        (
            {"ask": "project", "step": "1", "duration": "3", "projection": "centre", "events": [["0", "1"]]},
            {
                "step": _NO_STEP,
                "duration": (*_NO_TIME, str(LONGEST + 1)),
                "projection": ("center", None),
                "events": ([["0"]], [["x", "1"]], [[0, 1]], None, [1]),
            },
        ),
        ({"ask": "runs", "mask": "01", "step": "1", "merge_gap": "0"}, {"mask": _NO_MASK, "step": _NO_STEP}),
        (
            {"ask": "match", "step": "1", "ref": _RUNS, "pred": _RUNS, "matcher": _SEARCH},
            {"ref": _NO_RUNS, "pred": _NO_RUNS, "step": _NO_STEP, "matcher": ({**_SEARCH, "kind": "best"}, {}, None)},
        ),
        (
            {
                "ask": "events",
                "step": "1",
                "frames": 9,
                "each": "ref",
                "predicate": "matched",
                "ref": _RUNS,
                "pred": _RUNS,
            },
            {
                "ref": _NO_RUNS,
                "pred": _NO_RUNS,
                "step": _NO_STEP,
                "each": ("both", None),
                "frames": (4, -1, LONGEST + 1),
            },
        ),
    ),
    ConformanceProfile.STREAMING: (
        ({"ask": "measure", "formula": "p"}, {"formula": _NO_FORMULA}),
        (
            {"ask": "components", "step": "1", "merge_gap": "0", "search": "1", "ref": "01", "pred": "11"},
            {"step": _NO_STEP, "ref": ("0", *_NO_MASK), "pred": ("011", *_NO_MASK)},
        ),
        ({"ask": "lines", "text": "1 0", "channels": 1}, {"text": (None, 1), "channels": (0, -1, "1")}),
    ),
    ConformanceProfile.CHUNKS: (),
    ConformanceProfile.CONTRACTS: (
        (
            {"ask": "aggregate", "kind": "event", "entries": [[_COUNTS]]},
            {
                "kind": ("clip", None),
                "entries": ([], [[]], [[_COUNTS], []], [[_COUNTS], [_COUNTS, _COUNTS]], *([[x]] for x in _NO_COUNTS)),
            },
        ),
        (
            {"ask": "score", "contract": "contract c step 1s clause k on true : true", "clips": [_SCORE]},
            {
                "contract": (None, 1),
                "mode": ("both", 1),
                "clips": (
                    *([], [_SCORE, _SCORE], [1], None, [{**_SCORE, "duration": "x"}], [{**_SCORE, "ref": 1}]),
                    *([{k: v for k, v in _SCORE.items() if k != key}] for key in _SCORE),
                ),
            },
        ),
    ),
}
_OPEN: Message = {
    "ask": "open",
    "want": ["out", "counts"],
    "clauses": [{"obligation": "q", "formula": ["F", 0, 1, "p"]}],
}
_FRAME: Message = {"ask": "frame", "values": {"p": False, "q": True}}
_CHUNK: Message = {"ask": "chunk", **_CLIP}
_CLOSE: Message = {"ask": "close"}
_NO_CLAUSES: tuple[Any, ...] = ([], None, [{}], [{"obligation": True}], [{"formula": "p"}], [1])
_NO_OPENS = (
    *(_OPEN | {"clauses": clauses} for clauses in _NO_CLAUSES),
    *(_OPEN | {"clauses": [{"obligation": True, "formula": tree}]} for tree in _NO_FORMULA),
)
_NO_FRAMES = tuple(
    {"ask": "frame", "values": values} for values in ({}, {"p": 1}, {"p": 2, "q": 1}, {"p": "1", "q": 1}, None, [0, 1])
)
# A chunk has no key `ignored`, so a value there, whatever it is, is no fault.
_CLIPS_ALONE = [clips[0] for clips in _NO_CLIPS if isinstance(clips, list) and clips and isinstance(clips[0], dict)]
_NO_CHUNKS = (
    *({"ask": "chunk", **clip} for clip in _CLIPS_ALONE if "ignored" not in clip and clip != _CLIP),
    {"ask": "chunk", "frames": 0, "masks": {"p": "", "q": ""}},
)


def damaged(profile: ConformanceProfile) -> Iterator[Message]:
    """The cases of a profile with one part that is not of the form, or without one."""
    for case, parts in _SOUND[profile]:
        yield from (
            {key: value for key, value in case.items() if key != part}
            for part in parts
            if part in case and part != "channels"
        )
        yield from (case | {part: value} for part, values in parts.items() for value in values)
    if profile in (ConformanceProfile.STREAMING, ConformanceProfile.CHUNKS):
        # No stream is open here, so all of these but `open` are out of place.
        yield from (_FRAME, _CHUNK, _CLOSE, {"ask": "interrupt"}, *_NO_OPENS)
    yield from ({"ask": "everything"}, {"ask": None}, {"want": []})


def _script(profile: ConformanceProfile) -> Iterator[Message]:
    """A sound stream with faulty messages in it: none of them changes anything."""
    sound, faulty = (_FRAME, _NO_FRAMES) if profile is ConformanceProfile.STREAMING else (_CHUNK, _NO_CHUNKS)
    yield from (_OPEN, sound)
    for bad in (*faulty, *_NO_OPENS[:3]):
        yield from (bad, sound)
    yield _CLOSE


def malformed(peer: Peer, profiles: Sequence[ConformanceProfile], seed: int = 0) -> Iterator[Finding]:
    """Send lines that are not JSON or not objects, without an id, or with no sound case; what is wrong then."""
    for line in (
        '{"id": 1, "ask": ',
        "[1, 2]",
        '{"id": 1.5, "ask": "measure"}',
        '{"id": "1", "ask": "measure"}',
        "NaN",
    ):
        yield from _told(peer, line, {"id": None, "error": ""})
    for profile in profiles:
        reference = Session()
        cases = [case for case in damaged(profile) if case.get("ask") != "open" or profile in _STREAMS]
        Random(f"{seed} {profile.value}").shuffle(cases)
        # The stream comes first: of the rest some leave a stream open in a program that takes them for sound.
        for number, message in enumerate([*(_script(profile) if profile in _STREAMS else ()), *cases], start=_NUMBER):
            line = json.dumps({"id": number, **message})
            findings = list(_told(peer, line, reference.reply(line)))
            yield from findings
            if findings:  # one of a profile: the rest may follow from it
                break


_STREAMS = (ConformanceProfile.STREAMING, ConformanceProfile.CHUNKS)


def _told(peer: Peer, line: str, expected: Mapping[str, Any]) -> Iterator[Finding]:
    words = f"to the line `{printable(line)[:_SHOWN]}`, which is {'no' if 'error' in expected else 'a sound'} case,"
    try:
        if not peer.runs:
            peer.start()
        reply = peer.tell(line)
    except PeerFault as fault:
        yield Finding(fault.kind, f"{words} {fault.words} (P8)", origin=_ORIGIN)
        return
    said = printable(json.dumps(reply))[:_SHOWN]
    if "error" not in expected:
        if reply != expected and "unsupported" not in reply:
            words = f"{words} it replied `{said}`: a line before it that is no case has changed something (P8)"
            yield Finding("wrong-answer", words, origin=_ORIGIN)
        return
    good = "id" in reply and reply["id"] == expected["id"] and isinstance(reply.get("error"), str)
    # What it cannot express it need not look into, so `unsupported` is a reply to an object with an id.
    good = good or (expected["id"] is not None and reply.keys() == {"id", "unsupported"})
    if not good or "answer" in reply:
        words = f"{words} it replied `{said}`, not an `error` with the id {json.dumps(expected['id'])} (P8)"
        yield Finding("rubbish", words, origin=_ORIGIN)
