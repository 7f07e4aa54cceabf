"""Saved states: plain JSON by its schema, refused under another contract or when not whole."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tracepact import InvalidInput, load_contract, parse_contract
from tracepact.specs import spec_path
from tracepact.stream import StreamMonitor, restore_state, save_state

CONTRACT = """contract mixed
step 20ms
param tol = 40ms
merge_gap 20ms
clause onset on ref_onset : ref_onset -> N[tol] pred_onset
clause whole on each ref : matched and covering <= 1
"""
SCHEMA = Draft202012Validator(json.loads((spec_path("schemas") / "stream-state.schema.json").read_text()))


def saved() -> dict[str, Any]:
    """Two streams of one class, one of which has ended; an open and an ended run."""
    monitor = StreamMonitor(parse_contract(CONTRACT), streams=("a", "b"), ignoring=True)
    for _ in range(3):
        monitor.push({"ref_active": [[1, 0]], "pred_active": [[0, 1]]}, ignore=[[0, 0]])
    monitor.end("b")
    monitor.push({"ref_active": [[0, 0], [1, 0]], "pred_active": [[1, 0], [1, 0]]})
    return save_state(monitor)


def test_a_state_is_plain_json_of_its_schema() -> None:
    state = saved()
    assert json.loads(json.dumps(state)) == state
    assert [error.message for error in SCHEMA.iter_errors(state)] == []
    frames_only = save_state(StreamMonitor(parse_contract(CONTRACT.rsplit("clause", 1)[0])))
    assert frames_only["events"] is None
    assert SCHEMA.is_valid(frames_only)


def test_a_restored_monitor_saves_the_same_state() -> None:
    state = saved()
    assert save_state(restore_state(parse_contract(CONTRACT), state)) == state


def test_a_state_of_another_contract_is_refused() -> None:
    for other in (parse_contract(CONTRACT, {"tol": "60ms"}), load_contract("boundary_gate")):
        with pytest.raises(InvalidInput) as refused:
            restore_state(other, saved())
        assert [d.code for d in refused.value.diagnostics] == ["wrong-state"]
        assert "another contract" in refused.value.diagnostics[0].headline


def test_comments_do_not_make_it_another_contract() -> None:
    restore_state(parse_contract("# recorded at noon\n" + CONTRACT), saved())


Change = Callable[[dict[str, Any]], Any]
WRONG: dict[str, Change] = {
    "nothing": lambda s: s.clear(),
    "another format": lambda s: s.update(format="tracepact-stream/0"),
    "no window": lambda s: s.pop("window"),
    "a window of other length": lambda s: s["window"].update(frames=1),
    "a window longer than it can be": lambda s: s["window"].update(frames=50),
    "a mask that is not a number": lambda s: s["window"]["masks"].update(ref_active="xyz"),
    "a mask beyond the window": lambda s: s["window"]["masks"].update(ref_active="f" * 40),
    "a negative mask": lambda s: s["window"]["masks"].update(ref_active="-1"),
    "no mask": lambda s: s["window"]["masks"].pop("ref_active"),
    "counts of another clause": lambda s: s["counts"].update(other=s["counts"].pop("onset")),
    "counts of too few channels": lambda s: s["counts"]["onset"].update(satisfied=[0, 0, 0]),
    "negative frames": lambda s: s.update(frames=-5),
    "an unknown stream": lambda s: s["ended"].update(c=1),
    "no events": lambda s: s.update(events=None),
    "runs of too few channels": lambda s: s["events"]["runs"].pop(),
    "a run without an end": lambda s: s["events"]["runs"][0]["ref"].append([1]),
    "streams as a number": lambda s: s.update(streams=2),
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG.keys())
def test_a_state_that_is_not_whole_is_refused(change: Change) -> None:
    state = copy.deepcopy(saved())
    change(state)
    with pytest.raises(InvalidInput) as refused:
        restore_state(parse_contract(CONTRACT), state)
    assert [d.code for d in refused.value.diagnostics] == ["wrong-state"]


def test_arguments_in_the_wrong_order_are_told_the_right_one() -> None:
    with pytest.raises(TypeError, match="takes a Contract and then the state"):
        restore_state(saved(), parse_contract(CONTRACT))  # type: ignore[arg-type]  # what it is about


def test_frames_that_are_not_by_atom_are_told_their_form() -> None:
    monitor = StreamMonitor("boundary_gate")
    with pytest.raises(TypeError, match=r"by atom, as in .*ref_active.*, not as tuple"):
        monitor.push((1, 0))  # type: ignore[arg-type]  # what it is about
    assert monitor.frames == 0


def test_a_clause_that_is_not_there_is_answered_with_the_nearest() -> None:
    monitor = StreamMonitor(parse_contract(CONTRACT))
    name = monitor.contract.clauses[0].name
    for ask in (monitor.score, monitor.counts):
        with pytest.raises(InvalidInput, match=f"there is no clause `{name}x`[^?]*did you mean `{name}`"):
            ask(f"{name}x")
