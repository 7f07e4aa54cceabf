"""Random differential testing: cases drawn with Hypothesis, answers compared with the reference, failures shrunk."""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from tracepact.core import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Since,
    Until,
    subformulas,
)
from tracepact.diagnostics import InvalidInput
from tracepact.tools.conform.engines import REFERENCE
from tracepact.tools.conform.findings import Finding, Tally, compare_chunks, judge
from tracepact.tools.conform.peer import AnyPeer, PeerFault
from tracepact.tools.conform.reduce import smaller
from tracepact.tools.conform.trees import BadCase, formula_of
from tracepact.tools.conform.vectors import Profile, Vector, answer

_RULES = {
    "aggregate": ("7.5",),
    "clause": ("7.1", "7.2"),
    "components": ("12.6",),
    "contract": ("3.1", "11.1"),
    "events": ("9.2",),
    "formula": (),
    "lines": ("12.10",),
    "match": ("8.3",),
    "measure": ("6.7",),
    "project": ("5.3",),
    "runs": ("5.5", "5.8"),
    "score": ("7.2",),
    "stream": ("12.2",),
    "verdicts": (),
}
_TOPICS = {
    "aggregate": "scores",
    "clause": "scores",
    "components": "streaming",
    "contract": "syntax",
    "events": "events",
    "formula": "syntax",
    "lines": "streaming",
    "match": "matching",
    "measure": "streaming",
    "project": "projection",
    "runs": "runs",
    "score": "contracts",
    "stream": "streaming",
    "verdicts": "frames",
}
_MOST_RESTARTS = 60
"""How often an implementation that crashes is started again while one disagreement is shrunk."""


_MOST_SHRINKS = 80
"""How many cases Hypothesis may try to make a disagreement smaller; it tires where most cases must tell."""

_MOST_TRIES = 400
"""How many smaller cases are tried after Hypothesis is done."""

SHRINKING = 20.0
"""Seconds that one disagreement may be shrunk for; a large case, or a slow implementation, takes long to ask."""


class MissingHypothesis(Exception):  # noqa: N818  (it names what is missing)
    """Random testing was asked for and Hypothesis is not installed."""


class _Disagreement(Exception):  # noqa: N818  (never leaves this module)
    """The implementation fails on a case."""


class _Stop(BaseException):
    """Ends an experiment at once, past Hypothesis: there is nothing to gain from shrinking."""


def experiments(profile: Profile) -> tuple[str, ...]:
    """The names of what is drawn for a profile."""
    return tuple(_draw().EXPERIMENTS[profile])


def _draw() -> Any:
    try:
        from tracepact.tools.conform import draw
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        raise MissingHypothesis from None
    return draw


@contextmanager
def nothing_kept() -> Iterator[None]:
    """Let Hypothesis keep its files, which it has even without a database, in a folder that is gone afterwards."""
    from hypothesis import configuration

    with TemporaryDirectory() as folder:
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(None)


def rules_of(case: Mapping[str, Any]) -> tuple[str, ...]:
    """The rules a case shows: those of what it asks, and of the operators and clips that occur in it."""
    with_trees = (case, *case.get("clauses", ())) if case["ask"] not in ("formula", "contract", "score") else ()
    trees = [part[key] for part in with_trees for key in ("obligation", "formula") if key in part]
    parts = [part for tree in trees for part in subformulas(formula_of(tree))]
    shown = {rule for part in parts for rule in _rules_of_operator(part)}
    if len(case.get("clips", ())) > 1:
        shown |= {"6.6"}
    if parts and not shown:
        shown |= {"6.1"}
    if "chunks" in case:
        shown |= {"12.11"}
    if "interrupt" in case:
        shown |= {"12.9"}
    if case["ask"] == "match" and case["matcher"]["kind"] == "optimal":
        return ("8.4",)
    if case["ask"] == "formula":
        shown = _rules_of_text(case["text"])
    return (*_RULES[case["ask"]], *sorted(shown))


_WRITTEN = (
    (r"\b[NFGUS]\[", "2.4"),
    (r"\[-?[0-9./]+(ms|s)?(,|\])", "2.6"),
    (r"\bN\[|\b[FG]\[[^],]*\]", "2.7"),
    (r"[!&|¬∧∨→↔]|->|\b(not|and|or|implies|iff)\b", "2.2"),
    (r"[0-9]", "1.4"),
)
"""What is written in a formula, and the rule that says how it is read."""


def _rules_of_text(text: str) -> set[str]:
    """The rules by which a formula's text is read: of its operators, bounds, connectives and their precedence."""
    found = {rule for pattern, rule in _WRITTEN if re.search(pattern, text)}
    operators = re.findall(r"<->|->|[&|∧∨→↔]|\b(?:and|or|implies|iff|U|S)\b", text)
    return found | ({"2.3"} if len(operators) > 1 else set()) or {"2.1"}


