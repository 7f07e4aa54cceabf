"""One conformance run: every vector of the implementation's profiles, then random differential testing."""

from collections.abc import Callable, Sequence

from tracepact.tools.conform.differential import experiments, explore, nothing_kept
from tracepact.tools.conform.findings import Conformance, Finding, Tally, compare_chunks, judge
from tracepact.tools.conform.peer import Peer, PeerFault
from tracepact.tools.conform.vectors import Profile, vectors_of

_MOST_HANGS = 3
"""After this many cases without an answer a stage is given up: each costs the whole time limit."""

_MOST_FAULTS = 30
"""After this many faults of the protocol, which each cost a new process, a stage is given up."""


def conform(
    command: Sequence[str],
    *,
    profiles: Sequence[Profile] | None = None,
    examples: int = 200,
    seed: int = 0,
    timeout: float = 10.0,
    with_vectors: bool = True,
    progress: Callable[[str, int], None] = lambda what, count: None,
) -> Conformance:
    """Test the implementation that a command starts; `profiles` narrows what it claims to support.

    `examples` cases are drawn for each experiment; with none Hypothesis is not needed. `progress` is told the stage
    and the number of cases asked in it.
    """
    peer = Peer(command, timeout)
    found = Conformance(tuple(command), command[0], (), seed, examples)
    if examples:
        for profile in Profile:
            experiments(profile)
    try:
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
        if with_vectors:
            _vectors(peer, found, progress)
        if examples:
            with nothing_kept():
                _random(peer, found, examples, seed, progress)
        if peer.runs:
            peer.close()
    except PeerFault as fault:
        found.findings.append(Finding(fault.kind, fault.words, origin="end"))
    finally:
        peer.kill()
    return found


def _vectors(peer: Peer, found: Conformance, progress: Callable[[str, int], None]) -> None:
    stage = _Stage(found, "vectors")
    for count, vector in enumerate(vectors_of(found.profiles)):
        progress("vectors", count)
        finding = judge(peer, vector, found.vectors.setdefault(vector.topic, Tally()))
        if finding is not None:
            found.findings.append(compare_chunks(peer, finding) if peer.runs else finding)
            if stage.is_given_up(finding):
                return


def _random(peer: Peer, found: Conformance, examples: int, seed: int, progress: Callable[[str, int], None]) -> None:
    stage = _Stage(found, "random cases")
    for profile in found.profiles:
        for experiment in experiments(profile):
            tally = found.random.setdefault(experiment, Tally())
            finding = explore(
                peer,
                profile,
                experiment,
                examples=examples,
                seed=seed,
                tally=tally,
                tick=lambda name=experiment, tally=tally: progress(name, tally.asked),  # type: ignore[misc]  # bound now
            )
            if finding is not None:
                found.findings.append(finding)
                if stage.is_given_up(finding):
                    return


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
