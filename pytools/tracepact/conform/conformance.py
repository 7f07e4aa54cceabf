"""One conformance run: every vector of the implementation's profiles, then random differential testing."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random

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
from tracepact.conform.malformed import malformed
from tracepact.conform.oracle import TOPICS, ConformanceProfile, Vector, vectors_of
from tracepact.conform.peer import AnyPeer, Peer, PeerFault

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
