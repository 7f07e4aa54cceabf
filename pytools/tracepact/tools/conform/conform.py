"""One conformance run: every vector of the implementation's profiles, then random differential testing."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from tracepact.tools.conform.differential import experiments, explore, nothing_kept
from tracepact.tools.conform.findings import Conformance, Finding, Tally, compare_chunks, judge
from tracepact.tools.conform.guided import GUIDED, explore_sizes
from tracepact.tools.conform.local import local_peer
from tracepact.tools.conform.peer import AnyPeer, Peer, PeerFault
from tracepact.tools.conform.vectors import Profile, Vector, vectors_of

_MOST_HANGS = 3
"""After this many cases without an answer a stage is given up: each costs the whole time limit."""

_MOST_FAULTS = 30
"""After this many faults of the protocol, which each cost a new process, a stage is given up."""


def conform(
    command: Sequence[str],
    *,
    profiles: Sequence[Profile] | None = None,
    examples: int = 100,
    seed: int = 0,
    timeout: float = 10.0,
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
    `only` are cases to ask in place of all vectors and random cases. `progress` is told the stage and the number of
    cases asked in it.
    """
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
            _vectors(peer, found, vectors_of(found.profiles) if only is None else only, progress)
        if examples and only is None:
            with nothing_kept():
                _random(peer, found, long, progress)
        if peer.runs:
            peer.close()
    except PeerFault as fault:
        found.findings.append(Finding(fault.kind, fault.words, origin="end"))
    finally:
        peer.kill()
    return found


def _vectors(
    peer: AnyPeer, found: Conformance, vectors: Iterable[Vector], progress: Callable[[str, int], None]
) -> None:
    stage = _Stage(found, "vectors")
    for count, vector in enumerate(vectors):
        progress("vectors", count)
        own = Tally()
        finding = judge(peer, vector, own)
        found.vectors.setdefault(vector.topic, Tally()).add(own)
        found.count_rules(vector, own)
        if finding is not None:
            found.findings.append(compare_chunks(peer, finding) if peer.runs else finding)
            if stage.is_given_up(finding):
                return


def _random(peer: AnyPeer, found: Conformance, long: bool, progress: Callable[[str, int], None]) -> None:
    stage = _Stage(found, "random cases")
    for profile, experiment, look in _experiments(found.profiles, long):
        tally = found.random.setdefault(experiment, Tally())

        def tick(name: str = experiment, tally: Tally = tally) -> None:
            progress(name, tally.asked)

        finding = look(peer, profile, experiment, examples=found.examples, seed=found.seed, tally=tally, tick=tick)
        if finding is not None:
            found.findings.append(finding)
            if finding.vector is not None:
                found.count_rules(finding.vector, Tally(failed=1))
            if stage.is_given_up(finding):
                return


def _experiments(
    profiles: Iterable[Profile], long: bool
) -> Iterator[tuple[Profile, str, Callable[..., Finding | None]]]:
    """Small cases, then those at the boundaries of sizes, profile by profile."""
    for profile in profiles:
        yield from ((profile, name, explore) for name in experiments(profile))
        yield from ((profile, name, partial(explore_sizes, long=long)) for name in GUIDED[profile])


class _Stage:
    """The vectors or the random cases of a run: how many faults of the protocol there were in it."""

    def __init__(self, found: Conformance, name: str) -> None:
        self._found = found
        self._name = name
        self._hangs = self._faults = 0

    def is_given_up(self, finding: Finding) -> bool:
        """Whether this finding is one fault too many (P12); the outcome then says so."""
        self._hangs += finding.kind == "hangs"
        self._faults += finding.kind not in ("wrong-answer", "error")
        if self._hangs < _MOST_HANGS and self._faults < _MOST_FAULTS:
            return False
        why = f"{self._hangs} cases without an answer" if self._hangs >= _MOST_HANGS else f"{self._faults} faults"
        words = f"after {why} among the {self._name}; the rest of them was not asked"
        self._found.stopped = "; ".join(filter(None, (self._found.stopped, words)))
        return True
