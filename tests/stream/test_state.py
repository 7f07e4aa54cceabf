"""Saved states: plain JSON by its schema, refused under another contract or when not whole."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from strategies import sized

from tracepact import InvalidInput, load_contract, parse_contract
from tracepact.declarations import spec_path
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
    "an unknown key": lambda s: s.update(more=1),
    "two streams of one name": lambda s: s.update(streams=["a", "a"]),
    "a name that is half of a surrogate pair": lambda s: s.update(classes=["\ud800"]),
    "more channels than counts": lambda s: s.update(classes=[f"k{i}" for i in range(10_000)]),
    "more satisfied than obligated": lambda s: s["counts"]["onset"].update(satisfied=[100, 0], obligated=[10, 0]),
    "more obligated than verdicts that are out": lambda s: s["counts"]["onset"].update(obligated=[4, 0]),
    "more obligated in an ended stream than it had frames": lambda s: s["counts"]["onset"].update(obligated=[0, 4]),
    "negative counts": lambda s: s["counts"]["onset"].update(satisfied=[-1, 0]),
    "a count as a truth value": lambda s: s["counts"]["onset"].update(satisfied=[True, 0]),
    "a count with a point": lambda s: s["counts"]["onset"].update(satisfied=[0.0, 0]),
    "counts beyond a machine word": lambda s: s["counts"]["onset"].update(satisfied=[1 << 64, 0]),
    "counts of four hundred digits": lambda s: s["counts"]["onset"].update(obligated=[10**400, 0]),
    "frames beyond every stream": lambda s: s.update(frames=1 << 53),
    "ended after more frames than have come": lambda s: s["ended"].update(b=6),
    "a window active where a stream has ended": lambda s: s["window"]["masks"].update(ref_active="2"),
    "a window whose last frame is not the activity": lambda s: s["window"]["masks"].update(ref_active="1"),
    "activity without a run": lambda s: s["events"]["active"].update(ignored="1"),
    "activity beyond the channels": lambda s: s["events"]["active"].update(ref="ff"),
    "a run before the stream": lambda s: s["events"]["runs"][0]["ref"].insert(0, [-3, -1, True]),
    "a run that ends before it starts": lambda s: s["events"]["runs"][0]["ignored"].append([4, 2, False]),
    "a run that ends after the last frame": lambda s: s["events"]["runs"][0]["ignored"].append([2, 9, False]),
    "a run beyond a machine word": lambda s: s["events"]["runs"][0]["ignored"].append([1 << 70, 1 << 71, False]),
    "an open run that another follows": lambda s: s["events"]["runs"][0]["pred"].insert(0, [0, None, False]),
    "runs that should be one": lambda s: s["events"]["runs"][0]["ignored"].extend([[0, 1, False], [1, 2, False]]),
    "an open run that is judged": lambda s: s["events"]["runs"][0]["pred"].__setitem__(-1, [3, None, True]),
    "an open run of an ended stream": lambda s: s["events"]["runs"][1]["ignored"].append([1, None, False]),
    "a run of an ended stream without a verdict": lambda s: s["events"]["runs"][1]["pred"].append([0, 3, False]),
    "more judged than runs that fit": lambda s: s["events"]["counts"]["whole"].update(obligated=[3, 0]),
    "obligations without counter evidence": lambda s: s["events"]["counts"]["whole"].update(obligated=[1, 0]),
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG.keys())
def test_a_state_that_is_not_whole_is_refused(change: Change) -> None:
    state = copy.deepcopy(saved())
    change(state)
    with pytest.raises(InvalidInput) as refused:
        restore_state(parse_contract(CONTRACT), state)
    assert {d.code for d in refused.value.diagnostics} == {"wrong-state"}


def test_a_closed_component_without_a_verdict_is_refused() -> None:
    """A run of one frame that ended twenty frames ago has been judged; a state that still waits for it is no state."""
    monitor = StreamMonitor(parse_contract(CONTRACT))
    monitor.push({"ref_active": [1] + [0] * 20, "pred_active": [0] * 21})
    state = save_state(monitor)
    state["events"]["runs"][0]["ref"] = [[0, 1, False]]
    state["events"]["counts"]["whole"]["obligated"] = [0]
    with pytest.raises(InvalidInput, match="component is closed"):
        restore_state(monitor.contract, state)


def test_everything_that_speaks_against_a_state_is_told() -> None:
    state = saved()
    state["counts"]["onset"].update(satisfied=[100, 0], obligated=[10, 0])
    state["events"]["active"]["ignored"] = "1"
    with pytest.raises(InvalidInput) as refused:
        restore_state(parse_contract(CONTRACT), state)
    headlines = [d.headline for d in refused.value.diagnostics]
    assert len(headlines) == 2
    assert any("100 satisfied of 10 obligated" in headline for headline in headlines)


places = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just(10**30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(st.data())
@settings(max_examples=sized(300))
def test_a_state_with_any_part_replaced_is_refused_or_goes_on(data: st.DataObject) -> None:
    """Nothing but a diagnostic, and what is accepted can be saved, pushed and closed."""
    state = saved()
    place, key = state, data.draw(st.sampled_from(sorted(state)))
    while isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans()):
        place = place[key]
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else list(range(len(place)))))  # type: ignore[type-var]
    place[key] = data.draw(places)
    try:
        monitor = restore_state(parse_contract(CONTRACT), state)
    except InvalidInput:
        return
    json.dumps(save_state(monitor))
    if not monitor.closed:
        channels = monitor.lanes.channels
        monitor.push({"ref_active": [[1] * channels], "pred_active": [[0] * channels]})
        monitor.close()
    assert all(0 <= score.satisfied <= score.obligated for score in monitor.vector().values())


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
