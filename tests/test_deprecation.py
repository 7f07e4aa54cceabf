"""Old names: each gives what the new one gives, and warns."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from cli.command import Outcome, events, write
from cli.command import run as command
from cli.test_dialect import leaves

import tracepact
import tracepact.stream
from tracepact import cli
from tracepact.options import _EarlierName

GATE = "boundary_gate"
SIDES = ("--ref", "e.tsv", "--pred", "e.tsv", "--durations", "2")
TEXT = "contract c step 20ms param tol = 40ms clause a on ref_onset : N[tol] pred_onset"
ABSENT = {"ref_active": [0, 1, 1, 1] + [0] * 16, "pred_active": [0] * 20}


def run() -> tracepact.Run:
    return tracepact.score(GATE, [(1.0, 2.0)], [(1.06, 2.4)], durations=5)


def arrival() -> Any:
    return tracepact.StreamMonitor(GATE).push(ABSENT)


OLD_NAMES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], Callable[[Any], Any]]] = {
    "Run.witnesses": (run, lambda r: r.witnesses("onset_guard"), lambda r: r.violations("onset_guard")),
    "Scorecard.frame_witnesses": (
        lambda: run().card,
        lambda card: card.frame_witnesses("onset_guard"),
        lambda card: card.frame_violations("onset_guard"),
    ),
    "EventClauseEvaluation.witnesses": (
        lambda: run().card.event_clause("duration_guard"),
        lambda found: found.witnesses,
        lambda found: found.violations,
    ),
    "Arrival.witnesses": (arrival, lambda a: a.witnesses, lambda a: a.violations),
    "FrameVerdicts.witnesses": (
        lambda: arrival().verdicts[0],
        lambda verdicts: verdicts.witnesses,
        lambda verdicts: verdicts.violations,
    ),
    "EventVerdict.witness": (
        lambda: arrival().judged[0],
        lambda verdict: verdict.witness,
        lambda verdict: verdict.violation,
    ),
    "tracepact.stream.FrameWitness": (
        lambda: tracepact.stream,
        lambda module: module.FrameWitness,
        lambda module: module.FrameViolation,
    ),
    "tracepact.stream.Witness": (
        lambda: tracepact.stream,
        lambda module: module.Witness,
        lambda module: module.Violation,
    ),
}


@pytest.mark.parametrize("name", OLD_NAMES)
def test_an_old_name_gives_what_the_new_one_does_and_warns(name: str) -> None:
    make, old, new = OLD_NAMES[name]
    thing = make()
    with pytest.warns(DeprecationWarning, match=f"{name} is called") as caught:
        found = old(thing)
    assert found == new(thing)
    assert found, "an empty result shows nothing"
    assert caught[0].filename == __file__, "the warning points to the caller"


OLD_ARGUMENTS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "`overrides` of load_contract": (
        lambda: tracepact.load_contract(GATE, overrides={"tol": "80ms"}),  # type: ignore[call-arg]
        lambda: tracepact.load_contract(GATE, set={"tol": "80ms"}),
    ),
    "`overrides` of parse_contract": (
        lambda: tracepact.parse_contract(TEXT, overrides={"tol": "80ms"}),  # type: ignore[call-arg]
        lambda: tracepact.parse_contract(TEXT, set={"tol": "80ms"}),
    ),
    "`overrides` of override": (
        lambda: tracepact.override(tracepact.load_contract(GATE), overrides={"tol": "80ms"}),  # type: ignore[call-arg]
        lambda: tracepact.override(tracepact.load_contract(GATE), {"tol": "80ms"}),
    ),
}


@pytest.mark.parametrize("name", OLD_ARGUMENTS)
def test_an_argument_is_taken_under_its_old_name_and_warns(name: str) -> None:
    old, new = OLD_ARGUMENTS[name]
    with pytest.warns(DeprecationWarning, match=f"{name} is called set") as caught:
        assert old().digest == new().digest
    assert caught[0].filename == __file__, "the warning points to the caller"


def test_an_argument_is_not_taken_under_both_names() -> None:
    with pytest.raises(TypeError, match="both"):
        tracepact.load_contract(GATE, set={}, overrides={})  # type: ignore[call-arg]


def test_a_name_that_never_was_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="Witnes"):
        tracepact.stream.Witnes  # noqa: B018


# Options under their earlier names: the option is found on the command itself, so that none is forgotten.

COMMANDS = dict(leaves(cli._group, (), click.Context(cli._group)))
EARLIER = {
    (name, option.opts[0], option.present)
    for name, command in COMMANDS.items()
    for option in command.params
    if isinstance(option, _EarlierName)
}
USES: dict[tuple[str, str, str], tuple[str, ...]] = {
    ("audit tolerance", "--from", "--low"): ("audit", "tolerance", "run", "--parameter", "tol", "*", "20ms"),
    ("audit tolerance", "--to", "--high"): ("audit", "tolerance", "run", "--parameter", "tol", "*", "20ms"),
    ("certify", "--timeout", "--wait"): ("certify", "*", "0"),
    ("conform", "--profile", "--only"): ("conform", "*", "core", "*", "past", "--seed", "1", "--python", "no.py"),
    ("conform", "--timeout", "--wait"): ("conform", "*", "0", "--", "no-such-command-here"),
    ("curves", "--against", "--versus"): ("curves", GATE, *SIDES, "--out", "curves", "*", "nobody"),
    ("new", "--from", "--starter"): ("new", "copy", "*", "no_such_starter"),
    ("oracle", "--engine", "--evaluator"): ("oracle", "*", "fast"),
    ("prove", "--timeout", "--wait"): ("prove", "*", "0"),
    ("select", "--require", "--guarantee"): ("select", "boundary_gate", "*", "nothing"),
    ("verify", "--strict", "--complete"): ("verify", "run", "*"),
}
"""A line for each, `*` where the option stands."""


def test_every_earlier_name_is_used_below() -> None:
    assert set(USES) == EARLIER


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("earlier")
    write(place, {"e.tsv": events("a 0.5 1 x"), "extra.txt": ""})
    done = command("score", GATE, *SIDES, "--out", "run", folder=place)
    assert done.code == 0, done.err
    write(place / "run", {"extra.txt": "not listed"})
    return place


@pytest.mark.parametrize("use", USES, ids=lambda use: " ".join(use[:2]))
def test_an_option_under_its_earlier_name_means_the_same_and_says_so_in_a_line(
    use: tuple[str, str, str], folder: Path
) -> None:
    _, earlier, present = use
    lines = {name: [name if word == "*" else word for word in USES[use]] for name in (earlier, present)}
    old, new = (command(*lines[name], folder=folder) for name in (earlier, present))
    said = f"{earlier} is called {present} now; the old name goes with the next version\n"
    assert old == Outcome(new.code, new.out, said + new.err)
    assert earlier not in command(*use[0].split(), "--help", "--all").out.split()


def test_an_option_is_not_taken_under_both_names(folder: Path) -> None:
    outcome = command(
        "audit", "tolerance", "run", "--parameter", "tol", "--low", "0ms", "--from", "20ms", folder=folder
    )
    assert outcome.code == 2
    assert "--from is the old name of --low: give one of them" in outcome.err


def test_an_option_that_may_be_repeated_is_taken_under_both_names() -> None:
    outcome = command("conform", "--only", "core", "--profile", "no such", "--", "no-such-command-here")
    assert outcome.code == 2
    assert "'no such'" in outcome.err
