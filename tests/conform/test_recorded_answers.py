"""What knows answers and not the language does not conform: a table of the vectors, a tape of an earlier run."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from cli.command import run

from conform.programs import MONITOR
from tracepact.conform.conformance import conform
from tracepact.conform.findings import Conformance, put
from tracepact.conform.oracle import ConformanceProfile, Session, vectors_of

Reply = dict[str, Any]
Ask = Callable[[Mapping[str, Any]], Reply]


class Recorded:
    """Answers each case as a table does; `answering` fills the table from the reference, otherwise it is refused."""

    name = "recorded"

    def __init__(self, profile: ConformanceProfile, table: dict[str, Reply], *, answering: bool = False) -> None:
        self.profiles = frozenset([profile])
        self.runs = False
        self.table, self.answering = table, answering
        self.session = Session()
        self.stream = ""

    def start(self) -> None:
        self.runs = True

    def ask(self, case: Mapping[str, Any]) -> Reply:
        # What a stream answers depends on all that it was told.
        key = json.dumps(case, sort_keys=True)
        if case["ask"] in ("open", "frame", "chunk", "interrupt", "close"):
            key = self.stream = key if case["ask"] == "open" else self.stream + key
        if self.answering:
            reply = self.session.reply(json.dumps({"id": 1, **case}))
            self.table.setdefault(key, json.loads(json.dumps(reply)))
        return self.table.get(key, {"id": 1, "unsupported": "not in the table"})

    def close(self) -> None: ...

    def kill(self) -> None: ...

    def news(self) -> bool:
        return False


def outcome_of(peer: Recorded, seed: int, **options: Any) -> Conformance:
    return conform(["recorded"], examples=8, seed=seed, peer=peer, may_leave_out=True, **options)


SMALL = (ConformanceProfile.CORE, ConformanceProfile.EVENTS, ConformanceProfile.STREAMING)


@pytest.mark.parametrize(
    "profile", [ConformanceProfile.CORE, *(pytest.param(p, marks=pytest.mark.slow) for p in SMALL)]
)
def test_a_table_of_the_vectors_does_not_conform_even_with_leave(profile: ConformanceProfile) -> None:
    table: dict[str, Reply] = {}
    learner = Recorded(profile, table, answering=True)
    for vector in vectors_of([profile]):
        put(learner, vector.input, tuple(vector.expected))
    outcome = outcome_of(Recorded(profile, table), 0)
    assert not outcome.conforms
    assert [finding.kind for finding in outcome.findings] == ["unsupported"]
    assert "refuses cases like those it answers" in outcome.findings[0].words
    assert sum(tally.passed for tally in outcome.vectors.values()) == len(vectors_of([profile]))


@pytest.mark.slow
@pytest.mark.parametrize("profile", list(ConformanceProfile))
def test_a_tape_of_a_run_does_not_conform_in_a_run_of_another_seed(profile: ConformanceProfile) -> None:
    table: dict[str, Reply] = {}
    first = outcome_of(Recorded(profile, table, answering=True), 0, with_vectors=False)
    assert first.conforms
    again = outcome_of(Recorded(profile, table), 0, with_vectors=False)
    assert again.conforms
    other = outcome_of(Recorded(profile, table), 1, with_vectors=False)
    answered = other.shares[profile, "random cases"]
    assert answered.answered * 5 < answered.asked
    # Where it knows none at all, nothing was tested; else the profile is refused.
    assert [finding.kind for finding in other.findings] == ["unsupported"] * other.tested
    assert not other.conforms


def test_every_run_draws_its_own_cases_unless_it_is_given_a_seed() -> None:
    command = ("conform", "--examples", "0", "--only", "past", "--format", "json", "--python", MONITOR)
    seeds = {json.loads(run(*command).out)["seed"] for _ in range(2)}
    assert len(seeds) == 2
    assert json.loads(run(*command[:-2], "--seed", "7", *command[-2:]).out)["seed"] == 7


PICKY = """
import json, sys
sys.path.insert(0, {folder!r})
import monitor as small
def monitor():
    reply = small.monitor()
    def answer(message):
        if message.get("ask") == {ask!r}:
            return {{"id": message["id"], "unsupported": "not this one"}}
        return reply(message)
    return answer
"""


@pytest.mark.parametrize(
    ("options", "code", "says"), [((), 1, "conforms in part"), (("--allow-unsupported",), 0, "conforms in part")]
)
def test_what_leaves_cases_out_conforms_in_part_and_only_with_leave(
    options: tuple[str, ...], code: int, says: str, tmp_path: Any
) -> None:
    from pathlib import Path

    program = tmp_path / "picky.py"
    program.write_text(PICKY.format(folder=str(Path(MONITOR).parent), ask="clause"), encoding="utf-8")
    outcome = run("conform", "--examples", "0", "--only", "core", *options, "--python", str(program))
    assert outcome.code == code
    assert outcome.out.startswith(f"{says}: `")