def _rules_of_operator(formula: Formula) -> tuple[str, ...]:
    match formula:
        case Eventually(lo, hi, _):
            return ("2.7", "6.2") if lo == -hi < 0 else ("6.2",)
        case Always():
            return ("6.3",)
        case Until():
            return ("6.4",)
        case Since():
            return ("6.5",)
        case Not() | And() | Or() | Implies() | Iff():
            return ("6.1",)
        case Atom() | Constant():
            return ()


def case_of(profile: Profile, experiment: str, case: dict[str, Any]) -> Vector:
    """A drawn case with the reference's answer, in the form of a vector."""
    ask = case["ask"]
    expected = answer(case, REFERENCE)
    if ask == "stream" and not case.keys() & {"interrupt", "reopen"}:
        del expected["counts"]  # not every monitor counts, and one that does is asked where its state is at stake
    if ask == "formula" and not expected["errors"]:
        del expected["errors"]  # a reader without codes for faults is still a reader
    name = f"{_TOPICS[ask]}/found-{experiment.replace(',', '').replace(' ', '-')}"
    return Vector(
        name, _TOPICS[ask], profile, rules_of(case), case, expected, "hand", "found by a conformance run; derive it"
    )


def _each_case(
    profile: Profile, experiment: str, examples: int, seed: int, check: Callable[[dict[str, Any]], None]
) -> None:
    """Give every case that is drawn to a check; one that raises is given smaller cases, as Hypothesis does it."""
    import hypothesis

    settings = hypothesis.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
        suppress_health_check=list(hypothesis.HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
        report_multiple_bugs=False,
        print_blob=False,
    )
    drawn: Any = hypothesis.given(_draw().EXPERIMENTS[profile][experiment])
    hypothesis.seed(seed)(settings(drawn(check)))()


def drawn_cases(profile: Profile, experiment: str, examples: int, seed: int = 0) -> list[Vector]:
    """The cases that an implementation without a fault is asked, with the reference's answers."""
    found: list[Vector] = []
    _each_case(profile, experiment, examples, seed, lambda case: found.append(case_of(profile, experiment, case)))
    return found


def explore(
    peer: AnyPeer,
    profile: Profile,
    experiment: str,
    *,
    examples: int,
    seed: int,
    tally: Tally,
    tick: Callable[[], None],
    shrink: bool = True,
) -> Finding | None:
    """Draw cases until the implementation fails on one; the smallest such case found, or None."""
    import hypothesis

    smallest: Finding | None = None
    restarts = shrinks = 0
    until = float("inf")

    def check(case: dict[str, Any]) -> None:
        nonlocal smallest, restarts, shrinks, until
        if smallest is not None:
            shrinks += 1
            if shrinks > _MOST_SHRINKS or time.monotonic() > until:
                raise _Stop
        own = Tally()
        finding = judge(peer, case_of(profile, experiment, case), own, f"random: {experiment}")
        if smallest is None:
            tally.passed += own.passed
            tally.unsupported += own.unsupported
            tally.reasons += own.reasons
            tick()
        if finding is None:
            return
        if smallest is None:
            tally.failed += 1
            until = time.monotonic() + SHRINKING
        smallest = finding
        if finding.kind in ("hangs", "out-of-order") or not shrink:
            raise _Stop
        if not peer.runs:
            restarts += 1
            if restarts > _MOST_RESTARTS:
                raise _Stop
        raise _Disagreement

    try:
        _each_case(profile, experiment, examples, seed, check)
    except (_Disagreement, _Stop):
        assert smallest is not None
        if smallest.kind in ("hangs", "out-of-order") or restarts > _MOST_RESTARTS or not shrink:
            return smallest
        return compare_chunks(peer, reduced(peer, profile, experiment, smallest, until))
    except (hypothesis.errors.Flaky, ExceptionGroup):
        assert smallest is not None
        words = f"{smallest.words}; asked the same case again it answered otherwise"
        return Finding("unstable", words, smallest.vector, smallest.answered, smallest.parts, smallest.origin)
    except PeerFault as fault:
        return Finding(fault.kind, fault.words, origin=f"random: {experiment}")
    return None


def reduced(peer: AnyPeer, profile: Profile, experiment: str, finding: Finding, until: float) -> Finding:
    """A finding of the same kind on a smaller case, until a time; the finding itself if no smaller case fails so."""
    tries = _MOST_TRIES
    while True:
        assert finding.vector is not None
        for case in smaller(finding.vector.input):
            tries -= 1
            if tries < 0 or time.monotonic() > until:
                return finding
            found = _failure(peer, profile, experiment, case, finding.kind)
            if found is not None:
                finding = found
                break
        else:
            return finding


def _failure(peer: AnyPeer, profile: Profile, experiment: str, case: dict[str, Any], kind: str) -> Finding | None:
    try:
        found = judge(peer, case_of(profile, experiment, case), Tally(), f"random: {experiment}")
    except (PeerFault, InvalidInput, BadCase):
        return None  # it cannot be asked, or the smaller case is none
    return found if found is not None and found.kind == kind else None
