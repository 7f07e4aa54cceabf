"""Predictions outside their clips, and which clips are evaluated: one rule for `score` and `metrics` (13.31, 13.32)."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cli.command import events, run, write
from hypothesis import given
from hypothesis import strategies as st

import tracepact
from tracepact import Run, score
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Severity
from tracepact.runs.verification import verify_run

REF = {"a": [(1, 2, "x")], "b": [(3, 4, "x")]}
LATE = {"a": [(1, 2, "x"), ("10.05", "10.5", "x"), (10, 11, "x")], "b": [(3, 4, "x")]}
POLICIES = ("false-alarm", "cut", "drop")


def event_counts(found: Run) -> tuple[int, int, int]:
    return event_tally(found.to_dict()["metrics"])


def event_tally(metrics: dict[str, Any]) -> tuple[int, int, int]:
    """The true positives, false positives and false negatives of the event metric."""
    (found,) = (m for m in metrics["metrics"] if m["name"] == "event")
    return found["counts"]["tp"], found["counts"]["fp"], found["counts"]["fn"]


def codes(found: Run) -> list[str]:
    return [d.code for d in found.diagnostics if d.code != "one-sided-label"]


# Outside


def test_an_event_after_its_clip_is_a_false_alarm_and_gives_no_frame() -> None:
    inside = score("boundary_gate", REF, {"a": [(1, 2, "x")], "b": [(3, 4, "x")]}, durations=10)
    found = score("boundary_gate", REF, LATE, durations=10)
    assert found.vector == inside.vector
    assert set(found.vector.values()) == {Fraction(1)}
    assert codes(found) == ["predicted-outside-clip"] * 2
    assert (event_counts(inside), event_counts(found)) == ((2, 0, 0), (2, 2, 0))


@pytest.mark.parametrize(("policy", "false"), [("false-alarm", 2), ("cut", 2), ("drop", 0)])
def test_each_policy_counts_and_lists_what_it_says(policy: str, false: int) -> None:
    found = score("boundary_gate", REF, LATE, durations=10, outside=policy)
    assert event_counts(found) == (2, false, 0)
    said = found.to_dict()["preparation"]["outside"]
    assert said["policy"] == policy
    assert [(e["clip"], e["class"], e["onset"], e["offset"]) for e in said["events"]] == [
        ("a", "x", "201/20", "21/2"),
        ("a", "x", "10", "11"),
    ]
    assert f"2 events after the end of the clip (--outside {policy})" in " ".join(str(found).split())
    kept = [(e.onset, e.offset) for e in found.prediction.clips["a"]][1:]
    written = [(Fraction(201, 20), Fraction(21, 2)), (Fraction(10), Fraction(11))]
    assert kept == {"false-alarm": written, "cut": [(10, 10), (10, 10)], "drop": []}[policy]


def test_it_can_be_an_error_and_is_one_in_the_reference() -> None:
    for ref, pred, outside in ((REF, LATE, "error"), (LATE, REF, "false-alarm"), (LATE, REF, "drop")):
        with pytest.raises(InvalidInput) as refused:
            score("boundary_gate", ref, pred, durations=10, outside=outside)
        assert [d.code for d in refused.value.diagnostics if d.severity is Severity.ERROR] == [
            "starts-outside-clip"
        ] * 2


def test_a_report_without_such_events_says_nothing_of_them() -> None:
    assert not {"outside", "clips"} & score("boundary_gate", REF, REF, durations=10).to_dict()["preparation"].keys()
    assert score("boundary_gate", REF, REF, durations=10, outside="drop").to_dict()["preparation"]["outside"] == {
        "policy": "drop",
        "events": [],
    }


@pytest.mark.parametrize("policy", POLICIES)
def test_a_run_with_such_events_verifies(policy: str, tmp_path: Path) -> None:
    score("boundary_gate", REF, LATE, durations=10, outside=policy).save(tmp_path / "run")
    found = verify_run(tmp_path / "run")
    assert found.holds, found.drifts
    assert tracepact.audit_tolerance(tmp_path / "run", "tol")  # scored again, not refused


times = st.integers(0, 300).map(lambda hundredths: Fraction(hundredths, 100))


@given(st.lists(st.tuples(times, times), max_size=6))
def test_outside_events_never_change_a_frame(drawn: list[tuple[Fraction, Fraction]]) -> None:
    pred = [(min(pair), max(pair), "x") for pair in drawn]
    inside = [event for event in pred if event[0] < 2]
    found = [score("boundary_gate", [(1, 2, "x")], pred, durations=2, outside=policy).card for policy in POLICIES]
    alone = score("boundary_gate", [(1, 2, "x")], inside, durations=2).card
    assert [card.vector() for card in found] == [alone.vector()] * 3


@pytest.fixture
def tables(tmp_path: Path) -> list[str]:
    files = {
        "ref.tsv": events("a 1 2 x", "b 3 4 x"),
        "pred.tsv": events("a 1 2 x", "a 10.5 11 x", "b 3 4 x"),
        "extra.tsv": events("a 1 2 x", "c 1 2 x", "c 4 5 x"),
        "list.txt": "filename\na\n",
        "wrong.txt": "a\nnowhere\n",
    }
    write(tmp_path, files)
    return ["--ref", str(tmp_path / "ref.tsv"), "--durations", "10"]


@pytest.mark.parametrize("command", [["score", "boundary_gate"], ["metrics"]])
def test_both_commands_take_the_policy(command: list[str], tables: list[str], tmp_path: Path) -> None:
    asked = [*command, *tables, "--pred", str(tmp_path / "pred.tsv"), "--format", "json"]
    counts = {}
    for policy in (None, *POLICIES):
        outcome = run(*asked, *(["--outside", policy] if policy else []))
        assert outcome.code == 0
        assert ("predicted-outside-clip", f"{tmp_path / 'pred.tsv'}:3") in outcome.places
        data = json.loads(outcome.out)
        counts[policy] = event_tally(data["metrics"] if command[0] == "score" else data)[1]
    assert counts == {None: 1, "false-alarm": 1, "cut": 1, "drop": 0}
    refused = run(*asked, "--outside", "error")
    assert (refused.code, refused.codes) == (2, ["starts-outside-clip"])


def test_correcting_predictions_keeps_false_alarms(tables: list[str], tmp_path: Path) -> None:
    pred = str(tmp_path / "pred.tsv")
    outcome = run("lint-data", *tables, "--pred", pred, "--fix", "--out", str(tmp_path / "fixed"))
    assert "10.5\t11" in (tmp_path / "fixed" / "prediction.tsv").read_text(encoding="utf-8")
    assert "1 predicted event after the end of the clip stay" in outcome.err
    assert "starts-outside-clip" in outcome.codes


# Clips


@pytest.mark.parametrize("command", [["score", "boundary_gate"], ["metrics"]])
def test_a_prediction_on_an_unknown_clip_is_an_error_in_both(
    command: list[str], tables: list[str], tmp_path: Path
) -> None:
    outcome = run(*command, *tables, "--pred", str(tmp_path / "extra.tsv"))
    assert outcome.code == 2
    assert ("unknown-clip", f"{tmp_path / 'extra.tsv'}:3") in outcome.places


@pytest.mark.parametrize("command", [["score", "boundary_gate"], ["metrics"]])
@pytest.mark.parametrize(
    ("choice", "clips", "tally", "left_out"),
    [
        ("reference", 2, (1, 0, 1), (0, 2)),  # b is missed; what is predicted on c is left out
        ("all", 3, (1, 2, 1), (0, 0)),  # what is predicted on c is false
        ("list.txt", 1, (1, 0, 0), (1, 2)),  # a alone
    ],
)
def test_the_chosen_clips_count_in_both(
    command: list[str],
    choice: str,
    clips: int,
    tally: tuple[int, int, int],
    left_out: tuple[int, int],
    tables: list[str],
    tmp_path: Path,
) -> None:
    chosen = str(tmp_path / choice) if choice.endswith("txt") else choice
    pred = str(tmp_path / "extra.tsv")
    outcome = run(*command, *tables, "--pred", pred, "--clips", chosen, "--format", "json")
    assert outcome.code == 0, outcome.err
    data = json.loads(outcome.out)
    if command[0] == "score":
        assert data["family"]["clips"] == clips
        said = data["preparation"]["clips"]
        assert (said["choice"], said["clips"]) == (chosen, clips)
        assert tuple(said["left_out"][side]["events"] for side in ("reference", "prediction")) == left_out
        data = data["metrics"]
    assert event_tally(data) == tally
    assert data["clips"] == clips
    assert outcome.codes.count("clips-left-out") == sum(map(bool, left_out))
    assert ("unlisted-clip" in outcome.codes) == (choice == "all")


def test_the_clips_of_the_durations_are_those_of_their_table() -> None:
    lengths = {"a": 10, "c": 10}
    found = score("boundary_gate", REF, {"a": [(1, 2, "x")], "b": [(3, 4, "x")]}, durations=lengths, clips="durations")
    assert found.card.family.clips == ("a", "c")
    assert event_counts(found) == (1, 0, 0)
    with pytest.raises(InvalidInput) as refused:
        score("boundary_gate", REF, REF, durations=10, clips="durations")
    assert [d.code for d in refused.value.diagnostics if d.severity is Severity.ERROR] == ["unknown-duration"]


def test_a_list_names_known_clips_only(tables: list[str], tmp_path: Path) -> None:
    pred = str(tmp_path / "pred.tsv")
    outcome = run("metrics", *tables, "--pred", pred, "--clips", str(tmp_path / "wrong.txt"))
    assert outcome.code == 2
    assert "unknown-clip" in outcome.codes
    missing = run("score", "boundary_gate", *tables, "--pred", pred, "--clips", str(tmp_path / "none.txt"))
    assert (missing.code, missing.codes) == (2, ["unreadable-file"])


@pytest.mark.parametrize(
    ("listed", "meant"),
    [("a", "a.wav"), ("rain/a.flac", "a.wav"), ("b", "rain/b.wav"), ("big/rain/b", "rain/b.wav")],
)
def test_a_list_may_leave_out_endings_and_folders(listed: str, meant: str) -> None:
    ref = {"a.wav": [(1, 2, "x")], "rain/b.wav": [(3, 4, "x")]}
    found = score("boundary_gate", ref, ref, durations=10, clips=[listed])
    assert found.card.family.clips == (meant,)


@pytest.mark.parametrize("listed", ["sun/b", "a.b.wav", "A", "c"])
def test_a_list_that_names_another_clip_or_two_is_refused(listed: str) -> None:
    ref: dict[str, Any] = {"a.wav": [(1, 2, "x")], "rain/b.wav": [(3, 4, "x")], "c.wav": [], "d/c.wav": []}
    with pytest.raises(InvalidInput) as raised:
        score("boundary_gate", ref, ref, durations=10, clips=["a.wav", listed])
    assert [d.code for d in raised.value.diagnostics if d.severity is Severity.ERROR] == ["unknown-clip"]


# Milliseconds


@given(
    times=st.lists(st.tuples(st.integers(101, 9000), st.integers(1, 1000)), min_size=1, max_size=6),
    side=st.sampled_from(["ref", "pred"]),
)
def test_a_table_in_milliseconds_is_noted(times: list[tuple[int, int]], side: str) -> None:
    written = {"a": [(on, on + length, "x") for on, length in times]}
    meant = {"a": [(Fraction(on, 1000), Fraction(on + length, 1000), "x") for on, length in times]}
    sides = {"ref": meant, "pred": meant} | {side: written}
    try:
        found = list(score("boundary_gate", sides["ref"], sides["pred"], durations=10).diagnostics)
    except InvalidInput as error:
        found = list(error.diagnostics)
    assert [d.headline[:32] for d in found if d.code == "milliseconds"] == ["the times look like milliseconds"]
    right = score("boundary_gate", meant, meant, durations=10)
    assert "milliseconds" not in codes(right)


@pytest.mark.parametrize(("stray", "noted"), [(1, True), (2, False)])
def test_a_table_in_milliseconds_may_run_over_the_ends_of_clips(stray: int, noted: bool) -> None:
    written = {"a": [(150 * k, 150 * k + (9000 if k > 22 - stray else 1000), "x") for k in range(3, 23)]}
    found = score("boundary_gate", {"a": []}, written, durations=10)
    assert ("milliseconds" in codes(found)) is noted


def test_durations_in_milliseconds_are_noted() -> None:
    ref = {"a": [(k, k + 1, "x") for k in range(0, 10, 2)]}
    assert codes(score("boundary_gate", ref, ref, durations={"a": 10_000})) == ["milliseconds"]
    assert codes(score("boundary_gate", ref, ref, durations={"a": 8_000})) == []
    assert codes(score("boundary_gate", {"a": ref["a"][:4]}, {"a": ref["a"][:4]}, durations={"a": 10_000})) == []


def test_chosen_clips_score_as_they_would_alone() -> None:
    pred = {"a": [("1.1", 2, "x")], "b": [(3, "4.5", "x")]}
    chosen = score("boundary_gate", REF, pred, durations=10, clips=["b"])
    alone = score("boundary_gate", {"b": REF["b"]}, {"b": pred["b"]}, durations=10)
    assert chosen.card.vector() == alone.card.vector()


@pytest.mark.parametrize("clips", ["reference", "all", ["a"]])
def test_a_run_on_chosen_clips_verifies(clips: str | list[str], tmp_path: Path) -> None:
    pred = {"a": [(1, 2, "x")], "c": [(1, 2, "x")]}
    score("boundary_gate", REF, pred, durations=10, clips=clips).save(tmp_path / "run")
    found = verify_run(tmp_path / "run")
    assert found.holds, found.drifts


@pytest.fixture
def document(tmp_path: Path) -> str:
    """Both sides in one document: an event after the end of `a`, and a clip that is silent in the reference."""
    clips = [
        {"name": "a", "duration": 10, "ref": [[1, 2, "x"]], "pred": [[1, 2, "x"], ["10.5", 11, "x"]]},
        {"name": "b", "duration": 10, "ref": [[3, 4, "x"]], "pred": [[3, 4, "x"]]},
        {"name": "c", "duration": 10, "ref": [], "pred": [[1, 2, "x"]]},
    ]
    write(tmp_path, {"pair.json": json.dumps({"clips": clips}), "list.txt": "filename\na\n"})
    return str(tmp_path / "pair.json")


@pytest.mark.parametrize(("policy", "false"), [(None, 2), ("false-alarm", 2), ("cut", 2), ("drop", 1)])
def test_a_document_takes_the_policy_for_events_outside(policy: str | None, false: int, document: str) -> None:
    asked = ["score", "boundary_gate", "--pair", document, "--format", "json"]
    outcome = run(*asked, *(["--outside", policy] if policy else []))
    assert outcome.code == 0, outcome.err
    assert "predicted-outside-clip" in outcome.codes
    data = json.loads(outcome.out)
    assert event_tally(data["metrics"]) == (2, false, 0)
    assert data["preparation"]["outside"]["policy"] == (policy or "false-alarm")
    refused = run(*asked, "--outside", "error")
    assert (refused.code, refused.codes) == (2, ["starts-outside-clip"])


@pytest.mark.parametrize(
    ("choice", "clips", "tally"), [("reference", 3, (2, 1, 0)), ("list.txt", 1, (1, 0, 0)), ("all", 3, (2, 1, 0))]
)
def test_a_document_takes_the_choice_of_clips(
    choice: str, clips: int, tally: tuple[int, int, int], document: str, tmp_path: Path
) -> None:
    chosen = str(tmp_path / choice) if choice.endswith("txt") else choice
    outcome = run(
        *("score", "boundary_gate", "--pair", document, "--outside", "drop"), *("--clips", chosen, "--format", "json")
    )
    assert outcome.code == 0, outcome.err
    data = json.loads(outcome.out)
    assert (data["family"]["clips"], data["preparation"]["clips"]["clips"]) == (clips, clips)
    assert event_tally(data["metrics"]) == tally
