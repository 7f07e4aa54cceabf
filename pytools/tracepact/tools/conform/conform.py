"""One conformance run: every vector of the implementation's profiles, then random differential testing."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from tracepact.tools.conform.citing import cited
from tracepact.tools.conform.differential import experiments, explore, nothing_kept
from tracepact.tools.conform.findings import Conformance, Finding, Tally, compare_chunks, judge
from tracepact.tools.conform.guided import GUIDED, explore_sizes
from tracepact.tools.conform.local import local_peer
from tracepact.tools.conform.malformed import malformed
from tracepact.tools.conform.peer import AnyPeer, Peer, PeerFault
from tracepact.tools.conform.vectors import Profile, Vector, vectors_of

_MOST_HANGS = 3
"""After this many cases without an answer a stage is given up: each costs the whole time limit."""

_MOST_FAULTS = 30
"""After this many faults of the protocol, which each cost a new process, a stage is given up."""


class _TimeOver(BaseException):
    """Ends an experiment at once, past Hypothesis: the time of the run is over."""


def conform(
    command: Sequence[str],
    *,
    profiles: Sequence[Profile] | None = None,
    examples: int = 100,
    seed: int = 0,
    timeout: float = 10.0,
    seconds: float = float("inf"),
    with_vectors: bool = True,
    long: bool = False,
    only: Sequence[Vector] | None = None,
    peer: AnyPeer | None = None,
    python: str | None = None,
    progress: Callable[[str, int], None] = lambda what, count: None,
) -> Conformance:
    """Test the implementation that a command starts, one in a file of `python`, or another `peer`.

    `profiles` narrows what it claims to support.

    `examples` cases are drawn for each experiment; with none Hypothesis is not needed. `long` draws larger ones too.
    `only` are cases to ask in place of all vectors and random cases. No case is begun after `seconds`, but what was
    found by then is still shrunk. `progress` is told the stage and the number of cases asked in it.
    """
    clock = _Clock(seconds)
    found = Conformance(tuple(command), python or command[0], (), seed, examples, python=python)
    if examples and only is None:
        for profile in Profile:
            experiments(profile)
    try:
        peer = peer or (local_peer(python) if python else Peer(command, timeout))
        peer.start()
    except PeerFault as fault:
        found.findings.append(Finding(fault.kind, fault.words, origin="hello"))
        found.stopped = fault.words if fault.kind == "bad-hello" else "it never said hello"
        return found
    found.name = peer.name
    found.supported = tuple(p for p in Profile if p in peer.profiles)
    found.asked = None if profiles is None else tuple(p for p in Profile if p in profiles)
    found.profiles = tuple(p for p in found.supported if found.asked is None or p in found.asked)
    try:
        if with_vectors or only is not None:
            _vectors(peer, found, vectors_of(found.profiles) if only is None else only, clock, progress)
        if examples and only is None:
            with nothing_kept():
                _random(peer, found, long, clock, progress)
        if isinstance(peer, Peer) and only is None and found.tested and found.stopped is None:
            found.findings += malformed(peer, found.profiles)
        if peer.runs:
            peer.close()
    except PeerFault as fault:
        found.findings.append(Finding(fault.kind, fault.words, origin="end"))
    finally:
        peer.kill()
    return found


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
    found: Conformance,
    vectors: Sequence[Vector],
    clock: _Clock,
    progress: Callable[[str, int], None],
) -> None:
    stage = _Stage(found, "vectors", clock)
    for number, vector in enumerate(vectors):
        if clock.is_over:
            stage.stop(f"{len(vectors) - number} of {len(vectors)} were not asked")
            return
        progress("vectors", number)
        own = Tally()
        finding = judge(peer, vector, own)
        found.vectors.setdefault(vector.topic, Tally()).add(own)
        found.count_rules(vector, own)
        if finding is not None:
            found.findings.append(compare_chunks(peer, finding))
            if stage.is_given_up(finding) and number + 1 < len(vectors):
                stage.stop(f"{len(vectors) - number - 1} of {len(vectors)} were not asked")
                return


def _random(peer: AnyPeer, found: Conformance, long: bool, clock: _Clock, progress: Callable[[str, int], None]) -> None:
    stage = _Stage(found, "random cases", clock)
    planned = list(_experiments(found.profiles, long))
    for number, (profile, experiment, look) in enumerate(planned, start=1):
        if clock.is_over:
            stage.stop(_unfinished(len(planned) - number + 1, planned))
            return
        tally = found.random.setdefault(experiment, Tally())

        def tick(name: str = experiment, tally: Tally = tally) -> None:
            progress(name, tally.asked)
            if clock.is_over:
                raise _TimeOver

        try:
            finding = look(peer, profile, experiment, examples=found.examples, seed=found.seed, tally=tally, tick=tick)
        except _TimeOver:
            stage.stop(_unfinished(len(planned) - number + 1, planned))
            return
        if finding is not None:
            finding = cited(finding)
            found.findings.append(finding)
            if finding.vector is not None:
                found.count_rules(finding.vector, Tally(failed=1))
            if stage.is_given_up(finding) and number < len(planned):
                stage.stop(_unfinished(len(planned) - number, planned))
                return


def _unfinished(left: int, planned: Sequence[object]) -> str:
    return f"{left} of {len(planned)} experiments were not finished"


def _experiments(
    profiles: Sequence[Profile], long: bool
) -> Iterator[tuple[Profile, str, Callable[..., Finding | None]]]:
    """Small cases, then those at the boundaries of sizes, profile by profile."""
    for profile in profiles:
        yield from ((profile, name, explore) for name in experiments(profile))
        yield from ((profile, name, partial(explore_sizes, long=long)) for name in GUIDED[profile])


class _Stage:
    """The vectors or the random cases of a run: how many faults of the protocol there were in it."""

    def __init__(self, found: Conformance, name: str, clock: _Clock) -> None:
        self._found = found
        self._name = name
        self._clock = clock
        self._hangs = self._faults = 0

    def is_given_up(self, finding: Finding) -> bool:
        """Whether this finding is one fault too many (P12)."""
        self._hangs += finding.kind == "hangs"
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
        words = f"after {why} among the {self._name}: {rest}"
        self._found.stopped = "; ".join(filter(None, (self._found.stopped, words)))
