"""Random differential testing: cases drawn, guided, compared with the reference, shrunk, and asked again."""

import json
import re
import shlex
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from tracepact.conform.boundary_events import ATTRIBUTE_EXPERIMENTS, INTERVAL_EXPERIMENTS
from tracepact.conform.boundary_scores import CONTRACT_TEXT_EXPERIMENTS, REPORT_EXPERIMENTS, SCORE_EXPERIMENTS
from tracepact.conform.boundary_streams import STATE_EXPERIMENTS, STREAM_EXPERIMENTS
from tracepact.conform.boundary_texts import LIMIT_EXPERIMENTS, TEXT_EXPERIMENTS
from tracepact.conform.boundary_traces import FRAME_EXPERIMENTS, Case, Experiment, Experiments, Guide
from tracepact.conform.boundary_witnesses import TIE_EXPERIMENTS, WITNESS_EXPERIMENTS
from tracepact.conform.engines import REFERENCE
from tracepact.conform.findings import CaseTally, Finding, compare_chunks, explained, judge
from tracepact.conform.oracle import ASKS, ConformanceProfile, Vector, answer, suite
from tracepact.conform.peer import AnyPeer, PeerFault
from tracepact.conform.protocol import BadCase, compacted, expanded, formula_of
from tracepact.conform.reduction import smaller
from tracepact.diagnostics.collection import InvalidInput
from tracepact.files import json_whole
from tracepact.language.formula import (
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

# Random differential testing: cases drawn with Hypothesis, answers compared with the reference, failures shrunk.


class _About(NamedTuple):
    """Where cases with an ask belong: the topic of their vectors, the profile, and the rules that all of them show."""

    topic: str
    profile: ConformanceProfile | None
    """None where it depends on the formulas or the chunks of the case."""
    rules: tuple[str, ...] = ()


_ABOUT = {
    "aggregate": _About("scores", ConformanceProfile.CONTRACTS, ("7.5",)),
    "clause": _About("scores", None, ("7.1", "7.2")),
    "components": _About("streaming", ConformanceProfile.STREAMING, ("12.6",)),
    "contract": _About("syntax", ConformanceProfile.TEXT, ("3.1", "11.1")),
    "events": _About("events", ConformanceProfile.EVENTS, ("9.2",)),
    "formula": _About("syntax", ConformanceProfile.TEXT),
    "lines": _About("streaming", ConformanceProfile.STREAMING, ("12.10",)),
    "match": _About("matching", ConformanceProfile.EVENTS, ("8.3",)),
    "measure": _About("streaming", ConformanceProfile.STREAMING, ("6.7",)),
    "project": _About("projection", ConformanceProfile.EVENTS, ("5.3",)),
    "runs": _About("runs", ConformanceProfile.EVENTS, ("5.5", "5.8")),
    "score": _About("contracts", ConformanceProfile.CONTRACTS, ("7.2",)),
    "stream": _About("streaming", None, ("12.2",)),
    "verdicts": _About("frames", None),
}

_MOST_RESTARTS = 60
"""How often an implementation that crashes is started again while one disagreement is shrunk."""

_MOST_SHRINKS = 80
"""How many cases Hypothesis may try to make a disagreement smaller; it tires where most cases must tell."""

_MOST_TRIES = 400
"""How many smaller cases are tried after that."""

SHRINKING = 20.0
"""Seconds that one disagreement may be shrunk for; a large case, or a slow implementation, takes long to ask."""


class MissingHypothesis(Exception):  # noqa: N818  (it names what is missing)
    """Random testing was asked for and Hypothesis is not installed."""


class _Disagreement(Exception):  # noqa: N818  (never leaves this module)
    """The implementation fails on a case."""


class _Stop(BaseException):
    """Ends an experiment at once, past Hypothesis: there is nothing to gain from shrinking."""


def experiments(profile: ConformanceProfile) -> tuple[str, ...]:
    """The names of what is drawn for a profile."""
    return (*_draw().EXPERIMENTS[profile], *_draw().FAMILIES[profile])


def _draw() -> Any:
    try:
        from tracepact.conform import draw
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        raise MissingHypothesis from None
    return draw


@contextmanager
def nothing_kept() -> Iterator[None]:
    """Let Hypothesis keep its files, which it has even without a database, in a folder that is gone afterwards."""
    from hypothesis import configuration

    # The folder of a user in which `conform` is run must not get a `.hypothesis` by it.
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
    return (*_ABOUT[case["ask"]].rules, *sorted(shown))


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
    rules = {rule for pattern, rule in _WRITTEN if re.search(pattern, text)}
    operators = re.findall(r"<->|->|[&|∧∨→↔]|\b(?:and|or|implies|iff|U|S)\b", text)
    return rules | ({"2.3"} if len(operators) > 1 else set()) or {"2.1"}


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


def case_of(profile: ConformanceProfile, experiment: str, case: dict[str, Any]) -> Vector:
    """A drawn case with the reference's answer, in the form of a vector."""
    ask = case["ask"]
    expected = answer(case, REFERENCE)
    if ask == "stream" and not case.keys() & {"interrupt", "reopen"}:
        del expected["counts"]  # not every monitor counts, and one that does is asked where its state is at stake
    if ask == "formula" and not expected["errors"]:
        del expected["errors"]  # a reader without codes for faults is still a reader
    topic = _ABOUT[ask].topic
    name = f"{topic}/found-{experiment.replace(',', '').replace(' ', '-')}"
    return Vector(name, topic, profile, rules_of(case), case, expected, "hand", "found by a conformance run; derive it")


def _each_case(
    profile: ConformanceProfile,
    experiment: str,
    examples: int,
    seed: int,
    check: Callable[[dict[str, Any]], None],
    *,
    long: bool = False,
) -> None:
    """Give every case that is drawn to a check; one that raises is given smaller cases, as Hypothesis does it."""
    import hypothesis

    cases, examples, apart = _draw().strategy_of(profile, experiment, examples, long=long)
    settings = hypothesis.settings(
        max_examples=2 if apart else examples,
        # No database: a run depends on its seed alone. No deadline: the implementation may be slow, and has a time
        # limit of its own.
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
        # They are about the speed of drawing and about filters, which here reject on purpose what tells nothing.
        suppress_health_check=list(hypothesis.HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
        # One finding an experiment: a second fault shows when the first is repaired.
        report_multiple_bugs=False,
        print_blob=False,
    )
    if not apart:
        drawn: Any = hypothesis.given(cases)
        hypothesis.seed(seed)(settings(drawn(check)))()
        return
    # Hypothesis begins with the simplest case and goes on with variations of what it has drawn, so a hundred examples
    # have only some ten distinct numbers. Where each number counts, every case is the second of a search of its own.
    for number in range(examples):
        simplest = True

        def second(case: dict[str, Any]) -> None:
            nonlocal simplest
            if not simplest:
                check(case)
            simplest = False

        drawn = hypothesis.given(cases)
        hypothesis.seed(f"{seed} {number}")(settings(drawn(second)))()


def drawn_cases(profile: ConformanceProfile, experiment: str, examples: int, seed: int = 0) -> list[Vector]:
    """The cases that an implementation without a fault is asked, with the reference's answers."""
    vectors: list[Vector] = []
    _each_case(profile, experiment, examples, seed, lambda case: vectors.append(case_of(profile, experiment, case)))
    return vectors


def explore(
    peer: AnyPeer,
    profile: ConformanceProfile,
    experiment: str,
    *,
    examples: int,
    seed: int,
    tally: CaseTally,
    tick: Callable[[], None],
    long: bool = False,
    shrink: bool = True,
) -> Finding | None:
    """Draw small cases until the implementation fails on one; that case made smaller, or None."""
    import hypothesis

    smallest: Finding | None = None
    unusable: Exception | None = None
    # Two shrinkers, one after the other. Hypothesis knows how a case was drawn: it alone makes texts, counts and
    # contracts smaller. But it can neither leave the shape that a strategy gives, such as two runs that bridge two
    # others, nor easily satisfy the filter on what tells; `reduced` takes such a case apart as data.
    restarts = shrinks = 0
    until = float("inf")

    def check(case: Case) -> None:
        nonlocal smallest, unusable, restarts, shrinks, until
        if smallest is not None:
            shrinks += 1
            if shrinks > _MOST_SHRINKS or time.monotonic() > until:
                raise _Stop
        try:
            vector = case_of(profile, experiment, case)
        # Whatever is wrong with a smaller case, the finding stays.
        except Exception as error:
            if smallest is None:
                raise
            unusable = error
            return
        finding = judge(peer, vector, tally if smallest is None else CaseTally(), f"random: {experiment}")
        if finding is None:
            if smallest is None:
                tick()
            return
        if smallest is None:
            until = time.monotonic() + SHRINKING
        smallest = finding
        restarts += not peer.runs
        if restarts > _MOST_RESTARTS or not _is_worth_shrinking(finding, shrink):
            raise _Stop
        raise _Disagreement

    try:
        _each_case(profile, experiment, examples, seed, check, long=long)
    except PeerFault as fault:
        return smallest or Finding(fault.kind, fault.words, origin=f"random: {experiment}")
    except (_Disagreement, _Stop):
        pass
    except Exception as error:
        if smallest is None:
            raise
        # Hypothesis says Flaky, alone or in a group, when a case that failed does not fail again: the implementation is
        # to blame for that, unless it was not asked.
        if unusable is None and isinstance(error, hypothesis.errors.Flaky | ExceptionGroup):
            words = f"{smallest.words}; asked the same case again it answered otherwise"
            return replace(smallest, kind="unstable", words=words)
        unusable = unusable or error
    if smallest is None:
        return None
    if unusable is not None:
        smallest = smallest.noting("Hypothesis did not make it as small as it might", unusable)
    return _made_smaller(peer, profile, experiment, smallest, until, shrink=shrink and restarts <= _MOST_RESTARTS)


def _made_smaller(
    peer: AnyPeer, profile: ConformanceProfile, experiment: str, finding: Finding, until: float, *, shrink: bool
) -> Finding:
    """A finding on a smaller case if there is one, with what it depends on; the finding itself if that goes wrong."""
    if _is_worth_shrinking(finding, shrink):
        finding = explained(
            partial(reduced, peer, profile, experiment, until=until), finding, "it was not made smaller"
        )
    return explained(partial(compare_chunks, peer), finding, "its chunks were not compared") if shrink else finding


def _is_worth_shrinking(finding: Finding, shrink: bool) -> bool:
    """Whether smaller cases are asked: each one that hangs costs the whole time limit."""
    return shrink and finding.kind not in ("hangs", "out-of-order")


def reduced(peer: AnyPeer, profile: ConformanceProfile, experiment: str, finding: Finding, until: float) -> Finding:
    """A finding of the same kind on a smaller case, until a time; the finding itself if no smaller case fails so."""
    tries = _MOST_TRIES
    while True:
        assert finding.vector is not None
        for case in smaller(finding.vector.input):
            tries -= 1
            if tries < 0 or time.monotonic() > until:
                return finding
            try:
                vector = case_of(profile, experiment, case)
                other = judge(peer, vector, CaseTally(), f"random: {experiment}")
            except (PeerFault, InvalidInput, BadCase, LookupError, ValueError, TypeError):
                continue  # it cannot be asked, or is no case
            if other is not None and other.kind == finding.kind:
                finding = other
                break
        else:
            return finding


# Guided exploration: cases at the boundaries of sizes, those seen least first, compared with the reference, shrunk.

_TABLES: tuple[Experiments, ...] = (
    FRAME_EXPERIMENTS,
    STREAM_EXPERIMENTS,
    WITNESS_EXPERIMENTS,
    STATE_EXPERIMENTS,
    INTERVAL_EXPERIMENTS,
    ATTRIBUTE_EXPERIMENTS,
    SCORE_EXPERIMENTS,
    REPORT_EXPERIMENTS,
    TEXT_EXPERIMENTS,
    LIMIT_EXPERIMENTS,
    CONTRACT_TEXT_EXPERIMENTS,
    TIE_EXPERIMENTS,
)
GUIDED: dict[ConformanceProfile, dict[str, Experiment]] = {
    profile: dict(item for table in _TABLES for item in table.get(profile, {}).items())
    for profile in ConformanceProfile
}
"""What is drawn at the boundaries of sizes, for each profile, by name."""


def explore_sizes(
    peer: AnyPeer,
    profile: ConformanceProfile,
    name: str,
    *,
    examples: int,
    seed: int,
    tally: CaseTally,
    tick: Callable[[], None],
    long: bool = False,
    shrink: bool = True,
) -> Finding | None:
    """Draw cases until the implementation fails on one; that case made smaller, or None."""
    for case in guided(profile, name, examples, seed, long=long, news=peer.news):
        try:
            finding = judge(peer, case_of(profile, name, case), tally, f"random: {name}")
        except PeerFault as fault:
            return Finding(fault.kind, fault.words, origin=f"random: {name}")
        if finding is not None:
            return _made_smaller(peer, profile, name, finding, time.monotonic() + SHRINKING, shrink=shrink)
        tick()
    return None


def guided(
    profile: ConformanceProfile,
    name: str,
    examples: int,
    seed: int = 0,
    *,
    long: bool = False,
    news: Callable[[], bool] = lambda: False,
) -> Iterator[Case]:
    """The first cases of an experiment at the boundaries of sizes; a size whose case brought `news` is drawn again."""
    # A plain generator of random numbers, and not Hypothesis: the guide has to see which sizes were drawn, and
    # Hypothesis forbids a strategy to depend on anything but its own choices. It also gives up on cases of very many
    # choices, which are those at large sizes.
    experiment = GUIDED[profile][name]
    rng = Random(f"{seed} {name}")
    guide = Guide(experiment.dimensions(long=long), rng)
    for _ in range(examples):
        yield experiment.make(rng, *guide.next())
        if news():
            guide.welcome()


# One case again: vectors by name, cases as JSON, and the line that asks a finding's case once more.


def vector_named(name: str) -> Vector:
    """The vector of this id; KeyError if there is none."""
    return {vector.id: vector for vector in suite()}[name]


def vector_of_text(text: str) -> Vector:
    """A case as JSON, its masks as digits or in runs, with the reference's answer; BadCase if it is none."""
    try:
        case = expanded(json.loads(text, parse_int=json_whole))
    except ValueError as error:
        raise BadCase(f"it is not JSON: {error}") from None
    if not isinstance(case, dict) or case.get("ask") not in ASKS:
        raise BadCase("it is not an object with an `ask` of the protocol")
    try:
        return case_of(profile_of(case), "asked", case)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise BadCase(f"it is not a whole case: {error}") from None


def profile_of(case: dict[str, Any]) -> ConformanceProfile:
    """The profile that a case belongs to."""
    if (profile := _ABOUT[case["ask"]].profile) is not None:
        return profile
    if case["ask"] == "stream":
        return ConformanceProfile.CHUNKS if "chunks" in case else ConformanceProfile.STREAMING
    trees = [case[key] for key in ("formula", "obligation") if key in case]
    parts = [part for tree in trees for part in subformulas(formula_of(tree))]
    back = any(isinstance(p, Since) or (isinstance(p, Eventually | Always) and p.lo < 0) for p in parts)
    return ConformanceProfile.PAST if back else ConformanceProfile.CORE


def replay_line(finding: Finding, implementation: Sequence[str]) -> str | None:
    """The command that asks a finding's case again; None for a finding without a case."""
    if finding.vector is None:
        return None
    if not finding.vector.is_found:
        which = ["--id", finding.vector.id]
    else:
        case = dict(finding.vector.input)
        with suppress(Exception):  # if it cannot be written in runs it is written in full
            case = compacted(case)
        which = ["--ask", json.dumps(case, ensure_ascii=False)]
    return shlex.join(["tracepact", "conform", *which, *portable(implementation)])


def portable(words: Sequence[str]) -> list[str]:
    """A command without the paths of this machine, where it has the same meaning: relative, or a name on the path."""

    def shorter(word: str) -> str:
        path = Path(word)
        if not path.is_absolute():
            return word
        # A command without a slash would be looked for on the path.
        if path.is_relative_to(Path.cwd()):
            inside = path.relative_to(Path.cwd())
            return str(inside) if len(inside.parts) > 1 else f"./{inside}"
        return path.name if shutil.which(path.name) == word else word

    return [shorter(word) for word in words]
